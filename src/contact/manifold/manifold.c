/* The contact manifold of two bodies: finds the normal, then the supporting features along it, and
 * clips these against each other. */
#include "contact/manifold/manifold.h"

#include "base/assert.h"
#include "contact/body/limits.h"
#include "contact/manifold/points.h"
#include "contact/manifold/reduce.h"
#include "contact/manifold/ridge.h"
#include "contact/normal/contact_normal.h"
#include "geometry/overlap/overlap.h"

typedef struct body_pair {
  const mo_contact_body *a, *b;
  mo_dvec3 reference; /* world; the point that both bodies are relative to */
  double max;         /* the greatest separation that contact points may have */
  double size;        /* summed sizes of both bodies, for tolerances */
  bool finds_normal;  /* whether the contact normal is searched for; else the caller gives it */
} body_pair;

static void set_manifold(const body_pair *p, mo_dvec3 normal, const mo_candidate *const *from,
                         int count, mo_manifold *manifold) {
  const mo_point_frame frame = {p->reference, p->a->origin, p->b->origin};
  mo_manifold_set(manifold, &frame, normal, from, count);
}

/* Makes the manifold from at most four of the candidates. */
static void set_reduced_manifold(const body_pair *p, mo_dvec3 normal,
                                 const mo_candidates *candidates, mo_manifold *manifold) {
  const mo_candidate *kept[MO_MAX_MANIFOLD_POINTS];
  set_manifold(p, normal, kept, mo_reduce_candidates(candidates, kept), manifold);
}

/* A candidate at the closest or deepest points of the bodies, here called the witness point. */
static mo_candidate witness_of(const body_pair *p, const mo_contact_axis *axis,
                               const mo_contact_feature *a, const mo_contact_feature *b) {
  mo_dvec3 back = mo_dscale(-1.0, axis->normal);
  return (mo_candidate){
      .position = mo_dscale(0.5, mo_dadd(axis->points[0], axis->points[1])),
      .separation = axis->separation,
      .id = mo_contact_id(mo_contact_supporting_id(a, axis->normal, p->a->size),
                          mo_contact_supporting_id(b, back, p->b->size)),
  };
}

static void add_witness(const body_pair *p, const mo_contact_axis *axis,
                        const mo_contact_feature *a, const mo_contact_feature *b,
                        mo_candidates *candidates) {
  mo_candidate witness = witness_of(p, axis, a, b);
  mo_candidate_project(axis->normal, &witness);
  if (a->rim_count > 0 || b->rim_count > 0) {
    /* The fifth contact point of a rim is less deep than the rim until it has moved out to the rim.
     * The face bias compensates for this, so that the depth does not jump when a body tips over. */
    witness.separation += mo_contact_face_bias(p->a, p->b);
  }
  for (int i = 0; i < candidates->count; i++) {
    if (candidates->items[i].id == witness.id) {
      candidates->items[i] = witness;
      return;
    }
  }
  MO_ASSERT(candidates->count < MO_MAX_CANDIDATES);
  candidates->items[candidates->count++] = witness;
}

static double min_separation(const mo_candidates *candidates) {
  double min = INFINITY;
  for (int i = 0; i < candidates->count; i++) {
    min = mo_dmin(min, candidates->items[i].separation);
  }
  return min;
}

/* Finds the features of both bodies along a normal. */
static void find_features(const body_pair *p, mo_dvec3 normal, const mo_supporting_faces *supports,
                          mo_contact_feature *a, mo_contact_feature *b) {
  mo_contact_feature_of_face(a, p->a, supports->face[0] - 1, normal);
  mo_contact_feature_of_face(b, p->b, supports->face[1] - 1, mo_dscale(-1.0, normal));
}

/* Makes the manifold along the normal of the axis, or along its face normal if `face` is set.
 * Returns false if the clipped features have no point with a separation of at most `min`. */
static bool try_clip_along(const body_pair *p, mo_contact_axis *axis, bool face, double min,
                           mo_manifold *manifold) {
  const mo_dvec3 normal = face ? axis->face_normal : axis->normal;
  const mo_clip clip = {normal, p->max, p->size, false};
  mo_contact_feature a, b;
  mo_candidates candidates;
  find_features(p, normal, face ? &axis->face_normal_supports : &axis->supports, &a, &b);
  if (!face && p->finds_normal) {
    const mo_contact_body *const bodies[2] = {p->a, p->b};
    const double deepest = mo_dmin(min, axis->separation + mo_contact_face_bias(p->a, p->b));
    if (mo_clip_ridges(&clip, bodies, &a, &b, axis->separation, deepest, &candidates)) {
      set_reduced_manifold(p, normal, &candidates, manifold);
      return true;
    }
  }
  mo_clip_features(&clip, &a, &b, &candidates);
  double separation = min_separation(&candidates);
  if (!(separation <= min)) {
    return false;
  }
  if (!face && axis->is_certain &&
      separation > axis->separation + mo_contact_face_bias(p->a, p->b)) {
    mo_contact_axis_find_points(p->a, p->b, axis);
    add_witness(p, axis, &a, &b, &candidates);
  }
  set_reduced_manifold(p, normal, &candidates, manifold);
  return true;
}

static bool is_round(const mo_contact_body *body) {
  return body->kind == MO_CORE_CYLINDER || body->kind == MO_CORE_CONE;
}

/* Early out for two cylinders or cones, whose exact axis is expensive: makes the manifold along the
 * best face normal, if no other direction can be better by more than the face bias. That is so
 * where the bodies are apart along the face normal, or overlap along it by no more than the bias,
 * or overlap in every direction by at least the depth along the face normal minus the bias. Also,
 * the deepest point must lie over both faces. Also returns true where the bodies are too far apart
 * along the face normal: then `separating_axis` is set and the manifold has no points. False: the
 * exact axis has to be found. */
static bool try_best_face(const body_pair *p, mo_dvec3 *separating_axis, mo_manifold *manifold) {
  if (!(is_round(p->a) && is_round(p->b))) {
    return false;
  }
  mo_contact_axis axis = {.within_limit = true};
  double separation = mo_contact_best_face(p->a, p->b, &axis.face_normal);
  if (separation > p->max * (1.0 + 0x1p-40) + 0x1p-40 * p->size) {
    *separating_axis = axis.face_normal;
    return true;
  }
  double min = separation + mo_contact_face_bias(p->a, p->b);
  return separation > -INFINITY &&
         try_clip_along(p, &axis, true, separation > 0.0 ? min : mo_dmin(min, 0.0), manifold) &&
         (min >= 0.0 || mo_contact_overlap_deeper(p->a, p->b, -min));
}

/* Makes a manifold with the witness point as its only point. */
static void make_witness_manifold(const body_pair *p, mo_contact_axis *axis,
                                  mo_manifold *manifold) {
  mo_contact_feature a, b;
  mo_contact_axis_find_points(p->a, p->b, axis);
  find_features(p, axis->normal, &axis->supports, &a, &b);
  const mo_candidate point = witness_of(p, axis, &a, &b);
  const mo_candidate *const one = &point;
  set_manifold(p, axis->normal, &one, 1, manifold);
}

/* A candidate from a point of a body and the plane of a half-space. `first`: whether the half-space
 * is A. */
static mo_candidate candidate_on_plane(const mo_half_space_body *h, mo_dvec3 point, uint32_t id,
                                       bool first) {
  const uint32_t face = mo_feature_id(MO_FEATURE_FACE, 0);
  double height = mo_half_space_height(h, point);
  mo_candidate candidate = {
      .position = mo_dsub(point, mo_dscale(0.5 * height, h->normal)),
      .separation = height,
      .id = first ? mo_contact_id(face, id) : mo_contact_id(id, face),
  };
  mo_candidate_project(h->normal, &candidate);
  return candidate;
}

/* The manifold of a body and a half-space: the corners of the body's supporting feature that are
 * near the plane or below it. */
static mo_manifold manifold_with_half_space(const mo_contact_body *a, const mo_contact_body *b,
                                            mo_dvec3 reference, double max) {
  const bool first = mo_contact_body_is_half_space(a);
  const mo_contact_body *body = first ? b : a;
  mo_half_space_body here = first ? a->core.half_space : b->core.half_space;
  here.origin = mo_dsub(here.origin, reference);
  const mo_dvec3 down = mo_dscale(-1.0, here.normal);
  const body_pair p = {a, b, reference, max + MO_TOUCHING_GAP * body->size, body->size, false};
  mo_contact_feature f;
  mo_contact_feature_of(&f, body, down);
  mo_candidates candidates; /* left uninitialised beyond `count` */
  candidates.count = 0;
  const bool is_round = f.rim_count > 0;
  for (int i = 0; i < (is_round ? f.rim_count : f.count); i++) {
    mo_candidate c = candidate_on_plane(&here, is_round ? f.rim[i] : f.outline[i],
                                        is_round ? f.rim_id[i] : f.vertex[i], first);
    if (c.separation <= p.max) {
      candidates.items[candidates.count++] = c;
    }
  }
  mo_dvec3 lowest =
      mo_dadd(mo_contact_body_support(body, down), mo_contact_body_rounding(body, down));
  mo_candidate deepest =
      candidate_on_plane(&here, lowest, mo_contact_supporting_id(&f, down, body->size), first);
  bool is_new = deepest.separation < min_separation(&candidates) - MO_TOUCHING_GAP * body->size;
  for (int i = 0; i < candidates.count && is_new; i++) {
    if (candidates.items[i].id == deepest.id) {
      candidates.items[i] = deepest;
      is_new = false;
    }
  }
  if (is_new && deepest.separation <= p.max) {
    MO_ASSERT(candidates.count < MO_MAX_CANDIDATES);
    candidates.items[candidates.count++] = deepest;
  }
  const mo_candidate *kept[MO_MAX_MANIFOLD_POINTS];
  mo_manifold manifold = {.touching = false};
  if (candidates.count > 0) {
    set_manifold(&p, first ? here.normal : down, kept, mo_reduce_candidates(&candidates, kept),
                 &manifold);
  }
  return manifold;
}

/* Whether the bodies are too far apart along a unit vector for any contact, by more than rounding
 * errors. False for the zero vector. */
static bool are_apart_along(const body_pair *p, mo_dvec3 axis) {
  return mo_ddot(axis, axis) > 0.0 &&
         mo_contact_separation_along(p->a, p->b, axis) > p->max + MO_CLEAR_SEPARATION * p->size;
}

/* The largest separation that the deepest clipped point may have: the maximum for contact points;
 * if the bodies overlap, that at which bodies count as touching. */
static double max_separation(const body_pair *p, const mo_contact_axis *axis) {
  return axis->separation <= 0.0 ? MO_TOUCHING_GAP * p->size : p->max;
}

/* Makes the manifold by clipping features along the face normal of the axis, or if that fails,
 * along its normal. Returns false where the features do not overlap. */
static bool clip_features(const body_pair *p, mo_contact_axis *axis, mo_manifold *manifold) {
  const double bias = mo_contact_face_bias(p->a, p->b);
  /* The deepest clipped point must be about as deep as the bodies overlap along the axis: else the
   * place where they are deepest lies beside the features. */
  const double touching = MO_TOUCHING_GAP * p->size;
  const double deep =
      mo_dmin(axis->separation + bias, axis->separation <= 0.0 ? 0.0 : p->max) + touching;
  if (axis->has_face && try_clip_along(p, axis, true, deep, manifold)) {
    return true;
  }
  /* Points that are shallower than the overlap of the bodies are accepted only if the axis is
   * certain, as the deepest point can then be added to them. */
  return try_clip_along(p, axis, false, axis->is_certain ? max_separation(p, axis) : deep,
                        manifold);
}

/* Makes the manifold along the normal of the closest or deepest points. */
static mo_manifold manifold_by_distance(const body_pair *p) {
  mo_manifold manifold = {.touching = false};
  mo_contact_axis axis = mo_contact_axis_by_distance(p->a, p->b, p->max);
  if (axis.within_limit && !try_clip_along(p, &axis, false, max_separation(p, &axis), &manifold)) {
    make_witness_manifold(p, &axis, &manifold);
  }
  return manifold;
}

/* As mo_manifold_of. `known`: a separating axis from an earlier call, or zero. `found` receives a
 * separating axis if there is one; else `found` is not changed. */
static mo_manifold manifold_of_bodies(const mo_contact_body *a, const mo_contact_body *b,
                                      mo_dvec3 reference, double max, mo_dvec3 known,
                                      mo_dvec3 *found) {
  mo_manifold manifold = {.touching = false};
  if (mo_contact_body_is_half_space(a) && mo_contact_body_is_half_space(b)) {
    manifold.touching = mo_half_space_within(&a->core, &b->core, 0.0);
    return manifold;
  }
  if (mo_either_is_half_space(&a->core, &b->core)) {
    return manifold_with_half_space(a, b, reference, max);
  }
  const double size = a->size + b->size;
  max += MO_TOUCHING_GAP * size;
  const body_pair p = {a, b, reference, max, size, true};
  const bool have_axes = mo_contact_uses_separating_axes(a, b);
  if (!have_axes && are_apart_along(&p, known)) {
    *found = known;
    return manifold;
  }
  if (try_best_face(&p, found, &manifold)) {
    return manifold;
  }
  manifold = (mo_manifold){.touching = false};
  mo_contact_axis axis = mo_contact_axis_of(a, b, max, known);
  if (!axis.within_limit || have_axes) {
    *found = axis.normal;
  }
  if (!axis.within_limit) {
    return manifold;
  }
  /* a ball has no features to clip */
  const bool is_ball = a->kind == MO_CORE_POINT || b->kind == MO_CORE_POINT;
  if (is_ball || !clip_features(&p, &axis, &manifold)) {
    if (!is_ball && !axis.is_certain) {
      return manifold_by_distance(&p);
    }
    make_witness_manifold(&p, &axis, &manifold);
  }
  return manifold;
}

mo_manifold mo_manifold_of(const mo_contact_body *a, const mo_contact_body *b, mo_dvec3 reference,
                           double max, mo_dvec3 *last_axis) {
  const mo_dvec3 none = {0.0, 0.0, 0.0};
  mo_dvec3 found = none, known = last_axis != NULL ? *last_axis : none;
  mo_manifold manifold = manifold_of_bodies(a, b, reference, max, known, &found);
  if (last_axis != NULL) {
    *last_axis = found;
  }
  return manifold;
}

mo_manifold mo_manifold_by_distance(const mo_contact_body *a, const mo_contact_body *b,
                                    mo_dvec3 reference, double max) {
  const double size = a->size + b->size;
  const body_pair p = {a, b, reference, max + MO_TOUCHING_GAP * size, size, true};
  return manifold_by_distance(&p);
}

mo_manifold mo_manifold_along(const mo_contact_body *a, const mo_contact_body *b,
                              mo_dvec3 reference, double max, mo_dvec3 normal) {
  mo_manifold manifold = {.touching = false};
  const double size = a->size + b->size;
  MO_ASSERT(mo_is_unit(normal));
  const body_pair p = {a, b, reference, max + MO_TOUCHING_GAP * size, size, false};
  mo_contact_axis axis = {.within_limit = true, .normal = normal};
  try_clip_along(&p, &axis, false, p.max, &manifold);
  return manifold;
}
