#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "old_suite.h"

static const bench_old_suite *const suites[] = {
    &bench_old_suite_broadmark,
};

/* A shell's code for a program that SIGINT ended. */
enum { SUITES = sizeof suites / sizeof *suites, EXIT_INTERRUPTED = 130 };

bench_options bench_default_options(const char *engines) {
  return (bench_options){.engines = engines, .seed = 1, .repeats = 7};
}

enum { KEY_JSON = 0x1000, KEY_ENGINES, KEY_PEERS, KEY_SEED, KEY_REPEATS };

static const struct argp_option common_options[] = {
    {"json", KEY_JSON, "OUT", 0, "write the results to this file (- for standard output)", 10},
    {"engines", KEY_ENGINES, "LIST", 0,
     "Motte's engines to run: all, none, or names with commas (see below)", 10},
    {"peers", KEY_PEERS, "LIST", 0,
     "peers to run beside: all (default), none, or names with commas", 10},
    {"seed", KEY_SEED, "S", 0, "of all random numbers (default 1)", 10},
    {"repeats", KEY_REPEATS, "R", 0, "measurements of which the median is taken (default 7)", 10},
    {0},
};

static error_t parse_common(int key, char *argument, struct argp_state *state) {
  bench_options *options = state->input;
  switch (key) {
  case KEY_JSON:
    bench_report_check_path(argument); /* before hours of measurements, not after */
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

void bench_options_check(const bench_options *options, const bench_names *engines,
                         const bench_names *peers) {
  bench_list_check("engines", options->engines, engines);
  bench_list_check("peers", options->peers, peers);
}

char *bench_documentation(const char *purpose, const char *notes, const bench_options *defaults,
                          const bench_names *engines, const bench_names *peers) {
  char *ours = bench_names_join(engines), *theirs = bench_names_join(peers);
  char *text = bench_format("%s\v%s%sEngines of Motte: %s; by default %s.\n\nPeers found when this "
                            "was configured: %s.",
                            purpose, notes != NULL ? notes : "", notes != NULL ? "\n" : "", ours,
                            defaults->engines, peers->count > 0 ? theirs : "none");
  free(ours);
  free(theirs);
  return text;
}

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
    bench_report_write_json(report, options->json, 0, NULL);
  }
  bench_report_destroy(report);
}

/* The program's name and the suite's, for messages and for --help. */
static void run(const bench_old_suite *suite, int argc, char **argv) {
  char *name = bench_format("motte-bench %s", suite->name);
  argv[0] = name;
  suite->run(argc, argv);
  free(name);
}

bool bench_run_old(int argc, char **argv) {
  for (int i = 0; argc >= 2 && i < SUITES; i++) {
    if (strcmp(argv[1], suites[i]->name) == 0) {
      bench_catch_interrupts();
      run(suites[i], argc - 1, argv + 1);
      return true;
    }
  }
  return false;
}
