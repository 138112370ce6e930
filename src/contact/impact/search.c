/* Continuous collision in a scene: finds the first impact of each mover, or all its crossings, in
 * parallel tasks. First all movers are checked and their swept boxes computed. Then each mover is
 * tested on its own, against the shapes along its path that are not movers, and against the movers
 * whose swept boxes touch its own. */
#include "base/assert.h"
#include "base/tasks.h"
#include "contact/impact/impact.h"
#include "scene/bodies/bodies.h"
#include "scene/shapes/shape.h"

mo_impact_search mo_default_impact_search(void) {
  return (mo_impact_search){.def = mo_default_impact_def(), .cookie = MO_COOKIE};
}

static bool is_sensor(const mo_impact_search *search, const mo_shape *shape) {
  return shape->geometry.type == MO_SHAPE_VOLUME ||
         (shape->category & search->sensor_categories) != 0;
}

static bool is_ignored(const mo_scene *scene, mo_shape_id ignore, uint32_t slot) {
  return ignore.index == slot && ignore.generation == scene->generations[slot];
}

/* Whether filters and the kinds of both shapes allow impacts or crossings of the mover with a
 * shape; of a compound, with some child. */
static bool may_have_impact(const mo_impact_finder *f, uint32_t slot) {
  const mo_scene *scene = f->scene;
  uint32_t own = f->mover->slot;
  const mo_shape *mover = &scene->shapes[own], *other = &scene->shapes[slot];
  bool has_sensor = is_sensor(f->search, other) || is_sensor(f->search, mover);
  bool has_children = mo_slot_is_compound(scene, slot) || mo_slot_is_compound(scene, own);
  if (slot == own || (!has_children && has_sensor != (f->crossings != NULL)) ||
      !mo_shapes_pass_each_other(mover, other) || is_ignored(scene, f->ignore, slot) ||
      mo_slots_share_rigid_body(scene, own, slot) ||
      (mo_slot_is_immovable(scene, own) && mo_slot_is_immovable(scene, slot))) {
    return false;
  }
  const mo_impact_search *search = f->search;
  if (search->accept == NULL) {
    return true;
  }
  bool in_order = own < slot;
  const mo_pair pair = {mo_shape_id_of(scene, in_order ? own : slot),
                        mo_shape_id_of(scene, in_order ? slot : own)};
  return search->accept(&pair, scene->shapes[pair.a.index].user_data,
                        scene->shapes[pair.b.index].user_data, search->context);
}

static bool is_sensor_or_sensor_child(const mo_impact_finder *f, const mo_impact_shape *shape) {
  return is_sensor(f->search, &f->scene->shapes[shape->slot]) ||
         is_sensor(f->search, mo_tested_shape(f->scene, shape->slot, shape->child));
}

bool mo_impact_children_may_touch(const mo_impact_finder *f, const mo_impact_shape *other) {
  const bool has_sensor =
      is_sensor_or_sensor_child(f, f->mover) || is_sensor_or_sensor_child(f, other);
  return has_sensor == (f->crossings != NULL) &&
         mo_shapes_pass_each_other(mo_tested_shape(f->scene, f->mover->slot, f->mover->child),
                                   mo_tested_shape(f->scene, other->slot, other->child));
}

static bool crossing_before(const void *a, const void *b) {
  const mo_pair *p = &((const mo_crossing *)a)->pair, *q = &((const mo_crossing *)b)->pair;
  return p->a.index != q->a.index ? p->a.index < q->a.index : p->b.index < q->b.index;
}

/* Lists the crossing of the mover and a shape that it touches. Crossings are few, so tasks seldom
 * wait for the lock. */
static void list_crossing(mo_impact_finder *f, uint32_t other) {
  uint32_t own = f->mover->slot;
  const mo_crossing crossing = {.pair = {mo_shape_id_of(f->scene, own < other ? own : other),
                                         mo_shape_id_of(f->scene, own < other ? other : own)},
                                .enter = mo_round_down(f->touch_times.enter),
                                .leave = mo_round_up(f->touch_times.leave),
                                .entered = f->touch_times.enter > 0.0,
                                .left = f->touch_times.leave < 1.0};
  MO_ASSERT(f->touch_times.enter >= 0.0 && f->touch_times.enter <= f->touch_times.leave &&
            f->touch_times.leave <= 1.0);
  mo_crossing_list *list = f->crossings;
  while (atomic_flag_test_and_set_explicit(&list->locked, memory_order_acquire)) {
  }
  mo_bounded_offer(&list->crossings, &crossing, sizeof crossing, crossing_before);
  atomic_flag_clear_explicit(&list->locked, memory_order_release);
}

static void test_shape(mo_impact_finder *f, const mo_impact_shape *other) {
  f->touch_times = (mo_time_of_touch){.enter = INFINITY};
  mo_impact_test_shape(f, other);
  if (f->touch_times.enter <= 1.0) {
    list_crossing(f, other->slot);
  }
}

void mo_impact_test_still_shape(uint32_t slot, double key, void *finder) {
  (void)key;
  mo_impact_finder *f = finder;
  mo_impact_shape other;
  mo_result result;
  if (!mo_impact_is_mover(f->sorted_mover_keys, f->search->count, slot) &&
      may_have_impact(f, slot) &&
      mo_impact_shape_make(&other, f->scene, slot, NULL, NULL, &f->rules, NULL, &result)) {
    test_shape(f, &other);
  }
}

typedef struct search_context {
  const mo_scene *scene;
  const mo_impact_search *search;
  mo_impact_rules rules;
  mo_swept_tree tree;
  mo_impact *impacts;
  mo_crossing_list *crossings; /* not null: the search is for crossings, not for impacts */
  mo_query_stats *stats;       /* if not null, the calling thread does all the work */
  uint32_t chunk_size;         /* movers per task */
  atomic_uint first_refused;   /* lowest index of an invalid mover so far; else mover count */
} search_context;

/* Makes the shape of mover i. Returns false if it has no impacts (an empty mesh), or on an error,
 * which `result` receives. */
static bool make_mover(const search_context *r, uint32_t i, const mo_impact_rules *rules,
                       mo_impact_shape *made, const mo_refusal *refusal, mo_result *result) {
  const mo_mover *mover = &r->search->movers[i];
  if (!mo_shape_is_known(r->scene, mover->shape)) {
    mo_refusal id = mo_refusal_in(refusal, ".shape", MO_NO_INDEX);
    *result = mo_refuse_id(&id, mover->shape.index, mover->shape.generation);
    return false;
  }
  *result =
      mo_check_enum_value((unsigned)mover->partners, MO_IMPACT_WITH_NONE, refusal, ".partners");
  if (*result != MO_OK) {
    return false;
  }
  mo_refusal movement = mo_refusal_in(refusal, ".movement", MO_NO_INDEX);
  return mo_impact_shape_make(made, r->scene, mover->shape.index, NULL, &mover->movement, rules,
                              &movement, result);
}

static uint32_t chunk_end(const search_context *r, uint32_t chunk) {
  uint64_t end = ((uint64_t)chunk + 1) * r->chunk_size;
  return end < r->search->count ? (uint32_t)end : r->search->count;
}

/* A task: checks movers, and computes their swept boxes. */
static void compute_swept_boxes(uint32_t chunk, void *context) {
  search_context *r = context;
  for (uint32_t i = chunk * r->chunk_size, end = chunk_end(r, chunk); i < end; i++) {
    mo_impact_shape made;
    mo_result result;
    bool is_there = make_mover(r, i, NULL, &made, NULL, &result);
    if (result != MO_OK) {
      unsigned bad = atomic_load_explicit(&r->first_refused, memory_order_relaxed);
      while (i < bad && !atomic_compare_exchange_weak(&r->first_refused, &bad, i)) {
      }
      return;
    }
    r->tree.sorted_mover_keys[i] = (uint64_t)r->search->movers[i].shape.index << 32 | i;
    r->tree.boxes[i] =
        is_there ? mo_impact_swept_box(&r->rules, &made.body.whole) : mo_aabb_empty();
  }
}

typedef struct mover_context {
  const search_context *movers_search;
  mo_impact_finder *finder;
  uint32_t mover_index; /* index of the mover that the others are tested against */
} mover_context;

static void test_mover(uint32_t i, void *context) {
  const mover_context *e = context;
  const mo_mover *mover = &e->movers_search->search->movers[i];
  /* of two movers, the one with the lower index lists the pair */
  bool crosses = e->finder->crossings != NULL;
  mo_impact_shape other;
  mo_result result;
  if (!(crosses && (i < e->mover_index ||
                    is_ignored(e->movers_search->scene, mover->ignore, e->finder->mover->slot))) &&
      may_have_impact(e->finder, mover->shape.index) &&
      make_mover(e->movers_search, i, &e->movers_search->rules, &other, NULL, &result)) {
    test_shape(e->finder, &other);
  }
}

static uint32_t user_data_of(const mo_scene *scene, uint32_t slot, uint32_t child,
                             uint32_t triangle) {
  return mo_geometry_triangle_user_data(mo_child_geometry(scene, slot, child), triangle);
}

static mo_impact impact_of(const mo_impact_finder *f) {
  if (f->other == MO_NONE) {
    return mo_impact_of_none();
  }
  const mo_scene *scene = f->scene;
  MO_ASSERT(f->t >= 0.0f && f->t <= 1.0f && f->other < scene->slot_count);
  MO_ASSERT(mo_slot_is_alive(scene, f->other) &&
            !mo_slots_share_rigid_body(scene, f->other, f->mover->slot));
  mo_impact impact = mo_impact_of(&f->found, f->t, f->triangle, f->other_triangle);
  impact.other = mo_shape_id_of(scene, f->other);
  impact.child = f->child;
  impact.other_child = f->other_child;
  mo_child_read_user_data(scene, f->other, f->other_child, &impact.user_data);
  impact.triangle_user_data = user_data_of(scene, f->mover->slot, f->child, f->triangle);
  impact.other_triangle_user_data =
      user_data_of(scene, f->other, f->other_child, f->other_triangle);
  return impact;
}

/* Sets the path of the mover, by which shapes of the scene are culled. `reach`: the greatest
 * coordinates of these shapes. */
static void set_culling(mo_impact_finder *f, const mo_moving_body *moving, mo_vec3 reach,
                        double margin) {
  const mo_aabb all = f->scene->root_bounds;
  f->culls_by_plane = moving->body.kind == MO_BODY_HALF_SPACE;
  if (f->culls_by_plane) {
    f->plane = mo_moving_plane_path(moving, NULL, reach, all);
    f->plane.offset -= margin;
    if (!mo_aabb_is_empty(all)) {
      f->plane.offset -= 2.0 * MO_IMPACT_MIN_SLOP * mo_sum_of_extents(all);
    }
    return;
  }
  mo_path_of_bounds(moving, reach, f->path);
  for (int axis = 0; axis < 3; axis++) {
    f->path[axis].enlargement += margin;
  }
}

static void search_mover(const search_context *r, uint32_t i, mo_query_stats *stats) {
  const mo_mover *mover = &r->search->movers[i];
  mo_impact_shape shape;
  mo_impact_finder f = {.scene = r->scene,
                        .search = r->search,
                        .isa = r->scene->isa,
                        .rules = r->rules,
                        .mover = &shape,
                        .ignore = mover->ignore,
                        .sorted_mover_keys = r->tree.sorted_mover_keys,
                        .stats = stats,
                        .crossings = r->crossings,
                        .t = 1.0f,
                        .limit = 1.0,
                        .other = MO_NONE};
  mo_result result;
  bool is_searching =
      r->crossings != NULL || (mover->partners != MO_IMPACT_WITH_NONE &&
                               !is_sensor(r->search, &r->scene->shapes[mover->shape.index]));
  if (is_searching && make_mover(r, i, &r->rules, &shape, NULL, &result)) {
    const mo_moving_body *moving = &shape.body.whole;
    mo_vec3 reach = mo_aabb_max_coordinates_or_zero(r->scene->root_bounds);
    double margin =
        mo_impact_margin(&r->rules, moving, (double)reach.x + (double)reach.y + (double)reach.z);
    set_culling(&f, moving, reach, margin);
    mo_impact_visit_shapes_by_isa[r->scene->isa](&f);
    if (mover->partners == MO_IMPACT_WITH_ALL || r->crossings != NULL) {
      const mo_aabb swept = mo_impact_swept_box(&r->rules, moving);
      mover_context e = {r, &f, i};
      mo_swept_tree_visit(&r->tree, &swept, test_mover, &e);
    }
  }
  if (r->impacts != NULL) {
    r->impacts[i] = impact_of(&f);
  }
}

static void search_chunk(uint32_t chunk, void *context) {
  const search_context *r = context;
  mo_query_stats own = mo_stats_begin(NULL);
  for (uint32_t i = chunk * r->chunk_size, end = chunk_end(r, chunk); i < end; i++) {
    search_mover(r, i, r->stats != NULL ? r->stats : &own);
  }
}

static void run_tasks(search_context *r, mo_task *task) {
  uint32_t chunks = (r->search->count + r->chunk_size - 1) / r->chunk_size;
  if (r->stats == NULL) {
    mo_tasks_run(&r->scene->host, chunks, task, r);
    return;
  }
  for (uint32_t i = 0; i < chunks; i++) {
    task(i, r);
  }
}

/* The lowest index of a mover with the same shape as an earlier mover; the number of movers if
 * there is none. */
static uint32_t first_duplicate_mover(const mo_swept_tree *tree) {
  uint32_t first = tree->count;
  for (uint32_t i = 1; i < tree->count; i++) {
    uint32_t mover = (uint32_t)tree->sorted_mover_keys[i];
    if (tree->sorted_mover_keys[i] >> 32 == tree->sorted_mover_keys[i - 1] >> 32 && mover < first) {
      first = mover;
    }
  }
  return first;
}

/* Checks movers, and builds the hierarchy of their swept boxes. `first_bad` receives the index of a
 * refused mover. */
static mo_result prepare_movers(search_context *r, const mo_refusal *refusal, size_t *first_bad) {
  const uint32_t count = r->search->count;
  atomic_init(&r->first_refused, count);
  run_tasks(r, compute_swept_boxes);
  uint32_t bad = atomic_load(&r->first_refused);
  const bool is_invalid = bad < count;
  if (!is_invalid) {
    mo_swept_tree_build(&r->tree);
    bad = first_duplicate_mover(&r->tree);
  }
  if (bad == count) {
    return MO_OK;
  }
  mo_set_first_bad(first_bad, bad);
  mo_refusal mover = mo_refusal_in(refusal, ".movers", bad);
  if (!is_invalid) {
    return mo_refuse(&mover, MO_ERROR_INVALID_ARGUMENT, ".shape is a mover already");
  }
  mo_impact_shape made;
  mo_result result;
  make_mover(r, bad, NULL, &made, &mover, &result);
  return result;
}

/* Checks the arguments of a search. `missing`: the name of a required output argument that is null,
 * if there is one; else null. */
static mo_result check_search(const mo_scene *scene, const mo_impact_search *search,
                              const char *missing, const mo_refusal *refusal) {
  mo_result result = mo_check_cookie(search->cookie, refusal, "", "mo_default_impact_search");
  if (result == MO_OK) {
    mo_refusal def = mo_refusal_in(refusal, ".def", MO_NO_INDEX);
    result = mo_impact_def_check(&search->def, &def);
  }
  if (result == MO_OK && search->count > 0 && (search->movers == NULL || search->memory == NULL)) {
    result = mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, "%s is null",
                       search->movers == NULL ? ".movers" : ".memory");
  }
  if (result == MO_OK && missing != NULL) {
    result = mo_refuse_null(refusal->host, refusal->function, missing);
  }
  if (result == MO_OK && search->count > scene->shape_count) {
    result =
        mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".count is %u, but the scene has %u shapes",
                  search->count, scene->shape_count);
  }
  return result;
}

enum { MAX_MOVERS_PER_TASK = 64 };

/* Checks the arguments of a search, and runs it for all movers. The members `scene`, `search` and
 * the outputs of `r` must be set. `missing` is as in check_search. */
static mo_result search_all(search_context *r, const char *function, const char *missing,
                            size_t *first_bad) {
  const mo_scene *scene = r->scene;
  mo_set_first_bad(first_bad, MO_NO_INDEX);
  if (scene == NULL || r->search == NULL) {
    return mo_refuse_null(mo_scene_host(scene), function, "search");
  }
  const mo_refusal refusal = mo_refusal_of(&scene->host, function, "search");
  const uint32_t count = r->search->count;
  mo_result result = check_search(scene, r->search, missing, &refusal);
  if (result != MO_OK || count == 0) {
    return result;
  }
  uint32_t even = count / (8 * mo_tasks_workers(&scene->host));
  r->chunk_size = even < 1 ? 1 : even < MAX_MOVERS_PER_TASK ? even : MAX_MOVERS_PER_TASK;
  r->tree = mo_swept_tree_layout(r->search->memory, count);
  r->rules =
      r->crossings != NULL ? (mo_impact_rules){0.0, 1.0} : mo_impact_rules_of(&r->search->def);
  result = prepare_movers(r, &refusal, first_bad);
  if (result == MO_OK) {
    run_tasks(r, search_chunk);
  }
  return result;
}

mo_result mo_scene_find_impacts(const mo_scene *scene, const mo_impact_search *search,
                                mo_impact *impacts, size_t *first_bad, mo_query_stats *stats) {
  mo_query_stats counts = mo_stats_begin(stats);
  search_context r = {.scene = scene,
                      .search = search,
                      .impacts = impacts,
                      .stats = stats != NULL ? &counts : NULL};
  const bool is_missing = impacts == NULL && search != NULL && search->count > 0;
  const mo_result result = search_all(&r, __func__, is_missing ? "impacts" : NULL, first_bad);
  if (result == MO_OK) {
    mo_stats_end(&counts, stats);
  }
  return result;
}

mo_result mo_scene_find_crossings(const mo_scene *scene, const mo_impact_search *search,
                                  mo_crossing *crossings, uint32_t capacity, uint32_t *total,
                                  size_t *first_bad) {
  mo_crossing_list list = {mo_bounded_make(crossings, capacity), ATOMIC_FLAG_INIT};
  search_context r = {.scene = scene, .search = search, .crossings = &list};
  const char *missing = mo_missing_of_list(crossings, capacity, "crossings", total);
  const mo_result result = search_all(&r, __func__, missing, first_bad);
  if (result == MO_OK) {
    mo_bounded_sort(&list.crossings, sizeof *crossings, crossing_before);
    *total = list.crossings.total;
  }
  return result;
}
