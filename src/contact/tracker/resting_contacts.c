/* The contacts at rest: an array of contacts, and in it a doubly linked list for each shape. */
#include "contact/tracker/resting_contacts.h"

#include "base/assert.h"
#include "base/bounded.h"

static uint32_t slot_of(const mo_resting_contact *c, uint32_t side) {
  return side == 0 ? c->contact_at_rest.contact.a.index : c->contact_at_rest.contact.b.index;
}

/* Changes the two links to a contact in the list of one of its shapes (`side`): `next` of its
 * predecessor, or the head of the list, to `link_before_next`; `previous` of its successor to
 * `next_before`. */
static void replace_links_to(mo_resting *resting, const mo_resting_contact *c, uint32_t side,
                             uint32_t link_before_next, uint32_t next_before) {
  uint32_t before = c->previous[side], next = c->next[side];
  if (before != MO_NONE) {
    resting->contacts[before / 2].next[before % 2] = link_before_next;
  } else {
    resting->heads.items[slot_of(c, side)] = link_before_next;
  }
  if (next != MO_NONE) {
    resting->contacts[next / 2].previous[next % 2] = next_before;
  }
}

void mo_resting_add(mo_resting *resting, const mo_tracked_contact *contact) {
  MO_ASSERT(resting->count < resting->capacity);
  MO_ASSERT(contact->contact.b.index < resting->heads.count);
  uint32_t index = resting->count++;
  mo_resting_contact *c = &resting->contacts[index];
  c->contact_at_rest = *contact;
  for (uint32_t side = 0; side < 2; side++) {
    c->previous[side] = MO_NONE;
    c->next[side] = resting->heads.items[slot_of(c, side)];
    replace_links_to(resting, c, side, 2 * index + side, 2 * index + side);
  }
}

/* Removes a contact from both its lists, and moves the last contact of the array into its place. */
static void remove_contact(mo_resting *resting, uint32_t index) {
  MO_ASSERT(index < resting->count);
  mo_resting_contact *c = &resting->contacts[index];
  for (uint32_t side = 0; side < 2; side++) {
    replace_links_to(resting, c, side, c->next[side], c->previous[side]);
  }
  const mo_resting_contact *last = &resting->contacts[--resting->count];
  if (last != c) {
    *c = *last;
    for (uint32_t side = 0; side < 2; side++) {
      replace_links_to(resting, c, side, 2 * index + side, 2 * index + side);
    }
  }
}

/* --- indices --- */

static bool contact_order_before(const void *a, const void *b) {
  const mo_resting_index *x = a, *y = b;
  return x->pair != y->pair             ? x->pair < y->pair
         : x->children != y->children   ? x->children < y->children
         : x->triangles != y->triangles ? x->triangles < y->triangles
                                        : x->index < y->index;
}

static bool index_is_higher(const void *a, const void *b) {
  const mo_resting_index *x = a, *y = b;
  return x->index > y->index;
}

static void sort(mo_resting_indices *indices, mo_before *before) {
  mo_bounded_list list = mo_bounded_make(indices->items, indices->capacity);
  list.count = indices->count;
  mo_bounded_sort(&list, sizeof *indices->items, before);
}

void mo_resting_sort(mo_resting_indices *indices) {
  sort(indices, contact_order_before);
}

void mo_resting_sort_unique(mo_resting_indices *indices) {
  uint32_t count = 0;
  mo_resting_sort(indices);
  for (uint32_t i = 0; i < indices->count; i++) {
    if (count == 0 || indices->items[count - 1].index != indices->items[i].index) {
      indices->items[count++] = indices->items[i];
    }
  }
  indices->count = count;
}

void mo_resting_remove(mo_resting *resting, mo_resting_indices *indices) {
  /* In descending order, so that the last contact of the array, which is moved into the gap, is
   * never one to be removed. */
  sort(indices, index_is_higher);
  for (uint32_t i = 0; i < indices->count; i++) {
    remove_contact(resting, indices->items[i].index);
  }
}

mo_result mo_resting_collect(const mo_allocator *allocator, const mo_resting *resting,
                             uint32_t slot, const uint8_t *taken, mo_resting_indices *indices) {
  uint32_t link = mo_resting_first(resting, slot);
  for (; link != MO_NONE; link = mo_resting_next(resting, link)) {
    MO_ASSERT(link / 2 < resting->count && slot_of(&resting->contacts[link / 2], link % 2) == slot);
    const mo_contact *c = &resting->contacts[link / 2].contact_at_rest.contact;
    if (link % 2 == 1 && taken != NULL && taken[c->a.index]) {
      continue;
    }
    const mo_resting_index index = {
        .pair = (uint64_t)c->a.index << 32 | c->b.index,
        .children = (uint64_t)c->child_a << 32 | c->child_b,
        .triangles = (uint64_t)c->triangle_a << 32 | c->triangle_b,
        .index = link / 2,
    };
    mo_result result = mo_list_add(allocator, &indices->list, sizeof index, &index);
    if (result != MO_OK) {
      return result;
    }
    mo_list_record_needed(&indices->list, indices->count);
  }
  return MO_OK;
}
