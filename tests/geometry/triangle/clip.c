/* Triangles cut by planes: overlap with plane sets, and bounds of what a box leaves. */
#include <criterion/criterion.h>
#include <motte/query.h>

#include "geometry/triangle/triangle.h"
#include "oracle/primitive.h"

_Static_assert(MO_TRIANGLE_MAX_PLANES >= MO_MAX_PLANES, "the polygon must hold every cut");

static bool equal(mo_aabb a, mo_aabb b) {
  return mo_aabb_contains(a, b) && mo_aabb_contains(b, a);
}

/* Contains b, and is not larger than rounding outward makes it. */
static bool just_contains(mo_aabb a, mo_aabb b) {
  mo_vec3 ulp = mo_vec(1e-6f, 1e-6f, 1e-6f);
  return mo_aabb_contains(a, b) &&
         mo_aabb_contains((mo_aabb){mo_sub(b.lower, ulp), mo_add(b.upper, ulp)}, a);
}

Test(triangle_clip, bounds_known_answers) {
  const mo_vec3 corners[3] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 4}};
  mo_aabb whole = {{0, 0, 0}, {8, 8, 4}};
  cr_assert(equal(mo_triangle_clip_bounds(corners, (mo_aabb){{-1, -1, -1}, {9, 9, 9}}), whole));
  cr_assert(equal(mo_triangle_clip_bounds(corners, whole), whole));
  cr_assert(just_contains(mo_triangle_clip_bounds(corners, (mo_aabb){{-1, -1, -1}, {9, 4, 9}}),
                          (mo_aabb){{0, 0, 0}, {8, 4, 2}}));
  cr_assert(just_contains(mo_triangle_clip_bounds(corners, (mo_aabb){{-1, 4, -1}, {9, 9, 9}}),
                          (mo_aabb){{0, 4, 2}, {4, 8, 4}}));
  cr_assert(just_contains(mo_triangle_clip_bounds(corners, (mo_aabb){{4, 4, -1}, {9, 9, 9}}),
                          (mo_aabb){{4, 4, 2}, {4, 4, 2}}));
  cr_assert(mo_aabb_is_empty(mo_triangle_clip_bounds(corners, (mo_aabb){{5, 5, -1}, {9, 9, 9}})));
  cr_assert(mo_aabb_is_empty(mo_triangle_clip_bounds(corners, (mo_aabb){{1, 1, 3}, {2, 2, 9}})));
  cr_assert(mo_aabb_is_empty(mo_triangle_clip_bounds(corners, mo_aabb_empty())));
}

Test(triangle_clip, bounds_of_degenerate_triangles) {
  const mo_vec3 segment[3] = {{0, 0, 0}, {8, 4, 0}, {4, 2, 0}};
  cr_assert(just_contains(mo_triangle_clip_bounds(segment, (mo_aabb){{2, -9, -9}, {6, 9, 9}}),
                          (mo_aabb){{2, 1, 0}, {6, 3, 0}}));
  const mo_vec3 point[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  cr_assert(equal(mo_triangle_clip_bounds(point, (mo_aabb){{1, 2, 3}, {4, 4, 4}}),
                  (mo_aabb){{1, 2, 3}, {1, 2, 3}}));
}

/* A point of the triangle that lies in the box exactly is never lost. */
Test(triangle_clip, bounds_contain_lattice_points) {
  rng r = rng_make(rng_seed("triangle_clip lattice", 31));
  uint64_t rounds = rng_rounds(200000, 5000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    mo_vec3 p = lattice_triangle(&r, corners);
    float scale = lattice_scale(&r);
    uint32_t sides;
    mo_aabb whole = lattice_box(&r, p, &sides);
    mo_aabb box = {mo_scale(scale, whole.lower), mo_scale(scale, whole.upper)};
    p = mo_scale(scale, p);
    scale_triangle(scale, corners);
    mo_aabb bounds = mo_triangle_clip_bounds(corners, box);
    cr_assert(mo_aabb_contains(bounds, (mo_aabb){p, p}), "round %llu", (unsigned long long)i);
    cr_assert(mo_aabb_contains(box, bounds), "round %llu", (unsigned long long)i);
  }
}

/* The bounds of a finely sampled triangle, of the samples in a box that is larger by `margin`.
 * Samples lie on a triangular grid, edges included. */
static mo_aabb sampled_bounds(const mo_vec3 corners[3], mo_aabb box, int grid, double margin) {
  mo_aabb bounds = mo_aabb_empty();
  for (int i = 0; i <= grid; ++i) {
    for (int j = 0; i + j <= grid; ++j) {
      ldouble u = (ldouble)i / grid, v = (ldouble)j / grid;
      ldvec p =
          ld_add(ld_scale(1 - u - v, ld_float(corners[0])),
                 ld_add(ld_scale(u, ld_float(corners[1])), ld_scale(v, ld_float(corners[2]))));
      if (box_distance_squared(p, box) <= (ldouble)margin * margin) {
        mo_vec3 rounded = mo_vec((float)p.x, (float)p.y, (float)p.z);
        bounds = mo_aabb_add_point(bounds, rounded);
      }
    }
  }
  return bounds;
}

Test(triangle_clip, bounds_contain_samples_and_are_tight) {
  rng r = rng_make(rng_seed("triangle_clip samples", 32));
  uint64_t rounds = rng_rounds(3000, 100000);
  uint64_t cut = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    random_triangle(&r, corners);
    mo_vec3 a = rng_vec3(&r, -1, 1), b = rng_vec3(&r, -1, 1);
    if (rng_chance(&r, 0.5)) { /* a half-space, as builders cut */
      uint32_t axis = rng_below(&r, 3);
      mo_aabb half = {{-2, -2, -2}, {2, 2, 2}};
      *(axis == 0 ? &half.lower.x : axis == 1 ? &half.lower.y : &half.lower.z) = a.x;
      a = half.lower;
      b = half.upper;
    }
    mo_aabb box = {mo_vec(mo_min(a.x, b.x), mo_min(a.y, b.y), mo_min(a.z, b.z)),
                   mo_vec(mo_max(a.x, b.x), mo_max(a.y, b.y), mo_max(a.z, b.z))};
    mo_aabb bounds = mo_triangle_clip_bounds(corners, box);
    mo_aabb inner = sampled_bounds(corners, box, 100, 0);
    cr_assert(mo_aabb_is_empty(inner) || mo_aabb_contains(bounds, inner), "round %llu",
              (unsigned long long)i);
    if (!mo_aabb_is_empty(bounds)) {
      /* Every point is near a sample, and that sample near the box. */
      float step = 2 * 2.9f / 100;
      mo_aabb outer = sampled_bounds(corners, box, 100, (double)step);
      mo_vec3 more = mo_vec(step, step, step);
      outer = (mo_aabb){mo_sub(outer.lower, more), mo_add(outer.upper, more)};
      cr_assert(mo_aabb_contains(outer, bounds), "round %llu", (unsigned long long)i);
      cr_assert(mo_aabb_contains(box, bounds), "round %llu", (unsigned long long)i);
      mo_dvec3 wide[3];
      widen_triangle(corners, wide);
      ldouble distance = triangle_distance(wide, box_region, &box);
      cr_assert(distance < 1e-12L, "round %llu: not empty at %Lg", (unsigned long long)i, distance);
      ++cut;
    }
  }
  cr_assert(cut > rounds / 5);
}

/* Cutting again by the bounds themselves changes nothing: they are tight already. */
Test(triangle_clip, bounds_are_stable) {
  rng r = rng_make(rng_seed("triangle_clip stable", 33));
  uint64_t rounds = rng_rounds(100000, 3000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    random_triangle(&r, corners);
    mo_vec3 a = rng_vec3(&r, -1, 1);
    mo_aabb box = {a, mo_add(a, rng_vec3(&r, 0, 1))};
    mo_aabb once = mo_triangle_clip_bounds(corners, box);
    if (mo_aabb_is_empty(once)) {
      continue;
    }
    mo_aabb twice = mo_triangle_clip_bounds(corners, once);
    cr_assert(mo_aabb_contains(once, twice), "round %llu", (unsigned long long)i);
    float slack = 1e-5f; /* needles nearly along a face of the box */
    mo_vec3 more = mo_vec(slack, slack, slack);
    mo_aabb grown = {mo_sub(twice.lower, more), mo_add(twice.upper, more)};
    cr_assert(mo_aabb_contains(grown, once), "round %llu", (unsigned long long)i);
  }
}

static void box_planes(mo_aabb box, mo_plane planes[6]) {
  planes[0] = (mo_plane){{1, 0, 0}, -box.lower.x};
  planes[1] = (mo_plane){{-1, 0, 0}, box.upper.x};
  planes[2] = (mo_plane){{0, 1, 0}, -box.lower.y};
  planes[3] = (mo_plane){{0, -1, 0}, box.upper.y};
  planes[4] = (mo_plane){{0, 0, 1}, -box.lower.z};
  planes[5] = (mo_plane){{0, 0, -1}, box.upper.z};
}

Test(triangle_clip, planes_known_answers) {
  const mo_dvec3 corners[3] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}};
  cr_assert(mo_triangle_overlaps_planes(corners, NULL, 0), "no plane keeps all");
  mo_plane plane = {{1, 1, 0}, -8};
  cr_assert(mo_triangle_overlaps_planes(corners, &plane, 1), "an edge on the plane");
  plane.offset = nextafterf(-8, -9);
  cr_assert(!mo_triangle_overlaps_planes(corners, &plane, 1));
  plane = (mo_plane){{0, 0, -3}, 0};
  cr_assert(mo_triangle_overlaps_planes(corners, &plane, 1), "in the plane");
  mo_plane wedge[2] = {{{1, 0, 0}, -4}, {{0, 1, 0}, -4}};
  cr_assert(mo_triangle_overlaps_planes(corners, wedge, 2), "the middle of an edge");
  wedge[1].offset = -4.001f;
  cr_assert(!mo_triangle_overlaps_planes(corners, wedge, 2), "in each, but not in both");
  mo_plane slab[2] = {{{1, 0, 0}, -2}, {{-1, 0, 0}, 2}};
  cr_assert(mo_triangle_overlaps_planes(corners, slab, 2), "a slab of no width");
  slab[1].offset = 1.999f;
  cr_assert(!mo_triangle_overlaps_planes(corners, slab, 2));
}

Test(triangle_clip, planes_without_normal) {
  const mo_dvec3 corners[3] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}};
  mo_plane plane = {{0, 0, 0}, 1};
  cr_assert(mo_triangle_overlaps_planes(corners, &plane, 1));
  plane.offset = 0;
  cr_assert(mo_triangle_overlaps_planes(corners, &plane, 1));
  plane.offset = -1e-30f;
  cr_assert(!mo_triangle_overlaps_planes(corners, &plane, 1));
}

Test(triangle_clip, planes_through_lattice_points) {
  rng r = rng_make(rng_seed("triangle_clip planes", 34));
  uint64_t rounds = rng_rounds(100000, 3000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    mo_vec3 p = lattice_triangle(&r, corners);
    float scale = lattice_scale(&r);
    scale_triangle(scale, corners);
    mo_dvec3 wide[3];
    widen_triangle(corners, wide);
    mo_plane planes[MO_TRIANGLE_MAX_PLANES];
    uint32_t count = 1 + rng_below(&r, MO_TRIANGLE_MAX_PLANES);
    for (uint32_t k = 0; k < count; ++k) { /* with p on or inside each */
      mo_vec3 n = mo_vec((float)rng_below(&r, 9) - 4, (float)rng_below(&r, 9) - 4,
                         (float)rng_below(&r, 9) - 4);
      float inside = rng_chance(&r, 0.7) ? 0 : (float)rng_below(&r, 50);
      float factor = ldexpf(1, (int)rng_below(&r, 20) - 10);
      planes[k] = (mo_plane){mo_scale(factor, n), factor * scale * (inside - mo_dot(n, p))};
    }
    cr_assert(mo_triangle_overlaps_planes(wide, planes, count), "round %llu",
              (unsigned long long)i);
  }
}

/* The planes of a box say what the box says, but for rounding. */
Test(triangle_clip, planes_of_a_box_agree_with_the_box) {
  rng r = rng_make(rng_seed("triangle_clip box", 35));
  uint64_t rounds = rng_rounds(100000, 3000000);
  uint64_t yes = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    random_triangle(&r, corners);
    mo_dvec3 wide[3];
    widen_triangle(corners, wide);
    mo_vec3 a = rng_vec3(&r, -1, 1);
    mo_aabb box = {a, mo_add(a, rng_vec3(&r, 0, 1))};
    mo_plane planes[6];
    box_planes(box, planes);
    bool answer = mo_triangle_overlaps_planes(wide, planes, 6);
    if (answer != mo_triangle_overlaps_aabb(wide, box)) {
      ldouble distance = triangle_distance(wide, box_region, &box);
      cr_assert(distance < 1e-7L && (answer || distance > 0), "round %llu at %Lg",
                (unsigned long long)i, distance);
    }
    cr_assert(answer == !mo_aabb_is_empty(mo_triangle_clip_bounds(corners, box)), "round %llu",
              (unsigned long long)i);
    yes += answer;
  }
  cr_assert(yes > rounds / 20 && yes < rounds / 2);
}
