/* Tuning constants for adding, removing and moving shapes: batch sizes, thresholds for reserving or
 * clearing memory in one go, and prefetch distances. Answers of queries do not depend on them,
 * except for MO_MAX_EXCESS_MARGINS.
 *
 * Percentages are the measured benefit of a constant in the workloads of `motte-bench moving`,
 * which are named by letters. */
#ifndef MO_SCENE_POLICY_H
#define MO_SCENE_POLICY_H

/* --- moves (move.c), in shapes --- */

enum {
  MO_MAX_SINGLE_MOVES = 16,      /* batches up to this size tighten bounds after each single move */
  MO_MIN_MOVES_FOR_TASKS = 4096, /* batches from this size on are split into tasks */
  MO_MOVES_MAX_PARTS = 32,       /* maximum number of parts of a batch, one task for each */
  MO_MOVES_PER_CHECK = 8, /* moves checked together: worth 5 to 10 % of updates where all move */
  MO_PREFETCH_MOVED_AHEAD = 48, /* prefetch distance of records: worth 2 to 6 % of updates */
  /* High churn: if more than 1 / this of the moved shapes left their cells, the next update assumes
   * the same and evicts shapes in one pass over the tree: worth 12 % of updates in workload f. */
  MO_HIGH_CHURN_DIVISOR = 2, /* divides the number of moved shapes */
  /* Shapes "fly" if, of all shapes, more than 1 / this left their cells with the last moves and
   * more than 1 / this did not. Where nearly all shapes leave whatever their cells are, they
   * teleport instead. */
  MO_FLYING_DIVISOR = 8, /* divides the number of shapes */
};

/* --- adding, removing and putting shapes to sleep (shapes.c) --- */

enum {
  MO_PREFETCH_ADDED_AHEAD = 8,    /* prefetch distance of records, in shapes */
  MO_PREFETCH_MOTIONS_AHEAD = 24, /* prefetch distance of blocks, in shapes whose motion is set */
  MO_SHAPES_PER_REMOVAL = 1024,   /* shapes removed together: worth 10 % of updates in workload g */
  /* A batch of fewer than 1 / this of all shapes rarely removes two shapes from one leaf, so the
   * bounds of each leaf are tightened at once: worth 6 % of the instructions of updates in workload
   * g. */
  MO_FEW_REMOVED_DIVISOR = 16, /* divides the number of shapes */
  /* A batch of more than 1 / MO_MANY_ADDED_DIVISOR of the shapes reserves the memory that it is
   * expected to need, so that pools do not double: one block per 5 shapes, one spare block per 64
   * shapes, and one node per 20 shapes. */
  MO_MANY_ADDED_DIVISOR = 4, /* divides the number of shapes */
  MO_SHAPES_PER_BLOCK = 5,
  MO_SHAPES_PER_SPARE_BLOCK = 64,
  MO_SHAPES_PER_NODE = 20,
};

/* --- the change log (changes.c) --- */

/* If the changed shapes are more than 1 / this of all slots, a listener clears the change marks of
 * all slots at once; else only those of the changed shapes, one by one. */
enum { MO_MANY_CHANGED_DIVISOR = 16 }; /* divides the number of slots */

/* --- margins (shape.c) --- */

/* Number of margins by which stored bounds may be too large before they are recomputed; documented
 * in mo_shape_def. */
enum { MO_MAX_EXCESS_MARGINS = 4 };

#endif
