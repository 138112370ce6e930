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
#include "suite.h"
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
    {"box2_results", "1/query", BENCH_NEITHER_IS_BETTER},
    {"box10_results", "1/query", BENCH_NEITHER_IS_BETTER},
    {"ray_results", "1/query", BENCH_NEITHER_IS_BETTER},
    {"ray_all_results", "1/query", BENCH_NEITHER_IS_BETTER},
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
static const bench_metric stays = {"stays", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric reinserts = {"reinserts", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric climbed = {"levels_climbed", "1/reinsert", BENCH_NEITHER_IS_BETTER};
static const bench_metric descended = {"levels_descended", "1/reinsert", BENCH_NEITHER_IS_BETTER};
static const bench_metric splits = {"splits", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric refused = {"splits_refused", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric merges = {"merges", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric replans = {"replans", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric plane_moves = {"plane_moves", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric root_growths = {"root_growths", "1/frame", BENCH_NEITHER_IS_BETTER};
static const bench_metric dropped = {"planes_dropped", "1/split", BENCH_NEITHER_IS_BETTER};
static const bench_metric rebuilds = {"rebuilds", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric tree_nodes = {"nodes", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric tree_blocks = {"blocks", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric tree_depth = {"depth", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric inner_share = {"items_at_inner_nodes", "share", BENCH_NEITHER_IS_BETTER};
static const bench_metric bytes = {"bytes_per_shape", "B", BENCH_LESS_IS_BETTER};
static const bench_metric tree_bytes = {"tree_bytes_per_shape", "B", BENCH_LESS_IS_BETTER};

enum { CHECKED_QUERIES = 24, FRAME_QUERIES = 256 };

struct settings {
  uint32_t shapes, frames;
  uint32_t aged; /* frames before those, of motion alone */
  double share;  /* of walking bodies, if no workload is named */
  const char *workload, *kind, *mesh;
  bench_counts threads;
};

/* Of an engine. */
struct outcome {
  mo_scene_stats start; /* counters before the first frame */
  bench_answer answers[BENCH_QUERY_KINDS][FRAME_QUERIES];
};

struct state {
  const struct settings *settings;
  bench_mesh *mesh; /* null for cubes */
  bench_workload *workload;
  uint32_t frames, aged; /* that have passed */
  bench_query queries[BENCH_QUERY_KINDS][FRAME_QUERIES];
};

static const bench_world_engine *engine_of(const bench_contender *contender) {
  return (const bench_world_engine *)contender->engine;
}

/* Queries near bodies, new ones each frame. */
static void make_queries(struct state *state) {
  bench_workload *workload = state->workload;
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    for (int i = 0; i < FRAME_QUERIES; i++) {
      bench_query *query = &state->queries[kind][i];
      query->box = bench_workload_box(workload, kind == BENCH_BOX_LARGE ? 10 : 2);
      mo_vec3 corner = query->box.lower;
      query->origin = (mo_vec3){corner.x + 1, corner.y + 1, corner.z + 1};
      query->direction = random_direction(&workload->random);
      query->max_t = 50;
    }
  }
}

static void check_worlds(bench_run *run, const char *when) {
  const struct state *state = run->data;
  bench_progress("%s: checking, %s", run->case_name, when);
  for (size_t c = 0; c < run->count; c++) {
    if (bench_is_active(&run->contenders[c])) {
      bench_world_check(engine_of(&run->contenders[c]), run->contenders[c].world, state->mesh,
                        state->workload, state->queries[BENCH_BOX_LARGE], CHECKED_QUERIES,
                        run->case_name);
    }
  }
}

/* Motte's policies give the same bits. */
static void compare(bench_run *run, bench_contender *contender) {
  const struct outcome *first = run->contenders[0].data, *other = contender->data;
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    for (int i = 0; i < FRAME_QUERIES; i++) {
      bench_answer a = first->answers[kind][i], b = other->answers[kind][i];
      if (a.total != b.total || a.t != b.t) {
        bench_refuse(run, contender, "%s: %u results, the first at %.9g; %s gives %u, %.9g",
                     query_time[kind].name, b.total, b.t, run->contenders[0].engine->name, a.total,
                     a.t);
      }
    }
  }
}

static void compare_answers(bench_run *run, uint32_t frame) {
  struct state *state = run->data;
  bench_check_each(run, compare);
  state->frames = frame + 1;
  if (frame == state->settings->frames / 2) {
    check_worlds(run, "halfway");
  }
}

static void move(bench_run *run, uint32_t frame) {
  (void)frame;
  struct state *state = run->data;
  bench_workload_step(state->workload);
  make_queries(state);
}

static void measure(bench_run *run, bench_contender *contender, uint32_t frame) {
  (void)frame;
  const struct state *state = run->data;
  const bench_world_engine *engine = engine_of(contender);
  struct outcome *outcome = contender->data;
  uint32_t workers = engine->workers;
  engine->prepare(contender->world, state->workload);
  double start = bench_clock_of(workers);
  engine->update(contender->world, bench_replaces(state->workload->recipe.motion));
  bench_sample(run, contender, &update_time, 1e3 * (bench_clock_of(workers) - start));
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    start = bench_clock_of(workers);
    engine->query(contender->world, kind, state->queries[kind], FRAME_QUERIES,
                  outcome->answers[kind]);
    bench_sample(run, contender, &query_time[kind],
                 1e6 * (bench_clock_of(workers) - start) / FRAME_QUERIES);
  }
}

/* Motion without queries, so that thousands of frames pass quickly. */
static void age(bench_run *run) {
  struct state *state = run->data;
  bool replace = bench_replaces(state->workload->recipe.motion);
  for (uint32_t frame = 0; frame < state->settings->aged && !bench_interrupted(); frame++) {
    bench_workload_step(state->workload);
    for (size_t c = 0; c < run->count; c++) {
      bench_contender *contender = &run->contenders[c];
      engine_of(contender)->prepare(contender->world, state->workload);
      engine_of(contender)->update(contender->world, replace);
    }
    state->aged = frame + 1;
    if (state->aged % 1000 == 0) {
      bench_progress("%s: aged by %u frames", run->case_name, state->aged);
    }
  }
}

static void create(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  struct outcome *outcome = contender->data;
  double seconds;
  contender->world = engine_of(contender)->create(
      engine_of(contender), state->mesh, state->workload->bodies, state->workload->count, &seconds);
  outcome->start = engine_of(contender)->describe(contender->world);
  bench_sample(run, contender, &build_time, 1e3 * seconds);
}

static void report_ratio(bench_run *run, bench_contender *contender, const bench_metric *metric,
                         double aged, double fresh) {
  if (fresh > 0) {
    bench_count(run, contender, metric, aged / fresh);
  }
}

/* What the same queries visit in the aged world and in the fresh one. */
static void report_aged_work(bench_run *run, bench_contender *contender, void *worlds[2]) {
  const struct state *state = run->data;
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    mo_query_stats work[2];
    for (int w = 0; w < 2; w++) {
      engine_of(contender)->count_work(worlds[w], kind, state->queries[kind], FRAME_QUERIES,
                                       &work[w]);
    }
    report_ratio(run, contender, &aged_query_nodes[kind], (double)work[0].scene_node_count,
                 (double)work[1].scene_node_count);
    report_ratio(run, contender, &aged_query_blocks[kind], (double)work[0].scene_block_count,
                 (double)work[1].scene_block_count);
  }
}

/* How the engine after all frames compares with itself, freshly built. */
static void report_ageing(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_world_engine *engine = engine_of(contender);
  double seconds_to_build;
  void *fresh = engine->create(engine, state->mesh, state->workload->bodies, state->workload->count,
                               &seconds_to_build);
  void *worlds[2] = {contender->world, fresh};
  mo_scene_stats aged_stats = engine->describe(worlds[0]), fresh_stats = engine->describe(fresh);
  report_ratio(run, contender, &aged_nodes, aged_stats.expected_node_visits,
               fresh_stats.expected_node_visits);
  report_ratio(run, contender, &aged_blocks, aged_stats.expected_block_visits,
               fresh_stats.expected_block_visits);
  report_ratio(run, contender, &aged_tree_nodes, aged_stats.node_count, fresh_stats.node_count);
  report_ratio(run, contender, &aged_tree_blocks, aged_stats.block_count, fresh_stats.block_count);
  report_aged_work(run, contender, worlds);
  static bench_answer answers[FRAME_QUERIES];
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    for (uint32_t r = 0; r < run->repeats; r++) {
      double seconds[2] = {0, 0};
      for (int turn = 0; turn < 8; turn++) { /* which goes first must not matter */
        int w = (turn ^ turn >> 1 ^ (int)r) & 1;
        engine->query(worlds[w], kind, state->queries[kind], FRAME_QUERIES, answers);
        double start = bench_clock();
        engine->query(worlds[w], kind, state->queries[kind], FRAME_QUERIES, answers);
        seconds[w] += bench_clock() - start;
      }
      bench_sample(run, contender, &aged_time[kind], seconds[0] / seconds[1]);
    }
  }
  engine->destroy(fresh);
}

static void report_work(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  for (bench_query_kind kind = 0; kind < BENCH_QUERY_KINDS; kind++) {
    mo_query_stats stats;
    engine_of(contender)->count_work(contender->world, kind, state->queries[kind], FRAME_QUERIES,
                                     &stats);
    double each = 1.0 / FRAME_QUERIES, results = 0;
    for (int i = 0; i < FRAME_QUERIES; i++) {
      results += outcome->answers[kind][i].total;
    }
    bench_count(run, contender, &query_nodes[kind], (double)stats.scene_node_count * each);
    bench_count(run, contender, &query_blocks[kind], (double)stats.scene_block_count * each);
    bench_count(run, contender, &query_results[kind], results * each);
    if (kind == BENCH_RAY) {
      bench_count(run, contender, &ray_shapes, (double)stats.shape_count * each);
      if (state->mesh != NULL) {
        bench_count(run, contender, &ray_mesh_nodes, (double)stats.mesh_node_count * each);
        bench_count(run, contender, &ray_triangles, (double)stats.triangle_count * each);
      }
    }
  }
}

static void report_tree(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  mo_scene_stats stats = engine_of(contender)->describe(contender->world);
  const mo_scene_stats *start = &((const struct outcome *)contender->data)->start;
  double frame = 1.0 / ((double)state->frames + state->aged), shape = 1.0 / state->settings->shapes,
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
    bench_count(run, contender, rows[i].metric, rows[i].value);
  }
}

static void report_all(bench_run *run, bench_contender *contender) {
  report_work(run, contender);
  report_tree(run, contender);
  if (!bench_interrupted()) {
    report_ageing(run, contender);
  }
}

static void destroy_world(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  bench_recipe recipe = settings->workload != NULL ? *bench_find_recipe(settings->workload)
                                                   : bench_recipe_of_share(settings->share);
  bool meshes = settings->mesh != NULL || strcmp(settings->kind, "meshes") == 0;
  struct state *state = allocate(1, sizeof *state);
  state->settings = settings;
  if (meshes) {
    state->mesh = bench_load_or_generate(settings->mesh, 144);
    bench_mesh_normalise(state->mesh);
  }
  state->workload = bench_workload_create(&recipe, settings->shapes, meshes, run->seed);
  run->data = state;
  bench_add_workers(run, "motte", offsetof(bench_world_engine, workers), &settings->threads);
  bench_begin(run, bench_format("%s/%u/%s", recipe.name, settings->shapes,
                                meshes ? state->mesh->name : "boxes"));
  bench_each(run, create);
  make_queries(state);
  if (!bench_interrupted()) {
    check_worlds(run, "before the first frame");
    age(run);
    bench_play(run, &(bench_rounds){settings->frames, 0, move, measure, compare_answers});
    check_worlds(run, "after the last frame");
  }
  bench_end(run, state->frames > 0 ? report_all : NULL);
  bench_release_each(run, destroy_world);
  bench_mesh_free(state->mesh);
  bench_workload_destroy(state->workload);
  if (settings->workload == NULL) {
    free((char *)recipe.name);
  }
  free(state);
}

static void check_settings(const void *opaque) {
  const struct settings *settings = opaque;
  if (settings->share < 1 && settings->workload != NULL) {
    fail("--moving and --workload exclude each other: a workload says who moves");
  }
}

static const char *kind_name(unsigned i) {
  static const char *const names[] = {"boxes", "meshes"};
  return i < 2 ? names[i] : NULL;
}

static const bench_option options[] = {
    {"shapes", "N", "how many bodies", BENCH_COUNT, .offset = offsetof(struct settings, shapes),
     .initial = "10000", .quick = "1000", .min = 1, .max = 1e7},
    {"frames", "F", "frames of motion", BENCH_COUNT, .offset = offsetof(struct settings, frames),
     .initial = "100", .quick = "10", .min = 1, .max = 1e6},
    {"aged", "F",
     "frames of motion without queries before those; the rows \"aged\" compare with a tree built "
     "afresh",
     BENCH_COUNT, .offset = offsetof(struct settings, aged), .initial = "0", .min = 0, .max = 1e7},
    {"moving", "SHARE", "share of them that walks, 0 to 1", BENCH_REAL,
     .offset = offsetof(struct settings, share), .initial = "1", .min = 0, .max = 1},
    {"workload", "W", "instead: by name or letter (see below)", BENCH_NAME,
     .offset = offsetof(struct settings, workload), .name_at = bench_recipe_name},
    {"kind", "KIND", "what the bodies are, of", BENCH_NAME,
     .offset = offsetof(struct settings, kind), .initial = "boxes", .name_at = kind_name},
    {"mesh", "FILE", "the mesh of which the bodies are instances", BENCH_TEXT,
     .offset = offsetof(struct settings, mesh)},
    BENCH_THREADS("for additions and updates", struct settings),
    {0},
};

const bench_suite bench_suite_moving = {
    .name = "moving",
    .summary = "shapes that move, and queries among them",
    .purpose = "Moves bodies and runs queries among them.",
    .more_notes = bench_describe_recipes,
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_motte_worlds[0].id,
    .engine_size = sizeof(bench_world_engine),
    .chosen_engines = "motte,motte-loose,motte-midpoint",
    .contender_size = sizeof(struct outcome),
    .check_settings = check_settings,
    .run = run_all,
};
