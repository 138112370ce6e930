/* Queries by distance: types and functions shared by the traversals.
 *
 * Distances are those of boxes, in double precision, squared. Each operation is monotone, rounding
 * included, so a box is never farther than a box inside it: nodes are culled by the same arithmetic
 * as shapes, without margins. */
#ifndef MO_QUERY_NEAR_NEAR_H
#define MO_QUERY_NEAR_NEAR_H

#include <float.h>
#include <motte/distance.h>
#include <motte/near.h>

#include "mesh/near/near.h"
#include "mesh/query.h"
#include "query/compound.h"
#include "query/visit.h"

/* The box that distances are measured from, widened to double. */
typedef struct mo_near_box {
  double lower[3], upper[3];
} mo_near_box;

static inline mo_near_box mo_near_box_of(const mo_aabb *box) {
  return (mo_near_box){{box->lower.x, box->lower.y, box->lower.z},
                       {box->upper.x, box->upper.y, box->upper.z}};
}

static inline mo_aabb mo_near_box_to_aabb(const mo_near_box *box) {
  return (mo_aabb){{(float)box->lower[0], (float)box->lower[1], (float)box->lower[2]},
                   {(float)box->upper[0], (float)box->upper[1], (float)box->upper[2]}};
}

/* Vectors of four lanes, and the results of comparisons: all bits of a lane or none. */
typedef float mo_near_f4 __attribute__((vector_size(16)));
typedef double mo_near_d4 __attribute__((vector_size(32)));
typedef int64_t mo_near_m4 __attribute__((vector_size(32)));

/* Computes the squared distances of eight boxes from `from`, infinite for empty boxes. On each
 * axis, a nonempty box has a positive gap on at most one side. */
MO_INLINE void mo_near_distances(const mo_near_box *from, const mo_bounds8 *bounds,
                                 double distance2[MO_LANE_COUNT]) {
  const mo_near_d4 zero = {0.0, 0.0, 0.0, 0.0};
  for (int half = 0; half < MO_LANE_COUNT; half += 4) {
    mo_near_d4 sum = zero;
    for (int axis = 0; axis < 3; axis++) {
      mo_near_f4 lower, upper;
      memcpy(&lower, &bounds->lower[axis][half], sizeof lower);
      memcpy(&upper, &bounds->upper[axis][half], sizeof upper);
      mo_near_d4 above = __builtin_convertvector(lower, mo_near_d4) - from->upper[axis];
      mo_near_d4 below = from->lower[axis] - __builtin_convertvector(upper, mo_near_d4);
      mo_near_d4 gap = (mo_near_d4)((mo_near_m4)above & (mo_near_m4)(above > zero)) +
                       (mo_near_d4)((mo_near_m4)below & (mo_near_m4)(below > zero));
      sum += gap * gap;
    }
    memcpy(distance2 + half, &sum, sizeof sum);
  }
}

/* Bit mask of the keys within a limit. */
MO_INLINE uint32_t mo_near_keys_within(const double key[MO_LANE_COUNT], double limit) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    mask |= (uint32_t)(key[i] <= limit) << i;
  }
  return mask;
}

/* Computes, for each of eight boxes, an upper bound of the squared distance from `from` of all
 * boxes inside it. */
MO_INLINE void mo_near_max_distances(const mo_near_box *from, const mo_bounds8 *bounds,
                                     double distance2[MO_LANE_COUNT]) {
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    double gap[3];
    for (int axis = 0; axis < 3; axis++) {
      double above = (double)bounds->upper[axis][i] - from->upper[axis];
      double below = from->lower[axis] - (double)bounds->lower[axis][i];
      double max = above > below ? above : below;
      gap[axis] = max > 0.0 ? max : 0.0;
    }
    distance2[i] = gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
  }
}

/* The squared distance of a half-space from the box `from`. */
static inline double mo_near_half_space_distance2(const mo_half_space_body *half_space,
                                                  const mo_near_box *from) {
  double height = mo_half_space_min_box_height(half_space, mo_near_box_to_aabb(from));
  return height > 0.0 ? height * height : 0.0;
}

static inline bool mo_near_shape_before(const void *a, const void *b) {
  const mo_near_shape *x = a, *y = b;
  return x->distance2 != y->distance2 ? x->distance2 < y->distance2
                                      : x->shape.index < y->shape.index;
}

typedef struct mo_near_query {
  const mo_scene *scene;
  mo_near_box from;
  double limit; /* limit of squared distances; finite, so that empty boxes are beyond it */
  const mo_filter *filter;
  bool filter_passes_defaults; /* the filter passes all shapes with default category and mask */
  mo_distance_key begin;       /* shapes before this key are skipped */
  mo_query_stats *stats;
  /* For mo_near_list: the list of results, mo_near_shape without user data. */
  mo_bounded_list list;
  bool count_all; /* count shapes beyond the capacity too */
  /* For mo_near_visit: the callback that receives the results. */
  bool (*visit)(const mo_near_shape *shape, void *context);
  void *context;
} mo_near_query;

MO_ISA_DECLARE(void, mo_near_list, (mo_near_query * query));
MO_ISA_DECLARE(void, mo_near_visit, (mo_near_query * query));

static inline bool mo_level_before(const void *a, const void *b) {
  return ((const mo_level_result *)a)->shape.index < ((const mo_level_result *)b)->shape.index;
}

/* A query for shapes with their levels of detail. */
typedef struct mo_level_query {
  const mo_scene *scene;
  const mo_level_def *def;
  mo_near_box eye;
  double threshold2[MO_MAX_LEVELS]; /* squares of the def's thresholds */
  /* Upper bound of the rounding error of box tests by each plane. */
  float slack[MO_MAX_PLANES];
  mo_query_stats *stats;
  mo_bounded_list list;
} mo_level_query;

MO_ISA_DECLARE(void, mo_level_list, (mo_level_query * query));

/* A query for the closest points of a scene to a point or a convex body. Hits are compared by
 * distance, rounded to float, then by shape, then by child, then by triangle. Boxes are culled by
 * mo_near_distances without a margin, because no test returns less than the computed distance of
 * the box: for a triangle the vector to the closest point is clamped on each axis to the range of
 * (corner - point), and the tests of solids and bodies return the distance of the box where they
 * find less. */
typedef struct mo_closest_query {
  const mo_scene *scene;
  mo_vec3 point;
  mo_near_box from; /* the query point, or the box of the query body, as a box of doubles */
  const mo_filter *filter;
  bool hit_volumes;
  bool filter_passes_defaults; /* the filter passes all shapes with default category and mask */
  bool is_signed;              /* searches for the smallest signed distance */
  /* Distance, slot and hit of the best shape so far. Until a shape is found, `shape` is MO_NONE and
   * `distance` is the limit. */
  float distance;
  uint32_t shape;
  mo_closest_hit hit;
  const mo_placed_child *child; /* the child that is being tested; null: a shape of the scene */
  mo_keys8 *box_keys;           /* the culling test */
  /* Boxes up to this squared distance may contain an equally good or better hit. */
  double limit;
  double skip_distance2; /* boxes wholly nearer than this are culled; 0: none */
  mo_query_stats *stats;
  /* If not null, distances are measured from a body instead of a point: the body, and the list of
   * hits. */
  mo_distance_query *distances;
  bool every_triangle;
  bool culls_by_plane; /* the body is a half-space: boxes are culled by `plane` instead of `from` */
  mo_plane_path plane;
} mo_closest_query;

MO_ISA_DECLARE(void, mo_scene_closest, (mo_closest_query * query));

/* Finds the smallest signed distance: `distance` may be negative, and `limit` is a squared distance
 * with the sign of the distance. */
MO_ISA_DECLARE(void, mo_scene_signed, (mo_closest_query * query));

/* Tests one shape exactly, and records its hit if it is better than the best hit so far. */
void mo_scene_closest_test_shape(uint32_t slot, double key, void *query);

/* Tests one shape, or query->child, exactly, if distances are measured from a body
 * (mo_closest_query.distances). */
void mo_scene_distances_test_shape(uint32_t slot, mo_closest_query *query);

#endif
