/* Rays against one mesh: throughput of each engine, and the counts that explain it.
 *
 * Before a case is timed, every engine casts all its rays. A sample of the answers must agree with
 * a loop over all triangles in double precision; Motte's engines, one of which tests every node and
 * triangle, must agree with each other bit by bit; peers may differ on a few rays that graze an
 * edge, which are counted. Weights and normals must fit the ray and the triangle. Then the engines
 * take turns, once per repetition. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "interrupt.h"
#include "rays.h"
#include "report.h"
#include "suite.h"
#include "text.h"

static const bench_metric throughput = {"throughput", "Mray/s", BENCH_MORE_IS_BETTER};
static const bench_metric nodes_per_ray = {"nodes_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric blocks_per_ray = {"blocks_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric triangles_per_ray = {"triangles_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric mailbox_saved = {"mailbox_saved_per_ray", "1/ray", BENCH_NO_SENSE};
static const bench_metric hits_per_ray = {"hits_per_ray", "1/ray", BENCH_NO_SENSE};
static const bench_metric differences = {"differences", "rays", BENCH_NO_SENSE};
static const bench_metric build_seconds = {"build_seconds", "s", BENCH_LESS_IS_BETTER};
static const bench_metric bytes = {"bytes", "B", BENCH_LESS_IS_BETTER};
static const bench_metric bytes_per_triangle = {"bytes_per_triangle", "B", BENCH_LESS_IS_BETTER};
static const bench_metric tree_nodes = {"nodes", "", BENCH_NO_SENSE};
static const bench_metric tree_blocks = {"blocks", "", BENCH_NO_SENSE};
static const bench_metric tree_duplicates = {"duplicates", "", BENCH_NO_SENSE};
static const bench_metric tree_depth = {"depth", "", BENCH_NO_SENSE};

/* A peer whose answers differ on more than this share of the rays is not computing the same. */
#define DIFFERENCES_ALLOWED 1e-3

enum { MAX_ENGINES = 32, MAX_MESHES = 256, BUILDS = 3 };

struct settings {
  bench_options common;
  const char *meshes[MAX_MESHES];
  size_t mesh_count;
  size_t rays;
  const char *distributions, *modes;
};

struct contender {
  const bench_engine *engine;
  void *instance;
  double *samples;
  size_t sample_count;
  double hits_per_ray;
  size_t differences; /* from the first engine, of the last case */
};

struct run {
  const struct settings *settings;
  bench_report *report;
  struct contender contenders[MAX_ENGINES];
  size_t count;
};

/* One case. Exhaustive engines get the second set of rays, a few of the first. */
struct job {
  char *name;
  bench_mode mode;
  const bench_ray *rays[2];
  size_t count[2];
};

static const char *const mode_names[] = {"closest", "any", "full"};

/* Answers. */

/* Rays for an engine that tests every triangle: so many that it takes about as long as others. */
static size_t exhaustive_share(const bench_mesh *mesh, size_t rays) {
  size_t share = (size_t)4e7 / mesh->triangles.triangle_count;
  return share < 16 ? (rays < 16 ? rays : 16) : share < rays ? share : rays;
}

/* Every so-manieth ray, in order. */
static bench_ray *thin_out(const bench_ray *rays, size_t count, size_t share) {
  bench_ray *kept = allocate(share, sizeof *kept);
  for (size_t i = 0; i < share; i++) {
    kept[i] = rays[i * count / share];
  }
  return kept;
}

struct sample {
  size_t count;
  size_t *index;
  bench_truth *truth;
};

static struct sample take_sample(const bench_mesh *mesh, const bench_ray *rays, size_t count) {
  size_t wanted = (size_t)2e7 / mesh->triangles.triangle_count;
  wanted = wanted < 16 ? 16 : wanted > 1000 ? 1000 : wanted;
  struct sample sample = {.count = wanted < count ? wanted : count};
  sample.index = allocate(sample.count, sizeof *sample.index);
  sample.truth = allocate(sample.count, sizeof *sample.truth);
  for (size_t i = 0; i < sample.count; i++) {
    sample.index[i] = i * count / sample.count;
    sample.truth[i] = bench_find_truth(mesh, NULL, &rays[sample.index[i]]);
  }
  return sample;
}

static void check_sample(const struct sample *sample, const bench_engine *engine,
                         const struct job *job, const bench_hit *hits) {
  size_t wrong = 0;
  for (size_t i = 0; i < sample->count; i++) {
    const bench_ray *ray = &job->rays[0][sample->index[i]];
    bench_hit hit = hits[sample->index[i]];
    bench_truth truth = sample->truth[i];
    if (!bench_truth_allows(truth, ray, job->mode, hit)) {
      bench_progress("%s: %s: origin %.9g %.9g %.9g, direction %.9g %.9g %.9g: hit at %.9g "
                     "(triangle %u); brute force says %.9g to %.9g",
                     job->name, engine->id.name, ray->origin.x, ray->origin.y, ray->origin.z,
                     ray->direction.x, ray->direction.y, ray->direction.z, hit.t, hit.triangle,
                     truth.lower, truth.upper);
      wrong++;
    }
  }
  /* A peer may let a ray through between two triangles; more than one in the sample is no chance.
   */
  if (wrong > (engine->id.version != NULL ? 1u : 0u)) {
    fail("%s: %s: %zu of %zu answers are wrong", job->name, engine->id.name, wrong, sample->count);
  }
}

/* What an engine answers. */
struct answers {
  bench_hit *hits;
  bench_surface *surfaces; /* null but for full hits */
};

static struct answers allocate_answers(const struct job *job) {
  bool full = job->mode == BENCH_FULL;
  return (struct answers){
      allocate(job->count[0], sizeof(bench_hit)),
      full ? allocate(job->count[0], sizeof(bench_surface)) : NULL,
  };
}

static void free_answers(struct answers answers) {
  free(answers.hits);
  free(answers.surfaces);
}

static void trace(const struct contender *contender, const struct job *job,
                  struct answers answers) {
  const bench_engine *engine = contender->engine;
  engine->trace(contender->instance, job->mode, job->rays[engine->exhaustive],
                job->count[engine->exhaustive], answers.hits, answers.surfaces);
}

/* Of peers a few may be off, as those that graze an edge are. */
static void check_surfaces(const bench_mesh *mesh, const bench_engine *engine,
                           const struct job *job, struct answers answers) {
  size_t count = job->count[engine->exhaustive], wrong = 0;
  for (size_t i = 0; i < count; i++) {
    wrong +=
        !isinf(answers.hits[i].t) && !bench_surface_fits(mesh, &job->rays[engine->exhaustive][i],
                                                         answers.hits[i], &answers.surfaces[i]);
  }
  if ((double)wrong > (engine->id.version != NULL ? DIFFERENCES_ALLOWED * (double)count : 0)) {
    fail("%s: %s: weights or normals of %zu of %zu rays are wrong", job->name, engine->id.name,
         wrong, count);
  }
}

static bool same_bits(bench_hit a, bench_hit b) {
  return memcmp(&a.t, &b.t, sizeof a.t) == 0 && a.triangle == b.triangle;
}

/* Weights are the same bits. A scene takes the normal through the shape's transform, and rounds. */
static bool same_surface(const bench_surface *a, const bench_surface *b) {
  return memcmp(a->weights, b->weights, sizeof a->weights) == 0 &&
         fabsf(a->normal.x - b->normal.x) <= 1e-6f && fabsf(a->normal.y - b->normal.y) <= 1e-6f &&
         fabsf(a->normal.z - b->normal.z) <= 1e-6f;
}

/* Distances are compared to the rounding of a ray that meets its triangle at a slant. */
static bool alike(bench_hit a, bench_hit b, double scale) {
  if (isinf(a.t) || isinf(b.t)) {
    return isinf(a.t) && isinf(b.t);
  }
  return fabs((double)a.t - b.t) <= 1e-4 * scale;
}

static double mesh_diagonal(const bench_mesh *mesh) {
  double x = (double)mesh->bounds.upper.x - mesh->bounds.lower.x;
  double y = (double)mesh->bounds.upper.y - mesh->bounds.lower.y;
  double z = (double)mesh->bounds.upper.z - mesh->bounds.lower.z;
  return sqrt(x * x + y * y + z * z);
}

/* How many answers differ from the reference, which has those to all rays. */
static size_t compare(const bench_engine *engine, struct answers reference, struct answers answers,
                      const struct job *job, double scale) {
  size_t count = job->count[engine->exhaustive], different = 0;
  for (size_t i = 0; i < count; i++) {
    size_t ray = i * job->count[0] / count;
    bench_hit expected = reference.hits[ray], hit = answers.hits[i];
    if (engine->id.version != NULL) {
      different += !alike(expected, hit, scale);
    } else if (!same_bits(expected, hit)) {
      fail("%s: %s: t %.9g, triangle %u where the first engine has t %.9g, triangle %u", job->name,
           engine->id.name, hit.t, hit.triangle, expected.t, expected.triangle);
    } else if (answers.surfaces != NULL && !isinf(hit.t) &&
               !same_surface(&reference.surfaces[ray], &answers.surfaces[i])) {
      fail("%s: %s: weights or normal are not those of the first engine", job->name,
           engine->id.name);
    }
  }
  if ((double)different > fmax(1, DIFFERENCES_ALLOWED * (double)count)) {
    fail("%s: %s: %zu of %zu answers differ", job->name, engine->id.name, different, count);
  }
  return different;
}

/* Without an answer from some engines if it is interrupted. */
static void check_answers(struct run *run, const bench_mesh *mesh, const struct job *job,
                          const struct sample *sample) {
  struct answers reference = allocate_answers(job), answers = allocate_answers(job);
  bool have_reference = false;
  for (size_t c = 0; c < run->count && !bench_interrupted(); c++) {
    const bench_engine *engine = run->contenders[c].engine;
    size_t count = job->count[engine->exhaustive];
    trace(&run->contenders[c], job, answers);
    double found = 0;
    for (size_t i = 0; i < count; i++) {
      found += !isinf(answers.hits[i].t);
    }
    run->contenders[c].hits_per_ray = found / (double)count;
    if (!engine->exhaustive) {
      check_sample(sample, engine, job, answers.hits);
    }
    if (job->mode == BENCH_FULL) {
      check_surfaces(mesh, engine, job, answers);
    }
    if (have_reference) {
      run->contenders[c].differences =
          compare(engine, reference, answers, job, mesh_diagonal(mesh));
    } else if (!engine->exhaustive) {
      struct answers first = reference;
      reference = answers;
      answers = first;
      have_reference = true;
    }
  }
  free_answers(reference);
  free_answers(answers);
}

/* Times. */

static void count_work(struct run *run, const struct job *job) {
  for (size_t c = 0; c < run->count && !bench_interrupted(); c++) {
    const bench_engine *engine = run->contenders[c].engine;
    if (engine->count_work == NULL) {
      continue;
    }
    size_t count = job->count[engine->exhaustive];
    mo_query_stats stats;
    engine->count_work(run->contenders[c].instance, job->mode, job->rays[engine->exhaustive], count,
                       &stats);
    double each = 1 / (double)count;
    bench_report_count(run->report, job->name, engine->id.name, &nodes_per_ray,
                       (double)stats.mesh_node_count * each);
    bench_report_count(run->report, job->name, engine->id.name, &blocks_per_ray,
                       (double)stats.mesh_block_count * each);
    bench_report_count(run->report, job->name, engine->id.name, &triangles_per_ray,
                       (double)stats.triangle_count * each);
    bench_report_count(run->report, job->name, engine->id.name, &mailbox_saved,
                       (double)stats.mailbox_hit_count * each);
  }
}

static void measure(struct run *run, const struct job *job) {
  struct answers answers = allocate_answers(job);
  int repeats = run->settings->common.repeats;
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].sample_count = 0;
  }
  for (int r = 0; r < repeats; r++) {
    for (size_t c = 0; c < run->count && !bench_interrupted(); c++) {
      const bench_engine *engine = run->contenders[c].engine;
      size_t count = job->count[engine->exhaustive];
      double start = bench_clock();
      trace(&run->contenders[c], job, answers);
      double seconds = bench_clock() - start;
      run->contenders[c].samples[run->contenders[c].sample_count++] =
          1e-6 * (double)count / seconds;
    }
  }
  free_answers(answers);
  for (size_t c = 0; c < run->count; c++) {
    const struct contender *contender = &run->contenders[c];
    const char *name = contender->engine->id.name;
    if (contender->sample_count == 0) {
      continue; /* interrupted */
    }
    bench_report_add(run->report, job->name, name, &throughput,
                     bench_summarise(contender->samples, contender->sample_count));
    bench_report_count(run->report, job->name, name, &hits_per_ray, contender->hits_per_ray);
    bench_report_count(run->report, job->name, name, &differences, (double)contender->differences);
  }
}

static void run_distribution(struct run *run, const bench_mesh *mesh,
                             bench_distribution distribution) {
  size_t count = run->settings->rays, few = exhaustive_share(mesh, count);
  bench_ray *rays = bench_make_rays(mesh, distribution, count, run->settings->common.seed);
  bench_ray *few_rays = thin_out(rays, count, few);
  struct sample sample = take_sample(mesh, rays, count);
  for (bench_mode mode = 0; mode < BENCH_MODES && !bench_interrupted(); mode++) {
    if (!bench_list_has(run->settings->modes, mode_names[mode], true)) {
      continue;
    }
    struct job job = {bench_format("%s/%s/%s", mesh->name, bench_distribution_name(distribution),
                                   mode_names[mode]),
                      mode,
                      {rays, few_rays},
                      {count, few}};
    bench_progress("%s", job.name);
    check_answers(run, mesh, &job, &sample);
    measure(run, &job);
    count_work(run, &job);
    bench_report_print(run->report, job.name);
    free(job.name);
  }
  free(sample.index);
  free(sample.truth);
  free(rays);
  free(few_rays);
}

/* Trees. */

static void build_all(struct run *run, const bench_mesh *mesh) {
  char *name = bench_format("%s/build", mesh->name);
  bench_progress("%s: %u triangles", name, mesh->triangles.triangle_count);
  int builds = run->settings->common.repeats < BUILDS ? run->settings->common.repeats : BUILDS;
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].instance = NULL;
    run->contenders[c].sample_count = 0;
  }
  for (int b = 0; b < builds; b++) {
    for (size_t c = 0; c < run->count && !bench_interrupted(); c++) {
      struct contender *contender = &run->contenders[c];
      if (b > 0) {
        contender->engine->destroy(contender->instance);
      }
      contender->instance = contender->engine->create(
          contender->engine, mesh, &contender->samples[contender->sample_count++]);
    }
  }
  for (size_t c = 0; c < run->count; c++) {
    const struct contender *contender = &run->contenders[c];
    const bench_engine *engine = contender->engine;
    if (contender->instance == NULL) {
      continue; /* interrupted */
    }
    size_t held = engine->bytes(contender->instance);
    bench_report_add(run->report, name, engine->id.name, &build_seconds,
                     bench_summarise(contender->samples, contender->sample_count));
    bench_report_count(run->report, name, engine->id.name, &bytes, (double)held);
    bench_report_count(run->report, name, engine->id.name, &bytes_per_triangle,
                       (double)held / mesh->triangles.triangle_count);
    if (engine->describe != NULL) {
      mo_mesh_stats stats = engine->describe(contender->instance);
      bench_report_count(run->report, name, engine->id.name, &tree_nodes, stats.node_count);
      bench_report_count(run->report, name, engine->id.name, &tree_blocks, stats.block_count);
      bench_report_count(run->report, name, engine->id.name, &tree_duplicates,
                         stats.duplicate_count);
      bench_report_count(run->report, name, engine->id.name, &tree_depth, stats.max_depth);
    }
  }
  bench_report_print(run->report, name);
  free(name);
}

static void run_mesh(struct run *run, const char *path) {
  bench_mesh *mesh = path != NULL ? bench_mesh_load(path) : bench_mesh_generate(64);
  build_all(run, mesh);
  for (bench_distribution d = 0; d < BENCH_DISTRIBUTIONS; d++) {
    if (bench_list_has(run->settings->distributions, bench_distribution_name(d), true) &&
        !bench_interrupted()) {
      run_distribution(run, mesh, d);
    }
  }
  for (size_t c = 0; c < run->count; c++) {
    if (run->contenders[c].instance != NULL) {
      run->contenders[c].engine->destroy(run->contenders[c].instance);
    }
  }
  bench_mesh_free(mesh);
}

/* Options. */

static bench_names engine_names(void) {
  bench_names names = {0};
  for (size_t e = 0; e < bench_motte_engine_count; e++) {
    bench_names_add(&names, bench_motte_engines[e].id.name);
  }
  return names;
}

static bench_names peer_names(void) {
  bench_names names = {0};
  for (size_t e = 0; bench_peer_engines[e] != NULL; e++) {
    bench_names_add(&names, bench_peer_engines[e]->id.name);
  }
  return names;
}

static void choose_engines(struct run *run) {
  const bench_options *options = &run->settings->common;
  for (size_t e = 0; e < bench_motte_engine_count; e++) {
    const bench_engine *engine = &bench_motte_engines[e];
    if (!bench_list_has(options->engines, engine->id.name, false)) {
      continue;
    }
    if (engine->is_available == NULL || engine->is_available(engine)) {
      run->contenders[run->count++].engine = engine;
    } else if (bench_list_has(options->engines, "all", false)) {
      bench_progress("without %s, which this machine cannot run", engine->id.name);
    } else {
      fail("--engines: this machine cannot run %s", engine->id.name);
    }
  }
  for (size_t e = 0; bench_peer_engines[e] != NULL; e++) {
    const bench_engine *engine = bench_peer_engines[e];
    if (bench_choose_peer(options, run->report, engine->id.name, engine->id.version)) {
      run->contenders[run->count++].engine = engine;
    }
  }
  if (run->count == 0) {
    fail("no engine left to run");
  }
  for (size_t c = 0; c < run->count; c++) {
    size_t samples = (size_t)options->repeats > BUILDS ? (size_t)options->repeats : BUILDS;
    run->contenders[c].samples = allocate(samples, sizeof(double));
  }
}

enum { KEY_MESH = 'm', KEY_RAYS = 'n', KEY_DISTRIBUTIONS = 0x2000, KEY_MODES };

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
  case KEY_DISTRIBUTIONS:
    settings->distributions = argument;
    return 0;
  case KEY_MODES:
    settings->modes = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"mesh", KEY_MESH, "FILE", 0, "a mesh of any format that Assimp reads; may be repeated", 0},
      {"rays", KEY_RAYS, "N", 0, "rays per case (default 100000)", 0},
      {"distributions", KEY_DISTRIBUTIONS, "LIST", 0,
       "of primary,tiles,inside,incoherent,short,sight", 0},
      {"modes", KEY_MODES, "LIST", 0, "of closest,any,full (full: weights and normal too)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {.common = bench_default_options("motte,motte-high,motte-batch"),
                              .rays = 100000};
  bench_names engines = engine_names(), peers = peer_names(), modes = {0}, distributions = {0};
  char *documentation =
      bench_documentation("Casts rays at meshes (a generated one if no FILE is given).", NULL,
                          &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, "[FILE...]", documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  for (bench_mode mode = 0; mode < BENCH_MODES; mode++) {
    bench_names_add(&modes, mode_names[mode]);
  }
  bench_list_check("modes", settings.modes, &modes);
  for (bench_distribution d = 0; d < BENCH_DISTRIBUTIONS; d++) {
    bench_names_add(&distributions, bench_distribution_name(d));
  }
  bench_list_check("distributions", settings.distributions, &distributions);

  struct run run = {.settings = &settings, .report = bench_report_create("rays")};
  choose_engines(&run);
  if (settings.mesh_count == 0) {
    run_mesh(&run, NULL);
  }
  for (size_t m = 0; m < settings.mesh_count && !bench_interrupted(); m++) {
    run_mesh(&run, settings.meshes[m]);
  }
  bench_report_print_summary(run.report, bench_motte_engines[0].id.name, throughput.name);
  bench_report_print_summary(run.report, bench_motte_engines[0].id.name, build_seconds.name);
  bench_report_print_summary(run.report, bench_motte_engines[0].id.name, bytes.name);
  for (size_t c = 0; c < run.count; c++) {
    free(run.contenders[c].samples);
  }
  bench_finish(&settings.common, run.report);
}

const bench_suite bench_suite_rays = {"rays", "rays against meshes", run_suite};
