/* Robots and scenes for motion planning, from files. */
#ifndef BENCH_MOTION_FILES_H
#define BENCH_MOTION_FILES_H

#include "motion.h"

/* A rotation and a translation: a point becomes rotation * point + translation. */
typedef struct bench_motion_frame {
  double rotation[3][3], translation[3];
} bench_motion_frame;

typedef enum bench_motion_joint_type {
  BENCH_MOTION_FIXED,
  BENCH_MOTION_REVOLUTE,
  BENCH_MOTION_PRISMATIC,
} bench_motion_joint_type;

typedef struct bench_motion_joint {
  char *name, *parent, *child; /* of links */
  bench_motion_joint_type type;
  bench_motion_frame origin; /* in the frame of the parent */
  double axis[3];            /* of length one */
  double lower, upper;       /* rad or m */
  uint32_t parent_link, child_link;
  uint32_t variable; /* of a joint that moves: where it is in a configuration */
} bench_motion_joint;

/* Values of the joints that move, in the order of the file. */
typedef struct bench_motion_configuration {
  double value[BENCH_MOTION_MAX_JOINTS];
} bench_motion_configuration;

typedef struct bench_motion_robot {
  char **link_names;
  size_t link_count, link_capacity;
  bench_motion_joint *joints; /* in an order in which parents come before their children */
  size_t joint_count, joint_capacity;
  uint32_t variable_count;
  bench_motion_bodies parts;
  bench_motion_links links;
} bench_motion_robot;

/* Where a robot goes, among which obstacles. */
typedef struct bench_motion_problem {
  bench_motion_bodies obstacles;
  bench_motion_configuration start, goal;
} bench_motion_problem;

/* Reads a URDF, whose collision geometry must be meshes or spheres, and an SRDF, which names pairs
 * of links that need not be tested. Fails with a message. If `as_hulls`, meshes become their convex
 * hulls. */
bench_motion_robot *bench_motion_read_robot(const char *urdf, const char *srdf, bool as_hulls);
void bench_motion_free_robot(bench_motion_robot *robot);

/* For the reader of a URDF, when it has all links and joints: orders joints and parts, numbers what
 * moves. Fails with a message if they are no tree. */
void bench_motion_complete_robot(bench_motion_robot *robot, const char *path);

/* For the reader of an SRDF. `disabled` has a flag for each pair of links, in both orders. */
void bench_motion_set_pairs(bench_motion_robot *robot, const bool *disabled);

/* The link with a name; the number of links if there is none. */
uint32_t bench_motion_find_link(const bench_motion_robot *robot, const char *name);

/* Where the links are in a configuration; `robot->link_count` poses. */
void bench_motion_place(const bench_motion_robot *robot,
                        const bench_motion_configuration *configuration, mo_transform *poses);

/* Reads a scene and a request in YAML; fails with a message. */
void bench_motion_read_problem(const char *scene, const char *request,
                               const bench_motion_robot *robot, bench_motion_problem *problem);
void bench_motion_free_problem(bench_motion_problem *problem);

/* From angles about the fixed axes x, y and z. */
bench_motion_frame bench_motion_frame_of(const double translation[3], const double angles[3]);

/* For readers: a body more, which the list owns. */
bench_motion_body *bench_motion_add_body(bench_motion_bodies *bodies);
void bench_motion_free_bodies(bench_motion_bodies *bodies);

/* Rounded to float. */
mo_transform bench_motion_transform(const bench_motion_frame *frame);

/* The product of two frames: first b, then a. */
bench_motion_frame bench_motion_multiply(const bench_motion_frame *a, const bench_motion_frame *b);

#endif
