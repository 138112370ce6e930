/* The truth about a ray by a loop over all triangles in double precision.
 *
 * Engines work in single precision, and are free in how. So each triangle is judged twice: does the
 * ray hit it for sure, well inside its edges, and could it be said to hit it at all. The closest of
 * the former bounds the answer from above, the closest of the latter from below. Distances of the
 * ray from the edges are measured between the two lines, which is well conditioned even for a
 * triangle seen edge-on. */
#include <float.h>
#include <math.h>

#include "rays.h"

/* Rounding that an engine may have made, in units of a float's last place of the lengths involved.
 */
#define ROUNDING (32.0 * FLT_EPSILON)

typedef struct vec {
  double x, y, z;
} vec;

static vec widen(mo_vec3 v) {
  return (vec){v.x, v.y, v.z};
}

static vec sub(vec a, vec b) {
  return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(vec a, vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length(vec v) {
  return sqrt(dot(v, v));
}

/* On which side of an edge the ray passes, as a signed distance of the two lines. Near 0 where the
 * edge is parallel to the ray. Ends are relative to the ray's origin. */
static double side(vec direction, vec p, vec q) {
  vec edge = sub(q, p);
  double area = length(cross(edge, direction));
  return area > 1e-9 * length(edge) ? dot(direction, cross(p, q)) / area : 0;
}

/* One triangle's word on the truth. Corners are relative to the ray's origin. */
static bench_truth judge(vec direction, double max_t, double scale, vec a, vec b, vec c) {
  bench_truth none = {INFINITY, INFINITY};
  double margin = ROUNDING * scale;
  double sides[3] = {side(direction, a, b), side(direction, b, c), side(direction, c, a)};
  double min = fmin(sides[0], fmin(sides[1], sides[2]));
  double max = fmax(sides[0], fmax(sides[1], sides[2]));
  if (min < -margin && max > margin) {
    return none;
  }
  double ta = dot(a, direction), tb = dot(b, direction), tc = dot(c, direction);
  double nearest = fmin(ta, fmin(tb, tc)) - margin, farthest = fmax(ta, fmax(tb, tc)) + margin;
  if (farthest < 0 || nearest > max_t) {
    return none;
  }
  vec normal = cross(sub(b, a), sub(c, a));
  double area = length(normal), facing = dot(normal, direction);
  if (area == 0) {
    return none;
  }
  double t = dot(normal, a) / facing;
  double doubt = margin * area / fabs(facing); /* infinite, or not a number, if seen edge-on */
  if (!isfinite(t) || !isfinite(doubt)) {
    return (bench_truth){(float)fmax(nearest, 0), INFINITY};
  }
  double low = fmax(t - doubt, nearest), high = fmin(t + doubt, farthest);
  if (high < 0 || low > max_t) {
    return none;
  }
  bool inside = min > margin || max < -margin;
  bool in_range = low >= 0 && high <= max_t;
  return (bench_truth){(float)low, inside && in_range ? (float)high : INFINITY};
}

/* Where a corner lies seen from the ray's origin. */
static vec place(const mo_transform *transform, mo_vec3 corner, vec origin) {
  vec p = widen(corner);
  if (transform != NULL) {
    vec x = widen(transform->x_axis), y = widen(transform->y_axis), z = widen(transform->z_axis);
    p = (vec){transform->origin.x + x.x * p.x + y.x * p.y + z.x * p.z,
              transform->origin.y + x.y * p.x + y.y * p.y + z.y * p.z,
              transform->origin.z + x.z * p.x + y.z * p.y + z.z * p.z};
  }
  return sub(p, origin);
}

bench_truth bench_find_truth(const bench_mesh *mesh, const mo_transform *transform,
                             const bench_ray *ray) {
  vec origin = widen(ray->origin), direction = widen(ray->direction);
  double scale = 0;
  for (int i = 0; i < 8; i++) {
    mo_vec3 corner = {i & 1 ? mesh->bounds.lower.x : mesh->bounds.upper.x,
                      i & 2 ? mesh->bounds.lower.y : mesh->bounds.upper.y,
                      i & 4 ? mesh->bounds.lower.z : mesh->bounds.upper.z};
    scale = fmax(scale, length(place(transform, corner, origin)));
  }
  bench_truth truth = {INFINITY, INFINITY};
  for (uint32_t i = 0; i < mesh->triangles.triangle_count; i++) {
    mo_vec3 corner[3];
    bench_mesh_corners(mesh, i, corner);
    vec a = place(transform, corner[0], origin), b = place(transform, corner[1], origin),
        c = place(transform, corner[2], origin);
    bench_truth word = judge(direction, ray->max_t, scale, a, b, c);
    truth.lower = fminf(truth.lower, word.lower);
    truth.upper = fminf(truth.upper, word.upper);
  }
  return truth;
}

bool bench_truth_allows(bench_truth truth, const bench_ray *ray, bench_mode mode, bench_hit hit) {
  if (hit.t == INFINITY) {
    return truth.upper == INFINITY;
  }
  if (mode == BENCH_ANY) {
    return truth.lower <= ray->max_t;
  }
  return hit.t <= ray->max_t && hit.t >= truth.lower && hit.t <= truth.upper;
}

bool bench_surface_fits(const bench_mesh *mesh, const bench_ray *ray, bench_hit hit,
                        const bench_surface *surface) {
  mo_vec3 corner[3];
  bench_mesh_corners(mesh, hit.triangle, corner);
  vec a = widen(corner[0]), ab = sub(widen(corner[1]), a), ac = sub(widen(corner[2]), a);
  vec origin = widen(ray->origin), direction = widen(ray->direction);
  double u = surface->weights[0], v = surface->weights[1], t = hit.t;
  vec apart = {a.x + u * ab.x + v * ac.x - (origin.x + t * direction.x),
               a.y + u * ab.y + v * ac.y - (origin.y + t * direction.y),
               a.z + u * ab.z + v * ac.z - (origin.z + t * direction.z)};
  double scale = length(sub(widen(mesh->bounds.upper), widen(mesh->bounds.lower)));
  vec given = widen(surface->normal), normal = cross(ab, ac);
  return length(apart) <= 1e-4 * scale &&
         dot(given, normal) >= 0.999 * length(given) * length(normal);
}
