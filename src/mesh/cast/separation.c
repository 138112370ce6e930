/* Finds a translation that separates a convex body from everything it overlaps.
 *
 * The deepest contact gives a separating plane, beyond which the body must move. There the body may
 * overlap another triangle, or the same one from another side, which adds a plane. The next
 * translation is the shortest one beyond all planes. If none is beyond all, only the newest plane
 * is kept.
 *
 * Contacts are resolved one at a time. The separating direction of a triangle next to the deepest
 * one often points across its edge, and is no longer needed once the body is clear of the
 * deepest. */
#include "mesh/cast/cast.h"
#include "mesh/cast/translation_planes.h"

/* The search for a translation that separates a body. */
typedef struct translation_search {
  mo_translation_planes planes;
  mo_dvec3 translation;
  double slack; /* distance added to each depth to allow for rounding */
} translation_search;

/* Finds the next translation to try, from the deepest contact that the previous one has left. */
static void find_next_translation(translation_search *s, const mo_cast_hit *deepest) {
  mo_dvec3 normal = mo_widen(deepest->normal);
  if ((double)deepest->depth <= s->slack) {
    s->slack *= 2.0; /* the remaining depth is only a rounding error */
  }
  double depth = (double)deepest->depth + s->slack;
  mo_translation_planes *planes = &s->planes;
  planes->plane[planes->count++] =
      (mo_translation_plane){normal, mo_ddot(normal, s->translation) + depth, 0.0};
  if (!mo_find_translation_beyond_planes(planes, 0.25 * s->slack, &s->translation)) {
    planes->plane[0] = planes->plane[planes->count - 1];
    planes->count = 1;
    s->translation = mo_dadd(s->translation, mo_dscale(depth, normal));
  }
}

/* The sum over the axes of the body's largest coordinates, which bounds rounding errors; for a
 * half-space, of the numbers that define it. */
static double max_coordinate_sum(const mo_body *body) {
  const mo_half_space_body *half_space = &body->half_space;
  return body->kind == MO_BODY_HALF_SPACE
             ? fabs(half_space->origin.x) + fabs(half_space->origin.y) +
                   fabs(half_space->origin.z) + fabs(half_space->offset)
             : mo_sum_of_components(mo_aabb_max_coordinates(mo_body_bounds(body)));
}

mo_result mo_separation_find(const mo_separation_call *separator, mo_separation *separation,
                             mo_query_stats *stats) {
  mo_cast checked;
  mo_cast_hit deepest;
  const mo_cast_call call = separator->call;
  mo_result result =
      mo_cast_prepare(&checked, &call, MO_CAST_FIRST, separation == NULL ? "separation" : NULL);
  if (result != MO_OK) {
    return result;
  }
  mo_shape_cast_def def = *(const mo_shape_cast_def *)call.def;
  def.displacement = mo_vec(0.0f, 0.0f, 0.0f);
  def.angle = 0.0f;
  def.precision = MO_PRECISION_GEOMETRY;
  def.options.cull_back_faces = false;
  def.options.min_approach = -1.0f;
  const mo_vec3 origin = def.primitive.transform.origin;
  const double reach = max_coordinate_sum(&checked.body.body);
  translation_search s = {.slack = 0x1p-22 * reach + 0x1p-120};
  mo_query_stats counts = mo_stats_begin(stats);
  result = separator->cast(call.subject, &def, &deepest, &counts);
  mo_separation answer = {.overlaps = deepest.found, .deepest = deepest};
  for (int i = 0; i < MO_MAX_TRANSLATION_PLANES && result == MO_OK && deepest.found; ++i) {
    find_next_translation(&s, &deepest);
    if (!(sqrt(mo_ddot(s.translation, s.translation)) + reach +
              fabs((double)mo_max_magnitude(origin)) <
          0.25 * (double)MO_MAX_COORDINATE)) {
      break; /* the body would have to move too far */
    }
    mo_vec3 translation = mo_narrow(s.translation);
    def.primitive.transform.origin = mo_add(origin, translation);
    result = separator->cast(call.subject, &def, &deepest, &counts);
    if (result == MO_OK && !deepest.found) {
      answer.found = true;
      answer.translation = translation;
    }
  }
  if (result == MO_OK) {
    *separation = answer;
    mo_stats_end(&counts, stats);
  }
  return result;
}

static mo_result cast_at_mesh(const void *mesh, const mo_shape_cast_def *def, mo_cast_hit *hit,
                              mo_query_stats *stats) {
  return mo_mesh_cast_shape(mesh, def, hit, stats);
}

mo_result mo_mesh_find_separation(const mo_mesh *mesh, const mo_shape_cast_def *def,
                                  mo_separation *separation, mo_query_stats *stats) {
  const mo_separation_call separator = {
      {__func__, mesh, mo_mesh_host(mesh), MO_CAST_SHAPE, def, NULL, NULL}, cast_at_mesh};
  return mo_separation_find(&separator, separation, stats);
}
