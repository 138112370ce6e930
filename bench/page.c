#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "differences.h"
#include "join.h"
#include "suite.h"

void bench_page_add(bench_page *page, bench_report *report, const char *name) {
  char *short_name = bench_without_folders(name);
  for (size_t f = 0; f < page->count; f++) {
    if (bench_report_join(page->reports[f], report)) {
      char *longer = bench_format("%s, %s", page->names[f], short_name);
      free(short_name);
      free(page->names[f]);
      page->names[f] = longer;
      return;
    }
  }
  if (page->count == BENCH_MAX_RUNS) {
    fail("report takes up to %d runs", BENCH_MAX_RUNS);
  }
  page->names[page->count] = short_name;
  page->reports[page->count++] = report;
}

void bench_page_free(bench_page *page) {
  for (size_t f = 0; f < page->count; f++) {
    free(page->names[f]);
    bench_report_destroy(page->reports[f]);
  }
  page->count = 0;
}

/* Names. */

typedef enum kind_of_name { SUITE, CASE, METRIC } kind_of_name;

static bench_result_names names_of(const bench_page *page, kind_of_name kind, const char *suite) {
  bench_result_names names = {0};
  for (size_t f = 0; f < page->count; f++) {
    const bench_report *report = page->reports[f];
    for (size_t i = 0; i < report->count; i++) {
      const bench_result *r = &report->results[i];
      if (kind == SUITE) {
        bench_result_names_add(&names, r->suite, NULL);
      } else if (strcmp(r->suite, suite) == 0) {
        bench_result_names_add(&names, kind == CASE ? r->case_name : r->metric.name, &r->metric);
      }
    }
  }
  return names;
}

bench_result_names bench_page_suites(const bench_page *page) {
  return names_of(page, SUITE, NULL);
}

bench_result_names bench_page_cases(const bench_page *page, const char *suite) {
  return names_of(page, CASE, suite);
}

bench_result_names bench_page_metrics(const bench_page *page, const char *suite) {
  return names_of(page, METRIC, suite);
}

bench_result_names bench_page_engines(const bench_report *report, const char *suite) {
  bench_result_names engines = {0};
  for (size_t i = 0; i < report->count; i++) {
    if (strcmp(report->results[i].suite, suite) == 0) {
      bench_result_names_add(&engines, report->results[i].engine, NULL);
    }
  }
  return engines;
}

char *bench_page_letter(const bench_page *page, size_t run) {
  return page->count > 1 ? bench_format(" (%c)", (char)('A' + run)) : bench_format("%s", "");
}

/* Rows. */

void bench_page_cell(bench_page_row *row, char *text, bench_tone tone) {
  if (row->count == BENCH_MAX_COLUMNS) {
    fail("a table of the report has more than %d columns", BENCH_MAX_COLUMNS);
  }
  row->cells[row->count++] = (bench_cell){text, tone, NULL};
}

void bench_page_drop_row(bench_page_row *row) {
  for (size_t i = 0; i < row->count; i++) {
    free((char *)row->cells[i].text);
    free((char *)row->cells[i].link);
  }
  free(row->id);
  row->count = 0;
  row->id = NULL;
}

char *bench_page_id(const char *suite, const char *what) {
  char *text = bench_format("%s-%s", suite, what), *id = bench_identifier(text);
  free(text);
  return id;
}

void bench_page_write_row(bench_page *page, bench_page_row *row) {
  page->document.writer->row(&page->document, row->cells, row->count, row->id);
  bench_page_drop_row(row);
}

void bench_page_ratio(bench_page_row *row, double ratio) {
  char *text = ratio > 0 ? bench_format("%.2f", ratio) : bench_format("-");
  bench_page_cell(row, text,
                  ratio > 1.02                ? BENCH_LEADS
                  : ratio > 0 && ratio < 0.98 ? BENCH_TRAILS
                                              : BENCH_PLAIN);
}

void bench_page_begin_table(bench_page *page, bench_page_row *headings, size_t labels) {
  const char *texts[BENCH_MAX_COLUMNS];
  for (size_t i = 0; i < headings->count; i++) {
    texts[i] = headings->cells[i].text;
  }
  page->document.writer->begin_table(&page->document, texts, headings->count, labels);
  bench_page_drop_row(headings);
}

static void end_table(bench_page *page) {
  page->document.writer->end_table(&page->document);
}

static void write_paragraph(bench_page *page, char *text) {
  page->document.writer->paragraph(&page->document, text);
  free(text);
}

/* Runs. */

static char *value_of(const cJSON *item) {
  return cJSON_IsString(item)   ? bench_format("%s", item->valuestring)
         : cJSON_IsNumber(item) ? bench_format("%.15g", item->valuedouble)
                                : bench_format("-");
}

static void add_fields(bench_result_names *names, const cJSON *object) {
  const cJSON *item;
  cJSON_ArrayForEach(item, object) {
    if (!cJSON_IsObject(item)) {
      bench_result_names_add(names, item->string, NULL);
    }
  }
}

/* Appends to a text, which is freed. */
static char *append(char *text, const char *between, const char *more) {
  char *longer = bench_format("%s%s%s", text, *text != '\0' ? between : "", more);
  free(text);
  return longer;
}

/* Whether two fields are the same in all objects. */
static bool are_same(const cJSON *const *objects, size_t count, const char *a, const char *b) {
  for (size_t f = 0; f < count; f++) {
    if (!cJSON_Compare(cJSON_GetObjectItem(objects[f], a), cJSON_GetObjectItem(objects[f], b),
                       true)) {
      return false;
    }
  }
  return true;
}

/* The names from the i-th on whose fields are the same as its own, which become null. */
static char *join_same(bench_result_names *names, size_t i, const cJSON *const *objects,
                       size_t count) {
  const char *first = names->item[i];
  char *label = bench_format("%s", first);
  for (size_t k = i + 1; k < names->count; k++) {
    if (names->item[k] != NULL && are_same(objects, count, first, names->item[k])) {
      label = append(label, ", ", names->item[k]);
      names->item[k] = NULL;
    }
  }
  return label;
}

/* A row for each field of an object that the machines of all runs have. Peers of one version share
 * a row. */
static void write_fields(bench_page *page, const char *inner) {
  bench_result_names names = {0};
  const cJSON *objects[BENCH_MAX_RUNS];
  for (size_t f = 0; f < page->count; f++) {
    objects[f] = cJSON_GetObjectItem(page->reports[f]->source, "machine");
    objects[f] = inner != NULL ? cJSON_GetObjectItem(objects[f], inner) : objects[f];
    add_fields(&names, objects[f]);
  }
  for (size_t i = 0; i < names.count; i++) {
    if (names.item[i] == NULL) {
      continue;
    }
    bench_page_row row = {.count = 0};
    const char *name = names.item[i];
    bench_page_cell(
        &row, inner != NULL ? join_same(&names, i, objects, page->count) : bench_format("%s", name),
        BENCH_PLAIN);
    for (size_t f = 0; f < page->count; f++) {
      bench_page_cell(&row, value_of(cJSON_GetObjectItem(objects[f], name)), BENCH_PLAIN);
    }
    bench_page_write_row(page, &row);
  }
  bench_result_names_free(&names);
}

static char *command_of(const cJSON *source) {
  const cJSON *item;
  char *text = bench_format("%s", "");
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(source, "command")) {
    char *argument = bench_without_folders(cJSON_IsString(item) ? item->valuestring : "");
    text = append(text, " ", argument);
    free(argument);
  }
  return text;
}

/* A line for each run that this one is made of. */
static void write_commands(bench_page *page, size_t run) {
  const bench_report *report = page->reports[run];
  char *text = bench_format("%s", "");
  bool is_interrupted = false;
  for (size_t i = 0; i < bench_report_part_count(report); i++) {
    const cJSON *source = bench_report_part(report, i);
    char *command = command_of(source);
    text = append(text, "\n", command);
    free(command);
    is_interrupted = is_interrupted || cJSON_IsTrue(cJSON_GetObjectItem(source, "interrupted"));
  }
  page->document.writer->code(&page->document, text);
  free(text);
  if (is_interrupted) {
    char *letter = bench_page_letter(page, run);
    write_paragraph(page, bench_format("The run%s was interrupted.", letter));
    free(letter);
  }
}

static bool any_refused(const bench_page *page) {
  for (size_t f = 0; f < page->count; f++) {
    if (cJSON_GetArraySize(cJSON_GetObjectItem(page->reports[f]->source, "refused")) > 0) {
      return true;
    }
  }
  return false;
}

static void write_refused(bench_page *page) {
  static const char *const keys[] = {"suite", "case", "engine", "reason"};
  if (!any_refused(page)) {
    return;
  }
  page->document.writer->heading(&page->document, 3, "Not compared, as answers were wrong");
  bench_page_row row = {.count = 0};
  for (size_t i = 0; i < 4; i++) {
    bench_page_cell(&row, bench_format("%s", keys[i]), BENCH_PLAIN);
  }
  bench_page_begin_table(page, &row, 4);
  for (size_t f = 0; f < page->count; f++) {
    const cJSON *item;
    char *letter = bench_page_letter(page, f);
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(page->reports[f]->source, "refused")) {
      for (size_t i = 0; i < 4; i++) {
        bench_page_cell(&row, value_of(cJSON_GetObjectItem(item, keys[i])), BENCH_PLAIN);
      }
      row.cells[2].text = append((char *)row.cells[2].text, "", letter); /* the engine */
      bench_page_write_row(page, &row);
    }
    free(letter);
  }
  end_table(page);
}

static void write_difference(void *context, const char *text) {
  write_paragraph(context, bench_format("These runs differ: %s", text));
}

static void write_runs(bench_page *page) {
  page->document.writer->heading(&page->document, 2, page->count > 1 ? "The runs" : "The run");
  bench_page_row row = {.count = 0};
  bench_page_cell(&row, bench_format("%s", ""), BENCH_PLAIN);
  for (size_t f = 0; f < page->count; f++) {
    bench_page_cell(&row,
                    page->count > 1 ? bench_format("Run %c: %s", (char)('A' + f), page->names[f])
                                    : bench_format("%s", ""),
                    BENCH_PLAIN);
  }
  bench_page_begin_table(page, &row, 1 + page->count);
  write_fields(page, NULL);
  write_fields(page, "peers");
  end_table(page);
  for (size_t f = 0; f < page->count; f++) {
    write_commands(page, f);
  }
  for (size_t f = 1; f < page->count; f++) {
    bench_find_differences(page->reports[0], page->reports[f], write_difference, page);
  }
  write_refused(page);
}

/* Results. */

/* An engine of a run. */
typedef struct column {
  size_t run;
  const char *engine;
} column;

typedef struct columns {
  column item[BENCH_MAX_COLUMNS];
  size_t count;
} columns;

static bool is_of_case(const bench_result *r, const char *suite, const char *case_name) {
  return strcmp(r->case_name, case_name) == 0 && strcmp(r->suite, suite) == 0;
}

static bool has_column(const columns *self, size_t run, const char *engine) {
  for (size_t k = 0; k < self->count; k++) {
    if (self->item[k].run == run && strcmp(self->item[k].engine, engine) == 0) {
      return true;
    }
  }
  return false;
}

/* Of a case, in the order in which they come. */
static columns find_columns(const bench_page *page, const char *suite, const char *case_name) {
  columns found = {.count = 0};
  for (size_t f = 0; f < page->count; f++) {
    for (size_t i = 0; i < page->reports[f]->count; i++) {
      const bench_result *r = &page->reports[f]->results[i];
      if (is_of_case(r, suite, case_name) && !has_column(&found, f, r->engine) &&
          found.count < BENCH_MAX_COLUMNS) { /* a row of as many fails */
        found.item[found.count++] = (column){f, r->engine};
      }
    }
  }
  return found;
}

static bool are_equal(const columns *a, const columns *b) {
  bool equal = a->count == b->count;
  for (size_t k = 0; k < b->count && equal; k++) {
    equal = has_column(a, b->item[k].run, b->item[k].engine);
  }
  return equal;
}

/* Median and spread; of several measurements also the 99th percentile and the worst. */
static char *text_of(const bench_result *r) {
  char text[64], p99[32], worst[32];
  bench_format_result(text, sizeof text, r);
  if (r == NULL || !r->timed || r->value.repeats < 2) {
    return bench_format("%s", text);
  }
  bench_format_number(p99, sizeof p99, bench_result_p99(r));
  bench_format_number(worst, sizeof worst, bench_result_worst(r));
  return bench_format("%s (%s, %s)", text, p99, worst);
}

static bench_tone tone_of(const bench_report *report, const bench_result *r) {
  double ratio =
      r != NULL && bench_page_is_compared(report, r) ? bench_page_over_best(report, r, NULL) : 0;
  return ratio > 1.02 ? BENCH_LEADS : ratio > 0 && ratio < 0.98 ? BENCH_TRAILS : BENCH_PLAIN;
}

/* The first row of a case has an id. Returns whether there is anything in the row. */
static bool write_result_row(bench_page *page, const char *suite, const char *case_name,
                             const bench_metric *metric, const columns *across, bool is_first) {
  bench_page_row row = {.id = is_first ? bench_page_id(suite, case_name) : NULL};
  bool any = false;
  bench_page_cell(&row, bench_format("%s", case_name), BENCH_PLAIN);
  bench_page_cell(
      &row, bench_format("%s%s%s", metric->name, *metric->unit != '\0' ? ", " : "", metric->unit),
      BENCH_PLAIN);
  for (size_t k = 0; k < across->count; k++) {
    const bench_report *report = page->reports[across->item[k].run];
    const bench_result *r =
        bench_report_find(report, suite, case_name, across->item[k].engine, metric->name);
    any = any || r != NULL;
    bench_page_cell(&row, text_of(r), tone_of(report, r));
  }
  if (any) {
    bench_page_write_row(page, &row);
  } else {
    bench_page_drop_row(&row);
  }
  return any;
}

static void begin_results(bench_page *page, const columns *across) {
  bench_page_row row = {.count = 0};
  bench_page_cell(&row, bench_format("case"), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("metric"), BENCH_PLAIN);
  for (size_t k = 0; k < across->count; k++) {
    char *letter = bench_page_letter(page, across->item[k].run);
    bench_page_cell(&row, bench_format("%s%s", across->item[k].engine, letter), BENCH_PLAIN);
    free(letter);
  }
  bench_page_begin_table(page, &row, 2);
}

/* One table for cases that follow each other and have the same engines. */
static void write_results(bench_page *page, const char *suite) {
  bench_result_names cases = bench_page_cases(page, suite);
  bench_result_names metrics = bench_page_metrics(page, suite);
  columns last = {.count = 0};
  for (size_t c = 0; c < cases.count; c++) {
    columns across = find_columns(page, suite, cases.item[c]);
    if (!are_equal(&across, &last)) {
      if (c > 0) {
        end_table(page);
      }
      last = across;
      begin_results(page, &last);
    }
    bool is_first = true;
    for (size_t m = 0; m < metrics.count; m++) {
      is_first =
          !write_result_row(page, suite, cases.item[c], metrics.metric[m], &last, is_first) &&
          is_first;
    }
  }
  end_table(page);
  bench_result_names_free(&cases);
  bench_result_names_free(&metrics);
}

/* The options with which a suite was run, for free(). */
static char *options_of(const bench_report *report, const char *suite) {
  const cJSON *item,
      *options = cJSON_GetObjectItem(cJSON_GetObjectItem(report->source, "suites"), suite);
  char *text = bench_format("%s", "");
  cJSON_ArrayForEach(item, options) {
    char *whole = value_of(item), *value = bench_without_folders(whole);
    char *option = bench_format("%s %s", item->string, value);
    text = append(text, ", ", option);
    free(option);
    free(whole);
    free(value);
  }
  return text;
}

/* Once if those of all runs are the same. */
static void write_options(bench_page *page, const char *suite) {
  char *texts[BENCH_MAX_RUNS];
  bool is_common = true;
  for (size_t f = 0; f < page->count; f++) {
    texts[f] = options_of(page->reports[f], suite);
    is_common = is_common && strcmp(texts[f], texts[0]) == 0;
  }
  for (size_t f = 0; f < page->count; f++) {
    char *letter = is_common ? bench_format("%s", "") : bench_page_letter(page, f);
    if (*texts[f] != '\0' && (f == 0 || !is_common)) {
      write_paragraph(page, bench_format("Options%s: %s.", letter, texts[f]));
    }
    free(letter);
  }
  for (size_t f = 0; f < page->count; f++) {
    free(texts[f]);
  }
}

static void write_suite(bench_page *page, const char *suite) {
  page->document.writer->suite(&page->document, suite);
  for (size_t i = 0; bench_suites[i] != NULL; i++) {
    if (strcmp(bench_suites[i]->name, suite) == 0) {
      write_paragraph(page, bench_format("%s", bench_suites[i]->purpose));
    }
  }
  write_options(page, suite);
  bench_page_write_ratios(page, suite);
  bench_page_write_peers(page, suite);
  bench_page_write_scaling(page, suite);
  page->document.writer->heading(&page->document, 3, "Results");
  write_results(page, suite);
}

void bench_page_write(bench_page *page) {
  const bench_format_writer *writer = page->document.writer;
  writer->begin(&page->document, "What motte-bench measured");
  bench_page_write_leads(page);
  write_runs(page);
  bench_result_names suites = bench_page_suites(page);
  for (size_t i = 0; i < suites.count; i++) {
    write_suite(page, suites.item[i]);
  }
  bench_result_names_free(&suites);
  writer->end(&page->document);
}
