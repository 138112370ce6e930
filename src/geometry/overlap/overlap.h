/* Whether two bodies touch, or come within a distance of each other. */
#ifndef MO_GEOMETRY_OVERLAP_OVERLAP_H
#define MO_GEOMETRY_OVERLAP_OVERLAP_H

#include "geometry/body/body.h"
#include "geometry/solid/solids.h"

/* Whether the distance of two bodies is at most `distance` (0: whether they touch), which is finite
 * and not negative. Symmetric in its arguments. Always true if the distance is at most that; also
 * true for gaps up to 1e-11 of the sum of the sizes, but never if the bounds are farther apart.
 * This holds for any map and any ratio of sizes; a large distance from the world's origin costs no
 * precision. Triangles may be degenerate. Their corners may have been rounded to double: therefore
 * gaps up to 1e-14 of their largest coordinate count as touching too. */
bool mo_bodies_within(const mo_body *a, const mo_body *b, double distance);

/* As mo_bodies_within, for two bodies of which at least one is a half-space. */
bool mo_half_space_within(const mo_body *a, const mo_body *b, double distance);

/* As mo_bodies_within, but by GJK alone, without the quick test; for bodies that are no
 * half-spaces. */
bool mo_bodies_within_by_gjk(const mo_body *a, const mo_body *b, double distance);

/* The answer of a quick test for pairs of solids, or of a solid and a triangle. Nearly all are
 * decided after a few steps, by a point that lies in both or by a separating plane. */
typedef enum mo_quick_test_answer {
  MO_QUICK_NO,
  MO_QUICK_YES,
  MO_QUICK_UNDECIDED, /* undecided: the exact test has to be made */
} mo_quick_test_answer;

/* A solid in the form for the quick test: the points center + t0 half[0] + t1 half[1] + t2 half[2]
 * with |t| <= 1, grown by a radius. If the solid has a disc, the last two t lie in the unit disc;
 * if it tapers (a cone), in a disc of radius (1 + t0) / 2. Or else the points of a hull, grown by a
 * radius. */
typedef struct mo_quick_test_solid {
  mo_dvec3 center, half[3]; /* half: vectors from the centre that span the solid */
  int half_vector_count;    /* number of vectors in `half` */
  bool is_axis_aligned;     /* a ball or an axis-aligned box (world axes), before rounding */
  bool has_disc;            /* the last two vectors in `half` span an ellipse */
  bool is_cone;             /* a cone: half[0] points from its apex to the centre of its base */
  bool is_triangle;         /* `half` are its corners, from the centre */
  mo_hull_image hull;       /* a hull, in place of `half` */
  double magnitude;         /* largest magnitude of the terms that are summed to `center` */
  double size;              /* sum of the lengths of `half`, or size of the hull, plus the radius */
  double min_radius, max_radius; /* bounds of the radius by which the solid is grown */
} mo_quick_test_solid;

mo_quick_test_solid mo_quick_test_solid_of(const mo_convex *convex);

/* A triangle, only for mo_quick_within_by_gjk. */
mo_quick_test_solid mo_quick_test_solid_of_triangle(const mo_dvec3 corners[3]);

/* As mo_quick_test_solid_of, for a ball in world coordinates, with less work. */
mo_quick_test_solid mo_quick_test_solid_of_ball(mo_sphere ball);

/* Whether two solids are within a distance of each other, with the result of mo_bodies_within. Yes
 * and no are returned only if neither rounding nor the tolerance could change the answer.
 * Symmetric, except that the order of the solids may decide whether a pair is left in doubt. */
mo_quick_test_answer mo_convex_quick_within(const mo_convex *a, const mo_convex *b,
                                            double distance);

/* As mo_convex_quick_within, for a second solid that is also given as a mo_quick_test_solid. */
mo_quick_test_answer mo_convex_quick_within_prepared(const mo_convex *a, const mo_convex *b,
                                                     const mo_quick_test_solid *b_solid,
                                                     double distance);

/* As mo_convex_quick_within, by a few steps of GJK. */
mo_quick_test_answer mo_quick_within_by_gjk(const mo_quick_test_solid *a,
                                            const mo_quick_test_solid *b, double distance);

#endif
