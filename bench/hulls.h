/* Convex hulls of point clouds, queries of two hulls, and the interface of engines that do them.
 * Also read by the C++ of peers. */
#ifndef BENCH_HULLS_H
#define BENCH_HULLS_H

#include "engine_id.h"
#include "mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_cloud {
  const mo_vec3 *points;
  uint32_t count;
} bench_cloud;

typedef enum bench_hull_query {
  BENCH_HULL_TOUCH,    /* whether they have a point in common */
  BENCH_HULL_DISTANCE, /* 0 if they touch */
  BENCH_HULL_CONTACTS, /* the manifold of contact points */
  BENCH_HULL_QUERIES
} bench_hull_query;

/* Two hulls; the first one is where it was made. */
typedef struct bench_hull_pair {
  uint32_t a, b;
  mo_vec3 translation; /* of b */
  mo_quat rotation;
} bench_hull_pair;

typedef struct bench_hull_answer {
  bool touches;
  double distance; /* of BENCH_HULL_DISTANCE */
  uint32_t points; /* of BENCH_HULL_CONTACTS */
} bench_hull_answer;

typedef struct bench_hull_engine {
  bench_engine_id id;
  /* Makes the hull of points; null: the engine can not. */
  void *(*create)(const bench_cloud *cloud);
  void (*destroy)(void *hull);
  /* Copies the vertices, of which there are at most as many as points; returns their number. */
  uint32_t (*get_vertices)(const void *hull, mo_vec3 *vertices);
  /* What it needs for queries of hulls, which are given as closed meshes. */
  void *(*load)(bench_mesh *const *hulls, uint32_t count);
  void (*unload)(void *world);
  bool (*can)(bench_hull_query query);
  void (*run)(void *world, bench_hull_query query, const bench_hull_pair *pairs, size_t count,
              bench_hull_answer *answers);
  double tolerance; /* of the hulls that it makes, relative to the size of the cloud */
} bench_hull_engine;

extern const bench_hull_engine bench_hull_motte[]; /* ends with a null name */
extern const bench_engine_id *const bench_hull_peers[];

#ifdef __cplusplus
}
#endif

#endif
