/* Moving shapes, one by one and in bulk, and the end of a frame.
 *
 * In bulk, all moves are checked before anything changes. Then the shapes' records are written, and
 * their boxes where they are stored, without reading the tree. A descent from the root
 * makes the bounds above them tight, each once, and finds the shapes that have left their cells
 * (scene/octree/moved.h); those are reinserted together (scene/bulk/bulk.h). Where most of those
 * that moved last left their cells, it is expected of these too: misplaced shapes are evicted
 * first, and bounds are made tight around the others (scene/moves/evict_kernel.c). */
#include <string.h>

#include "base/tasks.h"
#include "scene/bulk/bulk.h"
#include "scene/changes.h"
#include "scene/octree/octree.h"
#include "scene/policy.h"
#include "scene/shape.h"

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

/* Notes whether a shape is axis-aligned. */
static void note_axes(mo_scene *scene, uint32_t slot) {
  uint32_t axis_aligned =
      mo_is_axis_aligned(&scene->shapes[slot].affine.to_world) ? MO_TRAIT_AXIS_ALIGNED : 0;
  uint32_t others = scene->traits[slot] & ~(uint32_t)MO_TRAIT_AXIS_ALIGNED;
  scene->traits[slot] = (uint16_t)(others | axis_aligned);
}

/* A small axis-aligned box or ball: only its origin matters. */
static inline bool is_easy(const mo_scene *scene, uint32_t slot) {
  return (scene->traits[slot] & MO_TRAIT_EASY) == MO_TRAIT_EASY;
}

/* Gives a shape a legal transform; returns the box that it fills. */
static inline mo_aabb turn(mo_scene *scene, uint32_t slot, const mo_transform *transform) {
  mo_shape *shape = &scene->shapes[slot];
  if (is_easy(scene, slot) && mo_is_axis_aligned(transform) && mo_is_safe(transform->origin)) {
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

/* What the arrays of a call are called. */
typedef struct array_names {
  const char *function, *ids, *transforms, *origins, *velocities;
  bool single; /* they are not arrays */
} array_names;

/* A def of moves, in parts that may be tasks. */
typedef struct batch {
  mo_scene *scene;
  const array_names *names;
  const mo_update_def *def;
  uint32_t parts;
  uint32_t bad[MO_MOVES_PARTS]; /* the first move of a part that is illegal, or MO_NONE */
  bool plain[MO_MOVES_PARTS]; /* whether nothing but the origins of easy shapes has to be written */
} batch;

/* How far a shape is expected to go, zero for a volume, which is its bounds. */
static inline mo_vec3 motion_of(const batch *b, uint32_t i, uint32_t slot) {
  if (!b->def->velocities || b->scene->shapes[slot].geometry.type == MO_SHAPE_VOLUME) {
    return mo_vec(0, 0, 0);
  }
  return mo_scale(b->def->lookahead, b->def->velocities[i]);
}

static inline bool velocity_is_legal(const batch *b, uint32_t i) {
  return mo_is_finite(b->def->velocities[i]) &&
         mo_is_safe(mo_scale(b->def->lookahead, b->def->velocities[i]));
}

static mo_transform transform_of(const batch *b, uint32_t i) {
  if (b->def->transforms) {
    return b->def->transforms[i];
  }
  mo_transform transform = b->scene->shapes[b->def->ids[i].index].affine.to_world;
  transform.origin = b->def->origins[i];
  return transform;
}

static bool move_is_legal(const batch *b, uint32_t i) {
  const mo_scene *scene = b->scene;
  const mo_update_def *def = b->def;
  mo_shape_id id = def->ids[i];
  if (!mo_shape_is_known(scene, id) || (def->velocities && !velocity_is_legal(b, i))) {
    return false;
  }
  if (scene->traits[id.index] & MO_TRAIT_SMALL) {
    if (def->transforms ? mo_transform_is_safe(&def->transforms[i])
                        : is_easy(scene, id.index) && mo_is_safe(def->origins[i])) {
      return true;
    }
  }
  mo_transform transform = transform_of(b, i);
  mo_affine affine;
  mo_aabb bounds;
  return mo_affine_init(&affine, &transform) == MO_OK &&
         mo_geometry_bounds(&scene->shapes[id.index].geometry, &affine, &bounds) == MO_OK;
}

static mo_refusal refusal_at(const batch *b, const char *array, uint32_t i) {
  mo_refusal refusal = mo_refusal_of(&b->scene->host, b->names->function, array);
  refusal.index = b->names->single ? MO_NO_INDEX : i;
  return refusal;
}

/* Says why a move is not legal. */
static MO_COLD mo_result refuse_move(const batch *b, uint32_t i) {
  const mo_update_def *def = b->def;
  mo_shape_id id = def->ids[i];
  if (!mo_shape_is_known(b->scene, id)) {
    mo_refusal refusal = refusal_at(b, b->names->ids, i);
    return mo_refuse_id(&refusal, id.index, id.generation);
  }
  if (def->velocities) {
    mo_refusal refusal = refusal_at(b, b->names->velocities, i);
    mo_result result = mo_check_finite(def->velocities[i], &refusal, "");
    if (result != MO_OK) {
      return result;
    }
    if (!velocity_is_legal(b, i)) {
      return mo_refuse(&refusal, MO_ERROR_OUT_OF_RANGE, " goes beyond %g within the lookahead",
                       (double)MO_SAFE_MAP);
    }
  }
  mo_transform transform = transform_of(b, i);
  mo_refusal refusal = refusal_at(b, def->transforms ? b->names->transforms : b->names->origins, i);
  mo_result result = def->transforms ? mo_check_transform(&transform, &refusal)
                                     : mo_check_point(transform.origin, &refusal, "");
  return result != MO_OK ? result : mo_refuse_image(&refusal, "");
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

/* Whether MO_MOVES_GROUP moves by origins are legal for certain, and of shapes that are easy and
 * stored under the boxes that they fill. */
static inline bool group_is_plain(const batch *b, uint32_t first) {
  const mo_scene *scene = b->scene;
  const mo_shape_id *ids = b->def->ids + first;
  const float *origins = &b->def->origins[first].x;
  uint32_t wrong = 0, common = MO_TRAIT_EASY, any = 0, far = 0;
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
      any |= traits[i];
    }
  } else {
    wrong = 0;
    for (uint32_t i = 0; i < MO_MOVES_GROUP; i++) {
      uint32_t slot = ids[i].index < scene->slot_count ? ids[i].index : 0;
      wrong |= (ids[i].index ^ slot) | (ids[i].generation ^ scene->generations[slot]) |
               (~ids[i].generation & 1);
      common &= scene->traits[slot];
      any |= scene->traits[slot];
    }
  }
  for (uint32_t i = 0; i < 3 * MO_MOVES_GROUP; i++) {
    far |= !(fabsf(origins[i]) <= MO_SAFE_MAP);
  }
  return !(wrong | far) && common == MO_TRAIT_EASY && !(any & MO_TRAIT_FAT);
}

/* Checks a part of the moves. */
static void check_part(uint32_t part, void *context) {
  batch *b = context;
  uint32_t i = part_begin(b, b->def->count, part), end = part_begin(b, b->def->count, part + 1);
  bool quick = b->def->origins && !b->def->velocities && b->scene->slot_count >= MO_MOVES_GROUP;
  b->plain[part] = quick;
  b->bad[part] = MO_NONE;
  while (i < end) {
    if (quick && end - i >= MO_MOVES_GROUP && group_is_plain(b, i)) {
      i += MO_MOVES_GROUP;
      continue;
    }
    uint32_t group = end - i < MO_MOVES_GROUP ? end : i + MO_MOVES_GROUP;
    for (; i < group; i++) {
      if (!move_is_legal(b, i)) {
        b->bad[part] = i;
        return;
      }
      b->plain[part] &= quick && is_plain(b, i);
    }
  }
}

/* The first move that is not legal, or MO_NONE. */
static uint32_t find_bad(batch *b) {
  if (b->parts > 1) {
    mo_tasks_run(&b->scene->host, b->parts, check_part, b);
  } else {
    check_part(0, b);
  }
  for (uint32_t part = 0; part < b->parts; part++) {
    if (b->bad[part] != MO_NONE) {
      return b->bad[part];
    }
  }
  return MO_NONE;
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
             ? mo_is_axis_aligned(&def->transforms[i]) && mo_is_safe(def->transforms[i].origin)
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
    mo_prefetch_far(&b->scene->shapes[b->def->ids[i].index].geometry, 1);
  }
}

/* Stores origins alone. */
static void store_origins(const batch *b) {
  mo_scene *scene = b->scene;
  const mo_shape_id *ids = b->def->ids;
  for (uint32_t i = 0; i < b->def->count; i++) {
    prefetch_move(b, i + MO_MOVES_AHEAD);
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
    prefetch_move(b, i + MO_MOVES_AHEAD);
    uint32_t slot = b->def->ids[i].index;
    effect e = apply(b, i);
    note_effect(scene, slot, e);
    mo_scene_note(scene, slot, mo_change_of_move(e != NOTHING));
  }
}

/* Moves many shapes whose moves are legal. */
static void move_many(batch *b) {
  mo_scene *scene = b->scene;
  uint32_t count = b->def->count, misplaced;
  store_all(b);
  if (scene->high_churn && mo_bulk_reserve(scene, count) == MO_OK) {
    misplaced = mo_moved_evict_all(scene);
    (void)mo_tree_tighten(scene);
    mo_bulk_reinsert(scene, misplaced);
  } else {
    misplaced = mo_moved_settle(scene, count, b->parts > 1);
    if (misplaced > 0) {
      mo_bulk_relocate(scene, b->def->ids, misplaced);
    }
  }
  (void)mo_tree_tighten(scene);
  scene->counters.stayed_move_count += count - misplaced;
  scene->high_churn = misplaced > count / MO_HIGH_CHURN_SHARE;
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

static MO_COLD mo_result refuse_options(const mo_scene *scene, const array_names *names,
                                        const mo_update_def *def) {
  mo_refusal refusal = mo_refusal_of(&scene->host, names->function, "def");
  if (def->transforms && def->origins) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " has .transforms and .origins");
  }
  return mo_refuse_number(&refusal, MO_ERROR_INVALID_ARGUMENT, ".lookahead", def->lookahead,
                          isnan(def->lookahead) ? NULL : "which is negative");
}

/* The moves of a def, all or none. */
static mo_result move_all(mo_scene *scene, const array_names *names, const mo_update_def *def) {
  if (def->count == 0) {
    return MO_OK;
  }
  if (!def->ids || (!def->transforms && !def->origins)) {
    mo_note_bad(def->first_bad, MO_NO_INDEX);
    return mo_refuse_null(&scene->host, names->function,
                          !def->ids ? names->ids : names->transforms);
  }
  if (!(def->lookahead >= 0) || (def->transforms && def->origins)) {
    mo_note_bad(def->first_bad, MO_NO_INDEX);
    return refuse_options(scene, names, def);
  }
  batch b = {.scene = scene, .names = names, .def = def, .parts = 1};
  if (def->count >= MO_MOVES_MANY) {
    uint32_t workers = mo_tasks_workers(&scene->host);
    b.parts = workers < MO_MOVES_PARTS ? workers : MO_MOVES_PARTS;
  }
  uint32_t bad = find_bad(&b);
  if (bad != MO_NONE) {
    mo_note_bad(def->first_bad, bad);
    return refuse_move(&b, bad);
  }
  if (def->count > MO_MOVES_FEW) {
    move_many(&b);
  } else {
    move_few(&b);
  }
  scene->work += def->count;
  return MO_OK;
}

mo_result mo_scene_set_transforms(mo_scene *scene, const mo_shape_id *ids,
                                  const mo_transform *transforms, uint32_t count,
                                  size_t *first_bad) {
  static const array_names arrays = {
      .function = "mo_scene_set_transforms", .ids = "ids", .transforms = "transforms"};
  if (!scene) {
    mo_note_bad(first_bad, MO_NO_INDEX);
    return MO_ERROR_NULL_ARGUMENT;
  }
  return move_all(
      scene, &arrays,
      &(mo_update_def){
          .ids = ids, .transforms = transforms, .count = count, .first_bad = first_bad});
}

mo_result mo_scene_set_transform(mo_scene *scene, mo_shape_id id, const mo_transform *transform) {
  static const array_names arguments = {
      .function = "mo_scene_set_transform", .ids = "id", .transforms = "transform", .single = true};
  if (!scene) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  return move_all(scene, &arguments,
                  &(mo_update_def){.ids = &id, .transforms = transform, .count = 1});
}

mo_update_def mo_default_update_def(void) {
  return (mo_update_def){.upkeep = UINT64_MAX, .cookie = MO_COOKIE};
}

mo_result mo_scene_update(mo_scene *scene, const mo_update_def *def) {
  static const array_names members = {.function = "mo_scene_update",
                                      .ids = "def.ids",
                                      .transforms = "def.transforms",
                                      .origins = "def.origins",
                                      .velocities = "def.velocities"};
  mo_update_def standard = mo_default_update_def();
  def = def ? def : &standard;
  if (def->cookie != MO_COOKIE) { /* and `first_bad` is not to be trusted */
    mo_refusal refusal = mo_refusal_of(mo_scene_host(scene), members.function, "def");
    return mo_refuse_def(&refusal, "", "mo_default_update_def");
  }
  if (!scene) {
    mo_note_bad(def->first_bad, MO_NO_INDEX);
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = move_all(scene, &members, def);
  if (result != MO_OK) {
    return result;
  }
  result = mo_tree_update(scene, def->upkeep);
  if (result != MO_OK) {
    mo_note_bad(def->first_bad, MO_NO_INDEX);
  }
  return result;
}
