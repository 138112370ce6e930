/* What is ground for a character: how near and how steep it is, edges of triangles and ledges,
 * slopes and stairs; and what is none in the air. */
#include "characters.h"

static const mo_vec3 gravity = {0, -0.1f, 0};

static bool is_zero(mo_vec3 v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

/* The ground at most twice the skin below is stood on; the ground is known as far as snapping goes.
 */
Test(character_ground, stands_within_two_skins) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    for (int i = 2; i < 60; i++) {
      const float height = 0.005f * (float)i;
      mo_character_def def = character_at((character_kind)kind, mo_vec(0, height, 0));
      def.snap_distance = 0;
      mo_character_move_result moved = character_go(scene, &def, mo_vec(0, 0, 0));
      cr_assert(is_zero(moved.displacement) || i < 3);
      cr_assert(fabsf(height - 2 * def.skin) < 1e-3f || moved.standing == (height < 2 * def.skin),
                "kind %d at %g", kind, (double)height);
      def = character_at((character_kind)kind, mo_vec(0, height, 0));
      def.step_height = 0;
      moved = character_go(scene, &def, mo_vec(0, 0.0001f, 0)); /* up: it does not snap */
      cr_assert(moved.ground.found && fabsf(moved.ground.height - height) < 1e-3f,
                "kind %d at %g: %g", kind, (double)height, (double)moved.ground.height);
    }
  }
  mo_scene_destroy(scene);
}

/* What falls, and what jumps, neither snaps to the ground nor steps up. */
Test(character_ground, in_the_air_nothing_snaps_or_steps) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  add_box(scene, mo_vec(10, 0.1f, 0), mo_vec(10, 0.1f, 5), (mo_quat){0, 0, 0, 1}); /* from x = 0 */
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(-5, 0.25f, 0));
    mo_character_move_result moved = character_go(scene, &def, mo_vec(0.1f, -0.01f, 0));
    cr_assert(!moved.standing && fabsf(moved.displacement.y + 0.01f) < 1e-6f, "kind %d: fell by %g",
              kind, -(double)moved.displacement.y);
    if (kind == BALL || kind == CAPSULE) {
      continue; /* round feet climb the edge of the ledge without a step */
    }
    def = character_at((character_kind)kind, mo_vec(-0.45f, 0.02f, 0));
    moved = character_go(scene, &def, mo_vec(0.2f, 0.05f, 0));
    cr_assert(!moved.stepped && fabsf(moved.displacement.y - 0.05f) < 1e-3f, "kind %d: rose by %g",
              kind, (double)moved.displacement.y);
    def = character_at((character_kind)kind, mo_vec(-0.45f, 0.02f, 0));
    moved = character_go(scene, &def, mo_vec(0.2f, -0.05f, 0));
    cr_assert(moved.stepped, "kind %d", kind);
  }
  mo_scene_destroy(scene);
}

/* The edge of a floor is ground whichever side of its triangles is the front. */
Test(character_ground, stands_at_the_edge_of_either_side) {
  for (int up = 0; up < 2; up++) {
    mo_scene *scene = test_scene_empty();
    mo_vec3 corners[6] = {{0, 0, -5}, {-9, 0, -5}, {-9, 0, 5}, {0, 0, -5}, {-9, 0, 5}, {0, 0, 5}};
    for (int i = 0; i < 2 && up == 0; i++) {
      const mo_vec3 second = corners[3 * i + 1];
      corners[3 * i + 1] = corners[3 * i + 2];
      corners[3 * i + 2] = second;
    }
    add_triangles(scene, corners, 2);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      for (int i = 0; i < 6; i++) {
        mo_character_def def =
            character_at((character_kind)kind, mo_vec(0.32f + 0.01f * (float)i, 0.1f, 0));
        mo_character_move_result moved = character_go(scene, &def, gravity);
        for (int frame = 0; frame < 5; frame++) {
          moved = character_go(scene, &def, gravity);
        }
        cr_assert(moved.standing && moved.ground.walkable, "front up %d, kind %d, %d", up, kind, i);
        cr_assert_float_eq(moved.ground.face_normal.y, 1, 1e-6);
        cr_assert_float_eq(moved.ground.slope, 0, 1e-3);
      }
    }
    mo_scene_destroy(scene);
  }
}

/* Down a slope at any speed, on the ground all the way: it is the ground that it snaps to, which is
 * lower by more than the snap distance. */
Test(character_ground, snaps_down_slopes_at_any_speed) {
  for (int k = 0; k < 3; k++) {
    const float angle = 0.3f + 0.25f * (float)k, speed = 0.5f + 0.5f * (float)k;
    mo_scene *scene = slope_of(angle);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      mo_character_def def = character_at((character_kind)kind, mo_vec(9, 9 * tanf(angle) + 1, 0));
      def.snap_distance = 0.05f;
      for (int frame = 0; frame < 30; frame++) {
        character_go(scene, &def, gravity);
      }
      for (int frame = 0; (float)frame * speed < 7; frame++) {
        const mo_character_move_result moved = character_go(scene, &def, mo_vec(-speed, -0.01f, 0));
        cr_assert(moved.standing, "slope %g, kind %d, frame %d at %g", (double)angle, kind, frame,
                  (double)feet_of(&def).x);
      }
    }
    mo_scene_destroy(scene);
  }
}

/* At any height, steps are as high as they are. */
Test(character_ground, stairs_at_any_height) {
  static const float heights[] = {-300, 40, 1000};
  for (int k = 0; k < 3; k++) {
    mo_scene *scene = stairs_of(0.25f);
    cr_assert_eq(mo_scene_shift_origin(scene, mo_vec(0, heights[k], 0)), MO_OK);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      mo_character_def def = character_at((character_kind)kind, mo_vec(-2, heights[k] + 0.02f, 0));
      for (int frame = 0; frame < 60; frame++) {
        character_go(scene, &def, mo_vec(0.1f, -0.05f, 0));
      }
      cr_assert_float_eq(feet_of(&def).y - heights[k], STEPS * 0.25f, 2 * def.skin, "kind %d: %g",
                         kind, (double)feet_of(&def).y);
    }
    mo_scene_destroy(scene);
  }
}

/* Ground of exactly the slope limit is walked on. */
Test(character_ground, the_slope_limit_itself_is_walkable) {
  for (int k = 1; k < 15; k++) {
    const float angle = 0.1f * (float)k;
    mo_scene *scene = test_scene_empty();
    add_half_space(scene, mo_vec(-sinf(angle), cosf(angle), 0));
    mo_character_def def = character_at(CAPSULE, mo_vec(0, 3, 0));
    def.slope_limit = angle;
    mo_character_move_result moved = {.standing = false};
    for (int frame = 0; frame < 60; frame++) {
      moved = character_go(scene, &def, gravity);
    }
    cr_assert(moved.standing && moved.ground.walkable, "%g", (double)angle);
    cr_assert_float_eq(moved.ground.slope, angle, 1e-3);
    const mo_vec3 feet = feet_of(&def);
    const float gap = cosf(angle) * (feet.y + 0.4f) - sinf(angle) * feet.x - 0.4f;
    cr_assert_float_eq(moved.ground.height, gap / cosf(angle), 1e-3, "%g: %g", (double)angle,
                       (double)moved.ground.height);
    mo_scene_destroy(scene);
  }
}

/* On ground that is steeper than the slope limit nothing stands: it slides down, close to it. */
Test(character_ground, steeper_ground_is_not_stood_on) {
  for (int k = 1; k < 14; k++) {
    const float angle = 0.1f * (float)k + 0.05f;
    mo_scene *scene = test_scene_empty();
    add_half_space(scene, mo_vec(-sinf(angle), cosf(angle), 0));
    mo_character_def def = character_at(CAPSULE, mo_vec(0, 3, 0));
    def.slope_limit = angle - 0.05f;
    uint32_t near = 0;
    for (int frame = 0; frame < 80; frame++) {
      const mo_character_move_result moved = character_go(scene, &def, gravity);
      const bool is_near =
          moved.ground.found && moved.ground.height * cosf(angle) < 1.5f * def.skin;
      near += is_near;
      cr_assert(!moved.standing && !moved.ground.walkable, "%g", (double)angle);
      cr_assert(!is_near || moved.displacement.y < 0, "%g", (double)angle);
    }
    cr_assert_gt(near, 20);
    mo_scene_destroy(scene);
  }
}

/* What falls past a ledge does not hang on it by its side, where the ledge is higher above its feet
 * than a step may be. */
Test(character_ground, does_not_hang_on_ledges) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  add_box(scene, mo_vec(-5, 1, 0), mo_vec(5, 1, 5), (mo_quat){0, 0, 0, 1}); /* up to x = 0, y = 2 */
  for (int i = 0; i < 5; i++) {
    mo_character_def def =
        character_at(i % 2 == 0 ? BALL : CAPSULE, mo_vec(0.3975f - 0.0005f * (float)i, 2.2f, 0));
    def.skin = 0.005f;
    for (int frame = 0; frame < 60; frame++) {
      character_go(scene, &def, gravity);
    }
    cr_assert(feet_of(&def).y < 0.1f, "%d: at %g", i, (double)feet_of(&def).y);
  }
  mo_scene_destroy(scene);
}
