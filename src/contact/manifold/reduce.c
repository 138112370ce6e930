/* Four of many candidates: the one that is farthest from the middle, the one that is farthest from
 * it, the one that is farthest from the line of both, and the one that adds most to the triangle;
 * with a weight for depth in each. Candidates are taken in the order of their ids, and have to be
 * better than what came before by a margin, so that choices between equal ones do not flicker. All
 * distances are between candidates, so the choice moves with the bodies. */
#include <string.h>

#include "contact/manifold/clip.h"

bool mo_contact_id_before(uint64_t a, uint64_t b) {
  uint32_t a0 = (uint32_t)(a >> 32), a1 = (uint32_t)a, b0 = (uint32_t)(b >> 32), b1 = (uint32_t)b;
  uint32_t a_most = a0 > a1 ? a0 : a1, b_most = b0 > b1 ? b0 : b1;
  uint32_t a_least = a0 > a1 ? a1 : a0, b_least = b0 > b1 ? b1 : b0;
  return a_most != b_most ? a_most > b_most : a_least != b_least ? a_least < b_least : a < b;
}

/* A candidate is preferred to those before it only where it is better by this. */
static const double challenge = 1.05;
/* What a difference in depth counts, beside distances across the normal. */
static const double depth_weight = 4.0;

typedef struct choice {
  const mo_candidate *from[MO_MAX_CANDIDATES]; /* in the order of ids */
  int from_count;
  double shallowest;
  const mo_candidate *kept[MO_MAX_MANIFOLD_POINTS];
  int count;
} choice;

static void sort_by_id(choice *c, const mo_candidates *candidates) {
  c->from_count = candidates->count;
  for (int i = 0; i < candidates->count; i++) {
    const mo_candidate *item = &candidates->items[i];
    int k = i;
    for (; k > 0 && mo_contact_id_before(item->id, c->from[k - 1]->id); k--) {
      c->from[k] = c->from[k - 1];
    }
    c->from[k] = item;
  }
}

static double depth_of(const choice *c, const mo_candidate *item) {
  return depth_weight * (c->shallowest - item->separation);
}

/* Twice the signed area of a triangle. */
static double area_of(const mo_candidate *p, const mo_candidate *q, const mo_candidate *r) {
  return (q->x - p->x) * (r->y - p->y) - (q->y - p->y) * (r->x - p->x);
}

/* What a candidate adds to those that are kept. */
static double score_of(const choice *c, const mo_candidate *item, double middle_x,
                       double middle_y) {
  double dx = item->x - middle_x, dy = item->y - middle_y;
  if (c->count == 0) {
    return sqrt(dx * dx + dy * dy) + depth_of(c, item);
  }
  const mo_candidate *p = c->kept[0];
  dx = item->x - p->x;
  dy = item->y - p->y;
  if (c->count == 1) {
    return sqrt(dx * dx + dy * dy) + depth_of(c, item);
  }
  const mo_candidate *q = c->kept[1];
  if (c->count == 2) {
    dx = q->x - p->x;
    dy = q->y - p->y;
    double length = sqrt(dx * dx + dy * dy);
    return (length > 0.0 ? fabs(area_of(p, q, item)) / length : 0.0) + depth_of(c, item);
  }
  /* The area that is added outside of the triangle. */
  const mo_candidate *r = c->kept[2];
  double sign = area_of(p, q, r) < 0.0 ? -1.0 : 1.0;
  double outside = fmax(fmax(-sign * area_of(p, q, item), -sign * area_of(q, r, item)),
                        fmax(-sign * area_of(r, p, item), 0.0));
  return sqrt(outside) + depth_of(c, item);
}

static bool is_kept(const choice *c, const mo_candidate *item) {
  for (int i = 0; i < c->count; i++) {
    if (c->kept[i] == item) {
      return true;
    }
  }
  return false;
}

static void keep_best(choice *c, double middle_x, double middle_y) {
  const mo_candidate *best = NULL;
  double most = 0.0;
  for (int i = 0; i < c->from_count; i++) {
    const mo_candidate *item = c->from[i];
    if (is_kept(c, item)) {
      continue;
    }
    double score = score_of(c, item, middle_x, middle_y);
    if (best == NULL || score > challenge * most) {
      best = item;
      most = score;
    }
  }
  c->kept[c->count++] = best;
}

/* Puts the deepest in the place of the kept one that is nearest to it, if all that are kept are
 * clearly less deep. */
static void keep_deepest(choice *c, double size) {
  const mo_candidate *deepest = c->from[0];
  for (int i = 1; i < c->from_count; i++) {
    const mo_candidate *item = c->from[i];
    deepest = item->separation < deepest->separation ? item : deepest;
  }
  double least = INFINITY, nearest = INFINITY;
  int at = 0;
  for (int i = 0; i < c->count; i++) {
    double dx = c->kept[i]->x - deepest->x, dy = c->kept[i]->y - deepest->y;
    double distance = dx * dx + dy * dy;
    least = fmin(least, c->kept[i]->separation);
    at = distance < nearest ? i : at;
    nearest = fmin(nearest, distance);
  }
  if (deepest->separation < least - 0x1p-10 * size) {
    c->kept[at] = deepest;
  }
}

int mo_reduce_candidates(const mo_candidates *candidates, const mo_candidate *kept[]) {
  choice c;
  c.count = 0;
  sort_by_id(&c, candidates);
  if (c.from_count <= MO_MAX_MANIFOLD_POINTS) {
    memcpy(kept, c.from, (size_t)c.from_count * sizeof *kept);
    return c.from_count;
  }
  c.shallowest = -INFINITY;
  double x = 0.0, y = 0.0, size = 0.0;
  for (int i = 0; i < c.from_count; i++) {
    x += c.from[i]->x / c.from_count;
    y += c.from[i]->y / c.from_count;
    c.shallowest = fmax(c.shallowest, c.from[i]->separation);
  }
  while (c.count < MO_MAX_MANIFOLD_POINTS) {
    keep_best(&c, x, y);
  }
  for (int i = 0; i < c.count; i++) {
    size = fmax(size, fabs(c.kept[i]->x - x) + fabs(c.kept[i]->y - y));
  }
  keep_deepest(&c, size);
  /* In the order of the candidates, which is that of ids. */
  int count = 0;
  for (int i = 0; i < c.from_count; i++) {
    if (is_kept(&c, c.from[i])) {
      kept[count++] = c.from[i];
    }
  }
  return count;
}
