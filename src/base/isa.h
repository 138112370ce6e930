/* The instruction sets of this build, and the macros for code that is compiled once for each.
 *
 * A function or table of a file in motte_isa_sources is defined as MO_ISA_FN(name), which appends
 * the instruction set to its name. A header declares it for all sets of the build with
 * MO_ISA_DECLARE, and a table of them, which callers index by an mo_isa that is not MO_ISA_AUTO:
 *
 *   MO_ISA_DECLARE(bool, mo_scene_trace, (mo_scene_ray *query));
 *   mo_scene_trace_by_isa[scene->isa](query); */
#ifndef MO_BASE_ISA_H
#define MO_BASE_ISA_H

#include <motte/base.h>

enum { MO_ISA_COUNT = MO_ISA_NEON + 1 };

/* The instruction set that every build has kernels for. An amalgamation (src/amalgamate.py) has
 * only one, and defines this macro as that one. */
#ifdef MO_ISA_FALLBACK
#define MO_BUILT_SCALAR(X, ...)
#else
#define MO_ISA_FALLBACK MO_ISA_SCALAR
#define MO_BUILT_SCALAR(X, ...) X(MO_ISA_SCALAR, scalar, __VA_ARGS__)
#endif

/* MO_BUILT_ISAS expands X(constant, suffix, ...) for each instruction set that this build has
 * kernels for. Meson defines MO_BUILD_*. */
#ifdef MO_BUILD_SSE4
#define MO_BUILT_SSE4(X, ...) X(MO_ISA_SSE4, sse4, __VA_ARGS__)
#else
#define MO_BUILT_SSE4(X, ...)
#endif
#ifdef MO_BUILD_AVX2
#define MO_BUILT_AVX2(X, ...) X(MO_ISA_AVX2, avx2, __VA_ARGS__)
#else
#define MO_BUILT_AVX2(X, ...)
#endif
#ifdef MO_BUILD_AVX512
#define MO_BUILT_AVX512(X, ...) X(MO_ISA_AVX512, avx512, __VA_ARGS__)
#else
#define MO_BUILT_AVX512(X, ...)
#endif
#ifdef MO_BUILD_NEON
#define MO_BUILT_NEON(X, ...) X(MO_ISA_NEON, neon, __VA_ARGS__)
#else
#define MO_BUILT_NEON(X, ...)
#endif
#define MO_BUILT_ISAS(X, ...)                                                                      \
  MO_BUILT_SCALAR(X, __VA_ARGS__)                                                                  \
  MO_BUILT_SSE4(X, __VA_ARGS__)                                                                    \
  MO_BUILT_AVX2(X, __VA_ARGS__)                                                                    \
  MO_BUILT_AVX512(X, __VA_ARGS__)                                                                  \
  MO_BUILT_NEON(X, __VA_ARGS__)

/* Declares a function or table for each instruction set of the build, and the table `name`_by_isa
 * of pointers to them; null for sets that this build lacks. `rest`: the parameter list of a
 * function, in parentheses; for an array its length, in brackets. */
#define MO_ISA_DECLARE(type, name, rest)                                                           \
  MO_BUILT_ISAS(MO_ISA_DECLARATION, type, name, rest)                                              \
  static type(*const name##_by_isa[MO_ISA_COUNT]) rest __attribute__((unused)) = MO_ISA_TABLE(&name)
#define MO_ISA_DECLARATION(constant, suffix, type, name, rest) extern type name##_##suffix rest;

/* An initialiser for an array of MO_ISA_COUNT elements, one per instruction set; null for sets that
 * this build lacks. `name` may begin with &. */
#define MO_ISA_TABLE(name)                                                                         \
  { MO_BUILT_ISAS(MO_ISA_ENTRY, name) }
#define MO_ISA_ENTRY(constant, suffix, name) [constant] = name##_##suffix,

/* The instruction set of MO_ISA_AUTO, determined once per process: for calls without a scene, mesh
 * or hull. If the environment names an unavailable set, MO_ISA_FALLBACK. */
mo_isa mo_isa_of_process(void);

/* MO_ISA_NAME is the suffix of the instruction set that a file is being compiled for. */
#define MO_ISA_JOIN2(name, isa) name##_##isa
#define MO_ISA_JOIN(name, isa) MO_ISA_JOIN2(name, isa)
#define MO_ISA_FN(name) MO_ISA_JOIN(name, MO_ISA_NAME)

#endif
