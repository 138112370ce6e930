/* Shapes of every kind that walk: what moving them and finding their pairs and contacts costs, by
 * how they are rotated, by how their moves are given, and by the number of workers.
 *
 * A scene for each number of workers follows the same motion, in turns. At the end the pairs of all
 * must be the same, and each scene must be valid. What more workers would gain than there are
 * processors is modelled: their tasks run one after another and are timed. */
#include <motte/motte.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/check.h"
#include "suite.h"
#include "task_clock.h"
#include "workload.h"

/* What is timed in each frame: contacts with the pairs that they come from. */
typedef enum phase { UPDATE, PAIRS, CONTACTS, PHASES } phase;

static const bench_metric phase_time[PHASES] = {{"update", "ms", BENCH_LESS_IS_BETTER},
                                                {"pairs", "ms", BENCH_LESS_IS_BETTER},
                                                {"contacts", "ms", BENCH_LESS_IS_BETTER}};
/* What is done outside of tasks, of the time of one worker; and how many times as fast the workers
 * would be. */
static const bench_metric phase_serial[PHASES] = {{"update_serial", "%", BENCH_LESS_IS_BETTER},
                                                  {"pairs_serial", "%", BENCH_LESS_IS_BETTER},
                                                  {"contacts_serial", "%", BENCH_LESS_IS_BETTER}};
static const bench_metric phase_gain[PHASES] = {{"update_gain", "", BENCH_MORE_IS_BETTER},
                                                {"pairs_gain", "", BENCH_MORE_IS_BETTER},
                                                {"contacts_gain", "", BENCH_MORE_IS_BETTER}};
static const bench_metric motion_time[2] = {{"sleep", "ns", BENCH_LESS_IS_BETTER},
                                            {"wake", "ns", BENCH_LESS_IS_BETTER}};
static const bench_metric pair_count = {"pair_count", "", BENCH_NEITHER_IS_BETTER};

enum { MAX_WORKERS = 64 };

typedef enum kind_of_motion {
  UPRIGHT, /* axis-aligned, by transforms */
  UPRIGHT_ORIGINS,
  ROTATED, /* and never turned, by transforms */
  ROTATED_ORIGINS,
  TURNING, /* other axes in each frame */
  MOTIONS
} kind_of_motion;

static const char *const motion_names[MOTIONS] = {"upright", "upright-origins", "rotated",
                                                  "rotated-origins", "turning"};

typedef enum kind_of_shape {
  BOX,
  OFFSET_BOX, /* around a point beside the origin of its frame */
  BALL,
  CAPSULE,
  CYLINDER,
  HULL,
  MESH,
  VOLUME,
  KINDS
} kind_of_shape;

static const char *const kind_names[KINDS] = {"box",      "offset-box", "ball", "capsule",
                                              "cylinder", "hull",       "mesh", "volume"};

struct settings {
  const char *kinds, *motions;
  uint32_t shapes, frames, modelled;
  bench_counts threads;
  bool contacts;
  double share, margin;
};

/* A scene that a number of workers keep up to date. */
typedef struct world {
  mo_task_pool *pool;
  bench_task_clock clock; /* no workers: they are not modelled */
  mo_scene *scene;
  mo_pair_tracker *tracker;
  mo_contact_tracker *contacts; /* null unless wanted */
  mo_shape_id *ids;
  double time[PHASES];   /* milliseconds of the last frame */
  double serial[PHASES]; /* of them outside of tasks, where the workers are modelled */
} world;

struct state {
  const struct settings *settings;
  mo_mesh *mesh;
  mo_hull *hull;
  /* Of a case. */
  bench_workload *workload;
  bool rotated, by_origins;
  mo_shape_def *defs;
  mo_transform *transforms;
  mo_vec3 *origins;
};

/* Of one worker alone processor time; of several wall time. */
static double milliseconds(bool alone) {
  struct timespec now;
  if (alone) {
    return 1e3 * bench_clock();
  }
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* About as large as a unit cube. */
static mo_shape_def define(const struct state *state, kind_of_shape kind) {
  static const mo_shape_type types[KINDS] = {MO_SHAPE_BOX,     MO_SHAPE_BOX,      MO_SHAPE_SPHERE,
                                             MO_SHAPE_CAPSULE, MO_SHAPE_CYLINDER, MO_SHAPE_HULL,
                                             MO_SHAPE_MESH,    MO_SHAPE_VOLUME};
  const float half = 0.5f - (float)bench_lattice / 4;
  mo_shape_def def = mo_default_shape_def(types[kind]);
  switch (kind) {
  case BOX:
  case OFFSET_BOX:
    def.geometry.box.half_extents = (mo_vec3){half, half, half};
    def.geometry.box.center = (mo_vec3){kind == OFFSET_BOX ? 0.25f : 0, 0, 0};
    break;
  case BALL:
    def.geometry.sphere.radius = half;
    break;
  case CAPSULE:
    def.geometry.capsule = (mo_capsule){{0, -0.25f, 0}, {0, 0.25f, 0}, 0.25f};
    break;
  case CYLINDER:
    def.geometry.cylinder = (mo_cylinder){{0, -half, 0}, {0, half, 0}, half};
    break;
  case HULL:
    def.geometry.hull = state->hull;
    break;
  case MESH:
    def.geometry.mesh = state->mesh;
    break;
  default:
    def.geometry.volume = (mo_aabb){{-half, -half, -half}, {half, half, half}};
    break;
  }
  return def;
}

static mo_transform place(const bench_body *body, bool rotated) {
  mo_quat none = {0, 0, 0, 1};
  return mo_transform_make(body->center, rotated ? body->rotation : none, (mo_vec3){1, 1, 1});
}

static void create(bench_run *run, uint32_t workers, bool modelled) {
  const struct state *state = run->data;
  const struct settings *s = state->settings;
  char *name = modelled      ? bench_format("motte-%u-modelled", workers)
               : workers > 1 ? bench_format("motte-%u-workers", workers)
                             : bench_format("motte");
  world *w = bench_add_contender(run, name)->data;
  free(name);
  mo_scene_def def = mo_default_scene_def();
  def.margin = (float)s->margin;
  if (modelled) {
    w->clock.workers = workers;
    def.host.tasks = bench_task_clock_tasks(&w->clock);
  } else if (workers > 1) {
    check(mo_task_pool_create(NULL, workers, &w->pool), "start threads");
    def.host.tasks = mo_task_pool_tasks(w->pool);
  }
  w->ids = allocate(s->shapes, sizeof *w->ids);
  check(mo_scene_create(&def, &w->scene), "make a scene");
  check(mo_pair_tracker_create(w->scene, NULL, &w->tracker), "make a pair tracker");
  check(mo_scene_add_shapes(w->scene, state->defs, s->shapes, w->ids, NULL), "add shapes");
  check(mo_scene_update(w->scene, NULL), "update a scene");
  check(mo_pair_tracker_update(w->tracker, NULL), "find pairs");
  if (s->contacts) {
    mo_contact_events events;
    check(mo_contact_tracker_create(w->scene, NULL, &w->contacts), "make a contact tracker");
    check(mo_contact_tracker_update(w->contacts, &events), "find contacts");
  }
}

static void destroy(world *w) {
  mo_pair_tracker_destroy(w->tracker);
  mo_contact_tracker_destroy(w->contacts);
  mo_scene_destroy(w->scene);
  mo_task_pool_destroy(w->pool);
  free(w->ids);
}

/* Ends a phase of a frame, which began at `begin`. */
static void note(bench_run *run, bench_contender *contender, phase p, double begin, bool alone) {
  world *w = contender->data;
  double time = milliseconds(alone), inside = 1e3 * w->clock.inside;
  w->serial[p] = time - begin - inside;
  w->time[p] = time - begin - inside + 1e3 * w->clock.modelled;
  bench_sample(run, contender, &phase_time[p], w->time[p]);
  bench_task_clock_reset(&w->clock);
}

static void measure(bench_run *run, bench_contender *contender, uint32_t frame) {
  (void)frame;
  const struct state *state = run->data;
  world *w = contender->data;
  bool alone = run->count == 1 || w->clock.workers > 0;
  mo_update_def def = mo_default_update_def();
  def.ids = w->ids;
  def.transforms = state->by_origins ? NULL : state->transforms;
  def.origins = state->by_origins ? state->origins : NULL;
  def.count = state->workload->mover_count;
  bench_task_clock_reset(&w->clock);
  double begin = milliseconds(alone);
  check(mo_scene_update(w->scene, &def), "move shapes");
  note(run, contender, UPDATE, begin, alone);
  begin = milliseconds(alone);
  check(mo_pair_tracker_update(w->tracker, NULL), "find pairs");
  note(run, contender, PAIRS, begin, alone);
  if (w->contacts != NULL) {
    mo_contact_events events;
    begin = milliseconds(alone);
    check(mo_contact_tracker_update(w->contacts, &events), "find contacts");
    note(run, contender, CONTACTS, begin, alone);
  }
}

/* What modelled workers, who are the first contender, say beside the one alone, the last. */
static void compare_times(bench_run *run, uint32_t frame) {
  (void)frame;
  const struct settings *settings = run->settings;
  bench_contender *modelled = &run->contenders[0];
  const world *w = modelled->data, *one = run->contenders[run->count - 1].data;
  if (w->clock.workers == 0) {
    return;
  }
  for (phase p = 0; p < (settings->contacts ? PHASES : CONTACTS); p++) {
    bench_sample(run, modelled, &phase_serial[p], w->serial[p] * 100 / one->time[p]);
    bench_sample(run, modelled, &phase_gain[p], one->time[p] / w->time[p]);
  }
}

static void move(bench_run *run, uint32_t frame) {
  (void)frame;
  const struct state *state = run->data;
  bench_workload_step(state->workload); /* those that walk are the first of all */
  for (uint32_t k = 0; k < state->workload->mover_count; k++) {
    state->transforms[k] = place(&state->workload->bodies[k], state->rotated);
    state->origins[k] = state->workload->bodies[k].center;
  }
}

/* Puts all shapes to sleep and wakes them, with the update that follows: nanoseconds per shape. */
static void time_motions(bench_run *run, bench_contender *contender) {
  enum { REPEATS = 7 };
  static const mo_motion motions[2] = {MO_MOTION_SLEEPING, MO_MOTION_DYNAMIC};
  const uint32_t count = ((const struct settings *)run->settings)->shapes;
  const world *w = contender->data;
  for (int i = 0; i < 2 * REPEATS; i++) {
    double begin = bench_clock();
    check(mo_scene_set_motion(w->scene, w->ids, count, motions[i % 2], NULL), "change motions");
    check(mo_scene_update(w->scene, NULL), "update a scene");
    bench_sample(run, contender, &motion_time[i % 2], 1e9 * (bench_clock() - begin) / count);
  }
}

/* All have the pairs of the first, and are valid. */
static void compare_pairs(bench_run *run, bench_contender *contender) {
  const world *w = contender->data, *one = run->contenders[0].data;
  uint32_t pairs = (uint32_t)mo_pair_tracker_pair_count(one->tracker), total;
  mo_pair *first = allocate(pairs + 1, sizeof *first), *other = allocate(pairs + 1, sizeof *other);
  check(mo_pair_tracker_get_pairs(one->tracker, first, pairs, &total), "read pairs");
  check(mo_scene_validate(w->scene), "validate a scene");
  check(mo_pair_tracker_get_pairs(w->tracker, other, pairs, &total), "read pairs");
  if (total != pairs || memcmp(first, other, pairs * sizeof *first) != 0) {
    bench_refuse(run, contender, "it has %u pairs, %s %u", total, run->contenders[0].engine->name,
                 pairs);
  }
  free(first);
  free(other);
}

static void count(bench_run *run, bench_contender *contender) {
  const world *w = contender->data;
  bench_count(run, contender, &pair_count, (double)mo_pair_tracker_pair_count(w->tracker));
  time_motions(run, contender);
}

/* The one worker alone comes last, as the first is compared with the others. */
static void create_worlds(bench_run *run) {
  const struct settings *settings = run->settings;
  bench_remove_contenders(run);
  if (settings->modelled > 0) {
    create(run, settings->modelled, true);
  }
  for (size_t i = settings->threads.count; i > 0; i--) {
    if (settings->threads.item[i - 1] > 1) {
      create(run, settings->threads.item[i - 1], false);
    }
  }
  create(run, 1, false);
}

static void run_case(bench_run *run, kind_of_shape kind, kind_of_motion motion) {
  struct state *state = run->data;
  const struct settings *s = state->settings;
  bench_recipe recipe = bench_recipe_of_share(s->share);
  state->workload = bench_workload_create(&recipe, s->shapes, true, run->seed);
  state->rotated = motion != UPRIGHT && motion != UPRIGHT_ORIGINS;
  state->by_origins = motion == UPRIGHT_ORIGINS || motion == ROTATED_ORIGINS;
  state->workload->rotates = motion == TURNING;
  for (uint32_t i = 0; i < s->shapes; i++) {
    state->defs[i] = define(state, kind);
    state->defs[i].transform = place(&state->workload->bodies[i], state->rotated);
  }
  create_worlds(run);
  bench_begin(run, bench_format("%s/%s", kind_names[kind], motion_names[motion]));
  bench_play(run, &(bench_rounds){s->frames, 1, move, measure, compare_times});
  bench_check_each(run, compare_pairs);
  bench_end(run, count);
  for (size_t i = 0; i < run->count; i++) {
    destroy(run->contenders[i].data);
  }
  bench_workload_destroy(state->workload);
  free((char *)recipe.name);
}

/* A hull and a closed mesh of the same points: a cube whose corners are cut off. */
static void make_shared(struct state *state) {
  mo_vec3 points[24];
  uint32_t count = 0;
  for (int corner = 0; corner < 8; corner++) {
    for (int axis = 0; axis < 3; axis++) {
      float c[3];
      for (int i = 0; i < 3; i++) {
        c[i] = (corner >> i & 1 ? 0.5f : -0.5f) * (i == axis ? 0.75f : 1);
      }
      points[count++] = (mo_vec3){c[0], c[1], c[2]};
    }
  }
  mo_hull_def hull = mo_default_hull_def();
  hull.positions = points;
  hull.position_count = count;
  check(mo_hull_create(&hull, &state->hull), "make a hull");
  uint32_t triangles[24];
  for (uint32_t i = 0; i < 24; i++) {
    triangles[i] = i;
  }
  mo_mesh_def mesh = mo_default_mesh_def();
  mesh.positions = points;
  mesh.vertex_count = count;
  mesh.indices = triangles;
  mesh.triangle_count = count / 3;
  check(mo_mesh_create(&mesh, &state->mesh), "make a mesh");
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  struct state state = {
      .settings = settings,
      .defs = allocate(settings->shapes, sizeof(mo_shape_def)),
      .transforms = allocate(settings->shapes, sizeof(mo_transform)),
      .origins = allocate(settings->shapes, sizeof(mo_vec3)),
  };
  run->data = &state;
  make_shared(&state);
  for (kind_of_shape k = 0; k < KINDS; k++) {
    for (kind_of_motion m = 0; m < MOTIONS; m++) {
      if (bench_list_has(settings->kinds, kind_names[k], true) &&
          bench_list_has(settings->motions, motion_names[m], true) && !bench_interrupted()) {
        run_case(run, k, m);
      }
    }
  }
  for (phase p = 0; p < (settings->contacts ? PHASES : CONTACTS); p++) {
    bench_report_print_across(run->report, &phase_time[p]);
  }
  mo_mesh_release(state.mesh);
  mo_hull_release(state.hull);
  free(state.defs);
  free(state.transforms);
  free(state.origins);
}

static const char *kind_name(unsigned i) {
  return i < KINDS ? kind_names[i] : NULL;
}

static const char *motion_name(unsigned i) {
  return i < MOTIONS ? motion_names[i] : NULL;
}

static const bench_option options[] = {
    {"shapes", "N", "how many shapes", BENCH_COUNT, .offset = offsetof(struct settings, shapes),
     .initial = "10000", .quick = "500", .min = 1, .max = 1e7},
    {"frames", "F", "frames of motion", BENCH_COUNT, .offset = offsetof(struct settings, frames),
     .initial = "24", .quick = "5", .min = 1, .max = 1e5},
    {"moving", "SHARE", "share of them that walks, 0 to 1", BENCH_REAL,
     .offset = offsetof(struct settings, share), .initial = "1", .min = 0, .max = 1},
    {"margin", "M", "by which stored bounds are larger", BENCH_REAL,
     .offset = offsetof(struct settings, margin), .initial = "0", .min = 0, .max = 1000},
    {"threads", "W,...", "a scene for each of these numbers of workers, and one for one alone",
     BENCH_COUNTS, .offset = offsetof(struct settings, threads), .initial = "2", .min = 1,
     .max = MAX_WORKERS},
    {"modelled", "W",
     "one more scene, by so many workers whose tasks run one after another and are timed: what is "
     "done outside of tasks, of the time of one worker, and how many times as fast they would be",
     BENCH_COUNT, .offset = offsetof(struct settings, modelled), .min = 2,
     .max = BENCH_MAX_MODELLED},
    {"contacts", NULL, "find contacts too; their time is that with their pairs", BENCH_FLAG,
     .offset = offsetof(struct settings, contacts)},
    {"kinds", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, kinds),
     .name_at = kind_name},
    {"motions", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, motions),
     .name_at = motion_name},
    {0},
};

static const bench_engine_id engines[] = {{"motte", NULL}, {NULL, NULL}};

const bench_suite bench_suite_kinds = {
    .name = "kinds",
    .summary = "shapes of every kind that move",
    .purpose = "Moves shapes of each kind and finds their pairs. Times are wall times, with one "
               "worker alone processor times.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = engines,
    .engine_size = sizeof *engines,
    .chosen_engines = "motte",
    .contender_size = sizeof(world),
    .run = run_all,
};
