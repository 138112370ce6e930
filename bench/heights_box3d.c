/* Box3D: a world with one height field. It has 16 bits a sample, over a range that the caller
 * chooses: here such that heights are exact. It cannot be changed: a change makes it anew.
 * Cylinders are prisms of 32 sides, smaller by up to 1/830 of their width. */
#include <math.h>
#include <stdlib.h>

#include "box3d.h"
#include "common/check.h"
#include "heights.h"
#include "timing.h"

typedef struct world {
  b3WorldId id;
  b3BodyId body;
  b3ShapeId shape;
  b3HeightFieldData *field;
} world;

b3HeightFieldData *box3d_heights(const bench_terrain *terrain) {
  const b3HeightFieldDef def = {.heights = terrain->heights,
                                .scale = {1, 1, 1},
                                .countX = (int)terrain->side,
                                .countZ = (int)terrain->side,
                                .globalMinimumHeight = 0,
                                .globalMaximumHeight = UINT16_MAX * BENCH_HEIGHT_UNIT};
  b3HeightFieldData *field = b3CreateHeightField(&def);
  if (field == NULL) {
    fail("Box3D cannot make a height field");
  }
  return field;
}

static void add_field(world *w) {
  const b3ShapeDef shape = b3DefaultShapeDef();
  w->shape = b3CreateHeightFieldShape(w->body, &shape, w->field);
}

static void *create(const bench_height_engine *engine, const bench_terrain *terrain,
                    double *seconds) {
  (void)engine;
  world *w = allocate(1, sizeof *w);
  const b3WorldDef def = b3DefaultWorldDef();
  w->id = b3CreateWorld(&def);
  double start = bench_clock();
  w->field = box3d_heights(terrain);
  *seconds = bench_clock() - start;
  const b3BodyDef body = b3DefaultBodyDef();
  w->body = b3CreateBody(w->id, &body);
  add_field(w);
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  b3DestroyWorld(w->id);
  b3DestroyHeightField(w->field);
  free(w);
}

static size_t bytes(void *opaque) {
  return (size_t)((const world *)opaque)->field->byteCount;
}

static void cast_rays(void *opaque, const bench_ray *rays, size_t count, float *t) {
  const world *w = opaque;
  for (size_t i = 0; i < count; i++) {
    const b3Vec3 way = b3MulSV(rays[i].max_t, box3d_vector(rays[i].direction));
    const b3RayResult hit =
        b3World_CastRayClosest(w->id, box3d_vector(rays[i].origin), way, b3DefaultQueryFilter());
    t[i] = hit.hit ? hit.fraction * rays[i].max_t : INFINITY;
  }
}

static void rebuild(void *opaque, const bench_height_edit *region, const bench_terrain *whole) {
  (void)region;
  world *w = opaque;
  b3DestroyShape(w->shape, false);
  b3DestroyHeightField(w->field);
  w->field = box3d_heights(whole);
  add_field(w);
}

extern const bench_query_engine bench_query_box3d;
extern const bench_step_engine bench_step_box3d_no_reuse;
extern const bench_height_engine bench_height_box3d, bench_height_box3d_rebuild;

#define ENGINE(label)                                                                              \
  .id = {label, BENCH_BOX3D_VERSION}, .slack = 1e-3, .tolerated = 1e-3,                            \
  .queries = &bench_query_box3d, .steps = &bench_step_box3d_no_reuse, .band = 0.00125,             \
  .misses = 0.06, .create = create, .destroy = destroy, .bytes = bytes, .cast_rays = cast_rays

const bench_height_engine bench_height_box3d = {ENGINE("box3d")};
const bench_height_engine bench_height_box3d_rebuild = {ENGINE("box3d-rebuild"), .rebuilds = true,
                                                        .edit = rebuild};
