/* Grafting: building a subtree from many shapes in one go.
 *
 * If the shapes go to a leaf, to an empty octant, or into a subtree that they outnumber, a subtree
 * is built from them and from the shapes that are already there. If they lie beside a subtree (the
 * next tile of a world that is streamed in), that subtree stays as it is: a node with one plane
 * becomes its parent, with the old subtree on one side and a new one on the other. Only cells that
 * border on the plane change. The new shapes must be at least half as many as the old ones, so that
 * the depth grows with the logarithm of their number. */
#include "scene/bulk/bulk.h"

void mo_bulk_graft(mo_scene *scene, uint32_t parent_octant, uint32_t head) {
  uint32_t there = mo_tree_flatten(scene, mo_child_get(scene, parent_octant));
  mo_tree_build(scene, mo_block_list_join(scene, head, there), parent_octant, NULL, false);
  scene->counters.graft_count++;
}

/* A new split plane with an existing subtree on one side and pending insertions on the other. */
typedef struct separating_plane {
  int axis;
  uint32_t axis_bit_of_octant; /* the bit of `axis` in the index of an octant */
  bool subtree_is_below;       /* the subtree lies below the plane */
  float plane;
} separating_plane;

/* Finds the plane in the widest gap between the box of a subtree and that of pending insertions. */
static bool find_separating_plane(const mo_aabb *there, const mo_aabb *come, separating_plane *d) {
  float widest = -INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    float above = mo_get(come->lower, axis) - mo_get(there->upper, axis);
    float below = mo_get(there->lower, axis) - mo_get(come->upper, axis);
    float gap = mo_max(above, below);
    float min = mo_min(mo_get(there->upper, axis) - mo_get(there->lower, axis),
                       mo_get(come->upper, axis) - mo_get(come->lower, axis));
    if (gap >= -MO_SEPARATING_PLANE_MAX_OVERLAP * min && gap > widest) {
      widest = gap;
      bool is_below = above >= below;
      float from = is_below ? mo_get(there->upper, axis) : mo_get(come->upper, axis);
      *d = (separating_plane){axis, 4u >> axis, is_below, from + 0.5f * gap};
    }
  }
  return widest > -INFINITY;
}

/* The number of levels of nodes in a subtree. */
static uint32_t subtree_height(const mo_scene *scene, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    return 0;
  }
  uint32_t max = 0;
  for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
    uint32_t height = subtree_height(scene, mo_scene_node_at(scene, child)->child[octant]);
    max = height > max ? height : max;
  }
  return max + 1;
}

/* Adds a node with the separating plane as the new parent of the subtree at `parent_octant`; its
 * other octant is still empty. Memory has been reserved. */
static uint32_t add_parent(mo_scene *scene, uint32_t parent_octant, const mo_aabb *cell,
                           const separating_plane *d, const mo_aabb *there) {
  uint32_t child = mo_child_get(scene, parent_octant);
  uint32_t index = mo_node_allocate(scene, parent_octant);
  uint32_t octant = d->subtree_is_below ? 0 : d->axis_bit_of_octant;
  mo_scene_node *node = mo_scene_node_at(scene, index), *old = mo_scene_node_at(scene, child);
  node->axes = (uint8_t)d->axis_bit_of_octant;
  node->plane[d->axis] = d->plane;
  node->slack =
      parent_octant == MO_NONE ? old->slack : mo_scene_node_at(scene, parent_octant >> 3)->slack;
  node->age = (uint8_t)(index & MO_INITIAL_AGE_MASK);
  node->count = old->count;
  node->child[octant] = child;
  node->loose_bounds = (uint8_t)(old->loose_bounds ? 1u << octant : 0);
  mo_bounds8_set(&node->bounds, (int)octant, *there);
  scene->sizes[index].octant[octant] = mo_child_max_size(scene, child);
  mo_motion_marks_add(&scene->motion_marks[index], octant, scene->motion_marks[child]);
  mo_motion_marks_add(&scene->motion_marks[index], octant,
                      mo_block_list_motion_marks(scene, old->items));
  old->parent = index << 3 | octant;
  mo_child_set(scene, parent_octant, index);
  mo_mark_for_examination(scene, old->parent);
  mo_subtree_set_side(scene, child, d->axis, d->subtree_is_below, d->plane);
  mo_block_cell own = {mo_octant_cell(node, octant, *cell), node->slack, MO_OWNER_IS_NODE | child};
  for (uint32_t b = old->items; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    scene->cells[b] = own;
  }
  return index;
}

bool mo_bulk_add_sibling(mo_scene *scene, uint32_t parent_octant, const mo_aabb *cell,
                         const mo_pending_group *group, mo_block_cell *at) {
  const mo_aabb *come = &group->bounds;
  uint32_t count = group->count;
  uint32_t child = mo_child_get(scene, parent_octant);
  const mo_scene_node *old = mo_scene_node_at(scene, child);
  if (scene->options.policy != MO_TREE_IRREGULAR ||
      count <= MO_LANE_COUNT * scene->options.capacity || count < old->count / 2) {
    return false;
  }
  mo_aabb there =
      mo_aabb_union(mo_bounds8_union(&old->bounds), mo_block_list_bounds(scene, old->items));
  separating_plane d = {.axis = 0};
  if (!find_separating_plane(&there, come, &d) || !(d.plane > mo_get(cell->lower, d.axis)) ||
      !(d.plane < mo_get(cell->upper, d.axis)) ||
      !mo_subtree_fits_side(scene, child, d.axis, d.subtree_is_below, d.plane)) {
    return false;
  }
  float slack =
      parent_octant == MO_NONE ? old->slack : mo_scene_node_at(scene, parent_octant >> 3)->slack;
  if (d.subtree_is_below ? mo_get(come->lower, d.axis) < d.plane - slack
                         : mo_get(come->upper, d.axis) > d.plane + slack) {
    return false;
  }
  if (mo_child_depth(scene, parent_octant) + subtree_height(scene, child) >=
          scene->options.max_depth ||
      mo_nodes_reserve(scene, 1) != MO_OK) {
    return false;
  }
  uint32_t index = add_parent(scene, parent_octant, cell, &d, &there);
  mo_scene_node *node = mo_scene_node_at(scene, index);
  uint32_t octant = d.subtree_is_below ? d.axis_bit_of_octant : 0;
  node->count += count;
  node->to_examine = (uint8_t)(node->to_examine | 1u << octant);
  mo_box_size size = 0;
  for (uint32_t i = 0; i < count; i++) {
    mo_motion_marks_add(&scene->motion_marks[index], octant, group->items[i].motion);
    size = mo_box_size_max(size, group->items[i].size);
  }
  *at = (mo_block_cell){mo_octant_cell(node, octant, *cell), node->slack, index << 3 | octant};
  mo_child_set_bounds(scene, at->owner, *come);
  mo_octant_size_grow(scene, index, octant, size);
  return true;
}

uint32_t mo_bulk_add_node(mo_scene *scene, const mo_block_cell *at,
                          const mo_pending_insertion *items, uint32_t count) {
  uint32_t parent_octant = at->owner, head = MO_NONE, stride = count / MO_BULK_SAMPLE_SHAPES;
  if (mo_child_depth(scene, parent_octant) >= scene->options.max_depth ||
      mo_blocks_reserve(scene, count / stride / MO_LANE_COUNT + 1) != MO_OK ||
      mo_nodes_reserve(scene, 1) != MO_OK) {
    return MO_NONE;
  }
  for (uint32_t i = 0; i < count - count % stride; i += stride) {
    mo_aabb box = mo_pending_insertion_box(&items[i]);
    head = mo_block_list_push(scene, head, at, items[i].slot, &box);
    scene->places[items[i].slot] = MO_NONE;
  }
  float slack = parent_octant == MO_NONE ? INFINITY : at->slack;
  mo_split_plan plan =
      mo_split_plan_irregular(scene, &head, 1, mo_block_list_total(scene, head), &at->cell, slack);
  while (head != MO_NONE) {
    uint32_t next = mo_shape_block_at(scene, head)->next;
    mo_pool_free(&scene->blocks, head);
    head = next;
  }
  if (!plan.axes) {
    return MO_NONE;
  }
  uint32_t index = mo_node_allocate_with_plan(scene, parent_octant, &plan);
  mo_child_set(scene, parent_octant, index);
  return index;
}
