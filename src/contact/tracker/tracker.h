/* Inside a contact tracker. An update goes through the pairs with a shape that has changed and the
 * contacts of the update before, both sorted; contacts at rest (resting.h) whose shapes have
 * changed or woken come to the latter first. They are cut into parts, each a task of the host,
 * which find contacts pair by pair (part.c). Then the contacts of each shape are looked at
 * together, and those left out that are none of the surface that its partners have in common
 * (seams.c). What is left is compared with what was there before, again part by part (settle.c),
 * and the parts are put together in their order. Nothing that outlasts the update is written before
 * all memory for it is there. */
#ifndef MO_CONTACT_TRACKER_TRACKER_H
#define MO_CONTACT_TRACKER_TRACKER_H

#include <motte/contact_tracker.h>
#include <motte/pair_tracker.h>

#include "contact/manifold/carry.h"
#include "contact/pair/seam.h"
#include "contact/tracker/resting.h"
#include "scene/changes.h"
#include "scene/pairs/pairs.h"

/* Enough parts for many workers; and so many pairs in each, if there are, that its cost is worth a
 * task. To work out a pair costs as much as to keep so many contacts. */
enum { MO_CONTACT_PARTS = 64, MO_CONTACT_PART_PAIRS = 64, MO_CONTACTS_KEPT_FOR_A_PAIR = 8 };

/* What makes the contacts of a shape be worked out: any change but waking. */
enum { MO_CONTACT_CHANGES = MO_CHANGE_BOUNDS | MO_CHANGE_REBORN | MO_CHANGE_INSIDE_BOUNDS };

/* Updates after which memory is given back of which at most a quarter was needed meanwhile. */
enum { MO_CONTACT_TRIM_PERIOD = 64 };

typedef struct mo_contact_list {
  mo_tracked_contact *items;
  uint32_t count, capacity;
  uint32_t needed; /* at most, since it was last decided whether to give memory back */
} mo_contact_list;

typedef struct mo_touch_list {
  mo_pair *items;
  uint32_t count, capacity, needed;
} mo_touch_list;

/* A contact as seen from one of its shapes. */
typedef struct mo_part_side {
  mo_contact_side side;
  uint32_t contact; /* its place among those of the part */
  uint32_t hidden;  /* bits: points that are none of the surface that its partners have in common */
} mo_part_side;

/* A pair whose contacts were worked out, or that has none any more. */
typedef struct mo_met_pair {
  mo_pair pair;
  uint32_t first, count;         /* its contacts among those of its part */
  uint32_t first_old, old_count; /* those it had, among those of the update before */
} mo_met_pair;

typedef struct mo_met_list {
  mo_met_pair *items;
  uint32_t count, capacity, needed;
} mo_met_list;

/* Contacts with points by shapes that have changed and are not static, in the order of contacts. */
typedef struct mo_side_list {
  mo_part_side *items;
  uint32_t count, capacity, needed;
} mo_side_list;

/* A pair whose boxes touch but that is too far apart for contacts, along a unit vector. */
typedef struct mo_apart_pair {
  uint64_t pair; /* its key */
  mo_vec3 axis;
} mo_apart_pair;

typedef struct mo_apart_list {
  mo_apart_pair *items; /* in the order of pairs */
  uint32_t count, capacity, needed;
} mo_apart_list;

/* A pair whose contacts were worked out, to be carried along while its shapes move little. */
typedef struct mo_carried_pair {
  uint64_t pair;         /* its key */
  uint32_t first, count; /* its contacts in the list */
  mo_carry_start start;
} mo_carried_pair;

/* Those of a part of an update, in the order of pairs. */
typedef struct mo_carried_list {
  mo_carried_pair *pairs;
  uint32_t count, capacity, needed;
  mo_contact *contacts; /* where the shapes were when these were worked out */
  uint32_t contact_count, contact_capacity, contacts_needed;
} mo_carried_list;

/* A place among the carried pairs of the update before. */
typedef struct mo_carried_cursor {
  uint32_t part, item;
} mo_carried_cursor;

typedef struct mo_contact_part {
  uint32_t first_pair, pair_end;
  uint32_t first_old, old_end;     /* contacts of the update before, with keys of these pairs */
  mo_contact_list contacts, rests; /* those that come to rest apart */
  mo_met_list met;
  mo_side_list sides;
  mo_apart_list apart;
  mo_carried_list carried[2]; /* of the update before, and of this one, by turns */
  mo_touch_list begins, ends;
  uint32_t start; /* of its contacts among those of all parts */
  uint32_t worked_out, carried_count, reused, apart_by_axis;
  mo_contact *found; /* of one pair */
  uint32_t found_capacity;
  uint8_t *claimed; /* by old contact of one pair: a bit for each point that is known again */
  uint32_t claimed_capacity;
  mo_result result;
} mo_contact_part;

/* Memory for seams: the sides of all parts, ordered by shape. */
typedef struct mo_seam_memory {
  uint32_t *starts; /* by slot: its first item; 0 between updates */
  uint32_t slot_capacity;
  struct mo_seam_item *items;
  uint32_t item_count, item_capacity, needed;
  uint32_t *slots; /* that have items, in the order of these */
  uint32_t count, capacity;
} mo_seam_memory;

/* Memory for islands. */
typedef struct mo_island_memory {
  uint32_t *parent; /* by slot: of its set, the slot itself for the lowest of the set; MO_NONE
                       between calls */
  uint32_t *number; /* by slot: of the lowest, its island */
  uint32_t slot_capacity;
  uint64_t *slots; /* in contacts, ascending; as many again for sorting */
  mo_shape_id *shapes;
  uint32_t *starts;
  uint32_t shape_capacity;
  uint32_t *of_contact;
  uint32_t contact_capacity;
} mo_island_memory;

struct mo_contact_tracker {
  mo_changes log; /* first */
  mo_host host;
  mo_contact_tracker_def def;
  mo_pair_tracker *pair_tracker;
  mo_pair_keys pairs, sorting; /* pairs with a shape that has changed; for sorting */
  mo_contact_part parts[MO_CONTACT_PARTS];
  uint32_t part_count; /* of the update */
  mo_contact_list now, next;
  mo_resting resting;
  mo_resting_places woken;    /* contacts at rest with a shape that has changed or woken */
  mo_contact_list joined;     /* these and `now`, if there are some */
  const mo_contact_list *old; /* of the update: one of the two */
  mo_touch_list begins, ends;
  mo_apart_list apart;    /* of the pairs that were worked out */
  uint32_t carried;       /* which of the two lists of a part is of the update before */
  uint32_t carried_parts; /* how many parts that update had */
  mo_seam_memory seams;
  mo_island_memory islands;
  uint32_t worked_out, carried_count, reused, apart_by_axis;
  uint64_t update_count;
};

/* The pair of a contact, in the order of pairs. */
static inline uint64_t mo_contact_key(const mo_contact *contact) {
  return mo_pair_key(contact->a.index, contact->b.index);
}

/* User data of the shapes change unseen. Those of a shape that is gone stay as they were. */
static inline void mo_contact_renew_user_data(const mo_scene *scene, mo_contact *contact) {
  if (mo_shape_is_known(scene, contact->a)) {
    contact->user_data_a = scene->shapes[contact->a.index].user_data;
  }
  if (mo_shape_is_known(scene, contact->b)) {
    contact->user_data_b = scene->shapes[contact->b.index].user_data;
  }
}

/* Capacity for so many contacts in a list whose contacts are not needed any more. */
mo_result mo_contact_tracker_reserve(const mo_contact_tracker *tracker, mo_contact_list *list,
                                     uint64_t count);

/* What the tracker has now; `events` may be null. */
void mo_contact_tracker_list_events(const mo_contact_tracker *tracker, mo_contact_events *events);

/* The order of contacts. */
static inline bool mo_tracked_before(const void *a, const void *b) {
  const mo_tracked_contact *x = a, *y = b;
  return mo_contact_before(&x->contact, &y->contact);
}

/* The first contact whose key is at least this. */
uint32_t mo_first_contact_from(const mo_contact_list *contacts, uint64_t key);

/* Capacity for more items of a list of a part, which has a result if there is no memory. */
bool mo_contact_part_reserve(const mo_contact_tracker *tracker, mo_contact_part *part, void **items,
                             size_t size, uint32_t count, uint32_t *capacity, uint32_t extra);

/* Works out a part: finds its contacts; finds kept points, begins and ends, without what is hidden.
 * Tasks. */
void mo_contact_part_find(uint32_t index, void *tracker);
void mo_contact_part_settle(uint32_t index, void *tracker);

/* The place of the first pair from this one on; and the axis of a pair that is not before `next`,
 * which moves on to it, or zero. */
uint32_t mo_first_apart_from(const mo_apart_list *list, uint64_t pair);
mo_dvec3 mo_apart_axis(const mo_apart_list *list, uint32_t *next, uint64_t pair);

/* Adds a pair to those of a part, which has a result if there is no memory; gets memory for so many
 * in all; puts those of all parts together, for which there is memory. */
bool mo_contact_part_add_apart(const mo_contact_tracker *tracker, mo_contact_part *part,
                               uint64_t pair, mo_dvec3 axis);
bool mo_contact_tracker_reserve_apart(mo_contact_tracker *tracker, uint64_t count);
void mo_contact_tracker_join_apart(mo_contact_tracker *tracker);

/* The first carried pair of the update before from this one on; and a pair that is not before the
 * place, which moves on to it, or null. Of a pair its contacts. */
mo_carried_cursor mo_first_carried_from(const mo_contact_tracker *tracker, uint64_t pair);
const mo_carried_pair *mo_carried_find(const mo_contact_tracker *tracker, mo_carried_cursor *next,
                                       uint64_t pair);
const mo_contact *mo_carried_contacts(const mo_contact_tracker *tracker, mo_carried_cursor at);

/* Adds a pair to the carried ones of this update, with contacts as they were when they were worked
 * out. False if there is no memory: then the part has a result. */
bool mo_contact_part_add_carried(const mo_contact_tracker *tracker, mo_contact_part *part,
                                 mo_carried_pair pair, const mo_contact *contacts);

/* Gives back memory of the carried pairs of a part; and how much it is. */
void mo_contact_part_trim_carried(const mo_contact_tracker *tracker, mo_contact_part *part,
                                  bool all);
size_t mo_carried_bytes(const mo_contact_part *part);

/* Finds out which points of new contacts are hidden at seams. MO_ERROR_OUT_OF_MEMORY,
 * MO_ERROR_TOO_MANY. */
mo_result mo_contact_tracker_hide_seams(mo_contact_tracker *tracker);

/* Gives back its memory, or that of which little was needed lately; and how much it is. */
void mo_seam_memory_trim(const mo_allocator *allocator, mo_seam_memory *memory, bool all);
size_t mo_seam_memory_bytes(const mo_seam_memory *memory);

/* Finds which points of some contacts of a pair were there in the contacts of the update before,
 * and gives them their memory. `claimed` has a byte for each of these, all zero. */
void mo_match_points(mo_tracked_contact *contacts, uint32_t count, const mo_tracked_contact *old,
                     uint32_t old_count, uint8_t *claimed, float match_distance);

/* Checks shapes that a call of `function` is given as `ids`, and that there is a scene. */
mo_result mo_contact_tracker_check_ids(const mo_contact_tracker *tracker, const mo_shape_id *ids,
                                       uint32_t count, const char *function);

/* Gives back workspace: all of it, or what was hardly needed since the last time. */
void mo_contact_tracker_free_workspace(mo_contact_tracker *tracker, bool all);

/* All memory of a tracker, but for its pairs. */
size_t mo_contact_tracker_bytes(const mo_contact_tracker *tracker);

/* Notes how much of each list an update has needed. */
void mo_contact_tracker_note_needs(mo_contact_tracker *tracker);

/* Frees the memory of islands, and how much it is. */
void mo_island_memory_destroy(const mo_allocator *allocator, mo_island_memory *memory);
size_t mo_island_memory_bytes(const mo_island_memory *memory);

#endif
