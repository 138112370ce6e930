/* From where the pictures are taken. */
#ifndef DEMO_VIEWS_H
#define DEMO_VIEWS_H

#include "common/camera.h"
#include "motte-demo/simulation.h"

/* The whole crowd from above, with a corner of its region towards the camera. */
struct camera view_of_crowd(const struct crowd *crowd, float aspect);

/* Close to the cube and oblique to its faces, from where the fewest shapes are in the way. */
struct camera view_of_probe(const struct simulation *simulation, float aspect);

#endif
