/* Preparation of rays, not inlined; see init.h. */
#include "geometry/ray/init.h"

void mo_ray_init(mo_ray *ray, const mo_vec3 *origin, const mo_vec3 *direction, float min_t,
                 const mo_vec3 *axis_sizes, const mo_vec3 *reach, float margin) {
  mo_ray_init_inline(ray, origin, direction, min_t, axis_sizes, reach, margin);
}
