/* Scenes and requests of MotionBenchMaker, which are YAML in MoveIt's terms, by libyaml. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "common/check.h"
#include "motion_files.h"
#include "text.h"

typedef struct document {
  yaml_document_t yaml;
  const char *path;
} document;

/* Of the file, for messages. */
static size_t line_of(const yaml_node_t *node) {
  return node->start_mark.line + 1;
}

static document load(const char *path) {
  document self = {.path = path};
  yaml_parser_t parser;
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail("cannot open %s", path);
  }
  if (!yaml_parser_initialize(&parser)) {
    fail("cannot allocate a parser of YAML");
  }
  yaml_parser_set_input_file(&parser, file);
  if (!yaml_parser_load(&parser, &self.yaml)) {
    fail("%s:%zu: no YAML: %s", path, parser.problem_mark.line + 1, parser.problem);
  }
  yaml_parser_delete(&parser);
  fclose(file);
  if (yaml_document_get_root_node(&self.yaml) == NULL) {
    fail("%s is empty", path);
  }
  return self;
}

/* Nodes. */

/* Of a mapping; a null pointer if it has no such key. */
static yaml_node_t *find(document *self, const yaml_node_t *node, const char *key) {
  if (node->type != YAML_MAPPING_NODE) {
    bench_fail_at(self->path, line_of(node), "no mapping with \"%s\"", key);
  }
  for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
       pair < node->data.mapping.pairs.top; pair++) {
    const yaml_node_t *name = yaml_document_get_node(&self->yaml, pair->key);
    if (name->type == YAML_SCALAR_NODE && strcmp((const char *)name->data.scalar.value, key) == 0) {
      return yaml_document_get_node(&self->yaml, pair->value);
    }
  }
  return NULL;
}

static yaml_node_t *need(document *self, const yaml_node_t *node, const char *key) {
  yaml_node_t *value = find(self, node, key);
  if (value == NULL) {
    bench_fail_at(self->path, line_of(node), "no \"%s\"", key);
  }
  return value;
}

static size_t length_of(const document *self, const yaml_node_t *node) {
  if (node->type != YAML_SEQUENCE_NODE) {
    bench_fail_at(self->path, line_of(node), "no list");
  }
  return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
}

/* Of a list. */
static yaml_node_t *item(document *self, const yaml_node_t *node, size_t i) {
  return yaml_document_get_node(&self->yaml, node->data.sequence.items.start[i]);
}

static const char *text_of(const document *self, const yaml_node_t *node) {
  if (node->type != YAML_SCALAR_NODE) {
    bench_fail_at(self->path, line_of(node), "no text");
  }
  return (const char *)node->data.scalar.value;
}

static double number_of(const document *self, const yaml_node_t *node) {
  const char *text = text_of(self, node);
  char *end;
  double number = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(number)) {
    bench_fail_at(self->path, line_of(node), "\"%s\" is no number", text);
  }
  return number;
}

static void read_numbers(document *self, const yaml_node_t *node, double *numbers, size_t count) {
  if (length_of(self, node) != count) {
    bench_fail_at(self->path, line_of(node), "%zu numbers, not %zu", length_of(self, node), count);
  }
  for (size_t i = 0; i < count; i++) {
    numbers[i] = number_of(self, item(self, node, i));
  }
}

/* Scenes. */

/* A position, and a quaternion x, y, z, w. */
static bench_motion_frame read_pose(document *self, const yaml_node_t *node) {
  const yaml_node_t *orientation = need(self, node, "orientation");
  bench_motion_frame frame;
  double q[4];
  read_numbers(self, need(self, node, "position"), frame.translation, 3);
  read_numbers(self, orientation, q, 4);
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (!(square > 0.5 && square < 2)) {
    bench_fail_at(self->path, line_of(orientation), "a quaternion of length %g", sqrt(square));
  }
  const double s = 2 / square, x = q[0], y = q[1], z = q[2], w = q[3];
  const double rotation[3][3] = {
      {1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
      {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
      {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
  memcpy(frame.rotation, rotation, sizeof rotation);
  return frame;
}

/* Lengths of edges; or height and radius; or a radius. */
static void read_primitive(document *self, const yaml_node_t *node, bench_motion_body *body) {
  const yaml_node_t *type = need(self, node, "type"), *sizes = need(self, node, "dimensions");
  const char *name = text_of(self, type);
  double size[3];
  if (strcmp(name, "box") == 0) {
    read_numbers(self, sizes, size, 3);
    body->shape = BENCH_MOTION_BOX;
    body->half = (mo_vec3){(float)(0.5 * size[0]), (float)(0.5 * size[1]), (float)(0.5 * size[2])};
  } else if (strcmp(name, "cylinder") == 0) {
    read_numbers(self, sizes, size, 2);
    body->shape = BENCH_MOTION_CYLINDER;
    body->half_length = (float)(0.5 * size[0]);
    body->radius = (float)size[1];
    size[2] = 1;
  } else if (strcmp(name, "sphere") == 0) {
    read_numbers(self, sizes, size, 1);
    body->shape = BENCH_MOTION_SPHERE;
    body->radius = (float)size[0];
    size[1] = size[2] = 1;
  } else {
    bench_fail_at(self->path, line_of(type), "an obstacle is a \"%s\", no box, cylinder or sphere",
                  name);
  }
  if (!(size[0] > 0 && size[1] > 0 && size[2] > 0)) {
    bench_fail_at(self->path, line_of(sizes), "an obstacle without size");
  }
}

static void read_object(document *self, const yaml_node_t *node, bench_motion_bodies *obstacles) {
  const yaml_node_t *primitives = need(self, node, "primitives");
  const yaml_node_t *poses = need(self, node, "primitive_poses"), *base = find(self, node, "pose");
  const size_t count = length_of(self, primitives);
  if (length_of(self, poses) != count) {
    bench_fail_at(self->path, line_of(poses), "%zu poses of %zu primitives", length_of(self, poses),
                  count);
  }
  for (size_t i = 0; i < count; i++) {
    bench_motion_body *body = bench_motion_add_body(obstacles);
    read_primitive(self, item(self, primitives, i), body);
    bench_motion_frame frame = read_pose(self, item(self, poses, i));
    if (base != NULL) {
      bench_motion_frame outer = read_pose(self, base);
      frame = bench_motion_multiply(&outer, &frame);
    }
    body->pose = bench_motion_transform(&frame);
  }
}

static void read_scene(const char *path, bench_motion_bodies *obstacles) {
  document self = load(path);
  const yaml_node_t *root = yaml_document_get_root_node(&self.yaml);
  const yaml_node_t *objects = need(&self, need(&self, root, "world"), "collision_objects");
  for (size_t i = 0; i < length_of(&self, objects); i++) {
    read_object(&self, item(&self, objects, i), obstacles);
  }
  if (obstacles->count == 0) {
    bench_fail_at(path, line_of(objects), "no obstacle");
  }
  yaml_document_delete(&self.yaml);
}

/* Requests. */

/* Sets the value of a joint, if it moves, and notes that it is set. */
static void set_value(const bench_motion_robot *robot, const char *name, double value,
                      bench_motion_configuration *to, uint32_t *set) {
  for (size_t i = 0; i < robot->joint_count; i++) {
    const bench_motion_joint *joint = &robot->joints[i];
    if (joint->type != BENCH_MOTION_FIXED && strcmp(joint->name, name) == 0) {
      to->value[joint->variable] = value;
      *set |= 1u << joint->variable;
    }
  }
}

/* Refuses unless the values of all joints that move are set. */
static void check_set(const document *self, const yaml_node_t *node,
                      const bench_motion_robot *robot, uint32_t set) {
  for (size_t i = 0; i < robot->joint_count; i++) {
    const bench_motion_joint *joint = &robot->joints[i];
    if (joint->type != BENCH_MOTION_FIXED && (set >> joint->variable & 1) == 0) {
      bench_fail_at(self->path, line_of(node), "no value of joint \"%s\"", joint->name);
    }
  }
}

static void read_start(document *self, const yaml_node_t *node, const bench_motion_robot *robot,
                       bench_motion_configuration *start) {
  const yaml_node_t *names = need(self, node, "name"), *values = need(self, node, "position");
  uint32_t set = 0;
  if (length_of(self, names) != length_of(self, values)) {
    bench_fail_at(self->path, line_of(values), "%zu values of %zu joints", length_of(self, values),
                  length_of(self, names));
  }
  for (size_t i = 0; i < length_of(self, names); i++) {
    set_value(robot, text_of(self, item(self, names, i)), number_of(self, item(self, values, i)),
              start, &set);
  }
  check_set(self, node, robot, set);
}

static void read_goal(document *self, const yaml_node_t *node, const bench_motion_robot *robot,
                      bench_motion_configuration *goal) {
  uint32_t set = 0;
  for (size_t i = 0; i < length_of(self, node); i++) {
    const yaml_node_t *constraint = item(self, node, i);
    set_value(robot, text_of(self, need(self, constraint, "joint_name")),
              number_of(self, need(self, constraint, "position")), goal, &set);
  }
  check_set(self, node, robot, set);
}

static void read_request(const char *path, const bench_motion_robot *robot,
                         bench_motion_problem *problem) {
  document self = load(path);
  const yaml_node_t *root = yaml_document_get_root_node(&self.yaml);
  const yaml_node_t *start = need(&self, need(&self, root, "start_state"), "joint_state");
  const yaml_node_t *goals = need(&self, root, "goal_constraints");
  if (length_of(&self, goals) == 0) {
    bench_fail_at(path, line_of(goals), "no goal");
  }
  read_start(&self, start, robot, &problem->start);
  read_goal(&self, need(&self, item(&self, goals, 0), "joint_constraints"), robot, &problem->goal);
  yaml_document_delete(&self.yaml);
}

void bench_motion_read_problem(const char *scene, const char *request,
                               const bench_motion_robot *robot, bench_motion_problem *problem) {
  *problem = (bench_motion_problem){.obstacles = {.item = NULL}};
  read_scene(scene, &problem->obstacles);
  read_request(request, robot, problem);
}
