/* Half-spaces: their images, heights above their planes, distances and depths, which are found by
 * the lowest point of the other body above the plane. */
#include "geometry/convex/difference.h"
#include "geometry/convex/penetration.h"
#include "geometry/triangle/expansion.h"
#include "math/check.h"

/* Tolerance of touching, relative to the terms of a height. */
static const double touching = 0x1p-46;

/* A product of three floats and its negative, as in a determinant. */
static void add_minor(mo_expansion *sum, float a, float b, float c, float d, float e) {
  mo_expansion_add_triple(sum, a, b, c);
  mo_expansion_add_triple(sum, -a, d, e);
}

/* Component `axis` of the normal mapped by the cofactor matrix, rounded once. The cofactor matrix
 * is the inverse transpose, which maps normals, times the determinant. */
static double carried(const mo_transform *map, mo_vec3 n, int axis) {
  const mo_vec3 columns[3] = {map->x_axis, map->y_axis, map->z_axis};
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  mo_expansion sum = {.count = 0};
  for (int i = 0; i < 3; ++i) {
    mo_vec3 p = columns[(i + 1) % 3], q = columns[(i + 2) % 3];
    add_minor(&sum, mo_get(n, i), mo_get(p, j), mo_get(q, k), mo_get(p, k), mo_get(q, j));
  }
  return mo_expansion_sign(&sum);
}

static double determinant(const mo_transform *map) {
  const mo_vec3 x = map->x_axis, y = map->y_axis, z = map->z_axis;
  mo_expansion sum = {.count = 0};
  add_minor(&sum, x.x, y.y, z.z, y.z, z.y);
  add_minor(&sum, x.y, y.z, z.x, y.x, z.z);
  add_minor(&sum, x.z, y.x, z.y, y.y, z.x);
  return mo_expansion_sign(&sum);
}

mo_result mo_half_space_check(const mo_half_space *half_space, const mo_refusal *refusal) {
  mo_vec3 n = half_space->normal;
  mo_result result = mo_check_finite(n, refusal, ".normal");
  if (result == MO_OK && n.x == 0.0f && n.y == 0.0f && n.z == 0.0f) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".normal is zero");
  }
  if (result == MO_OK && !isfinite(half_space->offset)) {
    result =
        mo_refuse_number(refusal, MO_ERROR_NOT_FINITE, ".offset", (double)half_space->offset, NULL);
  }
  return result;
}

mo_result mo_half_space_make(mo_half_space_body *made, const mo_half_space *half_space,
                             const mo_transform *map, const mo_refusal *refusal) {
  double volume = determinant(map);
  if (volume == 0.0) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                     ".transform has no inverse, as that of a half-space must");
  }
  mo_vec3 n = half_space->normal;
  mo_dvec3 normal = mo_dvec(carried(map, n, 0), carried(map, n, 1), carried(map, n, 2));
  double max = fmax(fabs(normal.x), fmax(fabs(normal.y), fabs(normal.z)));
  normal = mo_dvec(normal.x / max, normal.y / max, normal.z / max);
  double length = sqrt(mo_ddot(normal, normal)), back = volume < 0.0 ? -1.0 : 1.0;
  mo_half_space_body h = {
      .normal =
          mo_dvec(back * normal.x / length, back * normal.y / length, back * normal.z / length),
      .origin = mo_widen(map->origin),
      .offset = -(double)half_space->offset * (fabs(volume) / (max * length)),
  };
  mo_dvec3 foot = mo_dsub(h.origin, mo_dscale(h.offset, h.normal));
  if (!(fmax(fabs(foot.x), fmax(fabs(foot.y), fabs(foot.z))) <= (double)MO_MAX_COORDINATE)) {
    return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE,
                     ".transform takes it beyond MO_MAX_COORDINATE");
  }
  h.plane = (mo_plane){mo_narrow(mo_dscale(-1.0, h.normal)),
                       (float)(mo_ddot(h.normal, h.origin) - h.offset)};
  *made = h;
  return MO_OK;
}

double mo_half_space_noise(const mo_half_space_body *h, mo_vec3 reach) {
  return 0x1p-42 * (mo_sum_of_magnitudes(h->origin) + fabs(h->offset) +
                    mo_sum_of_magnitudes(mo_widen(reach))) +
         0x1p-140;
}

mo_aabb mo_half_space_bounds(const mo_half_space_body *h) {
  mo_aabb box = mo_aabb_of_space();
  const double *normal = &h->normal.x, *origin = &h->origin.x;
  float *lower = &box.lower.x, *upper = &box.upper.x;
  for (int axis = 0; axis < 3; ++axis) {
    if (normal[axis] == 1.0) {
      upper[axis] = mo_round_up(origin[axis] - h->offset);
    } else if (normal[axis] == -1.0) {
      lower[axis] = mo_round_down(origin[axis] + h->offset);
    }
  }
  return box;
}

mo_half_space_body mo_half_space_grown(const mo_half_space_body *h, double by) {
  mo_half_space_body grown = *h;
  grown.offset -= by;
  grown.plane.offset = (float)((double)grown.plane.offset + by);
  return grown;
}

/* The term of one axis in the height of a box's lowest corner; 0 for a zero component, as zero
 * times an infinite side would be NaN. */
static double lowest(double normal, double lower, double upper) {
  return normal != 0.0 ? normal * (normal > 0.0 ? lower : upper) : 0.0;
}

double mo_half_space_height_of_box(const mo_half_space_body *h, mo_aabb box) {
  mo_dvec3 lower = mo_dsub(mo_widen(box.lower), h->origin),
           upper = mo_dsub(mo_widen(box.upper), h->origin);
  return lowest(h->normal.x, lower.x, upper.x) + lowest(h->normal.y, lower.y, upper.y) +
         lowest(h->normal.z, lower.z, upper.z) + h->offset;
}

double mo_half_space_farthest(const mo_half_space_body *h, mo_aabb box) {
  mo_dvec3 n = h->normal;
  mo_dvec3 corner =
      mo_dvec(n.x > 0.0 ? box.upper.x : box.lower.x, n.y > 0.0 ? box.upper.y : box.lower.y,
              n.z > 0.0 ? box.upper.z : box.lower.z);
  return fmax(mo_half_space_height(h, corner), 0.0) + mo_half_space_noise(h, mo_aabb_reach(box));
}

bool mo_ray_half_space(const mo_ray_line *ray, const mo_half_space_body *h, float *t,
                       mo_vec3 *normal) {
  const double height = mo_half_space_height(h, mo_widen(ray->origin));
  const double speed = -mo_ddot(h->normal, mo_widen(ray->direction));
  const double crossing = height / speed, begin = (double)ray->min_t;
  bool inside = speed > 0.0 ? crossing <= begin : speed < 0.0 ? crossing >= begin : height <= 0.0;
  if (!inside && (!(speed > 0.0) || !(crossing <= (double)FLT_MAX))) {
    return false;
  }
  *t = inside ? 0.0f + ray->min_t : (float)crossing;
  if (normal != NULL) {
    *normal = inside ? mo_vec(0.0f, 0.0f, 0.0f) : mo_narrow(h->normal);
  }
  return *t <= ray->max_t;
}

/* The height of another body above the plane of a half-space. */
typedef struct stand {
  double height;  /* of its lowest point; -INFINITY if it is a half-space that no translation
                     separates */
  double noise;   /* heights up to this count as 0 */
  mo_dvec3 point; /* the lowest point; if there is none, a point that lies in both */
} stand;

static stand triangle_above(const mo_half_space_body *h, const mo_dvec3 corners[3]) {
  stand s = {.height = INFINITY};
  double scale = fabs(h->offset) + mo_sum_of_magnitudes(h->origin);
  for (int i = 0; i < 3; ++i) {
    double height = mo_half_space_height(h, corners[i]);
    scale = fmax(scale, mo_sum_of_magnitudes(corners[i]));
    if (height < s.height) {
      s.height = height;
      s.point = mo_dadd(corners[i], mo_dvec(0.0, 0.0, 0.0)); /* no -0 */
    }
  }
  s.noise = 0x1p-50 * scale;
  mo_dvec3 e = mo_dsub(corners[1], corners[0]), f = mo_dsub(corners[2], corners[0]);
  s.noise += touching * (mo_sum_of_magnitudes(e) + mo_sum_of_magnitudes(f) +
                         mo_sum_of_magnitudes(mo_dsub(s.point, h->origin)) + fabs(h->offset));
  return s;
}

static stand solid_above(const mo_half_space_body *h, const mo_body *body) {
  const mo_body here = mo_body_of_point(h->origin);
  mo_difference d = mo_difference_of(body, &here);
  mo_dvec3 out = mo_minkowski_support(&d.a, mo_dscale(-1.0, h->normal));
  stand s = {.height = mo_ddot(h->normal, mo_dadd(d.offset, out)) + h->offset,
             .point = mo_dadd(d.centers[0], out)};
  s.noise =
      touching * (mo_sum_of_magnitudes(d.offset) + mo_sum_of_magnitudes(out) + fabs(h->offset));
  return s;
}

static double clamped(double x) {
  return fmax(-(double)MO_MAX_COORDINATE, fmin(x, (double)MO_MAX_COORDINATE));
}

/* The height of a second half-space. Two half-spaces always have points in common, far out, unless
 * their normals are opposite.
 */
static stand half_space_above(const mo_half_space_body *h, const mo_half_space_body *other) {
  mo_dvec3 sum = mo_dadd(h->normal, other->normal), between = mo_dsub(other->origin, h->origin);
  mo_dvec3 middle = mo_dadd(h->origin, mo_dscale(0.5, between));
  double square = mo_ddot(sum, sum);
  if (square > MO_OPPOSITE * MO_OPPOSITE) {
    double above = fmax(mo_half_space_height(h, middle), mo_half_space_height(other, middle));
    mo_dvec3 p = mo_dsub(middle, mo_dscale(2.0 * fmax(above, 0.0) / square, sum));
    return (stand){.height = -INFINITY, .point = {clamped(p.x), clamped(p.y), clamped(p.z)}};
  }
  mo_dvec3 n =
      mo_dscale(0.5, mo_dsub(h->normal, other->normal)); /* the same if the two are exchanged */
  stand s = {.height = mo_ddot(n, between) + (h->offset + other->offset)};
  s.point = mo_dadd(middle, mo_dscale(-mo_half_space_height(other, middle), other->normal));
  s.noise = touching * (mo_sum_of_magnitudes(between) + fabs(h->offset) + fabs(other->offset));
  return s;
}

static stand stand_above(const mo_half_space_body *h, const mo_body *body) {
  switch (body->kind) {
    MO_CASES_OF_CONVEX
    return solid_above(h, body);
  case MO_BODY_TRIANGLE:
    return triangle_above(h, body->corners);
  case MO_BODY_HALF_SPACE:
    return half_space_above(h, &body->half_space);
  }
  __builtin_unreachable();
}

/* The half-space of two bodies, the first one of two. `other` receives the other body. */
static const mo_half_space_body *half_space_of(const mo_body *a, const mo_body *b,
                                               const mo_body **other) {
  const bool first = a->kind == MO_BODY_HALF_SPACE;
  *other = first ? b : a;
  return first ? &a->half_space : &b->half_space;
}

bool mo_half_space_within(const mo_body *a, const mo_body *b, double distance) {
  const mo_body *other;
  const mo_half_space_body *h = half_space_of(a, b, &other);
  const stand s = stand_above(h, other);
  return s.height <= distance + s.noise;
}

mo_convex_gap mo_half_space_distance(const mo_body *a, const mo_body *b) {
  const mo_body *other;
  const mo_half_space_body *h = half_space_of(a, b, &other);
  const bool first = other == b;
  const stand s = stand_above(h, other);
  if (s.height <= s.noise) {
    return (mo_convex_gap){.points = {s.point, s.point}};
  }
  mo_convex_gap gap = {
      .distance = s.height, .lower = s.height, .normal = mo_dscale(first ? 1.0 : -1.0, h->normal)};
  gap.points[first ? 0 : 1] = mo_dsub(s.point, mo_dscale(s.height, h->normal));
  gap.points[first ? 1 : 0] = s.point;
  return gap;
}

mo_convex_penetration mo_half_space_penetrate(const mo_body *a, const mo_body *b) {
  const mo_body *other;
  const mo_half_space_body *h = half_space_of(a, b, &other);
  const bool first = other == b;
  const stand s = stand_above(h, other);
  if (s.height == -INFINITY) {
    return (mo_convex_penetration){
        .depth = INFINITY, .lower = INFINITY, .points = {s.point, s.point}};
  }
  double depth = 0.0 + fmax(-s.height, 0.0);
  mo_convex_penetration p = {
      .depth = depth, .lower = depth, .normal = mo_dscale(first ? 1.0 : -1.0, h->normal)};
  p.points[first ? 0 : 1] = mo_dadd(s.point, mo_dscale(depth, h->normal));
  p.points[first ? 1 : 0] = s.point;
  return p;
}
