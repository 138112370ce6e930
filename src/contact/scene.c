/* Public contact queries of scenes: contacts of two shapes of a scene, and of a shape that is in no
 * scene with the shapes of a scene. */
#include "contact/pair/children.h"
#include "mesh/primitive.h"
#include "mesh/query.h"
#include "query/overlap/region.h"

mo_collide_shape_def mo_default_collide_shape_def(void) {
  return (mo_collide_shape_def){.primitive = mo_primitive_of_point(mo_vec(0.0f, 0.0f, 0.0f)),
                                .speculative_distance = 0.02f,
                                .filter = mo_default_filter(),
                                .cookie = MO_COOKIE};
}

static mo_result check_id(const mo_scene *scene, mo_shape_id id, const mo_refusal *pair,
                          const char *member) {
  mo_refusal refusal = mo_refusal_in(pair, member, MO_NO_INDEX);
  return mo_shape_is_known(scene, id) ? MO_OK : mo_refuse_id(&refusal, id.index, id.generation);
}

static mo_result check_pair(const mo_scene *scene, const mo_pair *pair, const mo_collide_def *def) {
  const char *function = "mo_scene_collide_pair";
  mo_refusal refusal = mo_refusal_of(&scene->host, function, "pair");
  mo_refusal of_def = mo_refusal_of(&scene->host, function, "def");
  mo_result result = check_id(scene, pair->a, &refusal, ".a");
  if (result == MO_OK) {
    result = check_id(scene, pair->b, &refusal, ".b");
  }
  if (result == MO_OK && pair->a.index == pair->b.index) {
    result = mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " is one shape twice");
  }
  if (result == MO_OK) {
    result = mo_check_cookie(def->cookie, &of_def, "", "mo_default_collide_def");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->speculative_distance, MO_MAX_COORDINATE, &of_def,
                           ".speculative_distance");
  }
  return result;
}

mo_result mo_scene_collide_pair(const mo_scene *scene, const mo_pair *pair,
                                const mo_collide_def *def, mo_contact *contacts, uint32_t capacity,
                                uint32_t *total) {
  const char *missing = pair == NULL  ? "pair"
                        : def == NULL ? "def"
                                      : mo_missing_of_list(contacts, capacity, "contacts", total);
  if (scene == NULL || missing != NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, missing);
  }
  mo_result result = check_pair(scene, pair, def);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(NULL);
  mo_contact_search search = {.isa = scene->isa,
                              .max = def->speculative_distance,
                              .cull_back_faces = def->cull_back_faces,
                              .stats = &counts,
                              .contacts = mo_bounded_make(contacts, capacity)};
  if (mo_slot_is_compound(scene, pair->a.index) || mo_slot_is_compound(scene, pair->b.index)) {
    const mo_compound_pair shapes = {scene, pair->a.index, pair->b.index, false};
    mo_contact_search_compounds(&search, &shapes);
  } else {
    mo_collider a, b;
    mo_collider_set_to_shape(&a, scene, pair->a.index);
    mo_collider_set_to_shape(&b, scene, pair->b.index);
    mo_contact_search_pair(&search, &a, &b);
  }
  mo_bounded_sort(&search.contacts, sizeof *contacts, mo_contact_before);
  *total = search.contacts.total;
  return MO_OK;
}

/* --- contacts of a shape that is in no scene --- */

typedef struct shape_search {
  mo_contact_search search;
  const mo_scene *scene;
  mo_collider shape; /* the shape that is in no scene; of a compound, a box around it */
  const mo_prepared_primitive *compound; /* the shape, if it is a compound; else null */
  bool hit_volumes;                      /* whether contacts with volumes are reported */
  const mo_filter *filter;
} shape_search;

static bool collide_with_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)bounds;
  (void)inside;
  shape_search *s = context;
  const mo_scene *scene = s->scene;
  if (scene->shapes[slot].geometry.type == MO_SHAPE_VOLUME && !s->hit_volumes) {
    return true;
  }
  s->search.stats->shape_count++;
  if (s->compound != NULL) {
    mo_contact_search_own_children(&s->search, s->compound, scene, slot, s->filter, s->hit_volumes);
  } else if (mo_slot_is_compound(scene, slot)) {
    mo_contact_search_children(&s->search, &s->shape, scene, slot, s->filter, s->hit_volumes);
  } else {
    mo_collider other;
    mo_collider_set_to_shape(&other, scene, slot);
    mo_contact_search_pair(&s->search, &s->shape, &other);
  }
  return true;
}

static void collide_shape(shape_search *s, const mo_filter *filter) {
  const mo_scene *scene = s->scene;
  mo_vec3 reach = mo_aabb_max_coordinates_or_zero(scene->root_bounds);
  mo_prepared_primitive half_space;
  mo_region around = {.kind = MO_REGION_BOX};
  if (s->shape.kind == MO_COLLIDER_HALF_SPACE) {
    half_space = mo_contact_search_half_space(&s->search, s->shape.half_space, reach);
    around = mo_region_of_primitive(&half_space);
  } else {
    around.box = mo_contact_search_region(&s->search, &s->shape, reach);
  }
  mo_prepared_region region = mo_prepared_region_of(scene, &around, MO_PRECISION_BOUNDS);
  region.stats = s->search.stats;
  mo_scene_overlap overlap = {.filter = filter,
                              .stats = s->search.stats,
                              .visit_reads_records = true,
                              .visit = collide_with_shape,
                              .context = s};
  mo_prepared_region_set_culling(&region, &overlap);
  mo_scene_overlap_run(&overlap);
}

static mo_result check_shape_def(const mo_scene *scene, const mo_collide_shape_def *def,
                                 mo_prepared_primitive *primitive) {
  mo_refusal refusal = mo_refusal_of(&scene->host, "mo_scene_collide_shape", "def");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_collide_shape_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, &refusal, ".filter");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->speculative_distance, MO_MAX_COORDINATE, &refusal,
                           ".speculative_distance");
  }
  if (result == MO_OK) {
    mo_refusal member = mo_refusal_in(&refusal, ".primitive", MO_NO_INDEX);
    result = mo_query_primitive_prepare(primitive, &def->primitive, &member);
  }
  return result;
}

mo_result mo_scene_collide_shape(const mo_scene *scene, const mo_collide_shape_def *def,
                                 mo_contact *contacts, uint32_t capacity, uint32_t *total,
                                 mo_query_stats *stats) {
  const char *missing =
      def == NULL ? "def" : mo_missing_of_list(contacts, capacity, "contacts", total);
  if (scene == NULL || missing != NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, missing);
  }
  mo_prepared_primitive primitive;
  mo_result result = check_shape_def(scene, def, &primitive);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  shape_search s = {.search = {.isa = scene->isa,
                               .max = def->speculative_distance,
                               .cull_back_faces = def->cull_back_faces,
                               .stats = &counts,
                               .contacts = mo_bounded_make(contacts, capacity)},
                    .scene = scene,
                    .shape = mo_collider_of_primitive(&primitive),
                    .compound = primitive.compound != NULL ? &primitive : NULL,
                    .hit_volumes = def->hit_volumes,
                    .filter = &def->filter};
  mo_collider_set_bounds(&s.shape); /* computed once for all meshes near the shape */
  if (!mo_aabb_is_empty(s.shape.bounds)) {
    collide_shape(&s, &def->filter);
  }
  mo_bounded_sort(&s.search.contacts, sizeof *contacts, mo_contact_before);
  *total = s.search.contacts.total;
  mo_stats_end(&counts, stats);
  return MO_OK;
}
