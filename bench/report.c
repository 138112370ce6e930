/* Results are kept in the order in which they come; tables look names up by walking them: there are
 * a few thousand at most. */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "interrupt.h"
#include "machine.h"
#include "table.h"
#include "text.h"

typedef struct result {
  char *case_name;
  char *engine;
  const bench_metric *metric;
  bench_summary value;
  bool timed;
} result;

typedef struct peer {
  char *engine;
  char *version;
} peer;

struct bench_report {
  char *suite;
  result *results;
  size_t count, capacity;
  peer *peers;
  size_t peer_count;
};

bench_report *bench_report_create(const char *suite) {
  bench_report *report = allocate(1, sizeof *report);
  report->suite = bench_format("%s", suite);
  return report;
}

void bench_report_destroy(bench_report *report) {
  for (size_t i = 0; i < report->count; i++) {
    free(report->results[i].case_name);
    free(report->results[i].engine);
  }
  for (size_t i = 0; i < report->peer_count; i++) {
    free(report->peers[i].engine);
    free(report->peers[i].version);
  }
  free(report->results);
  free(report->peers);
  free(report->suite);
  free(report);
}

void bench_report_add_peer(bench_report *report, const char *engine, const char *version) {
  peer *peers = allocate(report->peer_count + 1, sizeof *peers);
  if (report->peer_count > 0) {
    memcpy(peers, report->peers, report->peer_count * sizeof *peers);
  }
  free(report->peers);
  report->peers = peers;
  peers[report->peer_count++] = (peer){bench_format("%s", engine), bench_format("%s", version)};
}

static void add(bench_report *report, const char *case_name, const char *engine,
                const bench_metric *metric, bench_summary value, bool timed) {
  if (report->count == report->capacity) {
    report->capacity = report->capacity > 0 ? 2 * report->capacity : 64;
    result *results = allocate(report->capacity, sizeof *results);
    if (report->count > 0) {
      memcpy(results, report->results, report->count * sizeof *results);
    }
    free(report->results);
    report->results = results;
  }
  report->results[report->count++] =
      (result){bench_format("%s", case_name), bench_format("%s", engine), metric, value, timed};
}

void bench_report_add(bench_report *report, const char *case_name, const char *engine,
                      const bench_metric *metric, bench_summary value) {
  add(report, case_name, engine, metric, value, true);
}

void bench_report_count(bench_report *report, const char *case_name, const char *engine,
                        const bench_metric *metric, double value) {
  add(report, case_name, engine, metric, (bench_summary){value, 0, 1}, false);
}

static const result *find(const bench_report *report, const char *case_name, const char *engine,
                          const char *metric) {
  for (size_t i = 0; i < report->count; i++) {
    const result *r = &report->results[i];
    if (strcmp(r->case_name, case_name) == 0 && strcmp(r->engine, engine) == 0 &&
        strcmp(r->metric->name, metric) == 0) {
      return r;
    }
  }
  return NULL;
}

/* How many times better `mine` is than `theirs`; 0 where that has no meaning. */
static double ratio(const result *mine, const result *theirs) {
  if (mine == NULL || theirs == NULL || mine->metric->sense == BENCH_NO_SENSE ||
      !(mine->value.median > 0) || !(theirs->value.median > 0)) {
    return 0;
  }
  double more = mine->value.median / theirs->value.median;
  return mine->metric->sense == BENCH_MORE_IS_BETTER ? more : 1 / more;
}

/* The names that a table lists, each once. */
typedef struct names {
  const char *item[64];
  const bench_metric *metric[64];
  size_t count;
} names;

static void note(names *list, const char *name, const bench_metric *metric) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->item[i], name) == 0) {
      return;
    }
  }
  if (list->count < sizeof list->item / sizeof *list->item) {
    list->metric[list->count] = metric;
    list->item[list->count++] = name;
  }
}

static void format_number(char *text, size_t size, double value) {
  double magnitude = fabs(value);
  if (magnitude >= 1e6 && value == floor(value)) {
    snprintf(text, size, "%.0f", value);
  } else {
    snprintf(text, size, "%.*f",
             magnitude >= 1000  ? 0
             : magnitude >= 100 ? 1
             : magnitude >= 10  ? 2
             : magnitude >= 0.1 ? 3
             : magnitude > 0    ? 5
                                : 0,
             value);
  }
}

static void format_result(char *text, size_t size, const result *r) {
  if (r == NULL) {
    snprintf(text, size, "-");
    return;
  }
  char number[32];
  format_number(number, sizeof number, r->value.median);
  if (r->timed && r->value.repeats > 1) {
    snprintf(text, size, "%s ±%.0f%%", number, 100 * r->value.spread);
  } else {
    snprintf(text, size, "%s", number);
  }
}

static void set_result(bench_table *table, size_t column, const result *r) {
  char text[64];
  format_result(text, sizeof text, r);
  bench_table_cell(table, column, text);
}

static void head_ratio(bench_table *table, size_t column, const char *engine) {
  char *heading = bench_format("/ %s", engine);
  bench_table_head(table, column, heading, NULL);
  free(heading);
}

/* A ratio of 0 has no meaning. */
static void set_ratio(bench_table *table, size_t column, double times) {
  char text[32];
  snprintf(text, sizeof text, times > 0 ? "%.2f" : "-", times);
  bench_table_cell(table, column, text);
}

/* Engines down, metrics across, then the first metric's ratio to each peer. */
static bench_table *table_by_engine(const bench_report *report, const char *case_name,
                                    const names *engines, const names *metrics) {
  const char *first = metrics->item[0];
  names peers = {0};
  for (size_t p = 0; p < report->peer_count; p++) {
    if (find(report, case_name, report->peers[p].engine, first) != NULL) {
      note(&peers, report->peers[p].engine, NULL);
    }
  }
  bench_table *table = bench_table_create(metrics->count + peers.count);
  for (size_t m = 0; m < metrics->count; m++) {
    bench_table_head(table, m, metrics->item[m], metrics->metric[m]->unit);
  }
  for (size_t p = 0; p < peers.count; p++) {
    head_ratio(table, metrics->count + p, peers.item[p]);
  }
  for (size_t e = 0; e < engines->count; e++) {
    bench_table_row(table, engines->item[e]);
    for (size_t m = 0; m < metrics->count; m++) {
      set_result(table, m, find(report, case_name, engines->item[e], metrics->item[m]));
    }
    const result *mine = find(report, case_name, engines->item[e], first);
    for (size_t p = 0; p < peers.count; p++) {
      set_ratio(table, metrics->count + p,
                ratio(mine, find(report, case_name, peers.item[p], first)));
    }
  }
  return table;
}

/* Metrics down, engines across. With more than one engine, the ratio of the first over each. */
static bench_table *table_by_metric(const bench_report *report, const char *case_name,
                                    const names *engines, const names *metrics) {
  bench_table *table = bench_table_create(2 * engines->count - 1);
  for (size_t e = 0; e < engines->count; e++) {
    bench_table_head(table, e, engines->item[e], NULL);
    if (e > 0) {
      head_ratio(table, engines->count + e - 1, engines->item[e]);
    }
  }
  for (size_t m = 0; m < metrics->count; m++) {
    char *label = bench_format("%s (%s)", metrics->item[m], metrics->metric[m]->unit);
    bench_table_row(table, label);
    free(label);
    const result *first = find(report, case_name, engines->item[0], metrics->item[m]);
    for (size_t e = 0; e < engines->count; e++) {
      const result *other = find(report, case_name, engines->item[e], metrics->item[m]);
      set_result(table, e, other);
      double times = e > 0 ? ratio(first, other) : 0;
      if (times > 0) {
        set_ratio(table, engines->count + e - 1, times);
      }
    }
  }
  return table;
}

void bench_report_print(const bench_report *report, const char *case_name) {
  names engines = {0}, metrics = {0};
  for (size_t i = 0; i < report->count; i++) {
    const result *r = &report->results[i];
    if (strcmp(r->case_name, case_name) == 0) {
      note(&engines, r->engine, NULL);
      note(&metrics, r->metric->name, r->metric);
    }
  }
  if (metrics.count == 0) {
    return;
  }
  printf("%s %s\n", report->suite, case_name);
  bench_table_print((metrics.count > 8 ? table_by_metric : table_by_engine)(report, case_name,
                                                                            &engines, &metrics));
}

void bench_report_print_across(const bench_report *report, const bench_metric *metric) {
  names cases = {0}, engines = {0};
  for (size_t i = 0; i < report->count; i++) {
    const result *r = &report->results[i];
    if (strcmp(r->metric->name, metric->name) == 0) {
      note(&cases, r->case_name, NULL);
      note(&engines, r->engine, NULL);
    }
  }
  if (cases.count == 0) {
    return;
  }
  printf("%s (%s)\n", metric->name, metric->unit);
  bench_table *table = bench_table_create(engines.count);
  for (size_t e = 0; e < engines.count; e++) {
    bench_table_head(table, e, engines.item[e], NULL);
  }
  for (size_t c = 0; c < cases.count; c++) {
    bench_table_row(table, cases.item[c]);
    for (size_t e = 0; e < engines.count; e++) {
      set_result(table, e, find(report, cases.item[c], engines.item[e], metric->name));
    }
  }
  bench_table_print(table);
}

/* Cases are "what/how"; those with the same how form one line of the summary. */
static const char *ending(const char *case_name) {
  const char *slash = strchr(case_name, '/');
  return slash != NULL ? slash + 1 : case_name;
}

static void summarise_pair(const bench_report *report, bench_table *table, const char *how,
                           const char *engine, const char *other, const char *metric) {
  double logarithms = 0, min = INFINITY, max = 0;
  const char *min_case = "";
  int count = 0;
  for (size_t i = 0; i < report->count; i++) {
    const result *r = &report->results[i];
    if (strcmp(r->engine, engine) != 0 || strcmp(r->metric->name, metric) != 0 ||
        strcmp(ending(r->case_name), how) != 0) {
      continue;
    }
    double times = ratio(r, find(report, r->case_name, other, metric));
    if (times > 0) {
      logarithms += log(times);
      count++;
      max = fmax(max, times);
      if (times < min) {
        min = times;
        min_case = r->case_name;
      }
    }
  }
  if (count > 0) {
    char *label = bench_format("%s / %s", how, other), *cases = bench_format("%d", count);
    bench_table_row(table, label);
    set_ratio(table, 0, exp(logarithms / count));
    set_ratio(table, 1, min);
    set_ratio(table, 2, max);
    bench_table_cell(table, 3, cases);
    bench_table_cell(table, 4, min_case);
    free(label);
    free(cases);
  }
}

void bench_report_print_summary(const bench_report *report, const char *engine,
                                const char *metric) {
  if (report->peer_count == 0) {
    return;
  }
  names hows = {0};
  for (size_t i = 0; i < report->count; i++) {
    const result *r = &report->results[i];
    if (strcmp(r->metric->name, metric) == 0) {
      note(&hows, ending(r->case_name), NULL);
    }
  }
  if (hows.count == 0) {
    return;
  }
  printf("%s: %s over peers (above 1: %s is better)\n", metric, engine, engine);
  static const char *const headings[] = {"mean", "least", "most", "cases", "least at"};
  bench_table *table = bench_table_create(5);
  for (size_t i = 0; i < 5; i++) {
    bench_table_head(table, i, headings[i], NULL);
  }
  for (size_t h = 0; h < hows.count; h++) {
    for (size_t p = 0; p < report->peer_count; p++) {
      summarise_pair(report, table, hows.item[h], engine, report->peers[p].engine, metric);
    }
  }
  bench_table_print(table);
}

/* Six digits say all that a measurement has to say. */
static double rounded(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", value);
  return strtod(text, NULL);
}

void bench_report_check_path(const char *path) {
  if (strcmp(path, "-") == 0) {
    return;
  }
  bool existed = access(path, F_OK) == 0;
  FILE *file = fopen(path, "a"); /* what is there stays until there is something to write */
  if (file == NULL) {
    fail("cannot write %s: %s", path, strerror(errno));
  }
  fclose(file);
  if (!existed) {
    unlink(path);
  }
}

void bench_report_write(const bench_report *report, const char *path) {
  cJSON *root = cJSON_CreateObject();
  cJSON *machine = bench_machine();
  cJSON *peers = cJSON_AddObjectToObject(machine, "peers");
  for (size_t i = 0; i < report->peer_count; i++) {
    cJSON_AddStringToObject(peers, report->peers[i].engine, report->peers[i].version);
  }
  cJSON_AddItemToObject(root, "machine", machine);
  cJSON_AddBoolToObject(root, "interrupted", bench_interrupted());
  cJSON *results = cJSON_AddArrayToObject(root, "results");
  for (size_t i = 0; i < report->count; i++) {
    const result *r = &report->results[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "suite", report->suite);
    cJSON_AddStringToObject(item, "case", r->case_name);
    cJSON_AddStringToObject(item, "engine", r->engine);
    cJSON_AddStringToObject(item, "metric", r->metric->name);
    cJSON_AddNumberToObject(item, "value", rounded(r->value.median));
    cJSON_AddStringToObject(item, "unit", r->metric->unit);
    cJSON_AddNumberToObject(item, "spread", rounded(r->value.spread));
    cJSON_AddNumberToObject(item, "repeats", r->value.repeats);
    cJSON_AddItemToArray(results, item);
  }
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (text == NULL) {
    fail("out of memory for the JSON");
  }
  bool standard = strcmp(path, "-") == 0;
  FILE *file = standard ? stdout : fopen(path, "w");
  bool written = file != NULL && fputs(text, file) >= 0 && fputc('\n', file) != EOF;
  if (file != NULL && !standard) {
    written = fclose(file) == 0 && written;
  }
  free(text);
  if (!written) {
    fail("cannot write %s", path);
  }
}
