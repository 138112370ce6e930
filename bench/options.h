/* The options of suites and those that all have, by argp.
 *
 * A suite describes its options in a table. A run of several suites takes the options of all of
 * them; an option that several have goes to each. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

typedef enum bench_option_type {
  BENCH_COUNT,  /* uint32_t, from min to max */
  BENCH_COUNTS, /* bench_counts: numbers with commas, each from min to max */
  BENCH_REAL,   /* double, from min to max */
  BENCH_FLAG,   /* bool, without an argument */
  BENCH_TEXT,   /* const char *, null unless given */
  BENCH_NAME,   /* const char *, one of the names */
  BENCH_LIST,   /* const char *, of the names with commas; null: all */
  BENCH_FILES,  /* bench_files; may be repeated */
} bench_option_type;

enum { BENCH_MAX_COUNTS = 16, BENCH_MAX_FILES = 256 };

typedef struct bench_counts {
  uint32_t item[BENCH_MAX_COUNTS];
  size_t count;
} bench_counts;

typedef struct bench_files {
  const char *path[BENCH_MAX_FILES];
  size_t count;
} bench_files;

typedef struct bench_option {
  const char *name;
  const char *argument; /* as --help names it; null for flags */
  const char *help;     /* without the default */
  bench_option_type type;
  size_t offset;       /* in the suite's settings */
  const char *initial; /* what it is unless given; null: zero */
  const char *quick;   /* the same with --quick; null: `initial` */
  double min, max;
  const char *(*name_at)(unsigned index); /* null past the last */
} bench_option;

/* The option of suites that measure several workers: `threads` in their settings. */
#define BENCH_THREADS(what, settings)                                                              \
  {                                                                                                \
    "threads", "W,...",                                                                            \
        "engines of these numbers of workers " what "; their times are wall times", BENCH_COUNTS,  \
        .offset = offsetof(settings, threads), .initial = "1", .min = 1, .max = 256                \
  }

struct bench_suite;

/* A suite with what the command line says for it. */
typedef struct bench_job {
  const struct bench_suite *suite;
  void *settings;              /* in a struct of the suite's */
  const char *engines, *peers; /* lists; null: as the suite has it, all */
  char *data;                  /* the folder of the suite's data; null: it needs none */
  uint64_t seed;
  uint32_t repeats;
  bench_names texts; /* the options as text, name and value in turns */
  char *files;       /* of the option with files, with commas; null: none are given */
} bench_job;

typedef struct bench_command {
  bench_job *jobs;
  size_t job_count;
  const char *json, *csv, *html; /* files; null: none */
  const char *markdown;          /* a folder */
  bool to_output;                /* one of them goes to standard output, and tables do not */
  bool quick;
} bench_command;

/* Parses `run SUITE... [options]`, from the first suite on; argv[0] is the program's name for
 * messages. Fails with a message, or ends the program after --help. */
bench_command bench_parse_command(int argc, char **argv);
void bench_free_command(bench_command *command);

/* Prints what a suite is, its engines and the peers that were found. */
void bench_list_suite(const struct bench_suite *suite);

#endif
