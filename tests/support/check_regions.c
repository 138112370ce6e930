/* Comparing overlap and culling queries, on meshes and on scenes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/defs.h"

/* A question about a region. */
typedef enum region_type { REGION_BOX, REGION_BALL, REGION_PLANES, REGION_POINT } region_type;

typedef struct region {
  region_type type;
  mo_aabb box;
  mo_sphere ball;
  mo_vec3 point;
  const mo_plane *planes;
  uint32_t plane_count;
  const mo_overlap_def *def;
  const mo_filter *filter;
  bool triangles; /* of a scene: triangles, not shapes, are wanted */
} region;

/* A mesh or a scene. */
typedef struct region_subject {
  const mo_mesh *mesh;
  const mo_scene *scene;
} region_subject;

static const char *text_of(const region *q) {
  static _Thread_local char text[1024];
  int n = 0;
  switch (q->type) {
  case REGION_BOX:
    snprintf(text, sizeof text, "box {%a, %a, %a} to {%a, %a, %a}", (double)q->box.lower.x,
             (double)q->box.lower.y, (double)q->box.lower.z, (double)q->box.upper.x,
             (double)q->box.upper.y, (double)q->box.upper.z);
    break;
  case REGION_BALL:
    snprintf(text, sizeof text, "ball {%a, %a, %a} radius %a", (double)q->ball.center.x,
             (double)q->ball.center.y, (double)q->ball.center.z, (double)q->ball.radius);
    break;
  case REGION_POINT:
    snprintf(text, sizeof text, "point {%a, %a, %a}", (double)q->point.x, (double)q->point.y,
             (double)q->point.z);
    break;
  case REGION_PLANES:
    n = snprintf(text, sizeof text, "%u planes", q->plane_count);
    for (uint32_t i = 0; i < q->plane_count && n < 900; i++) {
      const mo_plane *p = &q->planes[i];
      n += snprintf(text + n, sizeof text - (size_t)n, " {%a, %a, %a, %a}", (double)p->normal.x,
                    (double)p->normal.y, (double)p->normal.z, (double)p->offset);
    }
    break;
  }
  return text;
}

static mo_result ask(region_subject s, const region *q, void *items, uint32_t capacity,
                     uint32_t *total, mo_query_stats *stats) {
  if (s.mesh != NULL) {
    switch (q->type) {
    case REGION_BOX:
      return mo_mesh_overlap_aabb(s.mesh, &q->box, items, capacity, total, stats);
    case REGION_BALL:
      return mo_mesh_overlap_sphere(s.mesh, &q->ball, items, capacity, total, stats);
    default:
      return mo_mesh_cull_planes(s.mesh, OF_PLANES(q->planes, q->plane_count, NULL), items,
                                 capacity, total, stats);
    }
  }
  switch (q->type) {
  case REGION_BOX:
    return q->triangles ? mo_scene_overlap_triangles(s.scene, IN_AABB(q->box, q->def), items,
                                                     capacity, total, stats)
                        : mo_scene_overlap_shapes(s.scene, IN_AABB(q->box, q->def), items, capacity,
                                                  total, stats);
  case REGION_BALL:
    return q->triangles ? mo_scene_overlap_triangles(s.scene, IN_SPHERE(q->ball, q->def), items,
                                                     capacity, total, stats)
                        : mo_scene_overlap_shapes(s.scene, IN_SPHERE(q->ball, q->def), items,
                                                  capacity, total, stats);
  case REGION_POINT:
    return mo_scene_overlap_shapes(s.scene, AT_POINT(q->point, q->def), items, capacity, total,
                                   stats);
  default:
    return mo_scene_cull_planes(s.scene, OF_PLANES(q->planes, q->plane_count, q->filter), items,
                                capacity, total, stats);
  }
}

/* Items are compared as bytes: none of their types has padding but mo_cull_result, which is as
 * large as mo_triangle_ref. */
static bool same_item(const region *q, const void *a, const void *b, size_t size) {
  if (q->type == REGION_PLANES && size == sizeof(mo_cull_result)) {
    const mo_cull_result *x = a, *y = b;
    return x->shape.index == y->shape.index && x->shape.generation == y->shape.generation &&
           x->inside == y->inside;
  }
  return memcmp(a, b, size) == 0;
}

static void print_item(const void *item, size_t size, char text[64]) {
  uint32_t words[4] = {0};
  int n = 0;
  memcpy(words, item, size < sizeof words ? size : sizeof words);
  for (size_t i = 0; i < size / 4; i++) {
    n += snprintf(text + n, 64 - (size_t)n, " %u", words[i]);
  }
}

static bool check_items(region_subject subject, uint32_t index, const region *q,
                        const oracle_list *expected, size_t size, uint32_t capacity) {
  char *items = malloc((capacity + 1) * size);
  memset(items, 0x5a, (capacity + 1) * size);
  uint32_t total = UINT32_MAX;
  mo_query_stats stats = {.mesh_node_count = 7};
  mo_result result = ask(subject, q, capacity ? items : NULL, capacity, &total, &stats);
  bool ok = true;
  if (result != MO_OK) {
    ok = check_failed("subject %u: %s for %s", index, mo_result_name(result), text_of(q));
  } else if (stats.mesh_node_count < 7) {
    ok = check_failed("statistics went back");
  } else if (total != expected->count) {
    ok = check_failed("subject %u, %s: expected %u, found %u", index, text_of(q), expected->count,
                      total);
  }
  for (uint32_t i = 0; i < capacity && i < expected->count && result == MO_OK; i++) {
    const char *wanted = (const char *)expected->items + i * size;
    if (!same_item(q, items + i * size, wanted, size)) {
      char left[64] = "", right[64] = "";
      print_item(wanted, size, left);
      print_item(items + i * size, size, right);
      ok = check_failed("subject %u, %s: expected %u, found %u; item %u: expected%s, found%s",
                        index, text_of(q), expected->count, total, i, left, right);
      break;
    }
  }
  for (size_t i = 0; ok && i < size; i++) {
    ok = items[capacity * size + i] == 0x5a || check_failed("wrote beyond the capacity");
  }
  free(items);
  return ok;
}

static bool check_region(region_subject subject, uint32_t index, const region *q,
                         const oracle_list *expected, size_t size) {
  return check_items(subject, index, q, expected, size, expected->count + 1) &&
         check_items(subject, index, q, expected, size, expected->count / 2) &&
         check_items(subject, index, q, expected, size, 0);
}

static bool check_meshes(const mo_mesh *const *meshes, uint32_t mesh_count, const region *q,
                         oracle_list *expected) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < mesh_count; i++) {
    ok = check_region((region_subject){.mesh = meshes[i]}, i, q, expected, sizeof(uint32_t));
  }
  oracle_list_free(expected);
  return ok;
}

bool check_mesh_aabb(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                     const mo_aabb *box) {
  oracle_list expected = {0};
  oracle_mesh_aabb(oracle, box, &expected);
  return check_meshes(meshes, mesh_count, &(region){.type = REGION_BOX, .box = *box}, &expected);
}

bool check_mesh_sphere(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                       const mo_sphere *sphere) {
  oracle_list expected = {0};
  oracle_mesh_sphere(oracle, sphere, &expected);
  return check_meshes(meshes, mesh_count, &(region){.type = REGION_BALL, .ball = *sphere},
                      &expected);
}

bool check_mesh_planes(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                       const mo_plane *planes, uint32_t plane_count) {
  oracle_list expected = {0};
  oracle_mesh_planes(oracle, planes, plane_count, &expected);
  region q = {.type = REGION_PLANES, .planes = planes, .plane_count = plane_count};
  return check_meshes(meshes, mesh_count, &q, &expected);
}

bool check_mesh_point(const mo_mesh *const *meshes, uint32_t mesh_count, const oracle_mesh *oracle,
                      mo_vec3 point) {
  bool expected = oracle_mesh_contains(oracle, point);
  for (uint32_t i = 0; i < mesh_count; i++) {
    bool inside = !expected;
    mo_result result = mo_mesh_contains_point(meshes[i], point, &inside, NULL);
    if (result != MO_OK || inside != expected) {
      region q = {.type = REGION_POINT, .point = point};
      return check_failed("subject %u, %s: %s, expected %d, found %d", i, text_of(&q),
                          mo_result_name(result), expected, inside);
    }
  }
  return true;
}

static bool check_scenes(const mo_scene *const *scenes, uint32_t scene_count, const region *q,
                         oracle_list *expected, size_t size) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < scene_count; i++) {
    ok = check_region((region_subject){.scene = scenes[i]}, i, q, expected, size);
  }
  oracle_list_free(expected);
  return ok;
}

bool check_scene_aabb(const mo_scene *const *scenes, uint32_t scene_count,
                      const oracle_scene *oracle, const mo_aabb *box, const mo_overlap_def *def) {
  region q = {.type = REGION_BOX, .box = *box, .def = def};
  oracle_list expected = {0};
  oracle_scene_aabb(oracle, box, def, &expected);
  if (!check_scenes(scenes, scene_count, &q, &expected, sizeof(mo_shape_id))) {
    return false;
  }
  q.triangles = true;
  oracle_scene_aabb_triangles(oracle, box, def, &expected);
  return check_scenes(scenes, scene_count, &q, &expected, sizeof(mo_triangle_ref));
}

bool check_scene_sphere(const mo_scene *const *scenes, uint32_t scene_count,
                        const oracle_scene *oracle, const mo_sphere *sphere,
                        const mo_overlap_def *def) {
  region q = {.type = REGION_BALL, .ball = *sphere, .def = def};
  oracle_list expected = {0};
  oracle_scene_sphere(oracle, sphere, def, &expected);
  if (!check_scenes(scenes, scene_count, &q, &expected, sizeof(mo_shape_id))) {
    return false;
  }
  q.triangles = true;
  oracle_scene_sphere_triangles(oracle, sphere, def, &expected);
  return check_scenes(scenes, scene_count, &q, &expected, sizeof(mo_triangle_ref));
}

bool check_scene_point(const mo_scene *const *scenes, uint32_t scene_count,
                       const oracle_scene *oracle, mo_vec3 point, const mo_overlap_def *def) {
  region q = {.type = REGION_POINT, .point = point, .def = def};
  oracle_list expected = {0};
  oracle_scene_point(oracle, point, def, &expected);
  return check_scenes(scenes, scene_count, &q, &expected, sizeof(mo_shape_id));
}

bool check_scene_planes(const mo_scene *const *scenes, uint32_t scene_count,
                        const oracle_scene *oracle, const mo_plane *planes, uint32_t plane_count,
                        const mo_filter *filter) {
  region q = {
      .type = REGION_PLANES, .planes = planes, .plane_count = plane_count, .filter = filter};
  oracle_list expected = {0};
  oracle_scene_planes(oracle, planes, plane_count, filter, &expected);
  return check_scenes(scenes, scene_count, &q, &expected, sizeof(mo_cull_result));
}
