/* Files of queries of continuous collision detection: eight lines each, a vertex in each line, its
 * coordinates as fractions, and then 1 if the query collides, else 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  bool collides = *text == '1';
  if ((*text != '0' && *text != '1') || text[1 + strspn(text + 1, "\r\n")] != '\0') {
    fail("%s:%zu: the line does not end with 0 or 1", path, line + 1);
  }
  if (vertex > 0 && collides != query->collides) {
    fail("%s:%zu: the query collides by one line, and not by another", path, line + 1);
  }
  query->collides = collides;
}

void bench_ccd_read(const char *path, bool of_edges, size_t max, bench_ccd_queries *queries) {
  FILE *file = fopen(path, "r");
  char text[512];
  size_t line = 0;
  if (file == NULL) {
    fail("cannot open %s", path);
  }
  bench_ccd_query query = {.of_edges = of_edges};
  for (; queries->count < max && fgets(text, sizeof text, file) != NULL; line++) {
    read_vertex(text, &query, path, line);
    if (line % 8 == 7) {
      if (queries->count == queries->capacity) {
        queries->item = bench_grow(queries->item, &queries->capacity, sizeof *queries->item);
      }
      queries->item[queries->count++] = query;
    }
  }
  fclose(file);
  if (queries->count < max && (line == 0 || line % 8 != 0)) {
    fail("%s has %zu lines, not eight for each query", path, line);
  }
}

void bench_ccd_judge(const bench_ccd_query *queries, size_t count, const bool *collides,
                     size_t *missed, size_t *extra) {
  *missed = *extra = 0;
  for (size_t i = 0; i < count; i++) {
    *missed += queries[i].collides && !collides[i];
    *extra += !queries[i].collides && collides[i];
  }
}
