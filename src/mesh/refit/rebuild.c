/* Rebuilds the parts of a deformable mesh's octree whose quality refitting has degraded.
 *
 * The gain of rebuilding the subtree of a node is what a line that hits the mesh is expected to
 * lose there: the chance that it hits the node's box, times the increase in visits below the node
 * since it was built. Choosing subtrees to rebuild within a limit of triangles is a knapsack
 * problem on a tree. It is solved by Lagrangian relaxation: at a fixed price per triangle, the best
 * choice of disjoint subtrees follows bottom-up, and the price is raised until the choice fits.
 *
 * Each chosen subtree is built as a mesh of its own, and so may be the top of the octree (top.c).
 * Then the octree is copied into a new layout (layout.c). The mesh does not change before all
 * memory is allocated. */
#include "mesh/refit/rebuild.h"

#include "base/assert.h"

mo_mesh_rebuild_options mo_default_mesh_rebuild_options(void) {
  return (mo_mesh_rebuild_options){
      .threshold = 1.5f, .max_triangles = UINT32_MAX, .cookie = MO_COOKIE};
}

/* --- choosing the subtrees to rebuild --- */

static void compute_rebuild_gains(mo_rebuild *r, const mo_mesh_rebuild_options *options,
                                  uint32_t max) {
  const mo_mesh *mesh = r->mesh;
  const mo_deformation *d = mesh->deformation;
  double whole = mo_aabb_half_area(mesh->bounds);
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    mo_rebuild_candidate *p = &r->candidates[n];
    p->triangle_count = 0;
    p->height = 1;
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = mesh->nodes[n].child[slot];
      p->triangle_count += mo_count_leaf_triangles(mesh, child);
      if (!mo_child_is_leaf(child)) {
        uint32_t height = r->candidates[child].height + 1;
        p->triangle_count += r->candidates[child].triangle_count;
        p->height = height > p->height ? height : p->height;
      }
    }
    double visits = mo_refit_visits(&d->nodes[n]), built = d->built_visits[n];
    double area = mo_aabb_half_area(mo_padded_aabb_get(&d->nodes[n].box));
    bool bad = visits > (double)options->threshold * built && p->triangle_count <= max;
    p->gain = bad && whole > 0.0 ? area / whole * (visits - built) : 0.0;
  }
}

/* Chooses subtrees at a price per triangle; returns the number of their triangles. */
static uint32_t choose_subtrees_at_price(mo_rebuild *r, double price) {
  const mo_mesh *mesh = r->mesh;
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    mo_rebuild_candidate *p = &r->candidates[n];
    p->best_profit = 0.0;
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = mesh->nodes[n].child[slot];
      p->best_profit += mo_child_is_leaf(child) ? 0.0 : r->candidates[child].best_profit;
    }
    double profit = p->gain - price * p->triangle_count;
    p->chosen = p->gain > 0.0 && profit > p->best_profit;
    p->best_profit = p->chosen ? profit : p->best_profit;
  }
  uint32_t triangles = 0;
  r->subtree_count = 0;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    uint32_t parent = mesh->planes[n].parent;
    const mo_rebuild_candidate *above = parent != MO_NONE ? &r->candidates[parent >> 3] : NULL;
    mo_rebuild_candidate *p = &r->candidates[n];
    p->covered = above != NULL && (above->covered || above->chosen);
    if (p->chosen && !p->covered) {
      triangles += p->triangle_count;
      r->subtree_count++;
    }
  }
  return triangles;
}

static uint32_t choose_subtrees(mo_rebuild *r, const mo_mesh_rebuild_options *options,
                                uint32_t max) {
  /* Rejects parts that gain less, per triangle, than half of the tolerated loss divided by the
   * number of all triangles. Otherwise one small, very bad part would cause a rebuild of the whole
   * octree. */
  double tolerated = ((double)options->threshold - 1.0) * r->mesh->deformation->built_visits[0];
  double too_low = 0.5 * tolerated / fmax(1.0, r->mesh->triangle_count), enough = too_low;
  uint32_t triangles = choose_subtrees_at_price(r, too_low);
  if (triangles <= max) {
    return triangles;
  }
  for (uint32_t n = 0; n < r->mesh->node_count; n++) {
    const mo_rebuild_candidate *p = &r->candidates[n];
    enough = p->gain > 0.0 ? fmax(enough, p->gain / p->triangle_count) : enough;
  }
  for (int i = 0; i < 20; i++) {
    double middle = 0.5 * (too_low + enough);
    if (choose_subtrees_at_price(r, middle) <= max) {
      enough = middle;
    } else {
      too_low = middle;
    }
  }
  return choose_subtrees_at_price(r, enough);
}

/* --- building the chosen subtrees --- */

const mo_rebuilt_part *mo_rebuilt_part_of(const mo_rebuild *r, uint32_t node) {
  uint32_t i = 0;
  if (!r->candidates[node].chosen) {
    return NULL;
  }
  while (r->subtrees[i].node != node) {
    i++;
    MO_ASSERT(i < r->subtree_count);
  }
  return &r->subtrees[i].part;
}

static mo_result build_subtrees(mo_rebuild *r) {
  const mo_mesh *mesh = r->mesh;
  uint32_t count = r->subtree_count;
  r->subtree_count = 0;
  r->subtrees = mo_allocate(&mesh->host.allocator, count, sizeof *r->subtrees);
  if (r->subtrees == NULL && count > 0) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_result result = MO_OK;
  for (uint32_t n = 0; n < mesh->node_count && r->subtree_count < count && result == MO_OK; n++) {
    if (r->candidates[n].chosen && !r->candidates[n].covered) {
      mo_chosen_subtree *chosen = &r->subtrees[r->subtree_count++];
      chosen->node = n;
      result = mo_rebuild_subtree(&chosen->part, mesh, n, r->candidates[n].triangle_count,
                                  mo_padded_aabb_get(&mesh->deformation->nodes[n].box),
                                  mesh->planes[n].depth);
    }
  }
  return result;
}

mo_result mo_check_rebuild(const mo_host *host, const char *function,
                           const mo_mesh_rebuild_options *options) {
  const mo_refusal refusal = mo_refusal_of(host, function, "options");
  mo_result result =
      mo_check_cookie(options->cookie, &refusal, "", "mo_default_mesh_rebuild_options");
  if (result == MO_OK && !(options->threshold >= 1.0f)) {
    result = mo_refuse_number(&refusal, MO_ERROR_INVALID_ARGUMENT, ".threshold", options->threshold,
                              isnan(options->threshold) ? NULL : "below 1");
  }
  return result;
}

mo_result mo_rebuild_parts(mo_mesh *mesh, const mo_mesh_rebuild_options *options,
                           mo_mesh_rebuild_info *info) {
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t node_count = mesh->node_count;
  mo_rebuild r = {.mesh = mesh};
  r.candidates = mo_allocate(allocator, node_count, sizeof *r.candidates);
  if (r.candidates == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  /* Reserves a quarter of the limit for the top, unless the top is good or the limit allows a
   * rebuild of the whole octree. */
  uint32_t max = options->max_triangles;
  bool set_aside = max < mesh->triangle_count && mo_rebuild_is_top_due(mesh, options);
  uint32_t for_parts = set_aside ? max - max / 4 : max;
  compute_rebuild_gains(&r, options, for_parts);
  uint32_t triangles = choose_subtrees(&r, options, for_parts);
  uint32_t given = r.subtree_count;
  mo_result result = build_subtrees(&r);
  if (result == MO_OK) {
    result = mo_rebuild_top_if_better(&r, options, max - triangles);
  }
  if (result == MO_OK && (r.subtree_count > 0 || r.top.node_count > 0)) {
    result = mo_rebuild_copy_octree(&r);
  }
  if (result == MO_OK) {
    mo_rebuild_update_top_age(&r);
  }
  for (uint32_t i = 0; i < r.subtree_count; i++) {
    mo_free_rebuilt_part(&r.subtrees[i].part);
  }
  mo_free_rebuilt_part(&r.rebuilt_top);
  mo_deallocate(allocator, r.top.items, r.top.item_capacity, sizeof *r.top.items);
  mo_deallocate(allocator, r.subtrees, given, sizeof *r.subtrees);
  mo_deallocate(allocator, r.candidates, node_count, sizeof *r.candidates);
  if (result == MO_OK && info != NULL) {
    *info = (mo_mesh_rebuild_info){r.subtree_count, triangles, mo_refit_info(mesh)};
  }
  return result;
}

mo_result mo_mesh_rebuild_parts(mo_mesh *mesh, const mo_mesh_rebuild_options *options,
                                mo_mesh_rebuild_info *info) {
  if (mesh == NULL || options == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "options");
  }
  if (mesh->deformation == NULL) {
    const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "mesh");
    return mo_refuse(&refusal, MO_ERROR_UNSUPPORTED, " was not built as deformable");
  }
  const mo_result result = mo_check_rebuild(&mesh->host, __func__, options);
  return result == MO_OK ? mo_rebuild_parts(mesh, options, info) : result;
}
