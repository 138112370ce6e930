/* Contacts of moving bodies with triangles and other bodies, by their definition in long double:
 * where a body first touches another, the plane through the point of contact, at right angles to
 * the normal, has the other on one side and the body on the other, both touch it, and the body
 * moves towards it. Coordinates are on a coarse grid, so that edges, axes and paths are parallel
 * and things touch in more than one point. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/geometry.h>
#include <stdio.h>

#include "support/rng.h"

typedef long double real;
typedef struct point {
  real x, y, z;
} point;

static point of(mo_vec3 v) {
  return (point){(real)v.x, (real)v.y, (real)v.z};
}

static point moved(point p, real t, point by) {
  return (point){p.x + t * by.x, p.y + t * by.y, p.z + t * by.z};
}

static point minus(point a, point b) {
  return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static real dot(point a, point b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* How far a disc reaches beyond its centre. */
static real reach_of_disc(real radius, point axis, point n) {
  const real along = dot(axis, n);
  return radius * sqrtl(fmaxl(dot(n, n) - along * along / dot(axis, axis), 0));
}

/* The lowest height of a body along n, when it has been moved by t. */
static real min_height(const mo_geometry *g, point n, real t, point by) {
  if (g->type == MO_SHAPE_SPHERE) {
    return dot(n, moved(of(g->sphere.center), t, by)) - (real)g->sphere.radius * sqrtl(dot(n, n));
  }
  if (g->type == MO_SHAPE_BOX) {
    const point half = of(g->box.half_extents);
    return dot(n, moved(of(g->box.center), t, by)) - fabsl(n.x) * half.x - fabsl(n.y) * half.y -
           fabsl(n.z) * half.z;
  }
  /* The ends of capsules, cylinders and cones have the same places. */
  const point a = of(g->capsule.a), b = of(g->capsule.b);
  const real heights[2] = {dot(n, moved(a, t, by)), dot(n, moved(b, t, by))};
  const real radius = (real)g->capsule.radius, ball = radius * sqrtl(dot(n, n));
  const real disc = reach_of_disc(radius, minus(b, a), n);
  const bool is_capsule = g->type == MO_SHAPE_CAPSULE, is_cone = g->type == MO_SHAPE_CONE;
  return fminl(heights[0] - (is_capsule ? ball
                             : is_cone  ? 0
                                        : disc),
               heights[1] - (is_capsule ? ball : disc));
}

static float on_grid(rng *r, int half) {
  return (float)((int)rng_below(r, 2 * (uint32_t)half + 1) - half) / 8;
}

static mo_vec3 point_on_grid(rng *r) {
  const float x = on_grid(r, 16), y = on_grid(r, 16), z = on_grid(r, 16);
  return (mo_vec3){x, y, z};
}

static mo_geometry round_body(rng *r) {
  static const mo_shape_type types[] = {MO_SHAPE_SPHERE, MO_SHAPE_CAPSULE, MO_SHAPE_CYLINDER,
                                        MO_SHAPE_CONE};
  mo_geometry g = {.type = types[rng_below(r, 4)]};
  const float radius = (float)(1 + rng_below(r, 12)) / 8;
  if (g.type == MO_SHAPE_SPHERE) {
    g.sphere = (mo_sphere){point_on_grid(r), radius};
    return g;
  }
  g.capsule.a = point_on_grid(r);
  g.capsule.b = rng_chance(r, 0.3) ? g.capsule.a : point_on_grid(r);
  if (g.capsule.a.x == g.capsule.b.x && g.capsule.a.y == g.capsule.b.y &&
      g.capsule.a.z == g.capsule.b.z) {
    g.capsule.b.y += 1;
  }
  g.capsule.radius = radius;
  return g;
}

/* Half of all paths are parallel to an axis or a plane of the grid. */
static mo_vec3 any_path(rng *r) {
  mo_vec3 way = point_on_grid(r);
  for (int i = 0; i < 2; i++) {
    if (rng_chance(r, 0.5)) {
      (&way.x)[rng_below(r, 3)] = 0;
    }
  }
  return way;
}

/* Times and normals are floats, and contacts may be early by 1e-7 of the sizes. */
static const real tolerance = 2e-5L;

/* (None is wrong of twelve million paths.) */
Test(contact_plane, separates_triangle_and_body) {
  rng r = rng_make(rng_seed("contact_plane", 7411));
  const uint64_t rounds = rng_rounds(150000, 3000000);
  uint64_t met = 0, wrong = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_vec3 corners[3];
    for (int k = 0; k < 3; k++) {
      corners[k] = point_on_grid(&r);
    }
    const mo_geometry body = round_body(&r);
    const mo_vec3 way = any_path(&r);
    const mo_primitive still = mo_primitive_of_triangle(corners[0], corners[1], corners[2]);
    const mo_primitive moving = mo_primitive_of_geometry(&body, NULL);
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast(&still, &moving, way, false, &c), MO_OK);
    if (!c.found || c.t == 0) {
      continue;
    }
    const point n = of(c.normal);
    real top = -INFINITY;
    for (int k = 0; k < 3; k++) {
      top = fmaxl(top, dot(n, of(corners[k])));
    }
    const real bottom = min_height(&body, n, (real)c.t, of(way)), at = dot(n, of(c.point));
    cr_assert(fabsl(dot(n, n) - 1) < tolerance);
    if (!(fabsl(top - at) <= tolerance && fabsl(bottom - at) <= tolerance)) {
      wrong++;
      printf("round %llu, type %d: triangle up to %Lg of the plane, body down to %Lg, t %g\n",
             (unsigned long long)i, (int)body.type, top - at, bottom - at, (double)c.t);
    } else {
      cr_assert(dot(n, of(way)) <= tolerance, "round %llu, type %d: they part at t %g",
                (unsigned long long)i, (int)body.type, (double)c.t);
    }
    met++;
  }
  cr_assert(met > rounds / 20, "%llu of %llu", (unsigned long long)met, (unsigned long long)rounds);
  cr_assert_eq(wrong, 0, "%llu of %llu", (unsigned long long)wrong, (unsigned long long)met);
}

static mo_geometry any_body(rng *r) {
  if (rng_chance(r, 0.6)) {
    return round_body(r);
  }
  mo_geometry box = {.type = MO_SHAPE_BOX, .box.center = point_on_grid(r)};
  for (int axis = 0; axis < 3; axis++) {
    (&box.box.half_extents.x)[axis] = (float)(1 + rng_below(r, 12)) / 8;
  }
  return box;
}

/* Where a corner slides past an edge, in the plane of a flat end, rounding may hide which way leads
 * out: of 700,000 contacts, the normal of one is wrong. */
Test(contact_plane, separates_two_bodies) {
  rng r = rng_make(rng_seed("contact_plane/bodies", 7412));
  const uint64_t rounds = rng_rounds(60000, 3000000);
  uint64_t met = 0, wrong = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const mo_geometry other = any_body(&r), body = any_body(&r);
    const mo_vec3 way = any_path(&r);
    const mo_primitive still = mo_primitive_of_geometry(&other, NULL);
    const mo_primitive moving = mo_primitive_of_geometry(&body, NULL);
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast(&still, &moving, way, false, &c), MO_OK);
    if (!c.found || c.t == 0) {
      continue;
    }
    const point n = of(c.normal), back = {-n.x, -n.y, -n.z}, none = {0, 0, 0};
    const real top = -min_height(&other, back, 0, none),
               bottom = min_height(&body, n, (real)c.t, of(way)), at = dot(n, of(c.point));
    cr_assert(fabsl(dot(n, n) - 1) < tolerance);
    wrong += !(fabsl(top - at) <= tolerance && fabsl(bottom - at) <= tolerance &&
               dot(n, of(way)) <= tolerance);
    met++;
  }
  cr_assert(met > rounds / 20, "%llu of %llu", (unsigned long long)met, (unsigned long long)rounds);
  cr_assert(wrong <= rounds / 1000000, "%llu of %llu", (unsigned long long)wrong,
            (unsigned long long)met);
}

/* A ball or capsule whose path only grazes a corner touches it, at a known time. The corner is the
 * highest point of the triangle, the lowest one of the ball passes over it. */
Test(contact_plane, what_only_grazes_touches) {
  rng r = rng_make(rng_seed("contact_plane/grazing", 7412));
  const uint64_t rounds = rng_rounds(4000, 100000);
  for (uint64_t i = 0; i < rounds; i++) {
    const mo_vec3 corner = point_on_grid(&r);
    mo_vec3 others[2];
    for (int k = 0; k < 2; k++) {
      others[k] = point_on_grid(&r);
      others[k].y = corner.y - (float)(1 + rng_below(&r, 8)) / 8;
    }
    const float radius = (float)(1 + rng_below(&r, 12)) / 8, before = 4 + (float)rng_below(&r, 16);
    const float after = 1 + (float)rng_below(&r, 8);
    mo_geometry body = {.type = MO_SHAPE_SPHERE};
    body.sphere = (mo_sphere){{corner.x - before, corner.y + radius, corner.z}, radius};
    if (rng_chance(&r, 0.5)) { /* upright: the lower end passes over the corner */
      const mo_vec3 end = body.sphere.center;
      body = (mo_geometry){.type = MO_SHAPE_CAPSULE};
      body.capsule = (mo_capsule){end, {end.x, end.y + 1, end.z}, radius};
    }
    const mo_primitive still = mo_primitive_of_triangle(corner, others[0], others[1]);
    const mo_primitive moving = mo_primitive_of_geometry(&body, NULL);
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast(&still, &moving, (mo_vec3){before + after, 0, 0}, false, &c),
                 MO_OK);
    cr_assert(c.found);
    const float expected = before / (before + after);
    cr_assert(fabsf(c.t - expected) <= 1e-6f, "t %a, expected %a", (double)c.t, (double)expected);
    cr_assert(c.normal.y > 1 - 1e-6f && fabsf(c.normal.x) < 2e-6f && fabsf(c.normal.z) < 2e-6f,
              "normal %a %a %a", (double)c.normal.x, (double)c.normal.y, (double)c.normal.z);
  }
}

/* A triangle whose highest corner is in the plane of a cylinder's flat end, and where the bounds of
 * both meet just when the cylinder comes to that corner: there closest points show no way out. */
Test(contact_plane, flat_ends_slide_to_corners) {
  rng r = rng_make(rng_seed("contact_plane/ends", 7413));
  const uint64_t rounds = rng_rounds(4000, 100000);
  for (uint64_t i = 0; i < rounds; i++) {
    mo_vec3 corners[3] = {point_on_grid(&r)};
    for (int k = 1; k < 3; k++) {
      corners[k] = corners[0];
      corners[k].x += (float)rng_below(&r, 16) / 8;
      corners[k].y -= (float)(1 + rng_below(&r, 8)) / 8;
      corners[k].z += on_grid(&r, 16);
    }
    const float radius = (float)(1 + rng_below(&r, 12)) / 8;
    const float forward = (float)(1 + rng_below(&r, 32)) / 8, aside = on_grid(&r, 32);
    const float t = (float)(1 + rng_below(&r, 7)) / 8;
    const mo_vec3 way = {forward, 0, aside};
    mo_geometry body = {.type = MO_SHAPE_CYLINDER};
    body.cylinder.a =
        (mo_vec3){corners[0].x - radius - t * forward, corners[0].y, corners[0].z - t * aside};
    body.cylinder.b = body.cylinder.a;
    body.cylinder.b.y += 1;
    body.cylinder.radius = radius;
    const mo_primitive still = mo_primitive_of_triangle(corners[0], corners[1], corners[2]);
    const mo_primitive moving = mo_primitive_of_geometry(&body, NULL);
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast(&still, &moving, way, false, &c), MO_OK);
    cr_assert(c.found && fabsf(c.t - t) < 1e-6f, "round %llu: t %g, not %g", (unsigned long long)i,
              (double)c.t, (double)t);
    const point n = of(c.normal);
    real top = -INFINITY;
    for (int k = 0; k < 3; k++) {
      top = fmaxl(top, dot(n, of(corners[k])));
    }
    const real bottom = min_height(&body, n, (real)c.t, of(way));
    cr_assert(fabsl(top - bottom) <= tolerance && dot(n, of(way)) <= tolerance,
              "round %llu: normal %g %g %g", (unsigned long long)i, (double)c.normal.x,
              (double)c.normal.y, (double)c.normal.z);
  }
}
