/* Queries whose shape is a mesh against brute force: all pairs of its triangles with the solids and
 * triangles of a model's scene. */
#include "fuzz/mesh_queries.h"

#include <motte/separation.h>

#include "math/vector.h"
#include "oracle/distances.h"

enum { HITS = 256, MAX_PAIRS = 1500 };

/* The mesh of a query, in no scene. */
typedef struct query_mesh {
  const mo_scene *scene;
  const oracle_scene *oracle;
  mo_primitive primitive;
  oracle_mesh own;
} query_mesh;

static mo_primitive triangle_of(const query_mesh *q, uint32_t triangle) {
  const mo_vec3 *c = q->own.triangles[triangle].corners;
  mo_primitive primitive = mo_primitive_of_triangle(c[0], c[1], c[2]);
  primitive.transform = q->primitive.transform;
  return primitive;
}

static mo_primitive shape_triangle(const query_mesh *q, const oracle_shape *shape,
                                   uint32_t triangle) {
  const mo_vec3 *c = q->oracle->meshes[shape->mesh].triangles[triangle].corners;
  mo_primitive primitive = mo_primitive_of_triangle(c[0], c[1], c[2]);
  primitive.transform = shape->def.transform;
  return primitive;
}

static bool is_mesh(const oracle_shape *shape) {
  return shape->def.geometry.type == MO_SHAPE_MESH;
}

/* How many pairs brute force tests. */
static uint64_t pair_count(const query_mesh *q) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < q->oracle->shape_count; i++) {
    const oracle_shape *shape = &q->oracle->shapes[i];
    count += is_mesh(shape) ? q->oracle->meshes[shape->mesh].count : 1;
  }
  return count * q->own.count;
}

/* Wild numbers may take the mesh beyond the range of coordinates. */
static bool is_answered(const fuzz_bytes *b, mo_result result) {
  FUZZ_CHECK(result == MO_OK || b->wild, "%s", mo_result_name(result));
  return result == MO_OK;
}

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* --- overlaps --- */

static bool touches(const query_mesh *q, const mo_primitive *other) {
  bool found = false;
  for (uint32_t i = 0; i < q->own.count && !found; i++) {
    const mo_primitive own = triangle_of(q, i);
    if (mo_primitive_overlap(other, &own, &found) != MO_OK) {
      found = false;
    }
  }
  return found;
}

static void expect_overlaps(const query_mesh *q, const mo_filter *filter, oracle_list *shapes,
                            oracle_list *triangles) {
  for (uint32_t i = 0; i < q->oracle->shape_count; i++) {
    const oracle_shape *shape = &q->oracle->shapes[i];
    if (!oracle_filter_passes(filter, shape)) {
      continue;
    }
    const uint32_t before = triangles->count;
    for (uint32_t k = 0; is_mesh(shape) && k < q->oracle->meshes[shape->mesh].count; k++) {
      const mo_primitive triangle = shape_triangle(q, shape, k);
      if (touches(q, &triangle)) {
        *(mo_triangle_ref *)oracle_list_add(triangles, sizeof(mo_triangle_ref)) =
            (mo_triangle_ref){shape->id, k, 0};
      }
    }
    const mo_primitive solid =
        mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
    if (is_mesh(shape) ? triangles->count > before : touches(q, &solid)) {
      *(mo_shape_id *)oracle_list_add(shapes, sizeof(mo_shape_id)) = shape->id;
    }
  }
}

static void query_overlap(const query_mesh *q, fuzz_bytes *b) {
  static mo_shape_id shapes[HITS];
  static mo_triangle_ref triangles[HITS];
  oracle_list expected_shapes = {0}, expected_triangles = {0};
  mo_overlap_def def = mo_overlap_primitive_def(q->primitive);
  uint32_t total;
  bool any;
  def.filter = fuzz_filter(b);
  if (!is_answered(b, mo_scene_overlap_shapes(q->scene, &def, shapes, HITS, &total, NULL))) {
    return;
  }
  expect_overlaps(q, &def.filter, &expected_shapes, &expected_triangles);
  FUZZ_CHECK(total == expected_shapes.count, "%u shapes, expected %u", total,
             expected_shapes.count);
  for (uint32_t i = 0; i < total; i++) {
    const mo_shape_id *expected = expected_shapes.items;
    FUZZ_CHECK(shapes[i].index == expected[i].index, "shape %u: %u, expected %u", i,
               shapes[i].index, expected[i].index);
  }
  FUZZ_CHECK(mo_scene_test_overlap(q->scene, &def, &any, NULL) == MO_OK && any == (total > 0),
             "it touches none of %u", total);
  FUZZ_CHECK(mo_scene_overlap_triangles(q->scene, &def, triangles, HITS, &total, NULL) == MO_OK,
             "overlapping triangles");
  FUZZ_CHECK(total == expected_triangles.count, "%u triangles, expected %u", total,
             expected_triangles.count);
  for (uint32_t i = 0; i < total && i < HITS; i++) {
    const mo_triangle_ref *expected = expected_triangles.items;
    FUZZ_CHECK(triangles[i].shape.index == expected[i].shape.index &&
                   triangles[i].triangle == expected[i].triangle,
               "triangle %u", i);
  }
  oracle_list_free(&expected_shapes);
  oracle_list_free(&expected_triangles);
}

/* --- the best of several pairs at each place --- */

typedef struct place {
  const oracle_shape *shape;
  uint32_t triangle; /* of the shape; of no interest if only one is listed of each shape */
  uint32_t own;
} place;

static bool is_same_place(const place *a, const place *b, bool by_triangles) {
  return a->shape == b->shape && (!by_triangles || a->triangle == b->triangle);
}

static bool is_place_before(const place *a, const place *b) {
  if (a->shape != b->shape) {
    return a->shape < b->shape;
  }
  return a->triangle != b->triangle ? a->triangle < b->triangle : a->own < b->own;
}

/* --- distances --- */

typedef struct mesh_distance {
  place at;
  oracle_distance found;
} mesh_distance;

static bool is_closer(const mesh_distance *a, const mesh_distance *b) {
  return a->found.distance != b->found.distance ? a->found.distance < b->found.distance
                                                : is_place_before(&a->at, &b->at);
}

static int compare_distances(const void *a, const void *b) {
  return is_closer(a, b) ? -1 : is_closer(b, a);
}

/* Keeps the closest pair of each place. */
static void add_distance(oracle_list *list, mesh_distance d, bool by_triangles) {
  mesh_distance *all = list->items;
  for (uint32_t i = 0; i < list->count; i++) {
    if (is_same_place(&all[i].at, &d.at, by_triangles)) {
      all[i] = is_closer(&d, &all[i]) ? d : all[i];
      return;
    }
  }
  *(mesh_distance *)oracle_list_add(list, sizeof d) = d;
}

static void expect_distances(const query_mesh *q, const mo_distance_def *def, oracle_list *list) {
  for (uint32_t i = 0; i < q->own.count; i++) {
    oracle_list some = {0};
    mo_distance_def one = *def;
    one.primitive = triangle_of(q, i);
    oracle_scene_distances(q->oracle, &one, true, &some);
    const oracle_distance *d = some.items;
    for (uint32_t k = 0; k < some.count; k++) {
      add_distance(list, (mesh_distance){{d[k].shape, d[k].triangle, i}, d[k]},
                   def->every_triangle);
    }
    oracle_list_free(&some);
  }
  if (list->count > 0) {
    qsort(list->items, list->count, sizeof(mesh_distance), compare_distances);
  }
}

static void check_distance(const mo_closest_hit *hit, const mesh_distance *expected) {
  const oracle_distance *d = &expected->found;
  FUZZ_CHECK(hit->found && hit->shape.index == d->shape->id.index && hit->triangle == d->triangle &&
                 hit->own_triangle == expected->at.own && hit->distance == d->distance,
             "shape %u, triangles %u and %u at %a, expected %u, %u and %u at %a", hit->shape.index,
             hit->triangle, hit->own_triangle, (double)hit->distance, d->shape->id.index,
             d->triangle, expected->at.own, (double)d->distance);
  FUZZ_CHECK(same_vec3(hit->point, d->found.point_a) && same_vec3(hit->from, d->found.point_b) &&
                 same_vec3(hit->normal, d->found.normal),
             "other points");
}

static void query_distance(const query_mesh *q, fuzz_bytes *b) {
  static mo_closest_hit hits[HITS];
  mo_closest_hit first;
  mo_distance_def def = mo_default_distance_def();
  const uint8_t options = fuzz_byte(b);
  oracle_list list = {0};
  uint32_t total;
  def.primitive = q->primitive;
  def.max_distance = options & 1 ? fabsf(fuzz_eighths(b)) : INFINITY;
  def.hit_volumes = options & 2;
  def.every_triangle = options & 4;
  def.filter = fuzz_filter(b);
  if (!is_answered(b, mo_scene_find_within(q->scene, &def, hits, HITS, &total, NULL))) {
    return;
  }
  expect_distances(q, &def, &list);
  const mesh_distance *expected = list.items;
  FUZZ_CHECK(total == list.count, "%u within, expected %u", total, list.count);
  for (uint32_t i = 0; i < total && i < HITS; i++) {
    check_distance(&hits[i], &expected[i]);
  }
  FUZZ_CHECK(mo_scene_find_closest(q->scene, &def, &first, NULL) == MO_OK, "find the closest");
  FUZZ_CHECK(first.found == (total > 0), "the closest of %u", total);
  if (total > 0) {
    check_distance(&first, &expected[0]);
  }
  oracle_list_free(&list);
}

/* --- casts --- */

typedef struct mesh_contact {
  place at;
  oracle_contact found;
} mesh_contact;

/* As the first contact of a place is chosen. */
static bool is_preferred(const mesh_contact *a, const mesh_contact *b) {
  if (oracle_contact_is_before(&a->found, &b->found)) {
    return true;
  }
  return !oracle_contact_is_before(&b->found, &a->found) && a->at.own < b->at.own;
}

static bool is_listed_before(const mesh_contact *a, const mesh_contact *b) {
  return a->found.t != b->found.t ? a->found.t < b->found.t : is_place_before(&a->at, &b->at);
}

static int compare_contacts(const void *a, const void *b) {
  return is_listed_before(a, b) ? -1 : is_listed_before(b, a);
}

static void add_contact(oracle_list *list, mesh_contact c, bool by_triangles) {
  mesh_contact *all = list->items;
  for (uint32_t i = 0; i < list->count; i++) {
    if (is_same_place(&all[i].at, &c.at, by_triangles)) {
      all[i] = is_preferred(&c, &all[i]) ? c : all[i];
      return;
    }
  }
  *(mesh_contact *)oracle_list_add(list, sizeof c) = c;
}

static void expect_contacts(const query_mesh *q, const mo_shape_cast_def *def, oracle_list *list) {
  for (uint32_t i = 0; i < q->own.count; i++) {
    oracle_list some = {0};
    mo_shape_cast_def one = *def;
    one.primitive = triangle_of(q, i);
    one.options.every_triangle = true;
    oracle_scene_contacts(q->oracle, NULL, &one, &some);
    const oracle_contact *c = some.items;
    for (uint32_t k = 0; k < some.count; k++) {
      add_contact(list, (mesh_contact){{c[k].shape, c[k].triangle, i}, c[k]},
                  def->options.every_triangle);
    }
    oracle_list_free(&some);
  }
  if (list->count > 0) {
    qsort(list->items, list->count, sizeof(mesh_contact), compare_contacts);
  }
}

static void check_contact(const mo_cast_hit *hit, const mesh_contact *expected) {
  const oracle_contact *c = &expected->found;
  FUZZ_CHECK(hit->found && hit->t == c->t && hit->shape.index == c->shape->id.index &&
                 hit->triangle == c->triangle && hit->own_triangle == expected->at.own,
             "shape %u, triangles %u and %u at %a, expected %u, %u and %u at %a", hit->shape.index,
             hit->triangle, hit->own_triangle, (double)hit->t, c->shape->id.index, c->triangle,
             expected->at.own, (double)c->t);
}

static const mesh_contact *first_contact(const oracle_list *list) {
  const mesh_contact *all = list->items, *best = &all[0];
  for (uint32_t i = 1; i < list->count; i++) {
    best = is_preferred(&all[i], best) ? &all[i] : best;
  }
  return best;
}

static void query_cast(const query_mesh *q, fuzz_bytes *b) {
  static mo_cast_hit hits[HITS];
  mo_cast_hit first;
  mo_shape_cast_def def = mo_default_shape_cast_def();
  const uint8_t options = fuzz_byte(b);
  oracle_list list = {0};
  uint32_t total;
  bool any;
  def.primitive = q->primitive;
  def.displacement = fuzz_vec3(b);
  def.options.hit_volumes = options & 1;
  def.options.cull_back_faces = (options & 6) == 2;
  def.angle = options & 4 ? (float)(int8_t)fuzz_byte(b) / 32 : 0;
  def.axis = (mo_vec3){options & 8 ? 1 : 0, 1, 0};
  def.options.every_triangle = options & 16;
  def.options.filter = fuzz_filter(b);
  if (!is_answered(b, mo_scene_cast_shape_all(q->scene, &def, hits, HITS, &total, NULL))) {
    return;
  }
  expect_contacts(q, &def, &list);
  const mesh_contact *expected = list.items;
  FUZZ_CHECK(total == list.count, "%u contacts, expected %u", total, list.count);
  for (uint32_t i = 0; i < total && i < HITS; i++) {
    check_contact(&hits[i], &expected[i]);
  }
  FUZZ_CHECK(mo_scene_test_shape_cast(q->scene, &def, &any, NULL) == MO_OK && any == (total > 0),
             "it meets one of two");
  FUZZ_CHECK(mo_scene_cast_shape(q->scene, &def, &first, NULL) == MO_OK, "cast");
  FUZZ_CHECK(first.found == (total > 0), "the first of %u", total);
  if (total > 0) {
    check_contact(&first, first_contact(&list));
  }
  oracle_list_free(&list);
}

/* What a separation promises: at its end no triangle of the mesh touches anything any more. If one
 * does at the start, then it overlaps; casts, by which it goes, also find what nearly touches. */
static void query_separation(const query_mesh *q, fuzz_bytes *b) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  mo_separation separation;
  query_mesh there = *q;
  oracle_list shapes = {0}, triangles = {0};
  def.primitive = q->primitive;
  def.options.hit_volumes = true;
  def.options.filter = fuzz_filter(b);
  if (!is_answered(b, mo_scene_find_separation(q->scene, &def, &separation, NULL))) {
    return;
  }
  expect_overlaps(q, &def.options.filter, &shapes, &triangles);
  FUZZ_CHECK(separation.overlaps || shapes.count == 0, "it overlaps %u shapes", shapes.count);
  if (separation.found) {
    mo_vec3 *origin = &there.primitive.transform.origin;
    shapes.count = triangles.count = 0;
    *origin = mo_add(*origin, separation.translation);
    expect_overlaps(&there, &def.options.filter, &shapes, &triangles);
    FUZZ_CHECK(shapes.count == 0, "at the end it overlaps %u shapes", shapes.count);
  }
  oracle_list_free(&shapes);
  oracle_list_free(&triangles);
}

void fuzz_query_mesh(const mo_scene *scene, const oracle_scene *oracle, fuzz_bytes *b) {
  static void (*const queries[])(const query_mesh *, fuzz_bytes *) = {
      query_distance, query_cast, query_overlap, query_separation};
  query_mesh q = {.scene = scene, .oracle = oracle};
  const uint32_t which = fuzz_below(b, sizeof queries / sizeof *queries);
  const mo_geometry geometry = {.type = MO_SHAPE_MESH,
                                .mesh = fuzz_supplies_get()->meshes[fuzz_below(b, FUZZ_MESHES)]};
  const mo_transform map = fuzz_transform(b);
  q.primitive = mo_primitive_of_geometry(&geometry, &map);
  oracle_mesh_read(&q.own, geometry.mesh);
  if (pair_count(&q) <= MAX_PAIRS) {
    queries[which](&q, b);
  }
  oracle_mesh_free(&q.own);
}
