/* Many threads query one scene and one mesh at once and get what one thread got before. A plain
 * program, because Criterion does not start under the thread sanitizer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/reference.h"
#include "support/check.h"
#include "support/defs.h"
#include "support/scenes.h"

enum { THREADS = 4, ROUNDS = 2, MAX = 64 };
/* With the thread sanitizer each takes some thirty times as long. */
#if defined(TEST_SANITIZED)
enum { QUESTIONS = 50 };
#else
enum { QUESTIONS = 150 };
#endif

/* One question of every kind, and its answers. */
typedef struct question {
  mo_ray_def ray;
  reference_traversal traversal; /* of the reference queries */
  mo_aabb box;
  mo_sphere ball;
} question;

typedef struct answer {
  mo_ray_hit closest;
  uint32_t hits, shapes, triangles, mesh_triangles;
  mo_shape_id first[MAX];
} answer;

static test_scene scene;
static question questions[QUESTIONS];
static answer answers[QUESTIONS];
static const mo_scene *asked;

static bool ask(const question *q, answer *a) {
  memset(a, 0, sizeof *a);
  mo_query_stats stats = {0};
  reference_ray reference = {.ray = mo_default_ray_def()};
  mo_ray_hit again;
  uint32_t hits;
  reference.ray = q->ray;
  reference.traversal = q->traversal;
  return mo_scene_cast_ray(asked, &q->ray, &a->closest, &stats) == MO_OK &&
         mo_scene_cast_ray_all(asked, &q->ray, NULL, 0, &a->hits, NULL) == MO_OK &&
         reference_scene_cast_ray(asked, &reference, &again, &stats) == MO_OK &&
         check_same_hit(&again, &a->closest) &&
         reference_scene_cast_ray_all(asked, &reference, NULL, 0, &hits, NULL) == MO_OK &&
         hits == a->hits &&
         mo_scene_overlap_shapes(asked, IN_AABB(q->box, NULL), a->first, MAX, &a->shapes, &stats) ==
             MO_OK &&
         mo_scene_overlap_triangles(asked, IN_SPHERE(q->ball, NULL), NULL, 0, &a->triangles,
                                    NULL) == MO_OK &&
         mo_mesh_overlap_aabb(scene.meshes[0], &q->box, NULL, 0, &a->mesh_triangles, NULL) == MO_OK;
}

static bool same(const answer *a, const answer *b) {
  return check_same_hit(&a->closest, &b->closest) && a->hits == b->hits && a->shapes == b->shapes &&
         a->triangles == b->triangles && a->mesh_triangles == b->mesh_triangles &&
         memcmp(a->first, b->first, sizeof a->first) == 0;
}

static void *work(void *context) {
  uint32_t start = *(const uint32_t *)context;
  uintptr_t wrong = 0;
  for (uint32_t i = 0; i < ROUNDS * QUESTIONS; i++) {
    uint32_t n = (start + i) % QUESTIONS;
    answer a;
    wrong += !ask(&questions[n], &a) || !same(&a, &answers[n]);
    /* References are counted across threads. */
    mo_mesh_retain(scene.meshes[n % TEST_SCENE_MESHES]);
    mo_mesh_release(scene.meshes[n % TEST_SCENE_MESHES]);
  }
  return (void *)wrong;
}

int main(void) {
  rng r = rng_make(rng_seed("query/threads", 111));
  test_scene_make(&scene, TEST_SCENE_PLAIN, 100, &r);
  for (int i = 0; i < QUESTIONS; i++) {
    sample_target target = test_scene_target(&scene, &r);
    questions[i].ray = sample_any_ray(&r, &target);
    questions[i].traversal = (reference_traversal)(i % 3);
    questions[i].box = sample_box(&r, &target);
    questions[i].ball = sample_sphere(&r, &target);
  }
  uintptr_t wrong = 0;
  for (uint32_t i = 0; i < scene.family.count; i++) {
    asked = scene.family.scenes[i];
    for (int j = 0; j < QUESTIONS; j++) {
      wrong += !ask(&questions[j], &answers[j]);
    }
    pthread_t threads[THREADS];
    uint32_t starts[THREADS];
    for (uint32_t j = 0; j < THREADS; j++) {
      starts[j] = j * QUESTIONS / THREADS;
      if (pthread_create(&threads[j], NULL, work, &starts[j]) != 0) {
        fprintf(stderr, "no thread to be had\n");
        return 77; /* skipped */
      }
    }
    for (int j = 0; j < THREADS; j++) {
      void *result;
      pthread_join(threads[j], &result);
      wrong += (uintptr_t)result;
    }
    printf("%s: %lu wrong answers so far\n", scene.family.names[i], (unsigned long)wrong);
  }
  return test_scene_free(&scene) && wrong == 0 ? 0 : 1;
}
