/* The search for the pairs of a few shapes with very many partners each (many-partner shapes). One
 * descent of the tree serves all of them: each entry of the stack has a bit for each many-partner
 * shape that touches the subtree, and one for each that contains it. For a shape that contains the
 * subtree, no more boxes are tested, and of each block only one cache line is read: the slots of
 * its shapes. Compiled once per instruction set.
 *
 * This does not use the tree visitors, as these handle one region at a time and cannot be divided
 * among tasks. */
#include "pairs/search/rows.h"
#include "scene/octree/octree.h"

enum { MAX_TASK_SUBTREE_DIVISOR = 128 }; /* tasks take subtrees of at most 1 / this of all shapes */

typedef struct subtree {
  uint32_t child;
  uint8_t touching, containing; /* bits of the many-partner shapes that touch it; that contain it */
  bool belongs_to_task;         /* whether this task processes the whole subtree */
} subtree;

typedef struct traversal {
  const mo_many_partner_shapes *many_partner_shapes;
  const mo_scene *scene;
  mo_box_lanes box[MO_MAX_MANY_PARTNER_SHAPES];
  uint8_t not_static_shapes; /* bits of the many-partner shapes that are not static; all ones if
                      pairs of static shapes are not excluded */
  uint32_t part, part_count, next_part; /* next_part: the part that processes the next subtree */
  uint32_t height;
  subtree stack[MO_SCENE_STACK_SIZE];
} traversal;

/* For each of eight boxes, bits of the many-partner shapes that touch the box, and bits of the
 * many-partner shapes that contain it. */
typedef struct box_relations {
  uint8_t touching[MO_LANE_COUNT], containing[MO_LANE_COUNT];
} box_relations;

MO_INLINE uint32_t lanes_contained_in(const mo_bounds8 *bounds, const mo_box_lanes *box) {
  mo_m8 part[3];
  for (int axis = 0; axis < 3; axis++) {
    part[axis] = mo_m8_and(mo_f8_le(box->lower[axis], mo_f8_load(bounds->lower[axis])),
                           mo_f8_le(mo_f8_load(bounds->upper[axis]), box->upper[axis]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(part[0], part[1]), part[2]));
}

MO_INLINE box_relations box_relations_of(const traversal *w, const mo_bounds8 *bounds,
                                         const subtree *at) {
  box_relations r;
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    r.touching[i] = r.containing[i] = at->containing;
  }
  for (uint32_t left = at->touching & ~(uint32_t)at->containing; left != 0; left &= left - 1) {
    uint32_t shape = (uint32_t)__builtin_ctz(left);
    uint32_t touching = mo_boxes_touching_box_lanes(bounds, &w->box[shape]);
    uint32_t inside = touching & lanes_contained_in(bounds, &w->box[shape]);
    for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
      r.touching[i] |= (uint8_t)((touching >> i & 1) << shape);
      r.containing[i] |= (uint8_t)((inside >> i & 1) << shape);
    }
  }
  return r;
}

/* Stores the pairs of the many-partner shapes with the shapes of a list of blocks. Two static
 * shapes are never a pair. */
static void store_pairs_of_list(const traversal *w, uint32_t head, const subtree *at) {
  for (uint32_t next = head; next != MO_NONE;) {
    const mo_shape_block *block = mo_shape_block_at(w->scene, next);
    next = block->next;
    if (next != MO_NONE) {
      mo_prefetch(mo_shape_block_at(w->scene, next)->shape, 1);
    }
    if (at->touching == at->containing && w->not_static_shapes == UINT8_MAX) {
      for (uint32_t i = 0; i < block->count; i++) {
        w->many_partner_shapes->found[block->shape[i]] = at->containing;
      }
      continue;
    }
    box_relations r = box_relations_of(w, &block->bounds, at);
    for (uint32_t i = 0; i < block->count; i++) {
      uint8_t all = block->dynamic >> i & 1 ? UINT8_MAX : w->not_static_shapes;
      w->many_partner_shapes->found[block->shape[i]] = r.touching[i] & all;
    }
  }
}

MO_INLINE bool next_subtree_is_of_this_part(traversal *w) {
  bool mine = w->next_part == w->part;
  w->next_part = w->next_part + 1 == w->part_count ? 0 : w->next_part + 1;
  return mine;
}

/* Pushes the octants of a node that some many-partner shape touches, and stores the pairs with the
 * shapes that the node stores itself. */
static void visit_node(traversal *w, const subtree *at) {
  const mo_scene_node *node = mo_scene_node_at(w->scene, at->child);
  box_relations r = box_relations_of(w, &node->bounds, at);
  for (uint32_t i = 0; i < MO_LANE_COUNT; i++) {
    uint32_t child = node->child[i];
    if (child == MO_CHILD_EMPTY || r.touching[i] == 0) {
      continue;
    }
    bool leaf = mo_child_is_leaf(child), mine = at->belongs_to_task;
    if (!mine && (leaf || mo_scene_node_at(w->scene, child)->count <=
                              w->scene->shape_count / MAX_TASK_SUBTREE_DIVISOR)) {
      mine = next_subtree_is_of_this_part(w);
      if (!mine) {
        continue;
      }
    }
    if (leaf) {
      mo_prefetch(mo_shape_block_at(w->scene, mo_child_index(child))->shape, 1);
    }
    w->stack[w->height++] = (subtree){child, r.touching[i], r.containing[i], mine};
  }
  if (node->items != MO_NONE && (at->belongs_to_task || next_subtree_is_of_this_part(w))) {
    store_pairs_of_list(w, node->items, at);
  }
}

void MO_ISA_FN(mo_pair_search_many_partner_shapes)(
    const mo_many_partner_shapes *many_partner_shapes, uint32_t part, uint32_t part_count) {
  traversal w = {.many_partner_shapes = many_partner_shapes,
                 .scene = many_partner_shapes->scene,
                 .part = part,
                 .part_count = part_count};
  subtree root = {.child = w.scene->root, .belongs_to_task = part_count == 1};
  for (uint32_t i = 0; i < many_partner_shapes->count; i++) {
    uint32_t slot = many_partner_shapes->slots[i];
    bool dynamic = !(w.scene->traits[slot] & MO_TRAIT_IMMOVABLE) || w.scene->immovable_count == 0;
    if (w.scene->places[slot] != MO_NONE) {
      mo_aabb box = mo_slot_box(w.scene, slot);
      w.box[i] = mo_broadcast_box(&box);
      root.touching |= (uint8_t)(1u << i);
    }
    w.not_static_shapes |= (uint8_t)(dynamic << i);
  }
  if (w.not_static_shapes == (1u << many_partner_shapes->count) - 1) {
    w.not_static_shapes = UINT8_MAX;
  }
  if (root.touching == 0 || root.child == MO_CHILD_EMPTY) {
    return;
  }
  w.stack[w.height++] = root;
  while (w.height > 0) {
    subtree at = w.stack[--w.height];
    if (!mo_child_is_leaf(at.child)) {
      visit_node(&w, &at);
    } else if (at.belongs_to_task || part == 0) {
      store_pairs_of_list(&w, mo_child_index(at.child), &at);
    }
  }
}
