/* Queries of vertices that move each on its own, by Motte.
 *
 * Its impacts (motte/continuous.h) are those of shapes that move rigidly. Here only distances are
 * Motte's, by mo_primitive_find_distance, and the search over time is written on top of them: the
 * closest points at a time give a normal, and the plane between the two shapes separates them for
 * as long as all differences of their vertices, which move linearly, have a positive product with
 * it. So the search goes on at the time when the first of them has none. It ends when the shapes
 * are closer than a tolerance, or nearly so: the query counts as a collision then.
 *
 * Distances are of positions rounded to float, but that a normal separates is computed from the
 * doubles. So no rounding, nor a wrong distance, makes the search miss a collision. */
#include <float.h>
#include <math.h>
#include <motte/motte.h>

#include "ccd.h"
#include "common/check.h"

/* Beyond MAX_STEPS the answer is that they collide. */
enum { MAX_STEPS = 1000, CORNERS = 4 };

/* Of the largest coordinate: what counts as touching, and what rounding may do to a product. */
static const double TOLERANCE = 0x1p-20, ROUNDING = 0x1p-46;

/* Differences between the vertices of both shapes: of the face or of the second edge, and of the
 * vertex or of the first edge. Their convex hull is that of all differences of points. */
typedef struct motion {
  const bench_ccd_query *query;
  double center[3], size;
  size_t corners;                                 /* three for a face, four for two edges */
  double start[CORNERS][3], movement[CORNERS][3]; /* of the differences */
} motion;

static void find_differences(motion *self) {
  const bench_ccd_query *q = self->query;
  self->corners = q->of_edges ? 4 : 3;
  for (size_t i = 0; i < self->corners; i++) {
    size_t a = q->of_edges ? i / 2 : 0, b = q->of_edges ? 2 + i % 2 : 1 + i;
    for (size_t k = 0; k < 3; k++) {
      self->start[i][k] = q->vertices[0][b][k] - q->vertices[0][a][k];
      self->movement[i][k] = q->vertices[1][b][k] - q->vertices[1][a][k] - self->start[i][k];
    }
  }
}

/* Positions are taken about the middle of all, so that floats are fine enough. */
static motion begin(const bench_ccd_query *query) {
  motion self = {.query = query};
  for (size_t k = 0; k < 3; k++) {
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < 8; i++) {
      double x = query->vertices[i / 4][i % 4][k];
      min = fmin(min, x);
      max = fmax(max, x);
    }
    self.center[k] = 0.5 * (min + max);
    /* Rounding is that of the coordinates as they are. */
    self.size = fmax(self.size, fmax(fabs(min), fabs(max)));
  }
  find_differences(&self);
  return self;
}

static mo_vec3 position(const motion *self, size_t vertex, double t) {
  double p[3];
  for (size_t k = 0; k < 3; k++) {
    double a = self->query->vertices[0][vertex][k], b = self->query->vertices[1][vertex][k];
    p[k] = (1 - t) * a + t * b - self->center[k];
  }
  return (mo_vec3){(float)p[0], (float)p[1], (float)p[2]};
}

/* From the vertex or the first edge to the face or the second edge. */
static mo_primitive_distance find_distance(const motion *self, double t) {
  mo_vec3 p[4];
  for (size_t i = 0; i < 4; i++) {
    p[i] = position(self, i, t);
  }
  bool of_edges = self->query->of_edges;
  mo_primitive a = of_edges ? mo_primitive_of_segment(p[0], p[1]) : mo_primitive_of_point(p[0]);
  mo_primitive b =
      of_edges ? mo_primitive_of_segment(p[2], p[3]) : mo_primitive_of_triangle(p[1], p[2], p[3]);
  mo_primitive_distance distance;
  check(mo_primitive_find_distance(&a, &b, INFINITY, &distance), "mo_primitive_find_distance");
  return distance;
}

/* The time until which a normal separates the shapes for certain; t itself if not even then. */
static double separated_until(const motion *self, mo_vec3 normal, double t) {
  double n[3] = {normal.x, normal.y, normal.z}, margin = ROUNDING * self->size, until = INFINITY;
  for (size_t i = 0; i < self->corners; i++) {
    double height = 0, speed = 0;
    for (size_t k = 0; k < 3; k++) {
      height += n[k] * self->start[i][k];
      speed += n[k] * self->movement[i][k];
    }
    if (!(height + t * speed > margin)) {
      return t;
    }
    if (speed < 0) {
      until = fmin(until, (margin - height) / speed);
    }
  }
  return until;
}

static bool find_collision(const bench_ccd_query *query) {
  motion self = begin(query);
  double t = 0;
  for (int step = 0; step < MAX_STEPS; step++) {
    mo_primitive_distance distance = find_distance(&self, t);
    if (distance.distance <= TOLERANCE * self.size) {
      return true;
    }
    double until = separated_until(&self, distance.normal, t);
    if (until > 1) {
      return false;
    }
    if (!(until > t)) {
      return true;
    }
    t = until;
  }
  return true;
}

static void run(const bench_ccd_query *queries, size_t count, bool *collides) {
  for (size_t i = 0; i < count; i++) {
    collides[i] = find_collision(&queries[i]);
  }
}

const bench_ccd_engine bench_ccd_motte[] = {
    {.id = {"motte", NULL}, .run = run, .finds_all = true},
    {.id = {NULL, NULL}},
};
