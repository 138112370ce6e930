/* Boxes around images of point sets: they hold every image, are no larger than those of the set's
 * box, and far smaller where that is mostly empty. */
#include <criterion/criterion.h>

#include "math/dop.h"
#include "support/rng.h"

enum { POINTS = 40 };

typedef struct set {
  uint32_t count;
  mo_vec3 p[POINTS];
} set;

static double support(const void *points, mo_dvec3 middle, mo_dvec3 d) {
  const set *s = points;
  double max = -INFINITY;
  for (uint32_t i = 0; i < s->count; i++) {
    max = fmax(max, mo_dop_height_along(s->p[i], middle, d));
  }
  return max;
}

/* Some are flat, lie on a lattice, far from the origin, or have extents of any magnitude. */
static set any_set(rng *r) {
  set s = {.count = 1 + rng_below(r, POINTS)};
  mo_vec3 scale = {1, 1, 1}, at = {0, 0, 0};
  if (rng_chance(r, 0.3)) {
    scale = mo_vec(exp2f(rng_float(r, -60, 40)), exp2f(rng_float(r, -60, 40)),
                   rng_chance(r, 0.3) ? 0 : exp2f(rng_float(r, -140, 40)));
  }
  if (rng_chance(r, 0.3)) {
    at = mo_scale(exp2f(rng_float(r, -60, 40)), rng_direction(r));
  }
  bool round = rng_chance(r, 0.5), lattice = rng_chance(r, 0.3);
  for (uint32_t i = 0; i < s.count; i++) {
    mo_vec3 p = round ? rng_direction(r) : rng_vec3(r, -1, 1);
    if (lattice) {
      p = mo_vec(rintf(2 * p.x), rintf(2 * p.y), rintf(2 * p.z));
    }
    s.p[i] = mo_vec(p.x * scale.x + at.x, p.y * scale.y + at.y, p.z * scale.z + at.z);
  }
  return s;
}

static mo_transform any_transform(rng *r) {
  mo_transform t = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_TRANSFORM_KINDS), 100);
  float *m = &t.x_axis.x;
  for (int i = 0; i < 9; i++) {
    m[i] = rng_chance(r, 0.1) ? 0 : m[i];
  }
  if (rng_chance(r, 0.2)) {
    t.x_axis = mo_scale(exp2f(rng_float(r, -40, 20)), t.x_axis);
    t.y_axis = mo_scale(exp2f(rng_float(r, -40, 20)), t.y_axis);
  }
  if (rng_chance(r, 0.3)) {
    t.origin = mo_scale(exp2f(rng_float(r, -60, 60)), rng_direction(r));
  }
  return t;
}

static mo_aabb box_of(const set *s) {
  mo_aabb box = mo_aabb_empty();
  for (uint32_t i = 0; i < s->count; i++) {
    box = mo_aabb_add_point(box, s->p[i]);
  }
  return box;
}

static bool holds(mo_aabb box, mo_dvec3 p) {
  return (double)box.lower.x <= p.x && p.x <= (double)box.upper.x && (double)box.lower.y <= p.y &&
         p.y <= (double)box.upper.y && (double)box.lower.z <= p.z && p.z <= (double)box.upper.z;
}

/* Whether a box contains another but for rounding, which is in proportion to the origin and to all
 * that is added to it. */
static bool is_within(mo_aabb inner, mo_aabb outer, const mo_transform *t, mo_vec3 reach) {
  const float min = 0x1p-100f;
  reach = mo_add(reach, mo_vec(min, min, min));
  for (int axis = 0; axis < 3; axis++) {
    double size = fabs((double)mo_get(t->origin, axis)) +
                  fabs((double)mo_get(t->x_axis, axis) * reach.x) +
                  fabs((double)mo_get(t->y_axis, axis) * reach.y) +
                  fabs((double)mo_get(t->z_axis, axis) * reach.z);
    double error = size * 0x1p-18 + 0x1p-90;
    if ((double)mo_get(inner.lower, axis) < (double)mo_get(outer.lower, axis) - error ||
        (double)mo_get(inner.upper, axis) > (double)mo_get(outer.upper, axis) + error) {
      return false;
    }
  }
  return true;
}

Test(dop, boxes_hold_every_image_and_are_not_larger_than_those_of_the_box) {
  rng r = rng_make(rng_seed("dop", 61));
  uint64_t rounds = rng_rounds(4000, 400000);
  for (uint64_t i = 0; i < rounds; i++) {
    set s = any_set(&r);
    mo_aabb own = box_of(&s);
    mo_dop dop;
    mo_dop_init(&dop, own, support, &s);
    for (int k = 0; k < 8; k++) {
      mo_transform t = any_transform(&r);
      mo_affine affine;
      if (mo_affine_init(&affine, &t) != MO_OK) {
        continue;
      }
      mo_aabb box = mo_dop_to_world(&dop, &affine);
      mo_aabb whole = mo_affine_aabb_to_world(&affine, own);
      mo_vec3 reach = mo_aabb_max_coordinates(whole);
      if (!(fmaxf(fmaxf(reach.x, reach.y), reach.z) <= MO_MAX_COORDINATE)) {
        continue;
      }
      for (uint32_t p = 0; p < s.count; p++) {
        cr_assert(holds(box, mo_affine_point_to_world(&affine, s.p[p])), "round %ju", (uintmax_t)i);
        cr_assert(holds(box, mo_widen(mo_affine_point_to_world_float(&affine, s.p[p]))),
                  "round %ju", (uintmax_t)i);
      }
      cr_assert(is_within(box, whole, &t, mo_aabb_max_coordinates(own)),
                "round %ju: %a %a %a to %a %a %a, not %a %a %a to %a %a %a", (uintmax_t)i,
                (double)box.lower.x, (double)box.lower.y, (double)box.lower.z, (double)box.upper.x,
                (double)box.upper.y, (double)box.upper.z, (double)whole.lower.x,
                (double)whole.lower.y, (double)whole.lower.z, (double)whole.upper.x,
                (double)whole.upper.y, (double)whole.upper.z);
    }
  }
}

/* Where an axis of the world sees one local axis, bounds are the smallest of floats. */
Test(dop, boxes_of_unrotated_sets_are_the_smallest) {
  rng r = rng_make(rng_seed("plain dop", 62));
  for (int i = 0; i < 1000; i++) {
    set s = any_set(&r);
    mo_dop dop;
    mo_dop_init(&dop, box_of(&s), support, &s);
    mo_transform t = mo_transform_identity();
    t.origin = rng_vec3(&r, -100, 100);
    if (rng_chance(&r, 0.5)) { /* a quarter turn */
      t.x_axis = mo_vec(0, -2, 0);
      t.y_axis = mo_vec(0.5f, 0, 0);
    }
    mo_affine affine;
    cr_assert_eq(mo_affine_init(&affine, &t), MO_OK);
    mo_aabb box = mo_dop_to_world(&dop, &affine);
    mo_aabb whole = mo_affine_aabb_to_world(&affine, box_of(&s));
    cr_assert(mo_aabb_contains(box, whole) && mo_aabb_contains(whole, box));
  }
}

/* Exact where the axes of the world are directions of the polytope; of a ball up to an eighth more,
 * where its rotated box is up to 73 % wider. */
Test(dop, boxes_are_tight) {
  rng r = rng_make(rng_seed("tight dop", 63));
  for (int i = 0; i < 200; i++) {
    static set ball;
    ball.count = POINTS;
    for (uint32_t p = 0; p < POINTS; p++) {
      ball.p[p] = rng_direction(&r);
    }
    mo_dop dop;
    mo_dop_init(&dop, box_of(&ball), support, &ball);
    mo_affine affine;
    mo_transform t = mo_transform_identity();
    float half = sqrtf(0.5f);
    mo_vec3 h = mo_vec(dop.half.x, dop.half.y, dop.half.z);
    t.x_axis = mo_vec(half / h.x, -half / h.x, 0);
    t.y_axis = mo_vec(half / h.y, half / h.y, 0);
    cr_assert_eq(mo_affine_init(&affine, &t), MO_OK);
    mo_aabb box = mo_dop_to_world(&dop, &affine), images = mo_aabb_empty();
    for (uint32_t p = 0; p < POINTS; p++) {
      images = mo_aabb_add_point(images, mo_affine_point_to_world_float(&affine, ball.p[p]));
    }
    cr_assert_float_eq(box.upper.x, images.upper.x, 1e-4f);
    cr_assert_float_eq(box.lower.y, images.lower.y, 1e-4f);
    t = rng_transform(&r, RNG_RIGID, 1);
    cr_assert_eq(mo_affine_init(&affine, &t), MO_OK);
    box = mo_dop_to_world(&dop, &affine);
    for (int axis = 0; axis < 3; axis++) {
      cr_assert_lt(mo_get(box.upper, axis) - mo_get(box.lower, axis), 2.3f);
    }
  }
}
