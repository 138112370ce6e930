/* Random numbers that repeat for the same seed on every machine: splitmix64 (Steele, Lea and Flood,
 * "Fast splittable pseudorandom number generators", OOPSLA 2014). */
#ifndef DEMO_RANDOM_H
#define DEMO_RANDOM_H

#include <math.h>
#include <motte/math.h>

struct random_stream {
  uint64_t state;
};

static inline struct random_stream random_from_seed(uint64_t seed) {
  return (struct random_stream){seed};
}

static inline uint64_t random_u64(struct random_stream *random) {
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* 0 to count - 1. */
static inline uint32_t random_below(struct random_stream *random, uint32_t count) {
  return (uint32_t)(((random_u64(random) >> 32) * count) >> 32);
}

/* At least `low`, below `high`. */
static inline float random_between(struct random_stream *random, float low, float high) {
  return low + (high - low) * (float)(random_u64(random) >> 40) * 0x1p-24f;
}

static inline bool random_chance(struct random_stream *random, float probability) {
  return random_between(random, 0.0f, 1.0f) < probability;
}

static inline mo_vec3 random_point_in(struct random_stream *random, mo_aabb box) {
  float x = random_between(random, box.lower.x, box.upper.x);
  float y = random_between(random, box.lower.y, box.upper.y);
  float z = random_between(random, box.lower.z, box.upper.z);
  return (mo_vec3){x, y, z};
}

/* Of length one, every direction alike: a height on the sphere and an angle around it. */
static inline mo_vec3 random_direction(struct random_stream *random) {
  float height = random_between(random, -1.0f, 1.0f);
  float angle = random_between(random, 0.0f, 6.2831853f);
  float radius = sqrtf(1.0f - height * height);
  return (mo_vec3){radius * cosf(angle), radius * sinf(angle), height};
}

#endif
