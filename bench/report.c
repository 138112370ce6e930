#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "report_data.h"

bench_report *bench_report_create(void) {
  bench_report *report = allocate(1, sizeof *report);
  report->suites = cJSON_CreateObject();
  report->do_less = cJSON_CreateArray();
  report->refused = cJSON_CreateArray();
  return report;
}

void bench_report_destroy(bench_report *report) {
  for (size_t i = 0; i < report->count; i++) {
    free(report->results[i].suite);
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
  cJSON_Delete(report->suites);
  cJSON_Delete(report->do_less);
  cJSON_Delete(report->refused);
  cJSON_Delete(report->source);
  free(report);
}

void bench_report_begin_suite(bench_report *report, const char *suite, const bench_names *options) {
  free(report->suite);
  report->suite = bench_format("%s", suite);
  report->first = report->count;
  cJSON *texts = cJSON_AddObjectToObject(report->suites, suite);
  for (size_t i = 0; i + 1 < options->count; i += 2) {
    cJSON_AddStringToObject(texts, options->item[i], options->item[i + 1]);
  }
}

void bench_report_add_peer(bench_report *report, const char *engine, const char *version) {
  for (size_t i = 0; i < report->peer_count; i++) {
    if (strcmp(report->peers[i].engine, engine) == 0) {
      return;
    }
  }
  if (report->peer_count == report->peer_capacity) {
    report->peers = bench_grow(report->peers, &report->peer_capacity, sizeof *report->peers);
  }
  report->peers[report->peer_count++] =
      (bench_peer){bench_format("%s", engine), bench_format("%s", version)};
}

void bench_report_add_lesser(bench_report *report, const char *engine, const char *reason) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "suite", report->suite);
  cJSON_AddStringToObject(item, "engine", engine);
  cJSON_AddStringToObject(item, "reason", reason);
  cJSON_AddItemToArray(report->do_less, item);
}

static bool has_text(const cJSON *item, const char *key, const char *text) {
  const char *found = cJSON_GetStringValue(cJSON_GetObjectItem(item, key));
  return found != NULL && strcmp(found, text) == 0;
}

bool bench_report_is_not_compared(const bench_report *report, const char *suite,
                                  const char *engine) {
  const cJSON *item, *list = report->source != NULL ? cJSON_GetObjectItem(report->source, "do_less")
                                                    : report->do_less;
  cJSON_ArrayForEach(item, list) {
    if (has_text(item, "suite", suite) && has_text(item, "engine", engine)) {
      return true;
    }
  }
  return false;
}

void bench_report_append(bench_report *report, const char *suite, const bench_result *result) {
  if (report->count == report->capacity) {
    report->results = bench_grow(report->results, &report->capacity, sizeof *report->results);
  }
  bench_result *copy = &report->results[report->count++];
  *copy = *result;
  copy->suite = bench_format("%s", suite);
  copy->case_name = bench_format("%s", result->case_name);
  copy->engine = bench_format("%s", result->engine);
}

void bench_report_add(bench_report *report, const char *case_name, const char *engine,
                      const bench_metric *metric, bench_summary value) {
  const bench_result result = {NULL,  (char *)case_name, (char *)engine, *metric,
                               value, .timed = true};
  bench_report_append(report, report->suite, &result);
}

void bench_report_count(bench_report *report, const char *case_name, const char *engine,
                        const bench_metric *metric, double value) {
  const bench_result result = {
      NULL, (char *)case_name, (char *)engine, *metric, {.median = value, .repeats = 1}, false};
  bench_report_append(report, report->suite, &result);
}

void bench_report_refuse(bench_report *report, const char *case_name, const char *engine,
                         const char *reason) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "suite", report->suite);
  cJSON_AddStringToObject(item, "case", case_name);
  cJSON_AddStringToObject(item, "engine", engine);
  cJSON_AddStringToObject(item, "reason", reason);
  cJSON_AddItemToArray(report->refused, item);
}

const bench_result *bench_report_find(const bench_report *report, const char *suite,
                                      const char *case_name, const char *engine,
                                      const char *metric) {
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->case_name, case_name) == 0 && strcmp(r->engine, engine) == 0 &&
        strcmp(r->metric.name, metric) == 0 && strcmp(r->suite, suite) == 0) {
      return r;
    }
  }
  return NULL;
}

double bench_result_ratio(const bench_result *mine, const bench_result *theirs) {
  if (mine == NULL || theirs == NULL || mine->metric.sense == BENCH_NEITHER_IS_BETTER ||
      !(mine->value.median > 0) || !(theirs->value.median > 0)) {
    return 0;
  }
  double more = mine->value.median / theirs->value.median;
  return mine->metric.sense == BENCH_MORE_IS_BETTER ? more : 1 / more;
}

const char *bench_case_ending(const char *case_name) {
  const char *slash = strchr(case_name, '/');
  return slash != NULL ? slash + 1 : case_name;
}

double bench_result_p99(const bench_result *result) {
  return result->metric.sense == BENCH_MORE_IS_BETTER ? result->value.p1 : result->value.p99;
}

double bench_result_worst(const bench_result *result) {
  return result->metric.sense == BENCH_MORE_IS_BETTER ? result->value.min : result->value.max;
}

void bench_format_number(char *text, size_t size, double value) {
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

void bench_format_result(char *text, size_t size, const bench_result *result) {
  if (result == NULL) {
    snprintf(text, size, "-");
    return;
  }
  char number[32];
  bench_format_number(number, sizeof number, result->value.median);
  if (result->timed && result->value.repeats > 1) {
    snprintf(text, size, "%s ±%.0f%%", number, 100 * result->value.spread);
  } else {
    snprintf(text, size, "%s", number);
  }
}

void bench_result_names_add(bench_result_names *names, const char *name,
                            const bench_metric *metric) {
  for (size_t i = 0; i < names->count; i++) {
    if (strcmp(names->item[i], name) == 0) {
      return;
    }
  }
  if (names->count == names->capacity) {
    names->item = bench_grow(names->item, &names->capacity, sizeof *names->item);
    names->metric = bench_grow(names->metric, &names->metric_capacity, sizeof *names->metric);
  }
  names->metric[names->count] = metric;
  names->item[names->count++] = name;
}

void bench_result_names_free(bench_result_names *names) {
  free(names->item);
  free(names->metric);
}
