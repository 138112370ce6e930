/* Points in cylinders and cones. In the plane of the axis and the point, the solid is a rectangle
 * or a triangle, and the shortest way out is perpendicular to one of its sides. An expanding
 * polytope (EPA) would not find it well: near the axis all radial directions are nearly as short.
 */
#include "geometry/penetration/push_outs.h"

/* How much cross sections that count as circles may differ from them, relative to the radius:
 * rotation matrices in floats have errors of a few times 2^-24. */
static const double max_circle_deviation = 0x1p-18;

/* Relative to the sizes: points closer to the axis than this count as on it. */
static const double on_axis_distance = 0x1p-46;

/* A cylinder or cone, relative to the middle of its axis. */
typedef struct solid_of_revolution {
  mo_dvec3 axis, across; /* perpendicular unit vectors; a cone's apex is at -half along the axis */
  double half, radius;   /* half length of the axis; radius of the base */
  bool is_cone;
  double circle_deviation; /* how far the body's base may deviate from a circle of this radius */
} solid_of_revolution;

static mo_dvec3 perpendicular_component(mo_dvec3 v, mo_dvec3 axis) {
  return mo_dsub(v, mo_dscale(mo_ddot(v, axis), axis));
}

/* False if the base is no circle perpendicular to the axis. `half`: from the middle of the axis to
 * the base; `disc`: two radii of the base. */
static bool set_solid_of_revolution(solid_of_revolution *r, mo_dvec3 half, const mo_dvec3 disc[2]) {
  r->half = mo_dlength(half);
  r->radius = mo_dlength(disc[0]);
  if (!(r->half > 0.0) || !(r->radius > 0.0)) {
    return false;
  }
  r->axis = mo_dscale(1.0 / r->half, half);
  const mo_dvec3 flat = perpendicular_component(disc[0], r->axis);
  if (!(mo_dlength(flat) > 0.5 * r->radius)) {
    return false;
  }
  r->across = mo_dunit(flat);
  mo_dvec3 other = mo_dcross(r->axis, r->across);
  other = mo_ddot(other, disc[1]) < 0.0 ? mo_dscale(-1.0, other) : other;
  const mo_dvec3 off[2] = {mo_dsub(disc[0], mo_dscale(r->radius, r->across)),
                           mo_dsub(disc[1], mo_dscale(r->radius, other))};
  r->circle_deviation = sqrt(mo_ddot(off[0], off[0]) + mo_ddot(off[1], off[1]));
  return r->circle_deviation <= max_circle_deviation * r->radius;
}

static bool is_solid_of_revolution(const mo_minkowski *sum, solid_of_revolution *r) {
  const int count = mo_minkowski_summand_count(sum);
  r->is_cone = sum->cone_count == 1;
  if (count == 1 && r->is_cone) {
    return set_solid_of_revolution(r, sum->cone[0].half, sum->cone[0].disc);
  }
  return count == 2 && sum->segment_count == 1 && sum->ellipsoid_count == 1 &&
         mo_ddot(sum->axes[0][2], sum->axes[0][2]) == 0.0 &&
         set_solid_of_revolution(r, sum->segment[0], sum->axes[0]);
}

/* Two ways of a point out of the solid: [0] through the nearer end (of a cone: its base), [1]
 * through the curved side. For each, the outward normal and the depth of the point below the
 * surface, negative outside. */
typedef struct end_and_side_push_outs {
  mo_dvec3 normal[2];
  double depth[2];
} end_and_side_push_outs;

static end_and_side_push_outs end_and_side_push_outs_of(const solid_of_revolution *r,
                                                        mo_dvec3 point) {
  const double along = mo_ddot(point, r->axis);
  const mo_dvec3 radial = perpendicular_component(point, r->axis);
  const double rho = mo_dlength(radial);
  /* Next to the axis, `radial` is a rounding error, so it may not be perpendicular to the axis. */
  const bool is_on_axis = !(rho > on_axis_distance * (fabs(along) + r->radius));
  const mo_dvec3 out = is_on_axis ? r->across : mo_dunit(perpendicular_component(radial, r->axis));
  if (!r->is_cone) {
    return (end_and_side_push_outs){{along < 0.0 ? mo_dscale(-1.0, r->axis) : r->axis, out},
                                    {r->half - fabs(along), r->radius - rho}};
  }
  const double slant = sqrt(r->radius * r->radius + 4.0 * r->half * r->half);
  const double rise = -r->radius / slant, run = 2.0 * r->half / slant;
  return (end_and_side_push_outs){{r->axis, mo_dadd(mo_dscale(run, out), mo_dscale(rise, r->axis))},
                                  {r->half - along, -(run * rho + rise * (along + r->half))}};
}

bool mo_difference_push_out_of_round_solid(mo_difference *d, mo_push_out *found) {
  const bool first = mo_minkowski_summand_count(&d->b) == 0; /* the first body is the solid */
  solid_of_revolution r;
  if ((!first && mo_minkowski_summand_count(&d->a) != 0) ||
      !is_solid_of_revolution(first ? &d->a : &d->b, &r)) {
    return false;
  }
  end_and_side_push_outs w =
      end_and_side_push_outs_of(&r, first ? mo_dscale(-1.0, d->offset) : d->offset);
  const double min = fmin(w.depth[0], w.depth[1]);
  if (!(min > 0.0)) {
    return false;
  }
  double depth[2]; /* along each normal, of the body itself, not of the ideal solid */
  for (int i = 0; i < 2; ++i) {
    w.normal[i] = first ? w.normal[i] : mo_dscale(-1.0, w.normal[i]);
    depth[i] = mo_ddot(w.normal[i], mo_difference_support(d, w.normal[i]).difference);
  }
  *found = (mo_push_out){w.normal[depth[1] < depth[0] ? 1 : 0], min - r.circle_deviation};
  return true;
}
