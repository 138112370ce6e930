/* Reinsertion: moves subtrees of the binary tree to better places (Bittner, Hapala and Havran,
 * "Fast Insertion-Based Optimization of Bounding Volume Hierarchies", 2013; the search from the old
 * place up follows Meister and Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy
 * Optimization", 2018).
 *
 * Top-down splits sort triangles to the two sides of a plane, so a large triangle enlarges the
 * boxes of all cells on its path. Reinserting the subtrees of largest area first repairs most of
 * that. */
#include <string.h>

#include "mesh/build/binary_tree.h"

enum { WAITING = 512 }; /* capacity of a search's stack; subtrees that do not fit are skipped */

static mo_cut *sibling(const mo_cut *cut) {
  return cut->parent->side[cut->parent->side[0] == cut];
}

static void update_box(mo_cut *cut, float unit) {
  cut->box = mo_box4v_union(cut->side[0]->box, cut->side[1]->box);
  cut->half_area = mo_sah_half_area(cut->box, unit);
}

static void update_upward(mo_cut *cut, float unit) {
  for (; cut != NULL; cut = cut->parent) {
    update_box(cut, unit);
    cut->count = cut->side[0]->count + cut->side[1]->count;
    mo_cut_update_height(cut);
  }
}

/* Traversals of the tree are recursive, so its depth must be limited. */
static bool would_be_deep(const mo_cut *place, const mo_cut *moving) {
  uint32_t height = place->height > moving->height ? place->height : moving->height;
  for (const mo_cut *cut = place; cut != NULL; cut = cut->parent) {
    height++;
  }
  return height > MO_CUT_MAX_DEPTH;
}

typedef struct search {
  const mo_cut *moving;
  mo_cut *best; /* the new sibling; null for the old one */
  float gain;   /* half area saved */
  float unit;
} search;

/* Searches the subtree `top` for a new sibling; `saved` is the half area saved so far above it. */
static void search_below(search *s, mo_cut *top, float saved) {
  struct {
    mo_cut *cut;
    float saved;
  } waiting[WAITING];
  uint32_t count = 0;
  waiting[count].cut = top;
  waiting[count++].saved = saved;
  while (count > 0) {
    mo_cut *cut = waiting[--count].cut;
    float left = waiting[count].saved;
    /* The new inner node is at least as large as the moved subtree. */
    if (left - s->moving->half_area <= s->gain) {
      continue;
    }
    float together = mo_sah_half_area(mo_box4v_union(cut->box, s->moving->box), s->unit);
    if (left - together > s->gain) {
      s->gain = left - together;
      s->best = cut;
    }
    float below = left - (together - cut->half_area);
    if (cut->side[0] != NULL && below - s->moving->half_area > s->gain && count + 2 <= WAITING) {
      for (int i = 0; i < 2; i++) {
        waiting[count].cut = cut->side[i];
        waiting[count++].saved = below;
      }
    }
  }
}

static void set_side(mo_cut *parent, const mo_cut *old, mo_cut *replacement) {
  parent->side[parent->side[1] == old] = replacement;
  replacement->parent = parent;
}

/* Moves a subtree to the best place found; returns the half area saved. */
static float reinsert(mo_cut *moving, float unit) {
  mo_cut *old_parent = moving->parent;
  if (old_parent == NULL || old_parent->parent == NULL) {
    return 0.0f;
  }
  /* Ignores gains below the rounding error. */
  search s = {.moving = moving, .gain = 1e-5f * old_parent->half_area, .unit = unit};
  float threshold = s.gain;
  mo_cut *old_sibling = sibling(moving);
  float saved = old_parent->half_area; /* by its removal, in its old ancestors */
  mo_box4v shrunk = old_sibling->box;  /* the box of `pivot` without it */
  mo_cut *pivot = old_parent;
  for (int i = 0; i < 2 && old_sibling->side[0] != NULL; i++) {
    float together = mo_sah_half_area(mo_box4v_union(old_sibling->box, moving->box), unit);
    search_below(&s, old_sibling->side[i], saved - (together - old_sibling->half_area));
  }
  while (pivot->parent != NULL) {
    mo_cut *beside = sibling(pivot);
    search_below(&s, beside, saved);
    pivot = pivot->parent;
    shrunk = mo_box4v_union(shrunk, beside->box);
    saved += pivot->half_area - mo_sah_half_area(shrunk, unit);
    /* Candidate: sibling of `pivot`, which has shrunk; their parent is as large as `pivot` was. */
    if (pivot->parent != NULL && saved - pivot->half_area > s.gain) {
      s.gain = saved - pivot->half_area;
      s.best = pivot;
    }
  }
  if (s.best == NULL || s.gain <= threshold || would_be_deep(s.best, moving)) {
    return 0.0f;
  }
  set_side(old_parent->parent, old_parent, old_sibling);
  update_upward(old_sibling->parent, unit);
  set_side(s.best->parent, s.best, old_parent);
  old_parent->side[0] = s.best;
  old_parent->side[1] = moving;
  s.best->parent = old_parent;
  update_upward(old_parent, unit);
  return s.gain;
}

/* Counts the subtrees of at least some half area, from the root down, and lists them if `list` is
 * not null. A subtree is never larger than its parent, so the search stops at small ones. */
static uint32_t list_large(mo_cut *cut, float min, mo_cut **list, uint32_t count) {
  if (!(cut->half_area >= min)) {
    return count;
  }
  if (list != NULL) {
    list[count] = cut;
  }
  count++;
  for (int i = 0; i < 2 && cut->side[0] != NULL; i++) {
    count = list_large(cut->side[i], min, list, count);
  }
  return count;
}

bool mo_reinsert(mo_tree_builder *tree, float min, uint32_t passes, float min_gain) {
  const mo_allocator *allocator = &tree->builder->mesh->host.allocator;
  for (uint32_t pass = 0; pass < passes; pass++) {
    /* The first pass takes only the largest subtrees; their gain tells whether others are worth the
     * time. */
    float size = pass == 0 ? 4.0f * min : min;
    uint32_t count = list_large(tree->root, size, NULL, 0);
    mo_cut **list = mo_allocate(allocator, count, sizeof *list);
    if (list == NULL) {
      return false;
    }
    list_large(tree->root, size, list, 0);
    float gain = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
      gain += reinsert(list[i], tree->unit);
    }
    mo_deallocate(allocator, list, count, sizeof *list);
    if (!(gain > min_gain * (float)count * tree->root->half_area)) {
      break;
    }
  }
  return true;
}
