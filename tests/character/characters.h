/* Characters and what they walk on, for the tests of this folder: y is up, gravity leads down. */
#ifndef TEST_CHARACTERS_H
#define TEST_CHARACTERS_H

#include <criterion/criterion.h>
#include <math.h>
#include <motte/character.h>

#include "math/vector.h"
#include "support/rng.h"
#include "support/scenes.h"

typedef enum character_kind { BALL, CAPSULE, BOX, CYLINDER, CHARACTER_KINDS } character_kind;

/* About 1.8 high and 0.8 wide but for the ball; the origin is at the feet. */
static inline mo_geometry character_geometry(character_kind kind) {
  switch (kind) {
  case BALL:
    return (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {{0, 0.4f, 0}, 0.4f}};
  case CAPSULE:
    return (mo_geometry){.type = MO_SHAPE_CAPSULE, .capsule = {{0, 0.4f, 0}, {0, 1.4f, 0}, 0.4f}};
  case BOX:
    return (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 0.9f, 0}, {0.4f, 0.9f, 0.4f}}};
  default:
    return (mo_geometry){.type = MO_SHAPE_CYLINDER, .cylinder = {{0, 0, 0}, {0, 1.8f, 0}, 0.4f}};
  }
}

static inline mo_character_def character_at(character_kind kind, mo_vec3 feet) {
  mo_character_def def = mo_default_character_def();
  mo_geometry geometry = character_geometry(kind);
  mo_transform at = mo_transform_identity();
  at.origin = feet;
  def.primitive = mo_primitive_of_geometry(&geometry, &at);
  return def;
}

/* Moves on from where the character is. */
static inline mo_character_move_result character_go(const mo_scene *scene, mo_character_def *def,
                                                    mo_vec3 displacement) {
  mo_character_move_result result;
  def->displacement = displacement;
  cr_assert_eq(mo_character_move(scene, def, &result, NULL), MO_OK);
  def->primitive.transform = result.transform;
  return result;
}

static inline mo_vec3 feet_of(const mo_character_def *def) {
  return def->primitive.transform.origin;
}

/* The distance to the nearest solid or triangle; `depth` receives how deep it is in one. */
static inline float room_around(const mo_scene *scene, const mo_character_def *def) {
  mo_shape_cast_def cast = mo_default_shape_cast_def();
  cast.primitive = def->primitive;
  mo_cast_hit hit;
  cr_assert_eq(mo_scene_cast_shape(scene, &cast, &hit, NULL), MO_OK);
  if (hit.found) {
    return -hit.depth;
  }
  /* By growing: the largest rounding that touches nothing. */
  float low = 0, high = 1;
  for (int i = 0; i < 24; i++) {
    float middle = 0.5f * (low + high);
    cast.primitive.geometry.rounding = def->primitive.geometry.rounding + middle;
    cr_assert_eq(mo_scene_cast_shape(scene, &cast, &hit, NULL), MO_OK);
    *(hit.found ? &high : &low) = middle;
  }
  return low;
}

static inline mo_quat rotation_about_z(float angle) {
  return (mo_quat){0, 0, sinf(0.5f * angle), cosf(0.5f * angle)};
}

static inline mo_quat rotation_about_y(float angle) {
  return (mo_quat){0, sinf(0.5f * angle), 0, cosf(0.5f * angle)};
}

static inline mo_shape_id add_box(mo_scene *scene, mo_vec3 center, mo_vec3 half, mo_quat rotation) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box = (mo_box){{0, 0, 0}, half};
  def.transform = mo_transform_make(center, rotation, mo_vec(1, 1, 1));
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

/* The ground of boxes: y = 0 is its upper side. */
static inline void add_ground(mo_scene *scene) {
  add_box(scene, mo_vec(0, -1, 0), mo_vec(100, 1, 100), (mo_quat){0, 0, 0, 1});
}

/* Triangles without indices, three corners each. */
static inline void add_triangles(mo_scene *scene, const mo_vec3 *corners, uint32_t triangles) {
  mo_mesh_def mesh = mo_default_mesh_def();
  mesh.positions = &corners[0].x;
  mesh.vertex_count = 3 * triangles;
  mesh.triangle_count = triangles;
  mesh.index_type = MO_INDEX_NONE;
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  cr_assert_eq(mo_mesh_create(&mesh, &def.geometry.mesh), MO_OK);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_mesh_release(def.geometry.mesh);
}

static inline void add_half_space(mo_scene *scene, mo_vec3 normal) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  mo_shape_id id;
  def.geometry.half_space.normal = normal;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
}

/* A slope from x = 0 on, upward. */
static inline mo_scene *slope_of(float angle) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  mo_vec3 along = {cosf(angle), sinf(angle), 0}, down = {sinf(angle), -cosf(angle), 0};
  add_box(scene, mo_add(mo_scale(20, along), down), mo_vec(20, 1, 10), rotation_about_z(angle));
  return scene;
}

enum { STEPS = 4 };

/* Steps of a height, 0.5 deep, from x = 0 on. */
static inline mo_scene *stairs_of(float height) {
  mo_scene *scene = test_scene_empty();
  add_ground(scene);
  for (int i = 0; i < STEPS; i++) {
    float top = height * (float)(i + 1), from = 0.5f * (float)i;
    add_box(scene, mo_vec(0.5f * (from + 20), 0.5f * top, 0),
            mo_vec(0.5f * (20 - from), 0.5f * top, 5), (mo_quat){0, 0, 0, 1});
  }
  return scene;
}

#endif
