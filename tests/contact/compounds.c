/* Contacts of compounds in trackers, from frame to frame: against trackers of flat scenes, in which
 * each child is a shape of the same body; points that persist; merged contacts; sensors; memory. */
#include <criterion/criterion.h>
#include <motte/motte.h>
#include <string.h>

#include "math/vector.h"
#include "support/rng.h"

enum { CARS = 8, PARTS = 3, TILES = 16, FRAMES = 60 };

/* A floor of static boxes in one compound, and cars of three boxes and balls each. */
typedef struct world {
  mo_scene *placed, *flat;
  mo_compound *floor, *car;
  mo_contact_tracker *trackers[2];
  mo_shape_id floor_id, cars[CARS], tiles[TILES], parts[CARS][PARTS];
  mo_transform own[PARTS], poses[CARS];
} world;

static mo_compound *make_compound(const mo_shape_def *defs, uint32_t count) {
  const mo_scene_def def = mo_default_scene_def();
  mo_compound *compound;
  mo_shape_id ids[TILES];
  cr_assert_eq(mo_compound_create(&def, &compound), MO_OK);
  cr_assert_eq(mo_scene_add_shapes(mo_compound_children(compound), defs, count, ids, NULL), MO_OK);
  cr_assert_eq(mo_compound_update(compound), MO_OK);
  return compound;
}

/* A pyramid of 4 triangles over a square of 2 by 2 metres, as high as a tile. */
static mo_mesh *make_pyramid(void) {
  static const float positions[15] = {-1, 0, -1, -1, 0, 1, 1, 0, 1, 1, 0, -1, 0, 1, 0};
  static const uint32_t indices[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *mesh;
  def.positions = positions;
  def.vertex_count = 5;
  def.indices = indices;
  def.triangle_count = 4;
  def.build.edges = true;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* What makes a world other than the first one. */
typedef struct world_options {
  bool filtered;     /* some children pass each other by, at seams too */
  bool has_pyramids; /* every third tile is a mesh with edges */
  bool is_nested;    /* the floor is a compound of rows, which are sheared or mirrored */
  float margin;      /* of the scenes */
} world_options;

static const world_options plain = {.margin = MO_CONTACT_MARGIN};

/* A placement of a compound of rows of tiles. The tiles get their composed transforms. */
static mo_shape_def nest_tiles(mo_shape_def *tiles, rng *r) {
  enum { ROWS = 4, COLUMNS = TILES / ROWS };
  mo_shape_def rows[ROWS], all = mo_default_shape_def(MO_SHAPE_COMPOUND);
  all.transform = mo_transform_make((mo_vec3){3, 0, 3}, (mo_quat){0, 0.6f, 0, 0.8f},
                                    (mo_vec3){1.25f, 1, 0.75f});
  for (int i = 0; i < ROWS; i++) {
    rows[i] = mo_default_shape_def(MO_SHAPE_COMPOUND);
    rows[i].geometry.compound = make_compound(&tiles[i * COLUMNS], COLUMNS);
    mo_transform *map = &rows[i].transform;
    map->origin = (mo_vec3){i == 3 ? 3.0f : -3.0f, 0, -3};
    map->x_axis = (mo_vec3){i == 3 ? -1.0f : 1.0f, 0, i == 1 ? 0.2f : 0};
    map->y_axis = (mo_vec3){rng_float(r, -0.3f, 0.3f), 1, i == 2 ? 0.1f : 0};
    const mo_transform outer = mo_transform_compose(&all.transform, map);
    for (int k = i * COLUMNS; k < (i + 1) * COLUMNS; k++) {
      tiles[k].transform = mo_transform_compose(&outer, &tiles[k].transform);
    }
  }
  all.geometry.compound = make_compound(rows, ROWS);
  for (int i = 0; i < ROWS; i++) {
    mo_compound_release(rows[i].geometry.compound);
  }
  return all;
}

static void make_scenes(world *w, mo_contact_tracker_def tracker, world_options options) {
  mo_scene_def def = mo_default_scene_def();
  mo_shape_def tiles[TILES], parts[PARTS];
  mo_mesh *pyramid = make_pyramid();
  const bool filtered = options.filtered;
  def.margin = options.margin;
  rng r = rng_make(rng_seed("compound_contacts/scenes", 1));
  cr_assert_eq(mo_scene_create(&def, &w->placed), MO_OK);
  cr_assert_eq(mo_scene_create(&def, &w->flat), MO_OK);
  for (int i = 0; i < TILES; i++) {
    tiles[i] = mo_default_shape_def(MO_SHAPE_BOX);
    if (options.has_pyramids && i % 3 == 0) {
      tiles[i].geometry = (mo_geometry){.type = MO_SHAPE_MESH, .mesh = pyramid};
    }
    tiles[i].transform.origin = (mo_vec3){2.0f * (float)(i % 4), -1, 2.0f * (float)(i / 4)};
    tiles[i].motion = MO_MOTION_STATIC;
    tiles[i].body = 1;
    tiles[i].user_data = 100 + (uint64_t)i;
    tiles[i].category = filtered && rng_chance(&r, 0.3) ? 2 : 1;
  }
  for (int i = 0; i < PARTS; i++) {
    parts[i] = mo_default_shape_def(i == 1 ? MO_SHAPE_SPHERE : MO_SHAPE_BOX);
    parts[i].geometry.sphere.radius = 0.3f;
    if (i != 1) {
      parts[i].geometry.box = (mo_box){{0, 0, 0}, {0.3f, 0.3f, 0.3f}};
    }
    parts[i].transform.origin = (mo_vec3){0.6f * (float)(i - 1), 0, 0};
    parts[i].user_data = 200 + (uint64_t)i;
    parts[i].mask = filtered && i == 0 ? 1 : UINT64_MAX;
    w->own[i] = parts[i].transform;
  }
  w->car = make_compound(parts, PARTS);
  mo_shape_def placement = mo_default_shape_def(MO_SHAPE_COMPOUND);
  if (options.is_nested) {
    placement = nest_tiles(tiles, &r);
  } else {
    placement.geometry.compound = make_compound(tiles, TILES);
  }
  w->floor = placement.geometry.compound;
  placement.motion = MO_MOTION_STATIC;
  cr_assert_eq(mo_scene_add_shape(w->placed, &placement, &w->floor_id), MO_OK);
  cr_assert_eq(mo_scene_add_shapes(w->flat, tiles, TILES, w->tiles, NULL), MO_OK);
  mo_mesh_release(pyramid);
  placement = mo_default_shape_def(MO_SHAPE_COMPOUND);
  placement.geometry.compound = w->car;
  for (uint64_t i = 0; i < CARS; i++) {
    cr_assert_eq(mo_scene_add_shape(w->placed, &placement, &w->cars[i]), MO_OK);
    for (int k = 0; k < PARTS; k++) {
      parts[k].body = 2 + i;
    }
    cr_assert_eq(mo_scene_add_shapes(w->flat, parts, PARTS, w->parts[i], NULL), MO_OK);
  }
  cr_assert_eq(mo_contact_tracker_create(w->placed, &tracker, &w->trackers[0]), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(w->flat, &tracker, &w->trackers[1]), MO_OK);
}

static void free_scenes(world *w) {
  for (int i = 0; i < 2; i++) {
    mo_contact_tracker_destroy(w->trackers[i]);
  }
  mo_scene_destroy(w->placed);
  mo_scene_destroy(w->flat);
  mo_compound_release(w->floor);
  mo_compound_release(w->car);
}

static void move_car_fast(world *w, uint32_t car, const mo_transform *pose, mo_vec3 velocity) {
  mo_update_def update = mo_default_update_def();
  mo_transform parts[PARTS];
  const mo_vec3 velocities[PARTS] = {velocity, velocity, velocity};
  update.velocities = velocities;
  update.lookahead = 0.1f;
  update.ids = &w->cars[car];
  update.transforms = pose;
  update.count = 1;
  cr_assert_eq(mo_scene_update(w->placed, &update), MO_OK);
  for (int i = 0; i < PARTS; i++) {
    parts[i] = mo_transform_compose(pose, &w->own[i]);
  }
  update.ids = w->parts[car];
  update.transforms = parts;
  update.count = PARTS;
  cr_assert_eq(mo_scene_update(w->flat, &update), MO_OK);
  w->poses[car] = *pose;
}

static void move_car(world *w, uint32_t car, const mo_transform *pose) {
  move_car_fast(w, car, pose, (mo_vec3){0, 0, 0});
}

static mo_transform any_pose(rng *r) {
  const mo_quat rotation = rng_chance(r, 0.5) ? (mo_quat){0, 0, 0, 1} : rng_rotation(r);
  const float x = rng_float(r, -1, 7), y = rng_float(r, 0, 0.7f), z = rng_float(r, -1, 7);
  return mo_transform_make((mo_vec3){x, y, z}, rotation, (mo_vec3){1, 1, 1});
}

/* The shape of the placed scene, and the child, that a flat shape stands for. */
static void find_placed(const world *w, mo_shape_id flat, mo_shape_id *shape, uint32_t *child) {
  *shape = flat.index < TILES ? w->floor_id : w->cars[(flat.index - TILES) / PARTS];
  *child = flat.index < TILES ? flat.index : (flat.index - TILES) % PARTS;
}

static void expect_same_contacts(const world *w, const mo_contact *a, const mo_contact *b) {
  mo_shape_id shape;
  uint32_t child;
  find_placed(w, b->a, &shape, &child);
  cr_assert(a->a.index == shape.index && a->child_a == child);
  find_placed(w, b->b, &shape, &child);
  cr_assert(a->b.index == shape.index && a->child_b == child);
  cr_assert(a->user_data_a == b->user_data_a && a->user_data_b == b->user_data_b);
  cr_assert(a->triangle_a == b->triangle_a && a->triangle_b == b->triangle_b);
  cr_assert_eq(a->manifold.point_count, b->manifold.point_count);
  cr_assert_eq(memcmp(&a->manifold.normal, &b->manifold.normal, sizeof(mo_vec3)), 0);
  for (uint32_t i = 0; i < a->manifold.point_count; i++) {
    const mo_manifold_point *p = &a->manifold.points[i], *q = &b->manifold.points[i];
    cr_assert_eq(memcmp(&p->position, &q->position, sizeof(mo_vec3)), 0);
    cr_assert(p->separation == q->separation && p->id == q->id);
    /* Anchors are relative to the placement. */
    mo_transform map;
    cr_assert_eq(mo_scene_get_transform(w->placed, a->b, &map), MO_OK);
    const mo_vec3 off = mo_sub(mo_add(map.origin, p->anchor_b), p->position);
    cr_assert(mo_max_magnitude(off) < 1e-5f);
  }
}

/* The place of a contact of the flat scene in the order of the other scene. */
static uint32_t flat_rank(const world *w, const mo_contact *c) {
  mo_shape_id a, b;
  uint32_t child_a, child_b;
  find_placed(w, c->a, &a, &child_a);
  find_placed(w, c->b, &b, &child_b);
  return (((a.index * (CARS + 1)) + b.index) * TILES + child_a) * TILES + child_b;
}

static void sort_flat(const world *w, mo_tracked_contact *contacts, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    for (uint32_t k = i;
         k > 0 && flat_rank(w, &contacts[k].contact) < flat_rank(w, &contacts[k - 1].contact);
         k--) {
      const mo_tracked_contact held = contacts[k];
      contacts[k] = contacts[k - 1];
      contacts[k - 1] = held;
    }
  }
}

static uint32_t compare(world *w) {
  enum { MAX_CONTACTS = 2000 };
  static mo_tracked_contact sorted[MAX_CONTACTS];
  mo_contact_events events[2];
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(mo_contact_tracker_update(w->trackers[i], &events[i]), MO_OK);
    cr_assert_eq(mo_contact_tracker_validate(w->trackers[i]), MO_OK);
  }
  cr_assert_eq(events[0].contact_count, events[1].contact_count, "%u contacts, not %u",
               events[0].contact_count, events[1].contact_count);
  cr_assert_leq(events[1].contact_count, MAX_CONTACTS);
  if (events[1].contact_count > 0) {
    memcpy(sorted, events[1].contacts, events[1].contact_count * sizeof *sorted);
  }
  sort_flat(w, sorted, events[1].contact_count);
  for (uint32_t i = 0; i < events[0].contact_count; i++) {
    expect_same_contacts(w, &events[0].contacts[i].contact, &sorted[i].contact);
  }
  return events[0].contact_count;
}

static void check_as_in_flat_scenes(bool keep_seams, world_options options) {
  rng r = rng_make(rng_seed("compound_contacts", 1));
  world w;
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.keep_seams = keep_seams;
  /* Shapes that are apart are a pair only if their stored boxes touch, which are not the same in
   * both scenes. */
  def.speculative_distance = 0;
  make_scenes(&w, def, options);
  uint32_t contacts = 0;
  for (uint32_t frame = 0; frame < FRAMES; frame++) {
    for (uint32_t car = 0; car < CARS; car++) {
      if (frame == 0 || rng_chance(&r, 0.5)) {
        mo_transform pose = any_pose(&r);
        if (frame > 0 && rng_chance(&r, 0.7)) { /* a small step */
          pose = w.poses[car];
          pose.origin.x += rng_float(&r, -0.05f, 0.05f);
          pose.origin.y += rng_float(&r, -0.01f, 0.01f);
        }
        move_car(&w, car, &pose);
      }
    }
    contacts += compare(&w);
  }
  cr_assert_gt(contacts, 10 * FRAMES);
  free_scenes(&w);
}

Test(compound_contacts, as_in_flat_scenes) {
  check_as_in_flat_scenes(true, plain);
}

/* Points at seams between children are removed as between shapes of the scene: where the floor is
 * of children, and where the bodies on it are. */
Test(compound_contacts, seams_as_in_flat_scenes) {
  check_as_in_flat_scenes(false, plain);
  check_as_in_flat_scenes(false, (world_options){.filtered = true, .margin = MO_CONTACT_MARGIN});
  check_as_in_flat_scenes(false, (world_options){true, true, false, MO_CONTACT_MARGIN});
  check_as_in_flat_scenes(false, (world_options){false, false, true, MO_CONTACT_MARGIN});
  check_as_in_flat_scenes(false, (world_options){true, true, true, MO_CONTACT_MARGIN});
}

/* Fast cars have early contacts, also by casts at meshes among the children. Margins are so large
 * that all shapes within reach are pairs in both scenes. */
static void check_fast_cars(bool keep_seams) {
  rng r = rng_make(rng_seed("compound_contacts/fast", 1));
  world w;
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.keep_seams = keep_seams;
  def.max_speculative_distance = 1.5f;
  make_scenes(&w, def, (world_options){.has_pyramids = true, .margin = 4});
  uint32_t contacts = 0;
  for (uint32_t frame = 0; frame < 4 * FRAMES; frame++) {
    for (uint32_t car = 0; car < CARS; car++) {
      mo_transform pose = any_pose(&r);
      pose.origin.y += rng_float(&r, 0, 1.5f);
      const mo_vec3 velocity = {rng_float(&r, -10, 10), rng_float(&r, -10, 2),
                                rng_float(&r, -10, 10)};
      move_car_fast(&w, car, &pose, velocity);
    }
    contacts += compare(&w);
  }
  cr_assert_gt(contacts, 10 * FRAMES);
  free_scenes(&w);
}

Test(compound_contacts, fast_shapes_as_in_flat_scenes) {
  check_fast_cars(true);
  check_fast_cars(false);
}

/* A car that creeps over the floor keeps the points, with their data, where they stay on the same
 * tile. */
Test(compound_contacts, points_persist) {
  world w;
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  mo_contact_events events;
  make_scenes(&w, def, plain);
  for (uint32_t frame = 0; frame < 10; frame++) {
    for (uint32_t car = 0; car < CARS; car++) {
      const mo_vec3 at = {0.25f + 0.001f * (float)frame, 0.295f, 0.9f * (float)car};
      const mo_transform pose = mo_transform_make(at, (mo_quat){0, 0, 0, 1}, (mo_vec3){1, 1, 1});
      move_car(&w, car, &pose);
    }
    cr_assert_eq(mo_contact_tracker_update(w.trackers[0], &events), MO_OK);
    cr_assert_eq(mo_contact_tracker_validate(w.trackers[0]), MO_OK);
    uint32_t points = 0, kept = 0;
    for (uint32_t i = 0; i < events.contact_count; i++) {
      points += events.contacts[i].contact.manifold.point_count;
      kept += (uint32_t)__builtin_popcount(events.contacts[i].kept);
    }
    cr_assert_gt(points, 2 * CARS);
    cr_assert(frame == 0 || kept == points, "%u of %u points kept", kept, points);
  }
  free_scenes(&w);
}

/* Contacts of two placements are merged where coplanar. */
Test(compound_contacts, coplanar_contacts_are_merged) {
  world w;
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  mo_contact_events events;
  def.merge_coplanar = true;
  make_scenes(&w, def, plain);
  for (uint32_t car = 0; car < CARS; car++) {
    const mo_vec3 at = {1.0f + 4.0f * (float)(car / 4), 0.295f, 2.0f * (float)(car % 4)};
    const mo_transform pose = mo_transform_make(at, (mo_quat){0, 0, 0, 1}, (mo_vec3){1, 1, 1});
    move_car(&w, car, &pose);
  }
  cr_assert_eq(mo_contact_tracker_update(w.trackers[0], &events), MO_OK);
  uint32_t points[CARS + 1] = {0};
  for (uint32_t i = 0; i < events.contact_count; i++) {
    points[events.contacts[i].contact.b.index] += events.contacts[i].contact.manifold.point_count;
  }
  for (uint32_t car = 0; car < CARS; car++) {
    cr_assert(points[w.cars[car].index] >= 3 && points[w.cars[car].index] <= 4, "%u points",
              points[w.cars[car].index]);
  }
  free_scenes(&w);
}

/* Turns a shape into a placement of a new compound with this shape as its child. */
static void place_in_compound(mo_shape_def *child) {
  mo_compound *made = make_compound(child, 1);
  mo_compound_release(child->geometry.type == MO_SHAPE_COMPOUND ? child->geometry.compound : NULL);
  *child = mo_default_shape_def(MO_SHAPE_COMPOUND);
  child->geometry.compound = made;
}

typedef struct filter_bits {
  uint64_t category, mask;
} filter_bits;

static filter_bits random_bits(rng *r, mo_shape_def *def) {
  def->category = rng_below(r, 8);
  def->mask = rng_chance(r, 0.6) ? UINT64_MAX : rng_below(r, 8);
  return (filter_bits){def->category, def->mask};
}

static bool pass(filter_bits a, filter_bits b) {
  return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

/* A unit cube in `depth` compounds; `bits` receives the filters from the shape of the scene to the
 * cube. */
static mo_shape_def make_filtered(rng *r, uint32_t depth, filter_bits *bits) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box = (mo_box){{0, 0, 0}, {0.5f, 0.5f, 0.5f}};
  bits[depth] = random_bits(r, &def);
  for (uint32_t i = depth; i-- > 0;) {
    place_in_compound(&def);
    bits[i] = random_bits(r, &def);
  }
  return def;
}

static bool all_pass(const filter_bits *bits, uint32_t depth, filter_bits other) {
  bool all = true;
  for (uint32_t i = 0; i <= depth; i++) {
    all = all && pass(bits[i], other);
  }
  return all;
}

/* All shapes on the path to a child must pass the other shape of the scene, and two children each
 * other; without filters (mo_scene_collide_pair) all children count. */
Test(compound_contacts, filters_along_paths) {
  rng r = rng_make(rng_seed("compound_contacts/filters_along_paths", 1));
  uint32_t met = 0;
  for (int i = 0; i < 2000; i++) {
    const uint32_t depth[2] = {rng_below(&r, 4), rng_below(&r, 4)};
    filter_bits bits[2][4];
    mo_shape_def defs[2];
    mo_shape_id ids[2];
    mo_scene_def def = mo_default_scene_def();
    mo_contact_tracker_def tracked = mo_default_contact_tracker_def();
    mo_scene *scene;
    mo_contact_tracker *tracker;
    mo_contact_events events;
    def.margin = 1;
    tracked.speculative_distance = 1.5f;
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    for (int k = 0; k < 2; k++) {
      defs[k] = make_filtered(&r, depth[k], bits[k]);
      defs[k].transform.origin.x = 2.0f * (float)k;
      cr_assert_eq(mo_scene_add_shape(scene, &defs[k], &ids[k]), MO_OK);
    }
    const bool expected = all_pass(bits[0], depth[0], bits[1][0]) &&
                          all_pass(bits[1], depth[1], bits[0][0]) &&
                          pass(bits[0][depth[0]], bits[1][depth[1]]);
    cr_assert_eq(mo_contact_tracker_create(scene, &tracked, &tracker), MO_OK);
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(events.contact_count, expected, "try %d: %u contacts", i, events.contact_count);
    mo_mover mover = {.shape = ids[i % 2]};
    mo_mover_memory memory[1];
    mo_impact_search search = mo_default_impact_search();
    mo_impact impact;
    mover.movement.displacement.x = i % 2 == 0 ? 1.5f : -1.5f;
    search.movers = &mover;
    search.memory = memory;
    search.count = 1;
    cr_assert_eq(mo_scene_find_impacts(scene, &search, &impact, NULL, NULL), MO_OK);
    cr_assert_eq(impact.other.generation != 0, expected, "try %d", i);
    const mo_pair pair = {ids[i % 2], ids[1 - i % 2]};
    mo_collide_def collide = mo_default_collide_def();
    mo_contact contact;
    uint32_t total = 0;
    collide.speculative_distance = 1.5f;
    cr_assert_eq(mo_scene_collide_pair(scene, &pair, &collide, &contact, 1, &total), MO_OK);
    cr_assert_eq(total, 1, "try %d: %u contacts", i, total);
    met += expected;
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
    for (int k = 0; k < 2; k++) {
      mo_compound_release(depth[k] > 0 ? defs[k].geometry.compound : NULL);
    }
  }
  cr_assert_gt(met, 100);
}

static mo_shape_def unit_box(float x) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box = (mo_box){{0, 0, 0}, {0.5f, 0.5f, 0.5f}};
  def.transform.origin.x = x;
  return def;
}

/* A scene with a placement of a compound of some shapes, and a box that moves. */
typedef struct small_world {
  mo_compound *compound;
  mo_scene *scene;
  mo_shape_id placement, box;
} small_world;

static void make_small(small_world *w, const mo_shape_def *children, uint32_t count,
                       mo_shape_def box, uint64_t category, mo_scene_def def) {
  w->compound = make_compound(children, count);
  mo_shape_def placed = mo_default_shape_def(MO_SHAPE_COMPOUND);
  placed.geometry.compound = w->compound;
  placed.motion = MO_MOTION_STATIC;
  placed.category = category;
  cr_assert_eq(mo_scene_create(&def, &w->scene), MO_OK);
  cr_assert_eq(mo_scene_add_shape(w->scene, &placed, &w->placement), MO_OK);
  cr_assert_eq(mo_scene_add_shape(w->scene, &box, &w->box), MO_OK);
}

static void free_small(small_world *w) {
  mo_scene_destroy(w->scene);
  mo_compound_release(w->compound);
}

/* A sensor contact names the first child that is touched, also if slot 0 of the compound is free;
 * it can be saved and restored. */
Test(compound_contacts, sensors_name_the_child_that_is_touched) {
  small_world w;
  mo_shape_def children[3] = {unit_box(0), unit_box(2), unit_box(4)};
  for (uint64_t i = 0; i < 3; i++) {
    children[i].user_data = 10 + i;
  }
  make_small(&w, children, 3, unit_box(2.6f), 2, mo_default_scene_def());
  mo_scene *own = mo_compound_children(w.compound);
  mo_shape_id path[MO_MAX_COMPOUND_DEPTH], added;
  uint32_t depth;
  cr_assert_eq(mo_compound_find_path(w.compound, 0, path, &depth), MO_OK);
  cr_assert_eq(mo_scene_remove_shape(own, path[0]), MO_OK);
  cr_assert_eq(mo_compound_update(w.compound), MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(w.scene, w.placement), MO_OK);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.sensor_categories = 2;
  mo_contact_tracker *tracker, *restored;
  mo_contact_events events;
  cr_assert_eq(mo_contact_tracker_create(w.scene, &def, &tracker), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(w.scene, &def, &restored), MO_OK);
  cr_assert_eq(mo_contact_tracker_update(restored, NULL), MO_OK);
  for (int step = 0; step < 3; step++) {
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK);
    cr_assert_eq(events.contact_count, 1);
    const mo_contact *c = &events.contacts[0].contact;
    cr_assert(c->manifold.point_count == 0 && c->child_a == 1 && c->user_data_a == 11);
    if (step == 0) { /* then slot 0 is taken by a child that is far away */
      cr_assert_eq(mo_contact_tracker_restore(restored, events.contacts, 1, NULL), MO_OK);
      cr_assert_eq(mo_contact_tracker_validate(restored), MO_OK);
      children[0].transform.origin.x = -50;
      cr_assert_eq(mo_scene_add_shape(own, &children[0], &added), MO_OK);
      cr_assert(added.index == 0 && mo_compound_update(w.compound) == MO_OK);
      cr_assert_eq(mo_scene_refresh_shape(w.scene, w.placement), MO_OK);
    }
  }
  mo_contact_tracker_destroy(restored);
  mo_contact_tracker_destroy(tracker);
  free_small(&w);
}

/* A child that is a sensor by its own category has a contact without points beside the contacts of
 * other children. */
Test(compound_contacts, a_child_may_be_a_sensor) {
  small_world w;
  mo_shape_def children[3] = {unit_box(0), unit_box(1), unit_box(0.5f)};
  children[1].category = 2;
  make_small(&w, children, 3, unit_box(0.5f), 1, mo_default_scene_def());
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.sensor_categories = 2;
  mo_contact_tracker *tracker;
  mo_contact_events events;
  cr_assert_eq(mo_contact_tracker_create(w.scene, &def, &tracker), MO_OK);
  for (int step = 0; step < 2; step++) {
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK);
    cr_assert_eq(events.contact_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
      cr_assert_eq(events.contacts[i].contact.child_a, i);
      cr_assert_eq(events.contacts[i].contact.manifold.point_count > 0, i != 1);
      cr_assert(events.contacts[i].contact.manifold.touching);
    }
  }
  mo_transform away = mo_transform_identity(); /* near the sensor, but apart */
  away.origin.x = 2.01f;
  cr_assert_eq(mo_scene_set_transform(w.scene, w.box, &away), MO_OK);
  cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
  cr_assert(events.contact_count == 0 && events.end_count == 1);
  mo_contact_tracker_destroy(tracker);
  free_small(&w);
}

static void count_calls(mo_modified_pair *pair, void *context) {
  cr_assert_eq(pair->contact_count, 2);
  ++*(uint32_t *)context;
}

/* `modify` is called if any contact of the pair has points, also if the first one has none. */
Test(compound_contacts, modify_is_called_beside_volumes) {
  small_world w;
  uint32_t calls = 0;
  const mo_shape_def children[2] = {mo_default_shape_def(MO_SHAPE_VOLUME), unit_box(0)};
  make_small(&w, children, 2, unit_box(0.4f), 1, mo_default_scene_def());
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.modify = count_calls;
  def.context = &calls;
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(w.scene, &def, &tracker), MO_OK);
  cr_assert_eq(mo_contact_tracker_update(tracker, NULL), MO_OK);
  cr_assert_eq(calls, 1);
  mo_contact_tracker_destroy(tracker);
  free_small(&w);
}

static void count_warnings(mo_log_level level, const char *message, void *context) {
  if (level == MO_LOG_WARNING && strstr(message, "places a mesh without `edges`") != NULL) {
    ++*(uint32_t *)context;
  }
}

/* A mesh without edges in a compound causes the same warning as by itself. */
Test(compound_contacts, meshes_without_edges_cause_a_warning) {
  for (int with_edges = 0; with_edges < 2; with_edges++) {
    static const float positions[9] = {-1, 0, -1, 0, 0, 2, 1, 0, -1};
    static const uint32_t indices[3] = {0, 1, 2};
    uint32_t warnings = 0;
    mo_mesh_def mesh = mo_default_mesh_def();
    mesh.positions = positions;
    mesh.position_stride = 12;
    mesh.vertex_count = 3;
    mesh.indices = indices;
    mesh.index_type = MO_INDEX_U32;
    mesh.triangle_count = 1;
    mesh.build.edges = with_edges;
    mo_shape_def children[2] = {mo_default_shape_def(MO_SHAPE_VOLUME),
                                mo_default_shape_def(MO_SHAPE_MESH)};
    cr_assert_eq(mo_mesh_create(&mesh, &children[1].geometry.mesh), MO_OK);
    mo_scene_def def = mo_default_scene_def();
    def.host.log = count_warnings;
    def.host.log_context = &warnings;
    small_world w;
    make_small(&w, children, 2, unit_box(0), 1, def);
    mo_mesh_release(children[1].geometry.mesh);
    mo_contact_tracker *tracker;
    cr_assert_eq(mo_contact_tracker_create(w.scene, NULL, &tracker), MO_OK);
    cr_assert_eq(mo_contact_tracker_update(tracker, NULL), MO_OK);
    cr_assert_eq(warnings, !with_edges);
    mo_contact_tracker_destroy(tracker);
    free_small(&w);
  }
}

/* A floor of four tiles, behind a compound without children near it; a box over all of them. */
typedef struct shifting_world {
  mo_compound *nested, *floor;
  mo_scene *scene;
  mo_shape_id nested_id, floor_id, tiles[4], box;
  mo_contact_tracker *tracker;
  float x; /* of the box */
} shifting_world;

static mo_shape_def tile_at(int i, uint64_t user_data) {
  mo_shape_def def = unit_box(i % 2 == 0 ? -0.5f : 0.5f);
  def.transform.origin.y = -0.5f;
  def.transform.origin.z = i < 2 ? -0.5f : 0.5f;
  def.user_data = user_data;
  return def;
}

static void make_shifting(shifting_world *w) {
  const mo_shape_def far = unit_box(-50);
  mo_shape_def placement = mo_default_shape_def(MO_SHAPE_COMPOUND), tiles[5];
  mo_shape_id ids[5];
  mo_scene_def def = mo_default_scene_def();
  w->nested = make_compound(&far, 1);
  tiles[0] = placement;
  tiles[0].geometry.compound = w->nested;
  for (int i = 0; i < 4; i++) {
    tiles[1 + i] = tile_at(i, (uint64_t)i);
  }
  cr_assert_eq(mo_compound_create(&def, &w->floor), MO_OK);
  cr_assert_eq(mo_scene_add_shapes(mo_compound_children(w->floor), tiles, 5, ids, NULL), MO_OK);
  cr_assert_eq(mo_compound_update(w->floor), MO_OK);
  w->nested_id = ids[0];
  memcpy(w->tiles, &ids[1], sizeof w->tiles);
  cr_assert_eq(mo_scene_create(&def, &w->scene), MO_OK);
  placement.geometry.compound = w->floor;
  placement.motion = MO_MOTION_STATIC;
  cr_assert_eq(mo_scene_add_shape(w->scene, &placement, &w->floor_id), MO_OK);
  const mo_shape_def box = unit_box(0);
  cr_assert_eq(mo_scene_add_shape(w->scene, &box, &w->box), MO_OK);
  mo_contact_tracker_def tracker = mo_default_contact_tracker_def();
  tracker.match_distance = 0; /* points are recognized by their ids alone */
  cr_assert_eq(mo_contact_tracker_create(w->scene, &tracker, &w->tracker), MO_OK);
  w->x = 0.01f;
}

static void free_shifting(shifting_world *w) {
  mo_contact_tracker_destroy(w->tracker);
  mo_scene_destroy(w->scene);
  mo_compound_release(w->floor);
  mo_compound_release(w->nested);
}

/* Moves the box a little, and returns its contacts, one with each tile, by tile; their points are
 * numbered by tile, and checked if they were kept. */
static void step_shifting(shifting_world *w, uint32_t kept[4], uint32_t child[4]) {
  mo_transform pose;
  mo_contact_events events;
  w->x += 0.001f;
  /* Rotated, so that no point stays where it is relative to the box. */
  pose = mo_transform_make((mo_vec3){w->x, 0.495f, 0.02f}, (mo_quat){0, w->x, 0, 1},
                           (mo_vec3){1, 1, 1});
  cr_assert_eq(mo_scene_set_transform(w->scene, w->box, &pose), MO_OK);
  cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  cr_assert_eq(mo_contact_tracker_update(w->tracker, &events), MO_OK);
  cr_assert_eq(mo_contact_tracker_validate(w->tracker), MO_OK);
  cr_assert_eq(events.contact_count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    mo_tracked_contact *c = &events.contacts[i];
    const uint64_t tile = c->contact.user_data_a;
    const uint32_t count = c->contact.manifold.point_count;
    cr_assert(tile % 10 < 4 && count > 0);
    kept[tile % 10] = (uint32_t)__builtin_popcount(c->kept) == count ? count : c->kept;
    child[tile % 10] = c->contact.child_a;
    for (uint32_t k = 0; k < count; k++) {
      const float memory = (float)(1 + tile % 10);
      cr_assert(!(c->kept >> k & 1) || c->memory[k].values[0] == memory);
      c->memory[k].values[0] = memory;
    }
  }
}

/* If a nested compound gets children, the numbers behind it change, but points stay with their
 * children. */
Test(compound_contacts, points_follow_children_with_other_numbers) {
  shifting_world w;
  uint32_t kept[4], child[4], first[4];
  make_shifting(&w);
  step_shifting(&w, kept, first);
  mo_scene *inside = mo_compound_children(w.nested), *outside = mo_compound_children(w.floor);
  for (uint32_t round = 1; round <= 3; round++) {
    const mo_shape_def far = unit_box(-50);
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(inside, &far, &id), MO_OK);
    cr_assert_eq(mo_compound_update(w.nested), MO_OK);
    cr_assert_eq(mo_scene_refresh_shape(outside, w.nested_id), MO_OK);
    cr_assert_eq(mo_compound_update(w.floor), MO_OK);
    cr_assert_eq(mo_scene_refresh_shape(w.scene, w.floor_id), MO_OK);
    step_shifting(&w, kept, child);
    for (int i = 0; i < 4; i++) {
      cr_assert(child[i] == first[i] + round && kept[i] > 0, "tile %d", i);
    }
  }
  free_shifting(&w);
}

/* A child that takes the slot of a removed one is another child, although it has the same number.
 */
Test(compound_contacts, points_do_not_pass_to_children_in_the_same_slot) {
  shifting_world w;
  uint32_t kept[4], child[4], first[4];
  make_shifting(&w);
  step_shifting(&w, kept, first);
  mo_scene *outside = mo_compound_children(w.floor);
  mo_shape_def other = tile_at(2, 12);
  other.geometry.box.half_extents.x = other.geometry.box.half_extents.z = 0.45f;
  mo_shape_id id;
  cr_assert_eq(mo_scene_remove_shape(outside, w.tiles[2]), MO_OK);
  cr_assert_eq(mo_scene_add_shape(outside, &other, &id), MO_OK);
  cr_assert(id.index == w.tiles[2].index && mo_compound_update(w.floor) == MO_OK);
  cr_assert_eq(mo_scene_refresh_shape(w.scene, w.floor_id), MO_OK);
  step_shifting(&w, kept, child);
  for (int i = 0; i < 4; i++) {
    cr_assert(child[i] == first[i] && (kept[i] > 0) == (i != 2), "tile %d", i);
  }
  free_shifting(&w);
}
