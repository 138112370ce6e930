/* motte-bench: measures Motte, and its peers beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "text.h"

static const bench_suite *const suites[] = {
    &bench_suite_rays,      &bench_suite_moving,    &bench_suite_refit,
    &bench_suite_instances, &bench_suite_broadmark,
};

enum { SUITES = sizeof suites / sizeof *suites };

bench_options bench_default_options(void) {
  return (bench_options){.seed = 1, .repeats = 7};
}

enum { KEY_JSON = 0x1000, KEY_ENGINES, KEY_PEERS, KEY_SEED, KEY_REPEATS };

static const struct argp_option common_options[] = {
    {"json", KEY_JSON, "OUT", 0, "write the results to this file (- for standard output)", 10},
    {"engines", KEY_ENGINES, "LIST", 0, "Motte's engines to run: all or names, with commas", 10},
    {"peers", KEY_PEERS, "LIST", 0, "peers to run beside: all (default), none, or names", 10},
    {"seed", KEY_SEED, "S", 0, "of all random numbers (default 1)", 10},
    {"repeats", KEY_REPEATS, "R", 0, "measurements of which the median is taken (default 7)", 10},
    {0},
};

static error_t parse_common(int key, char *argument, struct argp_state *state) {
  bench_options *options = state->input;
  switch (key) {
  case KEY_JSON:
    options->json = argument;
    return 0;
  case KEY_ENGINES:
    options->engines = argument;
    return 0;
  case KEY_PEERS:
    options->peers = argument;
    return 0;
  case KEY_SEED:
    options->seed = bench_parse_count("seed", argument, 0, UINT64_MAX);
    return 0;
  case KEY_REPEATS:
    options->repeats = (int)bench_parse_count("repeats", argument, 1, 1000);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp bench_options_argp = {.options = common_options, .parser = parse_common};

bool bench_choose_peer(const bench_options *options, bench_report *report, const char *name,
                       const char *version) {
  bool chosen = bench_list_has(options->peers, name, true);
  if (chosen) {
    bench_report_add_peer(report, name, version);
  }
  return chosen;
}

void bench_finish(const bench_options *options, bench_report *report) {
  if (options->json != NULL) {
    bench_report_write(report, options->json);
  }
  bench_report_destroy(report);
}

static void print_usage(FILE *file) {
  fprintf(file, "Usage: motte-bench SUITE [options]\n"
                "Measures Motte, and its peers beside it. Answers are checked before times are "
                "printed.\n\n");
  for (int i = 0; i < SUITES; i++) {
    fprintf(file, "  %-10s %s\n", suites[i]->name, suites[i]->summary);
  }
  fprintf(file, "\nmotte-bench SUITE --help tells a suite's options.\n");
}

/* Tables must not leave in doubt why an engine is not among them. */
static void tell_absent_peers(void) {
#ifdef BENCH_ABSENT_PEERS
  bench_progress("without the peers that were not found when this was configured: %s",
                 BENCH_ABSENT_PEERS);
#endif
}

int main(int argc, char **argv) {
  if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)) {
    print_usage(stdout);
    return EXIT_SUCCESS;
  }
  for (int i = 0; argc >= 2 && i < SUITES; i++) {
    if (strcmp(argv[1], suites[i]->name) == 0) {
      char *name = bench_format("motte-bench %s", suites[i]->name);
      argv[1] = name;
      tell_absent_peers();
      suites[i]->run(argc - 1, argv + 1);
      free(name);
      return EXIT_SUCCESS;
    }
  }
  print_usage(stderr);
  return EXIT_FAILURE;
}
