/* What is done with the JSON of runs. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stddef.h>

/* Prints each number that both files have: before, after, and their ratio; says which ones moved by
 * more than their spread. Returns whether one of these is worse. */
int bench_compare(const char *before_path, const char *after_path);

/* Writes a page in Markdown: of each file the machine, then a table for each case, with the engines
 * of all files side by side. */
void bench_write_markdown(const char *const *paths, size_t count);

#endif
