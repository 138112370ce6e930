/* Bodies astride the border of a sheet of triangles, in any pose, against plain geometry in long
 * double. The shortest way out is found by moving the body along many directions until it is clear
 * of the whole sheet. Contacts must not be deeper than a stated multiple of that, and lead out. */
#include "contact/sheets.h"

/* How many times as deep as the shortest way out a contact may be (mo_scene_collide_pair). */
static const ldouble max_depths = 2;

enum { MAX_CONTACTS = 256, WAYS = 5 * MAX_WAYS, EXAMPLES = 3 };

typedef enum flaw {
  LOST,     /* overlaps, but nothing touches */
  TOO_DEEP, /* a contact that is much deeper than the shortest way out */
  STUCK,    /* moved along the normals by the depths, it still overlaps */
  THROWN,   /* moved so, it has gone much farther than the shortest way out */
  FLAWS
} flaw;

static const char *const flaw_names[FLAWS] = {"lost", "too deep", "stuck", "thrown"};

typedef struct tally {
  uint64_t poses, found[FLAWS];
  ldouble max_depth, max_way; /* in shortest ways out */
} tally;

static mo_contact contacts[MAX_CONTACTS];
static uint32_t contact_count;
static tally sums[BODY_KIND_COUNT];
static uint32_t examples[FLAWS];
static uint64_t seed;

/* The shortest way out of the sheet along many directions: those of the sheet, and all around. */
static ldouble shortest_way(const place *at, const pose *p) {
  ldvec ways[WAYS];
  ldouble clearance[MAX_WAYS], shortest = INFINITY;
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->overlapping_count; i++) {
    bool exists;
    const ldvec n = unit_normal(at->surface.corners[p->overlapping[i]], &exists);
    ways[count++] = n;
    ways[count++] = ld_scale(-1, n);
  }
  const mo_aabb box = polytope_bounds(&p->outer, 0);
  for (uint32_t i = 0; i < border_count && count < WAYS / 3; i++) {
    polytope edge = {.vertex_count = 2, .vertices = {borders[i].start, borders[i].end}};
    const mo_aabb of_edge = polytope_bounds(&edge, 0);
    if (is_swept(&of_edge, &box, (ldvec){0, 0, 0}, 0)) {
      ways[count++] = borders[i].outward;
    }
  }
  for (uint32_t i = 0; i < contact_count && count < WAYS / 2; i++) {
    ways[count++] = ld_scale(-1, ld_float(contacts[i].manifold.normal));
  }
  for (int i = 0; count < WAYS; i++) { /* a spiral over the sphere */
    const float y = 1 - (2 * (float)i + 1) / (WAYS / 2), a = 2.3999632f * (float)i;
    const float width = sqrtf(fmaxf(1 - y * y, 0));
    ways[count++] =
        unit_of((ldvec){width * steady_cosine(a), fmaxf(y, -1), width * steady_sine(a)});
  }
  for (uint32_t first = 0; first < count; first += MAX_WAYS) {
    const uint32_t some = count - first < MAX_WAYS ? count - first : MAX_WAYS;
    clearances(at, p, &ways[first], some, clearance);
    for (uint32_t i = 0; i < some; i++) {
      shortest = fminl(shortest, clearance[i]);
    }
  }
  return shortest;
}

static void find_contacts(const place *at, const pose *p) {
  contact_count = place_contacts(at, &p->body.geometry, &p->map, contacts, MAX_CONTACTS);
}

/* The translation that solves the contacts. */
static ldvec translation(void) {
  ldvec moved = {0, 0, 0};
  for (int pass = 0; pass < 16; pass++) {
    for (uint32_t i = 0; i < contact_count; i++) {
      const mo_manifold *m = &contacts[i].manifold;
      const ldvec push = ld_scale(-1, ld_float(m->normal));
      for (uint32_t k = 0; k < m->point_count; k++) {
        const ldouble more = -(ldouble)m->points[k].separation - ld_dot(push, moved);
        if (m->points[k].separation < 0 && more > 0) {
          moved = ld_add(moved, ld_scale(more, push));
        }
      }
    }
  }
  return moved;
}

static ldouble deepest(void) {
  ldouble depth = -INFINITY;
  for (uint32_t i = 0; i < contact_count; i++) {
    for (uint32_t k = 0; k < contacts[i].manifold.point_count; k++) {
      depth = fmaxl(depth, -(ldouble)contacts[i].manifold.points[k].separation);
    }
  }
  return depth;
}

static void check_that(bool holds, flaw kind, const place *at, const pose *p, ldouble shortest) {
  if (holds) {
    return;
  }
  sums[p->body.kind].found[kind]++;
  if (examples[kind]++ < EXAMPLES) {
    const mo_transform *m = &p->map;
    fprintf(stderr, "%s (seed %llu): %s, diameter %Lg, thickness %Lg, way out %Lg, overlap %Lg\n",
            flaw_names[kind], (unsigned long long)seed, body_kind_name(p->body.kind),
            p->body.diameter, p->body.thickness, shortest, p->depth);
    fprintf(stderr, "  transform {{%a, %a, %a}, {%a, %a, %a}, {%a, %a, %a}, {%a, %a, %a}}\n",
            (double)m->x_axis.x, (double)m->x_axis.y, (double)m->x_axis.z, (double)m->y_axis.x,
            (double)m->y_axis.y, (double)m->y_axis.z, (double)m->z_axis.x, (double)m->z_axis.y,
            (double)m->z_axis.z, (double)m->origin.x, (double)m->origin.y, (double)m->origin.z);
    for (uint32_t i = 0; i < contact_count; i++) {
      const mo_vec3 n = contacts[i].manifold.normal;
      fprintf(stderr, "  triangle %u: separation %g, push %g %g %g, of face %g\n",
              contacts[i].triangle_b, (double)contacts[i].manifold.points[0].separation,
              (double)-n.x, (double)-n.y, (double)-n.z,
              (double)-ld_dot(ld_float(n), ld_float(at->ground.up)));
    }
  }
}

/* Moves the body out along its contacts. */
static void check_way_out(const place *at, const pose *p, ldouble shortest) {
  enum { MOVES = 40 };
  static pose moving;
  const ldouble tolerance = p->body.diameter / 100 + noise(p);
  moving = *p;
  for (int i = 0; i < MOVES && moving.depth > 0.1L * tolerance; i++) {
    find_contacts(at, &moving);
    place_at(&moving, ld_add(ld_float(moving.map.origin), translation()));
    examine(at, &moving);
  }
  const ldouble way = ld_norm(ld_sub(ld_float(moving.map.origin), ld_float(p->map.origin)));
  tally *t = &sums[p->body.kind];
  t->max_way = fmaxl(t->max_way, (way - tolerance) / shortest);
  find_contacts(at, p);
  check_that(moving.depth <= tolerance, STUCK, at, p, shortest);
  check_that(way <= 3 * shortest + tolerance, THROWN, at, p, shortest);
}

static void check_pose(const place *at, pose *p) {
  examine(at, p);
  find_contacts(at, p);
  const ldouble shortest = shortest_way(at, p), deep = deepest();
  const bool round = p->body.kind == BODY_CYLINDER || p->body.kind == BODY_CONE;
  if (!(p->depth > noise(p) + p->body.diameter / (round ? 50 : 500)) ||
      !(shortest <= p->body.thickness / 4)) {
    return;
  }
  tally *t = &sums[p->body.kind];
  const ldouble tolerance = p->body.thickness / 100 + p->body.diameter / 900 + noise(p);
  t->poses++;
  t->max_depth = fmaxl(t->max_depth, (deep - tolerance) / shortest);
  check_that(deep >= 0, LOST, at, p, shortest);
  check_that(deep <= max_depths * shortest + tolerance, TOO_DEEP, at, p, shortest);
  check_way_out(at, p, shortest);
}

/* Of 9,000 bodies, one goes too far: it is beside the border, and triangles push it to both sides.
 */
static uint64_t allowed(int kind) {
  return 1 + sums[kind].poses / 2000;
}

static void expect_few_flaws(void) {
  for (int kind = 0; kind < BODY_KIND_COUNT; kind++) {
    const tally *t = &sums[kind];
    if (t->poses == 0) {
      continue;
    }
    fprintf(stderr, "%s: %llu poses;", body_kind_name((body_kind)kind),
            (unsigned long long)t->poses);
    for (int i = 0; i < FLAWS; i++) {
      fprintf(stderr, " %s %llu;", flaw_names[i], (unsigned long long)t->found[i]);
    }
    fprintf(stderr, " deepest %.3Lg, moved %.3Lg ways out\n", t->max_depth, t->max_way);
    for (int i = 0; i < FLAWS; i++) {
      cr_expect_leq(t->found[i], i == THROWN ? allowed(kind) : 0, "%s: %s",
                    body_kind_name((body_kind)kind), flaw_names[i]);
    }
  }
}

Test(borders, what_stands_astride_is_led_out) {
  static pose p;
  seed = rng_seed("borders", 3401);
  const uint64_t rounds = rng_few_rounds(20, 300);
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + 1000 * round);
    place at = make_sheet_place(&r);
    for (int kind = 0; kind < BODY_KIND_COUNT; kind++) {
      for (int i = 0; i < 6; i++) {
        if (astride(&at, (body_kind)kind, &r, &p)) {
          check_pose(&at, &p);
        }
      }
    }
    test_mesh_free(&at.ground.mesh);
    place_free(&at);
  }
  expect_few_flaws();
}

/* A floor with borders at x = 0 and two sides, of squares of a size with random diagonals. */
static test_mesh floor_of(float cell, int count, rng *r) {
  test_mesh mesh = {0};
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      const float x = cell * (float)i, z = cell * ((float)k - 0.5f * (float)count);
      ground_quad(&mesh, mo_vec(x, 0, z), mo_vec(x, 0, z + cell), mo_vec(x + cell, 0, z + cell),
                  mo_vec(x + cell, 0, z), r);
    }
  }
  ground_weld(&mesh);
  return mesh;
}

/* The deepest point of a box in one triangle is where another one, which it does not overlap, hides
 * it: what is left must not stand for it with no depth. */
Test(borders, hidden_points_do_not_hold_a_box) {
  static pose p;
  const mo_vec3 corners[6] = {{-2.9688f, -0.4294f, -2.0299f}, {-1.8968f, -0.1753f, -2.0358f},
                              {-2.1518f, -0.2256f, -2.8498f}, {-2.8978f, -0.4091f, -3.0306f},
                              {-3.0224f, -0.445f, -1.1044f},  {-2.0034f, -0.1955f, -0.8983f}};
  ground g = {.name = "bent sheet", .map = mo_transform_identity(), .up = {0, 1, 0}, .spacing = 1};
  test_mesh_add_corners(&g.mesh, corners[0], corners[1], corners[2]);
  test_mesh_add_corners(&g.mesh, corners[0], corners[2], corners[3]);
  test_mesh_add_corners(&g.mesh, corners[4], corners[5], corners[1]);
  test_mesh_add_corners(&g.mesh, corners[4], corners[1], corners[0]);
  place at = place_make(g, true);
  find_borders(&at);
  p.body = (bent_body){.kind = BODY_BOX, .scale = {1, 1, 1}, .diameter = 1.28L, .thickness = 0.6L};
  make_box_body(&p.body, 0.639f, 0.3026f, 0.4792f);
  p.map = mo_transform_make(mo_vec(0, 0, 0), turn(mo_vec(0, 1, 0), 1.0625f), p.body.scale);
  place_at(&p, (ldvec){-3.1961f, -0.6787f, -2.5521f});
  check_pose(&at, &p);
  cr_expect_eq(sums[BODY_BOX].poses, 1);
  for (int i = 0; i < FLAWS; i++) {
    cr_expect_eq(sums[BODY_BOX].found[i], 0, "%s", flaw_names[i]);
  }
  test_mesh_free(&g.mesh);
  place_free(&at);
}

/* The upright edge of a box that reaches into the border at a vertex, from beside the floor: for
 * each triangle there, the shortest way out leans over the next one. */
Test(borders, edges_of_boxes_are_led_out_at_vertices) {
  static pose p;
  seed = rng_seed("borders at vertices", 3404);
  rng r = rng_make(seed);
  const uint64_t rounds = rng_few_rounds(60, 2000);
  for (uint64_t round = 0; round < rounds; round++) {
    ground g = {.name = "floor", .map = mo_transform_identity(), .up = {0, 1, 0}, .spacing = 1};
    g.mesh = floor_of(1, 4, &r);
    place at = place_make(g, true);
    find_borders(&at);
    p.body = bent_body_make(BODY_BOX, rng_float(&r, 0.5f, 1.5f), &r);
    const mo_vec3 half = p.body.geometry.box.half_extents;
    const float angle = rng_float(&r, 0.6f, 0.95f), depth = power_between(&r, -2, -1) * half.x;
    p.map = mo_transform_make(mo_vec(0, 0, 0), turn(mo_vec(0, 1, 0), angle), p.body.scale);
    const mo_vec3 edge = mo_transform_point(&p.map, mo_vec(half.x, 0, half.z));
    place_at(&p, (ldvec){depth - edge.x, rng_float(&r, -0.1f, 0.1f) * half.y,
                         rng_float(&r, -0.5f, 0.5f) * depth - edge.z});
    check_pose(&at, &p);
    test_mesh_free(&g.mesh);
    place_free(&at);
  }
  cr_expect_gt(sums[BODY_BOX].poses, rounds / 2);
  for (int i = 0; i < FLAWS; i++) {
    cr_expect_eq(sums[BODY_BOX].found[i], 0, "%s", flaw_names[i]);
  }
}

/* A body that stands on the floor but for a small tilt, near the border or reaching over it. */
static void stand(body_kind kind, rng *r, pose *p) {
  p->body = bent_body_make(kind, 0.5f, r);
  mo_quat q = turn(mo_vec(0, 1, 0), rng_float(r, 0, 6.2831853f));
  q = product(turn(rng_direction(r), power_between(r, -5, -2.1f)), q);
  p->map = mo_transform_make(mo_vec(0, 0, 0), q, p->body.scale);
  const polytope rotated = polytope_mapped(&p->body.core, &p->map);
  ldouble low, high;
  range_along(rotated.vertices, rotated.vertex_count, (ldvec){0, 1, 0}, &low, &high);
  const ldouble depth = p->body.thickness * power_between(r, -2.5f, -0.7f);
  place_at(p, (ldvec){rng_float(r, 0, 0.7f), p->body.rounding - low - depth, 0});
}

/* What rests on the top of a floor is not pushed over its border, however small the triangles, if
 * the way up is clearly shorter. (A rounded edge touches the border at an angle.) */
Test(borders, what_stands_near_a_border_is_pushed_up) {
  static const body_kind kinds[] = {BODY_BOX, BODY_PLATE, BODY_PLANK, BODY_CYLINDER};
  static const ldvec ways[] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
  static pose p;
  seed = rng_seed("borders of floors", 3402);
  rng r = rng_make(seed);
  const uint64_t rounds = rng_few_rounds(15, 100);
  uint64_t checked = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    ground g = {.name = "floor", .map = mo_transform_identity(), .up = {0, 1, 0}};
    g.spacing = power_between(&r, -1.5f, 0);
    g.mesh = floor_of(g.spacing, (int)fminf(2 + 2 / g.spacing, 40), &r);
    place at = place_make(g, true);
    for (int i = 0; i < 20; i++) {
      ldouble clearance[4];
      stand(kinds[i % 4], &r, &p);
      examine(&at, &p);
      clearances(&at, &p, ways, 4, clearance);
      if (fminl(clearance[1], fminl(clearance[2], clearance[3])) < 2.5L * clearance[0]) {
        continue;
      }
      checked++;
      find_contacts(&at, &p);
      cr_expect(contact_count > 0);
      for (uint32_t k = 0; k < contact_count; k++) {
        const mo_vec3 n = contacts[k].manifold.normal;
        cr_expect(!contacts[k].manifold.touching || n.y < -0.9999f, "%s, seed %llu: push %g %g %g",
                  body_kind_name(p.body.kind), (unsigned long long)seed, (double)-n.x, (double)-n.y,
                  (double)-n.z);
      }
    }
    test_mesh_free(&g.mesh);
    place_free(&at);
  }
  cr_expect_gt(checked, 10 * rounds);
}

/* A floor in the shape of an L, with borders at x = 0 and z = 0 where both are negative. */
static test_mesh bent_floor(float cell, rng *r) {
  test_mesh mesh = {0};
  const int count = (int)ceilf(2 / cell);
  for (int i = -count; i < count; i++) {
    for (int k = -count; k < count; k++) {
      const float x = cell * (float)i, z = cell * (float)k;
      if (i >= 0 || k >= 0) {
        ground_quad(&mesh, mo_vec(x, 0, z), mo_vec(x, 0, z + cell), mo_vec(x + cell, 0, z + cell),
                    mo_vec(x + cell, 0, z), r);
      }
    }
  }
  ground_weld(&mesh);
  return mesh;
}

/* What slides over the inner corner of a floor, and reaches over the border by less than its depth,
 * is not pushed back. (Small triangles do push it, if all of their border is below the body: a
 * known limit.) */
Test(borders, inner_corners_of_floors_do_not_push) {
  static const body_kind kinds[] = {BODY_BOX, BODY_PLATE, BODY_PLANK};
  static pose p;
  seed = rng_seed("inner corners of floors", 3403);
  rng r = rng_make(seed);
  for (uint64_t round = 0; round < rng_rounds(30, 300); round++) {
    ground g = {.name = "bent floor", .map = mo_transform_identity(), .up = {0, 1, 0}};
    g.spacing = rng_float(&r, 1, 1.5f);
    g.mesh = bent_floor(g.spacing, &r);
    place at = place_make(g, true);
    for (int i = 0; i < 20; i++) {
      p.body = bent_body_make(kinds[i % 3], 0.5f, &r);
      p.map = mo_transform_make(mo_vec(0, 0, 0), turn(mo_vec(0, 1, 0), 0), p.body.scale);
      const polytope placed = polytope_mapped(&p.body.core, &p.map);
      ldouble low[3], high[3];
      for (int axis = 0; axis < 3; axis++) {
        range_along(placed.vertices, placed.vertex_count, (ldvec){axis == 0, axis == 1, axis == 2},
                    &low[axis], &high[axis]);
      }
      const ldouble depth = p.body.thickness * power_between(&r, -2.5f, -1.3f);
      place_at(&p, (ldvec){rng_float(&r, 0, 1) * depth - high[0], -low[1] - depth,
                           rng_float(&r, -0.8f, 0.8f) * high[2]});
      examine(&at, &p);
      find_contacts(&at, &p);
      cr_expect(contact_count > 0);
      for (uint32_t k = 0; k < contact_count; k++) {
        const mo_vec3 n = contacts[k].manifold.normal;
        cr_expect(!contacts[k].manifold.touching || n.y < -0.9999f, "%s: push %g %g %g",
                  body_kind_name(p.body.kind), (double)-n.x, (double)-n.y, (double)-n.z);
      }
    }
    test_mesh_free(&g.mesh);
    place_free(&at);
  }
}
