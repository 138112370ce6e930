/* Queries with convex shapes: overlaps, casts, closest points and distances, each on a scene of one
 * mesh that is rotated and scaled.
 *
 * The mesh has a diagonal of 20. Shapes are a fiftieth and a fifth of that wide and lie at random
 * places near the surface, so that hardly a query finds in the caches what it needs. Casts go a
 * tenth of the diagonal in any direction, from where the shape does not touch the mesh; so do the
 * fast bodies of impacts, which are added to the scene for it and removed, within the time.
 *
 * Before a time is printed, answers are compared: those of the first engine with a loop over all
 * triangles on a sample, those of the others with the first engine's. Where they differ, the other
 * engine must be within what the first one says of a shape that is larger or smaller by the other
 * engine's tolerance. */
#include <math.h>
#include <motte/hull.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "interrupt.h"
#include "old_suite.h"
#include "queries.h"
#include "report.h"
#include "text.h"

enum { MAX_ENGINES = 16, MAX_MESHES = 64, MIN_PROBES = 64, MAX_TRIES = 64 };

#define DIAGONAL 20.0f
#define CAST_LENGTH 0.1f /* of the diagonal, as the widths of shapes */
static const float widths[] = {0.02f, 0.2f};

/* What a repetition of a case may take the slowest engine, seconds: of slow cases there are fewer
 * probes. And how many triangles the loop on a sample may visit. */
#define REPETITION 0.3
#define SAMPLE_TRIANGLES 1e5

static const bench_metric time_taken = {"time", "us/query", BENCH_LESS_IS_BETTER};
static const bench_metric found = {"found", "1/query", BENCH_NO_SENSE};
static const bench_metric differences = {"differences", "1/million", BENCH_NO_SENSE};
static const bench_metric nodes = {"nodes", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric blocks = {"blocks", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric tested = {"triangles", "1/query", BENCH_LESS_IS_BETTER};

static const char *const query_names[BENCH_QUERIES] = {
    [BENCH_QUERY_ANY] = "overlap-any",   [BENCH_QUERY_TRIANGLES] = "overlap-triangles",
    [BENCH_QUERY_CAST] = "cast",         [BENCH_QUERY_CLOSEST] = "closest",
    [BENCH_QUERY_DISTANCE] = "distance", [BENCH_QUERY_IMPACT] = "impact",
};

static const char *const form_names[BENCH_FORMS] = {
    [BENCH_BOX] = "box",         [BENCH_ORIENTED_BOX] = "oriented-box", [BENCH_SPHERE] = "sphere",
    [BENCH_CAPSULE] = "capsule", [BENCH_CYLINDER] = "cylinder",         [BENCH_HULL] = "hull",
    [BENCH_POINT] = "point",
};

/* Bits of forms. */
static const unsigned forms_of[BENCH_QUERIES] = {
#define FORM(form) (1u << (form))
#define SOLIDS                                                                                     \
  (FORM(BENCH_SPHERE) | FORM(BENCH_BOX) | FORM(BENCH_CAPSULE) | FORM(BENCH_CYLINDER) |             \
   FORM(BENCH_HULL))
    [BENCH_QUERY_ANY] = SOLIDS | FORM(BENCH_ORIENTED_BOX),
    [BENCH_QUERY_TRIANGLES] = SOLIDS | FORM(BENCH_ORIENTED_BOX),
    [BENCH_QUERY_CAST] = SOLIDS,
    [BENCH_QUERY_CLOSEST] = FORM(BENCH_POINT),
    [BENCH_QUERY_DISTANCE] = FORM(BENCH_SPHERE) | FORM(BENCH_BOX),
    [BENCH_QUERY_IMPACT] = SOLIDS,
#undef SOLIDS
#undef FORM
};

struct settings {
  bench_options common;
  const char *meshes[MAX_MESHES];
  size_t mesh_count;
  const char *queries, *shapes;
  size_t probes;
};

struct contender {
  const bench_query_engine *engine;
  void *world;
  double *samples;
  size_t sample_count;
  double differences; /* per million answers, of the case */
};

struct run {
  const struct settings *settings;
  bench_report *report;
  bench_target target;
  mo_aabb bounds; /* of the target, world */
  struct contender contenders[MAX_ENGINES];
  size_t count;
  const bench_query_engine *reference; /* the first of Motte's, also where that is not timed */
  void *reference_world;
  mo_vec3 hull_points[BENCH_HULL_POINTS];
  mo_hull *hull;
  struct random_stream random;
  bench_probe *probes;
  bench_answer *expected, *answers;
};

/* Probes. */

static mo_vec3 step(mo_vec3 from, mo_vec3 direction, float length) {
  return (mo_vec3){from.x + length * direction.x, from.y + length * direction.y,
                   from.z + length * direction.z};
}

static mo_quat random_rotation(struct random_stream *random) {
  mo_vec3 axis = random_direction(random);
  float half = random_between(random, 0, 3.1415927f);
  float s = sinf(half);
  return (mo_quat){s * axis.x, s * axis.y, s * axis.z, cosf(half)};
}

/* On a random triangle. */
static mo_vec3 random_surface_point(struct run *run) {
  struct random_stream *random = &run->random;
  mo_vec3 p[3];
  bench_mesh_corners(run->target.mesh,
                     random_below(random, run->target.mesh->triangles.triangle_count), p);
  float u = random_between(random, 0, 1), v = random_between(random, 0, 1);
  float a = u + v > 1 ? 1 - u : u, b = u + v > 1 ? 1 - v : v, c = 1 - a - b;
  mo_transform transform = bench_target_transform(&run->target);
  return mo_transform_point(&transform, (mo_vec3){a * p[0].x + b * p[1].x + c * p[2].x,
                                                  a * p[0].y + b * p[1].y + c * p[2].y,
                                                  a * p[0].z + b * p[1].z + c * p[2].z});
}

static bool touches(const struct run *run, const bench_question *question,
                    const bench_probe *probe) {
  bench_question any = *question;
  any.query = BENCH_QUERY_ANY;
  bench_answer answer;
  run->reference->run(run->reference_world, &any, probe, 1, &answer);
  return answer > 0;
}

/* Overlaps are up to one and a quarter widths from a point of the surface, so that some touch and
 * some do not; what begins in free space is farther away. */
static bench_probe make_probe(struct run *run, const bench_question *question, bool anywhere) {
  struct random_stream *random = &run->random;
  bool overlap = question->query <= BENCH_QUERY_TRIANGLES;
  float length = CAST_LENGTH * DIAGONAL;
  float min = overlap ? 0 : question->width / 2;
  float max = overlap                                  ? 0.75f * question->width
              : question->query == BENCH_QUERY_CLOSEST ? widths[0] * DIAGONAL
                                                       : question->width / 2 + length;
  bench_probe probe = {.rotation = {0, 0, 0, 1}};
  if (question->form != BENCH_BOX && question->form != BENCH_SPHERE &&
      question->form != BENCH_POINT) {
    probe.rotation = random_rotation(random);
  }
  for (int i = 0; i < MAX_TRIES; i++) {
    probe.center = anywhere ? random_point_in(random, run->bounds)
                            : step(random_surface_point(run), random_direction(random),
                                   random_between(random, min, max));
    if (overlap || question->query == BENCH_QUERY_CLOSEST || !touches(run, question, &probe)) {
      break;
    }
  }
  probe.displacement = step((mo_vec3){0, 0, 0}, random_direction(random), length);
  return probe;
}

/* Answers. */

static bench_answer ask(const struct run *run, const bench_question *question, double larger,
                        const bench_probe *probe) {
  bench_question other = *question;
  other.width = (float)(other.width * (1 + larger));
  bench_answer answer;
  run->reference->run(run->reference_world, &other, probe, 1, &answer);
  return answer;
}

/* Whether an answer is the expected one, or is between those of a smaller and a larger shape.
 * Distances may be off by `slack`. */
static bool is_right(const struct run *run, const bench_question *question,
                     const bench_probe *probe, bench_answer expected, bench_answer answer,
                     double tolerance, double slack, bool more) {
  bool counts = question->query <= BENCH_QUERY_TRIANGLES;
  bool moves = question->query == BENCH_QUERY_CAST || question->query == BENCH_QUERY_IMPACT;
  slack = counts ? 0 : moves ? slack / CAST_LENGTH : slack * DIAGONAL;
  more = more && question->query == BENCH_QUERY_TRIANGLES;
  if (expected == answer || fabs(expected - answer) <= slack || (more && answer > expected)) {
    return true;
  }
  bench_answer small = ask(run, question, -tolerance, probe),
               large = ask(run, question, tolerance, probe);
  return answer >= fmin(small, large) - slack && answer <= fmax(small, large) + slack;
}

/* A loop over all triangles has rounding of its own: closed forms that differ by 1e-6 of the width
 * at most. */
static void check_sample(const struct run *run, const bench_question *question, const char *name,
                         size_t count) {
  size_t sample = 1 + (size_t)(SAMPLE_TRIANGLES / run->target.mesh->triangles.triangle_count);
  for (size_t i = 0; i < count && i < sample; i++) {
    const bench_probe *probe = &run->probes[i];
    bench_answer truth = bench_query_brute_force(&run->target, question, probe);
    truth = question->query > BENCH_QUERY_TRIANGLES ? (float)truth : truth;
    if (!is_right(run, question, probe, truth, run->expected[i], 1e-6, 1e-7, false)) {
      fail("%s: probe %zu: %s says %.9g, brute force %.9g", name, i, run->reference->id.name,
           run->expected[i], truth);
    }
  }
}

static void compare(const struct run *run, struct contender *contender,
                    const bench_question *question, const char *name, size_t count) {
  const bench_query_engine *engine = contender->engine;
  double tolerance = engine->tolerance;
  if (engine->margin > 0) {
    tolerance += 4 * engine->margin / (double)question->width; /* capsules are half as thick */
  }
  double tolerated = question->query == BENCH_QUERY_TRIANGLES
                         ? fmax(engine->tolerated, engine->lists_tolerated)
                         : engine->tolerated;
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < count; i++) {
    bool same = run->expected[i] == run->answers[i];
    if (!same && (engine->id.version == NULL ||
                  !is_right(run, question, &run->probes[i], run->expected[i], run->answers[i],
                            tolerance, engine->distance_tolerance, engine->lists_more))) {
      first = wrong++ == 0 ? i : first;
    }
  }
  if (wrong > 0 && (double)wrong > 1 + tolerated * (double)count) {
    const bench_probe *p = &run->probes[first];
    fail("%s: %s: %zu of %zu answers are wrong; of the first, probe %zu at (%.9g %.9g %.9g), it "
         "says %.9g, %s %.9g",
         name, engine->id.name, wrong, count, first, p->center.x, p->center.y, p->center.z,
         run->answers[first], run->reference->id.name, run->expected[first]);
  }
  contender->differences = 1e6 * (double)wrong / (double)count;
}

/* Cases. */

static bool takes_part(const struct contender *contender, const bench_question *question) {
  return contender->engine->can(contender->engine, question);
}

/* So few that the slowest engine takes no longer than it should. */
static size_t count_probes(const struct run *run, const bench_question *question) {
  size_t max = run->settings->probes, few = max < MIN_PROBES ? max : MIN_PROBES;
  double slowest = 0;
  for (size_t c = 0; c < run->count; c++) {
    const struct contender *contender = &run->contenders[c];
    if (takes_part(contender, question)) {
      double start = bench_clock();
      contender->engine->run(contender->world, question, run->probes, few, run->answers);
      slowest = fmax(slowest, (bench_clock() - start) / (double)few);
    }
  }
  double enough = REPETITION / fmax(slowest, 1e-9);
  return enough >= (double)max ? max : enough < (double)few ? few : (size_t)enough;
}

static void count_work(const struct run *run, const struct contender *contender,
                       const bench_question *question, const char *name, size_t count) {
  const char *engine = contender->engine->id.name;
  mo_query_stats stats;
  contender->engine->count_work(contender->world, question, run->probes, count, &stats);
  double each = 1 / (double)count, sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum +=
        question->query <= BENCH_QUERY_TRIANGLES ? run->expected[i] : run->expected[i] < INFINITY;
  }
  bench_report_count(run->report, name, engine, &found, sum * each);
  bench_report_count(run->report, name, engine, &nodes, (double)stats.mesh_node_count * each);
  bench_report_count(run->report, name, engine, &blocks, (double)stats.mesh_block_count * each);
  bench_report_count(run->report, name, engine, &tested, (double)stats.triangle_count * each);
}

static void run_case(struct run *run, const bench_question *question, const char *name,
                     bool anywhere) {
  run->random = random_from_seed(run->settings->common.seed);
  for (size_t i = 0; i < run->settings->probes; i++) {
    run->probes[i] = make_probe(run, question, anywhere);
  }
  size_t count = count_probes(run, question);
  run->reference->run(run->reference_world, question, run->probes, count, run->expected);
  check_sample(run, question, name, count);
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].sample_count = 0;
  }
  for (int r = 0; r < run->settings->common.repeats && !bench_interrupted(); r++) {
    for (size_t c = 0; c < run->count; c++) {
      struct contender *contender = &run->contenders[c];
      if (takes_part(contender, question)) {
        double start = bench_clock();
        contender->engine->run(contender->world, question, run->probes, count, run->answers);
        contender->samples[contender->sample_count++] =
            1e6 * (bench_clock() - start) / (double)count;
        if (r == 0) {
          compare(run, contender, question, name, count);
        }
      }
    }
  }
  for (size_t c = 0; c < run->count; c++) {
    struct contender *contender = &run->contenders[c];
    if (contender->sample_count > 0) {
      bench_report_add(run->report, name, contender->engine->id.name, &time_taken,
                       bench_summarise(contender->samples, contender->sample_count));
      bench_report_count(run->report, name, contender->engine->id.name, &differences,
                         contender->differences);
      if (contender->engine->count_work != NULL) {
        count_work(run, contender, question, name, count);
      }
    }
  }
  bench_report_print(run->report, name);
}

static void run_query(struct run *run, bench_query query) {
  const char *mesh = run->target.mesh->name;
  for (bench_form form = 0; form < BENCH_FORMS && !bench_interrupted(); form++) {
    if ((forms_of[query] >> form & 1) == 0 ||
        !bench_list_has(run->settings->shapes, form_names[form], true)) {
      continue;
    }
    for (int i = 0; i < 2 && !bench_interrupted(); i++) {
      bool is_point = form == BENCH_POINT;
      bench_question question = {query, form, is_point ? 0 : widths[i] * DIAGONAL, run->hull_points,
                                 run->hull};
      char *name = is_point ? bench_format("%s/%s/%s", mesh, query_names[query],
                                           i == 0 ? "point-near" : "point-anywhere")
                            : bench_format("%s/%s/%s-%g", mesh, query_names[query],
                                           form_names[form], (double)widths[i]);
      run_case(run, &question, name, is_point && i == 1);
      free(name);
    }
  }
}

/* Meshes. */

/* Points on a spiral around the sphere, each as far from the next as from the turns beside it. */
static void make_hull(struct run *run) {
  for (int i = 0; i < BENCH_HULL_POINTS; i++) {
    float height = 1 - 2 * ((float)i + 0.5f) / BENCH_HULL_POINTS, angle = 2.3999632f * (float)i;
    float radius = sqrtf(1 - height * height);
    run->hull_points[i] = (mo_vec3){radius * cosf(angle) / 2, height / 2, radius * sinf(angle) / 2};
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = run->hull_points;
  def.position_count = BENCH_HULL_POINTS;
  def.position_stride = sizeof *run->hull_points;
  check(mo_hull_create(&def, &run->hull), "make a hull");
}

static bench_target place(const bench_mesh *mesh) {
  mo_vec3 a = mesh->bounds.lower, b = mesh->bounds.upper;
  float diagonal = hypotf(hypotf(b.x - a.x, b.y - a.y), b.z - a.z);
  /* 100 degrees around (1, 2, 2) / 3. */
  return (bench_target){.mesh = mesh,
                        .translation = {1, -2, 3},
                        .rotation = {0.255348f, 0.510696f, 0.510696f, 0.642788f},
                        .scale = diagonal > 0 ? DIAGONAL / diagonal : 1};
}

static mo_aabb find_bounds(const bench_target *target) {
  mo_transform transform = bench_target_transform(target);
  mo_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t i = 0; i < 3 * target->mesh->triangles.triangle_count; i++) {
    mo_vec3 p = target->mesh->triangles.positions[target->mesh->triangles.indices[i]];
    p = mo_transform_point(&transform, p);
    box.lower =
        (mo_vec3){fminf(box.lower.x, p.x), fminf(box.lower.y, p.y), fminf(box.lower.z, p.z)};
    box.upper =
        (mo_vec3){fmaxf(box.upper.x, p.x), fmaxf(box.upper.y, p.y), fmaxf(box.upper.z, p.z)};
  }
  return box;
}

static void run_mesh(struct run *run, const char *path) {
  bench_mesh *mesh = path != NULL ? bench_mesh_load(path) : bench_mesh_generate(64);
  bench_progress("%s: %u triangles", mesh->name, mesh->triangles.triangle_count);
  bench_mesh_normalise(mesh);
  run->target = place(mesh);
  run->bounds = find_bounds(&run->target);
  run->reference = &bench_motte_query_engines[0];
  run->reference_world = run->reference->create(run->reference, &run->target);
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].world =
        run->contenders[c].engine->create(run->contenders[c].engine, &run->target);
  }
  for (bench_query query = 0; query < BENCH_QUERIES; query++) {
    if (bench_list_has(run->settings->queries, query_names[query], true)) {
      run_query(run, query);
    }
  }
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].engine->destroy(run->contenders[c].world);
  }
  run->reference->destroy(run->reference_world);
  bench_mesh_free(mesh);
}

/* Options. */

static bench_names engine_names(void) {
  bench_names names = {0};
  for (size_t e = 0; e < bench_motte_query_engine_count; e++) {
    bench_names_add(&names, bench_motte_query_engines[e].id.name);
  }
  return names;
}

static bench_names peer_names(void) {
  bench_names names = {0};
  for (size_t e = 0; bench_peer_query_engines[e] != NULL; e++) {
    bench_names_add(&names, bench_peer_query_engines[e]->id.name);
  }
  return names;
}

static void choose_engines(struct run *run) {
  const bench_options *options = &run->settings->common;
  for (size_t e = 0; e < bench_motte_query_engine_count; e++) {
    const bench_query_engine *engine = &bench_motte_query_engines[e];
    if (bench_list_has(options->engines, engine->id.name, false)) {
      run->contenders[run->count++].engine = engine;
    }
  }
  for (size_t e = 0; bench_peer_query_engines[e] != NULL; e++) {
    const bench_query_engine *engine = bench_peer_query_engines[e];
    if (bench_choose_peer(options, run->report, engine->id.name, engine->id.version)) {
      run->contenders[run->count++].engine = engine;
    }
  }
  if (run->count == 0) {
    fail("no engine left to run");
  }
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].samples = allocate((size_t)options->repeats, sizeof(double));
  }
}

enum { KEY_MESH = 'm', KEY_PROBES = 'n', KEY_QUERIES = 0x2000, KEY_SHAPES };

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
  case KEY_PROBES:
    settings->probes = bench_parse_count("probes", argument, 1, 100000000);
    return 0;
  case KEY_QUERIES:
    settings->queries = argument;
    return 0;
  case KEY_SHAPES:
    settings->shapes = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void check_lists(const struct settings *settings) {
  bench_names queries = {0}, shapes = {0};
  for (bench_query query = 0; query < BENCH_QUERIES; query++) {
    bench_names_add(&queries, query_names[query]);
  }
  for (bench_form form = 0; form < BENCH_FORMS; form++) {
    bench_names_add(&shapes, form_names[form]);
  }
  bench_list_check("queries", settings->queries, &queries);
  bench_list_check("shapes", settings->shapes, &shapes);
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"mesh", KEY_MESH, "FILE", 0, "a mesh of any format that Assimp reads; may be repeated", 0},
      {"probes", KEY_PROBES, "N", 0,
       "places per case at most (default 2000); fewer where queries take long", 0},
      {"queries", KEY_QUERIES, "LIST", 0,
       "of overlap-any,overlap-triangles,cast,closest,distance,impact", 0},
      {"shapes", KEY_SHAPES, "LIST", 0, "of box,oriented-box,sphere,capsule,cylinder,hull,point",
       0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {.common = bench_default_options("motte,motte-batch"), .probes = 2000};
  bench_names engines = engine_names(), peers = peer_names();
  char *documentation =
      bench_documentation("Overlaps, casts, distances and impacts of convex shapes with meshes (a "
                          "generated one if no FILE is "
                          "given).",
                          "Cases are MESH/QUERY/SHAPE-WIDTH, the width in diagonals of the mesh.\n",
                          &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, "[FILE...]", documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  check_lists(&settings);

  struct run run = {.settings = &settings, .report = bench_old_report("queries")};
  choose_engines(&run);
  make_hull(&run);
  run.probes = allocate(settings.probes, sizeof *run.probes);
  run.expected = allocate(settings.probes, sizeof *run.expected);
  run.answers = allocate(settings.probes, sizeof *run.answers);
  if (settings.mesh_count == 0) {
    run_mesh(&run, NULL);
  }
  for (size_t m = 0; m < settings.mesh_count && !bench_interrupted(); m++) {
    run_mesh(&run, settings.meshes[m]);
  }
  bench_report_print_summary(run.report, bench_motte_query_engines[0].id.name, time_taken.name);
  for (size_t c = 0; c < run.count; c++) {
    free(run.contenders[c].samples);
  }
  mo_hull_release(run.hull);
  free(run.probes);
  free(run.expected);
  free(run.answers);
  bench_finish(&settings.common, run.report);
}

const bench_old_suite bench_old_suite_queries = {
    "queries", "overlaps, casts and distances of shapes", run_suite};
