#include "geometry/hull/polytope.h"

#include <math.h>
#include <string.h>

#include "oracle/exact.h"

enum { MAX = POLYTOPE_MAX_VERTICES, MAX_FACES = 2 * MAX };

typedef struct polytope {
  mo_hull_info info;
  mo_vec3 vertices[MAX];
  uint32_t loops[MAX_FACES][MAX];
  uint32_t loop_counts[MAX_FACES];
  uint32_t face_of[MAX][MAX]; /* the face on the left of an edge, plus one; 0: there is no edge */
} polytope;

static bool is_same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool polytope_is_line(const mo_vec3 *points, uint32_t count) {
  uint32_t other = 0;
  while (other < count && is_same(points[0], points[other])) {
    other++;
  }
  for (uint32_t i = other + 1; i < count; i++) {
    const mo_vec3 corners[3] = {points[0], points[other], points[i]};
    if (!exact_is_degenerate(corners)) {
      return false;
    }
  }
  return true;
}

static const char *read_vertices(polytope *p, const mo_hull *hull, const mo_vec3 *points,
                                 uint32_t count) {
  uint32_t total = 0;
  if (mo_hull_get_info(hull, &p->info) != MO_OK || p->info.vertex_count > MAX ||
      p->info.face_count > MAX_FACES) {
    return "absurd counts";
  }
  if (mo_hull_get_vertices(hull, p->vertices, MAX, &total) != MO_OK ||
      total != p->info.vertex_count) {
    return "the number of vertices is not that of the info";
  }
  for (uint32_t i = 0; i < total; i++) {
    mo_vec3 v = p->vertices[i];
    uint32_t k = 0;
    while (k < count && !is_same(v, points[k])) {
      k++;
    }
    if (k == count) {
      return "a vertex is no point that was given";
    }
    mo_vec3 before = i > 0 ? p->vertices[i - 1] : (mo_vec3){-INFINITY, 0, 0};
    if (before.x > v.x ||
        (before.x == v.x && (before.y > v.y || (before.y == v.y && before.z >= v.z)))) {
      return "vertices do not ascend";
    }
  }
  return NULL;
}

/* Reads the loops of all faces, with the edges on their borders. */
static const char *read_faces(polytope *p, const mo_hull *hull) {
  uint32_t sides = 0;
  for (uint32_t f = 0; f < p->info.face_count; f++) {
    mo_hull_face face;
    if (mo_hull_get_face(hull, f, &face, p->loops[f], MAX) != MO_OK) {
      return "a face cannot be read";
    }
    if (face.vertex_count < 3 || face.vertex_count > p->info.vertex_count) {
      return "a face has an absurd number of vertices";
    }
    p->loop_counts[f] = face.vertex_count;
    sides += face.vertex_count;
    for (uint32_t k = 0; k < face.vertex_count; k++) {
      uint32_t from = p->loops[f][k], to = p->loops[f][(k + 1) % face.vertex_count];
      if (from >= p->info.vertex_count || to >= p->info.vertex_count || from == to) {
        return "the index of a vertex is out of range";
      }
      if (p->face_of[from][to] != 0) {
        return "an edge has two faces on one side";
      }
      p->face_of[from][to] = f + 1;
    }
  }
  return sides == 2 * p->info.edge_count ? NULL : "the number of edges is not that of the faces";
}

static const char *check_closed(const polytope *p, const mo_hull *hull) {
  const mo_hull_info *info = &p->info;
  if (info->vertex_count + info->face_count != info->edge_count + 2) {
    return "Euler's formula does not hold";
  }
  for (uint32_t from = 0; from < info->vertex_count; from++) {
    uint32_t degree = 0;
    for (uint32_t to = 0; to < info->vertex_count; to++) {
      if ((p->face_of[from][to] != 0) != (p->face_of[to][from] != 0) ||
          (p->face_of[from][to] != 0 && p->face_of[from][to] == p->face_of[to][from])) {
        return "the surface is not closed";
      }
      degree += p->face_of[from][to] != 0;
    }
    uint32_t neighbors[MAX], total = 0;
    if (mo_hull_get_neighbors(hull, from, neighbors, MAX, &total) != MO_OK || total != degree ||
        degree < (info->flat ? 2 : 3)) {
      return "a vertex has a wrong number of neighbours";
    }
    for (uint32_t i = 0; i < total; i++) {
      if (neighbors[i] >= info->vertex_count || p->face_of[from][neighbors[i]] == 0) {
        return "a neighbour shares no edge";
      }
    }
  }
  return NULL;
}

static bool is_in_loop(const polytope *p, uint32_t face, uint32_t vertex) {
  for (uint32_t k = 0; k < p->loop_counts[face]; k++) {
    if (p->loops[face][k] == vertex) {
      return true;
    }
  }
  return false;
}

static int side_of(const polytope *p, uint32_t face, mo_vec3 point) {
  const uint32_t *loop = p->loops[face];
  const mo_vec3 corners[4] = {p->vertices[loop[0]], p->vertices[loop[1]], p->vertices[loop[2]],
                              point};
  return exact_orientation(corners);
}

/* Whether a face is a convex polygon that runs counter-clockwise, as seen from the side away from
 * `behind`: all of its corners lie on the inner side of all of its edges. */
static bool is_convex(const polytope *p, uint32_t face, mo_vec3 behind) {
  const uint32_t *loop = p->loops[face], count = p->loop_counts[face];
  for (uint32_t k = 0; k < count; k++) {
    uint32_t next = (k + 1) % count;
    for (uint32_t other = 0; other < count; other++) {
      const mo_vec3 corners[4] = {p->vertices[loop[k]], p->vertices[loop[next]],
                                  p->vertices[loop[other]], behind};
      if (other != k && other != next && exact_orientation(corners) >= 0) {
        return false;
      }
    }
  }
  return true;
}

static const char *check_solid(const polytope *p, const mo_vec3 *points, uint32_t count,
                               bool limited) {
  long double volume = 0;
  for (uint32_t f = 0; f < p->info.face_count; f++) {
    uint32_t behind = UINT32_MAX;
    for (uint32_t i = 0; i < p->info.vertex_count; i++) {
      int side = side_of(p, f, p->vertices[i]);
      bool in_loop = is_in_loop(p, f, i);
      if (in_loop ? side != 0 : side >= 0) {
        return in_loop ? "a face is not flat" : "a vertex is not below the plane of a face";
      }
      behind = in_loop ? behind : i;
    }
    if (behind == UINT32_MAX || !is_convex(p, f, p->vertices[behind])) {
      return "a face is not convex";
    }
    for (uint32_t i = 0; i < count && !limited; i++) {
      if (side_of(p, f, points[i]) > 0) {
        return "a point is outside";
      }
    }
    for (uint32_t k = 2; k < p->loop_counts[f]; k++) {
      const uint32_t *loop = p->loops[f];
      const mo_vec3 corners[4] = {p->vertices[loop[0]], p->vertices[loop[k - 1]],
                                  p->vertices[loop[k]], p->vertices[0]};
      volume -= exact_volume(corners) / 6;
    }
  }
  return fabsl(volume - (long double)p->info.volume) <= 1e-9L * volume ? NULL
                                                                       : "the volume is wrong";
}

/* A point off the plane of a flat hull, on the side from which face 0 runs clockwise. */
static bool find_behind(const polytope *p, mo_vec3 *behind) {
  for (int i = 0; i < 6; i++) {
    float step = i % 2 == 0 ? 0x1p120f : -0x1p120f; /* beyond every plane */
    *behind = (mo_vec3){i / 2 == 0 ? step : 0, i / 2 == 1 ? step : 0, i / 2 == 2 ? step : 0};
    if (side_of(p, 0, *behind) < 0) {
      return true;
    }
  }
  return false;
}

static const char *check_flat(const polytope *p, const mo_vec3 *points, uint32_t count,
                              bool limited) {
  mo_vec3 behind;
  uint32_t n = p->info.vertex_count;
  if (p->info.face_count != 2 || p->loop_counts[0] != n || p->loop_counts[1] != n) {
    return "a flat hull does not have two faces of all vertices";
  }
  if (p->info.volume != 0 || !(p->info.surface_area > 0)) {
    return "a flat hull has a volume, or no area";
  }
  if (!find_behind(p, &behind) || !is_convex(p, 0, behind)) {
    return "a face is not convex";
  }
  for (uint32_t i = 0; i < count; i++) {
    if (side_of(p, 0, points[i]) != 0) {
      return "a hull is flat whose points are not in one plane";
    }
    for (uint32_t k = 0; k < n && !limited; k++) {
      const mo_vec3 corners[4] = {p->vertices[p->loops[0][k]],
                                  p->vertices[p->loops[0][(k + 1) % n]], points[i], behind};
      if (exact_orientation(corners) > 0) {
        return "a point is outside of an edge";
      }
    }
  }
  return NULL;
}

const char *polytope_fault(const mo_hull *hull, const mo_vec3 *points, uint32_t count,
                           bool limited) {
  polytope p;
  memset(&p, 0, sizeof p);
  const char *fault = read_vertices(&p, hull, points, count);
  fault = fault != NULL ? fault : read_faces(&p, hull);
  fault = fault != NULL ? fault : check_closed(&p, hull);
  if (fault != NULL) {
    return fault;
  }
  return p.info.flat ? check_flat(&p, points, count, limited)
                     : check_solid(&p, points, count, limited);
}
