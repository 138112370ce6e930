/* The search for the pairs of some shapes, usually the shapes that have moved. The shapes that lie
 * in one block form a group, and many groups descend the tree from the root together, in waves.
 * Like the search for all pairs (search_kernel.c), it works in stages, each with a list of items:
 *
 *   - A visit is a group at a node. It adds visits of the children that the group's box touches,
 *     and the blocks of leaves that it touches.
 *   - A group at a block adds the next block of the same list, and a probe for each of its shapes.
 *   - A probe is a shape against the eight boxes of a block. It adds a hit if the shape touches any
 *     of the boxes. A group of one shape is tested at once, without a probe.
 *   - A hit is a shape and the lanes of a block that it touches. It adds pairs.
 *
 * Results are appended to lists by vector compression, without a branch for each.
 *
 * This is not one of the tree visitors, which would process one group after another: here the cache
 * misses of many groups overlap. Descending in waves saves 7 to 13 % of the search on the workloads
 * with few movers. */
#include <string.h>

#include "base/mask.h"
#include "pairs/search/rows.h"

enum {
  VISITS_PER_WAVE = 64, /* node visits in a wave; while fewer are pending, more groups start */
  /* If more visits than this are pending, a wave has one visit: then the descent is depth first,
   * which bounds the length of the list of visits. */
  MAX_VISITS_FOR_WAVES = 512,
  MAX_VISITS = MAX_VISITS_FOR_WAVES + VISITS_PER_WAVE * MO_LANE_COUNT + 8 * MO_SCENE_MAX_DEPTH,
  MAX_BLOCKS = 256,
  MAX_PROBES = 256,
  MAX_HITS = 2 * MAX_PROBES,
  NODES_AHEAD = 6,   /* prefetch distance, in visits of nodes */
  BLOCKS_AHEAD = 20, /* prefetch distance, in blocks */
  GROUPS_AHEAD = 24, /* prefetch distance, in groups whose search starts */
  /* Groups of more shapes than this are tested as a whole first, by the box around their shapes. */
  MAX_SMALL_GROUP_SHAPES = 2,
};

typedef struct traversal {
  mo_pair_search *search;
  const mo_scene *scene;
  const mo_pair_group *groups;
  mo_bounds8 boxes[MO_MAX_PAIR_GROUPS / MO_LANE_COUNT]; /* boxes around the shapes of the groups */
  bool moving[MO_MAX_PAIR_GROUPS]; /* whether a group has a shape that is not static */
  uint32_t node_count;
  uint32_t node[MAX_VISITS + VISITS_PER_WAVE],
      node_group[MAX_VISITS + VISITS_PER_WAVE]; /* pending visits: node, and group */
  uint32_t block_count;
  uint32_t block[MAX_BLOCKS + MO_LANE_COUNT],
      block_group[MAX_BLOCKS + MO_LANE_COUNT]; /* pending tests: block, and group */
  uint32_t probe_count;
  mo_block_probe probes[MAX_PROBES];
  uint32_t hit_count;
  mo_block_hit hits[MAX_HITS + 1];
} traversal;

MO_INLINE const mo_bounds8 *box_of(const traversal *w, uint32_t group) {
  return &w->boxes[group / MO_LANE_COUNT];
}

/* Adds the pairs of a shape with the shapes in some lanes of a block. A pair of two shapes in
 * groups is found from both shapes, and only added from the lower slot. */
MO_INLINE void add_pairs(mo_pair_search *q, uint32_t slot, const mo_shape_block *block,
                         uint32_t lanes) {
  if (q->count > MO_MAX_PAIR_KEYS - MO_LANE_COUNT) {
    mo_pair_flush(q);
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    uint32_t other = block->shape[__builtin_ctz(lanes)];
    uint32_t before = other < slot, swap = (slot ^ other) & mo_mask_from_bool(before);
    q->keys[q->count] = mo_pair_key(slot ^ swap, other ^ swap);
    q->count += !(before & (q->is_grouped[other] != 0));
  }
}

MO_INLINE void add_hit(traversal *w, mo_shape_place place, uint32_t block, uint32_t lanes) {
  w->hits[w->hit_count] = (mo_block_hit){place, block, lanes};
  w->hit_count += lanes != 0;
}

static void add_pairs_of_hits(traversal *w) {
  for (uint32_t i = 0; i < w->hit_count; i++) {
    const mo_block_hit *h = &w->hits[i];
    add_pairs(w->search,
              mo_shape_block_at(w->scene, h->shape_place >> 3)->shape[h->shape_place & 7],
              mo_shape_block_at(w->scene, h->block), h->lanes);
  }
  w->hit_count = 0;
}

static void test_probes(traversal *w) {
  if (w->hit_count > MAX_HITS - MAX_PROBES) {
    add_pairs_of_hits(w);
  }
  for (uint32_t i = 0; i < w->probe_count; i++) {
    mo_block_probe p = w->probes[i];
    uint32_t lane = p.shape_place & 7;
    const mo_shape_block *mine = mo_shape_block_at(w->scene, p.shape_place >> 3);
    const mo_shape_block *theirs = mo_shape_block_at(w->scene, p.block);
    uint32_t lanes = mo_boxes_touching_lane(&theirs->bounds, &mine->bounds, lane);
    lanes &= ~((uint32_t)(mine == theirs) << lane);
    if (w->search->active_only && !(mine->dynamic >> lane & 1)) {
      lanes &= theirs->dynamic;
    }
    add_hit(w, p.shape_place, p.block, lanes);
  }
  w->probe_count = 0;
}

/* Tests a group of one shape against the block `index`, and adds a hit if they touch. */
MO_INLINE void test_single_shape(traversal *w, uint32_t group, uint32_t index) {
  const mo_shape_block *block = mo_shape_block_at(w->scene, index);
  uint32_t mine = w->groups[group].block, lane = (uint32_t)__builtin_ctz(w->groups[group].lanes);
  uint32_t lanes = mo_boxes_touching_lane(&block->bounds, box_of(w, group), group % MO_LANE_COUNT);
  lanes &= ~((uint32_t)(mine == index) << lane);
  if (w->search->active_only && !w->moving[group]) {
    lanes &= block->dynamic;
  }
  if (w->hit_count == MAX_HITS) {
    add_pairs_of_hits(w);
  }
  add_hit(w, mine << 3 | lane, index, lanes);
}

/* Adds a probe against the block `index` for each shape of a group; for a large group, only if the
 * box around it touches a box of the block. */
MO_INLINE void test_group(traversal *w, uint32_t group, uint32_t index) {
  const mo_shape_block *block = mo_shape_block_at(w->scene, index);
  uint32_t lanes = w->groups[group].lanes;
  if (__builtin_popcount(lanes) > MAX_SMALL_GROUP_SHAPES &&
      mo_boxes_touching_lane(&block->bounds, box_of(w, group), group % MO_LANE_COUNT) == 0) {
    return;
  }
  if (w->probe_count > MAX_PROBES - MO_LANE_COUNT) {
    test_probes(w);
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    mo_shape_place place = w->groups[group].block << 3 | (uint32_t)__builtin_ctz(lanes);
    w->probes[w->probe_count++] = (mo_block_probe){place, index};
  }
}

/* Tests all pending groups at blocks: first at the first blocks of lists, then at the second
 * blocks, and so on. */
static void test_blocks(traversal *w) {
  for (uint32_t i = 0; i < w->block_count && i < BLOCKS_AHEAD; i++) {
    mo_block_prefetch(w->scene, mo_child_index(w->block[i]));
  }
  for (uint32_t count = w->block_count; count != 0;) {
    uint32_t more = 0;
    for (uint32_t i = 0; i < count; i++) {
      mo_block_prefetch(w->scene,
                        mo_child_index(w->block[i + BLOCKS_AHEAD < count ? i + BLOCKS_AHEAD : i]));
      uint32_t group = w->block_group[i], index = mo_child_index(w->block[i]);
      uint32_t next = mo_shape_block_at(w->scene, index)->next;
      w->block[more] = next;
      w->block_group[more] = group;
      more += next != MO_NONE;
      if ((w->groups[group].lanes & (w->groups[group].lanes - 1)) == 0) {
        test_single_shape(w, group, index);
      } else {
        test_group(w, group, index);
      }
    }
    count = more;
  }
  w->block_count = 0;
  test_probes(w);
  add_pairs_of_hits(w);
}

/* Makes the last VISITS_PER_WAVE visits of the list; visits of children replace them. The counts
 * are copied to local variables, as stores of eight entries might alias members: for these, the
 * compiler would write the counts to memory before each store, and read them after it. */
MO_INLINE void visit_wave(traversal *w) {
  uint32_t node[VISITS_PER_WAVE], group[VISITS_PER_WAVE];
  uint32_t count = w->node_count < VISITS_PER_WAVE ? w->node_count : VISITS_PER_WAVE;
  count = w->node_count > MAX_VISITS_FOR_WAVES ? 1 : count;
  uint32_t nodes = w->node_count - count, blocks = w->block_count;
  memcpy(node, w->node + nodes, sizeof node);
  memcpy(group, w->node_group + nodes, sizeof group);
  for (uint32_t i = 0; i < count; i++) {
    mo_node_prefetch(w->scene, node[i + NODES_AHEAD < count ? i + NODES_AHEAD : i]);
    const mo_scene_node *at = mo_scene_node_at(w->scene, node[i]);
    uint32_t row =
        mo_boxes_touching_lane(&at->bounds, box_of(w, group[i]), group[i] % MO_LANE_COUNT);
    if (w->search->active_only && !w->moving[group[i]]) {
      row &= w->scene->motion_marks[node[i]].dynamic;
    }
    if (blocks > MAX_BLOCKS - MO_LANE_COUNT - 1) {
      w->block_count = blocks;
      test_blocks(w);
      blocks = 0;
    }
    uint32_t leaves = row & mo_u8_equal(at->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
    mo_u8 children = mo_u8_load(at->child), same = mo_u8_splat(group[i]);
    mo_u8_store_unaligned(w->block + blocks, mo_u8_compress(children, leaves));
    mo_u8_store_unaligned(w->block_group + blocks, same);
    blocks += (uint32_t)__builtin_popcount(leaves);
    w->block[blocks] = at->items;
    w->block_group[blocks] = group[i];
    blocks += at->items != MO_NONE;
    mo_u8_store_unaligned(w->node + nodes, mo_u8_compress(children, row & ~leaves));
    mo_u8_store_unaligned(w->node_group + nodes, same);
    nodes += (uint32_t)__builtin_popcount(row & ~leaves);
  }
  w->node_count = nodes;
  w->block_count = blocks;
}

/* Stores the box around the shapes of a group, and adds its visit of the root. */
MO_INLINE void start_group(traversal *w, uint32_t group) {
  const mo_shape_block *block = mo_shape_block_at(w->scene, w->groups[group].block);
  uint32_t lanes = w->groups[group].lanes;
  w->moving[group] = (block->dynamic & lanes) != 0;
  mo_aabb box = mo_bounds8_get(&block->bounds, __builtin_ctz(lanes));
  for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
    box = mo_aabb_union(box, mo_bounds8_get(&block->bounds, __builtin_ctz(lanes)));
  }
  mo_bounds8_set(&w->boxes[group / MO_LANE_COUNT], (int)(group % MO_LANE_COUNT), box);
  if (!mo_child_is_leaf(w->scene->root)) {
    w->node[w->node_count] = w->scene->root;
    w->node_group[w->node_count++] = group;
    return;
  }
  if (w->block_count == MAX_BLOCKS) {
    test_blocks(w);
  }
  w->block[w->block_count] = w->scene->root;
  w->block_group[w->block_count++] = group;
}

void MO_ISA_FN(mo_pair_search_groups)(mo_pair_search *search, const mo_pair_group *groups,
                                      uint32_t count) {
  traversal w;
  w.search = search;
  w.scene = search->scene[0];
  w.groups = groups;
  w.node_count = w.block_count = w.probe_count = w.hit_count = 0;
  for (uint32_t i = 0; i < count && i < GROUPS_AHEAD; i++) {
    mo_block_prefetch(w.scene, groups[i].block);
  }
  for (uint32_t next = 0; (next < count || w.node_count != 0) && !search->stopped;) {
    for (; next < count && w.node_count < VISITS_PER_WAVE; next++) {
      mo_block_prefetch(w.scene,
                        groups[next + GROUPS_AHEAD < count ? next + GROUPS_AHEAD : next].block);
      start_group(&w, next);
    }
    visit_wave(&w);
  }
  test_blocks(&w);
}
