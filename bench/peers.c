/* Which peers were found when this was configured. */
#include "engine.h"

#ifdef BENCH_HAVE_EMBREE3
extern const bench_engine bench_embree3_robust, bench_embree3_fast;
#endif

const bench_engine *const bench_peer_engines[] = {
#ifdef BENCH_HAVE_EMBREE3
    &bench_embree3_robust,
    &bench_embree3_fast,
#endif
    NULL,
};
