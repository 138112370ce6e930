/* Primitives that turn while they move: against fine samples of their path, as plain casts where
 * they do not turn, and by hand; motions from pose to pose. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/movement.h>

#include "geometry/cast/approach.h"
#include "geometry/cast/rotating.h"
#include "math/angle.h"
#include "math/vector.h"
#include "support/rng.h"

Test(turning, sines_and_cosines) {
  rng r = rng_make(rng_seed("turning/sines", 331));
  for (int i = 0; i < 20000; i++) {
    double angle = (double)rng_float(&r, -13, 13), sine, cosine;
    mo_sin_cos(angle, &sine, &cosine);
    cr_assert(fabs(sine - sin(angle)) <= 0x1p-51 && fabs(cosine - cos(angle)) <= 0x1p-51, "%a",
              angle);
  }
}

static mo_geometry any_geometry(rng *r) {
  mo_vec3 c = rng_vec3(r, -0.5f, 0.5f), d = rng_vec3(r, 0.05f, 1);
  switch (rng_below(r, 6)) {
  case 0:
    return (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {c, d.x}};
  case 1:
    return (mo_geometry){.type = MO_SHAPE_BOX, .box = {c, d}};
  case 2:
    return (mo_geometry){.type = MO_SHAPE_CAPSULE, .capsule = {c, d, d.x}};
  case 3:
    return (mo_geometry){.type = MO_SHAPE_CYLINDER, .cylinder = {c, mo_vec(1, 2, 3), d.x}};
  case 4:
    return (mo_geometry){.type = MO_SHAPE_CONE, .cone = {c, mo_vec(1, -2, 1), d.x}};
  default:
    return (mo_geometry){.type = MO_SHAPE_BOX, .rounding = 0.2f, .box = {c, {d.x, 0, d.z}}};
  }
}

static mo_primitive any_primitive(rng *r) {
  rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR, RNG_FLAT};
  mo_transform map = rng_transform(r, kinds[rng_below(r, 4)], 3);
  mo_geometry geometry = any_geometry(r);
  if (rng_chance(r, 0.2) && map.z_axis.z != 0) {
    mo_primitive p = mo_primitive_of_half_space(rng_direction(r), rng_float(r, -1, 1));
    bool overlap;
    p.transform = map;
    if (mo_primitive_overlap(&p, &p, &overlap) == MO_OK) { /* it is not flat */
      return p;
    }
  }
  mo_vec3 a = rng_vec3(r, -2, 2), b = rng_vec3(r, -2, 2), c = rng_vec3(r, -2, 2);
  return rng_chance(r, 0.3) ? mo_primitive_of_triangle(a, b, c)
                            : mo_primitive_of_geometry(&geometry, &map);
}

static mo_vec3 turned(const mo_movement *movement, double t, mo_vec3 v) {
  mo_dvec3 axis = mo_widen(movement->axis), w = mo_widen(v);
  axis = mo_dscale(1 / sqrt(mo_ddot(axis, axis)), axis);
  double s = sin(t * (double)movement->angle), c = cos(t * (double)movement->angle);
  mo_dvec3 out = mo_dadd(mo_dscale(c, w), mo_dscale(s, mo_dcross(axis, w)));
  return mo_narrow(mo_dadd(out, mo_dscale(mo_ddot(axis, w) * (1 - c), axis)));
}

/* The primitive as it stands at t, in floats. */
static mo_primitive at_time(mo_primitive p, const mo_movement *movement, double t) {
  mo_transform *map = &p.transform;
  mo_vec3 from = mo_sub(map->origin, movement->pivot);
  *map = (mo_transform){turned(movement, t, map->x_axis), turned(movement, t, map->y_axis),
                        turned(movement, t, map->z_axis), turned(movement, t, from)};
  map->origin =
      mo_add(mo_add(map->origin, movement->pivot), mo_scale((float)t, movement->displacement));
  return p;
}

static mo_movement any_movement(rng *r) {
  mo_movement movement = {.displacement = rng_vec3(r, -4, 4), .axis = rng_direction(r)};
  movement.pivot = rng_vec3(r, -2, 2);
  movement.angle = rng_float(r, -6, 6);
  if (rng_chance(r, 0.3)) {
    movement.displacement = mo_vec(0, 0, 0);
  }
  return movement;
}

/* On the way to the contact they are apart, at it they nearly touch, and without one they are apart
 * all along: to within the rounding of where they stand. */
Test(turning, as_samples_of_the_path) {
  rng r = rng_make(rng_seed("turning/samples", 332));
  uint64_t met = 0, rounds = rng_rounds(400, 40000);
  for (uint64_t i = 0; i < rounds; i++) {
    mo_primitive still = any_primitive(&r), moving = any_primitive(&r);
    mo_movement movement = any_movement(&r);
    mo_primitive_contact contact;
    mo_primitive_distance d;
    unsigned long long n = (unsigned long long)i;
    cr_assert_eq(mo_primitive_cast_turning(&still, &moving, &movement, false, &contact), MO_OK);
    const int samples = 60;
    for (int k = 0; k <= samples; k++) {
      double t = (contact.found ? (double)contact.t : 1) * k / samples;
      mo_primitive there = at_time(moving, &movement, t);
      cr_assert_eq(mo_primitive_find_distance(&still, &there, INFINITY, &d), MO_OK);
      bool nearly = contact.found && (double)contact.t - t <= 1e-5;
      cr_assert(d.distance > 0 || nearly, "round %llu: through it at %g, contact %d at %g", n, t,
                contact.found, (double)contact.t);
    }
    if (contact.found && contact.t > 0) {
      met++;
      cr_assert(d.distance <= 2e-5, "round %llu: %g apart", n, d.distance);
      cr_assert(fabsf(mo_dot(contact.normal, contact.normal) - 1) < 1e-5f && contact.depth == 0);
    }
  }
  cr_assert(met > rounds / 20);
}

/* What does not turn, and what looks the same however it is turned, is cast as by
 * mo_primitive_cast. */
Test(turning, balls_and_no_angle) {
  rng r = rng_make(rng_seed("turning/plain", 333));
  for (uint64_t i = 0, n = rng_rounds(300, 20000); i < n; i++) {
    mo_primitive still = any_primitive(&r), moving = any_primitive(&r);
    mo_movement movement = any_movement(&r);
    mo_primitive_contact plain, turning;
    movement.angle = 0;
    cr_assert_eq(mo_primitive_cast(&still, &moving, movement.displacement, false, &plain), MO_OK);
    cr_assert_eq(mo_primitive_cast_turning(&still, &moving, &movement, false, &turning), MO_OK);
    cr_assert(plain.found == turning.found && (!plain.found || plain.t == turning.t));
    mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {movement.pivot, 0.5f}};
    moving = mo_primitive_of_geometry(&ball, NULL);
    movement.angle = 3;
    cr_assert_eq(mo_primitive_cast(&still, &moving, movement.displacement, false, &plain), MO_OK);
    cr_assert_eq(mo_primitive_cast_turning(&still, &moving, &movement, false, &turning), MO_OK);
    float length = sqrtf(mo_dot(movement.displacement, movement.displacement));
    cr_assert(plain.found == turning.found ||
              fabsf((plain.found ? plain.t : turning.t) - 1) < 1e-5f);
    cr_assert(!plain.found || !turning.found || (plain.t - turning.t) * length < 1e-2f);
  }
}

static mo_primitive box_at(mo_vec3 center, mo_vec3 half) {
  mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, half}};
  mo_transform at = mo_transform_identity();
  at.origin = center;
  return mo_primitive_of_geometry(&box, &at);
}

Test(turning, by_hand) {
  mo_primitive_contact c;
  mo_movement half_turn = {.axis = {0, 0, 2}, .angle = 3.14159274f};
  /* A long box whose ends are clear of a wall without thickness, but not what is between. */
  mo_primitive bar = box_at(mo_vec(0, 0, 0), mo_vec(10, 0.5f, 0.5f));
  mo_primitive wall = box_at(mo_vec(0, 8, 0), mo_vec(3, 0, 3));
  cr_assert_eq(mo_primitive_cast_turning(&wall, &bar, &half_turn, false, &c), MO_OK);
  /* It touches the wall's end (3, 8) with its long side: there 3 sin(a) - 8 cos(a) is -0.5. */
  double angle = atan2(8, 3) - asin(0.5 / sqrt(73.0));
  cr_assert(c.found && fabs((double)c.t * 3.14159265 - angle) < 1e-5, "%g", (double)c.t);
  cr_assert(fabsf(c.point.x - 3) < 1e-4f && fabsf(c.point.y - 8) < 1e-4f);
  /* About its own axis a cylinder stands still, however close the wall is. */
  mo_geometry drum = {.type = MO_SHAPE_CYLINDER, .cylinder = {{0, 0, -1}, {0, 0, 1}, 1}};
  mo_primitive roller = mo_primitive_of_geometry(&drum, NULL);
  wall = box_at(mo_vec(0, 1.000001f, 0), mo_vec(5, 0, 5));
  cr_assert_eq(mo_primitive_cast_turning(&wall, &roller, &half_turn, false, &c), MO_OK);
  cr_assert(!c.found);
  /* An axis across the wall: turning brings nothing closer. */
  mo_movement spin = {.displacement = {0, -2.5f, 0}, .axis = {0, 1, 0}, .angle = 6};
  mo_primitive plate = box_at(mo_vec(0, 3, 0), mo_vec(2, 0.5f, 1));
  wall = box_at(mo_vec(0, 0, 0), mo_vec(50, 0, 50));
  cr_assert_eq(mo_primitive_cast_turning(&wall, &plate, &spin, false, &c), MO_OK);
  cr_assert(c.found && fabsf(c.t - 1) < 1e-6f && c.normal.y > 0.999f);
  spin.displacement.y = -2.49f;
  cr_assert_eq(mo_primitive_cast_turning(&wall, &plate, &spin, false, &c), MO_OK);
  cr_assert(!c.found);
  /* From an overlap. */
  plate.transform.origin.y = 0.4f;
  cr_assert_eq(mo_primitive_cast_turning(&wall, &plate, &spin, false, &c), MO_OK);
  cr_assert(c.found && c.t == 0 && fabsf(c.depth - 0.1f) < 1e-6f);
}

/* A corner of a turning box that goes by a point of a triangle, or just catches it. */
Test(turning, grazing) {
  rng r = rng_make(rng_seed("turning/grazing", 335));
  for (int i = 0; i < 600; i++) {
    double a = (double)rng_float(&r, 0.2f, 30), b = (double)rng_float(&r, 0.2f, 30);
    mo_primitive box = box_at(mo_vec(0, 0, 0), mo_vec((float)a, (float)b, 1));
    a = (double)(float)a;
    b = (double)(float)b;
    double radius = sqrt(a * a + b * b), gap = ldexp(radius, -4 - (int)rng_below(&r, 14));
    /* Between this corner and the next. */
    double corner = atan2(b, a), pi = 3.14159265358979323846;
    double start = corner + (pi - 2 * corner) * (double)rng_float(&r, 0.4f, 0.6f);
    bool catches = rng_chance(&r, 0.5) && gap < 0.1 * (radius - fmax(a, b));
    double at = catches ? radius - gap : radius + gap;
    mo_vec3 out = mo_vec((float)cos(start), (float)sin(start), 0), up = mo_vec(0, 0, 0.5f);
    mo_vec3 point = mo_scale((float)at, out), far = mo_scale((float)(2 * at), out);
    mo_primitive still = mo_primitive_of_triangle(point, mo_add(far, up), mo_sub(far, up));
    mo_movement movement = {.axis = {0, 0, 1}, .angle = (float)(start - corner) + 0.05f};
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast_turning(&still, &box, &movement, false, &c), MO_OK);
    cr_assert_eq(c.found, catches, "round %d: %g from a corner at %g", i, gap, radius);
    if (catches) { /* with the side behind the corner */
      double slope = sqrt(1 - (b / at) * (b / at));
      double angle = start - asin(b / at), found = (double)c.t * (double)movement.angle;
      cr_assert(fabs(found - angle) < 1e-5 / slope, "round %d: at %g, not %g", i, found, angle);
    }
  }
}

Test(turning, between_poses) {
  rng r = rng_make(rng_seed("turning/poses", 334));
  for (int i = 0; i < 2000; i++) {
    mo_quat q = rng_rotation(&r), p = rng_rotation(&r);
    mo_vec3 scale = rng_vec3(&r, 0.2f, 3), zero = {0, 0, 0}, one = {1, 1, 1};
    mo_transform from = mo_transform_make(rng_vec3(&r, -5, 5), q, scale);
    mo_transform turn = mo_transform_make(zero, p, one);
    if (i % 4 == 0) { /* by half a turn, or nearly */
      mo_vec3 u = rng_direction(&r);
      float rest = i % 8 == 0 ? 0 : 1e-4f;
      turn = mo_transform_make(zero, (mo_quat){u.x, u.y, u.z, rest}, one);
    }
    mo_transform to = mo_transform_compose(&turn, &from);
    to.origin = rng_vec3(&r, -5, 5);
    mo_movement movement;
    cr_assert_eq(mo_movement_between(&from, &to, &movement), MO_OK);
    cr_assert(movement.angle >= 0 && movement.angle <= 3.1415928f);
    mo_primitive shape = {.transform = from};
    mo_transform end = at_time(shape, &movement, 1).transform;
    cr_assert(mo_max_magnitude(mo_sub(end.x_axis, to.x_axis)) < 1e-5f &&
                  mo_max_magnitude(mo_sub(end.y_axis, to.y_axis)) < 1e-5f &&
                  mo_max_magnitude(mo_sub(end.z_axis, to.z_axis)) < 1e-5f &&
                  mo_max_magnitude(mo_sub(end.origin, to.origin)) < 1e-5f,
              "%d", i);
    cr_assert_eq(mo_movement_between(&from, &from, &movement), MO_OK);
    cr_assert(movement.angle < 1e-6f);
    to.x_axis = mo_scale(1.1f, to.x_axis);
    cr_assert_eq(mo_movement_between(&from, &to, &movement), MO_ERROR_INVALID_ARGUMENT);
  }
}

/* A flat disc turns about a line in it: its rim comes round, its middle stays. Against a box, a
 * triangle and a half-space, near enough to be met. */
Test(turning, rims_of_discs_come_round) {
  for (int k = 0; k < 60; k++) {
    const double height = 0.05 + 0.015 * k, half = 0.001 * (1 + k % 7);
    const mo_geometry flat = {.type = MO_SHAPE_CYLINDER,
                              .cylinder = {{0, (float)-half, 0}, {0, (float)half, 0}, 1}};
    const mo_primitive disc = mo_primitive_of_geometry(&flat, NULL);
    const float y = (float)-height;
    const mo_primitive floors[3] = {
        box_at(mo_vec(0, y - 1, 0), mo_vec(3, 1, 3)),
        mo_primitive_of_triangle(mo_vec(-9, y, -9), mo_vec(0, y, 9), mo_vec(9, y, -9)),
        mo_primitive_of_half_space(mo_vec(0, 1, 0), y)};
    for (int i = 0; i < 6; i++) {
      const mo_movement turn = {.axis = {0, 0, 1}, .angle = i < 3 ? 6.2f : -3.1f};
      mo_primitive_contact c;
      cr_assert_eq(mo_primitive_cast_turning(&floors[i % 3], &disc, &turn, false, &c), MO_OK);
      const double by = (double)c.t * fabs((double)turn.angle);
      cr_assert(c.found && by < 1.6);
      cr_assert_float_eq(sin(by) + half * cos(by), height, 1e-5, "floor %d at %g: after %g", i,
                         height, by);
    }
  }
}

/* An ellipsoid that is nearly a ball turns its longest axis towards a floor, which is a little
 * farther than its middle radius and closer than its longest. */
Test(turning, ellipsoids_that_are_nearly_balls_come_round) {
  const double longer[] = {1e-4, 1e-3, 8e-3, 2e-2, 0.3};
  const mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 1}};
  for (int k = 0; k < 5; k++) {
    const float axis = 1 + (float)longer[k], height = 1 + 0.5f * (float)longer[k];
    const double a = (double)axis, h = (double)height;
    const mo_transform map =
        mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1}, mo_vec(axis, 1, 1));
    const mo_primitive body = mo_primitive_of_geometry(&ball, &map);
    const mo_primitive floors[2] = {box_at(mo_vec(0, -height - 1, 0), mo_vec(3, 1, 3)),
                                    mo_primitive_of_half_space(mo_vec(0, 1, 0), -height)};
    const double sine = sqrt((h * h - 1) / (a * a - 1)); /* of the angle at which they meet */
    for (int i = 0; i < 2; i++) {
      const mo_movement turn = {.axis = {0, 0, 1}, .angle = 1.5f};
      mo_primitive_contact c;
      cr_assert_eq(mo_primitive_cast_turning(&floors[i], &body, &turn, false, &c), MO_OK);
      const double by = (double)c.t * 1.5, reach = hypot(a * sin(by), cos(by));
      cr_assert(c.found && by <= asin(sine) + 1e-4,
                "longer by %g, floor %d: found %d at %g, not %g", longer[k], i, c.found, by,
                asin(sine));
      cr_assert(h - reach > -1e-6 && h - reach < 2e-6, "longer by %g: %g apart", longer[k],
                h - reach);
    }
  }
}

/* The rim of a disc goes down to a floor and up again: it is met where it just reaches the floor,
 * and not where it stays above by as much. */
Test(turning, rims_of_discs_graze) {
  const double half = 0x1p-10, reach = sqrt(1 + half * half);
  const mo_geometry flat = {.type = MO_SHAPE_CYLINDER,
                            .cylinder = {{0, (float)-half, 0}, {0, (float)half, 0}, 1}};
  const mo_primitive disc = mo_primitive_of_geometry(&flat, NULL);
  const mo_movement turn = {.axis = {0, 0, 1}, .angle = 3.1f};
  for (int k = 0; k < 40; k++) {
    for (int catches = 0; catches < 2; catches++) {
      const double gap = ldexp(1 + k % 3 / 3.0, -4 - k / 3);
      const float height = (float)(catches ? reach - gap : reach + gap);
      const mo_primitive floor = box_at(mo_vec(0, -height - 1, 0), mo_vec(3, 1, 3));
      mo_primitive_contact c;
      cr_assert_eq(mo_primitive_cast_turning(&floor, &disc, &turn, false, &c), MO_OK);
      cr_assert_eq(c.found, catches, "%g", gap);
      if (catches) {
        const double by = (double)c.t * 3.1;
        cr_assert(by < 1.5708 && fabs(sin(by) + half * cos(by) - (double)height) < 2e-6,
                  "%g: after %g", gap, by);
      }
    }
  }
}

/* A rod moves along x by ten lengths while it rotates by more than half a turn, and comes down on a
 * triangle with its end behind. With the pivot where it was at the start, that point would rise. */
Test(turning, back_faces_are_those_at_the_contact) {
  const mo_geometry rod = {.type = MO_SHAPE_CAPSULE, .capsule = {{0, 0, 0}, {1, 0, 0}, 0.01f}};
  const mo_transform identity = mo_transform_identity();
  const mo_primitive moving = mo_primitive_of_geometry(&rod, &identity);
  const mo_movement movement = {{10, 0, 0}, {0, 0, 0}, {0, 0, 1}, 4};
  const mo_vec3 a = {7.9f, -0.12f, -0.1f}, b = {8.1f, -0.12f, -0.1f}, c = {8, -0.12f, 0.1f};
  for (int faces_up = 0; faces_up < 2; faces_up++) {
    const mo_primitive still =
        faces_up ? mo_primitive_of_triangle(a, c, b) : mo_primitive_of_triangle(a, b, c);
    for (int cull = 0; cull < 2; cull++) {
      mo_primitive_contact contact;
      cr_assert_eq(mo_primitive_cast_turning(&still, &moving, &movement, cull, &contact), MO_OK);
      cr_assert_eq(contact.found, cull == 0 || faces_up, "%d %d", faces_up, cull);
      cr_assert(!contact.found || (contact.t > 0.8f && contact.normal.y > 0.9f));
    }
  }
}

static mo_movement movement_about(rng *r, mo_vec3 pivot) {
  const float max = rng_chance(r, 0.5) ? 2 : 50;
  return (mo_movement){.displacement = mo_scale(rng_float(r, 0, max), rng_direction(r)),
                       .pivot = pivot,
                       .axis = rng_direction(r),
                       .angle = rng_chance(r, 0.3) ? 0 : rng_float(r, -6, 6)};
}

/* How much less two bodies are apart at a time than at another one before, along a normal that
 * rotates with one of them from then on. */
static double shrunk_by(mo_approach *p, const mo_moving_body *frame, mo_dvec3 normal, double from,
                        double to) {
  return mo_approach_separation(p, from, normal) -
         mo_approach_separation(p, to, mo_rotate_at(&frame->rotation, to - from, normal));
}

/* Along a normal that rotates with one of two bodies they come closer no faster than is said. */
Test(turning, speeds_along_rotating_normals) {
  rng r = rng_make(rng_seed("turning/speeds", 336));
  int tight = 0;
  for (int i = 0; i < 4000; i++) {
    mo_prepared_primitive prepared[2];
    mo_moving_body moving[2];
    for (int k = 0; k < 2; k++) {
      mo_primitive p = any_primitive(&r);
      while (p.type == MO_PRIMITIVE_HALF_SPACE) {
        p = any_primitive(&r);
      }
      const mo_movement m = movement_about(&r, p.transform.origin);
      cr_assert_eq(mo_primitive_prepare(&prepared[k], &p, NULL), MO_OK);
      cr_assert_eq(mo_moving_body_make(&moving[k], &prepared[k].body, &m, NULL), MO_OK);
    }
    mo_approach p;
    mo_approach_init(&p, &moving[0], &moving[1], 1);
    const mo_dvec3 normal = mo_dunit(mo_widen(rng_direction(&r)));
    const double speed = mo_approach_speed_in_body_frame(&p, normal);
    const double from = (double)rng_float(&r, 0, 0.95f);
    for (int k = 1; k <= 40 && speed < (double)INFINITY; k++) {
      const double t = (1 - from) * k / 40;
      double min = (double)INFINITY;
      for (int f = 0; f < 2; f++) {
        if (moving[f].rotates) {
          min = fmin(min, shrunk_by(&p, &moving[f], normal, from, from + t));
        }
      }
      cr_assert(min <= speed * t + 1e-5, "%d: by %g in %g, at most %g", i, min, t, speed * t);
      tight += min > 0.7 * speed * t;
    }
  }
  cr_assert(tight > 100, "%d", tight);
}

/* A disc turns over beside a box that hardly turns, far from the disc's axis. Along a normal that
 * rotates with the box, the rim of the disc comes closer by its radius. */
Test(turning, speeds_of_discs_along_rotating_normals) {
  const mo_geometry shapes[2] = {
      {.type = MO_SHAPE_BOX, .box = {{20, -3, 0}, {1, 1, 1}}},
      {.type = MO_SHAPE_CYLINDER, .cylinder = {{0, -0.001f, 0}, {0, 0.001f, 0}, 1}}};
  const float angles[2] = {0.001f, 6.28f};
  mo_prepared_primitive prepared[2];
  mo_moving_body moving[2];
  for (int k = 0; k < 2; k++) {
    const mo_transform at = mo_transform_identity();
    const mo_primitive p = mo_primitive_of_geometry(&shapes[k], &at);
    const mo_movement m = {.axis = {0, 0, 1}, .angle = angles[k]};
    cr_assert_eq(mo_primitive_prepare(&prepared[k], &p, NULL), MO_OK);
    cr_assert_eq(mo_moving_body_make(&moving[k], &prepared[k].body, &m, NULL), MO_OK);
  }
  mo_approach p;
  mo_approach_init(&p, &moving[0], &moving[1], 1);
  const mo_dvec3 up = {0, 1, 0};
  const double shrunk = shrunk_by(&p, &moving[0], up, 0, 0.25);
  cr_assert(shrunk > 0.95 && shrunk < 1.05, "%g", shrunk);
  cr_assert(mo_approach_speed_in_body_frame(&p, up) >= shrunk / 0.25);
}
