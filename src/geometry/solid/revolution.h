/* Moments of solids of revolution, as sums over the lines and arcs of a profile: the radius of the
 * solid as a function of the height along its axis. */
#ifndef MO_GEOMETRY_SOLID_REVOLUTION_H
#define MO_GEOMETRY_SOLID_REVOLUTION_H

#include "geometry/moments.h"
#include "geometry/solid/parts.h"

/* Integrals over the heights z along the axis of a solid of revolution with the radius p(z). */
typedef struct mo_profile {
  double zeroth; /* integral of radius^2 over the heights: the volume divided by pi */
  double first;  /* integral of radius^2 * height */
  double second; /* integral of radius^2 * height^2 */
  double fourth; /* integral of radius^4 */
} mo_profile;

/* Adds a part of the profile whose radius goes linearly from p to q while z goes from `from` to
 * `to`. */
void mo_profile_add_line(mo_profile *profile, double from, double p, double to, double q);

/* A unit vector in the plane of the profile. `cosine` is its component away from the axis, not
 * negative; `sine` is its component along the axis. */
typedef struct mo_heading {
  double cosine, sine;
} mo_heading;

/* Adds an arc of the profile: the points at height z + r * sine and radius out + r * cosine, for
 * the headings between `from` and `to`. */
void mo_profile_add_arc(mo_profile *profile, double z, double out, double r, mo_heading from,
                        mo_heading to);

/* The moments of the solid with a profile around the axis of `s`. In the profile, z is the height
 * above the middle of the axis, which is the centroid if the volume is 0. */
mo_moments mo_profile_moments(const mo_profile *profile, const mo_solid *s);

/* The moments of a rounded cylinder; if the radius is 0, of a capsule. */
mo_moments mo_rounded_cylinder_moments(const mo_solid *s, double radius, double rounding);

#endif
