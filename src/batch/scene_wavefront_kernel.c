/* Wavefronts: traces many incoherent rays of the fast path through the shape octree at a time.
 * Compiled once per instruction set.
 *
 * A single ray spends its time on unpredictable branches (is there a child, is the next item a node
 * or a shape, is it hit?) and on cache misses. Here many rays are interleaved and advance in
 * stages: first the nodes of all rays, then the blocks of shapes below these, then the nearest
 * shapes (candidates_kernel.c). The input of each stage is a list, to which the stage before has
 * appended branchlessly. So no branch is mispredicted, the work on different rays overlaps, and
 * items farther down in a list are prefetched.
 *
 * Why not the visitor, one ray after another: long rays through 1,000, 10,000 and 100,000 instances
 * are 1.05, 1.12 and 1.43 times as fast as single rays.
 *
 * Each ray visits nodes and shapes in the order of query/ray/trace_kernel.c, with the same
 * operations in each, except that the root and the first wave of nodes below it are visited in one
 * stage. */
#include "base/inline.h"
#include "base/mask.h"
#include "base/prefetch.h"
#include "batch/candidates.h"
#include "octree/cull.h"
#include "octree/order.h"

/* Capacity of a ray's node stack. A ray with more than MO_SCENE_WAITING nodes visits them one by
 * one, and so adds at most 7 for each level of the octree. */
enum { WAITING = MO_SCENE_WAITING + MO_SCENE_WAVE * MO_WIDTH + 7 * MO_SCENE_MAX_DEPTH };

typedef struct runner {
  mo_queue_ray ray;
  const float *rows; /* the prepared ray for culling: its lane in mo_fast_rays8 */
  uint32_t signs;
  uint32_t waiting_count, candidate_count;
  /* Appending always writes eight elements. The last candidate is followed by eight at infinity;
   * the very last element receives what is not kept. */
  alignas(MO_ALIGNMENT) float candidate_t[MO_SCENE_CANDIDATES + 2 * MO_WIDTH];
  uint32_t candidate[MO_SCENE_CANDIDATES + 2 * MO_WIDTH];
  /* The node stack, from index 1 on. Index 0 is a sentinel that ends the search for nodes. */
  float t[1 + WAITING + MO_WIDTH];
  uint32_t child[1 + WAITING + MO_WIDTH];
} runner;

enum {
  NODES = MO_SCENE_WAVE * MO_SCENE_RUNNERS,
  BLOCKS = (1 + MO_WIDTH) * (NODES + MO_SCENE_RUNNERS)
};

/* The state of a wavefront. Lists refer to runners by byte offset, which saves multiplications. */
typedef struct flow {
  const mo_ray_queue *queue;
  const mo_scene *scene;
  const mo_scene_node *nodes;
  const mo_shape_block *blocks;
  const mo_shape *shapes;
  mo_ray_limits limits;
  /* Indices of the rays of the queue that may hit something or take the general path, and how many
   * of them have been started. */
  uint32_t ray_count, next;
  uint16_t ray[MO_QUEUE_RAYS + 1];
  bool far;         /* there are too many nodes and blocks to fit in the cache */
  bool records_far; /* there are too many shape records to fit in the cache */
  /* The input lists of the stages. */
  uint32_t node_count, block_count, done_count;
  uint32_t node[NODES + MO_SCENE_WAVE], node_runner[NODES + MO_SCENE_WAVE];
  uint32_t block[BLOCKS + MO_WIDTH], block_runner[BLOCKS + MO_WIDTH];
  uint32_t done[MO_SCENE_RUNNERS + 1];
  uint32_t live[MO_SCENE_RUNNERS + 1];
  runner runners[MO_SCENE_RUNNERS];
  const mo_rays8 *rays[MO_QUEUE_GROUPS];
  mo_rays8 copies[MO_QUEUE_GROUPS]; /* of groups that had to be gathered */
  mo_fast_rays8 ready[MO_QUEUE_GROUPS];
  mo_queue_pairs pairs; /* the nearest candidate of each ray */
} flow;

_Static_assert(sizeof(flow) <= MO_QUEUE_MEMORY, "fits the workspace");
_Static_assert((int)MO_SCENE_RUNNERS <= (int)MO_QUEUE_PAIRS, "each has one nearest shape");

MO_INLINE runner *runner_at(flow *f, uint32_t bytes) {
  return (runner *)(void *)((char *)f->runners + bytes);
}

/* Rays. */

/* Prepares the rays of the queue in its order. */
static void make_ready(flow *f) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->queue->count; i += 8) {
    const mo_rays8 *rays = mo_queue_rays8(f->queue, i, &f->copies[i / 8]);
    uint32_t going = mo_queue_ready8(f->queue, &f->limits, i, rays, &f->ready[i / 8]);
    f->rays[i / 8] = rays;
    for (uint32_t lane = 0; lane < 8; lane++) {
      f->ray[count] = (uint16_t)(i + lane);
      count += going >> lane & 1;
    }
  }
  f->ray_count = count;
}

/* Broadcasts a ray to all lanes, as mo_spread_ray does. */
MO_INLINE mo_ray_lanes spread(const runner *r) {
  static const uint8_t sides[8][4] = {{0, 8, 16}, {24, 8, 16}, {0, 32, 16}, {24, 32, 16},
                                      {0, 8, 40}, {24, 8, 40}, {0, 32, 40}, {24, 32, 40}};
  const float *rows = r->rows;
  mo_ray_lanes lanes;
  for (uint32_t axis = 0; axis < 3; axis++) {
    lanes.enter[axis] = sides[r->signs][axis];
    lanes.leave[axis] = sides[r->signs ^ 7][axis];
    lanes.near_shift[axis] = mo_f8_all(rows[8 * axis]);
    lanes.far_shift[axis] = mo_f8_all(rows[24 + 8 * axis]);
    lanes.inverse[axis] = mo_f8_all(rows[48 + 8 * axis]);
  }
  lanes.near_t = mo_f8_all(rows[72]);
  return lanes;
}

/* Gives a runner the next ray of the queue that takes the fast path; traces others at once. False
 * if there is none. */
MO_INLINE bool start(flow *f, runner *r) {
  const mo_ray_queue *queue = f->queue;
  uint32_t i;
  for (;; f->next++) {
    if (f->next == f->ray_count) {
      return false;
    }
    i = f->ray[f->next];
    if (__builtin_expect(f->ready[i / 8].fast >> i % 8 & 1, 1)) {
      break;
    }
    mo_queue_trace_alone(queue, queue->order[i]);
  }
  f->next++;
  uint32_t lane = i % 8;
  const mo_fast_rays8 *ready = &f->ready[i / 8];
  mo_queue_begin(&r->ray, queue->order[i], f->rays[i / 8], lane, ready->near_t[lane]);
  r->rows = &ready->near_shift[0][lane];
  r->signs = (ready->signs[0] >> lane & 1) | (ready->signs[1] >> lane & 1) << 1 |
             (ready->signs[2] >> lane & 1) << 2;
  r->waiting_count = r->candidate_count = 0;
  mo_f8_store(r->candidate_t, mo_f8_all(INFINITY));
  return true;
}

/* Stages. */

/* Visits a node: pushes the inner children that are hit onto the stack, and appends the blocks of
 * leaves that are hit to the block list. Returns the new length of that list. */
MO_INLINE uint32_t visit_node(flow *f, uint32_t which, uint32_t index, uint32_t blocks) {
  runner *r = runner_at(f, which);
  const mo_scene_node *node = &f->nodes[index];
  const mo_ray_lanes lanes = spread(r);
  mo_ray_slabs slabs = mo_cull_ray_slabs(&lanes, &node->bounds, mo_f8_all(r->ray.max_t));
  uint32_t leaves = mo_u8_signs(mo_u8_load(node->child));
  mo_f8 far_t = mo_f8_select(mo_m8_from_bits(leaves), mo_f8_all(-1.0f), slabs.far_t);
  mo_choice met = mo_choose_le(slabs.near_t, far_t, mo_route_of_octants(r->signs));
  uint32_t at = r->waiting_count + 1;
  mo_choice_store_u8(&r->child[at], node->child, met);
  mo_choice_store_f8(&r->t[at], slabs.near_t, met);
  r->waiting_count += met.count;
  leaves &= mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
  mo_u8_store_any(&f->block[blocks], mo_u8_compress(mo_u8_load(node->child), leaves));
  mo_u8_store_any(&f->block_runner[blocks], mo_u8_all(which));
  blocks += (uint32_t)__builtin_popcount(leaves);
  f->block[blocks] = node->items;
  f->block_runner[blocks] = which;
  return blocks + (node->items != MO_NONE);
}

static void visit_nodes(flow *f) {
  const uint32_t count = f->node_count;
  uint32_t blocks = f->block_count;
  for (uint32_t i = 0; i < count; i++) {
    if (f->far) {
      uint32_t ahead = f->node[i + MO_SCENE_AHEAD < count ? i + MO_SCENE_AHEAD : i];
      mo_prefetch(&f->nodes[ahead], mo_lines_of(sizeof(mo_scene_node)));
    }
    blocks = visit_node(f, f->node_runner[i], f->node[i], blocks);
  }
  f->block_count = blocks;
}

/* If the mask is all ones, appends the topmost nodes of a ray's stack to the node list: those that
 * it visits next. */
MO_INLINE void list_wave(flow *f, uint32_t which, uint32_t waiting, uint32_t mask) {
  runner *r = runner_at(f, which);
  uint32_t nodes = f->node_count, wave = waiting < MO_SCENE_WAVE ? waiting : MO_SCENE_WAVE;
  wave = (waiting > MO_SCENE_WAITING ? 1 : wave) & mask;
  waiting -= wave;
  memcpy(&f->node[nodes], &r->child[waiting + 1], MO_SCENE_WAVE * sizeof(uint32_t));
  for (uint32_t j = 0; j < MO_SCENE_WAVE; j++) {
    f->node_runner[nodes + j] = which;
  }
  f->node_count = nodes + wave;
  r->waiting_count = waiting;
}

/* Returns the index of the nearest candidate; `t` receives its distance. */
MO_INLINE uint32_t nearest_of(const runner *r, float *t) {
  mo_f8 all = mo_f8_load(r->candidate_t);
  for (uint32_t i = MO_WIDTH; __builtin_expect(i < r->candidate_count, 0); i += MO_WIDTH) {
    all = mo_f8_min(all, mo_f8_load(&r->candidate_t[i]));
  }
  *t = mo_f8_reduce_min(all);
  uint32_t i = 0, min;
  do {
    min = mo_m8_bits(mo_f8_le(mo_f8_load(&r->candidate_t[i]), mo_f8_all(*t)));
    i += MO_WIDTH;
  } while (__builtin_expect(min == 0, 0));
  return i - MO_WIDTH + (uint32_t)__builtin_ctz(min);
}

/* Removes a candidate if the mask is all ones. */
MO_INLINE void take(runner *r, uint32_t which, uint32_t mask) {
  const uint32_t nowhere = MO_SCENE_CANDIDATES + 2 * MO_WIDTH - 1;
  uint32_t last = r->candidate_count += mask;
  which = nowhere ^ ((which ^ nowhere) & mask);
  r->candidate[which] = r->candidate[last];
  r->candidate_t[which] = r->candidate_t[last];
  r->candidate_t[last] = INFINITY;
}

/* Tests the nearest candidates when the list is nearly full. */
static __attribute__((noinline)) void test_nearest(flow *f, runner *r, mo_ray_goal goal) {
  while (r->candidate_count > MO_SCENE_CANDIDATES - MO_WIDTH) {
    float t;
    uint32_t nearest = nearest_of(r, &t), slot = r->candidate[nearest];
    take(r, nearest, UINT32_MAX);
    if (t <= r->ray.max_t) {
      MO_ISA_FN(mo_queue_test_alone)(&f->pairs, &r->ray, slot, false, goal);
    }
  }
}

/* Visits the first block of each list of blocks, then the second of each, and so on. */
MO_INLINE void visit_blocks(flow *f, mo_ray_goal goal) {
  for (uint32_t count = f->block_count; count != 0;) {
    uint32_t more = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (f->far) {
        uint32_t ahead = f->block[i + MO_SCENE_AHEAD < count ? i + MO_SCENE_AHEAD : i];
        mo_prefetch(&f->blocks[mo_child_index(ahead)], mo_lines_of(sizeof(mo_shape_block)));
      }
      uint32_t which = f->block_runner[i];
      runner *r = runner_at(f, which);
      const mo_shape_block *block = &f->blocks[mo_child_index(f->block[i])];
      f->block[more] = block->next;
      f->block_runner[more] = which;
      more += block->next != MO_NONE;
      const mo_ray_lanes lanes = spread(r);
      mo_ray_slabs slabs = mo_cull_ray_slabs(&lanes, &block->bounds, mo_f8_all(r->ray.max_t));
      uint32_t met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t)), at = r->candidate_count;
      mo_u8_store_any(&r->candidate[at], mo_u8_compress(mo_u8_load(block->shape), met));
      mo_f8_store_any(&r->candidate_t[at], mo_f8_compress(slabs.near_t, met));
      at += (uint32_t)__builtin_popcount(met);
      mo_f8_store_any(&r->candidate_t[at], mo_f8_all(INFINITY));
      r->candidate_count = at;
      if (__builtin_expect(at > MO_SCENE_CANDIDATES - MO_WIDTH, 0)) {
        test_nearest(f, r, goal);
      }
    }
    count = more;
  }
}

/* Chooses the next step of each ray: to test its nearest candidate if no node begins before it, to
 * visit its next nodes, or to end. Returns how many rays have not ended. */
MO_INLINE uint32_t choose(flow *f, uint32_t live) {
  uint32_t shapes = 0, done = 0, going = 0;
  f->node_count = 0;
  for (uint32_t i = 0; i < live; i++) {
    uint32_t which = f->live[i];
    runner *r = runner_at(f, which);
    uint32_t waiting = r->waiting_count;
    while (__builtin_expect(r->t[waiting] > r->ray.max_t, 0)) {
      waiting--;
    }
    float t, next_t = mo_number_or_infinity(waiting != 0, r->t[waiting]);
    uint32_t nearest = nearest_of(r, &t);
    next_t = next_t < r->ray.max_t ? next_t : r->ray.max_t;
    uint32_t enter = mo_mask_of((uint32_t)(t <= next_t) & (uint32_t)(r->candidate_count != 0));
    f->pairs.slot[shapes] = r->candidate[nearest];
    f->pairs.ray[shapes] = &r->ray;
    shapes -= enter;
    if (f->records_far) {
      mo_prefetch(&f->shapes[r->candidate[nearest]], mo_lines_of(sizeof(mo_shape)));
    }
    take(r, nearest, enter);
    uint32_t is_done = mo_mask_of(waiting == 0) & ~enter;
    list_wave(f, which, waiting, ~enter);
    f->done[done] = which;
    done -= is_done;
    f->live[going] = which;
    going += 1 + is_done;
  }
  f->pairs.count = shapes;
  f->block_count = 0;
  f->done_count = done;
  return going;
}

/* Gives a runner the next ray and visits the root. False if there is none left. */
MO_INLINE bool begin(flow *f, uint32_t which, mo_ray_goal goal) {
  runner *r = runner_at(f, which);
  if (!start(f, r)) {
    return false;
  }
  mo_queue_test_unbounded(&f->pairs, &r->ray, goal);
  uint32_t root = f->scene->root;
  if (mo_child_is_leaf(root)) {
    f->block[f->block_count] = root;
    f->block_runner[f->block_count++] = which;
  } else {
    f->block_count = visit_node(f, which, root, f->block_count);
    list_wave(f, which, r->waiting_count, UINT32_MAX);
  }
  return true;
}

MO_INLINE void run(flow *f, mo_ray_goal goal) {
  uint32_t live = 0;
  f->node_count = f->block_count = f->pairs.count = 0;
  while (live < MO_SCENE_RUNNERS && begin(f, live * (uint32_t)sizeof(runner), goal)) {
    f->live[live] = live * (uint32_t)sizeof(runner);
    live++;
  }
  while (live > 0) {
    visit_nodes(f);
    visit_blocks(f, goal);
    MO_ISA_FN(mo_queue_test_pairs)(&f->pairs, goal);
    live = choose(f, live);
    for (uint32_t i = 0; i < f->done_count; i++) {
      uint32_t which = f->done[i];
      mo_queue_finish(f->queue, &runner_at(f, which)->ray, goal);
      f->live[live] = which;
      live += begin(f, which, goal);
    }
  }
}

void MO_ISA_FN(mo_scene_trace_wavefront)(const mo_ray_queue *queue) {
  const mo_batch *batch = queue->batch;
  const mo_scene *scene = batch->subject;
  flow *f = queue->memory;
  f->queue = queue;
  f->scene = scene;
  f->nodes = scene->nodes.items;
  f->blocks = scene->blocks.items;
  f->shapes = scene->shapes;
  f->limits = mo_ray_limits_for(mo_scene_ray_reach(scene), MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN);
  f->next = 0;
  f->far =
      scene->nodes.count * sizeof(mo_scene_node) + scene->blocks.count * sizeof(mo_shape_block) >
      MO_PREFETCH_MIN;
  f->records_far = scene->slot_count * sizeof(mo_shape) > MO_PREFETCH_MIN;
  make_ready(f);
  mo_queue_pairs_init(&f->pairs, batch);
  for (uint32_t i = 0; i < MO_SCENE_RUNNERS; i++) {
    f->runners[i].t[0] = -1.0f;
    memset(f->runners[i].candidate, 0,
           sizeof f->runners[i].candidate); /* any valid slot, as records are prefetched by it */
  }
  if (batch->goal == MO_GOAL_ANY) {
    run(f, MO_GOAL_ANY);
  } else {
    run(f, MO_GOAL_CLOSEST);
  }
}
