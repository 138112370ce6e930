/* The data of a compound, and its children under the transform of a placement.
 *
 * A compound is a scene of children that other scenes refer to. The number of a child is that of
 * the shape that is reached by a path through nested compounds: each compound numbers its slots in
 * order, and a slot with a nested compound takes as many numbers as that has. */
#ifndef MO_SCENE_COMPOUND_H
#define MO_SCENE_COMPOUND_H

#include <motte/compound.h>
#include <stdatomic.h>

#include "mesh/primitive.h"
#include "scene/scene.h"

struct mo_compound {
  const mo_compound_functions *functions; /* first: see mesh/primitive.h */
  mo_scene *children;
  atomic_uint references;
  mo_compound *next_released; /* next in the list of compounds that mo_compound_release frees */
  /* By slot, where compounds are nested: the first child number of the slot; else
   * null. */
  uint32_t *first_numbers;
  uint32_t number_capacity; /* length of `first_numbers` */
  /* As of the last update: */
  bool is_nested;              /* some children are compounds, so `first_numbers` is in use */
  uint32_t slot_count;         /* of the scene of children */
  uint32_t child_number_count; /* child numbers are 0 to this - 1; those of free slots are unused */
  uint32_t depth;              /* of nesting; 1 without nested compounds */
  bool has_volumes;            /* some children, at any level, are volumes */
  mo_aabb bounds;
  /* Per axis, a bound of the sum of the magnitudes of the terms of each coordinate of a point of a
   * child: of the products with the child's axes, and of its origin; through all levels. Rounding
   * errors are relative to these sums. */
  mo_dvec3 reach;
};

/* A child of a placement, as a shape of the scene. */
typedef struct mo_placed_child {
  /* The record with the composed transform. `generation` is that of the placement. */
  mo_shape shape;
  mo_aabb box;     /* around the shape, without margin */
  uint32_t slot;   /* of the placement */
  uint32_t number; /* the child's number in the compound of the placement */
} mo_placed_child;

/* Per world axis, a bound of the sums of magnitudes (mo_compound.reach) under a transform. It also
 * bounds the coordinates of the origins of children. */
mo_dvec3 mo_compound_magnitude_bounds(const mo_compound *compound, const mo_transform *map);

/* The distance by which boxes of children, transformed by the map, are enlarged per axis, so that
 * they contain the children under their composed transforms, given the sums of
 * mo_compound_magnitude_bounds. Each of at most MO_MAX_COMPOUND_DEPTH roundings of a composed
 * transform, and that of the box of the child, moves a point by at most 2^-23.9 of the sums. */
static inline mo_dvec3 mo_compound_margin(mo_dvec3 terms) {
  const mo_dvec3 min = {0x1p-120, 0x1p-120, 0x1p-120};
  return mo_dadd(mo_dscale(0x1p-20, terms), min);
}

/* The world box of a placement, not rounded to the range of coordinates. `origin` receives a bound
 * of the origins of children. */
void mo_compound_world_box(const mo_compound *compound, const mo_transform *map, mo_f4 *lower,
                           mo_f4 *upper, mo_f4 *origin);

/* Checks whether a geometry may be that of a shape of a scene; only scenes of children refuse some:
 * MO_ERROR_INVALID_ARGUMENT, MO_ERROR_TOO_MANY. `refusal` may be null. */
mo_result mo_scene_check_child(const mo_scene *scene, const mo_geometry *geometry,
                               const mo_refusal *refusal);

static inline bool mo_slot_is_compound(const mo_scene *scene, uint32_t slot) {
  return (scene->traits[slot] & MO_TRAIT_COMPOUND) != 0;
}

/* The compound that a slot places, or null. */
static inline const mo_compound *mo_slot_nested_compound(const mo_scene *scene, uint32_t slot) {
  const mo_geometry *geometry = &scene->shapes[slot].geometry;
  return mo_slot_is_alive(scene, slot) && geometry->type == MO_SHAPE_COMPOUND ? geometry->compound
                                                                              : NULL;
}

/* How many child numbers the shape of a slot takes: those of its compound, if it is one, else one.
 */
static inline uint32_t mo_shape_child_number_count(const mo_shape *shape) {
  return shape->geometry.type == MO_SHAPE_COMPOUND ? shape->geometry.compound->child_number_count
                                                   : 1;
}

/* The first child number of a living slot of a compound. MO_NONE if the last mo_compound_update
 * did not know the slot, or the slot takes more or fewer child numbers now. So no number is taken
 * twice, even after changes without an update. */
static inline uint32_t mo_compound_first_child_number(const mo_compound *compound, uint32_t slot) {
  const uint32_t needed = mo_shape_child_number_count(&compound->children->shapes[slot]);
  if (slot >= compound->slot_count) {
    return MO_NONE;
  }
  if (!compound->is_nested) {
    return needed == 1 ? slot : MO_NONE;
  }
  const uint32_t first = compound->first_numbers[slot];
  const uint32_t end = slot + 1 < compound->slot_count ? compound->first_numbers[slot + 1]
                                                       : compound->child_number_count;
  return needed == end - first ? first : MO_NONE;
}

/* Whether a composed transform is within the range of coordinates. */
static inline bool mo_transform_is_in_range(const mo_transform *map) {
  return mo_is_in_range(map->x_axis) && mo_is_in_range(map->y_axis) &&
         mo_is_in_range(map->z_axis) && mo_is_in_range(map->origin);
}

/* Makes the record of a child that is no compound, under the world transform of its compound.
 * Returns false if it leaves the range of coordinates. */
bool mo_child_make_record(mo_placed_child *placed, const mo_transform *outer, const mo_shape *child,
                          mo_shape_id placement, uint32_t number);

/* The record, in its own space, of a shape that is no compound, where `number` must be 0, or of a
 * child of a placement; null if there is no such child. */
const mo_shape *mo_child_record(const mo_scene *scene, uint32_t slot, uint32_t number);

/* A hash of the ids of the shapes on the path to a child of a placement, which tells it from others
 * whatever its number is; 0 if the shape is no compound, or has no such child. */
uint64_t mo_child_path_hash(const mo_scene *scene, uint32_t slot, uint32_t number);

/* Whether a child of a placement and each compound on the path to it pass the filter of another
 * shape. */
bool mo_child_path_passes(const mo_scene *scene, uint32_t slot, uint32_t number,
                          const mo_shape *other);

/* The geometry of mo_child_record, or null. */
const mo_geometry *mo_child_geometry(const mo_scene *scene, uint32_t slot, uint32_t number);

/* Reads the user data of a shape or child; writes nothing if there is no such child. */
void mo_child_read_user_data(const mo_scene *scene, uint32_t slot, uint32_t number,
                             uint64_t *user_data);

/* Finds the child of a placement by its number. Returns false if there is none, or it leaves the
 * range of coordinates. */
bool mo_child_find(const mo_scene *scene, uint32_t slot, uint32_t number, mo_placed_child *placed);

/* The child of a compound with a number, in its own space, or null. `outer` takes the compound to
 * world space, `map` will take the child there. */
const mo_shape *mo_compound_find_child(const mo_compound *compound, const mo_transform *outer,
                                       uint32_t number, mo_transform *map);

/* The functions of all compounds. */
extern const mo_compound_functions mo_functions_of_compounds;

#endif
