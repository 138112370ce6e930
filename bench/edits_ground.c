#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/random.h"
#include "edits.h"
#include "text.h"

enum {
  SPAN = 10,  /* cells along a side of a square */
  PITCH = 12, /* from one square to the next: between them the ground stays */
  CORNERS = (SPAN + 1) * (SPAN + 1),
  SQUARE_TRIANGLES = 2 * SPAN * SPAN,
  WALL_TRIANGLES = 8 * SPAN,
};

static const float DEPTH = 0.8f;

struct bench_ground {
  bench_edit_kind kind;
  uint32_t cells; /* along a side; of one unit */
  mo_vec3 *positions;
  uint32_t vertex_count, vertex_capacity;
  uint32_t *indices;
  bool *is_removed;
  uint32_t triangle_count, triangle_capacity;
  uint32_t *squares; /* in random order */
  uint32_t square_count, next;
  mo_mesh_edit_def edit;
  uint32_t vertices[CORNERS], triangles[SQUARE_TRIANGLES];
  mo_vec3 new_positions[CORNERS];
  uint32_t replaced[3 * SQUARE_TRIANGLES], walls[3 * WALL_TRIANGLES];
};

const char *bench_edit_name(unsigned kind) {
  static const char *const names[BENCH_EDITS] = {"sink", "dig", "remove"};
  return kind < BENCH_EDITS ? names[kind] : NULL;
}

static float height_at(float x, float z) {
  return 2 * sinf(0.11f * x) * sinf(0.07f * z) + 0.3f * sinf(1.3f * x + 0.9f * z);
}

static void shuffle(uint32_t *items, uint32_t count, uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  for (uint32_t i = 0; i < count; i++) {
    const float at = random_between(&random, 0, 1);
    uint32_t with = i + (uint32_t)(at * (float)(count - i));
    with = with < count ? with : count - 1;
    const uint32_t item = items[i];
    items[i] = items[with];
    items[with] = item;
  }
}

bench_ground *bench_ground_create(uint32_t triangles, bench_edit_kind kind, uint64_t seed) {
  bench_ground *self = allocate(1, sizeof *self);
  const uint32_t side = (uint32_t)sqrt(0.5 * triangles) / SPAN,
                 cells = (side > 0 ? side : 1) * SPAN;
  self->kind = kind;
  self->cells = cells;
  self->square_count = (cells / PITCH) * (cells / PITCH);
  self->vertex_count = (cells + 1) * (cells + 1);
  self->triangle_count = 2 * cells * cells;
  self->vertex_capacity = self->vertex_count + self->square_count * CORNERS;
  self->triangle_capacity = self->triangle_count + self->square_count * WALL_TRIANGLES;
  self->positions = allocate(self->vertex_capacity, sizeof *self->positions);
  self->indices = allocate(3 * (size_t)self->triangle_capacity, sizeof *self->indices);
  self->is_removed = allocate(self->triangle_capacity, sizeof *self->is_removed);
  self->squares = allocate(self->square_count, sizeof *self->squares);
  for (uint32_t i = 0; i < self->vertex_count; i++) {
    const float x = (float)(i % (cells + 1)), z = (float)(i / (cells + 1));
    self->positions[i] = (mo_vec3){x, height_at(x, z), z};
  }
  for (uint32_t i = 0; i < cells * cells; i++) {
    const uint32_t a = i / cells * (cells + 1) + i % cells, b = a + 1, c = a + cells + 1, d = c + 1;
    const uint32_t corners[6] = {a, c, b, b, c, d};
    memcpy(&self->indices[6 * (size_t)i], corners, sizeof corners);
  }
  for (uint32_t i = 0; i < self->square_count; i++) {
    self->squares[i] = i;
  }
  shuffle(self->squares, self->square_count, seed);
  return self;
}

void bench_ground_free(bench_ground *self) {
  free(self->positions);
  free(self->indices);
  free(self->is_removed);
  free(self->squares);
  free(self);
}

uint32_t bench_ground_squares(const bench_ground *self) {
  return self->square_count;
}

/* Vertices and triangles of a square, row by row. */
static void find_square(bench_ground *self, uint32_t square) {
  const uint32_t row_of_squares = self->cells / PITCH;
  const uint32_t x = square % row_of_squares * PITCH + 1, z = square / row_of_squares * PITCH + 1;
  for (uint32_t i = 0; i < CORNERS; i++) {
    self->vertices[i] = (z + i / (SPAN + 1)) * (self->cells + 1) + x + i % (SPAN + 1);
  }
  for (uint32_t i = 0; i < SQUARE_TRIANGLES; i++) {
    const uint32_t cell = (z + i / 2 / SPAN) * self->cells + x + i / 2 % SPAN;
    self->triangles[i] = 2 * cell + i % 2;
  }
}

static void lower_corners(bench_ground *self) {
  for (uint32_t i = 0; i < CORNERS; i++) {
    self->new_positions[i] = self->positions[self->vertices[i]];
    self->new_positions[i].y -= DEPTH;
  }
}

/* The corners of a square inside its border. */
static void sink(bench_ground *self) {
  uint32_t count = 0;
  lower_corners(self);
  for (uint32_t i = 0; i < CORNERS; i++) {
    const uint32_t x = i % (SPAN + 1), z = i / (SPAN + 1);
    if (x > 0 && x < SPAN && z > 0 && z < SPAN) {
      self->vertices[count] = self->vertices[i];
      self->new_positions[count++] = self->new_positions[i];
      self->positions[self->vertices[count - 1]] = self->new_positions[count - 1];
    }
  }
  self->edit.moved_vertices = self->vertices;
  self->edit.moved_positions = self->new_positions;
  self->edit.moved_vertex_count = count;
}

/* Two triangles of a wall, from a corner of the square to the next. */
static void add_wall(bench_ground *self, uint32_t i, uint32_t next) {
  const uint32_t low = self->vertex_count + i, low_next = self->vertex_count + next;
  const uint32_t corners[6] = {
      self->vertices[i], self->vertices[next], low, self->vertices[next], low_next, low};
  memcpy(&self->walls[3 * (size_t)self->edit.added_triangle_count], corners, sizeof corners);
  self->edit.added_triangle_count += 2;
}

static void add_walls(bench_ground *self) {
  for (uint32_t i = 0; i < SPAN; i++) {
    const uint32_t row = SPAN + 1, last = SPAN * row;
    add_wall(self, i, i + 1);
    add_wall(self, last + i + 1, last + i);
    add_wall(self, (i + 1) * row, i * row);
    add_wall(self, i * row + SPAN, (i + 1) * row + SPAN);
  }
}

static void dig(bench_ground *self) {
  lower_corners(self);
  add_walls(self);
  for (uint32_t i = 0; i < SQUARE_TRIANGLES; i++) {
    const uint32_t a = i / 2 / SPAN * (SPAN + 1) + i / 2 % SPAN, b = a + 1, c = a + SPAN + 1;
    const uint32_t corners[2][3] = {{a, c, b}, {b, c, c + 1}};
    for (int k = 0; k < 3; k++) {
      self->replaced[3 * i + (uint32_t)k] = self->vertex_count + corners[i % 2][k];
    }
    memcpy(&self->indices[3 * (size_t)self->triangles[i]], &self->replaced[3 * i],
           3 * sizeof *self->replaced);
  }
  memcpy(&self->indices[3 * (size_t)self->triangle_count], self->walls, sizeof self->walls);
  memcpy(&self->positions[self->vertex_count], self->new_positions, sizeof self->new_positions);
  self->edit.added_positions = self->new_positions;
  self->edit.added_vertex_count = CORNERS;
  self->edit.replaced_triangles = self->triangles;
  self->edit.replaced_indices = self->replaced;
  self->edit.replaced_triangle_count = SQUARE_TRIANGLES;
  self->edit.added_indices = self->walls;
  self->vertex_count += CORNERS;
  self->triangle_count += WALL_TRIANGLES;
}

static void cut(bench_ground *self) {
  for (uint32_t i = 0; i < SQUARE_TRIANGLES; i++) {
    self->is_removed[self->triangles[i]] = true;
  }
  self->edit.removed_triangles = self->triangles;
  self->edit.removed_triangle_count = SQUARE_TRIANGLES;
}

const mo_mesh_edit_def *bench_ground_edit(bench_ground *self) {
  self->edit = mo_default_mesh_edit_def();
  find_square(self, self->squares[self->next++]);
  switch (self->kind) {
  case BENCH_EDIT_SINK:
    sink(self);
    break;
  case BENCH_EDIT_DIG:
    dig(self);
    break;
  case BENCH_EDIT_REMOVE:
  case BENCH_EDITS:
    cut(self);
    break;
  }
  return &self->edit;
}

bench_mesh *bench_ground_mesh(const bench_ground *self) {
  struct triangles to = {.vertex_count = self->vertex_count};
  to.positions = allocate((size_t)self->vertex_count + 1, sizeof *to.positions);
  to.indices = allocate(3 * (size_t)self->triangle_count, sizeof *to.indices);
  memcpy(to.positions, self->positions, self->vertex_count * sizeof *to.positions);
  for (uint32_t i = 0; i < self->triangle_count; i++) {
    if (!self->is_removed[i]) {
      memcpy(&to.indices[3 * (size_t)to.triangle_count++], &self->indices[3 * (size_t)i],
             3 * sizeof *to.indices);
    }
  }
  return bench_mesh_of(to, bench_format("ground"));
}
