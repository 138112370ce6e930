/* Prepares the culling of overlap queries; compiled once per instruction set, as the preparation
 * takes a large part of the time of a query that ends at the first triangle.
 *
 * Frames are spaces in which the test of a region against triangles is cheap. A region is a box
 * with rounded edges in some frame: world space for boxes and balls, its own local space for a
 * convex shape. Margins allow for the rounding of the map into the frame. */
#include "geometry/cast/half_space.h"
#include "math/affine_four.h"
#include "mesh/overlap/overlap.h"

enum { X, Y, Z, AXIS_COUNT };

/* Per axis, an upper bound of the sum of magnitudes of the terms of a transformed point within
 * `reach`. The rounding error of the coordinate is proportional to it. */
static mo_vec3 magnitude_bounds(const mo_transform *map, mo_vec3 reach) {
  float sum[3];
  for (int axis = 0; axis < 3; axis++) {
    sum[axis] = fabsf(mo_get(map->origin, axis)) + fabsf(mo_get(map->x_axis, axis)) * reach.x +
                fabsf(mo_get(map->y_axis, axis)) * reach.y +
                fabsf(mo_get(map->z_axis, axis)) * reach.z;
  }
  return mo_vec(sum[0], sum[1], sum[2]);
}

/* The region as a rounded box: the points of `box` that are within `radius` of a smaller box, given
 * by `center` and `half`. */
typedef struct rounded_box {
  mo_aabb box;
  mo_dvec3 center, half;
  double radius; /* negative: the region is no rounded box */
} rounded_box;

/* Limits of radii whose squares, and those of distances of this size, neither overflow nor lose
 * bits to underflow as floats. */
static const double min_radius = 1e-15, max_radius = 1e15;

/* Sets the distances from the smaller box within which points are certainly in the region (`inner`)
 * and may be in it (`outer`). The factors allow for the rounding of squared distances. */
static void set_distances(mo_region_frame *frame, double inner, double outer) {
  frame->inner_distance2 = inner > min_radius && inner < max_radius
                               ? (float)(inner * inner * (1.0 - 0x1p-18))
                           : inner > 0.0 && isinf(inner) ? INFINITY
                                                         : -1.0f;
  frame->max_distance2 = outer > min_radius && outer < max_radius
                             ? (float)(outer * outer * (1.0 + 0x1p-18))
                             : INFINITY;
  frame->distance_decides =
      frame->max_distance2 < INFINITY && mo_max_magnitude(frame->half) < INFINITY;
}

/* Sets the bounds by which points are certainly inside or outside of the region. */
static void set_rounded_box(mo_region_frame *frame, const rounded_box *box, mo_vec3 margin) {
  const double margins = (double)margin.x + margin.y + margin.z;
  frame->inner = (mo_aabb){mo_add(box->box.lower, margin), mo_sub(box->box.upper, margin)};
  frame->center = mo_narrow(box->center);
  frame->half = mo_narrow(box->half);
  set_distances(frame, box->radius - margins,
                box->radius >= 0.0 ? box->radius + margins : INFINITY);
}

static const mo_aabb whole_space = {{-INFINITY, -INFINITY, -INFINITY},
                                    {INFINITY, INFINITY, INFINITY}};

/* Makes the frame of a box or ball in world space. `map` transforms from the mesh's space to the
 * world (null: they are the same); `outer` is the box around the region, enlarged by the rounding
 * error of that transformation. */
static void init_in_world(mo_region_frame *frame, const mo_region *region, const mo_transform *map,
                          mo_aabb outer) {
  frame->is_mesh_space = map == NULL;
  frame->map = map != NULL ? *map : mo_transform_identity();
  frame->outer = outer;
  frame->max_distance2 = INFINITY;
  frame->inner_distance2 = -1.0f;
  frame->distance_decides = false;
  if (region->kind == MO_REGION_BOX) {
    /* Twice the margin that `outer` has around the box, as this difference is rounded. */
    mo_vec3 margin = mo_scale(2.0f, mo_sub(outer.upper, region->box.upper));
    set_rounded_box(frame, &(rounded_box){.box = region->box, .radius = INFINITY}, margin);
  } else if (region->kind == MO_REGION_BALL) {
    const mo_sphere *ball = &region->ball;
    mo_vec3 extent = mo_sub(outer.upper, ball->center);
    mo_vec3 margin =
        mo_vec(extent.x - ball->radius, extent.y - ball->radius, extent.z - ball->radius);
    set_rounded_box(frame,
                    &(rounded_box){.box = whole_space,
                                   .center = mo_widen(ball->center),
                                   .radius = ball->radius},
                    mo_scale(2.0f, margin));
  }
}

/* Makes the frame of a ball in the mesh's own space; `margin` is that around its bounds in the
 * world. Returns false if the transform, which is null if the mesh is not in a scene, does not
 * nearly preserve angles.
 *
 * By Gershgorin's theorem, applied to the dot products of the columns, the squared lengths of the
 * images of unit vectors lie between `min` and `max`. Four times the margin covers the rounding of
 * the centre to local floats, and of distances in the mesh's space. */
static bool init_of_ball(mo_region_frame *frame, const mo_sphere *ball, const mo_affine *affine,
                         mo_vec3 margin) {
  double min = 1.0, max = 1.0;
  frame->center = ball->center;
  if (affine != NULL) {
    const mo_transform *map = &affine->to_world;
    const mo_dvec3 x = mo_widen(map->x_axis), y = mo_widen(map->y_axis), z = mo_widen(map->z_axis);
    const double xx = mo_ddot(x, x), yy = mo_ddot(y, y), zz = mo_ddot(z, z);
    const double xy = fabs(mo_ddot(x, y)), xz = fabs(mo_ddot(x, z)), yz = fabs(mo_ddot(y, z));
    min = mo_dmin(xx - xy - xz, mo_dmin(yy - xy - yz, zz - xz - yz));
    max = mo_dmax(xx + xy + xz, mo_dmax(yy + xy + yz, zz + xz + yz));
    if (!affine->invertible || !(min >= 0.999 * max)) {
      return false;
    }
    frame->center = mo_affine_point_to_local(affine, ball->center);
  }
  const double margins = 4.0 * ((double)margin.x + margin.y + margin.z);
  frame->is_mesh_space = true;
  frame->outer = frame->inner = whole_space;
  frame->half = mo_vec(0.0f, 0.0f, 0.0f);
  set_distances(frame, (ball->radius - margins) / sqrt(max), (ball->radius + margins) / sqrt(min));
  return frame->max_distance2 < INFINITY;
}

/* The axis (X, Y or Z) that the segment between two points is parallel to; AXIS_COUNT if none. */
static int parallel_axis_of(mo_dvec3 a, mo_dvec3 b) {
  bool differs[AXIS_COUNT] = {a.x != b.x, a.y != b.y, a.z != b.z};
  return differs[X] + differs[Y] + differs[Z] != 1 ? AXIS_COUNT
         : differs[X]                              ? X
         : differs[Y]                              ? Y
                                                   : Z;
}

/* A solid as a rounded box in its own space, with a box around it. */
static rounded_box rounded_box_of(const mo_solid *s) {
  const double radius = s->radius + s->rounding;
  const int axis = parallel_axis_of(s->a, s->b);
  rounded_box rounded = {.center = mo_dscale(0.5, mo_dadd(s->a, s->b)), .radius = -1.0};
  if (s->kind == MO_SOLID_CONE || s->kind == MO_SOLID_HULL ||
      (s->kind == MO_SOLID_CYLINDER && axis == AXIS_COUNT)) {
    const mo_transform identity = mo_transform_identity();
    const mo_convex local = mo_convex_make(s, &identity);
    rounded.box = mo_convex_bounds(&local);
    return rounded;
  }
  const mo_dvec3 side = mo_dabs(mo_dscale(0.5, mo_dsub(s->b, s->a)));
  mo_dvec3 extent = mo_dvec(side.x + radius, side.y + radius, side.z + radius);
  switch (s->kind) {
  case MO_SOLID_SPHERE:
    rounded.radius = radius;
    break;
  case MO_SOLID_BOX:
    rounded.radius = s->rounding == 0.0 ? INFINITY : s->rounding;
    rounded.center = s->a;
    rounded.half = s->b;
    extent = mo_dvec(s->b.x + s->rounding, s->b.y + s->rounding, s->b.z + s->rounding);
    break;
  case MO_SOLID_CAPSULE:
    if (axis != AXIS_COUNT) {
      rounded.radius = radius;
      rounded.half = side;
    }
    break;
  case MO_SOLID_CYLINDER: { /* along an axis */
    const double half = side.x + side.y + side.z + s->rounding;
    extent =
        mo_dvec(axis == X ? half : radius, axis == Y ? half : radius, axis == Z ? half : radius);
    if (s->rounding == 0.0) {
      rounded.radius = s->radius;
      rounded.half = mo_dvec(axis == X ? INFINITY : 0.0, axis == Y ? INFINITY : 0.0,
                             axis == Z ? INFINITY : 0.0);
    }
    break;
  }
  case MO_SOLID_CONE:
  case MO_SOLID_HULL:
    break;
  }
  rounded.box = mo_aabb_around(mo_dsub(rounded.center, extent), mo_dadd(rounded.center, extent));
  return rounded;
}

/* Makes the frame of a convex shape: the shape's own space. `margin` is the margin around its
 * bounds in the world. Returns false if its transform has no inverse, or coordinates exceed the
 * range of float.
 *
 * The map is rounded to floats. This shifts transformed points by the rounding errors of the terms
 * of their coordinates, so these errors are added to `margin`. */
static bool init_of_solid(mo_region_frame *frame, const mo_body *body, const mo_transform *map,
                          mo_vec3 margin) {
  if (body->kind != MO_BODY_SOLID) {
    return false;
  }
  const mo_convex *convex = &body->convex;
  mo_affine made, *own = &made;
  own->to_world = (mo_transform){mo_narrow(convex->column[X]), mo_narrow(convex->column[Y]),
                                 mo_narrow(convex->column[Z]), mo_narrow(convex->origin)};
  mo_affine_set_inverse(own);
  if (!own->invertible) {
    return false;
  }
  const mo_transform identity = mo_transform_identity();
  const mo_transform *to_world = map != NULL ? map : &identity;
  const rounded_box rounded = rounded_box_of(&convex->solid);
  const mo_vec3 terms = magnitude_bounds(&own->to_world, mo_aabb_max_coordinates(rounded.box));
  const mo_dvec3 shift = mo_dsub(mo_widen(to_world->origin), mo_widen(own->to_world.origin));
  frame->is_mesh_space = false;
  frame->map = (mo_transform){
      .x_axis = mo_f4_to_vec3(mo_affine_apply_inverse(own, mo_widen(to_world->x_axis))),
      .y_axis = mo_f4_to_vec3(mo_affine_apply_inverse(own, mo_widen(to_world->y_axis))),
      .z_axis = mo_f4_to_vec3(mo_affine_apply_inverse(own, mo_widen(to_world->z_axis))),
      .origin = mo_f4_to_vec3(mo_affine_apply_inverse(own, shift))};
  const mo_vec3 grown = mo_f4_to_vec3(mo_affine_apply_absolute_inverse(
      own, mo_dvec((double)margin.x + MO_REGION_MARGIN * terms.x,
                   (double)margin.y + MO_REGION_MARGIN * terms.y,
                   (double)margin.z + MO_REGION_MARGIN * terms.z)));
  const float tiny = 0x1p-120f;
  const mo_vec3 margins =
      mo_vec(2.0f * grown.x + tiny, 2.0f * grown.y + tiny, 2.0f * grown.z + tiny);
  frame->outer = (mo_aabb){mo_sub(rounded.box.lower, margins), mo_add(rounded.box.upper, margins)};
  set_rounded_box(frame, &rounded, margins);
  return isfinite(frame->outer.lower.x + frame->outer.lower.y + frame->outer.lower.z) &&
         isfinite(frame->outer.upper.x + frame->outer.upper.y + frame->outer.upper.z);
}

/* Makes the frame of a half-space: its first axis is the height above the plane. Mesh coordinates
 * are at most `reach` in magnitude. The margin covers the rounding of the map to floats, and of its
 * results. */
static void init_of_half_space(mo_region_frame *frame, const mo_half_space_body *half_space,
                               const mo_affine *affine, mo_vec3 reach) {
  const mo_plane_path path = mo_plane_path_of(half_space, affine, reach);
  double height = affine != NULL
                      ? mo_half_space_height(half_space, mo_widen(affine->to_world.origin))
                      : mo_half_space_height(half_space, mo_dvec(0.0, 0.0, 0.0));
  double terms = fabs(height), margin = height - path.offset;
  for (int i = 0; i < AXIS_COUNT; i++) {
    terms += fabs(path.normal[i]) * (double)mo_get(reach, i);
  }
  float slack = (float)(2.0 * margin + (double)MO_REGION_MARGIN * terms) + 0x1p-120f;
  *frame = (mo_region_frame){
      .map = {.x_axis = {(float)path.normal[X], 0.0f, 0.0f},
              .y_axis = {(float)path.normal[Y], 0.0f, 0.0f},
              .z_axis = {(float)path.normal[Z], 0.0f, 0.0f},
              .origin = {(float)height, 0.0f, 0.0f}},
      .outer = whole_space,
      .inner = whole_space,
      .max_distance2 = INFINITY,
      .inner_distance2 = INFINITY,
  };
  frame->outer.upper.x = slack;
  frame->inner.upper.x = -slack;
}

static bool maps_to_finite(const mo_transform *map, mo_vec3 reach) {
  mo_vec3 terms = magnitude_bounds(map, reach);
  return terms.x < 1e36f && terms.y < 1e36f && terms.z < 1e36f; /* also false if a term is NaN */
}

/* Makes the frame of the query's region, which lies in a box with the margin `margin` that is
 * `outer`; both in world space. */
static void find_frame(mo_mesh_overlap *query, const mo_mesh *mesh, mo_aabb outer, mo_vec3 margin) {
  const mo_transform *map = query->affine != NULL ? &query->affine->to_world : NULL;
  const mo_region *region = query->region;
  mo_region_frame *frame = &query->frame;
  if (region->kind == MO_REGION_BALL && init_of_ball(frame, &region->ball, query->affine, margin)) {
    query->has_frame = true;
    return;
  }
  query->has_frame = region->kind == MO_REGION_BODY &&
                     init_of_solid(frame, &region->primitive->body, map, margin) &&
                     maps_to_finite(&frame->map, mesh->reach);
  if (!query->has_frame) {
    init_in_world(frame, region, map, outer);
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
      affine != NULL ? magnitude_bounds(&affine->to_world, mesh->reach) : mesh->reach;
  const mo_aabb outer = mo_region_grow(box, terms);
  find_frame(query, mesh, outer, mo_sub(outer.upper, box.upper));
  const bool keeps_boxes = affine == NULL || keeps_axes(&affine->to_world);
  if (query->has_frame && kind != MO_REGION_BODY && (query->frame.is_mesh_space || keeps_boxes)) {
    const bool needs_frame = kind == MO_REGION_BALL || query->world_map != NULL;
    query->world_map = NULL;
    if (needs_frame) { /* it culls more than a local box, or there is none */
      query->frame_culls_nodes = true;
      return;
    }
  } else {
    query->frame_culls_nodes = query->has_frame;
  }
  query->has_box = true;
  query->box =
      affine == NULL || query->world_map != NULL ? outer : mo_affine_aabb_to_local(affine, outer);
}

void MO_ISA_FN(mo_mesh_overlap_prepare)(const mo_mesh *mesh, mo_mesh_overlap *query) {
  const mo_region *region = query->region;
  const mo_affine *affine = query->affine;
  query->world_map = affine != NULL && !affine->invertible ? affine : NULL;
  query->has_box = query->frame_culls_nodes = query->has_frame = false;
  if (region->kind == MO_REGION_PLANES) { /* only in queries on a mesh that is not in a scene */
    for (uint32_t i = 0; i < region->plane_count; i++) {
      query->slack[i] = mo_plane_rounding_bound(&region->planes[i], mesh->reach);
    }
    return;
  }
  if (region->kind == MO_REGION_BODY && region->primitive->body.kind == MO_BODY_HALF_SPACE) {
    query->world_map = NULL; /* culling in the frame needs no inverse */
    init_of_half_space(&query->frame, &region->primitive->body.half_space, affine, mesh->reach);
    query->has_frame = maps_to_finite(&query->frame.map, mesh->reach);
    query->frame_culls_nodes = query->has_frame;
    return;
  }
  set_culling(query, mesh, mo_region_bounds(region));
}
