#include "common/camera.h"

#include "common/vector.h"

struct camera camera_look_at(mo_vec3 position, mo_vec3 target, float field_of_view, float aspect) {
  mo_vec3 forward = vec3_normalize(vec3_sub(target, position));
  mo_vec3 right = vec3_normalize(vec3_cross(forward, vec3(0.0f, 1.0f, 0.0f)));
  float half_width = tanf(0.5f * field_of_view);
  return (struct camera){
      .position = position,
      .right = right,
      .up = vec3_cross(right, forward),
      .forward = forward,
      .half_width = half_width,
      .half_height = half_width / aspect,
  };
}

/* How far a box reaches beyond the two opposite sides of a picture that is seen from the box's
 * middle. `across` points from the first side to the second, `half_size` is the picture's at
 * depth 1. */
struct excess {
  float first, second;
};

static struct excess excess_of_box(mo_aabb box, mo_vec3 across, mo_vec3 forward, float half_size) {
  struct excess excess = {-INFINITY, -INFINITY};
  for (unsigned corner = 0; corner < 8; corner++) {
    mo_vec3 offset = vec3_sub(aabb_corner(box, corner), aabb_center(box));
    float place = vec3_dot(offset, across);
    float room = half_size * vec3_dot(offset, forward);
    excess.first = fmaxf(excess.first, -place - room);
    excess.second = fmaxf(excess.second, place - room);
  }
  return excess;
}

struct camera camera_look_at_box(mo_aabb box, mo_vec3 side, float field_of_view, float aspect) {
  mo_vec3 center = aabb_center(box);
  struct camera camera = camera_look_at(vec3_add(center, side), center, field_of_view, aspect);
  struct excess x = excess_of_box(box, camera.right, camera.forward, camera.half_width);
  struct excess y = excess_of_box(box, camera.up, camera.forward, camera.half_height);
  /* Sideways until the excess is the same on both sides, then back until there is none. */
  float back = fmaxf((x.first + x.second) / (2.0f * camera.half_width),
                     (y.first + y.second) / (2.0f * camera.half_height));
  mo_vec3 aside = vec3_add(vec3_scale(0.5f * (x.second - x.first), camera.right),
                           vec3_scale(0.5f * (y.second - y.first), camera.up));
  camera.position = vec3_sub(vec3_add(center, aside), vec3_scale(back, camera.forward));
  return camera;
}

mo_vec3 camera_direction(const struct camera *camera, float x, float y) {
  mo_vec3 aside = vec3_scale((2.0f * x - 1.0f) * camera->half_width, camera->right);
  mo_vec3 upward = vec3_scale((1.0f - 2.0f * y) * camera->half_height, camera->up);
  return vec3_normalize(vec3_add(camera->forward, vec3_add(aside, upward)));
}

float camera_depth(const struct camera *camera, mo_vec3 point) {
  return vec3_dot(vec3_sub(point, camera->position), camera->forward);
}

struct projection camera_project(const struct camera *camera, mo_vec3 point, uint32_t width,
                                 uint32_t height) {
  mo_vec3 offset = vec3_sub(point, camera->position);
  float depth = vec3_dot(offset, camera->forward);
  float x = vec3_dot(offset, camera->right) / (depth * camera->half_width);
  float y = vec3_dot(offset, camera->up) / (depth * camera->half_height);
  return (struct projection){
      .x = 0.5f * (1.0f + x) * (float)width,
      .y = 0.5f * (1.0f - y) * (float)height,
      .depth = depth,
  };
}
