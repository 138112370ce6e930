/* mo_mesh_edit, and what makes a mesh editable. */
#include "mesh/edit/edit.h"

#include <string.h>

#include "base/assert.h"
#include "base/refuse.h"
#include "mesh/edit/plan.h"

mo_mesh_edit_def mo_default_mesh_edit_def(void) {
  return (mo_mesh_edit_def){.max_rebuilt_triangles = UINT32_MAX, .cookie = MO_COOKIE};
}

/* --- which triangles use a vertex --- */

static void link_corners(mo_mesh_editing *e, uint32_t triangle) {
  for (uint32_t i = 0; i < 3; i++) {
    mo_edit_vertex *vertex = &e->vertices[e->triangles[triangle].vertex[i]];
    const uint32_t next = vertex->first_corner;
    e->triangles[triangle].next_corner[i] = next;
    e->triangles[triangle].previous_corner[i] = MO_NONE;
    if (next != MO_NONE) {
      e->triangles[next / 3].previous_corner[next % 3] = 3 * triangle + i;
    }
    vertex->first_corner = 3 * triangle + i;
  }
}

static void unlink_corners(mo_mesh_editing *e, uint32_t triangle) {
  for (uint32_t i = 0; i < 3; i++) {
    const mo_edit_triangle *unlinked = &e->triangles[triangle];
    const uint32_t next = unlinked->next_corner[i], previous = unlinked->previous_corner[i];
    if (next != MO_NONE) {
      e->triangles[next / 3].previous_corner[next % 3] = previous;
    }
    if (previous != MO_NONE) {
      e->triangles[previous / 3].next_corner[previous % 3] = next;
    } else {
      e->vertices[unlinked->vertex[i]].first_corner = next;
    }
  }
}

/* --- making a mesh editable --- */

/* The free capacity of an array of a new mesh is at least this. */
enum { MIN_SPARE_CAPACITY = 8 };

static uint32_t with_spare_capacity(uint32_t count) {
  const uint64_t all = count + (uint64_t)mo_edit_spare_capacity(count) + MIN_SPARE_CAPACITY;
  return all < MO_MAX_ITEMS ? (uint32_t)all : count;
}

static bool allocate_arrays(mo_mesh *mesh) {
  mo_mesh_editing *e = mesh->editing;
  const mo_allocator *allocator = &mesh->host.allocator;
  const uint32_t triangles = mesh->triangle_count;
  e->triangle_capacity = with_spare_capacity(triangles);
  e->vertex_capacity = with_spare_capacity(mesh->vertex_count);
  e->node_capacity = with_spare_capacity(mesh->node_count);
  e->block_capacity = with_spare_capacity(mesh->block_count);
  e->triangles = mo_allocate(allocator, e->triangle_capacity, sizeof *e->triangles);
  e->vertices = mo_allocate(allocator, e->vertex_capacity, sizeof *e->vertices);
  e->nodes = mo_allocate(allocator, e->node_capacity, sizeof *e->nodes);
  e->blocks = mo_allocate(allocator, e->block_capacity, sizeof *e->blocks);
  bool ok = e->triangles != NULL && e->vertices != NULL && e->nodes != NULL && e->blocks != NULL;
  if (mesh->build.edges) {
    e->link_capacity = e->triangle_capacity;
    e->links = mo_allocate(allocator, e->link_capacity, sizeof *e->links);
    ok = ok && e->links != NULL && mo_edit_resize_buckets(mesh, e->link_capacity) &&
         mo_array_reserve(allocator, &mesh->edges, sizeof *mesh->edges, triangles,
                          &mesh->edges_capacity, MIN_SPARE_CAPACITY) &&
         mo_array_reserve(allocator, &mesh->sheets, sizeof *mesh->sheets, triangles,
                          &mesh->sheets_capacity, MIN_SPARE_CAPACITY);
  }
  return ok && mo_edit_reserve_nodes(mesh, MIN_SPARE_CAPACITY) &&
         mo_edit_reserve_blocks(mesh, MIN_SPARE_CAPACITY);
}

static void read_vertices(mo_mesh *mesh, const mo_mesh_def *def) {
  mo_mesh_editing *e = mesh->editing;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    const char *from = (const char *)def->positions + v * def->position_stride;
    memcpy(&e->vertices[v].position, from, sizeof(mo_vec3));
    e->vertices[v].first_corner = MO_NONE;
  }
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_edit_triangle *triangle = &e->triangles[t];
    triangle->item = MO_NONE;
    for (uint32_t i = 0; i < 3; i++) {
      triangle->vertex[i] = mo_vertex_index_at(def, 3 * (size_t)t + i);
    }
    link_corners(e, t);
    if (mesh->build.edges) {
      mo_edit_add_edges(mesh, NULL, t);
    }
  }
}

/* Finds the leaves of the builder, which are runs of blocks one after another. */
static void find_leaf_runs(mo_mesh *mesh) {
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    mesh->editing->blocks[b] = (mo_edit_block){.leaf = MO_NONE};
  }
  for (uint32_t first = 0; first < mesh->block_count;) {
    mo_edit_block *run = &mesh->editing->blocks[first];
    run->length = run->capacity = mo_count_leaf_blocks(mesh, first);
    first += run->length;
  }
}

mo_result mo_mesh_make_editable(mo_mesh *mesh, const mo_mesh_def *def) {
  mo_mesh_editing *e = mo_allocate(&mesh->host.allocator, 1, sizeof *e);
  if (e == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(e, 0, sizeof *e);
  mesh->editing = e;
  mo_edit_clear_memory(e);
  e->free_triangle = MO_NONE;
  e->live_count = mesh->triangle_count;
  if (!allocate_arrays(mesh)) {
    return MO_ERROR_OUT_OF_MEMORY; /* the mesh frees the arrays allocated so far */
  }
  read_vertices(mesh, def);
  find_leaf_runs(mesh);
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      mo_edit_attach(mesh, n, slot, mesh->nodes[n].child[slot]);
    }
    mo_edit_count_node(mesh, n); /* children have higher indices than their parents */
  }
  return MO_OK;
}

void mo_editing_destroy(mo_mesh *mesh) {
  mo_mesh_editing *e = mesh->editing;
  const mo_allocator *allocator = &mesh->host.allocator;
  if (e != NULL) {
    mo_deallocate(allocator, e->triangles, e->triangle_capacity, sizeof *e->triangles);
    mo_deallocate(allocator, e->links, e->link_capacity, sizeof *e->links);
    mo_deallocate(allocator, e->buckets, e->bucket_count, sizeof *e->buckets);
    mo_deallocate(allocator, e->vertices, e->vertex_capacity, sizeof *e->vertices);
    mo_edit_free_memory(mesh);
    mo_deallocate(allocator, e, 1, sizeof *e);
    mesh->editing = NULL;
  }
}

size_t mo_editing_bytes(const mo_mesh *mesh) {
  const mo_mesh_editing *e = mesh->editing;
  return e == NULL
             ? 0
             : sizeof *e + e->triangle_capacity * sizeof *e->triangles +
                   e->link_capacity * sizeof *e->links + e->bucket_count * sizeof *e->buckets +
                   e->vertex_capacity * sizeof *e->vertices + e->node_capacity * sizeof *e->nodes +
                   e->block_capacity * sizeof *e->blocks;
}

/* --- applying an edit --- */

static void load_new_corners(const mo_mesh *mesh, const mo_edit_item *item, mo_vec3 corners[3]) {
  for (int i = 0; i < 3; i++) {
    corners[i] = mesh->editing->vertices[item->vertex[i]].position;
  }
}

/* Inserts the new versions of all triangles. False if out of memory; then the octree has only the
 * old versions. */
static bool insert_items(const mo_edit_plan *plan) {
  mo_mesh *mesh = plan->mesh;
  for (uint32_t i = 0; i < plan->count; i++) {
    mo_edit_item *item = &plan->items[i];
    if (item->is_removed) {
      continue;
    }
    mo_vec3 corners[3];
    load_new_corners(mesh, item, corners);
    if (!mo_edit_insert(mesh, MO_LANE_PENDING | i, corners, &item->place)) {
      while (i-- > 0) {
        if (!plan->items[i].is_removed) {
          mo_edit_remove(mesh, plan->items[i].place);
        }
      }
      mo_edit_tighten(mesh);
      return false;
    }
  }
  return true;
}

static void count_degenerate(mo_mesh *mesh, uint32_t triangle, uint32_t add) {
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  mesh->degenerate_count += mo_triangle_is_degenerate(corners) ? add : 0;
}

/* Removes the old versions of the triangles that exist already. */
static void remove_old_versions(const mo_edit_plan *plan, mo_edit_changed_edges *changed_edges) {
  mo_mesh *mesh = plan->mesh;
  mo_mesh_editing *e = mesh->editing;
  for (uint32_t i = 0; i < plan->count - plan->added_count; i++) {
    const uint32_t triangle = plan->items[i].triangle;
    count_degenerate(mesh, triangle, UINT32_MAX);
    unlink_corners(e, triangle);
    if (mesh->build.edges) {
      mo_edit_remove_edges(mesh, changed_edges, triangle);
    }
    mo_edit_remove(mesh, mesh->triangle_places[triangle]);
    e->triangles[triangle].item = MO_NONE;
    if (plan->items[i].is_removed) {
      mesh->triangle_places[triangle] = MO_NONE;
      e->triangles[triangle].vertex[0] = e->free_triangle;
      e->free_triangle = triangle;
      e->live_count--;
    }
  }
}

/* The number of a new triangle. */
static uint32_t allocate_triangle(mo_mesh *mesh) {
  mo_mesh_editing *e = mesh->editing;
  uint32_t triangle = e->free_triangle;
  if (triangle != MO_NONE) {
    e->free_triangle = e->triangles[triangle].vertex[0];
  } else {
    triangle = mesh->triangle_count++;
    MO_ASSERT(triangle < mesh->triangle_capacity && triangle < e->triangle_capacity);
  }
  e->live_count++;
  e->triangles[triangle].item = MO_NONE;
  if (mesh->user_data != NULL) {
    mesh->user_data[triangle] = 0;
  }
  return triangle;
}

/* Makes the inserted versions those of the triangles. */
static void switch_to_new_versions(const mo_edit_plan *plan, mo_edit_changed_edges *changed_edges) {
  mo_mesh *mesh = plan->mesh;
  mo_mesh_editing *e = mesh->editing;
  for (uint32_t i = 0; i < plan->count; i++) {
    mo_edit_item *item = &plan->items[i];
    if (item->is_removed) {
      continue;
    }
    if (item->triangle == MO_NONE) {
      item->triangle = allocate_triangle(mesh);
    }
    const uint32_t triangle = item->triangle;
    mesh->triangle_places[triangle] = item->place;
    mo_edit_set_id(mesh, item->place, triangle);
    memcpy(e->triangles[triangle].vertex, item->vertex, sizeof item->vertex);
    link_corners(e, triangle);
    count_degenerate(mesh, triangle, 1);
    if (mesh->build.edges) {
      mo_edit_add_edges(mesh, changed_edges, triangle);
    }
  }
}

static void write_user_data(const mo_edit_plan *plan) {
  const mo_mesh_edit_def *def = plan->def;
  uint32_t *user_data = plan->mesh->user_data;
  for (uint32_t i = 0; def->replaced_user_data != NULL && i < def->replaced_triangle_count; i++) {
    user_data[def->replaced_triangles[i]] = def->replaced_user_data[i];
  }
  for (uint32_t i = 0; i < def->added_triangle_count; i++) {
    const uint32_t triangle = plan->items[plan->count - plan->added_count + i].triangle;
    if (def->added_user_data != NULL) {
      user_data[triangle] = def->added_user_data[i];
    }
    if (def->added_triangles != NULL) {
      def->added_triangles[i] = triangle;
    }
  }
}

/* Applies a plan for which memory has been reserved, but for the octree. */
static mo_result apply(mo_edit_plan *plan) {
  mo_mesh *mesh = plan->mesh;
  mo_mesh_editing *e = mesh->editing;
  mo_edit_plan_write_positions(plan);
  e->items = plan->items;
  mo_edit_changed_edges changed_edges;
  const bool ok =
      mo_edit_changed_edges_begin(&changed_edges, mesh, plan->count) && insert_items(plan);
  if (ok) {
    mesh->vertex_count += plan->def->added_vertex_count;
    remove_old_versions(plan, &changed_edges);
    switch_to_new_versions(plan, &changed_edges);
    write_user_data(plan);
    mo_edit_tighten(mesh);
    mo_mesh_set_bounds(mesh, mo_bounds8_union(&mesh->nodes[0].bounds));
    if (mesh->build.edges) {
      mo_edit_update_surface(mesh, &changed_edges, plan->items);
    }
    mo_edit_maintain(mesh, plan->def->max_rebuilt_triangles);
  } else {
    mo_edit_plan_restore_positions(plan);
  }
  mo_edit_changed_edges_end(&changed_edges, mesh);
  e->items = NULL;
  return ok ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}

mo_result mo_mesh_edit(mo_mesh *mesh, const mo_mesh_edit_def *def) {
  if (mesh == NULL || def == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "def");
  }
  mo_edit_plan plan = {.mesh = mesh, .def = def, .bad = MO_NO_INDEX};
  mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_mesh_edit_def");
  if (result != MO_OK) {
    return result; /* `def` is not valid, so its `first_bad` must not be written */
  }
  result = mo_edit_plan_make(&plan, &refusal);
  if (result == MO_OK) {
    result = apply(&plan);
  }
  mo_edit_plan_free(&plan);
  if (result != MO_OK) {
    mo_set_first_bad(def->first_bad, plan.bad);
  }
  return result;
}
