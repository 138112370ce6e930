/* Shapes of all kinds that are pressed on to a sheet or a box in hundreds of steps, by a host that
 * keeps position and quaternion in floats. Their cores must stay apart from it, and what leads away
 * or along must not be stopped. */
#include "contact/contacts.h"

#include <motte/motte.h>

enum { HULL = 6, KINDS };

/* All but the hull have their centre at the origin, which is in the core of each. */
static mo_geometry kind_of(int kind) {
  const mo_geometry kinds[KINDS] = {
      box_of(0.1f, 0.1f, 0.1f),
      sphere_of(mo_vec(0, 0, 0), 0.1f),
      capsule_of(0.3f, 0.12f),
      cylinder_of(0.1f, 0.1f),
      {.type = MO_SHAPE_CONE, .cone = {{0, 0.15f, 0}, {0, -0.15f, 0}, 0.15f}},
      box_of(0.4f, 0.03f, 0.3f), /* a plate */
      hull_of(TEST_HULL_CUBE),
  };
  return kinds[kind];
}

static mo_quat product(mo_quat a, mo_quat b) {
  return (mo_quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
      a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static mo_quat normalized(mo_quat q) {
  float scale = 1 / sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return (mo_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

/* Something to stand on, and a body; a host's state. */
typedef struct world {
  mo_scene *scene;
  mo_primitive support;
  mo_geometry geometry;
  mo_shape_id id;
  mo_vec3 position;
  mo_quat rotation;
} world;

static mo_transform pose(const world *w) {
  return mo_transform_make(w->position, w->rotation, mo_vec(1, 1, 1));
}

static mo_shape_id add_shape(mo_scene *scene, mo_geometry g, mo_transform at, mo_motion motion) {
  mo_shape_def def = mo_default_shape_def(g.type);
  mo_shape_id id;
  def.geometry = g;
  def.transform = at;
  def.motion = motion;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

/* The top of the support is at a height. */
static world world_of(int kind, bool on_box, float height, rng *r) {
  world w = {.geometry = kind_of(kind),
             .position = {rng_float(r, -1, 1), height + 2, rng_float(r, -1, 1)},
             .rotation = rng_rotation(r)};
  mo_scene_def def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&def, &w.scene), MO_OK);
  mo_transform at = mo_transform_identity();
  at.origin.y = height;
  if (on_box) {
    at.origin.y -= 0.5f;
    mo_geometry g = box_of(9, 0.5f, 9);
    w.support = mo_primitive_of_geometry(&g, &at);
    add_shape(w.scene, g, at, MO_MOTION_STATIC);
  } else {
    const float corners[9] = {-9, 0, -9, 0, 0, 18, 9, 0, -9};
    const uint32_t order[3] = {0, 1, 2};
    mo_mesh_def mesh_def = mo_default_mesh_def();
    mesh_def.positions = corners;
    mesh_def.vertex_count = 3;
    mesh_def.indices = order;
    mesh_def.triangle_count = 1;
    mo_mesh *mesh;
    cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
    add_shape(w.scene, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = mesh}, at, MO_MOTION_STATIC);
    mo_mesh_release(mesh);
    w.support = mo_primitive_of_triangle(mo_vec(-9, height, -9), mo_vec(0, height, 18),
                                         mo_vec(9, height, -9));
  }
  w.id = add_shape(w.scene, w.geometry, pose(&w), MO_MOTION_DYNAMIC);
  return w;
}

/* Moves and rotates the body, to its first impact. Returns that. */
static mo_impact move(world *w, mo_vec3 by, mo_vec3 axis, float angle, float core) {
  const mo_transform from = pose(w);
  cr_assert_eq(mo_scene_set_transform(w->scene, w->id, &from), MO_OK);
  cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  const world before = *w;
  w->position = mo_add(w->position, by);
  w->rotation = normalized(product(turned(axis, (double)angle), w->rotation));
  const mo_transform to = pose(w);
  mo_mover mover = {.shape = w->id};
  mo_mover_memory memory;
  mo_impact impact;
  mo_impact_search search = mo_default_impact_search();
  search.movers = &mover;
  search.memory = &memory;
  search.count = 1;
  search.def.core = core;
  cr_assert_eq(mo_movement_between(&from, &to, &mover.movement), MO_OK);
  cr_assert_eq(mo_scene_find_impacts(w->scene, &search, &impact, NULL, NULL), MO_OK);
  if (impact.found) {
    const mo_movement *m = &mover.movement;
    w->position = mo_add(before.position, mo_scale(impact.t, m->displacement));
    w->rotation =
        normalized(product(turned(m->axis, (double)(impact.t * m->angle)), before.rotation));
  }
  return impact;
}

/* From the core, as large as this, to the support. */
static double gap_of(const world *w, float core) {
  const mo_transform at = mo_transform_make(w->position, w->rotation, mo_vec(core, core, core));
  const mo_primitive body = mo_primitive_of_geometry(&w->geometry, &at);
  mo_primitive_distance found;
  cr_assert_eq(mo_primitive_find_distance(&body, &w->support, (double)INFINITY, &found), MO_OK);
  return found.distance;
}

static void press(int kind, bool on_box, float height, float core, uint64_t seed, rng *r) {
  world w = world_of(kind, on_box, height, r);
  mo_vec3 by = {rng_float(r, -3e-3f, 3e-3f), rng_float(r, -3, -0.1f), rng_float(r, -3e-3f, 3e-3f)};
  mo_vec3 axis = rng_direction(r);
  float angle = rng_float(r, 0, 0.5f);
  for (int i = 0; i < 300; i++) {
    if (i % 50 == 0) {
      axis = rng_direction(r);
    }
    move(&w, by, axis, angle, core);
    cr_assert(w.position.y > height && (kind == HULL || gap_of(&w, core) > 0),
              "kind %d on a %s at %g, seed %u: at %g in step %d", kind, on_box ? "box" : "sheet",
              (double)height, (unsigned)seed, (double)w.position.y, i);
  }
  /* It is let go. */
  float begin = w.position.y;
  mo_impact impact = move(&w, mo_vec(0.1f, 0.5f, 0), axis, 0, core);
  cr_assert(!impact.found && w.position.y > begin + 0.4f);
  mo_scene_destroy(w.scene);
}

Test(pressed, nothing_passes_in_hundreds_of_steps) {
  uint64_t rounds = rng_few_rounds(2, 60), seed = rng_seed("pressed on", 1520);
  static const float heights[] = {0, 5, 100, 2000};
  for (uint64_t round = 0; round < rounds; round++) {
    for (int kind = 0; kind < KINDS; kind++) {
      for (int k = 0; k < 8; k++) {
        rng r = rng_make(seed + (round * KINDS + (uint64_t)kind) * 8 + (uint64_t)k);
        press(kind, k % 2 == 1, heights[k / 2], 0.5f, seed, &r);
      }
    }
  }
}

/* Bodies that are pressed on as far as they go slide along as freely as before. */
Test(pressed, what_moves_along_is_not_stopped) {
  rng r = rng_make(rng_seed("pressed along", 1521));
  for (int i = 0; i < 10 * KINDS * 2; i++) {
    world w = world_of(i / 2 % KINDS, i % 2 == 1, 0, &r);
    mo_vec3 axis = rng_direction(&r);
    for (int k = 0; k < 100; k++) {
      move(&w, mo_vec(0, -1, 0), axis, 0.2f, 0.5f);
    }
    for (int k = 0; k < 20; k++) {
      mo_vec3 along = mo_scale(k % 2 ? 1 : -1, mo_vec(0.5f, 0, 0.25f));
      double gap = gap_of(&w, 0.5f);
      mo_impact impact = move(&w, along, mo_vec(0, 1, 0), 0, 0.5f);
      cr_assert(!impact.found, "body %d, %d: gap %g, t %g, %g", i, k, gap, (double)impact.t,
                gap_of(&w, .5f));
    }
    mo_scene_destroy(w.scene);
  }
}

/* A body whose core has been placed across a sheet is stopped before its centre passes, from
 * either side; and one that leaves is not stopped. */
Test(pressed, smaller_cores_take_the_place_of_one_that_overlaps) {
  rng r = rng_make(rng_seed("smaller cores", 1522));
  for (int i = 0; i < 20 * HULL; i++) {
    world w = world_of(i % HULL, false, 0, &r);
    float side = i / HULL % 2 ? -1 : 1;
    w.position.y = 0.01f * side;
    bool overlaps = gap_of(&w, 0.5f) == 0;
    cr_assert(overlaps || i % HULL == 5);
    world leaving = w;
    mo_impact left = move(&leaving, mo_vec(0, side, 0), mo_vec(0, 1, 0), 0, 0.5f);
    cr_assert(!left.found, "kind %d, side %g: %g, %g", i % HULL, (double)side, (double)left.t,
              (double)left.normal.y);
    for (int k = 0; k < 100; k++) {
      mo_impact impact = move(&w, mo_vec(0, -side, 0), rng_direction(&r), 0.3f, 0.5f);
      cr_assert(impact.found && impact.began_in_touch && side * w.position.y > 0, "kind %d at %g",
                i % HULL, (double)w.position.y);
      cr_assert(impact.normal.y * side < -0.9f, "%g", (double)impact.normal.y);
    }
    mo_scene_destroy(w.scene);
  }
}
