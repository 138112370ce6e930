/* Random height fields, and meshes of the same triangles by their definition in
 * motte/height_field.h. Triangles of holes are not in the mesh, so its triangles have other
 * numbers, in the same order. */
#ifndef TEST_MESH_HEIGHT_HEIGHTS_H
#define TEST_MESH_HEIGHT_HEIGHTS_H

#include <criterion/criterion.h>
#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"

typedef struct heights {
  mo_height_field_def def;
  float *floats;
  uint16_t *shorts;
  uint8_t *flags, *materials;
  mo_mesh *field;
  mo_mesh *mesh;        /* built with `edges` */
  uint32_t *field_of;   /* by triangle of the mesh: its number in the field */
  uint32_t *mesh_of;    /* by triangle of the field; MO_NO_TRIANGLE in holes */
  uint32_t mesh_count;  /* triangles of the mesh */
  uint32_t field_count; /* triangles of the field, those of holes too */
} heights;

typedef enum heights_kind {
  HEIGHTS_ROUGH,
  HEIGHTS_HILLS,
  HEIGHTS_STEPS,
  HEIGHTS_FLAT,
  HEIGHTS_SLOPE,
  HEIGHTS_KINDS,
} heights_kind;

/* A height between 0 and 1. */
static inline float heights_sample(rng *r, heights_kind kind, uint32_t column, uint32_t row) {
  switch (kind) {
  case HEIGHTS_ROUGH:
    return rng_float(r, 0, 1);
  case HEIGHTS_HILLS:
    return 0.5f + 0.25f * sinf(0.4f * (float)column) + 0.25f * sinf(0.3f * (float)row);
  case HEIGHTS_STEPS:
    return (float)((column / 3 + row / 2) % 4) / 4;
  case HEIGHTS_SLOPE:
    return (float)(column + 2 * row) / 65536;
  case HEIGHTS_FLAT:
  case HEIGHTS_KINDS:
    break;
  }
  return 0.5f;
}

static inline size_t heights_cells(const heights *h) {
  return (size_t)(h->def.columns - 1) * (h->def.rows - 1);
}

/* The vertex of a sample: products and sums rounded one by one. */
static inline mo_vec3 heights_vertex(const heights *h, uint32_t column, uint32_t row) {
  const size_t at = (size_t)row * h->def.columns + column;
  volatile float x = (float)column * h->def.column_spacing, z = (float)row * h->def.row_spacing, y;
  if (h->def.type == MO_HEIGHT_FLOAT) {
    y = h->floats[at];
  } else {
    y = (float)h->shorts[at] * h->def.scale;
    y = y + h->def.offset;
  }
  return (mo_vec3){x, y, z};
}

/* The corners of a triangle of the field. */
static inline void heights_triangle(const heights *h, uint32_t triangle, mo_vec3 corner[3]) {
  const uint32_t columns = h->def.columns - 1, cell = triangle / 2, column = cell % columns,
                 row = cell / columns;
  bool backward = h->def.diagonal == MO_HEIGHT_DIAGONAL_BACKWARD ||
                  (h->def.diagonal == MO_HEIGHT_DIAGONAL_ALTERNATE && (row + column) % 2 == 1);
  if (h->flags != NULL && (h->flags[cell] & MO_HEIGHT_CELL_FLIPPED)) {
    backward = !backward;
  }
  const mo_vec3 low = heights_vertex(h, column, row), right = heights_vertex(h, column + 1, row),
                up = heights_vertex(h, column, row + 1),
                high = heights_vertex(h, column + 1, row + 1);
  if (triangle % 2 == 0) {
    corner[0] = low;
    corner[1] = up;
    corner[2] = backward ? right : high;
  } else {
    corner[0] = backward ? high : low;
    corner[1] = backward ? right : high;
    corner[2] = backward ? up : right;
  }
}

static inline bool heights_has(const heights *h, uint32_t triangle) {
  return h->flags == NULL || !(h->flags[triangle / 2] & MO_HEIGHT_CELL_HOLE);
}

/* Makes the mesh of the field's triangles as they are now. */
static inline void heights_make_mesh(heights *h, bool compact) {
  mo_vec3 *corners = malloc((3 * (size_t)h->field_count + 1) * sizeof *corners);
  uint32_t *user_data = malloc((h->field_count + 1) * sizeof *user_data);
  h->mesh_count = 0;
  for (uint32_t t = 0; t < h->field_count; t++) {
    h->mesh_of[t] = MO_NO_TRIANGLE;
    if (heights_has(h, t)) {
      heights_triangle(h, t, &corners[3 * (size_t)h->mesh_count]);
      user_data[h->mesh_count] = h->materials != NULL ? h->materials[t / 2] : 0;
      h->field_of[h->mesh_count] = t;
      h->mesh_of[t] = h->mesh_count++;
    }
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = 3 * h->mesh_count;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = h->mesh_count;
  def.triangle_user_data = user_data;
  def.build.edges = true;
  def.build.compact = compact;
  cr_assert_eq(mo_mesh_create(&def, &h->mesh), MO_OK);
  free(corners);
  free(user_data);
}

/* Says what mo_mesh_validate finds. */
static inline void heights_log(mo_log_level level, const char *message, void *context) {
  (void)context;
  if (level == MO_LOG_WARNING) {
    fprintf(stderr, "%s\n", message);
  }
}

/* A field of `columns` x `rows` samples, and its mesh. `holes` is the share of cells that are
 * holes; if negative, the share of cells after which all others are. */
static inline heights heights_make(rng *r, heights_kind kind, uint32_t columns, uint32_t rows,
                                   double holes) {
  heights h = {.def = mo_default_height_field_def()};
  const size_t count = (size_t)columns * rows, cells = (size_t)(columns - 1) * (rows - 1);
  const float height = rng_float(r, 0.1f, 4);
  h.def.host.log = heights_log;
  h.def.isa = rng_chance(r, 0.3) ? MO_ISA_SCALAR : MO_ISA_AUTO; /* the mesh has the best one */
  h.def.columns = columns;
  h.def.rows = rows;
  h.def.type = rng_chance(r, 0.5) ? MO_HEIGHT_FLOAT : MO_HEIGHT_U16;
  h.def.column_spacing = rng_chance(r, 0.5) ? 1.0f : rng_float(r, 0.3f, 2);
  h.def.row_spacing = rng_chance(r, 0.5) ? 1.0f : rng_float(r, 0.3f, 2);
  h.def.scale = h.def.type == MO_HEIGHT_U16 ? height / 65535 : 1.0f;
  h.def.offset = h.def.type == MO_HEIGHT_U16 ? rng_float(r, -3, 3) : 0.0f;
  h.def.diagonal = (mo_height_diagonal)rng_below(r, 3);
  h.floats = malloc(count * sizeof *h.floats);
  h.shorts = malloc(count * sizeof *h.shorts);
  for (size_t i = 0; i < count; i++) {
    const float sample = heights_sample(r, kind, (uint32_t)(i % columns), (uint32_t)(i / columns));
    h.floats[i] = height * sample;
    h.shorts[i] = (uint16_t)(65535 * sample);
  }
  h.def.samples = h.def.type == MO_HEIGHT_U16 ? (const void *)h.shorts : h.floats;
  if (holes != 0 || rng_chance(r, 0.3)) {
    const double flips = rng_chance(r, 0.5) ? 0.3 : 0.0;
    h.flags = malloc(cells);
    for (size_t i = 0; i < cells; i++) {
      const bool is_hole = holes < 0 ? (double)i >= -holes * (double)cells : rng_chance(r, holes);
      h.flags[i] = (uint8_t)((is_hole ? MO_HEIGHT_CELL_HOLE : 0) |
                             (rng_chance(r, flips) ? MO_HEIGHT_CELL_FLIPPED : 0));
    }
  }
  if (rng_chance(r, 0.5)) {
    h.materials = malloc(cells);
    for (size_t i = 0; i < cells; i++) {
      h.materials[i] = (uint8_t)rng_below(r, 3);
    }
  }
  h.def.cell_flags = h.flags;
  h.def.materials = h.materials;
  h.field_count = 2 * (uint32_t)cells;
  h.field_of = malloc(h.field_count * sizeof *h.field_of);
  h.mesh_of = malloc(h.field_count * sizeof *h.mesh_of);
  cr_assert_eq(mo_mesh_create_height_field(&h.def, &h.field), MO_OK);
  heights_make_mesh(&h, rng_chance(r, 0.3));
  return h;
}

static inline void heights_free(heights *h) {
  mo_mesh_release(h->field);
  mo_mesh_release(h->mesh);
  free(h->floats);
  free(h->shorts);
  free(h->flags);
  free(h->materials);
  free(h->field_of);
  free(h->mesh_of);
}

/* Any size that matters: one cell, one row, blocks and nodes that are cut off, several levels. */
static inline heights heights_any(rng *r) {
  static const uint32_t sizes[] = {2, 3, 4, 5, 8, 9, 10, 13, 17, 18, 33, 34, 41};
  const uint32_t count = sizeof sizes / sizeof *sizes;
  const uint32_t columns = sizes[rng_below(r, count)], rows = sizes[rng_below(r, count)];
  const double holes = rng_chance(r, 0.5)   ? 0.0
                       : rng_chance(r, 0.3) ? -rng_float(r, 0.4f, 1)
                                            : rng_float(r, 0.02f, 0.6f);
  return heights_make(r, (heights_kind)rng_below(r, HEIGHTS_KINDS), columns, rows, holes);
}

/* The number in the field of a triangle of the mesh. */
static inline uint32_t heights_field_triangle(const heights *h, uint32_t of_mesh) {
  return of_mesh == MO_NO_TRIANGLE ? of_mesh : h->field_of[of_mesh];
}

#endif
