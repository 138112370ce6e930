/* Taking a picture of a studio: every pixel is ray-cast, by several threads at once. */
#ifndef DEMO_RENDER_H
#define DEMO_RENDER_H

#include "common/camera.h"
#include "common/picture.h"
#include "common/studio.h"

struct render_def {
  const struct studio *studio;
  struct camera camera;
  uint32_t samples; /* per pixel */
  uint32_t threads;
  const char *name; /* for the progress line */
};

/* Fills light and depth of the whole picture. */
void render(const struct render_def *def, struct picture *picture);

#endif
