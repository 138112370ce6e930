/* Meshes and hulls that bodies are made of, and how their mass is spread. */
#ifndef DEMO_SOLIDS_H
#define DEMO_SOLIDS_H

#include <motte/motte.h>
#include <ode/ode.h>

#include "common/triangles.h"

/* A mesh or a hull, as Motte, ODE and the law of inertia see it. */
struct solid {
  mo_geometry geometry;       /* a mesh or a hull, to which the solid has a reference */
  struct triangles triangles; /* of the mesh, or of the faces of the hull */
  double volume;              /* of what the triangles enclose; 0 of a surface */
  double covariance[3][3];    /* integral of x x^T over the volume, around the centre of mass */
  dTriMeshDataID ode_mesh;    /* null until ODE's collision needs it */
  dReal *ode_planes;          /* of hulls, null until needed: four numbers a face */
  dReal *ode_points;
  unsigned *ode_polygons;
  unsigned face_count, point_count;
};

/* A closed mesh that moves, shifted such that its centre of mass is at the origin; takes over the
 * triangles. */
struct solid *solid_of_body(struct triangles *triangles);

/* A mesh that stands still, where it is; takes over the triangles. */
struct solid *solid_of_surface(struct triangles *triangles);

/* The same, whose mesh can be edited. Motte alone sees the edits, not ODE's collision. */
struct solid *solid_of_editable_surface(struct triangles *triangles);

/* The hull of points, shifted such that its centre of mass is at the origin. */
struct solid *solid_of_points(const mo_vec3 *points, uint32_t count);

void solid_destroy(struct solid *solid);

/* The mass of a geometry around its centre of mass, which has to be the origin. `solid` is what
 * meshes and hulls are made of. Cylinders, cones and capsules lie along y. */
dMass mass_of(const mo_geometry *geometry, const struct solid *solid, float density);

#endif
