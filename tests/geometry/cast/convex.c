/* Moving convex bodies against triangles and others: nothing is touched before the contact, by
 * overlaps at times along the path; capsules around bodies; the normals of balls, cylinders, cones
 * and hulls. */
#include "geometry/cast/convex.h"

#include <criterion/criterion.h>

#include "geometry/cast/rotating.h"
#include "geometry/penetration/penetration.h"
#include "geometry/triangle/triangle.h"
#include "oracle/solids.h"

static mo_body any_triangle(rng *r, float scale) {
  mo_dvec3 corners[3], middle = mo_widen(rng_vec3(r, -2, 2));
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_dadd(middle, mo_widen(rng_vec3(r, -scale, scale)));
  }
  if (rng_chance(r, 0.1)) { /* a segment, a point, a sliver */
    corners[1] = corners[0];
  }
  if (rng_chance(r, 0.1)) {
    corners[2] = corners[0];
  }
  if (rng_chance(r, 0.2)) {
    float width = scale * ldexpf(1.0f, -(int)rng_below(r, 40));
    corners[2] = mo_dadd(mo_dscale(0.5, mo_dadd(corners[0], corners[1])),
                         mo_widen(rng_vec3(r, -width, width)));
  }
  return mo_body_of_triangle(corners);
}

static mo_body any_solid(rng *r, float scale) {
  rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR, RNG_FLAT};
  mo_transform map = rng_transform(r, kinds[rng_below(r, 4)], 2);
  map.x_axis = mo_scale(scale, map.x_axis);
  map.y_axis = mo_scale(scale, map.y_axis);
  map.z_axis = mo_scale(scale, map.z_axis);
  solid local = random_solid(r);
  const mo_convex convex = solid_convex(&local, &map);
  mo_body body = mo_body_of_convex(&convex);
  mo_body_cache_bounds(&body);
  return body;
}

static float random_scale(rng *r) {
  return ldexpf(1.0f, (int)rng_below(r, 14) - 11);
}

static mo_moving_body moving_of(const mo_body *body, mo_vec3 displacement) {
  const mo_movement movement = {.displacement = displacement};
  mo_moving_body moving;
  cr_assert_eq(mo_moving_body_make(&moving, body, &movement, NULL), MO_OK);
  return moving;
}

static mo_vec3 middle_of(mo_aabb box) {
  return mo_scale(0.5f, mo_add(box.lower, box.upper));
}

static mo_body any_body(rng *r, double triangles) {
  return rng_chance(r, triangles) ? any_triangle(r, random_scale(r))
                                  : any_solid(r, random_scale(r));
}

/* Nothing is touched before the contact, and something is at it. The path is sampled all along and
 * close to its end; finely or at a few places. */
static bool check_path(const mo_body *still, const mo_moving_body *moving, rng *r,
                       unsigned long long round) {
  mo_convex_contact contact = mo_cast_convex(still, moving, 1.0);
  mo_dvec3 way = mo_widen(moving->displacement), pivot = moving->rotation.pivot;
  bool found = contact.t <= 1.0;
  double end = found ? contact.t : 1.0;
  double size = mo_sum_of_extents(still->bounds) + mo_sum_of_extents(moving->bounds) +
                sqrt(mo_ddot(way, way)) + sqrt(mo_ddot(pivot, pivot)) + 8.0;
  for (int k = 0, samples = rng_chance(r, 0.02) ? 60 : 2; k < samples; k++) {
    double part = (double)rng_float(r, 0, 1);
    double t = k % 2 == 0 ? end * part : end * (1.0 - ldexp(part, -(int)rng_below(r, 24)));
    const mo_body body = mo_body_at(moving, t);
    if (t < end && mo_bodies_within(still, &body, 0.0)) {
      double depth = mo_convex_find_penetration(still, &body).depth;
      cr_assert(depth <= 1e-9 * size, "round %llu: %g deep at %a of %a", round, depth, t, end);
    }
  }
  if (found) {
    const mo_body body = mo_body_at(moving, end);
    double gap = mo_convex_distance(still, &body, INFINITY).distance;
    cr_assert(gap <= (moving->rotates ? 3e-7 : 1e-7) * size, "round %llu: %g apart", round, gap);
  }
  return found;
}

/* Together ten million random pairs in the long suite. */
static void check_pairs(rng *r, uint64_t rounds, bool turning) {
  uint64_t met = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const mo_body still = any_body(r, 0.8), body = any_body(r, 0.1);
    /* To near the other one, and beyond. */
    mo_vec3 to = middle_of(still.bounds), from = middle_of(body.bounds);
    float aside = random_scale(r);
    mo_vec3 way = mo_add(mo_sub(to, from), rng_vec3(r, -aside, aside));
    mo_moving_body moving = moving_of(&body, mo_scale(rng_float(r, 0.5f, 3), way));
    if (turning) {
      mo_movement_rotation rotation = {.axis = mo_widen(rng_direction(r))};
      rotation.pivot = mo_widen(mo_add(from, rng_vec3(r, -aside, aside)));
      rotation.axis = mo_dscale(1.0 / sqrt(mo_ddot(rotation.axis, rotation.axis)), rotation.axis);
      rotation.angle =
          (double)(rng_chance(r, 0.5) ? rng_float(r, -0.5f, 0.5f) : rng_float(r, -6, 6));
      if (rng_chance(r, 0.3)) {
        moving.displacement = mo_vec(0, 0, 0);
        rotation.pivot = mo_widen(mo_add(mo_scale(0.5f, mo_add(from, to)), rng_vec3(r, -1, 1)));
      }
      mo_moving_body_set_rotation(&moving, &rotation);
    }
    met += check_path(&still, &moving, r, (unsigned long long)i);
  }
  cr_assert(met > rounds / 10, "%llu contacts", (unsigned long long)met);
}

Test(cast_convex, nothing_is_touched_before) {
  rng r = rng_make(rng_seed("cast_convex/paths", 341));
  check_pairs(&r, rng_rounds(6000, 9000000), false);
}

Test(cast_convex, nothing_is_touched_before_while_turning) {
  rng r = rng_make(rng_seed("cast_convex/turning paths", 344));
  check_pairs(&r, rng_few_rounds(1500, 1000000), true);
}

/* All points of a body, as far as supports tell, lie in its capsule; of a capsule that only moves
 * and scales, it is the capsule itself. */
Test(cast_convex, capsules_hold_bodies) {
  rng r = rng_make(rng_seed("cast_convex/capsules", 342));
  for (uint64_t i = 0; i < rng_rounds(5000, 500000); i++) {
    const mo_body body = any_solid(&r, random_scale(&r));
    mo_bounding_capsule around = mo_bounding_capsule_of(&body);
    for (int k = 0; k < 8; k++) {
      mo_dvec3 n = mo_widen(rng_direction(&r));
      double reach = mo_ddot(mo_dsub(mo_convex_support(&body.convex, n), around.center), n);
      double max = fabs(mo_ddot(around.half, n)) + around.radius * sqrt(mo_ddot(n, n));
      cr_assert(reach <= max + 1e-9 * (around.radius + 1.0), "round %llu: %g beyond",
                (unsigned long long)i, reach - max);
    }
  }
  mo_transform map = rng_transform(&r, RNG_RIGID, 2);
  mo_convex convex = convex_capsule(mo_vec(0, -1, 0), mo_vec(0, 3, 0), 0.5f, &map);
  const mo_body body = mo_body_of_convex(&convex);
  mo_bounding_capsule around = mo_bounding_capsule_of(&body);
  cr_assert_float_eq(around.radius, 0.5, 1e-6);
  cr_assert_float_eq(mo_ddot(around.half, around.half), 4.0, 1e-5);
}

/* At the contact of a ball, the normal leads from the closest point to the centre. */
Test(cast_convex, normals_of_balls) {
  rng r = rng_make(rng_seed("cast_convex/balls", 343));
  uint64_t met = 0;
  for (uint64_t i = 0; i < rng_rounds(5000, 500000); i++) {
    const mo_body still = any_triangle(&r, 1);
    mo_transform map = rng_transform(&r, RNG_RIGID, 4);
    const mo_convex ball = convex_sphere((mo_sphere){{0, 0, 0}, rng_float(&r, 0.01f, 1)}, &map);
    const mo_body body = mo_body_of_convex(&ball);
    mo_vec3 to = middle_of(still.bounds);
    mo_vec3 way = mo_scale(2, mo_add(mo_sub(to, map.origin), rng_vec3(&r, -1, 1)));
    mo_moving_body moving = moving_of(&body, way);
    mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
    if (c.t > 0.0 && c.t <= 1.0) {
      mo_dvec3 center = mo_dadd(mo_widen(map.origin), mo_dscale(c.t, mo_widen(way)));
      mo_dvec3 out = mo_dsub(center, mo_triangle_closest_point(still.corners, center));
      mo_dvec3 off = mo_dsub(c.normal, mo_dscale(1.0 / sqrt(mo_ddot(out, out)), out));
      cr_assert(sqrt(mo_ddot(off, off)) <= 1e-9, "round %llu: off by %g", (unsigned long long)i,
                sqrt(mo_ddot(off, off)));
      met++;
    }
  }
  cr_assert_gt(met, 100);
}

/* At the contact of a solid, the plane through the point, perpendicular to the normal, separates
 * the two: almost always to the last bits, also where the path grazes the triangle. */
static void check_normals(rng *r, solid (*random)(rng *r), uint64_t rounds) {
  uint64_t met = 0, exact = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_dvec3 corners[3];
    for (int k = 0; k < 3; k++) {
      corners[k] = mo_widen(rng_vec3(r, -2, 2));
    }
    const mo_body still = mo_body_of_triangle(corners);
    const mo_transform map = rng_transform(r, RNG_RIGID, 4);
    const solid local = random(r);
    const mo_convex convex = solid_convex(&local, &map);
    mo_body body = mo_body_of_convex(&convex);
    mo_body_cache_bounds(&body);
    const mo_vec3 way =
        mo_scale(2, mo_add(mo_sub(middle_of(still.bounds), map.origin), rng_vec3(r, -1, 1)));
    const mo_moving_body moving = moving_of(&body, way);
    const mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
    if (c.t > 0.0 && c.t <= 1.0) {
      const mo_dvec3 moved = mo_dscale(c.t, mo_widen(way));
      const mo_dvec3 near = mo_convex_support(&convex, mo_dscale(-1.0, c.normal));
      const double apart = mo_ddot(c.normal, mo_dsub(mo_dadd(near, moved), c.point));
      double beyond = -INFINITY;
      for (int k = 0; k < 3; k++) {
        beyond = fmax(beyond, mo_ddot(c.normal, mo_dsub(corners[k], c.point)));
      }
      cr_assert(apart >= -1e-6 && beyond <= 1e-11, "round %llu: %g and %g", (unsigned long long)i,
                apart, beyond);
      exact += apart >= -1e-12;
      met++;
    }
  }
  cr_assert_gt(met, 100);
  cr_assert_gt(exact, met - met / 100);
}

static solid random_cylinder_or_cone(rng *r) {
  return (solid){.kind = rng_chance(r, 0.5) ? MO_SOLID_CYLINDER : MO_SOLID_CONE,
                 .a = rng_vec3(r, -1, 1),
                 .b = rng_vec3(r, -1, 1),
                 .radius = rng_float(r, 0.1f, 1)};
}

static solid random_hull(rng *r) {
  static const test_hull_kind kinds[] = {TEST_HULL_TETRAHEDRON, TEST_HULL_CUBE,  TEST_HULL_BALL,
                                         TEST_HULL_LATTICE,     TEST_HULL_PRISM, TEST_HULL_STONE};
  return (solid){.kind = MO_SOLID_HULL, .hull = test_hull(kinds[rng_below(r, 6)])};
}

Test(cast_convex, normals_of_cylinders_and_cones) {
  rng r = rng_make(rng_seed("cast_convex/cylinders and cones", 345));
  check_normals(&r, random_cylinder_or_cone, rng_rounds(20000, 2000000));
}

static solid random_capsule(rng *r) {
  return (solid){.kind = MO_SOLID_CAPSULE,
                 .a = rng_vec3(r, -1, 1),
                 .b = rng_vec3(r, -1, 1),
                 .radius = rng_float(r, 0.01f, 1)};
}

Test(cast_convex, normals_of_capsules) {
  rng r = rng_make(rng_seed("cast_convex/normals of capsules", 347));
  check_normals(&r, random_capsule, rng_rounds(20000, 2000000));
}

/* Balls along the plane of a thin triangle, whose normal is mostly rounding error: nowhere before
 * the contact is the triangle closer than the radius. */
Test(cast_convex, thin_triangles_are_met_at_their_edges) {
  rng r = rng_make(rng_seed("cast_convex/thin triangles", 348));
  uint64_t met = 0;
  for (uint64_t i = 0; i < rng_rounds(20000, 1000000); i++) {
    const mo_dvec3 along = mo_widen(rng_vec3(&r, -1, 1)), start = mo_widen(rng_vec3(&r, -1, 1));
    const mo_dvec3 across = mo_dcross(along, mo_widen(rng_direction(&r)));
    const double width = pow(10, -(double)rng_float(&r, 7, 15)), length = mo_dlength(across);
    const mo_dvec3 end = mo_dadd(start, mo_dscale((double)rng_float(&r, 0.1f, 0.9f), along));
    mo_dvec3 corners[3] = {start, mo_dadd(start, along),
                           mo_dadd(end, mo_dscale(width / length, across))};
    const mo_dvec3 edges[2] = {mo_dsub(corners[1], start), mo_dsub(corners[2], start)};
    const mo_dvec3 normal = mo_dcross(edges[0], edges[1]);
    if (!(mo_dlength(normal) > 0.0)) {
      continue;
    }
    const mo_dvec3 up = mo_dscale(1.0 / mo_dlength(normal), normal);
    const double tilt = pow(10, -3 * (double)rng_float(&r, 0, 1)), radius = 0.5;
    mo_dvec3 way =
        mo_dsub(mo_dscale(rng_chance(&r, 0.5) ? 1.0 : -1.0, edges[0]), mo_dscale(tilt, up));
    way = mo_dscale(mo_ddot(way, up) > 0.0 ? -2.0 : 2.0, way);
    const mo_dvec3 over = mo_dscale(0.3, mo_dadd(edges[0], edges[1]));
    const mo_dvec3 above = mo_dadd(mo_dadd(start, over), mo_dscale(radius, up));
    const mo_vec3 displacement = mo_narrow(way);
    mo_transform map = mo_transform_identity();
    map.origin = mo_narrow(mo_dsub(above, mo_dscale(0.5, way)));
    /* The triangle takes its place along the path as that is rounded to floats. */
    const mo_dvec3 middle = mo_dadd(mo_widen(map.origin), mo_dscale(0.5, mo_widen(displacement)));
    for (int k = 0; k < 3; k++) {
      corners[k] = mo_dadd(corners[k], mo_dsub(middle, above));
    }
    const mo_convex ball = convex_sphere((mo_sphere){{0, 0, 0}, (float)radius}, &map);
    const mo_body body = mo_body_of_convex(&ball), still = mo_body_of_triangle(corners);
    const mo_moving_body moving = moving_of(&body, displacement);
    const mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
    const double last = fmin(c.t, 1.0);
    for (int k = 0; k < 50; k++) {
      const double t = k % 2 == 0 ? last * k / 50 : last * (1.0 - ldexp(1.0, -k));
      const mo_dvec3 at = mo_dadd(mo_widen(map.origin), mo_dscale(t, mo_widen(displacement)));
      const double gap = mo_dlength(mo_dsub(mo_triangle_closest_point(corners, at), at));
      cr_assert(gap >= radius - 1e-10, "round %llu: %g deep at %g, found at %g",
                (unsigned long long)i, radius - gap, t, c.t);
    }
    met += c.t > 0.0 && c.t <= 1.0;
  }
  cr_assert_gt(met, 1000);
}

/* Capsules in the plane of a triangle but for rounding, at a height above it, in any orientation.
 */
Test(cast_convex, lying_capsules_are_not_late) {
  rng r = rng_make(rng_seed("cast_convex/lying capsules", 349));
  for (uint64_t i = 0; i < rng_rounds(20000, 2000000); i++) {
    const mo_vec3 up = rng_direction(&r), x = rng_direction(&r);
    const mo_dvec3 normal = mo_dunit(mo_widen(up));
    const mo_dvec3 a = mo_dunit(mo_dcross(normal, mo_widen(x))), b = mo_dcross(normal, a);
    mo_dvec3 corners[3], middle = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
      corners[k] = mo_dadd(mo_dscale((double)rng_float(&r, -2, 2), a),
                           mo_dscale((double)rng_float(&r, -2, 2), b));
      middle = mo_dadd(middle, mo_dscale(1.0 / 3.0, corners[k]));
    }
    const mo_dvec3 half = mo_dadd(mo_dscale((double)rng_float(&r, -1, 1), a),
                                  mo_dscale((double)rng_float(&r, -1, 1), b));
    /* At the contact a point of the segment is above the middle of the triangle. */
    const mo_dvec3 center = mo_dadd(middle, mo_dscale((double)rng_float(&r, -1, 1), half));
    const mo_dvec3 beside = mo_dadd(mo_dscale((double)rng_float(&r, -1, 1), a),
                                    mo_dscale((double)rng_float(&r, -1, 1), b));
    const mo_dvec3 way = mo_dsub(beside, normal);
    const float radius = rng_float(&r, 0.01f, 0.5f);
    const double t = 0.75, height = (double)radius + t;
    const mo_dvec3 start =
        mo_dadd(mo_dsub(center, mo_dscale(t, beside)), mo_dscale(height, normal));
    const solid local = {.kind = MO_SOLID_CAPSULE,
                         .a = mo_narrow(mo_dadd(start, half)),
                         .b = mo_narrow(mo_dsub(start, half)),
                         .radius = radius};
    const mo_transform map = mo_transform_identity();
    const mo_convex convex = solid_convex(&local, &map);
    mo_body body = mo_body_of_convex(&convex), still = mo_body_of_triangle(corners);
    mo_body_cache_bounds(&body);
    const mo_moving_body moving = moving_of(&body, mo_narrow(way));
    const mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
    cr_assert(fabs(c.t - t) <= 1e-5, "round %llu: %g", (unsigned long long)i, c.t);
  }
}

/* A capsule that comes to lie on a triangle touches it in the middle of what they have in common;
 * here the triangle is wide, or shorter than the capsule, or under one end of it. */
Test(cast_convex, lying_capsules_touch_in_the_middle) {
  static const double left[] = {-8, -0.5, 0.25}, right[] = {8, 0.25, 8};
  static const double middle[] = {0, -0.125, 0.625};
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 corners[3] = {{left[i], 0, -4}, {left[i], 0, 4}, {right[i], 0, 0}};
    const mo_body still = mo_body_of_triangle(corners);
    const solid local = {
        .kind = MO_SOLID_CAPSULE, .a = mo_vec(-1, 0, 0), .b = mo_vec(1, 0, 0), .radius = 0.5f};
    mo_transform map = mo_transform_identity();
    map.origin.y = 2;
    const mo_convex convex = solid_convex(&local, &map);
    mo_body body = mo_body_of_convex(&convex);
    mo_body_cache_bounds(&body);
    const mo_moving_body moving = moving_of(&body, mo_vec(0, -2, 0));
    const mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
    cr_assert(fabs(c.t - 0.75) <= 1e-14 && fabs(c.normal.y - 1) <= 1e-14, "%d", i);
    cr_assert(fabs(c.point.x - middle[i]) <= 1e-9 && fabs(c.point.y) <= 1e-14, "%d: x = %g", i,
              c.point.x);
  }
}

Test(cast_convex, normals_of_hulls) {
  rng r = rng_make(rng_seed("cast_convex/hulls", 346));
  check_normals(&r, random_hull, rng_rounds(20000, 2000000));
}

/* The corner comes from the direction of a vertex of the cube, which was once taken for its normal.
 */
Test(cast_convex, corner_meets_face_of_cube_along_diagonal) {
  const mo_dvec3 corners[3] = {{1, -0.25, -0.5}, {0.75, 0, -0.75}, {0.75, 0.75, -0.5}};
  const mo_body still = mo_body_of_triangle(corners);
  const mo_transform map = {{0.5f, 0, 0}, {0, 0.5f, 0}, {0, 0, 0.5f}, {1, -1, -0.5f}};
  const solid cube = {.kind = MO_SOLID_HULL, .hull = test_hull(TEST_HULL_CUBE)};
  const mo_convex convex = solid_convex(&cube, &map);
  mo_body body = mo_body_of_convex(&convex);
  mo_body_cache_bounds(&body);
  const mo_moving_body moving = moving_of(&body, mo_vec(0.5f, 0.5f, 0.5f));
  const mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
  cr_assert_float_eq(c.t, 0.5, 1e-14);
  cr_assert_float_eq(c.normal.y, -1, 1e-14);
}

/* On a grid, so that bounds often meet where the bodies do. */
static mo_body any_cylinder_or_box(rng *r) {
  const bool is_box = rng_chance(r, 0.5);
  solid local = {.kind = is_box ? MO_SOLID_BOX : MO_SOLID_CYLINDER};
  local.half = mo_vec(0.5f * (float)(1 + rng_below(r, 3)), 0.5f, 0.25f);
  local.a = mo_vec(0, -0.5f, 0);
  local.b = mo_vec(0, 0.75f, 0);
  local.radius = 0.25f * (float)(1 + rng_below(r, 4));
  local.rounding = rng_chance(r, 0.3) ? 0.125f : 0;
  mo_transform map = mo_transform_identity();
  for (int axis = 0; axis < 3; axis++) {
    (&map.origin.x)[axis] = 0.1f * (float)rng_below(r, 60) - 3;
  }
  const mo_convex convex = solid_convex(&local, &map);
  mo_body body = mo_body_of_convex(&convex);
  mo_body_cache_bounds(&body);
  return body;
}

static bool is_same_contact(const mo_convex_contact *a, const mo_convex_contact *b) {
  return a->t == b->t && mo_dlength(mo_dsub(a->normal, b->normal)) == 0.0 &&
         mo_dlength(mo_dsub(a->point, b->point)) == 0.0;
}

/* No contact is before the bounds meet, and a limit at the time of a contact does not change it. */
Test(cast_convex, limits_and_bounds_keep_contacts) {
  rng r = rng_make(rng_seed("cast_convex/limits", 347));
  const uint64_t rounds = rng_rounds(20000, 2000000);
  uint64_t met = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const bool grid = i % 2 == 0;
    const mo_body still = grid ? any_cylinder_or_box(&r) : any_body(&r, 0.5),
                  body = grid ? any_cylinder_or_box(&r) : any_body(&r, 0.1);
    const mo_vec3 to = middle_of(still.bounds), from = middle_of(body.bounds);
    mo_vec3 way = mo_scale(rng_float(&r, 0.5f, 3), mo_sub(to, from));
    if (grid && rng_chance(&r, 0.5)) {
      way = mo_vec(way.x, 0, 0);
    }
    const mo_moving_body moving = moving_of(&body, way);
    const mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
    if (!(c.t > 0.0 && c.t <= 1.0)) {
      continue;
    }
    cr_assert(c.t >= mo_bounds_entry_time(mo_body_bounds(&still), &moving, 1.0) ||
                  still.kind == MO_BODY_TRIANGLE,
              "round %llu: t %a", (unsigned long long)i, c.t);
    const mo_convex_contact limited = mo_cast_convex(&still, &moving, c.t);
    cr_assert(is_same_contact(&c, &limited), "round %llu: t %a, limited %a", (unsigned long long)i,
              c.t, limited.t);
    met++;
  }
  cr_assert(met > rounds / 10, "%llu contacts", (unsigned long long)met);
}

/* An ellipsoid meets a side of a large box where it reaches lowest: in closed form. */
Test(cast_convex, ellipsoids_meet_sides_of_boxes) {
  rng r = rng_make(rng_seed("cast_convex/ellipsoids", 348));
  const uint64_t rounds = rng_rounds(10000, 1000000);
  for (uint64_t i = 0; i < rounds; i++) {
    const mo_transform place = rng_transform(&r, RNG_RIGID, 1);
    const solid box = {.kind = MO_SOLID_BOX, .half = {20, 20, 20}};
    const mo_convex large = solid_convex(&box, &place);
    mo_body still = mo_body_of_convex(&large);
    mo_body_cache_bounds(&still);
    const mo_dvec3 up = mo_dunit(mo_widen(place.y_axis));
    mo_transform map = rng_transform(&r, rng_chance(&r, 0.5) ? RNG_NONUNIFORM_SCALE : RNG_SHEAR, 1);
    const float high = rng_float(&r, 25, 40);
    map.origin = mo_add(place.origin, mo_scale(high, place.y_axis));
    const solid ball = {.kind = MO_SOLID_SPHERE, .sphere = {{0, 0, 0}, 0.5f}};
    const mo_convex ellipsoid = solid_convex(&ball, &map);
    mo_body body = mo_body_of_convex(&ellipsoid);
    mo_body_cache_bounds(&body);
    const mo_vec3 aside = rng_vec3(&r, -5, 5);
    const mo_moving_body moving = moving_of(&body, mo_sub(aside, mo_scale(40, place.y_axis)));
    const mo_convex_contact c = mo_cast_convex(&still, &moving, 1.0);
    const double x = mo_ddot(up, mo_widen(map.x_axis)), y = mo_ddot(up, mo_widen(map.y_axis)),
                 z = mo_ddot(up, mo_widen(map.z_axis)), reach = 0.5 * sqrt(x * x + y * y + z * z);
    const double from = mo_ddot(up, mo_dsub(mo_widen(map.origin), mo_widen(place.origin)));
    const double speed = -mo_ddot(up, mo_widen(moving.displacement));
    const double t = (from - 20.0 * mo_dlength(mo_widen(place.y_axis)) - reach) / speed;
    cr_assert(t > 0.0 && t < 1.0 && fabs(c.t - t) < 1e-8, "round %llu: t %g, not %g",
              (unsigned long long)i, c.t, t);
    cr_assert(mo_dlength(mo_dsub(c.normal, up)) < 1e-6, "round %llu", (unsigned long long)i);
  }
}
