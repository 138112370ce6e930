/* The geometry of shapes: whether it is legal, and the world box it fills. */
#include "scene/shape.h"

#include <string.h>

#include "base/inline.h"
#include "geometry/convex/convex.h"
#include "geometry/hull/hull.h"
#include "geometry/solid/solids.h"
#include "math/four.h"
#include "mesh/mesh.h"
#include "scene/policy.h"

/* Of what is not convex, or is no more than a box. */
static mo_result check_not_rounded(const mo_geometry *geometry, const mo_refusal *refusal) {
  return geometry->rounding == 0
             ? MO_OK
             : mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".rounding",
                                (double)geometry->rounding, "but meshes and volumes have none");
}

mo_result mo_geometry_check(const mo_geometry *geometry, const mo_refusal *refusal) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return geometry->mesh ? check_not_rounded(geometry, refusal)
                          : mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".mesh is null");
  case MO_SHAPE_VOLUME: {
    mo_refusal place = mo_refusal_in(refusal, ".volume", MO_NO_INDEX);
    mo_result result = mo_check_aabb(&geometry->volume, &place);
    return result == MO_OK ? check_not_rounded(geometry, refusal) : result;
  }
    MO_CASES_OF_SOLIDS {
      mo_solid_kind kind = mo_solid_kind_of(geometry->type);
      return mo_solid_check(kind, geometry, refusal);
    }
  }
  return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".type",
                          (double)(unsigned)geometry->type, "which is no such choice");
}

void mo_geometry_retain(const mo_geometry *geometry) {
  if (geometry->type == MO_SHAPE_MESH) {
    mo_mesh_retain(geometry->mesh);
  } else if (geometry->type == MO_SHAPE_HULL) {
    mo_hull_retain(geometry->hull);
  }
}

void mo_geometry_release(const mo_geometry *geometry) {
  if (geometry->type == MO_SHAPE_MESH) {
    mo_mesh_release(geometry->mesh);
  } else if (geometry->type == MO_SHAPE_HULL) {
    mo_hull_release(geometry->hull);
  }
}

mo_result mo_refuse_image(const mo_refusal *refusal, const char *member) {
  return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE,
                   "%s takes the shape, or a corner of its box, beyond MO_MAX_COORDINATE", member);
}

mo_result mo_shape_def_check(const mo_shape_def *def, const mo_refusal *refusal) {
  mo_refusal geometry = mo_refusal_in(refusal, ".geometry", MO_NO_INDEX);
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_shape_def");
  if (result == MO_OK) {
    result = mo_geometry_check(&def->geometry, &geometry);
  }
  if (result == MO_OK) {
    result = mo_motion_check(def->motion, refusal, ".motion");
  }
  return result == MO_OK && def->margin != MO_MARGIN_OF_SCENE
             ? mo_margin_check(def->margin, refusal)
             : result;
}

mo_result mo_placed_def_check(const mo_shape_def *def, const mo_refusal *refusal, mo_affine *affine,
                              mo_aabb *bounds) {
  mo_refusal transform = mo_refusal_in(refusal, ".transform", MO_NO_INDEX);
  mo_result result = mo_shape_def_check(def, refusal);
  if (result == MO_OK) {
    result = mo_check_transform(&def->transform, &transform);
  }
  if (result == MO_OK) {
    result = mo_affine_init(affine, &def->transform);
  }
  if (result == MO_OK && mo_geometry_bounds(&def->geometry, affine, bounds) != MO_OK) {
    result = mo_refuse_image(&transform, "");
  }
  return result;
}

/* A sum of doubles, exact as long as no addition rounds. */
static double add_exactly(double sum, double term, bool *exact) {
  double value = sum + term;
  double part = value - sum;
  *exact &= (sum - (value - part)) + (term - part) == 0;
  return value;
}

/* The float next to a finite one, upward. */
static float float_above(float x) {
  uint32_t bits;
  if (x == 0) {
    bits = 1;
  } else {
    memcpy(&bits, &x, sizeof bits);
    bits = x > 0 ? bits + 1 : bits - 1;
  }
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Rounds a number down that is known up to an error; false if two floats come into question. */
static bool round_down(double x, double error, float *result) {
  float nearest = (float)x;
  if ((double)nearest <= x - error) {
    *result = nearest;
    return true;
  }
  *result = -float_above(-nearest);
  return (double)nearest > x + error;
}

/* One axis of mo_convex_bounds where the row of the map has one component at most, as for shapes
 * that are not rotated: exact if no sum rounds. */
static bool plain_extent(double origin, double term, double width, float *lower, float *upper) {
  bool exact = true;
  double middle = add_exactly(origin, term, &exact);
  double low = add_exactly(middle, -width, &exact), high = add_exactly(middle, width, &exact);
  float down = (float)low, up = (float)high;
  *lower = (double)down <= low ? down : -float_above(-down);
  *upper = (double)up >= high ? up : float_above(up);
  return exact;
}

/* A box, or a ball if the radius is not 0, in the local frame. */
typedef struct local_extent {
  float center[3], half[3], radius;
} local_extent;

/* mo_convex_bounds of a ball or a box on one axis, in double precision with a bound of the error.
 * This suffices for nearly all inputs; false if the result might differ from mo_convex_bounds. */
static bool quick_extent(float origin, const float row[3], const local_extent *local, float *lower,
                         float *upper) {
  const float *center = local->center, *half = local->half;
  float radius = local->radius;
  double terms[3], widths[3];
  for (int i = 0; i < 3; i++) {
    terms[i] = (double)row[i] * (double)center[i];
    widths[i] = fabs((double)row[i] * (double)half[i]);
  }
  double extent = widths[0] + widths[1] + widths[2];
  double magnitude = fabs((double)origin) + fabs(terms[0]) + fabs(terms[1]) + fabs(terms[2]);
  double middle = (double)origin + terms[0] + terms[1] + terms[2];
  if ((row[0] != 0) + (row[1] != 0) + (row[2] != 0) <= 1) {
    if (radius > 0) {
      extent = fabs((double)radius * ((double)row[0] + (double)row[1] + (double)row[2]));
    }
    return magnitude + extent < (double)MO_MAX_COORDINATE &&
           plain_extent(origin, terms[0] + terms[1] + terms[2], extent, lower, upper);
  }
  if (radius > 0) {
    double x = row[0], y = row[1], z = row[2];
    extent = (double)radius * sqrt(x * x + y * y + z * z);
  }
  /* About a dozen operations round, each by up to 2^-53 of the largest term. */
  double error = (magnitude + extent) * 0x1p-48;
  float negative;
  bool low = round_down(middle - extent, error, lower);
  bool high = round_down(-middle - extent, error, &negative);
  *upper = -negative;
  return low && high && magnitude + extent < (double)MO_MAX_COORDINATE;
}

static bool quick_bounds(const mo_transform *map, mo_vec3 center, mo_vec3 half, float radius,
                         mo_aabb *box) {
  const local_extent local = {{center.x, center.y, center.z}, {half.x, half.y, half.z}, radius};
  const float x[3] = {map->x_axis.x, map->y_axis.x, map->z_axis.x};
  const float y[3] = {map->x_axis.y, map->y_axis.y, map->z_axis.y};
  const float z[3] = {map->x_axis.z, map->y_axis.z, map->z_axis.z};
  return quick_extent(map->origin.x, x, &local, &box->lower.x, &box->upper.x) &&
         quick_extent(map->origin.y, y, &local, &box->lower.y, &box->upper.y) &&
         quick_extent(map->origin.z, z, &local, &box->lower.z, &box->upper.z);
}

/* Rays are found in local space to within roundings of the distance from the transform's origin;
 * the margin of rays in the world (MO_SCENE_RAY_MARGIN) covers that for an origin not much farther
 * from that of the world than the shape is. Where it is farther, the box makes up for it. */
MO_INLINE mo_aabb with_ray_widening(mo_aabb box, mo_vec3 origin) {
  float excess = mo_largest(origin) - 2 * mo_largest(mo_aabb_reach(box));
  if (!(excess > 0)) {
    return box;
  }
  float widening = 0x1p-14f * excess;
  mo_vec3 widenings = mo_vec(widening, widening, widening);
  return (mo_aabb){mo_sub(box.lower, widenings), mo_add(box.upper, widenings)};
}

mo_aabb mo_centred_bounds(const mo_geometry *geometry, mo_vec3 place) {
  mo_vec3 half = geometry->box.half_extents;
  if (geometry->type == MO_SHAPE_SPHERE) {
    float radius = geometry->sphere.radius;
    half = mo_vec(radius, radius, radius);
  }
  mo_f4 center = mo_f4_from(&place, 0), extent = mo_f4_from(&half, 0);
  mo_f4 upper = mo_f4_add_upward(center, extent), lower = -mo_f4_add_upward(-center, extent);
  return (mo_aabb){mo_vec(lower[0], lower[1], lower[2]), mo_vec(upper[0], upper[1], upper[2])};
}

/* The box of what fills some, if it is in range. */
MO_INLINE mo_result take_bounds(mo_aabb box, mo_aabb *bounds) {
  if (!mo_is_in_range(box.lower) || !mo_is_in_range(box.upper)) {
    return MO_ERROR_OUT_OF_RANGE;
  }
  *bounds = box;
  return MO_OK;
}

/* By itself, so that its box stays in registers. */
static mo_result mesh_bounds(const mo_mesh *mesh, const mo_affine *affine, mo_aabb *bounds) {
  mo_vec3 origin = affine->to_world.origin;
  if (mo_aabb_is_empty(mesh->bounds)) {
    /* A mesh without triangles is nowhere; as it needs a place, that is where its frame is. */
    return take_bounds(with_ray_widening((mo_aabb){origin, origin}, origin), bounds);
  }
  return take_bounds(with_ray_widening(mo_mesh_image_bounds(mesh, affine), origin), bounds);
}

static mo_aabb solid_bounds(const mo_geometry *geometry, const mo_transform *map) {
  mo_solid_kind kind = mo_solid_kind_of(geometry->type);
  mo_block block;
  mo_aabb box;
  if (mo_solid_block(kind, geometry, &block) &&
      quick_bounds(map, block.center, block.half_extents, block.radius, &box)) {
    return box;
  }
  mo_solid solid = mo_solid_read(kind, geometry);
  mo_convex convex = mo_convex_make(&solid, map);
  return mo_convex_bounds(&convex);
}

mo_result mo_geometry_bounds(const mo_geometry *geometry, const mo_affine *affine,
                             mo_aabb *bounds) {
  const mo_transform *map = &affine->to_world;
  if (mo_geometry_is_centred(geometry) && mo_is_axis_aligned(map) && mo_is_safe(map->origin) &&
      mo_geometry_reach(geometry) <= MO_SAFE_REACH) {
    *bounds = mo_centred_bounds(geometry, map->origin);
    return MO_OK;
  }
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return mesh_bounds(geometry->mesh, affine, bounds);
  case MO_SHAPE_VOLUME:
    return take_bounds(mo_affine_aabb_to_world(affine, geometry->volume), bounds);
    MO_CASES_OF_SOLIDS {
      return take_bounds(with_ray_widening(solid_bounds(geometry, map), map->origin), bounds);
    }
  }
  __builtin_unreachable();
}

float mo_geometry_reach(const mo_geometry *geometry) {
  switch (geometry->type) {
  case MO_SHAPE_MESH: {
    mo_aabb box = mo_mesh_bounds(geometry->mesh);
    return mo_aabb_is_empty(box) ? 0 : mo_largest(mo_aabb_reach(box));
  }
  case MO_SHAPE_VOLUME:
    return mo_largest(mo_aabb_reach(geometry->volume));
    MO_CASES_OF_SOLIDS {
      return mo_solid_reach(mo_solid_kind_of(geometry->type), geometry);
    }
  }
  __builtin_unreachable();
}

bool mo_geometry_is_small(const mo_geometry *geometry) {
  bool grows = geometry->type == MO_SHAPE_MESH && geometry->mesh->deformation;
  return !grows && mo_geometry_reach(geometry) <= MO_SAFE_REACH;
}

mo_result mo_margin_check(float margin, const mo_refusal *refusal) {
  return mo_check_size(margin, MO_SAFE_REACH, refusal, ".margin");
}

mo_fat_bounds mo_bounds_fatten(const mo_aabb *box, mo_vec3 motion, float margin,
                               const mo_aabb *stored) {
  /* Lower sides are negated, so that all sums round the same way. */
  mo_f4 zero = mo_f4_all(0), along = mo_f4_from(&motion, 0);
  mo_f4 lower = mo_f4_add_upward(-mo_f4_from(&box->lower, 0), mo_f4_max(-along, zero));
  mo_f4 upper = mo_f4_add_upward(mo_f4_from(&box->upper, 0), mo_f4_max(along, zero));
  if (stored) {
    mo_f4 most = mo_f4_all((float)MO_FAT_MARGINS * margin);
    mo_f4 below = -mo_f4_from(&stored->lower, 0), above = mo_f4_from(&stored->upper, 0);
    if (mo_f4_every((below >= lower) & (above >= upper) & (below <= mo_f4_add_upward(lower, most)) &
                    (above <= mo_f4_add_upward(upper, most)))) {
      return (mo_fat_bounds){*stored, true};
    }
  }
  lower = -mo_f4_add_upward(lower, mo_f4_all(margin));
  upper = mo_f4_add_upward(upper, mo_f4_all(margin));
  return (mo_fat_bounds){{mo_f4_vec(lower), mo_f4_vec(upper)}, false};
}
