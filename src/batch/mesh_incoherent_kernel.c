/* Traces incoherent rays of a batch through a mesh. Compiled once per instruction set.
 *
 * Unless the mesh fits in the cache, most nodes and leaves that a ray visits are cache misses. So
 * several rays are interleaved: each takes one step, at a node or at eight triangles, and
 * prefetches the next while the other rays take their steps. A step is the same as in the traversal
 * of a single ray (mesh/rays/trace_kernel.c).
 *
 * Why a traversal of its own: through meshes larger than the cache (dragon_vrip) a batch is 1.85
 * times as fast as single rays. */
#include "base/inline.h"
#include "batch/read.h"
#include "mesh/rays/rays.h"

/* One of the rays that are interleaved. */
typedef struct interleaved_ray {
  mo_mesh_ray mesh_ray;
  mo_ray prepared;
  mo_mesh_hit best;
  mo_ray_lanes lanes;
  mo_shear_lanes shear;
  mo_vec3 origin, direction;
  float cull_t;   /* boxes entered at a greater t are culled: mo_ray_scaled_max_t of the best hit */
  bool has_shear; /* the ray is prepared for triangle tests, not only for culling */
  uint32_t index_in_ray_block;             /* index of the ray in its ray block */
  uint32_t order_word;                     /* which word of a node's visit orders is used */
  mo_lane_order_direction order_direction; /* whether the visit orders are read in reverse */
  uint32_t child, count;                   /* next node or leaf to visit; length of `pending` */
  uint32_t pending[MO_MESH_STACK_CAPACITY + MO_LANE_COUNT];
  /* Where the ray enters each pending node or leaf. */
  float t[MO_MESH_STACK_CAPACITY + MO_LANE_COUNT];
} interleaved_ray;

/* A block of groups of rays: they are read together, traced, and their answers are written. */
typedef struct ray_block {
  const mo_batch *batch;
  uint32_t ray_count, next; /* number of rays; index of the next ray to start */
  mo_rays8 in[MO_GROUPS_PER_RAY_BLOCK];
  mo_answers8 out[MO_GROUPS_PER_RAY_BLOCK];
  uint32_t skipped_lanes[MO_GROUPS_PER_RAY_BLOCK]; /* a bit for each lane that is not traced */
} ray_block;

/* Prepares a ray: on the fast path for culling only, else completely. Returns false for a short
 * segment that the segment entry set of the mesh shows to hit nothing. */
MO_INLINE bool prepare_ray(const mo_mesh *mesh, interleaved_ray *r, float max_t) {
  mo_f4 o = mo_f4_from(&r->origin, 0.0f), d = mo_f4_from(&r->direction, 0.0f);
  uint64_t subtrees;
  r->has_shear = false;
  if (!mo_ray_takes_fast_path(o, d, r->mesh_ray.min_t, &mesh->ray_limits) || !(max_t >= 0.0f)) {
    mo_ray_prepare_general(mesh, &r->mesh_ray, NULL, &r->prepared);
    r->shear = mo_broadcast_shear(&r->prepared);
    r->has_shear = true;
  } else if (mo_segment_entry_points_find(mesh->segment_entry_points, o, d, max_t, &subtrees) &&
             subtrees == 0) {
    return false;
  } else {
    mo_ray_prepare_fast(mesh, o, d, 1.0f, mo_ray_fast_near_t(r->mesh_ray.min_t), &r->prepared);
    r->prepared.t_scale = 1.0f;
  }
  return true;
}

/* Takes the next ray of the block. Returns false if there is none. */
MO_INLINE bool take_next_ray(ray_block *b, interleaved_ray *r) {
  const mo_batch *batch = b->batch;
  const mo_rays8 *rays;
  uint32_t lane;
  do {
    while (b->next < b->ray_count && (b->skipped_lanes[b->next / 8] >> b->next % 8 & 1)) {
      b->next++;
    }
    if (b->next == b->ray_count) {
      return false;
    }
    r->index_in_ray_block = b->next++;
    rays = &b->in[r->index_in_ray_block / 8];
    lane = r->index_in_ray_block % 8;
    r->origin = mo_vec(rays->origin[0][lane], rays->origin[1][lane], rays->origin[2][lane]);
    r->direction =
        mo_vec(rays->direction[0][lane], rays->direction[1][lane], rays->direction[2][lane]);
    mo_mesh_ray_init(&r->mesh_ray, &batch->def->options, &r->origin, &r->direction, NULL);
    r->mesh_ray.min_t = rays->min_t[lane];
  } while (!prepare_ray(batch->mesh, r, rays->max_t[lane]));
  mo_mesh_hit_init(&r->best, rays->max_t[lane]);
  return true;
}

/* Starts the next ray of the block, at the root. Returns false if there is none. */
MO_INLINE bool start_ray(ray_block *b, interleaved_ray *r, mo_ray_goal goal) {
  if (!take_next_ray(b, r)) {
    return false;
  }
  const mo_ray *ray = &r->prepared;
  r->lanes = mo_broadcast_ray(ray);
  r->cull_t = mo_ray_scaled_max_t(ray, r->best.max_t);
  uint32_t signs = ray->signs;
  bool reverse = goal != MO_GOAL_ANY && signs > 3;
  r->order_word = reverse ? 7 - signs : signs;
  r->order_direction = mo_lane_order_direction_of(!reverse);
  r->child = 0;
  r->count = 0;
  return true;
}

static inline void write_answer(ray_block *b, const interleaved_ray *r, bool any) {
  mo_answers8 *answers = &b->out[r->index_in_ray_block / 8];
  uint32_t lane = r->index_in_ray_block % 8;
  if (any) {
    answers->found |= 1u << lane;
  } else {
    mo_answers8_set_mesh_hit(answers, lane, &r->best);
  }
}

/* The result of one step of a ray's traversal. */
enum { RAY_CONTINUES, RAY_DONE, RAY_HIT };

/* Tests eight triangles of a leaf. For any-hit rays returns whether one is hit. */
MO_INLINE bool test_triangle_block(const mo_mesh *mesh, interleaved_ray *r,
                                   const mo_triangle_block *triangles, uint32_t at,
                                   mo_ray_goal goal) {
  mo_edge_products8 edges;
  uint32_t candidates = mo_ray_test_edges8(&r->shear, triangles->corner, r->mesh_ray.cull, &edges);
  if (candidates != 0) {
    candidates &= ~mo_u8_equal(triangles->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY);
  }
  if (candidates == 0) {
    return false;
  }
  mo_triangle_hits found;
  uint32_t hits =
      mo_ray_find_hits8(&r->prepared, triangles->corner, &edges, candidates, r->best.max_t,
                        r->mesh_ray.cull, goal != MO_GOAL_ANY, false, &found);
  if (hits != 0) {
    hits = mo_nondegenerate_lanes(triangles, triangles->corner, hits);
  }
  /* `true`: batches have no callbacks here, so hits are processed as on the fast path. */
  const mo_ray_trace trace = {mesh, &r->mesh_ray, NULL, &r->prepared, &r->best, NULL, NULL, true};
  for (; hits != 0; hits &= hits - 1) {
    if (mo_ray_process_hit(&trace, triangles, at, &found, __builtin_ctz(hits), 0, goal)) {
      return true;
    }
  }
  return false;
}

/* One step of a ray's traversal: visits a node, or tests one block of a leaf. */
MO_INLINE int step_ray(const mo_mesh *mesh, const mo_tree_arrays *tree, mo_mesh_format format,
                       interleaved_ray *r, mo_ray_goal goal) {
  if (!mo_child_is_leaf(r->child)) {
    mo_child_buffer computed;
    const mo_node_links node = mo_load_links(tree, format, r->child, &computed);
    mo_ray_slabs slabs =
        mo_node_slabs(tree, format, r->child, &r->lanes, NULL, mo_f8_splat(r->cull_t));
    uint32_t order = goal == MO_GOAL_ANY ? *node.any_hit_order : node.order[r->order_word];
    mo_lane_choice met =
        mo_choose_lanes_le(slabs.near_t, slabs.far_t, mo_lane_order_of(order, r->order_direction));
    mo_lane_choice_store_u8(&r->pending[r->count], node.child, met);
    mo_lane_choice_store_f8(&r->t[r->count], slabs.near_t, met);
    r->count += met.count;
    if (met.count != 0) {
      r->child = r->pending[--r->count];
      return RAY_CONTINUES;
    }
  } else {
    uint32_t at = mo_child_index(r->child);
    mo_triangle_block expanded;
    const mo_triangle_block *triangles = mo_load_block(tree, format, at, &expanded);
    if (!r->has_shear) {
      mo_ray_prepare_triangles(&r->mesh_ray, &r->prepared);
      r->shear = mo_broadcast_shear(&r->prepared);
      r->has_shear = true;
    }
    if (test_triangle_block(mesh, r, triangles, at, goal)) {
      return RAY_HIT;
    }
    if (!(triangles->id[0] & MO_LANE_LAST_BLOCK)) {
      r->child = MO_CHILD_LEAF | mo_block_after(tree, format, at);
      return RAY_CONTINUES;
    }
    if (goal == MO_GOAL_CLOSEST) {
      r->cull_t = mo_ray_scaled_max_t(&r->prepared, r->best.max_t);
    }
  }
  do {
    if (r->count == 0) {
      return RAY_DONE;
    }
    r->count--;
  } while (r->t[r->count] > r->cull_t);
  r->child = r->pending[r->count];
  return RAY_CONTINUES;
}

MO_INLINE void trace_ray_block(ray_block *b, mo_mesh_format format, mo_ray_goal goal) {
  const mo_mesh *mesh = b->batch->mesh;
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, format);
  interleaved_ray rays[MO_INTERLEAVED_RAYS];
  interleaved_ray *running[MO_INTERLEAVED_RAYS];
  uint32_t count = 0;
  while (count < MO_INTERLEAVED_RAYS && start_ray(b, &rays[count], goal)) {
    running[count] = &rays[count];
    count++;
  }
  while (count > 0) {
    for (uint32_t i = 0; i < count; i++) {
      interleaved_ray *r = running[i];
      int result = step_ray(mesh, &tree, format, r, goal);
      if (result != RAY_CONTINUES) {
        write_answer(b, r, result == RAY_HIT);
        if (!start_ray(b, r, goal)) {
          running[i--] = running[--count];
          continue;
        }
      }
      mo_child_prefetch(&tree, format, r->child);
    }
  }
}

/* Not inlined, so that the stack frames of all formats and goals do not add up. */
static __attribute__((noinline)) void trace_full_closest(ray_block *b) {
  trace_ray_block(b, MO_MESH_FULL, MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) void trace_full_any(ray_block *b) {
  trace_ray_block(b, MO_MESH_FULL, MO_GOAL_ANY);
}

static __attribute__((noinline)) void trace_decoded_closest(ray_block *b) {
  trace_ray_block(b, mo_decoded_format(b->batch->mesh), MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) void trace_decoded_any(ray_block *b) {
  trace_ray_block(b, mo_decoded_format(b->batch->mesh), MO_GOAL_ANY);
}

void MO_ISA_FN(mo_batch_trace_incoherent)(const mo_batch *batch, mo_ray_chunk *chunk) {
  const mo_mesh *mesh = batch->mesh;
  size_t single = batch->goal == MO_GOAL_ANY ? MO_MAX_SINGLE_RAY_MESH_BYTES_ANY_HIT
                                             : MO_MAX_SINGLE_RAY_MESH_BYTES;
  if (batch->stats != NULL || mo_mesh_tree_bytes(mesh) <= single) {
    MO_ISA_FN(mo_batch_trace_singly)(batch, chunk);
    return;
  }
  const mo_reader reader = mo_reader_of(batch);
  ray_block b;
  b.batch = batch;
  for (uint32_t first = 0; first < chunk->count; first += 8 * MO_GROUPS_PER_RAY_BLOCK) {
    uint32_t rest = chunk->count - first, count = (rest + 7) / 8;
    count = count < MO_GROUPS_PER_RAY_BLOCK ? count : MO_GROUPS_PER_RAY_BLOCK;
    b.ray_count = 8 * count;
    b.next = 0;
    for (uint32_t e = 0; e < count; e++) {
      uint32_t i = first + 8 * e, zero_directions;
      mo_reader_read8(&reader, chunk->first + i, chunk->count - i, &b.in[e]);
      mo_answers8_clear(&b.out[e]);
      if (!mo_batch_accepts8_fast(batch, chunk, i, &b.in[e], &zero_directions)) {
        return; /* a ray is illegal: the call fails, and its outputs are undefined */
      }
      b.skipped_lanes[e] =
          zero_directions | (chunk->count - i < 8 ? 0xffu << (chunk->count - i) : 0);
    }
    if (batch->goal == MO_GOAL_ANY) {
      mesh->format == MO_MESH_FULL ? trace_full_any(&b) : trace_decoded_any(&b);
    } else {
      mesh->format == MO_MESH_FULL ? trace_full_closest(&b) : trace_decoded_closest(&b);
    }
    for (uint32_t e = 0; e < count; e++) {
      mo_batch_write8(batch, chunk, first + 8 * e, &b.out[e]);
    }
  }
}
