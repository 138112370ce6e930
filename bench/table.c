#include "table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "text.h"

enum { LINE = 120, INDENT = 2, GAP = 2, HEADS = 2 };

/* Texts lie row by row: a label, then a cell per column. The first HEADS rows are the headings. */
struct bench_table {
  size_t columns, rows;
  char **texts;
};

static char **text_at(const bench_table *table, size_t row, size_t column) {
  return &table->texts[row * (table->columns + 1) + column];
}

static void set(const bench_table *table, size_t row, size_t column, const char *text) {
  char **place = text_at(table, row, column);
  free(*place);
  *place = bench_format("%s", text);
}

static void add_row(bench_table *table) {
  size_t row = table->columns + 1, old = table->rows * row;
  char **texts = allocate(old + row, sizeof *texts);
  if (old > 0) {
    memcpy(texts, table->texts, old * sizeof *texts);
  }
  free(table->texts);
  table->texts = texts;
  table->rows++;
}

bench_table *bench_table_create(size_t columns) {
  bench_table *table = allocate(1, sizeof *table);
  table->columns = columns;
  for (int i = 0; i < HEADS; i++) {
    add_row(table);
  }
  return table;
}

void bench_table_head(bench_table *table, size_t column, const char *heading, const char *unit) {
  set(table, 0, column + 1, heading);
  if (unit != NULL) {
    set(table, 1, column + 1, unit);
  }
}

void bench_table_row(bench_table *table, const char *label) {
  add_row(table);
  set(table, table->rows - 1, 0, label);
}

void bench_table_cell(bench_table *table, size_t column, const char *text) {
  set(table, table->rows - 1, column + 1, text);
}

/* In characters of UTF-8. */
static size_t width_of(const char *text) {
  size_t width = 0;
  for (; text != NULL && *text != '\0'; text++) {
    width += (*text & 0xc0) != 0x80;
  }
  return width;
}

static size_t column_width(const bench_table *table, size_t column) {
  size_t width = 0;
  for (size_t row = 0; row < table->rows; row++) {
    size_t needed = width_of(*text_at(table, row, column));
    width = needed > width ? needed : width;
  }
  return width;
}

static void print_blanks(size_t count) {
  printf("%*s", (int)count, "");
}

static bool has_text(const bench_table *table, size_t row, size_t first, size_t last) {
  for (size_t column = first; column < last; column++) {
    if (*text_at(table, row, column) != NULL) {
      return true;
    }
  }
  return false;
}

/* Lines have no blanks at their ends. */
static void print_row(const bench_table *table, size_t row, const size_t *widths, size_t first,
                      size_t last) {
  const char *label = *text_at(table, row, 0);
  print_blanks(INDENT);
  printf("%s", label != NULL ? label : "");
  size_t blanks = widths[0] - width_of(label);
  for (size_t column = first; column < last; column++) {
    const char *text = *text_at(table, row, column);
    size_t width = width_of(text);
    blanks += GAP + widths[column] - width;
    if (width > 0) {
      print_blanks(blanks);
      printf("%s", text);
      blanks = 0;
    }
  }
  printf("\n");
}

static void destroy(bench_table *table) {
  for (size_t i = 0; i < table->rows * (table->columns + 1); i++) {
    free(table->texts[i]);
  }
  free(table->texts);
  free(table);
}

void bench_table_print(bench_table *table) {
  size_t *widths = allocate(table->columns + 1, sizeof *widths);
  for (size_t column = 0; column <= table->columns; column++) {
    widths[column] = column_width(table, column);
  }
  for (size_t first = 1; first <= table->columns;) {
    size_t last = first, line = INDENT + widths[0];
    do {
      line += GAP + widths[last++];
    } while (last <= table->columns && line + GAP + widths[last] <= LINE);
    for (size_t row = 0; row < table->rows; row++) {
      if (has_text(table, row, first, last)) {
        print_row(table, row, widths, first, last);
      }
    }
    printf("\n");
    first = last;
  }
  fflush(stdout);
  free(widths);
  destroy(table);
}
