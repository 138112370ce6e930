/* Meshes with edges and flat sides, for tests of contacts. */
#ifndef TEST_CONTACT_FLAT_MESHES_H
#define TEST_CONTACT_FLAT_MESHES_H

#include <criterion/criterion.h>
#include <motte/motte.h>

#include "math/vector.h"
#include "support/meshes.h"
#include "support/scenes.h"

/* Builds a mesh with edges, and frees `mesh`. */
static inline mo_mesh *build(test_mesh *mesh) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.edges = true;
  mo_mesh *made;
  cr_assert_eq(mo_mesh_create(&def, &made), MO_OK);
  test_mesh_free(mesh);
  return made;
}

/* A box whose sides have `cells` cells each way. */
static inline test_mesh crate(mo_vec3 half, int cells) {
  test_mesh mesh = {0};
  for (int side = 0; side < 6; side++) {
    const float w = side % 2 ? 1 : -1;
    for (int i = 0; i < cells * cells; i++) {
      mo_vec3 c[4];
      for (int k = 0; k < 4; k++) {
        float u = 2 * (float)(i % cells + (k == 1 || k == 2)) / (float)cells - 1;
        float v = 2 * (float)(i / cells + k / 2) / (float)cells - 1;
        mo_vec3 at = side < 2 ? mo_vec(u, w, v) : side < 4 ? mo_vec(w, u, v) : mo_vec(u, v, w);
        c[k] = mo_vec(at.x * half.x, at.y * half.y, at.z * half.z);
      }
      test_mesh_add_corners(&mesh, c[0], c[1], c[2]);
      test_mesh_add_corners(&mesh, c[0], c[2], c[3]);
    }
  }
  return mesh;
}

/* With sides of one metre. */
static inline mo_mesh *cube(void) {
  static const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  test_mesh mesh = {0};
  mo_vec3 corner[8];
  for (int i = 0; i < 8; i++) {
    corner[i] = mo_vec(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f);
  }
  for (int i = 0; i < 6; i++) {
    test_mesh_add_corners(&mesh, corner[sides[i][0]], corner[sides[i][1]], corner[sides[i][2]]);
    test_mesh_add_corners(&mesh, corner[sides[i][0]], corner[sides[i][2]], corner[sides[i][3]]);
  }
  return build(&mesh);
}

/* Finds the contacts of two meshes, from the first to the second, and returns their number. */
static inline uint32_t contacts_of_meshes(mo_mesh *const mesh[2], const mo_transform transform[2],
                                          mo_contact *contacts, uint32_t capacity) {
  mo_scene *scene = test_scene_empty();
  mo_pair pair;
  for (int i = 0; i < 2; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = mesh[i];
    def.transform = transform[i];
    cr_assert_eq(mo_scene_add_shape(scene, &def, i == 0 ? &pair.a : &pair.b), MO_OK);
  }
  const mo_collide_def def = mo_default_collide_def();
  uint32_t count;
  cr_assert_eq(mo_scene_collide_pair(scene, &pair, &def, contacts, capacity, &count), MO_OK);
  cr_assert_leq(count, capacity);
  mo_scene_destroy(scene);
  return count;
}

#endif
