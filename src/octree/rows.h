/* The eight boxes of a block or a node in vector registers, one register per row of mo_bounds8. For
 * files that are compiled once per instruction set. */
#ifndef MO_OCTREE_ROWS_H
#define MO_OCTREE_ROWS_H

#include "math/lanes/lanes.h"
#include "octree/node.h"

typedef struct mo_box_rows {
  mo_f8 lower[3], upper[3];
} mo_box_rows;

static inline mo_box_rows mo_box_rows_load(const mo_bounds8 *bounds) {
  mo_box_rows r;
  for (int axis = 0; axis < 3; axis++) {
    r.lower[axis] = mo_f8_load(bounds->lower[axis]);
    r.upper[axis] = mo_f8_load(bounds->upper[axis]);
  }
  return r;
}

static inline void mo_box_rows_store(mo_bounds8 *bounds, const mo_box_rows *r) {
  for (int axis = 0; axis < 3; axis++) {
    mo_f8_store(bounds->lower[axis], r->lower[axis]);
    mo_f8_store(bounds->upper[axis], r->upper[axis]);
  }
}

static inline void mo_box_rows_set(mo_box_rows *r, uint32_t lane, const mo_aabb *box) {
  mo_m8 chosen = mo_m8_from_bits(1u << lane);
  for (int axis = 0; axis < 3; axis++) {
    r->lower[axis] = mo_f8_select(chosen, mo_f8_splat(mo_get(box->lower, axis)), r->lower[axis]);
    r->upper[axis] = mo_f8_select(chosen, mo_f8_splat(mo_get(box->upper, axis)), r->upper[axis]);
  }
}

/* The box around all lanes. */
static inline mo_aabb mo_box_rows_union(const mo_box_rows *r) {
  return (mo_aabb){
      {mo_f8_reduce_min(r->lower[0]), mo_f8_reduce_min(r->lower[1]), mo_f8_reduce_min(r->lower[2])},
      {mo_f8_reduce_max(r->upper[0]), mo_f8_reduce_max(r->upper[1]),
       mo_f8_reduce_max(r->upper[2])}};
}

#endif
