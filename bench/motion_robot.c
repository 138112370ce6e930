/* Robots: links that joints connect, and where they are in a configuration. */
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "grow.h"
#include "motion_files.h"

/* Frames. */

bench_motion_frame bench_motion_frame_of(const double translation[3], const double angles[3]) {
  const double sr = sin(angles[0]), cr = cos(angles[0]), sp = sin(angles[1]), cp = cos(angles[1]);
  const double sy = sin(angles[2]), cy = cos(angles[2]);
  return (bench_motion_frame){
      .rotation = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                   {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                   {-sp, cp * sr, cp * cr}},
      .translation = {translation[0], translation[1], translation[2]}};
}

bench_motion_frame bench_motion_multiply(const bench_motion_frame *a, const bench_motion_frame *b) {
  bench_motion_frame c;
  for (int i = 0; i < 3; i++) {
    const double *row = a->rotation[i];
    for (int k = 0; k < 3; k++) {
      c.rotation[i][k] =
          row[0] * b->rotation[0][k] + row[1] * b->rotation[1][k] + row[2] * b->rotation[2][k];
    }
    c.translation[i] = row[0] * b->translation[0] + row[1] * b->translation[1] +
                       row[2] * b->translation[2] + a->translation[i];
  }
  return c;
}

static mo_vec3 column(const double rotation[3][3], int k) {
  return (mo_vec3){(float)rotation[0][k], (float)rotation[1][k], (float)rotation[2][k]};
}

mo_transform bench_motion_transform(const bench_motion_frame *frame) {
  const double *t = frame->translation;
  return (mo_transform){column(frame->rotation, 0), column(frame->rotation, 1),
                        column(frame->rotation, 2),
                        (mo_vec3){(float)t[0], (float)t[1], (float)t[2]}};
}

/* Of a joint that has moved by a value: a rotation about its axis (Rodrigues), or a translation. */
static bench_motion_frame motion_of(const bench_motion_joint *joint, double value) {
  const double *a = joint->axis;
  bench_motion_frame frame = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (joint->type == BENCH_MOTION_PRISMATIC) {
    for (int i = 0; i < 3; i++) {
      frame.translation[i] = value * a[i];
    }
  } else if (joint->type == BENCH_MOTION_REVOLUTE) {
    const double s = sin(value), c = cos(value);
    const double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        frame.rotation[i][k] = (i == k ? c : 0) + s * cross[i][k] + (1 - c) * a[i] * a[k];
      }
    }
  }
  return frame;
}

void bench_motion_place(const bench_motion_robot *robot,
                        const bench_motion_configuration *configuration, mo_transform *poses) {
  const double zero[3] = {0, 0, 0};
  bench_motion_frame *frames = allocate(robot->link_count, sizeof *frames);
  for (size_t i = 0; i < robot->link_count; i++) {
    frames[i] = bench_motion_frame_of(zero, zero); /* what stays so for the root */
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    const bench_motion_joint *joint = &robot->joints[i];
    bench_motion_frame motion = motion_of(
        joint, joint->type != BENCH_MOTION_FIXED ? configuration->value[joint->variable] : 0);
    bench_motion_frame rest = bench_motion_multiply(&frames[joint->parent_link], &joint->origin);
    frames[joint->child_link] = bench_motion_multiply(&rest, &motion);
  }
  for (size_t i = 0; i < robot->link_count; i++) {
    poses[i] = bench_motion_transform(&frames[i]);
  }
  free(frames);
}

/* The tree. */

uint32_t bench_motion_find_link(const bench_motion_robot *robot, const char *name) {
  uint32_t i = 0;
  while (i < robot->link_count && strcmp(robot->link_names[i], name) != 0) {
    i++;
  }
  return i;
}

static uint32_t link_of(const bench_motion_robot *robot, const bench_motion_joint *joint,
                        const char *name, const char *path) {
  uint32_t link = name != NULL ? bench_motion_find_link(robot, name) : (uint32_t)robot->link_count;
  if (link == robot->link_count) {
    fail("%s: joint \"%s\" has no link \"%s\"", path, joint->name, name != NULL ? name : "");
  }
  return link;
}

/* Puts joints in an order in which parents come before their children. */
static void order_joints(bench_motion_robot *robot, const char *path) {
  bool *is_child = allocate(robot->link_count, 1);
  size_t placed = 0;
  for (size_t i = 0; i < robot->joint_count; i++) {
    bench_motion_joint *joint = &robot->joints[i];
    joint->parent_link = link_of(robot, joint, joint->parent, path);
    joint->child_link = link_of(robot, joint, joint->child, path);
    if (is_child[joint->child_link]) {
      fail("%s: link \"%s\" is the child of two joints", path, joint->child);
    }
    is_child[joint->child_link] = true;
  }
  /* From now on: whose parent has not been placed. */
  for (size_t before = SIZE_MAX; placed < robot->joint_count && placed != before;) {
    before = placed;
    for (size_t i = placed; i < robot->joint_count; i++) {
      bench_motion_joint joint = robot->joints[i];
      if (!is_child[joint.parent_link]) {
        memmove(&robot->joints[placed + 1], &robot->joints[placed],
                (i - placed) * sizeof *robot->joints);
        robot->joints[placed++] = joint;
        is_child[joint.child_link] = false;
      }
    }
  }
  free(is_child);
  if (placed < robot->joint_count) {
    fail("%s: the joints form a loop", path);
  }
  if (robot->link_count != robot->joint_count + 1) {
    fail("%s: %zu joints do not connect %zu links", path, robot->joint_count, robot->link_count);
  }
}

static void number_variables(bench_motion_robot *robot, const char *path) {
  for (size_t i = 0; i < robot->joint_count; i++) {
    bench_motion_joint *joint = &robot->joints[i];
    if (joint->type != BENCH_MOTION_FIXED) {
      if (robot->variable_count == BENCH_MOTION_MAX_JOINTS) {
        fail("%s: more than %d joints move", path, BENCH_MOTION_MAX_JOINTS);
      }
      joint->variable = robot->variable_count++;
    }
  }
  if (robot->variable_count == 0) {
    fail("%s: no joint moves", path);
  }
}

static mo_vec3 min_of(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)};
}

static mo_vec3 max_of(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)};
}

void bench_motion_complete_robot(bench_motion_robot *robot, const char *path) {
  bench_motion_links *links = &robot->links;
  if (robot->parts.count == 0) {
    fail("%s: no link has collision geometry", path);
  }
  order_joints(robot, path);
  number_variables(robot, path);
  links->parts = robot->parts.item;
  links->count = (uint32_t)robot->link_count;
  links->first_part = allocate(links->count + 1, sizeof *links->first_part);
  links->bounds = allocate(links->count, sizeof *links->bounds);
  for (uint32_t i = 0, part = 0; i < links->count; i++) {
    links->first_part[i] = part;
    for (; part < robot->parts.count && links->parts[part].link == i; part++) {
      mo_aabb box = bench_motion_part_bounds(&links->parts[part]), *all = &links->bounds[i];
      *all = part == links->first_part[i]
                 ? box
                 : (mo_aabb){min_of(all->lower, box.lower), max_of(all->upper, box.upper)};
    }
    links->first_part[i + 1] = part;
  }
}

void bench_motion_set_pairs(bench_motion_robot *robot, const bool *disabled) {
  bench_motion_links *links = &robot->links;
  const size_t count = links->count;
  const uint32_t *first = links->first_part;
  links->pairs = allocate(count * count + 1, sizeof *links->pairs);
  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = a + 1; b < count; b++) {
      bool have_parts = first[a] < first[a + 1] && first[b] < first[b + 1];
      if (have_parts && !disabled[a * count + b]) {
        links->pairs[links->pair_count][0] = a;
        links->pairs[links->pair_count++][1] = b;
      }
    }
  }
}

/* Memory. */

bench_motion_body *bench_motion_add_body(bench_motion_bodies *bodies) {
  if (bodies->count == bodies->capacity) {
    bodies->item = bench_grow(bodies->item, &bodies->capacity, sizeof *bodies->item);
  }
  bodies->item[bodies->count] = (bench_motion_body){.pose = mo_transform_identity()};
  return &bodies->item[bodies->count++];
}

void bench_motion_free_bodies(bench_motion_bodies *bodies) {
  for (size_t i = 0; i < bodies->count; i++) {
    if (bodies->item[i].mesh != NULL) {
      bench_mesh_free(bodies->item[i].mesh);
    }
  }
  free(bodies->item);
}

void bench_motion_free_robot(bench_motion_robot *robot) {
  for (size_t i = 0; i < robot->link_count; i++) {
    free(robot->link_names[i]);
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    free(robot->joints[i].name);
    free(robot->joints[i].parent);
    free(robot->joints[i].child);
  }
  bench_motion_free_bodies(&robot->parts);
  free(robot->link_names);
  free(robot->joints);
  free(robot->links.first_part);
  free(robot->links.bounds);
  free(robot->links.pairs);
  free(robot);
}

void bench_motion_free_problem(bench_motion_problem *problem) {
  bench_motion_free_bodies(&problem->obstacles);
}
