/* The choice of four contact points among more candidates, against all choices of four: what is
 * left out of the convex hull, the deepest, and that nearly equal choices do not flicker. */
#include <criterion/criterion.h>

#include "contact/manifold/reduce.h"
#include "support/rng.h"

enum { MAX = 64, KINDS = 5 };

/* Candidates in the order of their ids. */
typedef struct candidates {
  int count;
  double x[MAX], y[MAX], separation[MAX];
} candidates;

static double between(rng *r, double low, double high) {
  return low + (high - low) * (double)rng_float(r, 0, 1);
}

static void choose(const candidates *from, int kept[4]) {
  mo_candidate_groups c = {.count = from->count};
  for (int i = 0; i < from->count; i++) {
    c.x[i >> 2][i & 3] = from->x[i];
    c.y[i >> 2][i & 3] = from->y[i];
    c.separation[i >> 2][i & 3] = from->separation[i];
  }
  mo_choose_four(&c, kept);
  for (int i = 0; i < 4; i++) {
    cr_assert(kept[i] >= 0 && kept[i] < from->count);
    cr_assert(i == 0 || kept[i] > kept[i - 1], "not ascending");
  }
}

static double side_of(const candidates *c, int a, int b, int p) {
  return (c->x[b] - c->x[a]) * (c->y[p] - c->y[a]) - (c->y[b] - c->y[a]) * (c->x[p] - c->x[a]);
}

/* Of the hull of four: the largest of their triangles and quadrilaterals, twice. */
static double hull_area(const candidates *c, const int four[4]) {
  double max = 0;
  for (int i = 0; i < 4; i++) {
    int a = four[(i + 1) & 3], b = four[(i + 2) & 3], d = four[(i + 3) & 3];
    max = fmax(max, fabs(side_of(c, a, b, d)));
    /* Of the quadrilateral with the diagonal from the first to another. */
    if (i > 0) {
      int other = four[i == 1 ? 2 : 1], last = four[i == 3 ? 2 : 3];
      double left = side_of(c, four[0], four[i], other), right = side_of(c, four[0], four[i], last);
      max = fmax(max, fabs(left - right));
    }
  }
  return max;
}

static double largest_area(const candidates *c) {
  double max = 0;
  for (int i = 0; i < c->count; i++) {
    for (int j = i + 1; j < c->count; j++) {
      for (int k = j + 1; k < c->count; k++) {
        for (int l = k + 1; l < c->count; l++) {
          max = fmax(max, hull_area(c, (const int[4]){i, j, k, l}));
        }
      }
    }
  }
  return max;
}

/* By how much some candidate lies beyond a side of the hull of four, over the width of all
 * candidates in that direction. */
static double left_out(const candidates *c, const int four[4]) {
  double worst = 0;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      double inside = 0, max = 0, min = 0;
      for (int j = 0; j < 4 && i != k; j++) {
        inside = fmax(inside, -side_of(c, four[i], four[k], four[j]));
      }
      for (int j = 0; j < c->count && i != k && !(inside > 0); j++) {
        double side = side_of(c, four[i], four[k], j);
        max = fmax(max, side);
        min = fmax(min, -side);
      }
      worst = min > 1e-9 * max ? fmax(worst, min / (min + max)) : worst;
    }
  }
  return worst;
}

/* What two rectangles have in common. */
static void add_overlap(rng *r, candidates *c) {
  double half_x = between(r, 0.1, 1.3), half_y = between(r, 0.1, 1.3);
  double angle = between(r, 0, 6.3), u = cos(angle), v = sin(angle);
  double at_x = between(r, -0.9, 0.9), at_y = between(r, -0.9, 0.9);
  c->count = 4;
  for (int i = 0; i < 4; i++) {
    double x = i == 1 || i == 2 ? half_x : -half_x, y = i >= 2 ? half_y : -half_y;
    c->x[i] = at_x + u * x - v * y;
    c->y[i] = at_y + v * x + u * y;
  }
  for (int cut = 0; cut < 4; cut++) {
    const candidates all = *c;
    const double *along = cut & 1 ? all.y : all.x, sign = cut & 2 ? 1 : -1;
    c->count = 0;
    for (int i = 0; i < all.count; i++) {
      int next = (i + 1) % all.count;
      double here = 1 - sign * along[i], there = 1 - sign * along[next], t = here / (here - there);
      if (here >= 0) {
        c->x[c->count] = all.x[i];
        c->y[c->count++] = all.y[i];
      }
      if ((here < 0) != (there < 0)) {
        c->x[c->count] = all.x[i] + t * (all.x[next] - all.x[i]);
        c->y[c->count++] = all.y[i] + t * (all.y[next] - all.y[i]);
      }
    }
  }
}

static void add_corner(candidates *c, double angle) {
  c->x[c->count] = cos(angle);
  c->y[c->count++] = sin(angle);
}

static void shuffle(rng *r, candidates *c) {
  for (int i = c->count - 1; i > 0; i--) {
    int k = (int)rng_below(r, (uint32_t)i + 1);
    double x = c->x[i], y = c->y[i];
    c->x[i] = c->x[k];
    c->y[i] = c->y[k];
    c->x[k] = x;
    c->y[k] = y;
  }
}

/* Five or more, in any order, on one plane. All are corners of their hull, but for the last kind.
 */
static candidates random_candidates(rng *r, uint32_t kind) {
  candidates c = {.count = 0};
  uint32_t count = 5 + rng_below(r, kind == 2 ? 40 : 5);
  double begin = between(r, 0, 6.3);
  while (kind == 0 && c.count < 5) {
    add_overlap(r, &c);
  }
  for (uint32_t i = 0; i < count && kind != 0; i++) {
    double part = 2 * 3.14159265358979 / count;
    add_corner(&c, kind == 1 ? begin + part * i : between(r, 0, 6.3));
    if (kind == 4) {
      c.x[i] *= between(r, 0, 1);
      c.y[i] *= between(r, 0, 1);
    }
  }
  double stretch = rng_chance(r, 0.3) ? exp2(between(r, -16, 0)) : 1;
  double slope_x = between(r, -0.1, 0.1), slope_y = between(r, -0.1, 0.1);
  bool tilted = rng_chance(r, 0.5);
  shuffle(r, &c);
  for (int i = 0; i < c.count; i++) {
    double x = c.x[i] * cos(begin) - stretch * c.y[i] * sin(begin);
    c.y[i] = c.x[i] * sin(begin) + stretch * c.y[i] * cos(begin);
    c.x[i] = x;
    c.separation[i] = tilted ? slope_x * c.x[i] + slope_y * c.y[i] : 0;
  }
  return c;
}

static double deepest_of(const candidates *c) {
  double min = INFINITY;
  for (int i = 0; i < c->count; i++) {
    min = fmin(min, c->separation[i]);
  }
  return min;
}

Test(contact_reduce, against_all_choices_of_four) {
  rng r = rng_make(rng_seed("reduce", 230));
  double sum[KINDS] = {0}, number[KINDS] = {0};
  for (uint64_t round = 0; round < rng_rounds(20000, 1000000); round++) {
    uint32_t kind = (uint32_t)(round % KINDS);
    candidates c = random_candidates(&r, kind);
    int kept[4];
    choose(&c, kept);
    double min = INFINITY;
    for (int i = 0; i < 4; i++) {
      min = fmin(min, c.separation[kept[i]]);
    }
    cr_assert(min <= deepest_of(&c) + 0.003, "round %d: %g", (int)round, min);
    /* Where depths are equal, none is preferred for its depth. */
    for (int i = 0; i < c.count; i++) {
      c.separation[i] = round & 1 ? 0 : c.separation[i];
    }
    choose(&c, kept);
    bool level = deepest_of(&c) == 0;
    double part = left_out(&c, kept);
    cr_assert(part <= (level ? 0.425 : 0.53), "round %d, kind %u: %g", (int)round, kind, part);
    if (c.count <= 9) {
      double area = hull_area(&c, kept) / largest_area(&c);
      cr_assert(area >= 0.6, "round %d, kind %u: %g", (int)round, kind, area);
      sum[kind] += area;
      number[kind]++;
    }
  }
  for (uint32_t kind = 0; kind < KINDS; kind++) {
    cr_assert(sum[kind] >= 0.98 * number[kind], "kind %u: %g", kind, sum[kind] / number[kind]);
  }
}

/* The order is that of ids: it alone decides where candidates are equal but for rounding. */
Test(contact_reduce, moves_with_the_bodies) {
  rng r = rng_make(rng_seed("reduce moved", 231));
  for (uint64_t round = 0; round < rng_rounds(5000, 500000); round++) {
    candidates c = random_candidates(&r, (uint32_t)(round % KINDS)), other = c;
    double angle = between(&r, 0, 6.3), u = cos(angle), v = sin(angle), mirror = round & 1 ? -1 : 1;
    double to_x = between(&r, -1e3, 1e3), to_y = between(&r, -1e3, 1e3);
    for (int i = 0; i < c.count; i++) {
      other.x[i] = to_x + u * c.x[i] - v * mirror * c.y[i];
      other.y[i] = to_y + v * c.x[i] + u * mirror * c.y[i];
    }
    int kept[4], moved[4];
    choose(&c, kept);
    choose(&other, moved);
    for (int i = 0; i < 4; i++) {
      cr_assert_eq(kept[i], moved[i], "round %d", (int)round);
    }
  }
}

/* Regular polygons, the corners of which are off their places by a little: always the same four. */
Test(contact_reduce, does_not_flicker) {
  rng r = rng_make(rng_seed("reduce equal", 232));
  for (uint32_t count = 5; count <= 10; count++) {
    int first[4] = {0};
    for (uint64_t round = 0; round < rng_rounds(200, 20000); round++) {
      candidates c = {.count = 0};
      for (uint32_t i = 0; i < count; i++) {
        add_corner(&c, 2 * 3.14159265358979 * i * 11 / count);
        c.x[i] += between(&r, -1e-3, 1e-3);
        c.y[i] += between(&r, -1e-3, 1e-3);
        c.separation[i] = between(&r, -2e-4, 2e-4);
      }
      int kept[4];
      choose(&c, kept);
      for (int i = 0; i < 4; i++) {
        cr_assert(round == 0 || kept[i] == first[i], "%u corners", count);
        first[i] = kept[i];
      }
    }
  }
}

/* Of candidates on one line, both ends are kept, and of coincident ones any four. */
Test(contact_reduce, lines_and_points) {
  rng r = rng_make(rng_seed("reduce line", 233));
  for (int round = 0; round < 1000; round++) {
    candidates c = {.count = 5 + (int)rng_below(&r, 12)};
    double u = between(&r, -1, 1), v = between(&r, -1, 1), max = -INFINITY, min = INFINITY;
    double t[MAX];
    for (int i = 0; i < c.count; i++) {
      t[i] = round % 10 == 0 ? 1 : between(&r, -1, 1);
      c.x[i] = u * t[i];
      c.y[i] = v * t[i];
      max = fmax(max, t[i]);
      min = fmin(min, t[i]);
    }
    int kept[4];
    choose(&c, kept);
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < 4; i++) {
      high = fmax(high, t[kept[i]]);
      low = fmin(low, t[kept[i]]);
    }
    cr_assert(high - low >= 0.9 * (max - min), "%g of %g", high - low, max - min);
  }
}
