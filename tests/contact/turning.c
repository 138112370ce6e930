/* Boxes that slide and turn on triangles, on a box and on a half-space, about the vertical and a
 * little tilted, in the middle of a floor and over the corner of a table: from step to step, what
 * supports them moves no farther than they do; where it has more corners than there are points,
 * these leave out little of it. */
#include "contact/floors.h"

enum { DIRECTIONS = 32, STEPS = 800 };

static const double turn = 0.002, slide = 0.001; /* of a step */

static mo_contact contacts[8];
static uint32_t total;

/* What boxes lie on: a mesh in a scene, or where there is none, a shape. Its top is at y = 0. */
typedef struct ground {
  mo_scene *scene;
  mo_primitive shape;
} ground;

static ground ground_of_mesh(const test_mesh *mesh) {
  const mo_transform identity = mo_transform_identity();
  mo_shape_id id;
  return (ground){.scene = surface_scene(mesh, NULL, &identity, &id)};
}

static ground ground_of_box(float side) {
  return (ground){.shape = moved(box_of(side, 1, side), 0, -1, 0)};
}

static ground ground_of_half_space(void) {
  return (ground){.shape = mo_primitive_of_half_space(mo_vec(0, 1, 0), 0)};
}

/* From -1 to 1. */
static test_mesh table_mesh(void) {
  test_mesh mesh = {0};
  test_mesh_add_corners(&mesh, mo_vec(-1, 0, -1), mo_vec(1, 0, -1), mo_vec(1, 0, 1));
  test_mesh_add_corners(&mesh, mo_vec(-1, 0, -1), mo_vec(1, 0, 1), mo_vec(-1, 0, 1));
  return mesh;
}

/* A rotation by one quaternion, and then by another. */
static mo_quat after(mo_quat p, mo_quat q) {
  return (mo_quat){
      p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

/* How far contacts reach along directions around the vertical, and how deep they are. */
typedef struct support {
  double reach[DIRECTIONS], deepest;
} support;

static void reach_to(support *s, double x, double z) {
  for (int i = 0; i < DIRECTIONS; i++) {
    double angle = 2 * 3.14159265358979 * i / DIRECTIONS;
    s->reach[i] = fmax(s->reach[i], cos(angle) * x + sin(angle) * z);
  }
}

static support no_support(void) {
  support s = {.deepest = INFINITY};
  for (int i = 0; i < DIRECTIONS; i++) {
    s.reach[i] = -INFINITY;
  }
  return s;
}

static void collide_with(const ground *g, const mo_primitive *p) {
  if (g->scene == NULL) {
    contacts[0].manifold = collide(g->shape, *p);
    total = contacts[0].manifold.point_count > 0;
    return;
  }
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = *p;
  cr_assert_eq(mo_scene_collide_shape(g->scene, &def, contacts, 8, &total, NULL), MO_OK);
}

static support support_of(const ground *g, const mo_primitive *p) {
  collide_with(g, p);
  cr_assert(total > 0 && total <= 8, "%u contacts", total);
  support s = no_support();
  for (uint32_t c = 0; c < total; c++) {
    const mo_manifold *m = &contacts[c].manifold;
    for (uint32_t i = 0; i < m->point_count; i++) {
      reach_to(&s, (double)m->points[i].position.x, (double)m->points[i].position.z);
      s.deepest = fmin(s.deepest, (double)m->points[i].separation);
    }
  }
  return s;
}

/* By how much one reaches farther than another. */
static double beyond(const support *a, const support *b) {
  double max = 0;
  for (int i = 0; i < DIRECTIONS; i++) {
    max = fmax(max, a->reach[i] - b->reach[i]);
  }
  return max;
}

/* The most that points leave out of a region, over its width in the same direction. */
static double left_out(const support *points, const support *region) {
  double max = 0;
  for (int i = 0; i < DIRECTIONS; i++) {
    double width = region->reach[i] + region->reach[(i + DIRECTIONS / 2) % DIRECTIONS];
    max = fmax(max, (region->reach[i] - points->reach[i] - 1e-5) / (width + 1e-5));
  }
  return max;
}

static mo_primitive turned_box(mo_vec3 half, mo_vec3 at, int step, mo_quat tilt) {
  mo_quat q = after(tilt, turned(mo_vec(0, 1, 0), turn * step));
  return placed(box_of(half.x, half.y, half.z), at, q);
}

/* Tilted by up to half a degree, so that all corners are contacts. */
static void expect_as_it_moves(const ground *g, rng *r, int run) {
  mo_vec3 half = {rng_float(r, 0.1f, 1.2f), 0.3f, rng_float(r, 0.1f, 1.2f)};
  mo_vec3 from = {rng_float(r, -2.9f, 2.9f), 0.299f, rng_float(r, -2.9f, 2.9f)};
  double lean = run % 2 == 0 ? 0 : 0.008, size = hypot((double)half.x, (double)half.z);
  mo_quat tilt = turned(mo_vec(0.6f, 0, 0.8f), lean);
  support last = no_support();
  for (int step = 0; step < STEPS; step++) {
    mo_vec3 at = mo_add(from, mo_vec((float)(0.6 * slide * step), 0, (float)(0.8 * slide * step)));
    mo_primitive p = turned_box(half, at, step, tilt);
    support now = support_of(g, &p);
    cr_assert(total == 1 && contacts[0].manifold.point_count == 4);
    double max = 1.01 * turn * size + slide + 1e-6;
    cr_assert(step == 0 || (beyond(&now, &last) <= max && beyond(&last, &now) <= max),
              "run %d, step %d: %g", run, step, beyond(&now, &last));
    cr_assert(step == 0 || fabs(now.deepest - last.deepest) <= 1.01 * lean * max + 1e-6);
    last = now;
  }
}

Test(turning, on_a_floor) {
  rng r = rng_make(rng_seed("turning", 211));
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  const ground grounds[] = {ground_of_mesh(&mesh), ground_of_box(6), ground_of_half_space()};
  for (int run = 0; run < (int)rng_rounds(4, 200); run++) {
    for (int i = 0; i < 3; i++) {
      expect_as_it_moves(&grounds[i], &r, run);
    }
  }
  mo_scene_destroy(grounds[0].scene);
  test_mesh_free(&mesh);
}

typedef struct polygon {
  int count;
  double x[16], z[16];
} polygon;

/* What of a polygon has sign * (x or z) <= 1. */
static polygon cut(const polygon *from, bool along_z, double sign) {
  polygon to = {.count = 0};
  for (int i = 0; i < from->count; i++) {
    int next = (i + 1) % from->count;
    double a = 1 - sign * (along_z ? from->z[i] : from->x[i]);
    double b = 1 - sign * (along_z ? from->z[next] : from->x[next]);
    if (a >= 0) {
      to.x[to.count] = from->x[i];
      to.z[to.count++] = from->z[i];
    }
    if ((a < 0) != (b < 0)) {
      double t = a / (a - b);
      to.x[to.count] = from->x[i] + t * (from->x[next] - from->x[i]);
      to.z[to.count++] = from->z[i] + t * (from->z[next] - from->z[i]);
    }
  }
  return to;
}

/* All that a box and the table have in common. */
static support common_support(const mo_primitive *box) {
  mo_vec3 half = box->geometry.box.half_extents;
  polygon all = {.count = 4};
  for (int i = 0; i < 4; i++) {
    mo_vec3 corner =
        mo_transform_point(&box->transform, mo_vec(i == 1 || i == 2 ? half.x : -half.x, -half.y,
                                                   i >= 2 ? half.z : -half.z));
    all.x[i] = (double)corner.x;
    all.z[i] = (double)corner.z;
  }
  for (int side = 0; side < 4; side++) {
    all = cut(&all, side & 1, side & 2 ? 1 : -1);
  }
  support s = no_support();
  for (int i = 0; i < all.count; i++) {
    reach_to(&s, all.x[i], all.z[i]);
  }
  return s;
}

/* With its middle over the table. Four points leave out up to 0.43 of the width of what the box and
 * the table have in common (contact/manifold/reduce.h), and others of its corners may be taken from
 * one step to the next. A face's normal is given up where it is worse by 1/128 of the thickness
 * (mo_collide): by so much the depth may change at once. */
static void expect_over_the_corner(const ground *g, rng *r, int run) {
  mo_vec3 half = {rng_float(r, 0.2f, 1.2f), 0.3f, rng_float(r, 0.2f, 1.2f)};
  mo_vec3 at = {rng_float(r, -0.9f, 0.9f), 0.299f, rng_float(r, -0.9f, 0.9f)};
  double lean = run % 2 == 0 ? 0 : 0.015, size = hypot((double)half.x, (double)half.z);
  double bias = (double)fminf(half.x, fminf(half.y, half.z)) / 64;
  mo_quat tilt = turned(mo_vec(0.6f, 0, 0.8f), lean);
  double deepest = 0;
  for (int step = 0; step < STEPS; step++) {
    mo_primitive p = turned_box(half, at, step, tilt);
    support now = support_of(g, &p);
    if (lean == 0) {
      support common = common_support(&p);
      cr_assert(beyond(&now, &common) <= 1e-5, "run %d, step %d: %g too far", run, step,
                beyond(&now, &common));
      cr_assert(left_out(&now, &common) <= 0.43, "run %d, step %d: %g", run, step,
                left_out(&now, &common));
    }
    cr_assert(step == 0 || fabs(now.deepest - deepest) <= bias + 1.01 * lean * turn * size + 1e-6,
              "run %d, step %d: %g, then %g", run, step, deepest, now.deepest);
    deepest = now.deepest;
  }
}

Test(turning, over_the_corner_of_a_table) {
  rng r = rng_make(rng_seed("turning table", 212));
  test_mesh mesh = table_mesh();
  const ground grounds[] = {ground_of_mesh(&mesh), ground_of_box(1)};
  for (int run = 0; run < (int)rng_rounds(4, 200); run++) {
    for (int i = 0; i < 2; i++) {
      expect_over_the_corner(&grounds[i], &r, run);
    }
  }
  mo_scene_destroy(grounds[0].scene);
  test_mesh_free(&mesh);
}
