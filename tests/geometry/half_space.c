/* Half-spaces with other primitives and with each other: rays, overlap, distance, depth and casts
 * by definition in long double, from how far the other one reaches against the normal; and by hand.
 */
#include <string.h>

#include <criterion/criterion.h>
#include <motte/movement.h>

#include "oracle/reach.h"

/* The unit normal in the world and its product with the points of the plane: by the matrix of
 * cofactors. */
typedef struct world_plane {
  ldvec normal;
  ldouble height;
} world_plane;

static ldvec ld_cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static world_plane plane_of(const mo_primitive *p) {
  ldvec x = ld_float(p->transform.x_axis), y = ld_float(p->transform.y_axis);
  ldvec z = ld_float(p->transform.z_axis), n = ld_float(p->half_space.normal);
  ldouble volume = ld_dot(x, ld_cross(y, z));
  ldvec m = ld_add(ld_add(ld_scale(n.x, ld_cross(y, z)), ld_scale(n.y, ld_cross(z, x))),
                   ld_scale(n.z, ld_cross(x, y)));
  ldouble length = ld_norm(m);
  m = ld_scale((volume < 0 ? -1 : 1) / length, m);
  return (world_plane){m, ld_dot(m, ld_float(p->transform.origin)) +
                              p->half_space.offset * fabsl(volume) / length};
}

static mo_primitive some_half_space(rng *r, float scale) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_NONUNIFORM_SCALE,
                                             RNG_SHEAR, RNG_MIRROR};
  mo_vec3 normal = mo_scale(rng_chance(r, 0.5) ? 1 : 1e5f, rng_direction(r));
  if (rng_chance(r, 0.3)) {
    normal = mo_vec(0, rng_chance(r, 0.5) ? 3 : -3, 0);
  }
  mo_primitive p = mo_primitive_of_half_space(normal, scale * rng_float(r, -2, 2));
  if (rng_chance(r, 0.8)) {
    p.transform = rng_transform(r, kinds[rng_below(r, 5)], 2);
    p.transform.origin = mo_scale(scale, p.transform.origin);
  }
  return p;
}

static mo_primitive scaled(mo_primitive p, float scale) {
  p.transform.x_axis = mo_scale(scale, p.transform.x_axis);
  p.transform.y_axis = mo_scale(scale, p.transform.y_axis);
  p.transform.z_axis = mo_scale(scale, p.transform.z_axis);
  p.transform.origin = mo_scale(scale, p.transform.origin);
  return p;
}

static bool overlap_of(const mo_primitive *a, const mo_primitive *b) {
  bool answer, swapped;
  cr_assert_eq(mo_primitive_overlap(a, b, &answer), MO_OK);
  cr_assert_eq(mo_primitive_overlap(b, a, &swapped), MO_OK);
  cr_assert_eq(answer, swapped);
  return answer;
}

static bool is_opposite(mo_vec3 a, mo_vec3 b) {
  return a.x == -b.x && a.y == -b.y && a.z == -b.z;
}

typedef struct pair {
  mo_primitive half_space, other;
  world_plane plane;
  ldouble gap;      /* of the lowest point of the other above the plane */
  double tolerance; /* of heights */
  unsigned long long round;
} pair;

static pair some_pair(rng *r, uint64_t round) {
  static const float sizes[] = {1, 1, 1e-6f, 1e6f};
  float scale = sizes[rng_below(r, 4)];
  pair p = {.half_space = some_half_space(r, scale), .round = round};
  p.other = scaled(random_primitive(r), scale);
  mo_vec3 far = {0, 0, 0};
  if (rng_chance(r, 0.1)) {
    far = mo_vec(1e6f * scale, 1e6f * scale, -1e6f * scale);
    p.half_space.transform.origin = mo_add(p.half_space.transform.origin, far);
    p.other.transform.origin = mo_add(p.other.transform.origin, far);
  }
  p.plane = plane_of(&p.half_space);
  p.gap = -reach_along(&p.other, ld_scale(-1, p.plane.normal)) - p.plane.height;
  /* Of what lies between the lowest point and the origin of the transform. The oracle subtracts
   * numbers of the size of coordinates; corners of triangles are rounded. */
  ldvec origin = ld_float(p.half_space.transform.origin);
  ldouble terms = fabsl(p.plane.height - ld_dot(p.plane.normal, origin));
  for (int axis = 0; axis < 3; ++axis) {
    ldvec e = {axis == 0, axis == 1, axis == 2}, back = ld_scale(-1, e);
    ldouble from = ld_dot(e, origin);
    terms += fabsl(reach_along(&p.other, e) - from) + fabsl(reach_along(&p.other, back) + from);
  }
  ldouble coordinates = terms + 3 * mo_max_magnitude(p.half_space.transform.origin);
  bool triangle = p.other.type == MO_PRIMITIVE_TRIANGLE;
  p.tolerance = (double)(2e-15L * terms + (triangle ? 1e-15L : 1e-18L) * coordinates);
  return p;
}

#define AT(p) "round %llu", (p)->round

static void check_distance(const pair *p) {
  mo_primitive_distance d, swapped, limited;
  double gap = (double)p->gap;
  cr_assert_eq(mo_primitive_find_distance(&p->half_space, &p->other, INFINITY, &d), MO_OK);
  cr_assert_eq(mo_primitive_find_distance(&p->other, &p->half_space, INFINITY, &swapped), MO_OK);
  cr_assert(d.found && swapped.found && d.distance == swapped.distance && d.lower == d.distance);
  cr_assert(fabs(d.distance - fmax(gap, 0)) <= p->tolerance, "round %llu: %.17g, not %.17g",
            p->round, d.distance, gap);
  bool overlap = overlap_of(&p->half_space, &p->other);
  cr_assert_eq(overlap, d.distance == 0, AT(p));
  cr_assert(overlap ? gap <= p->tolerance : gap >= -p->tolerance, AT(p));
  cr_assert(mo_max_magnitude(mo_sub(d.point_a, swapped.point_b)) == 0 &&
            mo_max_magnitude(mo_sub(d.point_b, swapped.point_a)) == 0);
  if (overlap) {
    cr_assert(mo_max_magnitude(mo_sub(d.point_a, d.point_b)) == 0 &&
              mo_max_magnitude(d.normal) == 0);
    return;
  }
  cr_assert(is_opposite(d.normal, swapped.normal));
  ldvec off = ld_sub(ld_float(d.normal), p->plane.normal);
  cr_assert(ld_norm(off) < 1e-6L, AT(p));
  double rounded =
      1e-6 * (1e-30 + (double)(mo_max_magnitude(d.point_a) + mo_max_magnitude(d.point_b)));
  ldouble above = ld_dot(p->plane.normal, ld_float(d.point_a)) - p->plane.height;
  cr_assert(fabsl(above) <= p->tolerance + rounded, AT(p));
  ldvec down = ld_scale(-1, p->plane.normal);
  cr_assert(fabsl(ld_dot(down, ld_float(d.point_b)) - reach_along(&p->other, down)) <=
                p->tolerance + rounded,
            AT(p));
  cr_assert_eq(mo_primitive_find_distance(&p->half_space, &p->other, d.distance, &limited), MO_OK);
  cr_assert(limited.found && limited.distance == d.distance);
  cr_assert_eq(mo_primitive_find_distance(&p->half_space, &p->other, 0.999 * d.distance, &limited),
               MO_OK);
  cr_assert(!limited.found);
}

static void check_penetration(const pair *p) {
  mo_primitive_penetration out, swapped;
  cr_assert_eq(mo_primitive_find_penetration(&p->half_space, &p->other, &out), MO_OK);
  cr_assert_eq(mo_primitive_find_penetration(&p->other, &p->half_space, &swapped), MO_OK);
  cr_assert(out.found == overlap_of(&p->half_space, &p->other) && out.found == swapped.found);
  if (!out.found) {
    return;
  }
  cr_assert(fabs(out.depth - fmax(0, -(double)p->gap)) <= p->tolerance,
            "round %llu: %.17g, not %.17Lg", p->round, out.depth, -p->gap);
  cr_assert(out.lower == out.depth && swapped.depth == out.depth);
  cr_assert(is_opposite(out.normal, swapped.normal));
  mo_dvec3 between = mo_dsub(mo_widen(out.point_a), mo_widen(out.point_b));
  mo_dvec3 way = mo_dscale(out.depth, mo_widen(out.normal));
  double size = (double)(mo_max_magnitude(out.point_a) + mo_max_magnitude(out.point_b));
  cr_assert(fabs(mo_ddot(mo_dsub(between, way), mo_widen(out.normal))) <= 1e-6 * size, AT(p));
}

/* Either moves towards the other. */
static void check_casts(const pair *p, rng *r) {
  mo_vec3 way = rng_vec3(r, -1, 1);
  float max = mo_max_magnitude(p->other.transform.origin) + (float)fabsl(p->gap);
  way = mo_scale(rng_float(r, 0, 3) * fminf(max, 1e7f), way);
  mo_primitive_contact to, from;
  cr_assert_eq(mo_primitive_cast(&p->half_space, &p->other, way, false, &to), MO_OK);
  cr_assert_eq(mo_primitive_cast(&p->other, &p->half_space, mo_scale(-1, way), false, &from),
               MO_OK);
  cr_assert(to.found == from.found && (!to.found || to.t == from.t), AT(p));
  if (overlap_of(&p->half_space, &p->other)) {
    cr_assert(to.found && to.t == 0 && to.depth == from.depth, AT(p));
    cr_assert(fabsl(to.depth + p->gap) <= p->tolerance + 1e-6 * (double)to.depth, AT(p));
    return;
  }
  ldouble speed = -ld_dot(p->plane.normal, ld_float(way)), t = speed > 0 ? p->gap / speed : 2;
  ldouble doubt = 1e-6L + 2 * p->tolerance / fmaxl(speed, 1e-30L);
  cr_assert(to.found ? fabsl(to.t - t) <= doubt * (1 + t) : t >= 1 - doubt,
            "round %llu: %g, not %Lg", p->round, (double)to.t, t);
  if (to.found) {
    cr_assert(to.depth == 0 && from.depth == 0 && is_opposite(to.normal, from.normal));
    ldouble above = ld_dot(p->plane.normal, ld_float(to.point)) - p->plane.height;
    double rounded = 1e-6 * (double)(mo_max_magnitude(to.point) + mo_max_magnitude(way));
    cr_assert(fabsl(above) <= p->tolerance + rounded, AT(p));
    /* Seen from the other one, the point has not moved. */
    mo_vec3 back = mo_sub(mo_sub(to.point, mo_scale(to.t, way)), from.point);
    cr_assert((double)mo_max_magnitude(back) <= 4 * rounded, AT(p));
  }
}

static void check_ray(const pair *p, rng *r) {
  mo_vec3 origin = mo_add(p->half_space.transform.origin, rng_vec3(r, -5, 5));
  mo_vec3 direction = rng_chance(r, 0.05) ? mo_vec(0, 0, 0) : rng_direction(r);
  mo_primitive_hit hit;
  cr_assert_eq(mo_primitive_cast_ray(&p->half_space, origin, direction, INFINITY, &hit), MO_OK);
  ldouble height = ld_dot(p->plane.normal, ld_float(origin)) - p->plane.height;
  ldouble speed = -ld_dot(p->plane.normal, ld_float(direction));
  if (fabsl(height) <= p->tolerance) {
    return; /* either is right */
  }
  if (height < 0) {
    cr_assert(hit.found && hit.t == 0 && mo_max_magnitude(hit.normal) == 0, AT(p));
    return;
  }
  cr_assert_eq(hit.found, speed > 0, AT(p));
  if (hit.found) {
    ldouble t = height / speed;
    cr_assert(fabsl(hit.t - t) <= 1e-6L * t + p->tolerance / speed * (1 + t), AT(p));
    cr_assert(ld_norm(ld_sub(ld_float(hit.normal), p->plane.normal)) < 1e-6L);
    mo_primitive_hit again;
    float before = nextafterf(hit.t, 0);
    cr_assert_eq(mo_primitive_cast_ray(&p->half_space, origin, direction, hit.t, &again), MO_OK);
    cr_assert(again.found && again.t == hit.t);
    cr_assert_eq(mo_primitive_cast_ray(&p->half_space, origin, direction, before, &again), MO_OK);
    cr_assert(!again.found);
  }
}

Test(half_space, with_other_primitives) {
  rng r = rng_make(rng_seed("half_space/others", 351));
  uint64_t rounds = rng_rounds(20000, 1000000), apart = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    pair p = some_pair(&r, i);
    check_distance(&p);
    check_penetration(&p);
    check_casts(&p, &r);
    check_ray(&p, &r);
    apart += p.gap > 0;
  }
  cr_assert(apart > rounds / 5 && apart < rounds * 4 / 5, "%llu", (unsigned long long)apart);
}

static void check_unbounded(const mo_primitive *a, const mo_primitive *b, unsigned long long n) {
  mo_primitive_penetration out;
  mo_primitive_distance d;
  mo_primitive_contact contact;
  cr_assert(overlap_of(a, b), "round %llu", n);
  cr_assert_eq(mo_primitive_find_distance(a, b, 0, &d), MO_OK);
  cr_assert_eq(mo_primitive_find_penetration(a, b, &out), MO_OK);
  cr_assert_eq(mo_primitive_cast(a, b, mo_vec(1, 2, 3), false, &contact), MO_OK);
  cr_assert(d.found && d.distance == 0 && contact.found && contact.t == 0);
  cr_assert(out.found && out.depth == INFINITY && out.lower == INFINITY &&
            contact.depth == INFINITY && mo_max_magnitude(out.normal) == 0);
  const mo_primitive *both[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    world_plane plane = plane_of(both[k]);
    ldouble above = ld_dot(plane.normal, ld_float(out.point_a)) - plane.height;
    cr_assert(above <= 1e-6L * (1 + mo_max_magnitude(out.point_a)), "round %llu: %Lg outside", n,
              above);
  }
  cr_assert(mo_max_magnitude(mo_sub(out.point_a, out.point_b)) == 0);
}

/* Half-spaces overlap, unless they look away from each other; then it is about their planes. */
Test(half_space, with_another_one) {
  rng r = rng_make(rng_seed("half_space/two", 352));
  for (uint64_t i = 0, rounds = rng_rounds(5000, 100000); i < rounds; ++i) {
    mo_primitive a = some_half_space(&r, 1), b = some_half_space(&r, 1);
    unsigned long long n = (unsigned long long)i;
    world_plane planes[2] = {plane_of(&a), plane_of(&b)};
    if (ld_norm(ld_add(planes[0].normal, planes[1].normal)) > 1e-3L) {
      check_unbounded(&a, &b, n);
    }
    b = a;
    b.half_space.normal = mo_scale(rng_chance(&r, 0.5) ? -2 : -0.25f, a.half_space.normal);
    b.transform.origin = mo_add(b.transform.origin, rng_vec3(&r, -1, 1));
    planes[1] = plane_of(&b);
    double gap = -(double)(planes[0].height + planes[1].height);
    mo_primitive_distance d;
    mo_primitive_penetration out;
    cr_assert_eq(mo_primitive_find_distance(&a, &b, INFINITY, &d), MO_OK);
    cr_assert_eq(mo_primitive_find_penetration(&a, &b, &out), MO_OK);
    cr_assert(fabs(d.distance - fmax(gap, 0)) < 1e-12 && out.found == overlap_of(&a, &b));
    cr_assert(out.found == (d.distance == 0) && (!out.found || fabs(out.depth + gap) < 1e-12),
              "round %llu", n);
    mo_vec3 way = rng_vec3(&r, -3, 3);
    double speed = -(double)ld_dot(planes[0].normal, ld_float(way));
    mo_primitive_contact contact;
    cr_assert_eq(mo_primitive_cast(&a, &b, way, false, &contact), MO_OK);
    if (!out.found && fabs(gap / speed - 1) > 1e-6) {
      cr_assert_eq(contact.found, speed > 0 && gap / speed < 1, "round %llu", n);
      cr_assert(!contact.found || fabs((double)contact.t - gap / speed) < 1e-6);
    }
    mo_movement tilt = {.axis = {1, 2, 3}, .angle = 0.5f};
    cr_assert_eq(mo_primitive_cast_turning(&a, &b, &tilt, false, &contact), MO_OK);
    cr_assert(contact.found && contact.t == 0, "round %llu", n);
  }
}

static mo_primitive unit_box(float x, float y, float z) {
  mo_geometry g = box_of(mo_vec(0, 0, 0), mo_vec(0.5f, 0.5f, 0.5f));
  mo_transform at = mo_transform_identity();
  at.origin = mo_vec(x, y, z);
  return mo_primitive_of_geometry(&g, &at);
}

Test(half_space, by_hand) {
  mo_primitive ground = mo_primitive_of_half_space(mo_vec(0, 0, 2), 2); /* z <= 1 */
  mo_primitive box = unit_box(7, 8, 1.5f);
  cr_assert(overlap_of(&ground, &box), "touching counts");
  box.transform.origin.z = nextafterf(1.5f, 2);
  cr_assert(!overlap_of(&ground, &box));
  mo_primitive_distance d;
  cr_assert_eq(mo_primitive_find_distance(&ground, &box, 1, &d), MO_OK);
  cr_assert(d.found && d.distance == 0x1p-23 && d.normal.z == 1 && d.point_a.z == 1);
  box.transform.origin.z = 1.25f;
  mo_primitive_penetration out;
  cr_assert_eq(mo_primitive_find_penetration(&ground, &box, &out), MO_OK);
  cr_assert(out.found && out.depth == 0.25 && out.normal.z == 1 && out.point_b.z == 0.75f);
  mo_primitive_contact contact;
  box.transform.origin.z = 3.5f;
  cr_assert_eq(mo_primitive_cast(&ground, &box, mo_vec(4, 0, -8), false, &contact), MO_OK);
  cr_assert(contact.found && contact.t == 0.25f && contact.normal.z == 1 && contact.point.z == 1);
  cr_assert(fabsf(contact.point.x - 8) <= 0.5f);
  /* Mirrored, the normal still leads out. */
  ground.transform.z_axis.z = -1;
  mo_primitive_hit hit;
  cr_assert_eq(mo_primitive_cast_ray(&ground, mo_vec(1, 2, -9), mo_vec(0, 0, 4), 8, &hit), MO_OK);
  cr_assert(hit.found && hit.t == 2 && hit.normal.z == -1 && hit.point.z == -1);
  /* A ramp that turns down onto a point: after a quarter turn it is there. */
  mo_primitive ramp = mo_primitive_of_half_space(mo_vec(0, 0, 1), 0);
  mo_primitive point = mo_primitive_of_point(mo_vec(3, 0, 3));
  mo_movement turn = {.axis = {0, -1, 0}, .angle = 1.57079633f};
  cr_assert_eq(mo_primitive_cast_turning(&point, &ramp, &turn, false, &contact), MO_OK);
  cr_assert(contact.found && fabsf(contact.t - 0.5f) < 1e-5f, "%g", (double)contact.t);
  cr_assert(contact.point.x == 3 && contact.point.z == 3 && contact.depth == 0);
  cr_assert(fabsf(contact.normal.z + sqrtf(0.5f)) < 1e-5f);
  /* About an axis along its normal it stays as it is. */
  turn = (mo_movement){.axis = {0, 0, 1}, .angle = 3};
  cr_assert_eq(mo_primitive_cast_turning(&point, &ramp, &turn, false, &contact), MO_OK);
  cr_assert(!contact.found);
}

Test(half_space, as_geometry) {
  rng r = rng_make(rng_seed("half_space/geometry", 353));
  for (uint64_t round = 0; round < 200; ++round) {
    pair p = some_pair(&r, round);
    mo_geometry geometry = {.type = MO_SHAPE_HALF_SPACE, .half_space = p.half_space.half_space};
    mo_primitive same = mo_primitive_of_geometry(&geometry, &p.half_space.transform);
    mo_primitive_distance a, b;
    cr_assert_eq(mo_primitive_find_distance(&p.half_space, &p.other, INFINITY, &a), MO_OK);
    cr_assert_eq(mo_primitive_find_distance(&same, &p.other, INFINITY, &b), MO_OK);
    cr_assert(a.found && b.found && a.distance == b.distance && a.lower == b.lower, AT(&p));
    cr_assert(memcmp(&a.point_a, &b.point_a, sizeof a.point_a) == 0, AT(&p));
    cr_assert(memcmp(&a.point_b, &b.point_b, sizeof a.point_b) == 0, AT(&p));
    cr_assert(memcmp(&a.normal, &b.normal, sizeof a.normal) == 0, AT(&p));
    cr_assert_eq(overlap_of(&same, &p.other), overlap_of(&p.half_space, &p.other), AT(&p));
  }
}

/* A half-space contains its plane: rays that begin in the plane meet it at once, wherever they go,
 * and those that come back to it meet it there. */
Test(half_space, rays_in_its_plane) {
  const mo_vec3 ways[] = {{1, 0, 0}, {0, 0, -2}, {3, 0, 1e-3f}, {0, 0, 0},
                          {1, 1, 0}, {0, 5, 1},  {1, -1, 0}};
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
      mo_primitive ground = mo_primitive_of_half_space(mo_vec(0, 1, 0), 2);
      const float side = mirrored ? -1 : 1;
      ground.transform.y_axis.y = side;
      const mo_vec3 way = {ways[i].x, side * ways[i].y, ways[i].z};
      const mo_vec3 in = {7, 2 * side, -3}, above = {7, 2.5f * side, -3}, below = {7, side, -3};
      const mo_vec3 from[] = {in, below, above};
      for (int k = 0; k < 3; k++) {
        mo_primitive_hit hit;
        cr_assert_eq(mo_primitive_cast_ray(&ground, from[k], way, 8, &hit), MO_OK);
        const bool comes_down = side * way.y < 0;
        cr_assert_eq(hit.found, k < 2 || comes_down, "way %zu from %d", i, k);
        cr_assert(!hit.found || hit.t == (k < 2 ? 0 : 0.5f));
        cr_assert(!hit.found || mo_dot(hit.normal, hit.normal) == (k < 2 ? 0 : 1));
      }
    }
  }
}
