/* A quick overlap test of two solids of any kinds, by a few steps of GJK (Gilbert, Johnson and
 * Keerthi 1988) on the solids without their radii.
 *
 * Unlike in mo_bodies_within_by_gjk, the sum of the solids is not mapped to a nearly round one, and
 * it is not exact. The answer is yes only if a simplex of its points contains the offset of the
 * centres by more than the rounding error, or comes nearer than the radii; no only if a support
 * plane lies farther away than the tolerance and all errors. Other pairs are left undecided. */
#include "geometry/difference/difference.h"
#include "geometry/overlap/overlap.h"
#include "geometry/overlap/simplex.h"

enum { MAX_STEPS = 12 };

/* As in geometry/overlap/quick.c: more than the rounding error of a sum of a dozen products, and
 * more than the tolerance of mo_bodies_within, relative to the sizes. */
static const double rounding_error = 0x1p-46, touch_tolerance = 1e-9;

/* From the centre of a solid, without its radius, to its support point. `hull`: that of the solid,
 * which keeps the vertex that was found last. */
static mo_dvec3 support(const mo_quick_test_solid *solid, mo_hull_image *hull, mo_dvec3 n) {
  if (hull->hull != NULL) {
    return mo_hull_image_support(hull, n);
  }
  if (solid->is_triangle) {
    return mo_farthest_corner(solid->half, n);
  }
  if (solid->is_cone) {
    const mo_cone_image cone = {solid->half[0], {solid->half[1], solid->half[2]}};
    return mo_cone_image_support(&cone, n);
  }
  const int straight = solid->half_vector_count - (solid->has_disc ? 2 : 0);
  mo_dvec3 point = {0.0, 0.0, 0.0};
  for (int i = 0; i < straight; ++i) {
    const mo_dvec3 half = solid->half[i];
    point = mo_ddot(half, n) < 0.0 ? mo_dsub(point, half) : mo_dadd(point, half);
  }
  if (solid->has_disc) {
    const mo_dvec3 *disc = &solid->half[straight];
    const double u = mo_ddot(disc[0], n), v = mo_ddot(disc[1], n), width = sqrt(u * u + v * v);
    if (width > 0.0) {
      point = mo_dadd(point, mo_dadd(mo_dscale(u / width, disc[0]), mo_dscale(v / width, disc[1])));
    }
  }
  return point;
}

mo_quick_test_answer mo_quick_within_by_gjk(const mo_quick_test_solid *a,
                                            const mo_quick_test_solid *b, double distance) {
  const mo_dvec3 offset = mo_dsub(b->center, a->center);
  const double sizes = a->size + b->size,
               error_bound = rounding_error * (a->magnitude + b->magnitude + sizes);
  const double within =
      (a->min_radius + b->min_radius + distance) * (1.0 - rounding_error) - 4.0 * error_bound;
  const double beyond = (a->max_radius + b->max_radius + distance) * (1.0 + rounding_error) +
                        touch_tolerance * (sizes + distance) + 4.0 * error_bound;
  mo_hull_image hulls[2] = {a->hull, b->hull};
  mo_overlap_simplex s = {{offset}, 1}; /* points of `offset` - sum; this is that of the centres */
  mo_dvec3 v = offset;
  double squared = mo_ddot(v, v);
  for (int step = 0; step < MAX_STEPS; ++step) {
    if (within > 0.0 && squared <= within * within * (1.0 - rounding_error)) {
      return MO_QUICK_YES;
    }
    const mo_dvec3 w = mo_dadd(mo_dsub(offset, support(a, &hulls[0], v)),
                               support(b, &hulls[1], mo_dscale(-1.0, v)));
    const double apart = mo_ddot(v, w); /* the separation, times the length of v */
    if (apart > 0.0 && apart * apart > squared * beyond * beyond) {
      return MO_QUICK_NO;
    }
    s.point[s.count++] = w;
    if (s.count == 4) {
      const mo_containment contained = mo_tetrahedron_contains_origin(s.point, 4.0 * error_bound);
      if (contained != MO_OUTSIDE) {
        return contained == MO_DEEP ? MO_QUICK_YES : MO_QUICK_UNDECIDED;
      }
      v = mo_reduce_tetrahedron(&s, false);
    } else {
      v = mo_reduce_simplex(&s, false);
    }
    const double before = squared;
    squared = mo_ddot(v, v);
    if (!(squared < before)) {
      return MO_QUICK_UNDECIDED;
    }
  }
  return MO_QUICK_UNDECIDED;
}
