/* Results are kept in the order in which they come; tables look names up by walking them: there are
 * a few thousand at most. */
#include "report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "machine.h"
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

/* printf counts bytes: make up for the two bytes of the plus-minus sign. */
static void print_cell(const char *text, int width) {
  printf(" %*s", width + (strstr(text, "±") != NULL), text);
}

static int column_width(const char *heading) {
  size_t length = strlen(heading);
  return length < 13 ? 13 : (int)length;
}

/* Engines down, metrics across, then the first metric's ratio to each peer. */
static void print_by_engine(const bench_report *report, const char *case_name, const names *engines,
                            const names *metrics) {
  printf("  %-16s", "");
  for (size_t m = 0; m < metrics->count; m++) {
    print_cell(metrics->item[m], column_width(metrics->item[m]));
  }
  for (size_t p = 0; p < report->peer_count; p++) {
    if (find(report, case_name, report->peers[p].engine, metrics->item[0]) != NULL) {
      printf(" /%14s", report->peers[p].engine);
    }
  }
  printf("\n  %-16s", "");
  for (size_t m = 0; m < metrics->count; m++) {
    print_cell(metrics->metric[m]->unit, column_width(metrics->item[m]));
  }
  printf("\n");
  for (size_t e = 0; e < engines->count; e++) {
    printf("  %-16s", engines->item[e]);
    for (size_t m = 0; m < metrics->count; m++) {
      char text[64];
      format_result(text, sizeof text, find(report, case_name, engines->item[e], metrics->item[m]));
      print_cell(text, column_width(metrics->item[m]));
    }
    const result *mine = find(report, case_name, engines->item[e], metrics->item[0]);
    for (size_t p = 0; p < report->peer_count; p++) {
      const result *theirs = find(report, case_name, report->peers[p].engine, metrics->item[0]);
      if (theirs != NULL) {
        double times = ratio(mine, theirs);
        if (times > 0) {
          printf(" %15.2f", times);
        } else {
          printf(" %15s", "-");
        }
      }
    }
    printf("\n");
  }
}

/* Metrics down, engines across. With more than one engine, the ratio of the first over each. */
static void print_by_metric(const bench_report *report, const char *case_name, const names *engines,
                            const names *metrics) {
  printf("  %-32s", "");
  for (size_t e = 0; e < engines->count; e++) {
    printf(" %16s", engines->item[e]);
  }
  for (size_t e = 1; e < engines->count; e++) {
    printf(" /%14s", engines->item[e]);
  }
  printf("\n");
  for (size_t m = 0; m < metrics->count; m++) {
    char label[64];
    snprintf(label, sizeof label, "%s (%s)", metrics->item[m], metrics->metric[m]->unit);
    printf("  %-32s", label);
    for (size_t e = 0; e < engines->count; e++) {
      char text[64];
      format_result(text, sizeof text, find(report, case_name, engines->item[e], metrics->item[m]));
      print_cell(text, 16);
    }
    const result *first = find(report, case_name, engines->item[0], metrics->item[m]);
    for (size_t e = 1; e < engines->count; e++) {
      double times = ratio(first, find(report, case_name, engines->item[e], metrics->item[m]));
      if (times > 0) {
        printf(" %15.2f", times);
      } else {
        printf(" %15s", "");
      }
    }
    printf("\n");
  }
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
  if (metrics.count > 8) {
    print_by_metric(report, case_name, &engines, &metrics);
  } else {
    print_by_engine(report, case_name, &engines, &metrics);
  }
  printf("\n");
  fflush(stdout);
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
  printf("%s (%s)\n  %-24s", metric->name, metric->unit, "");
  for (size_t e = 0; e < engines.count; e++) {
    print_cell(engines.item[e], 16);
  }
  printf("\n");
  for (size_t c = 0; c < cases.count; c++) {
    printf("  %-24s", cases.item[c]);
    for (size_t e = 0; e < engines.count; e++) {
      char text[64];
      format_result(text, sizeof text, find(report, cases.item[c], engines.item[e], metric->name));
      print_cell(text, 16);
    }
    printf("\n");
  }
  printf("\n");
  fflush(stdout);
}

/* Cases are "what/how"; those with the same how form one line of the summary. */
static const char *ending(const char *case_name) {
  const char *slash = strchr(case_name, '/');
  return slash != NULL ? slash + 1 : case_name;
}

static void summarise_pair(const bench_report *report, const char *how, const char *engine,
                           const char *other, const char *metric) {
  double logarithms = 0, least = INFINITY, most = 0;
  const char *least_case = "";
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
      most = fmax(most, times);
      if (times < least) {
        least = times;
        least_case = r->case_name;
      }
    }
  }
  if (count > 0) {
    printf("  %-24s / %-16s %8.2f %8.2f %8.2f   %s (%d cases)\n", how, other,
           exp(logarithms / count), least, most, least_case, count);
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
  printf("  %-24s   %-16s %8s %8s %8s   %s\n", "", "", "mean", "least", "most", "least at");
  for (size_t h = 0; h < hows.count; h++) {
    for (size_t p = 0; p < report->peer_count; p++) {
      summarise_pair(report, hows.item[h], engine, report->peers[p].engine, metric);
    }
  }
  printf("\n");
}

/* Six digits say all that a measurement has to say. */
static double rounded(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", value);
  return strtod(text, NULL);
}

void bench_report_write(const bench_report *report, const char *path) {
  cJSON *root = cJSON_CreateObject();
  cJSON *machine = bench_machine();
  cJSON *peers = cJSON_AddObjectToObject(machine, "peers");
  for (size_t i = 0; i < report->peer_count; i++) {
    cJSON_AddStringToObject(peers, report->peers[i].engine, report->peers[i].version);
  }
  cJSON_AddItemToObject(root, "machine", machine);
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
