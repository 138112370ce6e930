/* Batches of queries answer as the functions for one query do, bit for bit: every type of query, on
 * scenes of several kinds and on meshes, by no tasks, by tasks run backwards and by one to eight
 * threads; defs and answers with and without gaps, lists of any capacity. And of queries that are
 * refused, the first is named. A plain program, because Criterion does not start under the thread
 * sanitizer. */
#include <motte/query_batch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "scene/scene.h"
#include "support/check.h"
#include "support/plain.h"
#include "support/scenes.h"
#include "support/task_order.h"

enum { TYPES = MO_QUERY_FIND_SEPARATION_MESH + 1, MAX = 600, ELEMENTS = 8192, WORKERS = 8 };

/* A def of any type, with what it points to. */
typedef struct question {
  char gap[8];
  union {
    mo_overlap_def overlap;
    mo_vec3 point;
    mo_sphere_cast_def sphere;
    mo_shape_cast_def shape;
    mo_closest_def closest;
    mo_distance_def distance;
    mo_ray_def ray;
    mo_cull_def cull;
    mo_near_def near;
    mo_level_def levels;
    mo_fit_def fit;
    mo_character_def character;
    mo_overlap_mesh_def overlap_mesh;
    mo_distance_mesh_def distance_mesh;
    mo_separation_mesh_def separation_mesh;
  } def;
  mo_plane planes[8];
  float thresholds[3];
  mo_shape_def placed;
} question;

typedef union any_answer {
  bool yes;
  mo_cast_hit cast;
  mo_closest_hit closest;
  mo_ray_hit ray;
  mo_ground ground;
  mo_near_shape near;
  mo_character_move_result move;
  mo_separation separation;
  mo_closest_hit both[2];
  mo_triangle_pair pair;
  mo_mesh_separation meshes;
} any_answer;

static test_scene scene;
static question questions[MAX];
static char plain_defs[MAX * sizeof(question)]; /* without gaps */
static size_t offsets[MAX + 1];
static uint32_t totals[MAX], expected_totals[MAX];
static any_answer answers[ELEMENTS], expected[ELEMENTS];
static uint32_t wrong;

/* Where queries go. */
typedef struct subject {
  mo_scene *scene;
  mo_mesh *mesh;
} subject;

static subject asked;

static size_t def_size(mo_query_type type) {
  static const size_t sizes[TYPES] = {
      [MO_QUERY_TEST_OVERLAP] = sizeof(mo_overlap_def),
      [MO_QUERY_OVERLAP_SHAPES] = sizeof(mo_overlap_def),
      [MO_QUERY_TEST_TRIANGLES] = sizeof(mo_overlap_def),
      [MO_QUERY_OVERLAP_TRIANGLES] = sizeof(mo_overlap_def),
      [MO_QUERY_CONTAINS_POINT] = sizeof(mo_vec3),
      [MO_QUERY_CAST_SPHERE] = sizeof(mo_sphere_cast_def),
      [MO_QUERY_TEST_SPHERE_CAST] = sizeof(mo_sphere_cast_def),
      [MO_QUERY_CAST_SPHERE_ALL] = sizeof(mo_sphere_cast_def),
      [MO_QUERY_CAST_SHAPE] = sizeof(mo_shape_cast_def),
      [MO_QUERY_TEST_SHAPE_CAST] = sizeof(mo_shape_cast_def),
      [MO_QUERY_CAST_SHAPE_ALL] = sizeof(mo_shape_cast_def),
      [MO_QUERY_FIND_SEPARATION] = sizeof(mo_shape_cast_def),
      [MO_QUERY_CLOSEST_POINT] = sizeof(mo_closest_def),
      [MO_QUERY_SIGNED_DISTANCE] = sizeof(mo_closest_def),
      [MO_QUERY_WINDING_NUMBER] = sizeof(mo_vec3),
      [MO_QUERY_FIND_CLOSEST] = sizeof(mo_distance_def),
      [MO_QUERY_FIND_WITHIN] = sizeof(mo_distance_def),
      [MO_QUERY_FIND_CLOSEST_FEW] = sizeof(mo_distance_def),
      [MO_QUERY_CAST_RAY_ALL] = sizeof(mo_ray_def),
      [MO_QUERY_CAST_RAY_FIRST] = sizeof(mo_ray_def),
      [MO_QUERY_FIND_GROUND] = sizeof(mo_ray_def),
      [MO_QUERY_CULL_PLANES] = sizeof(mo_cull_def),
      [MO_QUERY_FIND_NEAR] = sizeof(mo_near_def),
      [MO_QUERY_FIND_NEAREST] = sizeof(mo_near_def),
      [MO_QUERY_FIND_LEVELS] = sizeof(mo_level_def),
      [MO_QUERY_SHAPE_FITS] = sizeof(mo_fit_def),
      [MO_QUERY_FIND_OBSTACLES] = sizeof(mo_fit_def),
      [MO_QUERY_MOVE_CHARACTER] = sizeof(mo_character_def),
      [MO_QUERY_MOVE_ALLOWED] = sizeof(mo_character_def),
      [MO_QUERY_TEST_OVERLAP_MESH] = sizeof(mo_overlap_mesh_def),
      [MO_QUERY_OVERLAP_MESH] = sizeof(mo_overlap_mesh_def),
      [MO_QUERY_FIND_CLOSEST_MESH] = sizeof(mo_distance_mesh_def),
      [MO_QUERY_TEST_WITHIN_MESH] = sizeof(mo_distance_mesh_def),
      [MO_QUERY_FIND_SEPARATION_MESH] = sizeof(mo_separation_mesh_def),
  };
  return sizes[type];
}

/* 0 where an answer is no list. */
static size_t element_size(mo_query_type type) {
  switch (type) {
  case MO_QUERY_OVERLAP_SHAPES:
  case MO_QUERY_FIND_OBSTACLES:
    return sizeof(mo_shape_id);
  case MO_QUERY_OVERLAP_TRIANGLES:
    return asked.mesh != NULL ? sizeof(uint32_t) : sizeof(mo_triangle_ref);
  case MO_QUERY_CAST_SPHERE_ALL:
  case MO_QUERY_CAST_SHAPE_ALL:
    return sizeof(mo_cast_hit);
  case MO_QUERY_CAST_RAY_ALL:
  case MO_QUERY_CAST_RAY_FIRST:
    return sizeof(mo_ray_hit);
  case MO_QUERY_FIND_WITHIN:
  case MO_QUERY_FIND_CLOSEST_FEW:
    return sizeof(mo_closest_hit);
  case MO_QUERY_CULL_PLANES:
    return asked.mesh != NULL ? sizeof(uint32_t) : sizeof(mo_cull_result);
  case MO_QUERY_FIND_NEAR:
  case MO_QUERY_FIND_NEAREST:
    return sizeof(mo_near_shape);
  case MO_QUERY_FIND_LEVELS:
    return sizeof(mo_level_result);
  case MO_QUERY_OVERLAP_MESH:
    return sizeof(mo_triangle_pair);
  default:
    return 0;
  }
}

static size_t answer_size(mo_query_type type) {
  switch (type) {
  case MO_QUERY_CAST_SPHERE:
  case MO_QUERY_CAST_SHAPE:
    return sizeof(mo_cast_hit);
  case MO_QUERY_CLOSEST_POINT:
  case MO_QUERY_SIGNED_DISTANCE:
  case MO_QUERY_FIND_CLOSEST:
    return sizeof(mo_closest_hit);
  case MO_QUERY_FIND_SEPARATION:
    return sizeof(mo_separation);
  case MO_QUERY_WINDING_NUMBER:
    return sizeof(int32_t);
  case MO_QUERY_MOVE_CHARACTER:
    return sizeof(mo_character_move_result);
  case MO_QUERY_FIND_GROUND:
    return sizeof(mo_ground);
  case MO_QUERY_FIND_CLOSEST_MESH:
    return sizeof(mo_closest_hit[2]);
  case MO_QUERY_FIND_SEPARATION_MESH:
    return sizeof(mo_mesh_separation);
  default:
    return element_size(type) != 0 ? element_size(type) : sizeof(bool);
  }
}

/* One query by the function for one. */
static mo_result ask_mesh(mo_query_type type, const void *def, void *items, uint32_t capacity,
                          uint32_t *total, mo_query_stats *stats) {
  const mo_mesh *mesh = asked.mesh;
  const mo_closest_def *closest = def;
  switch (type) {
  case MO_QUERY_TEST_OVERLAP:
  case MO_QUERY_TEST_TRIANGLES:
    return mo_mesh_test_overlap(mesh, def, items, stats);
  case MO_QUERY_OVERLAP_TRIANGLES:
    return mo_mesh_overlap_triangles(mesh, def, items, capacity, total, stats);
  case MO_QUERY_CONTAINS_POINT:
    return mo_mesh_contains_point(mesh, *(const mo_vec3 *)def, items, stats);
  case MO_QUERY_CAST_SPHERE:
    return mo_mesh_cast_sphere(mesh, def, items, stats);
  case MO_QUERY_TEST_SPHERE_CAST:
    return mo_mesh_test_sphere_cast(mesh, def, items, stats);
  case MO_QUERY_CAST_SPHERE_ALL:
    return mo_mesh_cast_sphere_all(mesh, def, items, capacity, total, stats);
  case MO_QUERY_CAST_SHAPE:
    return mo_mesh_cast_shape(mesh, def, items, stats);
  case MO_QUERY_TEST_SHAPE_CAST:
    return mo_mesh_test_shape_cast(mesh, def, items, stats);
  case MO_QUERY_CAST_SHAPE_ALL:
    return mo_mesh_cast_shape_all(mesh, def, items, capacity, total, stats);
  case MO_QUERY_FIND_SEPARATION:
    return mo_mesh_find_separation(mesh, def, items, stats);
  case MO_QUERY_CLOSEST_POINT:
    return mo_mesh_closest_point(mesh, closest->point, closest->max_distance, items, stats);
  case MO_QUERY_SIGNED_DISTANCE:
    return mo_mesh_signed_distance(mesh, closest->point, closest->max_distance, items, stats);
  case MO_QUERY_WINDING_NUMBER:
    return mo_mesh_winding_number(mesh, *(const mo_vec3 *)def, items, stats);
  case MO_QUERY_FIND_CLOSEST:
    return mo_mesh_find_closest(mesh, def, items, stats);
  case MO_QUERY_FIND_WITHIN:
    return mo_mesh_find_within(mesh, def, items, capacity, total, stats);
  case MO_QUERY_FIND_CLOSEST_FEW:
    return mo_mesh_find_closest_few(mesh, def, items, capacity, total, stats);
  case MO_QUERY_CAST_RAY_ALL:
    return mo_mesh_cast_ray_all(mesh, def, items, capacity, total, stats);
  case MO_QUERY_CAST_RAY_FIRST:
    return mo_mesh_cast_ray_first(mesh, def, items, capacity, total, stats);
  case MO_QUERY_CULL_PLANES:
    return mo_mesh_cull_planes(mesh, def, items, capacity, total, stats);
  case MO_QUERY_TEST_OVERLAP_MESH:
    return mo_mesh_test_overlap_mesh(mesh, def, items, stats);
  case MO_QUERY_OVERLAP_MESH:
    return mo_mesh_overlap_mesh(mesh, def, items, capacity, total, stats);
  case MO_QUERY_FIND_CLOSEST_MESH:
    return mo_mesh_find_closest_mesh(mesh, def, items, stats);
  case MO_QUERY_TEST_WITHIN_MESH:
    return mo_mesh_test_within_mesh(mesh, def, items, stats);
  case MO_QUERY_FIND_SEPARATION_MESH:
    return mo_mesh_find_separation_mesh(mesh, def, items, stats);
  default:
    return MO_ERROR_UNSUPPORTED;
  }
}

static mo_result ask(mo_query_type type, const void *def, void *items, uint32_t capacity,
                     uint32_t *total, mo_query_stats *stats) {
  const mo_scene *of = asked.scene;
  if (of == NULL) {
    return ask_mesh(type, def, items, capacity, total, stats);
  }
  switch (type) {
  case MO_QUERY_TEST_OVERLAP:
    return mo_scene_test_overlap(of, def, items, stats);
  case MO_QUERY_OVERLAP_SHAPES:
    return mo_scene_overlap_shapes(of, def, items, capacity, total, stats);
  case MO_QUERY_TEST_TRIANGLES:
    return mo_scene_test_triangles(of, def, items, stats);
  case MO_QUERY_OVERLAP_TRIANGLES:
    return mo_scene_overlap_triangles(of, def, items, capacity, total, stats);
  case MO_QUERY_CONTAINS_POINT:
  case MO_QUERY_WINDING_NUMBER:
  case MO_QUERY_TEST_OVERLAP_MESH:
  case MO_QUERY_OVERLAP_MESH:
  case MO_QUERY_FIND_CLOSEST_MESH:
  case MO_QUERY_TEST_WITHIN_MESH:
  case MO_QUERY_FIND_SEPARATION_MESH:
    return MO_ERROR_UNSUPPORTED;
  case MO_QUERY_CAST_SPHERE:
    return mo_scene_cast_sphere(of, def, items, stats);
  case MO_QUERY_TEST_SPHERE_CAST:
    return mo_scene_test_sphere_cast(of, def, items, stats);
  case MO_QUERY_CAST_SPHERE_ALL:
    return mo_scene_cast_sphere_all(of, def, items, capacity, total, stats);
  case MO_QUERY_CAST_SHAPE:
    return mo_scene_cast_shape(of, def, items, stats);
  case MO_QUERY_TEST_SHAPE_CAST:
    return mo_scene_test_shape_cast(of, def, items, stats);
  case MO_QUERY_CAST_SHAPE_ALL:
    return mo_scene_cast_shape_all(of, def, items, capacity, total, stats);
  case MO_QUERY_FIND_SEPARATION:
    return mo_scene_find_separation(of, def, items, stats);
  case MO_QUERY_CLOSEST_POINT:
    return mo_scene_closest_point(of, def, items, stats);
  case MO_QUERY_SIGNED_DISTANCE:
    return mo_scene_signed_distance(of, def, items, stats);
  case MO_QUERY_FIND_CLOSEST:
    return mo_scene_find_closest(of, def, items, stats);
  case MO_QUERY_FIND_WITHIN:
    return mo_scene_find_within(of, def, items, capacity, total, stats);
  case MO_QUERY_FIND_CLOSEST_FEW:
    return mo_scene_find_closest_few(of, def, items, capacity, total, stats);
  case MO_QUERY_CAST_RAY_ALL:
    return mo_scene_cast_ray_all(of, def, items, capacity, total, stats);
  case MO_QUERY_CAST_RAY_FIRST:
    return mo_scene_cast_ray_first(of, def, items, capacity, total, stats);
  case MO_QUERY_FIND_GROUND:
    return mo_scene_find_ground(of, def, items, stats);
  case MO_QUERY_CULL_PLANES:
    return mo_scene_cull_planes(of, def, items, capacity, total, stats);
  case MO_QUERY_FIND_NEAR:
    return mo_scene_find_near(of, def, items, capacity, total, stats);
  case MO_QUERY_FIND_NEAREST:
    return mo_scene_find_nearest(of, def, items, capacity, total, stats);
  case MO_QUERY_FIND_LEVELS:
    return mo_scene_find_levels(of, def, items, capacity, total, stats);
  case MO_QUERY_SHAPE_FITS:
    return mo_scene_shape_fits(of, def, items, stats);
  case MO_QUERY_FIND_OBSTACLES:
    return mo_scene_find_obstacles(of, def, items, capacity, total, stats);
  case MO_QUERY_MOVE_CHARACTER:
    return mo_character_move(of, def, items, stats);
  case MO_QUERY_MOVE_ALLOWED:
    return mo_character_move_allowed(of, def, items, stats);
  }
  return MO_ERROR_UNSUPPORTED;
}

/* --- random questions --- */

static mo_primitive some_primitive(rng *r, const sample_target *target) {
  if (rng_chance(r, 0.1)) {
    return sample_half_space(r, target);
  }
  mo_geometry geometry = test_scene_geometry(&scene, r);
  mo_transform transform = test_scene_transform(&scene, r);
  transform.origin = sample_point(r, target);
  return geometry.type != MO_SHAPE_MESH || rng_chance(r, 0.3)
             ? mo_primitive_of_geometry(&geometry, &transform)
             : mo_primitive_of_triangle(transform.origin, target->corners[0], target->corners[1]);
}

static void set_question(question *q, mo_query_type type, rng *r) {
  sample_target target = test_scene_target(&scene, r);
  mo_vec3 point = sample_point(r, &target), to = sample_point(r, &target);
  switch (type) {
  case MO_QUERY_TEST_OVERLAP:
  case MO_QUERY_OVERLAP_SHAPES:
  case MO_QUERY_TEST_TRIANGLES:
  case MO_QUERY_OVERLAP_TRIANGLES:
    q->def.overlap = rng_chance(r, 0.3)   ? mo_overlap_primitive_def(some_primitive(r, &target))
                     : rng_chance(r, 0.5) ? mo_overlap_aabb_def(sample_box(r, &target))
                                          : mo_overlap_sphere_def(sample_sphere(r, &target));
    break;
  case MO_QUERY_CONTAINS_POINT:
  case MO_QUERY_WINDING_NUMBER:
    q->def.point = point;
    break;
  case MO_QUERY_CAST_SPHERE:
  case MO_QUERY_TEST_SPHERE_CAST:
  case MO_QUERY_CAST_SPHERE_ALL:
    q->def.sphere = mo_default_sphere_cast_def();
    q->def.sphere.sphere = sample_sphere(r, &target);
    q->def.sphere.displacement = mo_sub(to, point);
    break;
  case MO_QUERY_CAST_SHAPE:
  case MO_QUERY_TEST_SHAPE_CAST:
  case MO_QUERY_CAST_SHAPE_ALL:
  case MO_QUERY_FIND_SEPARATION:
    q->def.shape = mo_default_shape_cast_def();
    q->def.shape.primitive = some_primitive(r, &target);
    q->def.shape.displacement = mo_sub(to, point);
    break;
  case MO_QUERY_CLOSEST_POINT:
  case MO_QUERY_SIGNED_DISTANCE:
    q->def.closest = mo_default_closest_def();
    q->def.closest.point = point;
    break;
  case MO_QUERY_FIND_CLOSEST:
  case MO_QUERY_FIND_WITHIN:
  case MO_QUERY_FIND_CLOSEST_FEW:
    q->def.distance = mo_default_distance_def();
    q->def.distance.primitive = some_primitive(r, &target);
    q->def.distance.max_distance = rng_float(r, 0, 2);
    break;
  case MO_QUERY_CAST_RAY_ALL:
  case MO_QUERY_CAST_RAY_FIRST:
  case MO_QUERY_FIND_GROUND:
    q->def.ray = sample_any_ray(r, &target);
    break;
  case MO_QUERY_CULL_PLANES:
    q->def.cull = mo_default_cull_def();
    q->def.cull.plane_count = sample_planes(r, &target, q->planes);
    q->def.cull.planes = q->planes;
    break;
  case MO_QUERY_FIND_NEAR:
  case MO_QUERY_FIND_NEAREST:
    q->def.near = mo_default_near_def();
    q->def.near.from = sample_box(r, &target);
    q->def.near.max_distance = rng_float(r, 0, 3);
    break;
  case MO_QUERY_FIND_LEVELS:
    q->def.levels = mo_default_level_def();
    q->def.levels.eye = point;
    q->thresholds[0] = rng_float(r, 0, 1);
    q->thresholds[1] = q->thresholds[0] + rng_float(r, 0, 2);
    q->thresholds[2] = q->thresholds[1] + rng_float(r, 0, 4);
    q->def.levels.thresholds = q->thresholds;
    q->def.levels.level_count = 3;
    break;
  case MO_QUERY_SHAPE_FITS:
  case MO_QUERY_FIND_OBSTACLES:
    q->placed = mo_default_shape_def(MO_SHAPE_BOX);
    q->placed.geometry = test_scene_geometry(&scene, r);
    q->placed.transform.origin = point;
    q->def.fit = mo_default_fit_def();
    q->def.fit.shape = &q->placed;
    break;
  case MO_QUERY_MOVE_CHARACTER:
  case MO_QUERY_MOVE_ALLOWED:
    q->def.character = mo_default_character_def();
    q->def.character.primitive = mo_primitive_of_geometry(
        &(mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {point, rng_float(r, 0.1f, 0.5f)}},
        &(mo_transform){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}});
    q->def.character.displacement = mo_scale(0.2f, mo_sub(to, point));
    break;
  case MO_QUERY_TEST_OVERLAP_MESH:
  case MO_QUERY_OVERLAP_MESH:
    q->def.overlap_mesh = mo_default_overlap_mesh_def();
    q->def.overlap_mesh.other = scene.meshes[1];
    q->def.overlap_mesh.other_transform = rng_transform(r, RNG_SHEAR, 1);
    break;
  case MO_QUERY_FIND_CLOSEST_MESH:
  case MO_QUERY_TEST_WITHIN_MESH:
    q->def.distance_mesh = mo_default_distance_mesh_def();
    q->def.distance_mesh.other = scene.meshes[1];
    q->def.distance_mesh.other_transform = rng_transform(r, RNG_SHEAR, 3);
    q->def.distance_mesh.max_distance = rng_float(r, 0, 2);
    break;
  case MO_QUERY_FIND_SEPARATION_MESH:
    q->def.separation_mesh = mo_default_separation_mesh_def();
    q->def.separation_mesh.other = scene.meshes[1];
    q->def.separation_mesh.other_transform = rng_transform(r, RNG_RIGID, 2);
    break;
  }
}

/* Legal questions; those that go too far are drawn again. */
static void make_questions(mo_query_type type, uint32_t count, rng *r) {
  for (uint32_t i = 0; i < count; i++) {
    question *q = &questions[i];
    any_answer one;
    do {
      set_question(q, type, r);
    } while (ask(type, &q->def, element_size(type) != 0 ? NULL : (void *)&one, 0, &totals[0],
                 NULL) != MO_OK);
    memcpy(plain_defs + i * def_size(type), &q->def, def_size(type));
  }
}

/* --- comparing --- */

#define SAME(member) (memcmp(&a->member, &b->member, sizeof a->member) == 0)

static bool same_cast(const mo_cast_hit *a, const mo_cast_hit *b) {
  return a->found == b->found &&
         (!a->found ||
          (SAME(shape) && SAME(user_data) && SAME(triangle) && SAME(triangle_user_data) &&
           SAME(t) && SAME(point) && SAME(normal) && SAME(depth) && SAME(feature) &&
           SAME(feature_index) && SAME(own_feature) && SAME(own_feature_index)));
}

static bool same_closest(const mo_closest_hit *a, const mo_closest_hit *b) {
  return a->found == b->found &&
         (!a->found ||
          (SAME(shape) && SAME(user_data) && SAME(triangle) && SAME(triangle_user_data) &&
           SAME(feature) && SAME(feature_index) && SAME(point) && SAME(normal) && SAME(distance) &&
           SAME(u) && SAME(v) && SAME(from)));
}

static bool same_culled(const mo_cull_result *a, const mo_cull_result *b) {
  return SAME(shape) && a->inside == b->inside;
}

static bool same_ground(const mo_ground *a, const mo_ground *b) {
  return a->height == b->height && a->hit.found == b->hit.found &&
         (!a->hit.found || check_same_hit(&a->hit, &b->hit));
}

static bool same_move(const mo_character_move_result *a, const mo_character_move_result *b) {
  return SAME(transform) && SAME(displacement) && a->standing == b->standing &&
         a->blocked == b->blocked && a->stepped == b->stepped && a->overlaps == b->overlaps &&
         SAME(touch_count) && a->ground.found == b->ground.found &&
         (!a->ground.found || (SAME(ground.height) && SAME(ground.slope) && SAME(ground.point) &&
                               SAME(ground.shape) && SAME(ground.triangle)));
}

static bool same_separation(const mo_separation *a, const mo_separation *b) {
  return a->overlaps == b->overlaps &&
         (!a->overlaps || (same_cast(&a->deepest, &b->deepest) && a->found == b->found &&
                           (!a->found || SAME(translation))));
}

static bool same_meshes(const mo_mesh_separation *a, const mo_mesh_separation *b) {
  return a->overlaps == b->overlaps &&
         (!a->overlaps || (SAME(depth) && a->found == b->found && SAME(translation)));
}

static bool same_answer(mo_query_type type, const void *a, const void *b) {
  switch (type) {
  case MO_QUERY_CAST_SPHERE:
  case MO_QUERY_CAST_SHAPE:
  case MO_QUERY_CAST_SPHERE_ALL:
  case MO_QUERY_CAST_SHAPE_ALL:
    return same_cast(a, b);
  case MO_QUERY_FIND_SEPARATION:
    return same_separation(a, b);
  case MO_QUERY_MOVE_CHARACTER:
    return same_move(a, b);
  case MO_QUERY_CLOSEST_POINT:
  case MO_QUERY_SIGNED_DISTANCE:
  case MO_QUERY_FIND_CLOSEST:
  case MO_QUERY_FIND_WITHIN:
  case MO_QUERY_FIND_CLOSEST_FEW:
    return same_closest(a, b);
  case MO_QUERY_FIND_CLOSEST_MESH:
    return same_closest(a, b) &&
           same_closest((const mo_closest_hit *)a + 1, (const mo_closest_hit *)b + 1);
  case MO_QUERY_FIND_SEPARATION_MESH:
    return same_meshes(a, b);
  case MO_QUERY_CAST_RAY_ALL:
  case MO_QUERY_CAST_RAY_FIRST:
    return check_same_hit(a, b);
  case MO_QUERY_FIND_GROUND:
    return same_ground(a, b);
  case MO_QUERY_CULL_PLANES:
    return asked.mesh != NULL ? memcmp(a, b, sizeof(uint32_t)) == 0 : same_culled(a, b);
  default:
    return memcmp(a, b, answer_size(type)) == 0;
  }
}

static void expect(bool ok, mo_query_type type, uint32_t index, const char *what) {
  if (!ok) {
    wrong++;
    printf("query %d of a %s, element %u: %s\n", (int)type, asked.mesh != NULL ? "mesh" : "scene",
           index, what);
  }
}

static bool same_counts(const mo_query_stats *a, const mo_query_stats *b) {
  return SAME(scene_node_count) && SAME(scene_block_count) && SAME(shape_count) &&
         SAME(mesh_node_count) && SAME(mesh_block_count) && SAME(triangle_count);
}

static mo_result run(const mo_query_batch *batch, size_t *first_bad, mo_query_stats *stats) {
  return asked.scene != NULL ? mo_scene_run_queries(asked.scene, batch, first_bad, stats)
                             : mo_mesh_run_queries(asked.mesh, batch, first_bad, stats);
}

static void set_tasks(mo_tasks tasks) {
  if (asked.scene != NULL) {
    asked.scene->host.tasks = tasks;
  } else {
    asked.mesh->host.tasks = tasks;
  }
}

/* The elements of a list, or the answer; beyond what was written, answers are as before. */
static void compare(const mo_query_batch *batch, size_t stride) {
  mo_query_type type = batch->query;
  bool list = element_size(type) != 0;
  for (uint32_t i = 0; i < batch->count; i++) {
    expect(!list || totals[i] == expected_totals[i], type, i, "another total");
    for (size_t k = offsets[i]; k < offsets[i + 1]; k++) {
      const char *a = (const char *)answers + k * stride;
      const char *b = (const char *)expected + k * stride;
      bool written = !list || k - offsets[i] < totals[i];
      expect(written ? same_answer(type, a, b) : memcmp(a, b, stride) == 0, type, i,
             "another answer");
    }
  }
}

static void check_batch(mo_query_type type, uint32_t count, mo_task_pool *const *pools, rng *r) {
  make_questions(type, count, r);
  bool list = element_size(type) != 0, gaps = rng_chance(r, 0.5), even = rng_chance(r, 0.3);
  size_t stride = list || rng_chance(r, 0.5) ? answer_size(type) : sizeof(any_answer);
  mo_query_batch batch =
      mo_query_batch_of(type, gaps ? (void *)&questions->def : plain_defs, count, answers);
  batch.def_stride = gaps ? sizeof *questions : 0;
  batch.answer_stride = stride == answer_size(type) && rng_chance(r, 0.5) ? 0 : stride;
  batch.totals = list ? totals : NULL;
  batch.capacity = even ? rng_below(r, 4) : 77;
  batch.offsets = even ? NULL : offsets;
  mo_query_stats sum = {0};
  memset(expected, 0x5a, sizeof expected);
  offsets[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t capacity = !list ? 1 : even ? batch.capacity : rng_below(r, 12);
    offsets[i + 1] = offsets[i] + capacity;
    void *items = (char *)expected + offsets[i] * stride;
    expect(ask(type, &questions[i].def, items, capacity, &expected_totals[i], &sum) == MO_OK, type,
           i, "refused alone");
  }
  for (uint32_t k = 0; k <= WORKERS + 1; k++) {
    set_tasks(k == 0         ? (mo_tasks){0}
              : k <= WORKERS ? mo_task_pool_tasks(pools[k - 1])
                             : tasks_backwards(4));
    mo_query_stats stats = {0};
    size_t bad = 7;
    memset(answers, 0x5a, sizeof answers);
    memset(totals, 0x5a, sizeof totals);
    expect(run(&batch, &bad, k == 2 ? &stats : NULL) == MO_OK && bad == 7, type, 0, "refused");
    expect(k != 2 || same_counts(&stats, &sum), type, 0, "other statistics");
    compare(&batch, stride);
  }
}

/* Some elements are spoiled: the first is named, whatever the tasks. */
static void check_refusal(mo_query_type type, uint32_t count, mo_task_pool *const *pools, rng *r) {
  make_questions(type, count, r);
  size_t first = count;
  uint32_t none = 0;
  for (int i = 0; i < 3; i++) {
    uint32_t which = rng_below(r, count);
    char *def = plain_defs + which * def_size(type);
    if (type == MO_QUERY_CONTAINS_POINT || type == MO_QUERY_WINDING_NUMBER) {
      ((mo_vec3 *)(void *)def)->y = NAN;
    } else { /* the cookie is the last member, but for padding */
      memset(def + def_size(type) - 8, 0, 8);
    }
    first = which < first ? which : first;
  }
  mo_query_batch batch = mo_query_batch_of(type, plain_defs, count, answers);
  batch.totals = totals;
  mo_result code = ask(type, plain_defs + first * def_size(type), answers, 0, &none, NULL);
  if (code == MO_OK && asked.mesh != NULL) {
    code = MO_ERROR_UNINITIALIZED_DEF; /* closest points, which take no def alone */
  }
  for (uint32_t k = 0; k <= WORKERS; k++) {
    set_tasks(k == 0 ? tasks_backwards(4) : mo_task_pool_tasks(pools[k - 1]));
    size_t bad = MO_NO_INDEX;
    expect(run(&batch, &bad, NULL) == code && bad == first, type, (uint32_t)first,
           "not refused, or not the first");
  }
  expect(code != MO_OK, type, (uint32_t)first, "not refused alone");
}

static void check_subject(subject of, mo_task_pool *const *pools, rng *r) {
  asked = of;
  for (int i = 0; i < TYPES; i++) {
    mo_query_type type = (mo_query_type)i;
    bool of_meshes_alone = type == MO_QUERY_CONTAINS_POINT || type == MO_QUERY_WINDING_NUMBER ||
                           type >= MO_QUERY_TEST_OVERLAP_MESH;
    bool of_meshes = of_meshes_alone || (type != MO_QUERY_OVERLAP_SHAPES &&
                                         type != MO_QUERY_FIND_GROUND && type < MO_QUERY_FIND_NEAR);
    if (of.scene != NULL ? of_meshes_alone : !of_meshes) {
      mo_query_batch batch = mo_query_batch_of(type, NULL, 0, NULL);
      expect(run(&batch, NULL, NULL) == MO_ERROR_INVALID_ARGUMENT, type, 0, "not refused");
      continue;
    }
    /* Of one type in tasks of all sizes; few of the others, as some take long. */
    uint32_t max = type == MO_QUERY_OVERLAP_TRIANGLES ? MAX
                   : type >= MO_QUERY_MOVE_CHARACTER  ? 4
                                                      : 24;
    check_batch(type, rng_below(r, 4), pools, r);
    check_batch(type, max / 2 + rng_below(r, max / 2), pools, r);
    check_refusal(type, 1 + rng_below(r, max), pools, r);
  }
  set_tasks((mo_tasks){0});
}

/* Visits of nodes are counted as one query after the other does, and the statistics still name the
 * caller's mesh afterwards, whatever the batch makes of it meanwhile. */
static void check_visits(mo_mesh *mesh, const mo_mesh *other, rng *r) {
  enum { COUNT = 40, NODES = 1 << 14 };
  static uint32_t visits[2][NODES];
  asked = (subject){.mesh = mesh};
  make_questions(MO_QUERY_CAST_RAY_FIRST, COUNT, r);
  for (int named = 0; named < 2; named++) {
    const mo_mesh *visited = named ? mesh : other;
    memset(visits, 0, sizeof visits);
    mo_query_stats stats[2];
    for (int k = 0; k < 2; k++) {
      stats[k] = (mo_query_stats){
          .mesh_visits = visits[k], .mesh_visit_capacity = NODES, .visited_mesh = visited};
    }
    uint32_t visit_count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
      uint32_t total;
      expect(ask(MO_QUERY_CAST_RAY_FIRST, &questions[i].def, expected, 1, &total, &stats[0]) ==
                 MO_OK,
             MO_QUERY_CAST_RAY_FIRST, i, "refused alone");
    }
    mo_query_batch batch = mo_query_batch_of(MO_QUERY_CAST_RAY_FIRST, plain_defs, COUNT, answers);
    batch.totals = totals;
    batch.capacity = 1;
    expect(run(&batch, NULL, &stats[1]) == MO_OK, MO_QUERY_CAST_RAY_FIRST, 0, "refused");
    expect(stats[1].visited_mesh == visited, MO_QUERY_CAST_RAY_FIRST, 0, "another mesh is named");
    for (uint32_t i = 0; i < NODES; i++) {
      visit_count += visits[0][i];
      expect(visits[0][i] == visits[1][i], MO_QUERY_CAST_RAY_FIRST, i, "other visits");
    }
    expect(named ? visit_count > 0 : visit_count == 0, MO_QUERY_CAST_RAY_FIRST, 0,
           "no visits, or those of another mesh");
  }
}

int main(void) {
  static const test_scene_kind kinds[] = {TEST_SCENE_PLAIN, TEST_SCENE_ROUNDED};
  rng r = rng_make(rng_seed("batch/queries", 301));
  mo_task_pool *pools[WORKERS];
  for (uint32_t i = 0; i < WORKERS; i++) {
    need(mo_task_pool_create(NULL, i + 1, &pools[i]), "start threads");
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    test_scene_make(&scene, kinds[i], 40, &r);
    uint32_t last = scene.family.count - 1;
    check_subject((subject){.scene = scene.family.scenes[i == 1 ? last : 0]}, pools, &r);
    check_subject((subject){.mesh = scene.meshes[5 * i]}, pools, &r);
    check_visits(scene.meshes[5 * i], scene.meshes[1], &r);
    wrong += !test_scene_free(&scene);
  }
  for (uint32_t i = 0; i < WORKERS; i++) {
    mo_task_pool_destroy(pools[i]);
  }
  printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
