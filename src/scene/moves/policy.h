/* Tuning constants for computing the new boxes of moved shapes: when eight are computed together,
 * and prefetch distances. Answers do not depend on them. */
#ifndef MO_SCENE_MOVES_POLICY_H
#define MO_SCENE_MOVES_POLICY_H

enum {
  MO_BOXES_TOGETHER = 3, /* with this many moved shapes in a block, all eight lanes are computed */
  /* With this many in half a block, not fast and of one type, all four lanes are computed. */
  MO_IMAGES_TOGETHER = 2,
};

/* Prefetch distances, in blocks. */
enum {
  MO_BOXES_AHEAD = 16, /* blocks */
  MO_BOXES_RECORDS_AHEAD = 6,
  MO_HIGH_CHURN_AHEAD = 18, /* blocks, if most shapes leave their cells */
  MO_HIGH_CHURN_OWNERS_AHEAD = 12,
  MO_HIGH_CHURN_LISTS_AHEAD = 6,
};

/* Number of leaves between the last write to a leaf's boxes and the vector loads that tighten its
 * bounds: with fewer, the loads would suffer store-to-load forwarding stalls. */
enum { MO_TIGHTEN_DELAY = 4 };

#endif
