/* Usual rays of a batch through the shape octree, many at a time; compiled once per instruction
 * set.
 *
 * A ray by itself spends its time on guesses (is there a child, is the next thing a node or a
 * shape, does it meet anything there?) and on waiting for memory. Here many rays are under way, and
 * go on in stages: first the nodes of all of them, then the blocks of shapes below these, then the
 * shapes that are nearest, down to the roots of their meshes, and then the meshes of the rays that
 * meet something there. What a stage has to do is a list, to which the stage before has appended
 * without a branch; so there is nothing to guess, the work on one ray overlaps with that on others,
 * and what is farther down in a list is asked for in time. Meshes are gone through in the same way,
 * nodes and then leaves, unless they are so large that it matters which is nearer.
 *
 * The order in which each ray takes nodes and shapes is that of query/ray.c, but that the root and
 * the first wave below it come together, and so is what it computes in each. */
#include "base/inline.h"
#include "base/mask.h"
#include "mesh/batch_usual.h"
#include "mesh/leaf.h"
#include "octree/order.h"
#include "query/batch_scene.h"
#include "query/shape_ray.h"

/* Rays under way, and how many nodes of one of them are taken at a time. */
enum { RUNNERS = 32, WAVE = 4 };

/* A ray with more nodes waiting takes them one by one, and so has no more than 7 for each level of
 * the octree. */
enum { MANY_WAITING = 40, WAITING = MANY_WAITING + WAVE * MO_WIDTH + 7 * MO_SCENE_MAX_DEPTH };

/* Shapes whose boxes a ray meets. */
enum { CANDIDATES = 24 };

/* How far ahead in a list memory is asked for: of scenes and of meshes, which are nearer. */
enum { AHEAD = 6, MESH_AHEAD = 3 };

typedef struct runner {
  const float *rows; /* of the ray, as culling has it: of mo_usual8, its lane */
  const float *ray;  /* as it was given: of mo_rays8, its lane */
  float max_t;       /* of the best hit so far */
  uint32_t signs;
  uint32_t waiting_count, candidate_count;
  uint32_t shape, triangle;
  float u, v;
  bool front, any;
  uint16_t place;
  /* Appending writes eight places, whatever it keeps. After the last candidate there are eight at
   * infinity; the last place of all is for what is not kept. */
  alignas(MO_ALIGNMENT) float candidate_t[CANDIDATES + 2 * MO_WIDTH];
  uint32_t candidate[CANDIDATES + 2 * MO_WIDTH];
  /* Nodes that wait, from place 1 on; at place 0 one that never ends the search for them. */
  float t[1 + WAITING + MO_WIDTH];
  uint32_t child[1 + WAITING + MO_WIDTH];
} runner;

/* A ray in the space of a shape. */
typedef struct entry {
  mo_mesh_ray query;
  mo_vec3 origin, direction;
  const mo_shape *shape;
  const mo_mesh *mesh;
  uint32_t slot;
  uint32_t runner;
  bool apart;   /* goes through the mesh by itself */
  bool sheared; /* ready for triangles */
  bool any;
} entry;

/* Nodes and leaves of meshes that rays meet, in one round. */
enum { MESH_NODES = 16 * RUNNERS, MESH_LEAVES = 16 * RUNNERS };

enum { NODES = WAVE * RUNNERS, BLOCKS = (1 + MO_WIDTH) * (NODES + RUNNERS) };

/* In the lists, runners are by their bytes from the first: that saves multiplications. */
typedef struct flow {
  const mo_lot *lot;
  const mo_batch *batch;
  const mo_scene *scene;
  const mo_scene_node *nodes;
  const mo_shape_block *blocks;
  const mo_shape *shapes;
  mo_ray_usual usual;
  /* Rays of the lot that may meet something, or are not usual, and how many have been started. */
  uint32_t ray_count, next;
  uint16_t ray[8 * MO_LOT_EIGHTS];
  bool far;         /* nodes and blocks are too many to be in the cache */
  bool records_far; /* likewise records */
  /* The lists of the stages. */
  uint32_t node_count, block_count, shape_count, done_count;
  uint32_t node[NODES + WAVE], node_runner[NODES + WAVE];
  uint32_t block[BLOCKS + MO_WIDTH], block_runner[BLOCKS + MO_WIDTH];
  uint32_t shape[RUNNERS + 1], shape_runner[RUNNERS + 1];
  uint32_t done[RUNNERS + 1];
  uint32_t mesh_node_count, mesh_leaf_count;
  uint32_t mesh_node[MESH_NODES + MO_WIDTH], mesh_node_entry[MESH_NODES + MO_WIDTH];
  uint32_t mesh_leaf[MESH_LEAVES + MO_WIDTH], mesh_leaf_entry[MESH_LEAVES + MO_WIDTH];
  float mesh_leaf_t[MESH_LEAVES + MO_WIDTH];
  uint32_t live[RUNNERS + 1];
  entry entries[RUNNERS];
  runner runners[RUNNERS];
  mo_rays8 rays[MO_LOT_EIGHTS];
  mo_usual8 ready[MO_LOT_EIGHTS];
  /* For a ray and a shape that are not usual. */
  mo_ray_def def;
  mo_scene_ray single;
} flow;

MO_INLINE runner *runner_at(flow *f, uint32_t bytes) {
  return (runner *)(void *)((char *)f->runners + bytes);
}

MO_INLINE void ask(const void *memory, size_t bytes) {
  for (size_t at = 0; at < bytes; at += MO_ALIGNMENT) {
    __builtin_prefetch((const char *)memory + at);
  }
}

/* A number if it is there, or else infinity: without a branch. */
MO_INLINE float number_or_infinity(uint32_t yes, float number) {
  const float infinity = INFINITY;
  uint32_t bits, others, mask = mo_mask_of(yes);
  memcpy(&bits, &number, sizeof bits);
  memcpy(&others, &infinity, sizeof others);
  bits = (bits & mask) | (others & ~mask);
  memcpy(&number, &bits, sizeof number);
  return number;
}

MO_INLINE entry *entry_at(flow *f, uint32_t bytes) {
  return (entry *)(void *)((char *)f->entries + bytes);
}

/* Nodes and blocks up to this many bytes are mostly at hand. */
#define NEAR_BYTES ((size_t)1 << 20)

/* Rays. */

/* Those of eight rays that may meet a box: the same test as that of eight boxes. */
MO_INLINE uint32_t meet_box(const mo_usual8 *rays, const float *max_t, mo_aabb box) {
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

/* Those that may meet a shape, if there are few, or the box around them all. */
static inline uint32_t meet_scene(const flow *f, const mo_usual8 *rays, const float *max_t) {
  const mo_scene *scene = f->scene;
  if (mo_child_is_leaf(scene->root)) {
    const mo_shape_block *block = &f->blocks[mo_child_index(scene->root)];
    if (block->next == MO_NONE) {
      uint32_t met = 0;
      for (uint32_t i = 0; i < block->count; i++) {
        met |= meet_box(rays, max_t, mo_bounds8_get(&block->bounds, (int)i));
      }
      return met;
    }
  }
  return meet_box(rays, max_t, scene->root_bounds);
}

/* The rays of the lot in its order. */
static void make_ready(flow *f) {
  const mo_lot *lot = f->lot;
  uint32_t count = 0;
  for (uint32_t i = 0; i < lot->count; i += 8) {
    mo_rays8 *rays = &f->rays[i / 8];
    mo_usual8 *ready = &f->ready[i / 8];
    for (uint32_t lane = 0; lane < 8; lane++) {
      uint32_t from = lot->order[i + lane < lot->count ? i + lane : i];
      const float *row = &lot->in[from / 8].origin[0][from % 8];
      float *to = &rays->origin[0][lane];
      for (int j = 0; j < 8; j++) {
        to[8 * j] = row[8 * j];
      }
    }
    mo_usual8_init(ready, rays, &f->usual, MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN);
    uint32_t going = ~ready->usual | meet_scene(f, ready, rays->max_t);
    for (uint32_t lane = 0; lane < 8 && i + lane < lot->count; lane++) {
      f->ray[count] = (uint16_t)(i + lane);
      count += going >> lane & 1;
    }
  }
  f->ray_count = count;
}

/* What mo_spread_ray makes of a ray. */
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

MO_INLINE mo_vec3 origin_of(const runner *r) {
  return mo_vec(r->ray[0], r->ray[8], r->ray[16]);
}

MO_INLINE mo_vec3 direction_of(const runner *r) {
  return mo_vec(r->ray[24], r->ray[32], r->ray[40]);
}

static inline float min_t_of(const runner *r) {
  return r->ray[48];
}

/* Gives a runner the next ray of the lot that is usual. False if there is none. */
MO_INLINE bool start(flow *f, runner *r) {
  const mo_lot *lot = f->lot;
  uint32_t i;
  for (;; f->next++) {
    if (f->next == f->ray_count) {
      return false;
    }
    i = f->ray[f->next];
    if (__builtin_expect(f->ready[i / 8].usual >> i % 8 & 1, 1)) {
      break;
    }
    uint32_t place = lot->order[i];
    f->batch->way->ray(f->batch, &lot->in[place / 8], place % 8, &lot->out[place / 8]);
  }
  f->next++;
  uint32_t lane = i % 8;
  const mo_usual8 *ready = &f->ready[i / 8];
  r->place = lot->order[i];
  r->rows = &ready->near_shift[0][lane];
  r->ray = &f->rays[i / 8].origin[0][lane];
  r->signs = (ready->signs[0] >> lane & 1) | (ready->signs[1] >> lane & 1) << 1 |
             (ready->signs[2] >> lane & 1) << 2;
  r->max_t = r->ray[56] + 0.0f; /* no -0 */
  r->shape = MO_NONE;
  r->triangle = MO_NO_TRIANGLE;
  r->u = r->v = 0.0f;
  r->front = r->any = false;
  r->waiting_count = r->candidate_count = 0;
  mo_f8_store(r->candidate_t, mo_f8_all(INFINITY));
  return true;
}

static inline void finish(const flow *f, const runner *r, mo_ray_goal goal) {
  mo_answers8 *answers = &f->lot->out[r->place / 8];
  uint32_t lane = r->place % 8;
  if (goal == MO_GOAL_ANY) {
    answers->found |= (uint32_t)r->any << lane;
    return;
  }
  uint32_t found = r->shape != MO_NONE;
  answers->found |= found << lane;
  answers->front |= (uint32_t)(r->front & found) << lane;
  answers->t[lane] = number_or_infinity(found, r->max_t);
  answers->triangle[lane] = r->triangle;
  answers->shape[lane] = r->shape;
  answers->u[lane] = r->u;
  answers->v[lane] = r->v;
}

/* One has been hit: the ray meets nothing any more. */
static inline void stop(runner *r) {
  r->any = true;
  r->max_t = -1.0f;
}

/* A ray and a shape by themselves: solids, and where there are too many. Also where the one is not
 * usual for the other, which is known only once the filter has let the shape pass; it is not asked
 * again. */
static __attribute__((noinline)) void test_alone(flow *f, runner *r, uint32_t slot, bool passed,
                                                 mo_ray_goal goal) {
  mo_scene_ray *query = &f->single;
  f->def.origin = origin_of(r);
  f->def.direction = direction_of(r);
  f->def.min_t = min_t_of(r);
  f->def.max_t = r->max_t;
  mo_scene_ray_init(query, f->scene, &f->def, goal, NULL, false);
  mo_scene_ray_set_usual(query);
  query->world = (mo_world_ray){mo_widen(f->def.origin), mo_widen(f->def.direction)};
  query->shape = r->shape;
  query->triangle = r->triangle;
  query->u = r->u;
  query->v = r->v;
  query->front = r->front;
  if (passed ? mo_scene_ray_unusual(query, slot) : mo_scene_ray_usual_shape(query, slot, goal)) {
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

/* Stages. */

/* Visits a node: its children wait, and lists of blocks are appended to those that there are.
 * Returns how many there are then. */
MO_INLINE uint32_t visit_node(flow *f, uint32_t which, uint32_t index, uint32_t blocks) {
  runner *r = runner_at(f, which);
  const mo_scene_node *node = &f->nodes[index];
  const mo_ray_lanes lanes = spread(r);
  mo_ray_slabs slabs = mo_cull_ray_slabs(&lanes, &node->bounds, mo_f8_all(r->max_t));
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
      uint32_t ahead = f->node[i + AHEAD < count ? i + AHEAD : i];
      ask(&f->nodes[ahead], sizeof(mo_scene_node));
    }
    blocks = visit_node(f, f->node_runner[i], f->node[i], blocks);
  }
  f->block_count = blocks;
}

/* Lists the topmost of the nodes that wait for a ray, where the mask is all ones: the next that it
 * visits. */
MO_INLINE void list_wave(flow *f, uint32_t which, uint32_t waiting, uint32_t mask) {
  runner *r = runner_at(f, which);
  uint32_t nodes = f->node_count, wave = waiting < WAVE ? waiting : WAVE;
  wave = (waiting > MANY_WAITING ? 1 : wave) & mask;
  waiting -= wave;
  memcpy(&f->node[nodes], &r->child[waiting + 1], WAVE * sizeof(uint32_t));
  for (uint32_t j = 0; j < WAVE; j++) {
    f->node_runner[nodes + j] = which;
  }
  f->node_count = nodes + wave;
  r->waiting_count = waiting;
}

/* The nearest candidate, and where. */
MO_INLINE uint32_t nearest_of(const runner *r, float *t) {
  mo_f8 all = mo_f8_load(r->candidate_t);
  for (uint32_t i = MO_WIDTH; __builtin_expect(i < r->candidate_count, 0); i += MO_WIDTH) {
    all = mo_f8_min(all, mo_f8_load(&r->candidate_t[i]));
  }
  *t = mo_f8_least(all);
  uint32_t i = 0, least;
  do {
    least = mo_m8_bits(mo_f8_le(mo_f8_load(&r->candidate_t[i]), mo_f8_all(*t)));
    i += MO_WIDTH;
  } while (__builtin_expect(least == 0, 0));
  return i - MO_WIDTH + (uint32_t)__builtin_ctz(least);
}

/* Takes a candidate away where the mask is all ones. */
MO_INLINE void take(runner *r, uint32_t which, uint32_t mask) {
  const uint32_t nowhere = CANDIDATES + 2 * MO_WIDTH - 1;
  uint32_t last = r->candidate_count += mask;
  which = nowhere ^ ((which ^ nowhere) & mask);
  r->candidate[which] = r->candidate[last];
  r->candidate_t[which] = r->candidate_t[last];
  r->candidate_t[last] = INFINITY;
}

/* There are nearly too many candidates. */
static __attribute__((noinline)) void test_nearest(flow *f, runner *r, mo_ray_goal goal) {
  while (r->candidate_count > CANDIDATES - MO_WIDTH) {
    float t;
    uint32_t nearest = nearest_of(r, &t), slot = r->candidate[nearest];
    take(r, nearest, UINT32_MAX);
    if (t <= r->max_t) {
      test_alone(f, r, slot, false, goal);
    }
  }
}

/* The first blocks of all lists, then those that follow, and so on. */
MO_INLINE void visit_blocks(flow *f, mo_ray_goal goal) {
  for (uint32_t count = f->block_count; count != 0;) {
    uint32_t more = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (f->far) {
        uint32_t ahead = f->block[i + AHEAD < count ? i + AHEAD : i];
        ask(&f->blocks[mo_child_index(ahead)], sizeof(mo_shape_block));
      }
      uint32_t which = f->block_runner[i];
      runner *r = runner_at(f, which);
      const mo_shape_block *block = &f->blocks[mo_child_index(f->block[i])];
      f->block[more] = block->next;
      f->block_runner[more] = which;
      more += block->next != MO_NONE;
      const mo_ray_lanes lanes = spread(r);
      mo_ray_slabs slabs = mo_cull_ray_slabs(&lanes, &block->bounds, mo_f8_all(r->max_t));
      uint32_t met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t)), at = r->candidate_count;
      mo_u8_store_any(&r->candidate[at], mo_u8_compress(mo_u8_load(block->shape), met));
      mo_f8_store_any(&r->candidate_t[at], mo_f8_compress(slabs.near_t, met));
      at += (uint32_t)__builtin_popcount(met);
      mo_f8_store_any(&r->candidate_t[at], mo_f8_all(INFINITY));
      r->candidate_count = at;
      if (__builtin_expect(at > CANDIDATES - MO_WIDTH, 0)) {
        test_nearest(f, r, goal);
      }
    }
    count = more;
  }
}

/* What each ray does next: its nearest shape, if no node begins before it; or its next nodes; or it
 * is done. Returns how many are not. */
MO_INLINE uint32_t choose(flow *f, uint32_t live) {
  uint32_t shapes = 0, done = 0, going = 0;
  f->node_count = 0;
  for (uint32_t i = 0; i < live; i++) {
    uint32_t which = f->live[i];
    runner *r = runner_at(f, which);
    uint32_t waiting = r->waiting_count;
    while (__builtin_expect(r->t[waiting] > r->max_t, 0)) {
      waiting--;
    }
    float t, next_t = number_or_infinity(waiting != 0, r->t[waiting]);
    uint32_t nearest = nearest_of(r, &t);
    next_t = next_t < r->max_t ? next_t : r->max_t;
    uint32_t enter = mo_mask_of((uint32_t)(t <= next_t) & (uint32_t)(r->candidate_count != 0));
    f->shape[shapes] = r->candidate[nearest];
    f->shape_runner[shapes] = which;
    shapes -= enter;
    if (f->records_far) {
      ask(&f->shapes[r->candidate[nearest]], sizeof(mo_shape));
    }
    take(r, nearest, enter);
    uint32_t is_done = mo_mask_of(waiting == 0) & ~enter;
    list_wave(f, which, waiting, ~enter);
    f->done[done] = which;
    done -= is_done;
    f->live[going] = which;
    going += 1 + is_done;
  }
  f->shape_count = shapes;
  f->block_count = 0;
  f->done_count = done;
  return going;
}

/* Lists the children of a mesh node that a ray meets. Returns whether there are any. */
MO_INLINE uint32_t visit_mesh_node(flow *f, entry *e, uint32_t which, mo_mesh_format format,
                                   uint32_t node) {
  const mo_tree tree = mo_tree_of(e->mesh, format);
  const mo_ray_lanes lanes = mo_spread_ray(&e->query.ray);
  mo_ray_slabs slabs = mo_node_slabs(&tree, format, node, &lanes, NULL, mo_f8_all(e->query.max_t));
  mo_u8 child = mo_u8_load(mo_load_links(&tree, format, node).child);
  uint32_t met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
  uint32_t is_leaf = mo_u8_signs(child), inner = met & ~is_leaf, leaf = met & is_leaf;
  uint32_t nodes = f->mesh_node_count, leaves = f->mesh_leaf_count;
  mo_u8_store_any(&f->mesh_node[nodes], mo_u8_compress(child, inner));
  mo_u8_store_any(&f->mesh_node_entry[nodes], mo_u8_all(which));
  f->mesh_node_count = nodes + (uint32_t)__builtin_popcount(inner);
  mo_u8_store_any(&f->mesh_leaf[leaves], mo_u8_compress(child, leaf));
  mo_u8_store_any(&f->mesh_leaf_entry[leaves], mo_u8_all(which));
  mo_f8_store_any(&f->mesh_leaf_t[leaves], mo_f8_compress(slabs.near_t, leaf));
  f->mesh_leaf_count = leaves + (uint32_t)__builtin_popcount(leaf);
  return met;
}

MO_INLINE uint32_t visit_any_mesh_node(flow *f, entry *e, uint32_t which, uint32_t node) {
  return e->mesh->format == MO_MESH_FULL ? visit_mesh_node(f, e, which, MO_MESH_FULL, node)
                                         : visit_mesh_node(f, e, which, MO_MESH_COMPACT, node);
}

/* Meshes up to this many nodes are gone through without regard to what is nearer. */
enum { SMALL_MESH = 1024 };

/* Down to the roots of meshes: returns how many rays meet something there. */
MO_INLINE uint32_t enter_shapes(flow *f, mo_ray_goal goal) {
  const mo_ray_def *options = &f->batch->def->options;
  const uint32_t count = f->shape_count;
  uint32_t entered = 0;
  f->mesh_node_count = f->mesh_leaf_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = f->shape[i];
    const mo_shape *shape = &f->shapes[slot];
    runner *r = runner_at(f, f->shape_runner[i]);
    entry *e = entry_at(f, entered);
    if (__builtin_expect(shape->geometry.type != MO_SHAPE_MESH, 0)) {
      test_alone(f, r, slot, false, goal);
      continue;
    }
    if (!mo_filter_passes(f->scene, &options->filter, slot)) {
      continue;
    }
    const mo_mesh *mesh = shape->geometry.mesh;
    const mo_affine *affine = &shape->affine;
    mo_dvec3 v = mo_dsub(mo_widen(origin_of(r)), mo_widen(affine->to_world.origin));
    mo_f4 o = mo_affine_apply_inverse(affine, v);
    mo_f4 d = mo_affine_apply_inverse(affine, mo_widen(direction_of(r)));
    if (__builtin_expect(
            !mo_ray_init_usual_local(&e->query.ray, o, d, mo_affine_slopes(affine), &mesh->usual),
            0)) {
      test_alone(f, r, slot, true, goal);
      continue;
    }
    e->query.ray.near_t = r->rows[72];
    e->query.max_t = r->max_t;
    e->origin = mo_f4_vec(o);
    e->direction = mo_f4_vec(d);
    e->shape = shape;
    e->mesh = mesh;
    e->slot = slot;
    e->runner = f->shape_runner[i];
    e->apart = mesh->node_count > SMALL_MESH;
    e->sheared = e->any = false;
    uint32_t nodes = f->mesh_node_count, leaves = f->mesh_leaf_count;
    uint32_t met = visit_any_mesh_node(f, e, entered, 0);
    if (__builtin_expect(e->apart, 0)) {
      f->mesh_node_count = nodes;
      f->mesh_leaf_count = leaves;
    }
    entered += met != 0 ? (uint32_t)sizeof(entry) : 0;
  }
  return entered;
}

/* What is left of the query to set before triangles are tested. */
MO_INLINE void shear(const flow *f, entry *e, const runner *r) {
  const mo_ray_def *options = &f->batch->def->options;
  const mo_shape *shape = e->shape;
  mo_mesh_ray *query = &e->query;
  bool ignores = options->ignore_triangle != MO_NO_TRIANGLE &&
                 options->ignore_triangle_shape.index == e->slot &&
                 options->ignore_triangle_shape.generation == shape->generation;
  query->ignore = ignores ? options->ignore_triangle : MO_NO_TRIANGLE;
  query->weights = &shape->affine.weights;
  query->min_t = min_t_of(r);
  query->triangle = MO_NO_TRIANGLE;
  e->sheared = true;
}

MO_INLINE bool test_leaf(entry *e, mo_mesh_format format, uint32_t leaf, mo_ray_goal goal) {
  return mo_ray_leaf(e->mesh, format, &e->query, mo_child_index(leaf), 0, 0, NULL, goal, true, NULL,
                     false);
}

MO_INLINE void ask_for_child(flow *f, uint32_t which, uint32_t child) {
  const mo_mesh *mesh = entry_at(f, which)->mesh;
  const mo_tree tree = mo_tree_of(mesh, mesh->format);
  mo_ask_for_child(&tree, mesh->format, child);
}

/* All rays to the ends of the meshes that they have entered: all nodes first, then all leaves.
 * Those in large meshes go by themselves, and so do all if the lists are too short. */
MO_INLINE void trace_meshes(flow *f, uint32_t entered, mo_ray_goal goal) {
  const mo_mesh_entered_kernels *all = MO_ISA_FN(mo_mesh_entered_kernels);
  for (uint32_t i = 0; i < f->mesh_node_count; i++) {
    uint32_t which = f->mesh_node_entry[i];
    entry *e = entry_at(f, which);
    if (__builtin_expect((f->mesh_node_count > MESH_NODES) | (f->mesh_leaf_count > MESH_LEAVES),
                         0)) {
      f->mesh_node_count = f->mesh_leaf_count = 0;
      for (uint32_t j = 0; j < entered; j += (uint32_t)sizeof(entry)) {
        entry_at(f, j)->apart = true;
      }
      break;
    }
    if (i + MESH_AHEAD < f->mesh_node_count) {
      ask_for_child(f, f->mesh_node_entry[i + MESH_AHEAD], f->mesh_node[i + MESH_AHEAD]);
    }
    visit_any_mesh_node(f, e, which, f->mesh_node[i]);
  }
  for (uint32_t i = 0; i < f->mesh_leaf_count; i++) {
    entry *e = entry_at(f, f->mesh_leaf_entry[i]);
    if (i + MESH_AHEAD < f->mesh_leaf_count) {
      ask_for_child(f, f->mesh_leaf_entry[i + MESH_AHEAD], f->mesh_leaf[i + MESH_AHEAD]);
    }
    if (f->mesh_leaf_t[i] > e->query.max_t) {
      continue;
    }
    if (!e->sheared) {
      shear(f, e, runner_at(f, e->runner));
      mo_ray_init_usual_shear(&e->query.ray, &e->origin, &e->direction, e->query.weights,
                              e->query.min_t);
    }
    bool hit = e->mesh->format == MO_MESH_FULL
                   ? test_leaf(e, MO_MESH_FULL, f->mesh_leaf[i], goal)
                   : test_leaf(e, MO_MESH_COMPACT, f->mesh_leaf[i], goal);
    if (goal == MO_GOAL_ANY && hit) {
      e->any = true;
      e->query.max_t = -1.0f;
    }
  }
  for (uint32_t i = 0; i < entered; i += (uint32_t)sizeof(entry)) {
    entry *e = entry_at(f, i);
    runner *r = runner_at(f, e->runner);
    mo_mesh_ray *query = &e->query;
    if (__builtin_expect(e->apart, 0)) {
      const mo_mesh_entered_kernels *kernels = &all[e->mesh->format];
      query->max_t = r->max_t;
      shear(f, e, r);
      if (goal == MO_GOAL_ANY) {
        e->any = kernels->any(e->mesh, query);
      } else {
        kernels->closest(e->mesh, query);
      }
    }
    if (goal == MO_GOAL_ANY) {
      if (e->any) {
        stop(r);
      }
    } else if (e->sheared && query->triangle != MO_NO_TRIANGLE &&
               (query->max_t < r->max_t || e->slot < r->shape)) {
      r->max_t = query->max_t;
      r->shape = e->slot;
      r->triangle = query->triangle;
      r->u = query->u;
      r->v = query->v;
      r->front = query->front;
    }
  }
}

/* Gives a runner a ray and takes it past the root. False if there is none left. */
MO_INLINE bool begin(flow *f, uint32_t which) {
  runner *r = runner_at(f, which);
  if (!start(f, r)) {
    return false;
  }
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
  f->node_count = f->block_count = f->shape_count = 0;
  while (live < RUNNERS && begin(f, live * (uint32_t)sizeof(runner))) {
    f->live[live] = live * (uint32_t)sizeof(runner);
    live++;
  }
  while (live > 0) {
    visit_nodes(f);
    visit_blocks(f, goal);
    trace_meshes(f, enter_shapes(f, goal), goal);
    live = choose(f, live);
    for (uint32_t i = 0; i < f->done_count; i++) {
      uint32_t which = f->done[i];
      finish(f, runner_at(f, which), goal);
      f->live[live] = which;
      live += begin(f, which);
    }
  }
}

void MO_ISA_FN(mo_scene_trace_lot)(const mo_lot *lot) {
  const mo_batch *batch = lot->batch;
  const mo_scene *scene = batch->subject;
  const mo_ray_def *options = &batch->def->options;
  flow f;
  f.lot = lot;
  f.batch = batch;
  f.scene = scene;
  f.nodes = scene->nodes.items;
  f.blocks = scene->blocks.items;
  f.shapes = scene->shapes;
  f.usual = mo_ray_usual_for(mo_scene_ray_reach(scene), MO_SCENE_RAY_MARGIN / MO_RAY_MARGIN);
  f.next = 0;
  f.far =
      scene->nodes.count * sizeof(mo_scene_node) + scene->blocks.count * sizeof(mo_shape_block) >
      NEAR_BYTES;
  f.records_far = scene->slot_count * sizeof(mo_shape) > NEAR_BYTES;
  f.def = *options;
  make_ready(&f);
  for (uint32_t i = 0; i < RUNNERS; i++) {
    entry *e = &f.entries[i];
    mo_mesh_ray_init(&e->query, options, &e->origin, &e->direction, NULL, NULL, NULL);
    f.runners[i].t[0] = -1.0f;
    memset(f.runners[i].candidate, 0, sizeof f.runners[i].candidate); /* as records are asked for */
  }
  if (batch->goal == MO_GOAL_ANY) {
    run(&f, MO_GOAL_ANY);
  } else {
    run(&f, MO_GOAL_CLOSEST);
  }
}
