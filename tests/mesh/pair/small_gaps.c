/* Separations of two filled boxes that are as small as the spacing of floats where they are: at the
 * end the centre of the smaller one is outside of the larger one. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/mesh.h>
#include <motte/separation.h>

#include "support/rng.h"

/* A closed box around the origin. */
static mo_mesh *box(float half) {
  static const uint32_t indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
  mo_vec3 corners[8];
  for (int i = 0; i < 8; i++) {
    corners[i] = (mo_vec3){i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half};
  }
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *made;
  def.positions = corners;
  def.vertex_count = 8;
  def.indices = indices;
  def.index_type = MO_INDEX_U32;
  def.triangle_count = 12;
  cr_assert_eq(mo_mesh_create(&def, &made), MO_OK);
  return made;
}

/* How far inside of a box a point is. */
static double depth_in(float half, mo_vec3 center, mo_vec3 origin, mo_vec3 translation) {
  const double away[3] = {fabs((double)(origin.x + translation.x) - (double)center.x),
                          fabs((double)(origin.y + translation.y) - (double)center.y),
                          fabs((double)(origin.z + translation.z) - (double)center.z)};
  return (double)half - fmax(away[0], fmax(away[1], away[2]));
}

static float about(rng *r, float center, float half) {
  return center + 1.2f * half * rng_float(r, -1, 1);
}

Test(small_gaps, nothing_ends_inside) {
  rng r = rng_make(rng_seed("small_gaps", 9311));
  const uint64_t rounds = rng_few_rounds(4000, 60000);
  uint64_t found = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const float at = powf(10, rng_float(&r, 1, 6)), spacing = at * 0x1p-23f;
    const float half = spacing * exp2f(rng_float(&r, 2, 9));
    const float other_half = half * exp2f(-rng_float(&r, 5, 20));
    mo_mesh *larger = box(half), *smaller = box(other_half);
    mo_separation_mesh_def def = mo_default_separation_mesh_def();
    mo_mesh_separation separation;
    def.other = smaller;
    def.is_filled = def.other_is_filled = true;
    def.transform.origin = (mo_vec3){at, at, at};
    def.other_transform.origin.x = about(&r, at, half);
    def.other_transform.origin.y = about(&r, at, half);
    def.other_transform.origin.z = about(&r, at, half);
    cr_assert_eq(mo_mesh_find_separation_mesh(larger, &def, &separation, NULL), MO_OK);
    if (separation.overlaps && separation.found) {
      const double depth =
          depth_in(half, def.transform.origin, def.other_transform.origin, separation.translation);
      cr_assert(depth <= 0, "round %llu: at %g, boxes of %g and %g: %g inside",
                (unsigned long long)i, (double)at, (double)half, (double)other_half, depth);
      found++;
    }
    mo_mesh_release(larger);
    mo_mesh_release(smaller);
  }
  cr_assert(found > rounds / 3, "%llu of %llu", (unsigned long long)found,
            (unsigned long long)rounds);
}
