/* Which shapes a region touches: what the traversals share. */
#ifndef MO_QUERY_OVERLAP_SCENE_OVERLAP_H
#define MO_QUERY_OVERLAP_SCENE_OVERLAP_H

#include "base/bounded.h"
#include "mesh/overlap/overlap.h"
#include "scene/scene.h"

typedef struct mo_scene_overlap {
  const mo_scene *scene;
  const mo_filter *filter;
  mo_query_stats *stats;
  /* Shapes are visited whose boxes touch this: a box, with a margin for rounding; or the part of
   * one within a distance of a point; or what no plane excludes. */
  mo_region_kind kind;
  mo_aabb box; /* not for planes */
  mo_vec3 center;
  float outside2; /* the distance, squared, with a margin for rounding too */
  const mo_plane *planes;
  uint32_t plane_count;
  float slack[MO_MAX_PLANES]; /* the rounding of each plane */
  /* What has its box in here is certainly inside the region: again a box (empty if there is no
   * such thing), or what lies within a distance (negative). Inside planes, beyond their rounding,
   * is for sure anyway. */
  mo_aabb inside;
  float inside2;
  /* To touch `box`, or to come within the distance of `inside2`, is to touch the region. */
  bool by_bounds;
  bool eager;   /* the visit may end at the first shape */
  bool records; /* visits read the shapes' records; with `found`, as mo_regional_touches does */
  /* If not null: gets the slots (query/overlap/slots.h) of shapes that pass the filter and touch
   * the region for sure, instead of visits. Those not inside planes are flagged, and it is sure
   * which they are. */
  mo_bounded *found;
  /* Called for each shape that culling leaves and the filter passes; false stops. `inside`: it is
   * inside for sure. */
  bool (*visit)(uint32_t slot, mo_aabb bounds, bool inside, void *context);
  void *context;
} mo_scene_overlap;

/* Visits the shapes, in no order; false if stopped. */
MO_ISA_DECLARE(bool, mo_scene_overlap, (mo_scene_overlap * query));
bool mo_scene_overlap_run(mo_scene_overlap *query);

/* Culling by a box for regions in it; `reach` of the scene. */
mo_aabb mo_scene_cull_box(const mo_scene *scene, mo_aabb box);

#endif
