/* Hashes of questions and answers, by part, for golden.c alone. */
#ifndef TEST_QUERY_GOLDEN_H
#define TEST_QUERY_GOLDEN_H

#include <stdio.h>

#include "support/plain.h"
#include "support/scenes.h"

/* The most answers of a list; and how many questions a scene is asked from points in it. */
enum { MAX = 4000, NEAR_POINTS = 40 };

typedef struct hash {
  uint64_t value;
} hash;

static hash hash_begin(void) {
  return (hash){FNV1A_BEGIN};
}

static void hash_bytes(hash *h, const void *bytes, size_t size) {
  h->value = fnv1a(h->value, bytes, size);
}

static void hash_number(hash *h, uint64_t number) {
  hash_bytes(h, &number, sizeof number);
}

static void hash_float(hash *h, float x) {
  hash_bytes(h, &x, sizeof x);
}

static void hash_vec3(hash *h, mo_vec3 v) {
  hash_float(h, v.x);
  hash_float(h, v.y);
  hash_float(h, v.z);
}

/* One part of the output, and how often forms disagreed. */
static hash asked, answered;
static uint32_t wrong;

static void part_begin(void) {
  asked = answered = hash_begin();
}

static void part_end(const char *name) {
  printf("%-8s asked %016llx answered %016llx\n", name, (unsigned long long)asked.value,
         (unsigned long long)answered.value);
}

/* The answers of a form must be those of the first. */
static void compare(uint32_t form, hash *first, hash answers, const char *name, const char *what) {
  if (form == 0) {
    *first = answers;
    hash_number(&answered, answers.value);
  } else if (first->value != answers.value) {
    wrong++;
    printf("%s: %s answers otherwise\n", what, name);
  }
}

static void hash_scene(const test_scene *scene) {
  for (uint32_t i = 0; i < scene->oracle.shape_count; i++) {
    const oracle_shape *shape = &scene->oracle.shapes[i];
    hash_number(&asked, shape->id.index);
    hash_number(&asked, shape->def.geometry.type);
    if (shape->def.geometry.rounding > 0) {
      hash_float(&asked, shape->def.geometry.rounding);
    }
    hash_vec3(&asked, shape->def.transform.x_axis);
    hash_vec3(&asked, shape->def.transform.y_axis);
    hash_vec3(&asked, shape->def.transform.z_axis);
    hash_vec3(&asked, shape->def.transform.origin);
    hash_vec3(&answered, shape->bounds.lower);
    hash_vec3(&answered, shape->bounds.upper);
  }
}

static void hash_cast_hit(hash *h, const mo_cast_hit *hit) {
  hash_number(h, hit->found);
  if (hit->found) {
    hash_number(h, hit->shape.index);
    hash_number(h, hit->triangle);
    hash_vec3(h, hit->point);
    hash_vec3(h, hit->normal);
    hash_float(h, hit->t);
    hash_float(h, hit->depth);
  }
}

#endif
