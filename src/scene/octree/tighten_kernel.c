/* Refits the bounds of the shape octree from changed leaves up to the root, each node once.
 * Compiled once per instruction set.
 *
 * An octant whose stored bounds may be larger than its shapes need is loose. The descent visits
 * loose octants only. On its way back it stores the tight bounds of each, the size of its largest
 * shape, and marks the nodes that maintenance examines in the next update. Shapes that have left
 * their cells (misplaced) are still in the tree, but are excluded from bounds and counts, as they
 * are removed next. */
#include "base/assert.h"
#include "base/inline.h"
#include "octree/rows.h"
#include "scene/octree/moved.h"

typedef struct tighten_state {
  mo_scene *scene;
  uint32_t misplaced; /* misplaced shapes found so far */
  /* A node that a later descent visits again, so that its own shapes are skipped; or MO_NONE. */
  uint32_t top;
} tighten_state;

/* What a descent returns for a subtree. */
typedef struct tight_subtree {
  mo_aabb bounds;           /* tight bounds of the subtree */
  mo_box_size size;         /* size of its largest shape (scene/size.h) */
  bool examine;             /* whether the next update must examine the subtree for maintenance */
  uint32_t misplaced_count; /* misplaced shapes in the subtree */
} tight_subtree;

/* Excludes the shapes that scene/moves/boxes_kernel.c has marked as misplaced from the bounds of a
 * block: their lanes become empty boxes. */
static inline void exclude_misplaced(tighten_state *w, uint32_t index, mo_box_rows *r) {
  uint32_t misplaced = w->scene->moved.lanes[index];
  if (misplaced == 0) {
    return;
  }
  mo_m8 out = mo_m8_from_bits(misplaced);
  for (int axis = 0; axis < 3; axis++) {
    r->lower[axis] = mo_f8_select(out, mo_f8_splat(INFINITY), r->lower[axis]);
    r->upper[axis] = mo_f8_select(out, mo_f8_splat(-INFINITY), r->upper[axis]);
  }
  w->misplaced += (uint32_t)__builtin_popcount(misplaced);
}

/* The squared diagonals of eight boxes, 0 for empty ones, by the arithmetic of mo_box_size_of. */
static inline mo_f8 squared_diagonals(const mo_box_rows *r) {
  mo_f8 square[3];
  for (int axis = 0; axis < 3; axis++) {
    mo_f8 width = mo_f8_max(mo_f8_sub(r->upper[axis], r->lower[axis]), mo_f8_splat(0.0f));
    square[axis] = mo_f8_mul(width, width);
  }
  return mo_f8_add(mo_f8_add(square[0], square[1]), square[2]);
}

/* Extends the eight boxes, lane by lane, by those of all blocks of a list, and raises `diagonal2`
 * to the largest squared diagonal per lane. */
static inline void extend_by_list(tighten_state *w, uint32_t head, mo_box_rows *r,
                                  mo_f8 *diagonal2) {
  while (head != MO_NONE) {
    const mo_shape_block *block = mo_shape_block_at(w->scene, head);
    mo_box_rows more = mo_box_rows_load(&block->bounds);
    exclude_misplaced(w, head, &more);
    *diagonal2 = mo_f8_max(*diagonal2, squared_diagonals(&more));
    for (int axis = 0; axis < 3; axis++) {
      r->lower[axis] = mo_f8_min(r->lower[axis], more.lower[axis]);
      r->upper[axis] = mo_f8_max(r->upper[axis], more.upper[axis]);
    }
    head = block->next;
  }
}

MO_INLINE tight_subtree tighten_leaf(tighten_state *w, uint32_t child) {
  if (child == MO_CHILD_EMPTY) {
    return (tight_subtree){mo_aabb_empty(), 0, false, 0};
  }
  const mo_shape_block *block = mo_shape_block_at(w->scene, mo_child_index(child));
  /* A leaf is overfull where no plane separated its shapes; they may have moved apart since. */
  bool examine = block->total > w->scene->options.capacity;
  uint32_t before = w->misplaced;
  mo_box_rows r = mo_box_rows_load(&block->bounds);
  exclude_misplaced(w, mo_child_index(child), &r);
  mo_f8 diagonal2 = squared_diagonals(&r);
  extend_by_list(w, block->next, &r, &diagonal2);
  /* A leaf that becomes empty is examined too, as its node loses a child. */
  uint32_t gone = w->misplaced - before;
  mo_box_size size =
      gone < block->total ? mo_box_size_of_diagonal2(mo_f8_reduce_max(diagonal2)) : 0;
  return (tight_subtree){mo_box_rows_union(&r), size, examine || gone == block->total, gone};
}

/* Recomputes which of the loose octants contain dynamic and awake shapes. Called only if some
 * shapes of the scene are static or asleep; otherwise a superfluous mark costs nothing. */
static void update_motion_marks(mo_scene *scene, uint32_t index, uint32_t loose_bounds) {
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_motion_marks *marks = &scene->motion_marks[index];
  marks->dynamic = (uint8_t)(marks->dynamic & ~loose_bounds);
  marks->awake = (uint8_t)(marks->awake & ~loose_bounds);
  for (uint32_t octant = 0; loose_bounds; octant++, loose_bounds >>= 1) {
    uint32_t child = node->child[octant];
    if (!(loose_bounds & 1) || child == MO_CHILD_EMPTY) {
      continue;
    }
    if (mo_child_is_leaf(child)) {
      mo_motion_marks_add(marks, octant, mo_block_list_motion_marks(scene, mo_child_index(child)));
    } else {
      mo_motion_marks_add(marks, octant, scene->motion_marks[child]);
      mo_motion_marks_add(marks, octant,
                          mo_block_list_motion_marks(scene, mo_scene_node_at(scene, child)->items));
    }
  }
}

static tight_subtree tighten_node(tighten_state *w, uint32_t index) {
  mo_scene *scene = w->scene;
  mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_node_maintenance *maintenance = &scene->maintenance[index];
  uint32_t loose_bounds = node->loose_bounds, to_examine = node->to_examine, gone = 0;
  node->loose_bounds = 0;
  /* Bounds are assembled in registers: a load of rows whose single lanes have just been stored is a
   * store-to-load forwarding stall. */
  mo_box_rows r = mo_box_rows_load(&node->bounds);
  for (uint32_t left = loose_bounds & mo_node_inner_octants(node); left; left &= left - 1) {
    mo_node_prefetch(scene, node->child[__builtin_ctz(left)]);
  }
  for (uint32_t left = loose_bounds; left; left &= left - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(left), child = node->child[octant];
    tight_subtree below = mo_child_is_leaf(child) ? tighten_leaf(w, child) : tighten_node(w, child);
    mo_box_rows_set(&r, octant, &below.bounds);
    scene->sizes[index].octant[octant] = below.size;
    to_examine |= (uint32_t)below.examine << octant;
    gone += below.misplaced_count;
    MO_ASSERT(child != MO_CHILD_EMPTY || mo_aabb_is_empty(below.bounds));
  }
  mo_box_rows_store(&node->bounds, &r);
  mo_box_size size = mo_node_sizes_max(&scene->sizes[index]);
  node->to_examine = (uint8_t)to_examine;
  if (scene->still_count > 0) {
    update_motion_marks(scene, index, loose_bounds);
  }
  if (node->items != MO_NONE && index != w->top) {
    uint32_t before = w->misplaced;
    mo_f8 diagonal2 = mo_f8_splat(0.0f);
    extend_by_list(w, node->items, &r, &diagonal2);
    uint32_t out = w->misplaced - before;
    if (out < mo_block_list_total(scene, node->items)) {
      size = mo_box_size_max(size, mo_box_size_of_diagonal2(mo_f8_reduce_max(diagonal2)));
    }
    gone += out;
  }
  MO_ASSERT(gone <= node->count);
  node->count -= gone;
  /* The number of workers determines which nodes are visited twice (`top`). The result must not
   * depend on it, so the first of two visits makes no decision, but stores its findings for the
   * second.
   */
  bool thinned = gone > 0 || maintenance->shapes_have_left;
  uint32_t aged = maintenance->changed_octant_count + (uint32_t)__builtin_popcount(loose_bounds);
  bool again = index == w->top;
  maintenance->shapes_have_left = again && thinned;
  maintenance->changed_octant_count = again ? (uint8_t)aged : 0;
  mo_node_add_age(scene, node, again ? 0 : aged);
  bool thins = thinned && mo_must_examine_shrunk_node(scene, node);
  bool examine = thins || node->age >= MO_MATURE_AGE || to_examine != 0;
  return (tight_subtree){mo_box_rows_union(&r), size, examine, gone};
}

uint32_t MO_ISA_FN(mo_scene_tighten)(mo_scene *scene) {
  tighten_state w = {scene, 0, MO_NONE};
  tight_subtree all =
      mo_child_is_leaf(scene->root) ? tighten_leaf(&w, scene->root) : tighten_node(&w, scene->root);
  scene->root_bounds = all.bounds;
  scene->root_has_loose_bounds = false;
  scene->root_needs_examination |= all.examine;
  return w.misplaced;
}

uint32_t MO_ISA_FN(mo_scene_tighten_subtree)(mo_scene *scene, uint32_t index) {
  tighten_state w = {scene, 0, index};
  (void)tighten_node(&w, index);
  return w.misplaced;
}
