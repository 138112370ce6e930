/* Whole steps of physics by the solver of demos/step.c: towers stand, boxes slide and balls roll
 * over triangles as over a plane, and nothing leaves a closed mesh. The long suite simulates a
 * minute. */
#include <criterion/criterion.h>
#include <motte/continuous.h>
#include <string.h>

#include "contact/stepping.h"
#include "math/vector.h"
#include "support/meshes.h"
#include "support/rng.h"

static void begin(void) {
  begin_with_friction(0.6f);
}

static mo_shape_def ball_of(float radius) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.geometry.sphere.radius = radius;
  return def;
}

static mo_shape_def cube_of(float half) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box.half_extents = mo_vec(half, half, half);
  return def;
}

/* Upright, and as high as makes its inertia one number. */
static mo_shape_def cylinder_of(float radius) {
  float half = 0.5f * sqrtf(3) * radius;
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_CYLINDER);
  def.geometry.cylinder = (mo_cylinder){{0, -half, 0}, {0, half, 0}, radius};
  return def;
}

/* Of 1 kg. */
static body *add_ball(mo_vec3 at, float radius) {
  mo_shape_def def = ball_of(radius);
  def.transform.origin = at;
  return add_body(scene, def, 1, 0.4f * radius * radius);
}

static body *add_box(mo_vec3 at, float half) {
  mo_shape_def def = cube_of(half);
  def.transform.origin = at;
  return add_body(scene, def, 1, half * half / 1.5f);
}

static body *add_cylinder(mo_vec3 at, float radius) {
  mo_shape_def def = cylinder_of(radius);
  def.transform.origin = at;
  return add_body(scene, def, 1, 0.5f * radius * radius);
}

/* The mesh is freed. */
static void add_surface(test_mesh *mesh) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.edges = true;
  mo_mesh *built;
  check(mo_mesh_create(&def, &built));
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  add_body(scene, shape, 0, 0);
  mo_mesh_release(built);
  test_mesh_free(mesh);
}

/* In the plane y = 0, cells of half a metre: x from -2 to `length`, z from -2 to 2; vertices off
 * their places, any diagonals, any windings. */
static void add_floor(float length, rng *r) {
  enum { WIDE = 8, MAX_LONG = 240 };
  static mo_vec3 grid[MAX_LONG + 1][WIDE + 1];
  int cells = (int)(2 * length) + 4;
  test_mesh mesh = {0};
  for (int i = 0; i <= cells; i++) {
    for (int k = 0; k <= WIDE; k++) {
      float x = (float)i + rng_float(r, -0.4f, 0.4f), z = (float)k + rng_float(r, -0.4f, 0.4f);
      grid[i][k] = mo_vec(0.5f * x - 2, 0, 0.5f * z - 2);
    }
  }
  for (int i = 0; i < cells; i++) {
    for (int k = 0; k < WIDE; k++) {
      mo_vec3 c[4] = {grid[i][k], grid[i + 1][k], grid[i + 1][k + 1], grid[i][k + 1]};
      int first = (int)rng_below(r, 2);
      for (int half = 0; half < 2; half++) {
        mo_vec3 a = c[first], b = c[(first + 1 + half) % 4], d = c[(first + 2 + half) % 4];
        bool flipped = rng_chance(r, 0.5);
        test_mesh_add_corners(&mesh, flipped ? b : a, flipped ? a : b, d);
      }
    }
  }
  add_surface(&mesh);
}

/* Any other shape, of 1 kg, with the inertia of a ball. */
static body *add_other(mo_geometry geometry, mo_vec3 at, float size) {
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform.origin = at;
  return add_body(scene, def, 1, 0.4f * size * size);
}

static body *add_capsule(mo_vec3 at, float size) {
  return add_other((mo_geometry){.type = MO_SHAPE_CAPSULE,
                                 .capsule = {{-size, 0, 0}, {size, 0, 0}, 0.4f * size}},
                   at, size);
}

static body *add_cone(mo_vec3 at, float size) {
  return add_other(
      (mo_geometry){.type = MO_SHAPE_CONE, .cone = {{0, size, 0}, {0, -size, 0}, size}}, at, size);
}

static body *add_plate(mo_vec3 at, float size) {
  return add_other(
      (mo_geometry){.type = MO_SHAPE_BOX, .box.half_extents = {size, 0.08f * size, 0.7f * size}},
      at, size);
}

/* Uneven, around its origin. */
static body *add_hull(mo_vec3 at, float size) {
  const mo_vec3 corners[] = {{-size, 0, 0},          {size, 0, 0.2f * size}, {0, -0.7f * size, 0},
                             {0, size, 0},           {0, 0, -0.8f * size},   {0.1f * size, 0, size},
                             {0.4f * size, size, 0}, {-0.6f * size, 0, size}};
  mo_hull_def def = mo_default_hull_def();
  mo_geometry geometry = {.type = MO_SHAPE_HULL};
  mo_hull *hull;
  def.positions = corners;
  def.position_count = sizeof corners / sizeof *corners;
  check(mo_hull_create(&def, &hull));
  geometry.hull = hull;
  body *b = add_other(geometry, at, size);
  mo_hull_release(hull);
  return b;
}

static void expect_standing(uint64_t seconds, float storey, float tolerance) {
  for (uint64_t i = 0; i < 60 * seconds; i++) {
    step(scene, tracker);
  }
  for (uint32_t i = 1; i < body_count; i++) {
    mo_vec3 p = bodies[i].position, place = mo_vec(0, ((float)i - 0.5f) * storey, 0);
    cr_assert(mo_max_magnitude(mo_sub(p, place)) <= tolerance, "body %u is at %g %g %g", i,
              (double)p.x, (double)p.y, (double)p.z);
  }
}

Test(steps, ten_cylinders_stand) {
  begin();
  mo_shape_def floor = cube_of(50);
  floor.transform.origin.y = -50;
  add_body(scene, floor, 0, 0);
  float storey = 2 * cylinder_of(0.5f).geometry.cylinder.b.y;
  for (int i = 0; i < 10; i++) {
    add_cylinder(mo_vec(0, ((float)i + 0.5f) * storey, 0), 0.5f);
  }
  expect_standing(rng_few_rounds(10, 60), storey, 0.05f);
  end();
}

Test(steps, twenty_boxes_stand_on_triangles) {
  rng r = rng_make(rng_seed("steps/tower", 951));
  begin();
  add_floor(2, &r);
  for (int i = 0; i < 20; i++) {
    add_box(mo_vec(0, (float)i + 0.5f, 0), 0.5f);
  }
  expect_standing(rng_few_rounds(4, 60), 1, 0.05f);
  end();
}

static void expect_upright_normals(const mo_contact_events *found, float tolerance) {
  for (uint32_t i = 0; i < found->contact_count; i++) {
    mo_vec3 n = found->contacts[i].contact.manifold.normal;
    cr_assert(fabsf(n.x) <= tolerance && n.y == 1 && fabsf(n.z) <= tolerance, "%g %g %g",
              (double)n.x, (double)n.y, (double)n.z);
  }
}

Test(steps, box_slides_as_on_a_plane) {
  rng r = rng_make(rng_seed("steps/slide", 952));
  float way = (float)rng_few_rounds(20, 100);
  begin_with_friction(0);
  add_floor(way + 2, &r);
  body *box = add_box(mo_vec(0, 0.5f, 0), 0.5f);
  box->velocity.linear.x = 10;
  box->rotation = (mo_quat){0, sinf(0.2f), 0, cosf(0.2f)};
  while (box->position.x < way) {
    mo_contact_events found = step(scene, tracker);
    cr_assert(found.contact_count > 0);
    expect_upright_normals(&found, 1e-6f);
    mo_vec3 v = box->velocity.linear;
    cr_assert(fabsf(v.x - 10) <= 0.01f, "%g at %g", (double)v.x, (double)box->position.x);
    cr_assert(fabsf(v.z) <= 0.01f && fabsf(v.y) <= 0.01f);
  }
  cr_assert(fabsf(box->position.z) <= 0.01f && fabsf(box->position.y - 0.5f) <= 0.01f);
  end();
}

Test(steps, ball_rolls_straight_over_triangles) {
  rng r = rng_make(rng_seed("steps/roll", 953));
  float way = (float)rng_few_rounds(20, 100);
  begin();
  add_floor(way + 2, &r);
  body *ball = add_ball(mo_vec(0, 0.3f, 0), 0.3f);
  ball->velocity = (motion){{5, 0, 0}, {0, 0, -5 / 0.3f}};
  while (ball->position.x < way) {
    mo_contact_events found = step(scene, tracker);
    cr_assert(found.contact_count > 0);
    expect_upright_normals(&found, 1e-6f);
    cr_assert(fabsf(ball->position.z) <= 1e-3f, "%g at %g", (double)ball->position.z,
              (double)ball->position.x);
    cr_assert(fabsf(ball->velocity.linear.x - 5) <= 0.005f);
  }
  end();
}

/* A rotation by a quaternion, and then by an angle about an axis of unit length. */
static mo_quat rotated(mo_quat q, mo_vec3 axis, float angle) {
  float s = sinf(0.5f * angle), w = cosf(0.5f * angle);
  mo_vec3 a = mo_scale(s, axis), v = {q.x, q.y, q.z};
  mo_vec3 turned = mo_add(mo_add(mo_scale(w, v), mo_scale(q.w, a)), mo_cross(a, v));
  return (mo_quat){turned.x, turned.y, turned.z, w * q.w - mo_dot(a, v)};
}

/* Takes each body back to where it first meets something on its way from where it was before a
 * step. Returns how many do. */
static uint32_t stop_at_impacts(const body *before) {
  static mo_mover movers[MAX_BODIES];
  static mo_mover_memory memory[MAX_BODIES];
  static mo_impact impacts[MAX_BODIES];
  mo_impact_search search = mo_default_impact_search();
  search.movers = &movers[1];
  search.memory = memory;
  search.count = body_count - 1;
  for (uint32_t i = 1; i < body_count; i++) {
    const mo_vec3 unit = {1, 1, 1};
    mo_transform from = mo_transform_make(before[i].position, before[i].rotation, unit);
    mo_transform to = mo_transform_make(bodies[i].position, bodies[i].rotation, unit);
    movers[i] = (mo_mover){.shape = shapes[i]};
    check(mo_movement_between(&from, &to, &movers[i].movement));
  }
  check(mo_scene_find_impacts(scene, &search, &impacts[1], NULL, NULL));
  uint32_t stopped = 0;
  for (uint32_t i = 1; i < body_count; i++) {
    if (impacts[i].found) {
      const mo_movement *m = &movers[i].movement;
      bodies[i].position = mo_add(before[i].position, mo_scale(impacts[i].t, m->displacement));
      bodies[i].rotation = rotated(before[i].rotation, m->axis, impacts[i].t * m->angle);
      stopped++;
    }
  }
  return stopped;
}

/* What holds the tiles of a floor: the scene; a compound; or compounds of two tiles each in another
 * one, which is placed rotated and scaled. */
typedef enum tile_holder { TILES_ARE_SHAPES, TILES_ARE_CHILDREN, TILES_ARE_NESTED } tile_holder;

enum { TILES = 6, TILE_HOLDERS = 3 };

/* A placement of a new compound. */
static mo_shape_def placement_of(const mo_shape_def *children, uint32_t count) {
  mo_scene_def def = mo_default_scene_def();
  mo_shape_def placement = mo_default_shape_def(MO_SHAPE_COMPOUND);
  mo_shape_id ids[TILES];
  check(mo_compound_create(&def, &placement.geometry.compound));
  mo_scene *own = mo_compound_children(placement.geometry.compound);
  check(mo_scene_add_shapes(own, children, count, ids, NULL));
  check(mo_compound_update(placement.geometry.compound));
  return placement;
}

/* Nests tiles by two; they are half as large in the outer compound, and in the order of -x. */
static mo_shape_def nest_tiles(const mo_shape_def *tiles) {
  mo_shape_def pairs[TILES / 2];
  for (int i = 0; i < TILES / 2; i++) {
    pairs[i] = placement_of(&tiles[2 * i], 2);
    pairs[i].transform =
        mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 1, 0, 0}, mo_vec(0.5f, 0.5f, 0.5f));
  }
  mo_shape_def all = placement_of(pairs, TILES / 2);
  all.transform = mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 1, 0, 0}, mo_vec(2, 2, 2));
  for (int i = 0; i < TILES / 2; i++) {
    mo_compound_release(pairs[i].geometry.compound);
  }
  return all;
}

/* Six tiles side by side, their tops in the plane y = 0: meshes, boxes, or both by turns. They are
 * the body that never moves. */
static void add_tiles(int kind, tile_holder holder) {
  const mo_vec3 corner[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
  test_mesh tile = {0};
  test_mesh_add_corners(&tile, corner[0], corner[1], corner[2]);
  test_mesh_add_corners(&tile, corner[0], corner[2], corner[3]);
  mo_mesh_def mesh_def = test_mesh_def(&tile);
  mesh_def.build.edges = true;
  mo_mesh *mesh;
  mo_shape_def defs[TILES];
  mo_shape_id id;
  check(mo_mesh_create(&mesh_def, &mesh));
  for (int i = 0; i < TILES; i++) {
    bool is_mesh = i == 0 || kind == 0 || (kind == 2 && i % 2 == 0);
    defs[i] = is_mesh ? mo_default_shape_def(MO_SHAPE_MESH) : cube_of(1);
    defs[i].geometry.mesh = is_mesh ? mesh : defs[i].geometry.mesh;
    defs[i].transform.origin = mo_vec(2 * (float)i, is_mesh ? 0 : -1, 0);
    defs[i].motion = MO_MOTION_STATIC;
  }
  if (holder == TILES_ARE_SHAPES) {
    add_body(scene, defs[0], 0, 0);
    for (int i = 1; i < TILES; i++) {
      check(mo_scene_add_shape(scene, &defs[i], &id));
    }
  } else {
    mo_shape_def all = holder == TILES_ARE_NESTED ? nest_tiles(defs) : placement_of(defs, TILES);
    add_body(scene, all, 0, 0);
    mo_compound_release(all.geometry.compound);
  }
  mo_mesh_release(mesh);
  test_mesh_free(&tile);
}

/* A box on a ramp stands if the friction is above the tangent of the ramp's angle; else it slides
 * as Coulomb's law says. A second body without mass stays where it is. */
Test(steps, friction_holds_a_box_on_a_ramp) {
  const float angle = 0.4f, gravity = 9.81f;
  for (int i = 0; i < 4; i++) {
    const float friction = tanf(angle) + 0.05f * (float)(2 * i - 3);
    begin_with_friction(friction);
    mo_shape_def ramp = cube_of(20);
    const mo_quat turned = rotated((mo_quat){0, 0, 0, 1}, mo_vec(0, 0, 1), angle);
    const mo_vec3 up = {-sinf(angle), cosf(angle), 0};
    ramp.transform = mo_transform_make(mo_scale(-20, up), turned, mo_vec(1, 1, 1));
    add_body(scene, ramp, 0, 0);
    mo_shape_def far = cube_of(1);
    far.transform.origin = mo_vec(0, 50, 0);
    body *fixed = add_body(scene, far, 0, 0), *box = add_box(mo_scale(0.25f, up), 0.25f);
    box->rotation = turned;
    for (int k = 0; k < 60; k++) {
      step(scene, tracker);
    }
    const float expected = fmaxf(0, 0.5f * gravity * (sinf(angle) - friction * cosf(angle)));
    const mo_vec3 moved = mo_sub(box->position, mo_scale(0.25f, up));
    const float way = sqrtf(mo_dot(moved, moved));
    cr_assert(fabsf(way - expected) <= 0.01f + 0.02f * expected, "%g, not %g", (double)way,
              (double)expected);
    cr_assert_eq(fixed->position.y, 50);
    end();
  }
}

/* A box that is thrown over a floor stops where Coulomb's law says, whatever its direction. */
Test(steps, friction_is_as_strong_in_all_directions) {
  const float friction = 0.3f, speed = 3, gravity = 9.81f;
  const float expected = speed * speed / (2 * friction * gravity);
  for (int i = 0; i < 6; i++) {
    begin_with_friction(friction);
    mo_shape_def floor = cube_of(20);
    floor.transform.origin = mo_vec(0, -20, 0);
    add_body(scene, floor, 0, 0);
    body *box = add_box(mo_vec(0, 0.25f, 0), 0.25f);
    box->inverse_inertia = 0; /* friction that turns it would brake it less */
    const float heading = 0.3f * (float)i;
    box->velocity.linear = mo_vec(speed * cosf(heading), 0, speed * sinf(heading));
    for (int k = 0; k < 90; k++) {
      step(scene, tracker);
    }
    const float way = sqrtf(mo_dot(box->position, box->position) - 0.0625f);
    cr_assert(fabsf(way - expected) <= 0.02f * expected, "heading %g: %g, not %g", (double)heading,
              (double)way, (double)expected);
    end();
  }
}

/* A box slides, and a ball and a cylinder roll over the seams as if they were not there. */
static void check_seams(tile_holder holder) {
  for (int kind = 0; kind < 9; kind++) {
    begin_with_friction(kind < 3 ? 0 : 0.6f);
    body_count = 0;
    add_tiles(kind % 3, holder);
    body *moving = kind < 3   ? add_box(mo_vec(0.03f, 0.3f, 0.1f), 0.3f)
                   : kind < 6 ? add_ball(mo_vec(0.03f, 0.3f, 0.1f), 0.3f)
                              : add_cylinder(mo_vec(0.03f, 0.3f, 0.1f), 0.3f);
    moving->velocity.linear.x = 5;
    moving->velocity.angular.z = kind < 3 ? 0 : -5 / 0.3f;
    moving->rotation = kind < 6
                           ? (mo_quat){0, sinf(0.2f), 0, cosf(0.2f)}
                           : (mo_quat){sinf(0.25f * 3.14159265f), 0, 0, cosf(0.25f * 3.14159265f)};
    while (moving->position.x < 10) {
      mo_contact_events found = step(scene, tracker);
      expect_upright_normals(&found, 1e-5f);
      mo_vec3 v = moving->velocity.linear;
      cr_assert(fabsf(v.x - 5) <= 0.005f && fabsf(v.y) <= 0.005f && fabsf(v.z) <= 0.005f,
                "tiles %d, kind %d, %g %g %g at %g", (int)holder, kind, (double)v.x, (double)v.y,
                (double)v.z, (double)moving->position.x);
    }
    end();
  }
}

Test(steps, over_seams_as_on_a_plane) {
  for (int holder = 0; holder < TILE_HOLDERS; holder++) {
    check_seams((tile_holder)holder);
  }
}

/* Down a ramp and across the concave edge at its foot on to the floor, stopped at impacts: it
 * neither gets through nor stays in the edge. */
Test(steps, box_slides_down_a_ramp_on_to_a_floor) {
  begin_with_friction(0);
  test_mesh mesh = {0};
  const float rise = 0.5f;
  const mo_vec3 edge[2] = {{0, 0, -2}, {0, 0, 2}}, foot[2] = {{20, 0, -2}, {20, 0, 2}},
                top[2] = {{-8, 8 * rise, -2}, {-8, 8 * rise, 2}};
  test_mesh_add_corners(&mesh, top[0], top[1], edge[0]);
  test_mesh_add_corners(&mesh, top[1], edge[1], edge[0]);
  test_mesh_add_corners(&mesh, edge[0], edge[1], foot[0]);
  test_mesh_add_corners(&mesh, edge[1], foot[1], foot[0]);
  add_surface(&mesh);
  float scale = 1 / sqrtf(1 + rise * rise);
  mo_vec3 normal = {rise * scale, scale, 0}, half_way = {-4, 4 * rise, 0};
  body *box = add_box(mo_add(half_way, mo_scale(0.25f, normal)), 0.25f);
  box->rotation = rotated(box->rotation, mo_vec(0, 0, 1), -atanf(rise));
  for (int i = 0; i < 180; i++) {
    body before[MAX_BODIES];
    memcpy(before, bodies, sizeof before);
    step(scene, tracker);
    stop_at_impacts(before);
    mo_vec3 p = box->position;
    cr_assert(p.y > 0.2f && p.y + rise * p.x > 0.2f, "step %d: %g %g", i, (double)p.x, (double)p.y);
  }
  mo_vec3 p = box->position;
  cr_assert(p.x > 2 && p.x < 19 && p.y < 0.6f, "at %g %g", (double)p.x, (double)p.y);
  end();
}

/* Bodies in a closed box of 10 metres without thickness; four times a second they are hit, and fly
 * at up to 300 m/s, half of the box in a step. */
Test(steps, nothing_leaves_a_closed_mesh) {
  rng r = rng_make(rng_seed("steps/box", 954));
  begin();
  test_mesh mesh = {0};
  for (int corner = 0; corner < 8; corner++) {
    test_mesh_add_vertex(&mesh, corner & 1 ? 5 : -5, corner & 2 ? 5 : -5, corner & 4 ? 5 : -5);
  }
  for (uint32_t axis = 0; axis < 3; axis++) {
    uint32_t u = 1u << axis, v = 1u << (axis + 1) % 3, side = 1u << (axis + 2) % 3;
    for (uint32_t at = 0; at <= side; at += side) {
      test_mesh_add_triangle(&mesh, at, at + u, at + u + v);
      test_mesh_add_triangle(&mesh, at, at + u + v, at + v);
    }
  }
  add_surface(&mesh);
  for (int i = 0; i < 28; i++) {
    mo_vec3 at = {(float)(i % 3) * 2 - 2, (float)(i / 9) * 2 - 3, (float)(i / 3 % 3) * 2 - 2};
    float size = rng_float(&r, 0.1f, 0.5f);
    body *(*const makers[7])(mo_vec3 at, float size) = {
        add_ball, add_box, add_cylinder, add_capsule, add_cone, add_plate, add_hull};
    makers[i % 7](at, size);
  }
  uint64_t seconds = rng_few_rounds(10, 60), stopped = 0;
  for (uint64_t i = 0; i < 60 * seconds; i++) {
    for (uint32_t k = 1; k < body_count && i % 15 == 0; k++) {
      bodies[k].velocity.linear = mo_scale(rng_float(&r, 0, 300), rng_direction(&r));
      bodies[k].velocity.angular = mo_scale(rng_float(&r, 0, 20), rng_direction(&r));
    }
    body before[MAX_BODIES];
    memcpy(before, bodies, sizeof before);
    step(scene, tracker);
    stopped += stop_at_impacts(before);
    for (uint32_t k = 1; k < body_count; k++) {
      mo_vec3 p = bodies[k].position;
      cr_assert(mo_max_magnitude(p) < 5, "step %u: body %u has got out, to %g %g %g", (unsigned)i,
                k, (double)p.x, (double)p.y, (double)p.z);
    }
  }
  cr_assert(stopped > 10 * seconds, "%u", (unsigned)stopped);
  end();
}
