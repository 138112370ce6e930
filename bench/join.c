#include "join.h"

#include <string.h>

static const char joined[] =
    "joined"; /* the key of the trees of further runs in that of the first */

static const cJSON *machine_of(const bench_report *report) {
  return cJSON_GetObjectItem(report->source, "machine");
}

/* Whether objects have no field that differs; one that either of them lacks does not count, if
 * `may_lack`. */
static bool are_equal(const cJSON *a, const cJSON *b, bool may_lack) {
  const cJSON *item;
  cJSON_ArrayForEach(item, a) {
    const cJSON *other = cJSON_GetObjectItemCaseSensitive(b, item->string);
    bool is_left_out = strcmp(item->string, "date") == 0 || cJSON_IsObject(item);
    if (!is_left_out && (other != NULL || !may_lack) && !cJSON_Compare(item, other, true)) {
      return false;
    }
  }
  return true;
}

static bench_result_names suites_of(const bench_report *report) {
  bench_result_names suites = {0};
  for (size_t i = 0; i < report->count; i++) {
    bench_result_names_add(&suites, report->results[i].suite, NULL);
  }
  return suites;
}

static bool have_common_suite(const bench_report *a, const bench_report *b) {
  bench_result_names x = suites_of(a), y = suites_of(b);
  bool any = false;
  for (size_t i = 0; i < x.count; i++) {
    for (size_t k = 0; k < y.count; k++) {
      any = any || strcmp(x.item[i], y.item[k]) == 0;
    }
  }
  bench_result_names_free(&x);
  bench_result_names_free(&y);
  return any;
}

static bool can_join(const bench_report *a, const bench_report *b) {
  const cJSON *x = machine_of(a), *y = machine_of(b);
  return x != NULL && y != NULL && are_equal(x, y, false) && are_equal(y, x, false) &&
         are_equal(cJSON_GetObjectItem(x, "peers"), cJSON_GetObjectItem(y, "peers"), true) &&
         !have_common_suite(a, b);
}

/* Adds the fields of an object, or the items of an array, that the other one lacks. */
static void add_items(cJSON *to_tree, const cJSON *from_tree, const char *key) {
  cJSON *to = cJSON_GetObjectItem(to_tree, key);
  const cJSON *from = cJSON_GetObjectItem(from_tree, key), *item;
  if (to == NULL && from != NULL) {
    cJSON_AddItemToObject(to_tree, key, cJSON_Duplicate(from, true));
    return;
  }
  cJSON_ArrayForEach(item, from) {
    if (cJSON_IsArray(to)) {
      cJSON_AddItemToArray(to, cJSON_Duplicate(item, true));
    } else if (cJSON_GetObjectItemCaseSensitive(to, item->string) == NULL) {
      cJSON_AddItemToObject(to, item->string, cJSON_Duplicate(item, true));
    }
  }
}

bool bench_report_join(bench_report *to, bench_report *from) {
  if (!can_join(to, from)) {
    return false;
  }
  for (size_t i = 0; i < from->count; i++) {
    bench_report_append(to, from->results[i].suite, &from->results[i]);
  }
  static const char *const keys[] = {"suites", "do_less", "refused"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    add_items(to->source, from->source, keys[i]);
  }
  add_items(cJSON_GetObjectItem(to->source, "machine"), machine_of(from), "peers");
  if (cJSON_GetObjectItem(to->source, joined) == NULL) {
    cJSON_AddArrayToObject(to->source, joined);
  }
  /* Names of metrics are in its tree. */
  cJSON_AddItemToArray(cJSON_GetObjectItem(to->source, joined), from->source);
  from->source = NULL;
  bench_report_destroy(from);
  return true;
}

size_t bench_report_part_count(const bench_report *report) {
  return 1 + (size_t)cJSON_GetArraySize(cJSON_GetObjectItem(report->source, joined));
}

const cJSON *bench_report_part(const bench_report *report, size_t i) {
  return i == 0 ? report->source
                : cJSON_GetArrayItem(cJSON_GetObjectItem(report->source, joined), (int)i - 1);
}
