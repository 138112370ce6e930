/* The leaf cells that a box touches, breadth first, with their occupants and visitors.
 *
 * Breadth first without a queue: one descent per depth. What a `once` query has named before is not
 * remembered but found out: a shape was named if an earlier cell touches both it and the box. */
#include "query/filter.h"
#include "query/overlap/scene_overlap.h"

/* A leaf cell: an existing leaf, or an octant in which nothing is stored. */
typedef struct leaf_cell {
  uint32_t owner; /* node << 3 | octant; MO_NONE if the root is a leaf */
  mo_aabb bounds;
  uint32_t depth;
} leaf_cell;

/* Returns false to stop. */
typedef bool visit_leaf(const leaf_cell *cell, void *context);

typedef struct descent {
  const mo_scene *scene;
  const mo_aabb *box;
  uint32_t depth; /* of the cells wanted */
  bool deeper;    /* out: there are nodes at this depth */
  visit_leaf *visit;
  void *context;
  mo_query_stats *stats;
} descent;

static mo_aabb octant_cell(mo_aabb cell, const mo_scene_node *node, uint32_t octant) {
  float lower[3] = {cell.lower.x, cell.lower.y, cell.lower.z};
  float upper[3] = {cell.upper.x, cell.upper.y, cell.upper.z};
  for (uint32_t axis = 0; axis < 3; axis++) {
    uint32_t bit = 4u >> axis;
    if (node->axes & bit) {
      *(octant & bit ? &lower[axis] : &upper[axis]) = node->plane[axis];
    }
  }
  return (mo_aabb){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

static bool descend(descent *d, uint32_t child, leaf_cell cell) {
  if (!mo_aabb_overlap(cell.bounds, *d->box)) {
    return true;
  }
  if (mo_child_is_leaf(child)) { /* or empty */
    return cell.depth != d->depth || d->visit(&cell, d->context);
  }
  if (cell.depth == d->depth) {
    d->deeper = true;
    return true;
  }
  const mo_scene_node *node = mo_scene_node_at(d->scene, child);
  if (cell.depth + 1 == d->depth) {
    mo_count_scene_node(d->stats, child);
  }
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    leaf_cell next = {child << 3 | octant, octant_cell(cell.bounds, node, octant), cell.depth + 1};
    if ((octant & ~(uint32_t)node->axes) == 0 && !descend(d, node->child[octant], next)) {
      return false;
    }
  }
  return true;
}

static const leaf_cell root_cell = {
    MO_NONE, {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}, 0};

/* Visits the cells of one depth; false if stopped. */
static bool visit_depth(descent *d, uint32_t depth) {
  d->depth = depth;
  d->deeper = false;
  return descend(d, d->scene->root, root_cell);
}

typedef struct cell_query {
  const mo_scene *scene;
  const mo_aabb *box;
  const mo_filter *filter;
  bool once;
  mo_shape_id *scratch;
  uint32_t capacity;
  bool (*visit)(const mo_cell *cell, void *context);
  void *context;
  bool complete;
  mo_query_stats *stats;
  /* The cell being reported. */
  const leaf_cell *cell;
  bool occupants; /* which of the two lists is being made */
  mo_bounded list;
} cell_query;

/* Looks for a cell that came before the one being reported: at a lesser depth, or at the same and
 * earlier in the order of octants. Cells are found depth first, in which those of one depth keep
 * that order. */
typedef struct search {
  const mo_scene *scene;
  const mo_aabb *box, *bounds;
  const leaf_cell *reported;
  bool passed; /* the reported cell: what follows at its depth came later */
} search;

static bool comes_before(search *s, uint32_t child, leaf_cell cell) {
  uint32_t deepest = s->reported->depth - s->passed;
  if (cell.depth > deepest || !mo_aabb_overlap(cell.bounds, *s->box) ||
      !mo_aabb_overlap(cell.bounds, *s->bounds)) {
    return false;
  }
  if (mo_child_is_leaf(child)) {
    s->passed = s->passed || cell.owner == s->reported->owner;
    return cell.owner != s->reported->owner;
  }
  const mo_scene_node *node = mo_scene_node_at(s->scene, child);
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    leaf_cell next = {child << 3 | octant, octant_cell(cell.bounds, node, octant), cell.depth + 1};
    if ((octant & ~(uint32_t)node->axes) == 0 && comes_before(s, node->child[octant], next)) {
      return true;
    }
  }
  return false;
}

static bool strictly_inside(mo_aabb inner, mo_aabb outer) {
  return outer.lower.x < inner.lower.x && inner.upper.x < outer.upper.x &&
         outer.lower.y < inner.lower.y && inner.upper.y < outer.upper.y &&
         outer.lower.z < inner.lower.z && inner.upper.z < outer.upper.z;
}

static bool was_named(const cell_query *query, mo_aabb bounds) {
  if (query->cell->depth == 0 || strictly_inside(bounds, query->cell->bounds)) {
    return false; /* no other cell touches it */
  }
  search s = {query->scene, query->box, &bounds, query->cell, false};
  return comes_before(&s, query->scene->root, root_cell);
}

static bool id_before(const void *a, const void *b) {
  return ((const mo_shape_id *)a)->index < ((const mo_shape_id *)b)->index;
}

static bool list_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  cell_query *q = context;
  bool here = q->scene->cells[q->scene->places[slot] >> 3].owner == q->cell->owner;
  if (here == q->occupants && !(q->once && was_named(q, bounds))) {
    mo_shape_id id = mo_shape_id_of(q->scene, slot);
    mo_bounded_offer(&q->list, &id, sizeof id, id_before);
  }
  return true;
}

/* Lists occupants or visitors into a part of the scratch buffer; how many there are. */
static uint32_t list_shapes(cell_query *q, bool occupants, mo_shape_id *ids, uint32_t capacity) {
  mo_scene_overlap overlap = {
      .scene = q->scene,
      .filter = q->filter,
      .stats = q->stats,
      .box = q->cell->bounds,
      .inside = mo_aabb_empty(),
      .visit = list_shape,
      .context = q,
  };
  q->occupants = occupants;
  q->list = mo_bounded_make(ids, capacity);
  mo_scene_overlap_run(&overlap);
  mo_bounded_sort(&q->list, sizeof *ids, id_before);
  if (q->list.total > capacity) {
    q->complete = false;
  }
  return q->list.count;
}

static bool report_cell(const leaf_cell *cell, void *context) {
  cell_query *q = context;
  q->cell = cell;
  mo_cell report = {.bounds = cell->bounds, .depth = cell->depth, .occupants = q->scratch};
  report.occupant_count = list_shapes(q, true, q->scratch, q->capacity);
  mo_shape_id *rest = q->capacity > 0 ? q->scratch + report.occupant_count : NULL;
  report.visitors = rest;
  report.visitor_count = list_shapes(q, false, rest, q->capacity - report.occupant_count);
  return q->visit(&report, q->context);
}

mo_result mo_scene_visit_cells(const mo_scene *scene, const mo_aabb *box, const mo_filter *filter,
                               bool once, mo_shape_id *scratch, uint32_t scratch_capacity,
                               bool (*visit)(const mo_cell *cell, void *context), void *context,
                               bool *complete, mo_query_stats *stats) {
  if (scene == NULL || box == NULL || visit == NULL || complete == NULL ||
      (scratch_capacity > 0 && scratch == NULL)) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_check_aabb(box);
  if (result != MO_OK) {
    return result;
  }
  mo_filter all = mo_default_filter();
  mo_query_stats counts = mo_stats_begin(stats);
  cell_query query = {
      .scene = scene,
      .box = box,
      .filter = filter != NULL ? filter : &all,
      .once = once,
      .scratch = scratch,
      .capacity = scratch_capacity,
      .visit = visit,
      .context = context,
      .complete = true,
      .stats = &counts,
  };
  descent d = {
      .scene = scene, .box = box, .visit = report_cell, .context = &query, .stats = &counts};
  for (uint32_t depth = 0; visit_depth(&d, depth) && d.deeper; depth++) {
  }
  *complete = query.complete;
  mo_stats_end(&counts, stats);
  return MO_OK;
}
