/* Instances as the shapes of a scene; meshes that deform are refitted. */
#include <math.h>
#include <motte/batch.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "instances.h"

typedef struct world {
  mo_mesh **meshes;
  uint32_t mesh_count;
  mo_scene *scene;
  mo_shape_id *ids;
  void *scratch; /* of batches */
} world;

/* What does not deform is built at high quality, as Embree's is. */
static mo_mesh *build_mesh(const bench_mesh *mesh, bool deforms) {
  mo_mesh_def def = bench_mesh_def(mesh);
  def.build.builder = deforms ? MO_MESH_BUILDER_SINGLE : def.build.builder;
  def.build.deformable = deforms;
  def.build.quality = deforms ? MO_MESH_QUALITY_DEFAULT : MO_MESH_QUALITY_HIGH;
  mo_mesh *made;
  check(mo_mesh_create(&def, &made), "build a mesh");
  return made;
}

static void *create(const bench_instancer *engine, const bench_instances *instances) {
  (void)engine;
  world *self = allocate(1, sizeof *self);
  self->scratch = allocate(1, MO_BATCH_SCRATCH_SIZE);
  self->ids = allocate(instances->count, sizeof *self->ids);
  self->meshes = allocate(instances->mesh_count, sizeof *self->meshes);
  self->mesh_count = instances->mesh_count;
  for (uint32_t i = 0; i < self->mesh_count; i++) {
    self->meshes[i] = build_mesh(instances->meshes[i], instances->deforms[i]);
  }
  mo_scene_def scene_def = mo_default_scene_def();
  check(mo_scene_create(&scene_def, &self->scene), "make a scene");
  mo_shape_def *defs = allocate(instances->count, sizeof *defs);
  for (uint32_t i = 0; i < instances->count; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_MESH);
    defs[i].geometry.mesh = self->meshes[instances->mesh_of[i]];
    defs[i].transform = instances->transforms[i];
  }
  check(mo_scene_add_shapes(self->scene, defs, instances->count, self->ids, NULL), "add shapes");
  check(mo_scene_update(self->scene, NULL), "update a scene");
  free(defs);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  mo_scene_destroy(self->scene);
  for (uint32_t i = 0; i < self->mesh_count; i++) {
    mo_mesh_release(self->meshes[i]);
  }
  free(self->meshes);
  free(self->ids);
  free(self->scratch);
  free(self);
}

static void deform(const world *self, const bench_instances *instances) {
  for (uint32_t i = 0; i < self->mesh_count; i++) {
    const struct triangles *t = &instances->meshes[i]->triangles;
    if (instances->deforms[i]) {
      check(mo_mesh_refit(self->meshes[i], t->positions, sizeof *t->positions, t->vertex_count,
                          NULL, NULL),
            "refit a mesh");
    }
  }
  for (uint32_t i = 0; i < instances->count; i++) {
    if (instances->deforms[instances->mesh_of[i]]) {
      check(mo_scene_refresh_shape(self->scene, self->ids[i]), "refresh a shape");
    }
  }
}

static void update(void *opaque, const bench_instances *instances) {
  world *self = opaque;
  mo_update_def def = mo_default_update_def();
  def.ids = self->ids;
  def.transforms = instances->transforms;
  def.count = instances->count;
  deform(self, instances);
  check(mo_scene_update(self->scene, &def), "move shapes");
}

static void cast(const world *self, bench_mode mode, const bench_ray *rays, size_t count,
                 bench_hit *hits, mo_query_stats *stats) {
  mo_ray_def ray = mo_default_ray_def();
  mo_result result = MO_OK;
  for (size_t i = 0; i < count && result == MO_OK; i++) {
    ray.origin = rays[i].origin;
    ray.direction = rays[i].direction;
    ray.max_t = rays[i].max_t;
    mo_ray_hit hit;
    if (mode == BENCH_CLOSEST) {
      result = mo_scene_cast_ray(self->scene, &ray, &hit, stats);
    } else {
      result = mo_scene_test_ray(self->scene, &ray, &hit.found, stats);
      hit.t = 0;
    }
    if (hits != NULL && result == MO_OK) {
      hits[i].t = hit.found ? hit.t : INFINITY;
    }
  }
  check(result, "cast a ray");
}

static void trace(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                  bench_hit *hits) {
  cast(opaque, mode, rays, count, hits, NULL);
}

/* All rays in one call, from the array as it is; closest hits only. */
static void trace_together(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                           bench_hit *hits) {
  const world *self = opaque;
  mo_batch_def def = mo_default_batch_def();
  def.count = count;
  def.origins = mo_vec3_array_of(&rays->origin, sizeof *rays);
  def.directions = mo_vec3_array_of(&rays->direction, sizeof *rays);
  def.max_t = (mo_float_array){&rays->max_t, sizeof *rays};
  def.scratch = self->scratch;
  def.scratch_size = MO_BATCH_SCRATCH_SIZE;
  mo_batch_output output = {.t = {&hits->t, sizeof *hits},
                            .triangle = {&hits->triangle, sizeof *hits}};
  if (mode != BENCH_CLOSEST) {
    fail("only closest hits are cast together");
  }
  check(mo_scene_cast_rays(self->scene, &def, &output, NULL, NULL), "cast rays");
}

static void trace_batch(void *opaque, const bench_ray *rays, size_t count, bench_hit *hits) {
  trace_together(opaque, BENCH_CLOSEST, rays, count, hits);
}

static void count_work(void *opaque, bench_mode mode, const bench_ray *rays, size_t count,
                       mo_query_stats *stats) {
  memset(stats, 0, sizeof *stats);
  cast(opaque, mode, rays, count, NULL, stats);
}

enum { HITS = 256 };

static uint32_t list_one(const world *self, bench_listing listing, const mo_ray_def *ray,
                         mo_ray_hit hits[HITS]) {
  uint32_t count = 0;
  mo_result result = MO_OK;
  if (listing == BENCH_ALL_HITS) {
    result = mo_scene_cast_ray_all(self->scene, ray, hits, HITS, &count, NULL);
  } else if (listing == BENCH_FIRST_HITS) {
    result = mo_scene_cast_ray_first(self->scene, ray, hits, BENCH_FIRST, &count, NULL);
  } else {
    mo_ray_cursor cursor;
    result = mo_ray_cursor_init(&cursor, NULL);
    for (; count < BENCH_FIRST && result == MO_OK; count++) {
      result = mo_scene_next_hit(self->scene, ray, &cursor, &hits[count], NULL);
      if (!hits[count].found) {
        break;
      }
    }
  }
  check(result, "list hits");
  return count;
}

static void list(void *opaque, bench_listing listing, const bench_ray *rays, size_t count,
                 float *t) {
  mo_ray_def ray = mo_default_ray_def();
  for (size_t i = 0; i < count; i++) {
    mo_ray_hit hits[HITS];
    ray.origin = rays[i].origin;
    ray.direction = rays[i].direction;
    ray.max_t = rays[i].max_t;
    uint32_t found = list_one(opaque, listing, &ray, hits);
    for (uint32_t h = 0; h < BENCH_FIRST; h++) {
      t[BENCH_FIRST * i + h] = h < found ? hits[h].t : INFINITY;
    }
  }
}

const bench_instancer bench_motte_instancers[] = {
    {
        .id = {"motte", NULL},
        .create = create,
        .destroy = destroy,
        .update = update,
        .trace = trace,
        .trace_together = trace_together,
        .trace_batch = trace_batch,
        .count_work = count_work,
        .list = list,
    },
    {.id = {NULL, NULL}},
};
