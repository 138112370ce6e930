/* Random walks in closed rooms of triangles, full of solids: nothing is ever passed or overlapped,
 * and no step leads back. */
#include "characters.h"

enum { GRID = 6, SIDES = 6, TRIANGLES = SIDES * 2 * GRID * GRID };

static const float half_room = 6;

/* The inner sides of a cube with bumps, closed: a point of its surface, moved by what depends on
 * where it is alone. */
static mo_vec3 on_room(int side, int i, int k, float bump) {
  float u = half_room * (2 * (float)i / GRID - 1), v = half_room * (2 * (float)k / GRID - 1);
  float w = side % 2 ? half_room : -half_room;
  mo_vec3 p = side < 2 ? mo_vec(w, u, v) : side < 4 ? mo_vec(u, w, v) : mo_vec(u, v, w);
  p.x += bump * sinf(1.3f * p.y + 2.1f * p.z);
  p.y += bump * sinf(1.7f * p.z + 1.1f * p.x);
  p.z += bump * sinf(1.9f * p.x + 0.7f * p.y);
  return p;
}

static mo_scene *furnished_room(float bump, rng *r) {
  static mo_vec3 corners[3 * TRIANGLES];
  uint32_t count = 0;
  for (int side = 0; side < SIDES; side++) {
    for (int i = 0; i < GRID; i++) {
      for (int k = 0; k < GRID; k++) {
        const int at[6][2] = {{i, k}, {i + 1, k},     {i + 1, k + 1},
                              {i, k}, {i + 1, k + 1}, {i, k + 1}};
        for (int j = 0; j < 6; j++) {
          corners[count++] = on_room(side, at[j][0], at[j][1], bump);
        }
      }
    }
  }
  mo_scene *scene = test_scene_empty();
  add_triangles(scene, corners, TRIANGLES);
  for (int i = 0; i < 14; i++) {
    static const mo_shape_type types[] = {MO_SHAPE_BOX, MO_SHAPE_CYLINDER, MO_SHAPE_CONE,
                                          MO_SHAPE_SPHERE, MO_SHAPE_CAPSULE};
    mo_shape_def def = mo_default_shape_def(types[rng_below(r, 5)]);
    mo_vec3 place = rng_vec3(r, -half_room, half_room);
    place.y = rng_float(r, -half_room, -0.3f * half_room);
    if (fabsf(place.x) + fabsf(place.z) < 3) {
      continue; /* where characters begin */
    }
    mo_vec3 scale = rng_vec3(r, 0.3f, 2);
    def.transform = mo_transform_make(place, rng_rotation(r), scale);
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  }
  return scene;
}

static bool overlaps_something(const mo_scene *scene, const mo_character_def *def) {
  mo_overlap_def overlap = mo_overlap_primitive_def(def->primitive);
  bool found;
  cr_assert_eq(mo_scene_test_overlap(scene, &overlap, &found, NULL), MO_OK);
  return found;
}

static void walk(const mo_scene *scene, character_kind kind, rng *r, uint64_t steps) {
  mo_character_def def = character_at(kind, mo_vec(0, -1, 0));
  float heading = 0, falling = 0;
  bool stood = false;
  for (uint64_t i = 0; i < steps; i++) {
    heading += rng_float(r, -0.6f, 0.6f);
    float speed = rng_chance(r, 0.05) ? 50 : rng_float(r, 0, 0.4f);
    falling = rng_chance(r, 0.03) ? 0.4f : fmaxf(falling - 0.03f, -1);
    mo_vec3 way = {speed * cosf(heading), falling, speed * sinf(heading)};
    mo_character_move_result moved = character_go(scene, &def, way);
    mo_vec3 at = feet_of(&def);
    unsigned long long n = (unsigned long long)i;
    cr_assert(mo_max_magnitude(at) < 1.2f * half_room, "kind %d, step %llu: outside, at %g %g %g",
              kind, n, (double)at.x, (double)at.y, (double)at.z);
    cr_assert(!moved.overlaps && !overlaps_something(scene, &def),
              "kind %d, step %llu: at %g %g %g", kind, n, (double)at.x, (double)at.y, (double)at.z);
    mo_vec3 went = moved.displacement;
    /* What falls may slide off to any side; and the skin is restored. */
    if (falling > 0 || (stood && moved.standing)) {
      float forward = went.x * way.x + went.z * way.z;
      cr_assert(forward >= -def.skin * speed, "kind %d, step %llu: back by %g", kind, n,
                (double)forward);
    }
    stood = moved.standing;
    falling = moved.standing || (moved.blocked && falling > 0) ? 0 : falling;
  }
}

Test(character_walks, never_leave_the_room) {
  rng r = rng_make(rng_seed("character_walks/rooms", 321));
  uint64_t steps = rng_rounds(70, 8000);
  for (int room = 0; room < 3; room++) {
    mo_scene *scene = furnished_room(0.25f * (float)room, &r);
    for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
      walk(scene, (character_kind)kind, &r, steps);
    }
    mo_scene_destroy(scene);
  }
}

/* The same way at 15 and at 300 steps a second ends in the same place: into a corner, up a slope.
 */
Test(character_walks, end_alike_at_any_rate) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  add_box(scene, mo_vec(7, 0.5f, 0), mo_vec(2, 2, 20), rotation_about_y(0.3f));
  add_box(scene, mo_vec(0, -1.2f, 8), mo_vec(20, 3, 3),
          (mo_quat){sinf(-0.2f), 0, 0, cosf(-0.2f)}); /* a ramp that rises along z */
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    static const int rates[] = {15, 60, 300};
    mo_vec3 ends[3];
    for (int k = 0; k < 3; k++) {
      mo_character_def def = character_at((character_kind)kind, mo_vec(-2, 0.02f, -3));
      float frame = 1.0f / (float)rates[k];
      for (int i = 0; i < 2 * rates[k]; i++) {
        character_go(scene, &def, mo_vec(2.5f * frame, -3 * frame, 2 * frame));
      }
      ends[k] = feet_of(&def);
      float off = mo_max_magnitude(mo_sub(ends[k], ends[0]));
      cr_assert(off <= 2 * def.skin, "kind %d, rate %d: off by %g", kind, rates[k], (double)off);
    }
  }
  mo_scene_destroy(scene);
}
