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
  mo_mesh_node *nodes;
  mo_mesh_planes *planes;
  mo_triangle_block *blocks;
  mo_deformation deformation;
  uint32_t node_count, block_count;
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

/* Copies a rebuilt part; its root becomes node `at`. */
static void copy_rebuilt_part(new_octree *l, const mo_rebuilt_part *p, uint32_t at, uint32_t parent,
                              uint32_t depth) {
  const mo_mesh *mesh = l->rebuild->mesh, *tree = &p->tree;
  MO_ASSERT(depth + tree->depth <= MO_MESH_MAX_DEPTH);
  uint32_t first_block = l->block_count;
  /* The root of the part replaces node `at`; its other nodes, from number 1 on, are appended. */
  uint32_t offset_of_others = l->node_count - 1;
  l->node_count += tree->node_count - 1;
  l->block_count += tree->block_count;
  for (uint32_t i = 0; i < tree->node_count; i++) {
    uint32_t to = i == 0 ? at : offset_of_others + i;
    mo_mesh_planes *planes = &l->planes[to];
    l->nodes[to] = tree->nodes[i];
    *planes = tree->planes[i];
    planes->depth = (uint8_t)(planes->depth + depth);
    uint32_t above = planes->parent >> 3, slot_above = planes->parent & 7;
    planes->parent =
        i == 0 ? parent : (above == 0 ? at : offset_of_others + above) << 3 | slot_above;
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t *child = &l->nodes[to].child[slot];
      if (*child != MO_CHILD_EMPTY) {
        *child += mo_child_is_leaf(*child) ? first_block : offset_of_others;
      }
    }
    l->deformation.built_visits[to] = 0.0; /* built_visits of these nodes is set later */
  }
  for (uint32_t b = 0; b < tree->block_count; b++) {
    mo_triangle_block *block = &l->blocks[first_block + b];
    mo_listed_vertices vertices;
    *block = tree->blocks[b];
    block->id[2] |= MO_LANE_SOME_DEGENERATE; /* set in all blocks of a deformable mesh */
    for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
      bool in_use = (block->id[lane] & MO_LANE_TRIANGLE) != MO_LANE_EMPTY;
      if (in_use) {
        uint32_t triangle = p->triangles[block->id[lane] & MO_LANE_TRIANGLE];
        block->id[lane] = (block->id[lane] & ~MO_LANE_TRIANGLE) | triangle;
      }
      mo_triangle_place place =
          mesh->triangle_places[block->id[in_use ? lane : 0] & MO_LANE_TRIANGLE];
      for (uint32_t corner = 0; corner < 3; corner++) {
        vertices.vertex[corner][lane] = mo_deformation_vertex(mesh->deformation, place, corner);
      }
    }
    store_vertices(l, first_block + b, &vertices);
  }
}

/* Copies a leaf of the old octree; returns its code as a child in the new one. */
static uint32_t copy_leaf(new_octree *l, uint32_t child) {
  const mo_mesh *mesh = l->rebuild->mesh;
  uint32_t placed = MO_CHILD_LEAF | l->block_count, from = mo_child_index(child);
  do {
    copy_vertices(l, l->block_count, from);
    l->blocks[l->block_count++] = mesh->blocks[from];
  } while (!(mesh->blocks[from++].id[0] & MO_LANE_LAST_BLOCK));
  return placed;
}

/* Copies the subtree of `node` to node `at`: first its children, which become consecutive nodes,
 * then the subtree of each, in the order of the builder. */
static void copy_subtree(new_octree *l, uint32_t node, uint32_t at, uint32_t parent,
                         uint32_t depth) {
  const mo_mesh *mesh = l->rebuild->mesh;
  const mo_rebuild_candidate *p = &l->rebuild->candidates[node];
  if (p->chosen) {
    const mo_rebuilt_part *parts = l->rebuild->parts;
    uint32_t i = 0;
    while (parts[i].node != node) {
      MO_ASSERT(i + 1 < l->rebuild->part_count);
      i++;
    }
    copy_rebuilt_part(l, &parts[i], at, parent, depth);
    return;
  }
  mo_mesh_node *copy = &l->nodes[at];
  *copy = mesh->nodes[node];
  l->planes[at] = mesh->planes[node];
  l->planes[at].parent = parent;
  l->planes[at].depth = (uint8_t)depth;
  l->deformation.built_visits[at] = mesh->deformation->built_visits[node];
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      copy->child[slot] = l->node_count++;
    } else if (child != MO_CHILD_EMPTY) {
      copy->child[slot] = copy_leaf(l, child);
    }
  }
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      copy_subtree(l, child, copy->child[slot], at << 3 | slot, depth + 1);
    }
  }
}

static uint32_t count_triangles(const mo_rebuild *r, uint32_t child) {
  return mo_child_is_leaf(child) ? mo_count_leaf_triangles(r->mesh, child)
                                 : r->candidates[child].triangle_count;
}

static uint32_t log2_of(uint32_t count) {
  return count == 0 ? 0 : 31u - (uint32_t)__builtin_clz(count);
}

/* Sets built_visits in the top: estimates the expected visits of a subtree as if it had been built
 * from its triangles, by scaling those of the whole octree when built by the number of levels.
 * Later calls compare with this to decide on a rebuild. Returns the number of triangles in the
 * subtree. */
static uint32_t estimate_visits_when_built(new_octree *l, uint32_t node) {
  const mo_rebuild *r = l->rebuild;
  uint32_t triangles = 0;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = r->top.tree.nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      triangles += estimate_visits_when_built(l, child);
    } else if (child != MO_CHILD_EMPTY) {
      triangles += count_triangles(r, mo_top_item_of_leaf(&r->top, child));
    }
  }
  double levels = log2_of(triangles), all = log2_of(r->mesh->triangle_count);
  double built = r->mesh->deformation->built_visits[0];
  l->deformation.built_visits[node] = 1.0 + (built - 1.0) * levels / fmax(all, 1.0);
  return triangles;
}

/* Copies the rebuilt top of the octree, in the order of its tree, and the subtrees below it. */
static void copy_top(new_octree *l) {
  const mo_rebuilt_top *t = &l->rebuild->top;
  l->node_count = t->tree.node_count;
  estimate_visits_when_built(l, 0);
  for (uint32_t n = 0; n < t->tree.node_count; n++) {
    l->nodes[n] = t->tree.nodes[n];
    l->planes[n] = t->tree.planes[n];
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      uint32_t child = t->tree.nodes[n].child[slot];
      if (child == MO_CHILD_EMPTY || !mo_child_is_leaf(child)) {
        continue;
      }
      uint32_t below = mo_top_item_of_leaf(t, child);
      if (mo_child_is_leaf(below)) {
        l->nodes[n].child[slot] = copy_leaf(l, below);
      } else {
        uint32_t at = l->nodes[n].child[slot] = l->node_count++;
        copy_subtree(l, below, at, n << 3 | slot, t->tree.planes[n].depth + 1u);
      }
    }
  }
}

static void destroy_layout(new_octree *l, const mo_allocator *allocator) {
  uint32_t nodes = l->deformation.node_capacity, blocks = l->deformation.block_capacity;
  mo_deallocate(allocator, l->nodes, nodes, sizeof *l->nodes);
  mo_deallocate(allocator, l->planes, nodes, sizeof *l->planes);
  mo_deallocate(allocator, l->blocks, blocks, sizeof *l->blocks);
  mo_deformation_free_arrays(&l->deformation, allocator);
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
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_deallocate(allocator, mesh->nodes, mesh->node_capacity, sizeof *mesh->nodes);
  mo_deallocate(allocator, mesh->planes, mesh->planes_capacity, sizeof *mesh->planes);
  mo_deallocate(allocator, mesh->blocks, mesh->block_capacity, sizeof *mesh->blocks);
  mo_deformation_free_arrays(mesh->deformation, allocator);
  mesh->nodes = l->nodes;
  mesh->planes = l->planes;
  mesh->blocks = l->blocks;
  double root_visits_when_top_built = mesh->deformation->root_visits_when_top_built;
  uint32_t top_age = mesh->deformation->top_age;
  *mesh->deformation = l->deformation;
  mesh->deformation->root_visits_when_top_built = root_visits_when_top_built;
  mesh->deformation->top_age = top_age;
  mesh->node_count = mesh->node_capacity = mesh->planes_capacity = l->node_count;
  mesh->block_count = mesh->block_capacity = l->block_count;
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
  uint32_t top_nodes = l->rebuild->top.node_count > 0 ? l->rebuild->top.tree.node_count : 0;
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    double *built = &mesh->deformation->built_visits[n];
    if (n < top_nodes) {
      *built = fmin(*built, visits_with_subtrees_as_built(mesh, n));
    } else if (*built == 0.0) {
      *built = mo_refit_visits(&mesh->deformation->nodes[n]);
    }
  }
}

mo_result mo_rebuild_copy_octree(const mo_rebuild *r) {
  mo_mesh *mesh = r->mesh;
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t nodes = mesh->node_count, blocks = mesh->block_count;
  for (uint32_t i = 0; i < r->part_count; i++) {
    uint32_t old_blocks = 0;
    nodes = nodes - count_nodes_and_blocks(mesh, r->parts[i].node, &old_blocks) +
            r->parts[i].tree.node_count;
    blocks = blocks - old_blocks + r->parts[i].tree.block_count;
  }
  if (r->top.node_count > 0) {
    nodes = nodes - r->top.node_count + r->top.tree.node_count;
  }
  new_octree l = {.rebuild = r, .node_count = 1};
  bool ok = mo_deformation_allocate_arrays(&l.deformation, allocator, nodes, blocks);
  l.nodes = mo_allocate(allocator, nodes, sizeof *l.nodes);
  l.planes = mo_allocate(allocator, nodes, sizeof *l.planes);
  l.blocks = mo_allocate(allocator, blocks, sizeof *l.blocks);
  if (!ok || l.nodes == NULL || l.planes == NULL || l.blocks == NULL) {
    destroy_layout(&l, allocator);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (r->top.node_count > 0) {
    copy_top(&l);
  } else {
    copy_subtree(&l, 0, 0, MO_NONE, 0);
  }
  if (l.failed) {
    destroy_layout(&l, allocator);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  replace_octree(mesh, &l);
  return MO_OK;
}
