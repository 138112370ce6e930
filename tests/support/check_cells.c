/* Checking the cells that a box touches: they tile the box, come breadth first, and name every
 * shape that reaches into them. */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/defs.h"

typedef struct seen_cell {
  mo_cell cell;
  mo_shape_id *ids; /* occupants, then visitors */
} seen_cell;

typedef struct collector {
  oracle_list cells;
  uint32_t stop_after; /* cells */
} collector;

static bool collect(const mo_cell *cell, void *context) {
  collector *all = context;
  seen_cell *seen = oracle_list_add(&all->cells, sizeof *seen);
  size_t count = (size_t)cell->occupant_count + cell->visitor_count;
  seen->cell = *cell;
  seen->ids = malloc((count + 1) * sizeof *seen->ids);
  for (uint32_t i = 0; i < cell->occupant_count; i++) {
    seen->ids[i] = cell->occupants[i];
  }
  for (uint32_t i = 0; i < cell->visitor_count; i++) {
    seen->ids[cell->occupant_count + i] = cell->visitors[i];
  }
  return all->cells.count != all->stop_after;
}

static void discard(collector *all) {
  for (uint32_t i = 0; i < all->cells.count; i++) {
    free(((seen_cell *)all->cells.items)[i].ids);
  }
  oracle_list_free(&all->cells);
}

static bool ascending(const mo_shape_id *ids, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    if (ids[i - 1].index >= ids[i].index) {
      return false;
    }
  }
  return true;
}

/* The volume that two boxes share, in units of the second. */
static double share(mo_aabb a, mo_aabb b) {
  double volume = 1;
  for (int axis = 0; axis < 3; axis++) {
    double low = fmax(mo_get(a.lower, axis), mo_get(b.lower, axis));
    double high = fmin(mo_get(a.upper, axis), mo_get(b.upper, axis));
    double size = (double)mo_get(b.upper, axis) - mo_get(b.lower, axis);
    volume *= high > low ? (high - low) / size : 0;
  }
  return volume;
}

static bool check_tiling(const collector *all, mo_aabb box) {
  const seen_cell *cells = all->cells.items;
  double sum = 0;
  for (uint32_t i = 0; i < all->cells.count; i++) {
    if (!mo_aabb_overlap(cells[i].cell.bounds, box)) {
      return check_failed("cell %u does not touch the box", i);
    }
    if (i > 0 && cells[i].cell.depth < cells[i - 1].cell.depth) {
      return check_failed("cell %u is less deep than the one before", i);
    }
    sum += share(cells[i].cell.bounds, box);
    for (uint32_t j = 0; j < i && i < 200; j++) {
      if (share(cells[j].cell.bounds, cells[i].cell.bounds) > 0) {
        return check_failed("cells %u and %u overlap", j, i);
      }
    }
  }
  bool has_volume =
      box.lower.x < box.upper.x && box.lower.y < box.upper.y && box.lower.z < box.upper.z;
  if (has_volume && fabs(sum - 1) > 1e-5) {
    return check_failed("%u cells cover %.9g of the box", all->cells.count, sum);
  }
  return all->cells.count > 0 || check_failed("a box without cells");
}

static bool reaches_into(const oracle_shape *shape, mo_aabb box) {
  mo_half_space_body half_space;
  return oracle_half_space(shape, &half_space) ? mo_half_space_min_box_height(&half_space, box) <= 0
                                               : mo_aabb_overlap(shape->bounds, box);
}

/* Whether a cell names all shapes that reach into it, but for those named before if `once`. */
static bool check_names(const seen_cell *seen, uint32_t index, const oracle_scene *oracle,
                        const mo_filter *filter, bool once, uint8_t *named) {
  const mo_cell *cell = &seen->cell;
  const mo_shape_id *occupant = seen->ids, *visitor = seen->ids + cell->occupant_count;
  const mo_shape_id *occupant_end = visitor, *visitor_end = visitor + cell->visitor_count;
  if (!ascending(occupant, cell->occupant_count) || !ascending(visitor, cell->visitor_count)) {
    return check_failed("cell %u: ids do not ascend", index);
  }
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    bool wanted = reaches_into(shape, cell->bounds) && oracle_filter_passes(filter, shape) &&
                  !(once && (named[i] & 1));
    bool is_occupant = occupant < occupant_end && occupant->index == shape->id.index &&
                       occupant->generation == shape->id.generation;
    bool is_visitor = visitor < visitor_end && visitor->index == shape->id.index &&
                      visitor->generation == shape->id.generation;
    if (is_occupant + is_visitor != wanted) {
      return check_failed("cell %u of depth %u: shape %u expected %d, occupant %d, visitor %d",
                          index, cell->depth, shape->id.index, wanted, is_occupant, is_visitor);
    }
    if (is_occupant && (named[i] & 2)) {
      return check_failed("shape %u occupies two cells", shape->id.index);
    }
    named[i] |= (uint8_t)(wanted | is_occupant << 1);
    occupant += is_occupant;
    visitor += is_visitor;
  }
  if (occupant != occupant_end || visitor != visitor_end) {
    return check_failed("cell %u names a shape that does not exist", index);
  }
  return true;
}

static bool check_visit(const mo_scene *scene, const oracle_scene *oracle, const mo_aabb *box,
                        const mo_filter *filter, bool once) {
  uint32_t capacity = oracle->shape_count;
  mo_shape_id *scratch = malloc((capacity + 1) * sizeof *scratch);
  uint8_t *named = calloc(capacity + 1, 1);
  collector all = {0};
  bool complete = false;
  mo_result result = mo_scene_visit_cells(scene, OF_CELLS(*box, filter, once, scratch, capacity),
                                          collect, &all, &complete, NULL);
  bool ok = result == MO_OK || check_failed("visiting cells: %s", mo_result_name(result));
  ok = ok && (complete || check_failed("visiting cells is not complete"));
  ok = ok && check_tiling(&all, *box);
  for (uint32_t i = 0; ok && i < all.cells.count; i++) {
    ok = check_names((const seen_cell *)all.cells.items + i, i, oracle, filter, once, named);
  }
  for (uint32_t i = 0; ok && i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    ok = (named[i] & 1) || !reaches_into(shape, *box) || !oracle_filter_passes(filter, shape) ||
         check_failed("shape %u touches the box but no cell names it", shape->id.index);
  }

  /* Stopped half way, the cells are the first ones. */
  collector some = {.stop_after = (all.cells.count + 1) / 2};
  if (ok) {
    result = mo_scene_visit_cells(scene, OF_CELLS(*box, filter, once, scratch, capacity), collect,
                                  &some, &complete, NULL);
    ok = (result == MO_OK && some.cells.count == some.stop_after) ||
         check_failed("stopping after %u cells gave %u", some.stop_after, some.cells.count);
  }

  /* With too little scratch each cell still comes, with the first ids. */
  collector few = {0};
  if (ok) {
    uint32_t max = 0;
    for (uint32_t i = 0; i < all.cells.count; i++) {
      const mo_cell *cell = &((const seen_cell *)all.cells.items)[i].cell;
      uint32_t count = cell->occupant_count + cell->visitor_count;
      max = count > max ? count : max;
    }
    complete = false;
    result = mo_scene_visit_cells(scene, OF_CELLS(*box, filter, false, scratch, max / 2), collect,
                                  &few, &complete, NULL);
    ok =
        (result == MO_OK && few.cells.count == all.cells.count) ||
        check_failed("with little scratch %u cells came, not %u", few.cells.count, all.cells.count);
    ok = ok && (once || complete == (max / 2 >= max) ||
                check_failed("with %u ids for %u, complete is %d", max / 2, max, complete));
  }
  discard(&all);
  discard(&some);
  discard(&few);
  free(scratch);
  free(named);
  return ok;
}

bool check_scene_cells(const mo_scene *const *scenes, uint32_t scene_count,
                       const oracle_scene *oracle, const mo_aabb *box, const mo_filter *filter) {
  for (uint32_t i = 0; i < scene_count; i++) {
    if (!check_visit(scenes[i], oracle, box, filter, false) ||
        !check_visit(scenes[i], oracle, box, filter, true)) {
      return false;
    }
  }
  return true;
}
