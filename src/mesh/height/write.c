/* Checks new samples and cells of a height field, and writes them. */
#include <string.h>

#include "mesh/height/height.h"

mo_result mo_check_height(float y, const mo_refusal *refusal, const char *member) {
  if (fabsf(y) <= MO_MAX_COORDINATE) {
    return MO_OK;
  }
  return isfinite(y) ? mo_refuse_number(refusal, MO_ERROR_OUT_OF_RANGE, member, (double)y,
                                        "beyond MO_MAX_COORDINATE")
                     : mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, member, (double)y, NULL);
}

/* Samples of 16 bits are all legal, as the scale and offset are. */
static mo_result check_floats(const mo_height_source *source, const mo_refusal *refusal,
                              size_t *first_bad) {
  const mo_height_region *r = &source->region;
  const uint32_t columns = r->upper_column - r->column, rows = r->upper_row - r->row;
  for (uint32_t row = 0; row < rows; row++) {
    const char *from = (const char *)source->heights + row * source->row_stride;
    for (uint32_t column = 0; column < columns; column++) {
      float y;
      memcpy(&y, from + column * sizeof y, sizeof y);
      const mo_result result = mo_check_height(y, NULL, "");
      if (result != MO_OK) {
        *first_bad = (size_t)row * columns + column;
        const mo_refusal sample = mo_refusal_in(refusal, ".samples", *first_bad);
        return mo_check_height(y, &sample, "");
      }
    }
  }
  return MO_OK;
}

mo_result mo_height_check_source(mo_height_type type, const mo_height_source *source,
                                 const mo_refusal *refusal, size_t *first_bad) {
  const mo_height_region cells = mo_height_cells_of(source->region);
  const size_t count = (size_t)(cells.upper_column - cells.column) * (cells.upper_row - cells.row);
  for (size_t i = 0; source->cell_flags != NULL && i < count; i++) {
    if (source->cell_flags[i] & ~(MO_HEIGHT_CELL_HOLE | MO_HEIGHT_CELL_FLIPPED)) {
      const mo_refusal flags = mo_refusal_in(refusal, ".cell_flags", i);
      return mo_refuse_number(&flags, MO_ERROR_INVALID_ARGUMENT, "", source->cell_flags[i],
                              "which has unknown flags");
    }
  }
  return source->heights != NULL && type == MO_HEIGHT_FLOAT
             ? check_floats(source, refusal, first_bad)
             : MO_OK;
}

/* Writes the samples of a row, and repeats the last one of the field to the end of the stored
 * row. */
static void write_row(mo_height_field *field, const mo_height_source *source, uint32_t row) {
  const mo_height_region *r = &source->region;
  const size_t bytes = mo_height_sample_bytes(field->type), count = r->upper_column - r->column;
  char *stored = (char *)field->samples + (size_t)row * field->stride * bytes;
  memcpy(stored + r->column * bytes,
         (const char *)source->heights + (row - r->row) * source->row_stride, count * bytes);
  if (r->upper_column == field->cell_columns + 1) {
    const char *last = stored + field->cell_columns * bytes;
    for (uint32_t column = r->upper_column; column < field->stride; column++) {
      memcpy(stored + column * bytes, last, bytes);
    }
  }
}

static void write_heights(mo_height_field *field, const mo_height_source *source) {
  const mo_height_region *r = &source->region;
  for (uint32_t row = r->row; row < r->upper_row; row++) {
    write_row(field, source, row);
  }
  /* The stored rows after the last one of the field repeat it. */
  const size_t bytes = field->stride * mo_height_sample_bytes(field->type);
  const char *last = (const char *)field->samples + field->cell_rows * bytes;
  for (uint32_t row = field->cell_rows + 1;
       r->upper_row == field->cell_rows + 1 && row < field->stored_rows; row++) {
    memcpy((char *)field->samples + row * bytes, last, bytes);
  }
}

static void set_bit(const mo_height_field *field, uint32_t *nibbles, uint32_t column, uint32_t row,
                    bool value) {
  const uint32_t columns = field->level[field->level_count - 1].columns, block_column = column / 2,
                 block_row = row / 2;
  uint32_t *word =
      &nibbles[block_row / MO_HEIGHT_NODE_ROWS * columns + block_column / MO_HEIGHT_NODE_COLUMNS];
  const uint32_t slot = block_column % MO_HEIGHT_NODE_COLUMNS +
                        block_row % MO_HEIGHT_NODE_ROWS * MO_HEIGHT_NODE_COLUMNS,
                 bit = 1u << (4 * slot + column % 2 + row % 2 * 2);
  *word = value ? *word | bit : *word & ~bit;
}

static void write_cells(mo_height_field *field, const mo_height_source *source) {
  const mo_height_region cells = mo_height_cells_of(source->region);
  size_t i = 0;
  for (uint32_t row = cells.row; row < cells.upper_row; row++) {
    for (uint32_t column = cells.column; column < cells.upper_column; column++, i++) {
      if (source->cell_flags != NULL) {
        const uint8_t flags = source->cell_flags[i];
        set_bit(field, field->holes, column, row, flags & MO_HEIGHT_CELL_HOLE);
        if (field->diagonal_exceptions != NULL) {
          set_bit(field, field->diagonal_exceptions, column, row,
                  (flags & MO_HEIGHT_CELL_FLIPPED) != 0);
        }
      }
      if (source->materials != NULL && field->materials != NULL) {
        field->materials[(size_t)row * field->cell_columns + column] = source->materials[i];
      }
    }
  }
}

void mo_height_write(mo_height_field *field, const mo_height_source *source) {
  if (source->heights != NULL) {
    write_heights(field, source);
  }
  if (source->cell_flags != NULL || source->materials != NULL) {
    write_cells(field, source);
  }
}

/* Whether a bit is set in any of some bytes. */
static bool has_any(const uint8_t *bytes, size_t count, uint8_t mask) {
  size_t i = 0;
  while (bytes != NULL && i < count && !(bytes[i] & mask)) {
    i++;
  }
  return bytes != NULL && i < count;
}

mo_result mo_height_prepare(const mo_allocator *allocator, mo_height_field *field,
                            const mo_height_source *source) {
  const mo_height_region cells = mo_height_cells_of(source->region);
  const size_t count = (size_t)(cells.upper_column - cells.column) * (cells.upper_row - cells.row),
               all = (size_t)field->cell_columns * field->cell_rows;
  const bool needs_flips = field->diagonal_exceptions == NULL &&
                           has_any(source->cell_flags, count, MO_HEIGHT_CELL_FLIPPED),
             needs_materials = field->materials == NULL && has_any(source->materials, count, 0xff);
  uint32_t *flips =
      needs_flips ? mo_allocate(allocator, field->lowest_node_count, sizeof *flips) : NULL;
  uint8_t *materials = needs_materials ? mo_allocate(allocator, all, 1) : NULL;
  if ((needs_flips && flips == NULL) || (needs_materials && materials == NULL)) {
    mo_deallocate(allocator, flips, field->lowest_node_count, sizeof *flips);
    mo_deallocate(allocator, materials, all, 1);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (needs_flips) {
    memset(flips, 0, field->lowest_node_count * sizeof *flips);
    field->diagonal_exceptions = flips;
  }
  if (needs_materials) {
    memset(materials, 0, all);
    field->materials = materials;
  }
  return MO_OK;
}
