/* Edits of regions of height fields: afterwards everything is as in a field that was made with the
 * changed samples. Failing allocations change nothing. */
#include "mesh/format/height.h"
#include "mesh/height/heights.h"
#include "support/counting_allocator.h"

static bool same_bytes(const void *a, const void *b, size_t count) {
  return (a == NULL && b == NULL) || (a != NULL && b != NULL && memcmp(a, b, count) == 0);
}

static void check_same_fields(const mo_mesh *a, const mo_mesh *b) {
  const mo_height_field *x = a->height, *y = b->height;
  const size_t bytes = mo_height_sample_bytes(x->type);
  cr_assert(same_bytes(x->samples, y->samples, (size_t)x->stride * x->stored_rows * bytes));
  cr_assert(same_bytes(x->ranges, y->ranges, x->range_count * 2 * MO_LANE_COUNT * bytes),
            "the pyramid");
  cr_assert(same_bytes(x->holes, y->holes, x->lowest_node_count * sizeof *x->holes));
  cr_assert_eq(x->hole_count, y->hole_count);
  cr_assert_eq(x->run_count, y->run_count);
  cr_assert(same_bytes(x->runs, y->runs, x->run_count * sizeof *x->runs), "the sheets");
  for (uint32_t row = 0; row < x->cell_rows; row++) {
    for (uint32_t column = 0; column < x->cell_columns; column++) {
      cr_assert_eq(mo_height_block_backward_diagonals(x, column / 2, row / 2),
                   mo_height_block_backward_diagonals(y, column / 2, row / 2));
      const uint32_t triangle = 2 * (row * x->cell_columns + column);
      cr_assert_eq(mo_height_material_of(x, triangle), mo_height_material_of(y, triangle));
    }
  }
  cr_assert(mo_aabb_is_same(&a->bounds, &b->bounds));
  cr_assert_eq(memcmp(a->dop.point, b->dop.point, sizeof a->dop.point), 0);
}

/* Changes the arrays of `h` in a region, and makes the edit that does the same. `memory` has
 * capacity for all samples and cells. */
typedef struct edit_memory {
  float *floats;
  uint16_t *shorts;
  uint8_t *flags, *materials;
} edit_memory;

static mo_height_edit any_edit(heights *h, rng *r, const edit_memory *m) {
  mo_height_edit edit = mo_default_height_edit();
  const uint32_t what = 1 + rng_below(r, 7);
  edit.column = rng_below(r, h->def.columns);
  edit.row = rng_below(r, h->def.rows);
  edit.columns = 1 + rng_below(r, h->def.columns - edit.column);
  edit.rows = 1 + rng_below(r, h->def.rows - edit.row);
  const float add = rng_float(r, -0.5f, 0.5f);
  const double holes = rng_chance(r, 0.3) ? 0.0 : rng_float(r, 0, 0.6f);
  for (uint32_t row = 0; row < edit.rows; row++) {
    for (uint32_t column = 0; column < edit.columns; column++) {
      const size_t to = (size_t)(edit.row + row) * h->def.columns + edit.column + column,
                   from = (size_t)row * edit.columns + column;
      if (what & 1) {
        h->floats[to] += add;
        h->shorts[to] = (uint16_t)rng_below(r, 65536);
      }
      m->floats[from] = h->floats[to];
      m->shorts[from] = h->shorts[to];
      if (row + 1 < edit.rows && column + 1 < edit.columns) {
        const size_t cell = (size_t)(edit.row + row) * (h->def.columns - 1) + edit.column + column,
                     in_region = (size_t)row * (edit.columns - 1) + column;
        if (what & 2) {
          h->flags[cell] = (uint8_t)((rng_chance(r, holes) ? MO_HEIGHT_CELL_HOLE : 0) |
                                     (rng_chance(r, 0.2) ? MO_HEIGHT_CELL_FLIPPED : 0));
        }
        if (what & 4) {
          h->materials[cell] = (uint8_t)rng_below(r, 256);
        }
        m->flags[in_region] = h->flags[cell];
        m->materials[in_region] = h->materials[cell];
      }
    }
  }
  if (what & 1) {
    edit.samples = h->def.type == MO_HEIGHT_FLOAT ? (const void *)m->floats : m->shorts;
  }
  edit.cell_flags = what & 2 ? m->flags : NULL;
  edit.materials = what & 4 ? m->materials : NULL;
  return edit;
}

/* Flags and materials, so that edits can change them. */
static void add_arrays(heights *h) {
  if (h->flags == NULL) {
    h->flags = calloc(heights_cells(h), 1);
  }
  if (h->materials == NULL) {
    h->materials = calloc(heights_cells(h), 1);
  }
}

static edit_memory make_memory(const heights *h) {
  const size_t count = (size_t)h->def.columns * h->def.rows;
  return (edit_memory){malloc(count * sizeof(float)), malloc(count * sizeof(uint16_t)),
                       malloc(count), malloc(count)};
}

static void free_memory(const edit_memory *m) {
  free(m->floats);
  free(m->shorts);
  free(m->flags);
  free(m->materials);
}

static mo_mesh *make_fresh(const heights *h) {
  mo_height_field_def def = h->def;
  mo_mesh *fresh;
  def.cell_flags = h->flags;
  def.materials = h->materials;
  cr_assert_eq(mo_mesh_create_height_field(&def, &fresh), MO_OK);
  return fresh;
}

Test(mesh_height, edits_are_as_a_new_field) {
  rng r = rng_make(rng_seed("mesh_height/edits", 21));
  for (uint64_t i = 0; i < rng_rounds(100, 20000); i++) {
    heights h = heights_any(&r);
    const edit_memory memory = make_memory(&h);
    add_arrays(&h);
    for (int k = 0; k < 6; k++) {
      const mo_height_edit edit = any_edit(&h, &r, &memory);
      cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_OK);
      mo_mesh *fresh = make_fresh(&h);
      check_same_fields(h.field, fresh);
      mo_mesh_release(fresh);
    }
    cr_assert_eq(mo_mesh_validate(h.field), MO_OK);
    free_memory(&memory);
    heights_free(&h);
  }
}

/* Each allocation fails in turn, of a new field and of an edit. */
Test(mesh_height, failing_allocations_change_nothing) {
  rng r = rng_make(rng_seed("mesh_height/allocations", 22));
  uint32_t failures = 0;
  for (uint64_t i = 0; i < rng_rounds(40, 2000); i++) {
    counting_allocator counter;
    counting_allocator_init(&counter);
    heights h = heights_any(&r);
    const edit_memory memory = make_memory(&h);
    mo_height_field_def def = h.def;
    mo_mesh *field = NULL, *before = make_fresh(&h);
    mo_result result = MO_ERROR_OUT_OF_MEMORY;
    def.host = counting_allocator_host(&counter);
    for (size_t nth = 1; result == MO_ERROR_OUT_OF_MEMORY; nth++) {
      counting_allocator_fail_at(&counter, nth, false);
      result = mo_mesh_create_height_field(&def, &field);
      cr_assert(result == MO_OK || counting_allocator_is_clean(&counter));
    }
    cr_assert_eq(result, MO_OK);
    add_arrays(&h);
    const mo_height_edit edit = any_edit(&h, &r, &memory);
    result = MO_ERROR_OUT_OF_MEMORY;
    for (size_t nth = 1; result == MO_ERROR_OUT_OF_MEMORY; nth++) {
      counting_allocator_fail_at(&counter, nth, false);
      result = mo_mesh_edit_heights(field, &edit);
      if (result == MO_ERROR_OUT_OF_MEMORY) {
        check_same_fields(field, before);
        failures++;
      }
    }
    cr_assert_eq(result, MO_OK);
    mo_mesh *fresh = make_fresh(&h);
    check_same_fields(field, fresh);
    mo_mesh_release(fresh);
    mo_mesh_release(before);
    mo_mesh_release(field);
    cr_assert(counting_allocator_is_clean(&counter));
    free_memory(&memory);
    heights_free(&h);
  }
  cr_assert_gt(failures, 10);
}

/* Bad samples and flags are refused, and everything stays as it is. */
Test(mesh_height, bad_edits_change_nothing) {
  rng r = rng_make(rng_seed("mesh_height/bad_edits", 23));
  heights h = heights_make(&r, HEIGHTS_ROUGH, 9, 7, 0.1);
  while (h.def.type != MO_HEIGHT_FLOAT) {
    heights_free(&h);
    h = heights_make(&r, HEIGHTS_ROUGH, 9, 7, 0.1);
  }
  mo_mesh *before = make_fresh(&h);
  float samples[6] = {0, 1, 2, 3, 4, NAN};
  uint8_t flags[2] = {MO_HEIGHT_CELL_HOLE, 4};
  size_t bad = 77;
  mo_height_edit edit = mo_default_height_edit();
  edit.first_bad = &bad;
  edit.columns = 3;
  edit.rows = 2;
  edit.column = 2;
  edit.samples = samples;
  cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_ERROR_NOT_FINITE);
  cr_assert_eq(bad, 5);
  samples[4] = 2e30f;
  cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_ERROR_OUT_OF_RANGE);
  cr_assert_eq(bad, 4);
  samples[4] = samples[5] = 0;
  edit.cell_flags = flags;
  cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(bad, MO_NO_INDEX);
  flags[1] = 0;
  edit.column = 7;
  cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_ERROR_INVALID_ARGUMENT);
  edit.column = UINT32_MAX;
  cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_ERROR_INVALID_ARGUMENT);
  edit.column = 0;
  edit.rows = 0;
  cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_ERROR_INVALID_ARGUMENT);
  edit.rows = 2;
  edit.cookie = 0;
  cr_assert_eq(mo_mesh_edit_heights(h.field, &edit), MO_ERROR_UNINITIALIZED_DEF);
  cr_assert_eq(mo_mesh_edit_heights(h.field, NULL), MO_ERROR_NULL_ARGUMENT);
  check_same_fields(h.field, before);
  mo_mesh_release(before);
  heights_free(&h);
}
