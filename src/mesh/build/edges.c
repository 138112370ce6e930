/* Classifies how the surface of a mesh continues across the edges of its triangles, and finds its
 * sheets: parts connected by edges of exactly two triangles. Neighbours are found by sorting all
 * edges by a hash of their ends. */
#include <string.h>

#include "base/assert.h"
#include "base/key_sort.h"
#include "geometry/triangle/orient.h"
#include "mesh/build/build.h"
#include "mesh/build/edges.h"
#include "mesh/closed.h"

static mo_edge_corners load_edge(const mo_vec3 *corners, uint32_t edge) {
  const mo_vec3 *c = &corners[edge - edge % 3];
  return (mo_edge_corners){c[edge % 3], c[(edge + 1) % 3], c[(edge + 2) % 3], edge};
}

uint32_t mo_edge_hash(mo_vec3 a, mo_vec3 b) {
  uint64_t hash = (mo_position_hash(a) + mo_position_hash(b)) * UINT64_C(0xd6e8feb86659fd93);
  return (uint32_t)(hash >> 32);
}

/* The sort key of an edge: a hash of its ends in the upper bits, and its number in the lower
 * bits. */
static uint64_t edge_key(const mo_vec3 *corners, uint32_t edge) {
  const mo_edge_corners view = load_edge(corners, edge);
  return (uint64_t)mo_edge_hash(view.a, view.b) << 32 | edge;
}

/* Whether an edge has two positions as its ends, in any order. */
static bool has_ends(const mo_edge_corners *edge, mo_vec3 a, mo_vec3 b) {
  return (mo_is_same(edge->a, a) && mo_is_same(edge->b, b)) ||
         (mo_is_same(edge->a, b) && mo_is_same(edge->b, a));
}

/* Whether a point in the plane of a triangle lies beyond an edge: on the side of the edge's line
 * opposite to the triangle's third corner. False for degenerate triangles. */
static bool is_beyond_edge(const mo_edge_corners *edge, mo_vec3 point) {
  for (int axis = 0; axis < 3; axis++) {
    /* Tries the plane that contains the edge and is parallel to this axis. It separates both sides
     * of the edge, unless it is the triangle's own plane or the edge is parallel to the axis: then
     * `own` is 0. */
    mo_vec3 aside = edge->a;
    float *moved = axis == 0 ? &aside.x : axis == 1 ? &aside.y : &aside.z;
    *moved = *moved < 0.0f ? 1.0f : -1.0f;
    double own = mo_orientation((mo_vec3[]){edge->a, edge->b, aside, edge->opposite}, 1.0);
    if (own != 0.0) {
      double other = mo_orientation((mo_vec3[]){edge->a, edge->b, aside, point}, 1.0);
      return own < 0.0 ? other > 0.0 : other < 0.0;
    }
  }
  return false;
}

/* Classifies an edge by one neighbour, given its corner that is not on the edge: the bits of
 * mo_mesh_edge (ridge from the front, ridge from behind) that are set if it is the only one. */
static uint32_t possible_ridges(const mo_edge_corners *edge, mo_vec3 neighbor) {
  mo_vec3 corners[4] = {edge->a, edge->b, edge->opposite, neighbor};
  double side = mo_orientation(corners, 1.0);
  if (side != 0.0) {
    return side < 0.0 ? MO_MESH_EDGE_CONVEX : MO_MESH_EDGE_CONCAVE;
  }
  return is_beyond_edge(edge, neighbor) ? MO_MESH_EDGE_FLAT : MO_MESH_EDGE_OPEN;
}

uint32_t mo_sheets_find(uint32_t *sheets, uint32_t triangle) {
  uint32_t flips = 0, root = triangle;
  while (sheets[root] >> 1 != root) {
    flips ^= sheets[root] & 1;
    root = sheets[root] >> 1;
  }
  for (uint32_t next = triangle, left = flips; next != root;) {
    const uint32_t stored = sheets[next];
    sheets[next] = root << 1 | left;
    left ^= stored & 1;
    next = stored >> 1;
  }
  return root << 1 | flips;
}

bool mo_sheets_unite(uint32_t *sheets, uint32_t a, uint32_t b, bool same_way) {
  const uint32_t of_a = mo_sheets_find(sheets, a), of_b = mo_sheets_find(sheets, b);
  const uint32_t low = of_a < of_b ? of_a : of_b, high = of_a < of_b ? of_b : of_a;
  const uint32_t flip = (low ^ high ^ (uint32_t)same_way) & 1;
  if (low >> 1 != high >> 1) {
    sheets[high >> 1] = (low & ~1u) | flip;
    return true;
  }
  return flip == 0;
}

uint32_t mo_classify_edge(const mo_edge_corners *group, uint32_t count, uint32_t index,
                          uint32_t *neighbor) {
  uint32_t ridges = MO_MESH_EDGE_OPEN, neighbors = 0, found = MO_NONE;
  for (uint32_t k = 0; k < count && count <= MO_MAX_EDGES_WITH_ONE_HASH; k++) {
    if (k != index && has_ends(&group[index], group[k].a, group[k].b)) {
      ridges &= possible_ridges(&group[index], group[k].opposite);
      found = k;
      neighbors++;
    }
  }
  *neighbor = neighbors == 1 ? found : MO_NONE;
  return ridges;
}

/* Classifies edges that have the same hash. `neighbor`, by edge, receives the only other edge with
 * the same ends, or MO_NONE. */
static void classify_edges(mo_mesh *mesh, const mo_vec3 *corners, const uint64_t *keys,
                           uint32_t count, uint32_t *neighbor) {
  mo_edge_corners group[MO_MAX_EDGES_WITH_ONE_HASH];
  for (uint32_t i = 0; i < count && count <= MO_MAX_EDGES_WITH_ONE_HASH; i++) {
    group[i] = load_edge(corners, (uint32_t)keys[i]);
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t number = (uint32_t)keys[i];
    uint32_t other;
    const uint32_t ridges = mo_classify_edge(group, count, i, &other);
    mesh->edges[number / 3] &= (uint8_t) ~((MO_MESH_EDGE_OPEN & ~ridges) << 2 * (number % 3));
    neighbor[number] = other != MO_NONE ? group[other].number : MO_NONE;
  }
}

/* Finds the sheets: unites those of triangles that are the only two at an edge, in the order of the
 * edges. */
static void find_sheets(mo_mesh *mesh, const mo_vec3 *corners, const uint32_t *neighbor) {
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mesh->sheets[i] = i << 1;
  }
  for (uint32_t edge = 0; edge < 3 * mesh->triangle_count; edge++) {
    const uint32_t other = neighbor[edge];
    if (other != MO_NONE && other > edge) {
      const bool same_way = mo_is_same(load_edge(corners, edge).a, load_edge(corners, other).a);
      mesh->has_one_sided_sheet |= !mo_sheets_unite(mesh->sheets, edge / 3, other / 3, same_way);
    }
  }
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mesh->sheets[i] = mo_sheets_find(mesh->sheets, i);
    MO_ASSERT(mesh->sheets[i] >> 1 <= i);
    MO_ASSERT(mesh->sheets[mesh->sheets[i] >> 1] == mesh->sheets[i] >> 1 << 1);
  }
}

/* Adds up, by sheet, six times the volume below each triangle, as seen from the sheet's front.
 * Returns false if a sheet has a border: an edge that is not one of exactly two triangles. */
static bool find_volumes_of_sheets(const mo_mesh *mesh, const mo_vec3 *corners,
                                   const uint32_t *neighbor, double *volume) {
  const mo_dvec3 origin = mesh->triangle_count > 0 ? mo_widen(corners[0]) : mo_dvec(0.0, 0.0, 0.0);
  bool is_closed = true;
  memset(volume, 0, mesh->triangle_count * sizeof *volume);
  for (uint32_t i = 0; i < mesh->triangle_count && is_closed; i++) {
    mo_dvec3 c[3];
    for (int k = 0; k < 3; k++) {
      c[k] = mo_dsub(mo_widen(corners[3 * i + (uint32_t)k]), origin);
      is_closed = is_closed && neighbor[3 * i + (uint32_t)k] != MO_NONE;
    }
    const double below = mo_ddot(c[0], mo_dcross(c[1], c[2]));
    volume[mesh->sheets[i] >> 1] += (mesh->sheets[i] & 1) != 0 ? -below : below;
  }
  return is_closed;
}

/* The value of mo_mesh::outer_side. `volume` is memory for a number per triangle. */
static int8_t find_outer_side(const mo_mesh *mesh, const mo_vec3 *corners, const uint32_t *neighbor,
                              double *volume) {
  bool outward = !mesh->has_one_sided_sheet && !mesh->build.editable &&
                 find_volumes_of_sheets(mesh, corners, neighbor, volume),
       inward = outward;
  for (uint32_t i = 0; i < mesh->triangle_count && (outward || inward); i++) {
    if (mesh->sheets[i] >> 1 == i) {
      outward = outward && volume[i] > 0.0;
      inward = inward && volume[i] < 0.0;
    }
  }
  return outward == inward ? 0 : outward ? 1 : -1;
}

mo_result mo_mesh_find_edges(mo_mesh *mesh, const mo_vec3 *corners) {
  const mo_allocator *allocator = &mesh->host.allocator;
  const uint32_t triangles = mesh->triangle_count;
  const uint32_t count = 3 * triangles; /* no overflow: at most MO_MAX_TRIANGLES */
  uint64_t *keys = mo_allocate(allocator, 2 * (size_t)count, sizeof *keys);
  mesh->edges = mo_allocate(allocator, triangles, sizeof *mesh->edges);
  mesh->sheets = mo_allocate(allocator, triangles, sizeof *mesh->sheets);
  mesh->edges_capacity = mesh->edges != NULL ? triangles : 0;
  mesh->sheets_capacity = mesh->sheets != NULL ? triangles : 0;
  const bool complete = keys != NULL && mesh->edges != NULL && mesh->sheets != NULL;
  if (complete) {
    for (uint32_t i = 0; i < count; i++) {
      keys[i] = edge_key(corners, i);
    }
    mo_keys_sort_in_tasks(&mesh->host, keys, keys + count, count, 32);
    uint32_t *neighbor = (uint32_t *)(keys + count); /* the sort has finished with this memory */
    memset(mesh->edges, MO_MESH_EDGE_OPEN * 0x15, triangles);
    for (uint32_t first = 0, next; first < count; first = next) {
      next = first + 1;
      while (next < count && keys[next] >> 32 == keys[first] >> 32) {
        next++;
      }
      classify_edges(mesh, corners, &keys[first], next - first, neighbor);
    }
    find_sheets(mesh, corners, neighbor);
    mesh->outer_side = find_outer_side(mesh, corners, neighbor, (double *)keys);
  }
  mo_deallocate(allocator, keys, 2 * (size_t)count, sizeof *keys);
  return complete ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}
