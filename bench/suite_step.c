/* What a physics step needs from a collision engine: it sets poses, finds pairs of nearby bodies,
 * and their contacts. Two suites: scenes of our own, and such as other engines are measured with.
 *
 * Motion is recorded before, so that all engines, which take turns at each step, collide the same.
 * A scene has two cases: the first half of its steps, in which bodies fall and are hit, and the
 * second, in which most settle. Scenes of our own have a third: as many steps some time later, when
 * nearly all are at rest. */
#include <stdlib.h>

#include "clouds.h"
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
static const bench_metric memory = {"memory", "KB", BENCH_LESS_IS_BETTER};

enum { TIMES = 4, COUNTS = 5, HALVES = 2, PHASES = 3, CHECKS = 4 };

/* What the two suites differ in. Means are over cases that end alike after the first slash: over
 * scenes with the same number of bodies, or over all scenes. */
typedef struct scene_set {
  const bench_step_recipe *recipes;
  const char *phases[PHASES]; /* two halves; null, or what follows some time later */
  char before_count;
} scene_set;

static const scene_set own_scenes = {bench_step_recipes, {"moving", "settling", "resting"}, '/'};
static const scene_set engine_scenes = {bench_engine_recipes, {"early", "late", NULL}, '-'};

struct settings {
  const char *scenes, *mesh;
  bench_counts bodies;
  uint32_t frames, rest;
};

/* Of an engine in a phase. */
struct outcome {
  bench_step_census census;
  double sums[2]; /* of pairs and points, where they were counted */
};

struct state {
  const struct settings *settings;
  const scene_set *set;
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
  if (engine_of(contender)->bytes != NULL) {
    bench_count(run, contender, &memory,
                1e-3 * (double)engine_of(contender)->bytes(contender->world));
  }
}

static void create(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  contender->world = engine_of(contender)->create(engine_of(contender), state->scene);
}

static void run_phase(bench_run *run, char *name, uint32_t first) {
  struct state *state = run->data;
  state->first = first;
  state->steps = state->settings->frames / HALVES;
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

static void play_scene(bench_run *run, const bench_step_recipe *recipe, bench_step_scene *scene) {
  struct state *state = run->data;
  const uint32_t half = state->settings->frames / HALVES, rest = state->settings->rest;
  const uint32_t frames = state->settings->frames + rest, first[] = {0, half, frames - half};
  const uint32_t bodies = scene->count - scene->static_count;
  const bench_mesh *ground = scene->mesh_count > 0 ? scene->meshes[0] : NULL;
  const char *label = ground != NULL && ground->name != NULL ? ground->name : recipe->name;
  bench_progress("%s: recording %u steps of %u bodies", label, frames, bodies);
  state->scene = scene;
  if (bench_step_record(scene, frames)) {
    bench_each(run, create);
    for (uint32_t i = 0; i < (rest > 0 ? PHASES : HALVES) && !bench_interrupted(); i++) {
      const scene_set *set = state->set;
      run_phase(run, bench_format("%s%c%u/%s", label, set->before_count, bodies, set->phases[i]),
                first[i]);
    }
    bench_release_each(run, destroy_world);
  }
}

static void run_scene(bench_run *run, const bench_step_recipe *recipe, uint32_t bodies) {
  const struct state *state = run->data;
  const bench_step_inputs inputs = {state->settings->mesh, run->folder};
  bench_step_scene *scene =
      bench_step_scene_create(recipe, bodies > 0 ? bodies : recipe->published, &inputs, run->seed);
  if (scene->count > scene->static_count) {
    play_scene(run, recipe, scene);
  }
  bench_step_scene_destroy(scene);
}

static void run_set(bench_run *run, const scene_set *set) {
  const struct settings *settings = run->settings;
  const bench_step_recipe *recipes = set->recipes;
  struct state state = {.settings = settings, .set = set};
  run->data = &state;
  for (size_t n = 0; n < settings->bodies.count; n++) {
    for (size_t i = 0; recipes[i].name != NULL && !bench_interrupted(); i++) {
      if (bench_list_has(settings->scenes, recipes[i].name, true)) {
        run_scene(run, &recipes[i], settings->bodies.item[n]);
      }
    }
  }
  run->data = NULL;
}

static void run_step(bench_run *run) {
  run_set(run, &own_scenes);
}

static void run_engine_scenes(bench_run *run) {
  run_set(run, &engine_scenes);
}

static const char *step_name(unsigned i) {
  return bench_step_recipes[i].name;
}

static const char *engine_scene_name(unsigned i) {
  return bench_engine_recipes[i].name;
}

static void check_clouds(const char *folder, const void *settings) {
  (void)settings;
  if (folder != NULL) {
    bench_clouds clouds = bench_clouds_read(folder);
    bench_clouds_free(&clouds);
  }
}

static const bench_option step_options[] = {
    {"bodies", "N,...", "how many bodies", BENCH_COUNTS,
     .offset = offsetof(struct settings, bodies), .initial = "1000", .quick = "200", .min = 2,
     .max = 1e6},
    {"frames", "F", "steps of a sixtieth of a second", BENCH_COUNT,
     .offset = offsetof(struct settings, frames), .initial = "180", .quick = "40", .min = HALVES,
     .max = 1e5},
    {"rest", "F", "further steps, of which the last are measured at rest; 0: none", BENCH_COUNT,
     .offset = offsetof(struct settings, rest), .initial = "420", .quick = "20", .min = 0,
     .max = 1e5},
    {"scene", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, scenes),
     .name_at = step_name},
    {"mesh", "FILE",
     "ground of the scene terrain, y upward, scaled to the heap, else it is generated", BENCH_TEXT,
     .offset = offsetof(struct settings, mesh)},
    {0},
};

static const bench_option engine_options[] = {
    {"bodies", "N,...", "about how many bodies; 0: as many as the scene that it follows",
     BENCH_COUNTS, .offset = offsetof(struct settings, bodies), .initial = "1000", .quick = "150",
     .min = 0, .max = 1e6},
    {"frames", "F", "steps of a sixtieth of a second", BENCH_COUNT,
     .offset = offsetof(struct settings, frames), .initial = "80", .quick = "20", .min = HALVES,
     .max = 1e5},
    {"scene", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, scenes),
     .name_at = engine_scene_name},
    {0},
};

const bench_suite bench_suite_step = {
    .name = "step",
    .summary = "pairs and contacts of bodies in a physics step",
    .purpose = "Finds pairs and contacts of recorded bodies. Times are processor times; with "
               "several workers wall times. Motte looks for contacts from two centimetres on; "
               "motte-reuse carries them along while shapes move by less than two millimetres. A "
               "floor is a box.",
    .notes =
        "Counts are means of some steps: `near` pairs that were tested, contact `points`, "
        "`touching` pairs by Motte; and how many of them are `missing` with an engine or "
        "`extra`, by more than a band (ODE 2 mm, Rapier 3, PhysX 5, Box3D 7 and with reuse 20, "
        "Bullet 15 mm, Jolt 50, as shapes of these have margins or round corners). --repeats "
        "plays each case so often, here 1 by default. The engine `motte` always takes part, as "
        "others are compared with it.",
    .options = step_options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_step_motte_engines[0].id,
    .engine_size = sizeof(bench_step_engine),
    .chosen_engines = "motte,motte-reuse,motte-2-workers",
    .needs_first = true,
    .peers = bench_step_peers,
    .contender_size = sizeof(struct outcome),
    .repeats = "1",
    .run = run_step,
    .headlines = "collision",
    .compared = {&times[3]},
};

const bench_suite bench_suite_engine_scenes = {
    .name = "engine-scenes",
    .summary = "pairs and contacts of bodies in the benchmark scenes of other engines",
    .purpose = "Finds pairs and contacts of bodies that move as in the benchmark scenes of Box3D, "
               "Jolt and Bullet. Recorded once by Motte and a plain solver, played by all.",
    .notes =
        "Columns and engines are those of the suite step; `early` and `late` are the halves of "
        "the recording, `memory` is all that an engine has allocated for the scene. "
        "bench/README.md says what differs from the original scenes.",
    .options = engine_options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_step_motte_engines[0].id,
    .engine_size = sizeof(bench_step_engine),
    .chosen_engines = "motte,motte-reuse",
    .needs_first = true,
    .peers = bench_step_peers,
    .contender_size = sizeof(struct outcome),
    .data = "jolt-hulls",
    .data_is_optional = true,
    .check_data = check_clouds,
    .repeats = "1",
    .run = run_engine_scenes,
    .headlines = "collision",
    .compared = {&times[3]},
};
