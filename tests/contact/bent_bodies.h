/* Convex bodies for tests of contacts with bent grounds: as the library sees them, and as polytopes
 * in long double. */
#ifndef TEST_CONTACT_BENT_BODIES_H
#define TEST_CONTACT_BENT_BODIES_H

#include <motte/hull.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/surface.h"
#include "support/steady.h"

#define BODY_KINDS(X)                                                                              \
  X(BALL, "ball")                                                                                  \
  X(CAPSULE, "capsule")                                                                            \
  X(BOX, "box")                                                                                    \
  X(PLANK, "plank")                                                                                \
  X(PLATE, "plate")                                                                                \
  X(HULL, "hull")                                                                                  \
  X(CYLINDER, "cylinder")                                                                          \
  X(CONE, "cone")                                                                                  \
  X(ROUNDED, "rounded box")

typedef enum body_kind {
#define BODY_ENUM(name, text) BODY_##name,
  BODY_KINDS(BODY_ENUM)
#undef BODY_ENUM
      BODY_KIND_COUNT,
} body_kind;

static inline const char *body_kind_name(body_kind kind) {
  static const char *const names[] = {
#define BODY_NAME(name, text) text,
      BODY_KINDS(BODY_NAME)
#undef BODY_NAME
  };
  return names[kind];
}

/* In its own frame: the points within `rounding` of `core` are the body, or all but a part of it if
 * it is a cylinder or a cone (whose core is inscribed); `outer` contains it. */
typedef struct bent_body {
  body_kind kind;
  mo_geometry geometry;
  mo_vec3 scale; /* of the transform */
  polytope core, outer;
  ldouble rounding, diameter, thickness;
} bent_body;

enum { ROUND_SIDES = 16, BENT_HULLS = 6, BENT_HULL_POINTS = 12 };

static inline void box_vertices(polytope *p, ldouble x, ldouble y, ldouble z) {
  p->vertex_count = 8;
  for (int i = 0; i < 8; i++) {
    p->vertices[i] = (ldvec){i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z};
  }
}

static inline void ring_vertices(polytope *p, ldouble height, ldouble radius) {
  for (int i = 0; i < ROUND_SIDES; i++) {
    ldouble angle = 2 * 3.14159265358979323846L * i / ROUND_SIDES;
    p->vertices[p->vertex_count++] = (ldvec){radius * cosl(angle), height, radius * sinl(angle)};
  }
}

static inline void cylinder_vertices(polytope *p, ldouble half, ldouble radius) {
  p->vertex_count = 0;
  ring_vertices(p, -half, radius);
  ring_vertices(p, half, radius);
}

static inline void cone_vertices(polytope *p, ldouble half, ldouble radius) {
  p->vertex_count = 1;
  p->vertices[0] = (ldvec){0, half, 0};
  ring_vertices(p, -half, radius);
}

/* A polytope of a kind, of which only the vertices are to be replaced. */
static inline polytope *body_topology(body_kind kind, uint32_t hull) {
  static polytope *of_kind[3], *of_hull[BENT_HULLS];
  int index = kind == BODY_CYLINDER ? 1 : kind == BODY_CONE ? 2 : 0;
  polytope **p = kind == BODY_HULL ? &of_hull[hull] : &of_kind[index];
  if (*p == NULL) {
    *p = calloc(1, sizeof **p);
    if (kind == BODY_HULL) {
      rng r = rng_make(4000 + hull);
      (*p)->vertex_count = BENT_HULL_POINTS;
      for (int i = 0; i < BENT_HULL_POINTS; i++) {
        (*p)->vertices[i] = ld_float(hull < 2 ? rng_vec3(&r, -0.6f, 0.6f) : rng_direction(&r));
      }
    } else if (kind == BODY_CYLINDER) {
      cylinder_vertices(*p, 1, 1);
    } else if (kind == BODY_CONE) {
      cone_vertices(*p, 1, 1);
    } else {
      box_vertices(*p, 1, 1, 1);
    }
    polytope_build(*p);
  }
  return *p;
}

static inline mo_hull *bent_hull(uint32_t index) {
  static mo_hull *hulls[BENT_HULLS];
  if (hulls[index] == NULL) {
    const polytope *p = body_topology(BODY_HULL, index);
    mo_vec3 points[BENT_HULL_POINTS];
    for (int i = 0; i < BENT_HULL_POINTS; i++) {
      ldvec v = p->vertices[i];
      points[i] = (mo_vec3){(float)v.x, (float)v.y, (float)v.z};
    }
    mo_hull_def def = mo_default_hull_def();
    def.positions = points;
    def.position_count = BENT_HULL_POINTS;
    if (mo_hull_create(&def, &hulls[index]) != MO_OK) {
      abort();
    }
  }
  return hulls[index];
}

static inline void make_box_body(bent_body *b, float x, float y, float z) {
  b->geometry = (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {x, y, z}}};
  b->core = b->outer = *body_topology(BODY_BOX, 0);
  box_vertices(&b->core, x, y, z);
  b->outer = b->core;
}

static inline void make_round_body(bent_body *b, float half, float radius) {
  bool cone = b->kind == BODY_CONE;
  b->core = *body_topology(b->kind, 0);
  b->outer = b->core;
  ldouble beyond = radius / cosl(3.14159265358979323846L / ROUND_SIDES);
  if (cone) {
    b->geometry =
        (mo_geometry){.type = MO_SHAPE_CONE, .cone = {{0, half, 0}, {0, -half, 0}, radius}};
    cone_vertices(&b->core, half, radius);
    cone_vertices(&b->outer, half, beyond);
  } else {
    b->geometry =
        (mo_geometry){.type = MO_SHAPE_CYLINDER, .cylinder = {{0, -half, 0}, {0, half, 0}, radius}};
    cylinder_vertices(&b->core, half, radius);
    cylinder_vertices(&b->outer, half, beyond);
  }
}

static inline void make_capsule_body(bent_body *b, float half, float radius) {
  b->geometry =
      (mo_geometry){.type = MO_SHAPE_CAPSULE, .capsule = {{-half, 0, 0}, {half, 0, 0}, radius}};
  b->outer = *body_topology(BODY_BOX, 0);
  box_vertices(&b->outer, (ldouble)half + radius, radius, radius);
  b->core.vertex_count = 2;
  b->core.vertices[0] = (ldvec){-half, 0, 0};
  b->core.vertices[1] = (ldvec){half, 0, 0};
  polytope_build(&b->core);
  b->rounding = radius;
}

static inline void make_ball_body(bent_body *b, float radius) {
  b->geometry = (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, radius}};
  b->outer = *body_topology(BODY_BOX, 0);
  box_vertices(&b->outer, radius, radius, radius);
  b->core.vertex_count = 1;
  b->core.vertices[0] = (ldvec){0, 0, 0};
  b->rounding = radius;
}

static inline void make_hull_body(bent_body *b, rng *r, float size) {
  uint32_t index = rng_below(r, BENT_HULLS);
  b->geometry = (mo_geometry){.type = MO_SHAPE_HULL, .hull = bent_hull(index)};
  b->core = b->outer = *body_topology(BODY_HULL, index);
  b->scale = (mo_vec3){size, size, size};
}

/* Random proportions; its longest half extent is about `size`. */
static inline bent_body bent_body_make(body_kind kind, float size, rng *r) {
  bent_body b = {.kind = kind, .scale = {1, 1, 1}};
  float u = rng_float(r, 0.2f, 1), v = rng_float(r, 0.2f, 1);
  switch (kind) {
  case BODY_BALL:
    make_ball_body(&b, size);
    break;
  case BODY_CAPSULE:
    make_capsule_body(&b, size * u, size * v * u);
    break;
  case BODY_PLANK:
    make_box_body(&b, size, 0.025f * size, 0.075f * size);
    break;
  case BODY_PLATE:
    make_box_body(&b, size, 0.02f * size, u * size);
    break;
  case BODY_HULL:
    make_hull_body(&b, r, size);
    break;
  case BODY_CYLINDER:
  case BODY_CONE:
    make_round_body(&b, size * u, size * v);
    break;
  default:
    make_box_body(&b, size, u * size, v * size);
  }
  if (kind == BODY_ROUNDED) {
    b.geometry.rounding = 0.3f * v * size;
    b.rounding = b.geometry.rounding;
    box_vertices(&b.outer, size + b.rounding, u * size + b.rounding, v * size + b.rounding);
  }
  ldouble widths[3] = {0, 0, 0};
  for (int axis = 0; axis < 3; axis++) {
    ldvec n = {axis == 0, axis == 1, axis == 2};
    ldouble low, high;
    range_along(b.outer.vertices, b.outer.vertex_count, n, &low, &high);
    widths[axis] = (high - low) * b.scale.x;
  }
  b.thickness = fminl(widths[0], fminl(widths[1], widths[2]));
  b.diameter = fmaxl(widths[0], fmaxl(widths[1], widths[2]));
  return b;
}

/* How far the body is in a triangle: the shortest translation that separates them, but where the
 * segment of a capsule passes through the triangle, or for cylinders and cones, less. Negative:
 * they are at least that far apart. `core` is the body's, in the world. */
static inline ldouble body_depth(const bent_body *b, const polytope *core, const ldvec t[3]) {
  if (polytope_meets(core, t)) {
    return (core->vertex_count > 2 ? polytope_depth(core, t) : 0) + b->rounding;
  }
  if (b->rounding == 0) {
    return polytope_depth(core, t);
  }
  nearest_pair pair = {.distance = INFINITY};
  polytope_nearest(core, t, &pair);
  return b->rounding - pair.distance;
}

#endif
