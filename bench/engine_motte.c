/* Motte's ways to cast a ray at one mesh. All give the same answers; rows beside each other show
 * what each part is worth. */
#include <math.h>
#include <motte/batch.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "engine.h"
#include "reference/reference.h"
#include "timing.h"

typedef struct variant {
  mo_mesh_builder builder;
  int better; /* than default quality: 1 for high, -1 for fast */
  mo_isa isa;
  reference_traversal traversal;
  bool no_mailbox;
  bool compact;
  bool through_scene; /* as the only shape of a scene, in place of the mesh alone */
  bool batch;         /* all rays in one call */
  mo_coherence coherence;
} variant;

typedef struct instance {
  variant variant;
  mo_mesh *mesh;
  mo_scene *scene;    /* null for the mesh alone */
  mo_task_pool *pool; /* null: one worker */
  bool *found;        /* of a batch */
  size_t capacity;
  void *scratch; /* of scenes */
} instance;

static bool is_available(const bench_engine *engine) {
  mo_isa isa;
  return mo_isa_resolve(((const variant *)engine->variant)->isa, &isa) == MO_OK;
}

static void *create(const bench_engine *engine, const bench_mesh *source, double *build_seconds) {
  instance *self = allocate(1, sizeof *self);
  self->variant = *(const variant *)engine->variant;
  mo_mesh_def def = bench_mesh_def(source);
  def.build.builder = self->variant.builder;
  def.build.quality = (mo_mesh_quality)(MO_MESH_QUALITY_DEFAULT + self->variant.better);
  def.build.compact = self->variant.compact;
  def.isa = self->variant.isa;
  if (engine->workers > 1) {
    check(mo_task_pool_create(NULL, engine->workers, &self->pool), "start threads");
    def.host.tasks = mo_task_pool_tasks(self->pool);
  }
  double start = bench_clock_of(engine->workers);
  check(mo_mesh_create(&def, &self->mesh), "build a mesh");
  *build_seconds = bench_clock_of(engine->workers) - start;
  if (self->variant.through_scene) {
    mo_scene_def scene_def = mo_default_scene_def();
    scene_def.isa = self->variant.isa;
    check(mo_scene_create(&scene_def, &self->scene), "make a scene");
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    shape.geometry.mesh = self->mesh;
    mo_shape_id id;
    check(mo_scene_add_shape(self->scene, &shape, &id), "add a shape");
    check(mo_scene_update(self->scene, NULL), "update a scene");
    self->scratch = allocate(1, MO_BATCH_SCRATCH_SIZE);
  }
  return self;
}

static void destroy(void *opaque) {
  instance *self = opaque;
  mo_scene_destroy(self->scene);
  mo_mesh_release(self->mesh);
  mo_task_pool_destroy(self->pool);
  free(self->found);
  free(self->scratch);
  free(self);
}

static mo_mesh_stats describe(const void *opaque) {
  const instance *self = opaque;
  mo_mesh_stats stats;
  check(mo_mesh_get_stats(self->mesh, &stats), "read mesh statistics");
  return stats;
}

static size_t bytes(const void *opaque) {
  return describe(opaque).bytes;
}

static inline mo_result cast(const instance *self, bool through_scene, bench_mode mode,
                             const mo_ray_def *ray, mo_ray_hit *hit, mo_query_stats *stats) {
  if (mode != BENCH_ANY) {
    return through_scene ? mo_scene_cast_ray(self->scene, ray, hit, stats)
                         : mo_mesh_cast_ray(self->mesh, ray, hit, stats);
  }
  return through_scene ? mo_scene_test_ray(self->scene, ray, &hit->found, stats)
                       : mo_mesh_test_ray(self->mesh, ray, &hit->found, stats);
}

/* By the variant's own traversal, or without mailboxes. */
static mo_result cast_reference(const instance *self, bench_mode mode, const mo_ray_def *ray,
                                mo_ray_hit *hit, mo_query_stats *stats) {
  reference_ray def = {.ray = mo_default_ray_def()};
  def.ray = *ray;
  def.traversal = self->variant.traversal;
  def.no_mailbox = self->variant.no_mailbox;
  if (mode != BENCH_ANY) {
    return self->scene != NULL ? reference_scene_cast_ray(self->scene, &def, hit, stats)
                               : reference_mesh_cast_ray(self->mesh, &def, hit, stats);
  }
  return self->scene != NULL ? reference_scene_test_ray(self->scene, &def, &hit->found, stats)
                             : reference_mesh_test_ray(self->mesh, &def, &hit->found, stats);
}

/* `mode` and `through_scene` are constants where this is called, so that the loop holds one call.
 */
static inline void cast_all(const instance *self, bool through_scene, bench_mode mode,
                            const bench_ray *rays, size_t count, bench_hit *hits,
                            bench_surface *surfaces, mo_query_stats *stats) {
  mo_ray_def ray = mo_default_ray_def();
  bool plain = self->variant.traversal == REFERENCE_FAST && !self->variant.no_mailbox;
  mo_result result = MO_OK;
  for (size_t i = 0; i < count && result == MO_OK; i++) {
    ray.origin = rays[i].origin;
    ray.direction = rays[i].direction;
    ray.max_t = rays[i].max_t;
    mo_ray_hit hit;
    result = plain ? cast(self, through_scene, mode, &ray, &hit, stats)
                   : cast_reference(self, mode, &ray, &hit, stats);
    if (hits != NULL && result == MO_OK) {
      bool closest = hit.found && mode != BENCH_ANY;
      hits[i].t = !hit.found ? INFINITY : closest ? hit.t : 0;
      hits[i].triangle = closest ? hit.triangle : MO_NO_TRIANGLE;
      if (mode == BENCH_FULL && hit.found) {
        surfaces[i] = (bench_surface){{hit.u, hit.v}, hit.normal};
      }
    }
  }
  check(result, "cast a ray");
}

/* All rays in one call, from the array as it is. */
static void cast_batch(instance *self, bench_mode mode, const bench_ray *rays, size_t count,
                       bench_hit *hits, bench_surface *surfaces, mo_query_stats *stats) {
  mo_batch_def def = mo_default_batch_def();
  def.count = count;
  def.origins = mo_vec3_array_of(&rays->origin, sizeof *rays);
  def.directions = mo_vec3_array_of(&rays->direction, sizeof *rays);
  def.max_t = (mo_float_array){&rays->max_t, sizeof *rays};
  def.coherence = self->variant.coherence;
  def.scratch = self->scratch;
  def.scratch_size = self->scratch != NULL ? MO_BATCH_SCRATCH_SIZE : 0;
  mo_batch_output output = {0};
  if (mode != BENCH_ANY) {
    if (hits != NULL) {
      output.t = (mo_output){&hits->t, sizeof *hits};
      output.triangle = (mo_output){&hits->triangle, sizeof *hits};
    }
    if (surfaces != NULL) {
      output.weights = (mo_output){surfaces->weights, sizeof *surfaces};
      output.normal = (mo_output){&surfaces->normal, sizeof *surfaces};
    }
    check(self->scene != NULL ? mo_scene_cast_rays(self->scene, &def, &output, NULL, stats)
                              : mo_mesh_cast_rays(self->mesh, &def, &output, NULL, stats),
          "cast rays");
    return;
  }
  if (self->capacity < count) {
    free(self->found);
    self->found = allocate(count, sizeof *self->found);
    self->capacity = count;
  }
  output.found.data = self->found;
  check(self->scene != NULL ? mo_scene_test_rays(self->scene, &def, &output, NULL, stats)
                            : mo_mesh_test_rays(self->mesh, &def, &output, NULL, stats),
        "test rays");
  for (size_t i = 0; i < count && hits != NULL; i++) {
    hits[i] = (bench_hit){self->found[i] ? 0 : INFINITY, MO_NO_TRIANGLE};
  }
}

static void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                  bench_hit *hits, bench_surface *surfaces) {
  instance *self = opaque;
  bool scene = self->scene != NULL;
  if (self->variant.batch) {
    cast_batch(self, mode, rays, count, hits, surfaces, NULL);
  } else if (mode == BENCH_CLOSEST) {
    scene ? cast_all(self, true, BENCH_CLOSEST, rays, count, hits, NULL, NULL)
          : cast_all(self, false, BENCH_CLOSEST, rays, count, hits, NULL, NULL);
  } else if (mode == BENCH_ANY) {
    scene ? cast_all(self, true, BENCH_ANY, rays, count, hits, NULL, NULL)
          : cast_all(self, false, BENCH_ANY, rays, count, hits, NULL, NULL);
  } else {
    scene ? cast_all(self, true, BENCH_FULL, rays, count, hits, surfaces, NULL)
          : cast_all(self, false, BENCH_FULL, rays, count, hits, surfaces, NULL);
  }
}

static void count_work(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                       mo_query_stats *stats) {
  instance *self = opaque;
  memset(stats, 0, sizeof *stats);
  if (self->variant.batch) {
    cast_batch(self, mode, rays, count, NULL, NULL, stats);
    return;
  }
  cast_all(self, self->scene != NULL, mode, rays, count, NULL, NULL, stats);
}

#define ENGINE(label, is_exhaustive, ...)                                                          \
  {                                                                                                \
    .id = {label, NULL}, .exhaustive = is_exhaustive, .variant = &(const variant){__VA_ARGS__},    \
    .is_available = is_available, .create = create, .destroy = destroy, .bytes = bytes,            \
    .describe = describe, .trace = trace, .count_work = count_work,                                \
  }

const bench_engine bench_motte_engines[] = {
    ENGINE("motte", false, .builder = MO_MESH_BUILDER_SPLIT),
    ENGINE("motte-scalar", false, .isa = MO_ISA_SCALAR),
    ENGINE("motte-sse4", false, .isa = MO_ISA_SSE4),
    ENGINE("motte-avx2", false, .isa = MO_ISA_AVX2),
    ENGINE("motte-avx512", false, .isa = MO_ISA_AVX512),
    ENGINE("motte-nomailbox", false, .no_mailbox = true),
    ENGINE("motte-single", false, .builder = MO_MESH_BUILDER_SINGLE),
    ENGINE("motte-high", false, .better = 1),
    ENGINE("motte-high-nomailbox", false, .better = 1, .no_mailbox = true),
    ENGINE("motte-fast", false, .better = -1),
    ENGINE("motte-compact", false, .compact = true),
    ENGINE("motte-midpoint", false, .builder = MO_MESH_BUILDER_MIDPOINT),
    ENGINE("motte-midpoint-nomailbox", false, .builder = MO_MESH_BUILDER_MIDPOINT,
           .no_mailbox = true),
    ENGINE("motte-planewalk", false, .traversal = REFERENCE_PLANE_WALK),
    ENGINE("motte-scene", false, .through_scene = true),
    ENGINE("motte-batch", false, .batch = true),
    ENGINE("motte-batch-coherent", false, .batch = true, .coherence = MO_COHERENCE_COHERENT),
    ENGINE("motte-batch-incoherent", false, .batch = true, .coherence = MO_COHERENCE_INCOHERENT),
    ENGINE("motte-batch-compact", false, .batch = true, .compact = true),
    ENGINE("motte-batch-scalar", false, .batch = true, .isa = MO_ISA_SCALAR),
    ENGINE("motte-batch-scene", false, .batch = true, .through_scene = true),
    ENGINE("motte-naive", true, .traversal = REFERENCE_NAIVE),
    {.id = {NULL, NULL}},
};
