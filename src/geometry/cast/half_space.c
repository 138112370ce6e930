/* Casts of half-spaces, and casts against half-spaces.
 *
 * A body that rotates and moves above a plane is equivalent to a plane that rotates and moves in
 * reverse below the body. So the body's lowest point is found by its support mapping in its initial
 * pose. */
#include "geometry/cast/half_space.h"

#include "geometry/cast/rotating.h"
#include "geometry/difference/difference.h"

/* Heights up to contact_tolerance, relative to the extents of bounds, count as contact;
 * rounding_error, relative to coordinates, is the error of a height. */
static const double contact_tolerance = 0x1p-23, rounding_error = 0x1p-45;

/* An upper bound of the speed at which the heights of stationary points above a moving half-space
 * shrink. If the half-space rotates, `reach` bounds the points' distance from the axis at t = 0. */
static double approach_speed(const mo_moving_body *moving, double reach) {
  const mo_dvec3 normal = moving->body.half_space.normal;
  const mo_dvec3 displacement = mo_widen(moving->displacement);
  if (!moving->rotates) {
    return mo_ddot(normal, displacement);
  }
  const mo_dvec3 axis = moving->rotation.axis;
  double along = mo_ddot(displacement, axis);
  double across = mo_dlength(mo_dsub(displacement, mo_dscale(along, axis)));
  double sine = mo_dlength(mo_dcross(axis, normal));
  return mo_ddot(normal, axis) * along + sine * across +
         fabs(moving->rotation.angle) * sine * (reach + across);
}

typedef struct half_space_cast {
  const mo_half_space_body *half_space;
  mo_difference body; /* relative to the pivot, at t = 0 */
  mo_movement_rotation
      rotation; /* the rotation, measured for the body (mo_movement_rotation_measure) */
  mo_dvec3 displacement;
  bool body_moves; /* false: the half-space moves */
} half_space_cast;

/* Returns the height of the body's lowest point above the plane at time t. `point` receives the
 * point, in the body's initial pose. */
static double lowest_height_at(half_space_cast *m, double t, mo_dvec3 *normal, mo_dvec3 *point) {
  const mo_half_space_body *h = m->half_space;
  *normal = mo_rotate_at(&m->rotation, m->body_moves ? -t : t, h->normal);
  mo_dvec3 out = mo_minkowski_support(&m->body.a, mo_dscale(-1.0, *normal));
  mo_dvec3 moved = m->body_moves ? h->normal : mo_dscale(-1.0, *normal);
  *point = mo_dadd(m->body.centers[0], out);
  return mo_ddot(*normal, mo_dadd(m->body.offset, out)) +
         mo_half_space_height(h, m->rotation.pivot) + t * mo_ddot(moved, m->displacement);
}

static half_space_cast half_space_cast_of(const mo_body *still, const mo_moving_body *moving) {
  const mo_body pivot = mo_body_of_point(moving->rotation.pivot);
  half_space_cast m = {.rotation = moving->rotation,
                       .displacement = mo_widen(moving->displacement)};
  m.body_moves = still->kind == MO_BODY_HALF_SPACE;
  m.half_space = m.body_moves ? &still->half_space : &moving->body.half_space;
  m.body = mo_difference_of(m.body_moves ? &moving->body : still, &pivot);
  if (!m.body_moves) {
    mo_movement_rotation_measure(&m.rotation, still);
  }
  return m;
}

static mo_convex_contact cast_rotating(const mo_body *still, const mo_moving_body *moving,
                                       double limit) {
  half_space_cast m = half_space_cast_of(still, moving);
  const mo_half_space_body *h = m.half_space;
  const mo_movement_rotation *rotation = &m.rotation;
  double sine = mo_dlength(mo_dcross(rotation->axis, h->normal));
  double speed = m.body_moves ? -mo_ddot(h->normal, m.displacement) : approach_speed(moving, 0.0);
  speed += fabs(rotation->angle) *
           (sine * rotation->reach + fmin(sine * rotation->round_radius, rotation->round_reach));
  const mo_aabb bounds = m.body_moves ? moving->bounds : mo_body_bounds(still);
  mo_vec3 reach = mo_aabb_max_coordinates(bounds);
  double error_bound =
      rounding_error *
      (mo_sum_of_magnitudes(rotation->pivot) + mo_sum_of_magnitudes(h->origin) + fabs(h->offset) +
       mo_sum_of_magnitudes(m.displacement) + mo_sum_of_magnitudes(mo_widen(reach)));
  double extents = mo_sum_of_extents(bounds);
  double touching = fmax(error_bound, contact_tolerance * extents), t = 0.0;
  mo_dvec3 normal, point;
  double height = lowest_height_at(&m, t, &normal, &point);
  for (int step = 0; height > touching && step < MO_MAX_ROTATING_CAST_STEPS; ++step) {
    double next = t + (height - 0.5 * touching) / speed;
    if (!(speed > 0.0) || !(next <= limit)) {
      return (mo_convex_contact){.t = INFINITY};
    }
    if (next == t) {
      break;
    }
    t = next;
    height = lowest_height_at(&m, t, &normal, &point);
  }
  if (!m.body_moves) {
    return (mo_convex_contact){.t = t, .point = point, .normal = mo_dscale(-1.0, normal)};
  }
  mo_dvec3 at = mo_dadd(mo_dadd(rotation->pivot, mo_dscale(t, m.displacement)),
                        mo_rotate_at(rotation, t, mo_dsub(point, rotation->pivot)));
  return (mo_convex_contact){
      .t = t, .point = mo_dsub(at, mo_dscale(height, h->normal)), .normal = h->normal};
}

mo_convex_contact mo_cast_half_space(const mo_body *still, const mo_moving_body *moving,
                                     double limit) {
  if (mo_half_space_within(still, &moving->body, 0.0)) {
    return mo_contact_at_start(still, &moving->body);
  }
  const bool is_still = still->kind == MO_BODY_HALF_SPACE;
  const bool both = is_still && moving->body.kind == MO_BODY_HALF_SPACE;
  if (moving->rotates && !both) {
    return cast_rotating(still, moving, limit);
  }
  const mo_convex_contact none = {.t = INFINITY};
  mo_convex_gap gap = mo_half_space_distance(still, &moving->body);
  mo_dvec3 displacement = mo_widen(moving->displacement);
  double speed = -mo_ddot(gap.normal, displacement), t = 0.0;
  bool at_once = moving->rotates && mo_dlength(mo_dcross(moving->rotation.axis, gap.normal)) >
                                        MO_OPPOSITE_NORMALS_TOLERANCE;
  if (!at_once) {
    t = gap.distance / speed;
    if (!(speed > 0.0) || !(t <= limit)) {
      return none;
    }
  }
  mo_dvec3 point = gap.points[0];
  if (is_still) {
    point = mo_dadd(point, mo_dscale(t, mo_dadd(displacement, mo_dscale(speed, gap.normal))));
  }
  return (mo_convex_contact){.t = t, .point = point, .normal = gap.normal};
}

mo_convex_contact mo_cast_sphere_half_space(const mo_half_space_body *half_space,
                                            const mo_moving_ball *ball, double limit) {
  const mo_dvec3 center = mo_widen(ball->center), displacement = mo_widen(ball->displacement);
  const double height = mo_half_space_height(half_space, center), radius = ball->radius;
  const double error_bound = 0x1p-46 * (mo_sum_of_magnitudes(mo_dsub(center, half_space->origin)) +
                                        fabs(half_space->offset) + radius);
  const double speed = -mo_ddot(half_space->normal, displacement);
  double t = 0.0;
  if (!(height - radius <= error_bound)) {
    t = (height - radius) / speed;
    if (!(speed > 0.0) || !(t <= limit)) {
      return (mo_convex_contact){.t = INFINITY};
    }
  }
  mo_dvec3 at = mo_dadd(center, mo_dscale(t, displacement));
  const double left = t > 0.0 ? radius : height;
  return (mo_convex_contact){.t = t,
                             .distance = 0.0 + fmax(left, 0.0),
                             .point = mo_dsub(at, mo_dscale(left, half_space->normal)),
                             .normal = half_space->normal,
                             .depth = t > 0.0 ? 0.0 : 0.0 + fmax(radius - height, 0.0)};
}

mo_plane_path mo_plane_path_of(const mo_half_space_body *half_space, const mo_affine *affine,
                               mo_vec3 reach) {
  const mo_transform identity = mo_transform_identity();
  const mo_transform *map = affine != NULL ? &affine->to_world : &identity;
  const mo_dvec3 columns[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)};
  const mo_dvec3 origin = mo_widen(map->origin);
  double terms = mo_sum_of_magnitudes(origin) + mo_sum_of_magnitudes(half_space->origin) +
                 fabs(half_space->offset);
  mo_plane_path path = {.speed = 0.0};
  for (int i = 0; i < 3; ++i) {
    path.normal[i] = mo_ddot(half_space->normal, columns[i]);
    terms += mo_sum_of_magnitudes(columns[i]) * (double)mo_get(reach, i);
  }
  path.offset = mo_half_space_height(half_space, origin) - 0x1p-42 * terms - 0x1p-140;
  return path;
}

mo_plane_path mo_moving_plane_path(const mo_moving_body *moving, const mo_affine *affine,
                                   mo_vec3 reach, mo_aabb box) {
  mo_plane_path path = mo_plane_path_of(&moving->body.half_space, affine, reach);
  if (mo_aabb_is_empty(box)) {
    return path;
  }
  double farthest = 0.0;
  if (moving->rotates) {
    mo_dvec3 pivot = moving->rotation.pivot;
    farthest = mo_max_distance_in_box(box, pivot);
    path.offset -=
        MO_RELATIVE_CULLING_MARGIN * (mo_sum_of_extents(box) + mo_sum_of_magnitudes(pivot));
  }
  double speed = approach_speed(moving, farthest);
  path.speed = speed > 0.0 ? speed * (1.0 + 0x1p-40) : 0.0;
  return path;
}
