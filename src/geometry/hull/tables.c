/* Tables of small hulls for the search for separating axes: face planes in groups of eight, edges,
 * and the edges of each face. */
#include <string.h>

#include "geometry/hull/hull.h"

static bool fits_in_tables(const mo_hull *hull) {
  return hull->vertex_count <= MO_HULL_TABLE_MAX_VERTICES &&
         hull->face_count <= MO_HULL_TABLE_MAX_FACES &&
         hull->half_edge_count <= 2 * MO_HULL_TABLE_MAX_EDGES;
}

static void set_planes(mo_hull *hull) {
  float *x = hull->planes, *y = x + hull->plane_capacity, *z = y + hull->plane_capacity;
  float *height = z + hull->plane_capacity;
  for (uint32_t i = 0; i < hull->plane_capacity; i++) {
    const bool exists = i < hull->face_count;
    const mo_dvec3 normal = exists ? hull->faces[i].normal : mo_dvec(0.0, 0.0, 0.0);
    x[i] = (float)normal.x;
    y[i] = (float)normal.y;
    z[i] = (float)normal.z;
    height[i] = exists ? (float)hull->faces[i].height : INFINITY;
  }
}

static void set_edges(mo_hull *hull) {
  uint32_t count = 0;
  memset(hull->face_edges, 0, hull->face_count * sizeof *hull->face_edges);
  for (uint32_t i = 0; i < hull->half_edge_count; i++) {
    const mo_hull_half_edge *half = &hull->half_edges[i], *twin = &hull->half_edges[half->twin];
    if (i < half->twin) {
      hull->edges[count] = (mo_hull_table_edge){
          (uint8_t)half->vertex, (uint8_t)twin->vertex, {(uint8_t)half->face, (uint8_t)twin->face}};
      hull->face_edges[half->face].bits[count / 64] |= (uint64_t)1 << count % 64;
      hull->face_edges[twin->face].bits[count / 64] |= (uint64_t)1 << count % 64;
      count++;
    }
  }
}

bool mo_hull_make_tables(mo_hull *hull) {
  const mo_allocator *allocator = &hull->host.allocator;
  if (!fits_in_tables(hull)) {
    return true;
  }
  hull->plane_capacity = (hull->face_count + 7) & ~(uint32_t)7;
  hull->planes = mo_allocate(allocator, 4 * (size_t)hull->plane_capacity, sizeof *hull->planes);
  hull->edges = mo_allocate(allocator, hull->half_edge_count / 2, sizeof *hull->edges);
  hull->face_edges = mo_allocate(allocator, hull->face_count, sizeof *hull->face_edges);
  if (hull->planes == NULL || hull->edges == NULL || hull->face_edges == NULL) {
    return false;
  }
  set_planes(hull);
  set_edges(hull);
  return true;
}

void mo_hull_release_tables(mo_hull *hull) {
  const mo_allocator *allocator = &hull->host.allocator;
  mo_deallocate(allocator, hull->planes, 4 * (size_t)hull->plane_capacity, sizeof *hull->planes);
  mo_deallocate(allocator, hull->edges, hull->half_edge_count / 2, sizeof *hull->edges);
  mo_deallocate(allocator, hull->face_edges, hull->face_count, sizeof *hull->face_edges);
}

size_t mo_hull_table_bytes(const mo_hull *hull) {
  return hull->planes == NULL ? 0
                              : 4 * (size_t)hull->plane_capacity * sizeof *hull->planes +
                                    hull->half_edge_count / 2 * sizeof *hull->edges +
                                    hull->face_count * sizeof *hull->face_edges;
}
