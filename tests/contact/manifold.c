/* Manifolds of pairs whose contacts are known: closed forms, resting and tilted shapes, thin and
 * nested ones; far from the origin; and that points move no more than shapes do. */
#include "contact/contacts.h"

static const mo_quat upright = {0, 0, 0, 1};

static void expect_normal(const mo_manifold *m, mo_vec3 normal, double tolerance) {
  cr_assert(m->point_count > 0);
  cr_assert(apart(m->normal, normal) <= tolerance, "%g %g %g", (double)m->normal.x,
            (double)m->normal.y, (double)m->normal.z);
}

Test(manifold, balls) {
  rng r = rng_make(rng_seed("manifold balls", 202));
  for (int i = 0; i < 1000; i++) {
    mo_vec3 p = rng_vec3(&r, -1, 1), q = rng_vec3(&r, -1, 1);
    float s = rng_float(&r, 0.1f, 1), t = rng_float(&r, 0.1f, 1);
    mo_manifold m = collide(moved(sphere_of(p, s), 100, 0, 0), moved(sphere_of(q, t), 100, 0, 0));
    double distance = apart(p, q), separation = distance - (double)s - (double)t;
    cr_assert_eq(m.point_count, separation <= 0.02);
    if (m.point_count > 0) {
      cr_assert(fabs((double)m.points[0].separation - separation) <= 1e-6);
      expect_normal(&m, mo_scale((float)(1 / distance), mo_sub(q, p)), 1e-5);
      double way = (double)s + 0.5 * separation;
      cr_assert(apart(m.points[0].anchor_a, mo_add(p, mo_scale((float)way, m.normal))) <= 1e-5);
    }
  }
}

Test(manifold, capsules) {
  mo_geometry g = capsule_of(1, 0.25f);
  mo_manifold m = collide(moved(g, 0, 0, 0), moved(g, 0.5f, 0.4f, 0));
  cr_assert_eq(m.point_count, 2);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  cr_assert(has_point(&m, mo_vec(-0.5f, 0.2f, 0), 1e-6) && has_point(&m, mo_vec(1, 0.2f, 0), 1e-6));
  cr_assert(fabsf(m.points[0].separation + 0.1f) <= 1e-6f);
  m = collide(moved(g, 0, 0, 0), placed(g, mo_vec(0, 0.4f, 0), turned(mo_vec(0, 1, 0), 1)));
  cr_assert_eq(m.point_count, 1); /* crossed */
  cr_assert(has_point(&m, mo_vec(0, 0.2f, 0), 1e-6));
  m = collide(moved(g, 0, 0, 0), moved(g, 2.3f, 0, 0)); /* end to end */
  cr_assert_eq(m.point_count, 1);
  expect_normal(&m, mo_vec(1, 0, 0), 1e-6);
  m = collide(moved(g, 0, 0, 0), placed(g, mo_vec(0, 0, 0), turned(mo_vec(0, 1, 0), 1)));
  expect_normal(&m, mo_vec(0, m.normal.y, 0), 1e-6); /* the axes cross */
  cr_assert(fabsf(m.points[0].separation + 0.5f) <= 1e-6f);
  m = collide(moved(g, 0, 0, 0), moved(g, 0, 0, 0));
  cr_assert(fabsf(m.points[0].separation + 0.5f) <= 1e-6f && fabsf(m.normal.x) <= 1e-6f);
  /* On a face that it reaches beyond: the part of it that lies there. */
  m = collide(moved(box_of(0.5f, 0.5f, 0.5f), 0, 0, 0), moved(g, 0.2f, 0.74f, 0));
  cr_assert_eq(m.point_count, 2);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  cr_assert(has_point(&m, mo_vec(0.5f, 0.495f, 0), 1e-5));
  cr_assert(has_point(&m, mo_vec(-0.5f, 0.495f, 0), 1e-5));
}

Test(manifold, boxes_on_faces) {
  mo_geometry small = box_of(0.5f, 0.5f, 0.5f), large = box_of(5, 1, 5);
  mo_manifold m = collide(moved(large, 0, 0, 0), moved(small, 1, 1.49f, 2));
  cr_assert_eq(m.point_count, 4);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-7);
  for (int i = 0; i < 4; i++) {
    mo_vec3 corner = mo_vec(i & 1 ? 0.5f : 1.5f, 0.995f, i & 2 ? 1.5f : 2.5f);
    cr_assert(has_point(&m, corner, 1e-6));
    cr_assert(fabsf(m.points[i].separation + 0.01f) <= 1e-6f);
    cr_assert_eq(m.points[i].id >> 62, (unsigned)MO_FEATURE_FACE);
    cr_assert_eq(m.points[i].id >> 30 & 3, (unsigned)MO_FEATURE_VERTEX);
  }
  /* Over an edge of the lower one: two vertices, and two crossings of edges. */
  m = collide(moved(large, 0, 0, 0), moved(small, 5, 1.5f, 0));
  cr_assert_eq(m.point_count, 4);
  cr_assert(has_point(&m, mo_vec(5, 1, 0.5f), 1e-6) && has_point(&m, mo_vec(4.5f, 1, 0.5f), 1e-6));
  /* Crossed bars: the four crossings. */
  mo_geometry bar = box_of(2, 0.1f, 0.1f);
  m = collide(moved(bar, 0, 0, 0),
              placed(bar, mo_vec(0, 0.195f, 0), turned(mo_vec(0, 1, 0), 1.5707963267948966)));
  cr_assert_eq(m.point_count, 4);
  cr_assert(has_point(&m, mo_vec(0.1f, 0.0975f, 0.1f), 1e-5));
  /* Turned by 45 degrees on an equal one: four of the eight corners of the octagon. */
  m = collide(moved(small, 0, 0, 0),
              placed(small, mo_vec(0, 0.99f, 0), turned(mo_vec(0, 1, 0), 0.785398)));
  cr_assert_eq(m.point_count, 4);
  float spread = 0;
  for (int i = 0; i < 4; i++) {
    spread = fmaxf(spread, (float)apart(m.points[0].position, m.points[i].position));
  }
  cr_assert(spread > 0.9f);
}

static mo_dvec3 axis_of(const mo_transform *map, int i) {
  return mo_widen(i % 3 == 0 ? map->x_axis : i % 3 == 1 ? map->y_axis : map->z_axis);
}

/* Whether a normal is that of a side of a box under a map. */
static bool is_of_side(const mo_transform *map, mo_vec3 normal) {
  bool found = false;
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 side = mo_dunit(mo_dcross(axis_of(map, i), axis_of(map, i + 1)));
    found = found || fabs(mo_ddot(side, mo_widen(normal))) > 1 - 1e-10;
  }
  return found;
}

static double spread_of(const mo_manifold *m) {
  double spread = 0;
  for (uint32_t i = 0; i < m->point_count; i++) {
    for (uint32_t k = 0; k < i; k++) {
      spread = fmax(spread, apart(m->points[i].position, m->points[k].position));
    }
  }
  return spread;
}

/* Boxes have code of their own; as hulls, the same shapes have the contacts of any polytopes. */
Test(manifold, boxes_are_as_hulls) {
  rng r = rng_make(rng_seed("manifold boxes", 206));
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_MIRROR,
                                             RNG_SHEAR};
  mo_geometry box = box_of(1, 1, 1), hull = hull_of(TEST_HULL_CUBE);
  int shallow = 0, several = 0, others = 0;
  for (int i = 0; i < 3000; i++) {
    mo_transform map[2];
    for (int k = 0; k < 2; k++) {
      map[k] = rng_transform(&r, kinds[rng_below(&r, 5)], 1.5f);
    }
    if (rng_chance(&r, 0.2)) { /* sides that are parallel */
      mo_vec3 origin = map[1].origin;
      map[1] = map[0];
      map[1].origin = origin;
    }
    float distance = rng_chance(&r, 0.3) ? rng_float(&r, 0, 0.5f) : 0.02f;
    mo_primitive a = mo_primitive_of_geometry(&box, &map[0]),
                 b = mo_primitive_of_geometry(&box, &map[1]);
    if (rng_chance(&r, 0.8)) { /* most are deep in each other: nearly out */
      mo_manifold deep = collide(a, b);
      float way = rng_float(&r, -0.05f, 0.05f) - min_separation(&deep);
      map[1].origin =
          deep.point_count > 0 ? mo_add(map[1].origin, mo_scale(way, deep.normal)) : map[1].origin;
      b = mo_primitive_of_geometry(&box, &map[1]);
    }
    mo_primitive p = mo_primitive_of_geometry(&hull, &map[0]),
                 q = mo_primitive_of_geometry(&hull, &map[1]);
    mo_manifold m = collide_within(&a, &b, distance), n = collide_within(&p, &q, distance);
    cr_assert_eq(m.point_count > 0, n.point_count > 0, "round %d", i);
    if (m.point_count == 0) {
      continue;
    }
    /* Normals and faces may be others that are as good but for rounding; of deep ones often. */
    float min = min_separation(&m), other = min_separation(&n);
    cr_assert(fabsf(min - other) <= 0.02f, "round %d: %g %g", i, (double)min, (double)other);
    shallow += min > -0.2f;
    if (min <= -0.2f || fabsf(min - other) > 1e-5f || apart(m.normal, n.normal) > 1e-5) {
      others += min > -0.2f;
      continue;
    }
    several += m.point_count > 1;
    if (!is_of_side(&map[0], m.normal) && !is_of_side(&map[1], m.normal)) {
      /* Along edges, points are some of many: far from each other, but first by their ids, which
       * differ. */
      cr_assert(fabs(spread_of(&m) - spread_of(&n)) <= 0.2 * spread_of(&m) + 1e-5, "round %d", i);
      continue;
    }
    cr_assert_eq(m.point_count, n.point_count, "round %d", i);
    if (m.point_count < 4) { /* else they may be some of many */
      cr_assert(farthest_of(&m, &n) <= 1e-5, "round %d", i);
    }
  }
  cr_assert(shallow > 1000 && several > 500 && others < shallow / 100, "%d %d %d", shallow, several,
            others);
}

/* Two boxes or hulls of one shape, rotated and sheared in the same way, with a sharp edge of each
 * beside one of the other. Seen along the normal, each has a face on one side of the edges only, so
 * that both have nothing in common but part of a line. There are points at both ends of it. */
Test(manifold, parallel_edges_have_points_at_both_ends) {
  rng r = rng_make(rng_seed("manifold parallel edges", 209));
  const mo_geometry kinds[2] = {box_of(1, 1, 1), hull_of(TEST_HULL_CUBE)};
  int count = 0;
  for (int i = 0; i < 2000; i++) {
    mo_transform map[2];
    map[0] = map[1] = rng_transform(&r, RNG_SHEAR, 1.5f);
    const mo_dvec3 x = axis_of(&map[0], 0), y = axis_of(&map[0], 1), z = axis_of(&map[0], 2);
    mo_dvec3 n[2] = {mo_dunit(mo_dcross(x, y)), mo_dunit(mo_dcross(x, z))};
    n[0] = mo_ddot(n[0], z) < 0 ? mo_dscale(-1, n[0]) : n[0];
    n[1] = mo_ddot(n[1], y) < 0 ? mo_dscale(-1, n[1]) : n[1];
    const double fold = -mo_ddot(n[0], n[1]);
    if (fold < 0.1) {
      continue;
    }
    /* between the normals of both faces, and perpendicular or more to the second one */
    const mo_dvec3 way =
        mo_dunit(mo_dadd(n[0], mo_dscale(fold * (double)rng_float(&r, 0.1f, 0.9f), n[1])));
    const double part = (double)rng_float(&r, 0.1f, 1.9f);
    const mo_dvec3 beside = mo_dadd(mo_dscale(2, mo_dadd(y, z)), mo_dscale(part, x));
    map[1].origin =
        mo_narrow(mo_dadd(mo_widen(map[0].origin), mo_dadd(beside, mo_dscale(0.01, way))));
    const mo_primitive a = mo_primitive_of_geometry(&kinds[rng_below(&r, 2)], &map[0]),
                       b = mo_primitive_of_geometry(&kinds[rng_below(&r, 2)], &map[1]);
    const mo_manifold m = collide_within(&a, &b, 0.02f);
    mo_dvec3 end =
        mo_dadd(mo_dadd(mo_widen(map[0].origin), mo_dadd(x, mo_dadd(y, z))), mo_dscale(0.005, way));
    for (int k = 0; k < 2; k++) {
      cr_assert(has_point(&m, mo_narrow(end), 1e-3), "round %d: %u points, %g apart of %g", i,
                m.point_count, spread_of(&m), (2 - part) * mo_dlength(x));
      end = mo_dadd(end, mo_dscale(part - 2, x));
    }
    count++;
  }
  cr_assert_gt(count, 300);
}

/* So have balls; capsules without length take the way of all others, to the same bits. */
Test(manifold, balls_are_as_capsules) {
  rng r = rng_make(rng_seed("manifold balls as capsules", 207));
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_RIGID, RNG_UNIFORM_SCALE, RNG_MIRROR,
                                             RNG_NONUNIFORM_SCALE};
  int touching = 0, features[3] = {0};
  for (int i = 0; i < 4000; i++) {
    mo_vec3 center = rng_vec3(&r, -0.2f, 0.2f);
    float radius = rng_float(&r, 0.1f, 0.6f);
    mo_geometry ball = sphere_of(center, radius), box = box_of(0.5f, 0.3f, 0.4f),
                capsule = {.type = MO_SHAPE_CAPSULE, .capsule = {center, center, radius}};
    mo_transform map[2];
    for (int k = 0; k < 2; k++) {
      map[k] = rng_transform(&r, kinds[rng_below(&r, 5)], 0.8f);
    }
    mo_geometry second = rng_chance(&r, 0.3) ? sphere_of(center, 0.3f) : box;
    mo_primitive a = mo_primitive_of_geometry(&ball, &map[0]),
                 b = mo_primitive_of_geometry(&capsule, &map[0]),
                 other = mo_primitive_of_geometry(&second, &map[1]);
    bool first = rng_chance(&r, 0.5);
    mo_manifold m = first ? collide(a, other) : collide(other, a),
                n = first ? collide(b, other) : collide(other, b);
    cr_assert(m.touching == n.touching && m.point_count == n.point_count, "round %d", i);
    if (m.point_count > 0) {
      const mo_manifold_point *p = &m.points[0], *q = &n.points[0];
      touching++;
      features[(first ? p->id : p->id >> 32) >> 30 & 3]++;
      cr_assert_eq(p->id, q->id, "round %d: %llx %llx", i, (unsigned long long)p->id,
                   (unsigned long long)q->id);
      cr_assert(p->separation == q->separation && apart(m.normal, n.normal) == 0 &&
                    apart(p->position, q->position) == 0 && apart(p->anchor_a, q->anchor_a) == 0 &&
                    apart(p->anchor_b, q->anchor_b) == 0,
                "round %d", i);
    }
  }
  cr_assert(touching > 500 && features[MO_FEATURE_VERTEX] > 50 && features[MO_FEATURE_EDGE] > 50 &&
                features[MO_FEATURE_FACE] > 50,
            "%d: %d %d %d", touching, features[0], features[1], features[2]);
}

Test(manifold, edges_of_boxes) {
  /* Two edges that cross over each other at a right angle. */
  mo_geometry g = box_of(1, 1, 1);
  mo_quat a = turned(mo_vec(1, 0, 0), 0.785398163), b = turned(mo_vec(0, 0, 1), 0.785398163);
  mo_manifold m = collide(placed(g, mo_vec(0, 0, 0), a), placed(g, mo_vec(0.1f, 2.82f, 0.2f), b));
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  cr_assert_eq(m.point_count, 1);
  cr_assert(has_point(&m, mo_vec(0.1f, 1.41f, 0), 1e-3));
  cr_assert_eq(m.points[0].id >> 62, (unsigned)MO_FEATURE_EDGE);
  cr_assert_eq(m.points[0].id >> 30 & 3, (unsigned)MO_FEATURE_EDGE);
  cr_assert(fabsf(m.points[0].separation - (2.82f - 2 * sqrtf(2))) <= 1e-5f);
}

/* Edges that are nearly parallel, swept through that: some contact always, of the right depth. */
Test(manifold, nearly_parallel_edges) {
  mo_geometry g = box_of(1, 1, 1);
  mo_quat tilt = turned(mo_vec(1, 0, 0), 0.785398163);
  mo_primitive below = placed(g, mo_vec(0, 0, 0), tilt);
  for (int i = -200; i <= 200; i++) {
    mo_quat around = turned(mo_vec(0, 1, 0), i * i * i * 1e-9);
    mo_transform map = mo_transform_make(mo_vec(0, 2.81f, 0), around, mo_vec(1, 1, 1));
    mo_transform inner = mo_transform_make(mo_vec(0, 0, 0), tilt, mo_vec(1, 1, 1));
    mo_transform both = mo_transform_compose(&map, &inner);
    mo_primitive above = mo_primitive_of_geometry(&g, &both);
    mo_primitive_penetration p;
    cr_assert_eq(mo_primitive_find_penetration(&below, &above, &p), MO_OK);
    mo_manifold m = collide(below, above);
    cr_assert(p.found && m.touching && m.point_count > 0, "step %d", i);
    double min = (double)min_separation(&m);
    cr_assert(min <= 0 && min >= -p.depth - 1.0 / 64 - 1e-5, "step %d: %g %g", i, min, p.depth);
  }
}

Test(manifold, thin_nested_and_concentric_boxes) {
  mo_geometry sheet = box_of(5, 1e-3f, 5), cube = box_of(0.5f, 0.5f, 0.5f),
              tiny = box_of(0.1f, 0.1f, 0.1f);
  /* A cube that lies on a sheet with one corner of it over the rim: up, not sideways. */
  mo_manifold m = collide(moved(sheet, 0, 0, 0), moved(cube, 4.9f, 0.4995f, 4.9f));
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  cr_assert_eq(m.point_count, 4);
  cr_assert(min_separation(&m) >= -2e-3f);
  m = collide(moved(cube, 0, 0, 0), moved(cube, 0, 0, 0));
  cr_assert(m.touching && m.point_count == 4 && fabsf(min_separation(&m) + 1) <= 1e-6f);
  m = collide(moved(cube, 0, 0, 0), moved(tiny, 0.3f, 0, 0));
  expect_normal(&m, mo_vec(1, 0, 0), 1e-6);
  cr_assert(m.point_count == 4 && fabsf(min_separation(&m) + 0.3f) <= 1e-6f);
  m = collide(moved(tiny, 0.3f, 0, 0), moved(cube, 0, 0, 0));
  expect_normal(&m, mo_vec(-1, 0, 0), 1e-6);
}

Test(manifold, cylinders_stand_and_lie) {
  mo_geometry g = cylinder_of(1, 0.5f), floor = box_of(5, 1, 5);
  mo_manifold m = collide(moved(floor, 0, 0, 0), moved(g, 0, 1.995f, 0));
  cr_assert_eq(m.point_count, 4);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  m = collide(moved(floor, 0, 0, 0),
              placed(g, mo_vec(0, 1.499f, 0), turned(mo_vec(0, 0, 1), 1.5707963267948966)));
  cr_assert_eq(m.point_count, 2);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  cr_assert(has_point(&m, mo_vec(1, 0.9995f, 0), 1e-5) &&
            has_point(&m, mo_vec(-1, 0.9995f, 0), 1e-5));
  /* Tilted by 30 degrees: the deepest point of the rim, alone. */
  double tilt = 0.5235987755982988;
  m = collide(moved(floor, 0, 0, 0),
              placed(g, mo_vec(0, (float)(1.99 - (1 - cos(tilt)) + 0.5 * sin(tilt)), 0),
                     turned(mo_vec(0, 0, 1), tilt)));
  cr_assert_eq(m.point_count, 1);
  cr_assert(fabsf(m.points[0].separation + 0.01f) <= 1e-5f);
  /* End on end. */
  m = collide(moved(g, 0, 0, 0), moved(g, 0.3f, 1.99f, 0.1f));
  cr_assert_eq(m.point_count, 4);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-5);
  /* Side by side. */
  m = collide(moved(g, 0, 0, 0), moved(g, 0.99f, 1, 0));
  cr_assert_eq(m.point_count, 2);
  expect_normal(&m, mo_vec(1, 0, 0), 1e-5);
  cr_assert(has_point(&m, mo_vec(0.495f, 1, 0), 1e-5) && has_point(&m, mo_vec(0.495f, 0, 0), 1e-5));
}

Test(manifold, cones_and_hulls) {
  mo_geometry floor = box_of(5, 1, 5), cone = {.type = MO_SHAPE_CONE};
  cone.cone = (mo_cone){{0, 1, 0}, {0, 0, 0}, 0.5f};
  mo_manifold m = collide(moved(floor, 0, 0, 0), moved(cone, 0, 0.995f, 0));
  cr_assert_eq(m.point_count, 4);
  double slope = atan2(0.5, 1); /* lying: the line from the apex to the rim */
  mo_quat turn = turned(mo_vec(0, 0, 1), -1.5707963267948966 - slope);
  m = collide(moved(floor, 0, 0, 0),
              placed(cone, mo_vec(0, (float)(1 + 0.5 * cos(slope)), 0), turn));
  cr_assert_eq(m.point_count, 2);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-5);
  m = collide(moved(floor, 0, 0, 0), moved(hull_of(TEST_HULL_CUBE), 0, 1.995f, 0));
  cr_assert_eq(m.point_count, 4);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  cr_assert(has_point(&m, mo_vec(1, 0.9975f, -1), 1e-5));
  mo_primitive triangle =
      mo_primitive_of_triangle(mo_vec(-9, 0, -9), mo_vec(9, 0, -9), mo_vec(0, 0, 9));
  m = collide(triangle, moved(hull_of(TEST_HULL_CUBE), 0, 0.995f, 0));
  cr_assert_eq(m.point_count, 4);
  expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
  m = collide(triangle, moved(hull_of(TEST_HULL_CUBE), 0, -0.995f, 0)); /* two-sided */
  expect_normal(&m, mo_vec(0, -1, 0), 1e-6);
}

/* A sphere over the inside, an edge and a corner of a triangle; and a capsule along it and through
 * it. */
Test(manifold, triangles) {
  mo_primitive t = mo_primitive_of_triangle(mo_vec(0, 0, 0), mo_vec(4, 0, 0), mo_vec(0, 4, 0));
  const struct {
    mo_vec3 center, normal;
    mo_feature feature;
    uint32_t index;
  } rows[] = {{{1, 1, 0.4f}, {0, 0, 1}, MO_FEATURE_FACE, 0},
              {{1, 1, -0.4f}, {0, 0, -1}, MO_FEATURE_FACE, 0},
              {{2, -0.3f, 0.3f}, {0, -0.70710678f, 0.70710678f}, MO_FEATURE_EDGE, 0},
              {{-0.3f, 2, 0.3f}, {-0.70710678f, 0, 0.70710678f}, MO_FEATURE_EDGE, 2},
              {{4.4f, -0.1f, 0}, {0.9701425f, -0.242535625f, 0}, MO_FEATURE_VERTEX, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mo_manifold m = collide(t, moved(sphere_of(rows[i].center, 0.5f), 0, 0, 0));
    cr_assert_eq(m.point_count, 1);
    expect_normal(&m, rows[i].normal, 1e-6);
    cr_assert_eq((mo_feature)(m.points[0].id >> 62), rows[i].feature, "row %zu", i);
    cr_assert_eq(m.points[0].id >> 32 & 0x3fffffff, rows[i].index, "row %zu", i);
  }
  mo_geometry g = capsule_of(0.5f, 0.25f);
  mo_manifold m = collide(t, moved(g, 1, 1, 0.24f));
  cr_assert_eq(m.point_count, 2);
  expect_normal(&m, mo_vec(0, 0, 1), 1e-6);
  m = collide(t, placed(g, mo_vec(1, 1, 0.1f), turned(mo_vec(0, 1, 0), 1.5707963267948966)));
  expect_normal(&m, mo_vec(0, 0, 1), 1e-5); /* pierced: the shorter way */
  cr_assert(fabsf(min_separation(&m) + 0.65f) <= 1e-5f);
}

/* As on a large box; nothing but the plane counts of where they stand. */
Test(manifold, half_spaces) {
  rng r = rng_make(rng_seed("manifold half-spaces", 205));
  mo_primitive ground = mo_primitive_of_half_space(mo_vec(0, 2, 0), 0);
  mo_primitive slab = moved(box_of(500, 1, 500), 0, -1, 0);
  for (int i = 0; i < 300; i++) {
    mo_geometry kinds[] = {box_of(0.5f, 0.25f, 1), cylinder_of(0.5f, 0.25f), capsule_of(0.5f, 0.2f),
                           sphere_of(mo_vec(0, 0, 0), 0.5f)};
    mo_geometry g = kinds[rng_below(&r, 4)];
    float x = rng_float(&r, -9, 9), tilt = rng_chance(&r, 0.5) ? 0 : rng_float(&r, -1e-3f, 1e-3f);
    mo_primitive p = placed(g, mo_vec(x, 0, 1), turned(mo_vec(0, 0, 1), (double)tilt));
    mo_primitive_penetration out;
    cr_assert_eq(mo_primitive_find_penetration(&ground, &p, &out), MO_OK);
    p.transform.origin.y = (float)out.depth - rng_float(&r, -0.01f, 0.01f);
    mo_manifold m = collide(ground, p), n = collide(slab, p);
    cr_assert(m.point_count == n.point_count && m.touching == n.touching, "%d", i);
    cr_assert(m.normal.y == 1 && farthest_of(&m, &n) < 1e-5, "%d", i);
  }
  mo_primitive other = mo_primitive_of_half_space(mo_vec(1, 0, 0), 0);
  mo_manifold none = collide(ground, other);
  cr_assert(none.touching && none.point_count == 0);
}

Test(manifold, volumes_are_sensors) {
  mo_geometry g = {.type = MO_SHAPE_VOLUME, .volume = {{-1, -1, -1}, {1, 1, 1}}};
  mo_manifold m = collide(moved(g, 0, 0, 0), moved(sphere_of(mo_vec(0, 0, 0), 1), 1.9f, 0, 0));
  cr_assert(m.touching && m.point_count == 0);
  m = collide(moved(sphere_of(mo_vec(0, 0, 0), 1), 2.01f, 0, 0), moved(g, 0, 0, 0));
  cr_assert(!m.touching && m.point_count == 0);
}

/* Everything moved together: the same contacts, but for rounding. */
Test(manifold, common_motion_changes_nothing) {
  rng r = rng_make(rng_seed("manifold motion", 203));
  mo_geometry kinds[] = {box_of(0.5f, 0.3f, 0.4f), cylinder_of(0.5f, 0.4f), capsule_of(0.5f, 0.3f),
                         hull_of(TEST_HULL_STONE), hull_of(TEST_HULL_CUBE)};
  uint32_t same = 0, all = 0;
  for (int i = 0; i < 2000; i++) {
    mo_geometry g = kinds[rng_below(&r, 5)], h = kinds[rng_below(&r, 5)];
    mo_vec3 p = rng_vec3(&r, -0.6f, 0.6f);
    mo_quat q = rng_chance(&r, 0.5) ? upright : rng_rotation(&r), turn = rng_rotation(&r);
    mo_transform first = mo_transform_identity(), second = mo_transform_make(p, q, mo_vec(1, 1, 1));
    mo_vec3 away = rng_vec3(&r, -8, 8);
    mo_transform motion = mo_transform_make(away, turn, mo_vec(1, 1, 1));
    mo_transform maps[2] = {mo_transform_compose(&motion, &first),
                            mo_transform_compose(&motion, &second)};
    mo_manifold m =
        collide(mo_primitive_of_geometry(&g, &first), mo_primitive_of_geometry(&h, &second));
    mo_manifold n =
        collide(mo_primitive_of_geometry(&g, &maps[0]), mo_primitive_of_geometry(&h, &maps[1]));
    for (uint32_t k = 0; k < m.point_count; k++) {
      m.points[k].position = mo_transform_point(&motion, m.points[k].position);
    }
    all++;
    same +=
        m.point_count == n.point_count && farthest_of(&m, &n) <= 1e-4 &&
        (m.point_count == 0 || apart(mo_transform_direction(&motion, m.normal), n.normal) <= 1e-4);
  }
  cr_assert(same >= all - all / 50, "%u of %u", same, all); /* the others: equally short ways out */
}

/* A stack at 100 km: anchors and separations as at the origin, as far as its transforms are. */
Test(manifold, far_from_the_origin) {
  mo_geometry g = box_of(0.5f, 0.5f, 0.5f);
  mo_manifold m = collide(moved(g, 0, 0, 0), moved(g, 0.125f, 0.984375f, 0));
  mo_manifold far =
      collide(moved(g, 1e5f, -1e5f, 1e5f), moved(g, 1e5f + 0.125f, -1e5f + 0.984375f, 1e5f));
  cr_assert(m.point_count == 4 && far.point_count == 4);
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(m.points[i].id, far.points[i].id);
    cr_assert_eq(m.points[i].separation, far.points[i].separation);
    cr_assert(apart(m.points[i].anchor_a, far.points[i].anchor_a) <= 1e-7);
    cr_assert(apart(m.points[i].anchor_b, far.points[i].anchor_b) <= 1e-7);
  }
}

/* Contacts along a path of small steps: points move by no more than `max` a step, and the
 * separations with them. */
static void expect_continuous(mo_geometry floor, mo_geometry g, mo_transform (*pose)(double t),
                              int steps, double max) {
  mo_primitive a = moved(floor, 0, 0, 0);
  mo_manifold last = {.point_count = 0};
  for (int i = 0; i <= steps; i++) {
    mo_transform map = pose((double)i / steps);
    mo_primitive b = mo_primitive_of_geometry(&g, &map);
    mo_manifold m = collide(a, b);
    cr_assert(m.point_count > 0, "step %d", i);
    if (i > 0) {
      double moved_by = fmax(farthest_of(&m, &last), farthest_of(&last, &m));
      cr_assert(moved_by <= max, "step %d: %g", i, moved_by);
      cr_assert(apart(m.normal, last.normal) <= 0.01);
    }
    last = m;
  }
}

static mo_transform sliding(double t) {
  return mo_transform_make(mo_vec((float)(-0.3 + 0.6 * t), 1.495f, (float)(0.1 * t)),
                           turned(mo_vec(0, 1, 0), 0.3), mo_vec(1, 1, 1));
}

static mo_transform spinning(double t) {
  return mo_transform_make(mo_vec(0.1f, 1.495f, 0.2f), turned(mo_vec(0, 1, 0), 1.5 * t),
                           mo_vec(1, 1, 1));
}

static mo_transform wobbling(double t) {
  mo_vec3 axis = mo_vec((float)cos(9 * t), 0, (float)sin(9 * t));
  return mo_transform_make(mo_vec(0, 1.495f, 0), turned(axis, 0.004), mo_vec(1, 1, 1));
}

Test(manifold, points_move_with_shapes) {
  mo_geometry floor = box_of(5, 1, 5), ledge = box_of(0.4f, 1, 0.7f);
  mo_geometry cube = box_of(0.5f, 0.5f, 0.5f), drum = cylinder_of(0.5f, 0.4f);
  expect_continuous(floor, cube, sliding, 600, 2e-3);
  expect_continuous(floor, drum, sliding, 600, 2e-3);
  expect_continuous(floor, cube, spinning, 1000, 2e-3);
  expect_continuous(floor, drum, spinning, 1000, 1e-3);
  expect_continuous(floor, cube, wobbling, 3000, 0.01);
  expect_continuous(floor, drum, wobbling, 3000, 0.01);
  /* Beyond the outline of what it lies on, also corners come and go. */
  expect_continuous(ledge, cube, sliding, 600, 0.2);
}

/* A drum that tips over its rim, in all directions: its depth is right but for what is given up
 * between upright and tilted, and does not jump, but for what choosing four points makes of it. */
Test(manifold, depth_of_a_drum_that_tips) {
  const float radius = 0.4f, half = 0.5f, deep = 0.01f;
  const double step = 2e-4;
  mo_primitive floor = moved(box_of(5, 1, 5), 0, 0, 0);
  for (int direction = 0; direction < 7; direction++) {
    double around = 0.3 * direction, last = (double)deep;
    mo_vec3 axis = mo_vec((float)cos(around), 0, (float)sin(around));
    for (int i = 0; i < 1000; i++) {
      double tilt = step * i, height = (double)half * cos(tilt) + (double)radius * sin(tilt);
      mo_manifold m = collide(floor, placed(cylinder_of(half, radius),
                                            mo_vec(0.1f, (float)(1 + height - (double)deep), 0),
                                            turned(axis, tilt)));
      cr_assert(m.point_count > 0 && m.touching);
      expect_normal(&m, mo_vec(0, 1, 0), 1e-6);
      double depth = -(double)min_separation(&m);
      cr_assert(depth <= (double)deep + 1e-5 &&
                    depth >= (double)deep - 0.01 * (double)radius - 1e-5,
                "direction %d, tilt %g: %g", direction, tilt, depth);
      cr_assert(fabs(depth - last) <= 2 * (double)radius * step + 1e-3,
                "direction %d, tilt %g: %g, %g", direction, tilt, last, depth);
      last = depth;
    }
  }
}

/* Bodies without an area: something is always said, and nothing is not a number. */
Test(manifold, flat_and_degenerate) {
  rng r = rng_make(rng_seed("manifold flat", 204));
  mo_geometry kinds[] = {box_of(0.5f, 0, 0.4f),     box_of(0.5f, 0, 0),
                         box_of(0, 0, 0),           cylinder_of(0.5f, 0),
                         capsule_of(0, 0.3f),       hull_of(TEST_HULL_PLATE),
                         hull_of(TEST_HULL_NEEDLE), cylinder_of(0.5f, 0.4f)};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  for (int i = 0; i < 3000; i++) {
    mo_primitive p[2];
    for (int k = 0; k < 2; k++) {
      mo_transform map =
          rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS), 0.2f);
      p[k] = mo_primitive_of_geometry(&kinds[rng_below(&r, KINDS)], &map);
      if (rng_chance(&r, 0.2)) {
        p[k].type = MO_PRIMITIVE_TRIANGLE;
        p[k].points[0] = rng_vec3(&r, -1, 1);
        p[k].points[1] = rng_vec3(&r, -1, 1);
        p[k].points[2] = rng_chance(&r, 0.5) ? p[k].points[0] : rng_vec3(&r, -1, 1);
      }
    }
    mo_collide_def def = mo_default_collide_def();
    mo_manifold m;
    mo_result result = mo_collide(&p[0], &p[1], &def, &m);
    if (result != MO_OK) {
      cr_assert_eq(result, MO_ERROR_OUT_OF_RANGE); /* scaled by 1e30 */
      continue;
    }
    mo_primitive_distance d;
    cr_assert_eq(mo_primitive_find_distance(&p[0], &p[1], 0.01, &d), MO_OK);
    cr_assert(!d.found || m.point_count > 0, "round %d", i);
    for (uint32_t k = 0; k < m.point_count; k++) {
      cr_assert(mo_is_finite(m.points[k].position) && mo_is_finite(m.normal), "round %d", i);
      cr_assert(!isnan(m.points[k].separation));
    }
    cr_assert(m.point_count == 0 || fabsf(mo_dot(m.normal, m.normal) - 1) <= 1e-5f, "round %d", i);
  }
}

/* The id with its halves exchanged. */
static uint64_t exchanged(uint64_t id) {
  return id << 32 | id >> 32;
}

static bool has_id(const mo_manifold *m, uint64_t id) {
  bool found = false;
  for (uint32_t i = 0; i < m->point_count; i++) {
    found = found || m->points[i].id == id;
  }
  return found;
}

/* Where rims cross edges, lines and other rims: what slides and turns by small steps over the end
 * of a drum has points whose ids differ, go on at the same places, and are the same with both
 * shapes exchanged. */
Test(manifold, crossings_of_rims_are_told_apart) {
  const mo_geometry drum = cylinder_of(0.5f, 1),
                    upside_down = {.type = MO_SHAPE_CONE, .cone = {{0, -3, 0}, {0, 0.5f, 0}, 1}};
  const mo_geometry others[] = {box_of(2, 0.25f, 1), capsule_of(3, 0.25f), cylinder_of(0.25f, 0.9f),
                                hull_of(TEST_HULL_CUBE)};
  const float sizes[] = {0.25f, 0.25f, 0.25f, 1};
  uint32_t crossings = 0;
  for (int kind = 0; kind < 8; kind++) {
    const mo_geometry below = kind < 4 ? drum : upside_down;
    mo_manifold before = {.point_count = 0};
    for (int step = 0; step < 800; step++) {
      const float along = 0.3f + 0.0005f * (float)step, height = 0.499f + sizes[kind % 4];
      const mo_primitive a = placed(below, mo_vec(0, 0, 0), turned(mo_vec(0, 1, 0), 0.011 * step)),
                         b = placed(others[kind % 4], mo_vec(0.1f * along, height, along),
                                    turned(mo_vec(0, 1, 0), 0.003 * step));
      const mo_manifold m = collide(a, b), back = collide(b, a);
      cr_assert(m.point_count > 1 && m.point_count == back.point_count);
      for (uint32_t i = 0; i < m.point_count; i++) {
        const mo_manifold_point *p = &m.points[i];
        const uint32_t half = (uint32_t)(p->id >> 32);
        crossings += half >> 30 == MO_FEATURE_EDGE;
        cr_assert(half >> 30 != MO_FEATURE_EDGE || (half & 0x3fffffff) < 4);
        cr_assert(has_id(&back, exchanged(p->id)), "kind %d, step %d: id %llx", kind, step,
                  (unsigned long long)p->id);
        for (uint32_t k = 0; k < m.point_count; k++) {
          cr_assert(k == i || p->id != m.points[k].id);
        }
        for (uint32_t k = 0; k < before.point_count; k++) {
          const double moved_by = apart(p->position, before.points[k].position);
          cr_assert(p->id != before.points[k].id || moved_by < 0.1,
                    "kind %d, step %d: id %llx moved by %g", kind, step, (unsigned long long)p->id,
                    moved_by);
        }
      }
      before = m;
    }
  }
  cr_assert_gt(crossings, 2000);
}

/* Two elliptical drums across each other: their rims cross four times, each time at a point with an
 * id of its own. */
Test(manifold, rims_that_cross_four_times) {
  const mo_geometry drum = cylinder_of(0.5f, 1);
  mo_primitive a = moved(drum, 0, 0, 0), b = moved(drum, 0, 0.999f, 0);
  for (int step = 0; step < 300; step++) {
    const float longer = 1.2f + 0.005f * (float)step, turn = 0.01f * (float)(step % 20);
    a.transform = mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(0, 1, 0), (double)turn),
                                    mo_vec(longer, 1, 0.8f));
    b.transform = mo_transform_make(mo_vec(0.02f, 0.999f, 0.01f), turned(mo_vec(0, 1, 0), 0.1),
                                    mo_vec(0.8f, 1, longer));
    const mo_manifold m = collide(a, b);
    cr_assert_eq(m.point_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
      cr_assert(fabsf(m.points[i].separation + 0.001f) < 1e-5f);
      for (uint32_t k = 0; k < i; k++) {
        cr_assert_neq(m.points[i].id, m.points[k].id, "step %d: %llx", step,
                      (unsigned long long)m.points[i].id);
      }
    }
  }
}

/* A capsule that lies on a box: each end of the contact is named by what ends the line there, and
 * by what is below. Where both end at one place, rounding errors do not decide. */
Test(manifold, ends_of_lines_are_named_by_what_ends_them) {
  enum { ON_VERTEX = MO_FEATURE_VERTEX, ON_EDGE = MO_FEATURE_EDGE, ON_FACE = MO_FEATURE_FACE };
  const struct {
    float half;
    double turn;
    uint32_t of_line, of_box;
  } cases[] = {
      {3, 0, ON_EDGE, ON_EDGE},
      {3, 0.2, ON_EDGE, ON_EDGE},
      {0.5f, 0, ON_VERTEX, ON_FACE},
      {0.5f, 0.2, ON_VERTEX, ON_FACE},
      {1, 0, ON_VERTEX, ON_EDGE},
      {3, 0.7853981633974483, ON_EDGE, ON_VERTEX},
      {1.41421356f, 0.7853981633974483, ON_VERTEX, ON_VERTEX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int step = -3; step <= 3; step++) {
      const float off = 1e-7f * (float)step;
      const mo_primitive box = moved(box_of(1, 1, 1), 0, 0, 0);
      const mo_primitive line = placed(capsule_of(cases[i].half, 0.25f), mo_vec(off, 1.249f, off),
                                       turned(mo_vec(0, 1, 0), cases[i].turn + (double)off));
      const mo_manifold m = collide(box, line), back = collide(line, box);
      cr_assert(m.point_count == 2 && back.point_count == 2, "case %zu, step %d", i, step);
      for (uint32_t k = 0; k < 2; k++) {
        const uint64_t id = m.points[k].id;
        cr_assert((uint32_t)(id >> 62) == cases[i].of_box && (uint32_t)id >> 30 == cases[i].of_line,
                  "case %zu, step %d: id %llx", i, step, (unsigned long long)id);
        cr_assert(id != m.points[1 - k].id && has_id(&back, exchanged(id)));
      }
    }
  }
}
