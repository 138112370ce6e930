/* Overlap test of two convex solids: they touch if the offset of their centres is a point of their
 * Minkowski sum. The sum is first mapped to a nearly round body, then tested by GJK.
 *
 * Most solids are Minkowski sums of segments, ellipsoids and elliptic discs around their centres (a
 * box of three segments, a capsule of one segment and an ellipsoid; rounding adds an ellipsoid).
 * All of these summands are symmetric, and so is the sum of two such solids. A disc is an ellipsoid
 * with an axis of length 0. Let the rows of M be the vectors of all segments and the axes of all
 * ellipsoids. The half width of the sum along a unit vector n is at least |M n| and at most sqrt(k)
 * |M n| for k summands. Take the factorization M = Q R. The linear map by the inverse transpose of
 * R then maps the sum, however flat or long it is, to a body between the balls of radius 1 and
 * sqrt(k) around the origin. There the test is well-conditioned, and a linear map does not change
 * whether bodies touch.
 *
 * A triangle is not symmetric. But the three dot products of n with its corners, relative to the
 * centroid, sum to 0, so the largest is at least the square root of a sixth of the sum of their
 * squares, and at most twice that. With the corners divided by sqrt(6) as rows of M, the inner ball
 * remains valid.
 *
 * A cone is not symmetric either. Let x be the dot product of n with half its axis, and y the half
 * width of its base along n. The cone reaches max(-x, x + y) along n. This is at least |x| and at
 * least y / 2, so at least sqrt(x^2 / 2 + y^2 / 8); and it is at most |x| + y. With the half axis
 * divided by sqrt(2) and the radii of the base divided by sqrt(8) as rows of M, the inner ball
 * remains valid, and the radius of the outer ball grows to sqrt(10) for each cone.
 *
 * A hull is not symmetric either. Its centre is defined as the mean of four vertices that are far
 * apart. So the four dot products of n with these vertices, relative to the centre, sum to 0, and
 * the largest is at least the square root of a twelfth of the sum of their squares. With these
 * vertices divided by sqrt(12) as rows of M, the inner ball remains valid. In coordinates relative
 * to the four, all vertices are small (struct mo_hull), under any map.
 *
 * First, a ball of 1e-12 of the size is added to the sum. It gives flat sums a volume, so that R
 * has an inverse, and it makes the tolerance 1e-12, above the rounding error: R and everything
 * computed with it has an error of 1e-16 of the size. (In flat directions, that is 1e-4 of the
 * mapped unit length; only the added ball extends in these directions.)
 *
 * Between the two balls the test is GJK (Gilbert, Johnson and Keerthi 1988). The answer is no if it
 * finds a separating plane, verified by the support point. The answer is yes if it finds a simplex
 * that contains the offset or comes within 4e-12 of it. It is also yes if the iteration limit is
 * reached, or if rounding prevents progress and no face of the simplex separates: then no plane
 * separates the bodies, to within rounding. */
#include "geometry/overlap/overlap.h"

#include <float.h>

#include "geometry/difference/difference.h"
#include "geometry/overlap/simplex.h"

/* The radius of the ball that is added to the Minkowski sum, relative to the sum's size. */
static const double added_ball_radius = 1e-12;

/* The iteration limit. Millions of random pairs that touch to within rounding, under maps of every
 * kind, took 17 iterations on average and 81 at most. */
enum { MAX_GJK_ITERATIONS = 128 };

/* The upper triangular matrix R of the factorization M = Q R; the rows of M are the vectors of all
 * summands. */
typedef struct upper_triangular {
  double xx, xy, xz, yy, yz, zz;
} upper_triangular;

/* The largest number of rows of the matrix M, whose rows are the vectors of all summands. */
enum {
  MAX_ROWS = MO_MAX_SUMMED_SEGMENTS + 3 * MO_MAX_SUMMED_ELLIPSOIDS + 3 * MO_MAX_SUMMED_CONES +
             4 * MO_MAX_SUMMED_HULLS + 3 * MO_MAX_SUMMED_TRIANGLES
};

/* Lists the rows of M; returns their number. */
static int list_rows(const mo_minkowski *sum, mo_dvec3 row[MAX_ROWS]) {
  const double share_of_axis = 0.70710678118654752, share_of_base = 0.35355339059327376,
               share_of_vertex = 0.28867513459481288, share_of_corner = 0.40824829046386302;
  int rows = 0;
  for (int i = 0; i < sum->segment_count; ++i) {
    row[rows++] = sum->segment[i];
  }
  for (int i = 0; i < 3 * sum->ellipsoid_count; ++i) {
    row[rows++] = sum->axes[i / 3][i % 3];
  }
  for (int i = 0; i < sum->cone_count; ++i) {
    row[rows++] = mo_dscale(share_of_axis, sum->cone[i].half);
    row[rows++] = mo_dscale(share_of_base, sum->cone[i].disc[0]);
    row[rows++] = mo_dscale(share_of_base, sum->cone[i].disc[1]);
  }
  for (int i = 0; i < 4 * sum->hull_count; ++i) {
    const mo_hull_image *hull = &sum->hull[i / 4];
    row[rows++] =
        mo_dscale(share_of_vertex, mo_hull_image_vertex(hull, hull->hull->far_vertices[i % 4]));
  }
  for (int i = 0; i < 3 * sum->triangle_count; ++i) {
    row[rows++] = mo_dscale(share_of_corner, sum->corner[i / 3][i % 3]);
  }
  return rows;
}

static upper_triangular qr_factor(const mo_minkowski *sum) {
  mo_dvec3 row[MAX_ROWS];
  const int rows = list_rows(sum, row);
  upper_triangular r = {0};
  for (int i = 0; i < rows; ++i) {
    r.xx += row[i].x * row[i].x;
  }
  r.xx = sqrt(r.xx);
  for (int i = 0; i < rows; ++i) {
    row[i].x /= r.xx;
    r.xy += row[i].x * row[i].y;
    r.xz += row[i].x * row[i].z;
  }
  for (int i = 0; i < rows; ++i) {
    row[i].y -= r.xy * row[i].x;
    row[i].z -= r.xz * row[i].x;
    r.yy += row[i].y * row[i].y;
  }
  r.yy = sqrt(r.yy);
  for (int i = 0; i < rows; ++i) {
    row[i].y /= r.yy;
    r.yz += row[i].y * row[i].z;
  }
  for (int i = 0; i < rows; ++i) {
    row[i].z -= r.yz * row[i].y;
    r.zz += row[i].z * row[i].z;
  }
  r.zz = sqrt(r.zz);
  return r;
}

/* Maps a vector by the inverse transpose of R, which makes the sum nearly round. */
static mo_dvec3 whiten(const upper_triangular *r, mo_dvec3 p) {
  double x = p.x / r->xx;
  double y = (p.y - r->xy * x) / r->yy;
  double z = (p.z - r->xz * x - r->yz * y) / r->zz;
  return mo_dvec(x, y, z);
}

static void whiten_all(const upper_triangular *r, mo_dvec3 *vector, int count) {
  for (int i = 0; i < count; ++i) {
    vector[i] = whiten(r, vector[i]);
  }
}

/* In the space where the sum is nearly round: a plane separates a point from the sum if the point
 * is farther beyond the plane than this. */
static const double separation_tolerance = 64.0 * DBL_EPSILON;

/* Whether the plane of a face of a simplex separates a point from the sum. This test is better than
 * the plane perpendicular to the closest point if the closest point lies on an edge to within
 * rounding: close to the origin, rounding rotates the direction from the closest point about the
 * edge. */
static bool face_separates(mo_minkowski *sum, mo_dvec3 point, const mo_overlap_simplex *s) {
  for (int i = 0; i < s->count && s->count >= 3; ++i) {
    mo_dvec3 p = s->point[i];
    mo_dvec3 e = mo_dsub(s->point[(i + 1) % s->count], p);
    mo_dvec3 f = mo_dsub(s->point[(i + 2) % s->count], p);
    mo_dvec3 n = mo_dcross(e, f);
    n = mo_ddot(n, p) < 0.0 ? mo_dscale(-1.0, n) : n;
    mo_dvec3 w = mo_dsub(point, mo_minkowski_support(sum, n));
    if (mo_ddot(n, w) > separation_tolerance * mo_dlength(n)) {
      return true;
    }
  }
  return false;
}

/* Whether the sum contains a point. The sum has been mapped to lie between a ball of radius 1 and
 * one a few times as large. The tolerance has added at most `slack` to it. */
static mo_containment whitened_sum_contains(mo_minkowski *sum, mo_dvec3 point, double slack) {
  const double near = 4e-12; /* rounding alone can stop the iteration at half of that */
  const double max_slack_of_ball = 0.1;

  if (mo_ddot(point, point) <= 0.75) {
    return slack < max_slack_of_ball ? MO_DEEP : MO_INSIDE; /* with a margin for rounding */
  }
  mo_overlap_simplex s = {{point},
                          1}; /* points of `point` - sum; the first is that of the sum's centre */
  mo_dvec3 v = point;
  double distance = mo_dlength(v);
  for (int i = 0; i < MAX_GJK_ITERATIONS; ++i) {
    mo_dvec3 w = mo_dsub(point, mo_minkowski_support(sum, v));
    if (mo_ddot(v, w) > separation_tolerance * distance) {
      return MO_OUTSIDE;
    }
    s.point[s.count++] = w;
    const mo_overlap_simplex whole = s;
    if (s.count == 4) {
      mo_containment certain = mo_tetrahedron_contains_origin(s.point, slack);
      if (certain != MO_OUTSIDE) {
        return certain;
      }
      v = mo_reduce_tetrahedron(&s, true);
    } else {
      v = mo_reduce_simplex(&s, true);
    }
    double previous = distance;
    distance = mo_dlength(v);
    if (distance <= near) {
      return MO_INSIDE;
    }
    if (distance > previous + separation_tolerance) {
      return face_separates(sum, point, &whole) ? MO_OUTSIDE : MO_INSIDE;
    }
  }
  return MO_INSIDE;
}

static int compare_numbers(double p, double q) {
  return (p > q) - (p < q);
}

static int compare_points(const mo_dvec3 *p, const mo_dvec3 *q, int count) {
  int order = 0;
  for (int i = 0; i < count && order == 0; ++i) {
    order = compare_numbers(p[i].x, q[i].x);
    order = order != 0 ? order : compare_numbers(p[i].y, q[i].y);
    order = order != 0 ? order : compare_numbers(p[i].z, q[i].z);
  }
  return order;
}

static int compare_hulls(const mo_hull *a, const mo_hull *b) {
  int order = compare_numbers(a->vertex_count, b->vertex_count);
  for (uint32_t i = 0; a != b && i < a->vertex_count && order == 0; ++i) {
    const mo_dvec3 p = mo_widen(mo_hull_vertex(a, i)), q = mo_widen(mo_hull_vertex(b, i));
    order = compare_points(&p, &q, 1);
  }
  return order;
}

/* A total order of solids by their parameters. With the pair sorted by it, results do not depend on
 * the order of the arguments. */
static int compare_solids(const mo_convex *a, const mo_convex *b) {
  if (a->solid.kind != b->solid.kind) {
    return a->solid.kind < b->solid.kind ? -1 : 1;
  }
  const mo_dvec3 p[6] = {a->origin,    a->solid.a,   a->solid.b,
                         a->column[0], a->column[1], a->column[2]};
  const mo_dvec3 q[6] = {b->origin,    b->solid.a,   b->solid.b,
                         b->column[0], b->column[1], b->column[2]};
  int order = compare_points(p, q, 6);
  order = order != 0 ? order : compare_numbers(a->solid.radius, b->solid.radius);
  order = order != 0 ? order : compare_numbers(a->solid.rounding, b->solid.rounding);
  return order != 0 || a->solid.kind != MO_SOLID_HULL ? order
                                                      : compare_hulls(a->solid.hull, b->solid.hull);
}

/* Whether the sum, grown by `margin` and the tolerance, contains a point whose rounding error is at
 * most `error_bound`. Modifies the sum. */
static mo_containment grown_sum_contains(mo_minkowski *sum, mo_dvec3 point, double error_bound,
                                         double margin) {
  double size = 0.0;
  for (int i = 0; i < sum->segment_count; ++i) {
    size += mo_dsquare(sum->segment[i]);
  }
  for (int i = 0; i < 3 * sum->ellipsoid_count; ++i) {
    size += mo_dsquare(sum->axes[i / 3][i % 3]);
  }
  for (int i = 0; i < sum->cone_count; ++i) {
    const mo_cone_image *cone = &sum->cone[i];
    size += mo_dsquare(cone->half) + mo_dsquare(cone->disc[0]) + mo_dsquare(cone->disc[1]);
  }
  for (int i = 0; i < 4 * sum->hull_count; ++i) {
    const mo_hull_image *hull = &sum->hull[i / 4];
    size += mo_dsquare(mo_hull_image_vertex(hull, hull->hull->far_vertices[i % 4]));
  }
  for (int i = 0; i < 3 * sum->triangle_count; ++i) {
    size += mo_dsquare(sum->corner[i / 3][i % 3]);
  }
  double tolerance = added_ball_radius * sqrt(size) + error_bound, added = tolerance + margin;
  double distance = mo_dlength(point);
  if (size == 0.0 || distance <= added) {
    return distance <= added ? MO_INSIDE : MO_OUTSIDE;
  }
  /* Most disjoint pairs are separated along the line of their centres. */
  if (distance * (distance - added) > mo_minkowski_support_distance(sum, point)) {
    return MO_OUTSIDE;
  }

  mo_dvec3 *ball = sum->axes[sum->ellipsoid_count++];
  ball[0] = mo_dvec(added, 0.0, 0.0);
  ball[1] = mo_dvec(0.0, added, 0.0);
  ball[2] = mo_dvec(0.0, 0.0, added);
  upper_triangular r = qr_factor(sum);
  whiten_all(&r, sum->segment, sum->segment_count);
  whiten_all(&r, sum->axes[0], 3 * sum->ellipsoid_count);
  for (int i = 0; i < sum->cone_count; ++i) {
    sum->cone[i].half = whiten(&r, sum->cone[i].half);
    whiten_all(&r, sum->cone[i].disc, 2);
  }
  for (int i = 0; i < sum->hull_count; ++i) {
    whiten_all(&r, sum->hull[i].column, 3);
  }
  whiten_all(&r, sum->corner[0], 3 * sum->triangle_count);
  /* An upper bound of how far the tolerance reaches in the whitened space, doubled to cover
   * rounding. */
  double slack =
      2.0 * tolerance / added *
      sqrt(mo_ddot(ball[0], ball[0]) + mo_ddot(ball[1], ball[1]) + mo_ddot(ball[2], ball[2]));
  return whitened_sum_contains(sum, whiten(&r, point), slack);
}

static bool intervals_are_apart(double lower, double upper, double margin) {
  return upper - lower > margin;
}

static bool boxes_are_apart(mo_aabb a, mo_aabb b, double margin) {
  return intervals_are_apart(a.upper.x, b.lower.x, margin) ||
         intervals_are_apart(b.upper.x, a.lower.x, margin) ||
         intervals_are_apart(a.upper.y, b.lower.y, margin) ||
         intervals_are_apart(b.upper.y, a.lower.y, margin) ||
         intervals_are_apart(a.upper.z, b.lower.z, margin) ||
         intervals_are_apart(b.upper.z, a.lower.z, margin);
}

static int compare_bodies(const mo_body *a, const mo_body *b) {
  const bool triangles = a->kind == MO_BODY_TRIANGLE;
  if (triangles != (b->kind == MO_BODY_TRIANGLE)) {
    return triangles ? -1 : 1;
  }
  return triangles ? compare_points(a->corners, b->corners, 3)
                   : compare_solids(&a->convex, &b->convex);
}

/* Adds the centre of a body, times -sign, to `offset`, the point that the sum is to contain; a part
 * is returned instead, which the caller has to add. A triangle is also added to the sum. `sign` is
 * 1 for the first body, and -1 for the second. */
static mo_dvec3 add_center(mo_minkowski *sum, const mo_body *body, double sign, mo_sum4 *offset,
                           double *rounding) {
  switch (body->kind) {
    MO_CASES_OF_CONVEX_KINDS
    mo_convex_add_center(&body->convex, -sign, offset);
    return mo_dvec(0.0, 0.0, 0.0);
  case MO_BODY_TRIANGLE:
    return mo_minkowski_add_triangle(sum, body->corners, sign, offset, rounding);
  case MO_BODY_HALF_SPACE:
    break;
  }
  __builtin_unreachable();
}

bool mo_bodies_within_by_gjk(const mo_body *a, const mo_body *b, double margin) {
  if (boxes_are_apart(mo_body_loose_bounds(a), mo_body_loose_bounds(b), margin)) {
    return false;
  }
  if (compare_bodies(a, b) > 0) {
    const mo_body *swap = a;
    a = b;
    b = swap;
  }
  mo_minkowski sum;
  mo_minkowski_clear(&sum);
  mo_sum4 offset = {.value = mo_d4_splat(0.0)};
  double rounding = 0.0;
  mo_dvec3 rest = add_center(&sum, b, -1.0, &offset, &rounding);
  rest = mo_dadd(rest, add_center(&sum, a, 1.0, &offset, &rounding));
  if (a->kind != MO_BODY_TRIANGLE) {
    mo_minkowski_add_solid(&sum, &a->convex, 1.0);
  }
  if (b->kind != MO_BODY_TRIANGLE) {
    mo_minkowski_add_solid(&sum, &b->convex, -1.0);
  }
  mo_dvec3 point = mo_sum4_round(&offset);
  double error_bound = 0x1p-96 * mo_sum_of_magnitudes(mo_d4_to_vector(offset.magnitude));
  mo_containment found =
      grown_sum_contains(&sum, mo_dadd(point, rest), error_bound + rounding, margin);
  return found == MO_DEEP ||
         (found == MO_INSIDE && !boxes_are_apart(mo_body_bounds(a), mo_body_bounds(b), margin));
}

bool mo_half_space_within(const mo_body *a, const mo_body *b, double distance) {
  const mo_half_space_pair s = mo_half_space_pair_of(a, b);
  return s.height <= distance + s.error_bound;
}

static mo_quick_test_solid quick_test_solid_of_body(const mo_body *body) {
  return body->kind == MO_BODY_TRIANGLE ? mo_quick_test_solid_of_triangle(body->corners)
                                        : mo_quick_test_solid_of(&body->convex);
}

static mo_quick_test_answer quick_within_of_triangle(const mo_body *a, const mo_body *b,
                                                     double margin) {
  const mo_quick_test_solid of_a = quick_test_solid_of_body(a), of_b = quick_test_solid_of_body(b);
  return mo_quick_within_by_gjk(&of_a, &of_b, margin);
}

bool mo_bodies_within(const mo_body *a, const mo_body *b, double margin) {
  if (mo_either_is_half_space(a, b)) {
    return mo_half_space_within(a, b, margin);
  }
  const bool has_triangle = a->kind == MO_BODY_TRIANGLE || b->kind == MO_BODY_TRIANGLE;
  const mo_quick_test_answer answer = has_triangle
                                          ? quick_within_of_triangle(a, b, margin)
                                          : mo_convex_quick_within(&a->convex, &b->convex, margin);
  return answer == MO_QUICK_UNDECIDED ? mo_bodies_within_by_gjk(a, b, margin)
                                      : answer == MO_QUICK_YES;
}
