/* Floors that are laid of tiles, boxes or meshes or both by turns, in a grid or as bricks: wherever
 * a body stands or lies on one, and however it is turned, all its touching contacts are those of a
 * plane. Where two tiles meet at an angle, bodies still touch them, with normals between those of
 * both. And bodies at the border of a floor still touch its edge. */
#include "contact/floors.h"
#include "contact/tracking.h"
#include "support/rng.h"

enum { ROWS = 8, TILES = ROWS * ROWS };

typedef enum tile_layout { GRID, BRICKS, LAYOUTS } tile_layout;
typedef enum tile_kind { BOXES, MESHES, BOTH, KINDS } tile_kind;

typedef struct tiles {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id body;
} tiles;

static mo_mesh *square(float size) {
  const float h = 0.5f * size;
  const mo_vec3 corners[4] = {{-h, 0, -h}, {h, 0, -h}, {h, 0, h}, {-h, 0, h}};
  const uint32_t indices[6] = {0, 2, 1, 0, 3, 2};
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = 4;
  def.indices = indices;
  def.triangle_count = 2;
  def.build.edges = true;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* Their tops are at y = 0, their middle at the origin. */
static tiles tiles_create(tile_layout layout, tile_kind kind, float size, mo_geometry body) {
  const mo_host host = mo_default_host();
  tiles t = {.scene = scene_with(&host)};
  mo_mesh *mesh = square(size);
  for (int i = 0; i < TILES; i++) {
    const int row = i / ROWS;
    const float shift = layout == BRICKS && row % 2 == 1 ? 0.5f : 0;
    const float x = size * ((float)(i % ROWS) - 0.5f * ROWS + 0.5f + shift),
                z = size * ((float)row - 0.5f * ROWS + 0.5f);
    const bool is_mesh = kind == MESHES || (kind == BOTH && (i + row) % 2 == 0);
    const mo_shape_id id =
        is_mesh ? add(t.scene, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = mesh}, x, 0, z)
                : add(t.scene, box_of(0.5f * size, 0.5f, 0.5f * size), x, -0.5f, z);
    cr_assert_eq(mo_scene_set_motion(t.scene, &id, 1, MO_MOTION_STATIC, NULL), MO_OK);
  }
  mo_mesh_release(mesh);
  t.body = add(t.scene, body, 0, 5, 0);
  cr_assert_eq(mo_scene_set_margin(t.scene, t.body, 0.02f), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(t.scene, NULL, &t.tracker), MO_OK);
  return t;
}

static void tiles_destroy(tiles *t) {
  mo_contact_tracker_destroy(t->tracker);
  mo_scene_destroy(t->scene);
}

static mo_contact_events put(const tiles *t, mo_vec3 at, double yaw) {
  const mo_quat turn = {0, (float)sin(0.5 * yaw), 0, (float)cos(0.5 * yaw)};
  const mo_transform place = mo_transform_make(at, turn, mo_vec(1, 1, 1));
  cr_assert_eq(mo_scene_set_transform(t->scene, t->body, &place), MO_OK);
  cr_assert_eq(mo_scene_update(t->scene, NULL), MO_OK);
  return update(t->tracker);
}

/* A body that is as high above its lowest point as it says. */
typedef struct sample {
  const char *name;
  mo_geometry geometry;
  float height;
} sample;

/* Where corners of tiles meet, and the edges of a body go through them, seams are hardest. */
static float near_a_corner(rng *r, float size) {
  const float corner = size * (float)((int)rng_below(r, 3) - 1);
  return rng_chance(r, 0.5) ? corner + rng_float(r, -0.01f, 0.01f) : rng_float(r, -size, size);
}

static void check_floor(tile_layout layout, tile_kind kind, float size, const sample *s, rng *r) {
  enum { PLACES = 120 };
  tiles t = tiles_create(layout, kind, size, s->geometry);
  for (int i = 0; i < PLACES; i++) {
    const float depth = rng_chance(r, 0.5) ? 0.002f : rng_float(r, 0.0002f, 0.008f);
    const double yaw = rng_chance(r, 0.3) ? 0 : (double)rng_float(r, -2, 2);
    const mo_vec3 at = {near_a_corner(r, size) + (rng_chance(r, 0.5) ? 0.3f : 0), s->height - depth,
                        near_a_corner(r, size) - 0.3f};
    const mo_contact_events events = put(&t, at, yaw);
    bool touches = false;
    for (uint32_t k = 0; k < events.contact_count; k++) {
      const mo_manifold *m = &events.contacts[k].contact.manifold;
      touches = touches || m->touching;
      cr_assert(!m->touching || fabsf(m->normal.y) > 0.999999f,
                "%s, layout %d, kind %d, tiles of %g: at %g %g %g, yaw %g: normal %g %g %g",
                s->name, (int)layout, (int)kind, (double)size, (double)at.x, (double)at.y,
                (double)at.z, yaw, (double)m->normal.x, (double)m->normal.y, (double)m->normal.z);
    }
    cr_assert(touches, "%s: nothing touches", s->name);
  }
  tiles_destroy(&t);
}

/* Along z, as it lies. */
static mo_geometry lying(mo_shape_type type) {
  mo_geometry g = {.type = type};
  if (type == MO_SHAPE_CAPSULE) {
    g.capsule = (mo_capsule){{0, 0, -0.3f}, {0, 0, 0.3f}, 0.3f};
  } else {
    g.cylinder = (mo_cylinder){{0, 0, -0.3f}, {0, 0, 0.3f}, 0.3f};
  }
  return g;
}

Test(contact_tiles, floors_of_tiles_are_planes) {
  rng r = rng_make(rng_seed("contact/tiles", 41));
  const mo_geometry standing = {.type = MO_SHAPE_CYLINDER,
                                .cylinder = {{0, -0.2f, 0}, {0, 0.2f, 0}, 0.35f}};
  const sample samples[] = {{"box", box_of(0.3f, 0.3f, 0.3f), 0.3f},
                            {"plate", box_of(0.5f, 0.05f, 0.5f), 0.05f},
                            {"ball", sphere_of(mo_vec(0, 0, 0), 0.3f), 0.3f},
                            {"capsule", lying(MO_SHAPE_CAPSULE), 0.3f},
                            {"lying cylinder", lying(MO_SHAPE_CYLINDER), 0.3f},
                            {"standing cylinder", standing, 0.2f}};
  static const float sizes[] = {0.37f, 0.6f, 1};
  for (int l = 0; l < LAYOUTS; l++) {
    for (int m = 0; m < KINDS; m++) {
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
          check_floor((tile_layout)l, (tile_kind)m, sizes[k], &samples[i], &r);
        }
      }
    }
  }
}

/* A ball that rolls off the border of a floor, and one that leans on it from outside. */
Test(contact_tiles, borders_keep_their_edges) {
  for (int m = 0; m < KINDS; m++) {
    tiles t = tiles_create(GRID, (tile_kind)m, 0.5f, sphere_of(mo_vec(0, 0, 0), 0.3f));
    const float border = 0.5f * 0.5f * ROWS; /* where x is greatest */
    for (double angle = 0.1; angle < 1.2; angle += 0.1) {
      const float reach = 0.299f;
      const mo_vec3 at = {border + reach * (float)sin(angle), reach * (float)cos(angle), 0.1f};
      const mo_contact_events events = put(&t, at, 0);
      bool found = false;
      for (uint32_t k = 0; k < events.contact_count; k++) {
        const mo_manifold *manifold = &events.contacts[k].contact.manifold;
        found = found || (manifold->touching &&
                          fabsf(fabsf(manifold->normal.x) - (float)sin(angle)) < 0.01f);
      }
      cr_assert(found, "kind %d, %g rad", m, angle);
    }
    tiles_destroy(&t);
  }
}

/* A tile of 4 by 4 metres on the right of the z axis, or turned by half a turn, on the left. */
static void add_hinged(mo_scene *scene, bool is_mesh, bool is_left, double rise) {
  const float s = (float)sin(0.5 * rise), c = (float)cos(0.5 * rise);
  mo_shape_def def = mo_default_shape_def(is_mesh ? MO_SHAPE_MESH : MO_SHAPE_BOX);
  mo_mesh *mesh = NULL;
  mo_quat turn = {0, 0, s, c};
  if (is_mesh) {
    mesh = square(4);
    def.geometry.mesh = mesh;
  } else {
    def.geometry = box_of(2, 0.5f, 2);
  }
  if (is_left) {
    turn = (mo_quat){0, 1, 0, 0};
  }
  const mo_vec3 to_middle = {2, is_mesh ? 0 : -0.5f, 0};
  const mo_transform hinge = mo_transform_make(mo_vec(0, 0, 0), turn, mo_vec(1, 1, 1));
  def.transform = hinge;
  def.transform.origin = mo_transform_point(&hinge, to_middle);
  def.motion = MO_MOTION_STATIC;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_mesh_release(mesh);
}

/* Sunk into the left tile by `depth`: it has to touch something, and of what it touches at a
 * convex edge, or at one that rises by less than a degree, no normal is out of the range. */
static void check_hinge(const tiles *t, const sample *s, double rise, float depth, mo_vec3 at,
                        double yaw) {
  const mo_contact_events events = put(t, at, yaw);
  float deepest = -1;
  for (uint32_t k = 0; k < events.contact_count; k++) {
    const mo_contact *c = &events.contacts[k].contact;
    const mo_vec3 n = mo_scale(same_id(c->b, t->body) ? 1 : -1, c->manifold.normal);
    const double lean = atan2(-(double)n.x, (double)n.y);
    for (uint32_t i = 0; i < c->manifold.point_count; i++) {
      const float found = -c->manifold.points[i].separation;
      deepest = fmaxf(deepest, n.y > 0.9f ? found : -1);
      cr_assert(
          found < 0 || rise > 0.017 ||
              (lean > fmin(rise, 0) - 0.02 && lean < fmax(rise, 0) + 0.02 && fabsf(n.z) < 0.02f),
          "%s, %g rad, at %g %g %g, yaw %g: normal %g %g %g", s->name, rise, (double)at.x,
          (double)at.y, (double)at.z, yaw, (double)n.x, (double)n.y, (double)n.z);
    }
  }
  cr_assert(at.x > 0 || deepest > 0.9f * depth, "%s, %g rad, %g deep, at %g %g %g, yaw %g: %g",
            s->name, rise, (double)depth, (double)at.x, (double)at.y, (double)at.z, yaw,
            (double)deepest);
}

Test(contact_tiles, bodies_touch_floors_that_bend) {
  rng r = rng_make(rng_seed("contact/tiles/bends", 42));
  const sample samples[] = {{"box", box_of(0.25f, 0.25f, 0.25f), 0.25f},
                            {"plate", box_of(0.5f, 0.05f, 0.5f), 0.05f},
                            {"ball", sphere_of(mo_vec(0, 0, 0), 0.3f), 0.3f},
                            {"capsule", lying(MO_SHAPE_CAPSULE), 0.3f},
                            {"lying cylinder", lying(MO_SHAPE_CYLINDER), 0.3f}};
  for (uint64_t round = rng_few_rounds(60, 3000); round-- > 0;) {
    const sample *s = &samples[round % (sizeof samples / sizeof *samples)];
    const bool is_mesh = rng_chance(&r, 0.5);
    const double size = pow(10, (double)rng_float(&r, -3.5f, -0.5f)), rise = rng_chance(&r, 0.1) ? 0
                                                                             : rng_chance(&r, 0.3)
                                                                                 ? size
                                                                                 : -size;
    const mo_host host = mo_default_host();
    tiles t = {.scene = scene_with(&host)};
    add_hinged(t.scene, is_mesh, true, 0);
    add_hinged(t.scene, is_mesh, false, rise);
    t.body = add(t.scene, s->geometry, 0, 5, 0);
    cr_assert_eq(mo_scene_set_margin(t.scene, t.body, 0.02f), MO_OK);
    cr_assert_eq(mo_contact_tracker_create(t.scene, NULL, &t.tracker), MO_OK);
    for (int i = 0; i < 100; i++) {
      const float depth = rng_float(&r, 0.0005f, 0.008f), x = rng_float(&r, -0.6f, 0.05f),
                  near = rng_float(&r, -0.02f, 0.005f), z = rng_float(&r, -1, 1);
      const double yaw = rng_chance(&r, 0.3) ? 0 : (double)rng_float(&r, -2, 2);
      check_hinge(&t, s, rise, depth, mo_vec(i % 2 ? x : near, s->height - depth, z), yaw);
    }
    tiles_destroy(&t);
  }
}
