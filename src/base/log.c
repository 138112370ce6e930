/* The host's log hook. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void mo_log(const mo_host *host, mo_log_level level, const char *format, ...) {
  if (host->log == NULL) {
    return;
  }
  char message[MO_LOG_LINE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (length >= 0) {
    host->log(level, message, host->log_context);
  }
}
