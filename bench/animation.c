/* Key frames, and where they put joints, triangles and the camera. */
#include "animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

/* Affine maps. */

bench_affine bench_affine_multiply(const bench_affine *a, const bench_affine *b) {
  bench_affine product;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 4; k++) {
      product.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] +
                        a->m[i][2] * b->m[2][k] + (k == 3 ? a->m[i][3] : 0);
    }
  }
  return product;
}

bench_affine bench_affine_of(const double scale[3], const double q[4],
                             const double translation[3]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  const double rotation[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
  };
  bench_affine affine;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      affine.m[i][k] = rotation[i][k] * scale[k];
    }
    affine.m[i][3] = translation[i];
  }
  return affine;
}

mo_vec3 bench_affine_apply(const bench_affine *affine, const double p[3]) {
  double to[3];
  for (int i = 0; i < 3; i++) {
    const double *row = affine->m[i];
    to[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
  }
  return (mo_vec3){(float)to[0], (float)to[1], (float)to[2]};
}

static mo_vec3 column(const bench_affine *affine, int k) {
  return (mo_vec3){(float)affine->m[0][k], (float)affine->m[1][k], (float)affine->m[2][k]};
}

/* Quaternions x, y, z, w. */

bool bench_rotation_about(const double axis[3], double degrees, double rotation[4]) {
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double half = degrees * (acos(-1) / 360);
  if (!(length > 0) && degrees != 0) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    rotation[i] = degrees != 0 ? sin(half) * axis[i] / length : 0;
  }
  rotation[3] = cos(half);
  return true;
}

static void multiply(const double a[4], const double b[4], double product[4]) {
  const double to[4] = {
      a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
      a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
      a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
      a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  };
  memcpy(product, to, sizeof to);
}

static double dot(const double a[4], const double b[4]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* Half the rotation vector that leads from a to b, seen from a. */
static void difference(const double a[4], const double b[4], double half[3]) {
  const double back[4] = {-a[0], -a[1], -a[2], a[3]};
  double q[4];
  multiply(back, b, q);
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  double factor = length > 1e-12 ? atan2(length, q[3]) / length : 1;
  for (int i = 0; i < 3; i++) {
    half[i] = factor * q[i];
  }
}

/* Goes from q by half a rotation vector. */
static void advance(const double q[4], const double half[3], double to[4]) {
  double angle = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
  double factor = angle > 1e-12 ? sin(angle) / angle : 1;
  multiply(q, (const double[4]){factor * half[0], factor * half[1], factor * half[2], cos(angle)},
           to);
}

static void interpolate(const double a[4], const double b[4], double share, double to[4]) {
  double half[3];
  difference(a, b, half);
  for (int i = 0; i < 3; i++) {
    half[i] *= share;
  }
  advance(a, half, to);
}

/* Curves. */

/* Where a time is on a track: between which key and the next, and how far. Two keys may have the
 * same time. */
static size_t find_span(const bench_track *track, double time, double *share) {
  size_t i = 1;
  const bench_key *key = track->key;
  while (i + 3 < track->count && time >= key[i + 1].time) {
    i++;
  }
  double span = key[i + 1].time - key[i].time;
  *share = span > 0 ? fmin(fmax((time - key[i].time) / span, 0), 1) : 0;
  return i;
}

/* How much the steps to a key and from it weigh in its tangent: that of the span after it, or of
 * the one before. */
static void weigh(const bench_key *key, bool after, double weights[2]) {
  double continuity = after ? key->continuity : -key->continuity;
  double span = after ? key[1].time - key->time : key->time - key[-1].time;
  double tension = (1 - key->tension) * span / (key[1].time - key[-1].time);
  weights[0] = tension * (1 + continuity) * (1 + key->bias);
  weights[1] = tension * (1 - continuity) * (1 - key->bias);
}

void bench_track_value(const bench_track *track, double time, double value[3]) {
  double s, out[2], in[2];
  const bench_key *key = &track->key[find_span(track, time, &s)];
  weigh(key, true, out);
  weigh(key + 1, false, in);
  for (int i = 0; i < 3; i++) {
    double before = key->value[i] - key[-1].value[i], step = key[1].value[i] - key->value[i],
           after = key[2].value[i] - key[1].value[i];
    double leave = out[0] * before + out[1] * step, arrive = in[0] * step + in[1] * after;
    /* Hermite's cubic */
    value[i] = key->value[i] +
               s * (leave + s * (3 * step - 2 * leave - arrive + s * (leave + arrive - 2 * step)));
  }
}

void bench_track_rotation(const bench_track *track, double time, double rotation[4]) {
  double s, out[2], in[2], before[3], step[3], after[3], from[3], to[3];
  const bench_key *key = &track->key[find_span(track, time, &s)];
  weigh(key, true, out);
  weigh(key + 1, false, in);
  difference(key[-1].value, key->value, before);
  difference(key->value, key[1].value, step);
  difference(key[1].value, key[2].value, after);
  for (int i = 0; i < 3; i++) {
    from[i] = (out[0] * before[i] + out[1] * step[i] - step[i]) / 2;
    to[i] = (step[i] - in[0] * step[i] - in[1] * after[i]) / 2;
  }
  double a[4], b[4], straight[4], bent[4];
  advance(key->value, from, a);
  advance(key[1].value, to, b);
  interpolate(key->value, key[1].value, s, straight);
  interpolate(a, b, s, bent);
  interpolate(straight, bent, 2 * s * (1 - s), rotation);
  double length = sqrt(dot(rotation, rotation));
  for (int i = 0; i < 4; i++) {
    rotation[i] /= length;
  }
}

static bench_affine tracks_at(const bench_tracks *tracks, double time) {
  double scale[3] = {1, 1, 1}, rotation[4] = {0, 0, 0, 1}, translation[3] = {0, 0, 0};
  if (tracks->scale.count > 0) {
    bench_track_value(&tracks->scale, time, scale);
  }
  if (tracks->rotation.count > 0) {
    bench_track_rotation(&tracks->rotation, time, rotation);
  }
  if (tracks->translation.count > 0) {
    bench_track_value(&tracks->translation, time, translation);
  }
  return bench_affine_of(scale, rotation, translation);
}

/* Scenes. */

void bench_animation_pose(const bench_animation *animation, double time, mo_transform *transforms) {
  bench_affine *world = allocate(animation->joint_count, sizeof *world);
  world[0] = bench_affine_identity();
  for (size_t i = 1; i < animation->joint_count; i++) {
    const bench_joint *joint = &animation->joints[i];
    bench_affine moved = tracks_at(&animation->tracks[joint->tracks], time);
    moved = bench_affine_multiply(&joint->fixed, &moved);
    world[i] = bench_affine_multiply(&world[joint->parent], &moved);
  }
  for (size_t i = 0; i < animation->part_count; i++) {
    const bench_affine *affine = &world[animation->parts[i].joint];
    transforms[i] = (mo_transform){.x_axis = column(affine, 0),
                                   .y_axis = column(affine, 1),
                                   .z_axis = column(affine, 2),
                                   .origin = column(affine, 3)};
  }
  free(world);
}

static void deform(bench_animated_mesh *animated, double time) {
  struct triangles *triangles = &animated->mesh->triangles;
  for (uint32_t i = 0; i < triangles->triangle_count; i++) {
    const bench_pose *pose = &animated->poses[animated->pose_of[i]];
    const bench_pose *last = &animated->poses[animated->pose_of[i + 1] - 1];
    while (pose + 1 < last && time >= pose[1].time) {
      pose++;
    }
    const bench_pose *next = pose < last ? pose + 1 : pose;
    double span = next->time - pose->time;
    double share = span > 0 ? fmin(fmax((time - pose->time) / span, 0), 1) : 0;
    for (int k = 0; k < 3; k++) {
      mo_vec3 a = pose->corner[k], b = next->corner[k];
      triangles->positions[triangles->indices[3 * (size_t)i + (size_t)k]] = (mo_vec3){
          (float)(a.x + share * ((double)b.x - a.x)), (float)(a.y + share * ((double)b.y - a.y)),
          (float)(a.z + share * ((double)b.z - a.z))};
    }
  }
}

void bench_animation_deform(bench_animation *animation, double time) {
  for (size_t i = 0; i < animation->mesh_count; i++) {
    if (animation->meshes[i].pose_of != NULL) {
      deform(&animation->meshes[i], time);
    }
  }
}

/* It looks along its own -z; what no key frames move stays. */
bench_camera bench_animation_camera(const bench_animation *animation, double time) {
  bench_camera camera = animation->camera;
  if (animation->camera_tracks != BENCH_NO_INDEX) {
    const bench_tracks *tracks = &animation->tracks[animation->camera_tracks];
    bench_affine affine = tracks_at(tracks, time);
    camera.eye = tracks->translation.count > 0 ? column(&affine, 3) : camera.eye;
    camera.back = tracks->rotation.count > 0 ? column(&affine, 2) : camera.back;
    camera.up = tracks->rotation.count > 0 ? column(&affine, 1) : camera.up;
  }
  return camera;
}

void bench_animation_free(bench_animation *animation) {
  for (size_t i = 0; i < animation->mesh_count; i++) {
    bench_mesh_free(animation->meshes[i].mesh);
    free(animation->meshes[i].poses);
    free(animation->meshes[i].pose_of);
  }
  for (size_t i = 0; i < animation->track_count; i++) {
    bench_tracks *tracks = &animation->tracks[i];
    free(tracks->name);
    free(tracks->translation.key);
    free(tracks->rotation.key);
    free(tracks->scale.key);
  }
  free(animation->tracks);
  free(animation->joints);
  free(animation->meshes);
  free(animation->parts);
  free(animation->name);
  free(animation);
}
