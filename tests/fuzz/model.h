/* A scene and a plain list of what it should hold. Each operation is decoded from bytes, made on
 * both, and checked: what is refused has changed nothing. */
#ifndef TEST_FUZZ_MODEL_H
#define TEST_FUZZ_MODEL_H

#include "fuzz/shapes.h"
#include "support/counting_allocator.h"

enum { FUZZ_SHAPES = 24 };

typedef struct fuzz_model {
  counting_allocator counter;
  mo_scene *scene;
  uint32_t count;
  mo_shape_id ids[FUZZ_SHAPES];
  mo_shape_def defs[FUZZ_SHAPES];
  mo_shape_id stale; /* of the shape that was removed last */
  bool starved;      /* while operations are made, allocations fail */
  char why[256];     /* what the log was told last */
} fuzz_model;

/* A scene of some kind of tree. */
void fuzz_model_create(fuzz_model *m, fuzz_bytes *b);

/* Also checks that no memory is left over. */
void fuzz_model_destroy(fuzz_model *m);

/* One operation that changes the scene, or an update. */
void fuzz_model_change(fuzz_model *m, fuzz_bytes *b);

/* Recomputes the bounds of all shapes. */
void fuzz_model_refresh(fuzz_model *m);

/* Validates the scene, and compares each shape with the list. */
void fuzz_model_check(const fuzz_model *m);

/* For a finding: writes all shapes to stderr, in hexadecimal floats. */
void fuzz_model_print(const fuzz_model *m);

/* One of the living shapes, now and then one that is gone. */
mo_shape_id fuzz_model_any(const fuzz_model *m, fuzz_bytes *b);

#endif
