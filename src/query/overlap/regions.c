/* The public region queries on a scene: boxes, balls, points, planes. */
#include "query/overlap/region.h"
#include "query/overlap/scene_overlap.h"
#include "query/overlap/slots.h"
#include "query/planes.h"

bool mo_scene_overlap_run(mo_scene_overlap *query) {
  static bool (*const overlap[MO_ISA_COUNT])(mo_scene_overlap *) = MO_ISA_TABLE(mo_scene_overlap);
  return overlap[query->scene->isa](query);
}

mo_aabb mo_scene_cull_box(const mo_scene *scene, mo_aabb box) {
  if (mo_aabb_is_empty(scene->root_bounds)) {
    return box;
  }
  return mo_region_grow(box, mo_aabb_reach(scene->root_bounds));
}

static bool ref_before(const void *a, const void *b) {
  const mo_triangle_ref *x = a, *y = b;
  return x->shape.index != y->shape.index ? x->shape.index < y->shape.index
                                          : x->triangle < y->triangle;
}

/* A region query: what is asked, and where the answers go. */
typedef struct regional {
  mo_regional of;
  mo_bounded list; /* of slots, or of mo_triangle_ref */
  uint32_t slot;   /* the mesh shape that triangles are reported for */
} regional;

static bool visit_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  regional *q = context;
  if (mo_regional_touches(&q->of, slot, bounds)) {
    mo_slots_add(&q->list, slot);
  }
  return true;
}

static bool offer_triangle(uint32_t triangle, void *context) {
  regional *q = context;
  mo_triangle_ref ref = {mo_shape_id_of(q->of.scene, q->slot), triangle};
  mo_bounded_offer(&q->list, &ref, sizeof ref, ref_before);
  return true;
}

static bool visit_triangles(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)bounds;
  (void)inside;
  regional *q = context;
  const mo_shape *shape = &q->of.scene->shapes[slot];
  if (shape->geometry.type == MO_SHAPE_MESH) {
    const mo_mesh *mesh = shape->geometry.mesh;
    mo_mesh_overlap overlap;
    mo_mesh_overlap_init(&overlap, mesh, &q->of.region, &shape->affine, q->of.stats);
    overlap.report = offer_triangle;
    overlap.context = q;
    q->slot = slot;
    mo_mesh_overlap_kernels_for(q->of.scene->isa, mesh)->overlap(mesh, &overlap);
  }
  return true;
}

static mo_result check_def(const mo_scene *scene, const char *function, const mo_overlap_def *def) {
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "def");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_overlap_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, &refusal, ".filter");
  }
  return result == MO_OK ? mo_check_choice((unsigned)def->precision, MO_PRECISION_BOUNDS, &refusal,
                                           ".precision")
                         : result;
}

/* Runs a query over shapes (ids) or over triangles (refs). */
static mo_result run(regional *q, const char *function, const mo_overlap_def *def, bool triangles,
                     void *items, uint32_t capacity, uint32_t *total, mo_query_stats *stats) {
  if (total == NULL || (capacity > 0 && items == NULL)) {
    const char *list = triangles ? "triangles" : "shapes";
    return mo_refuse_null(&q->of.scene->host, function, total == NULL ? "total" : list);
  }
  mo_overlap_def defaults = mo_default_overlap_def();
  def = def != NULL ? def : &defaults;
  mo_result result = check_def(q->of.scene, function, def);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  q->of.precision = triangles ? MO_PRECISION_GEOMETRY : def->precision;
  q->of.stats = &counts;
  q->list = mo_bounded_make(items, capacity);
  mo_scene_overlap overlap = {
      .filter = &def->filter,
      .stats = &counts,
      .records = q->of.precision == MO_PRECISION_GEOMETRY,
      .found = triangles ? NULL : &q->list,
      .visit = triangles ? visit_triangles : visit_shape,
      .context = q,
  };
  mo_regional_cull(&q->of, &overlap);
  mo_scene_overlap_run(&overlap);
  if (triangles) {
    mo_bounded_sort(&q->list, sizeof(mo_triangle_ref), ref_before);
  } else {
    mo_slots_write_ids(&q->list, q->of.scene, items);
  }
  *total = q->list.total;
  mo_stats_end(&counts, stats);
  return MO_OK;
}

static mo_result run_box(const mo_scene *scene, const char *function, const mo_aabb *box,
                         const mo_overlap_def *def, bool triangles, void *items, uint32_t capacity,
                         uint32_t *total, mo_query_stats *stats) {
  if (scene == NULL || box == NULL) {
    return mo_refuse_null(mo_scene_host(scene), function, "box");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "box");
  mo_result result = mo_check_aabb(box, &refusal);
  if (result != MO_OK) {
    return result;
  }
  regional q = {.of = mo_regional_box(scene, *box)};
  return run(&q, function, def, triangles, items, capacity, total, stats);
}

static mo_result run_ball(const mo_scene *scene, const char *function, const mo_sphere *sphere,
                          const mo_overlap_def *def, bool triangles, void *items, uint32_t capacity,
                          uint32_t *total, mo_query_stats *stats) {
  if (scene == NULL || sphere == NULL) {
    return mo_refuse_null(mo_scene_host(scene), function, "sphere");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "sphere");
  mo_result result = mo_check_sphere(sphere, &refusal);
  if (result != MO_OK) {
    return result;
  }
  regional q = {.of = mo_regional_ball(scene, *sphere)};
  return run(&q, function, def, triangles, items, capacity, total, stats);
}

mo_result mo_scene_overlap_aabb(const mo_scene *scene, const mo_aabb *box,
                                const mo_overlap_def *def, mo_shape_id *shapes, uint32_t capacity,
                                uint32_t *total, mo_query_stats *stats) {
  return run_box(scene, __func__, box, def, false, shapes, capacity, total, stats);
}

mo_result mo_scene_overlap_aabb_triangles(const mo_scene *scene, const mo_aabb *box,
                                          const mo_overlap_def *def, mo_triangle_ref *triangles,
                                          uint32_t capacity, uint32_t *total,
                                          mo_query_stats *stats) {
  return run_box(scene, __func__, box, def, true, triangles, capacity, total, stats);
}

mo_result mo_scene_overlap_sphere(const mo_scene *scene, const mo_sphere *sphere,
                                  const mo_overlap_def *def, mo_shape_id *shapes, uint32_t capacity,
                                  uint32_t *total, mo_query_stats *stats) {
  return run_ball(scene, __func__, sphere, def, false, shapes, capacity, total, stats);
}

mo_result mo_scene_overlap_sphere_triangles(const mo_scene *scene, const mo_sphere *sphere,
                                            const mo_overlap_def *def, mo_triangle_ref *triangles,
                                            uint32_t capacity, uint32_t *total,
                                            mo_query_stats *stats) {
  return run_ball(scene, __func__, sphere, def, true, triangles, capacity, total, stats);
}

mo_result mo_scene_overlap_point(const mo_scene *scene, mo_vec3 point, const mo_overlap_def *def,
                                 mo_shape_id *shapes, uint32_t capacity, uint32_t *total,
                                 mo_query_stats *stats) {
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "point");
  mo_result result = mo_check_point(point, &refusal, "");
  if (result != MO_OK) {
    return result;
  }
  regional q = {.of = mo_regional_point(scene, point)};
  return run(&q, __func__, def, false, shapes, capacity, total, stats);
}

/* Planes. */

typedef struct planar {
  mo_regional of;
  mo_bounded list; /* of slots, flagged unless they are inside */
} planar;

static bool visit_culled(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  planar *q = context;
  const mo_region *region = &q->of.region;
  if (inside || mo_planes_touch(region->planes, region->plane_count, bounds)) {
    inside = inside || mo_planes_contain(region->planes, region->plane_count, bounds);
    mo_slots_add(&q->list, inside ? slot : slot | MO_SLOT_FLAG);
  }
  return true;
}

mo_result mo_scene_cull_planes(const mo_scene *scene, const mo_plane *planes, uint32_t plane_count,
                               const mo_filter *filter, mo_cull_result *shapes, uint32_t capacity,
                               uint32_t *total, mo_query_stats *stats) {
  if (scene == NULL || total == NULL || (capacity > 0 && shapes == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__, total == NULL ? "total" : "shapes");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "");
  mo_result result = mo_check_planes(planes, plane_count, &refusal, "planes");
  if (result == MO_OK && filter != NULL) {
    result = mo_check_filter(filter, &refusal, "filter");
  }
  if (result != MO_OK) {
    return result;
  }
  mo_filter all = mo_default_filter();
  mo_query_stats counts = mo_stats_begin(stats);
  planar q = {mo_regional_planes(scene, planes, plane_count), mo_slots_make(shapes, capacity)};
  mo_scene_overlap overlap = {
      .filter = filter != NULL ? filter : &all,
      .stats = &counts,
      .found = &q.list,
      .visit = visit_culled,
      .context = &q,
  };
  mo_regional_cull(&q.of, &overlap);
  mo_scene_overlap_run(&overlap);
  const uint32_t *sorted = mo_slots_sort(&q.list, sizeof *shapes);
  for (uint32_t i = 0; i < q.list.count; i++) {
    uint32_t key = sorted[i];
    mo_shape_id id = mo_shape_id_of(scene, key & ~MO_SLOT_FLAG);
    shapes[i] = (mo_cull_result){id, !(key & MO_SLOT_FLAG)};
  }
  *total = q.list.total;
  mo_stats_end(&counts, stats);
  return MO_OK;
}
