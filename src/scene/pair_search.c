/* The search for all pairs: two shape octrees are gone through at once, eight children by eight.
 *
 * What decides its speed is not how many boxes are compared but how often the processor guesses
 * wrongly what comes next, so there are hardly any branches to guess: the work is done in steps,
 * each of which turns a list of things into a list of finer ones, without a branch for each.
 *
 *   meetings of nodes  -> probes: a child of the one against the eight of the other
 *   probes             -> meetings of their children, and of leaves
 *   meetings of leaves -> probes: a shape of the one against the eight of a block of the other
 *   those              -> hits: a shape and some lanes of a block
 *   hits               -> pairs
 *
 * Meetings wait in a queue, so that what comes first of a list also comes first of what becomes of
 * it, however long the lists are: then pairs come in an order that changes little when the trees
 * do. What nodes keep besides their children is rare, and goes down the other subtree on its own.
 */
#include "scene/pair_rows.h"

enum {
  /* Meetings of nodes; a power of two. From so many on, the last come goes first, alone, so that no
   * more than the children of one path are added to them. */
  QUEUE = 8192,
  TOGETHER = 16,
  QUEUE_FULL = QUEUE - TOGETHER * MO_WIDTH * MO_WIDTH - MO_WIDTH * MO_WIDTH * MO_SCENE_MAX_DEPTH,
  AHEAD = 16, /* what so many meetings later is asked for is asked of memory */
  PROBES = 256,
  LEAVES = 128, /* meetings of leaves that are treated together */
  OWN = 32,
  HITS = 512,
  STACK = MO_WIDTH * MO_SCENE_MAX_DEPTH + 8,
};

/* The side that a reference is of, besides node << 3 | octant: what hangs there, and its box. */
#define SIDE_BIT 0x80000000u

/* Found in one way: two shapes each. */
typedef struct stream {
  uint32_t count;
  uint32_t first[HITS + MO_WIDTH], second[HITS + MO_WIDTH];
} stream;

/* Within a block; between the blocks of a list; between leaves; with what nodes keep. */
enum { WAY_WITHIN, WAY_BLOCKS, WAY_BETWEEN, WAY_ITEMS };

/* A box against the children of a node of the other side. */
typedef struct probe {
  uint32_t ref, node;
} probe;

/* A shape (block << 3 | lane) against a block of the other side. */
typedef struct shape_probe {
  mo_place place;
  uint32_t block, side; /* of the block */
} shape_probe;

typedef struct hit {
  mo_place place;
  uint32_t block, lanes, side;
} hit;

typedef struct walk {
  mo_pair_search *search;
  const mo_scene *scene[2];
  bool self, masked;
  uint32_t stack_count; /* nodes to be met by themselves */
  uint32_t stack[STACK];
  uint32_t begin, end, fetched; /* of the queue, modulo 2^32 */
  uint32_t queue[QUEUE][2];     /* references, of either side */
  uint32_t probe_count;
  probe probes[TOGETHER * MO_WIDTH + 2];
  /* A leaf against one of the other side, which a reference names. */
  uint32_t leaf_count;
  uint32_t leaf[LEAVES + MO_WIDTH], leaf_ref[LEAVES + MO_WIDTH];
  uint32_t own_count;
  uint32_t own[OWN]; /* leaves against themselves */
  uint32_t shape_probe_count;
  shape_probe shape_probes[PROBES + 2];
  stream streams[MO_PAIR_WAYS];
} walk;

MO_INLINE uint32_t side_of(uint32_t ref) {
  return ref >> 31;
}

MO_INLINE mo_scene_node *node_of(const walk *w, uint32_t ref) {
  return mo_scene_node_at(w->scene[side_of(ref)], (ref & ~SIDE_BIT) >> 3);
}

MO_INLINE uint32_t child_of(const walk *w, uint32_t ref) {
  return node_of(w, ref)->child[ref & 7];
}

/* Bits of the children that are leaves; of those that there are. */
MO_INLINE uint32_t leaves_of(const mo_scene_node *node) {
  return mo_u8_equal(node->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
}

MO_INLINE uint32_t active_lanes(const mo_pair_search *q, const mo_shape_block *block) {
  return q->awake ? block->awake : block->dynamic;
}

MO_INLINE uint32_t active_octants(const mo_pair_search *q, const mo_scene *scene, uint32_t node) {
  return q->awake ? scene->marks[node].awake : scene->marks[node].dynamic;
}

MO_INLINE bool list_is_active(const mo_pair_search *q, const mo_scene *scene, uint32_t head) {
  uint32_t any = 0;
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    any |= active_lanes(q, mo_shape_block_at(scene, b));
  }
  return any != 0;
}

MO_INLINE uint32_t first_lane(uint32_t lanes) {
  return (uint32_t)__builtin_ctz(lanes | 1u << MO_WIDTH) & 7;
}

/* --- pairs --- */

/* Hands over what a stream has. */
static void drain(walk *w, uint32_t way) {
  stream *s = &w->streams[way];
  mo_pair_search *q = w->search;
  if (s->count == 0) {
    return;
  }
  const uint32_t *first = s->first, *second = s->second;
  for (uint32_t i = 0; i < s->count; i++) {
    bool swap = w->self && second[i] < first[i];
    q->keys[i] = mo_pair_key(swap ? second[i] : first[i], swap ? first[i] : second[i]);
  }
  q->count = s->count;
  q->way = way;
  mo_pair_make_room(q);
  s->count = 0;
}

/* Pairs of a shape with some lanes of a block of `side`. */
MO_INLINE void add_pairs(walk *w, uint32_t way, uint32_t slot, const mo_shape_block *block,
                         uint32_t lanes, uint32_t side) {
  stream *s = &w->streams[way];
  if (s->count > HITS - MO_WIDTH) {
    drain(w, way);
  }
  mo_u8 others = mo_u8_compress(mo_u8_load(block->shape), lanes), one = mo_u8_all(slot);
  bool forward = w->self || side == 1;
  mo_u8_store_any((forward ? s->second : s->first) + s->count, others);
  mo_u8_store_any((forward ? s->first : s->second) + s->count, one);
  s->count += (uint32_t)__builtin_popcount(lanes);
}

/* --- shapes --- */

static void probe_shapes(walk *w, uint32_t way) {
  if (w->shape_probe_count == 0) {
    return;
  }
  hit hits[PROBES + 1];
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->shape_probe_count; i++) {
    shape_probe p = w->shape_probes[i];
    const mo_shape_block *mine = mo_shape_block_at(w->scene[p.side ^ 1], p.place >> 3);
    const mo_shape_block *theirs = mo_shape_block_at(w->scene[p.side], p.block);
    uint32_t lanes = mo_touching(&theirs->bounds, &mine->bounds, p.place & 7);
    if (w->masked && !(active_lanes(w->search, mine) >> (p.place & 7) & 1)) {
      lanes &= active_lanes(w->search, theirs);
    }
    hits[count] = (hit){p.place, p.block, lanes, p.side};
    count += lanes != 0;
  }
  w->shape_probe_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const hit *h = &hits[i];
    const mo_shape_block *mine = mo_shape_block_at(w->scene[h->side ^ 1], h->place >> 3);
    add_pairs(w, way, mine->shape[h->place & 7], mo_shape_block_at(w->scene[h->side], h->block),
              h->lanes, h->side);
  }
}

/* Some lanes of a block against a block of `side`. */
MO_INLINE void add_shape_probes(walk *w, uint32_t way, uint32_t block, uint32_t lanes,
                                uint32_t against, uint32_t side) {
  if (w->shape_probe_count > PROBES - MO_WIDTH) {
    probe_shapes(w, way);
  }
  shape_probe *to = w->shape_probes + w->shape_probe_count;
  w->shape_probe_count += (uint32_t)__builtin_popcount(lanes);
  /* Seldom more than two: these without a branch. */
  to[0] = (shape_probe){block << 3 | first_lane(lanes), against, side};
  lanes &= lanes - 1;
  to[1] = (shape_probe){block << 3 | first_lane(lanes), against, side};
  lanes &= lanes - 1;
  for (to += 2; lanes != 0; lanes &= lanes - 1) {
    *to++ = (shape_probe){block << 3 | first_lane(lanes), against, side};
  }
}

/* A list against one of `side`, whose box is given. */
MO_INLINE void two_lists(walk *w, uint32_t way, uint32_t head, uint32_t other, uint32_t side,
                         const mo_bounds8 *bounds, uint32_t lane) {
  const mo_scene *mine = w->scene[side ^ 1], *theirs = w->scene[side];
  for (uint32_t a = head; a != MO_NONE; a = mo_shape_block_at(mine, a)->next) {
    uint32_t lanes = mo_touching(&mo_shape_block_at(mine, a)->bounds, bounds, lane);
    for (uint32_t b = other; b != MO_NONE; b = mo_shape_block_at(theirs, b)->next) {
      add_shape_probes(w, way, a, lanes, b, side);
    }
  }
}

MO_INLINE void prefetch_leaves(const walk *w, uint32_t i) {
  uint32_t ref = w->leaf_ref[i], side = side_of(ref);
  mo_prefetch_block(w->scene[side ^ 1], mo_child_index(w->leaf[i]));
  mo_prefetch_block(w->scene[side], mo_child_index(child_of(w, ref)));
}

static void meet_leaves(walk *w) {
  for (uint32_t i = 0; i < w->leaf_count && i < AHEAD; i++) {
    prefetch_leaves(w, i);
  }
  for (uint32_t i = 0; i < w->leaf_count; i++) {
    if (i + AHEAD < w->leaf_count) {
      prefetch_leaves(w, i + AHEAD);
    }
    uint32_t ref = w->leaf_ref[i];
    const mo_scene_node *node = node_of(w, ref);
    two_lists(w, WAY_BETWEEN, mo_child_index(w->leaf[i]), mo_child_index(node->child[ref & 7]),
              side_of(ref), &node->bounds, ref & 7);
  }
  w->leaf_count = 0;
  probe_shapes(w, WAY_BETWEEN);
}

/* Bit 8 (t - 1) + i: lane i of a block with the one t further on, for t from 1 to 4, which is half
 * way round. */
#if defined(MO_ISA_AVX512_LANES)
/* Two turns at a time. */
MO_INLINE uint32_t touching_two_turns(const mo_bounds8 *bounds, __m512i order) {
  __mmask16 part[3];
  for (int axis = 0; axis < 3; axis++) {
    __m512 lower = _mm512_broadcast_f32x8(_mm256_load_ps(bounds->lower[axis]));
    __m512 upper = _mm512_broadcast_f32x8(_mm256_load_ps(bounds->upper[axis]));
    part[axis] =
        _kand_mask16(_mm512_cmp_ps_mask(lower, _mm512_permutexvar_ps(order, upper), _CMP_LE_OQ),
                     _mm512_cmp_ps_mask(_mm512_permutexvar_ps(order, lower), upper, _CMP_LE_OQ));
  }
  return _kand_mask16(_kand_mask16(part[0], part[1]), part[2]);
}

MO_INLINE uint32_t touching_turned(const mo_bounds8 *bounds) {
  __m512i by1_and_2 = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0, 2, 3, 4, 5, 6, 7, 0, 1);
  __m512i by3_and_4 = _mm512_setr_epi32(3, 4, 5, 6, 7, 0, 1, 2, 4, 5, 6, 7, 0, 1, 2, 3);
  return touching_two_turns(bounds, by1_and_2) | (touching_two_turns(bounds, by3_and_4) & 0xfff)
                                                     << 16;
}
#else
MO_INLINE uint32_t touching_one_turn(const mo_f8 *lower, const mo_f8 *upper, uint32_t turn) {
  uint32_t order = 0x76543210u >> (4 * turn) | 0x76543210u << (32 - 4 * turn);
  mo_m8 part[3];
  for (int axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(lower[axis], mo_f8_reorder(upper[axis], order)),
                           mo_f8_le(mo_f8_reorder(lower[axis], order), upper[axis]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

MO_INLINE uint32_t touching_turned(const mo_bounds8 *bounds) {
  mo_f8 lower[3], upper[3];
  for (int axis = 0; axis < 3; axis++) {
    lower[axis] = mo_f8_load(bounds->lower[axis]);
    upper[axis] = mo_f8_load(bounds->upper[axis]);
  }
  return touching_one_turn(lower, upper, 1) | touching_one_turn(lower, upper, 2) << 8 |
         touching_one_turn(lower, upper, 3) << 16 |
         (touching_one_turn(lower, upper, 4) & 0xf) << 24;
}
#endif

/* The pairs within a block. */
MO_INLINE uint32_t touching_within(const walk *w, const mo_shape_block *block) {
  uint32_t found = touching_turned(&block->bounds);
  if (w->masked) {
    uint32_t active = active_lanes(w->search, block), twice = active | active << 8;
    found &= (active | (twice >> 1 & MO_ALL_LANES)) | (active | (twice >> 2 & MO_ALL_LANES)) << 8 |
             (active | (twice >> 3 & MO_ALL_LANES)) << 16 |
             (active | (twice >> 4 & MO_ALL_LANES)) << 24;
  }
  return found;
}

MO_INLINE void add_pairs_within(walk *w, uint32_t way, const mo_shape_block *block,
                                uint32_t found) {
  stream *s = &w->streams[way];
  if (s->count > HITS - 4 * MO_WIDTH) {
    drain(w, way);
  }
  uint32_t *first = s->first + s->count, *second = s->second + s->count;
  s->count += (uint32_t)__builtin_popcount(found);
  for (; found != 0; found &= found - 1) {
    uint32_t bit = (uint32_t)__builtin_ctz(found), lane = bit & 7;
    *first++ = block->shape[lane];
    *second++ = block->shape[(lane + (bit >> 3) + 1) & 7];
  }
}

/* A list against itself: each block against itself and later ones. */
MO_INLINE void one_list(walk *w, uint32_t within, uint32_t blocks, uint32_t head) {
  const mo_scene *scene = w->scene[0];
  for (uint32_t a = head; a != MO_NONE; a = mo_shape_block_at(scene, a)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, a);
    add_pairs_within(w, within, block, touching_within(w, block));
    for (uint32_t b = block->next; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
      add_shape_probes(w, blocks, a, (1u << block->count) - 1, b, 1);
    }
  }
}

static void meet_own(walk *w) {
  for (uint32_t i = 0; i < w->own_count; i++) {
    one_list(w, WAY_WITHIN, WAY_BLOCKS, w->own[i]);
  }
  w->own_count = 0;
  probe_shapes(w, WAY_BLOCKS);
}

/* --- what nodes keep --- */

/* Likewise below a node of the other side than `side`, but for what it keeps unless `items`. */
static void list_below(walk *w, uint32_t head, uint32_t side, const mo_aabb *box, uint32_t index,
                       bool items) {
  const mo_scene *scene = w->scene[side ^ 1];
  mo_bounds8 bounds;
  mo_bounds8_clear(&bounds);
  mo_bounds8_set(&bounds, 0, *box);
  bool active = !w->masked || list_is_active(w->search, w->scene[side], head);
  uint32_t stack[7 * MO_SCENE_MAX_DEPTH + 8];
  uint32_t count = 1;
  stack[0] = index;
  while (count > 0) {
    uint32_t next = stack[--count];
    const mo_scene_node *node = mo_scene_node_at(scene, next);
    if (node->items != MO_NONE && (items || next != index)) {
      two_lists(w, WAY_ITEMS, node->items, head, side, &bounds, 0);
    }
    uint32_t row = mo_cull_box(&node->bounds, box);
    row &= active ? MO_ALL_LANES : active_octants(w->search, scene, next);
    for (; row != 0; row &= row - 1) {
      uint32_t child = node->child[__builtin_ctz(row)];
      if (mo_child_is_leaf(child)) {
        two_lists(w, WAY_ITEMS, mo_child_index(child), head, side, &bounds, 0);
      } else {
        stack[count++] = child;
      }
    }
  }
  probe_shapes(w, WAY_ITEMS);
}

/* What a node of `side` keeps against what is below one of the other. */
static void items_below(walk *w, uint32_t head, uint32_t side, const mo_aabb *other_box,
                        uint32_t index, bool items) {
  mo_aabb box = mo_aabb_empty();
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(w->scene[side], b)->next) {
    box = mo_aabb_union(box, mo_bounds8_union(&mo_shape_block_at(w->scene[side], b)->bounds));
  }
  if (mo_aabb_overlap(box, *other_box)) {
    list_below(w, head, side, &box, index, items);
  }
}

/* --- nodes --- */

/* What `ref` names against some children of a node of the other side. */
MO_INLINE void meet_children(walk *w, uint32_t ref, uint32_t child, const mo_scene_node *node,
                             uint32_t base, uint32_t row) {
  uint32_t leaves = mo_child_is_leaf(child) ? row & leaves_of(node) : 0;
  if (w->leaf_count > LEAVES - MO_WIDTH) {
    meet_leaves(w);
  }
  mo_u8_store_any(w->leaf + w->leaf_count, mo_u8_compress(mo_u8_load(node->child), leaves));
  mo_u8_store_any(w->leaf_ref + w->leaf_count, mo_u8_all(ref));
  w->leaf_count += (uint32_t)__builtin_popcount(leaves);
  uint32_t rest = row & ~leaves;
  do { /* seldom more than one */
    uint32_t *to = w->queue[w->end & (QUEUE - 1)];
    to[0] = ref;
    to[1] = base | first_lane(rest);
    w->end += rest != 0;
    rest &= rest - 1;
  } while (rest != 0);
}

MO_INLINE void add_probes(walk *w, uint32_t base, uint32_t lanes, uint32_t node) {
  probe *to = w->probes + w->probe_count;
  w->probe_count += (uint32_t)__builtin_popcount(lanes);
  to[0] = (probe){base | first_lane(lanes), node};
  lanes &= lanes - 1;
  to[1] = (probe){base | first_lane(lanes), node};
  lanes &= lanes - 1;
  for (to += 2; lanes != 0; lanes &= lanes - 1) {
    *to++ = (probe){base | first_lane(lanes), node};
  }
}

MO_INLINE uint32_t base_of(uint32_t node, uint32_t side) {
  return node << 3 | side << 31;
}

/* Two nodes, of which the second has the box in a lane. */
MO_INLINE void meet_nodes(walk *w, uint32_t a, uint32_t side_a, uint32_t b,
                          const mo_bounds8 *bounds, uint32_t lane) {
  uint32_t side_b = w->self ? 0 : side_a ^ 1;
  const mo_scene_node *node_a = mo_scene_node_at(w->scene[side_a], a);
  const mo_scene_node *node_b = mo_scene_node_at(w->scene[side_b], b);
  uint32_t lanes = mo_touching(&node_a->bounds, bounds, lane);
  add_probes(w, base_of(a, side_a), lanes, b);
  if (node_a->items != MO_NONE) {
    mo_aabb box = mo_bounds8_get(bounds, (int)lane);
    items_below(w, node_a->items, side_a, &box, b, true);
  }
  if (node_b->items != MO_NONE) {
    mo_aabb box = mo_bounds8_union(&node_a->bounds);
    items_below(w, node_b->items, side_b, &box, a, false);
  }
}

MO_INLINE void meet_pair(walk *w, const uint32_t refs[2]) {
  uint32_t a = child_of(w, refs[0]), b = child_of(w, refs[1]);
  if (!mo_child_is_leaf(a) && !mo_child_is_leaf(b)) {
    meet_nodes(w, a, side_of(refs[0]), b, &node_of(w, refs[1])->bounds, refs[1] & 7);
    return;
  }
  bool first = mo_child_is_leaf(a);
  uint32_t leaf = refs[first ? 0 : 1], node = first ? b : a, side = side_of(leaf);
  w->probes[w->probe_count++] = (probe){leaf, node};
  uint32_t items = mo_scene_node_at(w->scene[w->self ? 0 : side ^ 1], node)->items;
  if (items != MO_NONE) {
    two_lists(w, WAY_ITEMS, items, mo_child_index(first ? a : b), side, &node_of(w, leaf)->bounds,
              leaf & 7);
    probe_shapes(w, WAY_ITEMS);
  }
}

static void probe_nodes(walk *w) {
  for (uint32_t i = 0; i < w->probe_count; i++) {
    uint32_t ref = w->probes[i].ref, index = w->probes[i].node;
    uint32_t side = w->self ? 0 : side_of(ref) ^ 1;
    const mo_scene_node *from = node_of(w, ref), *node = mo_scene_node_at(w->scene[side], index);
    uint32_t row = mo_touching(&node->bounds, &from->bounds, ref & 7);
    if (w->masked) {
      uint32_t own = active_octants(w->search, w->scene[side_of(ref)], (ref & ~SIDE_BIT) >> 3);
      row &= own >> (ref & 7) & 1 ? MO_ALL_LANES : active_octants(w->search, w->scene[side], index);
    }
    meet_children(w, ref, from->child[ref & 7], node, base_of(index, side), row);
  }
  w->probe_count = 0;
}

MO_INLINE void prefetch_pair(const walk *w, const uint32_t refs[2]) {
  for (int i = 0; i < 2; i++) {
    uint32_t child = child_of(w, refs[i]);
    if (!mo_child_is_leaf(child)) {
      mo_prefetch_node(w->scene[side_of(refs[i])], child);
    }
  }
}

/* Goes through the queue. */
static void meet_all(walk *w) {
  while (w->begin != w->end && !w->search->stopped) {
    if (w->end - w->begin >= QUEUE_FULL) {
      const uint32_t *last = w->queue[--w->end & (QUEUE - 1)];
      uint32_t refs[2] = {last[0], last[1]};
      meet_pair(w, refs);
    } else {
      uint32_t count = w->end - w->begin < TOGETHER ? w->end - w->begin : TOGETHER;
      for (uint32_t i = 0; i < count; i++) {
        prefetch_pair(w, w->queue[(w->begin + i) & (QUEUE - 1)]);
      }
      for (; count > 0; count--) {
        meet_pair(w, w->queue[w->begin++ & (QUEUE - 1)]);
      }
    }
    probe_nodes(w);
  }
}

static void meet_itself(walk *w, uint32_t index) {
  const mo_scene *scene = w->scene[0];
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t active = w->masked ? active_octants(w->search, scene, index) : MO_ALL_LANES;
  uint32_t leaves = leaves_of(node);
  for (uint32_t i = 0; i < MO_WIDTH; i++) {
    if (node->child[i] == MO_CHILD_EMPTY) {
      continue;
    }
    /* An empty box touches none, not even itself. */
    uint32_t row = mo_touching(&node->bounds, &node->bounds, i) & ~((1u << i) - 1);
    row &= active >> i & 1 ? MO_ALL_LANES : active;
    if (row >> i & 1) {
      if (leaves >> i & 1) {
        mo_prefetch_block(scene, mo_child_index(node->child[i]));
        w->own[w->own_count++] = mo_child_index(node->child[i]);
      } else {
        w->stack[w->stack_count++] = node->child[i];
      }
    }
    meet_children(w, base_of(index, 0) | i, node->child[i], node, base_of(index, 0),
                  row & ~(1u << i));
  }
  if (node->items != MO_NONE) {
    mo_aabb box = mo_bounds8_union(&node->bounds);
    one_list(w, WAY_ITEMS, WAY_ITEMS, node->items);
    probe_shapes(w, WAY_ITEMS);
    items_below(w, node->items, 0, &box, index, false);
  }
  if (w->own_count > OWN - MO_WIDTH) {
    meet_own(w);
  }
}

static void meet_self(walk *w, uint32_t child) {
  if (child == MO_CHILD_EMPTY) {
    return;
  }
  if (mo_child_is_leaf(child)) {
    one_list(w, WAY_WITHIN, WAY_BLOCKS, mo_child_index(child));
    probe_shapes(w, WAY_BLOCKS);
    return;
  }
  w->stack[w->stack_count++] = child;
  while (w->stack_count > 0 && !w->search->stopped) {
    meet_itself(w, w->stack[--w->stack_count]);
    meet_all(w);
  }
}

static void meet_two(walk *w, const mo_pair_job *job) {
  uint32_t a = job->child[0], b = job->child[1], side_b = w->self ? 0 : 1;
  if (a == MO_CHILD_EMPTY || b == MO_CHILD_EMPTY) {
    return;
  }
  mo_bounds8 bounds;
  mo_bounds8_clear(&bounds);
  mo_bounds8_set(&bounds, 0, job->box[1]);
  if (mo_child_is_leaf(a) && mo_child_is_leaf(b)) {
    two_lists(w, WAY_BETWEEN, mo_child_index(a), mo_child_index(b), side_b, &bounds, 0);
    probe_shapes(w, WAY_BETWEEN);
  } else if (mo_child_is_leaf(a)) {
    list_below(w, mo_child_index(a), 0, &job->box[0], b, true);
  } else if (mo_child_is_leaf(b)) {
    list_below(w, mo_child_index(b), side_b, &job->box[1], a, true);
  } else {
    meet_nodes(w, a, 0, b, &bounds, 0);
    probe_nodes(w);
    meet_all(w);
  }
}

void MO_ISA_FN(mo_pair_search_job)(mo_pair_search *search, const mo_pair_job *job) {
  walk w;
  w.search = search;
  w.scene[0] = search->scene[0];
  w.scene[1] = search->scene[1];
  w.self = w.scene[0] == w.scene[1];
  w.masked = search->masked;
  w.stack_count = w.begin = w.end = w.probe_count = 0;
  w.leaf_count = w.own_count = w.shape_probe_count = 0;
  for (int way = 0; way < MO_PAIR_WAYS; way++) {
    w.streams[way].count = 0;
  }
  if (w.self && job->child[0] == job->child[1]) {
    meet_self(&w, job->child[0]);
  } else {
    meet_two(&w, job);
  }
  meet_leaves(&w);
  meet_own(&w);
  for (uint32_t way = 0; way < MO_PAIR_WAYS; way++) {
    drain(&w, way);
  }
}
