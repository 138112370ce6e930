/* Traces packets of rays through the shape octree. Compiled once per instruction set.
 *
 * A packet descends as in a mesh (batch/packet.h): boxes are tested against the interval of all its
 * rays. The rays that hit the box of a shape are transformed to its space. Coherent rays form a
 * packet again there, which is traced through the mesh. Rays are traced one by one if there are few
 * of them, if the transform keeps them off the fast path, and against all convex shapes. Local rays
 * are those of single queries, bit for bit: the same operations, in the same order.
 *
 * Why a traversal of its own: images of 300 instances are traced at twice the rate of single
 * rays. */
#include "base/prefetch.h"
#include "batch/packet.h"
#include "batch/scene.h"
#include "octree/order.h"
#include "query/ray/shape_ray.h"

enum { MAX_PACKET_RAYS = 8 * MO_PACKET_GROUPS };

/* Candidates are shapes whose boxes the packet hits. */
enum { MAX_CANDIDATE_SHAPES = 64 };

typedef struct candidate_shape {
  float t;
  mo_shape_place place;
} candidate_shape;

typedef struct pending_node {
  uint32_t child;
  float t;
} pending_node;

/* The traversal of a scene by a packet of rays. */
typedef struct scene_packet_tracer {
  const mo_batch *batch;
  const mo_scene *scene;
  mo_packet *packet;
  candidate_shape candidates[MAX_CANDIDATE_SHAPES];
  uint32_t count; /* number of candidates */
  float reach[3]; /* equal on all axes: largest coordinate of origins plus that of boxes */
  mo_rays8 local_rays[MO_PACKET_GROUPS]; /* the rays of the packet in the space of a shape */
  uint8_t
      ray_index[MAX_PACKET_RAYS]; /* the rays of the local packet: their indices in the packet */
  mo_packet local_packet;
} scene_packet_tracer;

/* --- answers --- */

static inline void record_any_hit(mo_ray_group *group, uint32_t lane) {
  group->found |= 1u << lane;
  group->rays.max_t[lane] = -INFINITY;
}

static inline void record_closest_hit(mo_ray_group *group, uint32_t lane, float t, uint32_t slot,
                                      uint32_t triangle) {
  if (t < group->rays.max_t[lane] || slot < group->shape[lane]) {
    group->rays.max_t[lane] = t;
    group->found_in_mesh_space |= 1u << lane;
    group->shape[lane] = slot;
    group->triangle[lane] = triangle;
  }
}

/* --- single rays --- */

static void trace_single(scene_packet_tracer *w, uint32_t slot, uint32_t ray) {
  mo_ray_group *group = &w->packet->group[ray / 8];
  const mo_batch *batch = w->batch;
  uint32_t lane = ray % 8;
  const mo_ray_def def = mo_batch_ray(batch, &group->rays, lane);
  mo_scene_ray query;
  mo_scene_ray_init(&query, w->scene, &def, batch->goal, batch->stats);
  query.max_t += 0.0f; /* turns -0 into +0 */
  bool any = false;
  if (batch->goal == MO_GOAL_CLOSEST) {
    query.shape = group->shape[lane];
    query.triangle = group->triangle[lane];
  }
  if (batch->stats != NULL) {
    any = mo_scene_ray_test_shape(&query, slot);
  } else {
    mo_scene_ray_prepare_fast(&query);
    any = batch->goal == MO_GOAL_ANY ? mo_scene_ray_test_shape_fast(&query, slot, MO_GOAL_ANY)
                                     : mo_scene_ray_test_shape_fast(&query, slot, MO_GOAL_CLOSEST);
  }
  if (batch->goal == MO_GOAL_ANY) {
    if (any) {
      record_any_hit(group, lane);
    }
  } else {
    bool kept = query.max_t == group->rays.max_t[lane] && query.shape == group->shape[lane];
    group->found_in_mesh_space &= ~((uint32_t)!kept << lane);
    group->rays.max_t[lane] = query.max_t;
    group->shape[lane] = query.shape;
    group->triangle[lane] = query.triangle;
  }
}

static void trace_rays_singly(scene_packet_tracer *w, uint32_t slot, uint64_t rays) {
  for (; rays != 0; rays &= rays - 1) {
    trace_single(w, slot, (uint32_t)__builtin_ctzll(rays));
  }
}

/* --- packets in the space of a shape --- */

/* Transforms the rays of a group to the space of a shape, as mo_affine_ray_to_local does. */
static inline void transform_group(scene_packet_tracer *w, const mo_affine *affine, uint32_t g) {
  const mo_rays8 *rays = &w->packet->group[g].rays;
  mo_rays8 *in = &w->local_rays[g];
  const mo_vec3 *from = &affine->to_world.origin;
  const double origin[3] = {from->x, from->y, from->z};
  for (uint32_t i = 0; i < 8; i += 4) {
    mo_d4 o[3], d[3];
    for (int axis = 0; axis < 3; axis++) {
      double at = origin[axis];
      o[axis] = __builtin_convertvector(mo_f4_load(&rays->origin[axis][i]), mo_d4) -
                (mo_d4){at, at, at, at};
      d[axis] = __builtin_convertvector(mo_f4_load(&rays->direction[axis][i]), mo_d4);
    }
    for (int axis = 0; axis < 3; axis++) {
      const double row[3] = {affine->inverse[0][axis], affine->inverse[1][axis],
                             affine->inverse[2][axis]};
      mo_d4 x = {row[0], row[0], row[0], row[0]}, y = {row[1], row[1], row[1], row[1]},
            z = {row[2], row[2], row[2], row[2]};
      mo_f4 local_origin = __builtin_convertvector(x * o[0] + y * o[1] + z * o[2], mo_f4);
      mo_f4 local_direction = __builtin_convertvector(x * d[0] + y * d[1] + z * d[2], mo_f4);
      memcpy(&in->origin[axis][i], &local_origin, sizeof local_origin);
      memcpy(&in->direction[axis][i], &local_direction, sizeof local_direction);
    }
  }
  memcpy(in->min_t, rays->min_t, sizeof in->min_t);
  memcpy(in->max_t, rays->max_t, sizeof in->max_t);
}

/* Forces rounded values to be read back from memory, so that GCC cannot reuse the unrounded ones:
 * see tests/math/rounding.c. */
MO_INLINE void force_rounding(scene_packet_tracer *w) {
  __asm__("" : "+m"(w->local_rays));
}

/* The direction class of a local ray, with the main axis that mo_ray_init chooses. */
static uint32_t local_direction_class(const scene_packet_tracer *w, const mo_affine *affine,
                                      uint32_t ray) {
  const mo_rays8 *in = &w->local_rays[ray / 8];
  float d[3];
  double size[3];
  uint32_t signs = 0;
  float sum = 0.0f;
  bool near = true;
  for (int axis = 0; axis < 3; axis++) {
    d[axis] = in->direction[axis][ray % 8];
    size[axis] = fabs((double)d[axis]);
    signs |= (uint32_t)(signbit(d[axis]) != 0) << axis;
    sum += fabsf(d[axis]);
    near = near && fabsf(in->origin[axis][ray % 8]) <= 0x1p60f;
  }
  uint32_t k = mo_shear_axes[mo_size_order_bits(size[0] * affine->axis_sizes.x,
                                                size[1] * affine->axis_sizes.y,
                                                size[2] * affine->axis_sizes.z)][2];
  return near && sum <= 0x1p20f && fabsf(d[k]) >= 0x1p-20f ? k << 3 | signs
                                                           : DIRECTION_CLASS_TRACED_ALONE;
}

/* Bit mask of the rays of a group that are certainly of this direction class. */
static inline uint32_t rays_of_direction_class(const scene_packet_tracer *w,
                                               const float axis_sizes[3], uint32_t direction_class,
                                               uint32_t g) {
  mo_f8 size[3], sum = mo_f8_splat(0.0f);
  mo_m8 legal = mo_f8_le(sum, sum);
  uint32_t other = 0, k = direction_class >> 3;
  for (uint32_t axis = 0; axis < 3; axis++) {
    mo_f8 d = mo_f8_load(w->local_rays[g].direction[axis]),
          o = mo_f8_load(w->local_rays[g].origin[axis]);
    other |= mo_f8_signs(d) ^ (direction_class >> axis & 1 ? 0xffu : 0u);
    size[axis] = mo_f8_abs(d);
    sum = mo_f8_add(sum, size[axis]);
    legal = mo_m8_and(legal, mo_f8_le(mo_f8_abs(o), mo_f8_splat(0x1p60f)));
  }
  legal = mo_m8_and(legal, mo_m8_and(mo_f8_le(sum, mo_f8_splat(0x1p20f)),
                                     mo_f8_le(mo_f8_splat(0x1p-20f), size[k])));
  /* The main component must exceed the others by more than the rounding errors of these products.
   */
  mo_f8 max = mo_f8_mul(size[k], mo_f8_splat(axis_sizes[k] * 0.999999f));
  for (uint32_t axis = 0; axis < 3; axis++) {
    if (axis != k) {
      legal = mo_m8_and(legal, mo_f8_lt(mo_f8_mul(size[axis], mo_f8_splat(axis_sizes[axis])), max));
    }
  }
  return mo_m8_bits(legal) & ~other & 0xff;
}

/* Copies the hits of the `count` rays of `local_packet` to the packet. */
static void scatter_hits(scene_packet_tracer *w, uint32_t slot, uint32_t count) {
  if (!w->local_packet.prepared) {
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    const mo_ray_group *from = &w->local_packet.group[i / 8];
    mo_ray_group *to = &w->packet->group[w->ray_index[i] / 8];
    if (w->batch->goal == MO_GOAL_ANY) {
      if (from->found >> i % 8 & 1) {
        record_any_hit(to, w->ray_index[i] % 8);
      }
    } else if (from->triangle[i % 8] != MO_NO_TRIANGLE) {
      record_closest_hit(to, w->ray_index[i] % 8, from->rays.max_t[i % 8], slot,
                         from->triangle[i % 8]);
    }
  }
}

/* The options for tracing the local packet through the mesh of a shape. */
static inline mo_packet_query query_of(const mo_batch *batch, const mo_shape *shape,
                                       uint32_t slot) {
  const mo_ray_def *options = &batch->def->options;
  bool ignores = options->ignore_triangle_shape.index == slot &&
                 options->ignore_triangle_shape.generation == shape->generation;
  return (mo_packet_query){
      .mesh = shape->geometry.mesh,
      .goal = batch->goal,
      .cull = options->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE,
      .ignore = ignores ? options->ignore_triangle : MO_NO_TRIANGLE,
      .want_weights = batch->want_weights,
      .stats = batch->stats,
  };
}

static void trace_as_packets(scene_packet_tracer *w, const mo_shape *shape, uint32_t slot,
                             uint64_t rays) {
  const mo_affine *affine = &shape->affine;
  const float axis_sizes[3] = {affine->axis_sizes.x, affine->axis_sizes.y, affine->axis_sizes.z};
  const mo_packet_query query = query_of(w->batch, shape, slot);
  for (uint32_t g = 0; g < w->packet->group_count; g++) {
    if ((rays >> 8 * g & 0xff) != 0) {
      transform_group(w, affine, g);
    }
  }
  force_rounding(w);
  while (rays != 0) {
    uint32_t first = (uint32_t)__builtin_ctzll(rays),
             direction_class = local_direction_class(w, affine, first);
    uint64_t alike = (uint64_t)1 << first;
    for (uint32_t g = first / 8;
         direction_class != DIRECTION_CLASS_TRACED_ALONE && g < w->packet->group_count; g++) {
      if ((rays >> 8 * g & 0xff) != 0) {
        alike |= (uint64_t)rays_of_direction_class(w, axis_sizes, direction_class, g) << 8 * g;
      }
    }
    alike &= rays;
    rays ^= alike;
    uint32_t count = (uint32_t)__builtin_popcountll(alike);
    if (count <= MO_MAX_RAYS_TRACED_SINGLY) {
      trace_rays_singly(w, slot, alike);
      continue;
    }
    gather_rays(w->local_rays, alike, &w->local_packet, w->ray_index);
    set_packet_direction_class(&w->local_packet, direction_class);
    MO_ISA_FN(mo_packet_trace)(&query, &w->local_packet);
    scatter_hits(w, slot, count);
  }
}

/* --- shapes --- */

static void prepare_packet_for_shapes(scene_packet_tracer *w) {
  mo_packet *packet = w->packet;
  prepare_packet(packet, w->reach, MO_SCENE_RAY_MARGIN);
  for (uint32_t g = 0; g < packet->group_count; g++) {
    packet->group[g].found_in_mesh_space = 0;
    for (int lane = 0; lane < 8; lane++) {
      packet->group[g].shape[lane] = MO_NONE;
    }
  }
}

static void test_shape(scene_packet_tracer *w, mo_shape_place place) {
  mo_packet *packet = w->packet;
  const mo_scene *scene = w->scene;
  const mo_shape_block *block = mo_shape_block_at(scene, place >> 3);
  const mo_ray_def *options = &w->batch->def->options;
  uint32_t slot = block->shape[place & 7];
  const mo_shape *shape = &scene->shapes[slot];
  mo_shape_type type = shape->geometry.type;
  if (!packet->prepared) {
    prepare_packet_for_shapes(w);
  }
  uint64_t rays = 0;
  const uint32_t met = mo_groups_that_may_hit_box(packet, &block->bounds, place & 7);
  for (uint32_t groups = met; groups != 0; groups &= groups - 1) {
    uint32_t g = (uint32_t)__builtin_ctz(groups);
    rays |= (uint64_t)mo_rays_that_hit_box(packet, &packet->group[g], &block->bounds, place & 7)
            << 8 * g;
  }
  if (rays == 0 || (type == MO_SHAPE_VOLUME && !options->hit_volumes) ||
      !mo_filter_passes(scene, &options->filter, slot)) {
    return;
  }
  if (type == MO_SHAPE_MESH && shape->affine.invertible &&
      __builtin_popcountll(rays) > MO_MAX_RAYS_TRACED_SINGLY) {
    if (w->batch->stats != NULL) {
      w->batch->stats->shape_count += (uint64_t)__builtin_popcountll(rays);
    }
    trace_as_packets(w, shape, slot, rays);
  } else {
    trace_rays_singly(w, slot, rays);
  }
  update_max_t(packet, met);
}

/* Tests all rays against half-spaces, which are not in the tree. */
static __attribute__((noinline)) void test_unbounded(scene_packet_tracer *w) {
  mo_packet *packet = w->packet;
  const uint32_t *slots, count = mo_scene_unbounded(w->scene, &slots);
  if (!packet->prepared) {
    prepare_packet_for_shapes(w);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint64_t rays = 0;
    for (uint32_t g = 0; g < packet->group_count; g++) {
      rays |= (uint64_t)(0xff & ~packet->group[g].found) << 8 * g;
    }
    trace_rays_singly(w, slots[i], rays);
    update_max_t(packet, (1u << packet->group_count) - 1);
  }
}

static inline uint32_t nearest_candidate(const scene_packet_tracer *w) {
  uint32_t nearest = 0;
  for (uint32_t i = 1; i < w->count; i++) {
    nearest = w->candidates[i].t < w->candidates[nearest].t ? i : nearest;
  }
  return nearest;
}

static inline void test_candidate(scene_packet_tracer *w, uint32_t which) {
  mo_shape_place place = w->candidates[which].place;
  w->candidates[which] = w->candidates[--w->count];
  test_shape(w, place);
}

/* Bit mask of the boxes that a packet may hit; `t` receives where it may enter each. */
static inline uint32_t find_hit_boxes(const mo_packet *packet, const mo_ray_intervals *intervals,
                                      const mo_bounds8 *bounds, float t[MO_LANE_COUNT]) {
  const float *floats = &bounds->lower[0][0];
  mo_f8 enter[3], leave[3];
  for (int axis = 0; axis < 3; axis++) {
    enter[axis] = mo_f8_load(floats + packet->enter[axis]);
    leave[axis] = mo_f8_load(floats + packet->leave[axis]);
  }
  mo_ray_slabs slabs =
      mo_slabs_of_intervals(intervals, enter, leave, mo_f8_splat(packet->packet_max_t));
  mo_f8_store(t, slabs.near_t);
  return mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
}

static void collect_candidates(scene_packet_tracer *w, const mo_ray_intervals *intervals,
                               uint32_t first) {
  uint32_t b = first;
  do {
    const mo_shape_block *block = mo_shape_block_at(w->scene, b);
    alignas(MO_ALIGNMENT) float t[MO_LANE_COUNT];
    if (w->batch->stats != NULL) {
      w->batch->stats->scene_block_count++;
    }
    for (uint32_t met = find_hit_boxes(w->packet, intervals, &block->bounds, t); met != 0;
         met &= met - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(met);
      mo_prefetch(&w->scene->shapes[block->shape[lane]], 1);
      w->candidates[w->count++] = (candidate_shape){t[lane], b << 3 | lane};
    }
    b = block->next;
    while (w->count > MAX_CANDIDATE_SHAPES - MO_LANE_COUNT) {
      test_candidate(w, nearest_candidate(w));
    }
  } while (b != MO_NONE);
}

/* Traverses the octree as query/ray/trace_kernel.c does for one ray. */
static void traverse(scene_packet_tracer *w, const mo_ray_intervals *intervals) {
  const mo_packet *packet = w->packet;
  const uint32_t flip = mo_octant_mask_of_signs(packet->signs);
  pending_node stack[MO_SCENE_STACK_SIZE];
  uint32_t depth = 0, child = w->scene->root;
  for (;;) {
    if (mo_child_is_leaf(child)) {
      collect_candidates(w, intervals, mo_child_index(child));
    } else {
      const mo_scene_node *node = mo_scene_node_at(w->scene, child);
      alignas(MO_ALIGNMENT) float t[MO_LANE_COUNT];
      if (w->batch->stats != NULL) {
        mo_count_scene_node(w->batch->stats, child);
      }
      uint32_t met = find_hit_boxes(packet, intervals, &node->bounds, t);
      for (uint32_t i = MO_LANE_COUNT; i-- > 0;) {
        uint32_t octant = i ^ flip;
        if (met >> octant & 1) {
          stack[depth++] = (pending_node){node->child[octant], t[octant]};
        }
      }
      if (node->items != MO_NONE) {
        collect_candidates(w, intervals, node->items);
      }
    }
    float next_t;
    do {
      next_t = depth != 0 ? stack[depth - 1].t : INFINITY;
      while (w->count != 0) {
        uint32_t nearest = nearest_candidate(w);
        if (w->candidates[nearest].t > packet->packet_max_t) {
          w->count = 0;
        } else if (w->candidates[nearest].t > next_t) {
          break;
        } else {
          test_candidate(w, nearest);
        }
      }
      if (depth == 0) {
        return;
      }
      depth--;
    } while (next_t > packet->packet_max_t);
    child = stack[depth].child;
  }
}

void MO_ISA_FN(mo_scene_trace_packet)(const mo_batch *batch, mo_packet *packet) {
  const mo_scene *scene = batch->subject;
  scene_packet_tracer w;
  w.batch = batch;
  w.scene = scene;
  w.packet = packet;
  w.count = 0;
  packet_intervals all;
  (void)find_packet_intervals(packet, &all);
  /* Rotations mix the axes, so all axes have the same margin, as in mo_scene_ray_prepare. */
  float max = 0.0f;
  for (int axis = 0; axis < 3; axis++) {
    const intervals8 *o = &all.origin[axis];
    max = mo_max(max, mo_max(fabsf(first_lane(o->min)), fabsf(first_lane(o->max))));
  }
  max += mo_scene_max_coordinate(scene);
  w.reach[0] = w.reach[1] = w.reach[2] = max;
  prepare_packet_intervals(packet, &all, w.reach, MO_SCENE_RAY_MARGIN);
  const mo_ray_intervals intervals = packet->intervals;
  if (__builtin_expect(scene->unbounded_count != 0, 0)) {
    test_unbounded(&w);
  }
  traverse(&w, &intervals);
}

void MO_ISA_FN(mo_scene_answer_packet)(const mo_batch *batch, const mo_packet *packet,
                                       uint32_t group, mo_answers8 *answers) {
  const mo_ray_group *g = &packet->group[group];
  if (!set_group_answers(packet, g, batch->goal, g->shape, answers)) {
    return;
  }
  answers->front = 0;
  answers->found_in_mesh_space = g->found_in_mesh_space;
  memcpy(answers->shape, g->shape, sizeof answers->shape);
  for (uint32_t hits = batch->want_weights ? answers->found : 0; hits != 0; hits &= hits - 1) {
    mo_scene_batch_find_weights(batch, &g->rays, (uint32_t)__builtin_ctz(hits), answers);
  }
}
