/* Whether the impacts of faces that an engine finds explain the known pairs of vertices and faces,
 * or of edges: a vertex or an edge that meets a face or an edge does so with each of its own faces.
 */
#include <motte/geometry.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "frames.h"

/* The faces around each vertex: those of vertex v are item[first[v]] to item[first[v + 1] - 1]. */
typedef struct faces_of_vertices {
  uint32_t *first, *item;
} faces_of_vertices;

static faces_of_vertices find_faces(const bench_frames *frames) {
  faces_of_vertices around = {allocate(frames->vertex_count + 2, sizeof(uint32_t)),
                              allocate(3 * (size_t)frames->face_count + 1, sizeof(uint32_t))};
  memset(around.first, 0, (frames->vertex_count + 2) * sizeof *around.first);
  for (size_t i = 0; i < 3 * (size_t)frames->face_count; i++) {
    around.first[frames->faces[i / 3][i % 3] + 2]++;
  }
  for (uint32_t v = 0; v < frames->vertex_count; v++) {
    around.first[v + 2] += around.first[v + 1];
  }
  for (size_t i = 0; i < 3 * (size_t)frames->face_count; i++) {
    around.item[around.first[frames->faces[i / 3][i % 3] + 1]++] = (uint32_t)(i / 3);
  }
  return around;
}

static bool has_vertex(const bench_frames *frames, uint32_t face, uint32_t vertex) {
  const uint32_t *v = frames->faces[face];
  return v[0] == vertex || v[1] == vertex || v[2] == vertex;
}

static int compare_pairs(const void *a, const void *b) {
  const bench_frame_pair *x = a, *y = b;
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static mo_primitive face_at_start(const bench_frames *frames, uint32_t face) {
  mo_vec3 corner[3];
  for (int i = 0; i < 3; i++) {
    const double *at = frames->positions[0][frames->faces[face][i]];
    corner[i] = (mo_vec3){(float)at[0], (float)at[1], (float)at[2]};
  }
  return mo_primitive_of_triangle(corner[0], corner[1], corner[2]);
}

/* Whether two faces have an impact, or touch at the start, so that they can have none. */
static bool meet(const bench_frames *frames, const bench_frame_pairs *impacts, uint32_t a,
                 uint32_t b) {
  const bench_frame_pair pair = {a < b ? a : b, a < b ? b : a, false};
  if (bsearch(&pair, impacts->item, impacts->count, sizeof pair, compare_pairs) != NULL) {
    return true;
  }
  const mo_primitive p = face_at_start(frames, a), q = face_at_start(frames, b);
  bool touch;
  check(mo_primitive_overlap(&p, &q, &touch), "mo_primitive_overlap");
  return touch;
}

/* Whether a face of the vertex, or of the first edge, meets the face or one of the second edge. */
static bool is_explained(const bench_frames *frames, const faces_of_vertices *around,
                         const bench_frame_pairs *impacts, bench_frame_pair known) {
  const uint32_t vertex = frames->of_edges ? frames->edges[known.a][0] : known.a;
  for (uint32_t i = around->first[vertex]; i < around->first[vertex + 1]; i++) {
    const uint32_t own = around->item[i];
    if (!frames->of_edges) {
      if (own != known.b && meet(frames, impacts, own, known.b)) {
        return true;
      }
      continue;
    }
    const uint32_t *other = frames->edges[known.b];
    if (!has_vertex(frames, own, frames->edges[known.a][1])) {
      continue;
    }
    for (uint32_t k = around->first[other[0]]; k < around->first[other[0] + 1]; k++) {
      const uint32_t face = around->item[k];
      if (face != own && has_vertex(frames, face, other[1]) && meet(frames, impacts, own, face)) {
        return true;
      }
    }
  }
  return false;
}

size_t bench_frames_count_unexplained(const bench_frames *frames,
                                      const bench_frame_pairs *impacts) {
  faces_of_vertices around = find_faces(frames);
  size_t count = 0;
  for (size_t i = 0; i < frames->known.count; i++) {
    const bench_frame_pair known = frames->known.item[i];
    count +=
        (known.collides || !frames->has_answers) && !is_explained(frames, &around, impacts, known);
  }
  free(around.first);
  free(around.item);
  return count;
}
