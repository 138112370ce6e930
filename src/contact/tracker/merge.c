/* Merges the contacts of two meshes, or with mo_contact_tracker_def::merge_coplanar of any two
 * bodies, that lie in one plane to four points. The contacts of all parts of the update are grouped
 * by the bodies of their shapes; then each group of two bodies is merged by itself, in tasks. A
 * contact that loses points keeps its other points in their order; it stays in its place even if it
 * loses all points. Without the option each shape counts as a body of its own.
 *
 * Contacts of two bodies are all computed in the same update, as a body counts as changed if one of
 * its shapes has (mo_contact_tracker_copy_changes_to_bodies). So which points remain does not
 * depend on earlier updates. */
#include <string.h>

#include "base/assert.h"
#include "base/bounded.h"
#include "base/tasks.h"
#include "contact/manifold/reduce.h"
#include "contact/tracker/tracker.h"
#include "scene/bodies/bodies.h"

enum {
  MAX_PLANES_PER_GROUP = 64, /* planes for two bodies; contacts in further planes are not merged */
  GROUPS_PER_TASK = 64,      /* how many pairs of bodies one task merges */
  EXTENT_DIRECTIONS = 64,    /* directions in a plane in which the farthest point is kept */
};

/* Two contacts are coplanar only if the cosine between their normals is at least this (2 degrees).
 */
static const double min_coplanar_cosine = 0.99939;

/* --- grouping contacts by bodies --- */

static bool same_material(const mo_contact_material *a, const mo_contact_material *b) {
  return a->friction == b->friction && a->restitution == b->restitution &&
         a->surface_velocity.x == b->surface_velocity.x &&
         a->surface_velocity.y == b->surface_velocity.y &&
         a->surface_velocity.z == b->surface_velocity.z;
}

static bool item_before(const void *a, const void *b) {
  const mo_merge_item *x = a, *y = b;
  return x->bodies != y->bodies ? x->bodies < y->bodies
         : x->part != y->part   ? x->part < y->part
                                : x->contact < y->contact;
}

/* Whether the bodies of a pair are merged, and may have more than four contact points. */
static bool may_need_merging(const mo_contact_tracker *tracker, const mo_updated_pair *pair) {
  const uint16_t *traits = tracker->log.scene->traits;
  const uint32_t a = traits[pair->pair.a.index], b = traits[pair->pair.b.index];
  return tracker->def.merge_coplanar
             ? pair->count > 1 || (pair->count > 0 && ((a | b) & MO_TRAIT_HAS_RIGID_BODY) != 0)
             : pair->count > 1 && (a & b & MO_TRAIT_MESH) != 0;
}

/* The slot that stands for the body of a shape. */
static uint32_t body_of(const mo_contact_tracker *tracker, uint32_t slot) {
  return tracker->def.merge_coplanar ? mo_rigid_body_representative(tracker->log.scene, slot)
                                     : slot;
}

/* Lists the contacts of a part that may be merged, and returns their number; only counts them if
 * `items` is null. */
static uint32_t list_contacts(const mo_contact_tracker *tracker, uint32_t part,
                              mo_merge_item *items) {
  const mo_updated_list *updated = &tracker->parts[part].updated;
  uint32_t count = 0;
  for (uint32_t i = 0; i < updated->count; i++) {
    const mo_updated_pair *pair = &updated->items[i];
    if (!may_need_merging(tracker, pair)) {
      continue;
    }
    if (items != NULL) {
      const uint32_t a = body_of(tracker, pair->pair.a.index),
                     b = body_of(tracker, pair->pair.b.index);
      const uint64_t bodies = a < b ? mo_pair_key(a, b) : mo_pair_key(b, a);
      for (uint32_t k = 0; k < pair->count; k++) {
        items[count + k] = (mo_merge_item){bodies, part, pair->first + k};
      }
    }
    count += pair->count;
  }
  return count;
}

/* --- merging the contacts of two bodies --- */

/* The group of all contacts between two bodies. */
typedef struct merge_group {
  const mo_contact_tracker *tracker;
  const mo_merge_item *items;
  uint32_t count;
  uint32_t first_body; /* normal_of returns normals from this body to the other */
  uint8_t *planes;     /* number of the plane of each item; 0: none yet */
} merge_group;

static mo_tracked_contact *contact_of(const merge_group *g, uint32_t i) {
  MO_ASSERT(g->items[i].contact < g->tracker->parts[g->items[i].part].contacts.count);
  return &g->tracker->parts[g->items[i].part].contacts.items[g->items[i].contact];
}

/* The normal of contact i of a group, from the first body to the other. */
static mo_dvec3 normal_of(const merge_group *g, uint32_t i) {
  const mo_contact *c = &contact_of(g, i)->contact;
  const mo_dvec3 normal = mo_widen(c->manifold.normal);
  const bool in_order = body_of(g->tracker, c->a.index) == g->first_body;
  return in_order ? normal : mo_dscale(-1.0, normal);
}

/* Returns the contact with the deepest point among the contacts that are in no plane yet, and sets
 * `point` to the index of that point. Returns MO_NONE if all contacts are in planes. */
static uint32_t find_deepest(const merge_group *g, uint32_t *point) {
  uint32_t leader = MO_NONE;
  float min = INFINITY;
  for (uint32_t i = 0; i < g->count; i++) {
    const mo_manifold *m = &contact_of(g, i)->contact.manifold;
    for (uint32_t k = 0; k < m->point_count && g->planes[i] == 0; k++) {
      if (m->points[k].separation < min) {
        min = m->points[k].separation;
        leader = i;
        *point = k;
      }
    }
  }
  return leader;
}

/* A plane in which coplanar contacts lie. */
typedef struct merge_plane {
  mo_dvec3 origin, normal;
  const mo_contact_material *material;
  double tolerance;
  uint8_t number;
} merge_plane;

static bool is_in_plane(const merge_group *g, uint32_t i, const merge_plane *plane) {
  const mo_tracked_contact *c = contact_of(g, i);
  const mo_manifold *m = &c->contact.manifold;
  if (m->point_count == 0 || g->planes[i] != 0 || !same_material(&c->material, plane->material) ||
      mo_ddot(normal_of(g, i), plane->normal) < min_coplanar_cosine) {
    return false;
  }
  for (uint32_t k = 0; k < m->point_count; k++) {
    const mo_dvec3 from = mo_dsub(mo_widen(m->points[k].position), plane->origin);
    if (fabs(mo_ddot(from, plane->normal)) > plane->tolerance) {
      return false;
    }
  }
  return true;
}

/* The contact points in a plane, as candidates for the four points that are kept. */
typedef struct merge_points {
  mo_candidates candidates;
  uint32_t contact_index_in_group[MO_MAX_CANDIDATES]; /* by candidate: index of its contact in the
                                                         group */
  uint8_t point[MO_MAX_CANDIDATES]; /* by candidate: index of its point in that contact */
  /* If there are more points than MO_MAX_CANDIDATES, the candidates are the deepest point and the
   * farthest point in each direction; these are the extents of the latter. */
  double extents[EXTENT_DIRECTIONS];
} merge_points;

static mo_candidate candidate_of(const merge_plane *plane, const mo_manifold_point *p) {
  mo_candidate c = {.position = mo_dsub(mo_widen(p->position), plane->origin),
                    .separation = (double)p->separation,
                    .id = p->id};
  mo_candidate_project(plane->normal, &c);
  return c;
}

static void set_point(merge_points *points, uint32_t at, const mo_candidate *c, uint32_t item,
                      uint32_t point) {
  MO_ASSERT(at < MO_MAX_CANDIDATES && point < MO_MAX_MANIFOLD_POINTS);
  points->candidates.items[at] = *c;
  points->contact_index_in_group[at] = item;
  points->point[at] = (uint8_t)point;
}

/* The component of a point along a direction, times a factor that depends on the direction. The
 * directions, 16 in each quadrant, are a rational parametrization of the circle, so that all
 * machines compute the same. */
static double extent_along(const mo_candidate *c, uint32_t direction) {
  const double t = direction % (EXTENT_DIRECTIONS / 4) / (EXTENT_DIRECTIONS / 4.0);
  const double x = 1.0 - t * t, y = 2.0 * t;
  switch (direction / (EXTENT_DIRECTIONS / 4)) {
  case 0:
    return x * c->x + y * c->y;
  case 1:
    return x * c->y - y * c->x;
  case 2:
    return -x * c->x - y * c->y;
  default:
    return y * c->x - x * c->y;
  }
}

/* Keeps a point if it is the deepest so far, or the farthest in one of the directions. Candidate 0
 * is the deepest, candidate i + 1 the farthest in direction i. */
static void keep_if_farthest(merge_points *points, const mo_candidate *c, uint32_t item,
                             uint32_t point) {
  if (c->separation < points->candidates.items[0].separation) {
    set_point(points, 0, c, item, point);
  }
  for (uint32_t i = 0; i < EXTENT_DIRECTIONS; i++) {
    const double extent = extent_along(c, i);
    if (extent > points->extents[i]) {
      points->extents[i] = extent;
      set_point(points, i + 1, c, item, point);
    }
  }
}

/* Removes duplicates among the candidates: points that are the farthest in several directions. */
static void remove_duplicate_points(merge_points *points) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < 1 + EXTENT_DIRECTIONS; i++) {
    uint32_t k = 0;
    while (k < count && (points->contact_index_in_group[k] != points->contact_index_in_group[i] ||
                         points->point[k] != points->point[i])) {
      k++;
    }
    if (k == count) {
      const mo_candidate c = points->candidates.items[i];
      set_point(points, count++, &c, points->contact_index_in_group[i], points->point[i]);
    }
  }
  points->candidates.count = (int)count;
}

/* Collects the contact points in a plane as candidates. `total`: the number of points. */
static void collect_points(const merge_group *g, const merge_plane *plane, uint32_t total,
                           merge_points *points) {
  const bool is_full = total > MO_MAX_CANDIDATES;
  points->candidates.count = 0;
  points->candidates.items[0].separation = INFINITY;
  for (int i = 0; i < EXTENT_DIRECTIONS; i++) {
    points->extents[i] = -INFINITY;
  }
  for (uint32_t i = 0; i < g->count; i++) {
    const mo_manifold *m = &contact_of(g, i)->contact.manifold;
    for (uint32_t k = 0; k < m->point_count && g->planes[i] == plane->number; k++) {
      const mo_candidate c = candidate_of(plane, &m->points[k]);
      if (is_full) {
        keep_if_farthest(points, &c, i, k);
      } else {
        set_point(points, (uint32_t)points->candidates.count++, &c, i, k);
      }
    }
  }
  if (is_full) {
    remove_duplicate_points(points);
  }
}

static void keep_points_of_contact(const mo_contact_tracker *tracker, mo_contact *c,
                                   uint32_t kept) {
  mo_manifold *m = &c->manifold;
  const uint32_t removed = ((1u << m->point_count) - 1) & ~kept;
  uint32_t count = 0;
  if (removed != 0) {
    mo_contact_tracker_log_points(tracker, c, removed,
                                  "removed, merged with others of both bodies");
  }
  for (uint32_t i = 0; i < m->point_count; i++) {
    if (kept >> i & 1) {
      m->points[count++] = m->points[i];
    }
  }
  m->point_count = count;
}

/* Chooses four of the contact points in a plane, and removes the others from their contacts. */
static void merge_points_in_plane(const merge_group *g, const merge_plane *plane, uint32_t total) {
  merge_points points;
  collect_points(g, plane, total, &points);
  const mo_candidate *chosen[MO_MAX_MANIFOLD_POINTS];
  const int count = mo_reduce_candidates(&points.candidates, chosen);
  for (uint32_t i = 0; i < g->count; i++) {
    if (g->planes[i] != plane->number) {
      continue;
    }
    uint32_t kept = 0;
    for (int k = 0; k < count; k++) {
      const long at = chosen[k] - points.candidates.items;
      kept |= (uint32_t)(points.contact_index_in_group[at] == i) << points.point[at];
    }
    keep_points_of_contact(g->tracker, &contact_of(g, i)->contact, kept);
  }
}

static void merge_contacts(merge_group *g) {
  g->first_body = body_of(g->tracker, contact_of(g, 0)->contact.a.index);
  uint32_t point, leader;
  for (uint32_t number = 1; number <= MAX_PLANES_PER_GROUP; number++) {
    leader = find_deepest(g, &point);
    if (leader == MO_NONE) {
      return;
    }
    const mo_tracked_contact *c = contact_of(g, leader);
    const merge_plane plane = {mo_widen(c->contact.manifold.points[point].position),
                               normal_of(g, leader), &c->material,
                               (double)g->tracker->def.speculative_distance, (uint8_t)number};
    uint32_t total = 0;
    for (uint32_t i = 0; i < g->count; i++) {
      if (i == leader || is_in_plane(g, i, &plane)) {
        g->planes[i] = plane.number;
        total += contact_of(g, i)->contact.manifold.point_count;
      }
    }
    if (total > MO_MAX_MANIFOLD_POINTS) {
      merge_points_in_plane(g, &plane, total);
    }
  }
}

/* A task: merges the contacts of some groups (pairs of bodies). */
static void merge_groups(uint32_t index, void *context) {
  const mo_contact_tracker *tracker = context;
  const mo_merge_workspace *m = &tracker->merging;
  const uint32_t first = index * GROUPS_PER_TASK, end = first + GROUPS_PER_TASK;
  const uint32_t *starts = m->starts.items, groups = m->starts.count;
  for (uint32_t i = first; i < end && i < groups; i++) {
    const uint32_t start = starts[i], stop = i + 1 < groups ? starts[i + 1] : m->count;
    merge_group g = {.tracker = tracker,
                     .items = m->items + start,
                     .count = stop - start,
                     .planes = m->planes.items + start};
    merge_contacts(&g);
  }
}

/* --- memory, and merging all groups --- */

/* Empties the workspace, and reserves memory for `count` contacts. */
static mo_result reserve(mo_contact_tracker *tracker, uint64_t count) {
  const mo_allocator *allocator = &tracker->host.allocator;
  mo_merge_workspace *m = &tracker->merging;
  m->count = m->starts.count = 0;
  mo_result result = mo_list_reserve(allocator, &m->list, sizeof *m->items, count);
  if (result == MO_OK) {
    result = mo_list_reserve(allocator, &m->starts.list, sizeof *m->starts.items, count);
  }
  if (result == MO_OK) {
    result = mo_list_reserve(allocator, &m->planes.list, sizeof *m->planes.items, count);
  }
  return result;
}

/* Lists where the groups of contacts of the same two bodies begin in the sorted items. */
static void find_groups(mo_merge_workspace *m) {
  for (uint32_t i = 0; i < m->count; i++) {
    if (i == 0 || m->items[i].bodies != m->items[i - 1].bodies) {
      m->starts.items[m->starts.count++] = i;
    }
  }
}

mo_result mo_contact_tracker_merge_coplanar(mo_contact_tracker *tracker) {
  mo_merge_workspace *m = &tracker->merging;
  uint64_t count = 0;
  for (uint32_t i = 0; i < tracker->part_count; i++) {
    count += list_contacts(tracker, i, NULL);
  }
  mo_result result = reserve(tracker, count);
  if (result != MO_OK) {
    return result;
  }
  for (uint32_t i = 0; i < tracker->part_count && count > 0; i++) {
    m->count += list_contacts(tracker, i, m->items + m->count);
  }
  MO_ASSERT(m->count == count && m->count <= m->capacity);
  mo_list_record_needed(&m->list, m->count);
  mo_bounded_list list = mo_bounded_make(m->items, m->capacity);
  list.count = m->count;
  mo_bounded_sort(&list, sizeof *m->items, item_before);
  find_groups(m);
  if (m->count > 0) {
    memset(m->planes.items, 0, m->count * sizeof *m->planes.items);
  }
  mo_tasks_run(&tracker->host, (m->starts.count + GROUPS_PER_TASK - 1) / GROUPS_PER_TASK,
               merge_groups, tracker);
  return MO_OK;
}

/* --- changes of bodies --- */

/* Flag in mo_listener::pending, a bit that scenes do not use: the changes of a shape have been
 * copied to all shapes of its body. */
enum { COPIED_TO_BODY_FLAG = 128 };

/* Marks all shapes of a body as changed if one of them has changed, and as woken if one has woken.
 * `first`: any shape of the body. */
static void copy_changes_to_body(mo_listener *log, uint32_t first) {
  const mo_scene *scene = log->scene;
  uint32_t changes = 0, slot = first;
  do {
    changes |= log->pending[slot];
    slot = mo_slot_next_of_rigid_body(scene, slot);
  } while (slot != first);
  const bool moves = (changes & (MO_CONTACT_CHANGE_KINDS | MO_CHANGE_RIGID_BODY)) != 0;
  do {
    mo_listener_add(log, slot,
                    (uint8_t)(COPIED_TO_BODY_FLAG | (changes & MO_CHANGE_WOKEN) |
                              (moves ? (uint32_t)MO_CHANGE_INSIDE_BOUNDS : 0u)));
    slot = mo_slot_next_of_rigid_body(scene, slot);
  } while (slot != first);
}

void mo_contact_tracker_copy_changes_to_bodies(mo_contact_tracker *tracker) {
  mo_listener *log = &tracker->log;
  const mo_scene *scene = log->scene;
  const uint32_t count = log->count;
  for (uint32_t i = 0; i < count; i++) {
    log->pending[log->changed[i]] &=
        (uint8_t)~COPIED_TO_BODY_FLAG; /* may be set since a failed update */
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t slot = log->changed[i];
    if (mo_slot_is_alive(scene, slot) && (scene->traits[slot] & MO_TRAIT_HAS_RIGID_BODY) != 0 &&
        !(log->pending[slot] & COPIED_TO_BODY_FLAG)) {
      copy_changes_to_body(log, slot);
    }
  }
}
