/* The scenes that other engines are measured with, made anew from their recipes: counts, sizes,
 * distances and seeds. Those of Box3D are in its shared/benchmarks.c, those of Jolt in its
 * PerformanceTest, those of Bullet in its examples/Benchmarks, those of PEEL in its TestScenes.
 * Fewer bodies make the scene smaller and leave its form. README.md says where a scene differs. */
#include <math.h>

#include "clouds.h"
#include "common/check.h"
#include "common/vector.h"
#include "step_scenes.h"
#include "text.h"

static const float turn = 6.2831853f;

/* --- lattices --- */

/* How many columns along either axis a lattice of bodies has, if there are `layers` of them over
 * each column. */
static uint32_t columns_of(uint32_t bodies, float layers_per_column) {
  const float columns = roundf(cbrtf((float)bodies / layers_per_column));
  return columns > 1 ? (uint32_t)columns : 1;
}

/* The place of a body in a lattice that is filled layer by layer. */
static mo_vec3 place_of(uint32_t body, uint32_t columns) {
  return vec3((float)(body % columns), (float)(body / (columns * columns)),
              (float)(body / columns % columns));
}

static mo_quat upright(void) {
  return quat_around(vec3(1, 0, 0), 0.25f * turn);
}

/* --- Box3D --- */

/* The random numbers of PEEL, from -1/2 to 1/2, of which Box3D makes the hull. */
static float peel_random(uint32_t *state) {
  *state = *state * 2147001325u + 715136305u;
  return (float)(*state & 0xffff) / 65535 - 0.5f;
}

static void place_box3d_hulls(bench_step_maker *m, uint32_t bodies) {
  enum { POINTS = 32 };
  const float radius = 2;
  mo_vec3 points[POINTS];
  uint32_t state = 42;
  for (int i = 0; i < POINTS; i++) {
    do {
      points[i].x = peel_random(&state);
      points[i].y = peel_random(&state);
      points[i].z = peel_random(&state);
    } while (vec3_dot(points[i], points[i]) > 0.25f);
    points[i] = vec3_scale(radius, vec3_normalize(points[i]));
  }
  const uint32_t hull = bench_step_add_hull(m, points, POINTS), columns = columns_of(bodies, 10);
  bench_step_add(m, BENCH_PIECE_BOX, vec3(250, 1, 250), 0, vec3(0, -1, 0));
  for (uint32_t i = 0; i < bodies; i++) {
    const mo_vec3 place = place_of(i, columns);
    bench_step_add_hull_body(m, hull, 1,
                             vec3(2 * radius * (place.x - 0.5f * (float)columns),
                                  2 * radius * place.y + radius,
                                  2 * radius * (place.z - 0.5f * (float)columns)));
  }
}

/* A capsule of a figure that stands on the origin, in the plane of x and y, and the point that
 * joins it to another one. */
typedef struct bone {
  float from[2], to[2], radius, joint[2];
  int parent; /* -1: none */
} bone;

static mo_vec3 in_figure(const float point[2], float scale, mo_vec3 at) {
  return vec3(at.x + scale * point[0], at.y + scale * point[1], at.z);
}

/* The bones of a figure never collide with each other. */
static void add_figure(bench_step_maker *m, const bone *bones, uint32_t count, float scale,
                       mo_vec3 at, uint32_t delay) {
  const uint32_t first = m->scene->count, group = first + 1;
  for (uint32_t i = 0; i < count; i++) {
    const bone *b = &bones[i];
    const float radius = scale * b->radius;
    const mo_vec3 from = in_figure(b->from, scale, at), to = in_figure(b->to, scale, at),
                  along = vec3_sub(to, from);
    const uint32_t body =
        bench_step_add(m, BENCH_PIECE_CAPSULE, vec3(radius, radius, 0.5f * vec3_length(along)), 1,
                       vec3_mix(from, to, 0.5f));
    m->scene->pieces[body].group = group;
    m->scene->motion->delays[body] = delay;
    /* Takes the z axis there. */
    m->scene->start[body].rotation =
        quat_around(vec3_normalize(vec3(-along.y, along.x, 0)), 0.25f * turn);
    if (b->parent >= 0) {
      bench_step_add_joint(
          m, (bench_step_joint){first + (uint32_t)b->parent, body, in_figure(b->joint, scale, at)});
    }
  }
}

/* About those of Box3D's human, to a centimetre or two. */
static const bone human[] = {
    {{-0.07f, 0.93f}, {0.07f, 0.93f}, 0.13f, {0}, -1},       /* pelvis */
    {{-0.06f, 1.11f}, {0.06f, 1.11f}, 0.12f, {0, 1.02f}, 0}, /* spine */
    {{-0.08f, 1.21f}, {0.08f, 1.21f}, 0.1f, {0, 1.16f}, 1},
    {{-0.11f, 1.36f}, {0.11f, 1.36f}, 0.145f, {0, 1.29f}, 2},
    {{0, 1.56f}, {0, 1.62f}, 0.07f, {0, 1.54f}, 3},            /* neck */
    {{0, 1.67f}, {0, 1.73f}, 0.1f, {0, 1.64f}, 4},             /* head */
    {{0.09f, 0.95f}, {0.1f, 0.55f}, 0.09f, {0.09f, 0.97f}, 0}, /* thighs, calves */
    {{0.1f, 0.52f}, {0.1f, 0.11f}, 0.075f, {0.1f, 0.54f}, 6},
    {{-0.09f, 0.95f}, {-0.1f, 0.55f}, 0.09f, {-0.09f, 0.97f}, 0},
    {{-0.1f, 0.52f}, {-0.1f, 0.11f}, 0.075f, {-0.1f, 0.54f}, 8},
    {{0.2f, 1.48f}, {0.28f, 1.25f}, 0.075f, {0.2f, 1.48f}, 3}, /* arms */
    {{0.29f, 1.23f}, {0.31f, 0.95f}, 0.05f, {0.285f, 1.24f}, 10},
    {{-0.2f, 1.48f}, {-0.28f, 1.25f}, 0.075f, {-0.2f, 1.48f}, 3},
    {{-0.29f, 1.23f}, {-0.31f, 0.95f}, 0.05f, {-0.285f, 1.24f}, 12},
};

static float flat(float x, float z) {
  (void)x;
  (void)z;
  return 0;
}

/* Around the z axis. */
static bench_mesh *generate_torus(uint32_t segments, float radius, float thickness) {
  bench_mesh *mesh = bench_step_allocate_mesh(segments * segments, 2 * segments * segments);
  uint32_t *to = mesh->triangles.indices;
  for (uint32_t i = 0; i < segments * segments; i++) {
    const uint32_t ring = i / segments * segments,
                   next_ring = (ring + segments) % (segments * segments);
    const uint32_t place = i % segments, next = (place + 1) % segments;
    const float u = turn * (float)place / (float)segments,
                v = turn * (float)(i / segments) / (float)segments;
    const float r = radius + thickness * cosf(v);
    mesh->triangles.positions[i] = vec3(r * cosf(u), r * sinf(u), thickness * sinf(v));
    to = bench_step_triangle(to, ring + place, ring + next, next_ring + next);
    to = bench_step_triangle(to, next_ring + next, next_ring + place, ring + place);
  }
  bench_mesh_find_bounds(mesh);
  return mesh;
}

/* Squares of flat ground with half a torus each, and three humans that fall on each, by columns. */
static void place_box3d_rain(bench_step_maker *m, uint32_t bodies) {
  enum { BONES = sizeof human / sizeof *human, GROUP = 3, BETWEEN = 48 };
  const float pitch = 15;
  const uint32_t figures = bodies > BONES ? bodies / BONES : 1,
                 columns = (uint32_t)ceilf(sqrtf((float)figures / GROUP));
  const uint32_t ground = bench_step_add_mesh(m, bench_step_generate_ground(8, pitch, flat));
  const uint32_t torus = bench_step_add_mesh(m, generate_torus(16, 0.25f * pitch, 1));
  const float first = 0.5f * pitch * (1 - (float)columns);
  for (uint32_t i = 0; i < columns * columns; i++) {
    const mo_vec3 place = place_of(i, columns);
    const mo_vec3 at = {first + pitch * place.x, 0, first + pitch * place.z};
    bench_step_add_mesh_body(m, ground, at);
    bench_step_add_mesh_body(m, torus, at);
  }
  for (uint32_t i = 0; i < figures; i++) {
    const uint32_t column = i / GROUP / columns, row = i / GROUP % columns;
    add_figure(m, human, BONES, 1,
               vec3(first + pitch * (float)column + 0.75f * (float)(i % GROUP), 20,
                    first + pitch * (float)row),
               BETWEEN * column);
  }
}

/* One of `count` directions spread evenly, as a Fibonacci lattice. */
static mo_vec3 direction_of(uint32_t i, uint32_t count) {
  const float z = 1 - (2 * (float)i + 1) / (float)count, across = sqrtf(1 - z * z),
              angle = turn * 0.618034f * (float)i;
  return vec3(across * cosf(angle), across * sinf(angle), z);
}

/* Rocks fall into a yard with walls, in which a pillar circles. */
static void place_box3d_junkyard(bench_step_maker *m, uint32_t bodies) {
  enum { ROCK = 10, SIDES = 16 };
  const uint32_t columns = columns_of(bodies, 24 / 21.0f);
  const float size = (float)columns / 21, half = 50 * size; /* of the yard */
  mo_vec3 rock[ROCK], pillar[2 * SIDES];
  for (uint32_t i = 0; i < ROCK; i++) {
    rock[i] = vec3_scale(1.5f, direction_of(i, ROCK));
  }
  for (int i = 0; i < 2 * SIDES; i++) {
    const float angle = turn * (float)(i / 2) / SIDES;
    pillar[i] = vec3(4 * size * cosf(angle), i % 2 == 0 ? 0 : 24, 4 * size * sinf(angle));
  }
  const uint32_t rocks = bench_step_add_hull(m, rock, ROCK),
                 pillars = bench_step_add_hull(m, pillar, 2 * SIDES);
  bench_step_add(m, BENCH_PIECE_BOX, vec3(120, 1, 120), 0, vec3(0, -1, 0));
  for (int side = -1; side <= 1; side += 2) {
    const float at = half * (float)side;
    bench_step_add(m, BENCH_PIECE_BOX, vec3(1, 8, half), 0, vec3(at, 7, 0));
    bench_step_add(m, BENCH_PIECE_BOX, vec3(half, 8, 1), 0, vec3(0, 7, at));
  }
  bench_step_add_hull_body(m, pillars, INFINITY, vec3(35 * size, 0, 0));
  m->scene->motion->orbit = turn / 60;
  for (uint32_t i = 1; i < bodies; i++) {
    const mo_vec3 place = vec3_scale(4, place_of(i - 1, columns));
    const float first = -2 * ((float)columns - 1);
    bench_step_add_hull_body(m, rocks, 1, vec3(first + place.x, 25 + place.y, first + place.z));
  }
}

/* --- Jolt --- */

static void place_jolt_pyramid(bench_step_maker *m, uint32_t bodies) {
  const float size = 2, gap = 0.5f;
  uint32_t height = 1;
  while ((height + 1) * (height + 2) * (2 * height + 3) / 6 <= bodies) {
    height++;
  }
  bench_step_add(m, BENCH_PIECE_BOX, vec3(50, 1, 50), 0, vec3(0, -1, 0));
  for (uint32_t layer = 0; layer < height; layer++) {
    const uint32_t side = height - layer;
    const float first = (float)layer - (float)height;
    for (uint32_t i = 0; i < side * side; i++) {
      bench_step_add(m, BENCH_PIECE_BOX, vec3(1, 1, 1), 1,
                     vec3(first + size * (float)(i / side), 1 + (size + gap) * (float)layer,
                          first + size * (float)(i % side)));
    }
  }
}

static float hills(float x, float z) {
  return 5 + 5 * sinf(x / 6) * cosf(z / 6);
}

static void place_jolt_convex_vs_mesh(bench_step_maker *m, uint32_t bodies) {
  enum { KINDS = 4, CORNERS = 5 };
  static const mo_vec3 pyramid[CORNERS] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
  const float pitch = 7.5f, cell = 3;
  const uint32_t columns = (uint32_t)ceilf(sqrtf((float)bodies / KINDS));
  const uint32_t hull = bench_step_add_hull(m, pyramid, CORNERS), cells = 100 * columns / 21 + 1;
  bench_mesh *ground = bench_step_generate_ground(cells, cell * (float)cells, hills);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, ground), vec3(0, 0, 0));
  for (uint32_t i = 0; i < bodies; i++) {
    const mo_vec3 place = place_of(i, columns);
    const float first = -0.5f * pitch * (float)(columns - 1);
    const mo_vec3 at = {first + pitch * place.x, 15 + 2 * place.y, first + pitch * place.z};
    uint32_t body;
    switch (i / (columns * columns)) {
    case 0:
      bench_step_add(m, BENCH_PIECE_BOX, vec3(0.5f, 0.75f, 1), 1, at);
      break;
    case 1:
      bench_step_add(m, BENCH_PIECE_BALL, vec3(0.5f, 0.5f, 0.5f), 1, at);
      break;
    case 2:
      body = bench_step_add(m, BENCH_PIECE_CAPSULE, vec3(0.5f, 0.5f, 0.75f), 1, at);
      m->scene->start[body].rotation = upright();
      break;
    default:
      bench_step_add_hull_body(m, hull, 1, at);
    }
  }
}

static float mountains(float x, float z) {
  return 50 * sinf(x / 10) * cosf(z / 10);
}

static void place_jolt_large_mesh(bench_step_maker *m, uint32_t bodies) {
  const float pitch = 7.5f;
  const uint32_t columns = columns_of(bodies, 10 / 21.0f),
                 cells = (uint32_t)fminf(500, 16 * sqrtf((float)bodies));
  bench_mesh *ground = bench_step_generate_ground(cells, (float)cells, mountains);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, ground), vec3(0, 0, 0));
  for (uint32_t i = 0; i < bodies; i++) {
    const mo_vec3 place = place_of(i, columns);
    const float first = -0.5f * pitch * (float)(columns - 1);
    bench_step_add(m, BENCH_PIECE_BOX, vec3(0.5f, 0.75f, 1), 1,
                   vec3(first + pitch * place.x, 55 + 2 * place.y, first + pitch * place.z));
  }
}

/* In a hollow box. */
static void place_jolt_high_speed(bench_step_maker *m, uint32_t bodies) {
  enum { KINDS = 3 };
  static const bench_piece_kind kinds[KINDS] = {BENCH_PIECE_BALL, BENCH_PIECE_BOX,
                                                BENCH_PIECE_CAPSULE};
  static const mo_vec3 sizes[KINDS] = {
      {0.5f, 0.5f, 0.5f}, {0.25f, 0.5f, 0.5f}, {0.125f, 0.125f, 0.5f}};
  const float half = 50 * cbrtf((float)bodies / 5000), thin = 0.2f, speed = 250;
  for (int side = -1; side <= 1; side += 2) {
    const float at = half * (float)side;
    bench_step_add(m, BENCH_PIECE_BOX, vec3(thin, half, half), 0, vec3(at, 0, 0));
    bench_step_add(m, BENCH_PIECE_BOX, vec3(half, thin, half), 0, vec3(0, at, 0));
    bench_step_add(m, BENCH_PIECE_BOX, vec3(half, half, thin), 0, vec3(0, 0, at));
  }
  m->scene->motion->confines = half - thin - 0.5f;
  for (uint32_t i = 0; i < bodies; i++) {
    const mo_vec3 at = random_point_in(&m->random, aabb_around(vec3(0, 0, 0), 0.9f * half));
    const uint32_t body = bench_step_add(m, kinds[i % KINDS], sizes[i % KINDS], 1, at);
    m->scene->start[body].rotation = bench_step_any_rotation(m);
    m->scene->motion->velocities[body] = vec3_scale(speed, random_direction(&m->random));
  }
}

/* Adds the hull of a cloud, scaled such that its farthest vertex is a metre from its centroid.
 * False: it is flat or nearly so, or has more vertices or edges than all engines take. */
static bool add_real_hull(bench_step_maker *m, const bench_cloud *cloud) {
  enum { MAX_VERTICES = 64, MAX_EDGES = 120 };
  mo_vec3 vertices[MAX_VERTICES];
  mo_hull *hull;
  mo_hull_info info;
  mo_hull_def def = mo_default_hull_def();
  def.positions = cloud->points;
  def.position_count = cloud->count;
  check(mo_hull_create(&def, &hull), "make a hull");
  check(mo_hull_get_info(hull, &info), "read a hull");
  bool is_fit = info.vertex_count <= MAX_VERTICES && info.edge_count <= MAX_EDGES;
  if (is_fit) {
    float reach = 0;
    check(mo_hull_get_vertices(hull, vertices, MAX_VERTICES, NULL), "read a hull");
    for (uint32_t i = 0; i < info.vertex_count; i++) {
      vertices[i] = vec3_sub(vertices[i], info.centroid);
      reach = fmaxf(reach, vec3_length(vertices[i]));
    }
    for (uint32_t i = 0; i < info.vertex_count; i++) {
      vertices[i] = vec3_scale(1 / reach, vertices[i]);
    }
    is_fit = info.volume > 0.1 * pow((double)reach, 3);
  }
  if (is_fit) {
    bench_step_add_hull(m, vertices, info.vertex_count);
  }
  mo_hull_release(hull);
  return is_fit;
}

/* Hulls of Jolt's own tests fall on a floor; they are taken in turns. */
static void place_jolt_hulls(bench_step_maker *m, uint32_t bodies) {
  const float pitch = 2.1f;
  const uint32_t columns = columns_of(bodies, 1);
  if (m->inputs.clouds == NULL) {
    bench_progress("without the scene jolt-hulls: no --data DIR has a folder jolt-hulls; "
                   "bench/DATA.md says where to get it");
    return;
  }
  bench_clouds clouds = bench_clouds_read(m->inputs.clouds);
  uint32_t count = 0;
  for (size_t i = 0; i < clouds.count && count < bodies; i++) {
    count += add_real_hull(m, &clouds.item[i]);
  }
  bench_clouds_free(&clouds);
  bench_step_add_floor(m, 0);
  for (uint32_t i = 0; i < bodies && count > 0; i++) {
    const mo_vec3 place = place_of(i, columns);
    const float first = -0.5f * pitch * (float)columns;
    const uint32_t body = bench_step_add_hull_body(
        m, i % count, 1,
        vec3(first + pitch * place.x, 1 + pitch * place.y, first + pitch * place.z));
    m->scene->start[body].rotation = bench_step_any_rotation(m);
  }
}

/* --- Bullet --- */

static void add_bullet_floor(bench_step_maker *m) {
  bench_step_add(m, BENCH_PIECE_BOX, vec3(250, 50, 250), 0, vec3(0, -50, 0));
}

/* Layers that are each a little off from the one below. */
typedef struct leaning_lattice {
  float size, spacing; /* of a body, between two */
  float growth;        /* of the spacing from layer to layer */
  float height;        /* of the first layer */
} leaning_lattice;

static mo_vec3 place_in(const leaning_lattice *l, uint32_t body, uint32_t columns) {
  const mo_vec3 place = place_of(body, columns);
  float spacing = l->spacing, offset = -0.5f * (float)columns * (l->size + spacing),
        height = l->height;
  for (float layer = 0; layer < place.y; layer++) {
    offset -= 0.05f * spacing * (float)(columns - 1);
    spacing *= l->growth;
    height += l->size + spacing;
  }
  return vec3(offset + place.x * (l->size + spacing), height,
              offset + place.z * (l->size + spacing));
}

static void place_bullet_boxes(bench_step_maker *m, uint32_t bodies) {
  static const leaning_lattice lattice = {2, 1, 1, 2};
  const uint32_t columns = columns_of(bodies, 47 / 8.0f);
  add_bullet_floor(m);
  for (uint32_t i = 0; i < bodies; i++) {
    bench_step_add(m, BENCH_PIECE_BOX, vec3(1, 1, 1), 2, place_in(&lattice, i, columns));
  }
}

static const mo_vec3 unit_box = {1, 1, 1};

static void add_bullet_pyramid(bench_step_maker *m, uint32_t height, float x) {
  const float pitch = 2.04f;
  for (uint32_t layer = 0; layer < height; layer++) {
    const uint32_t side = height - layer;
    const float first = -0.5f * pitch * (float)side;
    for (uint32_t i = 0; i < side * side; i++) {
      bench_step_add(m, BENCH_PIECE_BOX, unit_box, 1,
                     vec3(x + first + pitch * (float)(i % side), 1 + pitch * (float)layer,
                          first + pitch * (float)(i / side)));
    }
  }
}

static void add_bullet_wall(bench_step_maker *m, uint32_t height, float x) {
  for (uint32_t layer = 0; layer < height; layer++) {
    for (uint32_t i = 0; i < height - layer; i++) {
      bench_step_add(m, BENCH_PIECE_BOX, unit_box, 1,
                     vec3(x, 1 + 2 * (float)layer, (float)layer - (float)height + 2 * (float)i));
    }
  }
}

static void add_bullet_tower(bench_step_maker *m, uint32_t height, uint32_t sides, float x) {
  const float radius = 2.6f * (float)sides / turn;
  for (uint32_t i = 0; i < height * sides; i++) {
    const uint32_t layer = i / sides;
    const float angle = turn / (float)sides * ((float)(i % sides) + 0.5f * (float)layer);
    const uint32_t body =
        bench_step_add(m, BENCH_PIECE_BOX, unit_box, 1,
                       vec3(x + radius * sinf(angle), 1 + 2 * (float)layer, radius * cosf(angle)));
    m->scene->start[body].rotation = quat_around(vec3(0, 1, 0), angle);
  }
}

/* A pyramid, three walls and a round tower. */
static uint32_t count_stacks(uint32_t height) {
  return height * (height + 1) * (2 * height + 1) / 6 + 3 * height * (height + 1) / 2 +
         2 * height / 3 * 2 * height;
}

static void place_bullet_stacks(bench_step_maker *m, uint32_t bodies) {
  uint32_t height = 2;
  while (count_stacks(height + 1) <= bodies) {
    height++;
  }
  const float size = (float)height / 12;
  add_bullet_floor(m);
  add_bullet_pyramid(m, height, -20 * size);
  add_bullet_wall(m, height, -2 * size);
  add_bullet_wall(m, height, 4 * size);
  add_bullet_wall(m, height, 10 * size);
  add_bullet_tower(m, 2 * height / 3, 2 * height, 25 * size);
}

static const bone ragdoll[] = {
    {{0, 0.9f}, {0, 1.1f}, 0.15f, {0}, -1},                         /* pelvis */
    {{0, 1.06f}, {0, 1.34f}, 0.15f, {0, 1.15f}, 0},                 /* spine */
    {{0, 1.575f}, {0, 1.625f}, 0.1f, {0, 1.5f}, 1},                 /* head */
    {{-0.18f, 0.875f}, {-0.18f, 0.425f}, 0.07f, {-0.18f, 0.9f}, 0}, /* legs */
    {{-0.18f, 0.385f}, {-0.18f, 0.015f}, 0.05f, {-0.18f, 0.4f}, 3},
    {{0.18f, 0.875f}, {0.18f, 0.425f}, 0.07f, {0.18f, 0.9f}, 0},
    {{0.18f, 0.385f}, {0.18f, 0.015f}, 0.05f, {0.18f, 0.4f}, 5},
    {{-0.185f, 1.45f}, {-0.515f, 1.45f}, 0.05f, {-0.19f, 1.45f}, 1}, /* arms */
    {{-0.575f, 1.45f}, {-0.825f, 1.45f}, 0.04f, {-0.55f, 1.45f}, 7},
    {{0.185f, 1.45f}, {0.515f, 1.45f}, 0.05f, {0.19f, 1.45f}, 1},
    {{0.575f, 1.45f}, {0.825f, 1.45f}, 0.04f, {0.55f, 1.45f}, 9},
};

/* Rows of ragdolls one above the other, each row one shorter than the one below. */
static void place_bullet_ragdolls(bench_step_maker *m, uint32_t bodies) {
  enum { BONES = sizeof ragdoll / sizeof *ragdoll };
  uint32_t size = 1;
  while ((size + 1) * (size + 2) / 2 * BONES <= bodies) {
    size++;
  }
  add_bullet_floor(m);
  for (uint32_t row = 0; row < size; row++) {
    for (uint32_t i = 0; i < size - row; i++) {
      const mo_vec3 at = {6 * (float)i - 3 * (float)(size - row), 1 + 7 * (float)row,
                          -2 * (float)row};
      add_figure(m, ragdoll, BONES, 3.5f, at, 0);
    }
  }
}

/* Three rings of eight points, as Bullet's has. */
static uint32_t add_barrel(bench_step_maker *m) {
  enum { SIDES = 8, RINGS = 3 };
  static const float radii[RINGS] = {1.09f, 1.82f, 1.09f}, heights[RINGS] = {-1.99f, 0, 1.99f};
  mo_vec3 points[RINGS * SIDES];
  for (int i = 0; i < RINGS * SIDES; i++) {
    const float angle = turn * (float)(i / RINGS) / SIDES, radius = radii[i % RINGS];
    points[i] = vec3(radius * cosf(angle), heights[i % RINGS], radius * sinf(angle));
  }
  return bench_step_add_hull(m, points, RINGS * SIDES);
}

static void place_bullet_hulls(bench_step_maker *m, uint32_t bodies) {
  static const leaning_lattice lattice = {3, 1.5f, 1.01f, 3};
  const uint32_t columns = columns_of(bodies, 15 / 8.0f), barrel = add_barrel(m);
  add_bullet_floor(m);
  for (uint32_t i = 0; i < bodies; i++) {
    bench_step_add_hull_body(m, barrel, 1, place_in(&lattice, i, columns));
  }
}

static float landscape(float x, float z) {
  return 12 * sinf(x / 40) * cosf(z / 35) + 2 * sinf(x / 7 + 1) * sinf(z / 9) - 25;
}

static void add_bullet_landscape(bench_step_maker *m, uint32_t columns) {
  const uint32_t cells = 13 * columns;
  bench_mesh *ground = bench_step_generate_ground(cells, 3.9f * (float)cells, landscape);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, ground), vec3(0, 0, 0));
}

static mo_vec3 place_over_landscape(uint32_t body, uint32_t columns) {
  static const leaning_lattice lattice = {3, 2, 1.1f, 20};
  return vec3_add(vec3(0, 25, 0), vec3_mul(vec3(5, 1, 5), place_in(&lattice, body, columns)));
}

/* Boxes, balls and capsules of three sizes each. */
static void place_bullet_primitives_on_mesh(bench_step_maker *m, uint32_t bodies) {
  const uint32_t columns = columns_of(bodies, 1);
  add_bullet_landscape(m, columns);
  for (uint32_t i = 0; i < bodies; i++) {
    const mo_vec3 at = place_over_landscape(i, columns);
    const float size = 0.5f * (float)(1 + random_below(&m->random, 3));
    const uint32_t kind = random_below(&m->random, 3);
    if (kind == 2) {
      const uint32_t body =
          bench_step_add(m, BENCH_PIECE_CAPSULE, vec3(size, size, size), size, at);
      m->scene->start[body].rotation = upright();
    } else {
      bench_step_add(m, kind == 0 ? BENCH_PIECE_BOX : BENCH_PIECE_BALL,
                     vec3_scale(1.5f * size, unit_box), size, at);
    }
  }
}

static void place_bullet_hulls_on_mesh(bench_step_maker *m, uint32_t bodies) {
  const uint32_t columns = columns_of(bodies, 1), barrel = add_barrel(m);
  add_bullet_landscape(m, columns);
  for (uint32_t i = 0; i < bodies; i++) {
    bench_step_add_hull_body(m, barrel, 1, place_over_landscape(i, columns));
  }
}

/* --- PEEL --- */

/* Layers of hulls of four to forty points, which all engines take, from round to long and flat. */
static void place_peel_galore(bench_step_maker *m, uint32_t bodies) {
  enum { HULLS = 14, FEWEST = 4, MOST = 40 };
  const uint32_t columns = columns_of(bodies, 1);
  uint32_t hulls[HULLS];
  for (int i = 0; i < HULLS; i++) {
    mo_vec3 points[MOST];
    const uint32_t count = FEWEST + (MOST - FEWEST) * (uint32_t)i / (HULLS - 1);
    const mo_vec3 half = {1.5f, i % 3 == 1 ? 0.6f : 1.2f, i % 3 == 2 ? 0.6f : 1.2f};
    for (uint32_t k = 0; k < count; k++) {
      points[k] = vec3_mul(half, direction_of(k, count));
    }
    hulls[i] = bench_step_add_hull(m, points, count);
  }
  bench_step_add_floor(m, 0);
  for (uint32_t i = 0; i < bodies; i++) {
    const mo_vec3 place = place_of(i, columns);
    const float first = -0.5f * (float)columns;
    bench_step_add_hull_body(
        m, hulls[random_below(&m->random, HULLS)], 1,
        vec3(4 * (first + place.x), 1.5f + 3 * place.y, 4 * (first + place.z)));
  }
}

/* Balls, capsules and boxes on one triangle, five kilometres wide. */
static void place_peel_large_triangle(bench_step_maker *m, uint32_t bodies) {
  const uint32_t columns = (uint32_t)ceilf(sqrtf((float)bodies));
  bench_mesh *triangle = bench_step_allocate_mesh(3, 1);
  for (int i = 0; i < 3; i++) {
    const float angle = turn * (float)i / 3;
    triangle->triangles.positions[i] = vec3(5000 * cosf(angle), 0, -5000 * sinf(angle));
  }
  bench_step_triangle(triangle->triangles.indices, 0, 1, 2);
  bench_mesh_find_bounds(triangle);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, triangle), vec3(0, 0, 0));
  for (uint32_t i = 0; i < bodies; i++) {
    const float first = -2 * (float)columns;
    const mo_vec3 at = {first + 4 * (float)(i % columns), 2, first + 4 * (float)(i / columns)};
    if (i % 3 == 0) {
      bench_step_add(m, BENCH_PIECE_BALL, vec3(1, 1, 1), 1, at);
    } else if (i % 3 == 1) {
      bench_step_add(m, BENCH_PIECE_CAPSULE, vec3(1, 1, 1), 1, at);
    } else {
      bench_step_add(m, BENCH_PIECE_BOX, vec3(1, 1, 1), 1, at);
    }
  }
}

/* Thin rods, eight metres long, fall upright and outwards onto a fine mesh. */
static void place_peel_rods(bench_step_maker *m, uint32_t bodies) {
  const float size = sqrtf((float)bodies / 40);
  const uint32_t cells = (uint32_t)(120 * size) + 1;
  bench_mesh *ground = bench_step_generate_ground(cells, 0.25f * (float)cells, flat);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, ground), vec3(0, 0, 0));
  for (uint32_t i = 0; i < bodies; i++) {
    const float angle = turn * (float)i / (float)bodies;
    const mo_vec3 out = {cosf(angle), 0, sinf(angle)};
    const float away = 5 * size * sqrtf(random_between(&m->random, 0.2f, 1));
    const uint32_t rod = bench_step_add(m, BENCH_PIECE_BOX, vec3(0.04f, 4, 0.04f), 1,
                                        vec3_add(vec3(0, 5, 0), vec3_scale(away, out)));
    m->scene->motion->velocities[rod] = vec3_scale(4, out);
  }
}

const bench_step_recipe bench_engine_recipes[] = {
    /* published, skipped, substeps, friction, restitution */
    {"box3d-hulls", place_box3d_hulls, 5120, 120, 1, 0.6f, 0},
    {"box3d-rain", place_box3d_rain, 4200, 240, 4, 0.6f, 0},
    {"box3d-junkyard", place_box3d_junkyard, 10585, 180, 1, 0.6f, 0},
    {"jolt-pyramid", place_jolt_pyramid, 1240, 20, 1, 0.2f, 0},
    {"jolt-convex-vs-mesh", place_jolt_convex_vs_mesh, 1764, 100, 1, 0.5f, 0.6f},
    {"jolt-large-mesh", place_jolt_large_mesh, 4410, 180, 1, 0.5f, 0.6f},
    {"jolt-high-speed", place_jolt_high_speed, 5000, 0, 1, 0.7f, 0.95f},
    {"jolt-hulls", place_jolt_hulls, 1000, 30, 1, 0.5f, 0},
    {"bullet-boxes", place_bullet_boxes, 3008, 90, 1, 0.5f, 0},
    {"bullet-stacks", place_bullet_stacks, 1076, 0, 1, 0.5f, 0},
    {"bullet-ragdolls", place_bullet_ragdolls, 1496, 90, 4, 0.5f, 0},
    {"bullet-hulls", place_bullet_hulls, 960, 30, 1, 0.5f, 0},
    {"bullet-primitives-on-mesh", place_bullet_primitives_on_mesh, 1000, 240, 1, 0.5f, 0},
    {"bullet-hulls-on-mesh", place_bullet_hulls_on_mesh, 1000, 240, 1, 0.5f, 0},
    {"peel-galore", place_peel_galore, 1728, 60, 1, 0.5f, 0},
    {"peel-large-triangle", place_peel_large_triangle, 2, 20, 1, 1, 0},
    {"peel-rods", place_peel_rods, 40, 30, 1, 0.5f, 0},
    {.name = NULL},
};
