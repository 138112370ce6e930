/* Many shapes leave the tree together: what each removal touches is asked for some removals ahead.
 */
#include "scene/bulk.h"

enum { GROUP = 32 };

/* The line of a node that knows its children. */
static void prefetch_owner(const mo_scene *scene, uint32_t owner) {
  if (owner != MO_NONE) {
    uint32_t index = owner & MO_OWNER_NODE ? owner & ~MO_OWNER_NODE : owner >> 3;
    mo_prefetch(mo_scene_node_at(scene, index)->child);
  }
}

void mo_bulk_take_out(mo_scene *scene, const uint32_t *slots, uint32_t count, bool tight) {
  for (uint32_t i = 0; i < count; i += GROUP) {
    uint32_t n = count - i < GROUP ? count - i : GROUP;
    const uint32_t *group = slots + i;
    for (uint32_t j = 0; j < n; j++) {
      uint32_t block = scene->places[group[j]] >> 3;
      mo_prefetch(&scene->cells[block]);
      mo_block_prefetch(scene, block);
      mo_prefetch(mo_shape_block_at(scene, block)->shape);
      if (i + GROUP + j < count) {
        mo_prefetch(&scene->places[slots[i + GROUP + j]]);
      }
    }
    for (uint32_t j = 0; j < n; j++) {
      prefetch_owner(scene, scene->cells[scene->places[group[j]] >> 3].owner);
    }
    for (uint32_t j = 0; j < n; j++) {
      uint32_t owner = scene->cells[scene->places[group[j]] >> 3].owner;
      uint32_t head = mo_owner_list(scene, owner);
      mo_block_prefetch(scene, head);
      mo_prefetch(mo_shape_block_at(scene, head)->shape);
    }
    for (uint32_t j = 0; j < n; j++) {
      if (tight) {
        mo_tree_take(scene, group[j]);
      } else {
        mo_tree_remove(scene, group[j]);
      }
    }
  }
}
