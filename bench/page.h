/* What a report of one or several runs says, in whichever format: where Motte leads, the machines,
 * and of each suite a plot and tables. */
#ifndef BENCH_PAGE_H
#define BENCH_PAGE_H

#include "document.h"
#include "report_data.h"

enum { BENCH_MAX_RUNS = 16, BENCH_MAX_COLUMNS = 1200 };

typedef struct bench_page {
  bench_document document;
  bench_report *reports[BENCH_MAX_RUNS]; /* as read from JSON */
  char *names[BENCH_MAX_RUNS];           /* of the files */
  size_t count;
} bench_page;

/* The report belongs to the page from then on. Joins reports of one machine and different suites.
 * Fails if there are too many runs. */
void bench_page_add(bench_page *page, bench_report *report, const char *name);
/* Frees its runs. */
void bench_page_free(bench_page *page);

/* Writes all to the document's file. */
void bench_page_write(bench_page *page);

/* The parts of a page that have files of their own. */

/* Where Motte leads and where not: a row for each suite and metric that peers have, too. */
void bench_page_write_leads(bench_page *page);

/* The same for each peer of one suite. */
void bench_page_write_peers(bench_page *page, const char *suite);

/* The exponents with which times grow with a number in the names of cases, and their plot. */
void bench_page_write_scaling(bench_page *page, const char *suite);

/* The plots of a suite: of ratios, if there are peers or nothing else to plot, and of curves. */
void bench_page_write_ratios(bench_page *page, const char *suite);
void bench_page_write_curves(bench_page *page, const char *suite);
bool bench_page_has_curves(const bench_page *page, const char *suite);

/* The metric that they show: the first headline that was measured, else the first metric of which
 * more or less is better; null: there is none. */
const bench_metric *bench_page_plotted_metric(const bench_page *page, const char *suite);

/* Whether an engine is a peer, not Motte's own; whether a suite has results of any. */
bool bench_page_is_peer(const bench_report *report, const char *engine);
bool bench_page_has_peers(const bench_page *page, const char *suite);

/* Those of a suite in one run. */
bench_result_names bench_page_engines(const bench_report *report, const char *suite);

/* Whether a result is of the first of Motte's engines that has its case and metric: the one that
 * is compared with peers. */
bool bench_page_is_compared(const bench_report *report, const bench_result *result);

/* How many times better a result is than the best peer in its case; 0: no peer has it. Sets that
 * peer unless it is null. */
double bench_page_over_best(const bench_report *report, const bench_result *result,
                            const char **peer);

/* Whether the first screen shows a metric. */
bool bench_page_is_headline(const char *suite, const char *metric);

/* How many times better Motte's compared engine is, over all cases of a suite that both have. */
typedef struct bench_lead {
  double mean, min, max; /* geometric mean, and the extremes */
  const char *min_case, *min_peer;
  size_t cases, no_worse; /* how many, and in how many the ratio is at least 1 */
} bench_lead;

/* Over one peer, or over the best in each case for null; in cases with one ending, or in all for
 * null. */
bench_lead bench_page_lead(const bench_report *report, const char *suite, const char *metric,
                           const char *ending, const char *peer);

/* The metrics of a suite in all runs, each once, and the cases. They belong to the reports. */
bench_result_names bench_page_metrics(const bench_page *page, const char *suite);
bench_result_names bench_page_cases(const bench_page *page, const char *suite);
bench_result_names bench_page_suites(const bench_page *page);

/* The letter of a run, in brackets after a blank, where there are several; for free(). */
char *bench_page_letter(const bench_page *page, size_t run);

/* A row whose texts, links and id are freed when it is written. */
typedef struct bench_page_row {
  bench_cell cells[BENCH_MAX_COLUMNS];
  size_t count;
  char *id;
} bench_page_row;

/* The id of a row about something in a suite, for free(). */
char *bench_page_id(const char *suite, const char *what);

void bench_page_cell(bench_page_row *row, char *text, bench_tone tone);
void bench_page_write_row(bench_page *page, bench_page_row *row);
/* Frees it unwritten. */
void bench_page_drop_row(bench_page_row *row);

/* A ratio as a cell: what leads or trails by more than 2 % is marked. "-" for 0. */
void bench_page_ratio(bench_page_row *row, double ratio);

/* Begins a table of headings that bench_page_cell has put in a row, which is empty then. */
void bench_page_begin_table(bench_page *page, bench_page_row *headings, size_t labels);

#endif
