/* Hulls of few points that are nearly, or exactly, on a line or in a plane, of sizes up to 2^120
 * apart, at any place: against the definition of a convex hull, with exact signs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/hull/clouds.h"
#include "geometry/hull/polytope.h"
#include "oracle/solids.h"

enum { MAX = 24 };

/* Where points are before they are scaled, flattened and moved. */
typedef enum shape_kind {
  SHAPE_LINE,      /* on a line, up to noise of any size */
  SHAPE_SIZES,     /* on a line from its origin, of sizes up to 2^60 apart, rounded */
  SHAPE_CLUSTER,   /* some close together, the others far away */
  SHAPE_STRIP,     /* in a thin strip of a plane */
  SHAPE_LATTICE,   /* few whole numbers */
  SHAPE_BALL,      /* anywhere */
  SHAPE_ARC,       /* on a parabola: all are vertices, barely */
  SHAPE_EXPONENTS, /* each coordinate of any size */
  SHAPE_KINDS
} shape_kind;

static float power2(rng *r, float lowest, float highest) {
  return ldexpf(1.0f, (int)floorf(rng_float(r, lowest, highest)));
}

static float any_sign(rng *r, float x) {
  return rng_chance(r, 0.5) ? x : -x;
}

static mo_vec3 scaled(float s, mo_vec3 v) {
  return (mo_vec3){s * v.x, s * v.y, s * v.z};
}

static mo_vec3 moved(mo_vec3 v, mo_vec3 by) {
  return (mo_vec3){v.x + by.x, v.y + by.y, v.z + by.z};
}

static mo_vec3 whole(rng *r, float max) {
  mo_vec3 p = rng_vec3(r, -max - 0.5f, max + 0.5f);
  return (mo_vec3){rintf(p.x), rintf(p.y), rintf(p.z)};
}

typedef struct cloud {
  mo_vec3 points[MAX];
  uint32_t count;
} cloud;

static void fill(cloud *c, shape_kind kind, rng *r) {
  mo_vec3 along = rng_chance(r, 0.3) ? whole(r, 3) : rng_vec3(r, -1, 1),
          across = rng_vec3(r, -1, 1);
  float noise = power2(r, -60, 1), thinness = power2(r, -30, 1);
  float spread = rng_float(r, 0, 60), sign = any_sign(r, 1);
  bool both_ways = rng_chance(r, 0.3);
  for (uint32_t i = 0; i < c->count; i++) {
    float t = rng_float(r, -1, 1), u = rng_float(r, -1, 1);
    mo_vec3 any = rng_vec3(r, -1, 1);
    float size = rng_float(r, 1, 2) * power2(r, -spread, 1);
    size = both_ways ? any_sign(r, size) : sign * size;
    mo_vec3 *p = &c->points[i];
    switch (kind) {
    case SHAPE_LINE:
      *p = moved(scaled(t, along), scaled(noise, any));
      break;
    case SHAPE_SIZES:
      *p = scaled(size, along);
      break;
    case SHAPE_STRIP:
      *p = moved(scaled(t, along), scaled(noise * u, across));
      break;
    case SHAPE_CLUSTER:
      *p = moved(scaled(i < c->count / 3 ? sign : size * noise, along),
                 scaled(noise * thinness, any));
      break;
    case SHAPE_LATTICE:
      *p = whole(r, 3);
      break;
    case SHAPE_ARC:
      *p = moved(scaled(t, along), scaled(noise * t * t, across));
      break;
    case SHAPE_EXPONENTS:
      *p = (mo_vec3){any.x * power2(r, -60, 1), any.y * power2(r, -60, 1),
                     any.z * power2(r, -60, 1)};
      break;
    case SHAPE_BALL:
    case SHAPE_KINDS:
      *p = any;
      break;
    }
  }
}

/* Makes all points coplanar, exactly: one coordinate is constant, or that of another axis, or twice
 * that. */
static void flatten(cloud *c, rng *r) {
  uint32_t from = rng_below(r, 3), axis = (from + 1 + rng_below(r, 2)) % 3, form = rng_below(r, 6);
  float constant = rng_chance(r, 0.5) ? 0 : rng_float(r, -1, 1) * power2(r, -20, 20);
  for (uint32_t i = 0; i < c->count; i++) {
    float *const axes[] = {&c->points[i].x, &c->points[i].y, &c->points[i].z};
    float x = *axes[from];
    *axes[axis] = form == 0 ? x : form == 1 ? -x : form == 2 ? 2 * x : constant;
  }
}

/* Scales each axis: all alike, or up to 2^60 apart; now and then down to denormals, where almost
 * all points lie on lines and in planes. */
static void scale_axes(cloud *c, rng *r) {
  uint32_t form = rng_below(r, 6);
  float x = form == 0 ? 0x1p-145f : form == 1 ? 1000.0f : power2(r, -40, 60);
  float y = form < 4 ? x : power2(r, -40, 60), z = form < 4 ? x : power2(r, -40, 60);
  for (uint32_t i = 0; i < c->count; i++) {
    mo_vec3 *p = &c->points[i];
    *p = (mo_vec3){p->x * x, p->y * y, p->z * z};
  }
}

static float nudged(rng *r, float x) {
  uint32_t choice = rng_below(r, 3);
  return choice == 0 ? x : nextafterf(x, choice == 1 ? INFINITY : -INFINITY);
}

/* Repeats points, moves some by one ulp, or to the middle between others. */
static void disturb(cloud *c, rng *r) {
  uint32_t form = rng_below(r, 4);
  for (uint32_t i = 0; i < c->count && form > 0; i++) {
    uint32_t a = rng_below(r, c->count), b = rng_below(r, c->count);
    mo_vec3 p = c->points[a], q = c->points[b];
    if (rng_chance(r, 0.4)) {
      c->points[i] = form == 1   ? p
                     : form == 2 ? moved(scaled(0.5f, p), scaled(0.5f, q))
                                 : (mo_vec3){nudged(r, p.x), nudged(r, p.y), nudged(r, p.z)};
    }
  }
}

static void move_all(cloud *c, rng *r) {
  mo_vec3 by = scaled(power2(r, -20, 60), rng_vec3(r, -1, 1));
  for (uint32_t i = 0; i < c->count; i++) {
    c->points[i] = moved(c->points[i], by);
  }
}

static void make_cloud(cloud *c, rng *r) {
  c->count = rng_chance(r, 0.5) ? 3 + rng_below(r, 6) : 1 + rng_below(r, MAX);
  uint32_t kind = rng_below(r, SHAPE_KINDS + 4);
  fill(c, kind < SHAPE_KINDS ? (shape_kind)kind : kind % 2 == 0 ? SHAPE_SIZES : SHAPE_CLUSTER, r);
  if (rng_chance(r, 0.6)) {
    scale_axes(c, r);
  }
  if (rng_chance(r, 0.2)) {
    move_all(c, r);
  }
  if (rng_chance(r, 0.5)) {
    flatten(c, r);
  }
  if (rng_chance(r, 0.3)) {
    disturb(c, r);
  }
}

static void print_cloud(const cloud *c) {
  for (uint32_t i = 0; i < c->count; i++) {
    fprintf(stderr, "{%a, %a, %a},\n", (double)c->points[i].x, (double)c->points[i].y,
            (double)c->points[i].z);
  }
}

/* Whether long double suffices for distances: the hull is flat or not too thin, and no face is. */
static bool is_thick(const mo_hull *hull, ldouble size) {
  if (!hull->flat && hull->volume < 1e-8L * size * size * size) {
    return false;
  }
  for (uint32_t f = 0; f < hull->face_count; f++) {
    if (ld_norm(face_normal_of(hull, &hull->faces[f])) < 1e-8L * size * size) {
      return false;
    }
  }
  return true;
}

/* The distance of a point outside of a hull from its surface: from faces where its foot lies in
 * them, and from edges. */
static ldouble distance_outside(const mo_hull *hull, ldvec p) {
  ldouble min = INFINITY;
  for (uint32_t f = 0; f < hull->face_count; f++) {
    const mo_hull_polygon *face = &hull->faces[f];
    ldvec n = face_normal_of(hull, face);
    n = ld_scale(1 / ld_norm(n), n);
    ldouble above = ld_dot(n, ld_sub(p, face_vertex_of(hull, face, 0)));
    bool within = true;
    for (uint32_t i = 0; i < face->count; i++) {
      ldvec from = face_vertex_of(hull, face, i), to = face_vertex_of(hull, face, i + 1);
      within = within && ld_dot(ld_cross(ld_sub(to, from), ld_sub(p, from)), n) >= 0;
      min = fminl(min, ld_norm(ld_sub(p, closest_of_segment(from, to, p))));
    }
    min = within ? fminl(min, fabsl(above)) : min;
  }
  return min;
}

/* How far the farthest point is from a hull that was limited. */
static const char *check_distance_lost(const cloud *c, const mo_hull *hull) {
  ldouble size = ld_norm(ld_sub(ld_float(hull->bounds.upper), ld_float(hull->bounds.lower)));
  if (!is_thick(hull, size)) {
    return NULL;
  }
  ldouble max = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    if (hull->flat || !cloud_is_inside(hull, c->points[i])) {
      max = fmaxl(max, distance_outside(hull, ld_float(c->points[i])));
    }
  }
  ldouble error = 3e-7L * max + 1e-9L * size + 0x1p-149L;
  return fabsl((ldouble)hull->distance_lost - max) <= error ? NULL : "the distance lost is wrong";
}

/* The hull of the points with a limit of vertices, which is checked; its number of vertices, or 0
 * if all points are on a line. */
static uint32_t check_hull(const cloud *c, uint32_t limit) {
  mo_hull_def def = cloud_def(c->points, c->count);
  def.vertex_limit = limit;
  mo_hull *hull = NULL;
  mo_result result = mo_hull_create(&def, &hull);
  const char *fault = NULL;
  if (result == MO_OK) {
    fault = polytope_fault(hull, c->points, c->count, limit != MO_MAX_HULL_POINTS);
    fault = fault == NULL && mo_hull_validate(hull) != MO_OK ? "not valid" : fault;
    fault = fault == NULL ? check_distance_lost(c, hull) : fault;
  } else if (result != MO_ERROR_INVALID_ARGUMENT || !polytope_is_line(c->points, c->count)) {
    fault = "refused";
  }
  mo_hull_info info = {0};
  if (result == MO_OK) {
    mo_hull_get_info(hull, &info);
  }
  mo_hull_release(hull);
  if (fault != NULL) {
    print_cloud(c);
    cr_assert_fail("%s; limit %u", fault, limit);
  }
  return info.vertex_count;
}

static void check_cloud(const cloud *c) {
  uint32_t whole_count = check_hull(c, MO_MAX_HULL_POINTS);
  for (uint32_t limit = 4; limit < 8; limit += 3) {
    uint32_t max = whole_count < limit ? whole_count : limit;
    cr_assert_eq(check_hull(c, limit), max);
  }
}

Test(hull_nearly_flat, random) {
  rng r = rng_make(rng_seed("hull_nearly_flat/random", 74));
  for (uint64_t i = 0; i < rng_few_rounds(8000, 1000000); i++) {
    cloud c;
    make_cloud(&c, &r);
    check_cloud(&c);
  }
}

/* Five points of the plane y = 0 nearly on a line, of 1e11 to 1e-6: the apex that is added to
 * coplanar points came to lie above the triangle that was meant to be below it. */
Test(hull_nearly_flat, apex_beyond_the_points) {
  static const cloud c = {{{-0x1.7e0f9p+36f, 0, -0x1.045edep+33f},
                           {-0x1.686a42p+3f, 0, -0x1.eb3d0ep-1f},
                           {-0x1.1b9dfp+2f, 0, -0x1.82906ep-2f},
                           {-0x1.46d196p-14f, 0, -0x1.bd7282p-18f},
                           {-0x1.b6568ep-21f, 0, -0x1.2ab916p-24f}},
                          5};
  check_cloud(&c);
}

/* A point 1000 away from others that are within 1e-7, all in a plane and nearly on a line. */
Test(hull_nearly_flat, far_point) {
  rng r = rng_make(rng_seed("hull_nearly_flat/far_point", 75));
  for (uint64_t i = 0; i < rng_few_rounds(500, 300000); i++) {
    cloud c = {.count = 3 + rng_below(&r, 6)};
    mo_vec3 along = rng_vec3(&r, -1000, 1000);
    float constant = rng_chance(&r, 0.5) ? 0 : rng_float(&r, -1, 1);
    for (uint32_t k = 0; k < c.count; k++) {
      float t = k == 0 ? 1 : rng_float(&r, -1e-10f, 1e-10f);
      c.points[k] = (mo_vec3){t * along.x, constant, t * along.z};
    }
    check_cloud(&c);
  }
}
