/* Contacts of compounds: those of each pair of their children that are near each other. */
#ifndef MO_CONTACT_PAIR_CHILDREN_H
#define MO_CONTACT_PAIR_CHILDREN_H

#include "contact/pair/pair.h"
#include "query/compound.h"

/* Adds the contacts of a collider with the children of a placement; the collider is the first shape
 * of all contacts. Volumes among the children count if `hit_volumes`. */
void mo_contact_search_children(mo_contact_search *search, const mo_collider *collider,
                                const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                bool hit_volumes);

/* Adds the contacts of two shapes of a scene, of which at least one is a compound. With
 * `uses_filters`, each child and each compound on its path must pass the other shape by category
 * and mask, and two children each other. */
void mo_contact_search_compounds(mo_contact_search *search, const mo_scene *scene, uint32_t slot_a,
                                 uint32_t slot_b, bool uses_filters);

#endif
