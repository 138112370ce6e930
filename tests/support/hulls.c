#include "support/hulls.h"

#include "support/plain.h"
#include "support/steady.h"

enum { MAX_POINTS = 3000 };

static mo_vec3 prism_corner(uint32_t i) {
  float angle = (float)(i / 2) * 0.52359878f;
  return (mo_vec3){0.6f * steady_cosine(angle), 0.6f * steady_sine(angle), i % 2 ? 0.8f : -0.3f};
}

static mo_vec3 lattice_point(rng *r) {
  float x = (float)rng_below(r, 5);
  float y = (float)rng_below(r, 5);
  float z = (float)rng_below(r, 4);
  return (mo_vec3){0.25f * x - 0.5f, 0.25f * y - 0.5f, 0.25f * z - 0.5f};
}

/* Whole thousandths, so that all lie in the plane exactly. */
static mo_vec3 slope_point(rng *r) {
  float x = (float)rng_below(r, 401) - 200;
  float y = (float)rng_below(r, 401) - 200;
  return (mo_vec3){x * 0x1p-9f, y * 0x1p-9f, (2 * x - 3 * y) * 0x1p-10f};
}

static mo_vec3 point_of(test_hull_kind kind, uint32_t i, rng *r) {
  mo_vec3 p = rng_vec3(r, -1, 1);
  mo_vec3 d = rng_direction(r);
  switch (kind) {
  case TEST_HULL_CUBE:
    return (mo_vec3){i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f};
  case TEST_HULL_LATTICE:
    return lattice_point(r);
  case TEST_HULL_PRISM:
    return prism_corner(i);
  case TEST_HULL_PLATE:
    return (mo_vec3){p.x, 0.25f, p.z};
  case TEST_HULL_SLOPE:
    return slope_point(r);
  case TEST_HULL_NEEDLE:
    return (mo_vec3){1e-6f * p.x, p.y, 1e-6f * p.z};
  case TEST_HULL_FLAKE:
    return (mo_vec3){p.x, p.y, 0.3f * p.x - 0.7f * p.y};
  case TEST_HULL_STONE:
  case TEST_HULL_ROUND:
  case TEST_HULL_LARGE:
    return (mo_vec3){0.8f * d.x + 0.1f, 0.9f * d.y, d.z};
  case TEST_HULL_TETRAHEDRON:
  case TEST_HULL_BALL:
  case TEST_HULL_KINDS:
    break;
  }
  return p;
}

mo_hull *test_hull_make(test_hull_kind kind, const mo_host *host) {
  static const uint32_t counts[TEST_HULL_KINDS] = {
      [TEST_HULL_TETRAHEDRON] = 4, [TEST_HULL_CUBE] = 8,    [TEST_HULL_BALL] = 12,
      [TEST_HULL_LATTICE] = 100,   [TEST_HULL_PRISM] = 24,  [TEST_HULL_PLATE] = 20,
      [TEST_HULL_SLOPE] = 20,      [TEST_HULL_NEEDLE] = 20, [TEST_HULL_FLAKE] = 20,
      [TEST_HULL_STONE] = 60,      [TEST_HULL_ROUND] = 400, [TEST_HULL_LARGE] = MAX_POINTS,
  };
  rng r = rng_make(40 + (uint64_t)kind);
  static mo_vec3 points[MAX_POINTS];
  for (uint32_t i = 0; i < counts[kind]; i++) {
    points[i] = point_of(kind, i, &r);
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = counts[kind];
  if (host != NULL) {
    def.host = *host;
  }
  mo_hull *hull = NULL;
  need(mo_hull_create(&def, &hull), "mo_hull_create");
  return hull;
}

mo_hull *test_hull(test_hull_kind kind) {
  static mo_hull *hulls[TEST_HULL_KINDS];
  if (hulls[kind] == NULL) {
    hulls[kind] = test_hull_make(kind, NULL);
  }
  return hulls[kind];
}

mo_hull *test_hull_random(rng *r) {
  test_hull_kind kind = (test_hull_kind)rng_below(r, TEST_HULL_ROUND);
  if (rng_chance(r, 0.02)) {
    kind = rng_chance(r, 0.5) ? TEST_HULL_ROUND : TEST_HULL_LARGE;
  }
  return test_hull(kind);
}
