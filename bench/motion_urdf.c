/* Robots from URDF and SRDF, which are XML, by Expat.
 *
 * Of a URDF: links with their collision geometry, and joints. Of an SRDF: disable_collisions. */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "grow.h"
#include "motion_files.h"
#include "text.h"

enum { MAX_DEPTH = 32 };

typedef struct reader {
  XML_Parser parser;
  const char *path;
  bench_motion_robot *robot;
  bool as_hulls;
  char folder[512];            /* of the file, in which meshes are */
  const char *open[MAX_DEPTH]; /* the elements around, outermost first; copies */
  int depth;
  /* The collision geometry at hand. */
  bench_motion_frame origin;
  char *mesh;
  double scale[3], radius;
  bool has_geometry;
  /* Of an SRDF. */
  bool *disabled;
} reader;

static const double ZERO[3] = {0, 0, 0};

/* Of the file, for messages. */
static size_t line_of(const reader *self) {
  return (size_t)XML_GetCurrentLineNumber(self->parser);
}

/* Attributes. */

static const char *find(const char **attributes, const char *name) {
  for (size_t i = 0; attributes[i] != NULL; i += 2) {
    if (strcmp(attributes[i], name) == 0) {
      return attributes[i + 1];
    }
  }
  return NULL;
}

static const char *need(const reader *self, const char **attributes, const char *name) {
  const char *text = find(attributes, name);
  if (text == NULL) {
    bench_fail_at(self->path, line_of(self), "<%s> has no %s", self->open[self->depth - 1], name);
  }
  return text;
}

/* Numbers with blanks between them; `initial` if the attribute is not there. */
static void read_numbers(const reader *self, const char **attributes, const char *name,
                         const double *initial, double *numbers, size_t count) {
  const char *text = initial == NULL ? need(self, attributes, name) : find(attributes, name);
  if (text == NULL) {
    memcpy(numbers, initial, count * sizeof *numbers);
    return;
  }
  const char *rest = text;
  for (size_t i = 0; i < count; i++) {
    char *end;
    numbers[i] = strtod(rest, &end);
    if (end == rest || !isfinite(numbers[i])) {
      bench_fail_at(self->path, line_of(self), "%s=\"%s\" is not %zu numbers", name, text, count);
    }
    rest = end;
  }
  if (rest[strspn(rest, " \t\r\n")] != '\0') {
    bench_fail_at(self->path, line_of(self), "%s=\"%s\" is more than %zu numbers", name, text,
                  count);
  }
}

/* Elements. */

static bool is_in(const reader *self, const char *name, int level) {
  return self->depth > level && strcmp(self->open[level], name) == 0;
}

static void add_link(reader *self, const char **attributes) {
  bench_motion_robot *robot = self->robot;
  const char *name = need(self, attributes, "name");
  if (bench_motion_find_link(robot, name) < robot->link_count) {
    bench_fail_at(self->path, line_of(self), "link \"%s\" is there twice", name);
  }
  if (robot->link_count == robot->link_capacity) {
    robot->link_names =
        bench_grow(robot->link_names, &robot->link_capacity, sizeof *robot->link_names);
  }
  robot->link_names[robot->link_count++] = bench_format("%s", name);
}

static void add_joint(reader *self, const char **attributes) {
  static const struct {
    const char *name;
    bench_motion_joint_type type;
  } types[] = {{"fixed", BENCH_MOTION_FIXED},
               {"revolute", BENCH_MOTION_REVOLUTE},
               {"continuous", BENCH_MOTION_REVOLUTE},
               {"prismatic", BENCH_MOTION_PRISMATIC}};
  bench_motion_robot *robot = self->robot;
  const char *type = need(self, attributes, "type");
  bench_motion_joint joint = {.name = bench_format("%s", need(self, attributes, "name")),
                              .origin = bench_motion_frame_of(ZERO, ZERO),
                              .axis = {1, 0, 0},
                              .lower = -3.14159265358979323846,
                              .upper = 3.14159265358979323846};
  size_t i = 0;
  while (i < sizeof types / sizeof *types && strcmp(types[i].name, type) != 0) {
    i++;
  }
  if (i == sizeof types / sizeof *types) {
    bench_fail_at(
        self->path, line_of(self),
        "joint \"%s\" has the type \"%s\": only fixed, revolute, continuous and prismatic "
        "are read",
        joint.name, type);
  }
  joint.type = types[i].type;
  if (robot->joint_count == robot->joint_capacity) {
    robot->joints = bench_grow(robot->joints, &robot->joint_capacity, sizeof *robot->joints);
  }
  robot->joints[robot->joint_count++] = joint;
}

static bench_motion_frame read_origin(const reader *self, const char **attributes) {
  double translation[3], angles[3];
  read_numbers(self, attributes, "xyz", ZERO, translation, 3);
  read_numbers(self, attributes, "rpy", ZERO, angles, 3);
  return bench_motion_frame_of(translation, angles);
}

static void read_axis(const reader *self, const char **attributes, bench_motion_joint *joint) {
  read_numbers(self, attributes, "xyz", NULL, joint->axis, 3);
  double length = sqrt(joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] +
                       joint->axis[2] * joint->axis[2]);
  if (!(length > 0) && joint->type != BENCH_MOTION_FIXED) {
    bench_fail_at(self->path, line_of(self), "the axis of joint \"%s\" has no direction",
                  joint->name);
  }
  for (int i = 0; i < 3 && length > 0; i++) {
    joint->axis[i] /= length;
  }
}

static void read_of_joint(reader *self, const char *name, const char **attributes) {
  bench_motion_joint *joint = &self->robot->joints[self->robot->joint_count - 1];
  if (strcmp(name, "origin") == 0) {
    joint->origin = read_origin(self, attributes);
  } else if (strcmp(name, "parent") == 0 || strcmp(name, "child") == 0) {
    char **end = name[0] == 'p' ? &joint->parent : &joint->child;
    free(*end);
    *end = bench_format("%s", need(self, attributes, "link"));
  } else if (strcmp(name, "axis") == 0) {
    read_axis(self, attributes, joint);
  } else if (strcmp(name, "limit") == 0) {
    read_numbers(self, attributes, "lower", ZERO, &joint->lower, 1);
    read_numbers(self, attributes, "upper", ZERO, &joint->upper, 1);
  } else if (strcmp(name, "mimic") == 0 && joint->type != BENCH_MOTION_FIXED) {
    bench_fail_at(self->path, line_of(self), "joint \"%s\" moves with another one", joint->name);
  }
}

static void read_geometry(reader *self, const char *name, const char **attributes) {
  static const double ONE[3] = {1, 1, 1};
  if (self->has_geometry) {
    bench_fail_at(self->path, line_of(self), "a second geometry in one <collision>");
  }
  self->has_geometry = true;
  if (strcmp(name, "mesh") == 0) {
    self->mesh = bench_format("%s", need(self, attributes, "filename"));
    read_numbers(self, attributes, "scale", ONE, self->scale, 3);
  } else if (strcmp(name, "sphere") == 0) {
    read_numbers(self, attributes, "radius", NULL, &self->radius, 1);
    if (!(self->radius > 0)) {
      bench_fail_at(self->path, line_of(self), "a sphere of radius %g", self->radius);
    }
  } else {
    bench_fail_at(self->path, line_of(self),
                  "collision geometry is a <%s>, neither a mesh nor a sphere", name);
  }
}

static void start_urdf(void *context, const char *name, const char **attributes) {
  reader *self = context;
  if (self->depth == MAX_DEPTH) {
    bench_fail_at(self->path, line_of(self), "more than %d elements in each other", MAX_DEPTH);
  }
  self->open[self->depth++] = bench_format("%s", name);
  if (self->depth == 1 && strcmp(name, "robot") != 0) {
    bench_fail_at(self->path, line_of(self), "the first element is <%s>, not <robot>", name);
  } else if (self->depth == 2 && strcmp(name, "link") == 0) {
    add_link(self, attributes);
  } else if (self->depth == 2 && strcmp(name, "joint") == 0) {
    add_joint(self, attributes);
  } else if (self->depth == 3 && is_in(self, "joint", 1)) {
    read_of_joint(self, name, attributes);
  } else if (self->depth == 3 && is_in(self, "link", 1) && strcmp(name, "collision") == 0) {
    self->origin = bench_motion_frame_of(ZERO, ZERO);
    self->has_geometry = false;
  } else if (is_in(self, "link", 1) && is_in(self, "collision", 2)) {
    if (self->depth == 4 && strcmp(name, "origin") == 0) {
      self->origin = read_origin(self, attributes);
    } else if (self->depth == 5 && is_in(self, "geometry", 3)) {
      read_geometry(self, name, attributes);
    }
  }
}

/* Meshes. */

static void add_mesh(reader *self, bench_motion_body *body) {
  static const char package[] = "package://";
  const char *file = self->mesh;
  if (strncmp(file, package, sizeof package - 1) == 0) {
    file += sizeof package - 1;
  }
  char *path = file[0] == '/' ? bench_format("%s", file) : bench_format("%s%s", self->folder, file);
  bench_mesh *mesh = bench_mesh_load(path);
  free(path);
  for (uint32_t i = 0; i < mesh->triangles.vertex_count; i++) {
    mo_vec3 *p = &mesh->triangles.positions[i];
    const double local[3] = {self->scale[0] * p->x, self->scale[1] * p->y, self->scale[2] * p->z};
    double moved[3];
    for (int r = 0; r < 3; r++) {
      const double *row = self->origin.rotation[r];
      moved[r] =
          row[0] * local[0] + row[1] * local[1] + row[2] * local[2] + self->origin.translation[r];
    }
    *p = (mo_vec3){(float)moved[0], (float)moved[1], (float)moved[2]};
  }
  bench_mesh_find_bounds(mesh);
  if (self->as_hulls) {
    bench_mesh *hull = bench_mesh_hull_of(mesh->triangles.positions, mesh->triangles.vertex_count);
    bench_mesh_free(mesh);
    mesh = hull;
  }
  body->shape = self->as_hulls ? BENCH_MOTION_HULL : BENCH_MOTION_MESH;
  body->mesh = mesh;
}

static void end_urdf(void *context, const char *name) {
  reader *self = context;
  if (self->depth == 3 && is_in(self, "link", 1) && strcmp(name, "collision") == 0) {
    if (!self->has_geometry) {
      bench_fail_at(self->path, line_of(self), "a <collision> without geometry");
    }
    bench_motion_body *body = bench_motion_add_body(&self->robot->parts);
    const double *t = self->origin.translation;
    body->link = (uint32_t)(self->robot->link_count - 1);
    if (self->mesh != NULL) {
      add_mesh(self, body);
    } else {
      body->shape = BENCH_MOTION_SPHERE;
      body->center = (mo_vec3){(float)t[0], (float)t[1], (float)t[2]};
      body->radius = (float)self->radius;
    }
    free(self->mesh);
    self->mesh = NULL;
  }
  free((void *)self->open[--self->depth]);
}

/* SRDF. */

static uint32_t need_link(const reader *self, const char **attributes, const char *name) {
  const char *text = need(self, attributes, name);
  uint32_t link = bench_motion_find_link(self->robot, text);
  if (link == self->robot->link_count) {
    bench_fail_at(self->path, line_of(self), "the robot has no link \"%s\"", text);
  }
  return link;
}

static void start_srdf(void *context, const char *name, const char **attributes) {
  reader *self = context;
  const size_t count = self->robot->link_count;
  if (self->depth == MAX_DEPTH) {
    bench_fail_at(self->path, line_of(self), "more than %d elements in each other", MAX_DEPTH);
  }
  self->open[self->depth++] = bench_format("%s", name);
  if (self->depth == 2 && strcmp(name, "disable_collisions") == 0) {
    uint32_t a = need_link(self, attributes, "link1"), b = need_link(self, attributes, "link2");
    self->disabled[a * count + b] = self->disabled[b * count + a] = true;
  }
}

static void end_srdf(void *context, const char *name) {
  reader *self = context;
  (void)name;
  free((void *)self->open[--self->depth]);
}

static void parse(reader *self, const char *path, XML_StartElementHandler start,
                  XML_EndElementHandler end) {
  char *text = bench_read_text(path);
  self->path = path;
  self->parser = XML_ParserCreate(NULL);
  if (self->parser == NULL) {
    fail("cannot allocate a parser of XML");
  }
  XML_SetUserData(self->parser, self);
  XML_SetElementHandler(self->parser, start, end);
  if (XML_Parse(self->parser, text, (int)strlen(text), XML_TRUE) != XML_STATUS_OK) {
    bench_fail_at(self->path, line_of(self), "%s", XML_ErrorString(XML_GetErrorCode(self->parser)));
  }
  XML_ParserFree(self->parser);
  free(text);
}

bench_motion_robot *bench_motion_read_robot(const char *urdf, const char *srdf, bool as_hulls) {
  reader self = {.robot = allocate(1, sizeof *self.robot), .as_hulls = as_hulls};
  const char *slash = strrchr(urdf, '/');
  const size_t length = slash != NULL ? (size_t)(slash - urdf) + 1 : 0;
  if (length >= sizeof self.folder) {
    fail("%s is too long a path", urdf);
  }
  memcpy(self.folder, urdf, length);
  parse(&self, urdf, start_urdf, end_urdf);
  bench_motion_complete_robot(self.robot, urdf);
  self.disabled = allocate(self.robot->link_count * self.robot->link_count, 1);
  parse(&self, srdf, start_srdf, end_srdf);
  bench_motion_set_pairs(self.robot, self.disabled);
  free(self.disabled);
  return self.robot;
}
