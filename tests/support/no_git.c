/* In the place of libgit2, which Criterion links for the texts of failures of
 * criterion/new/assert.h: tests use criterion/criterion.h alone. */
#include <stdio.h>
#include <stdlib.h>

int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void) {
  return 1;
}

int git_libgit2_shutdown(void) {
  return 0;
}

int git_diff_buffers(void) {
  fputs("tests/support/no_git.c: failures of criterion/new/assert.h have no text here\n", stderr);
  abort();
}
