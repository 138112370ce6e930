/* Casts of balls and convex bodies through a scene. */
#ifndef MO_QUERY_CAST_CAST_H
#define MO_QUERY_CAST_CAST_H

#include "geometry/cast/box_entry.h"
#include "mesh/cast/cast.h"
#include "octree/moving_ball.h"
#include "octree/moving_plane.h"
#include "query/compound.h"
#include "query/visit.h"

/* A query for contacts of a moving ball or body. Contacts are compared by t, rounded to float; at t
 * = 0 by the distance of a ball's centre or the negative depth of a body, also rounded; then by
 * shape, then by child, then by triangle. Culling is conservative: boxes are grown so far that no
 * test of a triangle or solid finds a contact before the moving shape meets the grown box. */
typedef struct mo_scene_cast {
  const mo_scene *scene;
  mo_cast *cast;
  bool filter_passes_defaults; /* the filter passes all shapes with default category and mask */
  mo_path_axis path[3];
  bool culls_by_plane; /* the moving body is a half-space: boxes are culled by `plane`, not by
                          `path` */
  mo_plane_path plane;
  /* If `has_bound`: the moving shape lies in this body; no contact is farther from it than
   * `bound_margin`. */
  bool has_bound;
  mo_moving_bound bound;
  double bound_margin;
  /* Time, distance, slot and hit of the best contact so far. Until a shape is touched, `shape` is
   * MO_NONE and `t` is the end of the path. */
  float t;
  /* Of a contact at t = 0: the distance or negative depth by which such contacts are compared; else
   * 0. */
  float distance;
  uint32_t shape;
  mo_cast_hit hit;
  const mo_placed_child *child; /* the child that is being tested; null: a shape of the scene */
  mo_keys8 *box_keys;           /* the culling test */
  /* Boxes that the moving shape meets up to this t may contain an equally good or better
   * contact. */
  double limit;
  /* If not null, the list of all contacts (mo_cast_hit), without user data of shapes. */
  mo_bounded_list *hits;
  mo_query_stats *stats;
} mo_scene_cast;

MO_ISA_DECLARE(void, mo_scene_cast_find, (mo_scene_cast * query));

/* Tests one shape exactly, and records its contact if it is better than the best contact so far. */
void mo_scene_cast_test_shape(uint32_t slot, double key, void *query);

#endif
