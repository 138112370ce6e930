/* What deforms: a flag in the wind, or a mesh that goes through the frames of files and back. */
#ifndef DEMO_SUBJECT_H
#define DEMO_SUBJECT_H

#include "common/triangles.h"

struct subject {
  struct triangles now;
  struct triangles *keys; /* the flag at rest alone, or the frames of the files */
  uint32_t key_count;
};

/* A flag of 3 by 2, held at its left side, of so many cells along it. */
struct subject subject_make_flag(uint32_t cells);

/* One frame a file, all with the same triangles, or else this fails (see common/check.h). `up`
 * points up in the files. */
struct subject subject_load(const char *const *paths, uint32_t count, mo_vec3 up);

void subject_destroy(struct subject *subject);

/* Moves the vertices to where they are at a time. Files take a second one way. */
void subject_animate(struct subject *subject, float seconds);

#endif
