/* A scene with placements of compounds, and the flat scene that it stands for, in which each child
 * that is no compound is a shape of its own. Only the composition of transforms is common to both.
 */
#ifndef TEST_FUZZ_PLACED_H
#define TEST_FUZZ_PLACED_H

#include "fuzz/shapes.h"
#include "support/counting_allocator.h"

enum { PLACED_COMPOUNDS = 4, PLACED_SHAPES = 8, PLACED_FLAT = 160 };

/* A filter of each level on the way to a flat shape. */
typedef struct placed_level {
  uint64_t category, mask;
} placed_level;

/* Where a flat shape comes from: a shape of the scene, and the path to its child; 0: the shape. */
typedef struct placed_origin {
  mo_shape_id shape;
  uint32_t depth;
  mo_shape_id path[MO_MAX_COMPOUND_DEPTH];
  placed_level levels[MO_MAX_COMPOUND_DEPTH + 1];
} placed_origin;

typedef struct placed_model {
  counting_allocator counter;
  mo_compound *compounds[PLACED_COMPOUNDS];
  mo_scene *scene;
  bool is_wild;  /* as fuzz_bytes.wild */
  bool is_stale; /* changed since the last placed_model_settle */
  mo_scene *flat;
  placed_origin origins[PLACED_FLAT]; /* by index of the flat shape */
  uint32_t flat_count;
  bool overflowed; /* there are more flat shapes: nothing is compared */
} placed_model;

void placed_model_create(placed_model *m, fuzz_bytes *b);

/* Also checks that no memory is left over. */
void placed_model_destroy(placed_model *m);

/* Adds, removes or changes a shape of the scene or a child of a compound. */
void placed_model_change(placed_model *m, fuzz_bytes *b);

/* Updates all compounds and placements, and makes the flat scene anew. */
void placed_model_settle(placed_model *m);

/* Checks that a hit on a shape and child names a flat shape. */
void placed_model_check_child(const placed_model *m, mo_shape_id shape, uint32_t child,
                              mo_shape_id flat);

#endif
