/* mo_scene_validate finds each kind of damage. A validator that finds nothing proves nothing. */
#include <criterion/criterion.h>
#include <string.h>

#include "scene/octree/tree.h"
#include "support/world.h"

static world *prepared(mo_tree_policy policy) {
  world *w = world_create(policy, rng_seed("damage", 41));
  while (w->count < 400) {
    w->defs[w->count] = world_shape(w);
    cr_assert_eq(mo_scene_add_shape(w->scene, &w->defs[w->count], &w->ids[w->count]), MO_OK);
    w->count++;
  }
  cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_validate(w->scene), MO_OK);
  cr_assert(mo_scene_root_is_node(w->scene));
  return w;
}

/* Changes one variable, expects the damage to be found and named, and changes it back. */
#define DAMAGE(variable, value)                                                                    \
  do {                                                                                             \
    __typeof__(variable) *place = &(variable), good = *place;                                      \
    *place = value;                                                                                \
    w->why[0] = 0;                                                                                 \
    cr_expect_eq(mo_scene_validate(w->scene), MO_ERROR_CORRUPT, #variable " = " #value);           \
    cr_expect_neq(w->why[0], 0);                                                                   \
    *place = good;                                                                                 \
    cr_assert_eq(mo_scene_validate(w->scene), MO_OK);                                              \
  } while (0)

Test(scene_validate, finds_damage) {
  for (int policy = 0; policy < 3; policy++) {
    world *w = prepared(world_policies[policy]);
    mo_scene *scene = w->scene;
    /* A node below the root, with a leaf. */
    uint32_t index = 0, leaf = MO_LANE_COUNT;
    for (; leaf == MO_LANE_COUNT; index++) {
      const mo_scene_node *node = mo_scene_node_at(scene, index);
      leaf = index == scene->root ? MO_LANE_COUNT : 0;
      while (leaf < MO_LANE_COUNT &&
             (node->child[leaf] == MO_CHILD_EMPTY || !mo_child_is_leaf(node->child[leaf]))) {
        leaf++;
      }
    }
    mo_scene_node *node = mo_scene_node_at(scene, --index);
    mo_scene_node *above = mo_scene_node_at(scene, node->parent >> 3);
    uint32_t octant = node->parent & 7;
    uint32_t b = mo_child_index(node->child[leaf]);
    mo_shape_block *block = mo_shape_block_at(scene, b);
    mo_block_cell *cell = &scene->cells[b];
    uint32_t slot = block->shape[0];

    DAMAGE(scene->places[slot], scene->places[slot] + 1);
    DAMAGE(block->shape[0], scene->slot_count);
    DAMAGE(block->shape[0], block->shape[0] ^ 1);
    DAMAGE(block->count, 0);
    DAMAGE(block->count, block->count + 1);
    DAMAGE(block->total, block->total + 1);
    DAMAGE(block->next, b);
    DAMAGE(block->next, scene->blocks.count);
    DAMAGE(block->bounds.lower[1][0], block->bounds.upper[1][0] + 1);
    DAMAGE(block->bounds.upper[0][0], 1e6f);
    DAMAGE(cell->owner, cell->owner + 1);
    DAMAGE(cell->slack, cell->slack + 1);
    DAMAGE(cell->cell.lower.z, cell->cell.lower.z == -INFINITY ? 0 : -INFINITY);
    DAMAGE(node->bounds.lower[0][leaf], node->bounds.lower[0][leaf] - 1);
    DAMAGE(node->bounds.lower[0][leaf], node->bounds.lower[0][leaf] + 0.01f);
    DAMAGE(above->bounds.upper[2][octant], 1e9f);
    DAMAGE(above->bounds.upper[2][octant], above->bounds.lower[2][octant]);
    mo_box_size *size = &scene->sizes[index].octant[leaf];
    DAMAGE(*size, (mo_box_size)(*size + 1));
    DAMAGE(*size, (mo_box_size)(*size - 1));
    DAMAGE(node->child[leaf], MO_CHILD_EMPTY);
    DAMAGE(node->child[leaf], scene->nodes.count);
    DAMAGE(node->parent, MO_NONE);
    DAMAGE(node->count, node->count + 1);
    DAMAGE(node->axes, 0);
    DAMAGE(node->plane[0], 1e9f);
    DAMAGE(node->slack, -1);
    DAMAGE(node->loose_bounds, 1);
    if (!(above->to_examine >> octant &
          1)) { /* a leaf that waits to be split may have left it so */
      DAMAGE(node->to_examine, 1);
    }
    DAMAGE(scene->maintenance[index].unexamined_octants, 1);
    DAMAGE(block->dynamic, (uint8_t)(block->dynamic ^ 1));
    DAMAGE(block->awake, (uint8_t)(block->awake ^ 1));
    uint8_t dynamic = scene->motion_marks[index].dynamic; /* none may be left out */
    if (dynamic != 0 && block->dynamic != 0) {
      DAMAGE(scene->motion_marks[index].dynamic, (uint8_t)(dynamic & ~(1u << leaf)));
    }
    DAMAGE(scene->root_bounds.lower.x, scene->root_bounds.lower.x - 1);
    DAMAGE(scene->root, MO_CHILD_EMPTY);
    DAMAGE(scene->shape_count, scene->shape_count + 1);
    DAMAGE(scene->free_slot, 0);
    DAMAGE(scene->slot_count, scene->slot_count - 1);
    DAMAGE(scene->generations[slot], scene->generations[slot] + 1);
    DAMAGE(scene->shapes[slot].generation, scene->shapes[slot].generation + 2);
    DAMAGE(scene->traits[slot], (uint8_t)(scene->traits[slot] ^ MO_TRAIT_HAS_IDENTITY_AXES));
    DAMAGE(scene->immovable_count, scene->immovable_count + 1);
    DAMAGE(scene->blocks.free_count, scene->blocks.free_count + 1);
    DAMAGE(scene->nodes.free_count, scene->nodes.free_count + 1);
    DAMAGE(scene->level_node_counts[7], 1);
    world_destroy(w);
  }
}
