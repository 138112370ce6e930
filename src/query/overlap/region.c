/* The public queries on a scene for shapes in regions: those with an overlap def, and those with
 * planes. */
#include "query/overlap/region.h"
#include "query/overlap/scene_overlap.h"
#include "query/overlap/slots.h"
#include "query/planes.h"

bool mo_scene_overlap_run(mo_scene_overlap *query) {
  return mo_scene_overlap_by_isa[query->scene->isa](query);
}

mo_aabb mo_scene_cull_box(const mo_scene *scene, mo_aabb box) {
  if (mo_aabb_is_empty(scene->root_bounds)) {
    return box;
  }
  return mo_region_grow(box, mo_aabb_max_coordinates(scene->root_bounds));
}

/* A query for shapes in a region. It puts them in a list, sets `found`, or calls a callback. The
 * struct is large, so only the needed members are initialised. */
typedef struct region_query {
  mo_prepared_region prepared;
  mo_bounded_list list; /* slots of the shapes that touch the region */
  bool found;
  /* The callback for shapes that touch the region. */
  bool (*visit)(mo_shape_id shape, uint64_t user_data, void *context);
  void *context;
} region_query;

static bool list_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  region_query *q = context;
  if (mo_prepared_region_touches(&q->prepared, slot, bounds)) {
    mo_slot_list_add(&q->list, slot);
  }
  return true;
}

static bool stop_at_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  region_query *q = context;
  q->found = mo_prepared_region_touches(&q->prepared, slot, bounds);
  return !q->found;
}

/* A shape that is certainly inside is not tested, except one that may be empty. */
static bool report_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  region_query *q = context;
  const mo_scene *scene = q->prepared.scene;
  if ((inside && !(scene->traits[slot] & MO_TRAITS_MAYBE_EMPTY)) ||
      mo_prepared_region_touches(&q->prepared, slot, bounds)) {
    return q->visit(mo_shape_id_of(scene, slot), scene->shapes[slot].user_data, q->context);
  }
  return true;
}

mo_result mo_overlap_call_run(const mo_overlap_call *call, bool about_triangles,
                              mo_prepared_region *q, mo_scene_overlap *overlap) {
  const mo_scene *scene = call->scene;
  const mo_overlap_def *def = call->def;
  if (scene == NULL || def == NULL || call->missing != NULL) {
    return mo_refuse_null(mo_scene_host(scene), call->function,
                          def == NULL ? "def" : call->missing);
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, call->function, "def");
  mo_prepared_primitive primitive;
  mo_result result = mo_overlap_def_check(def, &refusal, about_triangles, &primitive);
  if (result != MO_OK) {
    return result;
  }
  const mo_precision precision = about_triangles ? MO_PRECISION_GEOMETRY : def->precision;
  mo_query_stats counts = mo_stats_begin(call->stats);
  mo_prepared_region_of_def(q, scene, def, &primitive, precision);
  q->stats = overlap->stats = &counts;
  overlap->filter = &def->filter;
  overlap->visit_reads_records |= precision == MO_PRECISION_GEOMETRY;
  mo_prepared_region_set_culling(q, overlap);
  mo_scene_overlap_run(overlap);
  mo_stats_end(&counts, call->stats);
  return MO_OK;
}

mo_result mo_scene_overlap_shapes(const mo_scene *scene, const mo_overlap_def *def,
                                  mo_shape_id *shapes, uint32_t capacity, uint32_t *total,
                                  mo_query_stats *stats) {
  const mo_overlap_call call = {__func__, scene, def,
                                mo_missing_of_list(shapes, capacity, "shapes", total), stats};
  region_query q;
  q.list = mo_bounded_make(shapes, capacity);
  mo_scene_overlap overlap = {.surely_touching_slots = &q.list, .visit = list_shape, .context = &q};
  mo_result result = mo_overlap_call_run(&call, false, &q.prepared, &overlap);
  if (result == MO_OK) {
    mo_slot_list_write_ids(&q.list, scene, shapes);
    *total = q.list.total;
  }
  return result;
}

mo_result mo_scene_test_overlap(const mo_scene *scene, const mo_overlap_def *def, bool *found,
                                mo_query_stats *stats) {
  const mo_overlap_call call = {__func__, scene, def, found == NULL ? "found" : NULL, stats};
  region_query q;
  q.found = false;
  mo_scene_overlap overlap = {.may_end_early = true, .visit = stop_at_shape, .context = &q};
  mo_result result = mo_overlap_call_run(&call, false, &q.prepared, &overlap);
  if (result == MO_OK) {
    *found = q.found;
  }
  return result;
}

mo_result mo_scene_visit_overlaps(const mo_scene *scene, const mo_overlap_def *def,
                                  bool (*visit)(mo_shape_id shape, uint64_t user_data,
                                                void *context),
                                  void *context, mo_query_stats *stats) {
  const mo_overlap_call call = {__func__, scene, def, visit == NULL ? "visit" : NULL, stats};
  region_query q;
  q.visit = visit;
  q.context = context;
  mo_scene_overlap overlap = {.visit_reads_records = true, .visit = report_shape, .context = &q};
  return mo_overlap_call_run(&call, false, &q.prepared, &overlap);
}

/* --- children of compounds --- */

static bool ref_before(const void *a, const void *b) {
  const mo_child_ref *x = a, *y = b;
  return x->shape.index != y->shape.index ? x->shape.index < y->shape.index : x->child < y->child;
}

/* Adds a shape or child to the list, which is one of mo_child_ref. */
static void list_ref(region_query *q, uint32_t slot, uint32_t child) {
  const mo_child_ref ref = {mo_shape_id_of(q->prepared.scene, slot), child};
  mo_bounded_offer(&q->list, &ref, sizeof ref, ref_before);
}

static bool list_child(const mo_placed_child *child, void *context) {
  list_ref(context, child->slot, child->number);
  return true;
}

static bool list_shape_or_children(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  region_query *q = context;
  mo_prepared_region *region = &q->prepared;
  if (region->precision == MO_PRECISION_GEOMETRY &&
      region->scene->shapes[slot].geometry.type == MO_SHAPE_COMPOUND) {
    const mo_region_children children = {region, true, list_child, q};
    mo_region_visit_children(&children, slot);
  } else if (mo_prepared_region_touches(region, slot, bounds)) {
    list_ref(q, slot, 0);
  }
  return true;
}

mo_result mo_scene_overlap_children(const mo_scene *scene, const mo_overlap_def *def,
                                    mo_child_ref *children, uint32_t capacity, uint32_t *total,
                                    mo_query_stats *stats) {
  const mo_overlap_call call = {__func__, scene, def,
                                mo_missing_of_list(children, capacity, "children", total), stats};
  region_query q;
  q.list = mo_bounded_make(children, capacity);
  mo_scene_overlap overlap = {.visit = list_shape_or_children, .context = &q};
  mo_result result = mo_overlap_call_run(&call, false, &q.prepared, &overlap);
  if (result == MO_OK) {
    mo_bounded_sort(&q.list, sizeof *children, ref_before);
    *total = q.list.total;
  }
  return result;
}

/* --- planes --- */

typedef struct plane_query {
  mo_prepared_region prepared;
  mo_bounded_list list; /* slots of the shapes found, flagged if not inside all planes */
} plane_query;

static bool list_shape_in_planes(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  plane_query *q = context;
  const mo_region *region = &q->prepared.region;
  if (inside || mo_planes_touch(region->planes, region->plane_count, bounds)) {
    inside = inside || mo_planes_contain(region->planes, region->plane_count, bounds);
    mo_slot_list_add(&q->list, inside ? slot : slot | MO_SLOT_NOT_INSIDE_FLAG);
  }
  return true;
}

mo_result mo_scene_cull_planes(const mo_scene *scene, const mo_cull_def *def,
                               mo_cull_result *shapes, uint32_t capacity, uint32_t *total,
                               mo_query_stats *stats) {
  const char *missing = def == NULL ? "def" : mo_missing_of_list(shapes, capacity, "shapes", total);
  if (scene == NULL || missing != NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, missing);
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_result result = mo_check_cull_def(def, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  const mo_region region = {
      .kind = MO_REGION_PLANES, .planes = def->planes, .plane_count = def->plane_count};
  plane_query q = {mo_prepared_region_of(scene, &region, MO_PRECISION_BOUNDS),
                   mo_bounded_make(shapes, capacity)};
  mo_scene_overlap overlap = {
      .filter = &def->filter,
      .stats = &counts,
      .surely_touching_slots = &q.list,
      .visit = list_shape_in_planes,
      .context = &q,
  };
  mo_prepared_region_set_culling(&q.prepared, &overlap);
  mo_scene_overlap_run(&overlap);
  const uint32_t *sorted = mo_slot_list_sort(&q.list, sizeof *shapes);
  for (uint32_t i = 0; i < q.list.count; i++) {
    uint32_t key = sorted[i];
    mo_shape_id id = mo_shape_id_of(scene, key & ~MO_SLOT_NOT_INSIDE_FLAG);
    shapes[i] = (mo_cull_result){id, !(key & MO_SLOT_NOT_INSIDE_FLAG)};
  }
  *total = q.list.total;
  mo_stats_end(&counts, stats);
  return MO_OK;
}
