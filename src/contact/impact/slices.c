/* Culling in a mesh by slices of time, for bodies of which one at least rotates.
 *
 * The time from 0 to 1 is cut into slices of equal length. In the frame of the mesh, in which its
 * octree stands still, a point of the other body moves along some path. During a slice it stays
 * near the place that it has in the middle of the slice: no farther away than its top speed times
 * half of the slice. So a box per slice, around the points of the body in the middle of the slice
 * and grown by that, contains the body during the whole slice. A node of the octree is visited
 * once, with the first slice whose box it meets as its key; so each triangle is tested at most
 * once, however many slices it is met in.
 *
 * The motions of the slices are computed once for two shapes, the boxes for each body: the other
 * shape, or each triangle of it. */
#include "contact/impact/impact.h"

#include "geometry/cast/approach.h"

/* The distance of a point from an axis through the origin. */
static double off_axis(mo_dvec3 axis, mo_dvec3 point) {
  return mo_dlength(mo_dcross(axis, point));
}

static mo_dvec3 combine(const mo_dvec3 column[3], mo_dvec3 v) {
  return mo_dadd(mo_dscale(v.x, column[0]),
                 mo_dadd(mo_dscale(v.y, column[1]), mo_dscale(v.z, column[2])));
}

int mo_slices_points(const mo_moving_body *body, mo_dvec3 points[8]) {
  if (body->body.kind == MO_BODY_TRIANGLE) {
    for (int i = 0; i < 3; i++) {
      points[i] = body->body.corners[i];
    }
    return 3;
  }
  const mo_aabb box = body->body.bounds;
  const mo_dvec3 side[2] = {mo_widen(box.lower), mo_widen(box.upper)};
  for (int i = 0; i < 8; i++) {
    points[i] = mo_dvec(side[i & 1].x, side[i >> 1 & 1].y, side[i >> 2].z);
  }
  return 8;
}

static mo_dvec3 point_in_slice(const mo_slices *s, int slice, mo_dvec3 point) {
  const mo_slice_motion *motion = &s->motion[slice];
  return mo_dadd(motion->base, combine(motion->column, mo_dsub(point, s->pivot)));
}

/* How far, in the frame of the mesh, points may get away from where they are in the middle of a
 * slice while it lasts. */
static double drift_of(const mo_slices *s, const mo_dvec3 *points, int count) {
  const mo_turn *own = &s->other->turn;
  double farthest = 0.0, off = 0.0;
  for (int i = 0; i < count; i++) {
    const mo_dvec3 out = mo_dsub(points[i], s->pivot);
    farthest = fmax(farthest, mo_dlength(out));
    off = s->other->turns ? fmax(off, off_axis(own->axis, out)) : 0.0;
  }
  double speed = s->straight + fabs(own->angle) * off;
  if (s->mesh->body.whole.turns) {
    speed += fabs(s->mesh->body.whole.turn.angle) * (s->off_mesh_axis + farthest);
  }
  return 0.5 * speed / MO_SLICES;
}

static void set_motions(mo_slices *s) {
  const mo_moving_body *mesh = &s->mesh->body.whole, *other = s->other;
  const mo_dvec3 way = mo_dsub(mo_widen(other->displacement), mo_widen(mesh->displacement)),
                 start = mo_dsub(s->pivot, mesh->turn.pivot), end = mo_dadd(start, way);
  s->straight = mo_dlength(way);
  s->off_mesh_axis = fmax(off_axis(mesh->turn.axis, start), off_axis(mesh->turn.axis, end));
  for (int i = 0; i < MO_SLICES; i++) {
    const double t = ((double)i + 0.5) / MO_SLICES;
    const mo_dvec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    mo_dvec3 base = mo_dadd(start, mo_dscale(t, way));
    s->motion[i].base =
        mo_dadd(mesh->turn.pivot, mesh->turns ? mo_rotate_at(&mesh->turn, -t, base) : base);
    for (int k = 0; k < 3; k++) {
      mo_dvec3 column = other->turns ? mo_rotate_at(&other->turn, t, axes[k]) : axes[k];
      s->motion[i].column[k] = mesh->turns ? mo_rotate_at(&mesh->turn, -t, column) : column;
    }
  }
}

/* Changes the motions to go to the space in which the mesh is culled. */
static void cull_motions(mo_slices *s) {
  const mo_affine *affine = s->mesh->affine;
  mo_dvec3 inverse[3];
  if (s->frame.bake != NULL) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    inverse[i] = mo_dvec(affine->inverse[i][0], affine->inverse[i][1], affine->inverse[i][2]);
  }
  for (int i = 0; i < MO_SLICES; i++) {
    mo_slice_motion *motion = &s->motion[i];
    motion->base = combine(inverse, mo_dsub(motion->base, mo_widen(affine->to_world.origin)));
    for (int k = 0; k < 3; k++) {
      motion->column[k] = combine(inverse, motion->column[k]);
    }
  }
}

static mo_dvec3 min_of(mo_dvec3 a, mo_dvec3 b) {
  return mo_dvec(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static mo_dvec3 max_of(mo_dvec3 a, mo_dvec3 b) {
  return mo_dvec(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

void mo_slices_init(mo_slices *s, const mo_impact_rules *rules, const mo_impact_shape *mesh,
                    const mo_moving_body *other) {
  const mo_moving_body *own = &mesh->body.whole;
  mo_dvec3 points[8];
  const int count = mo_slices_points(other, points);
  s->mesh = mesh;
  s->other = other;
  s->pivot =
      other->turns ? other->turn.pivot : mo_dscale(0.5, mo_dadd(points[0], points[count - 1]));
  set_motions(s);
  s->margin =
      mo_impact_margin(rules, other, mo_moving_magnitude(own)) + mo_impact_glide(own, other);
  mo_dvec3 lower = point_in_slice(s, 0, points[0]), upper = lower;
  for (int i = 0; i < MO_SLICES; i++) {
    for (int k = 0; k < count; k++) {
      const mo_dvec3 p = point_in_slice(s, i, points[k]);
      lower = min_of(lower, p);
      upper = max_of(upper, p);
    }
  }
  /* With half of the extents as a displacement, the errors of the frame are those of the box. */
  s->frame = mo_cull_frame_make(mesh->mesh, mesh->affine, mo_dscale(0.5, mo_dadd(lower, upper)),
                                mo_dscale(0.5, mo_dsub(upper, lower)),
                                s->margin + drift_of(s, points, count));
  cull_motions(s);
}

/* Rounds outward, or a little farther; the errors of the frame are more than what is lost of
 * numbers too small for that. */
static mo_vec3 rounded(mo_dvec3 v, double outward) {
  return mo_vec((float)(v.x + outward * fabs(v.x)), (float)(v.y + outward * fabs(v.y)),
                (float)(v.z + outward * fabs(v.z)));
}

void mo_slices_boxes(const mo_slices *s, const mo_dvec3 *points, int count, mo_slice_boxes *boxes) {
  const double radius = s->margin + drift_of(s, points, count);
  const double *inverse = s->frame.inverse, *error = s->frame.error;
  const mo_dvec3 grow = mo_dvec(inverse[0] * radius + error[0], inverse[1] * radius + error[1],
                                inverse[2] * radius + error[2]);
  boxes->around = mo_aabb_empty();
  for (int i = 0; i < MO_SLICES; i++) {
    mo_dvec3 lower = point_in_slice(s, i, points[0]), upper = lower;
    for (int k = 1; k < count; k++) {
      const mo_dvec3 p = point_in_slice(s, i, points[k]);
      lower = min_of(lower, p);
      upper = max_of(upper, p);
    }
    boxes->slice[i] =
        (mo_aabb){rounded(mo_dsub(lower, grow), -0x1p-23), rounded(mo_dadd(upper, grow), 0x1p-23)};
    boxes->around = mo_aabb_union(boxes->around, boxes->slice[i]);
  }
}
