/* Motte's scenes with a pair tracker. */
#include <math.h>
#include <motte/overlap.h>
#include <motte/pair_tracker.h>
#include <stdlib.h>

#include "broad.h"
#include "common/check.h"

typedef struct variant {
  mo_tree_policy policy;
} variant;

typedef struct world {
  mo_scene *scene;
  mo_task_pool *pool; /* null: one worker */
  mo_pair_tracker *tracker;
  bool resize;
  uint32_t count, mover_count;
  uint64_t events;   /* of the last search */
  mo_shape_id *ids;  /* by body */
  uint32_t *body_of; /* by slot */
  uint32_t *movers;
  mo_shape_id *moved;
  mo_transform *transforms;
  mo_vec3 *origins;
  mo_shape_def *defs;
  mo_shape_id *found;
  mo_ray_hit *hits;
} world;

enum { FOUND = 65536 }; /* room for answers */

/* The size is in the geometry, or, where it changes, in the transform. */
static mo_shape_def define(const world *self, const bench_box *box) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.transform.origin = box->center;
  if (self->resize) {
    def.transform.x_axis.x = box->half.x;
    def.transform.y_axis.y = box->half.y;
    def.transform.z_axis.z = box->half.z;
  } else {
    def.geometry.box.half_extents = box->half;
  }
  return def;
}

static void remember(world *self, uint32_t body, mo_shape_id id) {
  if (id.index >= self->count) {
    fail("a shape got slot %u though only %u live", id.index, self->count);
  }
  self->ids[body] = id;
  self->body_of[id.index] = body;
}

static void *create(const bench_broad_engine *engine, const bench_boxes *boxes) {
  world *self = allocate(1, sizeof *self);
  uint32_t count = boxes->count;
  self->count = count;
  self->resize = boxes->resize;
  self->ids = allocate(count, sizeof *self->ids);
  self->body_of = allocate(count, sizeof *self->body_of);
  self->movers = allocate(count, sizeof *self->movers);
  self->moved = allocate(count, sizeof *self->moved);
  self->transforms = allocate(count, sizeof *self->transforms);
  self->origins = allocate(count, sizeof *self->origins);
  self->defs = allocate(count, sizeof *self->defs);
  self->found = allocate(FOUND, sizeof *self->found);
  self->hits = allocate(FOUND, sizeof *self->hits);
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = ((const variant *)engine->variant)->policy;
  if (engine->workers > 1) {
    check(mo_task_pool_create(NULL, engine->workers, &self->pool), "start threads");
    def.host.tasks = mo_task_pool_tasks(self->pool);
  }
  check(mo_scene_create(&def, &self->scene), "make a scene");
  check(mo_pair_tracker_create(self->scene, NULL, &self->tracker), "make a pair tracker");
  for (uint32_t i = 0; i < count; i++) {
    self->defs[i] = define(self, &boxes->all[i]);
  }
  check(mo_scene_add_shapes(self->scene, self->defs, count, self->ids, NULL), "add shapes");
  check(mo_scene_update(self->scene, NULL), "update a scene");
  check(mo_pair_tracker_update(self->tracker, NULL), "find pairs");
  for (uint32_t i = 0; i < count; i++) {
    remember(self, i, self->ids[i]);
  }
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  mo_pair_tracker_destroy(self->tracker);
  mo_scene_destroy(self->scene);
  mo_task_pool_destroy(self->pool);
  free(self->ids);
  free(self->body_of);
  free(self->movers);
  free(self->moved);
  free(self->transforms);
  free(self->origins);
  free(self->defs);
  free(self->found);
  free(self->hits);
  free(self);
}

static void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count,
                    bool replace) {
  world *self = opaque;
  self->mover_count = count;
  for (uint32_t k = 0; k < count; k++) {
    self->movers[k] = movers[k];
    self->moved[k] = self->ids[movers[k]];
    if (replace) {
      self->defs[k] = define(self, &boxes[k]);
    } else if (self->resize) {
      self->transforms[k] = define(self, &boxes[k]).transform;
    } else {
      self->origins[k] = boxes[k].center;
    }
  }
}

static void update(void *opaque, bool replace) {
  world *self = opaque;
  if (replace) {
    check(mo_scene_remove_shapes(self->scene, self->moved, self->mover_count, NULL),
          "remove shapes");
    check(mo_scene_add_shapes(self->scene, self->defs, self->mover_count, self->moved, NULL),
          "add shapes");
    for (uint32_t k = 0; k < self->mover_count; k++) {
      remember(self, self->movers[k], self->moved[k]);
    }
    check(mo_scene_update(self->scene, NULL), "update a scene");
    return;
  }
  mo_update_def def = mo_default_update_def();
  def.ids = self->moved;
  if (self->resize) {
    def.transforms = self->transforms;
  } else {
    def.origins = self->origins;
  }
  def.count = self->mover_count;
  check(mo_scene_update(self->scene, &def), "move shapes");
}

static void find(void *opaque) {
  world *self = opaque;
  mo_pair_events events;
  check(mo_pair_tracker_update(self->tracker, &events), "find pairs");
  self->events = (uint64_t)events.begin_count + events.end_count;
}

static uint64_t count_events(void *opaque) {
  world *self = opaque;
  return self->events;
}

static void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  world *self = opaque;
  uint64_t count = mo_pair_tracker_pair_count(self->tracker);
  uint32_t total;
  mo_pair *all = allocate(count + 1, sizeof *all);
  check(mo_pair_tracker_get_pairs(self->tracker, all, (uint32_t)count, &total), "read pairs");
  for (uint64_t i = 0; i < total; i++) {
    visit(self->body_of[all[i].a.index], self->body_of[all[i].b.index], context);
  }
  free(all);
}

static bench_finding ask_box(const world *self, const bench_probe *probe, mo_shape_id *found) {
  mo_vec3 c = probe->box.center, h = probe->box.half;
  mo_aabb box = {{c.x - h.x, c.y - h.y, c.z - h.z}, {c.x + h.x, c.y + h.y, c.z + h.z}};
  mo_overlap_def def = mo_overlap_aabb_def(box);
  def.precision = MO_PRECISION_BOUNDS;
  bench_finding finding = {.t = INFINITY};
  check(mo_scene_overlap_shapes(self->scene, &def, found, FOUND, &finding.total, NULL),
        "find overlaps");
  for (uint32_t i = 0; i < finding.total && i < FOUND; i++) {
    finding.sum += self->body_of[found[i].index];
  }
  return finding;
}

static bench_finding ask_ray(const world *self, bench_probe_kind kind, const bench_probe *probe,
                             mo_ray_hit *hits) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = probe->origin;
  ray.direction = probe->direction;
  ray.max_t = probe->max_t;
  bench_finding finding = {.t = INFINITY};
  if (kind == BENCH_PROBE_CLOSEST) {
    check(mo_scene_cast_ray(self->scene, &ray, hits, NULL), "cast a ray");
    finding.total = hits->found;
  } else {
    check(mo_scene_cast_ray_all(self->scene, &ray, hits, FOUND, &finding.total, NULL),
          "cast a ray");
    for (uint32_t i = 0; i < finding.total && i < FOUND; i++) {
      finding.sum += self->body_of[hits[i].shape.index];
    }
  }
  finding.t = finding.total > 0 ? hits[0].t : INFINITY;
  return finding;
}

static void query(void *opaque, bench_probe_kind kind, const bench_probe *probes, size_t count,
                  bench_finding *findings) {
  world *self = opaque;
  for (size_t i = 0; i < count; i++) {
    findings[i] = kind == BENCH_PROBE_BOX ? ask_box(self, &probes[i], self->found)
                                          : ask_ray(self, kind, &probes[i], self->hits);
  }
}

/* Movers by slot, and how many leaf cells have one. */
typedef struct tally {
  const bool *moved;
  uint32_t leaves;
} tally;

static bool count_leaf(const mo_cell *cell, void *context) {
  tally *self = context;
  bool has_mover = false;
  for (uint32_t i = 0; i < cell->occupant_count && !has_mover; i++) {
    has_mover = self->moved[cell->occupants[i].index];
  }
  self->leaves += has_mover;
  return true;
}

static uint32_t count_leaves_of_movers(world *self) {
  if (self->mover_count == 0) {
    return 0;
  }
  const float far = MO_MAX_COORDINATE;
  mo_cell_query_def everywhere = mo_default_cell_query_def();
  everywhere.box = (mo_aabb){{-far, -far, -far}, {far, far, far}};
  everywhere.scratch = self->found;
  everywhere.scratch_capacity = FOUND;
  bool *moved = allocate(self->count, sizeof *moved);
  for (uint32_t k = 0; k < self->mover_count; k++) {
    moved[self->moved[k].index] = true;
  }
  tally all = {.moved = moved};
  bool complete;
  check(mo_scene_visit_cells(self->scene, &everywhere, count_leaf, &all, &complete, NULL),
        "visit the cells");
  free(moved);
  return all.leaves;
}

static void describe(void *opaque, bench_broad_figures *figures) {
  world *self = opaque;
  mo_scene_stats scene;
  mo_pair_tracker_stats tracker;
  check(mo_scene_get_stats(self->scene, &scene), "read statistics");
  check(mo_pair_tracker_get_stats(self->tracker, &tracker), "read statistics");
  double depths = 0;
  for (int depth = 0; depth <= MO_SCENE_MAX_DEPTH; depth++) {
    depths += (double)depth * scene.shape_count_at_depth[depth];
  }
  *figures = (bench_broad_figures){
      .tree_bytes = (double)scene.tree_bytes,
      .set_bytes = (double)tracker.set_bytes,
      .depth = depths / self->count,
      .stays = (double)scene.stayed_move_count,
      .reinserts = (double)scene.reinsert_count,
      .splits = (double)scene.split_count,
      .merges = (double)scene.merge_count,
      .replans = (double)scene.replan_count,
      .leaves_of_movers = count_leaves_of_movers(self),
      .whole_searches = (double)tracker.whole_search_count,
  };
}

#define ENGINE(label, which)                                                                       \
  {                                                                                                \
    .id = {label, NULL}, .variant = &(const variant){.policy = which}, .create = create,           \
    .destroy = destroy, .prepare = prepare, .update = update, .find = find,                        \
    .events = count_events, .pairs = list_pairs, .query = query, .knows_rays = true,               \
    .describe = describe,                                                                          \
  }

const bench_broad_engine bench_broad_motte[] = {
    ENGINE("motte", MO_TREE_IRREGULAR),
    ENGINE("motte-loose", MO_TREE_LOOSE),
    {.id = {NULL, NULL}},
};
