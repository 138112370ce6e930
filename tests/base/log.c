/* The log hook receives one line per event, cut where it is too long. */
#include "base/log.h"
#include "base/refuse.h"

#include <criterion/criterion.h>
#include <math.h>
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

Test(refuse, names_the_place_and_the_value) {
  heard h = {0};
  mo_host host = {.log = listen, .log_context = &h};
  mo_refusal defs = mo_refusal_of(&host, "mo_call", "defs");
  defs.index = 17;
  mo_refusal tree = mo_refusal_in(&defs, ".tree", MO_NO_INDEX);
  cr_assert_eq(mo_refuse_number(&tree, MO_ERROR_INVALID_ARGUMENT, ".capacity", 0, "too few"),
               MO_ERROR_INVALID_ARGUMENT);
  cr_assert_str_eq(h.message, "mo_call: defs[17].tree.capacity is 0, too few");
  cr_assert_eq(h.level, MO_LOG_INFO);
  cr_assert_eq(h.lines, 1);
  mo_refusal planes = mo_refusal_in(&tree, ".planes", 3);
  mo_refuse_number(&planes, MO_ERROR_NOT_FINITE, ".offset", NAN, NULL);
  cr_assert_str_eq(h.message, "mo_call: defs[17].tree.planes[3].offset is NaN");
  mo_refuse_id(&defs, 7, 2);
  cr_assert_str_eq(h.message, "mo_call: defs[17] = {index 7, generation 2} is stale");
}

Test(refuse, is_silent_without_a_log_host_or_place) {
  mo_host deaf = mo_default_host();
  mo_refusal refusals[] = {mo_refusal_of(NULL, "f", "a"), mo_refusal_of(&deaf, "f", "a"),
                           mo_refusal_in(NULL, ".member", 4)};
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    cr_assert_eq(mo_refuse(&refusals[i], MO_ERROR_TOO_MANY, " is %d", 1), MO_ERROR_TOO_MANY);
  }
  cr_assert_eq(mo_refuse(NULL, MO_ERROR_TOO_MANY, " is %d", 1), MO_ERROR_TOO_MANY);
  cr_assert_eq(mo_refuse_null(NULL, "f", "a"), MO_ERROR_NULL_ARGUMENT);
}

Test(refuse, cuts_long_lines) {
  heard h = {0};
  mo_host host = {.log = listen, .log_context = &h};
  char text[400];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  mo_refusal refusal = mo_refusal_of(&host, text, text);
  mo_refuse(&refusal, MO_ERROR_TOO_MANY, "%s", text);
  cr_assert_eq(strlen(h.message), 255);
}
