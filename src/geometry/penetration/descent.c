/* The idea: let D be the difference of the bodies, and h(n) how far it reaches along a unit vector
 * n. A point q = t n with t > h(n) lies outside of D. GJK finds the closest point p of D, and with
 * it the direction m from p to q. D reaches no farther than p along m, so
 *
 *   h(m) = m p = m q - |q - p| <= t (m n) - (t - h(n)) = h(n) - t (1 - m n):
 *
 * m is never longer than n, and m = n only where p = h(n) n, at a local minimum. This also holds at
 * the edges of D, where h is not differentiable.
 *
 * Where D is nearly a ball around the origin, many directions are nearly as short, and m hardly
 * differs from n. So the residuals m - n are brought to zero by a quasi-Newton method (BFGS;
 * Nocedal and Wright, "Numerical Optimization", chapter 6): near the minimum they are a linear
 * function of n with a symmetric matrix, whose inverse is learned from the steps. Steps that make
 * the way out longer are taken back and shortened. */
#include "geometry/penetration/descent.h"

enum { MAX_STEPS = 32 };

/* Of the size: how far q lies outside; depths that differ by less are the same. */
static const double clearance = 0.25, same_depth = 0x1p-40;
/* Radians: residuals below this are rounding errors; the longest step. */
static const double same_direction = 0x1p-22, longest_step = 0.5;
/* How much longer steps become where residuals do not shrink; how much shorter, where one is taken
 * back. */
static const double growth = 8.0, retreat = 0.25;

/* The way out along the direction from the closest point of the difference to a point outside.
 * False for a point inside. */
static bool away_from(mo_difference *d, mo_dvec3 point, mo_way_out *way) {
  const mo_dvec3 offset = d->offset;
  d->offset = mo_dsub(offset, point);
  const mo_convex_gap gap = mo_difference_distance(d, INFINITY);
  d->offset = offset;
  if (!(gap.distance > 0.0)) {
    return false;
  }
  way->normal = mo_dunit(gap.normal);
  way->depth = mo_ddot(way->normal, mo_difference_support(d, way->normal).difference);
  return true;
}

/* A symmetric matrix, by its columns. */
typedef struct matrix {
  mo_dvec3 column[3];
} matrix;

static mo_dvec3 times(const matrix *m, mo_dvec3 v) {
  return mo_dadd(mo_dadd(mo_dscale(v.x, m->column[0]), mo_dscale(v.y, m->column[1])),
                 mo_dscale(v.z, m->column[2]));
}

/* Adds factor * (v w^T + w v^T). */
static void add_product(matrix *m, double factor, mo_dvec3 v, mo_dvec3 w) {
  const double vs[3] = {v.x, v.y, v.z}, ws[3] = {w.x, w.y, w.z};
  for (int i = 0; i < 3; ++i) {
    m->column[i] =
        mo_dadd(m->column[i], mo_dadd(mo_dscale(factor * ws[i], v), mo_dscale(factor * vs[i], w)));
  }
}

/* Updates the inverse by a step, over which the residual shrank by `shrunk`. If it did not shrink
 * along the step, the next step that way will be longer. */
static void learn(matrix *inverse, mo_dvec3 moved, mo_dvec3 shrunk) {
  const double square = mo_ddot(moved, moved);
  if (!(mo_ddot(moved, shrunk) > 0x1p-20 * square)) {
    shrunk = mo_dscale(square / (growth * mo_ddot(moved, times(inverse, moved))), moved);
  }
  const mo_dvec3 guess = times(inverse, shrunk);
  const double product = mo_ddot(moved, shrunk);
  add_product(inverse, -1.0 / product, moved, guess);
  add_product(inverse, 0.5 * (1.0 + mo_ddot(shrunk, guess) / product) / product, moved, moved);
}

void mo_difference_shorten(mo_difference *d, double size, mo_way_out *out) {
  const double far = out->depth + clearance * size;
  matrix inverse = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  mo_dvec3 at = out->normal, residual = {0.0, 0.0, 0.0}, step = residual;
  for (int i = 0; i < MAX_STEPS; ++i) {
    const mo_dvec3 next = mo_dunit(mo_dadd(at, step));
    mo_way_out way;
    if (!away_from(d, mo_dscale(far, next), &way) ||
        !(way.depth <= out->depth + same_depth * size)) {
      step = mo_dscale(retreat, step);
      if (!(mo_dlength(step) > same_direction)) {
        return;
      }
      continue;
    }
    if (way.depth < out->depth) {
      *out = way;
    }
    const mo_dvec3 rest = mo_dsub(way.normal, next);
    if (mo_dlength(rest) <= same_direction) {
      return;
    }
    if (mo_ddot(step, step) > 0.0) {
      learn(&inverse, mo_dsub(next, at), mo_dsub(residual, rest));
    }
    at = next;
    residual = rest;
    step = times(&inverse, rest);
    const double length = mo_dlength(step);
    step = length > longest_step ? mo_dscale(longest_step / length, step) : step;
  }
}
