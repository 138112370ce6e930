/* Tuning constants for adding, removing and moving shapes: batch sizes, thresholds for reserving or
 * clearing memory in one go, and prefetch distances. Answers of queries do not depend on them,
 * except for MO_MAX_EXCESS_MARGINS.
 *
 * Percentages are the measured benefit of a constant in the workloads of `motte-bench run moving`,
 * which are named by letters. */
#ifndef MO_SCENE_POLICY_H
#define MO_SCENE_POLICY_H

/* --- moves (move.c), in shapes --- */

enum {
  MO_MAX_SINGLE_MOVES = 16,      /* batches up to this size tighten bounds after each single move */
  MO_MIN_MOVES_FOR_TASKS = 4096, /* batches from this size on are split into tasks */
  MO_MOVES_MAX_PARTS = 32,       /* maximum number of parts of a batch, one task for each */
  /* Moves checked together: saves 5 to 10 % of the time of updates in which all shapes move. */
  MO_MOVES_PER_CHECK = 8,
  /* Prefetch distance of shape records, in moves: saves 2 to 6 % of the time of updates. */
  MO_PREFETCH_MOVED_AHEAD = 48,
  /* Many shapes leave their cells if, of all shapes, more than 1 / this left their cells with the
   * last moves and more than 1 / this did not. (If nearly all shapes leave, they teleport, and
   * other cells would not help.) */
  MO_MANY_LEAVE_CELLS_DIVISOR =
      8, /* more than 1 / this of all shapes leave, and more than 1 / this stay */
};

/* --- new boxes of moved shapes (moves/boxes_kernel.c) --- */

enum {
  /* From this many moved shapes in a block on, the boxes of all eight lanes are computed together;
   * for shapes without MO_TRAIT_BOX_FOLLOWS_ORIGIN, from this many of one type in half a block on,
   * those of four lanes. */
  MO_MIN_MOVED_FOR_EIGHT_LANES = 3,
  MO_MIN_MOVED_FOR_FOUR_LANES = 2,
  MO_PREFETCH_BOXES_AHEAD = 16, /* prefetch distances, in blocks */
  MO_PREFETCH_RECORDS_AHEAD = 6,
};

/* --- adding, removing and putting shapes to sleep (add_remove.c, set.c) --- */

enum {
  MO_PREFETCH_ADDED_AHEAD = 8,    /* prefetch distance of shape records, in shapes */
  MO_PREFETCH_MOTIONS_AHEAD = 24, /* prefetch distance of blocks, in shapes whose motion is set */
  /* Shapes removed together: saves 10 % of the time of updates in workload g. */
  MO_SHAPES_PER_REMOVAL = 1024,
  /* A batch of fewer than 1 / this of all shapes rarely removes two from one leaf, so leaves are
   * tightened at once: saves 6 % of the instructions of updates in workload g. */
  MO_FEW_REMOVED_DIVISOR = 16, /* few: less than 1 / this of all shapes */
  /* A batch of more than 1 / MO_MANY_ADDED_DIVISOR of the shapes reserves the memory that it is
   * expected to need, so that pools do not double: one block per 5 shapes, one spare block per 64
   * shapes, and one node per 20 shapes. */
  MO_MANY_ADDED_DIVISOR = 4,      /* many: more than 1 / this of all shapes */
  MO_SHAPES_PER_BLOCK = 5,        /* one block is reserved for this many shapes */
  MO_SHAPES_PER_SPARE_BLOCK = 64, /* one more block is reserved for this many shapes */
  MO_SHAPES_PER_NODE = 20,        /* one node is reserved for this many shapes */
};

/* --- the change log (changes/change_log.c) --- */

/* If the changed shapes are more than 1 / this of all slots, a listener clears the change marks of
 * all slots at once; else only those of the changed shapes, one by one. */
enum { MO_MANY_CHANGED_DIVISOR = 16 }; /* many: more than 1 / this of all slots */

/* --- margins (shapes/shape.c) --- */

/* Number of margins by which stored bounds may be too large before they are recomputed; documented
 * in mo_shape_def. */
enum { MO_MAX_EXCESS_MARGINS = 4 };

#endif
