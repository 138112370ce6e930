/* What kernels include that takes longest to compile, precompiled once per instruction set: the
 * compiler's intrinsics are 100,000 lines. Kernels include what they need all the same. */
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
