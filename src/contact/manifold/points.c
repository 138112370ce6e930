/* Makes contact points from candidates, and names the part of a feature that a point lies on. */
#include "contact/manifold/points.h"

#include "base/assert.h"
#include "contact/body/limits.h"

void mo_candidate_project(mo_dvec3 normal, mo_candidate *candidate) {
  mo_contact_frame f = mo_contact_frame_of(normal);
  candidate->x = mo_ddot(f.u, candidate->position);
  candidate->y = mo_ddot(f.v, candidate->position);
}

void mo_clip_features(const mo_clip *clip, const mo_contact_feature *a, const mo_contact_feature *b,
                      mo_candidates *candidates) {
  mo_clip_features_by_isa[mo_isa_of_process()](clip, a, b, candidates);
}

static void set_point(const mo_point_frame *frame, const mo_candidate *from,
                      mo_manifold_point *point) {
  const mo_dvec3 none = {0.0, 0.0, 0.0}; /* adding 0 turns -0 to 0 */
  point->position = mo_narrow(mo_dadd(none, mo_dadd(frame->reference, from->position)));
  point->anchor_a = mo_narrow(mo_dadd(none, mo_dsub(from->position, frame->origin_a)));
  point->anchor_b = mo_narrow(mo_dadd(none, mo_dsub(from->position, frame->origin_b)));
  point->separation = (float)(0.0 + from->separation);
  point->id = from->id;
}

void mo_manifold_set(mo_manifold *manifold, const mo_point_frame *frame, mo_dvec3 normal,
                     const mo_candidate *const *from, int count) {
  MO_ASSERT(count > 0 && count <= MO_MAX_MANIFOLD_POINTS);
  MO_ASSERT(mo_is_unit(normal));
  *manifold = (mo_manifold){.point_count = (uint32_t)count};
  manifold->normal = mo_narrow(mo_dadd(mo_dvec(0.0, 0.0, 0.0), normal));
  for (int i = 0; i < count; i++) {
    MO_ASSERT(isfinite(from[i]->separation) && isfinite(mo_dlength(from[i]->position)));
    MO_ASSERT(i == 0 || from[i]->id != from[i - 1]->id);
    set_point(frame, from[i], &manifold->points[i]);
    manifold->touching = manifold->touching || from[i]->separation <= 0.0;
  }
}

int mo_contact_supporting_edge(const mo_contact_feature *f, mo_dvec3 n, double size) {
  if (f->rim_count > 0 || f->count < 2) {
    return -1;
  }
  int highest = 0, level = 0;
  double max = -INFINITY;
  for (int i = 0; i < f->count; i++) {
    double height = mo_ddot(f->outline[i], n);
    highest = height > max ? i : highest;
    max = mo_dmax(max, height);
  }
  for (int i = 0; i < f->count; i++) {
    level += max - mo_ddot(f->outline[i], n) <= MO_SAME_HEIGHT_TOLERANCE * size;
  }
  int after = (highest + 1) % f->count;
  bool on_after = max - mo_ddot(f->outline[after], n) <= MO_SAME_HEIGHT_TOLERANCE * size;
  return level != 2 ? -1 : on_after ? highest : (highest + f->count - 1) % f->count;
}

uint32_t mo_contact_supporting_id(const mo_contact_feature *f, mo_dvec3 n, double size) {
  if (f->rim_count > 0) {
    return f->rim_count == MO_MAX_RIM_POINTS ? f->rim_id[MO_MAX_RIM_POINTS - 1] : f->face;
  }
  int highest = 0;
  double max = -INFINITY;
  for (int i = 0; i < f->count; i++) {
    double height = mo_ddot(f->outline[i], n);
    highest = height > max ? i : highest;
    max = mo_dmax(max, height);
  }
  int level = 0, after = (highest + 1) % f->count, before = (highest + f->count - 1) % f->count;
  for (int i = 0; i < f->count; i++) {
    level += max - mo_ddot(f->outline[i], n) <= MO_SAME_HEIGHT_TOLERANCE * size;
  }
  if (level == 1) {
    return f->vertex[highest];
  }
  bool on_after = max - mo_ddot(f->outline[after], n) <= MO_SAME_HEIGHT_TOLERANCE * size;
  return level > 2 ? f->face : f->edge[on_after ? highest : before];
}
