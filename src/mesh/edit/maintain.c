/* Rebuilds parts of the octree of an editable mesh in which many triangles have changed.
 *
 * The subtree of a node is due when the triangles inserted and removed below it since it was built
 * are a share of those that it has (partial rebuilding; Overmars 1983). A subtree of few triangles
 * is rebuilt whole, and overfull leaves are split in the same way. Of a larger subtree only the top
 * is rebuilt, over the boxes of some hundred subtrees, at a bounded cost. But triangles of
 * different subtrees stay apart then, so it is also rebuilt whole when many have changed. A change
 * pays for a constant share of a rebuild on each level. */
#include <string.h>

#include "base/assert.h"
#include "mesh/build/part.h"
#include "mesh/edit/edit.h"
#include "mesh/format/read.h"

/* A subtree is rebuilt when the number of triangles inserted and removed in it exceeds the number
 * of its triangles divided by CHANGES_FOR_REBUILD_DIVISOR, and at least MIN_CHANGES_FOR_REBUILD: if
 * it has few triangles, for a whole rebuild, else for one of its top. Larger divisors cost more
 * time, and keep the tree better: see bench/NOTEBOOK.md. */
enum { CHANGES_FOR_REBUILD_DIVISOR = 16, MIN_CHANGES_FOR_REBUILD = 8 };

/* Subtrees of at most this many triangles have no rebuilds of their top. */
enum { MAX_TRIANGLES_REBUILT_WHOLE = 2048 };

/* A larger subtree is rebuilt whole when the changes since it was exceed its triangles divided by
 * this. */
enum { CHANGES_FOR_WHOLE_REBUILD_DIVISOR = 4 };

/* The top of a subtree is rebuilt over at most this many subtrees and leaves. */
enum { MAX_TOP_ITEMS = 256 };

/* --- rebuilding a subtree whole --- */

/* Frees the nodes and blocks below a child; if it is a node, it is freed too. */
static void free_child(mo_mesh *mesh, uint32_t child) {
  if (child == MO_CHILD_EMPTY) {
    return;
  }
  if (mo_child_is_leaf(child)) {
    mo_edit_free_run(mesh, mo_child_index(child));
    return;
  }
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    free_child(mesh, mesh->nodes[child].child[slot]);
  }
  mo_edit_free_node(mesh, child);
}

/* A tree whose nodes and leaves are copied into a mesh. */
typedef struct copied_tree {
  mo_mesh *mesh;
  const mo_mesh *tree;
  const uint32_t *triangles; /* for each triangle of `tree`, which one of the mesh it is; or null */
  /* If the tree is a new top: its leaves are replaced by the items. Else null. */
  const mo_rebuilt_part *part;
  const mo_subtree_top *top;
} copied_tree;

/* Copies a leaf to the mesh; returns its code as a child. */
static uint32_t copy_leaf(const copied_tree *c, uint32_t leaf) {
  mo_mesh *mesh = c->mesh;
  if (c->top != NULL) {
    return mo_top_item_of_leaf(c->part, c->top, leaf)->child;
  }
  const uint32_t first = mo_child_index(leaf), length = mo_count_leaf_blocks(c->tree, first);
  const uint32_t run = mo_edit_allocate_run(mesh, length, length);
  memcpy(&mesh->blocks[run], &c->tree->blocks[first], length * sizeof *mesh->blocks);
  for (mo_triangle_place place = run << 3; place < (run + length) << 3; place++) {
    const uint32_t id = mesh->blocks[place >> 3].id[place & 7] & MO_LANE_TRIANGLE;
    if (id != MO_LANE_EMPTY) {
      const uint32_t triangle = c->triangles != NULL ? c->triangles[id] : id;
      mesh->triangle_places[triangle] = place;
      mo_edit_set_id(mesh, place, triangle);
    }
  }
  return MO_CHILD_LEAF | run;
}

/* Copies a node, and what is below it, to a node of the mesh. */
static void copy_node(const copied_tree *c, uint32_t from, uint32_t to) {
  mo_mesh *mesh = c->mesh;
  const uint32_t parent = to == 0 ? MO_NONE : mesh->planes[to].parent;
  mesh->nodes[to] = c->tree->nodes[from];
  mesh->planes[to] = c->tree->planes[from];
  mesh->planes[to].parent = parent;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t child = c->tree->nodes[from].child[slot];
    if (!mo_child_is_leaf(child)) {
      mo_edit_attach(mesh, to, slot, mo_edit_allocate_node(mesh));
    } else if (child != MO_CHILD_EMPTY) {
      mo_edit_attach(mesh, to, slot, copy_leaf(c, child));
    }
  }
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (!mo_child_is_leaf(c->tree->nodes[from].child[slot])) {
      copy_node(c, c->tree->nodes[from].child[slot], mesh->nodes[to].child[slot]);
    }
  }
  mo_edit_count_node(mesh, to);
  if (c->tree->editing != NULL) {
    mesh->editing->nodes[to] = c->tree->editing->nodes[from]; /* how much has changed */
  }
}

/* The child of the root of a tree that has only this one, a leaf; else MO_CHILD_EMPTY. */
static uint32_t only_leaf(const mo_mesh *tree) {
  const mo_mesh_node *root = &tree->nodes[0];
  for (uint32_t slot = 1; slot < MO_LANE_COUNT; slot++) {
    if (root->child[slot] != MO_CHILD_EMPTY) {
      return MO_CHILD_EMPTY;
    }
  }
  return mo_child_is_leaf(root->child[0]) ? root->child[0] : MO_CHILD_EMPTY;
}

/* Puts the new part into the place of a child, `from` its slot in its parent; or MO_NONE for the
 * root. False if out of memory. */
static bool replace_child(const copied_tree *c, uint32_t child, uint32_t from) {
  mo_mesh *mesh = c->mesh;
  if (!mo_edit_reserve_nodes(mesh, c->tree->node_count) ||
      !mo_edit_reserve_blocks(mesh, c->tree->block_count)) {
    return false;
  }
  if (from == MO_NONE) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      free_child(mesh, mesh->nodes[0].child[slot]);
    }
    copy_node(c, 0, 0);
    return true;
  }
  const uint32_t leaf = only_leaf(c->tree);
  free_child(mesh, child);
  if (leaf != MO_CHILD_EMPTY) {
    mo_edit_attach(mesh, from >> 3, from & 7, copy_leaf(c, leaf));
  } else {
    const uint32_t made = mo_edit_allocate_node(mesh);
    mo_edit_attach(mesh, from >> 3, from & 7, made);
    copy_node(c, 0, made);
  }
  mo_edit_update_heights(mesh, from >> 3);
  return true;
}

/* Rebuilds what is below a child of `count` triangles. `from`: as for replace_child. */
static void rebuild_child(mo_mesh *mesh, uint32_t child, uint32_t from, uint32_t count) {
  mo_rebuilt_part part;
  const bool is_root = from == MO_NONE;
  const uint32_t depth = is_root ? 0 : mo_mesh_node_depth(mesh, from >> 3) + 1;
  const mo_aabb box = is_root ? mo_bounds8_union(&mesh->nodes[0].bounds)
                              : mo_bounds8_get(&mesh->nodes[from >> 3].bounds, (int)(from & 7));
  if (mo_rebuild_subtree(&part, mesh, child, count, box, depth) == MO_OK) {
    replace_child(&(copied_tree){.mesh = mesh, .tree = &part.tree, .triangles = part.triangles},
                  child, from);
  }
  mo_free_rebuilt_part(&part);
}

/* --- rebuilding the top of a subtree --- */

/* Rebuilds the top of the subtree of a node, if that makes it better. */
static void rebuild_top(mo_mesh *mesh, uint32_t node) {
  mo_top_item items[MAX_TOP_ITEMS];
  uint32_t nodes[MAX_TOP_ITEMS];
  mo_subtree_top top = {.items = items, .item_capacity = MAX_TOP_ITEMS, .nodes = nodes};
  mo_rebuilt_part part;
  mo_edit_node *known = &mesh->editing->nodes[node];
  const uint32_t changes = known->changes_since_whole_rebuild;
  mo_expand_top(&top, mesh, node, NULL, NULL);
  for (uint32_t i = 0; i < top.item_count; i++) {
    const uint32_t child = items[i].child;
    items[i].height = mo_child_is_leaf(child) ? 0 : mesh->editing->nodes[child].height;
  }
  const mo_aabb box = mo_bounds8_union(&mesh->nodes[node].bounds);
  if (mo_rebuild_top(&part, mesh, &top, box) == MO_OK &&
      mo_rebuilt_top_area(&part, &top, mo_mesh_node_depth(mesh, node)) < top.area_sum &&
      mo_edit_reserve_nodes(mesh, part.tree.node_count)) {
    for (uint32_t i = 1; i < top.node_count; i++) {
      mo_edit_free_node(mesh, nodes[i]);
    }
    copy_node(&(copied_tree){.mesh = mesh, .tree = &part.tree, .part = &part, .top = &top}, 0,
              node);
    mo_edit_update_heights(mesh, node);
  }
  known = &mesh->editing->nodes[node];
  /* If the new top is no better, the next attempt is made after as many changes again. */
  known->changes_since_top_rebuild = 0;
  known->changes_since_whole_rebuild = changes;
  mo_free_rebuilt_part(&part);
}

/* --- finding what is due --- */

static bool has_changed(const mo_edit_node *node) {
  return node->changes_since_top_rebuild >= MIN_CHANGES_FOR_REBUILD &&
         node->changes_since_top_rebuild > node->count / CHANGES_FOR_REBUILD_DIVISOR;
}

/* Whether a subtree should be rebuilt whole. */
static bool is_due_for_rebuild(const mo_edit_node *node, uint32_t max) {
  return node->count > 0 && node->count <= max &&
         (node->count <= MAX_TRIANGLES_REBUILT_WHOLE
              ? has_changed(node)
              : node->changes_since_whole_rebuild >
                    node->count / CHANGES_FOR_WHOLE_REBUILD_DIVISOR);
}

/* Rebuilds a leaf that the edit has changed if it has too many triangles. */
static void maintain_leaf(mo_mesh *mesh, uint32_t leaf, uint32_t from, uint32_t depth,
                          uint32_t max) {
  const uint32_t size = mo_count_leaf_triangles(mesh, leaf);
  mo_edit_block *known = &mesh->editing->blocks[mo_child_index(leaf)];
  const bool changed = known->changed;
  known->changed = false;
  if (changed && size > mesh->build.leaf_capacity && size <= max && depth < mesh->build.max_depth) {
    rebuild_child(mesh, leaf, from, size);
  }
}

static void maintain_node(mo_mesh *mesh, uint32_t node, uint32_t depth, uint32_t max) {
  mo_edit_node *known = &mesh->editing->nodes[node];
  if (!known->touched) {
    return;
  }
  known->touched = false;
  const bool is_large = known->count > MAX_TRIANGLES_REBUILT_WHOLE;
  if (is_due_for_rebuild(known, max)) {
    rebuild_child(mesh, node, mesh->planes[node].parent, known->count);
    return;
  }
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t child = mesh->nodes[node].child[slot];
    if (!mo_child_is_leaf(child)) {
      maintain_node(mesh, child, depth + 1, max);
    } else if (child != MO_CHILD_EMPTY) {
      maintain_leaf(mesh, child, node << 3 | slot, depth + 1, max);
    }
  }
  if (is_large && has_changed(&mesh->editing->nodes[node])) {
    rebuild_top(mesh, node);
  }
}

/* --- compaction --- */

/* Compaction begins when there are this many free blocks, or nodes, and as many as are in use; it
 * leaves free capacity of a quarter of what is in use. */
enum { MIN_FREE_BEFORE_COMPACTION = 64 };

static bool is_mostly_free(uint32_t free_count, uint32_t all) {
  return free_count >= MIN_FREE_BEFORE_COMPACTION && free_count > all / 2;
}

/* Copies the octree to memory without gaps, in the order of a builder, if most of its memory is
 * unused. */
static void compact(mo_mesh *mesh) {
  mo_mesh_editing *e = mesh->editing;
  if (!is_mostly_free(e->free_block_count, mesh->block_count) &&
      !is_mostly_free(e->free_node_count, mesh->node_count)) {
    return;
  }
  const uint32_t nodes = mesh->node_count - e->free_node_count,
                 blocks = mesh->block_count - e->free_block_count;
  mo_mesh_editing editing = *e;
  mo_mesh made = {
      .host = mesh->host, .triangle_places = mesh->triangle_places, .editing = &editing};
  mo_edit_clear_memory(&editing);
  if (mo_edit_reserve_nodes(&made, nodes + nodes / 4 + 1) &&
      mo_edit_reserve_blocks(&made, blocks + blocks / 4 + 1)) {
    copy_node(&(copied_tree){.mesh = &made, .tree = mesh}, 0, mo_edit_allocate_node(&made));
    MO_ASSERT(made.node_count == nodes && made.block_count == blocks);
    mo_octree_replace(mesh, &made);
    mo_edit_free_memory(mesh);
    *e = editing;
  } else { /* a later edit tries again */
    mo_octree_free(&made);
    mo_edit_free_memory(&made);
  }
}

void mo_edit_maintain(mo_mesh *mesh, uint32_t max) {
  maintain_node(mesh, 0, 0, max);
  compact(mesh);
}
