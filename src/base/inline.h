/* What a kernel is made of: functions that are inlined wherever they are called, so that each goal,
 * each way of counting and each instruction set has code of its own.
 *
 * Sanitizers multiply that code until compilers take minutes for it, so there it is left to them.
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
