/* ODE: a triangle mesh and a shape by dCollide, for any contact. Its transforms do not scale, so
 * the mesh is scaled before. Which triangles touch it does not say. */
#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

#include "common/check.h"
#include "queries.h"

typedef struct world {
  float *positions;
  dTriIndex *indices;
  dTriMeshDataID data;
  dGeomID mesh;
} world;

static void place(dGeomID geom, mo_vec3 t, mo_quat q) {
  const dQuaternion rotation = {q.w, q.x, q.y, q.z};
  dGeomSetPosition(geom, t.x, t.y, t.z);
  dGeomSetQuaternion(geom, rotation);
}

static void *create(const bench_query_engine *engine, const bench_target *target) {
  (void)engine;
  if (target->boxes != NULL) {
    return NULL;
  }
  dInitODE2(0);
  world *self = allocate(1, sizeof *self);
  const struct triangles *source = &target->mesh->triangles;
  self->positions = allocate(3 * (size_t)source->vertex_count, sizeof *self->positions);
  self->indices = allocate(3 * (size_t)source->triangle_count, sizeof *self->indices);
  for (size_t i = 0; i < source->vertex_count; i++) {
    self->positions[3 * i] = target->scale * source->positions[i].x;
    self->positions[3 * i + 1] = target->scale * source->positions[i].y;
    self->positions[3 * i + 2] = target->scale * source->positions[i].z;
  }
  for (size_t i = 0; i < 3 * (size_t)source->triangle_count; i++) {
    self->indices[i] = (dTriIndex)source->indices[i];
  }
  self->data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildSingle(self->data, self->positions, 3 * sizeof(float),
                              (int)source->vertex_count, self->indices,
                              3 * (int)source->triangle_count, 3 * sizeof(dTriIndex));
  self->mesh = dCreateTriMesh(NULL, self->data, NULL, NULL, NULL);
  place(self->mesh, target->translation, target->rotation);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  dGeomDestroy(self->mesh);
  dGeomTriMeshDataDestroy(self->data);
  free(self->positions);
  free(self->indices);
  free(self);
  dCloseODE();
}

/* Boxes alone: spheres were found not to touch many triangles that they overlap, other forms have
 * not been tried. */
static bool can(const bench_query_engine *engine, const bench_question *question) {
  (void)engine;
  return question->query == BENCH_QUERY_ANY &&
         (question->form == BENCH_BOX || question->form == BENCH_ORIENTED_BOX);
}

static void run(void *opaque, const bench_question *question, const bench_probe *probes,
                size_t count, bench_answer *answers) {
  world *self = opaque;
  dReal width = question->width;
  dGeomID shape = dCreateBox(NULL, width, width, width);
  for (size_t i = 0; i < count; i++) {
    dContactGeom contact;
    place(shape, probes[i].center, probes[i].rotation);
    answers[i] =
        dCollide(shape, self->mesh, 1 | (int)CONTACTS_UNIMPORTANT, &contact, sizeof contact) > 0;
  }
  dGeomDestroy(shape);
}

extern const bench_query_engine bench_query_ode;
const bench_query_engine bench_query_ode = {
    .id = {"ode", BENCH_ODE_VERSION},
    .tolerance = 1e-3,
    .distance_tolerance = 1e-4,
    .tolerated = 0.02,
    .create = create,
    .destroy = destroy,
    .can = can,
    .run = run,
};
