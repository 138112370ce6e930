/* Tables of a report on standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_data.h"
#include "table.h"

static const bench_result *find(const bench_report *report, const char *case_name,
                                const char *engine, const char *metric) {
  return bench_report_find(report, report->suite, case_name, engine, metric);
}

static void set_result(bench_table *table, size_t column, const bench_result *r) {
  char text[64];
  bench_format_result(text, sizeof text, r);
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

/* Whether a table has ratios over an engine. */
static bool has_ratios(const bench_report *report, const char *engine) {
  return !bench_report_is_not_compared(report, report->suite, engine);
}

/* Engines down, metrics across, then the first metric's ratio to each peer. */
static bench_table *table_by_engine(const bench_report *report, const char *case_name,
                                    const bench_result_names *engines,
                                    const bench_result_names *metrics) {
  const char *first = metrics->item[0];
  bench_result_names peers = {0};
  for (size_t p = 0; p < report->peer_count; p++) {
    if (find(report, case_name, report->peers[p].engine, first) != NULL &&
        has_ratios(report, report->peers[p].engine)) {
      bench_result_names_add(&peers, report->peers[p].engine, NULL);
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
    const bench_result *mine = find(report, case_name, engines->item[e], first);
    for (size_t p = 0; p < peers.count; p++) {
      set_ratio(table, metrics->count + p,
                bench_result_ratio(mine, find(report, case_name, peers.item[p], first)));
    }
  }
  bench_result_names_free(&peers);
  return table;
}

/* Metrics down, engines across. With more than one engine, the ratio of the first over each. */
static bench_table *table_by_metric(const bench_report *report, const char *case_name,
                                    const bench_result_names *engines,
                                    const bench_result_names *metrics) {
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
    const bench_result *first = find(report, case_name, engines->item[0], metrics->item[m]);
    for (size_t e = 0; e < engines->count; e++) {
      const bench_result *other = find(report, case_name, engines->item[e], metrics->item[m]);
      set_result(table, e, other);
      double times =
          e > 0 && has_ratios(report, engines->item[e]) ? bench_result_ratio(first, other) : 0;
      if (times > 0) {
        set_ratio(table, engines->count + e - 1, times);
      }
    }
  }
  return table;
}

void bench_report_print(const bench_report *report, const char *case_name) {
  bench_result_names engines = {0}, metrics = {0};
  for (size_t i = report->first; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->case_name, case_name) == 0) {
      bench_result_names_add(&engines, r->engine, NULL);
      bench_result_names_add(&metrics, r->metric.name, &r->metric);
    }
  }
  if (metrics.count > 0 && !report->is_silent) {
    printf("%s %s\n", report->suite, case_name);
    bench_table_print((metrics.count > 8 ? table_by_metric : table_by_engine)(report, case_name,
                                                                              &engines, &metrics));
  }
  bench_result_names_free(&engines);
  bench_result_names_free(&metrics);
}

/* Cases down, engines across. */
static void print_across(const bench_report *report, const char *metric,
                         const bench_result_names *cases, const bench_result_names *engines) {
  bench_table *table = bench_table_create(engines->count);
  for (size_t e = 0; e < engines->count; e++) {
    bench_table_head(table, e, engines->item[e], NULL);
  }
  for (size_t c = 0; c < cases->count; c++) {
    bench_table_row(table, cases->item[c]);
    for (size_t e = 0; e < engines->count; e++) {
      set_result(table, e, find(report, cases->item[c], engines->item[e], metric));
    }
  }
  bench_table_print(table);
}

void bench_report_print_across(const bench_report *report, const bench_metric *metric) {
  bench_result_names cases = {0}, engines = {0};
  for (size_t i = report->first; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->metric.name, metric->name) == 0) {
      bench_result_names_add(&cases, r->case_name, NULL);
      bench_result_names_add(&engines, r->engine, NULL);
    }
  }
  if (cases.count > 0 && !report->is_silent) {
    printf("%s (%s)\n", metric->name, metric->unit);
    print_across(report, metric->name, &cases, &engines);
  }
  bench_result_names_free(&cases);
  bench_result_names_free(&engines);
}

static void summarise_pair(const bench_report *report, bench_table *table, const char *how,
                           const char *engine, const char *other, const char *metric) {
  double logarithms = 0, min = INFINITY, max = 0;
  const char *min_case = "";
  int count = 0;
  for (size_t i = report->first; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->engine, engine) != 0 || strcmp(r->metric.name, metric) != 0 ||
        strcmp(bench_case_ending(r->case_name), how) != 0) {
      continue;
    }
    double times = bench_result_ratio(r, find(report, r->case_name, other, metric));
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

/* A line for each ending of cases and each peer. */
static void print_summary(const bench_report *report, const char *engine, const char *metric,
                          const bench_result_names *hows) {
  printf("%s: %s over peers (above 1: %s is better)\n", metric, engine, engine);
  static const char *const headings[] = {"mean", "min", "max", "cases", "min at"};
  bench_table *table = bench_table_create(5);
  for (size_t i = 0; i < 5; i++) {
    bench_table_head(table, i, headings[i], NULL);
  }
  for (size_t h = 0; h < hows->count; h++) {
    for (size_t p = 0; p < report->peer_count; p++) {
      if (has_ratios(report, report->peers[p].engine)) {
        summarise_pair(report, table, hows->item[h], engine, report->peers[p].engine, metric);
      }
    }
  }
  bench_table_print(table);
}

void bench_report_print_summary(const bench_report *report, const char *engine,
                                const char *metric) {
  bench_result_names hows = {0};
  bool any = false;
  for (size_t i = report->first; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->metric.name, metric) == 0) {
      bench_result_names_add(&hows, bench_case_ending(r->case_name), NULL);
    }
  }
  for (size_t p = 0; p < report->peer_count; p++) {
    any = any || has_ratios(report, report->peers[p].engine);
  }
  if (hows.count > 0 && any && !report->is_silent) {
    print_summary(report, engine, metric, &hows);
  }
  bench_result_names_free(&hows);
}
