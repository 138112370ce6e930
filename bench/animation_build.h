/* Joints and meshes of an animated scene while it is read. */
#ifndef BENCH_ANIMATION_BUILD_H
#define BENCH_ANIMATION_BUILD_H

#include "animation.h"

/* What is collected of a joint until its block ends: still triangles, and those that deform. */
typedef struct bench_builder {
  uint32_t joint;
  mo_vec3 *positions;
  size_t position_count, position_capacity;
  uint32_t *indices;
  size_t index_count, index_capacity;
  bench_pose *poses;
  size_t pose_count, pose_capacity;
  uint32_t *pose_of;
  size_t deforming_count, pose_of_capacity;
} bench_builder;

/* Where what is read belongs. */
typedef struct bench_place {
  bench_builder *builder;
  bench_affine affine; /* to the space of the joint */
} bench_place;

/* The index of the point, or BENCH_NO_INDEX if it is out of range or there are too many. */
uint32_t bench_build_point(const bench_place *place, const double point[3]);

/* Of points. */
void bench_build_triangle(const bench_place *place, uint32_t a, uint32_t b, uint32_t c);

/* Of center and radius, as triangles; false if it is out of range. */
bool bench_build_sphere(const bench_place *place, const double sphere[4]);

/* Between two circles of center and radius, without end caps, as triangles; false if it has no
 * length, or is out of range. */
bool bench_build_cone(const bench_place *place, const double base[4], const double apex[4]);

/* Begins a triangle that deforms, then gives its corners at a time, in order of time; false if they
 * are out of range. */
void bench_build_deforming(const bench_place *place);
bool bench_build_pose(const bench_place *place, double time, const double corners[3][3]);

uint32_t bench_build_joint(bench_animation *animation, uint32_t parent, bench_affine fixed,
                           uint32_t tracks);

/* Makes a mesh of the still triangles, unless there is an equal one, and one of those that deform.
 */
void bench_build_finish(bench_animation *animation, bench_builder *builder);

#endif
