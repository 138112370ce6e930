/* Manifolds of balls with balls, capsules and boxes, and of two capsules, from the closest points
 * of their centres, axes or sides, where these points are unique. */
#include "contact/manifold/balls_and_capsules.h"

#include "base/assert.h"
#include "contact/body/limits.h"
#include "contact/manifold/points.h"
#include "contact/normal/segments.h"

bool mo_contact_ball_set(mo_contact_ball *ball, const mo_placed_solid *from) {
  const mo_transform *map = from->map;
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)};
  const bool is_capsule = from->solid->kind == MO_SOLID_CAPSULE;
  const mo_dvec3 center = is_capsule ? mo_solid_center(from->solid) : from->solid->a;
  ball->origin = mo_widen(map->origin);
  ball->center = mo_map_columns(column, center);
  ball->half = is_capsule ? mo_map_columns(column, mo_half_axis(from->solid)) : (mo_dvec3){0};
  ball->length = is_capsule ? mo_dlength(ball->half) : 0.0;
  double scale;
  const bool is_round = mo_contact_map_keeps_angles(column, &scale);
  ball->radius = scale * from->solid->radius;
  return is_round && from->solid->radius > 0.0;
}

/* The closest points of two shapes without their roundings: of centres, axes or boxes. */
typedef struct gap {
  mo_dvec3 origin_a; /* of the first shape, world; all else is relative to it */
  mo_dvec3 origin_b;
  mo_dvec3 points[2];
  double radius[2]; /* of the rounding of each shape */
  double size;      /* of both shapes */
  double distance;  /* between the points */
  double separation;
  mo_dvec3 normal;
} gap;

/* Sets `distance` and `separation`. Returns false if the points are too close for a normal. */
static bool measure(gap *g) {
  g->normal = mo_dsub(g->points[1], g->points[0]);
  g->distance = mo_dlength(g->normal);
  g->separation = g->distance - g->radius[0] - g->radius[1];
  return g->distance > MO_ACCURATE_NORMAL_DISTANCE * g->size;
}

static bool is_within(const gap *g, double max) {
  return !(g->separation > max + MO_TOUCHING_GAP * g->size);
}

static void set_normal(gap *g) {
  g->normal = mo_dscale(1.0 / g->distance, g->normal);
  MO_ASSERT(mo_is_unit(g->normal));
}

/* Writes a manifold with one point. `ids`: of the features of both shapes that support them there.
 */
static void write_manifold(const gap *g, const uint32_t ids[2], mo_manifold *manifold) {
  const mo_dvec3 none = {0.0, 0.0, 0.0},
                 p = mo_dadd(g->points[0], mo_dscale(g->radius[0], g->normal)),
                 q = mo_dsub(g->points[1], mo_dscale(g->radius[1], g->normal));
  const mo_candidate point = {.position = mo_dscale(0.5, mo_dadd(p, q)),
                              .separation = g->separation,
                              .id = mo_contact_id(ids[0], ids[1])};
  const mo_candidate *const one = &point;
  mo_manifold_set(manifold, &(mo_point_frame){g->origin_a, none, g->origin_b}, g->normal, &one, 1);
}

/* The id of the feature that supports a ball or capsule along a unit vector, as by
 * mo_contact_supporting_id. `center`: relative to the origin of the first shape. */
static uint32_t feature_of_ball(const mo_contact_ball *ball, mo_dvec3 center, mo_dvec3 n) {
  if (ball->length == 0.0) {
    return mo_feature_id(MO_FEATURE_VERTEX, 0);
  }
  const mo_dvec3 rounding = mo_dscale(ball->radius, n);
  const double first = mo_ddot(mo_dadd(mo_dsub(center, ball->half), rounding), n),
               last = mo_ddot(mo_dadd(mo_dadd(center, ball->half), rounding), n);
  const bool is_level = fabs(last - first) <= MO_SAME_HEIGHT_TOLERANCE * ball->length;
  return is_level ? mo_feature_id(MO_FEATURE_EDGE, 0)
                  : mo_feature_id(MO_FEATURE_VERTEX, last > first);
}

/* The same for a box, of which `size` is the size. */
static uint32_t feature_of_box(const mo_contact_box *box, double size, mo_dvec3 n) {
  const mo_d4 along = mo_d4vec_dot_one(&box->axis, n);
  const double tolerance = MO_SAME_HEIGHT_TOLERANCE * size;
  double max = -1.0;
  /* `bits`: vertex id of the support corner of the box; `face`: axis of the side whose normal is
   * closest to n */
  uint32_t bits = 0, face = 0;
  for (uint32_t i = 0; i < 3; i++) {
    bits |= (uint32_t)(along[i] >= 0.0) << i;
    const double aligned = fabs(along[i]) / box->length[i];
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
    const uint32_t edge = level_u ? u : v;
    return mo_feature_id(MO_FEATURE_EDGE, edge * 8 + (bits & ~(1u << edge)));
  }
  return mo_feature_id(MO_FEATURE_VERTEX, bits);
}

/* Whether two capsules may be parallel as seen along n, so that they have two contact points. */
static bool may_be_parallel(const mo_contact_ball *a, const mo_contact_ball *b, mo_dvec3 n) {
  if (!(a->length > 0.0 && b->length > 0.0)) {
    return false;
  }
  const mo_dvec3 d = a->half, e = b->half;
  const double dd = mo_ddot(d, d), ee = mo_ddot(e, e), dn = mo_ddot(d, n), en = mo_ddot(e, n),
               cross = mo_ddot(n, mo_dcross(d, e)),
               enough = MO_PARALLEL_LINES_SINE * (1.0 + 0x1p-20), error_bound = 0x1p-40;
  return cross * cross <=
         enough * enough * (dd - dn * dn + error_bound * dd) * (ee - en * en + error_bound * ee);
}

bool mo_manifold_of_balls(const mo_contact_ball *a, const mo_contact_ball *b, double max,
                          mo_manifold *manifold) {
  gap g = {.origin_a = a->origin,
           .origin_b = mo_dsub(b->origin, a->origin),
           .radius = {a->radius, b->radius},
           .size = a->length + b->length};
  const mo_dvec3 center_b = mo_dadd(g.origin_b, b->center);
  if (g.size == 0.0) {
    g.points[0] = a->center;
    g.points[1] = center_b;
  } else {
    mo_contact_closest_of_lines((mo_contact_line){a->center, a->half},
                                (mo_contact_line){center_b, b->half}, g.points);
  }
  if (!measure(&g)) {
    return false;
  }
  if (!is_within(&g, max)) {
    *manifold = (mo_manifold){.touching = false};
    return true;
  }
  set_normal(&g);
  if (may_be_parallel(a, b, g.normal)) {
    return false;
  }
  const uint32_t ids[2] = {feature_of_ball(a, a->center, g.normal),
                           feature_of_ball(b, center_b, mo_dscale(-1.0, g.normal))};
  write_manifold(&g, ids, manifold);
  return true;
}

bool mo_manifold_of_ball_and_box(const mo_contact_ball *ball, const mo_contact_box *box,
                                 bool ball_first, double max, mo_manifold *manifold) {
  const int of_ball = ball_first ? 0 : 1, of_box = 1 - of_ball;
  const mo_dvec3 origin_a = ball_first ? ball->origin : box->origin,
                 origin_b = ball_first ? box->origin : ball->origin;
  gap g = {.origin_a = origin_a,
           .origin_b = mo_dsub(origin_b, origin_a),
           .size = box->length[0] + box->length[1] + box->length[2]};
  g.radius[of_ball] = ball->radius;
  const mo_dvec3 center =
      ball_first ? mo_dadd(g.origin_b, box->center) : box->center; /* of the box */
  g.points[of_ball] = ball_first ? ball->center : mo_dadd(g.origin_b, ball->center);
  const mo_d4vec *axes = &box->axis;
  const mo_dvec3 axis[3] = {{axes->x[0], axes->y[0], axes->z[0]},
                            {axes->x[1], axes->y[1], axes->z[1]},
                            {axes->x[2], axes->y[2], axes->z[2]}};
  mo_dvec3 on;
  if (ball->length > 0.0 ||
      !(box->length[0] > 0.0 && box->length[1] > 0.0 && box->length[2] > 0.0) ||
      !mo_contact_closest_of_box(axis, mo_dsub(g.points[of_ball], center), &on)) {
    return false;
  }
  g.points[of_box] = mo_dadd(on, center);
  if (!measure(&g)) {
    return false;
  }
  if (!is_within(&g, max)) {
    *manifold = (mo_manifold){.touching = false};
    return true;
  }
  set_normal(&g);
  const mo_dvec3 inward = mo_dscale(-1.0, g.normal); /* from the second shape to the first */
  uint32_t ids[2];
  ids[of_ball] = mo_feature_id(MO_FEATURE_VERTEX, 0);
  ids[of_box] = feature_of_box(box, g.size, ball_first ? inward : g.normal);
  write_manifold(&g, ids, manifold);
  return true;
}
