/* Rays by classical traversals of the triangle octree: one walks across the split planes, one
 * visits every node. */
#include "reference/plane_walk.h"
#include "reference/traversals.h"

typedef struct mesh_walk {
  mo_ray_trace trace;
  mo_ray_goal goal;
  uint32_t node;
} mesh_walk;

static bool leaf(const mesh_walk *walk, uint32_t first, uint32_t slot) {
  const mo_ray_trace *trace = &walk->trace;
  mo_mesh_format format = trace->mesh->format;
  uint32_t from = walk->node << 3 | slot;
  switch (walk->goal) {
  case MO_GOAL_CLOSEST:
    return mo_ray_test_leaf(trace, format, first, from, MO_GOAL_CLOSEST, true);
  case MO_GOAL_ANY:
    return mo_ray_test_leaf(trace, format, first, from, MO_GOAL_ANY, true);
  case MO_GOAL_ALL:
  case MO_GOAL_FIRST: /* no reference query has it */
    break;
  }
  return mo_ray_test_leaf(trace, format, first, from, MO_GOAL_ALL, true);
}

static float end_of(const mo_ray_trace *trace) {
  return mo_ray_scaled_max_t(trace->ray, trace->best->max_t);
}

static bool walk_node(mesh_walk *walk, uint32_t node, float t0, float t1);

static bool visit_octant(uint32_t slot, float t0, float t1, void *context) {
  mesh_walk *walk = context;
  const mo_ray_trace *trace = &walk->trace;
  uint32_t node = walk->node;
  uint32_t child = mo_mesh_child(trace->mesh, node, slot);
  if (child == MO_CHILD_EMPTY || (walk->goal == MO_GOAL_CLOSEST && t0 > end_of(trace))) {
    return false;
  }
  if (mo_child_is_leaf(child)) {
    /* The walk also enters octants whose bounds the ray misses. Triangles hit there are reported
     * through another reference. */
    const mo_ray_slot_test reach = {trace->ray, trace->world_map, trace->best->max_t};
    if (walk->goal == MO_GOAL_ALL &&
        !mo_mesh_traversal_reaches(trace->mesh, node, slot, mo_ray_find_passing_slots, &reach)) {
      return false;
    }
    return leaf(walk, mo_child_index(child), slot);
  }
  if (trace->mesh->format == MO_MESH_COMPACT) {
    /* The boxes of compact nodes are each rounded outward and may exceed their parent's box, so a
     * ray may hit them outside its interval in the parent. */
    t0 = trace->ray->near_t;
    t1 = end_of(trace);
  }
  bool stopped = walk_node(walk, child, t0, t1);
  walk->node = node;
  return stopped;
}

static bool walk_node(mesh_walk *walk, uint32_t node, float t0, float t1) {
  const mo_ray_trace *trace = &walk->trace;
  mo_bounds8 expanded, in_world;
  const mo_bounds8 *own = mo_mesh_bounds8(trace->mesh, node, &expanded);
  const mo_bounds8 *bounds = mo_bounds_to_query_space(trace->world_map, own, &in_world);
  mo_count_mesh_node(trace->options->stats, trace->mesh, node);
  walk->node = node;
  if (trace->world_map == NULL) {
    const mo_nested_planes planes = mo_mesh_nested_planes(trace->mesh, node);
    const reference_plane_walk across = {trace->ray, bounds, &planes, visit_octant, walk};
    return reference_walk_planes(&across, t0, t1);
  }
  /* The mesh's split planes are not perpendicular to the world axes, so every child is a
   * candidate. */
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (visit_octant(slot, t0, t1, walk)) {
      return true;
    }
  }
  return false;
}

static bool walk_mesh(const mo_mesh *mesh, const mo_mesh_ray *in,
                      const mo_mesh_ray_options *options, mo_ray_goal goal, mo_mesh_hit *best) {
  mo_ray ray;
  mo_ray_prepare_general(mesh, in, options->world_map, &ray);
  mo_mailbox mailbox;
  mo_mailbox_init(&mailbox);
  mesh_walk walk = {.trace = {mesh, in, options, &ray, best, options->world_map, NULL, false},
                    .goal = goal};
  walk.trace.mailbox = mesh->duplicate_count > 0 && !options->no_mailbox ? &mailbox : NULL;
  return walk_node(&walk, 0, ray.near_t, end_of(&walk.trace));
}

/* Handles a hit of a triangle. Returns true if the visit may stop. */
static bool take_hit(const mo_mesh *mesh, const mo_mesh_ray_options *options,
                     const mo_triangle_hit *hit, uint32_t triangle, mo_ray_goal goal,
                     mo_mesh_hit *best) {
  bool front = hit->front != options->mirrored;
  if (goal == MO_GOAL_ALL) {
    mo_ray_hit listed =
        mo_hit_make(options->shape, options->child, triangle, hit->t, hit->u, hit->v, front);
    mo_mesh_ray_list_hit(options, &listed, goal, false, best);
    return false;
  }
  const mo_triangle_ref ref = {options->shape, triangle, options->child};
  bool nearer = hit->t < best->max_t || triangle < best->triangle;
  if ((goal == MO_GOAL_CLOSEST && !nearer) ||
      (options->accept != NULL && !options->accept(ref, hit->t, options->accept_context))) {
    return false;
  }
  if (goal == MO_GOAL_CLOSEST) {
    *best = (mo_mesh_hit){.max_t = hit->t,
                          .triangle = triangle,
                          .u = hit->u,
                          .place = mesh->triangle_places[triangle],
                          .v = hit->v,
                          .front = front};
  }
  return goal == MO_GOAL_ANY;
}

/* Visits every node, and tests each triangle once. */
static bool visit_all(const mo_mesh *mesh, const mo_mesh_ray *in,
                      const mo_mesh_ray_options *options, mo_ray_goal goal, mo_mesh_hit *best) {
  const mo_affine *world_map = options->world_map;
  mo_ray ray;
  mo_ray_prepare_general(mesh, in, world_map, &ray);
  for (uint32_t node = 0; node < mesh->node_count; node++) {
    mo_count_mesh_node(options->stats, mesh, node);
  }
  options->stats->mesh_block_count += mesh->block_count;
  for (uint32_t triangle = 0; triangle < mesh->triangle_count; triangle++) {
    mo_vec3 corners[3];
    mo_triangle_hit hit;
    mo_mesh_corners(mesh, triangle, corners);
    for (int i = 0; world_map != NULL && i < 3; i++) {
      corners[i] = mo_affine_point_to_world_float(world_map, corners[i]);
    }
    options->stats->triangle_count++;
    if (triangle != in->ignore &&
        mo_ray_test_triangle(&ray, corners, best->max_t, in->cull, &hit) &&
        take_hit(mesh, options, &hit, triangle, goal, best)) {
      return true;
    }
  }
  return false;
}

bool reference_mesh_trace(const mo_mesh *mesh, reference_traversal traversal, const mo_mesh_ray *in,
                          const mo_mesh_ray_options *options, mo_ray_goal goal, mo_mesh_hit *best) {
  switch (traversal) {
  case REFERENCE_PLANE_WALK:
    return walk_mesh(mesh, in, options, goal, best);
  case REFERENCE_NAIVE:
    return visit_all(mesh, in, options, goal, best);
  case REFERENCE_FAST:
    break;
  }
  return mo_mesh_trace_ray(mesh, mo_mesh_ray_kernels_for(mesh->isa), in, options, goal, best);
}

/* Traces a legal ray. The classical traversals always count statistics, the fast one only if the
 * caller requests them. */
static bool trace_ray(const mo_mesh *mesh, const reference_ray *ray, mo_ray_goal goal,
                      mo_bounded_list *hits, mo_mesh_hit *best, mo_query_stats *stats) {
  const mo_ray_def *def = &ray->ray;
  mo_query_stats counts = mo_stats_begin(stats);
  bool count = stats != NULL || ray->traversal != REFERENCE_FAST;
  mo_mesh_ray in;
  mo_mesh_ray_options options;
  mo_mesh_ray_init(&in, def, &def->origin, &def->direction, NULL);
  mo_mesh_ray_options_init(&options, def, count ? &counts : NULL);
  options.no_mailbox = ray->no_mailbox;
  options.hits = hits;
  mo_mesh_hit_init(best, def->max_t);
  bool any = mo_ray_has_direction(def) &&
             reference_mesh_trace(mesh, ray->traversal, &in, &options, goal, best);
  mo_stats_end(&counts, stats);
  return any;
}

mo_result reference_mesh_cast_ray(const mo_mesh *mesh, const reference_ray *ray, mo_ray_hit *hit,
                                  mo_query_stats *stats) {
  mo_result result = mo_check_ray(&ray->ray);
  if (result == MO_OK) {
    mo_mesh_hit best;
    trace_ray(mesh, ray, MO_GOAL_CLOSEST, NULL, &best, stats);
    mo_mesh_ray_public_hit(mesh, &ray->ray, &best, hit);
  }
  return result;
}

mo_result reference_mesh_test_ray(const mo_mesh *mesh, const reference_ray *ray, bool *hit,
                                  mo_query_stats *stats) {
  mo_result result = mo_check_ray(&ray->ray);
  if (result == MO_OK) {
    mo_mesh_hit best;
    *hit = trace_ray(mesh, ray, MO_GOAL_ANY, NULL, &best, stats);
  }
  return result;
}

mo_result reference_mesh_cast_ray_all(const mo_mesh *mesh, const reference_ray *ray,
                                      mo_ray_hit *hits, uint32_t capacity, uint32_t *total,
                                      mo_query_stats *stats) {
  mo_result result = mo_check_ray(&ray->ray);
  if (result != MO_OK) {
    return result;
  }
  mo_bounded_list list = mo_bounded_make(hits, capacity);
  mo_mesh_hit best;
  trace_ray(mesh, ray, MO_GOAL_ALL, &list, &best, stats);
  mo_bounded_sort(&list, sizeof *hits, mo_hit_before);
  for (uint32_t i = 0; i < list.count; i++) {
    mo_mesh_ray_complete_hit(mesh, &ray->ray, &hits[i]);
  }
  *total = list.total;
  return MO_OK;
}
