/* The broad phase: boxes that move, and the pairs of them that touch, frame by frame, beside the
 * broad phases of other engines.
 *
 * All engines follow the same motion: workloads made as they go, or recorded, as Broadmark's scenes
 * are. Frames come in bursts: each engine in turn plays the frames of a burst one after another, so
 * that what one leaves in the cache is there for its own next frame, as in a program that has one
 * engine. After a burst each tells its pairs that have a box that moved in its last frame; they
 * must be the same among all, to the last one, and a sample of boxes is checked against a loop over
 * all. No two faces ever touch (see workload.h and recording.h), so whether two boxes do is beyond
 * doubt. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "broad_check.h"
#include "broad_probes.h"
#include "broad_times.h"
#include "broadmark.h"
#include "common/check.h"
#include "interrupt.h"
#include "old_suite.h"
#include "report.h"
#include "text.h"

static const bench_metric movers = {"movers", "1/frame", BENCH_NO_SENSE};
static const bench_metric moved_pairs = {"moved_pairs", "1/frame", BENCH_NO_SENSE};
static const bench_metric stays_each = {"stays", "1/mover", BENCH_NO_SENSE};
static const bench_metric reinserts_each = {"reinserts", "1/mover", BENCH_NO_SENSE};
static const bench_metric splits = {"splits", "1/frame", BENCH_NO_SENSE};
static const bench_metric merges = {"merges", "1/frame", BENCH_NO_SENSE};
static const bench_metric replans = {"replans", "1/frame", BENCH_NO_SENSE};
static const bench_metric leaves_each = {"leaves_with_movers", "1/mover", BENCH_NO_SENSE};
static const bench_metric whole = {"whole_searches", "1/frame", BENCH_NO_SENSE};
static const bench_metric depth = {"mean_depth", "levels", BENCH_NO_SENSE};
static const bench_metric tree_bytes = {"tree_bytes_per_shape", "B", BENCH_LESS_IS_BETTER};
static const bench_metric set_bytes = {"set_bytes_per_pair", "B", BENCH_LESS_IS_BETTER};

enum { MAX_ENGINES = 16, MAX_CASES = 16 };

struct settings {
  bench_options common;
  uint32_t shapes[MAX_CASES];
  size_t shape_counts;
  const char *workloads, *scenes; /* lists; scenes null for none */
  double share;                   /* of a walk, instead of workloads; 0 for none */
  const char *file, *record;
  bench_broadmark_def scene; /* but for its force and count */
  uint32_t frames, burst, peer_shapes;
  uint32_t queries; /* of each kind, after the last frame; 0 for none */
};

struct contender {
  const bench_broad_engine *engine;
  void *world; /* null where it sits out */
  bench_broad_times times;
  bench_broad_figures start; /* before the first frame */
};

/* What one frame moved. */
struct shot {
  uint32_t *movers;
  bench_box *boxes;
  uint32_t count;
};

struct run {
  const struct settings *settings;
  bench_report *report;
  struct contender contenders[MAX_ENGINES];
  size_t count;
  /* Of one case. */
  char *case_name;
  bench_course *course;
  uint32_t frames; /* to play; after they were played, how many */
  struct shot *burst;
  uint64_t moved, pairs, checked; /* movers of all frames; pairs of those that were checked */
};

static void take_shot(struct shot *shot, const bench_course *course) {
  shot->count = course->mover_count;
  for (uint32_t k = 0; k < course->mover_count; k++) {
    shot->movers[k] = course->movers[k];
    shot->boxes[k] = course->boxes[course->movers[k]];
  }
}

static void play_shot(struct contender *contender, const struct shot *shot, bool replace,
                      uint32_t frame) {
  const bench_broad_engine *engine = contender->engine;
  engine->prepare(contender->world, shot->movers, shot->boxes, shot->count, replace);
  bench_broad_play(engine, contender->world, replace, &contender->times, frame);
}

static void check_pairs(struct run *run, uint32_t frame) {
  bench_pair_count first = {0};
  const char *first_name = NULL;
  for (size_t c = 0; c < run->count; c++) {
    const struct contender *contender = &run->contenders[c];
    const bench_broad_engine *engine = contender->engine;
    if (contender->world == NULL) {
      continue;
    }
    bench_pair_count count =
        bench_pair_check(engine, contender->world, run->course, run->case_name);
    if (first_name == NULL) {
      first = count;
      first_name = engine->id.name;
    } else if (count.moved != first.moved || count.hash != first.hash) {
      fail("%s: frame %u: %s finds %llu pairs that moved, %s %llu", run->case_name, frame,
           first_name, (unsigned long long)first.moved, engine->id.name,
           (unsigned long long)count.moved);
    }
  }
  run->pairs += first.moved;
  run->checked++;
}

static void run_burst(struct run *run, uint32_t first, uint32_t length) {
  for (uint32_t i = 0; i < length; i++) {
    bench_course_step(run->course);
    take_shot(&run->burst[i], run->course);
    run->moved += run->course->mover_count;
  }
  for (size_t c = 0; c < run->count; c++) {
    for (uint32_t i = 0; i < length && run->contenders[c].world != NULL; i++) {
      play_shot(&run->contenders[c], &run->burst[i], run->course->replace, first + i);
    }
  }
  check_pairs(run, first + length - 1);
}

static void build_worlds(struct run *run) {
  const bench_course *course = run->course;
  bench_boxes boxes = {course->boxes, course->count, course->world, course->resize};
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    const bench_broad_engine *engine = contender->engine;
    contender->world = NULL;
    if (bench_interrupted()) {
      continue;
    }
    if ((engine->id.version != NULL && course->count > run->settings->peer_shapes) ||
        (engine->max > 0 && course->count > engine->max)) {
      bench_progress("%s: %s sits out", run->case_name, engine->id.name);
      continue;
    }
    bench_progress("%s: building %s", run->case_name, engine->id.name);
    contender->world = engine->create(engine, &boxes);
    contender->times = bench_broad_times_create(engine, run->frames);
    if (engine->describe != NULL) {
      engine->describe(contender->world, &contender->start);
    }
  }
}

static void report_figures(const struct run *run, const struct contender *contender) {
  const bench_broad_engine *engine = contender->engine;
  const bench_broad_figures *start = &contender->start;
  bench_broad_figures now;
  engine->describe(contender->world, &now);
  bench_pair_count told = bench_pair_check(engine, contender->world, run->course, run->case_name);
  double mover = 1 / fmax((double)run->moved, 1), frame = 1.0 / run->frames;
  const struct {
    const bench_metric *metric;
    double value;
  } rows[] = {
      {&stays_each, (now.stays - start->stays) * mover},
      {&reinserts_each, (now.reinserts - start->reinserts) * mover},
      {&leaves_each, now.leaves_of_movers / fmax(run->course->mover_count, 1)},
      {&splits, (now.splits - start->splits) * frame},
      {&merges, (now.merges - start->merges) * frame},
      {&replans, (now.replans - start->replans) * frame},
      {&whole, (now.whole_searches - start->whole_searches) * frame},
      {&depth, now.depth},
      {&tree_bytes, now.tree_bytes / run->course->count},
      {&set_bytes, now.set_bytes / fmax((double)told.pairs, 1)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bench_report_count(run->report, run->case_name, engine->id.name, rows[i].metric, rows[i].value);
  }
}

static void report_times(const struct run *run, const struct contender *contender) {
  const char *name = contender->engine->id.name;
  const bench_broad_case to = {run->report, run->case_name, name};
  double in_a_frame = fmax((double)run->moved / run->frames, 1);
  bench_broad_times_report(&contender->times, run->frames, in_a_frame, &to);
  bench_report_count(run->report, run->case_name, name, &movers, in_a_frame);
  bench_report_count(run->report, run->case_name, name, &moved_pairs,
                     (double)run->pairs / (double)run->checked);
}

static void run_bursts(struct run *run) {
  uint32_t length = run->settings->burst;
  run->burst = allocate(length, sizeof *run->burst);
  for (uint32_t i = 0; i < length; i++) {
    run->burst[i].movers = allocate(run->course->count, sizeof *run->burst[i].movers);
    run->burst[i].boxes = allocate(run->course->count, sizeof *run->burst[i].boxes);
  }
  uint32_t wanted = run->frames;
  for (run->frames = 0; run->frames < wanted && !bench_interrupted();) {
    uint32_t rest = wanted - run->frames, frames = rest < length ? rest : length;
    run_burst(run, run->frames, frames);
    run->frames += frames;
  }
  for (uint32_t i = 0; i < length; i++) {
    free(run->burst[i].movers);
    free(run->burst[i].boxes);
  }
  free(run->burst);
}

static void run_queries(const struct run *run) {
  bench_asked asked[MAX_ENGINES];
  size_t count = 0;
  for (size_t c = 0; c < run->count; c++) {
    if (run->contenders[c].world != NULL) {
      asked[count++] = (bench_asked){run->contenders[c].engine, run->contenders[c].world};
    }
  }
  bench_probe_all(run->course, asked, count, run->settings->queries,
                  (size_t)run->settings->common.repeats, run->report, run->case_name);
}

static void report_and_destroy(struct run *run) {
  for (size_t c = 0; c < run->count && run->frames > 0; c++) {
    if (run->contenders[c].world != NULL) {
      report_times(run, &run->contenders[c]);
    }
  }
  if (run->settings->queries > 0 && !bench_interrupted()) {
    run_queries(run);
  }
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    if (contender->world == NULL) {
      continue;
    }
    if (contender->engine->describe != NULL && run->frames > 0) {
      report_figures(run, contender);
    }
    contender->engine->destroy(contender->world);
    bench_broad_times_destroy(&contender->times);
  }
  bench_report_print(run->report, run->case_name);
}

/* Takes the course. */
static void run_case(struct run *run, const char *name, bench_course *course) {
  run->course = course;
  run->case_name = bench_format("%s/%u", name, course->count);
  run->frames = run->settings->frames;
  if (course->workload == NULL && course->recording.frames < run->frames) {
    run->frames = course->recording.frames;
  }
  run->moved = run->pairs = run->checked = 0;
  build_worlds(run);
  run_bursts(run);
  report_and_destroy(run);
  bench_course_destroy(course);
  free(run->case_name);
}

static void run_file(struct run *run) {
  const char *path = run->settings->file;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail("cannot open %s", path);
  }
  char *name = bench_stem(path);
  run_case(run, name, bench_course_of_recording(file, path));
  free(name);
}

static void run_scene(struct run *run, bench_force force, uint32_t count) {
  const struct settings *settings = run->settings;
  if (bench_interrupted()) {
    return;
  }
  bench_broadmark_def def = settings->scene;
  def.force = force;
  def.count = count;
  def.frames = settings->frames;
  def.seed = settings->common.seed;
  FILE *file = settings->record != NULL ? fopen(settings->record, "w+b") : tmpfile();
  if (file == NULL) {
    fail("cannot make a file for a recording");
  }
  bench_broadmark_record(&def, file);
  rewind(file);
  char *name = bench_format("%s-%s", bench_force_name(force), bench_bodies_name(def.bodies));
  run_case(run, name, bench_course_of_recording(file, name));
  free(name);
}

static void run_workload(struct run *run, const bench_recipe *recipe, uint32_t count) {
  if (bench_interrupted()) {
    return;
  }
  bench_progress("%s/%u: %s", recipe->name, count, recipe->summary);
  run_case(run, recipe->name, bench_course_of_workload(recipe, count, run->settings->common.seed));
}

static void run_share(struct run *run, uint32_t count) {
  bench_recipe recipe = bench_recipe_of_share(run->settings->share);
  run_workload(run, &recipe, count);
}

static void run_all(struct run *run) {
  const struct settings *settings = run->settings;
  if (settings->file != NULL) {
    run_file(run);
    return;
  }
  for (unsigned force = 0; bench_force_name(force) != NULL; force++) {
    if (bench_list_has(settings->scenes, bench_force_name(force), false)) {
      for (size_t n = 0; n < settings->shape_counts; n++) {
        run_scene(run, (bench_force)force, settings->shapes[n]);
      }
    }
  }
  for (size_t n = 0; n < settings->shape_counts && settings->share > 0; n++) {
    run_share(run, settings->shapes[n]);
  }
  for (size_t r = 0; r < bench_recipe_count; r++) {
    if (settings->scenes == NULL && settings->share == 0 &&
        bench_list_has_recipe(settings->workloads, &bench_recipes[r])) {
      for (size_t n = 0; n < settings->shape_counts; n++) {
        run_workload(run, &bench_recipes[r], settings->shapes[n]);
      }
    }
  }
  if (settings->shape_counts > 1) {
    static const bench_metric *const curves[] = {&bench_broad_each[BENCH_STEP],
                                                 &bench_broad_each[BENCH_UPDATE],
                                                 &bench_broad_each[BENCH_PAIRS],
                                                 &reinserts_each,
                                                 &leaves_each,
                                                 &depth,
                                                 &tree_bytes};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
      bench_report_print_across(run->report, curves[i]);
    }
  }
}

/* Options. */

static void choose(struct run *run, const bench_broad_engine *engine, const char *list) {
  if (bench_list_has(list, engine->id.name, true)) {
    run->contenders[run->count++].engine = engine;
    if (engine->id.version != NULL) {
      bench_report_add_peer(run->report, engine->id.name, engine->id.version);
    }
  }
}

static bench_names engine_names(void) {
  bench_names names = {0};
  for (size_t e = 0; e < bench_broad_motte_count; e++) {
    bench_names_add(&names, bench_broad_motte[e].id.name);
  }
  return names;
}

static bench_names peer_names(void) {
  bench_names names = {0};
  for (size_t e = 0; bench_broad_peers[e] != NULL; e++) {
    bench_names_add(&names, bench_broad_peers[e]->id.name);
  }
  return names;
}

static void choose_engines(struct run *run) {
  for (size_t e = 0; e < bench_broad_motte_count; e++) {
    choose(run, &bench_broad_motte[e], run->settings->common.engines);
  }
  for (size_t e = 0; bench_broad_peers[e] != NULL; e++) {
    choose(run, bench_broad_peers[e], run->settings->common.peers);
  }
  if (run->count == 0) {
    fail("no engine left to run");
  }
}

enum {
  KEY_SHAPES = 'n',
  KEY_MOVING = 'm',
  KEY_FRAMES = 'f',
  KEY_WORKLOAD = 'w',
  KEY_SCENE = 's',
  KEY_BODIES = 'b',
  KEY_DENSITY = 'd',
  KEY_SKIP = 0x2000,
  KEY_BURST,
  KEY_FILE,
  KEY_RECORD,
  KEY_PEER_SHAPES,
  KEY_QUERIES,
};

static void parse_shapes(struct settings *settings, const char *argument) {
  settings->shape_counts = 0;
  for (const char *item = argument; *item != '\0';) {
    size_t span = strcspn(item, ",");
    char *text = bench_format("%.*s", (int)span, item);
    if (settings->shape_counts == MAX_CASES) {
      fail("--shapes: at most %d numbers", MAX_CASES);
    }
    settings->shapes[settings->shape_counts++] =
        (uint32_t)bench_parse_count("shapes", text, 1, 10000000);
    free(text);
    item += span + (item[span] == ',');
  }
}

static void parse_bodies(struct settings *settings, const char *argument) {
  for (unsigned bodies = 0; bench_bodies_name(bodies) != NULL; bodies++) {
    if (strcmp(bench_bodies_name(bodies), argument) == 0) {
      settings->scene.bodies = (bench_bodies)bodies;
      return;
    }
  }
  fail("--bodies wants cubes, balls or assorted, not \"%s\"", argument);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &settings->common;
    return 0;
  case KEY_SHAPES:
    parse_shapes(settings, argument);
    return 0;
  case KEY_MOVING:
    settings->share = bench_parse_real("moving", argument, 1e-7, 1);
    return 0;
  case KEY_FRAMES:
    settings->frames = (uint32_t)bench_parse_count("frames", argument, 1, 1000000);
    return 0;
  case KEY_WORKLOAD:
    settings->workloads = argument;
    return 0;
  case KEY_SCENE:
    settings->scenes = argument;
    return 0;
  case KEY_BODIES:
    parse_bodies(settings, argument);
    return 0;
  case KEY_DENSITY:
    settings->scene.density = bench_parse_real("density", argument, 1e-6, 0.5);
    return 0;
  case KEY_SKIP:
    settings->scene.skip = (uint32_t)bench_parse_count("skip", argument, 0, 1000000);
    return 0;
  case KEY_BURST:
    settings->burst = (uint32_t)bench_parse_count("burst", argument, 1, 1000);
    return 0;
  case KEY_FILE:
    settings->file = argument;
    return 0;
  case KEY_RECORD:
    settings->record = argument;
    return 0;
  case KEY_QUERIES:
    settings->queries = (uint32_t)bench_parse_count("queries", argument, 0, 1000000);
    return 0;
  case KEY_PEER_SHAPES:
    settings->peer_shapes = (uint32_t)bench_parse_count("peer-shapes", argument, 0, 10000000);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Fails at names in lists that nothing has. */
static void check_lists(const struct settings *settings) {
  bench_names workloads = {0}, forces = {0};
  for (unsigned i = 0; bench_recipe_name(i) != NULL; i++) {
    bench_names_add(&workloads, bench_recipe_name(i));
  }
  bench_list_check("workload", settings->workloads, &workloads);
  for (unsigned force = 0; bench_force_name(force) != NULL; force++) {
    bench_names_add(&forces, bench_force_name(force));
  }
  bench_list_check("scene", settings->scenes, &forces);
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"shapes", KEY_SHAPES, "N,...", 0, "how many boxes (default 10000)", 0},
      {"frames", KEY_FRAMES, "F", 0, "frames of motion (default 24)", 0},
      {"burst", KEY_BURST, "B", 0,
       "frames that an engine plays before it is the next one's turn (default 8; 1: nothing is in "
       "the cache)",
       0},
      {"peer-shapes", KEY_PEER_SHAPES, "N", 0,
       "peers sit out where there are more boxes (default 100000)", 0},
      {"queries", KEY_QUERIES, "Q", 0,
       "queries with boxes and rays, so many of each kind, after the last frame, --repeats times "
       "(default 0)",
       0},
      {"workload", KEY_WORKLOAD, "W,...", 0,
       "by names or letters (see below), or all (default walk)", 1},
      {"moving", KEY_MOVING, "SHARE", 0, "instead: this share walks, above 0 to 1", 1},
      {"scene", KEY_SCENE, "S,...", 0,
       "instead: Broadmark's, of brownian, freefall, gravity, or all", 2},
      {"bodies", KEY_BODIES, "B", 0, "in them: cubes (default), balls or assorted", 2},
      {"density", KEY_DENSITY, "D", 0, "of them: unit cubes per unit of volume (default 0.1)", 2},
      {"skip", KEY_SKIP, "F", 0, "frames of them that pass unrecorded (default 100)", 2},
      {"record", KEY_RECORD, "FILE", 0, "keep the last one's boxes in a file", 2},
      {"file", KEY_FILE, "FILE", 0, "instead: boxes recorded by this, or by Broadmark", 3},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {
      .common = bench_default_options("motte"),
      .shapes = {10000},
      .shape_counts = 1,
      .workloads = "walk",
      .scene = {.density = 0.1, .skip = 100},
      .frames = 24,
      .burst = 8,
      .peer_shapes = 100000,
  };
  bench_names engines = engine_names(), peers = peer_names();
  char *workloads = bench_describe_recipes();
  char *notes = bench_format(
      "With several numbers of shapes, tables of the cost per box that moved follow, one line per "
      "case. Broadmark's scenes are simulated by Bullet's rigid bodies before anything is "
      "measured.\n\n%s",
      workloads);
  char *documentation = bench_documentation("Finds the pairs of boxes that touch while they move.",
                                            notes, &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, NULL, documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(workloads);
  free(notes);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  check_lists(&settings);
  struct run *run = allocate(1, sizeof *run);
  run->settings = &settings;
  run->report = bench_old_report("broadmark");
  choose_engines(run);
  run_all(run);
  bench_finish(&settings.common, run->report);
  free(run);
}

const bench_old_suite bench_old_suite_broadmark = {"broadmark", "pairs of shapes that move",
                                                   run_suite};
