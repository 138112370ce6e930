/* Meshes that are edited: the time of an edit, beside that of a new mesh, and the speed of rays
 * afterwards.
 *
 * Each edit changes 200 triangles in another place. When all are done, rays must have the same hits
 * in all meshes, bit by bit, and a sample of them those of a loop over all triangles. */
#include <math.h>
#include <motte/motte.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "edits.h"
#include "rays.h"
#include "suite.h"

static const bench_metric edit_us = {"edit", "us", BENCH_LESS_IS_BETTER};
static const bench_metric throughput = {"throughput", "Mray/s", BENCH_MORE_IS_BETTER};
static const bench_metric bytes = {"bytes", "bytes/triangle", BENCH_LESS_IS_BETTER};

struct settings {
  bench_counts triangles;
  const char *kinds;
  uint32_t edits, rebuilds, rays;
};

struct state {
  const struct settings *settings;
  bench_ground *ground;
  const mo_mesh_edit_def *edit;
  bench_mesh *mesh; /* as it is after the edit; null: it is not rebuilt in this round */
  bench_ray *rays;
};

static const bench_edit_engine engines[] = {
    {{"motte", NULL}, false, false},
    {{"motte-rebuild", NULL}, false, true},
    {{"motte-edges", NULL}, true, false},
    {{"motte-edges-rebuild", NULL}, true, true},
    {.id = {NULL, NULL}},
};

static const bench_edit_engine *engine_of(const bench_contender *contender) {
  return (const bench_edit_engine *)contender->engine;
}

static void build(bench_contender *contender, const bench_mesh *source) {
  mo_mesh_def def = bench_mesh_def(source);
  mo_mesh *mesh;
  def.build.builder = MO_MESH_BUILDER_SINGLE; /* as an editable mesh wants */
  def.build.editable = !engine_of(contender)->rebuilds;
  def.build.edges = engine_of(contender)->edges;
  check(mo_mesh_create(&def, &mesh), "make a mesh");
  mo_mesh_release(contender->world);
  contender->world = mesh;
}

static void create(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  build(contender, state->mesh);
}

static void prepare(bench_run *run, uint32_t round) {
  struct state *state = run->data;
  const struct settings *s = state->settings;
  const uint32_t each = s->edits / s->rebuilds + 1;
  state->edit = bench_ground_edit(state->ground);
  bench_mesh_free(state->mesh);
  state->mesh = round % each == 0 ? bench_ground_mesh(state->ground) : NULL;
}

static void measure(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  const double begin = bench_clock();
  if (!engine_of(contender)->rebuilds) {
    check(mo_mesh_edit(contender->world, state->edit), "edit a mesh");
  } else if (state->mesh != NULL) {
    build(contender, state->mesh);
  } else {
    return;
  }
  bench_sample(run, contender, &edit_us, 1e6 * (bench_clock() - begin));
}

/* Rays. */

static float cast(const mo_mesh *mesh, const bench_ray *ray) {
  mo_ray_def def = mo_default_ray_def();
  mo_ray_hit hit;
  def.origin = ray->origin;
  def.direction = ray->direction;
  def.max_t = ray->max_t;
  check(mo_mesh_cast_ray(mesh, &def, &hit, NULL), "cast a ray");
  return hit.found ? hit.t : INFINITY;
}

static void check_answers(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const size_t count = state->settings->rays,
               sample = (size_t)1e7 / state->mesh->triangles.triangle_count + 8;
  size_t differences = 0, wrong = 0;
  if (contender->world == NULL || run->contenders[0].world == NULL) {
    return; /* interrupted before they were made */
  }
  for (size_t i = 0; i < count; i++) {
    const bench_ray *ray = &state->rays[i];
    const float t = cast(contender->world, ray), first = cast(run->contenders[0].world, ray);
    differences += memcmp(&t, &first, sizeof t) != 0;
    if (i % (count / sample + 1) == 0) {
      const bench_truth truth = bench_find_truth(state->mesh, NULL, ray);
      wrong += !(t >= truth.lower && t <= truth.upper);
    }
  }
  if (differences > 0 || wrong > 0) {
    bench_refuse(run, contender, "%zu of %zu answers differ, %zu are wrong", differences, count,
                 wrong);
  }
}

static void cast_all(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  const double begin = bench_clock();
  for (size_t i = 0; i < state->settings->rays; i++) {
    cast(contender->world, &state->rays[i]);
  }
  bench_sample(run, contender, &throughput, 1e-6 * state->settings->rays / (bench_clock() - begin));
}

static void count(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  mo_mesh_stats stats;
  check(mo_mesh_get_stats(contender->world, &stats), "read statistics");
  bench_count(run, contender, &bytes, (double)stats.bytes / state->mesh->triangles.triangle_count);
}

static void rebuild(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  if (engine_of(contender)->rebuilds) {
    build(contender, state->mesh);
  }
}

static void release(bench_contender *contender) {
  mo_mesh_release(contender->world);
}

static void run_case(bench_run *run, uint32_t triangles, bench_edit_kind kind) {
  const struct settings *s = run->settings;
  struct state state = {.settings = s, .ground = bench_ground_create(triangles, kind, run->seed)};
  const uint32_t squares = bench_ground_squares(state.ground);
  run->data = &state;
  state.mesh = bench_ground_mesh(state.ground);
  bench_begin(run, bench_format("%u/%s", triangles, bench_edit_name(kind)));
  bench_each(run, create);
  bench_play(run, &(bench_rounds){.count = s->edits < squares ? s->edits : squares,
                                  .prepare = prepare,
                                  .measure = measure});
  bench_mesh_free(state.mesh);
  state.mesh = bench_ground_mesh(state.ground);
  state.rays = bench_make_rays(state.mesh, BENCH_INCOHERENT, s->rays, run->seed);
  bench_check_each(run, rebuild);
  bench_check_each(run, check_answers);
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = cast_all});
  bench_end(run, count);
  bench_release_each(run, release);
  bench_mesh_free(state.mesh);
  bench_ground_free(state.ground);
  free(state.rays);
}

static void run_all(bench_run *run) {
  const struct settings *s = run->settings;
  for (size_t i = 0; i < s->triangles.count; i++) {
    for (bench_edit_kind k = 0; k < BENCH_EDITS && !bench_interrupted(); k++) {
      if (bench_list_has(s->kinds, bench_edit_name(k), true)) {
        run_case(run, s->triangles.item[i], k);
      }
    }
  }
}

static const bench_option options[] = {
    {"triangles", "N,...", "triangles of the ground", BENCH_COUNTS,
     .offset = offsetof(struct settings, triangles), .initial = "20000,200000,2000000",
     .quick = "5000", .min = 288, .max = 1e7},
    {"edit-kinds", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, kinds),
     .name_at = bench_edit_name},
    {"edits", "N", "edits; a mesh has room for one in 288 triangles", BENCH_COUNT,
     .offset = offsetof(struct settings, edits), .initial = "100", .quick = "10", .min = 1,
     .max = 1e5},
    {"rebuilds", "N", "edits after which meshes are made anew, too", BENCH_COUNT,
     .offset = offsetof(struct settings, rebuilds), .initial = "3", .quick = "2", .min = 1,
     .max = 1000},
    {"rays", "N", "rays cast after the last edit", BENCH_COUNT,
     .offset = offsetof(struct settings, rays), .initial = "20000", .quick = "1000", .min = 1,
     .max = 1e8},
    {0},
};

const bench_suite bench_suite_edits = {
    .name = "edits",
    .summary = "meshes that are edited",
    .purpose = "Measures edits of 200 triangles of a mesh beside making it anew, and rays "
               "afterwards.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &engines[0].id,
    .engine_size = sizeof(bench_edit_engine),
    .chosen_engines = "motte,motte-rebuild,motte-edges,motte-edges-rebuild",
    .needs_first = true,
    .headlines = "edit,throughput",
    .run = run_all,
};
