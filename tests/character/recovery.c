/* Characters that begin in overlaps: how far out they get, that they never end deeper, and that
 * they pass nothing on the way. */
#include "characters.h"

/* A character is pulled out of anything, or stays as deep as it was. */
Test(character_recovery, never_ends_deeper) {
  rng r = rng_make(rng_seed("character/deeper", 313));
  uint32_t overlapped = 0, freed = 0;
  for (uint64_t i = 0, n = rng_rounds(600, 40000); i < n; i++) {
    mo_scene *scene = test_scene_empty();
    for (int k = 0, boxes = 1 + (int)rng_below(&r, 3); k < boxes; k++) {
      const mo_vec3 at = rng_vec3(&r, -1.2f, 1.2f), half = rng_vec3(&r, 0.1f, 1.5f);
      const mo_quat rotation = rng_rotation(&r);
      add_box(scene, at, half, rotation);
      mo_vec3 corners[6];
      for (int c = 0; c < 6; c++) {
        corners[c] = rng_vec3(&r, -1.5f, 1.5f);
      }
      add_triangles(scene, corners, 2);
    }
    mo_character_def def =
        character_at((character_kind)rng_below(&r, CHARACTER_KINDS), rng_vec3(&r, -1, 1));
    const mo_vec3 way = rng_vec3(&r, -0.2f, 0.2f);
    const float before = room_around(scene, &def);
    const mo_character_move_result moved = character_go(scene, &def, way);
    const float after = room_around(scene, &def);
    cr_assert(after >= fminf(before, 0) - 1e-5f, "round %llu: %g deep, from %g",
              (unsigned long long)i, -(double)after, -(double)before);
    cr_assert(moved.overlaps || after >= 0, "round %llu: %g left", (unsigned long long)i,
              (double)after);
    overlapped += before < 0;
    freed += before < 0 && after > 0;
    mo_scene_destroy(scene);
  }
  cr_assert(overlapped > 300 && freed > overlapped / 2, "%u of %u", freed, overlapped);
}

/* Deep in a funnel of many sides the way out leads along its axis: one call finds it. */
Test(character_recovery, recovers_from_many_triangles_at_once) {
  enum { SIDES = 9 };
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_scene *scene = test_scene_empty();
    mo_vec3 corners[3 * SIDES];
    for (int i = 0; i < SIDES; i++) {
      const float from = 6.2831853f * (float)i / SIDES, to = 6.2831853f * (float)(i + 1) / SIDES;
      corners[3 * i] = mo_vec(0, 0, 0);
      corners[3 * i + 1] = mo_vec(5 * cosf(to), 15, 5 * sinf(to));
      corners[3 * i + 2] = mo_vec(5 * cosf(from), 15, 5 * sinf(from));
    }
    add_triangles(scene, corners, SIDES);
    mo_character_def def = character_at((character_kind)kind, mo_vec(0, 0, 0));
    mo_character_def free = def;
    while (room_around(scene, &free) < def.skin) {
      free.primitive.transform.origin.y += 0.002f;
    }
    def.primitive.transform.origin.y = feet_of(&free).y - 0.3f;
    cr_assert(room_around(scene, &def) < 0);
    const mo_character_move_result moved = character_go(scene, &def, mo_vec(0, 0, 0));
    cr_assert(!moved.overlaps && room_around(scene, &def) >= 0.4f * def.skin, "kind %d: %g left",
              kind, (double)room_around(scene, &def));
    mo_scene_destroy(scene);
  }
}

/* A wall is the deepest of 81 contacts and the last of them; of the others only the skin is left a
 * little too thin. */
Test(character_recovery, recovers_from_the_deepest_of_many_triangles) {
  enum { FLOORS = 80 };
  mo_scene *scene = test_scene_empty();
  mo_vec3 corners[3 * (FLOORS + 1)];
  for (int i = 0; i < FLOORS; i++) {
    corners[3 * i] = mo_vec(-20, 0, -20);
    corners[3 * i + 1] = mo_vec(0, 0, 40);
    corners[3 * i + 2] = mo_vec(20, 0, -20);
  }
  corners[3 * FLOORS] = mo_vec(0.3f, -20, -20);
  corners[3 * FLOORS + 1] = mo_vec(0.3f, 0, 40);
  corners[3 * FLOORS + 2] = mo_vec(0.3f, 20, -20);
  add_triangles(scene, corners, FLOORS + 1);
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(0, 0.0095f, 0));
    cr_assert(room_around(scene, &def) < -0.05f);
    const mo_character_move_result moved = character_go(scene, &def, mo_vec(0, 0, 0));
    cr_assert(!moved.overlaps && room_around(scene, &def) >= 0.4f * def.skin, "kind %d: %g left",
              kind, (double)room_around(scene, &def));
  }
  mo_scene_destroy(scene);
}

/* The way out of a block leads through a wall without thickness: it ends there. */
Test(character_recovery, recovery_does_not_pass_walls) {
  mo_scene *scene = test_scene_empty();
  const mo_vec3 wall[] = {{5, -50, -50}, {5, 50, -50}, {5, 0, 80}};
  add_triangles(scene, wall, 1);
  add_box(scene, mo_vec(2.45f, 0, 0), mo_vec(2.45f, 9, 9), (mo_quat){0, 0, 0, 1}); /* to x = 4.9 */
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    for (int i = 0; i < 20; i++) {
      mo_character_def def =
          character_at((character_kind)kind, mo_vec(4.55f - 0.07f * (float)i, 0.3f, 0));
      const float before = room_around(scene, &def);
      for (int frame = 0; frame < 4; frame++) {
        character_go(scene, &def, mo_vec(0, 0, 0));
        cr_assert(feet_of(&def).x <= 4.6f && room_around(scene, &def) >= fminf(before, 0) - 1e-5f,
                  "kind %d, from %g: at %g", kind, 4.55 - 0.07 * i, (double)feet_of(&def).x);
      }
    }
  }
  mo_scene_destroy(scene);
}

/* Between walls that leave less than half of the skin on each side, a character overlaps nothing.
 */
Test(character_recovery, tight_is_no_overlap) {
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_scene *scene = test_scene_empty();
    mo_character_def def = character_at((character_kind)kind, mo_vec(0, 0.3f, 0));
    const float room = 0.2f * def.skin;
    for (int side = -1; side <= 1; side += 2) {
      add_box(scene, mo_vec((float)side * (0.4f + room + 1), 1, 0), mo_vec(1, 3, 3),
              (mo_quat){0, 0, 0, 1});
    }
    const mo_character_move_result moved = character_go(scene, &def, mo_vec(0, 0, 0.1f));
    cr_assert(!moved.overlaps && fabsf(moved.displacement.x) < room, "kind %d", kind);
    mo_scene_destroy(scene);
  }
}
