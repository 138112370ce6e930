/* ODE: two triangle meshes by dCollide. It tells of contact points, not of pairs of triangles. */
#include <ode/ode.h>
#include <stdlib.h>

#include "common/check.h"
#include "ode_mesh.h"
#include "pairs.h"

enum { MAX_CONTACTS = 4096 };

typedef struct world {
  bench_ode_mesh *a, *b;
  dContactGeom contacts[MAX_CONTACTS];
} world;

static void *create(const bench_mesh *a, const bench_mesh *b) {
  dInitODE2(0);
  world *self = allocate(1, sizeof *self);
  self->a = bench_ode_mesh_create(a, 1);
  self->b = bench_ode_mesh_create(b, 1);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  bench_ode_mesh_destroy(self->a);
  bench_ode_mesh_destroy(self->b);
  free(self);
  dCloseODE();
}

static bool can(bench_pair_query query) {
  return query == BENCH_PAIR_TOUCH || query == BENCH_PAIR_CONTACTS;
}

static void run(void *opaque, bench_pair_query query, const bench_pair_pose *poses, size_t count,
                bench_pair_answer *answers) {
  world *self = opaque;
  const int flags = query == BENCH_PAIR_TOUCH ? 1 | (int)CONTACTS_UNIMPORTANT : (int)MAX_CONTACTS;
  for (size_t i = 0; i < count; i++) {
    bench_ode_place(self->b->geom, poses[i].translation, poses[i].rotation);
    int found =
        dCollide(self->a->geom, self->b->geom, flags, self->contacts, sizeof self->contacts[0]);
    answers[i] = (bench_pair_answer){.found = found > 0,
                                     .number = query == BENCH_PAIR_CONTACTS ? (double)found : 0};
  }
}

extern const bench_pair_engine bench_pair_ode;
const bench_pair_engine bench_pair_ode = {{"ode", BENCH_ODE_VERSION}, create, destroy, can, run};
