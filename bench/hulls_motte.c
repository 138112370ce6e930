/* Hulls and queries of two hulls, by Motte. */
#include <math.h>
#include <motte/motte.h>
#include <stdlib.h>

#include "common/check.h"
#include "hulls.h"

typedef struct world {
  mo_hull **hulls;
  uint32_t count;
} world;

static mo_hull *make(const mo_vec3 *points, uint32_t count) {
  mo_hull_def def = mo_default_hull_def();
  mo_hull *hull;
  def.positions = points;
  def.position_count = count;
  check(mo_hull_create(&def, &hull), "create a hull");
  return hull;
}

static void *create(const bench_cloud *cloud) {
  return make(cloud->points, cloud->count);
}

static void destroy(void *hull) {
  mo_hull_release(hull);
}

static uint32_t get_vertices(const void *hull, mo_vec3 *vertices) {
  uint32_t count;
  check(mo_hull_get_vertices(hull, NULL, 0, &count), "count vertices");
  check(mo_hull_get_vertices(hull, vertices, count, NULL), "copy vertices");
  return count;
}

static void *load(bench_mesh *const *hulls, uint32_t count) {
  world *self = allocate(1, sizeof *self);
  self->count = count;
  self->hulls = allocate(count, sizeof *self->hulls);
  for (uint32_t i = 0; i < count; i++) {
    self->hulls[i] = make(hulls[i]->triangles.positions, hulls[i]->triangles.vertex_count);
  }
  return self;
}

static void unload(void *opaque) {
  world *self = opaque;
  for (uint32_t i = 0; i < self->count; i++) {
    mo_hull_release(self->hulls[i]);
  }
  free(self->hulls);
  free(self);
}

static bool can(bench_hull_query query) {
  (void)query;
  return true;
}

static bench_hull_answer answer_of(const mo_primitive *a, const mo_primitive *b,
                                   bench_hull_query query) {
  bench_hull_answer answer = {.touches = false};
  if (query == BENCH_HULL_TOUCH) {
    check(mo_primitive_overlap(a, b, &answer.touches), "test two hulls");
  } else if (query == BENCH_HULL_DISTANCE) {
    mo_primitive_distance found;
    check(mo_primitive_find_distance(a, b, INFINITY, &found), "find a distance");
    answer = (bench_hull_answer){.touches = found.distance <= 0, .distance = found.distance};
  } else {
    mo_manifold manifold;
    mo_collide_def def = mo_default_collide_def();
    check(mo_collide(a, b, &def, &manifold), "find contacts");
    answer = (bench_hull_answer){.touches = manifold.touching, .points = manifold.point_count};
  }
  return answer;
}

static void run(void *opaque, bench_hull_query query, const bench_hull_pair *pairs, size_t count,
                bench_hull_answer *answers) {
  const world *self = opaque;
  const mo_transform origin = mo_transform_identity();
  mo_geometry a = {.type = MO_SHAPE_HULL}, b = a;
  for (size_t i = 0; i < count; i++) {
    const bench_hull_pair *pair = &pairs[i];
    const mo_transform place =
        mo_transform_make(pair->translation, pair->rotation, (mo_vec3){1, 1, 1});
    a.hull = self->hulls[pair->a];
    b.hull = self->hulls[pair->b];
    const mo_primitive p = mo_primitive_of_geometry(&a, &origin);
    const mo_primitive q = mo_primitive_of_geometry(&b, &place);
    answers[i] = answer_of(&p, &q, query);
  }
}

const bench_hull_engine bench_hull_motte[] = {
    {{"motte", NULL}, create, destroy, get_vertices, load, unload, can, run, 1e-6},
    {.id = {NULL, NULL}},
};
