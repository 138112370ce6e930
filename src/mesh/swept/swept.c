/* Makes swept meshes and moves their vertices: the public functions. */
#include "mesh/swept/swept.h"

#include <string.h>

#include "base/log.h"
#include "mesh/build/build.h"
#include "mesh/refit/refit.h"

mo_swept_mesh_def mo_default_swept_mesh_def(void) {
  return (mo_swept_mesh_def){.position_stride = sizeof(mo_vec3),
                             .index_type = MO_INDEX_U32,
                             .host = mo_default_host(),
                             .cookie = MO_COOKIE};
}

void mo_swept_mesh_destroy(mo_swept_mesh *mesh) {
  if (mesh == NULL) {
    return;
  }
  const mo_allocator allocator = mesh->host.allocator;
  mo_mesh_release(mesh->segments);
  for (int pose = 0; pose < 2; pose++) {
    mo_deallocate(&allocator, mesh->positions[pose], mesh->vertex_count, sizeof(mo_vec3));
  }
  mo_deallocate(&allocator, mesh->vertices, mesh->triangle_count, sizeof *mesh->vertices);
  mo_deallocate(&allocator, mesh->boxes, mesh->triangle_count, sizeof *mesh->boxes);
  mo_deallocate(&allocator, mesh, 1, sizeof *mesh);
}

/* A mesh without positions and octree, with capacity for those of the def; null if out of memory.
 */
static mo_swept_mesh *allocate_mesh(const mo_mesh_def *def, mo_isa isa) {
  const mo_allocator *allocator = &def->host.allocator;
  const uint32_t vertices = def->vertex_count, triangles = def->triangle_count;
  mo_swept_mesh *mesh = mo_allocate(allocator, 1, sizeof *mesh);
  if (mesh == NULL) {
    return NULL;
  }
  *mesh = (mo_swept_mesh){
      .host = def->host, .isa = isa, .vertex_count = vertices, .triangle_count = triangles};
  for (int pose = 0; pose < 2; pose++) {
    mesh->positions[pose] = mo_allocate(allocator, vertices, sizeof(mo_vec3));
  }
  mesh->vertices = mo_allocate(allocator, triangles, sizeof *mesh->vertices);
  mesh->boxes = mo_allocate(allocator, triangles, sizeof *mesh->boxes);
  const bool has_vertices =
      vertices == 0 || (mesh->positions[0] != NULL && mesh->positions[1] != NULL);
  if (!has_vertices || (triangles > 0 && (mesh->vertices == NULL || mesh->boxes == NULL))) {
    mo_swept_mesh_destroy(mesh);
    return NULL;
  }
  return mesh;
}

static void copy_pose(mo_swept_mesh *mesh, int pose, const mo_positions *positions) {
  const uint32_t count = mesh->triangle_count > 0 ? mesh->vertex_count : 0; /* may be null if 0 */
  for (uint32_t i = 0; i < count; i++) {
    mesh->positions[pose][i] = mo_position_at(positions, i);
  }
}

static mo_aabb box_of_path(const mo_swept_mesh *mesh, uint32_t triangle) {
  mo_aabb box = mo_aabb_empty();
  for (int i = 0; i < 3; i++) {
    const uint32_t vertex = mesh->vertices[triangle][i];
    box = mo_aabb_add_point(box, mesh->positions[0][vertex]);
    box = mo_aabb_add_point(box, mesh->positions[1][vertex]);
  }
  return box;
}

static void compute_boxes(mo_swept_mesh *mesh) {
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mesh->boxes[t] = box_of_path(mesh, t);
  }
}

/* Makes the octree: that of the diagonals of the boxes. */
static mo_result make_segments(mo_swept_mesh *mesh) {
  const mo_allocator *allocator = &mesh->host.allocator;
  const size_t count = 3 * (size_t)mesh->triangle_count;
  uint32_t *indices = mo_allocate(allocator, count, sizeof *indices);
  if (indices == NULL && count > 0) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < count; i++) {
    indices[i] = (uint32_t)(2 * (i / 3) + i % 3 % 2);
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = mesh->boxes;
  def.vertex_count = 2 * mesh->triangle_count;
  def.indices = indices;
  def.triangle_count = mesh->triangle_count;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  def.isa = mesh->isa;
  def.host = mesh->host;
  def.host.log = NULL; /* that all triangles are degenerate is as it should be */
  const mo_result result = mo_mesh_create(&def, &mesh->segments);
  mo_deallocate(allocator, indices, count, sizeof *indices);
  if (result == MO_OK) {
    mesh->segments->host = mesh->host;
  }
  return result;
}

/* The members of a def that it shares with those of other meshes. */
static mo_mesh_def mesh_def_of(const mo_swept_mesh_def *def) {
  mo_mesh_def like = mo_default_mesh_def();
  like.positions = def->positions;
  like.position_stride = def->position_stride;
  like.vertex_count = def->vertex_count;
  like.indices = def->indices;
  like.index_type = def->index_type;
  like.triangle_count = def->triangle_count;
  like.isa = def->isa;
  like.host = def->host;
  return like;
}

static mo_result create_checked(const mo_swept_mesh_def *def, mo_swept_mesh **mesh,
                                size_t *first_bad) {
  const mo_refusal refusal = mo_refusal_of(&def->host, "mo_swept_mesh_create", "def");
  mo_mesh_def like = mesh_def_of(def);
  const mo_positions start = {def->positions, def->position_stride, def->vertex_count};
  mo_positions end = start;
  mo_isa isa;
  mo_result result = mo_mesh_check_def(&like, &refusal, &isa);
  if (result == MO_OK) {
    result = mo_check_indices_and_positions(&like, &refusal, first_bad);
  }
  if (result == MO_OK && def->end_positions != NULL) {
    like.positions = end.first = def->end_positions;
    result = mo_check_used_positions(&like, ".end_positions", &refusal, first_bad);
  }
  if (result != MO_OK) {
    return result;
  }
  mo_swept_mesh *made = allocate_mesh(&like, isa);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++) {
    made->vertices[i / 3][i % 3] = mo_vertex_index_at(&like, i);
  }
  copy_pose(made, 0, &start);
  copy_pose(made, 1, &end);
  compute_boxes(made);
  result = make_segments(made);
  if (result == MO_OK) {
    *mesh = made;
  } else {
    mo_swept_mesh_destroy(made);
  }
  return result;
}

mo_result mo_swept_mesh_create(const mo_swept_mesh_def *def, mo_swept_mesh **mesh) {
  if (def == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (def->cookie != MO_COOKIE) {
    return MO_ERROR_UNINITIALIZED_DEF; /* without a valid def there is no host to log to */
  }
  size_t bad = MO_NO_INDEX;
  const mo_result result =
      mesh != NULL ? create_checked(def, mesh, &bad) : mo_refuse_null(&def->host, __func__, "mesh");
  if (result != MO_OK) {
    mo_set_first_bad(def->first_bad, bad);
  }
  return result;
}

/* Checks the positions of a pose, which are an argument of mo_swept_mesh_move. */
static mo_result check_pose(const mo_swept_mesh *mesh, const mo_positions *positions,
                            const char *argument, size_t *first_bad) {
  const mo_refusal refusal = mo_refusal_of(&mesh->host, "mo_swept_mesh_move", argument);
  const mo_mesh_def like = {.positions = positions->first,
                            .position_stride = positions->stride,
                            .indices = mesh->vertices,
                            .index_type = MO_INDEX_U32,
                            .triangle_count = mesh->triangle_count};
  return mo_check_used_positions(&like, "", &refusal, first_bad);
}

mo_result mo_swept_mesh_move(mo_swept_mesh *mesh, const void *positions, const void *end_positions,
                             size_t position_stride, uint32_t vertex_count,
                             mo_mesh_refit_info *info, size_t *first_bad) {
  size_t bad = MO_NO_INDEX;
  if (mesh == NULL || (end_positions == NULL && mesh->triangle_count > 0)) {
    mo_set_first_bad(first_bad, bad);
    return mo_refuse_null(mo_swept_mesh_host(mesh), __func__, "end_positions");
  }
  const mo_positions start = {positions, position_stride, vertex_count},
                     end = {end_positions, position_stride, vertex_count};
  mo_result result = mo_check_position_array(&mesh->host, __func__, &end, mesh->vertex_count);
  if (result == MO_OK && positions != NULL) {
    result = check_pose(mesh, &start, "positions", &bad);
  }
  if (result == MO_OK) {
    result = check_pose(mesh, &end, "end_positions", &bad);
  }
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, bad);
    return result;
  }
  mo_vec3 *const last = mesh->positions[1];
  mesh->positions[1] = mesh->positions[0];
  mesh->positions[0] = last;
  if (positions != NULL) {
    copy_pose(mesh, 0, &start);
  }
  copy_pose(mesh, 1, &end);
  compute_boxes(mesh);
  return mo_mesh_refit(mesh->segments, mesh->boxes, sizeof(mo_vec3), 2 * mesh->triangle_count, info,
                       NULL);
}

mo_result mo_swept_mesh_rebuild_parts(mo_swept_mesh *mesh, const mo_mesh_rebuild_options *options,
                                      mo_mesh_rebuild_info *info) {
  if (mesh == NULL || options == NULL) {
    return mo_refuse_null(mo_swept_mesh_host(mesh), __func__, "options");
  }
  const mo_result result = mo_check_rebuild(&mesh->host, __func__, options);
  return result == MO_OK ? mo_rebuild_parts(mesh->segments, options, info) : result;
}

uint32_t mo_swept_mesh_triangle_count(const mo_swept_mesh *mesh) {
  return mesh != NULL ? mesh->triangle_count : 0;
}

mo_result mo_swept_mesh_validate(const mo_swept_mesh *mesh) {
  if (mesh == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    const mo_aabb box = box_of_path(mesh, t);
    mo_vec3 corners[3];
    mo_mesh_corners(mesh->segments, t, corners);
    if (!mo_aabb_is_same(&(mo_aabb){corners[0], corners[1]}, &box)) {
      mo_log(&mesh->host, MO_LOG_WARNING, "swept mesh: triangle %u leaves its box", t);
      return MO_ERROR_CORRUPT;
    }
  }
  return mo_mesh_validate(mesh->segments);
}
