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
#include "mesh/build/build.h"
#include "mesh/edit/edit.h"

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

/* A subtree or leaf below the top of a subtree. */
typedef struct top_item {
  mo_aabb box;
  double area;
  uint32_t child; /* encoded as a child of a node */
} top_item;

/* A part of the octree that is being rebuilt. */
typedef struct rebuilt_part {
  mo_mesh *mesh;
  mo_mesh tree; /* the new part: only the members that a builder fills in */
  mo_vec3 *corners;
  uint32_t *triangles;   /* for each triangle of `tree`, the triangle of the mesh; null for a top */
  const top_item *items; /* for each triangle of `tree`, the subtree that it stands for */
  uint32_t count;        /* triangles of `tree` */
} rebuilt_part;

static bool allocate_part(rebuilt_part *p, bool of_triangles) {
  const mo_allocator *allocator = &p->mesh->host.allocator;
  mo_mesh *tree = &p->tree;
  memset(tree, 0, sizeof *tree);
  tree->host = p->mesh->host;
  tree->isa = p->mesh->isa;
  tree->build = p->mesh->build;
  tree->triangle_count = tree->triangle_capacity = p->count;
  tree->triangle_places = mo_allocate(allocator, p->count, sizeof *tree->triangle_places);
  p->corners = mo_allocate(allocator, 3 * (size_t)p->count, sizeof *p->corners);
  p->triangles = of_triangles ? mo_allocate(allocator, p->count, sizeof *p->triangles) : NULL;
  if (tree->triangle_places == NULL || p->corners == NULL || (of_triangles && !p->triangles)) {
    return false;
  }
  memset(tree->triangle_places, 0xff, p->count * sizeof *tree->triangle_places);
  return true;
}

static void free_part(rebuilt_part *p) {
  const mo_allocator *allocator = &p->mesh->host.allocator;
  mo_mesh *tree = &p->tree;
  mo_deallocate(allocator, p->corners, 3 * (size_t)p->count, sizeof *p->corners);
  mo_deallocate(allocator, p->triangles, p->count, sizeof *p->triangles);
  mo_deallocate(allocator, tree->triangle_places, p->count, sizeof *tree->triangle_places);
  mo_deallocate(allocator, tree->nodes, tree->node_capacity, sizeof *tree->nodes);
  mo_deallocate(allocator, tree->planes, tree->planes_capacity, sizeof *tree->planes);
  mo_deallocate(allocator, tree->blocks, tree->block_capacity, sizeof *tree->blocks);
  MO_ASSERT(tree->duplicates == NULL);
}

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

/* Copies a leaf of the new part to the mesh; returns its code as a child. */
static uint32_t copy_leaf(const rebuilt_part *p, uint32_t first) {
  mo_mesh *mesh = p->mesh;
  if (p->triangles == NULL) {
    return p->items[p->tree.blocks[first].id[0] & MO_LANE_TRIANGLE].child;
  }
  const uint32_t length = mo_count_leaf_blocks(&p->tree, first);
  const uint32_t run = mo_edit_allocate_run(mesh, length, length);
  for (uint32_t b = 0; b < length; b++) {
    mo_triangle_block *block = &mesh->blocks[run + b];
    *block = p->tree.blocks[first + b];
    for (uint32_t lane = 0, end = mo_count_lanes_in_use(block); lane < end; lane++) {
      const uint32_t triangle = p->triangles[block->id[lane] & MO_LANE_TRIANGLE];
      mesh->triangle_places[triangle] = (run + b) << 3 | lane;
      mo_edit_set_id(mesh, (run + b) << 3 | lane, triangle);
    }
  }
  return MO_CHILD_LEAF | run;
}

/* Copies a node of the new part, and what is below it, to a node of the mesh. */
static void copy_node(const rebuilt_part *p, uint32_t from, uint32_t to) {
  mo_mesh *mesh = p->mesh;
  const uint32_t parent = to == 0 ? MO_NONE : mesh->planes[to].parent;
  mesh->nodes[to] = p->tree.nodes[from];
  mesh->planes[to] = p->tree.planes[from];
  mesh->planes[to].parent = parent;
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    const uint32_t child = p->tree.nodes[from].child[slot];
    if (!mo_child_is_leaf(child)) {
      const uint32_t made = mo_edit_allocate_node(mesh);
      mo_edit_attach(mesh, to, slot, made);
      copy_node(p, child, made);
    } else if (child != MO_CHILD_EMPTY) {
      mo_edit_attach(mesh, to, slot, copy_leaf(p, mo_child_index(child)));
    }
  }
  mo_edit_count_node(mesh, to);
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
static bool replace_child(const rebuilt_part *p, uint32_t child, uint32_t from) {
  mo_mesh *mesh = p->mesh;
  if (!mo_edit_reserve_nodes(mesh, p->tree.node_count) ||
      !mo_edit_reserve_blocks(mesh, p->tree.block_count)) {
    return false;
  }
  if (from == MO_NONE) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      free_child(mesh, mesh->nodes[0].child[slot]);
    }
    copy_node(p, 0, 0);
    return true;
  }
  const uint32_t leaf = only_leaf(&p->tree);
  free_child(mesh, child);
  if (leaf != MO_CHILD_EMPTY) {
    mo_edit_attach(mesh, from >> 3, from & 7, copy_leaf(p, mo_child_index(leaf)));
  } else {
    const uint32_t made = mo_edit_allocate_node(mesh);
    mo_edit_attach(mesh, from >> 3, from & 7, made);
    copy_node(p, 0, made);
  }
  mo_edit_update_heights(mesh, from >> 3);
  return true;
}

/* Rebuilds what is below a child of `count` triangles. `from`: as for replace_child. */
static void rebuild_child(mo_mesh *mesh, uint32_t child, uint32_t from, uint32_t count) {
  rebuilt_part p = {.mesh = mesh, .count = count};
  bool ok = allocate_part(&p, true);
  if (ok) {
    const uint32_t gathered = mo_list_triangles_of_child(mesh, child, p.triangles, 0);
    MO_ASSERT(gathered == count);
    (void)gathered;
    for (uint32_t i = 0; i < count; i++) {
      mo_mesh_corners(mesh, p.triangles[i], &p.corners[3 * (size_t)i]);
    }
    const uint32_t depth = from == MO_NONE ? 0 : mo_edit_depth_of(mesh, from >> 3) + 1;
    const mo_aabb box = from == MO_NONE
                            ? mo_bounds8_union(&mesh->nodes[0].bounds)
                            : mo_bounds8_get(&mesh->nodes[from >> 3].bounds, (int)(from & 7));
    p.tree.build.max_depth -= depth;
    mo_mesh_set_bounds(&p.tree, box);
    ok = mo_mesh_build(&p.tree, p.corners) == MO_OK && replace_child(&p, child, from);
  }
  free_part(&p);
}

/* --- rebuilding the top of a subtree --- */

static top_item make_item(const mo_mesh *mesh, uint32_t node, uint32_t slot) {
  const mo_aabb box = mo_bounds8_get(&mesh->nodes[node].bounds, (int)slot);
  const uint32_t child = mesh->nodes[node].child[slot];
  return (top_item){box, mo_child_is_leaf(child) ? -1.0 : mo_aabb_half_area(box), child};
}

/* Replaces nodes by their children, largest first, beginning with `node`. Lists the nodes that have
 * been replaced in `opened`, and returns the sum of their areas but for `node`. */
static double expand_top(const mo_mesh *mesh, uint32_t node, top_item *items, uint32_t *count,
                         uint32_t *opened, uint32_t *opened_count) {
  double sum = 0.0;
  *count = *opened_count = 0;
  for (uint32_t next = node; next != MO_NONE;) {
    opened[(*opened_count)++] = next;
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      if (mesh->nodes[next].child[slot] != MO_CHILD_EMPTY) {
        items[(*count)++] = make_item(mesh, next, slot);
      }
    }
    uint32_t largest = 0;
    for (uint32_t i = 1; i < *count; i++) {
      largest = items[i].area > items[largest].area ? i : largest;
    }
    next = MO_NONE;
    if (items[largest].area >= 0.0 && *count + MO_LANE_COUNT <= MAX_TOP_ITEMS) {
      next = items[largest].child;
      sum += items[largest].area;
      items[largest] = items[--*count];
    }
  }
  return sum;
}

/* Whether each leaf of a new top has one item, and no subtree becomes too deep. `*area` receives
 * the sum of the areas of the nodes but for the root. */
static bool measure_top(const rebuilt_part *p, uint32_t depth, double *area) {
  const mo_mesh *tree = &p->tree;
  *area = 0.0;
  for (uint32_t n = 0; n < tree->node_count; n++) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      const uint32_t child = tree->nodes[n].child[slot];
      if (!mo_child_is_leaf(child)) {
        *area += mo_aabb_half_area(mo_bounds8_get(&tree->nodes[n].bounds, (int)slot));
      } else if (child != MO_CHILD_EMPTY) {
        const uint32_t first = mo_child_index(child);
        if (mo_count_leaf_triangles(tree, child) > 1) {
          return false;
        }
        const uint32_t below = p->items[tree->blocks[first].id[0] & MO_LANE_TRIANGLE].child;
        const uint32_t height = mo_child_is_leaf(below) ? 0 : p->mesh->editing->nodes[below].height;
        if (depth + tree->planes[n].depth + 1 + height > p->mesh->build.max_depth) {
          return false;
        }
      }
    }
  }
  return true;
}

/* Rebuilds the top of the subtree of a node, if that makes it better. */
static void rebuild_top(mo_mesh *mesh, uint32_t node) {
  top_item items[MAX_TOP_ITEMS];
  uint32_t opened[MAX_TOP_ITEMS], opened_count;
  rebuilt_part p = {.mesh = mesh, .items = items};
  const uint32_t changes_since_whole_rebuild =
      mesh->editing->nodes[node].changes_since_whole_rebuild;
  const double old_area = expand_top(mesh, node, items, &p.count, opened, &opened_count);
  bool ok = p.count > 1 && allocate_part(&p, false);
  if (ok) {
    for (uint32_t i = 0; i < p.count; i++) {
      p.corners[3 * i] = p.corners[3 * i + 2] = items[i].box.lower;
      p.corners[3 * i + 1] = items[i].box.upper;
    }
    p.tree.build.leaf_capacity = 1;
    p.tree.build.quality = MO_MESH_QUALITY_DEFAULT;
    mo_mesh_set_bounds(&p.tree, mo_bounds8_union(&mesh->nodes[node].bounds));
    double area;
    ok = mo_mesh_build(&p.tree, p.corners) == MO_OK &&
         measure_top(&p, mo_edit_depth_of(mesh, node), &area) && area < old_area &&
         mo_edit_reserve_nodes(mesh, p.tree.node_count);
  }
  if (ok) {
    for (uint32_t i = 1; i < opened_count; i++) {
      mo_edit_free_node(mesh, opened[i]);
    }
    copy_node(&p, 0, node);
    mo_edit_update_heights(mesh, node);
  }
  mesh->editing->nodes[node].changes_since_top_rebuild =
      0; /* if the new top is no better, the next attempt is made after as many changes again */
  mesh->editing->nodes[node].changes_since_whole_rebuild = changes_since_whole_rebuild;
  free_part(&p);
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
  const uint32_t first = mo_child_index(leaf), size = mo_edit_leaf_size(mesh, first);
  mo_edit_block *known = &mesh->editing->blocks[first];
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

void mo_edit_maintain(mo_mesh *mesh, uint32_t max) {
  maintain_node(mesh, 0, 0, max);
  mo_edit_compact(mesh);
}
