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

double bench_page_over_best(const bench_report *report, const bench_result *result,
                            const char **peer) {
  double best = 0;
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *other = &report->results[i];
    if (is_same_row(other, result) && counts(report, other)) {
      double ratio = bench_result_ratio(result, other);
      if (ratio > 0 && (best == 0 || ratio < best)) {
        best = ratio;
        if (peer != NULL) {
          *peer = other->engine;
        }
      }
    }
  }
  return best;
}

static double ratio_of(const bench_report *report, const bench_result *result, const char **peer) {
  if (*peer == NULL) {
    return bench_page_over_best(report, result, peer);
  }
  return bench_report_is_not_compared(report, result->suite, *peer)
             ? 0
             : bench_result_ratio(result,
                                  bench_report_find(report, result->suite, result->case_name, *peer,
                                                    result->metric.name));
}

bench_lead bench_page_lead(const bench_report *report, const char *suite, const char *metric,
                           const char *ending, const char *peer) {
  bench_lead lead = {.min = INFINITY};
  double logarithms = 0;
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->metric.name, metric) != 0 || strcmp(r->suite, suite) != 0 ||
        (ending != NULL && strcmp(bench_case_ending(r->case_name), ending) != 0) ||
        !bench_page_is_compared(report, r)) {
      continue;
    }
    const char *other = peer;
    double ratio = ratio_of(report, r, &other);
    if (ratio > 0) {
      logarithms += log(ratio);
      lead.cases++;
      lead.no_worse += ratio >= 1;
      lead.max = fmax(lead.max, ratio);
      if (ratio < lead.min) {
        lead.min = ratio;
        lead.min_case = r->case_name;
        lead.min_peer = other;
      }
    }
  }
  lead.mean = lead.cases > 0 ? exp(logarithms / (double)lead.cases) : 0;
  return lead;
}

/* What a table of leads has of each run: all means side by side, then all numbers of cases. */
typedef enum column { MEAN, LED, MIN, WHERE, COLUMNS } column;

static void begin_leads(bench_page *page) {
  static const char *const headings[COLUMNS] = {"mean", "cases led", "min", "min at"};
  bench_page_row row = {.count = 0};
  bench_page_cell(&row, bench_format("suite"), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("metric"), BENCH_PLAIN);
  for (column c = MEAN; c < COLUMNS; c++) {
    for (size_t f = 0; f < page->count; f++) {
      char *letter = bench_page_letter(page, f);
      bench_page_cell(&row, bench_format("%s%s", headings[c], letter), BENCH_PLAIN);
      free(letter);
    }
  }
  bench_page_begin_table(page, &row, 2);
}

static void add_lead(bench_page_row *row, const bench_lead *lead, column c) {
  if (lead->cases == 0) {
    bench_page_cell(row, bench_format("-"), BENCH_PLAIN);
  } else if (c == MEAN || c == MIN) {
    bench_page_ratio(row, c == MEAN ? lead->mean : lead->min);
  } else {
    bench_page_cell(row,
                    c == LED ? bench_format("%zu of %zu", lead->no_worse, lead->cases)
                             : bench_format("%s (%s)", lead->min_case, lead->min_peer),
                    BENCH_PLAIN);
  }
}

/* Writes a row unless no run has anything in it. */
static bool write_lead(bench_page *page, const char *suite, const char *metric, bool begins) {
  bench_lead leads[BENCH_MAX_RUNS];
  size_t cases = 0;
  for (size_t f = 0; f < page->count; f++) {
    leads[f] = bench_page_lead(page->reports[f], suite, metric, NULL, NULL);
    cases += leads[f].cases;
  }
  if (cases == 0) {
    return false;
  }
  if (begins) {
    begin_leads(page);
  }
  bench_page_row row = {.count = 0};
  bench_page_cell(&row, bench_format("%s", suite), BENCH_PLAIN);
  row.cells[0].link = bench_identifier(suite);
  bench_page_cell(&row, bench_format("%s", metric), BENCH_PLAIN);
  for (column c = MEAN; c < COLUMNS; c++) {
    for (size_t f = 0; f < page->count; f++) {
      add_lead(&row, &leads[f], c);
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

/* The endings that several cases of a metric share, but not all. */
static bench_result_names find_endings(const bench_page *page, const char *suite,
                                       const char *metric) {
  bench_result_names cases = {0}, all = {0}, shared = {0};
  for (size_t f = 0; f < page->count; f++) {
    for (size_t i = 0; i < page->reports[f]->count; i++) {
      const bench_result *r = &page->reports[f]->results[i];
      if (strcmp(r->suite, suite) == 0 && strcmp(r->metric.name, metric) == 0) {
        bench_result_names_add(&cases, r->case_name, NULL);
      }
    }
  }
  for (size_t c = 0; c < cases.count; c++) {
    const char *ending = bench_case_ending(cases.item[c]);
    const size_t before = all.count;
    bench_result_names_add(&all, ending, NULL);
    if (all.count == before) {
      bench_result_names_add(&shared, ending, NULL);
    }
  }
  shared.count = all.count > 1 ? shared.count : 0;
  bench_result_names_free(&cases);
  bench_result_names_free(&all);
  return shared;
}

static void begin_peers(bench_page *page, const bench_result_names *peers) {
  bench_page_row row = {.count = 0};
  page->document.writer->heading(&page->document, 3, "Over each peer");
  bench_page_cell(&row, bench_format("metric"), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("cases"), BENCH_PLAIN);
  for (size_t p = 0; p < peers->count; p++) {
    for (size_t f = 0; f < page->count; f++) {
      char *letter = bench_page_letter(page, f);
      bench_page_cell(&row, bench_format("%s%s", peers->item[p], letter), BENCH_PLAIN);
      free(letter);
    }
  }
  bench_page_begin_table(page, &row, 2);
}

/* Means over all cases, or over those with an ending, beside each peer. Returns whether there are
 * any. */
static bool write_peers_row(bench_page *page, const char *suite, const char *metric,
                            const char *ending, const bench_result_names *peers, bool begins) {
  char *what =
      bench_format("%s%s%s", metric, ending != NULL ? "-" : "", ending != NULL ? ending : "");
  bench_page_row row = {.id = bench_page_id(suite, what)};
  size_t cases = 0;
  free(what);
  bench_page_cell(&row, bench_format("%s", metric), BENCH_PLAIN);
  bench_page_cell(&row, bench_format("%s", ending != NULL ? ending : "all"), BENCH_PLAIN);
  for (size_t p = 0; p < peers->count; p++) {
    for (size_t f = 0; f < page->count; f++) {
      const bench_lead lead =
          bench_page_lead(page->reports[f], suite, metric, ending, peers->item[p]);
      cases += lead.cases;
      bench_page_ratio(&row, lead.mean);
      if (lead.cases > 1) {
        bench_cell *cell = &row.cells[row.count - 1];
        free((char *)cell->text);
        cell->text = bench_format("%.2f (%.2f to %.2f)", lead.mean, lead.min, lead.max);
      }
    }
  }
  if (cases > 0 && begins) {
    begin_peers(page, peers);
  }
  if (cases > 0) {
    bench_page_write_row(page, &row);
  } else {
    bench_page_drop_row(&row);
  }
  return cases > 0;
}

void bench_page_write_peers(bench_page *page, const char *suite) {
  bench_result_names peers = find_peers(page, suite), metrics = bench_page_metrics(page, suite);
  bool any = false;
  for (size_t m = 0; m < metrics.count && peers.count > 0; m++) {
    if (!write_peers_row(page, suite, metrics.item[m], NULL, &peers, !any)) {
      continue;
    }
    any = true;
    if (!bench_page_is_headline(suite, metrics.item[m])) {
      continue;
    }
    bench_result_names endings = find_endings(page, suite, metrics.item[m]);
    for (size_t e = 0; e < endings.count; e++) {
      write_peers_row(page, suite, metrics.item[m], endings.item[e], &peers, false);
    }
    bench_result_names_free(&endings);
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
      "cases in which it is no worse, the minimum ratio, its case and the peer. Below 1, the peer "
      "is "
      "better.");
  bench_result_names suites = bench_page_suites(page);
  bool any = false;
  for (size_t s = 0; s < suites.count; s++) {
    bench_result_names metrics = bench_page_metrics(page, suites.item[s]);
    for (size_t m = 0; m < metrics.count; m++) {
      if (!bench_page_is_headline(suites.item[s], metrics.item[m])) {
        continue;
      }
      any = write_lead(page, suites.item[s], metrics.item[m], !any) || any;
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
  writer->paragraph(
      &page->document,
      "In the tables below, ratios over each peer are means, with the minimum and "
      "the maximum; times are medians ± the interquartile range, in brackets the 99th "
      "percentile and the worst.");
}
