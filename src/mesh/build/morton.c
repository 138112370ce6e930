/* The builder for fast quality: a binary tree along a Morton curve (LBVH), without any search for
 * planes (Lauterbach et al., "Fast BVH Construction on GPUs", 2009). References are sorted by the
 * Morton codes of the grid cells in which their centres lie. Codes with common leading bits form a
 * larger cell: a subtree is split where the highest bit that differs within it changes.
 *
 * Parallelism: subtrees of few references are built by tasks; the tree above them is made from
 * their roots. The resulting tree does not depend on the tasks. */
#include "base/key_sort.h"
#include "base/prefetch.h"
#include "base/tasks.h"
#include "mesh/build/binary_tree.h"

enum {
  AXIS_BITS = 11, /* bits per cell coordinate: a Morton code is three digits of the radix sort */
  CELLS_PER_AXIS = 1 << AXIS_BITS,
  INDEX_BITS = 64 - 3 * AXIS_BITS,
  REFERENCES_PER_PIECE = 16384, /* references per task */
  PREFETCH_DISTANCE = 16,       /* in references, of their corners; saves 5 % of a build */
  /* A part has up to 1 / TARGET_PART_COUNT of all references, or REFERENCES_PER_PIECE if that is
     more. */
  TARGET_PART_COUNT = 64,
};

_Static_assert(MO_MAX_TRIANGLES < 1ull << INDEX_BITS, "an index fits below the code");

/* A subtree that a task builds. */
typedef struct curve_part {
  uint32_t first, count; /* range of sorted references */
  mo_binary_node *root;  /* null if the task ran out of memory */
  mo_binary_arena arena;
} curve_part;

typedef struct curve_builder {
  mo_tree_builder *tree;
  uint64_t *keys;          /* Morton code and index of each reference */
  mo_f4 origin, scale;     /* map doubled centres of boxes to grid coordinates */
  uint32_t block_capacity; /* largest number of references in a leaf */
  uint32_t max_part_size;  /* largest number of references in a part, which one task builds */
  MO_LIST(curve_part, items) parts; /* subtrees that tasks build, in the order of the curve */
} curve_builder;

static uint32_t piece_end(const curve_builder *c, uint32_t piece) {
  uint32_t begin = piece * REFERENCES_PER_PIECE, count = c->tree->builder->mesh->triangle_count;
  return count - begin < REFERENCES_PER_PIECE ? count : begin + REFERENCES_PER_PIECE;
}

/* Inserts two zero bits between adjacent bits of a number. */
static uint64_t spread_bits(uint32_t x) {
  uint64_t v = x;
  v = (v | v << 16) & 0x0000ff0000ffull;
  v = (v | v << 8) & 0x00f00f00f00full;
  v = (v | v << 4) & 0x0c30c30c30c3ull;
  return (v | v << 2) & 0x249249249249ull;
}

static void make_keys(uint32_t piece, void *context) {
  const curve_builder *c = context;
  for (uint32_t i = piece * REFERENCES_PER_PIECE, end = piece_end(c, piece); i < end; i++) {
    mo_aabb box = mo_builder_triangle_bounds(c->tree->builder, i);
    mo_f4 centre = mo_f4_from(&box.lower, 0.0f) + mo_f4_from(&box.upper, 0.0f);
    mo_i4 cell = mo_f4_truncate((centre - c->origin) * c->scale);
    uint64_t code = spread_bits((uint32_t)cell[0]) << 2 | spread_bits((uint32_t)cell[1]) << 1 |
                    spread_bits((uint32_t)cell[2]);
    c->keys[i] = code << INDEX_BITS | i;
  }
}

static uint32_t triangle_at(const curve_builder *c, uint32_t i) {
  return (uint32_t)(c->keys[i] & ((1ull << INDEX_BITS) - 1));
}

/* Prefetches two addresses, as the corners of a triangle may lie in two cache lines. */
MO_INLINE void prefetch_corners(const curve_builder *c, uint32_t triangle) {
  const mo_vec3 *corners = &c->tree->builder->corners[3 * (size_t)triangle];
  mo_prefetch(&corners[0], 1);
  mo_prefetch(&corners[2], 1);
}

static void make_items(uint32_t piece, void *context) {
  const curve_builder *c = context;
  uint32_t degenerate = 0;
  for (uint32_t i = piece * REFERENCES_PER_PIECE, end = piece_end(c, piece); i < end; i++) {
    prefetch_corners(c, triangle_at(c, i + PREFETCH_DISTANCE < end ? i + PREFETCH_DISTANCE : i));
    c->tree->items[i] = mo_sah_item_of_triangle(c->tree->builder, triangle_at(c, i),
                                                c->tree->length_scale, &degenerate);
  }
  atomic_fetch_add_explicit(&c->tree->degenerate_count, degenerate, memory_order_relaxed);
}

/* Sets the grid: cells are cubes, with CELLS_PER_AXIS of them along the longest axis. */
static void set_grid(curve_builder *c) {
  const mo_aabb bounds = c->tree->builder->mesh->bounds;
  mo_vec3 size = mo_sub(bounds.upper, bounds.lower);
  float scale = 0.499f * (float)CELLS_PER_AXIS / mo_max(size.x, mo_max(size.y, size.z));
  c->origin = (mo_f4){2.0f * bounds.lower.x, 2.0f * bounds.lower.y, 2.0f * bounds.lower.z, 0.0f};
  c->scale = mo_f4_splat(isfinite(scale) ? scale : 0.0f);
}

/* Splits a range of sorted references at the highest bit in which their codes differ: returns how
 * many of them have it clear. If all codes are equal, splits in halves. */
static uint32_t count_on_left_side(const curve_builder *c, uint32_t first, uint32_t count) {
  uint64_t differing = (c->keys[first] ^ c->keys[first + count - 1]) >> INDEX_BITS;
  if (differing == 0) {
    return count / 2;
  }
  uint64_t bit = 1ull << (63 - __builtin_clzll(differing)) << INDEX_BITS;
  uint32_t clear = 0, set = count - 1;
  while (set - clear > 1) {
    uint32_t middle = clear + (set - clear) / 2;
    if (c->keys[first + middle] & bit) {
      set = middle;
    } else {
      clear = middle;
    }
  }
  return set;
}

static mo_binary_node *make_leaf(const curve_builder *c, mo_binary_arena *arena, uint32_t first,
                                 uint32_t count) {
  const mo_sah_item *items = &c->tree->items[first];
  mo_simd_box box = items[0];
  for (uint32_t i = 1; i < count; i++) {
    box = mo_simd_box_union(box, items[i]);
  }
  return mo_binary_arena_allocate(arena, box, first, count, c->tree->length_scale);
}

static mo_binary_node *join_subtrees(const curve_builder *c, mo_binary_arena *arena,
                                     mo_binary_node *left, mo_binary_node *right) {
  if (left == NULL || right == NULL) {
    return NULL;
  }
  mo_binary_node *binary =
      mo_binary_arena_allocate(arena, mo_simd_box_union(left->box, right->box), left->first,
                               left->count + right->count, c->tree->length_scale);
  if (binary != NULL) {
    binary->side[0] = left;
    binary->side[1] = right;
    left->parent = right->parent = binary;
    mo_binary_update(binary);
  }
  return binary;
}

/* Builds the subtree over a range of references; null when out of memory. Above the parts, `*next`
 * is the index of the next part along the curve; in a part `next` is null. */
static mo_binary_node *build_subtree(const curve_builder *c, mo_binary_arena *arena, uint32_t first,
                                     uint32_t count, uint32_t *next) {
  if (next != NULL && count <= c->max_part_size) {
    return c->parts.items[(*next)++].root;
  }
  if (count <= c->block_capacity) {
    return make_leaf(c, arena, first, count);
  }
  uint32_t left = count_on_left_side(c, first, count);
  mo_binary_node *below = build_subtree(c, arena, first, left, next);
  return join_subtrees(c, arena, below, build_subtree(c, arena, first + left, count - left, next));
}

static void build_part(uint32_t index, void *context) {
  const curve_builder *c = context;
  curve_part *p = &c->parts.items[index];
  p->root = build_subtree(c, &p->arena, p->first, p->count, NULL);
}

static bool list_parts(curve_builder *c, uint32_t first, uint32_t count) {
  if (count > c->max_part_size) {
    uint32_t left = count_on_left_side(c, first, count);
    return list_parts(c, first, left) && list_parts(c, first + left, count - left);
  }
  const mo_allocator *allocator = &c->tree->builder->mesh->host.allocator;
  const curve_part added = {.first = first, .count = count, .arena = {.allocator = allocator}};
  return mo_list_add(allocator, &c->parts.list, sizeof added, &added) == MO_OK;
}

static void build_tree(curve_builder *c, mo_binary_arena *arena) {
  mo_tree_builder *tree = c->tree;
  const mo_host *host = &tree->builder->mesh->host;
  uint32_t count = tree->builder->mesh->triangle_count, next = 0;
  if (list_parts(c, 0, count)) {
    mo_tasks_run(host, c->parts.count, build_part, c);
    tree->root = build_subtree(c, arena, 0, count, &next);
  }
  for (uint32_t i = 0; i < c->parts.count; i++) {
    mo_binary_arena_join(arena, &c->parts.items[i].arena);
  }
  mo_list_trim(&host->allocator, &c->parts.list, sizeof *c->parts.items, 0);
}

bool mo_build_along_morton_curve(mo_tree_builder *tree, uint32_t block, mo_binary_arena *arena) {
  const mo_host *host = &tree->builder->mesh->host;
  uint32_t count = tree->builder->mesh->triangle_count,
           pieces = (count + REFERENCES_PER_PIECE - 1) / REFERENCES_PER_PIECE;
  curve_builder c = {.tree = tree,
                     .keys = mo_allocate(&host->allocator, count, sizeof *c.keys),
                     .block_capacity = block,
                     .max_part_size = count / TARGET_PART_COUNT > REFERENCES_PER_PIECE
                                          ? count / TARGET_PART_COUNT
                                          : REFERENCES_PER_PIECE};
  uint64_t *scratch = mo_allocate(&host->allocator, count, sizeof *scratch);
  tree->root = NULL;
  if (c.keys != NULL && scratch != NULL) {
    set_grid(&c);
    mo_tasks_run(host, pieces, make_keys, &c);
    mo_keys_sort_in_tasks(host, c.keys, scratch, count, INDEX_BITS);
    mo_tasks_run(host, pieces, make_items, &c);
    build_tree(&c, arena);
  }
  mo_deallocate(&host->allocator, scratch, count, sizeof *scratch);
  mo_deallocate(&host->allocator, c.keys, count, sizeof *c.keys);
  return tree->root != NULL;
}
