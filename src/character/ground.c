/* Finds the ground below a character and decides whether it is walkable. */
#include "character/mover.h"

/* Least cosine between `up` and the normal of a contact at the edge of a flat surface that supports
 * the character. With a smaller cosine, the contact is with a wall beside the character. */
static const double min_supporting_edge_cosine = 0.01;

/* How many further contacts are examined if the first contact is not walkable ground. */
enum { MAX_OTHER_CONTACTS = 8 };

/* Finds the normal of the surface behind a touched edge, by a ray from above. Returns whether the
 * surface is walkable. */
static bool find_walkable_face(const mo_character_mover *mover, const mo_cast_hit *hit,
                               mo_dvec3 *face) {
  const mo_character_def *def = mover->def;
  mo_dvec3 normal = mo_widen(hit->normal), out = mo_perpendicular_part(normal, mover->up);
  double across = mo_dlength(out);
  if (!(across > 0.0)) {
    return false;
  }
  mo_dvec3 start = mo_dadd(mo_widen(hit->point), mo_dscale(mover->skin, mover->up));
  start = mo_dsub(start, mo_dscale(0.25 * mover->skin / across, out));
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = mo_narrow(start);
  ray.direction = mo_narrow(mo_dscale(-2.0 * mover->skin, mover->up));
  ray.max_t = 1.0f;
  ray.hit_volumes = def->hit_volumes;
  ray.filter = def->filter;
  ray.ignore_triangle_shape = def->ignore_triangle_shape;
  ray.ignore_triangle_child = def->ignore_triangle_child;
  ray.ignore_triangle = def->ignore_triangle;
  ray.accept_triangle = def->accept_triangle;
  ray.accept_context = def->accept_context;
  mo_ray_hit below;
  if (mo_scene_cast_ray(mover->scene, &ray, &below, mover->stats) != MO_OK || !below.found) {
    return false;
  }
  *face = mo_widen(below.normal);
  if (mo_ddot(*face, mover->up) < 0.0) {
    *face = mo_dscale(-1.0, *face);
  }
  return mo_ddot(*face, mover->up) >= mover->min_walkable_cosine;
}

bool mo_mover_is_supported(const mo_character_mover *mover, const mo_cast_hit *hit,
                           mo_dvec3 *face) {
  *face = mo_widen(hit->normal);
  double rise = mo_ddot(*face, mover->up);
  if (rise >= mover->min_walkable_cosine) {
    return true;
  }
  double feet = mo_ddot(mo_mover_position(mover), mover->up) + mover->bottom_height - mover->skin;
  double height = mo_ddot(mo_widen(hit->point), mover->up) - feet;
  return rise > min_supporting_edge_cosine &&
         height <= (double)mover->def->step_height + 3.0 * mover->skin &&
         find_walkable_face(mover, hit, face);
}

/* After a first contact that is too steep to stand on: searches for walkable ground among further
 * contacts that are at most half a skin farther down. */
static bool find_other_walkable(const mo_character_mover *mover, const mo_cast_hit *first,
                                double reach, mo_cast_hit *hit, mo_dvec3 *face) {
  mo_cast_hit hits[MAX_OTHER_CONTACTS];
  uint32_t total = 0;
  if (mo_scene_cast_shape_all(mover->scene, &mover->cast, hits, MAX_OTHER_CONTACTS, &total,
                              mover->stats) != MO_OK) {
    return false;
  }
  for (uint32_t i = 0; i < total && i < MAX_OTHER_CONTACTS; ++i) {
    if (((double)hits[i].t - (double)first->t) * reach <= 0.5 * mover->skin &&
        mo_mover_is_supported(mover, &hits[i], face)) {
      *hit = hits[i];
      return true;
    }
  }
  return false;
}

bool mo_mover_find_walkable(mo_character_mover *mover, double reach, mo_cast_hit *hit,
                            mo_dvec3 *face) {
  if (!mo_mover_cast(mover, mo_dscale(-reach, mover->up), hit)) {
    return false;
  }
  mo_cast_hit first = *hit;
  if (mo_mover_is_supported(mover, hit, face) ||
      find_other_walkable(mover, &first, reach, hit, face)) {
    return true;
  }
  *face = mo_widen(hit->normal);
  return false;
}

mo_character_ground mo_mover_find_ground(mo_character_mover *mover, double reach) {
  mo_character_ground ground = {.found = false, .triangle = MO_NO_TRIANGLE};
  mo_cast_hit hit;
  mo_dvec3 face;
  ground.walkable = mo_mover_find_walkable(mover, reach, &hit, &face);
  ground.found = hit.found;
  if (!ground.found) {
    return ground;
  }
  double rise = mo_ddot(mo_widen(hit.normal), mover->up);
  ground.height = (float)((double)hit.t * reach + 0.5 * mover->skin / rise);
  ground.slope = (float)acos(fmin(mo_ddot(face, mover->up), 1.0));
  ground.point = hit.point;
  ground.normal = hit.normal;
  ground.face_normal = mo_narrow(face);
  ground.shape = hit.shape;
  ground.child = hit.child;
  ground.user_data = hit.user_data;
  ground.triangle = hit.triangle;
  ground.triangle_user_data = hit.triangle_user_data;
  return ground;
}
