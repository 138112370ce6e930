/* Reuse of manifolds: the contact points on the surface of each shape move with that shape, and the
 * normal rotates with the larger of the two shapes.
 *
 * Error bound: assume that no point of one shape has moved by more than d relative to the other.
 * The signed distance of two shapes (their gap, or minus their penetration depth) is a maximum over
 * directions of differences of their support functions, so it has changed by at most d. The two
 * surface points of a contact point have moved relative to each other by at most d, too. So the
 * separation computed from them is off by at most 2 d from the true one. */
#include "contact/manifold/carry.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

/* How much the dot products of the columns of a linear map may differ from those of a rotation, to
 * count as one. This covers the rounding of transforms to float; a scale this close to 1 does not
 * affect contacts. */
static const double rigid_tolerance = 1e-5;

static double half_diagonal(mo_aabb bounds) {
  return 0.5 * mo_dlength(mo_dsub(mo_widen(bounds.upper), mo_widen(bounds.lower)));
}

mo_pair_poses mo_pair_poses_of(const mo_transform to_world[2], const mo_aabb bounds[2]) {
  const double size[2] = {half_diagonal(bounds[0]), half_diagonal(bounds[1])};
  const int other = size[0] > size[1];
  const mo_dvec3 center =
      mo_dscale(0.5, mo_dadd(mo_widen(bounds[other].lower), mo_widen(bounds[other].upper)));
  const double rounding = 1.0 + 0x1p-20; /* enlarges the sphere for rounding errors */
  return (mo_pair_poses){.to_world = {to_world[0], to_world[1]},
                         .frame = !other,
                         .center = mo_narrow(mo_dsub(center, mo_widen(to_world[other].origin))),
                         .radius = (float)(rounding * size[other])};
}

static mo_dvec3 rotate(const mo_dvec3 turn[3], mo_dvec3 v) {
  return mo_dadd(mo_dadd(mo_dscale(v.x, turn[0]), mo_dscale(v.y, turn[1])),
                 mo_dscale(v.z, turn[2]));
}

static bool have_same_axes(const mo_transform *a, const mo_transform *b) {
  return memcmp(&a->x_axis, &b->x_axis, 3 * sizeof a->x_axis) == 0;
}

static bool is_nearly_equal(double a, double b) {
  return fabs(a - b) <= rigid_tolerance; /* false for NaN */
}

/* Computes the linear map from the old axes to the new ones. Returns false if it is not a rotation.
 */
static bool set_rotation(mo_dvec3 turn[3], const mo_transform *then, const mo_transform *now) {
  if (have_same_axes(then, now)) {
    turn[0] = mo_dvec(1.0, 0.0, 0.0);
    turn[1] = mo_dvec(0.0, 1.0, 0.0);
    turn[2] = mo_dvec(0.0, 0.0, 1.0);
    return true;
  }
  const mo_dvec3 x = mo_widen(then->x_axis), y = mo_widen(then->y_axis), z = mo_widen(then->z_axis);
  const mo_dvec3 yz = mo_dcross(y, z), zx = mo_dcross(z, x), xy = mo_dcross(x, y);
  const double scale = 1.0 / mo_ddot(x, yz); /* infinite if the axes lie in a plane */
  const mo_dvec3 columns[3] = {mo_widen(now->x_axis), mo_widen(now->y_axis), mo_widen(now->z_axis)};
  turn[0] = mo_dscale(scale, rotate(columns, mo_dvec(yz.x, zx.x, xy.x)));
  turn[1] = mo_dscale(scale, rotate(columns, mo_dvec(yz.y, zx.y, xy.y)));
  turn[2] = mo_dscale(scale, rotate(columns, mo_dvec(yz.z, zx.z, xy.z)));
  bool orthogonal = is_nearly_equal(mo_ddot(turn[0], turn[1]), 0.0) &&
                    is_nearly_equal(mo_ddot(turn[1], turn[2]), 0.0) &&
                    is_nearly_equal(mo_ddot(turn[2], turn[0]), 0.0);
  bool unit = is_nearly_equal(mo_ddot(turn[0], turn[0]), 1.0) &&
              is_nearly_equal(mo_ddot(turn[1], turn[1]), 1.0) &&
              is_nearly_equal(mo_ddot(turn[2], turn[2]), 1.0);
  return orthogonal && unit && mo_ddot(turn[0], mo_dcross(turn[1], turn[2])) > 0.0;
}

/* An upper bound of how far any point of the bounding sphere has moved relative to the reference
 * frame. */
static double max_point_motion(const mo_pair_motion *c, const mo_pair_poses *start,
                               const mo_transform *frame, const mo_transform *other) {
  const int f = start->frame, o = !f;
  const mo_dvec3 center = mo_widen(start->center);
  const mo_dvec3 then = mo_dadd(
      center, mo_dsub(mo_widen(start->to_world[o].origin), mo_widen(start->to_world[f].origin)));
  const mo_dvec3 now = mo_dadd(rotate(c->rotation[o], center),
                               mo_dsub(mo_widen(other->origin), mo_widen(frame->origin)));
  /* The difference of two rotations changes all directions perpendicular to some axis by the same
   * length, and the axis not at all. */
  double squares = 0.0;
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 d = mo_dsub(c->rotation[o][i], c->rotation[f][i]);
    squares += mo_ddot(d, d);
  }
  const double by_turning = squares > 0.0 ? sqrt(0.5 * squares) * (double)start->radius : 0.0;
  return mo_dlength(mo_dsub(now, rotate(c->rotation[f], then))) + by_turning;
}

bool mo_pair_motion_make(mo_pair_motion *carry, const mo_pair_poses *start, const mo_transform *a,
                         const mo_transform *b, double max) {
  const mo_transform *frame = start->frame == 0 ? a : b, *other = start->frame == 0 ? b : a;
  carry->frame = start->frame;
  carry->origin_a = mo_widen(a->origin);
  carry->offset = mo_dsub(mo_widen(b->origin), carry->origin_a);
  return set_rotation(carry->rotation[0], &start->to_world[0], a) &&
         set_rotation(carry->rotation[1], &start->to_world[1], b) &&
         max_point_motion(carry, start, frame, other) <= max;
}

/* Updates a contact point. Returns false if its separation is now too large. */
static bool move_point(const mo_pair_motion *c, mo_dvec3 before, mo_dvec3 normal, double separation,
                       mo_manifold_point *p) {
  const mo_dvec3 half = mo_dscale(0.5 * (double)p->separation, before);
  const mo_dvec3 on_a = rotate(c->rotation[0], mo_dsub(mo_widen(p->anchor_a), half)),
                 on_b = rotate(c->rotation[1], mo_dadd(mo_widen(p->anchor_b), half));
  const mo_dvec3 way = mo_dsub(mo_dadd(c->offset, on_b), on_a);
  const mo_dvec3 middle = mo_dadd(on_a, mo_dscale(0.5, way));
  const double along = mo_ddot(way, normal);
  p->position = mo_narrow(mo_dadd(c->origin_a, middle));
  p->anchor_a = mo_narrow(middle);
  p->anchor_b = mo_narrow(mo_dsub(middle, c->offset));
  p->separation = (float)along;
  return along <= separation;
}

void mo_manifold_move(const mo_pair_motion *carry, double separation, mo_manifold *manifold) {
  const mo_dvec3 before = mo_widen(manifold->normal);
  const mo_dvec3 normal = mo_dunit(rotate(carry->rotation[carry->frame], before));
  MO_ASSERT(manifold->point_count <= MO_MAX_MANIFOLD_POINTS);
  MO_ASSERT(manifold->point_count == 0 || mo_is_unit(normal));
  uint32_t count = 0;
  manifold->normal = mo_narrow(normal);
  manifold->touching = false;
  for (uint32_t i = 0; i < manifold->point_count; i++) {
    mo_manifold_point p = manifold->points[i];
    if (move_point(carry, before, normal, separation, &p)) {
      manifold->points[count++] = p;
      manifold->touching = manifold->touching || p.separation <= 0.0f;
    }
  }
  manifold->point_count = count;
}
