/* The handler of failed assertions. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes to standard error, not to the host's log: there may be no host, or its log may be the part
 * that fails. */
_Noreturn void mo_assert_failed(const char *expression, const char *file, int line) {
  fprintf(stderr, "motte: assertion failed: %s (%s:%d)\n", expression, file, line);
  fflush(stderr);
  abort();
}
