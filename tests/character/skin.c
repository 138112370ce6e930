/* The distance that characters keep: far from the origin, at any angle, under any scale; and that a
 * movement is allowed without it. */
#include "characters.h"

static bool is_zero(mo_vec3 v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

/* Far from the origin the skin is at least 2^-18 of the coordinates. */
Test(character_skin, skin_far_from_the_origin) {
  const float far = 131072, skin = far * 0x1p-18f, max = skin + 2 * 0x1p-6f; /* and rounding */
  mo_scene *scene = test_scene_empty();
  add_box(scene, mo_vec(far, -16, far), mo_vec(64, 16, 64), (mo_quat){0, 0, 0, 1});
  add_box(scene, mo_vec(far + 24, 8, far), mo_vec(16, 24, 64), (mo_quat){0, 0, 0, 1});
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(far, 2, far));
    for (int frame = 0; frame < 60; frame++) {
      character_go(scene, &def, mo_vec(3, -3, 0));
      const float beside = far + 8 - feet_of(&def).x - 0.4f, below = feet_of(&def).y;
      cr_assert(beside >= 0.5f * skin && below >= 0.5f * skin, "kind %d, frame %d: %g and %g", kind,
                frame, (double)beside, (double)below);
    }
    const float beside = far + 8 - feet_of(&def).x - 0.4f, below = feet_of(&def).y;
    cr_assert(beside >= 0.9f * skin && beside <= 1.1f * max, "kind %d: %g", kind, (double)beside);
    cr_assert(below >= 0.9f * skin && below <= 1.1f * max, "kind %d: %g", kind, (double)below);
    const mo_character_move_result moved = character_go(scene, &def, mo_vec(3, -3, 0));
    cr_assert(moved.standing && is_zero(moved.displacement));
  }
  mo_scene_destroy(scene);
}

/* Into a wall at any angle: the distance that is left is the skin, measured across the wall. */
Test(character_skin, keeps_the_skin_at_any_angle) {
  mo_scene *scene = test_scene_empty();
  add_box(scene, mo_vec(5, 1, 0), mo_vec(1, 3, 50), (mo_quat){0, 0, 0, 1}); /* from x = 4 on */
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    for (int i = 0; i < 8; i++) {
      const float angle = 0.2f * (float)i;
      mo_character_def def = character_at((character_kind)kind, mo_vec(3, 0.5f, 0));
      for (int frame = 0; frame < 60; frame++) {
        character_go(scene, &def, mo_scale(0.2f, mo_vec(cosf(angle), 0, sinf(angle))));
        if (frame == 0) {
          def.primitive.transform.origin.x = 4 - 0.4f - 0.06f;
        }
      }
      cr_assert_float_eq(4 - 0.4f - feet_of(&def).x, def.skin, 0.08f * def.skin,
                         "kind %d, angle %g: %g", kind, (double)angle,
                         (double)(4 - 0.4f - feet_of(&def).x));
    }
  }
  mo_scene_destroy(scene);
}

static float gap_of(const mo_primitive *a, const mo_primitive *b) {
  mo_primitive_distance d;
  cr_assert_eq(mo_primitive_find_distance(a, b, (double)INFINITY, &d), MO_OK);
  return (float)d.distance;
}

/* The skin is a distance in the world: characters under any scale keep it, and at least it where
 * their scales differ or they are sheared. */
Test(character_skin, skin_of_scaled_characters) {
  rng r = rng_make(rng_seed("character/scaled", 314));
  for (int i = 0; i < 300; i++) {
    mo_character_def def =
        character_at((character_kind)rng_below(&r, CHARACTER_KINDS), mo_vec(0, 0, 0));
    mo_transform *map = &def.primitive.transform;
    const bool even = i % 3 == 0;
    const float scale = ldexpf(1, (int)rng_below(&r, 7) - 3);
    *map = rng_transform(&r, even ? RNG_RIGID : i % 3 == 1 ? RNG_NONUNIFORM_SCALE : RNG_SHEAR, 1);
    map->x_axis = mo_scale(scale, map->x_axis);
    map->y_axis = mo_scale(scale, map->y_axis);
    map->z_axis = mo_scale(scale, map->z_axis);
    map->origin = mo_vec(0, 0, 0);
    const mo_vec3 out = rng_direction(&r);
    mo_scene *scene = test_scene_empty();
    mo_shape_def wall = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
    mo_shape_id id;
    wall.geometry.half_space = (mo_half_space){mo_scale(-1, out), -40 * fmaxf(scale, 1)};
    cr_assert_eq(mo_scene_add_shape(scene, &wall, &id), MO_OK);
    def.up = mo_vec(out.y, -out.x, 0); /* the wall is upright */
    def.slope_limit = 0.5f;
    for (int k = 0; k < 4; k++) {
      character_go(scene, &def, mo_scale(60 * fmaxf(scale, 1), out));
    }
    const mo_primitive space = mo_primitive_of_geometry(&wall.geometry, &wall.transform);
    const float left = gap_of(&def.primitive, &space);
    cr_assert(left >= 0.98f * def.skin, "round %d: %g left", i, (double)left);
    cr_assert(!even || left <= 1.02f * def.skin, "round %d: %g left", i, (double)left);
    mo_scene_destroy(scene);
  }
}

/* The skin is no part of the character for whether a movement is allowed. */
Test(character_skin, allowed_without_the_skin) {
  mo_scene *scene = test_scene_empty();
  add_box(scene, mo_vec(5, 1, 0), mo_vec(1, 3, 3), (mo_quat){0, 0, 0, 1}); /* from x = 4 on */
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    for (int i = 1; i < 40; i++) {
      const float start = 0.001f * (float)i; /* away from the wall */
      mo_character_def def = character_at((character_kind)kind, mo_vec(4 - 0.4f - start, 0.5f, 0));
      bool allowed;
      def.displacement = mo_vec(start - 0.0005f, 0, 0);
      cr_assert_eq(mo_character_move_allowed(scene, &def, &allowed, NULL), MO_OK);
      cr_assert(allowed, "kind %d, from %g", kind, (double)start);
      def.displacement = mo_vec(start + 0.0005f, 0, 0);
      cr_assert_eq(mo_character_move_allowed(scene, &def, &allowed, NULL), MO_OK);
      cr_assert(!allowed, "kind %d, from %g", kind, (double)start);
    }
  }
  mo_scene_destroy(scene);
}
