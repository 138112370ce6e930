/* Random questions about a region of space: rays, boxes, balls and plane sets, of the kinds that
 * break queries as well as ordinary ones. */
#ifndef TEST_SAMPLES_H
#define TEST_SAMPLES_H

#include <motte/geometry.h>
#include <motte/query.h>

#include "support/meshes.h"

/* What is aimed at: a region and one triangle in it. */
typedef struct sample_target {
  mo_aabb bounds;
  mo_vec3 corners[3];
} sample_target;

#define SAMPLE_RAY_KINDS(X)                                                                        \
  X(THROUGH, "through")         /* from outside to a point of the region */                        \
  X(INSIDE, "inside")           /* from a point of the region */                                   \
  X(SURFACE, "surface")         /* from outside to a point of the triangle */                      \
  X(AXIS, "axis")               /* exactly along an axis, through a point of the triangle */       \
  X(AXIS_VERTEX, "axis-vertex") /* exactly along an axis, through a corner */                      \
  X(IN_PLANE, "in-plane")       /* within the plane of the triangle */                             \
  X(ALONG_EDGE, "along-edge")   /* along an edge */                                                \
  X(AT_VERTEX, "at-vertex")                                                                        \
  X(AT_EDGE, "at-edge")                                                                            \
  X(FROM_VERTEX, "from-vertex")                                                                    \
  X(FROM_SURFACE, "from-surface")                                                                  \
  X(FAR, "far")                         /* from 1e6 times as far as the region is wide */          \
  X(DENORMAL, "denormal")               /* with direction components below FLT_MIN */              \
  X(ONE_ZERO, "one-zero")               /* with one direction component zero, of either sign */    \
  X(SHORT_DIRECTION, "short-direction") /* 1e-20 times as long */                                  \
  X(LONG_DIRECTION, "long-direction")   /* 1e20 times as long */                                   \
  X(SEGMENT, "segment")                 /* between two points of the region, ends included */      \
  X(CORNER_OF_BOX, "corner-of-box")     /* through a corner of the region, grazing */              \
  X(POINT, "point")                     /* a segment of no length */                               \
  X(UGLY, "ugly")                       /* any mixture of zeros, denormals, small and large */

typedef enum sample_ray_kind {
#define SAMPLE_RAY_ENUM(name, text) SAMPLE_RAY_##name,
  SAMPLE_RAY_KINDS(SAMPLE_RAY_ENUM)
#undef SAMPLE_RAY_ENUM
      SAMPLE_RAY_KIND_COUNT,
} sample_ray_kind;

const char *sample_ray_kind_name(sample_ray_kind kind);

/* A random triangle of a mesh, or three random points where it has none. */
sample_target sample_target_of_mesh(const test_mesh *mesh, rng *r);
/* Another triangle of the same mesh. */
void sample_other_triangle(sample_target *target, const test_mesh *mesh, rng *r);

/* Everything that is random is drawn in an order that the language defines, here and in the other
 * generators: compilers differ in the order in which they evaluate arguments.
 *
 * A legal ray. Its range is [0, infinity) but for SEGMENT and POINT. */
mo_ray_def sample_ray(rng *r, sample_ray_kind kind, const sample_target *target);

/* Of any kind, and now and then with a range, back faces culled, or the target to be ignored. */
mo_ray_def sample_any_ray(rng *r, const sample_target *target);

/* Everything that can be wrong with a ray, one thing at a time: makes a legal one refused. */
enum { SAMPLE_BAD_RAYS = 29 };
void sample_bad_ray(uint32_t i, mo_ray_def *ray, mo_result *expected);

/* For odd i, a ray of any kind; else from near by through a corner of the triangle, exactly: of
 * rays at degenerate triangles those are most often hits by rounding. */
mo_ray_def sample_aimed_ray(int i, const sample_target *target, rng *r);

/* From a point to a wide box: some are aligned to the triangle's corners exactly. */
mo_aabb sample_box(rng *r, const sample_target *target);

/* A ball; some touch a corner as exactly as a float radius allows. */
mo_sphere sample_sphere(rng *r, const sample_target *target);

/* A point, some of them on the triangle's corners, edges and planes. */
mo_vec3 sample_point(rng *r, const sample_target *target);

/* A half-space with the boundary near a target, often through a corner or along the triangle, under
 * all kinds of maps that have an inverse. */
mo_primitive sample_half_space(rng *r, const sample_target *target);

/* 0 to 8 planes around a point of the region, some through corners exactly, some not normalised. */
uint32_t sample_planes(rng *r, const sample_target *target, mo_plane planes[8]);

#endif
