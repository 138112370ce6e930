/* A robot among obstacles, and the interface of engines that check its configurations. Also read by
 * the C++ of peers.
 *
 * The scenes are those of Chamzas, Quintero-Peña, Kingston, Orthey, Rakita, Gleicher, Toussaint and
 * Kavraki, "MotionBenchMaker: A Tool to Generate and Benchmark Motion Planning Datasets", IEEE
 * Robotics and Automation Letters 7 (2022). Edges are divided as in Thomason, Kingston and Kavraki,
 * "Motions in Microseconds via Vectorized Sampling-Based Planning", ICRA 2024. */
#ifndef BENCH_MOTION_H
#define BENCH_MOTION_H

#include <math.h>

#include "engine_id.h"
#include "mesh_file.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BENCH_MOTION_MAX_JOINTS = 16, /* of a robot that move */
  BENCH_MOTION_BLOCK = 8,       /* configurations that are spread over an edge together */
};

typedef enum bench_motion_shape {
  BENCH_MOTION_SPHERE,
  BENCH_MOTION_BOX,
  BENCH_MOTION_CYLINDER, /* along z */
  BENCH_MOTION_HULL,     /* convex: the triangles of a mesh bound it */
  BENCH_MOTION_MESH,     /* a surface */
} bench_motion_shape;

/* An obstacle, or a part of a link. Of the former all but meshes and hulls are used, of the latter
 * spheres, meshes and hulls. */
typedef struct bench_motion_body {
  bench_motion_shape shape;
  mo_vec3 center;    /* of a sphere, in the frame of its link, or in the world */
  mo_vec3 half;      /* of a box */
  float radius;      /* of a sphere or cylinder */
  float half_length; /* of a cylinder */
  bench_mesh *mesh;  /* of a hull or mesh, in the frame of its link */
  mo_transform pose; /* of an obstacle; rigid */
  uint32_t link;     /* of a part */
} bench_motion_body;

typedef struct bench_motion_bodies {
  bench_motion_body *item; /* those of a robot ascend by link */
  size_t count, capacity;
} bench_motion_bodies;

/* What engines see of a robot. */
typedef struct bench_motion_links {
  const bench_motion_body *parts;
  uint32_t *first_part; /* of each link, and of the one behind the last */
  mo_aabb *bounds;      /* of each link, in its own frame; of one without parts, a point */
  uint32_t count;
  uint32_t (*pairs)[2]; /* of links with parts, that must not touch */
  uint32_t pair_count;
} bench_motion_links;

typedef struct bench_motion_engine {
  bench_engine_id id;
  void *(*create)(const bench_motion_links *links);
  void (*destroy)(void *world);
  /* Replaces the obstacles. Timed as `setup`. */
  void (*load)(void *world, const bench_motion_body *obstacles, size_t count);
  /* Whether each link touches an obstacle: `links->count` answers for each configuration, for which
   * there are as many poses. Timed as `links`. */
  void (*check_links)(void *world, const mo_transform *poses, size_t count, bool *touches);
  /* Whether any link touches an obstacle in each configuration, or the links of a pair touch. Timed
   * as `configurations`. */
  void (*check)(void *world, const mo_transform *poses, size_t count, bool *collides);
  /* Whether any of the configurations collides; stops early. Timed as `edges`. */
  bool (*check_edge)(void *world, const mo_transform *poses, size_t count);
} bench_motion_engine;

extern const bench_motion_engine bench_motion_motte[]; /* ends with a null name */
extern const bench_engine_id *const bench_motion_peers[];

/* The box around a part, in the frame of its link. */
static inline mo_aabb bench_motion_part_bounds(const bench_motion_body *part) {
  const mo_vec3 c = part->center;
  const float r = part->radius;
  const mo_aabb ball = {{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
  return part->mesh != NULL ? part->mesh->bounds : ball;
}

/* The box in the world around one in the frame of a link. */
static inline mo_aabb bench_motion_world_box(const mo_aabb *box, const mo_transform *pose) {
  const mo_vec3 l = box->lower, u = box->upper;
  const mo_vec3 x = pose->x_axis, y = pose->y_axis, z = pose->z_axis, o = pose->origin;
  const float c[3] = {0.5f * (l.x + u.x), 0.5f * (l.y + u.y), 0.5f * (l.z + u.z)};
  const float h[3] = {0.5f * (u.x - l.x), 0.5f * (u.y - l.y), 0.5f * (u.z - l.z)};
  const mo_vec3 m = {o.x + c[0] * x.x + c[1] * y.x + c[2] * z.x,
                     o.y + c[0] * x.y + c[1] * y.y + c[2] * z.y,
                     o.z + c[0] * x.z + c[1] * y.z + c[2] * z.z};
  /* A little larger, so that rounding cuts nothing off. */
  const mo_vec3 r = {h[0] * fabsf(x.x) + h[1] * fabsf(y.x) + h[2] * fabsf(z.x) + 1e-5f,
                     h[0] * fabsf(x.y) + h[1] * fabsf(y.y) + h[2] * fabsf(z.y) + 1e-5f,
                     h[0] * fabsf(x.z) + h[1] * fabsf(y.z) + h[2] * fabsf(z.z) + 1e-5f};
  mo_aabb world = {{m.x - r.x, m.y - r.y, m.z - r.z}, {m.x + r.x, m.y + r.y, m.z + r.z}};
  return world;
}

static inline bool bench_motion_boxes_touch(const mo_aabb *a, const mo_aabb *b) {
  return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
         b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

#ifdef __cplusplus
}
#endif

#endif
