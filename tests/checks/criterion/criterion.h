/* Criterion, whose checks compile in half of the time here: what it writes out in full for each of
 * some 8,000 checks is a call of one function, which makes the same message. */
#ifndef TESTS_CHECKS_CRITERION_H
#define TESTS_CHECKS_CRITERION_H

#include_next <criterion/criterion.h>

/* Reports a check that does not hold: the test's own text if there is one (the first character of
 * `format` is not part of it), or else `usual`, Criterion's, which is freed. */
void check_report(const char *file, unsigned line, char *usual, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));

/* All checks of Criterion end here. */
#undef cr_assert_impl
#define cr_assert_impl(fail, holds, unused, message, text, ...)                                    \
  do {                                                                                             \
    if (holds) {                                                                                   \
      cri_asserts_passed_incr();                                                                   \
    } else {                                                                                       \
      check_report(__FILE__, __LINE__,                                                             \
                   cr_translate_assert_msg(message, "" CR_TRANSLATE_DEF_MSG__(text)),              \
                   "x" __VA_ARGS__);                                                               \
      fail();                                                                                      \
    }                                                                                              \
  } while (0)

#endif
