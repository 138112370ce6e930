/* Bodies at meshes that have `edges` and flat sides of several triangles. The triangles of a side
 * are one face, of which only those count that the body can touch. */
#include "contact/bent_places.h"

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
