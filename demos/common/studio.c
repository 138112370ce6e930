#include "common/studio.h"

#include "common/check.h"
#include "common/vector.h"

/* What a ray meets. */
struct surface {
  mo_vec3 point, normal; /* the normal on the side that is seen */
  mo_vec3 color;
  float distance; /* INFINITY: it is the sky */
};

static float clamp01(float x) {
  return fminf(fmaxf(x, 0.0f), 1.0f);
}

static mo_vec3 sun_direction(void) {
  return vec3_normalize(vec3(-0.55f, 1.0f, 0.48f));
}

static const mo_vec3 sun_light = {2.55f, 2.3f, 1.95f};
static const float sun_softness = 0.035f; /* radius of its disk at distance 1 */

/* What lights the scene from above, and a little from below. */
static mo_vec3 sky_light(mo_vec3 direction) {
  const mo_vec3 above = {0.62f, 0.76f, 1.00f};
  const mo_vec3 below = {0.22f, 0.20f, 0.20f};
  return vec3_mix(below, above, 0.5f + 0.5f * direction.y);
}

/* What is seen behind the scene: a dark backdrop, brighter where it meets the floor. */
static mo_vec3 backdrop_light(mo_vec3 direction) {
  const mo_vec3 horizon = {0.020f, 0.032f, 0.060f};
  const mo_vec3 zenith = {0.006f, 0.009f, 0.018f};
  return vec3_mix(horizon, zenith, clamp01(2.2f * direction.y));
}

static mo_ray_def ray_through_scene(const struct studio *studio, mo_vec3 origin,
                                    mo_vec3 direction) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = origin;
  ray.direction = direction;
  ray.filter.mask = studio->visible;
  return ray;
}

static bool is_blocked(const struct studio *studio, const struct surface *from, mo_vec3 direction,
                       float reach) {
  const float lift = 2e-3f; /* off the surface, so that it does not shade itself */
  mo_vec3 origin = vec3_add(from->point, vec3_scale(lift, from->normal));
  mo_ray_def ray = ray_through_scene(studio, origin, direction);
  ray.max_t = reach;
  bool blocked;
  check(mo_scene_test_ray(studio->scene, &ray, &blocked, NULL), "cast a shadow ray");
  return blocked;
}

static float distance_to_floor(const struct studio *studio, const struct sight *sight) {
  float t = (studio->middle.y - sight->origin.y) / sight->direction.y;
  return t > 0.0f && isfinite(t) ? t : INFINITY;
}

/* The floor darkens away from the middle of the studio. */
static mo_vec3 floor_color(const struct studio *studio, mo_vec3 point) {
  const mo_vec3 middle = {0.105f, 0.130f, 0.180f};
  const mo_vec3 far_away = {0.012f, 0.017f, 0.028f};
  float x = (point.x - studio->middle.x) / studio->radius;
  float z = (point.z - studio->middle.z) / studio->radius;
  return vec3_mix(far_away, middle, expf(-0.5f * (x * x + z * z)));
}

static struct surface first_surface(const struct studio *studio, const struct sight *sight) {
  mo_ray_def ray = ray_through_scene(studio, sight->origin, sight->direction);
  ray.max_t = distance_to_floor(studio, sight);
  mo_ray_hit hit;
  check(mo_scene_cast_ray(studio->scene, &ray, &hit, NULL), "cast a ray for a picture");
  if (hit.found) {
    bool seen_from_behind = vec3_dot(hit.normal, sight->direction) > 0.0f;
    return (struct surface){
        .point = hit.point,
        .normal = seen_from_behind ? vec3_scale(-1.0f, hit.normal) : hit.normal,
        .color = studio->colors[hit.user_data],
        .distance = hit.t,
    };
  }
  mo_vec3 point = vec3_add(sight->origin, vec3_scale(ray.max_t, sight->direction));
  return (struct surface){
      .point = point,
      .normal = vec3(0.0f, 1.0f, 0.0f),
      .color = floor_color(studio, point),
      .distance = ray.max_t,
  };
}

/* Two axes that make a right-angled frame with `axis`. */
static void complete_frame(mo_vec3 axis, mo_vec3 *a, mo_vec3 *b) {
  mo_vec3 other = fabsf(axis.y) < 0.9f ? vec3(0.0f, 1.0f, 0.0f) : vec3(1.0f, 0.0f, 0.0f);
  *a = vec3_normalize(vec3_cross(other, axis));
  *b = vec3_cross(axis, *a);
}

/* A direction near `axis`: its end is spread evenly over a disk across the axis. */
static mo_vec3 spread_around(mo_vec3 axis, float disk_radius, float axis_share,
                             const float choice[2]) {
  mo_vec3 a, b;
  complete_frame(axis, &a, &b);
  float radius = disk_radius * sqrtf(choice[0]);
  float angle = 6.2831853f * choice[1];
  mo_vec3 aside =
      vec3_add(vec3_scale(radius * cosf(angle), a), vec3_scale(radius * sinf(angle), b));
  return vec3_normalize(vec3_add(vec3_scale(axis_share, axis), aside));
}

static mo_vec3 light_from_sun(const struct studio *studio, const struct surface *surface,
                              const float choice[2]) {
  mo_vec3 direction = spread_around(sun_direction(), sun_softness, 1.0f, choice);
  float slant = vec3_dot(surface->normal, direction);
  if (slant <= 0.0f || is_blocked(studio, surface, direction, INFINITY)) {
    return vec3(0.0f, 0.0f, 0.0f);
  }
  return vec3_scale(slant, sun_light);
}

/* Directions are chosen in proportion to the cosine of their slant (Malley's method), so that each
 * weighs the same. What blocks the sky within reach returns a little of the surface's own colour.
 */
static mo_vec3 light_from_sky(const struct studio *studio, const struct surface *surface,
                              const float choice[2]) {
  const float reach = 9.0f;
  mo_vec3 direction = spread_around(surface->normal, 1.0f, sqrtf(1.0f - choice[0]), choice);
  return is_blocked(studio, surface, direction, reach) ? vec3_scale(0.12f, surface->color)
                                                       : sky_light(direction);
}

static mo_vec3 surface_light(const struct studio *studio, const struct surface *surface,
                             const struct sight *sight) {
  mo_vec3 incoming = vec3_add(light_from_sun(studio, surface, sight->sun),
                              light_from_sky(studio, surface, sight->sky));
  return vec3_scale(0.5f, vec3_mul(surface->color, incoming));
}

mo_aabb studio_no_glass(void) {
  const mo_vec3 nowhere = {INFINITY, INFINITY, INFINITY};
  return (mo_aabb){nowhere, nowhere};
}

mo_transform studio_pose(mo_aabb bounds, float size) {
  mo_vec3 sides = aabb_size(bounds);
  float scale = size / fmaxf(sides.x, fmaxf(sides.y, sides.z));
  mo_vec3 foot = aabb_center(bounds);
  foot.y = bounds.lower.y;
  mo_transform pose = mo_transform_identity();
  pose.x_axis.x = pose.y_axis.y = pose.z_axis.z = scale;
  pose.origin = vec3_scale(-scale, foot);
  return pose;
}

/* The part of a ray inside a box: from `*enter` to `*leave`, an empty range if they miss. */
static void cross_box(const struct sight *sight, mo_aabb box, float *enter, float *leave) {
  const float origin[3] = {sight->origin.x, sight->origin.y, sight->origin.z};
  const float direction[3] = {sight->direction.x, sight->direction.y, sight->direction.z};
  const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
  const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
  *enter = 0.0f;
  *leave = INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    float to_lower = (lower[axis] - origin[axis]) / direction[axis];
    float to_upper = (upper[axis] - origin[axis]) / direction[axis];
    *enter = fmaxf(*enter, fminf(to_lower, to_upper));
    *leave = fminf(*leave, fmaxf(to_lower, to_upper));
  }
}

/* Glass takes away a little light of every colour alike, so that colours are told apart inside it.
 */
static mo_vec3 through_glass(const struct studio *studio, const struct sight *sight, mo_vec3 light,
                             float distance) {
  const mo_vec3 absorption = {0.09f, 0.09f, 0.09f};
  const mo_vec3 sheen = {0.09f, 0.10f, 0.12f};
  float enter, leave;
  cross_box(sight, studio->glass, &enter, &leave);
  float inside = fminf(leave, distance) - enter;
  if (!(inside > 0.0f)) {
    return light;
  }
  mo_vec3 passed = vec3(expf(-absorption.x * inside), expf(-absorption.y * inside),
                        expf(-absorption.z * inside));
  return vec3_add(vec3_mul(passed, light), sheen);
}

mo_vec3 studio_light(const struct studio *studio, const struct sight *sight, float *distance) {
  struct surface surface = first_surface(studio, sight);
  mo_vec3 light = isinf(surface.distance) ? backdrop_light(sight->direction)
                                          : surface_light(studio, &surface, sight);
  *distance = surface.distance;
  return through_glass(studio, sight, light, surface.distance);
}
