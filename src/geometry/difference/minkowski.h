/* Minkowski sums of solids and triangles, relative to their centres. The summands are segments,
 * ellipsoids, cones, hulls and triangles; the support of the sum is the sum of their supports. */
#ifndef MO_GEOMETRY_DIFFERENCE_MINKOWSKI_H
#define MO_GEOMETRY_DIFFERENCE_MINKOWSKI_H

#include "geometry/body/body.h"
#include "geometry/solid/solids.h"

/* The largest number of summands of each kind that two bodies have together. */
enum {
  MO_MAX_SUMMED_SEGMENTS = 6,
  MO_MAX_SUMMED_ELLIPSOIDS = 5,
  MO_MAX_SUMMED_CONES = 2,
  MO_MAX_SUMMED_HULLS = 2,
  MO_MAX_SUMMED_TRIANGLES = 2
};

/* The image of a cone under a linear map: the apex is at -half, the centre of the base at half. */
typedef struct mo_cone_image {
  mo_dvec3 half, disc[2]; /* half the axis; two radii of the base */
} mo_cone_image;

typedef struct mo_minkowski {
  mo_dvec3 segment[MO_MAX_SUMMED_SEGMENTS]; /* from the centre of each segment to one end */
  int segment_count;
  mo_dvec3 axes[MO_MAX_SUMMED_ELLIPSOIDS][3]; /* [ellipsoid][column]: the matrix whose image of the
                                          unit ball is the ellipsoid */
  int ellipsoid_count;
  mo_cone_image cone[MO_MAX_SUMMED_CONES];
  int cone_count;
  mo_hull_image hull[MO_MAX_SUMMED_HULLS];
  int hull_count;
  mo_dvec3 corner[MO_MAX_SUMMED_TRIANGLES][3]; /* of each triangle, relative to its centroid */
  int triangle_count;
} mo_minkowski;

static inline int mo_minkowski_summand_count(const mo_minkowski *sum) {
  return sum->segment_count + sum->ellipsoid_count + sum->cone_count + sum->hull_count +
         sum->triangle_count;
}

/* Whether a sum has no round summand. */
static inline bool mo_minkowski_is_polytope(const mo_minkowski *sum) {
  return sum->ellipsoid_count + sum->cone_count == 0;
}

/* Makes a sum empty. The arrays are left unset, as they are large, and few of them are used. */
static inline void mo_minkowski_clear(mo_minkowski *sum) {
  sum->segment_count = sum->ellipsoid_count = sum->cone_count = sum->hull_count =
      sum->triangle_count = 0;
}

static inline void mo_minkowski_add_segment(mo_minkowski *sum, mo_dvec3 v) {
  if (v.x != 0.0 || v.y != 0.0 || v.z != 0.0) {
    sum->segment[sum->segment_count++] = v;
  }
}

/* Adds a solid (sign 1) or its point reflection (-1). */
static inline void mo_minkowski_add_solid(mo_minkowski *sum, const mo_convex *convex, double sign) {
  mo_solid_image image = mo_solid_linear_image(&convex->solid, convex->column);
  if (image.is_cone && convex->solid.radius > 0.0) {
    sum->cone[sum->cone_count++] =
        (mo_cone_image){mo_dscale(sign, image.segment[0]), {image.disc[0], image.disc[1]}};
    image.segment_count = 0;
    image.has_disc = false;
  }
  for (int i = 0; i < image.segment_count; ++i) {
    mo_minkowski_add_segment(sum, image.segment[i]);
  }
  if (image.hull != NULL) {
    mo_hull_image *hull = &sum->hull[sum->hull_count++];
    *hull = (mo_hull_image){.hull = image.hull, .last_vertex = MO_NONE};
    for (int i = 0; i < 3; ++i) {
      hull->column[i] = mo_dscale(sign, convex->column[i]);
    }
  }
  if (image.has_disc && convex->solid.radius > 0.0) {
    mo_dvec3 *axes = sum->axes[sum->ellipsoid_count++];
    axes[0] = image.disc[0];
    axes[1] = image.disc[1];
    axes[2] = mo_dvec(0.0, 0.0, 0.0);
  }
  if (image.ball > 0.0) {
    mo_dvec3 *axes = sum->axes[sum->ellipsoid_count++];
    for (int i = 0; i < 3; ++i) {
      axes[i] = mo_dscale(image.ball, convex->column[i]);
    }
  }
}

/* Returns half the width of an ellipsoid along n: the norm of the dot products of n with its axes,
 * which are written to `along`. */
static inline double mo_ellipsoid_support_distance(const mo_dvec3 axes[3], mo_dvec3 n,
                                                   mo_dvec3 *along) {
  *along = mo_map_rows(axes, n);
  return mo_dlength(*along);
}

/* How much the first `count` axes of an ellipsoid differ in length or are not perpendicular: the
 * largest deviation of their dot products, relative to the squared length of the first. */
static inline double mo_ellipsoid_ball_deviation(const mo_dvec3 *axes, int count) {
  double square = mo_ddot(axes[0], axes[0]), deviation = 0.0;
  for (int i = 0; i < count; ++i) {
    deviation = fmax(deviation, fabs(mo_ddot(axes[i], axes[i]) - square));
    for (int j = 0; j < i; ++j) {
      deviation = fmax(deviation, fabs(mo_ddot(axes[i], axes[j])));
    }
  }
  return square > 0.0 ? deviation / square : INFINITY;
}

static inline mo_dvec3 mo_ellipsoid_support(const mo_dvec3 axes[3], mo_dvec3 n) {
  mo_dvec3 along;
  double width = mo_ellipsoid_support_distance(axes, n, &along);
  if (!(width > 0.0)) {
    return mo_dvec(0.0, 0.0, 0.0);
  }
  return mo_dscale(1.0 / width, mo_map_columns(axes, along));
}

/* How far the base of a cone reaches along n from the base's centre. `along` receives the dot
 * products of n with the two radii. */
static inline double mo_cone_base_support_distance(const mo_cone_image *cone, mo_dvec3 n,
                                                   double along[2]) {
  along[0] = mo_ddot(cone->disc[0], n);
  along[1] = mo_ddot(cone->disc[1], n);
  return sqrt(along[0] * along[0] + along[1] * along[1]);
}

static inline double mo_cone_image_support_distance(const mo_cone_image *cone, mo_dvec3 n) {
  double along[2], half = mo_ddot(cone->half, n);
  return fmax(-half, half + mo_cone_base_support_distance(cone, n, along));
}

static inline mo_dvec3 mo_cone_image_support(const mo_cone_image *cone, mo_dvec3 n) {
  double along[2], width = mo_cone_base_support_distance(cone, n, along),
                   half = mo_ddot(cone->half, n);
  if (-half >= half + width) {
    return mo_dscale(-1.0, cone->half);
  }
  if (!(width > 0.0)) {
    return cone->half;
  }
  mo_dvec3 rim = mo_dadd(mo_dscale(along[0], cone->disc[0]), mo_dscale(along[1], cone->disc[1]));
  return mo_dadd(cone->half, mo_dscale(1.0 / width, rim));
}

static inline mo_dvec3 mo_farthest_corner(const mo_dvec3 corner[3], mo_dvec3 n) {
  return corner[mo_largest_of_three(mo_ddot(corner[0], n), mo_ddot(corner[1], n),
                                    mo_ddot(corner[2], n))];
}

/* How far the sum reaches along n: half its width, if it is symmetric. Hulls cache the vertex that
 * they found as the start of the next search; this changes no result. */
static inline double mo_minkowski_support_distance(mo_minkowski *sum, mo_dvec3 n) {
  double width = 0.0;
  for (int i = 0; i < sum->segment_count; ++i) {
    width += fabs(mo_ddot(sum->segment[i], n));
  }
  for (int i = 0; i < sum->ellipsoid_count; ++i) {
    mo_dvec3 along;
    width += mo_ellipsoid_support_distance(sum->axes[i], n, &along);
  }
  for (int i = 0; i < sum->cone_count; ++i) {
    width += mo_cone_image_support_distance(&sum->cone[i], n);
  }
  for (int i = 0; i < sum->hull_count; ++i) {
    width += mo_ddot(mo_hull_image_support(&sum->hull[i], n), n);
  }
  for (int i = 0; i < sum->triangle_count; ++i) {
    width += mo_ddot(mo_farthest_corner(sum->corner[i], n), n);
  }
  return width;
}

/* The point of the sum that is farthest along n. */
static inline mo_dvec3 mo_minkowski_support(mo_minkowski *sum, mo_dvec3 n) {
  mo_dvec3 point = {0.0, 0.0, 0.0};
  for (int i = 0; i < sum->segment_count; ++i) {
    mo_dvec3 v = sum->segment[i];
    point = mo_ddot(v, n) < 0.0 ? mo_dsub(point, v) : mo_dadd(point, v);
  }
  for (int i = 0; i < sum->ellipsoid_count; ++i) {
    point = mo_dadd(point, mo_ellipsoid_support(sum->axes[i], n));
  }
  for (int i = 0; i < sum->cone_count; ++i) {
    point = mo_dadd(point, mo_cone_image_support(&sum->cone[i], n));
  }
  for (int i = 0; i < sum->hull_count; ++i) {
    point = mo_dadd(point, mo_hull_image_support(&sum->hull[i], n));
  }
  for (int i = 0; i < sum->triangle_count; ++i) {
    point = mo_dadd(point, mo_farthest_corner(sum->corner[i], n));
  }
  return point;
}

/* Adds a triangle (sign 1) or its point reflection (-1), relative to its centroid. The centroid,
 * times the sign, has to be subtracted from `offset`. The function subtracts the first corner from
 * `offset` and returns the other part, which the caller has to add. The rounding error of the
 * corners is added to `error_bound`. */
static inline mo_dvec3 mo_minkowski_add_triangle(mo_minkowski *sum, const mo_dvec3 corners[3],
                                                 double sign, mo_sum4 *offset,
                                                 double *error_bound) {
  mo_dvec3 e = mo_dsub(corners[1], corners[0]), f = mo_dsub(corners[2], corners[0]);
  mo_dvec3 middle = mo_dscale(1.0 / 3.0, mo_dadd(e, f));
  mo_dvec3 *corner = sum->corner[sum->triangle_count++];
  corner[0] = mo_dscale(-sign, middle);
  corner[1] = mo_dscale(sign, mo_dsub(e, middle));
  corner[2] = mo_dscale(sign, mo_dsub(f, middle));
  mo_sum4_add(offset, mo_d4_of_vector(mo_dscale(-sign, corners[0])));
  for (int i = 0; i < 3; ++i) {
    *error_bound += 0x1p-51 * mo_sum_of_magnitudes(corners[i]);
  }
  return mo_dscale(-sign, middle);
}

#endif
