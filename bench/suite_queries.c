/* Queries with convex shapes: overlaps, casts, closest points and distances, each on a scene of one
 * mesh that is rotated and scaled, or of many boxes.
 *
 * The mesh has a diagonal of 20. Shapes are a fiftieth and a fifth of that wide and lie at random
 * places near the surface, so that hardly a query finds in the caches what it needs. Casts go a
 * tenth of the diagonal in any direction, from where the shape does not touch the mesh; so do the
 * fast bodies of impacts, which are added to the scene for it and removed, within the time. Long
 * casts go from a sphere around the mesh through its box. Boxes are those of queries_sea.h, into
 * which casts go down, and long ones across.
 *
 * Before a time is printed, answers are compared: those of the first engine with a loop over all
 * triangles on a sample, those of the others with the first engine's. Where they differ, the other
 * engine must be within what the first one says of a shape that is larger or smaller by the other
 * engine's tolerance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "common/vector.h"
#include "queries_sea.h"
#include "suite.h"

enum { MIN_PROBES = 64, MAX_TRIES = 64, WIDTHS = 2 };

#define DIAGONAL 20.0f
#define CAST_LENGTH 0.1f /* of the diagonal, as the widths of shapes */
static const float widths[WIDTHS] = {0.02f, 0.2f};
static const float sea_widths[WIDTHS] = {2, 10}; /* the edges of its boxes are up to 4 */

/* What a repetition of a case may take the slowest engine, seconds: of slow cases there are fewer
 * probes. And how many triangles or boxes the loop on a sample may visit. */
#define REPETITION 0.3
#define SAMPLE_PARTS 1e5

static const bench_metric time_taken = {"time", "us/query", BENCH_LESS_IS_BETTER};
static const bench_metric found = {"found", "1/query", BENCH_NEITHER_IS_BETTER};
static const bench_metric differences = {"differences", "1/million", BENCH_NEITHER_IS_BETTER};
static const bench_metric nodes = {"nodes", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric blocks = {"blocks", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric tested = {"triangles", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric shapes = {"shapes", "1/query", BENCH_LESS_IS_BETTER};

static const char *const form_names[BENCH_FORMS] = {
    [BENCH_BOX] = "box",         [BENCH_ORIENTED_BOX] = "oriented-box", [BENCH_SPHERE] = "sphere",
    [BENCH_CAPSULE] = "capsule", [BENCH_CYLINDER] = "cylinder",         [BENCH_HULL] = "hull",
    [BENCH_POINT] = "point",
};

/* A query of the suite. */
struct kind {
  const char *name;
  bench_query query;
  bool of_mesh, of_sea, is_long;
  unsigned forms; /* bits */
};

static const struct kind kinds[] = {
#define FORM(form) (1u << (form))
#define SOLIDS                                                                                     \
  (FORM(BENCH_SPHERE) | FORM(BENCH_BOX) | FORM(BENCH_CAPSULE) | FORM(BENCH_CYLINDER) |             \
   FORM(BENCH_HULL))
    {"overlap-any", BENCH_QUERY_ANY, true, true, false, SOLIDS | FORM(BENCH_ORIENTED_BOX)},
    {"overlap-triangles", BENCH_QUERY_TRIANGLES, true, false, false,
     SOLIDS | FORM(BENCH_ORIENTED_BOX)},
    {"overlap-shapes", BENCH_QUERY_SHAPES, false, true, false, SOLIDS | FORM(BENCH_ORIENTED_BOX)},
    {"cast", BENCH_QUERY_CAST, true, true, false, SOLIDS},
    {"cast-long", BENCH_QUERY_CAST, true, true, true, SOLIDS},
    {"closest", BENCH_QUERY_CLOSEST, true, false, false, FORM(BENCH_POINT)},
    {"distance", BENCH_QUERY_DISTANCE, true, false, false, FORM(BENCH_SPHERE) | FORM(BENCH_BOX)},
    {"impact", BENCH_QUERY_IMPACT, true, false, false, SOLIDS},
#undef SOLIDS
#undef FORM
};

enum { KINDS = sizeof kinds / sizeof *kinds };

struct settings {
  bench_files meshes;
  const char *queries, *shapes;
  uint32_t probes, sea;
};

/* Of an engine in a case. */
struct outcome {
  double differences; /* per million answers */
};

struct state {
  const struct settings *settings;
  char *name; /* of the target */
  bench_target target;
  mo_aabb bounds;                      /* of the target, world */
  float size;                          /* their diagonal, but for rotation */
  const bench_query_engine *reference; /* the first of Motte's, also where that is not timed */
  void *reference_world;
  mo_vec3 hull_points[BENCH_HULL_POINTS];
  mo_hull *hull;
  struct random_stream random;
  bench_probe *probes;
  bench_answer *expected, *answers;
  /* Of a case. */
  const struct kind *kind;
  bench_question question;
  size_t count; /* of probes */
};

static const bench_query_engine *engine_of(const bench_contender *contender) {
  return (const bench_query_engine *)contender->engine;
}

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

/* On a random triangle, or in a random box. */
static mo_vec3 random_surface_point(struct state *state) {
  struct random_stream *random = &state->random;
  if (state->target.boxes != NULL) {
    bench_query_box box = state->target.boxes[random_below(random, state->target.box_count)];
    return random_point_in(
        random, (mo_aabb){vec3_sub(box.center, box.half), vec3_add(box.center, box.half)});
  }
  mo_vec3 p[3];
  bench_mesh_corners(state->target.mesh,
                     random_below(random, state->target.mesh->triangles.triangle_count), p);
  float u = random_between(random, 0, 1), v = random_between(random, 0, 1);
  float a = u + v > 1 ? 1 - u : u, b = u + v > 1 ? 1 - v : v, c = 1 - a - b;
  mo_transform transform = bench_target_transform(&state->target);
  return mo_transform_point(&transform, (mo_vec3){a * p[0].x + b * p[1].x + c * p[2].x,
                                                  a * p[0].y + b * p[1].y + c * p[2].y,
                                                  a * p[0].z + b * p[1].z + c * p[2].z});
}

/* Some way from the surface in any direction. */
static mo_vec3 random_point_near_surface(struct state *state, float min, float max) {
  float length = random_between(&state->random, min, max);
  mo_vec3 direction = random_direction(&state->random);
  return step(random_surface_point(state), direction, length);
}

static bool touches(const struct state *state, const bench_question *question,
                    const bench_probe *probe) {
  bench_question any = *question;
  any.query = BENCH_QUERY_ANY;
  bench_answer answer;
  state->reference->run(state->reference_world, &any, probe, 1, &answer);
  return answer > 0;
}

static mo_quat rotation_of(struct state *state, const bench_question *question) {
  bool is_fixed = question->form == BENCH_BOX || question->form == BENCH_SPHERE ||
                  question->form == BENCH_POINT;
  return is_fixed ? (mo_quat){0, 0, 0, 1} : random_rotation(&state->random);
}

/* Towards anywhere in the mesh's box, and as far beyond it. */
static bench_probe cast_through(struct state *state, float width) {
  mo_vec3 middle = aabb_center(state->bounds), out = random_direction(&state->random);
  float radius = DIAGONAL / 2 + width;
  bench_probe probe = {.center = step(middle, out, radius)};
  mo_vec3 target = random_point_in(&state->random, state->bounds);
  probe.displacement = vec3_scale(2 * radius, vec3_normalize(vec3_sub(target, probe.center)));
  return probe;
}

/* Overlaps are up to one and a quarter widths from a point of the surface, so that some touch and
 * some do not; what begins in free space is farther away. */
static bench_probe make_near_probe(struct state *state, const bench_question *question,
                                   bool anywhere) {
  struct random_stream *random = &state->random;
  bool overlap = bench_query_counts(question->query);
  float length = CAST_LENGTH * DIAGONAL;
  float min = overlap ? 0 : question->width / 2;
  float max = overlap                                  ? 0.75f * question->width
              : question->query == BENCH_QUERY_CLOSEST ? widths[0] * DIAGONAL
                                                       : question->width / 2 + length;
  bench_probe probe = {.rotation = rotation_of(state, question)};
  for (int i = 0; i < MAX_TRIES; i++) {
    probe.center = anywhere ? random_point_in(random, state->bounds)
                            : random_point_near_surface(state, min, max);
    if (overlap || question->query == BENCH_QUERY_CLOSEST || !touches(state, question, &probe)) {
      break;
    }
  }
  probe.displacement = step((mo_vec3){0, 0, 0}, random_direction(random), length);
  return probe;
}

static bench_probe make_probe(struct state *state, const bench_question *question, bool anywhere) {
  bool is_sea = state->target.boxes != NULL;
  if (question->query != BENCH_QUERY_CAST || !(is_sea || state->kind->is_long)) {
    return make_near_probe(state, question, anywhere);
  }
  mo_quat rotation = rotation_of(state, question);
  bench_probe probe = !is_sea ? cast_through(state, question->width)
                      : state->kind->is_long
                          ? bench_sea_cast_across(state->bounds, question->width, &state->random)
                          : bench_sea_cast_down(state->bounds, question->width, &state->random);
  probe.rotation = rotation;
  return probe;
}

/* Answers. */

static bench_answer find_answer(const struct state *state, const bench_question *question,
                                double larger, const bench_probe *probe) {
  bench_question other = *question;
  other.width = (float)(other.width * (1 + larger));
  bench_answer answer;
  state->reference->run(state->reference_world, &other, probe, 1, &answer);
  return answer;
}

/* Whether an answer is the expected one, or is between those of a smaller and a larger shape.
 * Distances may be off by `slack`. */
static bool is_right(const struct state *state, const bench_question *question,
                     const bench_probe *probe, bench_answer expected, bench_answer answer,
                     double tolerance, double slack, bool more) {
  bool counts = bench_query_counts(question->query);
  bool moves = question->query == BENCH_QUERY_CAST || question->query == BENCH_QUERY_IMPACT;
  slack = counts  ? 0
          : moves ? slack * state->size / vec3_length(probe->displacement)
                  : slack * state->size;
  more = more && question->query == BENCH_QUERY_TRIANGLES;
  if (expected == answer || fabs(expected - answer) <= slack || (more && answer > expected)) {
    return true;
  }
  bench_answer small = find_answer(state, question, -tolerance, probe),
               large = find_answer(state, question, tolerance, probe);
  return answer >= fmin(small, large) - slack && answer <= fmax(small, large) + slack;
}

/* A loop over all has rounding of its own: closed forms that differ by 1e-6 of the width
 * at most. */
static void check_sample(const struct state *state, const char *name) {
  const bench_question *question = &state->question;
  size_t sample = 1 + (size_t)(SAMPLE_PARTS / bench_target_size(&state->target));
  for (size_t i = 0; i < state->count && i < sample; i++) {
    const bench_probe *probe = &state->probes[i];
    bench_answer truth = bench_query_brute_force(&state->target, question, probe);
    truth = bench_query_counts(question->query) ? truth : (float)truth;
    if (!is_right(state, question, probe, truth, state->expected[i], 1e-6, 1e-7, false)) {
      fail("%s: probe %zu: %s says %.9g, brute force %.9g", name, i, state->reference->id.name,
           state->expected[i], truth);
    }
  }
}

static void compare(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_question *question = &state->question;
  const bench_query_engine *engine = engine_of(contender);
  double tolerance = engine->tolerance;
  if (engine->margin > 0) {
    tolerance += 4 * engine->margin / (double)question->width; /* capsules are half as thick */
  }
  double tolerated = question->query == BENCH_QUERY_TRIANGLES
                         ? fmax(engine->tolerated, engine->lists_tolerated)
                         : engine->tolerated;
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < state->count; i++) {
    bool same = state->expected[i] == state->answers[i];
    if (!same &&
        (engine->id.version == NULL ||
         !is_right(state, question, &state->probes[i], state->expected[i], state->answers[i],
                   tolerance, engine->distance_tolerance, engine->lists_more))) {
      first = wrong++ == 0 ? i : first;
    }
  }
  if (wrong > 0 && (double)wrong > 1 + tolerated * (double)state->count) {
    const bench_probe *p = &state->probes[first];
    bench_refuse(run, contender,
                 "%zu of %zu answers are wrong; of the first, probe %zu at (%.9g %.9g %.9g), it "
                 "says %.9g, %s %.9g",
                 wrong, state->count, first, p->center.x, p->center.y, p->center.z,
                 state->answers[first], state->reference->id.name, state->expected[first]);
  }
  ((struct outcome *)contender->data)->differences = 1e6 * (double)wrong / (double)state->count;
}

/* Cases. */

/* So few that the slowest engine takes no longer than it should. */
static size_t count_probes(const bench_run *run) {
  const struct state *state = run->data;
  size_t max = state->settings->probes, few = max < MIN_PROBES ? max : MIN_PROBES;
  double slowest = 0;
  for (size_t c = 0; c < run->count; c++) {
    const bench_contender *contender = &run->contenders[c];
    if (bench_is_active(contender)) {
      double start = bench_clock();
      engine_of(contender)->run(contender->world, &state->question, state->probes, few,
                                state->answers);
      slowest = fmax(slowest, (bench_clock() - start) / (double)few);
    }
  }
  double enough = REPETITION / fmax(slowest, 1e-9);
  return enough >= (double)max ? max : enough < (double)few ? few : (size_t)enough;
}

static void measure(bench_run *run, bench_contender *contender, uint32_t round) {
  const struct state *state = run->data;
  double start = bench_clock();
  engine_of(contender)->run(contender->world, &state->question, state->probes, state->count,
                            state->answers);
  bench_sample(run, contender, &time_taken, 1e6 * (bench_clock() - start) / (double)state->count);
  if (round == 0) {
    compare(run, contender);
  }
}

static void count_work(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const bench_question *question = &state->question;
  size_t count = state->count;
  bench_count(run, contender, &differences, ((const struct outcome *)contender->data)->differences);
  if (engine_of(contender)->count_work == NULL) {
    return;
  }
  mo_query_stats stats;
  engine_of(contender)->count_work(contender->world, question, state->probes, count, &stats);
  double each = 1 / (double)count, sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += bench_query_counts(question->query) ? state->expected[i] : state->expected[i] < INFINITY;
  }
  bench_count(run, contender, &found, sum * each);
  bool is_sea = state->target.boxes != NULL;
  bench_count(run, contender, &nodes,
              (double)(is_sea ? stats.scene_node_count : stats.mesh_node_count) * each);
  bench_count(run, contender, &blocks,
              (double)(is_sea ? stats.scene_block_count : stats.mesh_block_count) * each);
  bench_count(run, contender, is_sea ? &shapes : &tested,
              (double)(is_sea ? stats.shape_count : stats.triangle_count) * each);
}

static void run_case(bench_run *run, bench_question question, char *name, bool anywhere) {
  struct state *state = run->data;
  state->question = question;
  state->random = random_from_seed(run->seed);
  for (size_t i = 0; i < state->settings->probes; i++) {
    state->probes[i] = make_probe(state, &question, anywhere);
  }
  bench_begin(run, name);
  for (size_t c = 0; c < run->count; c++) {
    const bench_query_engine *engine = engine_of(&run->contenders[c]);
    run->contenders[c].sits_out =
        run->contenders[c].world == NULL || !engine->can(engine, &question);
  }
  state->count = count_probes(run);
  state->reference->run(state->reference_world, &question, state->probes, state->count,
                        state->expected);
  check_sample(state, name);
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure});
  bench_end(run, count_work);
}

/* Widths in diagonals of a mesh, or as they are. */
static char *name_case(const struct state *state, bench_form form, int width) {
  const char *target = state->name, *query = state->kind->name;
  if (form == BENCH_POINT) {
    return bench_format("%s/%s/%s", target, query, width == 0 ? "point-near" : "point-anywhere");
  }
  return bench_format("%s/%s/%s-%g", target, query, form_names[form],
                      (double)(state->target.boxes != NULL ? sea_widths : widths)[width]);
}

static void run_kind(bench_run *run, const struct kind *kind) {
  struct state *state = run->data;
  state->kind = kind;
  for (bench_form form = 0; form < BENCH_FORMS; form++) {
    if ((kind->forms >> form & 1) == 0 ||
        !bench_list_has(state->settings->shapes, form_names[form], true)) {
      continue;
    }
    for (int i = 0; i < WIDTHS && !bench_interrupted(); i++) {
      bool is_point = form == BENCH_POINT;
      float width = is_point                      ? 0
                    : state->target.boxes != NULL ? sea_widths[i]
                                                  : widths[i] * DIAGONAL;
      bench_question question = {kind->query, form, width, state->hull_points, state->hull};
      run_case(run, question, name_case(state, form, i), is_point && i == 1);
    }
  }
}

/* Meshes. */

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

static void destroy_world(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

/* All queries of the state's target. */
static void run_target(bench_run *run) {
  struct state *state = run->data;
  bool is_sea = state->target.boxes != NULL;
  state->reference = &bench_motte_query_engines[0];
  state->reference_world = state->reference->create(state->reference, &state->target);
  for (size_t c = 0; c < run->count; c++) {
    const bench_query_engine *engine = engine_of(&run->contenders[c]);
    run->contenders[c].world = engine->create(engine, &state->target);
  }
  for (int i = 0; i < KINDS; i++) {
    if ((is_sea ? kinds[i].of_sea : kinds[i].of_mesh) &&
        bench_list_has(state->settings->queries, kinds[i].name, true)) {
      run_kind(run, &kinds[i]);
    }
  }
  bench_release_each(run, destroy_world);
  state->reference->destroy(state->reference_world);
}

static void run_mesh(bench_run *run, bench_mesh *mesh) {
  struct state *state = run->data;
  bench_progress("%s: %u triangles", mesh->name, mesh->triangles.triangle_count);
  bench_mesh_normalise(mesh);
  state->name = mesh->name;
  state->target = place(mesh);
  state->bounds = find_bounds(&state->target);
  state->size = DIAGONAL;
  run_target(run);
}

static void run_sea(bench_run *run, uint32_t side) {
  struct state *state = run->data;
  bench_query_box *boxes = bench_sea_create(side, run->seed);
  state->target = (bench_target){.boxes = boxes, .box_count = side * side};
  state->bounds = bench_sea_bounds(boxes, side * side);
  state->size = vec3_length(aabb_size(state->bounds));
  state->name = bench_format("sea-%u", side * side);
  run_target(run);
  free(state->name);
  free(boxes);
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  struct state state = {
      .settings = settings,
      .probes = allocate(settings->probes, sizeof *state.probes),
      .expected = allocate(settings->probes, sizeof *state.expected),
      .answers = allocate(settings->probes, sizeof *state.answers),
  };
  run->data = &state;
  state.hull = bench_query_make_hull(state.hull_points);
  bench_each_mesh(run, &settings->meshes, 64, run_mesh);
  if (settings->sea > 0 && !bench_interrupted()) {
    run_sea(run, settings->sea);
  }
  mo_hull_release(state.hull);
  free(state.probes);
  free(state.expected);
  free(state.answers);
  run->data = NULL;
}

static const char *query_name(unsigned i) {
  return i < KINDS ? kinds[i].name : NULL;
}

static const char *form_name(unsigned i) {
  return i < BENCH_FORMS ? form_names[i] : NULL;
}

static const bench_option options[] = {
    {"mesh", "FILE",
     "a mesh of any format that Assimp reads; may be repeated, or left out before FILE",
     BENCH_FILES, .offset = offsetof(struct settings, meshes)},
    {"probes", "N", "places per case at most; fewer where queries take long", BENCH_COUNT,
     .offset = offsetof(struct settings, probes), .initial = "2000", .quick = "64", .min = 1,
     .max = 1e8},
    {"sea", "N", "a sea of N times N static boxes, beside the meshes; 0: none", BENCH_COUNT,
     .offset = offsetof(struct settings, sea), .initial = "64", .quick = "16", .min = 0,
     .max = 1000},
    {"queries", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, queries),
     .name_at = query_name},
    {"forms", "LIST", "of the shapes, of", BENCH_LIST, .offset = offsetof(struct settings, shapes),
     .name_at = form_name},
    {0},
};

static const char *why_not_compared(const bench_engine_id *peer) {
  return ((const bench_query_engine *)peer)->lists_more
             ? "which lists triangles by boxes and tests none of them"
             : NULL;
}

const bench_suite bench_suite_queries = {
    .name = "queries",
    .summary = "overlaps, casts and distances of shapes",
    .purpose = "Overlaps, casts, distances and impacts of convex shapes with meshes (a generated "
               "one if no FILE is given), and with a sea of boxes.",
    .notes = "Cases are MESH/QUERY/SHAPE-WIDTH, the width in diagonals of the mesh, and "
             "sea-BOXES/QUERY/SHAPE-WIDTH.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_motte_query_engines[0].id,
    .engine_size = sizeof(bench_query_engine),
    .chosen_engines = "motte,motte-batch",
    .peers = bench_queries_peers,
    .contender_size = sizeof(struct outcome),
    .run = run_all,
    .why_not_compared = why_not_compared,
    .headlines = "time",
    .compared = {&time_taken},
};
