/* The internals of a contact tracker.
 *
 * An update merges two sorted lists: the pairs of which a shape has changed, and the contacts of
 * the previous update (old contacts). Contacts at rest (resting_contacts.h) whose shapes have
 * changed or woken are added to the second list first. Both lists are cut into parts at the same
 * pairs, and each part is a task of the host:
 *
 * 1. find_contacts.c finds the contacts of each pair. Boxes around both shapes
 *    (oriented_bounds.c) show for most pairs that are apart that they have none. Pairs that have
 *    hardly moved reuse their old contacts (reuse.c). Balls, capsules and boxes have a fast path
 *    (fast_path.c). Searches for separating axes start at the axes of the previous update
 *    (separating_axis_cache.c).
 * 2. seams.c compares all contacts of each shape, and marks points on edges inside a surface that
 *    several other shapes form (ghost contacts at the seams between shapes).
 * 3. match_and_events.c removes marked points and those that are too far away; merge.c reduces the
 *    coplanar points of two bodies to four, if the tracker's def enables that. The points that are
 *    left are matched with those of the previous update (match.c). Pairs that begin or end to touch
 *    become events.
 *
 * Then the parts are joined in their order. Nothing that outlasts the update is written before all
 * memory for it has been allocated, so an update that fails changes nothing. */
#ifndef MO_CONTACT_TRACKER_TRACKER_H
#define MO_CONTACT_TRACKER_TRACKER_H

#include <motte/contact_tracker.h>
#include <motte/pair_tracker.h>
#include <string.h>

#include "contact/manifold/fast_path.h"
#include "contact/manifold/reusable_contact.h"
#include "contact/pair/children.h"
#include "contact/pair/seam.h"
#include "contact/tracker/oriented_bounds.h"
#include "contact/tracker/resting_contacts.h"
#include "pairs/tracker/tracker.h"
#include "scene/changes/change_log.h"
#include "scene/compound.h"
#include "scene/shapes/shape.h"

enum {
  MO_MAX_CONTACT_UPDATE_PARTS = 64,          /* parts of an update, one task for each */
  MO_MIN_PAIRS_PER_CONTACT_UPDATE_PART = 64, /* with fewer pairs, a part is not worth a task */
  /* How many times as much it costs to compute the contacts of a pair as to keep one contact. */
  MO_PAIR_COMPUTATION_COST = 8,
};

/* The kinds of changes of a shape after which its contacts are computed again: all but waking. */
enum {
  MO_CONTACT_CHANGE_KINDS = MO_CHANGE_BOUNDS | MO_CHANGE_SLOT_REUSED | MO_CHANGE_INSIDE_BOUNDS
};

/* Every this many updates, arrays of which at most a quarter has been needed since are freed. */
enum { MO_CONTACT_UPDATES_PER_TRIM = 64 };

typedef MO_LIST(mo_tracked_contact, items) mo_contact_list;
typedef MO_LIST(mo_pair, items) mo_touch_list; /* a list of pairs that begin or end to touch */

/* A contact in the list of a part, as seen from one of the contact's two shapes. */
typedef struct mo_contact_side_of_part {
  mo_contact_side side;
  uint32_t contact;       /* index of the contact in the list of the part */
  uint32_t hidden_points; /* a bit for each point that is hidden at a seam */
  int other_entry;        /* offset to the entry of the contact's other shape; 0: it has none */
  /* Index in mo_reusable_list::contacts of this update; MO_NONE: none. If it was reused there with
   * the same points, `hidden_points` is already set, and `is_examined`. */
  uint32_t reusable_contact;
  bool is_examined;
} mo_contact_side_of_part;

/* A pair whose contacts this update has computed, or that has none any more. */
typedef struct mo_updated_pair {
  mo_pair pair;
  uint32_t first, count;         /* range of its contacts in the list of its part */
  uint32_t first_old, old_count; /* range of its old contacts in their list */
  bool is_steady;                /* its contacts are reused, with the points of the last update */
} mo_updated_pair;

typedef MO_LIST(mo_updated_pair, items) mo_updated_list;

/* The input of the search for hidden points at seams, in the order of contacts: each contact with
 * points, once for each of its two shapes that has changed and that contacts can move. */
typedef MO_LIST(mo_contact_side_of_part, items) mo_side_list;

/* A pair and its cached axis: the separating axis if the shapes are too far apart for contacts,
 * else the contact normal. */
typedef struct mo_pair_axis {
  uint64_t pair; /* the key of the pair (mo_pair_key) */
  mo_vec3 axis;  /* the separating axis or contact normal; unit */
} mo_pair_axis;

/* Axes of pairs, in the order of pairs. */
typedef MO_LIST(mo_pair_axis, items) mo_axis_list;

/* A pair whose contacts are reused, moved with its shapes, while the relative motion of the shapes
 * stays small. */
typedef struct mo_reusable_pair {
  uint64_t pair;         /* the key of the pair (mo_pair_key) */
  uint32_t first, count; /* range of its contacts in mo_reusable_list::contacts */
  uint32_t first_point;  /* range of their points in mo_reusable_list::points */
  uint32_t point_count;
  double max; /* the greatest separation with which contacts were searched for */
  mo_relative_pose poses_when_computed; /* of its shapes when the contacts were computed */
  /* A bound of how far they have moved since (mo_max_motion_since) by an earlier update, and their
   * travel until then: of the shape that moves in the reference frame, and of the other. */
  double motion;
  mo_travel travel[2];
  double reach; /* mo_reach_of_other_shape */
} mo_reusable_pair;

/* The pairs of a part whose contacts may be reused, in the order of pairs. */
typedef struct mo_reusable_list {
  MO_LIST(mo_reusable_pair, pairs);
  MO_LIST(mo_reusable_contact, items) contacts;
  MO_LIST(mo_reusable_point, items) points;
} mo_reusable_list;

/* What a shape was like at the last update in which it changed. */
typedef struct mo_known_shape {
  mo_shape_frame frame;
  mo_vec3 origin;
  mo_vec3 axes_before[3], origin_before; /* of the frame and the origin, before that update */
  uint64_t update_number;                /* of that update */
  mo_shape_motion motions[2];            /* in that update, and in the one before */
  mo_travel travel, travel_before;       /* until that update, and before it */
  uint64_t category, mask;
  bool is_immovable;
} mo_known_shape;

/* A mark in mo_listener::pending: a pair of the changed shape has ended. */
enum { MO_CHANGE_LOST_PARTNER = MO_CHANGE_OF_LISTENER };

/* A cursor into the reusable pairs of the previous update: a part, and a range of its list. */
typedef struct mo_reusable_cursor {
  uint32_t part;
  const mo_reusable_pair *next, *end; /* the range; null without parts */
} mo_reusable_cursor;

/* A part of an update: a range of pairs and old contacts, for one task, with its results. */
typedef struct mo_contact_update_part {
  uint32_t first_pair, pair_end; /* its range of the changed pairs, without pair_end */
  uint32_t first_old, old_end;   /* its range of the old contacts, without old_end */
  mo_contact_list contacts;      /* contacts of its pairs, except those in `new_resting` */
  mo_contact_list new_resting;   /* contacts of its pairs that come to rest in this update */
  mo_updated_list updated;       /* its pairs whose contacts were computed or have ended */
  mo_side_list sides;            /* its computed contacts, by shape, for the search at seams */
  mo_axis_list axes;
  mo_reusable_list reusable[2]; /* of the previous update and of this one, which swap roles */
  mo_touch_list begins, ends;
  uint32_t joined_begin; /* index of its first contact in the joined list of all parts */
  uint32_t computed_count, reused_count, unchanged_count, apart_by_axis_count,
      apart_by_bounds_count;
  /* The slot of a mesh that has contacts and should have been built with edges; MO_NONE: none. */
  uint32_t mesh_without_edges;
  /* Copies of the contacts of the current pair, made before the host may change these. */
  MO_LIST(mo_contact, items) unmodified;
  /* By old contact of the current pair: a bit for each point that has been matched. */
  MO_LIST(uint8_t, items) matched_points;
  mo_result result;
} mo_contact_update_part;

/* A contact as seen from one of its shapes, in the search for hidden points at seams. */
typedef struct mo_seam_item {
  mo_seam_contact contact;
  mo_contact_side_of_part *side; /* the same contact in the list of its part */
  bool knows_is_near_others;     /* whether `is_near_others` has been computed */
  bool is_near_others;           /* whether a point of the contact is near a third shape */
} mo_seam_item;

/* Workspace of the search for hidden points at seams: the contacts in `sides` of all parts, grouped
 * by shape. */
typedef struct mo_seam_workspace {
  MO_LIST(mo_seam_item, items);
  MO_LIST(uint32_t, items) starts; /* by slot: index of its first item; 0 between updates */
  MO_LIST(uint32_t, items) slots;  /* the slots that have items, in the order of the items */
  /* By slot: whether the seams of the shape must be examined, as not all its contacts are reused */
  MO_LIST(bool, items) is_examined;
} mo_seam_workspace;

/* A contact that may be merged with other contacts of the same two bodies. */
typedef struct mo_merge_item {
  uint64_t bodies;        /* key of the two bodies: a slot of each, the lower slot first */
  uint32_t part, contact; /* its part, and its index in the list of the part */
} mo_merge_item;

/* Workspace for merging contacts (merge.c). */
typedef struct mo_merge_workspace {
  MO_LIST(mo_merge_item, items);   /* sorted by bodies, then in the order of contacts */
  MO_LIST(uint32_t, items) starts; /* where each group of items with the same bodies begins */
  MO_LIST(uint8_t, items) planes;  /* number of the plane of each item; 0: none yet */
} mo_merge_workspace;

/* The joints that the host has set, and the island of each. */
typedef struct mo_joint_list {
  mo_pair *joints;  /* in the order of the host */
  uint32_t *island; /* island of each joint (mo_islands::island_of_joint) */
  uint64_t
      *keys_by_shape; /* two sorted keys per joint: slot << 32 | 2 * joint, plus 1 for shape b */
  uint32_t count, capacity;
} mo_joint_list;

/* Kinematic shapes that have moved or changed since the previous update, ascending. */
typedef MO_LIST(mo_shape_id, items) mo_moved_kinematic_list;

/* Workspace for islands. */
typedef struct mo_island_workspace {
  uint32_t *parent; /* by slot: its parent in the union-find forest; of a root, the root itself;
                       MO_NONE between calls */
  uint32_t *island_number; /* by slot of a root: the number of the root's island */
  uint32_t slot_capacity;
  uint64_t *slots; /* slots in islands, ascending; then as much workspace for sorting */
  /* the following arrays are as in mo_islands */
  mo_shape_id *shapes;
  uint32_t *starts;
  bool *kept_awake;
  uint32_t shape_capacity;
  uint32_t *island_of_contact;
  uint32_t contact_capacity;
} mo_island_workspace;

struct mo_contact_tracker {
  mo_listener log; /* change log of the scene; must be first, as its address is the tracker's */
  mo_host host;
  mo_contact_tracker_def def;
  mo_pair_tracker *pair_tracker;
  mo_pair_keys pairs;   /* pairs of which a shape has changed, sorted */
  mo_pair_keys sorting; /* workspace for sorting `pairs` */
  mo_contact_update_part parts[MO_MAX_CONTACT_UPDATE_PARTS];
  uint32_t part_count;               /* number of parts of the last update */
  mo_contact_list current_contacts;  /* the contacts found by the last update, except those between
                           sleeping  shapes (`resting`) */
  mo_contact_list contacts_to_write; /* where an update writes contacts; then swaps roles with
                                        `current_contacts` */
  mo_resting resting;
  mo_resting_indices woken; /* contacts at rest of which a shape has changed or woken */
  mo_contact_list
      current_and_woken; /* contacts in `current_contacts` and `woken`, if there are any woken */
  const mo_contact_list
      *old_contacts; /* the old contacts of an update: `current_contacts` or `current_and_woken` */
  mo_touch_list begins, ends;
  mo_axis_list axes;
  uint32_t reusable_index; /* which of mo_contact_update_part::reusable the previous update wrote */
  uint32_t reusable_part_count;                /* how many parts the previous update had */
  MO_LIST(mo_known_shape, items) known_shapes; /* by slot; empty unless contacts are reused */
  mo_seam_workspace seams;
  mo_merge_workspace merging;
  mo_island_workspace islands;
  mo_joint_list joints;
  mo_moved_kinematic_list moved_kinematic;
  uint32_t computed_count, reused_count, unchanged_count, apart_by_axis_count,
      apart_by_bounds_count;
  bool has_warned_of_missing_edges; /* the warning about a mesh without edges was logged */
  uint64_t update_count;
};

/* The key of a contact's pair (mo_pair_key); keys are in the order of pairs. */
static inline uint64_t mo_contact_key(const mo_contact *contact) {
  return mo_pair_key(contact->a.index, contact->b.index);
}

/* Copies the user data of both shapes to a contact, as changes of user data are not tracked. If a
 * shape has been removed, the contact keeps its last user data. */
static inline void mo_contact_renew_user_data(const mo_scene *scene, mo_contact *contact) {
  if (mo_shape_is_known(scene, contact->a)) {
    mo_child_read_user_data(scene, contact->a.index, contact->child_a, &contact->user_data_a);
  }
  if (mo_shape_is_known(scene, contact->b)) {
    mo_child_read_user_data(scene, contact->b.index, contact->child_b, &contact->user_data_b);
  }
}

/* Whether the rules that make and remove the contacts of two shapes are logged. */
static inline bool mo_contact_tracker_logs_rules(const mo_contact_tracker *tracker, uint32_t a,
                                                 uint32_t b) {
  const mo_shape *shapes = tracker->log.scene->shapes;
  return tracker->def.log_categories != 0 &&
         ((shapes[a].category | shapes[b].category) & tracker->def.log_categories) != 0;
}

/* Logs why some points of a contact (a bit each) are made or removed, if rules are logged for it.
 */
void mo_contact_tracker_log_points(const mo_contact_tracker *tracker, const mo_contact *contact,
                                   uint32_t points, const char *why);

/* Writes the current contacts and events of the tracker to `events`, which may be null. */
void mo_contact_tracker_list_events(const mo_contact_tracker *tracker, mo_contact_events *events);

/* Whether two contacts of a pair are of the same children. */
static inline bool mo_contacts_have_same_children(const mo_contact *a, const mo_contact *b) {
  return a->child_a == b->child_a && a->child_b == b->child_b;
}

/* mo_tracked_contact::children of a contact. */
static inline uint64_t mo_contact_children(const mo_scene *scene, const mo_contact *contact) {
  const uint64_t a = mo_child_path_hash(scene, contact->a.index, contact->child_a),
                 b = mo_child_path_hash(scene, contact->b.index, contact->child_b);
  return a ^ (b << 1 | b >> 63);
}

/* The order of contacts: by shapes, then by children, then by triangles. */
static inline bool mo_tracked_before(const void *a, const void *b) {
  const mo_tracked_contact *x = a, *y = b;
  return mo_contact_before(&x->contact, &y->contact);
}

/* The index of the first item of a list whose key is at least `key`. Items must begin with their
 * keys, and be sorted by them. */
static inline uint32_t mo_item_lower_bound(const mo_list *list, size_t size, uint64_t key) {
  uint32_t lower = 0, upper = list->count;
  while (lower < upper) {
    const uint32_t middle = lower + (upper - lower) / 2;
    uint64_t found;
    memcpy(&found, (const char *)list->items + middle * size, sizeof found);
    lower = found < key ? middle + 1 : lower;
    upper = found < key ? upper : middle;
  }
  return lower;
}

/* The index of the first contact whose pair has at least the key `key`. */
uint32_t mo_contact_lower_bound(const mo_contact_list *contacts, uint64_t key);

/* Reserves capacity for `extra` more items in a list of a part. False without memory: then
 * `result` of the part is set. */
static inline bool mo_contact_update_part_reserve(const mo_contact_tracker *tracker,
                                                  mo_contact_update_part *part, mo_list *list,
                                                  size_t size, uint64_t extra) {
  const mo_result result = mo_list_reserve(&tracker->host.allocator, list, size, extra);
  part->result = result != MO_OK ? result : part->result;
  return result == MO_OK;
}

/* Adds an item to a list of a part. False without memory: then `result` of the part is set. */
bool mo_contact_update_part_add(const mo_contact_tracker *tracker, mo_contact_update_part *part,
                                mo_list *list, size_t size, const void *item);

/* The greatest separations that contact points of a pair may have (speculative.c). */
typedef struct mo_speculative_limits {
  mo_dvec3 displacement; /* expected motion of the first shape relative to the second in a step */
  /* Greatest separations of points. `min`: if the shapes do not approach along the normal; `max`:
   * along any normal, with this displacement; `limit`: with any displacement. */
  double min, max, limit;
} mo_speculative_limits;

mo_speculative_limits mo_speculative_limits_of(const mo_contact_tracker *tracker,
                                               const mo_pair *pair);

/* Given the contacts that were found with separations of up to reach->max, returns the greatest
 * separation for a second search; reach->max if none is needed. A second search is needed where one
 * shape slides fast over the other: points that are too far away are removed later, and in the
 * first search they may have displaced nearer points, as a manifold has at most four. `size`: that
 * of an item of the list, which begins with a mo_contact. */
double mo_speculative_limit_of_second_search(const mo_speculative_limits *reach,
                                             const void *contacts, size_t size, uint32_t count);

/* The contact at the beginning of an item of a list with items of `size` bytes. */
static inline const mo_contact *mo_contact_in_list(const void *contacts, size_t size,
                                                   uint32_t index) {
  return (const mo_contact *)(const void *)((const char *)contacts + index * size);
}

/* Two shapes, or children of shapes, for a cast. */
typedef struct mo_speculative_pair {
  mo_pair pair;
  const mo_placed_child *child_a, *child_b; /* null: the shape itself */
} mo_speculative_pair;

/* Returns a bit for each point whose separation is too large for how fast the shapes approach along
 * the normal. */
uint32_t mo_speculative_find_far_points(const mo_speculative_limits *reach, const mo_manifold *m);

/* If none of the contacts of a convex shape with a mesh with `edges` has a point that is near
 * enough, but the shape is about to touch the mesh, makes a contact there. Returns whether it was
 * made. Both may be children. */
bool mo_speculative_cast(const mo_contact_tracker *tracker, const mo_speculative_pair *pair,
                         const mo_speculative_limits *reach, const mo_tracked_contact *contacts,
                         uint32_t count, mo_contact *made);

/* Sets what is known from the last update of the seams of a contact. `reusable`: null, or the
 * contact as it is stored for reuse, at `index`. */
void mo_contact_side_set_known_seams(mo_contact_side_of_part *side,
                                     const mo_reusable_contact *reusable, uint32_t index,
                                     int second);

bool mo_is_sensor(const mo_contact_tracker *tracker, mo_shape_id id);

/* Whether a child of a placement is a sensor by itself; false for shapes without children. */
bool mo_is_sensor_child(const mo_contact_tracker *tracker, mo_shape_id id, uint32_t number);

/* Replaces contacts of sensors in the contacts of a pair by contacts without points. Returns the
 * number of contacts. */
uint32_t mo_sensor_contacts_reduce(const mo_contact_tracker *tracker, mo_tracked_contact *found,
                                   uint32_t count);

/* Keeps which points are hidden at seams in the contacts that are stored for reuse. */
void mo_contact_update_part_keep_seams(const mo_contact_tracker *tracker,
                                       mo_contact_update_part *part);

/* The three tasks for a part: find its contacts; remove points that are hidden at seams or too far
 * away; match points with old points, and find which pairs begin and end to touch. */
void mo_contact_update_part_find_contacts(uint32_t index, void *tracker);
void mo_contact_update_part_remove_points(uint32_t index, void *tracker);
void mo_contact_update_part_match_and_events(uint32_t index, void *tracker);

/* The first shape of the last pair that was tried by the fast path. */
typedef struct mo_fast_path_shape {
  uint32_t slot;    /* MO_NONE at first; of all other members, none is set then */
  bool is_solid;    /* whether `solid` is set, and has not turned out to need the general path */
  bool is_prepared; /* whether `prepared` has been computed, if that is possible */
  mo_solid solid;
  mo_prepared_solid prepared;
} mo_fast_path_shape;

/* Writes the contact of two shapes that are no compounds, without points if they are farther apart
 * than `max`. Returns false if they have no fast path, or need the general path. `first` is kept
 * between calls for pairs that may have the same first shape. (fast_path.c) */
bool mo_contact_by_fast_path(const mo_scene *scene, mo_fast_path_shape *first, const mo_pair *pair,
                             double max, mo_contact *contact);

/* Finds the axis of a pair in a list; zero if there is none. Pairs must be looked up in ascending
 * order, as the position `next` only advances. */
mo_dvec3 mo_find_cached_axis(const mo_axis_list *list, uint32_t *next, uint64_t pair);

/* Adds the axis of a pair to a part. Returns false without memory: then `result` of the part is
 * set.
 */
bool mo_contact_update_part_add_axis(const mo_contact_tracker *tracker,
                                     mo_contact_update_part *part, uint64_t pair, mo_dvec3 axis);

/* Copies the axis of a pair from the list of the previous update, if there is one. */
bool mo_contact_update_part_keep_axis(const mo_contact_tracker *tracker,
                                      mo_contact_update_part *part, uint32_t *next, uint64_t pair);

/* Whether contacts of shapes that have moved little are reused. */
static inline bool mo_contact_tracker_reuses(const mo_contact_tracker *tracker) {
  return tracker->def.reuse_distance > 0.0f;
}

/* Marks with MO_CHANGE_LOST_PARTNER both shapes, if changed, of all pairs that have just ended:
 * right after the update of pairs, as the marks must stay if this update fails later. */
void mo_contact_tracker_mark_lost_partners(mo_contact_tracker *tracker);

/* If contacts are reused, prepares that after the update of pairs: sets the frames of all changed
 * shapes, and marks shapes with MO_CHANGE_GEOMETRY that have changed otherwise than by a rigid
 * motion. Errors: MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_contact_tracker_prepare_reuse(mo_contact_tracker *tracker);

/* Whether a pair moves so fast that its contacts are not worth storing: in each of the last two
 * updates by more than half of the distance within which they are reused. */
bool mo_pair_is_fast(const mo_contact_tracker *tracker, const mo_pair *pair);

/* The poses of a pair's shapes: axes as stored (mo_known_shape), origins as in the scene. */
mo_pair_poses mo_reusable_poses_of(const mo_contact_tracker *tracker, uint32_t a, uint32_t b);

/* A pair whose contacts have been computed at these poses, within the separation `max`: all but its
 * contacts and points. */
mo_reusable_pair mo_reusable_pair_of(const mo_contact_tracker *tracker, uint64_t pair,
                                     const mo_pair_poses *poses, double max);

/* Tests whether the shapes of a pair have moved by at most `max` since its contacts were computed.
 * Returns the pair if they have, or `tested` with what the test has found; null if not. */
const mo_reusable_pair *mo_reusable_pair_within(const mo_contact_tracker *tracker,
                                                const mo_reusable_pair *pair, double max,
                                                mo_reusable_pair *tested);

/* The position of the first reusable pair of the previous update whose key is at least `pair`. */
mo_reusable_cursor mo_reusable_lower_bound(const mo_contact_tracker *tracker, uint64_t pair);

/* If a cursor is at the end of a part, advances it to the next part that has reusable pairs. */
void mo_reusable_cursor_skip_parts(const mo_contact_tracker *tracker, mo_reusable_cursor *cursor);

/* Finds a reusable pair of the previous update; null if there is none. Pairs must be looked up in
 * ascending order, as the cursor only advances. */
static inline const mo_reusable_pair *mo_reusable_find(const mo_contact_tracker *tracker,
                                                       mo_reusable_cursor *cursor, uint64_t pair) {
  while (cursor->next != cursor->end && cursor->next->pair < pair) {
    if (++cursor->next == cursor->end) {
      mo_reusable_cursor_skip_parts(tracker, cursor);
    }
  }
  return cursor->next != cursor->end && cursor->next->pair == pair ? cursor->next : NULL;
}

/* The list in which a cursor is. */
static inline const mo_reusable_list *mo_reusable_list_at(const mo_contact_tracker *tracker,
                                                          const mo_reusable_cursor *cursor) {
  return &tracker->parts[cursor->part].reusable[tracker->reusable_index];
}

/* How many contacts are stored for reuse in this update. */
static inline uint32_t mo_contact_update_part_reusable_count(const mo_contact_tracker *tracker,
                                                             const mo_contact_update_part *part) {
  return part->reusable[!tracker->reusable_index].contacts.count;
}

/* Adds a pair to the reusable pairs of this update. `contacts` and `points` receive where its
 * contacts and their points are to be written. Returns false without memory: then `result` of the
 * part is set. */
bool mo_contact_update_part_add_reusable(const mo_contact_tracker *tracker,
                                         mo_contact_update_part *part, const mo_reusable_pair *pair,
                                         mo_reusable_contact **contacts,
                                         mo_reusable_point **points);

/* Marks points of new contacts that are hidden at seams between shapes. Errors:
 * MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_contact_tracker_hide_seams(mo_contact_tracker *tracker);

/* For every two bodies, keeps at most four of the contact points that lie in one plane. Errors:
 * MO_ERROR_OUT_OF_MEMORY, MO_ERROR_TOO_MANY. */
mo_result mo_contact_tracker_merge_coplanar(mo_contact_tracker *tracker);

/* Marks all shapes of a body as changed if one of them has changed. */
void mo_contact_tracker_copy_changes_to_bodies(mo_contact_tracker *tracker);

/* If the points of a pair have the same ids as its old points, contact by contact and in the same
 * order, copies the solver data of all points: what mo_match_points would do, but faster. Returns
 * whether they have. */
bool mo_match_same_points(mo_tracked_contact *contacts, uint32_t count,
                          const mo_tracked_contact *old, uint32_t old_count);

/* Matches the contact points of a pair with its old points, and copies the solver data of matched
 * points (mo_tracked_contact::memory). `matched_points` is workspace: a byte for each old contact,
 * all zero. */
void mo_match_points(mo_tracked_contact *contacts, uint32_t count, const mo_tracked_contact *old,
                     uint32_t old_count, uint8_t *matched_points, float match_distance);

/* Checks the argument `ids` of a public function, and that the scene still exists. */
mo_result mo_contact_tracker_check_ids(const mo_contact_tracker *tracker, const mo_shape_id *ids,
                                       uint32_t count, const char *function);

/* Frees workspace: all, or only arrays that have hardly been needed since the last call. */
void mo_contact_tracker_free_workspace(mo_contact_tracker *tracker, bool all);

/* The bytes of memory of a tracker, except its pair tracker. */
size_t mo_contact_tracker_bytes(const mo_contact_tracker *tracker);

/* Records how many items of each list an update has needed, for freeing workspace. */
void mo_contact_tracker_record_needed_counts(mo_contact_tracker *tracker);

/* Lists all shapes of the bodies of `count` shapes, each once, as the first `found` items of
 * `islands.slots`. mo_island_workspace_clear must follow. Error: MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_contact_tracker_gather_bodies(mo_contact_tracker *tracker, const mo_shape_id *ids,
                                           uint32_t count, uint32_t *found);

/* Clears the union-find sets of the first `count` shapes in `slots`. */
void mo_island_workspace_clear(mo_island_workspace *memory, uint32_t count);

/* The position in `sides` of the first joint of a slot; if it has none, of the next slot that has.
 */
uint32_t mo_joint_lower_bound(const mo_joint_list *memory, uint32_t slot);

void mo_joint_list_destroy(const mo_allocator *allocator, mo_joint_list *memory);

/* The bytes of memory that joints take. */
size_t mo_joint_list_bytes(const mo_joint_list *memory);

/* Whether a shape is kinematic and had moved or changed before the last update. */
bool mo_contact_tracker_has_moved(const mo_contact_tracker *tracker, mo_shape_id id);

/* Frees the workspace for islands. */
void mo_island_workspace_destroy(const mo_allocator *allocator, mo_island_workspace *memory);

/* The bytes that the workspace for islands takes. */
size_t mo_island_workspace_bytes(const mo_island_workspace *memory);

/* Classes of shapes that the tracker distinguishes, by how contacts with them are found. */
typedef enum mo_contact_class {
  MO_CLASS_CONVEX, /* any convex shape except a half-space */
  MO_CLASS_VOLUME, /* a volume (MO_SHAPE_VOLUME), whose contacts have no points */
  MO_CLASS_HALF_SPACE,
  MO_CLASS_SURFACE,   /* a mesh with edges: its triangles are one surface */
  MO_CLASS_TRIANGLES, /* a mesh without edges: each triangle has its own contacts */
  MO_CLASS_COMPOUND,  /* contacts are those of its children */
} mo_contact_class;

static inline mo_contact_class mo_contact_class_of(const mo_geometry *geometry) {
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    return mo_mesh_is_surface(geometry->mesh) ? MO_CLASS_SURFACE : MO_CLASS_TRIANGLES;
  case MO_SHAPE_VOLUME:
    return MO_CLASS_VOLUME;
  case MO_SHAPE_HALF_SPACE:
    return MO_CLASS_HALF_SPACE;
  case MO_SHAPE_COMPOUND:
    return MO_CLASS_COMPOUND;
    MO_CASES_OF_SOLIDS
    return MO_CLASS_CONVEX;
  }
  __builtin_unreachable();
}

/* Whether a shape has a child with the number `child`, which must be 0 if it is no compound, with a
 * triangle of the index `triangle`; true also for MO_NO_TRIANGLE. */
static inline bool mo_shape_has_triangle(const mo_scene *scene, uint32_t slot, uint32_t child,
                                         uint32_t triangle) {
  const mo_geometry *geometry = mo_child_geometry(scene, slot, child);
  return geometry != NULL &&
         (triangle == MO_NO_TRIANGLE || mo_geometry_has_triangle(geometry, triangle));
}

#endif
