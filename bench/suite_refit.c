/* Meshes whose vertices move every frame: what following them costs, and what rays cost afterwards.
 *
 * Every frame all engines take up the same positions, in turns that start with another engine each
 * time. When all frames are done, a sample of the answers to rays must agree with a loop over all
 * triangles in double precision, and those of Motte's engines with each other bit by bit. For
 * comparison the memory that Motte's refit writes is copied from one place to another each frame.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "rays.h"
#include "refit.h"
#include "suite.h"

static const bench_metric update_ms = {"update", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric update_ns = {"update_per_triangle", "ns", BENCH_LESS_IS_BETTER};
static const bench_metric throughput = {"throughput", "Mray/s", BENCH_MORE_IS_BETTER};
static const bench_metric nodes_per_ray = {"nodes_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric blocks_per_ray = {"blocks_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric degradation = {"degradation", "", BENCH_LESS_IS_BETTER};
static const bench_metric written = {"written_per_second", "GB/s", BENCH_MORE_IS_BETTER};
static const bench_metric differences = {"differences", "rays", BENCH_NEITHER_IS_BETTER};

#define DIFFERENCES_ALLOWED 1e-3

struct settings {
  bench_files meshes;
  const char *motions;
  uint32_t rays, frames;
  bool is_sequence; /* the meshes are the frames of one that moves */
};

struct motion {
  const char *name;
  bench_motion kind;
  bench_mesh *const *keys; /* null: by kind */
  size_t key_count;
};

/* Of a case. */
struct state {
  const struct settings *settings;
  const struct motion *motion;
  bench_mesh *mesh;
  const bench_mesh *rest;
  bench_contender *memory; /* not an engine: copies what the first one writes */
  char *from, *to;         /* the memory, once it is known how much is written */
  const bench_ray *rays;
};

/* Of an engine. */
struct outcome {
  bench_refit_report report;
  bench_hit *hits;
  size_t differences; /* from the first engine */
};

static const bench_refit_engine *engine_of(const bench_contender *contender) {
  return (const bench_refit_engine *)contender->engine;
}

static struct outcome *outcome_of(const bench_contender *contender) {
  return contender->data;
}

/* Meshes. */

static bench_mesh *copy_mesh(const bench_mesh *mesh) {
  bench_mesh *copy = allocate(1, sizeof *copy);
  const struct triangles *from = &mesh->triangles;
  size_t vertices = (size_t)from->vertex_count + 1, indices = 3 * (size_t)from->triangle_count;
  *copy = *mesh;
  copy->name = bench_format("%s", mesh->name);
  copy->triangles.positions = allocate(vertices, sizeof *from->positions);
  copy->triangles.indices = allocate(indices, sizeof *from->indices);
  memcpy(copy->triangles.positions, from->positions, vertices * sizeof *from->positions);
  memcpy(copy->triangles.indices, from->indices, indices * sizeof *from->indices);
  return copy;
}

/* From the first frame of a sequence to the last and back, as often as it takes. */
static void interpolate(bench_mesh *mesh, bench_mesh *const *keys, size_t key_count, double time) {
  double place = 4 * time; /* there and back twice */
  place -= 2 * floor(place / 2);
  place = (place > 1 ? 2 - place : place) * (double)(key_count - 1);
  size_t k = place < 1 ? 0 : place >= (double)(key_count - 1) ? key_count - 2 : (size_t)place;
  float share = (float)(place - (double)k);
  const mo_vec3 *a = keys[k]->triangles.positions, *b = keys[k + 1]->triangles.positions;
  for (uint32_t i = 0; i < mesh->triangles.vertex_count; i++) {
    mesh->triangles.positions[i] =
        (mo_vec3){a[i].x + share * (b[i].x - a[i].x), a[i].y + share * (b[i].y - a[i].y),
                  a[i].z + share * (b[i].z - a[i].z)};
  }
  bench_mesh_find_bounds(mesh);
}

/* Frames. */

static double time_copy(char *to, const char *from, size_t size) {
  double start = bench_clock();
  memcpy(to, from, size);
  __asm__ volatile("" : : "r"(to) : "memory"); /* it is wanted */
  return bench_clock() - start;
}

static void deform(bench_run *run, uint32_t frame) {
  const struct state *state = run->data;
  double time = (double)(frame + 1) / state->settings->frames;
  if (state->motion->keys != NULL) {
    interpolate(state->mesh, state->motion->keys, state->motion->key_count, time);
  } else {
    bench_deform(state->mesh, state->rest, state->motion->kind, time);
  }
}

static void update(bench_run *run, bench_contender *contender, uint32_t frame) {
  (void)frame;
  double start = bench_clock();
  engine_of(contender)->update(contender->world, &outcome_of(contender)->report);
  bench_sample(run, contender, &update_ms, 1e3 * (bench_clock() - start));
}

static void copy_memory(bench_run *run, uint32_t frame) {
  (void)frame;
  struct state *state = run->data;
  size_t size = outcome_of(&run->contenders[0])->report.written;
  if (size > 0) {
    state->from = state->from != NULL ? state->from : allocate(size, 1);
    state->to = state->to != NULL ? state->to : allocate(size, 1);
    bench_sample(run, state->memory, &update_ms, 1e3 * time_copy(state->to, state->from, size));
  }
}

/* What the frames say together. */
static void sum_up(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_refit_report *report = &outcome_of(contender)->report;
  bench_derive(run, contender, &update_ms, &update_ns, 1e6 / state->mesh->triangles.triangle_count);
  if (report->written > 0) {
    bench_count(run, contender, &written,
                1e-6 * (double)report->written / bench_median(contender, &update_ms));
  }
  if (report->degradation > 0) {
    bench_count(run, contender, &degradation, report->degradation);
  }
}

static void sum_up_memory(bench_run *run) {
  struct state *state = run->data;
  double median = bench_median(state->memory, &update_ms);
  if (median > 0) {
    bench_count(run, state->memory, &written,
                1e-6 * (double)outcome_of(&run->contenders[0])->report.written / median);
  }
  free(state->from);
  free(state->to);
}

/* Rays. */

static void check_sample(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  size_t count = state->settings->rays;
  size_t sample = (size_t)1e7 / state->mesh->triangles.triangle_count + 8, wrong = 0;
  for (size_t i = 0; i < count; i += count / sample + 1) {
    wrong += !bench_truth_allows(bench_find_truth(state->mesh, NULL, &state->rays[i]),
                                 &state->rays[i], BENCH_CLOSEST, outcome_of(contender)->hits[i]);
  }
  if (wrong > (contender->engine->version != NULL ? 1u : 0u)) {
    bench_refuse(run, contender, "%zu answers are wrong", wrong);
  }
}

static size_t count_differences(const bench_hit *a, const bench_hit *b, size_t count, bool exact,
                                float scale) {
  size_t different = 0;
  for (size_t i = 0; i < count; i++) {
    bool same = exact ? memcmp(&a[i].t, &b[i].t, sizeof a->t) == 0 && a[i].triangle == b[i].triangle
                : isinf(a[i].t) ? isinf(b[i].t)
                                : fabsf(a[i].t - b[i].t) <= 1e-4f * scale;
    different += !same;
  }
  return different;
}

static void check_answers(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_mesh *mesh = state->mesh;
  struct outcome *outcome = contender->data;
  const bench_hit *expected = outcome_of(&run->contenders[0])->hits;
  size_t count = state->settings->rays;
  bool is_peer = contender->engine->version != NULL;
  float scale = mesh->bounds.upper.x - mesh->bounds.lower.x + mesh->bounds.upper.y -
                mesh->bounds.lower.y + mesh->bounds.upper.z - mesh->bounds.lower.z;
  engine_of(contender)->trace(contender->world, state->rays, count, outcome->hits);
  check_sample(run, contender);
  outcome->differences = count_differences(expected, outcome->hits, count, !is_peer, scale);
  if (outcome->differences > (is_peer ? 1 + (size_t)(DIFFERENCES_ALLOWED * (double)count) : 0)) {
    bench_refuse(run, contender, "%zu of %zu answers differ", outcome->differences, count);
  }
}

static void cast(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  double start = bench_clock();
  engine_of(contender)->trace(contender->world, state->rays, state->settings->rays,
                              outcome_of(contender)->hits);
  bench_sample(run, contender, &throughput, 1e-6 * state->settings->rays / (bench_clock() - start));
}

static void count_work(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  double count = state->settings->rays;
  bench_count(run, contender, &differences, (double)outcome_of(contender)->differences);
  if (engine_of(contender)->count_work != NULL) {
    mo_query_stats stats;
    engine_of(contender)->count_work(contender->world, state->rays, state->settings->rays, &stats);
    bench_count(run, contender, &nodes_per_ray, (double)stats.mesh_node_count / count);
    bench_count(run, contender, &blocks_per_ray, (double)stats.mesh_block_count / count);
  }
}

static void create(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  *outcome_of(contender) = (struct outcome){
      .hits = allocate(state->settings->rays, sizeof(bench_hit)),
  };
  contender->world = engine_of(contender)->create(engine_of(contender), state->mesh);
}

static void destroy_world(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

static void run_motion(bench_run *run, const bench_mesh *rest, const struct motion *motion) {
  if (bench_interrupted()) {
    return;
  }
  struct state state = {
      .settings = run->settings,
      .motion = motion,
      .mesh = copy_mesh(rest),
      .rest = rest,
      .memory = &run->contenders[run->count - 1],
  };
  run->data = &state;
  bench_begin(run, bench_format("%s/%s", rest->name, motion->name));
  state.memory->sits_out = true;
  bench_each(run, create);
  bench_play(run, &(bench_rounds){state.settings->frames, 0, deform, update, copy_memory});
  bench_each(run, sum_up);
  sum_up_memory(run);
  bench_ray *rays = bench_make_rays(state.mesh, BENCH_INCOHERENT, state.settings->rays, run->seed);
  state.rays = rays;
  bench_check_each(run, check_answers);
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = cast});
  bench_end(run, bench_interrupted() ? NULL : count_work);
  bench_release_each(run, destroy_world);
  for (size_t i = 0; i < run->count; i++) {
    struct outcome *outcome = outcome_of(&run->contenders[i]);
    free(outcome->hits);
    outcome->hits = NULL;
  }
  bench_mesh_free(state.mesh);
  free(rays);
}

static void run_mesh(bench_run *run, bench_mesh *rest) {
  const struct settings *settings = run->settings;
  for (bench_motion m = 0; m < BENCH_MOTIONS; m++) {
    if (bench_list_has(settings->motions, bench_motion_name(m), true)) {
      run_motion(run, rest, &(struct motion){.name = bench_motion_name(m), .kind = m});
    }
  }
}

static void run_sequence(bench_run *run, const bench_files *meshes) {
  bench_mesh *keys[BENCH_MAX_FILES] = {0};
  for (size_t k = 0; k < meshes->count; k++) {
    keys[k] = bench_mesh_load(meshes->path[k]);
    const struct triangles *a = &keys[0]->triangles, *b = &keys[k]->triangles;
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count ||
        memcmp(a->indices, b->indices, 3 * (size_t)a->triangle_count * sizeof *a->indices) != 0) {
      fail("%s: not the triangles of %s", meshes->path[k], meshes->path[0]);
    }
  }
  run_motion(run, keys[0],
             &(struct motion){.name = "sequence", .keys = keys, .key_count = meshes->count});
  for (size_t k = 0; k < meshes->count; k++) {
    bench_mesh_free(keys[k]);
  }
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  bench_add_contender(run, "memcpy");
  if (settings->is_sequence) {
    run_sequence(run, &settings->meshes);
  } else {
    bench_each_mesh(run, &settings->meshes, 64, run_mesh);
  }
}

static void check_settings(const void *opaque) {
  const struct settings *settings = opaque;
  if (settings->is_sequence && settings->meshes.count < 2) {
    fail("a sequence has two frames at least");
  }
}

static const bench_option options[] = {
    {"mesh", "FILE",
     "a mesh of any format that Assimp reads; may be repeated, or left out before FILE",
     BENCH_FILES, .offset = offsetof(struct settings, meshes)},
    {"sequence", NULL, "the meshes are frames of one, with equal triangles", BENCH_FLAG,
     .offset = offsetof(struct settings, is_sequence)},
    {"motions", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, motions),
     .name_at = bench_motion_name},
    {"frames", "F", "frames that each motion takes", BENCH_COUNT,
     .offset = offsetof(struct settings, frames), .initial = "60", .quick = "5", .min = 1,
     .max = 1e5},
    {"rays", "N", "rays cast after the last frame", BENCH_COUNT,
     .offset = offsetof(struct settings, rays), .initial = "20000", .quick = "1000", .min = 1,
     .max = 1e8},
    {0},
};

const bench_suite bench_suite_refit = {
    .name = "refit",
    .summary = "meshes whose vertices move",
    .purpose = "Deforms meshes (a generated one if no FILE is given).",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_refit_motte_engines[0].id,
    .engine_size = sizeof(bench_refit_engine),
    .chosen_engines = "motte-refit,motte-refit-parts,motte-rebuild",
    .peers = bench_refit_peers,
    .contender_size = sizeof(struct outcome),
    .check_settings = check_settings,
    .run = run_all,
    .headlines = "update,throughput",
    .compared = {&update_ms, &throughput},
};
