/* Rays against hulls in their own frame, by definition in long double: the planes of the faces,
 * from the vertices, and the distance from faces and edges. Hulls of all kinds and sizes. */
#include <criterion/criterion.h>

#include "geometry/ray/body.h"
#include "oracle/solids.h"
#include "support/steady.h"

typedef struct answer {
  bool hit;
  float t;
  mo_dvec3 normal;
} answer;

static answer cast(const mo_hull *hull, float rounding, const mo_ray_line *ray) {
  answer a = {.t = NAN};
  mo_geometry g = {.type = MO_SHAPE_HULL, .rounding = rounding};
  g.hull = (mo_hull *)hull;
  mo_solid local = mo_solid_read(MO_SOLID_HULL, &g);
  a.hit = mo_ray_test_solid(ray, &local, &a.t, &a.normal);
  return a;
}

static bool no_normal(const answer *a) {
  return a->normal.x == 0 && a->normal.y == 0 && a->normal.z == 0;
}

/* Where a line is behind all planes, moved outward by a margin. Empty (enter > leave) if nowhere.
 */
typedef struct span {
  ldouble enter, leave;
} span;

static span clip(const mo_hull *hull, ldvec origin, ldvec direction, ldouble margin) {
  span s = {-INFINITY, INFINITY};
  for (uint32_t i = 0; i < hull->face_count; i++) {
    const mo_hull_polygon *face = &hull->faces[i];
    ldvec n = face_normal_of(hull, face);
    n = ld_scale(1 / ld_norm(n), n);
    ldouble gap = ld_dot(n, ld_sub(face_vertex_of(hull, face, 0), origin)) + margin;
    ldouble speed = ld_dot(n, direction);
    if (speed == 0) {
      s = gap < 0 ? (span){INFINITY, -INFINITY} : s;
    } else if (speed < 0) {
      s.enter = fmaxl(s.enter, gap / speed);
    } else {
      s.leave = fminl(s.leave, gap / speed);
    }
  }
  return s;
}

static ldouble distance_to(const mo_hull *hull, ldvec p) {
  return ld_norm(ld_sub(p, closest_of_hull(hull, p)));
}

static double size_of_hull(const mo_hull *hull) {
  mo_dvec3 half = hull->half;
  return 2 * sqrt(mo_ddot(half, half));
}

/* The largest magnitude of a coordinate. */
static double coordinates_of(const mo_hull *hull) {
  return mo_max_magnitude(hull->reach);
}

/* A random ray: at a point of the hull, along an edge, in the plane of a face, or beside it. */
static mo_ray_line random_ray(const mo_hull *hull, rng *r) {
  ldvec p = random_point_of_hull(r, hull);
  mo_vec3 target = mo_vec((float)p.x, (float)p.y, (float)p.z);
  mo_vec3 direction = rng_direction(r);
  uint32_t half_edge = rng_below(r, hull->half_edge_count);
  mo_vec3 from = mo_hull_vertex(hull, hull->half_edges[half_edge].vertex);
  uint32_t next = mo_hull_next(hull, half_edge);
  mo_vec3 to = mo_hull_vertex(hull, hull->half_edges[next].vertex);
  uint32_t after = mo_hull_next(hull, next);
  mo_vec3 third = mo_hull_vertex(hull, hull->half_edges[after].vertex);
  float size = (float)size_of_hull(hull);
  switch (rng_below(r, 6)) {
  case 0: /* along an edge, or nearly */
    target = from;
    direction = mo_sub(to, from);
    break;
  case 1: /* in the plane of a face */
    target = from;
    direction = mo_sub(mo_scale(0.5f, mo_add(to, third)), from);
    break;
  case 2: /* at a vertex */
    target = from;
    break;
  case 3: /* along an axis */
    direction = mo_vec(0, rng_chance(r, 0.5) ? -1 : 1, 0);
    break;
  case 4:
    target = mo_add(target, mo_scale(0.5f * size, rng_vec3(r, -1, 1)));
    break;
  default:
    break;
  }
  float length = (float)ld_norm(ld_float(direction));
  if (!(length > 0)) {
    direction = mo_vec(1, 0, 0);
    length = 1;
  }
  if (rng_chance(r, 0.3)) {
    float off = steady_power10(rng_float(r, -9, -1));
    direction = mo_add(direction, mo_scale(off * length, rng_direction(r)));
  }
  float away = size * (rng_chance(r, 0.2) ? steady_power10(rng_float(r, -3, 3)) : 2);
  if (rng_chance(r, 0.1)) {
    away = 0;
  }
  return (mo_ray_line){.origin = mo_sub(target, mo_scale(away / length, direction)),
                       .direction = direction,
                       .max_t = INFINITY};
}

/* What every answer has to keep, of a hull without rounding. */
static void check_ray(const mo_hull *hull, const mo_ray_line *ray, unsigned long long n) {
  answer a = cast(hull, 0, ray);
  ldvec o = ld_float(ray->origin), d = ld_float(ray->direction);
  ldouble speed = ld_norm(d), size = size_of_hull(hull);
  ldouble far = ld_norm(ld_sub(o, ld(hull->center))) + size;
  ldouble margin = 2e-12L * size + 1e-14L * (far + coordinates_of(hull));
  span outer = clip(hull, o, d, margin), inner = clip(hull, o, d, -margin);
  bool surely = inner.enter <= inner.leave && inner.leave >= 0;
  ldouble ulp = 1.2e-7L * fabsl(a.t) + 1e-37L;
  if (!a.hit) {
    cr_assert(!surely, "hull of %u, round %llu: missed", hull->vertex_count, n);
    return;
  }
  cr_assert(outer.enter <= outer.leave && outer.leave >= -margin / speed,
            "hull of %u, round %llu: hit", hull->vertex_count, n);
  cr_assert(a.t >= fmaxl(outer.enter, 0) - ulp, "hull of %u, round %llu: %g, before %Lg",
            hull->vertex_count, n, (double)a.t, outer.enter);
  cr_assert(!surely || a.t <= fmaxl(inner.enter, 0) + ulp, "hull of %u, round %llu: %g, after %Lg",
            hull->vertex_count, n, (double)a.t, inner.enter);
  ldvec at = ld_add(o, ld_scale(a.t, d));
  ldouble last_bits = 1.2e-7L * a.t * speed + margin;
  if (hull->face_count < 200) {
    ldouble off = distance_to(hull, at);
    cr_assert(off <= last_bits, "hull of %u, round %llu: hit %Lg beside it, %Lg",
              hull->vertex_count, n, off, last_bits);
  }
  if (no_normal(&a)) {
    cr_assert(a.t == 0, "round %llu", n);
    return;
  }
  ldvec normal = ld_scale(1 / ld_norm(ld(a.normal)), ld(a.normal));
  cr_assert(ld_dot(normal, d) <= 1e-15L * speed,
            "hull of %u, round %llu: the normal leads along by %Lg", hull->vertex_count, n,
            ld_dot(normal, d) / speed);
  ldouble max = -INFINITY;
  for (uint32_t i = 0; i < hull->vertex_count; i++) {
    max = fmaxl(max, ld_dot(normal, ld_sub(vertex_of(hull, i), at)));
  }
  /* Near a vertex, several faces; the point is off by the last bits of t. */
  cr_assert(max <= 2 * last_bits + 1e-6L * size, "hull of %u, round %llu: %Lg beyond the normal",
            hull->vertex_count, n, max);
}

Test(ray_hull, by_the_planes_of_faces) {
  rng r = rng_make(rng_seed("ray_hull planes", 611));
  uint64_t rounds = rng_rounds(40000, 2000000);
  for (uint64_t i = 0; i < rounds; i++) {
    const mo_hull *hull = test_hull_random(&r);
    mo_ray_line ray = random_ray(hull, &r);
    check_ray(hull, &ray, (unsigned long long)i);
  }
}

static mo_hull *random_hull(float scale, mo_vec3 offset, uint32_t count, rng *r) {
  mo_vec3 points[16];
  for (uint32_t i = 0; i < count; i++) {
    points[i] = mo_add(offset, mo_scale(scale, rng_vec3(r, -1, 1)));
  }
  if (rng_chance(r, 0.5)) { /* the last ones nearly, or exactly, on a face */
    mo_vec3 middle = mo_add(mo_scale(0.5f, points[0]), mo_scale(0.5f, points[1]));
    points[count - 1] = mo_add(mo_scale(0.25f, middle), mo_scale(0.75f, points[2]));
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = count;
  mo_hull *hull = NULL;
  return mo_hull_create(&def, &hull) == MO_OK ? hull : NULL;
}

Test(ray_hull, sizes_and_places) {
  rng r = rng_make(rng_seed("ray_hull sizes", 612));
  uint64_t rounds = rng_rounds(4000, 200000);
  static const float scales[] = {1e-6f, 1, 1e6f, 1e-30f, 1e20f};
  for (uint64_t i = 0; i < rounds; i++) {
    float scale = scales[rng_below(&r, 5)];
    mo_vec3 offset = mo_scale(rng_chance(&r, 0.5) ? 0 : 1e3f * scale, rng_direction(&r));
    mo_hull *hull = random_hull(scale, offset, 4 + rng_below(&r, 12), &r);
    for (int k = 0; k < 6 && hull != NULL; k++) {
      mo_ray_line ray = random_ray(hull, &r);
      check_ray(hull, &ray, (unsigned long long)i);
    }
    mo_hull_release(hull);
  }
}

/* What is hit of a rounded hull lies as far from the sharp one as it is rounded; nothing before it
 * does. */
Test(ray_hull, rounded) {
  rng r = rng_make(rng_seed("ray_hull rounded", 613));
  uint64_t rounds = rng_rounds(8000, 400000), hits = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const mo_hull *hull = test_hull((test_hull_kind)rng_below(&r, TEST_HULL_ROUND));
    float rounding = steady_power10(rng_float(&r, -6, 1));
    mo_ray_line ray = random_ray(hull, &r);
    ldvec o = ld_float(ray.origin), d = ld_float(ray.direction);
    unsigned long long n = (unsigned long long)i;
    answer a = cast(hull, rounding, &ray);
    ldouble speed = ld_norm(d), from = distance_to(hull, o);
    ldouble size = size_of_hull(hull) + rounding, noise = 1e-13L * (size + from);
    if (fabsl(from - rounding) <= noise) {
      continue;
    }
    cr_assert((from < rounding) == (a.hit && no_normal(&a)), "round %llu: inside or not", n);
    if (!a.hit) {
      for (int k = 0; k < 8; k++) {
        ldvec p = ld_add(o, ld_scale(rng_float(&r, 0, 4) * size / speed, d));
        cr_assert(distance_to(hull, p) > rounding - noise, "round %llu: missed", n);
      }
      continue;
    }
    if (no_normal(&a)) {
      continue;
    }
    hits++;
    ldouble last_bits = 1.2e-7L * a.t * speed + noise;
    ldouble at = distance_to(hull, ld_add(o, ld_scale(a.t, d)));
    cr_assert(fabsl(at - rounding) <= 2 * last_bits, "round %llu: hit at %Lg, rounded by %g", n, at,
              (double)rounding);
    /* A tangent line comes within the noise that much earlier. */
    ldouble earlier = a.t - (last_bits + 2 * sqrtl(noise * (size + from))) / speed;
    for (int k = 0; k < 4 && earlier > 0; k++) {
      ldouble before = earlier * rng_float(&r, 0, 1);
      cr_assert(distance_to(hull, ld_add(o, ld_scale(before, d))) > rounding, "round %llu: late",
                n);
    }
    cr_assert(mo_ddot(a.normal, mo_widen(ray.direction)) < 0, "round %llu", n);
  }
  cr_assert_gt(hits, rounds / 4);
}

Test(ray_hull, by_hand) {
  const mo_hull *cube = test_hull(TEST_HULL_CUBE);
  mo_ray_line ray = {{-3, 0.25f, 0.125f}, {1, 0, 0}, 0, INFINITY};
  answer a = cast(cube, 0, &ray);
  cr_assert(a.hit && a.t == 2 && a.normal.x == -1);
  ray.origin = mo_vec(1, 0, 0); /* touches, on its way out */
  a = cast(cube, 0, &ray);
  cr_assert(a.hit && a.t == 0 && no_normal(&a));
  ray.origin = mo_vec(nextafterf(1, 2), 0, 0);
  cr_assert(!cast(cube, 0, &ray).hit);
  ray.origin = mo_vec(0, 0, 0);
  a = cast(cube, 0, &ray);
  cr_assert(a.hit && a.t == 0 && no_normal(&a));
  ray.origin = mo_vec(-3, 1, 1); /* along an edge */
  a = cast(cube, 0, &ray);
  cr_assert(a.hit && a.t == 2);
  ray.origin.y = nextafterf(1, 2);
  cr_assert(!cast(cube, 0, &ray).hit);
  ray.direction = mo_vec(0, 0, 0);
  cr_assert(!cast(cube, 0, &ray).hit);
  ray.origin = mo_vec(0, 0, 1);
  cr_assert(cast(cube, 0, &ray).hit, "a direction of zero, on the surface");
  const mo_hull *plate = test_hull(TEST_HULL_PLATE); /* at y = 0.25 */
  ray = (mo_ray_line){{0, 1, 0}, {0, -1, 0}, 0, INFINITY};
  a = cast(plate, 0, &ray);
  cr_assert(a.hit && a.t == 0.75f && a.normal.y == 1);
  ray.max_t = nextafterf(0.75f, 0);
  cr_assert(!cast(plate, 0, &ray).hit);
  ray = (mo_ray_line){{-5, 0.25f, 0}, {1, 0, 0}, 0, INFINITY}; /* in its plane */
  a = cast(plate, 0, &ray);
  cr_assert(a.hit && a.t > 3 && a.t < 5 && a.normal.x < 0);
  ray.origin.y = 0.2500001f;
  cr_assert(!cast(plate, 0, &ray).hit);
  ray = (mo_ray_line){{-5, 0.25f + 0.5f, 0}, {1, 0, 0}, 0, INFINITY};
  cr_assert(cast(plate, 0.5f, &ray).hit, "grazes the rounded one");
}
