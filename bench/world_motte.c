/* Motte's three placement policies, and the reference traversals of the shape octree. */
#include <math.h>
#include <motte/overlap.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "reference/reference.h"
#include "timing.h"
#include "world.h"

enum { SHAPES = 8192, HITS = 1024 };

typedef struct variant {
  mo_tree_policy policy;
  reference_traversal traversal; /* of rays */
} variant;

typedef struct instance {
  mo_scene *scene;
  mo_task_pool *pool; /* null: one worker */
  reference_traversal traversal;
  mo_mesh *mesh; /* null for cubes */
  uint32_t count;
  mo_shape_id *ids;   /* by body */
  uint32_t *body_of;  /* by slot */
  mo_shape_id *moved; /* what the next update does */
  mo_transform *transforms;
  mo_shape_def *defs;
  uint32_t *movers;
  uint32_t moved_count;
  mo_shape_id shapes[SHAPES];
  mo_ray_hit hits[HITS];
} instance;

mo_transform bench_body_transform(const bench_body *body) {
  return mo_transform_make(body->center, body->rotation,
                           (mo_vec3){body->half, body->half, body->half});
}

/* Cubes keep their size in the geometry, so that their coordinates stay exact. */
static mo_transform place(const instance *self, const bench_body *body) {
  if (self->mesh != NULL) {
    return bench_body_transform(body);
  }
  mo_transform transform = mo_transform_identity();
  transform.origin = body->center;
  return transform;
}

static mo_shape_def define(const instance *self, const bench_body *body, uint32_t index) {
  mo_shape_def def = mo_default_shape_def(self->mesh != NULL ? MO_SHAPE_MESH : MO_SHAPE_BOX);
  if (self->mesh != NULL) {
    def.geometry.mesh = self->mesh;
  } else {
    def.geometry.box.center = (mo_vec3){0, 0, 0};
    def.geometry.box.half_extents = (mo_vec3){body->half, body->half, body->half};
  }
  def.transform = place(self, body);
  def.user_data = index;
  return def;
}

/* Slots are reused, so as many as there are bodies are enough. */
static void remember(instance *self, uint32_t body, mo_shape_id id) {
  if (id.index >= self->count) {
    fail("a shape got slot %u though only %u live", id.index, self->count);
  }
  self->ids[body] = id;
  self->body_of[id.index] = body;
}

static void *create(const bench_world_engine *engine, const bench_mesh *mesh,
                    const bench_body *bodies, uint32_t count, double *seconds) {
  instance *self = allocate(1, sizeof *self);
  self->count = count;
  self->ids = allocate(count, sizeof *self->ids);
  self->body_of = allocate(count, sizeof *self->body_of);
  self->moved = allocate(count, sizeof *self->moved);
  self->movers = allocate(count, sizeof *self->movers);
  self->transforms = allocate(count, sizeof *self->transforms);
  self->defs = allocate(count, sizeof *self->defs);
  if (mesh != NULL) {
    mo_mesh_def def = bench_mesh_def(mesh);
    check(mo_mesh_create(&def, &self->mesh), "build a mesh");
  }
  const variant *chosen = engine->variant;
  self->traversal = chosen->traversal;
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = chosen->policy;
  uint32_t workers = engine->workers;
  if (workers > 1) {
    check(mo_task_pool_create(NULL, workers, &self->pool), "start threads");
    def.host.tasks = mo_task_pool_tasks(self->pool);
  }
  check(mo_scene_create(&def, &self->scene), "make a scene");
  for (uint32_t i = 0; i < count; i++) {
    self->defs[i] = define(self, &bodies[i], i);
  }
  double start = bench_clock_of(workers);
  check(mo_scene_add_shapes(self->scene, self->defs, count, self->ids, NULL), "add shapes");
  check(mo_scene_update(self->scene, NULL), "update a scene");
  *seconds = bench_clock_of(workers) - start;
  for (uint32_t i = 0; i < count; i++) {
    remember(self, i, self->ids[i]);
  }
  return self;
}

static void destroy(void *opaque) {
  instance *self = opaque;
  mo_scene_destroy(self->scene);
  mo_task_pool_destroy(self->pool);
  mo_mesh_release(self->mesh);
  free(self->ids);
  free(self->body_of);
  free(self->moved);
  free(self->movers);
  free(self->transforms);
  free(self->defs);
  free(self);
}

static void prepare(void *opaque, const bench_workload *workload) {
  instance *self = opaque;
  self->moved_count = workload->mover_count;
  for (uint32_t k = 0; k < workload->mover_count; k++) {
    uint32_t body = workload->movers[k];
    self->movers[k] = body;
    self->moved[k] = self->ids[body];
    self->transforms[k] = place(self, &workload->bodies[body]);
    if (bench_replaces(workload->recipe.motion)) {
      self->defs[k] = define(self, &workload->bodies[body], body);
    }
  }
}

static void update(void *opaque, bool replace) {
  instance *self = opaque;
  mo_result result;
  mo_update_def def = mo_default_update_def();
  if (replace) {
    result = mo_scene_remove_shapes(self->scene, self->moved, self->moved_count, NULL);
    if (result == MO_OK) {
      result = mo_scene_add_shapes(self->scene, self->defs, self->moved_count, self->moved, NULL);
    }
    for (uint32_t k = 0; k < self->moved_count && result == MO_OK; k++) {
      remember(self, self->movers[k], self->moved[k]);
    }
  } else {
    def.ids = self->moved;
    def.transforms = self->transforms;
    def.count = self->moved_count;
    result = MO_OK;
  }
  if (result == MO_OK) {
    result = mo_scene_update(self->scene, &def);
  }
  check(result, "move shapes");
}

static mo_result query_box(instance *self, const bench_query *query, bench_answer *answer,
                           mo_query_stats *stats) {
  mo_overlap_def def = mo_overlap_aabb_def(query->box);
  def.precision = MO_PRECISION_BOUNDS;
  answer->t = INFINITY;
  return mo_scene_overlap_shapes(self->scene, &def, self->shapes, SHAPES, &answer->total, stats);
}

static mo_ray_def ray_of(const bench_query *query) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = query->origin;
  ray.direction = query->direction;
  ray.max_t = query->max_t;
  return ray;
}

static reference_ray reference_of(const instance *self, const mo_ray_def *ray) {
  reference_ray reference = {.ray = mo_default_ray_def()};
  reference.ray = *ray;
  reference.traversal = self->traversal;
  return reference;
}

static mo_result query_ray(instance *self, const bench_query *query, bench_answer *answer,
                           mo_query_stats *stats) {
  mo_ray_def ray = ray_of(query);
  reference_ray reference = reference_of(self, &ray);
  mo_result result = self->traversal == REFERENCE_FAST
                         ? mo_scene_cast_ray(self->scene, &ray, &self->hits[0], stats)
                         : reference_scene_cast_ray(self->scene, &reference, &self->hits[0], stats);
  answer->total = result == MO_OK && self->hits[0].found;
  answer->t = answer->total > 0 ? self->hits[0].t : INFINITY;
  return result;
}

static mo_result query_ray_all(instance *self, const bench_query *query, bench_answer *answer,
                               mo_query_stats *stats) {
  mo_ray_def ray = ray_of(query);
  reference_ray reference = reference_of(self, &ray);
  mo_result result =
      self->traversal == REFERENCE_FAST
          ? mo_scene_cast_ray_all(self->scene, &ray, self->hits, HITS, &answer->total, stats)
          : reference_scene_cast_ray_all(self->scene, &reference, self->hits, HITS, &answer->total,
                                         stats);
  answer->t = result == MO_OK && answer->total > 0 ? self->hits[0].t : INFINITY;
  return result;
}

static void answer_all(instance *self, bench_query_kind kind, const bench_query *queries,
                       size_t count, bench_answer *answers, mo_query_stats *stats) {
  mo_result result = MO_OK;
  bench_answer ignored;
  for (size_t i = 0; i < count && result == MO_OK; i++) {
    bench_answer *answer = answers != NULL ? &answers[i] : &ignored;
    if (kind == BENCH_RAY) {
      result = query_ray(self, &queries[i], answer, stats);
    } else if (kind == BENCH_RAY_ALL) {
      result = query_ray_all(self, &queries[i], answer, stats);
    } else {
      result = query_box(self, &queries[i], answer, stats);
    }
  }
  check(result, "answer a query");
}

static void query(void *opaque, bench_query_kind kind, const bench_query *queries, size_t count,
                  bench_answer *answers) {
  answer_all(opaque, kind, queries, count, answers, NULL);
}

static void count_work(void *opaque, bench_query_kind kind, const bench_query *queries,
                       size_t count, mo_query_stats *stats) {
  memset(stats, 0, sizeof *stats);
  answer_all(opaque, kind, queries, count, NULL, stats);
}

static uint32_t overlap(void *opaque, mo_aabb box, uint32_t *bodies, uint32_t capacity) {
  instance *self = opaque;
  bench_answer answer;
  check(query_box(self, &(bench_query){.box = box}, &answer, NULL), "find overlaps");
  for (uint32_t i = 0; i < answer.total && i < SHAPES && i < capacity; i++) {
    bodies[i] = self->body_of[self->shapes[i].index];
  }
  return answer.total;
}

static mo_aabb bounds(void *opaque, uint32_t body) {
  const instance *self = opaque;
  mo_aabb box;
  check(mo_scene_get_bounds(self->scene, self->ids[body], &box), "read bounds");
  return box;
}

static mo_scene_stats describe(const void *opaque) {
  const instance *self = opaque;
  mo_scene_stats stats;
  check(mo_scene_get_stats(self->scene, &stats), "read scene statistics");
  return stats;
}

#define ENGINE(label, ...)                                                                         \
  {                                                                                                \
    .id = {label, NULL}, .variant = &(const variant){__VA_ARGS__}, .create = create,               \
    .destroy = destroy, .prepare = prepare, .update = update, .query = query,                      \
    .count_work = count_work, .overlap = overlap, .bounds = bounds, .describe = describe,          \
  }

const bench_world_engine bench_motte_worlds[] = {
    ENGINE("motte", .policy = MO_TREE_IRREGULAR),
    ENGINE("motte-loose", .policy = MO_TREE_LOOSE),
    ENGINE("motte-midpoint", .policy = MO_TREE_MIDPOINT),
    ENGINE("motte-planewalk", .traversal = REFERENCE_PLANE_WALK),
    ENGINE("motte-naive", .traversal = REFERENCE_NAIVE),
    {.id = {NULL, NULL}},
};
