/* Which peers were found when this was configured. */
#include "engine.h"

#ifdef BENCH_HAVE_EMBREE3
extern const bench_engine bench_embree3_robust, bench_embree3_fast;
extern const bench_engine bench_embree3_robust_16, bench_embree3_fast_16;
#endif

const bench_engine *const bench_peer_engines[] = {
#ifdef BENCH_HAVE_EMBREE3
    &bench_embree3_robust,
    &bench_embree3_fast,
    &bench_embree3_robust_16,
    &bench_embree3_fast_16,
#endif
    NULL,
};
