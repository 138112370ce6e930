/* Rigid bodies: ODE moves them, and a scene of Motte has a shape for each. */
#ifndef DEMO_WORLD_H
#define DEMO_WORLD_H

#include <motte/motte.h>
#include <ode/ode.h>

#include "physics-demo/solids.h"

/* Who finds contacts. */
enum collision_kind { COLLISION_MOTTE, COLLISION_ODE };

/* Categories of shapes. */
enum { SEEN = 1, UNSEEN = 2 };

/* Contacts that are apart by up to this are joints too, so that bodies do not first overlap. */
#define SPECULATIVE_DISTANCE 0.02f

/* A body that is to be. Metres and kilograms. */
struct body_def {
  mo_geometry geometry; /* around its centre of mass; cylinders, cones, capsules along y */
  struct solid *solid;  /* what a mesh or hull is made of; else null */
  mo_vec3 position;
  mo_quat rotation;
  mo_vec3 velocity;
  float density;  /* 0: it never moves */
  float friction; /* that of two bodies: combine_friction in joints.c */
  float bounce;   /* share of the speed after an impact; of two bodies the larger one counts */
  uint32_t color;
  bool fast;   /* its way is swept, so that it does not pass through what is thin */
  bool unseen; /* in no picture */
};

struct body {
  dBodyID ode;  /* null: it never moves */
  dGeomID geom; /* null unless ODE finds contacts */
  mo_shape_id shape;
  mo_geometry geometry;
  struct solid *solid;
  mo_transform transform; /* before the last step */
  mo_vec3 start;
  double lowest_inertia; /* least principal moment, a bound for its spin's energy */
  float friction, bounce;
  bool fast, asleep;
};

struct world {
  dWorldID ode;
  dJointGroupID contacts; /* of one step */
  mo_scene *scene;
  mo_contact_tracker *tracker; /* null where ODE finds contacts */
  mo_pair_tracker *pairs;      /* only to see what pairs alone cost; may be null */
  dSpaceID space;              /* null where Motte finds contacts */
  struct body *bodies;         /* the index of a body is its shape's user data */
  mo_vec3 *colors;             /* of bodies */
  uint32_t count, capacity;
  struct solid **solids; /* that scenes have made, to be freed with the world */
  uint32_t solid_count;
  double step;            /* seconds */
  mo_shape_id *moved_ids; /* scratch, of `capacity` each */
  mo_transform *moved_transforms;
};

struct world_def {
  enum collision_kind collision;
  double step;
  uint32_t iterations;  /* of ODE's solver */
  bool never_sleeps;    /* bodies never fall asleep */
  bool settles;         /* damped, for thousands of bodies that sleep only all together */
  bool time_pairs;      /* have a tracker of pairs beside that of contacts */
  float reuse_distance; /* of the tracker of contacts */
  mo_tasks tasks;
};

/* The world refers to itself: it stays where it was made. */
struct world *world_create(const struct world_def *def);
void world_destroy(struct world *world);

/* No body, a little friction. */
struct body_def world_default_body(mo_shape_type type);

/* Returns the body's index. */
uint32_t world_add(struct world *world, const struct body_def *def);

/* Gives a solid to the world, and returns it. */
struct solid *world_keep(struct world *world, struct solid *solid);

/* Bodies that are linked by a joint do not collide. */
bool world_are_linked(const struct world *world, uint64_t a, uint64_t b);

/* Where a body of ODE is. */
mo_transform body_transform(dBodyID body);

/* Moves the shapes of all bodies that are awake to where these are. */
void world_update_shapes(struct world *world);

/* Tells the scene which bodies have fallen asleep or woken, and forgets the step's contacts. */
void world_end_step(struct world *world);

#endif
