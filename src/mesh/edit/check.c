/* The invariants of editable meshes beyond those of all meshes (mesh/validate.c). */
#include "base/assert.h"
#include "mesh/build/edges.h"
#include "mesh/edit/edit.h"

/* A check of the octree: what is wrong, if anything, and what has been met. */
typedef struct octree_check {
  const mo_mesh *mesh;
  const char *fault;
  uint32_t where;
  uint32_t node_count, block_count, spare_block_count, triangle_count;
} octree_check;

static void set_fault(octree_check *c, const char *fault, uint32_t where) {
  if (c->fault == NULL) {
    c->fault = fault;
    c->where = where;
  }
}

/* Whether a block has the flag of a degenerate triangle exactly if it has one. */
static bool has_right_flag(const mo_triangle_block *block) {
  const uint32_t lanes = (1u << mo_count_lanes_in_use(block)) - 1;
  return ((block->id[2] & MO_LANE_SOME_DEGENERATE) != 0) ==
         (mo_degenerate_lanes(block->corner, lanes) != 0);
}

/* Checks a leaf; returns the tight box of its triangles. */
static mo_aabb check_leaf(octree_check *c, uint32_t first, uint32_t leaf, uint32_t *size) {
  const mo_mesh *mesh = c->mesh;
  const uint32_t length = mo_edit_leaf_block_count(mesh, first);
  mo_aabb box = mo_aabb_empty();
  *size = mo_count_leaf_triangles(mesh, MO_CHILD_LEAF | first);
  c->block_count += length;
  c->spare_block_count += mesh->editing->blocks[first].capacity - length;
  if (mo_count_leaf_blocks(mesh, first) != length ||
      mesh->editing->blocks[first].capacity < length) {
    set_fault(c, "a leaf does not know its blocks", first);
  }
  for (uint32_t b = first; b < first + length; b++) {
    if (!has_right_flag(&mesh->blocks[b])) {
      set_fault(c, "the flag of degenerate triangles is wrong", b);
    }
  }
  c->triangle_count += *size;
  for (uint32_t i = 0; i < *size; i++) {
    mo_vec3 corners[3];
    const mo_triangle_place place = (first << 3) + i;
    mo_mesh_corners_at(mesh, place, corners);
    box = mo_aabb_union(box, mo_aabb_of_corners(corners));
    if (mesh->editing->blocks[place >> 3].leaf != leaf) {
      set_fault(c, "a block does not know its leaf", place >> 3);
    }
    if (mesh->blocks[place >> 3].id[place & 7] & MO_LANE_PENDING) {
      set_fault(c, "an edit has not finished", place >> 3);
    }
  }
  return box;
}

static bool same_box(mo_aabb a, mo_aabb b) {
  return mo_aabb_contains(a, b) && mo_aabb_contains(b, a);
}

/* Checks a subtree; returns its tight box. */
static mo_aabb check_subtree(octree_check *c, uint32_t node) {
  const mo_mesh *mesh = c->mesh;
  const mo_edit_node *known = &mesh->editing->nodes[node];
  mo_aabb all = mo_aabb_empty();
  uint32_t count = 0, children = 0, height = 1;
  c->node_count++;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT && c->fault == NULL; slot++) {
    const uint32_t child = mesh->nodes[node].child[slot];
    mo_aabb box;
    uint32_t below;
    if (child == MO_CHILD_EMPTY) {
      continue;
    }
    children++;
    if (mo_child_is_leaf(child)) {
      box = check_leaf(c, mo_child_index(child), node << 3 | slot, &below);
    } else {
      box = check_subtree(c, child);
      below = mesh->editing->nodes[child].count;
      const uint32_t levels = mesh->editing->nodes[child].height + 1u;
      height = levels > height ? levels : height;
    }
    count += below;
    if (!same_box(box, mo_bounds8_get(&mesh->nodes[node].bounds, (int)slot))) {
      set_fault(c, "a box is not tight", node);
    }
    all = mo_aabb_union(all, box);
  }
  if (count != known->count || height != known->height) {
    set_fault(c, "a node does not know its subtree", node);
  }
  if (node != 0 && children < 2) {
    set_fault(c, "a node has fewer than two children", node);
  }
  return all;
}

/* Checks that each node and block is in the octree or in a free list. */
static void check_free_memory(octree_check *c) {
  const mo_mesh *mesh = c->mesh;
  const mo_mesh_editing *e = mesh->editing;
  uint32_t nodes = 0, blocks = c->spare_block_count;
  for (uint32_t n = e->free_node; n != MO_NONE && nodes <= mesh->node_count;
       n = e->nodes[n].count) {
    nodes++;
  }
  for (uint32_t length = 1; length <= MO_MAX_FREE_RUN; length++) {
    for (uint32_t b = e->free_runs[length]; b != MO_NONE && blocks <= mesh->block_count;
         b = mesh->blocks[b].id[0]) {
      blocks += length;
    }
  }
  if (nodes != e->free_node_count || c->node_count + nodes != mesh->node_count) {
    set_fault(c, "nodes are lost", nodes);
  }
  if (blocks != e->free_block_count || c->block_count + blocks != mesh->block_count) {
    set_fault(c, "blocks are lost", blocks);
  }
}

static void check_triangle(octree_check *c, uint32_t triangle) {
  const mo_mesh *mesh = c->mesh;
  const mo_edit_triangle *known = &mesh->editing->triangles[triangle];
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  for (uint32_t i = 0; i < 3; i++) {
    if (!mo_is_same(mesh->editing->vertices[known->vertex[i]].position, corners[i])) {
      set_fault(c, "a triangle is not at its vertices", triangle);
    }
    if (mesh->build.edges && mesh->editing->links[triangle].edge[i].hash !=
                                 mo_edge_hash(corners[i], corners[(i + 1) % 3])) {
      set_fault(c, "the hash of an edge is wrong", triangle);
    }
  }
  if (known->item != MO_NONE) {
    set_fault(c, "an edit has not finished", triangle);
  }
}

/* Checks the triangles, and that the free ones are in their list. */
static void check_triangles(octree_check *c) {
  const mo_mesh *mesh = c->mesh;
  const mo_mesh_editing *e = mesh->editing;
  uint32_t live = 0, unused = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    if (mo_mesh_has_triangle(mesh, t)) {
      live++;
      check_triangle(c, t);
    }
  }
  for (uint32_t t = e->free_triangle; t != MO_NONE && unused <= mesh->triangle_count;
       t = e->triangles[t].vertex[0]) {
    unused++;
    if (mo_mesh_has_triangle(mesh, t)) {
      set_fault(c, "a triangle is free", t);
    }
  }
  if (live != e->live_count || live != c->triangle_count || live + unused != mesh->triangle_count) {
    set_fault(c, "triangles are lost", live);
  }
}

/* Checks that each corner is in the list of its vertex, and each edge in the chain of its hash. */
static void check_lists(octree_check *c) {
  const mo_mesh *mesh = c->mesh;
  const mo_mesh_editing *e = mesh->editing;
  const uint32_t all = 3 * e->live_count;
  uint32_t corners = 0, edges = 0;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    uint32_t previous = MO_NONE;
    for (uint32_t at = e->vertices[v].first_corner; at != MO_NONE && corners <= all;
         at = e->triangles[at / 3].next_corner[at % 3]) {
      corners++;
      if (!mo_mesh_has_triangle(mesh, at / 3) || e->triangles[at / 3].vertex[at % 3] != v) {
        set_fault(c, "a vertex lists a triangle of others", v);
      }
      if (e->triangles[at / 3].previous_corner[at % 3] != previous) {
        set_fault(c, "a corner does not know the previous one", at);
      }
      previous = at;
    }
  }
  for (uint32_t b = 0; b < e->bucket_count; b++) {
    uint32_t previous = MO_NONE;
    for (uint32_t at = e->buckets[b]; at != MO_NONE && edges <= all;
         at = e->links[at / 3].edge[at % 3].next) {
      edges++;
      const mo_edge_link *link = &e->links[at / 3].edge[at % 3];
      if (!mo_mesh_has_triangle(mesh, at / 3) || (link->hash & (e->bucket_count - 1)) != b) {
        set_fault(c, "an edge is in the wrong chain", at);
      }
      if (link->previous != previous) {
        set_fault(c, "an edge does not know the previous one", at);
      }
      previous = at;
    }
  }
  if (corners != all || (mesh->build.edges && edges != all)) {
    set_fault(c, "corners or edges are lost", corners);
  }
}

/* Checks that arrays with the same indices have capacity for all of them. */
static void check_capacities(octree_check *c) {
  const mo_mesh *mesh = c->mesh;
  const mo_mesh_editing *e = mesh->editing;
  const uint32_t triangles = mesh->triangle_count;
  const bool has_triangles =
      mesh->triangle_capacity >= triangles && e->triangle_capacity >= triangles &&
      (!mesh->build.edges || (mesh->edges_capacity >= triangles &&
                              mesh->sheets_capacity >= triangles && e->link_capacity >= triangles));
  if (!has_triangles || e->vertex_capacity < mesh->vertex_count) {
    set_fault(c, "an array of triangles or vertices is too short", triangles);
  }
  if (mesh->node_capacity < mesh->node_count || mesh->planes_capacity < mesh->node_count ||
      e->node_capacity < mesh->node_count || mesh->block_capacity < mesh->block_count ||
      e->block_capacity < mesh->block_count) {
    set_fault(c, "an array of nodes or blocks is too short", mesh->node_count);
  }
}

const char *mo_editing_find_corruption(const mo_mesh *mesh, uint32_t *where) {
  octree_check c = {.mesh = mesh};
  check_capacities(&c);
  const mo_aabb box = check_subtree(&c, 0);
  if (mo_aabb_is_empty(box) ? !mo_aabb_is_empty(mesh->bounds) : !same_box(box, mesh->bounds)) {
    set_fault(&c, "the bounds are not tight", 0);
  }
  if (mesh->editing->nodes[0].height > mesh->build.max_depth) {
    set_fault(&c, "the octree is too deep", 0);
  }
  if (c.fault == NULL) {
    check_free_memory(&c);
    check_triangles(&c);
    check_lists(&c);
  }
  *where = c.where;
  return c.fault;
}
