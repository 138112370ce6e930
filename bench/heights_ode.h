/* What the adapters of ODE share of height fields. */
#ifndef BENCH_HEIGHTS_ODE_H
#define BENCH_HEIGHTS_ODE_H

#include <ode/ode.h>

#include "terrain.h"

/* Refers to the heights of the terrain. For dGeomHeightfieldDataDestroy. */
dHeightfieldDataID ode_heights(const bench_terrain *terrain);

/* A geom in no space, placed: ODE's height fields have their origin in the middle. */
dGeomID ode_heights_geom(const bench_terrain *terrain, dHeightfieldDataID data);

#endif
