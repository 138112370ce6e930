/* Local descent from one separating translation to a shorter one.
 *
 * Let D be the difference of the bodies, and h(n) how far it reaches along a unit vector
 * n. A point q = t n with t > h(n) lies outside of D. GJK finds the closest point p of D, and with
 * it the direction m from p to q. D reaches no farther than p along m, so
 *
 *   h(m) = m p = m q - |q - p| <= t (m n) - (t - h(n)) = h(n) - t (1 - m n):
 *
 * the translation along m is never longer than along n, and m = n only where p = h(n) n, at a local
 * minimum. This also holds at the edges of D, where h is not differentiable.
 *
 * Where D is nearly a ball around the origin, many directions are nearly as short, and m hardly
 * differs from n. So the residuals m - n are brought to zero by a quasi-Newton method (BFGS;
 * Nocedal and Wright, "Numerical Optimization", chapter 6): near the minimum they are a linear
 * function of n with a symmetric matrix, whose inverse is learned from the steps. Steps that make
 * the translation longer are taken back and shortened. */
#include "geometry/penetration/push_outs.h"

enum { MAX_DESCENT_STEPS = 32 };

/* Both relative to the size. outside_distance: how far outside of the difference D the point lies
 * to which the closest point of D is sought. depth_tolerance: depths that differ by less count as
 * equal. */
static const double outside_distance = 0.25, depth_tolerance = 0x1p-40;
/* In radians. Residuals below min_residual are rounding errors; no step is longer than max_step. */
static const double min_residual = 0x1p-22, max_step = 0.5;
/* Factors of the step length: step_growth where residuals do not shrink, step_shrinkage where a
 * step is taken back. */
static const double step_growth = 8.0, step_shrinkage = 0.25;

/* For a point outside of the difference: the separating translation along the direction from the
 * difference's closest point to that point. Returns false for a point inside. */
static bool find_exit(mo_difference *d, mo_dvec3 point, mo_push_out *found) {
  const mo_dvec3 offset = d->offset;
  d->offset = mo_dsub(offset, point);
  const mo_convex_gap gap = mo_difference_distance(d, INFINITY, NULL);
  d->offset = offset;
  if (!(gap.distance > 0.0)) {
    return false;
  }
  found->normal = mo_dunit(gap.normal);
  found->depth = mo_ddot(found->normal, mo_difference_support(d, found->normal).difference);
  return true;
}

typedef struct matrix {
  mo_dvec3 column[3];
} matrix;

/* Adds factor * (v w^T + w v^T) to a matrix. */
static void add_product(matrix *m, double factor, mo_dvec3 v, mo_dvec3 w) {
  const double vs[3] = {v.x, v.y, v.z}, ws[3] = {w.x, w.y, w.z};
  for (int i = 0; i < 3; ++i) {
    m->column[i] =
        mo_dadd(m->column[i], mo_dadd(mo_dscale(factor * ws[i], v), mo_dscale(factor * vs[i], w)));
  }
}

/* The BFGS update of the inverse by a step, over which the residual decreased by `decrease`. If
 * the residual did not shrink along the step, the next step in that direction is longer. */
static void update_inverse(matrix *inverse, mo_dvec3 step, mo_dvec3 decrease) {
  const double square = mo_ddot(step, step);
  if (!(mo_ddot(step, decrease) > 0x1p-20 * square)) {
    decrease = mo_dscale(
        square / (step_growth * mo_ddot(step, mo_map_columns(inverse->column, step))), step);
  }
  const mo_dvec3 guess = mo_map_columns(inverse->column, decrease);
  const double product = mo_ddot(step, decrease);
  add_product(inverse, -1.0 / product, step, guess);
  add_product(inverse, 0.5 * (1.0 + mo_ddot(decrease, guess) / product) / product, step, step);
}

void mo_difference_shorten_push_out(mo_difference *d, double size, mo_push_out *out) {
  const double far = out->depth + outside_distance * size;
  matrix inverse = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  mo_dvec3 at = out->normal, residual = {0.0, 0.0, 0.0}, step = residual;
  for (int i = 0; i < MAX_DESCENT_STEPS; ++i) {
    const mo_dvec3 next = mo_dunit(mo_dadd(at, step));
    mo_push_out found;
    if (!find_exit(d, mo_dscale(far, next), &found) ||
        !(found.depth <= out->depth + depth_tolerance * size)) {
      step = mo_dscale(step_shrinkage, step);
      if (!(mo_dlength(step) > min_residual)) {
        return;
      }
      continue;
    }
    if (found.depth < out->depth) {
      *out = found;
    }
    const mo_dvec3 rest = mo_dsub(found.normal, next);
    if (mo_dlength(rest) <= min_residual) {
      return;
    }
    if (mo_ddot(step, step) > 0.0) {
      update_inverse(&inverse, mo_dsub(next, at), mo_dsub(residual, rest));
    }
    at = next;
    residual = rest;
    step = mo_map_columns(inverse.column, rest);
    const double length = mo_dlength(step);
    step = length > max_step ? mo_dscale(max_step / length, step) : step;
  }
}
