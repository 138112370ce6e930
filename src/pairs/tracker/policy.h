/* Tuning constants of pair trackers: when the whole tree is searched, batch sizes, and prefetch
 * distances. Answers do not depend on them. The constants of the searches' own lists are in their
 * files, as the sizes depend on each other. */
#ifndef MO_PAIRS_TRACKER_POLICY_H
#define MO_PAIRS_TRACKER_POLICY_H

/* --- updates --- */

enum {
  /* The whole tree is searched if at least 1 / this of the shapes changed; otherwise groups of
   * changed shapes are. With a quarter instead of a fifth, updates with 25 % of the shapes moving
   * took 2.37 ms instead of 1.87; with 10 % moving, the search of the whole tree would take 1.64 ms
   * instead of 1.00. */
  MO_WHOLE_SHARE = 5,
  /* With more pairs per shape than this, a search of the whole tree marks the pairs in the set
   * instead of comparing lists. At 8 pairs per shape both are equally fast, at 15 marking is faster
   * by a quarter; at 4 it takes half as long again. */
  MO_MARKED_PAIRS = 8,
  MO_PARALLEL_MIN = 256, /* with fewer changed shapes, tasks do not pay off */
  MO_EVENTS_MIN = 2048,  /* with fewer keys, tasks to process them do not pay off */
  /* Every this many updates, buffers of which at most a quarter was needed meanwhile are freed. */
  MO_PAIR_TRIM_PERIOD = 64,
  /* If more than 1 / this of the slots changed, the pairs of changed shapes are listed by iterating
   * over all lists instead of by sorting. */
  MO_LISTED_SHARE = 8,
  /* A shape is busy if it is paired with at least 1 / this of the slots. The pairs of up to
   * MO_PAIR_BUSY busy shapes are searched for together and stored as bits, instead of being
   * sorted. */
  MO_BUSY_SHARE = 32,
  MO_PAIR_KEYS_MIN = 256, /* initial capacity of a list, in keys */
};

/* Prefetch distance of partner lists, before they are marked or change, in pairs, and before marks
 * are cleared, in slots: worth 2 to 9 % of the pairs of workload g. */
enum { MO_PARTNERS_AHEAD = 12 };

/* --- comparison of two searches of the whole tree --- */

enum {
  MO_DIFF_NEAR = 8, /* keys of both lists together within which most walks find the next match */
  MO_STRETCH_MIN = 1024, /* least number of keys for a task */
  /* Keys of one list, enough to find a match after a small subtree was rebuilt. */
  MO_DIFF_FAR = 1000,
  /* Limit of the doublings of the distance to the next far search, after failures. */
  MO_DIFF_PATIENCE = 10,
};

#endif
