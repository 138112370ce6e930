/* The public queries for pairs of shapes by distance. */
#include "query/near.h"
#include "scene/pair_search.h"

/* Where found pairs go. */
typedef struct finder {
  mo_near_pair_query query;
  const mo_pair_def *def;
  bool (*visit)(const mo_pair *pair, void *context); /* null: into the list */
  void *context;
  mo_bounded list;
} finder;

static bool take(uint32_t slot_a, uint32_t slot_b, void *context) {
  finder *f = context;
  const mo_scene *scene = f->query.scene;
  uint32_t a = slot_a < slot_b ? slot_a : slot_b, b = slot_a < slot_b ? slot_b : slot_a;
  if (!mo_pair_passes(scene, a, scene, b)) {
    return true;
  }
  mo_pair pair = {mo_shape_id_of(scene, a), mo_shape_id_of(scene, b)};
  if (f->def->accept != NULL && !f->def->accept(&pair, scene->shapes[a].user_data,
                                                scene->shapes[b].user_data, f->def->context)) {
    return true;
  }
  if (f->visit != NULL) {
    return f->visit(&pair, f->context);
  }
  mo_bounded_offer(&f->list, &pair, sizeof pair, mo_pair_before);
  return true;
}

static mo_result search(finder *f, const mo_scene *scene, float distance, const mo_pair_def *def,
                        mo_query_stats *stats) {
  static void (*const searches[MO_ISA_COUNT])(mo_near_pair_query *) = MO_ISA_TABLE(mo_near_pairs);
  static const mo_pair_def plain = {.awake_only = false};
  if (!(distance >= 0.0f)) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  f->def = def != NULL ? def : &plain;
  f->query = (mo_near_pair_query){
      .scene = scene,
      .distance = distance,
      .distance2 = (double)distance * distance,
      .awake_only = f->def->awake_only,
      .stats = &counts,
      .take = take,
      .context = f,
  };
  searches[scene->isa](&f->query);
  mo_stats_end(&counts, stats);
  return MO_OK;
}

mo_result mo_scene_find_near_pairs(const mo_scene *scene, float distance, const mo_pair_def *def,
                                   mo_pair *pairs, uint32_t capacity, uint32_t *total,
                                   mo_query_stats *stats) {
  if (scene == NULL || total == NULL || (capacity > 0 && pairs == NULL)) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  finder f = {.visit = NULL, .list = mo_bounded_make(pairs, capacity)};
  mo_result result = search(&f, scene, distance, def, stats);
  if (result == MO_OK) {
    mo_bounded_sort(&f.list, sizeof *pairs, mo_pair_before);
    *total = f.list.total;
  }
  return result;
}

mo_result mo_scene_visit_near_pairs(const mo_scene *scene, float distance, const mo_pair_def *def,
                                    bool (*visit)(const mo_pair *pair, void *context),
                                    void *context, mo_query_stats *stats) {
  if (scene == NULL || visit == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  finder f = {.visit = visit, .context = context};
  return search(&f, scene, distance, def, stats);
}
