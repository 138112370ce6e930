/* Which instruction set queries run with: by argument, by environment, by processor. */
#include <motte/base.h>
#include <stdlib.h>
#include <string.h>

const char *mo_isa_name(mo_isa isa) {
  switch (isa) {
  case MO_ISA_AUTO:
    return "auto";
  case MO_ISA_SCALAR:
    return "scalar";
  case MO_ISA_AVX2:
    return "avx2";
  }
  return "unknown";
}

/* Both the kernels and the processor are needed. */
static bool isa_is_available(mo_isa isa) {
  switch (isa) {
  case MO_ISA_SCALAR:
    return true;
  case MO_ISA_AVX2:
#ifdef MO_BUILD_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
  case MO_ISA_AUTO:
    break;
  }
  return false;
}

mo_result mo_isa_resolve(mo_isa requested, mo_isa *resolved) {
  if (!resolved) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (requested != MO_ISA_AUTO && requested != MO_ISA_SCALAR && requested != MO_ISA_AVX2) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  mo_isa isa = requested;
  const char *name = isa == MO_ISA_AUTO ? getenv("MOTTE_ISA") : NULL;
  if (name && *name && strcmp(name, "auto") != 0) {
    if (strcmp(name, "scalar") == 0) {
      isa = MO_ISA_SCALAR;
    } else if (strcmp(name, "avx2") == 0) {
      isa = MO_ISA_AVX2;
    } else {
      return MO_ERROR_UNSUPPORTED;
    }
  }
  if (isa == MO_ISA_AUTO) {
    isa = isa_is_available(MO_ISA_AVX2) ? MO_ISA_AVX2 : MO_ISA_SCALAR;
  }
  if (!isa_is_available(isa)) {
    return MO_ERROR_UNSUPPORTED;
  }
  *resolved = isa;
  return MO_OK;
}
