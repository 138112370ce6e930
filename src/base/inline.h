/* MO_INLINE: functions that kernels always inline, so that each query goal, each kind of statistics
 * and each instruction set gets specialised code.
 *
 * With sanitizers, this code grows so much that it takes minutes to compile, so there the compiler
 * decides about inlining.
 */
#ifndef MO_BASE_INLINE_H
#define MO_BASE_INLINE_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MO_INLINE static inline
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MO_INLINE static inline
#endif
#endif

#ifndef MO_INLINE
#define MO_INLINE static inline __attribute__((always_inline))
#endif

#endif
