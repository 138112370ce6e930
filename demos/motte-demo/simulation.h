/* One frame after the other: the crowd moves, the probe asks, and what that costs is measured. */
#ifndef DEMO_SIMULATION_H
#define DEMO_SIMULATION_H

#include "motte-demo/costs.h"
#include "motte-demo/probe.h"

struct simulation {
  struct crowd crowd;
  struct probe probe;
  uint32_t frame, frame_count;
};

/* Runs the next frame and returns what it cost. */
struct costs simulation_step(struct simulation *simulation);

#endif
