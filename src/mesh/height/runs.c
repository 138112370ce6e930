/* The sheets of a height field with holes. Cells without holes form runs in rows. Runs that touch
 * those of the row before are united (union-find; Tarjan 1975); cells that only share a corner are
 * not connected. All triangles face up, so a sheet is known by its lowest triangle. */
#include <string.h>

#include "base/assert.h"
#include "mesh/height/height.h"

typedef struct run_list {
  mo_height_run *runs; /* null: they are only counted */
  uint32_t count;
  uint32_t first; /* of the row */
  mo_height_run last;
} run_list;

static void begin_row(run_list *list) {
  list->first = list->count;
}

/* Appends cells to a row; joins them to the last run if they follow it. */
static void append(run_list *list, uint32_t begin, uint32_t end) {
  if (begin >= end) {
    return;
  }
  if (list->count > list->first && list->last.end == begin) {
    list->last.end = end;
  } else {
    list->last = (mo_height_run){begin, end, 0};
    list->count++;
  }
  if (list->runs != NULL) {
    list->runs[list->count - 1] = list->last;
  }
}

/* Appends the part from `begin` to `end` of a row as it is now. */
static void append_old(run_list *list, const mo_height_field *field, uint32_t row, uint32_t begin,
                       uint32_t end) {
  if (field->runs == NULL) {
    append(list, begin, end);
    return;
  }
  for (uint32_t i = field->row_runs[row]; i < field->row_runs[row + 1]; i++) {
    const mo_height_run *run = &field->runs[i];
    append(list, run->begin > begin ? run->begin : begin, run->end < end ? run->end : end);
  }
}

/* Appends all runs of a row, with the new cells. */
static void append_row(run_list *list, const mo_height_field *field, const mo_height_source *source,
                       uint32_t row) {
  const mo_height_region cells = mo_height_cells_of(source->region);
  begin_row(list);
  if (row < cells.row || row >= cells.upper_row) {
    append_old(list, field, row, 0, field->cell_columns);
    return;
  }
  const uint32_t width = cells.upper_column - cells.column;
  const uint8_t *flags = source->cell_flags + (size_t)(row - cells.row) * width;
  append_old(list, field, row, 0, cells.column);
  for (uint32_t i = 0; i < width; i++) {
    if (!(flags[i] & MO_HEIGHT_CELL_HOLE)) {
      append(list, cells.column + i, cells.column + i + 1);
    }
  }
  append_old(list, field, row, cells.upper_column, field->cell_columns);
}

static uint32_t append_all(run_list *list, const mo_height_field *field,
                           const mo_height_source *source, uint32_t *row_runs) {
  for (uint32_t row = 0; row < field->cell_rows; row++) {
    if (row_runs != NULL) {
      row_runs[row] = list->count;
    }
    append_row(list, field, source, row);
  }
  return list->count;
}

static uint32_t root_of(mo_height_run *runs, uint32_t i) {
  while (runs[i].sheet != i) {
    runs[i].sheet = runs[runs[i].sheet].sheet;
    i = runs[i].sheet;
  }
  return i;
}

static void unite(mo_height_run *runs, uint32_t a, uint32_t b) {
  a = root_of(runs, a);
  b = root_of(runs, b);
  runs[a > b ? a : b].sheet = a < b ? a : b;
}

/* Unites the runs of a row with those of the next one that they touch. */
static void unite_rows(mo_height_run *runs, const uint32_t row_runs[3]) {
  uint32_t a = row_runs[0], b = row_runs[1];
  while (a < row_runs[1] && b < row_runs[2]) {
    if (runs[a].begin < runs[b].end && runs[b].begin < runs[a].end) {
      unite(runs, a, b);
    }
    if (runs[a].end < runs[b].end) {
      a++;
    } else {
      b++;
    }
  }
}

/* Sets the sheets of all runs: first each to the first run of its sheet, then to the first triangle
 * of that. */
static void find_sheets(const mo_height_field *field, mo_height_runs *found) {
  for (uint32_t i = 0; i < found->run_count; i++) {
    found->runs[i].sheet = i;
  }
  for (uint32_t row = 0; row + 1 < field->cell_rows; row++) {
    unite_rows(found->runs, &found->row_runs[row]);
  }
  for (uint32_t row = field->cell_rows; row-- > 0;) {
    for (uint32_t i = found->row_runs[row + 1]; i-- > found->row_runs[row];) {
      found->runs[i].sheet = root_of(found->runs, i);
    }
  }
  for (uint32_t row = 0; row < field->cell_rows; row++) {
    for (uint32_t i = found->row_runs[row]; i < found->row_runs[row + 1]; i++) {
      mo_height_run *run = &found->runs[i];
      run->sheet = run->sheet == i ? 2 * (row * field->cell_columns + run->begin)
                                   : found->runs[run->sheet].sheet;
    }
  }
}

/* Returns how many holes there will be; `*change` receives whether any cell becomes a hole or
 * ceases to be one. */
static uint32_t count_holes(const mo_height_field *field, const mo_height_source *source,
                            bool *change) {
  const mo_height_region cells = mo_height_cells_of(source->region);
  uint32_t count = field->hole_count;
  size_t i = 0;
  *change = false;
  for (uint32_t row = cells.row; source->cell_flags != NULL && row < cells.upper_row; row++) {
    for (uint32_t column = cells.column; column < cells.upper_column; column++, i++) {
      const uint32_t is_hole = source->cell_flags[i] & MO_HEIGHT_CELL_HOLE,
                     was_hole = mo_height_bit(field, field->holes, column, row);
      *change = *change || is_hole != was_hole;
      count += is_hole - was_hole;
    }
  }
  return count;
}

/* The smallest region around all runs. */
static mo_height_region region_of_runs(const mo_height_field *field, const mo_height_runs *found) {
  mo_height_region all = {UINT32_MAX, UINT32_MAX, 0, 0};
  for (uint32_t row = 0; row < field->cell_rows; row++) {
    for (uint32_t i = found->row_runs[row]; i < found->row_runs[row + 1]; i++) {
      const mo_height_run *run = &found->runs[i];
      all.column = run->begin < all.column ? run->begin : all.column;
      all.upper_column = run->end > all.upper_column ? run->end : all.upper_column;
      all.row = row < all.row ? row : all.row;
      all.upper_row = row + 1;
    }
  }
  return all;
}

void mo_height_free_runs(const mo_allocator *allocator, const mo_height_field *field,
                         const mo_height_runs *runs) {
  mo_deallocate(allocator, runs->runs, runs->run_count, sizeof *runs->runs);
  mo_deallocate(allocator, runs->row_runs, field->cell_rows + 1, sizeof *runs->row_runs);
}

mo_result mo_height_find_runs(const mo_allocator *allocator, const mo_height_field *field,
                              const mo_height_source *source, mo_height_runs *found) {
  *found = (mo_height_runs){0};
  found->hole_count = count_holes(field, source, &found->change);
  if (found->hole_count == 0 || !found->change) {
    return MO_OK;
  }
  run_list list = {0};
  found->run_count = append_all(&list, field, source, NULL);
  /* Not null where there are holes, even if nothing else is left. */
  found->run_count += found->run_count == 0;
  found->runs = mo_allocate(allocator, found->run_count, sizeof *found->runs);
  found->row_runs = mo_allocate(allocator, field->cell_rows + 1, sizeof *found->row_runs);
  if (found->runs == NULL || found->row_runs == NULL) {
    mo_height_free_runs(allocator, field, found);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  found->runs[0] = (mo_height_run){0};
  list = (run_list){.runs = found->runs};
  found->row_runs[field->cell_rows] = append_all(&list, field, source, found->row_runs);
  find_sheets(field, found);
  found->surface = region_of_runs(field, found);
  return MO_OK;
}

void mo_height_replace_runs(const mo_allocator *allocator, mo_height_field *field,
                            const mo_height_runs *runs) {
  const mo_height_runs old = {
      .runs = field->runs, .row_runs = field->row_runs, .run_count = field->run_count};
  mo_height_free_runs(allocator, field, &old);
  field->runs = runs->runs;
  field->row_runs = runs->row_runs;
  field->run_count = runs->run_count;
  field->hole_count = runs->hole_count;
  field->surface = runs->surface;
}
