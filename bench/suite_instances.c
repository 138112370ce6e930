/* Two levels: many instances of one mesh, all of which move each frame, and rays through them.
 *
 * Unit bodies walk and turn as in workload "walk" of the moving suite. Each frame every engine
 * moves all instances, then answers the same rays: long ones from anywhere in any direction without
 * an end (one by one, and in one call), short ones a body's width times five, for line of sight
 * twenty, and pictures, whose rays are traced together row by row or in tiles. Before a time is
 * printed, answers are compared; where engines differ by more than rounding, both must be within
 * what a loop over all instances in double precision leaves open. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "instances.h"
#include "interrupt.h"
#include "old_suite.h"
#include "rays.h"
#include "report.h"
#include "text.h"
#include "world.h"

static const bench_metric update_time = {"update", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric wrong_rays = {"wrong_rays", "1/million", BENCH_NO_SENSE};
static const bench_metric batch_time = {"long_batch", "us/ray", BENCH_LESS_IS_BETTER};
static const bench_metric batch_total_time = {"update_and_batch", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric total_time = {"update_and_rays", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric quicker_time = {"update_and_quicker", "ms", BENCH_LESS_IS_BETTER};

enum { MAX_ENGINES = 8, KINDS = 5, PICTURE = 20 };

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
        {label "_hits", "1/ray", BENCH_NO_SENSE},                                                  \
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
  bench_options common;
  uint32_t shapes, frames;
  size_t rays;
  const char *mesh_file;
};

struct contender {
  const bench_instancer *engine;
  void *world;
  double *update, *total, *trace[KINDS], *list[BENCH_LISTINGS];
  double *batch, *batch_total; /* the long rays in one call */
  uint64_t traced, wrong;      /* rays, and of them those whose answer is not right */
};

struct run {
  const struct settings *settings;
  bench_report *report;
  bench_mesh *mesh;
  bench_workload *workload;
  uint32_t frames; /* that have passed */
  mo_transform *transforms;
  struct contender contenders[MAX_ENGINES];
  size_t count;
  bench_ray *rays[KINDS];
  bench_hit *first[KINDS], *hits; /* the first engine's, another's */
  float *listed[2];               /* of the first listing, of another */
};

static bool is_picture(int kind) {
  return kinds[kind].picture != BENCH_DISTRIBUTIONS;
}

static size_t count_of(const struct run *run, int kind) {
  return run->settings->rays * (is_picture(kind) ? PICTURE : 1);
}

static bool can_trace(const bench_instancer *engine, int kind) {
  return !is_picture(kind) || engine->trace_together != NULL;
}

static void make_rays(struct run *run) {
  struct random_stream *random = &run->workload->random;
  float half = (float)run->workload->world / 2;
  mo_aabb world = {{-half, -half, -half}, {half, half, half}};
  for (int kind = 0; kind < KINDS; kind++) {
    if (is_picture(kind)) {
      const bench_mesh all = {.bounds = world};
      free(run->rays[kind]);
      run->rays[kind] = bench_make_rays(&all, kinds[kind].picture, count_of(run, kind),
                                        run->settings->common.seed);
      continue;
    }
    for (size_t i = 0; i < run->settings->rays; i++) {
      bench_ray *ray = &run->rays[kind][i];
      ray->origin = random_point_in(random, world);
      ray->direction = random_direction(random);
      ray->max_t = kinds[kind].length;
    }
  }
}

/* Whether the ball around an instance is so far from the ray that it cannot be hit. */
static bool may_hit(const mo_transform *transform, const bench_ray *ray) {
  mo_vec3 o = transform->origin, a = transform->x_axis;
  double x = (double)o.x - ray->origin.x, y = (double)o.y - ray->origin.y,
         z = (double)o.z - ray->origin.z;
  double along = x * ray->direction.x + y * ray->direction.y + z * ray->direction.z;
  along = fmin(fmax(along, 0), ray->max_t);
  x -= along * ray->direction.x;
  y -= along * ray->direction.y;
  z -= along * ray->direction.z;
  double scale = (double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z;
  return x * x + y * y + z * z <= 3.1 * scale; /* the mesh fits in [-1, 1] */
}

static bench_truth find_truth(const struct run *run, const bench_ray *ray) {
  bench_truth truth = {INFINITY, INFINITY};
  for (uint32_t i = 0; i < run->settings->shapes; i++) {
    if (may_hit(&run->transforms[i], ray)) {
      bench_truth word = bench_find_truth(run->mesh, &run->transforms[i], ray);
      truth.lower = fminf(truth.lower, word.lower);
      truth.upper = fminf(truth.upper, word.upper);
    }
  }
  return truth;
}

static bool agree(float a, float b) {
  return a == b || fabsf(a - b) <= 1e-4f * (1 + a);
}

static void compare(const struct run *run, struct contender *contender, int kind,
                    const bench_hit *hits) {
  const bench_instancer *engine = contender->engine;
  contender->traced += count_of(run, kind);
  for (size_t i = 0; i < count_of(run, kind); i++) {
    bench_hit a = run->first[kind][i], b = hits[i];
    const bench_ray *ray = &run->rays[kind][i];
    if (agree(a.t, b.t) && i >= 8) {
      continue;
    }
    bench_truth truth = find_truth(run, ray);
    bool first_right = bench_truth_allows(truth, ray, kinds[kind].mode, a);
    bool right = bench_truth_allows(truth, ray, kinds[kind].mode, b);
    contender->wrong += !right;
    if (!first_right || (!right && engine->tolerated == 0)) {
      fail("%s ray %zu: %s hits at %.9g, %s at %.9g; brute force says %.9g to %.9g",
           kinds[kind].name, i, run->contenders[0].engine->id.name, a.t, engine->id.name, b.t,
           truth.lower, truth.upper);
    }
  }
  if ((double)contender->wrong > 1 + engine->tolerated * (double)contender->traced) {
    fail("%s: %llu of %llu rays are wrong", engine->id.name, (unsigned long long)contender->wrong,
         (unsigned long long)contender->traced);
  }
}

/* All ways to get the first hits give the same. */
static void list_hits(struct run *run, struct contender *contender, uint32_t frame) {
  size_t count = run->settings->rays;
  for (bench_listing listing = 0; listing < BENCH_LISTINGS; listing++) {
    float *t = run->listed[listing > 0];
    double start = bench_clock();
    contender->engine->list(contender->world, listing, run->rays[0], count, t);
    contender->list[listing][frame] = 1e6 * (bench_clock() - start) / (double)count;
    for (size_t i = 0; i < BENCH_FIRST * count; i++) {
      if (t[i] != run->listed[0][i]) {
        fail("%s: %s: hit %zu of ray %zu at %.9g, of all hits at %.9g", contender->engine->id.name,
             listing_time[listing].name, i % BENCH_FIRST, i / BENCH_FIRST, t[i], run->listed[0][i]);
      }
    }
  }
}

/* The long rays again, in one call: as right as one by one, and of the engine with the rounding of
 * its packets. */
static void run_batch(struct run *run, struct contender *contender, uint32_t frame) {
  const bench_instancer *engine = contender->engine;
  if (engine->trace_batch == NULL) {
    return;
  }
  size_t count = count_of(run, 0);
  double start = bench_clock();
  engine->trace_batch(contender->world, run->rays[0], count, run->hits);
  double taken = bench_clock() - start;
  contender->batch[frame] = 1e6 * taken / (double)count;
  contender->batch_total[frame] = contender->update[frame] + 1e3 * taken;
  compare(run, contender, 0, run->hits);
}

static void run_frame(struct run *run, uint32_t frame) {
  bench_workload_step(run->workload);
  for (uint32_t i = 0; i < run->settings->shapes; i++) {
    run->transforms[i] = bench_body_transform(&run->workload->bodies[i]);
  }
  make_rays(run);
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    const bench_instancer *engine = contender->engine;
    double start = bench_clock(), seconds = 0;
    engine->update(contender->world, run->transforms);
    seconds = bench_clock() - start;
    contender->update[frame] = 1e3 * seconds;
    for (int kind = 0; kind < KINDS; kind++) {
      if (!can_trace(engine, kind)) {
        continue;
      }
      bench_hit *hits = c == 0 ? run->first[kind] : run->hits;
      size_t count = count_of(run, kind);
      start = bench_clock();
      (is_picture(kind) ? engine->trace_together : engine->trace)(
          contender->world, kinds[kind].mode, run->rays[kind], count, hits);
      double taken = bench_clock() - start;
      contender->trace[kind][frame] = 1e6 * taken / (double)count;
      seconds += kind == 0 ? taken : 0;
      if ((c > 0 && can_trace(run->contenders[0].engine, kind)) || run->count == 1) {
        compare(run, contender, kind, hits);
      }
    }
    contender->total[frame] = 1e3 * seconds;
    run_batch(run, contender, frame);
    if (engine->list != NULL) {
      list_hits(run, contender, frame);
    }
  }
}

static void report_all(struct run *run, const char *name) {
  size_t frames = run->frames;
  double each = 1.0 / (double)run->settings->rays;
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    const char *engine = contender->engine->id.name;
    bench_report_add(run->report, name, engine, &update_time,
                     bench_summarise(contender->update, frames));
    bench_summary total = bench_summarise(contender->total, frames), quicker = total;
    bench_report_add(run->report, name, engine, &total_time, total);
    if (contender->engine->trace_batch != NULL) {
      bench_report_add(run->report, name, engine, &batch_time,
                       bench_summarise(contender->batch, frames));
      bench_summary batch_total = bench_summarise(contender->batch_total, frames);
      bench_report_add(run->report, name, engine, &batch_total_time, batch_total);
      quicker = batch_total.median < total.median ? batch_total : total;
    }
    /* Each engine's own choice of the two. */
    bench_report_add(run->report, name, engine, &quicker_time, quicker);
    bench_report_count(run->report, name, engine, &wrong_rays,
                       1e6 * (double)contender->wrong / fmax((double)contender->traced, 1));
    for (int listing = 0; listing < BENCH_LISTINGS && contender->engine->list != NULL; listing++) {
      bench_report_add(run->report, name, engine, &listing_time[listing],
                       bench_summarise(contender->list[listing], frames));
    }
    for (int kind = 0; kind < KINDS; kind++) {
      if (!can_trace(contender->engine, kind)) {
        continue;
      }
      bench_report_add(run->report, name, engine, &kinds[kind].time,
                       bench_summarise(contender->trace[kind], frames));
      if (contender->engine->count_work == NULL || is_picture(kind)) {
        continue;
      }
      double hits = 0;
      for (size_t i = 0; i < run->settings->rays; i++) {
        hits += run->first[kind][i].t != INFINITY;
      }
      mo_query_stats stats;
      contender->engine->count_work(contender->world, kinds[kind].mode, run->rays[kind],
                                    run->settings->rays, &stats);
      bench_report_count(run->report, name, engine, &kinds[kind].hits, hits * each);
      bench_report_count(run->report, name, engine, &kinds[kind].shapes,
                         (double)stats.shape_count * each);
      bench_report_count(run->report, name, engine, &kinds[kind].scene_nodes,
                         (double)(stats.scene_node_count + stats.scene_block_count) * each);
      bench_report_count(run->report, name, engine, &kinds[kind].mesh_nodes,
                         (double)stats.mesh_node_count * each);
    }
  }
  bench_report_print(run->report, name);
}

static void run_all(struct run *run) {
  const struct settings *settings = run->settings;
  run->workload =
      bench_workload_create(&bench_recipes[0], settings->shapes, true, settings->common.seed);
  run->transforms = allocate(settings->shapes, sizeof *run->transforms);
  for (uint32_t i = 0; i < settings->shapes; i++) {
    run->transforms[i] = bench_body_transform(&run->workload->bodies[i]);
  }
  run->hits = allocate(settings->rays * PICTURE, sizeof *run->hits);
  for (int i = 0; i < 2; i++) {
    run->listed[i] = allocate(BENCH_FIRST * settings->rays, sizeof(float));
  }
  for (int kind = 0; kind < KINDS; kind++) {
    run->rays[kind] = allocate(count_of(run, kind), sizeof *run->rays[kind]);
    run->first[kind] = allocate(count_of(run, kind), sizeof *run->first[kind]);
  }
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    contender->world =
        contender->engine->create(contender->engine, run->mesh, run->transforms, settings->shapes);
    contender->update = allocate(settings->frames, sizeof(double));
    contender->total = allocate(settings->frames, sizeof(double));
    contender->batch = allocate(settings->frames, sizeof(double));
    contender->batch_total = allocate(settings->frames, sizeof(double));
    for (int listing = 0; listing < BENCH_LISTINGS; listing++) {
      contender->list[listing] = allocate(settings->frames, sizeof(double));
    }
    for (int kind = 0; kind < KINDS; kind++) {
      contender->trace[kind] = allocate(settings->frames, sizeof(double));
    }
  }
  char *name = bench_format("%u/%s", settings->shapes, run->mesh->name);
  bench_progress("%s", name);
  while (run->frames < settings->frames && !bench_interrupted()) {
    run_frame(run, run->frames++);
  }
  if (run->frames > 0) {
    report_all(run, name);
  }
  free(name);
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    contender->engine->destroy(contender->world);
    free(contender->update);
    free(contender->total);
    free(contender->batch);
    free(contender->batch_total);
    for (int listing = 0; listing < BENCH_LISTINGS; listing++) {
      free(contender->list[listing]);
    }
    for (int kind = 0; kind < KINDS; kind++) {
      free(contender->trace[kind]);
    }
  }
  for (int kind = 0; kind < KINDS; kind++) {
    free(run->rays[kind]);
    free(run->first[kind]);
  }
  free(run->hits);
  free(run->listed[0]);
  free(run->listed[1]);
  free(run->transforms);
  bench_workload_destroy(run->workload);
}

/* Options. */

static void choose_engines(struct run *run) {
  const bench_options *options = &run->settings->common;
  if (bench_list_has(options->engines, bench_motte_instancer.id.name, false)) {
    run->contenders[run->count++].engine = &bench_motte_instancer;
  }
  for (size_t e = 0; bench_peer_instancers[e] != NULL; e++) {
    const bench_instancer *engine = bench_peer_instancers[e];
    if (bench_choose_peer(options, run->report, engine->id.name, engine->id.version)) {
      run->contenders[run->count++].engine = engine;
    }
  }
  if (run->count == 0) {
    fail("no engine left to run");
  }
}

enum { KEY_SHAPES = 'n', KEY_RAYS = 'r', KEY_FRAMES = 'f', KEY_MESH = 'm' };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &settings->common;
    return 0;
  case KEY_SHAPES:
    settings->shapes = (uint32_t)bench_parse_count("shapes", argument, 1, 10000000);
    return 0;
  case KEY_RAYS:
    settings->rays = bench_parse_count("rays", argument, 1, 100000000);
    return 0;
  case KEY_FRAMES:
    settings->frames = (uint32_t)bench_parse_count("frames", argument, 1, 1000000);
    return 0;
  case KEY_MESH:
    settings->mesh_file = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"shapes", KEY_SHAPES, "N", 0, "how many instances (default 10000)", 0},
      {"rays", KEY_RAYS, "N", 0, "rays of each kind per frame (default 10000)", 0},
      {"frames", KEY_FRAMES, "F", 0, "frames of motion (default 10)", 0},
      {"mesh", KEY_MESH, "FILE", 0, "the mesh (default: 5,184 triangles, generated)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {
      .common = bench_default_options("motte"), .shapes = 10000, .frames = 10, .rays = 10000};
  bench_names engines = {{bench_motte_instancer.id.name}, 1}, peers = {0};
  for (size_t e = 0; bench_peer_instancers[e] != NULL; e++) {
    bench_names_add(&peers, bench_peer_instancers[e]->id.name);
  }
  char *documentation =
      bench_documentation("Moves all instances of a mesh, then casts rays through them.", NULL,
                          &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, NULL, documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  struct run run = {.settings = &settings, .report = bench_old_report("instances")};
  choose_engines(&run);
  run.mesh =
      settings.mesh_file != NULL ? bench_mesh_load(settings.mesh_file) : bench_mesh_generate(144);
  bench_mesh_normalise(run.mesh);
  run_all(&run);
  bench_mesh_free(run.mesh);
  bench_finish(&settings.common, run.report);
}

const bench_old_suite bench_old_suite_instances = {"instances", "rays through instances that move",
                                                   run_suite};
