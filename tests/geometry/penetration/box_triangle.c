/* Boxes against triangles in closed form, against the Minkowski difference of their corners: the
 * planes through three of its 24 points that have all others on one side, by brute force in long
 * double. */
#include "geometry/penetration/box_triangle.h"

#include <criterion/criterion.h>

#include "geometry/triangle/triangle.h"
#include "oracle/solids.h"

enum { POINTS = 24 };

/* A box and a triangle: corners of the triangle minus corners of the box, relative to its centre.
 */
typedef struct subject {
  mo_convex convex;
  mo_box_body box;
  mo_dvec3 corners[3];
  ldvec points[POINTS];
  ldouble size;
} subject;

static mo_dvec3 near_box(const subject *s, rng *r, float spread) {
  mo_dvec3 center = mo_dadd(s->box.center, s->box.center_remainder);
  return mo_dadd(center, mo_widen(rng_vec3(r, -spread, spread)));
}

static void set_corners(subject *s, rng *r) {
  float spread = ldexpf(1.0f, (int)rng_below(r, 6) - 2);
  for (int i = 0; i < 3; i++) {
    s->corners[i] = near_box(s, r, spread);
  }
  if (rng_chance(r, 0.1)) { /* a segment, also of three points; a sliver */
    s->corners[1] =
        rng_chance(r, 0.5) ? s->corners[0] : mo_dscale(0.5, mo_dadd(s->corners[0], s->corners[2]));
  } else if (rng_chance(r, 0.1)) {
    float width = ldexpf(1.0f, -(int)rng_below(r, 40));
    s->corners[1] = mo_dadd(s->corners[0], mo_widen(rng_vec3(r, -width, width)));
  } else if (rng_chance(r, 0.3)) { /* parallel to a side, an edge along another one */
    mo_dvec3 e = mo_dscale((double)rng_float(r, -3, 3), s->box.direction[0]);
    mo_dvec3 f = mo_dscale((double)rng_float(r, -3, 3), s->box.direction[1]);
    s->corners[1] = mo_dadd(s->corners[0], e);
    s->corners[2] = mo_dadd(s->corners[0], rng_chance(r, 0.5) ? f : mo_dadd(e, f));
  }
}

static void set_points(subject *s) {
  s->size = 0;
  for (int i = 0; i < POINTS; i++) {
    ldvec p = ld_sub(ld_sub(ld(s->corners[i / 8]), ld(s->box.center)), ld(s->box.center_remainder));
    for (int k = 0; k < 3; k++) {
      ldvec v = ld(s->box.segment[k]);
      ldouble sign = i >> k & 1 ? -1 : 1;
      p = (ldvec){p.x + sign * v.x, p.y + sign * v.y, p.z + sign * v.z};
    }
    s->points[i] = p;
    s->size = fmaxl(s->size, ld_norm(p));
  }
}

static subject random_subject(rng *r) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR, RNG_MIRROR,
                                             RNG_FAR};
  mo_transform map = rng_transform(r, kinds[rng_below(r, 5)], 2);
  if (rng_chance(r, 0.2)) {
    map = mo_transform_identity();
  }
  mo_solid local = {.kind = MO_SOLID_BOX, .a = mo_widen(rng_vec3(r, -1, 1))};
  local.b = mo_widen(rng_vec3(r, 0.01f, 1));
  local.b.x = rng_chance(r, 0.1) ? 0.0 : local.b.x;
  local.b.y = rng_chance(r, 0.1) ? 0.0 : local.b.y;
  subject s = {.convex = mo_convex_make(&local, &map)};
  const mo_body body = mo_body_of_convex(&s.convex);
  s.box = mo_box_body_of(&body);
  if (s.box.is_usable) {
    set_corners(&s, r);
    set_points(&s);
  }
  return s;
}

/* When the line from the origin along `way` is inside the convex hull of the points, and how deep
 * the origin lies in it. */
typedef struct truth {
  ldouble enter, leave, depth;
  bool is_solid; /* the points do not lie in a plane */
} truth;

static void offer_plane(const subject *s, ldvec normal, ldvec at, ldvec way, truth *found) {
  ldouble low = 0, high = 0;
  for (int i = 0; i < POINTS; i++) {
    ldouble height = ld_dot(normal, ld_sub(s->points[i], at));
    low = fminl(low, height);
    high = fmaxl(high, height);
  }
  const ldouble tolerance = 1e-15L * s->size;
  found->is_solid = found->is_solid || high - low > 1e-6L * s->size;
  for (int side = 0; side < 2; side++) {
    if (side == 0 ? high > tolerance : low < -tolerance) {
      continue;
    }
    ldouble sign = side == 0 ? 1 : -1;
    ldouble offset = sign * ld_dot(normal, at), speed = sign * ld_dot(normal, way);
    found->depth = fminl(found->depth, offset);
    if (speed < 0) {
      found->enter = fmaxl(found->enter, offset / speed);
    } else if (speed > 0) {
      found->leave = fminl(found->leave, offset / speed);
    } else if (offset < 0) {
      found->enter = INFINITY;
    }
  }
}

static truth truth_of(const subject *s, mo_dvec3 displacement) {
  truth found = {-INFINITY, INFINITY, INFINITY, false};
  for (int i = 0; i < POINTS; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) {
        ldvec e = ld_sub(s->points[j], s->points[i]), f = ld_sub(s->points[k], s->points[i]);
        ldvec normal = ld_cross(e, f);
        ldouble long_enough = ld_norm(normal);
        if (long_enough > 1e-7L * ld_norm(e) * ld_norm(f) && ld_norm(e) * ld_norm(f) > 0) {
          normal = (ldvec){normal.x / long_enough, normal.y / long_enough, normal.z / long_enough};
          offer_plane(s, normal, s->points[i], ld(displacement), &found);
        }
      }
    }
  }
  return found;
}

/* How far a contact point may be off: of slivers, the normal is known no better than their corners
 * are to their width. */
static ldouble point_tolerance(const subject *s, ldouble tolerance) {
  ldvec e = ld_sub(ld(s->corners[1]), ld(s->corners[0])),
        f = ld_sub(ld(s->corners[2]), ld(s->corners[0]));
  ldouble longest = fmaxl(ld_norm(ld_sub(e, f)), fmaxl(ld_norm(e), ld_norm(f)));
  ldouble width = ld_norm(ld_cross(e, f)) / longest;
  return tolerance + 1e-8L * s->size + 1e-14L * s->size * s->size / width;
}

/* The box, moved by `shift`, touches the triangle at the point, and lies beyond it along the
 * normal. */
static void check_touch(const subject *s, mo_dvec3 shift, mo_dvec3 normal, ldouble tolerance,
                        unsigned long long round) {
  cr_assert(fabs(mo_ddot(normal, normal) - 1.0) < 1e-12);
  for (int i = 0; i < POINTS; i++) {
    ldouble height = ld_dot(ld(normal), ld_sub(s->points[i], ld(shift)));
    cr_assert(height <= tolerance, "round %llu: %Lg deep", round, height);
  }
  mo_dvec3 point = mo_box_find_touch_point(&s->box, shift, normal, s->corners);
  mo_dvec3 off = mo_dsub(mo_triangle_closest_point(s->corners, point), point);
  cr_assert(ld_norm(ld(off)) <= tolerance, "round %llu: not on the triangle", round);
  ldvec in =
      ld_sub(ld_sub(ld_sub(ld(point), ld(s->box.center)), ld(s->box.center_remainder)), ld(shift));
  for (int k = 0; k < 3; k++) {
    ldvec side = ld(s->box.normal[k]);
    ldouble out = fabsl(ld_dot(side, in)) - fabsl(ld_dot(side, ld(s->box.segment[k])));
    cr_assert(out <= point_tolerance(s, tolerance),
              "round %llu: the point is %Lg outside of the box", round, out);
  }
}

Test(box_triangle, as_planes_of_the_difference) {
  rng r = rng_make(rng_seed("box_triangle/planes", 381));
  uint64_t rounds = rng_few_rounds(800, 100000), touched = 0, deep = 0, missed = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    unsigned long long round = (unsigned long long)i;
    const subject s = random_subject(&r);
    if (!s.box.is_usable) {
      continue; /* sheared too much */
    }
    mo_dvec3 center = mo_dadd(s.box.center, s.box.center_remainder);
    mo_dvec3 way = mo_dscale((double)rng_float(&r, 0.5f, 3), mo_dsub(near_box(&s, &r, 1), center));
    if (rng_chance(&r, 0.3)) { /* along an edge */
      way = mo_dscale((double)rng_float(&r, -4, 4), s.box.direction[rng_below(&r, 3)]);
    }
    const truth t = truth_of(&s, way);
    if (!t.is_solid) {
      continue;
    }
    const ldouble reach = fabs(center.x) + fabs(center.y) + fabs(center.z);
    const ldouble tolerance = 1e-11L * s.size + 1e-14L * reach;
    const mo_box_path path = {way, 2.0, 1e-10 * (double)s.size, 1e-14 * (double)s.size};
    const mo_box_sweep found = mo_box_sweep_triangle(&s.box, s.corners, &path);
    const mo_box_push_out out = mo_box_find_push_out(&s.box, s.corners, -INFINITY);
    if (t.depth > 1e-8L * s.size) {
      deep++;
      cr_assert(found.starts_near, "round %llu: they overlap at the start", round);
      cr_assert(fabsl(out.depth - t.depth) <= tolerance, "round %llu: depth %.17g, not %.17Lg",
                round, out.depth, t.depth);
      check_touch(&s, mo_dscale(out.depth, out.normal), out.normal, tolerance, round);
      const mo_box_push_out min = mo_box_find_push_out(&s.box, s.corners, out.depth);
      cr_assert(min.depth == out.depth && memcmp(&min, &out, sizeof out) == 0);
      cr_assert(mo_box_find_push_out(&s.box, s.corners, 1.001 * out.depth).depth <
                1.001 * out.depth);
    } else if (t.depth < -1e-8L * s.size) {
      cr_assert(out.depth < 0.0, "round %llu: they do not overlap", round);
      const ldouble slack = 1e-8L * (1 + s.size / (ld_norm(ld(way)) + 1e-30L));
      if (t.enter < t.leave - slack && t.enter < 2 - slack && t.leave > slack) {
        touched++;
        cr_assert(!found.starts_near && fabsl(found.t - t.enter) <= slack,
                  "round %llu: t %.17g, not %.17Lg", round, found.t, t.enter);
        cr_assert(mo_ddot(found.normal, way) < 0.0, "round %llu: it leaves", round);
        check_touch(&s, mo_dscale(found.t, way), found.normal, tolerance, round);
      } else if (t.enter > t.leave + slack || t.leave < -slack || t.enter > 2 + slack) {
        missed++;
        cr_assert(found.t == INFINITY, "round %llu: t %.17g, but %.17Lg to %.17Lg", round, found.t,
                  t.enter, t.leave);
      }
    }
  }
  cr_assert(touched > rounds / 20 && deep > rounds / 20 && missed > rounds / 20, "%llu %llu %llu",
            (unsigned long long)touched, (unsigned long long)deep, (unsigned long long)missed);
}

static mo_box_body cube_at(mo_convex *convex, double x, double y, double z) {
  const mo_transform map = mo_transform_identity();
  const mo_solid local = {.kind = MO_SOLID_BOX, .a = {x, y, z}, .b = {0.5, 0.5, 0.5}};
  *convex = mo_convex_make(&local, &map);
  const mo_body body = mo_body_of_convex(convex);
  return mo_box_body_of(&body);
}

/* Contacts of flat faces: on a large triangle, the middle of the box's face; beside its edges, the
 * middle of a part of an edge. Boxes that slide along a face, or past an edge, touch. */
Test(box_triangle, by_hand) {
  const mo_dvec3 wall[3] = {{2, -9, -9}, {2, 9, -9}, {2, 0, 9}},
                 small[3] = {{2, 0.25, 0.25}, {2, 3, 0.25}, {2, 0.25, 3}};
  mo_convex convex;
  mo_box_body cube = cube_at(&convex, 0, 0, 0);
  mo_box_path path = {{2, 0, 0}, 1, 1e-9, 1e-14};
  mo_box_sweep found = mo_box_sweep_triangle(&cube, wall, &path);
  cr_assert(found.t == 0.75 && found.normal.x == -1 && found.normal.y == 0 && !found.starts_near);
  mo_dvec3 point = mo_box_find_touch_point(&cube, (mo_dvec3){1.5, 0, 0}, found.normal, wall);
  cr_assert(point.x == 2 && fabs(point.y) < 1e-15 && fabs(point.z) < 1e-15);
  found = mo_box_sweep_triangle(&cube, small, &path);
  cr_assert(found.t == 0.75 && found.normal.x == -1);
  point = mo_box_find_touch_point(&cube, (mo_dvec3){1.5, 0, 0}, found.normal, small);
  cr_assert(fabs(fabs(point.y - point.z) - 0.125) < 1e-15 && fmin(point.y, point.z) == 0.25,
            "the middle of one of two parts: %g %g", point.y, point.z);
  path.limit = 0.7;
  cr_assert(mo_box_sweep_triangle(&cube, wall, &path).t == INFINITY, "later than the limit");
  path.limit = 1;
  path.displacement = (mo_dvec3){0, 2, 0};
  cr_assert(mo_box_sweep_triangle(&cube, wall, &path).t == INFINITY, "parallel to it");
  cube = cube_at(&convex, 1.5, 0, 0);
  cr_assert(mo_box_sweep_triangle(&cube, wall, &path).starts_near, "slides along it");
  cube = cube_at(&convex, 1.5, -2, 0.75);
  found = mo_box_sweep_triangle(&cube, small, &path);
  cr_assert(found.t == 0.875 && found.normal.y == -1, "slides into its edge: %g", found.t);
  cube = cube_at(&convex, 1.75, 0, 0);
  const mo_box_push_out out = mo_box_find_push_out(&cube, wall, -INFINITY);
  cr_assert(out.depth == 0.25 && out.normal.x == -1);
}
