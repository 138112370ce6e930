/* The pyramid of a height field: its levels, and the ranges of nodes. */
#include <string.h>

#include "base/assert.h"
#include "mesh/height/height.h"

enum { SAMPLES_AFTER_LAST = 8 }; /* vectors are read beyond the last sample */

static uint32_t divide_rounding_up(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

/* Sets the children of a level: 2^column_shift by 2^row_shift of them, whose cells are given. */
static void set_children(mo_height_level *level, uint32_t column_shift, uint32_t row_shift,
                         uint32_t cell_column_shift, uint32_t cell_row_shift,
                         uint32_t position_bits) {
  const uint32_t columns = 1u << column_shift;
  level->column_shift = (uint8_t)column_shift;
  level->row_shift = (uint8_t)row_shift;
  level->child_column_shift = (uint8_t)column_shift;
  level->child_row_shift = (uint8_t)(position_bits + row_shift);
  level->cell_column_shift = (uint8_t)(cell_column_shift + column_shift);
  level->cell_row_shift = (uint8_t)(cell_row_shift + row_shift);
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t column = slot % columns, row = slot / columns;
    level->child[slot] = row << position_bits | column;
    level->column_begin[slot] = (float)(column << cell_column_shift);
    level->column_end[slot] = (float)((column + 1) << cell_column_shift);
    level->row_begin[slot] = (float)(row << cell_row_shift);
    level->row_end[slot] = (float)((row + 1) << cell_row_shift);
  }
  /* Rows of slots come one after another along z, whatever the direction along x. */
  const uint32_t forward = 0x76543210u, backward = columns == 4 ? 0x45670123u : 0x67452301u;
  level->order[0] = level->order[2] = level->any_hit_order = forward;
  level->order[1] = level->order[3] = backward;
}

/* Makes the levels, from the lowest one up to the root; returns how many there are. */
static uint32_t make_levels(mo_height_field *field, mo_height_level upward[MO_HEIGHT_MAX_LEVELS]) {
  uint32_t columns = divide_rounding_up(divide_rounding_up(field->cell_columns, 2), 4),
           rows = divide_rounding_up(divide_rounding_up(field->cell_rows, 2), 2), count = 0;
  set_children(&upward[0], 2, 1, 1, 1, MO_HEIGHT_BLOCK_BITS);
  for (;;) {
    upward[count].columns = columns;
    upward[count].rows = rows;
    if (columns == 1 && rows == 1) {
      return count + 1;
    }
    const uint32_t wide = columns >= rows;
    const mo_height_level *below = &upward[count++];
    MO_ASSERT(count < MO_HEIGHT_MAX_LEVELS);
    set_children(&upward[count], 1 + wide, 2 - wide, below->cell_column_shift,
                 below->cell_row_shift, MO_HEIGHT_NODE_BITS);
    columns = divide_rounding_up(columns, wide ? 4 : 2);
    rows = divide_rounding_up(rows, wide ? 2 : 4);
  }
}

/* Fills `level`, which begins with the root, and the counts and strides that depend on the levels.
 */
static void set_levels(mo_height_field *field) {
  mo_height_level upward[MO_HEIGHT_MAX_LEVELS];
  memset(upward, 0, sizeof upward);
  field->level_count = make_levels(field, upward);
  for (uint32_t depth = 0; depth < field->level_count; depth++) {
    mo_height_level *level = &field->level[depth];
    *level = upward[field->level_count - 1 - depth];
    const bool is_lowest = depth + 1 == field->level_count;
    level->child_tag = is_lowest ? MO_CHILD_LEAF : (depth + 1) << MO_HEIGHT_DEPTH_SHIFT;
    level->first = field->node_count;
    field->node_count += level->columns * level->rows;
    if (is_lowest) {
      field->lowest_node_count = level->columns * level->rows;
      field->range_count = level->first;
      field->stride = (level->columns << level->cell_column_shift) + 1;
      field->stored_rows = (level->rows << level->cell_row_shift) + 1;
    }
  }
  for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
    field->block_triangles[lane] = lane % 4 + lane / 4 * 2 * field->cell_columns;
  }
}

static size_t sample_count(const mo_height_field *field) {
  return (size_t)field->stride * field->stored_rows + SAMPLES_AFTER_LAST;
}

static uint32_t cell_count(const mo_height_field *field) {
  return field->cell_columns * field->cell_rows;
}

static void set_range(const mo_height_field *field, const mo_height_level *level, size_t node,
                      uint32_t slot, float low, float high) {
  const size_t at = 2 * MO_LANE_COUNT * node + slot;
  if (field->type == MO_HEIGHT_FLOAT) {
    ((float *)level->ranges)[at] = low;
    ((float *)level->ranges)[at + MO_LANE_COUNT] = high;
  } else {
    ((uint16_t *)level->ranges)[at] = low <= high ? (uint16_t)low : UINT16_MAX;
    ((uint16_t *)level->ranges)[at + MO_LANE_COUNT] = low <= high ? (uint16_t)high : 0;
  }
}

static float range_at(const mo_height_field *field, const void *ranges, size_t at) {
  return field->type == MO_HEIGHT_FLOAT ? ((const float *)ranges)[at]
                                        : (float)((const uint16_t *)ranges)[at];
}

/* Empties all ranges, those of children outside the field too, and makes all cells holes. */
static void clear(mo_height_field *field) {
  char *ranges = field->ranges;
  const size_t bytes = 2 * MO_LANE_COUNT * mo_height_sample_bytes(field->type);
  for (uint32_t depth = 0; depth + 1 < field->level_count; depth++) {
    mo_height_level *level = &field->level[depth];
    const size_t nodes = (size_t)level->columns * level->rows;
    level->ranges = ranges;
    ranges += nodes * bytes;
    for (size_t i = 0; i < nodes * MO_LANE_COUNT; i++) {
      set_range(field, level, i / MO_LANE_COUNT, i % MO_LANE_COUNT, INFINITY, -INFINITY);
    }
  }
  memset(field->holes, 0xff, field->lowest_node_count * sizeof *field->holes);
  memset(field->samples, 0, sample_count(field) * mo_height_sample_bytes(field->type));
}

mo_height_field *mo_height_allocate(const mo_allocator *allocator, uint32_t columns, uint32_t rows,
                                    mo_height_type type) {
  mo_height_field *field = mo_allocate(allocator, 1, sizeof *field);
  if (field == NULL) {
    return NULL;
  }
  memset(field, 0, sizeof *field);
  field->cell_columns = columns - 1;
  field->cell_rows = rows - 1;
  field->type = type;
  set_levels(field);
  const size_t bytes = mo_height_sample_bytes(type);
  field->samples = mo_allocate(allocator, sample_count(field), bytes);
  field->ranges = mo_allocate(allocator, field->range_count, 2 * MO_LANE_COUNT * bytes);
  field->holes = mo_allocate(allocator, field->lowest_node_count, sizeof *field->holes);
  if (field->samples == NULL || field->holes == NULL ||
      (field->ranges == NULL && field->range_count > 0)) {
    mo_height_destroy(allocator, field);
    return NULL;
  }
  clear(field);
  return field;
}

void mo_height_destroy(const mo_allocator *allocator, mo_height_field *field) {
  if (field == NULL) {
    return;
  }
  const size_t bytes = mo_height_sample_bytes(field->type);
  mo_deallocate(allocator, field->samples, sample_count(field), bytes);
  mo_deallocate(allocator, field->ranges, field->range_count, 2 * MO_LANE_COUNT * bytes);
  mo_deallocate(allocator, field->holes, field->lowest_node_count, sizeof *field->holes);
  mo_deallocate(allocator, field->diagonal_exceptions, field->lowest_node_count,
                sizeof *field->diagonal_exceptions);
  mo_deallocate(allocator, field->materials, cell_count(field), 1);
  mo_height_replace_runs(allocator, field, &(mo_height_runs){0});
  mo_deallocate(allocator, field, 1, sizeof *field);
}

size_t mo_height_bytes(const mo_height_field *field) {
  const size_t bytes = mo_height_sample_bytes(field->type);
  size_t sum = sizeof *field + sample_count(field) * bytes +
               field->range_count * 2 * MO_LANE_COUNT * bytes +
               field->lowest_node_count * sizeof(uint32_t);
  sum += field->diagonal_exceptions != NULL
             ? field->lowest_node_count * sizeof *field->diagonal_exceptions
             : 0;
  sum += field->materials != NULL ? cell_count(field) : 0;
  sum += field->runs != NULL ? field->run_count * sizeof *field->runs +
                                   (field->cell_rows + 1) * sizeof *field->row_runs
                             : 0;
  return sum;
}

/* The range of the cells of a node of the lowest level, before scaling. */
static void find_lowest_range(const mo_height_field *field, mo_height_position at, float *low,
                              float *high) {
  const uint32_t holes = field->holes[at.row * field->level[at.depth].columns + at.column];
  *low = INFINITY;
  *high = -INFINITY;
  if (holes != 0) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      float low_of_block, high_of_block;
      mo_height_block_range(field, at.column * MO_HEIGHT_NODE_COLUMNS + slot % 4,
                            at.row * MO_HEIGHT_NODE_ROWS + slot / 4, holes >> (4 * slot) & 15,
                            &low_of_block, &high_of_block);
      *low = low_of_block < *low ? low_of_block : *low;
      *high = high_of_block > *high ? high_of_block : *high;
    }
    return;
  }
  for (uint32_t row = 4 * at.row; row <= 4 * at.row + 4; row++) {
    for (uint32_t column = 8 * at.column; column <= 8 * at.column + 8; column++) {
      const float y = mo_height_sample_at(field, column, row);
      *low = y < *low ? y : *low;
      *high = y > *high ? y : *high;
    }
  }
}

/* The range of a node above the lowest level: that of all its children. Those of children without
 * cells are empty, and add nothing. */
static void find_range(const mo_height_field *field, mo_height_position at, float *low,
                       float *high) {
  const mo_height_level *level = &field->level[at.depth];
  const size_t first = 2 * MO_LANE_COUNT * ((size_t)at.row * level->columns + at.column);
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const float low_of_child = range_at(field, level->ranges, first + slot),
                high_of_child = range_at(field, level->ranges, first + slot + MO_LANE_COUNT);
    *low = low_of_child < *low ? low_of_child : *low;
    *high = high_of_child > *high ? high_of_child : *high;
  }
}

/* Computes the range of a node and stores it in its parent. */
static void update_range(mo_height_field *field, mo_height_position at) {
  const mo_height_level *level = &field->level[at.depth], *above = level - 1;
  float low, high;
  if (level->ranges == NULL) {
    find_lowest_range(field, at, &low, &high);
  } else {
    find_range(field, at, &low, &high);
  }
  const uint32_t parent = mo_height_place_in_parent(field, mo_height_node_at(at));
  const mo_height_position to = mo_height_node_position(parent >> 3);
  set_range(field, above, (size_t)to.row * above->columns + to.column, parent & 7, low, high);
}

void mo_height_update_ranges(mo_height_field *field, mo_height_region cells) {
  for (uint32_t depth = field->level_count - 1; depth > 0; depth--) {
    const mo_height_level *level = &field->level[depth];
    mo_height_position at = {.depth = depth};
    for (at.row = cells.row >> level->cell_row_shift;
         at.row <= (cells.upper_row - 1) >> level->cell_row_shift; at.row++) {
      for (at.column = cells.column >> level->cell_column_shift;
           at.column <= (cells.upper_column - 1) >> level->cell_column_shift; at.column++) {
        update_range(field, at);
      }
    }
  }
}

mo_aabb mo_height_bounds(const mo_height_field *field) {
  const mo_height_region *surface = &field->surface;
  mo_bounds8 boxes;
  mo_height_load_bounds(field, 0, &boxes);
  mo_aabb box = mo_bounds8_union(&boxes);
  if (field->hole_count > 0 && !mo_aabb_is_empty(box)) {
    box.lower.x = (float)surface->column * field->column_spacing;
    box.upper.x = (float)surface->upper_column * field->column_spacing;
    box.lower.z = (float)surface->row * field->row_spacing;
    box.upper.z = (float)surface->upper_row * field->row_spacing;
  }
  return box;
}
