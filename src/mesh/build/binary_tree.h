/* The intermediate form of the builders by surface area: a binary tree over the references, which
 * is then collapsed into nodes of eight.
 *
 *   planes.c    cuts the references, top down, into a binary tree
 *   morton.c    (fast quality, in its place) sorts the references along a curve and cuts that
 *   spatial.c   cuts of references themselves (split builder)
 *   reinsert.c  moves subtrees to where they enlarge less
 *   collapse.c  chooses nodes and leaves, and writes them
 */
#ifndef MO_MESH_BUILD_BINARY_TREE_H
#define MO_MESH_BUILD_BINARY_TREE_H

#include <stdalign.h>

#include "mesh/build/build.h"
#include "octree/sah.h"

/* What decides the visit order for any-hit rays: how likely a subtree has a hit, and its cost. */
typedef struct mo_offer {
  float area; /* of its triangles */
  float work; /* expected, in nodes and blocks */
} mo_offer;

/* A node of the binary tree. */
typedef struct mo_cut mo_cut;
struct mo_cut {
  alignas(64) mo_box4v box; /* two cache lines in all, not three */
  mo_cut *side[2];          /* null in a leaf */
  mo_cut *parent;
  uint32_t first;  /* leaf: where its references begin */
  uint32_t count;  /* references in it */
  uint32_t height; /* 0 for a leaf */
  float half_area; /* in units of the build */
  /* collapse.c: the least cost of it as at most i + 1 slots of a node, and how. */
  uint8_t choice[MO_WIDTH];
  uint8_t node_choice; /* as a node with all eight slots */
  union {
    float cost[MO_WIDTH];
    struct {                  /* as the root of a node or leaf, once all is chosen */
      uint32_t nodes, blocks; /* in its subtree */
      uint32_t node;          /* where it is written */
      uint32_t task;
      mo_offer offer;
    };
  };
};

/* The reference to a whole triangle; adds one to `*degenerate` if it is. */
static inline mo_item mo_item_of_triangle(const mo_builder *builder, uint32_t triangle, float unit,
                                          uint32_t *degenerate) {
  const mo_vec3 *c = &builder->corners[3 * (size_t)triangle];
  mo_dvec3 n = mo_triangle_cross(c);
  float area = (float)(0.5 * sqrt(mo_ddot(n, n)) * ((double)unit * unit));
  *degenerate += mo_triangle_is_degenerate(c);
  return mo_item_make(mo_builder_triangle_bounds(builder, triangle), triangle, area);
}

enum { MO_CUT_MAX_DEPTH = 160 };

static inline void mo_cut_update_height(mo_cut *cut) {
  uint32_t a = cut->side[0]->height, b = cut->side[1]->height;
  cut->height = 1 + (a > b ? a : b);
}

/* Binary nodes in chunks that stay where they are. */
typedef struct mo_cut_chunk mo_cut_chunk;
typedef struct mo_cut_arena {
  const mo_allocator *allocator;
  mo_cut_chunk *chunks;
  uint32_t left; /* in the first chunk */
} mo_cut_arena;

/* Null when out of memory. */
mo_cut *mo_cut_arena_take(mo_cut_arena *arena);
void mo_cut_arena_free(mo_cut_arena *arena);
/* Moves all nodes of `from` to another arena; they stay where they are. */
void mo_cut_arena_join(mo_cut_arena *arena, mo_cut_arena *from);

typedef struct mo_tree_builder {
  mo_builder *builder;
  mo_item *items, *scratch; /* the latter for planes.c */
  uint32_t capacity;        /* of each */
  float unit;               /* see mo_sah_unit */
  bool split;               /* references may have been cut: a triangle may have several */
  float whole;              /* references whose box has more half area than this are not cut */
  mo_cut *root;
} mo_tree_builder;

/* Makes the references, in order along a Morton curve, and the tree over them, with up to `block`
 * references in a leaf. False when out of memory. */
bool mo_build_along_curve(mo_tree_builder *tree, uint32_t block, mo_cut_arena *arena);

/* Moves subtrees of at least `least` half area, from the root down, to where they enlarge the boxes
 * around them less: up to `passes` times over (first those of four times the area), as long as one
 * that is tried saves `least_gain` of the root's half area on average. False when out of memory. */
bool mo_reinsert(mo_tree_builder *tree, float least, uint32_t passes, float least_gain);

/* Writes the nodes and blocks of the mesh. */
void mo_collapse(mo_tree_builder *tree);

/* Cutting references by a plane. `spare` is how many more duplicates fit. */
typedef struct mo_spatial_split {
  uint32_t axis; /* MO_SAH_NONE if there is none */
  float position;
  float cost;
  mo_aabb left, right;              /* of all references, straddlers clipped */
  uint32_t left_count, right_count; /* straddlers counted on both sides */
} mo_spatial_split;

mo_spatial_split mo_find_spatial_split(const mo_tree_builder *tree, const mo_item *items,
                                       uint32_t count, const mo_box4v *box, uint32_t bins,
                                       uint32_t spare);

/* Partitions items[0..count) in place: left ones first. Straddlers that pay are cut in two; the
 * array has capacity for `spare` more. Returns how many are on the left, and the new count. */
uint32_t mo_apply_spatial_split(const mo_tree_builder *tree, mo_item *items, uint32_t *count,
                                uint32_t spare, const mo_spatial_split *split);

#endif
