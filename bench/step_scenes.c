/* The scenes of the suite of physics steps. */
#include <math.h>

#include "common/vector.h"
#include "step_scenes.h"

/* Random points are drawn first in each scene, also where no hull is used, so that a seed places
 * the bodies where it did in earlier versions. */
static uint32_t add_pebble(bench_step_maker *m) {
  enum { POINTS = 16 };
  mo_vec3 points[POINTS];
  for (int i = 0; i < POINTS; i++) {
    points[i] = vec3_scale(0.4f, random_direction(&m->random));
  }
  return bench_step_add_hull(m, points, POINTS);
}

/* --- heaps --- */

/* Bodies start on a lattice, `pitch` apart, with so many columns along either axis. */
typedef struct heap {
  const bench_piece_kind *kinds;
  uint32_t kind_count, columns;
  float pitch, height;
  float max_half; /* of a body; the minimum is 0.2 */
  uint32_t hull;
} heap;

static void add_heap(bench_step_maker *m, uint32_t bodies, const heap *h) {
  const uint32_t columns = h->columns;
  for (uint32_t i = 0; i < bodies; i++) {
    uint32_t column = i % (columns * columns);
    struct random_stream *r = &m->random;
    mo_vec3 place =
        vec3((float)(column % columns) - 0.5f * (float)columns, (float)(i / (columns * columns)),
             (float)(column / columns) - 0.5f * (float)columns);
    mo_vec3 shift = vec3_scale(0.1f, random_direction(r));
    mo_vec3 at = vec3_add(vec3_scale(h->pitch, place), shift);
    bench_piece_kind kind = h->kinds[random_below(r, h->kind_count)];
    mo_vec3 half = {random_between(r, 0.2f, h->max_half), random_between(r, 0.2f, h->max_half),
                    random_between(r, 0.2f, h->max_half)};
    if (kind == BENCH_PIECE_CAPSULE) {
      half = vec3(0.7f * half.x, 0.7f * half.x, half.z);
    }
    at.y += h->height + 0.8f;
    uint32_t body = kind == BENCH_PIECE_HULL ? bench_step_add_hull_body(m, h->hull, 1, at)
                                             : bench_step_add(m, kind, half, 1, at);
    m->scene->start[body].rotation = bench_step_any_rotation(m);
    m->scene->motion->velocities[body] =
        vec3_add(vec3(0, -2, 0), vec3_scale(0.5f, random_direction(r)));
  }
}

static const float pitch = 0.95f;
enum { LAYERS = 8 };

static uint32_t columns_of(uint32_t bodies) {
  return (uint32_t)ceilf(sqrtf((float)bodies / LAYERS));
}

static void make_pile(bench_step_maker *m, uint32_t bodies) {
  static const bench_piece_kind kinds[] = {BENCH_PIECE_BOX, BENCH_PIECE_BALL};
  const uint32_t pebble = add_pebble(m);
  bench_step_add_floor(m, 0);
  add_heap(m, bodies, &(heap){kinds, 2, columns_of(bodies), pitch, 0, 0.35f, pebble});
}

/* --- triangles --- */

static float ground(float x, float z) {
  return 1.2f * sinf(0.4f * x) * sinf(0.4f * z) + 0.1f * sinf(1.7f * x + 0.5f) * cosf(2.1f * z);
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

static void make_terrain(bench_step_maker *m, uint32_t bodies) {
  static const bench_piece_kind kinds[] = {BENCH_PIECE_BOX, BENCH_PIECE_BALL, BENCH_PIECE_CAPSULE,
                                           BENCH_PIECE_CYLINDER, BENCH_PIECE_HULL};
  const float edge = 1.3f * pitch * (float)columns_of(bodies) + 2;
  const uint32_t pebble = add_pebble(m);
  bench_mesh *mesh;
  if (m->inputs.ground != NULL) {
    mesh = bench_mesh_load(m->inputs.ground);
    fit(mesh, edge);
  } else {
    mesh = bench_step_generate_ground((uint32_t)(edge / 0.6f) + 1, edge, ground);
  }
  bench_step_add_floor(m, mesh->bounds.lower.y - 0.1f);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, mesh), vec3(0, 0, 0));
  add_heap(m, bodies,
           &(heap){kinds, 5, columns_of(bodies), pitch, mesh->bounds.upper.y, 0.35f, pebble});
}

/* --- a bowl --- */

/* Of a bowl as full as one of 14 by 5,000 bodies. */
static float bowl_radius(uint32_t bodies) {
  return 14 * powf((float)bodies / 5000, 0.25f);
}

static float bowl_height(mo_vec3 at) {
  return 0.06f * (at.x * at.x + at.z * at.z);
}

/* Rings around a fan: 9,900 triangles at a radius of 14, and of the same size at others. */
static bench_mesh *generate_bowl(float radius) {
  const uint32_t rings = (uint32_t)ceilf(50 * radius / 14), sectors = 2 * rings;
  bench_mesh *mesh = bench_step_allocate_mesh(1 + rings * sectors, sectors * (2 * rings - 1));
  uint32_t *to = mesh->triangles.indices;
  for (uint32_t i = 0; i < rings * sectors; i++) {
    const uint32_t ring = i / sectors, sector = i % sectors, next = (sector + 1) % sectors;
    const uint32_t outer = 1 + ring * sectors, inner = outer - sectors;
    const float r = radius * (float)(ring + 1) / (float)rings,
                angle = 6.2831853f * (float)sector / (float)sectors;
    mo_vec3 at = vec3(r * cosf(angle), 0, r * sinf(angle));
    at.y = bowl_height(at);
    mesh->triangles.positions[outer + sector] = at;
    if (ring == 0) {
      to = bench_step_triangle(to, 0, outer + next, outer + sector);
    } else {
      to = bench_step_triangle(to, inner + sector, outer + next, outer + sector);
      to = bench_step_triangle(to, inner + sector, inner + next, outer + next);
    }
  }
  bench_mesh_find_bounds(mesh);
  return mesh;
}

static void make_bowl(bench_step_maker *m, uint32_t bodies) {
  static const bench_piece_kind kinds[] = {BENCH_PIECE_BOX, BENCH_PIECE_BALL, BENCH_PIECE_CAPSULE,
                                           BENCH_PIECE_HULL};
  const float apart = 1.1f, radius = bowl_radius(bodies);
  const uint32_t pebble = add_pebble(m);
  bench_step_add_floor(m, -1);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, generate_bowl(radius)), vec3(0, 0, 0));
  const uint32_t first = m->scene->count, columns = (uint32_t)(1.3f * radius / apart);
  add_heap(m, bodies, &(heap){kinds, 4, columns > 0 ? columns : 1, apart, 0, 0.42f, pebble});
  for (uint32_t i = first; i < m->scene->count; i++) {
    m->scene->start[i].position.y += bowl_height(m->scene->start[i].position);
  }
}

/* --- boxes that slide --- */

/* Cells of two triangles, cut along either diagonal. */
static bench_mesh *generate_floor(struct random_stream *random, uint32_t cells) {
  const float size = 1.25f;
  const uint32_t across = cells + 1;
  bench_mesh *mesh = bench_step_allocate_mesh(across * across, 2 * cells * cells);
  for (uint32_t i = 0; i < across * across; i++) {
    mesh->triangles.positions[i] = vec3(size * ((float)(i % across) - 0.5f * (float)cells), 0,
                                        size * ((float)(i / across) - 0.5f * (float)cells));
  }
  uint32_t *to = mesh->triangles.indices;
  for (uint32_t i = 0; i < cells * cells; i++) {
    const uint32_t a = i / cells * across + i % cells, b = a + 1, c = a + across, d = c + 1;
    bool rising = random_below(random, 2) == 0;
    to = bench_step_triangle(to, a, c, rising ? b : d);
    to = bench_step_triangle(to, b, rising ? c : a, d);
  }
  bench_mesh_find_bounds(mesh);
  return mesh;
}

static void make_slide(bench_step_maker *m, uint32_t bodies) {
  const float apart = 2;
  const mo_vec3 half = {0.3f, 0.2f, 0.3f};
  struct random_stream *r = &m->random;
  const uint32_t columns = (uint32_t)ceilf(sqrtf((float)bodies));
  add_pebble(m);
  bench_mesh *mesh = generate_floor(r, 4 * columns);
  bench_step_add_floor(m, -1);
  bench_step_add_mesh_body(m, bench_step_add_mesh(m, mesh), vec3(0, 0, 0));
  for (uint32_t i = 0; i < bodies; i++) {
    const float x = (float)(i % columns) - 0.5f * (float)columns,
                z = (float)(i / columns) - 0.5f * (float)columns,
                angle = random_between(r, 0, 6.2831853f);
    const uint32_t body =
        bench_step_add(m, BENCH_PIECE_BOX, half, 1, vec3(apart * x, half.y, apart * z));
    m->scene->start[body].rotation = quat_around(vec3(0, 1, 0), random_between(r, 0, 6.2831853f));
    m->scene->motion->velocities[body] = vec3(7 * cosf(angle), 0, 7 * sinf(angle));
  }
}

/* --- walls --- */

/* Bricks in a bond, side by side along x with a small gap, and a ball that flies at them. */
static void add_wall(bench_step_maker *m, uint32_t bricks, float middle) {
  const mo_vec3 half = {0.3f, 0.15f, 0.15f};
  const float gap = 0.001f;
  uint32_t rows = (uint32_t)sqrtf(0.625f * (float)bricks), columns;
  rows = rows > 0 ? rows : 1;
  columns = (bricks + rows - 1) / rows;
  for (uint32_t i = 0; i < bricks; i++) {
    uint32_t row = i / columns;
    float x = (float)(i % columns) - 0.5f * (float)columns + 0.5f * (float)(row % 2);
    bench_step_add(m, BENCH_PIECE_BOX, half, 1,
                   vec3(middle + (2 * half.x + gap) * x, half.y * (float)(2 * row + 1), 0));
  }
  float height = fmaxf(1, 0.3f * 2 * half.y * (float)rows);
  uint32_t ball = bench_step_add(m, BENCH_PIECE_BALL, vec3(1, 1, 1), 300, vec3(middle, height, -5));
  m->scene->motion->velocities[ball] = vec3(0, 0, 25);
}

static void make_walls(bench_step_maker *m, uint32_t bodies) {
  enum { MAX = 1000 };
  uint32_t walls = (bodies + MAX - 1) / MAX, left = bodies;
  add_pebble(m);
  bench_step_add_floor(m, 0);
  for (uint32_t i = 0; i < walls; i++) {
    uint32_t each = left / (walls - i);
    add_wall(m, each > 1 ? each - 1 : 1, 30 * ((float)i - 0.5f * (float)(walls - 1)));
    left -= each;
  }
}

/* --- scenes --- */

const bench_step_recipe bench_step_recipes[] = {
    {"pile", make_pile, 0, 0, 1, 0.5f, 0},  {"terrain", make_terrain, 0, 0, 1, 0.5f, 0},
    {"wall", make_walls, 0, 0, 1, 0.5f, 0}, {"bowl", make_bowl, 0, 0, 1, 0.5f, 0},
    {"slide", make_slide, 0, 0, 1, 0, 0},   {.name = NULL},
};
