/* Batches use less than 64 KiB of the stack of each thread that works on them, by whatever route
 * rays are traced. A plain program, as it measures its own threads. */
#include <motte/batch.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/scenes.h"
#include "support/stack_use.h"

enum { SIDE = 128, RAYS = SIDE * SIDE };

/* Also holds what the thread itself needs. */
#define ALLOWED ((size_t)64 * 1024)

typedef enum bundle { PICTURE, SHUFFLED_ROWS, MIXED_SIGNS, INCOHERENT, BUNDLES } bundle;

static const char *const bundle_names[BUNDLES] = {"picture", "shuffled rows", "mixed signs",
                                                  "incoherent"};

static mo_vec3 origins[RAYS], directions[RAYS];
static mo_ray_hit hits[RAYS];
static bool found[RAYS];

typedef struct work {
  const mo_mesh *mesh;   /* or, where it is null, */
  const mo_scene *scene; /* this */
  mo_batch_def def;
  bool any;
  mo_result result;
} work;

static void make_rays(bundle kind, const sample_target *target, rng *r) {
  mo_aabb box = target->bounds;
  mo_vec3 size = {box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z};
  mo_vec3 eye = {box.lower.x + 0.5f * size.x, box.lower.y + 0.5f * size.y, box.lower.z - size.z};
  for (uint32_t i = 0; i < RAYS; i++) {
    uint32_t row =
        kind == SHUFFLED_ROWS ? (i / SIDE * 37 + i / 8 % (SIDE / 8) * 29) % SIDE : i / SIDE;
    float x = (float)(i % SIDE) / SIDE - 0.5f, y = (float)row / SIDE - 0.5f;
    origins[i] = eye;
    directions[i] = (mo_vec3){x * size.x, y * size.y, 1.5f * size.z};
    if (kind == MIXED_SIGNS) {
      directions[i] = (mo_vec3){0.01f * x * size.x, 0.01f * y * size.y, size.z};
      directions[i].x *= rng_below(r, 2) ? 1.0f : -1.0f;
    } else if (kind == INCOHERENT) {
      origins[i] = sample_point(r, target);
      directions[i] = rng_direction(r);
    }
  }
}

static void *run(void *context) {
  work *w = context;
  mo_batch_output output = {0};
  *(w->any ? &output.found : &output.hit) = (mo_output){w->any ? (void *)found : (void *)hits, 0};
  if (w->mesh != NULL) {
    w->result = w->any ? mo_mesh_test_rays(w->mesh, &w->def, &output, NULL, NULL)
                       : mo_mesh_cast_rays(w->mesh, &w->def, &output, NULL, NULL);
  } else {
    w->result = w->any ? mo_scene_test_rays(w->scene, &w->def, &output, NULL, NULL)
                       : mo_scene_cast_rays(w->scene, &w->def, &output, NULL, NULL);
  }
  return NULL;
}

int main(void) {
#if !defined(__OPTIMIZE__) || defined(TEST_SANITIZED)
  return 77; /* the limit holds for builds with optimisation; frames are larger in others */
#endif
  rng r = rng_make(rng_seed("batch/stack", 131));
  void *scratch = malloc(MO_BATCH_SCRATCH_SIZE);
  static test_scene scene;
  test_scene_make(&scene, TEST_SCENE_PLAIN, 300, &r);
  sample_target target = test_scene_target(&scene, &r);
  uint32_t wrong = scratch == NULL;
  size_t max = 0;
  for (uint32_t i = 0; i < BUNDLES * 3 * 2 && wrong == 0; i++) {
    bundle kind = (bundle)(i / 6);
    make_rays(kind, &target, &r);
    for (uint32_t s = 0; s < scene.family.count + TEST_SCENE_MESHES; s++) {
      work w = {.def = mo_default_batch_def(), .any = i % 2 == 1};
      if (s < scene.family.count) {
        w.scene = scene.family.scenes[s];
      } else {
        w.mesh = scene.meshes[s - scene.family.count];
      }
      w.def.count = RAYS;
      w.def.origins = mo_vec3_array_of(origins, sizeof *origins);
      w.def.directions = mo_vec3_array_of(directions, sizeof *directions);
      w.def.coherence = (mo_coherence)(i / 2 % 3);
      w.def.scratch = s % 2 == 0 ? scratch : NULL;
      w.def.scratch_size = s % 2 == 0 ? MO_BATCH_SCRATCH_SIZE : 0;
      size_t used = stack_use_of(run, &w);
      used = w.result == MO_OK ? used : 0;
      max = used > max ? used : max;
      if (used == 0 || used > ALLOWED) {
        printf("%s, %s, coherence %d, %s %u: %zu bytes\n", bundle_names[kind],
               w.any ? "any" : "closest", (int)w.def.coherence, w.mesh != NULL ? "mesh" : "scene",
               s, used);
        wrong++;
      }
    }
  }
  printf("at most %zu bytes\n", max);
  test_scene_free(&scene);
  free(scratch);
  return wrong != 0;
}
