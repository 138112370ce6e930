/* What the builders by surface area go through: a binary tree over the references, which is then
 * taken together into nodes of eight.
 *
 *   planes.c    cuts the references, top down, into a binary tree
 *   clusters.c  puts references together before (fast quality)
 *   spatial.c   cuts of references themselves (split builder)
 *   reinsert.c  moves subtrees to where they enlarge less
 *   collapse.c  chooses nodes and leaves, and writes them
 */
#ifndef MO_MESH_BUILD_BINARY_TREE_H
#define MO_MESH_BUILD_BINARY_TREE_H

#include "mesh/build/build.h"
#include "octree/sah.h"

/* What a subtree has to offer a ray that looks for any hit. */
typedef struct mo_offer {
  float area; /* of its triangles */
  float work; /* expected, in nodes and blocks */
} mo_offer;

/* A node of the binary tree. */
typedef struct mo_cut mo_cut;
struct mo_cut {
  mo_box4v box;
  mo_cut *side[2]; /* null in a leaf */
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

typedef struct mo_tree_builder {
  mo_builder *builder;
  mo_item *items, *scratch;
  uint32_t capacity; /* of each */
  float unit;        /* see mo_sah_unit */
  bool split;        /* references may have been cut: a triangle may have several */
  float whole;       /* references whose box has more half area than this are not cut */
  mo_cut *root;
} mo_tree_builder;

/* Sorts the references into the scratch array and puts clusters of up to eight of them into the
 * array of references: with the bounds of all, where they begin in place of an index, and how many
 * there are in place of an area. How many clusters; 0 when out of memory. */
uint32_t mo_cluster_items(mo_tree_builder *tree);

/* Moves subtrees of at least `least` half area, from the root down, to where they enlarge the boxes
 * around them less: up to `passes` times over (first those of four times the area), as long as one
 * that is tried saves `least_gain` of the root's half area on average. False when out of memory. */
bool mo_reinsert(mo_tree_builder *tree, float least, uint32_t passes, float least_gain);

/* Writes the nodes and blocks of the mesh. */
void mo_collapse(mo_tree_builder *tree);

/* Cutting references by a plane. `spare` is how many duplicates there is room for. */
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
 * array has room for `spare` more. Returns how many are left, and the new count. */
uint32_t mo_apply_spatial_split(const mo_tree_builder *tree, mo_item *items, uint32_t *count,
                                uint32_t spare, const mo_spatial_split *split);

#endif
