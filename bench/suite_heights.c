/* Height fields: how they are built, rays, casts of shapes, contacts of bodies on them, and changes
 * of a region, each on hills of samples that are a metre apart, with cliffs.
 *
 * Before a time is printed, answers are compared with those of Motte's height field. Those of
 * Motte's other fields and of its mesh must be the same to the bit. Those of others must lie
 * between what Motte says of a terrain that is higher, and of one that is lower, by as much as the
 * engine's heights may be off (`slack`), and of casts, of shapes that are larger and smaller by the
 * tolerances of the suite of queries. Contacts are compared as those of the suite of steps. Motte's
 * own are compared with a loop over all triangles, on a sample. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "common/vector.h"
#include "heights_make.h"
#include "rays.h"
#include "step_check.h"
#include "suite.h"

enum { MIN_PROBES = 16, WIDTHS = 2, CHECKED_RAYS = 4, CHECKED_CASTS = 1, REBUILDS = 2 };

/* What a repetition of a case may take an engine, seconds. */
#define REPETITION 0.06

static const bench_metric build_time = {"build", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric memory = {"memory", "bytes/sample", BENCH_LESS_IS_BETTER};
static const bench_metric time_taken = {"time", "us", BENCH_LESS_IS_BETTER};
static const bench_metric found = {"found", "1/query", BENCH_NEITHER_IS_BETTER};
static const bench_metric differences = {"differences", "1/million", BENCH_NEITHER_IS_BETTER};
static const bench_metric points = {"points", "1/body", BENCH_NEITHER_IS_BETTER};
static const bench_metric touching = {"touching", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric missing = {"missing", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric extra = {"extra", "", BENCH_NEITHER_IS_BETTER};

static const float widths[WIDTHS] = {1, 4};
static const uint32_t edit_sizes[] = {10, 100};

typedef enum part { BUILD, RAYS, CASTS, CONTACTS, EDITS, PARTS } part;

static const char *const part_names[PARTS] = {
    [BUILD] = "build",       [RAYS] = "rays",   [CASTS] = "casts",
    [CONTACTS] = "contacts", [EDITS] = "edits",
};

static const struct form {
  const char *name;
  bench_form form;
  bool is_cast;
} forms[] = {
    {"sphere", BENCH_SPHERE, true},   {"box", BENCH_ORIENTED_BOX, true},
    {"capsule", BENCH_CAPSULE, true}, {"cylinder", BENCH_CYLINDER, false},
    {"hull", BENCH_HULL, true},
};

enum { FORMS = sizeof forms / sizeof *forms };

struct settings {
  bench_counts samples;
  const char *parts, *forms;
  uint32_t queries, bodies, edits;
};

/* Of an engine. */
struct outcome {
  bench_ground ground;
  bench_target target;
  bench_step_scene scene;
  bench_step_engine steps; /* the engine's, with the band of this suite */
  size_t bytes;
  size_t count; /* of rays or casts in the case */
  double found, differences;
  bench_step_census census;
  double points; /* of all steps that were compared */
};

struct state {
  const struct settings *settings;
  bench_terrain *terrain;
  bench_dropper dropper; /* Motte's */
  mo_vec3 hull_points[BENCH_HULL_POINTS];
  mo_hull *hull;
  /* Of a case. */
  bench_ray *rays;
  float *t, *expected_t;
  bench_question question;
  bench_probe *probes;
  bench_answer *answers, *expected;
  const bench_step_scene *scene;
  uint32_t compared; /* steps */
  bench_terrain *scratch;
  const bench_height_edit *edits, *back;
  uint32_t edit_count;
  const void *reference; /* a world whose rays are the expected ones */
};

static const bench_height_engine *engine_of(const bench_contender *contender) {
  return (const bench_height_engine *)contender->engine;
}

static bool is_motte(const bench_height_engine *engine) {
  return engine->id.version == NULL;
}

static char *name_case(const struct state *state, const char *workload) {
  return bench_format("hills-%u/%s", state->terrain->side, workload);
}

/* --- worlds --- */

static void create_field(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  double seconds;
  contender->world = engine_of(contender)->create(engine_of(contender), state->terrain, &seconds);
}

static void destroy_field(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

static void create_queries(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  struct outcome *outcome = contender->data;
  const bench_height_engine *engine = engine_of(contender);
  if (engine->queries == NULL || engine->rebuilds) {
    return;
  }
  outcome->ground = (bench_ground){state->terrain, engine->bits};
  outcome->target = (bench_target){.rotation = {0, 0, 0, 1}, .scale = 1};
  outcome->target.mesh = engine->is_mesh ? state->terrain->mesh : NULL;
  outcome->target.ground = engine->is_mesh ? NULL : &outcome->ground;
  contender->world = engine->queries->create(engine->queries, &outcome->target);
}

static void destroy_queries(bench_contender *contender) {
  engine_of(contender)->queries->destroy(contender->world);
}

static void create_bodies(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  struct outcome *outcome = contender->data;
  const bench_height_engine *engine = engine_of(contender);
  if (engine->steps == NULL || engine->rebuilds) {
    return;
  }
  outcome->ground = (bench_ground){state->terrain, engine->bits};
  outcome->steps = *engine->steps;
  outcome->steps.band += engine->band * (double)state->question.width;
  outcome->scene = *state->scene;
  outcome->scene.pieces = allocate(state->scene->count, sizeof *outcome->scene.pieces);
  for (uint32_t i = 0; i < state->scene->count; i++) {
    outcome->scene.pieces[i] = state->scene->pieces[i];
  }
  if (engine->is_mesh) {
    outcome->scene.pieces[0].kind = BENCH_PIECE_MESH;
    outcome->scene.meshes = &state->terrain->mesh;
    outcome->scene.mesh_count = 1;
  } else {
    outcome->scene.ground = &outcome->ground;
  }
  contender->world = engine->steps->create(engine->steps, &outcome->scene);
}

static void destroy_bodies(bench_contender *contender) {
  engine_of(contender)->steps->destroy(contender->world);
  free(((struct outcome *)contender->data)->scene.pieces);
}

static void let_sit_out(bench_run *run) {
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].sits_out = run->contenders[c].world == NULL;
  }
}

/* Slow engines get the first of the rays or casts alone, so that these are enough for the quick
 * ones. Returns the maximum. `play` gets as many as the contender's count. */
static size_t choose_counts(bench_run *run, void (*play)(bench_run *, bench_contender *)) {
  const struct state *state = run->data;
  const size_t max = state->settings->queries, few = max < MIN_PROBES ? max : MIN_PROBES;
  for (size_t c = 0; c < run->count; c++) {
    struct outcome *outcome = run->contenders[c].data;
    outcome->count = few;
    if (bench_is_active(&run->contenders[c])) {
      double start = bench_clock();
      play(run, &run->contenders[c]);
      double enough = (double)few * REPETITION / fmax(bench_clock() - start, 1e-9);
      outcome->count = enough >= (double)max ? max : enough < (double)few ? few : (size_t)enough;
    }
  }
  return max;
}

static size_t count_of(const bench_contender *contender) {
  return ((const struct outcome *)contender->data)->count;
}

static void count_differences(bench_run *run, bench_contender *contender) {
  const struct outcome *outcome = contender->data;
  bench_count(run, contender, &found, outcome->found);
  bench_count(run, contender, &differences, outcome->differences);
}

/* Refuses an engine of which too many answers are wrong. */
static void judge(bench_run *run, bench_contender *contender, size_t hits, size_t wrong,
                  double tolerated) {
  struct outcome *outcome = contender->data;
  const double count = (double)outcome->count;
  outcome->found = (double)hits / count;
  outcome->differences = 1e6 * (double)wrong / count;
  if (wrong > 0 && (is_motte(engine_of(contender)) || (double)wrong > 1 + tolerated * count)) {
    bench_refuse(run, contender, "%zu of %.0f answers are wrong", wrong, count);
  }
}

/* --- building --- */

static void measure_build(bench_run *run, bench_contender *contender, uint32_t round) {
  const struct state *state = run->data;
  double seconds;
  void *world = engine_of(contender)->create(engine_of(contender), state->terrain, &seconds);
  bench_sample(run, contender, &build_time, 1e3 * seconds);
  if (round == 0) {
    ((struct outcome *)contender->data)->bytes = engine_of(contender)->bytes(world);
  }
  engine_of(contender)->destroy(world);
}

static void count_bytes(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const double samples = (double)state->terrain->side * state->terrain->side;
  bench_count(run, contender, &memory,
              (double)((const struct outcome *)contender->data)->bytes / samples);
}

static void run_build(bench_run *run) {
  bench_begin(run, name_case(run->data, "build"));
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].sits_out = engine_of(&run->contenders[c])->rebuilds;
  }
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure_build});
  bench_end(run, count_bytes);
}

/* --- rays --- */

static void cast_rays(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  engine_of(contender)->cast_rays(contender->world, state->rays, count_of(contender), state->t);
}

static float hit_at(const bench_height_engine *reference, void *world, const bench_ray *ray,
                    float raised) {
  bench_ray moved = *ray;
  float t;
  moved.origin.y += raised;
  reference->cast_rays(world, &moved, 1, &t);
  return t;
}

/* `world` is the reference's. */
static bool is_right_hit(const bench_height_engine *engine, void *world, const bench_ray *ray,
                         float expected, float t) {
  const bench_height_engine *reference = &bench_motte_height_engines[0];
  const float slack = (float)engine->slack;
  if (t == expected || is_motte(engine)) {
    return t == expected;
  }
  return fabsf(t - expected) <= slack || (t >= hit_at(reference, world, ray, -slack) - slack &&
                                          t <= hit_at(reference, world, ray, slack) + slack);
}

static void compare_rays(bench_run *run, bench_contender *contender, void *reference) {
  const struct state *state = run->data;
  size_t hits = 0, wrong = 0;
  for (size_t i = 0; i < count_of(contender); i++) {
    hits += state->t[i] < INFINITY;
    wrong += !is_right_hit(engine_of(contender), reference, &state->rays[i], state->expected_t[i],
                           state->t[i]);
  }
  judge(run, contender, hits, wrong, engine_of(contender)->tolerated);
}

static void measure_rays(bench_run *run, bench_contender *contender, uint32_t round) {
  double start = bench_clock();
  cast_rays(run, contender);
  bench_sample(run, contender, &time_taken,
               1e6 * (bench_clock() - start) / (double)count_of(contender));
  if (round == 0) {
    compare_rays(run, contender, run->contenders[0].world);
  }
}

static void check_rays(const struct state *state, size_t count) {
  for (size_t i = 0; i < count && i < CHECKED_RAYS; i++) {
    bench_truth truth = bench_find_truth(state->terrain->mesh, NULL, &state->rays[i]);
    const bench_hit hit = {.t = state->expected_t[i]};
    if (!bench_truth_allows(truth, &state->rays[i], BENCH_CLOSEST, hit)) {
      fail("ray %zu: Motte says %.9g, a loop over all triangles %.9g to %.9g", i,
           (double)state->expected_t[i], (double)truth.lower, (double)truth.upper);
    }
  }
}

static void run_rays(bench_run *run, const char *name, bool is_slanting) {
  struct state *state = run->data;
  state->rays = bench_height_rays(state->terrain, is_slanting, state->settings->queries, run->seed);
  bench_begin(run, name_case(state, name));
  for (size_t c = 0; c < run->count; c++) {
    const bench_height_engine *engine = engine_of(&run->contenders[c]);
    run->contenders[c].sits_out = engine->rebuilds || engine->has_slow_rays;
  }
  const size_t max = choose_counts(run, cast_rays);
  bench_motte_height_engines[0].cast_rays(run->contenders[0].world, state->rays, max,
                                          state->expected_t);
  check_rays(state, max);
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure_rays});
  bench_end(run, count_differences);
  free(state->rays);
}

/* --- changes --- */

static uint32_t edits_of(const bench_height_engine *engine, uint32_t count) {
  return engine->rebuilds && count > REBUILDS ? REBUILDS : count;
}

/* Microseconds a change. */
static double change(bench_run *run, bench_contender *contender, const bench_height_edit *edits) {
  struct state *state = run->data;
  const bench_height_engine *engine = engine_of(contender);
  const uint32_t count = edits_of(engine, state->edit_count);
  for (uint32_t i = 0; i < state->edit_count; i++) {
    bench_terrain_edit(state->scratch->heights, state->scratch->side, &edits[i]);
  }
  double start = bench_clock();
  for (uint32_t i = 0; i < count; i++) {
    engine->edit(contender->world, &edits[i], state->scratch);
  }
  return 1e6 * (bench_clock() - start) / count;
}

/* There and back. Answers are compared in between: with those of a field that is made anew. */
static void measure_edits(bench_run *run, bench_contender *contender, uint32_t round) {
  struct state *state = run->data;
  bench_sample(run, contender, &time_taken, change(run, contender, state->edits));
  if (round == 0) {
    double seconds;
    const bench_height_engine *motte = &bench_motte_height_engines[0];
    void *anew = motte->create(motte, state->scratch, &seconds);
    motte->cast_rays(anew, state->rays, count_of(contender), state->expected_t);
    cast_rays(run, contender);
    compare_rays(run, contender, anew);
    motte->destroy(anew);
  }
  bench_sample(run, contender, &time_taken, change(run, contender, state->back));
}

static void run_edits(bench_run *run, uint32_t size) {
  struct state *state = run->data;
  uint32_t count = state->settings->edits;
  bench_height_edit *edits = bench_height_edits(state->terrain, size, &count, run->seed);
  bench_height_edit *back = bench_height_edits_back(state->terrain, edits, count);
  state->edits = edits;
  state->back = back;
  state->edit_count = count;
  state->scratch = bench_terrain_copy(state->terrain);
  state->rays = bench_height_rays_into(edits, count < REBUILDS ? count : REBUILDS,
                                       state->settings->queries, run->seed);
  bench_begin(run, bench_format("hills-%u/edit/%u", state->terrain->side, size));
  for (size_t c = 0; c < run->count; c++) {
    run->contenders[c].sits_out = engine_of(&run->contenders[c])->edit == NULL;
    ((struct outcome *)run->contenders[c].data)->count = state->settings->queries;
  }
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure_edits});
  bench_end(run, NULL);
  free(state->rays);
  bench_terrain_free(state->scratch);
  bench_height_edits_free(edits, count);
  bench_height_edits_free(back, count);
}

/* --- casts --- */

static void cast_shapes(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  engine_of(contender)->queries->run(contender->world, &state->question, state->probes,
                                     count_of(contender), state->answers);
}

static bench_answer answer_of(const struct state *state, const bench_probe *probe, double larger,
                              double raised) {
  bench_question question = state->question;
  bench_probe moved = *probe;
  bench_answer answer;
  question.width *= (float)(1 + larger);
  moved.center.y += (float)raised;
  state->dropper.engine->run(state->dropper.world, &question, &moved, 1, &answer);
  return answer;
}

static bool is_right_cast(const struct state *state, const bench_height_engine *engine, size_t i) {
  const bench_probe *probe = &state->probes[i];
  const bench_answer t = state->answers[i], expected = state->expected[i];
  const double slack = engine->slack / (double)vec3_length(probe->displacement);
  if (t == expected || is_motte(engine)) {
    return t == expected;
  }
  const double larger =
      engine->queries->tolerance + 4 * engine->queries->margin / (double)state->question.width;
  return fabs(t - expected) <= slack ||
         (t >= answer_of(state, probe, larger, -engine->slack) - slack &&
          t <= answer_of(state, probe, -larger, engine->slack) + slack);
}

static void measure_casts(bench_run *run, bench_contender *contender, uint32_t round) {
  const struct state *state = run->data;
  const size_t count = count_of(contender);
  double start = bench_clock();
  cast_shapes(run, contender);
  bench_sample(run, contender, &time_taken, 1e6 * (bench_clock() - start) / (double)count);
  if (round == 0) {
    size_t hits = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
      hits += state->answers[i] < INFINITY;
      wrong += !is_right_cast(state, engine_of(contender), i);
    }
    judge(run, contender, hits, wrong, engine_of(contender)->queries->tolerated);
  }
}

static void check_casts(const struct state *state, size_t count) {
  const bench_target triangles = {
      .mesh = state->terrain->mesh, .rotation = {0, 0, 0, 1}, .scale = 1};
  for (size_t i = 0; i < count && i < CHECKED_CASTS; i++) {
    bench_answer truth = bench_query_brute_force(&triangles, &state->question, &state->probes[i]);
    if (fabs(truth - state->expected[i]) > 1e-5) {
      fail("cast %zu: Motte says %.9g, a loop over all triangles %.9g", i, state->expected[i],
           truth);
    }
  }
}

static void run_casts(bench_run *run, const struct form *form, float width, bool is_sweep) {
  struct state *state = run->data;
  state->question =
      (bench_question){BENCH_QUERY_CAST, form->form, width, state->hull_points, state->hull};
  bench_height_casts(&state->dropper, &state->question, is_sweep, state->probes,
                     state->settings->queries, run->seed);
  bench_begin(run, bench_format("hills-%u/%s/%s-%g", state->terrain->side,
                                is_sweep ? "sweep" : "fall", form->name, (double)width));
  let_sit_out(run);
  const size_t max = choose_counts(run, cast_shapes);
  state->dropper.engine->run(state->dropper.world, &state->question, state->probes, max,
                             state->expected);
  check_casts(state, max);
  bench_play(run, &(bench_rounds){.count = run->repeats, .measure = measure_casts});
  bench_end(run, count_differences);
}

static bool has_form(const bench_run *run, const struct form *form) {
  const struct settings *settings = run->settings;
  return bench_list_has(settings->forms, form->name, true) && !bench_interrupted();
}

static void run_all_casts(bench_run *run) {
  for (int f = 0; f < FORMS; f++) {
    for (int i = 0; i < 2 * WIDTHS && forms[f].is_cast && has_form(run, &forms[f]); i++) {
      run_casts(run, &forms[f], widths[i % WIDTHS], i >= WIDTHS);
    }
  }
}

/* --- contacts --- */

static const bench_pose *poses_at(const bench_step_scene *scene, uint32_t round) {
  return scene->recorded + (size_t)(round % scene->frames) * (scene->count - scene->static_count);
}

static void measure_contacts(bench_run *run, bench_contender *contender, uint32_t round) {
  const struct state *state = run->data;
  bench_step_times t =
      engine_of(contender)->steps->step(contender->world, poses_at(state->scene, round));
  bench_sample(run, contender, &time_taken,
               1e3 * (t.update + t.pairs + t.contacts) / (state->scene->count - 1));
}

static void compare_contacts(bench_run *run, bench_contender *contender) {
  struct outcome *outcome = contender->data;
  const bench_height_engine *engine = engine_of(contender);
  const bench_contender *first = &run->contenders[0];
  size_t pairs, count;
  engine->steps->count(contender->world, &pairs, &count);
  outcome->points += (double)count;
  if (!bench_step_compare(&outcome->steps, contender->world, engine_of(first)->steps, first->world,
                          &outcome->census)) {
    bench_refuse(run, contender, "it has other contacts than %s", first->engine->name);
  }
}

static void compare_some_contacts(bench_run *run, uint32_t round) {
  struct state *state = run->data;
  if (round % 4 == 0) {
    bench_check_each(run, compare_contacts);
    state->compared++;
  }
}

static void check_census(bench_run *run, bench_contender *contender) {
  const bench_step_census *census = &((const struct outcome *)contender->data)->census;
  const double wrong = (double)(census->missing + census->extra);
  if (!bench_step_is_close(census) &&
      wrong > engine_of(contender)->misses * (double)census->touching) {
    bench_refuse(run, contender, "of %zu touching bodies %zu are missing, and %zu are too many",
                 census->touching, census->missing, census->extra);
  }
}

static void count_contacts(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  const double steps = state->compared;
  bench_count(run, contender, &points, outcome->points / steps / (state->scene->count - 1));
  bench_count(run, contender, &touching, (double)outcome->census.touching / steps);
  bench_count(run, contender, &missing, (double)outcome->census.missing / steps);
  bench_count(run, contender, &extra, (double)outcome->census.extra / steps);
}

static void run_contacts(bench_run *run, const struct form *form, float width) {
  enum { STEPS_A_REPEAT = 3, MAX_FRAMES = 60 };
  const uint32_t steps = STEPS_A_REPEAT * run->repeats,
                 frames = steps < MAX_FRAMES ? steps : MAX_FRAMES;
  struct state *state = run->data;
  state->question =
      (bench_question){BENCH_QUERY_CAST, form->form, width, state->hull_points, state->hull};
  bench_step_scene *scene = bench_height_scene(&state->dropper, &state->question,
                                               state->settings->bodies, frames, run->seed);
  state->scene = scene;
  state->compared = 0;
  bench_begin(run, bench_format("hills-%u/contacts/%s-%g", state->terrain->side, form->name,
                                (double)width));
  for (size_t c = 0; c < run->count; c++) {
    struct outcome *outcome = run->contenders[c].data;
    outcome->census = (bench_step_census){0};
    outcome->points = 0;
  }
  bench_each(run, create_bodies);
  let_sit_out(run);
  bench_play(run, &(bench_rounds){
                      .count = steps, .measure = measure_contacts, .check = compare_some_contacts});
  bench_check_each(run, check_census);
  bench_end(run, state->compared > 0 ? count_contacts : NULL);
  bench_release_each(run, destroy_bodies);
  bench_height_scene_free(scene);
}

static void run_all_contacts(bench_run *run) {
  for (int f = 0; f < FORMS; f++) {
    for (int i = 0; i < WIDTHS && has_form(run, &forms[f]); i++) {
      run_contacts(run, &forms[f], widths[i]);
    }
  }
}

/* --- the suite --- */

static bool has(const struct state *state, part p) {
  return bench_list_has(state->settings->parts, part_names[p], true) && !bench_interrupted();
}

static void run_fields(bench_run *run) {
  const struct state *state = run->data;
  bench_each(run, create_field);
  if (has(state, RAYS)) {
    run_rays(run, "ray-down", false);
  }
  if (has(state, RAYS)) {
    run_rays(run, "ray-slanting", true);
  }
  for (size_t i = 0; i < sizeof edit_sizes / sizeof *edit_sizes; i++) {
    if (has(state, EDITS) && edit_sizes[i] + 2 <= state->terrain->side) {
      run_edits(run, edit_sizes[i]);
    }
  }
  bench_release_each(run, destroy_field);
}

/* Worlds of one kind are there at a time: some engines have their allocators set for a world. */
static void run_terrain(bench_run *run, uint32_t side) {
  struct state *state = run->data;
  bench_progress("hills of %u x %u samples", side, side);
  state->terrain = bench_terrain_create(side, run->seed);
  const bench_ground ground = {.terrain = state->terrain};
  const bench_target target = {.ground = &ground};
  state->dropper =
      (bench_dropper){state->terrain, &bench_motte_query_engines[0],
                      bench_motte_query_engines[0].create(&bench_motte_query_engines[0], &target)};
  if (has(state, BUILD)) {
    run_build(run);
  }
  if (has(state, RAYS) || has(state, EDITS)) {
    run_fields(run);
  }
  if (has(state, CASTS)) {
    bench_each(run, create_queries);
    run_all_casts(run);
    bench_release_each(run, destroy_queries);
  }
  if (has(state, CONTACTS)) {
    run_all_contacts(run);
  }
  state->dropper.engine->destroy(state->dropper.world);
  bench_terrain_free(state->terrain);
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  struct state state = {
      .settings = settings,
      .t = allocate(settings->queries, sizeof *state.t),
      .expected_t = allocate(settings->queries, sizeof *state.expected_t),
      .probes = allocate(settings->queries, sizeof *state.probes),
      .answers = allocate(settings->queries, sizeof *state.answers),
      .expected = allocate(settings->queries, sizeof *state.expected),
  };
  run->data = &state;
  state.hull = bench_query_make_hull(state.hull_points);
  for (size_t i = 0; i < settings->samples.count && !bench_interrupted(); i++) {
    run_terrain(run, settings->samples.item[i]);
  }
  mo_hull_release(state.hull);
  free(state.t);
  free(state.expected_t);
  free(state.probes);
  free(state.answers);
  free(state.expected);
  run->data = NULL;
}

static const char *part_name(unsigned i) {
  return i < PARTS ? part_names[i] : NULL;
}

static const char *form_name(unsigned i) {
  return i < FORMS ? forms[i].name : NULL;
}

static const bench_option options[] = {
    {"samples", "N,...", "terrains of N times N samples", BENCH_COUNTS,
     .offset = offsetof(struct settings, samples), .initial = "1024", .quick = "128", .min = 32,
     .max = 4096},
    {"queries", "N", "rays and casts of a case at most; fewer where they take long", BENCH_COUNT,
     .offset = offsetof(struct settings, queries), .initial = "2000", .quick = "64", .min = 1,
     .max = 1e7},
    {"bodies", "N", "on the terrain", BENCH_COUNT, .offset = offsetof(struct settings, bodies),
     .initial = "400", .quick = "64", .min = 1, .max = 1e6},
    {"edits", "N", "changes of a round", BENCH_COUNT, .offset = offsetof(struct settings, edits),
     .initial = "50", .quick = "4", .min = 1, .max = 1e6},
    {"parts", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, parts),
     .name_at = part_name},
    {"forms", "LIST", "of the shapes, of", BENCH_LIST, .offset = offsetof(struct settings, forms),
     .name_at = form_name},
    {0},
};

const bench_suite bench_suite_heights = {
    .name = "heights",
    .summary = "height fields: building, rays, casts, contacts and changes",
    .purpose = "Height fields of generated hills: building, rays from above and long slanting "
               "ones, casts of shapes, contacts of bodies that lie on the ground or hover, and "
               "changes of a region. motte-mesh is a mesh of the same triangles.",
    .notes = "Cases are hills-SAMPLES/WORKLOAD, of casts and contacts with SHAPE-WIDTH in metres, "
             "of changes with samples along a side. `time` is that of a ray, cast, body or change. "
             "Contacts are those of a whole step, as in the suite step. Engines named -rebuild "
             "make all anew at a change.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_motte_height_engines[0].id,
    .engine_size = sizeof(bench_height_engine),
    .chosen_engines = "motte,motte-16-bit,motte-mesh,motte-rebuild",
    .needs_first = true,
    .peers = bench_height_peers,
    .contender_size = sizeof(struct outcome),
    .run = run_all,
    .headlines = "time,build,memory",
    .compared = {&time_taken, &build_time},
};
