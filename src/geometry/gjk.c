/* GJK (Gilbert, Johnson and Keerthi 1988) in double precision: the point of a convex body that is
 * closest to the origin, and a plane that separates the two.
 *
 * Each step has a simplex of up to four support points of the body. The simplex's distance from the
 * origin is an upper bound of the body's distance. The plane through a support point, perpendicular
 * to its search direction, has the whole body on its far side: its distance is a lower bound. The
 * iteration ends when the bounds agree, when the origin lies in a tetrahedron, or when rounding
 * prevents progress. However it ends, both bounds hold to within the rounding of the
 * coordinates. */
#include "geometry/gjk.h"

#include <float.h>

#include "base/assert.h"

enum {
  MAX_GJK_ITERATIONS = 256,
  /* The largest number of consecutive steps that do not reduce the distance. A closest point that
   * is off by 1e-8 perpendicular to the search direction has the true distance to within rounding,
   * but its direction still changes the lower bound by as much: so a few more steps improve the
   * lower bound. */
  MAX_STALLED_STEPS = 8,
};

/* The upper and the lower bound count as equal if they differ by less than this, relative to the
 * distance. */
static const double convergence_tolerance = 4.0 * DBL_EPSILON;

typedef mo_difference_point vertex;

/* A simplex of up to four points, given by indices, and the barycentric weights of the point of the
 * simplex that is closest to the origin. Indices avoid copies: the points are large, and many
 * simplices are compared. */
typedef struct simplex {
  int index[4];
  double weights[4];
  int count;
} simplex;

static mo_dvec3 difference_at(const vertex *points, const simplex *s, int i) {
  return points[s->index[i]].difference;
}

static mo_dvec3 closest_point_of(const vertex *points, const simplex *s) {
  mo_dvec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->count; ++i) {
    mo_dvec3 part = mo_dscale(s->weights[i], difference_at(points, s, i));
    sum = i == 0 ? part : mo_dadd(sum, part);
  }
  return sum;
}

/* Of the simplices tried so far, the one closest to the origin, and its squared distance. */
typedef struct closest_simplex {
  simplex best;
  double distance2;
} closest_simplex;

static bool update_if_closer(closest_simplex *s, mo_dvec3 closest) {
  double distance2 = mo_dsquare(closest);
  bool closer = distance2 < s->distance2;
  s->distance2 = closer ? distance2 : s->distance2;
  return closer;
}

static void try_vertex(closest_simplex *s, const vertex *points, int p) {
  if (update_if_closer(s, points[p].difference)) {
    s->best = (simplex){{p}, {1.0}, 1};
  }
}

/* Tries the part of a segment p q that is closest to the origin: one of its ends, or the inside. */
static void try_segment(closest_simplex *s, const vertex *points, int p, int q) {
  mo_dvec3 start = points[p].difference, end = points[q].difference, e = mo_dsub(end, start);
  double along = -mo_ddot(start, e), length2 = mo_dsquare(e);
  if (!(along > 0.0)) {
    try_vertex(s, points, p);
  } else if (along >= length2) {
    try_vertex(s, points, q);
  } else {
    double t = along / length2;
    if (update_if_closer(s, mo_dadd(mo_dscale(1.0 - t, start), mo_dscale(t, end)))) {
      s->best = (simplex){{p, q}, {1.0 - t, t}, 2};
    }
  }
}

/* Tries the inside of a triangle, if the triangle's point closest to the origin certainly lies
 * there, despite rounding. */
static void try_triangle_interior(closest_simplex *found, const vertex *points, int p, int q,
                                  int r) {
  /* Computes relative to the corner between the two shortest edges, whose cross product has the
   * least cancellation. */
  const int corner[3] = {p, q, r};
  const mo_dvec3 difference[3] = {points[p].difference, points[q].difference, points[r].difference};
  double opposite[3] = {mo_dsquare(mo_dsub(difference[1], difference[2])),
                        mo_dsquare(mo_dsub(difference[2], difference[0])),
                        mo_dsquare(mo_dsub(difference[0], difference[1]))};
  int i = mo_largest_of_three(opposite[0], opposite[1], opposite[2]);
  int j = (i + 1) % 3, k = (i + 2) % 3;
  mo_dvec3 o = difference[i], e = mo_dsub(difference[j], o), f = mo_dsub(difference[k], o);
  double ee = mo_dsquare(e), ff = mo_dsquare(f), ef = mo_ddot(e, f);
  /* The component of f perpendicular to e, and the coordinates of the origin along both. */
  mo_dvec3 height = mo_dsub(f, mo_dscale(ef / ee, e));
  height = mo_dsub(height, mo_dscale(mo_ddot(height, e) / ee, e));
  double height2 = mo_dsquare(height);
  if (!(ee > 0.0) || !(height2 > 16.0 * DBL_EPSILON * DBL_EPSILON * ff)) {
    return; /* the triangle is degenerate: its edges suffice */
  }
  double t = -mo_ddot(o, height) / height2;
  double s = -mo_ddot(o, e) / ee - t * (ef / ee);
  if (s > 0.0 && t > 0.0 && s + t < 1.0) {
    simplex inner = {{corner[i], corner[j], corner[k]}, {1.0 - s - t, s, t}, 3};
    if (update_if_closer(found, closest_point_of(points, &inner))) {
      found->best = inner;
    }
  }
}

static simplex closest_on_segment(const vertex *points, int p, int q) {
  closest_simplex s = {.distance2 = INFINITY};
  try_segment(&s, points, p, q);
  return s.best;
}

static simplex closest_on_triangle(const vertex *points, int p, int q, int r) {
  closest_simplex s = {.distance2 = INFINITY};
  try_segment(&s, points, p, q);
  try_segment(&s, points, q, r);
  try_segment(&s, points, r, p);
  try_triangle_interior(&s, points, p, q, r);
  return s.best;
}

/* Returns false if the origin certainly lies in the tetrahedron, by the signs of four signed
 * volumes, and sets `depth` to a lower bound of its distance from the faces; otherwise reduces `s`
 * to the face, edge or corner that is closest to the origin. */
static bool reduce_tetrahedron(const vertex *points, simplex *s, double *depth) {
  mo_dvec3 a = difference_at(points, s, 0), b = difference_at(points, s, 1),
           c = difference_at(points, s, 2), d = difference_at(points, s, 3);
  mo_dvec3 bc = mo_dcross(b, c), da = mo_dcross(d, a);
  double volume[4] = {mo_ddot(bc, d), -mo_ddot(da, c), mo_ddot(da, b), -mo_ddot(bc, a)};
  double largest =
      mo_dmax(mo_dmax(mo_dsquare(a), mo_dsquare(b)), mo_dmax(mo_dsquare(c), mo_dsquare(d)));
  double min = mo_dmin(mo_dmin(volume[0], volume[1]), mo_dmin(volume[2], volume[3]));
  double max = mo_dmax(mo_dmax(volume[0], volume[1]), mo_dmax(volume[2], volume[3]));
  double inside = mo_dmax(min, -max); /* the smallest volume, if all have the same sign */
  if (inside > 16.0 * DBL_EPSILON * largest * sqrt(largest)) {
    *depth = inside / (4.0 * largest); /* no face is larger than half the divisor */
    double total = volume[0] + volume[1] + volume[2] + volume[3];
    for (int i = 0; i < 4; ++i) {
      s->weights[i] = volume[i] / total;
    }
    return false;
  }
  /* Tries the parts of the tetrahedron, face by face. */
  const int *v = s->index;
  closest_simplex faces = {.distance2 = INFINITY};
  try_segment(&faces, points, v[0], v[1]);
  for (int i = 0; i < 4; ++i) {
    int p = v[i], q = v[(i + 1) % 4], r = v[(i + 2) % 4];
    if (i < 3) {
      try_segment(&faces, points, q, r);
    }
    try_segment(&faces, points, r, p);
    try_triangle_interior(&faces, points, p, q, r);
  }
  *s = faces.best;
  return true;
}

static bool contains_vertex(const vertex *points, const simplex *s, mo_dvec3 p) {
  for (int i = 0; i < s->count; ++i) {
    mo_dvec3 q = difference_at(points, s, i);
    if (p.x == q.x && p.y == q.y && p.z == q.z) {
      return true;
    }
  }
  return false;
}

/* Removes from a vector its components along an edge or in the plane of a triangle. In exact
 * arithmetic the closest point has no such components. Close to the origin this gives a better
 * search direction than the rounded closest point. */
static mo_dvec3 perpendicular_to_simplex(const vertex *points, const simplex *s, mo_dvec3 v) {
  if (s->count == 2) {
    mo_dvec3 e = mo_dsub(difference_at(points, s, 1), difference_at(points, s, 0));
    return mo_perpendicular_component(v, e);
  }
  if (s->count == 3) {
    mo_dvec3 o = difference_at(points, s, 0);
    mo_dvec3 n =
        mo_dcross(mo_dsub(difference_at(points, s, 1), o), mo_dsub(difference_at(points, s, 2), o));
    double size = mo_dsquare(n);
    mo_dvec3 straight = mo_dscale(mo_ddot(v, n) / size, n);
    return size > 0.0 && mo_dsquare(straight) > 0.0 ? straight : v;
  }
  return v;
}

/* An index from 0 to 3 that a simplex of less than four points does not use, for a new point. */
static int unused_index(const simplex *s) {
  int taken = 0;
  for (int i = 0; i < s->count; ++i) {
    MO_ASSERT(!(taken >> s->index[i] & 1));
    taken |= 1 << s->index[i];
  }
  return __builtin_ctz(~(unsigned)taken);
}

mo_convex_gap mo_gjk_distance(mo_gjk_support *support, void *body, mo_dvec3 start,
                              double max_distance, mo_gjk_simplex *closest) {
  mo_dvec3 v = mo_dsquare(start) > 0.0 ? start : mo_dvec(1.0, 0.0, 0.0);
  vertex points[4] = {support(body, mo_dscale(-1.0, v))};
  simplex s = {{0}, {1.0}, 1};
  v = closest_point_of(points, &s);
  double upper = mo_dlength(v), lower = 0.0;
  mo_dvec3 normal = v;
  int stalls = 0;
  double depth = 0.0;
  for (int i = 0; i < MAX_GJK_ITERATIONS && upper > 0.0; ++i) {
    /* For sliver triangles the closest point itself may be the better direction. */
    mo_dvec3 direction = stalls % 2 == 0 ? perpendicular_to_simplex(points, &s, v) : v;
    double length = mo_dlength(direction);
    vertex w = support(body, mo_dscale(-1.0, direction));
    double bound = mo_ddot(direction, w.difference) / length;
    if (bound > lower) {
      lower = bound;
      normal = direction;
    }
    if (lower > max_distance || upper - lower <= convergence_tolerance * upper ||
        contains_vertex(points, &s, w.difference)) {
      break;
    }
    simplex next = s;
    int index = unused_index(&s);
    points[index] = w;
    next.index[next.count++] = index;
    bool outside = true;
    if (next.count == 2) {
      next = closest_on_segment(points, s.index[0], index);
    } else if (next.count == 3) {
      next = closest_on_triangle(points, s.index[0], s.index[1], index);
    } else {
      outside = reduce_tetrahedron(points, &next, &depth);
    }
    mo_dvec3 closer = outside ? closest_point_of(points, &next) : mo_dvec(0.0, 0.0, 0.0);
    double distance = mo_dlength(closer);
    stalls = distance < upper ? 0 : stalls + 1;
    if (stalls > MAX_STALLED_STEPS || !(distance <= upper * (1.0 + 8.0 * DBL_EPSILON))) {
      break; /* rounding prevents further progress */
    }
    s = next;
    v = closer;
    upper = distance;
  }

  MO_ASSERT(s.count >= 1 && s.count <= 4 && upper >= 0.0 && lower >= 0.0);
  mo_convex_gap gap = {.distance = upper, .lower = mo_dmin(lower, upper), .depth = depth};
  for (int i = 0; i < s.count; ++i) {
    const vertex *point = &points[s.index[i]];
    gap.points[0] = mo_dadd(gap.points[0], mo_dscale(s.weights[i], point->a));
    gap.points[1] = mo_dadd(gap.points[1], mo_dscale(s.weights[i], point->b));
  }
  if (closest != NULL) {
    closest->count = upper > 0.0 && s.count < 4 ? s.count : 0;
    for (int i = 0; i < closest->count; ++i) {
      closest->point[i] = points[s.index[i]];
    }
  }
  double length = mo_dlength(normal);
  gap.normal =
      upper > 0.0 && length > 0.0 ? mo_dscale(-1.0 / length, normal) : mo_dvec(0.0, 0.0, 0.0);
  return gap;
}
