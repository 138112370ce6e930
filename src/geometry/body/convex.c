/* Solids under affine maps: construction, support mapping and bounds. */
#include "geometry/body/convex.h"

#include "base/inline.h"
#include "geometry/solid/bounds.h"

mo_convex mo_convex_sphere(mo_sphere sphere) {
  mo_geometry geometry = {.type = MO_SHAPE_SPHERE, .sphere = sphere};
  mo_solid solid = mo_sphere_read(&geometry);
  mo_transform identity = mo_transform_identity();
  return mo_convex_make(&solid, &identity);
}

/* Whether the sum or the difference of two vectors of floats is not representable in double. */
static bool sums_are_inexact(mo_dvec3 a, mo_dvec3 b) {
  mo_sum4 plus = {.value = mo_d4_of_vector(a)}, minus = plus;
  mo_sum4_add(&plus, mo_d4_of_vector(b));
  mo_sum4_add(&minus, -mo_d4_of_vector(b));
  return mo_d4_any(plus.bound + minus.bound > mo_d4_splat(0.0));
}

mo_convex mo_convex_aabb(mo_aabb box) {
  mo_dvec3 lower = mo_widen(box.lower), upper = mo_widen(box.upper);
  return (mo_convex){.solid = {.kind = MO_SOLID_BOX,
                               .a = mo_dscale(0.5, mo_dadd(lower, upper)),
                               .b = mo_dscale(0.5, mo_dsub(upper, lower))},
                     .column = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                     .is_inexact = sums_are_inexact(upper, lower),
                     .box = box};
}

mo_dvec3 mo_convex_support(const mo_convex *convex, mo_dvec3 direction) {
  double largest = mo_dmax_magnitude(direction);
  if (largest > 0.0) {
    direction = mo_ddivide(direction, largest);
  }
  /* The support point of the image of a solid is the image of the solid's support point along the
   * direction mapped by the transpose. */
  mo_dvec3 point = mo_solid_support(&convex->solid, mo_map_rows(convex->column, direction));
  return mo_dadd(convex->origin, mo_map_columns(convex->column, point));
}

void mo_convex_add_center(const mo_convex *convex, double sign, mo_sum4 *sum) {
  const mo_center_points core = mo_solid_center_points(&convex->solid);
  const mo_d4 column[3] = {mo_d4_of_vector(convex->column[0]), mo_d4_of_vector(convex->column[1]),
                           mo_d4_of_vector(convex->column[2])};
  mo_sum4_add(sum, sign * mo_d4_of_vector(convex->origin));
  for (int i = 0; i < core.count; ++i) {
    /* Products of floats are exact in double. */
    const mo_dvec3 part = mo_dscale(sign / core.count, core.point[i]);
    mo_sum4_add(sum, part.x * column[0]);
    mo_sum4_add(sum, part.y * column[1]);
    mo_sum4_add(sum, part.z * column[2]);
  }
}

mo_aabb mo_convex_bounds(const mo_convex *convex) {
  if (convex->is_inexact) {
    return convex->box;
  }
  const mo_dvec3 *c = convex->column, o = convex->origin;
  const mo_d4vec row = {
      {c[0].x, c[0].y, c[0].z}, {c[1].x, c[1].y, c[1].z}, {c[2].x, c[2].y, c[2].z}};
  mo_f4 lower, upper;
  mo_image_bounds(&convex->solid, &row, (mo_d4){o.x, o.y, o.z}, &lower, &upper);
  return (mo_aabb){mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)};
}
