/* Formatted messages to the host's log hook. */
#ifndef MO_BASE_LOG_H
#define MO_BASE_LOG_H

#include <motte/base.h>

/* The largest length of a message, including the terminating zero; longer messages are
 * truncated. */
enum { MO_LOG_LINE_SIZE = 256 };

/* Logs one line, printf style, truncated to 255 characters; does nothing if the host has no log. */
__attribute__((format(printf, 3, 4))) void mo_log(const mo_host *host, mo_log_level level,
                                                  const char *format, ...);

#endif
