/* What the plots of a page have in common: scripts for gnuplot, and series that are told apart. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "page.h"

enum { BENCH_PLOT_WIDTH = 860 };

/* An engine of a run, a series of points. */
typedef struct bench_plot_series {
  size_t run;
  const char *engine;
} bench_plot_series;

typedef struct bench_plot_list {
  bench_plot_series *item; /* for free() */
  size_t count, capacity;
} bench_plot_list;

/* All series of a suite. */
bench_plot_list bench_plot_find_series(const bench_page *page, const char *suite);

/* A script that is being written. Engines have colours in the order in which they come. */
typedef struct bench_plot {
  FILE *file;
  char *text;
  size_t size;
  bench_result_names engines;
} bench_plot;

void bench_plot_begin(bench_plot *self);

/* A text in quotes. */
void bench_plot_quote(bench_plot *self, const char *text);

/* The style of a series, after `with` ("points", "linespoints lw 2"), and its title. An engine has
 * the same colour and shape in each run, and runs differ in filling and dashes. */
void bench_plot_style(bench_plot *self, const bench_page *page, const bench_plot_series *series,
                      const char *with);

/* Draws the script, and adds the picture to the page. The name of its file is that of the suite
 * with `suffix`. Frees the caption. */
void bench_plot_finish(bench_plot *self, bench_page *page, const char *suite, const char *suffix,
                       int height, char *caption);

#endif
