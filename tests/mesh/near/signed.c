/* Signed distances and winding numbers of meshes, for every builder and instruction set, against
 * loops over all triangles; of closed meshes against solid angles in long double, also for points
 * whose rays meet corners and edges; and by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <string.h>

#include "oracle/signed.h"
#include "support/mesh_subject.h"
#include "support/samples.h"

static uint64_t inside_count, outside_count;

static void check_point(const mesh_subject *s, mo_vec3 point, float max_distance) {
  int32_t expected = oracle_winding(&s->oracle, NULL, point);
  oracle_signed min = oracle_mesh_signed(&s->oracle, point, max_distance);
  for (uint32_t i = 0; i < s->family.count; i++) {
    int32_t winding;
    mo_closest_hit hit;
    const mo_mesh *mesh = s->family.meshes[i];
    cr_assert_eq(mo_mesh_winding_number(mesh, point, &winding, NULL), MO_OK);
    cr_assert_eq(winding, expected, "%s, %s: %d, not %d", s->mesh.name, s->family.names[i],
                 (int)winding, (int)expected);
    cr_assert_eq(mo_mesh_signed_distance(mesh, point, max_distance, &hit, NULL), MO_OK);
    cr_assert_eq(hit.triangle, min.triangle);
    cr_assert(!hit.found || hit.distance == min.distance, "%s, %s: %a, not %a", s->mesh.name,
              s->family.names[i], (double)hit.distance, (double)min.distance);
  }
  if (!s->mesh.closed || s->oracle.count == 0) {
    return;
  }
  /* Solid angles mean nothing on the surface, and are not exact near it. */
  float distance, size = mo_max_magnitude(mo_aabb_max_coordinates(oracle_mesh_bounds(&s->oracle)));
  oracle_mesh_closest(&s->oracle, point, INFINITY, &distance);
  if (distance <= 1e-9f * size) {
    return;
  }
  long double angle = oracle_solid_angle(&s->oracle, NULL, point);
  if (isfinite((double)angle) && fabsl(angle - roundl(angle)) < 1e-6L) {
    cr_assert_eq((int32_t)roundl(angle), expected, "%s at {%a, %a, %a}: %Lg, not %d", s->mesh.name,
                 (double)point.x, (double)point.y, (double)point.z, angle, (int)expected);
    inside_count += expected != 0;
    outside_count += expected == 0;
  }
}

static void check_kind(const mesh_subject *s, rng *r, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    sample_target target = sample_target_of_mesh(&s->mesh, r);
    mo_vec3 point = rng_point_in(r, target.bounds);
    check_point(s, point, INFINITY);
    check_point(s, sample_point(r, &target), INFINITY);
    /* Rays along +x that meet a corner, an edge, or run along the line of two corners. */
    mo_vec3 corner = target.corners[rng_below(r, 3)];
    corner.x = point.x;
    check_point(s, corner, INFINITY);
    mo_vec3 middle = mo_scale(0.5f, mo_add(target.corners[0], target.corners[1]));
    middle.x = point.x;
    check_point(s, middle, rng_float(r, 0, 1));
    /* Hardly off a corner. */
    corner = target.corners[rng_below(r, 3)];
    point = mo_sub(corner, mo_scale(ldexpf(1, -4 - (int)rng_below(r, 20)),
                                    mo_sub(corner, rng_point_in(r, target.bounds))));
    check_point(s, point, INFINITY);
  }
}

Test(mesh_signed, as_brute_force_and_solid_angles) {
  rng r = rng_make(rng_seed("mesh_signed/brute force", 97));
  inside_count = outside_count = 0;
  mesh_subject_check_all(check_kind, &r, rng_rounds(3, 200));
  cr_assert(inside_count > 100 && outside_count > 100);
}

static mo_mesh *build(const float *positions, uint32_t vertices, const uint32_t *indices,
                      uint32_t triangles) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = vertices;
  def.indices = indices;
  def.triangle_count = triangles;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

static int32_t winding_at(const mo_mesh *mesh, float x, float y, float z) {
  int32_t winding;
  cr_assert_eq(mo_mesh_winding_number(mesh, (mo_vec3){x, y, z}, &winding, NULL), MO_OK);
  return winding;
}

/* A tetrahedron with an edge so obtuse that the closest point to points beside it is on that edge,
 * where the normals of its two triangles disagree about the side; and the same inside out. */
Test(mesh_signed, at_sharp_and_obtuse_edges) {
  static const float positions[] = {0, 0, 0, /**/ 10, 0, 0, /**/ 5, 1, 0, /**/ 5, 0, 1};
  static const uint32_t outward[] = {0, 2, 1, /**/ 0, 1, 3, /**/ 1, 2, 3, /**/ 2, 0, 3};
  static const uint32_t inward[] = {0, 1, 2, /**/ 0, 3, 1, /**/ 1, 3, 2, /**/ 2, 3, 0};
  mo_mesh *mesh = build(positions, 4, outward, 4), *inverted = build(positions, 4, inward, 4);
  cr_assert_eq(winding_at(mesh, 5, 0.25f, 0.25f), 1);
  cr_assert_eq(winding_at(inverted, 5, 0.25f, 0.25f), -1);
  static const float outside[][3] = {{5, -0.01f, -0.01f}, {5, -0.01f, 0.1f}, {5, 0.6f, 0.6f},
                                     {-0.01f, 0, 0},      {10.01f, 0, 0},    {2, 0, 0.5f}};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
    const float *p = outside[i];
    cr_assert_eq(winding_at(mesh, p[0], p[1], p[2]), 0, "point %zu", i);
    mo_closest_hit hit;
    mo_vec3 at = {p[0], p[1], p[2]};
    cr_assert_eq(mo_mesh_signed_distance(mesh, at, INFINITY, &hit, NULL), MO_OK);
    cr_assert(hit.found && hit.distance > 0);
  }
  mo_closest_hit hit;
  cr_assert_eq(mo_mesh_signed_distance(inverted, (mo_vec3){5, 0.25f, 0.125f}, 0, &hit, NULL),
               MO_OK);
  cr_assert(hit.found && hit.distance == -0.125f && hit.normal.z == -1 && hit.point.z == 0,
            "inside, however small the limit, and out");
  cr_assert_eq(mo_mesh_signed_distance(mesh, (mo_vec3){5, 0, 0}, 0, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.distance == 0, "on the surface");
  mo_mesh_release(mesh);
  mo_mesh_release(inverted);
}
