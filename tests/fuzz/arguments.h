/* Arguments of public functions, decoded from bytes: legal ones, and such as are refused - null
 * pointers, ids that are stale, defs without cookie, numbers that are not finite or out of range,
 * choices that do not exist. Each function draws its argument from the bytes of the world, and
 * returns memory of the world that lasts until the next call is made. */
#ifndef TEST_FUZZ_ARGUMENTS_H
#define TEST_FUZZ_ARGUMENTS_H

#include <motte/motte.h>

#include "fuzz/shapes.h"
#include "support/counting_allocator.h"

enum { FUZZ_LIVING = 5, FUZZ_CAPACITY = 8, FUZZ_OUTPUTS = 8, FUZZ_OUTPUT_SIZE = 8192 };

typedef struct fuzz_world {
  fuzz_bytes b;
  counting_allocator counter;
  mo_host host;
  mo_scene *scene, *other;
  mo_mesh *meshes[5]; /* deformable; with edges; for insertion; a height field; editable */
  mo_swept_mesh *swept[2];
  mo_compound *compound;
  mo_pair_tracker *pairs;
  mo_contact_tracker *contacts;
  mo_watch *watch;
  mo_shape_id living[FUZZ_LIVING], stale;
  mo_region_id region;
  bool restored; /* the contact tracker has contacts that the fuzzer has made up */
  /* Of the call that is being made. */
  uint32_t output_count, def_count, capacity;
  _Alignas(16) unsigned char outputs[FUZZ_OUTPUTS][FUZZ_OUTPUT_SIZE];
  _Alignas(16) unsigned char defs[16][2048];
} fuzz_world;

/* Forgets the arguments of the call before. */
void fuzz_arguments_begin(fuzz_world *w);

/* Whether nothing has been written to any output. */
bool fuzz_outputs_are_untouched(const fuzz_world *w);

mo_scene *fuzz_any_scene(fuzz_world *w);
mo_mesh *fuzz_any_mesh(fuzz_world *w);
mo_swept_mesh *fuzz_any_swept(fuzz_world *w);
mo_hull *fuzz_any_hull(fuzz_world *w);
mo_pair_tracker *fuzz_any_pairs(fuzz_world *w);
mo_contact_tracker *fuzz_any_contacts(fuzz_world *w);
mo_watch *fuzz_any_watch(fuzz_world *w);
mo_shape_id fuzz_any_id(fuzz_world *w);
mo_region_id fuzz_any_region(fuzz_world *w);

/* Memory for an output, or null. */
void *fuzz_any_output(fuzz_world *w);
mo_query_stats *fuzz_any_stats(fuzz_world *w);
size_t *fuzz_any_bad(fuzz_world *w);

/* A number of elements that outputs and arrays have room for. */
uint32_t fuzz_any_count(fuzz_world *w);

float fuzz_any_float(fuzz_world *w);
mo_vec3 fuzz_any_vec3(fuzz_world *w);
const float *fuzz_any_matrix(fuzz_world *w);
const mo_vec3 *fuzz_any_points(fuzz_world *w);
const mo_transform *fuzz_any_transforms(fuzz_world *w);
const mo_geometry *fuzz_any_geometry(fuzz_world *w);
const mo_primitive *fuzz_any_primitive(fuzz_world *w);
const mo_movement *fuzz_any_movement(fuzz_world *w);
const mo_filter *fuzz_any_filter(fuzz_world *w);
const mo_aabb *fuzz_any_box(fuzz_world *w);
const mo_sphere *fuzz_any_sphere(fuzz_world *w);
const mo_shape_id *fuzz_any_ids(fuzz_world *w);
const mo_pair *fuzz_any_pair_list(fuzz_world *w);
const mo_shape_def *fuzz_any_shapes(fuzz_world *w);
const mo_update_def *fuzz_any_update(fuzz_world *w);
const mo_ray_def *fuzz_any_ray(fuzz_world *w);
const mo_sphere_cast_def *fuzz_any_sphere_cast(fuzz_world *w);
const mo_shape_cast_def *fuzz_any_shape_cast(fuzz_world *w);
const mo_overlap_def *fuzz_any_overlap(fuzz_world *w);
const mo_overlap_mesh_def *fuzz_any_overlap_mesh(fuzz_world *w);
const mo_distance_mesh_def *fuzz_any_distance_mesh(fuzz_world *w);
const mo_separation_mesh_def *fuzz_any_separation_mesh(fuzz_world *w);
const mo_impact_mesh_def *fuzz_any_impact_mesh(fuzz_world *w);
const mo_closest_def *fuzz_any_closest(fuzz_world *w);
const mo_distance_def *fuzz_any_distance(fuzz_world *w);
const mo_near_def *fuzz_any_near(fuzz_world *w);
const mo_level_def *fuzz_any_levels(fuzz_world *w);
const mo_fit_def *fuzz_any_fit(fuzz_world *w);
const mo_cull_def *fuzz_any_cull(fuzz_world *w);
const mo_cell_query_def *fuzz_any_cells(fuzz_world *w);
const mo_pair_query_def *fuzz_any_pair_query(fuzz_world *w);
const mo_collide_def *fuzz_any_collide(fuzz_world *w);
const mo_collide_shape_def *fuzz_any_collide_shape(fuzz_world *w);
const mo_character_def *fuzz_any_character(fuzz_world *w);
const mo_impact_def *fuzz_any_impact(fuzz_world *w);
const mo_impact_search *fuzz_any_impact_search(fuzz_world *w);
const mo_region_def *fuzz_any_region_def(fuzz_world *w);
const mo_region_form *fuzz_any_region_form(fuzz_world *w);
const mo_batch_def *fuzz_any_batch(fuzz_world *w);
const mo_batch_output *fuzz_any_batch_output(fuzz_world *w);
const mo_query_batch *fuzz_any_query_batch(fuzz_world *w);
const mo_debug_def *fuzz_any_debug(fuzz_world *w);
mo_debug_buffers *fuzz_any_buffers(fuzz_world *w);
mo_ray_cursor *fuzz_any_cursor(fuzz_world *w);
const mo_mesh_rebuild_options *fuzz_any_rebuild(fuzz_world *w);
const mo_mesh_edit_def *fuzz_any_mesh_edit(fuzz_world *w);
const mo_height_edit *fuzz_any_height_edit(fuzz_world *w);
const mo_swept_impact_def *fuzz_any_swept_impact(fuzz_world *w);
const mo_tracked_contact *fuzz_any_saved(fuzz_world *w);

#endif
