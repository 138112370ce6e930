/* Memory of editable meshes: the arrays by triangle, vertex, node and block, free nodes and free
 * runs of blocks. */
#include "mesh/edit/edit.h"

#include <string.h>

#include "base/assert.h"

bool mo_edit_reserve_nodes(mo_mesh *mesh, uint32_t count) {
  mo_mesh_editing *e = mesh->editing;
  const mo_allocator *allocator = &mesh->host.allocator;
  const uint32_t used = mesh->node_count;
  const uint32_t extra = count > e->free_node_count ? count - e->free_node_count : 0;
  return mo_array_reserve(allocator, &mesh->nodes, sizeof *mesh->nodes, used, &mesh->node_capacity,
                          extra) &&
         mo_array_reserve(allocator, &mesh->planes, sizeof *mesh->planes, used,
                          &mesh->planes_capacity, extra) &&
         mo_array_reserve(allocator, &e->nodes, sizeof *e->nodes, used, &e->node_capacity, extra);
}

bool mo_edit_reserve_blocks(mo_mesh *mesh, uint32_t count) {
  mo_mesh_editing *e = mesh->editing;
  const mo_allocator *allocator = &mesh->host.allocator;
  return mo_array_reserve(allocator, &mesh->blocks, sizeof *mesh->blocks, mesh->block_count,
                          &mesh->block_capacity, count) &&
         mo_array_reserve(allocator, &e->blocks, sizeof *e->blocks, mesh->block_count,
                          &e->block_capacity, count);
}

bool mo_edit_reserve_triangles(mo_mesh *mesh, uint32_t triangles, uint32_t vertices) {
  mo_mesh_editing *e = mesh->editing;
  const mo_allocator *allocator = &mesh->host.allocator;
  const uint32_t count = mesh->triangle_count;
  bool ok = mo_array_reserve(allocator, &e->triangles, sizeof *e->triangles, count,
                             &e->triangle_capacity, triangles) &&
            mo_array_reserve(allocator, &e->vertices, sizeof *e->vertices, mesh->vertex_count,
                             &e->vertex_capacity, vertices);
  if (ok && mesh->build.edges) {
    ok = mo_array_reserve(allocator, &mesh->edges, sizeof *mesh->edges, count,
                          &mesh->edges_capacity, triangles) &&
         mo_array_reserve(allocator, &mesh->sheets, sizeof *mesh->sheets, count,
                          &mesh->sheets_capacity, triangles) &&
         mo_array_reserve(allocator, &e->links, sizeof *e->links, count, &e->link_capacity,
                          triangles) &&
         mo_edit_resize_buckets(mesh, e->link_capacity);
  }
  return ok;
}

uint32_t mo_edit_allocate_node(mo_mesh *mesh) {
  mo_mesh_editing *e = mesh->editing;
  uint32_t node = e->free_node;
  if (node != MO_NONE) {
    e->free_node = e->nodes[node].count;
    e->free_node_count--;
    return node;
  }
  MO_ASSERT(mesh->node_count < mesh->node_capacity && mesh->node_count < e->node_capacity);
  return mesh->node_count++;
}

/* A free node has no parent and no children. */
void mo_edit_free_node(mo_mesh *mesh, uint32_t node) {
  mo_mesh_editing *e = mesh->editing;
  MO_ASSERT(node != 0);
  mo_mesh_node_clear(&mesh->nodes[node]);
  mesh->planes[node] = (mo_mesh_planes){.parent = MO_NONE};
  e->nodes[node] = (mo_edit_node){.count = e->free_node};
  e->free_node = node;
  e->free_node_count++;
}

/* A run of blocks from a free list, or from the end of the array. */
static uint32_t find_run(mo_mesh *mesh, uint32_t capacity) {
  mo_mesh_editing *e = mesh->editing;
  if (capacity <= MO_MAX_FREE_RUN && e->free_runs[capacity] != MO_NONE) {
    const uint32_t run = e->free_runs[capacity];
    e->free_runs[capacity] = mesh->blocks[run].id[0];
    e->free_block_count -= capacity;
    return run;
  }
  const uint32_t run = mesh->block_count;
  mesh->block_count += capacity;
  MO_ASSERT(mesh->block_count <= mesh->block_capacity && mesh->block_count <= e->block_capacity);
  return run;
}

uint32_t mo_edit_allocate_run(mo_mesh *mesh, uint32_t length, uint32_t capacity) {
  mo_mesh_editing *e = mesh->editing;
  MO_ASSERT(length > 0 && length <= capacity);
  const uint32_t run = find_run(mesh, capacity);
  for (uint32_t b = run; b < run + capacity; b++) {
    e->blocks[b] = (mo_edit_block){.leaf = MO_NONE};
  }
  e->blocks[run].length = length;
  e->blocks[run].capacity = capacity;
  e->free_block_count += capacity - length;
  return run;
}

/* Puts blocks into the free lists. */
static void list_free_blocks(mo_mesh *mesh, uint32_t first, uint32_t count) {
  mo_mesh_editing *e = mesh->editing;
  while (count > 0) {
    const uint32_t part = count < MO_MAX_FREE_RUN ? count : MO_MAX_FREE_RUN;
    for (uint32_t b = first; b < first + part; b++) {
      e->blocks[b] = (mo_edit_block){.leaf = MO_NONE};
    }
    mesh->blocks[first].id[0] = e->free_runs[part];
    e->free_runs[part] = first;
    first += part;
    count -= part;
  }
}

void mo_edit_free_run(mo_mesh *mesh, uint32_t first) {
  const mo_edit_block run = mesh->editing->blocks[first];
  mesh->editing->free_block_count += run.length;
  list_free_blocks(mesh, first, run.capacity);
}

void mo_edit_extend_run(mo_mesh *mesh, uint32_t first) {
  mo_edit_block *run = &mesh->editing->blocks[first];
  const uint32_t last = first + run->length;
  MO_ASSERT(run->length < run->capacity);
  mesh->blocks[last - 1].id[0] &= ~MO_LANE_LAST_BLOCK;
  mo_block_clear(&mesh->blocks[last]);
  mesh->blocks[last].id[0] |= MO_LANE_LAST_BLOCK;
  mesh->editing->blocks[last].leaf = run->leaf;
  mesh->editing->free_block_count--;
  run->length++;
}

void mo_edit_shorten_run(mo_mesh *mesh, uint32_t first) {
  mo_edit_block *run = &mesh->editing->blocks[first];
  MO_ASSERT(run->length > 1);
  run->length--;
  mesh->blocks[first + run->length - 1].id[0] |= MO_LANE_LAST_BLOCK;
  mesh->editing->blocks[first + run->length].leaf = MO_NONE;
  mesh->editing->free_block_count++;
  if (run->length <= MO_MAX_EXACT_RUN || run->capacity > 2 * run->length) {
    list_free_blocks(mesh, first + run->length, run->capacity - run->length);
    run->capacity = run->length;
  }
}

void mo_edit_clear_memory(mo_mesh_editing *e) {
  e->nodes = NULL;
  e->blocks = NULL;
  e->node_capacity = e->block_capacity = 0;
  e->free_node = MO_NONE;
  e->free_node_count = e->free_block_count = 0;
  memset(e->free_runs, 0xff, sizeof e->free_runs);
}

void mo_edit_free_memory(const mo_mesh *mesh) {
  const mo_mesh_editing *e = mesh->editing;
  mo_deallocate(&mesh->host.allocator, e->nodes, e->node_capacity, sizeof *e->nodes);
  mo_deallocate(&mesh->host.allocator, e->blocks, e->block_capacity, sizeof *e->blocks);
}
