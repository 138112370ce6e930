/* The descent of two shape octrees at once, eight children by eight.
 *
 * A frame on the stack is a pair of nodes with a matrix of eight rows of eight bits: which child of
 * the one may meet which child of the other. Pairs of leaves are treated on the spot: lanes of the
 * one that touch the box around the other, against blocks of the other. What a node holds besides
 * its children goes down the other subtree like a leaf. */
#include "scene/pair_search.h"
#include "octree/cull.h"

enum {
  /* Each step down leaves at most three frames: a pair of nodes, and the shapes kept at either
   * against the other. Both sides go down together, then one alone. */
  STACK = 6 * MO_SCENE_MAX_DEPTH + 8,
  ALL = 0xff,
  /* Leaves that wait to be looked at while they come from memory. */
  WAITING = 64,
};

static const uint64_t DIAGONAL = 0x8040201008040201u, BYTES = 0x0101010101010101u;

typedef struct frame {
  uint64_t matrix; /* bit 8 i + j: child i of the node of side 0 with child j of that of side 1 */
  uint32_t child[2];
  uint32_t leaf; /* the side that is a leaf and has no children, 2 for none: bits of row 0 alone */
  mo_aabb box;   /* of that leaf */
} frame;

/* A leaf of one side with one of the other and the box around that; or a leaf with itself. */
typedef struct meeting {
  uint32_t head, other, side;
  mo_aabb box;
} meeting;

typedef struct walk {
  mo_pair_search *search;
  const mo_scene *scene[2];
  bool self, masked;
  uint32_t depth, waiting;
  frame stack[STACK];
  meeting meetings[WAITING];
} walk;

static inline void prefetch_block(const mo_scene *scene, uint32_t block) {
  const char *memory = (const char *)mo_shape_block_at(scene, block);
  for (int line = 0; line < 4; line++) {
    __builtin_prefetch(memory + 64 * line);
  }
}

static inline void prefetch_node(const mo_scene *scene, uint32_t node) {
  const char *memory = (const char *)mo_scene_node_at(scene, node);
  for (int line = 0; line < 4; line++) {
    __builtin_prefetch(memory + 64 * line);
  }
}

/* All bits of the bytes for which a bit is set. */
static inline uint64_t spread_bits(uint32_t bits) {
  uint64_t one_each = (bits * BYTES) & DIAGONAL;
  return ((one_each + 0x7f * BYTES) >> 7 & BYTES) * ALL;
}

/* Bits of the children that are leaves; of those that there are. */
static inline uint32_t leaves_of(const mo_scene_node *node) {
  return mo_u8_equal(node->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
}

/* A block's boxes, and others against them. */
typedef struct rows {
  mo_f8 lower[3], upper[3];
} rows;

static inline rows load_rows(const mo_bounds8 *bounds) {
  rows r;
  for (int axis = 0; axis < 3; axis++) {
    r.lower[axis] = mo_f8_load(bounds->lower[axis]);
    r.upper[axis] = mo_f8_load(bounds->upper[axis]);
  }
  return r;
}

/* A bit per box of `r` that touches the box in a lane. */
static inline uint32_t touching(const rows *r, const mo_bounds8 *bounds, uint32_t lane) {
  mo_m8 part[3];
  for (int axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(r->lower[axis], mo_f8_all(bounds->upper[axis][lane])),
                           mo_f8_le(mo_f8_all(bounds->lower[axis][lane]), r->upper[axis]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

static inline uint32_t active_lanes(const mo_pair_search *q, const mo_shape_block *block) {
  return q->awake ? block->awake : block->dynamic;
}

static inline uint32_t active_octants(const mo_pair_search *q, const mo_scene *scene,
                                      uint32_t node) {
  return q->awake ? scene->marks[node].awake : scene->marks[node].dynamic;
}

static inline bool list_is_active(const mo_pair_search *q, const mo_scene *scene, uint32_t head) {
  uint32_t any = 0;
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    any |= active_lanes(q, mo_shape_block_at(scene, b));
  }
  return any != 0;
}

/* Once stopped, the rest of a list or two may still be found, and is dropped. */
static void make_room(mo_pair_search *q) {
  q->stopped = q->stopped || !q->take(q);
  q->count = 0;
}

/* Pairs of one shape with those in some lanes. */
static inline void emit(mo_pair_search *q, bool self, uint32_t slot, const mo_shape_block *block,
                        uint32_t mask) {
  if (q->count > MO_PAIR_KEYS - MO_WIDTH) {
    make_room(q);
  }
  for (; mask != 0; mask &= mask - 1) {
    uint32_t other = block->shape[__builtin_ctz(mask)];
    q->keys[q->count++] =
        self && other < slot ? mo_pair_key(other, slot) : mo_pair_key(slot, other);
  }
}

static inline void emit_sided(walk *w, uint32_t side, uint32_t slot, const mo_shape_block *block,
                              uint32_t mask) {
  if (w->self || side == 0) {
    emit(w->search, w->self, slot, block, mask);
    return;
  }
  for (; mask != 0; mask &= mask - 1) {
    mo_pair_search *q = w->search;
    if (q->count == MO_PAIR_KEYS) {
      make_room(q);
    }
    q->keys[q->count++] = mo_pair_key(block->shape[__builtin_ctz(mask)], slot);
  }
}

/* One list of `side` against another of the other side, whose box is given. */
static inline void two_lists(walk *w, uint32_t side, uint32_t head, uint32_t other,
                             const mo_aabb *other_box) {
  const mo_scene *mine = w->scene[side], *theirs = w->scene[side ^ 1];
  for (uint32_t a = head; a != MO_NONE; a = mo_shape_block_at(mine, a)->next) {
    const mo_shape_block *block = mo_shape_block_at(mine, a);
    uint32_t lanes = mo_cull_box(&block->bounds, other_box);
    if (lanes == 0) {
      continue;
    }
    uint32_t active = w->masked ? active_lanes(w->search, block) : ALL;
    for (uint32_t b = other; b != MO_NONE; b = mo_shape_block_at(theirs, b)->next) {
      const mo_shape_block *against = mo_shape_block_at(theirs, b);
      uint32_t their_active = w->masked ? active_lanes(w->search, against) : ALL;
      rows r = load_rows(&against->bounds);
      for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t mask = touching(&r, &block->bounds, lane);
        if (w->masked && !(active >> lane & 1)) {
          mask &= their_active;
        }
        if (mask != 0) {
          emit_sided(w, side, block->shape[lane], against, mask);
        }
      }
    }
  }
}

/* The lanes of a block against those `turn` lanes further on. */
static inline uint32_t touching_turned(const rows *r, uint32_t turn) {
  uint32_t order = 0x76543210u >> (4 * turn) | 0x76543210u << (32 - 4 * turn);
  mo_m8 part[3];
  for (int axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(r->lower[axis], mo_f8_reorder(r->upper[axis], order)),
                           mo_f8_le(mo_f8_reorder(r->lower[axis], order), r->upper[axis]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

/* The pairs within a block: each lane against the next, the second next, and so on half way round.
 */
static inline void one_block(walk *w, const mo_shape_block *block) {
  rows r = load_rows(&block->bounds);
  uint32_t found = touching_turned(&r, 1) | touching_turned(&r, 2) << 8 |
                   touching_turned(&r, 3) << 16 | (touching_turned(&r, 4) & 0xf) << 24;
  if (w->masked) {
    uint32_t active = active_lanes(w->search, block), twice = active | active << 8;
    found &= (active | (twice >> 1 & ALL)) | (active | (twice >> 2 & ALL)) << 8 |
             (active | (twice >> 3 & ALL)) << 16 | (active | (twice >> 4 & ALL)) << 24;
  }
  for (; found != 0; found &= found - 1) {
    uint32_t bit = (uint32_t)__builtin_ctz(found), lane = bit & 7;
    emit(w->search, true, block->shape[lane], block, 1u << ((lane + (bit >> 3) + 1) & 7));
  }
}

/* A list against itself: each block against itself and later ones. */
static inline void one_list(walk *w, uint32_t head) {
  const mo_scene *scene = w->scene[0];
  for (uint32_t a = head; a != MO_NONE; a = mo_shape_block_at(scene, a)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, a);
    one_block(w, block);
    uint32_t active = w->masked ? active_lanes(w->search, block) : ALL;
    for (uint32_t b = block->next; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
      const mo_shape_block *against = mo_shape_block_at(scene, b);
      uint32_t their_active = w->masked ? active_lanes(w->search, against) : ALL;
      rows r = load_rows(&against->bounds);
      for (uint32_t lane = 0; lane < block->count; lane++) {
        uint32_t mask = touching(&r, &block->bounds, lane);
        if (w->masked && !(active >> lane & 1)) {
          mask &= their_active;
        }
        if (mask != 0) {
          emit(w->search, true, block->shape[lane], against, mask);
        }
      }
    }
  }
}

static void hold_meetings(walk *w) {
  for (uint32_t i = 0; i < w->waiting; i++) {
    const meeting *m = &w->meetings[i];
    if (w->self && m->head == m->other) {
      one_list(w, m->head);
    } else {
      two_lists(w, m->side, m->head, m->other, &m->box);
    }
  }
  w->waiting = 0;
}

/* Lists are looked at a little later, when they have come from memory. */
static inline void arrange(walk *w, uint32_t side, uint32_t head, uint32_t other,
                           const mo_bounds8 *bounds, uint32_t lane) {
  prefetch_block(w->scene[side], head);
  prefetch_block(w->scene[side ^ 1], other);
  w->meetings[w->waiting++] = (meeting){head, other, side, mo_bounds8_get(bounds, (int)lane)};
  if (w->waiting == WAITING) {
    hold_meetings(w);
  }
}

static inline frame *push(walk *w, uint64_t matrix, uint32_t child0, uint32_t child1,
                          uint32_t leaf) {
  frame *f = &w->stack[w->depth];
  f->matrix = matrix;
  f->child[0] = child0;
  f->child[1] = child1;
  f->leaf = leaf;
  w->depth += matrix != 0;
  return f;
}

/* A node of `side` against a leaf (or what a node of the other side keeps). `items`: with what the
 * node keeps itself. */
static inline void meet_leaf(walk *w, uint32_t side, uint32_t index, uint32_t leaf,
                             const mo_aabb *leaf_box, bool items) {
  const mo_scene *scene = w->scene[side];
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  if (items && node->items != MO_NONE) {
    two_lists(w, side, node->items, mo_child_index(leaf), leaf_box);
  }
  uint32_t row = mo_cull_box(&node->bounds, leaf_box);
  if (row != 0 && w->masked &&
      !list_is_active(w->search, w->scene[side ^ 1], mo_child_index(leaf))) {
    row &= active_octants(w->search, scene, index);
  }
  frame *f = push(w, row, side == 0 ? index : leaf, side == 0 ? leaf : index, side ^ 1);
  f->box = *leaf_box;
}

/* What a node of `side` keeps against the children of a node of the other side. */
static inline void meet_items(walk *w, uint32_t side, uint32_t head, uint32_t other,
                              const mo_aabb *other_box, bool items) {
  if (head == MO_NONE) {
    return;
  }
  mo_aabb box = mo_aabb_empty();
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(w->scene[side], b)->next) {
    box = mo_aabb_union(box, mo_bounds8_union(&mo_shape_block_at(w->scene[side], b)->bounds));
  }
  if (mo_aabb_overlap(box, *other_box)) {
    meet_leaf(w, side ^ 1, other, MO_CHILD_LEAF | head, &box, items);
  }
}

static inline void meet_nodes(walk *w, uint32_t a, uint32_t b, const mo_aabb *box_a,
                              const mo_aabb *box_b) {
  const mo_scene_node *node_a = mo_scene_node_at(w->scene[0], a);
  const mo_scene_node *node_b = mo_scene_node_at(w->scene[1], b);
  uint32_t lanes = mo_cull_box(&node_a->bounds, box_b);
  if (lanes != 0) {
    uint32_t active_a = ALL, active_b = ALL;
    if (w->masked) {
      active_a = active_octants(w->search, w->scene[0], a);
      active_b = active_octants(w->search, w->scene[1], b);
    }
    rows r = load_rows(&node_b->bounds);
    uint64_t matrix = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      uint32_t i = (uint32_t)__builtin_ctz(lanes);
      uint32_t row = touching(&r, &node_a->bounds, i);
      row &= active_a >> i & 1 ? ALL : active_b;
      matrix |= (uint64_t)row << (8 * i);
    }
    uint64_t leaves = matrix & spread_bits(leaves_of(node_a)) & (leaves_of(node_b) * BYTES);
    push(w, matrix & ~leaves, a, b, 2);
    for (; leaves != 0; leaves &= leaves - 1) {
      uint32_t bit = (uint32_t)__builtin_ctzll(leaves), j = bit & 7;
      arrange(w, 0, mo_child_index(node_a->child[bit >> 3]), mo_child_index(node_b->child[j]),
              &node_b->bounds, j);
    }
  }
  meet_items(w, 0, node_a->items, b, box_b, true);
  meet_items(w, 1, node_b->items, a, box_a, false);
}

static inline void meet_itself(walk *w, uint32_t index, const mo_aabb *box) {
  const mo_scene_node *node = mo_scene_node_at(w->scene[0], index);
  uint32_t active = w->masked ? active_octants(w->search, w->scene[0], index) : ALL;
  rows r = load_rows(&node->bounds);
  uint64_t matrix = 0;
  for (uint32_t i = 0; i < MO_WIDTH; i++) { /* an empty box touches none, not even itself */
    uint32_t row = touching(&r, &node->bounds, i) & ~((1u << i) - 1);
    row &= active >> i & 1 ? ALL : active;
    matrix |= (uint64_t)row << (8 * i);
  }
  uint32_t leaf = leaves_of(node);
  uint64_t leaves = matrix & spread_bits(leaf) & (leaf * BYTES);
  uint64_t nodes = matrix & ~leaves;
  push(w, nodes, index, index, 2);
  for (nodes &= DIAGONAL; nodes != 0; nodes &= nodes - 1) {
    prefetch_node(w->scene[0], node->child[__builtin_ctzll(nodes) & 7]);
  }
  for (; leaves != 0; leaves &= leaves - 1) {
    uint32_t bit = (uint32_t)__builtin_ctzll(leaves), j = bit & 7;
    arrange(w, 0, mo_child_index(node->child[bit >> 3]), mo_child_index(node->child[j]),
            &node->bounds, j);
  }
  if (node->items != MO_NONE) {
    one_list(w, node->items);
    meet_items(w, 0, node->items, index, box, false);
  }
}

static inline void meet(walk *w, uint32_t a, uint32_t b, const mo_aabb *box_a,
                        const mo_aabb *box_b) {
  if (a == MO_CHILD_EMPTY || b == MO_CHILD_EMPTY) {
    return;
  }
  if (!mo_child_is_leaf(a)) {
    if (!mo_child_is_leaf(b)) {
      meet_nodes(w, a, b, box_a, box_b);
    } else {
      meet_leaf(w, 0, a, b, box_b, true);
    }
  } else if (!mo_child_is_leaf(b)) {
    meet_leaf(w, 1, b, a, box_a, true);
  } else {
    two_lists(w, 0, mo_child_index(a), mo_child_index(b), box_b);
  }
}

static inline void meet_self(walk *w, uint32_t child, const mo_aabb *box) {
  if (mo_child_is_leaf(child)) {
    one_list(w, mo_child_index(child));
  } else {
    meet_itself(w, child, box);
  }
}

/* The next bit of a frame's matrix. */
static inline void step(walk *w, frame *f) {
  uint32_t bit = (uint32_t)__builtin_ctzll(f->matrix);
  f->matrix &= f->matrix - 1;
  uint32_t i = bit >> 3, j = bit & 7;
  uint32_t a = f->child[0], b = f->child[1];
  if (f->leaf < 2) {
    uint32_t side = f->leaf ^ 1, leaf = f->child[f->leaf];
    mo_aabb leaf_box = f->box; /* as frames are overwritten */
    const mo_scene_node *node = mo_scene_node_at(w->scene[side], f->child[side]);
    uint32_t child = node->child[j];
    w->depth -= f->matrix == 0;
    if (mo_child_is_leaf(child)) {
      two_lists(w, side, mo_child_index(child), mo_child_index(leaf), &leaf_box);
    } else {
      meet_leaf(w, side, child, leaf, &leaf_box, true);
    }
    return;
  }
  w->depth -= f->matrix == 0;
  const mo_scene_node *node_a = mo_scene_node_at(w->scene[0], a);
  const mo_scene_node *node_b = mo_scene_node_at(w->scene[1], b);
  mo_aabb box_a = mo_bounds8_get(&node_a->bounds, (int)i);
  if (w->self && a == b && i == j) {
    meet_self(w, node_a->child[i], &box_a);
  } else {
    mo_aabb box_b = mo_bounds8_get(&node_b->bounds, (int)j);
    meet(w, node_a->child[i], node_b->child[j], &box_a, &box_b);
  }
}

static void search_job(walk *w, const mo_pair_job *job) {
  if (w->self && job->child[0] == job->child[1]) {
    if (job->child[0] != MO_CHILD_EMPTY) {
      meet_self(w, job->child[0], &job->box[0]);
    }
  } else {
    meet(w, job->child[0], job->child[1], &job->box[0], &job->box[1]);
  }
  while (w->depth > 0 && !w->search->stopped) {
    step(w, &w->stack[w->depth - 1]);
  }
  hold_meetings(w);
}

void MO_ISA_FN(mo_pair_search_job)(mo_pair_search *search, const mo_pair_job *job) {
  walk w;
  w.search = search;
  w.scene[0] = search->scene[0];
  w.scene[1] = search->scene[1];
  w.self = w.scene[0] == w.scene[1];
  w.masked = search->masked;
  w.depth = 0;
  w.waiting = 0;
  search_job(&w, job);
}

/* Which of the shapes in `mask` a shape of a group is to be paired with from its side. */
static inline uint32_t not_grouped(const mo_pair_search *q, uint32_t slot,
                                   const mo_shape_block *block, uint32_t mask) {
  uint32_t kept = 0;
  for (; mask != 0; mask &= mask - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t other = block->shape[lane];
    kept |= (uint32_t)(other > slot || !q->grouped[other]) << lane;
  }
  return kept;
}

/* A shape block's lanes that ask, and the box around them. */
typedef struct group {
  const mo_shape_block *block;
  uint32_t lanes;
  bool moving; /* not all of them are static */
  mo_aabb box;
} group;

static inline void group_list(mo_pair_search *q, const group *asking, uint32_t head) {
  const mo_scene *scene = q->scene[0];
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    uint32_t near = mo_cull_box(&block->bounds, &asking->box);
    near &= block == asking->block && !(near & (near - 1)) ? 0 : ALL;
    if (near == 0) {
      continue;
    }
    rows r = load_rows(&block->bounds);
    for (uint32_t left = asking->lanes; left != 0; left &= left - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(left), slot = asking->block->shape[lane];
      uint32_t mask = touching(&r, &asking->block->bounds, lane);
      mask &= block == asking->block ? ~(1u << lane) : ALL;
      mask &= asking->block->dynamic >> lane & 1 ? ALL : block->dynamic;
      if (mask != 0 && (mask = not_grouped(q, slot, block, mask)) != 0) {
        emit(q, true, slot, block, mask);
      }
    }
  }
}

enum {
  QUEUE = 1024, /* a power of two */
  /* From so many entries on, the last come goes first, so that no more than the children of one
   * path are added to them. */
  QUEUE_FULL = QUEUE - 8 * MO_SCENE_MAX_DEPTH - 8,
};

/* What a group is still to visit. */
typedef struct visit {
  uint32_t group, child;
} visit;

/* Groups go down together, so that while one's nodes come from memory, others are looked at. */
void MO_ISA_FN(mo_pair_search_groups)(mo_pair_search *q, const mo_pair_group *given,
                                      uint32_t count) {
  const mo_scene *scene = q->scene[0];
  group groups[MO_PAIR_GROUPS];
  visit queue[QUEUE];
  uint32_t begin = 0, end = 0; /* modulo 2^32 */
  for (uint32_t i = 0; i < count; i++) {
    group *g = &groups[i];
    *g = (group){.block = mo_shape_block_at(scene, given[i].block), .lanes = given[i].lanes};
    g->moving = (g->block->dynamic & g->lanes) != 0;
    g->box = mo_aabb_empty();
    for (uint32_t left = g->lanes; left != 0; left &= left - 1) {
      g->box = mo_aabb_union(g->box, mo_bounds8_get(&g->block->bounds, __builtin_ctz(left)));
    }
    queue[end++] = (visit){i, scene->root};
  }
  while (begin != end && !q->stopped) {
    visit next = queue[(end - begin < QUEUE_FULL ? begin++ : --end) & (QUEUE - 1)];
    const group *g = &groups[next.group];
    if (mo_child_is_leaf(next.child)) {
      group_list(q, g, mo_child_index(next.child));
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(scene, next.child);
    if (node->items != MO_NONE) {
      group_list(q, g, node->items);
    }
    uint32_t mask = mo_cull_box(&node->bounds, &g->box);
    mask &= g->moving ? ALL : scene->marks[next.child].dynamic;
    for (; mask != 0; mask &= mask - 1) {
      uint32_t child = node->child[__builtin_ctz(mask)];
      if (mo_child_is_leaf(child)) {
        prefetch_block(scene, mo_child_index(child));
      } else {
        prefetch_node(scene, child);
      }
      queue[end++ & (QUEUE - 1)] = (visit){next.group, child};
    }
  }
}
