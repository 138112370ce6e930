/* The runner of the benchmark, with a suite of its own whose engines do nothing. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "report_data.h"
#include "runner.h"
#include "suite.h"

static const bench_engine_id engines[] = {{"a", NULL}, {"b", NULL}, {NULL, NULL}};
static const bench_engine_id peer = {"p", "1.0"};
static const bench_engine_id *const peers[] = {&peer, NULL};

static const bench_metric time_taken = {"time", "ms", BENCH_LESS_IS_BETTER};
static const bench_metric speed = {"speed", "1/ms", BENCH_MORE_IS_BETTER};
static const bench_metric visits = {"visits", "", BENCH_LESS_IS_BETTER};

struct settings {
  uint32_t shapes;
  double share;
  const char *kinds;
  bool deep;
  bench_counts sizes;
  bench_files files;
};

static const char *kind_name(unsigned i) {
  static const char *const names[] = {"box", "ball"};
  return i < 2 ? names[i] : NULL;
}

static const bench_option options[] = {
    {"shapes", "N", "number", BENCH_COUNT, .offset = offsetof(struct settings, shapes),
     .initial = "100", .quick = "10", .min = 1, .max = 1000},
    {"share", "S", "share", BENCH_REAL, .offset = offsetof(struct settings, share),
     .initial = "0.5", .min = 0, .max = 1},
    {"kinds", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, kinds),
     .name_at = kind_name},
    {"deep", NULL, "deep", BENCH_FLAG, .offset = offsetof(struct settings, deep)},
    {"sizes", "N,...", "sizes", BENCH_COUNTS, .offset = offsetof(struct settings, sizes),
     .initial = "1,2", .min = 1, .max = 9},
    {"file", "FILE", "files", BENCH_FILES, .offset = offsetof(struct settings, files)},
    {0},
};

/* What the suite does is what a test puts here. */
static void (*body)(bench_run *run);
static char journal[256];

static void run_body(bench_run *run) {
  body(run);
}

static const bench_suite suite = {
    .name = "fake",
    .summary = "nothing",
    .purpose = "Nothing.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = engines,
    .engine_size = sizeof *engines,
    .chosen_engines = "a,b",
    .peers = peers,
    .contender_size = sizeof(uint32_t),
    .run = run_body,
};

const bench_suite *const bench_suites[] = {&suite, NULL};

static bench_command parse(const char *line) {
  static char text[256];
  static char *arguments[32];
  int count = 0;
  snprintf(text, sizeof text, "run %s", line);
  for (char *rest = text; rest != NULL;) {
    arguments[count++] = strsep(&rest, " ");
  }
  return bench_parse_command(count, arguments);
}

static bench_report *run(const char *line, void (*what)(bench_run *run)) {
  bench_command command = parse(line);
  bench_report *report = bench_report_create();
  report->is_silent = true;
  body = what;
  bench_run_suite(&command.jobs[0], report);
  bench_free_command(&command);
  return report;
}

static const bench_result *find(const bench_report *report, const char *engine,
                                const bench_metric *metric) {
  return bench_report_find(report, "fake", "case", engine, metric->name);
}

static void note(bench_run *run, bench_contender *contender, uint32_t round) {
  strcat(journal, contender->engine->name);
  bench_sample(run, contender, &time_taken, round + 1);
}

static void end_round(bench_run *run, uint32_t round) {
  (void)run;
  (void)round;
  strcat(journal, " ");
}

static void play_three(bench_run *run) {
  bench_begin(run, bench_format("case"));
  uint32_t rounds =
      bench_play(run, &(bench_rounds){.count = 3, .measure = note, .check = end_round});
  cr_assert_eq(rounds, 3);
  bench_end(run, NULL);
}

Test(bench_runner, another_engine_begins_each_round) {
  bench_report *report = run("fake", play_three);
  cr_assert_str_eq(journal, "abp bpa pab ");
  cr_assert_float_eq(find(report, "p", &time_taken)->value.median, 2, 0);
  cr_assert_eq(find(report, "p", &time_taken)->value.repeats, 3);
  bench_report_destroy(report);
}

Test(bench_runner, engines_and_peers_are_chosen_by_name) {
  bench_report_destroy(run("fake --engines b --peers none", play_three));
  cr_assert_str_eq(journal, "b b b ");
}

static void prepare(bench_run *run, uint32_t round) {
  (void)run;
  (void)round;
  strcat(journal, "+");
}

static void warm_up(bench_run *run) {
  bench_begin(run, bench_format("case"));
  bench_play(run, &(bench_rounds){.count = 2, .warm_up = 2, .prepare = prepare, .measure = note});
  bench_end(run, NULL);
}

Test(bench_runner, samples_of_the_warm_up_are_dropped) {
  bench_report *report = run("fake --engines a --peers none", warm_up);
  cr_assert_str_eq(journal, "+a+a+a+a");
  cr_assert_eq(find(report, "a", &time_taken)->value.repeats, 2);
  bench_report_destroy(report);
}

static void count(bench_run *run, bench_contender *contender) {
  bench_count(run, contender, &visits, 7);
  bench_count(run, contender, &visits, 8);
}

static void sample_hundred(bench_run *run) {
  bench_contender *a = &run->contenders[0];
  bench_begin(run, bench_format("case"));
  for (int i = 100; i >= 1; i--) {
    bench_sample(run, a, &time_taken, i);
  }
  bench_derive(run, a, &time_taken, &speed, 2);
  cr_assert_float_eq(bench_median(a, &time_taken), 50.5, 0);
  cr_assert_float_eq(bench_find_series(a, &speed)->samples[0], 200, 0);
  cr_assert_null(bench_find_series(a, &visits));
  bench_end(run, count);
}

Test(bench_runner, samples_become_medians_and_percentiles) {
  bench_report *report = run("fake", sample_hundred);
  const bench_result *time = find(report, "a", &time_taken), *rate = find(report, "a", &speed);
  cr_assert_float_eq(time->value.median, 50.5, 0);
  cr_assert_float_eq(time->value.spread, 49.5 / 50.5, 1e-12);
  cr_assert_float_eq(bench_result_p99(time), 99.01, 1e-9);
  cr_assert_float_eq(bench_result_worst(time), 100, 0);
  cr_assert_float_eq(rate->value.median, 101, 0);
  cr_assert_float_eq(bench_result_p99(rate), 3.98, 1e-9);
  cr_assert_float_eq(bench_result_worst(rate), 2, 0);
  cr_assert_float_eq(find(report, "a", &visits)->value.median, 8, 0);
  cr_assert_not(find(report, "a", &visits)->timed);
  cr_assert_null(find(report, "b", &visits), "it measured nothing");
  bench_report_destroy(report);
}

static void measure_wrongly(bench_run *run, bench_contender *contender, uint32_t round) {
  note(run, contender, round);
  if (round == 1 && contender->engine == &peer) {
    bench_refuse(run, contender, "%d answers are wrong", 3);
    bench_refuse(run, contender, "once is enough");
  }
}

static void refuse(bench_run *run) {
  for (int i = 0; i < 2; i++) {
    bench_begin(run, bench_format(i == 0 ? "case" : "other"));
    bench_play(run, &(bench_rounds){.count = 3,
                                    .measure = i == 0 ? measure_wrongly : note,
                                    .check = end_round});
    bench_end(run, count);
    for (size_t k = 0; k < run->count; k++) {
      cr_assert(bench_is_active(&run->contenders[k]), "all take part between cases");
    }
  }
}

Test(bench_runner, an_engine_with_wrong_answers_is_not_compared_in_the_case) {
  bench_report *report = run("fake", refuse);
  cr_assert_str_eq(journal, "abp bpa ab abp bpa pab ");
  cr_assert_not_null(find(report, "a", &time_taken));
  cr_assert_null(find(report, "p", &time_taken));
  cr_assert_null(find(report, "p", &visits));
  cr_assert_not_null(bench_report_find(report, "fake", "other", "p", "time"));
  cr_assert(bench_any_refused());
  cr_assert_eq(cJSON_GetArraySize(report->refused), 1);
  const cJSON *item = cJSON_GetArrayItem(report->refused, 0);
  cr_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(item, "reason")),
                   "3 answers are wrong");
  bench_report_destroy(report);
}

static void interrupt(bench_run *run, bench_contender *contender, uint32_t round) {
  note(run, contender, round);
  if (round == 1 && contender->engine == &engines[1]) {
    raise(SIGINT);
  }
}

static void be_interrupted(bench_run *run) {
  bench_catch_interrupts();
  bench_begin(run, bench_format("case"));
  cr_assert_eq(bench_play(run, &(bench_rounds){.count = 9, .measure = interrupt}), 1);
  bench_end(run, count);
}

Test(bench_runner, an_interrupt_keeps_what_was_measured) {
  bench_report *report = run("fake", be_interrupted);
  cr_assert_str_eq(journal, "abpb");
  cr_assert_eq(find(report, "a", &time_taken)->value.repeats, 1);
  cr_assert_eq(find(report, "b", &time_taken)->value.repeats, 2);
  bench_report_destroy(report);
}

static void be_interrupted_after_preparation(bench_run *run) {
  bench_catch_interrupts();
  bench_begin(run, bench_format("case"));
  const bench_rounds rounds = {.count = 9, .prepare = prepare, .measure = interrupt};
  cr_assert_eq(bench_play(run, &rounds), 2);
  bench_end(run, NULL);
}

Test(bench_runner, a_round_that_was_prepared_is_finished) {
  bench_report_destroy(run("fake", be_interrupted_after_preparation));
  cr_assert_str_eq(journal, "+abp+bpa");
}

Test(bench_runner, options_have_defaults) {
  bench_command command = parse("fake");
  const struct settings *settings = command.jobs[0].settings;
  cr_assert_eq(settings->shapes, 100);
  cr_assert_float_eq(settings->share, 0.5, 0);
  cr_assert_null(settings->kinds);
  cr_assert_not(settings->deep);
  cr_assert_eq(settings->sizes.count, 2);
  cr_assert_eq(settings->sizes.item[1], 2);
  cr_assert_eq(command.jobs[0].seed, 1);
  cr_assert_eq(command.jobs[0].repeats, 7);
  bench_free_command(&command);
}

Test(bench_runner, quick_is_smaller_but_for_what_is_given) {
  bench_command command = parse("fake --share 0.25 --quick --deep --kinds ball --sizes 3,4,5");
  const struct settings *settings = command.jobs[0].settings;
  cr_assert_eq(settings->shapes, 10);
  cr_assert_float_eq(settings->share, 0.25, 0);
  cr_assert_str_eq(settings->kinds, "ball");
  cr_assert(settings->deep);
  cr_assert_eq(settings->sizes.count, 3);
  cr_assert_eq(command.jobs[0].repeats, 2);
  bench_free_command(&command);
  command = parse("fake --shapes 55 --quick --repeats 4 --seed 9");
  settings = command.jobs[0].settings;
  cr_assert_eq(settings->shapes, 55);
  cr_assert_eq(command.jobs[0].repeats, 4);
  cr_assert_eq(command.jobs[0].seed, 9);
  bench_free_command(&command);
}

Test(bench_runner, files_need_no_option) {
  bench_command command = parse("fake --file x --shapes 5 y z");
  const struct settings *settings = command.jobs[0].settings;
  cr_assert_eq(settings->files.count, 3);
  cr_assert_str_eq(settings->files.path[0], "x");
  cr_assert_str_eq(settings->files.path[2], "z");
  bench_free_command(&command);
}

Test(bench_runner, a_number_outside_its_range, .exit_code = 1) {
  parse("fake --shapes 1001");
}

Test(bench_runner, a_name_that_there_is_not, .exit_code = 1) {
  parse("fake --kinds box,cone");
}

Test(bench_runner, an_engine_that_there_is_not, .exit_code = 1) {
  parse("fake --engines a,c");
}
