/* Triangle against box. */
#include <criterion/criterion.h>

#include "geometry/triangle/triangle.h"
#include "oracle/primitive.h"

static bool overlaps(mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_aabb box) {
  const mo_dvec3 corners[3] = {mo_widen(a), mo_widen(b), mo_widen(c)};
  return mo_triangle_overlaps_aabb(corners, box);
}

static const mo_aabb unit_box = {{-1, -1, -1}, {1, 1, 1}};

Test(triangle_box, known_answers) {
  mo_vec3 far = mo_vec(9, 9, 9);
  cr_assert(overlaps(mo_vec(0, 0, 0), far, far, unit_box), "corner inside");
  cr_assert(overlaps(mo_vec(1, 1, 1), far, far, unit_box), "corner touches corner");
  cr_assert(overlaps(mo_vec(9, -9, 0), mo_vec(-9, -9, 0), mo_vec(0, 9, 0), unit_box),
            "pierced by the box");
  cr_assert(!overlaps(mo_vec(1.5f, 0, 0), far, mo_vec(9, 0, 0), unit_box), "beyond a face");
  /* Past a corner of the box, across all three axes: only the triangle's plane
   * separates. */
  cr_assert(overlaps(mo_vec(3, 0, 0), mo_vec(0, 3, 0), mo_vec(0, 0, 3), unit_box),
            "through corner");
  cr_assert(!overlaps(mo_vec(3.1f, 0, 0), mo_vec(0, 3.1f, 0), mo_vec(0, 0, 3.1f), unit_box));
  /* Past an edge of the box: only the cross product of two edges separates them. */
  cr_assert(overlaps(mo_vec(2, 0, 0), mo_vec(0, 2, 0), mo_vec(5, 5, 1), unit_box), "on an edge");
  cr_assert(!overlaps(mo_vec(2.01f, 0, 0), mo_vec(0, 2.01f, 0), mo_vec(5, 5, 1), unit_box));
}

Test(triangle_box, flat_boxes_and_points) {
  mo_vec3 a = mo_vec(0, 0, 0), b = mo_vec(8, 0, 8), c = mo_vec(0, 8, 8);
  mo_vec3 in = mo_vec(2, 2, 4), above = mo_vec(2, 2, 4.0001f);
  cr_assert(overlaps(a, b, c, (mo_aabb){in, in}));
  cr_assert(!overlaps(a, b, c, (mo_aabb){above, above}));
  cr_assert(overlaps(a, b, c, (mo_aabb){{2, 2, -1}, {2, 2, 9}}), "a segment");
  cr_assert(!overlaps(a, b, c, (mo_aabb){{7, 7, -1}, {7, 7, 20}}), "a segment beside");
  cr_assert(overlaps(a, b, c, (mo_aabb){{-1, -1, 4}, {9, 9, 4}}), "a rectangle");
  cr_assert(!overlaps(a, b, c, (mo_aabb){{7, 7, 4}, {9, 9, 4}}), "a rectangle beside");
  cr_assert(!overlaps(a, b, c, mo_aabb_empty()));
}

Test(triangle_box, degenerate_triangles) {
  mo_vec3 p = mo_vec(1, 1, 1), q = mo_vec(1.0001f, 1, 1);
  cr_assert(overlaps(p, p, p, unit_box));
  cr_assert(!overlaps(q, q, q, unit_box));
  /* Segments past an edge of the box. */
  cr_assert(overlaps(mo_vec(2, 0, 0), mo_vec(0, 2, 0), mo_vec(1, 1, 0), unit_box));
  cr_assert(!overlaps(mo_vec(2.1f, 0, 0), mo_vec(0, 2.1f, 0), mo_vec(1.05f, 1.05f, 0), unit_box));
  cr_assert(!overlaps(mo_vec(2.1f, 0, 0), mo_vec(0, 2.1f, 0), mo_vec(0, 2.1f, 0), unit_box));
}

/* A point of the triangle lies exactly on the box, mostly on its face, edge or corner. */
Test(triangle_box, touching_counts) {
  rng r = rng_make(rng_seed("triangle_box touching", 11));
  uint64_t rounds = rng_rounds(200000, 5000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    mo_vec3 p = lattice_triangle(&r, corners);
    float scale = lattice_scale(&r);
    uint32_t sides;
    mo_aabb whole = lattice_box(&r, p, &sides);
    mo_aabb box = {mo_scale(scale, whole.lower), mo_scale(scale, whole.upper)};
    if (rng_chance(&r, 0.3)) { /* so large that its centre is rounded */
      float much = rng_float(&r, 0.5f, 1) * mo_min(scale * 0x1p52f, 1e30f);
      mo_vec3 *far = sides & 1 ? &box.upper : &box.lower;
      far->x = sides & 1 ? much : -much;
      if (sides & 2) {
        box.upper.y = much / 3;
      }
    }
    mo_dvec3 wide[3];
    for (int k = 0; k < 3; ++k) {
      wide[k] = mo_widen(mo_scale(scale, corners[k]));
    }
    cr_assert(mo_triangle_overlaps_aabb(wide, box), "round %llu", (unsigned long long)i);
    /* The same at a distance, where floats still hold it. */
    mo_vec3 away = mo_vec(0x1p14f, -0x1p15f, 0x1p14f);
    for (int k = 0; k < 3; ++k) {
      wide[k] = mo_widen(mo_add(corners[k], away));
    }
    box = (mo_aabb){mo_add(whole.lower, away), mo_add(whole.upper, away)};
    cr_assert(mo_triangle_overlaps_aabb(wide, box), "round %llu", (unsigned long long)i);
  }
}

/* A yes means a distance of about 0, a no a distance above 0. */
Test(triangle_box, agrees_with_the_distance) {
  rng r = rng_make(rng_seed("triangle_box distance", 12));
  uint64_t rounds = rng_rounds(6000, 300000);
  uint64_t yes = 0, no_within = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 corners[3];
    random_triangle(&r, corners);
    float offset = rng_chance(&r, 0.2) ? 1000.0f : 0.0f;
    float scale = rng_chance(&r, 0.2) ? powf(10, rng_float(&r, -29, 26)) : 1.0f;
    float wide_box = rng_chance(&r, 0.2) ? 100.0f : 0.7f;
    mo_vec3 a = rng_vec3(&r, -1, 1), size = mo_scale(wide_box, rng_vec3(&r, 0, 1));
    if (rng_chance(&r, 0.2)) {
      size.x = 0;
    }
    if (rng_chance(&r, 0.2)) {
      size.y = 0;
    }
    if (rng_chance(&r, 0.3)) { /* face to face with a corner */
      a = corners[rng_below(&r, 3)];
      a.x = nextafterf(a.x, 2);
    }
    mo_dvec3 wide[3];
    mo_vec3 away = mo_vec(offset, offset, -offset);
    for (int k = 0; k < 3; ++k) {
      wide[k] = mo_widen(mo_scale(scale, mo_add(corners[k], away)));
    }
    mo_aabb box = {mo_scale(scale, mo_add(a, away)),
                   mo_scale(scale, mo_add(mo_add(a, size), away))};
    bool answer = mo_triangle_overlaps_aabb(wide, box);
    ldouble distance = triangle_distance(wide, box_region, &box);
    mo_vec3 box_reach = mo_aabb_max_coordinates(box);
    double reach = fmax(reach_of(wide), fmax(box_reach.x, fmax(box_reach.y, box_reach.z)));
    if (answer) {
      cr_assert(distance <= 1e-7L * reach, "round %llu: yes at %Lg of %g", (unsigned long long)i,
                distance, reach);
    } else {
      cr_assert(distance > 0, "round %llu: no, but they touch", (unsigned long long)i);
      no_within += distance < 0.1L * reach;
    }
    yes += answer;
  }
  cr_assert(yes > rounds / 10 && no_within > rounds / 10);
}

/* Slivers next to boxes that they barely miss. */
Test(triangle_box, slivers_do_not_deceive) {
  rng r = rng_make(rng_seed("triangle_box slivers", 13));
  uint64_t rounds = rng_rounds(6000, 300000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_dvec3 wide[3];
    mo_vec3 a = rng_vec3(&r, -1, 1), b = rng_vec3(&r, -1, 1);
    float s = rng_float(&r, 0, 1);
    double width = pow(10, rng_float(&r, -16, -4));
    wide[0] = mo_widen(a);
    wide[1] = mo_widen(b);
    wide[2] = mo_dadd(mo_dadd(mo_dscale(1.0 - (double)s, wide[0]), mo_dscale(s, wide[1])),
                      mo_dscale(width, mo_widen(rng_direction(&r))));
    /* A box with a corner, an edge or a face close to a point of it. */
    float t = rng_float(&r, 0, 1);
    mo_vec3 near = mo_add(mo_add(mo_scale(1 - t, a), mo_scale(t, b)),
                          mo_scale(powf(10, rng_float(&r, -9, -5)), rng_direction(&r)));
    mo_vec3 size = rng_vec3(&r, 0, 1);
    uint32_t sides = rng_below(&r, 8);
    mo_vec3 lower =
        mo_vec(sides & 1 ? near.x : near.x - size.x, sides & 2 ? near.y : near.y - size.y,
               sides & 4 ? near.z : near.z - size.z);
    mo_aabb box = {lower, mo_add(lower, size)};
    if (mo_triangle_overlaps_aabb(wide, box)) {
      ldouble distance = triangle_distance(wide, box_region, &box);
      cr_assert(distance <= 1e-7L, "round %llu: yes at %Lg", (unsigned long long)i, distance);
    }
  }
}
