/* Common to wavefronts and streams, which trace queues of incoherent rays: prepared rays with their
 * best hits, and pairs of a ray and a candidate shape. */
#ifndef MO_BATCH_CANDIDATES_H
#define MO_BATCH_CANDIDATES_H

#include "base/inline.h"
#include "base/mask.h"
#include "batch/prepare.h"
#include "batch/scene.h"

/* A ray of a queue. */
typedef struct mo_queue_ray {
  const float *given; /* its lane in mo_rays8 */
  float near_t;       /* start of the ray, for culling */
  float max_t;        /* of the best hit so far; for any hit: negative once there is one */
  uint32_t shape, triangle;
  float u, v;
  bool front, any;
  uint16_t place; /* index in the queue's arrays */
} mo_queue_ray;

/* Pairs that are tested together. */
typedef struct mo_queue_pairs {
  const mo_batch *batch;
  const mo_scene *scene;
  /* Filled by the caller. Appending may be branchless: the last place receives what is not kept. */
  uint32_t count;
  uint32_t slot[MO_QUEUE_PAIRS + 1];
  mo_queue_ray *ray[MO_QUEUE_PAIRS + 1];
  /* Used for a ray and a shape on the general path. */
  mo_ray_def def;
  mo_scene_ray single;
} mo_queue_pairs;

static inline void mo_queue_pairs_init(mo_queue_pairs *pairs, const mo_batch *batch) {
  pairs->batch = batch;
  pairs->scene = batch->subject;
  pairs->count = 0;
  pairs->def = batch->def->options;
}

/* Tests all pairs and empties the list. A ray may be in several pairs. */
MO_ISA_DECLARE(void, mo_queue_test_pairs, (mo_queue_pairs * pairs, mo_ray_goal goal));

/* Tests one pair by the single-ray code. `passed`: the shape has passed the filter, which is not
 * called again, and the ray takes the general path. */
MO_ISA_DECLARE(void, mo_queue_test_alone,
               (mo_queue_pairs * pairs, mo_queue_ray *ray, uint32_t slot, bool passed,
                mo_ray_goal goal));

/* Tests a ray against the shapes in no tree (half-spaces), before all others. */
static inline void mo_queue_test_unbounded(mo_queue_pairs *pairs, mo_queue_ray *ray,
                                           mo_ray_goal goal) {
  const uint32_t *slots, count = mo_scene_unbounded(pairs->scene, &slots);
  for (uint32_t i = 0; __builtin_expect(i < count && !ray->any, 0); i++) {
    MO_ISA_FN(mo_queue_test_alone)(pairs, ray, slots[i], false, goal);
  }
}

/* Returns `number` if `yes`, else infinity: branchless. */
MO_INLINE float mo_number_or_infinity(uint32_t yes, float number) {
  const float infinity = INFINITY;
  uint32_t bits, others, mask = mo_mask_of(yes);
  memcpy(&bits, &number, sizeof bits);
  memcpy(&others, &infinity, sizeof others);
  bits = (bits & mask) | (others & ~mask);
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* Bit mask of the rays that may hit a box: the same slab test as for eight boxes. */
MO_INLINE uint32_t mo_fast_rays8_meet_box(const mo_fast_rays8 *rays, const float *max_t,
                                          mo_aabb box) {
  const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
  const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
  mo_f8 near_t = mo_f8_load(rays->near_t), far_t = mo_f8_load(max_t);
  for (int axis = 0; axis < 3; axis++) {
    mo_m8 negative = mo_m8_from_bits(rays->signs[axis]);
    mo_f8 first = mo_f8_all(lower[axis]), last = mo_f8_all(upper[axis]);
    mo_f8 enter = mo_f8_select(negative, last, first), leave = mo_f8_select(negative, first, last);
    mo_f8 inverse = mo_f8_load(rays->inverse[axis]);
    enter = mo_f8_mul_sub_fast(enter, inverse, mo_f8_load(rays->near_shift[axis]));
    leave = mo_f8_mul_sub_fast(leave, inverse, mo_f8_load(rays->far_shift[axis]));
    near_t = mo_f8_max(near_t, enter);
    far_t = mo_f8_min(far_t, leave);
  }
  return mo_m8_bits(mo_f8_le(near_t, far_t));
}

/* Bit mask of the rays that may hit the scene: the box of some shape if there are few, else the box
 * around all. All rays, if the scene has unbounded shapes. */
static inline uint32_t mo_fast_rays8_meet_scene(const mo_fast_rays8 *rays, const float *max_t,
                                                const mo_scene *scene) {
  if (scene->unbounded_count != 0) {
    return 0xff;
  }
  if (mo_child_is_leaf(scene->root)) {
    const mo_shape_block *block = mo_shape_block_at(scene, mo_child_index(scene->root));
    if (block->next == MO_NONE) {
      uint32_t met = 0;
      for (uint32_t i = 0; i < block->count; i++) {
        met |= mo_fast_rays8_meet_box(rays, max_t, mo_bounds8_get(&block->bounds, (int)i));
      }
      return met;
    }
  }
  return mo_fast_rays8_meet_box(rays, max_t, scene->root_bounds);
}

/* Rays i to i + 7 of the queue in its order: returned in place if they are a group, else gathered
 * into `copy`. */
static inline const mo_rays8 *mo_queue_rays8(const mo_ray_queue *queue, uint32_t i,
                                             mo_rays8 *copy) {
  const uint16_t *order = &queue->order[i];
  uint32_t count = queue->count - i < 8 ? queue->count - i : 8, scattered = order[0] % 8;
  for (uint32_t lane = 1; lane < count; lane++) {
    scattered |= order[lane] ^ (order[0] + lane);
  }
  if (scattered == 0 && count == 8) {
    return &queue->in[order[0] / 8];
  }
  for (uint32_t lane = 0; lane < 8; lane++) {
    uint32_t from = order[lane < count ? lane : 0];
    const float *row = &queue->in[from / 8].origin[0][from % 8];
    float *to = &copy->origin[0][lane];
    for (int j = 0; j < 8; j++) {
      to[8 * j] = row[8 * j];
    }
  }
  return copy;
}

/* Prepares these rays. Returns a bit mask of those that may hit something or take the general path.
 */
static inline uint32_t mo_queue_ready8(const mo_ray_queue *queue, const mo_ray_limits *limits,
                                       uint32_t i, const mo_rays8 *rays, mo_fast_rays8 *ready) {
  mo_fast_rays8_init(ready, rays, limits, MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN);
  uint32_t met = mo_fast_rays8_meet_scene(ready, rays->max_t, queue->batch->subject);
  return (met | ~ready->fast) & (queue->count - i < 8 ? (1u << (queue->count - i)) - 1 : 0xff);
}

/* Traces a ray that takes the general path. */
static inline void mo_queue_trace_alone(const mo_ray_queue *queue, uint32_t place) {
  queue->batch->target->ray(queue->batch, &queue->in[place / 8], place % 8, &queue->out[place / 8]);
}

MO_INLINE void mo_queue_begin(mo_queue_ray *ray, uint16_t place, const mo_rays8 *rays,
                              uint32_t lane, float near_t) {
  ray->given = &rays->origin[0][lane];
  ray->near_t = near_t;
  ray->max_t = rays->max_t[lane] + 0.0f; /* turns -0 into +0 */
  ray->shape = MO_NONE;
  ray->triangle = MO_NO_TRIANGLE;
  ray->u = ray->v = 0.0f;
  ray->front = ray->any = false;
  ray->place = place;
}

/* Writes what a ray has hit. */
MO_INLINE void mo_queue_finish(const mo_ray_queue *queue, const mo_queue_ray *ray,
                               mo_ray_goal goal) {
  mo_answers8 *answers = &queue->out[ray->place / 8];
  uint32_t lane = ray->place % 8;
  if (goal == MO_GOAL_ANY) {
    answers->found |= (uint32_t)ray->any << lane;
    return;
  }
  uint32_t found = ray->shape != MO_NONE;
  answers->found |= found << lane;
  answers->front |= (uint32_t)(ray->front & found) << lane;
  answers->t[lane] = mo_number_or_infinity(found, ray->max_t);
  answers->triangle[lane] = ray->triangle;
  answers->shape[lane] = ray->shape;
  answers->u[lane] = ray->u;
  answers->v[lane] = ray->v;
}

#endif
