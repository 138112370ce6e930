/* Mass properties of shapes of every type: motte/mass.h. Those of a compound are the sums over its
 * children, by the theorem of parallel axes. Errors are not logged, for want of a host. */
#include <motte/mass.h>

#include "geometry/sum.h"
#include "math/check.h"
#include "mesh/mass.h"
#include "scene/compound.h"

/* Sums over the children of a compound, about a point. */
typedef struct child_sum {
  mo_dvec3 point;
  mo_sum volume, first[3], second[6]; /* as in mo_moment_sum */
  double magnitude;                   /* sum of the magnitudes of the volumes */
  mo_sum center[3]; /* of the centroids of all children, for compounds without volume */
  uint64_t count;   /* of children */
  bool is_closed;
} child_sum;

static double value_of(const mo_sum *sum) {
  return sum->value + sum->error;
}

static mo_dvec3 vector_of(const mo_sum sum[3]) {
  return mo_dvec(value_of(&sum[0]), value_of(&sum[1]), value_of(&sum[2]));
}

static void add_vector(mo_sum sum[3], double s, mo_dvec3 v) {
  mo_sum_add(&sum[0], s * v.x);
  mo_sum_add(&sum[1], s * v.y);
  mo_sum_add(&sum[2], s * v.z);
}

static void add_moments(child_sum *sum, const mo_moments *m) {
  if (sum->count++ == 0) {
    sum->point = m->centroid;
  }
  const mo_dvec3 offset = mo_dsub(m->centroid, sum->point);
  const mo_symmetric_matrix second = mo_add_outer_square(m->second, m->volume, offset);
  const double entries[6] = {second.xx, second.yy, second.zz, second.xy, second.yz, second.zx};
  mo_sum_add(&sum->volume, m->volume);
  sum->magnitude += fabs(m->volume);
  add_vector(sum->first, m->volume, offset);
  add_vector(sum->center, 1.0, offset);
  for (int i = 0; i < 6; i++) {
    mo_sum_add(&sum->second[i], entries[i]);
  }
}

/* A compound is flat if its volume is at most this fraction of the magnitudes added. */
static const double flat_fraction = 0x1p-46;

static mo_moments moments_of_sum(const child_sum *sum, mo_dvec3 origin) {
  if (sum->count == 0) {
    return (mo_moments){.centroid = origin};
  }
  if (fabs(sum->volume.value) <= flat_fraction * sum->magnitude) {
    const mo_dvec3 mean = mo_dscale(1.0 / (double)sum->count, vector_of(sum->center));
    return (mo_moments){.centroid = mo_dadd(sum->point, mean)};
  }
  const mo_sum *s = sum->second;
  const mo_moment_sum sums = {value_of(&sum->volume),
                              vector_of(sum->first),
                              {value_of(&s[0]), value_of(&s[1]), value_of(&s[2]), value_of(&s[3]),
                               value_of(&s[4]), value_of(&s[5])}};
  return mo_moments_of_sum(&sums, sum->point, sum->point);
}

/* Adds the children of a compound, slot by slot, so that the sum does not depend on the octree. */
static mo_result add_children(child_sum *sum, const mo_compound *compound,
                              const mo_transform *outer, uint32_t depth) {
  const mo_scene *children = compound->children;
  mo_result result = MO_OK;
  for (uint32_t slot = 0; slot < children->slot_count && result == MO_OK; slot++) {
    if (!mo_slot_is_alive(children, slot) ||
        mo_compound_first_child_number(compound, slot) == MO_NONE) {
      continue;
    }
    const mo_shape *child = &children->shapes[slot];
    const mo_transform map = mo_transform_compose(outer, &child->affine.to_world);
    mo_moments moments;
    bool is_closed;
    if (!mo_transform_is_in_range(&map)) {
      result = MO_ERROR_OUT_OF_RANGE;
    } else if (child->geometry.type == MO_SHAPE_COMPOUND) {
      result = depth < MO_MAX_COMPOUND_DEPTH
                   ? add_children(sum, child->geometry.compound, &map, depth + 1)
                   : MO_OK; /* nested deeper after the last update */
    } else if ((result = mo_geometry_moments(&child->geometry, &map, &moments, &is_closed)) ==
               MO_OK) {
      add_moments(sum, &moments);
      sum->is_closed = sum->is_closed && is_closed;
    }
  }
  return result;
}

static mo_result moments_of_compound(const mo_geometry *geometry, const mo_transform *transform,
                                     mo_moments *moments, bool *closed) {
  if (geometry->compound == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (geometry->rounding != 0.0f) {
    return isnan(geometry->rounding) ? MO_ERROR_NOT_FINITE : MO_ERROR_INVALID_ARGUMENT;
  }
  child_sum sum = {.is_closed = true};
  mo_result result = mo_check_transform(transform, NULL);
  if (result == MO_OK) {
    result = add_children(&sum, geometry->compound, transform, 1);
  }
  if (result == MO_OK) {
    *moments = moments_of_sum(&sum, mo_widen(transform->origin));
    *closed = sum.is_closed;
  }
  return result;
}

static mo_mass_properties properties_of(const mo_moments *m, bool closed) {
  const mo_symmetric_matrix *s = &m->second;
  return (mo_mass_properties){
      .volume = m->volume,
      .centroid = mo_narrow(mo_dadd(m->centroid, mo_dvec(0.0, 0.0, 0.0))),
      .inertia = {{s->yy + s->zz, 0.0 - s->xy, 0.0 - s->zx},
                  {0.0 - s->xy, s->zz + s->xx, 0.0 - s->yz},
                  {0.0 - s->zx, 0.0 - s->yz, s->xx + s->yy}},
      .closed = closed,
  };
}

mo_result mo_geometry_get_mass_properties(const mo_geometry *geometry,
                                          const mo_transform *transform,
                                          mo_mass_properties *properties) {
  if (geometry == NULL || properties == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  const mo_transform identity = mo_transform_identity();
  mo_moments moments;
  bool closed;
  transform = transform != NULL ? transform : &identity;
  const mo_result result = geometry->type == MO_SHAPE_COMPOUND
                               ? moments_of_compound(geometry, transform, &moments, &closed)
                               : mo_geometry_moments(geometry, transform, &moments, &closed);
  if (result == MO_OK) {
    *properties = properties_of(&moments, closed);
  }
  return result;
}
