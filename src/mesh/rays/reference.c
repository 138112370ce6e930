/* Reference traversals of the triangle octree for rays: across planes, and every node. Scalar, with
 * the same primitive test and the same results as the fast one. */
#include "mesh/rays/leaf.h"
#include "octree/plane_walk.h"

typedef struct mesh_walk {
  const mo_mesh *mesh;
  mo_mesh_ray *query;
  mo_ray_goal goal;
  mo_mailbox *mailbox;
  uint32_t node;
} mesh_walk;

static bool leaf(mesh_walk *walk, uint32_t first, uint32_t slot) {
  const mo_mesh *mesh = walk->mesh;
  mo_mesh_ray *query = walk->query;
  switch (walk->goal) {
  case MO_GOAL_CLOSEST:
    return mo_ray_leaf(mesh, mesh->format, query, first, walk->node, slot, walk->mailbox,
                       MO_GOAL_CLOSEST, false, query->bake, true);
  case MO_GOAL_ANY:
    return mo_ray_leaf(mesh, mesh->format, query, first, walk->node, slot, walk->mailbox,
                       MO_GOAL_ANY, false, query->bake, true);
  case MO_GOAL_FIRST:
    return mo_ray_leaf(mesh, mesh->format, query, first, walk->node, slot, walk->mailbox,
                       MO_GOAL_FIRST, false, query->bake, true);
  case MO_GOAL_ALL:
    break;
  }
  return mo_ray_leaf(mesh, mesh->format, query, first, walk->node, slot, walk->mailbox, MO_GOAL_ALL,
                     false, query->bake, true);
}

static bool walk_node(mesh_walk *walk, uint32_t node, float t0, float t1);

static bool visit_octant(uint32_t slot, float t0, float t1, void *context) {
  mesh_walk *walk = context;
  uint32_t node = walk->node;
  uint32_t child = mo_mesh_child(walk->mesh, node, slot);
  if (child == MO_CHILD_EMPTY || (walk->goal == MO_GOAL_CLOSEST &&
                                  t0 > mo_ray_cull_t(&walk->query->ray, walk->query->max_t))) {
    return false;
  }
  if (mo_child_is_leaf(child)) {
    /* The walk looks into octants whose bounds the ray misses; what is there is not its to report.
     */
    if (walk->goal == MO_GOAL_ALL &&
        !mo_mesh_reaches(walk->mesh, node, slot, mo_ray_slots_passing, walk->query)) {
      return false;
    }
    return leaf(walk, mo_child_index(child), slot);
  }
  if (walk->mesh->format == MO_MESH_COMPACT) {
    /* Boxes of compact nodes, each rounded outward, may stick out of that of the node above: what a
     * ray meets of them there counts as well. */
    t0 = walk->query->ray.near_t;
    t1 = mo_ray_cull_t(&walk->query->ray, walk->query->max_t);
  }
  bool stopped = walk_node(walk, child, t0, t1);
  walk->node = node;
  return stopped;
}

static bool walk_node(mesh_walk *walk, uint32_t node, float t0, float t1) {
  const mo_affine *bake = walk->query->bake;
  mo_bounds8 expanded, baked;
  const mo_bounds8 *own = mo_mesh_bounds8(walk->mesh, node, &expanded);
  const mo_bounds8 *bounds = mo_bounds_for(bake, own, &baked);
  mo_count_mesh_node(walk->query->stats, walk->mesh, node);
  walk->node = node;
  if (bake == NULL) {
    const mo_nested planes = mo_mesh_nested(walk->mesh, node);
    return mo_walk_planes(&walk->query->ray, bounds, &planes, t0, t1, visit_octant, walk);
  }
  /* Planes of the mesh are no planes of world axes: every child is a candidate. */
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    if (visit_octant(slot, t0, t1, walk)) {
      return true;
    }
  }
  return false;
}

bool mo_mesh_walk(const mo_mesh *mesh, mo_mesh_ray *query, mo_ray_goal goal) {
  mo_mesh_ray_prepare(mesh, query);
  mo_mailbox mailbox;
  mo_mailbox_init(&mailbox);
  mesh_walk walk = {.mesh = mesh, .query = query, .goal = goal};
  walk.mailbox = mesh->duplicate_count > 0 && !query->no_mailbox ? &mailbox : NULL;
  return walk_node(&walk, 0, query->ray.near_t, mo_ray_cull_t(&query->ray, query->max_t));
}

/* Every node, and each triangle where its place is. */
bool mo_mesh_visit_all(const mo_mesh *mesh, mo_mesh_ray *query, mo_ray_goal goal) {
  mo_mesh_ray_prepare(mesh, query);
  for (uint32_t node = 0; node < mesh->node_count; node++) {
    mo_count_mesh_node(query->stats, mesh, node);
  }
  query->stats->mesh_block_count += mesh->block_count;
  for (uint32_t triangle = 0; triangle < mesh->triangle_count; triangle++) {
    mo_vec3 corners[3];
    mo_triangle_hit hit;
    mo_mesh_corners(mesh, triangle, corners);
    for (int i = 0; query->bake != NULL && i < 3; i++) {
      corners[i] = mo_affine_bake(query->bake, corners[i]);
    }
    query->stats->triangle_count++;
    if (triangle == query->ignore ||
        !mo_ray_triangle(&query->ray, corners, query->max_t, query->cull, &hit)) {
      continue;
    }
    if (goal == MO_GOAL_FIRST) {
      mo_mesh_ray_offer_first(query, triangle, hit.t, hit.u, hit.v, hit.front != query->mirrored,
                              false);
      continue;
    }
    bool nearer = hit.t < query->max_t || triangle < query->triangle;
    if ((goal == MO_GOAL_CLOSEST && !nearer) ||
        (query->accept != NULL &&
         !query->accept(query->shape, triangle, hit.t, query->accept_context))) {
      continue;
    }
    if (goal == MO_GOAL_ANY) {
      return true;
    }
    if (goal == MO_GOAL_ALL) {
      mo_mesh_ray_offer(query, triangle, hit.t, hit.u, hit.v, hit.front != query->mirrored);
    } else {
      query->max_t = hit.t;
      query->triangle = triangle;
      query->place = mesh->places[triangle];
      query->u = hit.u;
      query->v = hit.v;
      query->front = hit.front != query->mirrored;
    }
  }
  return false;
}
