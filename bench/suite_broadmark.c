/* The broad phase: cubes that move, and the pairs of them that touch, frame by frame, beside the
 * broad phases of other engines.
 *
 * All engines follow the same motion in step. After each frame each tells its pairs that have a
 * cube that moved; they must be the same among all, to the last one. Cubes lie on a lattice and
 * their faces between its points, so whether two touch is beyond doubt. Engines that keep boxes
 * with a margin tell more; what does not touch is left out, as their narrow phases would. A sample
 * of bodies is checked against a loop over all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broad.h"
#include "common/check.h"
#include "report.h"
#include "suite.h"
#include "text.h"
#include "workload.h"

static const bench_metric update_time = {"update", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric pairs_time = {"pairs", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric step_time = {"step", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric per_mover = {"step_per_mover", "ns", BENCH_LESS_IS_BETTER};
static const bench_metric pair_count = {"moved_pairs", "", BENCH_NO_SENSE};
static const bench_metric tree_bytes = {"tree_bytes_per_shape", "B", BENCH_LESS_IS_BETTER};
static const bench_metric set_bytes = {"set_bytes_per_pair", "B", BENCH_LESS_IS_BETTER};

enum { MAX_ENGINES = 16, SAMPLE = 24 };

struct settings {
  bench_options common;
  uint32_t shapes, frames;
  bench_recipe recipe;
};

struct contender {
  const bench_broad_engine *engine;
  void *world;
  double *update_samples, *pairs_samples, *step_samples;
};

/* What an engine tells of its pairs, whatever their order. */
struct census {
  const bench_workload *workload;
  const bool *has_moved;
  uint64_t pairs; /* that touch */
  uint64_t moved; /* of them, with a body that moved */
  uint64_t sum;   /* of hashes of those */
  const uint32_t *sample;
  uint32_t partners[SAMPLE];
};

struct run {
  const struct settings *settings;
  bench_report *report;
  char *case_name;
  bench_workload *workload;
  struct contender contenders[MAX_ENGINES];
  size_t count;
  bench_cube *cubes;
  bool *has_moved;
  uint64_t told; /* pairs of all frames */
};

static bench_cube cube_of(const bench_body *body) {
  return (bench_cube){body->center, body->half};
}

static bool overlap(float a, float b, float reach) {
  return fabs((double)a - (double)b) <= (double)reach;
}

static bool touch(const bench_body *a, const bench_body *b) {
  float reach = a->half + b->half;
  return overlap(a->center.x, b->center.x, reach) && overlap(a->center.y, b->center.y, reach) &&
         overlap(a->center.z, b->center.z, reach);
}

/* splitmix64's finisher (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void count_pair(uint32_t a, uint32_t b, void *context) {
  struct census *census = context;
  const bench_body *bodies = census->workload->bodies;
  if (!touch(&bodies[a], &bodies[b])) {
    return;
  }
  census->pairs++;
  for (int i = 0; i < SAMPLE; i++) {
    census->partners[i] += census->sample[i] == a || census->sample[i] == b;
  }
  if (census->has_moved[a] || census->has_moved[b]) {
    census->moved++;
    census->sum += mix((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a));
  }
}

/* Against a loop over all bodies. */
static void check_sample(const struct run *run, const struct census *census, const char *engine) {
  const bench_workload *workload = run->workload;
  for (int i = 0; i < SAMPLE; i++) {
    uint32_t partners = 0, body = census->sample[i];
    for (uint32_t j = 0; j < workload->count; j++) {
      partners += j != body && touch(&workload->bodies[body], &workload->bodies[j]);
    }
    if (partners != census->partners[i]) {
      fail("%s: %s: body %u has %u partners, not %u", run->case_name, engine, body, partners,
           census->partners[i]);
    }
  }
}

static void check_frame(struct run *run, uint32_t frame) {
  uint32_t sample[SAMPLE];
  for (int i = 0; i < SAMPLE; i++) {
    /* Bodies that moved, as not all engines tell of others. */
    sample[i] =
        run->workload->movers[random_below(&run->workload->random, run->workload->mover_count)];
  }
  struct census first;
  for (size_t c = 0; c < run->count; c++) {
    const bench_broad_engine *engine = run->contenders[c].engine;
    struct census census = {
        .workload = run->workload, .has_moved = run->has_moved, .sample = sample};
    engine->pairs(run->contenders[c].world, count_pair, &census);
    check_sample(run, &census, engine->name);
    if (c == 0) {
      first = census;
      run->told += census.moved;
    } else if (census.moved != first.moved || census.sum != first.sum) {
      fail("%s: frame %u: %s finds %llu pairs that moved, %s %llu", run->case_name, frame,
           run->contenders[0].engine->name, (unsigned long long)first.moved, engine->name,
           (unsigned long long)census.moved);
    }
  }
}

static void run_frame(struct run *run, uint32_t frame) {
  bench_workload *workload = run->workload;
  for (uint32_t k = 0; k < workload->mover_count; k++) {
    run->has_moved[workload->movers[k]] = false;
  }
  bench_workload_step(workload);
  for (uint32_t k = 0; k < workload->mover_count; k++) {
    run->has_moved[workload->movers[k]] = true;
    run->cubes[k] = cube_of(&workload->bodies[workload->movers[k]]);
  }
  bool replace = workload->recipe.motion == BENCH_REPLACE;
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    const bench_broad_engine *engine = contender->engine;
    engine->prepare(contender->world, workload->movers, run->cubes, workload->mover_count);
    double start = bench_clock();
    engine->update(contender->world, replace);
    double updated = bench_clock();
    engine->find(contender->world);
    double found = bench_clock();
    contender->update_samples[frame] = 1e3 * (updated - start);
    contender->pairs_samples[frame] = 1e3 * (found - updated);
    contender->step_samples[frame] = 1e3 * (found - start);
  }
  check_frame(run, frame);
}

static void build_worlds(struct run *run) {
  const bench_workload *workload = run->workload;
  for (uint32_t i = 0; i < workload->count; i++) {
    run->cubes[i] = cube_of(&workload->bodies[i]);
  }
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    bench_progress("%s: building %s", run->case_name, contender->engine->name);
    contender->world =
        contender->engine->create(contender->engine, run->cubes, workload->count, workload->world);
    contender->update_samples = allocate(run->settings->frames, sizeof(double));
    contender->pairs_samples = allocate(run->settings->frames, sizeof(double));
    contender->step_samples = allocate(run->settings->frames, sizeof(double));
  }
}

static void report_all(const struct run *run) {
  uint32_t frames = run->settings->frames;
  for (size_t c = 0; c < run->count; c++) {
    const struct contender *contender = &run->contenders[c];
    const char *name = contender->engine->name;
    /* First what ratios are taken of. */
    bench_summary step = bench_summarise(contender->step_samples, frames);
    bench_report_add(run->report, run->case_name, name, &step_time, step);
    bench_report_add(run->report, run->case_name, name, &update_time,
                     bench_summarise(contender->update_samples, frames));
    bench_report_add(run->report, run->case_name, name, &pairs_time,
                     bench_summarise(contender->pairs_samples, frames));
    step.median *= 1e6 / run->workload->mover_count;
    bench_report_add(run->report, run->case_name, name, &per_mover, step);
    bench_report_count(run->report, run->case_name, name, &pair_count, (double)run->told / frames);
    if (contender->engine->bytes != NULL) {
      double tree, set;
      struct census census = {.workload = run->workload,
                              .has_moved = run->has_moved,
                              .sample = (const uint32_t[SAMPLE]){0}};
      contender->engine->bytes(contender->world, &tree, &set);
      contender->engine->pairs(contender->world, count_pair, &census);
      bench_report_count(run->report, run->case_name, name, &tree_bytes,
                         tree / run->settings->shapes);
      bench_report_count(run->report, run->case_name, name, &set_bytes,
                         set / (double)(census.pairs > 0 ? census.pairs : 1));
    }
  }
}

static void run_workload(struct run *run) {
  const struct settings *settings = run->settings;
  run->workload =
      bench_workload_create(&settings->recipe, settings->shapes, false, settings->common.seed);
  run->case_name = bench_format("%s/%u", settings->recipe.name, settings->shapes);
  run->cubes = allocate(settings->shapes, sizeof *run->cubes);
  run->has_moved = allocate(settings->shapes, sizeof *run->has_moved);
  bench_progress("%s: %s", run->case_name, settings->recipe.summary);
  build_worlds(run);
  for (uint32_t frame = 0; frame < settings->frames; frame++) {
    run_frame(run, frame);
  }
  report_all(run);
  bench_report_print(run->report, run->case_name);
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    contender->engine->destroy(contender->world);
    free(contender->update_samples);
    free(contender->pairs_samples);
    free(contender->step_samples);
  }
  free(run->cubes);
  free(run->has_moved);
  bench_workload_destroy(run->workload);
  free(run->case_name);
}

static void choose(struct run *run, const bench_broad_engine *engine, const char *list) {
  if (bench_list_has(list, engine->name, true)) {
    run->contenders[run->count++].engine = engine;
    if (engine->peer_version != NULL) {
      bench_report_add_peer(run->report, engine->name, engine->peer_version);
    }
  }
}

static void choose_engines(struct run *run) {
  const char *names[MAX_ENGINES];
  for (size_t e = 0; e < bench_broad_motte_count; e++) {
    names[e] = bench_broad_motte[e].name;
    choose(run, &bench_broad_motte[e], run->settings->common.engines);
  }
  bench_list_check("engines", run->settings->common.engines, names, bench_broad_motte_count);
  size_t peers = 0;
  for (; bench_broad_peers[peers] != NULL; peers++) {
    names[peers] = bench_broad_peers[peers]->name;
    choose(run, bench_broad_peers[peers], run->settings->common.peers);
  }
  bench_list_check("peers", run->settings->common.peers, names, peers);
  if (run->count == 0) {
    fail("no engine left to run");
  }
}

enum { KEY_SHAPES = 'n', KEY_MOVING = 'm', KEY_FRAMES = 'f', KEY_WORKLOAD = 'w' };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &settings->common;
    return 0;
  case KEY_SHAPES:
    settings->shapes = (uint32_t)bench_parse_count("shapes", argument, 1, 10000000);
    return 0;
  case KEY_MOVING:
    settings->recipe = bench_recipes[0];
    settings->recipe.name = bench_format("walk-%s", argument);
    settings->recipe.summary = "a share walks";
    settings->recipe.share = bench_parse_real("moving", argument, 1e-7, 1);
    return 0;
  case KEY_FRAMES:
    settings->frames = (uint32_t)bench_parse_count("frames", argument, 1, 1000000);
    return 0;
  case KEY_WORKLOAD:
    for (size_t r = 0; r < bench_recipe_count; r++) {
      if (strcmp(bench_recipes[r].name, argument) == 0) {
        settings->recipe = bench_recipes[r];
        return 0;
      }
    }
    fail("--workload: there is no \"%s\"; see motte-bench moving --help", argument);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"shapes", KEY_SHAPES, "N", 0, "how many cubes (default 10000)", 0},
      {"moving", KEY_MOVING, "SHARE", 0, "share of them that walks, above 0 to 1", 0},
      {"frames", KEY_FRAMES, "F", 0, "frames of motion (default 20)", 0},
      {"workload", KEY_WORKLOAD, "W", 0, "one of a, A, b, c, d, e, f, F, g (default a)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  static const struct argp argp = {
      options,  parse, NULL, "Finds the pairs of cubes that touch while they move.",
      children, NULL,  NULL};
  struct settings settings = {.common = bench_default_options(), .shapes = 10000, .frames = 20};
  settings.recipe = bench_recipes[0];
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  struct run *run = allocate(1, sizeof *run);
  run->settings = &settings;
  run->report = bench_report_create("broadmark");
  choose_engines(run);
  run_workload(run);
  if (settings.common.json != NULL) {
    bench_report_write(run->report, settings.common.json);
  }
  bench_report_destroy(run->report);
  free(run);
}

const bench_suite bench_suite_broadmark = {"broadmark", "pairs of shapes that move", run_suite};
