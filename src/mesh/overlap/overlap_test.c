/* Region queries: their preparation, and the exact test of one triangle. */
#include "geometry/overlap/overlap.h"
#include "geometry/triangle/triangle.h"
#include "mesh/overlap/overlap.h"

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

mo_vec3 mo_transform_magnitude_bounds(const mo_transform *map, mo_vec3 reach) {
  float sum[3];
  for (int axis = 0; axis < 3; axis++) {
    sum[axis] = fabsf(mo_get(map->origin, axis)) + fabsf(mo_get(map->x_axis, axis)) * reach.x +
                fabsf(mo_get(map->y_axis, axis)) * reach.y +
                fabsf(mo_get(map->z_axis, axis)) * reach.z;
  }
  return mo_vec(sum[0], sum[1], sum[2]);
}

static bool maps_to_finite(const mo_transform *map, mo_vec3 reach) {
  mo_vec3 terms = mo_transform_magnitude_bounds(map, reach);
  return terms.x < 1e36f && terms.y < 1e36f && terms.z < 1e36f; /* also false if a term is NaN */
}

/* Makes the frame of the query's region, which lies in a box with the margin `margin` that is
 * `outer`; both in world space. */
static void find_frame(mo_mesh_overlap *query, const mo_mesh *mesh, mo_aabb outer, mo_vec3 margin) {
  const mo_transform *map = query->affine != NULL ? &query->affine->to_world : NULL;
  const mo_region *region = query->region;
  mo_region_frame *frame = &query->frame;
  if (region->kind == MO_REGION_BALL &&
      mo_region_frame_init_of_ball(frame, &region->ball, query->affine, margin)) {
    query->has_frame = true;
    return;
  }
  query->has_frame = region->kind == MO_REGION_BODY &&
                     mo_region_frame_init_of_shape(frame, &region->primitive->body, map, margin) &&
                     maps_to_finite(&frame->map, mesh->reach);
  if (!query->has_frame) {
    mo_region_frame_init_in_world(frame, region, map, outer);
    query->has_frame = maps_to_finite(&frame->map, mesh->reach);
  }
}

/* Whether a map keeps the direction of each axis, so that the image of a box is a box. */
static bool keeps_axes(const mo_transform *map) {
  return map->x_axis.y == 0.0f && map->x_axis.z == 0.0f && map->y_axis.x == 0.0f &&
         map->y_axis.z == 0.0f && map->z_axis.x == 0.0f && map->z_axis.y == 0.0f;
}

/* Prepares the culling of a query whose region lies in `box`. */
static void set_culling(mo_mesh_overlap *query, const mo_mesh *mesh, mo_aabb box) {
  const mo_affine *affine = query->affine;
  const mo_region_kind kind = query->region->kind;
  const mo_vec3 terms =
      affine != NULL ? mo_transform_magnitude_bounds(&affine->to_world, mesh->reach) : mesh->reach;
  const mo_aabb outer = mo_region_grow(box, terms);
  find_frame(query, mesh, outer, mo_sub(outer.upper, box.upper));
  query->frame_culls_nodes = query->has_frame;
  const bool keeps_boxes = affine == NULL || keeps_axes(&affine->to_world);
  const bool is_ball = kind == MO_REGION_BALL, is_invertible = query->world_map == NULL;
  if (query->has_frame && is_ball && (query->frame.is_mesh_space || keeps_boxes)) {
    query->world_map = NULL; /* the frame culls more than a box does */
    return;
  }
  if (query->has_frame && kind == MO_REGION_BOX &&
      keeps_boxes) { /* the frame culls as a box does */
    query->world_map = NULL;
    if (!is_invertible) {
      return;
    }
    query->frame_culls_nodes = false;
  }
  query->has_box = true;
  query->box =
      affine == NULL || query->world_map != NULL ? outer : mo_affine_aabb_to_local(affine, outer);
}

void mo_mesh_overlap_init(mo_mesh_overlap *query, const mo_mesh *mesh, const mo_region *region,
                          const mo_affine *affine, mo_query_stats *stats) {
  /* Member by member, as the struct is large. */
  query->region = region;
  query->affine = affine;
  query->world_map = affine != NULL && !affine->invertible ? affine : NULL;
  query->has_box = query->frame_culls_nodes = query->has_frame = false;
  query->stats = stats;
  query->triangle_filter = NULL;
  query->shape = (mo_shape_id){0, 0};
  query->child = 0;
  query->report = NULL;
  query->context = NULL;
  query->overlap_planes = NULL;
  if (region->kind == MO_REGION_PLANES) { /* only in queries on a mesh that is not in a scene */
    for (uint32_t i = 0; i < region->plane_count; i++) {
      query->slack[i] = mo_plane_rounding_bound(&region->planes[i], mesh->reach);
    }
    return;
  }
  if (region->kind == MO_REGION_BODY && region->primitive->body.kind == MO_BODY_HALF_SPACE) {
    query->world_map = NULL; /* culling in the frame needs no inverse */
    mo_region_frame_init_of_half_space(&query->frame, &region->primitive->body.half_space, affine,
                                       mesh->reach);
    query->has_frame = maps_to_finite(&query->frame.map, mesh->reach);
    query->frame_culls_nodes = query->has_frame;
    return;
  }
  set_culling(query, mesh, mo_region_bounds(region));
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
  mo_mesh_overlap_init(&query, own->mesh, &region, &own->affine, stats);
  query.report = mo_set_found_and_stop;
  query.context = &touches;
  mo_mesh_overlap_kernels_for(own->mesh->isa, own->mesh)->overlap(own->mesh, &query);
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
  for (int i = 0; i < 3; i++) {
    wide[i] = query->affine != NULL ? mo_affine_point_to_world(query->affine, corners[i])
                                    : mo_widen(corners[i]);
  }
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
