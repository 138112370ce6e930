/* Creation and release of compounds. */
#include "scene/compound.h"

mo_result mo_compound_create(const mo_scene_def *def, mo_compound **compound) {
  mo_scene *children = NULL;
  if (def != NULL && def->cookie == MO_COOKIE && compound == NULL) {
    return mo_refuse_null(&def->host, __func__, "compound");
  }
  mo_result result = mo_scene_create(def, &children);
  if (result != MO_OK) {
    return result;
  }
  mo_compound *made = mo_allocate(&def->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    mo_scene_destroy(children);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  *made = (mo_compound){.functions = &mo_functions_of_compounds,
                        .children = children,
                        .depth = 1,
                        .bounds = mo_aabb_empty()};
  atomic_init(&made->references, 1);
  children->owner = made;
  *compound = made;
  return MO_OK;
}

void mo_compound_retain(mo_compound *compound) {
  if (compound != NULL) {
    atomic_fetch_add_explicit(&compound->references, 1, memory_order_relaxed);
  }
}

/* Gives back a reference; adds the compound to a list if it was the last one. */
static void release_to_list(mo_compound *compound, mo_compound **list) {
  if (atomic_fetch_sub_explicit(&compound->references, 1, memory_order_acq_rel) == 1) {
    compound->next_released = *list;
    *list = compound;
  }
}

/* Frees a compound; nested ones that lose their last reference are added to the list. */
static void free_compound(mo_compound *compound, mo_compound **list) {
  mo_scene *children = compound->children;
  const mo_allocator allocator = children->host.allocator;
  for (uint32_t slot = 0; children->compound_count > 0 && slot < children->slot_count; slot++) {
    mo_geometry *geometry = &children->shapes[slot].geometry;
    if (mo_slot_is_alive(children, slot) && geometry->type == MO_SHAPE_COMPOUND) {
      release_to_list(geometry->compound, list);
      geometry->compound = NULL; /* mo_scene_destroy has nothing to release */
    }
  }
  children->owner = NULL;
  mo_scene_destroy(children);
  mo_deallocate(&allocator, compound->first_numbers, compound->number_capacity,
                sizeof *compound->first_numbers);
  mo_deallocate(&allocator, compound, 1, sizeof *compound);
}

/* Frees nested compounds from a list, not by recursion: without updates compounds may be nested to
 * any depth. */
void mo_compound_release(mo_compound *compound) {
  mo_compound *list = NULL;
  if (compound != NULL) {
    release_to_list(compound, &list);
  }
  while (list != NULL) {
    mo_compound *next = list;
    list = next->next_released;
    free_compound(next, &list);
  }
}

mo_scene *mo_compound_children(const mo_compound *compound) {
  return compound != NULL ? compound->children : NULL;
}

mo_aabb mo_compound_bounds(const mo_compound *compound) {
  return compound != NULL ? compound->bounds : mo_aabb_empty();
}

uint32_t mo_compound_depth(const mo_compound *compound) {
  return compound != NULL ? compound->depth : 0;
}
