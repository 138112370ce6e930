/* Bad input is a documented code; every allocation may fail; damage is found. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/hull/clouds.h"
#include "geometry/hull/hull.h"
#include "support/counting_allocator.h"

static counting_allocator counter;

static mo_hull_def counted(const mo_vec3 *points, uint32_t count) {
  mo_hull_def def = cloud_def(points, count);
  def.host = counting_allocator_host(&counter);
  return def;
}

static void refused(const mo_hull_def *def, mo_result expected, const char *what) {
  mo_hull *const untouched = (mo_hull *)(uintptr_t)0x40;
  mo_hull *hull = untouched;
  mo_result result = mo_hull_create(def, &hull);
  cr_assert_eq(result, expected, "%s: %s", what, mo_result_name(result));
  cr_assert_eq(hull, untouched, "%s: the output was written", what);
  cr_assert(counting_allocator_is_clean(&counter), "%s: memory is outstanding", what);
}

Test(hull_errors, numbers) {
  static const struct {
    float value;
    mo_result result;
  } bad[] = {{NAN, MO_ERROR_NOT_FINITE},
             {INFINITY, MO_ERROR_NOT_FINITE},
             {-INFINITY, MO_ERROR_NOT_FINITE},
             {1.0001e30f, MO_ERROR_OUT_OF_RANGE},
             {-FLT_MAX, MO_ERROR_OUT_OF_RANGE}};
  counting_allocator_init(&counter);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    for (size_t k = 0; k < 15; k++) {
      mo_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1f, 0.1f, 0.1f}};
      ((float *)points)[k] = bad[i].value;
      mo_hull_def def = counted(points, 5);
      size_t first_bad = 77;
      def.first_bad = &first_bad;
      refused(&def, bad[i].result, "a bad coordinate");
      cr_assert_eq(first_bad, k / 3);
    }
  }
}

/* Points without an area have no hull, however many there are and wherever they lie. */
Test(hull_errors, no_area) {
  counting_allocator_init(&counter);
  static mo_vec3 points[1000];
  static const mo_vec3 directions[] = {
      {0, 0, 0}, {1, 0, 0}, {1, 2, 3}, {1e25f, 0, 1e25f}, {0x1p-149f, 0, 0}};
  for (size_t k = 0; k < sizeof directions / sizeof *directions; k++) {
    for (uint32_t count = 1; count <= 1000; count += 333) {
      for (uint32_t i = 0; i < count; i++) {
        float t = (float)(i % 100);
        points[i] = (mo_vec3){t * directions[k].x, t * directions[k].y, t * directions[k].z};
      }
      mo_hull_def def = counted(points, count);
      refused(&def, MO_ERROR_INVALID_ARGUMENT, "points on a line");
    }
  }
}

Test(hull_errors, stride) {
  counting_allocator_init(&counter);
  char bytes[8 * 17 + 1];
  for (uint32_t i = 0; i < 8; i++) {
    mo_vec3 p = {i & 1 ? 1 : 0, i & 2 ? 1 : 0, i & 4 ? 1 : 0};
    memcpy(bytes + 1 + 17 * i, &p, sizeof p);
  }
  mo_hull_def def = counted((const mo_vec3 *)(uintptr_t)(bytes + 1), 8);
  def.position_stride = 17;
  mo_hull *hull = NULL;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  mo_hull_info info;
  cr_assert_eq(mo_hull_get_info(hull, &info), MO_OK);
  cr_assert(info.vertex_count == 8 && info.face_count == 6 && info.volume == 1);
  cr_assert_eq(info.bytes, counter.outstanding_bytes);
  mo_hull_retain(hull);
  mo_hull_release(hull);
  cr_assert_eq(mo_hull_validate(hull), MO_OK);
  mo_hull_release(hull);
  mo_hull_release(NULL);
  mo_hull_retain(NULL);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(hull_errors, every_allocation_fails) {
  enum { COUNT = 400 };
  rng r = rng_make(rng_seed("hull_errors/memory", 72));
  static mo_vec3 points[COUNT];
  for (int kind = 0; kind < 3; kind++) {
    cloud_fill(kind == 2 ? CLOUD_FLAT : CLOUD_SPHERE, points, COUNT, &r);
    counting_allocator_init(&counter);
    mo_hull_def def = counted(points, COUNT);
    def.vertex_limit = kind == 1 ? 50 : kind == 2 ? 5 : MO_MAX_HULL_POINTS;
    size_t first_bad = 0;
    def.first_bad = &first_bad;
    bool failed = true;
    size_t nth = 1;
    for (; failed; nth++) {
      for (int after = 0; after < 2; after++) {
        mo_hull *hull = NULL;
        counting_allocator_fail_at(&counter, nth, after);
        mo_result result = mo_hull_create(&def, &hull);
        failed = counter.calls >= nth;
        cr_assert_eq(result, failed ? MO_ERROR_OUT_OF_MEMORY : MO_OK, "allocation %zu", nth);
        cr_assert_eq(hull != NULL, !failed);
        cr_assert(!failed || first_bad == MO_NO_INDEX);
        mo_hull_release(hull);
        cr_assert(counting_allocator_is_clean(&counter), "allocation %zu", nth);
      }
    }
    cr_assert_gt(nth, 20);
  }
}

static mo_hull *fresh(void) {
  rng r = rng_make(5);
  static mo_vec3 points[60];
  cloud_fill(CLOUD_LATTICE, points, 60, &r);
  mo_hull_def def = cloud_def(points, 60);
  mo_hull *hull = NULL;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  cr_assert_eq(mo_hull_validate(hull), MO_OK);
  return hull;
}

/* Every damage is found. */
#define DAMAGED(change)                                                                            \
  do {                                                                                             \
    mo_hull *hull = fresh();                                                                       \
    mo_hull whole = *hull;                                                                         \
    change;                                                                                        \
    cr_assert_eq(mo_hull_validate(hull), MO_ERROR_CORRUPT, "%s", #change);                         \
    whole.references = 1;                                                                          \
    *hull = whole;                                                                                 \
    mo_hull_release(hull);                                                                         \
  } while (0)

Test(hull_errors, validate) {
  DAMAGED(hull->coordinates[0] -= 1);
  DAMAGED(hull->coordinates[3] = NAN);
  DAMAGED(hull->coordinates[hull->vertex_count - 1] = nextafterf(2, 3));
  DAMAGED(hull->bounds.upper.y += 1);
  DAMAGED(hull->vertex_count--);
  DAMAGED(hull->face_count--);
  DAMAGED(hull->half_edge_count -= 2);
  DAMAGED(hull->flat = true);
  DAMAGED(hull->faces[1].plane.offset -= 0.01f);
  DAMAGED(hull->faces[1].plane.normal.x += 0.01f);
  DAMAGED(hull->faces[2].normal.x += 0.1);
  DAMAGED(hull->faces[0].count--);
  DAMAGED(hull->faces[1].first++);
  DAMAGED(hull->half_edges[4].twin ^= 1);
  DAMAGED(hull->half_edges[4].twin = UINT32_MAX);
  DAMAGED(hull->half_edges[4].face ^= 1);
  DAMAGED(hull->half_edges[4].vertex = UINT32_MAX);
  DAMAGED(hull->half_edges[4].vertex ^= 1);
  DAMAGED(hull->first_neighbor[2]++);
  DAMAGED(hull->first_neighbor[0]++);
  DAMAGED(hull->neighbors[5] ^= 1);
}
