/* Bodies: rings of shapes, and the hash table of bodies: open addressing with linear probing, and
 * deletion by backward shift, so that there are no tombstones. */
#include "scene/bodies/bodies.h"

#include <string.h>

#include "base/assert.h"
#include "base/log.h"
#include "scene/changes/change_log.h"

/* The table has at least this many entries for each body. */
enum { ENTRIES_PER_BODY = 2, MIN_TABLE_SIZE = 16 };

/* The entry where the search for a body begins: a multiplicative hash of its number (Knuth,
 * "Sorting and Searching", 6.4), as numbers may be small or be addresses. */
static uint32_t home_entry(const mo_rigid_bodies *b, uint64_t number) {
  number ^= number >> 32;
  return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32) & (b->table_size - 1);
}

/* The table entry of a body; if it has none, the empty entry where it would be added. */
static uint32_t find_entry(const mo_rigid_bodies *b, uint64_t number) {
  uint32_t entry = home_entry(b, number);
  while (b->table[entry] != MO_NONE && b->numbers[b->table[entry]] != number) {
    entry = (entry + 1) & (b->table_size - 1);
  }
  return entry;
}

uint32_t mo_rigid_body_find(const mo_scene *scene, uint64_t number) {
  const mo_rigid_bodies *b = &scene->bodies;
  return b->table_size == 0 || number == 0 ? MO_NONE : b->table[find_entry(b, number)];
}

uint32_t mo_rigid_body_representative(const mo_scene *scene, uint32_t slot) {
  uint64_t number = mo_slot_rigid_body(scene, slot);
  return number != 0 ? mo_rigid_body_find(scene, number) : slot;
}

/* Rehashes all bodies into a new table; `size` is a power of two. */
static mo_result resize_table(mo_scene *scene, uint32_t size) {
  const mo_allocator *allocator = &scene->host.allocator;
  mo_rigid_bodies *b = &scene->bodies;
  const mo_rigid_bodies old = *b;
  uint32_t *table = mo_allocate(allocator, size, sizeof *table);
  if (table == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  memset(table, 0xff, size * sizeof *table);
  b->table = table;
  b->table_size = size;
  for (uint32_t i = 0; i < old.table_size; i++) {
    if (old.table[i] != MO_NONE) {
      table[find_entry(b, b->numbers[old.table[i]])] = old.table[i];
    }
  }
  mo_deallocate(allocator, old.table, old.table_size, sizeof *table);
  return MO_OK;
}

/* Reallocates the arrays by slot; capacity 0 frees them. */
static mo_result resize_slots(mo_scene *scene, uint32_t capacity) {
  mo_rigid_bodies *b = &scene->bodies;
  uint32_t before = b->slot_capacity;
  const mo_array arrays[] = {{&b->numbers, sizeof *b->numbers}, {&b->links, sizeof *b->links}};
  mo_result result =
      mo_arrays_resize(&scene->host.allocator, arrays, 2, before, &b->slot_capacity, capacity);
  if (result == MO_OK && before < capacity) {
    memset(b->numbers + before, 0, (capacity - before) * sizeof *b->numbers);
  }
  return result;
}

mo_result mo_rigid_bodies_resize(mo_scene *scene, uint32_t capacity) {
  return scene->bodies.slot_capacity > 0 ? resize_slots(scene, capacity) : MO_OK;
}

mo_result mo_rigid_bodies_reserve(mo_scene *scene, uint32_t extra) {
  const mo_rigid_bodies *b = &scene->bodies;
  mo_result result = MO_OK;
  if (extra > 0 && b->slot_capacity < scene->shape_capacity) {
    result = resize_slots(scene, scene->shape_capacity);
  }
  uint64_t needed = extra > 0 ? ENTRIES_PER_BODY * ((uint64_t)b->count + extra) : 0;
  if (result != MO_OK || needed <= b->table_size) {
    return result;
  }
  uint32_t size = b->table_size > 0 ? b->table_size : (uint32_t)MIN_TABLE_SIZE;
  while (size < needed) {
    size *= 2; /* at most MO_MAX_SHAPES bodies: no overflow */
  }
  return resize_table(scene, size);
}

void mo_rigid_body_join(mo_scene *scene, uint32_t slot, uint64_t number) {
  mo_rigid_bodies *b = &scene->bodies;
  if (number == 0) {
    return;
  }
  MO_ASSERT(slot < b->slot_capacity && b->count < b->table_size);
  MO_ASSERT(!(scene->traits[slot] & MO_TRAIT_HAS_RIGID_BODY));
  uint32_t entry = find_entry(b, number), mate = b->table[entry];
  if (mate == MO_NONE) {
    b->table[entry] = mate = slot;
    b->links[slot] = (mo_rigid_body_link){slot, slot};
    b->count++;
  } else {
    uint32_t next = b->links[mate].next;
    b->links[slot] = (mo_rigid_body_link){next, mate};
    b->links[mate].next = b->links[next].previous = slot;
  }
  b->numbers[slot] = number;
  b->shape_count++;
  scene->traits[slot] = (uint16_t)(scene->traits[slot] | MO_TRAIT_HAS_RIGID_BODY);
}

/* Removes an entry by backward shift: later entries whose search would stop at the gap are moved
 * into it. */
static void remove_entry(mo_rigid_bodies *b, uint32_t entry) {
  const uint32_t mask = b->table_size - 1;
  for (uint32_t next = (entry + 1) & mask; b->table[next] != MO_NONE; next = (next + 1) & mask) {
    uint32_t first = home_entry(b, b->numbers[b->table[next]]);
    if (((next - first) & mask) >= ((next - entry) & mask)) {
      b->table[entry] = b->table[next];
      entry = next;
    }
  }
  b->table[entry] = MO_NONE;
}

void mo_rigid_body_leave(mo_scene *scene, uint32_t slot) {
  mo_rigid_bodies *b = &scene->bodies;
  if (!(scene->traits[slot] & MO_TRAIT_HAS_RIGID_BODY)) {
    return;
  }
  const mo_rigid_body_link link = b->links[slot];
  uint32_t entry = find_entry(b, b->numbers[slot]);
  if (link.next == slot) {
    MO_ASSERT(link.previous == slot && b->table[entry] == slot);
    remove_entry(b, entry);
    b->count--;
  } else {
    MO_ASSERT(b->links[link.next].previous == slot && b->links[link.previous].next == slot);
    b->table[entry] = b->table[entry] == slot ? link.next : b->table[entry];
    b->links[link.next].previous = link.previous;
    b->links[link.previous].next = link.next;
    mo_scene_record_change(scene, link.next, MO_CHANGE_RIGID_BODY);
  }
  b->numbers[slot] = 0;
  b->shape_count--;
  scene->traits[slot] = (uint16_t)(scene->traits[slot] & ~(uint32_t)MO_TRAIT_HAS_RIGID_BODY);
}

void mo_rigid_bodies_trim(mo_scene *scene) {
  if (scene->bodies.shape_count == 0) {
    mo_rigid_bodies_destroy(scene);
  }
}

void mo_rigid_bodies_destroy(mo_scene *scene) {
  mo_rigid_bodies *b = &scene->bodies;
  (void)resize_slots(scene, 0);
  mo_deallocate(&scene->host.allocator, b->table, b->table_size, sizeof *b->table);
  *b = (mo_rigid_bodies){.numbers = NULL};
}

/* --- validation --- */

#define BROKEN(...) (mo_log(&scene->host, MO_LOG_WARNING, "scene: " __VA_ARGS__), false)

static bool is_member(const mo_scene *scene, uint32_t slot, uint64_t number) {
  return slot < scene->slot_count && mo_slot_is_alive(scene, slot) &&
         (scene->traits[slot] & MO_TRAIT_HAS_RIGID_BODY) != 0 &&
         scene->bodies.numbers[slot] == number;
}

/* Checks the ring of shapes that a table entry leads to; adds its length to `shapes`. */
static bool check_ring(const mo_scene *scene, uint32_t entry, uint32_t *shapes) {
  const mo_rigid_bodies *b = &scene->bodies;
  const uint32_t first = b->table[entry];
  const uint64_t number = first < scene->slot_count ? b->numbers[first] : 0;
  if (number == 0 || find_entry(b, number) != entry) {
    return BROKEN("entry %u of bodies has slot %u", entry, first);
  }
  uint32_t slot = first;
  do {
    uint32_t next = b->links[slot].next;
    if (!is_member(scene, slot, number) || !is_member(scene, next, number) ||
        b->links[next].previous != slot || *shapes == b->shape_count) {
      return BROKEN("slot %u is followed by %u in the ring of its body", slot, next);
    }
    ++*shapes;
    slot = next;
  } while (slot != first);
  return true;
}

bool mo_rigid_bodies_are_valid(const mo_scene *scene) {
  const mo_rigid_bodies *b = &scene->bodies;
  uint32_t members = 0, bodies = 0, shapes = 0;
  if (b->slot_capacity > 0 && b->slot_capacity < scene->shape_capacity) {
    return BROKEN("bodies have memory for %u of %u slots", b->slot_capacity, scene->shape_capacity);
  }
  for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
    bool alive = mo_slot_is_alive(scene, slot);
    bool is_in_body = alive && (scene->traits[slot] & MO_TRAIT_HAS_RIGID_BODY) != 0;
    if (b->slot_capacity > 0 ? is_in_body != (b->numbers[slot] != 0) : is_in_body) {
      return BROKEN("slot %u has traits of another body", slot);
    }
    members += is_in_body;
  }
  for (uint32_t entry = 0; entry < b->table_size; entry++) {
    if (b->table[entry] != MO_NONE) {
      bodies++;
      if (!check_ring(scene, entry, &shapes)) {
        return false;
      }
    }
  }
  if (members != b->shape_count || shapes != b->shape_count || bodies != b->count) {
    return BROKEN("%u bodies of %u shapes, rings of %u, and %u members", b->count, b->shape_count,
                  shapes, members);
  }
  return true;
}
