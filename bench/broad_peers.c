/* Which peers of the broad phase were found when this was configured. */
#include "broad.h"
#include "frames.h"

extern const bench_broad_engine bench_broad_bullet, bench_broad_fcl, bench_broad_coal,
    bench_broad_ode_quad, bench_broad_ode_hash, bench_broad_box3d, bench_broad_jolt,
    bench_broad_physx;

#ifdef BENCH_HAVE_FCL
extern const bench_frame_engine bench_frame_fcl;
#endif
#ifdef BENCH_HAVE_COAL
extern const bench_frame_engine bench_frame_coal;
#endif

const bench_engine_id *const bench_broad_peers[] = {
#ifdef BENCH_HAVE_BULLET
    &bench_broad_bullet.id,
#endif
#ifdef BENCH_HAVE_FCL
    &bench_broad_fcl.id,
#endif
#ifdef BENCH_HAVE_COAL
    &bench_broad_coal.id,
#endif
#ifdef BENCH_HAVE_ODE
    &bench_broad_ode_quad.id,
    &bench_broad_ode_hash.id,
#endif
#ifdef BENCH_HAVE_BOX3D
    &bench_broad_box3d.id,
#endif
#ifdef BENCH_HAVE_JOLT
    &bench_broad_jolt.id,
#endif
#ifdef BENCH_HAVE_PHYSX
    &bench_broad_physx.id,
#endif
    NULL,
};

const bench_engine_id *const bench_frame_peers[] = {
#ifdef BENCH_HAVE_FCL
    &bench_frame_fcl.id,
#endif
#ifdef BENCH_HAVE_COAL
    &bench_frame_coal.id,
#endif
    NULL,
};
