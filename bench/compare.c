/* Two runs compared, number by number.
 *
 * A time has moved if its medians differ by more than the larger of the two interquartile ranges;
 * of a single measurement nothing is known about that. A count has moved if it differs at all,
 * beyond the digits that are written. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differences.h"
#include "report_data.h"
#include "table.h"

typedef struct tally {
  size_t rows, better, worse, other, only_before, only_after;
} tally;

typedef enum movement { SAME, BETTER, WORSE, OTHER, UNKNOWN } movement;

static const char *const movements[] = {
    [SAME] = "", [BETTER] = "better", [WORSE] = "worse", [OTHER] = "differs", [UNKNOWN] = "?"};

static double range(const bench_result *r) {
  return r->timed ? r->value.spread * fabs(r->value.median) : 2e-6 * fabs(r->value.median);
}

static movement judge(const bench_result *before, const bench_result *after) {
  if (before->timed && (before->value.repeats < 2 || after->value.repeats < 2)) {
    return UNKNOWN;
  }
  double change = after->value.median - before->value.median;
  if (fabs(change) <= fmax(range(before), range(after))) {
    return SAME;
  }
  if (before->metric.sense == BENCH_NEITHER_IS_BETTER) {
    return OTHER;
  }
  return (change > 0) == (before->metric.sense == BENCH_MORE_IS_BETTER) ? BETTER : WORSE;
}

static void add_row(bench_table *table, const bench_result *before, const bench_result *after,
                    movement moved) {
  char *label = bench_format("%s %s", before->engine, before->metric.name);
  char text[64];
  bench_table_row(table, label);
  free(label);
  bench_format_result(text, sizeof text, before);
  bench_table_cell(table, 0, text);
  bench_format_result(text, sizeof text, after);
  bench_table_cell(table, 1, text);
  if (before->value.median != 0) {
    snprintf(text, sizeof text, "%.3f", after->value.median / before->value.median);
    bench_table_cell(table, 2, text);
  }
  bench_table_cell(table, 3, movements[moved]);
}

static bench_table *begin_table(const bench_result *r) {
  static const char *const headings[] = {"before", "after", "ratio", "moved"};
  printf("%s %s\n", r->suite, r->case_name);
  bench_table *table = bench_table_create(4);
  for (size_t i = 0; i < 4; i++) {
    bench_table_head(table, i, headings[i], NULL);
  }
  return table;
}

static bool is_same_case(const bench_result *a, const bench_result *b) {
  return strcmp(a->suite, b->suite) == 0 && strcmp(a->case_name, b->case_name) == 0;
}

static const bench_result *find(const bench_report *report, const bench_result *r) {
  return bench_report_find(report, r->suite, r->case_name, r->engine, r->metric.name);
}

static void compare_case(const bench_report *after, const bench_result *rows, size_t count,
                         tally *sum) {
  bench_table *table = begin_table(rows);
  for (size_t i = 0; i < count; i++) {
    const bench_result *other = find(after, &rows[i]);
    if (other == NULL) {
      sum->only_before++;
      continue;
    }
    movement moved = judge(&rows[i], other);
    add_row(table, &rows[i], other, moved);
    sum->rows++;
    sum->better += moved == BETTER;
    sum->worse += moved == WORSE;
    sum->other += moved == OTHER;
  }
  bench_table_print(table);
}

static void warn(void *context, const char *text) {
  (void)context;
  bench_progress("warning: the runs differ: %s", text);
}

int bench_compare(const char *before_path, const char *after_path) {
  bench_report *before = bench_report_read(before_path), *after = bench_report_read(after_path);
  tally sum = {0};
  bench_find_differences(before, after, warn, NULL);
  for (size_t i = 0; i < before->count;) {
    size_t end = i + 1;
    while (end < before->count && is_same_case(&before->results[i], &before->results[end])) {
      end++;
    }
    compare_case(after, &before->results[i], end - i, &sum);
    i = end;
  }
  for (size_t i = 0; i < after->count; i++) {
    sum.only_after += find(before, &after->results[i]) == NULL;
  }
  printf("%zu numbers: beyond their spread %zu are better, %zu worse, and %zu differ where neither "
         "is better; %zu are only in %s, %zu only in %s\n",
         sum.rows, sum.better, sum.worse, sum.other, sum.only_before, before_path, sum.only_after,
         after_path);
  bench_report_destroy(before);
  bench_report_destroy(after);
  return sum.worse > 0;
}
