/* Every operation of lanes.h once: operations_kernel.c is compiled for each set. */
#ifndef TEST_LANES_OPERATIONS_H
#define TEST_LANES_OPERATIONS_H

#include <stdalign.h>

#include "base/isa.h"

typedef struct lanes_input {
  alignas(32) float a[8];
  alignas(32) float b[8];
  alignas(32) uint32_t u[8];
  float one;
  uint32_t order, lanes, mask, value;
  /* For minima and selections: no NaN and no -0, and `near` not negative. */
  alignas(32) float near[8];
  alignas(32) float far[8];
  uint32_t permutation;
  bool backward, from_memory;
  uint8_t bytes[8];
  float power; /* of two, not so large that a byte's number times it overflows */
  struct {
    char odd; /* what follows is read from unaligned memory, byte for byte */
    unsigned char floats[32], shorts[16];
    char fours[8][4 * sizeof(float) + 3]; /* unaligned, too; the lanes are this far apart */
  } any;
} lanes_input;

/* What each instruction set must compute. Undefined are the lanes of `compressed` after the last
 * chosen one, and the bits of a NaN. */
typedef struct lanes_output {
  alignas(32) float loaded[8], all[8], sum[8], difference[8], product[8], quotient[8];
  float min[8], max[8], magnitude[8], selected[8], reordered[8], compressed[8];
  alignas(32) uint32_t u_loaded[8], u_all[8], u_reordered[8], u_compressed[8];
  alignas(32) uint32_t u_either[8], u_sum[8];
  struct {
    char odd; /* what follows is stored to unaligned memory, byte for byte */
    unsigned char floats[32], integers[32];
  } any;
  uint32_t le, lt, both, either, from_bits, equal, signs, u_signs;
  /* a * near - far, fused or not. */
  alignas(32) float product_less[8];
  /* By bits, of near and far. */
  alignas(32) float max_bits[8];
  alignas(32) float min_bits[8];
  float lowest, highest; /* of a */
  /* The lanes with near <= far; the first `chosen` of each count. */
  uint32_t chosen, last, last_integer;
  float chosen_floats[8];
  uint32_t chosen_integers[8], chosen_lanes[8];
  alignas(32) float loaded_any[8];
  alignas(32) float loaded_fours[4][8]; /* lane by lane of any.fours */
  alignas(32) float loaded_bytes[8], loaded_shorts[8];
  alignas(32) float scaled[8]; /* bytes * power + b */
  alignas(32) float picked[8]; /* of a and b */
  /* From one float on of a, and two of b. */
  alignas(32) float loaded_halves[8], joined[8];
  alignas(32) float sum_upward[8];
  alignas(32) float difference_downward[8];
  /* Of a, b, sum and difference. */
  alignas(32) float columns[4][8];
} lanes_output;

MO_ISA_DECLARE(void, lanes_run, (const lanes_input *in, lanes_output *out));

#endif
