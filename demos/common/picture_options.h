/* The options of every demo that draws: where its pictures go, how large and how fine they are. */
#ifndef DEMO_PICTURE_OPTIONS_H
#define DEMO_PICTURE_OPTIONS_H

#include <argp.h>
#include <stdint.h>

struct picture_options {
  const char *output; /* folder; null for no pictures */
  uint32_t width, height;
  uint32_t samples; /* per pixel */
  uint32_t threads; /* that draw; 0 until the options are read: one per processor */
};

/* A child of a demo's parser, which sets `state->child_inputs` at ARGP_KEY_INIT to a struct
 * picture_options with the defaults. */
extern const struct argp picture_options_argp;

#endif
