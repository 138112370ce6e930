/* Convex bodies against the triangles of a mesh by plain geometry in long double: nearest points,
 * overlaps by all separating axes, and how far a body has to be moved along a direction until it
 * overlaps no triangle. Nothing here is shared with the library. */
#ifndef TEST_ORACLE_SURFACE_H
#define TEST_ORACLE_SURFACE_H

#include "oracle/primitive.h"
#include "support/meshes.h"

static inline ldvec cross_of(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline ldvec unit_of(ldvec a) {
  return ld_scale(1 / ld_norm(a), a);
}

static inline ldvec mapped(const mo_transform *map, ldvec p) {
  return ld_add(ld_add(ld_float(map->origin), ld_scale(p.x, ld_float(map->x_axis))),
                ld_add(ld_scale(p.y, ld_float(map->y_axis)), ld_scale(p.z, ld_float(map->z_axis))));
}

/* Two nearest points. */
typedef struct nearest_pair {
  ldouble distance;
  ldvec a, b;
} nearest_pair;

static inline void take_nearer(nearest_pair *best, ldvec a, ldvec b) {
  ldouble distance = ld_norm(ld_sub(a, b));
  if (distance < best->distance) {
    *best = (nearest_pair){distance, a, b};
  }
}

static inline ldvec nearest_on_segment(ldvec a, ldvec b, ldvec p) {
  ldvec e = ld_sub(b, a);
  ldouble length2 = ld_dot(e, e);
  ldouble part = length2 > 0 ? ld_dot(ld_sub(p, a), e) / length2 : 0;
  return ld_add(a, ld_scale(fmaxl(0, fminl(1, part)), e));
}

static inline ldvec nearest_on_triangle(const ldvec t[3], ldvec p) {
  nearest_pair best = {INFINITY, p, p};
  ldvec n = cross_of(ld_sub(t[1], t[0]), ld_sub(t[2], t[0]));
  ldouble n2 = ld_dot(n, n);
  if (n2 > 0) {
    ldvec foot = ld_sub(p, ld_scale(ld_dot(ld_sub(p, t[0]), n) / n2, n));
    bool inside = true;
    for (int i = 0; i < 3; i++) {
      ldvec e = ld_sub(t[(i + 1) % 3], t[i]);
      inside = inside && ld_dot(cross_of(e, ld_sub(foot, t[i])), n) >= 0;
    }
    if (inside) {
      return foot;
    }
  }
  for (int i = 0; i < 3; i++) {
    take_nearer(&best, p, nearest_on_segment(t[i], t[(i + 1) % 3], p));
  }
  return best.b;
}

static inline void nearest_of_segments(ldvec p, ldvec q, ldvec a, ldvec b, nearest_pair *best) {
  ldvec d = ld_sub(q, p), e = ld_sub(b, a), r = ld_sub(p, a);
  ldouble dd = ld_dot(d, d), ee = ld_dot(e, e), de = ld_dot(d, e);
  ldouble area = dd * ee - de * de;
  if (area > 0) {
    ldouble s = (de * ld_dot(e, r) - ee * ld_dot(d, r)) / area;
    ldouble t = (dd * ld_dot(e, r) - de * ld_dot(d, r)) / area;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
      take_nearer(best, ld_add(p, ld_scale(s, d)), ld_add(a, ld_scale(t, e)));
    }
  }
  take_nearer(best, p, nearest_on_segment(a, b, p));
  take_nearer(best, q, nearest_on_segment(a, b, q));
  take_nearer(best, nearest_on_segment(p, q, a), a);
  take_nearer(best, nearest_on_segment(p, q, b), b);
}

/* A mesh under a transform. */
typedef struct surface {
  ldvec (*corners)[3];
  mo_aabb *bounds; /* of each triangle, rounded outward */
  uint32_t count;
} surface;

static inline void surface_grow(mo_aabb *box, ldvec p) {
  mo_vec3 q = {(float)p.x, (float)p.y, (float)p.z};
  box->lower.x = fminf(box->lower.x, nextafterf(q.x, -INFINITY));
  box->lower.y = fminf(box->lower.y, nextafterf(q.y, -INFINITY));
  box->lower.z = fminf(box->lower.z, nextafterf(q.z, -INFINITY));
  box->upper.x = fmaxf(box->upper.x, nextafterf(q.x, INFINITY));
  box->upper.y = fmaxf(box->upper.y, nextafterf(q.y, INFINITY));
  box->upper.z = fmaxf(box->upper.z, nextafterf(q.z, INFINITY));
}

static const mo_aabb surface_nothing = {{INFINITY, INFINITY, INFINITY},
                                        {-INFINITY, -INFINITY, -INFINITY}};

static inline surface surface_make(const test_mesh *mesh, const mo_transform *map) {
  surface s = {.count = mesh->triangle_count};
  s.corners = malloc((size_t)s.count * sizeof *s.corners);
  s.bounds = malloc((size_t)s.count * sizeof *s.bounds);
  for (uint32_t i = 0; i < s.count; i++) {
    mo_vec3 corners[3];
    test_mesh_corners(mesh, i, corners);
    s.bounds[i] = surface_nothing;
    for (int k = 0; k < 3; k++) {
      s.corners[i][k] = mapped(map, ld_float(corners[k]));
      surface_grow(&s.bounds[i], s.corners[i][k]);
    }
  }
  return s;
}

static inline void surface_free(surface *s) {
  free(s->corners);
  free(s->bounds);
}

enum { SURFACE_MAX = 32768 };

/* The triangles whose bounds touch a box, at most SURFACE_MAX. */
static inline uint32_t surface_near(const surface *s, const mo_aabb *box, uint32_t *near) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->count && count < SURFACE_MAX; i++) {
    const mo_aabb *b = &s->bounds[i];
    near[count] = i;
    count += b->lower.x <= box->upper.x && b->upper.x >= box->lower.x &&
             b->lower.y <= box->upper.y && b->upper.y >= box->lower.y &&
             b->lower.z <= box->upper.z && b->upper.z >= box->lower.z;
  }
  return count;
}

enum { POLYTOPE_VERTICES = 40, POLYTOPE_EDGES = 120, POLYTOPE_FACES = 80 };

/* The convex hull of a few points, which may be a single point or a segment. */
typedef struct polytope {
  ldvec vertices[POLYTOPE_VERTICES];
  uint32_t vertex_count, edge_count, face_count, plane_count, direction_count;
  uint32_t edges[POLYTOPE_EDGES][2];
  uint32_t faces[POLYTOPE_FACES][3];   /* triangles that cover the surface */
  uint32_t planes[POLYTOPE_FACES][3];  /* one of each group of parallel faces */
  uint32_t directions[POLYTOPE_EDGES]; /* one of each group of parallel edges */
} polytope;

static inline ldvec polytope_normal(const polytope *p, const uint32_t face[3]) {
  ldvec a = p->vertices[face[0]];
  return cross_of(ld_sub(p->vertices[face[1]], a), ld_sub(p->vertices[face[2]], a));
}

static inline ldvec polytope_edge(const polytope *p, uint32_t edge) {
  return ld_sub(p->vertices[p->edges[edge][1]], p->vertices[p->edges[edge][0]]);
}

static inline bool are_parallel(ldvec a, ldvec b) {
  return ld_norm(cross_of(unit_of(a), unit_of(b))) < 1e-5L;
}

static inline void polytope_add_edge(polytope *p, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < p->edge_count; i++) {
    if ((p->edges[i][0] == a && p->edges[i][1] == b) ||
        (p->edges[i][0] == b && p->edges[i][1] == a)) {
      return;
    }
  }
  p->edges[p->edge_count][0] = a;
  p->edges[p->edge_count][1] = b;
  for (uint32_t i = 0; i < p->direction_count; i++) {
    if (are_parallel(polytope_edge(p, p->directions[i]), polytope_edge(p, p->edge_count))) {
      p->edge_count++;
      return;
    }
  }
  p->directions[p->direction_count++] = p->edge_count++;
}

/* The vertices in a supporting plane, in order around the face; fewer than 3: no such plane, or
 * one that was found from an earlier triple. */
static inline uint32_t polytope_face(const polytope *p, const uint32_t triple[3], uint32_t *ring) {
  ldvec n = polytope_normal(p, triple), a = p->vertices[triple[0]];
  ldouble length = ld_norm(n), size = 0;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    size = fmaxl(size, ld_norm(ld_sub(p->vertices[i], a)));
  }
  if (length <= 1e-7L * size * size) {
    return 0;
  }
  n = ld_scale(1 / length, n);
  uint32_t count = 0, above = 0, below = 0;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    ldouble height = ld_dot(n, ld_sub(p->vertices[i], a));
    if (fabsl(height) <= 1e-6L * size) {
      ring[count++] = i;
    } else {
      above += height > 0;
      below += height < 0;
    }
  }
  if (above > 0 && below > 0) {
    return 0;
  }
  ldvec middle = {0, 0, 0};
  for (uint32_t i = 0; i < count; i++) {
    middle = ld_add(middle, ld_scale(1 / (ldouble)count, p->vertices[ring[i]]));
  }
  ldvec u = unit_of(ld_sub(p->vertices[ring[0]], middle)), v = cross_of(n, u);
  ldouble angle[POLYTOPE_VERTICES];
  for (uint32_t i = 0; i < count; i++) {
    ldvec d = ld_sub(p->vertices[ring[i]], middle);
    ldouble of_this = atan2l(ld_dot(d, v), ld_dot(d, u));
    uint32_t vertex = ring[i], k = i;
    for (; k > 0 && angle[k - 1] > of_this; k--) {
      angle[k] = angle[k - 1];
      ring[k] = ring[k - 1];
    }
    angle[k] = of_this;
    ring[k] = vertex;
  }
  return count;
}

static inline bool polytope_has_face(const polytope *p, const uint32_t *ring, uint32_t count) {
  for (uint32_t f = 0; f < p->face_count; f++) {
    uint32_t shared = 0;
    for (uint32_t i = 0; i < count; i++) {
      for (int k = 0; k < 3; k++) {
        shared += p->faces[f][k] == ring[i];
      }
    }
    if (shared == 3) {
      return true;
    }
  }
  return false;
}

/* From the vertices, which are all corners of their hull. By trying all planes through three. */
static inline void polytope_build(polytope *p) {
  p->edge_count = p->face_count = p->plane_count = p->direction_count = 0;
  if (p->vertex_count == 2) {
    polytope_add_edge(p, 0, 1);
  }
  uint32_t t[3], ring[POLYTOPE_VERTICES];
  for (t[0] = 0; t[0] < p->vertex_count; t[0]++) {
    for (t[1] = t[0] + 1; t[1] < p->vertex_count; t[1]++) {
      for (t[2] = t[1] + 1; t[2] < p->vertex_count; t[2]++) {
        uint32_t count = polytope_face(p, t, ring);
        if (count < 3 || polytope_has_face(p, ring, count)) {
          continue;
        }
        bool parallel = false;
        for (uint32_t i = 0; i < p->plane_count; i++) {
          parallel =
              parallel || are_parallel(polytope_normal(p, p->planes[i]), polytope_normal(p, t));
        }
        if (!parallel) {
          memcpy(p->planes[p->plane_count++], t, sizeof t);
        }
        for (uint32_t i = 0; i < count; i++) {
          polytope_add_edge(p, ring[i], ring[(i + 1) % count]);
        }
        for (uint32_t i = 2; i < count; i++) {
          uint32_t *face = p->faces[p->face_count++];
          face[0] = ring[0];
          face[1] = ring[i - 1];
          face[2] = ring[i];
        }
      }
    }
  }
}

static inline polytope polytope_mapped(const polytope *p, const mo_transform *map) {
  polytope result = *p;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    result.vertices[i] = mapped(map, p->vertices[i]);
  }
  return result;
}

static inline mo_aabb polytope_bounds(const polytope *p, ldouble grown) {
  mo_aabb box = surface_nothing;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    ldvec by = {grown, grown, grown};
    surface_grow(&box, ld_add(p->vertices[i], by));
    surface_grow(&box, ld_sub(p->vertices[i], by));
  }
  return box;
}

/* The least and greatest height along a direction. */
static inline void range_along(const ldvec *points, uint32_t count, ldvec n, ldouble *low,
                               ldouble *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    ldouble h = ld_dot(n, points[i]);
    *low = h < *low ? h : *low;
    *high = h > *high ? h : *high;
  }
}

/* A direction of unit length; a body that is translated by x overlaps along it while
 * low < n . x < high. */
typedef struct separating_axis {
  ldvec n;
  ldouble low, high;
} separating_axis;

enum { MAX_AXES = POLYTOPE_FACES + 1 + 3 * POLYTOPE_EDGES };

static inline void add_axis(const polytope *p, const ldvec t[3], ldvec n, separating_axis *axes,
                            uint32_t *count) {
  n = unit_of(n);
  ldouble low, high, triangle_low, triangle_high;
  range_along(p->vertices, p->vertex_count, n, &low, &high);
  range_along(t, 3, n, &triangle_low, &triangle_high);
  axes[(*count)++] = (separating_axis){n, triangle_low - high, triangle_high - low};
}

/* All axes that can decide between a polytope with a volume and a triangle. */
static inline uint32_t separating_axes(const polytope *p, const ldvec t[3], separating_axis *axes) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->plane_count; i++) {
    add_axis(p, t, polytope_normal(p, p->planes[i]), axes, &count);
  }
  ldvec edges[3];
  ldouble longest = 0;
  for (int i = 0; i < 3; i++) {
    edges[i] = ld_sub(t[(i + 1) % 3], t[i]);
    longest = fmaxl(longest, ld_norm(edges[i]));
  }
  ldvec n = cross_of(edges[0], edges[1]);
  if (ld_norm(n) > 1e-14L * longest * longest) {
    add_axis(p, t, n, axes, &count);
  }
  for (uint32_t i = 0; i < p->direction_count; i++) {
    ldvec d = polytope_edge(p, p->directions[i]);
    for (int k = 0; k < 3; k++) {
      n = cross_of(d, edges[k]);
      if (ld_norm(n) > 1e-10L * ld_norm(d) * longest) {
        add_axis(p, t, n, axes, &count);
      }
    }
  }
  return count;
}

/* The shortest translation that separates the two; negative: they are apart. */
static inline ldouble polytope_depth(const polytope *p, const ldvec t[3]) {
  separating_axis axes[MAX_AXES];
  uint32_t count = separating_axes(p, t, axes);
  ldouble depth = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    depth = fminl(depth, fminl(axes[i].high, -axes[i].low));
  }
  return depth;
}

/* Nearest points of the surface of a polytope (`a`) and a triangle. */
static inline void polytope_nearest(const polytope *p, const ldvec t[3], nearest_pair *best) {
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    take_nearer(best, p->vertices[i], nearest_on_triangle(t, p->vertices[i]));
  }
  for (uint32_t i = 0; i < p->edge_count; i++) {
    for (int k = 0; k < 3; k++) {
      nearest_of_segments(p->vertices[p->edges[i][0]], p->vertices[p->edges[i][1]], t[k],
                          t[(k + 1) % 3], best);
    }
  }
  for (uint32_t i = 0; i < p->face_count; i++) {
    const ldvec face[3] = {p->vertices[p->faces[i][0]], p->vertices[p->faces[i][1]],
                           p->vertices[p->faces[i][2]]};
    for (int k = 0; k < 3; k++) {
      take_nearer(best, nearest_on_triangle(face, t[k]), t[k]);
    }
  }
}

/* Whether a segment passes through a triangle; through a common edge, through both triangles. */
static inline bool segment_pierces(ldvec a, ldvec b, const ldvec t[3]) {
  ldvec n = cross_of(ld_sub(t[1], t[0]), ld_sub(t[2], t[0]));
  ldouble from = ld_dot(n, ld_sub(a, t[0])), to = ld_dot(n, ld_sub(b, t[0]));
  if (!(from * to < 0)) {
    return false;
  }
  ldvec p = ld_add(a, ld_scale(from / (from - to), ld_sub(b, a)));
  for (int i = 0; i < 3; i++) {
    if (ld_dot(cross_of(ld_sub(t[(i + 1) % 3], t[i]), ld_sub(p, t[i])), n) <
        -1e-12L * ld_dot(n, n)) {
      return false;
    }
  }
  return true;
}

/* Whether the polytope itself, without any rounding, meets the triangle. */
static inline bool polytope_meets(const polytope *p, const ldvec t[3]) {
  if (p->vertex_count == 1) {
    return false;
  }
  return p->vertex_count == 2 ? segment_pierces(p->vertices[0], p->vertices[1], t)
                              : polytope_depth(p, t) > 0;
}

/* When a body that is translated along `u` overlaps, in lengths of `u`; false: never from 0 on. */
static inline bool overlap_interval(const separating_axis *axes, uint32_t count, ldvec u,
                                    ldouble *from, ldouble *to) {
  *from = -INFINITY;
  *to = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    ldouble k = ld_dot(axes[i].n, u);
    if (fabsl(k) < 1e-12L) {
      if (axes[i].low >= 0 || axes[i].high <= 0) {
        return false;
      }
      continue;
    }
    ldouble low = axes[i].low / k, high = axes[i].high / k;
    ldouble first = low < high ? low : high, last = low < high ? high : low;
    *from = first > *from ? first : *from;
    *to = last < *to ? last : *to;
    if (*from >= *to || *to <= 0) {
      return false;
    }
  }
  return true;
}

enum { MAX_WAYS = 48 };

/* Whether the bounds of a triangle touch a box somewhere on its way along `u`. */
static inline bool is_swept(const mo_aabb *triangle, const mo_aabb *box, ldvec u, double length) {
  const double way[3] = {(double)u.x * length, (double)u.y * length, (double)u.z * length};
  const float *low = &triangle->lower.x, *high = &triangle->upper.x;
  const float *from = &box->lower.x, *to = &box->upper.x;
  for (int axis = 0; axis < 3; axis++) {
    if (high[axis] < from[axis] + fmin(way[axis], 0) || low[axis] > to[axis] + fmax(way[axis], 0)) {
      return false;
    }
  }
  return true;
}

/* When a polytope overlaps a triangle on its way along some directions; from 1 to 0: never. */
static inline void overlaps_along(const polytope *p, const mo_aabb *box, const surface *s,
                                  uint32_t triangle, const ldvec *ways, uint32_t way_count,
                                  ldouble length, ldouble *from, ldouble *to) {
  separating_axis axes[MAX_AXES];
  uint32_t count = 0;
  for (uint32_t w = 0; w < way_count; w++) {
    from[w] = 1;
    to[w] = 0;
    if (!is_swept(&s->bounds[triangle], box, ways[w], (double)length)) {
      continue;
    }
    if (count == 0) {
      count = separating_axes(p, s->corners[triangle], axes);
    }
    ldouble begin, end;
    if (overlap_interval(axes, count, ways[w], &begin, &end)) {
      from[w] = begin;
      to[w] = end;
    }
  }
}

/* How far a polytope has to be translated along each of some directions of unit length until it
 * overlaps none of the triangles: not to the end of the last overlap on the way, but to the first
 * place that is free. INFINITY: farther than `length`. */
static inline void find_clearances(const polytope *p, const surface *s, const ldvec *ways,
                                   uint32_t way_count, ldouble length, ldouble *clearance) {
  static uint32_t near[SURFACE_MAX];
  static ldouble from[SURFACE_MAX][MAX_WAYS], to[SURFACE_MAX][MAX_WAYS];
  mo_aabb box = polytope_bounds(p, 0), wide = polytope_bounds(p, length);
  uint32_t near_count = surface_near(s, &wide, near);
  for (uint32_t i = 0; i < near_count; i++) {
    overlaps_along(p, &box, s, near[i], ways, way_count, length, from[i], to[i]);
  }
  for (uint32_t w = 0; w < way_count; w++) {
    clearance[w] = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t i = 0; i < near_count; i++) {
        if (from[i][w] <= clearance[w] && clearance[w] < to[i][w]) {
          clearance[w] = to[i][w];
          moved = true;
        }
      }
    }
    clearance[w] = clearance[w] > length ? INFINITY : clearance[w];
  }
}

#endif
