/* Overlap of convex solids. Random pairs are brought by translation to where the answer is known:
 * to share a point, or to be apart by a known gap along a known direction. */
#include <criterion/criterion.h>

#include "geometry/distance/distance.h"
#include "geometry/overlap/overlap.h"
#include "oracle/solids.h"

static const mo_transform identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

static mo_convex ball(float x, float y, float z, float radius) {
  return convex_sphere((mo_sphere){{x, y, z}, radius}, &identity);
}

static mo_convex block(mo_vec3 center, mo_vec3 half) {
  return convex_box(center, half, &identity);
}

static bool both(const mo_convex *a, const mo_convex *b) {
  bool answer = solids_within(a, b, 0);
  cr_assert(solids_within(b, a, 0) == answer);
  return answer;
}

Test(convex_overlap, balls) {
  mo_convex a = ball(0, 0, 0, 2), b = ball(3, 4, 0, 3), c = ball(3, 4, 0, 2.9999f);
  cr_assert(both(&a, &b), "touching");
  cr_assert(!both(&a, &c));
  cr_assert(both(&a, &a) && both(&b, &c));
  mo_convex p = ball(0, 2, 0, 0), q = ball(0, 2.000001f, 0, 0);
  cr_assert(both(&a, &p) && !both(&a, &q) && both(&p, &p) && !both(&p, &q), "points");
}

Test(convex_overlap, boxes) {
  mo_convex a = block(mo_vec(0, 0, 0), mo_vec(1, 1, 1));
  mo_convex face = block(mo_vec(3, 0.5f, 0.5f), mo_vec(2, 2, 2));
  mo_convex corner = block(mo_vec(2, 2, 2), mo_vec(1, 1, 1));
  mo_convex beside = block(mo_vec(3.00001f, 0, 0), mo_vec(2, 2, 2));
  mo_convex around = block(mo_vec(0, 0, 0), mo_vec(9, 9, 9));
  cr_assert(both(&a, &face) && both(&a, &corner) && !both(&a, &beside) && both(&a, &around));
  /* Standing on an edge: a square turned by 45 degrees reaches sqrt(2). */
  mo_transform turned = {{1, 1, 0}, {-1, 1, 0}, {0, 0, 1}, {3, 0, 0}};
  mo_convex diamond = convex_box(mo_vec(0, 0, 0), mo_vec(1, 1, 1), &turned);
  cr_assert(both(&a, &diamond), "the edge touches the face");
  turned.origin.x = 3.00001f;
  diamond = convex_box(mo_vec(0, 0, 0), mo_vec(1, 1, 1), &turned);
  cr_assert(!both(&a, &diamond));
  /* Only the cross product of two edges separates. */
  mo_transform edge = {{1, 1, 0}, {0, 0, 1}, {1, -1, 0}, {0, 0, 0}};
  mo_convex first = convex_box(mo_vec(0, 0, 0), mo_vec(1, 9, 1), &edge);
  mo_transform across = {{1, 1, 0}, {0, 0, 1}, {1, -1, 0}, {0, 0, 0}};
  across.x_axis = mo_vec(0, 1, 1);
  across.y_axis = mo_vec(1, 0, 0);
  across.z_axis = mo_vec(0, 1, -1);
  across.origin = mo_vec(0, 4, 0);
  mo_convex second = convex_box(mo_vec(0, 0, 0), mo_vec(1, 9, 1), &across);
  cr_assert(both(&first, &second), "edges touch");
  across.origin.y = 4.00001f;
  second = convex_box(mo_vec(0, 0, 0), mo_vec(1, 9, 1), &across);
  cr_assert(!both(&first, &second));
}

Test(convex_overlap, capsules) {
  mo_convex a = convex_capsule(mo_vec(-5, 0, 0), mo_vec(5, 0, 0), 1, &identity);
  mo_convex b = convex_capsule(mo_vec(0, -5, 3), mo_vec(0, 5, 3), 2, &identity);
  mo_convex c = convex_capsule(mo_vec(0, -5, 3), mo_vec(0, 5, 3), 1.9999f, &identity);
  mo_convex d = convex_capsule(mo_vec(8, 4, 0), mo_vec(20, 9, 0), 4, &identity);
  cr_assert(both(&a, &b) && !both(&a, &c));
  cr_assert(both(&a, &d), "ends, by 3-4-5");
  mo_convex point = convex_capsule(mo_vec(1, 1, 0), mo_vec(1, 1, 0), 0, &identity);
  cr_assert(both(&a, &point));
}

/* A right triangle of 3, 4 and 5 turned around its side of 4. */
Test(convex_overlap, cones) {
  solid spike = {.kind = MO_SOLID_CONE, .a = {-2, 0, 0}, .b = {2, 0, 0}, .radius = 3};
  mo_convex a = solid_convex(&spike, &identity);
  mo_convex side = ball(-3, 5.5f, 0, 5), past = ball(-3, 5.5f, 0, 4.9999f);
  cr_assert(both(&a, &side) && !both(&a, &past), "side");
  mo_convex rim = ball(5, 7, 0, 5), beyond = ball(5, 7, 0, 4.9999f);
  cr_assert(both(&a, &rim) && !both(&a, &beyond), "rim");
  mo_convex apex = ball(-5, 0, 0, 3), before = ball(-5, 0, 0, 2.9999f);
  cr_assert(both(&a, &apex) && !both(&a, &before), "apex");
  mo_convex corner = block(mo_vec(-2, 3, 0), mo_vec(1, 1, 1));
  cr_assert(!both(&a, &corner), "in its box, beside its side");
  mo_transform half_turn = {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 3, 0}};
  mo_convex beside = solid_convex(&spike, &half_turn);
  cr_assert(both(&a, &beside), "side to side");
  half_turn.origin = mo_vec(-0.6e-4f, 3 + 0.8e-4f, 0);
  beside = solid_convex(&spike, &half_turn);
  cr_assert(!both(&a, &beside));
  mo_transform move = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {4, 2.9f, 0}};
  mo_convex behind = solid_convex(&spike, &move);
  cr_assert(both(&a, &behind), "an apex touches a base");
  move.origin.x = 4.00001f;
  behind = solid_convex(&spike, &move);
  cr_assert(!both(&a, &behind));
  move.origin = mo_vec(4, 3.00001f, 0);
  behind = solid_convex(&spike, &move);
  cr_assert(!both(&a, &behind));
}

static mo_convex rounded(solid s, float rounding) {
  s.rounding = rounding;
  return solid_convex(&s, &identity);
}

Test(convex_overlap, rounded) {
  solid cube = {.kind = MO_SOLID_BOX, .half = {1, 1, 1}};
  mo_convex a = rounded(cube, 1), touching = ball(5, 4, 0, 4), apart = ball(5, 4, 0, 3.9999f);
  cr_assert(both(&a, &touching) && !both(&a, &apart), "at a round edge, by 3-4-5");
  mo_convex corner = ball(3, 3, 2, 2), beyond = ball(3, 3, 2, 1.9999f);
  cr_assert(both(&a, &corner) && !both(&a, &beyond), "at a round corner, by 1-2-2-3");
  solid other = cube;
  other.center = mo_vec(5, 0, 0);
  mo_convex b = rounded(other, 2), c = rounded(other, 1.9999f);
  cr_assert(both(&a, &b) && !both(&a, &c), "face to face");
  other.center = mo_vec(5, 6, 0);
  b = rounded(other, 4);
  c = rounded(other, 3.9999f);
  cr_assert(both(&a, &b) && !both(&a, &c), "edge to edge, by 3-4-5");
  solid can = {.kind = MO_SOLID_CYLINDER, .a = {-2, 0, 0}, .b = {2, 0, 0}, .radius = 1};
  mo_convex d = rounded(can, 1), rim = ball(5, 5, 0, 4), past = ball(5, 5, 0, 3.9999f);
  cr_assert(both(&d, &rim) && !both(&d, &past), "at a round rim, by 3-4-5");
  solid flat = {.kind = MO_SOLID_BOX, .half = {3, 3, 0}};
  b = rounded(flat, 0.5f);
  mo_convex above = ball(1, -2, 1, 0.5f), higher = ball(1, -2, 1.0001f, 0.5f);
  cr_assert(both(&b, &above) && !both(&b, &higher), "a plate is as thick as it is round");
}

/* A disc lies flat on a plate, above a plate, and stands on its rim. */
Test(convex_overlap, flat_solids) {
  mo_transform flat = {{2, 0, 0}, {0, 2, 0}, {0, 0, 0}, {0, 0, 1}};
  mo_convex disc = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &flat);
  mo_convex plate = block(mo_vec(0, 0, 0), mo_vec(3, 3, 1));
  cr_assert(both(&disc, &plate));
  flat.origin.z = 1.0001f;
  mo_convex above = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &flat);
  cr_assert(!both(&above, &plate) && !both(&above, &disc));
  mo_transform upright = {{0, 0, 2}, {0, 2, 0}, {0, 0, 0}, {0.5f, 0, 3}};
  mo_convex wheel = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &upright);
  cr_assert(both(&wheel, &disc) && both(&wheel, &plate));
  upright.origin.x = 2;
  wheel = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &upright);
  cr_assert(both(&wheel, &disc), "rim touches rim");
  upright.origin.y = 0.01f;
  wheel = convex_sphere((mo_sphere){{0, 0, 0}, 1}, &upright);
  cr_assert(!both(&wheel, &disc));
}

/* The translation of `b` that brings p - q to zero, in double. */
static mo_dvec3 offset_by(ldvec p, ldvec q) {
  ldvec d = ld_sub(p, q);
  return mo_dvec((double)d.x, (double)d.y, (double)d.z);
}

/* The magnitude of the products that add up to points of a solid. */
static double terms_of(const mo_convex *c) {
  const double local[3] = {fabs(c->solid.a.x) + fabs(c->solid.b.x),
                           fabs(c->solid.a.y) + fabs(c->solid.b.y),
                           fabs(c->solid.a.z) + fabs(c->solid.b.z)};
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    sum += (local[k] + c->solid.radius + c->solid.rounding) *
           sqrt(mo_ddot(c->column[k], c->column[k]));
  }
  return sum;
}

/* Whether exact bounds separate two solids by less than the rounding of points that they were made
 * to share. */
static bool apart_by_rounding(const mo_convex *a, const mo_convex *b, double size) {
  mo_aabb p = mo_convex_bounds(a), q = mo_convex_bounds(b);
  bool apart = false;
  for (int axis = 0; axis < 3; ++axis) {
    double gap = fmax((double)mo_get(p.lower, axis) - (double)mo_get(q.upper, axis),
                      (double)mo_get(q.lower, axis) - (double)mo_get(p.upper, axis));
    apart = apart || gap > 0;
    if (gap > 1e-13 * size) {
      return false;
    }
  }
  return apart;
}

static mo_transform random_map(rng *r, rng_transform_kind *kind, float scale) {
  *kind = (rng_transform_kind)rng_below(r, RNG_TRANSFORM_KINDS);
  if (*kind == RNG_TINY || *kind == RNG_HUGE) {
    *kind = RNG_SHEAR;
  }
  mo_transform map = rng_transform(r, *kind, 0);
  map.x_axis = mo_scale(scale, map.x_axis);
  map.y_axis = mo_scale(scale, map.y_axis);
  map.z_axis = mo_scale(scale, map.z_axis);
  return map;
}

Test(convex_overlap, pairs_of_known_answer) {
  rng r = rng_make(rng_seed("convex_overlap pairs", 51));
  uint64_t rounds = rng_rounds(40000, 2000000), tried = 0, excused_count = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    /* Ratios of size up to 1e6, and everything at any scale. */
    float all = rng_chance(&r, 0.2) ? powf(10, rng_float(&r, -26, 20)) : 1;
    rng_transform_kind kind_a, kind_b;
    mo_transform map_a = random_map(&r, &kind_a, all);
    mo_transform map_b = random_map(&r, &kind_b, all * powf(10, rng_float(&r, -6, 0)));
    solid sa = random_solid(&r), sb = random_solid(&r);
    mo_convex a = solid_convex(&sa, &map_a), b = solid_convex(&sb, &map_b);
    a.origin = mo_dvec(0, 0, 0);
    double size = size_of(&a) + size_of(&b);
    /* Points of theirs can be placed to within the last bits of their coordinates only. */
    double reach = terms_of(&a) + terms_of(&b);
    if (!(reach < 500 * size)) {
      continue;
    }
    ++tried;
    const char *names[2] = {rng_transform_kind_name(kind_a), rng_transform_kind_name(kind_b)};

    b.origin = offset_by(random_point_of(&r, &a), random_point_of(&r, &b));
    bool excused = apart_by_rounding(&a, &b, size);
    cr_assert(both(&a, &b) || excused, "a point in common: %s, %s, round %llu", names[0], names[1],
              (unsigned long long)i);

    mo_dvec3 n = mo_widen(rng_direction(&r));
    n = mo_dscale(1 / sqrt(mo_ddot(n, n)), n);
    a.origin = b.origin = mo_dvec(0, 0, 0);
    mo_dvec3 p = mo_convex_support(&a, n), q = mo_convex_support(&b, mo_dscale(-1, n));
    mo_dvec3 touching = mo_dsub(p, q);
    b.origin = touching;
    excused_count += excused;
    excused = apart_by_rounding(&a, &b, size);
    excused_count += excused;
    cr_assert(both(&a, &b) || excused, "touching: %s, %s, round %llu", names[0], names[1],
              (unsigned long long)i);

    b.origin = mo_dadd(touching, mo_dscale(pow(10, rng_float(&r, -10.7f, 0)) * size, n));
    cr_assert(!both(&a, &b), "apart: %s, %s, round %llu", names[0], names[1],
              (unsigned long long)i);
  }
  cr_assert(tried > rounds / 2 && excused_count < tried / 50);
}

/* Points close to the rim of a cone or a cylinder, in a plane with the axis, but outside: the
 * descent comes to the plane of the base, but for rounding, which once made it give up and say yes.
 * That they are outside is known from a plane, by long double. */
Test(convex_overlap, points_beside_rims) {
  rng r = rng_make(rng_seed("convex_overlap rims", 57));
  uint64_t rounds = rng_rounds(100000, 3000000), outside = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    solid s = random_solid(&r);
    s.kind = rng_chance(&r, 0.7) ? MO_SOLID_CONE : MO_SOLID_CYLINDER;
    s.b = mo_add(s.a, rng_direction(&r));
    s.radius = rng_float(&r, 0.1f, 1);
    s.rounding = 0;
    mo_transform map = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_FLAT), 0);
    mo_convex a = solid_convex(&s, &map), b = ball(0, 0, 0, 0);
    a.origin = mo_dvec(0, 0, 0);
    mo_dvec3 n = mo_widen(rng_direction(&r));
    n = mo_dscale(1 / sqrt(mo_ddot(n, n)), n);
    double size = size_of(&a), depth = pow(10, rng_float(&r, -9, -7)) * size;
    b.origin = mo_dsub(mo_convex_support(&a, n), mo_dscale(depth, n));
    const mo_body bodies[2] = {mo_body_of_convex(&a), mo_body_of_convex(&b)};
    ldvec m = ld(mo_convex_distance(&bodies[0], &bodies[1], INFINITY).normal);
    ldvec from_center = ld_sub(ld(b.origin), center_of(&a));
    if (ld_dot(m, from_center) - reach_from_center(&a, m) > 1e-10L * size) {
      ++outside;
      cr_assert(!both(&a, &b), "round %llu", (unsigned long long)i);
    }
  }
  cr_assert(outside > rounds / 10, "%llu", (unsigned long long)outside);
}

/* The same far from the origin of the world, with everything in floats as shapes have it. */
Test(convex_overlap, far_pairs) {
  rng r = rng_make(rng_seed("convex_overlap far", 52));
  uint64_t rounds = rng_rounds(20000, 1000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    rng_transform_kind kind_a, kind_b;
    mo_transform map_a = random_map(&r, &kind_a, 1), map_b = random_map(&r, &kind_b, 1);
    solid sa = random_solid(&r), sb = random_solid(&r);
    map_a.origin = mo_scale(1e6f, rng_direction(&r));
    map_b.origin = mo_add(map_a.origin, rng_vec3(&r, -2, 2));
    mo_convex a = solid_convex(&sa, &map_a), b = solid_convex(&sb, &map_b);
    bool far = both(&a, &b);
    b.origin = mo_dsub(b.origin, a.origin);
    a.origin = mo_dvec(0, 0, 0);
    cr_assert(far == both(&a, &b), "round %llu", (unsigned long long)i);
  }
}

/* The least distance of two well-shaped solids by descent along projected gradients: slow, but of
 * another kind than what is tested. */
static ldvec project_sharp(const mo_convex *c, ldvec p) {
  ldvec base = ld(c->solid.a);
  if (c->solid.kind == MO_SOLID_BOX) {
    ldvec d = ld_sub(p, base);
    d.x = fmaxl(-c->solid.b.x, fminl(c->solid.b.x, d.x));
    d.y = fmaxl(-c->solid.b.y, fminl(c->solid.b.y, d.y));
    d.z = fmaxl(-c->solid.b.z, fminl(c->solid.b.z, d.z));
    return ld_add(base, d);
  }
  if (c->solid.kind == MO_SOLID_HULL) {
    return closest_of_hull(c->solid.hull, p);
  }
  if (c->solid.kind == MO_SOLID_CONE) {
    return closest_of_cone(base, ld(c->solid.b), c->solid.radius, p);
  }
  ldvec axis = ld_sub(ld(c->solid.b), base), d = ld_sub(p, base);
  ldouble length = ld_dot(axis, axis);
  ldouble along = length > 0 ? ld_dot(d, axis) / length : 0, s = fmaxl(0, fminl(1, along));
  ldvec on = ld_add(base, ld_scale(s, axis));
  d = ld_sub(p, on);
  ldouble far = ld_norm(d);
  if (c->solid.kind == MO_SOLID_CYLINDER) {
    d = ld_sub(d, ld_scale(along - s, axis));
    far = ld_norm(d);
    return ld_add(on, far > c->solid.radius ? ld_scale(c->solid.radius / far, d) : d);
  }
  return far > c->solid.radius ? ld_add(on, ld_scale(c->solid.radius / far, d)) : p;
}

static ldvec project(const mo_convex *c, ldvec p) {
  ldvec q = project_sharp(c, p), d = ld_sub(p, q);
  ldouble far = ld_norm(d);
  return far > c->solid.rounding ? ld_add(q, ld_scale(c->solid.rounding / far, d)) : p;
}

static ldvec image(const mo_convex *c, ldvec p) {
  return ld_add(ld(c->origin),
                ld_add(ld_add(ld_scale(p.x, ld(c->column[0])), ld_scale(p.y, ld(c->column[1]))),
                       ld_scale(p.z, ld(c->column[2]))));
}

static ldvec step(const mo_convex *c, ldvec p, ldvec gradient, ldouble rate) {
  ldvec local = {ld_dot(ld(c->column[0]), gradient), ld_dot(ld(c->column[1]), gradient),
                 ld_dot(ld(c->column[2]), gradient)};
  return project(c, ld_sub(p, ld_scale(rate, local)));
}

static ldouble descended_distance(const mo_convex *a, const mo_convex *b) {
  ldouble lipschitz = 0;
  for (int k = 0; k < 3; ++k) {
    lipschitz += ld_dot(ld(a->column[k]), ld(a->column[k]));
    lipschitz += ld_dot(ld(b->column[k]), ld(b->column[k]));
  }
  ldvec p = ld(a->solid.a), q = ld(b->solid.a), old_p = p, old_q = q;
  for (int i = 0; i < 1500; ++i) {
    ldouble momentum = (ldouble)i / (i + 3); /* Nesterov 1983 */
    ldvec y = ld_add(p, ld_scale(momentum, ld_sub(p, old_p)));
    ldvec z = ld_add(q, ld_scale(momentum, ld_sub(q, old_q)));
    ldvec gap = ld_sub(image(a, y), image(b, z));
    old_p = p;
    old_q = q;
    p = step(a, y, gap, 1 / lipschitz);
    q = step(b, z, ld_scale(-1, gap), 1 / lipschitz);
  }
  return ld_norm(ld_sub(image(a, p), image(b, q)));
}

Test(convex_overlap, agrees_with_descent) {
  rng r = rng_make(rng_seed("convex_overlap descent", 53));
  uint64_t rounds = rng_rounds(2000, 100000);
  uint64_t yes = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    static const rng_transform_kind kinds[] = {RNG_RIGID,  RNG_UNIFORM_SCALE, RNG_SHEAR,
                                               RNG_MIRROR, RNG_FLAT,          RNG_LINE};
    mo_transform map_a = rng_transform(&r, kinds[rng_below(&r, 6)], 1);
    mo_transform map_b = rng_transform(&r, kinds[rng_below(&r, 6)], 1);
    solid sa = random_solid(&r), sb = random_solid(&r);
    sa.hull = sb.hull =
        test_hull(i % 2 ? TEST_HULL_TETRAHEDRON : TEST_HULL_PLATE); /* as it is slow */
    mo_convex a = solid_convex(&sa, &map_a), b = solid_convex(&sb, &map_b);
    bool answer = both(&a, &b);
    ldouble distance = descended_distance(&a, &b);
    double size = size_of(&a) + size_of(&b);
    /* Descent comes within 1e-3, far less where the solids overlap with some depth. */
    cr_assert(answer ? distance < 2e-3L * size : distance > 1e-10L * size,
              "round %llu: %s at %Lg of %g", (unsigned long long)i, answer ? "yes" : "no", distance,
              size);
    yes += answer;
  }
  cr_assert(yes > rounds / 10 && yes < rounds * 9 / 10);
}

/* Boxes in line with the axes: by their coordinates alone. */
Test(convex_overlap, agrees_with_aabbs) {
  rng r = rng_make(rng_seed("convex_overlap aabbs", 54));
  uint64_t rounds = rng_rounds(50000, 1000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_aabb box[2];
    for (int k = 0; k < 2; ++k) {
      mo_vec3 a = mo_vec((float)rng_below(&r, 9), (float)rng_below(&r, 9), (float)rng_below(&r, 9));
      mo_vec3 size =
          mo_vec((float)rng_below(&r, 5), (float)rng_below(&r, 5), (float)rng_below(&r, 5));
      box[k] = (mo_aabb){a, mo_add(a, size)};
    }
    mo_convex a = mo_convex_aabb(box[0]), b = mo_convex_aabb(box[1]);
    cr_assert(both(&a, &b) == mo_aabb_overlap(box[0], box[1]), "round %llu", (unsigned long long)i);
  }
}

/* A side of any magnitude and sign, or zero. */
static float any_side(rng *r) {
  return rng_chance(r, 0.2) ? 0.0f : ldexpf(rng_float(r, -1, 1), 10 - (int)rng_below(r, 120));
}

static mo_aabb any_box(rng *r) {
  mo_vec3 p = mo_vec(any_side(r), any_side(r), any_side(r));
  mo_vec3 q = mo_vec(any_side(r), any_side(r), any_side(r));
  return mo_aabb_add_point(mo_aabb_add_point(mo_aabb_empty(), p), q);
}

/* The same where sides are so unlike that the centre is no double: touching is nevertheless what
 * the sides say. */
Test(convex_overlap, agrees_with_aabbs_of_unlike_sides) {
  rng r = rng_make(rng_seed("convex_overlap unlike", 56));
  uint64_t rounds = rng_rounds(50000, 1000000), touching = 0, rounded = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_aabb box[2] = {any_box(&r), any_box(&r)};
    mo_convex a = mo_convex_aabb(box[0]), b = mo_convex_aabb(box[1]);
    mo_aabb bounds = mo_convex_bounds(&a);
    cr_assert(mo_aabb_contains(bounds, box[0]) && mo_aabb_contains(box[0], bounds), "round %llu",
              (unsigned long long)i);
    bool answer = mo_aabb_overlap(box[0], box[1]);
    cr_assert(both(&a, &b) == answer, "round %llu", (unsigned long long)i);
    const mo_body bodies[2] = {mo_body_of_aabb(box[0]), mo_body_of_aabb(box[1])};
    cr_assert(mo_bodies_within_by_gjk(&bodies[0], &bodies[1], 0.0) == answer,
              "round %llu, by descent", (unsigned long long)i);
    touching += answer;
    rounded += a.is_inexact;
  }
  cr_assert(touching > rounds / 20 && touching < rounds * 19 / 20 && rounded > rounds / 4);
}

/* Boxes and balls: by the distance of the centre. */
Test(convex_overlap, agrees_with_ball_and_box) {
  rng r = rng_make(rng_seed("convex_overlap ball and box", 55));
  uint64_t rounds = rng_rounds(50000, 1000000);
  for (uint64_t i = 0; i < rounds; ++i) {
    mo_vec3 lower = rng_vec3(&r, -2, 1);
    mo_aabb box = {lower, mo_add(lower, rng_vec3(&r, 0, 2))};
    mo_sphere sphere = {rng_vec3(&r, -3, 3), rng_float(&r, 0, 1)};
    ldouble distance = sqrtl(box_distance_squared(ld_float(sphere.center), box));
    mo_convex a = mo_convex_aabb(box), b = mo_convex_sphere(sphere);
    if (fabsl(distance - sphere.radius) > 1e-10L) {
      cr_assert(both(&a, &b) == (distance < sphere.radius), "round %llu", (unsigned long long)i);
    }
  }
}

/* Yes never contradicts the bounds, by which trees cull. */
Test(convex_overlap, never_beyond_the_bounds) {
  mo_convex a = block(mo_vec(-500000, 0, 0), mo_vec(500000, 1, 1));
  mo_convex b = ball(2e-7f, 0, 0, 1e-7f);
  cr_assert(!both(&a, &b));
  b = ball(1e-7f, 0, 0, 1e-7f);
  cr_assert(both(&a, &b));
}
