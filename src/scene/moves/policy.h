/* Constants that steer how new boxes of moved shapes are computed: when eight are computed
 * together, and how far ahead memory is prefetched. Answers do not depend on them. */
#ifndef MO_SCENE_MOVES_POLICY_H
#define MO_SCENE_MOVES_POLICY_H

enum {
  MO_BOXES_TOGETHER = 3,  /* moved shapes of a block from which on all eight lanes are computed */
  MO_IMAGES_TOGETHER = 2, /* of half of a block, not easy and of one type: all four lanes are */
};

/* Prefetch distances, in blocks. */
enum {
  MO_BOXES_AHEAD = 16, /* blocks */
  MO_BOXES_RECORDS_AHEAD = 6,
  MO_HIGH_CHURN_AHEAD = 18, /* blocks, where most shapes leave their cells */
  MO_HIGH_CHURN_OWNERS_AHEAD = 12,
  MO_HIGH_CHURN_LISTS_AHEAD = 6,
};

/* Leaves between the last write to a leaf's boxes and the vector loads that make its bounds tight:
 * sooner, the loads would suffer store-to-load forwarding stalls. */
enum { MO_TIGHTEN_DELAY = 4 };

#endif
