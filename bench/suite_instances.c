/* Two levels: many instances of meshes that move each frame, and rays through them.
 *
 * A crowd of unit bodies walks and turns as in workload "walk" of the moving suite; figures of
 * limbs walk by key frames; files of BART have their own key frames and meshes. Each frame every
 * engine moves all instances, then answers the same rays: long ones from anywhere in any direction
 * without an end (one by one, and in one call), short ones a body's width times five, for line of
 * sight twenty, and pictures, whose rays are traced together row by row or in tiles. Before a time
 * is printed, answers are compared; where engines differ by more than rounding, both must be within
 * what a loop over all instances in double precision leaves open. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"
#include "instances_scene.h"
#include "suite.h"

static const bench_metric update_time = {"update", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric wrong_rays = {"wrong_rays", "1/million", BENCH_NEITHER_IS_BETTER};
static const bench_metric batch_time = {"long_batch", "us/ray", BENCH_LESS_IS_BETTER};
static const bench_metric batch_total_time = {"update_and_batch", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric total_time = {"update_and_rays", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric quicker_time = {"update_and_quicker", "ms", BENCH_LESS_IS_BETTER};

enum { KINDS = 5, PICTURE = 20 };

static const struct {
  const char *name;
  bench_mode mode;
  float length;
  bench_distribution picture; /* BENCH_DISTRIBUTIONS for none; of PICTURE times as many rays */
  bench_metric time, hits, shapes, scene_nodes, mesh_nodes;
} kinds[KINDS] = {
#define KIND(label, mode, length, picture)                                                         \
  {                                                                                                \
    label, mode, length, picture, {label, "us/ray", BENCH_LESS_IS_BETTER},                         \
        {label "_hits", "1/ray", BENCH_NEITHER_IS_BETTER},                                         \
        {label "_shapes", "1/ray", BENCH_LESS_IS_BETTER},                                          \
        {label "_scene_nodes", "1/ray", BENCH_LESS_IS_BETTER}, {                                   \
      label "_mesh_nodes", "1/ray", BENCH_LESS_IS_BETTER                                           \
    }                                                                                              \
  }
    KIND("long", BENCH_CLOSEST, INFINITY, BENCH_DISTRIBUTIONS),
    KIND("short", BENCH_CLOSEST, 5, BENCH_DISTRIBUTIONS),
    KIND("sight", BENCH_ANY, 20, BENCH_DISTRIBUTIONS),
    KIND("rows", BENCH_CLOSEST, INFINITY, BENCH_PRIMARY),
    KIND("tiles", BENCH_CLOSEST, INFINITY, BENCH_TILES),
#undef KIND
};

static const bench_metric listing_time[BENCH_LISTINGS] = {
    {"long_all_hits", "us/ray", BENCH_LESS_IS_BETTER},
    {"long_first_4", "us/ray", BENCH_LESS_IS_BETTER},
    {"long_next_x4", "us/ray", BENCH_LESS_IS_BETTER},
};

struct settings {
  uint32_t shapes, figures, frames, rays;
  const char *mesh, *scenes;
  bench_files files;
};

static const char *scene_name(unsigned i) {
  static const char *const names[] = {"crowd", "figures"};
  return i < 2 ? names[i] : NULL;
}

/* Of an engine. */
struct outcome {
  bench_hit *hits[KINDS], *batch; /* of the last frame */
  uint64_t traced, wrong;         /* rays, and of them those whose answer is not right */
};

struct state {
  const struct settings *settings;
  bench_instance_scene *scene;
  bench_ray *rays[KINDS];
  float *listed[2]; /* of the first listing, of another */
};

static const bench_instancer *engine_of(const bench_contender *contender) {
  return (const bench_instancer *)contender->engine;
}

static bool is_picture(int kind) {
  return kinds[kind].picture != BENCH_DISTRIBUTIONS;
}

static size_t count_of(const struct state *state, int kind) {
  return (size_t)state->settings->rays * (is_picture(kind) ? PICTURE : 1);
}

static bool can_trace(const bench_contender *contender, int kind) {
  return !is_picture(kind) || engine_of(contender)->trace_together != NULL;
}

static void make_rays(struct state *state, uint64_t seed) {
  const bench_instance_scene *scene = state->scene;
  for (int kind = 0; kind < KINDS; kind++) {
    size_t count = count_of(state, kind);
    if (is_picture(kind) && scene->has_camera) {
      bench_make_picture(state->rays[kind], count, kinds[kind].picture == BENCH_TILES,
                         &scene->camera);
      continue;
    }
    if (is_picture(kind)) {
      const bench_mesh all = {.bounds = scene->world};
      free(state->rays[kind]);
      state->rays[kind] = bench_make_rays(&all, kinds[kind].picture, count, seed);
      continue;
    }
    for (size_t i = 0; i < count; i++) {
      bench_ray *ray = &state->rays[kind][i];
      ray->origin = random_point_in(scene->random, scene->world);
      ray->direction = random_direction(scene->random);
      ray->max_t = kinds[kind].length * scene->unit;
    }
  }
}

/* A ball around an instance; a ray that misses it need not be tested with all triangles. */
static bool may_hit(const bench_mesh *mesh, const mo_transform *t, const bench_ray *ray) {
  mo_vec3 middle = aabb_center(mesh->bounds), half = vec3_scale(0.5f, aabb_size(mesh->bounds));
  mo_vec3 x = vec3_scale(half.x, t->x_axis), y = vec3_scale(half.y, t->y_axis),
          z = vec3_scale(half.z, t->z_axis);
  float radius = 0;
  for (int i = 0; i < 4; i++) {
    mo_vec3 corner = vec3_add(vec3_scale(i & 1 ? 1 : -1, x), vec3_scale(i & 2 ? 1 : -1, y));
    radius = fmaxf(radius, vec3_length(vec3_add(corner, z)));
  }
  mo_vec3 center =
      vec3_add(vec3_add(vec3_scale(middle.x, t->x_axis), vec3_scale(middle.y, t->y_axis)),
               vec3_add(vec3_scale(middle.z, t->z_axis), t->origin));
  mo_vec3 away = vec3_sub(center, ray->origin);
  float along = fminf(fmaxf(vec3_dot(away, ray->direction), 0), ray->max_t);
  float distance = vec3_length(vec3_sub(away, vec3_scale(along, ray->direction)));
  return distance <= 1.001f * radius + 1e-5f * vec3_length(away);
}

static bench_truth find_truth(const struct state *state, const bench_ray *ray) {
  const bench_instances *instances = &state->scene->instances;
  bench_truth truth = {INFINITY, INFINITY};
  for (uint32_t i = 0; i < instances->count; i++) {
    const bench_mesh *mesh = instances->meshes[instances->mesh_of[i]];
    if (may_hit(mesh, &instances->transforms[i], ray)) {
      bench_truth word = bench_find_truth(mesh, &instances->transforms[i], ray);
      truth.lower = fminf(truth.lower, word.lower);
      truth.upper = fminf(truth.upper, word.upper);
    }
  }
  return truth;
}

static bool agree(float a, float b) {
  return a == b || fabsf(a - b) <= 1e-4f * (1 + a);
}

/* Where a contender does not agree with the first one, and on a few rays in any case, both must be
 * right. */
static void compare(bench_run *run, bench_contender *contender, int kind, const bench_hit *hits) {
  const struct state *state = run->data;
  bench_contender *first = &run->contenders[0];
  const bench_hit *expected = ((const struct outcome *)first->data)->hits[kind];
  struct outcome *outcome = contender->data;
  double tolerated = engine_of(contender)->tolerated;
  outcome->traced += count_of(state, kind);
  for (size_t i = 0; i < count_of(state, kind); i++) {
    bench_hit a = expected[i], b = hits[i];
    const bench_ray *ray = &state->rays[kind][i];
    if (agree(a.t, b.t) && i >= 8) {
      continue;
    }
    bench_truth truth = find_truth(state, ray);
    bool right = bench_truth_allows(truth, ray, kinds[kind].mode, b);
    outcome->wrong += !right;
    if (!bench_truth_allows(truth, ray, kinds[kind].mode, a)) {
      bench_refuse(run, first, "%s ray %zu hits at %.9g; brute force says %.9g to %.9g",
                   kinds[kind].name, i, a.t, truth.lower, truth.upper);
    }
    if (!right && tolerated == 0) {
      bench_refuse(run, contender, "%s ray %zu hits at %.9g; brute force says %.9g to %.9g",
                   kinds[kind].name, i, b.t, truth.lower, truth.upper);
    }
  }
  if ((double)outcome->wrong > 1 + tolerated * (double)outcome->traced) {
    bench_refuse(run, contender, "%llu of %llu rays are wrong", (unsigned long long)outcome->wrong,
                 (unsigned long long)outcome->traced);
  }
}

static void check_answers(bench_run *run, uint32_t frame) {
  (void)frame;
  for (size_t c = 0; c < run->count; c++) {
    bench_contender *contender = &run->contenders[c];
    const struct outcome *outcome = contender->data;
    for (int kind = 0; kind < KINDS; kind++) {
      if (bench_is_active(contender) && can_trace(contender, kind) &&
          can_trace(&run->contenders[0], kind) && (c > 0 || run->count == 1)) {
        compare(run, contender, kind, outcome->hits[kind]);
      }
    }
    if (bench_is_active(contender) && engine_of(contender)->trace_batch != NULL) {
      compare(run, contender, 0, outcome->batch);
    }
  }
}

/* All ways to get the first hits give the same. */
static void list_hits(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  size_t count = state->settings->rays;
  for (bench_listing listing = 0; listing < BENCH_LISTINGS; listing++) {
    float *t = state->listed[listing > 0];
    double start = bench_clock();
    engine_of(contender)->list(contender->world, listing, state->rays[0], count, t);
    bench_sample(run, contender, &listing_time[listing],
                 1e6 * (bench_clock() - start) / (double)count);
    for (size_t i = 0; i < BENCH_FIRST * count; i++) {
      if (t[i] != state->listed[0][i]) {
        bench_refuse(run, contender, "%s: hit %zu of ray %zu at %.9g, of all hits at %.9g",
                     listing_time[listing].name, i % BENCH_FIRST, i / BENCH_FIRST, t[i],
                     state->listed[0][i]);
      }
    }
  }
}

/* The long rays again, in one call: as right as one by one, and of the engine with the rounding of
 * its packets. */
static void trace_batch(bench_run *run, bench_contender *contender, double update_seconds) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  size_t count = count_of(state, 0);
  double start = bench_clock();
  engine_of(contender)->trace_batch(contender->world, state->rays[0], count, outcome->batch);
  double taken = bench_clock() - start;
  bench_sample(run, contender, &batch_time, 1e6 * taken / (double)count);
  bench_sample(run, contender, &batch_total_time, 1e3 * (update_seconds + taken));
}

static void measure(bench_run *run, bench_contender *contender, uint32_t frame) {
  (void)frame;
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  const bench_instancer *engine = engine_of(contender);
  double start = bench_clock();
  engine->update(contender->world, &state->scene->instances);
  double update_seconds = bench_clock() - start;
  bench_sample(run, contender, &update_time, 1e3 * update_seconds);
  for (int kind = 0; kind < KINDS; kind++) {
    if (!can_trace(contender, kind)) {
      continue;
    }
    size_t count = count_of(state, kind);
    start = bench_clock();
    (is_picture(kind) ? engine->trace_together : engine->trace)(
        contender->world, kinds[kind].mode, state->rays[kind], count, outcome->hits[kind]);
    double taken = bench_clock() - start;
    if (kind == 0) {
      bench_sample(run, contender, &total_time, 1e3 * (update_seconds + taken));
    }
    bench_sample(run, contender, &kinds[kind].time, 1e6 * taken / (double)count);
  }
  if (engine->trace_batch != NULL) {
    trace_batch(run, contender, update_seconds);
  }
  if (engine->list != NULL) {
    list_hits(run, contender);
  }
}

static void move(bench_run *run, uint32_t frame) {
  struct state *state = run->data;
  bench_instance_scene_step(state->scene, frame, state->settings->frames);
  make_rays(state, run->seed);
}

static void count_kind(bench_run *run, bench_contender *contender, int kind) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  double each = 1.0 / (double)state->settings->rays, hits = 0;
  for (size_t i = 0; i < state->settings->rays; i++) {
    hits += outcome->hits[kind][i].t != INFINITY;
  }
  mo_query_stats stats;
  engine_of(contender)->count_work(contender->world, kinds[kind].mode, state->rays[kind],
                                   state->settings->rays, &stats);
  bench_count(run, contender, &kinds[kind].hits, hits * each);
  bench_count(run, contender, &kinds[kind].shapes, (double)stats.shape_count * each);
  bench_count(run, contender, &kinds[kind].scene_nodes,
              (double)(stats.scene_node_count + stats.scene_block_count) * each);
  bench_count(run, contender, &kinds[kind].mesh_nodes, (double)stats.mesh_node_count * each);
}

static void count_work(bench_run *run, bench_contender *contender) {
  const struct outcome *outcome = contender->data;
  bool has_batch = engine_of(contender)->trace_batch != NULL;
  /* Each engine's own choice of the two. */
  bool by_batch = has_batch &&
                  bench_median(contender, &batch_total_time) < bench_median(contender, &total_time);
  bench_derive(run, contender, by_batch ? &batch_total_time : &total_time, &quicker_time, 1);
  bench_count(run, contender, &wrong_rays,
              1e6 * (double)outcome->wrong / fmax((double)outcome->traced, 1));
  for (int kind = 0; kind < KINDS; kind++) {
    if (engine_of(contender)->count_work != NULL && !is_picture(kind)) {
      count_kind(run, contender, kind);
    }
  }
}

static void create(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_instancer *engine = engine_of(contender);
  struct outcome *outcome = contender->data;
  *outcome = (struct outcome){.traced = 0};
  contender->world = engine->create(engine, &state->scene->instances);
  if (contender->world == NULL) {
    bench_progress("%s: %s cannot place these instances", run->case_name, engine->id.name);
    contender->sits_out = true;
    return;
  }
  for (int kind = 0; kind < KINDS; kind++) {
    outcome->hits[kind] = allocate(count_of(state, kind), sizeof(bench_hit));
  }
  outcome->batch = allocate(count_of(state, 0), sizeof(bench_hit));
}

static void release(bench_contender *contender) {
  const struct outcome *outcome = contender->data;
  engine_of(contender)->destroy(contender->world);
  for (int kind = 0; kind < KINDS; kind++) {
    free(outcome->hits[kind]);
  }
  free(outcome->batch);
}

/* Takes name and scene over. */
static void run_scene(bench_run *run, char *name, bench_instance_scene *scene) {
  const struct settings *settings = run->settings;
  struct state state = {.settings = settings, .scene = scene};
  run->data = &state;
  for (int i = 0; i < 2; i++) {
    state.listed[i] = allocate(BENCH_FIRST * (size_t)settings->rays, sizeof(float));
  }
  for (int kind = 0; kind < KINDS; kind++) {
    state.rays[kind] = allocate(count_of(&state, kind), sizeof(bench_ray));
  }
  bench_begin(run, name);
  bench_each(run, create);
  bench_play(run, &(bench_rounds){settings->frames, 0, move, measure, check_answers});
  bench_end(run, count_work);
  bench_release_each(run, release);
  for (int kind = 0; kind < KINDS; kind++) {
    free(state.rays[kind]);
  }
  free(state.listed[0]);
  free(state.listed[1]);
  bench_instance_scene_free(scene);
}

static void run_animation(bench_run *run, bench_animation *animation, size_t count) {
  char *name = bench_format("%s/%zu", animation->name, count);
  run_scene(run, name, bench_instance_animation(animation, run->seed));
}

/* Files alone, if there are any. */
static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  for (size_t i = 0; i < settings->files.count && !bench_interrupted(); i++) {
    bench_animation *animation = bench_animation_read(settings->files.path[i]);
    run_animation(run, animation, animation->part_count);
  }
  if (settings->files.count == 0 && bench_list_has(settings->scenes, "crowd", true)) {
    bench_mesh *mesh = bench_load_or_generate(settings->mesh, 144);
    char *name = bench_format("%u/%s", settings->shapes, mesh->name);
    run_scene(run, name, bench_instance_crowd(mesh, settings->shapes, run->seed));
  }
  if (settings->files.count == 0 && bench_list_has(settings->scenes, "figures", true) &&
      !bench_interrupted()) {
    run_animation(run, bench_animation_generate(settings->figures, run->seed), settings->figures);
  }
}

/* Files are read before any suite measures. */
static void check_settings(const void *opaque) {
  const struct settings *settings = opaque;
  for (size_t i = 0; i < settings->files.count; i++) {
    bench_animation_free(bench_animation_read(settings->files.path[i]));
  }
}

static const bench_option options[] = {
    {"scene", "LIST", "without --aff; of", BENCH_LIST, .offset = offsetof(struct settings, scenes),
     .name_at = scene_name},
    {"aff", "FILE", "an animated scene of BART, instead of these; may be repeated", BENCH_FILES,
     .offset = offsetof(struct settings, files)},
    {"figures", "N", "how many figures, of fifteen limbs", BENCH_COUNT,
     .offset = offsetof(struct settings, figures), .initial = "100", .quick = "10", .min = 1,
     .max = 2000},
    {"shapes", "N", "how many instances are a crowd", BENCH_COUNT,
     .offset = offsetof(struct settings, shapes), .initial = "10000", .quick = "500", .min = 1,
     .max = 1e7},
    {"rays", "N", "rays of each kind per frame", BENCH_COUNT,
     .offset = offsetof(struct settings, rays), .initial = "10000", .quick = "500", .min = 1,
     .max = 1e8},
    {"frames", "F", "frames of motion", BENCH_COUNT, .offset = offsetof(struct settings, frames),
     .initial = "10", .quick = "4", .min = 1, .max = 1e6},
    {"mesh", "FILE", "the mesh of the crowd, else 5,184 triangles are generated", BENCH_TEXT,
     .offset = offsetof(struct settings, mesh)},
    {0},
};

const bench_suite bench_suite_instances = {
    .name = "instances",
    .summary = "rays through instances that move",
    .purpose = "Moves instances of meshes, then casts rays through them.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_motte_instancers[0].id,
    .engine_size = sizeof(bench_instancer),
    .chosen_engines = "motte",
    .peers = bench_instances_peers,
    .contender_size = sizeof(struct outcome),
    .check_settings = check_settings,
    .run = run_all,
    .headlines = "update,long,short,tiles",
};
