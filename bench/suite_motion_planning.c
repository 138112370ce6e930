/* Checks of a motion planner: whether a robot arm collides, with the obstacles of a scene or with
 * itself, in the configurations along straight edges in joint space.
 *
 * Scenes with a start and a goal are those of MotionBenchMaker (Chamzas and others 2022); edges are
 * divided as VAMP does (Thomason and others 2024): so many configurations per radian, spread over
 * the whole of the edge in blocks, as a collision is then found early. Where the links are in each
 * configuration is computed before anything is timed. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "common/random.h"
#include "motion_referee.h"
#include "suite.h"

static const bench_metric edge_rate = {"edges", "k/s", BENCH_MORE_IS_BETTER};
static const bench_metric configuration_rate = {"configurations", "k/s", BENCH_MORE_IS_BETTER};
static const bench_metric link_rate = {"links", "k/s", BENCH_MORE_IS_BETTER};
static const bench_metric setup_time = {"setup", "us/scene", BENCH_LESS_IS_BETTER};
static const bench_metric colliding_share = {"colliding", "%", BENCH_NEITHER_IS_BETTER};
static const bench_metric free_edge_share = {"free_edges", "%", BENCH_NEITHER_IS_BETTER};
static const bench_metric difference_share = {"differences", "1/million", BENCH_NEITHER_IS_BETTER};

enum { FORMS = 3, MAX_JUDGED = 1000 };

static const char *const form_names[FORMS] = {"spheres", "hulls", "meshes"};

static const char *form_name(unsigned i) {
  return i < FORMS ? form_names[i] : NULL;
}

struct settings {
  const char *robot, *forms;
  uint32_t scenes, edges, resolution, checked;
  double spread;
};

struct scene {
  bench_motion_problem problem;
  mo_transform *poses; /* of the links, for each configuration */
  size_t *first;       /* configuration of each edge, and of the one behind the last */
  size_t edges, configurations;
};

/* A case. */
struct state {
  const bench_motion_robot *robot;
  struct scene *scenes;
  size_t scene_count, edges, configurations;
};

/* Answers to all scenes, one after another. */
struct outcome {
  bool *links, *configurations, *edges;
  size_t differences; /* from the first engine */
};

static const bench_motion_engine *engine_of(const bench_contender *contender) {
  return (const bench_motion_engine *)contender->engine;
}

/* Edges. */

static bench_motion_configuration between(const bench_motion_configuration *a,
                                          const bench_motion_configuration *b, double t) {
  bench_motion_configuration c;
  for (int i = 0; i < BENCH_MOTION_MAX_JOINTS; i++) {
    c.value[i] = a->value[i] + t * (b->value[i] - a->value[i]);
  }
  return c;
}

static double distance_of(const bench_motion_configuration *a,
                          const bench_motion_configuration *b) {
  double square = 0;
  for (int i = 0; i < BENCH_MOTION_MAX_JOINTS; i++) {
    square += (a->value[i] - b->value[i]) * (a->value[i] - b->value[i]);
  }
  return sqrt(square);
}

static bench_motion_configuration near_to(const bench_motion_robot *robot,
                                          const bench_motion_configuration *from, double spread,
                                          struct random_stream *random) {
  bench_motion_configuration to = *from;
  for (size_t i = 0; i < robot->joint_count; i++) {
    const bench_motion_joint *joint = &robot->joints[i];
    if (joint->type != BENCH_MOTION_FIXED) {
      double *value = &to.value[joint->variable];
      *value += random_between(random, (float)-spread, (float)spread);
      *value = fmin(fmax(*value, joint->lower), joint->upper);
    }
  }
  return to;
}

/* Blocks of configurations of an edge: each begins a step nearer to its start than the block
 * before.
 */
static size_t block_count(const bench_motion_configuration *a, const bench_motion_configuration *b,
                          uint32_t resolution) {
  return (size_t)fmax(ceil(distance_of(a, b) / BENCH_MOTION_BLOCK * resolution), 1);
}

/* The poses of all configurations of an edge but its start, in the order in which they are checked.
 */
static void add_edge(const bench_motion_robot *robot, const bench_motion_configuration *a,
                     const bench_motion_configuration *b, uint32_t resolution,
                     struct scene *scene) {
  const size_t blocks = block_count(a, b, resolution);
  const size_t count = scene->configurations + blocks * BENCH_MOTION_BLOCK;
  mo_transform *poses = realloc(scene->poses, count * robot->link_count * sizeof *poses);
  if (poses == NULL) {
    fail("cannot allocate poses of %zu configurations", count);
  }
  scene->poses = poses;
  for (size_t block = 0; block < blocks; block++) {
    for (int i = 0; i < BENCH_MOTION_BLOCK; i++) {
      double t =
          (i + 1.0) / BENCH_MOTION_BLOCK - (double)block / ((double)blocks * BENCH_MOTION_BLOCK);
      bench_motion_configuration configuration = between(a, b, t);
      bench_motion_place(robot, &configuration,
                         &poses[scene->configurations++ * robot->link_count]);
    }
  }
  scene->first[++scene->edges] = scene->configurations;
}

/* From start to goal, and from each of them in turn to a configuration near it. */
static void make_edges(const bench_motion_robot *robot, const struct settings *settings,
                       struct random_stream *random, struct scene *scene) {
  const bench_motion_configuration *ends[] = {&scene->problem.start, &scene->problem.goal};
  scene->first = allocate(settings->edges + 1, sizeof *scene->first);
  add_edge(robot, ends[0], ends[1], settings->resolution, scene);
  for (uint32_t i = 1; i < settings->edges; i++) {
    const bench_motion_configuration *from = ends[(i + 1) % 2];
    bench_motion_configuration to = near_to(robot, from, settings->spread, random);
    add_edge(robot, from, &to, settings->resolution, scene);
  }
}

/* Measuring. */

static void measure(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const struct state *state = run->data;
  const bench_motion_engine *engine = engine_of(contender);
  const struct outcome *outcome = contender->data;
  const size_t link_count = state->robot->link_count;
  bool *links = outcome->links, *configurations = outcome->configurations;
  bool *edges = outcome->edges;
  double setup = 0, of_links = 0, of_configurations = 0, of_edges = 0;
  for (size_t i = 0; i < state->scene_count; i++) {
    const struct scene *scene = &state->scenes[i];
    const bench_motion_bodies *obstacles = &scene->problem.obstacles;
    double times[5] = {bench_clock()};
    engine->load(contender->world, obstacles->item, obstacles->count);
    times[1] = bench_clock();
    engine->check_links(contender->world, scene->poses, scene->configurations, links);
    times[2] = bench_clock();
    engine->check(contender->world, scene->poses, scene->configurations, configurations);
    times[3] = bench_clock();
    for (size_t k = 0; k < scene->edges; k++) {
      const mo_transform *poses = &scene->poses[scene->first[k] * link_count];
      edges[k] = engine->check_edge(contender->world, poses, scene->first[k + 1] - scene->first[k]);
    }
    times[4] = bench_clock();
    setup += times[1] - times[0];
    of_links += times[2] - times[1];
    of_configurations += times[3] - times[2];
    of_edges += times[4] - times[3];
    links += scene->configurations * link_count;
    configurations += scene->configurations;
    edges += scene->edges;
  }
  bench_sample(run, contender, &edge_rate, 1e-3 * (double)state->edges / of_edges);
  bench_sample(run, contender, &configuration_rate,
               1e-3 * (double)state->configurations / of_configurations);
  bench_sample(run, contender, &link_rate,
               1e-3 * (double)(state->configurations * link_count) / of_links);
  bench_sample(run, contender, &setup_time, 1e6 * setup / (double)state->scene_count);
}

/* Answers. */

static const struct scene *scene_of(const struct state *state, size_t *configuration) {
  const struct scene *scene = state->scenes;
  while (*configuration >= scene->configurations) {
    *configuration -= scene++->configurations;
  }
  return scene;
}

/* Of all links in the configuration with this number; or of one. */
static bench_motion_verdict judge(const struct state *state, size_t configuration,
                                  const uint32_t *link) {
  const size_t link_count = state->robot->link_count;
  const struct scene *scene = scene_of(state, &configuration);
  const mo_transform *poses = &scene->poses[configuration * link_count];
  const bench_motion_links *links = &state->robot->links;
  return link != NULL
             ? bench_motion_judge_link(links, *link, &poses[*link], &scene->problem.obstacles)
             : bench_motion_judge(links, poses, &scene->problem.obstacles);
}

static void check_answer(bench_run *run, bench_contender *contender, size_t configuration,
                         const uint32_t *link, bool answer) {
  const struct state *state = run->data;
  bench_motion_verdict verdict = judge(state, configuration, link);
  if (verdict == (answer ? BENCH_MOTION_APART : BENCH_MOTION_TOUCH)) {
    bench_refuse(run, contender, "in configuration %zu %s %s", configuration,
                 link != NULL ? state->robot->link_names[*link] : "the robot",
                 answer ? "touches nothing, but it finds a touch" : "collides, but it finds none");
  }
}

/* Edges collide exactly if one of their configurations does. */
static void check_edges(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  const bool *configurations = outcome->configurations, *edge = outcome->edges;
  for (size_t i = 0; i < state->scene_count; i++) {
    const struct scene *scene = &state->scenes[i];
    for (size_t k = 0; k < scene->edges; k++) {
      bool collides = false;
      for (size_t c = scene->first[k]; c < scene->first[k + 1]; c++) {
        collides = collides || configurations[c];
      }
      if (collides != *edge++) {
        bench_refuse(run, contender, "edge %zu of scene %zu differs from its configurations", k, i);
      }
    }
    configurations += scene->configurations;
  }
}

/* Where an engine differs from the first one, the referee says which one is wrong, if any. */
static void compare(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const uint32_t link_count = state->robot->links.count;
  struct outcome *outcome = contender->data;
  bench_contender *first = &run->contenders[0];
  const struct outcome *reference = first->data;
  outcome->differences = 0;
  check_edges(run, contender);
  for (size_t i = 0; i < state->configurations && bench_is_active(contender); i++) {
    if (outcome->configurations[i] != reference->configurations[i] &&
        outcome->differences++ < MAX_JUDGED) {
      check_answer(run, first, i, NULL, reference->configurations[i]);
      check_answer(run, contender, i, NULL, outcome->configurations[i]);
    }
  }
  size_t judged = 0;
  for (size_t i = 0; i < state->configurations * link_count && bench_is_active(contender); i++) {
    const uint32_t link = (uint32_t)(i % link_count);
    if (outcome->links[i] != reference->links[i] && judged++ < MAX_JUDGED) {
      check_answer(run, first, i / link_count, &link, reference->links[i]);
      check_answer(run, contender, i / link_count, &link, outcome->links[i]);
    }
  }
}

/* The referee takes some of the answers of the first engine. */
static void check_sample(bench_run *run) {
  const struct state *state = run->data;
  const struct settings *settings = run->settings;
  const struct outcome *outcome = run->contenders[0].data;
  struct random_stream random = random_from_seed(run->seed);
  for (uint32_t i = 0; i < settings->checked; i++) {
    size_t configuration = random_below(&random, (uint32_t)state->configurations);
    check_answer(run, &run->contenders[0], configuration, NULL,
                 outcome->configurations[configuration]);
  }
}

static void check_round(bench_run *run, uint32_t round) {
  if (round == 0) {
    check_sample(run);
    bench_check_each(run, compare);
  }
}

static void count(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  const struct outcome *outcome = contender->data;
  size_t colliding = 0, free_edges = 0;
  for (size_t i = 0; i < state->configurations; i++) {
    colliding += outcome->configurations[i];
  }
  for (size_t i = 0; i < state->edges; i++) {
    free_edges += !outcome->edges[i];
  }
  const double configurations = (double)state->configurations;
  bench_count(run, contender, &colliding_share, 100 * (double)colliding / configurations);
  bench_count(run, contender, &free_edge_share, 100 * (double)free_edges / (double)state->edges);
  bench_count(run, contender, &difference_share,
              1e6 * (double)outcome->differences / configurations);
}

/* Files. */

static bench_motion_robot *read_robot(const char *folder, const char *name, const char *form) {
  const bool as_spheres = strcmp(form, "spheres") == 0;
  char *urdf = bench_format("%s/%s%s.urdf", folder, name, as_spheres ? "_spherized" : "");
  char *srdf = bench_format("%s/%s.srdf", folder, name);
  bench_motion_robot *robot = bench_motion_read_robot(urdf, srdf, strcmp(form, "hulls") == 0);
  free(urdf);
  free(srdf);
  return robot;
}

static int is_scene(const struct dirent *entry) {
  const char *end = strrchr(entry->d_name, '.');
  return strncmp(entry->d_name, "scene", 5) == 0 && end != NULL && strcmp(end, ".yaml") == 0;
}

static int is_visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* The names in a folder, in order; null past the last. For free_names. */
static char **list_names(const char *folder, int (*is_wanted)(const struct dirent *)) {
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, is_wanted, alphasort);
  char **names = allocate((size_t)(count > 0 ? count : 0) + 1, sizeof *names);
  for (int i = 0; i < count; i++) {
    names[i] = bench_format("%s", entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return names;
}

static void free_names(char **names) {
  for (size_t i = 0; names[i] != NULL; i++) {
    free(names[i]);
  }
  free(names);
}

/* sceneN.yaml of a folder, and requestN.yaml beside it. */
static void read_problem(const char *folder, const char *name, const bench_motion_robot *robot,
                         bench_motion_problem *problem) {
  char *scene = bench_format("%s/%s", folder, name);
  char *request = bench_format("%s/request%s", folder, name + strlen("scene"));
  bench_motion_read_problem(scene, request, robot, problem);
  free(scene);
  free(request);
}

/* Reads every scene of a set once. Returns how many there are. */
static size_t check_set(const char *folder, const bench_motion_robot *robot) {
  char **names = list_names(folder, is_scene);
  size_t count = 0;
  for (; names[count] != NULL; count++) {
    bench_motion_problem problem;
    read_problem(folder, names[count], robot, &problem);
    bench_motion_free_problem(&problem);
  }
  free_names(names);
  return count;
}

static void check_data(const char *folder, const void *opaque) {
  const struct settings *settings = opaque;
  char *problems = bench_format("%s/problems", folder);
  char **sets = list_names(problems, is_visible);
  size_t count = 0;
  for (int i = 0; i < FORMS; i++) {
    bench_motion_robot *robot = read_robot(folder, settings->robot, form_names[i]);
    for (size_t k = 0; i == 0 && sets[k] != NULL && !bench_interrupted(); k++) {
      char *set = bench_format("%s/%s", problems, sets[k]);
      count += check_set(set, robot);
      free(set);
    }
    bench_motion_free_robot(robot);
  }
  if (count == 0 && !bench_interrupted()) {
    fail("%s has no problems/SET/scene*.yaml; there, run: tar -xjf problems.tar.bz2", folder);
  }
  free_names(sets);
  free(problems);
}

/* Cases. */

static void make_scenes(const bench_run *run, const char *folder, struct state *state) {
  const struct settings *settings = run->settings;
  struct random_stream random = random_from_seed(run->seed);
  char **names = list_names(folder, is_scene);
  size_t count = 0;
  while (names[count] != NULL) {
    count++;
  }
  state->scene_count = count < settings->scenes ? count : settings->scenes;
  state->scenes = allocate(state->scene_count, sizeof *state->scenes);
  for (size_t i = 0; i < state->scene_count; i++) {
    struct scene *scene = &state->scenes[i];
    read_problem(folder, names[i * count / state->scene_count], state->robot, &scene->problem);
    make_edges(state->robot, settings, &random, scene);
    state->configurations += scene->configurations;
    state->edges += scene->edges;
  }
  free_names(names);
}

static void create_world(bench_run *run, bench_contender *contender) {
  const struct state *state = run->data;
  *(struct outcome *)contender->data =
      (struct outcome){.links = allocate(state->configurations * state->robot->link_count, 1),
                       .configurations = allocate(state->configurations, 1),
                       .edges = allocate(state->edges, 1)};
  contender->world = engine_of(contender)->create(&state->robot->links);
}

static void destroy_world(bench_contender *contender) {
  struct outcome *outcome = contender->data;
  engine_of(contender)->destroy(contender->world);
  free(outcome->links);
  free(outcome->configurations);
  free(outcome->edges);
  *outcome = (struct outcome){.links = NULL};
}

static void run_case(bench_run *run, const bench_motion_robot *robot, const char *folder,
                     char *name) {
  struct state state = {.robot = robot};
  run->data = &state;
  make_scenes(run, folder, &state);
  bench_begin(run, name);
  bench_each(run, create_world);
  bench_play(run,
             &(bench_rounds){
                 .count = run->repeats, .warm_up = 1, .measure = measure, .check = check_round});
  bench_end(run, count);
  bench_release_each(run, destroy_world);
  for (size_t i = 0; i < state.scene_count; i++) {
    bench_motion_free_problem(&state.scenes[i].problem);
    free(state.scenes[i].poses);
    free(state.scenes[i].first);
  }
  free(state.scenes);
}

/* Without the robot's name at its end. */
static char *case_name(const char *set, const char *robot, const char *form) {
  size_t length = strlen(set), tail = strlen(robot);
  if (length > tail + 1 && set[length - tail - 1] == '_' &&
      strcmp(set + length - tail, robot) == 0) {
    length -= tail + 1;
  }
  return bench_format("%.*s/%s", (int)length, set, form);
}

static void run_form(bench_run *run, const char *form) {
  const struct settings *settings = run->settings;
  bench_motion_robot *robot = read_robot(run->folder, settings->robot, form);
  char *problems = bench_format("%s/problems", run->folder);
  char **sets = list_names(problems, is_visible);
  for (size_t i = 0; sets[i] != NULL && !bench_interrupted(); i++) {
    char *folder = bench_format("%s/%s", problems, sets[i]);
    char **names = list_names(folder, is_scene);
    if (names[0] != NULL) {
      run_case(run, robot, folder, case_name(sets[i], settings->robot, form));
    }
    free_names(names);
    free(folder);
  }
  free_names(sets);
  free(problems);
  bench_motion_free_robot(robot);
}

static void run_all(bench_run *run) {
  const struct settings *settings = run->settings;
  for (int i = 0; i < FORMS && !bench_interrupted(); i++) {
    if (bench_list_has(settings->forms, form_names[i], true)) {
      run_form(run, form_names[i]);
    }
  }
}

static const bench_option options[] = {
    {"robot", "NAME", "its files are NAME.urdf, NAME_spherized.urdf and NAME.srdf", BENCH_TEXT,
     .offset = offsetof(struct settings, robot), .initial = "panda"},
    {"forms", "LIST", "of what the robot is made of", BENCH_LIST,
     .offset = offsetof(struct settings, forms), .name_at = form_name},
    {"scenes", "N", "of each set, evenly spread over it", BENCH_COUNT,
     .offset = offsetof(struct settings, scenes), .initial = "100", .quick = "2", .min = 1,
     .max = 1e6},
    {"edges", "N",
     "of each scene: from start to goal, and N - 1 to random configurations near them", BENCH_COUNT,
     .offset = offsetof(struct settings, edges), .initial = "5", .quick = "3", .min = 1,
     .max = 1e6},
    {"spread", "RAD", "how far joints of random configurations are from the start or the goal",
     BENCH_REAL, .offset = offsetof(struct settings, spread), .initial = "0.5", .min = 0,
     .max = 3.15},
    {"resolution", "N", "configurations per radian of an edge", BENCH_COUNT,
     .offset = offsetof(struct settings, resolution), .initial = "32", .min = 1, .max = 1e4},
    {"checked", "N", "configurations of each case whose answers are proven part by part",
     BENCH_COUNT, .offset = offsetof(struct settings, checked), .initial = "10", .quick = "3",
     .min = 0, .max = 1e6},
    {0},
};

const bench_suite bench_suite_motion_planning = {
    .name = "motion-planning",
    .summary = "configurations of a robot arm among boxes and cylinders",
    .purpose = "Checks whether a robot arm collides along straight edges in joint space, in the "
               "scenes of MotionBenchMaker (Chamzas and others 2022), divided as VAMP does "
               "(Thomason and others 2024).",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_motion_motte[0].id,
    .engine_size = sizeof(bench_motion_engine),
    .chosen_engines = "motte,motte-batch",
    .needs_first = true,
    .peers = bench_motion_peers,
    .contender_size = sizeof(struct outcome),
    .repeats = "5",
    .data = "motion-bench-maker",
    .check_data = check_data,
    .headlines = "edges,configurations,links",
    .run = run_all,
    .compared = {&edge_rate, &configuration_rate, &link_rate},
};
