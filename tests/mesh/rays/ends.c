/* Rays that begin on a triangle, or beside one, and segments that end there: t against 0 and 1, by
 * every route. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/exact.h"
#include "support/check.h"
#include "support/mesh_subject.h"
#include "support/samples.h"

enum { TRIANGLES = 30, RAYS = 200 };

/* Triangles with coordinates that are multiples of eight, so that the points with weights of
 * eighths are floats, and lie on them exactly. The first third are perpendicular to an axis. */
static test_mesh make_mesh(rng *r) {
  test_mesh mesh = {.name = "whole numbers"};
  while (mesh.triangle_count < TRIANGLES) {
    float c[3][3];
    for (int i = 0; i < 9; i++) {
      c[i / 3][i % 3] = 8.0f * (float)((int)rng_below(r, 401) - 200);
    }
    int axis = (int)mesh.triangle_count % 3;
    if (mesh.triangle_count < TRIANGLES / 3) {
      c[1][axis] = c[2][axis] = c[0][axis];
    }
    test_mesh_add_corners(&mesh, (mo_vec3){c[0][0], c[0][1], c[0][2]},
                          (mo_vec3){c[1][0], c[1][1], c[1][2]},
                          (mo_vec3){c[2][0], c[2][1], c[2][2]});
  }
  return mesh;
}

/* A point within a triangle, off its edges. */
static mo_vec3 point_on(const oracle_triangle *triangle, rng *r) {
  const mo_vec3 *c = triangle->corners;
  float u = (float)(1 + rng_below(r, 6)) / 8;
  float v = (float)(1 + rng_below(r, (uint32_t)(7 - 8 * u))) / 8;
  return (mo_vec3){c[0].x + u * (c[1].x - c[0].x) + v * (c[2].x - c[0].x),
                   c[0].y + u * (c[1].y - c[0].y) + v * (c[2].y - c[0].y),
                   c[0].z + u * (c[1].z - c[0].z) + v * (c[2].z - c[0].z)};
}

/* The cosine of the angle between a direction and the normal of a triangle. */
static double cosine_with_normal(const mo_vec3 c[3], mo_vec3 d) {
  mo_dvec3 n =
      mo_dcross(mo_dsub(mo_widen(c[1]), mo_widen(c[0])), mo_dsub(mo_widen(c[2]), mo_widen(c[0])));
  mo_dvec3 w = mo_widen(d);
  return mo_ddot(n, w) / sqrt(mo_ddot(n, n) * mo_ddot(w, w));
}

/* Whether a ray starts before the plane of a triangle, 1, on it, 0, or beyond it, -1. */
static int side_ahead(const mo_vec3 c[3], const mo_ray_def *ray) {
  int front = exact_orientation((mo_vec3[]){c[0], c[1], c[2], ray->origin});
  return cosine_with_normal(c, ray->direction) > 0 ? -front : front;
}

static void make(mesh_subject *s, rng *r) {
  s->mesh = make_mesh(r);
  mesh_subject_build(s);
}

/* Directions of any length: some so long or short that they are scaled. */
static mo_vec3 direction_of(rng *r) {
  static const float lengths[] = {1, 1, 100, 1e-3f, 1e8f, 1e-8f, 1e30f};
  float length = lengths[rng_below(r, 7)];
  mo_vec3 d = rng_direction(r);
  return (mo_vec3){length * d.x, length * d.y, length * d.z};
}

Test(ray_ends, starts_on_a_triangle) {
  rng r = rng_make(rng_seed("ray_ends/starts", 171));
  for (uint64_t round = 0; round < rng_rounds(4, 100); round++) {
    mesh_subject s;
    make(&s, &r);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = rng_below(&r, s.oracle.count);
      mo_ray_def ray = mo_default_ray_def();
      ray.origin = point_on(&s.oracle.triangles[triangle], &r);
      ray.direction = i % 2 ? rng_direction(&r) : direction_of(&r);
      ray.max_t = i % 3 == 0 ? 0 : INFINITY;
      float t = -1;
      cr_assert(mesh_subject_is_hit(&s, &ray, triangle, &t), "missed: %s", check_ray_text(&ray));
      cr_assert_eq(t, 0.0f, "t %a: %s", (double)t, check_ray_text(&ray));
      mesh_subject_check_ray(&s, &ray, true);
      rays[i] = ray;
    }
    mesh_subject_check_batches(&s, rays, RAYS, &r);
    mesh_subject_free(&s);
  }
}

/* The floats nearest to a triangle lie on one side of its plane or on the other: t has the sign
 * that follows. */
Test(ray_ends, starts_beside_a_triangle) {
  rng r = rng_make(rng_seed("ray_ends/beside", 172));
  uint32_t ahead = 0, behind = 0, on = 0;
  for (uint64_t round = 0; round < rng_rounds(4, 100); round++) {
    mesh_subject s;
    make(&s, &r);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = rng_below(&r, s.oracle.count);
      const mo_vec3 *c = s.oracle.triangles[triangle].corners;
      mo_ray_def ray = mo_default_ray_def();
      ray.origin = point_on(&s.oracle.triangles[triangle], &r);
      float *at = i % 3 == 0 ? &ray.origin.x : i % 3 == 1 ? &ray.origin.y : &ray.origin.z;
      *at = nextafterf(*at, rng_below(&r, 2) ? INFINITY : -INFINITY);
      do {
        ray.direction = rng_direction(&r);
      } while (fabs(cosine_with_normal(c, ray.direction)) < 1e-3);
      int side = side_ahead(c, &ray);
      float t = -1;
      bool hit = mesh_subject_is_hit(&s, &ray, triangle, &t);
      cr_assert_eq(hit, side >= 0, "side %d: %s", side, check_ray_text(&ray));
      ahead += side > 0;
      behind += side < 0;
      on += side == 0;
      mesh_subject_check_ray(&s, &ray, true);
      rays[i] = ray;
    }
    mesh_subject_check_batches(&s, rays, RAYS, &r);
    mesh_subject_free(&s);
  }
  cr_assert(ahead > 200 && behind > 200 && on > 10, "%u %u %u", ahead, behind, on);
}

/* Triangles, and points within them that six times their volume with the corners puts beside the
 * plane: it is 1 or -1, while its terms are larger than 2^70. So products of doubles do not tell
 * the side. */
static const mo_vec3 close_to_a_plane[][4] = {
    {{-2279163, 4678739, -3033180},
     {-5974980, -3732347, 6537600},
     {-4137288, -3951342, -8329054},
     {-4557701, -2460600, -1619487}},
    {{-8210329, -1360419, -1158260},
     {-2823390, -2802316, 1318862},
     {2135785, -1714990, -1517348},
     {-3820774, -2095390, -72019}},
    {{-5764778, -3393426, 1989897},
     {7844817, -2968579, -6759468},
     {-5672101, 5230734, -7320689},
     {-3133674, -1093888, -2080966}},
    {{-3926438, -5340819, 3392892},
     {-8356816, 4424280, -4767470},
     {2551551, -3667484, 2531339},
     {-5184533, 277112, -1206086}},
};

/* From which there is a hit without distance, or none. */
Test(ray_ends, starts_beside_a_plane_by_less_than_doubles_tell) {
  enum { ROWS = sizeof close_to_a_plane / sizeof *close_to_a_plane };
  rng r = rng_make(rng_seed("ray_ends/close", 176));
  mesh_subject s = {.mesh = {.name = "close to a plane"}};
  for (int i = 0; i < ROWS; i++) {
    const mo_vec3 *c = close_to_a_plane[i];
    test_mesh_add_corners(&s.mesh, c[0], c[1], c[2]);
  }
  mesh_subject_build(&s);
  uint32_t ahead = 0, behind = 0;
  for (uint64_t i = 0; i < rng_rounds(400, 20000); i++) {
    uint32_t triangle = rng_below(&r, ROWS);
    const mo_vec3 *c = close_to_a_plane[triangle];
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = c[3];
    do {
      ray.direction = rng_direction(&r);
    } while (fabs(cosine_with_normal(c, ray.direction)) < 1e-3);
    int side = side_ahead(c, &ray);
    float t = -1;
    bool hit = mesh_subject_is_hit(&s, &ray, triangle, &t);
    cr_assert_eq(hit, side > 0, "side %d: %s", side, check_ray_text(&ray));
    ahead += side > 0;
    behind += side < 0;
    mesh_subject_check_ray(&s, &ray, true);
  }
  cr_assert(ahead > 100 && behind > 100, "%u %u", ahead, behind);
  mesh_subject_free(&s);
}

/* Nearly in the plane of a triangle, where rounding of t is large: what hits it starts on it. */
Test(ray_ends, starts_on_an_edge) {
  rng r = rng_make(rng_seed("ray_ends/edges", 177));
  mesh_subject s;
  make(&s, &r);
  uint32_t hits = 0;
  for (uint64_t i = 0; i < rng_rounds(3000, 100000); i++) {
    uint32_t triangle = rng_below(&r, TRIANGLES), edge = rng_below(&r, 3);
    const mo_vec3 *c = s.oracle.triangles[triangle].corners;
    mo_vec3 a = c[edge], b = c[(edge + 1) % 3], third = c[(edge + 2) % 3];
    mo_vec3 along = mo_sub(b, a), n = mo_cross(along, mo_sub(third, a));
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = mo_add(a, mo_scale((float)(1 + rng_below(&r, 7)) / 8, along));
    mo_vec3 to = mo_add(third, mo_scale(rng_float(&r, -0.5f, 0.5f), along));
    float length = (float)mo_dlength(mo_widen(n));
    float lift = ldexpf(rng_float(&r, -1, 1), -(int)rng_below(&r, 24));
    ray.direction = mo_add(mo_sub(to, ray.origin), mo_scale(1000 * lift / length, n));
    float t;
    if (mesh_subject_is_hit(&s, &ray, triangle, &t)) {
      cr_assert_eq(t, 0.0f, "t %a: %s", (double)t, check_ray_text(&ray));
      hits++;
    }
    mesh_subject_check_ray(&s, &ray, false);
  }
  cr_assert_gt(hits, 1000);
  mesh_subject_free(&s);
}

Test(ray_ends, segments_end_on_a_triangle) {
  rng r = rng_make(rng_seed("ray_ends/segments", 173));
  for (uint64_t round = 0; round < rng_rounds(4, 100); round++) {
    mesh_subject s;
    make(&s, &r);
    mo_ray_def rays[RAYS];
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = rng_below(&r, s.oracle.count);
      mo_vec3 to = point_on(&s.oracle.triangles[triangle], &r), d = rng_direction(&r);
      float length = rng_float(&r, 1, i % 2 ? 10000 : 100);
      mo_vec3 from = {to.x + length * d.x, to.y + length * d.y, to.z + length * d.z};
      mo_ray_def ray = mo_segment_def(from, to);
      float t = -1;
      cr_assert(mesh_subject_is_hit(&s, &ray, triangle, &t), "missed: %s", check_ray_text(&ray));
      cr_assert_eq(t, 1.0f, "t %a: %s", (double)t, check_ray_text(&ray));
      mesh_subject_check_ray(&s, &ray, true);
      rays[i] = ray;
    }
    mesh_subject_check_batches(&s, rays, RAYS, &r);
    mesh_subject_free(&s);
  }
}

/* From whole numbers, so that the direction is exact, to a float before the plane or beyond it. */
Test(ray_ends, segments_end_beside_a_triangle) {
  rng r = rng_make(rng_seed("ray_ends/short", 174));
  mesh_subject s;
  make(&s, &r);
  for (uint64_t i = 0; i < rng_rounds(500, 20000); i++) {
    uint32_t triangle = rng_below(&r, TRIANGLES / 3);
    mo_vec3 at = point_on(&s.oracle.triangles[triangle], &r);
    float length = (float)(1 + rng_below(&r, 1000)) * (rng_below(&r, 2) ? 1.0f : -1.0f);
    mo_vec3 from = {at.x + 3, at.y - 5, at.z + 7}, to = {at.x, at.y, at.z};
    uint32_t axis = triangle % 3;
    float *start = axis == 0 ? &from.x : axis == 1 ? &from.y : &from.z;
    float *end = axis == 0 ? &to.x : axis == 1 ? &to.y : &to.z;
    *start = *end + length;
    /* A step that is exact in the end, and in the difference of the ends. */
    float step = ldexpf(1, -10) * (length > 0 ? 1.0f : -1.0f);
    *end += step;
    mo_ray_def ray = mo_segment_def(from, to);
    float t;
    cr_assert_not(mesh_subject_is_hit(&s, &ray, triangle, &t), "%s", check_ray_text(&ray));
    mesh_subject_check_ray(&s, &ray, true);
    *end -= 2 * step;
    ray = mo_segment_def(from, to);
    cr_assert(mesh_subject_is_hit(&s, &ray, triangle, &t) && t < 1, "%s", check_ray_text(&ray));
    mesh_subject_check_ray(&s, &ray, true);
  }
  mesh_subject_free(&s);
}

/* Triangles from 2^-4 to 2^8 wide, up to 200 widths from the origin. Points with weights of eighths
 * are floats, as in make_mesh. */
static test_mesh make_sizes(rng *r) {
  test_mesh mesh = {.name = "all sizes"};
  while (mesh.triangle_count < TRIANGLES) {
    float unit = ldexpf(8, (int)rng_below(r, 13) - 6);
    mo_vec3 c[3], base;
    float *to = &base.x;
    for (int i = 0; i < 3; i++) {
      to[i] = unit * (float)((int)rng_below(r, 401) - 200);
    }
    for (int i = 0; i < 3; i++) {
      float step[3];
      for (int axis = 0; axis < 3; axis++) {
        step[axis] = unit * (float)((int)rng_below(r, 7) - 3);
      }
      c[i] = (mo_vec3){base.x + step[0], base.y + step[1], base.z + step[2]};
    }
    if (!exact_is_degenerate(c)) {
      test_mesh_add_corners(&mesh, c[0], c[1], c[2]);
    }
  }
  return mesh;
}

static mo_dvec3 normal_of(const mo_vec3 c[3]) {
  return mo_dcross(mo_dsub(mo_widen(c[1]), mo_widen(c[0])),
                   mo_dsub(mo_widen(c[2]), mo_widen(c[0])));
}

/* The distance of a point on a triangle from the edges, projected along a ray, over the largest
 * distance along an axis from the ray's origin to a corner: what decides whether it must be hit. */
static double clearance(const mo_vec3 c[3], mo_vec3 at, const mo_ray_def *ray) {
  double min = INFINITY, e = 0;
  for (int i = 0; i < 3; i++) {
    mo_dvec3 edge = mo_dsub(mo_widen(c[(i + 1) % 3]), mo_widen(c[i]));
    mo_dvec3 area = mo_dcross(edge, mo_dsub(mo_widen(at), mo_widen(c[i])));
    mo_dvec3 from = mo_dsub(mo_widen(c[i]), mo_widen(ray->origin));
    min = fmin(min, sqrt(mo_ddot(area, area) / mo_ddot(edge, edge)));
    e = fmax(e, fmax(fabs(from.x), fmax(fabs(from.y), fabs(from.z))));
  }
  return min * fabs(cosine_with_normal(c, ray->direction)) / e;
}

/* Where the end of a ray lies: before the plane of a triangle, 1, within the rounding of the
 * direction, 0, or beyond it, -1; 2 where it is too close to that to say. */
static int end_before(const mo_vec3 c[3], const mo_ray_def *ray) {
  mo_dvec3 n = normal_of(c), d = mo_widen(ray->direction);
  mo_dvec3 to_plane = mo_dsub(mo_dsub(mo_widen(c[0]), mo_widen(ray->origin)), d);
  double height = mo_ddot(n, to_plane) * (mo_ddot(n, d) < 0 ? -1 : 1);
  double rounding = 0x1p-24 * (fabs(n.x * d.x) + fabs(n.y * d.y) + fabs(n.z * d.z));
  if (fabs(fabs(height) - rounding) <= 1e-6 * rounding) {
    return 2;
  }
  return fabs(height) < rounding ? 0 : height > 0 ? 1 : -1;
}

/* From rays a hundredth of a triangle long to such as are a thousand times as long, at all angles:
 * the error of t in single precision varies as much. */
Test(ray_ends, at_triangles_of_all_sizes) {
  rng r = rng_make(rng_seed("ray_ends/sizes", 178));
  uint32_t starts[3] = {0}, ends[3] = {0};
  for (uint64_t round = 0; round < rng_rounds(6, 300); round++) {
    mesh_subject s = {.mesh = make_sizes(&r)};
    mesh_subject_build(&s);
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t triangle = rng_below(&r, s.oracle.count);
      const mo_vec3 *c = s.oracle.triangles[triangle].corners;
      float width = (float)sqrt(mo_dlength(normal_of(c)));
      mo_vec3 on = point_on(&s.oracle.triangles[triangle], &r), at = on, d = rng_direction(&r);
      float *moved = i % 3 == 0 ? &at.x : i % 3 == 1 ? &at.y : &at.z;
      float toward = rng_below(&r, 2) ? INFINITY : -INFINITY;
      for (uint32_t step = rng_below(&r, 4); step > 0; step--) {
        *moved = nextafterf(*moved, toward);
      }
      float length = width * powf(2, rng_float(&r, -7, 10)), t;
      mo_vec3 away = {at.x + length * d.x, at.y + length * d.y, at.z + length * d.z};
      mo_ray_def ray = mo_segment_def(at, away);
      ray.max_t = INFINITY;
      mesh_subject_check_ray(&s, &ray, false);
      if (clearance(c, on, &ray) > 0x1p-18) {
        int side = side_ahead(c, &ray);
        bool hit = mesh_subject_is_hit(&s, &ray, triangle, &t);
        cr_assert_eq(hit, side >= 0, "side %d: %s", side, check_ray_text(&ray));
        cr_assert(side != 0 || t == 0, "t %a: %s", (double)t, check_ray_text(&ray));
        starts[side + 1]++;
      }
      ray = mo_segment_def(away, at);
      mesh_subject_check_ray(&s, &ray, false);
      ray.max_t = INFINITY;
      mesh_subject_check_ray(&s, &ray, false);
      int before = end_before(c, &ray);
      if (before != 2 && clearance(c, on, &ray) > 0x1p-18) {
        cr_assert(mesh_subject_is_hit(&s, &ray, triangle, &t), "%s", check_ray_text(&ray));
        cr_assert_eq((t > 1) - (t < 1), before, "t %a: %s", (double)t, check_ray_text(&ray));
        ends[before + 1]++;
      }
    }
    mesh_subject_free(&s);
  }
  for (int i = 0; i < 3; i++) {
    cr_assert(starts[i] > 100 && ends[i] > 100, "%u %u", starts[i], ends[i]);
  }
}

/* Shapes translated by amounts that cause no rounding: the same in world space. */
Test(ray_ends, in_scenes) {
  rng r = rng_make(rng_seed("ray_ends/scenes", 175));
  for (uint64_t round = 0; round < rng_rounds(4, 100); round++) {
    mesh_subject s;
    make(&s, &r);
    scene_family family;
    scene_family_create(&family);
    oracle_scene oracle = {0};
    mo_vec3 by[4];
    for (uint32_t i = 0; i < 4; i++) {
      by[i] = (mo_vec3){(float)(i * 4096), (float)(rng_below(&r, 64) * 8),
                        -(float)(rng_below(&r, 64) * 8)};
      mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
      def.geometry.mesh = s.family.meshes[i];
      def.transform.origin = by[i];
      mo_shape_id id;
      cr_assert_eq(scene_family_add(&family, &def, &id), MO_OK);
    }
    scene_family_update(&family);
    oracle_scene_read(&oracle, family.scenes[0]);
    for (uint32_t i = 0; i < RAYS; i++) {
      uint32_t shape = rng_below(&r, 4);
      const oracle_triangle *triangle = &s.oracle.triangles[rng_below(&r, s.oracle.count)];
      mo_vec3 at = point_on(triangle, &r), d, step;
      /* Sixty-fourths, so that the map to the space of the shape does not round; not in the plane
       * itself. */
      do {
        d = rng_direction(&r);
        step = (mo_vec3){roundf(3200 * d.x) / 64, roundf(3200 * d.y) / 64, roundf(3200 * d.z) / 64};
      } while (fabs(cosine_with_normal(triangle->corners, d)) < 1e-3 ||
               fabs(cosine_with_normal(triangle->corners, step)) < 1e-3);
      at = (mo_vec3){at.x + by[shape].x, at.y + by[shape].y, at.z + by[shape].z};
      mo_vec3 up = {at.x + step.x, at.y + step.y, at.z + step.z};
      mo_ray_def ray = mo_default_ray_def();
      ray.origin = at;
      ray.direction = d;
      mo_ray_hit hit;
      for (uint32_t f = 0; f < family.count; f++) {
        cr_assert_eq(mo_scene_cast_ray(family.scenes[f], &ray, &hit, NULL), MO_OK);
        cr_assert(hit.found && hit.t == 0.0f, "%s", check_ray_text(&ray));
        bool visible = true;
        cr_assert_eq(mo_scene_line_of_sight(family.scenes[f], up, at, NULL, &visible, NULL), MO_OK);
        cr_assert_not(visible, "%s", check_ray_text(&ray));
      }
      cr_assert(check_scene_ray((const mo_scene *const *)family.scenes, family.count, &oracle, &ray,
                                CHECK_FAST),
                "%s", check_why());
      ray = mo_segment_def(up, at);
      cr_assert(check_scene_ray((const mo_scene *const *)family.scenes, family.count, &oracle, &ray,
                                CHECK_FAST),
                "%s", check_why());
    }
    oracle_scene_free(&oracle);
    cr_assert(scene_family_free(&family));
    mesh_subject_free(&s);
  }
}
