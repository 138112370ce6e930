/* Characters in places with known answers: corners, slopes, stairs, thin walls, overlaps. */
#include <motte/compound.h>

#include "characters.h"

static const mo_vec3 gravity = {0, -0.1f, 0};

static bool is_zero(mo_vec3 v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

/* Two walls that meet at an angle, on ground: their inner sides go through the y axis, the bisector
 * is -x, and the character comes from -x. Of boxes, or of half-spaces. */
static mo_scene *corner_of(float angle, bool endless) {
  mo_scene *scene = test_scene_empty();
  if (endless) {
    add_half_space(scene, mo_vec(0, 1, 0));
  } else {
    add_ground(scene);
  }
  for (int side = -1; side <= 1; side += 2) {
    float half = 0.5f * angle, turn = (float)side * half;
    /* Along the wall, away from the corner, and out of it. */
    mo_vec3 along = {-cosf(half), 0, (float)side * sinf(half)};
    mo_vec3 out = {sinf(half), 0, (float)side * cosf(half)};
    mo_vec3 center = mo_add(mo_add(mo_scale(20, along), mo_scale(1, out)), mo_vec(0, 4, 0));
    if (endless) {
      add_half_space(scene, mo_scale(-1, out));
      continue;
    }
    add_box(scene, center, mo_vec(20.5f, 5, 1), rotation_about_y(turn));
  }
  return scene;
}

Test(character, rests_in_corners) {
  static const float degrees[] = {10, 60, 90, 120, 170};
  enum { COUNT = sizeof degrees / sizeof *degrees };
  for (size_t k = 0; k < 2 * COUNT; k++) {
    size_t i = k % COUNT;
    mo_scene *scene = corner_of(degrees[i] * 0.0174532925f, k >= COUNT);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      mo_character_def def = character_at((character_kind)kind, mo_vec(-15, 0.05f, 0));
      mo_vec3 way = mo_add(mo_vec(0.3f, 0, 0.002f), gravity);
      for (int frame = 0; frame < 60; frame++) {
        character_go(scene, &def, way);
      }
      float left = room_around(scene, &def);
      cr_assert(left >= 0.4f * def.skin, "%g degrees, kind %d: %g left", (double)degrees[i], kind,
                (double)left);
      mo_vec3 place = feet_of(&def);
      /* Nothing is kept between calls: once it does not move, it never does. */
      mo_character_move_result moved = character_go(scene, &def, way);
      cr_assert(is_zero(moved.displacement), "%g degrees, kind %d: %g %g %g", (double)degrees[i],
                kind, (double)moved.displacement.x, (double)moved.displacement.y,
                (double)moved.displacement.z);
      cr_assert(moved.blocked && moved.standing);
      cr_assert(place.x < 0 && fabsf(place.y) < 3 * def.skin);
    }
    mo_scene_destroy(scene);
  }
}

/* Along a wall at any angle: what is left is the part along the wall. */
Test(character, slides_along_walls) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  add_box(scene, mo_vec(6, 2, 0), mo_vec(1, 3, 50), (mo_quat){0, 0, 0, 1}); /* from x = 5 on */
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(0, 0.02f, -10));
    for (int frame = 0; frame < 200; frame++) {
      character_go(scene, &def, mo_add(mo_vec(0.1f, 0, 0.1f), gravity));
    }
    mo_vec3 place = feet_of(&def);
    cr_assert_float_eq(place.z, 10, 1e-3f, "kind %d: %g", kind, (double)place.z);
    cr_assert_float_eq(place.x, 5 - 0.4f - def.skin, 0.5f * def.skin);
    cr_assert(room_around(scene, &def) >= 0.45f * def.skin);
  }
  mo_scene_destroy(scene);
}

Test(character, slopes) {
  const float limit = mo_default_character_def().slope_limit;
  for (int steeper = 0; steeper < 2; steeper++) {
    float angle = limit + (steeper ? 0.02f : -0.02f);
    mo_scene *scene = slope_of(angle);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      mo_character_def def = character_at((character_kind)kind, mo_vec(-2, 0.02f, 0));
      for (int frame = 0; frame < 80; frame++) {
        mo_character_move_result moved =
            character_go(scene, &def, mo_add(mo_vec(0.1f, 0, 0), gravity));
        cr_assert(moved.standing, "kind %d, frame %d", kind, frame);
      }
      mo_vec3 place = feet_of(&def);
      if (steeper) {
        cr_assert(place.x < 0.5f && place.y < 0.1f, "kind %d: %g %g", kind, (double)place.x,
                  (double)place.y);
      } else { /* as far sideways as on the level */
        cr_assert_float_eq(place.x, 6, 0.05f, "kind %d: %g", kind, (double)place.x);
        cr_assert(place.y > 4);
        mo_character_move_result rest = character_go(scene, &def, gravity);
        cr_assert_float_eq(rest.ground.slope, angle, 1e-3f);
        cr_assert(rest.standing && rest.ground.walkable);
        for (int frame = 0; frame < 100; frame++) {
          cr_assert(is_zero(character_go(scene, &def, gravity).displacement), "slides down");
        }
        for (int frame = 0; frame < 70; frame++) { /* and down again, on the ground all the way */
          cr_assert(character_go(scene, &def, mo_add(mo_vec(-0.1f, 0, 0), gravity)).standing);
        }
      }
      cr_assert(room_around(scene, &def) >= 0.4f * def.skin);
    }
    mo_scene_destroy(scene);
  }
}

/* What is dropped onto a slope that is too steep slides down to the ground. */
Test(character, slides_down_what_is_steep) {
  mo_scene *scene = slope_of(1.1f);
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(3, 9, 0));
    for (int frame = 0; frame < 400; frame++) {
      character_go(scene, &def, gravity);
    }
    mo_vec3 place = feet_of(&def);
    cr_assert(place.x < 0.2f && place.y < 0.1f, "kind %d: %g %g", kind, (double)place.x,
              (double)place.y);
  }
  mo_scene_destroy(scene);
}

Test(character, stairs) {
  static const int rates[] = {15, 120};
  for (int higher = 0; higher < 2; higher++) {
    float height = higher ? 0.35f : 0.25f; /* than a step may be */
    mo_scene *scene = stairs_of(height);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        mo_character_def def = character_at((character_kind)kind, mo_vec(-2, 0.02f, 0));
        float frame = 1.0f / (float)rates[k];
        bool stepped = false;
        for (int i = 0; i < 2 * rates[k]; i++) { /* 3 a second, for 2 seconds */
          mo_character_move_result moved =
              character_go(scene, &def, mo_vec(3 * frame, -2 * frame, 0));
          stepped = stepped || moved.stepped;
          cr_assert(moved.standing, "kind %d, rate %d, frame %d at %g %g", kind, rates[k], i,
                    (double)feet_of(&def).x, (double)feet_of(&def).y);
        }
        mo_vec3 place = feet_of(&def);
        if (higher) {
          cr_assert(place.x < 0 && place.y < 0.1f && !stepped);
          continue;
        }
        cr_assert(stepped);
        cr_assert_float_eq(place.y, STEPS * height, 2 * def.skin, "kind %d, rate %d: %g", kind,
                           rates[k], (double)place.y);
        cr_assert_float_eq(place.x, 4, 0.5f, "kind %d, rate %d: %g", kind, rates[k],
                           (double)place.x);
        for (int i = 0; i < 5 * rates[k] / 2; i++) { /* down again: it follows the ground */
          cr_assert(character_go(scene, &def, mo_vec(-3 * frame, -2 * frame, 0)).standing,
                    "kind %d, rate %d, frame %d: leaves the ground", kind, rates[k], i);
        }
        cr_assert(feet_of(&def).y < 0.1f);
      }
    }
    mo_scene_destroy(scene);
  }
}

/* Flat ground in any triangulation is walked on as if it were one plane: on the same way and at the
 * same height, to within a hundredth of the skin. */
Test(character, tessellated_ground_is_a_plane) {
  enum { SIDE = 24, TRIANGLES = 2 * SIDE * SIDE };
  static mo_vec3 corners[3 * TRIANGLES], grid[SIDE + 1][SIDE + 1];
  rng r = rng_make(rng_seed("character/tessellated", 311));
  for (uint64_t round = 0, n = rng_few_rounds(1, 50); round < n; round++) {
    for (int i = 0; i <= SIDE; i++) {
      for (int k = 0; k <= SIDE; k++) {
        bool inner = i > 0 && k > 0 && i < SIDE && k < SIDE;
        float x = inner ? rng_float(&r, -0.4f, 0.4f) : 0,
              z = inner ? rng_float(&r, -0.4f, 0.4f) : 0;
        grid[i][k] = mo_vec((float)i - 12 + x, 0, (float)k - 12 + z);
      }
    }
    uint32_t count = 0;
    for (int i = 0; i < SIDE; i++) {
      for (int k = 0; k < SIDE; k++) {
        mo_vec3 c[4] = {grid[i][k], grid[i][k + 1], grid[i + 1][k + 1], grid[i + 1][k]};
        int turn = (int)rng_below(&r, 2);
        const int order[6] = {turn, turn + 1, turn + 2, turn, turn + 2, (turn + 3) % 4};
        for (int j = 0; j < 6; j++) {
          corners[count++] = c[order[j]];
        }
      }
    }
    mo_scene *scene = test_scene_empty();
    add_triangles(scene, corners, TRIANGLES);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      mo_character_def def = character_at((character_kind)kind, mo_vec(-8, 0.02f, -6));
      character_go(scene, &def, gravity);
      mo_vec3 start = feet_of(&def), way = {0.11f, -0.1f, 0.07f};
      for (int frame = 1; frame <= 120; frame++) {
        mo_character_move_result moved = character_go(scene, &def, way);
        mo_vec3 off = mo_sub(mo_sub(feet_of(&def), start), mo_scale((float)frame, way));
        off.y = feet_of(&def).y - start.y;
        cr_assert(mo_max_magnitude(off) < 0.01f * def.skin && !moved.blocked,
                  "kind %d, frame %d: off by %g %g %g", kind, frame, (double)off.x, (double)off.y,
                  (double)off.z);
        cr_assert(moved.standing && moved.ground.slope < 1e-3f);
      }
    }
    mo_scene_destroy(scene);
  }
}

/* Fast, at walls without thickness. */
Test(character, never_passes_thin_walls) {
  mo_scene *scene = test_scene_empty();
  const mo_vec3 wall[] = {{5, -50, -50}, {5, 50, -50}, {5, 0, 80}};
  add_triangles(scene, wall, 1);
  add_box(scene, mo_vec(-5, 0, 0), mo_vec(0, 50, 50), (mo_quat){0, 0, 0, 1}); /* flat */
  rng r = rng_make(rng_seed("character/thin", 312));
  for (uint64_t i = 0, n = rng_few_rounds(400, 20000); i < n; i++) {
    character_kind kind = (character_kind)rng_below(&r, CHARACTER_KINDS);
    mo_character_def def = character_at(kind, rng_vec3(&r, -4, 4));
    mo_vec3 way = mo_scale(ldexpf(1, (int)rng_below(&r, 12) - 2), rng_direction(&r));
    way.y *= 0.01f;
    way.z *= 0.01f;
    mo_character_move_result moved = character_go(scene, &def, way);
    float x = feet_of(&def).x;
    cr_assert(fabsf(x) <= 4.6f, "round %llu: at %g", (unsigned long long)i, (double)x);
    bool allowed;
    def.displacement = mo_vec(x > 0 ? 10 : -10, 0, 0);
    cr_assert_eq(mo_character_move_allowed(scene, &def, &allowed, NULL), MO_OK);
    cr_assert(!allowed);
    def.displacement = mo_vec(x > 0 ? -4 : 4, 0, 0);
    cr_assert_eq(mo_character_move_allowed(scene, &def, &allowed, NULL), MO_OK);
    cr_assert(allowed && moved.overlaps == false);
  }
  mo_scene_destroy(scene);
}

/* From an overlap: out by the shortest way, as far as there is one; never deeper. */
Test(character, recovers_from_overlaps) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  add_box(scene, mo_vec(3, 1, 0), mo_vec(1, 1, 5), (mo_quat){0, 0, 0, 1}); /* x from 2 to 4 */
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(1.8f, -0.15f, 0));
    cr_assert(room_around(scene, &def) < 0);
    mo_character_move_result moved = character_go(scene, &def, mo_vec(0, 0, 0));
    cr_assert(!moved.overlaps && room_around(scene, &def) >= 0.4f * def.skin, "kind %d", kind);
    cr_assert(feet_of(&def).x < 1.65f && feet_of(&def).y > 0);
    moved = character_go(scene, &def, mo_vec(0, 0, 0));
    cr_assert(is_zero(moved.displacement));
  }
  /* Between two boxes with less room than it takes: it stays, and says so. */
  add_box(scene, mo_vec(0.8f, 1, 0), mo_vec(0.5f, 1, 5), (mo_quat){0, 0, 0, 1});
  add_box(scene, mo_vec(1.65f, 2.2f, 0), mo_vec(2, 0.2f, 5), (mo_quat){0, 0, 0, 1});
  mo_character_def def = character_at(BOX, mo_vec(1.65f, 0.05f, 0));
  float before = room_around(scene, &def);
  for (int frame = 0; frame < 20; frame++) {
    mo_character_move_result moved = character_go(scene, &def, mo_vec(0.05f, -0.1f, 0.02f));
    cr_assert(moved.overlaps && room_around(scene, &def) >= before - 1e-5f, "deeper: %g, %g",
              (double)room_around(scene, &def), (double)before);
  }
  mo_scene_destroy(scene);
}

/* A passage as wide as the character and two skins. */
Test(character, narrow_passages) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  for (int side = -1; side <= 1; side += 2) {
    mo_character_def def = mo_default_character_def();
    float z = (float)side * (0.4f + def.skin + 1);
    add_box(scene, mo_vec(0, 1, z), mo_vec(5, 2, 1), (mo_quat){0, 0, 0, 1});
  }
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(-8, 0.02f, 0));
    for (int frame = 0; frame < 160; frame++) {
      character_go(scene, &def, mo_add(mo_vec(0.1f, 0, 0), gravity));
    }
    cr_assert(feet_of(&def).x > 7.9f, "kind %d: at %g", kind, (double)feet_of(&def).x);
  }
  mo_scene_destroy(scene);
}

/* What is touched, what is ignored, and what the ground is. */
Test(character, reports) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  mo_shape_id wall = add_box(scene, mo_vec(2, 1, 0), mo_vec(1, 2, 5), (mo_quat){0, 0, 0, 1});
  mo_character_def def = character_at(CAPSULE, mo_vec(0, 0.02f, 0));
  mo_character_touch touches[4];
  def.touches = touches;
  def.touch_capacity = 4;
  mo_character_move_result moved = character_go(scene, &def, mo_vec(3, -1, 0));
  cr_assert_eq(moved.touch_count, 2);
  cr_assert(touches[0].shape.index == wall.index && touches[0].normal.x == -1);
  cr_assert(touches[1].normal.y == 1 && moved.blocked && moved.standing && !moved.stepped);
  cr_assert_float_eq(moved.ground.height, def.skin, 0.1f * def.skin);
  cr_assert(moved.ground.normal.y == 1 && moved.ground.triangle == MO_NO_TRIANGLE);
  def.filter.ignore = wall;
  def.touch_capacity = 0;
  moved = character_go(scene, &def, mo_vec(3, 0, 0));
  cr_assert(!moved.blocked);
  cr_assert_float_eq(moved.displacement.x, 3, 1e-5f);
  moved = character_go(scene, &def, mo_vec(0, 5, 0));
  cr_assert(!moved.standing && !moved.ground.found);
  mo_scene_destroy(scene);
}

/* A ramp that leads up under a ceiling, level or tilted: the character stops where its head meets
 * the ceiling, at a distance from both, and stays there, however it is pressed on; that it cannot
 * move takes few casts, each of which tests up to three shapes. */
Test(character, stops_on_a_ramp_under_a_ceiling) {
  static const float ramps[] = {0.2f, 0.5f, 0.8f}, ceilings[] = {-0.3f, -0.1f, 0};
  for (int i = 0; i < 9; i++) {
    const float ramp = ramps[i % 3], ceiling = ceilings[i / 3];
    mo_scene *scene = slope_of(ramp);
    const mo_vec3 out = {-sinf(ceiling), cosf(ceiling), 0};
    add_box(scene, mo_add(mo_vec(2, 2.5f, 0), out), mo_vec(8, 1, 10), rotation_about_z(ceiling));
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      mo_character_def def = character_at((character_kind)kind, mo_vec(-1.5f, 0.02f, 0));
      const float speed = kind % 2 == 0 ? 0.2f : 1;
      mo_character_move_result moved = {.blocked = false};
      for (int frame = 0; frame < 80; frame++) {
        moved = character_go(scene, &def, mo_add(mo_vec(speed, 0, 0), gravity));
        const float left = room_around(scene, &def);
        cr_assert(left >= 0.49f * def.skin, "case %d, kind %d, frame %d: %g left", i, kind, frame,
                  (double)left);
      }
      cr_assert(moved.blocked && is_zero(moved.displacement), "case %d, kind %d: %g %g", i, kind,
                (double)moved.displacement.x, (double)moved.displacement.y);
      cr_assert(feet_of(&def).x > -1.2f && fabsf(feet_of(&def).z) < 1e-3f);
      mo_query_stats stats = {0};
      def.displacement = mo_add(mo_vec(speed, 0, 0), gravity);
      cr_assert_eq(mo_character_move(scene, &def, &moved, &stats), MO_OK);
      cr_assert_leq(stats.shape_count, 3 * 10, "case %d, kind %d: %llu tests", i, kind,
                    (unsigned long long)stats.shape_count);
      for (int frame = 0; frame < 60; frame++) {
        moved = character_go(scene, &def, mo_vec(-speed, 0, 0));
      }
      cr_assert(feet_of(&def).x < 0, "and back");
    }
    mo_scene_destroy(scene);
  }
}

/* Every triangle of one mesh that is touched is listed: the floor and both walls of a corner. */
Test(character, touches_of_one_mesh) {
  static const mo_vec3 corners[] = {{0, 0, 0}, {0, 0, -20}, {-20, 0, 0}, /* the floor */
                                    {0, 0, 0}, {0, 20, 0},  {0, 0, -20}, /* two walls */
                                    {0, 0, 0}, {-20, 0, 0}, {0, 20, 0}};
  mo_scene *scene = test_scene_empty();
  add_triangles(scene, corners, 3);
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(-1.5f, 0.02f, -1));
    mo_character_touch touches[8];
    def.touches = touches;
    def.touch_capacity = 8;
    const mo_character_move_result moved = character_go(scene, &def, mo_vec(3, -1, 3));
    bool seen[3] = {false};
    cr_assert_eq(moved.touch_count, 3, "kind %d: %u", kind, moved.touch_count);
    for (uint32_t i = 0; i < moved.touch_count; i++) {
      cr_assert(touches[i].triangle < 3 && !seen[touches[i].triangle]);
      seen[touches[i].triangle] = true;
    }
  }
  mo_scene_destroy(scene);
}

/* Two planes too steep to stand on meet in a trough that leads down: what falls in slides along it
 * to its end. */
Test(character, slides_down_troughs) {
  mo_scene *scene = test_scene_empty();
  const float s = sqrtf(0.5f);
  const mo_vec3 down = {s, -s, 0}, across[2] = {{0, 0, 1}, {0, 0, -1}};
  for (int i = 0; i < 2; i++) { /* 45 degrees to either side of the plane through the trough */
    const mo_vec3 side = mo_scale(s, mo_add(across[i], mo_vec(s, s, 0)));
    const mo_vec3 ends[2] = {mo_scale(-20, down), mo_scale(20, down)};
    const mo_vec3 corners[6] = {ends[0],
                                ends[1],
                                mo_add(ends[1], mo_scale(9, side)),
                                ends[0],
                                mo_add(ends[1], mo_scale(9, side)),
                                mo_add(ends[0], mo_scale(9, side))};
    add_triangles(scene, corners, 2);
  }
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def def = character_at((character_kind)kind, mo_vec(-8, 10, 0.3f));
    for (int frame = 0; frame < 150; frame++) {
      character_go(scene, &def, mo_vec(0, -0.2f, 0));
      cr_assert(room_around(scene, &def) >= 0.45f * def.skin);
    }
    cr_assert(feet_of(&def).y < -3 && feet_of(&def).x > 2, "kind %d: at %g %g", kind,
              (double)feet_of(&def).x, (double)feet_of(&def).y);
  }
  mo_scene_destroy(scene);
}

/* Floor and wall in one compound are two obstacles, told apart by `child`. */
Test(character_moves, touches_of_children_are_told_apart) {
  mo_scene *scene = test_scene_empty();
  const mo_scene_def def = mo_default_scene_def();
  mo_compound *compound;
  cr_assert_eq(mo_compound_create(&def, &compound), MO_OK);
  mo_scene *children = mo_compound_children(compound);
  const mo_quat straight = {0, 0, 0, 1};
  add_box(children, mo_vec(50, 50, 50), mo_vec(1, 1, 1), straight);
  add_box(children, mo_vec(0, -1, 0), mo_vec(10, 1, 10), straight);
  add_box(children, mo_vec(3, 5, 0), mo_vec(1, 5, 10), straight);
  cr_assert_eq(mo_compound_update(compound), MO_OK);
  mo_shape_def placed = mo_default_shape_def(MO_SHAPE_COMPOUND);
  placed.geometry.compound = compound;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &placed, &id), MO_OK);
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_touch touches[8];
    mo_character_def walker = character_at((character_kind)kind, mo_vec(0, 0.1f, 0));
    walker.touches = touches;
    walker.touch_capacity = 8;
    const mo_character_move_result moved = character_go(scene, &walker, mo_vec(4, -0.2f, 0));
    bool met[3] = {false, false, false};
    for (uint32_t i = 0; i < moved.touch_count; i++) {
      cr_assert(touches[i].shape.index == id.index && touches[i].child < 3);
      cr_assert(!met[touches[i].child], "kind %d: child %u twice", kind, touches[i].child);
      met[touches[i].child] = true;
    }
    cr_assert(!met[0] && met[1] && met[2], "kind %d: %u touches", kind, moved.touch_count);
    cr_assert(moved.ground.found && moved.ground.child == 1, "kind %d", kind);
  }
  mo_scene_destroy(scene);
  mo_compound_release(compound);
}
