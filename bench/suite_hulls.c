/* Convex hulls of the point clouds of an engine's own tests, and queries of two of them.
 *
 * Hulls of an engine are right if in many directions they reach as far as the points. Answers of
 * queries are compared with those of the first engine; a referee says which one is wrong. */
#include <math.h>
#include <motte/motte.h>
#include <stdlib.h>
#include <string.h>

#include "clouds.h"
#include "common/check.h"
#include "hulls.h"
#include "motion_referee.h"
#include "pairs_case.h"
#include "suite.h"

static const bench_metric time_of_one = {"time", "us", BENCH_LESS_IS_BETTER}; /* hull or query */
static const bench_metric mean_vertices = {"vertices", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric touching_share = {"touching", "%", BENCH_NEITHER_IS_BETTER};
static const bench_metric mean_points = {"points", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric wrong_share = {"wrong", "%", BENCH_LESS_IS_BETTER};

enum { DIRECTIONS = 50 };

/* Hulls of the queries have a size of 1. */
static const double DISTANCE_TOLERANCE = 1e-4;

/* The share of wrong answers, in percent, above which a peer is not compared. */
static const double TOLERATED = 2;

static const char *const query_names[BENCH_HULL_QUERIES] = {"touch", "distance", "contacts"};

struct settings {
  uint32_t hulls, pairs;
};

struct state {
  bench_clouds clouds;
  bench_mesh **hulls; /* those that are not flat, moved to the origin, of size 1 */
  uint32_t hull_count;
  bench_hull_pair *pairs;
  bench_hull_query query;
};

struct outcome {
  bench_hull_answer *answers;
  double vertices;
  size_t wrong;
};

static const bench_hull_engine *engine_of(const bench_contender *contender) {
  return (const bench_hull_engine *)contender->engine;
}

static void check_data(const char *folder, const void *settings) {
  (void)settings;
  bench_clouds clouds = bench_clouds_read(folder);
  bench_clouds_free(&clouds);
}

/* Making hulls. */

static void measure_hulls(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  const bench_hull_engine *engine = engine_of(contender);
  double begin = bench_clock();
  for (size_t i = 0; i < state->clouds.count; i++) {
    engine->destroy(engine->create(&state->clouds.item[i]));
  }
  bench_sample(run, contender, &time_of_one,
               1e6 * (bench_clock() - begin) / (double)state->clouds.count);
}

static double reach(const mo_vec3 *points, uint32_t count, mo_vec3 direction) {
  double reach = -INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    reach = fmax(reach, (double)points[i].x * direction.x + (double)points[i].y * direction.y +
                            (double)points[i].z * direction.z);
  }
  return reach;
}

/* The size of a cloud, or its distance from the origin, if that is more. */
static double size_of(const bench_cloud *cloud) {
  double size = 0;
  for (int i = 0; i < 3; i++) {
    const float x = i == 0, y = i == 1, z = i == 2;
    const double high = reach(cloud->points, cloud->count, (mo_vec3){x, y, z});
    const double low = -reach(cloud->points, cloud->count, (mo_vec3){-x, -y, -z});
    size = fmax(size, fmax(high - low, fmax(high, -low)));
  }
  return size;
}

/* Whether vertices reach as far as the points in many directions. */
static bool is_hull(const bench_cloud *cloud, const mo_vec3 *vertices, uint32_t count,
                    double tolerance, struct random_stream *random) {
  const double allowed = tolerance * size_of(cloud);
  for (int i = 0; i < DIRECTIONS; i++) {
    const mo_vec3 d = random_direction(random);
    const double expected = reach(cloud->points, cloud->count, d);
    if (!(fabs(reach(vertices, count, d) - expected) <= allowed)) {
      return false;
    }
  }
  return true;
}

static void check_hulls(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_hull_engine *engine = engine_of(contender);
  struct outcome *outcome = contender->data;
  struct random_stream random = random_from_seed(run->seed);
  size_t vertices = 0, wrong = 0;
  for (size_t i = 0; i < state->clouds.count; i++) {
    const bench_cloud *cloud = &state->clouds.item[i];
    mo_vec3 *copy = allocate(cloud->count, sizeof *copy);
    void *hull = engine->create(cloud);
    uint32_t count = engine->get_vertices(hull, copy);
    vertices += count;
    wrong += !is_hull(cloud, copy, count, engine->tolerance, &random);
    engine->destroy(hull);
    free(copy);
  }
  outcome->vertices = (double)vertices / (double)state->clouds.count;
  outcome->wrong = wrong;
  if (wrong > 0 && (contender == run->contenders ||
                    100 * (double)wrong > TOLERATED * (double)state->clouds.count)) {
    bench_refuse(run, contender, "%zu of %zu hulls do not reach as far as their points", wrong,
                 state->clouds.count);
  }
}

static void check_round_of_hulls(bench_run *run, uint32_t round) {
  if (round == 0) {
    bench_check_each(run, check_hulls);
  }
}

static void count_hulls(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  bench_count(run, contender, &mean_vertices, outcome->vertices);
  bench_count(run, contender, &wrong_share,
              100 * (double)outcome->wrong / (double)state->clouds.count);
}

static void run_hulls(bench_run *run) {
  const struct state *state = run->data;
  bench_begin(run, bench_format("convex_hulls/create/%zu", state->clouds.count));
  for (size_t i = 0; i < run->count; i++) {
    run->contenders[i].sits_out = engine_of(&run->contenders[i])->create == NULL;
  }
  bench_play(run, &(bench_rounds){.count = run->repeats,
                                  .warm_up = 1,
                                  .measure = measure_hulls,
                                  .check = check_round_of_hulls});
  bench_end(run, count_hulls);
}

/* Queries. */

static void measure_queries(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  const struct settings *settings = run->settings;
  struct outcome *outcome = contender->data;
  double begin = bench_clock();
  engine_of(contender)->run(contender->world, state->query, state->pairs, settings->pairs,
                            outcome->answers);
  bench_sample(run, contender, &time_of_one, 1e6 * (bench_clock() - begin) / settings->pairs);
}

/* Whether an answer is wrong by more than rounding. Contacts of shapes that are nearly apart may
 * touch, by definition of an engine. */
static bool is_wrong(const struct state *state, size_t i, const bench_hull_answer *answer,
                     const bench_hull_answer *first) {
  const bench_hull_pair *pair = &state->pairs[i];
  if (state->query == BENCH_HULL_DISTANCE) {
    return fabs(answer->distance - first->distance) > DISTANCE_TOLERANCE;
  }
  const bench_motion_body a = {.shape = BENCH_MOTION_HULL, .mesh = state->hulls[pair->a]};
  const bench_motion_body b = {.shape = BENCH_MOTION_HULL, .mesh = state->hulls[pair->b]};
  const mo_transform origin = mo_transform_identity();
  const mo_transform place =
      mo_transform_make(pair->translation, pair->rotation, (mo_vec3){1, 1, 1});
  bench_motion_verdict verdict = bench_motion_judge_bodies(&a, &origin, &b, &place);
  return verdict == (answer->touches ? BENCH_MOTION_APART : BENCH_MOTION_TOUCH);
}

/* Distances of the first engine are right if it finds a touch where the referee does. */
static void check_queries(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct settings *settings = run->settings;
  struct outcome *outcome = contender->data;
  const struct outcome *first = run->contenders[0].data;
  outcome->wrong = 0;
  for (size_t i = 0; i < settings->pairs; i++) {
    outcome->wrong += is_wrong(state, i, &outcome->answers[i], &first->answers[i]);
  }
  const bool is_strict = contender == run->contenders && state->query == BENCH_HULL_TOUCH;
  if (100 * (double)outcome->wrong > (is_strict ? 0 : TOLERATED * settings->pairs)) {
    bench_refuse(run, contender, "%zu of %u answers are wrong", outcome->wrong, settings->pairs);
  }
}

static void check_round_of_queries(bench_run *run, uint32_t round) {
  if (round == 0) {
    bench_check_each(run, check_queries);
  }
}

static void count_queries(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct settings *settings = run->settings;
  const struct outcome *outcome = contender->data;
  double touching = 0, points = 0;
  for (size_t i = 0; i < settings->pairs; i++) {
    touching += outcome->answers[i].touches;
    points += outcome->answers[i].points;
  }
  bench_count(run, contender, &touching_share, 100 * touching / settings->pairs);
  if (state->query == BENCH_HULL_CONTACTS) {
    bench_count(run, contender, &mean_points, points / settings->pairs);
  }
  bench_count(run, contender, &wrong_share, 100 * (double)outcome->wrong / settings->pairs);
}

static void run_query(bench_run *run, bench_hull_query query) {
  struct state *state = run->data;
  const struct settings *settings = run->settings;
  state->query = query;
  bench_begin(run, bench_format("convex_hulls/%s/%u", query_names[query], settings->pairs));
  for (size_t i = 0; i < run->count; i++) {
    run->contenders[i].sits_out = !engine_of(&run->contenders[i])->can(query);
  }
  bench_play(run, &(bench_rounds){.count = run->repeats,
                                  .warm_up = 1,
                                  .measure = measure_queries,
                                  .check = check_round_of_queries});
  bench_end(run, count_queries);
}

/* Hulls that are not flat, of size 1. */
static void make_hulls(struct state *state) {
  state->hulls = allocate(state->clouds.count, sizeof(bench_mesh *));
  for (size_t i = 0; i < state->clouds.count; i++) {
    const bench_cloud *cloud = &state->clouds.item[i];
    bench_mesh *mesh = bench_mesh_hull_of(cloud->points, cloud->count);
    bench_mesh_normalise(mesh);
    mo_vec3 *p = mesh->triangles.positions;
    for (uint32_t k = 0; k < mesh->triangles.vertex_count; k++) {
      p[k] = (mo_vec3){0.5f * p[k].x, 0.5f * p[k].y, 0.5f * p[k].z};
    }
    bench_mesh *hull = bench_mesh_hull_of(p, mesh->triangles.vertex_count); /* rounding moved it */
    const mo_vec3 l = hull->bounds.lower, u = hull->bounds.upper;
    bench_mesh_free(mesh);
    if (u.x - l.x > 0.01f && u.y - l.y > 0.01f && u.z - l.z > 0.01f) {
      state->hulls[state->hull_count++] = hull;
    } else {
      bench_mesh_free(hull);
    }
  }
}

static void make_pairs(const bench_run *run, struct state *state) {
  const struct settings *settings = run->settings;
  struct random_stream random = random_from_seed(run->seed);
  state->pairs = allocate(settings->pairs, sizeof *state->pairs);
  for (uint32_t i = 0; i < settings->pairs; i++) {
    bench_hull_pair *pair = &state->pairs[i];
    pair->a = random_below(&random, state->hull_count);
    pair->b = random_below(&random, state->hull_count);
    pair->rotation = bench_pair_rotation(&random);
    const mo_vec3 d = random_direction(&random);
    const float away = random_between(&random, 0.2f, 1.2f);
    pair->translation = (mo_vec3){away * d.x, away * d.y, away * d.z};
  }
}

static void load(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct settings *settings = run->settings;
  ((struct outcome *)contender->data)->answers =
      allocate(settings->pairs, sizeof(bench_hull_answer));
  contender->world = engine_of(contender)->load(state->hulls, state->hull_count);
}

static void unload(bench_contender *contender) {
  free(((struct outcome *)contender->data)->answers);
  engine_of(contender)->unload(contender->world);
}

static void run_queries(bench_run *run) {
  struct state *state = run->data;
  make_hulls(state);
  if (state->hull_count == 0) {
    return;
  }
  make_pairs(run, state);
  bench_each(run, load);
  for (int query = 0; query < BENCH_HULL_QUERIES && !bench_interrupted(); query++) {
    run_query(run, (bench_hull_query)query);
  }
  bench_release_each(run, unload);
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  struct state state = {.clouds = bench_clouds_read(run->folder)};
  const size_t all = state.clouds.count;
  run->data = &state;
  state.clouds.count = all < settings->hulls ? all : settings->hulls;
  run_hulls(run);
  run_queries(run);
  state.clouds.count = all;
  for (uint32_t i = 0; i < state.hull_count; i++) {
    bench_mesh_free(state.hulls[i]);
  }
  free(state.hulls);
  free(state.pairs);
  bench_clouds_free(&state.clouds);
}

static const bench_option options[] = {
    {"hulls", "N", "of the first point clouds of the file", BENCH_COUNT,
     .offset = offsetof(struct settings, hulls), .initial = "10000", .quick = "500", .min = 1,
     .max = 1e7},
    {"pairs", "N", "of hulls, in random poses", BENCH_COUNT,
     .offset = offsetof(struct settings, pairs), .initial = "10000", .quick = "500", .min = 1,
     .max = 1e7},
    {0},
};

const bench_suite bench_suite_hulls = {
    .name = "hulls",
    .summary = "convex hulls of real point clouds, and queries of two of them",
    .purpose = "Makes the convex hulls of the point clouds that Jolt is tested with, and finds for "
               "pairs of them, scaled to a size of 1, whether they touch, their distance, and "
               "their contacts.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_hull_motte[0].id,
    .engine_size = sizeof(bench_hull_engine),
    .chosen_engines = "motte",
    .needs_first = true,
    .peers = bench_hull_peers,
    .contender_size = sizeof(struct outcome),
    .data = "jolt-hulls",
    .check_data = check_data,
    .headlines = "time",
    .run = run_all,
};
