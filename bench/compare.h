/* The JSON of two runs, compared. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

/* Prints each number that both files have: before, after, and their ratio; says which ones moved by
 * more than their spread. Warns, on the error stream, if machines, options or seeds differ. Returns
 * whether one of these is worse. */
int bench_compare(const char *before_path, const char *after_path);

#endif
