/* Values for the printers of src/debug/gdb.py: tests/debug/printers.py stops in `shown`, and prints
 * them. */
#include <motte/motte.h>
#include <stdio.h>

#include "geometry/body/body.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

static void __attribute__((noinline)) shown(void) {
  puts("shown");
}

int main(void) {
  mo_vec3 vector = {1, -2.5f, 0.125f};
  mo_transform transform = mo_transform_identity();
  transform.origin = vector;
  mo_aabb box = {{0, 0, 0}, {1, 2, 3}};
  mo_shape_id none = {0, 0}, shape = {7, 2};

  mo_mesh_node node;
  mo_bounds8_clear(&node.bounds);
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    node.child[i] = MO_CHILD_EMPTY;
  }
  mo_bounds8 no_bounds = node.bounds;
  mo_bounds8_set(&node.bounds, 1, box);
  mo_bounds8_set(&node.bounds, 4, box);
  node.child[1] = 12;
  node.child[4] = 3 | MO_CHILD_LEAF;

  mo_scene_node scene_node = {.bounds = node.bounds, .items = 5, .count = 20};
  memcpy(scene_node.child, node.child, sizeof node.child);

  mo_triangle_block triangles;
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    triangles.id[i] = MO_LANE_EMPTY;
  }
  memset(triangles.corner, 0, sizeof triangles.corner);
  triangles.id[0] = 9 | MO_LANE_DUPLICATED | MO_LANE_LAST_BLOCK;
  triangles.corner[1][0][0] = 1;
  triangles.corner[2][1][0] = 1;

  mo_shape_block shapes = {.next = MO_NONE, .count = 1};
  mo_bounds8_set(&shapes.bounds, 0, box);
  shapes.shape[0] = 42;

  mo_dvec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mo_body triangle = mo_body_of_triangle(corners), aabb = mo_body_of_aabb(box);
  mo_body sphere = mo_body_of_sphere((mo_sphere){{1, 2, 3}, 0.5f});

  mo_contact contact = {.a = shape, .b = {1, 1}, .triangle_a = MO_NO_TRIANGLE, .triangle_b = 30};
  contact.manifold.touching = true;
  contact.manifold.point_count = 1;
  contact.manifold.normal = (mo_vec3){0, 0, -1};
  contact.manifold.points[0].position = vector;
  contact.manifold.points[0].separation = -0.25f;
  shown();
  /* Kept until here, also where they are optimized. */
  const void *const kept[] = {&transform, &none,     &no_bounds, &node,   &scene_node, &triangles,
                              &shapes,    &triangle, &aabb,      &sphere, &contact};
  return kept[0] == NULL;
}
