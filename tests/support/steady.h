/* Functions of the mathematical library that give the same bits on every machine and with every
 * compiler, so that generated meshes and scenes do: made of operations that are rounded correctly.
 * Close to the true value, and no more is needed. */
#ifndef TEST_STEADY_H
#define TEST_STEADY_H

#include <math.h>

/* Taylor series of exp for |x| <= 1. */
static inline double steady_exp_small(double x) {
  double term = 1, sum = 1;
  for (int i = 1; i <= 20; i++) {
    term = term * x / i;
    sum += term;
  }
  return sum;
}

static inline double steady_exp2_wide(double x) {
  double whole = floor(x);
  return ldexp(steady_exp_small((x - whole) * 0.69314718055994530942), (int)whole);
}

static inline float steady_exp2(float x) {
  return (float)steady_exp2_wide(x);
}

static inline float steady_power10(float x) {
  return (float)steady_exp2_wide(x * 3.32192809488736234787);
}

/* For |x| far below 2^31. */
static inline double steady_sine_wide(double x) {
  const double half_turn = 3.14159265358979323846;
  double turns = floor(x / half_turn + 0.5);
  double rest = x - turns * half_turn, term = rest, sum = rest;
  for (int i = 2; i <= 24; i += 2) {
    term = -term * rest * rest / (i * (i + 1));
    sum += term;
  }
  return (long long)turns % 2 == 0 ? sum : -sum;
}

static inline float steady_sine(float x) {
  return (float)steady_sine_wide(x);
}

static inline float steady_cosine(float x) {
  return (float)steady_sine_wide(x + 1.57079632679489661923);
}

/* Of a number that is not negative, by Newton's method. */
static inline float steady_cube_root(float x) {
  if (x == 0) {
    return 0;
  }
  double root = ldexp(1, ilogbf(x) / 3);
  for (int i = 0; i < 60; i++) {
    root -= (root - x / (root * root)) / 3;
  }
  return (float)root;
}

#endif
