/* The public queries on a scene for triangles: in regions, of a shape, one by one. */
#include "base/key_sort.h"
#include "query/overlap/region.h"

static bool ref_before(const void *a, const void *b) {
  const mo_triangle_ref *x = a, *y = b;
  return x->shape.index != y->shape.index ? x->shape.index < y->shape.index
         : x->child != y->child           ? x->child < y->child
                                          : x->triangle < y->triangle;
}

/* Parts of a list with this many triangles are radix-sorted, which causes far fewer branch
 * mispredictions than comparisons; more would need too much of the stack. */
enum { TRIANGLES_PER_RADIX_SORT = 1024 };

/* Sorts triangle references without children by slot and triangle; the generations of their shape
 * ids are not set yet. */
static void radix_sort_refs(char *items, uint32_t count) {
  uint64_t keys[TRIANGLES_PER_RADIX_SORT], scratch[TRIANGLES_PER_RADIX_SORT];
  mo_triangle_ref *refs = (mo_triangle_ref *)(void *)items;
  for (uint32_t i = 0; i < count; i++) {
    keys[i] = (uint64_t)refs[i].shape.index << 32 | refs[i].triangle;
  }
  mo_keys_sort(keys, scratch, count);
  for (uint32_t i = 0; i < count; i++) {
    refs[i] = (mo_triangle_ref){{(uint32_t)(keys[i] >> 32), 0}, (uint32_t)keys[i], 0};
  }
}

static void sort_refs(const mo_scene *scene, mo_bounded_list *list) {
  if (scene->compound_count == 0) {
    mo_bounded_sort_with(list, sizeof(mo_triangle_ref), ref_before, TRIANGLES_PER_RADIX_SORT,
                         radix_sort_refs);
  } else {
    mo_bounded_sort(list, sizeof(mo_triangle_ref), ref_before);
  }
  mo_triangle_ref *refs = list->items;
  for (uint32_t i = 0; i < list->count; i++) {
    refs[i].shape = mo_shape_id_of(scene, refs[i].shape.index);
  }
}

/* A query for triangles in a region. It puts them in a list, sets `ended`, or calls a callback. The
 * struct is large, so only the needed members are initialised. */
typedef struct region_query {
  mo_prepared_region prepared;
  /* Called for each triangle; `context` is this struct, or `ended` for mo_set_found_and_stop. */
  bool (*report)(uint32_t triangle, void *context);
  /* Slot of the shape whose triangles are reported, and the child of it, or null. */
  uint32_t slot;
  const mo_placed_child *child;
  mo_bounded_list list; /* the triangles found, as mo_triangle_ref */
  bool (*visit)(const mo_triangle *triangle, void *context);
  void *context;
  bool ended; /* a report has ended the query */
} region_query;

static bool list_triangle(uint32_t triangle, void *context) {
  region_query *q = context;
  mo_triangle_ref ref = {{q->slot, 0}, triangle, mo_child_number(q->child)};
  mo_bounded_offer(&q->list, &ref, sizeof ref, ref_before);
  return true;
}

static mo_triangle triangle_of(const mo_scene *scene, uint32_t slot, const mo_placed_child *child,
                               uint32_t index) {
  const mo_shape *shape = mo_tested_shape(scene, slot, child);
  mo_triangle triangle = mo_triangle_of(shape->geometry.mesh, index, &shape->affine);
  triangle.shape = mo_shape_id_of(scene, slot);
  triangle.child = mo_child_number(child);
  triangle.user_data = shape->user_data;
  return triangle;
}

static bool report_triangle(uint32_t index, void *context) {
  region_query *q = context;
  mo_triangle triangle = triangle_of(q->prepared.scene, q->slot, q->child, index);
  q->ended = !q->visit(&triangle, q->context);
  return !q->ended;
}

/* Reports the triangles of a mesh shape, or child, in the region. */
static void visit_mesh(region_query *q, uint32_t slot, const mo_placed_child *child) {
  const mo_scene *scene = q->prepared.scene;
  const mo_shape *shape = mo_tested_shape(scene, slot, child);
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, &q->prepared.region, &shape->affine, q->prepared.stats);
  overlap.triangle_filter = q->prepared.triangle_filter;
  overlap.shape = mo_shape_id_of(scene, slot);
  overlap.child = mo_child_number(child);
  overlap.report = q->report;
  overlap.context = q->report == mo_set_found_and_stop ? (void *)&q->ended : q;
  q->slot = slot;
  q->child = child;
  mo_mesh_overlap_run(mesh, scene->isa, &overlap);
}

static bool visit_child(const mo_placed_child *child, void *context) {
  region_query *q = context;
  if (child->shape.geometry.type == MO_SHAPE_MESH) {
    visit_mesh(q, child->slot, child);
  }
  return !q->ended;
}

static bool visit_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)bounds;
  (void)inside;
  region_query *q = context;
  switch (q->prepared.scene->shapes[slot].geometry.type) {
  case MO_SHAPE_MESH:
    visit_mesh(q, slot, NULL);
    break;
  case MO_SHAPE_COMPOUND: {
    const mo_region_children children = {&q->prepared, false, visit_child, q};
    mo_region_visit_children(&children, slot);
    break;
  }
    MO_CASES_OF_BODIES
    break;
  }
  return !q->ended;
}

static mo_result run_query(region_query *q, const mo_overlap_call *call) {
  q->ended = false;
  mo_scene_overlap overlap = {
      .may_end_early = q->report == mo_set_found_and_stop, .visit = visit_shape, .context = q};
  return mo_overlap_call_run(call, true, &q->prepared, &overlap);
}

mo_result mo_scene_overlap_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                     mo_triangle_ref *triangles, uint32_t capacity, uint32_t *total,
                                     mo_query_stats *stats) {
  const mo_overlap_call call = {__func__, scene, def,
                                mo_missing_of_list(triangles, capacity, "triangles", total), stats};
  region_query q;
  q.report = list_triangle;
  q.list = mo_bounded_make(triangles, capacity);
  mo_result result = run_query(&q, &call);
  if (result == MO_OK) {
    sort_refs(scene, &q.list);
    *total = q.list.total;
  }
  return result;
}

mo_result mo_scene_test_triangles(const mo_scene *scene, const mo_overlap_def *def, bool *found,
                                  mo_query_stats *stats) {
  const mo_overlap_call call = {__func__, scene, def, found == NULL ? "found" : NULL, stats};
  region_query q;
  q.report = mo_set_found_and_stop;
  mo_result result = run_query(&q, &call);
  if (result == MO_OK) {
    *found = q.ended;
  }
  return result;
}

mo_result mo_scene_visit_triangles(const mo_scene *scene, const mo_overlap_def *def,
                                   bool (*visit)(const mo_triangle *triangle, void *context),
                                   void *context, mo_query_stats *stats) {
  const mo_overlap_call call = {__func__, scene, def, visit == NULL ? "visit" : NULL, stats};
  region_query q;
  q.report = report_triangle;
  q.visit = visit;
  q.context = context;
  return run_query(&q, &call);
}

/* --- triangles of one shape, given by an unchecked id --- */

static bool is_placement(const mo_scene *scene, mo_shape_id id) {
  return mo_shape_is_known(scene, id) && mo_slot_is_compound(scene, id.index);
}

static mo_result check_mesh(const mo_scene *scene, const mo_refusal *refusal, mo_shape_id id) {
  if (!mo_shape_is_known(scene, id)) {
    return mo_refuse_id(refusal, id.index, id.generation);
  }
  return mo_type_traits(scene->shapes[id.index].geometry.type) & MO_TYPE_HAS_TRIANGLES
             ? MO_OK
             : mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, " is neither a mesh nor a compound");
}

/* Finds the child of a compound that a reference names, which must be a mesh. */
static mo_result find_child(const mo_scene *scene, const mo_refusal *refusal, mo_triangle_ref ref,
                            mo_placed_child *child) {
  if (!mo_child_find(scene, ref.shape.index, ref.child, child)) {
    return mo_refuse(refusal, MO_ERROR_INVALID_INDEX, ".child is %u, which does not exist",
                     ref.child);
  }
  return child->shape.geometry.type == MO_SHAPE_MESH
             ? MO_OK
             : mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".child is no mesh");
}

mo_result mo_scene_get_triangle(const mo_scene *scene, mo_triangle_ref ref, mo_triangle *triangle) {
  if (scene == NULL || triangle == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "triangle");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "ref");
  mo_refusal shape = mo_refusal_in(&refusal, ".shape", MO_NO_INDEX);
  mo_placed_child memory;
  const mo_placed_child *child = NULL;
  mo_result result = MO_OK;
  if (is_placement(scene, ref.shape)) {
    result = find_child(scene, &refusal, ref, &memory);
    child = &memory;
  } else {
    result = check_mesh(scene, &shape, ref.shape);
  }
  if (result != MO_OK) {
    return result;
  }
  const mo_mesh *mesh = mo_tested_shape(scene, ref.shape.index, child)->geometry.mesh;
  if (!mo_mesh_has_triangle(mesh, ref.triangle)) {
    return ref.triangle < mesh->triangle_count
               ? mo_refuse(&refusal, MO_ERROR_INVALID_INDEX, ".triangle is %u, which %s",
                           ref.triangle, mo_mesh_missing_reason(mesh))
               : mo_refuse(&refusal, MO_ERROR_INVALID_INDEX, ".triangle is %u of %u", ref.triangle,
                           mesh->triangle_count);
  }
  *triangle = triangle_of(scene, ref.shape.index, child, ref.triangle);
  return MO_OK;
}

/* A visit of all triangles of a shape. */
typedef struct shape_visit {
  const mo_scene *scene;
  uint32_t slot;
  bool (*visit)(const mo_triangle *triangle, void *context);
  void *context;
} shape_visit;

/* Visits the triangles of a mesh shape, or child; false if the visit was ended. */
static bool visit_all_triangles(const shape_visit *v, const mo_placed_child *child) {
  const mo_mesh *mesh = mo_tested_shape(v->scene, v->slot, child)->geometry.mesh;
  bool goes_on = true;
  for (uint32_t i = 0; i < mesh->triangle_count && goes_on; i++) {
    if (mo_mesh_has_triangle(mesh, i)) {
      const mo_triangle triangle = triangle_of(v->scene, v->slot, child, i);
      goes_on = v->visit(&triangle, v->context);
    }
  }
  return goes_on;
}

/* Visits the triangles of the meshes among the children of a placement. */
static void visit_triangles_of_children(const shape_visit *v) {
  const mo_compound *compound = v->scene->shapes[v->slot].geometry.compound;
  bool goes_on = true;
  for (uint32_t number = 0; number < compound->child_number_count && goes_on; number++) {
    mo_placed_child child;
    if (mo_child_find(v->scene, v->slot, number, &child) &&
        child.shape.geometry.type == MO_SHAPE_MESH) {
      goes_on = visit_all_triangles(v, &child);
    }
  }
}

mo_result mo_scene_visit_shape_triangles(const mo_scene *scene, mo_shape_id id,
                                         bool (*visit)(const mo_triangle *triangle, void *context),
                                         void *context) {
  if (scene == NULL || visit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "visit");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "id");
  const shape_visit all = {scene, id.index, visit, context};
  if (is_placement(scene, id)) {
    visit_triangles_of_children(&all);
    return MO_OK;
  }
  const mo_result result = check_mesh(scene, &refusal, id);
  if (result == MO_OK) {
    visit_all_triangles(&all, NULL);
  }
  return result;
}
