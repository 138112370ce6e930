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

/* Every set, whether this build and this processor have it or not. */
static const mo_isa sets[] = {MO_ISA_SCALAR, MO_ISA_SSE4, MO_ISA_AVX2, MO_ISA_AVX512, MO_ISA_NEON};
enum { SETS = sizeof sets / sizeof *sets };

Test(isa, argument_and_environment_agree) {
  for (int i = 0; i < SETS; i++) {
    mo_isa by_argument = MO_ISA_AUTO, by_environment = MO_ISA_AUTO;
    setenv("MOTTE_ISA", mo_isa_name(sets[i]), 1);
    mo_result result = mo_isa_resolve(sets[i], &by_argument);
    cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &by_environment), result);
    if (result == MO_OK) {
      cr_assert_eq(by_argument, sets[i]);
      cr_assert_eq(by_environment, sets[i]);
    } else {
      cr_assert_eq(result, MO_ERROR_UNSUPPORTED);
      cr_assert_eq(by_argument, MO_ISA_AUTO, "outputs of a failed call are not written");
      cr_assert_eq(by_environment, MO_ISA_AUTO);
    }
  }
}

Test(isa, auto_is_better_than_scalar_where_there_is_better) {
  mo_isa isa = MO_ISA_AUTO, other;
  unsetenv("MOTTE_ISA");
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &isa), MO_OK);
  cr_assert_eq(mo_isa_resolve(isa, &other), MO_OK);
  cr_assert_eq(isa, other);
  if (isa == MO_ISA_SCALAR) {
    for (int i = 1; i < SETS; i++) {
      cr_assert_eq(mo_isa_resolve(sets[i], &other), MO_ERROR_UNSUPPORTED);
    }
  }
  setenv("MOTTE_ISA", "auto", 1);
  cr_assert_eq(mo_isa_resolve(MO_ISA_AUTO, &other), MO_OK);
  cr_assert_eq(isa, other);
}

Test(isa, sets_belong_to_processors) {
  mo_isa isa;
#if defined(__aarch64__)
  cr_assert_eq(mo_isa_resolve(MO_ISA_NEON, &isa), MO_OK);
  cr_assert_eq(mo_isa_resolve(MO_ISA_SSE4, &isa), MO_ERROR_UNSUPPORTED);
#else
  cr_assert_eq(mo_isa_resolve(MO_ISA_NEON, &isa), MO_ERROR_UNSUPPORTED);
#endif
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
  cr_assert_eq(mo_isa_resolve((mo_isa)-1, &isa), MO_ERROR_INVALID_ARGUMENT);
}

Test(isa, has_names) {
  cr_assert_str_eq(mo_isa_name(MO_ISA_AUTO), "auto");
  cr_assert_str_eq(mo_isa_name(MO_ISA_SCALAR), "scalar");
  cr_assert_str_eq(mo_isa_name(MO_ISA_SSE4), "sse4");
  cr_assert_str_eq(mo_isa_name(MO_ISA_AVX2), "avx2");
  cr_assert_str_eq(mo_isa_name(MO_ISA_AVX512), "avx512");
  cr_assert_str_eq(mo_isa_name(MO_ISA_NEON), "neon");
  cr_assert_str_eq(mo_isa_name((mo_isa)77), "unknown");
  cr_assert_str_eq(mo_isa_name((mo_isa)-1), "unknown");
}
