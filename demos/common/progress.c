#include "common/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progress_show(const char *format, ...) {
  if (!isatty(STDERR_FILENO)) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  fputs("\r\033[K", stderr);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fflush(stderr);
}

void progress_clear(void) {
  progress_show("%s", "");
}
