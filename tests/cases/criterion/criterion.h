/* What Motte's tests use of Criterion, for builds with sanitizers: there all tests are one program,
 * which cases.c runs. Programs of their own, each of which has to be linked, and cases that each
 * start a program anew take longer than the tests themselves, and the macros of Criterion take a
 * third of the time that a test needs to compile. */
#ifndef TESTS_CASES_CRITERION_H
#define TESTS_CASES_CRITERION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct case_options {
  void (*init)(void);
  void (*fini)(void);
  int exit_code;
  unsigned timeout; /* in seconds */
  bool sentinel;    /* so that an empty list of options is an initializer */
} case_options;

/* Of a suite where `name` and `run` are null. */
typedef struct test_case {
  const char *file, *suite, *name;
  void (*run)(void);
  case_options options;
  struct test_case *next;
} test_case;

void case_add(test_case *added);
void case_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A check did not hold: the case fails, now or at its end. */
_Noreturn void case_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void case_fail_later(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define CASE_ADD(id, suite, name, run, ...)                                                        \
  __attribute__((constructor)) static void id##_add(void) {                                        \
    static test_case added = {__FILE__, suite, name, run, {__VA_ARGS__}, NULL};                    \
    case_add(&added);                                                                              \
  }
#define CASE_TEST(suite, name, ...)                                                                \
  static void suite##_##name##_run(void);                                                          \
  CASE_ADD(suite##_##name, #suite, #name, suite##_##name##_run, __VA_ARGS__)                       \
  static void suite##_##name##_run(void)
#define CASE_SUITE(suite, ...)                                                                     \
  CASE_ADD(suite##_suite, #suite, NULL, NULL, __VA_ARGS__)                                         \
  extern int case_suites
#define Test(...) CASE_TEST(__VA_ARGS__, .sentinel = false)
#define TestSuite(...) CASE_SUITE(__VA_ARGS__, .sentinel = false)

#define cr_log_info case_log
#define CASE_CHECK(fail, condition, ...)                                                           \
  ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition, " " __VA_ARGS__))
#define cr_assert(a, ...) CASE_CHECK(case_fail, a, __VA_ARGS__)
#define cr_assert_not(a, ...) CASE_CHECK(case_fail, !(a), __VA_ARGS__)
#define cr_assert_eq(a, b, ...) CASE_CHECK(case_fail, (a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...) CASE_CHECK(case_fail, (a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...) CASE_CHECK(case_fail, (a) < (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...) CASE_CHECK(case_fail, (a) <= (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...) CASE_CHECK(case_fail, (a) > (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...) CASE_CHECK(case_fail, (a) >= (b), __VA_ARGS__)
#define cr_assert_null(a, ...) CASE_CHECK(case_fail, (a) == NULL, __VA_ARGS__)
#define cr_assert_not_null(a, ...) CASE_CHECK(case_fail, (a) != NULL, __VA_ARGS__)
#define cr_assert_float_eq(a, b, epsilon, ...)                                                     \
  CASE_CHECK(case_fail, (a) - (b) <= (epsilon) && (b) - (a) <= (epsilon), __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) CASE_CHECK(case_fail, strcmp(a, b) == 0, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) CASE_CHECK(case_fail, (a)[0] == '\0', __VA_ARGS__)
#define cr_assert_arr_eq(a, b, size, ...)                                                          \
  CASE_CHECK(case_fail, memcmp(a, b, size) == 0, __VA_ARGS__)
#define cr_assert_fail(...) case_fail(__FILE__, __LINE__, "", " " __VA_ARGS__)
#define cr_expect(a, ...) CASE_CHECK(case_fail_later, a, __VA_ARGS__)
#define cr_expect_not(a, ...) CASE_CHECK(case_fail_later, !(a), __VA_ARGS__)
#define cr_expect_eq(a, b, ...) CASE_CHECK(case_fail_later, (a) == (b), __VA_ARGS__)
#define cr_expect_neq(a, b, ...) CASE_CHECK(case_fail_later, (a) != (b), __VA_ARGS__)
#define cr_expect_lt(a, b, ...) CASE_CHECK(case_fail_later, (a) < (b), __VA_ARGS__)
#define cr_expect_leq(a, b, ...) CASE_CHECK(case_fail_later, (a) <= (b), __VA_ARGS__)
#define cr_expect_gt(a, b, ...) CASE_CHECK(case_fail_later, (a) > (b), __VA_ARGS__)
#define cr_expect_geq(a, b, ...) CASE_CHECK(case_fail_later, (a) >= (b), __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) CASE_CHECK(case_fail_later, strcmp(a, b) == 0, __VA_ARGS__)

#endif
