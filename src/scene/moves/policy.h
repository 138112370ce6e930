/* Tuning constants for computing the new boxes of moved shapes: when eight are computed together,
 * and prefetch distances. Answers do not depend on them. */
#ifndef MO_SCENE_MOVES_POLICY_H
#define MO_SCENE_MOVES_POLICY_H

enum {
  /* From this many moved shapes in a block on, the boxes of all eight lanes are computed
   * together. */
  MO_MIN_MOVED_FOR_EIGHT_LANES = 3,
  /* From this many moved shapes of one type in half a block on, the boxes of all four lanes are
   * computed together; for shapes without MO_TRAIT_BOX_FOLLOWS_ORIGIN. */
  MO_MIN_MOVED_FOR_FOUR_LANES = 2,
};

/* Prefetch distances, in blocks. */
enum {
  MO_PREFETCH_BOXES_AHEAD = 16,
  MO_PREFETCH_RECORDS_AHEAD = 6,
};

#endif
