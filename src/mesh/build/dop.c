/* The discrete oriented polytope (k-DOP) around a mesh, from which the bounds of rotated instances
 * are computed. Its extent along each direction is a support query on the triangle octree,
 * with branch and bound, so that it visits few nodes. */
#include "mesh/format/read.h"

typedef struct support_search {
  const mo_mesh *mesh;
  mo_dvec3 middle, direction; /* extents are measured from `middle` along `direction` */
  double best;                /* the largest extent found so far */
} support_search;

/* The extent of a box along the direction. The arithmetic is that of mo_dop_height_along, which is
 * monotone: no point inside the box has a larger extent, rounding included. */
static double box_extent(const support_search *s, mo_aabb box) {
  mo_vec3 corner = mo_vec(s->direction.x < 0 ? box.lower.x : box.upper.x,
                          s->direction.y < 0 ? box.lower.y : box.upper.y,
                          s->direction.z < 0 ? box.lower.z : box.upper.z);
  return mo_dop_height_along(corner, s->middle, s->direction);
}

static void search_leaf(support_search *s, uint32_t first) {
  const mo_mesh *mesh = s->mesh;
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  for (uint32_t at = first;; at = mo_block_after(&tree, mesh->format, at)) {
    mo_triangle_block expanded;
    const mo_triangle_block *block = mo_load_block(&tree, mesh->format, at, &expanded);
    for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
      if ((block->id[lane] & MO_LANE_TRIANGLE) == MO_LANE_EMPTY) {
        continue;
      }
      for (int i = 0; i < 3; i++) {
        mo_vec3 p =
            mo_vec(block->corner[i][0][lane], block->corner[i][1][lane], block->corner[i][2][lane]);
        s->best = fmax(s->best, mo_dop_height_along(p, s->middle, s->direction));
      }
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return;
    }
  }
}

/* Searches the children of a node in descending order of their extents, until none can be
 * better. */
static void search_node(support_search *s, uint32_t node) {
  const mo_tree_arrays tree = mo_tree_arrays_of(s->mesh, s->mesh->format);
  mo_bounds8 expanded;
  const mo_bounds8 *bounds = mo_mesh_bounds8(s->mesh, node, &expanded);
  double bound[MO_LANE_COUNT];
  uint32_t left = mo_load_child_bits(&tree, s->mesh->format, node);
  for (uint32_t slots = left; slots != 0; slots &= slots - 1) {
    const int slot = __builtin_ctz(slots);
    bound[slot] = box_extent(s, mo_bounds8_get(bounds, slot));
  }
  while (left != 0) {
    uint32_t max = (uint32_t)__builtin_ctz(left);
    for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
      uint32_t slot = (uint32_t)__builtin_ctz(rest);
      max = bound[slot] > bound[max] ? slot : max;
    }
    if (bound[max] <= s->best) {
      return;
    }
    left &= ~(1u << max);
    uint32_t child = mo_load_child(&tree, s->mesh->format, node, max);
    if (mo_child_is_leaf(child)) {
      search_leaf(s, mo_child_index(child));
    } else {
      search_node(s, child);
    }
  }
}

double mo_mesh_support(const void *mesh, mo_dvec3 middle, mo_dvec3 direction) {
  support_search s = {mesh, middle, direction, -INFINITY};
  search_node(&s, 0);
  return s.best;
}

void mo_mesh_make_dop(mo_mesh *mesh) {
  bool changes = mesh->deformation != NULL || mesh->build.editable ||
                 mesh->build.builder == MO_MESH_BUILDER_TOP_DOWN;
  if (!changes && !mo_aabb_is_empty(mesh->bounds)) {
    mo_dop_init(&mesh->dop, mesh->bounds, mo_mesh_support, mesh);
  }
}
