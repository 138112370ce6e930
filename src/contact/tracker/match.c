/* Matches contact points with the points of the last update, so that solvers can warm start: by id,
 * then by id on another triangle, then by position. Children of compounds are recognized by
 * mo_tracked_contact::children, as their numbers may have changed. */
#include "base/assert.h"
#include "contact/tracker/tracker.h"

/* Copies the solver data of an old point (mo_tracked_contact::memory) to a point, and marks both
 * points as matched. */
static void match_point(mo_tracked_contact *contact, uint32_t point, const mo_tracked_contact *old,
                        uint32_t old_point, uint8_t *matched_points) {
  MO_ASSERT(point < contact->contact.manifold.point_count);
  MO_ASSERT(old_point < old->contact.manifold.point_count && !(*matched_points >> old_point & 1));
  contact->memory[point] = old->memory[old_point];
  contact->kept |= (uint8_t)(1u << point);
  *matched_points |= (uint8_t)(1u << old_point);
}

/* Matches points of a contact and an old contact that have the same id. Usually the points of both
 * are in the same order. */
static void match_by_ids(mo_tracked_contact *contact, const mo_tracked_contact *old,
                         uint8_t *matched_points) {
  const mo_manifold *m = &contact->contact.manifold, *before = &old->contact.manifold;
  for (uint32_t i = 0, j = 0; i < m->point_count; i++, j++) {
    uint32_t tried = 0;
    for (; tried < before->point_count; tried++, j++) {
      j = j < before->point_count ? j : 0;
      if (m->points[i].id == before->points[j].id) {
        match_point(contact, i, old, j, matched_points);
        break;
      }
    }
  }
}

/* The points of two contacts on different triangles may match if the cosine between their normals
 * is at least this. */
static const double min_match_cosine = 0.995;

/* Whether one half of a point's id means the same feature as before: on the same triangle, or in
 * the interior of any triangle. */
static bool is_same_feature(uint32_t half, uint32_t triangle, uint32_t old_triangle) {
  return triangle == old_triangle || half >> 30 == MO_FEATURE_FACE;
}

/* Matches a point with an old point of the same id in the interior of another triangle. */
static void match_on_other_triangle(mo_tracked_contact *contact, uint32_t point,
                                    const mo_tracked_contact *old, uint32_t old_count,
                                    uint8_t *matched_points) {
  const mo_contact *now = &contact->contact;
  const uint64_t id = now->manifold.points[point].id;
  for (uint32_t i = 0; i < old_count; i++) {
    const mo_contact *before = &old[i].contact;
    const mo_manifold *m = &before->manifold;
    if (contact->children != old[i].children ||
        !is_same_feature((uint32_t)(id >> 32), now->triangle_a, before->triangle_a) ||
        !is_same_feature((uint32_t)id, now->triangle_b, before->triangle_b) ||
        mo_ddot(mo_widen(now->manifold.normal), mo_widen(m->normal)) < min_match_cosine) {
      continue;
    }
    for (uint32_t j = 0; j < m->point_count; j++) {
      if (m->points[j].id == id && !(matched_points[i] >> j & 1)) {
        match_point(contact, point, &old[i], j, &matched_points[i]);
        return;
      }
    }
  }
}

static double squared_distance(mo_vec3 a, mo_vec3 b) {
  mo_dvec3 d = mo_dsub(mo_widen(a), mo_widen(b));
  return mo_ddot(d, d);
}

/* The squared distance that a point has moved as seen from either shape, whichever is smaller. */
static double min_squared_motion(const mo_manifold_point *now, const mo_manifold_point *before) {
  return fmin(squared_distance(now->anchor_a, before->anchor_a),
              squared_distance(now->anchor_b, before->anchor_b));
}

/* Matches a point with the closest unmatched old point, if that is within the match distance. */
static void match_by_position(mo_tracked_contact *contact, uint32_t point,
                              const mo_tracked_contact *old, uint32_t old_count,
                              uint8_t *matched_points, double max) {
  const mo_manifold_point *p = &contact->contact.manifold.points[point];
  uint32_t best = 0, best_point = MO_NONE;
  for (uint32_t i = 0; i < old_count; i++) {
    const mo_manifold *before = &old[i].contact.manifold;
    for (uint32_t j = 0; j < before->point_count; j++) {
      double motion =
          matched_points[i] >> j & 1 ? INFINITY : min_squared_motion(p, &before->points[j]);
      if (motion <= max && (best_point == MO_NONE || motion < max)) {
        max = motion;
        best = i;
        best_point = j;
      }
    }
  }
  if (best_point != MO_NONE) {
    match_point(contact, point, &old[best], best_point, &matched_points[best]);
  }
}

static bool has_same_triangles(const mo_tracked_contact *a, const mo_tracked_contact *b) {
  return a->children == b->children && a->contact.triangle_a == b->contact.triangle_a &&
         a->contact.triangle_b == b->contact.triangle_b;
}

/* Finds the old contact of the same children and triangles; null if there is none. Contacts of
 * shapes without children must be looked up in their order, as the position `next` only advances.
 * Those of children are nearly always in the same order as before, but children may have got other
 * numbers: then the search wraps around. */
static const mo_tracked_contact *find_old_contact(const mo_tracked_contact *contact,
                                                  const mo_tracked_contact *old, uint32_t old_count,
                                                  uint32_t *next) {
  if (contact->children == 0) {
    while (*next < old_count && mo_contact_before(&old[*next].contact, &contact->contact)) {
      ++*next;
    }
    return *next < old_count && has_same_triangles(&old[*next], contact) ? &old[*next] : NULL;
  }
  for (uint32_t tried = 0; tried < old_count; tried++, ++*next) {
    *next = *next < old_count ? *next : 0;
    if (has_same_triangles(&old[*next], contact)) {
      return &old[*next];
    }
  }
  return NULL;
}

/* Whether two contacts have points with the same ids, in the same order. */
static bool has_same_points(const mo_tracked_contact *a, const mo_tracked_contact *b) {
  const mo_manifold *m = &a->contact.manifold, *n = &b->contact.manifold;
  uint32_t i = 0;
  while (m->point_count == n->point_count && i < m->point_count &&
         m->points[i].id == n->points[i].id) {
    i++;
  }
  return i == m->point_count && i == n->point_count;
}

bool mo_match_same_points(mo_tracked_contact *contacts, uint32_t count,
                          const mo_tracked_contact *old, uint32_t old_count) {
  bool is_same = count == old_count;
  for (uint32_t i = 0; i < count && is_same; i++) {
    is_same = has_same_triangles(&contacts[i], &old[i]) && has_same_points(&contacts[i], &old[i]);
  }
  for (uint32_t i = 0; i < count && is_same; i++) {
    for (uint32_t p = 0; p < contacts[i].contact.manifold.point_count; p++) {
      contacts[i].memory[p] = old[i].memory[p];
    }
    contacts[i].kept = (uint8_t)((1u << contacts[i].contact.manifold.point_count) - 1);
  }
  return is_same;
}

void mo_match_points(mo_tracked_contact *contacts, uint32_t count, const mo_tracked_contact *old,
                     uint32_t old_count, uint8_t *matched_points, float match_distance) {
  for (uint32_t i = 0, next = 0; i < count; i++) {
    const mo_tracked_contact *found = find_old_contact(&contacts[i], old, old_count, &next);
    if (found != NULL) {
      match_by_ids(&contacts[i], found, &matched_points[found - old]);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t p = 0; p < contacts[i].contact.manifold.point_count; p++) {
      if (!(contacts[i].kept >> p & 1)) {
        match_on_other_triangle(&contacts[i], p, old, old_count, matched_points);
      }
    }
  }
  double max = (double)match_distance * (double)match_distance;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t p = 0; p < contacts[i].contact.manifold.point_count; p++) {
      if (!(contacts[i].kept >> p & 1)) {
        match_by_position(&contacts[i], p, old, old_count, matched_points, max);
      }
    }
  }
}
