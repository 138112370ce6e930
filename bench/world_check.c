/* Answers about moving bodies against loops over all of them. */
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "rays.h"
#include "world.h"

enum { BODIES = 8192 };

static bool overlap(mo_aabb a, mo_aabb b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static mo_aabb cube(const bench_body *body) {
  mo_vec3 c = body->center;
  float h = body->half;
  return (mo_aabb){{c.x - h, c.y - h, c.z - h}, {c.x + h, c.y + h, c.z + h}};
}

/* The engine's boxes decide for meshes: how tight they are is its own business. */
static void check_box(const bench_world_engine *engine, void *world, const bench_mesh *mesh,
                      const bench_workload *workload, const bench_query *query,
                      const char *case_name) {
  uint32_t *found = allocate(BODIES, sizeof *found);
  bool *listed = allocate(workload->count, sizeof *listed);
  uint32_t total = engine->overlap(world, query->box, found, BODIES);
  uint32_t known = total < BODIES ? total : BODIES;
  for (uint32_t i = 0; i < known; i++) {
    if (listed[found[i]]) {
      fail("%s: %s: body %u is reported twice", case_name, engine->id.name, found[i]);
    }
    listed[found[i]] = true;
  }
  uint32_t expected = 0;
  for (uint32_t i = 0; i < workload->count; i++) {
    mo_aabb box = mesh != NULL ? engine->bounds(world, i) : cube(&workload->bodies[i]);
    bool touches = overlap(box, query->box);
    expected += touches;
    if (known == total && touches != listed[i]) {
      fail("%s: %s: body %u %s", case_name, engine->id.name, i,
           touches ? "is missing" : "does not touch the box");
    }
  }
  if (expected != total) {
    fail("%s: %s: %u bodies found, %u expected", case_name, engine->id.name, total, expected);
  }
  free(found);
  free(listed);
}

/* Where a ray enters a cube, for certain or perhaps: one shrunk and one grown by what rounding may
 * do. */
static bench_truth judge_cube(const bench_body *body, const bench_query *query) {
  const double rounding = 1e-4;
  double origin[3] = {query->origin.x, query->origin.y, query->origin.z};
  double direction[3] = {query->direction.x, query->direction.y, query->direction.z};
  double center[3] = {body->center.x, body->center.y, body->center.z};
  double entry[2];
  for (int grown = 0; grown < 2; grown++) {
    double half = body->half + (grown ? rounding : -rounding);
    double enter = 0, leave = query->max_t;
    for (int axis = 0; axis < 3; axis++) {
      double a = (center[axis] - half - origin[axis]) / direction[axis];
      double b = (center[axis] + half - origin[axis]) / direction[axis];
      enter = fmax(enter, fmin(a, b));
      leave = fmin(leave, fmax(a, b));
    }
    entry[grown] = enter <= leave ? enter : INFINITY;
  }
  return (bench_truth){(float)(entry[1] - rounding), (float)(entry[0] + rounding)};
}

/* A ball around the body that the ray misses spares a loop over its triangles. */
static bool may_hit(const bench_body *body, const bench_query *query) {
  double x = (double)body->center.x - query->origin.x, y = (double)body->center.y - query->origin.y,
         z = (double)body->center.z - query->origin.z;
  double along = x * query->direction.x + y * query->direction.y + z * query->direction.z;
  along = fmin(fmax(along, 0), query->max_t);
  x -= along * query->direction.x;
  y -= along * query->direction.y;
  z -= along * query->direction.z;
  return sqrt(x * x + y * y + z * z) <= 1.8 * body->half; /* a cube's corner is at 1.74 */
}

static bench_truth judge_body(const bench_mesh *mesh, const bench_body *body,
                              const bench_query *query) {
  if (!may_hit(body, query)) {
    return (bench_truth){INFINITY, INFINITY};
  }
  if (mesh == NULL) {
    return judge_cube(body, query);
  }
  mo_transform transform = bench_body_transform(body);
  bench_ray ray = {query->origin, query->direction, query->max_t};
  return bench_find_truth(mesh, &transform, &ray);
}

static void check_ray(const bench_world_engine *engine, void *world, const bench_mesh *mesh,
                      const bench_workload *workload, const bench_query *query,
                      const char *case_name) {
  bench_answer closest, all;
  engine->query(world, BENCH_RAY, query, 1, &closest);
  engine->query(world, BENCH_RAY_ALL, query, 1, &all);
  bench_truth truth = {INFINITY, INFINITY};
  uint32_t surely = 0, perhaps = 0;
  for (uint32_t i = 0; i < workload->count; i++) {
    bench_truth word = judge_body(mesh, &workload->bodies[i], query);
    truth.lower = fminf(truth.lower, word.lower);
    truth.upper = fminf(truth.upper, word.upper);
    surely += word.upper != INFINITY;
    perhaps += word.lower != INFINITY;
  }
  bench_ray ray = {query->origin, query->direction, query->max_t};
  if (!bench_truth_allows(truth, &ray, BENCH_CLOSEST, (bench_hit){closest.t, 0})) {
    fail("%s: %s: ray from %.9g %.9g %.9g by %.9g %.9g %.9g: hit at %.9g; brute force says %.9g to "
         "%.9g",
         case_name, engine->id.name, query->origin.x, query->origin.y, query->origin.z,
         query->direction.x, query->direction.y, query->direction.z, closest.t, truth.lower,
         truth.upper);
  }
  if (all.t != closest.t) {
    fail("%s: %s: the first of all hits is at %.9g, the closest at %.9g", case_name,
         engine->id.name, all.t, closest.t);
  }
  /* A ray meets a solid once, and a surface as often as it likes. */
  if (all.total < surely || (mesh == NULL && all.total > perhaps)) {
    fail("%s: %s: %u hits on a ray; brute force says %u to %u", case_name, engine->id.name,
         all.total, surely, perhaps);
  }
}

void bench_world_check(const bench_world_engine *engine, void *world, const bench_mesh *mesh,
                       const bench_workload *workload, const bench_query *queries, size_t count,
                       const char *case_name) {
  for (size_t i = 0; i < count; i++) {
    check_box(engine, world, mesh, workload, &queries[i], case_name);
    check_ray(engine, world, mesh, workload, &queries[i], case_name);
  }
}
