/* Sizes bound squared diagonals as any arithmetic finds them, and closely. */
#include <criterion/criterion.h>
#include <float.h>

#include "scene/size.h"
#include "support/rng.h"

static double square(double a) {
  return a * a;
}

static double diagonal2_of(const mo_aabb *box) {
  return square((double)box->upper.x - (double)box->lower.x) +
         square((double)box->upper.y - (double)box->lower.y) +
         square((double)box->upper.z - (double)box->lower.z);
}

Test(scene_size, bounds_diagonals_closely) {
  rng r = rng_make(rng_seed("scene size", 501));
  for (uint64_t i = 0, n = rng_rounds(200000, 20000000); i < n; i++) {
    float width = ldexpf(1, (int)rng_below(&r, 200) - 140);
    float far = fminf(ldexpf(width, (int)rng_below(&r, 30)), 1e30f);
    mo_vec3 lower = rng_vec3(&r, -far, far), extent = rng_vec3(&r, 0, width);
    mo_aabb box = {lower, {lower.x + extent.x, lower.y + extent.y, lower.z + extent.z}};
    if (rng_chance(&r, 0.1)) {
      box.upper.x = box.lower.x;
      box.upper.y = rng_chance(&r, 0.5) ? box.lower.y : box.upper.y;
    }
    double exact = diagonal2_of(&box), bound = mo_box_size_diagonal2(mo_box_size_of(&box));
    cr_assert_leq(exact, bound, "%a over %a", exact, bound);
    if (exact > FLT_MIN && bound < FLT_MAX) {
      cr_assert_leq(bound, exact * (1 + 0x1p-7 + 0x1p-18), "%a far over %a", bound, exact);
    }
  }
}

/* Boxes whose squared diagonal is rounded down to a value that the upper half of a float holds
 * exactly. */
Test(scene_size, rounding_is_allowed_for) {
  rng r = rng_make(rng_seed("scene size/rounding", 502));
  uint32_t down = 0;
  for (int i = 0; i < 2000000; i++) {
    mo_vec3 extent = rng_vec3(&r, 1, 2);
    mo_aabb box = {{0, 0, 0}, extent};
    float found = extent.x * extent.x + extent.y * extent.y + extent.z * extent.z;
    uint32_t bits;
    memcpy(&bits, &found, sizeof bits);
    down += (bits & 0xffff) == 0 && diagonal2_of(&box) > (double)found;
    cr_assert_leq(diagonal2_of(&box), mo_box_size_diagonal2(mo_box_size_of(&box)));
  }
  cr_assert_gt(down, 0);
}

Test(scene_size, extremes) {
  mo_aabb point = {{1, 2, 3}, {1, 2, 3}}, huge = {{-1e30f, -1e30f, -1e30f}, {1e30f, 1e30f, 1e30f}};
  cr_assert(mo_box_size_of(&point) > 0 && mo_box_size_diagonal2(mo_box_size_of(&point)) < FLT_MIN);
  cr_assert_eq(mo_box_size_diagonal2(mo_box_size_of(&huge)), INFINITY);
  cr_assert_eq(mo_box_size_of_diagonal2(FLT_MAX), mo_box_size_of_diagonal2(INFINITY));
  cr_assert_eq(mo_box_size_diagonal2(0), 0);
}
