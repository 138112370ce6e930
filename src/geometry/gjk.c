/* The point of a convex body that is closest to 0, and a plane between them, by GJK (Gilbert,
 * Johnson and Keerthi 1988) in double precision.
 *
 * It is approached by simplices of the body's support points. The closest point of a simplex is at
 * most as close: an upper bound. The plane through each support point, across the direction in
 * which it was found, has all of the body on its far side: a lower bound. The descent ends when the
 * bounds agree, when 0 lies in a tetrahedron, or when rounding stops it; whatever it ends with,
 * both bounds hold to within the rounding of the numbers. */
#include "geometry/gjk.h"

#include <float.h>

enum {
  MAX_ITERATIONS = 256,
  /* Steps in a row that come no closer. A closest point that is off by 1e-8 across the direction is
   * as far away as the true one to within rounding, while its direction still moves the lower bound
   * by as much. */
  MAX_STALLS = 8,
};

/* Bounds that agree to this part of the distance are equal. */
static const double relative_gap = 4.0 * DBL_EPSILON;

typedef mo_difference_point vertex;

/* Up to four points with the weights of the point closest to 0. */
typedef struct simplex {
  vertex vertices[4];
  double weights[4];
  int count;
} simplex;

static mo_dvec3 at(const simplex *s, int i) {
  return s->vertices[i].difference;
}

static mo_dvec3 closest_of(const simplex *s) {
  mo_dvec3 sum = mo_dscale(s->weights[0], at(s, 0));
  for (int i = 1; i < s->count; ++i) {
    sum = mo_dadd(sum, mo_dscale(s->weights[i], at(s, i)));
  }
  return sum;
}

static double squared(mo_dvec3 v) {
  return mo_ddot(v, v);
}

/* The end, or the two ends, of a segment next to its point closest to 0. */
static simplex closest_on_segment(const vertex *p, const vertex *q) {
  mo_dvec3 e = mo_dsub(q->difference, p->difference);
  double along = -mo_ddot(p->difference, e), length2 = squared(e);
  if (!(along > 0.0)) {
    return (simplex){{*p}, {1.0}, 1};
  }
  if (along >= length2) {
    return (simplex){{*q}, {1.0}, 1};
  }
  double t = along / length2;
  return (simplex){{*p, *q}, {1.0 - t, t}, 2};
}

static void take_closer(simplex *best, double *least, simplex candidate) {
  double distance2 = squared(closest_of(&candidate));
  if (distance2 < *least) {
    *least = distance2;
    *best = candidate;
  }
}

/* Inside the triangle if the closest point lies there beyond doubt, otherwise on an edge. */
static simplex closest_on_triangle(const vertex *p, const vertex *q, const vertex *r) {
  simplex best = {.count = 0};
  double least = INFINITY;
  take_closer(&best, &least, closest_on_segment(p, q));
  take_closer(&best, &least, closest_on_segment(q, r));
  take_closer(&best, &least, closest_on_segment(r, p));
  /* From the corner between the two shortest edges, whose cross product loses least. */
  const vertex *corner[3] = {p, q, r};
  double opposite[3] = {squared(mo_dsub(q->difference, r->difference)),
                        squared(mo_dsub(r->difference, p->difference)),
                        squared(mo_dsub(p->difference, q->difference))};
  int i = opposite[0] >= opposite[1]   ? (opposite[0] >= opposite[2] ? 0 : 2)
          : opposite[1] >= opposite[2] ? 1
                                       : 2;
  int j = (i + 1) % 3, k = (i + 2) % 3;
  mo_dvec3 o = corner[i]->difference;
  mo_dvec3 e = mo_dsub(corner[j]->difference, o), f = mo_dsub(corner[k]->difference, o);
  double ee = squared(e), ff = squared(f), ef = mo_ddot(e, f);
  /* The part of f across e, and what 0 has along both. */
  mo_dvec3 height = mo_dsub(f, mo_dscale(ef / ee, e));
  height = mo_dsub(height, mo_dscale(mo_ddot(height, e) / ee, e));
  double height2 = squared(height);
  if (!(ee > 0.0) || !(height2 > 16.0 * DBL_EPSILON * DBL_EPSILON * ff)) {
    return best; /* no more than a segment */
  }
  double t = -mo_ddot(o, height) / height2;
  double s = -mo_ddot(o, e) / ee - t * (ef / ee);
  if (s > 0.0 && t > 0.0 && s + t < 1.0) {
    simplex inner = {{*corner[i], *corner[j], *corner[k]}, {1.0 - s - t, s, t}, 3};
    take_closer(&best, &least, inner);
  }
  return best;
}

/* False if 0 lies in the tetrahedron beyond doubt; otherwise `s` becomes the face, edge or corner
 * that is closest to 0. */
static bool leave_tetrahedron(simplex *s) {
  mo_dvec3 a = at(s, 0), b = at(s, 1), c = at(s, 2), d = at(s, 3);
  mo_dvec3 bc = mo_dcross(b, c), da = mo_dcross(d, a);
  double volume[4] = {mo_ddot(bc, d), -mo_ddot(da, c), mo_ddot(da, b), -mo_ddot(bc, a)};
  double largest = fmax(fmax(squared(a), squared(b)), fmax(squared(c), squared(d)));
  double doubt = 16.0 * DBL_EPSILON * largest * sqrt(largest);
  bool positive = true, negative = true;
  for (int i = 0; i < 4; ++i) {
    positive = positive && volume[i] > doubt;
    negative = negative && volume[i] < -doubt;
  }
  if (positive || negative) {
    double total = volume[0] + volume[1] + volume[2] + volume[3];
    for (int i = 0; i < 4; ++i) {
      s->weights[i] = volume[i] / total;
    }
    return false;
  }
  simplex best = {.count = 0};
  double least = INFINITY;
  for (int i = 0; i < 4; ++i) {
    const vertex *v = s->vertices;
    take_closer(&best, &least, closest_on_triangle(&v[i], &v[(i + 1) % 4], &v[(i + 2) % 4]));
  }
  *s = best;
  return true;
}

static bool holds(const simplex *s, mo_dvec3 p) {
  for (int i = 0; i < s->count; ++i) {
    mo_dvec3 q = at(s, i);
    if (p.x == q.x && p.y == q.y && p.z == q.z) {
      return true;
    }
  }
  return false;
}

/* A vector without its parts along the edges of an edge or a triangle: what the closest point would
 * be if nothing were rounded. As a direction it is better than the point itself close to 0. */
static mo_dvec3 straighten(const simplex *s, mo_dvec3 v) {
  if (s->count == 2) {
    mo_dvec3 e = mo_dsub(at(s, 1), at(s, 0));
    return mo_dsub(v, mo_dscale(mo_ddot(v, e) / squared(e), e));
  }
  if (s->count == 3) {
    mo_dvec3 n = mo_dcross(mo_dsub(at(s, 1), at(s, 0)), mo_dsub(at(s, 2), at(s, 0)));
    double size = squared(n);
    mo_dvec3 straight = mo_dscale(mo_ddot(v, n) / size, n);
    return size > 0.0 && squared(straight) > 0.0 ? straight : v;
  }
  return v;
}

mo_convex_gap mo_gjk_distance(mo_gjk_support *support, void *body, mo_dvec3 start,
                              double max_distance) {
  mo_dvec3 v = squared(start) > 0.0 ? start : mo_dvec(1.0, 0.0, 0.0);
  simplex s = {{support(body, mo_dscale(-1.0, v))}, {1.0}, 1};
  v = closest_of(&s);
  double upper = sqrt(squared(v)), lower = 0.0;
  mo_dvec3 normal = v;
  int stalls = 0;
  for (int i = 0; i < MAX_ITERATIONS && upper > 0.0; ++i) {
    /* For slivers the closest point itself may be the better direction. */
    mo_dvec3 direction = stalls % 2 == 0 ? straighten(&s, v) : v;
    double length = sqrt(squared(direction));
    vertex w = support(body, mo_dscale(-1.0, direction));
    double bound = mo_ddot(direction, w.difference) / length;
    if (bound > lower) {
      lower = bound;
      normal = direction;
    }
    if (lower > max_distance || upper - lower <= relative_gap * upper || holds(&s, w.difference)) {
      break;
    }
    simplex next = s;
    next.vertices[next.count++] = w;
    bool outside = true;
    if (next.count == 2) {
      next = closest_on_segment(&next.vertices[0], &next.vertices[1]);
    } else if (next.count == 3) {
      next = closest_on_triangle(&next.vertices[0], &next.vertices[1], &next.vertices[2]);
    } else {
      outside = leave_tetrahedron(&next);
    }
    mo_dvec3 closer = outside ? closest_of(&next) : mo_dvec(0.0, 0.0, 0.0);
    double distance = sqrt(squared(closer));
    stalls = distance < upper ? 0 : stalls + 1;
    if (stalls > MAX_STALLS || !(distance <= upper * (1.0 + 8.0 * DBL_EPSILON))) {
      break; /* as close as rounding lets it come */
    }
    s = next;
    v = closer;
    upper = distance;
  }

  mo_convex_gap gap = {.distance = upper, .lower = fmin(lower, upper)};
  for (int i = 0; i < s.count; ++i) {
    gap.points[0] = mo_dadd(gap.points[0], mo_dscale(s.weights[i], s.vertices[i].a));
    gap.points[1] = mo_dadd(gap.points[1], mo_dscale(s.weights[i], s.vertices[i].b));
  }
  double length = sqrt(squared(normal));
  gap.normal =
      upper > 0.0 && length > 0.0 ? mo_dscale(-1.0 / length, normal) : mo_dvec(0.0, 0.0, 0.0);
  return gap;
}
