/* mo_compound_update: the bounds of a compound and the numbers of its children. */
#include "scene/compound.h"

#include "scene/shapes/shape.h"

/* Bounds of sums of magnitudes are cut off here, far beyond the range of coordinates, so that their
 * products stay finite. */
#define MAX_REACH 1e150

static mo_dvec3 term_magnitudes_of(const mo_transform *map, const mo_dvec3 *reach) {
  double sum[3];
  for (int axis = 0; axis < 3; axis++) {
    sum[axis] = fabs((double)mo_get(map->origin, axis)) +
                fabs((double)mo_get(map->x_axis, axis)) * reach->x +
                fabs((double)mo_get(map->y_axis, axis)) * reach->y +
                fabs((double)mo_get(map->z_axis, axis)) * reach->z;
  }
  return mo_dvec(mo_dmin(sum[0], MAX_REACH), mo_dmin(sum[1], MAX_REACH),
                 mo_dmin(sum[2], MAX_REACH));
}

mo_dvec3 mo_compound_magnitude_bounds(const mo_compound *compound, const mo_transform *map) {
  return term_magnitudes_of(map, &compound->reach);
}

/* Totals over the children of a compound, computed by mo_compound_update. */
typedef struct child_survey {
  uint64_t child_number_count;
  uint32_t depth;
  bool is_nested, has_volumes;
  mo_dvec3 reach;
} child_survey;

static void survey_child(child_survey *s, const mo_shape *shape) {
  mo_dvec3 local;
  if (shape->geometry.type == MO_SHAPE_COMPOUND) {
    const mo_compound *nested = shape->geometry.compound;
    s->is_nested = true;
    s->has_volumes = s->has_volumes || nested->has_volumes;
    s->depth = nested->depth + 1 > s->depth ? nested->depth + 1 : s->depth;
    local = nested->reach;
  } else {
    const double max = (double)mo_geometry_max_coordinate(&shape->geometry);
    local = mo_dvec(max, max, max);
    s->has_volumes = s->has_volumes || shape->geometry.type == MO_SHAPE_VOLUME;
  }
  const mo_dvec3 terms = term_magnitudes_of(&shape->affine.to_world, &local);
  s->reach = mo_dvec(mo_dmax(s->reach.x, terms.x), mo_dmax(s->reach.y, terms.y),
                     mo_dmax(s->reach.z, terms.z));
}

static uint32_t child_numbers_of_slot(const mo_scene *children, uint32_t slot) {
  return mo_slot_is_alive(children, slot) ? mo_shape_child_number_count(&children->shapes[slot])
                                          : 1;
}

static child_survey survey_children(const mo_scene *children) {
  child_survey s = {.depth = 1};
  for (uint32_t slot = 0; slot < children->slot_count; slot++) {
    if (mo_slot_is_alive(children, slot)) {
      survey_child(&s, &children->shapes[slot]);
    }
    s.child_number_count += child_numbers_of_slot(children, slot);
  }
  return s;
}

static mo_result reserve_first_numbers(mo_compound *compound, uint32_t count) {
  if (count <= compound->number_capacity) {
    return MO_OK;
  }
  const mo_allocator *allocator = &compound->children->host.allocator;
  uint32_t *numbers = mo_allocate(allocator, count, sizeof *numbers);
  if (numbers == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_deallocate(allocator, compound->first_numbers, compound->number_capacity, sizeof *numbers);
  compound->first_numbers = numbers;
  compound->number_capacity = count;
  return MO_OK;
}

static void number_slots(mo_compound *compound) {
  uint32_t number = 0;
  for (uint32_t slot = 0; slot < compound->slot_count; slot++) {
    compound->first_numbers[slot] = number;
    number += child_numbers_of_slot(compound->children, slot);
  }
}

mo_result mo_compound_update(mo_compound *compound) {
  if (compound == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  const mo_scene *children = compound->children;
  const mo_refusal refusal = mo_refusal_of(&children->host, __func__, "compound");
  const child_survey s = survey_children(children);
  if (s.depth > MO_MAX_COMPOUND_DEPTH || s.child_number_count >= MO_NONE) {
    return mo_refuse(&refusal, MO_ERROR_TOO_MANY,
                     s.depth > MO_MAX_COMPOUND_DEPTH
                         ? " is nested deeper than MO_MAX_COMPOUND_DEPTH"
                         : " has 2^32 - 1 children or more");
  }
  mo_result result = s.is_nested ? reserve_first_numbers(compound, children->slot_count) : MO_OK;
  if (result != MO_OK) {
    return result;
  }
  compound->is_nested = s.is_nested;
  compound->has_volumes = s.has_volumes;
  compound->slot_count = children->slot_count;
  compound->child_number_count = (uint32_t)s.child_number_count;
  compound->depth = s.depth;
  compound->reach = s.reach;
  compound->bounds = mo_scene_bounds(children);
  if (s.is_nested) {
    number_slots(compound);
  }
  return MO_OK;
}

void mo_compound_world_box(const mo_compound *compound, const mo_transform *map, mo_f4 *lower,
                           mo_f4 *upper, mo_f4 *origin) {
  const mo_f4 column[3] = {mo_f4_from(&map->x_axis, 0), mo_f4_from(&map->y_axis, 0),
                           mo_f4_from(&map->z_axis, 0)};
  *origin = *lower = *upper = mo_f4_from(&map->origin, 0);
  if (mo_aabb_is_empty(compound->bounds)) {
    return;
  }
  const mo_dvec3 terms = mo_compound_magnitude_bounds(compound, map),
                 by = mo_compound_margin(terms);
  const mo_f4 margin = mo_d4_round_up(mo_d4_of_vector(by));
  mo_affine_box_image(column, *origin, &compound->bounds, lower, upper);
  *lower = -mo_f4_add_upward(-*lower, margin);
  *upper = mo_f4_add_upward(*upper, margin);
  *origin = mo_d4_round_up(mo_d4_of_vector(terms));
}
