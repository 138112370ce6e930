/* What a fuzzer does, read from the bytes that libFuzzer varies. Past the end every byte is 0,
 * which always means the plainest choice, so any prefix of an input is an input too. */
#ifndef TEST_FUZZ_BYTES_H
#define TEST_FUZZ_BYTES_H

#include <float.h>
#include <math.h>
#include <motte/math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fuzz_bytes {
  const uint8_t *data;
  size_t size, at;
  bool wild; /* numbers may be anything: NaN, infinite, denormal, out of range */
} fuzz_bytes;

/* Ends the program, which libFuzzer takes for a finding and keeps the input. */
#define FUZZ_CHECK(condition, ...)                                                                 \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                              \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fprintf(stderr, "\n");                                                                       \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

static inline bool fuzz_has_more(const fuzz_bytes *b) {
  return b->at < b->size;
}

static inline uint8_t fuzz_byte(fuzz_bytes *b) {
  return b->at < b->size ? b->data[b->at++] : 0;
}

/* 0 to n - 1; n from 1 to 256. */
static inline uint32_t fuzz_below(fuzz_bytes *b, uint32_t n) {
  return fuzz_byte(b) % n;
}

/* True for a share of the bytes: that many of 256, of which none is 0. */
static inline bool fuzz_chance(fuzz_bytes *b, uint32_t of_256) {
  return fuzz_byte(b) > 255 - of_256;
}

static inline uint32_t fuzz_u32(fuzz_bytes *b) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) {
    value = value << 8 | fuzz_byte(b);
  }
  return value;
}

/* Any bit pattern. */
static inline float fuzz_raw_float(fuzz_bytes *b) {
  uint32_t bits = fuzz_u32(b);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A number where code has its limits. */
static inline float fuzz_limit_float(fuzz_bytes *b) {
  static const float limits[] = {
      0,      -0.0f,         FLT_MIN, FLT_TRUE_MIN, -FLT_TRUE_MIN, 1e-30f,   FLT_MAX, 1e30f,
      -1e30f, 1.01e30f,      5e29f,   1e20f,        -1e20f,        16777216, 1e7f,    0x1p-23f,
      1,      0x1.000002p0f, 0.5f,    -INFINITY,    INFINITY,      NAN};
  return limits[fuzz_below(b, sizeof limits / sizeof *limits)];
}

/* Eighths from -16 to 15.875: things touch, coincide and lie in one plane. */
static inline float fuzz_eighths(fuzz_bytes *b) {
  return (float)(int8_t)fuzz_byte(b) / 8;
}

/* A coordinate: mostly eighths, now and then a float beside one, or between; anything if wild. */
static inline float fuzz_coordinate(fuzz_bytes *b) {
  uint8_t kind = fuzz_byte(b);
  if (kind < 160) {
    return (float)((int)kind - 80) / 8;
  }
  float value = fuzz_eighths(b);
  if (kind < 190) {
    return nextafterf(value, kind % 2 == 0 ? INFINITY : -INFINITY);
  }
  if (kind < 225 || !b->wild) {
    return value + (float)fuzz_byte(b) / 1024;
  }
  return kind < 240 ? fuzz_limit_float(b) : fuzz_raw_float(b);
}

/* A length that is not negative, unless wild: eighths up to 8, the plainest 1; or less than 1/4. */
static inline float fuzz_length(fuzz_bytes *b) {
  uint8_t kind = fuzz_byte(b);
  if (kind < 192) {
    return (float)((kind + 8) % 64) / 8;
  }
  return b->wild ? fuzz_coordinate(b) : (float)(kind - 192) / 256;
}

/* In the order in which C evaluates statements. */
static inline mo_vec3 fuzz_vec3(fuzz_bytes *b) {
  float x = fuzz_coordinate(b);
  float y = fuzz_coordinate(b);
  float z = fuzz_coordinate(b);
  return (mo_vec3){x, y, z};
}

static inline mo_vec3 fuzz_lengths(fuzz_bytes *b) {
  float x = fuzz_length(b);
  float y = fuzz_length(b);
  float z = fuzz_length(b);
  return (mo_vec3){x, y, z};
}

static inline mo_vec3 fuzz_raw_vec3(fuzz_bytes *b) {
  float x = fuzz_raw_float(b);
  float y = fuzz_raw_float(b);
  float z = fuzz_raw_float(b);
  return (mo_vec3){x, y, z};
}

#endif
