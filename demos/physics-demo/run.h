/* A run of a scene: its steps, and what they cost. */
#ifndef DEMO_RUN_H
#define DEMO_RUN_H

#include "physics-demo/collision.h"
#include "physics-demo/scenes.h"

/* Of several steps: sums of costs, the deepest overlap of all. */
struct totals {
  struct step_costs costs;
  uint64_t pairs, touching, joints, awake, passed;
  uint32_t steps;
  float deepest;
};

/* One step of the stage's world. */
struct step_costs step(struct stage *stage);

void totals_add(struct totals *totals, const struct step_costs *costs);

/* Kinetic energy of all bodies and potential energy above height 0, joules. */
double energy_of(const struct world *world, double *kinetic);

/* A number that tells whether two runs have ended with the same bits. */
uint64_t hash_of(const struct world *world);

/* The table, and what is said at the end; with a file also as JSON. */
void report_head(const struct stage *stage);
void report_row(const struct stage *stage, const struct totals *totals);
void report_summary(const struct stage *stage, const struct totals *totals);
void report_json(const struct stage *stage, const struct totals *totals, bool good);

#endif
