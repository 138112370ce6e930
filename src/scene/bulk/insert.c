/* Insertion of many shapes together.
 *
 * If shapes were inserted one by one, each would descend from the root, with a cache miss at every
 * node and at the leaf. A batch is sorted down the tree instead: the shapes of a node are
 * partitioned by octant, then the nodes of the next level are visited, each prefetched some visits
 * earlier. Nothing is stored until the target of each shape is known, and with it the number of
 * blocks, so that a lack of memory is detected before lists change. Moved shapes have been evicted
 * before, so that each block is read once (evict.c). A moved shape for which there is no memory is
 * inserted into any block with a free lane.
 *
 * If a target gets more shapes than fit a leaf, or a subtree gets so many that its planes do not
 * suit them, the shapes are grafted (graft.c). */
#include "base/assert.h"
#include "scene/bulk/partition.h"
#include "scene/octree/octree.h"

/* Whether pending insertions outnumber the shapes of a subtree by so much that the planes of the
 * subtree should suit the insertions. */
static bool is_outnumbered_by_insertions(const mo_scene *scene, uint32_t child, uint32_t count) {
  uint32_t here = mo_scene_node_at(scene, child)->count;
  return count > scene->options.capacity && count / MO_GRAFT_MIN_RATIO >= here;
}

/* Whether the planes of a node separate the pending insertions that have been partitioned there
 * about as well as new planes would: the octants are balanced up to random fluctuation, and few
 * shapes fit no octant. For example, the nodes of a removed tile may suit the next tile. Cubic
 * cells suit all shapes inside them. */
static bool planes_suit_insertions(const mo_scene *scene, const mo_scene_node *node,
                                   const mo_octant_batches *parts, uint32_t count) {
  uint32_t stay = parts->octant[MO_NO_OCTANT].count;
  if (scene->options.policy != MO_TREE_IRREGULAR) {
    return stay <= count / 2;
  }
  uint32_t below[MO_LANE_COUNT], max = (uint32_t)(MO_HEAVY_SIDE_SHARE * count + sqrt(count));
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    below[octant] = parts->octant[octant].count;
  }
  for (uint32_t bit = 4; bit; bit >>= 1) {
    uint32_t high = 0, low = 0;
    for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
      *(octant & bit ? &high : &low) += below[octant];
    }
    if ((node->axes & bit) && (high > max || low > max)) {
      return false;
    }
  }
  return (node->axes == 7 || mo_node_inner_octants(node) != 0) &&
         (float)stay <= scene->options.max_straddlers * (float)count;
}

bool mo_bulk_should_graft(const mo_scene *scene, const mo_insertion_visit *visit,
                          const mo_octant_batches *parts) {
  return !visit->is_new && is_outnumbered_by_insertions(scene, visit->node, visit->count) &&
         !planes_suit_insertions(scene, mo_scene_node_at(scene, visit->node), parts, visit->count);
}

/* --- inserting into targets --- */

/* An upper bound on the number of blocks that the insertions into some targets need. */
static uint32_t count_needed_blocks(const mo_scene *scene, const mo_insertion_target *targets,
                                    uint32_t count) {
  uint32_t blocks = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t lanes = targets[i].head == MO_NONE
                         ? 0
                         : MO_LANE_COUNT - mo_shape_block_at(scene, targets[i].head)->count;
    uint32_t more = targets[i].count > lanes ? targets[i].count - lanes : 0;
    blocks += (more + MO_LANE_COUNT - 1) / MO_LANE_COUNT;
  }
  return blocks;
}

static uint32_t push_all_insertions(mo_scene *scene, uint32_t head, const mo_block_cell *at,
                                    const mo_pending_insertion *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    mo_aabb box = mo_pending_insertion_box(&items[i]);
    head = mo_block_list_push_marked(scene, head, at, items[i].slot, &box, items[i].motion);
  }
  return head;
}

/* Adds shapes, for which blocks have been reserved, to the list that `at` describes. Returns
 * whether this is the list of a leaf that should be split. */
static bool append_to_list(mo_scene *scene, const mo_block_cell *at,
                           const mo_pending_insertion *items, uint32_t count) {
  uint32_t owner = at->owner;
  uint32_t head = push_all_insertions(scene, mo_owner_list(scene, owner), at, items, count);
  uint32_t total = mo_block_list_total(scene, head);
  mo_owner_set_list(scene, owner, head);
  if (mo_owner_is_node(owner)) {
    if (total > MO_LANE_COUNT) {
      mo_mark_for_examination(scene, mo_owner_octant(scene, owner));
    }
    return false;
  }
  if (total > scene->options.capacity) {
    mo_mark_for_examination(scene, owner);
  }
  return mo_leaf_should_split(scene, total, count);
}

/* Marks all bounds of a subtree as loose, after insertions failed for which octants were already
 * enlarged. The bounds above the subtree are marked already. */
static void mark_subtree_loose(mo_scene *scene, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  node->loose_bounds = 0xff;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    mark_subtree_loose(scene, node->child[octant]);
  }
}

static void mark_all_loose(mo_scene *scene) {
  scene->root_has_loose_bounds = true;
  mark_subtree_loose(scene, scene->root);
}

/* Recounts the shapes of a subtree, after some insertions failed. */
static uint32_t recount_shapes(mo_scene *scene, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    return mo_child_total(scene, child);
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  node->count = mo_block_list_total(scene, node->items);
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    node->count += recount_shapes(scene, node->child[octant]);
  }
  return node->count;
}

/* Inserts all shapes into their target lists, then grafts subtrees and splits overfull leaves. */
static void insert_into_targets(mo_scene *scene, uint32_t count,
                                mo_pending_insertion *const arrays[2]) {
  mo_insertion_target *targets = scene->bulk.targets;
  uint32_t full = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i + MO_PREFETCH_INSERT_LISTS_AHEAD < count &&
        targets[i + MO_PREFETCH_INSERT_LISTS_AHEAD].head != MO_NONE) {
      mo_block_prefetch(scene, targets[i + MO_PREFETCH_INSERT_LISTS_AHEAD].head);
    }
    mo_insertion_target *target = &targets[i];
    const mo_pending_insertion *items = arrays[target->array_index] + target->first;
    if (target->graft) {
      target->head = push_all_insertions(scene, MO_NONE, &target->cell, items, target->count);
      targets[full++] = *target;
    } else if (append_to_list(scene, &target->cell, items, target->count)) {
      targets[full++] = *target;
    }
  }
  /* Building a subtree allocates blocks, so it waits until all shapes have the blocks that were
   * reserved for them. */
  uint32_t leaves = 0;
  for (uint32_t i = 0; i < full; i++) {
    if (targets[i].graft) {
      mo_bulk_graft(scene, targets[i].cell.owner, targets[i].head);
    } else {
      targets[leaves++] = targets[i];
    }
  }
  full = leaves;
  /* Splitting a leaf may rebuild its parent. The other leaves of that parent are the next targets,
   * and are skipped then. */
  for (uint32_t i = 0; i < full;) {
    uint32_t parent_octant = targets[i++].cell.owner;
    if (mo_leaf_split(scene, parent_octant)) {
      while (i < full && targets[i].cell.owner >> 3 == parent_octant >> 3) {
        i++;
      }
    }
  }
}

/* --- adding and moving --- */

/* The state of an insertion of many shapes. Evicted shapes must not get lost if memory fails. */
typedef struct batch_insertion {
  mo_scene *scene;
  uint32_t shape_count;
  /* True: shapes that are added; false: moved shapes, which were evicted. */
  bool shapes_are_new;
  bool has_inserted_shapes;  /* some shapes have been inserted */
  bool out_of_memory;        /* memory was lacking, so some shapes were inserted into wrong cells */
  uint32_t first_free_block; /* no block before this one has a free lane */
} batch_insertion;

/* Inserts a shape into any block with a free lane; the eviction has left enough free lanes. */
static void insert_anywhere(batch_insertion *p, const mo_pending_insertion *one) {
  mo_scene *scene = p->scene;
  mo_block_cell at = {mo_aabb_infinite(), 0, MO_NONE};
  if (mo_scene_root_is_node(scene)) {
    at.owner = MO_OWNER_IS_NODE | scene->root;
  }
  uint32_t head = mo_owner_list(scene, at.owner);
  mo_aabb box = mo_pending_insertion_box(one);
  /* Blocks of the pool's free list need no new memory. */
  if (scene->blocks.free_count > 0 || mo_blocks_reserve(scene, 1) == MO_OK) {
    head = mo_block_list_push(scene, head, &at, one->slot, &box);
    mo_owner_set_list(scene, at.owner, head);
  } else {
    /* All blocks are in use, so any block that is not full is the first of a list. */
    while (mo_shape_block_at(scene, p->first_free_block)->count == MO_LANE_COUNT) {
      MO_ASSERT(p->first_free_block + 1 < scene->blocks.count);
      p->first_free_block++;
    }
    head = mo_block_list_push(scene, p->first_free_block, &scene->cells[p->first_free_block],
                              one->slot, &box);
  }
  mo_shape_block_at(scene, head)->has_shapes_outside_cell = 1;
  mo_motion_marks_add_above(scene, mo_owner_octant(scene, scene->cells[head].owner), one->motion);
}

/* Without memory, new shapes are not added, and evicted shapes stay outside their cells until the
 * next update. */
static mo_result handle_out_of_memory(batch_insertion *p, const mo_pending_insertion *items,
                                      uint32_t count) {
  if (p->shapes_are_new) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  p->out_of_memory = true;
  p->scene->has_shapes_outside_cell = true;
  for (uint32_t i = 0; i < count; i++) {
    insert_anywhere(p, &items[i]);
  }
  return MO_OK;
}

/* Reserves blocks, unless a reservation has failed before. */
static bool reserve_blocks(const batch_insertion *p, uint32_t blocks) {
  return !p->out_of_memory && mo_blocks_reserve(p->scene, blocks) == MO_OK;
}

/* For the statistics: counts shapes that move to the list of an owner, and for one in `stride` of
 * them the levels between the old and the new node. mo_scene.places has the places in the old nodes
 * until the first shape is inserted. */
static void count_moves(const batch_insertion *p, const mo_pending_insertion *items, uint32_t count,
                        uint32_t owner, uint32_t stride) {
  mo_scene *scene = p->scene;
  uint32_t next =
      p->has_inserted_shapes ? count : (uint32_t)-scene->counters.reinsert_count % stride;
  for (; next < count; next += stride) {
    mo_shape_place place = scene->places[items[next].slot];
    uint32_t from = place == MO_NONE ? MO_NONE : scene->cells[place >> 3].owner;
    if ((from == MO_NONE) == (owner == MO_NONE)) {
      mo_tree_count_levels(scene, from, owner);
    }
  }
  scene->counters.reinsert_count += count;
}

/* Inserts any number of shapes into the list of one target. */
static mo_result insert_into_target(batch_insertion *p, const mo_block_cell *at,
                                    const mo_pending_insertion *items, uint32_t count) {
  mo_scene *scene = p->scene;
  if (!reserve_blocks(p, count / MO_LANE_COUNT + 1)) {
    return handle_out_of_memory(p, items, count);
  }
  if (!p->shapes_are_new) {
    count_moves(p, items, count, at->owner, MO_REINSERTION_TRACE_PERIOD);
  }
  bool stay = mo_owner_is_node(at->owner);
  p->has_inserted_shapes |= !stay;
  if (stay) {
    append_to_list(scene, at, items, count);
  } else if (!mo_child_is_leaf(mo_child_get(scene, at->owner)) || count > scene->options.capacity) {
    mo_bulk_graft(scene, at->owner, push_all_insertions(scene, MO_NONE, at, items, count));
  } else if (append_to_list(scene, at, items, count)) {
    mo_tree_build(scene, mo_owner_list(scene, at->owner), at->owner, NULL, false);
  }
  return MO_OK;
}

static mo_result sort_down_tree(batch_insertion *p, const mo_insertion_visit *visit,
                                mo_pending_insertion *const arrays[2]);

static void set_cell(mo_insertion_visit *visit, const mo_aabb *cell) {
  visit->lower = mo_f4_from(&cell->lower, 0);
  visit->upper = mo_f4_from(&cell->upper, 0);
}

/* Inserts shapes into one target. Very many shapes are first partitioned by octant in their array,
 * which is faster than splitting a leaf's list of them. */
static mo_result insert_many_into_target(batch_insertion *p, const mo_block_cell *at,
                                         mo_pending_insertion *const arrays[2], uint32_t first,
                                         uint32_t count) {
  mo_scene *scene = p->scene;
  if (count > 2 * MO_BULK_SAMPLE_SHAPES && scene->options.policy == MO_TREE_IRREGULAR &&
      mo_child_get(scene, at->owner) == MO_CHILD_EMPTY) {
    uint32_t index = mo_bulk_add_node(scene, at, arrays[0] + first, count);
    if (index != MO_NONE) {
      mo_insertion_visit visit = {.node = index, .first = first, .count = count, .is_new = true};
      set_cell(&visit, &at->cell);
      return sort_down_tree(p, &visit, arrays);
    }
  }
  return insert_into_target(p, at, arrays[0] + first, count);
}

/* Sorts up to MO_BULK_CHUNK_SHAPES insertions down the subtree of a node, and inserts them. */
static mo_result sort_chunk_down_tree(batch_insertion *p, const mo_insertion_visit *visit,
                                      mo_pending_insertion *const arrays[2]) {
  mo_scene *scene = p->scene;
  uint32_t targets = mo_bulk_sort_by_isa[scene->isa](scene, visit, arrays, p->shapes_are_new);
  if (!reserve_blocks(p, count_needed_blocks(scene, scene->bulk.targets, targets))) {
    mo_result result = MO_OK;
    for (uint32_t i = 0; i < targets && result == MO_OK; i++) {
      const mo_insertion_target *target = &scene->bulk.targets[i];
      result = handle_out_of_memory(p, arrays[target->array_index] + target->first, target->count);
    }
    return result;
  }
  /* For the statistics, the paths of some moved shapes are traced. In a large batch only the first
   * chunk is sampled, with a smaller stride, so that the share of traced shapes stays the same. */
  uint32_t stride =
      (uint32_t)((uint64_t)MO_REINSERTION_TRACE_PERIOD * visit->count / p->shape_count);
  for (uint32_t i = 0; i < targets && !p->shapes_are_new; i++) {
    const mo_insertion_target *target = &scene->bulk.targets[i];
    const mo_pending_insertion *items = arrays[target->array_index] + target->first;
    if (target->graft) {
      scene->counters.reinsert_count += target->count;
    } else {
      count_moves(p, items, target->count, target->cell.owner, stride > 0 ? stride : 1);
    }
  }
  p->has_inserted_shapes = true;
  insert_into_targets(scene, targets, arrays);
  return MO_OK;
}

/* Sorts any number of pending insertions down the subtree of a node, and inserts them; depth first
 * while there are more than MO_BULK_CHUNK_SHAPES. */
static mo_result sort_down_tree(batch_insertion *flow, const mo_insertion_visit *visit,
                                mo_pending_insertion *const arrays[2]) {
  mo_scene *scene = flow->scene;
  if (visit->count <= MO_BULK_CHUNK_SHAPES) {
    return sort_chunk_down_tree(flow, visit, arrays);
  }
  mo_octant_batches parts;
  uint32_t index = visit->node;
  mo_bulk_partition_by_isa[scene->isa](scene, visit, arrays[0], arrays[1], &parts);
  mo_pending_insertion *const swapped[2] = {arrays[1], arrays[0]};
  if (mo_bulk_should_graft(scene, visit, &parts)) {
    mo_block_cell at = mo_bulk_child_cell(scene, visit);
    return insert_many_into_target(flow, &at, swapped, visit->first, visit->count);
  }
  mo_bulk_add_count_and_grow(scene, index, &parts, visit->count, flow->shapes_are_new);
  mo_result result = MO_OK;
  if (parts.used_octants >> MO_NO_OCTANT & 1) {
    mo_block_cell at = mo_bulk_node_cell(scene, visit);
    const mo_octant_batch *stay = &parts.octant[MO_NO_OCTANT];
    result = insert_into_target(flow, &at, arrays[1] + stay->first, stay->count);
  }
  mo_aabb whole = {mo_f4_to_vec3(visit->lower), mo_f4_to_vec3(visit->upper)};
  for (uint32_t octant = 0; octant < MO_LANE_COUNT && result == MO_OK; octant++) {
    const mo_octant_batch *come = &parts.octant[octant];
    if (come->count == 0) {
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(scene, index);
    uint32_t child = node->child[octant], parent_octant = index << 3 | octant;
    mo_aabb cell = mo_octant_cell(node, octant, whole);
    const mo_pending_group group = {
        .items = arrays[1] + come->first,
        .count = come->count,
        .bounds = {mo_f4_to_vec3(come->lower), mo_f4_to_vec3(come->upper)},
    };
    mo_block_cell at = {cell, node->slack, parent_octant};
    if (mo_child_is_leaf(child) || mo_bulk_add_sibling(scene, parent_octant, &cell, &group, &at)) {
      result = insert_many_into_target(flow, &at, swapped, come->first, come->count);
    } else {
      mo_insertion_visit below = {.node = child, .first = come->first, .count = come->count};
      set_cell(&below, &cell);
      result = sort_down_tree(flow, &below, swapped);
    }
  }
  return result;
}

/* Extends the root's bounds, and its cube (loose and midpoint policies), to contain all pending
 * insertions. Returns the box around them. */
static mo_aabb extend_root(mo_scene *scene, const mo_pending_insertion *items, uint32_t count) {
  mo_f4 lower = mo_f4_load(&items[0].lower.x), upper = mo_f4_load(&items[0].upper.x);
  for (uint32_t i = 0; i < count; i++) {
    lower = mo_f4_min(mo_f4_load(&items[i].lower.x), lower);
    upper = mo_f4_max(mo_f4_load(&items[i].upper.x), upper);
  }
  if (scene->options.policy != MO_TREE_IRREGULAR && mo_scene_root_is_node(scene)) {
    for (uint32_t i = 0; i < count; i++) {
      mo_aabb box = mo_pending_insertion_box(&items[i]);
      mo_cube_grow(scene, &box);
    }
  }
  mo_aabb all = {mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)};
  scene->root_bounds = mo_aabb_union(scene->root_bounds, all);
  scene->root_needs_examination = true;
  return all;
}

/* Inserts the first `count` pending insertions of the workspace into the tree. */
static mo_result insert_pending(batch_insertion *p, uint32_t count) {
  mo_scene *scene = p->scene;
  mo_bulk_workspace *bulk = &scene->bulk;
  const mo_pending_group group = {bulk->insertions, count,
                                  extend_root(scene, bulk->insertions, count)};
  mo_pending_insertion *const arrays[2] = {bulk->insertions, bulk->insertions + bulk->capacity};
  mo_result result;
  mo_block_cell at = {mo_aabb_infinite(), 0, MO_NONE};
  if (!mo_scene_root_is_node(scene) ||
      mo_bulk_add_sibling(scene, MO_NONE, &scene->root_cell, &group, &at)) {
    result = insert_many_into_target(p, &at, arrays, 0, count);
  } else {
    mo_insertion_visit all = {.node = scene->root, .count = count};
    set_cell(&all, &scene->root_cell);
    result = sort_down_tree(p, &all, arrays);
  }
  if (result != MO_OK || p->out_of_memory) {
    mark_all_loose(scene);
    (void)recount_shapes(scene, scene->root);
  }
  return result;
}

mo_result mo_bulk_insert(mo_scene *scene, uint32_t count) {
  batch_insertion p = {.scene = scene, .shape_count = count, .shapes_are_new = true};
  return count > 0 ? insert_pending(&p, count) : MO_OK;
}

void mo_bulk_relocate(mo_scene *scene, uint32_t misplaced) {
  /* A new workspace gets spare capacity, so that it rarely has to grow. */
  uint32_t capacity = misplaced <= scene->bulk.capacity ? misplaced : misplaced + misplaced / 4;
  if (mo_bulk_reserve(scene, capacity) != MO_OK) {
    mo_tree_leave_misplaced_shapes(scene);
    mark_all_loose(scene);
    (void)recount_shapes(scene, scene->root);
    return;
  }
  mo_bulk_evict(scene);
  batch_insertion p = {.scene = scene, .shape_count = misplaced};
  (void)insert_pending(&p, misplaced); /* without memory, shapes are stored in wrong cells */
}
