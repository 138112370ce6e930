/* Ray streams: traces many incoherent rays of the fast path through a shape octree, node by node.
 * Compiled once per instruction set.
 *
 * If there are many more rays than nodes, each node is visited once with the list of all rays that
 * hit it. Eight rays at a time are tested against one child after another, and those that hit a
 * child are appended to its list, branchlessly. So nodes are read once, and there are no cache
 * misses and no branch mispredictions. Blocks of shapes are visited in the same way. A ray and a
 * shape whose box it hits become a pair; pairs are tested when there are many.
 *
 * Why a traversal of its own: through 20 to 10,000 instances a ray takes 0.5 to 0.85 of the time of
 * a single ray.
 *
 * Rays do not visit nearer nodes first. Each ray visits all nodes along its line, except those
 * beyond a hit already found. That costs little if rays pass few shapes, or if any hit suffices; in
 * larger octrees (MO_MAX_STREAMED_SCENE_NODES) rays are traced one by one. */
#include <float.h>

#include "base/inline.h"
#include "base/prefetch.h"
#include "batch/read.h"
#include "batch/scene.h"
#include "geometry/ray/init.h"

/* A ray of a stream. */
typedef struct traced_ray {
  const float *input_lane; /* points to origin[0][lane] of the ray in mo_rays8 */
  float near_t;            /* start of the ray, for culling */
  float max_t;             /* t of the best hit so far; any-hit rays: negative after a hit */
  uint32_t shape, triangle;
  float u, v;
  bool front, found;  /* closest hit: on a front face; any-hit ray: something was hit */
  uint16_t ray_index; /* index in the stream's arrays of rays and answers */
} traced_ray;

/* What the tests of pairs of a ray and a shape need. */
typedef struct pair_tester {
  const mo_scene *scene;
  /* For tests on the general path of single rays. */
  mo_ray_def def;
  mo_scene_ray single_ray;
} pair_tester;

/* A prepared ray for culling, as three vectors of four floats. It crosses the plane of a box's
 * lower or upper side at t = position * inverse - shift. */
typedef struct culling_ray {
  float lower_shift[3], near_t;
  float upper_shift[3], max_t;
  float inverse[3], unused;
} culling_ray;

_Static_assert(sizeof(culling_ray) == 12 * sizeof(float), "read as rows of four");

/* Eight rays as in culling_ray, transposed: one lane per ray. The last row of the arrays is near_t,
 * max_t, and unused. */
typedef struct culling_rays8 {
  mo_f8 lower_shift[4], upper_shift[4], inverse[4];
} culling_rays8;

/* A pending visit: a node or leaf, as stored in nodes, and the list of rays that hit it. */
typedef struct pending_visit {
  uint32_t child;
  uint32_t first, count; /* of the list: its position in ray_stream.ray_lists, and its length */
} pending_visit;

/* Lists contain ray indices. NO_RAY is the index of a ray that hits nothing; it pads lists to
 * multiples of eight. Lists begin at multiples of eight. */
enum { NO_RAY = MO_STREAM_RAYS, RAY_LIST_CAPACITY = MO_STREAM_RAYS + 2 * MO_LANE_COUNT };

/* Capacities: of all ray lists of pending visits together, and of pending pairs of a ray and a
 * shape. */
enum { MAX_LISTED_RAYS = 8 * MO_STREAM_RAYS, MAX_PENDING_PAIRS = 512 };

/* Capacity of the stack of visits: at each level of the octree, the children of one node are
 * pending. */
enum { MAX_PENDING_VISITS = MO_LANE_COUNT * (MO_SCENE_MAX_DEPTH + 1) };

/* A stream: many rays that visit the nodes of a scene together. */
typedef struct ray_stream {
  const mo_batch *batch;
  const mo_scene *scene;
  uint32_t input_count; /* rays in `in` and `out` */
  mo_rays8 in[MO_STREAM_RAYS / 8];
  mo_answers8 out[MO_STREAM_RAYS / 8];
  alignas(MO_ALIGNMENT) culling_ray culling_rays[MO_STREAM_RAYS + 1]; /* the last one is NO_RAY */
  traced_ray rays[MO_STREAM_RAYS];
  uint32_t ray_count;
  uint32_t visit_count;
  pending_visit visits[MAX_PENDING_VISITS];
  alignas(MO_ALIGNMENT) uint32_t ray_lists[MAX_LISTED_RAYS]; /* the lists of pending visits */
  /* The list of each child of the current node. Appending always writes eight elements. */
  alignas(MO_ALIGNMENT) uint32_t child_list[MO_LANE_COUNT][RAY_LIST_CAPACITY];
  uint32_t child_list_length[MO_LANE_COUNT];
  uint32_t pair_count;
  uint32_t pair_ray[MAX_PENDING_PAIRS + MO_LANE_COUNT],
      pair_slot[MAX_PENDING_PAIRS + MO_PAIRS_PER_TEST];
  float pair_t[MAX_PENDING_PAIRS + MO_LANE_COUNT]; /* where the ray enters the shape's box */
  pair_tester pair_tester;
} ray_stream;

_Static_assert(sizeof(ray_stream) <= sizeof(((mo_batch_scratch *)0)->memory), "fits");

/* --- testing pairs of a ray and a shape --- */

MO_INLINE mo_vec3 origin_of(const traced_ray *r) {
  return mo_vec(r->input_lane[0], r->input_lane[8], r->input_lane[16]);
}

MO_INLINE mo_vec3 direction_of(const traced_ray *r) {
  return mo_vec(r->input_lane[24], r->input_lane[32], r->input_lane[40]);
}

static inline float min_t_of(const traced_ray *r) {
  return r->input_lane[48];
}

/* Ends an any-hit ray after its first hit: a negative max_t fails all later tests. */
static inline void end_any_hit_ray(traced_ray *r) {
  r->found = true;
  r->max_t = -1.0f;
}

/* Tests one pair with the code for single rays. `passed`: the shape has already passed the filter,
 * which must not be called again; the ray takes the general path. */
static __attribute__((noinline)) void test_pair_singly(pair_tester *p, traced_ray *r, uint32_t slot,
                                                       bool passed, mo_ray_goal goal) {
  mo_scene_ray *query = &p->single_ray;
  p->def.origin = origin_of(r);
  p->def.direction = direction_of(r);
  p->def.min_t = min_t_of(r);
  p->def.max_t = r->max_t;
  mo_scene_ray_init(query, p->scene, &p->def, goal, NULL);
  mo_scene_ray_prepare_fast(query);
  query->shape = r->shape;
  query->triangle = r->triangle;
  query->u = r->u;
  query->v = r->v;
  query->front = r->front;
  if (passed ? mo_scene_ray_test_mesh_general(query, &p->scene->shapes[slot], slot)
             : mo_scene_ray_test_shape_fast(query, slot, goal)) {
    end_any_hit_ray(r);
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
MO_INLINE void test_pair(pair_tester *p, traced_ray *r, uint32_t slot, mo_ray_goal goal) {
  const mo_ray_def *options = &p->def;
  const mo_shape *shape = &p->scene->shapes[slot];
  if (__builtin_expect(shape->geometry.type != MO_SHAPE_MESH, 0)) {
    test_pair_singly(p, r, slot, false, goal);
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
  mo_local_ray_result answer =
      (goal == MO_GOAL_CLOSEST ? kernels->closest_local : kernels->any_local)(mesh, &shape->affine,
                                                                              &world, &best);
  if (__builtin_expect(answer == MO_LOCAL_RAY_NEEDS_GENERAL_PATH, 0)) {
    test_pair_singly(p, r, slot, true, goal);
  } else if (answer == MO_LOCAL_RAY_HIT && goal == MO_GOAL_ANY) {
    end_any_hit_ray(r);
  } else if (answer == MO_LOCAL_RAY_HIT && (best.max_t < r->max_t || slot < r->shape)) {
    r->max_t = best.max_t;
    r->shape = slot;
    r->triangle = best.triangle;
    r->u = best.u;
    r->v = best.v;
    r->front = best.front;
  }
}

/* --- preparing rays --- */

/* Eight rays prepared for the fast path (geometry/ray/init.h): the values that culling reads, as
 * mo_ray_init_fast computes them for one ray. */
typedef struct fast_rays8 {
  /* The ray crosses the near or far plane of a box at t = position * inverse - shift. */
  alignas(MO_ALIGNMENT) float near_shift[3][8];
  float far_shift[3][8], inverse[3][8], near_t[8];
  uint32_t signs[3]; /* by axis: a bit for each ray with a negative direction */
  uint32_t
      fast_path_rays; /* a bit for each ray that takes the fast path; the others are not prepared */
} fast_rays8;

/* Prepares eight rays with a margin of MO_RAY_MARGIN times `scale`. `limits` must be made for that
 * margin. */
static inline void prepare_rays8(fast_rays8 *all, const mo_rays8 *rays,
                                 const mo_ray_fast_limits *limits, float scale) {
  const mo_f8 zero = mo_f8_splat(0.0f);
  mo_f8 o[3], d[3], size[3];
  mo_f8 far = zero, longest = zero;
  mo_f8 min_t = mo_f8_load(rays->min_t);
  mo_m8 is = mo_m8_and(mo_m8_and(mo_f8_le(zero, min_t), mo_f8_le(min_t, mo_f8_splat(FLT_MAX))),
                       mo_f8_le(zero, mo_f8_load(rays->max_t)));
  for (int axis = 0; axis < 3; axis++) {
    o[axis] = mo_f8_load(rays->origin[axis]);
    d[axis] = mo_f8_load(rays->direction[axis]);
    size[axis] = mo_f8_abs(d[axis]);
    mo_f8 away = mo_f8_abs(o[axis]);
    is = mo_m8_and(is, mo_m8_and(mo_f8_le(away, mo_f8_splat(limits->distance)),
                                 mo_f8_le(size[axis], mo_f8_splat(0x1p20f))));
    far = mo_f8_max(far, away);
    longest = mo_f8_max(longest, size[axis]);
    all->signs[axis] = mo_f8_signs(d[axis]);
  }
  all->fast_path_rays = mo_m8_bits(mo_m8_and(is, mo_f8_le(mo_f8_splat(0x1p-20f), longest)));
  mo_f8 margin = mo_f8_add(mo_f8_mul(mo_f8_splat(2.0f * MO_RAY_MARGIN * scale), far),
                           mo_f8_splat(limits->margin));
  for (int axis = 0; axis < 3; axis++) {
    mo_m8 negative = mo_m8_from_bits(all->signs[axis]);
    mo_f8 inverse = mo_f8_div(mo_f8_splat(1.0f), mo_f8_max(size[axis], mo_f8_splat(0x1p-80f)));
    inverse = mo_f8_select(negative, mo_f8_sub(zero, inverse), inverse);
    mo_f8 before = mo_f8_sub(o[axis], margin), after = mo_f8_add(o[axis], margin);
    mo_f8_store(all->inverse[axis], inverse);
    mo_f8_store(all->near_shift[axis], mo_f8_mul(mo_f8_select(negative, before, after), inverse));
    mo_f8_store(all->far_shift[axis], mo_f8_mul(mo_f8_select(negative, after, before), inverse));
  }
  mo_f8 margin_t = mo_f8_add(mo_f8_mul(min_t, mo_f8_splat(0x1p-20f)), mo_f8_splat(0x1p-120f));
  mo_f8_store(all->near_t, mo_f8_max(mo_f8_sub(min_t, margin_t), zero));
}

/* Eight prepared rays for culling: [j][half] is the vector of four floats of ray 4 * half + j. */
typedef struct culling_vectors {
  alignas(MO_ALIGNMENT) float lower_shift[4][2][4], upper_shift[4][2][4], inverse[4][2][4];
} culling_vectors;

static inline void store_vectors(mo_f8 rows[4], float vectors[4][2][4]) {
  mo_f8_transpose_halves(rows);
  for (int j = 0; j < 4; j++) {
    mo_f8_store(vectors[j][0], rows[j]);
  }
}

static inline void make_culling_vectors(const fast_rays8 *ready, const float *max_t,
                                        culling_vectors *vectors) {
  mo_f8 lower[4], upper[4], inverse[4];
  for (int axis = 0; axis < 3; axis++) {
    mo_m8 negative = mo_m8_from_bits(ready->signs[axis]);
    mo_f8 near_shift = mo_f8_load(ready->near_shift[axis]);
    mo_f8 far_shift = mo_f8_load(ready->far_shift[axis]);
    lower[axis] = mo_f8_select(negative, far_shift, near_shift);
    upper[axis] = mo_f8_select(negative, near_shift, far_shift);
    inverse[axis] = mo_f8_load(ready->inverse[axis]);
  }
  lower[3] = mo_f8_load(ready->near_t);
  upper[3] = mo_f8_load(max_t);
  inverse[3] = mo_f8_splat(0.0f);
  store_vectors(lower, vectors->lower_shift);
  store_vectors(upper, vectors->upper_shift);
  store_vectors(inverse, vectors->inverse);
}

/* Bit mask of the rays that may hit a box: the same slab test as for eight boxes. */
static inline uint32_t rays_meeting_box(const fast_rays8 *rays, const float *max_t, mo_aabb box) {
  const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
  const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
  mo_f8 near_t = mo_f8_load(rays->near_t), far_t = mo_f8_load(max_t);
  for (int axis = 0; axis < 3; axis++) {
    mo_m8 negative = mo_m8_from_bits(rays->signs[axis]);
    mo_f8 first = mo_f8_splat(lower[axis]), last = mo_f8_splat(upper[axis]);
    mo_f8 enter = mo_f8_select(negative, last, first), leave = mo_f8_select(negative, first, last);
    mo_f8 inverse = mo_f8_load(rays->inverse[axis]);
    enter = mo_f8_mul_sub_fast(enter, inverse, mo_f8_load(rays->near_shift[axis]));
    leave = mo_f8_mul_sub_fast(leave, inverse, mo_f8_load(rays->far_shift[axis]));
    near_t = mo_f8_max(near_t, enter);
    far_t = mo_f8_min(far_t, leave);
  }
  return mo_m8_bits(mo_f8_le(near_t, far_t));
}

/* Bit mask of the rays that may hit the scene: the box of a shape if there are few shapes, else the
 * box around all. All rays, if the scene has unbounded shapes. */
static inline uint32_t rays_meeting_scene(const fast_rays8 *rays, const float *max_t,
                                          const mo_scene *scene) {
  if (scene->unbounded_count != 0) {
    return 0xff;
  }
  if (mo_child_is_leaf(scene->root)) {
    const mo_shape_block *block = mo_shape_block_at(scene, mo_child_index(scene->root));
    if (block->next == MO_NONE) {
      uint32_t met = 0;
      for (uint32_t i = 0; i < block->count; i++) {
        met |= rays_meeting_box(rays, max_t, mo_bounds8_get(&block->bounds, (int)i));
      }
      return met;
    }
  }
  return rays_meeting_box(rays, max_t, scene->root_bounds);
}

static inline void add_ray(ray_stream *s, uint32_t ray_index, const fast_rays8 *ready,
                           const culling_vectors *vectors, uint32_t lane) {
  culling_ray *c = &s->culling_rays[s->ray_count];
  const mo_rays8 *given = &s->in[ray_index / 8];
  memcpy(c->lower_shift, vectors->lower_shift[lane % 4][lane / 4], 4 * sizeof(float));
  memcpy(c->upper_shift, vectors->upper_shift[lane % 4][lane / 4], 4 * sizeof(float));
  memcpy(c->inverse, vectors->inverse[lane % 4][lane / 4], 4 * sizeof(float));
  traced_ray *ray = &s->rays[s->ray_count++];
  *ray = (traced_ray){
      .input_lane = &given->origin[0][lane],
      .near_t = ready->near_t[lane],
      .max_t = given->max_t[lane] + 0.0f, /* turns -0 into +0 */
      .shape = MO_NONE,
      .triangle = MO_NO_TRIANGLE,
      .ray_index = (uint16_t)ray_index,
  };
  /* Half-spaces, which are not in the tree, are tested first. */
  const uint32_t *slots, count = mo_scene_unbounded(s->scene, &slots);
  for (uint32_t i = 0; __builtin_expect(i < count && !ray->found, 0); i++) {
    test_pair_singly(&s->pair_tester, ray, slots[i], false, s->batch->goal);
  }
  c->max_t = ray->max_t;
}

/* Prepares the rays; traces those that take the general path at once. */
static void add_rays(ray_stream *s) {
  const float scale = MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN;
  const mo_ray_fast_limits limits =
      mo_ray_fast_limits_for(mo_scene_max_coordinate(s->scene), scale);
  s->ray_count = 0;
  for (uint32_t i = 0; i < s->input_count; i += 8) {
    fast_rays8 ready;
    culling_vectors vectors;
    const mo_rays8 *rays = &s->in[i / 8];
    uint32_t rest = s->input_count - i;
    prepare_rays8(&ready, rays, &limits, scale);
    uint32_t going = (rays_meeting_scene(&ready, rays->max_t, s->scene) | ~ready.fast_path_rays) &
                     (rest < 8 ? (1u << rest) - 1 : 0xff);
    make_culling_vectors(&ready, rays->max_t, &vectors);
    for (; going != 0; going &= going - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(going);
      if (__builtin_expect(ready.fast_path_rays >> lane & 1, 1)) {
        add_ray(s, i + lane, &ready, &vectors, lane);
      } else {
        MO_ISA_FN(mo_batch_trace_ray)(s->batch, rays, lane, &s->out[i / 8]);
      }
    }
  }
  s->culling_rays[NO_RAY] = (culling_ray){.near_t = 1.0f, .max_t = -1.0f};
}

MO_INLINE culling_rays8 load_rays(const ray_stream *s, const uint32_t *list) {
  culling_rays8 c;
  for (int i = 0; i < 4; i++) {
    const culling_ray *low = &s->culling_rays[list[i]], *high = &s->culling_rays[list[i + 4]];
    c.lower_shift[i] = mo_f8_load_halves(low->lower_shift, high->lower_shift);
    c.upper_shift[i] = mo_f8_load_halves(low->upper_shift, high->upper_shift);
    c.inverse[i] = mo_f8_load_halves(low->inverse, high->inverse);
  }
  mo_f8_transpose_halves(c.lower_shift);
  mo_f8_transpose_halves(c.upper_shift);
  mo_f8_transpose_halves(c.inverse);
  return c;
}

/* Bit mask of the rays that may hit one of the eight boxes, which must not be empty. `enter`
 * receives the t at which each ray enters the box. On each axis a ray enters at the plane that it
 * crosses first. */
MO_INLINE uint32_t rays_meeting_child(const culling_rays8 *c, const mo_bounds8 *bounds,
                                      uint32_t slot, mo_f8 *enter) {
  mo_f8 near_t = c->lower_shift[3], far_t = c->upper_shift[3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 lower = mo_f8_mul_sub_fast(mo_f8_splat(bounds->lower[axis][slot]), c->inverse[axis],
                                     c->lower_shift[axis]);
    mo_f8 upper = mo_f8_mul_sub_fast(mo_f8_splat(bounds->upper[axis][slot]), c->inverse[axis],
                                     c->upper_shift[axis]);
    near_t = mo_f8_max(near_t, mo_f8_min(lower, upper));
    far_t = mo_f8_min(far_t, mo_f8_max(lower, upper));
  }
  *enter = near_t;
  return mo_m8_bits(mo_f8_le(near_t, far_t));
}

static inline void pad_list(uint32_t *list, uint32_t count) {
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    list[count + i] = NO_RAY;
  }
}

/* --- visiting blocks of shapes --- */

/* Prefetches the mesh of a shape, if it is one. */
static inline void prefetch_mesh(const mo_scene *scene, uint32_t slot) {
  const mo_shape *shape = &scene->shapes[slot];
  if (shape->geometry.type == MO_SHAPE_MESH) {
    const mo_mesh *mesh = shape->geometry.mesh;
    const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
    mo_child_prefetch(&tree, mesh->format, 0);
  }
}

/* Tests all pending pairs, except where the ray has meanwhile hit something nearer. */
static __attribute__((noinline)) void test_pairs(ray_stream *s, mo_ray_goal goal) {
  uint32_t slot[MO_PAIRS_PER_TEST];
  traced_ray *ray[MO_PAIRS_PER_TEST]; /* a ray may be in several pairs */
  for (uint32_t i = 0; i < MO_PAIRS_PER_TEST;
       i++) { /* padding behind the last pair, which is only prefetched */
    s->pair_slot[s->pair_count + i] = 0;
  }
  for (uint32_t i = 0; i < s->pair_count;) {
    uint32_t count = 0;
    for (; i < s->pair_count && count < MO_PAIRS_PER_TEST; i++) {
      mo_prefetch(&s->scene->shapes[s->pair_slot[i + MO_PAIRS_PER_TEST]],
                  mo_cache_lines_of(sizeof(mo_shape)));
      slot[count] = s->pair_slot[i];
      ray[count] = &s->rays[s->pair_ray[i]];
      count += s->pair_t[i] <= ray[count]->max_t;
    }
    for (uint32_t j = 0; j < count; j++) {
      if (j + MO_PAIR_PREFETCH_DISTANCE < count) {
        prefetch_mesh(s->scene, slot[j + MO_PAIR_PREFETCH_DISTANCE]);
      }
      test_pair(&s->pair_tester, ray[j], slot[j], goal);
    }
  }
  for (uint32_t i = 0; i < s->pair_count; i++) {
    uint32_t index = s->pair_ray[i];
    s->culling_rays[index].max_t = s->rays[index].max_t;
  }
  s->pair_count = 0;
}

/* Visits a list of shape blocks with the list of rays that hit the box around it: adds a pair for
 * each ray that hits the box of a shape. */
static void visit_blocks(ray_stream *s, uint32_t first, uint32_t *list, uint32_t count,
                         mo_ray_goal goal) {
  pad_list(list, count);
  for (uint32_t b = first; b != MO_NONE;) {
    const mo_shape_block *block = mo_shape_block_at(s->scene, b);
    b = block->next;
    for (uint32_t i = 0; i < count; i += MO_LANE_COUNT) {
      if (s->pair_count > MAX_PENDING_PAIRS - MO_LANE_COUNT * MO_LANE_COUNT) {
        test_pairs(s, goal);
      }
      const culling_rays8 c = load_rays(s, &list[i]);
      const mo_u8 numbers = mo_u8_load(&list[i]);
      uint32_t pairs = s->pair_count;
      for (uint32_t slot = 0; slot < block->count; slot++) {
        mo_f8 enter;
        uint32_t met = rays_meeting_child(&c, &block->bounds, slot, &enter);
        mo_u8_store_unaligned(&s->pair_ray[pairs], mo_u8_compress(numbers, met));
        mo_f8_store_unaligned(&s->pair_t[pairs], mo_f8_compress(enter, met));
        mo_u8_store_unaligned(&s->pair_slot[pairs], mo_u8_splat(block->shape[slot]));
        pairs += (uint32_t)__builtin_popcount(met);
      }
      s->pair_count = pairs;
    }
  }
}

/* --- visiting nodes --- */

/* Makes the ray list of each child of a node. */
static void fill_child_lists(ray_stream *s, const mo_scene_node *node, const uint32_t *list,
                             uint32_t count) {
  uint32_t slots = 0;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    slots |= (uint32_t)(node->child[slot] != MO_CHILD_EMPTY) << slot;
    s->child_list_length[slot] = 0;
  }
  for (uint32_t i = 0; i < count; i += MO_LANE_COUNT) {
    const culling_rays8 c = load_rays(s, &list[i]);
    const mo_u8 numbers = mo_u8_load(&list[i]);
    for (uint32_t left = slots; left != 0; left &= left - 1) {
      uint32_t slot = (uint32_t)__builtin_ctz(left), at = s->child_list_length[slot];
      mo_f8 enter;
      uint32_t met = rays_meeting_child(&c, &node->bounds, slot, &enter);
      mo_u8_store_unaligned(&s->child_list[slot][at], mo_u8_compress(numbers, met));
      s->child_list_length[slot] = at + (uint32_t)__builtin_popcount(met);
    }
  }
}

/* Prefetches a node, or the first block of a leaf. */
static inline void prefetch_child(const mo_scene *scene, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    mo_prefetch(mo_shape_block_at(scene, mo_child_index(child)),
                mo_cache_lines_of(sizeof(mo_shape_block)));
  } else {
    mo_prefetch(mo_scene_node_at(scene, child), mo_cache_lines_of(sizeof(mo_scene_node)));
  }
}

/* Visits a node: its leaves are visited at once, its inner children become pending visits. Their
 * ray lists overwrite that of the node. Returns false if the lists overflow. */
static bool visit_node(ray_stream *s, const pending_visit *v, mo_ray_goal goal) {
  const mo_scene_node *node = mo_scene_node_at(s->scene, v->child);
  uint32_t *list = &s->ray_lists[v->first], first = v->first;
  if (node->items != MO_NONE) {
    visit_blocks(s, node->items, list, v->count, goal);
  }
  pad_list(list, v->count);
  fill_child_lists(s, node, list, v->count);
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (s->child_list_length[slot] > 0) {
      prefetch_child(s->scene, node->child[slot]);
    }
  }
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = node->child[slot], count = s->child_list_length[slot];
    if (count == 0) {
      continue;
    }
    if (mo_child_is_leaf(child)) {
      visit_blocks(s, mo_child_index(child), s->child_list[slot], count, goal);
      continue;
    }
    uint32_t next = first + (count + 2 * MO_LANE_COUNT - 1) / MO_LANE_COUNT * MO_LANE_COUNT;
    if (next > MAX_LISTED_RAYS) {
      return false;
    }
    memcpy(&s->ray_lists[first], s->child_list[slot], count * sizeof *list);
    s->visits[s->visit_count++] = (pending_visit){child, first, count};
    first = next;
  }
  return true;
}

/* Writes what a ray has hit. */
static inline void write_answer(ray_stream *s, const traced_ray *ray, mo_ray_goal goal) {
  mo_answers8 *answers = &s->out[ray->ray_index / 8];
  uint32_t lane = ray->ray_index % 8;
  if (goal == MO_GOAL_ANY) {
    answers->found |= (uint32_t)ray->found << lane;
    return;
  }
  uint32_t found = ray->shape != MO_NONE;
  answers->found |= found << lane;
  answers->front |= (uint32_t)(ray->front & found) << lane;
  answers->t[lane] = found ? ray->max_t : INFINITY;
  answers->triangle[lane] = ray->triangle;
  answers->shape[lane] = ray->shape;
  answers->u[lane] = ray->u;
  answers->v[lane] = ray->v;
}

static bool trace_rays(ray_stream *s, mo_ray_goal goal) {
  for (uint32_t i = 0; i < s->ray_count; i++) {
    s->ray_lists[i] = i;
  }
  s->visits[0] = (pending_visit){s->scene->root, 0, s->ray_count};
  s->visit_count = 1;
  while (s->visit_count > 0) {
    const pending_visit v = s->visits[--s->visit_count];
    if (mo_child_is_leaf(v.child)) {
      visit_blocks(s, mo_child_index(v.child), &s->ray_lists[v.first], v.count, goal);
    } else if (!visit_node(s, &v, goal)) {
      return false;
    }
  }
  test_pairs(s, goal);
  for (uint32_t i = 0; i < s->ray_count; i++) {
    write_answer(s, &s->rays[i], goal);
  }
  return true;
}

/* Reads the rays of a chunk from ray `first` on. Returns false if one of them is not legal. */
static bool read_rays(ray_stream *s, const mo_reader *reader, mo_ray_chunk *chunk, uint32_t first) {
  uint32_t rest = chunk->count - first, zero_directions;
  s->input_count = rest < MO_STREAM_RAYS ? rest : MO_STREAM_RAYS;
  for (uint32_t i = 0; i < s->input_count; i += 8) {
    mo_rays8 *rays = &s->in[i / 8];
    mo_reader_read8(reader, chunk->first + first + i, rest - i, rays);
    if (!mo_batch_accepts8_fast(s->batch, chunk, first + i, rays, &zero_directions)) {
      return false;
    }
    mo_answers8_clear(&s->out[i / 8]);
  }
  return true;
}

/* Traces all rays one by one: after an overflow of the lists. */
static void trace_singly(ray_stream *s) {
  for (uint32_t i = 0; i < s->input_count; i++) {
    if (i % 8 == 0) {
      mo_answers8_clear(&s->out[i / 8]);
    }
    MO_ISA_FN(mo_batch_trace_ray)(s->batch, &s->in[i / 8], i % 8, &s->out[i / 8]);
  }
}

static void trace_stream(ray_stream *s) {
  s->pair_count = 0;
  add_rays(s);
  if (!(s->batch->goal == MO_GOAL_ANY ? trace_rays(s, MO_GOAL_ANY)
                                      : trace_rays(s, MO_GOAL_CLOSEST))) {
    trace_singly(s);
  }
}

/* Whether ray streams are used for a batch. Not with a callback that accepts shapes: if the lists
 * of a stream overflow, its rays are traced again, which would call it twice. */
static bool can_stream(const mo_batch *batch) {
  const mo_scene *scene = batch->subject;
  return batch->stats == NULL && batch->def->options.filter.accept == NULL &&
         scene->shape_count > 1 &&
         (size_t)scene->nodes.count + scene->blocks.count <= MO_MAX_STREAMED_SCENE_NODES;
}

void MO_ISA_FN(mo_scene_trace_incoherent)(const mo_batch *batch, mo_ray_chunk *chunk) {
  mo_batch_scratch *scratch = can_stream(batch) ? mo_batch_acquire_scratch(batch) : NULL;
  if (scratch == NULL) {
    MO_ISA_FN(mo_batch_trace_singly)(batch, chunk);
    return;
  }
  const mo_reader reader = mo_reader_of(batch);
  ray_stream *s = (ray_stream *)(void *)scratch->memory;
  s->batch = batch;
  s->scene = s->pair_tester.scene = batch->subject;
  s->pair_tester.def = batch->def->options;
  for (uint32_t first = 0; first < chunk->count; first += MO_STREAM_RAYS) {
    if (!read_rays(s, &reader, chunk, first)) {
      break; /* a ray is illegal: the call fails, and its outputs are undefined */
    }
    trace_stream(s);
    for (uint32_t i = 0; i < s->input_count; i += 8) {
      mo_batch_write8(batch, chunk, first + i, &s->out[i / 8]);
    }
  }
  mo_batch_release_scratch(scratch);
}
