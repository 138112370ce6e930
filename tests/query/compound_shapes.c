/* Compounds as the shapes of queries, against a loop over their children, each as the shape of a
 * query by itself: random compounds, nested ones and an empty one among them, under all kinds of
 * transforms, in scenes that have placements of compounds too. */
#include <criterion/criterion.h>
#include <motte/motte.h>
#include <stdlib.h>
#include <string.h>

#include "query/random_children.h"
#include "support/scenes.h"

enum { COMPOUNDS = 7, EMPTY = 0, MAX_CHILDREN = 512, MAX_HITS = 100000, QUERIES = 10 };

/* A child of the compound that is the query's shape, as a shape of the world. */
typedef struct own_child {
  uint32_t number, depth;
  mo_shape_def def;
  mo_shape_def levels[MO_MAX_COMPOUND_DEPTH]; /* of the shapes on its path */
} own_child;

static test_scene base; /* for its meshes and hulls, and for random numbers */
static mo_compound *compounds[COMPOUNDS];
static mo_scene *scene, *own_scene;
static own_child children[MAX_CHILDREN];
static uint32_t child_count, hit_count;

/* --- the world --- */

static mo_transform any_transform(rng *r) {
  mo_transform map = test_scene_transform(&base, r);
  if (rng_chance(r, 0.1)) {
    map.y_axis = (mo_vec3){0, 0, 0};
  }
  return map;
}

static mo_shape_def any_shape(rng *r, uint32_t nested) {
  const bool is_nested = nested > 0 && rng_chance(r, 0.3);
  mo_geometry geometry = test_scene_geometry(&base, r);
  if (is_nested) {
    geometry = (mo_geometry){.type = MO_SHAPE_COMPOUND, .compound = NULL};
    geometry.compound = compounds[rng_below(r, nested)];
  }
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform = any_transform(r);
  set_random_filter(&def, r);
  def.user_data = rng_below(r, 1000);
  return def;
}

static void make_world(test_scene_kind kind, rng *r) {
  test_scene_make(&base, kind, 12, r);
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    mo_scene_def def = mo_default_scene_def();
    cr_assert_eq(mo_compound_create(&def, &compounds[i]), MO_OK);
    const uint32_t count = i == EMPTY ? 0 : i < 4 ? 1 + rng_below(r, 20) : 4;
    add_children(mo_compound_children(compounds[i]), count, i < 4 ? 0 : i, r, any_shape);
    cr_assert_eq(mo_compound_update(compounds[i]), MO_OK);
  }
  scene = test_scene_empty();
  own_scene = test_scene_empty();
  add_children(scene, 16, 4, r, any_shape);
  if (rng_chance(r, 0.5)) {
    mo_shape_def ground = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
    mo_shape_id id;
    ground.transform.origin.y = -base.spread;
    cr_assert_eq(mo_scene_add_shape(scene, &ground, &id), MO_OK);
  }
}

static void free_world(void) {
  mo_scene_destroy(scene);
  mo_scene_destroy(own_scene);
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    mo_compound_release(compounds[i]);
  }
  cr_assert(test_scene_free(&base));
}

/* --- the shape of the query --- */

static void add_child(mo_compound *compound, uint32_t number, const mo_shape_def *def) {
  own_child *child = &children[child_count++];
  mo_shape_id path[MO_MAX_COMPOUND_DEPTH];
  cr_assert_lt(child_count, MAX_CHILDREN);
  child->number = number;
  child->def = *def;
  cr_assert_eq(mo_compound_find_path(compound, number, path, &child->depth), MO_OK);
  for (uint32_t i = 0; i < child->depth; i++) {
    mo_shape_def *level = &child->levels[i];
    cr_assert_eq(mo_scene_get_shape(mo_compound_children(compound), path[i], level), MO_OK);
    compound = level->geometry.compound;
  }
}

/* Chooses a compound under a transform, and lists its children. False if the transform takes it
 * beyond the range of coordinates. */
static bool make_own(mo_shape_def *own, rng *r) {
  const sample_target target = test_scene_target(&base, r);
  mo_shape_id id;
  *own = mo_default_shape_def(MO_SHAPE_COMPOUND);
  own->geometry.compound = compounds[rng_below(r, COMPOUNDS)];
  own->transform = any_transform(r);
  if (rng_chance(r, 0.7)) {
    own->transform.origin = sample_point(r, &target);
  }
  child_count = 0;
  if (mo_scene_add_shape(own_scene, own, &id) != MO_OK) {
    const mo_overlap_def region =
        mo_overlap_primitive_def(mo_primitive_of_geometry(&own->geometry, &own->transform));
    bool found;
    cr_assert_eq(mo_scene_test_overlap(scene, &region, &found, NULL), MO_ERROR_OUT_OF_RANGE);
    return false;
  }
  /* Numbers of free slots name no child. */
  for (uint32_t number = 0, misses = 0; misses < 64; number++) {
    mo_shape_def def;
    if (mo_scene_get_child(own_scene, id, number, &def) == MO_OK) {
      add_child(own->geometry.compound, number, &def);
      misses = 0;
    } else {
      misses++;
    }
  }
  cr_assert_eq(mo_scene_remove_shape(own_scene, id), MO_OK);
  return true;
}

static mo_primitive primitive_of(const mo_shape_def *def) {
  return mo_primitive_of_geometry(&def->geometry, &def->transform);
}

static bool counts(const own_child *child, bool hit_volumes) {
  return child->def.geometry.type != MO_SHAPE_VOLUME || hit_volumes;
}

/* --- lists --- */

static union {
  mo_cast_hit casts[MAX_HITS];
  mo_closest_hit closest[MAX_HITS];
  mo_triangle_ref triangles[MAX_HITS];
  mo_child_ref children[MAX_HITS];
  mo_shape_id shapes[MAX_HITS];
  uint32_t numbers[MAX_HITS];
} found, expected;
static uint32_t found_count, expected_count;

/* The room that is left in `expected`. */
static uint32_t begin_part(void) {
  return MAX_HITS - expected_count;
}

/* Ends the part of a list that a child has found; false if it is not taken, as the child is beyond
 * the range of coordinates. */
static bool end_part(mo_result result, const uint32_t *total) {
  cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE, "%s", mo_result_name(result));
  if (result == MO_OK) {
    expected_count += *total;
    cr_assert_leq(expected_count, MAX_HITS);
  }
  return result == MO_OK;
}

static int compare_numbers(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

static int compare_indices(const void *a, const void *b) {
  return compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int compare_shapes(const void *a, const void *b) {
  return compare_numbers(((const mo_shape_id *)a)->index, ((const mo_shape_id *)b)->index);
}

static int compare_children(const void *a, const void *b) {
  const mo_child_ref *x = a, *y = b;
  const int by_shape = compare_shapes(&x->shape, &y->shape);
  return by_shape != 0 ? by_shape : compare_numbers(x->child, y->child);
}

static int compare_triangles(const void *a, const void *b) {
  const mo_triangle_ref *x = a, *y = b;
  const int by_shape = compare_shapes(&x->shape, &y->shape);
  return by_shape != 0          ? by_shape
         : x->child != y->child ? compare_numbers(x->child, y->child)
                                : compare_numbers(x->triangle, y->triangle);
}

/* Sorts the expected list and keeps one of equal entries; then it is what was found. */
static void expect_union(size_t size, int (*compare)(const void *, const void *)) {
  char *items = (char *)&expected;
  uint32_t kept = 0;
  qsort(items, expected_count, size, compare);
  for (uint32_t i = 0; i < expected_count; i++) {
    if (kept == 0 || compare(items + (kept - 1) * size, items + i * size) != 0) {
      memmove(items + kept++ * size, items + i * size, size);
    }
  }
  cr_assert_eq(found_count, kept, "%u entries, not %u", found_count, kept);
  for (uint32_t i = 0; i < kept; i++) {
    cr_assert_eq(compare((const char *)&found + i * size, items + i * size), 0, "entry %u", i);
  }
  hit_count += kept > 0;
}

/* --- overlaps --- */

static bool accept_some(mo_triangle_ref ref, void *context) {
  (void)context;
  return (ref.shape.index + ref.triangle) % 3 != 0;
}

static void ask_overlap(const mo_shape_def *own, rng *r) {
  mo_overlap_def def = mo_overlap_primitive_def(primitive_of(own));
  bool any;
  uint32_t total;
  def.filter = test_scene_filter(&base, r);
  def.filter.ignore = (mo_shape_id){0};
  def.precision = rng_chance(r, 0.2) ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
  def.accept_triangle = rng_chance(r, 0.2) ? accept_some : NULL;
  cr_assert_eq(mo_scene_overlap_shapes(scene, &def, found.shapes, MAX_HITS, &found_count, NULL),
               MO_OK);
  cr_assert_eq(mo_scene_test_overlap(scene, &def, &any, NULL), MO_OK);
  cr_assert_eq(any, found_count > 0);
  mo_overlap_def one = def;
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    one.primitive = primitive_of(&children[i].def);
    end_part(mo_scene_overlap_shapes(scene, &one, expected.shapes + expected_count, begin_part(),
                                     &total, NULL),
             &total);
  }
  expect_union(sizeof *found.shapes, compare_shapes);
  cr_assert_eq(mo_scene_overlap_children(scene, &def, found.children, MAX_HITS, &found_count, NULL),
               MO_OK);
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    one.primitive = primitive_of(&children[i].def);
    end_part(mo_scene_overlap_children(scene, &one, expected.children + expected_count,
                                       begin_part(), &total, NULL),
             &total);
  }
  expect_union(sizeof *found.children, compare_children);
  cr_assert_eq(
      mo_scene_overlap_triangles(scene, &def, found.triangles, MAX_HITS, &found_count, NULL),
      MO_OK);
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    one.primitive = primitive_of(&children[i].def);
    end_part(mo_scene_overlap_triangles(scene, &one, expected.triangles + expected_count,
                                        begin_part(), &total, NULL),
             &total);
  }
  expect_union(sizeof *found.triangles, compare_triangles);
}

/* --- distances --- */

static int compare_closest(const void *a, const void *b) {
  const mo_closest_hit *x = a, *y = b;
  const mo_triangle_ref p = {x->shape, x->triangle, x->child},
                        q = {y->shape, y->triangle, y->child};
  if (x->distance != y->distance) {
    return x->distance < y->distance ? -1 : 1;
  }
  const int by_triangle = compare_triangles(&p, &q);
  return by_triangle != 0 ? by_triangle : compare_numbers(x->own_child, y->own_child);
}

static bool is_same_point(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void expect_same_closest(const mo_closest_hit *a, const mo_closest_hit *b) {
  cr_assert_eq(a->found, b->found);
  if (a->found) {
    cr_assert_eq(compare_closest(a, b), 0, "distance %a, not %a; child %u, not %u",
                 (double)a->distance, (double)b->distance, a->own_child, b->own_child);
    cr_assert(a->user_data == b->user_data && a->triangle_user_data == b->triangle_user_data);
    cr_assert(is_same_point(a->point, b->point) && is_same_point(a->from, b->from) &&
              is_same_point(a->normal, b->normal));
    cr_assert(a->own_triangle == b->own_triangle && a->u == b->u && a->v == b->v);
    cr_assert(a->feature == b->feature && a->feature_index == b->feature_index);
    cr_assert_eq(a->own_triangle_user_data, b->own_triangle_user_data);
  }
}

/* Lists what each child finds, sorted. */
static void list_closest(const mo_distance_def *def, const mo_mesh *mesh) {
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    mo_distance_def one = *def;
    mo_closest_hit *hits = expected.closest + expected_count;
    uint32_t total;
    one.primitive = primitive_of(&children[i].def);
    if (counts(&children[i], def->hit_volumes) &&
        end_part(mesh != NULL ? mo_mesh_find_within(mesh, &one, hits, begin_part(), &total, NULL)
                              : mo_scene_find_within(scene, &one, hits, begin_part(), &total, NULL),
                 &total)) {
      for (uint32_t k = 0; k < total; k++) {
        cr_assert_eq(hits[k].own_child, 0);
        hits[k].own_child = children[i].number;
      }
    }
  }
  qsort(expected.closest, expected_count, sizeof *expected.closest, compare_closest);
}

static bool check_next(const mo_closest_hit *hit, void *context) {
  uint32_t *next = context;
  expect_same_closest(hit, &expected.closest[(*next)++]);
  return *next < 30;
}

static void ask_distance(const mo_shape_def *own, rng *r) {
  mo_distance_def def = mo_default_distance_def();
  mo_closest_hit hit;
  uint32_t count;
  def.primitive = primitive_of(own);
  def.hit_volumes = rng_chance(r, 0.5);
  def.every_triangle = rng_chance(r, 0.3);
  def.filter = test_scene_filter(&base, r);
  def.filter.ignore = (mo_shape_id){0};
  def.max_distance = rng_chance(r, 0.3) ? INFINITY : rng_float(r, 0, base.spread);
  list_closest(&def, NULL);
  const mo_closest_hit none = {.found = false};
  cr_assert_eq(mo_scene_find_closest(scene, &def, &hit, NULL), MO_OK);
  expect_same_closest(&hit, expected_count > 0 ? &expected.closest[0] : &none);
  cr_assert_eq(mo_scene_find_within(scene, &def, found.closest, MAX_HITS, &found_count, NULL),
               MO_OK);
  cr_assert_eq(found_count, expected_count, "%u, not %u", found_count, expected_count);
  for (uint32_t i = 0; i < found_count; i++) {
    expect_same_closest(&found.closest[i], &expected.closest[i]);
  }
  cr_assert_eq(mo_scene_find_closest_few(scene, &def, found.closest, 5, &count, NULL), MO_OK);
  cr_assert_eq(count, expected_count < 5 ? expected_count : 5);
  for (uint32_t i = 0; i < count; i++) {
    expect_same_closest(&found.closest[i], &expected.closest[i]);
  }
  uint32_t next = 0;
  cr_assert_eq(mo_scene_visit_closest(scene, &def, check_next, &next, NULL), MO_OK);
  cr_assert_eq(next, expected_count < 30 ? expected_count : 30);
  if (expected_count > 1) {
    const uint32_t at = rng_below(r, expected_count - 1);
    def.after = &expected.closest[at];
    cr_assert_eq(mo_scene_find_closest(scene, &def, &hit, NULL), MO_OK);
    expect_same_closest(&hit, &expected.closest[at + 1]);
    hit_count++;
  }
}

/* --- casts --- */

static int compare_casts(const void *a, const void *b) {
  const mo_cast_hit *x = a, *y = b;
  const mo_triangle_ref p = {x->shape, x->triangle, x->child},
                        q = {y->shape, y->triangle, y->child};
  if (x->t != y->t) {
    return x->t < y->t ? -1 : 1;
  }
  const int by_triangle = compare_triangles(&p, &q);
  return by_triangle != 0 ? by_triangle : compare_numbers(x->own_child, y->own_child);
}

/* The order in which one first contact is better than another one. */
static int compare_first_casts(const void *a, const void *b) {
  const mo_cast_hit *x = a, *y = b;
  return x->t == y->t && x->depth != y->depth ? (x->depth > y->depth ? -1 : 1)
                                              : compare_casts(a, b);
}

static void expect_same_casts(const mo_cast_hit *a, const mo_cast_hit *b) {
  cr_assert_eq(a->found, b->found, "t %a or %a", (double)a->t, (double)b->t);
  if (a->found) {
    cr_assert_eq(compare_first_casts(a, b), 0, "t %a, not %a; depth %a, not %a; child %u, not %u",
                 (double)a->t, (double)b->t, (double)a->depth, (double)b->depth, a->own_child,
                 b->own_child);
    cr_assert(a->user_data == b->user_data && a->triangle_user_data == b->triangle_user_data);
    cr_assert(is_same_point(a->point, b->point) && is_same_point(a->normal, b->normal));
    cr_assert(a->feature == b->feature && a->feature_index == b->feature_index);
    cr_assert(a->own_feature == b->own_feature && a->own_feature_index == b->own_feature_index);
    cr_assert(a->own_triangle == b->own_triangle &&
              a->own_triangle_user_data == b->own_triangle_user_data);
  }
}

/* The first contact of all children. */
static mo_cast_hit first_of_children(const mo_shape_cast_def *def, const mo_mesh *mesh) {
  mo_cast_hit best = {.found = false};
  for (uint32_t i = 0; i < child_count; i++) {
    mo_shape_cast_def one = *def;
    mo_cast_hit hit;
    one.primitive = primitive_of(&children[i].def);
    if (!counts(&children[i], def->options.hit_volumes)) {
      continue;
    }
    const mo_result result = mesh != NULL ? mo_mesh_cast_shape(mesh, &one, &hit, NULL)
                                          : mo_scene_cast_shape(scene, &one, &hit, NULL);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
    if (result == MO_OK && hit.found) {
      hit.own_child = children[i].number;
      if (!best.found || compare_first_casts(&hit, &best) < 0) {
        best = hit;
      }
    }
  }
  return best;
}

static void list_casts(const mo_shape_cast_def *def) {
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    mo_shape_cast_def one = *def;
    mo_cast_hit *hits = expected.casts + expected_count;
    uint32_t total;
    one.primitive = primitive_of(&children[i].def);
    if (counts(&children[i], def->options.hit_volumes) &&
        end_part(mo_scene_cast_shape_all(scene, &one, hits, begin_part(), &total, NULL), &total)) {
      for (uint32_t k = 0; k < total; k++) {
        hits[k].own_child = children[i].number;
      }
    }
  }
  qsort(expected.casts, expected_count, sizeof *expected.casts, compare_casts);
}

static mo_shape_cast_def any_cast(const mo_shape_def *own, rng *r) {
  const sample_target to = test_scene_target(&base, r);
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = primitive_of(own);
  if (rng_chance(r, 0.8)) {
    def.displacement = mo_sub(sample_point(r, &to), own->transform.origin);
  }
  if (rng_chance(r, 0.2)) {
    def.axis = rng_direction(r);
    def.angle = rng_float(r, -3, 3);
    def.pivot = own->transform.origin;
  }
  def.precision = rng_chance(r, 0.1) ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
  def.options.hit_volumes = rng_chance(r, 0.5);
  def.options.every_triangle = rng_chance(r, 0.3);
  def.options.cull_back_faces = rng_chance(r, 0.2);
  def.options.filter = test_scene_filter(&base, r);
  def.options.filter.ignore = (mo_shape_id){0};
  return def;
}

static void ask_cast(const mo_shape_def *own, rng *r) {
  const mo_shape_cast_def def = any_cast(own, r);
  mo_cast_hit hit;
  bool any;
  const mo_result result = mo_scene_cast_shape(scene, &def, &hit, NULL);
  cr_assert(result == MO_OK || (result == MO_ERROR_OUT_OF_RANGE && def.angle != 0));
  if (result != MO_OK) {
    return; /* the rotation takes the box of the compound beyond the range of coordinates */
  }
  const mo_cast_hit best = first_of_children(&def, NULL);
  expect_same_casts(&hit, &best);
  hit_count += hit.found;
  cr_assert_eq(mo_scene_test_shape_cast(scene, &def, &any, NULL), MO_OK);
  cr_assert_eq(any, best.found);
  cr_assert_eq(mo_scene_cast_shape_all(scene, &def, found.casts, MAX_HITS, &found_count, NULL),
               MO_OK);
  list_casts(&def);
  cr_assert_eq(found_count, expected_count, "%u, not %u", found_count, expected_count);
  for (uint32_t i = 0; i < found_count; i++) {
    expect_same_casts(&found.casts[i], &expected.casts[i]);
  }
}

/* From the scene, or from a mesh. */
static void ask_separation(const mo_shape_def *own, const mo_mesh *mesh, rng *r) {
  mo_shape_cast_def def = any_cast(own, r);
  mo_separation apart;
  def.angle = 0;
  cr_assert_eq(mesh != NULL ? mo_mesh_find_separation(mesh, &def, &apart, NULL)
                            : mo_scene_find_separation(scene, &def, &apart, NULL),
               MO_OK);
  def.displacement = mo_vec(0, 0, 0);
  def.precision = MO_PRECISION_GEOMETRY;
  def.options.cull_back_faces = false;
  const mo_cast_hit deepest = first_of_children(&def, mesh);
  cr_assert_eq(apart.overlaps, deepest.found);
  if (deepest.found) {
    expect_same_casts(&apart.deepest, &deepest);
  }
  if (apart.found) {
    bool touches;
    def.primitive.transform.origin = mo_add(def.primitive.transform.origin, apart.translation);
    cr_assert_eq(mesh != NULL ? mo_mesh_test_shape_cast(mesh, &def, &touches, NULL)
                              : mo_scene_test_shape_cast(scene, &def, &touches, NULL),
                 MO_OK);
    cr_assert_not(touches);
    hit_count++;
  }
}

/* --- room for a compound --- */

/* Whether a shape passes each level on the path of a child, and is passed by it. */
static bool accept_for_child(mo_shape_id shape, uint64_t user_data, void *context) {
  const own_child *child = context;
  mo_shape_def other;
  (void)user_data;
  cr_assert_eq(mo_scene_get_shape(scene, shape, &other), MO_OK);
  bool all = true;
  for (uint32_t i = 0; i < child->depth; i++) {
    const mo_shape_def *level = &child->levels[i];
    all = all && (level->category & other.mask) != 0 && (other.category & level->mask) != 0;
  }
  return all;
}

static void ask_fit(const mo_shape_def *own, rng *r) {
  mo_fit_def def = mo_default_fit_def();
  mo_shape_def placed = *own;
  bool fits;
  uint32_t total;
  placed.category = rng_chance(r, 0.5) ? 1 : 1 + rng_below(r, 7);
  placed.mask = rng_chance(r, 0.5) ? UINT64_MAX : 1 + rng_below(r, 7);
  def.shape = &placed;
  def.hit_volumes = rng_chance(r, 0.5);
  def.clearance = rng_chance(r, 0.5) ? rng_float(r, 0, 2) : 0;
  cr_assert_eq(mo_scene_find_obstacles(scene, &def, found.shapes, MAX_HITS, &found_count, NULL),
               MO_OK);
  cr_assert_eq(mo_scene_shape_fits(scene, &def, &fits, NULL), MO_OK);
  cr_assert_eq(fits, found_count == 0);
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    mo_shape_def child = children[i].def;
    mo_fit_def one = def;
    one.shape = &child;
    one.filter.category = placed.category;
    one.filter.mask = placed.mask;
    one.filter.accept = accept_for_child;
    one.filter.context = &children[i];
    if (counts(&children[i], def.hit_volumes)) {
      end_part(mo_scene_find_obstacles(scene, &one, expected.shapes + expected_count, begin_part(),
                                       &total, NULL),
               &total);
    }
  }
  expect_union(sizeof *found.shapes, compare_shapes);
}

/* --- one mesh --- */

static void ask_mesh(const mo_shape_def *own, rng *r) {
  const mo_mesh *mesh = base.meshes[rng_below(r, TEST_SCENE_MESHES)];
  mo_distance_def distance = mo_default_distance_def();
  mo_shape_cast_def cast = any_cast(own, r);
  mo_overlap_def region = mo_overlap_primitive_def(primitive_of(own));
  mo_cast_hit hit;
  uint32_t total;
  cast.angle = 0;
  distance.primitive = region.primitive;
  distance.max_distance = rng_float(r, 0, base.spread);
  list_closest(&distance, mesh);
  cr_assert_eq(mo_mesh_find_within(mesh, &distance, found.closest, MAX_HITS, &total, NULL), MO_OK);
  cr_assert_eq(total, expected_count);
  for (uint32_t i = 0; i < total; i++) {
    expect_same_closest(&found.closest[i], &expected.closest[i]);
  }
  const mo_cast_hit best = first_of_children(&cast, mesh);
  cr_assert_eq(mo_mesh_cast_shape(mesh, &cast, &hit, NULL), MO_OK);
  expect_same_casts(&hit, &best);
  cr_assert_eq(
      mo_mesh_overlap_triangles(mesh, &region, found.numbers, MAX_HITS, &found_count, NULL), MO_OK);
  expected_count = 0;
  for (uint32_t i = 0; i < child_count; i++) {
    region.primitive = primitive_of(&children[i].def);
    end_part(mo_mesh_overlap_triangles(mesh, &region, expected.numbers + expected_count,
                                       begin_part(), &total, NULL),
             &total);
  }
  expect_union(sizeof *found.numbers, compare_indices);
  ask_separation(own, mesh, r);
}

static void ask_all(uint32_t queries, rng *r) {
  for (uint32_t i = 0; i < queries; i++) {
    mo_shape_def own;
    if (make_own(&own, r)) {
      ask_overlap(&own, r);
      ask_distance(&own, r);
      ask_cast(&own, r);
      ask_separation(&own, NULL, r);
      ask_fit(&own, r);
      ask_mesh(&own, r);
    }
  }
}

Test(compound_shapes, queries_as_loops_over_children) {
  rng r = rng_make(rng_seed("compound_shapes", 1));
  const uint64_t rounds = rng_few_rounds(1, 20);
  for (uint64_t round = 0; round < rounds; round++) {
    for (int kind = 0; kind < TEST_SCENE_HALF_SPACES; kind++) {
      hit_count = 0;
      make_world((test_scene_kind)kind, &r);
      ask_all(QUERIES, &r);
      cr_log_info("%s: %u hits", test_scene_kind_name((test_scene_kind)kind), hit_count);
      cr_assert_gt(hit_count, 2);
      free_world();
    }
  }
}
