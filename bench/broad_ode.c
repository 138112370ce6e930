/* ODE: its quad tree space, and its hash space. Spaces note what moved and find pairs from scratch;
 * in the quad tree a few bodies may query one by one. */
#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

#include "broad.h"
#include "common/check.h"

typedef struct pair {
  uint32_t a, b;
} pair;

typedef struct world {
  bool hash;
  dSpaceID space;
  dGeomID *geoms;
  bench_box *now; /* by body */
  uint32_t count;
  uint32_t *movers;
  bench_box *boxes;
  bool resize;
  bool *has_moved;
  uint32_t mover_count;
  uint32_t asking;
  pair *found;
  size_t found_count, found_capacity;
} world;

static uint32_t body_of(dGeomID geom) {
  return (uint32_t)(uintptr_t)dGeomGetData(geom);
}

static void place(dGeomID geom, const bench_box *box) {
  dGeomSetPosition(geom, (dReal)box->center.x, (dReal)box->center.y, (dReal)box->center.z);
}

static dGeomID add(world *self, const bench_box *box, uint32_t body) {
  dGeomID geom = dCreateBox(self->space, 2 * (dReal)box->half.x, 2 * (dReal)box->half.y,
                            2 * (dReal)box->half.z);
  dGeomSetData(geom, (void *)(uintptr_t)body);
  place(geom, box);
  return geom;
}

static void *create(const bench_broad_engine *engine, const bench_boxes *boxes) {
  uint32_t count = boxes->count;
  dReal edge = (dReal)boxes->world;
  dInitODE2(0);
  world *self = allocate(1, sizeof *self);
  self->hash = *(const bool *)engine->variant;
  if (self->hash) {
    self->space = dHashSpaceCreate(NULL);
    dHashSpaceSetLevels(self->space, -4, 10);
  } else {
    /* Cells down to a few bodies each: a quarter as many per level. */
    int depth = 1;
    while (depth < 9 && (count >> (2 * depth)) > 4) {
      depth++;
    }
    dVector3 center = {0}, extents = {edge, edge, edge};
    self->space = dQuadTreeSpaceCreate(NULL, center, extents, depth);
  }
  self->count = count;
  self->resize = boxes->resize;
  self->geoms = allocate(count, sizeof *self->geoms);
  self->movers = allocate(count, sizeof *self->movers);
  self->boxes = allocate(count, sizeof *self->boxes);
  self->has_moved = allocate(count, sizeof *self->has_moved);
  self->now = allocate(count, sizeof *self->now);
  for (uint32_t i = 0; i < count; i++) {
    self->now[i] = boxes->all[i];
    self->geoms[i] = add(self, &boxes->all[i], i);
  }
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  dSpaceDestroy(self->space);
  free(self->geoms);
  free(self->now);
  free(self->movers);
  free(self->boxes);
  free(self->has_moved);
  free(self->found);
  free(self);
  dCloseODE();
}

static void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count,
                    bool replace) {
  (void)replace;
  world *self = opaque;
  for (uint32_t k = 0; k < self->mover_count; k++) {
    self->has_moved[self->movers[k]] = false;
  }
  for (uint32_t k = 0; k < count; k++) {
    self->movers[k] = movers[k];
    self->boxes[k] = boxes[k];
    self->has_moved[movers[k]] = true;
  }
  self->mover_count = count;
}

static void update(void *opaque, bool replace) {
  world *self = opaque;
  for (uint32_t k = 0; k < self->mover_count; k++) {
    uint32_t body = self->movers[k];
    const bench_box *box = &self->boxes[k];
    self->now[body] = *box;
    if (replace) {
      dGeomDestroy(self->geoms[body]);
      self->geoms[body] = add(self, box, body);
      continue;
    }
    if (self->resize) {
      dGeomBoxSetLengths(self->geoms[body], 2 * (dReal)box->half.x, 2 * (dReal)box->half.y,
                         2 * (dReal)box->half.z);
    }
    place(self->geoms[body], box);
  }
}

static void note(world *self, uint32_t a, uint32_t b) {
  if (self->found_count == self->found_capacity) {
    self->found_capacity = self->found_capacity > 0 ? 2 * self->found_capacity : 1024;
    self->found = realloc(self->found, self->found_capacity * sizeof *self->found);
    if (self->found == NULL) {
      fail("out of memory");
    }
  }
  self->found[self->found_count++] = (pair){a, b};
}

static void collect(void *opaque, dGeomID a, dGeomID b) {
  note(opaque, body_of(a), body_of(b));
}

static void collect_of_mover(void *opaque, dGeomID a, dGeomID b) {
  world *self = opaque;
  uint32_t p = body_of(a), q = body_of(b), other = p == self->asking ? q : p;
  if (other != self->asking && (other > self->asking || !self->has_moved[other])) {
    note(self, self->asking, other);
  }
}

static void find(void *opaque) {
  world *self = opaque;
  self->found_count = 0;
  if (self->hash || self->mover_count * 20 > self->count) {
    dSpaceCollide(self->space, self, collect);
    return;
  }
  for (uint32_t k = 0; k < self->mover_count; k++) {
    self->asking = self->movers[k];
    dSpaceCollide2(self->geoms[self->asking], (dGeomID)self->space, self, collect_of_mover);
  }
}

static void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  const world *self = opaque;
  for (size_t i = 0; i < self->found_count; i++) {
    visit(self->found[i].a, self->found[i].b, context);
  }
}

typedef struct search {
  const world *in;
  dGeomID geom;
  const bench_probe *probe;
  bench_probe_kind kind;
  bench_finding finding;
} search;

static void meet(void *context, dGeomID a, dGeomID b) {
  search *self = context;
  uint32_t body = body_of(a == self->geom ? b : a);
  const bench_box *box = &self->in->now[body];
  if (self->kind != BENCH_PROBE_BOX) {
    bench_meet_box(self->probe, box, body, self->kind, &self->finding);
  } else if (bench_boxes_touch(&self->probe->box, box)) {
    self->finding.total++;
    self->finding.sum += body;
  }
}

static void aim(dGeomID geom, bench_probe_kind kind, const bench_probe *probe) {
  if (kind == BENCH_PROBE_BOX) {
    dGeomBoxSetLengths(geom, 2 * (dReal)probe->box.half.x, 2 * (dReal)probe->box.half.y,
                       2 * (dReal)probe->box.half.z);
    place(geom, &probe->box);
  } else {
    dGeomRaySetLength(geom, (dReal)probe->max_t);
    dGeomRaySet(geom, (dReal)probe->origin.x, (dReal)probe->origin.y, (dReal)probe->origin.z,
                (dReal)probe->direction.x, (dReal)probe->direction.y, (dReal)probe->direction.z);
  }
}

static void query(void *opaque, bench_probe_kind kind, const bench_probe *probes, size_t count,
                  bench_finding *findings) {
  const world *self = opaque;
  dGeomID geom = kind == BENCH_PROBE_BOX ? dCreateBox(NULL, 1, 1, 1) : dCreateRay(NULL, 1);
  for (size_t i = 0; i < count; i++) {
    search query = {self, geom, &probes[i], kind, {0, 0, INFINITY}};
    aim(geom, kind, &probes[i]);
    dSpaceCollide2(geom, (dGeomID)self->space, &query, meet);
    findings[i] = query.finding;
  }
  dGeomDestroy(geom);
}

static const bool is_quad_tree = false, is_hash = true;

#define ENGINE(label, which, limit)                                                                \
  {                                                                                                \
    .id = {label, BENCH_ODE_VERSION}, .variant = &which, .max = limit, .create = create,           \
    .destroy = destroy, .prepare = prepare, .update = update, .find = find, .pairs = list_pairs,   \
    .query = query, .knows_rays = true,                                                            \
  }

const bench_broad_engine bench_broad_ode_quad = ENGINE("ode-quadtree", is_quad_tree, 0);
const bench_broad_engine bench_broad_ode_hash = ENGINE("ode-hash", is_hash, 20000);
