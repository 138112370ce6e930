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

/* A region, and what was found of it. */
typedef struct regional {
  mo_regional of;
  mo_bounded list; /* of slots, or of mo_triangle_ref */
  uint32_t slot;   /* the mesh shape that triangles are reported for */
  bool found;      /* of a test: some shape touches the region */
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

/* `primitive` is made ready if the region is one. */
static mo_result check_region(const mo_overlap_def *def, const mo_refusal *refusal,
                              mo_prepared_primitive *primitive) {
  mo_refusal within = mo_refusal_in(refusal, ".primitive", MO_NO_INDEX);
  mo_refusal box = mo_refusal_in(refusal, ".box", MO_NO_INDEX);
  mo_refusal sphere = mo_refusal_in(refusal, ".sphere", MO_NO_INDEX);
  switch (def->type) {
  case MO_OVERLAP_AABB:
    return mo_check_aabb(&def->box, &box);
  case MO_OVERLAP_SPHERE:
    return mo_check_sphere(&def->sphere, &sphere);
  case MO_OVERLAP_POINT:
    return mo_check_point(def->point, refusal, ".point");
  case MO_OVERLAP_PRIMITIVE:
    return mo_primitive_prepare(primitive, &def->primitive, &within);
  }
  return mo_check_choice((unsigned)def->type, MO_OVERLAP_PRIMITIVE, refusal, ".type");
}

static mo_result check(const mo_overlap_def *def, const mo_refusal *refusal,
                       mo_prepared_primitive *primitive) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_overlap_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK) {
    result = mo_check_choice((unsigned)def->precision, MO_PRECISION_BOUNDS, refusal, ".precision");
  }
  return result == MO_OK ? check_region(def, refusal, primitive) : result;
}

static mo_regional region_of(const mo_scene *scene, const mo_overlap_def *def,
                             const mo_prepared_primitive *primitive, mo_precision precision) {
  switch (def->type) {
  case MO_OVERLAP_AABB:
    return mo_regional_box(scene, def->box, precision);
  case MO_OVERLAP_SPHERE:
    return mo_regional_ball(scene, def->sphere, precision);
  case MO_OVERLAP_POINT:
    return mo_regional_point(scene, def->point, precision);
  case MO_OVERLAP_PRIMITIVE:
    break;
  }
  return mo_regional_primitive(scene, primitive, precision);
}

/* Finds what overlaps; of `overlap`, what is to be done with shapes is set. */
static void run(regional *q, const mo_overlap_def *def, mo_scene_overlap *overlap,
                mo_query_stats *stats) {
  mo_query_stats counts = mo_stats_begin(stats);
  q->of.stats = &counts;
  overlap->filter = &def->filter;
  overlap->stats = &counts;
  overlap->context = q;
  mo_regional_cull(&q->of, overlap);
  mo_scene_overlap_run(overlap);
  mo_stats_end(&counts, stats);
}

mo_result mo_scene_overlap_shapes(const mo_scene *scene, const mo_overlap_def *def,
                                  mo_shape_id *shapes, uint32_t capacity, uint32_t *total,
                                  mo_query_stats *stats) {
  if (scene == NULL || def == NULL || total == NULL || (capacity > 0 && shapes == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__,
                          def == NULL     ? "def"
                          : total == NULL ? "total"
                                          : "shapes");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_prepared_primitive primitive;
  mo_result result = check(def, &refusal, &primitive);
  if (result != MO_OK) {
    return result;
  }
  regional q = {.of = region_of(scene, def, &primitive, def->precision),
                .list = mo_bounded_make(shapes, capacity)};
  mo_scene_overlap overlap = {
      .records = def->precision == MO_PRECISION_GEOMETRY,
      .found = &q.list,
      .visit = visit_shape,
  };
  run(&q, def, &overlap, stats);
  mo_slots_write_ids(&q.list, scene, shapes);
  *total = q.list.total;
  return MO_OK;
}

mo_result mo_scene_overlap_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                     mo_triangle_ref *triangles, uint32_t capacity, uint32_t *total,
                                     mo_query_stats *stats) {
  if (scene == NULL || def == NULL || total == NULL || (capacity > 0 && triangles == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__,
                          def == NULL     ? "def"
                          : total == NULL ? "total"
                                          : "triangles");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_prepared_primitive primitive;
  mo_result result = check(def, &refusal, &primitive);
  if (result == MO_OK && def->type == MO_OVERLAP_POINT) {
    result = mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, ".type is MO_OVERLAP_POINT");
  }
  if (result != MO_OK) {
    return result;
  }
  regional q = {.of = region_of(scene, def, &primitive, MO_PRECISION_GEOMETRY),
                .list = mo_bounded_make(triangles, capacity)};
  mo_scene_overlap overlap = {
      .records = true,
      .visit = visit_triangles,
  };
  run(&q, def, &overlap, stats);
  mo_bounded_sort(&q.list, sizeof *triangles, ref_before);
  *total = q.list.total;
  return MO_OK;
}

static bool find_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  regional *q = context;
  q->found = mo_regional_touches(&q->of, slot, bounds);
  return !q->found;
}

mo_result mo_scene_test_overlap(const mo_scene *scene, const mo_overlap_def *def, bool *found,
                                mo_query_stats *stats) {
  if (scene == NULL || def == NULL || found == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def == NULL ? "def" : "found");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_prepared_primitive primitive;
  mo_result result = check(def, &refusal, &primitive);
  if (result != MO_OK) {
    return result;
  }
  regional q = {.of = region_of(scene, def, &primitive, def->precision)};
  mo_scene_overlap overlap = {
      .eager = true,
      .records = def->precision == MO_PRECISION_GEOMETRY,
      .visit = find_shape,
  };
  run(&q, def, &overlap, stats);
  *found = q.found;
  return MO_OK;
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

mo_result mo_scene_cull_planes(const mo_scene *scene, const mo_cull_def *def,
                               mo_cull_result *shapes, uint32_t capacity, uint32_t *total,
                               mo_query_stats *stats) {
  if (scene == NULL || def == NULL || total == NULL || (capacity > 0 && shapes == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__,
                          def == NULL     ? "def"
                          : total == NULL ? "total"
                                          : "shapes");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_result result = mo_check_cull_def(def, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  planar q = {mo_regional_planes(scene, def->planes, def->plane_count),
              mo_slots_make(shapes, capacity)};
  mo_scene_overlap overlap = {
      .filter = &def->filter,
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
