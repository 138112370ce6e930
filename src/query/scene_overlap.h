/* Which shapes a region touches: what the traversals share. */
#ifndef MO_QUERY_SCENE_OVERLAP_H
#define MO_QUERY_SCENE_OVERLAP_H

#include "mesh/query.h"
#include "scene/scene.h"

typedef struct mo_scene_overlap {
  const mo_scene *scene;
  const mo_filter *filter;
  mo_query_stats *stats;
  mo_aabb box; /* for culling, with room for rounding */
  /* Or, if plane_count > 0: planes, with the rounding of each. */
  const mo_plane *planes;
  uint32_t plane_count;
  float slack[MO_MAX_PLANES];
  /* Called for each shape that culling leaves and the filter passes; false stops. `inside`: planes
   * only, the shape is wholly inside for sure. */
  bool (*visit)(uint32_t slot, mo_aabb bounds, bool inside, void *context);
  void *context;
} mo_scene_overlap;

/* Visits the shapes; false if stopped. */
MO_ISA_DECLARE(bool, mo_scene_overlap, (mo_scene_overlap * query));
bool mo_scene_overlap_run(mo_scene_overlap *query);

/* Culling by a box for regions in it; `reach` of the scene. */
mo_aabb mo_scene_cull_box(const mo_scene *scene, mo_aabb box);

#endif
