/* Many shapes added, removed and moved at once, of every number and in every layout: all invariants
 * hold throughout, boxes are found as a loop over all finds them, and a batch comes in whole or not
 * at all. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query.h>
#include <stdlib.h>
#include <string.h>

#include "scene/octree/tree.h"
#include "support/defs.h"
#include "support/world.h"

/* Where the shapes of a batch are. */
typedef enum pattern { SPREAD, CLUSTER, BESIDE, POINT, LINE, LAYOUTS } pattern;

static mo_vec3 place_in(world *w, pattern layout, mo_vec3 middle) {
  rng *r = &w->r;
  mo_vec3 p = rng_vec3(r, -w->size / 2, w->size / 2);
  switch (layout) {
  case CLUSTER:
    p = rng_vec3(r, -1, 1);
    break;
  case POINT:
    p = (mo_vec3){0, 0, 0};
    break;
  case LINE:
    p.y = p.z = 0;
    break;
  default:
    break;
  }
  return (mo_vec3){p.x + middle.x, p.y + middle.y, p.z + middle.z};
}

static mo_vec3 any_middle(world *w, pattern layout) {
  mo_vec3 middle = rng_vec3(&w->r, -w->size / 2, w->size / 2);
  if (layout == SPREAD) {
    middle = (mo_vec3){0, 0, 0};
  } else if (layout == BESIDE) {
    /* One of the tiles around. */
    middle = (mo_vec3){w->size * ((float)rng_below(&w->r, 5) - 2),
                       w->size * ((float)rng_below(&w->r, 5) - 2), 0};
  }
  return middle;
}

static uint32_t any_number(world *w, uint32_t max) {
  uint32_t number = (uint32_t)exp2f(rng_float(&w->r, 0, log2f((float)max + 1)));
  return number < max ? number : max;
}

static mo_result add(world *w, uint32_t count) {
  pattern layout = rng_below(&w->r, LAYOUTS);
  mo_vec3 middle = any_middle(w, layout);
  for (uint32_t i = w->count; i < w->count + count; i++) {
    w->defs[i] = world_shape(w);
    w->defs[i].transform.origin = place_in(w, layout, middle);
    w->ids[i] = (mo_shape_id){7, 7};
  }
  mo_result result =
      mo_scene_add_shapes(w->scene, &w->defs[w->count], count, &w->ids[w->count], NULL);
  if (result == MO_OK) {
    w->count += count;
  } else {
    for (uint32_t i = w->count; i < w->count + count; i++) {
      cr_assert(w->ids[i].index == 7 && w->ids[i].generation == 7);
    }
  }
  return result;
}

/* Brings `count` shapes to the end of the model: any, or the lowest along an axis. */
static void choose(world *w, uint32_t count) {
  uint32_t first = w->count - count;
  int axis = (int)rng_below(&w->r, 6);
  for (uint32_t i = w->count; i-- > first;) {
    uint32_t k = rng_below(&w->r, i + 1);
    for (uint32_t j = 0; axis < 3 && j <= i && w->count <= 400; j++) {
      const float *a = &w->defs[j].transform.origin.x, *b = &w->defs[k].transform.origin.x;
      k = a[axis] < b[axis] ? j : k;
    }
    mo_shape_id id = w->ids[i];
    mo_shape_def def = w->defs[i];
    w->ids[i] = w->ids[k];
    w->defs[i] = w->defs[k];
    w->ids[k] = id;
    w->defs[k] = def;
  }
}

static void take_out(world *w, uint32_t count) {
  choose(w, count);
  uint32_t first = w->count - count;
  cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[first], count, NULL), MO_OK);
  for (uint32_t i = first; i < w->count; i++) {
    cr_assert_not(mo_scene_is_valid(w->scene, w->ids[i]));
  }
  /* None are always there to be removed. */
  cr_assert_eq(mo_scene_remove_shapes(w->scene, &w->ids[first], count, NULL),
               count > 0 ? MO_ERROR_STALE_ID : MO_OK);
  w->count = first;
}

static void teleport(world *w, uint32_t count) {
  static mo_transform transforms[2 * WORLD_MAX];
  static mo_shape_id ids[2 * WORLD_MAX];
  choose(w, count);
  pattern layout = rng_below(&w->r, LAYOUTS);
  mo_vec3 middle = any_middle(w, layout);
  uint32_t first = w->count - count, n = 0;
  for (uint32_t i = first; i < w->count; i++) {
    /* Some are named twice: the last place counts. */
    for (uint32_t times = rng_chance(&w->r, 0.02) ? 2 : 1; times > 0; times--) {
      w->defs[i].transform.origin = place_in(w, layout, middle);
      transforms[n] = w->defs[i].transform;
      ids[n++] = w->ids[i];
    }
  }
  cr_assert_eq(mo_scene_set_transforms(w->scene, ids, transforms, n, NULL), MO_OK);
}

static bool overlap(const mo_aabb *a, const mo_aabb *b) {
  return a->lower.x <= b->upper.x && a->lower.y <= b->upper.y && a->lower.z <= b->upper.z &&
         b->lower.x <= a->upper.x && b->lower.y <= a->upper.y && b->lower.z <= a->upper.z;
}

static bool contains(const mo_aabb *box, mo_vec3 p) {
  return overlap(box, &(mo_aabb){p, p});
}

/* The shapes that a loop over all finds in a box: those whose origin is in it, but for meshes,
 * which are not solid; volumes that touch it; and none whose bounds do not touch it. */
static void query(world *w) {
  mo_vec3 p = {0, 0, 0};
  if (w->count > 0) {
    p = w->defs[rng_below(&w->r, w->count)].transform.origin;
  }
  float s = rng_float(&w->r, 0, w->size / 4);
  mo_aabb box = {{p.x - s, p.y - s, p.z - s}, {p.x + s, p.y + s, p.z + s}};
  static mo_shape_id found[WORLD_MAX];
  static uint8_t is_found[4 * WORLD_MAX];
  uint32_t total = 0;
  mo_overlap_def def = mo_default_overlap_def();
  cr_assert_eq(
      mo_scene_overlap_shapes(w->scene, IN_AABB(box, &def), found, WORLD_MAX, &total, NULL), MO_OK);
  memset(is_found, 0, sizeof is_found);
  for (uint32_t i = 0; i < total; i++) {
    cr_assert_lt(found[i].index, sizeof is_found);
    cr_assert_not(is_found[found[i].index]);
    is_found[found[i].index] = 1;
  }
  for (uint32_t i = 0; i < w->count; i++) {
    mo_aabb bounds;
    mo_shape_type type = w->defs[i].geometry.type;
    cr_assert_eq(mo_scene_get_bounds(w->scene, w->ids[i], &bounds), MO_OK);
    bool may = overlap(&bounds, &box);
    bool must = type == MO_SHAPE_VOLUME
                    ? may
                    : type != MO_SHAPE_MESH && contains(&box, w->defs[i].transform.origin);
    bool is = is_found[w->ids[i].index];
    cr_assert((is || !must) && (may || !is), "shape %u: %d, %d, %d", i, is, may, must);
    total -= is;
  }
  cr_assert_eq(total, 0);
}

/* One batch of any kind. */
static void step(world *w, uint32_t max) {
  double kind = rng_float(&w->r, 0, 1);
  if (w->count == 0 || (kind < 0.4 && w->count < max)) {
    cr_assert_eq(add(w, any_number(w, max - w->count)), MO_OK);
  } else if (kind < 0.6) {
    take_out(w, rng_chance(&w->r, 0.1) ? w->count : any_number(w, w->count));
  } else if (kind < 0.9) {
    teleport(w, any_number(w, w->count));
  } else {
    cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
  }
}

static uint64_t churn(const mo_tree_options *options, uint64_t seed, uint32_t max, uint64_t steps) {
  world *w = world_create_with(options, seed);
  for (uint64_t i = 0; i < steps; i++) {
    step(w, max);
    world_check(w, i % 8 == 0);
    query(w);
  }
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(w->scene, &stats), MO_OK);
  cr_assert_eq(stats.rebuild_count, 0);
  world_destroy(w);
  return stats.graft_count;
}

Test(scene_bulk, batches_of_every_size) {
  /* Few batches come where few shapes are; over all runs some do. */
  uint64_t seed = rng_seed("batches", 301), grafts = 0;
  for (int policy = 0; policy < 3; policy++) {
    mo_tree_options options = mo_default_tree_options();
    options.policy = world_policies[policy];
    grafts += churn(&options, seed, 400, rng_few_rounds(600, 20000));
    grafts += churn(&options, seed + 1, WORLD_MAX, rng_few_rounds(100, 3000));
  }
  cr_assert_gt(grafts, 0);
}

Test(scene_bulk, batches_with_options) {
  uint64_t seed = rng_seed("batches with options", 302);
  for (int policy = 0; policy < 3; policy++) {
    for (uint64_t i = 0; i < 5; i++) {
      rng r = rng_make(seed + i);
      mo_tree_options options = mo_default_tree_options();
      options.policy = world_policies[policy];
      options.capacity = i == 0 ? 1 : 1 + rng_below(&r, 40);
      options.max_depth = i == 1 ? 1 : 1 + rng_below(&r, MO_SCENE_MAX_DEPTH);
      options.looseness =
          options.policy == MO_TREE_IRREGULAR && i % 2 == 0 ? 1 : 1 + rng_float(&r, 0.01f, 3);
      churn(&options, seed + i, 1000, rng_few_rounds(60, 3000));
    }
  }
}

/* The same batches give the same tree, to the last counter. */
Test(scene_bulk, is_deterministic) {
  uint64_t seed = rng_seed("batches again", 303);
  for (int policy = 0; policy < 3; policy++) {
    mo_scene_stats stats[2];
    for (int run = 0; run < 2; run++) {
      world *w = world_create(world_policies[policy], seed);
      for (int i = 0; i < 100; i++) {
        step(w, 1000);
      }
      cr_assert_eq(mo_scene_get_stats(w->scene, &stats[run]), MO_OK);
      world_destroy(w);
    }
    cr_assert_eq(memcmp(&stats[0], &stats[1], sizeof stats[0]), 0);
  }
}

/* Each allocation of a batch fails in turn; slots are then as before. */
Test(scene_bulk, all_or_none) {
  uint64_t seed = rng_seed("batches without memory", 304);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    for (int i = 0; i < 12; i++) {
      uint32_t count = any_number(w, 1000), before = w->count;
      mo_result result = MO_ERROR_OUT_OF_MEMORY;
      for (size_t nth = 1; result != MO_OK; nth++) {
        uint32_t slots = w->scene->slot_count, free_slot = w->scene->free_slot;
        counting_allocator_fail_at(&w->counter, nth, nth % 2);
        result = add(w, count);
        counting_allocator_fail_at(&w->counter, 0, false);
        world_check(w, true);
        if (result != MO_OK) {
          cr_assert_eq(result, MO_ERROR_OUT_OF_MEMORY);
          cr_assert_eq(w->count, before);
          cr_assert_eq(w->scene->slot_count, slots);
          cr_assert_eq(w->scene->free_slot, free_slot);
        }
        cr_assert_lt(nth, 100);
      }
      /* Moves never fail, whatever is missing. */
      counting_allocator_fail_at(&w->counter, 1 + rng_below(&w->r, 3), true);
      teleport(w, any_number(w, w->count));
      world_check(w, true);
      take_out(w, any_number(w, w->count / 2));
      world_check(w, true);
      counting_allocator_fail_at(&w->counter, 0, false);
      cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
      world_check(w, true);
    }
    world_destroy(w);
  }
}

/* A def that is not legal, anywhere in a batch, keeps all out; references to meshes are given back
 * (checked when the world is destroyed). */
Test(scene_bulk, a_wrong_def_keeps_all_out) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("wrong defs", 305));
  cr_assert_eq(add(w, 300), MO_OK);
  take_out(w, 100);
  for (int i = 0; i < 50; i++) {
    mo_shape_def defs[40];
    mo_shape_id ids[40];
    uint32_t bad = rng_below(&w->r, 40);
    for (uint32_t k = 0; k < 40; k++) {
      defs[k] = world_shape(w);
    }
    defs[bad].transform.origin.x = NAN;
    uint32_t free_slot = w->scene->free_slot;
    cr_assert_eq(mo_scene_add_shapes(w->scene, defs, 40, ids, NULL), MO_ERROR_NOT_FINITE);
    cr_assert_eq(w->scene->free_slot, free_slot);
    world_check(w, true);
  }
  world_destroy(w);
}

/* Inverses that are not computed, because shapes are axis-aligned or rotated like the one before,
 * have the bits of computed ones. */
Test(scene_bulk, maps_are_as_computed) {
  world *w = world_create(MO_TREE_IRREGULAR, rng_seed("maps", 307));
  mo_shape_def defs[200];
  mo_shape_id ids[200];
  for (uint32_t i = 0; i < 200; i++) {
    defs[i] = world_shape(w);
    mo_vec3 origin = defs[i].transform.origin;
    if (i % 3 == 0) {
      defs[i].transform = world_translation(origin.x, origin.y, origin.z);
    } else if (i % 3 == 2) {
      defs[i].transform = defs[i - 1].transform;
      defs[i].transform.origin = origin;
    }
  }
  cr_assert_eq(mo_scene_add_shapes(w->scene, defs, 200, ids, NULL), MO_OK);
  for (uint32_t i = 0; i < 200; i++) {
    const mo_affine *map = &w->scene->shapes[ids[i].index].affine;
    mo_affine expected;
    cr_assert_eq(mo_affine_init(&expected, &defs[i].transform), MO_OK);
    cr_assert_eq(map->invertible, expected.invertible);
    cr_assert_eq(memcmp(&map->to_world, &expected.to_world, sizeof expected.to_world), 0);
    cr_assert_eq(memcmp(map->inverse, expected.inverse, sizeof expected.inverse), 0, "%u", i);
    cr_assert_eq(memcmp(&map->axis_sizes, &expected.axis_sizes, sizeof expected.axis_sizes), 0);
  }
  world_destroy(w);
}

/* Tiles that come to lie beside each other put nodes above what is there, as far as the depth
 * allows. */
Test(scene_bulk, tiles_keep_to_the_depth) {
  rng r = rng_make(rng_seed("tiles and depth", 308));
  enum { MAX = 3000 };
  static mo_shape_def defs[MAX];
  static mo_shape_id ids[MAX];
  for (uint32_t max = 1; max <= 5; max++) {
    mo_scene_def def = mo_default_scene_def();
    def.tree.max_depth = max;
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    uint32_t total = 0;
    for (int tile = 0; tile < 4; tile++) {
      uint32_t count = tile == 0 ? 600 : total;
      count = count < MAX ? count : MAX;
      for (uint32_t i = 0; i < count; i++) {
        defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
        mo_vec3 p = rng_vec3(&r, 1, 49);
        defs[i].transform.origin = (mo_vec3){p.x + 60.0f * (float)tile, p.y, p.z};
      }
      cr_assert_eq(mo_scene_add_shapes(scene, defs, count, ids, NULL), MO_OK);
      total += count;
      mo_scene_stats stats;
      cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
      cr_assert_lt(stats.max_depth, max, "tile %d: depth %u", tile, stats.max_depth);
      cr_assert_eq(mo_scene_validate(scene), MO_OK);
    }
    mo_scene_destroy(scene);
  }
}

/* Where a shape would go if it were inserted alone; counts the planes in whose middle it lies. */
static uint32_t owner_for(const mo_scene *scene, const mo_aabb *box, uint32_t *ties) {
  uint32_t child = scene->root, up = MO_NONE;
  mo_aabb cell = scene->root_cell;
  while (!mo_child_is_leaf(child)) {
    const mo_scene_node *node = mo_scene_node_at(scene, child);
    uint32_t octant = mo_node_octant(node, box);
    cell = mo_octant_cell(node, octant, cell);
    for (int axis = 0; axis < 3; axis++) {
      float plane = node->plane[axis];
      *ties += (node->axes & (4u >> axis)) &&
               mo_get(box->upper, axis) - plane == plane - mo_get(box->lower, axis);
    }
    if (!mo_box_fits_octant(scene, node, &cell, box)) {
      return MO_OWNER_IS_NODE | child;
    }
    up = child << 3 | octant;
    child = node->child[octant];
  }
  return up;
}

/* Whether a place is below a node, or the node's own. */
static bool is_below(const mo_scene *scene, uint32_t owner, uint32_t index) {
  uint32_t at = owner & MO_OWNER_IS_NODE ? owner & ~MO_OWNER_IS_NODE : owner >> 3;
  while (at != index && mo_scene_node_at(scene, at)->parent != MO_NONE) {
    at = mo_scene_node_at(scene, at)->parent >> 3;
  }
  return at == index;
}

/* A node deep in the tree with a node below it, and one of its own shapes that a small step `by`
 * leaves there, though alone it would go to another part of the tree. */
static bool find_own_shape(rng *r, const mo_scene *scene, const mo_shape_id *ids, uint32_t count,
                           uint32_t *own, mo_vec3 *by) {
  for (uint32_t i = 0; i < count; i++) {
    const mo_block_cell *at = &scene->cells[scene->places[ids[i].index] >> 3];
    uint32_t index = at->owner & ~MO_OWNER_IS_NODE, ties = 0;
    if (!(at->owner & MO_OWNER_IS_NODE) || mo_scene_node_at(scene, index)->parent == MO_NONE ||
        mo_node_inner_octants(mo_scene_node_at(scene, index)) == 0) {
      continue;
    }
    uint32_t above = mo_scene_node_at(scene, index)->parent >> 3;
    for (int tries = 0; tries < 100; tries++) {
      mo_vec3 d = rng_vec3(r, -at->slack, at->slack);
      mo_aabb box = mo_slot_box(scene, ids[i].index);
      box = (mo_aabb){mo_add(box.lower, d), mo_add(box.upper, d)};
      if (mo_cell_retains(&at->cell, at->slack, &box) &&
          !mo_item_fits_octant(scene, index, &at->cell, &box) &&
          !is_below(scene, owner_for(scene, &box, &ties), above)) {
        *own = i;
        *by = d;
        return true;
      }
    }
  }
  return false;
}

/* A node with one child left is removed, and its own shapes are reinserted, perhaps into another
 * part of the tree: the bounds that they leave are made tight. */
Test(scene_bulk, shapes_of_a_removed_node_are_reinserted) {
  enum { SHAPES = 4000, ROUNDS = 40 };
  rng r = rng_make(rng_seed("own shapes", 313));
  static mo_shape_def defs[SHAPES];
  static mo_shape_id ids[SHAPES], gone[SHAPES];
  int found = 0;
  for (int round = 0; round < ROUNDS; round++) {
    mo_scene_def def = mo_default_scene_def();
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    for (uint32_t i = 0; i < SHAPES; i++) {
      defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
      float half = exp2f(rng_float(&r, -3, i % 20 == 0 ? 3 : 0));
      defs[i].geometry.box.half_extents = (mo_vec3){half, half, half};
      defs[i].transform.origin = rng_vec3(&r, -50, 50);
    }
    cr_assert_eq(mo_scene_add_shapes(scene, defs, SHAPES, ids, NULL), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    uint32_t own, count = 0;
    mo_vec3 by;
    if (find_own_shape(&r, scene, ids, SHAPES, &own, &by)) {
      found++;
      mo_transform t = defs[own].transform;
      t.origin = mo_add(t.origin, by);
      cr_assert_eq(mo_scene_set_transform(scene, ids[own], &t), MO_OK);
      uint32_t index = scene->cells[scene->places[ids[own].index] >> 3].owner & ~MO_OWNER_IS_NODE;
      uint32_t kept =
          (uint32_t)__builtin_ctz(mo_node_inner_octants(mo_scene_node_at(scene, index)));
      uint32_t child = mo_scene_node_at(scene, index)->child[kept];
      for (uint32_t i = 0; i < SHAPES; i++) {
        uint32_t owner = scene->cells[scene->places[ids[i].index] >> 3].owner;
        if (i != own && is_below(scene, owner, index) && !is_below(scene, owner, child)) {
          gone[count++] = ids[i];
        }
      }
      cr_assert_eq(mo_scene_remove_shapes(scene, gone, count, NULL), MO_OK);
      cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
      cr_expect_eq(mo_scene_validate(scene), MO_OK, "round %d", round);
    }
    mo_scene_destroy(scene);
  }
  cr_expect_gt(found, 0);
}

/* Shapes that are inserted together go where they would go alone. Some lie on planes, half on
 * either side, and some are just as large as a level allows: places and sizes are multiples of
 * powers of two, as planes are. */
Test(scene_bulk, many_are_inserted_where_each_would_be_alone) {
  enum { THERE = 1500, COME = 500 };
  rng r = rng_make(rng_seed("many as one", 310));
  static mo_shape_def defs[THERE + COME];
  static mo_shape_id ids[THERE + COME];
  uint32_t ties = 0;
  for (int round = 0; round < 9; round++) {
    mo_scene_def def = mo_default_scene_def();
    def.tree.policy = world_policies[round % 3];
    def.tree.capacity = 8;
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    for (uint32_t i = 0; i < THERE + COME; i++) {
      defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
      float half = ldexpf(1, (int)rng_below(&r, 6) - 2);
      defs[i].geometry.box.half_extents = mo_vec(half, half / 2, half / 4);
      for (int axis = 0; axis < 3; axis++) {
        (&defs[i].transform.origin.x)[axis] = 0.125f * (float)rng_below(&r, 513) - 32;
      }
    }
    cr_assert_eq(mo_scene_add_shapes(scene, defs, THERE, ids, NULL), MO_OK);
    cr_assert_eq(mo_scene_add_shapes(scene, defs + THERE, COME, ids + THERE, NULL), MO_OK);
    for (uint32_t i = THERE; i < THERE + COME; i++) {
      uint32_t slot = ids[i].index, owner = scene->cells[scene->places[slot] >> 3].owner;
      mo_aabb box = mo_slot_box(scene, slot);
      cr_assert_eq(owner, owner_for(scene, &box, &ties), "shape %u", i);
    }
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    mo_scene_destroy(scene);
  }
  cr_expect_gt(ties, 100, "%u", ties);
}

/* A node may not be put above another whose plane is the one between them. The middles of the first
 * shapes but one lie so that the plane that is found for them is known to the last bit; those that
 * come reach into them as far as brings the plane between both to the same place. */
Test(scene_bulk, a_tile_whose_border_is_a_plane) {
  enum { THERE = 100, COME = 600 };
  rng r = rng_make(rng_seed("border and plane", 309));
  static mo_shape_def defs[COME];
  static mo_shape_id ids[COME];
  for (int beyond = 0; beyond < 2; beyond++) {
    mo_scene_def def = mo_default_scene_def();
    def.tree.capacity = 64;
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    for (uint32_t i = 0; i < THERE; i++) {
      defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
      defs[i].geometry.sphere.radius = 0;
      float x = i == 0 ? 0 : i == 1 ? 100 : 96 + 4 * ((float)i / THERE);
      defs[i].transform.origin = mo_vec(x, rng_float(&r, 0, 10), rng_float(&r, 0, 10));
    }
    cr_assert_eq(mo_scene_add_shapes(scene, defs, THERE, ids, NULL), MO_OK);
    cr_assert(mo_scene_root_is_node(scene));
    const float plane = 97.65625f;
    cr_assert_eq(mo_scene_node_at(scene, scene->root)->plane[0], plane);
    /* The plane comes halfway between the nearest of both; or a little beyond. */
    float min = plane - (100 - plane) + (beyond ? 0.25f : 0);
    for (uint32_t i = 0; i < COME; i++) {
      float x = i == 0 ? min : rng_float(&r, 110, 300);
      defs[i] = mo_default_shape_def(MO_SHAPE_SPHERE);
      defs[i].geometry.sphere.radius = 0;
      defs[i].transform.origin = mo_vec(x, rng_float(&r, 0, 10), rng_float(&r, 0, 10));
    }
    uint32_t root = scene->root;
    cr_assert_eq(mo_scene_add_shapes(scene, defs, COME, ids, NULL), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    bool beside = scene->root != root && mo_scene_node_at(scene, root)->parent >> 3 == scene->root;
    cr_expect_eq(beside, beyond, "%d", beyond);
    mo_scene_destroy(scene);
  }
}

/* Octants that were loose before all shapes move are made tight also if nothing is left in them. */
Test(scene_bulk, emptied_octants_are_tightened) {
  enum { SHAPES = 600 };
  rng r = rng_make(rng_seed("emptied octants", 312));
  for (int policy = 0; policy < 3; policy++) {
    static mo_shape_def defs[SHAPES];
    static mo_transform transforms[SHAPES];
    static mo_shape_id ids[SHAPES];
    mo_scene_def def = mo_default_scene_def();
    def.tree.policy = world_policies[policy];
    mo_scene *scene;
    cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
    for (uint32_t i = 0; i < SHAPES; i++) {
      defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
      defs[i].transform.origin = rng_vec3(&r, -50, 50);
    }
    cr_assert_eq(mo_scene_add_shapes(scene, defs, SHAPES, ids, NULL), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    /* All of one leaf go, one by one, from bounds that a move has made loose. */
    uint32_t owner = MO_NONE, left = 0;
    for (uint32_t i = 0; owner == MO_NONE || (owner & MO_OWNER_IS_NODE); i++) {
      owner = scene->cells[scene->places[ids[i].index] >> 3].owner;
    }
    mo_mark_bounds_loose(scene, owner);
    for (uint32_t i = 0; i < SHAPES; i++) {
      if (scene->cells[scene->places[ids[i].index] >> 3].owner == owner) {
        cr_assert_eq(mo_scene_remove_shape(scene, ids[i]), MO_OK);
      } else {
        transforms[left] = defs[i].transform;
        ids[left++] = ids[i];
      }
    }
    cr_assert_eq(mo_child_get(scene, owner), MO_CHILD_EMPTY);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
    cr_assert_eq(mo_scene_set_transforms(scene, ids, transforms, left, NULL), MO_OK);
    cr_expect_eq(mo_scene_validate(scene), MO_OK);
    cr_expect_eq(mo_scene_node_at(scene, owner >> 3)->loose_bounds, 0);
    cr_expect_eq(scene->motion_marks[owner >> 3].dynamic >> (owner & 7) & 1, 0);
    mo_scene_destroy(scene);
  }
}

/* A tile that comes to lie beside a part of what is there puts a node above that part alone, and
 * the next update knows of it. */
Test(scene_bulk, a_tile_beside_a_part) {
  enum { THERE = 24000, PART = 4000, COME = 5000 };
  rng r = rng_make(rng_seed("beside a part", 311));
  mo_shape_def *defs = calloc(THERE, sizeof *defs);
  mo_shape_id *ids = calloc(THERE, sizeof *ids);
  mo_scene_def def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  for (uint32_t i = 0; i < THERE; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    mo_vec3 p = rng_vec3(&r, -100, 100);
    p.x = i < PART ? rng_float(&r, 100, 110) : p.x - 200;
    defs[i].transform.origin = p;
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, THERE, ids, NULL), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  uint32_t root = scene->root;
  for (uint32_t i = 0; i < COME; i++) {
    mo_vec3 p = rng_vec3(&r, 20, 80);
    defs[i].transform.origin = (mo_vec3){p.x + 130, p.y, p.z};
  }
  cr_assert_eq(mo_scene_add_shapes(scene, defs, COME, ids, NULL), MO_OK);
  cr_assert_eq(scene->root, root);
  uint32_t above = MO_NONE;
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    uint32_t child = mo_scene_node_at(scene, root)->child[octant];
    if (!mo_child_is_leaf(child) && mo_scene_node_at(scene, child)->axes == 4) {
      above = child;
    }
  }
  cr_assert_neq(above, MO_NONE, "no node has come above a part");
  cr_expect_eq(mo_scene_validate(scene), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_expect_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
  free(defs);
  free(ids);
}

/* A tile streamed in beside another, or into it, leaves a tree about as good as one that is built
 * of both at once. */
static double visits(const mo_scene *scene) {
  mo_scene_stats stats;
  cr_assert_eq(mo_scene_get_stats(scene, &stats), MO_OK);
  return stats.expected_node_visits + stats.expected_block_visits;
}

Test(scene_bulk, streaming_keeps_the_tree_good) {
  enum { TILE = 10000 };
  uint64_t seed = rng_seed("streaming", 306);
  mo_shape_def *defs = calloc(2 * TILE, sizeof *defs);
  mo_shape_id *ids = calloc(2 * TILE, sizeof *ids);
  for (int policy = 0; policy < 3; policy++) {
    for (int beside = 0; beside < 2; beside++) {
      rng r = rng_make(seed);
      for (uint32_t i = 0; i < 2 * TILE; i++) {
        defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
        defs[i].transform.origin = rng_vec3(&r, -50, 50);
        defs[i].transform.origin.x += i >= TILE && beside ? 102.0f : 0;
      }
      mo_scene_def def = mo_default_scene_def();
      def.tree.policy = world_policies[policy];
      mo_scene *fresh = NULL, *streamed = NULL;
      cr_assert_eq(mo_scene_create(&def, &fresh), MO_OK);
      cr_assert_eq(mo_scene_create(&def, &streamed), MO_OK);
      cr_assert_eq(mo_scene_add_shapes(fresh, defs, 2 * TILE, ids, NULL), MO_OK);
      for (int round = 0; round < 3; round++) {
        if (round > 0) {
          cr_assert_eq(mo_scene_remove_shapes(streamed, ids + TILE, TILE, NULL), MO_OK);
          cr_assert_eq(mo_scene_update(streamed, NULL), MO_OK);
          cr_assert_eq(mo_scene_validate(streamed), MO_OK);
        } else {
          cr_assert_eq(mo_scene_add_shapes(streamed, defs, TILE, ids, NULL), MO_OK);
        }
        cr_assert_eq(mo_scene_add_shapes(streamed, defs + TILE, TILE, ids + TILE, NULL), MO_OK);
        cr_assert_eq(mo_scene_validate(streamed), MO_OK);
        cr_expect_leq(visits(streamed), 1.35 * visits(fresh), "%s, beside %d, round %d: %g, %g",
                      world_policy_names[policy], beside, round, visits(streamed), visits(fresh));
      }
      mo_scene_destroy(fresh);
      mo_scene_destroy(streamed);
    }
  }
  free(defs);
  free(ids);
}

/* A tile that takes the place of another, without an update between them, finds its planes where
 * they suit it, and is built anew where it lies otherwise. */
Test(scene_bulk, tiles_take_the_place_of_others) {
  enum { TILE = 8000 };
  rng r = rng_make(rng_seed("tiles in a place", 309));
  mo_shape_def *defs = calloc(2 * TILE, sizeof *defs);
  mo_shape_id *ids = calloc(2 * TILE, sizeof *ids), *others = calloc(TILE, sizeof *others);
  for (int policy = 0; policy < 3; policy++) {
    for (int gathered = 0; gathered < 2; gathered++) {
      mo_scene_def def = mo_default_scene_def();
      def.tree.policy = world_policies[policy];
      mo_scene *fresh = NULL, *streamed = NULL;
      cr_assert_eq(mo_scene_create(&def, &fresh), MO_OK);
      cr_assert_eq(mo_scene_create(&def, &streamed), MO_OK);
      for (uint32_t i = 0; i < 2 * TILE; i++) {
        defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
        defs[i].transform.origin = rng_vec3(&r, -50, 50);
      }
      cr_assert_eq(mo_scene_add_shapes(streamed, defs, 2 * TILE, ids, NULL), MO_OK);
      cr_assert_eq(mo_scene_update(streamed, NULL), MO_OK);
      for (uint32_t i = TILE; i < 2 * TILE; i++) {
        defs[i].transform.origin = rng_vec3(&r, gathered ? 30 : -50, 50);
      }
      cr_assert_eq(mo_scene_add_shapes(fresh, defs + TILE, TILE, others, NULL), MO_OK);
      mo_scene_stats before, after;
      cr_assert_eq(mo_scene_get_stats(streamed, &before), MO_OK);
      cr_assert_eq(mo_scene_remove_shapes(streamed, ids, TILE, NULL), MO_OK);
      cr_assert_eq(mo_scene_remove_shapes(streamed, ids + TILE, TILE, NULL), MO_OK);
      cr_assert_eq(mo_scene_add_shapes(streamed, defs + TILE, TILE, ids + TILE, NULL), MO_OK);
      cr_assert_eq(mo_scene_validate(streamed), MO_OK);
      cr_assert_eq(mo_scene_get_stats(streamed, &after), MO_OK);
      if (!gathered) {
        cr_expect_lt(after.split_count - before.split_count, before.node_count / 4,
                     "%s: %u splits for %u nodes", world_policy_names[policy],
                     (uint32_t)(after.split_count - before.split_count), before.node_count);
      }
      cr_expect_leq(visits(streamed), 1.35 * visits(fresh), "%s, gathered %d: %g, %g",
                    world_policy_names[policy], gathered, visits(streamed), visits(fresh));
      mo_scene_destroy(fresh);
      mo_scene_destroy(streamed);
    }
  }
  free(defs);
  free(ids);
  free(others);
}

/* A few of many shapes are removed at a time, and all others move, so that bounds are made tight
 * where the removed ones were: in whatever order, and whatever is added in between. */
Test(scene_bulk, few_of_many_are_removed) {
  uint64_t seed = rng_seed("few leave many", 310);
  for (int policy = 0; policy < 3; policy++) {
    world *w = world_create(world_policies[policy], seed);
    for (uint32_t i = 0; i < 3000; i++) {
      w->defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
      float half = exp2f(rng_float(&w->r, -2, 1));
      w->defs[i].geometry.box.half_extents = (mo_vec3){half, half, half};
      w->defs[i].transform.origin = rng_vec3(&w->r, -30, 30);
    }
    cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs, 3000, w->ids, NULL), MO_OK);
    w->count = 3000;
    for (int round = 0; round < 60; round++) {
      uint32_t count = 1 + rng_below(&w->r, w->count / 16 - 1), first = w->count - count;
      choose(w, count);
      cr_assert_eq(mo_scene_remove_shapes(w->scene, w->ids + first, count, NULL), MO_OK);
      w->count = first;
      world_check(w, false);
      if (rng_below(&w->r, 2)) {
        cr_assert_eq(mo_scene_add_shapes(w->scene, w->defs + first, count, w->ids + first, NULL),
                     MO_OK);
        w->count += count;
        world_check(w, false);
      }
      if (rng_below(&w->r, 2)) {
        cr_assert_eq(mo_scene_update(w->scene, NULL), MO_OK);
        world_check(w, false);
      }
    }
    world_check(w, true);
    world_destroy(w);
  }
}
