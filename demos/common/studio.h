/* The studio where the pictures are taken: a floor, a sky and a sun around a scene, and the light
 * that comes back along a ray. All surfaces, shadows and distances are found by the scene's own ray
 * queries. */
#ifndef DEMO_STUDIO_H
#define DEMO_STUDIO_H

#include <motte/query.h>

struct studio {
  const mo_scene *scene;
  uint64_t visible;      /* categories that are seen */
  const mo_vec3 *colors; /* by user data of a shape: the share of light that it returns */
  mo_aabb glass;         /* a box of clear glass, or studio_no_glass() */
  mo_vec3 middle;        /* of the floor */
  float radius;          /* of its bright part */
};

/* The glass of a studio without any. */
mo_aabb studio_no_glass(void);

/* Where geometry with these local bounds stands in the middle of a floor at height 0, scaled so
 * that its longest side is `size`. */
mo_transform studio_pose(mo_aabb bounds, float size);

/* One ray from the eye, and four numbers from 0 to 1 that choose its rays to the sun and sky. */
struct sight {
  mo_vec3 origin, direction;
  float sun[2], sky[2];
};

/* The light that arrives against `sight->direction`; `*distance` is how far its surface is, or
 * INFINITY. */
mo_vec3 studio_light(const struct studio *studio, const struct sight *sight, float *distance);

#endif
