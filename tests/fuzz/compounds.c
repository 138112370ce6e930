/* Compounds whose children, nested ones too, are added, moved, filtered, replaced and removed, and
 * which are placed several times: after each update, queries and contacts of pairs are those of the
 * flat scene. */
#include <stdlib.h>

#include "fuzz/placed.h"
#include "math/vector.h"

enum { MAX_CALLS = 60, MAX_HITS = 256, MAX_CONTACTS = 512 };

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

/* --- filters: those of the flat scene pass a shape if all levels on its path pass --- */

typedef struct both_filters {
  const placed_model *model;
  mo_filter of_placed, of_flat;
} both_filters;

static bool accept_flat(mo_shape_id shape, uint64_t user_data, void *context) {
  const both_filters *f = context;
  const placed_origin *at = &f->model->origins[shape.index];
  const mo_filter *filter = &f->of_placed;
  (void)user_data;
  bool all =
      at->shape.index != filter->ignore.index || at->shape.generation != filter->ignore.generation;
  for (uint32_t i = 0; i <= at->depth; i++) {
    const placed_level *l = &at->levels[i];
    all = all && (l->category & filter->mask) != 0 && (filter->category & l->mask) != 0;
  }
  return all;
}

static void decode_filters(const placed_model *m, fuzz_bytes *b, both_filters *f) {
  f->model = m;
  f->of_placed = fuzz_filter(b);
  f->of_flat = mo_default_filter();
  f->of_flat.accept = accept_flat;
  f->of_flat.context = f;
}

/* --- comparisons --- */

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void check_ray_hit(const placed_model *m, const mo_ray_hit *a, const mo_ray_hit *b) {
  FUZZ_CHECK(a->found == b->found, "found %d, expected %d", a->found, b->found);
  if (a->found) {
    FUZZ_CHECK(a->t == b->t && a->triangle == b->triangle && a->user_data == b->user_data &&
                   a->triangle_user_data == b->triangle_user_data && a->front == b->front &&
                   same_vec3(a->point, b->point) && same_vec3(a->normal, b->normal),
               "t %a, expected %a", (double)a->t, (double)b->t);
    placed_model_check_child(m, a->shape, a->child, b->shape);
  }
}

static void check_cast_hit(const placed_model *m, const mo_cast_hit *a, const mo_cast_hit *b) {
  FUZZ_CHECK(a->found == b->found, "found %d, expected %d", a->found, b->found);
  if (a->found) {
    FUZZ_CHECK(a->t == b->t && a->depth == b->depth && a->triangle == b->triangle &&
                   a->own_triangle == b->own_triangle && a->own_child == b->own_child &&
                   a->user_data == b->user_data && a->feature == b->feature &&
                   a->feature_index == b->feature_index && same_vec3(a->point, b->point) &&
                   same_vec3(a->normal, b->normal),
               "t %a, depth %a, expected %a, %a", (double)a->t, (double)a->depth, (double)b->t,
               (double)b->depth);
    placed_model_check_child(m, a->shape, a->child, b->shape);
  }
}

static void check_closest_hit(const placed_model *m, const mo_closest_hit *a,
                              const mo_closest_hit *b) {
  FUZZ_CHECK(a->found == b->found, "found %d, expected %d", a->found, b->found);
  if (a->found) {
    FUZZ_CHECK(a->distance == b->distance && a->triangle == b->triangle &&
                   a->own_triangle == b->own_triangle && a->own_child == b->own_child &&
                   a->user_data == b->user_data && a->feature == b->feature &&
                   a->feature_index == b->feature_index && same_vec3(a->point, b->point) &&
                   same_vec3(a->normal, b->normal) && same_vec3(a->from, b->from),
               "distance %a, expected %a", (double)a->distance, (double)b->distance);
    placed_model_check_child(m, a->shape, a->child, b->shape);
  }
}

static void check_results(mo_result placed, mo_result flat) {
  FUZZ_CHECK(placed == flat, "%s, expected %s", mo_result_name(placed), mo_result_name(flat));
}

static uint32_t check_totals(const uint32_t totals[2]) {
  FUZZ_CHECK(totals[0] == totals[1], "%u, expected %u", totals[0], totals[1]);
  return totals[0] < MAX_HITS ? totals[0] : MAX_HITS;
}

/* --- queries --- */

/* A primitive of any kind; often a compound, of which the children are in the scene too. */
static mo_primitive any_primitive(const placed_model *m, fuzz_bytes *b) {
  if (!fuzz_chance(b, 64)) {
    return fuzz_primitive_or_mesh(b);
  }
  mo_geometry geometry = {.type = MO_SHAPE_COMPOUND};
  geometry.compound = m->compounds[fuzz_below(b, PLACED_COMPOUNDS)];
  const mo_transform map = fuzz_transform(b);
  return mo_primitive_of_geometry(&geometry, &map);
}

static void query_ray(const placed_model *m, fuzz_bytes *b) {
  static mo_ray_hit hits[2][MAX_HITS];
  mo_ray_def ray = mo_default_ray_def();
  both_filters f;
  uint32_t totals[2] = {0, 0};
  const uint8_t options = fuzz_byte(b);
  ray.origin = fuzz_vec3(b);
  ray.direction = fuzz_vec3(b);
  ray.cull_back_faces = options & 1;
  ray.hit_volumes = options & 2;
  decode_filters(m, b, &f);
  mo_ray_def of_flat = ray;
  ray.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  const mo_result result =
      mo_scene_cast_ray_all(m->flat, &of_flat, hits[1], MAX_HITS, &totals[1], NULL);
  check_results(mo_scene_cast_ray_all(m->scene, &ray, hits[0], MAX_HITS, &totals[0], NULL), result);
  for (uint32_t i = 0, n = check_totals(totals); i < n; i++) {
    check_ray_hit(m, &hits[0][i], &hits[1][i]);
  }
  mo_ray_hit first;
  if (result == MO_OK) {
    expect(mo_scene_cast_ray(m->scene, &ray, &first, NULL), "cast a ray");
    FUZZ_CHECK(first.found == (totals[0] > 0), "the first of %u", totals[0]);
    check_ray_hit(m, &first, first.found ? &hits[1][0] : &first);
  }
}

static void query_overlap(const placed_model *m, fuzz_bytes *b) {
  static mo_child_ref children[MAX_HITS];
  static mo_shape_id shapes[MAX_HITS];
  static mo_triangle_ref triangles[2][MAX_HITS];
  mo_overlap_def def = mo_overlap_primitive_def(any_primitive(m, b));
  both_filters f;
  uint32_t totals[2] = {0, 0};
  if (fuzz_chance(b, 64)) {
    def = mo_overlap_point_def(def.primitive.transform.origin);
  }
  decode_filters(m, b, &f);
  mo_overlap_def of_flat = def;
  def.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  mo_result result = mo_scene_overlap_shapes(m->flat, &of_flat, shapes, MAX_HITS, &totals[1], NULL);
  check_results(mo_scene_overlap_children(m->scene, &def, children, MAX_HITS, &totals[0], NULL),
                result);
  for (uint32_t i = 0, n = check_totals(totals); i < n; i++) {
    placed_model_check_child(m, children[i].shape, children[i].child, shapes[i]);
  }
  totals[0] = totals[1] = 0;
  result = mo_scene_overlap_triangles(m->flat, &of_flat, triangles[1], MAX_HITS, &totals[1], NULL);
  check_results(
      mo_scene_overlap_triangles(m->scene, &def, triangles[0], MAX_HITS, &totals[0], NULL), result);
  for (uint32_t i = 0, n = check_totals(totals); i < n; i++) {
    const mo_triangle_ref *found = &triangles[0][i], *expected = &triangles[1][i];
    placed_model_check_child(m, found->shape, found->child, expected->shape);
    FUZZ_CHECK(found->triangle == expected->triangle, "triangle %u", i);
  }
}

static void query_point(const placed_model *m, fuzz_bytes *b) {
  mo_closest_def def = mo_default_closest_def();
  mo_closest_hit hits[2];
  both_filters f;
  def.point = fuzz_vec3(b);
  def.hit_volumes = fuzz_chance(b, 128);
  decode_filters(m, b, &f);
  mo_closest_def of_flat = def;
  def.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  const mo_result result = mo_scene_closest_point(m->flat, &of_flat, &hits[1], NULL);
  check_results(mo_scene_closest_point(m->scene, &def, &hits[0], NULL), result);
  if (result == MO_OK) {
    check_closest_hit(m, &hits[0], &hits[1]);
    expect(mo_scene_signed_distance(m->flat, &of_flat, &hits[1], NULL), "signed distance");
    expect(mo_scene_signed_distance(m->scene, &def, &hits[0], NULL), "signed distance");
    check_closest_hit(m, &hits[0], &hits[1]);
  }
}

static void query_distance(const placed_model *m, fuzz_bytes *b) {
  static mo_closest_hit hits[2][MAX_HITS];
  mo_distance_def def = mo_default_distance_def();
  both_filters f;
  uint32_t totals[2] = {0, 0};
  const uint8_t options = fuzz_byte(b);
  def.primitive = any_primitive(m, b);
  def.hit_volumes = options & 1;
  def.every_triangle = options & 2;
  def.max_distance = options & 4 ? fuzz_length(b) : INFINITY;
  decode_filters(m, b, &f);
  mo_distance_def of_flat = def;
  def.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  const mo_result result =
      mo_scene_find_within(m->flat, &of_flat, hits[1], MAX_HITS, &totals[1], NULL);
  check_results(mo_scene_find_within(m->scene, &def, hits[0], MAX_HITS, &totals[0], NULL), result);
  for (uint32_t i = 0, n = check_totals(totals); i < n; i++) {
    check_closest_hit(m, &hits[0][i], &hits[1][i]);
  }
}

static mo_shape_cast_def decode_cast(const placed_model *m, fuzz_bytes *b) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  const uint8_t options = fuzz_byte(b);
  def.primitive = any_primitive(m, b);
  def.displacement = fuzz_vec3(b);
  if (options & 1) {
    def.angle = (float)(int8_t)fuzz_byte(b) / 32;
    def.axis = (mo_vec3){options & 2 ? 1 : 0, 1, 0};
  }
  def.options.hit_volumes = options & 4;
  def.options.every_triangle = options & 8;
  return def;
}

static void query_cast(const placed_model *m, fuzz_bytes *b) {
  static mo_cast_hit hits[2][MAX_HITS];
  mo_shape_cast_def def = decode_cast(m, b);
  mo_cast_hit first[2];
  both_filters f;
  uint32_t totals[2] = {0, 0};
  decode_filters(m, b, &f);
  mo_shape_cast_def of_flat = def;
  def.options.filter = f.of_placed;
  of_flat.options.filter = f.of_flat;
  const mo_result result =
      mo_scene_cast_shape_all(m->flat, &of_flat, hits[1], MAX_HITS, &totals[1], NULL);
  check_results(mo_scene_cast_shape_all(m->scene, &def, hits[0], MAX_HITS, &totals[0], NULL),
                result);
  for (uint32_t i = 0, n = check_totals(totals); i < n; i++) {
    check_cast_hit(m, &hits[0][i], &hits[1][i]);
  }
  if (result == MO_OK) {
    expect(mo_scene_cast_shape(m->flat, &of_flat, &first[1], NULL), "cast a shape");
    expect(mo_scene_cast_shape(m->scene, &def, &first[0], NULL), "cast a shape");
    check_cast_hit(m, &first[0], &first[1]);
  }
}

static void query_separation(const placed_model *m, fuzz_bytes *b) {
  mo_shape_cast_def def = decode_cast(m, b), of_flat = def;
  mo_separation found[2];
  both_filters f;
  decode_filters(m, b, &f);
  def.options.filter = f.of_placed;
  of_flat.options.filter = f.of_flat;
  const mo_result result = mo_scene_find_separation(m->flat, &of_flat, &found[1], NULL);
  check_results(mo_scene_find_separation(m->scene, &def, &found[0], NULL), result);
  FUZZ_CHECK(result != MO_OK ||
                 (found[0].overlaps == found[1].overlaps && found[0].found == found[1].found &&
                  (!found[0].found || same_vec3(found[0].translation, found[1].translation))),
             "another separation");
}

static void query_character(const placed_model *m, fuzz_bytes *b) {
  mo_character_def def = mo_default_character_def();
  mo_character_move_result moved[2];
  both_filters f;
  def.primitive = fuzz_primitive(b);
  def.displacement = fuzz_vec3(b);
  decode_filters(m, b, &f);
  mo_character_def of_flat = def;
  def.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  const mo_result result = mo_character_move(m->flat, &of_flat, &moved[1], NULL);
  check_results(mo_character_move(m->scene, &def, &moved[0], NULL), result);
  if (result == MO_OK) {
    const mo_vec3 p = moved[0].transform.origin, q = moved[1].transform.origin;
    FUZZ_CHECK(same_vec3(p, q), "it moves to %a %a %a, expected %a %a %a", (double)p.x, (double)p.y,
               (double)p.z, (double)q.x, (double)q.y, (double)q.z);
  }
}

/* --- contacts --- */

static void check_contact(const placed_model *m, const mo_contact *a, const mo_contact *b) {
  const mo_manifold *p = &a->manifold, *q = &b->manifold;
  FUZZ_CHECK(a->triangle_a == b->triangle_a && a->triangle_b == b->triangle_b &&
                 a->user_data_a == b->user_data_a && a->user_data_b == b->user_data_b &&
                 p->touching == q->touching && p->point_count == q->point_count &&
                 (p->point_count == 0 || same_vec3(p->normal, q->normal)),
             "%u points, expected %u", p->point_count, q->point_count);
  for (uint32_t i = 0; i < p->point_count; i++) {
    FUZZ_CHECK(same_vec3(p->points[i].position, q->points[i].position) &&
                   p->points[i].separation == q->points[i].separation &&
                   p->points[i].id == q->points[i].id,
               "point %u", i);
  }
  if (b->a.generation == 0) {
    FUZZ_CHECK(a->a.generation == 0 && a->child_a == b->child_a, "another child of the primitive");
  } else {
    placed_model_check_child(m, a->a, a->child_a, b->a);
  }
  placed_model_check_child(m, a->b, a->child_b, b->b);
}

/* The flat shapes of a shape of the scene: from the first that is returned to `*end`. */
static uint32_t find_flat(const placed_model *m, mo_shape_id shape, uint32_t *end) {
  uint32_t i = 0;
  while (i < m->flat_count && m->origins[i].shape.index < shape.index) {
    i++;
  }
  *end = i;
  while (*end < m->flat_count && m->origins[*end].shape.index == shape.index) {
    ++*end;
  }
  return i;
}

static void collide_pair(const placed_model *m, const mo_pair *pair, const mo_collide_def *def) {
  static mo_contact contacts[MAX_CONTACTS], expected[MAX_CONTACTS];
  mo_shape_id ids[PLACED_FLAT];
  uint32_t count, total, expected_count = 0, ends[2];
  const uint32_t first = find_flat(m, pair->a, &ends[0]), second = find_flat(m, pair->b, &ends[1]);
  expect(mo_scene_get_shapes(m->flat, ids, PLACED_FLAT, &count), "get flat shapes");
  for (uint32_t i = first; i < ends[0]; i++) {
    for (uint32_t k = second; k < ends[1]; k++) {
      const mo_pair flat = {ids[i], ids[k]};
      uint32_t more;
      expect(mo_scene_collide_pair(m->flat, &flat, def, expected + expected_count,
                                   MAX_CONTACTS - expected_count, &more),
             "collide flat shapes");
      expected_count += more;
      if (expected_count >= MAX_CONTACTS) {
        return;
      }
    }
  }
  expect(mo_scene_collide_pair(m->scene, pair, def, contacts, MAX_CONTACTS, &total), "collide");
  FUZZ_CHECK(total == expected_count, "%u contacts, expected %u", total, expected_count);
  for (uint32_t i = 0; i < total; i++) {
    check_contact(m, &contacts[i], &expected[i]);
  }
}

/* Of two shapes, in both orders. */
static void query_contacts(const placed_model *m, fuzz_bytes *b) {
  mo_shape_id ids[PLACED_SHAPES];
  uint32_t count;
  mo_collide_def def = mo_default_collide_def();
  def.cull_back_faces = fuzz_chance(b, 128);
  const uint32_t first = fuzz_byte(b), second = fuzz_byte(b);
  expect(mo_scene_get_shapes(m->scene, ids, PLACED_SHAPES, &count), "get shapes");
  if (count > 1) {
    const mo_shape_id one = ids[first % count],
                      other = ids[(first + 1 + second % (count - 1)) % count];
    collide_pair(m, &(mo_pair){one, other}, &def);
    collide_pair(m, &(mo_pair){other, one}, &def);
  }
}

static const placed_model *compared; /* by compare_flat_contacts */

static int compare_numbers(uint32_t a, uint32_t b) {
  return (a > b) - (a < b);
}

/* The order that contacts of a shape in no scene have in the placed scene. */
static int compare_flat_contacts(const void *a, const void *b) {
  const mo_contact *x = a, *y = b;
  const int by_shape = compare_numbers(compared->origins[x->b.index].shape.index,
                                       compared->origins[y->b.index].shape.index);
  return by_shape != 0                    ? by_shape
         : x->child_a != y->child_a       ? compare_numbers(x->child_a, y->child_a)
         : x->b.index != y->b.index       ? compare_numbers(x->b.index, y->b.index)
         : x->triangle_a != y->triangle_a ? compare_numbers(x->triangle_a, y->triangle_a)
                                          : compare_numbers(x->triangle_b, y->triangle_b);
}

/* Of a shape in no scene, which may be a mesh or compound. */
static void query_shape_contacts(const placed_model *m, fuzz_bytes *b) {
  static mo_contact contacts[MAX_CONTACTS], expected[MAX_CONTACTS];
  mo_collide_shape_def def = mo_default_collide_shape_def();
  both_filters f;
  uint32_t total = 0, expected_total = 0;
  const uint8_t options = fuzz_byte(b);
  def.primitive = any_primitive(m, b);
  def.cull_back_faces = options & 1;
  def.hit_volumes = options & 2;
  decode_filters(m, b, &f);
  mo_collide_shape_def of_flat = def;
  def.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  const mo_result result =
      mo_scene_collide_shape(m->flat, &of_flat, expected, MAX_CONTACTS, &expected_total, NULL);
  check_results(mo_scene_collide_shape(m->scene, &def, contacts, MAX_CONTACTS, &total, NULL),
                result);
  FUZZ_CHECK(total == expected_total, "%u contacts, expected %u", total, expected_total);
  if (total <= MAX_CONTACTS) {
    compared = m;
    qsort(expected, total, sizeof *expected, compare_flat_contacts);
    for (uint32_t i = 0; i < total; i++) {
      check_contact(m, &contacts[i], &expected[i]);
    }
  }
}

static void query(const placed_model *m, fuzz_bytes *b) {
  static void (*const queries[])(const placed_model *, fuzz_bytes *) = {
      query_cast,  query_overlap,    query_contacts,  query_ray,           query_distance,
      query_point, query_separation, query_character, query_shape_contacts};
  queries[fuzz_below(b, sizeof queries / sizeof *queries)](m, b);
}

/* Between a change of children and the update, queries are safe. */
static void query_before_update(const placed_model *m, fuzz_bytes *b) {
  mo_shape_cast_def cast = decode_cast(m, b);
  mo_ray_def ray = mo_default_ray_def();
  mo_cast_hit hit;
  mo_ray_hit ray_hit;
  mo_shape_def child;
  ray.origin = fuzz_vec3(b);
  ray.direction = fuzz_vec3(b);
  if (mo_scene_cast_shape(m->scene, &cast, &hit, NULL) == MO_OK && hit.found) {
    const mo_result result = mo_scene_get_child(m->scene, hit.shape, hit.child, &child);
    FUZZ_CHECK(result == MO_OK || result == MO_ERROR_INVALID_ARGUMENT, "%s",
               mo_result_name(result));
  }
  mo_scene_cast_ray(m->scene, &ray, &ray_hit, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes b = {.data = data, .size = size};
  static placed_model m;
  placed_model_create(&m, &b);
  for (int i = 0; i < MAX_CALLS && fuzz_has_more(&b); i++) {
    const uint32_t which = fuzz_below(&b, 16);
    if (which < 8) {
      placed_model_change(&m, &b);
    } else if (which == 15) {
      query_before_update(&m, &b);
    } else {
      placed_model_settle(&m);
      if (!m.overflowed) {
        query(&m, &b);
      }
    }
  }
  placed_model_destroy(&m);
  return 0;
}
