// Motte from C++17: the headers compile, names link, structs copy. Prints TAP.
#include <cstdio>
#include <cstring>
#include <motte/cglm.h>
#include <motte/motte.h>

static int count = 0;

static void check(bool passed, const char *name) {
  std::printf("%s %d - %s\n", passed ? "ok" : "not ok", ++count, name);
}

int main() {
  mo_transform transform = mo_transform_make({1, 2, 3}, {0, 0, 0, 1}, {2, 2, 2});
  mo_vec3 point = mo_transform_point(&transform, {1, 1, 1});
  check(point.x == 3 && point.y == 4 && point.z == 5, "a transform by value");
  check(std::strcmp(mo_result_name(MO_ERROR_STALE_ID), "MO_ERROR_STALE_ID") == 0, "a result name");

  mo_host host = mo_default_host();
  void *memory = host.allocator.allocate(100, 64, host.allocator.context);
  check(memory != nullptr, "the default allocator");
  host.allocator.release(memory, 100, 64, host.allocator.context);

  mat4 matrix;
  mo_to_glm_mat4(&transform, matrix);
  mo_transform back;
  check(mo_from_glm_mat4(matrix, &back) == MO_OK && back.origin.z == 3, "cglm from C++");

  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene = nullptr;
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.transform.origin = {0, 0, 5};
  mo_shape_id id = {};
  check(mo_scene_create(&scene_def, &scene) == MO_OK &&
            mo_scene_add_shape(scene, &shape, &id) == MO_OK,
        "a scene with a sphere");
  mo_ray_def ray = mo_default_ray_def();
  ray.direction = {0, 0, 1};
  mo_ray_hit hit = {};
  check(mo_scene_cast_ray(scene, &ray, &hit, nullptr) == MO_OK && hit.found && hit.t == 4 &&
            hit.shape.index == id.index && hit.shape.generation == id.generation,
        "a ray that hits it");
  mo_scene_destroy(scene);
  std::printf("1..%d\n", count);
  return 0;
}
