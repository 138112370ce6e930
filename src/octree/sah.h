/* The surface-area heuristic: where a plane separates boxes best.
 *
 * A random line that meets a convex cell meets a convex part of it with the ratio of their surface
 * areas. The cost of cutting a cell is thus area(left) * work(left) + area(right) * work(right),
 * where the work of n items is the number of blocks of eight that hold them. Candidates are the
 * borders of equal bins (MacDonald and Booth 1990; Wald 2007). */
#ifndef MO_OCTREE_SAH_H
#define MO_OCTREE_SAH_H

#include "math/aabb.h"

/* One reference to an item, with the bounds of the part of it that the reference stands for. */
typedef struct mo_reference {
  mo_aabb bounds;
  uint32_t item;
} mo_reference;

enum { MO_SAH_MAX_BINS = 32 };

typedef struct mo_split {
  int axis;       /* 0 to 2; MO_SAH_NONE if nothing separates */
  float position; /* of the plane */
  double cost;    /* in half areas times blocks */
  double shared;  /* half area that both sides' bounds have in common */
} mo_split;

enum { MO_SAH_NONE = 3 };

/* Items go to the side of their centre, whole. `mo_sah_side` repeats the decision. */
mo_split mo_sah_by_centre(const mo_reference *references, uint32_t count, uint32_t bins);

/* The side (0 or 1) on which a reference's centre lies. */
static inline int mo_sah_side(const mo_reference *reference, int axis, float position) {
  float lower = mo_get(reference->bounds.lower, axis);
  float upper = mo_get(reference->bounds.upper, axis);
  return 0.5f * lower + 0.5f * upper >= position;
}

/* Work units of n items. */
static inline double mo_sah_blocks(double n) {
  return ceil(n * 0.125);
}

#endif
