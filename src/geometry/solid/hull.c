/* Lines against hulls, by the planes of their faces.
 *
 * A line is in a hull from the last face plane that it enters to the first that it leaves. Planes
 * have rounding errors, and where two planes meet at a small angle, their intersection line has a
 * much larger error. So a hit is only certain if it is still one with all planes moved inward by
 * the error, and a miss only if it is still one with all planes moved outward. Between the two, the
 * distance along the line decides (geometry/solid/rounded.h), as for a hull that is rounded by the
 * error. This is rare, but always the case for needles and flakes.
 *
 * A flat hull has two faces in one plane, which a line crosses at one point. It is bounded by
 * planes through its edges, perpendicular to that plane. */
#include "geometry/solid/hull.h"

#include "geometry/gjk.h"
#include "geometry/solid/rounded.h"

/* More than the error of normals and the rounding of heights, relative to the size. */
static const double plane_error = 0x1p-43;

/* The half-space of points p, relative to the hull's centre, with dot(normal, p) <= height. */
typedef struct plane {
  mo_dvec3 normal; /* unit; zero if an edge is too short to define it */
  double height;
} plane;

/* The number of planes that bound a hull: of its faces; for a flat hull, the two sides of its plane
 * and a perpendicular plane through each edge. */
static uint32_t plane_count(const mo_hull *hull) {
  return hull->flat ? 2 + hull->faces[0].count : hull->face_count;
}

static plane plane_of(const mo_hull *hull, uint32_t i) {
  const mo_hull_polygon *face = &hull->faces[hull->flat ? 0 : i];
  if (!hull->flat || i == 0) {
    return (plane){face->normal, face->height};
  }
  if (i == 1) {
    return (plane){mo_dscale(-1.0, face->normal), -face->height};
  }
  uint32_t half_edge = face->first + i - 2;
  uint32_t next = hull->half_edges[mo_hull_next(hull, half_edge)].vertex;
  mo_dvec3 from = mo_hull_centered_vertex(hull, hull->half_edges[half_edge].vertex);
  mo_dvec3 side = mo_dcross(mo_dsub(mo_hull_centered_vertex(hull, next), from), face->normal);
  double length = mo_dlength(side);
  side = length > 0.0 ? mo_dscale(1.0 / length, side) : mo_dvec(0.0, 0.0, 0.0);
  return (plane){side, mo_ddot(side, from)};
}

static double height_above(const plane *p, mo_dvec3 point) {
  return mo_ddot(p->normal, point) - p->height;
}

typedef struct plane_spans {
  double error;
  mo_span span;  /* the part with the planes as they are */
  mo_span outer; /* the part with the planes moved outward by `error` */
  mo_span inner; /* the part with the planes moved inward by `error` */
} plane_spans;

/* Restricts a span to the part behind a plane that the line crosses at t. */
static inline void narrow_span(mo_span *span, bool enters, double t) {
  if (enters) {
    span->enter = t > span->enter ? t : span->enter;
  } else {
    span->leave = t < span->leave ? t : span->leave;
  }
}

/* For a line parallel to a plane: keeps the whole span if the line is behind the plane, else
 * nothing. */
static void keep_span_if_behind(mo_span *span, bool behind) {
  *span = behind ? *span : (mo_span){INFINITY, -INFINITY};
}

static plane_spans plane_spans_of(const mo_centered_solid *s, const mo_line *line) {
  const mo_span all = {-INFINITY, INFINITY};
  plane_spans c = {line->error + plane_error * mo_dlength(s->half), all, all, all};
  const uint32_t count = plane_count(s->hull);
  for (uint32_t i = 0; i < count && c.outer.enter <= c.outer.leave; i++) {
    plane p = plane_of(s->hull, i);
    double speed = mo_ddot(p.normal, line->direction), gap = -height_above(&p, line->foot);
    bool thin = s->hull->flat && i < 2; /* the two coincident planes of a flat hull */
    if (speed == 0.0) {
      keep_span_if_behind(&c.span, gap >= 0.0);
      keep_span_if_behind(&c.outer, gap + c.error >= 0.0);
      keep_span_if_behind(&c.inner, gap - (thin ? 0.0 : c.error) >= 0.0);
      continue;
    }
    bool enters = speed < 0.0;
    double t = gap / speed, slack = c.error / speed;
    narrow_span(&c.span, enters, t);
    narrow_span(&c.outer, enters, t + slack);
    narrow_span(&c.inner, enters, thin ? t : t - slack);
  }
  return c;
}

/* The Minkowski difference of a hull and a point. */
typedef struct hull_and_point {
  const mo_hull *hull;
  mo_dvec3 point;
  uint32_t last_vertex; /* the support vertex that was found last, or MO_NONE */
} hull_and_point;

static mo_difference_point difference_support(void *body, mo_dvec3 direction) {
  hull_and_point *b = body;
  b->last_vertex = mo_hull_farthest_vertex(b->hull, direction, b->last_vertex);
  mo_dvec3 vertex = mo_hull_centered_vertex(b->hull, b->last_vertex);
  return (mo_difference_point){mo_dsub(vertex, b->point), vertex, b->point};
}

/* The vector to a point from the closest point of a hull before rounding, as exact as
 * mo_gjk_distance (mo_vector_from_solid). It has the direction of a normal even if its length is
 * only a rounding error. */
static mo_dvec3 vector_to(const mo_centered_solid *s, mo_dvec3 point) {
  hull_and_point body = {s->hull, point, MO_NONE};
  mo_convex_gap gap =
      mo_gjk_distance(difference_support, &body, mo_dscale(-1.0, point), INFINITY, NULL);
  return mo_dscale(gap.distance, gap.normal);
}

bool mo_hull_contains(const mo_centered_solid *s, mo_dvec3 point) {
  const mo_hull *hull = s->hull;
  const double r = s->rounding;
  if (fabs(point.x) > s->half.x + r || fabs(point.y) > s->half.y + r ||
      fabs(point.z) > s->half.z + r) {
    return false;
  }
  if (r > 0.0) {
    return mo_ball_contains(r, vector_to(s, point));
  }
  const uint32_t count = plane_count(hull);
  for (uint32_t i = 0; i < count; i++) {
    plane p = plane_of(hull, i);
    if (height_above(&p, point) > 0.0) {
      return false;
    }
  }
  return true;
}

static double clamp_to_span(double t, mo_span span) {
  return t < span.enter ? span.enter : t > span.leave ? span.leave : t;
}

bool mo_hull_clip_line(const mo_centered_solid *s, const mo_line *line, mo_span *span) {
  if (!(mo_ddot(line->direction, line->direction) > 0.0)) {
    return false;
  }
  const double reach = sqrt(mo_ddot(s->half, s->half));
  if (s->rounding > 0.0) {
    return mo_rounded_clip_line(s, vector_to, reach, line, span);
  }
  mo_span around;
  if (!mo_line_clip_to_ball(line, reach, &around)) {
    return false;
  }
  plane_spans c = plane_spans_of(s, line);
  *span = c.span;
  if (!(c.outer.enter <= c.outer.leave)) {
    return false;
  }
  if (c.inner.enter <= c.inner.leave) {
    return true;
  }
  mo_centered_solid grown = *s;
  grown.rounding = c.error;
  if (!mo_rounded_clip_line(&grown, vector_to, reach, line, &around)) {
    return false;
  }
  double middle = 0.5 * (c.span.enter + c.span.leave);
  double enter = c.span.enter <= c.span.leave ? c.span.enter : middle;
  double leave = c.span.enter <= c.span.leave ? c.span.leave : middle;
  *span = isfinite(middle) ? (mo_span){clamp_to_span(enter, around), clamp_to_span(leave, around)}
                           : around;
  return true;
}

mo_dvec3 mo_hull_normal(const mo_centered_solid *s, const mo_line *line, double enter) {
  mo_dvec3 normal;
  if (s->rounding > 0.0 && mo_rounded_normal(s, vector_to, line, enter, &normal)) {
    return normal;
  }
  /* Finds the plane in which the point of entry lies, among those that face the line. */
  mo_dvec3 point = mo_line_at(line, enter);
  double highest = -INFINITY;
  normal = mo_dscale(-1.0, line->direction);
  const uint32_t count = plane_count(s->hull);
  for (uint32_t i = 0; i < count; i++) {
    plane p = plane_of(s->hull, i);
    double height = height_above(&p, point);
    if (height > highest && mo_ddot(p.normal, line->direction) < 0.0) {
      highest = height;
      normal = p.normal;
    }
  }
  return normal;
}
