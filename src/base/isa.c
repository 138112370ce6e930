/* Selection of the instruction set of queries: by argument, by environment variable, by
 * processor. */
#include "base/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static const char *const isa_names[MO_ISA_COUNT] = {
    [MO_ISA_AUTO] = "auto", [MO_ISA_SCALAR] = "scalar", [MO_ISA_SSE4] = "sse4",
    [MO_ISA_AVX2] = "avx2", [MO_ISA_AVX512] = "avx512", [MO_ISA_NEON] = "neon",
};

/* Which instruction sets have kernels in this build. */
#define BUILT_ENTRY(constant, suffix, value) [constant] = value,
static const bool is_built[MO_ISA_COUNT] = {MO_BUILT_ISAS(BUILT_ENTRY, true)};
#undef BUILT_ENTRY

/* Instruction sets in the order in which MO_ISA_AUTO prefers them: by speed as measured with
 * motte-bench. (AVX-512 was as fast as AVX2, or up to a tenth faster on single rays; with 256-bit
 * registers it does not reduce the clock of any processor.) */
static const mo_isa preferred_isas[] = {MO_ISA_AVX512, MO_ISA_AVX2, MO_ISA_SSE4, MO_ISA_NEON,
                                        MO_ISA_SCALAR};

const char *mo_isa_name(mo_isa isa) {
  return (unsigned)isa < MO_ISA_COUNT ? isa_names[isa] : "unknown";
}

#if defined(__x86_64__) || defined(__i386__)
/* Whether the processor has LZCNT. Every processor with AVX2 has it; it is checked because
 * compilers use it in the AVX2 and AVX-512 kernels. Asked once: in a virtual machine CPUID takes
 * some ten microseconds, as long as making a small hull. */
static bool has_lzcnt(void) {
  enum { UNKNOWN, NO, YES };
  static atomic_int known = UNKNOWN;
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == UNKNOWN) {
    const unsigned lzcnt = 1u << 5;
    unsigned a, b, c, d;
    answer = __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & lzcnt) != 0 ? YES : NO;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == YES && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#endif

static bool processor_has(mo_isa isa) {
  switch (isa) {
  case MO_ISA_SCALAR:
    return true;
#if defined(__x86_64__) || defined(__i386__)
  case MO_ISA_SSE4:
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  case MO_ISA_AVX2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_lzcnt();
  case MO_ISA_AVX512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("fma") && has_lzcnt();
#elif defined(__aarch64__)
  case MO_ISA_NEON:
    return true;
#endif
  default:
    return false;
  }
}

static bool is_available(mo_isa isa) {
  return is_built[isa] && processor_has(isa);
}

/* The instruction set with a name; MO_ISA_COUNT if there is none. */
static mo_isa isa_by_name(const char *name) {
  int isa = 0;
  while (isa < MO_ISA_COUNT && strcmp(name, isa_names[isa]) != 0) {
    isa++;
  }
  return (mo_isa)isa;
}

mo_result mo_isa_resolve(mo_isa requested, mo_isa *resolved) {
  if (resolved == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if ((unsigned)requested >= MO_ISA_COUNT) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  mo_isa isa = requested;
  const char *name = isa == MO_ISA_AUTO ? getenv("MOTTE_ISA") : NULL;
  if (name != NULL && *name) {
    isa = isa_by_name(name);
  }
  for (size_t i = 0; isa == MO_ISA_AUTO; i++) {
    isa = is_available(preferred_isas[i]) ? preferred_isas[i] : MO_ISA_AUTO;
  }
  if ((unsigned)isa >= MO_ISA_COUNT || !is_available(isa)) {
    return MO_ERROR_UNSUPPORTED;
  }
  *resolved = isa;
  return MO_OK;
}

mo_isa mo_isa_of_process(void) {
  static atomic_int known = MO_ISA_AUTO; /* the resolved set; MO_ISA_AUTO: not yet determined */
  mo_isa isa = (mo_isa)atomic_load_explicit(&known, memory_order_relaxed);
  if (isa == MO_ISA_AUTO) {
    if (mo_isa_resolve(MO_ISA_AUTO, &isa) != MO_OK) {
      isa = MO_ISA_FALLBACK;
    }
    atomic_store_explicit(&known, (int)isa, memory_order_relaxed);
  }
  return isa;
}
