/* The invariants of editable meshes beyond those of all meshes (mesh/validate.c). */
#include "base/assert.h"
#include "mesh/build/edges.h"
#include "mesh/edit/edit.h"

/* A check of the octree: what is wrong, if anything, and what has been met. */
typedef struct octree_check {
  const mo_mesh *mesh;
  const char *fault;
  uint32_t where;
  uint32_t nodes, blocks, triangles;
} octree_check;

static void set_fault(octree_check *c, const char *fault, uint32_t where) {
  if (c->fault == NULL) {
    c->fault = fault;
    c->where = where;
  }
}

/* Checks a leaf; returns the tight box of its triangles. */
static mo_aabb check_leaf(octree_check *c, uint32_t first, uint32_t leaf, uint32_t *size) {
  const mo_mesh *mesh = c->mesh;
  const uint32_t length = mo_edit_run_length(mesh, first);
  mo_aabb box = mo_aabb_empty();
  *size = mo_edit_leaf_size(mesh, first);
  c->blocks += length;
  c->triangles += *size;
  for (uint32_t i = 0; i < *size; i++) {
    mo_vec3 corners[3];
    const uint32_t place = (first << 3) + i;
    mo_full_corners_at(mesh, place, corners);
    for (int k = 0; k < 3; k++) {
      box = mo_aabb_add_point(box, corners[k]);
    }
    if (mesh->editing->leaves[place >> 3] != leaf) {
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
  c->nodes++;
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
  uint32_t nodes = 0, blocks = 0;
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
  if (nodes != e->free_node_count || c->nodes + nodes != mesh->node_count) {
    set_fault(c, "nodes are lost", nodes);
  }
  if (blocks != e->free_block_count || c->blocks + blocks != mesh->block_count) {
    set_fault(c, "blocks are lost", blocks);
  }
}

static void check_triangle(octree_check *c, uint32_t triangle) {
  const mo_mesh *mesh = c->mesh;
  const mo_edit_triangle *known = &mesh->editing->triangles[triangle];
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  for (uint32_t i = 0; i < 3; i++) {
    const mo_vec3 p = mesh->editing->vertices[known->vertex[i]].position;
    if (p.x != corners[i].x || p.y != corners[i].y || p.z != corners[i].z) {
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
  uint32_t live = 0, free = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    if (mo_mesh_has_triangle(mesh, t)) {
      live++;
      check_triangle(c, t);
    }
  }
  for (uint32_t t = e->free_triangle; t != MO_NONE && free <= mesh->triangle_count;
       t = e->triangles[t].vertex[0]) {
    free++;
    if (mo_mesh_has_triangle(mesh, t)) {
      set_fault(c, "a triangle is free", t);
    }
  }
  if (live != e->live_count || live != c->triangles || live + free != mesh->triangle_count) {
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
    for (uint32_t at = e->vertices[v].first_corner; at != MO_NONE && corners <= all;
         at = e->triangles[at / 3].next_corner[at % 3]) {
      corners++;
      if (!mo_mesh_has_triangle(mesh, at / 3) || e->triangles[at / 3].vertex[at % 3] != v) {
        set_fault(c, "a vertex lists a triangle of others", v);
      }
    }
  }
  for (uint32_t b = 0; b < e->bucket_count; b++) {
    for (uint32_t at = e->buckets[b]; at != MO_NONE && edges <= all;
         at = e->links[at / 3].edge[at % 3].next) {
      edges++;
      if (!mo_mesh_has_triangle(mesh, at / 3) ||
          (e->links[at / 3].edge[at % 3].hash & (e->bucket_count - 1)) != b) {
        set_fault(c, "an edge is in the wrong chain", at);
      }
    }
  }
  if (corners != all || (mesh->build.edges && edges != all)) {
    set_fault(c, "corners or edges are lost", corners);
  }
}

const char *mo_editing_find_corruption(const mo_mesh *mesh, uint32_t *where) {
  octree_check c = {.mesh = mesh};
  const mo_aabb box = check_subtree(&c, 0);
  if (!mo_aabb_is_empty(box) && !same_box(box, mesh->bounds)) {
    set_fault(&c, "the bounds are not tight", 0);
  }
  if (c.fault == NULL) {
    check_free_memory(&c);
    check_triangles(&c);
    check_lists(&c);
  }
  *where = c.where;
  return c.fault;
}
