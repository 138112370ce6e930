/* Reinsertion: moves subtrees of the binary tree to better places (Bittner, Hapala and Havran,
 * "Fast Insertion-Based Optimization of Bounding Volume Hierarchies", 2013; the search from the old
 * place up follows Meister and Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy
 * Optimization", 2018).
 *
 * Top-down splits sort triangles to the two sides of a plane, so a large triangle enlarges the
 * boxes of all cells on its path. Reinserting subtrees, those of largest area first, undoes most of
 * this. */
#include <string.h>

#include "mesh/build/binary_tree.h"

enum { SEARCH_STACK_CAPACITY = 512 }; /* in subtrees to search; those that do not fit are skipped */

static mo_binary_node *sibling_of(const mo_binary_node *binary) {
  return binary->parent->side[binary->parent->side[0] == binary];
}

static void update_box(mo_binary_node *binary, float length_scale) {
  binary->box = mo_simd_box_union(binary->side[0]->box, binary->side[1]->box);
  binary->half_area = mo_sah_half_area(binary->box, length_scale);
}

static void update_ancestors(mo_binary_node *binary, float length_scale) {
  for (; binary != NULL; binary = binary->parent) {
    update_box(binary, length_scale);
    mo_binary_update(binary);
  }
}

/* Traversals of the tree are recursive, so its depth must be limited. */
static bool would_be_too_deep(const mo_binary_node *sibling, const mo_binary_node *moving) {
  uint32_t height = sibling->height > moving->height ? sibling->height : moving->height;
  for (const mo_binary_node *binary = sibling; binary != NULL; binary = binary->parent) {
    height++;
  }
  return height > MO_BINARY_MAX_DEPTH;
}

/* The search for a better place for a subtree. */
typedef struct sibling_search {
  const mo_binary_node *moving; /* the subtree to be moved */
  mo_binary_node *best;         /* new sibling of `moving`; null to leave it in place */
  float gain;                   /* half area that this move saves */
  float length_scale;
} sibling_search;

/* Searches the subtree `top` for a new sibling; `saved` is the half area saved so far above it. */
static void search_subtree(sibling_search *s, mo_binary_node *top, float saved) {
  struct {
    mo_binary_node *binary;
    float saved_area_above; /* half area saved in the boxes above the subtree */
  } waiting[SEARCH_STACK_CAPACITY];
  uint32_t count = 0;
  waiting[count].binary = top;
  waiting[count++].saved_area_above = saved;
  while (count > 0) {
    mo_binary_node *binary = waiting[--count].binary;
    float left = waiting[count].saved_area_above;
    /* The new parent's box is at least as large as the moved subtree's, which limits the gain. */
    if (left - s->moving->half_area <= s->gain) {
      continue;
    }
    float together =
        mo_sah_half_area(mo_simd_box_union(binary->box, s->moving->box), s->length_scale);
    if (left - together > s->gain) {
      s->gain = left - together;
      s->best = binary;
    }
    float below = left - (together - binary->half_area);
    if (binary->side[0] != NULL && below - s->moving->half_area > s->gain &&
        count + 2 <= SEARCH_STACK_CAPACITY) {
      for (int i = 0; i < 2; i++) {
        waiting[count].binary = binary->side[i];
        waiting[count++].saved_area_above = below;
      }
    }
  }
}

static void replace_child(mo_binary_node *parent, const mo_binary_node *old,
                          mo_binary_node *replacement) {
  parent->side[parent->side[1] == old] = replacement;
  replacement->parent = parent;
}

/* Moves a subtree to the best place found; returns the half area saved. */
static float reinsert_subtree(mo_binary_node *moving, float length_scale) {
  mo_binary_node *old_parent = moving->parent;
  if (old_parent == NULL || old_parent->parent == NULL) {
    return 0.0f;
  }
  /* The initial gain is a threshold: gains below it are only rounding errors. */
  sibling_search s = {
      .moving = moving, .gain = 1e-5f * old_parent->half_area, .length_scale = length_scale};
  float threshold = s.gain;
  mo_binary_node *old_sibling = sibling_of(moving);
  float saved =
      old_parent->half_area; /* half area that removing the subtree saves in its ancestors */
  mo_simd_box shrunk = old_sibling->box; /* the box of `pivot` without the moved subtree */
  mo_binary_node *pivot = old_parent;
  for (int i = 0; i < 2 && old_sibling->side[0] != NULL; i++) {
    float together =
        mo_sah_half_area(mo_simd_box_union(old_sibling->box, moving->box), length_scale);
    search_subtree(&s, old_sibling->side[i], saved - (together - old_sibling->half_area));
  }
  while (pivot->parent != NULL) {
    mo_binary_node *beside = sibling_of(pivot);
    search_subtree(&s, beside, saved);
    pivot = pivot->parent;
    shrunk = mo_simd_box_union(shrunk, beside->box);
    saved += pivot->half_area - mo_sah_half_area(shrunk, length_scale);
    /* Candidate: `pivot` as the new sibling. The box of the new parent is the old box of
     * `pivot`. */
    if (pivot->parent != NULL && saved - pivot->half_area > s.gain) {
      s.gain = saved - pivot->half_area;
      s.best = pivot;
    }
  }
  if (s.best == NULL || s.gain <= threshold || would_be_too_deep(s.best, moving)) {
    return 0.0f;
  }
  replace_child(old_parent->parent, old_parent, old_sibling);
  update_ancestors(old_sibling->parent, length_scale);
  replace_child(s.best->parent, s.best, old_parent);
  old_parent->side[0] = s.best;
  old_parent->side[1] = moving;
  s.best->parent = old_parent;
  update_ancestors(old_parent, length_scale);
  return s.gain;
}

typedef MO_LIST(mo_binary_node *, items) subtree_list;

/* Lists the subtrees of at least some half area, from the root down. A subtree is never larger than
 * its parent, so the search stops at small ones. Returns false when out of memory. */
static bool list_large_subtrees(const mo_allocator *allocator, mo_binary_node *binary, float min,
                                subtree_list *list) {
  if (!(binary->half_area >= min)) {
    return true;
  }
  bool ok = mo_list_reserve(allocator, &list->list, sizeof(mo_binary_node *), 1) == MO_OK;
  if (ok) {
    list->items[list->count++] = binary;
  }
  for (int i = 0; i < 2 && binary->side[0] != NULL && ok; i++) {
    ok = list_large_subtrees(allocator, binary->side[i], min, list);
  }
  return ok;
}

bool mo_reinsert_subtrees(mo_tree_builder *tree, float min, uint32_t passes, float min_gain) {
  const mo_allocator *allocator = &tree->builder->mesh->host.allocator;
  subtree_list list = {.items = NULL};
  bool ok = true, pays_off = true;
  for (uint32_t pass = 0; pass < passes && ok && pays_off; pass++) {
    /* The first pass moves only the largest subtrees; their gain tells whether a pass over others
     * is worth the time. */
    float gain = 0.0f;
    list.count = 0;
    ok = list_large_subtrees(allocator, tree->root, pass == 0 ? 4.0f * min : min, &list);
    for (uint32_t i = 0; i < list.count && ok; i++) {
      gain += reinsert_subtree(list.items[i], tree->length_scale);
    }
    pays_off = gain > min_gain * (float)list.count * tree->root->half_area;
  }
  mo_list_trim(allocator, &list.list, sizeof(mo_binary_node *), 0);
  return ok;
}
