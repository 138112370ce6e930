/* One picture per query: what is asked, and what the engine answers. */
#ifndef DEMO_PANELS_H
#define DEMO_PANELS_H

#include "queries-demo/stage.h"

struct panel {
  const char *file;  /* of the picture alone, without .png */
  const char *title; /* what is asked */
  const char *text;  /* what the colours mean */
  uint32_t color;    /* beside the text */
  /* Fills the stage, asks, and adds the answer as figures and colours. */
  void (*set)(struct stage *stage);
  /* Draws what is no shape; asks the same again. May be null. */
  void (*draw)(const struct stage *stage, const struct overlay *overlay);
};

enum { PANEL_COUNT = 15 };
extern const struct panel panels[PANEL_COUNT];

#endif
