/* ODE: a triangle mesh and a shape by dCollide, for any contact. Its transforms do not scale, so
 * the mesh is scaled before. Which triangles touch it does not say. */
#include "ode_mesh.h"
#include "queries.h"

static void *create(const bench_query_engine *engine, const bench_target *target) {
  (void)engine;
  if (target->boxes != NULL) {
    return NULL;
  }
  dInitODE2(0);
  bench_ode_mesh *self = bench_ode_mesh_create(target->mesh, target->scale);
  bench_ode_place(self->geom, target->translation, target->rotation);
  return self;
}

static void destroy(void *mesh) {
  bench_ode_mesh_destroy(mesh);
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
  const bench_ode_mesh *self = opaque;
  dReal width = question->width;
  dGeomID shape = dCreateBox(NULL, width, width, width);
  for (size_t i = 0; i < count; i++) {
    dContactGeom contact;
    bench_ode_place(shape, probes[i].center, probes[i].rotation);
    answers[i] =
        dCollide(shape, self->geom, 1 | (int)CONTACTS_UNIMPORTANT, &contact, sizeof contact) > 0;
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
