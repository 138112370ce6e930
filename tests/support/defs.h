/* Defs of queries as arguments of a call: OF_PLANES(planes, 3, NULL) points to a mo_cull_def.
 * Options and filters that are null are the default ones. */
#ifndef TEST_SUPPORT_DEFS_H
#define TEST_SUPPORT_DEFS_H

#include <motte/motte.h>

static inline mo_overlap_def def_in_aabb(mo_aabb box, const mo_overlap_def *options) {
  mo_overlap_def def = mo_overlap_aabb_def(box);
  if (options != NULL) {
    def = *options;
    def.type = MO_OVERLAP_AABB;
    def.box = box;
  }
  return def;
}

static inline mo_overlap_def def_in_sphere(mo_sphere sphere, const mo_overlap_def *options) {
  mo_overlap_def def = mo_overlap_sphere_def(sphere);
  if (options != NULL) {
    def = *options;
    def.type = MO_OVERLAP_SPHERE;
    def.sphere = sphere;
  }
  return def;
}

static inline mo_overlap_def def_at_point(mo_vec3 point, const mo_overlap_def *options) {
  mo_overlap_def def = mo_overlap_point_def(point);
  if (options != NULL) {
    def = *options;
    def.type = MO_OVERLAP_POINT;
    def.point = point;
  }
  return def;
}

static inline mo_cull_def def_of_planes(const mo_plane *planes, uint32_t count,
                                        const mo_filter *filter) {
  mo_cull_def def = mo_default_cull_def();
  def.planes = planes;
  def.plane_count = count;
  def.filter = filter != NULL ? *filter : def.filter;
  return def;
}

static inline mo_fit_def def_of_fit(const mo_shape_def *shape, const mo_fit_def *options) {
  mo_fit_def def = options != NULL ? *options : mo_default_fit_def();
  def.shape = shape;
  return def;
}

static inline mo_cell_query_def def_of_cells(mo_aabb box, const mo_filter *filter, bool once,
                                             mo_shape_id *scratch, uint32_t capacity) {
  mo_cell_query_def def = mo_default_cell_query_def();
  def.box = box;
  def.filter = filter != NULL ? *filter : def.filter;
  def.once = once;
  def.scratch = scratch;
  def.scratch_capacity = capacity;
  return def;
}

#define IN_AABB(...) ((mo_overlap_def[]){def_in_aabb(__VA_ARGS__)})
#define IN_SPHERE(...) ((mo_overlap_def[]){def_in_sphere(__VA_ARGS__)})
#define AT_POINT(...) ((mo_overlap_def[]){def_at_point(__VA_ARGS__)})
#define OF_PLANES(...) ((mo_cull_def[]){def_of_planes(__VA_ARGS__)})
#define OF_FIT(...) ((mo_fit_def[]){def_of_fit(__VA_ARGS__)})
#define OF_CELLS(...) ((mo_cell_query_def[]){def_of_cells(__VA_ARGS__)})

#endif
