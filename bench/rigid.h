/* Rigid bodies that fall and bump, for scenes to be recorded of. */
#ifndef BENCH_RIGID_H
#define BENCH_RIGID_H

#include <motte/math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_rigid_def {
  bool is_ball; /* else a cube */
  float half;   /* of the edge, or the radius */
  mo_vec3 position, velocity;
} bench_rigid_def;

typedef struct bench_rigid bench_rigid;

/* Bodies of mass 1 between six walls around a cube of edge `world`. */
bench_rigid *bench_rigid_create(double world, const bench_rigid_def *bodies, uint32_t count);
void bench_rigid_destroy(bench_rigid *rigid);

void bench_rigid_set_gravity(bench_rigid *rigid, mo_vec3 acceleration);
void bench_rigid_set_velocity(bench_rigid *rigid, uint32_t body, mo_vec3 velocity);

/* Leaves a body where it is for ever. */
void bench_rigid_freeze(bench_rigid *rigid, uint32_t body);

void bench_rigid_step(bench_rigid *rigid, float seconds, int substeps);

mo_vec3 bench_rigid_position(const bench_rigid *rigid, uint32_t body);
mo_aabb bench_rigid_bounds(const bench_rigid *rigid, uint32_t body);

#ifdef __cplusplus
}
#endif

#endif
