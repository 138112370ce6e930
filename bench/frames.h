/* Two frames of meshes whose vertices move on segments from one to the other, and the interface of
 * engines that find which vertices come near which faces, or which edges near which. Also read by
 * the C++ of peers. */
#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include "broad.h"
#include "ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A vertex and a face, or an edge and one after it. */
typedef struct bench_frame_pair {
  uint32_t a, b;
  bool collides; /* of a known pair, by exact arithmetic, if the data has answers */
} bench_frame_pair;

typedef struct bench_frame_pairs {
  bench_frame_pair *item;
  size_t count, capacity;
} bench_frame_pairs;

typedef struct bench_frames {
  double (*positions[2])[3]; /* of each vertex, at the start and at the end */
  uint32_t (*faces)[3], (*edges)[2];
  uint32_t vertex_count, face_count, edge_count;
  bool of_edges; /* pairs are of two edges, else of a vertex and a face */
  /* Around all of the movement of the vertices and of the faces; or twice those of the edges. */
  bench_box *boxes[2];
  uint32_t box_counts[2];
  bench_frame_pairs known; /* pairs that must be found, ascending by a, then by b */
  bool has_answers;        /* which of the known pairs collide */
} bench_frames;

/* Finds which faces of the whole mesh meet while it moves from one frame to the next, without lists
 * of vertices, edges and boxes. */
typedef struct bench_impact_engine {
  void *(*create)(const bench_frames *frames); /* for any step: not timed */
  void (*destroy)(void *mesh);
  /* Takes the positions, and lists the pairs of faces that meet and do not touch at the start, each
   * once, the lower face first, sorted. Timed as `impacts`. */
  void (*find)(void *mesh, const bench_frames *frames, bench_frame_pairs *impacts);
} bench_impact_engine;

typedef struct bench_frame_engine {
  bench_engine_id id;
  /* Makes whatever trees it needs of the boxes. Timed as `build`. */
  void *(*create)(const bench_frames *frames);
  void (*destroy)(void *world);
  /* Lists at least the pairs whose boxes touch, each once. Timed as `pairs`. */
  void (*find)(void *world, bench_frame_pairs *pairs);
  const bench_ccd_engine *narrow;     /* finds which of the known pairs collide; null: it cannot */
  const bench_impact_engine *impacts; /* null: it cannot */
} bench_frame_engine;

/* Reads SCENE/frames/NAME<n>.ply, its successor, SCENE/boxes/<n>vf.json, and, if it is there,
 * SCENE/mma_bool/<n>vf_mma_bool.json, which has an answer for each pair of that list; of edges
 * <n>ee.json and so on. Fails with a message. */
void bench_frames_read(const char *scene, uint32_t number, bool of_edges, bench_frames *frames);
void bench_frames_free(bench_frames *frames);

void bench_frame_pairs_add(bench_frame_pairs *pairs, uint32_t a, uint32_t b);

/* How many of the known pairs that collide (all, where the data has no answers) have no impact of
 * their faces, though these do not touch at the start. */
size_t bench_frames_count_unexplained(const bench_frames *frames, const bench_frame_pairs *impacts);

/* The query of a pair. */
bench_ccd_query bench_frames_query(const bench_frames *frames, bench_frame_pair pair);

extern const bench_frame_engine bench_frame_motte[]; /* ends with a null name */
extern const bench_engine_id *const bench_frame_peers[];

#ifdef __cplusplus
}
#endif

#endif
