/* The search for all pairs whose boxes touch: a descent of two shape octrees at once, or of one
 * against itself.
 *
 * Each node of the first side comes with its candidates: the nodes and leaves of the other side
 * that touch it. The children of the candidates are put side by side in rows, and each child of the
 * node is tested against sixteen of them at a time. Against itself, a node's own children come
 * first in the rows, and each is tested only against those after it, so that no pair is found
 * twice.
 *
 *   candidates of a node         -> rows of their children that touch the node
 *   a child against all the rows -> candidates of that child; for a leaf, pairs of leaves
 *   pairs of leaves              -> pairs of shapes (blocks.h)
 *
 * The descent is depth first and each level has its own rows, so these stay in the L1 cache.
 * Whether two boxes touch is unpredictable, so results are appended by vector compression, without
 * a branch for each. The order in which pairs are found changes little when the trees change.
 * Shapes that an inner node stores itself are rare; each such list descends the other subtree
 * separately.
 *
 * This does not use the visitor of two octrees (octree/visit_pairs.h), which expands one node
 * against one other. With the same tests of leaves and 20,000 boxes in AVX2, the visitor executes
 * 24 % more instructions if boxes are spread evenly, 33 % in loose cells and 6 % in clusters,
 * mispredicts 1.8, 2.6 and 1.2 times as many branches, and takes 1.15 to 1.25 times as long on the
 * first two. */
#include "pairs/search/blocks.h"
#include "pairs/search/wide.h"
#include "scene/octree/octree.h"

enum {
  MAX_LEAF_PAIRS = 128, /* pairs of leaves that are collected before they are tested */
  MAX_SELF_LEAVES = 32, /* leaves collected before each is tested against itself */
  /* How many candidates the upper and the lower levels of the descent can store; more candidates
   * are processed in batches. Capacities are multiples of the row width, and enough for a node's
   * own children and the children of one candidate. */
  LEVELS = MO_SCENE_MAX_DEPTH + 1,
  UPPER_LEVELS = 10,
  UPPER_LEVEL_CAPACITY = 64,
  LOWER_LEVEL_CAPACITY = 2 * MO_WIDE_LANES,
  MAX_CANDIDATES = UPPER_LEVELS * UPPER_LEVEL_CAPACITY +
                   (LEVELS - UPPER_LEVELS) * LOWER_LEVEL_CAPACITY + MO_WIDE_LANES,
  STACK_CAPACITY = UPPER_LEVEL_CAPACITY + 7 * MO_SCENE_MAX_DEPTH + 8,
};

/* Flag in a candidate's `parent_octant` (node << 3 | octant): the candidate has active shapes. */
#define ACTIVE_BIT 0x80000000u

typedef struct traversal {
  mo_block_search blocks;
  /* Pending pairs of leaves: a leaf of the first side, a leaf of the second side and its
   * `parent_octant`. */
  uint32_t leaf_count;
  uint32_t leaf[MAX_LEAF_PAIRS + MO_WIDE_LANES], other_leaf[MAX_LEAF_PAIRS + MO_WIDE_LANES],
      other_leaf_parent_octant[MAX_LEAF_PAIRS + MO_WIDE_LANES];
  uint32_t self_leaf_count;
  uint32_t self_leaves[MAX_SELF_LEAVES]; /* leaves to test against themselves */
  uint32_t stack_count;
  uint32_t stack[STACK_CAPACITY]; /* nodes to test against one leaf */
  /* By level, one range each: the candidates for a node's children, with their boxes; and the
   * candidates that touch one of these children. */
  alignas(MO_ALIGNMENT) float lower[3][MAX_CANDIDATES];
  float upper[3][MAX_CANDIDATES];
  uint32_t child[MAX_CANDIDATES],
      parent_octant[MAX_CANDIDATES]; /* ref: node << 3 | octant, and ACTIVE_BIT */
  uint32_t touching_child[MAX_CANDIDATES], touching_parent_octant[MAX_CANDIDATES];
} traversal;

/* A visit of a node of the first side: its box, in a lane of `bounds`, and its candidates. */
typedef struct visit {
  uint32_t index, level;
  const mo_bounds8 *bounds;
  uint32_t lane;
  bool active;          /* whether the node has active shapes (mo_pair_search) */
  bool tests_itself;    /* whether the node is also tested against itself */
  uint32_t list, count; /* the range of its candidates in `touching_child` */
} visit;

MO_INLINE uint32_t level_begin(uint32_t level) {
  return level < UPPER_LEVELS
             ? level * UPPER_LEVEL_CAPACITY
             : UPPER_LEVELS * UPPER_LEVEL_CAPACITY + (level - UPPER_LEVELS) * LOWER_LEVEL_CAPACITY;
}

MO_INLINE uint32_t level_capacity(uint32_t level) {
  return level < UPPER_LEVELS ? UPPER_LEVEL_CAPACITY : LOWER_LEVEL_CAPACITY;
}

/* Returns a bit for each octant of a node that is a leaf or empty. */
MO_INLINE uint32_t leaf_octants(const mo_scene_node *node) {
  return mo_u8_equal(node->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
}

MO_INLINE uint32_t nonempty_octants(const mo_scene_node *node) {
  return MO_ALL_LANES & ~mo_u8_equal(node->child, UINT32_MAX, MO_CHILD_EMPTY);
}

MO_INLINE uint32_t active_octants(const traversal *w, uint32_t side, uint32_t node) {
  mo_motion_marks marks = w->blocks.scene[side]->motion_marks[node];
  return w->blocks.search->awake_only ? marks.awake : marks.dynamic;
}

/* The parent of a candidate; its `bounds` have the candidate's box in a lane. */
MO_INLINE const mo_scene_node *parent_of(const traversal *w, uint32_t parent_octant) {
  return mo_scene_node_at(w->blocks.scene[1], (parent_octant & ~ACTIVE_BIT) >> 3);
}

/* --- leaves --- */

/* Tests the collected pairs of leaves. */
static void test_leaf_pairs(traversal *w) {
  mo_block_leaf_pair pairs[MO_MAX_BLOCK_LEAF_PAIRS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->leaf_count; i++) {
    uint32_t parent_octant = w->other_leaf_parent_octant[i];
    count = mo_collect_block_leaf_pairs(&w->blocks, pairs, count, w->leaf[i],
                                        mo_child_index(w->other_leaf[i]),
                                        &parent_of(w, parent_octant)->bounds, parent_octant & 7);
  }
  w->leaf_count = 0;
  mo_probe_block_leaf_pairs(&w->blocks, pairs, count);
  mo_test_probes(&w->blocks, MO_STREAM_BETWEEN_LEAVES, 1);
}

static void test_self_leaves(traversal *w) {
  for (uint32_t i = 0; i < w->self_leaf_count; i++) {
    mo_test_list_against_itself(&w->blocks, MO_STREAM_IN_BLOCK, MO_STREAM_BETWEEN_BLOCKS,
                                w->self_leaves[i]);
  }
  w->self_leaf_count = 0;
  mo_test_probes(&w->blocks, MO_STREAM_BETWEEN_BLOCKS, 1);
}

/* Tests a leaf, whose box is in a lane of `bounds`, against all leaves in the subtrees of the nodes
 * on the stack. */
static void test_leaf_against_stack(traversal *w, uint32_t leaf, bool active,
                                    const mo_bounds8 *bounds, uint32_t lane) {
  while (w->stack_count > 0) {
    uint32_t index = w->stack[--w->stack_count];
    const mo_scene_node *node = mo_scene_node_at(w->blocks.scene[1], index);
    if (node->items != MO_NONE) {
      mo_test_two_lists(&w->blocks, MO_STREAM_NODE_ITEMS, node->items, leaf, 0, bounds, lane);
      mo_test_probes(&w->blocks, MO_STREAM_NODE_ITEMS, 0);
    }
    uint32_t row = mo_boxes_touching_lane(&node->bounds, bounds, lane);
    if (!active) {
      row &= active_octants(w, 1, index);
    }
    for (; row != 0; row &= row - 1) {
      uint32_t octant = mo_first_lane(row), child = node->child[octant];
      if (!mo_child_is_leaf(child)) {
        w->stack[w->stack_count++] = child;
        continue;
      }
      if (w->leaf_count == MAX_LEAF_PAIRS) {
        test_leaf_pairs(w);
      }
      w->leaf[w->leaf_count] = leaf;
      w->other_leaf[w->leaf_count] = child;
      w->other_leaf_parent_octant[w->leaf_count++] = index << 3 | octant;
    }
  }
}

/* --- shapes that nodes store themselves --- */

/* Tests the list of blocks `head` of `side` against all shapes below node `index` of the other
 * side, which does not contain the list; if `items` is set, also against the shapes that this node
 * stores itself. */
static void test_list_against_subtree(traversal *w, uint32_t head, uint32_t side,
                                      const mo_aabb *box, uint32_t index, bool items) {
  const mo_scene *scene = w->blocks.scene[side ^ 1];
  mo_bounds8 bounds;
  mo_bounds8_clear(&bounds);
  mo_bounds8_set(&bounds, 0, *box);
  bool active = !w->blocks.active_only || mo_list_is_active(&w->blocks, side, head);
  uint32_t stack[MO_SCENE_STACK_SIZE];
  uint32_t count = 1;
  stack[0] = index;
  while (count > 0) {
    uint32_t next = stack[--count];
    const mo_scene_node *node = mo_scene_node_at(scene, next);
    if (node->items != MO_NONE && (items || next != index)) {
      mo_test_two_lists(&w->blocks, MO_STREAM_NODE_ITEMS, node->items, head, side, &bounds, 0);
    }
    uint32_t row = mo_boxes_touching_lane(&node->bounds, &bounds, 0);
    if (!active) {
      row &= active_octants(w, side ^ 1, next);
    }
    for (; row != 0; row &= row - 1) {
      uint32_t child = node->child[mo_first_lane(row)];
      if (mo_child_is_leaf(child)) {
        mo_test_two_lists(&w->blocks, MO_STREAM_NODE_ITEMS, mo_child_index(child), head, side,
                          &bounds, 0);
      } else {
        stack[count++] = child;
      }
    }
  }
  mo_test_probes(&w->blocks, MO_STREAM_NODE_ITEMS, side);
}

/* As test_list_against_subtree, but only if the box around the list touches the subtree's box. */
static void test_items_against_subtree(traversal *w, uint32_t head, uint32_t side,
                                       const mo_aabb *other_box, uint32_t index, bool items) {
  mo_aabb box = mo_block_list_bounds(w->blocks.scene[side], head);
  if (mo_aabb_overlap(box, *other_box)) {
    test_list_against_subtree(w, head, side, &box, index, items);
  }
}

/* Tests the shapes that a node stores itself against a candidate and its subtree; and the shapes
 * that the candidate stores itself against everything below the node. */
static void test_items(traversal *w, uint32_t index, uint32_t child, uint32_t parent_octant) {
  const mo_scene_node *node = mo_scene_node_at(w->blocks.scene[0], index);
  if (mo_child_is_leaf(child)) {
    if (node->items != MO_NONE) {
      mo_test_two_lists(&w->blocks, MO_STREAM_NODE_ITEMS, node->items, mo_child_index(child), 1,
                        &parent_of(w, parent_octant)->bounds, parent_octant & 7);
      mo_test_probes(&w->blocks, MO_STREAM_NODE_ITEMS, 1);
    }
    return;
  }
  const mo_scene_node *other = mo_scene_node_at(w->blocks.scene[1], child);
  if (node->items != MO_NONE) {
    mo_aabb box = mo_aabb_union(mo_bounds8_union(&other->bounds),
                                mo_block_list_bounds(w->blocks.scene[1], other->items));
    test_items_against_subtree(w, node->items, 0, &box, child, true);
  }
  if (other->items != MO_NONE) {
    mo_aabb box = mo_bounds8_union(&node->bounds);
    test_items_against_subtree(w, other->items, 1, &box, index, false);
  }
}

static void test_own_items(traversal *w, uint32_t index) {
  const mo_scene_node *node = mo_scene_node_at(w->blocks.scene[0], index);
  mo_aabb box = mo_bounds8_union(&node->bounds);
  mo_test_list_against_itself(&w->blocks, MO_STREAM_NODE_ITEMS, MO_STREAM_NODE_ITEMS, node->items);
  mo_test_probes(&w->blocks, MO_STREAM_NODE_ITEMS, 1);
  test_items_against_subtree(w, node->items, 0, &box, index, false);
}

/* --- nodes --- */

/* Appends some children of a node to the candidates; returns how many. */
MO_INLINE uint32_t add_children(traversal *w, uint32_t at, uint32_t side, uint32_t index,
                                uint32_t octants) {
  alignas(MO_ALIGNMENT) static const uint32_t numbers[MO_LANE_COUNT] = {0, 1, 2, 3, 4, 5, 6, 7};
  const mo_scene_node *node = mo_scene_node_at(w->blocks.scene[side], index);
  for (int axis = 0; axis < 3; axis++) {
    mo_f8_store_unaligned(w->lower[axis] + at,
                          mo_f8_compress(mo_f8_load(node->bounds.lower[axis]), octants));
    mo_f8_store_unaligned(w->upper[axis] + at,
                          mo_f8_compress(mo_f8_load(node->bounds.upper[axis]), octants));
  }
  mo_u8 refs = mo_u8_or(mo_u8_load(numbers), mo_u8_splat(index << 3));
  mo_u8_store_unaligned(w->child + at, mo_u8_compress(mo_u8_load(node->child), octants));
  mo_u8_store_unaligned(w->parent_octant + at, mo_u8_compress(refs, octants));
  uint32_t count = (uint32_t)__builtin_popcount(octants);
  if (w->blocks.active_only) {
    uint32_t active = active_octants(w, side, index);
    for (uint32_t i = at; i < at + count; i++) {
      w->parent_octant[i] |= (active >> (w->parent_octant[i] & 7) & 1) * ACTIVE_BIT;
    }
  }
  return count;
}

/* Appends to the candidates for a node's children those children of a candidate that touch the
 * node; if the candidate is a leaf, the leaf itself. */
MO_INLINE uint32_t add_children_of_candidate(traversal *w, const visit *v, const mo_box_lanes *box,
                                             uint32_t at, uint32_t child, uint32_t parent_octant) {
  if (mo_child_is_leaf(child)) {
    const mo_bounds8 *bounds = &parent_of(w, parent_octant)->bounds;
    for (int axis = 0; axis < 3; axis++) {
      w->lower[axis][at] = bounds->lower[axis][parent_octant & 7];
      w->upper[axis][at] = bounds->upper[axis][parent_octant & 7];
    }
    w->child[at] = child;
    w->parent_octant[at] = parent_octant;
    return 1;
  }
  uint32_t row =
      mo_boxes_touching_box_lanes(&mo_scene_node_at(w->blocks.scene[1], child)->bounds, box);
  if (!v->active) {
    row &= active_octants(w, 1, child);
  }
  return add_children(w, at, 1, child, row);
}

static void test_children(traversal *w, const visit *v, uint32_t count, uint32_t own);

static void visit_node(traversal *w, const visit *v) {
  const mo_scene_node *node = mo_scene_node_at(w->blocks.scene[0], v->index);
  uint32_t begin = level_begin(v->level), end = begin + level_capacity(v->level), at = begin;
  w->blocks.search->node_visit_count += 1 + v->count;
  uint32_t own = 0; /* how many of the first candidates are the node's own children */
  if (v->tests_itself) {
    at += own = add_children(w, at, 0, v->index, nonempty_octants(node));
    if (node->items != MO_NONE) {
      test_own_items(w, v->index);
    }
  }
  mo_box_lanes box = mo_lane_box(v->bounds, v->lane);
  for (uint32_t i = v->list; i < v->list + v->count; i++) {
    uint32_t child = w->touching_child[i], parent_octant = w->touching_parent_octant[i];
    uint32_t items =
        mo_child_is_leaf(child) ? MO_NONE : mo_scene_node_at(w->blocks.scene[1], child)->items;
    if ((node->items & items) != MO_NONE) {
      test_items(w, v->index, child, parent_octant);
    }
    at += add_children_of_candidate(w, v, &box, at, child, parent_octant);
    if (at > end - MO_LANE_COUNT) {
      test_children(w, v, at - begin, own);
      own = 0;
      at = begin;
    }
  }
  if (at > begin) {
    test_children(w, v, at - begin, own);
  }
}

/* Returns a bit for each of the MO_WIDE_LANES candidates from `i` on, as far as `end`, that touches
 * a child's box. If `active` is false, only candidates with active shapes count. */
MO_INLINE uint32_t touching_candidates(const traversal *w, uint32_t i, uint32_t end,
                                       const mo_wide_box *box, bool active) {
  uint32_t row = mo_wide_boxes_touching(box, w->lower[0] + i, w->upper[0] + i, MAX_CANDIDATES);
  row &= end - i < MO_WIDE_LANES ? (1u << (end - i)) - 1 : MO_ALL_WIDE_LANES;
  return active ? row : row & mo_wide_top_bits(w->parent_octant + i);
}

/* Bits of the candidates of the first row with which a child is tested. If the first of these are
 * the node's own children (`own` > 0), only those after the child itself, whose bit is `lane`. */
MO_INLINE uint32_t candidates_after(uint32_t children, uint32_t lane, uint32_t own) {
  uint32_t before = (uint32_t)__builtin_popcount(children & (2 * lane - 1));
  return own > 0 ? MO_ALL_WIDE_LANES & (0u - (1u << before)) : MO_ALL_WIDE_LANES;
}

/* Tests the child `octant` of a node, a leaf, against the candidates from `begin` to `end`; of the
 * first row, only the candidates with bits in `first`. */
MO_INLINE void test_leaf(traversal *w, const mo_scene_node *node, uint32_t octant, bool active,
                         uint32_t begin, uint32_t end, uint32_t first) {
  uint32_t leaf = mo_child_index(node->child[octant]);
  mo_block_prefetch(w->blocks.scene[0], leaf);
  mo_wide_box box = mo_wide_box_of(&node->bounds, octant);
  for (uint32_t i = begin, some = first; i < end; i += MO_WIDE_LANES, some = MO_ALL_WIDE_LANES) {
    uint32_t row = touching_candidates(w, i, end, &box, active) & some;
    uint32_t nodes = row & ~mo_wide_top_bits(w->child + i);
    row ^= nodes;
    for (; nodes != 0; nodes &= nodes - 1) {
      w->stack[w->stack_count++] = w->child[i + (uint32_t)__builtin_ctz(nodes)];
    }
    if (w->leaf_count > MAX_LEAF_PAIRS - MO_WIDE_LANES) {
      test_leaf_pairs(w);
    }
    mo_wide_fill(w->leaf + w->leaf_count, leaf);
    mo_wide_compress(w->other_leaf + w->leaf_count, w->child + i, row);
    mo_wide_compress(w->other_leaf_parent_octant + w->leaf_count, w->parent_octant + i, row);
    w->leaf_count += (uint32_t)__builtin_popcount(row);
  }
  if (w->stack_count > 0) {
    test_leaf_against_stack(w, leaf, active, &node->bounds, octant);
  }
}

/* Lists the candidates that touch a child that is an inner node; returns their number. */
MO_INLINE uint32_t list_touching(traversal *w, const mo_wide_box *box, bool active, uint32_t begin,
                                 uint32_t end, uint32_t first) {
  uint32_t to = begin;
  for (uint32_t i = begin, some = first; i < end; i += MO_WIDE_LANES, some = MO_ALL_WIDE_LANES) {
    uint32_t row = touching_candidates(w, i, end, box, active) & some;
    mo_wide_compress(w->touching_child + to, w->child + i, row);
    mo_wide_compress(w->touching_parent_octant + to, w->parent_octant + i, row);
    to += (uint32_t)__builtin_popcount(row);
  }
  return to - begin;
}

MO_INLINE void prefetch_nodes(const traversal *w, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i += MO_WIDE_LANES) {
    uint32_t nodes = ~mo_wide_top_bits(w->child + i);
    nodes &= end - i < MO_WIDE_LANES ? (1u << (end - i)) - 1 : MO_ALL_WIDE_LANES;
    for (; nodes != 0; nodes &= nodes - 1) {
      mo_node_prefetch(w->blocks.scene[1], w->child[i + (uint32_t)__builtin_ctz(nodes)]);
    }
  }
}

/* Tests the children of a node against `count` candidates, the first `own` of which are these
 * children. */
static void test_children(traversal *w, const visit *v, uint32_t count, uint32_t own) {
  const mo_scene_node *node = mo_scene_node_at(w->blocks.scene[0], v->index);
  uint32_t begin = level_begin(v->level), end = begin + count;
  uint32_t active = w->blocks.active_only ? active_octants(w, 0, v->index) : MO_ALL_LANES;
  uint32_t children = nonempty_octants(node), leaves = children & leaf_octants(node);
  for (uint32_t left = leaves; left != 0; left &= left - 1) {
    uint32_t octant = mo_first_lane(left), lane = 1u << octant;
    uint32_t first = candidates_after(children, lane, own);
    test_leaf(w, node, octant, active & lane, begin, end, first);
    if (own > 0 && (active & lane)) {
      if (w->self_leaf_count == MAX_SELF_LEAVES) {
        test_self_leaves(w);
      }
      w->self_leaves[w->self_leaf_count++] = mo_child_index(node->child[octant]);
    }
  }
  if (children == leaves) {
    return;
  }
  prefetch_nodes(w, begin, end);
  uint32_t left = children & ~leaves;
  for (; left != 0 && !w->blocks.search->stopped; left &= left - 1) {
    uint32_t octant = mo_first_lane(left), lane = 1u << octant;
    uint32_t first = candidates_after(children, lane, own);
    mo_wide_box box = mo_wide_box_of(&node->bounds, octant);
    visit next = {
        .index = node->child[octant],
        .level = v->level + 1,
        .bounds = &node->bounds,
        .lane = octant,
        .active = active & lane,
        .tests_itself = own > 0 && (active & lane),
        .list = begin,
        .count = list_touching(w, &box, active & lane, begin, end, first),
    };
    if (next.count > 0 || next.tests_itself) {
      visit_node(w, &next);
    }
  }
}

/* --- jobs --- */

static void search_subtree(traversal *w, const mo_pair_job *job, const mo_bounds8 *bounds) {
  uint32_t child = job->child[0];
  if (child == MO_CHILD_EMPTY) {
    return;
  }
  if (mo_child_is_leaf(child)) {
    w->self_leaves[w->self_leaf_count++] = mo_child_index(child);
    return;
  }
  visit_node(w, &(visit){.index = child, .bounds = bounds, .active = true, .tests_itself = true});
}

static void search_two_subtrees(traversal *w, const mo_pair_job *job, const mo_bounds8 *bounds) {
  uint32_t a = job->child[0], b = job->child[1];
  if (a == MO_CHILD_EMPTY || b == MO_CHILD_EMPTY) {
    return;
  }
  if (mo_child_is_leaf(a) && mo_child_is_leaf(b)) {
    mo_test_two_lists(&w->blocks, MO_STREAM_BETWEEN_LEAVES, mo_child_index(a), mo_child_index(b), 1,
                      bounds, 1);
    mo_test_probes(&w->blocks, MO_STREAM_BETWEEN_LEAVES, 1);
  } else if (mo_child_is_leaf(a)) {
    test_list_against_subtree(w, mo_child_index(a), 0, &job->box[0], b, true);
  } else if (mo_child_is_leaf(b)) {
    test_list_against_subtree(w, mo_child_index(b), 1, &job->box[1], a, true);
  } else {
    uint32_t list = MAX_CANDIDATES - MO_WIDE_LANES; /* after the ranges of all levels */
    w->touching_child[list] = b;
    w->touching_parent_octant[list] = 0;
    visit_node(w, &(visit){.index = a, .bounds = bounds, .active = true, .list = list, .count = 1});
  }
}

void MO_ISA_FN(mo_pair_search_job)(mo_pair_search *search, const mo_pair_job *job) {
  traversal w;
  mo_block_search_begin(&w.blocks, search);
  w.leaf_count = w.self_leaf_count = w.stack_count = 0;
  mo_bounds8 bounds;
  mo_bounds8_clear(&bounds);
  mo_bounds8_set(&bounds, 0, job->box[0]);
  mo_bounds8_set(&bounds, 1, job->box[1]);
  if (w.blocks.is_one_scene && job->child[0] == job->child[1]) {
    search_subtree(&w, job, &bounds);
  } else {
    search_two_subtrees(&w, job, &bounds);
  }
  test_leaf_pairs(&w);
  test_self_leaves(&w);
  mo_block_search_end(&w.blocks);
}
