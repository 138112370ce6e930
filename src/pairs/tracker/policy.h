/* Tuning constants of pair trackers: when the whole tree is searched, batch sizes, and prefetch
 * distances. Results do not depend on them. Sizes of lists inside the searches are in the files
 * of the searches, as they depend on each other. */
#ifndef MO_PAIRS_TRACKER_POLICY_H
#define MO_PAIRS_TRACKER_POLICY_H

/* --- updates --- */

enum {
  /* With fewer changed shapes, only the pairs of groups of changed shapes are searched for. With a
   * quarter instead of a fifth, updates with 25 % of the shapes moving took 2.37 ms instead of
   * 1.87; with 10 % moving, the search of the whole tree would take 1.64 ms instead of 1.00. */
  MO_WHOLE_SEARCH_DIVISOR = 5, /* the whole tree is searched if 1 / this of the shapes changed */
  /* With more pairs per shape than this, a search of the whole tree marks the pairs in the set
   * instead of comparing lists. At 8 pairs per shape both are equally fast, at 15 marking is faster
   * by a quarter; at 4 it takes half as long again. */
  MO_MAX_LISTED_PAIRS_PER_SHAPE = 8,
  MO_MIN_CHANGES_FOR_TASKS = 256, /* with fewer changed shapes, tasks do not pay off */
  MO_MIN_KEYS_FOR_TASKS = 2048,   /* with fewer keys, tasks to process them do not pay off */
  /* Every this many updates, buffers of which at most a quarter has been needed since are freed. */
  MO_UPDATES_PER_TRIM = 64,
  /* If many slots changed, the pairs of changed shapes are listed by going over the partner lists
   * of all slots instead of by sorting. */
  MO_ITERATE_ALL_LISTS_DIVISOR = 8, /* many: more than 1 / this of all slots */
  /* The pairs of up to MO_MAX_MANY_PARTNER_SHAPES many-partner shapes are searched for together and
   * stored as bits, instead of being sorted. */
  MO_MANY_PARTNERS_DIVISOR =
      32, /* a shape in pairs with at least 1 / this of all slots has many partners */
  MO_MIN_KEY_CAPACITY = 256, /* initial capacity of a list, in keys */
};

/* Prefetch distance of partner lists: in pairs before lists are marked or changed, in slots before
 * marks are cleared. Saves 2 to 9 % of the time for pairs in workload g of the benchmark. */
enum { MO_PREFETCH_PARTNERS_AHEAD = 12 };

/* --- comparison of two searches of the whole tree --- */

enum {
  /* How far ahead a match is first searched for, in keys of both lists; most are this near. */
  MO_NEAR_MATCH_MAX_STEPS = 8,
  MO_MIN_KEYS_PER_SEGMENT = 1024, /* least number of keys that a task compares */
  /* How far ahead a match is then searched for (far search), in keys of one list: enough to find a
   * match after a small subtree was rebuilt. */
  MO_FAR_MATCH_MAX_STEPS = 1000,
  /* After each failed far search, the distance to the next one is doubled, at most this many times.
   */
  MO_MAX_FAR_SEARCH_DOUBLINGS = 10,
};

#endif
