/* mo_hull_create on points of any bits: what it refuses and why; what it makes is the convex hull
 * of the points by whole numbers of many digits (geometry/hull/polytope.h), in any order of the
 * points; no memory is left over. */
#include <motte/hull.h>
#include <motte/mass.h>

#include "fuzz/points.h"
#include "geometry/hull/polytope.h"
#include "support/counting_allocator.h"

enum { MAX = 40 };

typedef struct subject {
  mo_vec3 points[MAX];
  uint32_t count, limit;
} subject;

static mo_result create(const subject *s, const mo_host *host, mo_hull **hull, size_t *bad) {
  mo_hull_def def = mo_default_hull_def();
  def.positions = s->points;
  def.position_count = s->count;
  def.vertex_limit = s->limit;
  def.host = *host;
  def.first_bad = bad;
  return mo_hull_create(&def, hull);
}

static void check_refusal(const subject *s, mo_result result, size_t bad) {
  size_t at = MO_NO_INDEX;
  mo_result expected = s->limit < 4 || s->count == 0
                           ? MO_ERROR_INVALID_ARGUMENT
                           : fuzz_points_refused(s->points, s->count, &at);
  if (expected == MO_OK) {
    expected = polytope_is_line(s->points, s->count) ? MO_ERROR_INVALID_ARGUMENT : MO_OK;
    at = MO_NO_INDEX;
  }
  FUZZ_CHECK(result == expected, "%s, expected %s", mo_result_name(result),
             mo_result_name(expected));
  FUZZ_CHECK(result == MO_OK || bad == at || result == MO_ERROR_INVALID_ARGUMENT,
             "first_bad is %zu, expected %zu", bad, at);
}

/* The same points in the opposite order give the same vertices. */
static void check_order(const subject *s, const mo_host *host, const mo_hull *hull) {
  subject reversed = {.count = s->count, .limit = s->limit};
  for (uint32_t i = 0; i < s->count; i++) {
    reversed.points[i] = s->points[s->count - 1 - i];
  }
  mo_hull *other = NULL;
  size_t bad = 0;
  mo_vec3 vertices[2][MAX];
  uint32_t totals[2];
  mo_result result = create(&reversed, host, &other, &bad);
  FUZZ_CHECK(result == MO_OK, "in the opposite order: %s", mo_result_name(result));
  FUZZ_CHECK(mo_hull_get_vertices(hull, vertices[0], MAX, &totals[0]) == MO_OK, "vertices");
  FUZZ_CHECK(mo_hull_get_vertices(other, vertices[1], MAX, &totals[1]) == MO_OK, "vertices");
  FUZZ_CHECK(totals[0] == totals[1] &&
                 memcmp(vertices[0], vertices[1], totals[0] * sizeof *vertices[0]) == 0,
             "the order of points matters: %u vertices, %u in the opposite order", totals[0],
             totals[1]);
  mo_hull_release(other);
}

static void check_mass(mo_hull *hull) {
  mo_geometry geometry = {.type = MO_SHAPE_HULL, .hull = hull};
  mo_mass_properties mass;
  mo_hull_info info;
  FUZZ_CHECK(mo_hull_get_info(hull, &info) == MO_OK, "info");
  mo_result result = mo_geometry_get_mass_properties(&geometry, NULL, &mass);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  FUZZ_CHECK(fabs(mass.volume - info.volume) <= 1e-6 * info.volume, "volumes %g and %g",
             mass.volume, info.volume);
}

static void check_hull(const subject *s, const mo_host *host, mo_hull *hull) {
  mo_hull_info info;
  mo_result result = mo_hull_validate(hull);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  FUZZ_CHECK(mo_hull_get_info(hull, &info) == MO_OK, "info");
  FUZZ_CHECK(info.vertex_count <= s->limit, "more vertices than the limit");
  bool limited = info.vertex_count == s->limit;
  const char *fault = polytope_fault(hull, s->points, s->count, limited);
  FUZZ_CHECK(fault == NULL, "%s", fault);
  FUZZ_CHECK(limited || info.distance_lost == 0, "points are lost, though there is no limit");
  check_order(s, host, hull);
  check_mass(hull);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes b = {.data = data, .size = size};
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  subject s = {.limit = UINT32_MAX};
  uint8_t options = fuzz_byte(&b);
  b.wild = options & 1;
  s.count = options >> 1 < MAX ? options >> 1 : MAX / 2;
  s.limit = fuzz_chance(&b, 64) ? fuzz_below(&b, 12) : s.limit;
  fuzz_points(&b, s.points, s.count);
  mo_hull *hull = NULL;
  size_t bad = MO_NO_INDEX;
  mo_result result = create(&s, &host, &hull, &bad);
  check_refusal(&s, result, bad);
  if (result == MO_OK) {
    check_hull(&s, &host, hull);
  } else {
    FUZZ_CHECK(hull == NULL, "a hull in spite of %s", mo_result_name(result));
  }
  mo_hull_release(hull);
  FUZZ_CHECK(counting_allocator_is_clean(&counter), "memory is left over");
  return 0;
}
