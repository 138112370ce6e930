/* Floors that are laid of tiles, boxes or meshes or both by turns, in a grid or as bricks: wherever
 * a body stands or lies on one, and however it is turned, all its touching contacts are those of a
 * plane. The tiles may be shapes of the scene or children of compounds. Where two tiles meet at an
 * angle, bodies still touch them, with normals between those of both. And bodies at the border of a
 * floor still touch its edge. */
#include <motte/compound.h>
#include <string.h>

#include "contact/flat_meshes.h"
#include "contact/floors.h"
#include "contact/tracking.h"
#include "support/rng.h"

enum { ROWS = 8, TILES = ROWS * ROWS };

typedef enum tile_layout { GRID, BRICKS, LAYOUTS } tile_layout;
typedef enum tile_kind { BOXES, MESHES, BOTH, KINDS } tile_kind;

/* What holds the tiles: the scene; a compound; a compound in another one for each row; or the scene
 * and a compound by turns. */
typedef enum tile_holder { SHAPES, CHILDREN, NESTED_ROWS, BY_TURNS, HOLDERS } tile_holder;

typedef struct tiles {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id body;
  mo_transform frame; /* of the floor: rigid */
} tiles;

/* How a floor is laid. */
typedef struct floor_def {
  tile_layout layout;
  tile_kind kind;
  tile_holder holder;
  float size;         /* of a tile in the world */
  mo_transform frame; /* of the floor: rigid */
  mo_vec3 scale;      /* of the placement: of equal magnitude along x and z */
} floor_def;

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

static mo_shape_def tile_of(const floor_def *floor, int row, int column, mo_mesh *mesh) {
  const float scale = fabsf(floor->scale.x), size = floor->size / scale;
  const float shift = floor->layout == BRICKS && row % 2 == 1 ? 0.5f : 0;
  const bool is_mesh =
      floor->kind == MESHES || (floor->kind == BOTH && (row * ROWS + column + row) % 2 == 0);
  mo_shape_def def = mo_default_shape_def(is_mesh ? MO_SHAPE_MESH : MO_SHAPE_BOX);
  def.geometry = is_mesh ? (mo_geometry){.type = MO_SHAPE_MESH, .mesh = mesh}
                         : box_of(0.5f * size, 0.5f, 0.5f * size);
  def.transform.origin = mo_vec(size * ((float)column - 0.5f * ROWS + 0.5f + shift),
                                is_mesh ? 0 : -0.5f, size * ((float)row - 0.5f * ROWS + 0.5f));
  def.motion = MO_MOTION_STATIC;
  return def;
}

/* A placement of a new compound. */
static mo_shape_def placement_of(const mo_shape_def *children, uint32_t count) {
  const mo_scene_def def = mo_default_scene_def();
  mo_shape_def placement = mo_default_shape_def(MO_SHAPE_COMPOUND);
  mo_compound **compound = &placement.geometry.compound;
  mo_shape_id ids[TILES + 1];
  cr_assert_eq(mo_compound_create(&def, compound), MO_OK);
  cr_assert_eq(mo_scene_add_shapes(mo_compound_children(*compound), children, count, ids, NULL),
               MO_OK);
  cr_assert_eq(mo_compound_update(*compound), MO_OK);
  placement.motion = MO_MOTION_STATIC;
  return placement;
}

/* Adds a shape under the transform of the floor. Its compound is freed with the scene. */
static void add_to_floor(mo_scene *scene, const floor_def *floor, mo_shape_def def) {
  const mo_transform scaling =
      mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1}, floor->scale);
  const mo_transform map = mo_transform_compose(&floor->frame, &scaling);
  mo_shape_id id;
  def.transform = mo_transform_compose(&map, &def.transform);
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_compound_release(def.geometry.type == MO_SHAPE_COMPOUND ? def.geometry.compound : NULL);
}

/* Lays the tiles that belong to a compound in it; the others into the scene. */
static void lay_tiles(mo_scene *scene, const floor_def *floor,
                      const mo_shape_def tile[ROWS][ROWS]) {
  mo_shape_def inside[TILES], rows[ROWS];
  uint32_t count = 0;
  for (int i = 0; i < TILES; i++) {
    const mo_shape_def *def = &tile[i / ROWS][i % ROWS];
    if (floor->holder == CHILDREN || (floor->holder == BY_TURNS && (i / 2 + i / ROWS) % 2 == 0)) {
      inside[count++] = *def;
    } else if (floor->holder != NESTED_ROWS) {
      add_to_floor(scene, floor, *def);
    }
  }
  for (int row = 0; row < ROWS && floor->holder == NESTED_ROWS; row++) {
    rows[row] = placement_of(tile[row], ROWS);
    rows[row].transform = mo_transform_identity();
  }
  if (floor->holder == NESTED_ROWS) {
    add_to_floor(scene, floor, placement_of(rows, ROWS));
    for (int row = 0; row < ROWS; row++) {
      mo_compound_release(rows[row].geometry.compound);
    }
  } else if (count > 0) {
    add_to_floor(scene, floor, placement_of(inside, count));
  }
}

/* Their tops are at y = 0 of the frame, their middle at its origin. */
static tiles tiles_create(const floor_def *floor, mo_geometry body) {
  const mo_host host = mo_default_host();
  tiles t = {.scene = scene_with(&host), .frame = floor->frame};
  mo_mesh *mesh = square(floor->size / fabsf(floor->scale.x));
  mo_shape_def defs[ROWS][ROWS];
  for (int i = 0; i < TILES; i++) {
    defs[i / ROWS][i % ROWS] = tile_of(floor, i / ROWS, i % ROWS, mesh);
  }
  lay_tiles(t.scene, floor, (const mo_shape_def(*)[ROWS])defs);
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
  const mo_transform local = mo_transform_make(at, turn, mo_vec(1, 1, 1)),
                     place = mo_transform_compose(&t->frame, &local);
  cr_assert_eq(mo_scene_set_transform(t->scene, t->body, &place), MO_OK);
  cr_assert_eq(mo_scene_update(t->scene, NULL), MO_OK);
  return update(t->tracker);
}

/* A body that is as high above its lowest point as it says, and how deep it is pressed. */
typedef struct sample {
  const char *name;
  mo_geometry geometry;
  float height;
  float max_depth;
} sample;

/* Where corners of tiles meet, and the edges of a body go through them, seams are hardest. */
static float near_a_corner(rng *r, float size) {
  const float corner = size * (float)((int)rng_below(r, 3) - 1);
  return rng_chance(r, 0.5) ? corner + rng_float(r, -0.01f, 0.01f) : rng_float(r, -size, size);
}

static void check_floor(const floor_def *floor, const sample *s, rng *r, int places) {
  tiles t = tiles_create(floor, s->geometry);
  for (int i = 0; i < places; i++) {
    const float depth = rng_chance(r, 0.5) ? 0.002f : rng_float(r, 0.0002f, s->max_depth);
    const double yaw = rng_chance(r, 0.3) ? 0 : (double)rng_float(r, -2, 2);
    const mo_vec3 at = {near_a_corner(r, floor->size) + (rng_chance(r, 0.5) ? 0.3f : 0),
                        s->height - depth, near_a_corner(r, floor->size) - 0.3f};
    const mo_contact_events events = put(&t, at, yaw);
    float deepest = -1; /* no more than `depth`, as the floor is flat, and nearly all of it */
    for (uint32_t k = 0; k < events.contact_count; k++) {
      const mo_manifold *m = &events.contacts[k].contact.manifold;
      const float up = fabsf(mo_dot(m->normal, t.frame.y_axis));
      for (uint32_t l = 0; l < m->point_count; l++) {
        deepest = fmaxf(deepest, -m->points[l].separation);
      }
      cr_assert(!m->touching || up > 0.999999f,
                "%s, layout %d, kind %d, holder %d, tiles of %g: at %g %g %g, yaw %g: normal %g %g "
                "%g",
                s->name, (int)floor->layout, (int)floor->kind, (int)floor->holder,
                (double)floor->size, (double)at.x, (double)at.y, (double)at.z, yaw,
                (double)m->normal.x, (double)m->normal.y, (double)m->normal.z);
    }
    cr_assert(deepest > 0.9f * depth && deepest < 1.1f * depth + 1e-4f,
              "%s, tiles of %g: at %g %g %g, yaw %g: %g deep, not %g", s->name, (double)floor->size,
              (double)at.x, (double)at.y, (double)at.z, yaw, (double)deepest, (double)depth);
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

/* A floor in the plane y = 0. */
static floor_def level_floor(tile_layout layout, tile_kind kind, tile_holder holder, float size) {
  return (floor_def){layout, kind, holder, size, mo_transform_identity(), {1, 1, 1}};
}

enum { SAMPLES = 7, SIZES = 3 };

static const float sizes[SIZES] = {0.37f, 0.6f, 1};

static void set_samples(sample samples[SAMPLES]) {
  const mo_geometry standing = {.type = MO_SHAPE_CYLINDER,
                                .cylinder = {{0, -0.2f, 0}, {0, 0.2f, 0}, 0.35f}};
  const sample all[SAMPLES] = {{"box", box_of(0.3f, 0.3f, 0.3f), 0.3f, 0.008f},
                               {"plate", box_of(0.5f, 0.05f, 0.5f), 0.05f, 0.008f},
                               {"ball", sphere_of(mo_vec(0, 0, 0), 0.3f), 0.3f, 0.008f},
                               {"capsule", lying(MO_SHAPE_CAPSULE), 0.3f, 0.008f},
                               {"lying cylinder", lying(MO_SHAPE_CYLINDER), 0.3f, 0.008f},
                               {"standing cylinder", standing, 0.2f, 0.008f},
                               {"hull", hull_of(TEST_HULL_CUBE), 1, 0.008f}};
  memcpy(samples, all, sizeof all);
}

Test(contact_tiles, floors_of_tiles_are_planes) {
  rng r = rng_make(rng_seed("contact/tiles", 41));
  sample samples[SAMPLES];
  set_samples(samples);
  for (int l = 0; l < LAYOUTS; l++) {
    for (int m = 0; m < KINDS; m++) {
      for (int k = 0; k < SIZES; k++) {
        for (size_t i = 0; i < SAMPLES; i++) {
          const floor_def floor = level_floor((tile_layout)l, (tile_kind)m, SHAPES, sizes[k]);
          check_floor(&floor, &samples[i], &r, 120);
        }
      }
    }
  }
}

/* A mesh stands on meshes that are smaller than it is. */
Test(contact_tiles, mesh_cubes_stand_on_tiles) {
  rng r = rng_make(rng_seed("contact/tiles/cubes", 45));
  mo_mesh *mesh = cube();
  const sample s = {"mesh cube", {.type = MO_SHAPE_MESH, .mesh = mesh}, 0.5f, 0.03f};
  for (int i = 0; i < LAYOUTS * KINDS * SIZES; i++) {
    const floor_def floor =
        level_floor((tile_layout)(i % LAYOUTS), (tile_kind)(i / LAYOUTS % KINDS), SHAPES,
                    sizes[i / (LAYOUTS * KINDS)]);
    check_floor(&floor, &s, &r, 120);
  }
  mo_mesh_release(mesh);
}

/* A mesh cube near the common corner of four mesh cubes, or of two and two boxes, with its
 * sides along their borders or up to more than its depth across them. A flat edge of its sides
 * leads over such a border, but is no place where the cube touches it. */
static void check_borders_of_cubes(bool with_boxes) {
  rng r = rng_make(rng_seed("contact/tiles/borders of cubes", 46));
  const mo_host host = mo_default_host();
  tiles t = {.scene = scene_with(&host), .frame = mo_transform_identity()};
  mo_mesh *mesh = cube();
  const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = mesh};
  for (int i = 0; i < 4; i++) {
    const bool is_box = with_boxes && (i == 1 || i == 2);
    add(t.scene, is_box ? box_of(0.5f, 0.5f, 0.5f) : geometry, i & 1 ? 0.5f : -0.5f, -0.5f,
        i & 2 ? 0.5f : -0.5f);
  }
  t.body = add(t.scene, geometry, 0, 5, 0);
  cr_assert_eq(mo_scene_set_margin(t.scene, t.body, 0.02f), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(t.scene, NULL, &t.tracker), MO_OK);
  for (int i = 0; i < 400; i++) {
    const float depth = rng_float(&r, 0.0005f, 0.008f),
                across = rng_chance(&r, 0.3) ? 0 : rng_float(&r, -1.5f * depth, 1.5f * depth),
                x = i & 1 ? 0.5f : -0.5f, z = i & 2 ? 0.5f : -0.5f;
    const mo_vec3 at = {rng_chance(&r, 0.5) ? x + across : 0.3f * x, 0.5f - depth, z + across};
    const mo_contact_events events = put(&t, at, 0);
    float deepest = -1;
    for (uint32_t k = 0; k < events.contact_count; k++) {
      const mo_contact *c = &events.contacts[k].contact;
      const bool is_of_body = c->a.index == t.body.index || c->b.index == t.body.index;
      for (uint32_t l = 0; l < c->manifold.point_count && is_of_body; l++) {
        deepest = fmaxf(deepest, -c->manifold.points[l].separation);
      }
      cr_assert(!is_of_body || !c->manifold.touching || fabsf(c->manifold.normal.y) > 0.999999f,
                "%g deep, at %g %g %g: normal %g %g %g", (double)depth, (double)at.x, (double)at.y,
                (double)at.z, (double)c->manifold.normal.x, (double)c->manifold.normal.y,
                (double)c->manifold.normal.z);
    }
    cr_assert(fabsf(deepest - depth) < 0.1f * depth, "%g deep, not %g", (double)deepest,
              (double)depth);
  }
  tiles_destroy(&t);
  mo_mesh_release(mesh);
}

Test(contact_tiles, mesh_cubes_stand_along_borders_of_mesh_cubes) {
  check_borders_of_cubes(false);
}

Test(contact_tiles, mesh_cubes_stand_along_borders_of_mesh_cubes_and_boxes) {
  check_borders_of_cubes(true);
}

/* Level ones, and some that are rotated, scaled, mirrored and away from the origin. */
Test(contact_tiles, floors_of_children_are_planes) {
  rng r = rng_make(rng_seed("contact/tiles/children", 43));
  sample samples[SAMPLES];
  set_samples(samples);
  for (uint64_t round = rng_few_rounds(240, 3000); round-- > 0;) {
    floor_def floor = level_floor(
        (tile_layout)rng_below(&r, LAYOUTS), (tile_kind)rng_below(&r, KINDS),
        (tile_holder)(CHILDREN + rng_below(&r, HOLDERS - CHILDREN)), sizes[rng_below(&r, SIZES)]);
    if (rng_chance(&r, 0.7)) {
      const float scale = rng_float(&r, 0.3f, 3), across = rng_float(&r, 0.5f, 2);
      floor.frame = mo_transform_make(rng_vec3(&r, -30, 30), rng_rotation(&r), mo_vec(1, 1, 1));
      floor.scale = mo_vec(rng_chance(&r, 0.5) ? -scale : scale, across, scale);
    }
    check_floor(&floor, &samples[rng_below(&r, SAMPLES)], &r, 40);
  }
}

/* A tile that stands up as a wall among the children of a floor keeps its contact, wherever a box
 * is pushed against it. */
Test(contact_tiles, walls_among_children_are_felt) {
  rng r = rng_make(rng_seed("contact/tiles/walls", 44));
  for (uint64_t round = rng_few_rounds(200, 2000); round-- > 0;) {
    const float size = 0.6f, half = 0.25f;
    floor_def floor = level_floor(GRID, (tile_kind)rng_below(&r, KINDS), CHILDREN, size);
    floor.frame = mo_transform_make(rng_vec3(&r, -10, 10), rng_rotation(&r), mo_vec(1, 1, 1));
    mo_shape_def defs[TILES + 1];
    mo_mesh *mesh = square(size);
    for (int i = 0; i < TILES; i++) {
      defs[i] = tile_of(&floor, i / ROWS, i % ROWS, mesh);
    }
    const float rise = rng_float(&r, 0.05f, 1); /* its left side is at x = 0.6 */
    defs[TILES] = mo_default_shape_def(MO_SHAPE_BOX);
    defs[TILES].geometry = box_of(0.3f, 0.5f, 3);
    defs[TILES].transform.origin = mo_vec(0.9f, rise - 0.5f, 0);
    const mo_host host = mo_default_host();
    tiles t = {.scene = scene_with(&host), .frame = floor.frame};
    add_to_floor(t.scene, &floor, placement_of(defs, TILES + 1));
    mo_mesh_release(mesh);
    t.body = add(t.scene, box_of(half, half, half), 0, 5, 0);
    cr_assert_eq(mo_scene_set_margin(t.scene, t.body, 0.02f), MO_OK);
    cr_assert_eq(mo_contact_tracker_create(t.scene, NULL, &t.tracker), MO_OK);
    for (int i = 0; i < 20; i++) {
      const float depth = rng_float(&r, 0.0005f, 0.004f), sunk = rng_float(&r, 0.0005f, 0.004f);
      const mo_contact_events events =
          put(&t, mo_vec(0.6f - half + depth, half - sunk, rng_float(&r, -1, 1)), 0);
      bool is_held = false, is_carried = false;
      for (uint32_t k = 0; k < events.contact_count; k++) {
        const mo_manifold *m = &events.contacts[k].contact.manifold;
        is_held = is_held || (m->touching && fabsf(mo_dot(m->normal, t.frame.x_axis)) > 0.9999f);
        is_carried =
            is_carried || (m->touching && fabsf(mo_dot(m->normal, t.frame.y_axis)) > 0.9999f);
      }
      cr_assert(is_held && is_carried, "rise %g, %g deep: held %d, carried %d", (double)rise,
                (double)depth, is_held, is_carried);
    }
    tiles_destroy(&t);
  }
}

/* A ball that rolls off the border of a floor, and one that leans on it from outside. */
Test(contact_tiles, borders_keep_their_edges) {
  for (int m = 0; m < KINDS * HOLDERS; m++) {
    const floor_def floor =
        level_floor(GRID, (tile_kind)(m % KINDS), (tile_holder)(m / KINDS), 0.5f);
    tiles t = tiles_create(&floor, sphere_of(mo_vec(0, 0, 0), 0.3f));
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
  const sample samples[] = {{"box", box_of(0.25f, 0.25f, 0.25f), 0.25f, 0.008f},
                            {"plate", box_of(0.5f, 0.05f, 0.5f), 0.05f, 0.008f},
                            {"ball", sphere_of(mo_vec(0, 0, 0), 0.3f), 0.3f, 0.008f},
                            {"capsule", lying(MO_SHAPE_CAPSULE), 0.3f, 0.008f},
                            {"lying cylinder", lying(MO_SHAPE_CYLINDER), 0.3f, 0.008f}};
  for (uint64_t round = rng_few_rounds(60, 3000); round-- > 0;) {
    const sample *s = &samples[round % (sizeof samples / sizeof *samples)];
    const bool is_mesh = rng_chance(&r, 0.5);
    const double size = pow(10, (double)rng_float(&r, -3.5f, -0.5f)), rise = rng_chance(&r, 0.1) ? 0
                                                                             : rng_chance(&r, 0.3)
                                                                                 ? size
                                                                                 : -size;
    const mo_host host = mo_default_host();
    tiles t = {.scene = scene_with(&host), .frame = mo_transform_identity()};
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
