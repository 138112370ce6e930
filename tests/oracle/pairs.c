/* All pairs of a scene by a loop over all shapes, with nothing of its tree. */
#include "oracle/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "oracle/oracle.h"

void pair_list_add(pair_list *list, mo_pair pair) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->pairs = oracle_need(realloc(list->pairs, list->capacity * sizeof pair));
  }
  list->pairs[list->count++] = pair;
}

void pair_list_free(pair_list *list) {
  free(list->pairs);
  *list = (pair_list){0};
}

bool pair_equal(mo_pair p, mo_pair q) {
  return p.a.index == q.a.index && p.a.generation == q.a.generation && p.b.index == q.b.index &&
         p.b.generation == q.b.generation;
}

bool pair_before(mo_pair p, mo_pair q) {
  return p.a.index != q.a.index ? p.a.index < q.a.index : p.b.index < q.b.index;
}

typedef struct entry {
  mo_shape_id id;
  mo_shape_def def;
  mo_aabb box;
} entry;

static entry *read_all(const mo_scene *scene, uint32_t *count) {
  *count = mo_scene_shape_count(scene);
  entry *all = oracle_need(calloc(*count + 1, sizeof *all));
  mo_shape_id *ids = oracle_need(calloc(*count + 1, sizeof *ids));
  uint32_t total;
  oracle_expect(mo_scene_get_shapes(scene, ids, *count, &total), "list shapes");
  for (uint32_t i = 0; i < *count; i++) {
    all[i].id = ids[i];
    oracle_expect(mo_scene_get_shape(scene, ids[i], &all[i].def), "read a shape");
    oracle_expect(mo_scene_get_bounds(scene, ids[i], &all[i].box), "read bounds");
  }
  free(ids);
  return all;
}

static mo_vec3 in_range(mo_vec3 v) {
  const float max = MO_MAX_COORDINATE;
  return (mo_vec3){fminf(fmaxf(v.x, -max), max), fminf(fmaxf(v.y, -max), max),
                   fminf(fmaxf(v.z, -max), max)};
}

/* What a shape is in the search for pairs: its box, or itself if it has none. A margin may enlarge
 * a box beyond the range of coordinates. */
static mo_primitive body_of(const entry *e) {
  mo_geometry box = {.type = MO_SHAPE_VOLUME};
  box.volume = (mo_aabb){in_range(e->box.lower), in_range(e->box.upper)};
  return e->def.geometry.type == MO_SHAPE_HALF_SPACE
             ? mo_primitive_of_geometry(&e->def.geometry, &e->def.transform)
             : mo_primitive_of_geometry(&box, NULL);
}

static bool touch(const entry *a, const entry *b) {
  if (a->def.geometry.type == MO_SHAPE_HALF_SPACE || b->def.geometry.type == MO_SHAPE_HALF_SPACE) {
    bool overlap;
    mo_primitive bodies[2] = {body_of(a), body_of(b)};
    oracle_expect(mo_primitive_overlap(&bodies[0], &bodies[1], &overlap), "overlap");
    return overlap;
  }
  return a->box.lower.x <= b->box.upper.x && b->box.lower.x <= a->box.upper.x &&
         a->box.lower.y <= b->box.upper.y && b->box.lower.y <= a->box.upper.y &&
         a->box.lower.z <= b->box.upper.z && b->box.lower.z <= a->box.upper.z;
}

static bool is_immovable(const entry *e) {
  return e->def.motion == MO_MOTION_STATIC || e->def.motion == MO_MOTION_KINEMATIC;
}

static bool is_awake(const entry *e) {
  return e->def.motion == MO_MOTION_DYNAMIC || e->def.motion == MO_MOTION_KINEMATIC;
}

static bool wanted(const entry *a, const entry *b, bool in_one_scene,
                   const mo_pair_query_def *def) {
  if (is_immovable(a) && is_immovable(b)) {
    return false;
  }
  if (in_one_scene && a->def.body != 0 && a->def.body == b->def.body) {
    return false;
  }
  if (def != NULL && def->awake_only && !is_awake(a) && !is_awake(b)) {
    return false;
  }
  if (!(a->def.category & b->def.mask) || !(b->def.category & a->def.mask)) {
    return false;
  }
  mo_pair pair = {a->id, b->id};
  return def == NULL || def->accept == NULL ||
         def->accept(&pair, a->def.user_data, b->def.user_data, def->context);
}

void pair_oracle(const mo_scene *a, const mo_scene *b, const mo_pair_query_def *def,
                 pair_list *list) {
  uint32_t count_a, count_b;
  entry *all_a = read_all(a, &count_a), *all_b = read_all(b, &count_b);
  list->count = 0;
  for (uint32_t i = 0; i < count_a; i++) {
    for (uint32_t j = a == b ? i + 1 : 0; j < count_b; j++) {
      if (touch(&all_a[i], &all_b[j]) && wanted(&all_a[i], &all_b[j], a == b, def)) {
        pair_list_add(list, (mo_pair){all_a[i].id, all_b[j].id});
      }
    }
  }
  free(all_a);
  free(all_b);
}
