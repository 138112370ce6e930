/* Lines and dots over a picture, hidden where the picture shows something nearer. */
#ifndef DEMO_OVERLAY_H
#define DEMO_OVERLAY_H

#include <motte/debug.h>

#include "common/camera.h"
#include "common/picture.h"

struct pen {
  mo_vec3 light;
  float width;    /* pixels */
  float strength; /* 0 to 1: how much of the picture a line covers */
  float hidden;   /* 0 to 1: the share of the strength that remains where the line is hidden */
};

struct overlay {
  struct picture *picture;
  const struct camera *camera;
};

void overlay_line(const struct overlay *overlay, mo_vec3 from, mo_vec3 to, const struct pen *pen);
void overlay_box(const struct overlay *overlay, mo_aabb box, const struct pen *pen);

/* Where the library draws an octree to: lines of the pen, in the colours that the library gives. */
struct tree_drawing {
  struct overlay overlay;
  struct pen pen;
  uint32_t color; /* of the last line, 0xRRGGBB */
};

mo_line_sink overlay_tree_sink(struct tree_drawing *drawing);

/* The colours that the library gives, from low to high. */
enum { TREE_RAMP_LENGTH = 5 };
extern const uint32_t tree_ramp[TREE_RAMP_LENGTH];

/* The cells of the leaves of a scene's octree, blue where they hold few shapes and red where they
 * are full. */
void overlay_leaves(const struct overlay *overlay, const mo_scene *scene, const struct pen *pen);

/* A disk, `pen->width` across, that faces the camera. */
void overlay_dot(const struct overlay *overlay, mo_vec3 center, const struct pen *pen);

#endif
