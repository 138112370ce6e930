/* Triangles with each other and with boxes, with corners on a lattice: edges and planes are often
 * exactly perpendicular or parallel, as in what people model. Against the separating axis theorem
 * with all its axes in long double. */
#include "contact/contacts.h"
#include "support/rng.h"

/* The corners, the directions of the edges and those across the faces. A triangle is flat, so that
 * the directions in its plane across its edges separate, too. */
typedef struct exact_body {
  int corner_count, edge_count, normal_count;
  ldvec corners[8], edges[3], normals[4];
} exact_body;

static ldvec cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static exact_body exact_triangle(const mo_vec3 c[3]) {
  exact_body body = {.corner_count = 3, .edge_count = 3, .normal_count = 4};
  for (int i = 0; i < 3; i++) {
    body.corners[i] = ld_float(c[i]);
    body.edges[i] = ld_sub(ld_float(c[(i + 1) % 3]), ld_float(c[i]));
  }
  body.normals[3] = cross(body.edges[0], body.edges[1]);
  for (int i = 0; i < 3; i++) {
    body.normals[i] = cross(body.edges[i], body.normals[3]);
  }
  return body;
}

static exact_body exact_box(const mo_primitive *p) {
  exact_body body = {.corner_count = 8, .edge_count = 3, .normal_count = 3};
  const mo_transform *t = &p->transform;
  const mo_vec3 h = p->geometry.box.half_extents;
  const ldvec half[3] = {ld_scale((ldouble)h.x, ld_float(t->x_axis)),
                         ld_scale((ldouble)h.y, ld_float(t->y_axis)),
                         ld_scale((ldouble)h.z, ld_float(t->z_axis))};
  for (int i = 0; i < 8; i++) {
    ldvec at = ld_float(t->origin);
    for (int axis = 0; axis < 3; axis++) {
      at = ld_add(at, ld_scale(i >> axis & 1 ? 1 : -1, half[axis]));
    }
    body.corners[i] = at;
  }
  for (int axis = 0; axis < 3; axis++) {
    body.edges[axis] = half[axis];
    body.normals[axis] = cross(half[axis], half[(axis + 1) % 3]);
  }
  return body;
}

/* The least height of the corners along a direction. */
static ldouble lowest(const exact_body *body, ldvec n) {
  ldouble min = INFINITY;
  for (int i = 0; i < body->corner_count; i++) {
    min = fminl(min, ld_dot(body->corners[i], n));
  }
  return min;
}

/* How far the bodies are apart along a direction of unit length, from the first to the second. */
static ldouble separation_along(const exact_body *a, const exact_body *b, ldvec n) {
  return lowest(b, n) + lowest(a, ld_scale(-1, n));
}

static void try_axis(const exact_body *a, const exact_body *b, ldvec axis, ldouble *best) {
  const ldouble length = ld_norm(axis);
  if (length > 1e-9L) {
    const ldvec n = ld_scale(1 / length, axis);
    *best = fmaxl(*best, fmaxl(separation_along(a, b, n), separation_along(a, b, ld_scale(-1, n))));
  }
}

static double exact_separation(const exact_body *a, const exact_body *b) {
  ldouble best = -INFINITY;
  for (int i = 0; i < a->normal_count; i++) {
    try_axis(a, b, a->normals[i], &best);
  }
  for (int i = 0; i < b->normal_count; i++) {
    try_axis(a, b, b->normals[i], &best);
  }
  for (int i = 0; i < a->edge_count; i++) {
    for (int k = 0; k < b->edge_count; k++) {
      try_axis(a, b, cross(a->edges[i], b->edges[k]), &best);
    }
  }
  return (double)best;
}

static double distance_of(const mo_primitive *a, const mo_primitive *b) {
  mo_primitive_distance d;
  cr_assert_eq(mo_primitive_find_distance(a, b, INFINITY, &d), MO_OK);
  return d.distance;
}

/* Where the bodies overlap, the normal leads out of the overlap by the shortest way, but for what
 * the normal of a face is preferred by, and the contact is no deeper than that. Where they are
 * apart, the gap is no larger than the separation along the best axis, but for that. */
static void check(const mo_primitive *a, const exact_body *of_a, const mo_primitive *b,
                  const exact_body *of_b, double bias, int round) {
  const double exact = exact_separation(of_a, of_b);
  const mo_manifold m = collide(*a, *b);
  if (exact > 0) {
    cr_assert(m.point_count == 0 || (double)min_separation(&m) <= distance_of(a, b) + bias + 1e-5,
              "round %d: a gap of %g, not %g", round, (double)min_separation(&m),
              distance_of(a, b));
    return;
  }
  cr_assert(m.point_count > 0, "round %d: %g deep, and no contact", round, -exact);
  const double along = (double)separation_along(of_a, of_b, ld_float(m.normal));
  cr_assert(along >= exact - bias - 1e-5, "round %d: the normal %g %g %g leads out by %g, not %g",
            round, (double)m.normal.x, (double)m.normal.y, (double)m.normal.z, -along, -exact);
  cr_assert((double)min_separation(&m) >= along - 1e-5, "round %d: %g, not %g", round,
            (double)min_separation(&m), along);
}

static mo_vec3 lattice_corner(rng *r, int cells) {
  return mo_vec((float)rng_below(r, (uint32_t)cells), (float)rng_below(r, (uint32_t)cells),
                (float)rng_below(r, (uint32_t)cells));
}

/* A triangle with an area, moved a little off the lattice along one axis half of the time: then
 * overlaps are shallow. */
static mo_primitive triangle_on_lattice(rng *r, exact_body *exact) {
  mo_vec3 c[3];
  do {
    for (int i = 0; i < 3; i++) {
      c[i] = lattice_corner(r, 4);
    }
    *exact = exact_triangle(c);
  } while (ld_norm(exact->normals[3]) == 0);
  const float step = rng_chance(r, 0.5) ? 0.0625f : 0;
  const uint32_t axis = rng_below(r, 3);
  for (int i = 0; i < 3; i++) {
    c[i] = mo_add(c[i], mo_vec(axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0));
  }
  *exact = exact_triangle(c);
  return mo_primitive_of_triangle(c[0], c[1], c[2]);
}

Test(aligned, triangles) {
  rng r = rng_make(rng_seed("aligned triangles", 321));
  for (int i = 0; i < (int)rng_few_rounds(20000, 2000000); i++) {
    exact_body p, q;
    const mo_primitive a = triangle_on_lattice(&r, &p), b = triangle_on_lattice(&r, &q);
    check(&a, &p, &b, &q, 0, i);
  }
}

Test(aligned, boxes_and_triangles) {
  rng r = rng_make(rng_seed("aligned boxes", 322));
  for (int i = 0; i < (int)rng_few_rounds(20000, 2000000); i++) {
    exact_body p;
    const mo_primitive a = triangle_on_lattice(&r, &p);
    const mo_vec3 extents = mo_add(mo_vec(1, 1, 1), lattice_corner(&r, 3));
    const mo_geometry g = box_of(extents.x / 2, extents.y / 2, extents.z / 2);
    const mo_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double angle = (double)rng_below(&r, 4) * 0.78539816339744831;
    const mo_primitive b = placed(g, lattice_corner(&r, 4), turned(axes[rng_below(&r, 3)], angle));
    const exact_body q = exact_box(&b);
    const double thickness = (double)fminf(extents.x, fminf(extents.y, extents.z));
    check(&a, &p, &b, &q, thickness / 128, i);
    check(&b, &q, &a, &p, thickness / 128, i);
  }
}

/* The edge of a box, and one of an upright sheet, over the upper edge of another sheet. */
Test(aligned, an_edge_over_the_edge_of_a_sheet) {
  const mo_primitive sheet =
      mo_primitive_of_triangle(mo_vec(-2, 0, 0), mo_vec(2, 0, 0), mo_vec(0, -3, 0));
  const mo_primitive box = placed(box_of(0.5f, 0.5f, 2), mo_vec(0, sqrtf(0.5f) - 0.01f, 0),
                                  turned(mo_vec(0, 0, 1), 0.78539816339744831)),
                     other = mo_primitive_of_triangle(mo_vec(0, -0.01f, -2), mo_vec(0, -0.01f, 2),
                                                      mo_vec(0, 3, 0));
  const mo_primitive above[2] = {box, other};
  for (int i = 0; i < 2; i++) {
    const mo_manifold m = collide(sheet, above[i]);
    cr_assert_eq(m.point_count, 1);
    cr_assert(apart(m.normal, mo_vec(0, 1, 0)) <= 1e-6, "%d: %g %g %g", i, (double)m.normal.x,
              (double)m.normal.y, (double)m.normal.z);
    cr_assert_float_eq(m.points[0].separation, -0.01f, 1e-6f, "%d", i);
  }
}

/* Edges of both that are on one line as seen along the normal: points only where they overlap. */
Test(aligned, edges_on_one_line) {
  const mo_primitive a = mo_primitive_of_triangle(mo_vec(3, 0, 0), mo_vec(1, 2, 2),
                                                  mo_vec(1, 1, 3)),
                     b = mo_primitive_of_triangle(mo_vec(2, 1, 1), mo_vec(0, 1, 3),
                                                  mo_vec(1, 1, 1));
  const mo_manifold of_triangles = collide(a, b);
  cr_assert(min_separation(&of_triangles) >= -1e-6f);
  const mo_primitive c = mo_primitive_of_triangle(mo_vec(1, 3, 0), mo_vec(2, 1, 0),
                                                  mo_vec(0, 0, 3)),
                     box = moved(box_of(1, 1.5f, 0.5f), 2, 2, 2);
  const mo_manifold of_box = collide(c, box);
  cr_assert(min_separation(&of_box) >= -1e-6f);
}

/* Boxes of one width on each other, shifted along it or across, and turned together: all points lie
 * between their faces. */
Test(aligned, boxes_of_one_width) {
  rng r = rng_make(rng_seed("aligned widths", 323));
  for (int i = 0; i < (int)rng_few_rounds(5000, 500000); i++) {
    const float width = 0.25f * (float)(1 + rng_below(&r, 8)), shift = rng_float(&r, -0.9f, 0.9f);
    const mo_transform turn =
        mo_transform_make(rng_vec3(&r, -10, 10), rng_rotation(&r), mo_vec(1, 1, 1));
    mo_transform up = mo_transform_identity();
    up.origin = mo_vec(shift, 0.998f, 0);
    up = mo_transform_compose(&turn, &up);
    const mo_geometry g = box_of(1, 0.5f, width);
    const mo_primitive below = mo_primitive_of_geometry(&g, &turn),
                       above = mo_primitive_of_geometry(&g, &up);
    const mo_manifold m = collide(below, above);
    cr_assert_eq(m.point_count, 4, "round %d: %u points", i, m.point_count);
    for (uint32_t k = 0; k < m.point_count; k++) {
      const mo_vec3 to = m.points[k].anchor_a;
      const float x = mo_dot(to, turn.x_axis), z = mo_dot(to, turn.z_axis);
      cr_assert(x >= fmaxf(-1, shift - 1) - 1e-5f && x <= fminf(1, shift + 1) + 1e-5f &&
                    fabsf(z) <= width + 1e-5f,
                "round %d: a point at %g %g, shifted by %g", i, (double)x, (double)z,
                (double)shift);
      cr_assert_float_eq(m.points[k].separation, -0.002f, 1e-5f, "round %d", i);
    }
  }
}

/* Sheets that cross edge on edge at a small angle: the normal is across both edges, not that of a
 * sheet. */
Test(aligned, sheets_that_cross_at_small_angles) {
  for (int i = 1; i <= 8; i++) {
    const float angle = 0.001f * (float)i, c = 10 * cosf(angle), s = 10 * sinf(angle);
    const mo_primitive a = mo_primitive_of_triangle(mo_vec(-10, 0, 0), mo_vec(10, 0, 0),
                                                    mo_vec(0, -3, 0)),
                       b = mo_primitive_of_triangle(mo_vec(-c, -0.001f, s), mo_vec(c, -0.001f, -s),
                                                    mo_vec(0, 3, 0));
    const mo_manifold m = collide(a, b);
    cr_assert(m.point_count > 0 && apart(m.normal, mo_vec(0, 1, 0)) <= 1e-4, "%g", (double)angle);
    cr_assert_float_eq(min_separation(&m), -0.001f, 1e-5f, "%g", (double)angle);
  }
}

/* Depths against an expanding polytope: of ellipsoids, also of one and a point in it; and of a
 * cylinder and a hull whose edges are both where the search for the deepest place of a rim begins.
 */
Test(aligned, ellipsoids_and_rims_against_a_polytope) {
  mo_transform map = mo_transform_make(mo_vec(-1, 1, 2), (mo_quat){0, 0, 0, 1}, mo_vec(1, 2, 1));
  const mo_geometry ball = sphere_of(mo_vec(0, 0, 0), 1.25f);
  const mo_primitive tall = mo_primitive_of_geometry(&ball, &map);
  map =
      mo_transform_make(mo_vec(2.7421875f, 1.0078125f, 2), (mo_quat){0, 0, 0, 1}, mo_vec(2, 1, 2));
  const mo_primitive wide = mo_primitive_of_geometry(&ball, &map);
  const mo_primitive point = mo_primitive_of_point(mo_vec(-1.5f, 2.5f, 2.25f));
  float corners[14][3];
  for (int i = 0; i < 8; i++) {
    corners[i][0] = i & 1 ? 1 : -1;
    corners[i][1] = i & 2 ? 1 : -1;
    corners[i][2] = i & 4 ? 1 : -1;
  }
  for (int i = 0; i < 6; i++) {
    for (int axis = 0; axis < 3; axis++) {
      corners[8 + i][axis] = i / 2 != axis ? 0 : i & 1 ? 2 : -2;
    }
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = corners[0];
  def.position_count = 14;
  mo_hull *hull = NULL;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  const mo_primitive dodecahedron =
      moved((mo_geometry){.type = MO_SHAPE_HULL, .hull = hull}, -0.5f, 0.5f, -0.5f);
  const mo_primitive cylinder = moved(
      (mo_geometry){.type = MO_SHAPE_CYLINDER, .cylinder = {{0, -2, 0}, {0, 0, 0}, 1}}, 0, 0, 0);
  const mo_primitive pairs[][2] = {{tall, wide}, {tall, point}, {cylinder, dodecahedron}};
  for (int i = 0; i < 3; i++) {
    mo_primitive_penetration found;
    cr_assert_eq(mo_primitive_find_penetration(&pairs[i][0], &pairs[i][1], &found), MO_OK);
    const mo_manifold m = collide(pairs[i][0], pairs[i][1]);
    cr_assert(found.found && m.touching, "pair %d", i);
    cr_assert_float_eq((double)min_separation(&m), -found.depth, 0.01, "pair %d: %g, not %g", i,
                       (double)-min_separation(&m), found.depth);
  }
  mo_hull_release(hull);
}
