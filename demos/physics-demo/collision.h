/* From places to contact joints: by Motte, or by ODE's own collision. */
#ifndef DEMO_COLLISION_H
#define DEMO_COLLISION_H

#include "physics-demo/world.h"

/* What a step costs in processor time of the calling thread, and what it finds. */
struct step_costs {
  double update, pairs, contacts, solver, sweeps; /* seconds */
  uint32_t pair_count;                            /* of boxes that touch */
  uint32_t touching_count;                        /* of bodies */
  uint32_t joint_count;
  uint32_t awake_count;
  uint32_t passed_count; /* fast bodies that passed through something that stands still */
  float deepest;         /* overlap of two bodies */
};

/* A point where two bodies touch, or come close. */
struct touch {
  mo_vec3 position, normal; /* the normal from the first body to the second */
  float separation;
};

/* Makes contact joints of the points of two bodies: of many, the deepest, and others far apart.
 * Changes the order of the points. */
void join_bodies(struct world *world, const uint64_t bodies[2], struct touch *points,
                 uint32_t count, struct step_costs *costs);

/* The most points of two bodies that are looked at; what is more is left out. */
enum { MAX_TOUCHES = 256 };

/* Moves shapes to where bodies are, finds contacts and makes joints of them. */
void collide_by_motte(struct world *world, struct step_costs *costs);
void collide_by_ode(struct world *world, struct step_costs *costs);

/* After a step: bodies that are fast and would have passed through something on their way are taken
 * back to where they met it; their speed is left for the next step's contacts. */
void sweep_fast_bodies(struct world *world);

/* How many fast bodies have passed through a mesh that stands still, in the last step. */
uint32_t count_passed_bodies(const struct world *world);

/* What ODE's collision needs. */
dSpaceID ode_space_create(void);
dGeomID ode_geom_create(struct world *world, const struct body *body, uint32_t index);

#endif
