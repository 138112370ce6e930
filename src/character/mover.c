/* Sets up the state of a moving character, and moves it up to the first obstacle. */
#include "character/mover.h"

#include "geometry/body/body.h"
#include "math/angle.h"
#include "math/check.h"
#include "mesh/query.h"

/* Fractions of the length of a movement, and of the skin. A movement counts as approaching a
 * surface only if it leads into the surface by more than the lesser of these two distances, which
 * exceed the rounding errors of normals and movements (floats). */
static const double min_approach_per_length = 1e-5, min_approach_per_skin = 1.0 / 64.0;
/* Fraction of the skin: movements towards an obstacle that are shorter are not made, so that a
 * character at rest stays where it is. */
static const double min_move_per_skin = 1.0 / 16.0;
/* Fraction of the skin: the gap that is left where the unrounded shape meets an obstacle that the
 * rounded shape overlaps already. */
static const double unrounded_gap_per_skin = 0.25;
/* A transform scales evenly, so that the rounding stays a ball, if the bounds of its least and its
 * greatest scale differ by at most this fraction. This is so for axes that are perpendicular and of
 * equal length but for float rounding. */
static const double even_scale_tolerance = 3e-5;

/* A lower bound for the scale of a transform in any direction (its smallest singular value); exact
 * if the axes stay perpendicular. */
static double min_scale(const mo_transform *t) {
  const mo_dvec3 axis[3] = {mo_widen(t->x_axis), mo_widen(t->y_axis), mo_widen(t->z_axis)};
  double sum = 0.0, min = INFINITY, beside = 0.0;
  for (int i = 0; i < 3; ++i) {
    double square = mo_ddot(axis[i], axis[i]);
    sum += square;
    min = fmin(min, square);
    beside = fmax(beside, fabs(mo_ddot(axis[i], axis[(i + 1) % 3])));
  }
  if (beside <= 1e-5 * min) {
    return sqrt(min) * (1.0 - 1e-5);
  }
  /* the least singular value is the determinant divided by the product of the other two */
  return fabs(mo_ddot(mo_dcross(axis[0], axis[1]), axis[2])) / (0.5 * sum);
}

/* An upper bound for the scale of a transform in any direction: Gershgorin's bound of the squared
 * singular values. */
static double max_scale(const mo_transform *t) {
  const mo_dvec3 x = mo_widen(t->x_axis), y = mo_widen(t->y_axis), z = mo_widen(t->z_axis);
  const double xy = fabs(mo_ddot(x, y)), xz = fabs(mo_ddot(x, z)), yz = fabs(mo_ddot(y, z));
  const double of_x = mo_ddot(x, x) + xy + xz, of_y = mo_ddot(y, y) + xy + yz,
               of_z = mo_ddot(z, z) + xz + yz;
  return sqrt(fmax(of_x, fmax(of_y, of_z)));
}

/* Converts the primitive to a convex shape that can be rounded. */
static mo_result to_roundable_shape(const mo_primitive *from, const mo_refusal *refusal,
                                    mo_primitive *to) {
  *to = *from;
  switch (from->type) {
  case MO_PRIMITIVE_TRIANGLE:
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".type is MO_PRIMITIVE_TRIANGLE");
  case MO_PRIMITIVE_HALF_SPACE:
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".type is MO_PRIMITIVE_HALF_SPACE");
  case MO_PRIMITIVE_POINT:
    to->geometry = (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {from->points[0], 0.0f}};
    break;
  case MO_PRIMITIVE_SEGMENT:
    to->geometry = (mo_geometry){.type = MO_SHAPE_CAPSULE,
                                 .capsule = {from->points[0], from->points[1], 0.0f}};
    break;
  case MO_PRIMITIVE_GEOMETRY:
    if (from->geometry.type == MO_SHAPE_HALF_SPACE) {
      return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".geometry.type is MO_SHAPE_HALF_SPACE");
    }
    if (from->geometry.type == MO_SHAPE_VOLUME) {
      mo_affine affine;
      mo_result result = mo_affine_init(&affine, &from->transform);
      if (result != MO_OK) {
        return result;
      }
      mo_aabb box = mo_affine_aabb_to_world(&affine, from->geometry.volume);
      mo_vec3 half = mo_scale(0.5f, mo_sub(box.upper, box.lower));
      to->transform = mo_transform_identity();
      to->transform.origin = from->transform.origin;
      mo_vec3 middle = mo_sub(mo_add(box.lower, half), from->transform.origin);
      to->geometry = (mo_geometry){.type = MO_SHAPE_BOX, .box = {middle, half}};
    }
  }
  to->type = MO_PRIMITIVE_GEOMETRY;
  return MO_OK;
}

static mo_result check_numbers(const mo_character_def *def, const mo_refusal *refusal) {
  mo_result result = mo_check_point(def->displacement, refusal, ".displacement");
  if (result == MO_OK) {
    result = mo_check_finite(def->up, refusal, ".up");
  }
  if (result == MO_OK && def->up.x == 0.0f && def->up.y == 0.0f && def->up.z == 0.0f) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".up is zero");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->skin, MO_MAX_COORDINATE, refusal, ".skin");
  }
  if (result == MO_OK && def->skin == 0.0f) {
    result = mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT, ".skin is zero");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->slope_limit, MO_MAX_COORDINATE, refusal, ".slope_limit");
  }
  if (result == MO_OK && def->slope_limit > 1.5707964f) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".slope_limit",
                              (double)def->slope_limit, "above half of pi");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->step_height, MO_MAX_COORDINATE, refusal, ".step_height");
  }
  if (result == MO_OK) {
    result = mo_check_size(def->snap_distance, MO_MAX_COORDINATE, refusal, ".snap_distance");
  }
  if (result == MO_OK && def->touch_capacity > 0 && def->touches == NULL) {
    result = mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, ".touches is null");
  }
  return result;
}

static void set_cast(mo_character_mover *mover, const mo_character_def *def) {
  mo_shape_cast_def *cast = &mover->cast;
  *cast = mo_default_shape_cast_def();
  cast->options.hit_volumes = def->hit_volumes;
  cast->options.filter = def->filter;
  cast->options.ignore_triangle_shape = def->ignore_triangle_shape;
  cast->options.ignore_triangle_child = def->ignore_triangle_child;
  cast->options.ignore_triangle = def->ignore_triangle;
  cast->options.accept_triangle = def->accept_triangle;
  cast->options.accept_context = def->accept_context;
}

mo_result mo_mover_init(mo_character_mover *mover, const mo_scene *scene,
                        const mo_character_def *def, const mo_refusal *refusal,
                        mo_query_stats *stats) {
  mo_result result = mo_check_cookie(def->cookie, refusal, "", "mo_default_character_def");
  if (result == MO_OK) {
    result = mo_check_filter(&def->filter, refusal, ".filter");
  }
  mo_refusal member = mo_refusal_in(refusal, ".primitive", MO_NO_INDEX);
  mo_prepared_primitive prepared;
  if (result == MO_OK) {
    result = mo_primitive_prepare(&prepared, &def->primitive, &member);
  }
  if (result == MO_OK) {
    result = check_numbers(def, refusal);
  }
  if (result != MO_OK) {
    return result;
  }
  *mover = (mo_character_mover){.scene = scene, .def = def, .stats = stats};
  set_cast(mover, def);
  mo_primitive *shape = &mover->cast.primitive;
  result = to_roundable_shape(&def->primitive, &member, shape);
  double scale = min_scale(&shape->transform);
  if (result == MO_OK && !(scale > 0.0)) {
    result = mo_refuse(&member, MO_ERROR_INVALID_ARGUMENT, ".transform flattens it");
  }
  if (result != MO_OK) {
    return result;
  }
  mo_vec3 reach = mo_aabb_max_coordinates(mo_body_bounds(&prepared.body));
  double max = mo_max_magnitude(reach) + mo_sum_of_magnitudes(mo_widen(def->displacement)) +
               (double)def->step_height + (double)def->snap_distance;
  mover->skin = fmax(def->skin, 0x1p-18 * max);
  if (max + 4.0 * mover->skin > (double)MO_MAX_COORDINATE) {
    return mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE, " leads beyond MO_MAX_COORDINATE");
  }
  mo_dvec3 up = mo_widen(def->up);
  mover->up = mo_dscale(1.0 / mo_dlength(up), up);
  double sine, cosine;
  mo_sin_cos((double)def->slope_limit, &sine, &cosine);
  mover->min_walkable_cosine = cosine - 1e-6;
  mo_dvec3 lowest = mo_convex_support(&prepared.body.convex, mo_dscale(-1.0, mover->up));
  mover->bottom_height = mo_ddot(mo_dsub(lowest, mo_widen(shape->transform.origin)), mover->up);
  mover->rounding_is_ellipsoid =
      max_scale(&shape->transform) > (1.0 + even_scale_tolerance) * scale;
  mover->rounding = shape->geometry.rounding;
  shape->geometry.rounding += (float)(0.5 * mover->skin / scale);
  return mo_primitive_prepare(&prepared, shape,
                              &member); /* the rounded shape may be out of range */
}

bool mo_mover_cast(mo_character_mover *mover, mo_dvec3 displacement, mo_cast_hit *hit) {
  mo_shape_cast_def *cast = &mover->cast;
  cast->displacement = mo_narrow(displacement);
  cast->options.min_approach = (float)fmin(min_approach_per_length * mo_dlength(displacement),
                                           min_approach_per_skin * mover->skin);
  /* a cast that fails, as it would leave the range of coordinates, blocks the movement */
  if (mo_scene_cast_shape(mover->scene, cast, hit, mover->stats) != MO_OK) {
    *hit = (mo_cast_hit){.found = true, .triangle = MO_NO_TRIANGLE};
    hit->normal = mo_narrow(mo_dscale(-1.0 / mo_dlength(displacement), displacement));
  }
  return hit->found;
}

static void record_touched_obstacle(mo_character_mover *mover, const mo_cast_hit *hit) {
  for (uint32_t i = 0; i < mover->touch_count; ++i) {
    const mo_character_touch *touch = &mover->touches[i];
    if (touch->shape.index == hit->shape.index && touch->child == hit->child &&
        touch->triangle == hit->triangle) {
      return;
    }
  }
  if (hit->shape.generation != 0 && mover->touch_count < MO_CHARACTER_MAX_TOUCHES) {
    mover->touches[mover->touch_count++] = (mo_character_touch){
        hit->shape, hit->child, hit->user_data, hit->triangle, hit->triangle_user_data,
        hit->point, hit->normal};
  }
}

/* The fraction of the movement `displacement` after which the distance to the obstacle `hit` is
 * `gap`. */
static double fraction_before_contact(const mo_character_mover *mover, mo_dvec3 displacement,
                                      const mo_cast_hit *hit, double gap) {
  double approach = -mo_ddot(mo_widen(hit->normal), displacement);
  double left = (double)hit->t - gap / approach;
  return left * mo_dlength(displacement) >= min_move_per_skin * mover->skin ? left : 0.0;
}

mo_shape_cast_def mo_mover_unrounded_cast(const mo_character_mover *mover) {
  mo_shape_cast_def cast = mover->cast;
  cast.primitive.geometry.rounding = mover->rounding;
  cast.displacement = mo_vec(0.0f, 0.0f, 0.0f);
  cast.options.min_approach = -1.0f;
  return cast;
}

/* Casts the unrounded shape along the fraction `share` of `displacement`, and shortens `share` to
 * the first obstacle, which `hit` receives. Returns whether there is an obstacle. */
static bool shorten_by_unrounded_cast(mo_character_mover *mover, mo_dvec3 displacement,
                                      mo_cast_hit *hit, double *share) {
  const mo_dvec3 part = mo_dscale(*share, displacement);
  mo_shape_cast_def cast = mo_mover_unrounded_cast(mover);
  mo_cast_hit met;
  cast.displacement = mo_narrow(part);
  cast.options.min_approach = mover->cast.options.min_approach;
  if (mo_scene_cast_shape(mover->scene, &cast, &met, mover->stats) != MO_OK || !met.found) {
    return false;
  }
  *share *= fraction_before_contact(mover, part, &met, unrounded_gap_per_skin * mover->skin);
  *hit = met;
  return true;
}

bool mo_mover_advance(mo_character_mover *mover, mo_dvec3 displacement, mo_cast_hit *hit,
                      double *share) {
  bool met = mo_mover_cast(mover, displacement, hit);
  *share = met ? fraction_before_contact(mover, displacement, hit, 0.5 * mover->skin) : 1.0;
  if (mover->rounding_is_ellipsoid && *share > 0.0) {
    met = shorten_by_unrounded_cast(mover, displacement, hit, share) || met;
  }
  if (met) {
    record_touched_obstacle(mover, hit);
  }
  if (*share > 0.0) {
    mo_vec3 *origin = &mover->cast.primitive.transform.origin;
    *origin = mo_narrow(mo_dadd(mo_widen(*origin), mo_dscale(*share, displacement)));
  }
  return met;
}
