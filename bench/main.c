/* motte-bench: measures Motte, and its peers beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "compare.h"
#include "counts.h"
#include "interrupt.h"
#include "page.h"
#include "report_data.h"
#include "runner.h"
#include "suite.h"
#include "text.h"

const bench_suite *const bench_suites[] = {
    &bench_suite_rays,
    &bench_suite_instances,
    &bench_suite_refit,
    &bench_suite_edits,
    &bench_suite_moving,
    &bench_suite_kinds,
    &bench_suite_heights,
    &bench_suite_broadmark,
    &bench_suite_queries,
    &bench_suite_step,
    &bench_suite_classics,
    &bench_suite_ccd_queries,
    &bench_suite_ccd_frames,
    &bench_suite_meshes,
    &bench_suite_static_pairs,
    &bench_suite_motion_planning,
    &bench_suite_hulls,
    &bench_suite_engine_scenes,
    NULL,
};

/* Exit codes, beside those of <stdlib.h>. The last one is a shell's for a program that SIGINT
 * ended. */
enum { EXIT_WORSE = 3, EXIT_REFUSED = 4, EXIT_INTERRUPTED = 130 };

static void print_usage(FILE *file) {
  fprintf(file,
          "Usage: motte-bench list\n"
          "       motte-bench run SUITE... [options]\n"
          "       motte-bench compare BEFORE.json AFTER.json\n"
          "       motte-bench report FILE.json... [--html FILE | --markdown DIR]\n"
          "       motte-bench counts [--write] FILE [SUITE...]\n"
          "Measures Motte, and its peers beside it. Answers are checked before times are printed.\n"
          "\n"
          "  list     the suites, their engines and the peers that were found\n"
          "  run      runs suites, or all; motte-bench run SUITE --help has the options\n"
          "  compare  numbers of two runs, their ratios, and which ones moved beyond their spread\n"
          "  report   runs side by side, and where Motte leads and where not: as a page of HTML\n"
          "           with plots in a file, or as Markdown with plots as SVG in a folder,\n"
          "           or on standard output without plots\n"
          "  counts   visits, tests and bytes of small workloads, beside those of a file, which\n"
          "           --write writes; of all its suites, or of those that are named\n"
          "\n"
          "Exit codes: 0 success; 1 failure; %d compare: something is worse beyond its "
          "spread,\ncounts: something has risen by more than 3 %%; %d "
          "run: answers\nof an engine are wrong in some case, whose times are left out; 64 unknown "
          "options; %d interrupted,\nand what was measured is printed and written.\n",
          EXIT_WORSE, EXIT_REFUSED, EXIT_INTERRUPTED);
}

/* Tables must not leave in doubt why an engine is not among them. */
static void warn_of_absent_peers(void) {
#ifdef BENCH_ABSENT_PEERS
  bench_progress("without the peers that were not found when this was configured: %s",
                 BENCH_ABSENT_PEERS);
#endif
}

/* Times of a library that checks itself or is not optimized are not those of users. */
static void warn_of_slow_library(void) {
#ifdef BENCH_WITHOUT_OPTIMIZATION
  bench_progress("without the library's own optimization: for times that are to be compared, "
                 "configure with -Doptimized=true");
#endif
#ifdef BENCH_WITH_ASSERTIONS
  bench_progress("with assertions inside the library: for times that are to be compared, configure "
                 "with -Dassertions=disabled");
#endif
}

/* Writes a page as HTML to a file, or as Markdown in a folder, or for two nulls on standard output.
 * Frees its runs. */
static void write_page(bench_page *page, const char *html, const char *folder) {
  page->document =
      (bench_document){.writer = html != NULL ? &bench_html : &bench_markdown,
                       .path = folder != NULL ? bench_report_prepare_folder(folder)
                                              : bench_format("%s", html != NULL ? html : "-"),
                       .has_pictures = html != NULL || folder != NULL,
                       .folder = folder};
  bench_report_check_path(page->document.path);
  page->document.file = bench_report_open(page->document.path);
  if (page->document.file != NULL) {
    bench_page_write(page);
  }
  bench_report_close(page->document.file, page->document.path);
  free(page->document.path);
  bench_page_free(page);
}

/* An error in data must not lose what other suites have measured. */
static void check_data(const bench_command *command) {
  for (size_t i = 0; i < command->job_count; i++) {
    const bench_job *job = &command->jobs[i];
    if (job->suite->check_data != NULL) {
      job->suite->check_data(job->data, job->settings);
    }
  }
}

static int run(int argc, char **argv) {
  bench_command command = bench_parse_command(argc - 1, argv + 1);
  warn_of_absent_peers();
  warn_of_slow_library();
  bench_catch_interrupts();
  check_data(&command);
  bench_report *report = bench_report_create();
  report->is_silent = command.to_output;
  for (size_t i = 0; i < command.job_count && !bench_interrupted(); i++) {
    bench_run_suite(&command.jobs[i], report);
  }
  if (report->count == 0 && !bench_interrupted() && !bench_any_refused()) {
    fail("no engine has measured anything");
  }
  if (command.json != NULL) {
    bench_report_write_json(report, command.json, argc, argv);
  }
  if (command.csv != NULL) {
    bench_report_write_csv(report, command.csv);
  }
  const char *const pages[2][2] = {{command.html, NULL}, {NULL, command.markdown}};
  for (size_t i = 0; i < 2; i++) {
    if (pages[i][i] != NULL) {
      bench_page page = {.count = 0};
      bench_page_add(&page, bench_report_reread(report, argc, argv), "this run");
      write_page(&page, pages[i][0], pages[i][1]);
    }
  }
  bench_report_destroy(report);
  bench_free_command(&command);
  return bench_interrupted() ? EXIT_INTERRUPTED : bench_any_refused() ? EXIT_REFUSED : EXIT_SUCCESS;
}

static int list(int argc, char **argv) {
  (void)argv;
  if (argc != 2) {
    fail("list takes no arguments");
  }
  for (size_t i = 0; bench_suites[i] != NULL; i++) {
    bench_list_suite(bench_suites[i]);
  }
  warn_of_absent_peers();
  return EXIT_SUCCESS;
}

static int compare(int argc, char **argv) {
  if (argc != 4) {
    fail("compare takes two files: BEFORE.json AFTER.json");
  }
  return bench_compare(argv[2], argv[3]) ? EXIT_WORSE : EXIT_SUCCESS;
}

static int report(int argc, char **argv) {
  bench_page page = {.count = 0};
  const char *html = NULL, *folder = NULL;
  for (int i = 2; i < argc; i++) {
    bool is_html = strcmp(argv[i], "--html") == 0, is_folder = strcmp(argv[i], "--markdown") == 0;
    if ((is_html || is_folder) && i + 1 == argc) {
      fail("%s wants a file or folder", argv[i]);
    }
    if (is_html) {
      html = argv[++i];
    } else if (is_folder) {
      folder = argv[++i];
    } else if (strncmp(argv[i], "--", 2) == 0) {
      fail("report has no option \"%s\"; choose from: --html, --markdown", argv[i]);
    } else {
      bench_page_add(&page, bench_report_read(argv[i]), argv[i]);
    }
  }
  if (html != NULL && folder != NULL) {
    fail("report takes --html or --markdown, not both");
  }
  if (page.count == 0) {
    fail("report takes files of JSON");
  }
  write_page(&page, html, folder);
  return EXIT_SUCCESS;
}

static int counts(int argc, char **argv) {
  bool writes = argc >= 4 && strcmp(argv[2], "--write") == 0;
  if (argc < 3 || (!writes && argv[2][0] == '-')) {
    fail("counts takes a file, and --write before it to write it");
  }
  bench_catch_interrupts();
  if (writes) {
    bench_write_counts(argv[3], argv + 4);
    return EXIT_SUCCESS;
  }
  return bench_check_counts(argv[2], argv + 3) ? EXIT_SUCCESS : EXIT_WORSE;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
  } commands[] = {
      {"list", list}, {"run", run}, {"compare", compare}, {"report", report}, {"counts", counts}};
  if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)) {
    print_usage(stdout);
    return EXIT_SUCCESS;
  }
  for (size_t i = 0; argc >= 2 && i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      return commands[i].run(argc, argv);
    }
  }
  if (argc >= 2) {
    fail("there is no command \"%s\"; choose from: list, run, compare, report, counts", argv[1]);
  }
  print_usage(stderr);
  return EXIT_FAILURE;
}
