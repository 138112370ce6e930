/* Moving bodies against others, above all polytopes.
 *
 * The Minkowski difference of two polytopes is a polytope, which a line along the displacement
 * through the origin enters at the time of the first contact. Seen along this line, the entry is on
 * the side of the polytope that is met first: a graph of times over the plane across the line. The
 * search keeps a portal, three points of the polytope around the line. Its plane meets the line no
 * earlier than the polytope. The point that lies farthest before this plane gives a parallel plane,
 * which the line meets no later. That point takes the place of one of the three, and the bounds
 * close in; they agree when the portal lies in a face (portal refinement: Snethen, "Complex
 * collision made simple", Game Programming Gems 7, 2008; here along a path).
 *
 * The first portal is far behind the polytope. Where the line misses the polytope, one of these
 * points stays, and the plane becomes so steep that its time exceeds the limit.
 *
 * Round bodies have no faces. Of them the search only brings the bounds near each other. The points
 * of a polytope in the portal say between which of its corners a round body meets it. */
#include "geometry/cast/sweep.h"

/* Seven steps are usual. Where a vertex meets an edge, rounding may have the search go in circles;
 * it is given up then, as UNDECIDED. */
enum { MAX_STEPS = 64 };

/* Relative to the size: how far before the start of the path the first portal (MPR) is placed;
 * times of planes that differ by less count as equal; the largest rounding error of the time of a
 * plane; and how far apart the two stay where they surely miss each other. Paths that pass nearer
 * than that are left to the distance, which may take a gap of 1e-7 for a contact: so whether there
 * is one does not depend on the limit.
 */
static const double first_portal_distance = 0x1p20, same_time_tolerance = 0x1p-48,
                    time_error = 0x1p-40, min_miss_distance = 0x1p-22;
/* As same_time_tolerance, for round bodies. */
static const double same_time_tolerance_of_round = 0x1p-20;

typedef struct portal_point {
  double x, y, t; /* coordinates across the displacement; t: along it, in its lengths */
  mo_difference_point support; /* unset for a point of the first portal */
  bool is_of_first_portal;     /* a point of the first portal, which is far away */
} portal_point;

typedef struct path_frame {
  mo_dvec3 x, y; /* unit, perpendicular to the displacement */
  mo_dvec3 t;    /* parallel to the displacement, of the inverse of its length */
} path_frame;

static path_frame frame_of(mo_dvec3 displacement) {
  const mo_dvec3 x = mo_dcross(displacement, mo_most_perpendicular_axis(displacement));
  path_frame f = {.x = mo_dscale(1.0 / mo_dlength(x), x)};
  f.t = mo_dscale(1.0 / mo_ddot(displacement, displacement), displacement);
  const mo_dvec3 y = mo_dcross(displacement, f.x);
  f.y = mo_dscale(1.0 / mo_dlength(y), y);
  return f;
}

static void set_first_portal(portal_point portal[3], double size, double t) {
  portal[0] = (portal_point){.x = size, .y = 0.0, .t = t, .is_of_first_portal = true};
  portal[1] = (portal_point){.x = -size, .y = size, .t = t, .is_of_first_portal = true};
  portal[2] = (portal_point){.x = -size, .y = -size, .t = t, .is_of_first_portal = true};
}

/* Twice the area of the triangle of two points and the line, with a sign. */
static double signed_area_with_line(const portal_point *a, const portal_point *b) {
  return a->x * b->y - a->y * b->x;
}

/* A plane of times: at the point (x, y) across the path, the time is t_at_origin + slope_x x +
 * slope_y y. */
typedef struct time_plane {
  double t_at_origin, slope_x, slope_y;
} time_plane;

static time_plane plane_of(const portal_point p[3]) {
  const double x1 = p[1].x - p[0].x, y1 = p[1].y - p[0].y, t1 = p[1].t - p[0].t;
  const double x2 = p[2].x - p[0].x, y2 = p[2].y - p[0].y, t2 = p[2].t - p[0].t;
  const double inverse = 1.0 / (x1 * y2 - x2 * y1);
  time_plane plane = {.slope_x = (t1 * y2 - t2 * y1) * inverse,
                      .slope_y = (x1 * t2 - x2 * t1) * inverse};
  plane.t_at_origin = p[0].t - plane.slope_x * p[0].x - plane.slope_y * p[0].y;
  return plane;
}

/* The support point that the path reaches earliest relative to a plane of times. */
static portal_point earliest_support_against_plane(mo_difference *between, const path_frame *f,
                                                   const time_plane *plane) {
  const mo_dvec3 back =
      mo_dsub(mo_dadd(mo_dscale(plane->slope_x, f->x), mo_dscale(plane->slope_y, f->y)), f->t);
  portal_point p = {.support = mo_difference_support(between, back)};
  const mo_dvec3 at = p.support.difference;
  p.x = mo_ddot(f->x, at);
  p.y = mo_ddot(f->y, at);
  p.t = mo_ddot(f->t, at);
  return p;
}

/* Puts a point in the place of one of the three, such that they stay around the line. */
static void replace_portal_point(portal_point portal[3], const portal_point *point) {
  const double area[3] = {signed_area_with_line(&portal[0], point),
                          signed_area_with_line(&portal[1], point),
                          signed_area_with_line(&portal[2], point)};
  const int replaced = area[0] <= 0.0 && area[1] >= 0.0   ? 2
                       : area[1] <= 0.0 && area[2] >= 0.0 ? 0
                                                          : 1;
  portal[replaced] = *point;
}

/* The contact of a portal in a face of the polytope. */
static void set_contact(const portal_point p[3], mo_dvec3 offset, mo_dvec3 displacement,
                        mo_sweep_contact *contact) {
  const mo_dvec3 from = p[0].support.difference;
  const mo_dvec3 normal =
      mo_dcross(mo_dsub(p[1].support.difference, from), mo_dsub(p[2].support.difference, from));
  const double speed = mo_ddot(normal, displacement);
  const double length = (speed < 0.0 ? 1.0 : -1.0) * mo_dlength(normal);
  contact->t = mo_ddot(normal, from) / speed;
  contact->normal = mo_dscale(1.0 / length, normal);
  const double part[3] = {signed_area_with_line(&p[1], &p[2]), signed_area_with_line(&p[2], &p[0]),
                          signed_area_with_line(&p[0], &p[1])};
  const double inverse = 1.0 / (part[0] + part[1] + part[2]);
  contact->point = offset;
  for (int i = 0; i < 3; ++i) {
    contact->point = mo_dadd(contact->point, mo_dscale(part[i] * inverse, p[i].support.a));
  }
}

mo_polytope_sweep_result mo_polytope_sweep(mo_difference *between, mo_dvec3 displacement,
                                           double size, double limit, mo_polytope_sweep_end *end) {
  end->min_time = 0.0;
  if (!(mo_ddot(displacement, displacement) > 0.0)) {
    return MO_POLYTOPE_SWEEP_UNDECIDED;
  }
  const bool have_faces =
      mo_minkowski_is_polytope(&between->a) && mo_minkowski_is_polytope(&between->b);
  const double same_time = have_faces ? same_time_tolerance : same_time_tolerance_of_round;
  const path_frame f = frame_of(displacement);
  const double pace = mo_dlength(f.t);
  portal_point portal[3];
  set_first_portal(portal, size, first_portal_distance * size * pace);
  for (int step = 0; step < MAX_STEPS; ++step) {
    const time_plane plane = plane_of(portal);
    const portal_point point = earliest_support_against_plane(between, &f, &plane);
    const double before = point.t - plane.slope_x * point.x - plane.slope_y * point.y;
    const double scale = size * (pace + fabs(plane.slope_x) + fabs(plane.slope_y));
    if (before > limit + min_miss_distance * scale) {
      return MO_POLYTOPE_SWEEP_MISSES;
    }
    end->min_time = fmax(end->min_time, before - time_error * scale);
    if (!(plane.t_at_origin - before > same_time * scale)) {
      if (portal[0].is_of_first_portal || portal[1].is_of_first_portal ||
          portal[2].is_of_first_portal) {
        return MO_POLYTOPE_SWEEP_UNDECIDED;
      }
      set_contact(portal, between->offset, displacement, &end->contact);
      end->is_first_round = !mo_minkowski_is_polytope(&between->a);
      for (int i = 0; i < 3; ++i) {
        end->corners[i] = end->is_first_round ? mo_dsub(portal[i].support.b, between->offset)
                                              : mo_dadd(portal[i].support.a, between->offset);
      }
      return !have_faces                            ? MO_POLYTOPE_SWEEP_APPROXIMATE
             : end->contact.t < -time_error * scale ? MO_POLYTOPE_SWEEP_MISSES
             : end->contact.t >= 0.0                ? MO_POLYTOPE_SWEEP_HITS
                                                    : MO_POLYTOPE_SWEEP_UNDECIDED;
    }
    replace_portal_point(portal, &point);
  }
  return MO_POLYTOPE_SWEEP_UNDECIDED;
}
