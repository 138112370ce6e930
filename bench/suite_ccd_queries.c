/* Which vertices and faces, and which edges, collide while their vertices move on segments: queries
 * with an answer by exact arithmetic, most of them made to be hard.
 *
 * An engine that misses a collision which it promises to find is refused. Of others what they miss
 * is counted, and so is what they find where nothing collides. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "ccd.h"
#include "common/check.h"
#include "grow.h"
#include "suite.h"

static const bench_metric query_time = {"time", "us/query", BENCH_LESS_IS_BETTER};
static const bench_metric false_negatives = {"false_negatives", "", BENCH_LESS_IS_BETTER};
static const bench_metric false_positives = {"false_positives", "", BENCH_LESS_IS_BETTER};
static const bench_metric query_count = {"queries", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric collision_count = {"collisions", "", BENCH_NEITHER_IS_BETTER};

static const char *const kinds[2] = {"vertex-face", "edge-edge"};

struct settings {
  uint32_t max_queries;
};

struct outcome {
  bool *collides;
};

struct state {
  bench_ccd_queries queries;
};

static const bench_ccd_engine *engine_of(const bench_contender *contender) {
  return (const bench_ccd_engine *)contender->engine;
}

static void measure(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  struct outcome *outcome = contender->data;
  size_t count = state->queries.count;
  double begin = bench_clock();
  engine_of(contender)->run(state->queries.item, count, outcome->collides);
  bench_sample(run, contender, &query_time, 1e6 * (bench_clock() - begin) / (double)count);
}

static void judge(const struct state *state, const struct outcome *outcome, size_t *missed,
                  size_t *extra) {
  bench_ccd_judge(state->queries.item, state->queries.count, outcome->collides, missed, extra);
}

static void check_answers(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  size_t missed, extra;
  judge(state, contender->data, &missed, &extra);
  if (missed > 0 && engine_of(contender)->finds_all) {
    bench_refuse(run, contender, "it misses %zu collisions", missed);
  }
}

static void check_round(bench_run *run, uint32_t round) {
  (void)round;
  bench_check_each(run, check_answers);
}

static void count(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  size_t missed, extra, collisions = 0;
  judge(state, contender->data, &missed, &extra);
  for (size_t i = 0; i < state->queries.count; i++) {
    collisions += state->queries.item[i].collides;
  }
  bench_count(run, contender, &false_negatives, (double)missed);
  bench_count(run, contender, &false_positives, (double)extra);
  bench_count(run, contender, &query_count, (double)state->queries.count);
  bench_count(run, contender, &collision_count, (double)collisions);
}

/* Names in a folder that are not hidden, sorted; for free() each. */
static struct dirent **list(const char *folder, int *count) {
  struct dirent **entries = NULL;
  *count = scandir(folder, &entries, NULL, alphasort);
  return entries;
}

/* Reads the files of a folder up to a number of queries; there need not be one. */
static void read_folder(const char *folder, bool of_edges, size_t max, bench_ccd_queries *queries) {
  int count;
  struct dirent **entries = list(folder, &count);
  for (int i = 0; i < count; i++) {
    const char *ending = strrchr(entries[i]->d_name, '.');
    if (ending != NULL && strcmp(ending, ".csv") == 0) {
      char *path = bench_format("%s/%s", folder, entries[i]->d_name);
      bench_ccd_read(path, of_edges, max, queries);
      free(path);
    }
    free(entries[i]);
  }
  free(entries);
}

static void run_case(void *context, const char *name) {
  bench_run *run = context;
  struct state *state = run->data;
  for (size_t i = 0; i < run->count; i++) {
    ((struct outcome *)run->contenders[i].data)->collides = allocate(state->queries.count, 1);
  }
  bench_begin(run, bench_format("%s", name));
  bench_play(run,
             &(bench_rounds){
                 .count = run->repeats, .warm_up = 1, .measure = measure, .check = check_round});
  bench_end(run, count);
  for (size_t i = 0; i < run->count; i++) {
    free(((struct outcome *)run->contenders[i].data)->collides);
  }
}

/* Reads the queries of each scene and kind, and calls a function, which may be null, for those that
 * there are. Returns how many cases there are. */
static size_t each_case(const char *data, size_t max, bench_ccd_queries *queries,
                        void (*visit)(void *context, const char *name), void *context) {
  int scenes;
  struct dirent **entries = list(data, &scenes);
  size_t cases = 0;
  for (int i = 0; i < scenes; i++) {
    for (int kind = 0; kind < 2 && entries[i]->d_name[0] != '.' && !bench_interrupted(); kind++) {
      char *name = bench_format("%s/%s", entries[i]->d_name, kinds[kind]);
      char *folder = bench_format("%s/%s", data, name);
      queries->count = 0;
      read_folder(folder, kind == 1, max, queries);
      if (queries->count > 0 && visit != NULL) {
        visit(context, name);
      }
      cases += queries->count > 0;
      free(folder);
      free(name);
    }
    free(entries[i]);
  }
  free(entries);
  return cases;
}

static void check_data(const char *folder, const void *settings) {
  bench_ccd_queries queries = {0};
  size_t max = ((const struct settings *)settings)->max_queries;
  if (each_case(folder, max, &queries, NULL, NULL) == 0 && !bench_interrupted()) {
    fail("%s has no SCENE/vertex-face/*.csv and no SCENE/edge-edge/*.csv", folder);
  }
  free(queries.item);
}

static void run_all(bench_run *run) {
  struct state state = {.queries = {0}};
  const struct settings *settings = run->settings;
  run->data = &state;
  each_case(run->folder, settings->max_queries, &state.queries, run_case, run);
  free(state.queries.item);
}

static const bench_option options[] = {
    {"max-queries", "N", "of each case the first N queries", BENCH_COUNT,
     .offset = offsetof(struct settings, max_queries), .initial = "1000000", .quick = "100",
     .min = 1, .max = 1e9},
    {0},
};

static const char *why_not_compared(const bench_engine_id *peer) {
  return ((const bench_ccd_engine *)peer)->finds_all ? NULL : "which misses some collisions";
}

const bench_suite bench_suite_ccd_queries = {
    .name = "ccd-queries",
    .summary = "collisions of vertices, edges and faces whose vertices move on segments",
    .purpose = "Answers queries of continuous collision detection whose answers are known exactly "
               "(Wang and others 2021).",
    .notes = "Motte's impacts are of shapes that move rigidly: here its distances "
             "(mo_primitive_find_distance) answer, with a search over time on top of them "
             "(bench/ccd_motte.c).",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_ccd_motte[0].id,
    .engine_size = sizeof(bench_ccd_engine),
    .chosen_engines = "motte",
    .peers = bench_ccd_peers,
    .contender_size = sizeof(struct outcome),
    .why_not_compared = why_not_compared,
    .data = "ccd-sample-queries",
    .check_data = check_data,
    .headlines = "time",
    .run = run_all,
};
