/* The pictures of a run: what is in them, from where, and in which colours. */
#ifndef DEMO_GALLERY_H
#define DEMO_GALLERY_H

#include "common/animation.h"
#include "motte-demo/options.h"
#include "motte-demo/simulation.h"

struct gallery {
  const struct options *options;
  const struct simulation *simulation;
  mo_vec3 *colors;      /* by member of the crowd */
  struct picture frame; /* of the animation, used again for each */
  struct animation animation;
};

/* Makes the folder for the pictures. */
struct gallery gallery_open(const struct options *options, const struct simulation *simulation);

/* Adds the scene as it is now to the animation. */
void gallery_film_frame(struct gallery *gallery);

/* The scene as it is now with the boxes of its octree: octree.png. */
void gallery_shoot_octree(struct gallery *gallery);

/* The cube as it is now, what it touches, and the cells that it reaches into: probe.png. */
void gallery_shoot_probe(struct gallery *gallery);

/* Writes the animation, motion.gif, and frees everything. */
void gallery_close(struct gallery *gallery);

#endif
