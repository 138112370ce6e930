/* Hulls of few points against a loop over all triples of them, with exact signs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/hull/clouds.h"
#include "oracle/exact.h"

enum { MAX = 16, MAX_PLANES = 200 };

/* The polytope by definition. Points are distinct. */
typedef struct brute {
  mo_vec3 points[MAX];
  uint32_t count;
  uint32_t planes[MAX_PLANES]; /* the points in each supporting plane, as bits */
  uint32_t plane_count;
  uint32_t vertices; /* as bits: points in three planes or more */
} brute;

static bool is_same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void add_distinct(brute *o, mo_vec3 point) {
  for (uint32_t i = 0; i < o->count; i++) {
    if (is_same(o->points[i], point)) {
      return;
    }
  }
  o->points[o->count++] = point;
}

/* Adds the plane of three points if all others are on one side. False where all are in it. */
static bool add_plane(brute *o, uint32_t a, uint32_t b, uint32_t c) {
  mo_vec3 corners[4] = {o->points[a], o->points[b], o->points[c]};
  if (exact_is_degenerate(corners)) {
    return true;
  }
  uint32_t in = 0, sides = 0;
  for (uint32_t i = 0; i < o->count; i++) {
    corners[3] = o->points[i];
    int side = exact_orientation(corners);
    in |= (uint32_t)(side == 0) << i;
    sides |= side > 0 ? 2 : side < 0 ? 1 : 0;
  }
  bool is_new = sides != 3;
  for (uint32_t i = 0; i < o->plane_count; i++) {
    is_new = is_new && o->planes[i] != in;
  }
  if (is_new) {
    cr_assert_lt(o->plane_count, MAX_PLANES);
    o->planes[o->plane_count++] = in;
  }
  return sides != 0;
}

/* False where the points have no volume. */
static bool brute_force(brute *o, const mo_vec3 *points, uint32_t count) {
  memset(o, 0, sizeof *o);
  for (uint32_t i = 0; i < count; i++) {
    add_distinct(o, points[i]);
  }
  for (uint32_t a = 0; a < o->count; a++) {
    for (uint32_t b = a + 1; b < o->count; b++) {
      for (uint32_t c = b + 1; c < o->count; c++) {
        if (!add_plane(o, a, b, c)) {
          return false;
        }
      }
    }
  }
  for (uint32_t i = 0; i < o->count; i++) {
    uint32_t planes = 0;
    for (uint32_t k = 0; k < o->plane_count; k++) {
      planes += o->planes[k] >> i & 1;
    }
    o->vertices |= (uint32_t)(planes >= 3) << i;
  }
  return o->plane_count > 0;
}

static uint32_t find_point(const brute *o, mo_vec3 point) {
  for (uint32_t i = 0; i < o->count; i++) {
    if (is_same(o->points[i], point)) {
      return i;
    }
  }
  cr_assert_fail("a vertex is no point that was given");
  return 0;
}

static void check_against(const brute *o, const mo_hull *hull) {
  mo_hull_info info;
  cr_assert_eq(mo_hull_get_info(hull, &info), MO_OK);
  cr_assert_not(info.flat);
  cr_assert_eq(info.vertex_count, (uint32_t)__builtin_popcount(o->vertices));
  cr_assert_eq(info.face_count, o->plane_count);
  mo_vec3 vertices[MAX];
  cr_assert_eq(mo_hull_get_vertices(hull, vertices, MAX, NULL), MO_OK);
  uint32_t seen = 0;
  for (uint32_t i = 0; i < info.vertex_count; i++) {
    seen |= 1u << find_point(o, vertices[i]);
  }
  cr_assert_eq(seen, o->vertices);
  for (uint32_t i = 0; i < info.face_count; i++) {
    mo_hull_face face;
    uint32_t loop[MAX], corners = 0;
    cr_assert_eq(mo_hull_get_face(hull, i, &face, loop, MAX), MO_OK);
    for (uint32_t k = 0; k < face.vertex_count; k++) {
      corners |= 1u << find_point(o, vertices[loop[k]]);
    }
    bool found = false;
    for (uint32_t k = 0; k < o->plane_count; k++) {
      found |= (o->planes[k] & o->vertices) == corners;
    }
    cr_assert(found, "face %u is none of the supporting planes", i);
  }
}

/* The hull of points without volume: a polygon whose vertices are those points that lie in no
 * triangle and on no segment of others, or nothing. */
static bool is_between(mo_vec3 p, mo_vec3 a, mo_vec3 b) {
  const mo_vec3 line[3] = {p, a, b};
  mo_vec3 direction = {b.x - a.x, b.y - a.y, b.z - a.z}; /* the signs are exact */
  return exact_is_degenerate(line) && exact_comparison(direction, p, a) >= 0 &&
         exact_comparison(direction, p, b) <= 0;
}

static bool is_extreme(const brute *o, uint32_t i, mo_vec3 above) {
  for (uint32_t a = 0; a < o->count; a++) {
    for (uint32_t b = 0; b < o->count; b++) {
      if (a == i || b == i || a == b) {
        continue;
      }
      if (is_between(o->points[i], o->points[a], o->points[b])) {
        return false;
      }
      for (uint32_t c = 0; c < o->count; c++) {
        const mo_vec3 p = o->points[i], corners[3] = {o->points[a], o->points[b], o->points[c]};
        if (c == a || c == b || c == i || exact_is_degenerate(corners)) {
          continue;
        }
        bool inside = true;
        for (int k = 0; k < 3 && inside; k++) {
          const mo_vec3 side[4] = {corners[k], corners[(k + 1) % 3], p, above};
          inside = exact_orientation(side) > 0;
        }
        if (inside) {
          return false;
        }
      }
    }
  }
  return true;
}

static void check_flat(const brute *o, const mo_hull *hull) {
  mo_hull_info info;
  cr_assert_eq(mo_hull_get_info(hull, &info), MO_OK);
  cr_assert(info.flat && info.face_count == 2 && info.volume == 0 && info.surface_area > 0);
  mo_vec3 vertices[MAX], above = {o->points[0].x, o->points[0].y, o->points[0].z};
  cr_assert_eq(mo_hull_get_vertices(hull, vertices, MAX, NULL), MO_OK);
  mo_hull_face face;
  cr_assert_eq(mo_hull_get_face(hull, 0, &face, NULL, 0), MO_OK);
  float *const axes[] = {&above.x, &above.y, &above.z};
  const float normal[] = {face.plane.normal.x, face.plane.normal.y, face.plane.normal.z};
  for (int k = 0; k < 3; k++) {
    *axes[k] = fabsf(normal[k]) > 0.5f ? *axes[k] + 4096 : *axes[k];
  }
  uint32_t extremes = 0, seen = 0;
  for (uint32_t i = 0; i < o->count; i++) {
    extremes |= (uint32_t)is_extreme(o, i, above) << i;
  }
  for (uint32_t i = 0; i < info.vertex_count; i++) {
    seen |= 1u << find_point(o, vertices[i]);
  }
  cr_assert_eq(seen, extremes);
}

static void check_cloud(const mo_vec3 *points, uint32_t count) {
  static brute o;
  bool has_volume = brute_force(&o, points, count);
  mo_hull_def def = cloud_def(points, count);
  mo_hull *hull = NULL;
  mo_result result = mo_hull_create(&def, &hull);
  if (result != MO_OK) {
    cr_assert_eq(result, MO_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i + 2 < o.count; i++) {
      cr_assert(exact_is_degenerate(&o.points[i]), "the points are on no line");
    }
    return;
  }
  cr_assert_eq(mo_hull_validate(hull), MO_OK);
  if (has_volume) {
    check_against(&o, hull);
  } else {
    check_flat(&o, hull);
  }
  mo_hull_release(hull);
}

static void check_kind(cloud_kind kind, uint32_t max, uint64_t rounds, rng *r) {
  for (uint64_t i = 0; i < rounds; i++) {
    mo_vec3 points[MAX];
    uint32_t count = 1 + rng_below(r, max);
    cloud_fill(kind, points, count, r);
    check_cloud(points, count);
  }
}

Test(hull_build, all_triples) {
  rng r = rng_make(rng_seed("hull_build/all_triples", 61));
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    if (kind != CLOUD_FLAT) {
      check_kind((cloud_kind)kind, 12, rng_rounds(30, 3000), &r);
    }
  }
  check_kind(CLOUD_LATTICE, MAX, rng_rounds(100, 5000), &r);
}

Test(hull_build, flat) {
  rng r = rng_make(rng_seed("hull_build/flat", 62));
  check_kind(CLOUD_FLAT, 10, rng_rounds(60, 3000), &r);
  for (uint64_t i = 0; i < rng_rounds(60, 3000); i++) {
    mo_vec3 points[MAX];
    uint32_t count = 1 + rng_below(&r, 12);
    cloud_fill(CLOUD_LATTICE, points, count, &r);
    for (uint32_t k = 0; k < count; k++) {
      points[k].y = points[k].x - points[k].z;
    }
    check_cloud(points, count);
  }
}

static uint64_t hash_of(const mo_vec3 *points, uint32_t count, uint32_t limit) {
  mo_hull_def def = cloud_def(points, count);
  def.vertex_limit = limit;
  mo_hull *hull = NULL;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  uint64_t hash = cloud_hull_hash(hull);
  mo_hull_release(hull);
  return hash;
}

/* The bits do not depend on the order of points, on duplicates, nor on the sign of zeros. */
Test(hull_build, order) {
  enum { COUNT = 500 };
  rng r = rng_make(rng_seed("hull_build/order", 63));
  static mo_vec3 points[COUNT], others[2 * COUNT];
  for (int kind = 0; kind < CLOUD_KINDS; kind++) {
    cloud_fill((cloud_kind)kind, points, COUNT, &r);
    uint64_t hash = hash_of(points, COUNT, MO_MAX_HULL_POINTS),
             limited = hash_of(points, COUNT, 12);
    for (uint64_t round = 0; round < rng_rounds(3, 50); round++) {
      memcpy(others, points, sizeof points);
      for (uint32_t i = COUNT; i < 2 * COUNT; i++) {
        others[i] = points[rng_below(&r, COUNT)];
      }
      uint32_t count = round == 0 ? COUNT : 2 * COUNT;
      for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t other = rng_below(&r, i + 1);
        mo_vec3 moved = others[i];
        others[i] = others[other];
        others[other] = moved;
        others[i].x = others[i].x == 0 && rng_chance(&r, 0.5) ? -others[i].x : others[i].x;
      }
      cr_assert_eq(hash_of(others, count, MO_MAX_HULL_POINTS), hash, "%s",
                   cloud_name((cloud_kind)kind));
      cr_assert_eq(hash_of(others, count, 12), limited, "%s", cloud_name((cloud_kind)kind));
    }
  }
}
