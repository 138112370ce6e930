/* See criterion/criterion.h in this folder. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>

void check_report(const char *file, unsigned line, char *usual, const char *format, ...) {
  char text[2000];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  struct criterion_assert_stats stats = {
      .message = text[1] != '\0' ? text + 1 : usual, .file = file, .line = line};
  criterion_send_assert(&stats);
  cr_asprintf_free(usual);
}
