/* Classifies how the surface of a mesh continues across the edges of its triangles, and finds its
 * sheets: parts connected by edges of exactly two triangles. Neighbours are found by sorting all
 * edges by a hash of their ends. */
#include <string.h>

#include "base/assert.h"
#include "base/key_sort.h"
#include "geometry/triangle/orient.h"
#include "mesh/build/build.h"
#include "mesh/position_hash.h"

/* If more edges than this have the same hash, all of them count as open, as comparing them takes
 * quadratic time. Usually they are one edge that many triangles share. */
enum { MAX_EDGES_WITH_ONE_HASH = 64 };

/* An edge, and the corner of its triangle opposite to it. Edges are numbered by triangle, three
 * each. */
typedef struct edge_corners {
  mo_vec3 a, b, opposite;
} edge_corners;

static edge_corners load_edge(const mo_vec3 *corners, uint32_t edge) {
  const mo_vec3 *c = &corners[edge - edge % 3];
  return (edge_corners){c[edge % 3], c[(edge + 1) % 3], c[(edge + 2) % 3]};
}

/* The sort key of an edge: a hash of its ends, independent of their order, in the upper bits, and
 * its number in the lower bits. */
static uint64_t edge_key(const mo_vec3 *corners, uint32_t edge) {
  edge_corners view = load_edge(corners, edge);
  uint64_t hash =
      (mo_position_hash(view.a) + mo_position_hash(view.b)) * UINT64_C(0xd6e8feb86659fd93);
  return (hash & ~UINT64_C(0xffffffff)) | edge;
}

static bool same_position(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_ends(const edge_corners *e, const edge_corners *f) {
  return (same_position(e->a, f->a) && same_position(e->b, f->b)) ||
         (same_position(e->a, f->b) && same_position(e->b, f->a));
}

/* Whether a point in the plane of a triangle lies beyond an edge: on the side of the edge's line
 * opposite to the triangle's third corner. False for degenerate triangles. */
static bool is_beyond_edge(const edge_corners *edge, mo_vec3 point) {
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
static uint32_t possible_ridges(const edge_corners *edge, mo_vec3 neighbor) {
  mo_vec3 corners[4] = {edge->a, edge->b, edge->opposite, neighbor};
  double side = mo_orientation(corners, 1.0);
  if (side != 0.0) {
    return side < 0.0 ? MO_MESH_EDGE_CONVEX : MO_MESH_EDGE_CONCAVE;
  }
  return is_beyond_edge(edge, neighbor) ? MO_MESH_EDGE_FLAT : MO_MESH_EDGE_OPEN;
}

/* The sheet of a triangle while sheets are being united: the root of its tree, with the bit that
 * says whether the triangle faces the other way than the root does. Compresses the path to the root
 * (union-find; Tarjan 1975). */
static uint32_t find_sheet(uint32_t *sheets, uint32_t triangle) {
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

/* Unites the sheets of the only two triangles at an edge. `same_way`: both run along the edge in
 * the same direction, so they face opposite ways. The root of a sheet is its lowest triangle. */
static void unite_sheets(uint32_t *sheets, uint32_t a, uint32_t b, bool same_way) {
  const uint32_t of_a = find_sheet(sheets, a), of_b = find_sheet(sheets, b);
  const uint32_t low = of_a < of_b ? of_a : of_b, high = of_a < of_b ? of_b : of_a;
  if (low >> 1 != high >> 1) {
    sheets[high >> 1] = (low & ~1u) | ((low ^ high ^ (uint32_t)same_way) & 1);
  }
}

/* Classifies edges that have the same hash, and unites the sheets that they connect. */
static void classify_edges(mo_mesh *mesh, const mo_vec3 *corners, const uint64_t *keys,
                           uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t number = (uint32_t)keys[i], neighbor = 0, neighbors = 0;
    edge_corners edge = load_edge(corners, number);
    uint32_t ridges = MO_MESH_EDGE_OPEN;
    for (uint32_t k = 0; k < count; k++) {
      edge_corners other = load_edge(corners, (uint32_t)keys[k]);
      if (k != i && same_ends(&edge, &other)) {
        ridges &= possible_ridges(&edge, other.opposite);
        neighbor = (uint32_t)keys[k];
        neighbors++;
      }
    }
    mesh->edges[number / 3] &= (uint8_t) ~((MO_MESH_EDGE_OPEN & ~ridges) << 2 * (number % 3));
    if (neighbors == 1 && neighbor > number) {
      const mo_vec3 begin = load_edge(corners, neighbor).a;
      unite_sheets(mesh->sheets, number / 3, neighbor / 3, same_position(edge.a, begin));
    }
  }
}

mo_result mo_mesh_find_edges(mo_mesh *mesh, const mo_vec3 *corners) {
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t count = 3 * mesh->triangle_count; /* no overflow: at most MO_MAX_TRIANGLES */
  uint64_t *keys = mo_allocate(allocator, 2 * (size_t)count, sizeof *keys);
  mesh->edges = mo_allocate(allocator, mesh->triangle_count, sizeof *mesh->edges);
  mesh->sheets = mo_allocate(allocator, mesh->triangle_count, sizeof *mesh->sheets);
  bool sorted = false;
  if (keys != NULL && mesh->edges != NULL && mesh->sheets != NULL) {
    for (uint32_t i = 0; i < count; i++) {
      keys[i] = edge_key(corners, i);
    }
    sorted = mo_keys_sort_stably(&mesh->host, keys, keys + count, count, 32);
  }
  if (sorted) {
    memset(mesh->edges, MO_MESH_EDGE_OPEN * 0x15, mesh->triangle_count);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
      mesh->sheets[i] = i << 1;
    }
    for (uint32_t first = 0, next; first < count; first = next) {
      next = first + 1;
      while (next < count && keys[next] >> 32 == keys[first] >> 32) {
        next++;
      }
      if (next - first <= MAX_EDGES_WITH_ONE_HASH) {
        classify_edges(mesh, corners, &keys[first], next - first);
      }
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
      mesh->sheets[i] = find_sheet(mesh->sheets, i);
      MO_ASSERT(mesh->sheets[i] >> 1 <= i);
      MO_ASSERT(mesh->sheets[mesh->sheets[i] >> 1] == mesh->sheets[i] >> 1 << 1);
    }
  }
  mo_deallocate(allocator, keys, 2 * (size_t)count, sizeof *keys);
  return sorted ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}
