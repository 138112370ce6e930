/* A mesh, a scene that moves, a ray.   cc hello.c $(pkg-config --cflags --libs motte) -o hello */
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>

/* Says which argument of which call is wrong, and why. */
static void print_log(mo_log_level level, const char *message, void *context) {
  (void)context;
  fprintf(stderr, "motte: %s%s\n", level == MO_LOG_WARNING ? "warning: " : "", message);
}

static void check(mo_result result) {
  if (result != MO_OK) {
    fprintf(stderr, "motte: %s\n", mo_result_text(result));
    exit(EXIT_FAILURE);
  }
}

int main(void) {
  mo_host host = mo_default_host();
  host.log = print_log;

  static const float positions[] = {0, 0, 0, /**/ 1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, 1};
  static const uint32_t triangles[] = {0, 2, 1, /**/ 0, 1, 3, /**/ 0, 3, 2, /**/ 1, 2, 3};
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = positions;
  mesh_def.vertex_count = 4;
  mesh_def.indices = triangles;
  mesh_def.triangle_count = 4;
  mesh_def.host = host;
  mo_mesh *mesh;
  check(mo_mesh_create(&mesh_def, &mesh));

  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.host = host;
  mo_scene *scene;
  check(mo_scene_create(&scene_def, &scene));
  mo_shape_id shapes[3]; /* in a row, ten units apart */
  for (int i = 0; i < 3; i++) {
    mo_shape_def shape_def = mo_default_shape_def(MO_SHAPE_MESH);
    shape_def.geometry.mesh = mesh;
    shape_def.transform.origin.x = 10.0f * (float)i;
    check(mo_scene_add_shape(scene, &shape_def, &shapes[i]));
  }
  mo_mesh_release(mesh); /* the scene keeps it as long as shapes use it */

  mo_transform below = mo_transform_identity(); /* the last one moves below the first */
  below.origin.z = -5;
  check(mo_scene_set_transform(scene, shapes[2], &below));
  check(mo_scene_update(scene, NULL)); /* once per frame */

  mo_ray_def ray = mo_default_ray_def();
  ray.origin = (mo_vec3){0.25f, 0.25f, -10};
  ray.direction = (mo_vec3){0, 0, 1};
  mo_ray_hit hit;
  check(mo_scene_cast_ray(scene, &ray, &hit, NULL));
  printf("hit shape %u, triangle %u at z = %g\n", hit.shape.index, hit.triangle, hit.point.z);
  mo_scene_destroy(scene);
}
