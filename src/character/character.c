/* The public functions of motte/character.h. */
#include "character/mover.h"

#include "base/refuse.h"
#include "mesh/query.h"
#include "scene/scene.h"

/* In multiples of the skin: how far a character may be from the ground that it stands on, and how
 * far down the ground is searched for. */
static const double max_standing_gap_per_skin = 2.0, ground_search_distance_per_skin = 8.0;

mo_character_def mo_default_character_def(void) {
  return (mo_character_def){
      .primitive = mo_primitive_of_point(mo_vec(0.0f, 0.0f, 0.0f)),
      .up = {0.0f, 1.0f, 0.0f},
      .skin = 0.02f,
      .slope_limit = 0.872664626f,
      .step_height = 0.3f,
      .snap_distance = 0.3f,
      .filter = mo_default_filter(),
      .ignore_triangle = MO_NO_TRIANGLE,
      .cookie = MO_COOKIE,
  };
}

static bool is_standing(const mo_character_mover *mover, const mo_character_ground *ground) {
  double away = (double)ground->height * mo_ddot(mo_widen(ground->normal), mover->up);
  return ground->found && ground->walkable && away <= max_standing_gap_per_skin * mover->skin;
}

/* Moves the character down: by `fall`, and by up to `follow` more to snap to the ground if it stood
 * on ground. If there is no ground within this distance, it slides along what is in its way. */
static void move_down(mo_character_mover *mover, double fall, double follow) {
  mo_cast_hit hit;
  mo_dvec3 face;
  if (follow > 0.0 && mo_mover_find_walkable(mover, fall + follow, &hit, &face)) {
    double share;
    mo_mover_advance(mover, mo_dscale(-fall - follow, mover->up), &hit, &share);
  } else if (fall > 0.0) {
    mo_mover_slide_vertically(mover, mo_dscale(-fall, mover->up), mo_dvec(0.0, 0.0, 0.0));
  }
}

static bool move_character(mo_character_mover *mover) {
  const mo_character_def *def = mover->def;
  mo_dvec3 displacement = mo_widen(def->displacement), start = mo_mover_position(mover);
  double rise = mo_ddot(displacement, mover->up);
  mo_dvec3 sideways = mo_perpendicular_part(displacement, mover->up);
  mo_character_ground ground =
      mo_mover_find_ground(mover, ground_search_distance_per_skin * mover->skin);
  mover->on_ground = is_standing(mover, &ground) && !(rise > 0.0);
  bool stepped = false;
  if (rise > 0.0) {
    mo_mover_slide_vertically(mover, mo_dscale(rise, mover->up), sideways);
  }
  if (mo_ddot(sideways, sideways) > 0.0) {
    mo_mover_slide_sideways(mover, sideways, def->step_height > 0.0f, &stepped);
  }
  if (!(rise > 0.0)) {
    double follow = 0.0;
    /* downhill the ground is lower than at the start: by the distance moved times the steepest
     * slope */
    if (mover->on_ground && def->snap_distance > 0.0f) {
      mo_dvec3 moved = mo_perpendicular_part(mo_dsub(mo_mover_position(mover), start), mover->up);
      double cosine = mover->min_walkable_cosine, sine = sqrt(fmax(1.0 - cosine * cosine, 0.0));
      double steepest = sine > 8.0 * cosine ? 8.0 : sine / cosine;
      follow = (double)def->snap_distance + mo_dlength(moved) * steepest;
    }
    move_down(mover, -rise, follow);
  }
  return stepped;
}

/* Writes the new transform of the primitive, and the total displacement. */
static void write_transform(const mo_character_mover *mover, mo_dvec3 start,
                            mo_character_move_result *result) {
  const mo_dvec3 place = mo_mover_position(mover);
  result->displacement = mo_narrow(mo_dsub(place, start));
  result->transform = mover->def->primitive.transform;
  result->transform.origin = mo_narrow(place);
}

mo_result mo_character_move(const mo_scene *scene, const mo_character_def *def,
                            mo_character_move_result *result, mo_query_stats *stats) {
  if (scene == NULL || def == NULL || result == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def == NULL ? "def" : "result");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_character_mover mover;
  mo_result checked = mo_mover_init(&mover, scene, def, &refusal, stats);
  if (checked != MO_OK) {
    return checked;
  }
  const mo_dvec3 start = mo_mover_position(&mover);
  *result = (mo_character_move_result){.overlaps = mo_mover_resolve_overlaps(&mover)};
  result->stepped = move_character(&mover);
  result->ground = mo_mover_find_ground(
      &mover, fmax(ground_search_distance_per_skin * mover.skin, (double)def->snap_distance));
  result->standing = is_standing(&mover, &result->ground);
  result->blocked = mover.blocked;
  write_transform(&mover, start, result);
  result->touch_count = mover.touch_count;
  for (uint32_t i = 0; i < mover.touch_count && i < def->touch_capacity; ++i) {
    def->touches[i] = mover.touches[i];
  }
  return MO_OK;
}

mo_result mo_character_move_allowed(const mo_scene *scene, const mo_character_def *def,
                                    bool *allowed, mo_query_stats *stats) {
  if (scene == NULL || def == NULL || allowed == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__, def == NULL ? "def" : "allowed");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_character_mover mover;
  mo_result result = mo_mover_init(&mover, scene, def, &refusal, NULL);
  if (result != MO_OK) {
    return result;
  }
  mover.cast.primitive = def->primitive;
  mover.cast.displacement = def->displacement;
  mover.cast.options.min_approach = 0.0f;
  bool found = false;
  result = mo_scene_test_shape_cast(scene, &mover.cast, &found, stats);
  *allowed = !found;
  return result;
}
