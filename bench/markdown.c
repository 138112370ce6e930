/* Runs as a page in Markdown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "compare.h"
#include "report_data.h"

enum { MAX_FILES = 16, MAX_COLUMNS = 128 };

/* An engine of a file. */
typedef struct column {
  size_t file;
  const char *engine;
} column;

typedef struct page {
  bench_report *reports[MAX_FILES];
  size_t count;
} page;

/* Files are A, B and so on where there are several. */
static char letter_of(size_t file) {
  return (char)('A' + file);
}

static void write_fields(const cJSON *object) {
  const cJSON *item;
  cJSON_ArrayForEach(item, object) {
    if (cJSON_IsString(item)) {
      printf("| %s | %s |\n", item->string, item->valuestring);
    } else if (cJSON_IsNumber(item)) {
      printf("| %s | %.15g |\n", item->string, item->valuedouble);
    } else if (cJSON_IsObject(item)) {
      write_fields(item);
    }
  }
}

static void write_run(const page *self, size_t file, const char *path) {
  const cJSON *source = self->reports[file]->source, *item;
  if (self->count > 1) {
    printf("\n## Run %c: %s\n\n", letter_of(file), path);
  } else {
    printf("\n## The run\n\n");
  }
  printf("| | |\n|---|---|\n");
  write_fields(cJSON_GetObjectItem(source, "machine"));
  printf("\n   ");
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(source, "command")) {
    printf(" %s", cJSON_IsString(item) ? item->valuestring : "");
  }
  printf("\n");
  if (cJSON_IsTrue(cJSON_GetObjectItem(source, "interrupted"))) {
    printf("\nThis run was interrupted.\n");
  }
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(source, "refused")) {
    const char *const keys[] = {"suite", "case", "engine", "reason"};
    const char *texts[4];
    for (size_t i = 0; i < 4; i++) {
      const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, keys[i]));
      texts[i] = text != NULL ? text : "";
    }
    printf("\nNot compared: %s %s, %s: %s\n", texts[0], texts[1], texts[2], texts[3]);
  }
}

/* Columns of a case, in the order in which they come. */
static size_t find_columns(const page *self, const bench_result *of, column *columns) {
  size_t count = 0;
  for (size_t f = 0; f < self->count; f++) {
    for (size_t i = 0; i < self->reports[f]->count; i++) {
      const bench_result *r = &self->reports[f]->results[i];
      bool is_new = strcmp(r->suite, of->suite) == 0 && strcmp(r->case_name, of->case_name) == 0;
      for (size_t k = 0; k < count && is_new; k++) {
        is_new = columns[k].file != f || strcmp(columns[k].engine, r->engine) != 0;
      }
      if (is_new && count < MAX_COLUMNS) {
        columns[count++] = (column){f, r->engine};
      }
    }
  }
  return count;
}

/* Median and spread; of several measurements also the 99th percentile and the worst. */
static void write_cell(const bench_result *r) {
  char text[64], p99[32], worst[32];
  bench_format_result(text, sizeof text, r);
  printf(" %s", text);
  if (r != NULL && r->timed && r->value.repeats > 1) {
    bench_format_number(p99, sizeof p99, bench_result_p99(r));
    bench_format_number(worst, sizeof worst, bench_result_worst(r));
    printf(" (%s, %s)", p99, worst);
  }
  printf(" |");
}

static bool is_before(const bench_report *report, const bench_result *end, const bench_result *r,
                      bool with_metric) {
  for (const bench_result *other = report->results; other < end; other++) {
    if (strcmp(other->suite, r->suite) == 0 && strcmp(other->case_name, r->case_name) == 0 &&
        (!with_metric || strcmp(other->metric.name, r->metric.name) == 0)) {
      return true;
    }
  }
  return false;
}

/* Whether a result is the first of its case (and metric) in all files up to its own. */
static bool is_first(const page *self, size_t file, const bench_result *r, bool with_metric) {
  for (size_t f = 0; f <= file; f++) {
    const bench_report *report = self->reports[f];
    if (is_before(report, f < file ? report->results + report->count : r, r, with_metric)) {
      return false;
    }
  }
  return true;
}

static void write_row(const page *self, const bench_result *of, const column *columns,
                      size_t count) {
  printf("| %s%s%s |", of->metric.name, *of->metric.unit != '\0' ? ", " : "", of->metric.unit);
  for (size_t k = 0; k < count; k++) {
    write_cell(bench_report_find(self->reports[columns[k].file], of->suite, of->case_name,
                                 columns[k].engine, of->metric.name));
  }
  printf("\n");
}

static void write_case(const page *self, const bench_result *of) {
  column columns[MAX_COLUMNS];
  size_t count = find_columns(self, of, columns);
  printf("\n### %s %s\n\n|", of->suite, of->case_name);
  for (size_t k = 0; k < count; k++) {
    printf(" | %s", columns[k].engine);
    if (self->count > 1) {
      printf(" (%c)", letter_of(columns[k].file));
    }
  }
  printf(" |\n|---|");
  for (size_t k = 0; k < count; k++) {
    printf("---:|");
  }
  printf("\n");
  for (size_t f = 0; f < self->count; f++) {
    for (size_t i = 0; i < self->reports[f]->count; i++) {
      const bench_result *r = &self->reports[f]->results[i];
      if (strcmp(r->suite, of->suite) == 0 && strcmp(r->case_name, of->case_name) == 0 &&
          is_first(self, f, r, true)) {
        write_row(self, r, columns, count);
      }
    }
  }
}

void bench_write_markdown(const char *const *paths, size_t count) {
  page self = {.count = count};
  if (count > MAX_FILES) {
    fail("report takes up to %d files", MAX_FILES);
  }
  for (size_t f = 0; f < count; f++) {
    self.reports[f] = bench_report_read(paths[f]);
  }
  printf("# What motte-bench measured\n\nTimes are medians ± the interquartile range; in brackets "
         "the 99th percentile and the worst.\n");
  for (size_t f = 0; f < count; f++) {
    write_run(&self, f, paths[f]);
  }
  printf("\n## Results\n");
  for (size_t f = 0; f < count; f++) {
    for (size_t i = 0; i < self.reports[f]->count; i++) {
      if (is_first(&self, f, &self.reports[f]->results[i], false)) {
        write_case(&self, &self.reports[f]->results[i]);
      }
    }
  }
  for (size_t f = 0; f < count; f++) {
    bench_report_destroy(self.reports[f]);
  }
}
