/* Casts of balls and convex bodies through a scene. */
#ifndef MO_QUERY_CAST_CAST_H
#define MO_QUERY_CAST_CAST_H

#include "mesh/cast/cast.h"
#include "octree/moving_ball.h"
#include "octree/moving_plane.h"
#include "query/visit.h"

/* A query for contacts of a moving ball or body. Contacts are compared by t, rounded to float; at t
 * = 0 by the distance of a ball's centre or the negative depth of a body, also rounded; then by
 * shape, then by triangle. Culling is conservative: boxes are grown by more than the error of the
 * triangle test, and the test of a solid finds no contact before the moving shape meets the solid's
 * box, grown by no more than the same rule yields for this box. */
typedef struct mo_scene_cast {
  const mo_scene *scene;
  const mo_cast *cast;
  bool filter_is_plain; /* passes all shapes with default category and mask */
  mo_path_axis path[3];
  bool by_plane; /* the moving body is a half-space: culled by `plane`, not by the path */
  mo_plane_path plane;
  /* The best contact so far, or the end of the path: `shape` is MO_NONE until a shape is
   * touched. */
  float t;
  float distance; /* what contacts at t = 0 are compared by (see above); else 0 */
  uint32_t shape;
  mo_cast_hit hit;
  double limit; /* boxes that are met by this t may contain an equal or better contact */
  mo_bounded_list
      *hits; /* not null: receives all contacts (mo_cast_hit), without user data of shapes */
  mo_query_stats *stats;
} mo_scene_cast;

MO_ISA_DECLARE(void, mo_scene_cast_find, (mo_scene_cast * query));

/* Tests one shape exactly, and records its contact if it is better than the best. */
void mo_scene_cast_test_shape(uint32_t slot, double key, void *query);

#endif
