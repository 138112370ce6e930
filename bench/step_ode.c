/* ODE: bodies that move in a space by sweep and prune, static ones beside it; dCollide with up to
 * four points for each pair. */
#include <ode/ode.h>
#include <stdlib.h>

#include "common/check.h"
#include "counted.h"
#include "heights_ode.h"
#include "ode_mesh.h"
#include "step.h"
#include "timing.h"

enum { POINTS = 4 };

typedef struct pair {
  dGeomID a, b;
  int count;
  dContactGeom points[POINTS];
} pair;

/* The arrays of a hull as ODE refers to them. */
typedef struct hull {
  dReal *planes, *points;
  unsigned *polygons, face_count, vertex_count;
} hull;

typedef struct world {
  const bench_step_scene *scene;
  dSpaceID space;
  dGeomID *geoms;
  hull *hulls;
  dTriMeshDataID *meshes;
  dHeightfieldDataID heights;
  pair *pairs;
  size_t pair_count, pair_capacity;
} world;

static void make_hull(hull *h, const mo_hull *from) {
  mo_hull_info info;
  check(mo_hull_get_info(from, &info), "read a hull");
  mo_vec3 *vertices = allocate(info.vertex_count, sizeof *vertices);
  uint32_t *corners = allocate(info.vertex_count, sizeof *corners);
  check(mo_hull_get_vertices(from, vertices, info.vertex_count, NULL), "read a hull");
  h->planes = allocate(4 * (size_t)info.face_count, sizeof *h->planes);
  h->points = allocate(3 * (size_t)info.vertex_count, sizeof *h->points);
  /* Each face its number of corners, and these; each edge has a corner in two faces. */
  h->polygons = allocate(info.face_count + 2 * (size_t)info.edge_count, sizeof *h->polygons);
  h->face_count = info.face_count;
  h->vertex_count = info.vertex_count;
  for (unsigned i = 0; i < h->vertex_count; i++) {
    h->points[3 * i] = (dReal)vertices[i].x;
    h->points[3 * i + 1] = (dReal)vertices[i].y;
    h->points[3 * i + 2] = (dReal)vertices[i].z;
  }
  unsigned *to = h->polygons;
  for (unsigned i = 0; i < h->face_count; i++) {
    mo_hull_face face;
    check(mo_hull_get_face(from, i, &face, corners, info.vertex_count), "read a hull");
    mo_vec3 n = face.plane.normal, p = vertices[corners[0]]; /* inward */
    dReal *plane = &h->planes[4 * i];
    plane[0] = -(dReal)n.x;
    plane[1] = -(dReal)n.y;
    plane[2] = -(dReal)n.z;
    plane[3] = plane[0] * (dReal)p.x + plane[1] * (dReal)p.y + plane[2] * (dReal)p.z;
    *to++ = face.vertex_count;
    for (unsigned k = 0; k < face.vertex_count; k++) {
      *to++ = corners[k];
    }
  }
  free(vertices);
  free(corners);
}

static dTriMeshDataID make_mesh(const struct triangles *t) {
  dTriMeshDataID mesh = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildSingle(mesh, t->positions, sizeof(mo_vec3), (int)t->vertex_count, t->indices,
                              (int)(3 * t->triangle_count), 3 * sizeof(uint32_t));
  dGeomTriMeshDataPreprocess2(mesh, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL);
  return mesh;
}

static dGeomID make_geom(world *w, const bench_piece *piece) {
  dSpaceID space = piece->mass > 0 ? w->space : NULL;
  dReal x = (dReal)piece->half.x, y = (dReal)piece->half.y, z = (dReal)piece->half.z;
  switch (piece->kind) {
  case BENCH_PIECE_BALL:
    return dCreateSphere(space, x);
  case BENCH_PIECE_CAPSULE:
    return dCreateCapsule(space, x, 2 * z);
  case BENCH_PIECE_CYLINDER:
    return dCreateCylinder(space, x, 2 * z);
  case BENCH_PIECE_HULL: {
    const hull *h = &w->hulls[piece->shape];
    return dCreateConvex(space, h->planes, h->face_count, h->points, h->vertex_count, h->polygons);
  }
  case BENCH_PIECE_MESH:
    return dCreateTriMesh(space, w->meshes[piece->shape], NULL, NULL, NULL);
  default:
    return dCreateBox(space, 2 * x, 2 * y, 2 * z);
  }
}

static void *ode_allocate(dsizeint size) {
  return counted_allocate(16, size);
}

static void *ode_reallocate(void *memory, dsizeint old_size, dsizeint size) {
  (void)old_size;
  return counted_reallocate(memory, size);
}

static void ode_free(void *memory, dsizeint size) {
  (void)size;
  counted_free(memory);
}

static void *create(const bench_step_engine *engine, const bench_step_scene *scene) {
  (void)engine;
  dSetAllocHandler(ode_allocate);
  dSetReallocHandler(ode_reallocate);
  dSetFreeHandler(ode_free);
  dInitODE2(0);
  world *w = allocate(1, sizeof *w);
  w->scene = scene;
  w->space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY);
  w->geoms = allocate(scene->count, sizeof *w->geoms);
  w->hulls = allocate(scene->hull_count, sizeof *w->hulls);
  w->meshes = allocate(scene->mesh_count, sizeof *w->meshes);
  for (size_t i = 0; i < scene->hull_count; i++) {
    make_hull(&w->hulls[i], scene->hulls[i].hull);
  }
  for (size_t i = 0; i < scene->mesh_count; i++) {
    w->meshes[i] = make_mesh(&scene->meshes[i]->triangles);
  }
  if (scene->ground != NULL) {
    w->heights = ode_heights(scene->ground->terrain);
  }
  for (uint32_t i = 0; i < scene->count; i++) {
    bool is_heights = scene->pieces[i].kind == BENCH_PIECE_HEIGHTS;
    w->geoms[i] = is_heights ? ode_heights_geom(scene->ground->terrain, w->heights)
                             : make_geom(w, &scene->pieces[i]);
    dGeomSetData(w->geoms[i], (void *)(uintptr_t)i);
    if (!is_heights) {
      bench_ode_place(w->geoms[i], scene->start[i].position, scene->start[i].rotation);
    }
  }
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  for (uint32_t i = 0; i < w->scene->static_count; i++) {
    dGeomDestroy(w->geoms[i]);
  }
  dSpaceDestroy(w->space);
  if (w->heights != NULL) {
    dGeomHeightfieldDataDestroy(w->heights);
  }
  for (size_t i = 0; i < w->scene->mesh_count; i++) {
    dGeomTriMeshDataDestroy(w->meshes[i]);
  }
  for (size_t i = 0; i < w->scene->hull_count; i++) {
    free(w->hulls[i].planes);
    free(w->hulls[i].points);
    free(w->hulls[i].polygons);
  }
  free(w->hulls);
  free(w->meshes);
  free(w->geoms);
  free(w->pairs);
  free(w);
  dCloseODE();
  dSetAllocHandler(NULL);
  dSetReallocHandler(NULL);
  dSetFreeHandler(NULL);
}

static uint32_t body_of(dGeomID geom) {
  return (uint32_t)(uintptr_t)dGeomGetData(geom);
}

static void note(void *opaque, dGeomID a, dGeomID b) {
  world *w = opaque;
  const uint32_t group = w->scene->pieces[body_of(a)].group;
  if (group != 0 && group == w->scene->pieces[body_of(b)].group) {
    return;
  }
  if (w->pair_count == w->pair_capacity) {
    w->pair_capacity = w->pair_capacity > 0 ? 2 * w->pair_capacity : 1024;
    w->pairs = realloc(w->pairs, w->pair_capacity * sizeof *w->pairs);
    if (w->pairs == NULL) {
      fail("out of memory");
    }
  }
  pair *p = &w->pairs[w->pair_count++];
  p->a = a;
  p->b = b;
}

static bench_step_times step(void *opaque, const bench_pose *poses) {
  world *w = opaque;
  const uint32_t statics = w->scene->static_count;
  double begin = bench_clock();
  for (uint32_t i = statics; i < w->scene->count; i++) {
    bench_ode_place(w->geoms[i], poses[i - statics].position, poses[i - statics].rotation);
  }
  double placed = bench_clock();
  w->pair_count = 0;
  dSpaceCollide(w->space, w, note);
  for (uint32_t i = 0; i < statics; i++) {
    dSpaceCollide2(w->geoms[i], (dGeomID)w->space, w, note);
  }
  double paired = bench_clock();
  for (size_t i = 0; i < w->pair_count; i++) {
    pair *p = &w->pairs[i];
    p->count = dCollide(p->a, p->b, POINTS, p->points, sizeof *p->points);
  }
  double end = bench_clock();
  return (bench_step_times){1e3 * (placed - begin), 1e3 * (paired - placed), 1e3 * (end - paired)};
}

static void touches(void *opaque, bench_visit_touch *visit, void *context) {
  const world *w = opaque;
  for (size_t i = 0; i < w->pair_count; i++) {
    const pair *p = &w->pairs[i];
    uint32_t a = body_of(p->a), b = body_of(p->b);
    for (int k = 0; k < p->count; k++) {
      const bench_touch touch = {a < b ? a : b, a < b ? b : a, -(float)p->points[k].depth};
      visit(&touch, context);
    }
  }
}

static void count(void *opaque, size_t *pairs, size_t *points) {
  const world *w = opaque;
  *pairs = w->pair_count;
  *points = 0;
  for (size_t i = 0; i < w->pair_count; i++) {
    *points += (size_t)w->pairs[i].count;
  }
}

/* With the pairs, which the adapter lists for it. */
static size_t bytes(void *opaque) {
  return counted_bytes + ((const world *)opaque)->pair_capacity * sizeof(pair);
}

const bench_step_engine bench_step_ode = {
    .id = {"ode", BENCH_ODE_VERSION},
    .workers = 1,
    .band = 0.002,
    .create = create,
    .destroy = destroy,
    .step = step,
    .touches = touches,
    .count = count,
    .bytes = bytes,
};
