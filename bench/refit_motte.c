/* Motte's ways of following a deforming mesh: refit, also with the worst parts rebuilt (a twentieth
 * of the triangles a frame at most), and building anew. */
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "refit.h"

typedef enum method { REFIT, REFIT_AND_PARTS, REBUILD_FAST, REBUILD_DEFAULT } method;

typedef struct instance {
  const bench_mesh *source;
  mo_mesh *mesh;
  method method;
  size_t tree_bytes; /* of blocks and bounds, without what a refit leaves alone */
} instance;

static mo_mesh *build(const bench_mesh *source, method how) {
  mo_mesh_def def = bench_mesh_def(source);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = how == REFIT || how == REFIT_AND_PARTS;
  def.build.quality = how == REBUILD_FAST ? MO_MESH_QUALITY_FAST : MO_MESH_QUALITY_DEFAULT;
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "make a mesh");
  return mesh;
}

static void *create(const bench_refit_engine *engine, const bench_mesh *source) {
  instance *self = allocate(1, sizeof *self);
  self->source = source;
  self->method = *(const method *)engine->variant;
  self->mesh = build(source, self->method);
  mo_mesh_stats stats;
  check(mo_mesh_get_stats(self->mesh, &stats), "read statistics");
  self->tree_bytes =
      stats.block_count * (size_t)(9 * 8 * 4) + stats.node_count * (size_t)(6 * 8 * 4);
  return self;
}

static void destroy(void *opaque) {
  instance *self = opaque;
  mo_mesh_release(self->mesh);
  free(self);
}

static void update(void *opaque, bench_refit_report *report) {
  instance *self = opaque;
  if (self->method == REBUILD_FAST || self->method == REBUILD_DEFAULT) {
    mo_mesh_release(self->mesh);
    self->mesh = build(self->source, self->method);
    return;
  }
  const struct triangles *t = &self->source->triangles;
  mo_mesh_refit_info info;
  check(mo_mesh_refit(self->mesh, t->positions, sizeof *t->positions, t->vertex_count, &info, NULL),
        "refit a mesh");
  if (self->method == REFIT_AND_PARTS) {
    mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
    options.threshold = 1.2f;
    options.max_triangles = t->triangle_count / 20;
    mo_mesh_rebuild_info rebuilt;
    check(mo_mesh_rebuild_parts(self->mesh, &options, &rebuilt), "rebuild parts of a mesh");
    info = rebuilt.quality;
  }
  *report = (bench_refit_report){info.degradation, self->method == REFIT ? self->tree_bytes : 0};
}

static void cast(void *opaque, const bench_ray *rays, size_t count, bench_hit *hits,
                 mo_query_stats *stats) {
  const instance *self = opaque;
  mo_ray_def def = mo_default_ray_def();
  for (size_t i = 0; i < count; i++) {
    def.origin = rays[i].origin;
    def.direction = rays[i].direction;
    def.max_t = rays[i].max_t;
    mo_ray_hit hit;
    check(mo_mesh_cast_ray(self->mesh, &def, &hit, stats), "cast a ray");
    if (hits != NULL) {
      hits[i] = (bench_hit){hit.found ? hit.t : INFINITY, hit.triangle};
    }
  }
}

static void trace(void *opaque, const bench_ray *rays, size_t count, bench_hit *hits) {
  cast(opaque, rays, count, hits, NULL);
}

static void count_work(void *opaque, const bench_ray *rays, size_t count, mo_query_stats *stats) {
  *stats = (mo_query_stats){0};
  cast(opaque, rays, count, NULL, stats);
}

#define ENGINE(label, how)                                                                         \
  {                                                                                                \
    .id = {label, NULL}, .variant = &(const method){how}, .create = create, .destroy = destroy,    \
    .update = update, .trace = trace, .count_work = count_work,                                    \
  }

const bench_refit_engine bench_refit_motte_engines[] = {
    ENGINE("motte-refit", REFIT),
    ENGINE("motte-refit-parts", REFIT_AND_PARTS),
    ENGINE("motte-rebuild-fast", REBUILD_FAST),
    ENGINE("motte-rebuild", REBUILD_DEFAULT),
    {.id = {NULL, NULL}},
};
