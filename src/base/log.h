/* Formatted messages to the host's log hook. */
#ifndef MO_BASE_LOG_H
#define MO_BASE_LOG_H

#include <motte/base.h>

/* Messages are cut to this, their terminating zero included. */
enum { MO_LOG_LINE = 256 };

/* One line, printf style, cut at 255 characters; nothing if the host has no log. */
__attribute__((format(printf, 3, 4))) void mo_log(const mo_host *host, mo_log_level level,
                                                  const char *format, ...);

#endif
