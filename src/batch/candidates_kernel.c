/* Tests pairs of a ray and a candidate shape. Compiled once per instruction set. The meshes of the
 * pairs that follow are prefetched meanwhile. */
#include "batch/candidates.h"

#include "query/ray/shape_ray.h"

MO_INLINE mo_vec3 origin_of(const mo_queue_ray *r) {
  return mo_vec(r->given[0], r->given[8], r->given[16]);
}

MO_INLINE mo_vec3 direction_of(const mo_queue_ray *r) {
  return mo_vec(r->given[24], r->given[32], r->given[40]);
}

static inline float min_t_of(const mo_queue_ray *r) {
  return r->given[48];
}

/* Ends an any-hit ray after its first hit: a negative max_t fails all later tests. */
static inline void stop(mo_queue_ray *r) {
  r->any = true;
  r->max_t = -1.0f;
}

void MO_ISA_FN(mo_queue_test_alone)(mo_queue_pairs *p, mo_queue_ray *r, uint32_t slot, bool passed,
                                    mo_ray_goal goal) {
  mo_scene_ray *query = &p->single;
  p->def.origin = origin_of(r);
  p->def.direction = direction_of(r);
  p->def.min_t = min_t_of(r);
  p->def.max_t = r->max_t;
  mo_scene_ray_init(query, p->scene, &p->def, goal, NULL, false);
  mo_scene_ray_prepare_fast(query);
  query->shape = r->shape;
  query->triangle = r->triangle;
  query->u = r->u;
  query->v = r->v;
  query->front = r->front;
  if (passed ? mo_scene_ray_mesh_general(query, slot)
             : mo_scene_ray_shape_fast(query, slot, goal)) {
    stop(r);
  } else if (goal == MO_GOAL_CLOSEST) {
    r->max_t = query->max_t;
    r->shape = query->shape;
    r->triangle = query->triangle;
    r->u = query->u;
    r->v = query->v;
    r->front = query->front;
  }
}

/* Tests one pair. */
MO_INLINE void test_pair(mo_queue_pairs *p, mo_queue_ray *r, uint32_t slot, mo_ray_goal goal) {
  const mo_ray_def *options = &p->def;
  const mo_shape *shape = &p->scene->shapes[slot];
  if (__builtin_expect(shape->geometry.type != MO_SHAPE_MESH, 0)) {
    MO_ISA_FN(mo_queue_test_alone)(p, r, slot, false, goal);
    return;
  }
  if (!mo_filter_passes(p->scene, &options->filter, slot)) {
    return;
  }
  const mo_mesh *mesh = shape->geometry.mesh;
  const mo_mesh_ray_kernels *kernels = &MO_ISA_FN(mo_mesh_ray_kernels)[mesh->format];
  bool ignores = options->ignore_triangle != MO_NO_TRIANGLE &&
                 options->ignore_triangle_shape.index == slot &&
                 options->ignore_triangle_shape.generation == shape->generation;
  const mo_world_ray world = {
      .origin = mo_widen(origin_of(r)),
      .direction = mo_widen(direction_of(r)),
      .min_t = min_t_of(r),
      .near_t = r->near_t,
      .cull = options->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE,
      .ignore = ignores ? options->ignore_triangle : MO_NO_TRIANGLE,
  };
  mo_mesh_hit best;
  best.max_t = r->max_t;
  mo_local_answer answer = (goal == MO_GOAL_CLOSEST ? kernels->closest_local : kernels->any_local)(
      mesh, &shape->affine, &world, &best);
  if (__builtin_expect(answer == MO_LOCAL_GENERAL, 0)) {
    MO_ISA_FN(mo_queue_test_alone)(p, r, slot, true, goal);
  } else if (answer == MO_LOCAL_HIT && goal == MO_GOAL_ANY) {
    stop(r);
  } else if (answer == MO_LOCAL_HIT && (best.max_t < r->max_t || slot < r->shape)) {
    r->max_t = best.max_t;
    r->shape = slot;
    r->triangle = best.triangle;
    r->u = best.u;
    r->v = best.v;
    r->front = best.front;
  }
}

MO_INLINE void test_pairs(mo_queue_pairs *p, mo_ray_goal goal) {
  for (uint32_t i = 0; i < p->count; i++) {
    uint32_t ahead = i + MO_PAIRS_AHEAD;
    if (ahead < p->count) {
      const mo_shape *shape = &p->scene->shapes[p->slot[ahead]];
      if (shape->geometry.type == MO_SHAPE_MESH) {
        const mo_mesh *mesh = shape->geometry.mesh;
        const mo_tree tree = mo_tree_of(mesh, mesh->format);
        mo_child_prefetch(&tree, mesh->format, 0);
      }
    }
    test_pair(p, p->ray[i], p->slot[i], goal);
  }
}

void MO_ISA_FN(mo_queue_test_pairs)(mo_queue_pairs *pairs, mo_ray_goal goal) {
  if (goal == MO_GOAL_ANY) {
    test_pairs(pairs, MO_GOAL_ANY);
  } else {
    test_pairs(pairs, MO_GOAL_CLOSEST);
  }
  pairs->count = 0;
}
