/* The plot of a suite's ratios: how many times better Motte is than others, by case. */
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "gnuplot.h"
#include "plot.h"
#include "scaling.h"

/* The result that others are compared with: the first of Motte's, else the first of all. */
static const bench_result *find_compared(const bench_report *report, const char *suite,
                                         const char *case_name, const char *metric) {
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *r = &report->results[i];
    if (strcmp(r->case_name, case_name) == 0 && strcmp(r->metric.name, metric) == 0 &&
        strcmp(r->suite, suite) == 0 && bench_page_is_compared(report, r)) {
      return r;
    }
  }
  return NULL;
}

static double ratio_in(const bench_page *page, const char *suite, const char *case_name,
                       const char *metric, const bench_plot_series *s) {
  const bench_report *report = page->reports[s->run];
  const bench_result *first = find_compared(report, suite, case_name, metric);
  if (first == NULL || strcmp(first->engine, s->engine) == 0 ||
      bench_report_is_not_compared(report, suite, s->engine)) {
    return 0;
  }
  return bench_result_ratio(first, bench_report_find(report, suite, case_name, s->engine, metric));
}

/* The ratios of a series, by case; 0: none. */
typedef struct row {
  bench_plot_series series;
  double *ratio; /* for free() */
  bool is_shown;
} row;

/* Peers if there are any, else Motte's other engines. Sets which cases have a ratio. */
static row *find_rows(const bench_page *page, const char *suite, const bench_result_names *cases,
                      const char *metric, bool *has_ratio, size_t *count) {
  bench_plot_list list = bench_plot_find_series(page, suite);
  row *rows = allocate(list.count + 1, sizeof *rows);
  bool peers = bench_page_has_peers(page, suite);
  *count = 0;
  for (size_t i = 0; i < list.count; i++) {
    const bench_plot_series *s = &list.item[i];
    if (peers && !bench_page_is_peer(page->reports[s->run], s->engine)) {
      continue;
    }
    row *r = &rows[*count];
    *r = (row){.series = *s, .ratio = allocate(cases->count, sizeof *r->ratio)};
    for (size_t c = 0; c < cases->count; c++) {
      r->ratio[c] = ratio_in(page, suite, cases->item[c], metric, s);
      has_ratio[c] = has_ratio[c] || r->ratio[c] > 0;
      r->is_shown = r->is_shown || r->ratio[c] > 0;
    }
    *count += 1;
  }
  free(list.item);
  return rows;
}

/* Cases that no series has a ratio in are left out. Returns how many are shown. */
static size_t put_cases(bench_plot *self, const bench_result_names *cases, const bool *has_ratio) {
  size_t shown = 0;
  fputs("set ytics (", self->file);
  for (size_t c = 0; c < cases->count; c++) {
    if (has_ratio[c]) {
      fputs(shown > 0 ? ", " : "", self->file);
      bench_plot_quote(self, cases->item[c]);
      fprintf(self->file, " %zu", ++shown);
    }
  }
  fprintf(self->file, ")\nset yrange [%zu.5:0.5]\n", shown);
  return shown;
}

static void put_points(bench_plot *self, const row *r, size_t case_count, const bool *has_ratio) {
  size_t shown = 0;
  for (size_t c = 0; c < case_count; c++) {
    shown += has_ratio[c];
    if (r->ratio[c] > 0) {
      fprintf(self->file, "%.6g %zu\n", r->ratio[c], shown);
    }
  }
  fputs("e\n", self->file);
}

/* The engine that is compared in all cases, or what it is. */
static const char *name_compared(const bench_page *page, const char *suite,
                                 const bench_result_names *cases, const char *metric) {
  const char *name = NULL;
  for (size_t f = 0; f < page->count; f++) {
    for (size_t c = 0; c < cases->count; c++) {
      const bench_result *first = find_compared(page->reports[f], suite, cases->item[c], metric);
      if (first != NULL && name != NULL && strcmp(first->engine, name) != 0) {
        return "the first engine";
      }
      name = first != NULL ? first->engine : name;
    }
  }
  return name != NULL ? name : "the first engine";
}

static void plot(bench_page *page, const char *suite, const char *metric) {
  bench_result_names cases = bench_page_cases(page, suite);
  bool *has_ratio = allocate(cases.count, sizeof *has_ratio);
  size_t count, lines = 0;
  row *rows = find_rows(page, suite, &cases, metric, has_ratio, &count);
  bench_plot self;
  bench_plot_begin(&self);
  fputs("set key outside right top vertical Left reverse spacing 1.3 samplen 1.5\n"
        "set logscale x\nset format x '%g'\nset xlabel 'times better (1: as good)'\n"
        "set arrow from 1,graph 0 to 1,graph 1 nohead lw 1.5 lc rgb '#555555'\n",
        self.file);
  const size_t shown = put_cases(&self, &cases, has_ratio);
  for (size_t i = 0; i < count; i++) {
    if (rows[i].is_shown) {
      fputs(lines++ == 0 ? "plot '-' " : ", '-' ", self.file);
      bench_plot_style(&self, page, &rows[i].series, "points ps 1.1");
    }
  }
  fputc('\n', self.file);
  for (size_t i = 0; i < count; i++) {
    if (rows[i].is_shown) {
      put_points(&self, &rows[i], cases.count, has_ratio);
    }
    free(rows[i].ratio);
  }
  lines = shown > lines ? shown : lines;
  bench_plot_finish(&self, page, suite, "", 130 + 22 * (int)lines,
                    bench_format("%s: how many times better %s is than each other engine, by case; "
                                 "left of the line, the other one is better.",
                                 metric, name_compared(page, suite, &cases, metric)));
  free(rows);
  free(has_ratio);
  bench_result_names_free(&cases);
}

void bench_page_write_ratios(bench_page *page, const char *suite) {
  const bench_metric *metric = bench_page_plotted_metric(page, suite);
  if (page->document.has_pictures && metric != NULL && bench_have_gnuplot() &&
      (bench_page_has_peers(page, suite) || !bench_page_has_curves(page, suite))) {
    plot(page, suite, metric->name);
  }
}
