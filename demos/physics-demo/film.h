/* Pictures of a stage: an animation of its beginning, and one picture. */
#ifndef DEMO_FILM_H
#define DEMO_FILM_H

#include "common/animation.h"
#include "physics-demo/scenes.h"

struct film {
  const struct stage *stage;
  struct picture picture;
  struct animation animation;
  uint32_t step; /* of the simulation */
};

struct film film_open(const struct stage *stage);

/* To be called after each step. */
void film_follow(struct film *film);

/* Writes the animation. */
void film_close(struct film *film);

#endif
