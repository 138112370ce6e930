/* Computes the members of mo_affine that depend on the map (inverse, axis sizes, slopes), for four
 * transforms at a time or for one. Inline, for files that are compiled once per instruction set. */
#ifndef MO_MATH_AFFINE_FOUR_H
#define MO_MATH_AFFINE_FOUR_H

#include "math/affine.h"

/* Four linear parts, or their inverses: entry [i][j] is row i and column j, one map per lane. */
typedef struct mo_four_matrices {
  mo_f4 entry[3][3];
} mo_four_matrices;

MO_INLINE mo_four_matrices mo_four_matrices_load(mo_affine *const affine[4]) {
  mo_four_matrices m;
  for (int column = 0; column < 3; column++) {
    mo_f4 rows[4];
    for (int lane = 0; lane < 4; lane++) {
      const mo_transform *map = &affine[lane]->to_world;
      rows[lane] =
          mo_f4_load(&map->x_axis.x + 3 * column); /* the fourth float is the next one in the map */
    }
    mo_f4_transpose(rows);
    for (int row = 0; row < 3; row++) {
      m.entry[row][column] = rows[row];
    }
  }
  return m;
}

/* Computes the inverses by cofactors; returns the lanes that are invertible as mo_affine defines
 * it. Entries are floats of at most MO_MAX_COORDINATE: in double, products of two are exact and
 * products of three neither overflow nor underflow, so no scaling is needed. A minor has only one
 * rounding error, even if its terms cancel, and the determinant loses no more accuracy than the
 * amplification, which is checked anyway. */
MO_INLINE mo_i4 mo_four_inverses(const mo_four_matrices *linear, mo_four_matrices *inverse) {
  mo_d4 m[3][3], cofactor[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      m[i][j] = mo_f4_widen(linear->entry[i][j]);
    }
  }
  for (int i = 0; i < 3; i++) {
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; j++) {
      int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      cofactor[i][j] = m[i1][j1] * m[i2][j2] - m[i2][j1] * m[i1][j2];
    }
  }
  mo_d4 determinant =
      m[0][0] * cofactor[0][0] + m[1][0] * cofactor[1][0] + m[2][0] * cofactor[2][0];
  mo_d4 reciprocal = 1.0 / determinant;
  mo_i4 fits = {-1, -1, -1, -1};
  mo_d4 squares[3];
  for (int j = 0; j < 3; j++) {
    mo_d4 inverted[3];
    for (int i = 0; i < 3; i++) {
      inverted[i] = reciprocal * cofactor[i][j];
      inverse->entry[j][i] = mo_d4_narrow(inverted[i]);
      fits &= mo_f4_le(mo_f4_abs(inverse->entry[j][i]), mo_f4_splat(FLT_MAX));
      /* No row of the inverse vanishes: row i is at least as long as the reciprocal of the length
       * of column i of the map, which is at most 2e30. Single entries may be subnormal, which
       * to_local_margin accounts for. */
    }
    squares[j] =
        (m[0][j] * m[0][j] + m[1][j] * m[1][j] + m[2][j] * m[2][j]) *
        (inverted[0] * inverted[0] + inverted[1] * inverted[1] + inverted[2] * inverted[2]);
  }
  /* The amplification is a sum of three square roots, so at most the square root of three times the
   * sum of the squares. With a margin for rounding, this bound is mostly sufficient. */
  const double limit = MO_MAX_AMPLIFICATION;
  mo_l4 is_mild = 3.0 * (squares[0] + squares[1] + squares[2]) < mo_d4_splat(0.99 * limit * limit);
  if (mo_d4_any(~is_mild)) {
    for (int j = 0; j < 3; j++) {
      mo_d4_sqrt(&squares[j]);
    }
    is_mild |= squares[0] + squares[1] + squares[2] <= mo_d4_splat(limit);
  }
  return fits & __builtin_convertvector(is_mild & (determinant != mo_d4_splat(0.0)), mo_i4);
}

/* Sets all members of four transforms except their maps, which must be set and in range. The four
 * pointers may be equal.
 */
MO_INLINE void mo_affine_set_inverses4(mo_affine *const affine[4]) {
  mo_four_matrices linear = mo_four_matrices_load(affine), inverse;
  mo_i4 invertible = mo_four_inverses(&linear, &inverse);
  const mo_f4 zero = mo_f4_splat(0);
  for (int column = 0; column < 3; column++) {
    mo_f4 rows[4];
    for (int row = 0; row < 3; row++) {
      rows[row] = mo_f4_select(invertible, inverse.entry[row][column], zero);
    }
    rows[3] = zero;
    mo_f4_transpose(rows);
    for (int lane = 0; lane < 4; lane++) {
      memcpy(affine[lane]->inverse[column], &rows[lane], sizeof rows[lane]);
    }
  }
  mo_f4 axis_sizes[4];
  for (int column = 0; column < 3; column++) {
    axis_sizes[column] =
        mo_f4_max(mo_f4_max(mo_f4_abs(linear.entry[0][column]), mo_f4_abs(linear.entry[1][column])),
                  mo_f4_abs(linear.entry[2][column]));
  }
  axis_sizes[3] = zero;
  mo_f4_transpose(axis_sizes);
  for (int lane = 0; lane < 4; lane++) {
    mo_affine *a = affine[lane];
    a->invertible = invertible[lane] != 0;
    a->axis_sizes = mo_f4_to_vec3(axis_sizes[lane]);
    a->slope_factor_in_16_bits =
        mo_slope_factor_to_16_bits(a->invertible ? a->axis_sizes : mo_vec(0.0f, 0.0f, 0.0f));
  }
}

/* As mo_affine_set_inverses4 for one transform, with the same results: the operations of one of its
 * lanes, in the same order. */
static inline void mo_affine_set_inverse(mo_affine *affine) {
  const mo_transform *map = &affine->to_world;
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)};
  const mo_dvec3 cofactor[3] = {mo_dcross(column[1], column[2]), mo_dcross(column[2], column[0]),
                                mo_dcross(column[0], column[1])};
  const double determinant = mo_ddot(column[0], cofactor[0]), reciprocal = 1.0 / determinant;
  double squares[3];
  float row[3][3]; /* of the inverse */
  bool fits = true;
  for (int j = 0; j < 3; j++) {
    const mo_dvec3 exact = mo_dscale(reciprocal, cofactor[j]);
    squares[j] = mo_ddot(column[j], column[j]) * mo_ddot(exact, exact);
    row[j][0] = (float)exact.x;
    row[j][1] = (float)exact.y;
    row[j][2] = (float)exact.z;
    fits &= (fabsf(row[j][0]) <= FLT_MAX) & (fabsf(row[j][1]) <= FLT_MAX) &
            (fabsf(row[j][2]) <= FLT_MAX);
  }
  const double limit = MO_MAX_AMPLIFICATION;
  const bool is_mild = 3.0 * (squares[0] + squares[1] + squares[2]) < 0.99 * limit * limit ||
                       sqrt(squares[0]) + sqrt(squares[1]) + sqrt(squares[2]) <= limit;
  affine->invertible = fits && is_mild && determinant != 0.0;
  for (int i = 0; i < 3; i++) {
    const mo_f4 stored = {row[0][i], row[1][i], row[2][i], 0.0f}, zero = mo_f4_splat(0.0f);
    memcpy(affine->inverse[i], affine->invertible ? &stored : &zero, sizeof stored);
  }
  affine->axis_sizes = mo_vec(mo_max_magnitude(map->x_axis), mo_max_magnitude(map->y_axis),
                              mo_max_magnitude(map->z_axis));
  affine->slope_factor_in_16_bits = mo_slope_factor_to_16_bits(
      affine->invertible ? affine->axis_sizes : mo_vec(0.0f, 0.0f, 0.0f));
}

#endif
