#include "galaxy-demo/homes.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"

/* Of shapes that no leaf holds: they are kept further up, at an inner node. */
static mo_aabb no_cell(void) {
  return (mo_aabb){vec3(INFINITY, INFINITY, INFINITY), vec3(INFINITY, INFINITY, INFINITY)};
}

static bool note_occupants(const mo_cell *cell, void *context) {
  struct homes *homes = context;
  for (uint32_t i = 0; i < cell->occupant_count; i++) {
    homes->cells[cell->occupants[i].index] = cell->bounds;
  }
  return true;
}

static void look(struct homes *homes, const mo_scene *scene) {
  const float far = MO_MAX_COORDINATE;
  mo_cell_query_def everywhere = mo_default_cell_query_def();
  everywhere.box = (mo_aabb){vec3(-far, -far, -far), vec3(far, far, far)};
  everywhere.scratch = homes->scratch;
  everywhere.scratch_capacity = homes->count;
  for (uint32_t i = 0; i < homes->count; i++) {
    homes->cells[i] = no_cell();
  }
  bool complete;
  check(mo_scene_visit_cells(scene, &everywhere, note_occupants, homes, &complete, NULL),
        "visit the cells");
}

struct homes homes_create(const mo_scene *scene) {
  uint32_t count = mo_scene_shape_count(scene);
  struct homes homes = {
      .count = count,
      .cells = allocate(count, sizeof(mo_aabb)),
      .previous = allocate(count, sizeof(mo_aabb)),
      .is_new = allocate(count, sizeof(bool)),
      .scratch = allocate(count, sizeof(mo_shape_id)),
  };
  look(&homes, scene);
  return homes;
}

void homes_destroy(struct homes *homes) {
  free(homes->cells);
  free(homes->previous);
  free(homes->is_new);
  free(homes->scratch);
}

static bool contains(mo_aabb outer, mo_aabb inner) {
  return outer.lower.x <= inner.lower.x && inner.upper.x <= outer.upper.x &&
         outer.lower.y <= inner.lower.y && inner.upper.y <= outer.upper.y &&
         outer.lower.z <= inner.lower.z && inner.upper.z <= outer.upper.z;
}

uint32_t homes_follow(struct homes *homes, const mo_scene *scene) {
  mo_aabb *last = homes->cells;
  homes->cells = homes->previous;
  homes->previous = last;
  look(homes, scene);
  uint32_t total = 0;
  for (uint32_t i = 0; i < homes->count; i++) {
    /* A cell within the other one: the cell was split or merged, the shape has not moved. */
    homes->is_new[i] = !contains(homes->cells[i], last[i]) && !contains(last[i], homes->cells[i]);
    total += homes->is_new[i];
  }
  return total;
}
