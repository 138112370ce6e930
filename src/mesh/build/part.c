/* Builds parts of an octree anew (part.h). */
#include "mesh/build/part.h"

#include <string.h>

#include "base/assert.h"

/* Begins a part of `count` triangles in a box; returns memory for their corners, or null. */
static mo_vec3 *begin_part(mo_rebuilt_part *part, const mo_mesh *mesh, uint32_t count,
                           mo_aabb box) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_mesh *tree = &part->tree;
  memset(part, 0, sizeof *part);
  tree->host = mesh->host;
  tree->isa = mesh->isa;
  tree->build = mesh->build;
  tree->triangle_count = tree->triangle_capacity = count;
  mo_mesh_set_bounds(tree, box);
  tree->triangle_places = mo_allocate(allocator, count, sizeof *tree->triangle_places);
  if (tree->triangle_places == NULL) {
    return NULL;
  }
  memset(tree->triangle_places, 0xff, count * sizeof *tree->triangle_places);
  return mo_allocate(allocator, 3 * (size_t)count, sizeof(mo_vec3));
}

static mo_result build_part(mo_rebuilt_part *part, mo_vec3 *corners) {
  const mo_result result = mo_mesh_build(&part->tree, corners);
  mo_deallocate(&part->tree.host.allocator, corners, 3 * (size_t)part->tree.triangle_count,
                sizeof *corners);
  return result;
}

mo_result mo_rebuild_subtree(mo_rebuilt_part *part, const mo_mesh *mesh, uint32_t child,
                             uint32_t count, mo_aabb box, uint32_t depth) {
  mo_vec3 *corners = begin_part(part, mesh, count, box);
  part->triangles = mo_allocate(&mesh->host.allocator, count, sizeof *part->triangles);
  part->tree.build.max_depth -= depth;
  if (corners == NULL || part->triangles == NULL) {
    mo_deallocate(&mesh->host.allocator, corners, 3 * (size_t)count, sizeof *corners);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  const uint32_t listed = mo_list_triangles_of_child(mesh, child, part->triangles, 0);
  MO_ASSERT(listed == count);
  for (uint32_t i = 0; i < listed; i++) {
    mo_mesh_corners(mesh, part->triangles[i], &corners[3 * (size_t)i]);
  }
  return build_part(part, corners);
}

void mo_free_rebuilt_part(mo_rebuilt_part *part) {
  const mo_allocator *allocator = &part->tree.host.allocator;
  const uint32_t count = part->tree.triangle_count;
  mo_deallocate(allocator, part->triangles, count, sizeof *part->triangles);
  mo_deallocate(allocator, part->tree.triangle_places, count, sizeof *part->tree.triangle_places);
  mo_octree_free(&part->tree);
}

/* The order of a heap of items: the first is to be replaced by its children next. */
static bool is_expanded_before(const mo_top_item *a, const mo_top_item *b) {
  return a->area > b->area || (a->area == b->area && a->child < b->child);
}

static void push_item(mo_subtree_top *t, mo_top_item added) {
  uint32_t i = t->item_count++;
  for (; i > 0 && is_expanded_before(&added, &t->items[(i - 1) / 2]); i = (i - 1) / 2) {
    t->items[i] = t->items[(i - 1) / 2];
  }
  t->items[i] = added;
}

static void pop_item(mo_subtree_top *t) {
  const uint32_t count = --t->item_count;
  const mo_top_item last = t->items[count];
  uint32_t i = 0;
  for (uint32_t next = 1; next < count; next = 2 * i + 1) {
    next += next + 1 < count && is_expanded_before(&t->items[next + 1], &t->items[next]);
    if (!is_expanded_before(&t->items[next], &last)) {
      break;
    }
    t->items[i] = t->items[next];
    i = next;
  }
  t->items[i] = last;
}

void mo_expand_top(mo_subtree_top *t, const mo_mesh *mesh, uint32_t root,
                   bool (*stays)(uint32_t node, const void *context), const void *context) {
  for (uint32_t node = root; node != MO_NONE;) {
    if (t->nodes != NULL) {
      t->nodes[t->node_count] = node;
    }
    t->node_count++;
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      const uint32_t child = mesh->nodes[node].child[slot];
      const mo_aabb box = mo_bounds8_get(&mesh->nodes[node].bounds, (int)slot);
      if (child != MO_CHILD_EMPTY) {
        const bool is_open = !mo_child_is_leaf(child) && !(stays != NULL && stays(child, context));
        push_item(t, (mo_top_item){box, is_open ? mo_aabb_half_area(box) : -1.0, child, 0});
      }
    }
    node = MO_NONE;
    if (t->item_count > 0 && t->items[0].area >= 0.0 &&
        t->item_count + MO_LANE_COUNT <= t->item_capacity) {
      node = t->items[0].child;
      t->area_sum += t->items[0].area;
      pop_item(t);
    }
  }
}

mo_result mo_rebuild_top(mo_rebuilt_part *part, const mo_mesh *mesh, const mo_subtree_top *top,
                         mo_aabb box) {
  mo_vec3 *corners = begin_part(part, mesh, top->item_count, box);
  if (corners == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  for (uint32_t i = 0; i < top->item_count; i++) {
    corners[3 * i] = corners[3 * i + 2] = top->items[i].box.lower;
    corners[3 * i + 1] = top->items[i].box.upper;
  }
  part->tree.build.leaf_capacity = 1;
  part->tree.build.quality = MO_MESH_QUALITY_DEFAULT;
  return build_part(part, corners);
}

double mo_rebuilt_top_area(const mo_rebuilt_part *part, const mo_subtree_top *top, uint32_t depth) {
  const mo_mesh *tree = &part->tree;
  double sum = 0.0;
  for (uint32_t n = 0; n < tree->node_count; n++) {
    const uint32_t below = depth + tree->planes[n].depth + 1;
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      const uint32_t child = tree->nodes[n].child[slot];
      if (!mo_child_is_leaf(child)) {
        sum += mo_aabb_half_area(mo_bounds8_get(&tree->nodes[n].bounds, (int)slot));
      } else if (child != MO_CHILD_EMPTY &&
                 (mo_count_leaf_triangles(tree, child) > 1 ||
                  below + mo_top_item_of_leaf(part, top, child)->height > tree->build.max_depth)) {
        return INFINITY;
      }
    }
  }
  return sum;
}
