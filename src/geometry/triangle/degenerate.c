/* Whether a triangle has no area, exactly: its projections on the coordinate planes have none. */
#include "geometry/triangle/degenerate.h"

#include "geometry/triangle/orient.h"

bool mo_triangle_is_degenerate_exactly(const mo_vec3 c[3]) {
  const double x[3] = {c[0].x, c[1].x, c[2].x};
  const double y[3] = {c[0].y, c[1].y, c[2].y};
  const double z[3] = {c[0].z, c[1].z, c[2].z};
  return mo_doubled_area_2d(y, z) == 0.0 && mo_doubled_area_2d(z, x) == 0.0 &&
         mo_doubled_area_2d(x, y) == 0.0;
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
