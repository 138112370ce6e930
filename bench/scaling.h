/* Rows whose cases differ in one number, such as "walk/1000/boxes" and "walk/10000/boxes": curves
 * over that number, and the exponents with which they grow. Engines that
 * differ in their number of workers are such a curve, too. */
#ifndef BENCH_SCALING_H
#define BENCH_SCALING_H

#include "page.h"

typedef struct bench_point {
  double x, y;
} bench_point;

typedef struct bench_curve {
  bench_point *item;
  size_t count, capacity;
} bench_curve;

/* The names of a suite's cases with the number that varies as N ("walk/N/boxes", "knot/N
 * triangles"; "ball/turning, N workers" for engines of several workers), each once, of which there
 * are at least `sizes`; for bench_scaling_free. */
bench_result_names bench_scaling_keys(const bench_page *page, const char *suite, size_t sizes);
/* Whether the number is that of workers. */
bool bench_scaling_is_of_workers(const char *key);
void bench_scaling_free(bench_result_names *keys);

/* What an engine has of one metric, ascending; points that are not positive are left out, and what
 * was counted is no curve over workers. For bench_curve_free. */
bench_curve bench_scaling_curve(const bench_report *report, const char *suite, const char *key,
                                const char *engine, const char *metric);
void bench_curve_free(bench_curve *curve);

/* The slope of the line that fits the curve best where both axes are logarithmic; NAN of fewer than
 * two sizes. */
double bench_curve_exponent(const bench_curve *curve);

#endif
