/* A second opinion on what is exact, by whole numbers of many digits. */
#ifndef TEST_EXACT_H
#define TEST_EXACT_H

#include <motte/math.h>

/* Whether the corners of a triangle lie on a line, exactly. False where they are not finite. */
bool exact_is_degenerate(const mo_vec3 corners[3]);

#endif
