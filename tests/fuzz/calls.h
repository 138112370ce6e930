/* Every public function that can fail, with its arguments: X(function, arguments). Functions that
 * make objects are in refusals.c, where what they make is destroyed. LOOSE are those whose outputs
 * are undefined after an error. */
#ifndef TEST_FUZZ_CALLS_H
#define TEST_FUZZ_CALLS_H

#include "fuzz/arguments.h"

#define SCENE fuzz_any_scene(w)
#define MESH fuzz_any_mesh(w)
#define SWEPT fuzz_any_swept(w)
#define HULL fuzz_any_hull(w)
#define PAIRS fuzz_any_pairs(w)
#define CONTACTS fuzz_any_contacts(w)
#define WATCH fuzz_any_watch(w)
#define ID fuzz_any_id(w)
#define IDS fuzz_any_ids(w)
#define REGION fuzz_any_region(w)
#define OUT fuzz_any_output(w)
#define STATS fuzz_any_stats(w)
#define BAD fuzz_any_bad(w)
#define COUNT fuzz_any_count(w)
#define BYTE fuzz_byte(&w->b)
#define FLOAT fuzz_any_float(w)
#define VEC3 fuzz_any_vec3(w)
#define MATRIX fuzz_any_matrix(w)
#define POINTS fuzz_any_points(w)
#define MAPS fuzz_any_transforms(w)
#define SOLID fuzz_any_primitive(w)
#define PAIR_LIST fuzz_any_pair_list(w)
#define RAY fuzz_any_ray(w)
#define BALL_CAST fuzz_any_sphere_cast(w)
#define SHAPE_CAST fuzz_any_shape_cast(w)
#define OVERLAP fuzz_any_overlap(w)
#define DISTANCE fuzz_any_distance(w)
#define PAIR_QUERY fuzz_any_pair_query(w)
#define LIST OUT, COUNT, OUT

#define FUZZ_CALLS(X)                                                                              \
  X(mo_scene_add_shape, SCENE, fuzz_any_shapes(w), OUT)                                            \
  X(mo_scene_add_shapes, SCENE, fuzz_any_shapes(w), COUNT, OUT, BAD)                               \
  X(mo_scene_remove_shape, SCENE, ID)                                                              \
  X(mo_scene_remove_shapes, SCENE, IDS, fuzz_below(&w->b, 3), BAD)                                 \
  X(mo_scene_set_transform, SCENE, ID, MAPS)                                                       \
  X(mo_scene_set_transforms, SCENE, IDS, MAPS, COUNT, BAD)                                         \
  X(mo_scene_set_geometry, SCENE, ID, fuzz_any_geometry(w))                                        \
  X(mo_scene_refresh_shape, SCENE, ID)                                                             \
  X(mo_scene_set_filter, SCENE, ID, BYTE, BYTE)                                                    \
  X(mo_scene_set_body, SCENE, ID, BYTE)                                                            \
  X(mo_scene_set_motion, SCENE, IDS, COUNT, (mo_motion)fuzz_below(&w->b, 6), BAD)                  \
  X(mo_scene_set_margin, SCENE, ID, FLOAT)                                                         \
  X(mo_scene_set_user_data, SCENE, ID, BYTE)                                                       \
  X(mo_scene_update, SCENE, fuzz_any_update(w))                                                    \
  X(mo_scene_trim, SCENE)                                                                          \
  X(mo_scene_shift_origin, SCENE, VEC3)                                                            \
  X(mo_scene_get_shape, SCENE, ID, OUT)                                                            \
  X(mo_scene_get_geometry, SCENE, ID, OUT)                                                         \
  X(mo_scene_get_transform, SCENE, ID, OUT)                                                        \
  X(mo_scene_get_filter, SCENE, ID, OUT, OUT)                                                      \
  X(mo_scene_get_user_data, SCENE, ID, OUT)                                                        \
  X(mo_scene_get_motion, SCENE, ID, OUT)                                                           \
  X(mo_scene_get_body, SCENE, ID, OUT)                                                             \
  X(mo_scene_get_margin, SCENE, ID, OUT)                                                           \
  X(mo_scene_get_bounds, SCENE, ID, OUT)                                                           \
  X(mo_scene_get_tight_bounds, SCENE, ID, OUT)                                                     \
  X(mo_scene_get_shapes, SCENE, LIST)                                                              \
  X(mo_scene_get_body_shapes, SCENE, BYTE, LIST)                                                   \
  X(mo_scene_get_stats, SCENE, OUT)                                                                \
  X(mo_scene_validate, SCENE)                                                                      \
  X(mo_scene_cast_sphere, SCENE, BALL_CAST, OUT, STATS)                                            \
  X(mo_mesh_cast_sphere, MESH, BALL_CAST, OUT, STATS)                                              \
  X(mo_scene_test_sphere_cast, SCENE, BALL_CAST, OUT, STATS)                                       \
  X(mo_mesh_test_sphere_cast, MESH, BALL_CAST, OUT, STATS)                                         \
  X(mo_scene_cast_sphere_all, SCENE, BALL_CAST, LIST, STATS)                                       \
  X(mo_mesh_cast_sphere_all, MESH, BALL_CAST, LIST, STATS)                                         \
  X(mo_scene_cast_shape, SCENE, SHAPE_CAST, OUT, STATS)                                            \
  X(mo_mesh_cast_shape, MESH, SHAPE_CAST, OUT, STATS)                                              \
  X(mo_scene_test_shape_cast, SCENE, SHAPE_CAST, OUT, STATS)                                       \
  X(mo_mesh_test_shape_cast, MESH, SHAPE_CAST, OUT, STATS)                                         \
  X(mo_scene_cast_shape_all, SCENE, SHAPE_CAST, LIST, STATS)                                       \
  X(mo_mesh_cast_shape_all, MESH, SHAPE_CAST, LIST, STATS)                                         \
  X(mo_scene_find_separation, SCENE, SHAPE_CAST, OUT, STATS)                                       \
  X(mo_mesh_find_separation, MESH, SHAPE_CAST, OUT, STATS)                                         \
  X(mo_mesh_find_separation_mesh, MESH, fuzz_any_separation_mesh(w), OUT, STATS)                   \
  X(mo_character_move, SCENE, fuzz_any_character(w), OUT, STATS)                                   \
  X(mo_character_move_allowed, SCENE, fuzz_any_character(w), OUT, STATS)                           \
  X(mo_collide, SOLID, SOLID, fuzz_any_collide(w), OUT)                                            \
  X(mo_scene_collide_pair, SCENE, PAIR_LIST, fuzz_any_collide(w), LIST)                            \
  X(mo_scene_collide_shape, SCENE, fuzz_any_collide_shape(w), LIST, STATS)                         \
  X(mo_contact_tracker_update, CONTACTS, OUT)                                                      \
  X(mo_contact_tracker_restore, CONTACTS, fuzz_any_saved(w), fuzz_below(&w->b, 5), OUT)            \
  X(mo_contact_tracker_refresh_shape, CONTACTS, ID)                                                \
  X(mo_contact_tracker_find, CONTACTS, PAIR_LIST, OUT, OUT)                                        \
  X(mo_contact_tracker_wake, CONTACTS, IDS, COUNT, OUT)                                            \
  X(mo_contact_tracker_get_resting_contacts, CONTACTS, ID, LIST)                                   \
  X(mo_contact_tracker_find_sleepers, CONTACTS, IDS, COUNT, LIST)                                  \
  X(mo_contact_tracker_set_joints, CONTACTS, PAIR_LIST, COUNT)                                     \
  X(mo_contact_tracker_find_islands, CONTACTS, OUT)                                                \
  X(mo_contact_tracker_get_stats, CONTACTS, OUT)                                                   \
  X(mo_find_impact, SOLID, fuzz_any_movement(w), SOLID, fuzz_any_movement(w), fuzz_any_impact(w),  \
    OUT)                                                                                           \
  X(mo_mesh_find_impact_mesh, MESH, fuzz_any_impact_mesh(w), OUT, STATS)                           \
  X(mo_scene_find_impacts, SCENE, fuzz_any_impact_search(w), OUT, BAD, STATS)                      \
  X(mo_scene_find_crossings, SCENE, fuzz_any_impact_search(w), LIST, BAD)                          \
  X(mo_scene_draw_buffers, SCENE, fuzz_any_debug(w), fuzz_any_buffers(w))                          \
  X(mo_mesh_draw_buffers, MESH, fuzz_any_debug(w), fuzz_any_buffers(w))                            \
  X(mo_mesh_closest_point, MESH, VEC3, FLOAT, OUT, STATS)                                          \
  X(mo_mesh_winding_number, MESH, VEC3, OUT, STATS)                                                \
  X(mo_mesh_signed_distance, MESH, VEC3, FLOAT, OUT, STATS)                                        \
  X(mo_scene_closest_point, SCENE, fuzz_any_closest(w), OUT, STATS)                                \
  X(mo_scene_signed_distance, SCENE, fuzz_any_closest(w), OUT, STATS)                              \
  X(mo_scene_find_closest, SCENE, DISTANCE, OUT, STATS)                                            \
  X(mo_mesh_find_closest, MESH, DISTANCE, OUT, STATS)                                              \
  X(mo_mesh_find_closest_mesh, MESH, fuzz_any_distance_mesh(w), OUT, STATS)                        \
  X(mo_mesh_test_within_mesh, MESH, fuzz_any_distance_mesh(w), OUT, STATS)                         \
  X(mo_scene_find_within, SCENE, DISTANCE, LIST, STATS)                                            \
  X(mo_mesh_find_within, MESH, DISTANCE, LIST, STATS)                                              \
  X(mo_scene_find_closest_few, SCENE, DISTANCE, LIST, STATS)                                       \
  X(mo_mesh_find_closest_few, MESH, DISTANCE, LIST, STATS)                                         \
  X(mo_primitive_cast_ray, SOLID, VEC3, VEC3, FLOAT, OUT)                                          \
  X(mo_primitive_overlap, SOLID, SOLID, OUT)                                                       \
  X(mo_primitive_find_distance, SOLID, SOLID, (double)FLOAT, OUT)                                  \
  X(mo_primitive_find_penetration, SOLID, SOLID, OUT)                                              \
  X(mo_primitive_find_signed_distance, SOLID, SOLID, (double)FLOAT, OUT)                           \
  X(mo_primitive_cast, SOLID, SOLID, VEC3, BYTE & 1, OUT)                                          \
  X(mo_primitive_closest_point, SOLID, VEC3, (double)FLOAT, OUT)                                   \
  X(mo_hull_get_info, HULL, OUT)                                                                   \
  X(mo_hull_get_vertices, HULL, LIST)                                                              \
  X(mo_hull_get_face, HULL, BYTE, OUT, OUT, COUNT)                                                 \
  X(mo_hull_get_edges, HULL, LIST)                                                                 \
  X(mo_hull_get_neighbors, HULL, BYTE, LIST)                                                       \
  X(mo_hull_validate, HULL)                                                                        \
  X(mo_geometry_get_mass_properties, fuzz_any_geometry(w), MAPS, OUT)                              \
  X(mo_transform_from_matrix, MATRIX, OUT)                                                         \
  X(mo_transform_inverse, MAPS, OUT)                                                               \
  X(mo_frustum_planes, MATRIX, OUT)                                                                \
  X(mo_frustum_corners, MATRIX, OUT)                                                               \
  X(mo_mesh_insert_triangles, MESH, POINTS, fuzz_below(&w->b, 4), NULL, OUT, BAD)                  \
  X(mo_mesh_refit, MESH, POINTS, BYTE, fuzz_below(&w->b, 6), OUT, BAD)                             \
  X(mo_mesh_rebuild_parts, MESH, fuzz_any_rebuild(w), OUT)                                         \
  X(mo_mesh_edit, MESH, fuzz_any_mesh_edit(w))                                                     \
  X(mo_mesh_edit_heights, MESH, fuzz_any_height_edit(w))                                           \
  X(mo_swept_mesh_move, SWEPT, POINTS, POINTS, BYTE, fuzz_below(&w->b, 6), OUT, BAD)               \
  X(mo_swept_mesh_rebuild_parts, SWEPT, fuzz_any_rebuild(w), OUT)                                  \
  X(mo_swept_mesh_find_impact, SWEPT, fuzz_any_swept_impact(w), OUT, STATS)                        \
  X(mo_swept_mesh_find_impacts, SWEPT, fuzz_any_swept_impact(w), LIST, STATS)                      \
  X(mo_swept_mesh_validate, SWEPT)                                                                 \
  X(mo_mesh_get_triangle, MESH, BYTE, OUT, OUT)                                                    \
  X(mo_mesh_get_edges, MESH, BYTE, OUT)                                                            \
  X(mo_mesh_get_stats, MESH, OUT)                                                                  \
  X(mo_mesh_validate, MESH)                                                                        \
  X(mo_primitive_cast_turning, SOLID, SOLID, fuzz_any_movement(w), BYTE & 1, OUT)                  \
  X(mo_movement_between, MAPS, MAPS, OUT)                                                          \
  X(mo_movement_transform, fuzz_any_movement(w), FLOAT, MAPS, OUT)                                 \
  X(mo_near_def_of_shape, SCENE, ID, OUT)                                                          \
  X(mo_scene_find_near, SCENE, fuzz_any_near(w), LIST, STATS)                                      \
  X(mo_scene_find_nearest, SCENE, fuzz_any_near(w), LIST, STATS)                                   \
  X(mo_scene_find_near_pairs, SCENE, FLOAT, PAIR_QUERY, LIST)                                      \
  X(mo_scene_find_levels, SCENE, fuzz_any_levels(w), LIST, STATS)                                  \
  X(mo_scene_shape_fits, SCENE, fuzz_any_fit(w), OUT, STATS)                                       \
  X(mo_scene_find_obstacles, SCENE, fuzz_any_fit(w), LIST, STATS)                                  \
  X(mo_scene_overlap_shapes, SCENE, OVERLAP, LIST, STATS)                                          \
  X(mo_scene_test_overlap, SCENE, OVERLAP, OUT, STATS)                                             \
  X(mo_scene_overlap_triangles, SCENE, OVERLAP, LIST, STATS)                                       \
  X(mo_scene_test_triangles, SCENE, OVERLAP, OUT, STATS)                                           \
  X(mo_mesh_overlap_triangles, MESH, OVERLAP, LIST, STATS)                                         \
  X(mo_mesh_test_overlap, MESH, OVERLAP, OUT, STATS)                                               \
  X(mo_mesh_overlap_aabb, MESH, fuzz_any_box(w), LIST, STATS)                                      \
  X(mo_mesh_overlap_sphere, MESH, fuzz_any_sphere(w), LIST, STATS)                                 \
  X(mo_mesh_overlap_primitive, MESH, SOLID, LIST, STATS)                                           \
  X(mo_mesh_overlap_mesh, MESH, fuzz_any_overlap_mesh(w), LIST, STATS)                             \
  X(mo_mesh_test_overlap_mesh, MESH, fuzz_any_overlap_mesh(w), OUT, STATS)                         \
  X(mo_mesh_get_overlap_segments, MESH, fuzz_any_overlap_mesh(w), OUT, COUNT, OUT)                 \
  X(mo_mesh_overlap_self, MESH, LIST, STATS)                                                       \
  X(mo_mesh_test_overlap_self, MESH, OUT, STATS)                                                   \
  X(mo_mesh_contains_point, MESH, VEC3, OUT, STATS)                                                \
  X(mo_scene_get_triangle, SCENE, ((mo_triangle_ref){ID, BYTE, BYTE}), OUT)                        \
  X(mo_pair_tracker_update, PAIRS, OUT)                                                            \
  X(mo_pair_tracker_get_pairs, PAIRS, LIST)                                                        \
  X(mo_pair_tracker_get_partners, PAIRS, ID, LIST)                                                 \
  X(mo_pair_tracker_get_stats, PAIRS, OUT)                                                         \
  X(mo_pair_tracker_validate, PAIRS)                                                               \
  X(mo_scene_find_pairs, SCENE, PAIR_QUERY, LIST)                                                  \
  X(mo_scene_find_pairs_between, SCENE, BYTE & 1 ? w->other : w->scene, PAIR_QUERY, LIST)          \
  X(mo_scene_get_pair_user_data, SCENE, PAIR_LIST, COUNT, OUT)                                     \
  X(mo_scene_cast_ray, SCENE, RAY, OUT, STATS)                                                     \
  X(mo_mesh_cast_ray, MESH, RAY, OUT, STATS)                                                       \
  X(mo_scene_test_ray, SCENE, RAY, OUT, STATS)                                                     \
  X(mo_mesh_test_ray, MESH, RAY, OUT, STATS)                                                       \
  X(mo_scene_cast_ray_all, SCENE, RAY, LIST, STATS)                                                \
  X(mo_mesh_cast_ray_all, MESH, RAY, LIST, STATS)                                                  \
  X(mo_scene_cast_ray_first, SCENE, RAY, LIST, STATS)                                              \
  X(mo_mesh_cast_ray_first, MESH, RAY, LIST, STATS)                                                \
  X(mo_scene_next_hit, SCENE, RAY, fuzz_any_cursor(w), OUT, STATS)                                 \
  X(mo_mesh_next_hit, MESH, RAY, fuzz_any_cursor(w), OUT, STATS)                                   \
  X(mo_scene_line_of_sight, SCENE, VEC3, VEC3, fuzz_any_filter(w), OUT, STATS)                     \
  X(mo_scene_height_below, SCENE, VEC3, VEC3, fuzz_any_filter(w), OUT, STATS)                      \
  X(mo_scene_find_ground, SCENE, RAY, OUT, STATS)                                                  \
  X(mo_scene_cull_planes, SCENE, fuzz_any_cull(w), LIST, STATS)                                    \
  X(mo_mesh_cull_planes, MESH, fuzz_any_cull(w), LIST, STATS)                                      \
  X(mo_watch_add_region, WATCH, fuzz_any_region_def(w), OUT)                                       \
  X(mo_watch_remove_region, WATCH, REGION)                                                         \
  X(mo_watch_set_form, WATCH, REGION, fuzz_any_region_form(w))                                     \
  X(mo_watch_set_filter, WATCH, REGION, fuzz_any_filter(w))                                        \
  X(mo_watch_get_region, WATCH, REGION, OUT)                                                       \
  X(mo_watch_update, WATCH, OUT)                                                                   \
  X(mo_watch_get_shapes, WATCH, REGION, LIST)                                                      \
  X(mo_watch_get_regions, WATCH, ID, LIST)                                                         \
  X(mo_watch_get_stats, WATCH, OUT)                                                                \
  X(mo_watch_validate, WATCH)

/* The same for functions that call back, whose callbacks are those of refusals.c. */
#define FUZZ_VISITS(X)                                                                             \
  X(mo_scene_visit_overlaps, SCENE, OVERLAP, visit_shape, w, STATS)                                \
  X(mo_scene_visit_triangles, SCENE, OVERLAP, visit_triangle, w, STATS)                            \
  X(mo_mesh_visit_triangles, MESH, OVERLAP, visit_triangle, w, STATS)                              \
  X(mo_swept_mesh_visit_impacts, SWEPT, fuzz_any_swept_impact(w), visit_impact, w, STATS)          \
  X(mo_mesh_visit_overlap_mesh, MESH, fuzz_any_overlap_mesh(w), visit_triangle_pair, w, STATS)     \
  X(mo_mesh_visit_overlap_self, MESH, visit_triangle_pair, w, STATS)                               \
  X(mo_scene_visit_shape_triangles, SCENE, ID, visit_triangle, w)                                  \
  X(mo_scene_visit_closest, SCENE, DISTANCE, visit_closest, w, STATS)                              \
  X(mo_mesh_visit_closest, MESH, DISTANCE, visit_closest, w, STATS)                                \
  X(mo_scene_visit_nearest, SCENE, fuzz_any_near(w), visit_nearest, w, STATS)                      \
  X(mo_scene_visit_near_pairs, SCENE, FLOAT, PAIR_QUERY, visit_pair, w)                            \
  X(mo_scene_visit_pairs, SCENE, PAIR_QUERY, visit_pair, w)                                        \
  X(mo_scene_visit_pairs_between, SCENE, BYTE & 1 ? w->other : w->scene, PAIR_QUERY, visit_pair,   \
    w)                                                                                             \
  X(mo_scene_visit_cells, SCENE, fuzz_any_cells(w), visit_cell, w, OUT, STATS)                     \
  X(mo_scene_draw, SCENE, fuzz_any_debug(w), BYTE == 255 ? NULL : &sink)                           \
  X(mo_mesh_draw, MESH, fuzz_any_debug(w), BYTE == 255 ? NULL : &sink)

#define FUZZ_LOOSE_CALLS(X)                                                                        \
  X(mo_mesh_cast_rays, MESH, fuzz_any_batch(w), fuzz_any_batch_output(w), BAD, STATS)              \
  X(mo_mesh_test_rays, MESH, fuzz_any_batch(w), fuzz_any_batch_output(w), BAD, STATS)              \
  X(mo_scene_cast_rays, SCENE, fuzz_any_batch(w), fuzz_any_batch_output(w), BAD, STATS)            \
  X(mo_scene_test_rays, SCENE, fuzz_any_batch(w), fuzz_any_batch_output(w), BAD, STATS)            \
  X(mo_scene_lines_of_sight, SCENE, fuzz_any_batch(w), fuzz_any_batch_output(w), BAD, STATS)       \
  X(mo_scene_run_queries, SCENE, fuzz_any_query_batch(w), BAD, STATS)                              \
  X(mo_mesh_run_queries, MESH, fuzz_any_query_batch(w), BAD, STATS)

#endif
