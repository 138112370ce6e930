/* Floors of triangles for tests of contacts. */
#ifndef TEST_CONTACT_FLOORS_H
#define TEST_CONTACT_FLOORS_H

#include "contact/contacts.h"
#include "support/meshes.h"

enum { FLOOR_SIDE = 24 };

/* A floor of 2 * FLOOR_SIDE² triangles in the plane y = 0, from -6 to 6: vertices off their places,
 * any diagonals, any windings. */
static inline test_mesh floor_mesh(rng *r, const mo_transform *map) {
  test_mesh mesh = {0};
  mo_vec3 grid[FLOOR_SIDE + 1][FLOOR_SIDE + 1];
  for (int i = 0; i <= FLOOR_SIDE; i++) {
    for (int k = 0; k <= FLOOR_SIDE; k++) {
      float x = (float)i + rng_float(r, -0.4f, 0.4f), z = (float)k + rng_float(r, -0.4f, 0.4f);
      grid[i][k] = mo_transform_point(map, mo_vec(0.5f * x - 6, 0, 0.5f * z - 6));
    }
  }
  for (int i = 0; i < FLOOR_SIDE; i++) {
    for (int k = 0; k < FLOOR_SIDE; k++) {
      mo_vec3 c[4] = {grid[i][k], grid[i + 1][k], grid[i + 1][k + 1], grid[i][k + 1]};
      int first = (int)rng_below(r, 2);
      for (int half = 0; half < 2; half++) {
        mo_vec3 a = c[first], b = c[(first + 1 + half) % 4], d = c[(first + 2 + half) % 4];
        bool turned = rng_chance(r, 0.5);
        test_mesh_add_corners(&mesh, turned ? b : a, turned ? a : b, d);
      }
    }
  }
  return mesh;
}

/* A mesh with edges, as the only shape of a scene. */
static inline mo_scene *surface_scene(const test_mesh *mesh, const uint32_t *user_data,
                                      const mo_transform *map, mo_shape_id *id) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.edges = true;
  def.triangle_user_data = user_data;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  shape.transform = *map;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, id), MO_OK);
  mo_mesh_release(built);
  return scene;
}

/* All contacts with one that is not in the scene, of which there must be no more than `max`. */
static inline uint32_t collide_all(const mo_scene *scene, const mo_primitive *p,
                                   mo_contact *contacts, uint32_t max) {
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = *p;
  uint32_t total;
  cr_assert_eq(mo_scene_collide_shape(scene, &def, contacts, max, &total, NULL), MO_OK);
  cr_assert(total <= max);
  return total;
}

#endif
