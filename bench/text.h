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

/* Ends the program as fail() does, for what is wrong in a line of a file. */
__attribute__((noreturn, format(printf, 3, 4))) void bench_fail_at(const char *path, size_t line,
                                                                   const char *format, ...);

/* Whether a comma-separated list contains a name. "all" contains every name, "none" no name; a null
 * list is `otherwise`. */
bool bench_list_has(const char *list, const char *name, bool otherwise);

/* The names that an option may be given. They are not copied. */
typedef struct bench_names {
  const char *item[128];
  size_t count;
} bench_names;

/* A name that is there already is not added again. */
void bench_names_add(bench_names *names, const char *name);

/* With commas between them, for free(). */
char *bench_names_join(const bench_names *names);

/* Fails unless every name of a list (other than "all" and "none") is among those given; says then
 * which one is not, and lists those that are. A null list is right. */
void bench_list_check(const char *option, const char *list, const bench_names *names);

/* The same for a single name, which must not be null, "all" or "none". */
void bench_name_check(const char *option, const char *name, const bench_names *names);

/* The part of a path between its last slash and last dot, for free(). */
char *bench_stem(const char *path);

/* The text as a name of files and elements, for free(): all but letters, digits and - become _. */
char *bench_identifier(const char *text);

/* An argument of the command line without the folders of an absolute path, which say something of
 * the machine alone; for free(). */
char *bench_without_folders(const char *argument);

/* All of a file, for free(); fails with a message. */
char *bench_read_text(const char *path);

/* A whole number or a real number in [low, high] from an option's argument, or failure. */
uint64_t bench_parse_count(const char *option, const char *text, uint64_t low, uint64_t high);
double bench_parse_real(const char *option, const char *text, double low, double high);

#endif
