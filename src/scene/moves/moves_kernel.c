/* Many moves: checking them in groups, and writing records in the order of the moves. Compiled once
 * per instruction set. */
#include "base/prefetch.h"
#include "math/affine_four.h"
#include "scene/moves/boxes.h"
#include "scene/moves/moves.h"

/* Traits of shapes whose stored bounds may differ from their tight bounds. */
enum { LOOSE_BOUNDS_TRAITS = MO_TRAIT_HAS_MARGIN | MO_TRAIT_UNBOUNDED };

/* Whether MO_MOVES_PER_CHECK moves are certainly legal: all ids are alive, all shapes have the
 * `required` traits, and all `numbers` (coordinates, `per_move` for each move) are in the safe
 * range. Adds the traits of all shapes to `any`. */
MO_INLINE bool group_is_legal(const mo_moves *m, uint32_t first, const float *numbers,
                              uint32_t per_move, uint32_t required, uint32_t *any) {
  const mo_scene *scene = m->scene;
  const mo_shape_id *ids = m->def->ids + first;
  uint32_t wrong = 0, common = required, far = 0;
  for (uint32_t i = 0; i < MO_MOVES_PER_CHECK; i++) {
    wrong |= ids[i].index ^ (ids[0].index + i);
  }
  if (wrong == 0 && ids[0].index <= scene->slot_count - MO_MOVES_PER_CHECK) {
    /* The slots are consecutive, as when all shapes move: compilers can vectorize these loops. */
    const uint32_t *generations = scene->generations + ids[0].index;
    const uint16_t *traits = scene->traits + ids[0].index;
    for (uint32_t i = 0; i < MO_MOVES_PER_CHECK; i++) {
      wrong |= (ids[i].generation ^ generations[i]) | (~ids[i].generation & 1);
    }
    for (uint32_t i = 0; i < MO_MOVES_PER_CHECK; i++) {
      common &= traits[i];
      *any |= traits[i];
    }
  } else {
    wrong = 0;
    for (uint32_t i = 0; i < MO_MOVES_PER_CHECK; i++) {
      uint32_t slot = ids[i].index < scene->slot_count ? ids[i].index : 0;
      wrong |= (ids[i].index ^ slot) | (ids[i].generation ^ scene->generations[slot]) |
               (~ids[i].generation & 1);
      common &= scene->traits[slot];
      *any |= scene->traits[slot];
    }
  }
  for (uint32_t i = 0; i < per_move * MO_MOVES_PER_CHECK; i++) {
    far |= !(fabsf(numbers[i]) <= MO_MAX_SAFE_TRANSFORM);
  }
  return !(wrong | far) && common == required;
}

MO_INLINE bool group_at_is_legal(const mo_moves *m, uint32_t first, uint32_t *any) {
  const mo_update_def *def = m->def;
  return def->transforms != NULL
             ? group_is_legal(m, first, &def->transforms[first].x_axis.x, 12,
                              MO_TRAIT_HAS_SAFE_SIZE, any)
             : group_is_legal(m, first, &def->origins[first].x, 3,
                              MO_TRAIT_HAS_SAFE_SIZE | MO_TRAIT_HAS_SAFE_AXES, any);
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
  uint32_t begin = mo_part_begin(def->count, part, m->part_count);
  uint32_t end = mo_part_begin(def->count, part + 1, m->part_count), any = 0;
  bool quick = def->velocities == NULL && m->scene->slot_count >= MO_MOVES_PER_CHECK;
  m->first_illegal[part] = MO_NONE;
  for (uint32_t i = begin; i < end;) {
    if (quick && end - i >= MO_MOVES_PER_CHECK && group_at_is_legal(m, i, &any)) {
      i += MO_MOVES_PER_CHECK;
      continue;
    }
    uint32_t group = end - i < MO_MOVES_PER_CHECK ? end : i + MO_MOVES_PER_CHECK;
    for (; i < group; i++) {
      if (!mo_move_is_legal(m, i)) {
        m->first_illegal[part] = i;
        return;
      }
      any |= m->scene->traits[def->ids[i].index];
    }
  }
  m->bounds_are_tight[part] = def->velocities == NULL && !(any & LOOSE_BOUNDS_TRAITS);
  m->ascending[part] = slots_ascend(def->ids, begin, end);
}

enum { SHAPE_TYPE_COUNT = MO_SHAPE_HALF_SPACE + 1 };

/* Moves whose transforms were stored, collected until the rest (inverses, boxes) of four of them
 * can be computed together. */
typedef struct collected_moves {
  /* Affine maps whose linear part changed, so that their inverses must be computed. */
  mo_affine *rotated[4];
  uint32_t rotated_count;
  /* By shape type: indices of moves of shapes with enlarged bounds. */
  uint32_t enlarged[SHAPE_TYPE_COUNT][4];
  uint32_t enlarged_count[SHAPE_TYPE_COUNT];
} collected_moves;

static void compute_rotated_inverses(collected_moves *s) {
  for (uint32_t i = s->rotated_count; i < 4; i++) {
    s->rotated[i] = s->rotated[0];
  }
  mo_affine_set_inverses4(s->rotated);
  s->rotated_count = 0;
}

static void collect_rotated(collected_moves *s, mo_affine *affine) {
  s->rotated[s->rotated_count++] = affine;
  if (s->rotated_count == 4) {
    compute_rotated_inverses(s);
  }
}

/* Stores the bounds of a moved shape, whose tight box is `box`, enlarged by margin and velocity. */
static void store_enlarged_box(const mo_moves *m, const mo_moved_marks *moved, uint32_t i,
                               mo_aabb box) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index;
  mo_shape_place place = scene->places[slot];
  if (mo_move_fatten(m, i, &box)) {
    mo_bounds8_set(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7), box);
    mo_moved_marks_add_box(moved, place);
    scene->traits[slot] |= MO_TRAIT_MOVED;
  }
}

static void store_enlarged_boxes(const mo_moves *m, const mo_moved_marks *moved, mo_shape_type type,
                                 collected_moves *s) {
  const uint32_t count = s->enlarged_count[type], *moves = s->enlarged[type];
  const mo_shape *shapes[4];
  for (uint32_t i = 0; i < 4; i++) {
    shapes[i] = &m->scene->shapes[m->def->ids[moves[i < count ? i : 0]].index];
  }
  mo_four_boxes boxes;
  world_boxes_of_four(shapes, &boxes);
  for (uint32_t i = 0; i < count; i++) {
    store_enlarged_box(m, moved, moves[i],
                       (mo_aabb){mo_vec(boxes.lower[0][i], boxes.lower[1][i], boxes.lower[2][i]),
                                 mo_vec(boxes.upper[0][i], boxes.upper[1][i], boxes.upper[2][i])});
  }
  s->enlarged_count[type] = 0;
}

/* Computes the inverses and boxes of the moves that are left in the collection, fewer than four of
 * a kind. */
static void finish_collected(const mo_moves *m, const mo_moved_marks *moved, collected_moves *s) {
  if (s->rotated_count > 0) {
    compute_rotated_inverses(s);
  }
  for (int type = 0; type < SHAPE_TYPE_COUNT; type++) {
    if (s->enlarged_count[type] > 0) {
      store_enlarged_boxes(m, moved, (mo_shape_type)type, s);
    }
  }
}

static void store_unbounded(const mo_moves *m, uint32_t i) {
  mo_aabb none;
  (void)mo_move_store(m, i, &none);
  m->scene->traits[m->def->ids[i].index] |= MO_TRAIT_MOVED;
}

/* Writes the transform of a move to the shape's record. Returns whether the shape's box now follows
 * its origin (mo_box_follows_origin), and the origin is in the safe range. */
MO_INLINE bool store_transform(const mo_moves *m, uint32_t i, collected_moves *s) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index;
  mo_affine *affine = &scene->shapes[slot].affine;
  if (m->def->transforms == NULL) {
    affine->to_world.origin = m->def->origins[i];
    return mo_box_follows_origin(scene->traits[slot]) &&
           mo_vec_is_in_safe_range(m->def->origins[i]);
  }
  bool rotated, fast = mo_move_set_transform(scene, slot, &m->def->transforms[i], &rotated);
  if (rotated) {
    collect_rotated(s, affine);
  }
  return fast;
}

/* Stores a move of a shape whose stored bounds are enlarged by a margin or velocity. The boxes of
 * four shapes of a type are computed together. */
static void store_enlarged(const mo_moves *m, const mo_moved_marks *moved, uint32_t i,
                           collected_moves *s) {
  const mo_shape *shape = &m->scene->shapes[m->def->ids[i].index];
  const mo_shape_type type = shape->geometry.type;
  const bool fast = store_transform(m, i, s);
  if (!fast && mo_type_supports_four_boxes(type)) {
    s->enlarged[type][s->enlarged_count[type]++] = i;
    if (s->enlarged_count[type] == 4) {
      store_enlarged_boxes(m, moved, type, s);
    }
    return;
  }
  mo_f4 lower, upper;
  world_box_of(shape, fast, &lower, &upper);
  store_enlarged_box(m, moved, i, (mo_aabb){mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)});
}

MO_INLINE void store_move(const mo_moves *m, const mo_moved_marks *moved, uint32_t i,
                          mo_store_mode mode, collected_moves *s) {
  mo_scene *scene = m->scene;
  uint32_t slot = m->def->ids[i].index, traits = scene->traits[slot];
  mo_slot_set_displacement(scene, slot, mo_move_displacement(m, i));
  if (mode != MO_STORE_TIGHT && (m->def->velocities != NULL || (traits & LOOSE_BOUNDS_TRAITS))) {
    if (traits & MO_TRAIT_UNBOUNDED) {
      store_unbounded(m, i);
    } else {
      store_enlarged(m, moved, i, s);
      if (mode == MO_STORE_ENLARGED_REPEATED) {
        finish_collected(m, moved, s);
      }
    }
    return;
  }
  bool fast = store_transform(m, i, s);
  if (mode != MO_STORE_TIGHT) {
    scene->traits[slot] |= MO_TRAIT_MOVED;
  }
  mo_moved_marks_add_transform(moved, scene->places[slot], fast);
}

/* Prefetches the cache lines that a move writes. The origin is in the last of the three cache lines
 * of a record. */
MO_INLINE void prefetch_record(const mo_moves *m, uint32_t i, mo_store_mode mode) {
  if (i < m->def->count) {
    const uint32_t slot = m->def->ids[i].index;
    const mo_shape *shape = &m->scene->shapes[slot];
    const mo_shape_place place = m->scene->places[slot];
    if (mode != MO_STORE_TIGHT && place != MO_NONE) {
      mo_prefetch_to_l2(&mo_shape_block_at(m->scene, place >> 3)->bounds,
                        mo_cache_lines_of(sizeof(mo_bounds8)));
    }
    if (m->def->transforms != NULL) {
      mo_prefetch_to_l2(&shape->affine.to_world, 1);
    }
    mo_prefetch_to_l2(&shape->geometry, 1);
  }
}

MO_INLINE void store_moves(const mo_moves *m, uint32_t part, mo_store_mode mode) {
  const mo_moved_marks moved = mo_moved_marks_of_part(m->scene, part);
  collected_moves stored = {.rotated_count = 0};
  uint32_t begin = mo_part_begin(m->def->count, part, m->part_count);
  uint32_t end = mo_part_begin(m->def->count, part + 1, m->part_count);
  for (uint32_t i = begin; i < end; i++) {
    prefetch_record(m, i + MO_PREFETCH_MOVED_AHEAD, mode);
    store_move(m, &moved, i, mode, &stored);
  }
  finish_collected(m, &moved, &stored);
}

static void store_moves_by_slot(const mo_moves *m, uint32_t part) {
  const mo_moved_marks moved = mo_moved_marks_of_part(m->scene, part);
  collected_moves stored = {.rotated_count = 0};
  uint32_t first = mo_part_begin(m->scene->slot_count, part, m->part_count);
  uint32_t end = mo_part_begin(m->scene->slot_count, part + 1, m->part_count);
  for (uint32_t i = 0; i < m->def->count; i++) {
    if (m->def->ids[i].index - first < end - first) {
      store_move(m, &moved, i, MO_STORE_ENLARGED_REPEATED, &stored);
    }
  }
  finish_collected(m, &moved, &stored);
}

void MO_ISA_FN(mo_moves_store)(const mo_moves *m, uint32_t part) {
  switch (m->mode) {
  case MO_STORE_TIGHT:
    store_moves(m, part, MO_STORE_TIGHT);
    break;
  case MO_STORE_ENLARGED_ONCE:
    store_moves(m, part, MO_STORE_ENLARGED_ONCE);
    break;
  case MO_STORE_ENLARGED_REPEATED:
    store_moves(m, part, MO_STORE_ENLARGED_REPEATED);
    break;
  case MO_STORE_BY_SLOT:
    store_moves_by_slot(m, part);
    break;
  }
}
