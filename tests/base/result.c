/* Result codes have names and texts, and other numbers do no harm. */
#include <criterion/criterion.h>
#include <motte/base.h>
#include <string.h>

#define COUNT(name, text) +1
enum { RESULTS = 0 MO_RESULTS(COUNT) };
#undef COUNT

Test(result, names_are_those_of_the_enumerators) {
  cr_assert_str_eq(mo_result_name(MO_OK), "MO_OK");
  cr_assert_str_eq(mo_result_name(MO_ERROR_STALE_ID), "MO_ERROR_STALE_ID");
  cr_assert_str_eq(mo_result_name(MO_ERROR_CORRUPT), "MO_ERROR_CORRUPT");
}

Test(result, texts_are_plain_sentences) {
  for (int code = MO_OK; code < RESULTS; code++) {
    const char *text = mo_result_text((mo_result)code);
    cr_assert_gt(strlen(text), 5);
    cr_assert_neq(text[strlen(text) - 1], '.');
    cr_assert_neq(strcmp(text, mo_result_text((mo_result)RESULTS)), 0);
  }
}

Test(result, unknown_numbers_are_said_to_be_unknown) {
  cr_assert_str_eq(mo_result_name((mo_result)RESULTS), "unknown");
  cr_assert_str_eq(mo_result_name((mo_result)12345), "unknown");
  cr_assert_str_eq(mo_result_text((mo_result)12345), "unknown result code");
}
