/* Floors of triangles for tests of contacts. */
#ifndef TEST_CONTACT_FLOORS_H
#define TEST_CONTACT_FLOORS_H

#include "contact/contacts.h"
#include "support/meshes.h"

enum { FLOOR_SIDE = 24 };

/* A floor of 2 * FLOOR_SIDE² triangles in the plane y = 0, from -6 to 6: vertices off their places,
 * any diagonals, any windings. */
static inline test_mesh floor_mesh(rng *r, const mo_transform *baked) {
  test_mesh mesh = {0};
  mo_vec3 grid[FLOOR_SIDE + 1][FLOOR_SIDE + 1];
  for (int i = 0; i <= FLOOR_SIDE; i++) {
    for (int k = 0; k <= FLOOR_SIDE; k++) {
      float x = (float)i + rng_float(r, -0.4f, 0.4f), z = (float)k + rng_float(r, -0.4f, 0.4f);
      grid[i][k] = mo_transform_point(baked, mo_vec(0.5f * x - 6, 0, 0.5f * z - 6));
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

#endif
