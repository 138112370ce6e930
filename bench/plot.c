#include "plot.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "gnuplot.h"
#include "grow.h"

/* Of Okabe and Ito, for people who see colours differently, and darker ones of them. */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b",
                                     "#56b4e9", "#7f3b00", "#5e3c99", "#4d4d4d", "#66a61e"};

enum { COLORS = sizeof colors / sizeof *colors, SHAPES = 5, DASHES = 5 };

bench_plot_list bench_plot_find_series(const bench_page *page, const char *suite) {
  bench_plot_list list = {0};
  for (size_t f = 0; f < page->count; f++) {
    bench_result_names engines = bench_page_engines(page->reports[f], suite);
    for (size_t e = 0; e < engines.count; e++) {
      if (list.count == list.capacity) {
        list.item = bench_grow(list.item, &list.capacity, sizeof *list.item);
      }
      list.item[list.count++] = (bench_plot_series){f, engines.item[e]};
    }
    bench_result_names_free(&engines);
  }
  return list;
}

void bench_plot_begin(bench_plot *self) {
  *self = (bench_plot){.file = NULL};
  self->file = open_memstream(&self->text, &self->size);
  if (self->file == NULL) {
    fail("cannot allocate a plot");
  }
  fputs("set border 3 lc rgb '#888888'\nset grid lc rgb '#cccccc' lw 0.6\n"
        "set tics nomirror textcolor rgb '#333333'\n",
        self->file);
}

/* The end of a line would end the text, and what follows would be a command: control characters are
 * written as blanks. */
void bench_plot_quote(bench_plot *self, const char *text) {
  fputc('\'', self->file);
  for (; *text != '\0'; text++) {
    fputs(*text == '\'' ? "'" : "", self->file);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, self->file);
  }
  fputc('\'', self->file);
}

/* The place of an engine among those that have come. */
static size_t number_of(bench_result_names *engines, const char *engine) {
  bench_result_names_add(engines, engine, NULL);
  size_t i = 0;
  while (strcmp(engines->item[i], engine) != 0) {
    i++;
  }
  return i;
}

/* Gnuplot's filled shapes have the numbers 5, 7, 9, 11 and 13, and the same ones unfilled come
 * before each. Engines that share a colour differ in shape. */
void bench_plot_style(bench_plot *self, const bench_page *page, const bench_plot_series *series,
                      const char *with) {
  const size_t engine = number_of(&self->engines, series->engine), run = series->run;
  fprintf(self->file, "with %s pt %zu dt %zu lc rgb '%s' title ", with,
          5 + 2 * ((engine + engine / COLORS + run / 2) % SHAPES) - run % 2, 1 + run % DASHES,
          colors[engine % COLORS]);
  char *letter = bench_page_letter(page, run),
       *title = bench_format("%s%s", series->engine, letter);
  bench_plot_quote(self, title);
  free(title);
  free(letter);
}

/* The name of a plot, in files and in ids, for free(). Names in a report may be anything, such as a
 * path or markup. */
static char *plot_name(const char *suite, const char *suffix) {
  char *text = bench_format("%s%s", suite, suffix), *name = bench_identifier(text);
  free(text);
  return name;
}

void bench_plot_finish(bench_plot *self, bench_page *page, const char *suite, const char *suffix,
                       int height, char *caption) {
  fclose(self->file);
  char *name = plot_name(suite, suffix);
  char *svg =
      self->engines.count > 0 ? bench_draw(self->text, name, BENCH_PLOT_WIDTH, height) : NULL;
  if (svg != NULL) {
    page->document.writer->picture(&page->document, svg, name, caption);
  }
  bench_result_names_free(&self->engines);
  free(name);
  free(svg);
  free(self->text);
  free(caption);
}
