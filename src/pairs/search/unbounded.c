/* Finds pairs with an unbounded shape: of a half-space and the boxes that reach into it, by a
 * descent of the tree with the plane, and of two half-spaces.
 *
 * mo_half_space_within decides whether a half-space is a pair with the stored box of another shape,
 * or with another half-space. Culling compares the height of a box's lowest corner above the plane.
 * This computation is monotone: a box is never lower than a box that contains it. */
#include "scene/shapes/unbounded.h"
#include "geometry/distance/distance.h"
#include "pairs/search/search.h"
#include "scene/octree/octree.h"

typedef struct half_space_search {
  mo_pair_search *search;
  const mo_half_space_body *half_space;
  uint32_t side, slot;  /* the half-space: its slot in search->scene[side] */
  bool active_only;     /* partners must be active (mo_pair_search), as the half-space is not */
  double error_bound;   /* upper bound of the rounding error of heights in the tree */
  const mo_scene *tree; /* the scene whose boxes are searched: search->scene[1 - side] */
} half_space_search;

static half_space_search half_space_search_of(mo_pair_search *search, uint32_t side,
                                              uint32_t index) {
  const mo_scene *scene = search->scene[side];
  uint32_t slot = scene->unbounded[index];
  const mo_half_space_body *half_space = mo_scene_half_space(scene, index);
  const mo_scene *tree = search->scene[1 - side];
  mo_vec3 reach =
      tree->root == MO_CHILD_EMPTY ? mo_vec(0, 0, 0) : mo_aabb_max_coordinates(tree->root_bounds);
  return (half_space_search){
      .search = search,
      .half_space = half_space,
      .side = side,
      .slot = slot,
      .active_only = !mo_pair_is_active(search, side, slot),
      .error_bound = mo_half_space_height_error(half_space, reach),
      .tree = tree,
  };
}

static void add_pair(const half_space_search *f, uint32_t other) {
  mo_pair_search *q = f->search;
  bool swap = q->scene[0] == q->scene[1] ? other < f->slot : f->side == 1;
  if (q->count == MO_MAX_PAIR_KEYS) {
    mo_pair_flush(q);
  }
  q->keys[q->count++] = swap ? mo_pair_key(other, f->slot) : mo_pair_key(f->slot, other);
}

/* Returns a bit for each non-empty box in some lanes that may reach into the half-space;
 * `sure_lanes` receives the bits of boxes that certainly do. */
static uint32_t lanes_within(const half_space_search *f, const mo_bounds8 *bounds, uint32_t lanes,
                             uint32_t *sure_lanes) {
  const mo_half_space_body *h = f->half_space;
  const float *x = h->normal.x > 0.0 ? bounds->lower[0] : bounds->upper[0];
  const float *y = h->normal.y > 0.0 ? bounds->lower[1] : bounds->upper[1];
  const float *z = h->normal.z > 0.0 ? bounds->lower[2] : bounds->upper[2];
  const double max = (double)f->search->max_distance;
  uint32_t within = 0;
  *sure_lanes = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    int i = __builtin_ctz(lanes);
    double height = mo_half_space_height(h, mo_dvec(x[i], y[i], z[i]));
    within |= (uint32_t)(height <= max + f->error_bound) << i;
    *sure_lanes |= (uint32_t)(height <= max - f->error_bound) << i;
  }
  return within;
}

static bool is_within(const half_space_search *f, const mo_body *other) {
  const mo_body body = mo_body_of_half_space(f->half_space);
  return mo_half_space_within(&body, other, (double)f->search->max_distance);
}

static void add_pairs_of_lanes(const half_space_search *f, const mo_shape_block *block,
                               uint32_t lanes) {
  uint32_t sure_lanes;
  if (f->active_only) {
    lanes &= f->search->awake_only ? block->awake : block->dynamic;
  }
  lanes = lanes_within(f, &block->bounds, lanes, &sure_lanes);
  for (; lanes != 0; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    const mo_body box = mo_body_of_aabb(mo_bounds8_get(&block->bounds, lane));
    if ((sure_lanes >> lane & 1) || is_within(f, &box)) {
      add_pair(f, block->shape[lane]);
    }
  }
}

static void add_pairs_of_list(const half_space_search *f, uint32_t head) {
  for (; head != MO_NONE; head = mo_shape_block_at(f->tree, head)->next) {
    const mo_shape_block *block = mo_shape_block_at(f->tree, head);
    f->search->block_visit_count++;
    add_pairs_of_lanes(f, block, (1u << block->count) - 1);
  }
}

static void add_pairs_of_tree(const half_space_search *f) {
  uint32_t stack[MO_SCENE_STACK_SIZE], height = 0;
  if (f->tree->root != MO_CHILD_EMPTY) {
    stack[height++] = f->tree->root;
  }
  while (height > 0 && !f->search->stopped) {
    uint32_t child = stack[--height], sure_lanes;
    if (mo_child_is_leaf(child)) {
      add_pairs_of_list(f, mo_child_index(child));
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(f->tree, child);
    const mo_motion_marks *marks = &f->tree->motion_marks[child];
    uint32_t lanes = mo_node_used_octants(node);
    f->search->node_visit_count++;
    if (f->active_only) {
      lanes &= f->search->awake_only ? marks->awake : marks->dynamic;
    }
    lanes = lanes_within(f, &node->bounds, lanes, &sure_lanes);
    for (; lanes != 0; lanes &= lanes - 1) {
      stack[height++] = node->child[__builtin_ctz(lanes)];
    }
    add_pairs_of_list(f, node->items);
  }
}

/* Adds the pairs of the half-space with the half-spaces of the other side from index `from` on;
 * with `changed`, also with half-spaces before that index that have not changed. */
static void add_pairs_of_half_spaces(const half_space_search *f, uint32_t from, bool changed) {
  const mo_scene *scene = f->tree;
  for (uint32_t i = changed ? 0 : from; i < scene->unbounded_count; i++) {
    uint32_t slot = scene->unbounded[i];
    if (i < from && f->search->is_grouped[slot]) {
      continue;
    }
    const mo_body other = mo_body_of_half_space(mo_scene_half_space(scene, i));
    if ((!f->active_only || mo_pair_is_active(f->search, 1 - f->side, slot)) &&
        is_within(f, &other)) {
      add_pair(f, slot);
    }
  }
}

void mo_pair_search_unbounded(mo_pair_search *search, uint32_t part, uint32_t part_count,
                              bool changed) {
  bool self = search->scene[0] == search->scene[1];
  if (search->count > 0) {
    mo_pair_flush(search);
  }
  search->stream = MO_STREAM_NODE_ITEMS;
  for (uint32_t side = 0; side < (self ? 1 : 2); side++) {
    const mo_scene *scene = search->scene[side];
    for (uint32_t i = part; i < scene->unbounded_count && !search->stopped; i += part_count) {
      if (changed && !search->is_grouped[scene->unbounded[i]]) {
        continue;
      }
      half_space_search f = half_space_search_of(search, side, i);
      add_pairs_of_tree(&f);
      if (side == 0) {
        add_pairs_of_half_spaces(&f, self ? i + 1 : 0, changed);
      }
    }
  }
}

void mo_pair_search_group_unbounded(mo_pair_search *search, const mo_pair_group *group) {
  const mo_scene *scene = search->scene[0];
  for (uint32_t i = 0; i < scene->unbounded_count; i++) {
    if (!search->is_grouped[scene->unbounded[i]]) {
      half_space_search f = half_space_search_of(search, 0, i);
      add_pairs_of_lanes(&f, mo_shape_block_at(scene, group->block), group->lanes);
    }
  }
}
