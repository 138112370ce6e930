#include "differences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text of either of two objects, by its key. */
static const char *text_of(const cJSON *object, const char *key, char *memory, size_t size) {
  const cJSON *item = cJSON_GetObjectItem(object, key);
  if (cJSON_IsNumber(item)) {
    snprintf(memory, size, "%.15g", item->valuedouble);
    return memory;
  }
  return cJSON_IsString(item) ? item->valuestring : NULL;
}

typedef struct comparison {
  void (*visit)(void *context, const char *text);
  void *context;
} comparison;

/* `what` comes before the key in the text. */
static void compare(const comparison *self, const char *what, const cJSON *a, const cJSON *b,
                    const char *key) {
  char numbers[2][32];
  const char *x = text_of(a, key, numbers[0], sizeof numbers[0]);
  const char *y = text_of(b, key, numbers[1], sizeof numbers[1]);
  if (x == y || (x != NULL && y != NULL && strcmp(x, y) == 0)) {
    return;
  }
  char *text =
      bench_format("%s%s: %s, not %s", what, key, x != NULL ? x : "none", y != NULL ? y : "none");
  self->visit(self->context, text);
  free(text);
}

/* All keys of either object. */
static void compare_all(const comparison *self, const char *what, const cJSON *a, const cJSON *b) {
  const cJSON *item;
  cJSON_ArrayForEach(item, a) {
    compare(self, what, a, b, item->string);
  }
  cJSON_ArrayForEach(item, b) {
    if (cJSON_GetObjectItem(a, item->string) == NULL) {
      compare(self, what, a, b, item->string);
    }
  }
}

void bench_find_differences(const bench_report *a, const bench_report *b,
                            void (*visit)(void *context, const char *text), void *context) {
  static const char *const keys[] = {"cpu", "cores", "os", "compiler", "build", "isa", "clock"};
  const comparison self = {visit, context};
  const cJSON *x = cJSON_GetObjectItem(a->source, "machine");
  const cJSON *y = cJSON_GetObjectItem(b->source, "machine");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    compare(&self, "", x, y, keys[i]);
  }
  compare_all(&self, "version of ", cJSON_GetObjectItem(x, "peers"),
              cJSON_GetObjectItem(y, "peers"));
  const cJSON *suite;
  cJSON_ArrayForEach(suite, cJSON_GetObjectItem(a->source, "suites")) {
    const cJSON *other =
        cJSON_GetObjectItem(cJSON_GetObjectItem(b->source, "suites"), suite->string);
    if (other != NULL) {
      char *what = bench_format("%s --", suite->string);
      compare_all(&self, what, suite, other);
      free(what);
    }
  }
}
