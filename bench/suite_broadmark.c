/* The broad phase: boxes that move, and the pairs of them that touch, frame by frame, beside the
 * broad phases of other engines.
 *
 * All engines follow the same motion: workloads made as they go, or recorded, as Broadmark's scenes
 * are. Frames come in bursts: each engine in turn plays the frames of a burst one after another, so
 * that what one leaves in the cache is there for its own next frame, as in a program that has one
 * engine. After a burst each reports its pairs that have a box that moved in its last frame; they
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

static const bench_metric movers = {"movers", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric moved_pairs = {"moved_pairs", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric stays_each = {"stays", "1/mover", BENCH_NEITHER_IS_BETTER};
static const bench_metric reinserts_each = {"reinserts", "1/mover", BENCH_NEITHER_IS_BETTER};
static const bench_metric splits = {"splits", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric merges = {"merges", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric replans = {"replans", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric leaves_each = {"leaves_with_movers", "1/mover", BENCH_NEITHER_IS_BETTER};
static const bench_metric whole = {"whole_searches", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric depth = {"mean_depth", "levels", BENCH_NEITHER_IS_BETTER};
static const bench_metric tree_bytes = {"tree_bytes_per_shape", "B", BENCH_LESS_IS_BETTER};
static const bench_metric set_bytes = {"set_bytes_per_pair", "B", BENCH_LESS_IS_BETTER};

struct settings {
  bench_counts shapes;
  const char *workloads, *scenes, *kind; /* lists, and the kind of bodies in scenes */
  double share;                          /* of a walk, instead of workloads; 0 for none */
  const char *file, *record;
  double density;
  uint32_t frames, skip, burst, peer_shapes;
  uint32_t probes; /* of each kind, after the last frame; 0 for none */
  bench_counts threads;
};

/* What one frame moved. */
struct shot {
  uint32_t *movers;
  bench_box *boxes;
  uint32_t count;
};

/* Of a case. */
struct state {
  const struct settings *settings;
  bench_course *course;
  struct shot *burst;
  uint32_t length;         /* of the burst at hand */
  uint32_t wanted, frames; /* to play; played so far */
  uint64_t moved;          /* in all frames */
  uint64_t pairs, checked; /* of those that were checked */
};

/* Of an engine in a case. */
struct outcome {
  bench_broad_figures start; /* before the first frame */
};

static const bench_broad_engine *engine_of(const bench_contender *contender) {
  return (const bench_broad_engine *)contender->engine;
}

static void take_shot(struct shot *shot, const bench_course *course) {
  shot->count = course->mover_count;
  for (uint32_t k = 0; k < course->mover_count; k++) {
    shot->movers[k] = course->movers[k];
    shot->boxes[k] = course->boxes[course->movers[k]];
  }
}

static void prepare_burst(bench_run *run, uint32_t round) {
  (void)round;
  struct state *state = run->data;
  uint32_t rest = state->wanted - state->frames;
  state->length = rest < state->settings->burst ? rest : state->settings->burst;
  for (uint32_t i = 0; i < state->length; i++) {
    bench_course_step(state->course);
    take_shot(&state->burst[i], state->course);
    state->moved += state->course->mover_count;
  }
  state->frames += state->length;
}

static void play_burst(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  bool replace = state->course->replace;
  for (uint32_t i = 0; i < state->length; i++) {
    const struct shot *shot = &state->burst[i];
    engine_of(contender)->prepare(contender->world, shot->movers, shot->boxes, shot->count,
                                  replace);
    bench_broad_play(run, contender, replace);
  }
}

static void check_pairs(bench_run *run, uint32_t round) {
  (void)round;
  struct state *state = run->data;
  bench_pair_count first = {0};
  const char *first_name = NULL;
  for (size_t c = 0; c < run->count; c++) {
    bench_contender *contender = &run->contenders[c];
    if (!bench_is_active(contender)) {
      continue;
    }
    bench_pair_count count = bench_pair_check(run, contender, state->course);
    if (contender->refused) {
      continue;
    }
    if (first_name == NULL) {
      first = count;
      first_name = contender->engine->name;
    } else if (count.moved != first.moved || count.hash != first.hash) {
      bench_refuse(run, contender, "frame %u: %llu pairs that moved, %s finds %llu",
                   state->frames - 1, (unsigned long long)count.moved, first_name,
                   (unsigned long long)first.moved);
    }
  }
  state->pairs += first.moved;
  state->checked++;
}

static void create(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_course *course = state->course;
  const bench_broad_engine *engine = engine_of(contender);
  bench_boxes boxes = {course->boxes, course->count, course->world, course->resize};
  if ((engine->id.version != NULL && course->count > state->settings->peer_shapes) ||
      (engine->max > 0 && course->count > engine->max)) {
    bench_progress("%s: %s sits out", run->case_name, engine->id.name);
    contender->sits_out = true;
    return;
  }
  bench_progress("%s: building %s", run->case_name, engine->id.name);
  contender->world = engine->create(engine, &boxes);
  if (engine->describe != NULL) {
    engine->describe(contender->world, &((struct outcome *)contender->data)->start);
  }
}

static void report_figures(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_broad_engine *engine = engine_of(contender);
  const bench_broad_figures *start = &((const struct outcome *)contender->data)->start;
  bench_broad_figures now;
  engine->describe(contender->world, &now);
  bench_pair_count counted = bench_pair_check(run, contender, state->course);
  double mover = 1 / fmax((double)state->moved, 1), frame = 1.0 / state->frames;
  const struct {
    const bench_metric *metric;
    double value;
  } rows[] = {
      {&stays_each, (now.stays - start->stays) * mover},
      {&reinserts_each, (now.reinserts - start->reinserts) * mover},
      {&leaves_each, now.leaves_of_movers / fmax(state->course->mover_count, 1)},
      {&splits, (now.splits - start->splits) * frame},
      {&merges, (now.merges - start->merges) * frame},
      {&replans, (now.replans - start->replans) * frame},
      {&whole, (now.whole_searches - start->whole_searches) * frame},
      {&depth, now.depth},
      {&tree_bytes, now.tree_bytes / state->course->count},
      {&set_bytes, now.set_bytes / fmax((double)counted.pairs, 1)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bench_count(run, contender, rows[i].metric, rows[i].value);
  }
}

static void sum_up(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  double in_a_frame = fmax((double)state->moved / state->frames, 1);
  bench_broad_sum_up(run, contender, in_a_frame);
  bench_count(run, contender, &movers, in_a_frame);
  bench_count(run, contender, &moved_pairs, (double)state->pairs / fmax((double)state->checked, 1));
}

static void count(bench_run *run, bench_contender *contender) {
  if (engine_of(contender)->describe != NULL) {
    report_figures(run, contender);
  }
}

static void play_frames(bench_run *run) {
  struct state *state = run->data;
  uint32_t length = state->settings->burst;
  state->burst = allocate(length, sizeof *state->burst);
  for (uint32_t i = 0; i < length; i++) {
    state->burst[i].movers = allocate(state->course->count, sizeof(uint32_t));
    state->burst[i].boxes = allocate(state->course->count, sizeof(bench_box));
  }
  bench_play(run, &(bench_rounds){(state->wanted + length - 1) / length, 0, prepare_burst,
                                  play_burst, check_pairs});
  for (uint32_t i = 0; i < length; i++) {
    free(state->burst[i].movers);
    free(state->burst[i].boxes);
  }
  free(state->burst);
}

static void destroy_world(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

/* Takes the course. */
static void run_case(bench_run *run, const char *name, bench_course *course) {
  const struct settings *settings = run->settings;
  struct state state = {.settings = settings, .course = course, .wanted = settings->frames};
  if (course->workload == NULL && course->recording.frames < state.wanted) {
    state.wanted = course->recording.frames;
  }
  run->data = &state;
  bench_begin(run, bench_format("%s/%u", name, course->count));
  bench_each(run, create);
  play_frames(run);
  for (size_t c = 0; c < run->count; c++) {
    if (bench_is_active(&run->contenders[c]) && run->contenders[c].series_count > 0) {
      sum_up(run, &run->contenders[c]);
    }
  }
  if (settings->probes > 0 && !bench_interrupted()) {
    bench_probe_all(run, course, settings->probes);
  }
  bench_end(run, count);
  bench_release_each(run, destroy_world);
  bench_course_destroy(course);
  run->data = NULL;
}

static void run_file(bench_run *run) {
  const char *path = ((const struct settings *)run->settings)->file;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail("cannot open %s", path);
  }
  char *name = bench_stem(path);
  run_case(run, name, bench_course_of_recording(file, path));
  free(name);
}

static bench_bodies bodies_by_name(const char *name) {
  unsigned bodies = 0;
  while (strcmp(bench_bodies_name(bodies), name) != 0) {
    bodies++;
  }
  return (bench_bodies)bodies;
}

static void run_scene(bench_run *run, bench_force force, uint32_t bodies) {
  const struct settings *settings = run->settings;
  if (bench_interrupted()) {
    return;
  }
  const bench_broadmark_def def = {
      .force = force,
      .bodies = bodies_by_name(settings->kind),
      .count = bodies,
      .density = settings->density,
      .skip = settings->skip,
      .frames = settings->frames,
      .seed = run->seed,
  };
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

static void run_scenes(bench_run *run) {
  const struct settings *settings = run->settings;
  for (unsigned force = 0; bench_force_name(force) != NULL; force++) {
    for (size_t n = 0; n < settings->shapes.count; n++) {
      if (bench_list_has(settings->scenes, bench_force_name(force), false)) {
        run_scene(run, (bench_force)force, settings->shapes.item[n]);
      }
    }
  }
}

static void run_recipe(bench_run *run, const bench_recipe *recipe) {
  const struct settings *settings = run->settings;
  for (size_t n = 0; n < settings->shapes.count && !bench_interrupted(); n++) {
    uint32_t shapes = settings->shapes.item[n];
    bench_progress("%s/%u: %s", recipe->name, shapes, recipe->summary);
    run_case(run, recipe->name, bench_course_of_workload(recipe, shapes, run->seed));
  }
}

static void run_workloads(bench_run *run) {
  const struct settings *settings = run->settings;
  for (size_t r = 0; r < bench_recipe_count; r++) {
    if (bench_list_has_recipe(settings->workloads, &bench_recipes[r])) {
      run_recipe(run, &bench_recipes[r]);
    }
  }
}

static void print_curves(const bench_run *run) {
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

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  bool has_scenes = strcmp(settings->scenes, "none") != 0;
  bench_add_workers(run, "motte", offsetof(bench_broad_engine, workers), &settings->threads);
  if (settings->file != NULL) {
    run_file(run);
    return;
  }
  if (has_scenes) {
    run_scenes(run);
  }
  if (settings->share > 0) {
    const bench_recipe recipe = bench_recipe_of_share(settings->share);
    run_recipe(run, &recipe);
    free((char *)recipe.name);
  }
  if (!has_scenes && settings->share == 0) {
    run_workloads(run);
  }
  if (settings->shapes.count > 1) {
    print_curves(run);
  }
}

static const bench_option options[] = {
    {"shapes", "N,...", "how many boxes", BENCH_COUNTS, .offset = offsetof(struct settings, shapes),
     .initial = "10000", .quick = "1000", .min = 1, .max = 1e7},
    {"frames", "F", "frames of motion", BENCH_COUNT, .offset = offsetof(struct settings, frames),
     .initial = "24", .quick = "8", .min = 1, .max = 1e6},
    {"burst", "B",
     "frames that an engine plays before it is the next one's turn; 1: nothing is in the cache",
     BENCH_COUNT, .offset = offsetof(struct settings, burst), .initial = "8", .quick = "4",
     .min = 1, .max = 1000},
    {"peer-shapes", "N", "peers sit out where there are more boxes", BENCH_COUNT,
     .offset = offsetof(struct settings, peer_shapes), .initial = "100000", .min = 0, .max = 1e7},
    {"probes", "Q",
     "queries with boxes and rays, so many of each kind, after the last frame, --repeats times",
     BENCH_COUNT, .offset = offsetof(struct settings, probes), .initial = "0", .quick = "100",
     .min = 0, .max = 1e6},
    {"workload", "W,...", "by names or letters (see below), or all", BENCH_LIST,
     .offset = offsetof(struct settings, workloads), .initial = "walk",
     .name_at = bench_recipe_name},
    {"moving", "SHARE", "instead: this share walks, above 0 to 1", BENCH_REAL,
     .offset = offsetof(struct settings, share), .min = 1e-7, .max = 1},
    {"scene", "S,...", "instead: Broadmark's, of all or", BENCH_LIST,
     .offset = offsetof(struct settings, scenes), .initial = "none", .name_at = bench_force_name},
    {"kind", "KIND", "of the bodies in them, of", BENCH_NAME,
     .offset = offsetof(struct settings, kind), .initial = "cubes", .name_at = bench_bodies_name},
    {"density", "D", "of them: unit cubes per unit of volume", BENCH_REAL,
     .offset = offsetof(struct settings, density), .initial = "0.1", .min = 1e-6, .max = 0.5},
    {"skip", "F", "frames of them that pass unrecorded", BENCH_COUNT,
     .offset = offsetof(struct settings, skip), .initial = "100", .quick = "20", .min = 0,
     .max = 1e6},
    {"record", "FILE", "keep the last one's boxes in a file", BENCH_TEXT,
     .offset = offsetof(struct settings, record)},
    {"file", "FILE", "instead: boxes recorded by this, or by Broadmark", BENCH_TEXT,
     .offset = offsetof(struct settings, file)},
    BENCH_THREADS("for updates and pairs", struct settings),
    {0},
};

const bench_suite bench_suite_broadmark = {
    .name = "broadmark",
    .summary = "pairs of shapes that move",
    .purpose = "Finds the pairs of boxes that touch while they move.",
    .notes = "With several numbers of shapes, tables of the cost per box that moved follow, one "
             "line per case. Broadmark's scenes are simulated by Bullet's rigid bodies before "
             "anything is measured.",
    .more_notes = bench_describe_recipes,
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_broad_motte[0].id,
    .engine_size = sizeof(bench_broad_engine),
    .chosen_engines = "motte",
    .peers = bench_broad_peers,
    .contender_size = sizeof(struct outcome),
    .run = run_all,
    .headlines = "step,update,pairs",
};
