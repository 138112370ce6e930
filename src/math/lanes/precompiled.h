/* A precompiled header per instruction set, of the headers of kernels that take longest to compile:
 * the compiler's intrinsics are 100,000 lines. Kernels still include what they need themselves. */
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
