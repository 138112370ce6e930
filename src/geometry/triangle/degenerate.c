/* Whether a triangle has no area, exactly.
 *
 * In each coordinate plane twice its area is a sum of six products of coordinates:
 *
 *   (y1 - y0) (z2 - z0) - (z1 - z0) (y2 - y0)  =  y0 z1 - z0 y1  +  y1 z2 - z1 y2  +  y2 z0 - z2 y0
 *
 * A product of two floats is exact in double; the sum is computed exactly as an expansion. */
#include "geometry/triangle/degenerate.h"

#include "geometry/triangle/expansion.h"

/* Whether the triangle's projection on a coordinate plane has no area. */
static bool corners_are_collinear(const double x[3], const double y[3]) {
  mo_expansion e = {.count = 0};
  for (int i = 0; i < 3; i++) {
    int next = (i + 1) % 3;
    mo_expansion_add(&e, x[i] * y[next]);
    mo_expansion_add(&e, -(y[i] * x[next]));
  }
  return mo_expansion_sign(&e) == 0.0;
}

bool mo_triangle_is_degenerate_exactly(const mo_vec3 c[3]) {
  const double x[3] = {c[0].x, c[1].x, c[2].x};
  const double y[3] = {c[0].y, c[1].y, c[2].y};
  const double z[3] = {c[0].z, c[1].z, c[2].z};
  return corners_are_collinear(y, z) && corners_are_collinear(z, x) && corners_are_collinear(x, y);
}

uint32_t mo_degenerate_lanes(const float (*corner)[3][8], uint32_t lanes) {
  uint32_t degenerate = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    mo_vec3 corners[3];
    for (int i = 0; i < 3; i++) {
      corners[i] = mo_vec(corner[i][0][lane], corner[i][1][lane], corner[i][2][lane]);
    }
    degenerate |= (uint32_t)mo_triangle_is_degenerate(corners) << lane;
  }
  return degenerate;
}
