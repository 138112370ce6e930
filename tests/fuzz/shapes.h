/* Shapes, transforms and what else a scene is made of, decoded from bytes. */
#ifndef TEST_FUZZ_SHAPES_H
#define TEST_FUZZ_SHAPES_H

#include <motte/motte.h>

#include "fuzz/bytes.h"

enum { FUZZ_MESHES = 8, FUZZ_HULLS = 6 };

/* Meshes and hulls for the whole program, made at the first call. */
typedef struct fuzz_supplies {
  mo_mesh *meshes[FUZZ_MESHES]; /* with edges, without, closed, flat, degenerate, compact */
  mo_hull *hulls[FUZZ_HULLS];
} fuzz_supplies;

const fuzz_supplies *fuzz_supplies_get(void);

/* Any kind of affine map; the plainest are translations. */
mo_transform fuzz_transform(fuzz_bytes *b);

/* Of any type, meshes too; the library need not accept it. */
mo_geometry fuzz_geometry(fuzz_bytes *b);

/* Anything but a mesh. */
mo_primitive fuzz_primitive(fuzz_bytes *b);
mo_primitive fuzz_primitive_or_mesh(fuzz_bytes *b);

mo_shape_def fuzz_shape(fuzz_bytes *b);

mo_filter fuzz_filter(fuzz_bytes *b);

#endif
