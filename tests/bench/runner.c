/* The runner of the benchmark, with a suite of its own whose engines do nothing. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "differences.h"
#include "page.h"
#include "pairs_case.h"
#include "report_data.h"
#include "runner.h"
#include "scaling.h"
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

/* Two meshes that are far apart, and engines that say so or not. */

static bench_pair_query pair_query;

static void *create_nothing(const bench_mesh *a, const bench_mesh *b) {
  (void)a;
  (void)b;
  return NULL;
}

static void destroy_nothing(void *world) {
  (void)world;
}

static bool can_all(bench_pair_query query) {
  (void)query;
  return true;
}

static void answer(bool found, double number, size_t count, bench_pair_answer *answers) {
  for (size_t i = 0; i < count; i++) {
    answers[i] = (bench_pair_answer){.found = found, .number = number};
  }
}

static void find_none(void *world, bench_pair_query query, const bench_pair_pose *poses,
                      size_t count, bench_pair_answer *answers) {
  (void)world;
  double distance = poses[0].translation.x - 2 * 1e6; /* wrong, but for queries of touches */
  answer(false, query == BENCH_PAIR_DISTANCE ? distance : 0, count, answers);
}

static void find_touches(void *world, bench_pair_query query, const bench_pair_pose *poses,
                         size_t count, bench_pair_answer *answers) {
  (void)world;
  (void)query;
  (void)poses;
  answer(true, 0, count, answers);
}

static void run_pairs(bench_run *run) {
  bench_mesh *mesh = bench_mesh_generate(16);
  bench_pair_pose poses[4];
  for (int i = 0; i < 4; i++) {
    /* Depths are of a mesh that lies on the other one. */
    float x = pair_query == BENCH_PAIR_DEPTH ? 0 : 100;
    poses[i] = (bench_pair_pose){.translation = {x, 0, 0}, .rotation = {0, 0, 0, 1}};
  }
  bench_pair_create(run, mesh, mesh);
  bench_pair_run(run, bench_format("case"),
                 &(bench_pair_case){mesh, mesh, poses, 4, pair_query, 1});
  bench_pair_destroy(run);
  bench_mesh_free(mesh);
}

/* Runs two engines, and says by their names which ones are refused. */
static void check_refused(bench_pair_query query, bool first_finds, const char *refused) {
  bench_pair_engine own[] = {{{"a", NULL},
                              create_nothing,
                              destroy_nothing,
                              can_all,
                              first_finds ? find_touches : find_none},
                             {.id = {NULL, NULL}}};
  bench_pair_engine other = {
      {"p", "1"}, create_nothing, destroy_nothing, can_all, first_finds ? find_none : find_touches};
  const bench_engine_id *const others[] = {&other.id, NULL};
  const bench_suite pairs = {.name = "pairs",
                             .engines = &own[0].id,
                             .engine_size = sizeof *own,
                             .peers = others,
                             .contender_size = sizeof(bench_pair_outcome),
                             .run = run_pairs};
  bench_report *report = bench_report_create();
  char names[8] = "";
  const cJSON *item;
  report->is_silent = true;
  pair_query = query;
  bench_run_suite(&(bench_job){.suite = &pairs, .engines = "a", .repeats = 1}, report);
  cJSON_ArrayForEach(item, report->refused) {
    strcat(names, cJSON_GetStringValue(cJSON_GetObjectItem(item, "engine")));
  }
  cr_assert_str_eq(names, refused);
  bench_report_destroy(report);
}

Test(bench_runner, a_loop_over_all_triangles_says_which_engine_is_wrong) {
  check_refused(BENCH_PAIR_TOUCH, true, "a");
  check_refused(BENCH_PAIR_TOUCH, false, "p");
  check_refused(BENCH_PAIR_DISTANCE, false, "ap");
}

Test(bench_runner, a_translation_that_does_not_separate_is_refused) {
  check_refused(BENCH_PAIR_DEPTH, true, "ap");
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

Test(bench_runner, one_output_alone_goes_to_standard_output, .exit_code = 1) {
  parse("fake --json - --csv -");
}

Test(bench_runner, tables_do_not_go_where_a_file_goes) {
  bench_command command = parse("fake --html -");
  cr_assert(command.to_output);
  bench_free_command(&command);
  command = parse("fake");
  cr_assert_not(command.to_output);
  bench_free_command(&command);
}

/* Reports that were read. */

static char *command_line[] = {"motte-bench", "run", "fake"};

static bench_report *reread(bench_report *report) {
  bench_report *read = bench_report_reread(report, 3, command_line);
  bench_report_destroy(report);
  return read;
}

Test(bench_runner, what_is_written_can_be_read) {
  bench_report *report = run("fake --shapes 7", sample_hundred);
  bench_report *read = bench_report_reread(report, 3, command_line);
  cr_assert_eq(read->count, report->count);
  for (size_t i = 0; i < report->count; i++) {
    const bench_result *r = &report->results[i], *other = &read->results[i];
    cr_assert_str_eq(r->suite, other->suite);
    cr_assert_str_eq(r->case_name, other->case_name);
    cr_assert_str_eq(r->engine, other->engine);
    cr_assert_str_eq(r->metric.name, other->metric.name);
    cr_assert_str_eq(r->metric.unit, other->metric.unit);
    cr_assert_eq(r->metric.sense, other->metric.sense);
    cr_assert_eq(r->timed, other->timed);
    cr_assert_eq(r->value.repeats, other->value.repeats);
    cr_assert_float_eq(r->value.median, other->value.median, 1e-5 * r->value.median);
    cr_assert_float_eq(bench_result_worst(r), bench_result_worst(other), 1e-3);
  }
  cr_assert(bench_page_is_peer(read, "p"));
  cr_assert_not(bench_page_is_peer(read, "a"));
  bench_report_destroy(read);
  bench_report_destroy(report);
}

static void keep(void *context, const char *text) {
  cr_assert_lt(strlen(context) + strlen(text), 240);
  strcat(strcat(context, text), ";");
}

Test(bench_runner, differences_of_options_and_seeds_are_found) {
  char found[256] = "";
  bench_report *a = reread(run("fake --seed 3", play_three));
  bench_report *b = reread(run("fake --seed 4 --shapes 50 --deep", play_three));
  bench_find_differences(a, a, keep, found);
  cr_assert_str_empty(found);
  bench_find_differences(a, b, keep, found);
  cr_assert_not_null(strstr(found, "fake --seed: 3, not 4;"), "%s", found);
  cr_assert_not_null(strstr(found, "fake --shapes: 100, not 50;"), "%s", found);
  cr_assert_not_null(strstr(found, "fake --deep: none, not yes;"), "%s", found);
  bench_report_destroy(a);
  bench_report_destroy(b);
}

/* Times that grow with the square of a number, beside ones that do not grow, in three cases; and in
 * a fourth, the peer is twice as good as the first engine. */
static void grow(bench_run *run) {
  for (int n = 10; n <= 1000; n *= 10) {
    bench_begin(run, bench_format("some/%d things", n));
    bench_sample(run, &run->contenders[0], &time_taken, 1e-3 * n * n);
    bench_sample(run, &run->contenders[2], &time_taken, 1e-3 * n * n * 4);
    bench_sample(run, &run->contenders[1], &time_taken, 5);
    bench_end(run, NULL);
  }
  bench_begin(run, bench_format("other"));
  bench_sample(run, &run->contenders[0], &time_taken, 2);
  bench_sample(run, &run->contenders[2], &time_taken, 1);
  bench_end(run, NULL);
}

Test(bench_runner, exponents_are_fitted) {
  bench_page page = {.document.writer = &bench_markdown};
  bench_page_add(&page, reread(run("fake", grow)), "x");
  bench_result_names keys = bench_scaling_keys(&page, "fake", 3);
  cr_assert_eq(keys.count, 1);
  cr_assert_str_eq(keys.item[0], "some/N things");
  bench_curve a = bench_scaling_curve(page.reports[0], "fake", keys.item[0], "a", "time");
  bench_curve b = bench_scaling_curve(page.reports[0], "fake", keys.item[0], "b", "time");
  cr_assert_eq(a.count, 3);
  cr_assert_float_eq(a.item[2].x, 1000, 0);
  cr_assert_float_eq(bench_curve_exponent(&a), 2, 1e-9);
  cr_assert_float_eq(bench_curve_exponent(&b), 0, 1e-9);
  bench_curve_free(&a);
  bench_curve_free(&b);
  bench_scaling_free(&keys);
  keys = bench_scaling_keys(&page, "fake", 4);
  cr_assert_eq(keys.count, 0);
  bench_scaling_free(&keys);
  bench_page_free(&page);
}

/* Two workers take half of the time of one, four a quarter. */
static void share_work(bench_run *run) {
  bench_remove_contenders(run);
  bench_contender *four = bench_add_contender(run, "m-4-workers");
  bench_contender *two = bench_add_contender(run, "m-2-workers");
  bench_contender *one = bench_add_contender(run, "m");
  bench_begin(run, bench_format("ball"));
  bench_sample(run, four, &time_taken, 2);
  bench_sample(run, two, &time_taken, 4);
  bench_sample(run, one, &time_taken, 8);
  bench_end(run, NULL);
}

Test(bench_runner, workers_are_a_curve) {
  bench_page page = {.document.writer = &bench_markdown};
  bench_page_add(&page, reread(run("fake", share_work)), "x");
  bench_result_names keys = bench_scaling_keys(&page, "fake", 3);
  cr_assert_eq(keys.count, 1);
  cr_assert_str_eq(keys.item[0], "ball, N workers");
  bench_curve m = bench_scaling_curve(page.reports[0], "fake", keys.item[0], "m", "time");
  cr_assert_eq(m.count, 3);
  cr_assert_float_eq(m.item[2].x, 4, 0);
  cr_assert_float_eq(bench_curve_exponent(&m), -1, 1e-9);
  bench_curve_free(&m);
  bench_scaling_free(&keys);
  bench_page_free(&page);
}

Test(bench_runner, the_first_engine_is_compared_with_the_best_peer) {
  bench_report *report = reread(run("fake", grow));
  bench_lead lead = bench_page_lead(report, "fake", "time", NULL, NULL);
  cr_assert_eq(lead.cases, 4);
  cr_assert_eq(lead.no_worse, 3);
  cr_assert_float_eq(lead.min, 0.5, 1e-9);
  cr_assert_str_eq(lead.min_case, "other");
  cr_assert_float_eq(lead.mean, pow(4 * 4 * 4 * 0.5, 0.25), 1e-5);
  bench_report_destroy(report);
}

static char *write_page(const bench_format_writer *writer, bench_report *report) {
  char *text = NULL;
  size_t size = 0;
  bench_page page = {.document = {.writer = writer, .file = open_memstream(&text, &size)}};
  bench_page_add(&page, report, "x");
  bench_page_write(&page);
  fclose(page.document.file);
  bench_page_free(&page);
  return text;
}

Test(bench_runner, both_formats_say_where_motte_leads) {
  char *html = write_page(&bench_html, reread(run("fake", grow)));
  cr_assert_not_null(strstr(html, "<td>3 of 4</td><td class=\"trails\">0.50</td>"));
  free(html);
  char *markdown = write_page(&bench_markdown, reread(run("fake", grow)));
  cr_assert_not_null(strstr(markdown, "| 3 of 4 | 0.50 | other (p) |"));
  free(markdown);
}
