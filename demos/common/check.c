#include "common/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(const char *format, ...) {
  fflush(stdout);
  fprintf(stderr, "%s: ", program_invocation_short_name);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(EXIT_FAILURE);
}

void check(mo_result result, const char *action) {
  if (result != MO_OK) {
    fail("cannot %s: %s (%s)", action, mo_result_text(result), mo_result_name(result));
  }
}

void *allocate(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) {
    fail("cannot allocate %zu items of %zu bytes", count, size);
  }
  return memory;
}
