/* Bodies that move: what keeping the scene up to date costs, and what queries cost meanwhile.
 *
 * All engines follow the same motion in step: each frame, one after the other applies what moved,
 * then answers the same queries. Every answer of Motte's policies must be the same; at the start,
 * in the middle and at the end a sample of them must agree with loops over all bodies. At the end
 * each engine is compared with itself, freshly built from the bodies as they are then. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "interrupt.h"
#include "old_suite.h"
#include "report.h"
#include "text.h"
#include "world.h"

static const bench_metric update_time = {"update", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric build_time = {"build", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric query_time[BENCH_QUERY_KINDS] = {
    {"box2_query", "us", BENCH_LESS_IS_BETTER},
    {"box10_query", "us", BENCH_LESS_IS_BETTER},
    {"ray_query", "us", BENCH_LESS_IS_BETTER},
    {"ray_all_query", "us", BENCH_LESS_IS_BETTER},
};
static const bench_metric query_nodes[BENCH_QUERY_KINDS] = {
    {"box2_nodes", "1/query", BENCH_LESS_IS_BETTER},
    {"box10_nodes", "1/query", BENCH_LESS_IS_BETTER},
    {"ray_nodes", "1/query", BENCH_LESS_IS_BETTER},
    {"ray_all_nodes", "1/query", BENCH_LESS_IS_BETTER},
};
static const bench_metric query_blocks[BENCH_QUERY_KINDS] = {
    {"box2_blocks", "1/query", BENCH_LESS_IS_BETTER},
    {"box10_blocks", "1/query", BENCH_LESS_IS_BETTER},
    {"ray_blocks", "1/query", BENCH_LESS_IS_BETTER},
    {"ray_all_blocks", "1/query", BENCH_LESS_IS_BETTER},
};
static const bench_metric query_results[BENCH_QUERY_KINDS] = {
    {"box2_results", "1/query", BENCH_NO_SENSE},
    {"box10_results", "1/query", BENCH_NO_SENSE},
    {"ray_results", "1/query", BENCH_NO_SENSE},
    {"ray_all_results", "1/query", BENCH_NO_SENSE},
};
static const bench_metric aged_time[BENCH_QUERY_KINDS] = {
    {"box2_time_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"box10_time_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"ray_time_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"ray_all_time_aged", "x fresh", BENCH_LESS_IS_BETTER},
};
static const bench_metric aged_query_nodes[BENCH_QUERY_KINDS] = {
    {"box2_nodes_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"box10_nodes_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"ray_nodes_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"ray_all_nodes_aged", "x fresh", BENCH_LESS_IS_BETTER},
};
static const bench_metric aged_query_blocks[BENCH_QUERY_KINDS] = {
    {"box2_blocks_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"box10_blocks_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"ray_blocks_aged", "x fresh", BENCH_LESS_IS_BETTER},
    {"ray_all_blocks_aged", "x fresh", BENCH_LESS_IS_BETTER},
};
static const bench_metric ray_shapes = {"ray_shapes_tested", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric ray_mesh_nodes = {"ray_mesh_nodes", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric ray_triangles = {"ray_triangles", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric aged_nodes = {"nodes_aged", "x fresh", BENCH_LESS_IS_BETTER};
static const bench_metric aged_blocks = {"blocks_aged", "x fresh", BENCH_LESS_IS_BETTER};
static const bench_metric aged_tree_nodes = {"tree_nodes_aged", "x fresh", BENCH_LESS_IS_BETTER};
static const bench_metric aged_tree_blocks = {"tree_blocks_aged", "x fresh", BENCH_LESS_IS_BETTER};
static const bench_metric stays = {"stays", "1/frame", BENCH_NO_SENSE};
static const bench_metric reinserts = {"reinserts", "1/frame", BENCH_NO_SENSE};
static const bench_metric climbed = {"levels_climbed", "1/reinsert", BENCH_NO_SENSE};
static const bench_metric descended = {"levels_descended", "1/reinsert", BENCH_NO_SENSE};
static const bench_metric splits = {"splits", "1/frame", BENCH_NO_SENSE};
static const bench_metric refused = {"splits_refused", "1/frame", BENCH_NO_SENSE};
static const bench_metric merges = {"merges", "1/frame", BENCH_NO_SENSE};
static const bench_metric replans = {"replans", "1/frame", BENCH_NO_SENSE};
static const bench_metric plane_moves = {"plane_moves", "1/frame", BENCH_NO_SENSE};
static const bench_metric root_growths = {"root_growths", "1/frame", BENCH_NO_SENSE};
static const bench_metric dropped = {"planes_dropped", "1/split", BENCH_NO_SENSE};
static const bench_metric rebuilds = {"rebuilds", "", BENCH_NO_SENSE};
static const bench_metric tree_nodes = {"nodes", "", BENCH_NO_SENSE};
static const bench_metric tree_blocks = {"blocks", "", BENCH_NO_SENSE};
static const bench_metric tree_depth = {"depth", "", BENCH_NO_SENSE};
static const bench_metric inner_share = {"items_at_inner_nodes", "share", BENCH_NO_SENSE};
static const bench_metric bytes = {"bytes_per_shape", "B", BENCH_LESS_IS_BETTER};
static const bench_metric tree_bytes = {"tree_bytes_per_shape", "B", BENCH_LESS_IS_BETTER};

enum { MAX_WORLDS = 16, CHECKED_QUERIES = 24, FRAME_QUERIES = 256 };

struct settings {
  bench_options common;
  uint32_t shapes;
  uint32_t frames;
  uint32_t aged; /* frames before those, of motion alone */
  bench_recipe recipe;
  bool have_share, have_workload;
  const char *policies;
  const char *mesh_file;
  bool meshes;
};

struct contender {
  const bench_world_engine *engine;
  void *world;
  double build_seconds;
  double *update_samples;
  double *query_samples[BENCH_QUERY_KINDS];
  mo_scene_stats start; /* counters before the first frame */
};

struct run {
  const struct settings *settings;
  bench_report *report;
  char *case_name;
  bench_mesh *mesh; /* null for cubes */
  bench_workload *workload;
  uint32_t frames, aged; /* that have passed */
  struct contender contenders[MAX_WORLDS];
  size_t count;
  bench_query queries[BENCH_QUERY_KINDS][FRAME_QUERIES];
  bench_answer answers[BENCH_QUERY_KINDS][FRAME_QUERIES];  /* the first engine's */
  bench_answer answers2[BENCH_QUERY_KINDS][FRAME_QUERIES]; /* another's */
};

/* Queries near bodies, new ones each frame. */
static void make_queries(struct run *run) {
  bench_workload *workload = run->workload;
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    for (int i = 0; i < FRAME_QUERIES; i++) {
      bench_query *query = &run->queries[kind][i];
      query->box = bench_workload_box(workload, kind == BENCH_BOX_LARGE ? 10 : 2);
      mo_vec3 corner = query->box.lower;
      query->origin = (mo_vec3){corner.x + 1, corner.y + 1, corner.z + 1};
      query->direction = random_direction(&workload->random);
      query->max_t = 50;
    }
  }
}

static void check_worlds(struct run *run, const char *when) {
  bench_progress("%s: checking, %s", run->case_name, when);
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    bench_world_check(contender->engine, contender->world, run->mesh, run->workload,
                      run->queries[BENCH_BOX_LARGE], CHECKED_QUERIES, run->case_name);
  }
}

/* Motte's policies give the same bits. */
static void compare_answers(const struct run *run, const bench_world_engine *engine,
                            uint32_t frame) {
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    for (int i = 0; i < FRAME_QUERIES; i++) {
      bench_answer a = run->answers[kind][i], b = run->answers2[kind][i];
      if (a.total != b.total || a.t != b.t) {
        fail("%s: frame %u: %s: %s gives %u results, the first at %.9g; %s gives %u, %.9g",
             run->case_name, frame, query_time[kind].name, run->contenders[0].engine->id.name,
             a.total, a.t, engine->id.name, b.total, b.t);
      }
    }
  }
}

static void run_frame(struct run *run, uint32_t frame) {
  bench_workload_step(run->workload);
  make_queries(run);
  bool replace = bench_replaces(run->workload->recipe.motion);
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    const bench_world_engine *engine = contender->engine;
    engine->prepare(contender->world, run->workload);
    double start = bench_clock();
    engine->update(contender->world, replace);
    contender->update_samples[frame] = 1e3 * (bench_clock() - start);
    bench_answer(*answers)[FRAME_QUERIES] = c == 0 ? run->answers : run->answers2;
    for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
      start = bench_clock();
      engine->query(contender->world, kind, run->queries[kind], FRAME_QUERIES, answers[kind]);
      contender->query_samples[kind][frame] = 1e6 * (bench_clock() - start) / FRAME_QUERIES;
    }
    if (c > 0) {
      compare_answers(run, engine, frame);
    }
  }
}

/* Motion without queries, so that thousands of frames pass quickly. */
static void age(struct run *run) {
  bool replace = bench_replaces(run->workload->recipe.motion);
  for (uint32_t frame = 0; frame < run->settings->aged && !bench_interrupted(); frame++) {
    bench_workload_step(run->workload);
    for (size_t c = 0; c < run->count; c++) {
      struct contender *contender = &run->contenders[c];
      contender->engine->prepare(contender->world, run->workload);
      contender->engine->update(contender->world, replace);
    }
    run->aged = frame + 1;
    if (run->aged % 1000 == 0) {
      bench_progress("%s: aged by %u frames", run->case_name, run->aged);
    }
  }
}

static void build_worlds(struct run *run) {
  uint32_t frames = run->settings->frames;
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    const bench_world_engine *engine = contender->engine;
    contender->world = engine->create(engine, run->mesh, run->workload->bodies,
                                      run->workload->count, &contender->build_seconds);
    contender->start = engine->describe(contender->world);
    contender->update_samples = allocate(frames, sizeof(double));
    for (int kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
      contender->query_samples[kind] = allocate(frames, sizeof(double));
    }
  }
}

static void report_ratio(struct run *run, const char *engine, const bench_metric *metric,
                         double aged, double fresh) {
  if (fresh > 0) {
    bench_report_count(run->report, run->case_name, engine, metric, aged / fresh);
  }
}

/* What the same queries visit in the aged world and in the fresh one. */
static void report_aged_work(struct run *run, const bench_world_engine *engine, void *worlds[2]) {
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    mo_query_stats work[2];
    for (int w = 0; w < 2; w++) {
      engine->count_work(worlds[w], kind, run->queries[kind], FRAME_QUERIES, &work[w]);
    }
    report_ratio(run, engine->id.name, &aged_query_nodes[kind], (double)work[0].scene_node_count,
                 (double)work[1].scene_node_count);
    report_ratio(run, engine->id.name, &aged_query_blocks[kind], (double)work[0].scene_block_count,
                 (double)work[1].scene_block_count);
  }
}

/* How the engine after all frames compares with itself, freshly built. */
static void report_ageing(struct run *run, const struct contender *contender) {
  const bench_world_engine *engine = contender->engine;
  double seconds_to_build;
  void *fresh = engine->create(engine, run->mesh, run->workload->bodies, run->workload->count,
                               &seconds_to_build);
  void *worlds[2] = {contender->world, fresh};
  mo_scene_stats aged_stats = engine->describe(worlds[0]), fresh_stats = engine->describe(fresh);
  report_ratio(run, engine->id.name, &aged_nodes, aged_stats.expected_node_visits,
               fresh_stats.expected_node_visits);
  report_ratio(run, engine->id.name, &aged_blocks, aged_stats.expected_block_visits,
               fresh_stats.expected_block_visits);
  report_ratio(run, engine->id.name, &aged_tree_nodes, aged_stats.node_count,
               fresh_stats.node_count);
  report_ratio(run, engine->id.name, &aged_tree_blocks, aged_stats.block_count,
               fresh_stats.block_count);
  report_aged_work(run, engine, worlds);
  size_t repeats = (size_t)run->settings->common.repeats;
  double *ratios = allocate(repeats, sizeof *ratios);
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    for (size_t r = 0; r < repeats; r++) {
      double seconds[2] = {0, 0};
      for (int turn = 0; turn < 8; turn++) { /* which goes first must not matter */
        int w = (turn ^ turn >> 1 ^ (int)r) & 1;
        engine->query(worlds[w], kind, run->queries[kind], FRAME_QUERIES, run->answers2[kind]);
        double start = bench_clock();
        engine->query(worlds[w], kind, run->queries[kind], FRAME_QUERIES, run->answers2[kind]);
        seconds[w] += bench_clock() - start;
      }
      ratios[r] = seconds[0] / seconds[1];
    }
    bench_report_add(run->report, run->case_name, engine->id.name, &aged_time[kind],
                     bench_summarise(ratios, repeats));
  }
  free(ratios);
  engine->destroy(fresh);
}

static void report_work(const struct run *run, const struct contender *contender) {
  const char *name = contender->engine->id.name;
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    mo_query_stats stats;
    contender->engine->count_work(contender->world, kind, run->queries[kind], FRAME_QUERIES,
                                  &stats);
    double each = 1.0 / FRAME_QUERIES, results = 0;
    for (int i = 0; i < FRAME_QUERIES; i++) {
      results += run->answers[kind][i].total;
    }
    bench_report_count(run->report, run->case_name, name, &query_nodes[kind],
                       (double)stats.scene_node_count * each);
    bench_report_count(run->report, run->case_name, name, &query_blocks[kind],
                       (double)stats.scene_block_count * each);
    bench_report_count(run->report, run->case_name, name, &query_results[kind], results * each);
    if (kind == BENCH_RAY) {
      bench_report_count(run->report, run->case_name, name, &ray_shapes,
                         (double)stats.shape_count * each);
      if (run->mesh != NULL) {
        bench_report_count(run->report, run->case_name, name, &ray_mesh_nodes,
                           (double)stats.mesh_node_count * each);
        bench_report_count(run->report, run->case_name, name, &ray_triangles,
                           (double)stats.triangle_count * each);
      }
    }
  }
}

static void report_tree(const struct run *run, const struct contender *contender) {
  mo_scene_stats stats = contender->engine->describe(contender->world);
  const mo_scene_stats *start = &contender->start;
  double frame = 1.0 / ((double)run->frames + run->aged), shape = 1.0 / run->settings->shapes,
         traced = 1 / fmax((double)(stats.traced_reinsert_count - start->traced_reinsert_count), 1);
  const struct {
    const bench_metric *metric;
    double value;
  } rows[] = {
      {&stays, (double)(stats.stayed_move_count - start->stayed_move_count) * frame},
      {&reinserts, (double)(stats.reinsert_count - start->reinsert_count) * frame},
      {&climbed, (double)(stats.traced_level_up_count - start->traced_level_up_count) * traced},
      {&descended,
       (double)(stats.traced_level_down_count - start->traced_level_down_count) * traced},
      {&splits, (double)(stats.split_count - start->split_count) * frame},
      {&refused, (double)(stats.refused_split_count - start->refused_split_count) * frame},
      {&merges, (double)(stats.merge_count - start->merge_count) * frame},
      {&replans, (double)(stats.replan_count - start->replan_count) * frame},
      {&plane_moves, (double)(stats.plane_move_count - start->plane_move_count) * frame},
      {&root_growths, (double)(stats.root_growth_count - start->root_growth_count) * frame},
      {&dropped, (double)stats.dropped_plane_count / fmax((double)stats.split_count, 1)},
      {&rebuilds, (double)stats.rebuild_count},
      {&tree_nodes, stats.node_count},
      {&tree_blocks, stats.block_count},
      {&tree_depth, stats.max_depth},
      {&inner_share, stats.inner_shape_count * shape},
      {&bytes, (double)stats.bytes * shape},
      {&tree_bytes, (double)stats.tree_bytes * shape},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bench_report_count(run->report, run->case_name, contender->engine->id.name, rows[i].metric,
                       rows[i].value);
  }
}

static void report_all(struct run *run) {
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    const char *name = contender->engine->id.name;
    bench_report_add(run->report, run->case_name, name, &update_time,
                     bench_summarise(contender->update_samples, run->frames));
    for (int kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
      bench_report_add(run->report, run->case_name, name, &query_time[kind],
                       bench_summarise(contender->query_samples[kind], run->frames));
    }
    bench_report_add(run->report, run->case_name, name, &build_time,
                     (bench_summary){.median = 1e3 * contender->build_seconds, .repeats = 1});
    report_work(run, contender);
    report_tree(run, contender);
    if (!bench_interrupted()) {
      report_ageing(run, contender);
    }
  }
}

static void run_workload(struct run *run) {
  const struct settings *settings = run->settings;
  run->workload = bench_workload_create(&settings->recipe, settings->shapes, settings->meshes,
                                        settings->common.seed);
  run->case_name = bench_format("%s/%u/%s", settings->recipe.name, settings->shapes,
                                settings->meshes ? run->mesh->name : "boxes");
  bench_progress("%s: %s", run->case_name, settings->recipe.summary);
  build_worlds(run);
  make_queries(run);
  check_worlds(run, "before the first frame");
  age(run);
  while (run->frames < settings->frames && !bench_interrupted()) {
    run_frame(run, run->frames);
    if (run->frames++ == settings->frames / 2) {
      check_worlds(run, "halfway");
    }
  }
  check_worlds(run, "after the last frame");
  if (run->frames > 0) {
    report_all(run);
  }
  bench_report_print(run->report, run->case_name);
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    contender->engine->destroy(contender->world);
    free(contender->update_samples);
    for (int kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
      free(contender->query_samples[kind]);
    }
  }
  bench_workload_destroy(run->workload);
  free(run->case_name);
}

/* Options. */

/* "irregular" names the engine "motte", "loose" "motte-loose", and so on. The reference traversals
 * are slow, so they run only if --engines names them. */
static bool is_wanted(const struct settings *settings, const char *engine) {
  bool is_reference = strcmp(engine, "motte-planewalk") == 0 || strcmp(engine, "motte-naive") == 0;
  if (is_reference) {
    return bench_list_has(settings->common.engines, engine, false);
  }
  const char *policy = strcmp(engine, "motte") == 0 ? "irregular" : engine + strlen("motte-");
  return bench_list_has(settings->policies, policy, true) &&
         bench_list_has(settings->common.engines, engine, false);
}

static void choose_engines(struct run *run) {
  for (size_t e = 0; e < bench_motte_world_count; e++) {
    const bench_world_engine *engine = &bench_motte_worlds[e];
    if (is_wanted(run->settings, engine->id.name)) {
      run->contenders[run->count++].engine = engine;
    }
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
  KEY_POLICY = 'p',
  KEY_AGED = 'a',
  KEY_MESH = 0x2000,
  KEY_KIND,
};

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
    settings->recipe = bench_recipe_of_share(bench_parse_real("moving", argument, 0, 1));
    settings->have_share = true;
    return 0;
  case KEY_FRAMES:
    settings->frames = (uint32_t)bench_parse_count("frames", argument, 1, 1000000);
    return 0;
  case KEY_AGED:
    settings->aged = (uint32_t)bench_parse_count("aged", argument, 0, 10000000);
    return 0;
  case KEY_WORKLOAD:
    settings->recipe = *bench_find_recipe("workload", argument);
    settings->have_workload = true;
    return 0;
  case KEY_POLICY:
    settings->policies = argument;
    return 0;
  case KEY_MESH:
    settings->mesh_file = argument;
    settings->meshes = true;
    return 0;
  case KEY_KIND:
    if (strcmp(argument, "boxes") != 0 && strcmp(argument, "meshes") != 0) {
      fail("--kind wants boxes or meshes, not \"%s\"", argument);
    }
    settings->meshes = strcmp(argument, "meshes") == 0;
    return 0;
  case ARGP_KEY_END:
    if (settings->have_share && settings->have_workload) {
      fail("--moving and --workload exclude each other: a workload says who moves");
    }
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"shapes", KEY_SHAPES, "N", 0, "how many bodies (default 10000)", 0},
      {"moving", KEY_MOVING, "SHARE", 0, "share of them that walks, 0 to 1 (default 1)", 0},
      {"frames", KEY_FRAMES, "F", 0, "frames of motion (default 100)", 0},
      {"aged", KEY_AGED, "F", 0,
       "frames of motion without queries before those (default 0); the rows \"aged\" compare with "
       "a "
       "tree built afresh",
       0},
      {"workload", KEY_WORKLOAD, "W", 0, "by name or letter (see below)", 0},
      {"policy", KEY_POLICY, "LIST", 0, "of irregular,loose,midpoint, or all (default)", 0},
      {"kind", KEY_KIND, "KIND", 0, "boxes (default) or meshes", 0},
      {"mesh", KEY_MESH, "FILE", 0, "the mesh of which the bodies are instances", 0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {
      .common = bench_default_options("motte,motte-loose,motte-midpoint"),
      .shapes = 10000,
      .frames = 100,
      .recipe = bench_recipes[0],
  };
  bench_names engines = {0}, peers = {0}, policies = {{"irregular", "loose", "midpoint"}, 3};
  for (size_t e = 0; e < bench_motte_world_count; e++) {
    bench_names_add(&engines, bench_motte_worlds[e].id.name);
  }
  char *workloads = bench_describe_recipes();
  char *documentation = bench_documentation("Moves bodies and runs queries among them.", workloads,
                                            &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, NULL, documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(workloads);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  bench_list_check("policy", settings.policies, &policies);

  struct run *run = allocate(1, sizeof *run);
  run->settings = &settings;
  run->report = bench_old_report("moving");
  choose_engines(run);
  if (settings.meshes) {
    run->mesh =
        settings.mesh_file != NULL ? bench_mesh_load(settings.mesh_file) : bench_mesh_generate(144);
    bench_mesh_normalise(run->mesh);
  }
  run_workload(run);
  bench_mesh_free(run->mesh);
  bench_finish(&settings.common, run->report);
  free(run);
}

const bench_old_suite bench_old_suite_moving = {
    "moving", "shapes that move, and queries among them", run_suite};
