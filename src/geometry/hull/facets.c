/* From triangles to faces: merges coplanar triangles, removes vertices on edges and in faces, and
 * numbers the rest by rules that depend on the polytope alone. */
#include <string.h>

#include "base/assert.h"
#include "base/key_sort.h"
#include "geometry/hull/build.h"

/* The work arrays of the merging of triangles to facets, in two allocations. */
typedef struct facet_merger {
  const mo_hull_builder *builder;
  uint32_t *facets;  /* [triangle]: its facet */
  uint32_t *queue;   /* triangles to visit; later a scratch array */
  uint32_t *degree;  /* [point]: its number of edges between facets; later its vertex, or MO_NONE */
  uint32_t *edge_of; /* [triangles' half-edge]: the hull's half-edge that begins there */
  uint32_t
      *loops; /* the triangles' half-edges at which the hull's half-edges begin, face by face */
  uint32_t *last_half_edge; /* [entry of `loops`]: the triangles' half-edge in which the
                               hull's half-edge ends */
  uint32_t *starts;         /* [facet]: its first entry in `loops` */
  uint64_t *keys, *scratch; /* sort keys, and the scratch array of the sort */
  uint32_t half_edge_count; /* number of triangles' half-edges, removed ones too */
  uint32_t key_count;       /* capacity of `keys` */
  uint32_t facet_count;
  uint32_t hull_edge_count; /* number of half-edges of the hull */
  uint32_t vertex_count;
} facet_merger;

static size_t index_count(const facet_merger *o) {
  const mo_hull_builder *b = o->builder;
  return 2 * (size_t)b->triangle_count + 1 + 4 * (size_t)o->half_edge_count + b->point_count;
}

static bool allocate(facet_merger *o, const mo_hull_builder *b) {
  o->builder = b;
  o->half_edge_count = 3 * b->triangle_count;
  o->key_count = o->half_edge_count > b->point_count ? o->half_edge_count : b->point_count;
  o->facets = mo_allocate(b->allocator, index_count(o), sizeof *o->facets);
  o->keys = mo_allocate(b->allocator, 2 * (size_t)o->key_count, sizeof *o->keys);
  if (o->facets == NULL || o->keys == NULL) {
    return false;
  }
  o->starts = o->facets + b->triangle_count;
  o->queue = o->starts + b->triangle_count + 1;
  o->edge_of = o->queue + o->half_edge_count;
  o->loops = o->edge_of + o->half_edge_count;
  o->last_half_edge = o->loops + o->half_edge_count;
  o->degree = o->last_half_edge + o->half_edge_count;
  o->scratch = o->keys + o->key_count;
  return true;
}

static void release(facet_merger *o) {
  const mo_allocator *allocator = o->builder->allocator;
  mo_deallocate(allocator, o->facets, index_count(o), sizeof *o->facets);
  mo_deallocate(allocator, o->keys, 2 * (size_t)o->key_count, sizeof *o->keys);
}

/* Whether the triangles on both sides of a half-edge lie in one plane. */
static bool is_coplanar(const mo_hull_builder *b, uint32_t half_edge) {
  uint32_t twin = mo_half_edge_twin(b, half_edge);
  uint32_t opposite = mo_half_edge_origin(b, mo_half_edge_next(mo_half_edge_next(twin)));
  return mo_triangle_side(b, &b->triangles[half_edge / 3], opposite) == 0.0;
}

static void find_facets(facet_merger *o) {
  const mo_hull_builder *b = o->builder;
  memset(o->facets, 0xff, b->triangle_count * sizeof *o->facets);
  for (uint32_t i = 0; i < b->triangle_count; i++) {
    if (b->triangles[i].mark == MO_HULL_REMOVED || o->facets[i] != MO_NONE) {
      continue;
    }
    uint32_t facet = o->facet_count++;
    uint32_t queued = 0;
    o->facets[i] = facet;
    o->queue[queued++] = i;
    while (queued > 0) {
      uint32_t triangle = o->queue[--queued];
      for (uint32_t half_edge = 3 * triangle; half_edge < 3 * triangle + 3; half_edge++) {
        uint32_t neighbor = mo_half_edge_twin(b, half_edge) / 3;
        if (o->facets[neighbor] == MO_NONE && is_coplanar(b, half_edge)) {
          o->facets[neighbor] = facet;
          o->queue[queued++] = neighbor;
        }
      }
    }
  }
}

static bool is_boundary(const facet_merger *o, uint32_t half_edge) {
  return o->facets[half_edge / 3] != o->facets[mo_half_edge_twin(o->builder, half_edge) / 3];
}

/* Sorts points by one coordinate, stably: points with equal coordinates keep their order in `keys`,
 * whose lower halves are point indices. */
static void sort_points_by(facet_merger *o, uint32_t count, int axis) {
  uint32_t *points = o->queue;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t point = points[i] = (uint32_t)o->keys[i];
    float x = mo_get(o->builder->points[point], axis);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000u;
    o->keys[i] = (uint64_t)bits << 32 | i;
  }
  mo_keys_sort(o->keys, o->scratch, count);
  for (uint32_t i = 0; i < count; i++) {
    o->keys[i] = points[(uint32_t)o->keys[i]];
  }
}

/* Numbers the vertices, the points where at least three facets meet. The numbers replace the
 * degrees. */
static void number_vertices(facet_merger *o) {
  const mo_hull_builder *b = o->builder;
  memset(o->degree, 0, b->point_count * sizeof *o->degree);
  for (uint32_t h = 0; h < o->half_edge_count; h++) {
    if (o->facets[h / 3] != MO_NONE && is_boundary(o, h)) {
      o->degree[mo_half_edge_origin(b, h)]++;
    }
  }
  uint32_t apex = b->flat ? b->point_count - 1 : MO_NONE;
  uint32_t count = 0;
  for (uint32_t i = 0; i < b->point_count; i++) {
    if (o->degree[i] >= 3 && i != apex) {
      o->keys[count++] = i;
    }
    o->degree[i] = MO_NONE;
  }
  for (int axis = 2; axis >= 0; axis--) {
    sort_points_by(o, count, axis);
  }
  for (uint32_t i = 0; i < count; i++) {
    MO_ASSERT(o->degree[o->keys[i]] == MO_NONE);
    o->degree[o->keys[i]] = i;
  }
  o->vertex_count = count;
}

/* The half-edge that follows a half-edge on the boundary of its facet. */
static uint32_t next_on_boundary(const facet_merger *o, uint32_t half_edge) {
  uint32_t next = mo_half_edge_next(half_edge);
  while (!is_boundary(o, next)) {
    next = mo_half_edge_next(mo_half_edge_twin(o->builder, next));
  }
  return next;
}

static uint32_t vertex_at(const facet_merger *o, uint32_t half_edge) {
  return o->degree[mo_half_edge_origin(o->builder, half_edge)];
}

/* Adds the boundary of a facet to `loops`: walks around the facet from `first`, a half-edge that
 * begins at a vertex. */
static void trace_loop(facet_merger *o, uint32_t first) {
  uint32_t begin = o->hull_edge_count, h = first;
  do {
    if (vertex_at(o, h) != MO_NONE) {
      o->loops[o->hull_edge_count++] = h;
    }
    o->last_half_edge[o->hull_edge_count - 1] = h;
    h = next_on_boundary(o, h);
  } while (h != first);
  /* Rotates the loop so that it begins at the lowest vertex. */
  uint32_t count = o->hull_edge_count - begin, lowest = 0;
  MO_ASSERT(count >= 3); /* a face is a polygon */
  for (uint32_t i = 1; i < count; i++) {
    if (vertex_at(o, o->loops[begin + i]) < vertex_at(o, o->loops[begin + lowest])) {
      lowest = i;
    }
  }
  uint32_t *const arrays[2] = {o->loops + begin, o->last_half_edge + begin};
  for (int k = 0; k < 2; k++) {
    memcpy(o->queue, arrays[k], count * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
      arrays[k][i] = o->queue[i + lowest < count ? i + lowest : i + lowest - count];
    }
  }
}

/* Traces the boundaries of facets; for a flat hull only of the facet without the apex. */
static void trace_facets(facet_merger *o) {
  const mo_hull_builder *b = o->builder;
  memset(o->starts, 0xff, ((size_t)o->facet_count + 1) * sizeof *o->starts);
  uint32_t base = MO_NONE;
  if (b->flat) {
    /* All triangles of the other facets have the apex as a corner. */
    for (uint32_t i = 0; i < b->triangle_count && base == MO_NONE; i++) {
      const uint32_t *v = b->triangles[i].vertex, apex = b->point_count - 1;
      base = o->facets[i] != MO_NONE && v[0] != apex && v[1] != apex && v[2] != apex ? o->facets[i]
                                                                                     : base;
    }
  }
  uint32_t count = 0;
  for (uint32_t h = 0; h < o->half_edge_count; h++) {
    uint32_t facet = o->facets[h / 3];
    if (facet == MO_NONE || (b->flat && facet != base) || o->starts[facet] != MO_NONE ||
        !is_boundary(o, h) || vertex_at(o, h) == MO_NONE) {
      continue;
    }
    o->starts[facet] = o->hull_edge_count;
    trace_loop(o, h);
    /* From now on, facets are numbered in the order in which they are traced. */
    o->keys[count++] = o->starts[facet];
  }
  for (uint32_t i = 0; i < count; i++) {
    o->starts[i] = (uint32_t)o->keys[i];
  }
  o->starts[count] = o->hull_edge_count;
  o->facet_count = count;
}

/* Leaves facets in `queue` in ascending order of their first two vertices. */
static void sort_facets(facet_merger *o) {
  for (uint32_t i = 0; i < o->facet_count; i++) {
    o->keys[i] = (uint64_t)vertex_at(o, o->loops[o->starts[i] + 1]) << 32 | i;
  }
  mo_keys_sort(o->keys, o->scratch, o->facet_count);
  for (uint32_t i = 0; i < o->facet_count; i++) {
    o->queue[i] = (uint32_t)o->keys[i];
    o->keys[i] = (uint64_t)vertex_at(o, o->loops[o->starts[o->queue[i]]]) << 32 | i;
  }
  mo_keys_sort(o->keys, o->scratch, o->facet_count);
  for (uint32_t i = 0; i < o->facet_count; i++) {
    o->keys[i] = o->queue[(uint32_t)o->keys[i]];
  }
  for (uint32_t i = 0; i < o->facet_count; i++) {
    o->queue[i] = (uint32_t)o->keys[i];
  }
}

static bool allocate_hull(mo_hull *hull, const facet_merger *o) {
  const mo_allocator *allocator = o->builder->allocator;
  bool flat = o->builder->flat;
  hull->flat = flat;
  hull->vertex_count = o->vertex_count;
  hull->vertex_capacity = (o->vertex_count + 7) & ~(uint32_t)7;
  hull->face_count = flat ? 2 : o->facet_count;
  hull->half_edge_count = flat ? 2 * o->hull_edge_count : o->hull_edge_count;
  MO_ASSERT(hull->half_edge_count / 2 + 2 == hull->vertex_count + hull->face_count); /* Euler */
  hull->coordinates =
      mo_allocate(allocator, 3 * (size_t)hull->vertex_capacity, sizeof *hull->coordinates);
  hull->faces = mo_allocate(allocator, hull->face_count, sizeof *hull->faces);
  hull->half_edges = mo_allocate(allocator, hull->half_edge_count, sizeof *hull->half_edges);
  hull->first_neighbor =
      mo_allocate(allocator, (size_t)hull->vertex_count + 1, sizeof *hull->first_neighbor);
  hull->first_half_edge = mo_allocate(allocator, hull->vertex_count, sizeof *hull->first_half_edge);
  hull->neighbors = mo_allocate(allocator, hull->half_edge_count, sizeof *hull->neighbors);
  return hull->coordinates != NULL && hull->faces != NULL && hull->half_edges != NULL &&
         hull->first_neighbor != NULL && hull->first_half_edge != NULL && hull->neighbors != NULL;
}

static void write_vertices(const facet_merger *o, mo_hull *hull) {
  const mo_hull_builder *b = o->builder;
  for (int axis = 0; axis < 3; axis++) {
    float *row = hull->coordinates + (size_t)axis * hull->vertex_capacity;
    for (uint32_t i = 0; i < b->point_count; i++) {
      if (o->degree[i] != MO_NONE) {
        row[o->degree[i]] = mo_get(b->points[i], axis);
      }
    }
    for (uint32_t i = hull->vertex_count; i < hull->vertex_capacity; i++) {
      row[i] = row[0];
    }
  }
}

static void write_faces(facet_merger *o, mo_hull *hull) {
  uint32_t edge = 0;
  for (uint32_t i = 0; i < o->facet_count; i++) {
    uint32_t begin = o->starts[o->queue[i]], count = o->starts[o->queue[i] + 1] - begin;
    hull->faces[i] = (mo_hull_polygon){.first = edge, .count = count};
    for (uint32_t k = 0; k < count; k++) {
      o->edge_of[o->loops[begin + k]] = edge;
      hull->half_edges[edge].vertex = vertex_at(o, o->loops[begin + k]);
      hull->half_edges[edge].face = i;
      edge++;
    }
  }
  edge = 0;
  for (uint32_t i = 0; i < o->facet_count; i++) {
    uint32_t begin = o->starts[o->queue[i]];
    for (uint32_t k = 0; k < hull->faces[i].count; k++) {
      /* The twin begins where this half-edge ends, in the last triangle along it. */
      hull->half_edges[edge++].twin =
          o->edge_of[mo_half_edge_twin(o->builder, o->last_half_edge[begin + k])];
    }
  }
}

/* Writes the polygon of a flat hull as two faces: as traced, and reversed. The face with the lower
 * second vertex comes first. */
static void write_flat_faces(const facet_merger *o, mo_hull *hull) {
  uint32_t n = o->hull_edge_count;
  bool reversed = vertex_at(o, o->loops[n - 1]) < vertex_at(o, o->loops[1]);
  for (uint32_t side = 0; side < 2; side++) {
    hull->faces[side] = (mo_hull_polygon){.first = side * n, .count = n};
    for (uint32_t k = 0; k < n; k++) {
      bool backward = (side == 1) != reversed;
      uint32_t at = backward && k > 0 ? n - k : k;
      hull->half_edges[side * n + k] = (mo_hull_half_edge){
          .vertex = vertex_at(o, o->loops[at]), .twin = (1 - side) * n + (n - 1 - k), .face = side};
    }
  }
}

/* Writes the neighbours of each vertex, starting with the lowest half-edge that begins there. */
static void write_neighbors(mo_hull *hull) {
  for (uint32_t i = hull->half_edge_count; i-- > 0;) {
    hull->first_half_edge[hull->half_edges[i].vertex] = i;
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    uint32_t first = hull->first_half_edge[i], h = first;
    hull->first_neighbor[i] = count;
    do {
      hull->neighbors[count++] = hull->half_edges[hull->half_edges[h].twin].vertex;
      h = hull->half_edges[mo_hull_previous(hull, h)].twin;
    } while (h != first);
  }
  hull->first_neighbor[hull->vertex_count] = count;
}

bool mo_hull_write_facets(mo_hull_builder *b, mo_hull *hull) {
  facet_merger o = {.builder = b};
  bool done = allocate(&o, b);
  if (done) {
    find_facets(&o);
    number_vertices(&o);
    trace_facets(&o);
    done = allocate_hull(hull, &o);
  }
  if (done) {
    write_vertices(&o, hull);
    if (b->flat) {
      write_flat_faces(&o, hull);
    } else {
      sort_facets(&o);
      write_faces(&o, hull);
    }
    write_neighbors(hull);
  }
  release(&o);
  return done;
}
