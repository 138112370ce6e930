/* The search for separating axes of two polytopes, which culls, against one that tries all axes. */
#include "contact/body/limits.h"
#include "contact/contacts.h"
#include "contact/normal/polytope.h"
#include "geometry/distance/distance.h"
#include "geometry/penetration/penetration.h"
#include "support/rng.h"

static void (*const find_axis[MO_ISA_COUNT])(mo_axis_search *) =
    MO_ISA_TABLE(mo_polytopes_find_axis);
static bool (*const is_apart[MO_ISA_COUNT])(mo_contact_polytope *, const mo_dvec3[3],
                                            double) = MO_ISA_TABLE(mo_polytope_is_apart);

/* --- all axes, one after the other --- */

static double lowest(const mo_contact_polytope *p, mo_dvec3 n) {
  double min = INFINITY;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    const double height = mo_ddot(p->vertices[i], n);
    min = height < min ? height : min;
  }
  return min;
}

static void offer(mo_axis_search *to, double separation, mo_dvec3 normal) {
  if (separation > to->max_separation) {
    to->max_separation = separation;
    to->normal = normal;
  }
}

static bool arc_crosses_great_circle(const mo_contact_polytope *p, const mo_hull_table_edge *e,
                                     mo_dvec3 along) {
  return (mo_ddot(p->normals[e->faces[0]], along) > 0.0) !=
         (mo_ddot(p->normals[e->faces[1]], along) > 0.0);
}

static mo_dvec3 middle_of(const mo_contact_polytope *p, const mo_hull_table_edge *e) {
  return mo_dadd(p->normals[e->faces[0]], p->normals[e->faces[1]]);
}

static void try_edges(mo_axis_search *to, const mo_hull_table_edge *e,
                      const mo_hull_table_edge *f) {
  const mo_contact_polytope *a = to->a, *b = to->b;
  const mo_dvec3 x = mo_dsub(a->vertices[e->end], a->vertices[e->start]);
  const mo_dvec3 y = mo_dsub(b->vertices[f->end], b->vertices[f->start]);
  const mo_dvec3 cross = mo_dcross(x, y);
  const bool arcs = a->has_volume && b->has_volume;
  const bool flat = a->axis_face_count == 2 && b->axis_face_count == 2;
  if (arcs && !(arc_crosses_great_circle(b, f, x) && arc_crosses_great_circle(a, e, y) &&
                mo_ddot(cross, middle_of(a, e)) * mo_ddot(cross, middle_of(b, f)) < 0.0)) {
    return;
  }
  const double length = mo_dlength(cross), lengths = mo_dlength(x) * mo_dlength(y);
  if (!(length > (flat ? MO_FLAT_PARALLEL_EDGES_SINE : MO_PARALLEL_EDGES_SINE) * lengths) ||
      !(length > 0.0)) {
    return;
  }
  mo_dvec3 n = mo_dscale(1.0 / length, cross), back = mo_dscale(-1.0, n);
  if (arcs && !flat) {
    n = mo_ddot(n, middle_of(a, e)) < 0.0 ? back : n;
    offer(to, mo_ddot(n, mo_dsub(b->vertices[f->start], a->vertices[e->start])), n);
  } else {
    offer(to, lowest(b, n) + lowest(a, back), n);
    offer(to, lowest(a, n) + lowest(b, back), back);
  }
}

static void try_all(mo_axis_search *to) {
  to->max_separation = -INFINITY;
  to->normal = (mo_dvec3){0.0, 0.0, 0.0};
  for (int side = 0; side < 2; side++) {
    const mo_contact_polytope *own = side == 0 ? to->a : to->b, *other = side == 0 ? to->b : to->a;
    for (uint32_t i = 0; i < own->axis_face_count; i++) {
      if (mo_ddot(own->normals[i], own->normals[i]) > 0.0) {
        offer(to, lowest(other, own->normals[i]) - own->offsets[i],
              mo_dscale(side == 0 ? 1.0 : -1.0, own->normals[i]));
      }
    }
  }
  to->max_face_separation = to->max_separation;
  to->face_normal = to->normal;
  for (uint32_t i = 0; i < to->a->edge_count; i++) {
    for (uint32_t k = 0; k < to->b->edge_count; k++) {
      try_edges(to, &to->a->edges[i], &to->b->edges[k]);
    }
  }
}

/* --- bodies --- */

typedef enum pose { ANY, AFFINE, ALIGNED, NEARLY_ALIGNED, POSES } pose;

static mo_transform place(rng *r, pose how, float spread) {
  const mo_quat quarter = turned(rng_below(r, 2) ? mo_vec(0, 0, 1) : mo_vec(1, 0, 0),
                                 1.5707963267948966 * rng_below(r, 4));
  mo_vec3 origin = rng_vec3(r, -spread, spread), scale = mo_vec(1, 1, 1);
  mo_quat rotation = rng_rotation(r);
  if (how == ALIGNED || how == NEARLY_ALIGNED) {
    rotation = quarter;
    origin = mo_scale(0.125f, mo_vec((float)(int)(8 * origin.x), (float)(int)(8 * origin.y),
                                     (float)(int)(8 * origin.z)));
  }
  if (how == NEARLY_ALIGNED) {
    const float by = rng_chance(r, 0.5) ? 1e-6f : 3e-3f;
    origin = mo_add(origin, rng_vec3(r, -by, by));
    rotation.x += rng_float(r, -by, by);
    rotation.y += rng_float(r, -by, by);
    const float length = sqrtf(rotation.x * rotation.x + rotation.y * rotation.y +
                               rotation.z * rotation.z + rotation.w * rotation.w);
    rotation = (mo_quat){rotation.x / length, rotation.y / length, rotation.z / length,
                         rotation.w / length};
  }
  if (how == AFFINE) {
    scale = rng_vec3(r, 0.05f, 2);
    scale.x *= rng_chance(r, 0.5) ? -1.0f : 1.0f;
  }
  mo_transform map = mo_transform_make(origin, rotation, scale);
  if (how == AFFINE && rng_chance(r, 0.5)) {
    map.y_axis = mo_add(map.y_axis, mo_scale(rng_float(r, -1, 1), map.x_axis));
  }
  return map;
}

static void random_polytope(rng *r, const mo_transform *map, mo_contact_body *body) {
  const mo_dvec3 reference = {0.0, 0.0, 0.0};
  const test_hull_kind kinds[] = {TEST_HULL_BALL, TEST_HULL_CUBE};
  if (rng_chance(r, 0.2)) {
    const mo_vec3 corners[3] = {rng_vec3(r, -1, 1), rng_vec3(r, -1, 1), rng_vec3(r, -1, 1)};
    mo_contact_body_of_triangle(body, corners, map, reference);
    return;
  }
  mo_geometry g = rng_chance(r, 0.5) ? box_of(0.25f, 0.5f, rng_chance(r, 0.1) ? 0.0f : 0.75f)
                  : rng_chance(r, 0.5)
                      ? hull_of(kinds[rng_below(r, 2)])
                      : (mo_geometry){.type = MO_SHAPE_HULL, .hull = test_hull_random(r)};
  mo_solid solid;
  cr_assert(mo_geometry_read_solid(&g, &solid));
  mo_contact_body_of_solid(body, &solid, map, reference);
}

static bool same_bits(mo_dvec3 a, mo_dvec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static mo_dvec3 random_start(rng *r, mo_dvec3 result) {
  switch (rng_below(r, 3)) {
  case 0:
    return (mo_dvec3){0.0, 0.0, 0.0};
  case 1:
    return mo_dunit(mo_widen(rng_direction(r)));
  default:
    return mo_dunit(mo_dadd(result, mo_widen(rng_vec3(r, -0.01f, 0.01f))));
  }
}

static void check(const mo_axis_search *found, const mo_axis_search *expected, uint64_t i) {
  cr_assert(found->max_face_separation == expected->max_face_separation &&
                same_bits(found->face_normal, expected->face_normal),
            "round %llu: faces %.17g, not %.17g", (unsigned long long)i, found->max_face_separation,
            expected->max_face_separation);
  cr_assert(found->max_separation == expected->max_separation &&
                same_bits(found->normal, expected->normal),
            "round %llu: %.17g, not %.17g", (unsigned long long)i, found->max_separation,
            expected->max_separation);
}

/* Two triangles: a pair of edges may separate along an axis that it does not support, and is then
 * culled at times, but not where the triangles overlap. */
static void check_flat(const mo_axis_search *found, const mo_axis_search *all, double size,
                       uint64_t i) {
  cr_assert(
      found->max_separation <= all->max_separation &&
          (all->max_separation > 0.0 || found->max_separation >= all->max_separation - 1e-9 * size),
      "round %llu: %.17g, not %.17g", (unsigned long long)i, found->max_separation,
      all->max_separation);
}

/* A triangle that is dismissed by a face of a body is farther away. Returns whether it is. */
static bool check_dismissed(rng *r, mo_isa isa, mo_contact_polytope *p, const mo_contact_body *b,
                            const mo_axis_search *full, uint64_t i) {
  const double max = (double)rng_float(r, 0.0f, 0.5f);
  const bool dismissed = b->kind == MO_CORE_TRIANGLE && is_apart[isa](p, b->core.corners, max);
  cr_assert(!dismissed || full->max_separation > max, "round %llu: %.17g is within %g",
            (unsigned long long)i, full->max_separation, max);
  return dismissed;
}

/* Bit for bit the result of trying all axes, wherever the search starts, for each instruction set.
 */
Test(contact_polytopes, culled_search_finds_the_axis_of_the_full_search) {
  rng r = rng_make(rng_seed("contact polytopes", 331));
  const uint64_t rounds = rng_rounds(20000, 2000000);
  uint64_t near = 0, by_edges = 0, dismissed = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const pose how = (pose)rng_below(&r, POSES);
    const mo_transform of_a = place(&r, how, 0.1f), of_b = place(&r, how, 1.3f);
    mo_contact_body a, b;
    random_polytope(&r, &of_a, &a);
    random_polytope(&r, &of_b, &b);
    if (!mo_contact_body_is_polytope(&a) || !mo_contact_body_is_polytope(&b)) {
      continue;
    }
    mo_contact_polytope p, q;
    mo_contact_polytope_of(&p, &a);
    mo_contact_polytope_of(&q, &b);
    mo_contact_polytope_make_all(&p);
    mo_contact_polytope_make_all(&q);
    mo_axis_search full = {.a = &p, .b = &q};
    try_all(&full);
    const bool flat = p.axis_face_count == 2 && q.axis_face_count == 2;
    bool has_first = false;
    near += full.max_separation < 0.1;
    by_edges += full.max_separation > full.max_face_separation;
    for (int isa = 0; isa < MO_ISA_COUNT; isa++) {
      mo_isa chosen;
      if (find_axis[isa] == NULL || mo_isa_resolve((mo_isa)isa, &chosen) != MO_OK) {
        continue;
      }
      mo_contact_polytope_of(&p, &a);
      mo_contact_polytope_of(&q, &b);
      mo_axis_search s = {.a = &p,
                          .b = &q,
                          .separation_limit = INFINITY,
                          .start_axis = random_start(&r, full.normal)};
      find_axis[isa](&s);
      dismissed += check_dismissed(&r, (mo_isa)isa, &p, &b, &full, i);
      if (flat && !has_first) {
        check_flat(&s, &full, a.size + b.size, i);
        full.max_separation = s.max_separation; /* from any other start it is the same */
        full.normal = s.normal;
        has_first = true;
      }
      check(&s, &full, i);
      s.separation_limit = rng_float(&r, -0.5f, 0.5f);
      s.start_axis = random_start(&r, full.normal);
      find_axis[isa](&s);
      if (s.max_separation <= s.separation_limit) {
        check(&s, &full, i);
      } else { /* any axis that separates by more, also one of no face or edge */
        mo_contact_polytope_make_all(&p);
        mo_contact_polytope_make_all(&q);
        const double apart = lowest(&q, s.normal) + lowest(&p, mo_dscale(-1.0, s.normal));
        cr_assert(fabs(apart - s.max_separation) <= 1e-12 * (a.size + b.size), "round %llu",
                  (unsigned long long)i);
      }
    }
  }
  cr_assert(near > rounds / 4 && by_edges > rounds / 10, "%llu near, %llu by edges",
            (unsigned long long)near, (unsigned long long)by_edges);
  cr_assert(dismissed > rounds / 20, "%llu dismissed", (unsigned long long)dismissed);
}

/* --- hulls and the cores of balls and capsules --- */

/* The greatest separation of a hull and a line along some directions: those near the result, and
 * others. */
static double separation_along(rng *r, const mo_contact_body *hull, const mo_contact_body *line,
                               mo_dvec3 result) {
  double max = -INFINITY;
  for (int i = 0; i < 30; i++) {
    const double near = i < 10 ? 0.0 : i < 20 ? 20.0 : 1000.0;
    const mo_dvec3 n =
        mo_dunit(mo_dadd(mo_dscale(near, result), mo_widen(rng_vec3(r, -1.0f, 1.0f))));
    const double apart = mo_ddot(n, mo_dsub(mo_contact_body_support(line, mo_dscale(-1.0, n)),
                                            mo_contact_body_support(hull, n)));
    max = apart > max ? apart : max;
  }
  return max;
}

static void check_line(rng *r, const mo_contact_body *hull, const mo_contact_body *line,
                       const mo_hull_line_search *found, uint64_t i) {
  const double tolerance = 1e-12 * (hull->size + line->size), separation = found->separation;
  const mo_convex_gap gap = mo_convex_distance(&hull->core, &line->core, INFINITY);
  const mo_dvec3 n = found->normal, back = mo_dscale(-1.0, n);
  cr_assert(fabs(mo_dlength(n) - 1.0) <= 1e-12, "round %llu", (unsigned long long)i);
  const double along =
      mo_ddot(n, mo_dsub(mo_contact_body_support(line, back), mo_contact_body_support(hull, n)));
  cr_assert(fabs(along - separation) <= 100.0 * tolerance, "round %llu: %.17g along it, not %.17g",
            (unsigned long long)i, along, separation);
  if (separation > 0.0) {
    cr_assert(fabs(separation - gap.distance) <= 1e-7 * (hull->size + line->size),
              "round %llu: %.17g, not %.17g", (unsigned long long)i, separation, gap.distance);
  } else {
    const mo_convex_penetration p = mo_convex_find_depth(&hull->core, &line->core);
    cr_assert(-separation <= p.depth + 1e-6 * hull->size &&
                  -separation >= p.lower - 1e-6 * hull->size,
              "round %llu: %.17g, not %.17g", (unsigned long long)i, -separation, p.depth);
  }
  cr_assert(separation_along(r, hull, line, n) <= separation + tolerance, "round %llu",
            (unsigned long long)i);
  const mo_dvec3 between = mo_dsub(found->points[1], found->points[0]);
  cr_assert(mo_dlength(mo_dsub(between, mo_dscale(separation, n))) <=
                1e-7 * (hull->size + line->size),
            "round %llu", (unsigned long long)i);
}

/* Distances against GJK, depths against an expanding polytope, both against many directions. */
Test(contact_polytopes, hulls_with_balls_and_capsules) {
  static bool (*const find_line[MO_ISA_COUNT])(mo_hull_line_search *) =
      MO_ISA_TABLE(mo_hull_line_find);
  rng r = rng_make(rng_seed("contact hull lines", 333));
  const uint64_t rounds = rng_rounds(20000, 1000000);
  uint64_t apart = 0, deep = 0, tried = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const pose how = (pose)rng_below(&r, POSES);
    const mo_transform of_hull = place(&r, how, 0.1f), of_line = place(&r, ANY, 1.0f);
    const mo_geometry hull = {.type = MO_SHAPE_HULL, .hull = test_hull_random(&r)};
    const mo_geometry line = rng_chance(&r, 0.4) ? sphere_of((mo_vec3){0, 0, 0}, 0.1f)
                                                 : capsule_of(rng_float(&r, 0.01f, 1.0f), 0.1f);
    mo_solid solids[2];
    mo_contact_body a, b;
    cr_assert(mo_geometry_read_solid(&hull, &solids[0]) &&
              mo_geometry_read_solid(&line, &solids[1]));
    mo_contact_body_of_solid(&a, &solids[0], &of_hull, (mo_dvec3){0.0, 0.0, 0.0});
    mo_contact_body_of_solid(&b, &solids[1], &of_line, (mo_dvec3){0.0, 0.0, 0.0});
    mo_contact_polytope p;
    mo_hull_line_search first = {.separation = 0.0};
    bool was_found = false, is_first = true;
    for (int isa = 0; isa < MO_ISA_COUNT && mo_contact_body_is_polytope(&a); isa++) {
      mo_isa chosen;
      if (find_line[isa] == NULL || mo_isa_resolve((mo_isa)isa, &chosen) != MO_OK) {
        continue;
      }
      mo_contact_polytope_of(&p, &a);
      const mo_dvec3 half = b.kind == MO_CORE_POINT ? (mo_dvec3){0.0, 0.0, 0.0} : b.axis[0];
      mo_hull_line_search s = {.hull = &p, .line = {b.center, half}, .max = INFINITY};
      const bool is_found = p.has_volume && find_line[isa](&s);
      cr_assert(is_first || is_found == was_found);
      cr_assert(is_first || !is_found ||
                (s.separation == first.separation && same_bits(s.normal, first.normal)));
      was_found = is_found;
      is_first = false;
      first = s;
    }
    tried += !is_first && p.has_volume;
    if (was_found) {
      apart += first.separation > 0.0;
      deep += first.separation <= 0.0;
      check_line(&r, &a, &b, &first, i);
    }
  }
  cr_assert(apart > tried / 3 && deep > tried / 20, "%llu apart, %llu deep, of %llu",
            (unsigned long long)apart, (unsigned long long)deep, (unsigned long long)tried);
}
