/* The search for all pairs within a distance, by the visitor of two octrees (octree/visit_pairs.h).
 * One of two boxes is enlarged by the distance wherever they are compared. Leaves are tested by the
 * code of blocks.h, as in the search for touching boxes. */
#define MO_SEARCH_WITHIN_DISTANCE 1

#include "octree/visit_pairs.h"
#include "pairs/search/blocks.h"
#include "scene/octree/octree.h"

_Static_assert((int)MO_SCENE_MAX_DEPTH < (int)MO_PAIR_MAX_LEVELS, "a scene could be too deep");

typedef struct traversal {
  mo_block_search blocks;
  uint32_t count; /* length of `pairs` */
  mo_block_leaf_pair pairs[MO_MAX_BLOCK_LEAF_PAIRS];
} traversal;

static bool test_two_leaves(const mo_pair_child *a, const mo_pair_child *b, void *query) {
  traversal *w = query;
  w->count = mo_collect_block_leaf_pairs(&w->blocks, w->pairs, w->count, mo_child_index(a->child),
                                         mo_child_index(b->child), b->bounds, b->lane);
  return !w->blocks.search->stopped;
}

static bool test_leaf_against_itself(uint32_t child, void *query) {
  traversal *w = query;
  mo_test_list_against_itself(&w->blocks, MO_STREAM_IN_BLOCK, MO_STREAM_BETWEEN_LEAVES,
                              mo_child_index(child));
  return !w->blocks.search->stopped;
}

static mo_pair_node load_node(uint32_t side, uint32_t index, mo_pair_node_buffer *memory,
                              const void *query) {
  (void)memory;
  const traversal *w = query;
  const mo_scene_node *at = mo_scene_node_at(w->blocks.scene[side], index);
  return (mo_pair_node){&at->bounds, at->child, MO_CHILD_LEAF | at->items};
}
_Static_assert((MO_CHILD_LEAF | MO_NONE) == MO_CHILD_EMPTY, "a node without items has none");

static mo_aabb items_box(uint32_t side, uint32_t items, const void *query) {
  const traversal *w = query;
  return mo_block_list_bounds(w->blocks.scene[side], mo_child_index(items));
}

static uint32_t active_octants(uint32_t side, uint32_t index, const void *query) {
  const traversal *w = query;
  const mo_motion_marks marks = w->blocks.scene[side]->motion_marks[index];
  return !w->blocks.active_only         ? MO_ALL_LANES
         : w->blocks.search->awake_only ? marks.awake
                                        : marks.dynamic;
}

static bool is_leaf_active(uint32_t side, uint32_t child, const void *query) {
  const traversal *w = query;
  return !w->blocks.active_only || mo_list_is_active(&w->blocks, side, mo_child_index(child));
}

static uint32_t cull(uint32_t side, const mo_bounds8 *boxes, const mo_pair_child *part,
                     const void *query) {
  (void)side;
  const traversal *w = query;
  return mo_boxes_near_lane(boxes, part->bounds, part->lane, mo_max_distance_of(&w->blocks));
}

static void count_visit(void *query) {
  traversal *w = query;
  w->blocks.search->node_visit_count++;
}

static const mo_pair_visitor visitor = {
    load_node, items_box,       active_octants,           is_leaf_active,
    cull,      test_two_leaves, test_leaf_against_itself, count_visit};

void MO_ISA_FN(mo_pair_search_near)(mo_pair_search *search, const mo_pair_job *job) {
  traversal w;
  w.count = 0;
  mo_block_search_begin(&w.blocks, search);
  mo_visit_pairs(&visitor, job->child, job->box,
                 w.blocks.is_one_scene && job->child[0] == job->child[1], &w);
  mo_probe_block_leaf_pairs(&w.blocks, w.pairs, w.count);
  mo_test_probes(&w.blocks, MO_STREAM_BETWEEN_LEAVES, 1);
  mo_block_search_end(&w.blocks);
}
