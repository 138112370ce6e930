/* How surfaces go on across the edges of their triangles: known answers, and brute force over every
 * kind of mesh. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/mesh.h>
#include <stdio.h>
#include <stdlib.h>

#include "geometry/triangle/orient.h"
#include "math/vector.h"
#include "mesh/mesh.h"
#include "support/counting_allocator.h"
#include "support/meshes.h"

static mo_mesh *build(const test_mesh *mesh) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.edges = true;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  return built;
}

/* The edges of the triangles, three letters each: flat, convex, concave (v), open. */
static void check(const test_mesh *mesh, const char *expected) {
  mo_mesh *built = build(mesh);
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_mesh_edge edges[3];
    cr_assert_eq(mo_mesh_get_edges(built, i, edges), MO_OK);
    for (int e = 0; e < 3; e++) {
      char letter = "fcvo"[edges[e]];
      cr_assert_eq(letter, expected[3 * i + (uint32_t)e], "triangle %u, edge %d: %c", i, e, letter);
    }
  }
  mo_mesh_release(built);
}

/* Triangles beside the edge from (0, 0, 0) to (1, 0, 0), by their third corners. */
static test_mesh beside_one_edge(const mo_vec3 *thirds, const bool *turned, uint32_t count) {
  test_mesh mesh = {0};
  for (uint32_t i = 0; i < count; i++) {
    mo_vec3 a = {0, -0.0f, 0}, b = {1, 0, i % 2 ? 0.0f : -0.0f};
    test_mesh_add_corners(&mesh, turned[i] ? b : a, turned[i] ? a : b, thirds[i]);
  }
  return mesh;
}

static void check_beside(const mo_vec3 *thirds, uint32_t count, const char *expected) {
  for (unsigned turns = 0; turns < 1u << count; turns++) {
    bool turned[4];
    char letters[13];
    for (uint32_t i = 0; i < count; i++) {
      turned[i] = turns >> i & 1;
      /* From the other side ridges are valleys. */
      char other = expected[i] == 'c' ? 'v' : expected[i] == 'v' ? 'c' : expected[i];
      snprintf(&letters[3 * i], 4, "%coo", turned[i] ? other : expected[i]);
    }
    test_mesh mesh = beside_one_edge(thirds, turned, count);
    check(&mesh, letters);
    test_mesh_free(&mesh);
  }
}

/* For every winding; the front of the first triangle is up, and of the others as they come. */
Test(mesh_edges, two_triangles) {
  check_beside((mo_vec3[]){{0, 1, 0}, {0, -1, 0}}, 2, "ff");
  check_beside((mo_vec3[]){{0, 1, 0}, {7, -1e-20f, 0}}, 2, "ff");
  check_beside((mo_vec3[]){{0, 1, 0}, {0, -1, -1e-30f}}, 2, "cv");
  check_beside((mo_vec3[]){{0, 1, 0}, {0, -1, 1e-30f}}, 2, "vc");
  check_beside((mo_vec3[]){{0, 1, 0}, {0, 0, -1}}, 2, "cv");
  check_beside((mo_vec3[]){{0, 1, 0}, {0, 1, -1}}, 2, "cv");
  /* Folded back; degenerate. */
  check_beside((mo_vec3[]){{0, 1, 0}, {0, 1, 0}}, 2, "oo");
  check_beside((mo_vec3[]){{0, 1, 0}, {5, 2, 0}}, 2, "oo");
  check_beside((mo_vec3[]){{0, 1, 0}, {3, 0, 0}}, 2, "oo");
}

Test(mesh_edges, several_triangles) {
  /* A wall on a floor: the floor goes on; the wall meets a valley on each side. */
  check_beside((mo_vec3[]){{0, 1, 0}, {0, -1, 0}, {0, 0, 1}}, 3, "fff");
  check_beside((mo_vec3[]){{0, 1, 0}, {0, -1, -1}, {0, 1, -1}}, 3, "cvf");
  /* A floor that comes twice. */
  check_beside((mo_vec3[]){{0, 1, 0}, {0, 1, 0}, {0, 0, -1}}, 3, "ccv");
}

Test(mesh_edges, too_many_triangles_are_open) {
  for (uint32_t count = 63; count < 67; count++) {
    test_mesh mesh = {0};
    char expected[3 * 67 + 1];
    for (uint32_t i = 0; i < count; i++) {
      double angle = 3.0 * i / count;
      test_mesh_add_corners(&mesh, (mo_vec3){0, 0, 0}, (mo_vec3){1, 0, 0},
                            (mo_vec3){0, (float)cos(angle), (float)sin(angle)});
      char kind = count > 64 ? 'o' : i == 0 ? 'v' : i == count - 1 ? 'c' : 'f';
      snprintf(&expected[3 * i], 4, "%coo", kind);
    }
    check(&mesh, expected);
    test_mesh_free(&mesh);
  }
}

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether a point in the plane of the triangle (a, b, c) lies beyond its edge ab: c and the point
 * are on different sides of a plane across the triangle, through the edge. */
static bool is_beyond(mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_vec3 point) {
  static const mo_vec3 tips[3] = {{1.5e30f, 0, 0}, {0, 1.5e30f, 0}, {0, 0, 1.5e30f}};
  for (int i = 0; i < 3; i++) {
    mo_vec3 tip = tips[i];
    if (mo_orientation((mo_vec3[]){a, b, c, tip}, 1) != 0) {
      return mo_orientation((mo_vec3[]){a, b, tip, c}, 1) *
                 mo_orientation((mo_vec3[]){a, b, tip, point}, 1) <
             0;
    }
  }
  return false;
}

static mo_mesh_edge by_brute_force(const test_mesh *mesh, uint32_t triangle, int edge) {
  mo_vec3 own[3];
  test_mesh_corners(mesh, triangle, own);
  mo_vec3 a = own[edge], b = own[(edge + 1) % 3], c = own[(edge + 2) % 3];
  bool front = false, behind = false, beyond = false;
  uint32_t count = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 other[3];
    test_mesh_corners(mesh, t, other);
    for (int e = 0; e < 3; e++) {
      mo_vec3 d = other[e], p = other[(e + 1) % 3], q = other[(e + 2) % 3];
      if ((same(p, a) && same(q, b)) || (same(p, b) && same(q, a))) {
        count++;
        double side = mo_orientation((mo_vec3[]){d, c, b, a}, 1);
        front |= side > 0;
        behind |= side < 0;
        beyond |= side == 0 && is_beyond(a, b, c, d);
      }
    }
  }
  if (count > 64 || (!front && !behind && !beyond)) {
    return MO_MESH_EDGE_OPEN;
  }
  if (beyond || (front && behind)) {
    return MO_MESH_EDGE_FLAT;
  }
  return front ? MO_MESH_EDGE_CONCAVE : MO_MESH_EDGE_CONVEX;
}

Test(mesh_edges, as_brute_force) {
  rng r = rng_make(rng_seed("mesh_edges/brute", 311));
  uint32_t found[4] = {0};
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    for (uint64_t i = 0; i < rng_rounds(2, 50); i++) {
      test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 1 + rng_below(&r, 200), &r);
      mo_mesh *built = build(&mesh);
      for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        mo_mesh_edge edges[3];
        cr_assert_eq(mo_mesh_get_edges(built, t, edges), MO_OK);
        for (int e = 0; e < 3; e++) {
          found[edges[e]]++;
          cr_assert_eq(edges[e], by_brute_force(&mesh, t, e), "%s: triangle %u, edge %d", mesh.name,
                       t, e);
        }
      }
      mo_mesh_release(built);
      test_mesh_free(&mesh);
    }
  }
  for (int i = 0; i < 4; i++) {
    cr_assert_gt(found[i], 100, "%d: %u", i, found[i]);
  }
}

/* Triangles without neighbours, so many that hashes of 32 bits of some of their edges are the
 * same. */
Test(mesh_edges, many_alone_are_open) {
  rng r = rng_make(rng_seed("mesh_edges/alone", 312));
  test_mesh mesh = {0};
  uint64_t count = rng_rounds(100000, 500000);
  for (uint64_t i = 0; i < count; i++) {
    mo_vec3 a = rng_vec3(&r, -100, 100);
    test_mesh_add_corners(&mesh, a, mo_add(a, rng_vec3(&r, -1, 1)), mo_add(a, rng_vec3(&r, -1, 1)));
  }
  mo_mesh *built = build(&mesh);
  for (uint32_t t = 0; t < count; t++) {
    mo_mesh_edge edges[3];
    cr_assert_eq(mo_mesh_get_edges(built, t, edges), MO_OK);
    for (int e = 0; e < 3; e++) {
      cr_assert_eq(edges[e], MO_MESH_EDGE_OPEN, "triangle %u, edge %d", t, e);
    }
  }
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}

/* The memory that finding edges takes may not be there. */
Test(mesh_edges, out_of_memory) {
  test_mesh mesh = test_mesh_make_sphere(200);
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.host = counting_allocator_host(&counter);
  def.build.edges = true;
  mo_mesh *built = NULL;
  size_t nth = 1;
  do {
    counting_allocator_fail_at(&counter, nth++, false);
    mo_result result = mo_mesh_create(&def, &built);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
    cr_assert((result == MO_OK) == (built != NULL));
    cr_assert(built != NULL || counting_allocator_is_clean(&counter));
  } while (built == NULL);
  cr_assert_gt(nth, 5);
  mo_mesh_release(built);
  cr_assert(counting_allocator_is_clean(&counter));
  test_mesh_free(&mesh);
}

/* Adds an octahedron, whose triangles have random windings if `mixes` is set. `inward`: else their
 * fronts are inside. Returns the index of its first triangle. */
static uint32_t add_octahedron(test_mesh *mesh, rng *r, mo_vec3 center, bool mixes, bool inward) {
  const uint32_t first = mesh->triangle_count;
  for (int i = 0; i < 8; i++) {
    const mo_vec3 x = mo_vec(i & 1 ? 1 : -1, 0, 0), y = mo_vec(0, i & 2 ? 1 : -1, 0),
                  z = mo_vec(0, 0, i & 4 ? 1 : -1);
    const bool is_front = ((i ^ i >> 1 ^ i >> 2) & 1) != 0;
    const bool reverse = mixes ? rng_chance(r, 0.5) : is_front == inward;
    test_mesh_add_corners(mesh, mo_add(center, reverse ? y : x), mo_add(center, reverse ? x : y),
                          mo_add(center, z));
  }
  return first;
}

/* Whether the outside of each triangle, known or not, is where its centre says. */
static void check_outer_sides(const test_mesh *mesh, mo_vec3 center, uint32_t first, bool known) {
  mo_mesh *built = build(mesh);
  for (uint32_t t = first; t < first + 8; t++) {
    mo_vec3 c[3];
    mo_mesh_corners(built, t, c);
    const mo_vec3 out = mo_cross(mo_sub(c[1], c[0]), mo_sub(c[2], c[0]));
    const int side = mo_dot(out, mo_sub(c[0], center)) > 0 ? 1 : -1;
    cr_assert_eq(mo_mesh_outer_side(built, t), known ? side : 0);
  }
  mo_mesh_release(built);
}

Test(mesh_edges, outside_of_closed_sheets_is_known) {
  rng r = rng_make(rng_seed("outer sides", 8120));
  for (int i = 0; i < 8; i++) {
    const mo_vec3 a = mo_vec(5, 1, 2), b = mo_vec(-4, 3, 0);
    const bool mixes = i & 1, inward = i & 2;
    test_mesh mesh = {0};
    uint32_t first = add_octahedron(&mesh, &r, a, mixes, inward);
    check_outer_sides(&mesh, a, first, true);
    if (!mixes) {
      add_octahedron(&mesh, &r, b, false, (i & 4) != 0);
      check_outer_sides(&mesh, a, first, inward == ((i & 4) != 0));
    }
    test_mesh_add_corners(&mesh, a, b, mo_vec(0, 0, 0)); /* a sheet with a border */
    check_outer_sides(&mesh, a, first, false);
    test_mesh_free(&mesh);
  }
}

/* Of many triangles of any windings, far from the origin. */
Test(mesh_edges, outside_of_large_sheets_is_known) {
  rng r = rng_make(rng_seed("outer sides/large", 8121));
  for (int i = 0; i < 12; i++) {
    const mo_vec3 center = rng_vec3(&r, -1000, 1000);
    test_mesh sphere = test_mesh_make_sphere(500), mesh = {0};
    for (uint32_t t = 0; t < sphere.triangle_count; t++) {
      mo_vec3 c[3];
      test_mesh_corners(&sphere, t, c);
      const bool reverse = rng_chance(&r, 0.5);
      test_mesh_add_corners(&mesh, mo_add(center, c[reverse ? 1 : 0]),
                            mo_add(center, c[reverse ? 0 : 1]), mo_add(center, c[2]));
    }
    for (uint32_t first = 0; first + 8 <= mesh.triangle_count; first += 8) {
      check_outer_sides(&mesh, center, first, true);
    }
    test_mesh_free(&sphere);
    test_mesh_free(&mesh);
  }
}

/* At an edge of three triangles sheets end, although none of the edges is open: two tetrahedra with
 * a wall between them. */
Test(mesh_edges, sheets_with_a_wall_inside_have_no_outside) {
  const mo_vec3 base[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, apex[2] = {{-2, -2, -2}, {2, 2, 2}};
  for (uint32_t i = 0; i < 128; i++) { /* a bit for each triangle: how it is wound */
    test_mesh mesh = {0};
    for (uint32_t t = 0; t < 7; t++) { /* six sides, then the wall */
      const mo_vec3 a = base[t % 3], b = base[(t + 1) % 3], c = t < 6 ? apex[t / 3] : base[2];
      const bool reverse = (i >> t & 1) != 0;
      test_mesh_add_corners(&mesh, reverse ? b : a, reverse ? a : b, c);
    }
    mo_mesh *built = build(&mesh);
    for (uint32_t t = 0; t < 7; t++) {
      cr_assert_eq(mo_mesh_outer_side(built, t), 0);
    }
    mo_mesh_release(built);
    test_mesh_free(&mesh);
  }
}

/* What can be edited may be opened. */
Test(mesh_edges, outside_of_what_can_be_edited_is_not_known) {
  rng r = rng_make(rng_seed("outer sides/edited", 8124));
  test_mesh mesh = {0};
  add_octahedron(&mesh, &r, mo_vec(0, 0, 0), false, false);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.edges = def.build.editable = true;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  mo_mesh *built;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_mesh_edit_def edit = mo_default_mesh_edit_def();
  const uint32_t hole = 3;
  edit.removed_triangles = &hole;
  edit.removed_triangle_count = 1;
  cr_assert_eq(mo_mesh_edit(built, &edit), MO_OK);
  for (uint32_t t = 0; t < 8; t++) {
    cr_assert(t == hole || mo_mesh_outer_side(built, t) == 0);
  }
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}

/* One triangle is missing: no sheet is closed, whichever edges of its neighbours are open. */
Test(mesh_edges, sheets_with_a_hole_have_no_outside) {
  for (uint32_t rotations = 0; rotations < 27; rotations++) {
    test_mesh whole = {0}, mesh = {0};
    rng r = rng_make(1);
    add_octahedron(&whole, &r, mo_vec(0, 0, 0), false, false);
    uint32_t left = rotations; /* how the corners of the three neighbours of the hole rotate */
    for (uint32_t i = 1; i < 8; i++) {
      const mo_vec3 *c = &whole.positions[3 * i];
      const bool beside = i == 1 || i == 2 || i == 4;
      const uint32_t by = beside ? left % 3 : 0;
      left = beside ? left / 3 : left;
      test_mesh_add_corners(&mesh, c[by], c[(by + 1) % 3], c[(by + 2) % 3]);
    }
    mo_mesh *built = build(&mesh);
    for (uint32_t t = 0; t < 7; t++) {
      cr_assert_eq(mo_mesh_outer_side(built, t), 0, "rotations %u", rotations);
    }
    mo_mesh_release(built);
    test_mesh_free(&whole);
    test_mesh_free(&mesh);
  }
}

/* The projective plane of six vertices, ten triangles and fifteen edges is closed and has one side.
 * Any places of the vertices will do, as triangles of a mesh may intersect. */
Test(mesh_edges, closed_sheets_of_one_side_have_no_outside) {
  static const uint8_t corner[10][3] = {{0, 1, 4}, {0, 1, 5}, {0, 2, 3}, {0, 2, 5}, {0, 3, 4},
                                        {1, 2, 3}, {1, 2, 4}, {1, 3, 5}, {2, 4, 5}, {3, 4, 5}};
  rng r = rng_make(rng_seed("outer sides/one side", 8122));
  for (int round = 0; round < 50; round++) {
    mo_vec3 place[6];
    test_mesh mesh = {0};
    for (int i = 0; i < 6; i++) {
      place[i] = rng_vec3(&r, -1, 1);
    }
    for (int i = 0; i < 10; i++) {
      const uint8_t *c = corner[i];
      const bool reverse = rng_chance(&r, 0.5);
      test_mesh_add_corners(&mesh, place[c[reverse ? 1 : 0]], place[c[reverse ? 0 : 1]],
                            place[c[2]]);
    }
    mo_mesh *built = build(&mesh);
    for (uint32_t t = 0; t < 10; t++) {
      mo_mesh_edge edges[3];
      cr_assert_eq(mo_mesh_get_edges(built, t, edges), MO_OK);
      cr_assert(edges[0] != MO_MESH_EDGE_OPEN && edges[1] != MO_MESH_EDGE_OPEN &&
                edges[2] != MO_MESH_EDGE_OPEN);
      cr_assert_eq(mo_mesh_outer_side(built, t), 0);
    }
    mo_mesh_release(built);
    test_mesh_free(&mesh);
  }
}
