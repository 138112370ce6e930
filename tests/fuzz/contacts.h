/* A contact tracker of a model's scene, with what its last update left behind. */
#ifndef TEST_FUZZ_CONTACTS_H
#define TEST_FUZZ_CONTACTS_H

#include "fuzz/model.h"

enum { FUZZ_CONTACTS = 4096, FUZZ_PAIRS = FUZZ_SHAPES * FUZZ_SHAPES };

/* Contacts of a tracker, those at rest too, sorted. */
typedef struct fuzz_contacts {
  mo_tracked_contact all[FUZZ_CONTACTS];
  uint32_t count;
  bool overflowed; /* there were more: nothing is compared */
} fuzz_contacts;

typedef struct fuzz_tracker {
  fuzz_model *model;
  mo_contact_tracker_def def;
  mo_contact_tracker *tracker;
  mo_contact_events events;
  fuzz_contacts now, before;
  mo_pair touching[FUZZ_PAIRS];
  uint32_t touching_count;
  bool all_changed; /* all shapes have, since the last update */
  float serial;     /* what was written to the memory of a point last */
} fuzz_tracker;

void fuzz_tracker_create(fuzz_tracker *t, fuzz_model *m, fuzz_bytes *b);
void fuzz_tracker_destroy(fuzz_tracker *t);

/* Updates the tracker and checks its contacts: by themselves, against the update before, against
 * those of a new tracker, and where nothing is removed or reused, against each pair. */
void fuzz_tracker_update(fuzz_tracker *t);

/* Shifts the origin between two updates, which must have no events. */
void fuzz_tracker_shift(fuzz_tracker *t, mo_vec3 by);

/* Saves and restores the run in a new scene, and goes on with one move in both. */
void fuzz_tracker_replay(fuzz_tracker *t, fuzz_bytes *b);

/* Islands, sleepers, and contacts brought back, by their own rules. */
void fuzz_tracker_rest(fuzz_tracker *t, fuzz_bytes *b);

#endif
