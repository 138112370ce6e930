/* What mo_scene_update does with the moves of its def: the same as single moves, by origins alone
 * as by transforms; margins and velocities have their documented effect; maintenance ends at its
 * limit. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "scene/octree/tree.h"
#include "scene/shapes/shape.h"
#include "support/task_order.h"
#include "support/world.h"

enum { COUNT = 600 };

static mo_shape_def walker(rng *r, bool turned) {
  mo_shape_def def = mo_default_shape_def(rng_chance(r, 0.5) ? MO_SHAPE_BOX : MO_SHAPE_SPHERE);
  mo_vec3 place = rng_vec3(r, -20, 20);
  def.transform = world_translation(place.x, place.y, place.z);
  if (turned && rng_chance(r, 0.5)) {
    def.transform = mo_transform_make(place, rng_rotation(r), (mo_vec3){1, 2, 0.5f});
  }
  return def;
}

static mo_scene *scene_of(mo_tree_policy policy, float margin) {
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = policy;
  def.margin = margin;
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  return scene;
}

static mo_aabb bounds_of(const mo_scene *scene, mo_shape_id id) {
  mo_aabb box;
  cr_assert_eq(mo_scene_get_bounds(scene, id, &box), MO_OK);
  return box;
}

static bool same_box(mo_aabb a, mo_aabb b) {
  return a.lower.x == b.lower.x && a.lower.y == b.lower.y && a.lower.z == b.lower.z &&
         a.upper.x == b.upper.x && a.upper.y == b.upper.y && a.upper.z == b.upper.z;
}

static float axis_of(mo_vec3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Bulk moves against single ones in another scene, with ids that come twice. Half of the shapes are
 * never rotated, and in every third frame nothing else moves; now and then one is so far away that
 * the bounds of its box take the general path. */
Test(scene_moves, many_are_as_one_by_one) {
  rng r = rng_make(rng_seed("scene/moves", 71));
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[2][COUNT], moved[2 * COUNT];
  static mo_transform transforms[2 * COUNT];
  static mo_vec3 origins[2 * COUNT];
  for (int policy = 0; policy < 3; policy++) {
    mo_scene *bulk = scene_of(world_policies[policy], 0);
    mo_scene *single = scene_of(world_policies[policy], 0);
    for (int i = 0; i < COUNT; i++) {
      defs[i] = walker(&r, i >= COUNT / 2);
    }
    cr_assert_eq(mo_scene_add_shapes(bulk, defs, COUNT, ids[0], NULL), MO_OK);
    cr_assert_eq(mo_scene_add_shapes(single, defs, COUNT, ids[1], NULL), MO_OK);
    for (int frame = 0; frame < 30; frame++) {
      uint32_t count = 1 + rng_below(&r, 2 * COUNT);
      bool plain = frame % 3 == 0, by_origin = plain || rng_chance(&r, 0.5);
      float reach = frame % 5 == 4 ? 40 : 0.5f;
      for (uint32_t k = 0; k < count; k++) {
        uint32_t i = rng_below(&r, plain ? COUNT / 2 : COUNT);
        mo_vec3 step = rng_vec3(&r, -reach, reach);
        mo_transform *t = &defs[i].transform;
        t->origin = (mo_vec3){t->origin.x + step.x, t->origin.y + step.y, t->origin.z + step.z};
        if (fabsf(t->origin.x) > 1e10f) {
          t->origin = step;
        } else if (!plain && rng_chance(&r, 0.001)) {
          t->origin.x = 3e14f;
        }
        if (!by_origin && i >= COUNT / 2 && rng_chance(&r, 0.2)) {
          *t = world_translation(t->origin.x, t->origin.y, t->origin.z);
        } else if (!by_origin && i >= COUNT / 2 && rng_chance(&r, 0.2)) {
          *t = mo_transform_make(t->origin, rng_rotation(&r), (mo_vec3){1, 1, 1});
        }
        moved[k] = ids[0][i];
        transforms[k] = *t;
        origins[k] = t->origin;
        cr_assert_eq(mo_scene_set_transform(single, ids[1][i], t), MO_OK);
      }
      mo_update_def update = mo_default_update_def();
      update.ids = moved;
      update.count = count;
      *(by_origin ? (const void **)&update.origins : (const void **)&update.transforms) =
          by_origin ? (const void *)origins : (const void *)transforms;
      cr_assert_eq(mo_scene_update(bulk, &update), MO_OK);
      cr_assert_eq(mo_scene_validate(bulk), MO_OK);
      for (int i = 0; i < COUNT; i++) {
        mo_shape_def is;
        cr_assert_eq(mo_scene_get_shape(bulk, ids[0][i], &is), MO_OK);
        cr_assert_eq(memcmp(&is.transform, &defs[i].transform, sizeof is.transform), 0);
        cr_assert(same_box(bounds_of(bulk, ids[0][i]), bounds_of(single, ids[1][i])));
      }
    }
    mo_scene_destroy(bulk);
    mo_scene_destroy(single);
  }
}

static void set_axis(mo_vec3 *v, int axis, float value) {
  *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

/* To the border of what the cell of a shape contains, exactly as far as floats go, or just beyond
 * it. */
static mo_vec3 to_an_edge(rng *r, const mo_block_cell *at, mo_vec3 origin, float half) {
  int axis = (int)rng_below(r, 3);
  bool upper = rng_chance(r, 0.5), middle = rng_chance(r, 0.5);
  float reach = middle ? 0.25f * at->slack : at->slack - half;
  float edge =
      upper ? axis_of(at->cell.upper, axis) + reach : axis_of(at->cell.lower, axis) - reach;
  uint32_t nudge = rng_below(r, 3);
  if (isfinite(edge)) {
    set_axis(&origin, axis, nudge ? nextafterf(edge, nudge == 1 ? -INFINITY : INFINITY) : edge);
  }
  return origin;
}

/* Of many shapes that move together, those stay in their cells that would stay if they moved alone,
 * to the last bit, whether or not they are expected to: many end at the very border of their
 * cells. */
Test(scene_moves, moved_shapes_stay_in_cells_that_contain_them) {
  enum { MOVES = 200, ROUNDS = 40 };
  rng r = rng_make(rng_seed("scene/moves: edges", 78));
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT];
  static mo_transform to[MOVES];
  for (int policy = 0; policy < 3; policy++) {
    mo_scene *scene = scene_of(world_policies[policy], 0);
    for (int i = 0; i < COUNT; i++) {
      defs[i] = walker(&r, false);
      defs[i].geometry.sphere.radius = 0.5f;
      if (defs[i].geometry.type == MO_SHAPE_BOX) {
        defs[i].geometry.box.half_extents = mo_vec(0.5f, 0.5f, 0.5f);
      }
    }
    cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), MO_OK);
    uint32_t at_edges = 0;
    for (int round = 0; round < ROUNDS; round++) {
      uint32_t first = rng_below(&r, COUNT - MOVES), stay = 0;
      for (uint32_t k = 0; k < MOVES; k++) {
        uint32_t slot = ids[first + k].index, owner;
        const mo_block_cell *at = &scene->cells[scene->places[slot] >> 3];
        mo_vec3 *origin = &defs[first + k].transform.origin;
        *origin = to_an_edge(&r, at, *origin, 0.5f);
        to[k] = defs[first + k].transform;
        mo_aabb box = mo_centred_bounds(&defs[first + k].geometry, *origin);
        owner = at->owner;
        bool sinks = owner != MO_NONE && (owner & MO_OWNER_IS_NODE) &&
                     mo_item_fits_octant(scene, owner & ~MO_OWNER_IS_NODE, &at->cell, &box);
        stay += mo_cell_retains(&at->cell, at->slack, &box) && !sinks;
        for (int axis = 0; axis < 3; axis++) {
          float low = axis_of(at->cell.lower, axis), high = axis_of(at->cell.upper, axis);
          float middle = 0.5f * (axis_of(box.lower, axis) + axis_of(box.upper, axis));
          at_edges += middle == low - 0.25f * at->slack || middle == high + 0.25f * at->slack ||
                      axis_of(box.lower, axis) == low - at->slack ||
                      axis_of(box.upper, axis) == high + at->slack;
        }
      }
      mo_scene_stats before, after;
      cr_assert_eq(mo_scene_get_stats(scene, &before), MO_OK);
      cr_assert_eq(mo_scene_set_transforms(scene, &ids[first], to, MOVES, NULL), MO_OK);
      cr_assert_eq(mo_scene_get_stats(scene, &after), MO_OK);
      cr_assert_eq(after.stayed_move_count - before.stayed_move_count, stay);
      cr_assert_eq(after.reinsert_count - before.reinsert_count, MOVES - stay);
      cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
      cr_assert_eq(mo_scene_validate(scene), MO_OK);
    }
    cr_expect_gt(at_edges, 300, "%u", at_edges);
    mo_scene_destroy(scene);
  }
}

/* More shapes leave their cells in one call than are reinserted at a time: into heaps, whose cells
 * are split while the others are still where they were, and out of them again. Bounds are as tight
 * as after any update (mo_scene_validate). */
Test(scene_moves, many_shapes_leave_their_cells) {
  enum { MANY = 9000, HEAPS = 3 };
  rng r = rng_make(rng_seed("scene/moves: many", 75));
  static mo_shape_def defs[MANY];
  static mo_shape_id ids[MANY], moved[MANY];
  static mo_vec3 origins[MANY];
  for (int policy = 0; policy < 3; policy++) {
    mo_scene *scene = scene_of(world_policies[policy], 0);
    for (int i = 0; i < MANY; i++) {
      defs[i] = walker(&r, false);
    }
    cr_assert_eq(mo_scene_add_shapes(scene, defs, MANY, ids, NULL), MO_OK);
    for (int frame = 0; frame < 6; frame++) {
      uint32_t count = MANY - rng_below(&r, MANY / 3);
      float reach = frame % 2 ? 60 : 3;
      mo_vec3 heaps[HEAPS];
      for (int heap = 0; heap < HEAPS; heap++) {
        heaps[heap] = rng_vec3(&r, -60, 60);
      }
      for (uint32_t k = 0; k < count; k++) {
        mo_vec3 near = heaps[k % HEAPS], off = rng_vec3(&r, -reach, reach);
        moved[k] = ids[(k + 17 * (uint32_t)frame) % MANY];
        origins[k] = (mo_vec3){near.x + off.x, near.y + off.y, near.z + off.z};
      }
      mo_update_def update = mo_default_update_def();
      update.ids = moved;
      update.origins = origins;
      update.count = count;
      update.upkeep = frame == 3 ? 0 : UINT64_MAX;
      cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
      cr_assert_eq(mo_scene_validate(scene), MO_OK);
    }
    mo_scene_destroy(scene);
  }
}

/* The same along a line, where splitting a leaf rebuilds all of its parent, and other shapes below
 * that are about to leave. */
Test(scene_moves, many_shapes_leave_along_a_line) {
  enum { MANY = 9000 };
  rng r = rng_make(rng_seed("scene/moves: a line", 79));
  static mo_shape_def defs[MANY];
  static mo_shape_id ids[MANY];
  static mo_vec3 origins[MANY];
  mo_scene *scene = scene_of(MO_TREE_IRREGULAR, 0);
  for (int i = 0; i < MANY; i++) {
    defs[i] = walker(&r, false);
    defs[i].transform.origin = mo_vec(100 * defs[i].transform.origin.x, 0, 0);
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, MANY, ids, NULL), MO_OK);
  for (int frame = 0; frame < 12; frame++) {
    float reach = exp2f((float)(frame % 6) + 1);
    for (uint32_t k = 0; k < MANY; k++) {
      float x = defs[k].transform.origin.x + rng_float(&r, -reach, reach);
      origins[k] = mo_vec(x, 0, 0);
    }
    mo_update_def update = mo_default_update_def();
    update.ids = ids;
    update.origins = origins;
    update.count = MANY;
    cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
  }
  mo_scene_destroy(scene);
}

/* Stored bounds contain the shape and its motion, are at most four margins too large, and do not
 * change while that is so. */
Test(scene_moves, margins_and_velocities) {
  rng r = rng_make(rng_seed("scene/moves: margins", 72));
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT], plain_ids[COUNT];
  static mo_transform transforms[COUNT];
  static mo_vec3 velocities[COUNT];
  const float margin = 0.25f;
  mo_scene *fat = scene_of(MO_TREE_IRREGULAR, margin), *plain = scene_of(MO_TREE_LOOSE, 0);
  for (int i = 0; i < COUNT; i++) {
    defs[i] = walker(&r, true);
    transforms[i] = defs[i].transform;
  }
  cr_assert_eq(mo_scene_add_shapes(fat, defs, COUNT, ids, NULL), MO_OK);
  cr_assert_eq(mo_scene_add_shapes(plain, defs, COUNT, plain_ids, NULL), MO_OK);
  uint32_t kept = 0, changed = 0;
  for (int frame = 0; frame < 40; frame++) {
    mo_update_def update = mo_default_update_def();
    update.ids = ids;
    update.transforms = transforms;
    update.count = frame % 4 == 3 ? 10 : COUNT;
    bool fast = frame % 2 == 1;
    update.velocities = fast ? velocities : NULL;
    update.lookahead = 0.5f;
    static mo_aabb before[COUNT];
    for (int i = 0; i < COUNT; i++) {
      before[i] = bounds_of(fat, ids[i]);
    }
    for (uint32_t i = 0; i < update.count; i++) {
      mo_vec3 step = rng_vec3(&r, -0.1f, 0.1f);
      transforms[i].origin.x += step.x;
      transforms[i].origin.y += step.y;
      transforms[i].origin.z += step.z;
      velocities[i] = rng_vec3(&r, -1, 1);
    }
    cr_assert_eq(mo_scene_update(fat, &update), MO_OK);
    cr_assert_eq(mo_scene_validate(fat), MO_OK);
    cr_assert_eq(mo_scene_set_transforms(plain, plain_ids, transforms, COUNT, NULL), MO_OK);
    for (uint32_t i = 0; i < update.count; i++) {
      mo_aabb is = bounds_of(fat, ids[i]), box = bounds_of(plain, plain_ids[i]);
      bool good = true;
      for (int axis = 0; axis < 3; axis++) {
        double way = fast ? 0.5 * (double)axis_of(velocities[i], axis) : 0;
        double lower = (double)axis_of(box.lower, axis) + fmin(way, 0);
        double upper = (double)axis_of(box.upper, axis) + fmax(way, 0);
        double below = lower - (double)axis_of(is.lower, axis);
        double above = (double)axis_of(is.upper, axis) - upper;
        cr_assert(below >= 0 && above >= 0, "frame %d, shape %u", frame, i);
        cr_assert(below <= 4 * (double)margin + 1e-4 && above <= 4 * (double)margin + 1e-4);
        double stale_below = lower - (double)axis_of(before[i].lower, axis);
        double stale_above = (double)axis_of(before[i].upper, axis) - upper;
        good &= stale_below >= 1e-5 && stale_above >= 1e-5 && stale_below <= 0.99 &&
                stale_above <= 0.99;
      }
      bool same = same_box(is, before[i]);
      cr_assert(same || !good, "frame %d: bounds of %u change that were good enough", frame, i);
      kept += same;
      changed += !same;
    }
  }
  cr_expect(kept > COUNT && changed > COUNT, "%u kept, %u changed", kept, changed);
  mo_scene_destroy(fat);
  mo_scene_destroy(plain);
}

/* A shape's own margin goes before the scene's; volumes have none. */
Test(scene_moves, margins_by_shape) {
  mo_scene *scene = scene_of(MO_TREE_IRREGULAR, 1);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  cr_expect_eq(bounds_of(scene, id).upper.x, 2);
  def.margin = 0.5f;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  cr_expect_eq(bounds_of(scene, id).lower.y, -1.5f);
  cr_assert_eq(mo_scene_get_shape(scene, id, &def), MO_OK);
  cr_expect_eq(def.margin, 0.5f);
  def = mo_default_shape_def(MO_SHAPE_VOLUME);
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  cr_expect_eq(bounds_of(scene, id).upper.z, 1);
  const float bad[] = {-0.5f, NAN, INFINITY, 1e20f};
  const mo_result codes[] = {MO_ERROR_INVALID_ARGUMENT, MO_ERROR_NOT_FINITE, MO_ERROR_NOT_FINITE,
                             MO_ERROR_OUT_OF_RANGE};
  for (int i = 0; i < 4; i++) {
    def.margin = bad[i];
    cr_expect_eq(mo_scene_add_shape(scene, &def, &id), codes[i]);
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.margin = bad[i];
    mo_scene *none = NULL;
    cr_expect_eq(mo_scene_create(&scene_def, &none), codes[i]);
  }
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
}

/* Bad defs change nothing. */
Test(scene_moves, errors) {
  mo_scene *scene = scene_of(MO_TREE_IRREGULAR, 0);
  static mo_shape_def defs[COUNT];
  static mo_shape_id ids[COUNT];
  static mo_transform transforms[COUNT];
  static mo_vec3 origins[COUNT], velocities[COUNT];
  rng r = rng_make(73);
  for (int i = 0; i < COUNT; i++) {
    defs[i] = walker(&r, false);
    transforms[i] = mo_transform_identity();
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT, ids, NULL), MO_OK);
  for (uint32_t count = 1; count <= COUNT; count += COUNT - 1) {
    uint32_t last = count - 1;
    mo_update_def update = mo_default_update_def();
    update.ids = ids;
    update.origins = origins;
    update.count = count;
    update.transforms = transforms;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_INVALID_ARGUMENT);
    update.transforms = NULL;
    update.lookahead = -1;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_INVALID_ARGUMENT);
    update.lookahead = NAN;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_INVALID_ARGUMENT);
    update.lookahead = 1;
    origins[last].y = NAN;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_NOT_FINITE);
    origins[last].y = 2e30f;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_OUT_OF_RANGE);
    origins[last].y = 0;
    update.velocities = velocities;
    velocities[last].z = INFINITY;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_NOT_FINITE);
    velocities[last].z = 1e20f;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_OUT_OF_RANGE);
    velocities[last].z = 0;
    mo_shape_id living = ids[last];
    ids[last].generation += 2;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_STALE_ID);
    ids[last] = living;
    update.ids = NULL;
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_NULL_ARGUMENT);
  }
  for (int i = 0; i < COUNT; i++) {
    mo_shape_def is;
    cr_assert_eq(mo_scene_get_shape(scene, ids[i], &is), MO_OK);
    cr_expect_eq(memcmp(&is.transform, &defs[i].transform, sizeof is.transform), 0);
  }
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
}

/* A transform that is harmless for most shapes takes a huge one out of range, in whatever order
 * the shapes come. */
Test(scene_moves, huge_shapes_among_others) {
  for (int reversed = 0; reversed < 2; reversed++) {
    mo_scene *scene = scene_of(MO_TREE_IRREGULAR, 0);
    static mo_shape_def defs[COUNT];
    static mo_shape_id added[COUNT], ids[COUNT];
    static mo_transform transforms[COUNT];
    rng r = rng_make(81);
    for (int i = 0; i < COUNT; i++) {
      defs[i] = walker(&r, false);
      transforms[i] = mo_transform_identity();
    }
    const int huge = COUNT / 2;
    defs[huge] = mo_default_shape_def(MO_SHAPE_SPHERE);
    defs[huge].geometry.sphere.radius = 1e20f;
    cr_assert_eq(mo_scene_add_shapes(scene, defs, COUNT, added, NULL), MO_OK);
    for (int i = 0; i < COUNT; i++) {
      ids[i] = added[reversed ? COUNT - 1 - i : i];
    }
    mo_update_def update = mo_default_update_def();
    update.ids = ids;
    update.transforms = transforms;
    update.count = COUNT;
    const mo_vec3 large = {1e13f, 1e13f, 1e13f};
    transforms[reversed ? COUNT - 1 - huge : huge] =
        mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1}, large);
    cr_expect_eq(mo_scene_update(scene, &update), MO_ERROR_OUT_OF_RANGE);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    mo_scene_destroy(scene);
  }
}

/* Of several bad moves in a call the first in the caller's order names the error, however the
 * checks are cut into tasks and whichever of these runs first. */
Test(scene_moves, first_error_in_the_order_of_moves) {
  enum { MANY = 9000 };
  static mo_shape_def defs[MANY];
  static mo_shape_id ids[MANY];
  static mo_transform transforms[MANY];
  static mo_vec3 origins[MANY];
  static const mo_result errors[3] = {MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
                                      MO_ERROR_STALE_ID};
  rng r = rng_make(rng_seed("scene/moves: errors", 80));
  mo_scene_def def = mo_default_scene_def();
  for (uint32_t workers = 1; workers <= 40; workers += 13) {
    def.host.tasks = tasks_backwards(workers);
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    for (int i = 0; i < MANY; i++) {
      defs[i] = walker(&r, false);
    }
    cr_assert_eq(mo_scene_add_shapes(scene, defs, MANY, ids, NULL), MO_OK);
    for (int round = 0; round < 60; round++) {
      mo_update_def update = mo_default_update_def();
      update.ids = ids;
      update.count = MANY - rng_below(&r, 4000);
      for (uint32_t i = 0; i < MANY; i++) {
        origins[i] = rng_vec3(&r, -20, 20);
        transforms[i] = world_translation(origins[i].x, origins[i].y, origins[i].z);
      }
      mo_shape_id living[3];
      uint32_t bad[3];
      mo_result expected = MO_OK;
      uint32_t first = UINT32_MAX;
      for (int k = 0; k < 3; k++) {
        bad[k] = (uint32_t)k + 3 * rng_below(&r, update.count / 3);
        living[k] = ids[bad[k]];
        origins[bad[k]].z = k == 0 ? NAN : k == 1 ? -3e30f : 0;
        transforms[bad[k]].origin = origins[bad[k]];
        ids[bad[k]].generation += k == 2 ? 2 : 0;
        expected = bad[k] < first ? errors[k] : expected;
        first = bad[k] < first ? bad[k] : first;
      }
      if (round % 2) {
        update.origins = origins;
      } else {
        update.transforms = transforms;
      }
      cr_expect_eq(mo_scene_update(scene, &update), expected, "move %u, %u workers", first,
                   workers);
      for (int k = 0; k < 3; k++) {
        ids[bad[k]] = living[k];
      }
    }
    for (int i = 0; i < MANY; i++) {
      mo_shape_def is;
      cr_assert_eq(mo_scene_get_shape(scene, ids[i], &is), MO_OK);
      cr_expect_eq(memcmp(&is.transform, &defs[i].transform, sizeof is.transform), 0);
    }
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    mo_scene_destroy(scene);
  }
}

/* Upkeep in small portions leaves the scene valid, and in the end as good as all at once. */
Test(scene_moves, upkeep_in_portions) {
  rng r = rng_make(rng_seed("scene/moves: upkeep", 74));
  static mo_shape_def defs[WORLD_MAX];
  static mo_shape_id ids[WORLD_MAX];
  static mo_vec3 origins[WORLD_MAX];
  mo_scene *scene = scene_of(MO_TREE_IRREGULAR, 0);
  for (int i = 0; i < WORLD_MAX; i++) {
    defs[i] = walker(&r, false);
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, WORLD_MAX, ids, NULL), MO_OK);
  mo_update_def update = mo_default_update_def();
  update.ids = ids;
  update.origins = origins;
  update.count = WORLD_MAX;
  update.upkeep = 0;
  for (int i = 0; i < WORLD_MAX; i++) {
    origins[i] = rng_vec3(&r, 100, 300);
  }
  mo_scene_stats at_first, now;
  cr_assert_eq(mo_scene_get_stats(scene, &at_first), MO_OK);
  cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  update.count = 0;
  update.upkeep = 40;
  uint64_t max = 0;
  for (int frame = 0; frame < 400; frame++) {
    mo_scene_stats before;
    cr_assert_eq(mo_scene_get_stats(scene, &before), MO_OK);
    cr_assert_eq(mo_scene_update(scene, &update), MO_OK);
    cr_assert_eq(mo_scene_get_stats(scene, &now), MO_OK);
    uint64_t made = now.split_count + now.merge_count + now.replan_count - before.split_count -
                    before.merge_count - before.replan_count;
    max = made > max ? made : max;
  }
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  cr_expect(max <= 40, "%llu subtrees made in one update", (unsigned long long)max);
  mo_scene *fresh = scene_of(MO_TREE_IRREGULAR, 0);
  for (int i = 0; i < WORLD_MAX; i++) {
    defs[i].transform.origin = origins[i];
  }
  mo_scene_stats best;
  cr_assert_eq(mo_scene_add_shapes(fresh, defs, WORLD_MAX, ids, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(fresh, NULL), MO_OK);
  cr_assert_eq(mo_scene_get_stats(fresh, &best), MO_OK);
  cr_expect(now.expected_node_visits <= 1.5 * best.expected_node_visits,
            "%g nodes visited, %g in a fresh tree", now.expected_node_visits,
            best.expected_node_visits);
  mo_scene_destroy(fresh);
  mo_scene_destroy(scene);
}
