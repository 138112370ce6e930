/* Triangles of one mesh that intersect. Neighbours touch at shared corners, so the exact test asks
 * whether two triangles overlap anywhere else. The intersection of two triangles is convex. So if
 * they share one corner and overlap elsewhere, the edge opposite to that corner in one of them
 * touches the other triangle. If they share two corners, they overlap elsewhere only if both lie in
 * one plane. */
#include "base/bounded.h"
#include "geometry/triangle/degenerate.h"
#include "geometry/triangle/orient.h"
#include "mesh/pair/pair.h"

/* The corners of two triangles: those that both have, by position, and the rest of each
 * triangle. */
typedef struct shared_corners {
  mo_vec3 shared[3], rest[2][3];
  int shared_count, rest_count[2];
} shared_corners;

static bool is_among(mo_vec3 point, const mo_vec3 *points, int count) {
  for (int i = 0; i < count; i++) {
    if (mo_is_same(point, points[i])) {
      return true;
    }
  }
  return false;
}

static shared_corners find_shared_corners(const mo_vec3 a[3], const mo_vec3 b[3]) {
  const mo_vec3 *corners[2] = {a, b};
  shared_corners j = {.shared_count = 0};
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < 3; i++) {
      const mo_vec3 corner = corners[s][i];
      if (!is_among(corner, corners[s ^ 1], 3)) {
        j.rest[s][j.rest_count[s]++] = corner;
      } else if (!is_among(corner, j.shared, j.shared_count)) {
        j.shared[j.shared_count++] = corner;
      }
    }
  }
  return j;
}

static bool point_touches(const mo_mesh_pair *query, mo_vec3 point, const mo_vec3 other[3]) {
  return mo_mesh_pair_touches(query, (mo_vec3[]){point, point, point}, other);
}

/* Whether the edge opposite to the shared corner of a triangle touches the other triangle. If the
 * triangle is degenerate, tests the corners instead of the edge, as the shared corner may lie
 * between them. */
static bool overlaps_beyond_corner(const mo_mesh_pair *query, const mo_vec3 own[3],
                                   const mo_vec3 *rest, int count, const mo_vec3 other[3]) {
  if (count == 2 && !mo_triangle_is_degenerate(own)) {
    return mo_mesh_pair_touches(query, (mo_vec3[]){rest[0], rest[1], rest[0]}, other);
  }
  for (int i = 0; i < count; i++) {
    if (point_touches(query, rest[i], other)) {
      return true;
    }
  }
  return false;
}

/* Whether two triangles with a shared edge lie on top of each other. */
static bool is_folded(const mo_vec3 a[3], const mo_vec3 b[3], const shared_corners *j) {
  if (j->rest_count[0] != 1 || j->rest_count[1] != 1 || mo_triangle_is_degenerate(a) ||
      mo_triangle_is_degenerate(b)) {
    return false;
  }
  const mo_vec3 v = j->shared[0], w = j->shared[1], p = j->rest[0][0], q = j->rest[1][0];
  return mo_orientation((mo_vec3[]){v, w, p, q}, 1.0) == 0.0 &&
         mo_ddot(mo_orientation_normal(v, w, p), mo_orientation_normal(v, w, q)) > 0.0;
}

static bool overlap_beyond_shared_corners(const mo_mesh_pair *query, const mo_vec3 a[3],
                                          const mo_vec3 b[3]) {
  const shared_corners j = find_shared_corners(a, b);
  switch (j.shared_count) {
  case 0:
    return mo_mesh_pair_touches(query, a, b);
  case 1:
    return overlaps_beyond_corner(query, a, j.rest[0], j.rest_count[0], b) ||
           overlaps_beyond_corner(query, b, j.rest[1], j.rest_count[1], a);
  case 2:
    return is_folded(a, b, &j);
  default:
    return true;
  }
}

static void find_self_pairs(const mo_mesh *mesh, bool (*report)(uint32_t, uint32_t, void *),
                            void *context, mo_query_stats *stats) {
  if (mo_aabb_is_empty(mesh->bounds)) {
    return;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_pair query;
  mo_mesh_pair_init_self(&query, mesh, &counts);
  query.test = overlap_beyond_shared_corners;
  query.report = report;
  query.context = context;
  mo_mesh_pair_find(&query, mesh->isa);
  mo_stats_end(&counts, stats);
}

mo_result mo_mesh_test_overlap_self(const mo_mesh *mesh, bool *found, mo_query_stats *stats) {
  if (mesh == NULL || found == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "found");
  }
  *found = false;
  find_self_pairs(mesh, mo_mesh_pair_set_found_and_stop, found, stats);
  return MO_OK;
}

mo_result mo_mesh_overlap_self(const mo_mesh *mesh, mo_triangle_pair *pairs, uint32_t capacity,
                               uint32_t *total, mo_query_stats *stats) {
  const char *missing = mo_missing_of_list(pairs, capacity, "pairs", total);
  if (mesh == NULL || missing != NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, missing);
  }
  mo_bounded_list list = mo_bounded_make(pairs, capacity);
  find_self_pairs(mesh, mo_mesh_pair_add_to_list, &list, stats);
  mo_bounded_sort(&list, sizeof *pairs, mo_mesh_pair_before);
  *total = list.total;
  return MO_OK;
}

mo_result mo_mesh_visit_overlap_self(const mo_mesh *mesh,
                                     bool (*visit)(mo_triangle_pair pair, void *context),
                                     void *context, mo_query_stats *stats) {
  if (mesh == NULL || visit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "visit");
  }
  mo_mesh_pair_visit to = {visit, context};
  find_self_pairs(mesh, mo_mesh_pair_pass_on, &to, stats);
  return MO_OK;
}
