/* Rays that start on a triangle and segments that end on one, over thin triangles, flat angles and
 * large offsets: t is exactly 0 or 1, and the ray may miss only within the bound that motte/query.h
 * documents. The oracle of the bound is geometry on whole numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/batch.h>
#include <string.h>

#include "geometry/ray/triangle.h"
#include "support/check.h"
#include "support/mesh_subject.h"

/* The documented bound on r * sin(angle), in units of the largest distance to a corner. */
#define BOUND 0x1p-20

enum { SPOTS = 24, RAYS = 8 * SPOTS };

/* A triangle and a point on it. Corners, point and differences are floats, without rounding. */
typedef struct spot {
  mo_vec3 at, corners[3];
} spot;

static double size_of(mo_dvec3 v) {
  return sqrt(mo_ddot(v, v));
}

/* From 2^low to 2^high, as often in each octave. */
static double magnitude(rng *r, int low, int high) {
  int exponent = low + (int)rng_below(r, (uint32_t)(high - low));
  return ldexp(rng_float(r, 1, 2), exponent);
}

static int whole(rng *r, uint32_t max) {
  return (int)rng_below(r, 2 * max + 1) - (int)max;
}

static mo_vec3 whole_vec(rng *r, uint32_t max) {
  int x = whole(r, max), y = whole(r, max), z = whole(r, max);
  return (mo_vec3){(float)x, (float)y, (float)z};
}

/* a * u + b * v */
static mo_dvec3 combine(float a, mo_vec3 u, float b, mo_vec3 v) {
  return mo_dadd(mo_dscale(a, mo_widen(u)), mo_dscale(b, mo_widen(v)));
}

/* Corners at whole multiples of two whole vectors, one of which may be far shorter: up to some
 * million times as long as wide. `offset`: of the point, up to a million. False if the point is not
 * inside; the next may be. */
static bool spot_make(spot *s, mo_vec3 offset, float scale, rng *r) {
  mo_vec3 u = whole_vec(r, (uint32_t)magnitude(r, 0, 10));
  mo_vec3 v = whole_vec(r, (uint32_t)magnitude(r, 0, 10));
  switch (rng_below(r, 3)) {
  case 0: { /* perpendicular to an axis */
    int axis = (int)rng_below(r, 3);
    *(axis == 0 ? &u.x : axis == 1 ? &u.y : &u.z) = 0;
    *(axis == 0 ? &v.x : axis == 1 ? &v.y : &v.z) = 0;
    break;
  }
  case 1: /* an edge along an axis */
    u.y = u.z = 0;
    break;
  }
  uint32_t max_a = (uint32_t)magnitude(r, 1, 13), max_b = (uint32_t)magnitude(r, 1, 13);
  float a[3], b[3];
  int left = 0, right = 0;
  for (int i = 0; i < 3; i++) {
    a[i] = (float)whole(r, max_a);
    b[i] = (float)whole(r, max_b);
  }
  for (int i = 0; i < 3; i++) {
    double turn = (double)a[i] * b[(i + 1) % 3] - (double)a[(i + 1) % 3] * b[i];
    left += turn > 0;
    right += turn < 0;
  }
  mo_dvec3 normal = mo_dcross(mo_widen(u), mo_widen(v));
  if ((left != 3 && right != 3) || size_of(normal) == 0) {
    return false;
  }
  s->at = (mo_vec3){offset.x * scale, offset.y * scale, offset.z * scale};
  for (int i = 0; i < 3; i++) {
    mo_dvec3 to = mo_dadd(mo_widen(offset), combine(a[i], u, b[i], v));
    if (fmax(fmax(fabs(to.x), fabs(to.y)), fabs(to.z)) > 0x1p24) {
      return false;
    }
    s->corners[i] = (mo_vec3){(float)(to.x * scale), (float)(to.y * scale), (float)(to.z * scale)};
  }
  return true;
}

static mo_dvec3 normal_of(const mo_vec3 c[3]) {
  return mo_dcross(mo_dsub(mo_widen(c[1]), mo_widen(c[0])),
                   mo_dsub(mo_widen(c[2]), mo_widen(c[0])));
}

/* A direction at an angle of 1e-9 to 1 with the plane, along an edge or anywhere. */
static mo_vec3 direction_at(const mo_vec3 c[3], rng *r) {
  mo_dvec3 n = normal_of(c), along = mo_dsub(mo_widen(c[1]), mo_widen(c[0]));
  if (rng_below(r, 2)) {
    float share = rng_float(r, -1, 1);
    along = mo_dadd(along, mo_dscale(share, mo_dsub(mo_widen(c[2]), mo_widen(c[0]))));
  }
  if (rng_below(r, 3) == 0) {
    along = mo_dcross(along, n);
  }
  double rise = magnitude(r, -30, 1) / size_of(n), length = magnitude(r, -3, 4);
  mo_dvec3 d = mo_dadd(mo_dscale(length / size_of(along), along),
                       mo_dscale(rng_below(r, 2) ? rise * length : -rise * length, n));
  return mo_narrow(d);
}

static double sine_of(const mo_vec3 c[3], mo_vec3 direction) {
  mo_dvec3 n = normal_of(c), d = mo_widen(direction);
  return fabs(mo_ddot(n, d)) / (size_of(n) * size_of(d));
}

/* The distance of a point from the line through two others. */
static double line_distance(mo_vec3 point, mo_vec3 a, mo_vec3 b) {
  mo_dvec3 edge = mo_dsub(mo_widen(b), mo_widen(a));
  return size_of(mo_dcross(mo_dsub(mo_widen(point), mo_widen(a)), edge)) / size_of(edge);
}

static double farthest_corner(const mo_vec3 c[3], mo_vec3 origin) {
  double max = 0;
  for (int i = 0; i < 3; i++) {
    mo_dvec3 to = mo_dsub(mo_widen(c[i]), mo_widen(origin));
    max = fmax(max, fmax(fabs(to.x), fmax(fabs(to.y), fabs(to.z))));
  }
  return max;
}

/* r * sin(angle) / e of a ray that passes a point on a triangle. */
static double clearance(const spot *s, mo_vec3 origin, mo_vec3 direction) {
  const mo_vec3 *c = s->corners;
  double r = fmin(line_distance(s->at, c[0], c[1]), line_distance(s->at, c[1], c[2]));
  r = fmin(r, line_distance(s->at, c[2], c[0]));
  return r * sine_of(c, direction) / farthest_corner(c, origin);
}

/* Triangles with a spot on each. */
typedef struct subject {
  mesh_subject forms;
  spot spots[SPOTS];
} subject;

static void subject_make(subject *s, rng *r) {
  static const uint32_t offsets[] = {0, 100, 10000, 1000000};
  s->forms.mesh = (test_mesh){.name = "spots"};
  float scale = ldexpf(1, (int)rng_below(r, 21) - 10);
  uint32_t offset = offsets[rng_below(r, 4)];
  for (uint32_t i = 0; i < SPOTS; i++) {
    while (!spot_make(&s->spots[i], whole_vec(r, offset), scale, r)) {
    }
    const mo_vec3 *c = s->spots[i].corners;
    test_mesh_add_corners(&s->forms.mesh, c[0], c[1], c[2]);
  }
  mesh_subject_build(&s->forms);
}

/* Every form of mesh answers as brute force does, one ray at a time and in batches. */
static void check_all(const subject *s, mo_ray_def *rays, size_t count, rng *r) {
  for (size_t i = 0; i < count; i++) {
    mesh_subject_check_ray(&s->forms, &rays[i], i % 8 == 0);
  }
  mesh_subject_check_batches(&s->forms, rays, count, r);
}

/* How many rays were beyond the bound, and within it hit or missed. */
typedef struct tally {
  uint32_t beyond, hit_within, missed_within;
} tally;

/* A ray through a spot: hit beyond the bound, and then at `t` exactly. */
static void judge(const subject *s, uint32_t triangle, const mo_ray_def *ray, float expected,
                  tally *counts) {
  const spot *at = &s->spots[triangle];
  bool beyond = clearance(at, ray->origin, ray->direction) > BOUND;
  float t = -1;
  bool hit = mesh_subject_is_hit(&s->forms, ray, triangle, &t);
  cr_assert(hit || !beyond, "missed with %g: %s", clearance(at, ray->origin, ray->direction),
            check_ray_text(ray));
  /* Within the bound the end may be off the part that is hit; the origin may not. */
  cr_assert(!hit || t == expected || (!beyond && expected == 1), "t %a, not %g: %s", (double)t,
            (double)expected, check_ray_text(ray));
  counts->beyond += beyond;
  counts->hit_within += !beyond && hit;
  counts->missed_within += !beyond && !hit;
}

Test(ray_surface, origins_on_thin_triangles_and_flat_rays) {
  rng r = rng_make(rng_seed("ray_surface/origins", 181));
  tally counts = {0};
  for (uint64_t round = 0; round < rng_rounds(12, 300); round++) {
    subject s;
    subject_make(&s, &r);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = i % SPOTS;
      rays[i] = mo_default_ray_def();
      rays[i].origin = s.spots[triangle].at;
      rays[i].direction = direction_at(s.spots[triangle].corners, &r);
      rays[i].max_t = rng_below(&r, 3) == 0 ? 0 : INFINITY;
      judge(&s, triangle, &rays[i], 0, &counts);
    }
    check_all(&s, rays, RAYS, &r);
    mesh_subject_free(&s.forms);
  }
  cr_assert(counts.beyond > 500 && counts.hit_within > 100 && counts.missed_within > 100,
            "%u %u %u", counts.beyond, counts.hit_within, counts.missed_within);
}

/* The end is the point on the triangle; the direction, a difference, is rounded, and moves the line
 * by less than the bound's slack. Segments with both ends on the plane are left to
 * rays_in_the_plane. */
Test(ray_surface, ends_on_thin_triangles_and_flat_segments) {
  rng r = rng_make(rng_seed("ray_surface/ends", 182));
  tally counts = {0};
  for (uint64_t round = 0; round < rng_rounds(12, 300); round++) {
    subject s;
    subject_make(&s, &r);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = i % SPOTS;
      const spot *at = &s.spots[triangle];
      mo_vec3 back = direction_at(at->corners, &r);
      float length = (float)(farthest_corner(at->corners, at->at) * magnitude(&r, -8, 10));
      mo_vec3 from = {at->at.x - length * back.x, at->at.y - length * back.y,
                      at->at.z - length * back.z};
      rays[i] = mo_segment_def(from, at->at);
      if (mo_plane_side_exactly(at->corners, from) != 0) {
        judge(&s, triangle, &rays[i], 1, &counts);
      }
    }
    check_all(&s, rays, RAYS, &r);
    mesh_subject_free(&s.forms);
  }
  cr_assert(counts.beyond > 500 && counts.missed_within > 100, "%u %u", counts.beyond,
            counts.missed_within);
}

/* The bound is not far from the truth: some rays miss that come within a 64th of it. */
Test(ray_surface, the_bound_is_tight) {
  rng r = rng_make(rng_seed("ray_surface/bound", 183));
  double widest_miss = 0;
  for (uint32_t i = 0; i < 2000000; i++) {
    spot s;
    if (!spot_make(&s, (mo_vec3){0, 0, 0}, 1, &r)) {
      continue;
    }
    mo_vec3 direction = direction_at(s.corners, &r), ones = {1, 1, 1}, reach = {1e8f, 1e8f, 1e8f};
    double clear = clearance(&s, s.at, direction);
    mo_ray ray;
    mo_ray_init(&ray, &s.at, &direction, 0, &ones, &reach, MO_RAY_MARGIN);
    mo_triangle_hit hit;
    if (!mo_ray_test_triangle(&ray, s.corners, INFINITY, MO_CULL_NONE, &hit)) {
      widest_miss = fmax(widest_miss, clear);
    }
  }
  cr_assert(widest_miss > BOUND / 64 && widest_miss < BOUND, "%a", widest_miss);
}

/* A million rays from triangles perpendicular to an axis, at heights that no sum makes exact. */
Test(ray_surface, a_million_origins_on_walls) {
  rng r = rng_make(rng_seed("ray_surface/walls", 184));
  enum { WALLS = 2000, EACH = 500 };
  uint32_t sure = 0;
  for (uint32_t k = 0; k < WALLS; k++) {
    float height = rng_float(&r, -100, 100), side = rng_float(&r, 1, 100);
    const float square[3][3] = {{0, 0, height}, {side, 0, height}, {0, side, height}};
    subject s = {.forms.mesh = {.name = "wall"}};
    uint32_t turn = k % 3;
    for (uint32_t i = 0; i < 3; i++) {
      s.spots[0].corners[i] =
          (mo_vec3){square[i][turn], square[i][(turn + 1) % 3], square[i][(turn + 2) % 3]};
    }
    const mo_vec3 *c = s.spots[0].corners;
    test_mesh_add_corners(&s.forms.mesh, c[0], c[1], c[2]);
    mesh_family_build(&s.forms.family, &s.forms.mesh, false);
    mo_vec3 origins[EACH], directions[EACH];
    bool certain[EACH];
    for (uint32_t i = 0; i < EACH; i++) {
      float a = side * rng_float(&r, 0.02f, 0.47f), b = side * rng_float(&r, 0.02f, 0.47f);
      const float at[3] = {a, b, height};
      origins[i] = (mo_vec3){at[turn], at[(turn + 1) % 3], at[(turn + 2) % 3]};
      directions[i] = rng_vec3(&r, -0.5f, 0.5f);
      s.spots[0].at = origins[i];
      certain[i] = clearance(&s.spots[0], origins[i], directions[i]) > BOUND;
      sure += certain[i];
      mo_ray_def ray = mo_default_ray_def();
      ray.origin = origins[i];
      ray.direction = directions[i];
      mo_ray_hit hit;
      const mo_mesh *mesh = s.forms.family.meshes[i % s.forms.family.count];
      cr_assert_eq(mo_mesh_cast_ray(mesh, &ray, &hit, NULL), MO_OK);
      cr_assert(hit.found ? hit.t == 0 : !certain[i], "%s", check_ray_text(&ray));
    }
    mo_batch_def def = mo_default_batch_def();
    def.count = EACH;
    def.origins = mo_vec3_array_of(origins, sizeof *origins);
    def.directions = mo_vec3_array_of(directions, sizeof *directions);
    def.coherence = k % 2 ? MO_COHERENCE_COHERENT : MO_COHERENCE_INCOHERENT;
    bool found[EACH];
    float t[EACH];
    mo_batch_output output = {.found = {found, 0}, .t = {t, 0}};
    const mo_mesh *mesh = s.forms.family.meshes[k % s.forms.family.count];
    cr_assert_eq(mo_mesh_cast_rays(mesh, &def, &output, NULL, NULL), MO_OK);
    for (uint32_t i = 0; i < EACH; i++) {
      mo_ray_def ray = mo_default_ray_def();
      ray.origin = origins[i];
      ray.direction = directions[i];
      cr_assert(found[i] ? t[i] == 0 : !certain[i], "%s of a batch: %s",
                s.forms.family.names[k % s.forms.family.count], check_ray_text(&ray));
    }
    test_mesh_free(&s.forms.mesh);
    cr_assert(mesh_family_free(&s.forms.family));
  }
  cr_assert(sure > WALLS * EACH / 100 * 99, "%u", sure);
}

/* From a corner: every triangle that has it is hit at 0, unless the ray sees it edge on. */
Test(ray_surface, origins_on_corners) {
  rng r = rng_make(rng_seed("ray_surface/corners", 185));
  for (uint64_t round = 0; round < rng_rounds(6, 200); round++) {
    subject s;
    subject_make(&s, &r);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = i % SPOTS, corner = rng_below(&r, 3);
      const mo_vec3 *c = s.spots[triangle].corners;
      rays[i] = mo_default_ray_def();
      rays[i].origin = c[corner];
      rays[i].direction = direction_at(c, &r);
      double width = line_distance(c[corner], c[(corner + 1) % 3], c[(corner + 2) % 3]);
      bool beyond = width * sine_of(c, rays[i].direction) > BOUND * farthest_corner(c, c[corner]);
      float t = -1;
      bool hit = mesh_subject_is_hit(&s.forms, &rays[i], triangle, &t);
      cr_assert(hit || !beyond, "%s", check_ray_text(&rays[i]));
      cr_assert(!hit || t == 0, "t %a: %s", (double)t, check_ray_text(&rays[i]));
    }
    check_all(&s, rays, RAYS, &r);
    mesh_subject_free(&s.forms);
  }
}

/* From the middle of an edge that two triangles share: where the ray sees them on its two sides, it
 * hits at least one of them, and whichever it hits at 0. */
Test(ray_surface, origins_on_edges) {
  rng r = rng_make(rng_seed("ray_surface/edges", 186));
  uint32_t passed = 0;
  for (uint64_t round = 0; round < rng_rounds(6, 200); round++) {
    subject s = {.forms.mesh = {.name = "pairs"}};
    mo_vec3 middles[SPOTS / 2];
    for (uint32_t i = 0; i < SPOTS; i += 2) {
      mo_vec3 middle = whole_vec(&r, 1000), half = whole_vec(&r, 1 + rng_below(&r, 1000));
      mo_vec3 a = {middle.x - half.x, middle.y - half.y, middle.z - half.z};
      mo_vec3 b = {middle.x + half.x, middle.y + half.y, middle.z + half.z};
      mo_vec3 left = whole_vec(&r, 3000), right = whole_vec(&r, 3000);
      middles[i / 2] = middle;
      memcpy(s.spots[i].corners, (mo_vec3[]){a, b, left}, sizeof s.spots[i].corners);
      memcpy(s.spots[i + 1].corners, (mo_vec3[]){b, a, right}, sizeof s.spots[i].corners);
      test_mesh_add_corners(&s.forms.mesh, a, b, left);
      test_mesh_add_corners(&s.forms.mesh, b, a, right);
    }
    mesh_subject_build(&s.forms);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t pair = i % (SPOTS / 2);
      rays[i] = mo_default_ray_def();
      rays[i].origin = middles[pair];
      rays[i].direction = rng_direction(&r);
      uint32_t hits = 0, front = 0;
      bool clear = true;
      for (uint32_t k = 2 * pair; k < 2 * pair + 2; k++) {
        const mo_vec3 *c = s.spots[k].corners;
        float t = -1;
        if (mesh_subject_is_hit(&s.forms, &rays[i], k, &t)) {
          hits++;
          cr_assert_eq(t, 0.0f, "t %a: %s", (double)t, check_ray_text(&rays[i]));
        }
        front += mo_ddot(normal_of(c), mo_widen(rays[i].direction)) < 0;
        clear &= line_distance(c[2], c[0], c[1]) * sine_of(c, rays[i].direction) >
                 BOUND * farthest_corner(c, rays[i].origin);
      }
      if (clear && front != 1) {
        cr_assert_gt(hits, 0, "%s", check_ray_text(&rays[i]));
        passed++;
      }
    }
    check_all(&s, rays, RAYS, &r);
    mesh_subject_free(&s.forms);
  }
  cr_assert_gt(passed, 100);
}

/* A ray in a plane that is perpendicular to an axis hits no triangle in it. In other planes
 * rounding may say that it hits; then every form says so, at 0 if the origin is on the triangle. */
Test(ray_surface, rays_in_the_plane) {
  rng r = rng_make(rng_seed("ray_surface/plane", 187));
  uint32_t hits = 0, axis_aligned = 0;
  for (uint64_t round = 0; round < rng_rounds(6, 200); round++) {
    subject s;
    subject_make(&s, &r);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = i % SPOTS;
      const spot *at = &s.spots[triangle];
      const mo_vec3 *c = at->corners;
      rays[i] = mo_default_ray_def();
      rays[i].origin = at->at;
      rays[i].direction = (mo_vec3){c[0].x - at->at.x, c[0].y - at->at.y, c[0].z - at->at.z};
      float t = -1;
      bool hit = mesh_subject_is_hit(&s.forms, &rays[i], triangle, &t);
      mo_dvec3 n = normal_of(c);
      if ((n.x != 0) + (n.y != 0) + (n.z != 0) == 1) {
        axis_aligned++;
        cr_assert_not(hit, "%s", check_ray_text(&rays[i]));
      }
      cr_assert(!hit || t == 0, "t %a: %s", (double)t, check_ray_text(&rays[i]));
      hits += hit;
    }
    check_all(&s, rays, RAYS, &r);
    mesh_subject_free(&s.forms);
  }
  cr_assert(hits > 0 && axis_aligned > 50, "%u %u", hits, axis_aligned);
}
