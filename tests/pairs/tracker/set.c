/* The set of pairs against a table: partners come and go one by one and many at once, in lists that
 * change between short and long, in and out of their heads. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/key_sort.h"
#include "pairs/tracker/set.h"
#include "support/rng.h"

enum { SLOTS = 90, MAX_CHANGES = SLOTS * SLOTS };

typedef struct table {
  mo_pair_set set;
  bool has[SLOTS][SLOTS];
} table;

static void check(const table *t) {
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    uint32_t room[MO_MAX_SHORT_PARTNER_LIST];
    const uint32_t *partners = mo_partners_in_order(&t->set, slot, room);
    uint32_t count = 0;
    for (uint32_t other = 0; other < SLOTS; other++) {
      const uint32_t *found = mo_partners_find(&t->set, slot, other);
      cr_assert_eq(found != NULL, t->has[slot][other]);
      if (found != NULL) {
        cr_assert_eq(*found, other);
        cr_assert_lt(count, mo_partners_count(&t->set, slot));
        cr_assert_eq(partners[count++], other);
      }
    }
    cr_assert_eq(count, mo_partners_count(&t->set, slot));
    cr_assert_eq(t->set.lists[slot].tag, slot);
    cr_assert_eq(mo_partner_list_is_short(&t->set, slot), count <= MO_MAX_SHORT_PARTNER_LIST);
  }
}

/* Marked partners are found as others are, and are themselves again when the mark is gone. */
static void check_marked(table *t, rng *r) {
  static bool marked[SLOTS][SLOTS];
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    for (uint32_t other = 0; other < SLOTS; other++) {
      uint32_t *found = mo_partners_find(&t->set, slot, other);
      marked[slot][other] = found != NULL && rng_below(r, 2) == 0;
      if (marked[slot][other]) {
        *found |= MO_PARTNER_MARK;
      }
    }
  }
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    for (uint32_t other = 0; other < SLOTS; other++) {
      uint32_t *found = mo_partners_find(&t->set, slot, other);
      cr_assert_eq(found != NULL, t->has[slot][other]);
      if (found != NULL) {
        cr_assert_eq(*found, marked[slot][other] ? other | MO_PARTNER_MARK : other);
        *found = other;
      }
    }
  }
}

/* Whether a list has a chunk much larger than it needs: small ones grow by four. */
static bool is_wide(const mo_pair_set *set, uint32_t slot) {
  uint32_t size = mo_partners_chunk_size(&set->lists[slot]), count = mo_partners_count(set, slot);
  uint32_t min = size > 2 ? mo_partner_chunk_capacity(size - 2) : MO_MAX_INLINE_PARTNERS;
  return size > 0 && count <= (size == 1 ? 1 : min);
}

/* One by one, as far as lists are short. */
static void change_some(table *t, rng *r, uint32_t slot, uint32_t steps) {
  for (uint32_t i = 0; i < steps && mo_partner_list_is_short(&t->set, slot); i++) {
    uint32_t other = rng_below(r, SLOTS);
    if (t->has[slot][other]) {
      bool wide = mo_pair_set_remove(&t->set, slot, other);
      cr_assert_eq(wide, is_wide(&t->set, slot));
      if (wide && rng_below(r, 2) == 0) {
        mo_pair_set_shrink(&t->set, slot);
        uint32_t count = mo_partners_count(&t->set, slot);
        const mo_partner_arena *arena = &t->set.arenas[mo_pair_set_range_of_slot(slot)];
        cr_assert(!is_wide(&t->set, slot) ||
                  (count > MO_MAX_INLINE_PARTNERS &&
                   arena->capacity - arena->count < count + 4)); /* without memory */
      }
    } else {
      cr_assert_eq(mo_pair_set_add(&t->set, slot, other), MO_OK);
    }
    t->has[slot][other] ^= true;
  }
}

/* All at once, in lists that are long or ordered: one in `share` of what may change. */
static void change_many(table *t, rng *r, uint32_t share) {
  static uint64_t changes[MAX_CHANGES], scratch[MAX_CHANGES];
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    if (mo_partner_list_is_short(&t->set, slot) && slot >= SLOTS / 3) {
      continue;
    }
    for (uint32_t other = 0; other < SLOTS; other++) {
      if (rng_below(r, share) == 0) {
        t->has[slot][other] ^= true;
        changes[count++] = mo_partner_change_key(slot, other, t->has[slot][other]);
      }
    }
  }
  mo_keys_sort(changes, scratch, count);
  cr_assert_eq(mo_pair_set_reserve(&t->set, changes, count), MO_OK);
  mo_pair_set_apply(&t->set, changes, count);
}

Test(pair_set, is_the_table) {
  rng r = rng_make(rng_seed("partners", 57));
  for (int round = 0; round < 12; round++) {
    static table t;
    memset(&t, 0, sizeof t);
    mo_allocator allocator = mo_default_allocator();
    mo_pair_set_init(&t.set, &allocator);
    cr_assert_eq(mo_pair_set_reserve_slots(&t.set, SLOTS / 2), MO_OK);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
      if (slot == SLOTS / 2) {
        cr_assert_eq(mo_pair_set_reserve_slots(&t.set, SLOTS), MO_OK);
      }
      cr_assert_eq(t.set.lists[slot].tag, 0);
      t.set.lists[slot].tag = slot;
    }
    for (int step = 0; step < 60; step++) {
      /* The first third is only changed all at once, as watches do, and so always ordered. */
      for (int i = 0; i < 40; i++) {
        uint32_t slot = SLOTS / 3 + rng_below(&r, SLOTS - SLOTS / 3);
        change_some(&t, &r, slot, 1 + rng_below(&r, i == 0 ? 300 : 6));
      }
      change_many(&t, &r, 2 + rng_below(&r, 60));
      if (step % 6 == 5) {
        check(&t);
        check_marked(&t, &r);
        check(&t);
      }
    }
    mo_pair_set_destroy(&t.set);
  }
}

Test(pair_set, slots_that_could_be_taken_for_marks_are_refused) {
  mo_allocator allocator = mo_default_allocator();
  mo_pair_set set;
  mo_pair_set_init(&set, &allocator);
  cr_assert_eq(mo_pair_set_reserve_slots(&set, MO_MAX_PAIR_SET_SLOTS + 1), MO_ERROR_TOO_MANY);
  mo_pair_set_destroy(&set);
}
