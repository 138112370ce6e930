/* The intermediate form of the SAH builders: a binary tree over the references, which is then
 * collapsed into 8-wide nodes.
 *
 *   planes.c    splits the references, top down, into a binary tree
 *   morton.c (instead, at fast quality) sorts the references along a Morton curve and splits the
 *   curve
 *   spatial.c   spatial splits, which cut references (split builder)
 *   reinsert.c  moves subtrees to where they enlarge bounds less
 *   collapse.c chooses which binary nodes become 8-wide nodes and leaves, and writes the mesh's
 *   octree */
#ifndef MO_MESH_BUILD_BINARY_TREE_H
#define MO_MESH_BUILD_BINARY_TREE_H

#include <stdalign.h>
#include <stdatomic.h>

#include "mesh/build/build.h"
#include "octree/sah.h"

/* A node of the binary tree. */
typedef struct mo_binary_node mo_binary_node;
struct mo_binary_node {
  alignas(64) mo_simd_box box; /* so that the struct takes two cache lines, not three */
  mo_binary_node *side[2];     /* its children; null in a leaf */
  mo_binary_node *parent;
  uint32_t first;  /* leaf: index of its first reference */
  uint32_t count;  /* number of references in the subtree */
  uint32_t height; /* 0 for a leaf */
  float half_area; /* of the scaled box (mo_sah_length_scale) */
  /* For collapse.c: cost_by_slot_count[i] is the least cost of this subtree if it takes at most i +
   * 1 slots of an 8-wide node; choice_by_slot_count[i] is the choice with that cost. */
  uint8_t choice_by_slot_count[MO_LANE_COUNT];
  uint8_t node_choice; /* the choice if this becomes an 8-wide node itself */
  union {
    float cost_by_slot_count[MO_LANE_COUNT];
    struct { /* set after the choices, if this becomes an 8-wide node or a leaf */
      uint32_t node_count, block_count; /* of the subtree */
      uint32_t node;                    /* index of the mesh's node that this is written to */
      uint32_t task;                    /* index of the task that processes this subtree */
      mo_subtree_estimate estimate;
    };
  };
};

/* Makes the reference to a whole triangle; increments `*degenerate` if the triangle is
 * degenerate. */
static inline mo_sah_item mo_sah_item_of_triangle(const mo_builder *builder, uint32_t triangle,
                                                  float length_scale, uint32_t *degenerate) {
  const mo_vec3 *c = &builder->corners[3 * (size_t)triangle];
  mo_dvec3 n = mo_triangle_cross(c);
  float area = (float)(0.5 * sqrt(mo_ddot(n, n)) * ((double)length_scale * length_scale));
  *degenerate += mo_triangle_is_degenerate(c);
  return mo_sah_item_make(mo_builder_triangle_bounds(builder, triangle), triangle, area);
}

enum { MO_BINARY_MAX_DEPTH = 160 };

/* Sets count and height of a node from its children. */
static inline void mo_binary_update(mo_binary_node *binary) {
  uint32_t a = binary->side[0]->height, b = binary->side[1]->height;
  binary->count = binary->side[0]->count + binary->side[1]->count;
  binary->height = 1 + (a > b ? a : b);
}

/* An arena of binary nodes: chunks that are never moved. */
typedef struct mo_binary_chunk mo_binary_chunk;
typedef struct mo_binary_arena {
  const mo_allocator *allocator;
  mo_binary_chunk *chunks;
  uint32_t free_count; /* free nodes in the first chunk */
} mo_binary_arena;

/* Allocates a binary node that is a leaf; null when out of memory. */
mo_binary_node *mo_binary_arena_allocate(mo_binary_arena *arena, mo_simd_box box, uint32_t first,
                                         uint32_t count, float length_scale);
void mo_binary_arena_free(mo_binary_arena *arena);
/* Transfers all nodes of `from` to `arena`; their addresses do not change. */
void mo_binary_arena_join(mo_binary_arena *arena, mo_binary_arena *from);

typedef struct mo_tree_builder {
  mo_builder *builder;
  mo_sah_item *items, *scratch; /* the references to triangles; workspace of planes.c */
  uint32_t capacity;            /* capacity of `items` and of `scratch` */
  float length_scale;           /* factor for lengths (mo_sah_length_scale) */
  bool may_have_duplicates;     /* references may have been split, so a triangle may have several */
  float max_split_area; /* references whose box has a larger half area than this are not split */
  atomic_uint degenerate_count; /* degenerate triangles among the references made */
  mo_binary_node *root;
} mo_tree_builder;

/* Makes the references in the order of a Morton curve, and the tree over them, with up to `block`
 * references per leaf, at most 8. Returns false when out of memory. */
bool mo_build_along_morton_curve(mo_tree_builder *tree, uint32_t block, mo_binary_arena *arena);

/* Reinsertion: moves subtrees of at least `min` half area, from the root downward, to where they
 * enlarge the boxes of their ancestors less. It makes up to `passes` passes (the first only over
 * subtrees of four times `min`), and stops when a tried subtree saves less than `min_gain` of the
 * root's half area on average. Returns false when out of memory. */
bool mo_reinsert_subtrees(mo_tree_builder *tree, float min, uint32_t passes, float min_gain);

/* Collapses the binary tree into the nodes and blocks of the mesh. */
void mo_collapse_binary_tree(mo_tree_builder *tree);

/* A spatial split: a plane that cuts the references that straddle it in two. `spare` in the
 * functions below is the number of duplicates that the budget still allows. */
typedef struct mo_spatial_split {
  uint32_t axis; /* MO_SAH_NO_AXIS if there is no split */
  float position;
  float cost;                       /* in half areas times blocks, as in mo_split */
  mo_aabb left, right;              /* bounds of each side, with straddling references clipped */
  uint32_t left_count, right_count; /* straddling references count on both sides */
} mo_spatial_split;

mo_spatial_split mo_find_spatial_split(const mo_tree_builder *tree, const mo_sah_item *items,
                                       uint32_t count, const mo_simd_box *box, uint32_t bin_count,
                                       uint32_t spare);

/* Partitions items[0..count) in place, left items first. Straddling references are split in two if
 * that pays off; the array must have capacity for `spare` more. Returns the number of left items,
 * and updates the count. */
uint32_t mo_apply_spatial_split(const mo_tree_builder *tree, mo_sah_item *items, uint32_t *count,
                                uint32_t spare, const mo_spatial_split *split);

#endif
