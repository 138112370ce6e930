/* Plots by gnuplot, which is looked for when the first is wanted. */
#ifndef BENCH_GNUPLOT_H
#define BENCH_GNUPLOT_H

#include <stdbool.h>

/* Whether there is a gnuplot. If not, says once that pages have no plots. */
bool bench_have_gnuplot(void);

/* Lets gnuplot draw what a script says, without terminal, as SVG of this size in pixels
 * that can stand in a page of HTML: `name`, of [A-Za-z0-9_-], is put before its ids, which must
 * differ in a page.
 * Null, after a message, if gnuplot fails; for free(). */
char *bench_draw(const char *script, const char *name, int width, int height);

#endif
