/* Four of many candidates: the one that is farthest from the middle, the one that is farthest from
 * it, the one that is farthest from the line of both, and the one that adds most to the triangle;
 * with a weight for depth in each. Candidates are taken in the order of their ids, and have to be
 * better than what came before by a margin, so that choices between equal ones do not flicker. All
 * distances are between candidates, so the choice moves with the bodies. */
#ifndef MO_CONTACT_MANIFOLD_REDUCE_H
#define MO_CONTACT_MANIFOLD_REDUCE_H

#include <motte/contact.h>

#include "contact/manifold/clip.h"
#include "math/four.h"

/* A candidate is preferred to those before it only where it is better by this. */
#define MO_CHALLENGE 1.05
/* What a difference in depth counts, beside distances across the normal. */
#define MO_DEPTH_WEIGHT 4.0
/* Of the extent of the points kept: how much deeper one must be to take the place of one of them.
 */
#define MO_CLEARLY_DEEPER 0x1p-10

enum { MO_CHOICE_GROUPS = (MO_MAX_CANDIDATES + 3) / 4 };

/* The candidates in the order of their ids, four in a group: places across the normal, and
 * separations. */
typedef struct mo_choice {
  int count;
  mo_d4 x[MO_CHOICE_GROUPS], y[MO_CHOICE_GROUPS], separation[MO_CHOICE_GROUPS];
  mo_d4 depth[MO_CHOICE_GROUPS]; /* what it counts; -INFINITY where there is none to be taken */
} mo_choice;

static inline double mo_choice_get(const mo_d4 *of, int i) {
  return of[i >> 2][i & 3];
}

/* Twice the signed areas of triangles with two corners in common. */
static inline mo_d4 mo_choice_areas(const mo_choice *c, int group, int p, int q) {
  double px = mo_choice_get(c->x, p), py = mo_choice_get(c->y, p);
  double ux = mo_choice_get(c->x, q) - px, uy = mo_choice_get(c->y, q) - py;
  return ux * (c->y[group] - py) - uy * (c->x[group] - px);
}

static inline mo_d4 mo_choice_distances(const mo_choice *c, int group, double x, double y) {
  mo_d4 dx = c->x[group] - x, dy = c->y[group] - y, square = dx * dx + dy * dy;
  mo_d4_sqrt(&square);
  return square;
}

/* What candidates add to those that are kept, but for depth. */
static inline mo_d4 mo_choice_scores(const mo_choice *c, int group, const int *kept, int count,
                                     double length) {
  const mo_d4 none = {0.0, 0.0, 0.0, 0.0};
  if (count == 1) {
    return mo_choice_distances(c, group, mo_choice_get(c->x, kept[0]),
                               mo_choice_get(c->y, kept[0]));
  }
  mo_d4 area = mo_choice_areas(c, group, kept[0], kept[1]);
  if (count == 2) {
    return length > 0.0 ? mo_d4_abs(area) / length : none;
  }
  /* The area that is added outside of the triangle. */
  double whole = mo_choice_areas(c, kept[2] >> 2, kept[0], kept[1])[kept[2] & 3];
  double sign = whole < 0.0 ? 1.0 : -1.0;
  mo_d4 next = mo_choice_areas(c, group, kept[1], kept[2]),
        last = mo_choice_areas(c, group, kept[2], kept[0]);
  mo_d4 outside = mo_d4_max(mo_d4_max(sign * area, sign * next), mo_d4_max(sign * last, none));
  mo_d4_sqrt(&outside);
  return outside;
}

static inline void mo_choose_next(mo_choice *c, int kept[], int count, double x, double y) {
  double most = -INFINITY, length = 0.0;
  if (count == 2) {
    length = mo_choice_distances(c, kept[1] >> 2, mo_choice_get(c->x, kept[0]),
                                 mo_choice_get(c->y, kept[0]))[kept[1] & 3];
  }
  int best = 0;
  for (int group = 0; 4 * group < c->count; group++) {
    mo_d4 score = (count == 0 ? mo_choice_distances(c, group, x, y)
                              : mo_choice_scores(c, group, kept, count, length)) +
                  c->depth[group];
    for (int lane = 0; lane < 4; lane++) {
      if (score[lane] > MO_CHALLENGE * most) {
        most = score[lane];
        best = 4 * group + lane;
      }
    }
  }
  kept[count] = best;
  c->depth[best >> 2][best & 3] = -INFINITY;
}

/* Puts the deepest in the place of the kept one that is nearest to it, if all that are kept are
 * clearly less deep. */
static inline void mo_choose_deepest(const mo_choice *c, int kept[], double size) {
  int deepest = 0, at = 0;
  for (int i = 1; i < c->count; i++) {
    deepest = mo_choice_get(c->separation, i) < mo_choice_get(c->separation, deepest) ? i : deepest;
  }
  double least = INFINITY, nearest = INFINITY;
  for (int i = 0; i < MO_MAX_MANIFOLD_POINTS; i++) {
    double dx = mo_choice_get(c->x, kept[i]) - mo_choice_get(c->x, deepest),
           dy = mo_choice_get(c->y, kept[i]) - mo_choice_get(c->y, deepest),
           distance = dx * dx + dy * dy, separation = mo_choice_get(c->separation, kept[i]);
    least = separation < least ? separation : least;
    at = distance < nearest ? i : at;
    nearest = distance < nearest ? distance : nearest;
  }
  if (mo_choice_get(c->separation, deepest) < least - MO_CLEARLY_DEEPER * size) {
    kept[at] = deepest;
  }
}

/* Chooses four of more candidates, of which places and separations are set; ascending. */
static inline void mo_choose(mo_choice *c, int kept[MO_MAX_MANIFOLD_POINTS]) {
  double x = 0.0, y = 0.0, size = 0.0, shallowest = -INFINITY;
  for (int i = 0; i < c->count; i++) {
    double separation = mo_choice_get(c->separation, i);
    x += mo_choice_get(c->x, i);
    y += mo_choice_get(c->y, i);
    shallowest = separation > shallowest ? separation : shallowest;
  }
  x /= c->count;
  y /= c->count;
  for (int group = 0; 4 * group < c->count; group++) {
    c->depth[group] = MO_DEPTH_WEIGHT * (shallowest - c->separation[group]);
  }
  for (int i = c->count; i & 3; i++) {
    c->x[i >> 2][i & 3] = c->y[i >> 2][i & 3] = 0.0;
    c->depth[i >> 2][i & 3] = -INFINITY;
  }
  for (int i = 0; i < MO_MAX_MANIFOLD_POINTS; i++) {
    mo_choose_next(c, kept, i, x, y);
  }
  for (int i = 0; i < MO_MAX_MANIFOLD_POINTS; i++) {
    double extent = fabs(mo_choice_get(c->x, kept[i]) - x) + fabs(mo_choice_get(c->y, kept[i]) - y);
    size = extent > size ? extent : size;
  }
  mo_choose_deepest(c, kept, size);
  for (int i = 1; i < MO_MAX_MANIFOLD_POINTS; i++) {
    for (int k = i; k > 0 && kept[k] < kept[k - 1]; k--) {
      int other = kept[k];
      kept[k] = kept[k - 1];
      kept[k - 1] = other;
    }
  }
}

#endif
