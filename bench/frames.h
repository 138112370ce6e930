/* Two frames of meshes whose vertices move on segments from one to the other, and the interface of
 * engines that find which vertices come near which faces. Also read by the C++ of peers. */
#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include "broad.h"
#include "ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A vertex and a face. */
typedef struct bench_frame_pair {
  uint32_t vertex, face;
  bool collides; /* of a known pair, by exact arithmetic, if the data has answers */
} bench_frame_pair;

typedef struct bench_frame_pairs {
  bench_frame_pair *item;
  size_t count, capacity;
} bench_frame_pairs;

typedef struct bench_frames {
  float (*positions[2])[3]; /* of each vertex, at the start and at the end */
  uint32_t (*faces)[3];
  uint32_t vertex_count, face_count;
  bench_box *vertex_boxes, *face_boxes; /* around all of the movement */
  bench_frame_pairs known; /* pairs that must be found, ascending by vertex, then by face */
  bool has_answers;        /* which of the known pairs collide */
} bench_frames;

typedef struct bench_frame_engine {
  bench_engine_id id;
  /* Makes whatever trees it needs of the boxes. Timed as `build`. */
  void *(*create)(const bench_frames *frames);
  void (*destroy)(void *world);
  /* Lists at least the pairs whose boxes touch, each once. Timed as `pairs`. */
  void (*find)(void *world, bench_frame_pairs *pairs);
  const bench_ccd_engine *narrow; /* finds which of the known pairs collide */
} bench_frame_engine;

/* Reads SCENE/frames/NAME<n>.ply, its successor, SCENE/boxes/<n>vf.json, and, if it is there,
 * SCENE/mma_bool/<n>vf_mma_bool.json, which has an answer for each pair of that list; fails with a
 * message. */
void bench_frames_read(const char *scene, uint32_t number, bench_frames *frames);
void bench_frames_free(bench_frames *frames);

void bench_frame_pairs_add(bench_frame_pairs *pairs, uint32_t vertex, uint32_t face);

/* The query of a vertex and a face. */
bench_ccd_query bench_frames_query(const bench_frames *frames, bench_frame_pair pair);

extern const bench_frame_engine bench_frame_motte[]; /* ends with a null name */
extern const bench_engine_id *const bench_frame_peers[];

#ifdef __cplusplus
}
#endif

#endif
