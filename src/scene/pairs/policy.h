/* Constants that steer pair trackers: when the whole tree is searched, sizes of batches, and how
 * far ahead memory is prefetched. Answers do not depend on them. Those of the searches' own lists
 * stand in their files, as their sizes depend on each other. */
#ifndef MO_SCENE_PAIRS_POLICY_H
#define MO_SCENE_PAIRS_POLICY_H

/* --- updates --- */

enum {
  /* The whole tree is searched where at least 1 / so many of the shapes changed, and groups of
   * shapes elsewhere. At a quarter, updates with 25 % moving took 2.37 ms, now 1.87; with 10 %
   * moving the search of the whole tree would take 1.64 in place of 1.00. */
  MO_WHOLE_SHARE = 5,
  /* Pairs a shape from which a search of the whole tree marks what it finds. At 8 as quick as by
   * lists, at 15 quicker by a quarter; at 4 half as slow again. */
  MO_MARKED_PAIRS = 8,
  MO_PARALLEL_LEAST = 256, /* changed shapes; with fewer, tasks do not pay */
  MO_EVENTS_LEAST = 2048,  /* keys that are worth tasks which go through them */
  /* Updates after which memory is given back of which at most a quarter was needed meanwhile. */
  MO_PAIR_TRIM_PERIOD = 64,
  /* The pairs of changed shapes are listed by a walk through all lists, in place of sorting, where
   * more than 1 / so many of the slots changed. */
  MO_LISTED_SHARE = 8,
  /* Shapes that are paired with at least 1 / so many of the slots: up to MO_PAIR_BUSY of them are
   * searched for together, and their pairs noted in bits, in place of sorting. */
  MO_BUSY_SHARE = 32,
  MO_PAIR_KEYS_LEAST = 256, /* keys for which a list has capacity from the start */
};

/* Prefetch distances, in pairs: lists before a partner is marked, when marks are cleared
 * (in slots), before they change (in changes; pairs of g 2
 * to 9 %), before they are searched for pairs that begin, and for pairs that end. */
enum {
  MO_MARKS_AHEAD = 12,
  MO_SWEEP_AHEAD = 8,
  MO_PARTNERS_AHEAD = 12,
  MO_BEGINS_AHEAD = 12,
  MO_ENDS_AHEAD = 16
};

/* --- comparison of two searches of the whole tree --- */

enum {
  MO_DIFF_NEAR = 8,        /* keys ahead, of both lists together, where most walks meet again */
  MO_STRETCH_LEAST = 1024, /* keys that are worth a task */
  MO_DIFF_FAR = 1000,      /* of one list, where they meet after a small subtree was made anew */
  MO_DIFF_PATIENCE = 10,   /* doublings of the distance to the next far search, after failures */
};

#endif
