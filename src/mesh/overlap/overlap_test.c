/* Region queries: their definition, and the exact test of one triangle. */
#include "geometry/overlap/overlap.h"
#include "geometry/triangle/triangle.h"
#include "mesh/overlap/overlap.h"
#include "mesh/world.h"

mo_aabb mo_region_grow(mo_aabb box, mo_vec3 reach) {
  mo_vec3 sum = mo_add(mo_aabb_max_coordinates(box), reach);
  float all = MO_DISTANCE_MARGIN * (sum.x + sum.y + sum.z) + 0x1p-120f;
  mo_vec3 margin = mo_vec(MO_REGION_MARGIN * sum.x + all, MO_REGION_MARGIN * sum.y + all,
                          MO_REGION_MARGIN * sum.z + all);
  return (mo_aabb){mo_sub(box.lower, margin), mo_add(box.upper, margin)};
}

float mo_plane_rounding_bound(const mo_plane *plane, mo_vec3 reach) {
  mo_vec3 n = plane->normal;
  return MO_REGION_MARGIN * (fabsf(n.x) * reach.x + fabsf(n.y) * reach.y + fabsf(n.z) * reach.z +
                             fabsf(plane->offset)) +
         0x1p-120f;
}

mo_aabb mo_region_bounds(const mo_region *region) {
  if (region->kind != MO_REGION_BALL) {
    return region->box;
  }
  const double r = region->ball.radius;
  const mo_dvec3 center = mo_widen(region->ball.center), by = {r, r, r};
  return mo_aabb_around(mo_dsub(center, by), mo_dadd(center, by));
}

/* The larger of two components, for each axis. */
static mo_vec3 max_by_axis(mo_vec3 a, mo_vec3 b) {
  return mo_vec(mo_max(a.x, b.x), mo_max(a.y, b.y), mo_max(a.z, b.z));
}

float mo_region_ball_max_distance2(const mo_sphere *ball, mo_vec3 reach) {
  mo_vec3 far = max_by_axis(
      reach, mo_vec(fabsf(ball->center.x), fabsf(ball->center.y), fabsf(ball->center.z)));
  double size = (double)far.x + far.y + far.z;
  if (size + ball->radius > 1e18) {
    return INFINITY;
  }
  double r = ball->radius + MO_REGION_MARGIN * size + 0x1p-60;
  return mo_round_up(r * r * (1.0 + 0x1p-20));
}

void mo_mesh_overlap_init(mo_mesh_overlap *query, const mo_region *region, const mo_affine *affine,
                          mo_query_stats *stats) {
  /* Member by member, as the struct is large. */
  query->region = region;
  query->affine = affine;
  query->stats = stats;
  query->triangle_filter = NULL;
  query->shape = (mo_shape_id){0, 0};
  query->child = 0;
  query->report = NULL;
  query->context = NULL;
  query->overlap_planes = NULL;
}

bool mo_mesh_overlap_wants_planes(const mo_mesh_overlap *query) {
  if (query->region->kind != MO_REGION_BODY) {
    return false;
  }
  const mo_body *body = &query->region->primitive->body;
  return body->kind == MO_BODY_SOLID &&
         (body->convex.solid.kind == MO_SOLID_HULL || body->convex.solid.kind == MO_SOLID_CONE);
}

/* Planes around a body are made after this many exact tests without an overlap, which take about as
 * long as making the planes. */
enum { NEGATIVE_TESTS_BEFORE_PLANES = 4 };

/* Counts a test that found no overlap; makes the planes once there are enough of them. */
static void count_negative_test(const mo_mesh_overlap *query) {
  mo_overlap_planes *overlap_planes = query->overlap_planes;
  if (++overlap_planes->negative_test_count == NEGATIVE_TESTS_BEFORE_PLANES) {
    const mo_dvec3 rest = {0.0, 0.0, 0.0};
    const mo_body *body = &query->region->primitive->body;
    const mo_bounding_capsule around = mo_bounding_capsule_of(body);
    const mo_rounded_box box = mo_rounded_box_around(body, &around);
    overlap_planes->culling_box =
        mo_culling_box_make(&box, rest, overlap_planes->mesh, query->affine, 0.0);
    overlap_planes->have_planes =
        overlap_planes->culling_box.is_usable &&
        mo_bounding_planes_make(&overlap_planes->planes, body, &box, rest);
  }
}

/* Whether a mesh touches a body: a search for one of its triangles that touches it. */
static bool mesh_touches(const mo_prepared_primitive *own, const mo_body *body,
                         const mo_affine *map, mo_query_stats *stats) {
  mo_prepared_primitive other = {.body = *body};
  mo_mesh_overlap query;
  bool touches = false;
  mo_body_cache_bounds(&other.body);
  if (map != NULL) {
    other.affine = *map;
  }
  const mo_region region = mo_region_of_primitive(&other);
  mo_mesh_overlap_init(&query, &region, &own->affine, stats);
  query.report = mo_set_found_and_stop;
  query.context = &touches;
  mo_mesh_overlap_run(own->mesh, own->mesh->isa, &query);
  return touches;
}

/* The test of a compound against a body. */
typedef struct children_test {
  const mo_body *body;
  const mo_affine *map;
  mo_query_stats *stats;
} children_test;

static bool stop_at_child(mo_prepared_primitive *child, uint32_t number, void *context) {
  (void)number;
  const children_test *t = context;
  return !mo_query_primitive_touches(child, t->body, t->map, t->stats);
}

bool mo_query_primitive_touches(const mo_prepared_primitive *primitive, const mo_body *body,
                                const mo_affine *map, mo_query_stats *stats) {
  if (primitive->compound != NULL) {
    children_test test = {body, map, stats};
    return !mo_functions_of(primitive->compound)
                ->visit_near(primitive, body, stats, stop_at_child, &test);
  }
  return primitive->mesh != NULL ? mesh_touches(primitive, body, map, stats)
                                 : mo_bodies_within(&primitive->body, body, 0.0);
}

bool mo_mesh_overlap_triangle(const mo_mesh_overlap *query, const mo_vec3 corners[3]) {
  mo_dvec3 wide[3];
  mo_relative_corners(query->affine, corners, mo_dvec(0.0, 0.0, 0.0), wide);
  switch (query->region->kind) {
  case MO_REGION_BOX:
    return mo_triangle_overlaps_aabb(wide, query->region->box);
  case MO_REGION_BALL:
    return mo_triangle_overlaps_sphere(wide, query->region->ball);
  case MO_REGION_BODY: {
    const mo_body triangle = mo_body_of_triangle(wide);
    const bool overlaps =
        mo_query_primitive_touches(query->region->primitive, &triangle, NULL, query->stats);
    if (!overlaps && query->overlap_planes != NULL) {
      count_negative_test(query);
    }
    return overlaps;
  }
  case MO_REGION_PLANES:
    break;
  }
  return mo_triangle_overlaps_planes(wide, query->region->planes, query->region->plane_count);
}

bool mo_triangle_crosses_x_ray(const mo_vec3 corners[3], mo_vec3 point) {
  double x[3], y[3], z[3];
  for (int i = 0; i < 3; i++) {
    x[i] = (double)corners[i].x - point.x;
    y[i] = (double)corners[i].y - point.y;
    z[i] = (double)corners[i].z - point.z;
  }
  /* Is the origin inside the triangle as projected along x onto the (y, z) plane? Each edge that
   * changes between z <= 0 and z > 0 at a point with y > 0 is a crossing. */
  bool inside = false;
  double sum = 0.0, sum_x = 0.0;
  for (int i = 0; i < 3; i++) {
    int j = i == 2 ? 0 : i + 1, k = j == 2 ? 0 : j + 1;
    double side = y[i] * z[j] - y[j] * z[i];
    if ((z[i] > 0.0) != (z[j] > 0.0)) {
      inside ^= z[j] > 0.0 ? side > 0.0 : side < 0.0;
    }
    sum += side;
    sum_x += side * x[k];
  }
  return inside && (sum > 0.0 ? sum_x > 0.0 : sum_x < 0.0);
}
