/* A moving body against a stationary one, by conservative advancement. The idea is explained in
 * geometry/cast/sphere_convex.c; here the distance is that between the two bodies. The normal of a
 * contact is that of the last separating plane at a distance that was large enough for the plane to
 * be well-defined.
 *
 * Most triangles near a path are rejected without any distance computation, by a bounding capsule
 * of the body (geometry/cast/capsule.c) and by the triangle's plane. For the other triangles, these
 * two tests give a time until which there is no contact; the advancement starts there. Boxes that
 * do not rotate meet triangles in closed form (geometry/penetration/box_triangle.c); so do
 * capsules, cylinders and cones, except where that lacks precision (geometry/cast/capsule.c,
 * cylinder_cone.c), and polytopes in a few steps (geometry/cast/polytope.c).
 *
 * In these steps polytopes meet each other, too. A cylinder or cone that is not rounded meets a
 * polytope between the three points of it at which the steps end: the contact with their triangle,
 * in closed form, is that of the two bodies if a plane there separates them. Bodies with balls are
 * closest to a polytope at a point, an edge or a face of the difference of the cores. If they meet
 * there, too, the contact is that of a ray with a ball, a cylinder or a plane
 * (geometry/cast/separating_plane.c), and one step is enough; again a plane between the bodies
 * proves it. */
#include "geometry/cast/convex.h"

#include "geometry/cast/half_space.h"
#include "geometry/cast/rotating.h"
#include "geometry/cast/separating_plane.h"
#include "geometry/cast/sweep.h"
#include "geometry/difference/difference.h"
#include "geometry/penetration/penetration.h"
#include "geometry/triangle/triangle.h"

/* The largest number of steps of the advancement. If the path only grazes the other body, each step
 * reduces the distance to a quarter. */
enum { MAX_ADVANCEMENT_STEPS = 128 };

/* Both relative to sizes and distances: bodies closer than contact_tolerance are in contact;
 * normals are accurate at distances above min_normal_distance. */
static const double contact_tolerance = 0x1p-46, min_normal_distance = 0x1p-26;

/* Relative to sizes: how far before the contact, or before it can be, the advancement begins at
 * least, if it does not begin at t = 0. There a normal is accurate. */
static const double start_distance = 0x1p-16;

static double middle(float lower, float upper) {
  return 0.5 * ((double)lower + (double)upper);
}

void mo_path_of_bounds(const mo_moving_body *moving, mo_vec3 reach, mo_path_axis axes[3]) {
  mo_vec3 own = mo_aabb_max_coordinates(moving->bounds);
  double max = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    max += 2.0 * (double)mo_get(own, axis) + (double)mo_get(reach, axis) +
           fabs((double)mo_get(moving->displacement, axis));
  }
  for (int axis = 0; axis < 3; ++axis) {
    float lower = mo_get(moving->bounds.lower, axis), upper = mo_get(moving->bounds.upper, axis);
    double half = 0.5 * ((double)upper - (double)lower);
    axes[axis] = (mo_path_axis){middle(lower, upper), mo_get(moving->displacement, axis),
                                half + 0x1p-46 * max};
  }
}

double mo_path_entry_time(const mo_path_axis axes[3], mo_aabb box, double limit) {
  double enter = 0.0, leave = limit;
  for (int axis = 0; axis < 3; ++axis) {
    mo_path_clip_interval(&axes[axis], mo_get(box.lower, axis), mo_get(box.upper, axis), &enter,
                          &leave);
  }
  return enter <= leave ? enter : INFINITY;
}

double mo_bounds_entry_time(mo_aabb box, const mo_moving_body *moving, double limit) {
  mo_path_axis axes[3];
  mo_path_of_bounds(moving, mo_aabb_max_coordinates(box), axes);
  return mo_path_entry_time(axes, box, limit);
}

double mo_sum_of_extents(mo_aabb box) {
  return ((double)box.upper.x - (double)box.lower.x) + ((double)box.upper.y - (double)box.lower.y) +
         ((double)box.upper.z - (double)box.lower.z);
}

/* As mo_contact_at_start, but no contact if the depth is less than `min_depth`. */
static mo_convex_contact start_contact_with_min_depth(const mo_body *still, const mo_body *moving,
                                                      double min_depth) {
  mo_convex_penetration p;
  return mo_convex_find_penetration_min_depth(still, moving, min_depth, &p)
             ? (mo_convex_contact){.t = 0.0,
                                   .distance = -p.depth,
                                   .point = p.points[0],
                                   .normal = p.normal,
                                   .depth = p.depth}
             : (mo_convex_contact){.t = INFINITY};
}

mo_convex_contact mo_contact_of_sweep(const mo_cores *c, const mo_sweep_contact *met, double enter,
                                      double limit) {
  const double t = fmax(enter, met->t);
  const mo_dvec3 point = mo_dadd(mo_dadd(c->difference.centers[1], met->point),
                                 mo_summed_balls_support(&c->balls, 0, met->normal));
  return t <= limit ? (mo_convex_contact){.t = t, .point = point, .normal = met->normal}
                    : (mo_convex_contact){.t = INFINITY};
}

mo_convex_contact mo_contact_at_start(const mo_body *still, const mo_body *moving) {
  return start_contact_with_min_depth(still, moving, -INFINITY);
}

/* A lower bound of the time at which the moving body comes within `margin` of a triangle's plane.
 * Not positive if it is that close at the start, INFINITY if it is not until the limit. */
static double min_time_at_plane(mo_cores *c, const mo_dvec3 corners[3], mo_dvec3 displacement,
                                double limit, double margin) {
  mo_dvec3 normal = mo_corners_cross(corners);
  mo_dvec3 towards = mo_ddot(normal, c->difference.offset) > 0.0 ? mo_dscale(-1.0, normal) : normal;
  double beyond = mo_ddot(towards, mo_difference_support(&c->difference, towards).difference) +
                  mo_cores_ball_support_distance(c, towards) + margin * mo_dlength(normal);
  double speed = -mo_ddot(towards, displacement);
  return !(beyond < 0.0) ? 0.0 : !(beyond + limit * speed >= 0.0) ? INFINITY : -beyond / speed;
}

/* A distance of the body from a triangle that certainly does not count as touching, at any time,
 * and exceeds the rounding error of the tests by planes and capsules. */
static double culling_margin(const mo_dvec3 relative[3], mo_aabb bounds,
                             const mo_moving_body *moving) {
  mo_vec3 reach = mo_aabb_max_coordinates(bounds), displacement = moving->displacement;
  double size = mo_sum_of_extents(moving->bounds) + fabs((double)displacement.x) +
                fabs((double)displacement.y) + fabs((double)displacement.z);
  for (int i = 0; i < 3; ++i) {
    size += fabs(relative[i].x) + fabs(relative[i].y) + fabs(relative[i].z);
  }
  return MO_CAPSULE_RELATIVE_MARGIN * size +
         0x1p-44 * ((double)reach.x + (double)reach.y + (double)reach.z);
}

/* The first contact of a moving capsule or ball with a triangle; false also if the second body is
 * something else. Corners are relative to its centre at t = 0. About the direction of the normal is
 * known before. */
static bool sweep_capsule_to_triangle(const mo_cores *c, const mo_dvec3 corners[3],
                                      mo_dvec3 displacement, mo_sweep_contact *met) {
  const mo_minkowski *core = &c->difference.b;
  if (core->segment_count > 1 || core->ellipsoid_count > 0 || core->cone_count > 0 ||
      core->hull_count > 0 || core->triangle_count > 0) {
    return false;
  }
  mo_bounding_capsule capsule = {.half = {0.0, 0.0, 0.0}};
  if (core->segment_count == 1) {
    capsule.half = core->segment[0];
  }
  /* Along the normal, as rounding of the body's rotation may have made its ball an ellipsoid. */
  const mo_dvec3 out = mo_dscale(1.0 / mo_dlength(met->normal), met->normal);
  capsule.radius = mo_cores_ball_support_distance(c, out);
  return mo_capsule_sweep_triangle(&capsule, displacement, corners, met);
}

static bool triangle_is_at(const mo_dvec3 corners[3], mo_dvec3 point, double tolerance) {
  const mo_dvec3 gap = mo_dsub(point, mo_triangle_closest_point(corners, point));
  return mo_ddot(gap, gap) <= tolerance * tolerance;
}

/* The contact of a cylinder or cone with the other body, a polytope, if it is between the points at
 * which a search ended; to be verified. */
static bool meets_between_corners(const mo_body *still, const mo_moving_body *moving,
                                  mo_dvec3 offset, const mo_polytope_sweep_end *end,
                                  double tolerance, mo_sweep_contact *met) {
  const double sign = end->is_first_round ? -1.0 : 1.0;
  const mo_dvec3 displacement = mo_widen(moving->displacement);
  if (!mo_cylinder_cone_sweep_triangle(end->is_first_round ? still : &moving->body, end->corners,
                                       mo_dscale(sign, displacement), met) ||
      !triangle_is_at(end->corners, met->point, tolerance)) {
    return false;
  }
  if (end->is_first_round) {
    met->point = mo_dadd(mo_dadd(met->point, offset), mo_dscale(met->t, displacement));
    met->normal = mo_dscale(-1.0, met->normal);
  }
  return true;
}

/* The contact of a moving box with a triangle; its time is at least `enter`. */
static mo_convex_contact cast_box(const mo_body *triangle, const mo_moving_body *moving,
                                  double enter, double limit, double min_depth) {
  const mo_convex_contact none = {.t = INFINITY};
  const mo_box_body *box = &moving->box;
  const mo_dvec3 *corners = triangle->corners, displacement = mo_widen(moving->displacement);
  if (min_depth > 0.0 && mo_box_find_push_out(box, corners, min_depth).depth < min_depth) {
    return none;
  }
  mo_vec3 reach = mo_aabb_max_coordinates(triangle->bounds);
  const double size = mo_sum_of_extents(triangle->bounds) + mo_sum_of_extents(moving->bounds);
  const mo_box_path path = {
      .displacement = displacement,
      .limit = limit,
      .near_distance =
          0x1p-32 * size + 0x1p-44 * ((double)reach.x + (double)reach.y + (double)reach.z),
      .touch_distance = contact_tolerance * (size + mo_dlength(displacement))};
  mo_box_sweep found = mo_box_sweep_triangle(box, corners, &path);
  /* `touch_distance` grows with the path, so t may be 0 although the two start a little apart. */
  if (found.starts_near || found.t == 0.0) {
    const mo_box_push_out out = mo_box_find_push_out(box, corners, -INFINITY);
    if (out.depth > path.near_distance ||
        (enter == 0.0 && mo_bodies_within(triangle, &moving->body, 0.0))) {
      return start_contact_with_min_depth(triangle, &moving->body, min_depth);
    }
    found.normal = found.t > 0.0 ? found.normal : out.normal;
  }
  const double t = fmax(found.t, enter);
  if (!(t <= limit)) {
    return none;
  }
  mo_dvec3 point = mo_box_find_touch_point(box, mo_dscale(t, displacement), found.normal, corners);
  return (mo_convex_contact){.t = t, .point = point, .normal = found.normal};
}

mo_convex_contact mo_cast_convex(const mo_body *still, const mo_moving_body *moving, double limit) {
  return mo_cast_convex_min_depth(still, moving, limit, -INFINITY);
}

mo_convex_contact mo_cast_convex_min_depth(const mo_body *still, const mo_moving_body *moving,
                                           double limit, double min_depth) {
  if (mo_either_is_half_space(still, &moving->body)) {
    return mo_cast_half_space(still, moving, limit);
  }
  if (moving->rotates) {
    return mo_cast_rotating(still, moving, limit);
  }
  const mo_aabb bounds = mo_body_bounds(still);
  const bool is_triangle = still->kind == MO_BODY_TRIANGLE;
  const mo_convex_contact none = {.t = INFINITY};
  double t = mo_bounds_entry_time(bounds, moving, limit);
  if (t == INFINITY) {
    return none;
  }
  const mo_dvec3 displacement = mo_widen(moving->displacement);
  mo_capsule_entry entry = {.t = 0.0};
  double margin = 0.0;
  if (is_triangle && moving->box.is_usable) {
    return cast_box(still, moving, t, limit, min_depth);
  }
  if (is_triangle) {
    mo_dvec3 center = moving->capsule.center, relative[3];
    for (int i = 0; i < 3; ++i) {
      relative[i] = mo_dsub(still->corners[i], center);
    }
    margin = culling_margin(relative, bounds, moving);
    entry = mo_capsule_find_entry(&moving->capsule, displacement, relative, margin, limit);
    t = fmax(t, entry.t);
    if (t == INFINITY) {
      return none;
    }
  }
  if (t == 0.0 && mo_bodies_within(still, &moving->body, 0.0)) {
    return start_contact_with_min_depth(still, &moving->body, min_depth);
  }
  const double path_length = mo_dlength(displacement);
  const double size = mo_sum_of_extents(bounds) + mo_sum_of_extents(moving->bounds);
  mo_cores c;
  mo_cores_set(&c, still, &moving->body);
  const mo_dvec3 offset = c.difference.offset;
  if (is_triangle) {
    t = fmax(t, min_time_at_plane(&c, still->corners, displacement, limit, 2.0 * margin));
    if (t == INFINITY) {
      return none;
    }
  }
  mo_sweep_contact met = {.normal = entry.out};
  bool meets = false;
  if (is_triangle &&
      c.balls.radius_sum + c.difference.b.ellipsoid_count + c.difference.b.cone_count > 0) {
    mo_dvec3 corners[3];
    for (int i = 0; i < 3; ++i) {
      corners[i] = mo_dadd(offset, c.difference.a.corner[0][i]);
    }
    meets = (c.balls.radius_sum == 0.0
                 ? mo_cylinder_cone_sweep_triangle(&moving->body, corners, displacement, &met)
                 : entry.t > 0.0 && sweep_capsule_to_triangle(&c, corners, displacement, &met)) &&
            triangle_is_at(corners, met.point, contact_tolerance * (size + met.t * path_length));
  } else if (c.balls.radius_sum == 0.0) {
    mo_polytope_sweep_end end;
    const mo_polytope_sweep_result verdict =
        mo_polytope_sweep(&c.difference, displacement, size + path_length, limit, &end);
    if (verdict == MO_POLYTOPE_SWEEP_MISSES) {
      return none;
    }
    t = is_triangle ? t : fmax(t, end.min_time);
    met = end.contact;
    meets = verdict == MO_POLYTOPE_SWEEP_HITS ||
            (verdict == MO_POLYTOPE_SWEEP_APPROXIMATE &&
             meets_between_corners(still, moving, offset, &end,
                                   contact_tolerance * (size + t * path_length), &met));
  }
  /* A plane between the bodies, towards which the second one moves, shows that they are apart
   * before; without that direction, the two may be about to part. */
  if (meets && mo_ddot(met.normal, displacement) < 0.0 &&
      mo_cores_separation(&c, met.normal, mo_dscale(met.t, displacement)) >=
          -contact_tolerance * (size + met.t * path_length)) {
    return mo_contact_of_sweep(&c, &met, t, limit);
  }
  const double enter = t, earlier_t = fmax(0.0, t - start_distance * size / path_length);
  if (!is_triangle) {
    t = earlier_t;
  }
  mo_dvec3 normal = {0.0, 0.0, 0.0};
  double apart = -1.0; /* relative distance of the cores when `normal` was found; -1: not found */
  mo_separating_plane p;
  mo_gjk_simplex closest;
  for (int step = 0;; ++step) {
    c.difference.offset = mo_dsub(offset, mo_dscale(t, displacement));
    /* If the distance of the cores exceeds this, the bodies do not touch until the limit. */
    const double far = (limit - t) * path_length + c.balls.radius_sum * (1.0 + 0x1p-16) +
                       0x1p-30 * (size + path_length) + margin;
    p = mo_cores_find_separating_plane(&c, far, &closest);
    if (p.core_distance == INFINITY) {
      return none;
    }
    double scale = size + p.core_distance + t * path_length, share = p.core_distance / scale;
    if (is_triangle && step == 0 && t > 0.0 && share <= min_normal_distance) {
      t = earlier_t; /* the bounds meet only at the contact */
      continue;
    }
    /* Near a contact GJK may find no closest points: a distance, but no plane that proves it. */
    const bool is_accurate =
        share > min_normal_distance && (p.separation > 0.0 || c.balls.radius_sum > 0.0);
    if (p.core_distance > 0.0 && (is_accurate || apart < 0.0)) {
      normal = p.normal;
      apart = share;
    }
    if (p.separation <= contact_tolerance * scale || step == MAX_ADVANCEMENT_STEPS) {
      break;
    }
    double speed = -mo_ddot(p.normal, displacement);
    if (!(speed > 0.0)) {
      return none;
    }
    double next = t + p.separation / speed;
    if (!(next - contact_tolerance * scale / speed <= limit)) {
      return none;
    }
    c.difference.offset = offset;
    met.normal = p.normal;
    if (mo_cores_sweep_simplex(&c, &closest, displacement, contact_tolerance * scale, &met)) {
      return mo_contact_of_sweep(&c, &met, enter, limit);
    }
    if (!(next <= limit)) {
      return none;
    }
    if (next == t) {
      break;
    }
    t = next;
  }
  t = fmax(t, enter);
  if (apart < 0.0) { /* no normal: the bodies touch as soon as their bounds meet */
    mo_convex_contact contact = mo_contact_at_start(still, &moving->body);
    contact.t = t;
    contact.depth = 0.0;
    contact.distance = 0.0;
    return contact;
  }
  return (mo_convex_contact){.t = t, .point = p.point, .normal = normal};
}
