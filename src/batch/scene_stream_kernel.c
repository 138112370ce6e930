/* Ray streams: traces many rays of the fast path through a small shape octree, node by node.
 * Compiled once per instruction set.
 *
 * If there are many more rays than nodes, each node is visited once with the list of all rays that
 * hit it. Eight rays at a time are tested against one child after another, and those that hit a
 * child are appended to its list, branchlessly. So nodes are read once, and there are no cache
 * misses and no branch mispredictions. Blocks of shapes are visited in the same way. A ray and a
 * shape whose box it hits become a pair; pairs are tested when there are many (candidates.h).
 *
 * Why not the visitor, one ray after another: through 20 to 4,500 instances a ray takes 0.59 to
 * 0.80 of the time that it takes by wavefronts (scene_wavefront_kernel.c), which beat single rays.
 *
 * Rays do not visit nearer nodes first. Each ray visits all nodes along its line, except those
 * beyond a hit already found. That costs little if rays pass few shapes, or if any hit suffices. */
#include "base/prefetch.h"
#include "batch/candidates.h"

/* A prepared ray for culling, as three vectors of four floats. It crosses the plane of a box's
 * lower or upper side at t = position * inverse - shift. */
typedef struct culled {
  float lower_shift[3], near_t;
  float upper_shift[3], max_t;
  float inverse[3], unused;
} culled;

_Static_assert(sizeof(culled) == 12 * sizeof(float), "read as rows of four");

/* Eight such rays, transposed; the last row of each array is near_t, max_t, or unused. */
typedef struct culled8 {
  mo_f8 lower_shift[4], upper_shift[4], inverse[4];
} culled8;

/* A pending visit: a node or leaf, as stored in nodes, and the list of rays that hit it. */
typedef struct visit {
  uint32_t child, first, count;
} visit;

/* Lists contain ray indices. NOBODY is a ray that hits nothing and pads lists to multiples of
 * eight. Lists begin at multiples of eight. */
enum { NOBODY = MO_STREAM_RAYS, LIST = MO_STREAM_RAYS + 2 * MO_WIDTH };

/* Capacities: of all ray lists of pending visits together, and of pending pairs. */
enum { LISTED = 8 * MO_STREAM_RAYS, PAIRS = 512 };

/* Capacity of the stack of visits: at each level of the octree, the children of one node are
 * pending. */
enum { VISITS = MO_WIDTH * (MO_SCENE_MAX_DEPTH + 1) };

typedef struct stream {
  const mo_ray_queue *queue;
  const mo_scene *scene;
  alignas(MO_ALIGNMENT) culled culled[MO_STREAM_RAYS + 1];
  mo_queue_ray rays[MO_STREAM_RAYS];
  uint32_t ray_count;
  uint32_t visit_count;
  visit visits[VISITS];
  alignas(MO_ALIGNMENT) uint32_t listed[LISTED];
  /* The list of each child of the current node. Appending always writes eight elements. */
  alignas(MO_ALIGNMENT) uint32_t child_list[MO_WIDTH][LIST];
  uint32_t child_count[MO_WIDTH];
  uint32_t pair_count;
  uint32_t pair_ray[PAIRS + MO_WIDTH], pair_slot[PAIRS + MO_QUEUE_PAIRS];
  float pair_t[PAIRS + MO_WIDTH]; /* where the ray enters the shape's box */
  mo_queue_pairs pairs;
} stream;

_Static_assert(sizeof(stream) <= MO_QUEUE_MEMORY, "fits the workspace");

/* Rays. */

/* Eight prepared rays for culling: [j][half] is the vector of four floats of ray 4 * half + j. */
typedef struct culled_fours {
  alignas(MO_ALIGNMENT) float lower_shift[4][2][4], upper_shift[4][2][4], inverse[4][2][4];
} culled_fours;

static inline void store_fours(mo_f8 rows[4], float fours[4][2][4]) {
  mo_f8_transpose_halves(rows);
  for (int j = 0; j < 4; j++) {
    mo_f8_store(fours[j][0], rows[j]);
  }
}

static inline void make_fours(const mo_fast_rays8 *ready, const float *max_t, culled_fours *fours) {
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
  inverse[3] = mo_f8_all(0.0f);
  store_fours(lower, fours->lower_shift);
  store_fours(upper, fours->upper_shift);
  store_fours(inverse, fours->inverse);
}

static inline void add_ray(stream *s, uint16_t place, const mo_rays8 *given,
                           const mo_fast_rays8 *ready, const culled_fours *fours, uint32_t lane) {
  culled *c = &s->culled[s->ray_count];
  memcpy(c->lower_shift, fours->lower_shift[lane % 4][lane / 4], 4 * sizeof(float));
  memcpy(c->upper_shift, fours->upper_shift[lane % 4][lane / 4], 4 * sizeof(float));
  memcpy(c->inverse, fours->inverse[lane % 4][lane / 4], 4 * sizeof(float));
  mo_queue_ray *ray = &s->rays[s->ray_count++];
  mo_queue_begin(ray, place, given, place % 8, ready->near_t[lane]);
  mo_queue_test_unbounded(&s->pairs, ray, s->queue->batch->goal);
  c->max_t = ray->max_t;
}

static void add_rays(stream *s) {
  const mo_ray_queue *queue = s->queue;
  const mo_ray_limits limits =
      mo_ray_limits_for(mo_scene_ray_reach(s->scene), MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN);
  s->ray_count = 0;
  for (uint32_t i = 0; i < queue->count; i += 8) {
    mo_rays8 copy;
    mo_fast_rays8 ready;
    culled_fours fours;
    const mo_rays8 *rays = mo_queue_rays8(queue, i, &copy);
    uint32_t going = mo_queue_ready8(queue, &limits, i, rays, &ready);
    make_fours(&ready, rays->max_t, &fours);
    for (; going != 0; going &= going - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(going);
      uint16_t place = queue->order[i + lane];
      if (__builtin_expect(ready.fast >> lane & 1, 1)) {
        add_ray(s, place, &queue->in[place / 8], &ready, &fours, lane);
      } else {
        mo_queue_trace_alone(queue, place);
      }
    }
  }
  s->culled[NOBODY] = (culled){.near_t = 1.0f, .max_t = -1.0f};
}

MO_INLINE culled8 load_rays(const stream *s, const uint32_t *list) {
  culled8 c;
  for (int i = 0; i < 4; i++) {
    const culled *low = &s->culled[list[i]], *high = &s->culled[list[i + 4]];
    c.lower_shift[i] = mo_f8_load_halves(low->lower_shift, high->lower_shift);
    c.upper_shift[i] = mo_f8_load_halves(low->upper_shift, high->upper_shift);
    c.inverse[i] = mo_f8_load_halves(low->inverse, high->inverse);
  }
  mo_f8_transpose_halves(c.lower_shift);
  mo_f8_transpose_halves(c.upper_shift);
  mo_f8_transpose_halves(c.inverse);
  return c;
}

/* Bit mask of the rays that may hit one of eight boxes, which is not empty. `enter` receives where
 * they enter it. On each axis a ray enters at the plane that it crosses first. */
MO_INLINE uint32_t meet(const culled8 *c, const mo_bounds8 *bounds, uint32_t slot, mo_f8 *enter) {
  mo_f8 near_t = c->lower_shift[3], far_t = c->upper_shift[3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 lower = mo_f8_mul_sub_fast(mo_f8_all(bounds->lower[axis][slot]), c->inverse[axis],
                                     c->lower_shift[axis]);
    mo_f8 upper = mo_f8_mul_sub_fast(mo_f8_all(bounds->upper[axis][slot]), c->inverse[axis],
                                     c->upper_shift[axis]);
    near_t = mo_f8_max(near_t, mo_f8_min(lower, upper));
    far_t = mo_f8_min(far_t, mo_f8_max(lower, upper));
  }
  *enter = near_t;
  return mo_m8_bits(mo_f8_le(near_t, far_t));
}

static inline void end_list(uint32_t *list, uint32_t count) {
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    list[count + i] = NOBODY;
  }
}

/* Shapes. */

/* Tests all pending pairs, except where the ray has meanwhile hit something nearer. */
static __attribute__((noinline)) void test_pairs(stream *s, mo_ray_goal goal) {
  mo_queue_pairs *pairs = &s->pairs;
  for (uint32_t i = 0; i < MO_QUEUE_PAIRS; i++) { /* padding, which is only prefetched */
    s->pair_slot[s->pair_count + i] = 0;
  }
  for (uint32_t i = 0; i < s->pair_count;) {
    uint32_t count = 0;
    for (; i < s->pair_count && count < MO_QUEUE_PAIRS; i++) {
      mo_prefetch(&s->scene->shapes[s->pair_slot[i + MO_QUEUE_PAIRS]],
                  mo_lines_of(sizeof(mo_shape)));
      mo_queue_ray *ray = &s->rays[s->pair_ray[i]];
      pairs->slot[count] = s->pair_slot[i];
      pairs->ray[count] = ray;
      count += s->pair_t[i] <= ray->max_t;
    }
    pairs->count = count;
    MO_ISA_FN(mo_queue_test_pairs)(pairs, goal);
  }
  for (uint32_t i = 0; i < s->pair_count; i++) {
    uint32_t ray = s->pair_ray[i];
    s->culled[ray].max_t = s->rays[ray].max_t;
  }
  s->pair_count = 0;
}

/* Visits a list of blocks with the list of rays that hit it. */
static void visit_blocks(stream *s, uint32_t first, uint32_t *list, uint32_t count,
                         mo_ray_goal goal) {
  end_list(list, count);
  for (uint32_t b = first; b != MO_NONE;) {
    const mo_shape_block *block = mo_shape_block_at(s->scene, b);
    b = block->next;
    for (uint32_t i = 0; i < count; i += MO_WIDTH) {
      if (s->pair_count > PAIRS - MO_WIDTH * MO_WIDTH) {
        test_pairs(s, goal);
      }
      const culled8 c = load_rays(s, &list[i]);
      const mo_u8 numbers = mo_u8_load(&list[i]);
      uint32_t pairs = s->pair_count;
      for (uint32_t slot = 0; slot < block->count; slot++) {
        mo_f8 enter;
        uint32_t met = meet(&c, &block->bounds, slot, &enter);
        mo_u8_store_any(&s->pair_ray[pairs], mo_u8_compress(numbers, met));
        mo_f8_store_any(&s->pair_t[pairs], mo_f8_compress(enter, met));
        mo_u8_store_any(&s->pair_slot[pairs], mo_u8_all(block->shape[slot]));
        pairs += (uint32_t)__builtin_popcount(met);
      }
      s->pair_count = pairs;
    }
  }
}

/* Nodes. */

/* Makes the ray list of each child of a node. */
static void fill_child_lists(stream *s, const mo_scene_node *node, const uint32_t *list,
                             uint32_t count) {
  uint32_t slots = 0;
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    slots |= (uint32_t)(node->child[slot] != MO_CHILD_EMPTY) << slot;
    s->child_count[slot] = 0;
  }
  for (uint32_t i = 0; i < count; i += MO_WIDTH) {
    const culled8 c = load_rays(s, &list[i]);
    const mo_u8 numbers = mo_u8_load(&list[i]);
    for (uint32_t left = slots; left != 0; left &= left - 1) {
      uint32_t slot = (uint32_t)__builtin_ctz(left), at = s->child_count[slot];
      mo_f8 enter;
      uint32_t met = meet(&c, &node->bounds, slot, &enter);
      mo_u8_store_any(&s->child_list[slot][at], mo_u8_compress(numbers, met));
      s->child_count[slot] = at + (uint32_t)__builtin_popcount(met);
    }
  }
}

/* Prefetches a node, or the first block of a leaf. */
static inline void ask_for(const mo_scene *scene, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    mo_prefetch(mo_shape_block_at(scene, mo_child_index(child)),
                mo_lines_of(sizeof(mo_shape_block)));
  } else {
    mo_prefetch(mo_scene_node_at(scene, child), mo_lines_of(sizeof(mo_scene_node)));
  }
}

/* Visits a node: its leaves at once; its inner children become pending visits, whose lists replace
 * its own. Returns false if the lists overflow. */
static bool visit_node(stream *s, const visit *v, mo_ray_goal goal) {
  const mo_scene_node *node = mo_scene_node_at(s->scene, v->child);
  uint32_t *list = &s->listed[v->first], first = v->first;
  if (node->items != MO_NONE) {
    visit_blocks(s, node->items, list, v->count, goal);
  }
  end_list(list, v->count);
  fill_child_lists(s, node, list, v->count);
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    if (s->child_count[slot] > 0) {
      ask_for(s->scene, node->child[slot]);
    }
  }
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = node->child[slot], count = s->child_count[slot];
    if (count == 0) {
      continue;
    }
    if (mo_child_is_leaf(child)) {
      visit_blocks(s, mo_child_index(child), s->child_list[slot], count, goal);
      continue;
    }
    uint32_t next = first + (count + 2 * MO_WIDTH - 1) / MO_WIDTH * MO_WIDTH;
    if (next > LISTED) {
      return false;
    }
    memcpy(&s->listed[first], s->child_list[slot], count * sizeof *list);
    s->visits[s->visit_count++] = (visit){child, first, count};
    first = next;
  }
  return true;
}

static bool run(stream *s, mo_ray_goal goal) {
  for (uint32_t i = 0; i < s->ray_count; i++) {
    s->listed[i] = i;
  }
  s->visits[0] = (visit){s->scene->root, 0, s->ray_count};
  s->visit_count = 1;
  while (s->visit_count > 0) {
    const visit v = s->visits[--s->visit_count];
    if (mo_child_is_leaf(v.child)) {
      visit_blocks(s, mo_child_index(v.child), &s->listed[v.first], v.count, goal);
    } else if (!visit_node(s, &v, goal)) {
      return false;
    }
  }
  test_pairs(s, goal);
  for (uint32_t i = 0; i < s->ray_count; i++) {
    mo_queue_finish(s->queue, &s->rays[i], goal);
  }
  return true;
}

bool MO_ISA_FN(mo_scene_trace_stream)(const mo_ray_queue *queue) {
  stream *s = queue->memory;
  s->queue = queue;
  s->scene = queue->batch->subject;
  s->pair_count = 0;
  mo_queue_pairs_init(&s->pairs, queue->batch);
  add_rays(s);
  return queue->batch->goal == MO_GOAL_ANY ? run(s, MO_GOAL_ANY) : run(s, MO_GOAL_CLOSEST);
}
