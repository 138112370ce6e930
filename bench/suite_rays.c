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
#include "rays.h"
#include "suite.h"

static const bench_metric throughput = {"throughput", "Mray/s", BENCH_MORE_IS_BETTER};
static const bench_metric nodes_per_ray = {"nodes_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric blocks_per_ray = {"blocks_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric triangles_per_ray = {"triangles_per_ray", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric mailbox_saved = {"mailbox_saved_per_ray", "1/ray",
                                           BENCH_NEITHER_IS_BETTER};
static const bench_metric hits_per_ray = {"hits_per_ray", "1/ray", BENCH_NEITHER_IS_BETTER};
static const bench_metric differences = {"differences", "rays", BENCH_NEITHER_IS_BETTER};
static const bench_metric build_seconds = {"build_seconds", "s", BENCH_LESS_IS_BETTER};
static const bench_metric bytes = {"bytes", "B", BENCH_LESS_IS_BETTER};
static const bench_metric bytes_per_triangle = {"bytes_per_triangle", "B", BENCH_LESS_IS_BETTER};
static const bench_metric tree_nodes = {"nodes", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric tree_blocks = {"blocks", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric tree_duplicates = {"duplicates", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric tree_depth = {"depth", "", BENCH_NEITHER_IS_BETTER};

/* A peer whose answers differ on more than this share of the rays is not computing the same. */
#define DIFFERENCES_ALLOWED 1e-3

enum { BUILDS = 3 };

struct settings {
  bench_files meshes;
  uint32_t rays;
  const char *distributions, *modes;
  bench_counts threads;
};

/* One case. Exhaustive engines get the second set of rays, a few of the first. */
struct job {
  bench_mode mode;
  const bench_ray *rays[2];
  size_t count[2];
  const bench_mesh *mesh;
};

/* What an engine answers. */
struct answers {
  bench_hit *hits;
  bench_surface *surfaces; /* null but for full hits */
};

/* Of an engine in a case. */
struct outcome {
  double hits_per_ray;
  size_t differences; /* from the first engine */
};

static const char *const mode_names[] = {"closest", "any", "full"};

static const bench_engine *engine_of(const bench_contender *contender) {
  return (const bench_engine *)contender->engine;
}

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

static void check_sample(bench_run *run, bench_contender *contender, const struct sample *sample,
                         const struct job *job, const bench_hit *hits) {
  size_t wrong = 0;
  for (size_t i = 0; i < sample->count; i++) {
    const bench_ray *ray = &job->rays[0][sample->index[i]];
    bench_hit hit = hits[sample->index[i]];
    bench_truth truth = sample->truth[i];
    if (!bench_truth_allows(truth, ray, job->mode, hit)) {
      bench_progress("%s: %s: origin %.9g %.9g %.9g, direction %.9g %.9g %.9g: hit at %.9g "
                     "(triangle %u); brute force says %.9g to %.9g",
                     run->case_name, contender->engine->name, ray->origin.x, ray->origin.y,
                     ray->origin.z, ray->direction.x, ray->direction.y, ray->direction.z, hit.t,
                     hit.triangle, truth.lower, truth.upper);
      wrong++;
    }
  }
  /* A peer may let a ray through between two triangles; more than one in the sample is no chance.
   */
  if (wrong > (contender->engine->version != NULL ? 1u : 0u)) {
    bench_refuse(run, contender, "%zu of %zu answers are wrong", wrong, sample->count);
  }
}

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

static void trace(const bench_contender *contender, const struct job *job, struct answers answers) {
  const bench_engine *engine = engine_of(contender);
  engine->trace(contender->world, job->mode, job->rays[engine->exhaustive],
                job->count[engine->exhaustive], answers.hits, answers.surfaces);
}

/* Of peers a few may be off, as those that graze an edge are. */
static void check_surfaces(bench_run *run, bench_contender *contender, const struct job *job,
                           struct answers answers) {
  const bench_engine *engine = engine_of(contender);
  size_t count = job->count[engine->exhaustive], wrong = 0;
  for (size_t i = 0; i < count; i++) {
    wrong += !isinf(answers.hits[i].t) &&
             !bench_surface_fits(job->mesh, &job->rays[engine->exhaustive][i], answers.hits[i],
                                 &answers.surfaces[i]);
  }
  if ((double)wrong > (engine->id.version != NULL ? DIFFERENCES_ALLOWED * (double)count : 0)) {
    bench_refuse(run, contender, "weights or normals of %zu of %zu rays are wrong", wrong, count);
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
static size_t compare(bench_run *run, bench_contender *contender, struct answers reference,
                      struct answers answers, const struct job *job) {
  const bench_engine *engine = engine_of(contender);
  double scale = mesh_diagonal(job->mesh);
  size_t count = job->count[engine->exhaustive], different = 0;
  for (size_t i = 0; i < count && !contender->refused; i++) {
    size_t ray = i * job->count[0] / count;
    bench_hit expected = reference.hits[ray], hit = answers.hits[i];
    if (engine->id.version != NULL) {
      different += !alike(expected, hit, scale);
    } else if (!same_bits(expected, hit)) {
      bench_refuse(run, contender,
                   "t %.9g, triangle %u where the first engine has t %.9g, "
                   "triangle %u",
                   hit.t, hit.triangle, expected.t, expected.triangle);
    } else if (answers.surfaces != NULL && !isinf(hit.t) &&
               !same_surface(&reference.surfaces[ray], &answers.surfaces[i])) {
      bench_refuse(run, contender, "weights or normal are not those of the first engine");
    }
  }
  if ((double)different > fmax(1, DIFFERENCES_ALLOWED * (double)count)) {
    bench_refuse(run, contender, "%zu of %zu answers differ", different, count);
  }
  return different;
}

static double count_hits(struct answers answers, size_t count) {
  double found = 0;
  for (size_t i = 0; i < count; i++) {
    found += !isinf(answers.hits[i].t);
  }
  return found;
}

/* Without an answer from some engines if it is interrupted. */
static void check_answers(bench_run *run, const struct job *job, const struct sample *sample) {
  struct answers reference = allocate_answers(job), answers = allocate_answers(job);
  bool have_reference = false;
  for (size_t c = 0; c < run->count && !bench_interrupted(); c++) {
    bench_contender *contender = &run->contenders[c];
    struct outcome *outcome = contender->data;
    bool exhaustive = engine_of(contender)->exhaustive;
    trace(contender, job, answers);
    outcome->hits_per_ray =
        count_hits(answers, job->count[exhaustive]) / (double)job->count[exhaustive];
    outcome->differences = 0;
    if (!exhaustive) {
      check_sample(run, contender, sample, job, answers.hits);
    }
    if (job->mode == BENCH_FULL) {
      check_surfaces(run, contender, job, answers);
    }
    if (have_reference) {
      outcome->differences = compare(run, contender, reference, answers, job);
    } else if (!exhaustive && !contender->refused) {
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

struct cast {
  const struct job *job;
  struct answers answers;
};

static void measure(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct cast *cast = run->data;
  uint32_t workers = engine_of(contender)->workers;
  double start = bench_clock_of(workers);
  trace(contender, cast->job, cast->answers);
  double seconds = bench_clock_of(workers) - start;
  bench_sample(run, contender, &throughput,
               1e-6 * (double)cast->job->count[engine_of(contender)->exhaustive] / seconds);
}

static void count_work(bench_run *run, bench_contender *contender) {
  const struct job *job = ((const struct cast *)run->data)->job;
  const struct outcome *outcome = contender->data;
  const bench_engine *engine = engine_of(contender);
  bench_count(run, contender, &hits_per_ray, outcome->hits_per_ray);
  bench_count(run, contender, &differences, (double)outcome->differences);
  if (engine->count_work == NULL || bench_interrupted()) {
    return;
  }
  size_t count = job->count[engine->exhaustive];
  mo_query_stats stats;
  engine->count_work(contender->world, job->mode, job->rays[engine->exhaustive], count, &stats);
  double each = 1 / (double)count;
  bench_count(run, contender, &nodes_per_ray, (double)stats.mesh_node_count * each);
  bench_count(run, contender, &blocks_per_ray, (double)stats.mesh_block_count * each);
  bench_count(run, contender, &triangles_per_ray, (double)stats.triangle_count * each);
  bench_count(run, contender, &mailbox_saved, (double)stats.mailbox_hit_count * each);
}

static void run_mode(bench_run *run, bench_distribution distribution, const struct job *job,
                     const struct sample *sample) {
  bench_begin(run, bench_format("%s/%s/%s", job->mesh->name, bench_distribution_name(distribution),
                                mode_names[job->mode]));
  check_answers(run, job, sample);
  struct cast cast = {job, allocate_answers(job)};
  run->data = &cast;
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure});
  bench_end(run, count_work);
  free_answers(cast.answers);
}

static void run_distribution(bench_run *run, const bench_mesh *mesh,
                             bench_distribution distribution) {
  const struct settings *settings = run->settings;
  size_t count = settings->rays, few = exhaustive_share(mesh, count);
  bench_ray *rays = bench_make_rays(mesh, distribution, count, run->seed);
  bench_ray *few_rays = thin_out(rays, count, few);
  struct sample sample = take_sample(mesh, rays, count);
  for (bench_mode mode = 0; mode < BENCH_MODES && !bench_interrupted(); mode++) {
    if (bench_list_has(settings->modes, mode_names[mode], true)) {
      run_mode(run, distribution, &(struct job){mode, {rays, few_rays}, {count, few}, mesh},
               &sample);
    }
  }
  free(sample.index);
  free(sample.truth);
  free(rays);
  free(few_rays);
}

/* Trees. */

static void build(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const bench_engine *engine = engine_of(contender);
  if (contender->world != NULL) {
    engine->destroy(contender->world);
  }
  double seconds;
  contender->world = engine->create(engine, run->data, &seconds);
  bench_sample(run, contender, &build_seconds, seconds);
}

static void count_tree(bench_run *run, bench_contender *contender) {
  const bench_engine *engine = engine_of(contender);
  const bench_mesh *mesh = run->data;
  double held = (double)engine->bytes(contender->world);
  bench_count(run, contender, &bytes, held);
  bench_count(run, contender, &bytes_per_triangle, held / mesh->triangles.triangle_count);
  if (engine->describe != NULL) {
    mo_mesh_stats stats = engine->describe(contender->world);
    bench_count(run, contender, &tree_nodes, stats.node_count);
    bench_count(run, contender, &tree_blocks, stats.block_count);
    bench_count(run, contender, &tree_duplicates, stats.duplicate_count);
    bench_count(run, contender, &tree_depth, stats.max_depth);
  }
}

static void destroy_world(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

static void run_mesh(bench_run *run, bench_mesh *mesh) {
  const struct settings *settings = run->settings;
  run->data = mesh;
  bench_begin(run, bench_format("%s/build", mesh->name));
  bench_play(run, &(bench_rounds){.count = run->repeats < BUILDS ? run->repeats : BUILDS,
                                  .measure = build});
  bench_end(run, count_tree);
  for (bench_distribution d = 0; d < BENCH_DISTRIBUTIONS; d++) {
    if (bench_list_has(settings->distributions, bench_distribution_name(d), true) &&
        !bench_interrupted()) {
      run_distribution(run, mesh, d);
    }
  }
  bench_release_each(run, destroy_world);
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  bench_add_workers(run, "motte-batch", offsetof(bench_engine, workers), &settings->threads);
  bench_each_mesh(run, &settings->meshes, 64, run_mesh);
}

static bool is_available(const bench_engine_id *id) {
  const bench_engine *engine = (const bench_engine *)id;
  return engine->is_available == NULL || engine->is_available(engine);
}

static const char *mode_name(unsigned i) {
  return i < BENCH_MODES ? mode_names[i] : NULL;
}

static const bench_option options[] = {
    {"mesh", "FILE",
     "a mesh of any format that Assimp reads; may be repeated, or left out before FILE",
     BENCH_FILES, .offset = offsetof(struct settings, meshes)},
    {"rays", "N", "rays per case", BENCH_COUNT, .offset = offsetof(struct settings, rays),
     .initial = "100000", .quick = "2000", .min = 1, .max = 1e8},
    {"distributions", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, distributions),
     .name_at = bench_distribution_name},
    {"modes", "LIST", "full is with weights and normals; of", BENCH_LIST,
     .offset = offsetof(struct settings, modes), .name_at = mode_name},
    BENCH_THREADS("for builds and batches", struct settings),
    {0},
};

const bench_suite bench_suite_rays = {
    .name = "rays",
    .summary = "rays against meshes",
    .purpose = "Casts rays at meshes (a generated one if no FILE is given).",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_motte_engines[0].id,
    .engine_size = sizeof(bench_engine),
    .chosen_engines = "motte,motte-high,motte-batch",
    .peers = bench_rays_peers,
    .contender_size = sizeof(struct outcome),
    .is_available = is_available,
    .run = run_all,
    .headlines = "throughput,build_seconds,bytes",
    .compared = {&throughput, &build_seconds, &bytes},
};
