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

void bench_fail_at(const char *path, size_t line, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fail("%s:%zu: %s", path, line, text);
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

static bool is_item(const char *item, size_t length, const char *name) {
  return strlen(name) == length && strncmp(item, name, length) == 0;
}

bool bench_list_has(const char *list, const char *name, bool otherwise) {
  if (list == NULL) {
    return otherwise;
  }
  for (const char *item = list; *item != '\0';) {
    size_t span = strcspn(item, ",");
    if (is_item(item, span, name) || is_item(item, span, "all")) {
      return true;
    }
    item += span + (item[span] == ',');
  }
  return false;
}

static bool is_known(const char *item, size_t length, const bench_names *names) {
  for (size_t i = 0; i < names->count; i++) {
    if (is_item(item, length, names->item[i])) {
      return true;
    }
  }
  return false;
}

void bench_names_add(bench_names *names, const char *name) {
  if (is_known(name, strlen(name), names)) {
    return;
  }
  if (names->count == sizeof names->item / sizeof *names->item) {
    fail("more names than there is space for");
  }
  names->item[names->count++] = name;
}

char *bench_names_join(const bench_names *names) {
  char *text = bench_format("%s", names->count > 0 ? names->item[0] : "");
  for (size_t i = 1; i < names->count; i++) {
    char *longer = bench_format("%s, %s", text, names->item[i]);
    free(text);
    text = longer;
  }
  return text;
}

void bench_list_check(const char *option, const char *list, const bench_names *names) {
  for (const char *item = list; item != NULL && *item != '\0';) {
    size_t span = strcspn(item, ",");
    if (!is_item(item, span, "all") && !is_item(item, span, "none") &&
        !is_known(item, span, names)) {
      fail("--%s: there is no \"%.*s\"; choose from: all, none%s%s", option, (int)span, item,
           names->count > 0 ? ", " : "", bench_names_join(names));
    }
    item += span + (item[span] == ',');
  }
}

void bench_name_check(const char *option, const char *name, const bench_names *names) {
  if (!is_known(name, strlen(name), names)) {
    fail("--%s: there is no \"%s\"; choose from: %s", option, name, bench_names_join(names));
  }
}

char *bench_stem(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
  return bench_format("%.*s", (int)length, name);
}

char *bench_identifier(const char *text) {
  char *name = bench_format("%s", text);
  for (char *c = name; *c != '\0'; c++) {
    bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
    *c = is_letter || (*c >= '0' && *c <= '9') || *c == '-' ? *c : '_';
  }
  return name;
}

char *bench_without_folders(const char *argument) {
  const char *sign = strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL;
  const char *path = sign != NULL ? sign + 1 : argument, *slash = strrchr(path, '/');
  const char *name = *path == '/' && slash[1] != '\0' ? slash + 1 : path;
  return bench_format("%.*s%s", (int)(path - argument), argument, name);
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

char *bench_read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail("cannot open %s: %s", path, strerror(errno));
  }
  char *text = NULL;
  size_t size = 0;
  ssize_t length = getdelim(&text, &size, '\0', file);
  fclose(file);
  if (length < 0) {
    fail("cannot read %s", path);
  }
  return text;
}
