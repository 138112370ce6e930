/* Rows whose cases differ in one number, such as "walk/1000/boxes" and "walk/10000/boxes": curves
 * over that number, and the exponents with which they grow. Engines that
 * differ in their number of workers are such a curve, too. */
#ifndef BENCH_SCALING_H
#define BENCH_SCALING_H

#include "page.h"

enum { BENCH_MAX_POINTS = 64 };

typedef struct bench_curve {
  double x[BENCH_MAX_POINTS], y[BENCH_MAX_POINTS];
  size_t count;
} bench_curve;

/* The names of a suite's cases with the number that varies as N ("walk/N/boxes", "knot/N
 * triangles"; "ball/turning, N workers" for engines of several workers), each once, of which there
 * are at least `sizes`; for bench_scaling_free. */
bench_page_names bench_scaling_keys(const bench_page *page, const char *suite, size_t sizes);
void bench_scaling_free(bench_page_names *keys);

/* What an engine has of one metric, ascending; points that are not positive are left out. */
bench_curve bench_scaling_curve(const bench_report *report, const char *suite, const char *key,
                                const char *engine, const char *metric);

/* The slope of the line that fits the curve best where both axes are logarithmic; NAN of fewer than
 * two sizes. */
double bench_curve_exponent(const bench_curve *curve);

#endif
