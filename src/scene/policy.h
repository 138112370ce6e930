/* Constants that steer changes of shapes: sizes of batches, when memory is reserved or cleared in
 * one go, and how far ahead memory is prefetched. Answers do not depend on them, but for
 * MO_FAT_MARGINS. */
#ifndef MO_SCENE_POLICY_H
#define MO_SCENE_POLICY_H

/* --- moves (move.c), in shapes --- */

enum {
  MO_MOVES_FEW = 16,    /* batches up to this keep bounds tight move by move */
  MO_MOVES_MANY = 4096, /* batches from this on are cut into tasks ... */
  MO_MOVES_PARTS = 32,  /* ... at most so many */
  MO_MOVES_GROUP = 8,   /* are checked together: in a 3 to 4 % */
  MO_MOVES_AHEAD = 48,  /* prefetch distance of records: updates 2 to 6 % */
  /* If more than 1 / so many of the moved shapes left their cells, the next update expects that
   * again and evicts in one pass: updates of f 12 %. */
  MO_HIGH_CHURN_SHARE = 2,
  /* Shapes fly if of all shapes more than 1 / so many left their cells with the last moves, and
   * more than 1 / so many did not: where nearly all leave whatever their cells are, they teleport.
   */
  MO_FLYING_SHARE = 8,
};

/* --- shapes that come and go (shapes.c) --- */

enum {
  MO_ADDED_AHEAD = 8,      /* prefetch distance of records, in shapes */
  MO_MOTIONS_AHEAD = 24,   /* the same of blocks, where shapes fall asleep or wake */
  MO_REMOVED_GROUP = 1024, /* shapes removed together: updates of g 10 % */
  /* Batches of less than 1 / so many of all shapes rarely take two from one leaf, so the bounds of
   * leaves are made tight at once: 6 % of the instructions of updates in g. */
  MO_REMOVED_SHARE = 16,
  /* Batches of more than 1 / so many of the shapes reserve memory for what they usually take, so
   * that pools do not double: a block for so many shapes, 5 and 1 in 64 more, and a node. */
  MO_ADDED_SHARE = 4,
  MO_SHAPES_PER_BLOCK = 5,
  MO_SHAPES_PER_SPARE_BLOCK = 64,
  MO_SHAPES_PER_NODE = 20,
};

/* --- the change log (changes.c) --- */

/* More changes than 1 / so many of the slots are cleared with all slots, fewer one by one. */
enum { MO_CHANGES_SHARE = 16 };

/* --- margins (shape.c) --- */

/* Margins by which stored bounds may be too large before they are made anew; promised by
 * mo_shape_def. */
enum { MO_FAT_MARGINS = 4 };

#endif
