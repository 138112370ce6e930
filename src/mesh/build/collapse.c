/* Collapses the binary tree into 8-wide nodes: chooses which binary nodes become nodes, and which
 * become leaves.
 *
 * Any cut through the top of a binary tree into at most eight parts can be an 8-wide node, and any
 * subtree of few references can be a leaf. The choice with the least expected work is found by
 * dynamic programming from the leaves upward: for each subtree, the least cost if it takes at most
 * i slots of a node, for i = 1 to 8, is computed from the costs of its two sides (Ylitie, Karras
 * and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", 2017,
 * section 3). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/tasks.h"
#include "mesh/build/binary_tree.h"

/* Costs of visits: a node, entering a leaf, a block in a leaf. */
#define NODE_COST 1.0f
#define LEAF_COST 0.3f
#define BLOCK_COST 0.9f

/* Values of choice[i], for at most i + 1 slots: the number of slots of the first side, or one of
 * these. */
enum {
  AS_LEAF = 0,
  AS_NODE = 254,
  AS_FEWER = 255, /* the same choice as with one slot less */
};

enum { CHUNK = 255 };

struct mo_cut_chunk {
  mo_cut_chunk *next;
  mo_cut cuts[CHUNK];
};

mo_cut *mo_cut_arena_take(mo_cut_arena *arena) {
  if (arena->left == 0) {
    mo_cut_chunk *chunk = mo_allocate(arena->allocator, 1, sizeof *chunk);
    if (chunk == NULL) {
      return NULL;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->left = CHUNK;
  }
  return &arena->chunks->cuts[CHUNK - arena->left--];
}

void mo_cut_arena_free(mo_cut_arena *arena) {
  while (arena->chunks != NULL) {
    mo_cut_chunk *chunk = arena->chunks;
    arena->chunks = chunk->next;
    mo_deallocate(arena->allocator, chunk, 1, sizeof *chunk);
  }
  arena->left = 0;
}

void mo_cut_arena_join(mo_cut_arena *arena, mo_cut_arena *from) {
  mo_cut_chunk **end = &from->chunks;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  /* Only the first chunk has free capacity, so it stays first. */
  mo_cut_chunk **after = arena->chunks != NULL ? &arena->chunks->next : &arena->chunks;
  *end = *after;
  *after = from->chunks;
  *from = (mo_cut_arena){.allocator = from->allocator};
}

static uint32_t copy_items(const mo_tree_builder *tree, const mo_cut *cut, mo_item *items,
                           uint32_t count) {
  if (cut->side[0] != NULL) {
    count = copy_items(tree, cut->side[0], items, count);
    return copy_items(tree, cut->side[1], items, count);
  }
  memcpy(&items[count], &tree->items[cut->first], cut->count * sizeof *items);
  return count + cut->count;
}

static int compare_items(const void *a, const void *b) {
  uint32_t x = mo_item_index(a), y = mo_item_index(b);
  return (x > y) - (x < y);
}

/* Collects the references of a subtree; returns their number. Several references to one triangle
 * are merged into one, as a leaf tests it once. */
static uint32_t gather(const mo_tree_builder *tree, const mo_cut *cut, mo_item *items) {
  uint32_t all = copy_items(tree, cut, items, 0);
  if (!tree->split) {
    return all;
  }
  qsort(items, all, sizeof *items, compare_items);
  uint32_t kept = 0;
  for (uint32_t i = 1; i < all; i++) {
    if (mo_item_index(&items[i]) == mo_item_index(&items[kept])) {
      mo_aabb box = mo_aabb_union(mo_box4v_get(&items[i]), mo_box4v_get(&items[kept]));
      mo_item_set_box(&items[kept], box);
    } else {
      items[++kept] = items[i];
    }
  }
  return kept + 1;
}

enum { CHOSEN_LEAF = 256 }; /* the largest leaf capacity */

static float leaf_cost(const mo_tree_builder *tree, const mo_cut *cut) {
  uint32_t count = cut->count;
  if (tree->split && cut->side[0] != NULL) {
    mo_item items[CHOSEN_LEAF];
    count = gather(tree, cut, items);
  }
  return cut->half_area * (LEAF_COST + BLOCK_COST * mo_sah_blocks(count));
}

/* Computes the costs and choices of one binary node from those of its sides. */
static void choose_one(const mo_tree_builder *tree, mo_cut *cut) {
  if (cut->side[0] == NULL) {
    float cost = leaf_cost(tree, cut);
    for (int i = 0; i < MO_WIDTH; i++) {
      cut->cost[i] = cost;
      cut->choice[i] = i == 0 ? AS_LEAF : AS_FEWER;
    }
    return;
  }
  const float *a = cut->side[0]->cost, *b = cut->side[1]->cost;
  for (int i = 1; i < MO_WIDTH; i++) {
    float min = a[0] + b[i - 1];
    int best = 1;
    for (int k = 1; k < i; k++) {
      float cost = a[k] + b[i - 1 - k];
      best = cost < min ? k + 1 : best;
      min = cost < min ? cost : min;
    }
    cut->cost[i] = min;
    cut->choice[i] = (uint8_t)best;
  }
  cut->node_choice = cut->choice[MO_WIDTH - 1];
  cut->cost[0] = cut->cost[MO_WIDTH - 1] + NODE_COST * cut->half_area;
  cut->choice[0] = AS_NODE;
  if (cut->count <= tree->builder->mesh->build.leaf_capacity) {
    float cost = leaf_cost(tree, cut);
    if (cost <= cut->cost[0]) {
      cut->cost[0] = cost;
      cut->choice[0] = AS_LEAF;
    }
  }
  for (int i = 1; i < MO_WIDTH; i++) {
    if (cut->cost[i - 1] <= cut->cost[i]) {
      cut->cost[i] = cut->cost[i - 1];
      cut->choice[i] = AS_FEWER;
    }
  }
}

/* Computes the costs and choices of a subtree. */
static void choose(const mo_tree_builder *tree, mo_cut *cut) {
  if (cut->side[0] != NULL) {
    choose(tree, cut->side[0]);
    choose(tree, cut->side[1]);
  }
  choose_one(tree, cut);
}

/* The parts of a binary tree that become the slots of a node, and the planes between them. */
typedef struct parts {
  mo_cut *slot[MO_WIDTH];
  uint32_t count;
  bool only_slots; /* the planes, and so the order of slots, are not computed */
  mo_nested planes;
} parts;

/* Finds the axis along which two boxes are farthest apart relative to their sizes, and which of
 * them comes first on it. */
static uint32_t find_axis(const mo_cut *a, const mo_cut *b, bool *swap) {
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

/* Splits a subtree into at most `slots` slots; returns the resulting side (see mo_nested). Slots
 * are numbered upward along every axis, so that the order for a direction without negative signs is
 * 0 to 7. */
static uint32_t take_apart(mo_cut *cut, uint32_t slots, bool as_node, parts *result) {
  while (!as_node && slots > 1 && cut->choice[slots - 1] == AS_FEWER) {
    slots--;
  }
  if (!as_node && slots == 1) {
    MO_ASSERT(result->count < MO_WIDTH);
    result->slot[result->count] = cut;
    return result->count++;
  }
  uint32_t first = as_node ? cut->node_choice : cut->choice[slots - 1];
  MO_ASSERT(cut->side[0] != NULL && first > 0 && first < slots);
  if (result->only_slots) {
    take_apart(cut->side[0], first, false, result);
    return take_apart(cut->side[1], slots - first, false, result);
  }
  mo_nested *planes = &result->planes;
  uint32_t plane = planes->count++;
  bool swap = false;
  uint32_t axis = find_axis(cut->side[0], cut->side[1], &swap);
  mo_cut *below = cut->side[swap], *above = cut->side[!swap];
  uint32_t slots_below = swap ? slots - first : first;
  uint32_t side_below = take_apart(below, slots_below, false, result);
  uint32_t side_above = take_apart(above, slots - slots_below, false, result);
  planes->axis[plane] = (uint8_t)axis;
  planes->position[plane] = 0.5f * below->box.upper[axis] + 0.5f * above->box.lower[axis];
  planes->sides[plane] = (uint8_t)(side_below | side_above << 4);
  return MO_WIDTH + plane;
}

/* Finds the children of a node. If the whole tree is one leaf, it is the root's slot 0. */
static void find_parts(mo_cut *cut, bool only_slots, parts *result) {
  result->count = 0;
  result->only_slots = only_slots;
  memset(&result->planes, 0, sizeof result->planes);
  if (cut->choice[0] == AS_NODE) {
    take_apart(cut, MO_WIDTH, true, result);
  } else {
    result->slot[result->count++] = cut;
  }
}

static bool is_leaf(const mo_tree_builder *tree, const mo_cut *cut, uint32_t depth) {
  return cut->choice[0] != AS_NODE || depth >= tree->builder->mesh->build.max_depth;
}

/* The references of a leaf. */
typedef struct leaf_items {
  const mo_item *items; /* null when out of memory */
  uint32_t count;
  mo_item few[CHOSEN_LEAF];
  mo_item *many; /* for leaves at the depth limit, which may be larger than CHOSEN_LEAF */
} leaf_items;

static void take_items(const mo_tree_builder *tree, const mo_cut *cut, leaf_items *leaf) {
  leaf->many = NULL;
  if (cut->side[0] == NULL) {
    leaf->items = &tree->items[cut->first];
    leaf->count = cut->count;
    return;
  }
  mo_item *items = leaf->few;
  if (cut->count > CHOSEN_LEAF) {
    const mo_allocator *allocator = &tree->builder->mesh->host.allocator;
    items = leaf->many = mo_allocate(allocator, cut->count, sizeof *items);
  }
  leaf->items = items;
  leaf->count = items != NULL ? gather(tree, cut, items) : 0;
}

static void give_items(const mo_tree_builder *tree, const mo_cut *cut, leaf_items *leaf) {
  mo_deallocate(&tree->builder->mesh->host.allocator, leaf->many, cut->count, sizeof *leaf->many);
}

/* A task writes a whole subtree of at most task_size references whose parent has more. Subtrees
 * below MIN_TASK, which only degenerate trees have so near the root, get no task. */
enum { MIN_TASK = 512, MIN_TASK_SIZE = 4096, TASKS = 64 };

/* A subtree that a task writes. */
typedef struct subtree {
  mo_cut *cut;
  uint32_t depth, parent;
  /* Indices where its root, the nodes below it, and its blocks are written. */
  uint32_t node, nodes, blocks;
  uint32_t deepest;
} subtree;

typedef struct collapse {
  mo_tree_builder *tree;
  uint32_t task_size;
  MO_LIST(subtree, subtrees);
  atomic_bool failed; /* out of memory */
} collapse;

static bool is_task(const collapse *c, const mo_cut *cut) {
  return cut->count <= c->task_size && cut->count >= MIN_TASK;
}

static bool add_task(collapse *c, mo_cut *cut, uint32_t depth) {
  const subtree added = {.cut = cut, .depth = depth};
  cut->task = c->count;
  return mo_list_add(&c->tree->builder->mesh->host.allocator, &c->list, sizeof added, &added) ==
         MO_OK;
}

/* Computing the choices of all nodes. */

static bool list_cuts(collapse *c, mo_cut *cut) {
  if (is_task(c, cut)) {
    return add_task(c, cut, 0);
  }
  return cut->count <= c->task_size || cut->side[0] == NULL ||
         (list_cuts(c, cut->side[0]) && list_cuts(c, cut->side[1]));
}

static void choose_task(uint32_t index, void *context) {
  const collapse *c = context;
  choose(c->tree, c->subtrees[index].cut);
}

static void choose_rest(const collapse *c, mo_cut *cut) {
  if (is_task(c, cut)) {
    return;
  }
  if (cut->side[0] != NULL) {
    choose_rest(c, cut->side[0]);
    choose_rest(c, cut->side[1]);
  }
  choose_one(c->tree, cut);
}

/* Computing sizes. (The root may be its own part.) */

static bool list_nodes(collapse *c, mo_cut *cut, uint32_t depth) {
  parts p;
  bool ok = true;
  find_parts(cut, true, &p);
  for (uint32_t slot = 0; slot < p.count && ok; slot++) {
    mo_cut *part = p.slot[slot];
    if (is_leaf(c->tree, part, depth + 1)) {
      continue;
    }
    if (is_task(c, part)) {
      ok = add_task(c, part, depth + 1);
    } else if (part->count > c->task_size) {
      ok = list_nodes(c, part, depth + 1);
    }
  }
  return ok;
}

/* Counts the nodes and blocks of the subtree of a node at `depth`. `rest`: skips the subtrees that
 * tasks process. */
static void measure(collapse *c, mo_cut *cut, uint32_t depth, bool rest) {
  const mo_tree_builder *tree = c->tree;
  parts p;
  find_parts(cut, true, &p);
  uint32_t nodes = 1, blocks = 0;
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_cut *part = p.slot[slot];
    if (is_leaf(tree, part, depth + 1)) {
      uint32_t count = part->count;
      if (tree->split && part->side[0] != NULL) {
        leaf_items leaf;
        take_items(tree, part, &leaf);
        count = leaf.count;
        if (leaf.items == NULL) {
          atomic_store_explicit(&c->failed, true, memory_order_relaxed);
        }
        give_items(tree, part, &leaf);
      }
      part->nodes = 0;
      part->blocks = (count + MO_WIDTH - 1) / MO_WIDTH;
    } else if (!rest || !is_task(c, part)) {
      measure(c, part, depth + 1, rest);
    }
    nodes += part->nodes;
    blocks += part->blocks;
  }
  cut->nodes = nodes;
  cut->blocks = blocks;
}

static void measure_task(uint32_t index, void *context) {
  collapse *c = context;
  measure(c, c->subtrees[index].cut, c->subtrees[index].depth, false);
}

/* Writing. */

static void write_leaf(collapse *c, mo_cut *cut, uint32_t first_block) {
  const mo_tree_builder *tree = c->tree;
  mo_mesh *mesh = tree->builder->mesh;
  const mo_vec3 *corners = tree->builder->corners;
  leaf_items leaf;
  take_items(tree, cut, &leaf);
  if (leaf.items == NULL) {
    atomic_store_explicit(&c->failed, true, memory_order_relaxed);
    return;
  }
  float area = 0.0f;
  for (uint32_t begin = 0; begin < leaf.count; begin += MO_WIDTH) {
    uint32_t lanes = leaf.count - begin < MO_WIDTH ? leaf.count - begin : MO_WIDTH;
    mo_triangle_block *block = &mesh->blocks[first_block + begin / MO_WIDTH];
    for (uint32_t lane = 0; lane < MO_WIDTH; lane++) {
      /* Empty lanes repeat lane 0, so that they never take a branch that no real lane takes. */
      const mo_item *item = &leaf.items[begin + (lane < lanes ? lane : 0)];
      uint32_t triangle = mo_item_index(item);
      const mo_vec3 *corner = &corners[3 * (size_t)triangle];
      for (int i = 0; i < 3; i++) {
        block->corner[i][0][lane] = corner[i].x;
        block->corner[i][1][lane] = corner[i].y;
        block->corner[i][2][lane] = corner[i].z;
      }
      block->id[lane] = lane < lanes ? triangle : MO_LANE_EMPTY;
      if (lane < lanes) {
        area += mo_item_area(item);
        if (!tree->split) {
          mesh->places[triangle] = (first_block + begin / MO_WIDTH) << 3 | lane;
        }
      }
    }
    if (mesh->degenerate_count > 0 && mo_degenerate_lanes(block->corner, (1u << lanes) - 1) != 0) {
      block->id[2] |= MO_LANE_SOME_DEGENERATE;
    }
  }
  uint32_t blocks = (leaf.count + MO_WIDTH - 1) / MO_WIDTH;
  mesh->blocks[first_block + blocks - 1].id[0] |= MO_LANE_LAST;
  MO_ASSERT(blocks == cut->blocks && first_block + blocks <= mesh->block_count);
  cut->offer = (mo_offer){area, (float)blocks};
  give_items(tree, cut, &leaf);
}

/* Orders the slots of a node by probability of a hit per expected work. A random line that hits a
 * convex box hits a surface of area A inside it with a probability of about A over half the box's
 * surface area. */
static uint32_t order_by_likelihood(mo_cut *cut, const parts *p) {
  double key[MO_WIDTH];
  mo_offer sum = {0.0f, 1.0f};
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    key[slot] = -1.0;
    if (slot < p->count) {
      mo_offer offer = p->slot[slot]->offer;
      float half = p->slot[slot]->half_area;
      float chance = half > offer.area ? offer.area / half : 1.0f;
      key[slot] = (double)(chance / offer.work);
      sum.area += offer.area;
      sum.work += cut->half_area > 0.0f ? offer.work * (half / cut->half_area) : offer.work;
    }
  }
  cut->offer = sum;
  return mo_slots_by_key(key);
}

/* Writes the node s->cut and its subtree. The children of a node are consecutive in memory,
 * followed by the nodes below the first child, and so on; the blocks of its leaves are consecutive
 * too. `rest`: subtrees of tasks are only prepared. */
static void write_node(collapse *c, subtree *s, bool rest) {
  const mo_tree_builder *tree = c->tree;
  mo_mesh *mesh = tree->builder->mesh;
  MO_ASSERT(s->node < mesh->node_count && s->depth < MO_MESH_MAX_DEPTH);
  mo_mesh_node *node = &mesh->nodes[s->node];
  parts p;
  find_parts(s->cut, false, &p);
  memset(node, 0, sizeof *node);
  mo_bounds8_clear(&node->bounds);
  mesh->planes[s->node] =
      (mo_mesh_planes){.nested = p.planes, .depth = (uint8_t)s->depth, .parent = s->parent};
  mo_nested_order(&p.planes, node->order);
  s->deepest = s->depth + 1 > s->deepest ? s->depth + 1 : s->deepest;
  uint32_t inner = 0, blocks = s->blocks;
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    node->child[slot] = MO_CHILD_EMPTY;
    if (slot >= p.count) {
      continue;
    }
    mo_cut *part = p.slot[slot];
    mo_bounds8_set(&node->bounds, (int)slot, mo_box4v_get(&part->box));
    if (is_leaf(tree, part, s->depth + 1)) {
      node->child[slot] = MO_CHILD_LEAF | blocks;
      write_leaf(c, part, blocks);
      blocks += part->blocks;
    } else {
      node->child[slot] = s->nodes + inner++;
    }
  }
  uint32_t next = s->nodes, nodes = s->nodes + inner;
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_cut *part = p.slot[slot];
    if (is_leaf(tree, part, s->depth + 1)) {
      continue;
    }
    subtree below = {.cut = part,
                     .depth = s->depth + 1,
                     .parent = s->node << 3 | slot,
                     .node = next++,
                     .nodes = nodes,
                     .blocks = blocks};
    nodes += part->nodes - 1;
    blocks += part->blocks;
    if (rest && is_task(c, part)) {
      c->subtrees[part->task] = below;
    } else {
      write_node(c, &below, rest);
      s->deepest = below.deepest > s->deepest ? below.deepest : s->deepest;
    }
  }
  MO_ASSERT(nodes == s->nodes + s->cut->nodes - 1 && blocks == s->blocks + s->cut->blocks);
  s->cut->node = s->node;
  if (!rest) {
    node->any_order = order_by_likelihood(s->cut, &p);
  }
}

static void write_task(uint32_t index, void *context) {
  collapse *c = context;
  write_node(c, &c->subtrees[index], false);
}

/* Computes the visit orders by likelihood of nodes above the tasks. */
static void order_rest(const collapse *c, mo_cut *cut, uint32_t depth) {
  parts p;
  find_parts(cut, false, &p);
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_cut *part = p.slot[slot];
    if (!is_leaf(c->tree, part, depth + 1) && !is_task(c, part)) {
      order_rest(c, part, depth + 1);
    }
  }
  mo_mesh_node *node = &c->tree->builder->mesh->nodes[cut->node];
  node->any_order = order_by_likelihood(cut, &p);
}

static bool allocate_arrays(mo_mesh *mesh, uint32_t nodes, uint32_t blocks) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mesh->nodes = mo_allocate(allocator, nodes, sizeof *mesh->nodes);
  mesh->planes = mo_allocate(allocator, nodes, sizeof *mesh->planes);
  mesh->blocks = mo_allocate(allocator, blocks, sizeof *mesh->blocks);
  mesh->node_capacity = mesh->nodes != NULL ? nodes : 0;
  mesh->planes_capacity = mesh->planes != NULL ? nodes : 0;
  mesh->block_capacity = mesh->blocks != NULL ? blocks : 0;
  mesh->node_count = nodes;
  mesh->block_count = blocks;
  return mesh->nodes != NULL && mesh->planes != NULL && mesh->blocks != NULL;
}

static bool collapse_all(collapse *c) {
  mo_mesh *mesh = c->tree->builder->mesh;
  mo_cut *root = c->tree->root;
  if (!list_cuts(c, root)) {
    return false;
  }
  mo_tasks_run(&mesh->host, c->count, choose_task, c);
  choose_rest(c, root);
  c->count = 0;
  bool whole = root->count <= c->task_size; /* small meshes are one task */
  if (!whole && !list_nodes(c, root, 0)) {
    return false;
  }
  mo_tasks_run(&mesh->host, c->count, measure_task, c);
  measure(c, root, 0, !whole);
  if (atomic_load(&c->failed) || !allocate_arrays(mesh, root->nodes, root->blocks)) {
    return false;
  }
  subtree top = {.cut = root, .parent = MO_NONE, .nodes = 1};
  write_node(c, &top, !whole);
  mo_tasks_run(&mesh->host, c->count, write_task, c);
  if (!whole) {
    order_rest(c, root, 0);
  }
  mesh->depth = top.deepest;
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t deepest = c->subtrees[i].deepest;
    mesh->depth = deepest > mesh->depth ? deepest : mesh->depth;
  }
  return !atomic_load(&c->failed);
}

void mo_collapse(mo_tree_builder *tree) {
  const mo_allocator *allocator = &tree->builder->mesh->host.allocator;
  uint32_t size = tree->root->count / TASKS;
  collapse c = {.tree = tree, .task_size = size > MIN_TASK_SIZE ? size : MIN_TASK_SIZE};
  atomic_init(&c.failed, false);
  if (!collapse_all(&c)) {
    tree->builder->result = MO_ERROR_OUT_OF_MEMORY;
  }
  mo_list_trim(allocator, &c.list, sizeof *c.subtrees, 0);
}
