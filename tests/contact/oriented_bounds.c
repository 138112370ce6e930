/* Boxes around shapes never show two shapes to be farther apart than they are, by distances from
 * GJK, and mostly show it where they are. */
#include <motte/motte.h>

#include "contact/contacts.h"
#include "contact/tracker/oriented_bounds.h"
#include "geometry/overlap/overlap.h"
#include "support/rng.h"

static const double max_distance = 8;

static mo_shape shape_of(const mo_geometry *geometry, const mo_transform *map) {
  mo_shape shape = {.geometry = *geometry};
  cr_assert_eq(mo_affine_init(&shape.affine, map), MO_OK);
  return shape;
}

static mo_body body_of(const mo_shape *shape) {
  const mo_solid solid = mo_solid_read(mo_solid_kind_of(shape->geometry.type), &shape->geometry);
  return mo_body_of_solid(&solid, &shape->affine.to_world);
}

/* The distance of two shapes, by bisection; at most max_distance. */
static double distance_of(const mo_shape *a, const mo_shape *b) {
  const mo_body x = body_of(a), y = body_of(b);
  double low = 0, high = max_distance;
  if (mo_bodies_within(&x, &y, 0)) {
    return 0;
  }
  for (int i = 0; i < 40; i++) {
    const double middle = 0.5 * (low + high);
    *(mo_bodies_within(&x, &y, middle) ? &high : &low) = middle;
  }
  return high;
}

static bool are_apart(const mo_shape *a, const mo_shape *b, float max) {
  const mo_oriented_bounds x = mo_oriented_bounds_of(a), y = mo_oriented_bounds_of(b);
  const mo_vec3 between = mo_sub(b->affine.to_world.origin, a->affine.to_world.origin);
  return mo_oriented_bounds_are_apart(&x, &y, between, max);
}

/* Scales a geometry along the axes of its map instead, so that thin shapes occur under all maps. */
static mo_transform map_of(rng *r, rng_transform_kind kind) {
  mo_transform map = rng_transform(r, kind, 1);
  const mo_vec3 thin = {rng_chance(r, 0.1) ? 1e-3f : 1, rng_chance(r, 0.1) ? 1e-3f : 1, 1};
  if (kind == RNG_NONUNIFORM_SCALE || kind == RNG_SHEAR) {
    map.x_axis = mo_scale(thin.x, map.x_axis);
    map.y_axis = mo_scale(thin.y, map.y_axis);
  }
  return map;
}

Test(contact_oriented_bounds, never_apart_within_reach) {
  const uint64_t seed = rng_seed("contact_oriented_bounds/reach", 979);
  uint32_t rigid = 0, found = 0;
  for (uint64_t round = rng_rounds(4000, 400000); round-- > 0;) {
    rng r = rng_make(seed + round);
    static const rng_transform_kind kinds[] = {RNG_RIGID,  RNG_UNIFORM_SCALE, RNG_NONUNIFORM_SCALE,
                                               RNG_SHEAR,  RNG_MIRROR,        RNG_FLAT,
                                               RNG_SLIVER, RNG_RIGID};
    const rng_transform_kind kind = kinds[round % (sizeof kinds / sizeof *kinds)];
    const mo_geometry g = random_geometry(&r), h = random_geometry(&r);
    mo_transform map = map_of(&r, kind), other = map_of(&r, rng_chance(&r, 0.5) ? kind : RNG_RIGID);
    const mo_vec3 around = rng_chance(&r, 0.2) ? rng_vec3(&r, -3e4f, 3e4f) : mo_vec(0, 0, 0);
    const float by = rng_float(&r, 0, 3);
    map.origin = mo_add(map.origin, around);
    if (rng_chance(&r, 0.3)) { /* beside each other: a side is the closest feature of a box */
      const mo_vec3 columns[3] = {map.x_axis, map.y_axis, map.z_axis};
      other = map;
      other.origin = mo_add(map.origin, mo_scale(by, columns[rng_below(&r, 3)]));
    } else {
      other.origin = mo_add(mo_add(other.origin, around), mo_scale(by, rng_direction(&r)));
    }
    const mo_shape a = shape_of(&g, &map), b = shape_of(&h, &other);
    const double distance = distance_of(&a, &b);
    cr_assert(distance >= max_distance || !are_apart(&a, &b, (float)(distance * (1 + 1e-6))),
              "round %u: found to be apart by more than %g", (unsigned)round, distance);
    cr_assert_eq(are_apart(&a, &b, 0), are_apart(&b, &a, 0));
    if (kind == RNG_RIGID && distance > 0.2 && distance < 2) {
      rigid++;
      found += are_apart(&a, &b, 0.02f);
    }
  }
  cr_assert(found > 0.8 * rigid && rigid > 100, "%u of %u found", (unsigned)found, (unsigned)rigid);
}

/* Nothing is known of meshes, half-spaces and shapes of extreme sizes. */
Test(contact_oriented_bounds, unknown_shapes_are_never_apart) {
  const mo_transform here = mo_transform_identity();
  mo_transform there = here;
  there.origin.x = 1000;
  const mo_geometry ball = mo_default_shape_def(MO_SHAPE_SPHERE).geometry,
                    ground = mo_default_shape_def(MO_SHAPE_HALF_SPACE).geometry;
  const mo_shape a = shape_of(&ball, &here), b = shape_of(&ball, &there),
                 c = shape_of(&ground, &there);
  cr_assert(are_apart(&a, &b, 0) && !are_apart(&a, &c, 0) && !are_apart(&c, &a, 0));
  for (int i = 0; i < 2; i++) {
    mo_transform extreme = mo_transform_make(there.origin, (mo_quat){0, 0, 0, 1},
                                             mo_scale(i == 0 ? 1e-25f : 1e25f, mo_vec(1, 1, 1)));
    const mo_shape d = shape_of(&ball, &extreme);
    cr_assert(!are_apart(&a, &d, 0) && !are_apart(&d, &a, 0) && !are_apart(&d, &d, 0));
  }
}
