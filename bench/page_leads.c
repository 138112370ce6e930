/* Where Motte leads its peers, and where not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "suite.h"

bool bench_page_is_peer(const bench_report *report, const char *engine) {
  const cJSON *machine = cJSON_GetObjectItem(report->source, "machine");
  return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(machine, "peers"), engine) != NULL;
}

static const char *text_of(const cJSON *item, const char *key) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(item, key));
  return text != NULL ? text : "";
}

/* Whether a result is one that Motte is compared with: that of a peer, if the suite compares that.
 */
static bool counts(const bench_report *report, const bench_result *result) {
  return bench_page_is_peer(report, result->engine) &&
         !bench_report_is_not_compared(report, result->suite, result->engine);
}

static bool is_same_row(const bench_result *a, const bench_result *b) {
  return strcmp(a->metric.name, b->metric.name) == 0 && strcmp(a->case_name, b->case_name) == 0 &&
         strcmp(a->suite, b->suite) == 0;
}

bool bench_page_is_compared(const bench_report *report, const bench_result *result) {
  if (bench_page_is_peer(report, result->engine)) {
    return false;
  }
  for (const bench_result *other = report->results; other < result; other++) {
    if (is_same_row(other, result) && !bench_page_is_peer(report, other->engine)) {
      return false;
    }
  }
  return true;
}

double bench_page_over_best(const bench_report *report, const bench_result *result) {
  double best = 0;
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *other = &report->results[i];
    if (is_same_row(other, result) && counts(report, other)) {
      double ratio = bench_result_ratio(result, other);
      best = best > 0 && !(ratio > 0 && ratio < best) ? best : ratio;
    }
  }
  return best;
}

bench_lead bench_page_lead(const bench_report *report, const char *suite, const char *metric,
                           const char *peer) {
  bench_lead lead = {.min = INFINITY};
  double logarithms = 0;
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->metric.name, metric) != 0 || strcmp(r->suite, suite) != 0 ||
        !bench_page_is_compared(report, r)) {
      continue;
    }
    double ratio =
        peer == NULL ? bench_page_over_best(report, r)
        : bench_report_is_not_compared(report, suite, peer)
            ? 0
            : bench_result_ratio(r, bench_report_find(report, suite, r->case_name, peer, metric));
    if (ratio > 0) {
      logarithms += log(ratio);
      lead.cases++;
      lead.no_worse += ratio >= 1;
      if (ratio < lead.min) {
        lead.min = ratio;
        lead.min_case = r->case_name;
      }
    }
  }
  lead.mean = lead.cases > 0 ? exp(logarithms / (double)lead.cases) : 0;
  return lead;
}

/* Whether a run has a column in a table: all have in that of all suites, of which `suite` is null.
 */
static bool has_column(const bench_page *page, size_t run, const char *suite) {
  const bench_report *report = page->reports[run];
  for (size_t i = 0; suite != NULL && i < report->count; i++) {
    if (strcmp(report->results[i].suite, suite) == 0) {
      return true;
    }
  }
  return suite == NULL;
}

/* For each run: mean, cases led, the minimum and where. */
static void begin_table(bench_page *page, const char *first, const char *second,
                        const char *suite) {
  static const char *const headings[] = {"mean", "cases led", "min", "min at"};
  bench_page_row row = {.count = 0};
  bench_page_cell(&row, bench_format("%s", first), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("%s", second), BENCH_PLAIN);
  for (size_t f = 0; f < page->count; f++) {
    if (!has_column(page, f, suite)) {
      continue;
    }
    char *letter = bench_page_letter(page, f);
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
      bench_page_cell(&row, bench_format("%s%s", headings[i], letter), BENCH_PLAIN);
    }
    free(letter);
  }
  bench_page_begin_table(page, &row, 2);
}

static void add_lead(bench_page_row *row, const bench_lead *lead) {
  bench_page_ratio(row, lead->mean);
  if (lead->cases == 0) {
    for (int i = 0; i < 3; i++) {
      bench_page_cell(row, bench_format("-"), BENCH_PLAIN);
    }
    return;
  }
  bench_page_cell(row, bench_format("%zu of %zu", lead->no_worse, lead->cases), BENCH_PLAIN);
  bench_page_ratio(row, lead->min);
  bench_page_cell(row, bench_format("%s", lead->min_case), BENCH_PLAIN);
}

/* Writes a row unless no run has anything in it. */
static bool write_lead(bench_page *page, const char *first, const char *second, const char *suite,
                       const char *metric, const char *peer, bool begins) {
  bench_lead leads[BENCH_MAX_RUNS];
  size_t cases = 0;
  for (size_t f = 0; f < page->count; f++) {
    leads[f] = bench_page_lead(page->reports[f], suite, metric, peer);
    cases += leads[f].cases;
  }
  if (cases == 0) {
    return false;
  }
  if (begins) {
    if (peer != NULL) {
      page->document.writer->heading(&page->document, 3, "Over each peer");
    }
    begin_table(page, peer == NULL ? "suite" : "metric", peer == NULL ? "metric" : "peer",
                peer == NULL ? NULL : suite);
  }
  bench_page_row row = {.count = 0};
  bench_page_cell(&row, bench_format("%s", first), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("%s", second), BENCH_PLAIN);
  for (size_t f = 0; f < page->count; f++) {
    if (has_column(page, f, peer == NULL ? NULL : suite)) {
      add_lead(&row, &leads[f]);
    }
  }
  bench_page_write_row(page, &row);
  return true;
}

/* Why some peers are left out above. Each reason once. */
static void write_lesser(bench_page *page) {
  bench_result_names texts = {0};
  for (size_t f = 0; f < page->count; f++) {
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(page->reports[f]->source, "do_less")) {
      char *text = bench_format("Not counted in %s: %s, %s.", text_of(item, "suite"),
                                text_of(item, "engine"), text_of(item, "reason"));
      size_t before = texts.count;
      bench_result_names_add(&texts, text, NULL);
      if (texts.count == before) {
        free(text);
      }
    }
  }
  for (size_t i = 0; i < texts.count; i++) {
    page->document.writer->paragraph(&page->document, texts.item[i]);
    free((char *)texts.item[i]);
  }
  bench_result_names_free(&texts);
}

/* The names of a suite's metrics that the first screen shows; null: all. */
static const char *headlines_of(const char *suite) {
  for (size_t i = 0; bench_suites[i] != NULL; i++) {
    if (strcmp(bench_suites[i]->name, suite) == 0) {
      return bench_suites[i]->headlines;
    }
  }
  return NULL;
}

/* The first of the metrics that has a sense and, unless that is null, a name of so many characters.
 */
static const bench_metric *find_metric(const bench_result_names *metrics, const char *name,
                                       size_t length) {
  for (size_t m = 0; m < metrics->count; m++) {
    const char *own = metrics->item[m];
    if (metrics->metric[m]->sense != BENCH_NEITHER_IS_BETTER &&
        (name == NULL || (strlen(own) == length && strncmp(own, name, length) == 0))) {
      return metrics->metric[m];
    }
  }
  return NULL;
}

const bench_metric *bench_page_plotted_metric(const bench_page *page, const char *suite) {
  bench_result_names metrics = bench_page_metrics(page, suite);
  const bench_metric *found = NULL;
  for (const char *item = headlines_of(suite); item != NULL && *item != '\0' && found == NULL;) {
    size_t span = strcspn(item, ",");
    found = find_metric(&metrics, item, span);
    item += span + (item[span] == ',');
  }
  found = found != NULL ? found : find_metric(&metrics, NULL, 0);
  bench_result_names_free(&metrics);
  return found;
}

bool bench_page_is_headline(const char *suite, const char *metric) {
  return bench_list_has(headlines_of(suite), metric, true);
}

static bench_result_names find_peers(const bench_page *page, const char *suite) {
  bench_result_names peers = {0};
  for (size_t f = 0; f < page->count; f++) {
    for (size_t i = 0; i < page->reports[f]->count; i++) {
      const bench_result *r = &page->reports[f]->results[i];
      if (strcmp(r->suite, suite) == 0 && bench_page_is_peer(page->reports[f], r->engine)) {
        bench_result_names_add(&peers, r->engine, NULL);
      }
    }
  }
  return peers;
}

bool bench_page_has_peers(const bench_page *page, const char *suite) {
  bench_result_names peers = find_peers(page, suite);
  bool any = peers.count > 0;
  bench_result_names_free(&peers);
  return any;
}

void bench_page_write_peers(bench_page *page, const char *suite) {
  bench_result_names peers = find_peers(page, suite), metrics = bench_page_metrics(page, suite);
  bool any = false;
  for (size_t m = 0; m < metrics.count; m++) {
    for (size_t p = 0; p < peers.count; p++) {
      any = write_lead(page, metrics.item[m], peers.item[p], suite, metrics.item[m], peers.item[p],
                       !any) ||
            any;
    }
  }
  if (any) {
    page->document.writer->end_table(&page->document);
  }
  bench_result_names_free(&peers);
  bench_result_names_free(&metrics);
}

void bench_page_write_leads(bench_page *page) {
  const bench_format_writer *writer = page->document.writer;
  writer->heading(&page->document, 2, "Where Motte leads, and where not");
  writer->paragraph(
      &page->document,
      "How many times better the first of Motte's engines is than the best peer of each case, of "
      "the peers in the same run whose answers were the same: geometric mean over the cases, the "
      "cases in which it is no worse, the minimum ratio and its case. Below 1, the peer is "
      "better.");
  bench_result_names suites = bench_page_suites(page);
  bool any = false;
  for (size_t s = 0; s < suites.count; s++) {
    bench_result_names metrics = bench_page_metrics(page, suites.item[s]);
    for (size_t m = 0; m < metrics.count; m++) {
      if (!bench_page_is_headline(suites.item[s], metrics.item[m])) {
        continue;
      }
      any = write_lead(page, suites.item[s], metrics.item[m], suites.item[s], metrics.item[m], NULL,
                       !any) ||
            any;
    }
    bench_result_names_free(&metrics);
  }
  bench_result_names_free(&suites);
  if (any) {
    writer->end_table(&page->document);
  } else {
    writer->paragraph(&page->document, "No peer is compared.");
  }
  write_lesser(page);
  writer->paragraph(&page->document,
                    "In the tables below, times are medians ± the interquartile range; in brackets "
                    "the 99th percentile and the worst.");
}
