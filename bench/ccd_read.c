/* Files of queries of continuous collision detection: eight lines each, a vertex in each line, its
 * coordinates as fractions, and then 1 if the query collides. */
#include <stdio.h>
#include <stdlib.h>

#include "ccd.h"
#include "common/check.h"
#include "grow.h"

/* Parses "numerator,denominator," and moves behind it. Integers may have more digits than a double:
 * the quotient is rounded to one. */
static double read_fraction(char **text, const char *path, size_t line) {
  char *end;
  long double numerator = strtold(*text, &end);
  if (end == *text || *end != ',') {
    fail("%s:%zu: no fraction", path, line);
  }
  *text = end + 1;
  long double denominator = strtold(*text, &end);
  if (end == *text || *end != ',' || !(denominator != 0)) {
    fail("%s:%zu: no fraction", path, line);
  }
  *text = end + 1;
  return (double)(numerator / denominator);
}

static void read_vertex(char *text, bench_ccd_query *query, const char *path, size_t line) {
  size_t vertex = line % 8;
  for (size_t i = 0; i < 3; i++) {
    query->vertices[vertex / 4][vertex % 4][i] = read_fraction(&text, path, line + 1);
  }
  query->collides = *text == '1';
}

void bench_ccd_read(const char *path, bool of_edges, bench_ccd_queries *queries) {
  FILE *file = fopen(path, "r");
  char text[512];
  size_t line = 0;
  if (file == NULL) {
    fail("cannot open %s", path);
  }
  bench_ccd_query query = {.of_edges = of_edges};
  for (; fgets(text, sizeof text, file) != NULL; line++) {
    read_vertex(text, &query, path, line);
    if (line % 8 == 7) {
      if (queries->count == queries->capacity) {
        queries->item = bench_grow(queries->item, &queries->capacity, sizeof *queries->item);
      }
      queries->item[queries->count++] = query;
    }
  }
  fclose(file);
  if (line == 0 || line % 8 != 0) {
    fail("%s has %zu lines, not eight for each query", path, line);
  }
}
