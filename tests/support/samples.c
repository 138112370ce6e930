/* Random questions; see samples.h. */
#include "support/samples.h"

#include <float.h>
#include <math.h>

#include "math/vector.h"
#include "support/steady.h"

static mo_vec3 add(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static mo_vec3 sub(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static mo_vec3 times(float s, mo_vec3 a) {
  return (mo_vec3){s * a.x, s * a.y, s * a.z};
}

static mo_vec3 lerp(mo_vec3 a, mo_vec3 b, float s) {
  return add(a, times(s, sub(b, a)));
}

static void set(mo_vec3 *v, uint32_t axis, float value) {
  *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

static float get(mo_vec3 v, uint32_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static float widest(mo_aabb box) {
  mo_vec3 size = sub(box.upper, box.lower);
  return fmaxf(size.x, fmaxf(size.y, size.z));
}

static float clamp(float x) {
  return fmaxf(-MO_MAX_COORDINATE, fminf(MO_MAX_COORDINATE, x));
}

static mo_vec3 clamped(mo_vec3 v) {
  return (mo_vec3){clamp(v.x), clamp(v.y), clamp(v.z)};
}

const char *sample_ray_kind_name(sample_ray_kind kind) {
  static const char *const names[] = {
#define SAMPLE_RAY_NAME(name, text) text,
      SAMPLE_RAY_KINDS(SAMPLE_RAY_NAME)
#undef SAMPLE_RAY_NAME
  };
  return names[kind];
}

void sample_other_triangle(sample_target *target, const test_mesh *mesh, rng *r) {
  if (mesh->triangle_count > 0) {
    test_mesh_corners(mesh, rng_below(r, mesh->triangle_count), target->corners);
    return;
  }
  for (int i = 0; i < 3; i++) {
    target->corners[i] = rng_vec3(r, -1, 1);
  }
}

sample_target sample_target_of_mesh(const test_mesh *mesh, rng *r) {
  sample_target target = {.bounds = {{-1, -1, -1}, {1, 1, 1}}};
  if (mesh->triangle_count > 0) {
    target.bounds = test_mesh_bounds(mesh);
  }
  sample_other_triangle(&target, mesh, r);
  return target;
}

static mo_vec3 on_edge(rng *r, const sample_target *target) {
  uint32_t i = rng_below(r, 3);
  float share = rng_below(r, 2) ? 0.5f : rng_float(r, 0, 1);
  return lerp(target->corners[i], target->corners[(i + 1) % 3], share);
}

static mo_vec3 on_triangle(rng *r, const sample_target *target) {
  mo_vec3 p = lerp(target->corners[0], target->corners[1], rng_float(r, 0, 1));
  return lerp(p, target->corners[2], rng_float(r, 0, 1));
}

/* A point around the region, mostly outside of it. */
static mo_vec3 around(rng *r, const sample_target *target) {
  mo_vec3 center = times(0.5f, add(target->bounds.lower, target->bounds.upper));
  float reach = widest(target->bounds) * rng_float(r, 0.6f, 2);
  /* A region without extent still needs points around it. */
  return add(center, times(reach > 0 ? reach : 1, rng_direction(r)));
}

/* The component largest in magnitude becomes the only one, if `direction` has become zero. */
static mo_vec3 not_zero(rng *r, mo_vec3 direction) {
  return direction.x != 0 || direction.y != 0 || direction.z != 0 ? direction : rng_direction(r);
}

static mo_ray_def ray_to(rng *r, mo_vec3 from, mo_vec3 to) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = clamped(from);
  ray.direction = not_zero(r, sub(to, ray.origin));
  return ray;
}

static mo_ray_def ray_along_axis(rng *r, const sample_target *target, mo_vec3 to) {
  uint32_t axis = rng_below(r, 3);
  mo_ray_def ray = mo_default_ray_def();
  float sign = rng_below(r, 2) ? 1.0f : -1.0f;
  ray.origin = to;
  if (rng_below(r, 4)) {
    set(&ray.origin, axis, get(to, axis) - sign * 1.5f * widest(target->bounds));
  }
  ray.origin = clamped(ray.origin);
  for (uint32_t i = 0; i < 3; i++) {
    set(&ray.direction, i, rng_below(r, 2) ? 0.0f : -0.0f);
  }
  set(&ray.direction, axis, sign * (rng_below(r, 2) ? 1.0f : 0.37f));
  return ray;
}

/* A number that arithmetic stumbles over, of either sign. */
static float ugly(rng *r) {
  static const float numbers[] = {0, 0, FLT_TRUE_MIN, FLT_MIN, 1e-30f, 1, 1, 1e10f, 1e30f};
  float x = numbers[rng_below(r, sizeof numbers / sizeof *numbers)];
  x *= rng_below(r, 2) ? 1 : rng_float(r, 0.1f, 1);
  return rng_below(r, 2) ? x : -x;
}

/* From a point of the triangle or around the region, some coordinates replaced by ugly numbers, in
 * any direction. */
static mo_ray_def ugly_ray(rng *r, const sample_target *target) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = rng_below(r, 2) ? on_triangle(r, target) : around(r, target);
  if (rng_below(r, 4) == 0) {
    float x = ugly(r);
    set(&ray.origin, rng_below(r, 3), x);
  }
  ray.origin = clamped(ray.origin);
  if (rng_below(r, 2)) {
    /* Towards the triangle, but for a component. */
    float x = ugly(r);
    ray.direction = sub(on_triangle(r, target), ray.origin);
    set(&ray.direction, rng_below(r, 3), x);
  } else {
    ray.direction.x = ugly(r);
    ray.direction.y = ugly(r);
    ray.direction.z = ugly(r);
  }
  ray.direction = not_zero(r, ray.direction);
  return ray;
}

mo_ray_def sample_ray(rng *r, sample_ray_kind kind, const sample_target *target) {
  mo_vec3 outside = around(r, target), inside = rng_point_in(r, target->bounds);
  const mo_vec3 *corner = &target->corners[rng_below(r, 3)];
  const mo_vec3 *other = &target->corners[rng_below(r, 3)];
  mo_ray_def ray;
  switch (kind) {
  case SAMPLE_RAY_THROUGH:
    return ray_to(r, outside, inside);
  case SAMPLE_RAY_INSIDE:
    return ray_to(r, inside, outside);
  case SAMPLE_RAY_SURFACE:
    return ray_to(r, outside, on_triangle(r, target));
  case SAMPLE_RAY_AXIS:
    return ray_along_axis(r, target, on_triangle(r, target));
  case SAMPLE_RAY_AXIS_VERTEX:
    return ray_along_axis(r, target, *corner);
  case SAMPLE_RAY_IN_PLANE: {
    mo_vec3 p = on_triangle(r, target), q = on_edge(r, target);
    return ray_to(r, lerp(p, q, rng_float(r, -3, 3)), p);
  }
  case SAMPLE_RAY_ALONG_EDGE:
    return ray_to(r, lerp(*corner, *other, rng_float(r, -2, 0)), *other);
  case SAMPLE_RAY_AT_VERTEX:
    return ray_to(r, rng_below(r, 2) ? outside : inside, *corner);
  case SAMPLE_RAY_AT_EDGE: {
    mo_vec3 to = on_edge(r, target);
    return ray_to(r, rng_below(r, 2) ? outside : inside, to);
  }
  case SAMPLE_RAY_FROM_VERTEX:
    return ray_to(r, *corner, rng_below(r, 2) ? outside : inside);
  case SAMPLE_RAY_FROM_SURFACE: {
    mo_vec3 from = on_triangle(r, target);
    return ray_to(r, from, rng_below(r, 2) ? outside : inside);
  }
  case SAMPLE_RAY_FAR: {
    float reach = 1e6f * fmaxf(widest(target->bounds), FLT_MIN);
    mo_vec3 from = add(inside, times(fminf(reach, MO_MAX_COORDINATE), rng_direction(r)));
    return ray_to(r, from, rng_below(r, 2) ? inside : on_triangle(r, target));
  }
  case SAMPLE_RAY_DENORMAL: {
    ray = ray_along_axis(r, target, on_triangle(r, target));
    uint32_t axis = rng_below(r, 3);
    if (get(ray.direction, axis) == 0) {
      set(&ray.direction, axis, rng_float(r, -1, 1) * FLT_MIN);
    }
    if (rng_below(r, 8) == 0) {
      ray.direction = times(FLT_MIN, rng_direction(r));
      ray.direction = not_zero(r, ray.direction);
    }
    return ray;
  }
  case SAMPLE_RAY_ONE_ZERO:
    ray = ray_to(r, outside, on_triangle(r, target));
    if (rng_below(r, 2)) {
      set(&ray.direction, rng_below(r, 3), 0.0f);
    } else {
      set(&ray.direction, rng_below(r, 3), -0.0f);
    }
    ray.direction = not_zero(r, ray.direction);
    return ray;
  case SAMPLE_RAY_SHORT_DIRECTION:
    ray = ray_to(r, outside, inside);
    ray.direction = not_zero(r, times(1e-20f, ray.direction));
    return ray;
  case SAMPLE_RAY_LONG_DIRECTION:
    ray = ray_to(r, outside, inside);
    ray.direction = clamped(times(1e20f, ray.direction));
    return ray;
  case SAMPLE_RAY_SEGMENT: {
    mo_vec3 to = rng_below(r, 2) ? *corner : inside;
    return mo_segment_def(rng_below(r, 2) ? clamped(outside) : rng_point_in(r, target->bounds), to);
  }
  case SAMPLE_RAY_POINT: {
    mo_vec3 at = rng_below(r, 2) ? *corner : clamped(inside);
    return mo_segment_def(at, at);
  }
  case SAMPLE_RAY_UGLY:
    return ugly_ray(r, target);
  default: {
    mo_vec3 at = target->bounds.lower;
    for (uint32_t i = 0; i < 3; i++) {
      set(&at, i, get(rng_below(r, 2) ? target->bounds.lower : target->bounds.upper, i));
    }
    return ray_to(r, outside, at);
  }
  }
}

mo_ray_def sample_any_ray(rng *r, const sample_target *target) {
  mo_ray_def ray = sample_ray(r, (sample_ray_kind)rng_below(r, SAMPLE_RAY_KIND_COUNT), target);
  ray.cull_back_faces = rng_below(r, 4) == 0;
  if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0) {
    return ray; /* a segment of equal ends is legal only as it is */
  }
  switch (rng_below(r, 8)) {
  case 0:
    ray.max_t = rng_float(r, 0, 1.5f);
    break;
  case 1:
    ray.min_t = rng_float(r, 0, 1);
    break;
  case 2:
    ray.min_t = rng_float(r, 0, 1);
    ray.max_t = ray.min_t + rng_float(r, 0, 0.5f);
    break;
  case 3:
    ray.max_t = rng_below(r, 2) ? 0 : 1;
    break;
  default:
    break;
  }
  return ray;
}

void sample_bad_ray(uint32_t i, mo_ray_def *ray, mo_result *expected) {
  static const float bad_number[] = {NAN, INFINITY, -INFINITY};
  *expected = MO_ERROR_NOT_FINITE;
  if (i < 9) {
    ((float *)&ray->origin)[i % 3] = bad_number[i / 3];
  } else if (i < 18) {
    ((float *)&ray->direction)[i % 3] = bad_number[(i - 9) / 3];
  } else if (i < 24) {
    ((float *)&ray->origin)[i % 3] = i < 21 ? 1.1e30f : -1.1e30f;
    *expected = MO_ERROR_OUT_OF_RANGE;
  } else if (i == 24) {
    ray->min_t = NAN;
  } else if (i == 25) {
    ray->max_t = NAN;
  } else if (i == 26) {
    ray->min_t = INFINITY;
  } else if (i == 27) {
    ray->min_t = -1;
    *expected = MO_ERROR_INVALID_ARGUMENT;
  } else {
    ray->direction = (mo_vec3){0, 0, 0};
    *expected = MO_ERROR_INVALID_ARGUMENT;
  }
}

mo_ray_def sample_aimed_ray(int i, const sample_target *target, rng *r) {
  if (i % 2) {
    return sample_any_ray(r, target);
  }
  mo_vec3 at = target->corners[rng_below(r, 3)], off = rng_vec3(r, -3, 3);
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = add(at, off);
  ray.direction = sub(at, ray.origin);
  if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0) {
    ray.direction = rng_direction(r);
  }
  return ray;
}

/* Half the width of a region of interest: from nothing to all. */
static float some_size(rng *r, const sample_target *target) {
  float all = widest(target->bounds);
  return rng_below(r, 8) == 0 ? 0.0f : all * steady_power10(rng_float(r, -5, 0));
}

mo_aabb sample_box(rng *r, const sample_target *target) {
  mo_vec3 c = rng_below(r, 3) ? on_triangle(r, target) : around(r, target);
  mo_vec3 h;
  h.x = some_size(r, target);
  h.y = some_size(r, target);
  h.z = some_size(r, target);
  if (rng_below(r, 2)) {
    h.y = h.z = h.x;
  }
  mo_aabb box = {clamped(sub(c, h)), clamped(add(c, h))};
  if (rng_below(r, 4) == 0) {
    /* One face exactly on a corner. */
    uint32_t axis = rng_below(r, 3);
    float at = get(target->corners[rng_below(r, 3)], axis);
    if (rng_below(r, 2) && at <= get(box.upper, axis)) {
      set(&box.lower, axis, at);
    } else if (at >= get(box.lower, axis)) {
      set(&box.upper, axis, at);
    }
  }
  return box;
}

mo_sphere sample_sphere(rng *r, const sample_target *target) {
  mo_vec3 c = clamped(rng_below(r, 3) ? on_triangle(r, target) : around(r, target));
  mo_sphere sphere = {c, some_size(r, target)};
  if (rng_below(r, 4) == 0) {
    mo_vec3 p = target->corners[rng_below(r, 3)];
    double x = (double)p.x - c.x, y = (double)p.y - c.y, z = (double)p.z - c.z;
    sphere.radius = (float)sqrt(x * x + y * y + z * z);
  }
  sphere.radius = fminf(sphere.radius, MO_MAX_COORDINATE);
  return sphere;
}

mo_vec3 sample_point(rng *r, const sample_target *target) {
  switch (rng_below(r, 8)) {
  case 0:
    return target->corners[rng_below(r, 3)];
  case 1:
    return clamped(on_edge(r, target));
  case 2:
    return clamped(on_triangle(r, target));
  case 3: { /* the same height and depth as a corner: a ray along x meets it */
    mo_vec3 p = target->corners[rng_below(r, 3)];
    p.x = rng_float(r, target->bounds.lower.x, target->bounds.upper.x);
    return p;
  }
  case 4: {
    mo_vec3 p = on_edge(r, target);
    p.x = rng_float(r, target->bounds.lower.x, target->bounds.upper.x);
    return clamped(p);
  }
  case 5:
    return clamped(around(r, target));
  default:
    return rng_point_in(r, target->bounds);
  }
}

uint32_t sample_planes(rng *r, const sample_target *target, mo_plane planes[8]) {
  uint32_t count = rng_below(r, 9);
  mo_vec3 center = rng_below(r, 2) ? rng_point_in(r, target->bounds) : on_triangle(r, target);
  float size = widest(target->bounds);
  for (uint32_t i = 0; i < count; i++) {
    mo_vec3 n = rng_direction(r);
    if (rng_below(r, 4) == 0) {
      n = (mo_vec3){0, 0, 0};
      float sign = rng_below(r, 2) ? 1.0f : -1.0f;
      set(&n, rng_below(r, 3), sign);
    }
    mo_vec3 p = rng_below(r, 4) == 0 ? target->corners[rng_below(r, 3)]
                                     : sub(center, times(size * rng_float(r, 0, 0.5f), n));
    double offset = -((double)n.x * p.x + (double)n.y * p.y + (double)n.z * p.z);
    float length = rng_below(r, 2) ? 1 : rng_float(r, 0.1f, 10);
    planes[i] = (mo_plane){times(length, n), clamp((float)(length * offset))};
  }
  return count;
}

mo_primitive sample_half_space(rng *r, const sample_target *target) {
  const mo_vec3 *c = target->corners;
  mo_vec3 point = sample_point(r, target), normal = rng_direction(r);
  if (rng_chance(r, 0.3)) {
    normal = mo_vec(0, 0, 0);
    *(rng_chance(r, 0.5) ? &normal.x : &normal.z) = rng_chance(r, 0.5) ? 2 : -1;
  } else if (rng_chance(r, 0.3)) {
    mo_vec3 across = mo_cross(mo_sub(c[1], c[0]), mo_sub(c[2], c[0]));
    normal = mo_max_magnitude(across) > 0 && mo_max_magnitude(across) < INFINITY ? across : normal;
    point = c[0];
  }
  mo_primitive p = mo_primitive_of_half_space(normal, mo_dot(normal, point));
  if (rng_chance(r, 0.6) || !isfinite(p.half_space.offset)) {
    p.transform = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_TRANSFORM_KINDS), 2);
    p.transform.origin = point;
    p.half_space.offset = rng_chance(r, 0.5) ? 0 : rng_float(r, -1, 1);
  }
  bool overlap;
  if (mo_primitive_overlap(&p, &p, &overlap) != MO_OK) { /* flat, or out of range */
    p = mo_primitive_of_half_space(normal, 0);
    p.transform.origin = point;
  }
  return p;
}
