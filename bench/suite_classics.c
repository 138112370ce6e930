/* Claims of the literature on octrees from which Motte descends, each a case or a few: one
 * technique beside its alternative, in Motte's own trees.
 *
 * Claims about meshes cast rays at one. Claims about scenes move boxes, then find the boxes in
 * frustums and cast rays among them. "levels" moves instances of a mesh. All engines of a case must
 * give the same answers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classics.h"
#include "common/check.h"
#include "instances.h"

const bench_metric bench_classic_ray = {"ray", "us", BENCH_LESS_IS_BETTER};
const bench_metric bench_classic_ray_nodes = {"ray_nodes", "1/ray", BENCH_LESS_IS_BETTER};
const bench_metric bench_classic_ray_blocks = {"ray_blocks", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric ray_triangles = {"ray_triangles", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric ray_saved = {"ray_mailbox_saved", "1/ray", BENCH_NEITHER_IS_BETTER};
const bench_metric bench_classic_ray_hits = {"ray_hits", "1/ray", BENCH_NEITHER_IS_BETTER};
static const bench_metric mesh_bytes = {"bytes_per_triangle", "B", BENCH_LESS_IS_BETTER};
const bench_metric bench_classic_update = {"update", "ms", BENCH_LESS_IS_BETTER};

const char *const bench_claim_names[BENCH_CLAIMS] = {"order",  "mailbox",  "loose",
                                                     "planes", "reinsert", "levels"};

static const char claim_texts[] =
    "Claims:\n"
    "  order     children visited in the order of the ray, by Motte and by walking the split "
    "planes, "
    "beside all nodes and triangles (naive)\n"
    "  mailbox   triangles that several leaves have are tested once for each ray; Motte's scenes "
    "store each shape once, so that there it has no use\n"
    "  loose     loose cells beside split planes at the middle of the shapes, and the plain octree "
    "with planes at the middle of cubes, for frustums\n"
    "  planes    split planes are left out where many shapes straddle them, and small straddlers "
    "may reach out of their cells, beside neither\n"
    "  reinsert  shapes that move are deleted and reinserted, beside a rebuild of the whole tree\n"
    "  levels    a tree of instances over a tree of the mesh, beside one tree of all triangles "
    "that "
    "is rebuilt each frame\n";

#define OF(claim) (1u << (claim))

static const bench_classic classics[] = {
    {{"motte", NULL}, OF(BENCH_CLAIMS) - 1, .mesh_engine = "motte"},
    {{"plane-walk", NULL}, OF(BENCH_ORDER), .mesh_engine = "motte-planewalk"},
    {{"naive", NULL}, OF(BENCH_ORDER), .mesh_engine = "motte-naive"},
    {{"duplicates", NULL}, OF(BENCH_MAILBOX), .mesh_engine = "motte-midpoint"},
    {{"duplicates-no-mailbox", NULL}, OF(BENCH_MAILBOX), .mesh_engine = "motte-midpoint-nomailbox"},
    {{"loose", NULL}, OF(BENCH_LOOSE) | OF(BENCH_REINSERT), .policy = MO_TREE_LOOSE},
    {{"plain", NULL}, OF(BENCH_LOOSE), .policy = MO_TREE_MIDPOINT},
    {{"all-planes", NULL}, OF(BENCH_PLANES), .straddlers = 1},
    {{"no-reach", NULL}, OF(BENCH_PLANES) | OF(BENCH_LOOSE), .looseness = 1},
    {{"rebuild", NULL}, OF(BENCH_REINSERT), .rebuilds = true},
    {{"one-tree", NULL}, OF(BENCH_LEVELS), .rebuilds = true},
    {.id = {NULL, NULL}},
};

void bench_classic_begin(bench_run *run, char *name, uint32_t count) {
  bench_classic_state *state = run->data;
  state->count = count;
  bench_begin(run, name);
  for (size_t i = 0; i < run->count; i++) {
    bench_contender *contender = &run->contenders[i];
    bench_classic_outcome *outcome = contender->data;
    contender->sits_out = (bench_classic_of(contender)->claims & OF(state->claim)) == 0;
    *outcome = (bench_classic_outcome){.hits = allocate(count, sizeof(bench_hit)),
                                       .found = allocate(count, sizeof(uint32_t))};
  }
}

void bench_classic_end(bench_run *run, void (*count)(bench_run *, bench_contender *)) {
  bench_end(run, count);
  for (size_t i = 0; i < run->count; i++) {
    bench_classic_outcome *outcome = run->contenders[i].data;
    mo_scene_destroy(outcome->scene);
    if (outcome->instance != NULL) {
      outcome->destroy(outcome->instance);
    }
    free(outcome->ids);
    free(outcome->hits);
    free(outcome->found);
  }
}

/* The first engine that takes part; others are compared with it. */
const bench_classic_outcome *bench_classic_first(const bench_run *run) {
  size_t i = 0;
  while (run->contenders[i].sits_out) {
    i++;
  }
  return run->contenders[i].data;
}

/* Trees of one mesh differ by nothing but the order of tests; "levels" by rounding. */
void bench_classic_compare_hits(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  const bench_hit *expected = bench_classic_first(run)->hits;
  const bench_hit *hits = ((const bench_classic_outcome *)contender->data)->hits;
  double slack = state->claim == BENCH_LEVELS ? 1e-4 : 0;
  uint32_t different = 0;
  for (uint32_t i = 0; i < state->count; i++) {
    float a = expected[i].t, b = hits[i].t;
    different +=
        isfinite(a) != isfinite(b) || (isfinite(a) && a != b && !(fabsf(a - b) <= slack * (1 + a)));
  }
  if (different > slack * 10 * state->count) {
    bench_refuse(run, contender, "%u of %u rays have other hits", different, state->count);
  }
}

double bench_classic_hits(const bench_classic_outcome *outcome, uint32_t count) {
  double hits = 0;
  for (uint32_t i = 0; i < count; i++) {
    hits += isfinite(outcome->hits[i].t);
  }
  return hits / count;
}

/* Rays at a mesh. */

static const bench_engine *mesh_engine(const bench_contender *contender) {
  const bench_engine *engine = bench_motte_engines;
  while (strcmp(engine->id.name, bench_classic_of(contender)->mesh_engine) != 0) {
    engine++;
  }
  return engine;
}

static void build(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  bench_classic_outcome *outcome = contender->data;
  const bench_engine *engine = mesh_engine(contender);
  double seconds;
  outcome->instance = engine->create(engine, state->mesh, &seconds);
  outcome->destroy = engine->destroy;
}

static void cast_rays(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const bench_classic_state *state = run->data;
  const bench_classic_outcome *outcome = contender->data;
  double start = bench_clock();
  mesh_engine(contender)->trace(outcome->instance, BENCH_CLOSEST, state->rays, state->count,
                                outcome->hits, NULL);
  bench_sample(run, contender, &bench_classic_ray, 1e6 * (bench_clock() - start) / state->count);
}

/* The first engine by a loop over all triangles. */
static void check_sample(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  const bench_classic_outcome *outcome = contender->data;
  if (outcome != bench_classic_first(run)) {
    return;
  }
  for (uint32_t i = 0; i < BENCH_CLASSIC_SAMPLE && i < state->count; i++) {
    const bench_ray *ray = &state->rays[i * (state->count / BENCH_CLASSIC_SAMPLE)];
    bench_hit hit = outcome->hits[i * (state->count / BENCH_CLASSIC_SAMPLE)];
    bench_truth truth = bench_find_truth(state->mesh, NULL, ray);
    if (!bench_truth_allows(truth, ray, BENCH_CLOSEST, hit)) {
      bench_refuse(run, contender, "ray %u hits at %.9g; brute force says %.9g to %.9g", i, hit.t,
                   truth.lower, truth.upper);
    }
  }
}

static void compare_round(bench_run *run, uint32_t round) {
  if (round == 0 && ((const bench_classic_state *)run->data)->claim != BENCH_LEVELS) {
    bench_check_each(run, check_sample);
  }
  bench_check_each(run, bench_classic_compare_hits);
}

static void count_rays(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  const bench_classic_outcome *outcome = contender->data;
  const bench_engine *engine = mesh_engine(contender);
  mo_query_stats stats;
  engine->count_work(outcome->instance, BENCH_CLOSEST, state->rays, state->count, &stats);
  double each = 1.0 / state->count;
  bench_count(run, contender, &bench_classic_ray_nodes, (double)stats.mesh_node_count * each);
  bench_count(run, contender, &bench_classic_ray_blocks, (double)stats.mesh_block_count * each);
  bench_count(run, contender, &ray_triangles, (double)stats.triangle_count * each);
  bench_count(run, contender, &ray_saved, (double)stats.mailbox_hit_count * each);
  bench_count(run, contender, &bench_classic_ray_hits, bench_classic_hits(outcome, state->count));
  bench_count(run, contender, &mesh_bytes,
              (double)engine->bytes(outcome->instance) / state->mesh->triangles.triangle_count);
}

static void run_mesh(bench_run *run, bench_mesh *mesh) {
  static const bench_distribution distributions[] = {BENCH_PRIMARY, BENCH_INCOHERENT};
  bench_classic_state *state = run->data;
  state->mesh = mesh;
  for (size_t i = 0; i < 2 && !bench_interrupted(); i++) {
    state->rays = bench_make_rays(mesh, distributions[i], state->settings->rays, run->seed);
    bench_classic_begin(run,
                        bench_format("%s/%s/%s", bench_claim_names[state->claim], mesh->name,
                                     bench_distribution_name(distributions[i])),
                        state->settings->rays);
    bench_each(run, build);
    bench_play(run, &(bench_rounds){run->repeats, 1, NULL, cast_rays, compare_round});
    bench_classic_end(run, bench_interrupted() ? NULL : count_rays);
    free(state->rays);
  }
  bench_mesh_free(mesh);
}

/* Instances. */

static void place_instances(bench_run *run, uint32_t frame) {
  (void)frame;
  const bench_classic_state *state = run->data;
  bench_workload_step(state->workload);
  float half = (float)state->workload->world / 2;
  mo_aabb world = {{-half, -half, -half}, {half, half, half}};
  for (uint32_t i = 0; i < state->workload->count; i++) {
    const bench_body *body = &state->workload->bodies[i];
    state->transforms[i] = mo_transform_make(body->center, body->rotation,
                                             (mo_vec3){body->half, body->half, body->half});
  }
  for (uint32_t i = 0; i < state->count; i++) {
    state->rays[i].origin = random_point_in(&state->workload->random, world);
    state->rays[i].direction = random_direction(&state->workload->random);
    state->rays[i].max_t = INFINITY;
  }
}

/* All triangles, world, in one mesh. */
static bench_mesh flatten(const bench_classic_state *state) {
  const struct triangles *one = &state->mesh->triangles;
  const uint32_t count = state->workload->count;
  bench_mesh all = {.triangles = {
                        .positions = allocate((size_t)count * one->vertex_count + 1,
                                              sizeof *all.triangles.positions),
                        .indices = allocate(3 * (size_t)count * one->triangle_count,
                                            sizeof *all.triangles.indices),
                        .vertex_count = count * one->vertex_count,
                        .triangle_count = count * one->triangle_count,
                    }};
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t v = 0; v < one->vertex_count; v++) {
      all.triangles.positions[i * one->vertex_count + v] =
          mo_transform_point(&state->transforms[i], one->positions[v]);
    }
    for (uint32_t k = 0; k < 3 * one->triangle_count; k++) {
      all.triangles.indices[(size_t)3 * i * one->triangle_count + k] =
          one->indices[k] + i * one->vertex_count;
    }
  }
  return all;
}

static void rebuild(const bench_classic_state *state, bench_classic_outcome *outcome) {
  const bench_engine *engine = bench_motte_engines;
  while (strcmp(engine->id.name, "motte-fast") != 0) {
    engine++;
  }
  if (outcome->instance != NULL) {
    engine->destroy(outcome->instance);
  }
  bench_mesh all = flatten(state);
  double seconds;
  outcome->instance = engine->create(engine, &all, &seconds);
  outcome->destroy = engine->destroy;
  free(all.triangles.positions);
  free(all.triangles.indices);
}

static void update_instances(const bench_classic_state *state, bench_classic_outcome *outcome) {
  const bench_instancer *engine = &bench_motte_instancers[0];
  if (outcome->instance == NULL) {
    outcome->instance = engine->create(engine, &state->instances);
    outcome->destroy = engine->destroy;
  }
  engine->update(outcome->instance, &state->instances);
}

static void measure_instances(bench_run *run, bench_contender *contender, uint32_t frame) {
  (void)frame;
  const bench_classic_state *state = run->data;
  bench_classic_outcome *outcome = contender->data;
  bool rebuilds = bench_classic_of(contender)->rebuilds;
  double start = bench_clock();
  (rebuilds ? rebuild : update_instances)(state, outcome);
  double updated = bench_clock();
  if (rebuilds) {
    bench_motte_engines[0].trace(outcome->instance, BENCH_CLOSEST, state->rays, state->count,
                                 outcome->hits, NULL);
  } else {
    bench_motte_instancers[0].trace(outcome->instance, BENCH_CLOSEST, state->rays, state->count,
                                    outcome->hits);
  }
  double cast = bench_clock();
  bench_sample(run, contender, &bench_classic_update, 1e3 * (updated - start));
  bench_sample(run, contender, &bench_classic_ray, 1e6 * (cast - updated) / state->count);
}

static void count_instances(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  bench_count(run, contender, &bench_classic_ray_hits,
              bench_classic_hits(contender->data, state->count));
}

static void run_levels(bench_run *run) {
  bench_classic_state *state = run->data;
  const bench_classic_settings *settings = state->settings;
  state->mesh = bench_mesh_generate(32);
  bench_mesh_normalise(state->mesh);
  state->workload = bench_workload_create(&bench_recipes[0], settings->instances, true, run->seed);
  state->transforms = allocate(settings->instances, sizeof *state->transforms);
  const bench_mesh *mesh = state->mesh;
  state->instances = (bench_instances){.meshes = &mesh,
                                       .deforms = &(bool){false},
                                       .mesh_count = 1,
                                       .mesh_of = allocate(settings->instances, sizeof(uint32_t)),
                                       .transforms = state->transforms,
                                       .count = settings->instances};
  state->rays = allocate(settings->rays, sizeof *state->rays);
  bench_classic_begin(run, bench_format("levels/%s/%u", state->mesh->name, settings->instances),
                      settings->rays);
  bench_play(
      run, &(bench_rounds){settings->frames, 1, place_instances, measure_instances, compare_round});
  bench_classic_end(run, count_instances);
  free(state->rays);
  free(state->instances.mesh_of);
  free(state->transforms);
  bench_workload_destroy(state->workload);
  bench_mesh_free(state->mesh);
}

/* The suite. */

static void run_claim(bench_run *run) {
  bench_classic_state *state = run->data;
  switch (state->claim) {
  case BENCH_ORDER:
    run_mesh(run, bench_mesh_generate(64));
    return;
  case BENCH_MAILBOX:
    run_mesh(run, bench_mesh_generate(64));
    run_mesh(run, bench_mesh_generate_sticks(4000, run->seed));
    return;
  case BENCH_LOOSE:
  case BENCH_PLANES:
    bench_classic_run_scene(run, "walk");
    bench_classic_run_scene(run, "sizes");
    bench_classic_run_scene(run, "clusters");
    return;
  case BENCH_REINSERT:
    bench_classic_run_scene(run, "walk-1");
    bench_classic_run_scene(run, "walk-10");
    bench_classic_run_scene(run, "walk");
    return;
  case BENCH_LEVELS:
    run_levels(run);
    return;
  case BENCH_CLAIMS:
    return;
  }
}

static void run_all(bench_run *run) {
  const bench_classic_settings *settings = run->settings;
  bench_classic_state state = {.settings = settings};
  run->data = &state;
  for (bench_claim c = 0; c < BENCH_CLAIMS && !bench_interrupted(); c++) {
    if (bench_list_has(settings->claims, bench_claim_names[c], true)) {
      state.claim = c;
      run_claim(run);
    }
  }
  run->data = NULL;
}

static const char *claim_name(unsigned i) {
  return i < BENCH_CLAIMS ? bench_claim_names[i] : NULL;
}

static const bench_option options[] = {
    {"claims", "LIST", "of (see below)", BENCH_LIST,
     .offset = offsetof(bench_classic_settings, claims), .name_at = claim_name},
    {"shapes", "N", "how many boxes in scenes", BENCH_COUNT,
     .offset = offsetof(bench_classic_settings, shapes), .initial = "20000", .quick = "1000",
     .min = 1, .max = 1e7},
    {"instances", "N", "how many of a mesh, for levels", BENCH_COUNT,
     .offset = offsetof(bench_classic_settings, instances), .initial = "1000", .quick = "100",
     .min = 1, .max = 1e6},
    {"frames", "F", "frames of motion", BENCH_COUNT,
     .offset = offsetof(bench_classic_settings, frames), .initial = "20", .quick = "4", .min = 1,
     .max = 1e5},
    {"rays", "N", "rays at meshes", BENCH_COUNT, .offset = offsetof(bench_classic_settings, rays),
     .initial = "20000", .quick = "500", .min = 1, .max = 1e8},
    {"probes", "N", "frustums and rays in scenes, each frame", BENCH_COUNT,
     .offset = offsetof(bench_classic_settings, queries), .initial = "50", .quick = "20", .min = 1,
     .max = 1e6},
    {0},
};

const bench_suite bench_suite_classics = {
    .name = "classics",
    .summary = "claims of the literature on octrees",
    .purpose = "Compares techniques of octrees with their alternatives, in Motte's own trees.",
    .notes = claim_texts,
    .options = options,
    .settings_size = sizeof(bench_classic_settings),
    .engines = &classics[0].id,
    .engine_size = sizeof(bench_classic),
    .chosen_engines = "all",
    .contender_size = sizeof(bench_classic_outcome),
    .run = run_all,
};
