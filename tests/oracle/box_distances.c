/* Distances by loops over all shapes. */
#include "oracle/box_distances.h"

#include "geometry/distance/distance.h"
#include "support/defs.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *need(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  cr_assert_not_null(memory);
  return memory;
}

static bool is_half_space(const near_shapes *shapes, uint32_t i) {
  return shapes->defs[i].geometry.type == MO_SHAPE_HALF_SPACE;
}

void near_shapes_read(near_shapes *shapes, const mo_scene *scene) {
  uint32_t count = mo_scene_shape_count(scene);
  shapes->count = count;
  shapes->ids = need(count, sizeof *shapes->ids);
  shapes->defs = need(count, sizeof *shapes->defs);
  shapes->boxes = need(count, sizeof *shapes->boxes);
  shapes->half_spaces = need(count, sizeof *shapes->half_spaces);
  uint32_t total;
  cr_assert_eq(mo_scene_get_shapes(scene, shapes->ids, count, &total), MO_OK);
  cr_assert_eq(total, count);
  for (uint32_t i = 0; i < count; i++) {
    cr_assert_eq(mo_scene_get_shape(scene, shapes->ids[i], &shapes->defs[i]), MO_OK);
    cr_assert_eq(mo_scene_get_bounds(scene, shapes->ids[i], &shapes->boxes[i]), MO_OK);
    if (is_half_space(shapes, i)) {
      cr_assert_eq(mo_half_space_make(&shapes->half_spaces[i], &shapes->defs[i].geometry.half_space,
                                      &shapes->defs[i].transform, NULL),
                   MO_OK);
    }
  }
}

void near_shapes_free(near_shapes *shapes) {
  free(shapes->ids);
  free(shapes->defs);
  free(shapes->boxes);
  free(shapes->half_spaces);
  *shapes = (near_shapes){0};
}

static double gap(double lower_a, double upper_a, double lower_b, double upper_b) {
  return upper_a < lower_b ? lower_b - upper_a : upper_b < lower_a ? lower_a - upper_b : 0.0;
}

double near_distance2(mo_aabb a, mo_aabb b) {
  double x = gap(a.lower.x, a.upper.x, b.lower.x, b.upper.x);
  double y = gap(a.lower.y, a.upper.y, b.lower.y, b.upper.y);
  double z = gap(a.lower.z, a.upper.z, b.lower.z, b.upper.z);
  return x * x + y * y + z * z;
}

/* From a box. */
static double distance2_of(const near_shapes *shapes, uint32_t i, mo_aabb from) {
  if (!is_half_space(shapes, i)) {
    return near_distance2(from, shapes->boxes[i]);
  }
  double height = fmax(mo_half_space_min_box_height(&shapes->half_spaces[i], from), 0);
  return height * height;
}

static mo_body body_of(const near_shapes *shapes, uint32_t i) {
  return is_half_space(shapes, i) ? mo_body_of_half_space(&shapes->half_spaces[i])
                                  : mo_body_of_aabb(shapes->boxes[i]);
}

static bool are_near(const near_shapes *shapes, uint32_t a, uint32_t b, float distance) {
  if (!is_half_space(shapes, a) && !is_half_space(shapes, b)) {
    return near_distance2(shapes->boxes[a], shapes->boxes[b]) <=
           (double)distance * (double)distance;
  }
  const mo_body first = body_of(shapes, a), second = body_of(shapes, b);
  return mo_half_space_within(&first, &second, distance);
}

bool near_filter_passes(const mo_filter *filter, const near_shapes *shapes, uint32_t i) {
  const mo_shape_def *def = &shapes->defs[i];
  mo_shape_id id = shapes->ids[i];
  return (def->category & filter->mask) && (filter->category & def->mask) &&
         !(filter->ignore.index == id.index && filter->ignore.generation == id.generation) &&
         (filter->accept == NULL || filter->accept(id, def->user_data, filter->context));
}

static bool comes_after(const mo_near_shape *a, const mo_near_shape *b) {
  return a->distance2 != b->distance2 ? a->distance2 > b->distance2
                                      : a->shape.index > b->shape.index;
}

static int compare(const void *a, const void *b) {
  return comes_after(a, b) ? 1 : comes_after(b, a) ? -1 : 0;
}

mo_near_shape *near_list(const near_shapes *shapes, const mo_near_def *def, uint32_t *count) {
  mo_near_shape *list = need(shapes->count, sizeof *list);
  double limit = (double)def->max_distance * (double)def->max_distance;
  uint32_t n = 0;
  for (uint32_t i = 0; i < shapes->count; i++) {
    double distance2 = distance2_of(shapes, i, def->from);
    mo_near_shape shape = {shapes->ids[i], shapes->defs[i].user_data, sqrt(distance2), distance2};
    if (distance2 <= limit && (def->after == NULL || comes_after(&shape, def->after)) &&
        near_filter_passes(&def->filter, shapes, i)) {
      list[n++] = shape;
    }
  }
  qsort(list, n, sizeof *list, compare);
  *count = n;
  return list;
}

/* The results that a visit must give; it takes `max` of them. */
typedef struct taking {
  const mo_near_shape *expected;
  uint32_t count, taken, max;
} taking;

static bool take(const mo_near_shape *shape, void *context) {
  taking *t = context;
  cr_assert_lt(t->taken, t->count, "more shapes than there are");
  cr_assert_eq(memcmp(shape, &t->expected[t->taken], sizeof *shape), 0,
               "shape %u at %a, not %u at %a", shape->shape.index, shape->distance2,
               t->expected[t->taken].shape.index, t->expected[t->taken].distance2);
  t->taken++;
  return t->taken < t->max;
}

void near_check(const mo_scene *scene, const near_shapes *shapes, const mo_near_def *def, rng *r) {
  uint32_t count, number = 77, capacity = rng_below(r, 12);
  mo_near_shape *expected = near_list(shapes, def, &count);
  mo_near_shape *found = need(count + 20, sizeof *found);
  capacity = rng_chance(r, 0.2) ? count + rng_below(r, 3) : capacity;
  uint32_t written = capacity < count ? capacity : count;
  cr_assert_eq(mo_scene_find_near(scene, def, found, capacity, &number, NULL), MO_OK);
  cr_assert_eq(number, count);
  cr_assert_eq(memcmp(found, expected, written * sizeof *found), 0);
  memset(found, 0x11, written * sizeof *found);
  cr_assert_eq(mo_scene_find_nearest(scene, def, found, capacity, &number, NULL), MO_OK);
  cr_assert_eq(number, written);
  cr_assert_eq(memcmp(found, expected, written * sizeof *found), 0);
  taking t = {expected, count, 0, rng_chance(r, 0.5) ? UINT32_MAX : 1 + rng_below(r, 20)};
  mo_query_stats stats = {0};
  cr_assert_eq(mo_scene_visit_nearest(scene, def, take, &t, &stats), MO_OK);
  cr_assert_eq(t.taken, count < t.max ? count : t.max);
  cr_assert_eq(stats.shape_count, t.taken);
  free(found);
  free(expected);
}

static bool pair_passes(const near_shapes *shapes, uint32_t a, uint32_t b,
                        const mo_pair_query_def *def) {
  const mo_shape_def *x = &shapes->defs[a], *y = &shapes->defs[b];
  if (x->motion == MO_MOTION_STATIC && y->motion == MO_MOTION_STATIC) {
    return false;
  }
  if (def->awake_only && x->motion != MO_MOTION_DYNAMIC && y->motion != MO_MOTION_DYNAMIC) {
    return false;
  }
  mo_pair pair = {shapes->ids[a], shapes->ids[b]};
  return (x->category & y->mask) && (y->category & x->mask) &&
         (def->accept == NULL || def->accept(&pair, x->user_data, y->user_data, def->context));
}

static bool count_pair(const mo_pair *pair, void *context) {
  uint32_t *left = context;
  cr_assert_lt(pair->a.index, pair->b.index);
  return --*left > 0;
}

void near_check_pairs(const mo_scene *scene, const near_shapes *shapes, float distance,
                      const mo_pair_query_def *def, rng *r) {
  uint32_t count = 0, total = 77;
  size_t max = (size_t)shapes->count * shapes->count / 2;
  mo_pair *expected = need(max, sizeof *expected), *found = need(max, sizeof *found);
  for (uint32_t a = 0; a < shapes->count; a++) {
    for (uint32_t b = a + 1; b < shapes->count; b++) {
      if (are_near(shapes, a, b, distance) && pair_passes(shapes, a, b, def)) {
        expected[count++] = (mo_pair){shapes->ids[a], shapes->ids[b]};
      }
    }
  }
  uint32_t capacity = rng_chance(r, 0.5) ? count : rng_below(r, count + 1);
  cr_assert_eq(mo_scene_find_near_pairs(scene, distance, def, found, capacity, &total), MO_OK);
  cr_assert_eq(total, count);
  cr_assert_eq(memcmp(found, expected, capacity * sizeof *found), 0);
  uint32_t left = UINT32_MAX;
  cr_assert_eq(mo_scene_visit_near_pairs(scene, distance, def, count_pair, &left), MO_OK);
  cr_assert_eq(UINT32_MAX - left, count);
  if (count > 1) {
    left = 1 + rng_below(r, count - 1);
    cr_assert_eq(mo_scene_visit_near_pairs(scene, distance, def, count_pair, &left), MO_OK);
    cr_assert_eq(left, 0, "stopped when told to");
  }
  free(expected);
  free(found);
}

static uint32_t level_of(const mo_level_def *def, const near_shapes *shapes, uint32_t shape) {
  mo_aabb eye = {def->eye, def->eye}, box = shapes->boxes[shape];
  double distance2 = distance2_of(shapes, shape, eye);
  double x = (double)box.upper.x - (double)box.lower.x;
  double y = (double)box.upper.y - (double)box.lower.y;
  double z = (double)box.upper.z - (double)box.lower.z;
  for (uint32_t i = 0; i < def->level_count; i++) {
    double t = def->thresholds[i];
    if (def->measure == MO_LEVEL_BY_DISTANCE ? distance2 <= t * t
                                             : x * x + y * y + z * z >= t * t * distance2) {
      return i;
    }
  }
  return def->level_count;
}

void near_check_levels(const mo_scene *scene, const near_shapes *shapes, const mo_level_def *def,
                       rng *r) {
  uint32_t count = 0, total = 77, visible = 0;
  mo_level_result *expected = need(shapes->count, sizeof *expected);
  mo_level_result *found = need(shapes->count, sizeof *found);
  mo_cull_result *culled = need(shapes->count, sizeof *culled);
  cr_assert_eq(mo_scene_cull_planes(scene, OF_PLANES(def->planes, def->plane_count, &def->filter),
                                    culled, shapes->count, &visible, NULL),
               MO_OK);
  for (uint32_t i = 0, seen = 0; i < shapes->count && seen < visible; i++) {
    if (shapes->ids[i].index != culled[seen].shape.index) {
      continue;
    }
    seen++;
    uint32_t level = level_of(def, shapes, i);
    if (level < def->level_count) {
      expected[count++] = (mo_level_result){shapes->ids[i], level};
    }
  }
  uint32_t capacity = rng_chance(r, 0.7) ? count : rng_below(r, count + 1);
  cr_assert_eq(mo_scene_find_levels(scene, def, found, capacity, &total, NULL), MO_OK);
  cr_assert_eq(total, count);
  for (uint32_t i = 0; i < capacity; i++) {
    cr_assert(found[i].shape.index == expected[i].shape.index &&
                  found[i].shape.generation == expected[i].shape.generation &&
                  found[i].level == expected[i].level,
              "shape %u, level %u, not %u, %u", found[i].shape.index, found[i].level,
              expected[i].shape.index, expected[i].level);
  }
  free(expected);
  free(found);
  free(culled);
}
