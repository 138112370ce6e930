/* How the instruction set of queries is chosen. Criterion runs each test in its own process, so
 * that the environment of one does not reach another. */
#define _POSIX_C_SOURCE 200112L
#include <criterion/criterion.h>
#include <motte/base.h>
#include <stdlib.h>

Test(isa, scalar_is_always_available) {
  mo_isa isa = MO_ISA_AUTO;
  setenv("MOTTE_ISA", "nonsense", 1);
  cr_assert_eq(mo_isa_resolve(MO_ISA_SCALAR, &isa), MO_OK, "an argument beats the environment");
  cr_assert_eq(isa, MO_ISA_SCALAR);
}

Test(isa, auto_is_the_best_that_the_processor_has) {
  mo_isa isa = MO_ISA_AUTO, avx2 = MO_ISA_AUTO;
  unsetenv("MOTTE_ISA");
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &isa), MO_OK);
  mo_result result = mo_isa_resolve(MO_ISA_AVX2, &avx2);
  if (result == MO_OK) {
    cr_assert_eq(avx2, MO_ISA_AVX2);
    cr_assert_eq(isa, MO_ISA_AVX2);
  } else {
    cr_assert_eq(result, MO_ERROR_UNSUPPORTED);
    cr_assert_eq(avx2, MO_ISA_AUTO, "outputs of a failed call are not written");
    cr_assert_eq(isa, MO_ISA_SCALAR);
  }
}

Test(isa, environment_overrides_auto) {
  mo_isa isa = MO_ISA_AUTO;
  setenv("MOTTE_ISA", "scalar", 1);
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &isa), MO_OK);
  cr_assert_eq(isa, MO_ISA_SCALAR);
  setenv("MOTTE_ISA", "avx2", 1);
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &isa), mo_isa_resolve(MO_ISA_AVX2, &isa));
}

Test(isa, empty_environment_counts_as_unset) {
  mo_isa isa = MO_ISA_AUTO;
  setenv("MOTTE_ISA", "", 1);
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &isa), MO_OK);
  cr_assert_neq(isa, MO_ISA_AUTO);
}

Test(isa, unknown_environment_is_refused) {
  mo_isa isa = MO_ISA_AUTO;
  setenv("MOTTE_ISA", "avx1024", 1);
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &isa), MO_ERROR_UNSUPPORTED);
  cr_assert_eq(isa, MO_ISA_AUTO);
}

Test(isa, bad_arguments_are_refused) {
  mo_isa isa = MO_ISA_AUTO;
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_isa_resolve((mo_isa)77, &isa), MO_ERROR_INVALID_ARGUMENT);
}

Test(isa, has_names) {
  cr_assert_str_eq(mo_isa_name(MO_ISA_AUTO), "auto");
  cr_assert_str_eq(mo_isa_name(MO_ISA_SCALAR), "scalar");
  cr_assert_str_eq(mo_isa_name(MO_ISA_AVX2), "avx2");
  cr_assert_str_eq(mo_isa_name((mo_isa)77), "unknown");
}
