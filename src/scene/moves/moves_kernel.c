/* Many moves: checking them in groups, and writing records in the order of the moves. Compiled once
 * per instruction set. */
#include "base/prefetch.h"
#include "math/affine_four.h"
#include "scene/moves/boxes.h"
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
  return def->transforms != NULL
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
  bool quick = def->velocities == NULL && m->scene->slot_count >= MO_MOVES_GROUP;
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
  m->tight[part] = def->velocities == NULL && !(any & LOOSE_TRAITS);
  m->ascending[part] = slots_ascend(def->ids, begin, end);
}

enum { SHAPE_TYPES = MO_SHAPE_HALF_SPACE + 1 };

/* Shapes whose maps were stored, until there are four of them to be worked on together. */
typedef struct stored_moves {
  mo_affine *rotated[4]; /* with other axes than before, to be inverted */
  uint32_t rotated_count;
  uint32_t fat[SHAPE_TYPES][4]; /* moves of shapes of each type with grown bounds */
  uint32_t fat_count[SHAPE_TYPES];
} stored_moves;

static void invert(stored_moves *s) {
  for (uint32_t i = s->rotated_count; i < 4; i++) {
    s->rotated[i] = s->rotated[0];
  }
  mo_affine_finish_four(s->rotated);
  s->rotated_count = 0;
}

static void note_turned(stored_moves *s, mo_affine *affine) {
  s->rotated[s->rotated_count++] = affine;
  if (s->rotated_count == 4) {
    invert(s);
  }
}

/* Stores the bounds of a moved shape, which are more than those that it fills. */
static void store_fat_box(const mo_moves *m, const mo_moved *moved, uint32_t i, mo_aabb box) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index;
  mo_place place = scene->places[slot];
  if (mo_move_fatten(m, i, &box)) {
    mo_bounds8_set(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7), box);
    mo_moved_note(moved, place);
    scene->traits[slot] |= MO_TRAIT_MOVED;
  }
}

static void store_fat_boxes(const mo_moves *m, const mo_moved *moved, mo_shape_type type,
                            stored_moves *s) {
  const uint32_t count = s->fat_count[type], *moves = s->fat[type];
  const mo_shape *shapes[4];
  for (uint32_t i = 0; i < 4; i++) {
    shapes[i] = &m->scene->shapes[m->def->ids[moves[i < count ? i : 0]].index];
  }
  mo_four_boxes boxes;
  image_four(shapes, &boxes);
  for (uint32_t i = 0; i < count; i++) {
    store_fat_box(m, moved, moves[i],
                  (mo_aabb){mo_vec(boxes.lower[0][i], boxes.lower[1][i], boxes.lower[2][i]),
                            mo_vec(boxes.upper[0][i], boxes.upper[1][i], boxes.upper[2][i])});
  }
  s->fat_count[type] = 0;
}

/* What is left. */
static void store_rest(const mo_moves *m, const mo_moved *moved, stored_moves *s) {
  if (s->rotated_count > 0) {
    invert(s);
  }
  for (int type = 0; type < SHAPE_TYPES; type++) {
    if (s->fat_count[type] > 0) {
      store_fat_boxes(m, moved, (mo_shape_type)type, s);
    }
  }
}

/* Stores a move of an unbounded shape. */
static void store_unbounded(const mo_moves *m, uint32_t i) {
  mo_aabb none;
  (void)mo_move_put(m, i, &none);
  m->scene->traits[m->def->ids[i].index] |= MO_TRAIT_MOVED;
}

/* Writes a move to the record. Returns whether the shape is fast now, and its origin safe. */
MO_INLINE bool store_map(const mo_moves *m, uint32_t i, stored_moves *s) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index;
  mo_affine *affine = &scene->shapes[slot].affine;
  if (m->def->transforms == NULL) {
    affine->to_world.origin = m->def->origins[i];
    return mo_box_follows_origin(scene->traits[slot]) && mo_is_safe(m->def->origins[i]);
  }
  bool rotated, fast = mo_move_record(scene, slot, &m->def->transforms[i], &rotated);
  if (rotated) {
    note_turned(s, affine);
  }
  return fast;
}

/* Stores a move of a shape that is stored under more than the bounds that it fills: those of four
 * of a type are worked out together. */
static void store_fat(const mo_moves *m, const mo_moved *moved, uint32_t i, stored_moves *s) {
  const mo_shape *shape = &m->scene->shapes[m->def->ids[i].index];
  const mo_shape_type type = shape->geometry.type;
  const bool fast = store_map(m, i, s);
  if (!fast && mo_type_has_four(type)) {
    s->fat[type][s->fat_count[type]++] = i;
    if (s->fat_count[type] == 4) {
      store_fat_boxes(m, moved, type, s);
    }
    return;
  }
  mo_f4 lower, upper;
  new_box(shape, fast, &lower, &upper);
  store_fat_box(m, moved, i, (mo_aabb){mo_f4_vec(lower), mo_f4_vec(upper)});
}

/* How the moves of a part are stored. */
typedef enum store_mode {
  TIGHT,   /* all shapes are stored under the bounds that they fill */
  ONCE,    /* some are not; each shape moves once */
  REPEATED /* a shape may move several times, so that its moves have to be taken one by one */
} store_mode;

MO_INLINE void store(const mo_moves *m, const mo_moved *moved, uint32_t i, store_mode mode,
                     stored_moves *s) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index, traits = scene->traits[slot];
  mo_slot_set_displacement(scene, slot, mo_move_displacement(m, i));
  if (mode != TIGHT && (m->def->velocities != NULL || (traits & LOOSE_TRAITS))) {
    if (traits & MO_TRAIT_UNBOUNDED) {
      store_unbounded(m, i);
    } else {
      store_fat(m, moved, i, s);
      if (mode == REPEATED) {
        store_rest(m, moved, s);
      }
    }
    return;
  }
  bool fast = store_map(m, i, s);
  if (mode != TIGHT) {
    scene->traits[slot] |= MO_TRAIT_MOVED;
  }
  mo_moved_note_place(moved, scene->places[slot], fast);
}

/* Records lie in three lines of cache; only the last has the origin. */
MO_INLINE void prefetch(const mo_moves *m, uint32_t i, store_mode mode) {
  if (i < m->def->count) {
    const uint32_t slot = m->def->ids[i].index;
    const mo_shape *shape = &m->scene->shapes[slot];
    const mo_place place = m->scene->places[slot];
    if (mode != TIGHT && place != MO_NONE) {
      mo_prefetch_far(&mo_shape_block_at(m->scene, place >> 3)->bounds,
                      mo_lines_of(sizeof(mo_bounds8)));
    }
    if (m->def->transforms != NULL) {
      mo_prefetch_far(&shape->affine.to_world, 1);
    }
    mo_prefetch_far(&shape->geometry, 1);
  }
}

MO_INLINE void store_moves(const mo_moves *m, uint32_t part, store_mode mode) {
  const mo_moved moved = mo_moved_of_part(m->scene, part);
  stored_moves stored = {.rotated_count = 0};
  uint32_t begin = mo_moves_begin(m, m->def->count, part);
  uint32_t end = mo_moves_begin(m, m->def->count, part + 1);
  for (uint32_t i = begin; i < end; i++) {
    prefetch(m, i + MO_MOVES_AHEAD, mode);
    store(m, &moved, i, mode, &stored);
  }
  store_rest(m, &moved, &stored);
}

static void store_slots(const mo_moves *m, uint32_t part) {
  const mo_moved moved = mo_moved_of_part(m->scene, part);
  stored_moves stored = {.rotated_count = 0};
  uint32_t first = mo_moves_begin(m, m->scene->slot_count, part);
  uint32_t end = mo_moves_begin(m, m->scene->slot_count, part + 1);
  for (uint32_t i = 0; i < m->def->count; i++) {
    if (m->def->ids[i].index - first < end - first) {
      store(m, &moved, i, REPEATED, &stored);
    }
  }
  store_rest(m, &moved, &stored);
}

void MO_ISA_FN(mo_moves_store)(const mo_moves *m, uint32_t part) {
  bool tight = true, ascending = true;
  for (uint32_t i = 0; i < m->parts; i++) {
    tight &= m->tight[i];
    ascending &= m->ascending[i];
  }
  if (m->by_slot) {
    store_slots(m, part);
  } else if (tight) {
    store_moves(m, part, TIGHT);
  } else if (ascending) {
    store_moves(m, part, ONCE);
  } else {
    store_moves(m, part, REPEATED);
  }
}
