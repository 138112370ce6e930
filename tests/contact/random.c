/* Manifolds of random primitives of all kinds, under transforms of all kinds, against what distance
 * and penetration say, and against what any manifold has to keep. */
#include "contact/contacts.h"

static mo_primitive random_primitive(rng *r, mo_vec3 around) {
  static const rng_transform_kind kinds[] = {RNG_RIGID,
                                             RNG_RIGID,
                                             RNG_RIGID,
                                             RNG_RIGID,
                                             RNG_MIRROR,
                                             RNG_UNIFORM_SCALE,
                                             RNG_NONUNIFORM_SCALE,
                                             RNG_SHEAR,
                                             RNG_FLAT};
  mo_transform map = rng_transform(r, kinds[rng_below(r, sizeof kinds / sizeof *kinds)], 1);
  map.origin = mo_add(around, mo_scale(1.2f, map.origin));
  mo_geometry g = random_geometry(r);
  if (g.type == MO_SHAPE_BOX && rng_chance(r, 0.1)) {
    g.box.half_extents.y = rng_chance(r, 0.5) ? 0 : 1e-3f;
  }
  mo_primitive p = mo_primitive_of_geometry(&g, &map);
  if (rng_chance(r, 0.15)) {
    p.type = MO_PRIMITIVE_TRIANGLE;
    for (int i = 0; i < 3; i++) {
      p.points[i] = rng_vec3(r, -1, 1);
    }
    if (rng_chance(r, 0.1)) {
      p.points[2] = mo_scale(0.5f, mo_add(p.points[0], p.points[1]));
    }
  } else if (rng_chance(r, 0.05)) {
    p.type = rng_chance(r, 0.5) ? MO_PRIMITIVE_POINT : MO_PRIMITIVE_SEGMENT;
    p.points[0] = rng_vec3(r, -1, 1);
    p.points[1] = rng_vec3(r, -1, 1);
  }
  return p;
}

typedef struct judged {
  const mo_primitive *a, *b;
  mo_manifold m;
  double size, far; /* of bodies and of coordinates */
  unsigned long long round;
  bool has_ellipsoids; /* their depths are less exact */
} judged;

/* Of a body: most fit into 4, and a transform may make one larger. */
static double size_of(const mo_primitive *p) {
  const mo_transform *t = &p->transform;
  double x = ld_norm(ld_float(t->x_axis)), y = ld_norm(ld_float(t->y_axis));
  return fmax(4, fmax(fmax(x, y), (double)ld_norm(ld_float(t->z_axis))));
}

/* Whether a ball becomes an ellipsoid. */
static bool is_ellipsoidal(const mo_primitive *p) {
  const mo_transform *t = &p->transform;
  float xx = mo_dot(t->x_axis, t->x_axis), yy = mo_dot(t->y_axis, t->y_axis),
        zz = mo_dot(t->z_axis, t->z_axis);
  bool rounded = p->type == MO_PRIMITIVE_GEOMETRY &&
                 (p->geometry.type == MO_SHAPE_SPHERE || p->geometry.type == MO_SHAPE_CAPSULE ||
                  p->geometry.rounding > 0);
  float off = fabsf(mo_dot(t->x_axis, t->y_axis)) + fabsf(mo_dot(t->y_axis, t->z_axis)) +
              fabsf(mo_dot(t->z_axis, t->x_axis));
  return rounded && (fabsf(xx - yy) + fabsf(yy - zz) + off > 1e-5f * xx || xx == 0);
}

static mo_vec3 along(mo_vec3 from, double way, mo_vec3 n) {
  return mo_vec((float)((double)from.x + way * (double)n.x),
                (float)((double)from.y + way * (double)n.y),
                (float)((double)from.z + way * (double)n.z));
}

/* Points lie on both shapes, and their numbers agree. */
static void check_points(const judged *j) {
  const mo_manifold *m = &j->m;
  cr_assert(fabs((double)ld_norm(ld_float(m->normal)) - 1) <= 1e-6, "round %llu", j->round);
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    cr_assert(apart(p->position, mo_add(j->a->transform.origin, p->anchor_a)) <=
              2e-7 * j->far + 1e-6);
    cr_assert(apart(p->position, mo_add(j->b->transform.origin, p->anchor_b)) <=
              2e-7 * j->far + 1e-6);
    for (int side = 0; side < 2; side++) {
      mo_primitive_distance d;
      mo_vec3 at = along(p->position, (side == 0 ? -0.5 : 0.5) * (double)p->separation, m->normal);
      cr_assert_eq(mo_primitive_closest_point(side == 0 ? j->a : j->b, at, INFINITY, &d), MO_OK);
      cr_assert(d.distance <= (j->has_ellipsoids ? 5e-2 : 2e-3) * j->size,
                "round %llu: point %u is %g off shape %d", j->round, i, d.distance, side);
    }
    for (uint32_t k = 0; k < i; k++) {
      cr_assert(p->id != m->points[k].id, "round %llu: equal ids %llx", j->round,
                (unsigned long long)p->id);
    }
  }
}

/* With the shapes exchanged: the same points, with the halves of ids exchanged. False where choices
 * that are equal but for rounding made a difference. */
static bool is_symmetric(const judged *j, float distance) {
  const mo_manifold *m = &j->m, s = collide_within(j->b, j->a, distance);
  cr_assert_eq(s.point_count > 0, m->point_count > 0, "round %llu", j->round);
  cr_assert_eq(s.touching, m->touching, "round %llu", j->round);
  bool same = s.point_count == m->point_count && apart(s.normal, mo_scale(-1, m->normal)) <= 1e-4 &&
              farthest_of(m, &s) <= 1e-4 * j->size;
  for (uint32_t i = 0; i < m->point_count && same; i++) {
    bool found = false;
    uint64_t id = m->points[i].id;
    for (uint32_t k = 0; k < s.point_count; k++) {
      found = found || s.points[k].id == (id << 32 | id >> 32);
    }
    same = found;
  }
  return same;
}

/* How much a manifold may be deeper than the shortest way out: what is given up for a normal of a
 * face, and what is not exact of curved shapes. */
static double allowance(const judged *j) {
  return 0.02 * j->size;
}

Test(contact_random, agree_with_distance_and_penetration) {
  rng r = rng_make(rng_seed("contact random", 201));
  uint64_t rounds = rng_rounds(6000, 400000), touching = 0, near = 0, several = 0, asymmetric = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_vec3 around = rng_chance(&r, 0.1) ? mo_vec(1000, -2000, 500) : mo_vec(0, 0, 0);
    mo_primitive a = random_primitive(&r, around), b = random_primitive(&r, around);
    if (rng_chance(&r, 0.1)) {
      mo_primitive *plane = rng_chance(&r, 0.5) ? &a : &b;
      mo_transform map = rng_transform(&r, rng_chance(&r, 0.5) ? RNG_RIGID : RNG_MIRROR, 1);
      map.origin = mo_add(around, map.origin);
      *plane = mo_primitive_of_half_space(rng_direction(&r), rng_float(&r, -1, 1));
      plane->transform = map;
    }
    float distance = rng_chance(&r, 0.3) ? rng_float(&r, 0, 0.5f) : 0.02f;
    mo_primitive_distance d;
    mo_primitive_penetration p;
    cr_assert_eq(mo_primitive_find_distance(&a, &b, INFINITY, &d), MO_OK);
    cr_assert_eq(mo_primitive_find_penetration(&a, &b, &p), MO_OK);
    judged j = {&a,
                &b,
                collide_within(&a, &b, distance),
                fmax(size_of(&a), size_of(&b)),
                4 + (double)mo_max_magnitude(around),
                i,
                is_ellipsoidal(&a) || is_ellipsoidal(&b)};
    const mo_manifold *m = &j.m;
    if (fabs(d.distance - (double)distance) > 1e-6) {
      cr_assert_eq(m->point_count > 0, d.distance < (double)distance, "round %llu: %g apart",
                   j.round, d.distance);
    }
    if (m->point_count == 0) {
      continue;
    }
    near++;
    several += m->point_count > 1;
    check_points(&j);
    asymmetric += !is_symmetric(&j, distance);
    double min = (double)min_separation(m);
    cr_assert(min <= (double)distance + 1e-7);
    cr_assert_eq(m->touching, min <= 0);
    if (p.found && p.depth > 1e-6) {
      touching++;
      cr_assert(m->touching, "round %llu: %g deep, but %g", j.round, p.depth, min);
      cr_assert(min <= -p.depth + 0.5 * allowance(&j), "round %llu: only %g, not %g", j.round, min,
                -p.depth);
      cr_assert(min >= -p.depth - allowance(&j), "round %llu: %g, not %g", j.round, min, -p.depth);
      mo_primitive out = b;
      out.transform.origin = along(b.transform.origin, p.depth + allowance(&j) + 1e-3, m->normal);
      bool overlap;
      cr_assert_eq(mo_primitive_overlap(&a, &out, &overlap), MO_OK);
      cr_assert(!overlap, "round %llu: the normal does not lead out", j.round);
    } else if (!p.found) {
      cr_assert(min >= d.distance - allowance(&j), "round %llu: %g, not %g", j.round, min,
                d.distance);
    }
  }
  cr_assert(asymmetric <= near / 25, "%llu of %llu", (unsigned long long)asymmetric,
            (unsigned long long)near);
  cr_assert(touching > rounds / 5 && several > near / 3 && near < rounds, "%llu %llu %llu",
            (unsigned long long)touching, (unsigned long long)several, (unsigned long long)near);
}

static bool same_ids(const mo_manifold *m, const mo_manifold *n, bool exchanged) {
  bool same = m->point_count == n->point_count;
  for (uint32_t i = 0; i < m->point_count && same; i++) {
    uint64_t id = m->points[i].id;
    id = exchanged ? id << 32 | id >> 32 : id;
    same = false;
    for (uint32_t k = 0; k < n->point_count; k++) {
      same = same || n->points[k].id == id;
    }
  }
  return same;
}

/* Capsules that lie over edges and corners, as most do where they are closest to a polytope: ids do
 * not depend on rounding, neither with the shapes exchanged nor after motion by next to nothing. */
Test(contact_random, ids_of_capsules) {
  rng r = rng_make(rng_seed("contact capsules", 221));
  uint64_t rounds = rng_rounds(4000, 200000), near = 0, exchanged = 0, flickered = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_geometry kinds[] = {box_of(0.5f, 0.3f, 0.4f), hull_of(TEST_HULL_BALL)};
    mo_primitive capsule = placed(capsule_of(rng_float(&r, 0.1f, 0.8f), 0.4f),
                                  rng_vec3(&r, -0.8f, 0.8f), rng_rotation(&r)),
                 other = placed(kinds[i % 2], mo_vec(0, 0, 0), rng_rotation(&r));
    mo_manifold m = collide(capsule, other), n = collide(other, capsule);
    capsule.transform.origin.x += 1e-7f;
    mo_manifold moved = collide(capsule, other);
    near += m.point_count > 0;
    exchanged += !same_ids(&m, &n, true);
    flickered += !same_ids(&m, &moved, false);
  }
  cr_assert(near > rounds / 3 && exchanged <= near / 500 && flickered <= near / 100,
            "%llu of %llu exchanged, %llu moved", (unsigned long long)exchanged,
            (unsigned long long)near, (unsigned long long)flickered);
}
