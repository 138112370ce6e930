/* Rebuilds the top of a deformable mesh's octree.
 *
 * Subtrees that are still good may have moved so that their boxes overlap, which makes the nodes
 * above them bad. So the top of the octree is rebuilt over the boxes of unchanged subtrees and
 * leaves. The top reaches down as far as nodes have become bad, within the limit of items. */
#include "mesh/build/build.h"
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

/* The order of a heap of items. First is the item to replace by its children next: the largest node
 * that is not to be rebuilt. */
static bool is_expanded_before(const mo_rebuild *r, uint32_t a, uint32_t b) {
  double area[2] = {-1.0, -1.0};
  for (int i = 0; i < 2; i++) {
    uint32_t child = i == 0 ? a : b;
    if (!mo_child_is_leaf(child) && !r->candidates[child].chosen) {
      area[i] = half_area_of(r->mesh, child);
    }
  }
  return area[0] > area[1] || (area[0] == area[1] && a < b);
}

static void push_item(mo_rebuild *r, mo_top_subtree added) {
  mo_top_subtree *items = r->top.items;
  uint32_t i = r->top.item_count++;
  for (; i > 0 && is_expanded_before(r, added.child, items[(i - 1) / 2].child); i = (i - 1) / 2) {
    items[i] = items[(i - 1) / 2];
  }
  items[i] = added;
}

static void pop_item(mo_rebuild *r) {
  mo_top_subtree *items = r->top.items;
  uint32_t count = --r->top.item_count, i = 0;
  mo_top_subtree last = items[count];
  for (uint32_t next = 1; next < count; next = 2 * i + 1) {
    next += next + 1 < count && is_expanded_before(r, items[next + 1].child, items[next].child);
    if (!is_expanded_before(r, items[next].child, last.child)) {
      break;
    }
    items[i] = items[next];
    i = next;
  }
  items[i] = last;
}

/* Number of levels of nodes in an item, a subtree below the top. */
static uint32_t item_height(const mo_rebuild *r, uint32_t item) {
  if (mo_child_is_leaf(item) || !r->candidates[item].chosen) {
    return mo_child_is_leaf(item) ? 0 : r->candidates[item].height;
  }
  uint32_t i = 0;
  while (r->parts[i].node != item) {
    i++;
  }
  return r->parts[i].tree.depth;
}

/* Replaces nodes by their children from the root down, largest first, as subtrees overlap most in
 * large nodes. */
static void expand_top_nodes(mo_rebuild *r) {
  mo_rebuilt_top *t = &r->top;
  const mo_mesh *mesh = r->mesh;
  push_item(r, (mo_top_subtree){0, MO_NONE});
  while (t->item_count > 0 && t->item_count + MO_LANE_COUNT <= t->item_capacity) {
    uint32_t first = t->items[0].child;
    if (mo_child_is_leaf(first) || r->candidates[first].chosen) {
      return;
    }
    pop_item(r);
    t->node_count++;
    t->area_sum += half_area_of(mesh, first);
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = mesh->nodes[first].child[slot];
      if (child != MO_CHILD_EMPTY) {
        push_item(r, (mo_top_subtree){child, first << 3 | slot});
      }
    }
  }
}

/* Whether the new top is valid, with one item per leaf and no subtree too deep, and costs less than
 * the old nodes by at least `min`. */
static bool is_top_better(const mo_rebuild *r, double min) {
  const mo_mesh *mesh = r->mesh, *tree = &r->top.tree;
  double area_sum = half_area_of(mesh, 0);
  for (uint32_t n = 0; n < tree->node_count; n++) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = tree->nodes[n].child[slot];
      if (!mo_child_is_leaf(child)) {
        area_sum += mo_aabb_half_area(mo_bounds8_get(&tree->nodes[n].bounds, (int)slot));
      } else if (child != MO_CHILD_EMPTY) {
        if (mo_count_leaf_triangles(tree, child) > 1 ||
            tree->planes[n].depth + 1 + item_height(r, mo_top_item_of_leaf(&r->top, child)) >
                mesh->build.max_depth) {
          return false;
        }
      }
    }
  }
  return r->top.area_sum - area_sum > min * half_area_of(mesh, 0);
}

static mo_result build_top(mo_rebuild *r) {
  const mo_mesh *mesh = r->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_mesh *tree = &r->top.tree;
  uint32_t count = r->top.item_count;
  tree->host = mesh->host;
  tree->isa = mesh->isa;
  tree->build = mesh->build;
  tree->build.leaf_capacity = 1;
  tree->build.quality = MO_MESH_QUALITY_DEFAULT;
  tree->triangle_count = tree->triangle_capacity = count;
  tree->bounds = mesh->bounds;
  tree->reach = mesh->reach;
  tree->triangle_places = mo_allocate(allocator, count, sizeof *tree->triangle_places);
  mo_vec3 *corners = mo_allocate(allocator, 3 * (size_t)count, sizeof *corners);
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  if (tree->triangle_places != NULL && corners != NULL) {
    for (uint32_t i = 0; i < count; i++) {
      uint32_t slot = r->top.items[i].old_slot;
      mo_aabb box = mo_bounds8_get(&mesh->nodes[slot >> 3].bounds, (int)(slot & 7));
      corners[3 * i] = corners[3 * i + 2] = box.lower;
      corners[3 * i + 1] = box.upper;
      tree->triangle_places[i] = MO_NONE;
    }
    result = mo_mesh_build(tree, corners);
  }
  mo_deallocate(allocator, corners, 3 * (size_t)count, sizeof *corners);
  return result;
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
  mo_rebuilt_top *t = &r->top;
  double tolerated = tolerated_degradation(mesh, options);
  if (r->candidates[0].chosen || max < MIN_TOP_ITEMS || !mo_rebuild_is_top_due(mesh, options)) {
    return MO_OK;
  }
  t->item_capacity = max < MAX_TOP_ITEMS ? max : MAX_TOP_ITEMS;
  t->items = mo_allocate(&mesh->host.allocator, t->item_capacity, sizeof *t->items);
  if (t->items == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  expand_top_nodes(r);
  double whole = half_area_of(mesh, 0);
  mo_result result = MO_OK;
  if (t->node_count < 2 ||
      !(degradation_of_top(r) > MIN_TOP_DEGRADATION_RATIO * tolerated * whole)) {
    t->node_count = 0;
  } else {
    result = build_top(r);
    t->node_count =
        result == MO_OK && is_top_better(r, MIN_TOP_GAIN_RATIO * tolerated) ? t->node_count : 0;
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
