/* The fast path for manifolds of two convex shapes of the simplest kinds: balls, capsules and boxes
 * without rounding. It makes no contact bodies, and each shape is prepared once for several others.
 */
#ifndef MO_CONTACT_MANIFOLD_FAST_PATH_H
#define MO_CONTACT_MANIFOLD_FAST_PATH_H

#include "contact/manifold/balls_and_capsules.h"

typedef struct mo_prepared_solid {
  bool is_box;
  union {
    mo_contact_ball ball; /* a ball or a capsule */
    mo_contact_box box;
  };
} mo_prepared_solid;

/* Whether two solids have a fast path: balls, capsules and boxes without rounding, but not a
 * capsule with a box. */
static inline bool mo_solids_have_fast_path(const mo_solid *a, const mo_solid *b) {
  /* by kind: bits of the kinds that have a fast path with it */
  static const uint32_t partners[] = {
      [MO_SOLID_SPHERE] = 1u << MO_SOLID_SPHERE | 1u << MO_SOLID_CAPSULE | 1u << MO_SOLID_BOX,
      [MO_SOLID_CAPSULE] = 1u << MO_SOLID_SPHERE | 1u << MO_SOLID_CAPSULE,
      [MO_SOLID_BOX] = 1u << MO_SOLID_SPHERE | 1u << MO_SOLID_BOX};
  return a->kind < sizeof partners / sizeof *partners && (partners[a->kind] >> b->kind & 1) != 0 &&
         a->rounding == 0.0 && b->rounding == 0.0;
}

/* Prepares a ball, capsule or box. Returns false if it needs the general path with all others. */
bool mo_prepared_solid_set(mo_prepared_solid *prepared, const mo_placed_solid *from, mo_isa isa);

/* Finds the manifold of two solids that have a fast path; the same as by mo_manifold_of with the
 * origin of the first as the reference. Returns which general path has to find it, if any. */
mo_general_path mo_prepared_solids_manifold(const mo_prepared_solid *a, const mo_prepared_solid *b,
                                            mo_isa isa, double max, mo_manifold *manifold);

#endif
