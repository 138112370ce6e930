/* Random convex solids for tests, and what is known of them by definition. */
#ifndef TEST_ORACLE_SOLIDS_H
#define TEST_ORACLE_SOLIDS_H

#include "geometry/distance/distance.h"
#include "geometry/solid/solids.h"
#include "oracle/primitive.h"
#include "support/hulls.h"

#define SOLID_ONE_MORE(NAME, name) +1
enum { SOLID_KINDS = 0 MO_SOLID_KINDS(SOLID_ONE_MORE) };

/* A solid of a size about 1 near 0, in its own frame. */
typedef struct solid {
  mo_solid_kind kind;
  mo_sphere sphere;
  mo_vec3 center, half;
  mo_vec3 a, b;
  float radius, rounding;
  mo_hull *hull; /* null: a tetrahedron */
} solid;

/* Some have no volume; some are rounded, a few of them by very little. */
static inline solid random_solid(rng *r) {
  solid s = {.kind = (mo_solid_kind)rng_below(r, SOLID_KINDS)};
  s.center = rng_vec3(r, -1, 1);
  s.half = rng_vec3(r, 0, 1);
  s.radius = rng_chance(r, 0.1) ? 0 : rng_float(r, 0, 1);
  s.a = rng_vec3(r, -1, 1);
  s.b = rng_chance(r, 0.1) ? s.a : rng_vec3(r, -1, 1);
  if ((s.kind == MO_SOLID_CYLINDER || s.kind == MO_SOLID_CONE) &&
      mo_max_magnitude(mo_sub(s.b, s.a)) == 0) {
    s.b.x += 0.5f;
  }
  if (rng_chance(r, 0.1)) {
    s.half.x = 0;
  }
  if (rng_chance(r, 0.1)) {
    s.half.y = 0;
  }
  s.sphere = (mo_sphere){s.center, s.radius};
  if (s.kind == MO_SOLID_HULL) {
    s.hull = test_hull_random(r);
  }
  if (rng_chance(r, 0.4)) {
    s.rounding = rng_chance(r, 0.2) ? powf(10, rng_float(r, -12, 0)) : rng_float(r, 0, 1);
  }
  return s;
}

/* No hull, or one that is about as thick as long. */
static inline bool has_no_thin_hull(const solid *s) {
  for (int kind = TEST_HULL_PLATE; kind <= TEST_HULL_FLAKE && s->kind == MO_SOLID_HULL; kind++) {
    if (s->hull == test_hull((test_hull_kind)kind)) {
      return false;
    }
  }
  return true;
}

static inline mo_solid solid_local(const solid *s) {
  mo_geometry g = {.type = MO_SHAPE_SPHERE, .rounding = s->rounding, .sphere = s->sphere};
  switch (s->kind) {
  case MO_SOLID_SPHERE:
    break;
  case MO_SOLID_BOX:
    g.box.center = s->center;
    g.box.half_extents = s->half;
    break;
  case MO_SOLID_CAPSULE:
    g.capsule.a = s->a;
    g.capsule.b = s->b;
    g.capsule.radius = s->radius;
    break;
  case MO_SOLID_CYLINDER:
    g.cylinder = (mo_cylinder){s->a, s->b, s->radius};
    break;
  case MO_SOLID_CONE:
    g.cone = (mo_cone){s->a, s->b, s->radius};
    break;
  case MO_SOLID_HULL:
    g.hull = s->hull != NULL ? s->hull : test_hull(TEST_HULL_TETRAHEDRON);
    break;
  }
  return mo_solid_read(s->kind, &g);
}

static inline mo_convex solid_convex(const solid *s, const mo_transform *map) {
  mo_solid local = solid_local(s);
  return mo_convex_make(&local, map);
}

static inline mo_convex convex_sphere(mo_sphere sphere, const mo_transform *map) {
  solid s = {.kind = MO_SOLID_SPHERE, .sphere = sphere};
  return solid_convex(&s, map);
}

static inline mo_convex convex_box(mo_vec3 center, mo_vec3 half, const mo_transform *map) {
  solid s = {.kind = MO_SOLID_BOX, .center = center, .half = half};
  return solid_convex(&s, map);
}

static inline mo_convex convex_capsule(mo_vec3 a, mo_vec3 b, float radius,
                                       const mo_transform *map) {
  solid s = {.kind = MO_SOLID_CAPSULE, .a = a, .b = b, .radius = radius};
  return solid_convex(&s, map);
}

/* The closest point of a cone: the nearer of what its base, and what the line from the apex to the
 * rim on this side have. */
static inline ldvec closest_of_cone(ldvec apex, ldvec base, ldouble radius, ldvec p) {
  ldvec axis = ld_sub(base, apex), d = ld_sub(p, apex);
  ldouble height = ld_norm(axis);
  axis = ld_scale(1 / height, axis);
  ldouble along = ld_dot(d, axis);
  ldvec out = ld_sub(d, ld_scale(along, axis));
  ldouble far = ld_norm(out);
  if (along >= 0 && along <= height && far * height <= radius * along) {
    return p;
  }
  out = ld_scale(far > 0 ? 1 / far : 0, out);
  ldvec on_base = ld_add(base, ld_scale(fminl(far, radius), out));
  ldvec side = ld_add(ld_scale(height, axis), ld_scale(radius, out));
  ldouble part = fmaxl(0, fminl(1, ld_dot(d, side) / ld_dot(side, side)));
  ldvec on_side = ld_add(apex, ld_scale(part, side));
  return ld_norm(ld_sub(p, on_base)) < ld_norm(ld_sub(p, on_side)) ? on_base : on_side;
}

static inline ldvec closest_of_segment(ldvec a, ldvec b, ldvec p) {
  ldvec e = ld_sub(b, a);
  ldouble length = ld_dot(e, e);
  ldouble part = length > 0 ? ld_dot(ld_sub(p, a), e) / length : 0;
  return ld_add(a, ld_scale(fmaxl(0, fminl(1, part)), e));
}

static inline ldvec ld_cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline ldvec vertex_of(const mo_hull *hull, uint32_t vertex) {
  return ld_float(mo_hull_vertex(hull, vertex));
}

static inline ldvec face_vertex_of(const mo_hull *hull, const mo_hull_polygon *face, uint32_t i) {
  return vertex_of(hull, hull->half_edges[face->first + i % face->count].vertex);
}

/* Outward, of any length. */
static inline ldvec face_normal_of(const mo_hull *hull, const mo_hull_polygon *face) {
  ldvec a = face_vertex_of(hull, face, 0);
  return ld_cross(ld_sub(face_vertex_of(hull, face, face->count / 3), a),
                  ld_sub(face_vertex_of(hull, face, 2 * face->count / 3), a));
}

/* The closest point of a hull: the point itself inside; else the nearest on an edge, or within a
 * face. */
static inline ldvec closest_of_hull(const mo_hull *hull, ldvec p) {
  ldvec best = p;
  ldouble min = INFINITY;
  bool inside = true;
  for (uint32_t f = 0; f < hull->face_count; f++) {
    const mo_hull_polygon *face = &hull->faces[f];
    ldvec n = face_normal_of(hull, face), a = face_vertex_of(hull, face, 0);
    ldouble above = ld_dot(n, ld_sub(p, a));
    if (above <= 0) {
      continue;
    }
    inside = false;
    ldvec foot = ld_sub(p, ld_scale(above / ld_dot(n, n), n));
    bool within = true;
    for (uint32_t i = 0; i < face->count; i++) {
      ldvec from = face_vertex_of(hull, face, i), to = face_vertex_of(hull, face, i + 1);
      within = within && ld_dot(ld_cross(ld_sub(to, from), ld_sub(foot, from)), n) >= 0;
      ldvec q = closest_of_segment(from, to, p);
      if (ld_norm(ld_sub(p, q)) < min) {
        min = ld_norm(ld_sub(p, q));
        best = q;
      }
    }
    if (within && ld_norm(ld_sub(p, foot)) < min) {
      min = ld_norm(ld_sub(p, foot));
      best = foot;
    }
  }
  if (inside && hull->flat) { /* in its plane: inside its edges, or not */
    const mo_hull_polygon *face = &hull->faces[0];
    ldvec n = face_normal_of(hull, face);
    for (uint32_t i = 0; i < face->count; i++) {
      ldvec from = face_vertex_of(hull, face, i), to = face_vertex_of(hull, face, i + 1);
      ldvec q = closest_of_segment(from, to, p);
      if (ld_dot(ld_cross(ld_sub(to, from), ld_sub(p, from)), n) < 0 &&
          ld_norm(ld_sub(p, q)) < min) {
        min = ld_norm(ld_sub(p, q));
        best = q;
      }
    }
  }
  return best;
}

/* A point of a hull: a vertex, or between some of them. */
static inline ldvec random_point_of_hull(rng *r, const mo_hull *hull) {
  ldvec p = vertex_of(hull, rng_below(r, hull->vertex_count));
  uint32_t more = rng_below(r, 5);
  for (uint32_t i = 0; i < more; i++) {
    ldvec q = vertex_of(hull, rng_below(r, hull->vertex_count));
    p = ld_add(p, ld_scale(rng_float(r, 0, 1), ld_sub(q, p)));
  }
  return p;
}

/* A point of a solid, anywhere or on its surface, in world coordinates but without its origin. */
static inline ldvec random_point_of(rng *r, const mo_convex *convex) {
  ldvec p = ld(convex->solid.a);
  double s = rng_chance(r, 0.2) ? rng_below(r, 2) : rng_float(r, 0, 1);
  if (convex->solid.kind == MO_SOLID_BOX) {
    p.x += (2 * s - 1) * convex->solid.b.x;
    p.y += rng_float(r, -1, 1) * convex->solid.b.y;
    p.z += (rng_chance(r, 0.2) ? 1 : rng_float(r, -1, 1)) * convex->solid.b.z;
  } else if (convex->solid.kind == MO_SOLID_HULL) {
    p = random_point_of_hull(r, convex->solid.hull);
  } else {
    ldvec axis = ld_sub(ld(convex->solid.b), p), d = ld_float(rng_direction(r));
    if (convex->solid.kind == MO_SOLID_CYLINDER || convex->solid.kind == MO_SOLID_CONE) {
      d = ld_sub(d, ld_scale(ld_dot(d, axis) / ld_dot(axis, axis), axis));
    }
    ldouble length = ld_norm(d);
    p = ld_add(p, ld_scale(s, ld_sub(ld(convex->solid.b), ld(convex->solid.a))));
    ldouble radius = convex->solid.radius * (rng_chance(r, 0.5) ? 1 : rng_float(r, 0, 1));
    if (convex->solid.kind == MO_SOLID_CONE) {
      radius *= s;
    }
    p = ld_add(p, ld_scale(radius / length, d));
  }
  if (convex->solid.rounding > 0) {
    ldvec d = ld_float(rng_direction(r));
    ldouble part = (rng_chance(r, 0.5) ? 1 : rng_float(r, 0, 1)) / ld_norm(d);
    p = ld_add(p, ld_scale(part * convex->solid.rounding, d));
  }
  return ld_add(ld_add(ld_scale(p.x, ld(convex->column[0])), ld_scale(p.y, ld(convex->column[1]))),
                ld_scale(p.z, ld(convex->column[2])));
}

/* How far it reaches along a vector from its centre, times the vector's length: half the width, if
 * it is symmetric. */
static inline ldouble reach_from_center(const mo_convex *convex, ldvec n) {
  ldvec local = {ld_dot(ld(convex->column[0]), n), ld_dot(ld(convex->column[1]), n),
                 ld_dot(ld(convex->column[2]), n)};
  ldouble rounding = convex->solid.rounding * ld_norm(local);
  if (convex->solid.kind == MO_SOLID_BOX) {
    return fabsl(local.x) * convex->solid.b.x + fabsl(local.y) * convex->solid.b.y +
           fabsl(local.z) * convex->solid.b.z + rounding;
  }
  if (convex->solid.kind == MO_SOLID_HULL) {
    const mo_hull *hull = convex->solid.hull;
    ldouble max = -INFINITY;
    for (uint32_t i = 0; i < hull->vertex_count; i++) {
      max = fmaxl(max, ld_dot(local, ld_sub(vertex_of(hull, i), ld(convex->solid.a))));
    }
    return max + rounding;
  }
  ldvec axis = ld_scale(0.5L, ld_sub(ld(convex->solid.b), ld(convex->solid.a)));
  ldvec across = local;
  if (convex->solid.kind == MO_SOLID_CYLINDER || convex->solid.kind == MO_SOLID_CONE) {
    across = ld_sub(local, ld_scale(ld_dot(local, axis) / ld_dot(axis, axis), axis));
  }
  if (convex->solid.kind == MO_SOLID_CONE) { /* to the apex or to the rim */
    ldouble half = ld_dot(axis, local);
    return fmaxl(-half, half + convex->solid.radius * ld_norm(across)) + rounding;
  }
  return fabsl(ld_dot(axis, local)) + convex->solid.radius * ld_norm(across) + rounding;
}

/* The centre without the origin. */
static inline ldvec center_of(const mo_convex *convex) {
  ldvec c = convex->solid.kind == MO_SOLID_BOX || convex->solid.kind == MO_SOLID_HULL
                ? ld(convex->solid.a)
                : ld_scale(0.5L, ld_add(ld(convex->solid.a), ld(convex->solid.b)));
  return ld_add(ld_add(ld_scale(c.x, ld(convex->column[0])), ld_scale(c.y, ld(convex->column[1]))),
                ld_scale(c.z, ld(convex->column[2])));
}

/* An upper bound on its diameter that is not far off. */
static inline double size_of(const mo_convex *convex) {
  ldouble size = 0;
  for (int axis = 0; axis < 3; ++axis) {
    ldvec n = {axis == 0, axis == 1, axis == 2};
    size += reach_from_center(convex, n) + reach_from_center(convex, ld_scale(-1, n));
  }
  return (double)size;
}

static inline bool solids_within(const mo_convex *a, const mo_convex *b, double distance) {
  const mo_body bodies[2] = {mo_body_of_convex(a), mo_body_of_convex(b)};
  return mo_bodies_within(&bodies[0], &bodies[1], distance);
}

static inline bool solid_triangle_within(const mo_convex *a, const mo_dvec3 corners[3],
                                         double distance) {
  const mo_body bodies[2] = {mo_body_of_convex(a), mo_body_of_triangle(corners)};
  return mo_bodies_within(&bodies[0], &bodies[1], distance);
}

static inline bool triangles_within(const mo_dvec3 a[3], const mo_dvec3 b[3], double distance) {
  const mo_body bodies[2] = {mo_body_of_triangle(a), mo_body_of_triangle(b)};
  return mo_bodies_within(&bodies[0], &bodies[1], distance);
}

#endif
