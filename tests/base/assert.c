/* Assertions of the library: one that fails says what and where, and aborts; without them nothing
 * is evaluated. */
#include "base/assert.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int evaluations;

static bool counted(bool result) {
  evaluations++;
  return result;
}

/* Fails an assertion, or none, in a child. Returns the signal that ended it, or 0; `said`: what it
 * wrote to standard error. */
static int fail_in_child(bool result, char *said, size_t size) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    MO_ASSERT(counted(result));
    _exit(evaluations);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], said + length, size - 1 - length)) > 0;) {
    length += (size_t)got;
  }
  said[length] = 0;
  close(ends[0]);
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == MO_ASSERTIONS);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

Test(assert, says_what_and_where_and_aborts) {
  char said[512];
  cr_assert_eq(fail_in_child(false, said, sizeof said), MO_ASSERTIONS ? SIGABRT : 0);
  cr_assert_eq(strstr(said, "motte: assertion failed: counted(result) (") != NULL, MO_ASSERTIONS);
  cr_assert_eq(strstr(said, "base/assert.c:") != NULL, MO_ASSERTIONS);
  cr_assert_eq(fail_in_child(true, said, sizeof said), 0);
  cr_assert_str_empty(said);
}
