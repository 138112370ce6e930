/* What a tracker of pairs holds, read out. */
#include "base/log.h"
#include "scene/pairs/tracker.h"

static const mo_host *host_of(const mo_pairs *pairs) {
  return pairs ? &pairs->host : NULL;
}

uint64_t mo_pairs_count(const mo_pairs *pairs) {
  return pairs ? pairs->count : 0;
}

/* Whether a tracker knew of a shape at its last update. */
static bool is_known(const mo_pairs *pairs, mo_shape_id id) {
  return id.index < pairs->log.slot_capacity && (id.generation & 1) != 0 &&
         pairs->set.lists[id.index].tag == id.generation;
}

mo_result mo_pairs_get(const mo_pairs *pairs, mo_pair *buffer, uint32_t capacity, uint64_t *total) {
  if (!pairs || !total || (capacity > 0 && !buffer)) {
    return mo_refuse_null(host_of(pairs), __func__, total ? "buffer" : "total");
  }
  uint32_t written = 0, room[MO_PARTNERS_FEW];
  for (uint32_t slot = 0; slot < pairs->log.slot_capacity && written < capacity; slot++) {
    uint32_t count = mo_partners_count(&pairs->set, slot);
    const uint32_t *partners = mo_partners_ordered(&pairs->set, slot, room);
    for (uint32_t i = 0; i < count && written < capacity; i++) {
      if (partners[i] > slot) {
        buffer[written++] =
            (mo_pair){mo_pairs_id_of(pairs, slot), mo_pairs_id_of(pairs, partners[i])};
      }
    }
  }
  *total = pairs->count;
  return MO_OK;
}

mo_result mo_pairs_of_shape(const mo_pairs *pairs, mo_shape_id id, mo_shape_id *partners,
                            uint32_t capacity, uint32_t *total) {
  if (!pairs || !total || (capacity > 0 && !partners)) {
    return mo_refuse_null(host_of(pairs), __func__, total ? "partners" : "total");
  }
  if (!is_known(pairs, id)) {
    mo_refusal refusal = mo_refusal_of(&pairs->host, __func__, "id");
    return mo_refuse_id(&refusal, id.index, id.generation);
  }
  uint32_t count = mo_partners_count(&pairs->set, id.index), room[MO_PARTNERS_FEW];
  const uint32_t *list = mo_partners_ordered(&pairs->set, id.index, room);
  for (uint32_t i = 0; i < count && i < capacity; i++) {
    partners[i] = mo_pairs_id_of(pairs, list[i]);
  }
  *total = count;
  return MO_OK;
}

bool mo_pairs_contains(const mo_pairs *pairs, mo_shape_id a, mo_shape_id b) {
  return pairs && is_known(pairs, a) && is_known(pairs, b) &&
         mo_partners_find(&pairs->set, a.index, b.index) != NULL;
}

mo_result mo_pairs_get_stats(const mo_pairs *pairs, mo_pairs_stats *stats) {
  if (!pairs || !stats) {
    return mo_refuse_null(host_of(pairs), __func__, "stats");
  }
  size_t keys = 0;
  const mo_pair_keys *lists[] = {&pairs->last,    &pairs->found,    &pairs->begins,
                                 &pairs->ends,    &pairs->persists, &pairs->changes,
                                 &pairs->sorting, &pairs->wide,     &pairs->both};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    keys += lists[i]->capacity;
  }
  for (int i = 0; i < MO_PAIR_WAYS * MO_PAIR_PARTS; i++) {
    keys += pairs->parts[i / MO_PAIR_PARTS][i % MO_PAIR_PARTS].capacity;
  }
  size_t outputs =
      (size_t)pairs->output[0].capacity + pairs->output[1].capacity + pairs->output[2].capacity;
  size_t set = mo_pair_set_bytes(&pairs->set);
  *stats = (mo_pairs_stats){
      .pairs = pairs->count,
      .pending = pairs->log.count,
      .updates = pairs->searches,
      .whole_searches = pairs->whole_searches,
      .set_bytes = set,
      .bytes = sizeof *pairs + set + keys * sizeof(uint64_t) + outputs * sizeof(mo_pair) +
               pairs->log.slot_capacity * (sizeof(uint32_t) + 1) + pairs->lane_capacity +
               pairs->lane_capacity / 64 * sizeof(uint64_t) +
               pairs->merging_capacity * sizeof(uint32_t),
  };
  return MO_OK;
}

#define BROKEN(...) (mo_log(&pairs->host, MO_LOG_WARNING, "pairs: " __VA_ARGS__), MO_ERROR_CORRUPT)

mo_result mo_pairs_validate(const mo_pairs *pairs) {
  if (!pairs) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  uint64_t entries = 0;
  for (uint32_t slot = 0; slot < pairs->log.slot_capacity; slot++) {
    uint32_t count = mo_partners_count(&pairs->set, slot);
    uint32_t size = mo_partners_size(&pairs->set.lists[slot]);
    if (count > 0 && !(pairs->set.lists[slot].tag & 1)) {
      return BROKEN("slot %u has partners but no shape", slot);
    }
    if (count > (size == 0 ? MO_PARTNERS_INSIDE : 1u << size)) {
      return BROKEN("slot %u has more partners than room for them", slot);
    }
    uint32_t room[MO_PARTNERS_FEW];
    const uint32_t *partners = mo_partners_ordered(&pairs->set, slot, room);
    for (uint32_t i = 0; i < count; i++) {
      if (partners[i] >= pairs->log.slot_capacity || partners[i] == slot ||
          (i > 0 && partners[i] <= partners[i - 1])) {
        return BROKEN("slot %u: partner %u is %u", slot, i, partners[i]);
      }
      if (!mo_partners_find(&pairs->set, partners[i], slot)) {
        return BROKEN("slot %u has partner %u, but not the other way round", slot, partners[i]);
      }
    }
    entries += count;
  }
  if (entries != 2 * pairs->count) {
    return BROKEN("%llu pairs, but %llu partners", (unsigned long long)pairs->count,
                  (unsigned long long)entries);
  }
  return MO_OK;
}
