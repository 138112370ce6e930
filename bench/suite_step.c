/* What a physics step needs from a collision engine: it sets poses, finds pairs of nearby bodies,
 * and their contacts.
 *
 * Motion is recorded before, so that all engines, which take turns at each step, collide the same.
 * A scene has two cases: the first half of its steps, in which bodies fall and are hit, and the
 * second, in which most come to rest. */
#include <stdlib.h>

#include "step_check.h"
#include "step_scenes.h"
#include "suite.h"

static const bench_metric times[] = {{"update", "ms", BENCH_LESS_IS_BETTER},
                                     {"pairs", "ms", BENCH_LESS_IS_BETTER},
                                     {"contacts", "ms", BENCH_LESS_IS_BETTER},
                                     {"collision", "ms", BENCH_LESS_IS_BETTER}};
static const bench_metric counts[] = {{"near", "", BENCH_NEITHER_IS_BETTER},
                                      {"points", "", BENCH_NEITHER_IS_BETTER},
                                      {"touching", "", BENCH_NEITHER_IS_BETTER},
                                      {"missing", "", BENCH_NEITHER_IS_BETTER},
                                      {"extra", "", BENCH_NEITHER_IS_BETTER}};

enum { TIMES = 4, COUNTS = 5, PHASES = 2, CHECKS = 4 };

static const char *const phase_names[PHASES] = {"moving", "resting"};

struct settings {
  const char *scenes, *mesh;
  bench_counts bodies;
  uint32_t frames;
};

/* Of an engine in a phase. */
struct outcome {
  bench_step_census census;
  double sums[2]; /* of pairs and points, where they were counted */
};

struct state {
  const struct settings *settings;
  const bench_step_scene *scene;
  /* Of a phase: its first step, how many it has, those that were counted. */
  uint32_t first, steps, counted;
};

static const bench_step_engine *engine_of(const bench_contender *contender) {
  return (const bench_step_engine *)contender->engine;
}

static void play(bench_run *run, bench_contender *contender, uint32_t step) {
  const struct state *state = run->data;
  const bench_step_scene *scene = state->scene;
  const bench_pose *poses = scene->recorded + (size_t)(state->first + step % state->steps) *
                                                  (scene->count - scene->static_count);
  bench_step_times t = engine_of(contender)->step(contender->world, poses);
  const double values[TIMES] = {t.update, t.pairs, t.contacts, t.update + t.pairs + t.contacts};
  for (int i = 0; i < TIMES; i++) {
    bench_sample(run, contender, &times[i], values[i]);
  }
}

/* All are compared with Motte's plain engine, which is the first. */
static void compare(bench_run *run, bench_contender *contender) {
  struct outcome *outcome = contender->data;
  const bench_contender *first = &run->contenders[0];
  size_t pairs, points;
  engine_of(contender)->count(contender->world, &pairs, &points);
  outcome->sums[0] += (double)pairs;
  outcome->sums[1] += (double)points;
  if (!bench_step_compare(engine_of(contender), contender->world, engine_of(first), first->world,
                          &outcome->census)) {
    bench_refuse(run, contender, "it has other contacts than %s", first->engine->name);
  }
}

static void compare_some(bench_run *run, uint32_t step) {
  struct state *state = run->data;
  const uint32_t every = (state->steps + CHECKS - 1) / CHECKS;
  if (step % every == every - 1 || step + 1 == state->steps * run->repeats) {
    bench_check_each(run, compare);
    state->counted++;
  }
}

static void check_census(bench_run *run, bench_contender *contender) {
  const bench_step_census *census = &((const struct outcome *)contender->data)->census;
  if (!bench_step_is_close(census)) {
    bench_refuse(run, contender, "of %zu touching pairs %zu are missing, and %zu are too many",
                 census->touching, census->missing, census->extra);
  }
}

/* Means of the steps at which they were counted. */
static void count(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  const double values[COUNTS] = {outcome->sums[0], outcome->sums[1],
                                 (double)outcome->census.touching, (double)outcome->census.missing,
                                 (double)outcome->census.extra};
  for (int k = 0; k < COUNTS; k++) {
    bench_count(run, contender, &counts[k], values[k] / state->counted);
  }
}

static void create(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  contender->world = engine_of(contender)->create(engine_of(contender), state->scene);
}

static void run_phase(bench_run *run, char *name, uint32_t first) {
  struct state *state = run->data;
  state->first = first;
  state->steps = state->settings->frames / PHASES;
  state->counted = 0;
  for (size_t i = 0; i < run->count; i++) {
    *(struct outcome *)run->contenders[i].data = (struct outcome){.sums = {0, 0}};
  }
  bench_begin(run, name);
  bench_play(run, &(bench_rounds){.count = state->steps * run->repeats,
                                  .measure = play,
                                  .check = compare_some});
  bench_check_each(run, check_census);
  bench_end(run, state->counted > 0 ? count : NULL);
}

static void destroy_world(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

static void run_scene(bench_run *run, bench_step_kind kind, uint32_t bodies) {
  struct state *state = run->data;
  const struct settings *s = state->settings;
  bench_mesh *mesh =
      kind == BENCH_STEP_TERRAIN && s->mesh != NULL ? bench_mesh_load(s->mesh) : NULL;
  char *label = bench_format("%s", mesh != NULL ? mesh->name : bench_step_names[kind]);
  bench_step_scene *scene = bench_step_scene_create(kind, bodies, mesh, run->seed);
  bench_progress("%s: recording %u steps of %u bodies", label, s->frames, bodies);
  state->scene = scene;
  if (bench_step_record(scene, s->frames)) {
    bench_each(run, create);
    for (uint32_t i = 0; i < PHASES && !bench_interrupted(); i++) {
      run_phase(run, bench_format("%s/%u/%s", label, bodies, phase_names[i]),
                i * (s->frames / PHASES));
    }
    bench_release_each(run, destroy_world);
  }
  bench_step_scene_destroy(scene);
  free(label);
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  struct state state = {.settings = settings};
  run->data = &state;
  for (size_t n = 0; n < settings->bodies.count; n++) {
    for (bench_step_kind k = 0; k < BENCH_STEP_KINDS && !bench_interrupted(); k++) {
      if (bench_list_has(settings->scenes, bench_step_names[k], true)) {
        run_scene(run, k, settings->bodies.item[n]);
      }
    }
  }
  run->data = NULL;
}

static const char *scene_name(unsigned i) {
  return i < BENCH_STEP_KINDS ? bench_step_names[i] : NULL;
}

static const bench_option options[] = {
    {"bodies", "N,...", "how many bodies", BENCH_COUNTS,
     .offset = offsetof(struct settings, bodies), .initial = "1000", .quick = "200", .min = 2,
     .max = 1e6},
    {"frames", "F", "steps of a sixtieth of a second", BENCH_COUNT,
     .offset = offsetof(struct settings, frames), .initial = "180", .quick = "40", .min = PHASES,
     .max = 1e5},
    {"scene", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, scenes),
     .name_at = scene_name},
    {"mesh", "FILE",
     "ground of the scene terrain, y upward, scaled to the heap, else it is generated", BENCH_TEXT,
     .offset = offsetof(struct settings, mesh)},
    {0},
};

const bench_suite bench_suite_step = {
    .name = "step",
    .summary = "pairs and contacts of bodies in a physics step",
    .purpose = "Finds pairs and contacts of recorded bodies. Times are processor times; with "
               "several workers wall times. Motte looks for contacts from two centimetres on; "
               "`motte-reuse` carries them along while shapes move by less than two millimetres. A "
               "floor is a box.",
    .notes = "Counts are means of some steps: `near` pairs that were tested, contact `points`, "
             "`touching` pairs by Motte; and how many of them are `missing` with an engine or "
             "`extra`, by more than a band (ODE 2 mm, Box3D 7 mm and with reuse 20, Bullet 15 mm, "
             "Jolt 50, as shapes of these have margins or round corners). --repeats plays each "
             "half of the recording so often, here 1 by default. The engine `motte` always takes "
             "part, as others are compared with it.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_step_motte_engines[0].id,
    .engine_size = sizeof(bench_step_engine),
    .chosen_engines = "motte,motte-reuse,motte-2-workers",
    .needs_first = true,
    .peers = bench_step_peers,
    .contender_size = sizeof(struct outcome),
    .repeats = "1",
    .run = run_all,
    .headlines = "collision",
    .compared = {&times[3]},
};
