/* The public queries for all pairs of touching boxes, within a scene or between two scenes; and the
 * functions of the pair search that do not depend on the instruction set. */
#include <motte/pairs.h>

#include "base/bounded.h"
#include "pairs/search/search.h"
#include "scene/bodies/bodies.h"

mo_pair_query_def mo_default_pair_query_def(void) {
  return (mo_pair_query_def){.cookie = MO_COOKIE};
}

void mo_pair_search_job(mo_pair_search *search, const mo_pair_job *job) {
  (search->max_distance > 0 ? mo_pair_search_near_by_isa
                            : mo_pair_search_job_by_isa)[search->scene[0]->isa](search, job);
}

void mo_pair_search_init(mo_pair_search *search, const mo_scene *a, const mo_scene *b, bool awake) {
  search->scene[0] = a;
  search->scene[1] = b;
  search->awake_only = awake;
  search->active_only =
      awake ? a->still_count + b->still_count > 0 : a->immovable_count + b->immovable_count > 0;
  search->max_distance = 0;
  search->node_visit_count = search->block_visit_count = 0;
  search->is_grouped = NULL;
  search->stopped = false;
  search->stream = 0;
  search->count = 0;
}

mo_pair_job mo_pair_job_of_whole_scenes(const mo_scene *a, const mo_scene *b) {
  return (mo_pair_job){{a->root, b->root}, {a->root_bounds, b->root_bounds}};
}

bool mo_pair_search_end(mo_pair_search *search) {
  if (!search->stopped && search->count > 0) {
    search->stopped = !search->consume(search);
    search->count = 0;
  }
  return !search->stopped;
}

bool mo_pair_passes_filters(const mo_scene *a, uint32_t slot_a, const mo_scene *b,
                            uint32_t slot_b) {
  uint32_t traits_a = a->traits[slot_a], traits_b = b->traits[slot_b];
  if ((traits_a & traits_b & MO_TRAIT_IMMOVABLE) ||
      (a == b && mo_slots_share_rigid_body(a, slot_a, slot_b))) {
    return false;
  }
  return !((traits_a | traits_b) & MO_TRAIT_FILTERED) ||
         mo_shapes_pass_each_other(&a->shapes[slot_a], &b->shapes[slot_b]);
}

/* Receives the pairs that a search finds: filters them, and stores them or calls `visit`. */
typedef struct pair_receiver {
  mo_pair_search search;
  mo_pair_query *find;
  const mo_pair_query_def *def;
  mo_bounded_list list;
} pair_receiver;

static bool receive_pairs(mo_pair_search *search) {
  pair_receiver *f = search->context;
  const mo_pair_query *find = f->find;
  const mo_scene *a = search->scene[0], *b = search->scene[1];
  /* With `awake_only`, the search also finds pairs of two immovable shapes, of which one is
   * kinematic. */
  bool filtered = mo_pairs_are_filtered(a) || mo_pairs_are_filtered(b) ||
                  (search->awake_only && a->kinematic_count + b->kinematic_count > 0);
  for (uint32_t i = 0; i < search->count; i++) {
    uint32_t slot_a = (uint32_t)(search->keys[i] >> 32), slot_b = (uint32_t)search->keys[i];
    if (filtered && !mo_pair_passes_filters(a, slot_a, b, slot_b)) {
      continue;
    }
    bool boxed = !((a->traits[slot_a] | b->traits[slot_b]) & MO_TRAIT_UNBOUNDED);
    if (find->is_near != NULL && boxed &&
        !find->is_near(a, slot_a, b, slot_b, find->is_near_context)) {
      continue;
    }
    mo_pair pair = {mo_shape_id_of(a, slot_a), mo_shape_id_of(b, slot_b)};
    if (f->def->accept != NULL && !f->def->accept(&pair, a->shapes[slot_a].user_data,
                                                  b->shapes[slot_b].user_data, f->def->context)) {
      continue;
    }
    if (find->visit != NULL) {
      if (!find->visit(&pair, find->context)) {
        return false;
      }
    } else {
      mo_bounded_offer(&f->list, &pair, sizeof pair, mo_pair_before);
    }
  }
  return true;
}

void mo_pair_query_run(mo_pair_query *find) {
  static const mo_pair_query_def plain = {.awake_only = false};
  pair_receiver f;
  f.find = find;
  f.def = find->def != NULL ? find->def : &plain;
  f.list = mo_bounded_make(find->pairs, find->capacity);
  mo_pair_search_init(&f.search, find->scene[0], find->scene[1], f.def->awake_only);
  f.search.max_distance = find->max_distance;
  f.search.consume = receive_pairs;
  f.search.context = &f;
  mo_pair_job job = mo_pair_job_of_whole_scenes(find->scene[0], find->scene[1]);
  mo_pair_search_job(&f.search, &job);
  mo_pair_search_unbounded(&f.search, 0, 1, false);
  mo_pair_search_end(&f.search);
  if (f.list.count > 0) {
    mo_bounded_sort(&f.list, sizeof *find->pairs, mo_pair_before);
  }
  find->total = f.list.total;
  find->node_visit_count = f.search.node_visit_count;
  find->block_visit_count = f.search.block_visit_count;
}

mo_result mo_pair_query_def_check(const mo_host *host, const char *function,
                                  const mo_pair_query_def *def) {
  mo_refusal refusal = mo_refusal_of(host, function, "def");
  return def != NULL ? mo_check_cookie(def->cookie, &refusal, "", "mo_default_pair_query_def")
                     : MO_OK;
}

/* Checks the arguments of a public function, and runs the query. `missing`: the name of an argument
 * that must not be null, or null; `between`: the scenes must not be the same. */
static mo_result check_and_run(mo_pair_query *find, const char *function, const char *missing,
                               bool between) {
  const mo_scene *first = find->scene[0], *second = find->scene[1];
  missing = second == NULL ? "second" : missing;
  if (first == NULL || missing != NULL) {
    return mo_refuse_null(mo_scene_host(first), function, missing);
  }
  if (between && first == second) {
    mo_refusal refusal = mo_refusal_of(&first->host, function, "second");
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " is the same scene as first");
  }
  mo_result result = mo_pair_query_def_check(&first->host, function, find->def);
  if (result == MO_OK) {
    mo_pair_query_run(find);
  }
  return result;
}

/* Runs a query that stores pairs in the caller's memory; `total` receives their number if there is
 * no error. */
static mo_result list_pairs(mo_pair_query *find, const char *function, uint32_t *total,
                            bool between) {
  const char *missing = mo_missing_of_list(find->pairs, find->capacity, "pairs", total);
  mo_result result = check_and_run(find, function, missing, between);
  if (result == MO_OK) {
    *total = find->total;
  }
  return result;
}

mo_result mo_scene_find_pairs(const mo_scene *scene, const mo_pair_query_def *def, mo_pair *pairs,
                              uint32_t capacity, uint32_t *total) {
  mo_pair_query find = {.scene = {scene, scene}, .def = def, .pairs = pairs, .capacity = capacity};
  return list_pairs(&find, __func__, total, false);
}

mo_result mo_scene_visit_pairs(const mo_scene *scene, const mo_pair_query_def *def,
                               bool (*visit)(const mo_pair *pair, void *context), void *context) {
  mo_pair_query find = {.scene = {scene, scene}, .def = def, .visit = visit, .context = context};
  return check_and_run(&find, __func__, visit == NULL ? "visit" : NULL, false);
}

mo_result mo_scene_find_pairs_between(const mo_scene *first, const mo_scene *second,
                                      const mo_pair_query_def *def, mo_pair *pairs,
                                      uint32_t capacity, uint32_t *total) {
  mo_pair_query find = {.scene = {first, second}, .def = def, .pairs = pairs, .capacity = capacity};
  return list_pairs(&find, __func__, total, true);
}

mo_result mo_scene_visit_pairs_between(const mo_scene *first, const mo_scene *second,
                                       const mo_pair_query_def *def,
                                       bool (*visit)(const mo_pair *pair, void *context),
                                       void *context) {
  mo_pair_query find = {.scene = {first, second}, .def = def, .visit = visit, .context = context};
  return check_and_run(&find, __func__, visit == NULL ? "visit" : NULL, true);
}

mo_result mo_scene_get_pair_user_data(const mo_scene *scene, const mo_pair *pairs, uint32_t count,
                                      uint64_t (*user_data)[2]) {
  if (scene == NULL || (count > 0 && (pairs == NULL || user_data == NULL))) {
    return mo_refuse_null(mo_scene_host(scene), __func__,
                          scene == NULL   ? "scene"
                          : pairs == NULL ? "pairs"
                                          : "user_data");
  }
  for (uint32_t i = 0; i < count; i++) {
    bool known = mo_shape_is_known(scene, pairs[i].a);
    if (!known || !mo_shape_is_known(scene, pairs[i].b)) {
      mo_refusal array = mo_refusal_of(&scene->host, __func__, "pairs");
      array.index = i;
      mo_refusal member = mo_refusal_in(&array, known ? ".b" : ".a", MO_NO_INDEX);
      mo_shape_id id = known ? pairs[i].b : pairs[i].a;
      return mo_refuse_id(&member, id.index, id.generation);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    user_data[i][0] = scene->shapes[pairs[i].a.index].user_data;
    user_data[i][1] = scene->shapes[pairs[i].b.index].user_data;
  }
  return MO_OK;
}
