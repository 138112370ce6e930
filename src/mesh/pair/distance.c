/* The closest points of two meshes: the exact test of two triangles, and the public query.
 *
 * Pairs that touch are all at distance 0, and the first of them is the result. So these are
 * searched first, without distances: overlapping boxes are much fewer than near ones, and each pair
 * found ends the search for triangles after it. */
#include "mesh/pair/distance.h"

#include "geometry/distance/distance.h"
#include "mesh/near/near.h"

mo_distance_mesh_def mo_default_distance_mesh_def(void) {
  return (mo_distance_mesh_def){.transform = mo_transform_identity(),
                                .other_transform = mo_transform_identity(),
                                .max_distance = INFINITY,
                                .cookie = MO_COOKIE};
}

static void set_limit(mo_mesh_pair_distance *q) {
  if (q->ends_at_first_pair && q->triangle[0] != MO_NO_TRIANGLE) {
    q->limit = -INFINITY;
    return;
  }
  const double scale = (double)q->world.map[0].scale,
               limit = mo_closest_distance2_limit(q->distance) * scale * scale;
  q->limit = limit <= (double)FLT_MAX ? mo_round_up(limit) : INFINITY;
}

static void init_query(mo_mesh_pair_distance *q, const mo_mesh *const mesh[2],
                       const mo_affine affine[2], float max_distance, mo_query_stats *stats) {
  *q = (mo_mesh_pair_distance){.distance = max_distance,
                               .triangle = {MO_NO_TRIANGLE, MO_NO_TRIANGLE}};
  mo_mesh_pair_init(&q->pair, mesh, (const mo_affine *[2]){&affine[0], &affine[1]}, 0.0, stats);
  q->world = mo_mesh_pair_world_frame(&q->pair);
  const double scale = (double)q->world.map[0].scale;
  for (int f = 0; f < q->pair.frame_count; f++) {
    for (int k = 0; k < 3; k++) {
      /* coordinates are at most about 1, so the sums of squares stay below the range of floats */
      const double weight = fmin(q->pair.frame[f].weight[k] * scale * scale, 0x1p100);
      q->weight[f][k] = mo_round_down(weight);
    }
  }
  set_limit(q);
}

/* A lower bound, rounded to float, of the distance of two sets, along the direction of the best
 * pair so far: `first_end` is where the first set ends, `other_start` where the other starts.
 * -INFINITY if they may touch. */
static float bound_between(const mo_mesh_pair_distance *q, double first_end, double other_start) {
  const double gap = (other_start - first_end) * (1.0 - 0x1p-46) - q->pair.position_rounding;
  return gap > q->pair.touch_distance ? (float)gap : -INFINITY;
}

/* bound_between for two triangles. Neighbours of the best pair share the edge or corner that its
 * closest points are on, so they are exactly as close; this bound rejects most of them. */
static float bound_of_triangles(const mo_mesh_pair_distance *q, const mo_body body[2]) {
  const mo_dvec3 n = q->gap.normal;
  double end = -INFINITY, start = INFINITY;
  for (int i = 0; i < 3; i++) {
    end = fmax(end, mo_ddot(n, body[0].corners[i]));
    start = fmin(start, mo_ddot(n, body[1].corners[i]));
  }
  return bound_between(q, end, start);
}

/* The largest dot product of a direction and the points of a transformed box. */
static double box_end_along(const mo_affine *affine, mo_aabb box, mo_dvec3 n) {
  const mo_transform *map = &affine->to_world;
  const double x = mo_ddot(n, mo_widen(map->x_axis)), y = mo_ddot(n, mo_widen(map->y_axis)),
               z = mo_ddot(n, mo_widen(map->z_axis));
  return mo_ddot(n, mo_widen(map->origin)) + x * (double)(x > 0.0 ? box.upper.x : box.lower.x) +
         y * (double)(y > 0.0 ? box.upper.y : box.lower.y) +
         z * (double)(z > 0.0 ? box.upper.z : box.lower.z);
}

bool mo_mesh_pair_boxes_are_farther(const mo_mesh_pair_distance *q, const mo_aabb box[2]) {
  const mo_dvec3 n = q->gap.normal;
  const double end = box_end_along(q->pair.affine[0], box[0], n),
               start = -box_end_along(q->pair.affine[1], box[1], mo_dscale(-1.0, n));
  return bound_between(q, end, start) > q->distance;
}

void mo_mesh_pair_distance_test(mo_mesh_pair_distance *q, const mo_vec3 corners[2][3],
                                const uint32_t triangle[2]) {
  if (q->limit < 0.0f) {
    return;
  }
  const bool first =
      triangle[0] != q->triangle[0] ? triangle[0] < q->triangle[0] : triangle[1] < q->triangle[1];
  if (!first && q->distance == 0.0f) {
    return;
  }
  const mo_body body[2] = {mo_mesh_pair_body(q->pair.affine[0], corners[0]),
                           mo_mesh_pair_body(q->pair.affine[1], corners[1])};
  const float bound = bound_of_triangles(q, body);
  if (bound > q->distance || (!first && bound == q->distance)) {
    return;
  }
  q->pair.stats->pair_count++;
  const mo_convex_gap gap =
      mo_bodies_distance(&body[0], &body[1], sqrt(mo_closest_distance2_limit(q->distance)));
  const float distance = mo_distance_for_comparison(gap.distance);
  if (distance < q->distance || (first && distance == q->distance)) {
    q->distance = distance;
    q->triangle[0] = triangle[0];
    q->triangle[1] = triangle[1];
    q->gap = gap;
    set_limit(q);
  }
}

/* Tests a pair of triangles, given by their indices. */
static void test_triangles(mo_mesh_pair_distance *q, const uint32_t triangle[2]) {
  mo_vec3 corners[2][3];
  for (int s = 0; s < 2; s++) {
    mo_mesh_corners(q->pair.mesh[s], triangle[s], corners[s]);
  }
  mo_mesh_pair_distance_test(q, corners, triangle);
}

/* Tests the pair of triangles that an earlier call found (`start`), if there is one. */
static void test_previous_pair(mo_mesh_pair_distance *q, const mo_closest_hit start[2]) {
  if (start != NULL && start[0].found && start[1].found &&
      mo_mesh_has_triangle(q->pair.mesh[0], start[0].triangle) &&
      mo_mesh_has_triangle(q->pair.mesh[1], start[1].triangle)) {
    test_triangles(q, (const uint32_t[2]){start[0].triangle, start[1].triangle});
  }
}

static mo_closest_hit hit_of(const mo_mesh_pair_distance *q, int side) {
  mo_closest_hit hit = {.triangle = q->triangle[side], .own_triangle = q->triangle[side ^ 1]};
  if (hit.triangle == MO_NO_TRIANGLE) {
    return hit;
  }
  const mo_mesh *mesh = q->pair.mesh[side];
  const mo_convex_gap *gap = &q->gap;
  mo_vec3 corners[3];
  hit.found = true;
  hit.distance = q->distance;
  hit.point = mo_narrow(gap->points[side]);
  hit.from = mo_narrow(gap->points[side ^ 1]);
  hit.normal = mo_narrow(side == 0 ? gap->normal : mo_dsub((mo_dvec3){0.0, 0.0, 0.0}, gap->normal));
  mo_mesh_corners(mesh, hit.triangle, corners);
  mo_closest_hit_set_triangle(mesh, q->pair.affine[side], corners, gap->points[side], &hit);
  hit.own_triangle_user_data = mo_mesh_user_data(q->pair.mesh[side ^ 1], hit.own_triangle);
  return hit;
}

/* Callback for mo_mesh_pair.report: the pair is the first so far. */
static bool lower_end(uint32_t triangle, uint32_t other, void *query) {
  ((mo_mesh_pair *)query)->end = (mo_triangle_pair){triangle, other};
  return true;
}

/* Finds the first of the pairs that touch and makes it the best: no pair is better. Returns false
 * if none touches. */
static bool find_first_touching_pair(mo_mesh_pair_distance *q, mo_isa isa) {
  q->pair.test = mo_mesh_pair_touches;
  q->pair.report = lower_end;
  q->pair.context = &q->pair;
  if (q->distance == 0.0f && q->triangle[0] != MO_NO_TRIANGLE) {
    lower_end(q->triangle[0], q->triangle[1], &q->pair);
  }
  mo_mesh_pair_find(&q->pair, isa);
  const uint32_t first[2] = {q->pair.end.triangle, q->pair.end.other};
  if (first[0] == MO_NONE) {
    return false;
  }
  test_triangles(q, first);
  MO_ASSERT(q->triangle[0] == first[0] && q->triangle[1] == first[1] && q->distance == 0.0f);
  return true;
}

/* Tests a pair that is likely to be close, so that the traversal has a limit from the beginning:
 * from the middle of the second mesh to the closest point of the first, from there to that of the
 * second, and back. */
static void test_close_pair(mo_mesh_pair_distance *q, mo_isa isa) {
  uint32_t triangle[2];
  mo_dvec3 point = mo_affine_point_to_world(q->pair.affine[1], q->pair.center[1]);
  for (int step = 0; step < 3; step++) {
    const int side = step % 2;
    const mo_mesh *mesh = q->pair.mesh[side];
    mo_mesh_closest closest;
    mo_mesh_closest_init(&closest, mesh, point, q->pair.affine[side], INFINITY);
    mo_mesh_closest_find(&closest, isa, mesh, q->pair.stats);
    if (closest.triangle == MO_NO_TRIANGLE) {
      return; /* an edited mesh that is empty, although its bounds are not */
    }
    triangle[side] = closest.triangle;
    point = mo_dadd(point, closest.offset);
  }
  test_triangles(q, triangle);
}

/* Finds the closest pair of triangles. */
static void find_pair(mo_mesh_pair_distance *query, const mo_mesh *const mesh[2],
                      const mo_affine affine[2], float max_distance, const mo_closest_hit *start,
                      mo_isa isa, mo_query_stats *stats) {
  *query = (mo_mesh_pair_distance){.triangle = {MO_NO_TRIANGLE, MO_NO_TRIANGLE}};
  if (!mo_aabb_is_empty(mesh[0]->bounds) && !mo_aabb_is_empty(mesh[1]->bounds)) {
    init_query(query, mesh, affine, max_distance, stats);
    test_previous_pair(query, start);
    if (!find_first_touching_pair(query, isa)) {
      if (isinf(query->distance)) {
        test_close_pair(query, isa);
      }
      mo_mesh_pair_distance_walk_by_isa[isa](query);
    }
  }
}

mo_closest_hit mo_meshes_closest(const mo_mesh *const mesh[2], const mo_affine affine[2],
                                 float max_distance, mo_isa isa, mo_query_stats *stats) {
  mo_mesh_pair_distance query;
  find_pair(&query, mesh, affine, max_distance, NULL, isa, stats);
  return hit_of(&query, 0);
}

static mo_result check_def(const mo_mesh *mesh, const mo_distance_mesh_def *def,
                           const char *function, mo_affine affine[2]) {
  const mo_refusal refusal = mo_refusal_of(&mesh->host, function, "def");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_distance_mesh_def");
  if (result == MO_OK) {
    result = mo_mesh_pair_check((const mo_mesh *[2]){mesh, def->other},
                                (const mo_transform *[2]){&def->transform, &def->other_transform},
                                &refusal, affine);
  }
  return result == MO_OK ? mo_check_distance(def->max_distance, &refusal, ".max_distance") : result;
}

mo_result mo_mesh_find_closest_mesh(const mo_mesh *mesh, const mo_distance_mesh_def *def,
                                    mo_closest_hit *hits, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || hits == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "hits");
  }
  mo_affine affine[2];
  const mo_result result = check_def(mesh, def, __func__, affine);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_pair_distance query;
  find_pair(&query, (const mo_mesh *[2]){mesh, def->other}, affine, def->max_distance, def->start,
            mesh->isa, &counts);
  for (int s = 0; s < 2; s++) {
    hits[s] = hit_of(&query, s);
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}

mo_result mo_mesh_test_within_mesh(const mo_mesh *mesh, const mo_distance_mesh_def *def,
                                   bool *found, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || found == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "found");
  }
  mo_affine affine[2];
  const mo_result result = check_def(mesh, def, __func__, affine);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  *found = false;
  if (!mo_aabb_is_empty(mesh->bounds) && !mo_aabb_is_empty(def->other->bounds)) {
    mo_mesh_pair_distance query;
    init_query(&query, (const mo_mesh *[2]){mesh, def->other}, affine, def->max_distance, &counts);
    query.ends_at_first_pair = true;
    test_previous_pair(&query, def->start);
    mo_mesh_pair_distance_walk_by_isa[mesh->isa](&query);
    *found = query.triangle[0] != MO_NO_TRIANGLE;
  }
  mo_stats_end(&counts, stats);
  return MO_OK;
}
