/* Moving shapes, one by one and in bulk, and the end of a frame.
 *
 * In bulk, all moves are checked before anything changes. Then the shapes' records are written, and
 * their boxes where they are stored, without a look at what is around them. A descent from the root
 * makes the bounds above them tight, each once, and finds the shapes that have left their cells
 * (scene/octree/moved.h); those are reinserted together (scene/bulk/bulk.h). Where most of those
 * that moved last left their cells, it is expected of these too: they leave the tree first, and
 * bounds are made tight around what stays (scene/moves/evict_kernel.c). */
#include <string.h>

#include "base/tasks.h"
#include "scene/bulk/bulk.h"
#include "scene/changes.h"
#include "scene/octree/octree.h"
#include "scene/shape.h"

enum {
  /* Batches up to this keep the bounds right as they go. */
  FEW = 16,
  /* Batches from this on are cut into tasks, at most PARTS. */
  MANY = 4096,
  PARTS = 32,
  /* Shapes whose records are asked for ahead. */
  AHEAD = 48,
  /* Moves that are checked together. */
  GROUP = 8,
};

/* The new affine map of a shape. A pure translation keeps the inverse. */
static mo_result next_affine(const mo_shape *shape, const mo_transform *transform,
                             mo_affine *affine) {
  const mo_transform *old = &shape->affine.to_world;
  if (memcmp(&old->x_axis, &transform->x_axis, 3 * sizeof(mo_vec3)) == 0 &&
      mo_is_safe(transform->origin)) {
    *affine = shape->affine;
    affine->to_world.origin = transform->origin;
    return MO_OK;
  }
  return mo_affine_init(affine, transform);
}

/* Whether a shape is turned. */
static void note_axes(mo_scene *scene, uint32_t slot) {
  uint32_t unturned = mo_is_unturned(&scene->shapes[slot].affine.to_world) ? MO_TRAIT_UNTURNED : 0;
  uint32_t others = scene->traits[slot] & ~(uint32_t)MO_TRAIT_UNTURNED;
  scene->traits[slot] = (uint16_t)(others | unturned);
}

/* A small box or ball that is not turned: only its origin matters. */
static inline bool is_easy(const mo_scene *scene, uint32_t slot) {
  return (scene->traits[slot] & MO_TRAIT_EASY) == MO_TRAIT_EASY;
}

/* Gives a shape a legal transform; returns the box that it fills. */
static inline mo_aabb turn(mo_scene *scene, uint32_t slot, const mo_transform *transform) {
  mo_shape *shape = &scene->shapes[slot];
  if (is_easy(scene, slot) && mo_is_unturned(transform) && mo_is_safe(transform->origin)) {
    shape->affine.to_world.origin = transform->origin;
    return mo_centred_bounds(&shape->geometry, transform->origin);
  }
  mo_aabb box = mo_aabb_empty();
  (void)next_affine(shape, transform, &shape->affine);
  (void)mo_geometry_bounds(&shape->geometry, &shape->affine, &box);
  note_axes(scene, slot);
  return box;
}

/* The same where the axes stay. */
static inline mo_aabb shift(mo_scene *scene, uint32_t slot, mo_vec3 origin) {
  mo_shape *shape = &scene->shapes[slot];
  if (is_easy(scene, slot) && mo_is_safe(origin)) {
    shape->affine.to_world.origin = origin;
    return mo_centred_bounds(&shape->geometry, origin);
  }
  mo_transform transform = shape->affine.to_world;
  transform.origin = origin;
  return turn(scene, slot, &transform);
}

/* A def of moves, in parts that may be tasks. */
typedef struct batch {
  mo_scene *scene;
  const mo_update_def *def;
  uint32_t parts;
  mo_result results[PARTS]; /* of checks */
  bool plain[PARTS];        /* whether nothing but the origins of easy shapes has to be written */
} batch;

/* How far a shape is expected to go, zero for a volume, which is its bounds. */
static inline mo_vec3 motion_of(const batch *b, uint32_t i, uint32_t slot) {
  if (!b->def->velocities || b->scene->shapes[slot].geometry.type == MO_SHAPE_VOLUME) {
    return mo_vec(0, 0, 0);
  }
  return mo_scale(b->def->lookahead, b->def->velocities[i]);
}

static mo_result check_velocity(const batch *b, uint32_t i) {
  mo_vec3 motion = mo_scale(b->def->lookahead, b->def->velocities[i]);
  if (!mo_is_finite(b->def->velocities[i])) {
    return MO_ERROR_NOT_FINITE;
  }
  return mo_is_safe(motion) ? MO_OK : MO_ERROR_OUT_OF_RANGE;
}

static mo_result check_move(const batch *b, uint32_t i) {
  const mo_scene *scene = b->scene;
  const mo_update_def *def = b->def;
  mo_shape_id id = def->ids[i];
  if (!mo_shape_is_known(scene, id)) {
    return MO_ERROR_STALE_ID;
  }
  if (def->velocities) {
    mo_result result = check_velocity(b, i);
    if (result != MO_OK) {
      return result;
    }
  }
  if (scene->traits[id.index] & MO_TRAIT_SMALL) {
    if (def->transforms ? mo_transform_is_safe(&def->transforms[i])
                        : is_easy(scene, id.index) && mo_is_safe(def->origins[i])) {
      return MO_OK;
    }
  }
  const mo_shape *shape = &scene->shapes[id.index];
  mo_transform transform = def->transforms ? def->transforms[i] : shape->affine.to_world;
  if (!def->transforms) {
    transform.origin = def->origins[i];
  }
  mo_affine affine;
  mo_aabb bounds;
  mo_result result = mo_affine_init(&affine, &transform);
  return result == MO_OK ? mo_geometry_bounds(&shape->geometry, &affine, &bounds) : result;
}

/* Whether a legal move by an origin writes nothing but that, to a shape that is stored under the
 * box that it fills. */
static bool is_plain(const batch *b, uint32_t i) {
  uint32_t slot = b->def->ids[i].index;
  return is_easy(b->scene, slot) && !(b->scene->traits[slot] & MO_TRAIT_FAT) &&
         mo_is_safe(b->def->origins[i]);
}

static uint32_t part_begin(const batch *b, uint32_t total, uint32_t part) {
  return (uint32_t)((uint64_t)total * part / b->parts);
}

/* Whether GROUP moves by origins are legal for certain, and of shapes that are easy and stored
 * under the boxes that they fill. */
static inline bool group_is_plain(const batch *b, uint32_t first) {
  const mo_scene *scene = b->scene;
  const mo_shape_id *ids = b->def->ids + first;
  const float *origins = &b->def->origins[first].x;
  uint32_t wrong = 0, common = MO_TRAIT_EASY, any = 0, far = 0;
  for (uint32_t i = 0; i < GROUP; i++) {
    wrong |= ids[i].index ^ (ids[0].index + i);
  }
  if (wrong == 0 && ids[0].index <= scene->slot_count - GROUP) {
    /* Side by side, as where all move: what vectors can follow. */
    const uint32_t *generations = scene->generations + ids[0].index;
    const uint16_t *traits = scene->traits + ids[0].index;
    for (uint32_t i = 0; i < GROUP; i++) {
      wrong |= (ids[i].generation ^ generations[i]) | (~ids[i].generation & 1);
    }
    for (uint32_t i = 0; i < GROUP; i++) {
      common &= traits[i];
      any |= traits[i];
    }
  } else {
    wrong = 0;
    for (uint32_t i = 0; i < GROUP; i++) {
      uint32_t slot = ids[i].index < scene->slot_count ? ids[i].index : 0;
      wrong |= (ids[i].index ^ slot) | (ids[i].generation ^ scene->generations[slot]) |
               (~ids[i].generation & 1);
      common &= scene->traits[slot];
      any |= scene->traits[slot];
    }
  }
  for (uint32_t i = 0; i < 3 * GROUP; i++) {
    far |= !(fabsf(origins[i]) <= MO_SAFE_MAP);
  }
  return !(wrong | far) && common == MO_TRAIT_EASY && !(any & MO_TRAIT_FAT);
}

/* Checks a part of the moves. */
static void check_part(uint32_t part, void *context) {
  batch *b = context;
  uint32_t i = part_begin(b, b->def->count, part), end = part_begin(b, b->def->count, part + 1);
  bool quick = b->def->origins && !b->def->velocities && b->scene->slot_count >= GROUP;
  b->plain[part] = quick;
  mo_result result = MO_OK;
  while (i < end && result == MO_OK) {
    if (quick && end - i >= GROUP && group_is_plain(b, i)) {
      i += GROUP;
      continue;
    }
    uint32_t group = end - i < GROUP ? end : i + GROUP;
    for (; i < group && result == MO_OK; i++) {
      result = check_move(b, i);
      b->plain[part] &= quick && result == MO_OK && is_plain(b, i);
    }
  }
  b->results[part] = result;
}

/* The first error, in the order of the moves. */
static mo_result check_all(batch *b) {
  if (b->parts > 1) {
    mo_tasks_run(&b->scene->host, b->parts, check_part, b);
  } else {
    check_part(0, b);
  }
  for (uint32_t part = 0; part < b->parts; part++) {
    if (b->results[part] != MO_OK) {
      return b->results[part];
    }
  }
  return MO_OK;
}

/* Writes where a shape is now; returns whether the bounds that it is stored under change, and to
 * what. */
static inline bool put(const batch *b, uint32_t i, mo_aabb *box) {
  mo_scene *scene = b->scene;
  uint32_t slot = b->def->ids[i].index;
  *box = b->def->transforms ? turn(scene, slot, &b->def->transforms[i])
                            : shift(scene, slot, b->def->origins[i]);
  if (b->def->velocities || (scene->traits[slot] & MO_TRAIT_FAT)) {
    mo_aabb stored = mo_tree_box(scene, slot);
    float margin = scene->traits[slot] & MO_TRAIT_FAT ? scene->shapes[slot].margin : 0;
    mo_fat_bounds fat = mo_bounds_fatten(box, motion_of(b, i, slot), margin, &stored);
    *box = fat.bounds;
    return !fat.kept;
  }
  return true;
}

static inline void store(mo_scene *scene, mo_place place, const mo_aabb *box) {
  mo_bounds8_set(&mo_shape_block_at(scene, place >> 3)->bounds, (int)(place & 7), *box);
}

/* What a move does to the box that a shape is stored under. */
typedef enum effect {
  NOTHING,
  SHIFTS, /* it is still to be worked out */
  REPLACES,
} effect;

/* Whether nothing but the origin of a shape changes, and with it the box. */
static inline bool may_shift(const batch *b, uint32_t i, uint32_t slot) {
  const mo_update_def *def = b->def;
  if (!is_easy(b->scene, slot) || (b->scene->traits[slot] & MO_TRAIT_FAT) || def->velocities) {
    return false;
  }
  return def->transforms
             ? mo_is_unturned(&def->transforms[i]) && mo_is_safe(def->transforms[i].origin)
             : mo_is_safe(def->origins[i]);
}

static inline effect apply(const batch *b, uint32_t i) {
  mo_scene *scene = b->scene;
  uint32_t slot = b->def->ids[i].index;
  if (may_shift(b, i, slot)) {
    scene->shapes[slot].affine.to_world.origin =
        b->def->transforms ? b->def->transforms[i].origin : b->def->origins[i];
    return SHIFTS;
  }
  mo_aabb box;
  if (!put(b, i, &box)) {
    return NOTHING;
  }
  store(scene, scene->places[slot], &box);
  return REPLACES;
}

static inline void note_effect(mo_scene *scene, uint32_t slot, effect e) {
  if (e == SHIFTS) {
    mo_moved_note_shift(scene, scene->places[slot]);
  } else if (e == REPLACES) {
    mo_moved_note(scene, scene->places[slot]);
  }
}

/* Stores a part of the moves: those of some slots, so that of several moves of one shape the last
 * is the one that counts. */
static void store_part(uint32_t part, void *context) {
  const batch *b = context;
  mo_scene *scene = b->scene;
  uint32_t first = part_begin(b, scene->slot_count, part);
  uint32_t end = part_begin(b, scene->slot_count, part + 1);
  for (uint32_t i = 0; i < b->def->count; i++) {
    uint32_t slot = b->def->ids[i].index;
    if (slot - first < end - first) {
      effect e = apply(b, i);
      uint32_t traits = scene->traits[slot];
      traits |= e == SHIFTS ? MO_TRAIT_SHIFTED : e == REPLACES ? MO_TRAIT_MOVED : 0u;
      scene->traits[slot] =
          (uint16_t)(e == REPLACES ? traits & ~(uint32_t)MO_TRAIT_SHIFTED : traits);
    }
  }
}

/* Stores all of them in tasks, and notes what has moved. */
static void store_in_parts(batch *b) {
  mo_scene *scene = b->scene;
  mo_tasks_run(&scene->host, b->parts, store_part, b);
  for (uint32_t i = 0; i < b->def->count; i++) {
    uint32_t slot = b->def->ids[i].index, traits = scene->traits[slot];
    scene->traits[slot] = (uint16_t)(traits & ~(uint32_t)(MO_TRAIT_MOVED | MO_TRAIT_SHIFTED));
    effect e = traits & MO_TRAIT_SHIFTED ? SHIFTS : traits & MO_TRAIT_MOVED ? REPLACES : NOTHING;
    note_effect(scene, slot, e);
    mo_scene_note(scene, slot, mo_change_of_move(e != NOTHING));
  }
}

MO_INLINE void prefetch_move(const batch *b, uint32_t i) {
  if (i < b->def->count) {
    mo_prefetch_far(&b->scene->shapes[b->def->ids[i].index].geometry);
  }
}

/* Stores origins alone. */
static void store_origins(const batch *b) {
  mo_scene *scene = b->scene;
  const mo_shape_id *ids = b->def->ids;
  for (uint32_t i = 0; i < b->def->count; i++) {
    prefetch_move(b, i + AHEAD);
    uint32_t slot = ids[i].index;
    scene->shapes[slot].affine.to_world.origin = b->def->origins[i];
    mo_moved_note_shift(scene, scene->places[slot]);
  }
  mo_scene_note_moves(scene, ids, b->def->count);
}

/* Stores all of them, and notes what has moved. */
static void store_all(batch *b) {
  mo_scene *scene = b->scene;
  bool plain = true;
  for (uint32_t part = 0; part < b->parts; part++) {
    plain &= b->plain[part];
  }
  if (b->parts > 1) {
    store_in_parts(b);
    return;
  }
  if (plain) {
    store_origins(b);
    return;
  }
  for (uint32_t i = 0; i < b->def->count; i++) {
    prefetch_move(b, i + AHEAD);
    uint32_t slot = b->def->ids[i].index;
    effect e = apply(b, i);
    note_effect(scene, slot, e);
    mo_scene_note(scene, slot, mo_change_of_move(e != NOTHING));
  }
}

/* Moves many shapes whose moves are legal. */
static void move_many(batch *b) {
  mo_scene *scene = b->scene;
  uint32_t count = b->def->count, astray;
  store_all(b);
  if (scene->restless && mo_bulk_reserve(scene, count) == MO_OK) {
    astray = mo_moved_leave_all(scene);
    (void)mo_tree_tighten(scene);
    mo_bulk_return(scene, astray);
  } else {
    astray = mo_moved_settle(scene, count, b->parts > 1);
    if (astray > 0) {
      mo_bulk_relocate(scene, b->def->ids, astray);
    }
  }
  (void)mo_tree_tighten(scene);
  scene->counters.moves_stayed += count - astray;
  scene->restless = astray > count / 2;
}

static void move_few(const batch *b) {
  for (uint32_t i = 0; i < b->def->count; i++) {
    uint32_t slot = b->def->ids[i].index;
    mo_aabb box;
    bool moved = put(b, i, &box);
    if (moved) {
      mo_tree_move(b->scene, slot, &box, false);
    }
    mo_scene_note(b->scene, slot, mo_change_of_move(moved));
  }
}

/* The moves of a def, all or none. */
static mo_result move_all(mo_scene *scene, const mo_update_def *def) {
  if (def->count == 0) {
    return MO_OK;
  }
  if (!def->ids || (!def->transforms && !def->origins)) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (!(def->lookahead >= 0) || (def->transforms && def->origins)) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  batch b = {.scene = scene, .def = def, .parts = 1};
  if (def->count >= MANY) {
    uint32_t workers = mo_tasks_workers(&scene->host);
    b.parts = workers < PARTS ? workers : PARTS;
  }
  mo_result result = check_all(&b);
  if (result != MO_OK) {
    return result;
  }
  if (def->count > FEW) {
    move_many(&b);
  } else {
    move_few(&b);
  }
  scene->work += def->count;
  return MO_OK;
}

mo_result mo_scene_set_transforms(mo_scene *scene, const mo_shape_id *ids,
                                  const mo_transform *transforms, uint32_t count) {
  if (!scene) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  return move_all(scene, &(mo_update_def){.ids = ids, .transforms = transforms, .count = count});
}

mo_result mo_scene_set_transform(mo_scene *scene, mo_shape_id id, const mo_transform *transform) {
  return mo_scene_set_transforms(scene, &id, transform, 1);
}

mo_update_def mo_default_update_def(void) {
  return (mo_update_def){.upkeep = UINT64_MAX};
}

mo_result mo_scene_update(mo_scene *scene, const mo_update_def *def) {
  if (!scene) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_update_def standard = mo_default_update_def();
  def = def ? def : &standard;
  mo_result result = move_all(scene, def);
  return result == MO_OK ? mo_tree_update(scene, def->upkeep) : result;
}
