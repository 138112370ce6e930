/* Removes the rounding balls from bodies. */
#include "geometry/convex/balls.h"

#include <string.h>

/* Ellipsoids whose unevenness is below this count as balls in the search for a direction. */
static const double nearly_even = 0x1p-20;

static void take(mo_minkowski *sum, mo_balls *balls, int which) {
  int kept = 0;
  balls->count[which] = 0;
  for (int i = 0; i < sum->ellipsoids; ++i) {
    const bool is_ball = mo_ellipsoid_unevenness(sum->axes[i], 3) <= nearly_even;
    balls->radii += is_ball ? mo_dlength(sum->axes[i][0]) : 0.0;
    memmove(is_ball ? balls->axes[which][balls->count[which]++] : sum->axes[kept++], sum->axes[i],
            sizeof sum->axes[i]);
  }
  sum->ellipsoids = kept;
}

void mo_difference_take_balls(mo_difference *d, mo_balls *balls) {
  balls->radii = 0.0;
  take(&d->a, balls, 0);
  take(&d->b, balls, 1);
}
