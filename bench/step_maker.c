/* What scenes of physics steps are made of. */
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"
#include "grow.h"
#include "step_scenes.h"

/* Enlarges one of several arrays of the same capacity. */
static void *grow(void *items, size_t capacity, size_t size) {
  return bench_grow(items, &capacity, size);
}

uint32_t bench_step_add(bench_step_maker *m, bench_piece_kind kind, mo_vec3 half, float mass,
                        mo_vec3 position) {
  bench_step_scene *s = m->scene;
  if (s->count == m->capacity) {
    s->pieces = grow(s->pieces, m->capacity, sizeof *s->pieces);
    s->motion->velocities = grow(s->motion->velocities, m->capacity, sizeof(mo_vec3));
    s->motion->delays = grow(s->motion->delays, m->capacity, sizeof(uint32_t));
    s->start = bench_grow(s->start, &m->capacity, sizeof *s->start);
  }
  s->static_count += mass == 0;
  s->pieces[s->count] = (bench_piece){.kind = kind, .half = half, .mass = mass};
  s->start[s->count] = (bench_pose){position, {0, 0, 0, 1}};
  s->motion->velocities[s->count] = vec3(0, 0, 0);
  s->motion->delays[s->count] = 0;
  return s->count++;
}

uint32_t bench_step_add_hull_body(bench_step_maker *m, uint32_t hull, float mass,
                                  mo_vec3 position) {
  const bench_step_hull *h = &m->scene->hulls[hull];
  float radius = 0;
  for (uint32_t i = 0; i < h->count; i++) {
    radius = fmaxf(radius, vec3_length(h->points[i]));
  }
  uint32_t body = bench_step_add(m, BENCH_PIECE_HULL, vec3(radius, radius, radius), mass, position);
  m->scene->pieces[body].shape = hull;
  return body;
}

uint32_t bench_step_add_mesh_body(bench_step_maker *m, uint32_t mesh, mo_vec3 position) {
  uint32_t body = bench_step_add(m, BENCH_PIECE_MESH, vec3(0, 0, 0), 0, position);
  m->scene->pieces[body].shape = mesh;
  return body;
}

void bench_step_add_joint(bench_step_maker *m, bench_step_joint joint) {
  bench_step_motion *motion = m->scene->motion;
  if (motion->joint_count == m->joint_capacity) {
    motion->joints = bench_grow(motion->joints, &m->joint_capacity, sizeof *motion->joints);
  }
  motion->joints[motion->joint_count++] = joint;
}

void bench_step_add_floor(bench_step_maker *m, float height) {
  bench_step_add(m, BENCH_PIECE_BOX, vec3(1000, 10, 1000), 0, vec3(0, height - 10, 0));
}

uint32_t bench_step_add_hull(bench_step_maker *m, const mo_vec3 *points, uint32_t count) {
  bench_step_scene *s = m->scene;
  if (s->hull_count == m->hull_capacity) {
    s->hulls = bench_grow(s->hulls, &m->hull_capacity, sizeof *s->hulls);
  }
  bench_step_hull *h = &s->hulls[s->hull_count];
  h->points = allocate(count, sizeof *points);
  memcpy(h->points, points, count * sizeof *points);
  h->count = count;
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = count;
  check(mo_hull_create(&def, &h->hull), "make a hull");
  return (uint32_t)s->hull_count++;
}

uint32_t bench_step_add_mesh(bench_step_maker *m, bench_mesh *mesh) {
  bench_step_scene *s = m->scene;
  if (s->mesh_count == m->mesh_capacity) {
    s->meshes = bench_grow(s->meshes, &m->mesh_capacity, sizeof *s->meshes);
  }
  s->meshes[s->mesh_count] = mesh;
  return (uint32_t)s->mesh_count++;
}

mo_quat bench_step_any_rotation(bench_step_maker *m) {
  return quat_around(random_direction(&m->random), random_between(&m->random, 0, 6.2831853f));
}

bench_mesh *bench_step_allocate_mesh(uint32_t vertex_count, uint32_t triangle_count) {
  bench_mesh *mesh = allocate(1, sizeof *mesh);
  struct triangles *t = &mesh->triangles;
  t->vertex_count = vertex_count;
  t->triangle_count = triangle_count;
  t->positions = allocate((size_t)vertex_count + 1, sizeof *t->positions);
  t->indices = allocate(3 * (size_t)triangle_count, sizeof *t->indices);
  return mesh;
}

bench_mesh *bench_step_generate_ground(uint32_t cells, float edge, float (*height)(float, float)) {
  const uint32_t across = cells + 1;
  bench_mesh *mesh = bench_step_allocate_mesh(across * across, 2 * cells * cells);
  struct triangles *t = &mesh->triangles;
  for (uint32_t i = 0; i < t->vertex_count; i++) {
    float x = edge * ((float)(i % across) / (float)cells - 0.5f),
          z = edge * ((float)(i / across) / (float)cells - 0.5f);
    t->positions[i] = vec3(x, height(x, z), z);
  }
  uint32_t *to = t->indices;
  for (uint32_t i = 0; i < cells * cells; i++) {
    uint32_t a = i / cells * across + i % cells, b = a + 1, c = a + across, d = c + 1;
    to = bench_step_triangle(to, a, c, b);
    to = bench_step_triangle(to, b, c, d);
  }
  bench_mesh_find_bounds(mesh);
  return mesh;
}

bench_step_scene *bench_step_scene_create(const bench_step_recipe *recipe, uint32_t bodies,
                                          const bench_step_inputs *inputs, uint64_t seed) {
  bench_step_scene *s = allocate(1, sizeof *s);
  s->motion = allocate(1, sizeof *s->motion);
  s->motion->skipped = recipe->skipped;
  s->motion->substeps = recipe->substeps;
  s->motion->friction = recipe->friction;
  s->motion->restitution = recipe->restitution;
  bench_step_maker maker = {.scene = s, .random = random_from_seed(seed), .inputs = *inputs};
  recipe->place(&maker, bodies);
  return s;
}

void bench_step_scene_destroy(bench_step_scene *scene) {
  for (size_t i = 0; i < scene->hull_count; i++) {
    mo_hull_release(scene->hulls[i].hull);
    free(scene->hulls[i].points);
  }
  for (size_t i = 0; i < scene->mesh_count; i++) {
    bench_mesh_free(scene->meshes[i]);
  }
  free(scene->hulls);
  free(scene->meshes);
  free(scene->pieces);
  free(scene->start);
  free(scene->motion->velocities);
  free(scene->motion->delays);
  free(scene->motion->joints);
  free(scene->motion);
  free(scene->recorded);
  free(scene);
}
