/* Two meshes that move and rotate: their first impact against distances of all pairs of triangles
 * at many times, in long double and by definition; and how much is counted for it, also for pairs
 * of bodies whose sizes are far apart. */
#include <motte/continuous.h>

#include "contact/contacts.h"
#include "geometry/cast/impact.h"
#include "geometry/cast/rotating.h"
#include "oracle/primitive.h"
#include "support/scenes.h"

/* --- triangles on their way, in long double --- */

static ldvec ld_cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

typedef struct ld_triangle {
  ldvec corner[3];
} ld_triangle;

/* Where a point is at time t, by the definition of mo_movement. */
static ldvec point_at(const mo_movement *m, ldouble t, ldvec p) {
  ldvec pivot = ld_float(m->pivot), axis = ld_float(m->axis), out = ld_sub(p, pivot);
  if (m->angle != 0) {
    ldouble angle = t * (ldouble)m->angle;
    axis = ld_scale(1 / ld_norm(axis), axis);
    out = ld_add(ld_add(ld_scale(cosl(angle), out), ld_scale(sinl(angle), ld_cross(axis, out))),
                 ld_scale((1 - cosl(angle)) * ld_dot(axis, out), axis));
  }
  return ld_add(ld_add(pivot, ld_scale(t, ld_float(m->displacement))), out);
}

static ld_triangle triangle_at(const mo_movement *m, ldouble t, const mo_vec3 corners[3],
                               mo_vec3 origin) {
  ld_triangle made;
  for (int i = 0; i < 3; i++) {
    made.corner[i] = point_at(m, t, ld_add(ld_float(corners[i]), ld_float(origin)));
  }
  return made;
}

static ldouble clamped(ldouble x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

static ldouble between_segments(ldvec p, ldvec p_end, ldvec q, ldvec q_end) {
  ldvec d = ld_sub(p_end, p), e = ld_sub(q_end, q), r = ld_sub(p, q);
  ldouble dd = ld_dot(d, d), ee = ld_dot(e, e), de = ld_dot(d, e), dr = ld_dot(d, r),
          er = ld_dot(e, r), det = dd * ee - de * de;
  ldouble s = det > 0 ? clamped((de * er - dr * ee) / det) : 0;
  ldouble t = ee > 0 ? (de * s + er) / ee : 0;
  if (t < 0 || t > 1) {
    t = clamped(t);
    s = dd > 0 ? clamped((de * t - dr) / dd) : 0;
  }
  return ld_norm(ld_sub(ld_add(r, ld_scale(s, d)), ld_scale(t, e)));
}

/* Whether the foot of a point on the plane of a triangle lies in it; its height above the plane. */
static bool is_over(const ld_triangle *of, ldvec p, ldouble *height) {
  ldvec a = of->corner[0], n = ld_cross(ld_sub(of->corner[1], a), ld_sub(of->corner[2], a));
  ldouble size = ld_norm(n);
  *height = size > 0 ? ld_dot(n, ld_sub(p, a)) / size : 0;
  for (int i = 0; i < 3; i++) {
    ldvec from = of->corner[i], to = of->corner[(i + 1) % 3];
    if (ld_dot(n, ld_cross(ld_sub(to, from), ld_sub(p, from))) < 0) {
      return false;
    }
  }
  return size > 0;
}

static bool pierces(ldvec from, ldvec to, const ld_triangle *other) {
  ldouble above, below;
  is_over(other, from, &above);
  is_over(other, to, &below);
  if ((above > 0) == (below > 0)) {
    return false;
  }
  ldouble t = above / (above - below), height;
  return is_over(other, ld_add(from, ld_scale(t, ld_sub(to, from))), &height);
}

static ldouble between_triangles(const ld_triangle *a, const ld_triangle *b) {
  ldouble min = INFINITY, height;
  for (int i = 0; i < 3; i++) {
    if (is_over(b, a->corner[i], &height)) {
      min = fminl(min, fabsl(height));
    }
    if (is_over(a, b->corner[i], &height)) {
      min = fminl(min, fabsl(height));
    }
    for (int k = 0; k < 3; k++) {
      min = fminl(min, between_segments(a->corner[i], a->corner[(i + 1) % 3], b->corner[k],
                                        b->corner[(k + 1) % 3]));
    }
    if (pierces(a->corner[i], a->corner[(i + 1) % 3], b) ||
        pierces(b->corner[i], b->corner[(i + 1) % 3], a)) {
      return 0;
    }
  }
  return min;
}

/* --- meshes --- */

enum { SIDE = 16, MAX_TRIANGLES = 2 * SIDE * SIDE };

typedef struct body {
  mo_vec3 triangle[MAX_TRIANGLES][3];
  uint32_t count;
  mo_vec3 origin;
  mo_shape_id id;
} body;

static body bodies[2];

/* A bumpy sheet of triangles around the origin, four wide. */
static void set_sheet(body *b, uint32_t side, float bump, rng *r) {
  mo_vec3 at[SIDE + 1][SIDE + 1];
  for (uint32_t i = 0; i <= side; i++) {
    for (uint32_t k = 0; k <= side; k++) {
      float x = 4 * (float)i / (float)side - 2, z = 4 * (float)k / (float)side - 2;
      at[i][k] = mo_vec(x, rng_float(r, 0, bump), z);
    }
  }
  b->count = 0;
  for (uint32_t i = 0; i < side; i++) {
    for (uint32_t k = 0; k < side; k++) {
      const mo_vec3 two[2][3] = {{at[i][k], at[i][k + 1], at[i + 1][k]},
                                 {at[i + 1][k], at[i][k + 1], at[i + 1][k + 1]}};
      memcpy(b->triangle[b->count], two, sizeof two);
      b->count += 2;
    }
  }
}

/* Triangles anywhere in a cube that is two wide. */
static void set_soup(body *b, uint32_t count, rng *r) {
  b->count = count;
  for (uint32_t i = 0; i < count; i++) {
    mo_vec3 center = rng_vec3(r, -0.8f, 0.8f);
    for (int k = 0; k < 3; k++) {
      b->triangle[i][k] = mo_add(center, rng_vec3(r, -0.2f, 0.2f));
    }
  }
}

static void add_body(mo_scene *scene, body *b) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = &b->triangle[0][0].x;
  def.vertex_count = 3 * b->count;
  def.triangle_count = b->count;
  def.index_type = MO_INDEX_NONE;
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  cr_assert_eq(mo_mesh_create(&def, &shape.geometry.mesh), MO_OK);
  shape.transform.origin = b->origin;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &b->id), MO_OK);
  mo_mesh_release(shape.geometry.mesh);
}

static ldouble distance_of_bodies(const mo_mover movers[2], ldouble t) {
  static ld_triangle placed_b[MAX_TRIANGLES];
  ldouble min = INFINITY;
  for (uint32_t k = 0; k < bodies[1].count; k++) {
    placed_b[k] = triangle_at(&movers[1].movement, t, bodies[1].triangle[k], bodies[1].origin);
  }
  for (uint32_t i = 0; i < bodies[0].count; i++) {
    ld_triangle a = triangle_at(&movers[0].movement, t, bodies[0].triangle[i], bodies[0].origin);
    for (uint32_t k = 0; k < bodies[1].count; k++) {
      min = fminl(min, between_triangles(&a, &placed_b[k]));
    }
  }
  return min;
}

static mo_movement random_turn(mo_vec3 pivot, mo_vec3 way, float max, rng *r) {
  mo_movement m = {.displacement = way, .pivot = pivot, .axis = rng_direction(r)};
  if (rng_chance(r, 0.5)) {
    m.pivot = mo_add(m.pivot, rng_vec3(r, -3, 3));
  }
  m.angle = rng_float(r, -max, max);
  return m;
}

/* The impact of the first body, and the work. */
static mo_impact find(const mo_mover movers[2], float slop, mo_query_stats *stats) {
  mo_scene *scene = test_scene_empty();
  mo_mover used[2];
  mo_mover_memory memory[2];
  mo_impact impacts[2];
  mo_impact_search search = mo_default_impact_search();
  memcpy(used, movers, sizeof used);
  for (int i = 0; i < 2; i++) {
    add_body(scene, &bodies[i]);
    used[i].shape = bodies[i].id;
  }
  used[1].partners = MO_IMPACT_WITH_NONE;
  search.movers = used;
  search.memory = memory;
  search.count = 2;
  search.def.slop = slop;
  *stats = (mo_query_stats){0};
  cr_assert_eq(mo_scene_find_impacts(scene, &search, impacts, NULL, stats), MO_OK);
  mo_scene_destroy(scene);
  return impacts[0];
}

enum { TIMES = 60 };

/* Not later than the first touch, not earlier than it need be, and where it says. Returns whether
 * there is one. */
static bool check(const mo_mover movers[2], float slop) {
  const ldouble tolerance = 1e-5L;
  mo_query_stats stats;
  if (distance_of_bodies(movers, 0) <= (ldouble)slop + tolerance) {
    return false; /* they begin in touch */
  }
  mo_impact impact = find(movers, slop, &stats);
  ldouble end = impact.found ? (ldouble)impact.t : 1;
  for (int i = 1; i <= TIMES; i++) {
    ldouble t = end * i / TIMES, apart = distance_of_bodies(movers, t);
    cr_assert(apart >= 0.5L * (ldouble)slop - tolerance, "%Lg apart at %Lg, before %Lg", apart, t,
              end);
    if (impact.found && i == TIMES) {
      cr_assert(apart <= 0.75L * (ldouble)slop + tolerance, "%Lg apart", apart);
      ld_triangle a = triangle_at(&movers[0].movement, t, bodies[0].triangle[impact.triangle],
                                  bodies[0].origin),
                  b = triangle_at(&movers[1].movement, t, bodies[1].triangle[impact.other_triangle],
                                  bodies[1].origin);
      cr_assert(between_triangles(&a, &b) <= 0.75L * (ldouble)slop + tolerance);
    }
  }
  /* each pair at most once, after a sweep that may test as many as there are triangles */
  const uint64_t n = bodies[0].count, m = bodies[1].count;
  cr_assert_leq(stats.pair_count, n * m + n + m);
  cr_assert_leq(stats.distance_count, stats.pair_count * MO_IMPACT_MAX_DISTANCES);
  return impact.found;
}

Test(rotating_meshes, impacts_against_distances_on_the_way) {
  uint64_t seed = rng_seed("impacts of rotating meshes", 1710), rounds = rng_few_rounds(32, 1000);
  uint64_t found = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    bool sheets = rng_chance(&r, 0.5);
    bodies[0].origin = mo_vec(0, 0, 0);
    bodies[1].origin = sheets ? mo_vec(0, rng_float(&r, 0.4f, 3), 0)
                              : mo_scale(rng_float(&r, 2, 4), rng_direction(&r));
    for (int i = 0; i < 2; i++) {
      if (sheets) {
        set_sheet(&bodies[i], 3, rng_float(&r, 0, 0.3f), &r);
      } else {
        set_soup(&bodies[i], 1 + rng_below(&r, 16), &r);
      }
    }
    mo_mover movers[2] = {{.partners = MO_IMPACT_WITH_ALL}, {.partners = MO_IMPACT_WITH_ALL}};
    for (int i = 0; i < 2; i++) {
      mo_vec3 way = mo_scale((i ? -1 : 1) * rng_float(&r, 0, 0.8f), bodies[1].origin);
      way = mo_add(way, mo_scale(rng_float(&r, 0, 0.5f), rng_direction(&r)));
      movers[i].movement = random_turn(bodies[i].origin, way, rng_chance(&r, 0.3) ? 6.2f : 1, &r);
    }
    if (rng_chance(&r, 0.2)) {
      movers[rng_below(&r, 2)].movement.angle = 0;
    }
    found += check(movers, rng_float(&r, 1e-3f, 0.02f));
  }
  cr_assert(found > rounds / 5 && found < rounds * 9 / 10, "%d of %d", (int)found, (int)rounds);
}

/* The least impact of a body with the triangles of bodies[1], each by itself. */
static mo_impact first_of_all(const mo_primitive *of, const mo_movement *movement,
                              const mo_movement *of_mesh, const mo_impact_def *def) {
  mo_impact first = {.found = false};
  for (uint32_t i = 0; i < bodies[1].count; i++) {
    const mo_vec3 *c = bodies[1].triangle[i];
    const mo_primitive triangle = mo_primitive_of_triangle(c[0], c[1], c[2]);
    mo_impact impact;
    cr_assert_eq(mo_find_impact(of, movement, &triangle, of_mesh, def, &impact), MO_OK);
    impact.other_triangle = i;
    if (impact.found && (!first.found || impact.t < first.t)) {
      first = impact;
    }
  }
  return first;
}

/* In the plane z = 0. */
static mo_vec3 random_in_plane(rng *r, float max) {
  const float x = rng_float(r, -max, max), y = rng_float(r, -max, max);
  return mo_vec(x, y, 0);
}

static mo_movement random_sweep(rng *r) {
  mo_movement m = {.pivot = random_in_plane(r, 0.3f), .axis = {0, 0, 1}};
  if (rng_chance(r, 0.4)) {
    m.displacement = random_in_plane(r, 6);
  }
  m.angle = rng_chance(r, 0.8) ? rng_float(r, -6.2f, 6.2f) : 0;
  return m;
}

/* A rod that rotates in a plane with a mesh of small triangles, which are as far from the axis as
 * its ends: relative to these the ends are fast, and boxes around the rod are thin. Or a small box
 * that moves outward from the axis. The impact is the least over all triangles, bit for bit. */
Test(rotating_meshes, ends_of_rods_meet_small_triangles) {
  uint64_t seed = rng_seed("rods and small triangles", 1714),
           rounds = rng_few_rounds(12000, 300000);
  uint64_t found = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    bodies[1].count = 1 + rng_below(&r, 4);
    bodies[1].origin = mo_vec(0, 0, 0);
    for (uint32_t i = 0; i < bodies[1].count; i++) {
      const float angle = rng_float(&r, 0, 6.3f);
      const mo_vec3 center = mo_scale(rng_float(&r, 4, 6), mo_vec(cosf(angle), sinf(angle), 0));
      for (int k = 0; k < 3; k++) {
        bodies[1].triangle[i][k] = mo_add(center, rng_vec3(&r, -0.1f, 0.1f));
      }
    }
    mo_scene *scene = test_scene_empty();
    mo_shape_def rod = mo_default_shape_def(MO_SHAPE_BOX);
    rod.geometry = box_of(rng_chance(&r, 0.5) ? 6 : 0.1f, 0.05f, 0.05f);
    mo_mover movers[2] = {{.movement = random_sweep(&r)}, {.movement = random_sweep(&r)}};
    cr_assert_eq(mo_scene_add_shape(scene, &rod, &movers[0].shape), MO_OK);
    add_body(scene, &bodies[1]);
    movers[1].shape = bodies[1].id;
    mo_mover_memory memory[2];
    mo_impact impacts[2];
    mo_impact_search search = mo_default_impact_search();
    search.movers = movers;
    search.memory = memory;
    search.count = 2;
    search.def.core = 1;
    search.def.slop = rng_chance(&r, 0.5) ? 0.005f : 0.5f;
    cr_assert_eq(mo_scene_find_impacts(scene, &search, impacts, NULL, NULL), MO_OK);
    const mo_primitive p = mo_primitive_of_geometry(&rod.geometry, &rod.transform);
    const mo_impact first = first_of_all(&p, &movers[0].movement, &movers[1].movement, &search.def);
    for (int i = 0; i < 2; i++) {
      cr_assert(impacts[i].found == first.found, "round %d: %d", (int)round, impacts[i].found);
      cr_assert(!first.found || impacts[i].t == first.t, "round %d: %a, not %a", (int)round,
                (double)impacts[i].t, (double)first.t);
      cr_assert(!first.found ||
                (i == 0 ? impacts[i].other_triangle : impacts[i].triangle) == first.other_triangle);
    }
    found += first.found;
    mo_scene_destroy(scene);
  }
  cr_assert(found > rounds / 10, "%d of %d", (int)found, (int)rounds);
}

/* Sheets of 512 triangles each, that rotate against each other and come closer by half a unit.
 * Where they stay apart, few pairs are tested; where they meet, a few for each triangle. */
Test(rotating_meshes, pairs_are_tested_once_and_only_near_ones) {
  rng r = rng_make(rng_seed("pairs of rotating meshes", 1711));
  for (int i = 0; i < 2; i++) {
    set_sheet(&bodies[i], SIDE, 0.2f, &r);
  }
  static const float gaps[] = {1.2f, 0.95f, 0.5f};
  for (int i = 0; i < 3; i++) {
    bodies[0].origin = mo_vec(0, 0, 0);
    bodies[1].origin = mo_vec(0, gaps[i], 0);
    const mo_mover movers[2] = {
        {.movement = {{0, 0.25f, 0}, bodies[0].origin, {0.2f, 1, 0.1f}, 0.3f}},
        {.movement = {{0, -0.25f, 0}, bodies[1].origin, {0.2f, 1, 0.1f}, -0.3f}}};
    mo_query_stats stats;
    mo_impact impact = find(movers, 0.005f, &stats);
    cr_assert(i == 1 || impact.found == (i == 2));
    cr_assert_leq(stats.pair_count, (i == 2 ? 8u : 4u) * MAX_TRIANGLES, "%d: %d pairs", i,
                  (int)stats.pair_count);
    cr_assert_leq(stats.distance_count, 4 * stats.pair_count + 100);
    cr_assert_leq(stats.mesh_node_count, 4u * MAX_TRIANGLES);
  }
}

/* --- pairs of bodies of any sizes --- */

static mo_primitive random_body(rng *r, float size) {
  mo_geometry g = random_geometry(r);
  mo_transform at = rng_transform(r, rng_chance(r, 0.7) ? RNG_RIGID : RNG_SHEAR, 1);
  mo_primitive p = mo_primitive_of_geometry(&g, &at);
  if (rng_chance(r, 0.4)) {
    p.type = MO_PRIMITIVE_TRIANGLE;
    for (int i = 0; i < 3; i++) {
      p.points[i] = rng_vec3(r, -1, 1);
    }
  }
  mo_transform *t = &p.transform;
  t->x_axis = mo_scale(size, t->x_axis);
  t->y_axis = mo_scale(size, t->y_axis);
  t->z_axis = mo_scale(size, t->z_axis);
  t->origin = mo_scale(size, t->origin);
  return p;
}

/* Sizes up to 10^20, and up to 10^8 apart. No pair takes more than is documented, and hardly any
 * takes many. */
Test(rotating_meshes, work_is_bounded_for_any_sizes) {
  uint64_t seed = rng_seed("work of impacts", 1712), rounds = rng_few_rounds(3000, 100000);
  uint64_t sum = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    float size = powf(10, rng_float(&r, -3, 12)), other = size * powf(10, rng_float(&r, -8, 8));
    mo_prepared_primitive prepared[2];
    mo_impact_body moving[2];
    mo_impact_rules rules = {rng_chance(&r, 0.5) ? 0 : (double)rng_float(&r, 0, 0.02f),
                             (double)rng_float(&r, 0, 1)};
    for (int i = 0; i < 2; i++) {
      float own = i ? other : size;
      mo_primitive p = random_body(&r, own);
      mo_movement m = {.displacement = mo_scale(rng_float(&r, 0, 2) * own, rng_direction(&r)),
                       .pivot = p.transform.origin,
                       .axis = rng_direction(&r),
                       .angle = rng_chance(&r, 0.2) ? 0 : rng_float(&r, -6, 6)};
      cr_assert_eq(mo_primitive_prepare(&prepared[i], &p, NULL), MO_OK);
      cr_assert_eq(mo_moving_body_make(&moving[i].whole, &prepared[i].body, &m, NULL), MO_OK);
      mo_impact_body_set_core(&moving[i], rules.core_scale);
    }
    uint32_t impact = mo_find_time_of_impact(&moving[0], &moving[1], &rules, 1).distance_count,
             touch = mo_find_time_of_touch(&moving[0], &moving[1]).distance_count;
    cr_assert(impact <= MO_IMPACT_MAX_DISTANCES && touch <= MO_IMPACT_MAX_DISTANCES, "%u %u",
              impact, touch);
    sum += impact + touch;
  }
  cr_assert_leq(sum, 40 * rounds, "%g on average", (double)sum / (double)rounds);
}

/* A triangle of a thousand kilometres rotates about an axis close to a box of a metre. In the frame
 * of the triangle the box moves by little, so its distances at many times, less what it moves in
 * between, show that the two stay apart. */
Test(rotating_meshes, huge_triangle_about_an_axis_near_a_box) {
  const float far = 1e6f;
  rng r = rng_make(rng_seed("huge rotating triangles", 1713));
  int apart_count = 0;
  for (int i = 0; i < 40; i++) {
    const mo_primitive triangle =
        mo_primitive_of_triangle(mo_vec(-far, 0, -far), mo_vec(far, 0, -far), mo_vec(0, 0, far));
    const mo_movement of_triangle = {
        {0, 0, 0}, {0, 0, 0}, mo_add(mo_vec(0, 1, 0), mo_scale(0.6f, rng_direction(&r))), 0.5f};
    const mo_vec3 at = {rng_float(&r, -2, 2), rng_float(&r, 3, 8), rng_float(&r, -2, 2)};
    const mo_primitive box = placed(box_of(0.4f, 0.4f, 0.4f), at, rng_rotation(&r));
    const mo_movement of_box = {{0, rng_float(&r, -1, 0), 0}, at, rng_direction(&r), 0.5f};
    const double reach = (double)sqrtf(mo_dot(at, at)) + 2, top_speed = 1 + 0.5 * reach + 0.5;
    double min = INFINITY;
    for (int k = 0; k <= 100; k++) {
      min = fmin(min, distance_at(triangle, &of_triangle, box, &of_box, (float)k / 100));
    }
    mo_impact_def def = mo_default_impact_def();
    mo_impact impact;
    def.core = 1;
    cr_assert_eq(mo_find_impact(&triangle, &of_triangle, &box, &of_box, &def, &impact), MO_OK);
    bool stays_apart = min - top_speed / 200 > 0.25; /* distances in floats are off by a little */
    cr_assert(!(stays_apart && impact.found), "%d: at %g, %g apart", i, (double)impact.t,
              (double)impact.separation);
    cr_assert(impact.found || min > 0);
    apart_count += stays_apart;
  }
  cr_assert(apart_count > 10, "%d", apart_count);
}
