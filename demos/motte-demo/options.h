/* The command line of motte-demo. */
#ifndef DEMO_OPTIONS_H
#define DEMO_OPTIONS_H

#include <motte/scene.h>

#include "common/picture_options.h"

struct options {
  const char **mesh_paths;
  uint32_t mesh_count; /* 0: use generated meshes */
  uint32_t shape_count;
  float moving_share;
  uint32_t frame_count;
  uint32_t ray_count; /* per frame */
  mo_tree_policy policy;
  uint64_t seed;
  bool only_measure; /* no pictures */
  mo_vec3 up;        /* what points up in the file of the first mesh; of length one */
  struct picture_options pictures;
};

/* Reads the command line; on --help prints the help, on a mistake an error, and exits. */
struct options options_parse(int argc, char **argv);
void options_free(struct options *options);

#endif
