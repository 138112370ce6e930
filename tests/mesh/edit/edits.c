/* Edited meshes: after each edit, all that a mesh answers is what a new mesh of the same triangles
 * answers, bit for bit. Failing allocations and refused edits change nothing. */
#include <math.h>
#include <motte/cast.h>
#include <motte/distance.h>
#include <motte/mass.h>
#include <motte/overlap.h>
#include <motte/query.h>
#include <stdio.h>

#include "mesh/edit/edited.h"
#include "mesh/mesh.h"
#include "support/counting_allocator.h"

enum { MAX_LISTED = 2 * EDITED_MAX_TRIANGLES };

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* --- triangles and edges --- */

static void check_triangles(const edited *e) {
  cr_assert_eq(mo_mesh_triangle_count(e->mesh), e->triangle_count);
  for (uint32_t t = 0; t < e->triangle_count; t++) {
    mo_vec3 corners[3];
    mo_mesh_edge edges[3];
    uint32_t user_data;
    const mo_result result = mo_mesh_get_triangle(e->mesh, t, corners, &user_data);
    cr_assert_eq(result, e->live[t] ? MO_OK : MO_ERROR_INVALID_INDEX);
    if (e->def.build.edges) {
      cr_assert_eq(mo_mesh_get_edges(e->mesh, t, edges), result);
    }
    for (int i = 0; i < 3 && e->live[t]; i++) {
      cr_assert(same(corners[i], e->positions[e->vertices[t][i]]));
    }
    cr_assert(!e->live[t] || user_data == e->user_data[t]);
  }
  for (uint32_t t = 0; t < e->fresh_count && e->def.build.edges; t++) {
    mo_mesh_edge a[3], b[3];
    cr_assert_eq(mo_mesh_get_edges(e->mesh, e->number_of[t], a), MO_OK);
    cr_assert_eq(mo_mesh_get_edges(e->fresh, t, b), MO_OK);
    cr_assert(a[0] == b[0] && a[1] == b[1] && a[2] == b[2], "edges of triangle %u",
              e->number_of[t]);
  }
}

/* The sheets are the same sets of triangles, which agree in the same way on a front. */
static void check_sheets(const edited *e) {
  static uint32_t of_fresh[EDITED_MAX_TRIANGLES], of_edited[EDITED_MAX_TRIANGLES];
  memset(of_fresh, 0xff, sizeof of_fresh);
  memset(of_edited, 0xff, sizeof of_edited);
  for (uint32_t t = 0; t < e->fresh_count && e->def.build.edges; t++) {
    const uint32_t fresh = mo_mesh_oriented_sheet(e->fresh, t);
    const uint32_t sheet = mo_mesh_oriented_sheet(e->mesh, e->number_of[t]);
    uint32_t *a = &of_fresh[fresh >> 1], *b = &of_edited[sheet >> 1];
    if (*a == UINT32_MAX && *b == UINT32_MAX) {
      *a = (sheet & ~1u) | ((sheet ^ fresh) & 1);
      *b = (fresh & ~1u) | ((sheet ^ fresh) & 1);
    }
    cr_assert(*a == ((sheet & ~1u) | ((sheet ^ fresh) & 1)) &&
                  *b == ((fresh & ~1u) | ((sheet ^ fresh) & 1)),
              "the sheet of triangle %u", e->number_of[t]);
  }
}

static void check_whole(const edited *e) {
  mo_mesh_stats a, b;
  const mo_aabb x = mo_mesh_bounds(e->mesh), y = mo_mesh_bounds(e->fresh);
  cr_assert(same(x.lower, y.lower) && same(x.upper, y.upper));
  cr_assert_eq(mo_mesh_get_stats(e->mesh, &a), MO_OK);
  cr_assert_eq(mo_mesh_get_stats(e->fresh, &b), MO_OK);
  cr_assert_eq(a.degenerate_triangle_count, b.degenerate_triangle_count);
  cr_assert_eq(a.reference_count, b.reference_count);
  cr_assert_eq(a.duplicate_count, 0);
  cr_assert_eq(a.vertex_count, e->vertex_count);
  const mo_geometry geometry[2] = {{.type = MO_SHAPE_MESH, .mesh = e->mesh},
                                   {.type = MO_SHAPE_MESH, .mesh = e->fresh}};
  const mo_transform place = mo_transform_identity();
  mo_mass_properties mass[2];
  const mo_result result = mo_geometry_get_mass_properties(&geometry[0], &place, &mass[0]);
  cr_assert_eq(result, mo_geometry_get_mass_properties(&geometry[1], &place, &mass[1]));
  cr_assert(result != MO_OK ||
            (mass[0].volume == mass[1].volume && same(mass[0].centroid, mass[1].centroid) &&
             memcmp(mass[0].inertia, mass[1].inertia, sizeof mass[0].inertia) == 0 &&
             mass[0].closed == mass[1].closed));
}

/* --- queries --- */

static uint32_t check_ray_hit(const edited *e, const mo_ray_hit *a, const mo_ray_hit *b) {
  cr_assert(a->found == b->found && a->triangle == edited_number(e, b->triangle));
  cr_assert(!a->found || (a->t == b->t && same(a->point, b->point) && same(a->normal, b->normal) &&
                          a->u == b->u && a->v == b->v && a->front == b->front &&
                          a->triangle_user_data == b->triangle_user_data));
  return a->found;
}

static mo_vec3 any_point(const edited *e, const edited_places *places, rng *r) {
  const mo_aabb box = mo_mesh_bounds(e->fresh);
  if (box.lower.x > box.upper.x || rng_chance(r, 0.2)) {
    return rng_point_in(r, places->box);
  }
  return rng_chance(r, 0.2) ? e->positions[e->vertices[edited_any_triangle(e, r)][rng_below(r, 3)]]
                            : rng_point_in(r, box);
}

static uint32_t check_rays(const edited *e, const edited_places *places, rng *r) {
  static mo_ray_hit all[2][MAX_LISTED];
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = any_point(e, places, r);
  const mo_vec3 to = any_point(e, places, r);
  ray.direction = (mo_vec3){to.x - ray.origin.x, to.y - ray.origin.y, to.z - ray.origin.z};
  if (rng_chance(r, 0.3)) {
    ray.direction = (mo_vec3){0, 0, 0};
    (&ray.direction.x)[rng_below(r, 3)] = rng_chance(r, 0.5) ? 1.0f : -1.0f;
  }
  mo_ray_hit hit[2];
  bool any[2];
  uint32_t count[2];
  const mo_result result = mo_mesh_cast_ray(e->mesh, &ray, &hit[0], NULL);
  cr_assert_eq(result, mo_mesh_cast_ray(e->fresh, &ray, &hit[1], NULL));
  if (result != MO_OK) {
    return 0; /* no direction */
  }
  const uint32_t found = check_ray_hit(e, &hit[0], &hit[1]);
  for (int k = 0; k < 2; k++) {
    const mo_mesh *mesh = k == 0 ? e->mesh : e->fresh;
    cr_assert_eq(mo_mesh_test_ray(mesh, &ray, &any[k], NULL), MO_OK);
    cr_assert_eq(mo_mesh_cast_ray_all(mesh, &ray, all[k], MAX_LISTED, &count[k], NULL), MO_OK);
  }
  cr_assert(any[0] == any[1] && count[0] == count[1]);
  for (uint32_t i = 0; i < count[0]; i++) {
    check_ray_hit(e, &all[0][i], &all[1][i]);
  }
  return found;
}

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static uint32_t check_overlaps(const edited *e, const edited_places *places, rng *r) {
  static uint32_t listed[2][MAX_LISTED];
  const mo_vec3 p = any_point(e, places, r), q = any_point(e, places, r);
  const mo_aabb box = {{fminf(p.x, q.x), fminf(p.y, q.y), fminf(p.z, q.z)},
                       {fmaxf(p.x, q.x), fmaxf(p.y, q.y), fmaxf(p.z, q.z)}};
  uint32_t count[2];
  for (int k = 0; k < 2; k++) {
    cr_assert_eq(mo_mesh_overlap_aabb(k == 0 ? e->mesh : e->fresh, &box, listed[k], MAX_LISTED,
                                      &count[k], NULL),
                 MO_OK);
  }
  cr_assert_eq(count[0], count[1]);
  for (uint32_t i = 0; i < count[1]; i++) {
    listed[1][i] = edited_number(e, listed[1][i]);
  }
  qsort(listed[0], count[0], sizeof(uint32_t), by_number);
  qsort(listed[1], count[1], sizeof(uint32_t), by_number);
  cr_assert_eq(memcmp(listed[0], listed[1], count[0] * sizeof(uint32_t)), 0);
  return count[0];
}

static void check_closest_hit(const edited *e, const mo_closest_hit *a, const mo_closest_hit *b) {
  cr_assert(a->found == b->found && a->triangle == edited_number(e, b->triangle));
  cr_assert(!a->found || (a->distance == b->distance && same(a->point, b->point) &&
                          same(a->normal, b->normal) && a->u == b->u && a->v == b->v &&
                          a->feature == b->feature && a->feature_index == b->feature_index));
}

static void check_points(const edited *e, const edited_places *places, rng *r) {
  const mo_vec3 p = any_point(e, places, r);
  mo_closest_hit hit[2];
  int32_t winding[2];
  for (int k = 0; k < 2; k++) {
    const mo_mesh *mesh = k == 0 ? e->mesh : e->fresh;
    cr_assert_eq(mo_mesh_closest_point(mesh, p, INFINITY, &hit[k], NULL), MO_OK);
    cr_assert_eq(mo_mesh_winding_number(mesh, p, &winding[k], NULL), MO_OK);
  }
  check_closest_hit(e, &hit[0], &hit[1]);
  cr_assert_eq(winding[0], winding[1]);
  for (int k = 0; k < 2; k++) {
    const mo_mesh *mesh = k == 0 ? e->mesh : e->fresh;
    cr_assert_eq(mo_mesh_signed_distance(mesh, p, INFINITY, &hit[k], NULL), MO_OK);
  }
  check_closest_hit(e, &hit[0], &hit[1]);
}

static void check_casts(const edited *e, const edited_places *places, rng *r) {
  const mo_vec3 from = any_point(e, places, r), to = any_point(e, places, r);
  const mo_aabb box = places->box;
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  def.sphere.center = from;
  def.sphere.radius = rng_float(r, 0, 0.1f) * (box.upper.x - box.lower.x);
  def.displacement = (mo_vec3){to.x - from.x, to.y - from.y, to.z - from.z};
  mo_cast_hit hit[2];
  const mo_result result = mo_mesh_cast_sphere(e->mesh, &def, &hit[0], NULL);
  cr_assert_eq(result, mo_mesh_cast_sphere(e->fresh, &def, &hit[1], NULL));
  cr_assert(result != MO_OK ||
            (hit[0].found == hit[1].found && hit[0].triangle == edited_number(e, hit[1].triangle) &&
             (!hit[0].found || (hit[0].t == hit[1].t && same(hit[0].point, hit[1].point) &&
                                same(hit[0].normal, hit[1].normal)))));
}

static uint32_t check_all(edited *e, const edited_places *places, uint32_t queries, rng *r) {
  uint32_t hits = 0;
  cr_assert_eq(mo_mesh_validate(e->mesh), MO_OK);
  edited_make_fresh(e);
  check_triangles(e);
  check_sheets(e);
  check_whole(e);
  for (uint32_t i = 0; i < queries; i++) {
    hits += check_rays(e, places, r);
    hits += check_overlaps(e, places, r);
    check_points(e, places, r);
    check_casts(e, places, r);
  }
  return hits;
}

/* --- random edits --- */

static edited_places places_of(const test_mesh *mesh, rng *r) {
  edited_places places = {.box = test_mesh_bounds(mesh)};
  if (places.box.lower.x > places.box.upper.x) {
    places.box = (mo_aabb){{-1, -1, -1}, {1, 1, 1}};
  }
  const float size =
      fmaxf(fmaxf(places.box.upper.x - places.box.lower.x, places.box.upper.y - places.box.lower.y),
            places.box.upper.z - places.box.lower.z);
  places.grid = rng_chance(r, 0.5) ? 0.0f : size / 8;
  return places;
}

static mo_mesh_def any_def(const test_mesh *mesh, bool edges, rng *r) {
  static const uint32_t capacities[] = {1, 4, 8, 24, 24, 100}, depths[] = {1, 2, 5, 40, 40, 40};
  static const mo_mesh_quality qualities[] = {MO_MESH_QUALITY_FAST, MO_MESH_QUALITY_DEFAULT,
                                              MO_MESH_QUALITY_DEFAULT, MO_MESH_QUALITY_HIGH};
  mo_mesh_def def = edited_def(mesh, edges);
  def.build.leaf_capacity = capacities[rng_below(r, 6)];
  def.build.max_depth = depths[rng_below(r, 6)];
  def.build.quality = qualities[rng_below(r, 4)];
  return def;
}

static void check_kind(test_mesh_kind kind, uint64_t rounds, rng *r) {
  static edited_step step;
  uint32_t hits = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    test_mesh mesh = test_mesh_make(kind, 1 + rng_below(r, 300), r);
    edited *e = edited_make(&mesh, any_def(&mesh, rng_chance(r, 0.6), r));
    const edited_places places = places_of(&mesh, r);
    for (int k = 0; k < 12; k++) {
      edited_any_step(e, &step, 1 + rng_below(r, rng_chance(r, 0.5) ? 60 : 5), &places, r);
      edited_do(e, &step);
      hits += check_all(e, &places, 6, r);
    }
    edited_free(e);
    test_mesh_free(&mesh);
  }
  fprintf(stderr, "%s: %u hits\n", test_mesh_kind_name(kind), hits);
}

Test(mesh_edit, edits_are_as_a_new_mesh) {
  rng r = rng_make(rng_seed("mesh_edit/edits", 31));
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    check_kind((test_mesh_kind)kind, rng_rounds(4, 300), &r);
  }
}

/* Most triangles share one edge, and so many that all of these edges count as open; edits make them
 * more or fewer than that. */
Test(mesh_edit, many_triangles_at_one_edge) {
  static edited_step step;
  rng r = rng_make(rng_seed("mesh_edit/one edge", 35));
  for (uint64_t i = 0; i < rng_rounds(12, 500); i++) {
    test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 100 + rng_below(&r, 300), &r);
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
      if (rng_chance(&r, 0.5) && t < 160) {
        const uint32_t first = rng_below(&r, 2);
        mesh.indices[3 * (size_t)t] = first;
        mesh.indices[3 * (size_t)t + 1] = 1 - first;
      }
    }
    edited *e = edited_make(&mesh, any_def(&mesh, true, &r));
    const edited_places places = places_of(&mesh, &r);
    for (int k = 0; k < 12; k++) {
      edited_any_step(e, &step, 1 + rng_below(&r, rng_chance(&r, 0.5) ? 30 : 5), &places, &r);
      edited_do(e, &step);
      check_all(e, &places, 2, &r);
    }
    edited_free(e);
    test_mesh_free(&mesh);
  }
}

/* All triangles are removed, and added again. */
Test(mesh_edit, remove_all_and_add_again) {
  static edited_step step;
  rng r = rng_make(rng_seed("mesh_edit/remove all", 32));
  for (uint64_t i = 0; i < rng_rounds(12, 500); i++) {
    test_mesh mesh = test_mesh_make(rng_chance(&r, 0.5) ? TEST_MESH_SPHERE : TEST_MESH_SOUP,
                                    1 + rng_below(&r, 400), &r);
    edited *e = edited_make(&mesh, any_def(&mesh, true, &r));
    const edited_places places = places_of(&mesh, &r);
    for (int k = 0; k < 3; k++) {
      step.def = mo_default_mesh_edit_def();
      step.def.removed_triangles = step.removed;
      for (uint32_t t = 0; t < e->triangle_count; t++) {
        if (e->live[t]) {
          step.removed[step.def.removed_triangle_count++] = t;
        }
      }
      edited_do(e, &step);
      check_all(e, &places, 4, &r);
      while (edited_live_count(e) < mesh.triangle_count) {
        const uint32_t left = mesh.triangle_count - edited_live_count(e);
        step.def = mo_default_mesh_edit_def();
        step.def.added_indices = step.added_indices;
        step.def.added_triangles = step.added;
        step.def.added_triangle_count = left < 64 ? left : 64;
        const uint32_t first = edited_live_count(e);
        memcpy(step.added_indices, &mesh.indices[3 * (size_t)first],
               step.def.added_triangle_count * 12);
        edited_do(e, &step);
      }
      check_all(e, &places, 8, &r);
    }
    edited_free(e);
    test_mesh_free(&mesh);
  }
}

/* --- errors --- */

/* What may not change: all answers are compared with those of a new mesh of the model. */
Test(mesh_edit, failing_allocations_change_nothing) {
  static edited_step step;
  rng r = rng_make(rng_seed("mesh_edit/allocations", 33));
  uint32_t failures = 0;
  for (uint64_t i = 0; i < rng_rounds(16, 800); i++) {
    counting_allocator counter;
    counting_allocator_init(&counter);
    test_mesh mesh = test_mesh_make((test_mesh_kind)rng_below(&r, TEST_MESH_KIND_COUNT),
                                    1 + rng_below(&r, 200), &r);
    mo_mesh_def def = any_def(&mesh, rng_chance(&r, 0.6), &r);
    def.host = counting_allocator_host(&counter);
    mo_mesh *made = NULL;
    mo_result result = MO_ERROR_OUT_OF_MEMORY;
    for (size_t nth = 1; result == MO_ERROR_OUT_OF_MEMORY; nth++) {
      counting_allocator_fail_at(&counter, nth, false);
      result = mo_mesh_create(&def, &made);
      cr_assert(result == MO_OK || counting_allocator_is_clean(&counter));
    }
    cr_assert_eq(result, MO_OK);
    mo_mesh_release(made);
    counting_allocator_fail_at(&counter, 0, false);
    edited *e = edited_make(&mesh, def);
    const edited_places places = places_of(&mesh, &r);
    for (int k = 0; k < 6; k++) {
      edited_any_step(e, &step, 1 + rng_below(&r, 60), &places, &r);
      const bool all_after = rng_chance(&r, 0.5);
      for (size_t nth = 1; nth < 400; nth++) {
        counting_allocator_fail_at(&counter, nth, all_after);
        result = mo_mesh_edit(e->mesh, &step.def);
        const bool failed = atomic_load(&counter.failures) > 0;
        if (result == MO_OK) {
          break;
        }
        cr_assert(result == MO_ERROR_OUT_OF_MEMORY && failed);
        check_all(e, &places, 1, &r);
        failures++;
      }
      counting_allocator_fail_at(&counter, 0, false);
      cr_assert_eq(result, MO_OK);
      edited_apply(e, &step);
      check_all(e, &places, 2, &r);
    }
    edited_free(e);
    cr_assert(counting_allocator_is_clean(&counter));
    test_mesh_free(&mesh);
  }
  fprintf(stderr, "%u failures\n", failures);
  cr_assert_gt(failures, 50);
}

/* Edits that are refused, and what they name. */
Test(mesh_edit, refused_edits_change_nothing) {
  rng r = rng_make(rng_seed("mesh_edit/refused", 34));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 100, &r);
  edited *e = edited_make(&mesh, edited_def(&mesh, true));
  const edited_places places = places_of(&mesh, &r);
  const uint32_t no_vertex[] = {0, mesh.vertex_count}, twice[] = {3, 5, 3},
                 no_triangle[] = {1, mesh.triangle_count}, bad_corner[] = {0, 1, mesh.vertex_count};
  const mo_vec3 not_finite[] = {{0, 0, 0}, {0, NAN, 0}}, far[] = {{0, 0, 0}, {0, 0, 3e30f}};
  size_t bad;
#define REFUSE(result, index, ...)                                                                 \
  do {                                                                                             \
    mo_mesh_edit_def d = mo_default_mesh_edit_def();                                               \
    bad = 77;                                                                                      \
    d.first_bad = &bad;                                                                            \
    __VA_ARGS__;                                                                                   \
    cr_assert_eq(mo_mesh_edit(e->mesh, &d), result);                                               \
    cr_assert_eq(bad, index);                                                                      \
    check_all(e, &places, 1, &r);                                                                  \
  } while (0)
  REFUSE(MO_ERROR_NULL_ARGUMENT, MO_NO_INDEX, d.moved_vertex_count = 1);
  REFUSE(MO_ERROR_NULL_ARGUMENT, MO_NO_INDEX, d.removed_triangle_count = 1);
  REFUSE(MO_ERROR_NULL_ARGUMENT, MO_NO_INDEX, d.added_triangle_count = 1);
  REFUSE(MO_ERROR_INVALID_INDEX, 1, d.moved_vertices = no_vertex; d.moved_positions = far;
         d.moved_vertex_count = 2);
  REFUSE(MO_ERROR_NOT_FINITE, 1, d.moved_vertices = twice; d.moved_positions = not_finite;
         d.moved_vertex_count = 2);
  REFUSE(MO_ERROR_OUT_OF_RANGE, 1, d.added_positions = far; d.added_vertex_count = 2);
  REFUSE(MO_ERROR_INVALID_INDEX, 1, d.removed_triangles = no_triangle;
         d.removed_triangle_count = 2);
  REFUSE(MO_ERROR_INVALID_ARGUMENT, 2, d.removed_triangles = twice; d.removed_triangle_count = 3);
  REFUSE(MO_ERROR_INVALID_ARGUMENT, 0, d.removed_triangles = twice; d.removed_triangle_count = 1;
         d.replaced_triangles = twice; d.replaced_indices = twice; d.replaced_triangle_count = 1);
  REFUSE(MO_ERROR_INVALID_INDEX, 2, d.added_indices = bad_corner; d.added_triangle_count = 1);
  REFUSE(MO_ERROR_INVALID_INDEX, 2, d.replaced_triangles = twice; d.replaced_indices = bad_corner;
         d.replaced_triangle_count = 1);
  REFUSE(MO_ERROR_TOO_MANY, MO_NO_INDEX, d.added_indices = twice;
         d.added_triangle_count = UINT32_MAX);
  REFUSE(MO_ERROR_TOO_MANY, MO_NO_INDEX, d.added_positions = far;
         d.added_vertex_count = UINT32_MAX);
#undef REFUSE
  mo_mesh_edit_def none = mo_default_mesh_edit_def();
  cr_assert_eq(mo_mesh_edit(e->mesh, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_edit(NULL, &none), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_edit(e->mesh, &none), MO_OK);
  none.cookie = 0;
  cr_assert_eq(mo_mesh_edit(e->mesh, &none), MO_ERROR_UNINITIALIZED_DEF);
  check_all(e, &places, 1, &r);
  mo_mesh *plain = test_mesh_build(&mesh);
  none = mo_default_mesh_edit_def();
  cr_assert_eq(mo_mesh_edit(plain, &none), MO_ERROR_UNSUPPORTED);
  mo_mesh_release(plain);
  edited_free(e);
  test_mesh_free(&mesh);
}
