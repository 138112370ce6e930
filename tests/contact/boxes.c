/* Boxes in the places that break box tests, thin ones, nearly aligned ones, edges that are nearly
 * parallel, against the separating axis theorem with all its axes in long double. */
#include <motte/contact.h>

#include "contact/contacts.h"
#include "support/rng.h"

typedef struct exact_box {
  ldvec center, half[3];
} exact_box;

static exact_box exact_of(const mo_primitive *p) {
  const mo_transform *t = &p->transform;
  const mo_vec3 h = p->geometry.box.half_extents;
  return (exact_box){ld_float(t->origin),
                     {ld_scale((ldouble)h.x, ld_float(t->x_axis)),
                      ld_scale((ldouble)h.y, ld_float(t->y_axis)),
                      ld_scale((ldouble)h.z, ld_float(t->z_axis))}};
}

static ldvec cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* How far the boxes are apart along a direction of unit length, from the first to the second. */
static ldouble separation_along(const exact_box *a, const exact_box *b, ldvec n) {
  ldouble reach = 0;
  for (int i = 0; i < 3; i++) {
    reach += fabsl(ld_dot(a->half[i], n)) + fabsl(ld_dot(b->half[i], n));
  }
  return ld_dot(ld_sub(b->center, a->center), n) - reach;
}

/* The better of two opposite directions, of any length; edges closer to parallel than rounding do
 * not count. */
static void try_axis(const exact_box *a, const exact_box *b, ldvec axis, ldouble lengths,
                     ldouble *best) {
  ldouble length = ld_norm(axis);
  if (length > 1e-12L * lengths) {
    ldvec n = ld_scale(1 / length, axis);
    *best = fmaxl(*best, fmaxl(separation_along(a, b, n), separation_along(a, b, ld_scale(-1, n))));
  }
}

/* The greatest separation along any axis: minus the depth, of boxes that overlap. */
static double exact_separation(const exact_box *a, const exact_box *b) {
  ldouble best = -INFINITY;
  for (int i = 0; i < 3; i++) {
    try_axis(a, b, cross(a->half[i], a->half[(i + 1) % 3]), 0, &best);
    try_axis(a, b, cross(b->half[i], b->half[(i + 1) % 3]), 0, &best);
    for (int k = 0; k < 3; k++) {
      try_axis(a, b, cross(a->half[i], b->half[k]), ld_norm(a->half[i]) * ld_norm(b->half[k]),
               &best);
    }
  }
  return (double)best;
}

static float thickness_of(const mo_primitive *p) {
  mo_vec3 h = p->geometry.box.half_extents;
  return 2 * fminf(h.x, fminf(h.y, h.z));
}

/* What is given up for the normal of a face. */
static double bias_of(const mo_primitive *a, const mo_primitive *b) {
  return (double)fminf(thickness_of(a), thickness_of(b)) / 128;
}

/* More than how far points may be from each other. */
static double extent_of(const mo_primitive *a, const mo_primitive *b) {
  double of_a = (double)ld_norm(ld_float(a->geometry.box.half_extents));
  return 2 * fmin(of_a, (double)ld_norm(ld_float(b->geometry.box.half_extents)));
}

static bool has_face_along(const exact_box *box, ldvec n) {
  bool found = false;
  for (int i = 0; i < 3; i++) {
    ldvec face = cross(box->half[i], box->half[(i + 1) % 3]);
    found = found || ld_norm(cross(face, n)) <= 1e-5L * ld_norm(face);
  }
  return found;
}

/* The contact agrees with the separating axis theorem. Whether the boxes overlap and its normal is
 * no face's, but that of two edges. */
static bool check(const mo_primitive *a, const mo_primitive *b, const char *what, int round) {
  const exact_box p = exact_of(a), q = exact_of(b);
  const double exact = exact_separation(&p, &q), bias = bias_of(a, b);
  const mo_manifold m = collide_within(a, b, 0.02f);
  if (exact <= 0) {
    cr_assert(m.touching && m.point_count > 0, "%s %d: %g deep, and no contact", what, round,
              -exact);
  }
  if (m.point_count == 0) {
    return false;
  }
  const ldvec n = ld_float(m.normal);
  const double min = (double)min_separation(&m);
  const double along = (double)separation_along(&p, &q, n);
  cr_assert(min >= along - 1e-5, "%s %d: %g, but %g along the normal", what, round, min, along);
  if (exact > 0) {
    return false;
  }
  cr_assert(along >= exact - bias - 1e-5, "%s %d: the normal leads out by %g, not %g", what, round,
            -along, -exact);
  const bool of_edges = !has_face_along(&p, n) && !has_face_along(&q, n);
  /* Of more than four points the deepest may be left out where it is hardly deeper. */
  const double left_out = m.point_count == 4 ? extent_of(a, b) * 0x1p-10 : 0;
  const double max = exact + left_out + (of_edges ? 1e-5 : bias + 1e-5);
  cr_assert(min <= max, "%s %d: %g, not %g", what, round, min, exact);
  return of_edges;
}

/* A box that stands on an edge, or hangs from it (`up` is -1), turned about the vertical and so
 * that the edge is not level; the middle of the edge is at the origin, but for an offset. */
static mo_primitive on_edge(mo_geometry g, float up, double roll, double pitch, double yaw,
                            mo_vec3 at) {
  const mo_vec3 h = g.box.half_extents;
  mo_transform inner =
      mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(-1, 0, 0), roll), mo_vec(1, 1, 1));
  mo_vec3 edge = mo_transform_point(&inner, mo_vec(0, up * h.y, up * h.z));
  inner.origin = mo_scale(-1, edge);
  mo_transform tilt =
      mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(0, 0, 1), pitch), mo_vec(1, 1, 1));
  mo_transform turn = mo_transform_make(at, turned(mo_vec(0, 1, 0), yaw), mo_vec(1, 1, 1));
  mo_transform both = mo_transform_compose(&tilt, &inner);
  both = mo_transform_compose(&turn, &both);
  return mo_primitive_of_geometry(&g, &both);
}

/* Edges over each other, at all angles down to none, and heights around touch. */
Test(boxes, edges_swept_through_parallel) {
  rng r = rng_make(rng_seed("boxes edges", 217));
  int edges = 0, steep = 0;
  for (int i = 0; i < (int)rng_rounds(300, 20000); i++) {
    mo_geometry g = box_of(rng_float(&r, 0.2f, 2), rng_float(&r, 0.2f, 1), rng_float(&r, 0.2f, 1)),
                h = box_of(rng_float(&r, 0.2f, 2), rng_float(&r, 0.2f, 1), rng_float(&r, 0.2f, 1));
    double roll = (double)rng_float(&r, 0.5f, 1.1f), other_roll = (double)rng_float(&r, 0.5f, 1.1f),
           pitch = rng_chance(&r, 0.5) ? 0 : (double)rng_float(&r, -0.02f, 0.02f);
    mo_vec3 at = mo_vec(rng_float(&r, -0.1f, 0.1f), rng_float(&r, -0.03f, 0.015f),
                        rng_float(&r, -0.02f, 0.02f));
    double max = pow(10, (double)rng_float(&r, -7, 0.3f));
    mo_primitive below = on_edge(g, 1, roll, 0, 0, mo_vec(0, 0, 0));
    for (int k = -4; k <= 4; k++) {
      mo_primitive above = on_edge(h, -1, other_roll, pitch, max * k / 4, at);
      edges += check(&below, &above, "edges", 9 * i + k);
      steep += check(&above, &below, "edges exchanged", 9 * i + k);
    }
  }
  cr_assert(edges > 100 && abs(edges - steep) <= edges / 50, "%d %d", edges, steep);
}

/* Boxes of all shapes, sheets and rods among them, anywhere. */
Test(boxes, thin_ones_anywhere) {
  rng r = rng_make(rng_seed("boxes thin", 218));
  int edges = 0;
  for (int i = 0; i < (int)rng_rounds(4000, 400000); i++) {
    mo_primitive p[2];
    for (int k = 0; k < 2; k++) {
      float extents[3];
      for (int axis = 0; axis < 3; axis++) {
        extents[axis] =
            rng_chance(&r, 0.3) ? powf(10, rng_float(&r, -4, -1)) : rng_float(&r, 0.1f, 1);
      }
      mo_vec3 at = mo_scale(rng_float(&r, 0, 1), rng_direction(&r));
      p[k] = placed(box_of(extents[0], extents[1], extents[2]), at, rng_rotation(&r));
    }
    edges += check(&p[0], &p[1], "thin", i);
  }
  cr_assert_gt(edges, 20);
}

/* A box on a larger one, turned a little out of parallel: its four corners, each with its own
 * height over the face below. */
Test(boxes, nearly_aligned_ones_have_their_corners) {
  rng r = rng_make(rng_seed("boxes aligned", 219));
  for (int i = 0; i < (int)rng_rounds(1000, 50000); i++) {
    mo_geometry g =
        box_of(rng_float(&r, 0.1f, 0.5f), rng_float(&r, 0.1f, 0.5f), rng_float(&r, 0.1f, 0.5f));
    double angle = pow(10, (double)rng_float(&r, -9, -2.5f));
    float yaw = rng_chance(&r, 0.5) ? rng_float(&r, -3, 3) : 0;
    mo_vec3 axis = rng_direction(&r);
    mo_transform turn =
        mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(0, 1, 0), (double)yaw), mo_vec(1, 1, 1));
    mo_transform tilt = mo_transform_make(mo_vec(0, g.box.half_extents.y - 0.004f, 0),
                                          turned(axis, angle), mo_vec(1, 1, 1));
    mo_transform map = mo_transform_compose(&tilt, &turn);
    mo_primitive below = moved(box_of(2, 0.5f, 2), 0, -0.5f, 0),
                 above = mo_primitive_of_geometry(&g, &map);
    (void)check(&below, &above, "aligned", i);
    mo_manifold m = collide(below, above);
    cr_assert_eq(m.point_count, 4, "round %d: %u points", i, m.point_count);
    cr_assert(apart(m.normal, mo_vec(0, 1, 0)) <= 1.01 * angle + 1e-6, "round %d", i);
    for (int k = 0; k < 4; k++) {
      mo_vec3 h = g.box.half_extents;
      mo_vec3 corner =
          mo_transform_point(&map, mo_vec(k & 1 ? h.x : -h.x, -h.y, k & 2 ? h.z : -h.z));
      float nearest = INFINITY;
      for (uint32_t n = 0; n < 4; n++) {
        const mo_manifold_point *p = &m.points[n];
        mo_vec3 own = mo_add(p->position, mo_scale(0.5f * p->separation, m.normal));
        if (apart(own, corner) <= 1e-5) {
          nearest = fminf(nearest, fabsf(p->separation - corner.y));
        }
      }
      cr_assert(nearest <= 2e-5f, "round %d: corner %d is off by %g", i, k, (double)nearest);
    }
  }
}
