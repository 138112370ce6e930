/* Two meshes, by Motte. */
#include <motte/motte.h>

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "pairs.h"

typedef struct world {
  mo_mesh *a, *b;
  float slop; /* of impacts */
} world;

static mo_mesh *make_mesh(const bench_mesh *source) {
  mo_mesh_def def = bench_mesh_def(source);
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "create a mesh");
  return mesh;
}

static void *create(const bench_mesh *a, const bench_mesh *b) {
  world *self = allocate(1, sizeof *self);
  self->a = make_mesh(a);
  self->b = a == b ? self->a : make_mesh(b);
  self->slop = 1e-4f * (b->bounds.upper.x - b->bounds.lower.x);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  if (self->b != self->a) {
    mo_mesh_release(self->b);
  }
  mo_mesh_release(self->a);
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

static bench_pair_answer list(const world *self, const mo_transform *transform) {
  enum { CAPACITY = 1 << 14 };
  static mo_triangle_pair pairs[CAPACITY];
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  uint32_t total;
  def.other = self->b;
  def.other_transform = *transform;
  check(mo_mesh_overlap_mesh(self->a, &def, pairs, CAPACITY, &total, NULL), "list pairs");
  return (bench_pair_answer){total > 0, total};
}

static bench_pair_answer find_distance(const world *self, const mo_transform *transform) {
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  mo_closest_hit hits[2];
  def.other = self->b;
  def.other_transform = *transform;
  check(mo_mesh_find_closest_mesh(self->a, &def, hits, NULL), "find a distance");
  return (bench_pair_answer){hits[0].distance <= 0, hits[0].distance};
}

static bench_pair_answer find_depth(const world *self, const mo_transform *transform) {
  mo_separation_mesh_def def = mo_default_separation_mesh_def();
  mo_mesh_separation s;
  def.other = self->b;
  def.other_transform = *transform;
  check(mo_mesh_find_separation_mesh(self->a, &def, &s, NULL), "separate two meshes");
  mo_vec3 t = s.translation;
  bool moved = s.overlaps && s.found;
  return (bench_pair_answer){
      s.overlaps, moved ? sqrt((double)t.x * t.x + (double)t.y * t.y + (double)t.z * t.z) : 0};
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
  return (bench_pair_answer){impact.found, impact.found ? impact.t : 1};
}

static bench_pair_answer answer_of(const world *self, bench_pair_query query,
                                   const bench_pair_pose *pose) {
  mo_transform transform = place(pose);
  switch (query) {
  case BENCH_PAIR_TOUCH:
    return find_touch(self, &transform);
  case BENCH_PAIR_LIST:
    return list(self, &transform);
  case BENCH_PAIR_DISTANCE:
    return find_distance(self, &transform);
  case BENCH_PAIR_DEPTH:
    return find_depth(self, &transform);
  case BENCH_PAIR_IMPACT:
    return find_impact(self, pose, &transform);
  case BENCH_PAIR_QUERIES:
    break;
  }
  return (bench_pair_answer){false, 0};
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
