/* Shapes of every kind, moved together under any map: records and stored bounds are the same, to
 * the bit, as those of a shape that is added there, with every instruction set and for any number
 * of parts. */
#include <criterion/criterion.h>
#include <string.h>

#include "scene/shapes/shape.h"
#include "support/hulls.h"
#include "support/task_order.h"
#include "support/world.h"

enum { COUNT = 5000, FRAMES = 4, KINDS = 8 };

/* Zeros, numbers that sums of are exact, and others. */
static float any_number(rng *r) {
  switch (rng_below(r, 8)) {
  case 0:
    return 0;
  case 1:
    return rng_chance(r, 0.5) ? 1.0f : -1.0f;
  case 2:
    return (float)((int)rng_below(r, 64) - 32) / 8;
  case 3:
    return rng_float(r, -1e6f, 1e6f);
  case 4:
    return rng_float(r, -1e-6f, 1e-6f);
  default:
    return rng_float(r, -3, 3);
  }
}

static mo_vec3 any_point(rng *r) {
  float x = any_number(r), y = any_number(r), z = any_number(r);
  return (mo_vec3){x, y, z};
}

static mo_mesh *some_mesh(rng *r) {
  mo_vec3 corners[60];
  for (int i = 0; i < 60; i++) {
    corners[i] = rng_vec3(r, -1, 2);
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = 60;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = 20;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

static mo_shape_def any_shape(rng *r, mo_shape_type type, mo_mesh *mesh) {
  mo_shape_def def = mo_default_shape_def(type);
  mo_vec3 a = any_point(r), b = any_point(r);
  float size = fabsf(any_number(r));
  bool apart = a.x != b.x || a.y != b.y || a.z != b.z;
  switch (type) {
  case MO_SHAPE_MESH:
    def.geometry.mesh = mesh;
    return def;
  case MO_SHAPE_HULL:
    def.geometry.hull = test_hull_random(r);
    break;
  case MO_SHAPE_SPHERE:
    def.geometry.sphere = (mo_sphere){rng_chance(r, 0.5) ? a : (mo_vec3){0, 0, 0}, size};
    break;
  case MO_SHAPE_BOX:
    def.geometry.box =
        (mo_box){rng_chance(r, 0.5) ? a : (mo_vec3){0, 0, 0}, {fabsf(b.x), fabsf(b.y), fabsf(b.z)}};
    break;
  case MO_SHAPE_CAPSULE:
    def.geometry.capsule = (mo_capsule){a, b, size};
    break;
  case MO_SHAPE_CYLINDER:
    def.geometry.cylinder = apart ? (mo_cylinder){a, b, size} : def.geometry.cylinder;
    break;
  case MO_SHAPE_CONE:
    def.geometry.cone = apart ? (mo_cone){a, b, size} : def.geometry.cone;
    break;
  case MO_SHAPE_VOLUME:
    def.geometry.volume = (mo_aabb){{fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)},
                                    {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)}};
    return def;
  case MO_SHAPE_HALF_SPACE:
  case MO_SHAPE_COMPOUND:
    return def;
  }
  def.geometry.rounding = rng_chance(r, 0.3) ? size : 0;
  return def;
}

static mo_transform any_map(rng *r, const mo_transform *before) {
  mo_transform map = *before;
  mo_vec3 place = any_point(r);
  switch (rng_below(r, 5)) {
  case 0:
    return world_translation(place.x, place.y, place.z);
  case 1:
    return mo_transform_make(place, rng_rotation(r), (mo_vec3){1, 1, 1});
  case 2: /* scaled, mirrored, or flat */
    return mo_transform_make(place, rng_rotation(r), any_point(r));
  case 3: /* sheared */
    map.x_axis = any_point(r);
    map.y_axis = any_point(r);
    map.z_axis = any_point(r);
    break;
  default: /* not turned */
    break;
  }
  map.origin = place;
  return map;
}

static void check_shape(const mo_scene *scene, mo_shape_id id, const mo_shape_def *def) {
  mo_affine affine;
  mo_aabb expected, is;
  cr_assert_eq(mo_affine_init(&affine, &def->transform), MO_OK);
  cr_assert_eq(mo_geometry_bounds(&def->geometry, &affine, &expected), MO_OK);
  cr_assert_eq(mo_scene_get_bounds(scene, id, &is), MO_OK);
  cr_assert(memcmp(&expected, &is, sizeof is) == 0,
            "%s: shape %u of type %d is stored under other bounds", mo_isa_name(scene->isa),
            id.index, (int)def->geometry.type);
  const mo_affine *stored = &scene->shapes[id.index].affine;
  cr_assert(memcmp(stored->inverse, affine.inverse, sizeof affine.inverse) == 0 &&
                memcmp(&stored->to_world, &affine.to_world, sizeof affine.to_world) == 0 &&
                memcmp(&stored->axis_sizes, &affine.axis_sizes, sizeof affine.axis_sizes) == 0 &&
                stored->invertible == affine.invertible &&
                stored->slope_factor_in_16_bits == affine.slope_factor_in_16_bits,
            "%s: shape %u of type %d has another map", mo_isa_name(scene->isa), id.index,
            (int)def->geometry.type);
}

static void move_all(mo_isa isa, uint32_t workers, bool shuffled) {
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT];
  static mo_transform transforms[COUNT];
  static mo_vec3 origins[COUNT];
  rng r = rng_make(rng_seed("scene/moves/bounds", 7));
  mo_mesh *mesh = some_mesh(&r);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.isa = isa;
  scene_def.host.tasks = tasks_backwards(workers);
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  for (uint32_t i = 0; i < COUNT; i++) {
    defs[i] = any_shape(&r, (mo_shape_type)(i % KINDS), mesh);
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), MO_OK);
  for (uint32_t i = COUNT - 1; shuffled && i > 0; i--) {
    uint32_t k = rng_below(&r, i + 1);
    mo_shape_id id = ids[i];
    mo_shape_def def = defs[i];
    ids[i] = ids[k], defs[i] = defs[k];
    ids[k] = id, defs[k] = def;
  }
  for (int frame = 0; frame < FRAMES; frame++) {
    bool by_origins = frame % 2 == 1;
    for (uint32_t i = 0; i < COUNT; i++) {
      transforms[i] = any_map(&r, &defs[i].transform);
      if (by_origins) {
        origins[i] = transforms[i].origin;
        transforms[i] = defs[i].transform;
        transforms[i].origin = origins[i];
      }
      defs[i].transform = transforms[i];
    }
    mo_update_def update = mo_default_update_def();
    update.ids = ids;
    update.count = COUNT;
    update.transforms = by_origins ? NULL : transforms;
    update.origins = by_origins ? origins : NULL;
    cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
      check_shape(scene, ids[i], &defs[i]);
    }
  }
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
}

Test(scene_moves, every_kind_is_where_it_would_be_added) {
  for (mo_isa isa = MO_ISA_SCALAR; isa <= MO_ISA_NEON; isa++) {
    mo_isa is;
    if (mo_isa_resolve(isa, &is) == MO_OK) {
      move_all(isa, 1, false);
      move_all(isa, 3, true);
    }
  }
  move_all(MO_ISA_AUTO, 4, false);
}

/* --- larger bounds, by margins and velocities --- */

/* Shapes that move in one call, or one after the other. */
typedef struct moved_scene {
  mo_scene *scene;
  mo_shape_id ids[COUNT];
} moved_scene;

static void begin_with_margins(moved_scene *s, const mo_shape_def *defs, mo_isa isa,
                               uint32_t workers) {
  mo_scene_def def = mo_default_scene_def();
  def.isa = isa;
  def.host.tasks = tasks_backwards(workers);
  def.margin = 0.25f;
  cr_assert_eq(mo_scene_create(&def, &s->scene), MO_OK);
  cr_assert_eq(mo_scene_add_shapes(s->scene, defs, COUNT, s->ids, NULL), MO_OK);
}

/* Mostly so little that shapes stay inside of the bounds that they are stored under. Half-spaces
 * may not be flattened. */
static mo_transform a_little_farther(rng *r, const mo_shape_def *def) {
  const bool is_far = rng_chance(r, 0.1) && def->geometry.type != MO_SHAPE_HALF_SPACE;
  mo_transform map = is_far ? any_map(r, &def->transform) : def->transform;
  if (rng_chance(r, 0.5)) {
    map.x_axis = mo_scale(rng_float(r, 0.99f, 1.01f), map.x_axis);
  }
  map.origin = mo_add(map.origin, rng_vec3(r, -0.2f, 0.2f));
  return map;
}

/* The shapes to move, of which each may be there once or several times. */
static void move_both(const moved_scene *together, const moved_scene *alone, mo_shape_def *defs,
                      bool repeated, bool has_velocities, rng *r) {
  static mo_shape_id ids[2][COUNT];
  static mo_transform transforms[COUNT];
  static mo_vec3 velocities[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    uint32_t shape = repeated ? rng_below(r, COUNT) : i;
    defs[shape].transform = transforms[i] = a_little_farther(r, &defs[shape]);
    velocities[i] = rng_vec3(r, -1, 1);
    ids[0][i] = together->ids[shape];
    ids[1][i] = alone->ids[shape];
  }
  mo_update_def update = mo_default_update_def();
  update.lookahead = 0.5f;
  update.ids = ids[0];
  update.transforms = transforms;
  update.velocities = has_velocities ? velocities : NULL;
  update.count = COUNT;
  cr_assert_eq(mo_scene_update(together->scene, &update), MO_OK);
  cr_assert_eq(mo_scene_validate(together->scene), MO_OK);
  update.count = 1;
  update.upkeep = 0;
  for (uint32_t i = 0; i < COUNT; i++) {
    update.ids = &ids[1][i];
    update.transforms = &transforms[i];
    update.velocities = has_velocities ? &velocities[i] : NULL;
    cr_assert_eq(mo_scene_update(alone->scene, &update), MO_OK);
  }
}

static void check_margins(mo_isa isa, uint32_t workers) {
  static mo_shape_def defs[COUNT];
  static moved_scene together, alone;
  rng r = rng_make(rng_seed("scene/moves/bounds: margins", 8));
  mo_mesh *mesh = some_mesh(&r);
  for (uint32_t i = 0; i < COUNT; i++) {
    defs[i] = any_shape(&r, (mo_shape_type)(i % (KINDS + 1)), mesh);
    defs[i].margin = i % 5 == 0 ? 0 : i % 5 == 1 ? 1 : MO_MARGIN_OF_SCENE;
  }
  begin_with_margins(&together, defs, isa, workers);
  begin_with_margins(&alone, defs, isa, 1);
  uint32_t changed = 0;
  for (int frame = 0; frame < 2 * FRAMES; frame++) {
    static mo_aabb before[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
      (void)mo_scene_get_bounds(together.scene, together.ids[i], &before[i]);
    }
    move_both(&together, &alone, defs, frame % 2 == 1, frame % 4 >= 2, &r);
    for (uint32_t i = 0; i < COUNT; i++) {
      mo_aabb a = mo_aabb_empty(), b = a;
      cr_assert_eq(mo_scene_get_bounds(together.scene, together.ids[i], &a),
                   mo_scene_get_bounds(alone.scene, alone.ids[i], &b));
      cr_assert(memcmp(&a, &b, sizeof a) == 0, "%s, %u workers, frame %d: shape %u of type %d",
                mo_isa_name(isa), workers, frame, i, (int)defs[i].geometry.type);
      changed += memcmp(&a, &before[i], sizeof a) != 0;
    }
  }
  cr_assert(changed > COUNT && changed < 2 * FRAMES * COUNT * 3 / 4, "%u", changed);
  mo_scene_destroy(together.scene);
  mo_scene_destroy(alone.scene);
  mo_mesh_release(mesh);
}

Test(scene_moves, grown_bounds_are_those_of_single_moves) {
  for (mo_isa isa = MO_ISA_SCALAR; isa <= MO_ISA_NEON; isa++) {
    mo_isa is;
    if (mo_isa_resolve(isa, &is) == MO_OK) {
      check_margins(isa, isa == MO_ISA_SCALAR ? 1 : 3);
    }
  }
}
