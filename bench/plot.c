/* The plot of a suite: curves over a number in the names of its cases, if there are three sizes or
 * more, else ratios of the first engine over the others, by case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "gnuplot.h"
#include "page.h"
#include "scaling.h"

/* More are not told apart by their colours. */
enum { MAX_SERIES = 10, MAX_CASES = 60, WIDTH = 860 };

/* Of Okabe and Ito, for people who see colours differently, and darker ones of them. */
static const char *const colors[MAX_SERIES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#b8860b", "#56b4e9", "#7f3b00", "#5e3c99",
                                               "#4d4d4d", "#66a61e"};

/* A script, and how many series it has. */
typedef struct script {
  FILE *file;
  char *text;
  size_t size;
  size_t series;
} script;

static void begin_script(script *self) {
  *self = (script){.file = NULL};
  self->file = open_memstream(&self->text, &self->size);
  if (self->file == NULL) {
    fail("cannot allocate a plot");
  }
  fputs("set border 3 lc rgb '#888888'\nset grid lc rgb '#cccccc' lw 0.6\n"
        "set tics nomirror textcolor rgb '#333333'\n"
        "set key outside right top vertical Left reverse spacing 1.3 samplen 1.5\n",
        self->file);
}

/* A text in quotes. The end of a line would end it, and what follows would be a command: control
 * characters are written as blanks. */
static void put_quoted(FILE *file, const char *text) {
  fputc('\'', file);
  for (; *text != '\0'; text++) {
    fputs(*text == '\'' ? "'" : "", file);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
  }
  fputc('\'', file);
}

/* The metric that a suite's plot shows: the first headline, else the first of which more or less is
 * better. */
static const bench_metric *choose_metric(const bench_page_names *metrics, const char *suite) {
  for (int headlines = 1; headlines >= 0; headlines--) {
    for (size_t m = 0; m < metrics->count; m++) {
      if (metrics->metric[m]->sense != BENCH_NEITHER_IS_BETTER &&
          (headlines == 0 || bench_page_is_headline(suite, metrics->item[m]))) {
        return metrics->metric[m];
      }
    }
  }
  return NULL;
}

/* The name of a suite's plot, in files and in ids, for free(). Names in a report may be anything,
 * such as a path or markup. */
static char *plot_name(const char *suite) {
  char *name = bench_format("%s", suite);
  for (char *c = name; *c != '\0'; c++) {
    bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    *c = is_letter || (*c >= '0' && *c <= '9') || *c == '-' ? *c : '_';
  }
  return name;
}

/* Draws, with a caption that is freed. */
static void finish(bench_page *page, script *self, const char *suite, int height, char *caption) {
  fclose(self->file);
  char *name = plot_name(suite);
  char *svg = self->series > 0 ? bench_draw(self->text, name, WIDTH, height) : NULL;
  if (svg != NULL) {
    page->document.writer->picture(&page->document, svg, name, caption);
  }
  free(name);
  free(svg);
  free(self->text);
  free(caption);
}

/* Engines of all runs, each with its run. */
typedef struct series {
  size_t run;
  const char *engine;
} series;

static size_t find_series(const bench_page *page, const char *suite, series *found, size_t max) {
  size_t count = 0;
  for (size_t f = 0; f < page->count; f++) {
    bench_page_names engines = {0};
    for (size_t i = 0; i < page->reports[f]->count; i++) {
      const bench_result *r = &page->reports[f]->results[i];
      if (strcmp(r->suite, suite) == 0) {
        bench_page_names_add(&engines, r->engine, NULL);
      }
    }
    for (size_t e = 0; e < engines.count && count < max; e++) {
      found[count++] = (series){f, engines.item[e]};
    }
    bench_page_names_free(&engines);
  }
  return count;
}

/* Curves. */

/* Begins the list of series, or goes on with it. */
static void put_series(const bench_page *page, script *self, const series *s, const char *style) {
  fprintf(self->file, "%s '-' with %s pt %zu lc rgb '%s' title ", self->series == 0 ? "plot" : ",",
          style, 5 + 2 * (self->series % 5), colors[self->series]);
  char *letter = bench_page_letter(page, s->run), *title = bench_format("%s%s", s->engine, letter);
  put_quoted(self->file, title);
  free(title);
  free(letter);
  self->series++;
}

static void put_points(script *self, const bench_curve *curve) {
  for (size_t i = 0; i < curve->count; i++) {
    fprintf(self->file, "%.6g %.6g\n", curve->x[i], curve->y[i]);
  }
  fputs("e\n", self->file);
}

static void plot_curves(bench_page *page, const char *suite, const char *key,
                        const bench_metric *metric) {
  series found[BENCH_MAX_COLUMNS];
  size_t count = find_series(page, suite, found, BENCH_MAX_COLUMNS);
  bench_curve curves[MAX_SERIES];
  script self;
  begin_script(&self);
  fprintf(self.file, "set logscale xy\nset xlabel 'N'\nset ylabel ");
  char *label = bench_format("%s, %s", metric->name, metric->unit);
  put_quoted(self.file, label);
  free(label);
  fputs("\nset format '%g'\n", self.file);
  for (size_t i = 0; i < count && self.series < MAX_SERIES; i++) {
    bench_curve curve =
        bench_scaling_curve(page->reports[found[i].run], suite, key, found[i].engine, metric->name);
    if (curve.count > 1) {
      curves[self.series] = curve;
      put_series(page, &self, &found[i], "linespoints lw 2 ps 0.7");
    }
  }
  fputc('\n', self.file);
  for (size_t i = 0; i < self.series; i++) {
    put_points(&self, &curves[i]);
  }
  finish(page, &self, suite, 420,
         bench_format("%s (%s) of %s, both axes logarithmic; %s is better.", metric->name,
                      metric->unit, key, metric->sense == BENCH_MORE_IS_BETTER ? "more" : "less"));
}

/* Ratios. */

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
                       const char *metric, const series *s) {
  const bench_report *report = page->reports[s->run];
  const bench_result *first = find_compared(report, suite, case_name, metric);
  if (first == NULL || strcmp(first->engine, s->engine) == 0 ||
      bench_report_is_not_compared(report, suite, s->engine)) {
    return 0;
  }
  return bench_result_ratio(first, bench_report_find(report, suite, case_name, s->engine, metric));
}

/* Which engines others are to be shown: peers if there are any. */
static size_t find_others(const bench_page *page, const char *suite, series *found, size_t max) {
  size_t count = find_series(page, suite, found, max), kept = 0;
  bool peers = false;
  for (size_t i = 0; i < count; i++) {
    peers = peers || bench_page_is_peer(page->reports[found[i].run], found[i].engine);
  }
  for (size_t i = 0; i < count; i++) {
    if (!peers || bench_page_is_peer(page->reports[found[i].run], found[i].engine)) {
      found[kept++] = found[i];
    }
  }
  return kept;
}

static bool has_ratio(const bench_page *page, const char *suite, const bench_page_names *cases,
                      const char *metric, const series *s) {
  for (size_t c = 0; c < cases->count; c++) {
    if (ratio_in(page, suite, cases->item[c], metric, s) > 0) {
      return true;
    }
  }
  return false;
}

/* Cases that no series has a ratio in are left out. */
static bench_page_names cases_with_ratios(const bench_page *page, const char *suite,
                                          const char *metric, const series *others, size_t count) {
  bench_page_names cases = bench_page_cases(page, suite), kept = {0};
  for (size_t c = 0; c < cases.count && kept.count < MAX_CASES; c++) {
    for (size_t i = 0; i < count; i++) {
      if (ratio_in(page, suite, cases.item[c], metric, &others[i]) > 0) {
        bench_page_names_add(&kept, cases.item[c], NULL);
      }
    }
  }
  bench_page_names_free(&cases);
  return kept;
}

static void put_cases(FILE *file, const bench_page_names *cases) {
  fprintf(file, "set yrange [%zu.5:0.5]\nset ytics (", cases->count);
  for (size_t c = 0; c < cases->count; c++) {
    fputs(c > 0 ? ", " : "", file);
    put_quoted(file, cases->item[c]);
    fprintf(file, " %zu", c + 1);
  }
  fputs(")\n", file);
}

static void plot_ratios(bench_page *page, const char *suite, const bench_metric *metric) {
  series others[BENCH_MAX_COLUMNS];
  size_t count = find_others(page, suite, others, BENCH_MAX_COLUMNS);
  bench_page_names cases = cases_with_ratios(page, suite, metric->name, others, count);
  size_t shown[MAX_SERIES];
  script self;
  begin_script(&self);
  fputs("set logscale x\nset format x '%g'\nset xlabel 'times better (1: as good)'\n"
        "set arrow from 1,graph 0 to 1,graph 1 nohead lw 1.5 lc rgb '#555555'\n",
        self.file);
  put_cases(self.file, &cases);
  for (size_t i = 0; i < count && self.series < MAX_SERIES; i++) {
    if (has_ratio(page, suite, &cases, metric->name, &others[i])) {
      shown[self.series] = i;
      put_series(page, &self, &others[i], "points ps 1.1");
    }
  }
  fputc('\n', self.file);
  for (size_t i = 0; i < self.series; i++) {
    for (size_t c = 0; c < cases.count; c++) {
      double ratio = ratio_in(page, suite, cases.item[c], metric->name, &others[shown[i]]);
      if (ratio > 0) {
        fprintf(self.file, "%.6g %zu\n", ratio, c + 1);
      }
    }
    fputs("e\n", self.file);
  }
  const size_t lines = cases.count > self.series ? cases.count : self.series;
  finish(page, &self, suite, 130 + 22 * (int)lines,
         bench_format("%s: how many times better the first engine is than each other one, by case; "
                      "left of the line, the other one is better.",
                      metric->name));
  bench_page_names_free(&cases);
}

void bench_page_write_plot(bench_page *page, const char *suite) {
  if (!page->document.has_pictures || !bench_have_gnuplot()) {
    return;
  }
  bench_page_names metrics = bench_page_metrics(page, suite);
  const bench_metric *metric = choose_metric(&metrics, suite);
  bench_page_names keys = bench_scaling_keys(page, suite, 3);
  if (metric != NULL && keys.count > 0) {
    plot_curves(page, suite, keys.item[0], metric);
  } else if (metric != NULL) {
    plot_ratios(page, suite, metric);
  }
  bench_scaling_free(&keys);
  bench_page_names_free(&metrics);
}
