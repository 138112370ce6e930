/* Boxes mapped by affine maps never lose a point: culling relies on it. */
#include <criterion/criterion.h>
#include <float.h>

#include "math/affine.h"
#include "support/rng.h"

/* Transforms of all kinds, and with wild magnitudes per axis and far origins. */
static mo_transform any_transform(rng *r) {
  mo_transform t = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_TRANSFORM_KINDS), 100);
  if (rng_chance(r, 0.3)) {
    t.x_axis = mo_scale(exp2f(rng_float(r, -40, 40)), t.x_axis);
    t.y_axis = mo_scale(exp2f(rng_float(r, -40, 40)), t.y_axis);
    t.z_axis = mo_scale(exp2f(rng_float(r, -40, 40)), t.z_axis);
  }
  if (rng_chance(r, 0.3)) {
    t.origin = mo_scale(exp2f(rng_float(r, -60, 60)), rng_direction(r));
    if (rng_chance(r, 0.5)) {
      t.origin.y = 0;
    }
  }
  return t;
}

static bool usable(mo_affine *affine, const mo_transform *t) {
  return mo_affine_init(affine, t) == MO_OK;
}

static mo_vec3 any_point(rng *r) {
  mo_vec3 p = rng_vec3(r, -1, 1);
  if (rng_chance(r, 0.3)) {
    p = mo_scale(exp2f(rng_float(r, -30, 30)), p);
  }
  if (rng_chance(r, 0.2)) {
    p.z = 0;
  }
  return p;
}

static bool contains(mo_aabb box, mo_dvec3 p) {
  return (double)box.lower.x <= p.x && p.x <= (double)box.upper.x && (double)box.lower.y <= p.y &&
         p.y <= (double)box.upper.y && (double)box.lower.z <= p.z && p.z <= (double)box.upper.z;
}

Test(affine_regions, world_boxes_contain_every_image) {
  rng r = rng_make(rng_seed("world boxes", 21));
  uint64_t rounds = rng_rounds(100000, 5000000);
  for (uint64_t i = 0; i < rounds; i++) {
    mo_transform t = any_transform(&r);
    mo_affine affine;
    if (!usable(&affine, &t)) {
      continue;
    }
    mo_aabb box = mo_aabb_add_point(mo_aabb_empty(), any_point(&r));
    box = mo_aabb_add_point(box, any_point(&r));
    mo_aabb world = mo_affine_aabb_to_world(&affine, box);
    for (int k = 0; k < 12; k++) {
      mo_vec3 p = {k & 1 ? box.lower.x : box.upper.x, k & 2 ? box.lower.y : box.upper.y,
                   k & 4 ? box.lower.z : box.upper.z};
      if (k >= 8) {
        p = rng_point_in(&r, box);
      }
      cr_assert(contains(world, mo_affine_point_to_world(&affine, p)), "round %ju", (uintmax_t)i);
      cr_assert(contains(world, mo_widen(mo_affine_point_to_world_float(&affine, p))), "round %ju",
                (uintmax_t)i);
    }
  }
}

Test(affine_regions, world_boxes_are_the_smallest) {
  rng r = rng_make(rng_seed("smallest world boxes", 22));
  for (int i = 0; i < 20000; i++) {
    mo_transform t = any_transform(&r);
    mo_affine affine;
    if (!usable(&affine, &t)) {
      continue;
    }
    mo_aabb box = mo_aabb_add_point(mo_aabb_empty(), any_point(&r));
    box = mo_aabb_add_point(box, any_point(&r));
    mo_aabb smallest = mo_aabb_empty();
    for (int k = 0; k < 8; k++) {
      mo_dvec3 w = mo_affine_point_to_world(&affine, mo_vec(k & 1 ? box.lower.x : box.upper.x,
                                                            k & 2 ? box.lower.y : box.upper.y,
                                                            k & 4 ? box.lower.z : box.upper.z));
      mo_aabb around = {{mo_round_down(w.x), mo_round_down(w.y), mo_round_down(w.z)},
                        {mo_round_up(w.x), mo_round_up(w.y), mo_round_up(w.z)}};
      smallest = mo_aabb_union(smallest, around);
    }
    mo_aabb world = mo_affine_aabb_to_world(&affine, box);
    cr_assert(mo_aabb_contains(world, smallest) && mo_aabb_contains(smallest, world));
  }
}

Test(affine_regions, empty_stays_empty) {
  mo_transform t = mo_transform_identity();
  mo_affine affine;
  cr_assert(usable(&affine, &t));
  cr_assert(mo_aabb_is_empty(mo_affine_aabb_to_world(&affine, mo_aabb_empty())));
  cr_assert(mo_aabb_is_empty(mo_affine_aabb_to_local(&affine, mo_aabb_empty())));
}

/* A region with the image of a point on its border, or within: a corner, a face, anything. */
static mo_aabb box_with(rng *r, mo_dvec3 w, double size) {
  mo_aabb box = {{mo_round_down(w.x), mo_round_down(w.y), mo_round_down(w.z)},
                 {mo_round_up(w.x), mo_round_up(w.y), mo_round_up(w.z)}};
  float *lower[3] = {&box.lower.x, &box.lower.y, &box.lower.z};
  float *upper[3] = {&box.upper.x, &box.upper.y, &box.upper.z};
  for (int axis = 0; axis < 3; axis++) {
    float extent = (float)(size * exp2((double)rng_float(r, -30, 3)));
    switch (rng_below(r, 5)) {
    case 0:
      *lower[axis] -= extent;
      break;
    case 1:
      *upper[axis] += extent;
      break;
    case 2:
      *lower[axis] -= extent;
      *upper[axis] += extent;
      break;
    case 3:
      if (rng_chance(r, 0.1)) {
        *lower[axis] = -MO_MAX_COORDINATE;
        *upper[axis] = MO_MAX_COORDINATE;
      }
      break;
    default:
      break;
    }
  }
  return box;
}

/* The region with a margin for the rounding of an image. */
static mo_aabb with_margin(mo_aabb region, const mo_affine *affine, mo_vec3 p) {
  const mo_transform *map = &affine->to_world;
  for (int axis = 0; axis < 3; axis++) {
    double terms = fabs((double)mo_get(map->origin, axis)) +
                   fabs((double)mo_get(map->x_axis, axis) * p.x) +
                   fabs((double)mo_get(map->y_axis, axis) * p.y) +
                   fabs((double)mo_get(map->z_axis, axis) * p.z);
    (&region.lower.x)[axis] = mo_round_down((&region.lower.x)[axis] - 0x1p-48 * terms);
    (&region.upper.x)[axis] = mo_round_up((&region.upper.x)[axis] + 0x1p-48 * terms);
  }
  return region;
}

static double length(mo_dvec3 v) {
  return sqrt(mo_ddot(v, v));
}

static bool in_range(mo_dvec3 w) {
  return fabs(w.x) < 1e29 && fabs(w.y) < 1e29 && fabs(w.z) < 1e29;
}

/* A point and where a map takes it, which is so far from the map's origin. */
static bool any_image(rng *r, mo_affine *affine, mo_vec3 *p, mo_dvec3 *w, double *far) {
  mo_transform t = any_transform(r);
  if (!usable(affine, &t) || !affine->invertible) {
    return false;
  }
  *p = any_point(r);
  *w = mo_affine_point_to_world(affine, *p);
  *far = length(mo_dsub(*w, mo_widen(t.origin)));
  return in_range(*w);
}

Test(affine_regions, local_boxes_contain_every_preimage) {
  rng r = rng_make(rng_seed("local boxes", 23));
  uint64_t rounds = rng_rounds(300000, 20000000), tested = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_affine affine;
    mo_vec3 p;
    mo_dvec3 w;
    double far;
    if (!any_image(&r, &affine, &p, &w, &far)) {
      continue;
    }
    mo_aabb region = box_with(&r, w, far);
    cr_assert(contains(region, w));
    region = with_margin(region, &affine, p);
    mo_aabb local = mo_affine_aabb_to_local(&affine, region);
    cr_assert(contains(local, mo_widen(p)), "round %ju", (uintmax_t)i);
    tested++;
  }
  cr_assert_gt(tested, rounds / 4);
}

/* Conservative is easy; it must cull as well. */
Test(affine_regions, local_boxes_are_tight) {
  rng r = rng_make(rng_seed("tight local boxes", 25));
  for (int i = 0; i < 20000; i++) {
    float scale = exp2f(rng_float(&r, -20, 20));
    mo_transform t = mo_transform_make(rng_vec3(&r, -10, 10), (mo_quat){0, 0, 0, 1},
                                       mo_vec(scale, -2 * scale, 3 * scale));
    mo_affine affine;
    cr_assert(usable(&affine, &t));
    mo_vec3 c = mo_add(t.origin, rng_vec3(&r, -1, 1));
    mo_aabb region = {mo_sub(c, mo_vec(1, 1, 1)), mo_add(c, mo_vec(1, 1, 1))};
    mo_aabb local = mo_affine_aabb_to_local(&affine, region);
    double expected[3] = {2 / (double)scale, 1 / (double)scale, 2 / 3.0 / (double)scale};
    for (int axis = 0; axis < 3; axis++) {
      double width = (double)mo_get(local.upper, axis) - (double)mo_get(local.lower, axis);
      cr_assert_float_eq(width / expected[axis], 1, 4e-6);
    }
  }
}

/* A box that is endless along one axis still culls along the others. */
Test(affine_regions, huge_extents_do_not_spoil_other_axes) {
  mo_transform t = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1e6f, 10, 10}};
  mo_affine affine;
  cr_assert(usable(&affine, &t));
  mo_aabb column = {{1e6f, -MO_MAX_COORDINATE, 10}, {1e6f + 2, MO_MAX_COORDINATE, 12}};
  mo_aabb local = mo_affine_aabb_to_local(&affine, column);
  cr_assert_float_eq((double)local.lower.x, 0, 1e-5);
  cr_assert_float_eq((double)local.upper.x, 1, 1e-5);
  cr_assert_float_eq((double)local.upper.z, 1, 1e-5);
  cr_assert_leq(local.lower.y, -0.49e30f);
}
