#include "scaling.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

/* Engines "X-4-workers" beside X, which is one worker, are a curve of X. */

static const char workers_suffix[] = "-workers", workers_key[] = ", N workers";

/* How many workers an engine is, if it is one of those of `base`; 0: it is none. */
static double count_workers(const char *engine, const char *base) {
  size_t length = strlen(base);
  char *end;
  if (strncmp(engine, base, length) != 0) {
    return 0;
  }
  if (engine[length] == '\0') {
    return 1;
  }
  if (engine[length] != '-' || !isdigit((unsigned char)engine[length + 1])) {
    return 0;
  }
  double count = strtod(engine + length + 1, &end);
  return strcmp(end, workers_suffix) == 0 ? count : 0;
}

/* Whether an engine is several workers of any other. */
static bool is_several(const char *engine) {
  const char *suffix = strstr(engine, workers_suffix);
  return suffix != NULL && suffix[sizeof workers_suffix - 1] == '\0';
}

/* The number that a part of a case's name begins with, if the part is that alone or the number and
 * a word after it: where it ends; null if it is none. */
static const char *end_of_number(const char *part) {
  const char *end = part;
  while (isdigit((unsigned char)*end)) {
    end++;
  }
  return end > part && (*end == '\0' || *end == '/' || *end == ' ') ? end : NULL;
}

/* The name with the number of its part at `part` as N, for free(). */
static char *key_of(const char *name, const char *part, const char *end) {
  return bench_format("%.*sN%s", (int)(part - name), name, end);
}

static const char *next_part(const char *part) {
  const char *slash = strchr(part, '/');
  return slash != NULL ? slash + 1 : NULL;
}

/* Whether a case is of the key, and its number. */
static bool match(const char *name, const char *key, double *number) {
  for (const char *part = name; part != NULL; part = next_part(part)) {
    const char *end = end_of_number(part);
    if (end != NULL) {
      char *own = key_of(name, part, end);
      bool equal = strcmp(own, key) == 0;
      free(own);
      if (equal) {
        *number = strtod(part, NULL);
        return true;
      }
    }
  }
  return false;
}

static size_t count_sizes(const bench_result_names *cases, const char *key) {
  size_t count = 0;
  for (size_t i = 0; i < cases->count; i++) {
    double number;
    count += match(cases->item[i], key, &number); /* names of cases, and so numbers, differ */
  }
  return count;
}

/* Takes the key over. */
static void add_key(bench_result_names *keys, char *key) {
  size_t before = keys->count;
  bench_result_names_add(keys, key, NULL);
  if (keys->count == before) {
    free(key);
  }
}

static void add_keys_of_case(bench_result_names *keys, const bench_result_names *cases,
                             const char *case_name, size_t sizes) {
  for (const char *part = case_name; part != NULL; part = next_part(part)) {
    const char *end = end_of_number(part);
    char *key = end != NULL ? key_of(case_name, part, end) : NULL;
    if (key != NULL && count_sizes(cases, key) >= sizes) {
      add_key(keys, key);
    } else {
      free(key);
    }
  }
}

/* Cases that several numbers of workers have, one worker among them. */
static void add_keys_of_workers(bench_result_names *keys, const bench_page *page, const char *suite,
                                const char *case_name, size_t sizes) {
  for (size_t f = 0; f < page->count; f++) {
    bench_result_names engines = {0};
    size_t count = 1;
    for (size_t i = 0; i < page->reports[f]->count; i++) {
      const bench_result *r = &page->reports[f]->results[i];
      if (strcmp(r->case_name, case_name) == 0 && strcmp(r->suite, suite) == 0) {
        bench_result_names_add(&engines, r->engine, NULL);
      }
    }
    for (size_t e = 0; e < engines.count; e++) {
      count += is_several(engines.item[e]);
    }
    if (count > 1 && count >= sizes) {
      add_key(keys, bench_format("%s%s", case_name, workers_key));
    }
    bench_result_names_free(&engines);
  }
}

bench_result_names bench_scaling_keys(const bench_page *page, const char *suite, size_t sizes) {
  bench_result_names keys = {0}, cases = bench_page_cases(page, suite);
  for (size_t i = 0; i < cases.count; i++) {
    add_keys_of_case(&keys, &cases, cases.item[i], sizes);
    add_keys_of_workers(&keys, page, suite, cases.item[i], sizes);
  }
  bench_result_names_free(&cases);
  return keys;
}

void bench_scaling_free(bench_result_names *keys) {
  for (size_t i = 0; i < keys->count; i++) {
    free((char *)keys->item[i]);
  }
  bench_result_names_free(keys);
}

static void insert(bench_curve *curve, double x, double y) {
  if (curve->count == curve->capacity) {
    curve->item = bench_grow(curve->item, &curve->capacity, sizeof *curve->item);
  }
  size_t at = curve->count++;
  for (; at > 0 && curve->item[at - 1].x > x; at--) {
    curve->item[at] = curve->item[at - 1];
  }
  curve->item[at] = (bench_point){x, y};
}

void bench_curve_free(bench_curve *curve) {
  free(curve->item);
}

bool bench_scaling_is_of_workers(const char *key) {
  const size_t length = strlen(key), suffix = sizeof workers_key - 1;
  return length > suffix && strcmp(key + length - suffix, workers_key) == 0;
}

/* The place of a result on a curve; 0: it is not on it. */
static double position_on_curve(const bench_result *r, const char *key, const char *engine) {
  if (bench_scaling_is_of_workers(key)) {
    const size_t length = strlen(key) - (sizeof workers_key - 1);
    bool is_case = strncmp(r->case_name, key, length) == 0 && r->case_name[length] == '\0';
    return is_case && r->timed ? count_workers(r->engine, engine) : 0;
  }
  double number;
  return strcmp(r->engine, engine) == 0 && match(r->case_name, key, &number) ? number : 0;
}

bench_curve bench_scaling_curve(const bench_report *report, const char *suite, const char *key,
                                const char *engine, const char *metric) {
  bench_curve curve = {.count = 0};
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->suite, suite) == 0 && strcmp(r->metric.name, metric) == 0 &&
        r->value.median > 0) {
      double number = position_on_curve(r, key, engine);
      if (number > 0) {
        insert(&curve, number, r->value.median);
      }
    }
  }
  return curve;
}

double bench_curve_exponent(const bench_curve *curve) {
  double n = (double)curve->count, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < curve->count; i++) {
    double a = log(curve->item[i].x), b = log(curve->item[i].y);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  double spread = n * xx - x * x;
  return spread > 0 ? (n * xy - x * y) / spread : NAN;
}

/* Engines of a suite in all runs, and the exponents of each in a row. */
typedef struct columns {
  bench_result_names engines[BENCH_MAX_RUNS];
  bool is_shown[BENCH_MAX_COLUMNS];
  size_t count;
} columns;

/* Visits the exponents of a row; NAN: an engine has none. */
static void find_exponents(const bench_page *page, const columns *self, const char *suite,
                           const char *key, const char *metric, double *exponents) {
  size_t i = 0;
  for (size_t f = 0; f < page->count; f++) {
    for (size_t e = 0; e < self->engines[f].count; e++) {
      bench_curve curve =
          bench_scaling_curve(page->reports[f], suite, key, self->engines[f].item[e], metric);
      exponents[i++] = bench_curve_exponent(&curve);
      bench_curve_free(&curve);
    }
  }
}

static void begin_table(bench_page *page, const columns *self) {
  page->document.writer->paragraph(&page->document,
                                   "The exponent e in N^e, fitted to the rows that differ in N "
                                   "alone, on logarithmic axes.");
  bench_page_row row = {.count = 0};
  size_t i = 0;
  bench_page_cell(&row, bench_format("cases"), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("metric"), BENCH_PLAIN);
  for (size_t f = 0; f < page->count; f++) {
    char *letter = bench_page_letter(page, f);
    for (size_t e = 0; e < self->engines[f].count; e++) {
      if (self->is_shown[i++]) {
        bench_page_cell(&row, bench_format("%s%s", self->engines[f].item[e], letter), BENCH_PLAIN);
      }
    }
    free(letter);
  }
  bench_page_begin_table(page, &row, 2);
}

static void write_exponents(bench_page *page, const columns *self, const char *key,
                            const char *metric, const double *exponents) {
  bench_page_row row = {.count = 0};
  bench_page_cell(&row, bench_format("%s", key), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("%s", metric), BENCH_PLAIN);
  for (size_t i = 0; i < self->count; i++) {
    if (self->is_shown[i]) {
      bench_page_cell(&row,
                      isnan(exponents[i]) ? bench_format("-") : bench_format("%.2f", exponents[i]),
                      BENCH_PLAIN);
    }
  }
  bench_page_write_row(page, &row);
}

/* Rows and columns that have an exponent; twice, as the first pass finds the columns. */
static void write_table(bench_page *page, columns *self, const char *suite,
                        const bench_result_names *keys, const bench_result_names *metrics) {
  double *exponents = allocate(self->count, sizeof *exponents);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < keys->count; k++) {
      for (size_t m = 0; m < metrics->count; m++) {
        bool any = false;
        if (metrics->metric[m]->sense == BENCH_NEITHER_IS_BETTER) {
          continue;
        }
        find_exponents(page, self, suite, keys->item[k], metrics->item[m], exponents);
        for (size_t i = 0; i < self->count; i++) {
          any = any || !isnan(exponents[i]);
          self->is_shown[i] = self->is_shown[i] || !isnan(exponents[i]);
        }
        if (any && pass > 0) {
          write_exponents(page, self, keys->item[k], metrics->item[m], exponents);
        }
      }
    }
    if (pass == 0) {
      begin_table(page, self);
    }
  }
  page->document.writer->end_table(&page->document);
  free(exponents);
}

void bench_page_write_scaling(bench_page *page, const char *suite) {
  bench_result_names keys = bench_scaling_keys(page, suite, 2);
  bench_result_names metrics = bench_page_metrics(page, suite);
  if (keys.count > 0) {
    columns self = {.count = 0};
    page->document.writer->heading(&page->document, 3, "Growth");
    for (size_t f = 0; f < page->count; f++) {
      self.engines[f] = bench_page_engines(page->reports[f], suite);
      self.count += self.engines[f].count;
    }
    bench_page_write_curves(page, suite);
    write_table(page, &self, suite, &keys, &metrics);
    for (size_t f = 0; f < page->count; f++) {
      bench_result_names_free(&self.engines[f]);
    }
  }
  bench_result_names_free(&metrics);
  bench_scaling_free(&keys);
}
