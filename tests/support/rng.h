/* Repeatable random numbers: xoshiro-quality is not needed, splitmix64 (Steele, Lea and Flood 2014)
 * is. A test takes its seed from rng_seed, which prints it. */
#ifndef TEST_RNG_H
#define TEST_RNG_H

#include <motte/math.h>

typedef struct rng {
  uint64_t state;
} rng;

/* The seed of a test: `fixed`, or the environment variable MOTTE_TEST_SEED if set. Printed to
 * stderr as "seed of <name>: <number>", so that a failure can be repeated. */
uint64_t rng_seed(const char *name, uint64_t fixed);

/* How many rounds a property test does: `fast`, or `slow` under MOTTE_LONG=1. */
uint64_t rng_rounds(uint64_t fast, uint64_t slow);

/* The same for rounds that take long: under sanitizers, an eighth of `fast`. */
uint64_t rng_few_rounds(uint64_t fast, uint64_t slow);

static inline rng rng_make(uint64_t seed) {
  return (rng){seed};
}

static inline uint64_t rng_u64(rng *r) {
  uint64_t z = r->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* 0 to n - 1; n > 0. */
static inline uint32_t rng_below(rng *r, uint32_t n) {
  return (uint32_t)(((rng_u64(r) >> 32) * n) >> 32);
}

static inline bool rng_chance(rng *r, double probability) {
  return (double)(rng_u64(r) >> 11) * 0x1p-53 < probability;
}

/* Uniform in [low, high]. */
static inline float rng_float(rng *r, float low, float high) {
  double x = (double)(rng_u64(r) >> 11) * 0x1p-53;
  return (float)((double)low + x * ((double)high - (double)low));
}

static inline mo_vec3 rng_vec3(rng *r, float low, float high) {
  float x = rng_float(r, low, high);
  float y = rng_float(r, low, high);
  float z = rng_float(r, low, high);
  return (mo_vec3){x, y, z};
}

/* Uniform in a box. */
static inline mo_vec3 rng_point_in(rng *r, mo_aabb box) {
  float x = rng_float(r, box.lower.x, box.upper.x);
  float y = rng_float(r, box.lower.y, box.upper.y);
  float z = rng_float(r, box.lower.z, box.upper.z);
  return (mo_vec3){x, y, z};
}

/* A direction of unit length, uniform on the sphere. */
mo_vec3 rng_direction(rng *r);

/* A rotation, uniform. */
mo_quat rng_rotation(rng *r);

/* The kinds of transform that a scene must bear; rng_transform makes one of a kind. */
typedef enum rng_transform_kind {
  RNG_RIGID,
  RNG_UNIFORM_SCALE,
  RNG_NONUNIFORM_SCALE,
  RNG_SHEAR,
  RNG_MIRROR,
  RNG_FLAT,   /* scaled by zero along one axis */
  RNG_LINE,   /* along two */
  RNG_POINT,  /* along three */
  RNG_FAR,    /* rigid, 1e6 away */
  RNG_TINY,   /* scaled by 1e-30 */
  RNG_HUGE,   /* scaled by 1e30 */
  RNG_SLIVER, /* sheared almost flat */
  RNG_TRANSFORM_KINDS
} rng_transform_kind;

const char *rng_transform_kind_name(rng_transform_kind kind);

/* Origins lie within `spread` per axis (RNG_FAR: 1e6 farther; RNG_TINY and RNG_HUGE: at the
 * origin). */
mo_transform rng_transform(rng *r, rng_transform_kind kind, float spread);

#endif
