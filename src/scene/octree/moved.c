/* The marks of moved shapes, and the passes over marked shapes at the end of a call that moves
 * many.
 *
 * mo_tree_refit_moved_shapes marks the bounds above moved shapes as loose, then goes over the loose
 * parts of the tree: it collects lists of blocks, computes new boxes and finds misplaced shapes
 * many lists at a time, and tightens the bounds of each small subtree while it is in the cache.
 * Subtrees at most two levels below the root are processed in parallel, if tasks are wanted. */
#include "scene/octree/moved.h"

#include <string.h>

#include "base/assert.h"
#include "base/tasks.h"

enum {
  BLOCKS_PER_WORD = MO_MOVED_BLOCKS_PER_GROUP * 64, /* blocks per 64-bit word of the group bits */
  /* Depth of the roots of the subtrees that tasks process. */
  TASK_LEVEL = 2,
  /* Maximum number of nodes at depth TASK_LEVEL. */
  MAX_SUBTREES = MO_LANE_COUNT * MO_LANE_COUNT,
};

static size_t word_count_of_groups(uint32_t blocks) {
  return ((size_t)blocks + BLOCKS_PER_WORD - 1) / BLOCKS_PER_WORD;
}

/* Size of an array with one byte per block, rounded up to whole groups, in bytes. */
static size_t lane_bytes_of_blocks(uint32_t blocks) {
  return ((size_t)blocks + MO_MOVED_BLOCKS_PER_GROUP - 1) / MO_MOVED_BLOCKS_PER_GROUP *
         MO_MOVED_BLOCKS_PER_GROUP;
}

/* Size of the marks that one part of the moves sets, in bytes (a part is the moves of one task; see
 * mo_moves): the arrays groups, lanes, shifted_lanes and general_lanes follow each other. */
static size_t mark_bytes_of_part(uint32_t blocks) {
  return word_count_of_groups(blocks) * sizeof(uint64_t) + 3 * lane_bytes_of_blocks(blocks);
}

/* The marks of all parts follow each other in one allocation. */
size_t mo_moved_marks_bytes(const mo_scene *scene, uint32_t blocks) {
  return scene->moved_part_count * mark_bytes_of_part(blocks);
}

mo_moved_marks mo_moved_marks_of_part(const mo_scene *scene, uint32_t part) {
  uint32_t blocks = scene->moved.block_count;
  if (blocks == 0) {
    return (mo_moved_marks){0}; /* no memory is allocated, and null pointers allow no arithmetic */
  }
  size_t size = lane_bytes_of_blocks(blocks);
  char *memory = (char *)scene->moved.groups + part * mark_bytes_of_part(blocks);
  uint8_t *lanes = (uint8_t *)memory + word_count_of_groups(blocks) * sizeof(uint64_t);
  return (mo_moved_marks){(void *)memory, lanes, lanes + size, lanes + 2 * size, blocks};
}

mo_result mo_moved_marks_reserve(mo_scene *scene, uint32_t blocks) {
  size_t size = mo_moved_marks_bytes(scene, blocks);
  uint64_t *memory = mo_allocate(&scene->host.allocator, size, 1);
  if (memory == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(memory, 0, size);
  mo_deallocate(&scene->host.allocator, scene->moved.groups,
                mo_moved_marks_bytes(scene, scene->moved.block_count), 1);
  scene->moved = (mo_moved_marks){.groups = memory, .block_count = blocks};
  scene->moved = mo_moved_marks_of_part(scene, 0);
  return MO_OK;
}

/* Merges word by word, as the marks of a part are a whole number of 64-bit words. */
void mo_moved_marks_merge(mo_scene *scene, uint32_t count) {
  size_t words = mark_bytes_of_part(scene->moved.block_count) / sizeof(uint64_t);
  for (uint32_t part = 1; part < count; part++) {
    uint64_t *to = scene->moved.groups, *from = mo_moved_marks_of_part(scene, part).groups;
    for (size_t i = 0; i < words; i++) {
      to[i] |= from[i];
    }
    memset(from, 0, words * sizeof *from);
  }
}

uint32_t mo_moved_marks_list_blocks(const mo_scene *scene, uint32_t group,
                                    uint32_t blocks[MO_MOVED_BLOCKS_PER_GROUP]) {
  uint32_t count = 0, first = group * MO_MOVED_BLOCKS_PER_GROUP;
  for (uint32_t block = first; block < first + MO_MOVED_BLOCKS_PER_GROUP; block += 8) {
    uint64_t lanes, shifts, images;
    memcpy(&lanes, &scene->moved.lanes[block], sizeof lanes);
    memcpy(&shifts, &scene->moved.shifted_lanes[block], sizeof shifts);
    memcpy(&images, &scene->moved.general_lanes[block], sizeof images);
    lanes |= shifts | images;
    if (lanes == 0) {
      continue;
    }
    /* Lists eight blocks without branches, as it is unpredictable which of them are marked. */
    for (uint32_t i = 0; i < 8; i++) {
      blocks[count] = block + i;
      count += (lanes >> 8 * i & 0xff) != 0;
    }
  }
  return count;
}

static void clear_groups(mo_scene *scene) {
  size_t words = word_count_of_groups(scene->moved.block_count);
  if (words > 0) {
    memset(scene->moved.groups, 0, words * sizeof *scene->moved.groups);
  }
}

/* Calls a function with the marked blocks of each group, and prefetches the nodes that own them. */
static void visit_marked_blocks(mo_scene *scene,
                                void (*visit)(mo_scene *scene, const uint32_t *blocks,
                                              uint32_t count)) {
  uint32_t blocks[MO_MOVED_BLOCKS_PER_GROUP];
  for (uint32_t word = 0; word < word_count_of_groups(scene->moved.block_count); word++) {
    for (uint64_t left = scene->moved.groups[word]; left; left &= left - 1) {
      uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(left);
      uint32_t count = mo_moved_marks_list_blocks(scene, group, blocks);
      for (uint32_t i = 0; i < count; i++) {
        mo_prefetch(&scene->cells[blocks[i]].owner, 1);
      }
      for (uint32_t i = 0; i < count; i++) {
        mo_block_prefetch_owner(scene, blocks[i]);
      }
      visit(scene, blocks, count);
    }
  }
}

/* Marks blocks with misplaced shapes as having shapes outside their cells. */
static void leave_in_blocks(mo_scene *scene, const uint32_t *blocks, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_block_at(scene, blocks[i])->has_shapes_outside_cell = 1;
    scene->moved.lanes[blocks[i]] = 0;
  }
}

void mo_tree_leave_misplaced_shapes(mo_scene *scene) {
  visit_marked_blocks(scene, leave_in_blocks);
  clear_groups(scene);
  scene->has_shapes_outside_cell = true;
}

/* mo_mark_bounds_loose for the octants above some blocks. Consecutive blocks mostly belong to
 * children of one node, so its octants are collected and marked together. */
static void mark_loose_above(mo_scene *scene, const uint32_t *blocks, uint32_t count) {
  uint32_t index = MO_NONE >> 3, octants = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t parent_octant = mo_owner_octant(scene, scene->cells[blocks[i]].owner);
    if (parent_octant >> 3 != index) {
      mo_mark_octant_bounds_loose(scene, index, octants);
      index = parent_octant >> 3;
      octants = 0;
    }
    octants |= 1u << (parent_octant & 7);
  }
  mo_mark_octant_bounds_loose(scene, index, octants);
}

/* Sets the `dynamic` and `awake` marks of the ancestors of blocks. If a block may contain fewer
 * dynamic or awake shapes than before, also marks the bounds above it as loose, so that tightening
 * recomputes the ancestors' marks. */
static void update_motion_marks_above(mo_scene *scene, const uint32_t *blocks, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const mo_shape_block *block = mo_shape_block_at(scene, blocks[i]);
    uint32_t parent_octant = mo_owner_octant(scene, scene->cells[blocks[i]].owner);
    if (scene->moved.lanes[blocks[i]]) {
      mo_mark_bounds_loose(scene, parent_octant);
    }
    scene->moved.lanes[blocks[i]] = scene->moved.shifted_lanes[blocks[i]] = 0;
    mo_motion_marks_add_above(scene, parent_octant,
                              (mo_motion_marks){block->dynamic, block->awake});
  }
}

void mo_tree_update_motion_marks(mo_scene *scene) {
  visit_marked_blocks(scene, update_motion_marks_above);
  clear_groups(scene);
}

/* Marks all bounds in `levels` levels of a subtree as loose, without reading its blocks: for
 * updates in which all shapes have moved. */
static void mark_subtree_loose(mo_scene *scene, uint32_t child, uint32_t levels) {
  if (mo_child_is_leaf(child) || levels == 0) {
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  uint32_t nodes = mo_node_inner_octants(node);
  /* Octants are added to the marks: an octant that has become empty may be marked already. */
  node->loose_bounds = (uint8_t)(node->loose_bounds | mo_node_used_octants(node));
  for (uint32_t left = nodes; left; left &= left - 1) {
    mo_prefetch(mo_scene_node_at(scene, node->child[__builtin_ctz(left)])->child, 1);
  }
  for (uint32_t left = nodes; left; left &= left - 1) {
    mark_subtree_loose(scene, node->child[__builtin_ctz(left)], levels - 1);
  }
}

/* Subtracts `gone` shapes from the counts of nodes from `parent_octant` upward to node `top`. */
static void subtract_from_counts(mo_scene *scene, uint32_t parent_octant, uint32_t top,
                                 uint32_t gone) {
  for (bool below = true; below && parent_octant != MO_NONE && gone > 0;) {
    mo_scene_node *node = mo_scene_node_at(scene, parent_octant >> 3);
    MO_ASSERT(node->count >= gone);
    node->count -= gone;
    scene->maintenance[parent_octant >> 3].shapes_have_left = true;
    below = parent_octant >> 3 != top;
    parent_octant = node->parent;
  }
}

/* An update of the boxes of a subtree, with a queue of lists whose boxes are next. */
typedef struct box_update {
  mo_scene *scene;
  uint64_t max_shapes; /* subtrees with more shapes are processed child by child */
  uint32_t top;        /* the root node of the subtree */
  uint32_t list_count; /* lists in the queue */
  uint32_t misplaced;  /* misplaced shapes found so far */
  uint32_t blocks[MO_MOVED_QUEUE_CAPACITY]; /* the first block of each list */
} box_update;

/* Computes the new boxes of the lists in the queue, finds the shapes that no longer fit their
 * cells, and empties the queue. */
static void update_boxes_of_queue(box_update *s) {
  mo_compute_boxes_of_moved_shapes_by_isa[s->scene->isa](s->scene, s->blocks, s->list_count);
  s->list_count = 0;
}

static void enqueue(box_update *s, uint32_t head) {
  if (head == MO_NONE) {
    return;
  }
  if (s->list_count == MO_MOVED_MAX_LISTS) {
    update_boxes_of_queue(s);
  }
  MO_ASSERT(s->list_count < MO_MOVED_MAX_LISTS);
  s->blocks[s->list_count++] = head;
}

/* Adds all lists in the loose octants of a subtree to the queue. The leaves of a node are added
 * without branches. */
static void enqueue_subtree(box_update *s, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    enqueue(s, mo_leaf_list(child));
    return;
  }
  const mo_scene_node *node = mo_scene_node_at(s->scene, child);
  enqueue(s, node->items);
  if (s->list_count > MO_MOVED_MAX_LISTS - MO_LANE_COUNT) {
    update_boxes_of_queue(s);
  }
  uint32_t nodes = mo_node_inner_octants(node),
           leaves = node->loose_bounds & ~nodes & mo_node_used_octants(node);
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    s->blocks[s->list_count] = mo_child_index(node->child[octant]);
    MO_ASSERT(s->list_count < MO_MOVED_QUEUE_CAPACITY);
    s->list_count += leaves >> octant & 1;
  }
  for (uint32_t left = node->loose_bounds & nodes; left; left &= left - 1) {
    enqueue_subtree(s, node->child[__builtin_ctz(left)]);
  }
}

/* Computes the new boxes in the loose octants of a subtree, and finds misplaced shapes. In subtrees
 * of up to `max_shapes` shapes, tightens the bounds right after that, while the lists are in the
 * cache. */
static void update_boxes_of_subtree(box_update *s, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    enqueue_subtree(s, child);
    return;
  }
  const mo_scene_node *node = mo_scene_node_at(s->scene, child);
  if (node->count <= s->max_shapes) {
    enqueue_subtree(s, child);
    update_boxes_of_queue(s);
    uint32_t misplaced = mo_scene_tighten_subtree_by_isa[s->scene->isa](s->scene, child);
    if (child != s->top) {
      subtract_from_counts(s->scene, node->parent, s->top, misplaced);
    }
    s->misplaced += misplaced;
    return;
  }
  enqueue(s, node->items);
  for (uint32_t left = node->loose_bounds; left; left &= left - 1) {
    update_boxes_of_subtree(s, node->child[__builtin_ctz(left)]);
  }
}

/* Disjoint subtrees, which tasks may change concurrently. */
typedef struct subtree_set {
  mo_scene *scene;
  uint64_t max_shapes; /* subtrees with more shapes are processed child by child */
  bool all_moved;      /* all shapes have moved: tasks first mark all bounds as loose */
  /* The number of subtrees, their root nodes, and their numbers of misplaced shapes. */
  uint32_t count, nodes[MAX_SUBTREES], misplaced[MAX_SUBTREES];
} subtree_set;

static void update_boxes_task(uint32_t i, void *context) {
  subtree_set *t = context;
  if (t->all_moved) {
    mark_subtree_loose(t->scene, t->nodes[i], UINT32_MAX);
  }
  box_update s = {.scene = t->scene, .max_shapes = t->max_shapes, .top = t->nodes[i]};
  update_boxes_of_subtree(&s, t->nodes[i]);
  update_boxes_of_queue(&s);
  t->misplaced[i] = s.misplaced;
}

/* update_boxes_of_subtree in tasks, from TASK_LEVEL on. Returns the number of misplaced shapes. */
static uint32_t update_boxes_in_tasks(mo_scene *scene, uint64_t max, bool all) {
  subtree_set t = {
      .scene = scene, .max_shapes = max, .all_moved = all, .count = 1, .nodes = {scene->root}};
  /* In each step, the nodes of one level are replaced by their loose children. */
  for (int level = 0; level < TASK_LEVEL; level++) {
    subtree_set below = {.scene = scene, .max_shapes = max, .all_moved = all};
    for (uint32_t i = 0; i < t.count; i++) {
      const mo_scene_node *node = mo_scene_node_at(scene, t.nodes[i]);
      for (uint32_t left = node->loose_bounds; left; left &= left - 1) {
        uint32_t child = node->child[__builtin_ctz(left)];
        if (!mo_child_is_leaf(child)) {
          MO_ASSERT(below.count < MAX_SUBTREES);
          below.nodes[below.count++] = child;
        }
      }
    }
    t = below;
  }
  mo_tasks_run(&scene->host, t.count, update_boxes_task, &t);
  uint32_t misplaced = 0;
  for (uint32_t i = 0; i < t.count; i++) {
    misplaced += t.misplaced[i];
    subtract_from_counts(scene, mo_scene_node_at(scene, t.nodes[i])->parent, scene->root,
                         t.misplaced[i]);
  }
  return misplaced;
}

uint32_t mo_tree_refit_moved_shapes(mo_scene *scene, uint32_t moves, bool together) {
  if (scene->root == MO_CHILD_EMPTY) {
    return 0; /* all shapes are unbounded */
  }
  uint64_t max = (uint64_t)MO_MOVES_PER_BOX_UPDATE * scene->shape_count / moves;
  const bool all = moves >= scene->shape_count;
  if (all) {
    scene->root_has_loose_bounds = true;
    mark_subtree_loose(scene, scene->root, together ? TASK_LEVEL : UINT32_MAX);
  } else {
    visit_marked_blocks(scene, mark_loose_above);
  }
  uint32_t misplaced = 0;
  if (scene->root_has_loose_bounds) {
    if (together && mo_scene_root_is_node(scene)) {
      misplaced = update_boxes_in_tasks(scene, max, all);
    }
    box_update s = {.scene = scene, .max_shapes = max, .top = scene->root};
    update_boxes_of_subtree(&s, scene->root);
    update_boxes_of_queue(&s);
    misplaced += s.misplaced + mo_tree_tighten(scene);
  }
  if (misplaced == 0) {
    clear_groups(scene);
  }
  return misplaced;
}
