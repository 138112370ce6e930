/* Queries by distance: what the traversals share.
 *
 * Distances are of boxes, in double precision, squared. Each operation is monotone, rounding
 * included, so that a box is never farther than one inside it: nodes are left out by the very
 * numbers that shapes are judged by, without margins. */
#ifndef MO_QUERY_NEAR_NEAR_H
#define MO_QUERY_NEAR_NEAR_H

#include <float.h>
#include <motte/cast.h>
#include <motte/distance.h>
#include <motte/near.h>

#include "mesh/near/near.h"
#include "mesh/query.h"
#include "query/visit.h"

/* The box that distances are measured from, widened. */
typedef struct mo_near_box {
  double lower[3], upper[3];
} mo_near_box;

static inline mo_near_box mo_near_box_of(const mo_aabb *box) {
  return (mo_near_box){{box->lower.x, box->lower.y, box->lower.z},
                       {box->upper.x, box->upper.y, box->upper.z}};
}

static inline mo_aabb mo_near_aabb(const mo_near_box *box) {
  return (mo_aabb){{(float)box->lower[0], (float)box->lower[1], (float)box->lower[2]},
                   {(float)box->upper[0], (float)box->upper[1], (float)box->upper[2]}};
}

/* Four doubles; comparisons give all bits or none. */
typedef float mo_near_f4 __attribute__((vector_size(16)));
typedef double mo_near_d4 __attribute__((vector_size(32)));
typedef int64_t mo_near_m4 __attribute__((vector_size(32)));

/* The squared distances of eight boxes, infinite for empty ones. A box that is not empty has a gap
 * on one side at most. */
MO_INLINE void mo_near_distances(const mo_near_box *from, const mo_bounds8 *bounds,
                                 double distance2[MO_WIDTH]) {
  const mo_near_d4 zero = {0.0, 0.0, 0.0, 0.0};
  for (int half = 0; half < MO_WIDTH; half += 4) {
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

/* Upper bounds of the squared distances of what may be in eight boxes. */
MO_INLINE void mo_near_farthest(const mo_near_box *from, const mo_bounds8 *bounds,
                                double distance2[MO_WIDTH]) {
  for (int i = 0; i < MO_WIDTH; i++) {
    double gap[3];
    for (int axis = 0; axis < 3; axis++) {
      double above = (double)bounds->upper[axis][i] - from->upper[axis];
      double below = from->lower[axis] - (double)bounds->lower[axis][i];
      double most = above > below ? above : below;
      gap[axis] = most > 0.0 ? most : 0.0;
    }
    distance2[i] = gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
  }
}

/* A box alone, by the same arithmetic. */
static inline double mo_near_distance(const mo_near_box *from, mo_aabb box) {
  mo_near_box to = mo_near_box_of(&box);
  double gap[3];
  for (int axis = 0; axis < 3; axis++) {
    double most = fmax(to.lower[axis] - from->upper[axis], from->lower[axis] - to.upper[axis]);
    gap[axis] = most > 0.0 ? most : 0.0;
  }
  return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
}

/* The squared distance of a half-space from the box. */
static inline double mo_near_half_space(const mo_half_space_body *half_space,
                                        const mo_near_box *from) {
  double height = mo_half_space_height_of_box(half_space, mo_near_aabb(from));
  return height > 0.0 ? height * height : 0.0;
}

typedef struct mo_near_query {
  const mo_scene *scene;
  mo_near_box from;
  double limit; /* squared; finite, so that empty boxes are beyond it */
  const mo_filter *filter;
  bool plain;         /* mo_filter_is_plain */
  mo_order_key begin; /* shapes before it do not count */
  mo_query_stats *stats;
  /* Into a list, of mo_near_shape without user data... */
  mo_bounded list;
  bool count_all; /* also beyond the capacity */
  /* ... or to a callback. */
  bool (*visit)(const mo_near_shape *shape, void *context);
  void *context;
} mo_near_query;

MO_ISA_DECLARE(void, mo_near_list, (mo_near_query * query));
MO_ISA_DECLARE(void, mo_near_visit, (mo_near_query * query));

/* Shapes with levels. */
typedef struct mo_level_query {
  const mo_scene *scene;
  const mo_level_def *def;
  mo_near_box eye;
  double threshold2[MO_MAX_LEVELS];
  float slack[MO_MAX_PLANES];
  mo_query_stats *stats;
  mo_bounded list;
} mo_level_query;

MO_ISA_DECLARE(void, mo_level_list, (mo_level_query * query));

/* The closest points of a scene and a point, or a convex body. Hits compare by distance, rounded to
 * float, then by shape, then by triangle. Boxes are left out by mo_near_distances without a margin:
 * the test of a mesh subtracts the point from corners that lie in its box and stays between the
 * differences; that of a solid says no less than the distance of its box; nor does that of a body
 * and a triangle or a solid. */
typedef struct mo_closest_query {
  const mo_scene *scene;
  mo_vec3 point;
  mo_near_box from; /* the point, or the box of the body */
  const mo_filter *filter;
  bool hit_volumes;
  bool plain; /* mo_filter_is_plain */
  /* The best so far, or the limit: `shape` is MO_NONE until one is found. */
  float distance;
  uint32_t shape;
  mo_closest_hit hit;
  double limit;   /* squared, of boxes that may still contain something as good as the best */
  double before2; /* mo_distances_before2 */
  mo_query_stats *stats;
  /* Not null: about a body, which takes the place of the point; and its hits that of the best. */
  mo_distances *found;
  bool every_triangle;
  bool by_plane; /* the body is a half-space: culled by `plane`, not by its box */
  mo_plane_path plane;
} mo_closest_query;

MO_ISA_DECLARE(void, mo_scene_closest, (mo_closest_query * query));

/* A call of a query about a point, by kernels. */
typedef struct mo_point_call {
  const char *function;
  const mo_scene *scene; /* any of these may be null */
  const mo_closest_def *def;
  mo_closest_hit *hit;
  void (*const *kernels)(mo_closest_query *);
} mo_point_call;

mo_result mo_point_call_run(const mo_point_call *call, mo_query_stats *stats);

/* The least signed distance: `distance` may be negative, and `limit` compares with signed squares.
 */
MO_ISA_DECLARE(void, mo_scene_signed, (mo_closest_query * query));

/* Tests one shape: what decides. */
void mo_scene_signed_test(uint32_t slot, double key, void *query);

/* Tests one shape: what decides. */
void mo_scene_closest_test(uint32_t slot, double key, void *query);

/* The same of a query about a body. */
void mo_scene_distances_test(const mo_shape *shape, uint32_t slot, mo_closest_query *query);

/* Contacts of what moves. They compare by t, rounded to float; at t = 0 by the distance of a ball's
 * centre or the negative depth of a body, also rounded; then by shape, then by triangle. Boxes are
 * grown by more than the error of the test of a triangle; and the test of a solid finds no contact
 * before what moves meets the solid's box, grown as here for that box alone. */
typedef struct mo_scene_cast {
  const mo_scene *scene;
  const mo_cast *cast;
  bool plain; /* mo_filter_is_plain */
  mo_path_axis path[3];
  bool by_plane; /* what moves is a half-space: culled by `plane`, not by the path */
  mo_plane_path plane;
  /* The best so far, or the end of the path: `shape` is MO_NONE until one is touched. */
  float t;
  float distance;
  uint32_t shape;
  mo_cast_hit hit;
  double limit;     /* of the t at which boxes are met with something as good as the best */
  mo_bounded *hits; /* not null: gets all contacts (mo_cast_hit), without user data of shapes */
  mo_query_stats *stats;
} mo_scene_cast;

/* The largest coordinates of a scene; 0 of one that is empty. */
static inline mo_vec3 mo_scene_reach(const mo_scene *scene) {
  return mo_aabb_is_empty(scene->root_bounds) ? mo_vec(0.0f, 0.0f, 0.0f)
                                              : mo_aabb_reach(scene->root_bounds);
}

MO_ISA_DECLARE(void, mo_scene_cast_find, (mo_scene_cast * query));

/* Tests one shape: what decides. */
void mo_scene_cast_test(uint32_t slot, double key, void *query);

#endif
