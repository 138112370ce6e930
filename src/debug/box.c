/* Selects, transforms and colours the boxes to draw: cells of either octree. */
#include "debug/tree.h"

mo_debug_def mo_default_debug_def(void) {
  return (mo_debug_def){
      .boxes = MO_DEBUG_BOXES_TIGHT,
      .color = MO_DEBUG_COLOR_DEPTH,
      .order = MO_DEBUG_DEPTH_FIRST,
      .max_depth = UINT32_MAX,
      .transform = mo_transform_identity(),
      .cookie = MO_COOKIE,
  };
}

static mo_result check_transform(const mo_transform *transform, const mo_refusal *refusal) {
  mo_result result = mo_check_finite(transform->x_axis, refusal, ".transform.x_axis");
  if (result == MO_OK) {
    result = mo_check_finite(transform->y_axis, refusal, ".transform.y_axis");
  }
  if (result == MO_OK) {
    result = mo_check_finite(transform->z_axis, refusal, ".transform.z_axis");
  }
  return result == MO_OK ? mo_check_finite(transform->origin, refusal, ".transform.origin")
                         : result;
}

mo_result mo_debug_check_def(const mo_host *host, const char *function, const mo_debug_def *def) {
  mo_refusal refusal = mo_refusal_of(host, function, "def");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_debug_def");
  if (result == MO_OK && def->color == MO_DEBUG_COLOR_VISITS && def->visit_capacity > 0 &&
      def->visits == NULL) {
    result = mo_refuse(&refusal, MO_ERROR_NULL_ARGUMENT, ".visits is null");
  }
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)def->boxes, MO_DEBUG_BOXES_CELLS, &refusal, ".boxes");
  }
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)def->color, MO_DEBUG_COLOR_VISITS, &refusal, ".color");
  }
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)def->order, MO_DEBUG_BREADTH_FIRST, &refusal, ".order");
  }
  if (result == MO_OK && def->min_depth > def->max_depth) {
    result = mo_refuse_number(&refusal, MO_ERROR_INVALID_ARGUMENT, ".min_depth", def->min_depth,
                              "above .max_depth");
  }
  return result == MO_OK ? check_transform(&def->transform, &refusal) : result;
}

/* Interpolates blue, cyan, green, yellow, red; `share` is 0 to 1. */
static uint32_t color_of_fraction(float share) {
  static const uint8_t stops[][3] = {
      {0x33, 0x66, 0xff}, {0x22, 0xc7, 0xe5}, {0x5f, 0xd3, 0x5f},
      {0xff, 0xd2, 0x3f}, {0xff, 0x3b, 0x30},
  };
  enum { LAST_COLOR_STOP = sizeof stops / sizeof stops[0] - 1 };
  float at = mo_min(mo_max(share, 0.0f), 1.0f) * LAST_COLOR_STOP;
  int below = at >= LAST_COLOR_STOP ? LAST_COLOR_STOP - 1 : (int)at;
  float weight = at - (float)below;
  uint32_t rgba = 0;
  for (int channel = 0; channel < 3; channel++) {
    float from = stops[below][channel];
    float to = stops[below + 1][channel];
    rgba = rgba << 8 | (uint32_t)(from + weight * (to - from) + 0.5f);
  }
  return rgba << 8 | 0xff;
}

typedef struct drawing {
  const mo_debug_def *def;
  const mo_box_emitter *emitter;
  float scale; /* the depth, occupancy or visit count that is drawn red */
} drawing;

static uint32_t visits_of(const mo_debug_def *def, uint32_t node) {
  return node < def->visit_capacity ? def->visits[node] : 0;
}

/* The number that determines the colour of a cell. */
static uint32_t color_value(const mo_debug_tree *tree, const mo_debug_def *def,
                            const mo_debug_cell *cell) {
  switch (def->color) {
  case MO_DEBUG_COLOR_OCCUPANCY:
    return tree->count_items(tree->object, cell);
  case MO_DEBUG_COLOR_VISITS:
    return visits_of(def, cell->index);
  case MO_DEBUG_COLOR_DEPTH:
  default:
    return cell->depth;
  }
}

static uint32_t max_node_visits(const mo_debug_def *def) {
  uint32_t largest = 0;
  for (uint32_t node = 0; node < def->visit_capacity; node++) {
    largest = def->visits[node] > largest ? def->visits[node] : largest;
  }
  return largest;
}

static float color_scale(const mo_debug_tree *tree, const mo_debug_def *def, uint32_t deepest) {
  uint32_t max = def->color == MO_DEBUG_COLOR_OCCUPANCY ? tree->capacity
                 : def->color == MO_DEBUG_COLOR_VISITS  ? max_node_visits(def)
                                                        : deepest;
  return (float)(max > 0 ? max : 1);
}

static void emit_cell(const mo_debug_tree *tree, const mo_debug_cell *cell, void *context) {
  const drawing *d = context;
  if (d->def->leaves_only && !mo_child_is_leaf(cell->child)) {
    return;
  }
  mo_aabb box = d->def->boxes == MO_DEBUG_BOXES_CELLS ? cell->cell : cell->tight_bounds;
  if (mo_aabb_is_empty(box)) {
    return; /* an empty cell of a mesh that is built top-down */
  }
  mo_vec3 corners[8];
  for (int i = 0; i < 8; i++) {
    mo_vec3 corner = mo_vec(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                            i & 4 ? box.upper.z : box.lower.z);
    corners[i] = mo_transform_point(&d->def->transform, corner);
  }
  float share = (float)color_value(tree, d->def, cell) / d->scale;
  d->emitter->box(corners, color_of_fraction(share), d->emitter->context);
}

typedef void cell_visit(const mo_debug_tree *tree, const mo_debug_cell *cell, void *context);

/* Visits the cells of depth `first` to `last` in a subtree, parents before children. The recursion
 * is as deep as the tree, whose depth its builder bounds. */
static void walk_from(const mo_debug_tree *tree, const mo_debug_cell *cell, uint32_t first,
                      uint32_t last, cell_visit *visit, void *context) {
  if (cell->depth >= first) {
    visit(tree, cell, context);
  }
  if (cell->depth >= last || mo_child_is_leaf(cell->child)) {
    return;
  }
  mo_debug_cell children[MO_LANE_COUNT];
  int count = tree->children(tree->object, cell, children);
  for (int i = 0; i < count; i++) {
    walk_from(tree, &children[i], first, last, visit, context);
  }
}

static void walk(const mo_debug_tree *tree, uint32_t first, uint32_t last, cell_visit *visit,
                 void *context) {
  if (tree->root.child != MO_CHILD_EMPTY) {
    walk_from(tree, &tree->root, first, last, visit, context);
  }
}

static void update_max_depth(const mo_debug_tree *tree, const mo_debug_cell *cell, void *context) {
  (void)tree;
  uint32_t *deepest = context;
  *deepest = cell->depth > *deepest ? cell->depth : *deepest;
}

static uint32_t max_depth_of(const mo_debug_tree *tree) {
  uint32_t deepest = 0;
  walk(tree, 0, UINT32_MAX, update_max_depth, &deepest);
  return deepest;
}

void mo_debug_emit_boxes(const mo_debug_tree *tree, const mo_debug_def *def,
                         const mo_box_emitter *emitter) {
  uint32_t deepest = max_depth_of(tree);
  drawing d = {def, emitter, color_scale(tree, def, deepest)};
  if (def->order == MO_DEBUG_DEPTH_FIRST) {
    walk(tree, def->min_depth, def->max_depth, emit_cell, &d);
    return;
  }
  /* Breadth first, with one traversal per level: repeats the descent, but needs no queue. */
  uint32_t last = def->max_depth < deepest ? def->max_depth : deepest;
  for (uint32_t depth = def->min_depth; depth <= last; depth++) {
    walk(tree, depth, depth, emit_cell, &d);
  }
}
