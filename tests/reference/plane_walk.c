/* The plain traversal by planes, one node of it: which octants a ray crosses, and in which
 * order. */
#include "reference/plane_walk.h"

#include <criterion/criterion.h>
#include <math.h>

#include "support/rng.h"

/* The octants that a walk visits, but for those that it crosses for no longer than a rounding
 * error. */
typedef struct trail {
  uint32_t octants[2 * MO_LANE_COUNT];
  uint32_t count;
} trail;

static const float BRIEF = 1e-4f;

static bool note(uint32_t octant, float t0, float t1, void *context) {
  trail *w = context;
  cr_assert_leq(t0, t1);
  if (t1 - t0 > BRIEF) {
    cr_assert_lt(w->count, 2 * MO_LANE_COUNT);
    w->octants[w->count++] = octant;
  }
  return false;
}

static float part(const mo_vec3 *v, int axis) {
  return (&v->x)[axis];
}

/* The same from the points where the segment from `a` to `b` crosses the planes x = 0, y = 0 and z
 * = 0. False where two crossings, or one and an end, are too close together to be ordered. */
static bool cross(const mo_vec3 *a, const mo_vec3 *b, trail *w) {
  float at[5] = {0, 1};
  uint32_t flip[5] = {0}, count = 2, octant = 0;
  for (int axis = 0; axis < 3; axis++) {
    float from = part(a, axis), to = part(b, axis);
    octant |= from > 0 ? 4u >> axis : 0;
    if ((from > 0) != (to > 0)) {
      uint32_t i = count++;
      for (float t = from / (from - to); i > 0 && at[i - 1] > t; i--) {
        at[i] = at[i - 1];
        flip[i] = flip[i - 1];
      }
      at[i] = from / (from - to);
      flip[i] = 4u >> axis;
    }
  }
  w->count = 0;
  for (uint32_t i = 0; i + 1 < count; i++) {
    octant ^= flip[i];
    w->octants[w->count++] = octant;
    if (at[i + 1] - at[i] < 3 * BRIEF) {
      return false;
    }
  }
  return true;
}

/* The faces of a cube of half width one. */
static mo_vec3 on_a_face(rng *r) {
  mo_vec3 p = rng_vec3(r, -1, 1);
  (&p.x)[rng_below(r, 3)] = rng_chance(r, 0.5) ? 1 : -1;
  return p;
}

/* Three planes cut eight octants, of which a ray may cross four. A limit of three would lose the
 * last octant of each ray whose ends lie on opposite sides of all planes: one ray in eight here. */
Test(plane_walk, crosses_up_to_four_octants) {
  rng r = rng_make(rng_seed("octree/plane_walk", 21));
  const float middle[3] = {0, 0, 0};
  const mo_vec3 weights = mo_vec(1, 1, 1), reach = mo_vec(1, 1, 1);
  mo_nested_planes planes;
  mo_nested_planes_of_octants(7, middle, &planes);
  mo_bounds8 bounds;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    mo_vec3 low = mo_vec(octant & 4 ? 0 : -1, octant & 2 ? 0 : -1, octant & 1 ? 0 : -1);
    mo_vec3 high = mo_vec(low.x + 1, low.y + 1, low.z + 1);
    mo_bounds8_set(&bounds, (int)octant, (mo_aabb){low, high});
  }
  uint32_t crossed[5] = {0}, rays = 0;
  for (uint64_t i = 0, n = rng_rounds(50000, 5000000); i < n; i++) {
    mo_vec3 a = on_a_face(&r), b = on_a_face(&r);
    trail expected, walked = {.count = 0};
    if (!cross(&a, &b, &expected)) {
      continue;
    }
    mo_vec3 along = mo_vec(b.x - a.x, b.y - a.y, b.z - a.z);
    mo_ray ray;
    mo_ray_init(&ray, &a, &along, 0, &weights, &reach, MO_RAY_MARGIN);
    const reference_plane_walk walk = {&ray, &bounds, &planes, note, &walked};
    reference_walk_planes(&walk, 0, 1 / ray.t_scale);
    cr_assert_eq(walked.count, expected.count);
    for (uint32_t k = 0; k < walked.count; k++) {
      cr_assert_eq(walked.octants[k], expected.octants[k]);
    }
    cr_assert_leq(walked.count, 4);
    crossed[walked.count]++;
    rays++;
  }
  double four = (double)crossed[4] / rays;
  cr_log_info("octants crossed: 1 by %u, 2 by %u, 3 by %u, 4 by %u: %.2f %%", crossed[1],
              crossed[2], crossed[3], crossed[4], 100 * four);
  cr_expect(four > 0.115 && four < 0.135, "%g", four);
}
