/* Contacts of compounds: those of each pair of their children that are near each other. */
#ifndef MO_CONTACT_PAIR_CHILDREN_H
#define MO_CONTACT_PAIR_CHILDREN_H

#include "contact/pair/pair.h"
#include "query/compound.h"

/* The collider of a child of a placement, without bounds. It keeps pointers to the child and to the
 * placement in the scene. */
mo_collider mo_collider_of_child(const mo_scene *scene, const mo_placed_child *child);

/* The collider of a shape of the scene or, if `child` is not null, of a child of it; without
 * bounds.
 */
static inline mo_collider mo_collider_of_shape_or_child(const mo_scene *scene, uint32_t slot,
                                                        const mo_placed_child *child) {
  return __builtin_expect(child != NULL, 0) ? mo_collider_of_child(scene, child)
                                            : mo_collider_without_bounds(scene, slot);
}

/* Adds the contacts of a collider with the children of a placement; the collider is the first shape
 * of all contacts. Volumes among the children count if `hit_volumes`. */
void mo_contact_search_children(mo_contact_search *search, const mo_collider *collider,
                                const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                bool hit_volumes);

/* Adds the contacts of the children of a compound that is in no scene, prepared by
 * mo_query_primitive_prepare, with a shape of a scene or, if that is a placement, with its children
 * that pass the filter; the children of `own` are the first shapes. Volumes among the children on
 * either side count if `hit_volumes`. */
void mo_contact_search_own_children(mo_contact_search *search, const mo_prepared_primitive *own,
                                    const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                    bool hit_volumes);

/* Called for the colliders of a child and a shape, or of two children; `a` belongs to the first
 * shape. */
typedef void mo_child_pair_visit(const mo_collider *a, const mo_collider *b, void *context);

/* Two shapes of a scene, of which at least one is a compound. With `uses_filters`, each child and
 * each compound on its path must pass the other shape by category and mask, and two children each
 * other. */
typedef struct mo_compound_pair {
  const mo_scene *scene;
  uint32_t slot_a, slot_b;
  bool uses_filters;
} mo_compound_pair;

/* Calls `visit` for each pair of colliders that may have contacts, given the greatest separation of
 * the search. */
void mo_visit_child_pairs(const mo_contact_search *search, const mo_compound_pair *pair,
                          mo_child_pair_visit *visit, void *context);

/* Adds the contacts of both shapes. */
void mo_contact_search_compounds(mo_contact_search *search, const mo_compound_pair *pair);

#endif
