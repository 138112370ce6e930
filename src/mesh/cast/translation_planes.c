/* The shortest translation beyond planes is the projection of the origin onto a polyhedron. It is
 * found one plane after the other, each with a weight that is not negative (Hildreth 1957, "A
 * quadratic programming procedure"). */
#include "mesh/cast/translation_planes.h"

#include <math.h>

/* The limit of the passes over all planes. */
enum { MAX_PASSES = 200 };

bool mo_find_translation_beyond_planes(mo_translation_planes *planes, double tolerance,
                                       mo_dvec3 *translation) {
  mo_dvec3 t = {0.0, 0.0, 0.0};
  for (int i = 0; i < planes->count; ++i) {
    planes->plane[i].weight = 0.0;
  }
  for (int pass = 0; pass < MAX_PASSES; ++pass) {
    double worst = 0.0;
    for (int i = 0; i < planes->count; ++i) {
      mo_translation_plane *p = &planes->plane[i];
      const double missing = p->min - mo_ddot(p->normal, t);
      const double weight = fmax(p->weight + missing, 0.0);
      t = mo_dadd(t, mo_dscale(weight - p->weight, p->normal));
      p->weight = weight;
      worst = fmax(worst, missing);
    }
    if (worst <= tolerance) {
      *translation = t;
      return true;
    }
  }
  return false;
}
