#include "support/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/steady.h"

uint64_t rng_seed(const char *name, uint64_t fixed) {
  const char *text = getenv("MOTTE_TEST_SEED");
  uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : fixed;
  fprintf(stderr, "seed of %s: %" PRIu64 "\n", name, seed);
  return seed;
}

uint64_t rng_rounds(uint64_t fast, uint64_t slow) {
  const char *text = getenv("MOTTE_LONG");
  return text != NULL && strcmp(text, "1") == 0 ? slow : fast;
}

uint64_t rng_few_rounds(uint64_t fast, uint64_t slow) {
#if defined(TEST_SANITIZED)
  fast = (fast + 7) / 8;
#endif
  return rng_rounds(fast, slow);
}

mo_vec3 rng_direction(rng *r) {
  for (;;) {
    mo_vec3 v = rng_vec3(r, -1, 1);
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    if (length > 0.01f && length <= 1) {
      return (mo_vec3){v.x / length, v.y / length, v.z / length};
    }
  }
}

mo_quat rng_rotation(rng *r) {
  for (;;) {
    mo_vec3 v = rng_vec3(r, -1, 1);
    float w = rng_float(r, -1, 1);
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z + w * w);
    if (length > 0.01f && length <= 1) {
      return (mo_quat){v.x / length, v.y / length, v.z / length, w / length};
    }
  }
}

const char *rng_transform_kind_name(rng_transform_kind kind) {
  static const char *names[RNG_TRANSFORM_KINDS] = {
      "rigid", "uniform scale", "non-uniform scale",
      "shear", "mirror",        "flat",
      "line",  "point",         "far",
      "tiny",  "huge",          "sliver",
  };
  return kind < RNG_TRANSFORM_KINDS ? names[kind] : "unknown";
}

/* Magnitude between 1/8 and 8, spread evenly over the exponents. */
static float random_scale(rng *r) {
  return steady_exp2(rng_float(r, -3, 3));
}

static mo_vec3 scaled(mo_vec3 v, float s) {
  return (mo_vec3){v.x * s, v.y * s, v.z * s};
}

static mo_vec3 plus(mo_vec3 a, mo_vec3 b) {
  return (mo_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

mo_transform rng_transform(rng *r, rng_transform_kind kind, float spread) {
  mo_vec3 origin = rng_vec3(r, -spread, spread);
  mo_vec3 scale = {1, 1, 1};
  if (kind == RNG_UNIFORM_SCALE || kind == RNG_MIRROR) {
    float s = random_scale(r);
    scale = (mo_vec3){s, s, s};
  } else if (kind == RNG_NONUNIFORM_SCALE || kind == RNG_FLAT || kind == RNG_LINE ||
             kind == RNG_SHEAR || kind == RNG_SLIVER) {
    scale.x = random_scale(r);
    scale.y = random_scale(r);
    scale.z = random_scale(r);
  } else if (kind == RNG_POINT) {
    scale = (mo_vec3){0, 0, 0};
  } else if (kind == RNG_TINY || kind == RNG_HUGE) {
    /* A little less than MO_MAX_COORDINATE, so that images of a unit box stay below it. */
    float s = kind == RNG_TINY ? 1e-30f : 1e29f;
    scale = (mo_vec3){s, s, s};
    origin = (mo_vec3){0, 0, 0};
  } else if (kind == RNG_FAR) {
    origin = plus(origin, scaled(rng_direction(r), 1e6f));
  }
  mo_transform t = mo_transform_make(origin, rng_rotation(r), scale);
  mo_vec3 *axes[3] = {&t.x_axis, &t.y_axis, &t.z_axis};
  uint32_t a = rng_below(r, 3);
  mo_vec3 *first = axes[a];
  mo_vec3 *second = axes[(a + 1) % 3];
  mo_vec3 *third = axes[(a + 2) % 3];
  switch (kind) {
  case RNG_MIRROR:
    *first = scaled(*first, -1);
    break;
  case RNG_SHEAR:
    *first = plus(*first, scaled(*second, rng_float(r, -1, 1)));
    *second = plus(*second, scaled(*third, rng_float(r, -1, 1)));
    break;
  case RNG_SLIVER:
    *first = plus(*second, scaled(*first, 1e-6f * rng_float(r, 0.5f, 1)));
    break;
  case RNG_FLAT:
    *first = (mo_vec3){0, 0, 0};
    break;
  case RNG_LINE:
    *first = (mo_vec3){0, 0, 0};
    *second = (mo_vec3){0, 0, 0};
    break;
  default:
    break;
  }
  return t;
}
