/* The public overlap queries on a scene but for null arguments. The refusal is of the def, or null.
 */
#ifndef MO_QUERY_OVERLAP_OVERLAPS_H
#define MO_QUERY_OVERLAP_OVERLAPS_H

#include <motte/overlap.h>

#include "base/bounded.h"
#include "base/refuse.h"
#include "scene/scene.h"

/* Into a list of mo_shape_id or mo_triangle_ref, sorted, of which `total` is the answer. */
mo_result mo_scene_overlap_list(const mo_scene *scene, const mo_overlap_def *def,
                                const mo_refusal *refusal, mo_bounded *list, mo_query_stats *stats);
mo_result mo_scene_triangles_list(const mo_scene *scene, const mo_overlap_def *def,
                                  const mo_refusal *refusal, mo_bounded *list,
                                  mo_query_stats *stats);

/* Whether there is any shape or triangle. */
mo_result mo_scene_overlap_any(const mo_scene *scene, const mo_overlap_def *def,
                               const mo_refusal *refusal, bool *found, mo_query_stats *stats);
mo_result mo_scene_triangles_any(const mo_scene *scene, const mo_overlap_def *def,
                                 const mo_refusal *refusal, bool *found, mo_query_stats *stats);

#endif
