/* Texts: names in option lists, numbers in options, formatted strings, progress. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line on the error stream, so that standard output holds tables alone. */
__attribute__((format(printf, 1, 2))) void bench_progress(const char *format, ...);

/* A formatted string, for free(). */
__attribute__((format(printf, 1, 2))) char *bench_format(const char *format, ...);

/* Whether a comma-separated list contains a name. "all" contains every name, "none" no name; a null
 * list is `otherwise`. */
bool bench_list_has(const char *list, const char *name, bool otherwise);

/* Fails unless every name of a list (other than "all" and "none") is among those given. */
void bench_list_check(const char *option, const char *list, const char *const *names, size_t count);

/* The part of a path between its last slash and last dot, for free(). */
char *bench_stem(const char *path);

/* A whole number or a real number in [low, high] from an option's argument, or failure. */
uint64_t bench_parse_count(const char *option, const char *text, uint64_t low, uint64_t high);
double bench_parse_real(const char *option, const char *text, double low, double high);

#endif
