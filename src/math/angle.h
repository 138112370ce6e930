/* Sine, cosine and arc tangent with the same bits on every machine. */
#ifndef MO_MATH_ANGLE_H
#define MO_MATH_ANGLE_H

#include <math.h>
#include <stdbool.h>

#define MO_PI 3.14159265358979323846

/* Sine and cosine of an angle of up to a few turns, in radians, to within 2^-51. By Taylor series
 * after range reduction to an eighth of a turn, with pi / 2 in two parts. */
static inline void mo_sin_cos(double angle, double *sine, double *cosine) {
  double quarters = floor(angle * 0.63661977236758134 + 0.5);
  double x = (angle - quarters * 0x1.921fb544p+0) - quarters * 0x1.0b4611a626331p-34;
  double square = x * x, odd = x, s = x, c = 1.0, even = 1.0;
  for (int i = 0; i < 9; ++i) {
    double n = 2.0 * i + 1.0; /* the exponent of the last term of the sine */
    even = -even * square / (n * (n + 1.0));
    odd = -odd * square / ((n + 1.0) * (n + 2.0));
    c += even;
    s += odd;
  }
  int quarter = (int)(quarters - 4.0 * floor(0.25 * quarters));
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

/* The angle from 0 to pi of the point (x, y), y >= 0, to within 2^-51; 0 for the origin. By the
 * series of the arc tangent after reduction to a sixteenth of a turn. */
static inline double mo_angle_of_point(double y, double x) {
  double along = fabs(x), max = along > y ? along : y, min = along > y ? y : along;
  if (!(max > 0.0)) {
    return 0.0;
  }
  double t = min / max;
  bool folded = t > 0.41421356237309503;
  t = folded ? (min - max) / (min + max) : t;
  double square = t * t, sum = 0.0;
  for (int i = 24; i >= 0; --i) {
    sum = 1.0 / (2.0 * i + 1.0) - square * sum;
  }
  double angle = (folded ? 0.78539816339744831 : 0.0) + t * sum;
  angle = along > y ? angle : 1.5707963267948966 - angle;
  return x < 0.0 ? MO_PI - angle : angle;
}

#endif
