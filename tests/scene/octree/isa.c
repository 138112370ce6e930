/* Every instruction set makes the same tree of the same calls: shapes in the same places, nodes
 * with the same planes, bounds, counts and marks. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "scene/octree/tree.h"
#include "support/families.h"
#include "support/world.h"

enum { MAX = 6000 };

static bool same_bounds(const mo_bounds8 *a, const mo_bounds8 *b) {
  bool same = true;
  for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
    mo_aabb one = mo_bounds8_get(a, lane), other = mo_bounds8_get(b, lane);
    same &= mo_aabb_is_same(&one, &other);
  }
  return same;
}

static bool same_list(const mo_scene *a, const mo_scene *b, uint32_t head, uint32_t other) {
  while (head != MO_NONE && head == other) {
    const mo_shape_block *x = mo_shape_block_at(a, head), *y = mo_shape_block_at(b, head);
    if (x->count != y->count || memcmp(x->shape, y->shape, x->count * sizeof *x->shape) != 0 ||
        x->dynamic != y->dynamic || x->awake != y->awake || !same_bounds(&x->bounds, &y->bounds) ||
        !mo_aabb_is_same(&a->cells[head].cell, &b->cells[head].cell)) {
      return false;
    }
    head = x->next;
    other = y->next;
  }
  return head == other;
}

static bool same_tree(const mo_scene *a, const mo_scene *b, uint32_t child, uint32_t other) {
  if (child != other) {
    return false;
  }
  if (mo_child_is_leaf(child)) {
    return child == MO_CHILD_EMPTY || same_list(a, b, mo_child_index(child), mo_child_index(child));
  }
  const mo_scene_node *x = mo_scene_node_at(a, child), *y = mo_scene_node_at(b, child);
  const mo_node_maintenance *maintenance = &a->maintenance[child], *others = &b->maintenance[child];
  bool same = same_bounds(&x->bounds, &y->bounds) && same_list(a, b, x->items, y->items) &&
              x->axes == y->axes && x->slack == y->slack && x->count == y->count &&
              x->age == y->age && x->loose_bounds == y->loose_bounds &&
              x->to_examine == y->to_examine &&
              a->motion_marks[child].dynamic == b->motion_marks[child].dynamic &&
              a->motion_marks[child].awake == b->motion_marks[child].awake &&
              memcmp(&a->sizes[child], &b->sizes[child], sizeof *a->sizes) == 0 &&
              maintenance->expected_cost == others->expected_cost;
  for (int axis = 0; axis < 3; axis++) {
    same &= !(x->axes & 4u >> axis) || x->plane[axis] == y->plane[axis];
  }
  for (int octant = 0; octant < MO_LANE_COUNT; octant++) {
    same = same && same_tree(a, b, x->child[octant], y->child[octant]);
  }
  return same;
}

static mo_vec3 any_place(rng *r, mo_vec3 middle, float spread) {
  mo_vec3 p = rng_vec3(r, -spread, spread);
  return mo_vec(p.x + middle.x, p.y + middle.y, p.z + middle.z);
}

static mo_shape_def any_shape(rng *r, mo_vec3 middle, float spread) {
  mo_shape_def def = mo_default_shape_def(rng_chance(r, 0.5) ? MO_SHAPE_BOX : MO_SHAPE_SPHERE);
  float half = rng_chance(r, 0.1) ? 0 : exp2f(rng_float(r, -4, rng_chance(r, 0.1) ? 5 : 1));
  mo_quat turn = rng_chance(r, 0.5) ? rng_rotation(r) : (mo_quat){0, 0, 0, 1};
  def.transform =
      mo_transform_make(any_place(r, middle, spread), turn, (mo_vec3){half, half, half});
  def.motion = rng_chance(r, 0.7) ? MO_MOTION_DYNAMIC : (mo_motion)rng_below(r, 3);
  return def;
}

static mo_scene_def any_scene(rng *r) {
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = world_policies[rng_below(r, 3)];
  def.tree.capacity = rng_chance(r, 0.5) ? def.tree.capacity : 1 + rng_below(r, 9);
  def.tree.max_depth = rng_chance(r, 0.8) ? def.tree.max_depth : 1 + rng_below(r, 6);
  return def;
}

/* Both scenes get the same; numbers of shapes spread over all orders of magnitude. */
static void step(mo_scene *const scenes[2], rng *r, mo_vec3 centre, mo_shape_def *defs,
                 mo_shape_id *ids, uint32_t *count) {
  static mo_transform transforms[MAX];
  static mo_vec3 origins[MAX];
  uint32_t many = (uint32_t)exp2f(rng_float(r, 0, log2f(MAX)));
  uint32_t some = many < *count ? many : *count, first = rng_below(r, *count - some + 1);
  float spread = rng_chance(r, 0.3) ? 2 : 50;
  mo_vec3 middle = rng_chance(r, 0.5) ? centre : any_place(r, centre, 100);
  double kind = rng_float(r, 0, 1);
  if (*count == 0 || kind < 0.3) {
    uint32_t more = many < MAX - *count ? many : MAX - *count;
    for (uint32_t i = *count; i < *count + more; i++) {
      defs[i] = any_shape(r, middle, spread);
    }
    for (int i = 0; i < 2; i++) {
      cr_assert_eq(mo_scene_add_shapes(scenes[i], defs + *count, more, ids + *count, NULL), MO_OK);
    }
    *count += more;
  } else if (kind < 0.45) {
    for (int i = 0; i < 2; i++) {
      cr_assert_eq(mo_scene_remove_shapes(scenes[i], ids + first, some, NULL), MO_OK);
    }
    uint32_t rest = *count - first - some;
    memmove(ids + first, ids + first + some, rest * sizeof *ids);
    memmove(defs + first, defs + first + some, rest * sizeof *defs);
    *count -= some;
  } else {
    bool turns = rng_chance(r, 0.3), step = rng_chance(r, 0.5);
    for (uint32_t i = first; i < first + some; i++) {
      mo_transform *t = &defs[i].transform;
      *t = turns ? any_shape(r, t->origin, 0.5f).transform : *t;
      t->origin = step ? any_place(r, t->origin, 0.5f) : any_place(r, middle, spread);
      transforms[i - first] = *t;
      origins[i - first] = t->origin;
    }
    mo_update_def update = mo_default_update_def();
    update.ids = ids + first;
    update.transforms = turns ? transforms : NULL;
    update.origins = turns ? NULL : origins;
    update.count = some;
    update.upkeep = rng_chance(r, 0.2) ? rng_below(r, 100) : update.upkeep;
    for (int i = 0; i < 2; i++) {
      cr_assert_eq(mo_scene_update(scenes[i], &update), MO_OK);
    }
  }
}

Test(scene_isa, makes_the_same_tree) {
  static mo_shape_def defs[MAX];
  static mo_shape_id ids[MAX];
  rng r = rng_make(rng_seed("same trees", 315));
  for (uint64_t round = 0; round < rng_rounds(12, 300); round++) {
    mo_scene_def def = any_scene(&r);
    /* Far from the origin, where coordinates have few bits to spare, roundings decide. */
    static const float fars[] = {0, 1e6f, 3e7f};
    float far = fars[round % 3];
    for (uint32_t n = 1; n < family_isa_count(); n++) {
      mo_scene *scenes[2];
      for (uint32_t i = 0; i < 2; i++) {
        def.isa = family_isa(i * n);
        cr_assert_eq(mo_scene_create(&def, &scenes[i]), MO_OK);
      }
      uint32_t count = 0;
      for (int i = 0; i < 30; i++) {
        step(scenes, &r, mo_vec(far, far, -far), defs, ids, &count);
        cr_assert(mo_aabb_is_same(&scenes[0]->root_bounds, &scenes[1]->root_bounds));
        cr_assert(same_tree(scenes[0], scenes[1], scenes[0]->root, scenes[1]->root),
                  "%s, step %d of round %u", mo_isa_name(def.isa), i, (uint32_t)round);
      }
      cr_assert_eq(mo_scene_validate(scenes[1]), MO_OK);
      mo_scene_destroy(scenes[0]);
      mo_scene_destroy(scenes[1]);
    }
  }
}
