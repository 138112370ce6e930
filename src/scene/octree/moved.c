/* The marks of moved shapes, and the passes over marked shapes at the end of a call that moves
 * many.
 *
 * mo_moved_settle marks the bounds above moved shapes as loose, then sweeps the loose parts of the
 * tree: it collects lists of blocks, computes new boxes and finds misplaced shapes many lists at a
 * time, and tightens the bounds of each small subtree while it is in the cache. Subtrees at most
 * two levels below the root are swept in parallel, if tasks are wanted. */
#include "scene/octree/moved.h"

#include <string.h>

#include "base/assert.h"
#include "base/tasks.h"

enum {
  WORD = MO_MOVED_GROUP * 64,     /* blocks per 64-bit word of the group bits */
  TASK_LEVELS = 2,                /* below the root are the subtrees that tasks sweep */
  SUBTREES = MO_WIDTH * MO_WIDTH, /* at most */
};

static size_t words_for(uint32_t blocks) {
  return ((size_t)blocks + WORD - 1) / WORD;
}

/* Bytes of an array with a byte per block, rounded up to whole groups. */
static size_t lanes_for(uint32_t blocks) {
  return ((size_t)blocks + MO_MOVED_GROUP - 1) / MO_MOVED_GROUP * MO_MOVED_GROUP;
}

/* The arrays of a part follow each other: group bits, lanes, shifts, images. */
static size_t bytes_of_part(uint32_t blocks) {
  return words_for(blocks) * sizeof(uint64_t) + 3 * lanes_for(blocks);
}

/* The parts follow each other in one allocation. */
size_t mo_moved_bytes(const mo_scene *scene, uint32_t blocks) {
  return scene->moved_parts * bytes_of_part(blocks);
}

mo_moved mo_moved_of_part(const mo_scene *scene, uint32_t part) {
  uint32_t blocks = scene->moved.blocks;
  if (blocks == 0) {
    return (mo_moved){0}; /* no memory, to which not even 0 may be added */
  }
  size_t size = lanes_for(blocks);
  char *memory = (char *)scene->moved.groups + part * bytes_of_part(blocks);
  uint8_t *lanes = (uint8_t *)memory + words_for(blocks) * sizeof(uint64_t);
  return (mo_moved){(void *)memory, lanes, lanes + size, lanes + 2 * size, blocks};
}

mo_result mo_moved_reserve(mo_scene *scene, uint32_t blocks) {
  size_t size = mo_moved_bytes(scene, blocks);
  uint64_t *memory = mo_allocate(&scene->host.allocator, size, 1);
  if (memory == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(memory, 0, size);
  mo_deallocate(&scene->host.allocator, scene->moved.groups,
                mo_moved_bytes(scene, scene->moved.blocks), 1);
  scene->moved = (mo_moved){.groups = memory, .blocks = blocks};
  scene->moved = mo_moved_of_part(scene, 0);
  return MO_OK;
}

/* Parts are whole words: groups of 64 blocks. */
void mo_moved_merge(mo_scene *scene, uint32_t count) {
  size_t words = bytes_of_part(scene->moved.blocks) / sizeof(uint64_t);
  for (uint32_t part = 1; part < count; part++) {
    uint64_t *to = scene->moved.groups, *from = mo_moved_of_part(scene, part).groups;
    for (size_t i = 0; i < words; i++) {
      to[i] |= from[i];
    }
    memset(from, 0, words * sizeof *from);
  }
}

uint32_t mo_moved_blocks_of(const mo_scene *scene, uint32_t group,
                            uint32_t blocks[MO_MOVED_GROUP]) {
  uint32_t count = 0, first = group * MO_MOVED_GROUP;
  for (uint32_t block = first; block < first + MO_MOVED_GROUP; block += 8) {
    uint64_t lanes, shifts, images;
    memcpy(&lanes, &scene->moved.lanes[block], sizeof lanes);
    memcpy(&shifts, &scene->moved.shifts[block], sizeof shifts);
    memcpy(&images, &scene->moved.images[block], sizeof images);
    lanes |= shifts | images;
    if (lanes == 0) {
      continue;
    }
    /* Eight blocks without branches, as it is unpredictable which of them are marked. */
    for (uint32_t i = 0; i < 8; i++) {
      blocks[count] = block + i;
      count += (lanes >> 8 * i & 0xff) != 0;
    }
  }
  return count;
}

void mo_moved_mark_misplaced(mo_scene *scene) {
  uint32_t blocks[MO_MOVED_GROUP];
  for (uint32_t word = 0; word < words_for(scene->moved.blocks); word++) {
    for (uint64_t left = scene->moved.groups[word]; left; left &= left - 1) {
      uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(left);
      uint32_t count = mo_moved_blocks_of(scene, group, blocks);
      for (uint32_t i = 0; i < count; i++) {
        const mo_shape_block *block = mo_shape_block_at(scene, blocks[i]);
        for (uint32_t lanes = scene->moved.lanes[blocks[i]]; lanes; lanes &= lanes - 1) {
          scene->traits[block->shape[__builtin_ctz(lanes)]] |= MO_TRAIT_MISPLACED;
        }
        scene->moved.lanes[blocks[i]] = 0;
      }
    }
    scene->moved.groups[word] = 0;
  }
}

/* Marks the bounds above some blocks as loose. Consecutive blocks mostly belong to children of the
 * same node, so its octants are collected and marked in one step. */
static void loosen_above(mo_scene *scene, const uint32_t *blocks, uint32_t count) {
  uint32_t index = MO_NONE >> 3, octants = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t up = mo_owner_up(scene, scene->cells[blocks[i]].owner);
    if (up >> 3 != index) {
      mo_mark_loose_octants(scene, index, octants);
      index = up >> 3;
      octants = 0;
    }
    octants |= 1u << (up & 7);
  }
  mo_mark_loose_octants(scene, index, octants);
}

/* mo_moved_blocks_of, with the owners of the blocks prefetched. */
static uint32_t blocks_with_owners(const mo_scene *scene, uint32_t group, uint32_t *blocks) {
  uint32_t count = mo_moved_blocks_of(scene, group, blocks);
  for (uint32_t i = 0; i < count; i++) {
    mo_prefetch(&scene->cells[blocks[i]].owner, 1);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t owner = scene->cells[blocks[i]].owner;
    if (owner != MO_NONE) {
      mo_prefetch(mo_scene_node_at(scene, mo_owner_node(owner))->child, 1);
    }
  }
  return count;
}

/* Marks the bounds above all moved shapes as loose. */
static void loosen(mo_scene *scene) {
  uint32_t blocks[MO_MOVED_GROUP];
  for (uint32_t word = 0; word < words_for(scene->moved.blocks); word++) {
    for (uint64_t left = scene->moved.groups[word]; left; left &= left - 1) {
      uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(left);
      loosen_above(scene, blocks, blocks_with_owners(scene, group, blocks));
    }
  }
}

/* Sets the `dynamic` and `awake` marks of a block's ancestors. If the block may contain fewer
 * moving shapes than before, marks its bounds as loose, so that tightening recomputes these
 * marks. */
static void settle_motion(mo_scene *scene, uint32_t index) {
  const mo_shape_block *block = mo_shape_block_at(scene, index);
  uint32_t up = mo_owner_up(scene, scene->cells[index].owner);
  if (scene->moved.lanes[index]) {
    mo_mark_loose(scene, up);
  }
  scene->moved.lanes[index] = scene->moved.shifts[index] = 0;
  mo_node_marks any = {block->dynamic, block->awake};
  for (; up != MO_NONE; up = mo_scene_node_at(scene, up >> 3)->parent) {
    mo_marks_add(&scene->marks[up >> 3], up & 7, any);
  }
}

void mo_moved_settle_motions(mo_scene *scene) {
  uint32_t blocks[MO_MOVED_GROUP];
  for (uint32_t word = 0; word < words_for(scene->moved.blocks); word++) {
    for (uint64_t left = scene->moved.groups[word]; left; left &= left - 1) {
      uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(left);
      uint32_t count = blocks_with_owners(scene, group, blocks);
      for (uint32_t i = 0; i < count; i++) {
        settle_motion(scene, blocks[i]);
      }
    }
    scene->moved.groups[word] = 0;
  }
}

/* Marks all bounds in `levels` levels of a subtree as loose, without reading its blocks: for
 * updates in which all shapes have moved. */
static void loosen_below(mo_scene *scene, uint32_t child, uint32_t levels) {
  if (mo_child_is_leaf(child) || levels == 0) {
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  uint32_t nodes = mo_node_nodes(node);
  /* Adds to the marks, as an octant that has become empty may be loose already. */
  node->loose = (uint8_t)(node->loose | mo_node_used(node));
  for (uint32_t left = nodes; left; left &= left - 1) {
    mo_prefetch(mo_scene_node_at(scene, node->child[__builtin_ctz(left)])->child, 1);
  }
  for (uint32_t left = nodes; left; left &= left - 1) {
    loosen_below(scene, node->child[__builtin_ctz(left)], levels - 1);
  }
}

/* Subtracts shapes that have left from the counts of the nodes above a place, up to and including
 * node `top`. */
static void count_out(mo_scene *scene, uint32_t up, uint32_t top, uint32_t gone) {
  for (bool below = true; below && up != MO_NONE && gone > 0;) {
    mo_scene_node *node = mo_scene_node_at(scene, up >> 3);
    MO_ASSERT(node->count >= gone);
    node->count -= gone;
    scene->maintenance[up >> 3].thinned = true;
    below = up >> 3 != top;
    up = node->parent;
  }
}

/* The state of a sweep over a subtree, with a queue of lists to evaluate. */
typedef struct sweep {
  mo_scene *scene;
  uint64_t max;                    /* subtrees of more shapes are split into their children */
  uint32_t top;                    /* the root of the subtree */
  uint32_t count;                  /* lists in the queue */
  uint32_t misplaced;              /* misplaced shapes found so far */
  uint32_t blocks[MO_MOVED_QUEUE]; /* the first block of each list */
} sweep;

/* Computes the boxes of all lists in the queue and finds misplaced shapes; empties the queue. */
static void evaluate_queue(sweep *s) {
  static void (*const evaluate[MO_ISA_COUNT])(mo_scene *, uint32_t *, uint32_t) =
      MO_ISA_TABLE(mo_moved_evaluate);
  evaluate[s->scene->isa](s->scene, s->blocks, s->count);
  s->count = 0;
}

static void enqueue(sweep *s, uint32_t head) {
  if (head == MO_NONE) {
    return;
  }
  if (s->count == MO_MOVED_LISTS) {
    evaluate_queue(s);
  }
  MO_ASSERT(s->count < MO_MOVED_LISTS);
  s->blocks[s->count++] = head;
}

/* Adds all lists in loose parts of a subtree to the queue. The leaves of a node are added without
 * branches. */
static void gather(sweep *s, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    enqueue(s, child == MO_CHILD_EMPTY ? MO_NONE : mo_child_index(child));
    return;
  }
  const mo_scene_node *node = mo_scene_node_at(s->scene, child);
  enqueue(s, node->items);
  if (s->count > MO_MOVED_LISTS - MO_WIDTH) {
    evaluate_queue(s);
  }
  uint32_t nodes = mo_node_nodes(node), leaves = node->loose & ~nodes & mo_node_used(node);
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    s->blocks[s->count] = mo_child_index(node->child[octant]);
    MO_ASSERT(s->count < MO_MOVED_QUEUE);
    s->count += leaves >> octant & 1;
  }
  for (uint32_t left = node->loose & nodes; left; left &= left - 1) {
    gather(s, node->child[__builtin_ctz(left)]);
  }
}

/* Computes the boxes of all shapes in loose parts of a subtree, and finds the misplaced ones.
 * Tightens the bounds of subtrees of up to `max` shapes right after that, while their lists are in
 * the cache. */
static void sweep_below(sweep *s, uint32_t child) {
  static uint32_t (*const tighten[MO_ISA_COUNT])(mo_scene *, uint32_t) =
      MO_ISA_TABLE(mo_scene_tighten_below);
  if (mo_child_is_leaf(child)) {
    gather(s, child);
    return;
  }
  const mo_scene_node *node = mo_scene_node_at(s->scene, child);
  if (node->count <= s->max) {
    gather(s, child);
    evaluate_queue(s);
    uint32_t misplaced = tighten[s->scene->isa](s->scene, child);
    if (child != s->top) {
      count_out(s->scene, node->parent, s->top, misplaced);
    }
    s->misplaced += misplaced;
    return;
  }
  enqueue(s, node->items);
  for (uint32_t left = node->loose; left; left &= left - 1) {
    sweep_below(s, node->child[__builtin_ctz(left)]);
  }
}

/* Disjoint subtrees, which tasks may change concurrently. */
typedef struct subtree_set {
  mo_scene *scene;
  uint64_t max;
  bool all; /* all shapes have moved: mark all bounds as loose first */
  uint32_t count, nodes[SUBTREES], misplaced[SUBTREES];
} subtree_set;

static void sweep_one(uint32_t i, void *context) {
  subtree_set *t = context;
  if (t->all) {
    loosen_below(t->scene, t->nodes[i], UINT32_MAX);
  }
  sweep s = {.scene = t->scene, .max = t->max, .top = t->nodes[i]};
  sweep_below(&s, t->nodes[i]);
  evaluate_queue(&s);
  t->misplaced[i] = s.misplaced;
}

/* Sweeps the loose nodes two levels below the root in tasks. Returns the number of misplaced
 * shapes.
 */
static uint32_t sweep_in_tasks(mo_scene *scene, uint64_t max, bool all) {
  subtree_set t = {.scene = scene, .max = max, .all = all, .count = 1, .nodes = {scene->root}};
  /* Each time, the nodes of one level are replaced by their loose children. */
  for (int level = 0; level < TASK_LEVELS; level++) {
    subtree_set below = {.scene = scene, .max = max, .all = all};
    for (uint32_t i = 0; i < t.count; i++) {
      const mo_scene_node *node = mo_scene_node_at(scene, t.nodes[i]);
      for (uint32_t left = node->loose; left; left &= left - 1) {
        uint32_t child = node->child[__builtin_ctz(left)];
        if (!mo_child_is_leaf(child)) {
          MO_ASSERT(below.count < SUBTREES);
          below.nodes[below.count++] = child;
        }
      }
    }
    t = below;
  }
  mo_tasks_run(&scene->host, t.count, sweep_one, &t);
  uint32_t misplaced = 0;
  for (uint32_t i = 0; i < t.count; i++) {
    misplaced += t.misplaced[i];
    count_out(scene, mo_scene_node_at(scene, t.nodes[i])->parent, scene->root, t.misplaced[i]);
  }
  return misplaced;
}

uint32_t mo_moved_settle(mo_scene *scene, uint32_t moves, bool together) {
  if (scene->root == MO_CHILD_EMPTY) {
    return 0; /* all shapes are unbounded */
  }
  uint64_t max = (uint64_t)MO_SWEEP_MOVES * scene->shape_count / moves;
  const bool all = moves >= scene->shape_count;
  if (all) {
    scene->root_loose = true;
    loosen_below(scene, scene->root, together ? TASK_LEVELS : UINT32_MAX);
  } else {
    loosen(scene);
  }
  uint32_t misplaced = 0;
  if (scene->root_loose) {
    if (together && mo_scene_root_is_node(scene)) {
      misplaced = sweep_in_tasks(scene, max, all);
    }
    sweep s = {.scene = scene, .max = max, .top = scene->root};
    sweep_below(&s, scene->root);
    evaluate_queue(&s);
    misplaced += s.misplaced + mo_tree_tighten(scene);
  }
  if (misplaced == 0) {
    memset(scene->moved.groups, 0, words_for(scene->moved.blocks) * sizeof(uint64_t));
  }
  return misplaced;
}

uint32_t mo_moved_evict_all(mo_scene *scene) {
  static uint32_t (*const leave[MO_ISA_COUNT])(mo_scene *, const uint32_t *, uint32_t, uint32_t) =
      MO_ISA_TABLE(mo_moved_evict);
  uint32_t blocks[MO_EVICT_BLOCKS + MO_MOVED_GROUP], some = 0, count = 0;
  for (uint32_t word = 0; word < words_for(scene->moved.blocks); word++) {
    for (uint64_t left = scene->moved.groups[word]; left; left &= left - 1) {
      uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(left);
      some += mo_moved_blocks_of(scene, group, blocks + some);
      if (some > MO_EVICT_BLOCKS) {
        count = leave[scene->isa](scene, blocks, some, count);
        some = 0;
      }
    }
    scene->moved.groups[word] = 0;
  }
  return leave[scene->isa](scene, blocks, some, count);
}
