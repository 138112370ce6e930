/* Orientation and support mapping against whole numbers of many digits. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/hull/clouds.h"
#include "geometry/hull/hull.h"
#include "geometry/triangle/orient.h"
#include "oracle/exact.h"

static int sign(double x) {
  return (x > 0) - (x < 0);
}

static void check_orientation(const mo_vec3 points[4]) {
  int expected = exact_orientation(points);
  cr_assert_eq(sign(mo_orientation(points, 1.0)), expected);
  cr_assert_eq(sign(mo_orientation(points, 0x1p-30)), expected);
}

static float perturbed(rng *r, float x) {
  uint32_t choice = rng_below(r, 3);
  return choice == 0 ? x : nextafterf(x, choice == 1 ? 1e30f : -1e30f);
}

/* Points of a cloud, and points that are nearly in the plane of others. */
Test(hull_exact, orientation) {
  rng r = rng_make(rng_seed("hull_exact/orientation", 68));
  for (uint64_t i = 0; i < rng_rounds(20000, 3000000); i++) {
    mo_vec3 points[4];
    cloud_kind kind = (cloud_kind)rng_below(&r, CLOUD_KINDS);
    cloud_fill(kind, points, 4, &r);
    check_orientation(points);
    float s = rng_float(&r, 0, 1), t = rng_float(&r, 0, 1);
    points[3].x = points[0].x + s * (points[1].x - points[0].x) + t * (points[2].x - points[0].x);
    points[3].y = points[0].y + s * (points[1].y - points[0].y) + t * (points[2].y - points[0].y);
    points[3].z = points[0].z + s * (points[1].z - points[0].z) + t * (points[2].z - points[0].z);
    points[3].x = perturbed(&r, points[3].x);
    points[3].y = perturbed(&r, points[3].y);
    check_orientation(points);
  }
}

Test(hull_exact, extremes) {
  static const float values[] = {0,          FLT_TRUE_MIN, -FLT_TRUE_MIN, 1,
                                 1.0000001f, 1e30f,        -1e30f,        0x1p-60f};
  rng r = rng_make(rng_seed("hull_exact/extremes", 69));
  for (uint64_t i = 0; i < rng_rounds(20000, 1000000); i++) {
    mo_vec3 points[4];
    for (int k = 0; k < 4; k++) {
      points[k].x = values[rng_below(&r, 8)];
      points[k].y = values[rng_below(&r, 8)];
      points[k].z = values[rng_below(&r, 8)];
    }
    check_orientation(points);
  }
}

static uint32_t support_by_loop(const mo_hull *hull, mo_vec3 direction) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < hull->vertex_count; i++) {
    if (exact_comparison(direction, mo_hull_vertex(hull, i), mo_hull_vertex(hull, best)) > 0) {
      best = i;
    }
  }
  return best;
}

static mo_vec3 any_direction(const mo_hull *hull, rng *r) {
  const mo_hull_polygon *face = &hull->faces[rng_below(r, hull->face_count)];
  switch (rng_below(r, 6)) {
  case 0: /* along an axis */
    return (mo_vec3){rng_chance(r, 0.5) ? 1 : -1, 0, 0};
  case 1: /* of a face: nearly equal dot products */
    return mo_narrow(face->normal);
  case 2:
    return (mo_vec3){0, 0, 0};
  case 3: {
    mo_vec3 d = rng_direction(r);
    return mo_vec(d.x * 1e-30f, d.y * 1e-30f, d.z * 1e-30f);
  }
  case 4: {
    float x = rng_float(r, -1, 1);
    return mo_vec(x, -x, 0);
  }
  default:
    return rng_direction(r);
  }
}

/* The scan by each instruction set and the climb from any vertex have the answer of the loop. */
Test(hull_exact, support) {
  uint32_t (*const scans[MO_ISA_COUNT])(const mo_hull *, mo_dvec3) = MO_ISA_TABLE(mo_hull_scan);
  rng r = rng_make(rng_seed("hull_exact/support", 70));
  static mo_vec3 points[3000];
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    for (uint64_t round = 0; round < rng_rounds(6, 100); round++) {
      uint32_t count = round % 2 == 0 ? 100 + rng_below(&r, 2900) : 100;
      cloud_fill((cloud_kind)kind, points, count, &r);
      mo_hull_def def = cloud_def(points, count);
      mo_hull *hull = NULL;
      cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
      for (int i = 0; i < 60; i++) {
        mo_vec3 direction = any_direction(hull, &r);
        uint32_t expected = support_by_loop(hull, direction);
        uint32_t start = rng_below(&r, hull->vertex_count);
        cr_assert_eq(mo_hull_hill_climb(hull, mo_widen(direction), start), expected);
        cr_assert_eq(mo_hull_farthest_vertex(hull, mo_widen(direction), start), expected);
        cr_assert_eq(mo_hull_farthest_vertex(hull, mo_widen(direction), MO_NONE), expected);
        for (int isa = MO_ISA_SCALAR; isa < MO_ISA_COUNT; isa++) {
          mo_isa resolved;
          if (hull->vertex_count <= MO_HULL_MAX_SCANNED_VERTICES && scans[isa] != NULL &&
              mo_isa_resolve((mo_isa)isa, &resolved) == MO_OK) {
            cr_assert_eq(scans[isa](hull, mo_widen(direction)), expected, "%s, %s",
                         cloud_name((cloud_kind)kind), mo_isa_name((mo_isa)isa));
          }
        }
      }
      mo_hull_release(hull);
    }
  }
}

/* All vertices are on the inner side of all planes, exactly, and planes are not far out. */
Test(hull_exact, planes) {
  rng r = rng_make(rng_seed("hull_exact/planes", 71));
  static mo_vec3 points[200];
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    cloud_fill((cloud_kind)kind, points, 200, &r);
    mo_hull_def def = cloud_def(points, 200);
    mo_hull *hull = NULL;
    cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
    double size = hull->reach.x + hull->reach.y + hull->reach.z;
    for (uint32_t i = 0; i < hull->face_count; i++) {
      mo_plane plane = hull->faces[i].plane;
      double min = INFINITY;
      for (uint32_t k = 0; k < hull->vertex_count; k++) {
        mo_vec3 v = mo_hull_vertex(hull, k);
        mo_expansion e = {.count = 0};
        mo_expansion_add(&e, (double)plane.normal.x * (double)v.x);
        mo_expansion_add(&e, (double)plane.normal.y * (double)v.y);
        mo_expansion_add(&e, (double)plane.normal.z * (double)v.z);
        mo_expansion_add(&e, (double)plane.offset);
        cr_assert_geq(mo_expansion_sign(&e), 0);
        min = fmin(min, mo_expansion_value(&e));
      }
      cr_assert_leq(min, 4e-7 * size + 0x1p-148, "%s", cloud_name((cloud_kind)kind));
    }
    mo_hull_release(hull);
  }
}
