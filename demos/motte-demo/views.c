#include "motte-demo/views.h"

#include "common/check.h"
#include "common/vector.h"

static const float field_of_view = 0.83f; /* radians */

struct camera view_of_crowd(const struct crowd *crowd, float aspect) {
  const float margin = 2.2f; /* shapes reach out of the region that their centres keep to */
  const mo_vec3 side = {-0.38f, 0.42f, 0.80f};
  return camera_look_at_box(aabb_grow(crowd->region, margin), side, field_of_view, aspect);
}

/* How many of a grid of points in the cube can be seen from a place. */
static int visible_points(const struct simulation *simulation, mo_vec3 eye) {
  enum { GRID = 5 };
  mo_filter filter = mo_default_filter();
  filter.mask = CROWD_SOLID;
  mo_aabb box = simulation->probe.box;
  mo_vec3 step = vec3_scale(1.0f / (GRID - 1), aabb_size(box));
  int count = 0;
  for (int i = 0; i < GRID * GRID * GRID; i++) {
    mo_vec3 place = vec3((float)(i % GRID), (float)(i / GRID % GRID), (float)(i / GRID / GRID));
    mo_vec3 point = vec3_add(box.lower, vec3_mul(place, step));
    bool visible;
    check(mo_scene_line_of_sight(simulation->crowd.scene, eye, point, &filter, &visible, NULL),
          "look for the cube");
    count += visible;
  }
  return count;
}

struct camera view_of_probe(const struct simulation *simulation, float aspect) {
  enum { SIDES = 8 };
  mo_vec3 target = aabb_center(simulation->probe.box);
  mo_vec3 best = target;
  int best_count = -1;
  for (int side = 0; side < SIDES; side++) {
    float angle = 6.2831853f * ((float)side + 0.5f) / SIDES;
    mo_vec3 offset = vec3(20.0f * sinf(angle), 10.0f, 20.0f * cosf(angle));
    mo_vec3 position = vec3_add(target, offset);
    int count = visible_points(simulation, position);
    if (count > best_count) {
      best_count = count;
      best = position;
    }
  }
  return camera_look_at(best, target, field_of_view, aspect);
}
