/* A moving body against another one, by conservative advancement: as geometry/cast/sphere_convex.c,
 * where the idea is, but between the bodies themselves. The normal of a contact is that of the last
 * plane between them while they were apart by enough for it to be well defined. */
#include "geometry/cast/convex.h"

#include "geometry/cast/turning.h"
#include "geometry/convex/difference.h"
#include "geometry/convex/penetration.h"

/* Where the path grazes the other body, the distance left over shrinks to a quarter with each step.
 */
enum { MAX_STEPS = 128 };

static const double touching = 0x1p-46;     /* of the sizes and distances, what is no distance */
static const double well_defined = 0x1p-26; /* of the same, a distance that has a good normal */

static double middle(float lower, float upper) {
  return 0.5 * ((double)lower + (double)upper);
}

void mo_path_of_bounds(const mo_moving_body *moving, mo_vec3 reach, mo_path_axis axes[3]) {
  mo_vec3 own = mo_aabb_reach(moving->bounds);
  double most = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    most += 2.0 * (double)mo_get(own, axis) + (double)mo_get(reach, axis) +
            fabs((double)mo_get(moving->displacement, axis));
  }
  for (int axis = 0; axis < 3; ++axis) {
    float lower = mo_get(moving->bounds.lower, axis), upper = mo_get(moving->bounds.upper, axis);
    double half = 0.5 * ((double)upper - (double)lower);
    axes[axis] = (mo_path_axis){middle(lower, upper), mo_get(moving->displacement, axis),
                                half + 0x1p-46 * most};
  }
}

double mo_bounds_enter(mo_aabb box, const mo_moving_body *moving, double limit) {
  mo_path_axis axes[3];
  mo_path_of_bounds(moving, mo_aabb_reach(box), axes);
  double enter = 0.0, leave = limit;
  for (int axis = 0; axis < 3; ++axis) {
    mo_path_narrow(&axes[axis], mo_get(box.lower, axis), mo_get(box.upper, axis), &enter, &leave);
  }
  return enter <= leave ? enter : INFINITY;
}

double mo_extents_of(mo_aabb box) {
  return ((double)box.upper.x - (double)box.lower.x) + ((double)box.upper.y - (double)box.lower.y) +
         ((double)box.upper.z - (double)box.lower.z);
}

mo_convex_contact mo_contact_at_start(const mo_distance_body *still,
                                      const mo_distance_body *moving) {
  mo_convex_penetration p = mo_convex_penetrate(still, moving);
  return (mo_convex_contact){
      .t = 0.0, .distance = -p.depth, .point = p.points[0], .normal = p.normal, .depth = p.depth};
}

/* Whether the plane of a triangle keeps it apart from the body on all of its way, by more than a
 * touch: most triangles near a path are told by that, for a tenth of what a distance costs. */
static bool plane_parts(mo_difference *start, const mo_dvec3 corners[3], mo_dvec3 displacement,
                        double limit, double scale) {
  mo_dvec3 normal = mo_dcross(mo_dsub(corners[1], corners[0]), mo_dsub(corners[2], corners[0]));
  mo_dvec3 towards = mo_ddot(normal, start->offset) > 0.0 ? mo_dscale(-1.0, normal) : normal;
  double at_start = mo_ddot(towards, mo_difference_support(start, towards).difference);
  double at_end = at_start - limit * mo_ddot(towards, displacement);
  return fmax(at_start, at_end) < -0x1p-20 * scale * sqrt(mo_ddot(normal, normal));
}

mo_convex_contact mo_cast_convex(const mo_distance_body *still, mo_aabb bounds,
                                 const mo_moving_body *moving, double limit) {
  if (moving->turns) {
    return mo_cast_turning(still, bounds, moving, limit);
  }
  const mo_convex_contact none = {.t = INFINITY};
  double t = mo_bounds_enter(bounds, moving, limit);
  if (t == INFINITY) {
    return none;
  }
  if (t == 0.0 && mo_bodies_within(still, &moving->body, 0.0)) {
    return mo_contact_at_start(still, &moving->body);
  }
  const mo_dvec3 displacement = mo_widen(moving->displacement);
  const double way = sqrt(mo_ddot(displacement, displacement));
  const double size = mo_extents_of(bounds) + mo_extents_of(moving->bounds);
  mo_difference at = mo_difference_of(still, &moving->body);
  const mo_dvec3 offset = at.offset;
  if (still->convex == NULL && plane_parts(&at, still->corners, displacement, limit, size + way)) {
    return none;
  }
  mo_dvec3 normal = {0.0, 0.0, 0.0};
  double apart = -1.0; /* of the plane with that normal, as a share of the sizes */
  mo_convex_gap gap;
  for (int step = 0;; ++step) {
    at.offset = mo_dsub(offset, mo_dscale(t, displacement));
    gap = mo_difference_distance(&at, INFINITY);
    double scale = size + gap.distance + t * way;
    double share = gap.distance / scale;
    if (gap.lower > 0.0 && (share > well_defined || apart < 0.0)) {
      normal = gap.normal;
      apart = share;
    }
    if (gap.lower <= touching * scale || step == MAX_STEPS) {
      break;
    }
    double speed = -mo_ddot(gap.normal, displacement);
    if (!(speed > 0.0)) {
      return none;
    }
    double next = t + gap.lower / speed;
    if (!(next <= limit)) {
      return none;
    }
    if (next == t) {
      break;
    }
    t = next;
  }
  if (apart < 0.0) { /* in touch from where the bounds meet on, to within rounding */
    mo_convex_contact contact = mo_contact_at_start(still, &moving->body);
    contact.t = t;
    contact.depth = 0.0;
    contact.distance = 0.0;
    return contact;
  }
  return (mo_convex_contact){.t = t, .point = gap.points[0], .normal = normal};
}
