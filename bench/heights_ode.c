/* ODE: one height field, which refers to the caller's samples. A change writes these: there is
 * nothing to update, as long as they stay within the bounds that were set. Rays by dCollide, which
 * gives contacts in no order: of some, the closest. They test all cells below their box, a million
 * for a long one, so that they are not timed. It has no casts. Bodies meet the planes of triangles,
 * and some that lie on edges are missed, however deep they are. */
#include "heights_ode.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "heights.h"
#include "timing.h"

enum { RAY_CONTACTS = 64 };

typedef struct world {
  bench_terrain *terrain; /* a copy: changes are written to it */
  dHeightfieldDataID data;
  dGeomID field, ray;
} world;

/* The field is solid below the surface, by this much below its lowest height. */
#define THICKNESS ((dReal)1)

dHeightfieldDataID ode_heights(const bench_terrain *terrain) {
  const dReal length = (dReal)(terrain->side - 1);
  const int side = (int)terrain->side;
  dHeightfieldDataID data = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildSingle(data, terrain->heights, 0, length, length, side, side, 1, 0,
                                  THICKNESS, 0);
  dGeomHeightfieldDataSetBounds(data, 0, (dReal)(BENCH_HEIGHT_LEVELS * BENCH_HEIGHT_UNIT));
  return data;
}

dGeomID ode_heights_geom(const bench_terrain *terrain, dHeightfieldDataID data) {
  const dReal half = (dReal)0.5f * (dReal)(terrain->side - 1);
  dGeomID geom = dCreateHeightfield(NULL, data, 1);
  dGeomSetPosition(geom, half, 0, half);
  return geom;
}

static void *create(const bench_height_engine *engine, const bench_terrain *terrain,
                    double *seconds) {
  (void)engine;
  dInitODE2(0);
  world *w = allocate(1, sizeof *w);
  w->terrain = bench_terrain_copy(terrain);
  double start = bench_clock();
  w->data = ode_heights(w->terrain);
  *seconds = bench_clock() - start;
  w->field = ode_heights_geom(w->terrain, w->data);
  w->ray = dCreateRay(NULL, 1);
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  dGeomDestroy(w->ray);
  dGeomDestroy(w->field);
  dGeomHeightfieldDataDestroy(w->data);
  bench_terrain_free(w->terrain);
  free(w);
  dCloseODE();
}

/* The samples: what it adds to them is some hundred bytes. */
static size_t bytes(void *opaque) {
  const bench_terrain *terrain = ((const world *)opaque)->terrain;
  return (size_t)terrain->side * terrain->side * sizeof *terrain->heights;
}

static void cast_rays(void *opaque, const bench_ray *rays, size_t count, float *t) {
  const world *w = opaque;
  for (size_t i = 0; i < count; i++) {
    const mo_vec3 o = rays[i].origin, d = rays[i].direction;
    dContactGeom contacts[RAY_CONTACTS];
    dGeomRaySetLength(w->ray, (dReal)rays[i].max_t);
    dGeomRaySet(w->ray, (dReal)o.x, (dReal)o.y, (dReal)o.z, (dReal)d.x, (dReal)d.y, (dReal)d.z);
    int found = dCollide(w->ray, w->field, RAY_CONTACTS, contacts, sizeof *contacts);
    t[i] = INFINITY;
    for (int k = 0; k < found; k++) {
      t[i] = fminf(t[i], (float)contacts[k].depth);
    }
  }
}

static void edit_region(void *opaque, const bench_height_edit *region, const bench_terrain *whole) {
  (void)whole;
  world *w = opaque;
  bench_terrain_edit(w->terrain->heights, w->terrain->side, region);
}

extern const bench_step_engine bench_step_ode;
extern const bench_height_engine bench_height_ode;
const bench_height_engine bench_height_ode = {
    .id = {"ode", BENCH_ODE_VERSION},
    .slack = 1e-3,
    .tolerated = 1e-3,
    .has_slow_rays = true,
    .steps = &bench_step_ode,
    .misses = 0.06,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .cast_rays = cast_rays,
    .edit = edit_region,
};
