/* Overlap queries on a scene: the query struct of the traversals. */
#ifndef MO_QUERY_OVERLAP_SCENE_OVERLAP_H
#define MO_QUERY_OVERLAP_SCENE_OVERLAP_H

#include "base/bounded.h"
#include "mesh/overlap/overlap.h"
#include "scene/scene.h"

typedef struct mo_scene_overlap {
  const mo_scene *scene;
  const mo_filter *filter;
  mo_query_stats *stats;
  /* The culling region; shapes whose boxes touch it are visited. It is a box with a margin for
   * rounding; or the part of a box within a distance of a point; or what no plane excludes. */
  mo_region_kind kind;
  mo_aabb box; /* not for planes */
  mo_vec3 center;
  float outer_radius2; /* the squared distance, with a margin for rounding */
  const mo_plane *planes;
  uint32_t plane_count;
  float slack[MO_MAX_PLANES]; /* rounding error of each plane */
  /* The inner region: a shape whose box lies in it is certainly inside the region. A box (empty:
   * none) or a squared distance (negative: none). For planes, boxes inside by more than the
   * rounding error are certain anyway. */
  mo_aabb inner_box;
  float inner_radius2;
  /* The box alone decides: a shape touches the region if its box touches `box`, or comes within the
   * distance of `inner_radius2`. */
  bool by_bounds;
  bool eager; /* the visit may end at the first shape */
  /* The visit function reads the shapes' records, so they are prefetched; with
   * `surely_touching_slots`, only the parts that mo_prepared_region_touches reads. */
  bool visit_reads_records;
  /* If not null: shapes that pass the filter and certainly touch the region are not visited; their
   * slots are added here instead (query/overlap/slots.h). For planes, the slots of shapes that are
   * certainly not inside are flagged. */
  mo_bounded_list *surely_touching_slots;
  /* Called for each shape that is not culled and passes the filter; false stops. `inside`: the
   * shape is certainly inside. */
  bool (*visit)(uint32_t slot, mo_aabb bounds, bool inside, void *context);
  void *context;
} mo_scene_overlap;

/* Visits the shapes, in no order; false if stopped. */
MO_ISA_DECLARE(bool, mo_scene_overlap, (mo_scene_overlap * query));
bool mo_scene_overlap_run(mo_scene_overlap *query);

/* The culling box for a region in `box`: grown by a margin for rounding, for the coordinates of the
 * scene. */
mo_aabb mo_scene_cull_box(const mo_scene *scene, mo_aabb box);

#endif
