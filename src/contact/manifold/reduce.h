/* Manifold reduction: chooses four of many candidates. They span a large area, and one of the
 * deepest candidates is among them.
 *
 * A quadrilateral is given by the two ends of a diagonal and the point that is farthest from the
 * diagonal on either side. The search begins with a diagonal between candidates that are far apart.
 * It tries the other diagonal and the sides of the quadrilateral as diagonals of a new one, until
 * no area is larger by the margin MO_MIN_AREA_GAIN. If all four are then clearly less deep than
 * some candidate, the largest quadrilateral at that candidate is taken in their place.
 *
 * How much is left out at most, where candidates are corners of their convex hull: let a, b, c, d
 * be the corners in their order, o the crossing of the diagonals, |oc| = g |oa|, |od| = e |ob|, and
 * p a candidate beyond the side ab, h times as far from it as o is. Without the margin:
 *
 *   - pbcd and apcd are not larger, so p lies in the triangle of ab and the parallels of the
 *     diagonals through a and b, and h <= 1;
 *   - apbd and apbc are not larger, so h <= g (1 + e) and h <= e (1 + g).
 *
 * Perpendicular to ab, the width of all candidates is at least h + 1 + max(g, e). So p is left out
 * at one side by at most (3 - sqrt(5)) / 2 = 0.382 of that width; with the margin, by 0.425; if
 * candidates at both sides are left out, by up to half in all. No rule can do better than 0.382:
 * any four corners of a regular pentagon leave out as much. The triangles beyond the four sides
 * have the area of the quadrilateral, so that it is at least half of the hull. With a deepest
 * corner fixed, exchanges of the other three show in the same way that at most half of the width is
 * left out, but for the margin.
 *
 * Candidates are taken in the order of their ids, and later ones must be better by a margin, so
 * that choices between nearly equal ones do not flicker. The choice depends only on areas and
 * distances between candidates, so it does not change when both bodies are moved together. */
#ifndef MO_CONTACT_MANIFOLD_REDUCE_H
#define MO_CONTACT_MANIFOLD_REDUCE_H

#include <motte/contact.h>

#include "contact/manifold/clip.h"
#include "math/four.h"

/* The factor by which an area must be larger than the best one so far to replace it. */
#define MO_MIN_AREA_GAIN 1.0625
/* As corner of a quadrilateral, the first candidate is chosen whose distance from the diagonal is
 * at least this fraction of the greatest distance. The fraction is closer to 1 than
 * MO_MIN_AREA_GAIN, so that areas grow in each step of the search. */
#define MO_NEARLY_FARTHEST_FRACTION 0.96875
/* Fraction of the squared extent of all candidates. Differences of areas that are smaller are
 * rounding errors. */
#define MO_AREA_ERROR_FRACTION 0x1p-40
/* Fraction of the extent of all candidates. If some candidate is deeper than the four chosen
 * candidates by more than this, one of the deepest replaces one of the four. */
#define MO_CLEARLY_DEEPER_FRACTION 0x1p-10

enum { MO_MAX_CANDIDATE_GROUPS = (MO_MAX_CANDIDATES + 3) / 4 };

/* The candidates in the order of their ids, in groups of four: their coordinates in the plane
 * perpendicular to the normal, and their separations. */
typedef struct mo_candidate_groups {
  int count;
  mo_d4 x[MO_MAX_CANDIDATE_GROUPS], y[MO_MAX_CANDIDATE_GROUPS], separation[MO_MAX_CANDIDATE_GROUPS];
} mo_candidate_groups;

/* A diagonal between two candidates, with twice the signed area of its triangle with each
 * candidate. */
typedef struct mo_diagonal {
  int from, to;
  double left, right; /* the largest `doubled_area` on either side; 0 if no candidate lies there */
  mo_d4 doubled_area[MO_MAX_CANDIDATE_GROUPS];
} mo_diagonal;

/* A quadrilateral of four candidates. */
typedef struct mo_quad {
  double doubled_area;
  /* indices of candidates: the two ends of a diagonal, then the corner on either side of it */
  int corner[MO_MAX_MANIFOLD_POINTS];
} mo_quad;

/* The value for candidate i (a coordinate or separation) in an array of groups of four. */
static inline double mo_candidate_value(const mo_d4 *of, int i) {
  return of[i >> 2][i & 3];
}

static inline double mo_candidate_distance2(const mo_candidate_groups *c, int p, int q) {
  double dx = mo_candidate_value(c->x, p) - mo_candidate_value(c->x, q),
         dy = mo_candidate_value(c->y, p) - mo_candidate_value(c->y, q);
  return dx * dx + dy * dy;
}

/* The candidate that is farthest from candidate `from`. A later candidate replaces an earlier one
 * only if it is farther by the margin MO_MIN_AREA_GAIN. */
static inline int mo_choose_farthest(const mo_candidate_groups *c, int from) {
  int best = from;
  double max = -1.0;
  for (int i = 0; i < c->count; i++) {
    double distance2 = mo_candidate_distance2(c, from, i);
    if (i != from && distance2 > MO_MIN_AREA_GAIN * max) {
      max = distance2;
      best = i;
    }
  }
  return best;
}

static inline double mo_max_lane(mo_d4 a) {
  double low = a[0] > a[1] ? a[0] : a[1], high = a[2] > a[3] ? a[2] : a[3];
  return low > high ? low : high;
}

static inline void mo_diagonal_set(mo_diagonal *d, const mo_candidate_groups *c, int from, int to) {
  double px = mo_candidate_value(c->x, from), py = mo_candidate_value(c->y, from);
  double ux = mo_candidate_value(c->x, to) - px, uy = mo_candidate_value(c->y, to) - py;
  mo_d4 max = mo_d4_splat(0.0), min = mo_d4_splat(0.0);
  for (int group = 0; 4 * group < c->count; group++) {
    mo_d4 area = ux * (c->y[group] - py) - uy * (c->x[group] - px);
    max = mo_d4_max(max, area);
    min = mo_d4_min(min, area);
    d->doubled_area[group] = area;
  }
  d->from = from;
  d->to = to;
  d->left = mo_max_lane(max);
  d->right = mo_max_lane(-min);
}

/* The first candidate that is nearly the farthest from the diagonal on `side` (1: left, -1: right).
 * If no candidate lies on that side, it is the first of all candidates. It is never an end of the
 * diagonal, nor candidate `taken`. */
static inline int mo_diagonal_farthest_corner(const mo_diagonal *d, int count, double side,
                                              int taken) {
  double max = side > 0.0 ? d->left : d->right;
  double enough = max > 0.0 ? MO_NEARLY_FARTHEST_FRACTION * max : -INFINITY;
  for (int i = 0; i < count; i++) {
    if (side * mo_candidate_value(d->doubled_area, i) >= enough && i != d->from && i != d->to &&
        i != taken) {
      return i;
    }
  }
  return d->from;
}

static inline void mo_diagonal_quad(const mo_diagonal *d, int count, mo_quad *quad) {
  /* The side with the larger area first: the other side may have no candidates. */
  double side = d->left >= d->right ? 1.0 : -1.0;
  int best = mo_diagonal_farthest_corner(d, count, side, d->from);
  int other = mo_diagonal_farthest_corner(d, count, -side, best);
  double more = -side * mo_candidate_value(d->doubled_area, other);
  *quad = (mo_quad){side * mo_candidate_value(d->doubled_area, best) + (more > 0.0 ? more : 0.0),
                    {d->from, d->to, best, other}};
}

/* Replaces `quad` by the largest quadrilateral with the diagonal from candidate `from` to `to`, if
 * this is larger by MO_MIN_AREA_GAIN. Returns whether it was replaced. */
static inline bool mo_try_diagonal(const mo_candidate_groups *c, int from, int to,
                                   double error_bound, mo_quad *quad) {
  mo_diagonal d;
  mo_diagonal_set(&d, c, from, to);
  if (!(d.left + d.right > MO_MIN_AREA_GAIN * quad->doubled_area + error_bound)) {
    return false;
  }
  mo_diagonal_quad(&d, c->count, quad);
  return true;
}

/* Tries the other diagonal of the quadrilateral, and its sides, as diagonals of a larger one. */
static inline bool mo_try_larger_quad(const mo_candidate_groups *c, double error_bound,
                                      mo_quad *quad) {
  const int p = quad->corner[0], q = quad->corner[1], r = quad->corner[2], s = quad->corner[3];
  return mo_try_diagonal(c, r, s, error_bound, quad) ||
         mo_try_diagonal(c, p, r, error_bound, quad) ||
         mo_try_diagonal(c, r, q, error_bound, quad) ||
         mo_try_diagonal(c, q, s, error_bound, quad) || mo_try_diagonal(c, s, p, error_bound, quad);
}

/* If all four corners are clearly less deep than the deepest candidate, takes the largest
 * quadrilateral that has the first of the deepest candidates as a corner. */
static inline void mo_include_deepest(const mo_candidate_groups *c, double extent2, mo_quad *quad) {
  double min = INFINITY, kept = INFINITY;
  for (int i = 0; i < c->count; i++) {
    double separation = mo_candidate_value(c->separation, i);
    min = separation < min ? separation : min;
  }
  for (int i = 0; i < MO_MAX_MANIFOLD_POINTS; i++) {
    double separation = mo_candidate_value(c->separation, quad->corner[i]);
    kept = separation < kept ? separation : kept;
  }
  double enough = min + MO_CLEARLY_DEEPER_FRACTION * sqrt(extent2);
  if (kept <= enough) {
    return;
  }
  int deepest = 0;
  while (mo_candidate_value(c->separation, deepest) > enough) {
    deepest++;
  }
  quad->doubled_area = -INFINITY;
  for (int i = 0; i < c->count; i++) {
    if (i != deepest) {
      mo_try_diagonal(c, deepest, i, 0.0, quad);
    }
  }
}

/* Chooses four of more than four candidates. `kept` receives their indices, ascending. */
static inline void mo_choose_four(mo_candidate_groups *c, int kept[MO_MAX_MANIFOLD_POINTS]) {
  for (int i = c->count; i & 3; i++) {
    c->x[i >> 2][i & 3] = mo_candidate_value(c->x, 0);
    c->y[i >> 2][i & 3] = mo_candidate_value(c->y, 0);
  }
  mo_diagonal first;
  mo_quad quad;
  int from = mo_choose_farthest(c, 0), to = mo_choose_farthest(c, from);
  double extent2 = mo_candidate_distance2(c, from, to);
  mo_diagonal_set(&first, c, from, to);
  mo_diagonal_quad(&first, c->count, &quad);
  while (mo_try_larger_quad(c, MO_AREA_ERROR_FRACTION * extent2, &quad)) {
  }
  mo_include_deepest(c, extent2, &quad);
  for (int i = 0; i < MO_MAX_MANIFOLD_POINTS; i++) {
    int k = i;
    for (; k > 0 && quad.corner[i] < kept[k - 1]; k--) {
      kept[k] = kept[k - 1];
    }
    kept[k] = quad.corner[i];
  }
}

/* Manifold reduction: chooses up to MO_MAX_MANIFOLD_POINTS candidates that are far apart and deep,
 * in the order of their ids. Returns how many. */
int mo_reduce_candidates(const mo_candidates *candidates, const mo_candidate *kept[]);

#endif
