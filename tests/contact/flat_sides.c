/* Bodies at meshes that have `edges` and flat sides of several triangles. The triangles of a side
 * are one face, of which only those count that the body can touch. */
#include "contact/bent_places.h"
#include "contact/flat_meshes.h"

enum { MAX_CONTACTS = 1024 };

static mo_contact contacts[MAX_CONTACTS];
static uint32_t contact_count;

static void find_contacts(const place *at, const mo_geometry *geometry, const mo_transform *map) {
  contact_count = place_contacts(at, geometry, map, contacts, MAX_CONTACTS);
}

static void add_quad(test_mesh *mesh, mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_vec3 d) {
  ground_add(mesh, a, b, c, false);
  ground_add(mesh, a, c, d, false);
}

/* A wall (z < 0) beside a kerb (z > 0), whose top is y = 0. The sides of both are the plane x = 0,
 * and face along +x. */
static test_mesh wall_and_kerb(void) {
  test_mesh mesh = {0};
  add_quad(&mesh, mo_vec(0, -1, -4), mo_vec(0, -1, 0), mo_vec(0, 0, 0), mo_vec(0, 0, -4));
  add_quad(&mesh, mo_vec(0, 0, -4), mo_vec(0, 0, 0), mo_vec(0, 3, 0), mo_vec(0, 3, -4));
  add_quad(&mesh, mo_vec(0, -1, 0), mo_vec(0, -1, 4), mo_vec(0, 0, 4), mo_vec(0, 0, 0));
  add_quad(&mesh, mo_vec(0, 0, 0), mo_vec(0, 0, 4), mo_vec(-4, 0, 4), mo_vec(-4, 0, 0));
  add_quad(&mesh, mo_vec(0, 0, 0), mo_vec(-4, 0, 0), mo_vec(-4, 3, 0), mo_vec(0, 3, 0));
  ground_weld(&mesh);
  return mesh;
}

/* A cube that has sunk a little into the kerb on which it stands, and touches the wall beside it.
 * The kerb's side is hidden below its top. So the wall pushes the cube away by no more than it is
 * in the wall, although its lower edge is farther behind the plane of both sides. */
Test(flat_sides, kerbs_do_not_push_away_what_stands_on_them) {
  rng r = rng_make(rng_seed("flat sides kerb", 3701));
  ground g = {.name = "kerb", .mesh = wall_and_kerb(), .map = mo_transform_identity()};
  g.up = mo_vec(0, 1, 0);
  g.spacing = 1;
  place at = place_make(g, true);
  const mo_geometry cube = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1, 1}}};
  const uint64_t rounds = rng_rounds(200, 5000);
  uint64_t pushed = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    /* Its lower edge along z is at x = -depth - slope * z. */
    const float slope = rng_float(&r, 0.004f, 0.018f), depth = rng_float(&r, 0.001f, 0.003f);
    const float sunk = rng_float(&r, 0.2f, 0.7f) * (depth + slope); /* the shortest way is up */
    const mo_transform map = mo_transform_make(mo_vec(1 - depth, 1 - sunk, 0),
                                               turn(mo_vec(0, 1, 0), -slope), mo_vec(1, 1, 1));
    find_contacts(&at, &cube, &map);
    bool stands = false;
    for (uint32_t i = 0; i < contact_count; i++) {
      const mo_manifold *m = &contacts[i].manifold;
      stands = stands || -m->normal.y > 0.999f;
      for (uint32_t k = 0; k < m->point_count && -m->normal.x > 0.999f; k++) {
        pushed += m->points[k].separation < 0;
        cr_expect_geq(m->points[k].separation, -depth - 0.001f,
                      "slope %g, depth %g, sunk %g: separation %g at %g %g %g", (double)slope,
                      (double)depth, (double)sunk, (double)m->points[k].separation,
                      (double)m->points[k].position.x, (double)m->points[k].position.y,
                      (double)m->points[k].position.z);
      }
    }
    cr_expect(stands);
  }
  cr_expect_gt(pushed, rounds / 2);
  test_mesh_free(&g.mesh);
  place_free(&at);
}

/* Cells of one metre, in the plane y = 0. */
static test_mesh floor_of_cells(int count, rng *r) {
  test_mesh mesh = {0};
  for (int i = -count; i < count; i++) {
    for (int k = -count; k < count; k++) {
      const float x = (float)i, z = (float)k;
      ground_quad(&mesh, mo_vec(x, 0, z), mo_vec(x, 0, z + 1), mo_vec(x + 1, 0, z + 1),
                  mo_vec(x + 1, 0, z), r);
    }
  }
  ground_weld(&mesh);
  return mesh;
}

/* However deep a body reaches through a floor, the floor has one contact with it along its normal,
 * of which no part is reported again by a triangle. */
Test(flat_sides, floors_have_one_contact_with_what_pierces_them) {
  enum { BODIES = 20 };
  static pose p;
  rng r = rng_make(rng_seed("flat sides floor", 3702));
  const uint64_t rounds = rng_few_rounds(20, 200);
  uint64_t touching = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    ground g = {.name = "floor", .mesh = floor_of_cells(4, &r), .map = mo_transform_identity()};
    g.up = mo_vec(0, 1, 0);
    g.spacing = 1;
    place at = place_make(g, true);
    for (int i = 0; i < BODIES * BODY_KIND_COUNT; i++) {
      p.body = bent_body_make((body_kind)(i % BODY_KIND_COUNT), rng_float(&r, 0.3f, 2), &r);
      const float x = rng_float(&r, -1, 1), z = rng_float(&r, -1, 1);
      const float y = 0.1f + rng_float(&r, 0, 0.8f) * (float)p.body.thickness;
      p.map = mo_transform_make(mo_vec(x, y, z), rng_rotation(&r), p.body.scale);
      find_contacts(&at, &p.body.geometry, &p.map);
      uint32_t along = 0;
      for (uint32_t k = 0; k < contact_count; k++) {
        along += -contacts[k].manifold.normal.y > 0.999f;
      }
      touching += along > 0;
      cr_expect_leq(along, 1, "round %llu, %s: %u contacts", (unsigned long long)round,
                    body_kind_name(p.body.kind), along);
    }
    test_mesh_free(&g.mesh);
    place_free(&at);
  }
  cr_expect_gt(touching, rounds * BODIES * BODY_KIND_COUNT / 2);
}

/* A body with a large flat bottom. */
static mo_geometry flat_body(uint32_t kind) {
  switch (kind) {
  case 0:
    return (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 1, 0}, {3, 1, 3}}};
  case 1:
    return (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 0.05f, 0}, {3, 0.05f, 3}}};
  case 2:
    return (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 1, 0}, {3, 0.9f, 3}}, .rounding = 0.1f};
  default:
    return (mo_geometry){.type = MO_SHAPE_CYLINDER, .cylinder = {{0, 0, 0}, {0, 2, 0}, 3}};
  }
}

/* The highest of the points; `next` receives the height of the next lower one. */
static ldvec highest_of(const ldvec corners[8], ldouble *next) {
  ldvec top = corners[0];
  *next = -INFINITY;
  for (int i = 1; i < 8; i++) {
    if (corners[i].y > top.y) {
      *next = top.y;
      top = corners[i];
    } else {
      *next = fmaxl(*next, corners[i].y);
    }
  }
  return top;
}

/* What lies on the highest corner of a crate is pushed up, there, by as much as it overlaps the
 * crate, however the sides beside that corner are cut into triangles. */
Test(flat_sides, corners_of_crates_are_felt) {
  rng r = rng_make(rng_seed("flat sides corners", 3703));
  for (uint64_t round = rng_rounds(600, 50000); round > 0;) {
    const mo_vec3 half = rng_vec3(&r, 0.3f, 0.8f);
    const mo_quat rotation = rng_rotation(&r);
    ldvec corners[8];
    ldouble next;
    ground g = {.name = "crate", .up = {0, 1, 0}, .spacing = 1};
    g.map = mo_transform_make(mo_vec(0, 0, 0), rotation, mo_vec(1, round & 1 ? -1 : 1, 1));
    for (int i = 0; i < 8; i++) {
      const mo_vec3 c = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                         i & 4 ? half.z : -half.z};
      corners[i] = mapped(&g.map, ld_float(c));
    }
    const ldvec top = highest_of(corners, &next);
    const float depth = rng_float(&r, 0.0005f, 0.05f);
    if (top.y - next < 2 * depth) {
      continue;
    }
    g.mesh = crate(half, 1 + (int)rng_below(&r, 3));
    place at = place_make(g, true);
    const float x = rng_float(&r, -1, 1), z = rng_float(&r, -1, 1);
    const mo_geometry body = flat_body(rng_below(&r, 4));
    const mo_transform map = mo_transform_make(mo_vec(x, (float)top.y - depth, z),
                                               (mo_quat){0, 0, 0, 1}, mo_vec(1, 1, 1));
    find_contacts(&at, &body, &map);
    float deepest = 0;
    bool is_felt = false;
    for (uint32_t i = 0; i < contact_count; i++) {
      const mo_manifold *m = &contacts[i].manifold;
      for (uint32_t k = 0; k < m->point_count; k++) {
        const ldvec from = ld_sub(ld_float(m->points[k].position), top);
        deepest = fminf(deepest, m->points[k].separation);
        is_felt = is_felt || (-m->normal.y > 0.9999f && ld_norm(from) < depth &&
                              fabsf(m->points[k].separation + depth) < 1e-4f);
      }
    }
    cr_assert(is_felt && fabsf(deepest + depth) < 2e-3f, "%llu: %g deep, not %g",
              (unsigned long long)round, -(double)deepest, (double)depth);
    place_free(&at);
    test_mesh_free(&g.mesh);
    round--;
  }
}

static void find_one_sided(const place *at, const mo_geometry *geometry, const mo_transform *map,
                           bool cull) {
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = mo_primitive_of_geometry(geometry, map);
  def.cull_back_faces = cull;
  cr_assert_eq(
      mo_scene_collide_shape(at->scene, &def, contacts, MAX_CONTACTS, &contact_count, NULL), MO_OK);
  cr_assert_leq(contact_count, MAX_CONTACTS);
}

/* How far the touching points of contacts along y reach along x. */
static void find_reach(float *low, float *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (uint32_t i = 0; i < contact_count; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    for (uint32_t k = 0; k < m->point_count && fabsf(m->normal.y) > 0.999f; k++) {
      *low = fminf(*low, m->points[k].position.x);
      *high = fmaxf(*high, m->points[k].position.x);
    }
  }
}

/* A floor of cells of which those at x > 0 show their backs to what is above. A box across x = 0
 * lies on both halves if triangles have two sides; else only on the one that shows its front. */
Test(flat_sides, one_sided_floors_carry_what_is_in_front) {
  rng r = rng_make(rng_seed("flat sides one side", 3704));
  for (uint64_t round = rng_rounds(200, 5000); round > 0; round--) {
    ground g = {.name = "floor", .mesh = floor_of_cells(4, &r), .map = mo_transform_identity()};
    const bool all_front = rng_chance(&r, 0.5), below = rng_chance(&r, 0.5);
    for (uint32_t i = 0; i < g.mesh.triangle_count; i++) {
      mo_vec3 c[3];
      test_mesh_corners(&g.mesh, i, c);
      const bool shows_front = mo_cross(mo_sub(c[1], c[0]), mo_sub(c[2], c[0])).y > 0;
      if (shows_front != (all_front || c[0].x + c[1].x + c[2].x < 0)) {
        const uint32_t first = g.mesh.indices[3 * i];
        g.mesh.indices[3 * i] = g.mesh.indices[3 * i + 1];
        g.mesh.indices[3 * i + 1] = first;
      }
    }
    g.up = mo_vec(0, 1, 0);
    g.spacing = 1;
    place at = place_make(g, true);
    const mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1.5f, 0.5f, 1.5f}}};
    const float gap = rng_float(&r, -0.02f, 0.01f), z = rng_float(&r, -1, 1);
    const mo_transform map = mo_transform_make(mo_vec(0, below ? -0.5f - gap : 0.5f + gap, z),
                                               (mo_quat){0, 0, 0, 1}, mo_vec(1, 1, 1));
    float low, high;
    find_one_sided(&at, &box, &map, false);
    find_reach(&low, &high);
    cr_assert(fabsf(low + 1.5f) < 0.01f && fabsf(high - 1.5f) < 0.01f);
    find_one_sided(&at, &box, &map, true);
    find_reach(&low, &high);
    const float wanted_low = below ? (all_front ? INFINITY : 0) : -1.5f,
                wanted_high = below       ? (all_front ? -INFINITY : 1.5f)
                              : all_front ? 1.5f
                                          : 0;
    cr_assert((low == wanted_low || fabsf(low - wanted_low) < 0.01f) &&
                  (high == wanted_high || fabsf(high - wanted_high) < 0.01f),
              "%s, %s: from %g to %g", all_front ? "all fronts up" : "half",
              below ? "below" : "above", (double)low, (double)high);
    place_free(&at);
    test_mesh_free(&g.mesh);
  }
}
