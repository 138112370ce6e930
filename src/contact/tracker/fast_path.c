/* Contacts of pairs of balls, capsules and boxes by the fast path (manifold/fast_path.h), straight
 * from the records of the shapes to the list of contacts, without colliders. */
#include "contact/tracker/tracker.h"
#include "geometry/solid/solids.h"

/* The first shape of a pair, which is most often the first of the next pair too, is prepared once.
 */
static void set_first(mo_fast_path_shape *first, const mo_scene *scene, uint32_t slot) {
  if (slot != first->slot) {
    first->slot = slot;
    first->is_solid = mo_geometry_read_solid(&scene->shapes[slot].geometry, &first->solid);
    first->is_prepared = false;
  }
}

/* Prepares the first shape, unless it is prepared. Returns false if it has no fast path. */
static bool prepare_first(mo_fast_path_shape *first, const mo_scene *scene) {
  if (!first->is_prepared) {
    const mo_placed_solid from = {&first->solid, &scene->shapes[first->slot].affine.to_world};
    first->is_prepared = true;
    first->is_solid = mo_prepared_solid_set(&first->prepared, &from, scene->isa);
  }
  return first->is_solid;
}

bool mo_contact_by_fast_path(const mo_scene *scene, mo_fast_path_shape *first, const mo_pair *pair,
                             double max, mo_contact *contact) {
  const mo_shape *a = &scene->shapes[pair->a.index], *b = &scene->shapes[pair->b.index];
  mo_solid solid;
  set_first(first, scene, pair->a.index);
  if (!first->is_solid || !mo_geometry_read_solid(&b->geometry, &solid) ||
      !mo_solids_have_fast_path(&first->solid, &solid)) {
    return false;
  }
  const mo_placed_solid from = {&solid, &b->affine.to_world};
  mo_prepared_solid second;
  if (!prepare_first(first, scene) || !mo_prepared_solid_set(&second, &from, scene->isa) ||
      mo_prepared_solids_manifold(&first->prepared, &second, scene->isa, max, &contact->manifold) !=
          MO_GENERAL_PATH_NONE) {
    return false;
  }
  contact->a = pair->a;
  contact->b = pair->b;
  contact->child_a = contact->child_b = 0;
  contact->user_data_a = a->user_data;
  contact->user_data_b = b->user_data;
  contact->triangle_a = contact->triangle_b = MO_NO_TRIANGLE;
  contact->triangle_user_data_a = contact->triangle_user_data_b = 0;
  return true;
}
