/* The log hook receives one line per event, cut where it is too long. */
#include "base/log.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct heard {
  int lines;
  mo_log_level level;
  char message[512];
} heard;

static void listen(mo_log_level level, const char *message, void *context) {
  heard *h = context;
  h->lines++;
  h->level = level;
  strncpy(h->message, message, sizeof h->message - 1);
}

Test(log, is_silent_without_a_hook) {
  mo_host host = mo_default_host();
  cr_assert_null(host.log);
  mo_log(&host, MO_LOG_WARNING, "%d", 1);
}

Test(log, formats) {
  heard h = {0};
  mo_host host = {.log = listen, .log_context = &h};
  mo_log(&host, MO_LOG_WARNING, "node %d of %s", 7, "tree");
  cr_assert_eq(h.lines, 1);
  cr_assert_eq(h.level, MO_LOG_WARNING);
  cr_assert_str_eq(h.message, "node 7 of tree");
}

Test(log, cuts_long_lines) {
  heard h = {0};
  mo_host host = {.log = listen, .log_context = &h};
  char text[400];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  mo_log(&host, MO_LOG_INFO, "%s", text);
  cr_assert_eq(strlen(h.message), 255);
}
