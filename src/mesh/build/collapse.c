/* Collapses the binary tree into 8-wide nodes: chooses which binary nodes become nodes, and which
 * become leaves.
 *
 * Any cut through the top of a binary tree into at most eight subtrees can be an 8-wide node, and
 * any subtree of few references can be a leaf. The choice with the least expected work is found by
 * dynamic programming from the leaves upward: for each subtree, the least cost if it takes at most
 * i slots of a node, for i = 1 to 8, is computed from the costs of its two children (Ylitie, Karras
 * and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", 2017,
 * section 3). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/tasks.h"
#include "mesh/build/binary_tree.h"

/* Values of mo_binary_node.choice_by_slot_count[i], where a subtree gets at most i + 1 slots of a
 * node. Any other value is the number of slots that its first child gets; the rest go to the
 * second. */
enum {
  CHOOSE_LEAF = 0,
  CHOOSE_NODE = 254,
  CHOOSE_FEWER_SLOTS = 255, /* the same choice as with one slot less */
};

enum { NODES_PER_CHUNK = 255 };

struct mo_binary_chunk {
  mo_binary_chunk *next;
  mo_binary_node nodes[NODES_PER_CHUNK];
};

mo_binary_node *mo_binary_arena_allocate(mo_binary_arena *arena, mo_simd_box box, uint32_t first,
                                         uint32_t count, float length_scale) {
  if (arena->free_count == 0) {
    mo_binary_chunk *chunk = mo_allocate(arena->allocator, 1, sizeof *chunk);
    if (chunk == NULL) {
      return NULL;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->free_count = NODES_PER_CHUNK;
  }
  mo_binary_node *leaf = &arena->chunks->nodes[NODES_PER_CHUNK - arena->free_count--];
  leaf->box = box;
  leaf->half_area = mo_sah_half_area(box, length_scale);
  leaf->side[0] = leaf->side[1] = leaf->parent = NULL;
  leaf->first = first;
  leaf->count = count;
  leaf->height = 0;
  return leaf;
}

void mo_binary_arena_free(mo_binary_arena *arena) {
  while (arena->chunks != NULL) {
    mo_binary_chunk *chunk = arena->chunks;
    arena->chunks = chunk->next;
    mo_deallocate(arena->allocator, chunk, 1, sizeof *chunk);
  }
  arena->free_count = 0;
}

void mo_binary_arena_join(mo_binary_arena *arena, mo_binary_arena *from) {
  mo_binary_chunk **end = &from->chunks;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  /* Only the first chunk of a list has unused nodes, so the first chunk of `arena` stays first. */
  mo_binary_chunk **after = arena->chunks != NULL ? &arena->chunks->next : &arena->chunks;
  *end = *after;
  *after = from->chunks;
  *from = (mo_binary_arena){.allocator = from->allocator};
}

static uint32_t copy_items(const mo_tree_builder *tree, const mo_binary_node *binary,
                           mo_sah_item *items, uint32_t count) {
  if (binary->side[0] != NULL) {
    count = copy_items(tree, binary->side[0], items, count);
    return copy_items(tree, binary->side[1], items, count);
  }
  memcpy(&items[count], &tree->items[binary->first], binary->count * sizeof *items);
  return count + binary->count;
}

static int compare_items(const void *a, const void *b) {
  uint32_t x = mo_sah_item_index(a), y = mo_sah_item_index(b);
  return (x > y) - (x < y);
}

/* Collects the references of a subtree; returns their number. Several references to one triangle
 * are merged into one, as a leaf tests it once. */
static uint32_t gather_references(const mo_tree_builder *tree, const mo_binary_node *binary,
                                  mo_sah_item *items) {
  uint32_t all = copy_items(tree, binary, items, 0);
  if (!tree->may_have_duplicates) {
    return all;
  }
  qsort(items, all, sizeof *items, compare_items);
  uint32_t kept = 0;
  for (uint32_t i = 1; i < all; i++) {
    if (mo_sah_item_index(&items[i]) == mo_sah_item_index(&items[kept])) {
      mo_aabb box = mo_aabb_union(mo_simd_box_get(&items[i]), mo_simd_box_get(&items[kept]));
      mo_sah_item_set_box(&items[kept], box);
    } else {
      items[++kept] = items[i];
    }
  }
  return kept + 1;
}

enum {
  MAX_LEAF_CAPACITY = 256
}; /* in references; the upper limit of mo_mesh_build_options.leaf_capacity */

static float leaf_cost(const mo_tree_builder *tree, const mo_binary_node *binary) {
  uint32_t count = binary->count;
  if (tree->may_have_duplicates && binary->side[0] != NULL) {
    mo_sah_item items[MAX_LEAF_CAPACITY];
    count = gather_references(tree, binary, items);
  }
  return binary->half_area * (MO_LEAF_COST + MO_BLOCK_COST * mo_sah_block_count(count));
}

/* Computes the costs and choices of one binary node from those of its two children. */
static void compute_costs_of_node(const mo_tree_builder *tree, mo_binary_node *binary) {
  if (binary->side[0] == NULL) {
    float cost = leaf_cost(tree, binary);
    for (int i = 0; i < MO_LANE_COUNT; i++) {
      binary->cost_by_slot_count[i] = cost;
      binary->choice_by_slot_count[i] = i == 0 ? CHOOSE_LEAF : CHOOSE_FEWER_SLOTS;
    }
    return;
  }
  const float *a = binary->side[0]->cost_by_slot_count, *b = binary->side[1]->cost_by_slot_count;
  for (int i = 1; i < MO_LANE_COUNT; i++) {
    float min = a[0] + b[i - 1];
    int best = 1;
    for (int k = 1; k < i; k++) {
      float cost = a[k] + b[i - 1 - k];
      best = cost < min ? k + 1 : best;
      min = cost < min ? cost : min;
    }
    binary->cost_by_slot_count[i] = min;
    binary->choice_by_slot_count[i] = (uint8_t)best;
  }
  binary->node_choice = binary->choice_by_slot_count[MO_LANE_COUNT - 1];
  binary->cost_by_slot_count[0] =
      binary->cost_by_slot_count[MO_LANE_COUNT - 1] + MO_NODE_COST * binary->half_area;
  binary->choice_by_slot_count[0] = CHOOSE_NODE;
  if (binary->count <= tree->builder->mesh->build.leaf_capacity) {
    float cost = leaf_cost(tree, binary);
    if (cost <= binary->cost_by_slot_count[0]) {
      binary->cost_by_slot_count[0] = cost;
      binary->choice_by_slot_count[0] = CHOOSE_LEAF;
    }
  }
  for (int i = 1; i < MO_LANE_COUNT; i++) {
    if (binary->cost_by_slot_count[i - 1] <= binary->cost_by_slot_count[i]) {
      binary->cost_by_slot_count[i] = binary->cost_by_slot_count[i - 1];
      binary->choice_by_slot_count[i] = CHOOSE_FEWER_SLOTS;
    }
  }
}

/* The subtrees that become the slots of a node, and the planes between them. */
typedef struct slot_subtrees {
  mo_binary_node *slot[MO_LANE_COUNT];
  uint32_t count;
  bool without_planes; /* the planes, and so the order of slots, are not computed */
  mo_nested_planes planes;
} slot_subtrees;

/* Finds the axis along which two boxes are farthest apart relative to their sizes. `swap` receives
 * whether `b` comes first on it. */
static uint32_t find_separating_axis(const mo_binary_node *a, const mo_binary_node *b, bool *swap) {
  float max = -1.0f;
  uint32_t best = 0;
  for (uint32_t axis = 0; axis < 3; axis++) {
    float gap =
        (b->box.lower[axis] + b->box.upper[axis]) - (a->box.lower[axis] + a->box.upper[axis]);
    float size =
        (a->box.upper[axis] - a->box.lower[axis]) + (b->box.upper[axis] - b->box.lower[axis]);
    float apart = size > 0.0f ? fabsf(gap) / size : gap != 0.0f ? INFINITY : 0.0f;
    if (apart > max) {
      max = apart;
      best = axis;
      *swap = gap < 0.0f;
    }
  }
  return best;
}

/* Splits a subtree into at most `slots` slots; returns them encoded as a side of a plane (see
 * mo_nested_planes). Slots are numbered upward along every axis, so that the order for a direction
 * without negative signs is 0 to 7. */
static uint32_t split_into_slots(mo_binary_node *binary, uint32_t slots, bool as_node,
                                 slot_subtrees *result) {
  while (!as_node && slots > 1 && binary->choice_by_slot_count[slots - 1] == CHOOSE_FEWER_SLOTS) {
    slots--;
  }
  if (!as_node && slots == 1) {
    MO_ASSERT(result->count < MO_LANE_COUNT);
    result->slot[result->count] = binary;
    return result->count++;
  }
  uint32_t first = as_node ? binary->node_choice : binary->choice_by_slot_count[slots - 1];
  MO_ASSERT(binary->side[0] != NULL && first > 0 && first < slots);
  if (result->without_planes) {
    split_into_slots(binary->side[0], first, false, result);
    return split_into_slots(binary->side[1], slots - first, false, result);
  }
  mo_nested_planes *planes = &result->planes;
  uint32_t plane = planes->count++;
  bool swap = false;
  uint32_t axis = find_separating_axis(binary->side[0], binary->side[1], &swap);
  mo_binary_node *below = binary->side[swap], *above = binary->side[!swap];
  uint32_t slots_below = swap ? slots - first : first;
  uint32_t side_below = split_into_slots(below, slots_below, false, result);
  uint32_t side_above = split_into_slots(above, slots - slots_below, false, result);
  planes->axis[plane] = (uint8_t)axis;
  planes->position[plane] = 0.5f * below->box.upper[axis] + 0.5f * above->box.lower[axis];
  planes->sides[plane] = (uint8_t)(side_below | side_above << 4);
  return MO_LANE_COUNT + plane;
}

/* Finds the children of a node. If the whole tree is one leaf, it is the root's slot 0. */
static void find_slot_subtrees(mo_binary_node *binary, bool without_planes, slot_subtrees *result) {
  result->count = 0;
  result->without_planes = without_planes;
  memset(&result->planes, 0, sizeof result->planes);
  if (binary->choice_by_slot_count[0] == CHOOSE_NODE) {
    split_into_slots(binary, MO_LANE_COUNT, true, result);
  } else {
    result->slot[result->count++] = binary;
  }
}

static bool is_leaf(const mo_tree_builder *tree, const mo_binary_node *binary, uint32_t depth) {
  return binary->choice_by_slot_count[0] != CHOOSE_NODE ||
         depth >= tree->builder->mesh->build.max_depth;
}

/* The references of a leaf. */
typedef struct leaf_items {
  const mo_sah_item *items; /* null when out of memory */
  uint32_t count;
  mo_sah_item small_buffer[MAX_LEAF_CAPACITY];
  mo_sah_item *large_buffer; /* allocated for leaves at max_depth, which may be larger than
                                MAX_LEAF_CAPACITY */
} leaf_items;

static void load_leaf_items(const mo_tree_builder *tree, const mo_binary_node *binary,
                            leaf_items *leaf) {
  leaf->large_buffer = NULL;
  if (binary->side[0] == NULL) {
    leaf->items = &tree->items[binary->first];
    leaf->count = binary->count;
    return;
  }
  mo_sah_item *items = leaf->small_buffer;
  if (binary->count > MAX_LEAF_CAPACITY) {
    const mo_allocator *allocator = &tree->builder->mesh->host.allocator;
    items = leaf->large_buffer = mo_allocate(allocator, binary->count, sizeof *items);
  }
  leaf->items = items;
  leaf->count = items != NULL ? gather_references(tree, binary, items) : 0;
}

static void free_leaf_items(const mo_tree_builder *tree, const mo_binary_node *binary,
                            leaf_items *leaf) {
  mo_deallocate(&tree->builder->mesh->host.allocator, leaf->large_buffer, binary->count,
                sizeof *leaf->large_buffer);
}

/* A task processes a whole subtree of at most max_task_references references whose parent has more:
 * 1 / TARGET_TASK_COUNT of all references, but at least MIN_TASK_LIMIT. Subtrees of fewer
 * references than MIN_TASK_REFERENCES, which only degenerate trees have so near the root, get no
 * task. */
enum { MIN_TASK_REFERENCES = 512, MIN_TASK_LIMIT = 4096, TARGET_TASK_COUNT = 64 };

/* A subtree that a task processes. */
typedef struct subtree_task {
  mo_binary_node *binary;
  uint32_t depth, parent;
  /* Indices in the mesh at which its root, the nodes below the root, and its blocks are written. */
  uint32_t root, first_inner_node, first_block;
  uint32_t deepest; /* depth of the subtree's deepest leaf */
} subtree_task;

typedef struct collapse_state {
  mo_tree_builder *tree;
  uint32_t max_task_references;
  MO_LIST(subtree_task, subtrees);
  atomic_bool failed; /* a task ran out of memory */
} collapse_state;

static bool is_task_subtree(const collapse_state *c, const mo_binary_node *binary) {
  return binary->count <= c->max_task_references && binary->count >= MIN_TASK_REFERENCES;
}

static bool add_task(collapse_state *c, mo_binary_node *binary, uint32_t depth) {
  const subtree_task added = {.binary = binary, .depth = depth};
  binary->task = c->count;
  return mo_list_add(&c->tree->builder->mesh->host.allocator, &c->list, sizeof added, &added) ==
         MO_OK;
}

/* --- computing the costs and choices of all binary nodes --- */

static bool list_cost_tasks(collapse_state *c, mo_binary_node *binary) {
  if (is_task_subtree(c, binary)) {
    return add_task(c, binary, 0);
  }
  return binary->count <= c->max_task_references || binary->side[0] == NULL ||
         (list_cost_tasks(c, binary->side[0]) && list_cost_tasks(c, binary->side[1]));
}

/* Computes the costs and choices of a subtree; with `skip_tasks`, without those of the subtrees
 * that tasks process. */
static void compute_costs(const collapse_state *c, mo_binary_node *binary, bool skip_tasks) {
  if (binary->side[0] != NULL) {
    for (int i = 0; i < 2; i++) {
      if (!skip_tasks || !is_task_subtree(c, binary->side[i])) {
        compute_costs(c, binary->side[i], skip_tasks);
      }
    }
  }
  compute_costs_of_node(c->tree, binary);
}

static void run_cost_task(uint32_t index, void *context) {
  const collapse_state *c = context;
  compute_costs(c, c->subtrees[index].binary, false);
}

/* --- counting nodes and blocks --- */

static bool list_write_tasks(collapse_state *c, mo_binary_node *binary, uint32_t depth) {
  slot_subtrees p;
  bool ok = true;
  find_slot_subtrees(binary, true, &p);
  for (uint32_t slot = 0; slot < p.count && ok; slot++) {
    mo_binary_node *part = p.slot[slot];
    if (is_leaf(c->tree, part, depth + 1)) {
      continue;
    }
    if (is_task_subtree(c, part)) {
      ok = add_task(c, part, depth + 1);
    } else if (part->count > c->max_task_references) {
      ok = list_write_tasks(c, part, depth + 1);
    }
  }
  return ok;
}

/* Counts the nodes and blocks in the subtree of a node at `depth`; with `skip_tasks`, without the
 * subtrees that tasks process. */
static void count_nodes_and_blocks(collapse_state *c, mo_binary_node *binary, uint32_t depth,
                                   bool skip_tasks) {
  const mo_tree_builder *tree = c->tree;
  slot_subtrees p;
  find_slot_subtrees(binary, true, &p);
  uint32_t nodes = 1, blocks = 0;
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_binary_node *part = p.slot[slot];
    if (is_leaf(tree, part, depth + 1)) {
      uint32_t count = part->count;
      if (tree->may_have_duplicates && part->side[0] != NULL) {
        leaf_items leaf;
        load_leaf_items(tree, part, &leaf);
        count = leaf.count;
        if (leaf.items == NULL) {
          atomic_store_explicit(&c->failed, true, memory_order_relaxed);
        }
        free_leaf_items(tree, part, &leaf);
      }
      part->node_count = 0;
      part->block_count = (count + MO_LANE_COUNT - 1) / MO_LANE_COUNT;
    } else if (!skip_tasks || !is_task_subtree(c, part)) {
      count_nodes_and_blocks(c, part, depth + 1, skip_tasks);
    }
    nodes += part->node_count;
    blocks += part->block_count;
  }
  binary->node_count = nodes;
  binary->block_count = blocks;
}

static void run_count_task(uint32_t index, void *context) {
  collapse_state *c = context;
  count_nodes_and_blocks(c, c->subtrees[index].binary, c->subtrees[index].depth, false);
}

/* --- writing the nodes and blocks of the mesh --- */

static void write_leaf(collapse_state *c, mo_binary_node *binary, uint32_t first_block) {
  const mo_tree_builder *tree = c->tree;
  mo_mesh *mesh = tree->builder->mesh;
  const mo_vec3 *corners = tree->builder->corners;
  leaf_items leaf;
  load_leaf_items(tree, binary, &leaf);
  if (leaf.items == NULL) {
    atomic_store_explicit(&c->failed, true, memory_order_relaxed);
    return;
  }
  float area = 0.0f;
  for (uint32_t begin = 0; begin < leaf.count; begin += MO_LANE_COUNT) {
    uint32_t lanes = leaf.count - begin < MO_LANE_COUNT ? leaf.count - begin : MO_LANE_COUNT;
    mo_triangle_block *block = &mesh->blocks[first_block + begin / MO_LANE_COUNT];
    for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
      /* Empty lanes repeat lane 0, so that a test of all lanes takes no branch because of them. */
      const mo_sah_item *item = &leaf.items[begin + (lane < lanes ? lane : 0)];
      uint32_t triangle = mo_sah_item_index(item);
      const mo_vec3 *corner = &corners[3 * (size_t)triangle];
      for (int i = 0; i < 3; i++) {
        block->corner[i][0][lane] = corner[i].x;
        block->corner[i][1][lane] = corner[i].y;
        block->corner[i][2][lane] = corner[i].z;
      }
      block->id[lane] = lane < lanes ? triangle : MO_LANE_EMPTY;
      if (lane < lanes) {
        area += mo_sah_item_area(item);
        if (!tree->may_have_duplicates) {
          mesh->triangle_places[triangle] = (first_block + begin / MO_LANE_COUNT) << 3 | lane;
        }
      }
    }
    if (mesh->degenerate_count > 0 && mo_degenerate_lanes(block->corner, (1u << lanes) - 1) != 0) {
      block->id[2] |= MO_LANE_SOME_DEGENERATE;
    }
  }
  uint32_t blocks = (leaf.count + MO_LANE_COUNT - 1) / MO_LANE_COUNT;
  mesh->blocks[first_block + blocks - 1].id[0] |= MO_LANE_LAST_BLOCK;
  MO_ASSERT(blocks == binary->block_count && first_block + blocks <= mesh->block_count);
  binary->estimate = (mo_subtree_estimate){area, (float)blocks};
  free_leaf_items(tree, binary, &leaf);
}

static uint32_t find_any_hit_order(mo_binary_node *binary, const slot_subtrees *p) {
  mo_any_hit_node view = {.half_area = binary->half_area, .slots = (1u << p->count) - 1};
  for (uint32_t slot = 0; slot < p->count; slot++) {
    view.slot_half_area[slot] = p->slot[slot]->half_area;
    view.slot_estimate[slot] = p->slot[slot]->estimate;
  }
  return mo_any_hit_order(&view, &binary->estimate);
}

/* Writes the node s->binary and its subtree. The children of a node are consecutive in memory,
 * followed by the nodes below the first child, and so on; the blocks of its leaves are consecutive
 * too. `skip_tasks`: subtrees that tasks process are not written now, but given their indices. */
static void write_node(collapse_state *c, subtree_task *s, bool skip_tasks) {
  const mo_tree_builder *tree = c->tree;
  mo_mesh *mesh = tree->builder->mesh;
  MO_ASSERT(s->root < mesh->node_count && s->depth < MO_MESH_MAX_DEPTH);
  mo_mesh_node *node = &mesh->nodes[s->root];
  slot_subtrees p;
  find_slot_subtrees(s->binary, false, &p);
  mo_mesh_node_clear(node);
  mesh->planes[s->root] =
      (mo_mesh_planes){.nested = p.planes, .depth = (uint8_t)s->depth, .parent = s->parent};
  mo_nested_planes_slot_order(&p.planes, node->order);
  s->deepest = s->depth + 1 > s->deepest ? s->depth + 1 : s->deepest;
  uint32_t inner = 0, blocks = s->first_block;
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_binary_node *part = p.slot[slot];
    mo_bounds8_set(&node->bounds, (int)slot, mo_simd_box_get(&part->box));
    if (is_leaf(tree, part, s->depth + 1)) {
      node->child[slot] = MO_CHILD_LEAF | blocks;
      write_leaf(c, part, blocks);
      blocks += part->block_count;
    } else {
      node->child[slot] = s->first_inner_node + inner++;
    }
  }
  uint32_t next = s->first_inner_node, nodes = s->first_inner_node + inner;
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_binary_node *part = p.slot[slot];
    if (is_leaf(tree, part, s->depth + 1)) {
      continue;
    }
    subtree_task below = {.binary = part,
                          .depth = s->depth + 1,
                          .parent = s->root << 3 | slot,
                          .root = next++,
                          .first_inner_node = nodes,
                          .first_block = blocks};
    nodes += part->node_count - 1;
    blocks += part->block_count;
    if (skip_tasks && is_task_subtree(c, part)) {
      c->subtrees[part->task] = below;
    } else {
      write_node(c, &below, skip_tasks);
      s->deepest = below.deepest > s->deepest ? below.deepest : s->deepest;
    }
  }
  MO_ASSERT(nodes == s->first_inner_node + s->binary->node_count - 1 &&
            blocks == s->first_block + s->binary->block_count);
  s->binary->node = s->root;
  if (!skip_tasks) {
    node->any_hit_order = find_any_hit_order(s->binary, &p);
  }
}

static void run_write_task(uint32_t index, void *context) {
  collapse_state *c = context;
  write_node(c, &c->subtrees[index], false);
}

/* Sets any_hit_order, the order for any-hit rays, of the nodes above the subtrees that tasks
 * process. */
static void set_orders_above_tasks(const collapse_state *c, mo_binary_node *binary,
                                   uint32_t depth) {
  slot_subtrees p;
  find_slot_subtrees(binary, false, &p);
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_binary_node *part = p.slot[slot];
    if (!is_leaf(c->tree, part, depth + 1) && !is_task_subtree(c, part)) {
      set_orders_above_tasks(c, part, depth + 1);
    }
  }
  mo_mesh_node *node = &c->tree->builder->mesh->nodes[binary->node];
  node->any_hit_order = find_any_hit_order(binary, &p);
}

static bool collapse_whole_tree(collapse_state *c) {
  mo_mesh *mesh = c->tree->builder->mesh;
  mo_binary_node *root = c->tree->root;
  if (!list_cost_tasks(c, root)) {
    return false;
  }
  mo_tasks_run(&mesh->host, c->count, run_cost_task, c);
  if (!is_task_subtree(c, root)) {
    compute_costs(c, root, true);
  }
  c->count = 0;
  bool whole = root->count <= c->max_task_references; /* small meshes are one task */
  if (!whole && !list_write_tasks(c, root, 0)) {
    return false;
  }
  mo_tasks_run(&mesh->host, c->count, run_count_task, c);
  count_nodes_and_blocks(c, root, 0, !whole);
  if (atomic_load(&c->failed) || !mo_octree_allocate(mesh, root->node_count, root->block_count)) {
    return false;
  }
  subtree_task top = {.binary = root, .parent = MO_NONE, .first_inner_node = 1};
  write_node(c, &top, !whole);
  mo_tasks_run(&mesh->host, c->count, run_write_task, c);
  if (!whole) {
    set_orders_above_tasks(c, root, 0);
  }
  mesh->depth = top.deepest;
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t deepest = c->subtrees[i].deepest;
    mesh->depth = deepest > mesh->depth ? deepest : mesh->depth;
  }
  return !atomic_load(&c->failed);
}

void mo_collapse_binary_tree(mo_tree_builder *tree) {
  const mo_allocator *allocator = &tree->builder->mesh->host.allocator;
  uint32_t size = tree->root->count / TARGET_TASK_COUNT;
  collapse_state c = {.tree = tree,
                      .max_task_references = size > MIN_TASK_LIMIT ? size : MIN_TASK_LIMIT};
  atomic_init(&c.failed, false);
  if (!collapse_whole_tree(&c)) {
    tree->builder->result = MO_ERROR_OUT_OF_MEMORY;
  }
  mo_list_trim(allocator, &c.list, sizeof *c.subtrees, 0);
}
