/* The visitor of the children of a compound. */
#include "scene/children.h"

#include "base/inline.h"

typedef struct child_visit {
  const mo_child_visitor *visitor;
  mo_shape_id placement;
} child_visit;

/* A compound under its world transform, in the descent to nested ones. */
typedef struct placed_compound {
  const mo_compound *compound;
  const mo_transform *map;
  mo_dvec3 margin; /* mo_compound_margin */
  uint32_t first_number;
  uint32_t depth;
} placed_compound;

static placed_compound place_compound(const mo_compound *compound, const mo_transform *map,
                                      uint32_t first_number, uint32_t depth) {
  return (placed_compound){compound, map,
                           mo_compound_margin(mo_compound_magnitude_bounds(compound, map)),
                           first_number, depth};
}

/* Takes four boxes to world space along one axis. Boxes beyond the range of coordinates are cut
 * off: no child lies there. Boxes that are not `full` become empty. */
MO_INLINE void sides_to_world(const placed_compound *p, int axis, const mo_bounds8 *local, int half,
                              mo_i4 full, mo_bounds8 *world) {
  const mo_transform *map = p->map;
  const float row[3] = {mo_get(map->x_axis, axis), mo_get(map->y_axis, axis),
                        mo_get(map->z_axis, axis)};
  const double margin = axis == 0 ? p->margin.x : axis == 1 ? p->margin.y : p->margin.z;
  mo_d4 bottom = mo_d4_splat((double)mo_get(map->origin, axis) - margin);
  mo_d4 top = mo_d4_splat((double)mo_get(map->origin, axis) + margin);
  for (int i = 0; i < 3; i++) {
    const mo_d4 factor = mo_d4_splat(row[i]);
    const mo_d4 a = factor * mo_f4_widen(mo_f4_load(&local->lower[i][half]));
    const mo_d4 b = factor * mo_f4_widen(mo_f4_load(&local->upper[i][half]));
    bottom += mo_d4_min(a, b);
    top += mo_d4_max(a, b);
  }
  const mo_d4 max = mo_d4_splat((double)MO_MAX_COORDINATE);
  const mo_f4 infinite = mo_f4_splat(INFINITY);
  const mo_f4 lower =
      mo_f4_select(full, mo_d4_narrow(mo_d4_max(mo_d4_min(bottom, max), -max)), infinite);
  const mo_f4 upper =
      mo_f4_select(full, mo_d4_narrow(mo_d4_max(mo_d4_min(top, max), -max)), -infinite);
  memcpy(&world->lower[axis][half], &lower, sizeof lower);
  memcpy(&world->upper[axis][half], &upper, sizeof upper);
}

/* Takes eight boxes to world space; empty ones stay empty. */
static void boxes_to_world(const placed_compound *p, const mo_bounds8 *local, mo_bounds8 *world) {
  for (int half = 0; half < MO_LANE_COUNT; half += 4) {
    const mo_i4 full = mo_f4_load(&local->lower[0][half]) <= mo_f4_load(&local->upper[0][half]);
    for (int axis = 0; axis < 3; axis++) {
      sides_to_world(p, axis, local, half, full, world);
    }
  }
}

static bool visit_compound(const child_visit *v, const placed_compound *p);

static bool passes(const mo_child_visitor *visitor, const mo_shape *shape) {
  return (visitor->filter == NULL || mo_filter_passes_bits(visitor->filter, shape)) &&
         (visitor->second_filter == NULL || mo_filter_passes_bits(visitor->second_filter, shape));
}

static bool visit_child(const child_visit *v, const placed_compound *p, uint32_t slot, double key) {
  const mo_shape *shape = &p->compound->children->shapes[slot];
  const uint32_t first = mo_compound_first_child_number(p->compound, slot);
  if (first == MO_NONE || !passes(v->visitor, shape)) {
    return true;
  }
  if (shape->geometry.type == MO_SHAPE_COMPOUND) {
    if (p->depth == MO_MAX_COMPOUND_DEPTH) {
      return true; /* too deep: compounds were nested more deeply since the last update */
    }
    const mo_transform map = mo_transform_compose(p->map, &shape->affine.to_world);
    if (!mo_transform_is_in_range(&map)) {
      return true;
    }
    const placed_compound nested =
        place_compound(shape->geometry.compound, &map, p->first_number + first, p->depth + 1);
    return visit_compound(v, &nested);
  }
  mo_placed_child child;
  return !mo_child_make_record(&child, p->map, shape, v->placement, p->first_number + first) ||
         v->visitor->visit(&child, key, v->visitor->query);
}

static bool visit_blocks(const child_visit *v, const placed_compound *p, uint32_t first) {
  const mo_scene *children = p->compound->children;
  const mo_child_visitor *visitor = v->visitor;
  for (uint32_t at = first; at != MO_NONE; at = mo_shape_block_at(children, at)->next) {
    const mo_shape_block *block = mo_shape_block_at(children, at);
    mo_bounds8 world;
    double key[MO_LANE_COUNT];
    boxes_to_world(p, &block->bounds, &world);
    if (visitor->stats != NULL) {
      visitor->stats->scene_block_count++;
    }
    uint32_t lanes = visitor->keys(&world, key, visitor->query) & ((1u << block->count) - 1);
    for (; lanes != 0; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(lanes);
      if (key[lane] <= *visitor->limit && !visit_child(v, p, block->shape[lane], key[lane])) {
        return false;
      }
    }
  }
  return true;
}

/* Visits the children of one compound, as mo_visit_shapes_nearest visits the shapes of a scene. */
static bool visit_compound(const child_visit *v, const placed_compound *p) {
  const mo_scene *children = p->compound->children;
  const mo_child_visitor *visitor = v->visitor;
  mo_pending_child stack[MO_SCENE_STACK_SIZE];
  uint32_t height = 0;
  if (children->root != MO_CHILD_EMPTY) {
    stack[height++] = (mo_pending_child){-INFINITY, children->root};
  }
  while (height > 0) {
    const mo_pending_child next = stack[--height];
    if (next.key > *visitor->limit) {
      continue;
    }
    if (mo_child_is_leaf(next.child)) {
      if (!visit_blocks(v, p, mo_child_index(next.child))) {
        return false;
      }
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(children, next.child);
    if (visitor->stats != NULL) {
      visitor->stats->scene_node_count++;
    }
    if (node->items != MO_NONE && !visit_blocks(v, p, node->items)) {
      return false;
    }
    mo_bounds8 world;
    double key[MO_LANE_COUNT];
    boxes_to_world(p, &node->bounds, &world);
    const uint32_t mask = visitor->keys(&world, key, visitor->query) & mo_node_used_octants(node);
    height = mo_push_pending_children(stack, height, key, node->child, mask);
    MO_ASSERT(height <= MO_SCENE_STACK_SIZE);
  }
  return true;
}

static bool visit_all(const mo_compound *compound, const mo_transform *map, mo_shape_id placement,
                      const mo_child_visitor *visitor) {
  const child_visit v = {visitor, placement};
  const placed_compound p = place_compound(compound, map, 0, 1);
  return visit_compound(&v, &p);
}

bool mo_visit_children(const mo_scene *scene, uint32_t slot, const mo_child_visitor *visitor) {
  const mo_shape *placement = &scene->shapes[slot];
  return visit_all(placement->geometry.compound, &placement->affine.to_world,
                   mo_shape_id_of(scene, slot), visitor);
}

bool mo_visit_compound(const mo_compound *compound, const mo_transform *map,
                       const mo_child_visitor *visitor) {
  return visit_all(compound, map, (mo_shape_id){0}, visitor);
}

uint32_t mo_child_region_keys(const mo_bounds8 *bounds, double key[MO_LANE_COUNT],
                              const void *region) {
  const mo_child_region *r = region;
  uint32_t mask = 0;
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    const mo_aabb box = mo_bounds8_get(bounds, i);
    key[i] = 0.0;
    bool meets = mo_aabb_overlap(box, r->box);
    if (meets && r->half_space != NULL) {
      meets = mo_half_space_min_box_height(r->half_space, box) <= r->error;
    }
    mask |= (uint32_t)meets << i;
  }
  return mask;
}
