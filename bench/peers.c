/* Which peers were found when this was configured. */
#include "ccd.h"
#include "engine.h"
#include "heights.h"
#include "hulls.h"
#include "instances.h"
#include "motion.h"
#include "pairs.h"
#include "queries.h"
#include "refit.h"
#include "step.h"

#ifdef BENCH_HAVE_EMBREE
extern const bench_engine bench_embree_robust, bench_embree_fast;
extern const bench_engine bench_embree_medium_quality;
extern const bench_engine bench_embree_robust_16, bench_embree_fast_16;
extern const bench_instancer bench_embree_low, bench_embree_medium;
extern const bench_query_engine bench_query_embree;
extern const bench_refit_engine bench_refit_embree_robust, bench_refit_embree_fast,
    bench_refit_embree_low;
#endif

#ifdef BENCH_HAVE_TINYBVH
extern const bench_engine bench_tinybvh_splits, bench_tinybvh_binned;
extern const bench_instancer bench_tinybvh_instancer;
extern const bench_refit_engine bench_refit_tinybvh, bench_refit_tinybvh_rebuild;
#endif

#ifdef BENCH_HAVE_BULLET
extern const bench_hull_engine bench_hull_bullet;
extern const bench_height_engine bench_height_bullet;
extern const bench_instancer bench_bullet_instancer;
extern const bench_query_engine bench_query_bullet, bench_query_bullet_boxes;
extern const bench_pair_engine bench_pair_bullet;
extern const bench_step_engine bench_step_bullet;
#endif

#ifdef BENCH_HAVE_FCL
extern const bench_query_engine bench_query_fcl;
extern const bench_ccd_engine bench_ccd_fcl;
extern const bench_pair_engine bench_pair_fcl;
extern const bench_motion_engine bench_motion_fcl;
extern const bench_hull_engine bench_hull_fcl;
#endif

#ifdef BENCH_HAVE_COAL
extern const bench_query_engine bench_query_coal;
extern const bench_pair_engine bench_pair_coal;
extern const bench_motion_engine bench_motion_coal;
extern const bench_hull_engine bench_hull_coal;
#endif

#ifdef BENCH_HAVE_ODE
extern const bench_height_engine bench_height_ode;
extern const bench_query_engine bench_query_ode;
extern const bench_pair_engine bench_pair_ode;
extern const bench_step_engine bench_step_ode;
#endif

#ifdef BENCH_HAVE_BOX3D
extern const bench_height_engine bench_height_box3d, bench_height_box3d_rebuild;
extern const bench_query_engine bench_query_box3d, bench_query_box3d_boxes;
extern const bench_step_engine bench_step_box3d, bench_step_box3d_no_reuse;
#endif

#ifdef BENCH_HAVE_JOLT
extern const bench_height_engine bench_height_jolt, bench_height_jolt_16_bit,
    bench_height_jolt_rebuild;
extern const bench_query_engine bench_query_jolt, bench_query_jolt_boxes;
extern const bench_step_engine bench_step_jolt, bench_step_jolt_no_reuse;
#endif

#ifdef BENCH_HAVE_PHYSX
extern const bench_query_engine bench_query_physx, bench_query_physx_scene;
extern const bench_step_engine bench_step_physx, bench_step_physx_no_reuse;
#endif

#ifdef BENCH_HAVE_RAPIER
extern const bench_query_engine bench_query_rapier;
extern const bench_step_engine bench_step_rapier;
#endif

#ifdef BENCH_HAVE_TIGHT_INCLUSION
extern const bench_ccd_engine bench_ccd_tight_inclusion;
#endif

const bench_engine_id *const bench_rays_peers[] = {
#ifdef BENCH_HAVE_EMBREE
    &bench_embree_robust.id,
    &bench_embree_medium_quality.id,
    &bench_embree_fast.id,
    &bench_embree_robust_16.id,
    &bench_embree_fast_16.id,
#endif
#ifdef BENCH_HAVE_TINYBVH
    &bench_tinybvh_splits.id,
    &bench_tinybvh_binned.id,
#endif
    NULL,
};

const bench_engine_id *const bench_instances_peers[] = {
#ifdef BENCH_HAVE_EMBREE
    &bench_embree_low.id,
    &bench_embree_medium.id,
#endif
#ifdef BENCH_HAVE_TINYBVH
    &bench_tinybvh_instancer.id,
#endif
#ifdef BENCH_HAVE_BULLET
    &bench_bullet_instancer.id,
#endif
    NULL,
};

const bench_engine_id *const bench_refit_peers[] = {
#ifdef BENCH_HAVE_EMBREE
    &bench_refit_embree_robust.id,
    &bench_refit_embree_fast.id,
    &bench_refit_embree_low.id,
#endif
#ifdef BENCH_HAVE_TINYBVH
    &bench_refit_tinybvh.id,
    &bench_refit_tinybvh_rebuild.id,
#endif
    NULL,
};

const bench_engine_id *const bench_queries_peers[] = {
#ifdef BENCH_HAVE_BULLET
    &bench_query_bullet.id,
    &bench_query_bullet_boxes.id,
#endif
#ifdef BENCH_HAVE_FCL
    &bench_query_fcl.id,
#endif
#ifdef BENCH_HAVE_COAL
    &bench_query_coal.id,
#endif
#ifdef BENCH_HAVE_ODE
    &bench_query_ode.id,
#endif
#ifdef BENCH_HAVE_EMBREE
    &bench_query_embree.id,
#endif
#ifdef BENCH_HAVE_BOX3D
    &bench_query_box3d.id,
    &bench_query_box3d_boxes.id,
#endif
#ifdef BENCH_HAVE_JOLT
    &bench_query_jolt.id,
    &bench_query_jolt_boxes.id,
#endif
#ifdef BENCH_HAVE_PHYSX
    &bench_query_physx.id,
    &bench_query_physx_scene.id,
#endif
#ifdef BENCH_HAVE_RAPIER
    &bench_query_rapier.id,
#endif
    NULL,
};

const bench_engine_id *const bench_height_peers[] = {
#ifdef BENCH_HAVE_BULLET
    &bench_height_bullet.id,
#endif
#ifdef BENCH_HAVE_ODE
    &bench_height_ode.id,
#endif
#ifdef BENCH_HAVE_BOX3D
    &bench_height_box3d.id,
    &bench_height_box3d_rebuild.id,
#endif
#ifdef BENCH_HAVE_JOLT
    &bench_height_jolt.id,
    &bench_height_jolt_16_bit.id,
    &bench_height_jolt_rebuild.id,
#endif
    NULL,
};

const bench_engine_id *const bench_step_peers[] = {
#ifdef BENCH_HAVE_BULLET
    &bench_step_bullet.id,
#endif
#ifdef BENCH_HAVE_ODE
    &bench_step_ode.id,
#endif
#ifdef BENCH_HAVE_BOX3D
    &bench_step_box3d.id,
    &bench_step_box3d_no_reuse.id,
#endif
#ifdef BENCH_HAVE_JOLT
    &bench_step_jolt.id,
    &bench_step_jolt_no_reuse.id,
#endif
#ifdef BENCH_HAVE_PHYSX
    &bench_step_physx.id,
    &bench_step_physx_no_reuse.id,
#endif
#ifdef BENCH_HAVE_RAPIER
    &bench_step_rapier.id,
#endif
    NULL,
};

const bench_engine_id *const bench_ccd_peers[] = {
#ifdef BENCH_HAVE_FCL
    &bench_ccd_fcl.id,
#endif
#ifdef BENCH_HAVE_TIGHT_INCLUSION
    &bench_ccd_tight_inclusion.id,
#endif
    NULL,
};

const bench_engine_id *const bench_pair_peers[] = {
#ifdef BENCH_HAVE_FCL
    &bench_pair_fcl.id,
#endif
#ifdef BENCH_HAVE_COAL
    &bench_pair_coal.id,
#endif
#ifdef BENCH_HAVE_BULLET
    &bench_pair_bullet.id,
#endif
#ifdef BENCH_HAVE_ODE
    &bench_pair_ode.id,
#endif
    NULL,
};

const bench_engine_id *const bench_motion_peers[] = {
#ifdef BENCH_HAVE_FCL
    &bench_motion_fcl.id,
#endif
#ifdef BENCH_HAVE_COAL
    &bench_motion_coal.id,
#endif
    NULL,
};

const bench_engine_id *const bench_hull_peers[] = {
#ifdef BENCH_HAVE_BULLET
    &bench_hull_bullet.id,
#endif
#ifdef BENCH_HAVE_FCL
    &bench_hull_fcl.id,
#endif
#ifdef BENCH_HAVE_COAL
    &bench_hull_coal.id,
#endif
    NULL,
};
