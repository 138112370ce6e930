/* Moments of solids of revolution: sums over the lines and arcs of their profile. */
#ifndef MO_GEOMETRY_SOLID_REVOLUTION_H
#define MO_GEOMETRY_SOLID_REVOLUTION_H

#include "geometry/moments.h"
#include "geometry/solid/parts.h"

/* Integrals over the height z of a solid of revolution, whose radius at z is p(z). */
typedef struct mo_profile {
  double zeroth; /* integral of p^2: the volume divided by pi */
  double first;  /* integral of p^2 z */
  double second; /* integral of p^2 z^2 */
  double fourth; /* integral of p^4 */
} mo_profile;

/* Adds a part of the profile whose radius goes linearly from p to q while z goes from `from` to
 * `to`. */
void mo_profile_add_line(mo_profile *profile, double from, double p, double to, double q);

/* A direction in the plane of the profile: its cosine is the component away from the axis, not
 * negative; its sine is the component along the axis. */
typedef struct mo_heading {
  double cosine, sine;
} mo_heading;

/* Adds an arc: the points at height z + r sine and radius out + r cosine, for the headings between
 * `from` and `to`. */
void mo_profile_add_arc(mo_profile *profile, double z, double out, double r, mo_heading from,
                        mo_heading to);

/* The moments of a solid around the axis of `s`; z is the height along the axis above its middle,
 * which is the centroid if there is no volume. */
mo_moments mo_profile_moments(const mo_profile *profile, const mo_solid *s);

/* The moments of a cylinder, with rounding: of a capsule if the radius is 0. */
mo_moments mo_rounded_cylinder_moments(const mo_solid *s, double radius, double rounding);

#endif
