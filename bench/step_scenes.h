/* The scenes of the suites of physics steps: how they are described, made and recorded. */
#ifndef BENCH_STEP_SCENES_H
#define BENCH_STEP_SCENES_H

#include "common/random.h"
#include "mesh_file.h"
#include "step.h"

/* Two bodies that a point holds together, as a ball joint does. */
typedef struct bench_step_joint {
  uint32_t a, b;
  mo_vec3 at; /* in the world at the start */
} bench_step_joint;

/* What makes the bodies of a scene move. Engines do not see it. */
typedef struct bench_step_motion {
  mo_vec3 *velocities; /* of all bodies at the start */
  uint32_t *delays;    /* of all bodies: frames before they begin to move */
  bench_step_joint *joints;
  size_t joint_count;
  uint32_t skipped, substeps; /* those of the recipe */
  float friction, restitution;
  float orbit; /* speed in radians per second at which bodies of infinite mass circle the y axis */
  float confines; /* half of the edge of a cube of mirrors that no centre leaves; 0: none */
} bench_step_motion;

typedef struct bench_step_maker bench_step_maker;

/* A row in the table of a suite's scenes; the table ends with a null name. */
typedef struct bench_step_recipe {
  const char *name;
  /* Adds static bodies, then about as many others. Adds none if it lacks data, and says so. */
  void (*place)(bench_step_maker *maker, uint32_t bodies);
  uint32_t published; /* bodies of the scene of others that it follows; 0: it follows none */
  uint32_t skipped;   /* frames before those that are recorded, in which bodies only fall */
  uint32_t substeps;  /* of the solver in a frame */
  float friction, restitution;
} bench_step_recipe;

extern const bench_step_recipe bench_step_recipes[], bench_engine_recipes[];

/* What the command line names; null: nothing. */
typedef struct bench_step_inputs {
  const char *ground; /* a mesh in place of the generated ground of a scene */
  const char *clouds; /* a folder of point clouds (clouds.h) */
} bench_step_inputs;

/* A scene while it is made, with the capacities of its arrays. */
struct bench_step_maker {
  bench_step_scene *scene;
  struct random_stream random;
  bench_step_inputs inputs;
  size_t capacity, hull_capacity, mesh_capacity, joint_capacity;
};

/* A scene whose motion is not recorded yet. */
bench_step_scene *bench_step_scene_create(const bench_step_recipe *recipe, uint32_t bodies,
                                          const bench_step_inputs *inputs, uint64_t seed);
void bench_step_scene_destroy(bench_step_scene *scene);

/* These add a body to a scene and return its index. Static bodies come first. Bodies begin without
 * rotation and velocity; `half` and `mass` are those of bench_piece. */
uint32_t bench_step_add(bench_step_maker *maker, bench_piece_kind kind, mo_vec3 half, float mass,
                        mo_vec3 position);
uint32_t bench_step_add_hull_body(bench_step_maker *maker, uint32_t hull, float mass,
                                  mo_vec3 position);
uint32_t bench_step_add_mesh_body(bench_step_maker *maker, uint32_t mesh, mo_vec3 position);

void bench_step_add_joint(bench_step_maker *maker, bench_step_joint joint);

/* A static box so large that nothing leaves it, with its upper side at a height. */
void bench_step_add_floor(bench_step_maker *maker, float height);

/* Adds the hull of points, which are copied; returns its index. */
uint32_t bench_step_add_hull(bench_step_maker *maker, const mo_vec3 *points, uint32_t count);

/* Adds a mesh, which belongs to the scene from then on; returns its index. */
uint32_t bench_step_add_mesh(bench_step_maker *maker, bench_mesh *mesh);

/* A rotation with the same probability as any other. */
mo_quat bench_step_any_rotation(bench_step_maker *maker);

/* A mesh for so many vertices and triangles. */
bench_mesh *bench_step_allocate_mesh(uint32_t vertex_count, uint32_t triangle_count);

/* Writes three indices. Returns where the next are written. */
static inline uint32_t *bench_step_triangle(uint32_t *to, uint32_t a, uint32_t b, uint32_t c) {
  to[0] = a;
  to[1] = b;
  to[2] = c;
  return to + 3;
}

/* A square of cells of two triangles around the y axis, with a height at each vertex. */
bench_mesh *bench_step_generate_ground(uint32_t cells, float edge, float (*height)(float, float));

/* Lets the bodies move by frames of a sixtieth of a second: first by some that are skipped, whose
 * end becomes the start, then by so many that are recorded. Motte finds the contacts, sequential
 * impulses (Catto 2005) follow from them. False: interrupted. */
bool bench_step_record(bench_step_scene *scene, uint32_t frames);

#endif
