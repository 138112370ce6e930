/* What the suite of queries asks of an engine: overlaps, casts, distances and impacts of convex
 * shapes with one mesh that is rotated and scaled, or with many boxes. */
#ifndef BENCH_QUERIES_H
#define BENCH_QUERIES_H

#include <motte/hull.h>
#include <motte/query.h>

#include "engine_id.h"
#include "terrain.h"

typedef enum bench_query {
  BENCH_QUERY_ANY,       /* whether the shape touches the mesh */
  BENCH_QUERY_TRIANGLES, /* which triangles it touches */
  BENCH_QUERY_SHAPES,    /* which boxes it touches */
  BENCH_QUERY_CAST,      /* the first contact of the shape, moved by the displacement */
  BENCH_QUERY_CLOSEST,   /* the closest point of the mesh */
  BENCH_QUERY_DISTANCE,  /* distance of shape and mesh, with the closest points */
  BENCH_QUERY_IMPACT, /* continuous collision of a body as fast as the displacement: each touch */
  BENCH_QUERIES
} bench_query;

enum { BENCH_HULL_POINTS = 24 };

/* Shapes. All but points have a width w. Boxes are cubes with edges of this length, spheres have
 * this diameter; capsules and cylinders are w long along y, and half as wide; hulls are of points
 * evenly spread over a sphere of this diameter. */
typedef enum bench_form {
  BENCH_BOX, /* along the axes of the world */
  BENCH_ORIENTED_BOX,
  BENCH_SPHERE,
  BENCH_CAPSULE,
  BENCH_CYLINDER,
  BENCH_HULL,
  BENCH_POINT,
  BENCH_FORMS
} bench_form;

/* A query about a shape that stays the same. */
typedef struct bench_question {
  bench_query query;
  bench_form form;
  float width;
  const mo_vec3 *hull_points; /* BENCH_HULL_POINTS, for a width of 1 */
  struct mo_hull *hull;       /* of these points */
} bench_question;

/* Where the shape is, all world. Forms without an orientation have no rotation. */
typedef struct bench_probe {
  mo_vec3 center;
  mo_quat rotation;
  mo_vec3 displacement; /* of casts */
} bench_probe;

static inline bool bench_query_counts(bench_query query) {
  return query <= BENCH_QUERY_SHAPES;
}

/* Of overlaps, how many triangles or boxes (BENCH_QUERY_ANY: 1 or 0). Of casts and impacts, t as a
 * part of the displacement, INFINITY where nothing is touched. Else the distance. */
typedef double bench_answer;

/* A static box along the axes of the world. */
typedef struct bench_query_box {
  mo_vec3 center, half;
} bench_query_box;

/* What engines are created with: boxes, else a height field, as it is, else a mesh. Its transform
 * is a rotation with a uniform scale and a translation. Only engines of the suite of height fields
 * are given those. */
typedef struct bench_target {
  const bench_query_box *boxes;
  uint32_t box_count;
  const bench_ground *ground;
  const bench_mesh *mesh;
  mo_vec3 translation;
  mo_quat rotation;
  float scale;
} bench_target;

typedef struct bench_query_engine bench_query_engine;

struct bench_query_engine {
  bench_engine_id id;
  const void *variant;
  /* By how much of a shape's width the engine may take it, or the mesh, for larger or smaller. */
  double tolerance;
  double margin; /* The same as a length, beside the tolerance. */
  /* The same for how far t and distances may be off, as a part of the target's size. */
  double distance_tolerance;
  /* The share of answers that may be wrong beyond that. */
  double tolerated;
  double lists_tolerated; /* the same of lists of triangles, if it is more */
  bool lists_more;        /* of triangles: those whose boxes touch the shape's */
  /* Null if the engine has no part in queries of this target. */
  void *(*create)(const bench_query_engine *engine, const bench_target *target);
  void (*destroy)(void *world);
  bool (*can)(const bench_query_engine *engine, const bench_question *question);
  /* One probe after the other. This is what is timed. */
  void (*run)(void *world, const bench_question *question, const bench_probe *probes, size_t count,
              bench_answer *answers);
  /* The same work, counted; null where the engine does not say. */
  void (*count_work)(void *world, const bench_question *question, const bench_probe *probes,
                     size_t count, mo_query_stats *stats);
};

/* Motte's engines, the plain one first; ends with a null name. */
extern const bench_query_engine bench_motte_query_engines[];

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_engine_id *const bench_queries_peers[];

/* The shape of a probe. */
mo_primitive bench_query_primitive(const bench_question *question, const bench_probe *probe);

mo_transform bench_target_transform(const bench_target *target);

/* Points on a spiral around a sphere of diameter 1, each as far from the next as from the turns
 * beside it, and their hull, for mo_hull_release(). */
mo_hull *bench_query_make_hull(mo_vec3 points[BENCH_HULL_POINTS]);

/* Triangles or boxes. */
uint32_t bench_target_size(const bench_target *target);

/* The answer by a loop over all triangles or boxes, through mo_primitive_*. */
bench_answer bench_query_brute_force(const bench_target *target, const bench_question *question,
                                     const bench_probe *probe);

#endif
