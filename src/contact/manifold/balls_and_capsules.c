/* Manifolds of balls with balls, capsules and boxes, and of two capsules, from the closest points
 * of their centres, axes or sides, where these points are unique. */
#include "contact/manifold/balls_and_capsules.h"

#include "base/assert.h"
#include "contact/body/limits.h"
#include "contact/manifold/points.h"
#include "contact/normal/segments.h"

/* A ball, a capsule, or a box with a volume. */
typedef struct shape {
  bool is_box;
  mo_contact_line line; /* the axis of a capsule; of a ball or box only its centre is set */
  double ball_radius;   /* radius of a ball or capsule; 0 for a box */
  mo_dvec3 axis[3];     /* half axes of a box */
  double length[3];     /* the lengths of `axis` */
  double size;          /* as mo_contact_body::size */
} shape;

/* Returns false if the primitive is not a ball, a capsule or a box with a volume. */
static bool set_shape(shape *s, const mo_placed_solid *from, mo_dvec3 origin) {
  const mo_transform *map = from->map;
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)};
  const double half[3] = {from->solid->b.x, from->solid->b.y, from->solid->b.z};
  s->is_box = from->solid->kind == MO_SOLID_BOX;
  const bool is_capsule = from->solid->kind == MO_SOLID_CAPSULE;
  const mo_dvec3 center = is_capsule ? mo_solid_center(from->solid) : from->solid->a;
  s->line.center = mo_dadd(origin, mo_map_columns(column, center));
  s->line.half = mo_dvec(0.0, 0.0, 0.0);
  s->size = 0.0;
  if (!s->is_box) {
    double scale;
    if (is_capsule) {
      s->line.half = mo_map_columns(column, mo_half_axis(from->solid));
      s->size = mo_dlength(s->line.half);
    }
    bool is_ball = mo_contact_map_keeps_angles(column, &scale) && from->solid->radius > 0.0;
    s->ball_radius = scale * from->solid->radius;
    return is_ball;
  }
  s->ball_radius = 0.0;
  bool is_flat = false;
  for (int i = 0; i < 3; i++) {
    s->axis[i] = mo_dscale(half[i], column[i]);
    s->length[i] = mo_dlength(s->axis[i]);
    s->size += s->length[i];
    is_flat = is_flat || !(s->length[i] > 0.0);
  }
  return !is_flat;
}

/* The id of the feature that supports a shape along a unit vector, as by mo_contact_supporting_id.
 */
static uint32_t supporting_feature_id(const shape *s, mo_dvec3 n) {
  if (!s->is_box && s->size == 0.0) {
    return mo_feature_id(MO_FEATURE_VERTEX, 0);
  }
  if (!s->is_box) {
    const mo_dvec3 rounding = mo_dscale(s->ball_radius, n);
    const double first = mo_ddot(mo_dadd(mo_dsub(s->line.center, s->line.half), rounding), n),
                 last = mo_ddot(mo_dadd(mo_dadd(s->line.center, s->line.half), rounding), n);
    const bool is_level = fabs(last - first) <= MO_SAME_HEIGHT_TOLERANCE * s->size;
    return is_level ? mo_feature_id(MO_FEATURE_EDGE, 0)
                    : mo_feature_id(MO_FEATURE_VERTEX, last > first);
  }
  const double tolerance = MO_SAME_HEIGHT_TOLERANCE * s->size;
  double along[3], max = -1.0;
  /* `bits`: vertex id of the support corner of the box; `face`: axis of the side whose normal is
   * closest to n */
  uint32_t bits = 0, face = 0;
  for (uint32_t i = 0; i < 3; i++) {
    along[i] = mo_ddot(s->axis[i], n);
    bits |= (uint32_t)(along[i] >= 0.0) << i;
    double aligned = fabs(along[i]) / s->length[i];
    face = aligned > max ? i : face;
    max = aligned > max ? aligned : max;
  }
  const uint32_t u = (face + 1) % 3, v = (face + 2) % 3;
  const bool level_u = 2.0 * fabs(along[u]) <= tolerance,
             level_v = 2.0 * fabs(along[v]) <= tolerance;
  if (level_u && level_v) {
    return mo_feature_id(MO_FEATURE_FACE, face * 2 + (bits >> face & 1));
  }
  if (level_u || level_v) {
    uint32_t edge = level_u ? u : v;
    return mo_feature_id(MO_FEATURE_EDGE, edge * 8 + (bits & ~(1u << edge)));
  }
  return mo_feature_id(MO_FEATURE_VERTEX, bits);
}

/* Finds the closest points of the centres, axes or boxes. Returns false where there is no closed
 * form. */
static bool find_closest_points(const shape s[2], mo_dvec3 points[2]) {
  if (s[0].is_box && s[1].is_box) {
    return false;
  }
  points[0] = s[0].line.center;
  points[1] = s[1].line.center;
  if (!s[0].is_box && !s[1].is_box && s[0].size == 0.0 && s[1].size == 0.0) {
    return true;
  }
  if (!s[0].is_box && !s[1].is_box) {
    mo_contact_closest_of_lines(s[0].line, s[1].line, points);
    return true;
  }
  const int box = s[0].is_box ? 0 : 1;
  const mo_dvec3 offset = mo_dsub(points[1 - box], points[box]);
  mo_dvec3 on;
  if (s[1 - box].size > 0.0 || !mo_contact_closest_of_box(s[box].axis, offset, &on)) {
    return false;
  }
  points[box] = mo_dadd(on, points[box]);
  return true;
}

/* Whether two capsules may be parallel as seen along n, so that they have two contact points. */
static bool may_be_parallel_capsules(const shape s[2], mo_dvec3 n) {
  if (!(s[0].size > 0.0 && s[1].size > 0.0) || s[0].is_box || s[1].is_box) {
    return false;
  }
  const mo_dvec3 d = s[0].line.half, e = s[1].line.half;
  const double dd = mo_ddot(d, d), ee = mo_ddot(e, e), dn = mo_ddot(d, n), en = mo_ddot(e, n),
               cross = mo_ddot(n, mo_dcross(d, e)),
               enough = MO_PARALLEL_LINES_SINE * (1.0 + 0x1p-20), error_bound = 0x1p-40;
  return cross * cross <=
         enough * enough * (dd - dn * dn + error_bound * dd) * (ee - en * en + error_bound * ee);
}

bool mo_manifold_of_balls_and_capsules(const mo_placed_solid solids[2], double max,
                                       mo_manifold *manifold) {
  const mo_dvec3 none = {0.0, 0.0, 0.0}, origin_a = mo_widen(solids[0].map->origin),
                 origin_b = mo_dsub(mo_widen(solids[1].map->origin), origin_a);
  shape s[2];
  mo_dvec3 points[2];
  if (!set_shape(&s[0], &solids[0], none) || !set_shape(&s[1], &solids[1], origin_b) ||
      !find_closest_points(s, points)) {
    return false;
  }
  const double size = s[0].size + s[1].size;
  const mo_dvec3 between = mo_dsub(points[1], points[0]);
  const double distance = mo_dlength(between),
               separation = distance - s[0].ball_radius - s[1].ball_radius;
  if (!(distance > MO_ACCURATE_NORMAL_DISTANCE * size)) {
    return false;
  }
  if (separation > max + MO_TOUCHING_GAP * size) {
    *manifold = (mo_manifold){.touching = false};
    return true;
  }
  const mo_dvec3 normal = mo_dunit(between);
  MO_ASSERT(mo_is_unit(normal));
  if (may_be_parallel_capsules(s, normal)) {
    return false;
  }
  mo_dvec3 p = mo_dadd(points[0], mo_dscale(s[0].ball_radius, normal)),
           q = mo_dsub(points[1], mo_dscale(s[1].ball_radius, normal));
  const mo_candidate point = {
      .position = mo_dscale(0.5, mo_dadd(p, q)),
      .separation = separation,
      .id = mo_contact_id(supporting_feature_id(&s[0], normal),
                          supporting_feature_id(&s[1], mo_dscale(-1.0, normal))),
  };
  const mo_candidate *const one = &point;
  mo_manifold_set(manifold, &(mo_point_frame){origin_a, none, origin_b}, normal, &one, 1);
  return true;
}
