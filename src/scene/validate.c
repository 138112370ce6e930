/* Checks every invariant of the shape octree, from the root downward and by slot. */
#include <string.h>

#include "base/log.h"
#include "scene/bodies/bodies.h"
#include "scene/octree/octree.h"
#include "scene/shapes/traits.h"
#include "scene/shapes/unbounded.h"

typedef struct validation {
  const mo_scene *scene;
  uint32_t shape_count, node_count, block_count;
  uint32_t level_node_counts[MO_SCENE_LEVEL_COUNT];
  /* Facts about the shapes found so far in the subtree that is being validated: */
  mo_motion_marks motion_seen; /* a member is not 0 if some shape is dynamic, or awake */
  mo_box_size size;            /* size of the largest box */
} validation;

#define BROKEN(...) (mo_log(&c->scene->host, MO_LOG_WARNING, "scene: " __VA_ARGS__), false)

static bool check_block(validation *c, uint32_t index, const mo_block_cell *expected, bool first) {
  const mo_scene *scene = c->scene;
  const mo_shape_block *block = mo_shape_block_at(scene, index);
  const mo_block_cell *at = &scene->cells[index];
  if (block->count == 0 || block->count > MO_LANE_COUNT ||
      (!first && block->count != MO_LANE_COUNT)) {
    return BROKEN("block %u has %u shapes", index, block->count);
  }
  if (at->owner != expected->owner || at->slack != expected->slack ||
      !mo_aabb_is_same(&at->cell, &expected->cell)) {
    return BROKEN("block %u does not know its cell", index);
  }
  if ((block->dynamic | block->awake) >> block->count) {
    return BROKEN("block %u has marks in unused lanes", index);
  }
  c->motion_seen.dynamic |= block->dynamic;
  c->motion_seen.awake |= block->awake;
  for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
    mo_aabb box = mo_bounds8_get(&block->bounds, (int)lane);
    if (lane >= block->count) {
      mo_aabb none = mo_aabb_empty();
      if (!mo_aabb_is_same(&box, &none)) {
        return BROKEN("block %u has a box in unused lane %u", index, lane);
      }
      continue;
    }
    uint32_t slot = block->shape[lane];
    if (slot >= scene->slot_count || !mo_slot_is_alive(scene, slot)) {
      return BROKEN("block %u lane %u holds slot %u, which is not alive", index, lane, slot);
    }
    mo_motion_marks any = mo_motion_marks_of_traits(scene->traits[slot]);
    if ((block->dynamic >> lane & 1) != any.dynamic || (block->awake >> lane & 1) != any.awake) {
      return BROKEN("block %u does not know how slot %u moves", index, slot);
    }
    if (scene->places[slot] != (index << 3 | lane)) {
      return BROKEN("slot %u is not where its place says", slot);
    }
    if (mo_aabb_is_empty(box)) {
      return BROKEN("slot %u has an empty box", slot);
    }
    c->size = mo_box_size_max(c->size, mo_box_size_of(&box));
    if (!block->has_shapes_outside_cell && !mo_cell_contains(&at->cell, at->slack, &box)) {
      return BROKEN("slot %u reaches out of its cell", slot);
    }
  }
  return true;
}

/* Checks a list of blocks; `bounds` receives the box around its shapes. */
static bool check_list(validation *c, uint32_t head, const mo_block_cell *expected,
                       mo_aabb *bounds) {
  const mo_scene *scene = c->scene;
  uint32_t count = 0;
  *bounds = mo_aabb_empty();
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    if (b >= scene->blocks.count || c->block_count == scene->blocks.count) {
      return BROKEN("a list leads to block %u", b);
    }
    c->block_count++;
    if (!check_block(c, b, expected, b == head)) {
      return false;
    }
    *bounds = mo_aabb_union(*bounds, mo_shape_block_bounds(mo_shape_block_at(scene, b)));
    count += mo_shape_block_at(scene, b)->count;
  }
  if (count != mo_block_list_total(scene, head)) {
    return BROKEN("list %u of %u shapes counts %u", head, count, mo_block_list_total(scene, head));
  }
  c->shape_count += count;
  return true;
}

/* The data of a subtree that its ancestors store, for comparison with the subtree. */
typedef struct subtree {
  mo_block_cell at; /* cell, slack and owner of its lists */
  uint32_t depth;
  mo_aabb stored;            /* the bounds that the parent stores for it */
  bool has_loose_bounds;     /* whether the stored bounds may be larger than the tight ones */
  bool may_need_examination; /* whether nodes in it may wait for maintenance */
} subtree;

/* Checks a child of a node, or the root: empty, a leaf, or a node with its whole subtree. */
static bool check_child(validation *c, uint32_t child, const subtree *expected);

static bool check_planes(validation *c, uint32_t index, const mo_aabb *cell) {
  const mo_scene_node *node = mo_scene_node_at(c->scene, index);
  for (int axis = 0; axis < 3; axis++) {
    float plane = node->plane[axis];
    if ((node->axes & (4u >> axis)) &&
        !(plane > mo_get(cell->lower, axis) && plane < mo_get(cell->upper, axis))) {
      return BROKEN("node %u: plane %d lies outside of the cell", index, axis);
    }
  }
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    if ((octant & ~(uint32_t)node->axes) && node->child[octant] != MO_CHILD_EMPTY) {
      return BROKEN("node %u: octant %u is behind a plane that is not there", index, octant);
    }
  }
  if (!(node->slack >= 0 && node->slack <= mo_child_slack(c->scene, node->parent))) {
    return BROKEN("node %u has slack %g", index, (double)node->slack);
  }
  return true;
}

/* Checks a node and all below it; `bounds` receives the box around its shapes. */
static bool check_node(validation *c, uint32_t index, const subtree *expected, mo_aabb *bounds) {
  const mo_scene *scene = c->scene;
  const mo_block_cell *at = &expected->at;
  if (index >= scene->nodes.count || c->node_count == scene->nodes.count) {
    return BROKEN("a child is node %u", index);
  }
  c->node_count++;
  const mo_scene_node *node = mo_scene_node_at(scene, index);
  bool root = at->owner == MO_NONE;
  const mo_aabb *cell = root ? &scene->root_cell : &at->cell;
  if (node->parent != at->owner) {
    return BROKEN("node %u does not know its parent", index);
  }
  if (expected->depth >= MO_SCENE_MAX_DEPTH) {
    return BROKEN("node %u is too deep", index);
  }
  const mo_node_maintenance *maintenance = &scene->maintenance[index];
  bool is_examined = maintenance->examination != MO_EXAMINATION_NONE;
  if ((node->loose_bounds && !expected->has_loose_bounds) ||
      ((node->to_examine || is_examined) && !expected->may_need_examination)) {
    return BROKEN("node %u is marked, but not those above it", index);
  }
  if (is_examined ? maintenance->unexamined_octants & ~maintenance->due_octants
                  : maintenance->unexamined_octants) {
    return BROKEN("node %u waits for octants %#x", index, maintenance->unexamined_octants);
  }
  /* Bits of the octants that this or the next round of maintenance examines. */
  uint32_t due = node->to_examine | maintenance->unexamined_octants;
  if (!check_planes(c, index, cell)) {
    return false;
  }
  if (scene->options.policy != MO_TREE_IRREGULAR) {
    c->level_node_counts[mo_cube_level(scene, expected->depth)]++;
  }
  mo_block_cell own = {root ? mo_aabb_infinite() : at->cell, at->slack, MO_OWNER_IS_NODE | index};
  uint32_t shapes = c->shape_count;
  if (!check_list(c, node->items, &own, bounds)) {
    return false;
  }
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    uint32_t bit = 1u << octant;
    subtree below = {
        .at = {mo_octant_cell(node, octant, *cell), node->slack, index << 3 | octant},
        .depth = expected->depth + 1,
        .stored = mo_bounds8_get(&node->bounds, (int)octant),
        .has_loose_bounds = node->loose_bounds & bit,
        .may_need_examination = due & bit,
    };
    mo_motion_marks before = c->motion_seen, marks = scene->motion_marks[index];
    mo_box_size size_before = c->size, size = scene->sizes[index].octant[octant];
    c->motion_seen = (mo_motion_marks){0, 0};
    c->size = 0;
    if (!check_child(c, node->child[octant], &below)) {
      return false;
    }
    if ((c->motion_seen.dynamic && !(marks.dynamic & bit)) ||
        (c->motion_seen.awake && !(marks.awake & bit))) {
      return BROKEN("node %u does not know of shapes that move in octant %u", index, octant);
    }
    if (node->loose_bounds & bit ? c->size > size : c->size != size) {
      return BROKEN("node %u: the shapes in octant %u have size %#x, not %#x", index, octant,
                    c->size, size);
    }
    c->size = mo_box_size_max(c->size, size_before);
    c->motion_seen.dynamic |= before.dynamic;
    c->motion_seen.awake |= before.awake;
    *bounds = mo_aabb_union(*bounds, below.stored);
  }
  if (node->count != c->shape_count - shapes) {
    return BROKEN("node %u counts %u shapes of %u", index, node->count, c->shape_count - shapes);
  }
  return true;
}

static bool check_child(validation *c, uint32_t child, const subtree *expected) {
  const mo_aabb *stored = &expected->stored;
  bool has_loose_bounds = expected->has_loose_bounds;
  mo_aabb bounds = mo_aabb_empty();
  if (child == MO_CHILD_EMPTY) {
    has_loose_bounds =
        false; /* queries test only the bounds, so those of an empty child must be empty */
  } else if (mo_child_is_leaf(child)) {
    if (!check_list(c, mo_child_index(child), &expected->at, &bounds)) {
      return false;
    }
    if (mo_aabb_is_empty(bounds)) {
      return BROKEN("leaf %u is empty", mo_child_index(child));
    }
  } else if (!check_node(c, child, expected, &bounds)) {
    return false;
  }
  /* Bounds that are not marked loose must be tight. The empty box contains itself, as equal
   * infinities compare as equal. */
  if (has_loose_bounds ? !mo_aabb_contains(*stored, bounds) : !mo_aabb_is_same(stored, &bounds)) {
    return BROKEN("the bounds at %u do not fit what is below", expected->at.owner);
  }
  return true;
}

static bool is_same_half_space(const mo_half_space_body *a, const mo_half_space_body *b) {
  return memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
         memcmp(&a->origin, &b->origin, sizeof a->origin) == 0 && a->offset == b->offset;
}

/* Compares the record of a living shape with its generation and traits. */
static bool check_record(validation *c, uint32_t slot) {
  const mo_shape *shape = &c->scene->shapes[slot];
  uint32_t traits = c->scene->traits[slot];
  if (shape->generation != c->scene->generations[slot]) {
    return BROKEN("slot %u has generation %u, its record %u", slot, c->scene->generations[slot],
                  shape->generation);
  }
  if (traits != mo_slot_compute_traits(c->scene, slot, mo_slot_motion(c->scene, slot))) {
    return BROKEN("slot %u has traits %#x", slot, traits);
  }
  return true;
}

static bool check_slots(validation *c) {
  const mo_scene *scene = c->scene;
  uint32_t living = 0, waiting = 0, with_immovable = 0, with_still = 0, with_filtered = 0,
           with_mesh = 0, with_compound = 0;
  uint32_t with_kinematic = 0;
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    bool alive = mo_slot_is_alive(scene, slot);
    living += alive;
    if (alive && !check_record(c, slot)) {
      return false;
    }
    with_immovable += alive && (scene->traits[slot] & MO_TRAIT_IMMOVABLE);
    with_still += alive && (scene->traits[slot] & MO_TRAIT_STILL);
    with_filtered += alive && (scene->traits[slot] & MO_TRAIT_FILTERED);
    with_mesh += alive && (scene->traits[slot] & MO_TRAIT_MESH);
    with_compound += alive && (scene->traits[slot] & MO_TRAIT_COMPOUND);
    with_kinematic += alive && mo_slot_motion(scene, slot) == MO_MOTION_KINEMATIC;
  }
  if (with_immovable != scene->immovable_count || with_still != scene->still_count ||
      with_filtered != scene->filtered_count || with_mesh != scene->mesh_count ||
      with_kinematic != scene->kinematic_count || with_compound != scene->compound_count) {
    return BROKEN("%u static, %u still, %u filtered, %u kinematic shapes, %u meshes, %u compounds, "
                  "not %u, %u, "
                  "%u, %u, %u, %u",
                  with_immovable, with_still, with_filtered, with_kinematic, with_mesh,
                  with_compound, scene->immovable_count, scene->still_count, scene->filtered_count,
                  scene->kinematic_count, scene->mesh_count, scene->compound_count);
  }
  for (uint32_t slot = scene->free_slot; slot != MO_NONE; slot = scene->places[slot]) {
    if (slot >= scene->slot_count || mo_slot_is_alive(scene, slot) ||
        waiting == scene->slot_count) {
      return BROKEN("the free list of slots leads to %u", slot);
    }
    waiting++;
  }
  if (living != scene->shape_count || living + waiting != scene->slot_count) {
    return BROKEN("%u slots: %u alive, %u free, %u shapes", scene->slot_count, living, waiting,
                  scene->shape_count);
  }
  return true;
}

static bool check_scene(validation *c) {
  const mo_scene *scene = c->scene;
  if (!check_slots(c)) {
    return false;
  }
  const subtree all = {
      .at = {mo_aabb_infinite(), 0, MO_NONE},
      .depth = 0,
      .stored = scene->root_bounds,
      .has_loose_bounds = scene->root_has_loose_bounds,
      .may_need_examination = scene->root_needs_examination || scene->round_is_unfinished,
  };
  if (!check_child(c, scene->root, &all)) {
    return false;
  }
  if (scene->displacements != NULL && scene->displacement_capacity < scene->shape_capacity) {
    return BROKEN("%u displacements of %u slots", scene->displacement_capacity,
                  scene->shape_capacity);
  }
  if (c->shape_count != mo_scene_bounded_count(scene)) {
    return BROKEN("the tree holds %u of %u shapes", c->shape_count, mo_scene_bounded_count(scene));
  }
  if (c->node_count != scene->nodes.count - scene->nodes.free_count ||
      c->block_count != scene->blocks.count - scene->blocks.free_count) {
    return BROKEN("nodes or blocks are lost");
  }
  for (int level = 0; level < MO_SCENE_LEVEL_COUNT; level++) {
    if (c->level_node_counts[level] != scene->level_node_counts[level]) {
      return BROKEN("level %d has %u nodes, not %u", level, c->level_node_counts[level],
                    scene->level_node_counts[level]);
    }
  }
  return true;
}

/* Checks that each unbounded shape is in the list once, and in no block. */
static bool check_unbounded(validation *c) {
  const mo_scene *scene = c->scene;
  uint32_t living = 0;
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    living += mo_slot_is_alive(scene, slot) && mo_slot_is_unbounded(scene, slot);
  }
  if (living != scene->unbounded_count || living > scene->unbounded_capacity) {
    return BROKEN("the list of unbounded shapes holds %u of %u", scene->unbounded_count, living);
  }
  for (uint32_t i = 0; i < scene->unbounded_count; i++) {
    uint32_t slot = scene->unbounded[i];
    if (slot >= scene->slot_count || (i > 0 && slot <= scene->unbounded[i - 1]) ||
        !mo_slot_is_alive(scene, slot) || !mo_slot_is_unbounded(scene, slot)) {
      return BROKEN("the list of unbounded shapes has slot %u at %u", slot, i);
    }
    if (scene->places[slot] != MO_NONE) {
      return BROKEN("slot %u is unbounded, and has a place", slot);
    }
    const mo_shape *shape = &scene->shapes[slot];
    mo_half_space_body now;
    if (mo_half_space_make(&now, &shape->geometry.half_space, &shape->affine.to_world, NULL) !=
            MO_OK ||
        !is_same_half_space(&now, mo_scene_half_space(scene, i))) {
      return BROKEN("slot %u has another half-space than its record", slot);
    }
  }
  return true;
}

/* Checks that no shape is marked as moved, as is required between calls. */
static bool check_moved(const validation *c) {
  const mo_moved_marks *moved = &c->scene->moved;
  for (uint32_t block = 0; block < moved->block_count; block++) {
    uint32_t group = block / MO_MOVED_BLOCKS_PER_GROUP;
    if ((moved->groups[group / 64] >> (group % 64) & 1) || moved->lanes[block] ||
        moved->shifted_lanes[block]) {
      return BROKEN("block %u is still noted as moved", block);
    }
  }
  return true;
}

mo_result mo_scene_validate(const mo_scene *scene) {
  if (scene == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  validation c = {.scene = scene};
  bool valid =
      check_moved(&c) && check_scene(&c) && check_unbounded(&c) && mo_rigid_bodies_are_valid(scene);
  return valid ? MO_OK : MO_ERROR_CORRUPT;
}
