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
#include "interrupt.h"
#include "old_suite.h"
#include "report.h"
#include "task_clock.h"
#include "text.h"
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
static const bench_metric pair_count = {"pair_count", "", BENCH_NO_SENSE};

enum { MAX_WORKERS = 8, MAX_WORLDS = MAX_WORKERS + 1 };

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
  bench_options common;
  const char *kinds, *motions;
  uint32_t shapes, frames, workers, modelled;
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
  char *name;
  double *times[PHASES]; /* milliseconds, by frame */
  double
      *serial[PHASES]; /* milliseconds of them outside of tasks, where the workers are modelled */
} world;

struct run {
  const struct settings *settings;
  bench_report *report;
  mo_mesh *mesh;
  mo_hull *hull;
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
static mo_shape_def define(const struct run *run, kind_of_shape kind) {
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
    def.geometry.hull = run->hull;
    break;
  case MESH:
    def.geometry.mesh = run->mesh;
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

static void create(world *w, const struct settings *s, uint32_t workers, bool modelled,
                   const mo_shape_def *defs) {
  mo_scene_def def = mo_default_scene_def();
  def.margin = (float)s->margin;
  if (modelled) {
    w->clock.workers = workers;
    def.host.tasks = bench_task_clock_tasks(&w->clock);
    w->name = bench_format("motte-%u-modelled", workers);
  } else if (workers > 1) {
    check(mo_task_pool_create(NULL, workers, &w->pool), "start threads");
    def.host.tasks = mo_task_pool_tasks(w->pool);
    w->name = bench_format("motte-%u-workers", workers);
  } else {
    w->name = bench_format("motte");
  }
  w->ids = allocate(s->shapes, sizeof *w->ids);
  for (phase p = 0; p < PHASES; p++) {
    w->times[p] = allocate(s->frames, sizeof *w->times[p]);
    w->serial[p] = allocate(s->frames, sizeof *w->serial[p]);
  }
  check(mo_scene_create(&def, &w->scene), "make a scene");
  check(mo_pair_tracker_create(w->scene, NULL, &w->tracker), "make a pair tracker");
  check(mo_scene_add_shapes(w->scene, defs, s->shapes, w->ids, NULL), "add shapes");
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
  for (phase p = 0; p < PHASES; p++) {
    free(w->times[p]);
    free(w->serial[p]);
  }
  free(w->name);
}

/* Ends a phase of a frame, which began at `begin`. */
static void note(world *w, phase p, uint32_t frame, double begin, bool alone) {
  double time = milliseconds(alone), inside = 1e3 * w->clock.inside;
  w->serial[p][frame] = time - begin - inside;
  w->times[p][frame] = time - begin - inside + 1e3 * w->clock.modelled;
  bench_task_clock_reset(&w->clock);
}

/* A frame of one world; its times go to place `frame`. */
static void play(world *w, uint32_t frame, const mo_transform *transforms, const mo_vec3 *origins,
                 uint32_t movers, bool alone) {
  alone = alone || w->clock.workers > 0;
  mo_update_def def = mo_default_update_def();
  def.ids = w->ids;
  def.transforms = transforms;
  def.origins = origins;
  def.count = movers;
  bench_task_clock_reset(&w->clock);
  double begin = milliseconds(alone);
  check(mo_scene_update(w->scene, &def), "move shapes");
  note(w, UPDATE, frame, begin, alone);
  begin = milliseconds(alone);
  check(mo_pair_tracker_update(w->tracker, NULL), "find pairs");
  note(w, PAIRS, frame, begin, alone);
  if (w->contacts != NULL) {
    mo_contact_events events;
    begin = milliseconds(alone);
    check(mo_contact_tracker_update(w->contacts, &events), "find contacts");
    note(w, CONTACTS, frame, begin, alone);
  }
}

/* Puts all shapes to sleep and wakes them, with the update that follows: nanoseconds per shape. */
static void time_motions(const struct run *run, const world *w, const char *name) {
  enum { REPEATS = 7 };
  static const mo_motion motions[2] = {MO_MOTION_SLEEPING, MO_MOTION_DYNAMIC};
  const uint32_t count = run->settings->shapes;
  double samples[2][REPEATS];
  for (int i = 0; i < 2 * REPEATS; i++) {
    double begin = bench_clock();
    check(mo_scene_set_motion(w->scene, w->ids, count, motions[i % 2], NULL), "change motions");
    check(mo_scene_update(w->scene, NULL), "update a scene");
    samples[i % 2][i / 2] = 1e9 * (bench_clock() - begin) / count;
  }
  for (int i = 0; i < 2; i++) {
    bench_report_add(run->report, name, w->name, &motion_time[i],
                     bench_summarise(samples[i], REPEATS));
  }
}

/* All have the same pairs, and are valid. */
static void compare(const world *worlds, uint32_t count, const char *name) {
  uint32_t pairs = (uint32_t)mo_pair_tracker_pair_count(worlds[0].tracker), total;
  mo_pair *first = allocate(pairs + 1, sizeof *first), *other = allocate(pairs + 1, sizeof *other);
  check(mo_pair_tracker_get_pairs(worlds[0].tracker, first, pairs, &total), "read pairs");
  for (uint32_t i = 0; i < count; i++) {
    check(mo_scene_validate(worlds[i].scene), "validate a scene");
    check(mo_pair_tracker_get_pairs(worlds[i].tracker, other, pairs, &total), "read pairs");
    if (total != pairs || memcmp(first, other, pairs * sizeof *first) != 0) {
      fail("%s: %s has %u pairs, %s %u", name, worlds[0].name, pairs, worlds[i].name, total);
    }
  }
  free(first);
  free(other);
}

/* Times by frame, and where workers are modelled, what they say beside those of one worker. */
static void report_times(const struct run *run, const world *w, const world *one, uint32_t frames,
                         const char *name) {
  const phase phases = run->settings->contacts ? PHASES : CONTACTS;
  for (phase p = 0; p < phases; p++) {
    bench_report_add(run->report, name, w->name, &phase_time[p],
                     bench_summarise(w->times[p], frames));
    if (w->clock.workers == 0) {
      continue;
    }
    for (uint32_t i = 0; i < frames; i++) {
      w->serial[p][i] *= 100 / one->times[p][i];
      w->times[p][i] = one->times[p][i] / w->times[p][i];
    }
    bench_report_add(run->report, name, w->name, &phase_serial[p],
                     bench_summarise(w->serial[p], frames));
    bench_report_add(run->report, name, w->name, &phase_gain[p],
                     bench_summarise(w->times[p], frames));
  }
}

static void run_case(struct run *run, kind_of_shape kind, kind_of_motion motion) {
  const struct settings *s = run->settings;
  char *name = bench_format("%s/%s", kind_names[kind], motion_names[motion]);
  bench_recipe recipe = bench_recipe_of_share(s->share);
  bench_workload *workload = bench_workload_create(&recipe, s->shapes, true, s->common.seed);
  bool rotated = motion != UPRIGHT && motion != UPRIGHT_ORIGINS;
  bool by_origins = motion == UPRIGHT_ORIGINS || motion == ROTATED_ORIGINS;
  workload->rotates = motion == TURNING;
  mo_shape_def *defs = allocate(s->shapes, sizeof *defs);
  mo_transform *transforms = allocate(s->shapes, sizeof *transforms);
  mo_vec3 *origins = allocate(s->shapes, sizeof *origins);
  for (uint32_t i = 0; i < s->shapes; i++) {
    defs[i] = define(run, kind);
    defs[i].transform = place(&workload->bodies[i], rotated);
  }
  world worlds[MAX_WORLDS] = {0};
  const uint32_t count = s->workers + (s->modelled > 0);
  bench_progress("%s", name);
  for (uint32_t i = 0; i < count; i++) {
    bool modelled = i == s->workers;
    create(&worlds[i], s, modelled ? s->modelled : i + 1, modelled, defs);
  }
  uint32_t frame = 0;
  for (uint32_t warm = 2; frame < s->frames && !bench_interrupted(); frame += warm == 0) {
    warm -= warm > 0;
    bench_workload_step(workload); /* those that walk are the first of all */
    for (uint32_t k = 0; k < workload->mover_count; k++) {
      transforms[k] = place(&workload->bodies[k], rotated);
      origins[k] = workload->bodies[k].center;
    }
    for (uint32_t i = 0; i < count; i++) {
      play(&worlds[(i + frame) % count], frame, by_origins ? NULL : transforms,
           by_origins ? origins : NULL, workload->mover_count, s->workers == 1);
    }
  }
  compare(worlds, count, name);
  for (uint32_t i = count; i-- > 0;) {
    report_times(run, &worlds[i], &worlds[0], frame, name);
  }
  for (uint32_t i = 0; i < count; i++) {
    world *w = &worlds[i];
    uint64_t pairs = mo_pair_tracker_pair_count(w->tracker);
    bench_report_count(run->report, name, w->name, &pair_count, (double)pairs);
    time_motions(run, w, name);
    destroy(w);
  }
  bench_report_print(run->report, name);
  free(defs);
  free(transforms);
  free(origins);
  bench_workload_destroy(workload);
  free(name);
}

/* A hull and a closed mesh of the same points: a cube whose corners are cut off. */
static void make_shared(struct run *run) {
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
  check(mo_hull_create(&hull, &run->hull), "make a hull");
  uint32_t triangles[24];
  for (uint32_t i = 0; i < 24; i++) {
    triangles[i] = i;
  }
  mo_mesh_def mesh = mo_default_mesh_def();
  mesh.positions = points;
  mesh.vertex_count = count;
  mesh.indices = triangles;
  mesh.triangle_count = count / 3;
  check(mo_mesh_create(&mesh, &run->mesh), "make a mesh");
}

enum {
  KEY_SHAPES = 'n',
  KEY_FRAMES = 'f',
  KEY_SHARE = 'm',
  KEY_WORKERS = 'w',
  KEY_KINDS = 'k',
  KEY_CONTACTS = 'c',
  KEY_MODELLED = 0x2001,
  KEY_MARGIN = 0x2002,
  KEY_MOTIONS = 0x2000
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *s = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &s->common;
    return 0;
  case KEY_SHAPES:
    s->shapes = (uint32_t)bench_parse_count("shapes", argument, 1, 10000000);
    return 0;
  case KEY_FRAMES:
    s->frames = (uint32_t)bench_parse_count("frames", argument, 1, 100000);
    return 0;
  case KEY_SHARE:
    s->share = bench_parse_real("moving", argument, 0, 1);
    return 0;
  case KEY_MARGIN:
    s->margin = bench_parse_real("margin", argument, 0, 1000);
    return 0;
  case KEY_WORKERS:
    s->workers = (uint32_t)bench_parse_count("workers", argument, 1, MAX_WORKERS);
    return 0;
  case KEY_MODELLED:
    s->modelled = (uint32_t)bench_parse_count("modelled", argument, 2, BENCH_MAX_MODELLED);
    return 0;
  case KEY_CONTACTS:
    s->contacts = true;
    return 0;
  case KEY_KINDS:
    s->kinds = argument;
    return 0;
  case KEY_MOTIONS:
    s->motions = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static bench_names names_of(const char *const *names, size_t count) {
  bench_names all = {0};
  for (size_t i = 0; i < count; i++) {
    bench_names_add(&all, names[i]);
  }
  return all;
}

static void run_suite(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"shapes", KEY_SHAPES, "N", 0, "how many shapes (default 10000)", 0},
      {"frames", KEY_FRAMES, "F", 0, "frames of motion (default 24)", 0},
      {"moving", KEY_SHARE, "SHARE", 0, "share of them that walks, 0 to 1 (default 1)", 0},
      {"margin", KEY_MARGIN, "M", 0, "by which stored bounds are larger (default 0)", 0},
      {"workers", KEY_WORKERS, "W", 0, "as many scenes, by 1 to so many workers (default 2)", 0},
      {"modelled", KEY_MODELLED, "W", 0,
       "one more scene, by so many workers whose tasks run one after another and are timed: what "
       "is "
       "done outside of tasks, of the time of one worker, and how many times as fast they would be",
       0},
      {"contacts", KEY_CONTACTS, 0, 0, "find contacts too; their time is that with their pairs", 0},
      {"kinds", KEY_KINDS, "LIST", 0,
       "of box,offset-box,ball,capsule,cylinder,hull,mesh,volume, or all (default)", 0},
      {"motions", KEY_MOTIONS, "LIST", 0,
       "of upright,upright-origins,rotated,rotated-origins,turning, or all (default)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&bench_options_argp, 0, "", 0}, {0}};
  struct settings settings = {.common = bench_default_options("motte"),
                              .shapes = 10000,
                              .frames = 24,
                              .workers = 2,
                              .share = 1};
  bench_names engines = {0}, peers = {0}, kinds = names_of(kind_names, KINDS),
              motions = names_of(motion_names, MOTIONS);
  bench_names_add(&engines, "motte");
  char *documentation =
      bench_documentation("Moves shapes of each kind and finds their pairs. "
                          "Times are wall times, with one worker alone processor times.",
                          NULL, &settings.common, &engines, &peers);
  const struct argp argp = {options, parse, NULL, documentation, children, NULL, NULL};
  argp_parse(&argp, argc, argv, 0, NULL, &settings);
  free(documentation);
  bench_options_check(&settings.common, &engines, &peers);
  bench_list_check("kinds", settings.kinds, &kinds);
  bench_list_check("motions", settings.motions, &motions);

  struct run run = {.settings = &settings, .report = bench_old_report("kinds")};
  make_shared(&run);
  for (kind_of_shape k = 0; k < KINDS; k++) {
    for (kind_of_motion m = 0; m < MOTIONS; m++) {
      if (bench_list_has(settings.kinds, kind_names[k], true) &&
          bench_list_has(settings.motions, motion_names[m], true) && !bench_interrupted()) {
        run_case(&run, k, m);
      }
    }
  }
  for (phase p = 0; p < PHASES; p++) {
    if (p != CONTACTS || settings.contacts) {
      bench_report_print_across(run.report, &phase_time[p]);
    }
  }
  mo_mesh_release(run.mesh);
  mo_hull_release(run.hull);
  bench_finish(&settings.common, run.report);
}

const bench_old_suite bench_old_suite_kinds = {"kinds", "shapes of every kind that move",
                                               run_suite};
