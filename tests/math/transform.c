/* The public functions of motte/math.h. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/affine.h"
#include "support/rng.h"

static void check_near(mo_vec3 a, mo_vec3 b, float tolerance) {
  cr_assert(fabsf(a.x - b.x) <= tolerance && fabsf(a.y - b.y) <= tolerance &&
                fabsf(a.z - b.z) <= tolerance,
            "(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)b.x,
            (double)b.y, (double)b.z);
}

Test(transform, identity_leaves_points_where_they_are) {
  mo_transform t = mo_transform_identity();
  mo_vec3 p = mo_transform_point(&t, mo_vec(1.25f, -2, 3));
  cr_assert(p.x == 1.25f && p.y == -2 && p.z == 3);
}

Test(transform, scales_then_rotates_then_translates) {
  /* A quarter turn about z takes x to y. */
  float h = sqrtf(0.5f);
  mo_transform t = mo_transform_make(mo_vec(10, 20, 30), (mo_quat){0, 0, h, h}, mo_vec(2, 3, 4));
  check_near(mo_transform_point(&t, mo_vec(1, 0, 0)), mo_vec(10, 22, 30), 1e-6f);
  check_near(mo_transform_point(&t, mo_vec(0, 1, 0)), mo_vec(7, 20, 30), 1e-6f);
  check_near(mo_transform_point(&t, mo_vec(0, 0, 1)), mo_vec(10, 20, 34), 1e-6f);
  check_near(mo_transform_direction(&t, mo_vec(1, 0, 0)), mo_vec(0, 2, 0), 1e-6f);
}

Test(transform, quaternions_are_normalised_on_use) {
  static const float factors[] = {1, 3, 1e-20f, 1e-37f, 1e18f, 1e38f};
  mo_quat q = {0.5f, -0.5f, 0.5f, 0.5f};
  mo_transform expected = mo_transform_make(mo_vec(0, 0, 0), q, mo_vec(1, 1, 1));
  for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
    float f = factors[i];
    mo_quat scaled = {f * q.x, f * q.y, f * q.z, f * q.w};
    mo_transform t = mo_transform_make(mo_vec(0, 0, 0), scaled, mo_vec(1, 1, 1));
    check_near(t.x_axis, expected.x_axis, 1e-6f);
    check_near(t.y_axis, expected.y_axis, 1e-6f);
    check_near(t.z_axis, expected.z_axis, 1e-6f);
  }
}

Test(transform, a_zero_quaternion_rotates_nothing) {
  mo_transform t = mo_transform_make(mo_vec(1, 2, 3), (mo_quat){0, 0, 0, 0}, mo_vec(2, 2, 2));
  check_near(t.x_axis, mo_vec(2, 0, 0), 0);
  check_near(t.y_axis, mo_vec(0, 2, 0), 0);
  check_near(t.z_axis, mo_vec(0, 0, 2), 0);
  check_near(t.origin, mo_vec(1, 2, 3), 0);
}

Test(transform, from_matrix_takes_any_alignment) {
  unsigned char bytes[17 * sizeof(float)];
  float matrix[16] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 1};
  for (size_t offset = 0; offset < sizeof(float); offset += 1) {
    memcpy(bytes + offset, matrix, sizeof matrix);
    float copy[16];
    memcpy(copy, bytes + offset, sizeof copy);
    mo_transform t;
    cr_assert_eq(mo_transform_from_matrix(copy, &t), MO_OK);
    check_near(t.x_axis, mo_vec(1, 2, 3), 0);
    check_near(t.y_axis, mo_vec(4, 5, 6), 0);
    check_near(t.z_axis, mo_vec(7, 8, 9), 0);
    check_near(t.origin, mo_vec(10, 11, 12), 0);
  }
  /* An odd float of an array: less aligned than cglm's mat4 wants. */
  float array[17] = {0};
  memcpy(array + 1, matrix, sizeof matrix);
  mo_transform t;
  mo_plane planes[6];
  cr_assert_eq(mo_transform_from_matrix(array + 1, &t), MO_OK);
  cr_assert_eq(mo_frustum_planes(array + 1, planes), MO_OK);
}

Test(transform, from_matrix_refuses_what_is_not_affine) {
  float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  mo_transform t = {.origin = {7, 7, 7}};
  cr_assert_eq(mo_transform_from_matrix(NULL, &t), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_transform_from_matrix(identity, NULL), MO_ERROR_NULL_ARGUMENT);
  for (int i = 0; i < 16; i++) {
    float m[16];
    memcpy(m, identity, sizeof m);
    m[i] = NAN;
    cr_assert_eq(mo_transform_from_matrix(m, &t), MO_ERROR_NOT_FINITE);
    m[i] = -INFINITY;
    cr_assert_eq(mo_transform_from_matrix(m, &t), MO_ERROR_NOT_FINITE);
  }
  for (int i = 3; i < 16; i += 4) {
    float m[16];
    memcpy(m, identity, sizeof m);
    m[i] += 0.5f;
    cr_assert_eq(mo_transform_from_matrix(m, &t), MO_ERROR_PROJECTIVE_MATRIX);
  }
  cr_assert_eq(t.origin.x, 7, "outputs of a failed call are not written");
}

Test(transform, compose_is_inner_first) {
  rng r = rng_make(rng_seed("compose", 3));
  for (int i = 0; i < 1000; i++) {
    mo_transform outer = rng_transform(&r, RNG_NONUNIFORM_SCALE, 10);
    mo_transform inner = rng_transform(&r, RNG_SHEAR, 10);
    mo_transform both = mo_transform_compose(&outer, &inner);
    mo_vec3 p = rng_vec3(&r, -2, 2);
    check_near(mo_transform_point(&both, p),
               mo_transform_point(&outer, mo_transform_point(&inner, p)), 1e-3f);
  }
}

Test(transform, point_is_what_shapes_use) {
  rng r = rng_make(rng_seed("point", 4));
  for (int i = 0; i < 1000; i++) {
    mo_transform t = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS), 10);
    mo_affine affine;
    cr_assert_eq(mo_affine_init(&affine, &t), MO_OK);
    mo_vec3 p = rng_vec3(&r, -2, 2);
    check_near(mo_transform_point(&t, p), mo_affine_point_to_world_float(&affine, p), 0);
  }
}

typedef long double wide3[3];

static void widen(mo_vec3 v, wide3 out) {
  out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

static void wide_cross(const wide3 a, const wide3 b, wide3 out) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static long double wide_dot(const wide3 a, const wide3 b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Against the definition in long double: half a step of a float, and what double precision loses.
 */
static void check_inverse(const mo_transform *t, const mo_transform *inverse) {
  wide3 axes[3], origin;
  widen(t->x_axis, axes[0]);
  widen(t->y_axis, axes[1]);
  widen(t->z_axis, axes[2]);
  widen(t->origin, origin);
  for (int i = 0; i < 3; i++) {
    wide3 row;
    wide_cross(axes[(i + 1) % 3], axes[(i + 2) % 3], row);
    long double determinant = wide_dot(row, axes[i]), max = 0;
    for (int k = 0; k < 3; k++) {
      row[k] /= determinant;
      max += fabsl(row[k] * origin[k]);
      float found = mo_get(k == 0   ? inverse->x_axis
                           : k == 1 ? inverse->y_axis
                                    : inverse->z_axis,
                           i);
      cr_assert(fabsl(found - row[k]) <= 0x1.00001p-24L * fabsl(row[k]) + 0x1p-149L,
                "%a is not %La", (double)found, row[k]);
    }
    long double back = -wide_dot(row, origin);
    cr_assert(fabsl(mo_get(inverse->origin, i) - back) <=
                  0x1.00001p-24L * fabsl(back) + 0x1p-45L * max + 0x1p-149L,
              "%a is not %La", (double)mo_get(inverse->origin, i), back);
  }
}

Test(transform, inverse_is_rounded_once) {
  rng r = rng_make(rng_seed("inverse", 6));
  uint32_t inverted = 0;
  for (int i = 0; i < 4000; i++) {
    float far = i % 4 == 0 ? 1e6f : 10;
    mo_transform t = rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TRANSFORM_KINDS), far);
    float size = exp2f(rng_float(&r, -20, 20));
    t.x_axis = mo_scale(size, t.x_axis);
    if (i % 2) {
      t.y_axis = mo_scale(size, t.y_axis);
      t.z_axis = mo_scale(size, t.z_axis);
    }
    mo_transform inverse = {.origin = {7, 7, 7}};
    mo_result result = mo_transform_inverse(&t, &inverse);
    if (result == MO_OK) {
      check_inverse(&t, &inverse);
      inverted++;
    } else {
      cr_assert(result == MO_ERROR_INVALID_ARGUMENT || result == MO_ERROR_OUT_OF_RANGE);
      cr_assert_eq(inverse.origin.x, 7);
    }
  }
  cr_assert_gt(inverted, 2000);
}

/* Whatever rounds in the columns of a singular map, the map is found to be one. */
Test(transform, inverse_of_what_is_flat_is_refused) {
  rng r = rng_make(rng_seed("flat", 7));
  for (int i = 0; i < 4000; i++) {
    mo_transform t = mo_transform_identity(), inverse;
    /* Whole numbers, so that the sum is exact. */
    float a = (float)(int)rng_below(&r, 2000) - 1000, b = (float)(int)rng_below(&r, 2000) - 1000;
    mo_vec3 p = {floorf(rng_float(&r, -999, 999)), floorf(rng_float(&r, -999, 999)),
                 floorf(rng_float(&r, -999, 999))};
    mo_vec3 q = {floorf(rng_float(&r, -999, 999)), floorf(rng_float(&r, -999, 999)),
                 floorf(rng_float(&r, -999, 999))};
    float size = exp2f((float)(int)rng_below(&r, 120) - 60);
    t.x_axis = mo_scale(size, p);
    t.y_axis = mo_scale(size, q);
    t.z_axis = mo_scale(size, mo_add(mo_scale(a, p), mo_scale(b, q)));
    cr_assert_eq(mo_transform_inverse(&t, &inverse), MO_ERROR_INVALID_ARGUMENT);
  }
}

Test(transform, inverse_by_hand) {
  mo_transform t = mo_transform_identity(), inverse;
  cr_assert_eq(mo_transform_inverse(&t, &inverse), MO_OK);
  cr_assert(memcmp(&t, &inverse, sizeof t) == 0, "with zeros that are positive");
  t = (mo_transform){{0, 2, 0}, {0, 0, -4}, {8, 0, 0}, {1, 2, 3}};
  const mo_transform back = {{0, 0, 0.125f}, {0.5f, 0, 0}, {0, -0.25f, 0}, {-1, 0.75f, -0.125f}};
  cr_assert_eq(mo_transform_inverse(&t, &inverse), MO_OK);
  check_near(inverse.x_axis, back.x_axis, 0);
  check_near(inverse.y_axis, back.y_axis, 0);
  check_near(inverse.z_axis, back.z_axis, 0);
  check_near(inverse.origin, back.origin, 0);
  cr_assert_eq(mo_transform_inverse(&t, &t), MO_OK, "in place");
  check_near(t.origin, back.origin, 0);
  t = mo_transform_identity();
  t.x_axis.x = 1e-31f;
  cr_assert_eq(mo_transform_inverse(&t, &inverse), MO_ERROR_OUT_OF_RANGE);
  t.x_axis.x = 1e-20f;
  t.origin.x = 1e20f;
  cr_assert_eq(mo_transform_inverse(&t, &inverse), MO_ERROR_OUT_OF_RANGE);
  t.x_axis.x = NAN;
  cr_assert_eq(mo_transform_inverse(&t, &inverse), MO_ERROR_NOT_FINITE);
  check_near(inverse.origin, back.origin, 0);
}

static double plane_value(mo_plane plane, mo_vec3 p) {
  return mo_ddot(mo_widen(plane.normal), mo_widen(p)) + (double)plane.offset;
}

Test(transform, frustum_planes_of_a_perspective) {
  /* OpenGL's matrix for a square view of 90 degrees from 1 to 10, looking along -z. */
  float near = 1, far = 10;
  float m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0};
  m[10] = (far + near) / (near - far);
  m[14] = 2 * far * near / (near - far);
  mo_plane planes[6];
  cr_assert_eq(mo_frustum_planes(m, planes), MO_OK);
  mo_vec3 inside = {0, 0, -5};
  for (int i = 0; i < 6; i++) {
    cr_assert_gt(plane_value(planes[i], inside), 0);
  }
  /* Left, right, bottom, top, near, far. */
  const mo_vec3 outside[6] = {{-6, 0, -5}, {6, 0, -5},    {0, -6, -5},
                              {0, 6, -5},  {0, 0, -0.5f}, {0, 0, -11}};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      cr_assert_eq(plane_value(planes[k], outside[i]) < 0, i == k, "point %d, plane %d", i, k);
    }
  }
}

/* Points just before and just behind each side of a frustum, all over the side. */
Test(transform, frustum_planes_are_where_the_sides_are) {
  rng r = rng_make(rng_seed("frustum", 5));
  for (int round = 0; round < 400; round++) {
    float near = rng_float(&r, 0.1f, 2), far = near * rng_float(&r, 2, 100);
    float width = rng_float(&r, 0.2f, 3), height = rng_float(&r, 0.2f, 3); /* at distance 1 */
    float m[16] = {1 / width, 0, 0, 0, 0, 1 / height, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0};
    m[10] = (far + near) / (near - far);
    m[14] = 2 * far * near / (near - far);
    mo_plane planes[6];
    cr_assert_eq(mo_frustum_planes(m, planes), MO_OK);
    for (int side = 0; side < 6; side++) {
      /* In units of the frustum's half width, half height, and distance from the eye. */
      float x = rng_float(&r, -0.9f, 0.9f), y = rng_float(&r, -0.9f, 0.9f);
      float distance = near + (far - near) * rng_float(&r, 0.1f, 0.9f);
      for (int outside = 0; outside < 2; outside++) {
        float by = outside ? 1e-3f : -1e-3f, sign = side % 2 ? 1.0f : -1.0f;
        float at[3] = {x, y, distance};
        if (side < 4) {
          at[side / 2] = sign * (1 + by);
        } else {
          at[2] = side == 4 ? near * (1 - by) : far * (1 + by);
        }
        mo_vec3 p = {at[0] * width * at[2], at[1] * height * at[2], -at[2]};
        for (int k = 0; k < 6; k++) {
          cr_assert_eq(plane_value(planes[k], p) < 0, outside && k == side,
                       "plane %d of (%g, %g, %g) from %g to %g", k, (double)p.x, (double)p.y,
                       (double)p.z, (double)near, (double)far);
        }
      }
    }
  }
}

Test(transform, frustum_planes_refuse_bad_input) {
  float m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  mo_plane planes[6] = {{{5, 5, 5}, 5}};
  cr_assert_eq(mo_frustum_planes(NULL, planes), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_frustum_planes(m, NULL), MO_ERROR_NULL_ARGUMENT);
  m[5] = NAN;
  cr_assert_eq(mo_frustum_planes(m, planes), MO_ERROR_NOT_FINITE);
  m[5] = FLT_MAX;
  m[7] = FLT_MAX;
  cr_assert_eq(mo_frustum_planes(m, planes), MO_ERROR_NOT_FINITE, "sums of rows overflow");
  cr_assert_eq(planes[0].offset, 5);
}

/* The matrix of a perspective as seen from a place that is turned. */
static void some_perspective(rng *r, float m[16], mo_transform *camera, float half[2],
                             float range[2]) {
  float near = rng_float(r, 0.1f, 2), far = near * rng_float(r, 2, 100);
  half[0] = rng_float(r, 0.2f, 3), half[1] = rng_float(r, 0.2f, 3); /* at distance 1 */
  range[0] = near, range[1] = far;
  *camera = rng_transform(r, RNG_RIGID, 10);
  mo_transform view;
  cr_assert_eq(mo_transform_inverse(camera, &view), MO_OK);
  const mo_vec3 columns[4] = {view.x_axis, view.y_axis, view.z_axis, view.origin};
  for (int i = 0; i < 4; i++) {
    mo_vec3 c = columns[i];
    m[4 * i] = c.x / half[0];
    m[4 * i + 1] = c.y / half[1];
    m[4 * i + 2] = (far + near) / (near - far) * c.z + (i == 3 ? 2 * far * near / (near - far) : 0);
    m[4 * i + 3] = -c.z;
  }
}

Test(transform, frustum_corners_are_where_planes_meet) {
  rng r = rng_make(rng_seed("corners", 8));
  for (int round = 0; round < 400; round++) {
    float m[16], half[2], range[2];
    mo_transform camera;
    some_perspective(&r, m, &camera, half, range);
    mo_vec3 corners[8];
    cr_assert_eq(mo_frustum_corners(m, corners), MO_OK);
    for (int i = 0; i < 8; i++) {
      float away = range[i >> 2 & 1];
      mo_vec3 local = {(i & 1 ? 1.0f : -1.0f) * half[0] * away,
                       (i & 2 ? 1.0f : -1.0f) * half[1] * away, -away};
      /* What the matrix is off by rounding grows with the distance, and more with far / near. */
      check_near(corners[i], mo_transform_point(&camera, local),
                 1e-5f * (10 + 4 * away * (1 + range[1] / range[0])));
    }
  }
  /* Numbers that do not round: a box of clip space that is a box of the world. */
  const float ortho[16] = {0.5f, 0, 0, 0, 0, 0.25f, 0, 0, 0, 0, -1, 0, 1, 0, 0, 1};
  mo_vec3 corners[8];
  cr_assert_eq(mo_frustum_corners(ortho, corners), MO_OK);
  for (int i = 0; i < 8; i++) {
    check_near(corners[i], mo_vec(i & 1 ? 0 : -4, i & 2 ? 4 : -4, i & 4 ? -1 : 1), 0);
  }
}

Test(transform, frustum_corners_refuse_bad_input) {
  float m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -2, 0}; /* without a far end */
  mo_vec3 corners[8] = {{7, 7, 7}};
  cr_assert_eq(mo_frustum_corners(NULL, corners), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_frustum_corners(m, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_frustum_corners(m, corners), MO_ERROR_INVALID_ARGUMENT);
  const float large[16] = {1e-31f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  cr_assert_eq(mo_frustum_corners(large, corners), MO_ERROR_OUT_OF_RANGE);
  m[9] = NAN;
  cr_assert_eq(mo_frustum_corners(m, corners), MO_ERROR_NOT_FINITE);
  cr_assert_eq(corners[0].x, 7);
}

/* Axes of large whole numbers, the third of which is a sum of multiples of the others: the
 * determinant is 0 exactly, though not as computed in double. */
Test(transform, no_inverse_of_singular_maps) {
  rng r = rng_make(rng_seed("transform/singular", 12));
  for (int i = 0; i < 2000; i++) {
    mo_vec3 axes[3];
    for (int k = 0; k < 2; k++) {
      axes[k] = (mo_vec3){(float)rng_below(&r, 1 << 21) - 0x1p20f,
                          (float)rng_below(&r, 1 << 21) - 0x1p20f,
                          (float)rng_below(&r, 1 << 21) - 0x1p20f};
    }
    const float a = (float)rng_below(&r, 7) - 3, b = (float)rng_below(&r, 7) - 3;
    axes[2] = (mo_vec3){a * axes[0].x + b * axes[1].x, a * axes[0].y + b * axes[1].y,
                        a * axes[0].z + b * axes[1].z};
    const float scale = ldexpf(1, (int)rng_below(&r, 60) - 40);
    mo_transform map = {.origin = {1, 2, 3}}, inverse;
    mo_vec3 *to[3] = {&map.x_axis, &map.y_axis, &map.z_axis};
    for (int k = 0; k < 3; k++) {
      *to[(k + i) % 3] = (mo_vec3){scale * axes[k].x, scale * axes[k].y, scale * axes[k].z};
    }
    cr_assert_eq(mo_transform_inverse(&map, &inverse), MO_ERROR_INVALID_ARGUMENT, "%d", i);
  }
}
