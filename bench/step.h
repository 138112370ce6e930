/* What the suite of physics steps asks of an engine: to take over where bodies are after each step,
 * to find the pairs of bodies that are near each other, and where these touch. Also read by the C++
 * of peers. */
#ifndef BENCH_STEP_H
#define BENCH_STEP_H

#include <motte/hull.h>
#include <stddef.h>

#include "engine_id.h"
#include "terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bench_piece_kind {
  BENCH_PIECE_BOX,
  BENCH_PIECE_BALL,
  BENCH_PIECE_CAPSULE,  /* along z, as cylinders are */
  BENCH_PIECE_CYLINDER, /* with flat ends */
  BENCH_PIECE_HULL,
  BENCH_PIECE_MESH,
  BENCH_PIECE_HEIGHTS, /* static, placed as the terrain is */
} bench_piece_kind;

typedef struct bench_piece {
  bench_piece_kind kind;
  /* Half of the edges of a box. Of a ball x is the radius; of a capsule or cylinder too, and z is
   * half of the length, of a capsule between the centres of its ends. Of a hull x is the radius of
   * a ball around it. */
  mo_vec3 half;
  float mass;     /* 0: static; infinite: moves, and nothing moves it */
  uint32_t shape; /* which hull or mesh of the scene */
  uint32_t group; /* bodies of the same group never collide; 0: none */
} bench_piece;

typedef struct bench_step_hull {
  mo_vec3 *points;
  uint32_t count;
  mo_hull *hull; /* of these points */
} bench_step_hull;

typedef struct bench_pose {
  mo_vec3 position;
  mo_quat rotation;
} bench_pose;

/* Bodies, static ones first, and how all others move. */
typedef struct bench_step_scene {
  uint32_t count, static_count;
  bench_piece *pieces;
  bench_pose *start; /* of all */
  bench_step_hull *hulls;
  size_t hull_count;
  bench_mesh **meshes; /* belong to the scene */
  size_t mesh_count;
  const bench_ground *ground;       /* of a piece of heights, which no scene to record has */
  struct bench_step_motion *motion; /* of the recorder (step_scenes.h) */
  uint32_t frames;
  bench_pose *recorded; /* by frame, of those that are not static */
} bench_step_scene;

/* Milliseconds of a step. */
typedef struct bench_step_times {
  double update;   /* taking over the poses */
  double pairs;    /* finding which bodies are near each other */
  double contacts; /* finding where these touch */
} bench_step_times;

/* Two bodies that touch, a < b; peers report no others, Motte also such as are close. */
typedef struct bench_touch {
  uint32_t a, b;
  float separation; /* of the deepest point; negative: they overlap */
} bench_touch;

typedef void bench_visit_touch(const bench_touch *touch, void *context);

typedef struct bench_step_engine bench_step_engine;

struct bench_step_engine {
  bench_engine_id id;
  const void *variant;
  uint32_t workers;
  float reuse_distance; /* of Motte's contact tracker (mo_contact_tracker_def) */
  /* A pair may be missing whose bodies overlap by less than this. */
  double band;
  /* A world with the bodies at their start; the scene outlives it. */
  void *(*create)(const bench_step_engine *engine, const bench_step_scene *scene);
  void (*destroy)(void *world);
  /* One step: `poses` are those of the bodies that are not static. */
  bench_step_times (*step)(void *world, const bench_pose *poses);
  /* Of the last step: each pair once or several times, in any order. */
  void (*touches)(void *world, bench_visit_touch *visit, void *context);
  /* Of the last step: pairs that were near, and contact points. */
  void (*count)(void *world, size_t *pairs, size_t *points);
  /* All memory of the world and its shapes; null: the engine does not tell. */
  size_t (*bytes)(void *world);
};

/* Motte's engines, the plain one first; ends with a null name. */
extern const bench_step_engine bench_step_motte_engines[];

/* Peers found when this was configured; ends with a null pointer. */
extern const bench_engine_id *const bench_step_peers[];

#ifdef __cplusplus
}
#endif

#endif
