/* The public drawing functions: boxes as lines, and as line strips in a vertex and an index buffer.
 */
#include "debug/tree.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

static void emit_lines_of_box(const mo_vec3 corners[8], uint32_t rgba, void *context) {
  const mo_line_sink *sink = context;
  for (int axis = 1; axis < 8; axis <<= 1) {
    for (int corner = 0; corner < 8; corner++) {
      if (!(corner & axis)) {
        sink->line(corners[corner], corners[corner | axis], rgba, sink->context);
      }
    }
  }
}

/* Checks the arguments of a drawing call. `host` is that of the scene or mesh; null if the scene or
 * mesh is null. */
static mo_result check_sink(const mo_host *host, const char *function, const mo_debug_def *def,
                            const mo_line_sink *sink) {
  if (host == NULL || def == NULL || sink == NULL || sink->line == NULL) {
    return mo_refuse_null(host, function,
                          def == NULL    ? "def"
                          : sink == NULL ? "sink"
                                         : "sink->line");
  }
  return mo_debug_check_def(host, function, def);
}

static void draw_lines(const mo_debug_tree *tree, const mo_debug_def *def,
                       const mo_line_sink *sink) {
  mo_line_sink copy = *sink;
  mo_debug_emit_boxes(tree, def, &(mo_box_emitter){emit_lines_of_box, &copy});
}

mo_result mo_scene_draw(const mo_scene *scene, const mo_debug_def *def, const mo_line_sink *sink) {
  mo_result result = check_sink(mo_scene_host(scene), __func__, def, sink);
  if (result != MO_OK) {
    return result;
  }
  mo_debug_tree tree = mo_debug_tree_of_scene(scene);
  draw_lines(&tree, def, sink);
  return MO_OK;
}

mo_result mo_mesh_draw(const mo_mesh *mesh, const mo_debug_def *def, const mo_line_sink *sink) {
  mo_result result = check_sink(mo_mesh_host(mesh), __func__, def, sink);
  if (result != MO_OK) {
    return result;
  }
  mo_debug_tree tree = mo_debug_tree_of_mesh(mesh);
  draw_lines(&tree, def, sink);
  return MO_OK;
}

/* One line strip over all twelve edges. As each corner has three edges (an odd number), three edges
 * are drawn twice. */
static const uint8_t box_strip[] = {0, 1, 3, 2, 0, 4, 5, 1, 5, 7, 3, 7, 6, 2, 6, 4};

enum { BOX_VERTICES = 8, BOX_INDICES = sizeof box_strip + 1 };

/* Writes boxes to the output buffers, and counts them. */
typedef struct box_writer {
  const mo_debug_buffers *buffers;
  uint64_t box_count; /* boxes so far, also those that did not fit */
} box_writer;

static bool next_box_fits(const box_writer *writer) {
  return (writer->box_count + 1) * BOX_VERTICES <= writer->buffers->vertex_capacity &&
         (writer->box_count + 1) * BOX_INDICES <= writer->buffers->index_capacity;
}

static void emit_strip_of_box(const mo_vec3 corners[8], uint32_t rgba, void *context) {
  box_writer *writer = context;
  if (next_box_fits(writer)) {
    uint32_t first = (uint32_t)writer->box_count * BOX_VERTICES;
    uint32_t *index = writer->buffers->indices + writer->box_count * BOX_INDICES;
    for (uint32_t i = 0; i < BOX_VERTICES; i++) {
      writer->buffers->vertices[first + i] = (mo_debug_vertex){corners[i], rgba};
    }
    for (uint32_t i = 0; i < BOX_INDICES - 1; i++) {
      index[i] = first + box_strip[i];
    }
    index[BOX_INDICES - 1] = MO_DEBUG_RESTART;
  }
  writer->box_count++;
}

static mo_result check_buffers(const mo_host *host, const char *function, const mo_debug_def *def,
                               const mo_debug_buffers *buffers) {
  bool lacks_vertices =
      buffers != NULL && buffers->vertex_capacity > 0 && buffers->vertices == NULL;
  if (host == NULL || def == NULL || buffers == NULL || lacks_vertices ||
      (buffers->index_capacity > 0 && buffers->indices == NULL)) {
    return mo_refuse_null(host, function,
                          def == NULL       ? "def"
                          : buffers == NULL ? "buffers"
                          : lacks_vertices  ? "buffers->vertices"
                                            : "buffers->indices");
  }
  return mo_debug_check_def(host, function, def);
}

static mo_result fill_buffers(const mo_debug_tree *tree, const mo_debug_def *def,
                              mo_debug_buffers *buffers) {
  box_writer writer = {.buffers = buffers};
  mo_debug_emit_boxes(tree, def, &(mo_box_emitter){emit_strip_of_box, &writer});
  if (writer.box_count > UINT32_MAX / BOX_INDICES) {
    return MO_ERROR_TOO_MANY;
  }
  buffers->vertex_total = (uint32_t)writer.box_count * BOX_VERTICES;
  buffers->index_total = (uint32_t)writer.box_count * BOX_INDICES;
  return MO_OK;
}

mo_result mo_scene_draw_buffers(const mo_scene *scene, const mo_debug_def *def,
                                mo_debug_buffers *buffers) {
  mo_result result = check_buffers(mo_scene_host(scene), __func__, def, buffers);
  if (result != MO_OK) {
    return result;
  }
  mo_debug_tree tree = mo_debug_tree_of_scene(scene);
  return fill_buffers(&tree, def, buffers);
}

mo_result mo_mesh_draw_buffers(const mo_mesh *mesh, const mo_debug_def *def,
                               mo_debug_buffers *buffers) {
  mo_result result = check_buffers(mo_mesh_host(mesh), __func__, def, buffers);
  if (result != MO_OK) {
    return result;
  }
  mo_debug_tree tree = mo_debug_tree_of_mesh(mesh);
  return fill_buffers(&tree, def, buffers);
}
