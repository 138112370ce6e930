/* Overlap queries on a scene: the query struct of the traversals. */
#ifndef MO_QUERY_OVERLAP_SCENE_OVERLAP_H
#define MO_QUERY_OVERLAP_SCENE_OVERLAP_H

#include "base/bounded.h"
#include "geometry/overlap/overlap.h"
#include "mesh/overlap/overlap.h"
#include "scene/scene.h"

/* The part of space between two parallel planes, which is given by the dot products of its points
 * with a normal. The inner range is less by a margin for rounding, the other more. */
typedef struct mo_slab {
  mo_vec3 normal;
  float lower, upper, inner_lower, inner_upper;
} mo_slab;

typedef struct mo_scene_overlap {
  const mo_scene *scene;
  const mo_filter *filter;
  mo_query_stats *stats;
  /* The culling region; shapes whose boxes touch it are visited. By `kind` it is: `box`, which has
   * a margin for rounding; a ball around `center` within `box`; or the part of space that no plane
   * excludes. */
  mo_region_kind kind;
  mo_aabb box; /* the box of the region; unused for planes */
  mo_vec3 center;
  float outer_radius2; /* of a ball: its squared radius, with a margin for rounding */
  const mo_plane *planes;
  uint32_t plane_count;
  float slack[MO_MAX_PLANES]; /* upper bound of the rounding error of box tests by each plane */
  /* The inner region: a shape whose box lies in it is certainly inside the region. It is a box
   * (empty: none) or a ball (negative squared radius: none). Planes need none: boxes inside by more
   * than `slack` are certain. */
  mo_aabb inner_box;
  float inner_radius2;
  /* If not null: the region is this box, which is not along the world's axes, and `box` is around
   * it. Shapes are culled by its slabs, too; not in queries that may end early, which mostly test
   * no more than one or two shapes. */
  const mo_quick_test_solid *oriented_box;
  /* The stored box of a shape alone decides whether it touches the region: if it touches `box`, or
   * the ball of `inner_radius2`. */
  bool uses_bounds_only;
  bool may_end_early; /* the query may end at the first shape, so little is prefetched */
  /* The visit function reads the shapes' records, so they are prefetched; with
   * `surely_touching_slots`, only the parts that mo_prepared_region_touches reads. */
  bool visit_reads_records;
  /* If not null: shapes that pass the filter and certainly touch the region are not visited; their
   * slots are added here instead (query/overlap/slots.h). For planes, the slots of shapes that are
   * certainly not inside are flagged. */
  mo_bounded_list *surely_touching_slots;
  /* Called for each shape that is not culled and passes the filter; false ends the query. `inside`:
   * the shape is certainly inside the region. */
  bool (*visit)(uint32_t slot, mo_aabb bounds, bool inside, void *context);
  void *context;
} mo_scene_overlap;

/* Makes the slabs between the faces of the query's `oriented_box`. Shapes outside of one of the
 * outer ranges cannot touch it; one whose box lies in all inner ranges, and in the query's `box`,
 * is certainly inside. */
void mo_scene_overlap_make_slabs(const mo_scene_overlap *query, mo_slab slabs[3]);

/* Runs the query: visits the shapes in no particular order; false if `visit` has ended the
 * query. */
MO_ISA_DECLARE(bool, mo_scene_overlap, (mo_scene_overlap * query));
bool mo_scene_overlap_run(mo_scene_overlap *query);

/* The culling box for a region in `box`: grown by a margin for rounding, for the coordinates of the
 * scene. */
mo_aabb mo_scene_cull_box(const mo_scene *scene, mo_aabb box);

#endif
