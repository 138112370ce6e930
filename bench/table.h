/* Tables for people: columns as wide as they need to be, and no line beyond 120 characters. A table
 * with more columns than that is printed in parts below each other, each with the rows' labels. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stddef.h>

typedef struct bench_table bench_table;

/* For bench_table_print. */
bench_table *bench_table_create(size_t columns);

/* The two lines above a column. The unit may be null. Texts are copied, here and below. */
void bench_table_head(bench_table *table, size_t column, const char *heading, const char *unit);

/* Begins a row, whose cells are empty. */
void bench_table_row(bench_table *table, const char *label);

/* A cell of the last row. */
void bench_table_cell(bench_table *table, size_t column, const char *text);

/* Prints to standard output and destroys the table. */
void bench_table_print(bench_table *table);

#endif
