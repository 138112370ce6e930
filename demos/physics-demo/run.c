#include "physics-demo/run.h"

#include <math.h>

#include "common/check.h"
#include "common/clock.h"

struct step_costs step(struct stage *stage) {
  struct world *world = stage->world;
  struct step_costs costs = {0};
  if (stage->options->scene->act != NULL) {
    stage->options->scene->act(stage);
  }
  if (stage->options->collision == COLLISION_MOTTE) {
    collide_by_motte(world, &costs);
  } else {
    collide_by_ode(world, &costs);
  }
  double start = processor_seconds();
  if (!dWorldQuickStep(world->ode, world->step)) {
    fail("ODE has no memory for a step");
  }
  double solved = processor_seconds();
  costs.solver = solved - start;
  if (stage->options->collision == COLLISION_MOTTE) {
    sweep_fast_bodies(world);
  }
  costs.sweeps = processor_seconds() - solved;
  costs.passed_count = count_passed_bodies(world);
  world_end_step(world);
  for (uint32_t i = 0; i < world->count; i++) {
    costs.awake_count += world->bodies[i].ode != NULL && !world->bodies[i].asleep;
  }
  stage->time += world->step;
  return costs;
}

void totals_add(struct totals *totals, const struct step_costs *costs) {
  totals->costs.update += costs->update;
  totals->costs.pairs += costs->pairs;
  totals->costs.contacts += costs->contacts;
  totals->costs.solver += costs->solver;
  totals->costs.sweeps += costs->sweeps;
  totals->pairs += costs->pair_count;
  totals->touching += costs->touching_count;
  totals->joints += costs->joint_count;
  totals->awake += costs->awake_count;
  totals->passed += costs->passed_count;
  totals->deepest = fmaxf(totals->deepest, costs->deepest);
  totals->steps++;
}

static double dot(const dReal *a, const dReal *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double energy_of(const struct world *world, double *kinetic) {
  double moving = 0, potential = 0;
  for (uint32_t i = 0; i < world->count; i++) {
    dBodyID body = world->bodies[i].ode;
    if (body == NULL) {
      continue;
    }
    dMass mass;
    dBodyGetMass(body, &mass);
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
    dVector3 spin; /* as the body sees it */
    dBodyVectorFromWorld(body, w[0], w[1], w[2], spin);
    moving += 0.5 * mass.mass * dot(v, v);
    for (int row = 0; row < 3; row++) {
      moving += 0.5 * spin[row] * dot(&mass.I[4 * row], spin);
    }
    potential += mass.mass * 9.81 * dBodyGetPosition(body)[1];
  }
  *kinetic = moving;
  return moving + potential;
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ p[i]) * 0x100000001b3u;
  }
  return hash;
}

uint64_t hash_of(const struct world *world) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < world->count; i++) {
    dBodyID body = world->bodies[i].ode;
    if (body != NULL) {
      hash = hash_bytes(hash, dBodyGetPosition(body), 3 * sizeof(dReal));
      hash = hash_bytes(hash, dBodyGetQuaternion(body), 4 * sizeof(dReal));
    }
  }
  return hash;
}
