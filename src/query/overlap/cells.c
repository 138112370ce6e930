/* The leaf cells that a box touches, breadth first, with their occupants and visitors.
 *
 * This traversal differs from those of query/visit.h, which cull by the tight bounds of children
 * and skip empty ones. Cells are the parts into which the planes of the nodes divide all of space:
 * an empty child has a cell too, and a box may touch a cell without touching the child's bounds.
 * The shapes that reach into a cell are found by an overlap query with the cell as its box.
 *
 * Breadth first without a queue: one depth-first traversal per depth. A `once` query does not store
 * which shapes it has listed; it searches for an earlier cell that touches both the shape and the
 * box. */
#include "query/filter.h"
#include "query/overlap/scene_overlap.h"
#include "scene/octree/octree.h"
#include "scene/shapes/unbounded.h"

/* The cell of a node, of a leaf, or of an octant in which nothing is stored. */
typedef struct cell {
  uint32_t child; /* what is stored in the cell: MO_CHILD_EMPTY, a leaf or a node */
  uint32_t owner; /* parent node << 3 | octant; MO_NONE for the root */
  mo_aabb bounds;
  uint32_t depth;
} cell;

typedef enum cell_visit_result { ENTER_CELL, SKIP_CELL, STOP_VISIT } cell_visit_result;

/* Visits the cells that touch a box, including empty ones, depth first in the order of octants, and
 * descends into a node if `visit` returns ENTER_CELL. False if stopped. */
static bool visit_cells(const mo_scene *scene, const mo_aabb *box, const cell *at,
                        cell_visit_result (*visit)(const cell *cell, void *context),
                        void *context) {
  if (!mo_aabb_overlap(at->bounds, *box)) {
    return true;
  }
  cell_visit_result next = visit(at, context);
  if (next != ENTER_CELL || mo_child_is_leaf(at->child)) { /* an empty child counts as a leaf */
    return next != STOP_VISIT;
  }
  const mo_scene_node *node = mo_scene_node_at(scene, at->child);
  for (uint32_t octant = 0; octant < MO_LANE_COUNT; octant++) {
    const cell below = {node->child[octant], at->child << 3 | octant,
                        mo_octant_cell(node, octant, at->bounds), at->depth + 1};
    if ((octant & ~(uint32_t)node->axes) == 0 && !visit_cells(scene, box, &below, visit, context)) {
      return false;
    }
  }
  return true;
}

static cell root_cell(const mo_scene *scene) {
  return (cell){scene->root, MO_NONE, mo_aabb_infinite(), 0};
}

typedef struct cell_query {
  const mo_scene *scene;
  const mo_cell_query_def *def;
  bool (*visit)(const mo_cell *cell, void *context);
  void *context;
  bool complete;
  mo_query_stats *stats;
  uint32_t depth;        /* depth of the cells that this traversal reports */
  bool has_deeper_cells; /* whether there are nodes at this depth */
  /* The state of the cell that is being reported: */
  const cell *cell;
  bool occupants; /* true: the occupants are being listed; false: the visitors */
  mo_bounded_list list;
} cell_query;

/* Whether a shape, given by its bounds or as a half-space, reaches into a cell. */
static bool reaches_cell(const cell *at, mo_aabb bounds, const mo_half_space_body *half_space) {
  return half_space != NULL ? mo_half_space_min_box_height(half_space, at->bounds) <= 0.0
                            : mo_aabb_overlap(at->bounds, bounds);
}

/* The search for a cell that was reported earlier and touches a shape: a cell of lower depth, or of
 * the same depth and earlier in the order of octants. A depth-first traversal visits the cells of
 * one depth in that order. */
typedef struct earlier_cell_search {
  const cell *reported;
  const mo_aabb *bounds;                /* bounds of the shape */
  const mo_half_space_body *half_space; /* the shape, if it is a half-space; null: it has bounds */
  /* The traversal has passed the reported cell: further cells of its depth are not earlier. */
  bool passed_reported_cell;
  bool found;
} earlier_cell_search;

static cell_visit_result find_earlier_cell(const cell *at, void *context) {
  earlier_cell_search *s = context;
  uint32_t deepest = s->reported->depth - s->passed_reported_cell;
  if (at->depth > deepest || !reaches_cell(at, *s->bounds, s->half_space)) {
    return SKIP_CELL;
  }
  if (!mo_child_is_leaf(at->child)) {
    return ENTER_CELL;
  }
  if (at->owner == s->reported->owner) {
    s->passed_reported_cell = true;
    return SKIP_CELL;
  }
  s->found = true;
  return STOP_VISIT;
}

static bool strictly_inside(mo_aabb inner, mo_aabb outer) {
  return outer.lower.x < inner.lower.x && inner.upper.x < outer.upper.x &&
         outer.lower.y < inner.lower.y && inner.upper.y < outer.upper.y &&
         outer.lower.z < inner.lower.z && inner.upper.z < outer.upper.z;
}

/* Whether an earlier cell has reported the shape. */
static bool was_reported(const cell_query *query, mo_aabb bounds,
                         const mo_half_space_body *half_space) {
  if (query->cell->depth == 0 || strictly_inside(bounds, query->cell->bounds)) {
    return false; /* no other cell touches the shape */
  }
  earlier_cell_search s = {query->cell, &bounds, half_space, false, false};
  cell root = root_cell(query->scene);
  visit_cells(query->scene, &query->def->box, &root, find_earlier_cell, &s);
  return s.found;
}

static bool id_before(const void *a, const void *b) {
  return ((const mo_shape_id *)a)->index < ((const mo_shape_id *)b)->index;
}

static bool list_shape(uint32_t slot, mo_aabb bounds, bool inside, void *context) {
  (void)inside;
  cell_query *q = context;
  const mo_half_space_body *half_space = mo_slot_half_space(q->scene, slot);
  bool here =
      half_space == NULL && q->scene->cells[q->scene->places[slot] >> 3].owner == q->cell->owner;
  if (here == q->occupants && reaches_cell(q->cell, bounds, half_space) &&
      !(q->def->once && was_reported(q, bounds, half_space))) {
    mo_shape_id id = mo_shape_id_of(q->scene, slot);
    mo_bounded_offer(&q->list, &id, sizeof id, id_before);
  }
  return true;
}

/* Lists the occupants or the visitors of the current cell in `ids`, a part of the scratch buffer;
 * returns how many were written. */
static uint32_t list_shapes(cell_query *q, bool occupants, mo_shape_id *ids, uint32_t capacity) {
  mo_scene_overlap overlap = {
      .scene = q->scene,
      .filter = &q->def->filter,
      .stats = q->stats,
      .box = q->cell->bounds,
      .inner_box = mo_aabb_empty(),
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

static bool report_cell(cell_query *q, const cell *at) {
  q->cell = at;
  mo_shape_id *scratch = q->def->scratch;
  uint32_t capacity = q->def->scratch_capacity;
  mo_cell report = {.bounds = at->bounds, .depth = at->depth, .occupants = scratch};
  report.occupant_count = list_shapes(q, true, scratch, capacity);
  mo_shape_id *rest = capacity > 0 ? scratch + report.occupant_count : NULL;
  report.visitors = rest;
  report.visitor_count = list_shapes(q, false, rest, capacity - report.occupant_count);
  return q->visit(&report, q->context);
}

/* Reports the leaf cells of one depth. */
static cell_visit_result report_leaf_of_depth(const cell *at, void *context) {
  cell_query *q = context;
  if (mo_child_is_leaf(at->child)) {
    return at->depth != q->depth || report_cell(q, at) ? SKIP_CELL : STOP_VISIT;
  }
  if (at->depth == q->depth) {
    q->has_deeper_cells = true;
    return SKIP_CELL;
  }
  if (at->depth + 1 == q->depth) {
    mo_count_scene_node(q->stats, at->child);
  }
  return ENTER_CELL;
}

mo_cell_query_def mo_default_cell_query_def(void) {
  return (mo_cell_query_def){.filter = mo_default_filter(), .cookie = MO_COOKIE};
}

static mo_result check_def(const mo_cell_query_def *def, const mo_refusal *refusal) {
  mo_refusal box = mo_refusal_in(refusal, ".box", MO_NO_INDEX);
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_cell_query_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  if (result == MO_OK && def->scratch_capacity > 0 && def->scratch == NULL) {
    result = mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".scratch is null");
  }
  return result == MO_OK ? mo_check_aabb(&def->box, &box) : result;
}

mo_result mo_scene_visit_cells(const mo_scene *scene, const mo_cell_query_def *def,
                               bool (*visit)(const mo_cell *cell, void *context), void *context,
                               bool *complete, mo_query_stats *stats) {
  if (scene == NULL || def == NULL || visit == NULL || complete == NULL) {
    return mo_refuse_null(mo_scene_host(scene), __func__,
                          def == NULL     ? "def"
                          : visit == NULL ? "visit"
                                          : "complete");
  }
  mo_refusal refusal = mo_refusal_of(&scene->host, __func__, "def");
  mo_result result = check_def(def, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  cell_query query = {
      .scene = scene,
      .def = def,
      .visit = visit,
      .context = context,
      .complete = true,
      .stats = &counts,
  };
  cell root = root_cell(scene);
  do {
    query.has_deeper_cells = false;
    if (!visit_cells(scene, &def->box, &root, report_leaf_of_depth, &query)) {
      break;
    }
    query.depth++;
  } while (query.has_deeper_cells);
  *complete = query.complete;
  mo_stats_end(&counts, stats);
  return MO_OK;
}
