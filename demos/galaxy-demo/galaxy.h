/* A galaxy: a scene of balls, boxes and capsules on circles around a common middle, the inner ones
 * the faster. Where each is at a time is known beforehand; which of them the shape octree has to
 * reinsert is not. */
#ifndef DEMO_GALAXY_H
#define DEMO_GALAXY_H

#include <motte/motte.h>

/* The index of a star is its shape's user data. */
struct star {
  float orbit; /* radius of its circle */
  float speed; /* radians per second */
  float angle; /* at the start */
  float tilt;  /* of its circle, radians */
  float node;  /* the angle at which it crosses the plane */
  float height;
  mo_vec3 axis; /* around which it turns, once in a turn of its circle */
};

struct galaxy {
  mo_scene *scene;
  float radius;
  uint32_t count;
  struct star *stars;
  mo_shape_id *ids;         /* by star */
  mo_transform *transforms; /* by star: where it is */
};

struct galaxy galaxy_create(uint32_t count, uint64_t seed, const mo_scene_def *def);
void galaxy_destroy(struct galaxy *galaxy);

/* Places all stars where they are at a time. The scene does not know yet. */
void galaxy_compute(struct galaxy *galaxy, float seconds);

/* Moves all shapes of the scene there: this is what a frame costs. */
void galaxy_move(struct galaxy *galaxy);

#endif
