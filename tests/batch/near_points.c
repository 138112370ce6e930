/* Batches of closest points and signed distances start each search where the last one ended: the
 * answers are those of the functions for one point, bit for bit, on closed and
 * open meshes, whatever the order of the points: along lines of a grid, walks with steps of all
 * lengths, near the surface, anywhere; with and without limits of distance. And along a grid they
 * visit fewer nodes. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/query_batch.h>
#include <string.h>

#include "oracle/oracle.h"
#include "support/mesh_subject.h"
#include "support/samples.h"

enum { SIDE = 5, POINTS = SIDE * SIDE * SIDE };

static mo_closest_def defs[POINTS];
static mo_closest_hit hits[POINTS];

typedef mo_result answer_one(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                             mo_closest_hit *hit, mo_query_stats *stats);

static void check_same(const mo_closest_hit *a, const mo_closest_hit *b) {
  cr_assert_eq(a->found, b->found);
  cr_assert_eq(a->triangle, b->triangle);
  if (!a->found) {
    return;
  }
  cr_assert(a->distance == b->distance, "%a, not %a", (double)a->distance, (double)b->distance);
  cr_assert(memcmp(&a->point, &b->point, sizeof a->point) == 0);
  cr_assert(memcmp(&a->normal, &b->normal, sizeof a->normal) == 0);
  cr_assert(a->u == b->u && a->v == b->v && a->feature == b->feature &&
            a->feature_index == b->feature_index);
}

/* Returns the nodes and triangles that the batch visits, as a part of those of single queries. */
static double check_batch(const mo_mesh *mesh, mo_query_type type, answer_one *answer) {
  mo_query_batch batch = mo_query_batch_of(type, defs, POINTS, hits);
  cr_assert_eq(mo_mesh_run_queries(mesh, &batch, NULL, NULL), MO_OK);
  mo_query_stats single = {0}, together = {0};
  for (int i = 0; i < POINTS; i++) {
    mo_closest_hit hit;
    cr_assert_eq(answer(mesh, defs[i].point, defs[i].max_distance, &hit, &single), MO_OK);
    check_same(&hits[i], &hit);
  }
  cr_assert_eq(mo_mesh_run_queries(mesh, &batch, NULL, &together), MO_OK);
  return (double)(together.mesh_node_count + together.triangle_count) /
         (double)(single.mesh_node_count + single.triangle_count);
}

static void check_both(const mo_mesh *mesh) {
  check_batch(mesh, MO_QUERY_CLOSEST_POINT, mo_mesh_closest_point);
  check_batch(mesh, MO_QUERY_SIGNED_DISTANCE, mo_mesh_signed_distance);
}

static mo_vec3 grid_point(mo_aabb box, int i) {
  const mo_vec3 size = mo_sub(box.upper, box.lower);
  const float x = (float)(i % SIDE) / SIDE, y = (float)(i / SIDE % SIDE) / SIDE,
              z = (float)(i / SIDE / SIDE) / SIDE;
  return mo_add(box.lower, mo_vec(x * size.x, y * size.y, z * size.z));
}

static void check_kind(const mesh_subject *s, rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    const sample_target target = sample_target_of_mesh(&s->mesh, r);
    const float size = mo_max_magnitude(mo_sub(target.bounds.upper, target.bounds.lower));
    mo_vec3 at = sample_point(r, &target);
    const uint64_t order = rng_below(r, 4);
    for (int k = 0; k < POINTS; k++) {
      const float step = size * ldexpf(1.0f, -(int)rng_below(r, 20));
      const mo_vec3 direction = rng_direction(r);
      at = order == 0   ? grid_point(target.bounds, k)
           : order == 1 ? mo_add(at, mo_scale(step, direction))
           : order == 2 ? sample_point(r, &target)
                        : mo_add(target.corners[k % 3], mo_scale(step, direction));
      at = mo_is_in_range(at) ? at : grid_point(target.bounds, k);
      defs[k] = mo_default_closest_def();
      defs[k].point = at;
      defs[k].max_distance = rng_below(r, 3) == 0 ? step : INFINITY;
    }
    check_both(s->family.meshes[rng_below(r, s->family.count)]);
  }
}

Test(batch_near_points, as_single_points) {
  rng r = rng_make(rng_seed("batch_near_points", 61));
  mesh_subject_check_all(check_kind, &r, rng_rounds(1, 100));
}

/* A torus about the y axis. */
static mo_mesh *make_torus(void) {
  enum { AROUND = 32, TUBE = 16 };
  static float positions[AROUND * TUBE][3];
  static uint32_t indices[AROUND * TUBE * 2][3];
  for (uint32_t i = 0; i < AROUND * TUBE; i++) {
    const uint32_t a = i / TUBE, b = i % TUBE, next_a = (a + 1) % AROUND, next_b = (b + 1) % TUBE;
    const double around = 6.283185307 * a / AROUND, tube = 6.283185307 * b / TUBE;
    const double radius = 2.0 + cos(tube);
    positions[i][0] = (float)(radius * cos(around));
    positions[i][1] = (float)sin(tube);
    positions[i][2] = (float)(radius * sin(around));
    const uint32_t corners[4] = {i, a * TUBE + next_b, next_a * TUBE + next_b, next_a * TUBE + b};
    for (int k = 0; k < 3; k++) {
      indices[2 * i][k] = corners[k];
      indices[2 * i + 1][k] = corners[k == 0 ? 0 : k + 1];
    }
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = AROUND * TUBE;
  def.indices = indices;
  def.triangle_count = AROUND * TUBE * 2;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

Test(batch_near_points, lines_of_a_grid_take_less_work) {
  mo_mesh *torus = make_torus();
  const mo_aabb box = {{1.0f, 0.0f, -0.5f}, {2.5f, 1.5f, 0.5f}}; /* astride the surface */
  int inside = 0;
  for (int i = 0; i < POINTS; i++) {
    defs[i] = mo_default_closest_def();
    defs[i].point = grid_point(box, i);
    mo_closest_hit hit;
    cr_assert_eq(mo_mesh_signed_distance(torus, defs[i].point, INFINITY, &hit, NULL), MO_OK);
    inside += hit.distance < 0.0f;
  }
  cr_assert(inside > POINTS / 10 && inside < POINTS * 9 / 10);
  const double closest = check_batch(torus, MO_QUERY_CLOSEST_POINT, mo_mesh_closest_point);
  const double both = check_batch(torus, MO_QUERY_SIGNED_DISTANCE, mo_mesh_signed_distance);
  cr_assert(closest < 0.98 && both < 0.94, "%g, %g", closest, both);
  mo_mesh_release(torus);
}
