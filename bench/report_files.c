/* Reports in files: JSON, which can be read again, and comma-separated values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/check.h"
#include "interrupt.h"
#include "machine.h"
#include "report_data.h"

static const char *const senses[] = {[BENCH_MORE_IS_BETTER] = "more",
                                     [BENCH_LESS_IS_BETTER] = "less",
                                     [BENCH_NEITHER_IS_BETTER] = ""};

/* Six digits say all that a measurement has to say. */
static double rounded(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", value);
  return strtod(text, NULL);
}

void bench_report_check_path(const char *path) {
  if (strcmp(path, "-") == 0) {
    return;
  }
  bool existed = access(path, F_OK) == 0;
  FILE *file = fopen(path, "a"); /* what is there stays until there is something to write */
  if (file == NULL) {
    fail("cannot write %s: %s", path, strerror(errno));
  }
  fclose(file);
  if (!existed) {
    unlink(path);
  }
}

char *bench_report_prepare_folder(const char *folder) {
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    fail("cannot make %s: %s", folder, strerror(errno));
  }
  char *path = bench_format("%s/README.md", folder);
  bench_report_check_path(path);
  return path;
}

FILE *bench_report_open(const char *path) {
  return strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
}

void bench_report_close(FILE *file, const char *path) {
  bool written = file != NULL && ferror(file) == 0;
  if (file != NULL) {
    written = (file == stdout ? fflush(file) : fclose(file)) == 0 && written;
  }
  if (!written) {
    fail("cannot write %s", path);
  }
}

static cJSON *describe(const bench_result *r) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "suite", r->suite);
  cJSON_AddStringToObject(item, "case", r->case_name);
  cJSON_AddStringToObject(item, "engine", r->engine);
  cJSON_AddStringToObject(item, "metric", r->metric.name);
  cJSON_AddNumberToObject(item, "value", rounded(r->value.median));
  cJSON_AddStringToObject(item, "unit", r->metric.unit);
  cJSON_AddStringToObject(item, "better", senses[r->metric.sense]);
  cJSON_AddBoolToObject(item, "timed", r->timed);
  cJSON_AddNumberToObject(item, "spread", rounded(r->value.spread));
  cJSON_AddNumberToObject(item, "repeats", r->value.repeats);
  if (r->timed) {
    cJSON_AddNumberToObject(item, "p99", rounded(bench_result_p99(r)));
    cJSON_AddNumberToObject(item, "worst", rounded(bench_result_worst(r)));
  }
  return item;
}

/* Everything, as a tree for cJSON_Delete. */
static cJSON *make_tree(const bench_report *report, int argc, char **argv) {
  cJSON *root = cJSON_CreateObject();
  cJSON *machine = bench_machine();
  cJSON *peers = cJSON_AddObjectToObject(machine, "peers");
  for (size_t i = 0; i < report->peer_count; i++) {
    cJSON_AddStringToObject(peers, report->peers[i].engine, report->peers[i].version);
  }
  cJSON_AddItemToObject(root, "machine", machine);
  cJSON *command = cJSON_AddArrayToObject(root, "command");
  for (int i = 0; i < argc; i++) {
    cJSON_AddItemToArray(command, cJSON_CreateString(argv[i]));
  }
  cJSON_AddItemToObject(root, "suites", cJSON_Duplicate(report->suites, true));
  cJSON_AddBoolToObject(root, "interrupted", bench_interrupted());
  cJSON_AddItemToObject(root, "do_less", cJSON_Duplicate(report->do_less, true));
  cJSON_AddItemToObject(root, "refused", cJSON_Duplicate(report->refused, true));
  cJSON *results = cJSON_AddArrayToObject(root, "results");
  for (size_t i = 0; i < report->count; i++) {
    cJSON_AddItemToArray(results, describe(&report->results[i]));
  }
  return root;
}

void bench_report_write_json(const bench_report *report, const char *path, int argc, char **argv) {
  cJSON *root = make_tree(report, argc, argv);
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  if (text == NULL) {
    fail("out of memory for the JSON");
  }
  FILE *file = bench_report_open(path);
  if (file != NULL) {
    fprintf(file, "%s\n", text);
  }
  bench_report_close(file, path);
  free(text);
}

/* In quotes if it has a comma or quotes, which are doubled. */
static void write_field(FILE *file, const char *text) {
  bool quoted = strpbrk(text, ",\"\n") != NULL;
  fputs(quoted ? "\"" : "", file);
  for (; *text != '\0'; text++) {
    fputs(*text == '"' ? "\"" : "", file);
    fputc(*text, file);
  }
  fputs(quoted ? "\"," : ",", file);
}

void bench_report_write_csv(const bench_report *report, const char *path) {
  FILE *file = bench_report_open(path);
  if (file != NULL) {
    fprintf(file, "suite,case,engine,metric,unit,better,value,spread,repeats,p99,worst\n");
  }
  for (size_t i = 0; file != NULL && i < report->count; i++) {
    const bench_result *r = &report->results[i];
    const char *const texts[] = {r->suite,       r->case_name,   r->engine,
                                 r->metric.name, r->metric.unit, senses[r->metric.sense]};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
      write_field(file, texts[k]);
    }
    fprintf(file, "%.6g,%.6g,%d,", r->value.median, r->value.spread, r->value.repeats);
    if (r->timed) {
      fprintf(file, "%.6g,%.6g\n", bench_result_p99(r), bench_result_worst(r));
    } else {
      fprintf(file, ",\n");
    }
  }
  bench_report_close(file, path);
}

/* Reading. */

static const char *text_in(const cJSON *object, const char *key, const char *path) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
  if (text == NULL) {
    fail("%s is no report of motte-bench: a result has no \"%s\"", path, key);
  }
  return text;
}

static double number_in(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItem(object, key);
  return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static bench_sense sense_of(const char *text) {
  for (bench_sense sense = 0; sense < BENCH_NEITHER_IS_BETTER; sense++) {
    if (strcmp(text, senses[sense]) == 0) {
      return sense;
    }
  }
  return BENCH_NEITHER_IS_BETTER;
}

static void read_result(bench_report *report, const cJSON *item, const char *path) {
  bench_summary value = {
      .median = number_in(item, "value"),
      .spread = number_in(item, "spread"),
      .p1 = number_in(item, "p99"),
      .p99 = number_in(item, "p99"),
      .min = number_in(item, "worst"),
      .max = number_in(item, "worst"),
      .repeats = (int)number_in(item, "repeats"),
  };
  const bench_result result = {
      .case_name = (char *)text_in(item, "case", path),
      .engine = (char *)text_in(item, "engine", path),
      .metric = {text_in(item, "metric", path), text_in(item, "unit", path),
                 sense_of(text_in(item, "better", path))},
      .value = value,
      .timed = cJSON_IsTrue(cJSON_GetObjectItem(item, "timed")),
  };
  bench_report_append(report, text_in(item, "suite", path), &result);
}

static void require_object(const cJSON *parent, const char *key, const char *path) {
  const cJSON *item = cJSON_GetObjectItem(parent, key);
  if (item != NULL && !cJSON_IsObject(item)) {
    fail("%s is no report of motte-bench: \"%s\" is no object", path, key);
  }
}

/* What pages read of a report beside its results. */
static void require_objects(const cJSON *tree, const char *path) {
  const cJSON *item, *suites = cJSON_GetObjectItem(tree, "suites");
  require_object(tree, "machine", path);
  require_object(cJSON_GetObjectItem(tree, "machine"), "peers", path);
  require_object(tree, "suites", path);
  cJSON_ArrayForEach(item, suites) {
    require_object(suites, item->string, path);
  }
}

/* The tree belongs to the report from then on. */
static bench_report *read_tree(cJSON *tree, const char *path) {
  bench_report *report = bench_report_create();
  report->source = tree;
  const cJSON *results = cJSON_GetObjectItem(report->source, "results"), *item;
  if (!cJSON_IsArray(results)) {
    fail("%s is no report of motte-bench: it has no \"results\"", path);
  }
  require_objects(tree, path);
  cJSON_ArrayForEach(item, results) {
    read_result(report, item, path);
  }
  return report;
}

bench_report *bench_report_read(const char *path) {
  char *text = bench_read_text(path);
  cJSON *tree = cJSON_Parse(text);
  free(text);
  return read_tree(tree, path);
}

bench_report *bench_report_reread(const bench_report *report, int argc, char **argv) {
  return read_tree(make_tree(report, argc, argv), "this run");
}
