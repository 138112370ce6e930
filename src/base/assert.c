/* What happens when an assertion fails. */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

/* There may be no host whose log could tell, and its log may be what has gone wrong. */
_Noreturn void mo_assert_failed(const char *expression, const char *file, int line) {
  fprintf(stderr, "motte: assertion failed: %s (%s:%d)\n", expression, file, line);
  fflush(stderr);
  abort();
}
