/* Rebuilds the top of a deformable mesh's octree.
 *
 * Subtrees that are still good may have moved so that their boxes overlap, which makes the nodes
 * above them bad. So the top of the octree is rebuilt over the boxes of unchanged subtrees and
 * leaves. The top reaches down as far as nodes have become bad, within the limit of items. */
#include "mesh/refit/rebuild.h"

/* The top is not rebuilt if its number of items would be limited to less than MIN_TOP_ITEMS, and
 * never has more than MAX_TOP_ITEMS. The top is rebuilt if its expected visits have increased,
 * since it was built, by more than MIN_TOP_DEGRADATION_RATIO of the increase that is tolerated in
 * the octree. The new top is kept if it saves more than MIN_TOP_GAIN_RATIO of the tolerated
 * increase. */
enum { MIN_TOP_ITEMS = 64, MAX_TOP_ITEMS = 16384 };
#define MIN_TOP_DEGRADATION_RATIO 0.25
#define MIN_TOP_GAIN_RATIO 0.1
/* After an attempt, the next is made when the expected visits have grown by the factor
 * TOP_RETRY_VISITS_GROWTH, or CALLS_BEFORE_TOP_RETRY calls later. */
#define TOP_RETRY_VISITS_GROWTH 1.05
enum { CALLS_BEFORE_TOP_RETRY = 2 };

static double half_area_of(const mo_mesh *mesh, uint32_t node) {
  return mo_aabb_half_area(mo_padded_aabb_get(&mesh->deformation->nodes[node].box));
}

/* The increase in expected visits in a subtree since it was built, weighted by its half area. */
static double degradation_of_subtree(const mo_mesh *mesh, uint32_t node) {
  const mo_deformation *d = mesh->deformation;
  return half_area_of(mesh, node) * (mo_refit_visits(&d->nodes[node]) - d->built_visits[node]);
}

static bool is_chosen(uint32_t node, const void *rebuild) {
  return ((const mo_rebuild *)rebuild)->candidates[node].chosen;
}

/* Number of levels of nodes in an item, a subtree below the top. */
static uint32_t item_height(const mo_rebuild *r, uint32_t item) {
  const mo_rebuilt_part *part = mo_child_is_leaf(item) ? NULL : mo_rebuilt_part_of(r, item);
  return mo_child_is_leaf(item) ? 0 : part != NULL ? part->tree.depth : r->candidates[item].height;
}

/* The increase in expected visits in the top of the octree, without the subtrees below it. */
static double degradation_of_top(const mo_rebuild *r) {
  double loss = degradation_of_subtree(r->mesh, 0);
  for (uint32_t i = 0; i < r->top.item_count; i++) {
    uint32_t child = r->top.items[i].child;
    loss -= mo_child_is_leaf(child) ? 0.0 : degradation_of_subtree(r->mesh, child);
  }
  return loss;
}

static double tolerated_degradation(const mo_mesh *mesh, const mo_mesh_rebuild_options *options) {
  return ((double)options->threshold - 1.0) * mesh->deformation->built_visits[0];
}

bool mo_rebuild_is_top_due(const mo_mesh *mesh, const mo_mesh_rebuild_options *options) {
  const mo_deformation *d = mesh->deformation;
  double visits = mo_refit_visits(&d->nodes[0]);
  return visits - d->built_visits[0] > tolerated_degradation(mesh, options) &&
         (visits > TOP_RETRY_VISITS_GROWTH * d->root_visits_when_top_built ||
          d->top_age >= CALLS_BEFORE_TOP_RETRY);
}

mo_result mo_rebuild_top_if_better(mo_rebuild *r, const mo_mesh_rebuild_options *options,
                                   uint32_t max) {
  const mo_mesh *mesh = r->mesh;
  mo_subtree_top *t = &r->top;
  double tolerated = tolerated_degradation(mesh, options);
  if (r->candidates[0].chosen || max < MIN_TOP_ITEMS || !mo_rebuild_is_top_due(mesh, options)) {
    return MO_OK;
  }
  t->item_capacity = max < MAX_TOP_ITEMS ? max : MAX_TOP_ITEMS;
  t->items = mo_allocate(&mesh->host.allocator, t->item_capacity, sizeof *t->items);
  if (t->items == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_expand_top(t, mesh, 0, is_chosen, r);
  double whole = half_area_of(mesh, 0);
  mo_result result = MO_OK;
  if (t->node_count < 2 ||
      !(degradation_of_top(r) > MIN_TOP_DEGRADATION_RATIO * tolerated * whole)) {
    t->node_count = 0;
  } else {
    for (uint32_t i = 0; i < t->item_count; i++) {
      t->items[i].height = item_height(r, t->items[i].child);
    }
    result = mo_rebuild_top(&r->rebuilt_top, mesh, t, mesh->bounds);
    bool is_better = result == MO_OK && t->area_sum - mo_rebuilt_top_area(&r->rebuilt_top, t, 0) >
                                            MIN_TOP_GAIN_RATIO * tolerated * whole;
    t->node_count = is_better ? t->node_count : 0;
  }
  return result;
}

void mo_rebuild_update_top_age(const mo_rebuild *r) {
  mo_deformation *d = r->mesh->deformation;
  if (r->top.items != NULL) {
    d->root_visits_when_top_built = mo_refit_visits(&d->nodes[0]);
    d->top_age = 0;
  } else if (d->top_age < CALLS_BEFORE_TOP_RETRY) {
    d->top_age++;
  }
}
