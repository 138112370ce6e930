/* The shortest translation beyond all of some planes. */
#ifndef MO_MESH_CAST_EXIT_PLANES_H
#define MO_MESH_CAST_EXIT_PLANES_H

#include "math/vector.h"

enum { MO_MAX_EXIT_PLANES = 32 };

typedef struct mo_exit_plane {
  mo_dvec3 normal;
  double min;    /* the smallest dot product of such a translation and the normal */
  double weight; /* of the normal in the translation */
} mo_exit_plane;

typedef struct mo_exit_planes {
  mo_exit_plane plane[MO_MAX_EXIT_PLANES];
  int count;
} mo_exit_planes;

/* Finds the shortest translation that is beyond all planes, to within a tolerance; false if none
 * was found. */
bool mo_exit_planes_find_translation(mo_exit_planes *planes, double tolerance,
                                     mo_dvec3 *translation);

#endif
