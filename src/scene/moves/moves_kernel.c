/* Many moves: checking them in groups, and writing records in the order of the moves. Compiled once
 * per instruction set. */
#include "base/prefetch.h"
#include "math/affine_four.h"
#include "scene/moves/moves.h"

/* Of shapes that may be stored otherwise than under the bounds that they fill. */
enum { LOOSE_TRAITS = MO_TRAIT_FAT | MO_TRAIT_UNBOUNDED };

/* Whether MO_MOVES_GROUP moves are legal for certain, with so many numbers each; all shapes have
 * the required traits. Adds to the traits that any of them has. */
MO_INLINE bool group_is_legal(const mo_moves *m, uint32_t first, const float *numbers,
                              uint32_t per_move, uint32_t required, uint32_t *any) {
  const mo_scene *scene = m->scene;
  const mo_shape_id *ids = m->def->ids + first;
  uint32_t wrong = 0, common = required, far = 0;
  for (uint32_t i = 0; i < MO_MOVES_GROUP; i++) {
    wrong |= ids[i].index ^ (ids[0].index + i);
  }
  if (wrong == 0 && ids[0].index <= scene->slot_count - MO_MOVES_GROUP) {
    /* Side by side, as where all move: what vectors can follow. */
    const uint32_t *generations = scene->generations + ids[0].index;
    const uint16_t *traits = scene->traits + ids[0].index;
    for (uint32_t i = 0; i < MO_MOVES_GROUP; i++) {
      wrong |= (ids[i].generation ^ generations[i]) | (~ids[i].generation & 1);
    }
    for (uint32_t i = 0; i < MO_MOVES_GROUP; i++) {
      common &= traits[i];
      *any |= traits[i];
    }
  } else {
    wrong = 0;
    for (uint32_t i = 0; i < MO_MOVES_GROUP; i++) {
      uint32_t slot = ids[i].index < scene->slot_count ? ids[i].index : 0;
      wrong |= (ids[i].index ^ slot) | (ids[i].generation ^ scene->generations[slot]) |
               (~ids[i].generation & 1);
      common &= scene->traits[slot];
      *any |= scene->traits[slot];
    }
  }
  for (uint32_t i = 0; i < per_move * MO_MOVES_GROUP; i++) {
    far |= !(fabsf(numbers[i]) <= MO_SAFE_MAP);
  }
  return !(wrong | far) && common == required;
}

MO_INLINE bool group_at_is_legal(const mo_moves *m, uint32_t first, uint32_t *any) {
  const mo_update_def *def = m->def;
  return def->transforms
             ? group_is_legal(m, first, &def->transforms[first].x_axis.x, 12, MO_TRAIT_SMALL, any)
             : group_is_legal(m, first, &def->origins[first].x, 3,
                              MO_TRAIT_SMALL | MO_TRAIT_SAFE_AXES, any);
}

static bool slots_ascend(const mo_shape_id *ids, uint32_t begin, uint32_t end) {
  uint32_t wrong = 0;
  for (uint32_t i = begin > 0 ? begin : 1; i < end; i++) {
    wrong |= ids[i].index <= ids[i - 1].index;
  }
  return !wrong;
}

void MO_ISA_FN(mo_moves_check)(mo_moves *m, uint32_t part) {
  const mo_update_def *def = m->def;
  uint32_t begin = mo_moves_begin(m, def->count, part);
  uint32_t end = mo_moves_begin(m, def->count, part + 1), any = 0;
  bool quick = !def->velocities && m->scene->slot_count >= MO_MOVES_GROUP;
  m->bad[part] = MO_NONE;
  for (uint32_t i = begin; i < end;) {
    if (quick && end - i >= MO_MOVES_GROUP && group_at_is_legal(m, i, &any)) {
      i += MO_MOVES_GROUP;
      continue;
    }
    uint32_t group = end - i < MO_MOVES_GROUP ? end : i + MO_MOVES_GROUP;
    for (; i < group; i++) {
      if (!mo_move_is_legal(m, i)) {
        m->bad[part] = i;
        return;
      }
      any |= m->scene->traits[def->ids[i].index];
    }
  }
  m->tight[part] = !def->velocities && !(any & LOOSE_TRAITS);
  m->ascending[part] = slots_ascend(def->ids, begin, end);
}

/* Stores a move of a shape that is stored under bounds other than those that it fills, or none. */
static void store_fat(const mo_moves *m, const mo_moved *moved, uint32_t i) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index;
  mo_place place = scene->places[slot];
  mo_aabb box;
  if (mo_move_put(m, i, &box)) {
    if (place != MO_NONE) {
      mo_bounds8_set(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7), box);
      mo_moved_note(moved, place);
    }
    scene->traits[slot] |= MO_TRAIT_MOVED;
  }
}

/* Shapes that have other axes now, until there are four of them to be inverted together. */
typedef struct turned_shapes {
  uint32_t count;
  mo_affine *affine[4];
} turned_shapes;

static void invert(turned_shapes *t) {
  for (uint32_t i = t->count; i < 4; i++) {
    t->affine[i] = t->affine[0];
  }
  mo_affine_finish_four(t->affine);
  t->count = 0;
}

MO_INLINE void store(const mo_moves *m, const mo_moved *moved, uint32_t i, bool tight,
                     turned_shapes *turned) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index, traits = scene->traits[slot];
  bool easy;
  if (!tight && (m->def->velocities || (traits & LOOSE_TRAITS))) {
    store_fat(m, moved, i);
    return;
  }
  if (m->def->transforms) {
    bool turns;
    easy = mo_move_record(scene, slot, &m->def->transforms[i], &turns);
    if (turns) {
      turned->affine[turned->count++] = &scene->shapes[slot].affine;
      if (turned->count == 4) {
        invert(turned);
      }
    }
  } else {
    scene->shapes[slot].affine.to_world.origin = m->def->origins[i];
    easy = mo_is_easy(traits) && mo_is_safe(m->def->origins[i]);
  }
  if (!tight) {
    scene->traits[slot] |= MO_TRAIT_MOVED;
  }
  mo_moved_note_place(moved, scene->places[slot], easy);
}

/* Records lie in three lines of cache; only the last has the origin. */
MO_INLINE void prefetch(const mo_moves *m, uint32_t i) {
  if (i < m->def->count) {
    const mo_shape *shape = &m->scene->shapes[m->def->ids[i].index];
    if (m->def->transforms) {
      mo_prefetch_far(&shape->affine.to_world, 1);
    }
    mo_prefetch_far(&shape->geometry, 1);
  }
}

MO_INLINE void store_moves(const mo_moves *m, uint32_t part, bool tight, turned_shapes *turned) {
  const mo_moved moved = mo_moved_of_part(m->scene, part);
  uint32_t begin = mo_moves_begin(m, m->def->count, part);
  uint32_t end = mo_moves_begin(m, m->def->count, part + 1);
  for (uint32_t i = begin; i < end; i++) {
    prefetch(m, i + MO_MOVES_AHEAD);
    store(m, &moved, i, tight, turned);
  }
}

static void store_slots(const mo_moves *m, uint32_t part, turned_shapes *turned) {
  const mo_moved moved = mo_moved_of_part(m->scene, part);
  uint32_t first = mo_moves_begin(m, m->scene->slot_count, part);
  uint32_t end = mo_moves_begin(m, m->scene->slot_count, part + 1);
  for (uint32_t i = 0; i < m->def->count; i++) {
    if (m->def->ids[i].index - first < end - first) {
      store(m, &moved, i, false, turned);
    }
  }
}

void MO_ISA_FN(mo_moves_store)(const mo_moves *m, uint32_t part) {
  bool tight = true;
  turned_shapes turned = {.count = 0};
  for (uint32_t i = 0; i < m->parts; i++) {
    tight &= m->tight[i];
  }
  if (m->by_slot) {
    store_slots(m, part, &turned);
  } else if (tight) {
    store_moves(m, part, true, &turned);
  } else {
    store_moves(m, part, false, &turned);
  }
  if (turned.count > 0) {
    invert(&turned);
  }
}
