/* Moving cylinders and cones against triangles.
 *
 * All is computed in the frame in which the solid has its axis along z, from -1 to 1, and its base,
 * at z = 1, has radius 1: affine maps keep times. The triangle moves against the displacement. At
 * the first contact, a corner, an edge or the face of the triangle touches a flat end, the curved
 * side or the rim of an end. Each of these pairs that can meet in one point gives a time by a
 * linear or quadratic equation. At each such time the two have a point in common, so the least of
 * them is the first contact. Pairs that are parallel need not be tried, as others touch at the same
 * time (but a path that only grazes may be missed). */
#include "geometry/cast/sweep.h"

/* The triangle and the solid in the frame of the solid, and the earliest contact so far. */
typedef struct contact_search {
  mo_dvec3 corner[3], edge[3];    /* at t = 0; edge i begins at corner i */
  mo_dvec3 displacement_of_solid; /* displacement of the solid */
  double middle_radius,
      radius_slope;        /* the radius at height z is middle_radius + radius_slope * z */
  double t;                /* time of the earliest contact */
  mo_dvec3 point;          /* the earliest contact point */
  mo_dvec3 outward_normal; /* outward normal of the solid there, of any length */
} contact_search;

static double radius_at(const contact_search *s, double z) {
  return s->middle_radius + s->radius_slope * z;
}

static mo_dvec3 point_at(const contact_search *s, mo_dvec3 point, double t) {
  return mo_dsub(point, mo_dscale(t, s->displacement_of_solid));
}

static void keep_if_earlier(contact_search *s, double t, mo_dvec3 at, mo_dvec3 outward) {
  if (t < s->t) {
    s->t = t;
    s->point = at;
    s->outward_normal = outward;
  }
}

/* The smaller root of a t² - 2 b t + c, or the larger one if a is negative, as for a cone that
 * moves with its apex ahead; NAN if there is no root. */
static double first_root(double a, double b, double c) {
  const double root = sqrt(b * b - a * c);
  return b > 0.0 ? c / (b + root) : (b - root) / a;
}

static void try_corner_on_end(contact_search *s, mo_dvec3 corner) {
  const double z = s->displacement_of_solid.z > 0.0 ? 1.0 : -1.0,
               t = (corner.z - z) / s->displacement_of_solid.z;
  const double radius = radius_at(s, z);
  const mo_dvec3 at = point_at(s, corner, t);
  if (at.x * at.x + at.y * at.y <= radius * radius) {
    keep_if_earlier(s, t, mo_dvec(at.x, at.y, z), mo_dvec(0.0, 0.0, z));
  }
}

static void try_corner_on_side(contact_search *s, mo_dvec3 corner) {
  const mo_dvec3 d = s->displacement_of_solid;
  const double speed =
      s->radius_slope * d.z; /* rate at which the radius at the corner's height shrinks */
  double t = 0.0;
  for (int round = 0; round < 2; ++round) { /* the second round removes most of the error */
    const mo_dvec3 from = point_at(s, corner, t);
    const double radius = radius_at(s, from.z);
    t += first_root(d.x * d.x + d.y * d.y - speed * speed,
                    from.x * d.x + from.y * d.y - radius * speed,
                    from.x * from.x + from.y * from.y - radius * radius);
  }
  const mo_dvec3 at = point_at(s, corner, t);
  if (fabs(at.z) <= 1.0) {
    keep_if_earlier(s, t, at, mo_dvec(at.x, at.y, -s->radius_slope * radius_at(s, at.z)));
  }
}

static mo_dvec3 support_point(const contact_search *s, mo_dvec3 along) {
  const double across = sqrt(along.x * along.x + along.y * along.y);
  const double z = along.z + s->radius_slope * across > 0.0 ? 1.0 : -1.0;
  const double out = across > 0x1p-40 * fabs(along.z) ? radius_at(s, z) / across : 0.0;
  return mo_dvec(out * along.x, out * along.y, z);
}

static void try_face(contact_search *s) {
  const mo_dvec3 normal = mo_dcross(s->edge[0], s->edge[1]);
  const double speed = mo_ddot(normal, s->displacement_of_solid);
  const mo_dvec3 outward = speed > 0.0 ? normal : mo_dscale(-1.0, normal);
  const mo_dvec3 at = support_point(s, outward);
  const double t = mo_ddot(normal, mo_dsub(s->corner[0], at)) / speed;
  for (int i = 0; i < 3; ++i) {
    const mo_dvec3 inward = mo_dcross(normal, s->edge[i]);
    if (!(mo_ddot(inward, mo_dsub(at, point_at(s, s->corner[i], t))) >= 0.0)) {
      return;
    }
  }
  keep_if_earlier(s, t, at, outward);
}

/* Tries the contact of an edge with the curved side. Two planes parallel to the edge are tangent to
 * the side; `side` (1 or -1) selects one of them. */
static void try_edge_on_side(contact_search *s, mo_dvec3 corner, mo_dvec3 edge, double side) {
  const double length = sqrt(edge.x * edge.x + edge.y * edge.y);
  const double cosine = s->radius_slope * edge.z / length,
               sine = side * sqrt(1.0 - cosine * cosine);
  const double x = edge.x / length, y = edge.y / length;
  const mo_dvec3 outward = mo_dvec(cosine * x - sine * y, cosine * y + sine * x, -s->radius_slope);
  const double t =
      (mo_ddot(outward, corner) - s->middle_radius) / mo_ddot(outward, s->displacement_of_solid);
  const mo_dvec3 from = point_at(s, corner, t);
  const double part = (outward.x * from.y - outward.y * from.x) / (sine * length);
  const mo_dvec3 at = mo_dadd(from, mo_dscale(part, edge));
  if (part >= 0.0 && part <= 1.0 && fabs(at.z) <= 1.0) {
    keep_if_earlier(s, t, at, outward);
  }
}

/* Tries the contact of an edge with the rim at height z (1 or -1): by the point of the edge at that
 * height. */
static void try_edge_on_rim(contact_search *s, mo_dvec3 corner, mo_dvec3 edge, double z) {
  const double radius = radius_at(s, z);
  const mo_dvec3 d =
      mo_dsub(s->displacement_of_solid, mo_dscale(s->displacement_of_solid.z / edge.z,
                                                  edge)); /* minus the velocity of `at` */
  mo_dvec3 at = mo_dadd(corner, mo_dscale((z - corner.z) / edge.z, edge));
  double t = 0.0, part = 0.0;
  for (int round = 0; round < 2; ++round) { /* the second round removes most of the error */
    t += first_root(d.x * d.x + d.y * d.y, at.x * d.x + at.y * d.y,
                    at.x * at.x + at.y * at.y - radius * radius);
    const mo_dvec3 from = point_at(s, corner, t);
    part = (z - from.z) / edge.z;
    at = mo_dadd(from, mo_dscale(part, edge));
  }
  if (radius > 0.0 && part >= 0.0 && part <= 1.0) {
    const mo_dvec3 normal = mo_dcross(edge, mo_dvec(-at.y, at.x, 0.0));
    keep_if_earlier(s, t, at,
                    mo_ddot(normal, s->displacement_of_solid) > 0.0 ? normal
                                                                    : mo_dscale(-1.0, normal));
  }
}

static void try_all_features(contact_search *s) {
  try_face(s);
  for (int i = 0; i < 3; ++i) {
    const mo_dvec3 corner = s->corner[i], edge = s->edge[i];
    try_corner_on_end(s, corner);
    try_corner_on_side(s, corner);
    for (double side = -1.0; side <= 1.0; side += 2.0) {
      try_edge_on_side(s, corner, edge, side);
      try_edge_on_rim(s, corner, edge, side);
    }
  }
}

bool mo_cylinder_cone_sweep_triangle(const mo_body *body, const mo_dvec3 corners[3],
                                     mo_dvec3 displacement, mo_sweep_contact *contact) {
  if (body->kind != MO_BODY_SOLID) {
    return false;
  }
  const mo_solid_image sum = mo_solid_linear_image(&body->convex.solid, body->convex.column);
  if (!sum.has_disc || sum.ball > 0.0) {
    return false;
  }
  /* The columns of the map from the solid's own frame, and the rows of its inverse. */
  const mo_dvec3 column[3] = {sum.disc[0], sum.disc[1], sum.segment[0]};
  mo_dvec3 row[3];
  for (int i = 0; i < 3; ++i) {
    row[i] = mo_dcross(column[(i + 1) % 3], column[(i + 2) % 3]);
  }
  const double volume = mo_ddot(row[0], column[0]);
  for (int i = 0; i < 3; ++i) {
    row[i] = mo_dscale(1.0 / volume, row[i]);
  }
  contact_search s = {.displacement_of_solid = mo_map_rows(row, displacement),
                      .middle_radius = sum.is_cone ? 0.5 : 1.0,
                      .radius_slope = sum.is_cone ? 0.5 : 0.0,
                      .t = INFINITY,
                      .point = {NAN, NAN, NAN}};
  for (int i = 0; i < 3; ++i) {
    s.corner[i] = mo_map_rows(row, corners[i]);
  }
  for (int i = 0; i < 3; ++i) {
    s.edge[i] = mo_dsub(s.corner[(i + 1) % 3], s.corner[i]);
  }
  try_all_features(&s);
  const double radius = radius_at(&s, s.point.z) + 0x1p-46;
  if (!(s.t >= 0.0 && s.point.x * s.point.x + s.point.y * s.point.y <= radius * radius)) {
    return false;
  }
  const mo_dvec3 outward = mo_map_columns(row, s.outward_normal),
                 at = mo_map_columns(column, s.point);
  contact->t = s.t;
  contact->normal = mo_dscale(-1.0 / mo_dlength(outward), outward);
  contact->point = mo_dadd(mo_dscale(s.t, displacement), at);
  return true;
}
