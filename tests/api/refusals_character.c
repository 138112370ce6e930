/* Refusals of motte/character.h. */
#include "refusals.h"

void refuse_characters(const refusal_world *w) {
  const mo_character_def good = mo_default_character_def();
  mo_character_def def;
  mo_character_move_result result;
  bool allowed;
#define BAD_CHARACTER(code, told, change)                                                          \
  do {                                                                                             \
    def = good;                                                                                    \
    change;                                                                                        \
    REFUSED(code, told, mo_character_move, w->scene, &def, &result, NULL);                         \
    REFUSED(code, told, mo_character_move_allowed, w->scene, &def, &allowed, NULL);                \
  } while (0)
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_character_move, NULL, &good, &result, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_character_move, w->scene, NULL, &result, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "result is null", mo_character_move, w->scene, &good, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_character_move_allowed, NULL, &good, &allowed, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_character_move_allowed, w->scene, NULL,
          &allowed, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "allowed is null", mo_character_move_allowed, w->scene, &good,
          NULL, NULL);
  BAD_CHARACTER(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_character_def",
                def.cookie = 0);
  BAD_CHARACTER(MO_ERROR_UNINITIALIZED_DEF, "def.filter was not made by mo_default_filter",
                def.filter.cookie = 0);
  BAD_CHARACTER(MO_ERROR_NULL_ARGUMENT, "def.touches is null", def.touch_capacity = 1);
  BAD_CHARACTER(MO_ERROR_NOT_FINITE, "def.displacement.y is NaN", def.displacement.y = NAN);
  BAD_CHARACTER(MO_ERROR_NOT_FINITE, "def.up.x is infinite", def.up.x = INFINITY);
  BAD_CHARACTER(MO_ERROR_NOT_FINITE, "def.skin is NaN", def.skin = NAN);
  BAD_CHARACTER(MO_ERROR_NOT_FINITE, "def.primitive.points[0].z is NaN",
                def.primitive.points[0].z = NAN);
  BAD_CHARACTER(MO_ERROR_OUT_OF_RANGE,
                "def.displacement.x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
                def.displacement.x = 2e30f);
  BAD_CHARACTER(MO_ERROR_OUT_OF_RANGE, "def leads beyond MO_MAX_COORDINATE",
                (def.displacement.x = 0.9e30f, def.displacement.y = -0.9e30f));
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.primitive.type is MO_PRIMITIVE_TRIANGLE",
                def.primitive.type = MO_PRIMITIVE_TRIANGLE);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.primitive.type is MO_PRIMITIVE_HALF_SPACE",
                def.primitive = mo_primitive_of_half_space(def.up, 1));
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.primitive.geometry.type is MO_SHAPE_HALF_SPACE",
                def.primitive = mo_primitive_of_geometry(
                    &(mo_geometry){.type = MO_SHAPE_HALF_SPACE, .half_space = {def.up, 1}}, NULL));
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.primitive.type is 7, which is no such choice",
                def.primitive.type = (mo_primitive_type)7);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.primitive.transform flattens it",
                def.primitive.transform.y_axis.y = 0);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.up is zero", def.up.y = 0);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.skin is -1, which is negative", def.skin = -1);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.skin is zero", def.skin = 0);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.slope_limit is -1, which is negative",
                def.slope_limit = -1);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.slope_limit is 2, above half of pi",
                def.slope_limit = 2);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.step_height is -1, which is negative",
                def.step_height = -1);
  BAD_CHARACTER(MO_ERROR_INVALID_ARGUMENT, "def.snap_distance is -1, which is negative",
                def.snap_distance = -1);
}
