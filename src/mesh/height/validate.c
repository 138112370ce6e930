/* The invariants of a height field besides those of its octree. */
#include <string.h>

#include "mesh/height/height.h"

/* The first node whose ranges are not those of its children, or MO_NONE. */
static uint32_t find_wrong_range(const mo_height_field *field) {
  for (uint32_t index = 0; index < field->range_count; index++) {
    const uint32_t node = mo_height_node_of_index(field, index);
    const mo_height_position at = mo_height_node_position(node);
    mo_bounds8 boxes;
    mo_height_load_bounds(field, node, &boxes);
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      const mo_height_position child = mo_height_node_position(mo_height_child(field, node, slot));
      const mo_height_level *level = &field->level[at.depth + 1];
      const mo_aabb box = mo_bounds8_get(&boxes, (int)slot);
      if (child.column >= level->columns || child.row >= level->rows) {
        if (!mo_aabb_is_empty(box)) {
          return node;
        }
        continue;
      }
      mo_bounds8 below;
      mo_height_load_bounds(field, mo_height_node_at(child), &below);
      const mo_aabb all = mo_bounds8_union(&below);
      if (all.lower.y != box.lower.y || all.upper.y != box.upper.y) {
        return node;
      }
    }
  }
  return MO_NONE;
}

static uint32_t clamped(uint32_t i, uint32_t last) {
  return i < last ? i : last;
}

/* Whether the stored samples beyond the field repeat its last ones. */
static bool is_padded(const mo_height_field *field) {
  for (uint32_t row = 0; row < field->stored_rows; row++) {
    for (uint32_t column = 0; column < field->stride; column++) {
      const float own = mo_height_sample_at(field, column, row),
                  inside = mo_height_sample_at(field, clamped(column, field->cell_columns),
                                               clamped(row, field->cell_rows));
      if (memcmp(&own, &inside, sizeof own) != 0) {
        return false;
      }
    }
  }
  return true;
}

/* Whether all cells beyond the field are holes, and those inside are counted. */
static bool has_consistent_holes(const mo_height_field *field) {
  uint32_t count = 0;
  for (uint32_t row = 0; row + 1 < field->stored_rows; row++) {
    for (uint32_t column = 0; column + 1 < field->stride; column++) {
      const bool hole = mo_height_bit(field, field->holes, column, row);
      const bool inside = row < field->cell_rows && column < field->cell_columns;
      if (!inside && !hole) {
        return false;
      }
      count += inside && hole;
    }
  }
  return count == field->hole_count && (count > 0) == (field->runs != NULL);
}

/* Whether the runs of a row ascend, do not touch, and have all cells but the holes. */
static bool has_sound_runs(const mo_height_field *field, uint32_t row) {
  uint32_t column = 0;
  for (uint32_t i = field->row_runs[row]; i < field->row_runs[row + 1]; i++) {
    const mo_height_run *run = &field->runs[i];
    if (run->end <= run->begin || run->end > field->cell_columns ||
        (run->begin <= column && i > field->row_runs[row])) {
      return false;
    }
    for (; column < run->end; column++) {
      if (mo_height_bit(field, field->holes, column, row) != (column < run->begin)) {
        return false;
      }
    }
  }
  while (column < field->cell_columns && mo_height_bit(field, field->holes, column, row)) {
    column++;
  }
  return column == field->cell_columns;
}

/* Whether the sheet of each run of a row is named by its lowest triangle, and is that of the runs
 * that it touches in the row before. All runs must be sound. */
static bool has_sound_sheets(const mo_height_field *field, uint32_t row) {
  for (uint32_t i = field->row_runs[row]; i < field->row_runs[row + 1]; i++) {
    const mo_height_run *run = &field->runs[i];
    const uint32_t first = 2 * (row * field->cell_columns + run->begin);
    if (run->sheet > first || !mo_height_has_triangle(field, run->sheet) ||
        mo_height_sheet_of(field, run->sheet) != run->sheet << 1) {
      return false;
    }
    for (uint32_t column = run->begin; row > 0 && column < run->end; column++) {
      const uint32_t before = 2 * ((row - 1) * field->cell_columns + column);
      if (mo_height_has_triangle(field, before) && mo_height_sheet_of(field, before) != run->sheet
                                                                                            << 1) {
        return false;
      }
    }
  }
  return true;
}

static bool has_sound_rows(const mo_height_field *field) {
  bool sound = true;
  for (uint32_t row = 0; field->runs != NULL && row < field->cell_rows; row++) {
    sound = sound && has_sound_runs(field, row);
  }
  for (uint32_t row = 0; sound && field->runs != NULL && row < field->cell_rows; row++) {
    sound = has_sound_sheets(field, row);
  }
  return sound;
}

const char *mo_height_find_corruption(const mo_height_field *field, uint32_t *where) {
  *where = find_wrong_range(field);
  return *where != MO_NONE              ? "a range is not that of the samples"
         : !is_padded(field)            ? "the samples beyond the last ones do not repeat them"
         : !has_consistent_holes(field) ? "holes are not known"
         : !has_sound_rows(field)       ? "the sheets are not those between holes"
                                        : NULL;
}
