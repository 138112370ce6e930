/* Animated hierarchies: meshes on joints that move by key frames, as in BART (Lext, Assarsson and
 * Moeller, "A Benchmark for Animated Ray Tracing", IEEE Computer Graphics and Applications 21(2),
 * 2001), read from its .aff files or generated. */
#ifndef BENCH_ANIMATION_H
#define BENCH_ANIMATION_H

#include "rays.h"

/* A point p becomes m * (p, 1). */
typedef struct bench_affine {
  double m[3][4];
} bench_affine;

/* A translation, a scale, or a rotation as a quaternion x, y, z, w; how the curve goes through it
 * (Kochanek and Bartels, SIGGRAPH 1984). */
typedef struct bench_key {
  double time, value[4], tension, continuity, bias;
} bench_key;

/* At least four keys, of which the first and the last only bend the curve; none: nothing moves. */
typedef struct bench_track {
  bench_key *key;
  size_t count, capacity;
} bench_track;

/* Scaled first, then rotated, then translated. */
typedef struct bench_tracks {
  char *name;
  bench_track translation, rotation, scale;
} bench_tracks;

enum { BENCH_NO_INDEX = UINT32_MAX };

/* What is below a joint moves with it. The first one is the world and never moves. */
typedef struct bench_joint {
  uint32_t parent;    /* a joint before it; BENCH_NO_INDEX of the first */
  bench_affine fixed; /* from its parent's space */
  uint32_t tracks;    /* applied before that */
} bench_joint;

/* A mesh on a joint: an instance. */
typedef struct bench_part {
  uint32_t joint, mesh;
} bench_part;

/* A triangle at a time; between two times its corners move straight. */
typedef struct bench_pose {
  double time;
  mo_vec3 corner[3];
} bench_pose;

/* A mesh, of which all triangles or none deform. */
typedef struct bench_animated_mesh {
  bench_mesh *mesh; /* its bounds are those of all times */
  bench_pose *poses;
  size_t pose_count, pose_capacity;
  uint32_t *pose_of; /* each triangle's first pose, and one past the last; null: none deforms */
} bench_animated_mesh;

typedef struct bench_animation {
  char *name;
  double start, end;
  bench_tracks *tracks;
  size_t track_count, track_capacity;
  bench_joint *joints;
  size_t joint_count, joint_capacity;
  bench_animated_mesh *meshes;
  size_t mesh_count, mesh_capacity;
  bench_part *parts;
  size_t part_count, part_capacity;
  bench_camera camera;    /* where no key frames move it */
  uint32_t camera_tracks; /* or BENCH_NO_INDEX */
} bench_animation;

/* Fails with file and line where something is wrong. */
bench_animation *bench_animation_read(const char *path);

/* The same of a text; the path is for messages, and files that it includes lie beside that. */
bench_animation *bench_animation_parse(const char *path, const char *text);

/* Figures of fifteen limbs that walk about and wave, and the ground below them. */
bench_animation *bench_animation_generate(uint32_t figures, uint64_t seed);

void bench_animation_free(bench_animation *animation);

/* Where each part is at a time, in their order. */
void bench_animation_pose(const bench_animation *animation, double time, mo_transform *transforms);

/* Moves the vertices of the meshes that deform. */
void bench_animation_deform(bench_animation *animation, double time);

bench_camera bench_animation_camera(const bench_animation *animation, double time);

/* Parts of the above, for the reader. */

static inline bench_affine bench_affine_identity(void) {
  return (bench_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

/* First b, then a. */
bench_affine bench_affine_multiply(const bench_affine *a, const bench_affine *b);

bench_affine bench_affine_of(const double scale[3], const double rotation[4],
                             const double translation[3]);

mo_vec3 bench_affine_apply(const bench_affine *affine, const double point[3]);

/* A quaternion; false if the axis has no length. An angle of zero needs no axis. */
bool bench_rotation_about(const double axis[3], double degrees, double rotation[4]);

/* The values of a track at a time, which is clamped to that of its second and last but one key.
 * Rotations have all quaternions in one hemisphere with their neighbours. */
void bench_track_value(const bench_track *track, double time, double value[3]);
void bench_track_rotation(const bench_track *track, double time, double rotation[4]);

#endif
