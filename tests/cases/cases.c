/* Runs cases that are written for Criterion, each in a process of its own, which is forked:
 *
 *   cases [FILE.c | SUITE/NAME]...   those of the files whose paths end so, or of these names; or
 * else all
 *
 * The results are TAP, as those of Criterion's --tap=-. */
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum { FAILED = 200 }; /* the exit code of a case with a check that did not hold */

static test_case *first_case;
static test_case **last_case = &first_case;
static bool has_failed;

void case_add(test_case *added) {
  *last_case = added;
  last_case = &added->next;
}

void case_log(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
}

static void say_failed(const char *file, int line, const char *condition, const char *format,
                       va_list list) {
  fprintf(stderr, "%s:%d: not so: %s", file, line, condition);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
}

void case_fail(const char *file, int line, const char *condition, const char *format, ...) {
  va_list list;
  va_start(list, format);
  say_failed(file, line, condition, format, list);
  va_end(list);
  fflush(NULL);
  _exit(FAILED);
}

void case_fail_later(const char *file, int line, const char *condition, const char *format, ...) {
  va_list list;
  va_start(list, format);
  say_failed(file, line, condition, format, list);
  va_end(list);
  has_failed = true;
}

/* The options of its suite, which are all that its cases have; or else its own. */
static const case_options *options_of(const test_case *tested) {
  for (const test_case *suite = first_case; suite != NULL; suite = suite->next) {
    if (suite->name == NULL && strcmp(suite->file, tested->file) == 0 &&
        strcmp(suite->suite, tested->suite) == 0) {
      return &suite->options;
    }
  }
  return &tested->options;
}

static _Noreturn void run(const test_case *tested, const case_options *options) {
  alarm(options->timeout);
  if (options->init != NULL) {
    options->init();
  }
  tested->run();
  if (options->fini != NULL) {
    options->fini();
  }
  fflush(NULL);
  _exit(has_failed
            ? FAILED
            : 0); // what sanitizers do at the exit of a program takes longer than many a case
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_chosen(const test_case *tested, int count, char **chosen) {
  char name[256];
  snprintf(name, sizeof name, "%s/%s", tested->suite, tested->name);
  for (int i = 0; i < count; i++) {
    if (ends_with(tested->file, chosen[i]) || strcmp(name, chosen[i]) == 0) {
      return true;
    }
  }
  return count == 0;
}

int main(int argument_count, char **arguments) {
  int run_count = 0, failed_count = 0;
  for (const test_case *tested = first_case; tested != NULL; tested = tested->next) {
    if (tested->name == NULL || !is_chosen(tested, argument_count - 1, arguments + 1)) {
      continue;
    }
    const case_options *options = options_of(tested);
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
      run(tested, options);
    }
    int status = 0;
    bool passed = process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) &&
                  WEXITSTATUS(status) == options->exit_code;
    printf("%s - %s::%s\n", passed ? "ok" : "not ok", tested->suite, tested->name);
    if (!passed && WIFSIGNALED(status)) {
      printf("# ended by signal %d\n", WTERMSIG(status));
    }
    run_count++;
    failed_count += !passed;
  }
  printf("1..%d\n", run_count);
  return run_count == 0 || failed_count > 0;
}
