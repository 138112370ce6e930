/* Where the shape octree keeps each shape, and which shapes have changed cells.
 *
 * A shape that leaves its cell is deleted from it and reinserted in another; all others stay where
 * they are, which costs next to nothing. The scene counts both (mo_scene_stats). Here it is asked
 * for its cells, frame by frame, to find out which shapes those are. Now and then that takes in
 * shapes that stayed, where planes were chosen anew around them. */
#ifndef DEMO_HOMES_H
#define DEMO_HOMES_H

#include <motte/motte.h>

struct homes {
  uint32_t count;
  mo_aabb *cells;    /* of the shape in each slot, as of the last look */
  mo_aabb *previous; /* as of the one before */
  bool *is_new;      /* whether the shape in a slot has changed cells between the two */
  mo_shape_id *scratch;
};

/* Of a scene that no shape is added to or removed from meanwhile. */
struct homes homes_create(const mo_scene *scene);
void homes_destroy(struct homes *homes);

/* Looks again. Returns how many shapes have changed cells. */
uint32_t homes_follow(struct homes *homes, const mo_scene *scene);

#endif
