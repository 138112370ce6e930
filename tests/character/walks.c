/* Random walks in closed rooms of triangles, full of solids: nothing is ever passed or overlapped,
 * and no step leads back. */
#include <motte/compound.h>

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

/* --- rooms of compounds --- */

enum { MAX_CHILDREN = 32, MAX_TOUCHES = 16 };

/* A room as a placement of a compound, with some of its furniture in a nested one that is sheared;
 * and as a scene of the same shapes under their composed transforms. */
typedef struct two_rooms {
  mo_scene *placed, *flat;
  mo_shape_id room;
  uint32_t numbers[MAX_CHILDREN]; /* of children, by the index of the shape in `flat` */
} two_rooms;

static mo_shape_def placement(mo_compound *compound, const mo_transform *map) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_COMPOUND);
  def.geometry.compound = compound;
  def.transform = *map;
  return def;
}

static void add_shape(mo_scene *scene, const mo_shape_def *def) {
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, def, &id), MO_OK);
}

static two_rooms compound_room(rng *r) {
  const mo_scene_def scene_def = mo_default_scene_def();
  const mo_transform straight = mo_transform_identity();
  mo_scene *from = furnished_room(0.3f, r);
  mo_compound *inner, *outer;
  mo_transform sheared = straight;
  mo_shape_id ids[MAX_CHILDREN];
  uint32_t count;
  two_rooms rooms = {.placed = test_scene_empty(), .flat = test_scene_empty()};
  cr_assert_eq(mo_compound_create(&scene_def, &inner), MO_OK);
  cr_assert_eq(mo_compound_create(&scene_def, &outer), MO_OK);
  cr_assert_eq(mo_scene_get_shapes(from, ids, MAX_CHILDREN, &count), MO_OK);
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_def def;
    cr_assert_eq(mo_scene_get_shape(from, ids[i], &def), MO_OK);
    def.user_data = 100 + i;
    add_shape(mo_compound_children(i % 3 == 1 ? inner : outer), &def);
  }
  sheared.y_axis.x = 0.1f;
  cr_assert_eq(mo_compound_update(inner), MO_OK);
  const mo_shape_def nested = placement(inner, &sheared);
  add_shape(mo_compound_children(outer), &nested);
  cr_assert_eq(mo_compound_update(outer), MO_OK);
  const mo_transform turned =
      mo_transform_make(mo_vec(0.1f, 0.2f, 0), rotation_about_y(0.7f), mo_vec(1, 1, 1));
  const mo_shape_def room = placement(outer, &turned);
  cr_assert_eq(mo_scene_add_shape(rooms.placed, &room, &rooms.room), MO_OK);
  for (uint32_t number = 0, added = 0; added < count; number++) {
    mo_shape_def def;
    if (mo_scene_get_child(rooms.placed, rooms.room, number, &def) == MO_OK) {
      add_shape(rooms.flat, &def);
      rooms.numbers[added++] = number;
    }
  }
  mo_compound_release(inner);
  mo_compound_release(outer);
  mo_scene_destroy(from);
  return rooms;
}

static void expect_same_place(mo_vec3 a, mo_vec3 b) {
  cr_assert(a.x == b.x && a.y == b.y && a.z == b.z, "%a %a %a, not %a %a %a", (double)a.x,
            (double)a.y, (double)a.z, (double)b.x, (double)b.y, (double)b.z);
}

/* Moves a character in both rooms, and compares all that is said of it. */
static void step_in_both(const two_rooms *rooms, mo_character_def *in_placed,
                         mo_character_def *in_flat, mo_vec3 way) {
  mo_character_touch touches[2][MAX_TOUCHES];
  in_placed->touches = touches[0];
  in_flat->touches = touches[1];
  in_placed->touch_capacity = in_flat->touch_capacity = MAX_TOUCHES;
  const mo_character_move_result a = character_go(rooms->placed, in_placed, way),
                                 b = character_go(rooms->flat, in_flat, way);
  expect_same_place(a.transform.origin, b.transform.origin);
  cr_assert(a.standing == b.standing && a.blocked == b.blocked && a.stepped == b.stepped);
  cr_assert_eq(a.touch_count, b.touch_count);
  for (uint32_t i = 0; i < a.touch_count && i < MAX_TOUCHES; i++) {
    const mo_character_touch *p = &touches[0][i], *q = &touches[1][i];
    cr_assert(p->shape.index == rooms->room.index && p->child == rooms->numbers[q->shape.index]);
    cr_assert(p->user_data == q->user_data && p->triangle == q->triangle);
    expect_same_place(p->point, q->point);
    expect_same_place(p->normal, q->normal);
    if (p->triangle != MO_NO_TRIANGLE) { /* it is no obstacle to the next step */
      in_placed->ignore_triangle_shape = p->shape;
      in_placed->ignore_triangle_child = p->child;
      in_flat->ignore_triangle_shape = q->shape;
      in_placed->ignore_triangle = in_flat->ignore_triangle = p->triangle;
    }
  }
  cr_assert_eq(a.ground.found, b.ground.found);
  if (a.ground.found) {
    cr_assert_eq(a.ground.child, rooms->numbers[b.ground.shape.index]);
    cr_assert(a.ground.height == b.ground.height && a.ground.walkable == b.ground.walkable &&
              a.ground.triangle == b.ground.triangle && a.ground.user_data == b.ground.user_data);
  }
}

/* Children are obstacles as shapes of the scene are, and are named. */
Test(character_walks, in_rooms_of_compounds_as_in_others) {
  rng r = rng_make(rng_seed("character_walks/compounds", 5));
  const two_rooms rooms = compound_room(&r);
  const uint64_t steps = rng_rounds(70, 4000);
  for (int kind = 0; kind < CHARACTER_KINDS; kind++) {
    mo_character_def of[2] = {character_at((character_kind)kind, mo_vec(0, -1, 0))};
    of[1] = of[0];
    float heading = 0;
    for (uint64_t i = 0; i < steps; i++) {
      heading += rng_float(&r, -0.6f, 0.6f);
      const float speed = rng_chance(&r, 0.05) ? 50 : rng_float(&r, 0, 0.4f);
      const float rise = rng_float(&r, -0.6f, 0.3f);
      const mo_vec3 way = {speed * cosf(heading), rise, speed * sinf(heading)};
      bool allowed[2];
      step_in_both(&rooms, &of[0], &of[1], way);
      cr_assert_eq(mo_character_move_allowed(rooms.placed, &of[0], &allowed[0], NULL), MO_OK);
      cr_assert_eq(mo_character_move_allowed(rooms.flat, &of[1], &allowed[1], NULL), MO_OK);
      cr_assert_eq(allowed[0], allowed[1]);
      if (mo_max_magnitude(feet_of(&of[0])) > 2 * half_room) { /* through an ignored triangle */
        of[0].primitive.transform.origin = of[1].primitive.transform.origin = mo_vec(0, -1, 0);
      }
    }
  }
  mo_scene_destroy(rooms.placed);
  mo_scene_destroy(rooms.flat);
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
