/* What is in a report, for the files that print, write, read and compare reports. */
#ifndef BENCH_REPORT_DATA_H
#define BENCH_REPORT_DATA_H

#include <cjson/cJSON.h>

#include "report.h"

typedef struct bench_result {
  char *suite, *case_name, *engine;
  bench_metric metric;
  bench_summary value;
  bool timed; /* else counted: there is no spread */
} bench_result;

typedef struct bench_peer {
  char *engine, *version;
} bench_peer;

/* Results are kept in the order in which they come; tables look names up by walking them: there are
 * a few thousand at most. */
struct bench_report {
  bool is_silent; /* prints no tables */
  char *suite;    /* the last one begun */
  size_t first;   /* of its results */
  bench_result *results;
  size_t count, capacity;
  bench_peer *peers;
  size_t peer_count, peer_capacity;
  cJSON *suites;  /* options, by suite */
  cJSON *do_less; /* suite, engine and reason of each */
  cJSON *refused; /* case, engine and reason of each */
  cJSON *source;  /* of a report that was read: the file, to which strings of metrics belong */
};

/* Adds a result with all that is to be known of it. */
void bench_report_append(bench_report *report, const char *suite, const bench_result *result);

/* Whether Motte is not compared with an engine in a suite, as that does less there. */
bool bench_report_is_not_compared(const bench_report *report, const char *suite,
                                  const char *engine);

/* Null if there is none. */
const bench_result *bench_report_find(const bench_report *report, const char *suite,
                                      const char *case_name, const char *engine,
                                      const char *metric);

/* How many times better `mine` is than `theirs`; 0 where that has no meaning. */
double bench_result_ratio(const bench_result *mine, const bench_result *theirs);

/* Cases are "what/how": the second part, or all of a name without one. */
const char *bench_case_ending(const char *case_name);

/* As few digits as say something. */
void bench_format_number(char *text, size_t size, double value);

/* Names in a report, each once, in the order in which they come; they belong to the report. */
typedef struct bench_result_names {
  const char **item;
  const bench_metric **metric; /* which a name is of; null: of none */
  size_t count, capacity, metric_capacity;
} bench_result_names;

/* A name that is there already is not added again. */
void bench_result_names_add(bench_result_names *names, const char *name,
                            const bench_metric *metric);
void bench_result_names_free(bench_result_names *names);

/* "-" for null; with the spread if there is one. */
void bench_format_result(char *text, size_t size, const bench_result *result);

/* The 99th percentile of 100 samples of which the last is the worst, and the worst. */
double bench_result_p99(const bench_result *result);
double bench_result_worst(const bench_result *result);

#endif
