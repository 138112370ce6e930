#include "options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "report.h"
#include "suite.h"

enum { MAX_OPTIONS = 64, MAX_SUITES = 32, MAX_GIVEN = 512, KEY = 0x1000 };

/* Options that every suite has. */
enum { DATA, JSON, CSV, HTML, MARKDOWN, ENGINES, PEERS, SEED, REPEATS, QUICK, COMMON };

static const struct {
  const char *name, *argument, *help;
} common[COMMON] = {
    [DATA] =
        {"data", "DIR",
         "folder with data for suites that need some (bench/DATA.md says where to get it); may "
         "be repeated"},
    [JSON] = {"json", "OUT",
              "write the results to this file (- for standard output, without tables)"},
    [CSV] = {"csv", "OUT", "write them as comma-separated values"},
    [HTML] = {"html", "OUT", "write a page with plots and tables, as motte-bench report does"},
    [MARKDOWN] = {"markdown", "DIR", "write it as Markdown and pictures into this folder"},
    [ENGINES] = {"engines", "LIST", "Motte's engines: all, none, or names with commas (see below)"},
    [PEERS] = {"peers", "LIST", "peers beside them: all (default), none, or names with commas"},
    [SEED] = {"seed", "S", "of all random numbers (default 1)"},
    [REPEATS] = {"repeats", "R", "measurements of which the median is taken"},
    [QUICK] = {"quick", NULL, "small runs that take seconds"},
};

/* What the command line says, before it is known what it means. */
typedef struct given {
  const char *name, *value;
} given;

typedef struct parser {
  const bench_suite *suites[MAX_SUITES];
  size_t suite_count;
  bool all;                                 /* by that name */
  const bench_option *options[MAX_OPTIONS]; /* of all suites; each name once */
  size_t option_count;
  given given[MAX_GIVEN];
  size_t given_count;
} parser;

/* Names. */

static bench_names names_of(const bench_option *option) {
  bench_names names = {0};
  for (unsigned i = 0; option->name_at(i) != NULL; i++) {
    bench_names_add(&names, option->name_at(i));
  }
  return names;
}

static void add_engines(const bench_suite *suite, bench_names *names) {
  const char *engine = (const char *)suite->engines;
  for (; ((const bench_engine_id *)engine)->name != NULL; engine += suite->engine_size) {
    bench_names_add(names, ((const bench_engine_id *)engine)->name);
  }
}

static void add_peers(const bench_suite *suite, bench_names *names) {
  for (size_t i = 0; suite->peers != NULL && suite->peers[i] != NULL; i++) {
    bench_names_add(names, suite->peers[i]->name);
  }
}

/* Suites of the command line. */

static void add_suite(parser *self, const bench_suite *suite) {
  for (size_t i = 0; i < self->suite_count; i++) {
    if (self->suites[i] == suite) {
      return;
    }
  }
  self->suites[self->suite_count++] = suite;
  for (const bench_option *option = suite->options; option->name != NULL; option++) {
    size_t i = 0;
    while (i < self->option_count && strcmp(self->options[i]->name, option->name) != 0) {
      i++;
    }
    if (i == MAX_OPTIONS) {
      fail("the suites have more than %d options", MAX_OPTIONS);
    }
    /* Of several with one name, one that takes files: these may also follow without its name. */
    if (i == self->option_count || option->type == BENCH_FILES) {
      self->options[i] = option;
    }
    self->option_count += i == self->option_count;
  }
}

/* The suites that come before all options. Returns how many arguments these are. */
static int find_suites(parser *self, int argc, char **argv) {
  int used = 1;
  for (; used < argc && argv[used][0] != '-'; used++) {
    bool found = false;
    bench_names names = {0};
    for (size_t i = 0; bench_suites[i] != NULL; i++) {
      bench_names_add(&names, bench_suites[i]->name);
      if (strcmp(argv[used], bench_suites[i]->name) == 0 || strcmp(argv[used], "all") == 0) {
        add_suite(self, bench_suites[i]);
        found = true;
        self->all = self->all || strcmp(argv[used], bench_suites[i]->name) != 0;
      }
    }
    if (!found && access(argv[used], F_OK) == 0) {
      fail("%s is a file, and no suite: files come after an option, or as --mesh FILE", argv[used]);
    }
    if (!found) {
      fail("there is no suite \"%s\"; choose from: all, %s", argv[used], bench_names_join(&names));
    }
  }
  if (self->suite_count == 0) {
    fail("run wants a suite; motte-bench list has them");
  }
  return used;
}

/* Help. */

static char *append(char *text, char *more) {
  char *both = bench_format("%s%s", text, more);
  free(text);
  free(more);
  return both;
}

/* Names, unless they are too many for a line, and defaults. */
static char *help_of(const bench_option *option) {
  char *text = bench_format("%s", option->help);
  bench_names names = {0};
  if (option->name_at != NULL) {
    names = names_of(option);
  }
  if (names.count > 0 && names.count <= 8) {
    char *joined = bench_names_join(&names);
    text = append(text, bench_format(": %s", joined));
    free(joined);
  }
  if (option->type == BENCH_LIST && option->initial == NULL) {
    text = append(text, bench_format(", or all (default)"));
  } else if (option->initial != NULL) {
    text = append(text, option->quick != NULL ? bench_format(" (default %s, quick %s)",
                                                             option->initial, option->quick)
                                              : bench_format(" (default %s)", option->initial));
  }
  return text;
}

static char *document_suite(const bench_suite *suite, bool alone) {
  char *text = alone ? bench_format("%s", "") : bench_format("%s:\n", suite->name);
  char *more = suite->more_notes != NULL ? suite->more_notes() : bench_format("%s", "");
  if (suite->notes != NULL) {
    text = append(text, bench_format("%s\n\n", suite->notes));
  }
  if (*more != '\0') {
    text = append(text, bench_format("%s\n", more));
  }
  free(more);
  bench_names engines = {0}, peers = {0};
  add_engines(suite, &engines);
  add_peers(suite, &peers);
  char *ours = bench_names_join(&engines), *theirs = bench_names_join(&peers);
  text = append(text, bench_format("Engines of Motte: %s; by default %s.\n\nPeers found when this "
                                   "was configured: %s.\n\n",
                                   ours, suite->chosen_engines, peers.count > 0 ? theirs : "none"));
  free(ours);
  free(theirs);
  return text;
}

/* Purposes above the options, notes below them. */
static char *document(const parser *self) {
  char *above = bench_format("%s", ""), *below = bench_format("%s", "");
  for (size_t i = 0; i < self->suite_count; i++) {
    above = append(above, bench_format("%s%s", i > 0 ? " " : "", self->suites[i]->purpose));
    below = append(below, document_suite(self->suites[i], self->suite_count == 1));
  }
  char *text = bench_format("%s\v%s", above, below);
  free(above);
  free(below);
  return text;
}

void bench_list_suite(const bench_suite *suite) {
  bench_names engines = {0}, peers = {0};
  add_engines(suite, &engines);
  add_peers(suite, &peers);
  char *ours = bench_names_join(&engines), *theirs = bench_names_join(&peers);
  printf("%-15s %s\n  engines: %s\n  peers: %s\n", suite->name, suite->summary, ours,
         peers.count > 0 ? theirs : "none");
  free(ours);
  free(theirs);
}

/* Parsing. */

/* The option to which files belong that come without one. */
static int key_of_files(const parser *self, const char *file) {
  for (size_t i = 0; i < self->option_count; i++) {
    if (self->options[i]->type == BENCH_FILES) {
      return KEY + COMMON + (int)i;
    }
  }
  fail("\"%s\" is no option, and these suites take no files; suites come before options", file);
}

static error_t note(int key, char *argument, struct argp_state *state) {
  parser *self = state->input;
  if (key == ARGP_KEY_ARG) {
    key = key_of_files(self, argument);
  }
  if (key < KEY || key >= KEY + COMMON + (int)self->option_count) {
    return ARGP_ERR_UNKNOWN;
  }
  if (self->given_count == MAX_GIVEN) {
    fail("more than %d options", MAX_GIVEN);
  }
  size_t i = (size_t)(key - KEY);
  self->given[self->given_count++] =
      (given){i < COMMON ? common[i].name : self->options[i - COMMON]->name, argument};
  return 0;
}

static void parse(parser *self, int argc, char **argv) {
  struct argp_option table[MAX_OPTIONS + COMMON + 1] = {{0}};
  for (size_t i = 0; i < self->option_count; i++) {
    const bench_option *option = self->options[i];
    table[i] = (struct argp_option){
        option->name, KEY + COMMON + (int)i, option->argument, 0, help_of(option), 1};
  }
  for (size_t i = 0; i < COMMON; i++) {
    table[self->option_count + i] = (struct argp_option){
        common[i].name, KEY + (int)i, common[i].argument, 0, common[i].help, 2};
  }
  char *documentation = document(self);
  bool has_files = false;
  for (size_t i = 0; i < self->option_count; i++) {
    has_files = has_files || self->options[i]->type == BENCH_FILES;
  }
  const struct argp argp = {table, note, has_files ? "[FILE...]" : NULL, documentation, NULL,
                            NULL,  NULL};
  argp_parse(&argp, argc, argv, 0, NULL, self);
  free(documentation);
  for (size_t i = 0; i < self->option_count; i++) {
    free((void *)table[i].doc);
  }
}

/* Values. */

static void parse_counts(const bench_option *option, const char *text, bench_counts *counts) {
  char *copy = bench_format("%s", text), *rest = copy;
  for (counts->count = 0; rest != NULL;) {
    const char *item = strsep(&rest, ",");
    if (counts->count == BENCH_MAX_COUNTS) {
      fail("--%s takes up to %d numbers", option->name, BENCH_MAX_COUNTS);
    }
    counts->item[counts->count++] = (uint32_t)bench_parse_count(
        option->name, item, (uint64_t)option->min, (uint64_t)option->max);
  }
  free(copy);
}

static void set(const bench_option *option, void *settings, const char *text) {
  void *to = (char *)settings + option->offset;
  bench_names names = {0};
  switch (option->type) {
  case BENCH_COUNT:
    *(uint32_t *)to = (uint32_t)bench_parse_count(option->name, text, (uint64_t)option->min,
                                                  (uint64_t)option->max);
    return;
  case BENCH_COUNTS:
    parse_counts(option, text, to);
    return;
  case BENCH_REAL:
    *(double *)to = bench_parse_real(option->name, text, option->min, option->max);
    return;
  case BENCH_FLAG:
    *(bool *)to = true;
    return;
  case BENCH_NAME:
    names = names_of(option);
    bench_name_check(option->name, text, &names);
    *(const char **)to = text;
    return;
  case BENCH_LIST:
    names = names_of(option);
    bench_list_check(option->name, text, &names);
    *(const char **)to = text;
    return;
  case BENCH_TEXT:
    *(const char **)to = text;
    return;
  case BENCH_FILES: {
    bench_files *files = to;
    if (files->count == BENCH_MAX_FILES) {
      fail("--%s: at most %d files", option->name, BENCH_MAX_FILES);
    }
    files->path[files->count++] = text;
    return;
  }
  }
}

/* The last value that the command line gives; null if none. */
static const char *find(const parser *self, const char *name) {
  for (size_t i = self->given_count; i-- > 0;) {
    if (strcmp(self->given[i].name, name) == 0) {
      return self->given[i].value != NULL ? self->given[i].value : "yes";
    }
  }
  return NULL;
}

static void note_text(bench_job *job, const char *name, const char *value) {
  if (value != NULL) {
    job->texts.item[job->texts.count++] = name;
    job->texts.item[job->texts.count++] = value;
  }
}

/* All files that an option is given, of which a suite has one at most. Where they are says
 * something of the machine alone: the text has their names. */
static const char *set_files(const parser *self, const bench_option *option, bench_job *job) {
  for (size_t i = 0; i < self->given_count; i++) {
    const char *path = self->given[i].value;
    if (strcmp(self->given[i].name, option->name) != 0) {
      continue;
    }
    set(option, job->settings, path);
    char *name = bench_without_folders(path);
    char *longer =
        job->files != NULL ? bench_format("%s,%s", job->files, name) : bench_format("%s", name);
    free(name);
    free(job->files);
    job->files = longer;
  }
  return job->files;
}

static void set_option(const parser *self, const bench_option *option, bool quick, bench_job *job) {
  const char *value = find(self, option->name);
  if (value == NULL) {
    value = quick && option->quick != NULL ? option->quick : option->initial;
    if (value != NULL) {
      set(option, job->settings, value);
    }
  } else if (option->type != BENCH_FILES) {
    set(option, job->settings, value);
  } else {
    value = set_files(self, option, job);
  }
  note_text(job, option->name, value);
}

/* The folder of a suite's data in one of those that the command line names, for free(); null: there
 * is none. */
static char *find_data(const parser *self, const bench_suite *suite) {
  for (size_t i = 0; i < self->given_count; i++) {
    if (strcmp(self->given[i].name, common[DATA].name) == 0) {
      char *path = bench_format("%s/%s", self->given[i].value, suite->data);
      if (access(path, R_OK) == 0) {
        return path;
      }
      free(path);
    }
  }
  return NULL;
}

/* Why a suite cannot run, for free(); null: it can. */
static char *find_obstacle(const parser *self, const bench_suite *suite) {
  if (suite->lacks != NULL) {
    return bench_format("this program was built without %s", suite->lacks);
  }
  char *path = suite->data != NULL ? find_data(self, suite) : NULL;
  bool found = suite->data == NULL || suite->data_is_optional || path != NULL;
  free(path);
  return found ? NULL
               : bench_format("no --data DIR has a folder %s; bench/DATA.md says where to get it",
                              suite->data);
}

/* Leaves out suites whose data or libraries are not there; fails if their names were given. */
static void drop_suites_that_cannot_run(parser *self) {
  size_t kept = 0;
  for (size_t i = 0; i < self->suite_count; i++) {
    const bench_suite *suite = self->suites[i];
    char *obstacle = find_obstacle(self, suite);
    if (obstacle == NULL) {
      self->suites[kept++] = suite;
    } else if (self->all) {
      bench_progress("without %s: %s", suite->name, obstacle);
    } else {
      fail("%s cannot run: %s", suite->name, obstacle);
    }
    free(obstacle);
  }
  self->suite_count = kept;
}

static bench_job make_job(const parser *self, const bench_suite *suite, bool quick) {
  bench_job job = {.suite = suite, .settings = allocate(1, suite->settings_size)};
  job.data = suite->data != NULL ? find_data(self, suite) : NULL;
  for (const bench_option *option = suite->options; option->name != NULL; option++) {
    set_option(self, option, quick, &job);
  }
  const char *seed = find(self, common[SEED].name), *repeats = find(self, common[REPEATS].name);
  seed = seed != NULL ? seed : "1";
  if (repeats == NULL) {
    repeats = suite->repeats != NULL ? suite->repeats : quick ? "2" : "7";
  }
  job.engines = find(self, common[ENGINES].name);
  job.engines = job.engines != NULL ? job.engines : suite->chosen_engines;
  job.peers = find(self, common[PEERS].name);
  job.seed = bench_parse_count(common[SEED].name, seed, 0, UINT64_MAX);
  job.repeats = (uint32_t)bench_parse_count(common[REPEATS].name, repeats, 1, 1000);
  note_text(&job, common[SEED].name, seed);
  note_text(&job, common[REPEATS].name, repeats);
  note_text(&job, common[ENGINES].name, job.engines);
  note_text(&job, common[PEERS].name, job.peers);
  if (suite->check_settings != NULL) {
    suite->check_settings(job.settings);
  }
  return job;
}

/* A name need not be known to each of several suites. */
static void check_engines(const parser *self) {
  bench_names engines = {0}, peers = {0};
  for (size_t i = 0; i < self->suite_count; i++) {
    add_engines(self->suites[i], &engines);
    add_peers(self->suites[i], &peers);
  }
  bench_list_check(common[ENGINES].name, find(self, common[ENGINES].name), &engines);
  bench_list_check(common[PEERS].name, find(self, common[PEERS].name), &peers);
}

/* Before hours of measurements, not after. */
static void check_outputs(bench_command *command) {
  if (command->markdown != NULL) {
    free(bench_report_prepare_folder(command->markdown));
  }
  const char *const paths[] = {command->json, command->csv, command->html};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    if (paths[i] == NULL) {
      continue;
    }
    bench_report_check_path(paths[i]);
    if (strcmp(paths[i], "-") == 0) {
      if (command->to_output) {
        fail("only one of --json, --csv and --html can go to standard output");
      }
      command->to_output = true;
    }
  }
}

bench_command bench_parse_command(int argc, char **argv) {
  parser *self = allocate(1, sizeof *self);
  int used = find_suites(self, argc, argv);
  char *name = bench_format("motte-bench run %s",
                            self->suite_count == 1 ? self->suites[0]->name : "SUITE...");
  char **rest = argv + used - 1, *replaced = rest[0];
  rest[0] = name; /* what argp calls the program */
  parse(self, argc - used + 1, rest);
  check_engines(self);
  drop_suites_that_cannot_run(self);
  bench_command command = {
      .jobs = allocate(self->suite_count, sizeof *command.jobs),
      .job_count = self->suite_count,
      .json = find(self, common[JSON].name),
      .csv = find(self, common[CSV].name),
      .html = find(self, common[HTML].name),
      .markdown = find(self, common[MARKDOWN].name),
      .quick = find(self, common[QUICK].name) != NULL,
  };
  for (size_t i = 0; i < self->suite_count; i++) {
    command.jobs[i] = make_job(self, self->suites[i], command.quick);
  }
  check_outputs(&command);
  rest[0] = replaced;
  free(name);
  free(self);
  return command;
}

void bench_free_command(bench_command *command) {
  for (size_t i = 0; i < command->job_count; i++) {
    free(command->jobs[i].settings);
    free(command->jobs[i].data);
    free(command->jobs[i].files);
  }
  free(command->jobs);
}
