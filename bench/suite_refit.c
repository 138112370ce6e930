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
#include "interrupt.h"
#include "old_suite.h"
#include "rays.h"
#include "refit.h"
#include "report.h"
#include "text.h"

static const bench_metric update_ms = {"update", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric update_ns = {"update_per_triangle", "ns", BENCH_LESS_IS_BETTER};
static const bench_metric throughput = {"throughput", "Mray/s", BENCH_MORE_IS_BETTER};
static const bench_metric nodes_per_ray = {"nodes_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric blocks_per_ray = {"blocks_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric degradation = {"degradation", "", BENCH_LESS_IS_BETTER};
static const bench_metric written = {"written_per_second", "GB/s", BENCH_MORE_IS_BETTER};
static const bench_metric differences = {"differences", "rays", BENCH_NO_SENSE};

#ifdef BENCH_HAVE_EMBREE3
extern const bench_refit_engine bench_refit_embree3_robust, bench_refit_embree3_fast,
    bench_refit_embree3_low;
#endif

const bench_refit_engine *const bench_refit_peers[] = {
#ifdef BENCH_HAVE_EMBREE3
    &bench_refit_embree3_robust,
    &bench_refit_embree3_fast,
    &bench_refit_embree3_low,
#endif
    NULL,
};

#define DIFFERENCES_ALLOWED 1e-3

enum { MAX_ENGINES = 16, MAX_MESHES = 64 };

struct settings {
  bench_options common;
  const char *meshes[MAX_MESHES];
  size_t mesh_count;
  const char *motions;
  size_t rays;
  int frames;
  bool is_sequence; /* the meshes are the frames of one that moves */
};

struct contender {
  const bench_refit_engine *engine;
  void *instance;
  double *samples; /* of each frame, then of each repetition */
  bench_refit_report report;
};

struct run {
  const struct settings *settings;
  bench_report *report;
  struct contender contenders[MAX_ENGINES];
  size_t count;
};

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

struct motion {
  const char *name;
  bench_motion kind;
  bench_mesh *const *keys; /* null: by kind */
  size_t key_count;
};

static void follow(struct run *run, bench_mesh *mesh, const bench_mesh *rest,
                   const struct motion *motion, const char *name) {
  int frames = 0, wanted = run->settings->frames;
  double *copies = allocate((size_t)wanted, sizeof *copies);
  char *from = NULL, *to = NULL;
  for (int f = 0; f < wanted && !bench_interrupted(); f++, frames++) {
    double time = (double)(f + 1) / wanted;
    if (motion->keys != NULL) {
      interpolate(mesh, motion->keys, motion->key_count, time);
    } else {
      bench_deform(mesh, rest, motion->kind, time);
    }
    for (size_t i = 0; i < run->count; i++) {
      struct contender *c = &run->contenders[(i + (size_t)f) % run->count];
      double start = bench_clock();
      c->engine->update(c->instance, &c->report);
      c->samples[f] = bench_clock() - start;
    }
    size_t size = run->contenders[0].report.written;
    if (size > 0) {
      from = from != NULL ? from : allocate(size, 1);
      to = to != NULL ? to : allocate(size, 1);
      copies[f] = time_copy(to, from, size);
    }
  }
  for (size_t i = 0; i < run->count && frames > 0; i++) {
    struct contender *c = &run->contenders[i];
    for (int f = 0; f < frames; f++) {
      c->samples[f] *= 1e3;
    }
    bench_summary ms = bench_summarise(c->samples, (size_t)frames);
    bench_report_add(run->report, name, c->engine->id.name, &update_ms, ms);
    bench_report_count(run->report, name, c->engine->id.name, &update_ns,
                       1e6 * ms.median / mesh->triangles.triangle_count);
    if (c->report.written > 0) {
      bench_report_count(run->report, name, c->engine->id.name, &written,
                         1e-6 * (double)c->report.written / ms.median);
    }
    if (c->report.degradation > 0) {
      bench_report_count(run->report, name, c->engine->id.name, &degradation,
                         c->report.degradation);
    }
  }
  size_t size = run->contenders[0].report.written;
  if (size > 0) {
    bench_summary seconds = bench_summarise(copies, (size_t)frames);
    bench_report_count(run->report, name, "memcpy", &update_ms, 1e3 * seconds.median);
    bench_report_count(run->report, name, "memcpy", &written, 1e-9 * (double)size / seconds.median);
  }
  free(from);
  free(to);
  free(copies);
}

/* Rays. */

static void check_sample(const bench_mesh *mesh, const char *name, const bench_refit_engine *engine,
                         const bench_ray *rays, const bench_hit *hits, size_t count) {
  size_t sample = (size_t)1e7 / mesh->triangles.triangle_count + 8, wrong = 0;
  for (size_t i = 0; i < count; i += count / sample + 1) {
    wrong += !bench_truth_allows(bench_find_truth(mesh, NULL, &rays[i]), &rays[i], BENCH_CLOSEST,
                                 hits[i]);
  }
  if (wrong > (engine->id.version != NULL ? 1u : 0u)) {
    fail("%s: %s: %zu answers are wrong", name, engine->id.name, wrong);
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

static void cast_rays(struct run *run, const bench_mesh *mesh, const char *name) {
  size_t count = run->settings->rays;
  bench_ray *rays = bench_make_rays(mesh, BENCH_INCOHERENT, count, run->settings->common.seed);
  bench_hit *hits = allocate(count, sizeof *hits), *expected = allocate(count, sizeof *expected);
  float scale = mesh->bounds.upper.x - mesh->bounds.lower.x + mesh->bounds.upper.y -
                mesh->bounds.lower.y + mesh->bounds.upper.z - mesh->bounds.lower.z;
  for (size_t i = 0; i < run->count; i++) {
    struct contender *c = &run->contenders[i];
    bool is_peer = c->engine->id.version != NULL;
    c->engine->trace(c->instance, rays, count, i == 0 ? expected : hits);
    check_sample(mesh, name, c->engine, rays, i == 0 ? expected : hits, count);
    size_t different = i == 0 ? 0 : count_differences(expected, hits, count, !is_peer, scale);
    if (different > (is_peer ? 1 + (size_t)(DIFFERENCES_ALLOWED * (double)count) : 0)) {
      fail("%s: %s: %zu of %zu answers differ", name, c->engine->id.name, different, count);
    }
    bench_report_count(run->report, name, c->engine->id.name, &differences, (double)different);
  }
  int repeats = run->settings->common.repeats;
  size_t samples = 0;
  for (int r = 0; r < repeats && !bench_interrupted(); r++, samples++) {
    for (size_t i = 0; i < run->count; i++) {
      struct contender *c = &run->contenders[i];
      double start = bench_clock();
      c->engine->trace(c->instance, rays, count, hits);
      c->samples[r] = 1e-6 * (double)count / (bench_clock() - start);
    }
  }
  for (size_t i = 0; i < run->count && samples > 0; i++) {
    const struct contender *c = &run->contenders[i];
    bench_report_add(run->report, name, c->engine->id.name, &throughput,
                     bench_summarise(c->samples, samples));
    if (c->engine->count_work != NULL) {
      mo_query_stats stats;
      c->engine->count_work(c->instance, rays, count, &stats);
      bench_report_count(run->report, name, c->engine->id.name, &nodes_per_ray,
                         (double)stats.mesh_node_count / (double)count);
      bench_report_count(run->report, name, c->engine->id.name, &blocks_per_ray,
                         (double)stats.mesh_block_count / (double)count);
    }
  }
  free(rays);
  free(hits);
  free(expected);
}

static void run_motion(struct run *run, const bench_mesh *rest, const struct motion *motion) {
  if (bench_interrupted()) {
    return;
  }
  char *name = bench_format("%s/%s", rest->name, motion->name);
  bench_mesh *mesh = copy_mesh(rest);
  bench_progress("%s: %u triangles", name, mesh->triangles.triangle_count);
  for (size_t i = 0; i < run->count; i++) {
    struct contender *c = &run->contenders[i];
    c->report = (bench_refit_report){0};
    c->instance = c->engine->create(c->engine, mesh);
  }
  follow(run, mesh, rest, motion, name);
  cast_rays(run, mesh, name);
  bench_report_print(run->report, name);
  for (size_t i = 0; i < run->count; i++) {
    run->contenders[i].engine->destroy(run->contenders[i].instance);
  }
  bench_mesh_free(mesh);
  free(name);
}

static void run_mesh(struct run *run, const char *path) {
  bench_mesh *rest = path != NULL ? bench_mesh_load(path) : bench_mesh_generate(64);
  for (bench_motion m = 0; m < BENCH_MOTIONS; m++) {
    if (bench_list_has(run->settings->motions, bench_motion_name(m), true)) {
      struct motion motion = {.name = bench_motion_name(m), .kind = m};
      run_motion(run, rest, &motion);
    }
  }
  bench_mesh_free(rest);
}

static void run_sequence(struct run *run) {
  const struct settings *settings = run->settings;
  bench_mesh *keys[MAX_MESHES];
  for (size_t k = 0; k < settings->mesh_count; k++) {
    keys[k] = bench_mesh_load(settings->meshes[k]);
    const struct triangles *a = &keys[0]->triangles, *b = &keys[k]->triangles;
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count ||
        memcmp(a->indices, b->indices, 3 * (size_t)a->triangle_count * sizeof *a->indices) != 0) {
      fail("%s: not the triangles of %s", settings->meshes[k], settings->meshes[0]);
    }
  }
  struct motion motion = {.name = "sequence", .keys = keys, .key_count = settings->mesh_count};
  run_motion(run, keys[0], &motion);
  for (size_t k = 0; k < settings->mesh_count; k++) {
    bench_mesh_free(keys[k]);
  }
}

/* Options. */

static bench_names engine_names(void) {
  bench_names names = {0};
  for (size_t e = 0; e < bench_refit_motte_engine_count; e++) {
    bench_names_add(&names, bench_refit_motte_engines[e].id.name);
  }
  return names;
}

static bench_names peer_names(void) {
  bench_names names = {0};
  for (size_t e = 0; bench_refit_peers[e] != NULL; e++) {
    bench_names_add(&names, bench_refit_peers[e]->id.name);
  }
  return names;
}

static void choose_engines(struct run *run) {
  const bench_options *options = &run->settings->common;
  for (size_t e = 0; e < bench_refit_motte_engine_count; e++) {
    const bench_refit_engine *engine = &bench_refit_motte_engines[e];
    if (bench_list_has(options->engines, engine->id.name, false)) {
      run->contenders[run->count++].engine = engine;
    }
  }
  for (size_t e = 0; bench_refit_peers[e] != NULL; e++) {
    const bench_refit_engine *engine = bench_refit_peers[e];
    if (bench_choose_peer(options, run->report, engine->id.name, engine->id.version)) {
      run->contenders[run->count++].engine = engine;
    }
  }
  if (run->count == 0) {
    fail("no engine to run");
  }
  int samples = options->repeats > run->settings->frames ? options->repeats : run->settings->frames;
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].samples = allocate((size_t)samples, sizeof(double));
  }
}

enum { KEY_MESH = 'm', KEY_RAYS = 'n', KEY_FRAMES = 'f', KEY_MOTIONS = 0x2000, KEY_SEQUENCE };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &settings->common;
    return 0;
  case KEY_MESH:
  case ARGP_KEY_ARG:
    if (settings->mesh_count == MAX_MESHES) {
      fail("at most %d meshes", MAX_MESHES);
    }
    settings->meshes[settings->mesh_count++] = argument;
    return 0;
  case KEY_RAYS:
    settings->rays = bench_parse_count("rays", argument, 1, 100000000);
    return 0;
  case KEY_FRAMES:
    settings->frames = (int)bench_parse_count("frames", argument, 1, 100000);
    return 0;
  case KEY_MOTIONS:
    settings->motions = argument;
    return 0;
  case KEY_SEQUENCE:
    settings->is_sequence = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"mesh", KEY_MESH, "FILE", 0, "a mesh of any format that Assimp reads; may be repeated", 0},
      {"sequence", KEY_SEQUENCE, NULL, 0, "the meshes are frames of one, with equal triangles", 0},
      {"motions", KEY_MOTIONS, "LIST", 0, "of wave,twist,scatter", 0},
      {"frames", KEY_FRAMES, "F", 0, "frames that each motion takes (default 60)", 0},
      {"rays", KEY_RAYS, "N", 0, "rays cast after the last frame (default 20000)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {
      .common = bench_default_options("motte-refit,motte-refit-parts,motte-rebuild"),
      .rays = 20000,
      .frames = 60,
  };
  bench_names engines = engine_names(), peers = peer_names(), motions = {0};
  char *documentation = bench_documentation("Deforms meshes (a generated one if no FILE is given).",
                                            NULL, &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, "[FILE...]", documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  for (bench_motion m = 0; m < BENCH_MOTIONS; m++) {
    bench_names_add(&motions, bench_motion_name(m));
  }
  bench_list_check("motions", settings.motions, &motions);
  if (settings.is_sequence && settings.mesh_count < 2) {
    fail("a sequence has two frames at least");
  }

  struct run run = {.settings = &settings, .report = bench_old_report("refit")};
  choose_engines(&run);
  if (settings.is_sequence) {
    run_sequence(&run);
  } else if (settings.mesh_count == 0) {
    run_mesh(&run, NULL);
  } else {
    for (size_t m = 0; m < settings.mesh_count; m++) {
      run_mesh(&run, settings.meshes[m]);
    }
  }
  bench_report_print_summary(run.report, bench_refit_motte_engines[0].id.name, update_ms.name);
  bench_report_print_summary(run.report, bench_refit_motte_engines[0].id.name, throughput.name);
  for (size_t c = 0; c < run.count; c++) {
    free(run.contenders[c].samples);
  }
  bench_finish(&settings.common, run.report);
}

const bench_old_suite bench_old_suite_refit = {"refit", "meshes whose vertices move", run_suite};
