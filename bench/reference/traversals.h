/* What the files of this folder share: the traversals of one mesh. */
#ifndef BENCH_REFERENCE_TRAVERSALS_H
#define BENCH_REFERENCE_TRAVERSALS_H

#include "mesh/rays/rays.h"
#include "reference/reference.h"

/* Traces a legal ray with the given traversal; as mo_mesh_trace_ray. The two classical ones count
 * statistics, so `options` must have some. */
bool reference_mesh_trace(const mo_mesh *mesh, reference_traversal traversal, const mo_mesh_ray *in,
                          const mo_mesh_ray_options *options, mo_ray_goal goal, mo_mesh_hit *best);

#endif
