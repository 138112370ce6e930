/* Queries of two meshes, and the interface of engines that answer them. Also read by the C++ of
 * peers. */
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include "engine_id.h"
#include "mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_pair_query {
  BENCH_PAIR_TOUCH,    /* whether the surfaces touch */
  BENCH_PAIR_LIST,     /* all pairs of triangles that touch */
  BENCH_PAIR_DISTANCE, /* of the surfaces; 0 if they touch */
  BENCH_PAIR_DEPTH,    /* a short translation that separates them; 0 if they do not touch */
  BENCH_PAIR_CONTACTS, /* points with normals and depths, for a solver */
  BENCH_PAIR_IMPACT,   /* when the second comes into touch on its way */
  BENCH_PAIR_QUERIES
} bench_pair_query;

/* Where the second mesh is; the first one is at the origin. And how it moves from there: by a
 * displacement, while it turns about an axis through its own origin. */
typedef struct bench_pair_pose {
  mo_vec3 translation;
  mo_quat rotation;
  mo_vec3 displacement, axis;
  float angle;
  bool follows; /* a little after the pose before: an engine may start at that one's answer */
} bench_pair_pose;

typedef struct bench_pair_answer {
  bool found;          /* whether the meshes touch, or have an impact */
  double number;       /* how many pairs or points, how far, how long a translation, or when */
  mo_vec3 translation; /* that separates the meshes, added to the second one's */
} bench_pair_answer;

typedef struct bench_pair_engine bench_pair_engine;
struct bench_pair_engine {
  bench_engine_id id;
  void *(*create)(const bench_mesh *a, const bench_mesh *b);
  void (*destroy)(void *world);
  bool (*can)(bench_pair_query query);
  void (*run)(void *world, bench_pair_query query, const bench_pair_pose *poses, size_t count,
              bench_pair_answer *answers);
};

extern const bench_pair_engine bench_pair_motte[]; /* ends with a null name */
extern const bench_engine_id *const bench_pair_peers[];

#ifdef __cplusplus
}
#endif

#endif
