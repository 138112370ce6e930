/* A legend: what the colours of a picture mean, in words, in one of its corners. */
#ifndef DEMO_LEGEND_H
#define DEMO_LEGEND_H

#include "common/picture.h"

/* The sample beside a text. */
enum legend_mark {
  LEGEND_SURFACE, /* a patch of the colour */
  LEGEND_LINE,
  LEGEND_GLOW, /* a dot that fades towards its rim */
  LEGEND_BOX,  /* the outline of a box */
  LEGEND_RAMP, /* from the first of `ramp` to the last */
};

struct legend_row {
  enum legend_mark mark;
  uint32_t color; /* 0xRRGGBB, as all colours here */
  const char *text;
  const uint32_t *ramp;
  uint32_t ramp_length;
};

struct legend {
  const char *title;
  const struct legend_row *rows;
  uint32_t row_count;
  bool at_right, at_bottom; /* the corner, else the upper left one */
};

/* The size of the text follows that of the picture. */
void legend_draw(const struct legend *legend, struct picture *picture);

#endif
