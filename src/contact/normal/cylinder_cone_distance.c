/* The distance of a cylinder or cone from a body with corners, edges and faces.
 *
 * The distance of a point from a solid of revolution has a closed form in the point's distance from
 * the axis and its position along the axis, and is a convex function of the point. So the distance
 * is minimised over simplices of the corners of the other body, as in GJK (Gilbert, Johnson and
 * Keerthi 1988): over an edge by Newton's method, over a triangle by its plane and its edges. The
 * curved side never has to be approximated by support points, and two to four corners suffice. */
#include "contact/normal/cylinder_cone.h"

/* Fractions of the summed sizes: greatest differences of the upper and the lower bound of the
 * distance. At `converged_gap` the search ends. At `accepted_gap` the result is accepted if a new
 * corner brings no improvement. */
static const double converged_gap = 0x1p-44, accepted_gap = 0x1p-34;
/* Relative error up to which a cross section counts as a circle perpendicular to the axis. It
 * covers the rounding of rotation matrices to floats. */
static const double circular_tolerance = 0x1p-20;

enum { MAX_SIMPLEX_STEPS = 32, MAX_NEWTON_STEPS = 48 };

/* A point of the other body, and its distance from the cylinder or cone. */
typedef struct query_point {
  mo_dvec3 position;
  mo_dvec3 from_solid; /* vector from the solid's closest point; zero inside the solid */
  double distance;     /* the length of `from_solid` */
  double radial_ratio; /* radial length of `from_solid` over the point's distance from the axis */
  bool at_corner;      /* whether that closest point is on a rim or the apex */
} query_point;

bool mo_cylinder_cone_of(mo_cylinder_cone *s, const mo_contact_body *body) {
  if ((body->kind != MO_CORE_CYLINDER && body->kind != MO_CORE_CONE) ||
      body->ellipsoid_radius > 0.0) {
    return false;
  }
  const mo_dvec3 *axis = body->axis;
  double hh = mo_ddot(axis[0], axis[0]), uu = mo_ddot(axis[1], axis[1]),
         vv = mo_ddot(axis[2], axis[2]), hu = mo_ddot(axis[0], axis[1]),
         hv = mo_ddot(axis[0], axis[2]), uv = mo_ddot(axis[1], axis[2]);
  if (!(fabs(uu - vv) <= circular_tolerance * uu && fabs(uv) <= circular_tolerance * uu &&
        hu * hu <= circular_tolerance * circular_tolerance * hh * uu &&
        hv * hv <= circular_tolerance * circular_tolerance * hh * vv && hh > 0x1p-40 * uu &&
        uu > 0x1p-40 * hh)) {
    return false;
  }
  s->center = body->center;
  s->half_height = sqrt(hh);
  s->radius = sqrt(0.5 * (uu + vv));
  s->frame[2] = mo_dscale(1.0 / s->half_height, axis[0]);
  s->frame[0] = mo_dunit(mo_dsub(axis[1], mo_dscale(hu / hh, axis[0])));
  s->frame[1] = mo_dcross(s->frame[2], s->frame[0]);
  s->is_cone = body->kind == MO_CORE_CONE;
  double length = sqrt(s->radius * s->radius + 4.0 * hh);
  s->side_rho = 2.0 * s->half_height / length;
  s->side_z = -s->radius / length;
  return true;
}

/* Finds the point of the half profile (a section from the axis outward) that is closest to (rho,
 * z). Returns whether that point is a corner of the profile: a rim or the apex. */
static bool find_closest_on_profile(const mo_cylinder_cone *s, double rho, double z,
                                    double closest[2]) {
  closest[0] = rho;
  closest[1] = z;
  if (z > s->half_height || !s->is_cone) {
    closest[0] = rho > s->radius ? s->radius : rho;
    closest[1] = z > s->half_height ? s->half_height : z < -s->half_height ? -s->half_height : z;
    return closest[0] != rho && closest[1] != z;
  }
  double up = z + s->half_height, out = s->side_rho * rho + s->side_z * up;
  if (!(out > 0.0)) {
    return false;
  }
  double along = s->side_rho * up - s->side_z * rho, length = s->radius / -s->side_z;
  bool at_apex = along <= 0.0, at_rim = along >= length;
  closest[0] = at_apex ? 0.0 : at_rim ? s->radius : rho - out * s->side_rho;
  closest[1] = at_apex ? -s->half_height : at_rim ? s->half_height : z - out * s->side_z;
  return at_apex || at_rim;
}

static query_point query_point_at(const mo_cylinder_cone *s, mo_dvec3 at) {
  query_point p = {.position = at};
  double rho = sqrt(at.x * at.x + at.y * at.y), closest[2];
  p.at_corner = find_closest_on_profile(s, rho, at.z, closest);
  double out = rho - closest[0], up = at.z - closest[1];
  p.radial_ratio = rho > 0.0 ? out / rho : p.at_corner ? 1.0 : 0.0;
  p.from_solid = mo_dvec(p.radial_ratio * at.x, p.radial_ratio * at.y, up);
  p.distance = sqrt(out * out + up * up);
  return p;
}

mo_dvec3 mo_cylinder_cone_closest(const mo_cylinder_cone *s, mo_dvec3 point) {
  const query_point p = query_point_at(s, mo_dot_columns(s->frame, mo_dsub(point, s->center)));
  return mo_dsub(point, mo_map_columns(s->frame, p.from_solid));
}

/* The second derivative, along `along`, of half of the squared distance at a point. The first
 * derivative is mo_ddot(p->from_solid, along). */
static double second_derivative_along(const query_point *p, mo_dvec3 along) {
  double x = p->position.x, y = p->position.y, rho2 = x * x + y * y;
  double across2 = along.x * along.x + along.y * along.y;
  double radial = x * along.x + y * along.y, radial2 = rho2 > 0.0 ? radial * radial / rho2 : 0.0;
  double slope = mo_ddot(p->from_solid, along) / p->distance;
  double own = p->at_corner ? radial2 + along.z * along.z : slope * slope;
  return own + p->radial_ratio * (across2 - radial2);
}

/* Finds the point of the edge from a to b that is closest to the cylinder or cone: Newton's method,
 * safeguarded by bisection. */
static query_point closest_on_edge(const mo_cylinder_cone *s, const query_point *a,
                                   const query_point *b) {
  mo_dvec3 along = mo_dsub(b->position, a->position);
  double first = mo_ddot(a->from_solid, along), last = mo_ddot(b->from_solid, along);
  if (first >= 0.0) {
    return *a;
  }
  if (last <= 0.0) {
    return *b;
  }
  double low = 0.0, high = 1.0, t = first / (first - last);
  query_point p = query_point_at(s, mo_dadd(a->position, mo_dscale(t, along)));
  for (int i = 0; i < MAX_NEWTON_STEPS && p.distance > 0.0; i++) {
    double slope = mo_ddot(p.from_solid, along);
    low = slope < 0.0 ? t : low;
    high = slope > 0.0 ? t : high;
    double next = t - slope / second_derivative_along(&p, along);
    if (!(next > low && next < high)) {
      next = 0.5 * (low + high);
    }
    double change = fabs(next - t);
    t = next;
    p = query_point_at(s, mo_dadd(a->position, mo_dscale(t, along)));
    if (change <= 0x1p-46 || slope == 0.0) {
      break;
    }
  }
  return p;
}

static mo_dvec3 support(const mo_cylinder_cone *s, mo_dvec3 n) {
  double across = sqrt(n.x * n.x + n.y * n.y);
  double x = across > 0.0 ? s->radius * n.x / across : 0.0,
         y = across > 0.0 ? s->radius * n.y / across : 0.0;
  if (!s->is_cone) {
    return mo_dvec(x, y, n.z < 0.0 ? -s->half_height : s->half_height);
  }
  bool at_apex = -2.0 * s->half_height * n.z > s->radius * across;
  return at_apex ? mo_dvec(0.0, 0.0, -s->half_height) : mo_dvec(x, y, s->half_height);
}

/* Tries the interior of a triangle. If the cylinder or cone lies on one side of the triangle's
 * plane, the candidate is its support point towards the plane, projected onto the plane. If it
 * intersects the plane, the candidate is a common point, at distance 0. The candidate replaces
 * `best` if it lies in the triangle and is closer. */
static void try_triangle_interior(const mo_cylinder_cone *s, const query_point *a,
                                  const query_point *b, const query_point *c, query_point *best) {
  mo_dvec3 e = mo_dsub(b->position, a->position), f = mo_dsub(c->position, a->position),
           normal = mo_dcross(e, f);
  double area = mo_dlength(normal);
  if (!(area > 0.0)) {
    return;
  }
  mo_dvec3 n = mo_dscale(1.0 / area, normal), over = support(s, n),
           under = support(s, mo_dscale(-1.0, n));
  double above = mo_ddot(n, mo_dsub(a->position, over)),
         below = mo_ddot(n, mo_dsub(a->position, under));
  double height = above > 0.0 ? above : below < 0.0 ? below : 0.0;
  mo_dvec3 from = above > 0.0 ? over : under, at = mo_dadd(from, mo_dscale(height, n));
  if (height == 0.0) {
    double part = below > above ? below / (below - above) : 0.0;
    at = mo_dadd(under, mo_dscale(part, mo_dsub(over, under)));
  }
  mo_dvec3 rest = mo_dsub(at, a->position);
  double u = mo_ddot(mo_dcross(rest, f), normal), v = mo_ddot(mo_dcross(e, rest), normal);
  if (u >= 0.0 && v >= 0.0 && u + v <= area * area && fabs(height) < best->distance) {
    *best =
        (query_point){.position = at, .from_solid = mo_dscale(height, n), .distance = fabs(height)};
  }
}

/* Up to three corners of the other body that span the closest point found so far, as in GJK. */
typedef struct simplex {
  query_point corner[3];
  int count;
} simplex;

static void keep_closer_simplex(query_point *best, const query_point *other, simplex *next,
                                const simplex *from) {
  if (other->distance < best->distance) {
    *best = *other;
    *next = *from;
  }
}

/* Adds a corner to a simplex, returns the closest point of the larger simplex, and reduces it to
 * the corners that span that point. */
static query_point add_corner(const mo_cylinder_cone *s, simplex *from, const query_point *corner) {
  query_point best = *corner;
  simplex next = {.corner = {*corner}, .count = 1};
  for (int i = 0; i < from->count; i++) {
    const simplex edge = {.corner = {*corner, from->corner[i]}, .count = 2};
    const query_point p = closest_on_edge(s, corner, &from->corner[i]);
    keep_closer_simplex(&best, &p, &next, &edge);
  }
  const int faces = from->count == 3 ? 3 : from->count - 1;
  for (int i = 0; i < faces; i++) {
    const query_point *p = &from->corner[i], *q = &from->corner[(i + 1) % 3];
    const simplex face = {.corner = {*corner, *p, *q}, .count = 3};
    query_point inside = {.distance = INFINITY};
    try_triangle_interior(s, corner, p, q, &inside);
    keep_closer_simplex(&best, &inside, &next, &face);
  }
  *from = next;
  return best;
}

static query_point support_corner(const mo_cylinder_cone *s, const mo_contact_body *other,
                                  mo_dvec3 n) {
  return query_point_at(
      s, mo_dot_columns(s->frame, mo_dsub(mo_contact_body_support(other, n), s->center)));
}

static bool has_corners(const mo_contact_body *body) {
  return body->ellipsoid_radius == 0.0 && body->kind != MO_CORE_CYLINDER &&
         body->kind != MO_CORE_CONE;
}

bool mo_cylinder_cone_gap(const mo_contact_body *round, const mo_contact_body *other,
                          mo_dvec3 shift, double limit, mo_convex_gap *gap) {
  mo_cylinder_cone s;
  if (!has_corners(other) || !mo_cylinder_cone_of(&s, round)) {
    return false;
  }
  s.center = mo_dadd(s.center, shift);
  const double size = round->size + other->size;
  query_point best = support_corner(&s, other, mo_dsub(s.center, other->center));
  simplex from = {.corner = {best}, .count = 1};
  bool ends = false;
  for (int i = 0; i < MAX_SIMPLEX_STEPS && !ends; i++) {
    if (!(best.distance > 0.0)) {
      *gap = (mo_convex_gap){.distance = 0.0};
      return true;
    }
    mo_dvec3 n = mo_dscale(1.0 / best.distance, best.from_solid);
    const query_point corner =
        support_corner(&s, other, mo_map_columns(s.frame, mo_dscale(-1.0, n)));
    double closer = mo_ddot(n, mo_dsub(best.position, corner.position)),
           lower = best.distance - closer;
    ends = lower > limit || closer <= converged_gap * size;
    if (!ends) {
      const double before = best.distance;
      const query_point next = add_corner(&s, &from, &corner);
      if (!(next.distance < before)) {
        if (!(closer <= accepted_gap * size)) {
          return false;
        }
        ends = true;
      } else {
        best = next;
      }
    }
  }
  if (!ends) {
    return false;
  }
  mo_dvec3 n = mo_map_columns(s.frame, mo_dscale(1.0 / best.distance, best.from_solid));
  mo_dvec3 at = mo_dadd(s.center, mo_map_columns(s.frame, best.position));
  *gap = (mo_convex_gap){.distance = best.distance,
                         .lower = best.distance,
                         .points = {mo_dsub(at, mo_dscale(best.distance, n)), at},
                         .normal = n};
  return true;
}
