#include "contact/manifold/fast_path.h"

bool mo_prepared_solid_set(mo_prepared_solid *prepared, const mo_placed_solid *from, mo_isa isa) {
  prepared->is_box = from->solid->kind == MO_SOLID_BOX;
  if (prepared->is_box) {
    mo_contact_box_set_by_isa[isa](&prepared->box, from);
    return true;
  }
  return mo_contact_ball_set(&prepared->ball, from);
}

mo_general_path mo_prepared_solids_manifold(const mo_prepared_solid *a, const mo_prepared_solid *b,
                                            mo_isa isa, double max, mo_manifold *manifold) {
  if (a->is_box && b->is_box) {
    const mo_contact_box *const boxes[2] = {&a->box, &b->box};
    return mo_boxes_manifold_by_isa[isa](boxes, max, manifold);
  }
  const bool found =
      a->is_box   ? mo_manifold_of_ball_and_box(&b->ball, &a->box, false, max, manifold)
      : b->is_box ? mo_manifold_of_ball_and_box(&a->ball, &b->box, true, max, manifold)
                  : mo_manifold_of_balls(&a->ball, &b->ball, max, manifold);
  return found ? MO_GENERAL_PATH_NONE : MO_GENERAL_PATH_FULL;
}
