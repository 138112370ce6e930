#include "instances_scene.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"
#include "world.h"

/* What part of an animation a ray is long whose length is one. */
#define UNITS 50

static void allocate_instances(bench_instances *instances, uint32_t meshes, uint32_t count) {
  instances->meshes = allocate(meshes, sizeof *instances->meshes);
  instances->deforms = allocate(meshes, sizeof *instances->deforms);
  instances->mesh_of = allocate(count, sizeof *instances->mesh_of);
  instances->transforms = allocate(count, sizeof *instances->transforms);
  instances->mesh_count = meshes;
  instances->count = count;
}

static void place_crowd(bench_instance_scene *scene) {
  for (uint32_t i = 0; i < scene->instances.count; i++) {
    scene->instances.transforms[i] = bench_body_transform(&scene->workload->bodies[i]);
  }
}

bench_instance_scene *bench_instance_crowd(bench_mesh *mesh, uint32_t count, uint64_t seed) {
  bench_instance_scene *scene = allocate(1, sizeof *scene);
  scene->mesh = mesh;
  bench_mesh_normalise(mesh);
  scene->workload = bench_workload_create(&bench_recipes[0], count, true, seed);
  scene->random = &scene->workload->random;
  allocate_instances(&scene->instances, 1, count);
  scene->instances.meshes[0] = mesh;
  float half = (float)scene->workload->world / 2;
  scene->world = (mo_aabb){{-half, -half, -half}, {half, half, half}};
  scene->unit = 1;
  place_crowd(scene);
  return scene;
}

static mo_aabb find_world(const bench_instances *instances) {
  mo_aabb world = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t i = 0; i < instances->count; i++) {
    const mo_transform *t = &instances->transforms[i];
    for (unsigned k = 0; k < 8; k++) {
      mo_vec3 p = aabb_corner(instances->meshes[instances->mesh_of[i]]->bounds, k);
      p = vec3_add(vec3_add(vec3_scale(p.x, t->x_axis), vec3_scale(p.y, t->y_axis)),
                   vec3_add(vec3_scale(p.z, t->z_axis), t->origin));
      world = aabb_with_point(world, p);
    }
  }
  return world;
}

static void place_animation(bench_instance_scene *scene, double time) {
  bench_animation_pose(scene->animation, time, scene->instances.transforms);
  bench_animation_deform(scene->animation, time);
  scene->camera = bench_animation_camera(scene->animation, time);
}

bench_instance_scene *bench_instance_animation(bench_animation *animation, uint64_t seed) {
  bench_instance_scene *scene = allocate(1, sizeof *scene);
  bench_instances *instances = &scene->instances;
  scene->animation = animation;
  scene->own_random = random_from_seed(seed);
  scene->random = &scene->own_random;
  scene->has_camera = true;
  allocate_instances(instances, (uint32_t)animation->mesh_count, (uint32_t)animation->part_count);
  for (uint32_t i = 0; i < instances->mesh_count; i++) {
    instances->meshes[i] = animation->meshes[i].mesh;
    instances->deforms[i] = animation->meshes[i].pose_of != NULL;
  }
  for (uint32_t i = 0; i < instances->count; i++) {
    instances->mesh_of[i] = animation->parts[i].mesh;
  }
  place_animation(scene, animation->start);
  scene->world = find_world(instances);
  scene->unit = vec3_length(aabb_size(scene->world)) / UNITS;
  return scene;
}

void bench_instance_scene_step(bench_instance_scene *scene, uint32_t frame, uint32_t frames) {
  if (scene->animation == NULL) {
    bench_workload_step(scene->workload);
    place_crowd(scene);
    return;
  }
  double start = scene->animation->start, end = scene->animation->end;
  place_animation(scene, start + (end - start) * (frame + 1) / frames);
}

void bench_instance_scene_free(bench_instance_scene *scene) {
  free(scene->instances.meshes);
  free(scene->instances.deforms);
  free(scene->instances.mesh_of);
  free(scene->instances.transforms);
  bench_mesh_free(scene->mesh);
  if (scene->animation != NULL) {
    bench_animation_free(scene->animation);
  } else {
    bench_workload_destroy(scene->workload);
  }
  free(scene);
}
