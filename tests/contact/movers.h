/* Random scenes whose shapes move and turn, and their parts on the way, for loops over all shapes
 * and triangles. */
#ifndef TEST_CONTACT_MOVERS_H
#define TEST_CONTACT_MOVERS_H

#include <motte/continuous.h>
#include <string.h>

#include "contact/contacts.h"
#include "support/scenes.h"

enum { MAX = 64 };

static test_scene scene;
static mo_mover movers[MAX];
static mo_mover_memory memory[MAX];
static mo_impact impacts[MAX];

static inline mo_impact_search search_of(uint32_t count) {
  mo_impact_search search = mo_default_impact_search();
  search.movers = movers;
  search.memory = memory;
  search.count = count;
  return search;
}

/* A shape or triangle on its way, and a ball or box around all of that: far larger than the
 * rounding of any test. */
typedef struct traveller {
  mo_primitive primitive;
  mo_movement movement;
  mo_aabb around;
} traveller;

static inline mo_aabb grown(mo_aabb box, float by) {
  mo_vec3 v = {by, by, by};
  return (mo_aabb){mo_sub(box.lower, v), mo_add(box.upper, v)};
}

static inline void set_around(traveller *t, mo_aabb box) {
  const mo_movement *m = &t->movement;
  if (m->angle != 0) {
    mo_vec3 below = mo_sub(box.lower, m->pivot), above = mo_sub(box.upper, m->pivot);
    float far = sqrtf(mo_dot(below, below)) + sqrtf(mo_dot(above, above)) +
                sqrtf(mo_dot(mo_sub(above, below), mo_sub(above, below)));
    box = mo_aabb_union(box, grown((mo_aabb){m->pivot, m->pivot}, far));
  }
  mo_aabb end = {mo_add(box.lower, m->displacement), mo_add(box.upper, m->displacement)};
  mo_vec3 extent = mo_sub(box.upper, box.lower);
  float size = extent.x + extent.y + extent.z; /* shapes are in touch at a share of that */
  t->around = grown(mo_aabb_union(box, end), 0.1f + 0x1p-19f * size);
}

static inline const oracle_mesh *mesh_of(const oracle_shape *shape) {
  return shape->def.geometry.type == MO_SHAPE_MESH ? &scene.oracle.meshes[shape->mesh] : NULL;
}

/* A shape, or a triangle of it, which is then not null. */
static inline traveller traveller_of(const oracle_shape *shape, const oracle_triangle *triangle,
                                     const mo_mover *mover) {
  traveller t = {.primitive =
                     mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform)};
  mo_aabb box = shape->own;
  if (mover != NULL) {
    t.movement = mover->movement;
  }
  if (triangle != NULL) {
    t.primitive.type = MO_PRIMITIVE_TRIANGLE;
    memcpy(t.primitive.points, triangle->corners, sizeof t.primitive.points);
    box = mo_aabb_empty();
    for (int i = 0; i < 3; i++) {
      mo_dvec3 corner = mo_affine_point_to_world(&shape->affine, triangle->corners[i]);
      box = mo_aabb_add_point(box, mo_narrow(corner));
    }
  }
  set_around(&t, box);
  return t;
}

static inline const mo_mover *mover_of(const mo_impact_search *search, mo_shape_id id) {
  for (uint32_t i = 0; i < search->count; i++) {
    if (search->movers[i].shape.index == id.index) {
      return &search->movers[i];
    }
  }
  return NULL;
}

static inline const oracle_shape *shape_of(mo_shape_id id) {
  for (uint32_t i = 0; i < scene.oracle.shape_count; i++) {
    if (scene.oracle.shapes[i].id.index == id.index) {
      return &scene.oracle.shapes[i];
    }
  }
  return NULL;
}

/* Leaves out some pairs, and meshes that would take long. */
static inline bool accept(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b,
                          void *left_out) {
  (void)user_data_a;
  (void)user_data_b;
  const oracle_mesh *a = mesh_of(shape_of(pair->a)), *b = mesh_of(shape_of(pair->b));
  return (pair->a.index + pair->b.index) % 3 != *(uint32_t *)left_out &&
         (a == NULL || b == NULL || a->count * b->count <= 500);
}

static inline mo_movement random_movement(const oracle_shape *shape, rng *r) {
  mo_vec3 extent = mo_sub(shape->own.upper, shape->own.lower);
  float size = fminf(extent.x + extent.y + extent.z, 1e4f);
  mo_movement m = {.pivot = shape->def.transform.origin, .axis = rng_direction(r)};
  const oracle_shape *other = &scene.oracle.shapes[rng_below(r, scene.oracle.shape_count)];
  mo_vec3 way = mo_sub(rng_point_in(r, other->own), m.pivot);
  if (rng_chance(r, 0.7) && fabsf(way.x) + fabsf(way.y) + fabsf(way.z) < 1e8f) {
    m.displacement = mo_scale(rng_float(r, 0.5f, 1.5f), way);
  }
  float aside = (rng_chance(r, 0.3) ? 0.5f : 0.05f) * size;
  m.displacement = mo_add(m.displacement, mo_scale(aside, rng_direction(r)));
  if (rng_chance(r, 0.2)) {
    m.displacement = mo_vec(0, 0, 0);
  }
  if (rng_chance(r, 0.3)) {
    m.pivot = mo_add(m.pivot, mo_scale(0.3f * size, rng_direction(r)));
  }
  m.angle = rng_chance(r, 0.4) ? 0 : rng_chance(r, 0.2) ? rng_float(r, -6, 6) : rng_float(r, -1, 1);
  return m;
}

/* Some of the shapes; but for those that would turn beyond the range of coordinates. */
static inline uint32_t random_movers(rng *r) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < scene.oracle.shape_count && count < MAX; i++) {
    const oracle_shape *shape = &scene.oracle.shapes[i];
    if (rng_chance(r, 0.5)) {
      continue;
    }
    mo_impact_search alone = search_of(1);
    mo_mover *mover = &movers[count];
    *mover = (mo_mover){.shape = shape->id,
                        .movement = random_movement(shape, r),
                        .partners = (mo_impact_partners)(rng_below(r, 8) % 6 % 3)};
    if (rng_chance(r, 0.2)) {
      mover->ignore = scene.ids[rng_below(r, scene.count)];
    }
    alone.movers = mover;
    count += mo_scene_find_impacts(scene.family.scenes[0], &alone, impacts, NULL, NULL) == MO_OK;
  }
  for (uint32_t i = count; i > 1; i--) { /* in any order */
    uint32_t k = rng_below(r, i);
    mo_mover held = movers[i - 1];
    movers[i - 1] = movers[k];
    movers[k] = held;
  }
  return count;
}

#endif
