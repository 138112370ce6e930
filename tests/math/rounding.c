/* That the compiler rounds to float where the code says so. GCC 12 with its straight-line
 * vectorizer does not: of two neighbouring (double)(float)x it makes x. The build turns that
 * vectorizer off. */
#include <criterion/criterion.h>

#include "math/vector.h"
#include "support/rng.h"

#define NOINLINE __attribute__((noinline))

static NOINLINE void round_two(const double *in, double *out) {
  float a = (float)(in[0] * 3), b = (float)(in[1] * 3);
  out[0] = a;
  out[1] = b;
}

static NOINLINE mo_dvec3 round_vector(mo_dvec3 v) {
  return mo_widen(mo_vec((float)(v.x * 3), (float)(v.y * 3), (float)(v.z * 3)));
}

static NOINLINE void round_many(const double *in, double *out, int count) {
  for (int i = 0; i < count; ++i) {
    float a = (float)(in[i] * 3);
    out[i] = a;
  }
}

/* Stored, so that no optimisation carries more digits. */
static double rounded(double x) {
  volatile float f = (float)(x * 3);
  return f;
}

Test(rounding, is_done) {
  rng r = rng_make(rng_seed("rounding", 1));
  for (int round = 0; round < 1000; ++round) {
    double in[16], out[16];
    for (int i = 0; i < 16; ++i) {
      in[i] = rng_float(&r, -1, 1) / 3.0;
    }
    round_two(in, out);
    cr_assert(out[0] == rounded(in[0]) && out[1] == rounded(in[1]), "two");
    mo_dvec3 v = round_vector(mo_dvec(in[0], in[1], in[2]));
    cr_assert(v.x == rounded(in[0]) && v.y == rounded(in[1]) && v.z == rounded(in[2]), "a vector");
    round_many(in, out, 16);
    for (int i = 0; i < 16; ++i) {
      cr_assert(out[i] == rounded(in[i]), "many");
    }
  }
}
