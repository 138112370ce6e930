/* Shapes against a region. */
#include "query/regional.h"
#include "query/planes.h"
#include "query/solid.h"

mo_regional mo_regional_box(const mo_scene *scene, mo_aabb box) {
  return (mo_regional){
      .scene = scene, .region = {.kind = MO_REGION_BOX, .box = box}, .solid = mo_convex_aabb(box)};
}

static mo_convex ball_solid(mo_sphere ball) {
  mo_transform identity = mo_transform_identity();
  return mo_convex_sphere(ball, &identity);
}

mo_regional mo_regional_ball(const mo_scene *scene, mo_sphere ball) {
  return (mo_regional){
      .scene = scene, .region = {.kind = MO_REGION_BALL, .ball = ball}, .solid = ball_solid(ball)};
}

mo_regional mo_regional_point(const mo_scene *scene, mo_vec3 point) {
  return (mo_regional){.scene = scene,
                       .solid = ball_solid((mo_sphere){point, 0.0f}),
                       .point = point,
                       .is_point = true};
}

mo_regional mo_regional_planes(const mo_scene *scene, const mo_plane *planes, uint32_t count) {
  return (mo_regional){
      .scene = scene, .region = {.kind = MO_REGION_PLANES, .planes = planes, .plane_count = count}};
}

mo_aabb mo_regional_bounds(const mo_regional *q) {
  if (q->is_point) {
    return (mo_aabb){q->point, q->point};
  }
  return q->region.kind == MO_REGION_BOX ? q->region.box : mo_convex_bounds(&q->solid);
}

/* Squared, a distance below that of the ball by more than the rounding of squared distances in
 * floats; negative where that may be more. */
static float surely_inside2(double radius) {
  const double least = 1e-15, most = 1e18;
  return radius > least && radius < most ? (float)(radius * radius * (1.0 - 0x1p-19)) : -1.0f;
}

void mo_regional_cull(const mo_regional *q, mo_scene_overlap *overlap) {
  const mo_scene *scene = q->scene;
  mo_vec3 reach = mo_aabb_is_empty(scene->root_bounds) ? mo_vec(0.0f, 0.0f, 0.0f)
                                                       : mo_aabb_reach(scene->root_bounds);
  overlap->scene = scene;
  overlap->kind = q->region.kind;
  overlap->by_bounds = q->precision == MO_PRECISION_BOUNDS || q->region.kind == MO_REGION_PLANES;
  if (q->region.kind == MO_REGION_PLANES) {
    overlap->planes = q->region.planes;
    overlap->plane_count = q->region.plane_count;
    for (uint32_t i = 0; i < overlap->plane_count; i++) {
      overlap->slack[i] = mo_plane_slack(&overlap->planes[i], reach);
    }
    return;
  }
  overlap->box = mo_regional_bounds(q);
  if (q->region.kind == MO_REGION_BALL) {
    overlap->center = q->region.ball.center;
    overlap->outside2 = mo_region_distance2(&q->region.ball, reach);
    overlap->inside2 = surely_inside2(q->region.ball.radius);
  } else {
    overlap->inside = q->is_point ? mo_aabb_empty() : q->region.box;
    if (overlap->by_bounds) {
      return; /* boxes are compared with the box itself */
    }
  }
  overlap->box = mo_region_grow(overlap->box, reach);
}

static bool report_first(uint32_t triangle, void *context) {
  (void)triangle;
  *(bool *)context = true;
  return false;
}

static bool mesh_touches(const mo_regional *q, const mo_shape *shape, mo_aabb bounds) {
  const mo_mesh *mesh = shape->geometry.mesh;
  const mo_mesh_overlap_kernels *kernels = mo_mesh_overlap_kernels_for(q->scene->isa, mesh);
  if (q->is_point) {
    /* The surface of an open mesh may be crossed an odd number of times from outside: its bounds,
     * and not the margins of culling, say where that ends. */
    bool local = shape->affine.invertible;
    return mo_aabb_contains(bounds, (mo_aabb){q->point, q->point}) &&
           kernels->contains(mesh,
                             local ? mo_affine_point_to_local(&shape->affine, q->point) : q->point,
                             local ? NULL : &shape->affine, q->stats);
  }
  if (q->region.kind == MO_REGION_BOX && mesh->triangle_count > 0 &&
      mo_aabb_contains(q->region.box, bounds)) {
    return true; /* with all its triangles */
  }
  bool touches = false;
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, mesh, &q->region, &shape->affine, q->stats);
  overlap.report = report_first;
  overlap.context = &touches;
  kernels->overlap(mesh, &overlap);
  return touches;
}

static bool box_touches(const mo_regional *q, mo_aabb bounds) {
  if (q->is_point) {
    return mo_aabb_contains(bounds, (mo_aabb){q->point, q->point});
  }
  if (q->region.kind == MO_REGION_BOX) {
    return mo_aabb_overlap(bounds, q->region.box);
  }
  mo_convex box = mo_convex_aabb(bounds);
  return mo_convex_overlap(&box, &q->solid);
}

bool mo_regional_touches(const mo_regional *q, uint32_t slot, mo_aabb bounds) {
  const mo_shape *shape = &q->scene->shapes[slot];
  if (q->region.kind == MO_REGION_PLANES) {
    return mo_planes_touch(q->region.planes, q->region.plane_count, bounds);
  }
  if (q->precision == MO_PRECISION_BOUNDS || shape->geometry.type == MO_SHAPE_VOLUME) {
    return box_touches(q, bounds);
  }
  if (shape->geometry.type == MO_SHAPE_MESH) {
    return mesh_touches(q, shape, bounds);
  }
  mo_convex solid = mo_solid_of(shape, bounds);
  return mo_convex_overlap(&solid, &q->solid);
}
