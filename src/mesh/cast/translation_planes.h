/* The shortest translation beyond all of some planes. */
#ifndef MO_MESH_CAST_TRANSLATION_PLANES_H
#define MO_MESH_CAST_TRANSLATION_PLANES_H

#include "math/vector.h"

/* Also the limit of the translations that are tried, as each adds a plane. */
enum { MO_MAX_TRANSLATION_PLANES = 32 };

typedef struct mo_translation_plane {
  mo_dvec3 normal;
  double min;    /* the smallest dot product of such a translation and the normal */
  double weight; /* the translation is the sum of the normals times these weights */
} mo_translation_plane;

typedef struct mo_translation_planes {
  mo_translation_plane plane[MO_MAX_TRANSLATION_PLANES];
  int count;
} mo_translation_planes;

/* Finds the shortest translation that is beyond all planes, to within a tolerance; false if none
 * was found. */
bool mo_find_translation_beyond_planes(mo_translation_planes *planes, double tolerance,
                                       mo_dvec3 *translation);

#endif
