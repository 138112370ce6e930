/* Replaces the octree of a deformable mesh by one with rebuilt parts.
 *
 * The whole octree is copied, with nodes and blocks in the order that a builder makes. A copy takes
 * little time next to building, and leaves no unused gaps. The mesh does not change before all
 * memory is allocated. */
#include "base/assert.h"
#include "mesh/refit/rebuild.h"

/* The octree that replaces the old one. */
typedef struct new_octree {
  const mo_rebuild *rebuild;
  mo_mesh tree; /* only nodes, planes and blocks, whose counts grow */
  mo_deformation deformation;
  bool failed; /* an allocation failed */
} new_octree;

static uint32_t count_nodes_and_blocks(const mo_mesh *mesh, uint32_t node, uint32_t *blocks) {
  uint32_t nodes = 1;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      nodes += count_nodes_and_blocks(mesh, child, blocks);
    } else if (child != MO_CHILD_EMPTY) {
      *blocks += mo_count_leaf_blocks(mesh, mo_child_index(child));
    }
  }
  return nodes;
}

/* Stores the vertices of a block. */
static void store_vertices(new_octree *l, uint32_t block, const mo_listed_vertices *vertices) {
  const mo_mesh *mesh = l->rebuild->mesh;
  l->failed |= !mo_deformation_set_vertices(&l->deformation, &mesh->host.allocator, block, vertices,
                                            mesh->vertex_count - 1);
}

static void copy_vertices(new_octree *l, uint32_t to, uint32_t from) {
  const mo_deformation *d = l->rebuild->mesh->deformation;
  const mo_vertex_slots *slots = &d->slots[from];
  if (slots->count == MO_VERTICES_LISTED || slots->count == MO_VERTICES_LISTED_WITH_LAST) {
    store_vertices(l, to, &d->listed[slots->first]);
  } else {
    l->deformation.slots[to] = *slots;
  }
}

/* A child in the old octree, or in a tree that replaces a part of it. */
typedef struct copied_child {
  const mo_mesh *tree;
  const uint32_t *triangles; /* of a rebuilt subtree: which triangles of the mesh it has; or null */
  uint32_t child;
} copied_child;

/* Follows a child to where it continues: from leaves of the top to the old octree, and from there
 * into rebuilt subtrees. */
static copied_child continuation_of(const mo_rebuild *r, copied_child c) {
  if (c.tree == &r->rebuilt_top.tree && c.child != MO_CHILD_EMPTY && mo_child_is_leaf(c.child)) {
    const uint32_t below = mo_top_item_of_leaf(&r->rebuilt_top, &r->top, c.child)->child;
    c = (copied_child){r->mesh, NULL, below};
  }
  const mo_rebuilt_part *part =
      c.tree == r->mesh && !mo_child_is_leaf(c.child) ? mo_rebuilt_part_of(r, c.child) : NULL;
  return part == NULL ? c : (copied_child){&part->tree, part->triangles, 0};
}

/* Copies a block of a rebuilt subtree, of which `triangles` says which triangles it has. */
static void copy_rebuilt_block(new_octree *l, uint32_t to, const mo_triangle_block *from,
                               const uint32_t *triangles) {
  const mo_mesh *mesh = l->rebuild->mesh;
  mo_triangle_block *block = &l->tree.blocks[to];
  mo_listed_vertices vertices;
  *block = *from;
  block->id[2] |= MO_LANE_SOME_DEGENERATE; /* set in all blocks of a deformable mesh */
  for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
    bool in_use = (block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY;
    if (in_use) {
      uint32_t triangle = triangles[block->id[lane] & MO_LANE_TRIANGLE];
      block->id[lane] = (block->id[lane] & ~MO_LANE_TRIANGLE) | triangle;
    }
    mo_triangle_place place =
        mesh->triangle_places[block->id[in_use ? lane : 0] & MO_LANE_TRIANGLE];
    for (uint32_t corner = 0; corner < 3; corner++) {
      vertices.vertex[corner][lane] = mo_deformation_vertex(mesh->deformation, place, corner);
    }
  }
  store_vertices(l, to, &vertices);
}

/* Copies a leaf; returns its code as a child in the new octree. */
static uint32_t copy_leaf(new_octree *l, copied_child c) {
  const uint32_t placed = MO_CHILD_LEAF | l->tree.block_count, first = mo_child_index(c.child);
  for (uint32_t b = first, end = first + mo_count_leaf_blocks(c.tree, first); b < end; b++) {
    const uint32_t to = l->tree.block_count++;
    if (c.triangles != NULL) {
      copy_rebuilt_block(l, to, &c.tree->blocks[b], c.triangles);
    } else {
      copy_vertices(l, to, b);
      l->tree.blocks[to] = c.tree->blocks[b];
    }
  }
  return placed;
}

static uint32_t log2_of(uint32_t count) {
  return count == 0 ? 0 : 31u - (uint32_t)__builtin_clz(count);
}

/* Estimates the expected visits of a subtree as if it had been built from its triangles, by scaling
 * those of the whole octree when built by the number of levels. */
static double estimate_visits_when_built(const mo_mesh *mesh, uint32_t triangles) {
  double levels = log2_of(triangles), all = log2_of(mesh->triangle_count);
  return 1.0 + (mesh->deformation->built_visits[0] - 1.0) * levels / fmax(all, 1.0);
}

/* Copies the subtree of a node to node `at`: first its children, which become consecutive nodes,
 * then the subtree of each, in the order of the builder. Returns the number of its triangles.
 * built_visits is set later where nodes are new: until then it is 0 in rebuilt subtrees, and minus
 * the estimate in the top. */
static uint32_t copy_subtree(new_octree *l, copied_child c, uint32_t at, uint32_t parent,
                             uint32_t depth) {
  const mo_rebuild *r = l->rebuild;
  mo_mesh_node *copy = &l->tree.nodes[at];
  mo_mesh_planes *planes = &l->tree.planes[at];
  double *built = &l->deformation.built_visits[at];
  copied_child below[MO_LANE_COUNT];
  uint32_t triangles = 0;
  MO_ASSERT(depth < MO_MESH_MAX_DEPTH);
  *copy = c.tree->nodes[c.child];
  *planes = c.tree->planes[c.child];
  planes->parent = parent;
  planes->depth = (uint8_t)depth;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    below[slot] = continuation_of(r, (copied_child){c.tree, c.triangles, copy->child[slot]});
    if (!mo_child_is_leaf(below[slot].child)) {
      copy->child[slot] = l->tree.node_count++;
    } else if (below[slot].child != MO_CHILD_EMPTY) {
      triangles += mo_count_leaf_triangles(below[slot].tree, below[slot].child);
      copy->child[slot] = copy_leaf(l, below[slot]);
    }
  }
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (!mo_child_is_leaf(below[slot].child)) {
      triangles += copy_subtree(l, below[slot], copy->child[slot], at << 3 | slot, depth + 1);
    }
  }
  *built = c.tree == r->mesh                ? r->mesh->deformation->built_visits[c.child]
           : c.tree == &r->rebuilt_top.tree ? -estimate_visits_when_built(r->mesh, triangles)
                                            : 0.0;
  return triangles;
}

/* The expected visits of a node of the new top, if the subtrees below the top were as good as when
 * built. */
static double visits_with_subtrees_as_built(const mo_mesh *mesh, uint32_t n) {
  const mo_deformation *d = mesh->deformation;
  mo_refit_node sum = d->nodes[n];
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = mesh->nodes[n].child[slot];
    if (!mo_child_is_leaf(child)) {
      double area = mo_aabb_half_area(mo_bounds8_get(&mesh->nodes[n].bounds, (int)slot));
      sum.half_area_sum -= area * (mo_refit_visits(&d->nodes[child]) - d->built_visits[child]);
    }
  }
  return mo_refit_visits(&sum);
}

/* Puts the new octree into the mesh. */
static void replace_octree(mo_mesh *mesh, const new_octree *l) {
  mo_deformation *d = mesh->deformation;
  const mo_deformation old = *d;
  mo_octree_replace(mesh, &l->tree);
  mo_deformation_free_arrays(d, &mesh->host.allocator);
  *d = l->deformation;
  d->root_visits_when_top_built = old.root_visits_when_top_built;
  d->top_age = old.top_age;
  mesh->depth = 0;
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    uint32_t depth = mesh->planes[n].depth + 1u;
    mesh->depth = depth > mesh->depth ? depth : mesh->depth;
  }
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    for (uint32_t lane = 0, end = mo_count_lanes_in_use(&mesh->blocks[b]); lane < end; lane++) {
      mesh->triangle_places[mesh->blocks[b].id[lane] & MO_LANE_TRIANGLE] = b << 3 | lane;
    }
  }
  mo_refit_compute_nodes(mesh);
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    double *built = &d->built_visits[n];
    if (*built < 0.0) {
      *built = fmin(-*built, visits_with_subtrees_as_built(mesh, n));
    } else if (*built == 0.0) {
      *built = mo_refit_visits(&d->nodes[n]);
    }
  }
}

mo_result mo_rebuild_copy_octree(const mo_rebuild *r) {
  mo_mesh *mesh = r->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  const bool has_new_top = r->top.node_count > 0;
  uint32_t nodes = mesh->node_count, blocks = mesh->block_count;
  for (uint32_t i = 0; i < r->subtree_count; i++) {
    const mo_mesh *tree = &r->subtrees[i].part.tree;
    uint32_t old_blocks = 0;
    nodes += tree->node_count - count_nodes_and_blocks(mesh, r->subtrees[i].node, &old_blocks);
    blocks += tree->block_count - old_blocks;
  }
  if (has_new_top) {
    nodes += r->rebuilt_top.tree.node_count - r->top.node_count;
  }
  new_octree l = {.rebuild = r, .tree.host = mesh->host};
  l.failed = !mo_deformation_allocate_arrays(&l.deformation, allocator, nodes, blocks);
  if (mo_octree_allocate(&l.tree, nodes, blocks) && !l.failed) {
    const copied_child root = {has_new_top ? &r->rebuilt_top.tree : mesh, NULL, 0};
    l.tree.node_count = 1;
    l.tree.block_count = 0;
    copy_subtree(&l, continuation_of(r, root), 0, MO_NONE, 0);
    if (!l.failed) {
      MO_ASSERT(l.tree.node_count == nodes && l.tree.block_count == blocks);
      replace_octree(mesh, &l);
      return MO_OK;
    }
  }
  mo_octree_free(&l.tree);
  mo_deformation_free_arrays(&l.deformation, allocator);
  return MO_ERROR_OUT_OF_MEMORY;
}
