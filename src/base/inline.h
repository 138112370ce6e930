/* MO_INLINE: functions that kernels always inline, so that each kind of query (such as closest
 * hit or any hit), each kind of statistics and each instruction set gets specialised code.
 *
 * Specialised code takes long to compile. Where it is not worth that, the build defines
 * MO_COMPILER_INLINES and leaves inlining to the compiler: in scalar kernels, and with sanitizers
 * (src/meson.build). */
#ifndef MO_BASE_INLINE_H
#define MO_BASE_INLINE_H

#if defined(MO_COMPILER_INLINES)
#define MO_INLINE static inline
#else
#define MO_INLINE static inline __attribute__((always_inline))
#endif

#endif
