#include "cloth-demo/cloth.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"

enum { AROUND = 48, UPWARD = 24, SPRING_ROUNDS = 16, PUSH_ROUNDS = 6 };

static const float width = 2.0f, drop = 0.5f, radius = 0.5f, floor_width = 6.0f;
static const float gap = 0.006f; /* at which triangles count as touching */
static const float friction = 0.4f, gravity = 9.81f;

/* The shape. */

static void add_triangle(struct triangles *to, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t corners[3] = {a, b, c};
  memcpy(&to->indices[3 * to->triangle_count++], corners, sizeof corners);
}

static void add_quad(struct triangles *to, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  add_triangle(to, a, b, c);
  add_triangle(to, a, c, d);
}

static void add_sheet(struct triangles *to, uint32_t cells, float side, float height) {
  const uint32_t first = to->vertex_count;
  for (uint32_t i = 0; i <= cells; i++) {
    for (uint32_t k = 0; k <= cells; k++) {
      to->positions[to->vertex_count++] = vec3(side * ((float)i / (float)cells - 0.5f), height,
                                               side * ((float)k / (float)cells - 0.5f));
    }
  }
  for (uint32_t i = 0; i < cells; i++) {
    for (uint32_t k = 0; k < cells; k++) {
      const uint32_t a = first + i * (cells + 1) + k, b = a + cells + 1;
      add_quad(to, a, a + 1, b + 1, b);
    }
  }
}

/* Around the origin, without the poles, which no cloth can reach into. */
static void add_ball(struct triangles *to) {
  const uint32_t first = to->vertex_count;
  for (uint32_t i = 0; i <= UPWARD; i++) {
    for (uint32_t k = 0; k < AROUND; k++) {
      const float up = 3.1415927f * ((float)i + 0.02f) / ((float)UPWARD + 0.04f),
                  turn = 6.2831853f * (float)k / AROUND;
      to->positions[to->vertex_count++] =
          vec3(radius * sinf(up) * cosf(turn), radius * cosf(up), radius * sinf(up) * sinf(turn));
    }
  }
  for (uint32_t i = 0; i < UPWARD; i++) {
    for (uint32_t k = 0; k < AROUND; k++) {
      const uint32_t a = first + i * AROUND + k, b = first + i * AROUND + (k + 1) % AROUND;
      add_quad(to, a, b, b + AROUND, a + AROUND);
    }
  }
}

static void add_spring(struct cloth *cloth, uint32_t a, uint32_t b) {
  const mo_vec3 *at = cloth->all.positions;
  cloth->springs[cloth->spring_count++] =
      (struct spring){a, b, vec3_length(vec3_sub(at[b], at[a]))};
}

/* Along both sides of each cell, both of its diagonals, and over two cells against bending. */
static void add_springs(struct cloth *cloth, uint32_t cells) {
  const uint32_t row = cells + 1;
  for (uint32_t i = 0; i < row; i++) {
    for (uint32_t k = 0; k < row; k++) {
      const uint32_t at = i * row + k;
      for (uint32_t far = 1; far <= 2; far++) {
        if (i + far < row) {
          add_spring(cloth, at, at + far * row);
        }
        if (k + far < row) {
          add_spring(cloth, at, at + far);
        }
      }
      if (i + 1 < row && k + 1 < row) {
        add_spring(cloth, at, at + row + 1);
        add_spring(cloth, at + 1, at + row);
      }
    }
  }
}

static mo_swept_mesh *make_swept(const struct triangles *all) {
  mo_swept_mesh_def def = mo_default_swept_mesh_def();
  mo_swept_mesh *mesh;
  def.positions = all->positions;
  def.vertex_count = all->vertex_count;
  def.indices = all->indices;
  def.triangle_count = all->triangle_count;
  check(mo_swept_mesh_create(&def, &mesh), "make a swept mesh");
  return mesh;
}

struct cloth cloth_create(uint32_t cells) {
  const uint32_t vertices = (cells + 1) * (cells + 1) + (UPWARD + 1) * AROUND + 4,
                 triangles = 2 * (cells * cells + UPWARD * AROUND + 1);
  struct cloth cloth = {.all = {.positions = allocate(vertices, sizeof(mo_vec3)),
                                .indices = allocate(3 * (size_t)triangles, sizeof(uint32_t))}};
  add_sheet(&cloth.all, cells, width, radius + drop);
  cloth.own_vertices = cloth.all.vertex_count;
  cloth.own_triangles = cloth.all.triangle_count;
  cloth.springs = allocate(6 * (size_t)cloth.own_vertices, sizeof *cloth.springs);
  add_springs(&cloth, cells);
  add_ball(&cloth.all);
  add_sheet(&cloth.all, 1, floor_width, -1.02f * radius);
  cloth.end = allocate(vertices, sizeof *cloth.end);
  cloth.velocity = allocate(cloth.own_vertices, sizeof *cloth.velocity);
  memset(cloth.velocity, 0, cloth.own_vertices * sizeof *cloth.velocity);
  cloth.swept = make_swept(&cloth.all);
  cloth.impact_capacity = 16 * triangles;
  cloth.impacts = allocate(cloth.impact_capacity, sizeof *cloth.impacts);
  return cloth;
}

void cloth_destroy(struct cloth *cloth) {
  mo_swept_mesh_destroy(cloth->swept);
  free(cloth->all.positions);
  free(cloth->all.indices);
  free(cloth->springs);
  free(cloth->end);
  free(cloth->velocity);
  free(cloth->impacts);
}

/* The step. */

static void fall(struct cloth *cloth, float seconds) {
  memcpy(cloth->end, cloth->all.positions, cloth->all.vertex_count * sizeof *cloth->end);
  for (uint32_t i = 0; i < cloth->own_vertices; i++) {
    cloth->velocity[i].y -= gravity * seconds;
    cloth->end[i] = vec3_add(cloth->end[i], vec3_scale(seconds, cloth->velocity[i]));
  }
}

static void pull(struct cloth *cloth) {
  for (uint32_t i = 0; i < cloth->spring_count; i++) {
    const struct spring *s = &cloth->springs[i];
    const mo_vec3 between = vec3_sub(cloth->end[s->b], cloth->end[s->a]);
    const float length = vec3_length(between);
    const mo_vec3 by =
        vec3_scale(length > 0.0f ? 0.5f * (1.0f - s->length / length) : 0.0f, between);
    cloth->end[s->a] = vec3_add(cloth->end[s->a], by);
    cloth->end[s->b] = vec3_sub(cloth->end[s->b], by);
  }
}

/* What stands still does not meet. */
static bool may_meet(uint32_t triangle, uint32_t other, void *context) {
  const struct cloth *cloth = context;
  return triangle < cloth->own_triangles || other < cloth->own_triangles;
}

/* The impacts of what moves from where it is to `end`. */
static uint32_t find_impacts(struct cloth *cloth) {
  mo_swept_impact_def def = mo_default_swept_impact_def();
  uint32_t total;
  def.other = cloth->swept;
  def.slop = gap;
  def.accept = may_meet;
  def.context = cloth;
  check(mo_swept_mesh_move(cloth->swept, cloth->all.positions, cloth->end, sizeof(mo_vec3),
                           cloth->all.vertex_count, NULL, NULL),
        "move the swept mesh");
  check(mo_swept_mesh_find_impacts(cloth->swept, &def, cloth->impacts, cloth->impact_capacity,
                                   &total, NULL),
        "find impacts");
  return total < cloth->impact_capacity ? total : cloth->impact_capacity;
}

/* The share of each corner of a triangle in a point of it. */
static void find_shares(const mo_vec3 corner[3], mo_vec3 point, float share[3]) {
  const mo_vec3 n = vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0]));
  float sum = 0.0f;
  for (int i = 0; i < 3; i++) {
    const mo_vec3 from = corner[(i + 1) % 3], to = corner[(i + 2) % 3];
    share[i] = fmaxf(0.0f, vec3_dot(n, vec3_cross(vec3_sub(to, from), vec3_sub(point, from))));
    sum += share[i];
  }
  for (int i = 0; i < 3; i++) {
    share[i] = sum > 0.0f ? share[i] / sum : 1.0f / 3.0f;
  }
}

/* How the point of an impact moves with a triangle. Adds what a unit of push there moves it. */
static mo_vec3 movement_at(const struct cloth *cloth, const mo_swept_impact *impact,
                           uint32_t triangle, float share[3], float *ease) {
  const uint32_t *v = &cloth->all.indices[3 * triangle];
  mo_vec3 corner[3], movement = vec3(0.0f, 0.0f, 0.0f);
  for (int i = 0; i < 3; i++) {
    corner[i] = vec3_mix(cloth->all.positions[v[i]], cloth->end[v[i]], impact->t);
  }
  find_shares(corner, impact->point, share);
  for (int i = 0; i < 3; i++) {
    const mo_vec3 by = vec3_sub(cloth->end[v[i]], cloth->all.positions[v[i]]);
    movement = vec3_add(movement, vec3_scale(share[i], by));
    *ease += v[i] < cloth->own_vertices ? share[i] * share[i] : 0.0f;
  }
  return movement;
}

static void push_triangle(struct cloth *cloth, uint32_t triangle, const float share[3],
                          mo_vec3 by) {
  const uint32_t *v = &cloth->all.indices[3 * triangle];
  for (int i = 0; i < 3; i++) {
    if (v[i] < cloth->own_vertices) {
      cloth->end[v[i]] = vec3_add(cloth->end[v[i]], vec3_scale(share[i], by));
    }
  }
}

/* Ends the approach of two triangles, and holds them by friction. */
static void push(struct cloth *cloth, const mo_swept_impact *impact) {
  float share[2][3], ease = 0.0f;
  const mo_vec3 a = movement_at(cloth, impact, impact->triangle, share[0], &ease),
                b = movement_at(cloth, impact, impact->other_triangle, share[1], &ease),
                relative = vec3_sub(b, a);
  const float approach = -vec3_dot(impact->normal, relative);
  if (approach <= 0.0f || ease <= 0.0f) {
    return;
  }
  const mo_vec3 slide = vec3_add(relative, vec3_scale(approach, impact->normal));
  const float length = vec3_length(slide),
              held = length > 0.0f ? fminf(1.0f, friction * approach / length) : 0.0f;
  const mo_vec3 by = vec3_scale(
      0.5f / ease, vec3_sub(vec3_scale(approach, impact->normal), vec3_scale(held, slide)));
  push_triangle(cloth, impact->triangle, share[0], vec3_scale(-1.0f, by));
  push_triangle(cloth, impact->other_triangle, share[1], by);
}

/* Leaves the corners of both triangles where they are. Returns how many have moved. */
static uint32_t stop(struct cloth *cloth, const mo_swept_impact *impact) {
  uint32_t stopped = 0;
  for (int i = 0; i < 6; i++) {
    const uint32_t triangle = i < 3 ? impact->triangle : impact->other_triangle,
                   v = cloth->all.indices[3 * triangle + (uint32_t)i % 3];
    if (memcmp(&cloth->end[v], &cloth->all.positions[v], sizeof(mo_vec3)) != 0) {
      cloth->end[v] = cloth->all.positions[v];
      stopped++;
    }
  }
  return stopped;
}

/* Pushes apart what would meet; what still does in the end stays where it is. Triangles that begin
 * apart have no impact while they stand still, so this ends. */
static struct cloth_step keep_apart(struct cloth *cloth) {
  struct cloth_step step = {0};
  for (uint32_t found = find_impacts(cloth); found > 0; found = find_impacts(cloth)) {
    step.impacts = step.rounds == 0 ? found : step.impacts;
    step.rounds++;
    for (uint32_t i = 0; i < found; i++) {
      if (step.rounds <= PUSH_ROUNDS) {
        push(cloth, &cloth->impacts[i]);
      } else {
        step.stopped += stop(cloth, &cloth->impacts[i]);
      }
    }
  }
  return step;
}

struct cloth_step cloth_step(struct cloth *cloth, float seconds) {
  fall(cloth, seconds);
  for (int i = 0; i < SPRING_ROUNDS; i++) {
    pull(cloth);
  }
  const struct cloth_step step = keep_apart(cloth);
  for (uint32_t i = 0; i < cloth->own_vertices; i++) {
    const mo_vec3 by = vec3_sub(cloth->end[i], cloth->all.positions[i]);
    cloth->velocity[i] = vec3_scale(0.995f / seconds, by);
  }
  memcpy(cloth->all.positions, cloth->end, cloth->all.vertex_count * sizeof *cloth->end);
  return step;
}

bool cloth_is_tangled(const struct cloth *cloth) {
  mo_mesh *mesh = triangles_to_mesh(&cloth->all);
  bool found;
  check(mo_mesh_test_overlap_self(mesh, &found, NULL), "look for triangles that overlap");
  mo_mesh_release(mesh);
  return found;
}
