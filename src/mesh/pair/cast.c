/* Casts of a rotating mesh at another mesh. A sweep of both finds the pairs of triangles that come
 * close. It tests pairs that stay close again and again; so if there are many, it is given up, and
 * the moving mesh is cast at the triangles of the other one, one by one. */
#include "mesh/pair/sweep.h"

/* Relative to the size of the smaller mesh: the distance up to which pairs are tested. */
static const double close_distance = 0x1p-10;

/* The context of the callback of mo_mesh_sweep for each pair of triangles that come close. */
typedef struct pair_cast {
  mo_mesh_cast *query;
  mo_query_stats *stats;
} pair_cast;

static void test_pair(uint32_t triangle, uint32_t own_triangle, void *context) {
  const pair_cast *c = context;
  if (c->query->limit >= 0.0) {
    c->stats->pair_count++;
    mo_mesh_cast_test_pair(c->query, triangle, own_triangle);
  }
}

void mo_mesh_cast_find_mesh(mo_mesh_cast *q, mo_isa isa, mo_query_stats *stats) {
  const mo_cast *cast = q->cast;
  if (mo_aabb_is_empty(q->mesh->bounds) || mo_aabb_is_empty(cast->mesh->bounds)) {
    return;
  }
  const mo_body box = mo_body_of_aabb(mo_affine_aabb_to_world(q->affine, q->mesh->bounds));
  const mo_moving_body still = mo_still_body(&box);
  const double own = mo_sum_of_extents(cast->body.body.bounds),
               others = mo_sum_of_extents(box.bounds),
               coordinates = mo_rotating_coordinate_magnitude(&cast->body, box.bounds);
  pair_cast context = {q, stats};
  const mo_mesh_sweep sweep = {
      .mesh = {q->mesh, cast->mesh},
      .affine = {q->affine, &cast->affine},
      .moving = {&still, &cast->body},
      .margin = close_distance * fmin(own, others) +
                2.0 * mo_relative_culling_margin(&cast->body) * (own + others + coordinates),
      .limit = &q->limit,
      .test = test_pair,
      .context = &context,
      .max_tests = (uint64_t)q->mesh->triangle_count + cast->mesh->triangle_count,
      .stats = stats};
  const bool is_done = mo_mesh_sweep_find(&sweep, isa) >= 1.0;
  stats->distance_count += q->depth_count;
  q->depth_count = 0;
  if (!is_done && q->limit >= 0.0) {
    mo_mesh_cast_find(q, isa, stats);
  }
}
