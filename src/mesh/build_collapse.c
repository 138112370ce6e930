/* From the binary tree to nodes of eight: which of its nodes become nodes, which leaves.
 *
 * Any cut through the top of a binary tree into at most eight parts makes a node of eight, and any
 * subtree of few references a leaf. The choice with the least expected work is found from the
 * leaves up: for each subtree the least cost of it as at most i slots of a node, i = 1 to 8, from
 * those of its two sides (Ylitie, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs
 * Through Compressed Wide BVHs", 2017, section 3). */
#include <stdlib.h>
#include <string.h>

#include "mesh/build_tree.h"

/* What a visit costs: of a node, of a leaf (to get there), of a block in a leaf. */
#define NODE_COST 1.0f
#define LEAF_COST 0.3f
#define BLOCK_COST 0.9f

/* choice[i] for at most i + 1 slots: how many of them the first side gets, or one of these. */
enum {
  AS_LEAF = 0,
  AS_NODE = 254,
  AS_FEWER = 255, /* the same as with one slot less */
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

/* The references of a subtree; how many there are. Several of one triangle become one: in a leaf it
 * is tested once. */
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

enum { MAX_LEAF = 256 }; /* of a chosen leaf; one that could not be cut may be of any size */

static float leaf_cost(const mo_tree_builder *tree, const mo_cut *cut) {
  uint32_t count = cut->count;
  if (tree->split && cut->side[0] != NULL) {
    mo_item items[MAX_LEAF];
    count = gather(tree, cut, items);
  }
  return cut->half_area * (LEAF_COST + BLOCK_COST * mo_sah_blocks(count));
}

/* Fills in the choices of a subtree. */
static void choose(const mo_tree_builder *tree, mo_cut *cut) {
  if (cut->side[0] == NULL) {
    float cost = leaf_cost(tree, cut);
    for (int i = 0; i < MO_WIDTH; i++) {
      cut->cost[i] = cost;
      cut->choice[i] = i == 0 ? AS_LEAF : AS_FEWER;
    }
    return;
  }
  choose(tree, cut->side[0]);
  choose(tree, cut->side[1]);
  const float *a = cut->side[0]->cost, *b = cut->side[1]->cost;
  for (int i = 1; i < MO_WIDTH; i++) {
    float least = a[0] + b[i - 1];
    int best = 1;
    for (int k = 1; k < i; k++) {
      float cost = a[k] + b[i - 1 - k];
      best = cost < least ? k + 1 : best;
      least = cost < least ? cost : least;
    }
    cut->cost[i] = least;
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

/* The parts of a node, and the planes between them. */
typedef struct parts {
  mo_cut *slot[MO_WIDTH];
  uint32_t count;
  mo_nested planes;
} parts;

/* The axis along which two boxes are farthest apart for their size, and which of them comes first
 * there. */
static uint32_t find_axis(const mo_cut *a, const mo_cut *b, bool *swap) {
  float most = -1.0f;
  uint32_t best = 0;
  for (uint32_t axis = 0; axis < 3; axis++) {
    float gap = (b->box.lower[axis] + b->box.upper[axis]) - (a->box.lower[axis] + a->box.upper[axis]);
    float size =
        (a->box.upper[axis] - a->box.lower[axis]) + (b->box.upper[axis] - b->box.lower[axis]);
    float apart = size > 0.0f ? fabsf(gap) / size : gap != 0.0f ? INFINITY : 0.0f;
    if (apart > most) {
      most = apart;
      best = axis;
      *swap = gap < 0.0f;
    }
  }
  return best;
}

/* Takes a subtree apart into at most `slots` slots; the side that results (see mo_nested). Slots are
 * counted upward along every axis: the order for a direction without negative signs is 0 to 7. */
static uint32_t take_apart(mo_cut *cut, uint32_t slots, bool as_node, parts *result) {
  while (!as_node && slots > 1 && cut->choice[slots - 1] == AS_FEWER) {
    slots--;
  }
  if (!as_node && slots == 1) {
    result->slot[result->count] = cut;
    return result->count++;
  }
  uint32_t first = as_node ? cut->node_choice : cut->choice[slots - 1];
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

/* The children of a node. The whole tree may be one leaf: then the root has it in slot 0. */
static void find_parts(mo_cut *cut, parts *result) {
  result->count = 0;
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

/* The references of a leaf. Those that were merged wait in the scratch array, where nothing else is
 * now: as much room as the references themselves have. */
static const mo_item *leaf_items(const mo_tree_builder *tree, const mo_cut *cut, uint32_t *count) {
  if (cut->side[0] == NULL) {
    *count = cut->count;
    return &tree->items[cut->first];
  }
  *count = gather(tree, cut, tree->scratch);
  return tree->scratch;
}

/* Counts the nodes and blocks of the subtree of a node at `depth`. (The root may be its own part.) */
static void measure(const mo_tree_builder *tree, mo_cut *cut, uint32_t depth) {
  parts p;
  find_parts(cut, &p);
  uint32_t nodes = 1, blocks = 0;
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_cut *part = p.slot[slot];
    if (is_leaf(tree, part, depth + 1)) {
      uint32_t count = part->count;
      if (tree->split) {
        leaf_items(tree, part, &count);
      }
      part->nodes = 0;
      part->blocks = (count + MO_WIDTH - 1) / MO_WIDTH;
    } else {
      measure(tree, part, depth + 1);
    }
    nodes += part->nodes;
    blocks += part->blocks;
  }
  cut->nodes = nodes;
  cut->blocks = blocks;
}

/* What a subtree has to offer a ray that looks for any hit. */
typedef struct offer {
  float area; /* of its triangles */
  float work; /* expected, in nodes and blocks */
} offer;

/* Where the parts of a subtree are written. */
typedef struct place {
  uint32_t node;  /* its root */
  uint32_t nodes; /* those below it */
  uint32_t blocks;
} place;

static offer write_leaf(const mo_tree_builder *tree, const mo_cut *cut, uint32_t node,
                        uint32_t slot, uint32_t first_block) {
  mo_mesh *mesh = tree->builder->mesh;
  const mo_vec3 *corners = tree->builder->corners;
  uint32_t count;
  const mo_item *items = leaf_items(tree, cut, &count);
  offer result = {0.0f, (float)cut->blocks};
  for (uint32_t begin = 0; begin < count; begin += MO_WIDTH) {
    uint32_t lanes = count - begin < MO_WIDTH ? count - begin : MO_WIDTH;
    mo_triangle_block *block = &mesh->blocks[first_block + begin / MO_WIDTH];
    for (uint32_t lane = 0; lane < MO_WIDTH; lane++) {
      /* Empty lanes repeat lane 0, so that they take no path that a real lane does not. */
      const mo_item *item = &items[begin + (lane < lanes ? lane : 0)];
      uint32_t triangle = mo_item_index(item);
      const mo_vec3 *c = &corners[3 * (size_t)triangle];
      for (int i = 0; i < 3; i++) {
        block->corner[i][0][lane] = c[i].x;
        block->corner[i][1][lane] = c[i].y;
        block->corner[i][2][lane] = c[i].z;
      }
      block->id[lane] = lane < lanes ? triangle : MO_LANE_EMPTY;
      if (lane < lanes) {
        result.area += mo_item_area(item);
        if (!tree->split) {
          mesh->places[triangle] = (first_block + begin / MO_WIDTH) << 3 | lane;
        }
      }
    }
  }
  mesh->blocks[first_block + cut->blocks - 1].id[0] |= MO_LANE_LAST;
  mesh->nodes[node].child[slot] = MO_CHILD_LEAF | first_block;
  return result;
}

/* Orders the slots of a node by the chance of a hit, for the work. A random line that meets a convex
 * box meets something of area A in it with about the chance A over half the box's surface. */
static offer order_by_likelihood(const mo_cut *cut, const parts *p, const offer offers[MO_WIDTH],
                                 uint32_t *any_order) {
  float key[MO_WIDTH];
  offer sum = {0.0f, 1.0f};
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    key[slot] = -1.0f;
    if (slot < p->count) {
      float half = p->slot[slot]->half_area;
      float chance = half > offers[slot].area ? offers[slot].area / half : 1.0f;
      key[slot] = chance / offers[slot].work;
      sum.area += offers[slot].area;
      sum.work += cut->half_area > 0.0f ? offers[slot].work * (half / cut->half_area)
                                        : offers[slot].work;
    }
  }
  uint32_t order = 0;
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t rank = 0;
    for (uint32_t other = 0; other < MO_WIDTH; other++) {
      rank += key[other] > key[slot] || (key[other] == key[slot] && other < slot);
    }
    order |= slot << (4 * rank);
  }
  *any_order = order;
  return sum;
}

static void clear_node(mo_mesh_node *node) {
  mo_bounds8_clear(&node->bounds);
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    node->child[slot] = MO_CHILD_EMPTY;
  }
  memset(node->unused, 0, sizeof node->unused);
}

/* Writes the node at `at` and all below it. Its children come one after the other, then what is
 * below the first of them, and so on; the blocks of its leaves together. */
static offer write_node(const mo_tree_builder *tree, mo_cut *cut, place at, uint32_t parent,
                        uint32_t depth, uint32_t *deepest) {
  mo_mesh *mesh = tree->builder->mesh;
  mo_mesh_node *node = &mesh->nodes[at.node];
  parts p;
  offer offers[MO_WIDTH];
  find_parts(cut, &p);
  clear_node(node);
  mesh->planes[at.node] =
      (mo_mesh_planes){.nested = p.planes, .depth = (uint8_t)depth, .parent = parent};
  mo_nested_order(&p.planes, node->order);
  *deepest = depth + 1 > *deepest ? depth + 1 : *deepest;
  uint32_t inner = 0;
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_cut *part = p.slot[slot];
    mo_bounds8_set(&node->bounds, (int)slot, mo_box4v_get(&part->box));
    if (is_leaf(tree, part, depth + 1)) {
      offers[slot] = write_leaf(tree, part, at.node, slot, at.blocks);
      at.blocks += part->blocks;
    } else {
      node->child[slot] = at.nodes + inner++;
    }
  }
  place below = {at.nodes, at.nodes + inner, at.blocks};
  for (uint32_t slot = 0; slot < p.count; slot++) {
    mo_cut *part = p.slot[slot];
    if (!is_leaf(tree, part, depth + 1)) {
      offers[slot] =
          write_node(tree, part, below, at.node << 3 | slot, depth + 1, deepest);
      below.node++;
      below.nodes += part->nodes - 1;
      below.blocks += part->blocks;
    }
  }
  return order_by_likelihood(cut, &p, offers, &node->any_order);
}

void mo_collapse(mo_tree_builder *tree) {
  mo_mesh *mesh = tree->builder->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  choose(tree, tree->root);
  measure(tree, tree->root, 0);
  uint32_t nodes = tree->root->nodes, blocks = tree->root->blocks;
  mesh->nodes = mo_allocate(allocator, nodes, sizeof *mesh->nodes);
  mesh->planes = mo_allocate(allocator, nodes, sizeof *mesh->planes);
  mesh->blocks = mo_allocate(allocator, blocks, sizeof *mesh->blocks);
  mesh->node_capacity = mesh->nodes != NULL ? nodes : 0;
  mesh->planes_capacity = mesh->planes != NULL ? nodes : 0;
  mesh->block_capacity = mesh->blocks != NULL ? blocks : 0;
  if (mesh->nodes == NULL || mesh->planes == NULL || mesh->blocks == NULL) {
    tree->builder->result = MO_ERROR_OUT_OF_MEMORY;
    return;
  }
  mesh->node_count = nodes;
  mesh->block_count = blocks;
  write_node(tree, tree->root, (place){0, 1, 0}, MO_NONE, 0, &mesh->depth);
}
