/* The plot of a suite's curves over a number in the names of its cases: a panel for each group of
 * cases that differ in that number alone, if there are three sizes or more. */
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "grow.h"
#include "plot.h"
#include "scaling.h"

/* Further groups are in the table of exponents alone, which the caption says. */
enum { SIZES = 3, MAX_PANELS = 12, ACROSS = 3, LEGEND_LINE = 25 };

/* The panels of a plot, in pixels. */
typedef struct layout {
  size_t panels, across, legend_rows;
  int panel_height, legend_height, height;
} layout;

static layout arrange(size_t panels, size_t series) {
  layout self = {.panels = panels, .across = panels < ACROSS ? panels : ACROSS};
  self.legend_rows = (series + ACROSS - 1) / ACROSS;
  self.panel_height = panels == 1 ? 360 : 240;
  self.legend_height = LEGEND_LINE * (int)(self.legend_rows + 1);
  self.height =
      self.legend_height + self.panel_height * (int)((panels + self.across - 1) / self.across);
  return self;
}

/* Where the next panel is, from the top left on. */
static void place(bench_plot *self, const layout *l, size_t panel) {
  const double row = (double)(panel / l->across), column = (double)(panel % l->across);
  fprintf(self->file, "set size %.6f,%.6f\nset origin %.6f,%.6f\n", 1 / (double)l->across,
          (double)l->panel_height / l->height, column / (double)l->across,
          1 - (row + 1) * l->panel_height / l->height);
}

static bool has_size(const bench_curve *curve, double size) {
  for (size_t k = 0; k < curve->count; k++) {
    if (curve->item[k].x == size) {
      return true;
    }
  }
  return false;
}

/* The sizes themselves, each once: few are decades. */
static void put_sizes(bench_plot *self, const bench_curve *curves, size_t count) {
  const char *separator = "";
  fputs("set autoscale xfix\nset offsets graph 0.04, graph 0.04, 0, 0\nset xtics (", self->file);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < curves[i].count; k++) {
      bool is_put = false;
      for (size_t j = 0; j < i && !is_put; j++) {
        is_put = has_size(&curves[j], curves[i].item[k].x);
      }
      if (!is_put) {
        fprintf(self->file, "%s%.6g", separator, curves[i].item[k].x);
        separator = ", ";
      }
    }
  }
  fputs(")\n", self->file);
}

static void put_curves(bench_plot *self, const bench_page *page, const char *suite, const char *key,
                       const char *metric, const bench_plot_list *list) {
  bench_curve *curves = allocate(list->count, sizeof *curves);
  const char *separator = "plot";
  for (size_t i = 0; i < list->count; i++) {
    const bench_plot_series *s = &list->item[i];
    curves[i] = bench_scaling_curve(page->reports[s->run], suite, key, s->engine, metric);
  }
  put_sizes(self, curves, list->count);
  fputs("set title ", self->file);
  bench_plot_quote(self, key);
  fputc('\n', self->file);
  for (size_t i = 0; i < list->count; i++) {
    if (curves[i].count > 1) {
      fprintf(self->file, "%s '-' ", separator);
      bench_plot_style(self, page, &list->item[i], "linespoints lw 2 ps 0.7");
      separator = ",";
    }
  }
  fputc('\n', self->file);
  for (size_t i = 0; i < list->count; i++) {
    for (size_t k = 0; curves[i].count > 1 && k < curves[i].count; k++) {
      fprintf(self->file, "%.6g %.6g\n", curves[i].item[k].x, curves[i].item[k].y);
    }
    fputs(curves[i].count > 1 ? "e\n" : "", self->file);
    bench_curve_free(&curves[i]);
  }
  free(curves);
}

/* One legend below all panels. */
static void put_legend(bench_plot *self, const bench_page *page, const layout *l,
                       const bench_plot_list *list) {
  fprintf(self->file,
          "unset title\nunset border\nunset tics\nunset grid\nunset logscale\nset margins 0,0,0,0\n"
          "set size 1,%.6f\nset origin 0,0\n"
          "set key center center vertical maxrows %zu Left reverse spacing 1.3 samplen 3\n"
          "plot [0:1][0:1] ",
          (double)l->legend_height / l->height, l->legend_rows);
  for (size_t i = 0; i < list->count; i++) {
    fputs(i > 0 ? ", NaN " : "NaN ", self->file);
    bench_plot_style(self, page, &list->item[i], "linespoints lw 2 ps 0.7");
  }
  fputc('\n', self->file);
}

static bool has_curve(const bench_page *page, const char *suite, const char *key,
                      const char *metric, const bench_plot_series *s) {
  bench_curve curve = bench_scaling_curve(page->reports[s->run], suite, key, s->engine, metric);
  bool any = curve.count > 1;
  bench_curve_free(&curve);
  return any;
}

/* The groups in which some engine has a curve, those over workers last; for bench_scaling_free. */
static bench_result_names find_groups(const bench_page *page, const char *suite,
                                      const char *metric) {
  bench_plot_list list = bench_plot_find_series(page, suite);
  bench_result_names keys = bench_scaling_keys(page, suite, SIZES), found = {0};
  for (int workers = 0; workers < 2; workers++) {
    for (size_t k = 0; k < keys.count; k++) {
      bool any = false;
      for (size_t i = 0; i < list.count && !any; i++) {
        any = has_curve(page, suite, keys.item[k], metric, &list.item[i]);
      }
      if (any && bench_scaling_is_of_workers(keys.item[k]) == (workers == 1)) {
        bench_result_names_add(&found, bench_format("%s", keys.item[k]), NULL);
      }
    }
  }
  bench_scaling_free(&keys);
  free(list.item);
  return found;
}

/* The series that have a curve in any of the groups. */
static bench_plot_list find_curves(const bench_page *page, const char *suite,
                                   const bench_result_names *keys, const char *metric) {
  bench_plot_list list = bench_plot_find_series(page, suite);
  size_t all = list.count;
  list.count = 0;
  for (size_t i = 0; i < all; i++) {
    bool any = false;
    for (size_t k = 0; k < keys->count && !any; k++) {
      any = has_curve(page, suite, keys->item[k], metric, &list.item[i]);
    }
    if (any) {
      list.item[list.count++] = list.item[i];
    }
  }
  return list;
}

static char *caption_of(const bench_metric *metric, size_t shown, size_t all) {
  char *more = shown < all ? bench_format(" The first %zu of %zu groups of cases.", shown, all)
                           : bench_format("%s", "");
  char *text =
      bench_format("%s (%s) over N, both axes logarithmic; %s is better.%s", metric->name,
                   metric->unit, metric->sense == BENCH_MORE_IS_BETTER ? "more" : "less", more);
  free(more);
  return text;
}

static void plot(bench_page *page, const char *suite, const bench_metric *metric,
                 const bench_result_names *keys) {
  bench_result_names shown = *keys;
  shown.count = keys->count < MAX_PANELS ? keys->count : MAX_PANELS;
  bench_plot_list list = find_curves(page, suite, &shown, metric->name);
  const layout l = arrange(shown.count, list.count);
  bench_plot self;
  bench_plot_begin(&self);
  fputs("set logscale xy\nset format '%g'\nunset key\nset multiplot\n", self.file);
  for (size_t k = 0; k < shown.count; k++) {
    place(&self, &l, k);
    put_curves(&self, page, suite, shown.item[k], metric->name, &list);
  }
  put_legend(&self, page, &l, &list);
  fputs("unset multiplot\n", self.file);
  bench_plot_finish(&self, page, suite, "-growth", l.height,
                    caption_of(metric, shown.count, keys->count));
  free(list.item);
}

bool bench_page_has_curves(const bench_page *page, const char *suite) {
  const bench_metric *metric = bench_page_plotted_metric(page, suite);
  bench_result_names keys = {0};
  if (metric != NULL) {
    keys = find_groups(page, suite, metric->name);
  }
  bool any = keys.count > 0;
  bench_scaling_free(&keys);
  return any;
}

void bench_page_write_curves(bench_page *page, const char *suite) {
  const bench_metric *metric = bench_page_plotted_metric(page, suite);
  if (!page->document.has_pictures || metric == NULL || !bench_have_gnuplot()) {
    return;
  }
  bench_result_names keys = find_groups(page, suite, metric->name);
  if (keys.count > 0) {
    plot(page, suite, metric, &keys);
  }
  bench_scaling_free(&keys);
}
