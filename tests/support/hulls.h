/* Hulls of all kinds, about 1 in size and near 0, for tests of shapes. */
#ifndef TEST_HULLS_H
#define TEST_HULLS_H

#include <motte/hull.h>

#include "support/rng.h"

typedef enum test_hull_kind {
  TEST_HULL_TETRAHEDRON,
  TEST_HULL_CUBE,    /* from -1 to 1 */
  TEST_HULL_BALL,    /* of 12 points in a ball */
  TEST_HULL_LATTICE, /* most points lie in faces and on edges */
  TEST_HULL_PRISM,   /* of 24 corners */
  TEST_HULL_PLATE,   /* flat, in a plane across an axis */
  TEST_HULL_SLOPE,   /* flat, in an oblique plane */
  TEST_HULL_NEEDLE,  /* a million times as long as thick */
  TEST_HULL_FLAKE, /* thick by no more than the rounding of an oblique plane: faces nearly in one */
  TEST_HULL_STONE, /* 60 points of a sphere */
  TEST_HULL_ROUND, /* 400 */
  TEST_HULL_LARGE, /* 3000 */
  TEST_HULL_KINDS
} test_hull_kind;

/* The same on every machine. Owned by the caller. Ends the program on failure. */
mo_hull *test_hull_make(test_hull_kind kind, const mo_host *host);

/* One of them for the whole program. */
mo_hull *test_hull(test_hull_kind kind);

/* Of those of up to 60 vertices; now and then a larger one. */
mo_hull *test_hull_random(rng *r);

#endif
