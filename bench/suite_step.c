/* What a physics step asks of a collision engine: taking over where bodies are, finding pairs of
 * them that are near each other, and where these touch.
 *
 * Motion is recorded before, so that all engines, which take turns at each step, collide the same.
 * A scene has two cases: the first half of its steps, in which bodies fall and are hit, and the
 * second, in which most come to rest. */
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "interrupt.h"
#include "old_suite.h"
#include "report.h"
#include "step_check.h"
#include "step_scenes.h"
#include "text.h"

static const bench_metric times[] = {{"update", "ms", BENCH_LESS_IS_BETTER},
                                     {"pairs", "ms", BENCH_LESS_IS_BETTER},
                                     {"contacts", "ms", BENCH_LESS_IS_BETTER},
                                     {"collision", "ms", BENCH_LESS_IS_BETTER}};
static const bench_metric counts[] = {{"near", "", BENCH_NO_SENSE},
                                      {"points", "", BENCH_NO_SENSE},
                                      {"touching", "", BENCH_NO_SENSE},
                                      {"missing", "", BENCH_NO_SENSE},
                                      {"extra", "", BENCH_NO_SENSE}};

enum { TIMES = 4, COUNTS = 5, PHASES = 2, MAX_ENGINES = 16, MAX_SIZES = 8, CHECKS = 4 };

static const char *const phase_names[PHASES] = {"moving", "resting"};

struct settings {
  bench_options common;
  const char *scenes, *mesh;
  uint32_t sizes[MAX_SIZES];
  uint32_t size_count, frames;
};

typedef struct player {
  const bench_step_engine *engine;
  void *world;
  double *samples[TIMES]; /* by step of the phase */
  bench_step_census census;
  double sums[2]; /* of pairs and points, where they were counted */
} player;

struct run {
  const struct settings *settings;
  bench_report *report;
  player players[MAX_ENGINES];
  uint32_t player_count;
};

static void choose(struct run *run, const bench_step_engine *engine) {
  run->players[run->player_count].engine = engine;
  for (int i = 0; i < TIMES; i++) {
    run->players[run->player_count].samples[i] =
        allocate((size_t)run->settings->frames * (size_t)run->settings->common.repeats,
                 sizeof *run->players->samples[i]);
  }
  run->player_count++;
}

/* Motte's plain engine first, which others are compared with. */
static void choose_engines(struct run *run) {
  const bench_options *options = &run->settings->common;
  for (size_t i = 0; i < bench_step_motte_engine_count; i++) {
    const bench_step_engine *engine = &bench_step_motte_engines[i];
    if (i == 0 || bench_list_has(options->engines, engine->id.name, false)) {
      choose(run, engine);
    }
  }
  for (size_t i = 0; bench_step_peers[i] != NULL; i++) {
    const bench_step_engine *engine = bench_step_peers[i];
    if (bench_choose_peer(options, run->report, engine->id.name, engine->id.version)) {
      choose(run, engine);
    }
  }
}

static void play(player *p, const bench_pose *poses, uint32_t step) {
  bench_step_times t = p->engine->step(p->world, poses);
  p->samples[0][step] = t.update;
  p->samples[1][step] = t.pairs;
  p->samples[2][step] = t.contacts;
  p->samples[3][step] = t.update + t.pairs + t.contacts;
}

static void count(struct run *run) {
  for (uint32_t i = 0; i < run->player_count; i++) {
    player *p = &run->players[i];
    size_t pairs, points;
    p->engine->count(p->world, &pairs, &points);
    p->sums[0] += (double)pairs;
    p->sums[1] += (double)points;
    bench_step_compare(p->engine, p->world, run->players[0].engine, run->players[0].world,
                       &p->census);
  }
}

/* Numbers of a phase; those that were counted are the mean of `counted` steps. */
static void report(struct run *run, const char *name, uint32_t steps, uint32_t counted) {
  for (uint32_t i = 0; i < run->player_count; i++) {
    bench_step_check(run->players[i].engine, &run->players[i].census, name);
  }
  for (uint32_t i = 0; i < run->player_count; i++) {
    player *p = &run->players[i];
    const double values[COUNTS] = {p->sums[0], p->sums[1], (double)p->census.touching,
                                   (double)p->census.missing, (double)p->census.extra};
    for (int k = 0; k < TIMES; k++) {
      bench_report_add(run->report, name, p->engine->id.name, &times[k],
                       bench_summarise(p->samples[k], steps));
    }
    for (int k = 0; k < COUNTS; k++) {
      bench_report_count(run->report, name, p->engine->id.name, &counts[k],
                         values[k] / (counted > 0 ? counted : 1));
    }
  }
  bench_report_print(run->report, name);
}

static void run_phase(struct run *run, const bench_step_scene *scene, uint32_t first,
                      const char *name) {
  const uint32_t steps = run->settings->frames / PHASES, every = (steps + CHECKS - 1) / CHECKS,
                 total = steps * (uint32_t)run->settings->common.repeats;
  uint32_t step = 0, counted = 0;
  for (uint32_t i = 0; i < run->player_count; i++) {
    run->players[i].census = (bench_step_census){0, 0, 0};
    run->players[i].sums[0] = run->players[i].sums[1] = 0;
  }
  for (; step < total && !bench_interrupted(); step++) {
    const bench_pose *poses =
        scene->recorded + (size_t)(first + step % steps) * (scene->count - scene->static_count);
    for (uint32_t i = 0; i < run->player_count; i++) {
      play(&run->players[(i + step) % run->player_count], poses, step);
    }
    if (step % every == every - 1 || step + 1 == total) {
      count(run);
      counted++;
    }
  }
  if (step > 0) {
    report(run, name, step, counted);
  }
}

static void run_scene(struct run *run, bench_step_kind kind, uint32_t bodies) {
  const struct settings *s = run->settings;
  bench_mesh *mesh =
      kind == BENCH_STEP_TERRAIN && s->mesh != NULL ? bench_mesh_load(s->mesh) : NULL;
  char *label =
      mesh != NULL ? bench_format("%s", mesh->name) : bench_format("%s", bench_step_names[kind]);
  bench_step_scene *scene = bench_step_scene_create(kind, bodies, mesh, s->common.seed);
  bench_progress("%s: recording %u steps of %u bodies", label, s->frames, bodies);
  if (bench_step_record(scene, s->frames)) {
    for (uint32_t i = 0; i < run->player_count; i++) {
      player *p = &run->players[i];
      p->world = p->engine->create(p->engine, scene);
    }
    for (uint32_t i = 0; i < PHASES && !bench_interrupted(); i++) {
      char *name = bench_format("%s/%u/%s", label, bodies, phase_names[i]);
      bench_progress("%s", name);
      run_phase(run, scene, i * (s->frames / PHASES), name);
      free(name);
    }
    for (uint32_t i = 0; i < run->player_count; i++) {
      run->players[i].engine->destroy(run->players[i].world);
    }
  }
  bench_step_scene_destroy(scene);
  free(label);
}

enum { KEY_BODIES = 'n', KEY_FRAMES = 'f', KEY_SCENES = 's', KEY_MESH = 'm' };

/* A list of counts with commas. */
static void parse_bodies(struct settings *s, const char *argument) {
  char *copy = bench_format("%s", argument), *rest = copy;
  for (s->size_count = 0; rest != NULL;) {
    const char *one = strsep(&rest, ",");
    if (s->size_count == MAX_SIZES) {
      fail("--bodies takes up to %d counts", MAX_SIZES);
    }
    s->sizes[s->size_count++] = (uint32_t)bench_parse_count("bodies", one, 2, 1000000);
  }
  free(copy);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *s = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &s->common;
    return 0;
  case KEY_BODIES:
    parse_bodies(s, argument);
    return 0;
  case KEY_FRAMES:
    s->frames = (uint32_t)bench_parse_count("frames", argument, PHASES, 100000);
    return 0;
  case KEY_SCENES:
    s->scenes = argument;
    return 0;
  case KEY_MESH:
    s->mesh = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"bodies", KEY_BODIES, "N,...", 0, "how many bodies (default 1000)", 0},
      {"frames", KEY_FRAMES, "F", 0, "steps of a sixtieth of a second (default 180)", 0},
      {"scene", KEY_SCENES, "LIST", 0, "of pile,terrain,wall,bowl,slide, or all (default)", 0},
      {"mesh", KEY_MESH, "FILE", 0,
       "ground of the scene `terrain`, y upward, scaled to the heap (default: generated)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {.common = bench_default_options("motte,motte-reuse,motte-2-workers"),
                              .sizes = {1000},
                              .size_count = 1,
                              .frames = 180};
  settings.common.repeats = 1;
  bench_names engines = {0}, peers = {0}, scenes = {0};
  for (size_t i = 0; i < bench_step_motte_engine_count; i++) {
    bench_names_add(&engines, bench_step_motte_engines[i].id.name);
  }
  for (size_t i = 0; bench_step_peers[i] != NULL; i++) {
    bench_names_add(&peers, bench_step_peers[i]->id.name);
  }
  for (int i = 0; i < BENCH_STEP_KINDS; i++) {
    bench_names_add(&scenes, bench_step_names[i]);
  }
  char *documentation = bench_documentation(
      "Finds pairs and contacts of recorded bodies. Times are processor times; with several "
      "workers wall times. Motte looks for contacts from two centimetres on; `motte-reuse` carries "
      "them along "
      "while shapes move by less than two millimetres. A floor is a box.",
      "Counts are means of some steps: `near` pairs that were tested, contact `points`, `touching` "
      "pairs by Motte; and how many of them are `missing` with an engine or `extra`, by more than "
      "a band (ODE 2 mm, Box3D 7 mm and with reuse 20, Bullet 15 mm, Jolt 50, as shapes of these "
      "have margins or round corners). --repeats plays each half of the recording so often, here 1 "
      "by default.",
      &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, NULL, documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  bench_list_check("scene", settings.scenes, &scenes);

  struct run run = {.settings = &settings, .report = bench_old_report("step")};
  choose_engines(&run);
  for (uint32_t n = 0; n < settings.size_count; n++) {
    for (bench_step_kind k = 0; k < BENCH_STEP_KINDS && !bench_interrupted(); k++) {
      if (bench_list_has(settings.scenes, bench_step_names[k], true)) {
        run_scene(&run, k, settings.sizes[n]);
      }
    }
  }
  bench_report_print_summary(run.report, "motte", "collision");
  for (uint32_t i = 0; i < run.player_count; i++) {
    for (int k = 0; k < TIMES; k++) {
      free(run.players[i].samples[k]);
    }
  }
  bench_finish(&settings.common, run.report);
}

const bench_old_suite bench_old_suite_step = {
    "step", "pairs and contacts of bodies in a physics step", run_suite};
