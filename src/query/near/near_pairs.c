/* The public queries for pairs of shapes within a distance of each other. */
#include "pairs/search/search.h"
#include "query/near/near.h"
#include "scene/octree/octree.h"

/* Whether the distance of two shapes' boxes is at most the limit; `context` points to its
 * square. */
static bool is_near(const mo_scene *a, uint32_t slot_a, const mo_scene *b, uint32_t slot_b,
                    void *context) {
  return mo_aabb_distance2(mo_slot_box(a, slot_a), mo_slot_box(b, slot_b)) <=
         *(const double *)context;
}

static mo_result search_near_pairs(mo_pair_query *find, const char *function, float distance) {
  const mo_host *host = &find->scene[0]->host;
  if (!(distance >= 0.0f)) {
    mo_refusal refusal = mo_refusal_of(host, function, "distance");
    return mo_refuse_number(&refusal, MO_ERROR_INVALID_ARGUMENT, "", distance,
                            isnan(distance) ? NULL : "which is negative");
  }
  mo_result result = mo_pair_query_def_check(host, function, find->def);
  if (result != MO_OK) {
    return result;
  }
  double distance2 = (double)distance * distance;
  /* This is farther apart than any two boxes. */
  find->max_distance = fminf(distance, 4.0f * MO_MAX_COORDINATE);
  find->is_near = distance > 0.0f ? is_near : NULL;
  find->is_near_context = &distance2;
  mo_pair_query_run(find);
  return MO_OK;
}

mo_result mo_scene_find_near_pairs(const mo_scene *scene, float distance,
                                   const mo_pair_query_def *def, mo_pair *pairs, uint32_t capacity,
                                   uint32_t *total) {
  if (scene == NULL || total == NULL || (capacity > 0 && pairs == NULL)) {
    return mo_refuse_null(mo_scene_host(scene), __func__, total == NULL ? "total" : "pairs");
  }
  mo_pair_query find = {.scene = {scene, scene}, .def = def, .pairs = pairs, .capacity = capacity};
  mo_result result = search_near_pairs(&find, __func__, distance);
  if (result == MO_OK) {
    *total = find.total;
  }
  return result;
}

mo_result mo_scene_visit_near_pairs(const mo_scene *scene, float distance,
                                    const mo_pair_query_def *def,
                                    bool (*visit)(const mo_pair *pair, void *context),
                                    void *context) {
  if (scene == NULL || visit == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, "visit");
  }
  mo_pair_query find = {.scene = {scene, scene}, .def = def, .visit = visit, .context = context};
  return search_near_pairs(&find, __func__, distance);
}
