/* A region of the world, made ready to be compared with one shape after the other. */
#ifndef MO_QUERY_OVERLAP_REGION_H
#define MO_QUERY_OVERLAP_REGION_H

#include "geometry/convex/prepared.h"
#include "geometry/convex/quick.h"
#include "query/overlap/scene_overlap.h"

typedef struct mo_regional {
  const mo_scene *scene;
  mo_region region;
  /* The region as an axis-aligned solid. Not for planes, bodies, and what is only compared with
   * boxes: boxes and points by MO_PRECISION_BOUNDS. */
  mo_convex solid;
  mo_blob blob;  /* of the solid */
  mo_vec3 point; /* containment: the region is this point */
  bool is_point;
  mo_precision precision;       /* of planes it makes no difference */
  const mo_overlap_def *counts; /* which triangles of meshes count; null for all */
  mo_query_stats *stats;
} mo_regional;

mo_regional mo_regional_box(const mo_scene *scene, mo_aabb box, mo_precision precision);
mo_regional mo_regional_ball(const mo_scene *scene, mo_sphere ball, mo_precision precision);
/* The primitive has to last as long. */
mo_regional mo_regional_primitive(const mo_scene *scene, const mo_prepared_primitive *primitive,
                                  mo_precision precision);
mo_regional mo_regional_point(const mo_scene *scene, mo_vec3 point, mo_precision precision);
/* The region of a def that was checked, with the triangles that count by it. */
mo_regional mo_regional_of_def(const mo_scene *scene, const mo_overlap_def *def,
                               const mo_prepared_primitive *primitive, mo_precision precision);
mo_regional mo_regional_planes(const mo_scene *scene, const mo_plane *planes, uint32_t count);

/* Sets the members by which shapes that may touch the region are culled: all but what is done with
 * them. */
void mo_regional_cull(const mo_regional *q, mo_scene_overlap *overlap);

/* A box around it, without a margin for rounding; not for planes. */
mo_aabb mo_regional_bounds(const mo_regional *q);

/* Whether a shape, stored under some bounds, touches the region: what decides. */
bool mo_regional_touches(const mo_regional *q, uint32_t slot, mo_aabb bounds);

#endif
