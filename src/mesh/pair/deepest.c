/* The deepest vertex of one mesh inside another one, by branch and bound: the signed distance
 * changes by no more than the distance between two points. So that of the middle of a box, and the
 * radius of the box, bound the depth of all vertices in it. */
#include "mesh/pair/deepest.h"

#include "mesh/format/read.h"
#include "mesh/near/near.h"

/* A cache, by a hash of the position, of the depths of the last vertices. Triangles share them. */
enum { CACHE_SIZE = 64 };

/* Relative to coordinates: more than the rounding of points and distances to floats. */
static const double rounding = 0x1p-20;

typedef struct search {
  const mo_mesh *mesh, *outer;
  const mo_affine *affine, *outer_affine;
  mo_aabb outer_bounds; /* world */
  bool has_vertex_inside;
  mo_query_stats *stats;
  mo_deepest_vertex best;
  struct {
    mo_vec3 vertex;
    float depth;
  } cache[CACHE_SIZE];
} search;

/* The depth of a point of the world; negative, and at least -`max_distance`, outside; -INFINITY if
 * it is farther away. */
static float depth_of(const search *s, mo_vec3 point, float max_distance) {
  const mo_closest_hit hit = mo_mesh_signed_distance_hit(s->outer, s->outer_affine, s->mesh->isa,
                                                         point, max_distance, NULL, s->stats);
  return hit.found ? 0.0f - hit.distance : -INFINITY;
}

static float depth_of_vertex(search *s, mo_vec3 vertex) {
  uint32_t bits[3];
  memcpy(bits, &vertex, sizeof bits);
  const uint32_t at = (bits[0] * 0x9e3779b1u + bits[1] * 0x85ebca6bu + bits[2] * 0xc2b2ae35u) >> 26;
  if (!mo_is_same(s->cache[at].vertex, vertex)) {
    s->cache[at].vertex = vertex;
    s->cache[at].depth = depth_of(s, vertex, 0.0f);
  }
  return s->cache[at].depth;
}

static void test_triangle(search *s, const mo_vec3 corners[3], uint32_t triangle) {
  for (uint32_t i = 0; i < 3; i++) {
    const mo_vec3 vertex = mo_narrow(mo_affine_point_to_world(s->affine, corners[i]));
    if (!mo_aabb_contains(s->outer_bounds, (mo_aabb){vertex, vertex})) {
      continue;
    }
    const float depth = depth_of_vertex(s, vertex);
    if (depth > s->best.depth ||
        (depth > 0.0f && depth == s->best.depth &&
         (triangle < s->best.triangle || (triangle == s->best.triangle && i < s->best.corner)))) {
      s->best =
          (mo_deepest_vertex){.depth = depth, .triangle = triangle, .corner = i, .vertex = vertex};
    }
  }
}

static void test_leaf(search *s, uint32_t first) {
  const mo_tree_arrays tree = mo_tree_arrays_of(s->mesh, s->mesh->format);
  for (uint32_t at = first;; at = mo_block_after(&tree, s->mesh->format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, s->mesh->format, at, &expanded);
    for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
      const uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
      if (triangle != MO_LANE_EMPTY) {
        mo_vec3 corners[3];
        mo_mesh_corners(s->mesh, triangle, corners);
        test_triangle(s, corners, triangle);
      }
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return;
    }
  }
}

/* An upper bound of the depths of all vertices in a local box; negative: none is inside. */
static float max_depth_in_box(const search *s, mo_aabb box) {
  const mo_aabb world = mo_affine_aabb_to_world(s->affine, box);
  if (!mo_aabb_overlap(world, s->outer_bounds)) {
    return -1.0f;
  }
  const mo_transform *map = &s->affine->to_world;
  const mo_vec3 middle = mo_aabb_middle(box);
  const mo_dvec3 half = mo_dsub(mo_widen(box.upper), mo_widen(middle)),
                 other = mo_dsub(mo_widen(middle), mo_widen(box.lower));
  /* The diagonals of a parallelepiped: its corners are the farthest from the middle. */
  double square = 0.0;
  for (int i = 0; i < 4; i++) {
    const mo_dvec3 corner = mo_dadd(
        mo_dscale(fmax(half.x, other.x), mo_widen(map->x_axis)),
        mo_dadd(mo_dscale((i & 1 ? -1.0 : 1.0) * fmax(half.y, other.y), mo_widen(map->y_axis)),
                mo_dscale((i & 2 ? -1.0 : 1.0) * fmax(half.z, other.z), mo_widen(map->z_axis))));
    square = fmax(square, mo_ddot(corner, corner));
  }
  const double reach = mo_sum_of_magnitudes(mo_widen(mo_aabb_max_coordinates(world))) +
                       mo_sum_of_magnitudes(mo_widen(mo_aabb_max_coordinates(s->outer_bounds)));
  const float radius = mo_round_up(sqrt(square) + rounding * reach);
  const float depth = depth_of(s, mo_narrow(mo_affine_point_to_world(s->affine, middle)), radius);
  return depth > -INFINITY ? mo_round_up(depth + radius) : -1.0f;
}

static void search_node(search *s, uint32_t node) {
  float bound[MO_LANE_COUNT];
  s->stats->mesh_node_count++;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    bound[slot] = mo_mesh_child(s->mesh, node, slot) == MO_CHILD_EMPTY
                      ? -1.0f
                      : max_depth_in_box(s, mo_mesh_child_box(s->mesh, node, slot));
  }
  for (uint32_t left = MO_LANE_COUNT; left > 0; left--) { /* the highest bound first */
    uint32_t slot = 0;
    for (uint32_t i = 1; i < MO_LANE_COUNT; i++) {
      slot = bound[i] > bound[slot] ? i : slot;
    }
    if (!(bound[slot] >= s->best.depth) || (s->has_vertex_inside && s->best.depth > 0.0f)) {
      return;
    }
    bound[slot] = -INFINITY;
    const uint32_t child = mo_mesh_child(s->mesh, node, slot);
    if (mo_child_is_leaf(child)) {
      test_leaf(s, mo_child_index(child));
    } else {
      search_node(s, mo_child_index(child));
    }
  }
}

mo_deepest_vertex mo_mesh_find_deepest_vertex_inside(const mo_mesh *mesh, const mo_affine *affine,
                                                     const mo_mesh *outer,
                                                     const mo_affine *outer_affine, bool any,
                                                     mo_query_stats *stats) {
  search s = {.mesh = mesh,
              .affine = affine,
              .outer = outer,
              .outer_affine = outer_affine,
              .outer_bounds = mo_mesh_image_bounds(outer, outer_affine),
              .has_vertex_inside = any,
              .stats = stats};
  for (int i = 0; i < CACHE_SIZE; i++) {
    s.cache[i].vertex = mo_vec(NAN, NAN, NAN);
  }
  search_node(&s, 0);
  if (s.best.depth > 0.0f) {
    s.best.surface_point = mo_mesh_signed_distance_hit(outer, outer_affine, mesh->isa,
                                                       s.best.vertex, 0.0f, NULL, stats)
                               .point;
  }
  return s.best;
}
