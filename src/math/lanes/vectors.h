/* Arithmetic of eight vectors at once, for kernels. */
#ifndef MO_MATH_LANES_VECTORS_H
#define MO_MATH_LANES_VECTORS_H

#include "math/lanes/lanes.h"

/* Eight vectors of three floats, one per lane. */
typedef struct mo_lanes3 {
  mo_f8 at[3]; /* x, y and z */
} mo_lanes3;

static inline mo_lanes3 mo_lanes3_splat(const float v[3]) {
  return (mo_lanes3){{mo_f8_splat(v[0]), mo_f8_splat(v[1]), mo_f8_splat(v[2])}};
}

static inline mo_lanes3 mo_lanes3_add(mo_lanes3 a, mo_lanes3 b) {
  return (mo_lanes3){
      {mo_f8_add(a.at[0], b.at[0]), mo_f8_add(a.at[1], b.at[1]), mo_f8_add(a.at[2], b.at[2])}};
}

static inline mo_lanes3 mo_lanes3_sub(mo_lanes3 a, mo_lanes3 b) {
  return (mo_lanes3){
      {mo_f8_sub(a.at[0], b.at[0]), mo_f8_sub(a.at[1], b.at[1]), mo_f8_sub(a.at[2], b.at[2])}};
}

static inline mo_lanes3 mo_lanes3_scale(mo_f8 s, mo_lanes3 a) {
  return (mo_lanes3){{mo_f8_mul(s, a.at[0]), mo_f8_mul(s, a.at[1]), mo_f8_mul(s, a.at[2])}};
}

static inline mo_f8 mo_lanes3_dot(mo_lanes3 a, mo_lanes3 b) {
  return mo_f8_add(mo_f8_add(mo_f8_mul(a.at[0], b.at[0]), mo_f8_mul(a.at[1], b.at[1])),
                   mo_f8_mul(a.at[2], b.at[2]));
}

static inline mo_lanes3 mo_lanes3_cross(mo_lanes3 a, mo_lanes3 b) {
  return (mo_lanes3){{mo_f8_sub(mo_f8_mul(a.at[1], b.at[2]), mo_f8_mul(a.at[2], b.at[1])),
                      mo_f8_sub(mo_f8_mul(a.at[2], b.at[0]), mo_f8_mul(a.at[0], b.at[2])),
                      mo_f8_sub(mo_f8_mul(a.at[0], b.at[1]), mo_f8_mul(a.at[1], b.at[0]))}};
}

static inline mo_lanes3 mo_lanes3_select(mo_m8 m, mo_lanes3 a, mo_lanes3 b) {
  return (mo_lanes3){{mo_f8_select(m, a.at[0], b.at[0]), mo_f8_select(m, a.at[1], b.at[1]),
                      mo_f8_select(m, a.at[2], b.at[2])}};
}

#endif
