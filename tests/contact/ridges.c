/* Edges that cross at a small angle: points at both ends of what is within reach. The oracle knows
 * nothing of edges. Seen along the normal, the places where two convex bodies are within a distance
 * of each other form a convex region. Its polygon is that of both outlines, cut by the planes of
 * all pairs of an upper face of the first and a lower face of the second, in long double. */
#include "contact/contacts.h"
#include "support/rng.h"

enum { FACES = 6, MAX = 64 };

/* A box by the planes of its faces: dot(normal, p) <= offset. */
typedef struct solid {
  ldvec normal[FACES];
  ldouble offset[FACES];
} solid;

static ldvec cross(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static ldvec unit(ldvec v) {
  return ld_scale(1 / ld_norm(v), v);
}

/* Of a box with half extents 1 under a map. */
static solid solid_of(const mo_transform *map) {
  const ldvec axis[3] = {ld_float(map->x_axis), ld_float(map->y_axis), ld_float(map->z_axis)};
  solid s;
  for (int i = 0; i < FACES; i++) {
    ldvec out = i % 2 == 0 ? axis[i / 2] : ld_scale(-1, axis[i / 2]);
    ldvec n = unit(cross(axis[(i / 2 + 1) % 3], axis[(i / 2 + 2) % 3]));
    s.normal[i] = ld_dot(n, out) < 0 ? ld_scale(-1, n) : n;
    s.offset[i] = ld_dot(s.normal[i], ld_add(ld_float(map->origin), out));
  }
  return s;
}

typedef struct view {
  ldvec u, v, n;
} view;

typedef struct polygon {
  int count;
  ldouble x[MAX], y[MAX];
} polygon;

/* Keeps where a x + b y <= c. */
static void cut(polygon *p, ldouble a, ldouble b, ldouble c) {
  polygon kept = {.count = 0};
  for (int i = 0; i < p->count; i++) {
    int k = (i + 1) % p->count;
    ldouble here = a * p->x[i] + b * p->y[i] - c, next = a * p->x[k] + b * p->y[k] - c;
    if (here <= 0) {
      kept.x[kept.count] = p->x[i];
      kept.y[kept.count++] = p->y[i];
    }
    if ((here <= 0) != (next <= 0)) {
      ldouble t = here / (here - next);
      kept.x[kept.count] = p->x[i] + t * (p->x[k] - p->x[i]);
      kept.y[kept.count++] = p->y[i] + t * (p->y[k] - p->y[i]);
    }
  }
  *p = kept;
}

/* Keeps where the plane of a face below is at most `max` over the plane of a face above. */
static void cut_between(polygon *p, const view *w, const solid *above, int i, const solid *below,
                        int k, ldouble max) {
  const ldvec m = above->normal[i], q = below->normal[k];
  const ldouble up = ld_dot(m, w->n), down = ld_dot(q, w->n);
  cut(p, ld_dot(m, w->u) / up - ld_dot(q, w->u) / down,
      ld_dot(m, w->v) / up - ld_dot(q, w->v) / down,
      max + above->offset[i] / up - below->offset[k] / down);
}

/* Sides are upright to within the rounding of their maps. */
static const ldouble upright = 1e-5L;

static bool is_upper(const solid *s, int i, const view *w) {
  return ld_dot(s->normal[i], w->n) > upright;
}

static bool is_lower(const solid *s, int i, const view *w) {
  return ld_dot(s->normal[i], w->n) < -upright;
}

/* Keeps the outline of a solid: where all its upper faces are above all lower ones. */
static void cut_outline(polygon *p, const view *w, const solid *s) {
  for (int i = 0; i < FACES; i++) {
    if (!is_upper(s, i, w) && !is_lower(s, i, w)) {
      cut(p, ld_dot(s->normal[i], w->u), ld_dot(s->normal[i], w->v), s->offset[i]);
    }
    for (int k = 0; k < FACES; k++) {
      if (is_upper(s, i, w) && is_lower(s, k, w)) {
        cut_between(p, w, s, i, s, k, 0);
      }
    }
  }
}

/* Where the second solid is within a distance over the first. */
static polygon region_of(const view *w, const solid *a, const solid *b, ldouble max) {
  polygon p = {4, {-100, 100, 100, -100}, {-100, -100, 100, 100}};
  cut_outline(&p, w, a);
  cut_outline(&p, w, b);
  for (int i = 0; i < FACES; i++) {
    for (int k = 0; k < FACES; k++) {
      if (is_upper(a, i, w) && is_lower(b, k, w)) {
        cut_between(&p, w, a, i, b, k, max);
      }
    }
  }
  return p;
}

/* The distance of the two surfaces along the normal, at a place. */
static ldouble separation_at(const view *w, const solid *a, const solid *b, ldouble x, ldouble y) {
  ldouble top = INFINITY, bottom = -INFINITY;
  for (int i = 0; i < FACES; i++) {
    const ldouble of_a =
        a->offset[i] - ld_dot(a->normal[i], w->u) * x - ld_dot(a->normal[i], w->v) * y;
    const ldouble of_b =
        b->offset[i] - ld_dot(b->normal[i], w->u) * x - ld_dot(b->normal[i], w->v) * y;
    top = is_upper(a, i, w) ? fminl(top, of_a / ld_dot(a->normal[i], w->n)) : top;
    bottom = is_lower(b, i, w) ? fmaxl(bottom, of_b / ld_dot(b->normal[i], w->n)) : bottom;
  }
  return bottom - top;
}

static view view_along(mo_vec3 normal) {
  const ldvec n = unit(ld_float(normal));
  const ldvec other = fabsl(n.x) < 0.5L ? (ldvec){1, 0, 0} : (ldvec){0, 1, 0};
  const ldvec u = unit(cross(n, other));
  return (view){u, cross(n, u), n};
}

/* How far a polygon, or the points of a manifold, reach along a direction of the view. */
static ldouble max_along(const polygon *p, ldouble x, ldouble y) {
  ldouble max = -INFINITY;
  for (int i = 0; i < p->count; i++) {
    max = fmaxl(max, x * p->x[i] + y * p->y[i]);
  }
  return max;
}

static ldouble max_of_points(const mo_manifold *m, const view *w, ldouble x, ldouble y) {
  ldouble max = -INFINITY;
  for (uint32_t i = 0; i < m->point_count; i++) {
    const ldvec p = ld_float(m->points[i].position);
    max = fmaxl(max, x * ld_dot(p, w->u) + y * ld_dot(p, w->v));
  }
  return max;
}

/* The greatest distance between corners, and its direction. */
static ldouble diameter_of(const polygon *p, ldouble *x, ldouble *y) {
  ldouble max = 0;
  for (int i = 0; i < p->count; i++) {
    for (int k = 0; k < i; k++) {
      const ldouble dx = p->x[i] - p->x[k], dy = p->y[i] - p->y[k], d = hypotl(dx, dy);
      if (d > max) {
        max = d;
        *x = dx / d;
        *y = dy / d;
      }
    }
  }
  return max;
}

/* A bar along x, rolled about its axis, so that it has an edge above and below, and mirrored at
 * times. `half`: its half extents. */
typedef struct bar {
  mo_vec3 half;
  mo_transform map; /* of a box with half extents 1 */
} bar;

static bar random_bar(rng *r) {
  bar b = {.half = {expf(rng_float(r, -0.5f, 1.5f)), 0.1f * expf(rng_float(r, -1, 1)),
                    0.1f * expf(rng_float(r, -1, 1))}};
  const double roll = (double)rng_float(r, 0, 6.3f);
  b.map = mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(1, 0, 0), roll), b.half);
  if (rng_chance(r, 0.2)) {
    b.map.z_axis = mo_scale(-1, b.map.z_axis);
  }
  return b;
}

/* The middle of its highest (`up` 1) or lowest edge. */
static mo_vec3 edge_of(const mo_transform *map, float up) {
  const mo_vec3 y = map->y_axis, z = map->z_axis;
  return mo_add(mo_scale(up * y.y < 0 ? -1.0f : 1.0f, y), mo_scale(up * z.y < 0 ? -1.0f : 1.0f, z));
}

/* Two bars, the second over the first, with edges that cross at an angle. */
typedef struct crossing {
  bar bar[2];
  double angle;
} crossing;

static crossing random_crossing(rng *r, double min, double max) {
  crossing c = {.bar = {random_bar(r), random_bar(r)}};
  c.angle = min * pow(max / min, (double)rng_float(r, 0, 1)) * (rng_chance(r, 0.5) ? 1 : -1);
  const mo_transform yaw =
      mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(0, 1, 0), c.angle), mo_vec(1, 1, 1));
  mo_transform *low = &c.bar[0].map, *high = &c.bar[1].map;
  *high = mo_transform_compose(&yaw, high);
  const mo_vec3 on_low = mo_add(edge_of(low, 1), mo_scale(rng_float(r, -0.8f, 0.8f), low->x_axis)),
                on_high =
                    mo_add(edge_of(high, -1), mo_scale(rng_float(r, -0.8f, 0.8f), high->x_axis));
  high->origin = mo_sub(on_low, on_high);
  high->origin.y -= rng_float(r, -0.02f, 0.05f);
  const mo_transform anywhere =
      mo_transform_make(rng_vec3(r, -2, 2), rng_rotation(r), mo_vec(1, 1, 1));
  *low = mo_transform_compose(&anywhere, low);
  *high = mo_transform_compose(&anywhere, high);
  return c;
}

/* Whether a direction is perpendicular to a bar, as that of two of their long edges. */
static bool is_across(const bar *b, ldvec n) {
  return fabsl(ld_dot(unit(ld_float(b->map.x_axis)), n)) <= 1e-5L;
}

static bool is_edge_of_both(const solid *a, const solid *b, ldvec n) {
  for (int i = 0; i < FACES; i++) {
    if (fabsl(ld_dot(a->normal[i], n)) > 0.9999L || fabsl(ld_dot(b->normal[i], n)) > 0.9999L) {
      return false;
    }
  }
  return true;
}

/* Each point has the separation of the surfaces there. In any direction, the points leave out at
 * most half of the width of what is within reach, and an eighth of its length; along its length, a
 * fifth at either end. */
static bool check(const crossing *c, const mo_primitive p[2], float distance,
                  unsigned long long round) {
  const mo_manifold m = collide_within(&p[0], &p[1], distance);
  const solid a = solid_of(&c->bar[0].map), b = solid_of(&c->bar[1].map);
  const ldvec n = unit(ld_float(m.normal));
  if (m.point_count == 0 || !is_edge_of_both(&a, &b, n) || !is_across(&c->bar[0], n) ||
      !is_across(&c->bar[1], n)) {
    return false;
  }
  const view w = view_along(m.normal);
  for (uint32_t i = 0; i < m.point_count; i++) {
    const ldvec at = ld_float(m.points[i].position);
    const ldouble apart_there = separation_at(&w, &a, &b, ld_dot(at, w.u), ld_dot(at, w.v));
    cr_assert(fabsl(apart_there - m.points[i].separation) <= 3e-5L,
              "round %llu, point %u: separation %g, not %Lg", round, i,
              (double)m.points[i].separation, apart_there);
  }
  const polygon region = region_of(&w, &a, &b, distance);
  ldouble x = 1, y = 0;
  const ldouble length = diameter_of(&region, &x, &y);
  if (length < 0.5L * fminf(c->bar[0].half.x, c->bar[1].half.x)) {
    return false; /* all within reach is close to where the edges cross */
  }
  for (int side = -1; side <= 1; side += 2) {
    const ldouble left_out =
        max_along(&region, side * x, side * y) - max_of_points(&m, &w, side * x, side * y);
    cr_assert(left_out <= 0.2L * length, "round %llu: %Lg of %Lg left out at one end", round,
              left_out, length);
  }
  for (int k = 0; k < 32; k++) {
    const ldouble s = sinl(k * 0.19634954L), t = cosl(k * 0.19634954L);
    const ldouble width = max_along(&region, s, t) + max_along(&region, -s, -t);
    const ldouble left_out = max_along(&region, s, t) - max_of_points(&m, &w, s, t);
    cr_assert(left_out <= 0.5L * width + 0.125L * length,
              "round %llu, direction %d: %Lg of %Lg left out", round, k, left_out, width);
  }
  return true;
}

static void check_crossings(const char *name, uint64_t seed, double min, double max) {
  rng r = rng_make(rng_seed(name, seed));
  const mo_geometry box = box_of(1, 1, 1), hull = hull_of(TEST_HULL_CUBE);
  const uint64_t rounds = rng_few_rounds(5000, 500000);
  uint64_t found = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const crossing c = random_crossing(&r, min, max);
    const bool hulls[2] = {rng_chance(&r, 0.3), rng_chance(&r, 0.3)};
    const mo_primitive p[2] = {mo_primitive_of_geometry(hulls[0] ? &hull : &box, &c.bar[0].map),
                               mo_primitive_of_geometry(hulls[1] ? &hull : &box, &c.bar[1].map)};
    found += check(&c, p, rng_chance(&r, 0.2) ? 0 : 0.02f, (unsigned long long)i);
  }
  cr_assert(found > rounds / 8, "only %llu", (unsigned long long)found);
}

Test(ridges, nearly_parallel) {
  check_crossings("ridges/parallel", 240, 0.006, 0.1);
}

/* So close to parallel, no axis across both edges is tried as a separating one. */
Test(ridges, all_but_parallel) {
  check_crossings("ridges/all but parallel", 243, 1e-4, 0.005);
}

Test(ridges, at_small_angles) {
  check_crossings("ridges/angles", 241, 0.1, 0.25);
}

/* The pair is symmetric under a half turn about the vertical: so are its points, and nothing turns
 * the upper bar. */
Test(ridges, half_turn) {
  const mo_transform roll = mo_transform_make(
      mo_vec(0, 0, 0), turned(mo_vec(1, 0, 0), 0.7853981633974483), mo_vec(1, 1, 1));
  const mo_geometry g = box_of(1.5f, 0.1f, 0.1f);
  for (int k = 2; k <= 24; k++) { /* closer to parallel, a way out to the side is shorter */
    mo_transform yaw = mo_transform_make(mo_vec(0, 0.2328427f, 0),
                                         turned(mo_vec(0, 1, 0), 0.01 * k), mo_vec(1, 1, 1));
    yaw = mo_transform_compose(&yaw, &roll);
    const mo_primitive p = mo_primitive_of_geometry(&g, &roll),
                       q = mo_primitive_of_geometry(&g, &yaw);
    for (int early = 0; early < 2; early++) {
      const mo_manifold m = collide_within(&p, &q, early == 0 ? 0 : 0.02f);
      float min = 0, max = 0;
      for (uint32_t i = 0; i < m.point_count; i++) {
        min = fminf(min, m.points[i].position.x);
        max = fmaxf(max, m.points[i].position.x);
      }
      cr_assert(m.normal.y > 0.99999f && m.point_count >= 3, "angle %d: %u points", k,
                m.point_count);
      cr_assert(min < -0.2f && fabsf(min + max) <= 0.1f * max, "angle %d: from %g to %g", k,
                (double)min, (double)max);
      cr_assert_float_eq(min_separation(&m), -0.05f, 1e-5f);
    }
  }
}

/* Of a point outside of a bar. */
static ldouble distance_of(const bar *b, ldvec p) {
  const ldvec axes[3] = {ld_float(b->map.x_axis), ld_float(b->map.y_axis), ld_float(b->map.z_axis)};
  ldouble square = 0;
  for (int i = 0; i < 3; i++) {
    const ldouble beyond = fabsl(ld_dot(p, axes[i])) / ld_norm(axes[i]) - ld_norm(axes[i]);
    square += beyond > 0 ? beyond * beyond : 0;
  }
  return sqrtl(square);
}

/* A capsule that lies along an edge: points at both ends of what is within reach. */
Test(ridges, capsule_along_an_edge) {
  rng r = rng_make(rng_seed("ridges/capsule", 242));
  const mo_geometry box = box_of(1, 1, 1);
  const uint64_t rounds = rng_few_rounds(5000, 300000);
  uint64_t found = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const float half = expf(rng_float(&r, -0.5f, 1.5f)), radius = expf(rng_float(&r, -3, -1));
    const mo_geometry g = capsule_of(half, radius);
    bar low = random_bar(&r);
    const double angle = (double)rng_float(&r, 0.01f, 0.2f);
    const mo_vec3 along = {(float)cos(angle), 0, (float)-sin(angle)};
    mo_vec3 at = mo_add(edge_of(&low.map, 1), mo_scale(rng_float(&r, -0.5f, 0.5f), low.map.x_axis));
    at = mo_add(at, mo_scale(half * rng_float(&r, -0.5f, 0.5f), along));
    at.y += radius - rng_float(&r, -0.015f, 0.02f);
    const mo_transform over =
        mo_transform_make(at, turned(mo_vec(0, 1, 0), angle), mo_vec(1, 1, 1));
    const mo_primitive p = mo_primitive_of_geometry(&box, &low.map),
                       q = mo_primitive_of_geometry(&g, &over);
    const float distance = 0.02f;
    const mo_manifold m = collide_within(&p, &q, distance);
    const solid a = solid_of(&low.map);
    if (m.point_count == 0 || !(m.normal.y > 0.999999f) ||
        !is_edge_of_both(&a, &a, unit(ld_float(m.normal)))) {
      continue;
    }
    /* The lowest line of the capsule, against the top of the bar. */
    const view w = view_along(m.normal);
    ldouble from = INFINITY, to = -INFINITY;
    for (int k = -1000; k <= 1000; k++) {
      const ldouble t = k * 0.001L * half;
      const ldvec on = ld_add(ld_float(at), ld_scale(t, ld_float(along)));
      ldouble top = INFINITY;
      bool over_it = true;
      for (int f = 0; f < FACES; f++) {
        const ldouble up = ld_dot(a.normal[f], w.n), rest = a.offset[f] - ld_dot(a.normal[f], on);
        top = up > upright ? fminl(top, rest / up) : top;
      }
      const ldvec under = ld_add(on, ld_scale(top - 1e-6L, w.n));
      for (int f = 0; f < FACES; f++) {
        over_it = over_it && ld_dot(a.normal[f], under) <= a.offset[f];
      }
      if (over_it && -top - radius <= distance) {
        from = fminl(from, t);
        to = fmaxl(to, t);
      }
    }
    if (to - from < 0.5L * fminf(half, low.half.x)) {
      continue;
    }
    found++;
    ldouble first = INFINITY, last = -INFINITY;
    for (uint32_t k = 0; k < m.point_count; k++) {
      const ldouble t =
          ld_dot(ld_sub(ld_float(m.points[k].position), ld_float(at)), ld_float(along));
      /* Over the edge, or nearly so, the gap along the normal is the distance. */
      const ldvec on_axis = ld_add(ld_float(at), ld_scale(t, ld_float(along)));
      const ldouble aside = fabsl(on_axis.z - (ldouble)edge_of(&low.map, 1).z);
      const ldouble gap = distance_of(&low, on_axis) - radius;
      cr_assert(aside > 0.1L * radius || fabsl(m.points[k].separation - gap) <= 0.01L * radius,
                "round %llu: %g, not %Lg", (unsigned long long)i, (double)m.points[k].separation,
                gap);
      first = fminl(first, t);
      last = fmaxl(last, t);
    }
    cr_assert(first - from <= 0.1L * (to - from) && to - last <= 0.1L * (to - from),
              "round %llu: %Lg to %Lg, not %Lg to %Lg", (unsigned long long)i, first, last, from,
              to);
  }
  cr_assert(found > rounds / 5, "only %llu", (unsigned long long)found);
}

/* --- ids --- */

static uint64_t exchanged(uint64_t id) {
  return id << 32 | id >> 32;
}

/* The point nearest to a place. */
static const mo_manifold_point *nearest_point(const mo_manifold *m, mo_vec3 place) {
  const mo_manifold_point *best = &m->points[0];
  for (uint32_t i = 1; i < m->point_count; i++) {
    const mo_vec3 to = mo_sub(m->points[i].position, place), from = mo_sub(best->position, place);
    best = mo_dot(to, to) < mo_dot(from, from) ? &m->points[i] : best;
  }
  return best;
}

static bool is_within(mo_vec3 a, mo_vec3 b, float distance) {
  const mo_vec3 way = mo_sub(a, b);
  return mo_dot(way, way) < distance * distance;
}

/* How many points were found again, and how many of them by the same id. */
typedef struct tally {
  uint32_t points, exchanged, same_exchanged, nudged, same_nudged;
} tally;

/* No two points have the same id. Where the bodies are exchanged, the points at the same places
 * have ids with exchanged halves; and where a body moves by far less than the points are apart,
 * they keep their ids. */
static void check_ids(const mo_primitive p[2], mo_vec3 nudge, uint64_t round, tally *t) {
  mo_primitive moved = p[1];
  moved.transform.origin = mo_add(moved.transform.origin, nudge);
  const mo_manifold m = collide_within(&p[0], &p[1], 0.02f),
                    other = collide_within(&p[1], &p[0], 0.02f),
                    next = collide_within(&p[0], &moved, 0.02f);
  for (uint32_t i = 0; i < m.point_count && other.point_count > 0; i++) {
    const mo_manifold_point *point = &m.points[i], *again = nearest_point(&other, point->position);
    for (uint32_t k = 0; k < i; k++) {
      cr_assert_neq(m.points[k].id, point->id, "round %llu: points %u and %u have one id",
                    (unsigned long long)round, k, i);
    }
    t->points++;
    if (is_within(again->position, point->position, 1e-5f)) {
      t->exchanged++;
      t->same_exchanged += again->id == exchanged(point->id);
    }
    again = next.point_count > 0 ? nearest_point(&next, point->position) : point;
    if (is_within(again->position, point->position, 1e-3f)) {
      t->nudged++;
      t->same_nudged += again->id == point->id;
    }
  }
}

/* `elsewhere`: so many points may be at other places once the bodies are exchanged. */
static void check_tally(const tally *t, uint64_t min, uint32_t elsewhere) {
  cr_assert(t->exchanged > min && t->nudged > min, "only %u", t->exchanged);
  cr_assert_leq(t->points - t->exchanged, elsewhere, "%u of %u at other places",
                t->points - t->exchanged, t->points);
  cr_assert_eq(t->same_exchanged, t->exchanged, "%u of %u exchanged", t->same_exchanged,
               t->exchanged);
  cr_assert(t->same_nudged >= t->nudged - t->nudged / 500, "%u of %u kept", t->same_nudged,
            t->nudged);
}

Test(ridges, points_have_ids_of_their_own_and_keep_them) {
  rng r = rng_make(rng_seed("ridges/ids", 244));
  const mo_geometry box = box_of(1, 1, 1), hull = hull_of(TEST_HULL_CUBE);
  const uint64_t rounds = rng_few_rounds(4000, 200000);
  tally bars = {0}, capsules = {0};
  for (uint64_t i = 0; i < rounds; i++) {
    const crossing c = random_crossing(&r, 0.006, 0.2);
    const bool is_hull = rng_chance(&r, 0.3);
    const mo_vec3 nudge = mo_scale(1e-6f, rng_direction(&r));
    mo_primitive p[2] = {mo_primitive_of_geometry(&box, &c.bar[0].map),
                         mo_primitive_of_geometry(is_hull ? &hull : &box, &c.bar[1].map)};
    check_ids(p, nudge, i, &bars);
    /* A capsule in place of the second bar, along an edge of the first, longer than it or not. */
    const float half = expf(rng_float(&r, -0.5f, 2)), radius = expf(rng_float(&r, -3, -1));
    const mo_geometry g = capsule_of(half, radius);
    const double angle = (double)rng_float(&r, 0.01f, 0.2f);
    mo_vec3 at = edge_of(&c.bar[0].map, 1);
    at.y += radius - rng_float(&r, -0.015f, 0.02f);
    const mo_transform over =
        mo_transform_make(at, turned(mo_vec(0, 1, 0), angle), mo_vec(1, 1, 1));
    p[1] = mo_primitive_of_geometry(&g, &over);
    check_ids(p, nudge, i, &capsules);
  }
  /* Two ids of boxes may be each other's exchanged: then which comes first depends on the order. It
   * is so for one point in 800; of few points there may be more by chance. */
  check_tally(&bars, rounds, 4 + bars.points / 500);
  check_tally(&capsules, rounds / 10, 0);
}

/* Whether a place is on the part of a box under a map that a half of an id names. */
static bool is_on_feature(const mo_transform *map, uint32_t half, mo_vec3 place, double tolerance) {
  const mo_feature kind = (mo_feature)(half >> 30);
  const uint32_t index = half & 0x3fffffff;
  mo_vec3 at = map->origin, along[3];
  int free_axes = 0;
  const mo_vec3 axis[3] = {map->x_axis, map->y_axis, map->z_axis};
  for (uint32_t i = 0; i < 3; i++) {
    const bool is_free = kind == MO_FEATURE_EDGE   ? index / 8 == i
                         : kind == MO_FEATURE_FACE ? index / 2 != i
                                                   : false;
    const bool upper = kind == MO_FEATURE_FACE ? index % 2 != 0 : (index >> i & 1) != 0;
    if (is_free) {
      along[free_axes++] = axis[i];
    } else {
      at = mo_add(at, mo_scale(upper ? 1 : -1, axis[i]));
    }
  }
  mo_vec3 off = mo_sub(place, at); /* the axes are perpendicular */
  for (int i = 0; i < free_axes; i++) {
    const float part = mo_dot(off, along[i]) / mo_dot(along[i], along[i]);
    off = mo_sub(off, mo_scale(fmaxf(-1, fminf(part, 1)), along[i]));
  }
  return (double)mo_dot(off, off) <= tolerance * tolerance;
}

/* A capsule or bar over an edge of a bar, at a small angle: on the bar below, each point is on the
 * face, edge or vertex that its id names. */
Test(ridges, ids_name_what_points_are_on) {
  rng r = rng_make(rng_seed("ridges/names", 246));
  const mo_geometry box = box_of(1, 1, 1);
  uint32_t faces = 0, edges = 0;
  for (uint64_t i = 0; i < rng_few_rounds(4000, 100000); i++) {
    const crossing c = random_crossing(&r, 0.006, 0.2);
    const float half = expf(rng_float(&r, -0.5f, 2)), radius = expf(rng_float(&r, -3, -1));
    const mo_geometry g = capsule_of(half, radius);
    mo_vec3 at = edge_of(&c.bar[0].map, 1);
    at.y += radius - rng_float(&r, -0.015f, 0.02f);
    const double angle = (double)rng_float(&r, 0.01f, 0.2f);
    const mo_vec3 axis = mo_vec(0, 1, i % 2 == 0 ? 0 : rng_float(&r, -0.2f, 0.2f));
    const mo_transform over = mo_transform_make(at, turned(axis, angle), mo_vec(1, 1, 1));
    const mo_primitive below = mo_primitive_of_geometry(&box, &c.bar[0].map),
                       capsule = mo_primitive_of_geometry(&g, &over);
    const mo_manifold m = collide_within(&below, &capsule, 0.02f);
    for (uint32_t k = 0; k < m.point_count; k++) {
      const mo_manifold_point *p = &m.points[k];
      const mo_vec3 place = mo_sub(p->position, mo_scale(0.5f * p->separation, m.normal));
      const uint32_t id = (uint32_t)(p->id >> 32);
      cr_assert(is_on_feature(&c.bar[0].map, id, place, 2e-3), "round %d, point %u: %x", (int)i, k,
                id);
      faces += id >> 30 == MO_FEATURE_FACE;
      edges += id >> 30 == MO_FEATURE_EDGE;
    }
  }
  cr_assert(faces > 0 && edges > 0, "%u %u", faces, edges);
}
