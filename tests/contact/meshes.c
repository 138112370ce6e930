/* Contacts of two meshes: which one is the surface does not depend on the sizes of triangles. */
#include "contact/flat_meshes.h"
#include "contact/floors.h"

enum { MAX = 16384 };

static mo_contact contacts[MAX];

/* Two meshes and the contacts of the lower one with the upper one. */
typedef struct setting {
  mo_scene *scene;
  mo_shape_id low, high;
} setting;

typedef struct outcome {
  uint32_t touching; /* contacts that overlap; sides in one plane also touch, at depth 0 */
  float deepest;
  double leaning; /* the greatest distance of the normal of such a contact from the upward one */
  float lowest_normal, highest_normal; /* the least and greatest height of such a normal */
} outcome;

/* A floor from -4 to 4. */
static test_mesh floor_of(int cells, float (*height)(float x, float z)) {
  test_mesh mesh = {0};
  for (int i = 0; i < cells * cells; i++) {
    mo_vec3 c[4];
    for (int k = 0; k < 4; k++) {
      float x = 8 * (float)(i % cells + (k == 1 || k == 2)) / (float)cells - 4;
      float z = 8 * (float)(i / cells + k / 2) / (float)cells - 4;
      c[k] = mo_vec(x, height(x, z), z);
    }
    test_mesh_add_corners(&mesh, c[0], c[2], c[1]);
    test_mesh_add_corners(&mesh, c[0], c[3], c[2]);
  }
  return mesh;
}

static mo_shape_id add(mo_scene *scene, const test_mesh *mesh, bool edges) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.edges = edges;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  mo_mesh_release(built);
  return id;
}

/* Frees the meshes. */
static setting setting_of(test_mesh low, bool low_edges, test_mesh high, bool high_edges) {
  mo_scene_def def = mo_default_scene_def();
  setting s;
  cr_assert_eq(mo_scene_create(&def, &s.scene), MO_OK);
  s.low = add(s.scene, &low, low_edges);
  s.high = add(s.scene, &high, high_edges);
  test_mesh_free(&low);
  test_mesh_free(&high);
  return s;
}

static void place(const setting *s, mo_vec3 at, mo_quat rotation) {
  mo_transform map = mo_transform_make(at, rotation, mo_vec(1, 1, 1));
  cr_assert_eq(mo_scene_set_transform(s->scene, s->high, &map), MO_OK);
}

static outcome outcome_of(uint32_t total, float up) {
  outcome o = {0, INFINITY, 0, 1, -1};
  for (uint32_t i = 0; i < total; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    o.deepest = fminf(o.deepest, min_separation(m));
    if (min_separation(m) < -1e-5f) {
      o.touching++;
      o.leaning = fmax(o.leaning, apart(m->normal, mo_vec(0, up, 0)));
      o.highest_normal = fmaxf(o.highest_normal, up * m->normal.y);
      o.lowest_normal = fminf(o.lowest_normal, up * m->normal.y);
    }
  }
  return o;
}

/* The outcome, which must be the same if the shapes are exchanged. */
static outcome meet(const setting *s) {
  const mo_pair pairs[2] = {{s->low, s->high}, {s->high, s->low}};
  outcome both[2];
  uint32_t totals[2];
  for (int i = 0; i < 2; i++) {
    mo_collide_def def = mo_default_collide_def();
    cr_assert_eq(mo_scene_collide_pair(s->scene, &pairs[i], &def, contacts, MAX, &totals[i]),
                 MO_OK);
    cr_assert(totals[i] <= MAX);
    both[i] = outcome_of(totals[i], i == 0 ? 1 : -1);
  }
  cr_assert_eq(totals[0], totals[1], "%u and %u", totals[0], totals[1]);
  cr_assert_eq(both[0].touching, both[1].touching);
  cr_assert_float_eq(both[0].deepest, both[1].deepest, 1e-6f, "%g and %g", (double)both[0].deepest,
                     (double)both[1].deepest);
  cr_assert_float_eq(both[0].lowest_normal, both[1].lowest_normal, 1e-5f);
  return both[0];
}

/* All touching contacts lead upward, and the deepest is as deep as it should be. */
static void expect_upward(const setting *s, float depth, const char *what) {
  outcome o = meet(s);
  cr_assert(o.touching > 0, "%s", what);
  cr_assert(o.leaning <= 1e-4, "%s: a normal is off by %g", what, o.leaning);
  cr_assert_float_eq(o.deepest, -depth, 2e-5f, "%s: %g instead of %g", what, (double)-o.deepest,
                     (double)depth);
}

static float flat(float x, float z) {
  (void)x;
  (void)z;
  return 0;
}

static float bumpy(float x, float z) {
  return 0.05f * sinf(3 * x) * cosf(2.7f * z);
}

static float ridge(float x, float z) {
  (void)z;
  return -0.5f * fabsf(x);
}

static float valley(float x, float z) {
  (void)z;
  return 0.3f * fabsf(x);
}

static const int floor_cells[] = {60, 20, 7, 1}, crate_cells[] = {1, 3};

/* Many thorns that hang into a floor of many triangles, each in another place: all of them touch
 * it. */
Test(meshes, thorns_all_over_a_floor) {
  enum { ROWS = 12 };
  for (int kind = 0; kind < 8; kind++) {
    test_mesh thorns = {0};
    for (int i = 0; i < ROWS * ROWS; i++) {
      const mo_vec3 tip = {(float)(i % ROWS) * 0.5f - 2.7f, -0.1f, (float)(i / ROWS) * 0.5f - 2.7f};
      test_mesh_add_corners(&thorns, tip, mo_add(tip, mo_vec(0.05f, 0.2f, 0)),
                            mo_add(tip, mo_vec(0, 0.2f, 0.05f)));
    }
    const setting s =
        setting_of(floor_of(floor_cells[kind % 4], flat), kind < 4, thorns, kind % 2 != 0);
    const mo_pair pair = {s.low, s.high};
    const mo_collide_def def = mo_default_collide_def();
    uint32_t total, count = 0;
    bool touches[ROWS * ROWS] = {false};
    cr_assert_eq(mo_scene_collide_pair(s.scene, &pair, &def, contacts, MAX, &total), MO_OK);
    cr_assert(total <= MAX);
    for (uint32_t i = 0; i < total; i++) {
      const mo_contact *c = &contacts[i];
      const uint32_t thorn = c->a.index == s.high.index ? c->triangle_a : c->triangle_b;
      count += c->manifold.touching && !touches[thorn];
      touches[thorn] = touches[thorn] || c->manifold.touching;
    }
    cr_assert_eq(count, ROWS * ROWS, "kind %d: %u thorns", kind, count);
    mo_scene_destroy(s.scene);
  }
}

/* Two meshes with edges: the triangles of the floor may be smaller or larger than those of the
 * crate. */
Test(meshes, crate_on_flat_floors_of_finer_and_coarser_triangles) {
  rng r = rng_make(rng_seed("meshes flat floors", 311));
  for (int kind = 0; kind < 16; kind++) {
    const bool both = kind < 8;
    const setting s = setting_of(floor_of(floor_cells[kind % 4], flat), true,
                                 crate(mo_vec(0.5f, 0.5f, 0.5f), crate_cells[kind / 4 % 2]), both);
    for (int i = 0; i < 10; i++) {
      const float depth = i % 2 ? 0.002f : 0.01f;
      place(&s, mo_vec(rng_float(&r, -2, 2), 0.5f - depth, rng_float(&r, -2, 2)),
            turned(mo_vec(0, 1, 0), (double)rng_float(&r, 0, 6)));
      expect_upward(&s, depth, both ? "both have edges" : "the floor has edges");
    }
    mo_scene_destroy(s.scene);
  }
}

/* A crate with edges on a floor without them: the floor is not pushed out of the crate sideways. */
Test(meshes, crate_with_edges_on_a_floor_without_them) {
  for (int kind = 0; kind < 8; kind++) {
    const setting s = setting_of(floor_of(floor_cells[kind % 4], flat), false,
                                 crate(mo_vec(0.5f, 0.5f, 0.5f), crate_cells[kind / 4]), true);
    place(&s, mo_vec(0.3f, 0.498f, -0.2f), turned(mo_vec(0, 1, 0), 0.4));
    outcome o = meet(&s);
    cr_assert(o.touching > 0);
    cr_assert(o.deepest >= -0.0021f && o.deepest <= -0.0019f, "%g", (double)o.deepest);
    mo_scene_destroy(s.scene);
  }
}

static bool box_touches(const setting *s, mo_shape_id box, mo_vec3 at, mo_quat rotation) {
  mo_transform map = mo_transform_make(at, rotation, mo_vec(1, 1, 1));
  cr_assert_eq(mo_scene_set_transform(s->scene, box, &map), MO_OK);
  mo_collide_def def = mo_default_collide_def();
  const mo_pair pair = {s->low, box};
  uint32_t total;
  cr_assert_eq(mo_scene_collide_pair(s->scene, &pair, &def, contacts, MAX, &total), MO_OK);
  cr_assert(total <= MAX);
  return outcome_of(total, 1).touching > 0;
}

/* Lowers a box until it touches the floor. */
static mo_vec3 rest_box(const setting *s, mo_shape_id box, mo_vec3 at, mo_quat rotation) {
  for (float step = 0.2f; step > 1e-6f; step *= 0.5f) {
    while (!box_touches(s, box, at, rotation)) {
      at.y -= step;
    }
    at.y += step;
  }
  return at;
}

/* Floors that are not flat: a crate that was lowered by a depth from where a box of its size
 * touches first has no deeper contact, and none that leads downward. */
Test(meshes, crate_on_uneven_floors) {
  rng r = rng_make(rng_seed("meshes uneven floors", 312));
  float (*const heights[])(float x, float z) = {bumpy, ridge, valley};
  for (int kind = 0; kind < 18; kind++) {
    const int cells[] = {8, 32, 64};
    const setting s = setting_of(floor_of(cells[kind % 3], heights[kind / 3 % 3]), true,
                                 crate(mo_vec(0.5f, 0.5f, 0.5f), crate_cells[kind / 9]), true);
    mo_shape_def box = mo_default_shape_def(MO_SHAPE_BOX);
    box.geometry = box_of(0.5f, 0.5f, 0.5f);
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(s.scene, &box, &id), MO_OK);
    for (int i = 0; i < 6; i++) {
      mo_quat q = i % 2 ? rng_rotation(&r) : turned(mo_vec(0, 1, 0), (double)rng_float(&r, 0, 6));
      mo_vec3 at = rest_box(&s, id, mo_vec(rng_float(&r, -2, 2), 2, rng_float(&r, -2, 2)), q);
      const float depth = 0.005f;
      at.y -= depth;
      place(&s, at, q);
      outcome o = meet(&s);
      cr_assert(o.touching > 0, "kind %d, place %d", kind, i);
      cr_assert(o.deepest >= -depth - 3e-3f && o.deepest <= -0.3f * depth, "kind %d, place %d: %g",
                kind, i, (double)o.deepest);
      cr_assert(o.lowest_normal >= -0.01f, "kind %d, place %d: %g", kind, i,
                (double)o.lowest_normal);
    }
    mo_scene_destroy(s.scene);
  }
}

/* Two meshes of the same size, stacked exactly, shifted and turned: which one is the surface does
 * not depend on the order of the pair. The upper one is carried; where it reaches over the sides of
 * the lower one, these do not push it aside. */
Test(meshes, crate_on_a_crate) {
  rng r = rng_make(rng_seed("meshes crates", 313));
  static const int cells[] = {1, 2, 4};
  for (int kind = 0; kind < 9; kind++) {
    const mo_vec3 half = mo_vec(0.5f, 0.5f, 0.5f);
    const setting s =
        setting_of(crate(half, cells[kind % 3]), true, crate(half, cells[kind / 3]), true);
    for (int i = 0; i < 60; i++) {
      const float x = i == 0 ? 0 : rng_float(&r, -0.45f, 0.45f),
                  z = i % 5 == 0 ? 0 : rng_float(&r, -0.45f, 0.45f);
      const double angle = i % 2 == 0 ? 0 : (double)rng_float(&r, -3, 3);
      place(&s, mo_vec(x, 0.998f, z), turned(mo_vec(0, 1, 0), angle));
      outcome o = meet(&s);
      cr_assert(o.highest_normal >= 0.9999f, "kind %d, pose %d", kind, i);
      cr_assert(o.lowest_normal >= -1e-4f, "kind %d, pose %d: %g", kind, i,
                (double)o.lowest_normal);
      cr_assert(i > 0 || o.leaning <= 1e-4);
      cr_assert_float_eq(o.deepest, -0.002f, 2e-5f, "kind %d, pose %d: %g", kind, i,
                         (double)o.deepest);
    }
    mo_scene_destroy(s.scene);
  }
}

/* A thin plate on a floor. */
Test(meshes, plate_on_a_floor) {
  for (int kind = 0; kind < 8; kind++) {
    const setting s = setting_of(floor_of(floor_cells[kind % 4], flat), true,
                                 crate(mo_vec(0.5f, 0.01f, 0.5f), crate_cells[kind / 4]), true);
    place(&s, mo_vec(0.3f, 0.008f, -0.2f), turned(mo_vec(0, 1, 0), 0.4));
    expect_upward(&s, 0.002f, "plate");
    mo_scene_destroy(s.scene);
  }
}

/* A box on a block that is a mesh reaches over its sides: they do not count, whatever the windings
 * and the size of triangles. */
Test(meshes, box_over_the_sides_of_a_block) {
  for (int cells = 1; cells <= 8; cells *= 2) {
    for (int mirrored = 0; mirrored < 2; mirrored++) {
      const float sign = mirrored ? -1 : 1;
      test_mesh mesh = crate(mo_vec(0.5f * sign, 0.5f, 0.5f), cells);
      mo_scene_def def = mo_default_scene_def();
      mo_scene *scene;
      cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
      add(scene, &mesh, true);
      test_mesh_free(&mesh);
      for (int i = 0; i < 100; i++) {
        rng r = rng_make((uint64_t)i);
        const mo_vec3 at = {rng_float(&r, -0.4f, 0.4f), 0.998f, rng_float(&r, -0.4f, 0.4f)};
        const double yaw = i % 2 == 0 ? 0 : (double)rng_float(&r, -1, 1);
        const mo_quat turn = {0, (float)sin(0.5 * yaw), 0, (float)cos(0.5 * yaw)};
        const mo_geometry box = box_of(0.5f, 0.5f, 0.5f);
        const mo_transform place = mo_transform_make(at, turn, mo_vec(1, 1, 1));
        mo_collide_shape_def shape = mo_default_collide_shape_def();
        shape.primitive = mo_primitive_of_geometry(&box, &place);
        uint32_t total, deep = 0;
        cr_assert_eq(mo_scene_collide_shape(scene, &shape, contacts, MAX, &total, NULL), MO_OK);
        for (uint32_t k = 0; k < total; k++) {
          const mo_manifold *m = &contacts[k].manifold;
          for (uint32_t p = 0; p < m->point_count; p++) {
            cr_assert_gt(m->points[p].separation, -0.0021f, "%d cells, %d, at %g %g, yaw %g", cells,
                         mirrored, (double)at.x, (double)at.z, yaw);
            deep += m->points[p].separation < -0.0019f && m->normal.y < -0.9999f;
          }
        }
        cr_assert(deep > 0);
      }
      mo_scene_destroy(scene);
    }
  }
}

/* A box that leans with a face on the upper edge of a block, and reaches below the planes of the
 * top and of the side: the contact is along that face. Contacts with the top and the side, which
 * some triangles have besides, are hardly deeper. */
Test(meshes, box_on_the_edge_of_a_block) {
  rng r = rng_make(rng_seed("meshes edge", 314));
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  test_mesh mesh = crate(mo_vec(0.5f, 0.5f, 0.5f), 1);
  add(scene, &mesh, true);
  test_mesh_free(&mesh);
  for (int i = 0; i < 300; i++) {
    const float along = rng_float(&r, -0.15f, 0.15f), slide = rng_float(&r, -0.2f, 0.2f);
    const double tilt = (double)rng_float(&r, 0.4f, 1.1f);
    const mo_vec3 n = mo_vec((float)sin(tilt), (float)cos(tilt), 0);
    const mo_vec3 at =
        mo_vec(0.5f + 0.298f * n.x + slide * n.y, 0.5f + 0.298f * n.y - slide * n.x, along);
    const mo_primitive box = placed(box_of(0.3f, 0.3f, 0.3f), at, turned(mo_vec(0, 0, -1), tilt));
    const uint32_t total = collide_all(scene, &box, contacts, MAX);
    float min = 0, deepest = 0;
    for (uint32_t k = 0; k < total; k++) {
      const mo_manifold *m = &contacts[k].manifold;
      const bool along_face = apart(m->normal, mo_scale(-1, n)) <= 1e-4;
      min = along_face ? fminf(min, min_separation(m)) : min;
      deepest = fminf(deepest, min_separation(m));
    }
    cr_assert_float_eq(min, -0.002f, 2e-5f, "round %d: %g", i, (double)min);
    cr_assert(deepest >= -0.00202f, "round %d: %g", i, (double)deepest);
  }
  mo_scene_destroy(scene);
}

/* What lies on a block, close to a side or over it, has contacts with the top alone: the inner face
 * of the side does not hold it back. */
Test(meshes, sides_hold_nothing_on_the_top) {
  rng r = rng_make(rng_seed("meshes slide off", 315));
  static const int cells[] = {1, 3, 12};
  const mo_geometry kinds[] = {box_of(0.2f, 0.2f, 0.2f), cylinder_of(0.2f, 0.2f)};
  for (int kind = 0; kind < 9; kind++) {
    const setting s = setting_of(crate(mo_vec(0.5f, 0.5f, 0.5f), cells[kind % 3]), true,
                                 crate(mo_vec(0.2f, 0.2f, 0.2f), kind / 3 == 2 ? 3 : 1), true);
    for (int i = 0; i < 60; i++) {
      const float depth = 0.0025f * (float)(i % 3), gap = 0.0025f * (float)(i / 3 - 10);
      const mo_vec3 at = mo_vec(0.3f - gap, 0.7f - depth, rng_float(&r, -0.25f, 0.25f));
      uint32_t total;
      if (kind / 3 == 2) {
        const mo_pair pair = {s.high, s.low};
        const mo_collide_def def = mo_default_collide_def();
        place(&s, at, (mo_quat){0, 0, 0, 1});
        cr_assert_eq(mo_scene_collide_pair(s.scene, &pair, &def, contacts, MAX, &total), MO_OK);
      } else {
        place(&s, mo_vec(100, 0, 0), (mo_quat){0, 0, 0, 1});
        const mo_primitive body = placed(kinds[kind / 3], at, (mo_quat){0, 0, 0, 1});
        total = collide_all(s.scene, &body, contacts, MAX);
      }
      cr_assert(total > 0);
      for (uint32_t k = 0; k < total; k++) {
        const mo_manifold *m = &contacts[k].manifold;
        cr_assert(fabsf(m->normal.x) <= 0.5f, "kind %d, %g from the side, %g deep: %g %g %g, at %g",
                  kind, (double)gap, (double)depth, (double)m->normal.x, (double)m->normal.y,
                  (double)m->normal.z, (double)min_separation(m));
      }
    }
    mo_scene_destroy(s.scene);
  }
}

/* A platform whose side goes down along one half of its border, while a wall of this height goes up
 * along the other half in the same plane: the wall stops what stands on the platform. A box is
 * pushed into the wall and down by the steps. */
static void expect_stopped_by_wall(float height, float step_into, float step_down, int first,
                                   int last) {
  const mo_vec3 v[] = {{1, 0, -1}, {2, 0, -1},  {1, 0, 0},  {2, 0, 0},      {1, 0, 1},
                       {2, 0, 1},  {2, -1, -1}, {2, -1, 0}, {2, height, 0}, {2, height, 1}};
  static const int corners[][3] = {{0, 2, 3}, {0, 3, 1}, {2, 4, 5}, {2, 5, 3},
                                   {1, 3, 7}, {1, 7, 6}, {3, 8, 9}, {3, 9, 5}};
  test_mesh mesh = {0};
  for (int i = 0; i < 8; i++) {
    test_mesh_add_corners(&mesh, v[corners[i][0]], v[corners[i][1]], v[corners[i][2]]);
  }
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  add(scene, &mesh, true);
  test_mesh_free(&mesh);
  for (int i = first; i <= last; i++) {
    const float into = step_into * (float)i, sunk = step_down * (float)(i % 3);
    const mo_primitive box = moved(box_of(0.25f, 0.25f, 0.25f), 1.75f + into, 0.25f - sunk, 0.2f);
    const uint32_t total = collide_all(scene, &box, contacts, MAX);
    float min = 1;
    for (uint32_t k = 0; k < total; k++) {
      const mo_manifold *m = &contacts[k].manifold;
      min = m->normal.x >= 0.999f ? fminf(min, min_separation(m)) : min;
    }
    cr_assert_float_eq(min, -into, 1e-5f, "%g in the wall: %g", (double)into, (double)min);
  }
  mo_scene_destroy(scene);
}

Test(meshes, wall_in_the_plane_of_a_side) {
  expect_stopped_by_wall(1, 0.002f, 0.002f, 0, 64);
}

/* As low as a hundredth of the size of the box. */
Test(meshes, kerb_in_the_plane_of_a_side) {
  expect_stopped_by_wall(0.005f, 0.00025f, 0.0005f, 1, 16);
}

/* A ball against the straight edge of a step, exactly where a line of the triangulation ends: the
 * triangles that only have that vertex do not take the contact from those that have the edge. */
Test(meshes, ball_at_a_vertex_on_the_edge_of_a_step) {
  test_mesh mesh = {0};
  static const float xs[] = {0, 2, 4, 4, 6}, ys[] = {0, 0, 0, 0.25f, 0.25f};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 2; k++) {
      const mo_vec3 a = {xs[i], ys[i], 3 * (float)k}, b = {xs[i], ys[i], 3 * (float)(k + 1)},
                    c = {xs[i + 1], ys[i + 1], b.z}, d = {xs[i + 1], ys[i + 1], a.z};
      test_mesh_add_corners(&mesh, a, b, c);
      test_mesh_add_corners(&mesh, a, c, d);
    }
  }
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  add(scene, &mesh, true);
  test_mesh_free(&mesh);
  for (int i = 0; i < 50; i++) {
    const float up = 0.002f * (float)i, radius = 0.25f, sunk = 0.005f;
    const float out = sqrtf((radius - sunk) * (radius - sunk) - up * up);
    const mo_primitive ball = moved(sphere_of(mo_vec(0, 0, 0), radius), 4 - out, 0.25f + up, 3);
    const uint32_t total = collide_all(scene, &ball, contacts, MAX);
    float min = 1;
    for (uint32_t k = 0; k < total; k++) {
      const mo_manifold *m = &contacts[k].manifold;
      min = m->normal.x > 0.5f ? fminf(min, min_separation(m)) : min;
    }
    cr_assert_float_eq(min, -sunk, 1e-5f, "%g above the edge: %g", (double)up, (double)min);
  }
  mo_scene_destroy(scene);
}

/* Without edges, each pair of triangles that are near has its own contact: the one that mo_collide
 * finds, whatever the maps. */
static uint32_t check_each_pair(const test_mesh meshes[2], const setting *s,
                                const mo_transform map[2], float max) {
  mo_collide_def def = mo_default_collide_def();
  const mo_pair pair = {s->low, s->high};
  uint32_t total, found = 0;
  def.speculative_distance = max;
  cr_assert_eq(mo_scene_collide_pair(s->scene, &pair, &def, contacts, MAX, &total), MO_OK);
  for (uint32_t i = 0; i < meshes[0].triangle_count; i++) {
    for (uint32_t k = 0; k < meshes[1].triangle_count; k++) {
      mo_vec3 c[2][3];
      mo_manifold m;
      test_mesh_corners(&meshes[0], i, c[0]);
      test_mesh_corners(&meshes[1], k, c[1]);
      mo_primitive p[2] = {mo_primitive_of_triangle(c[0][0], c[0][1], c[0][2]),
                           mo_primitive_of_triangle(c[1][0], c[1][1], c[1][2])};
      p[0].transform = map[0];
      p[1].transform = map[1];
      cr_assert_eq(mo_collide(&p[0], &p[1], &def, &m), MO_OK);
      if (m.point_count > 0) {
        cr_assert(found < total, "%u and %u are missing", i, k);
        const mo_contact *got = &contacts[found++];
        cr_assert(got->triangle_a == i && got->triangle_b == k, "%u and %u, not %u and %u",
                  got->triangle_a, got->triangle_b, i, k);
        cr_assert(got->manifold.point_count == m.point_count &&
                  memcmp(&got->manifold.normal, &m.normal, sizeof m.normal) == 0 &&
                  memcmp(got->manifold.points, m.points, m.point_count * sizeof *m.points) == 0);
      }
    }
  }
  cr_assert_eq(found, total);
  return total;
}

Test(meshes, each_pair_of_triangles_without_edges) {
  static const test_mesh_kind kinds[] = {TEST_MESH_TORUS, TEST_MESH_SOUP, TEST_MESH_LONG_THIN,
                                         TEST_MESH_DEGENERATE, TEST_MESH_LATTICE};
  rng r = rng_make(rng_seed("meshes each pair", 317));
  uint64_t sum = 0;
  for (uint64_t round = 0; round < rng_few_rounds(60, 2000); round++) {
    test_mesh meshes[2];
    mo_transform map[2];
    setting s;
    mo_scene_def def = mo_default_scene_def();
    cr_assert_eq(mo_scene_create(&def, &s.scene), MO_OK);
    mo_shape_id *const ids[2] = {&s.low, &s.high};
    for (int i = 0; i < 2; i++) {
      meshes[i] = test_mesh_make(kinds[rng_below(&r, 5)], 10 + rng_below(&r, 60), &r);
      map[i] = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_FLAT + 1), 1);
      *ids[i] = add(s.scene, &meshes[i], false);
      cr_assert_eq(mo_scene_set_transform(s.scene, *ids[i], &map[i]), MO_OK);
    }
    sum += check_each_pair(meshes, &s, map, rng_chance(&r, 0.5) ? 0.02f : 0.3f);
    mo_scene_destroy(s.scene);
    test_mesh_free(&meshes[0]);
    test_mesh_free(&meshes[1]);
  }
  cr_assert(sum > 1000, "%llu contacts", (unsigned long long)sum);
}
