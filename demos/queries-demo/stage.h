/* The scene that queries are pictured in: a mesh, solids around it, and figures that are seen but
 * that no query finds. */
#ifndef DEMO_STAGE_H
#define DEMO_STAGE_H

#include <motte/motte.h>

#include "common/overlay.h"
#include "common/picture.h"

/* Categories of shapes. */
enum { STAGE_SOLID = 1, STAGE_FIGURE = 2 };

/* Colours of what is pictured. */
enum { AMBER = 0xf0a030, RED = 0xd8453a, BLUE = 0x5a8fd8, GREEN = 0x62b06a, PALE = 0xa3afbf };

struct stage {
  mo_scene *scene;
  mo_mesh *ring;        /* a closed mesh: a torus with waves */
  mo_vec3 *colors;      /* by user data of a shape */
  uint32_t color_count; /* user data of the next shape */
};

struct stage stage_create(void);
void stage_destroy(struct stage *stage);

/* A transform that only turns and moves. */
mo_transform stage_place(mo_vec3 at, mo_vec3 axis, float angle);

/* Adds a shape that queries find, or one that is only seen. */
mo_shape_id stage_add(struct stage *stage, const mo_geometry *geometry, const mo_transform *at,
                      uint32_t color);
void stage_add_figure(struct stage *stage, const mo_geometry *geometry, const mo_transform *at,
                      uint32_t color);
void stage_paint(struct stage *stage, uint64_t user_data, uint32_t color);

/* The ring in the middle, and eleven solids of all kinds around it. */
void stage_add_ring(struct stage *stage);
void stage_add_solids(struct stage *stage);

#endif
