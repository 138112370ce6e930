/* Creation and access functions of hulls: input checks, the vertex limit, reference counts. */
#include "geometry/hull/hull.h"

#include <string.h>

#include "base/log.h"
#include "geometry/hull/build.h"
#include "math/check.h"

/* The lowest vertex limit that a definition may set. */
enum { MIN_VERTEX_LIMIT = 4 };

mo_hull_def mo_default_hull_def(void) {
  return (mo_hull_def){
      .position_stride = sizeof(mo_vec3),
      .vertex_limit = MO_MAX_HULL_POINTS,
      .host = mo_default_host(),
      .cookie = MO_COOKIE,
  };
}

static void release_arrays(mo_hull *hull) {
  const mo_allocator *allocator = &hull->host.allocator;
  mo_deallocate(allocator, hull->coordinates, 3 * (size_t)hull->vertex_capacity,
                sizeof *hull->coordinates);
  mo_deallocate(allocator, hull->faces, hull->face_count, sizeof *hull->faces);
  mo_deallocate(allocator, hull->half_edges, hull->half_edge_count, sizeof *hull->half_edges);
  mo_deallocate(allocator, hull->first_neighbor, (size_t)hull->vertex_count + 1,
                sizeof *hull->first_neighbor);
  mo_deallocate(allocator, hull->first_half_edge, hull->vertex_count,
                sizeof *hull->first_half_edge);
  mo_deallocate(allocator, hull->neighbors, hull->half_edge_count, sizeof *hull->neighbors);
  mo_hull_release_tables(hull);
}

static void destroy(mo_hull *hull) {
  const mo_allocator allocator = hull->host.allocator;
  release_arrays(hull);
  mo_deallocate(&allocator, hull, 1, sizeof *hull);
}

static mo_result check_def(const mo_hull_def *def, const mo_refusal *refusal) {
  const char *missing = def->host.allocator.allocate == NULL  ? ".host.allocator.allocate"
                        : def->host.allocator.release == NULL ? ".host.allocator.release"
                        : def->positions == NULL              ? ".positions"
                                                              : NULL;
  if (missing != NULL) {
    return mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, "%s is null", missing);
  }
  if (def->position_stride < sizeof(mo_vec3)) {
    return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".position_stride",
                            (double)def->position_stride, "below 12");
  }
  if (def->vertex_limit < MIN_VERTEX_LIMIT) {
    return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".vertex_limit", def->vertex_limit,
                            "below 4");
  }
  if (def->position_count == 0) {
    return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".position_count", 0.0, NULL);
  }
  if (def->position_count > MO_MAX_HULL_POINTS) {
    return mo_refuse_number(refusal, MO_ERROR_TOO_MANY, ".position_count", def->position_count,
                            "above MO_MAX_HULL_POINTS");
  }
  if (def->position_count > SIZE_MAX / def->position_stride) {
    return mo_refuse_number(refusal, MO_ERROR_TOO_MANY, ".position_count", def->position_count,
                            "more than memory can hold");
  }
  return MO_OK;
}

/* Copies the positions to a builder, with -0 replaced by 0. */
static mo_result read_positions(const mo_hull_def *def, mo_vec3 *points, const mo_refusal *refusal,
                                size_t *first_bad) {
  for (uint32_t i = 0; i < def->position_count; i++) {
    mo_vec3 p;
    memcpy(&p, (const char *)def->positions + i * def->position_stride, sizeof p);
    if (!mo_is_in_range(p)) {
      mo_refusal member = mo_refusal_in(refusal, ".positions", i);
      *first_bad = i;
      return mo_check_point(p, &member, "");
    }
    points[i] = mo_add(p, mo_vec(0.0f, 0.0f, 0.0f));
  }
  return MO_OK;
}

static mo_result refuse_span(const mo_refusal *refusal, mo_hull_span span) {
  return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".positions are all %s",
                   span == MO_HULL_SPAN_POINT ? "equal" : "on a line");
}

/* Builds the hull of the builder's points, of at most `limit` vertices. */
static mo_result build(mo_hull_builder *b, uint32_t limit, const mo_refusal *refusal,
                       mo_hull *hull) {
  mo_hull_span span = mo_hull_begin_simplex(b);
  if (b->out_of_memory) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  if (span < MO_HULL_SPAN_PLANE) {
    return refuse_span(refusal, span);
  }
  bool done =
      mo_hull_add_outside_points(b, b->flat ? limit + 1 : limit) && mo_hull_write_facets(b, hull);
  return done ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
}

/* Sets `*lost` to the distance from the hull to the farthest point outside of it. */
static mo_result find_distance_lost(mo_hull_builder *b, float *lost) {
  double max = 0.0;
  for (uint32_t i = 0; i < b->triangle_count; i++) {
    uint32_t point = b->triangles[i].outside;
    for (; point != MO_NONE; point = b->next[point]) {
      if (!mo_hull_find_visible(b, i, point)) {
        return MO_ERROR_OUT_OF_MEMORY;
      }
      double min = INFINITY;
      for (uint32_t k = 0; k < b->visible.count; k++) {
        uint32_t triangle = b->visible.items[k];
        double distance = mo_hull_point_distance(b, &b->triangles[triangle], point);
        min = distance < min ? distance : min;
      }
      max = min > max ? min : max;
    }
  }
  *lost = mo_round_up(max);
  return MO_OK;
}

/* Replaces a hull by one with fewer vertices. The vertices are already numbered, so the choice does
 * not depend on the order of the input points. */
static mo_result reduce_vertices(mo_hull *hull, uint32_t limit) {
  mo_hull_builder b = {.allocator = &hull->host.allocator, .takes_farthest_point_first = true};
  mo_hull reduced = {.host = hull->host};
  mo_result result = MO_ERROR_OUT_OF_MEMORY;
  if (mo_hull_builder_begin(&b, hull->vertex_count)) {
    for (uint32_t i = 0; i < hull->vertex_count; i++) {
      b.points[i] = mo_hull_vertex(hull, i);
    }
    result = build(&b, limit, NULL, &reduced);
  }
  if (result == MO_OK) {
    result = find_distance_lost(&b, &reduced.distance_lost);
  }
  mo_hull_builder_end(&b);
  if (result == MO_OK) {
    mo_hull whole = *hull;
    *hull = reduced;
    reduced = whole;
  }
  release_arrays(&reduced);
  return result;
}

/* Creates a hull. `*first_bad` receives the index of an invalid position. */
static mo_result create(const mo_hull_def *def, mo_hull **hull, size_t *first_bad) {
  mo_refusal refusal = mo_refusal_of(&def->host, "mo_hull_create", "def");
  mo_result result = check_def(def, &refusal);
  if (result != MO_OK) {
    return result;
  }
  mo_hull *made = mo_allocate(&def->host.allocator, 1, sizeof *made);
  if (made == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(made, 0, sizeof *made);
  made->host = def->host;
  mo_hull_builder b = {.allocator = &def->host.allocator};
  if (!mo_hull_builder_begin(&b, def->position_count)) {
    result = MO_ERROR_OUT_OF_MEMORY;
  } else {
    result = read_positions(def, b.points, &refusal, first_bad);
  }
  if (result == MO_OK) {
    result = build(&b, MO_NONE - 1, &refusal, made);
  }
  mo_hull_builder_end(&b);
  if (result == MO_OK && made->vertex_count > def->vertex_limit) {
    result = reduce_vertices(made, def->vertex_limit);
  }
  if (result == MO_OK) {
    mo_hull_measure(made);
    mo_hull_set_start_vertices(made);
    result = mo_hull_make_tables(made) ? MO_OK : MO_ERROR_OUT_OF_MEMORY;
  }
  if (result != MO_OK) {
    destroy(made);
    return result;
  }
  if (mo_isa_resolve(MO_ISA_AUTO, &made->isa) != MO_OK) {
    made->isa =
        MO_ISA_FALLBACK; /* that of the environment is unavailable; all give the same results */
  }
  atomic_init(&made->references, 1);
  *hull = made;
  return MO_OK;
}

mo_result mo_hull_create(const mo_hull_def *def, mo_hull **hull) {
  if (def == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (def->cookie != MO_COOKIE) {
    return MO_ERROR_UNINITIALIZED_DEF; /* the def's host may be uninitialised: nothing is logged */
  }
  size_t bad = MO_NO_INDEX;
  mo_result result =
      hull != NULL ? create(def, hull, &bad) : mo_refuse_null(&def->host, __func__, "hull");
  if (result != MO_OK) {
    mo_set_first_bad(def->first_bad, bad);
  }
  return result;
}

void mo_hull_retain(mo_hull *hull) {
  if (hull != NULL) {
    atomic_fetch_add_explicit(&hull->references, 1, memory_order_relaxed);
  }
}

void mo_hull_release(mo_hull *hull) {
  if (hull != NULL && atomic_fetch_sub_explicit(&hull->references, 1, memory_order_acq_rel) == 1) {
    destroy(hull);
  }
}

static size_t bytes_of(const mo_hull *hull) {
  return sizeof *hull + 3 * (size_t)hull->vertex_capacity * sizeof *hull->coordinates +
         hull->face_count * sizeof *hull->faces +
         hull->half_edge_count * (sizeof *hull->half_edges + sizeof *hull->neighbors) +
         ((size_t)hull->vertex_count + 1) * sizeof *hull->first_neighbor +
         hull->vertex_count * sizeof *hull->first_half_edge + mo_hull_table_bytes(hull);
}

mo_result mo_hull_get_info(const mo_hull *hull, mo_hull_info *info) {
  if (hull == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (info == NULL) {
    return mo_refuse_null(&hull->host, __func__, "info");
  }
  *info = (mo_hull_info){
      .vertex_count = hull->vertex_count,
      .face_count = hull->face_count,
      .edge_count = hull->half_edge_count / 2,
      .flat = hull->flat,
      .bounds = hull->bounds,
      .volume = hull->volume,
      .surface_area = hull->surface_area,
      .centroid = hull->centroid,
      .distance_lost = hull->distance_lost,
      .bytes = bytes_of(hull),
  };
  return MO_OK;
}

static inline uint32_t min_of(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static inline void set_total(uint32_t *total, uint32_t count) {
  if (total != NULL) {
    *total = count;
  }
}

/* Checks the arguments of a function that writes a list. */
static mo_result check_list(const mo_hull *hull, const char *function, const char *name,
                            const void *list, uint32_t capacity) {
  return hull == NULL                   ? MO_ERROR_NULL_ARGUMENT
         : list == NULL && capacity > 0 ? mo_refuse_null(&hull->host, function, name)
                                        : MO_OK;
}

mo_result mo_hull_get_vertices(const mo_hull *hull, mo_vec3 *vertices, uint32_t capacity,
                               uint32_t *total) {
  mo_result result = check_list(hull, __func__, "vertices", vertices, capacity);
  if (result != MO_OK) {
    return result;
  }
  for (uint32_t i = 0; i < min_of(capacity, hull->vertex_count); i++) {
    vertices[i] = mo_hull_vertex(hull, i);
  }
  set_total(total, hull->vertex_count);
  return MO_OK;
}

/* Checks that an index is below `count`. */
static mo_result check_index(const mo_hull *hull, const char *function, const char *name,
                             uint32_t index, uint32_t count) {
  if (index < count) {
    return MO_OK;
  }
  mo_refusal refusal = mo_refusal_of(&hull->host, function, name);
  return mo_refuse(&refusal, MO_ERROR_INVALID_INDEX, " is %u, but there are %u", index, count);
}

mo_result mo_hull_get_face(const mo_hull *hull, uint32_t index, mo_hull_face *face,
                           uint32_t *vertices, uint32_t capacity) {
  if (hull == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (face == NULL) {
    return mo_refuse_null(&hull->host, __func__, "face");
  }
  if (vertices == NULL && capacity > 0) {
    return mo_refuse_null(&hull->host, __func__, "vertices");
  }
  mo_result result = check_index(hull, __func__, "index", index, hull->face_count);
  if (result != MO_OK) {
    return result;
  }
  const mo_hull_polygon *polygon = &hull->faces[index];
  *face = (mo_hull_face){polygon->plane, polygon->count};
  for (uint32_t i = 0; i < min_of(capacity, polygon->count); i++) {
    vertices[i] = hull->half_edges[polygon->first + i].vertex;
  }
  return MO_OK;
}

mo_result mo_hull_get_edges(const mo_hull *hull, mo_hull_edge *edges, uint32_t capacity,
                            uint32_t *total) {
  mo_result result = check_list(hull, __func__, "edges", edges, capacity);
  if (result != MO_OK) {
    return result;
  }
  uint32_t count = 0;
  for (uint32_t i = 0; i < hull->half_edge_count && count < capacity; i++) {
    const mo_hull_half_edge *side = &hull->half_edges[i], *other = &hull->half_edges[side->twin];
    if (side->vertex < other->vertex) {
      edges[count++] = (mo_hull_edge){{side->vertex, other->vertex}, {side->face, other->face}};
    }
  }
  set_total(total, hull->half_edge_count / 2);
  return MO_OK;
}

mo_result mo_hull_get_neighbors(const mo_hull *hull, uint32_t vertex, uint32_t *neighbors,
                                uint32_t capacity, uint32_t *total) {
  mo_result result = check_list(hull, __func__, "neighbors", neighbors, capacity);
  if (result == MO_OK) {
    result = check_index(hull, __func__, "vertex", vertex, hull->vertex_count);
  }
  if (result != MO_OK) {
    return result;
  }
  uint32_t first = hull->first_neighbor[vertex];
  uint32_t count = hull->first_neighbor[vertex + 1] - first;
  for (uint32_t i = 0; i < min_of(capacity, count); i++) {
    neighbors[i] = hull->neighbors[first + i];
  }
  set_total(total, count);
  return MO_OK;
}
