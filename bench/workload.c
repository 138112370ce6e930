#include "workload.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"

const bench_recipe bench_recipes[] = {
    {"walk", "a", "all walk", BENCH_WALK, 1, 0.1, false, false},
    {"fly", "A", "all fly, sparse (Broadmark's Brownian speeds)", BENCH_FLY, 1, 0.01, false, false},
    {"dart", "v", "all fly by their own size", BENCH_DART, 1, 0.1, false, false},
    {"explode", "x", "a clump flies apart for 200 frames, and back", BENCH_EXPLODE, 1, 1, false,
     false},
    {"walk-10", "b", "10 % walk", BENCH_WALK, 0.1, 0.1, false, false},
    {"walk-1", "c", "1 % walk", BENCH_WALK, 0.01, 0.1, false, false},
    {"walk-0.1", "h", "0.1 % walk", BENCH_WALK, 0.001, 0.1, false, false},
    {"sizes", "d", "all walk, edges from 0.1 to 100", BENCH_WALK, 1, 0.1, true, false},
    {"clusters", "e", "all walk, in clusters, 2.9 pairs per cube", BENCH_WALK, 1, 0.1, false, true},
    {"teleport-10", "f", "10 % teleport", BENCH_TELEPORT, 0.1, 0.1, false, false},
    {"teleport", "F", "all teleport", BENCH_TELEPORT, 1, 0.1, false, false},
    {"replace-1", "g", "1 % removed and added again", BENCH_REPLACE, 0.01, 0.1, false, false},
    {"stream", "s", "half of the world removed and added again", BENCH_STREAM, 0.5, 0.1, false,
     false},
};

const size_t bench_recipe_count = sizeof bench_recipes / sizeof *bench_recipes;

const char *bench_recipe_name(unsigned index) {
  return index < bench_recipe_count       ? bench_recipes[index].name
         : index < 2 * bench_recipe_count ? bench_recipes[index - bench_recipe_count].letter
                                          : NULL;
}

const bench_recipe *bench_find_recipe(const char *name) {
  size_t r = 0;
  while (strcmp(bench_recipes[r].name, name) != 0 && strcmp(bench_recipes[r].letter, name) != 0) {
    r++;
  }
  return &bench_recipes[r];
}

bool bench_list_has_recipe(const char *list, const bench_recipe *recipe) {
  return bench_list_has(list, recipe->name, false) || bench_list_has(list, recipe->letter, false);
}

bench_recipe bench_recipe_of_share(double share) {
  bench_recipe recipe = bench_recipes[0];
  recipe.name = share < 1 ? bench_format("walk-%g", 100 * share) : bench_format("walk");
  recipe.summary = "a share walks";
  recipe.share = share;
  return recipe;
}

char *bench_describe_recipes(void) {
  char *text = bench_format("Workloads (unit cubes, 0.4 overlapping pairs per cube, unless said), "
                            "by name or letter:\n");
  for (size_t r = 0; r < bench_recipe_count; r++) {
    char *longer = bench_format("%s  %-12s %s  %s\n", text, bench_recipes[r].name,
                                bench_recipes[r].letter, bench_recipes[r].summary);
    free(text);
    text = longer;
  }
  return text;
}

const double bench_lattice = 1.0 / 256;

static const uint32_t cluster_size = 1000;

/* Speeds of BENCH_DART and BENCH_EXPLODE are evenly spread over a ball of this radius, in edges a
 * frame: its points lie three quarters of that from its middle in the mean. */
static const double dart_speed = 4.0 / 3;

static const uint32_t explosion_frames = 200; /* outward, and as many back */

static double normal(struct random_stream *random) {
  double radius = sqrt(-2 * log(1 - (double)random_between(random, 0, 1)));
  return radius * cos(6.283185307179586 * random_between(random, 0, 1));
}

static float to_lattice(double x) {
  return (float)(round(x / bench_lattice) * bench_lattice);
}

static mo_vec3 point_to_lattice(double x, double y, double z) {
  return (mo_vec3){to_lattice(x), to_lattice(y), to_lattice(z)};
}

static float half_to_lattice(double half) {
  return (float)((round(half / bench_lattice) + 0.25) * bench_lattice);
}

static mo_vec3 anywhere(bench_workload *workload) {
  float reach = (float)(workload->world / 2);
  mo_vec3 p = random_point_in(&workload->random,
                              (mo_aabb){{-reach, -reach, -reach}, {reach, reach, reach}});
  return point_to_lattice(p.x, p.y, p.z);
}

static mo_quat any_rotation(struct random_stream *random) {
  return (mo_quat){(float)normal(random), (float)normal(random), (float)normal(random),
                   (float)normal(random)};
}

/* Uniform in a ball. */
static mo_vec3 point_in_ball(struct random_stream *random, double radius) {
  mo_vec3 d = random_direction(random);
  float s = (float)(radius * cbrt(random_between(random, 0, 1)));
  return (mo_vec3){s * d.x, s * d.y, s * d.z};
}

/* Back inside from beyond a wall. */
static double reflect(double x, double reach) {
  x = x > reach ? 2 * reach - x : x < -reach ? -2 * reach - x : x;
  return fmin(fmax(x, -reach), reach);
}

/* Two cubes with edges a and b in a volume V overlap with probability (a + b)^3 / V. For
 * log-uniform edges from 0.1 to 100 the expectation of (a + b)^3 is 159305, and 8 for unit edges.
 */
static double world_edge(const bench_recipe *recipe, uint32_t count) {
  return cbrt(count / recipe->density * (recipe->sizes ? 159305.0 / 8 : 1));
}

/* Centres of one normal cluster of m cubes with deviation s lie with mean density
 * m / ((4 pi)^1.5 s^3) around each other; four times that are pairs per cube. Clusters that overlap
 * add 0.6 more, as counted. */
static double cluster_deviation(uint32_t members) {
  return cbrt(members / (44.546623974653656 * (2.9 - 0.6) / 4));
}

static void place_clusters(bench_workload *workload) {
  uint32_t members = workload->count < cluster_size ? workload->count : cluster_size;
  double deviation = cluster_deviation(members), reach = workload->world / 2;
  workload->homes = allocate(workload->count, sizeof *workload->homes);
  uint32_t clusters = (workload->count + members - 1) / members;
  mo_vec3 *middle = allocate(clusters, sizeof *middle);
  for (uint32_t c = 0; c < clusters; c++) {
    middle[c] = anywhere(workload);
  }
  for (uint32_t i = 0; i < workload->count; i++) {
    mo_vec3 home = middle[i % clusters];
    workload->homes[i] = home;
    struct random_stream *random = &workload->random;
    /* One after another: compilers evaluate arguments in different order. */
    double z = home.z + deviation * normal(random), y = home.y + deviation * normal(random),
           x = home.x + deviation * normal(random);
    workload->bodies[i].center =
        point_to_lattice(reflect(x, reach), reflect(y, reach), reflect(z, reach));
  }
  free(middle);
}

static double top_speed(const bench_workload *workload) {
  return workload->recipe.motion == BENCH_FLY ? 0.75 * workload->world / 30 : dart_speed;
}

/* The clump: a ball as large as the world of such a density would be a cube, in the middle of a
 * world that holds all of the explosion. */
static void place_clump(bench_workload *workload) {
  double radius = workload->world * cbrt(3 / (4 * 3.141592653589793));
  workload->starts = allocate(workload->count, sizeof *workload->starts);
  for (uint32_t i = 0; i < workload->count; i++) {
    mo_vec3 p = point_in_ball(&workload->random, radius);
    workload->starts[i] = point_to_lattice(p.x, p.y, p.z);
    workload->bodies[i].center = workload->starts[i];
  }
  workload->world = 2 * (radius + explosion_frames * dart_speed);
}

bench_workload *bench_workload_create(const bench_recipe *recipe, uint32_t count, bool rotates,
                                      uint64_t seed) {
  bench_workload *workload = allocate(1, sizeof *workload);
  workload->recipe = *recipe;
  workload->rotates = rotates;
  workload->count = count;
  workload->world = world_edge(recipe, count);
  workload->random = random_from_seed(seed);
  workload->bodies = allocate(count, sizeof *workload->bodies);
  workload->movers = allocate(count, sizeof *workload->movers);
  struct random_stream *random = &workload->random;
  for (uint32_t i = 0; i < count; i++) {
    bench_body *body = &workload->bodies[i];
    double edge = recipe->sizes ? 0.1 * pow(1000, random_between(random, 0, 1)) : 1;
    body->half = half_to_lattice(edge / 2);
    body->center = anywhere(workload);
    body->rotation = rotates ? any_rotation(random) : (mo_quat){0, 0, 0, 1};
  }
  if (recipe->clusters) {
    place_clusters(workload);
  }
  if (recipe->motion == BENCH_EXPLODE) {
    place_clump(workload);
  }
  if (recipe->motion == BENCH_FLY || recipe->motion == BENCH_DART ||
      recipe->motion == BENCH_EXPLODE) {
    workload->velocities = allocate(count, sizeof *workload->velocities);
    for (uint32_t i = 0; i < count; i++) {
      workload->velocities[i] = point_in_ball(random, top_speed(workload));
    }
  }
  return workload;
}

void bench_workload_destroy(bench_workload *workload) {
  free(workload->bodies);
  free(workload->homes);
  free(workload->velocities);
  free(workload->starts);
  free(workload->movers);
  free(workload);
}

/* In clusters a slight pull keeps the deviation what it is: a walk whose steps have the variance v
 * per axis would spread by v each frame; drawn home by v / (2 s^2) of the distance it does not. */
static void walk(bench_workload *workload, uint32_t i) {
  struct random_stream *random = &workload->random;
  bench_body *body = &workload->bodies[i];
  double length = 0.2 * body->half, reach = workload->world / 2;
  mo_vec3 step = point_in_ball(random, length);
  double x = (double)body->center.x + step.x, y = (double)body->center.y + step.y,
         z = (double)body->center.z + step.z;
  if (workload->homes != NULL) {
    uint32_t members = workload->count < cluster_size ? workload->count : cluster_size;
    double deviation = cluster_deviation(members);
    double pull = length * length / 5 / (2 * deviation * deviation);
    x += pull * (workload->homes[i].x - x);
    y += pull * (workload->homes[i].y - y);
    z += pull * (workload->homes[i].z - z);
  }
  body->center = point_to_lattice(reflect(x, reach), reflect(y, reach), reflect(z, reach));
  if (workload->rotates) {
    mo_quat *q = &body->rotation;
    float turn = 0.05f;
    q->x += turn * (float)normal(random);
    q->y += turn * (float)normal(random);
    q->z += turn * (float)normal(random);
    q->w += turn * (float)normal(random);
    float norm = sqrtf(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
    *q = norm > 1e-3f ? (mo_quat){q->x / norm, q->y / norm, q->z / norm, q->w / norm}
                      : (mo_quat){0, 0, 0, 1};
  }
}

static void fly_axis(float *position, float *velocity, double reach) {
  double next = (double)*position + *velocity;
  if (next > reach || next < -reach) {
    *velocity = -*velocity;
  }
  *position = to_lattice(reflect(next, reach));
}

static void fly(bench_workload *workload, uint32_t i) {
  bench_body *body = &workload->bodies[i];
  mo_vec3 *velocity = &workload->velocities[i];
  double reach = workload->world / 2;
  fly_axis(&body->center.x, &velocity->x, reach);
  fly_axis(&body->center.y, &velocity->y, reach);
  fly_axis(&body->center.z, &velocity->z, reach);
}

static void explode(bench_workload *workload, uint32_t i) {
  uint32_t phase = workload->frame % (2 * explosion_frames);
  double frames = phase <= explosion_frames ? phase : 2 * explosion_frames - phase;
  mo_vec3 from = workload->starts[i], velocity = workload->velocities[i];
  workload->bodies[i].center =
      point_to_lattice((double)from.x + frames * velocity.x, (double)from.y + frames * velocity.y,
                       (double)from.z + frames * velocity.z);
}

/* One body in a hundred, in turn. */
static void change_velocities(bench_workload *workload) {
  uint32_t changes = workload->count / 100 + (workload->count < 100);
  for (uint32_t k = 0; k < changes && workload->count > 0; k++) {
    workload->velocities[workload->turn] = point_in_ball(&workload->random, top_speed(workload));
    workload->turn = (workload->turn + 1) % workload->count;
  }
}

/* Who walks keeps walking; teleports and replacements come to all in turn. */
void bench_workload_step(bench_workload *workload) {
  uint32_t movers = (uint32_t)ceil(workload->recipe.share * workload->count - 1e-9);
  bool in_turn =
      workload->recipe.motion == BENCH_TELEPORT || bench_replaces(workload->recipe.motion);
  workload->mover_count = movers;
  workload->frame++;
  for (uint32_t k = 0; k < movers; k++) {
    uint32_t i = in_turn ? (uint32_t)(((uint64_t)workload->turn + k) % workload->count) : k;
    workload->movers[k] = i;
    switch (workload->recipe.motion) {
    case BENCH_WALK:
      walk(workload, i);
      break;
    case BENCH_FLY:
    case BENCH_DART:
      fly(workload, i);
      break;
    case BENCH_EXPLODE:
      explode(workload, i);
      break;
    case BENCH_STREAM:
      workload->bodies[i].center = anywhere(workload);
      workload->bodies[i].center.x =
          copysignf(workload->bodies[i].center.x, 2 * i < workload->count ? -1.0f : 1.0f);
      break;
    default:
      workload->bodies[i].center = anywhere(workload);
      break;
    }
  }
  if (workload->recipe.motion == BENCH_FLY || workload->recipe.motion == BENCH_DART) {
    change_velocities(workload);
  } else if (in_turn && workload->count > 0) {
    workload->turn = (uint32_t)(((uint64_t)workload->turn + movers) % workload->count);
  }
}

mo_aabb bench_workload_box(bench_workload *workload, float width) {
  struct random_stream *random = &workload->random;
  mo_vec3 near = {0, 0, 0};
  if (workload->count > 0) {
    near = workload->bodies[random_below(random, workload->count)].center;
  }
  double z = (double)near.z + random_between(random, -5, 5),
         y = (double)near.y + random_between(random, -5, 5),
         x = (double)near.x + random_between(random, -5, 5);
  mo_vec3 p = point_to_lattice(x, y, z);
  float half = half_to_lattice(width / 2.0);
  return (mo_aabb){{p.x - half, p.y - half, p.z - half}, {p.x + half, p.y + half, p.z + half}};
}
