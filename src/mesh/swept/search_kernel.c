/* The search for pairs of triangles that may come near each other, by the visitor of two octrees
 * (octree/visit_pairs.h). Nodes are culled by boxes around all of the paths, triangles by where
 * they are at the start and at the limit. Of two boxes or ranges, one is enlarged by the reach. */
#include "mesh/swept/swept.h"
#include "mesh/visit/visit.h"
#include "octree/visit_pairs.h"

/* The axes, and the directions between two of them. Those between three would leave a fifteenth
 * fewer pairs, and gain no time. */
enum { DIRECTION_COUNT = 9 };

_Static_assert((int)MO_MESH_MAX_DEPTH < (int)MO_PAIR_MAX_LEVELS, "a mesh could be too deep");

static mo_pair_node load_node(uint32_t side, uint32_t index, mo_pair_node_buffer *memory,
                              const void *query) {
  (void)memory;
  const mo_swept_search *search = query;
  const mo_mesh_node *node = &search->mesh[side]->segments->nodes[index];
  return (mo_pair_node){&node->bounds, node->child, MO_CHILD_EMPTY};
}

/* Bits of those of eight boxes that are within `reach` of one box, along each axis. */
static inline uint32_t near_boxes(const mo_bounds8 *boxes, const mo_bounds8 *one, uint32_t lane,
                                  float reach) {
  mo_m8 apart = mo_m8_from_bits(0);
  for (int k = 0; k < 3; k++) {
    const mo_f8 lower = mo_f8_sub_downward(mo_f8_splat(one->lower[k][lane]), mo_f8_splat(reach)),
                upper = mo_f8_add_upward(mo_f8_splat(one->upper[k][lane]), mo_f8_splat(reach));
    apart = mo_m8_or(apart, mo_f8_lt(mo_f8_load(boxes->upper[k]), lower));
    apart = mo_m8_or(apart, mo_f8_lt(upper, mo_f8_load(boxes->lower[k])));
  }
  return ~mo_m8_bits(apart) & 0xff;
}

static uint32_t cull(uint32_t side, const mo_bounds8 *boxes, const mo_pair_child *part,
                     const void *query) {
  (void)side;
  const mo_swept_search *search = query;
  return near_boxes(boxes, part->bounds, part->lane, search->reach);
}

/* Ranges of eight triangles at the start and at the limit of the search, along the axes and between
 * them. */
typedef struct block_ranges {
  const mo_triangle_block *block; /* of diagonals of their boxes */
  uint32_t lanes;                 /* that have a triangle */
  alignas(32) float lower[DIRECTION_COUNT][2][MO_LANE_COUNT],
      upper[DIRECTION_COUNT][2][MO_LANE_COUNT];
} block_ranges;

/* The corners of the triangles of a block at time t. */
static inline void load_corners(const mo_swept_mesh *mesh, const mo_triangle_block *block, float t,
                                float corner[3][3][MO_LANE_COUNT]) {
  for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
    const uint32_t id = block->id[lane] & MO_LANE_TRIANGLE,
                   triangle = id != MO_LANE_EMPTY ? id : block->id[0] & MO_LANE_TRIANGLE;
    for (int i = 0; i < 3; i++) {
      const uint32_t vertex = mesh->vertices[triangle][i];
      const mo_vec3 start = mesh->positions[0][vertex], end = mesh->positions[1][vertex];
      corner[i][0][lane] = start.x + t * (end.x - start.x);
      corner[i][1][lane] = start.y + t * (end.y - start.y);
      corner[i][2][lane] = start.z + t * (end.z - start.z);
    }
  }
}

static inline void load_ranges(const mo_swept_search *search, uint32_t side,
                               const mo_triangle_block *block, block_ranges *ranges) {
  ranges->block = block;
  ranges->lanes = mo_block_untested_lanes(block, NULL, search->stats);
  for (int end = 0; end < 2; end++) {
    alignas(32) float corner[3][3][MO_LANE_COUNT];
    mo_f8 height[3][DIRECTION_COUNT];
    load_corners(search->mesh[side], block, end == 0 ? 0.0f : *search->limit, corner);
    for (int i = 0; i < 3; i++) {
      const mo_f8 x = mo_f8_load(corner[i][0]), y = mo_f8_load(corner[i][1]),
                  z = mo_f8_load(corner[i][2]);
      const mo_f8 heights[DIRECTION_COUNT] = {x,
                                              y,
                                              z,
                                              mo_f8_add(x, y),
                                              mo_f8_sub(x, y),
                                              mo_f8_add(y, z),
                                              mo_f8_sub(y, z),
                                              mo_f8_add(z, x),
                                              mo_f8_sub(z, x)};
      for (int d = 0; d < DIRECTION_COUNT; d++) {
        height[i][d] = heights[d];
      }
    }
    for (int d = 0; d < DIRECTION_COUNT; d++) {
      mo_f8_store(ranges->lower[d][end],
                  mo_f8_min(mo_f8_min(height[0][d], height[1][d]), height[2][d]));
      mo_f8_store(ranges->upper[d][end],
                  mo_f8_max(mo_f8_max(height[0][d], height[1][d]), height[2][d]));
    }
  }
}

/* Bits of eight triangles that no direction keeps apart from the triangle in a lane of `one`. Two
 * triangles are apart all the time if they are so in the same sense at both ends: heights along a
 * direction are linear in time. */
static inline uint32_t near_triangles(const mo_swept_search *search, const block_ranges *eight,
                                      const block_ranges *one, uint32_t lane) {
  uint32_t near = eight->lanes;
  for (int d = 0; d < DIRECTION_COUNT && near != 0; d++) {
    const mo_f8 reach = mo_f8_splat(search->reach_along_directions);
    uint32_t above = 0xff, below = 0xff;
    for (int end = 0; end < 2; end++) {
      above &= mo_m8_bits(mo_f8_lt(mo_f8_add(mo_f8_splat(one->upper[d][end][lane]), reach),
                                   mo_f8_load(eight->lower[d][end])));
      below &= mo_m8_bits(mo_f8_lt(mo_f8_add(mo_f8_load(eight->upper[d][end]), reach),
                                   mo_f8_splat(one->lower[d][end][lane])));
    }
    near &= ~(above | below);
  }
  return near;
}

/* Tests the pairs of two blocks; of a block with itself, each pair once. Returns false if the
 * search was ended; so do the functions below. */
static bool test_blocks(mo_swept_search *search, const block_ranges *a, const block_ranges *b) {
  for (uint32_t lanes = a->lanes; lanes != 0; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    uint32_t met = near_triangles(search, b, a, lane);
    if (a->block == b->block) {
      met &= 0u - (2u << lane);
    }
    for (; met != 0; met &= met - 1) {
      const uint32_t first = a->block->id[lane] & MO_LANE_TRIANGLE,
                     second = b->block->id[__builtin_ctz(met)] & MO_LANE_TRIANGLE;
      const bool swaps = search->mesh[0] == search->mesh[1] && second < first;
      if (!search->test(swaps ? second : first, swaps ? first : second, search->context)) {
        return false;
      }
    }
  }
  return true;
}

static const mo_triangle_block *first_block(const mo_swept_search *search, uint32_t side,
                                            uint32_t leaf) {
  return &search->mesh[side]->segments->blocks[mo_child_index(leaf)];
}

/* Tests the pairs of the blocks of two leaves, each given by the first, or of one leaf. */
static bool test_leaves(mo_swept_search *search, const mo_triangle_block *own,
                        const mo_triangle_block *other, bool is_same_leaf) {
  block_ranges a, b;
  for (;; own++) {
    load_ranges(search, 0, own, &a);
    for (const mo_triangle_block *at = is_same_leaf ? own : other;; at++) {
      load_ranges(search, 1, at, &b);
      if (!test_blocks(search, &a, &b)) {
        return false;
      }
      if (at->id[0] & MO_LANE_LAST_BLOCK) {
        break;
      }
    }
    if (own->id[0] & MO_LANE_LAST_BLOCK) {
      return true;
    }
  }
}

static bool visit_leaf_pair(const mo_pair_child *a, const mo_pair_child *b, void *query) {
  return test_leaves(query, first_block(query, 0, a->child), first_block(query, 1, b->child),
                     false);
}

static bool visit_leaf_itself(uint32_t leaf, void *query) {
  const mo_triangle_block *first = first_block(query, 0, leaf);
  return test_leaves(query, first, first, true);
}

static void count_expansion(void *query) {
  const mo_swept_search *search = query;
  search->stats->mesh_node_count += 2;
}

static const mo_pair_visitor visitor = {
    .load_node = load_node,
    .cull = cull,
    .visit_leaf_pair = visit_leaf_pair,
    .visit_leaf_itself = visit_leaf_itself,
    .count_expansion = count_expansion,
};

void MO_ISA_FN(mo_swept_search_run)(mo_swept_search *search) {
  const uint32_t roots[2] = {0, 0};
  const mo_aabb boxes[2] = {search->mesh[0]->segments->bounds, search->mesh[1]->segments->bounds};
  mo_visit_pairs(&visitor, roots, boxes, search->mesh[0] == search->mesh[1], search);
}
