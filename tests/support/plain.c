/* For programs that do without Criterion. */
#include "support/plain.h"

#include <stdio.h>
#include <stdlib.h>

void need(mo_result result, const char *what) {
  enum { SKIPPED = 77 };
  if (result != MO_OK) {
    fprintf(stderr, "cannot %s: %s\n", what, mo_result_text(result));
    exit(result == MO_ERROR_NO_THREAD ? SKIPPED : 1);
  }
}
