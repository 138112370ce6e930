/* A pinhole camera. Depth is measured along its forward axis. */
#ifndef DEMO_CAMERA_H
#define DEMO_CAMERA_H

#include <motte/math.h>

struct camera {
  mo_vec3 position;
  mo_vec3 right, up, forward;    /* of length one */
  float half_width, half_height; /* of the picture at depth 1 */
};

/* Where a point of the world appears: pixels from the upper left corner, and depth. */
struct projection {
  float x, y, depth;
};

/* `field_of_view` is the horizontal angle in radians, `aspect` is width over height. */
struct camera camera_look_at(mo_vec3 position, mo_vec3 target, float field_of_view, float aspect);

/* The same, looking at the middle of a box against `side` from where all of the box is seen. */
struct camera camera_look_at_box(mo_aabb box, mo_vec3 side, float field_of_view, float aspect);

/* The direction, of length one, through a point of the picture; x and y from 0 to 1. */
mo_vec3 camera_direction(const struct camera *camera, float x, float y);

/* Depth of a point; negative behind the camera. */
float camera_depth(const struct camera *camera, mo_vec3 point);

/* Projects a point of positive depth into a picture of the given size. */
struct projection camera_project(const struct camera *camera, mo_vec3 point, uint32_t width,
                                 uint32_t height);

#endif
