#include "step_scenes.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "common/vector.h"

const char *const bench_step_names[BENCH_STEP_KINDS] = {"pile", "terrain", "wall"};

static const mo_quat unrotated = {0, 0, 0, 1};

typedef struct maker {
  bench_step_scene *scene;
  struct random_stream random;
} maker;

static bench_piece *add(maker *m, bench_piece_kind kind, mo_vec3 half, float mass,
                        mo_vec3 position) {
  bench_step_scene *s = m->scene;
  s->static_count += mass == 0;
  s->pieces[s->count] = (bench_piece){kind, half, mass};
  s->start[s->count] = (bench_pose){position, unrotated};
  return &s->pieces[s->count++];
}

/* A box so large that nothing leaves it, with its upper side at a height. */
static void add_floor(maker *m, float height) {
  add(m, BENCH_PIECE_BOX, vec3(1000, 10, 1000), 0, vec3(0, height - 10, 0));
}

static mo_quat any_rotation(struct random_stream *random) {
  return quat_around(random_direction(random), random_between(random, 0, 6.2831853f));
}

/* --- heaps --- */

/* Bodies start on a lattice, this far apart, in so many layers. */
static const float pitch = 0.95f;
enum { LAYERS = 8 };

static uint32_t columns_of(uint32_t bodies) {
  return (uint32_t)ceilf(sqrtf((float)bodies / LAYERS));
}

static void add_heap(maker *m, uint32_t bodies, const bench_piece_kind *kinds, uint32_t kind_count,
                     float height) {
  uint32_t columns = columns_of(bodies);
  for (uint32_t i = 0; i < bodies; i++) {
    uint32_t column = i % (columns * columns);
    struct random_stream *r = &m->random;
    mo_vec3 place =
        vec3((float)(column % columns) - 0.5f * (float)columns, (float)(i / (columns * columns)),
             (float)(column / columns) - 0.5f * (float)columns);
    mo_vec3 shift = vec3_scale(0.1f, random_direction(r));
    mo_vec3 at = vec3_add(vec3_scale(pitch, place), shift);
    bench_piece_kind kind = kinds[random_below(r, kind_count)];
    mo_vec3 half = {random_between(r, 0.2f, 0.35f), random_between(r, 0.2f, 0.35f),
                    random_between(r, 0.2f, 0.35f)};
    if (kind == BENCH_PIECE_CAPSULE) {
      half = vec3(0.7f * half.x, 0.7f * half.x, half.z);
    }
    add(m, kind, half, 1, vec3_add(at, vec3(0, height + 0.8f, 0)));
    m->scene->start[m->scene->count - 1].rotation = any_rotation(r);
    m->scene->velocities[m->scene->count - 1] =
        vec3_add(vec3(0, -2, 0), vec3_scale(0.5f, random_direction(r)));
  }
}

static void make_pile(maker *m, uint32_t bodies) {
  static const bench_piece_kind kinds[] = {BENCH_PIECE_BOX, BENCH_PIECE_BALL};
  add_floor(m, 0);
  add_heap(m, bodies, kinds, 2, 0);
}

/* --- triangles --- */

static float ground(float x, float z) {
  return 1.2f * sinf(0.4f * x) * sinf(0.4f * z) + 0.1f * sinf(1.7f * x + 0.5f) * cosf(2.1f * z);
}

/* A bumpy ground around the origin. */
static bench_mesh *generate_ground(float edge) {
  uint32_t cells = (uint32_t)(edge / 0.6f) + 1, across = cells + 1;
  bench_mesh *mesh = allocate(1, sizeof *mesh);
  struct triangles *t = &mesh->triangles;
  t->vertex_count = across * across;
  t->triangle_count = 2 * cells * cells;
  t->positions = allocate(t->vertex_count + 1, sizeof *t->positions);
  t->indices = allocate(3 * (size_t)t->triangle_count, sizeof *t->indices);
  for (uint32_t i = 0; i < t->vertex_count; i++) {
    float x = edge * ((float)(i % across) / (float)cells - 0.5f),
          z = edge * ((float)(i / across) / (float)cells - 0.5f);
    t->positions[i] = vec3(x, ground(x, z), z);
  }
  for (uint32_t i = 0, *to = t->indices; i < cells * cells; i++, to += 6) {
    uint32_t a = i / cells * across + i % cells, b = a + 1, c = a + across, d = c + 1;
    const uint32_t corners[6] = {a, c, b, b, c, d};
    for (int k = 0; k < 6; k++) {
      to[k] = corners[k];
    }
  }
  bench_mesh_find_bounds(mesh);
  return mesh;
}

/* Gives a mesh a width, and puts it around the origin. */
static void fit(bench_mesh *mesh, float edge) {
  mo_vec3 size = aabb_size(mesh->bounds), center = aabb_center(mesh->bounds);
  float scale = edge / fmaxf(size.x, size.z);
  for (uint32_t i = 0; i < mesh->triangles.vertex_count; i++) {
    mo_vec3 *p = &mesh->triangles.positions[i];
    *p = vec3_scale(scale, vec3_sub(*p, center));
  }
  bench_mesh_find_bounds(mesh);
}

static void make_terrain(maker *m, uint32_t bodies, bench_mesh *mesh) {
  static const bench_piece_kind kinds[] = {BENCH_PIECE_BOX, BENCH_PIECE_BALL, BENCH_PIECE_CAPSULE,
                                           BENCH_PIECE_CYLINDER, BENCH_PIECE_HULL};
  float edge = 1.3f * pitch * (float)columns_of(bodies) + 2;
  if (mesh != NULL) {
    fit(mesh, edge);
  } else {
    mesh = generate_ground(edge);
  }
  m->scene->mesh = mesh;
  add_floor(m, mesh->bounds.lower.y - 0.1f);
  add(m, BENCH_PIECE_MESH, vec3(0, 0, 0), 0, vec3(0, 0, 0));
  add_heap(m, bodies, kinds, 5, mesh->bounds.upper.y);
}

/* --- walls --- */

/* Bricks in a bond, side by side along x with a small gap, and a ball that flies at them. */
static void add_wall(maker *m, uint32_t bricks, float middle) {
  const mo_vec3 half = {0.3f, 0.15f, 0.15f};
  const float gap = 0.001f;
  uint32_t rows = (uint32_t)sqrtf(0.625f * (float)bricks), columns;
  rows = rows > 0 ? rows : 1;
  columns = (bricks + rows - 1) / rows;
  for (uint32_t i = 0; i < bricks; i++) {
    uint32_t row = i / columns;
    float x = (float)(i % columns) - 0.5f * (float)columns + 0.5f * (float)(row % 2);
    add(m, BENCH_PIECE_BOX, half, 1,
        vec3(middle + (2 * half.x + gap) * x, half.y * (float)(2 * row + 1), 0));
  }
  float height = fmaxf(1, 0.3f * 2 * half.y * (float)rows);
  add(m, BENCH_PIECE_BALL, vec3(1, 1, 1), 300, vec3(middle, height, -5));
  m->scene->velocities[m->scene->count - 1] = vec3(0, 0, 25);
}

static void make_walls(maker *m, uint32_t bodies) {
  enum { MAX = 1000 };
  uint32_t walls = (bodies + MAX - 1) / MAX, left = bodies;
  add_floor(m, 0);
  for (uint32_t i = 0; i < walls; i++) {
    uint32_t each = left / (walls - i);
    add_wall(m, each > 1 ? each - 1 : 1, 30 * ((float)i - 0.5f * (float)(walls - 1)));
    left -= each;
  }
}

/* --- scenes --- */

bench_step_scene *bench_step_scene_create(bench_step_kind kind, uint32_t bodies, bench_mesh *mesh,
                                          uint64_t seed) {
  enum { MAX_STATIC = 2, BALL = 1 };
  bench_step_scene *s = allocate(1, sizeof *s);
  uint32_t capacity = bodies + MAX_STATIC + BALL;
  s->pieces = allocate(capacity, sizeof *s->pieces);
  s->start = allocate(capacity, sizeof *s->start);
  s->velocities = allocate(capacity, sizeof *s->velocities);
  maker m = {s, random_from_seed(seed)};
  for (int i = 0; i < BENCH_STEP_HULL_POINTS; i++) {
    s->hull_points[i] = vec3_scale(0.4f, random_direction(&m.random));
  }
  mo_hull_def hull = mo_default_hull_def();
  hull.positions = s->hull_points;
  hull.position_count = BENCH_STEP_HULL_POINTS;
  check(mo_hull_create(&hull, &s->hull), "make a hull");
  if (kind == BENCH_STEP_PILE) {
    make_pile(&m, bodies);
  } else if (kind == BENCH_STEP_TERRAIN) {
    make_terrain(&m, bodies, mesh);
  } else {
    make_walls(&m, bodies);
  }
  return s;
}

void bench_step_scene_destroy(bench_step_scene *scene) {
  mo_hull_release(scene->hull);
  bench_mesh_free(scene->mesh);
  free(scene->pieces);
  free(scene->start);
  free(scene->velocities);
  free(scene->recorded);
  free(scene);
}
