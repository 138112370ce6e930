/* Two meshes, by Motte. */
#include <motte/motte.h>

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "pairs.h"

typedef struct world {
  mo_mesh *a, *b;
  float slop;              /* of impacts */
  mo_triangle_pair *pairs; /* all of a pose: it grows as needed */
  uint32_t capacity;
  mo_scene *scene; /* the two as shapes, for contacts */
  mo_pair shapes;
  mo_closest_hit closest[2]; /* of the last pose whose distance was found */
} world;

enum { MAX_CONTACTS = 4096 };

static mo_mesh *make_mesh(const bench_mesh *source) {
  mo_mesh_def def = bench_mesh_def(source);
  def.build.edges = true; /* as contacts want them */
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "create a mesh");
  return mesh;
}

static mo_shape_id add(mo_scene *scene, mo_mesh *mesh) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  mo_shape_id shape;
  def.geometry.mesh = mesh;
  check(mo_scene_add_shape(scene, &def, &shape), "add a mesh");
  return shape;
}

static void *create(const bench_mesh *a, const bench_mesh *b) {
  world *self = allocate(1, sizeof *self);
  *self = (world){.a = NULL};
  self->a = make_mesh(a);
  self->b = a == b ? self->a : make_mesh(b);
  self->capacity = 1024;
  self->pairs = allocate(self->capacity, sizeof *self->pairs);
  self->slop = 1e-4f * (b->bounds.upper.x - b->bounds.lower.x);
  mo_scene_def def = mo_default_scene_def();
  check(mo_scene_create(&def, &self->scene), "create a scene");
  self->shapes.a = add(self->scene, self->a);
  self->shapes.b = add(self->scene, self->b);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  mo_scene_destroy(self->scene);
  if (self->b != self->a) {
    mo_mesh_release(self->b);
  }
  mo_mesh_release(self->a);
  free(self->pairs);
  free(self);
}

static bool can(bench_pair_query query) {
  (void)query;
  return true;
}

static mo_transform place(const bench_pair_pose *pose) {
  return mo_transform_make(pose->translation, pose->rotation, (mo_vec3){1, 1, 1});
}

static bench_pair_answer find_touch(const world *self, const mo_transform *transform) {
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  bench_pair_answer answer = {.found = false};
  def.other = self->b;
  def.other_transform = *transform;
  check(mo_mesh_test_overlap_mesh(self->a, &def, &answer.found, NULL), "test two meshes");
  return answer;
}

/* All pairs are written, as peers store all: with more than there is space for, again. */
static bench_pair_answer list(world *self, const mo_transform *transform) {
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  uint32_t total;
  def.other = self->b;
  def.other_transform = *transform;
  check(mo_mesh_overlap_mesh(self->a, &def, self->pairs, self->capacity, &total, NULL),
        "list pairs");
  if (total > self->capacity) {
    free(self->pairs);
    self->capacity = 2 * total;
    self->pairs = allocate(self->capacity, sizeof *self->pairs);
    check(mo_mesh_overlap_mesh(self->a, &def, self->pairs, self->capacity, &total, NULL),
          "list pairs");
  }
  return (bench_pair_answer){.found = total > 0, .number = total};
}

static bench_pair_answer find_distance(world *self, const bench_pair_pose *pose,
                                       const mo_transform *transform) {
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  const mo_closest_hit start[2] = {self->closest[0], self->closest[1]};
  def.other = self->b;
  def.other_transform = *transform;
  def.start = pose->follows ? start : NULL;
  check(mo_mesh_find_closest_mesh(self->a, &def, self->closest, NULL), "find a distance");
  const double distance = (double)self->closest[0].distance;
  return (bench_pair_answer){.found = distance <= 0, .number = distance};
}

static bench_pair_answer find_depth(const world *self, const mo_transform *transform) {
  mo_separation_mesh_def def = mo_default_separation_mesh_def();
  mo_mesh_separation s;
  def.other = self->b;
  def.other_transform = *transform;
  check(mo_mesh_find_separation_mesh(self->a, &def, &s, NULL), "separate two meshes");
  mo_vec3 t = s.translation;
  if (!s.overlaps || !s.found) {
    return (bench_pair_answer){.found = s.overlaps};
  }
  return (bench_pair_answer){true, sqrt((double)t.x * t.x + (double)t.y * t.y + (double)t.z * t.z),
                             t};
}

static bench_pair_answer find_impact(const world *self, const bench_pair_pose *pose,
                                     const mo_transform *transform) {
  mo_impact_mesh_def def = mo_default_impact_mesh_def();
  mo_impact impact;
  def.other = self->b;
  def.other_transform = *transform;
  def.other_movement =
      (mo_movement){pose->displacement, pose->translation, pose->axis, pose->angle};
  def.impact.slop = self->slop;
  check(mo_mesh_find_impact_mesh(self->a, &def, &impact, NULL), "find an impact");
  return (bench_pair_answer){.found = impact.found, .number = impact.found ? impact.t : 1};
}

/* Those that touch, as nothing is speculative; not more than MAX_CONTACTS of them. */
static bench_pair_answer find_contacts(const world *self, const mo_transform *transform) {
  static mo_contact contacts[MAX_CONTACTS];
  mo_collide_def def = mo_default_collide_def();
  bench_pair_answer answer = {.found = false};
  uint32_t total;
  def.speculative_distance = 0;
  check(mo_scene_set_transform(self->scene, self->shapes.b, transform), "move a mesh");
  check(mo_scene_update(self->scene, NULL), "update a scene");
  check(mo_scene_collide_pair(self->scene, &self->shapes, &def, contacts, MAX_CONTACTS, &total),
        "find contacts");
  for (uint32_t i = 0; i < total && i < MAX_CONTACTS; i++) {
    answer.found |= contacts[i].manifold.touching;
    answer.number += contacts[i].manifold.point_count;
  }
  return answer;
}

static bench_pair_answer answer_of(world *self, bench_pair_query query,
                                   const bench_pair_pose *pose) {
  mo_transform transform = place(pose);
  switch (query) {
  case BENCH_PAIR_TOUCH:
    return find_touch(self, &transform);
  case BENCH_PAIR_LIST:
    return list(self, &transform);
  case BENCH_PAIR_DISTANCE:
    return find_distance(self, pose, &transform);
  case BENCH_PAIR_DEPTH:
    return find_depth(self, &transform);
  case BENCH_PAIR_IMPACT:
    return find_impact(self, pose, &transform);
  case BENCH_PAIR_CONTACTS:
    return find_contacts(self, &transform);
  case BENCH_PAIR_QUERIES:
    break;
  }
  return (bench_pair_answer){.found = false};
}

static void run(void *opaque, bench_pair_query query, const bench_pair_pose *poses, size_t count,
                bench_pair_answer *answers) {
  for (size_t i = 0; i < count; i++) {
    answers[i] = answer_of(opaque, query, &poses[i]);
  }
}

const bench_pair_engine bench_pair_motte[] = {
    {{"motte", NULL}, create, destroy, can, run},
    {.id = {NULL, NULL}},
};
