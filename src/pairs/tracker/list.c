/* Functions that read and validate a pair tracker. */
#include "base/key_sort.h"
#include "base/log.h"
#include "pairs/tracker/policy.h"
#include "pairs/tracker/tracker.h"

static const mo_host *host_of(const mo_pair_tracker *tracker) {
  return tracker != NULL ? &tracker->host : NULL;
}

uint64_t mo_pair_tracker_pair_count(const mo_pair_tracker *tracker) {
  return tracker != NULL ? tracker->pair_count : 0;
}

/* Whether a shape existed at the tracker's last update. */
static bool is_known(const mo_pair_tracker *tracker, mo_shape_id id) {
  return id.index < tracker->log.slot_capacity && (id.generation & 1) != 0 &&
         tracker->set.lists[id.index].tag == id.generation;
}

mo_result mo_pair_tracker_get_pairs(const mo_pair_tracker *tracker, mo_pair *pairs,
                                    uint32_t capacity, uint32_t *total) {
  if (tracker == NULL || total == NULL || (capacity > 0 && pairs == NULL)) {
    return mo_refuse_null(host_of(tracker), __func__, total != NULL ? "pairs" : "total");
  }
  uint32_t written = 0, sorted[MO_MAX_SHORT_PARTNER_LIST];
  for (uint32_t slot = 0; slot < tracker->log.slot_capacity && written < capacity; slot++) {
    uint32_t count = mo_partners_count(&tracker->set, slot);
    const uint32_t *partners = mo_partners_in_order(&tracker->set, slot, sorted);
    for (uint32_t i = 0; i < count && written < capacity; i++) {
      if (partners[i] > slot) {
        pairs[written++] = (mo_pair){mo_pair_tracker_id_of(tracker, slot),
                                     mo_pair_tracker_id_of(tracker, partners[i])};
      }
    }
  }
  *total = tracker->pair_count < UINT32_MAX ? (uint32_t)tracker->pair_count : UINT32_MAX;
  return MO_OK;
}

/* Empties a list and reserves memory for `count` keys. */
static bool reserve_keys(const mo_pair_tracker *tracker, mo_pair_keys *list, uint64_t count) {
  list->count = 0;
  return mo_pair_tracker_reserve_keys(tracker, list, count);
}

/* Lists the pairs of changed shapes in order, by going over the partner lists of all slots. The few
 * pairs of a slot whose list is short, and so not sorted, are sorted by insertion. */
static void list_in_order(const mo_pair_tracker *tracker, const uint8_t *pending, uint8_t kinds,
                          mo_pair_keys *keys) {
  uint64_t *to = keys->keys;
  uint32_t first = 0, end = 0; /* of the pairs of the slot */
  for (uint32_t slot = 0; slot < tracker->log.slot_capacity; slot++, first = end) {
    const uint32_t count = mo_partners_count(&tracker->set, slot);
    const uint32_t *partners = mo_partners_of(&tracker->set, slot);
    for (uint32_t i = 0; i < count; i++) {
      if (partners[i] > slot && ((pending[slot] | pending[partners[i]]) & kinds)) {
        const uint64_t key = mo_pair_key(slot, partners[i]);
        uint32_t at = end++;
        for (; at > first && to[at - 1] > key; at--) {
          to[at] = to[at - 1];
        }
        to[at] = key;
      }
    }
  }
  keys->count = end;
}

bool mo_pair_tracker_list_changed_pairs(const mo_pair_tracker *tracker, const mo_listener *log,
                                        uint8_t kinds, mo_pair_keys *keys, mo_pair_keys *scratch) {
  uint64_t max = 0;
  if (log->count > log->slot_capacity / MO_ITERATE_ALL_LISTS_DIVISOR) {
    if (!reserve_keys(tracker, keys, tracker->pair_count)) {
      return false;
    }
    list_in_order(tracker, log->pending, kinds, keys);
    return true;
  }
  for (uint32_t i = 0; i < log->count; i++) {
    max += mo_partners_count(&tracker->set, log->changed[i]);
  }
  if (!reserve_keys(tracker, keys, max) || !reserve_keys(tracker, scratch, max)) {
    return false;
  }
  for (uint32_t i = 0; i < log->count; i++) {
    uint32_t slot = log->changed[i];
    uint32_t count = log->pending[slot] & kinds ? mo_partners_count(&tracker->set, slot) : 0;
    const uint32_t *partners = mo_partners_of(&tracker->set, slot);
    for (uint32_t j = 0; j < count; j++) {
      uint32_t other = partners[j];
      if (slot < other) {
        keys->keys[keys->count++] = mo_pair_key(slot, other);
      } else if (!(log->pending[other] & kinds)) {
        keys->keys[keys->count++] = mo_pair_key(other, slot);
      }
    }
  }
  mo_keys_sort(keys->keys, scratch->keys, keys->count);
  return true;
}

mo_result mo_pair_tracker_get_partners(const mo_pair_tracker *tracker, mo_shape_id id,
                                       mo_shape_id *partners, uint32_t capacity, uint32_t *total) {
  if (tracker == NULL || total == NULL || (capacity > 0 && partners == NULL)) {
    return mo_refuse_null(host_of(tracker), __func__, total != NULL ? "partners" : "total");
  }
  if (!is_known(tracker, id)) {
    mo_refusal refusal = mo_refusal_of(&tracker->host, __func__, "id");
    return mo_refuse_id(&refusal, id.index, id.generation);
  }
  uint32_t count = mo_partners_count(&tracker->set, id.index), sorted[MO_MAX_SHORT_PARTNER_LIST];
  const uint32_t *list = mo_partners_in_order(&tracker->set, id.index, sorted);
  for (uint32_t i = 0; i < count && i < capacity; i++) {
    partners[i] = mo_pair_tracker_id_of(tracker, list[i]);
  }
  *total = count;
  return MO_OK;
}

bool mo_pair_tracker_contains(const mo_pair_tracker *tracker, mo_shape_id a, mo_shape_id b) {
  return tracker != NULL && is_known(tracker, a) && is_known(tracker, b) &&
         mo_partners_find(&tracker->set, a.index, b.index) != NULL;
}

mo_result mo_pair_tracker_get_stats(const mo_pair_tracker *tracker, mo_pair_tracker_stats *stats) {
  if (tracker == NULL || stats == NULL) {
    return mo_refuse_null(host_of(tracker), __func__, "stats");
  }
  size_t keys = 0;
  for (uint32_t i = 0; i < MO_PAIR_LIST_COUNT; i++) {
    keys += mo_pair_tracker_list_at((mo_pair_tracker *)tracker, i)->capacity;
  }
  size_t outputs = (size_t)tracker->output[0].capacity + tracker->output[1].capacity;
  size_t set = mo_pair_set_bytes(&tracker->set);
  *stats = (mo_pair_tracker_stats){
      .pair_count = tracker->pair_count,
      .pending_shape_count = tracker->log.count,
      .update_count = tracker->search_count,
      .whole_search_count = tracker->whole_search_count,
      .set_bytes = set,
      .bytes = sizeof *tracker + set + keys * sizeof(uint64_t) + outputs * sizeof(mo_pair) +
               tracker->log.slot_capacity * (sizeof(uint32_t) + 1) +
               tracker->changed_lanes.capacity +
               tracker->changed_blocks.capacity * sizeof(uint64_t) +
               tracker->many_partner_found.capacity,
  };
  return MO_OK;
}

#define WARN_AND_FAIL(...)                                                                         \
  (mo_log(&tracker->host, MO_LOG_WARNING, "pair tracker: " __VA_ARGS__), MO_ERROR_CORRUPT)

mo_result mo_pair_tracker_validate(const mo_pair_tracker *tracker) {
  if (tracker == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  uint64_t entries = 0;
  for (uint32_t slot = 0; slot < tracker->log.slot_capacity; slot++) {
    uint32_t count = mo_partners_count(&tracker->set, slot);
    uint32_t size = mo_partners_chunk_size(&tracker->set.lists[slot]);
    if (count > 0 && !(tracker->set.lists[slot].tag & 1)) {
      return WARN_AND_FAIL("slot %u has partners but no shape", slot);
    }
    if (count > mo_partner_chunk_capacity(size)) {
      return WARN_AND_FAIL("slot %u has more partners than room for them", slot);
    }
    uint32_t sorted[MO_MAX_SHORT_PARTNER_LIST];
    const uint32_t *partners = mo_partners_in_order(&tracker->set, slot, sorted);
    for (uint32_t i = 0; i < count; i++) {
      if (partners[i] >= tracker->log.slot_capacity || partners[i] == slot ||
          (i > 0 && partners[i] <= partners[i - 1])) {
        return WARN_AND_FAIL("slot %u: partner %u is %u", slot, i, partners[i]);
      }
      if (mo_partners_find(&tracker->set, partners[i], slot) == NULL) {
        return WARN_AND_FAIL("slot %u has partner %u, but not the other way round", slot,
                             partners[i]);
      }
    }
    entries += count;
  }
  if (entries != 2 * tracker->pair_count) {
    return WARN_AND_FAIL("%llu pairs, but %llu partners", (unsigned long long)tracker->pair_count,
                         (unsigned long long)entries);
  }
  return MO_OK;
}
