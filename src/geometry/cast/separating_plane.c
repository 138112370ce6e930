/* Separating planes of two bodies, and the contact of rounded polytopes in closed form. */
#include "geometry/cast/separating_plane.h"

void mo_cores_set(mo_cores *c, const mo_body *a, const mo_body *b) {
  mo_difference_set(&c->difference, a, b);
  mo_difference_remove_balls(&c->difference, &c->balls);
}

double mo_cores_ball_support_distance(const mo_cores *c, mo_dvec3 direction) {
  return mo_summed_balls_support_distance(&c->balls, 0, direction) +
         mo_summed_balls_support_distance(&c->balls, 1, direction);
}

mo_separating_plane mo_cores_find_separating_plane(mo_cores *c, double max_distance,
                                                   mo_gjk_simplex *closest) {
  mo_convex_gap gap = mo_difference_distance(&c->difference, max_distance, closest);
  if (gap.lower > max_distance) {
    return (mo_separating_plane){.core_distance = INFINITY};
  }
  double reach = mo_cores_ball_support_distance(c, gap.normal), distance = gap.distance - reach;
  mo_separating_plane p = {
      .normal = gap.normal,
      .separation = gap.lower - reach,
      .distance = distance > 0.0 ? distance : 0.0,
      .core_distance = gap.distance,
      .point = mo_dadd(gap.points[0], mo_summed_balls_support(&c->balls, 0, gap.normal))};
  return p;
}

double mo_cores_separation(mo_cores *c, mo_dvec3 normal, mo_dvec3 displacement) {
  mo_difference *d = &c->difference;
  return -mo_ddot(normal, mo_dsub(d->offset, displacement)) -
         mo_minkowski_support_distance(&d->a, normal) -
         mo_minkowski_support_distance(&d->b, mo_dscale(-1.0, normal)) -
         mo_cores_ball_support_distance(c, normal);
}

/* Balls that are smaller have no accurate normals. */
static const double min_radius_per_tolerance = 0x1p20;

/* The component of a vector that is perpendicular to a simplex, given by the count of its points
 * and its first two edges. */
static mo_dvec3 perpendicular_to_simplex(mo_dvec3 v, int count, const mo_dvec3 edge[2]) {
  switch (count) {
  case 1:
    return v;
  case 2:
    return mo_perpendicular_component(v, edge[0]);
  default: {
    const mo_dvec3 n = mo_dcross(edge[0], edge[1]);
    return mo_dscale(mo_ddot(v, n) / mo_ddot(n, n), n);
  }
  }
}

/* The weights of the points of a simplex whose mean is at `from` the first point. */
static void find_weights(mo_dvec3 from, int count, const mo_dvec3 edge[2], double weights[3]) {
  const mo_dvec3 n = mo_dcross(edge[0], edge[1]);
  weights[1] = count == 1   ? 0.0
               : count == 2 ? mo_ddot(from, edge[0]) / mo_ddot(edge[0], edge[0])
                            : mo_ddot(mo_dcross(edge[1], n), from) / mo_ddot(n, n);
  weights[2] = count < 3 ? 0.0 : mo_ddot(mo_dcross(n, edge[0]), from) / mo_ddot(n, n);
  weights[0] = 1.0 - weights[1] - weights[2];
}

bool mo_cores_sweep_simplex(mo_cores *c, const mo_gjk_simplex *closest, mo_dvec3 displacement,
                            double tolerance, mo_sweep_contact *contact) {
  if (closest->count == 0 || !mo_minkowski_is_polytope(&c->difference.a) ||
      !mo_minkowski_is_polytope(&c->difference.b) ||
      !(c->balls.radius_sum > min_radius_per_tolerance * tolerance)) {
    return false;
  }
  mo_dvec3 vertex[3], edge[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int i = 0; i < closest->count; ++i) {
    vertex[i] = mo_dadd(c->difference.offset, mo_dsub(closest->point[i].a, closest->point[i].b));
    if (i > 0) {
      edge[i - 1] = mo_dsub(vertex[i], vertex[0]);
    }
  }
  const mo_dvec3 across = perpendicular_to_simplex(displacement, closest->count, edge);
  const mo_dvec3 start = perpendicular_to_simplex(vertex[0], closest->count, edge);
  const double speed2 = mo_ddot(across, across), nearest = mo_ddot(start, across) / speed2;
  const mo_dvec3 miss = mo_dsub(mo_dscale(nearest, across), start);
  /* A ball may be slightly ellipsoidal by rounding: the second round takes its radius along the
   * normal that the first round has found. */
  for (int round = 0; round < 2; ++round) {
    const double radius = mo_cores_ball_support_distance(c, contact->normal),
                 depth = radius * radius - mo_ddot(miss, miss);
    if (!(speed2 > 0.0 && depth >= 0.0)) {
      return false;
    }
    contact->t = nearest - sqrt(depth / speed2);
    const mo_dvec3 out = mo_dsub(mo_dscale(contact->t, across), start),
                   moved = mo_dscale(contact->t, displacement);
    contact->normal = mo_dunit(out);
    if (mo_cores_separation(c, contact->normal, moved) >= -tolerance) {
      double weights[3];
      find_weights(mo_dsub(mo_dsub(moved, out), vertex[0]), closest->count, edge, weights);
      contact->point = c->difference.offset;
      for (int i = 0; i < closest->count; ++i) {
        contact->point = mo_dadd(contact->point, mo_dscale(weights[i], closest->point[i].a));
      }
      return weights[0] >= 0.0 && weights[1] >= 0.0 && weights[2] >= 0.0;
    }
  }
  return false;
}
