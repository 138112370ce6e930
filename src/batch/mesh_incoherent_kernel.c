/* Traces incoherent rays of a batch through a mesh. Compiled once per instruction set.
 *
 * Unless the mesh fits in the cache, most nodes and leaves that a ray visits are cache misses. So
 * several rays are interleaved: each takes one step, at a node or at eight triangles, and
 * prefetches the next while the other rays take their steps. A step is the same as in the traversal
 * of a single ray (mesh/rays/trace_kernel.c).
 *
 * Why not the visitor, one ray after another: through meshes larger than the cache (dragon_vrip) a
 * batch is 1.85 times as fast as single rays. */
#include "base/inline.h"
#include "batch/check.h"
#include "batch/read.h"
#include "mesh/rays/rays.h"

typedef struct runner {
  mo_mesh_ray in;
  mo_ray prepared;
  mo_mesh_hit best;
  mo_ray_lanes lanes;
  mo_shear_lanes shear;
  mo_vec3 origin, direction;
  float cull_t;
  bool has_shear; /* prepared for triangles, not only for culling */
  uint32_t ray;   /* index in the block */
  uint32_t order_word;
  mo_direction way;
  uint32_t child, count;
  uint32_t waiting[MO_MESH_STACK + MO_WIDTH];
  float t[MO_MESH_STACK + MO_WIDTH];
} runner;

typedef struct block {
  const mo_batch *batch;
  uint32_t rays, next; /* how many there are, and the next to start */
  mo_rays8 in[MO_MESH_BLOCK_GROUPS];
  mo_answers8 out[MO_MESH_BLOCK_GROUPS];
  uint32_t skip[MO_MESH_BLOCK_GROUPS]; /* a bit for each lane that is not traced */
} block;

/* Prepares a ray of the fast path for culling, and other rays completely. Returns false if it is a
 * short segment that hits nothing, as the segment entries of the mesh show. */
MO_INLINE bool prepare(const mo_mesh *mesh, runner *r, float max_t) {
  mo_f4_twice o = mo_f4_twice_from(&r->origin), d = mo_f4_twice_from(&r->direction);
  uint64_t subtrees;
  r->has_shear = false;
  if (!mo_ray_is_fast(mo_f4_once(o), mo_f4_once(d), r->in.min_t, &mesh->ray_limits) ||
      !(max_t >= 0.0f)) {
    mo_ray_prepare_general(mesh, &r->in, NULL, &r->prepared);
    r->shear = mo_spread_shear(&r->prepared);
    r->has_shear = true;
  } else if (mo_segment_entries_begin(mesh->segment_entries, o, d, max_t, &subtrees) &&
             subtrees == 0) {
    return false;
  } else {
    mo_ray_prepare_fast(mesh, mo_f4_once(o), mo_f4_once(d), 1.0f, mo_ray_fast_near_t(r->in.min_t),
                        &r->prepared);
    r->prepared.t_scale = 1.0f;
  }
  return true;
}

/* Takes the next ray of the block. False if there is none. */
MO_INLINE bool take(block *b, runner *r) {
  const mo_batch *batch = b->batch;
  const mo_rays8 *rays;
  uint32_t lane;
  do {
    while (b->next < b->rays && (b->skip[b->next / 8] >> b->next % 8 & 1)) {
      b->next++;
    }
    if (b->next == b->rays) {
      return false;
    }
    r->ray = b->next++;
    rays = &b->in[r->ray / 8];
    lane = r->ray % 8;
    r->origin = mo_vec(rays->origin[0][lane], rays->origin[1][lane], rays->origin[2][lane]);
    r->direction =
        mo_vec(rays->direction[0][lane], rays->direction[1][lane], rays->direction[2][lane]);
    mo_mesh_ray_init(&r->in, &batch->def->options, &r->origin, &r->direction, NULL);
    r->in.min_t = rays->min_t[lane];
  } while (!prepare(batch->mesh, r, rays->max_t[lane]));
  mo_mesh_hit_init(&r->best, rays->max_t[lane]);
  return true;
}

/* Gives a runner the next ray, at the root. */
MO_INLINE bool start(block *b, runner *r, mo_ray_goal goal) {
  if (!take(b, r)) {
    return false;
  }
  const mo_ray *ray = &r->prepared;
  r->lanes = mo_spread_ray(ray);
  r->cull_t = mo_ray_cull_t(ray, r->best.max_t);
  uint32_t signs = ray->signs;
  bool reverse = goal != MO_GOAL_ANY && signs > 3;
  r->order_word = reverse ? 7 - signs : signs;
  r->way = mo_order_direction(!reverse);
  r->child = 0;
  r->count = 0;
  return true;
}

static inline void finish(block *b, const runner *r, bool any) {
  mo_answers8 *answers = &b->out[r->ray / 8];
  uint32_t lane = r->ray % 8;
  if (any) {
    answers->found |= 1u << lane;
  } else {
    mo_answer_query(answers, lane, &r->best);
  }
}

enum { STEP_ON, STEP_DONE, STEP_HIT };

/* Tests eight triangles of a leaf. For any-hit rays returns whether one is hit. */
MO_INLINE bool test_block(const mo_mesh *mesh, runner *r, const mo_triangle_block *triangles,
                          uint32_t at, mo_ray_goal goal) {
  mo_edges8 edges;
  uint32_t candidates = mo_ray_edges8(&r->shear, triangles->corner, r->in.cull, &edges);
  if (candidates != 0) {
    candidates &= ~mo_u8_equal(triangles->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY);
  }
  if (candidates == 0) {
    return false;
  }
  mo_triangle_hits found;
  uint32_t hits = mo_ray_hits8(&r->prepared, triangles->corner, &edges, candidates, r->best.max_t,
                               r->in.cull, goal != MO_GOAL_ANY, false, &found);
  if (hits != 0) {
    hits = mo_proper_lanes(triangles, triangles->corner, hits);
  }
  /* There are no callbacks here, so hits are taken as on the fast path. */
  const mo_ray_trace trace = {mesh, &r->in, NULL, &r->prepared, &r->best, NULL, NULL, true};
  for (; hits != 0; hits &= hits - 1) {
    if (mo_ray_take_hit(&trace, triangles, at, &found, __builtin_ctz(hits), 0, goal)) {
      return true;
    }
  }
  return false;
}

/* One step: a node, or a block of a leaf. */
MO_INLINE int step(const mo_mesh *mesh, const mo_tree *tree, mo_mesh_format format, runner *r,
                   mo_ray_goal goal) {
  if (!mo_child_is_leaf(r->child)) {
    const mo_links node = mo_load_links(tree, format, r->child);
    mo_ray_slabs slabs =
        mo_node_slabs(tree, format, r->child, &r->lanes, NULL, mo_f8_all(r->cull_t));
    uint32_t order = goal == MO_GOAL_ANY ? *node.any_order : node.order[r->order_word];
    mo_choice met = mo_choose_le(slabs.near_t, slabs.far_t, mo_route_of(order, r->way));
    mo_choice_store_u8(&r->waiting[r->count], node.child, met);
    mo_choice_store_f8(&r->t[r->count], slabs.near_t, met);
    r->count += met.count;
    if (met.count != 0) {
      r->child = r->waiting[--r->count];
      return STEP_ON;
    }
  } else {
    uint32_t at = mo_child_index(r->child);
    mo_triangle_block expanded;
    const mo_triangle_block *triangles = mo_load_block(tree, format, at, &expanded);
    if (!r->has_shear) {
      mo_ray_prepare_triangles(&r->in, &r->prepared);
      r->shear = mo_spread_shear(&r->prepared);
      r->has_shear = true;
    }
    if (test_block(mesh, r, triangles, at, goal)) {
      return STEP_HIT;
    }
    if (!(triangles->id[0] & MO_LANE_LAST)) {
      r->child = MO_CHILD_LEAF | mo_block_after(tree, format, at);
      return STEP_ON;
    }
    if (goal == MO_GOAL_CLOSEST) {
      r->cull_t = mo_ray_cull_t(&r->prepared, r->best.max_t);
    }
  }
  do {
    if (r->count == 0) {
      return STEP_DONE;
    }
    r->count--;
  } while (r->t[r->count] > r->cull_t);
  r->child = r->waiting[r->count];
  return STEP_ON;
}

MO_INLINE void run(block *b, mo_mesh_format format, mo_ray_goal goal) {
  const mo_mesh *mesh = b->batch->mesh;
  const mo_tree tree = mo_tree_of(mesh, format);
  runner runners[MO_MESH_RUNNERS];
  runner *running[MO_MESH_RUNNERS];
  uint32_t count = 0;
  while (count < MO_MESH_RUNNERS && start(b, &runners[count], goal)) {
    running[count] = &runners[count];
    count++;
  }
  while (count > 0) {
    for (uint32_t i = 0; i < count; i++) {
      runner *r = running[i];
      int result = step(mesh, &tree, format, r, goal);
      if (result != STEP_ON) {
        finish(b, r, result == STEP_HIT);
        if (!start(b, r, goal)) {
          running[i--] = running[--count];
          continue;
        }
      }
      mo_child_prefetch(&tree, format, r->child);
    }
  }
}

/* Not inlined, so that the stack frames of all formats and goals do not add up. */
static __attribute__((noinline)) void run_full_closest(block *b) {
  run(b, MO_MESH_FULL, MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) void run_full_any(block *b) {
  run(b, MO_MESH_FULL, MO_GOAL_ANY);
}

static __attribute__((noinline)) void run_compact_closest(block *b) {
  run(b, MO_MESH_COMPACT, MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) void run_compact_any(block *b) {
  run(b, MO_MESH_COMPACT, MO_GOAL_ANY);
}

void MO_ISA_FN(mo_batch_trace_incoherent)(const mo_batch *batch, mo_chunk *chunk) {
  const mo_mesh *mesh = batch->mesh;
  size_t single = batch->goal == MO_GOAL_ANY ? MO_MESH_SINGLE_BYTES_ANY : MO_MESH_SINGLE_BYTES;
  if (batch->stats != NULL || mo_mesh_tree_bytes(mesh) <= single) {
    MO_ISA_FN(mo_batch_trace_singly)(batch, chunk);
    return;
  }
  const mo_reader reader = mo_reader_of(batch);
  block b;
  b.batch = batch;
  for (uint32_t first = 0; first < chunk->count; first += 8 * MO_MESH_BLOCK_GROUPS) {
    uint32_t rest = chunk->count - first, count = (rest + 7) / 8;
    count = count < MO_MESH_BLOCK_GROUPS ? count : MO_MESH_BLOCK_GROUPS;
    b.rays = 8 * count;
    b.next = 0;
    for (uint32_t e = 0; e < count; e++) {
      uint32_t i = first + 8 * e, without;
      mo_reader_read8(&reader, chunk->first + i, chunk->count - i, &b.in[e]);
      mo_answer_nothing(&b.out[e]);
      if (!mo_any_accepts8(batch, chunk, i, &b.in[e], &without)) {
        return; /* the call fails, and its outputs are undefined */
      }
      b.skip[e] = without | (chunk->count - i < 8 ? 0xffu << (chunk->count - i) : 0);
    }
    if (batch->goal == MO_GOAL_ANY) {
      mesh->format == MO_MESH_COMPACT ? run_compact_any(&b) : run_full_any(&b);
    } else {
      mesh->format == MO_MESH_COMPACT ? run_compact_closest(&b) : run_full_closest(&b);
    }
    for (uint32_t e = 0; e < count; e++) {
      mo_batch_write8(batch, chunk, first + 8 * e, &b.out[e]);
    }
  }
}
