/* Frames in which the test of a region against triangles is cheap. A region is a box with rounded
 * edges in some frame: world space for boxes and balls, its own local space for a convex shape.
 * Margins allow for the rounding of the map into the frame. */
#include "geometry/cast/half_space.h"
#include "mesh/overlap/overlap.h"

enum { X, Y, Z, AXIS_COUNT };

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

/* Sets the bounds by which points are certainly inside or outside of the region. The factors allow
 * for the rounding of squared distances. */
static void set_rounded_box(mo_region_frame *frame, const rounded_box *box, mo_vec3 margin) {
  double margins = (double)margin.x + margin.y + margin.z;
  double radius = box->radius - margins, reach = box->radius + margins;
  frame->inner = (mo_aabb){mo_add(box->box.lower, margin), mo_sub(box->box.upper, margin)};
  frame->center = mo_narrow(box->center);
  frame->half = mo_narrow(box->half);
  frame->inner_distance2 = radius > min_radius && radius < max_radius
                               ? (float)(radius * radius * (1.0 - 0x1p-18))
                           : radius > 0.0 && isinf(radius) ? INFINITY
                                                           : -1.0f;
  frame->max_distance2 = box->radius >= 0.0 && reach > min_radius && reach < max_radius
                             ? (float)(reach * reach * (1.0 + 0x1p-18))
                             : INFINITY;
}

static const mo_aabb whole_space = {{-INFINITY, -INFINITY, -INFINITY},
                                    {INFINITY, INFINITY, INFINITY}};

void mo_region_frame_init_in_world(mo_region_frame *frame, const mo_region *region,
                                   const mo_transform *map, mo_aabb outer) {
  frame->map = map != NULL ? *map : mo_transform_identity();
  frame->outer = outer;
  frame->max_distance2 = INFINITY;
  frame->inner_distance2 = -1.0f;
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

/* The axis (X, Y or Z) that the segment between two points is parallel to; AXIS_COUNT if none. */
static int parallel_axis_of(mo_dvec3 a, mo_dvec3 b) {
  bool differs[AXIS_COUNT] = {a.x != b.x, a.y != b.y, a.z != b.z};
  return differs[X] + differs[Y] + differs[Z] != 1 ? AXIS_COUNT
         : differs[X]                              ? X
         : differs[Y]                              ? Y
                                                   : Z;
}

static rounded_box rounded_box_of(const mo_solid *solid, mo_aabb bounds) {
  rounded_box rounded = {.box = bounds, .radius = -1.0};
  int axis = parallel_axis_of(solid->a, solid->b);
  double along[AXIS_COUNT] = {0.0, 0.0, 0.0};
  mo_dvec3 sides = mo_dscale(0.5, mo_dsub(solid->b, solid->a));
  rounded.center = mo_dscale(0.5, mo_dadd(solid->a, solid->b));
  switch (solid->kind) {
  case MO_SOLID_SPHERE:
    rounded.radius = solid->radius + solid->rounding;
    break;
  case MO_SOLID_BOX:
    rounded.radius = solid->rounding == 0.0 ? INFINITY : solid->rounding;
    rounded.center = solid->a;
    rounded.half = solid->b;
    break;
  case MO_SOLID_CAPSULE:
    if (axis != AXIS_COUNT) {
      rounded.radius = solid->radius + solid->rounding;
      rounded.half = mo_dvec(fabs(sides.x), fabs(sides.y), fabs(sides.z));
    }
    break;
  case MO_SOLID_CYLINDER:
    if (axis != AXIS_COUNT && solid->rounding == 0.0) {
      rounded.radius = solid->radius;
      along[axis] = INFINITY;
      rounded.half = mo_dvec(along[X], along[Y], along[Z]);
    }
    break;
  case MO_SOLID_CONE:
  case MO_SOLID_HULL:
    break;
  }
  return rounded;
}

/* The map is rounded to floats. This shifts transformed points by the rounding errors of the terms
 * of their coordinates, so these errors are added to `margin`. */
bool mo_region_frame_init_of_shape(mo_region_frame *frame, const mo_prepared_primitive *primitive,
                                   const mo_transform *map, mo_vec3 margin) {
  const mo_affine *own = &primitive->affine;
  if (primitive->body.kind != MO_BODY_SOLID || !own->invertible) {
    return false;
  }
  const mo_transform identity = mo_transform_identity();
  const mo_transform *to_world = map != NULL ? map : &identity;
  const mo_convex local = mo_convex_make(&primitive->body.convex.solid, &identity);
  mo_aabb bounds = mo_convex_bounds(&local);
  mo_vec3 terms = mo_transform_magnitude_bounds(&own->to_world, mo_aabb_max_coordinates(bounds));
  const double world[AXIS_COUNT] = {(double)margin.x + MO_REGION_MARGIN * terms.x,
                                    (double)margin.y + MO_REGION_MARGIN * terms.y,
                                    (double)margin.z + MO_REGION_MARGIN * terms.z};
  const mo_dvec3 columns[AXIS_COUNT] = {mo_widen(to_world->x_axis), mo_widen(to_world->y_axis),
                                        mo_widen(to_world->z_axis)};
  mo_dvec3 shift = mo_dsub(mo_widen(to_world->origin), mo_widen(own->to_world.origin));
  float rows[AXIS_COUNT][4], grown[AXIS_COUNT];
  for (int i = 0; i < AXIS_COUNT; i++) {
    mo_dvec3 row = mo_dvec(own->inverse[X][i], own->inverse[Y][i], own->inverse[Z][i]);
    for (int k = 0; k < AXIS_COUNT; k++) {
      rows[i][k] = (float)mo_ddot(row, columns[k]);
    }
    rows[i][AXIS_COUNT] = (float)mo_ddot(row, shift);
    grown[i] =
        (float)(2.0 * (fabs(row.x) * world[X] + fabs(row.y) * world[Y] + fabs(row.z) * world[Z])) +
        0x1p-120f;
  }
  frame->map = (mo_transform){{rows[X][0], rows[Y][0], rows[Z][0]},
                              {rows[X][1], rows[Y][1], rows[Z][1]},
                              {rows[X][2], rows[Y][2], rows[Z][2]},
                              {rows[X][3], rows[Y][3], rows[Z][3]}};
  mo_vec3 margins = mo_vec(grown[X], grown[Y], grown[Z]);
  frame->outer = (mo_aabb){mo_sub(bounds.lower, margins), mo_add(bounds.upper, margins)};
  rounded_box rounded = rounded_box_of(&primitive->body.convex.solid, bounds);
  set_rounded_box(frame, &rounded, margins);
  return isfinite(frame->outer.lower.x + frame->outer.lower.y + frame->outer.lower.z) &&
         isfinite(frame->outer.upper.x + frame->outer.upper.y + frame->outer.upper.z);
}

/* The margin covers the rounding of the map to floats, and of its results. */
void mo_region_frame_init_of_half_space(mo_region_frame *frame,
                                        const mo_half_space_body *half_space,
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
