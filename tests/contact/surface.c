/* Contacts with meshes as one surface: no edge inside of a flat floor is ever felt, whatever its
 * triangulation; ridges, valleys, peaks and borders are. */
#include <motte/overlap.h>
#include <stdlib.h>

#include "contact/floors.h"

enum { MAX = 512 };

static mo_contact contacts[MAX];
static uint32_t total;

static mo_scene *scene_of(const test_mesh *mesh, const mo_transform *map) {
  mo_shape_id id;
  return surface_scene(mesh, NULL, map, &id);
}

static void collide_with(const mo_scene *scene, const mo_primitive *p) {
  total = collide_all(scene, p, contacts, MAX);
}

static float deepest(void) {
  float min = INFINITY;
  for (uint32_t i = 0; i < total; i++) {
    min = fminf(min, min_separation(&contacts[i].manifold));
  }
  return min;
}

static bool has_contact_at(mo_vec3 place, double tolerance) {
  for (uint32_t i = 0; i < total; i++) {
    if (has_point(&contacts[i].manifold, place, tolerance)) {
      return true;
    }
  }
  return false;
}

/* Bodies pressed into the floor by 0.01, in random places; the normals are the plane's. On a floor
 * that is only nearly flat, one in five hundred may lean that touches, as edges are ridges and
 * valleys there by rounding. */
static void slide(const mo_scene *scene, const mo_transform *floor, rng *r, bool nearly) {
  const double tolerance = nearly ? 1e-4 : 1e-5;
  mo_geometry kinds[] = {box_of(0.5f, 0.3f, 0.4f),   sphere_of(mo_vec(0, 0, 0), 0.4f),
                         capsule_of(0.6f, 0.3f),     cylinder_of(0.3f, 0.5f),
                         hull_of(TEST_HULL_CUBE),    hull_of(TEST_HULL_STONE),
                         box_of(0.05f, 0.3f, 0.05f), box_of(2, 0.3f, 1.5f)};
  mo_vec3 up = mo_transform_direction(floor, mo_vec(0, 1, 0));
  uint64_t rounds = rng_rounds(300, 20000), leaning = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    uint32_t kind = rng_below(r, sizeof kinds / sizeof *kinds);
    mo_quat q = turned(mo_vec(0, 1, 0), (double)rng_float(r, 0, 6.28f));
    q = rng_chance(r, 0.3) ? rng_rotation(r) : q;
    mo_vec3 at = rng_vec3(r, -2, 2);
    mo_transform map = mo_transform_make(mo_vec(at.x, 0, at.z), q, mo_vec(1, 1, 1));
    mo_primitive p = mo_primitive_of_geometry(&kinds[kind], &map);
    mo_primitive_distance d;
    mo_geometry ground = {.type = MO_SHAPE_BOX, .box = {{0, -101, 0}, {100, 1, 100}}};
    mo_transform identity = mo_transform_identity();
    mo_primitive below = mo_primitive_of_geometry(&ground, &identity);
    cr_assert_eq(mo_primitive_find_distance(&below, &p, INFINITY, &d), MO_OK);
    map.origin.y = (float)(100 - d.distance - 0.01);
    map = mo_transform_compose(floor, &map);
    p = mo_primitive_of_geometry(&kinds[kind], &map);
    collide_with(scene, &p);
    cr_assert(total > 0, "round %d, kind %u", (int)i, kind);
    for (uint32_t k = 0; k < total; k++) {
      const mo_manifold *m = &contacts[k].manifold;
      bool leans = apart(m->normal, mo_scale(-1, up)) > tolerance;
      leaning += leans && m->touching;
      cr_assert(nearly || !leans, "round %d, kind %u: %g %g %g", (int)i, kind, (double)m->normal.x,
                (double)m->normal.y, (double)m->normal.z);
    }
    /* Rims of cylinders that are tilted by a few degrees are less exact; and so is what is left of
     * a contact beside a ridge that is one by rounding. */
    float min = (float)tolerance + (kind == 3 ? 5e-3f : nearly ? 3e-3f : 2e-4f);
    cr_assert(fabsf(deepest() + 0.01f) <= min, "round %d, kind %u: %g", (int)i, kind,
              (double)deepest());
  }
  cr_assert(leaning <= (rounds + 499) / 500, "%d of %d", (int)leaning, (int)rounds);
}

Test(surface, flat_floors_have_no_edges) {
  rng r = rng_make(rng_seed("surface floor", 206));
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_transform maps[] = {identity, identity, identity};
  maps[1].x_axis.x = -1; /* mirrored */
  maps[2] =
      mo_transform_make(mo_vec(100, 20, -3), turned(mo_vec(0.6f, 0, 0.8f), 0.5), mo_vec(1, 1, 1));
  for (int i = 0; i < 3; i++) {
    mo_scene *scene = scene_of(&mesh, &maps[i]);
    slide(scene, i == 1 ? &identity : &maps[i], &r, false);
    mo_scene_destroy(scene);
  }
  test_mesh_free(&mesh);
}

/* Oblique, so that no two triangles are in one plane exactly. */
Test(surface, nearly_flat_floors_have_no_edges) {
  rng r = rng_make(rng_seed("surface oblique floor", 207));
  mo_transform identity = mo_transform_identity();
  mo_transform tilt =
      mo_transform_make(mo_vec(1, 2, 3), turned(mo_vec(0.6f, 0, 0.8f), 0.5), mo_vec(1, 1, 1));
  test_mesh mesh = floor_mesh(&r, &tilt);
  mo_scene *scene = scene_of(&mesh, &identity);
  slide(scene, &tilt, &r, true);
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* Two faces that meet in the z axis at an angle; `rise` of either to its side. */
static test_mesh bent(float rise) {
  test_mesh mesh = {0};
  for (int side = -1; side <= 1; side += 2) {
    mo_vec3 a = mo_vec(0, 0, -3), b = mo_vec(0, 0, 3);
    mo_vec3 c = mo_vec(3.0f * (float)side, 3 * rise, -3),
            d = mo_vec(3.0f * (float)side, 3 * rise, 3);
    test_mesh_add_corners(&mesh, a, b, c);
    test_mesh_add_corners(&mesh, b, d, c);
  }
  return mesh;
}

/* Over a ridge: normals between those of the faces, turning with the ball, one contact. */
Test(surface, ball_over_a_ridge) {
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = bent(-0.5f);
  mo_scene *scene = scene_of(&mesh, &identity);
  mo_vec3 last = {0, 0, 0};
  double turn = atan2(0.5, 1);
  for (int i = -300; i <= 300; i++) {
    double angle = i * 1e-3 * 2 * turn; /* of the centre around the ridge: beyond both normals */
    mo_vec3 center = mo_vec((float)(0.49 * sin(angle)), (float)(0.49 * cos(angle)), 0.3f);
    double beyond = fabs(angle) - turn;
    mo_primitive ball = moved(sphere_of(center, 0.5f), 0, 0, 0);
    collide_with(scene, &ball);
    cr_assert(total >= 1);
    mo_vec3 normal = mo_scale(-1, contacts[0].manifold.normal);
    double expected = beyond > 0 ? copysign(turn, angle) : angle;
    for (uint32_t k = 0; k < total; k++) {
      mo_vec3 other = mo_scale(-1, contacts[k].manifold.normal);
      cr_assert(apart(other, mo_vec((float)sin(expected), (float)cos(expected), 0)) <= 1e-4,
                "step %d: %g %g %g", i, (double)other.x, (double)other.y, (double)other.z);
    }
    cr_assert(i == -300 || apart(normal, last) <= 3e-3);
    cr_assert(beyond > -1e-3 || total == 1, "step %d: %u contacts", i, total);
    last = normal;
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* In a valley: both faces, along their normals. */
Test(surface, box_and_ball_in_a_valley) {
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = bent(1);
  mo_scene *scene = scene_of(&mesh, &identity);
  mo_primitive shapes[] = {moved(sphere_of(mo_vec(0, 0.7f, 0), 0.5f), 0, 0, 0),
                           placed(box_of(0.5f, 0.5f, 0.5f), mo_vec(0, 0.7f, 0.1f),
                                  turned(mo_vec(0, 0, 1), 0.7853981633974483))};
  for (int i = 0; i < 2; i++) {
    collide_with(scene, &shapes[i]);
    bool sides[2] = {false, false};
    for (uint32_t k = 0; k < total; k++) {
      mo_vec3 n = contacts[k].manifold.normal;
      cr_assert(fabsf(fabsf(n.x) - 0.70710678f) <= 1e-5f && fabsf(n.y + 0.70710678f) <= 1e-5f);
      sides[n.x > 0] = true;
    }
    cr_assert(sides[0] && sides[1]);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* A floor and a wall: one normal each, where a box is pressed into both. */
Test(surface, box_in_a_corner) {
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = {0};
  for (int i = 0; i < 12; i++) {
    float z = 0.5f * (float)i - 3;
    mo_vec3 edge[2] = {mo_vec(0, 0, z), mo_vec(0, 0, z + 0.5f)};
    mo_vec3 out[2] = {mo_vec(3, 0, z), mo_vec(3, 0, z + 0.5f)};
    mo_vec3 up[2] = {mo_vec(0, 3, z), mo_vec(0, 3, z + 0.5f)};
    test_mesh_add_corners(&mesh, edge[0], edge[1], out[0]);
    test_mesh_add_corners(&mesh, edge[1], out[1], out[0]);
    test_mesh_add_corners(&mesh, edge[0], edge[1], up[0]);
    test_mesh_add_corners(&mesh, edge[1], up[1], up[0]);
  }
  mo_scene *scene = scene_of(&mesh, &identity);
  for (int i = 0; i < 50; i++) {
    mo_primitive box = moved(box_of(0.5f, 0.5f, 0.5f), 0.498f, 0.495f, 0.04f * (float)i - 1);
    collide_with(scene, &box);
    bool floor = false, wall = false;
    for (uint32_t k = 0; k < total; k++) {
      mo_vec3 n = contacts[k].manifold.normal;
      bool down = apart(n, mo_vec(0, -1, 0)) <= 1e-5, back = apart(n, mo_vec(-1, 0, 0)) <= 1e-5;
      cr_assert(down || back, "%g %g %g", (double)n.x, (double)n.y, (double)n.z);
      floor = floor || down;
      wall = wall || back;
    }
    cr_assert(floor && wall);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* A fan of 300 triangles round a peak: a ball on top has one contact, with the peak. */
Test(surface, ball_on_a_peak_of_many_triangles) {
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = {0};
  enum { BLADES = 300 };
  for (int i = 0; i < BLADES; i++) {
    double angle = 2 * 3.14159265358979 * i / BLADES,
           next = 2 * 3.14159265358979 * (i + 1) / BLADES;
    test_mesh_add_corners(&mesh, mo_vec(0, 0, 0), mo_vec((float)cos(angle), -1, (float)sin(angle)),
                          mo_vec((float)cos(next), -1, (float)sin(next)));
  }
  mo_scene *scene = scene_of(&mesh, &identity);
  mo_primitive ball = moved(sphere_of(mo_vec(0, 0.49f, 0), 0.5f), 0, 0, 0);
  collide_with(scene, &ball);
  cr_assert_eq(total, 1);
  cr_assert(apart(contacts[0].manifold.normal, mo_vec(0, -1, 0)) <= 1e-5);
  ball = moved(sphere_of(mo_vec(0.2f, 0.4f, 0), 0.5f), 0, 0, 0); /* lies beside it */
  collide_with(scene, &ball);
  cr_assert(total > 0 && deepest() < 0);
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* The border of a sheet is an edge that is felt. */
Test(surface, borders_are_felt) {
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = {0};
  test_mesh_add_corners(&mesh, mo_vec(-2, 0, -2), mo_vec(2, 0, -2), mo_vec(2, 0, 2));
  test_mesh_add_corners(&mesh, mo_vec(-2, 0, -2), mo_vec(2, 0, 2), mo_vec(-2, 0, 2));
  mo_scene *scene = scene_of(&mesh, &identity);
  mo_primitive ball = moved(sphere_of(mo_vec(2.3f, 0.3f, 0), 0.5f), 0, 0, 0);
  collide_with(scene, &ball);
  cr_assert_eq(total, 1);
  cr_assert(apart(contacts[0].manifold.normal, mo_vec(-0.70710678f, -0.70710678f, 0)) <= 1e-5);
  cr_assert(has_contact_at(mo_vec(2, 0, 0), 0.1));
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* --- sheets that show both of their sides --- */

static void add_quad(test_mesh *mesh, mo_vec3 a, mo_vec3 b, mo_vec3 c, mo_vec3 d) {
  test_mesh_add_corners(mesh, a, b, c);
  test_mesh_add_corners(mesh, a, c, d);
}

/* Contacts above the height of the centre push downward, those below upward, and some do. */
static void expect_pushed_apart(float center) {
  uint32_t steep = 0;
  for (uint32_t i = 0; i < total; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    for (uint32_t k = 0; k < m->point_count; k++) {
      const float out = m->points[k].position.y < center ? -1 : 1; /* from the body to the mesh */
      cr_assert(out * m->normal.y > -1e-5f, "normal %g at height %g", (double)m->normal.y,
                (double)m->points[k].position.y);
      steep += out * m->normal.y > 0.9f;
    }
  }
  cr_assert_gt(steep, 0);
}

/* A shelf over a floor, open at the front and closed at one side: its top goes on down that side
 * and below itself, and from there to the front as the floor. So the floor there has its back
 * upward, if the top has its front upward. */
Test(surface, floor_before_an_open_shelf) {
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = {0};
  const float h = 0.31f;
  add_quad(&mesh, mo_vec(0, h, 0), mo_vec(0, h, 1), mo_vec(1, h, 1), mo_vec(1, h, 0)); /* top */
  add_quad(&mesh, mo_vec(0, 0, 0), mo_vec(0, 0, 1), mo_vec(0, h, 1), mo_vec(0, h, 0)); /* side */
  add_quad(&mesh, mo_vec(0, 0, 0), mo_vec(1, 0, 0), mo_vec(1, 0, 1), mo_vec(0, 0, 1)); /* below */
  for (int i = -1; i < 2; i++) {
    const float x = (float)i;
    add_quad(&mesh, mo_vec(x, 0, -2), mo_vec(x + 1, 0, -2), mo_vec(x + 1, 0, 0), mo_vec(x, 0, 0));
  }
  mo_scene *scene = scene_of(&mesh, &identity);
  rng r = rng_make(rng_seed("surface shelf", 220));
  for (int i = 0; i < 200; i++) {
    /* upright in front of the shelf, which is closer to its centre than the floor is */
    const float half = rng_float(&r, 0.45f, 0.6f), deep = rng_float(&r, 0.005f, 0.05f);
    const mo_primitive body = moved(box_of(0.15f, half, 0.06f), rng_float(&r, 0.2f, 0.8f),
                                    half - deep, rng_float(&r, -0.075f, -0.062f));
    collide_with(scene, &body);
    expect_pushed_apart(half);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* Boxes pressed between the storeys of a spiral ramp, which is a single sheet. */
Test(surface, storeys_of_a_ramp) {
  enum { STEPS = 64 }; /* in two turns; one storey is 1 high */
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = {0};
  for (int i = 0; i < STEPS; i++) {
    mo_vec3 corner[4];
    for (int k = 0; k < 4; k++) {
      const int at = i + (k == 1 || k == 2);
      const double angle = 4 * 3.14159265358979 * at / STEPS, radius = k < 2 ? 1 : 4;
      corner[k] =
          mo_vec((float)(radius * cos(angle)), 2 * (float)at / STEPS, (float)(radius * sin(angle)));
    }
    add_quad(&mesh, corner[0], corner[1], corner[2], corner[3]);
  }
  mo_scene *scene = scene_of(&mesh, &identity);
  rng r = rng_make(rng_seed("surface ramp", 221));
  uint32_t both = 0;
  for (int i = 0; i < 300; i++) {
    /* the ramp is 0.5 and 1.5 high at half a turn, and rises by 0.08 in a way of 1 there */
    const float y = 1 + rng_float(&r, -0.03f, 0.03f), z = rng_float(&r, -0.1f, 0.1f);
    const mo_primitive body =
        moved(box_of(0.2f, 0.52f, 0.15f), rng_float(&r, -2.5f, -2.0f), y - 0.08f * z, z);
    collide_with(scene, &body);
    expect_pushed_apart(y);
    both += total >= 2;
  }
  cr_assert_gt(both, 100);
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

static mo_shape_id add_mesh(mo_scene *scene, const test_mesh *mesh, float height) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.edges = true;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  shape.transform.origin.y = height;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  mo_mesh_release(built);
  return id;
}

/* A crate of small triangles, pressed by 0.01 into a floor of large ones: whichever comes first,
 * all normals are the floor's, and nothing is deeper. */
Test(surface, mesh_on_a_floor_of_larger_triangles) {
  enum { CELLS = 6 };
  test_mesh ground = {0}, crate = {0};
  test_mesh_add_corners(&ground, mo_vec(-9, 0, -9), mo_vec(9, 0, -9), mo_vec(9, 0, 9));
  test_mesh_add_corners(&ground, mo_vec(-9, 0, -9), mo_vec(9, 0, 9), mo_vec(-9, 0, 9));
  for (int side = 0; side < 6; side++) {
    for (int i = 0; i < CELLS * CELLS; i++) {
      mo_vec3 c[4];
      for (int k = 0; k < 4; k++) {
        float u = (float)(i % CELLS + (k == 1 || k == 2)) / CELLS - 0.5f;
        float v = (float)(i / CELLS + k / 2) / CELLS - 0.5f, w = side % 2 ? 0.5f : -0.5f;
        c[k] = side < 2 ? mo_vec(u, w, v) : side < 4 ? mo_vec(w, u, v) : mo_vec(u, v, w);
      }
      test_mesh_add_corners(&crate, c[0], c[1], c[2]);
      test_mesh_add_corners(&crate, c[0], c[2], c[3]);
    }
  }
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_id low = add_mesh(scene, &ground, 0), high = add_mesh(scene, &crate, 0.49f);
  const mo_pair pairs[] = {{low, high}, {high, low}};
  for (int i = 0; i < 2; i++) {
    mo_collide_def def = mo_default_collide_def();
    cr_assert_eq(mo_scene_collide_pair(scene, &pairs[i], &def, contacts, MAX, &total), MO_OK);
    cr_assert(total > 0 && total <= MAX, "%u", total);
    mo_vec3 up = mo_vec(0, i == 0 ? 1 : -1, 0);
    for (uint32_t k = 0; k < total; k++) {
      mo_vec3 n = contacts[k].manifold.normal;
      cr_assert(apart(n, up) <= 1e-5, "%d: %g %g %g", i, (double)n.x, (double)n.y, (double)n.z);
    }
    cr_assert(fabsf(deepest() + 0.01f) <= 1e-5f, "%d: %g", i, (double)deepest());
  }
  mo_scene_destroy(scene);
  test_mesh_free(&crate);
  test_mesh_free(&ground);
}

/* Inside of a closed room, behind a sheet: what is behind a front has contacts only where both
 * sides count. */
Test(surface, one_side) {
  const mo_vec3 corner[4] = {{-2, 0, -2}, {-2, 0, 2}, {2, 0, 2}, {2, 0, -2}};
  for (int kind = 0; kind < 4; kind++) {
    const bool mirrored = kind & 1, with_edges = kind & 2;
    test_mesh sheet = {0}; /* its front is upward, mirrored or not: the mirror keeps y */
    test_mesh_add_corners(&sheet, corner[0], corner[1], corner[2]);
    test_mesh_add_corners(&sheet, corner[0], corner[2], corner[3]);
    mo_mesh_def mesh_def = test_mesh_def(&sheet);
    mesh_def.build.edges = with_edges;
    mo_mesh *mesh = NULL;
    cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
    mo_scene_def scene_def = mo_default_scene_def();
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    shape.geometry.mesh = mesh;
    shape.transform.x_axis.x = mirrored ? -1 : 1;
    mo_shape_id ground;
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &ground), MO_OK);
    shape = mo_default_shape_def(MO_SHAPE_BOX);
    for (int i = 0; i < 6; i++) {
      /* Above, with the middle just above, just below, below; beyond the border, above and below.
       */
      static const mo_vec3 places[6] = {{0.3f, 0.99f, 0.4f}, {0.3f, 0.2f, 0.4f},
                                        {0.3f, -0.2f, 0.4f}, {0.3f, -0.99f, 0.4f},
                                        {2.99f, 0.1f, 0.4f}, {2.99f, -0.1f, 0.4f}};
      shape.transform.origin = places[i];
      mo_shape_id body;
      cr_assert_eq(mo_scene_add_shape(scene, &shape, &body), MO_OK);
      const mo_pair pairs[2] = {{ground, body}, {body, ground}};
      for (int swapped = 0; swapped < 2; swapped++) {
        mo_collide_def def = mo_default_collide_def();
        cr_assert_eq(mo_scene_collide_pair(scene, &pairs[swapped], &def, contacts, MAX, &total),
                     MO_OK);
        cr_assert(total > 0, "place %d", i);
        def.cull_back_faces = true;
        cr_assert_eq(mo_scene_collide_pair(scene, &pairs[swapped], &def, contacts, MAX, &total),
                     MO_OK);
        cr_assert_eq(total > 0, i != 2 && i != 3, "kind %d, place %d: %u", kind, i, total);
        for (uint32_t k = 0; k < total && i < 2; k++) {
          cr_assert_float_eq(contacts[k].manifold.normal.y, swapped ? -1 : 1, 1e-6f);
        }
      }
      cr_assert_eq(mo_scene_remove_shape(scene, body), MO_OK);
    }
    mo_scene_destroy(scene);
    mo_mesh_release(mesh);
    test_mesh_free(&sheet);
  }
}

/* --- what it looks like is what counts --- */

enum { HILLS = 8 };

/* Bent ground of 2 * HILLS * HILLS triangles from -4 to 4; scaled by -1 along x if `mirrored`, and
 * with its fronts down, unless mirrored, if `turned`. */
static test_mesh hills_mesh(rng *r, bool mirrored, bool turned) {
  test_mesh mesh = {0};
  mo_vec3 grid[HILLS + 1][HILLS + 1];
  for (int i = 0; i <= HILLS; i++) {
    for (int k = 0; k <= HILLS; k++) {
      const float x = (float)i - 4, height = rng_float(r, -0.3f, 0.3f);
      grid[i][k] = mo_vec(mirrored ? -x : x, height, (float)k - 4);
    }
  }
  for (int i = 0; i < HILLS; i++) {
    for (int k = 0; k < HILLS; k++) {
      const mo_vec3 a = grid[i][k], b = grid[i][k + 1], c = grid[i + 1][k + 1], d = grid[i + 1][k];
      test_mesh_add_corners(&mesh, a, turned ? c : b, turned ? b : c);
      test_mesh_add_corners(&mesh, a, turned ? d : c, turned ? c : d);
    }
  }
  return mesh;
}

static const mo_contact *contact_of(const mo_contact *of, uint32_t count, uint32_t triangle,
                                    mo_vec3 normal) {
  for (uint32_t i = 0; i < count; i++) {
    if (of[i].triangle_b == triangle && apart(of[i].manifold.normal, normal) < 1e-5) {
      return &of[i];
    }
  }
  return NULL;
}

static float deepest_of(const mo_contact *of, uint32_t count) {
  float min = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    min = fminf(min, min_separation(&of[i].manifold));
  }
  return min;
}

/* What bodies touch in two scenes with the same surface: contacts, and bodies for which they
 * differ.
 */
typedef struct comparison {
  uint32_t found, others;
} comparison;

/* Whether all contacts, in `contacts`, are those expected. */
static bool are_expected(const mo_contact *expected, uint32_t count) {
  bool is_same = total == count;
  for (uint32_t k = 0; k < total && is_same; k++) {
    const mo_manifold *m = &contacts[k].manifold;
    const mo_contact *other = contact_of(expected, count, contacts[k].triangle_b, m->normal);
    /* which of several points are kept may depend on rounding */
    is_same = other != NULL && fabsf(min_separation(m) - min_separation(&other->manifold)) <= 2e-3f;
  }
  return is_same;
}

/* Compares the contacts of random bodies; culls back faces for every `culled`th, if not 0. Of
 * bodies deeper than a quarter of the thickness of the boxes (0.4), only the depth is compared:
 * among several normals along which they are about as deep, the order of the corners of triangles
 * decides. */
static void compare(const mo_scene *plain, const mo_scene *scene, int culled, rng *r,
                    comparison *c) {
  const mo_geometry kinds[] = {sphere_of(mo_vec(0, 0, 0), 0.4f), box_of(0.5f, 0.2f, 0.4f),
                               capsule_of(0.5f, 0.2f), box_of(0.2f, 0.2f, 0.2f)};
  for (int i = 0; i < 200; i++) {
    const mo_vec3 at = {rng_float(r, -3, 3), rng_float(r, -0.5f, 0.5f), rng_float(r, -3, 3)};
    const mo_quat turn = rng_rotation(r);
    mo_collide_shape_def def = mo_default_collide_shape_def();
    def.primitive = placed(kinds[i % 4], at, turn);
    def.cull_back_faces = culled > 0 && i % culled == 0;
    static mo_contact expected[MAX];
    uint32_t count;
    cr_assert_eq(mo_scene_collide_shape(plain, &def, expected, MAX, &count, NULL), MO_OK);
    cr_assert_eq(mo_scene_collide_shape(scene, &def, contacts, MAX, &total, NULL), MO_OK);
    cr_assert(total <= MAX && count <= MAX);
    const float depth = -deepest_of(expected, count);
    const bool is_same = are_expected(expected, count);
    cr_assert(is_same || (depth > 0.1f && fabsf(depth + deepest_of(contacts, total)) <= 0.4f / 64),
              "body %d: %u contacts, %u", i, total, count);
    c->others += !is_same;
    c->found += total;
  }
}

static mo_scene *hills_scene(uint64_t seed, bool mirrored, bool turned, const mo_transform *map) {
  rng r = rng_make(seed);
  test_mesh mesh = hills_mesh(&r, mirrored, turned);
  mo_scene *scene = scene_of(&mesh, map);
  test_mesh_free(&mesh);
  return scene;
}

/* Compares grounds with others of the same shape: mirrored by their transform, or turned. */
static void compare_hills(bool mirrored, int culled, rng *r) {
  const mo_transform identity = mo_transform_identity();
  mo_transform map = identity;
  map.x_axis.x = mirrored ? -1 : 1;
  comparison c = {0, 0};
  for (uint64_t round = 0; round < 6; round++) {
    mo_scene *scene = hills_scene(round, false, !mirrored, &map),
             *plain = hills_scene(round, mirrored, mirrored, &identity);
    compare(plain, scene, culled, r, &c);
    mo_scene_destroy(scene);
    mo_scene_destroy(plain);
  }
  cr_assert(c.found > 1000 && c.others <= 6, "%u %u", c.found, c.others);
}

/* A mesh that its transform mirrors has the contacts of one whose vertices are where those of the
 * mirrored one are in the world, whichever side of it bodies are on. */
Test(surface, mirrored_meshes_are_what_they_look_like) {
  rng r = rng_make(rng_seed("surface mirrored", 219));
  compare_hills(true, 3, &r);
}

/* A mesh has the same contacts if its fronts and backs are exchanged, and with these its convex and
 * concave edges. */
Test(surface, turned_meshes_are_what_they_look_like) {
  rng r = rng_make(rng_seed("surface turned", 1721));
  compare_hills(false, 0, &r);
}

/* A box lies across a bend of a few thousandths of a radian: each of its touching points has the
 * normal of the face that it is on, to within one thousandth. */
Test(surface, slight_bends_are_bends) {
  const mo_transform identity = mo_transform_identity();
  for (int k = -9; k <= 9; k++) {
    if (abs(k) < 3) {
      continue;
    }
    const float rise = 0x1p-10f * (float)k;
    test_mesh mesh = bent(rise);
    mo_scene *scene = scene_of(&mesh, &identity);
    test_mesh_free(&mesh);
    uint32_t sides[2] = {0, 0};
    for (int i = 0; i < 20; i++) {
      const float tilt = rise * (float)(i % 5 - 2) / 2, x = 0.03f * (float)(i - 10);
      /* above the ridge, or above the deeper side of the valley */
      const float height = 0.249f + (rise > 0 ? rise * 0.3f : 0);
      const mo_primitive box = placed(box_of(0.5f, 0.25f, 0.5f), mo_vec(x, height, 0),
                                      turned(mo_vec(0, 0, 1), (double)tilt));
      collide_with(scene, &box);
      for (uint32_t c = 0; c < total; c++) {
        const mo_manifold *m = &contacts[c].manifold;
        for (uint32_t p = 0; p < m->point_count; p++) {
          const float place = m->points[p].position.x;
          if (m->points[p].separation > 0 || fabsf(place) < 0.02f) {
            continue;
          }
          sides[place > 0]++;
          const float slope = place > 0 ? rise : -rise;
          const mo_vec3 face = mo_scale(1 / sqrtf(1 + slope * slope), mo_vec(slope, -1, 0));
          cr_assert(apart(m->normal, face) < 1.25 * 0x1p-10, "rise %g, box %d: %g %g at %g",
                    (double)rise, i, (double)m->normal.x, (double)m->normal.y, (double)place);
        }
      }
    }
    cr_assert(sides[0] > 0 && sides[1] > 0);
    mo_scene_destroy(scene);
  }
}

/* A box lies on the upper of two levels that are a few thousandths of its size apart, and reaches
 * over their step: what touches reaches to the step, on either end. */
Test(surface, low_steps_are_steps) {
  const mo_transform identity = mo_transform_identity();
  for (int k = 4; k < 10; k++) {
    const float step = 0x1p-10f * (float)k, xs[] = {-3, 0, 0, 3}, ys[] = {step, step, 0, 0};
    test_mesh mesh = {0};
    for (int i = 0; i < 3; i++) {
      const mo_vec3 a = {xs[i], ys[i], -3}, b = {xs[i], ys[i], 3}, c = {xs[i + 1], ys[i + 1], 3},
                    d = {xs[i + 1], ys[i + 1], -3};
      test_mesh_add_corners(&mesh, a, b, c);
      test_mesh_add_corners(&mesh, a, c, d);
    }
    mo_scene *scene = scene_of(&mesh, &identity);
    test_mesh_free(&mesh);
    for (int i = 0; i < 9; i++) {
      const float x = -0.05f * (float)i, sunk = 0.25f * step;
      const mo_primitive box = moved(box_of(0.5f, 0.25f, 0.5f), x, step + 0.25f - sunk, 0.1f);
      collide_with(scene, &box);
      float first = 1, last = -1;
      for (uint32_t c = 0; c < total; c++) {
        const mo_manifold *m = &contacts[c].manifold;
        if (m->normal.y > -0.9f) {
          continue; /* of the riser, which is another matter */
        }
        for (uint32_t p = 0; p < m->point_count; p++) {
          const mo_manifold_point *point = &m->points[p];
          const float under = point->position.x < 0 ? step : 0;
          cr_assert(fabsf(point->position.x) < 0.002f ||
                        fabsf(point->separation - (step - sunk - under)) < 1e-5f,
                    "step %g, at %g: %g", (double)step, (double)point->position.x,
                    (double)point->separation);
          first = point->separation < 0 ? fminf(first, point->position.x) : first;
          last = point->separation < 0 ? fmaxf(last, point->position.x) : last;
        }
      }
      cr_assert_float_eq(first, x - 0.5f, 0.002f, "step %g: from %g", (double)step, (double)first);
      cr_assert_float_eq(last, 0, 0.002f, "step %g: to %g", (double)step, (double)last);
    }
    mo_scene_destroy(scene);
  }
}

/* Each loose triangle is a sheet by itself, of which the side that the body is on must be found.
 * The sides of 256 sheets are found together, by three visits of the mesh; once for all triangles,
 * and once more for those that need other contacts than their own. */
Test(surface, loose_triangles_take_few_visits) {
  enum { TRIANGLES = 1000, VISITS = 2 + 2 * 3 * (TRIANGLES / 256 + 1) };
  rng r = rng_make(rng_seed("surface/loose_triangles", 77));
  test_mesh mesh = {0};
  for (int i = 0; i < TRIANGLES; i++) {
    mo_vec3 a = rng_vec3(&r, -3, 3), e = rng_vec3(&r, -0.2f, 0.2f), f = rng_vec3(&r, -0.2f, 0.2f);
    test_mesh_add_corners(&mesh, a, mo_vec(a.x + e.x, a.y + e.y, a.z + e.z),
                          mo_vec(a.x + f.x, a.y + f.y, a.z + f.z));
  }
  mo_transform identity = mo_transform_identity();
  mo_scene *scene = scene_of(&mesh, &identity);
  mo_geometry box = box_of(4, 4, 4);
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = mo_primitive_of_geometry(&box, &identity);
  mo_query_stats stats = {0}, once = {0};
  cr_assert_eq(mo_scene_collide_shape(scene, &def, contacts, MAX, &total, &stats), MO_OK);
  cr_assert_gt(total, TRIANGLES / 2);
  mo_overlap_def overlap = mo_overlap_primitive_def(def.primitive);
  uint32_t count;
  cr_assert_eq(mo_scene_overlap_triangles(scene, &overlap, NULL, 0, &count, &once), MO_OK);
  cr_assert_eq(count, TRIANGLES);
  cr_assert_leq(stats.mesh_block_count, VISITS * once.mesh_block_count, "%u blocks of %u",
                (unsigned)stats.mesh_block_count, (unsigned)once.mesh_block_count);
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}
