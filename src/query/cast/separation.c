/* The public query for a translation that separates a convex body from all shapes that it
 * overlaps. */
#include "mesh/cast/cast.h"
#include "query/cast/cast.h"

static mo_result cast_shape(const void *scene, const mo_shape_cast_def *def, mo_cast_hit *hit,
                            mo_query_stats *stats) {
  return mo_scene_cast_shape(scene, def, hit, stats);
}

mo_result mo_scene_find_separation(const mo_scene *scene, const mo_shape_cast_def *def,
                                   mo_separation *separation, mo_query_stats *stats) {
  const mo_separation_call separator = {
      {__func__, scene, mo_scene_host(scene), MO_CAST_SHAPE, def, NULL, NULL}, cast_shape};
  return mo_separation_find(&separator, separation, stats);
}
