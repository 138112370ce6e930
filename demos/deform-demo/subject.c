#include "deform-demo/subject.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/vector.h"

static struct subject subject_of_keys(struct triangles *keys, uint32_t count) {
  struct subject subject = {.now = keys[0], .keys = keys, .key_count = count};
  subject.now.positions = allocate(subject.now.vertex_count, sizeof(mo_vec3));
  subject_animate(&subject, 0.0f);
  return subject;
}

static void place_vertices(struct triangles *flag, uint32_t columns, uint32_t rows, float step) {
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < columns; x++) {
      flag->positions[y * columns + x] = vec3(step * (float)x, step * (float)y, 0.0f);
    }
  }
}

/* Two triangles per cell. */
static void connect_vertices(struct triangles *flag, uint32_t columns, uint32_t rows) {
  uint32_t *next = flag->indices;
  for (uint32_t y = 0; y + 1 < rows; y++) {
    for (uint32_t x = 0; x + 1 < columns; x++) {
      uint32_t a = y * columns + x, b = a + 1, c = a + columns, d = c + 1;
      memcpy(next, (uint32_t[]){a, b, d, a, d, c}, 6 * sizeof *next);
      next += 6;
    }
  }
}

struct subject subject_make_flag(uint32_t cells) {
  uint32_t columns = cells + 1, rows = cells * 2 / 3 + 1;
  struct triangles *flag = allocate(1, sizeof *flag);
  flag->vertex_count = columns * rows;
  flag->triangle_count = 2 * (columns - 1) * (rows - 1);
  flag->positions = allocate(flag->vertex_count, sizeof *flag->positions);
  flag->indices = allocate(flag->triangle_count, 3 * sizeof *flag->indices);
  place_vertices(flag, columns, rows, 3.0f / (float)cells);
  connect_vertices(flag, columns, rows);
  return subject_of_keys(flag, 1);
}

struct subject subject_load(const char *const *paths, uint32_t count, mo_vec3 up) {
  struct triangles *keys = allocate(count, sizeof *keys);
  for (uint32_t i = 0; i < count; i++) {
    const char *error;
    if (!triangles_load(paths[i], &keys[i], &error)) {
      fail("cannot read the mesh %s: %s", paths[i], error);
    }
    if (keys[i].vertex_count != keys[0].vertex_count ||
        keys[i].triangle_count != keys[0].triangle_count ||
        memcmp(keys[i].indices, keys[0].indices, 3 * sizeof(uint32_t) * keys[0].triangle_count) !=
            0) {
      fail("the triangles of %s are not those of %s", paths[i], paths[0]);
    }
    triangles_set_upright(&keys[i], up);
  }
  return subject_of_keys(keys, count);
}

void subject_destroy(struct subject *subject) {
  free(subject->now.positions); /* its indices are those of the first key */
  for (uint32_t i = 0; i < subject->key_count; i++) {
    triangles_free(&subject->keys[i]);
  }
  free(subject->keys);
}

/* Waves run along the flag, higher where it is free. They repeat every two seconds. */
static mo_vec3 blow(mo_vec3 p, float seconds) {
  float turn = 3.1415927f * seconds;
  float freedom = p.x / 3.0f;
  float wave = sinf(4.0f * p.x + 0.8f * p.y - 2.0f * turn) + 0.5f * sinf(9.0f * p.x - 4.0f * turn);
  float flap = 0.3f * sinf(2.0f * p.y + turn);
  return vec3(p.x * (1.0f - 0.08f * freedom), p.y - 0.1f * freedom * p.x,
              0.25f * freedom * (wave + flap));
}

static void blow_flag(struct subject *subject, float seconds) {
  for (uint32_t i = 0; i < subject->now.vertex_count; i++) {
    subject->now.positions[i] = blow(subject->keys[0].positions[i], seconds);
  }
}

static void mix_keys(struct subject *subject, float seconds) {
  float turn = fmodf(seconds, 2.0f);
  float place = (turn > 1.0f ? 2.0f - turn : turn) * (float)(subject->key_count - 1);
  uint32_t key = (uint32_t)fminf(place, (float)(subject->key_count - 2));
  const mo_vec3 *before = subject->keys[key].positions;
  const mo_vec3 *after = subject->keys[key + 1].positions;
  for (uint32_t i = 0; i < subject->now.vertex_count; i++) {
    subject->now.positions[i] = vec3_mix(before[i], after[i], place - (float)key);
  }
}

void subject_animate(struct subject *subject, float seconds) {
  if (subject->key_count > 1) {
    mix_keys(subject, seconds);
  } else {
    blow_flag(subject, seconds);
  }
}
