/* A region in world space, prepared for tests against many shapes. */
#ifndef MO_QUERY_OVERLAP_REGION_H
#define MO_QUERY_OVERLAP_REGION_H

#include "geometry/body/body.h"
#include "geometry/overlap/overlap.h"
#include "query/compound.h"
#include "query/overlap/scene_overlap.h"

typedef struct mo_prepared_region {
  const mo_scene *scene;
  mo_region region;
  bool is_point; /* the region is a point, a box without extent */
  /* Made for the first exact test of a shape (`has_body`): the region as a body, unless it is a
   * primitive, which has one; and this body, if it is a solid, in the form for quick tests. */
  bool has_body;
  mo_body body;
  mo_quick_test_solid quick_solid;
  mo_precision precision; /* exact geometry or stored boxes of shapes; unused for planes */
  /* The def whose options select triangles of meshes; null: all triangles. */
  const mo_overlap_def *triangle_filter;
  /* Which children of compounds count, by category and mask; null: all. */
  const mo_filter *child_filter;
  mo_query_stats *stats;
} mo_prepared_region;

/* A primitive or planes must outlive the region. */
mo_prepared_region mo_prepared_region_of(const mo_scene *scene, const mo_region *region,
                                         mo_precision precision);
/* Makes the region of a validated def, with the def's options for triangles. */
void mo_prepared_region_of_def(mo_prepared_region *q, const mo_scene *scene,
                               const mo_overlap_def *def, const mo_prepared_primitive *primitive,
                               mo_precision precision);

/* Sets the members of `overlap` by which shapes that cannot touch the region are culled; the caller
 * sets those that say what is done with the other shapes. */
void mo_prepared_region_set_culling(mo_prepared_region *q, mo_scene_overlap *overlap);

/* A call of a public function with an overlap def. */
typedef struct mo_overlap_call {
  const char *function;
  const mo_scene *scene;
  const mo_overlap_def *def;
  const char *missing; /* the name of an output that is null and must not be; else null */
  mo_query_stats *stats;
} mo_overlap_call;

/* Checks the arguments of a call, and visits the shapes that are not culled. Prepares the region
 * `q` of the def, which the context of `overlap` contains; the caller has set the members of
 * `overlap` that say what is done with shapes. `about_triangles`: points and MO_PRECISION_BOUNDS,
 * which say nothing of triangles, do not apply. */
mo_result mo_overlap_call_run(const mo_overlap_call *call, bool about_triangles,
                              mo_prepared_region *q, mo_scene_overlap *overlap);

/* The exact test: whether a shape, with its stored bounds, touches the region. A compound does if
 * one of its children does. */
bool mo_prepared_region_touches(mo_prepared_region *q, uint32_t slot, mo_aabb bounds);

/* A visit of the children of a placement in a region. */
typedef struct mo_region_children {
  mo_prepared_region *region;
  bool only_touching; /* visit children that touch the region; else all that are not culled */
  bool (*visit)(const mo_placed_child *child, void *context); /* false ends the visit */
  void *context;
} mo_region_children;

/* Returns false if the visit was ended. */
bool mo_region_visit_children(const mo_region_children *children, uint32_t slot);

#endif
