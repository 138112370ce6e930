#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

void bench_progress(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

char *bench_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = allocate((size_t)length + 1, 1);
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

bool bench_list_has(const char *list, const char *name, bool otherwise) {
  if (list == NULL) {
    return otherwise;
  }
  if (strcmp(list, "all") == 0) {
    return true;
  }
  size_t length = strlen(name);
  for (const char *item = list; *item != '\0';) {
    size_t span = strcspn(item, ",");
    if (span == length && strncmp(item, name, length) == 0) {
      return true;
    }
    item += span + (item[span] == ',');
  }
  return false;
}

void bench_list_check(const char *option, const char *list, const char *const *names,
                      size_t count) {
  for (const char *item = list; item != NULL && *item != '\0';) {
    size_t span = strcspn(item, ",");
    bool known =
        (span == 3 && strncmp(item, "all", 3) == 0) || (span == 4 && strncmp(item, "none", 4) == 0);
    for (size_t i = 0; i < count && !known; i++) {
      known = strlen(names[i]) == span && strncmp(item, names[i], span) == 0;
    }
    if (!known) {
      fail("--%s: there is no \"%.*s\" here", option, (int)span, item);
    }
    item += span + (item[span] == ',');
  }
}

char *bench_stem(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
  return bench_format("%.*s", (int)length, name);
}

uint64_t bench_parse_count(const char *option, const char *text, uint64_t low, uint64_t high) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || *text == '-' || value < low || value > high) {
    fail("--%s wants a whole number from %llu to %llu, not \"%s\"", option, (unsigned long long)low,
         (unsigned long long)high, text);
  }
  return value;
}

double bench_parse_real(const char *option, const char *text, double low, double high) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= low && value <= high)) {
    fail("--%s wants a number from %g to %g, not \"%s\"", option, low, high, text);
  }
  return value;
}
