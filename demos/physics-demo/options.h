/* The command line. */
#ifndef DEMO_PHYSICS_OPTIONS_H
#define DEMO_PHYSICS_OPTIONS_H

#include "common/picture_options.h"
#include "physics-demo/world.h"

struct options {
  const struct scene *scene;
  enum collision_kind collision;
  uint32_t bodies;  /* 0: as many as the scene likes */
  uint32_t seconds; /* 0: as long as the scene likes */
  uint32_t every;   /* steps for a row of the table; 0: a tenth of the run */
  uint32_t workers;
  uint64_t seed;
  bool time_pairs;
  float reuse_distance; /* metres */
  const char *mesh;     /* a file, or null */
  mo_vec3 up;           /* direction that is up in the file */
  const char *json;     /* a file, or null */
  struct picture_options pictures;
};

/* Reads the command line; ends the program if it is wrong. */
struct options options_parse(int argc, char **argv);

#endif
