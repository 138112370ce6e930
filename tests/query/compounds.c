/* Queries on scenes with compounds, against flat scenes, in which each child that is no compound is
 * a shape of its own with the composed transform. Only the composition of transforms is common to
 * both sides. */
#include "query/placed_scenes.h"

enum { MAX_HITS = 20000, QUERIES = 60 };

/* --- comparisons --- */

static void expect_same_shape(mo_shape_id shape, uint32_t child, mo_shape_id of_flat) {
  const flat_origin *at = &origins[of_flat.index];
  cr_assert_eq(shape.index, at->shape.index);
  cr_assert_eq(shape.generation, at->shape.generation);
  cr_assert_eq(child, at->child, "child %u, not %u", child, at->child);
}

static void expect_same_vectors(mo_vec3 a, mo_vec3 b) {
  cr_assert(memcmp(&a, &b, sizeof a) == 0 || (a.x == b.x && a.y == b.y && a.z == b.z));
}

static void expect_same_ray_hits(const mo_ray_hit *a, const mo_ray_hit *b) {
  cr_assert_eq(a->found, b->found, "t %a or %a", a->t, b->t);
  if (!a->found) {
    return;
  }
  cr_assert_eq(a->t, b->t, "t is %a, not %a", a->t, b->t);
  expect_same_shape(a->shape, a->child, b->shape);
  cr_assert_eq(a->user_data, b->user_data);
  cr_assert_eq(a->triangle, b->triangle);
  cr_assert_eq(a->triangle_user_data, b->triangle_user_data);
  expect_same_vectors(a->point, b->point);
  expect_same_vectors(a->normal, b->normal);
  cr_assert(a->u == b->u && a->v == b->v && a->front == b->front);
}

static void expect_same_closest_hits(const mo_closest_hit *a, const mo_closest_hit *b) {
  cr_assert_eq(a->found, b->found, "distance %a or %a", a->distance, b->distance);
  if (!a->found) {
    return;
  }
  cr_assert_eq(a->distance, b->distance, "distance %a, not %a", a->distance, b->distance);
  expect_same_shape(a->shape, a->child, b->shape);
  cr_assert_eq(a->user_data, b->user_data);
  cr_assert_eq(a->triangle, b->triangle);
  cr_assert_eq(a->triangle_user_data, b->triangle_user_data);
  cr_assert(a->feature == b->feature && a->feature_index == b->feature_index);
  expect_same_vectors(a->point, b->point);
  expect_same_vectors(a->normal, b->normal);
  expect_same_vectors(a->from, b->from);
  cr_assert(a->u == b->u && a->v == b->v && a->own_triangle == b->own_triangle);
}

static void expect_same_cast_hits(const mo_cast_hit *a, const mo_cast_hit *b) {
  cr_assert_eq(a->found, b->found, "t %a or %a", a->t, b->t);
  if (!a->found) {
    return;
  }
  cr_assert(a->t == b->t && a->depth == b->depth, "t %a, not %a; depth %a, not %a", a->t, b->t,
            a->depth, b->depth);
  expect_same_shape(a->shape, a->child, b->shape);
  cr_assert_eq(a->user_data, b->user_data);
  cr_assert_eq(a->triangle, b->triangle);
  cr_assert_eq(a->triangle_user_data, b->triangle_user_data);
  expect_same_vectors(a->point, b->point);
  expect_same_vectors(a->normal, b->normal);
  cr_assert(a->feature == b->feature && a->feature_index == b->feature_index);
  cr_assert(a->own_feature == b->own_feature && a->own_feature_index == b->own_feature_index);
  cr_assert_eq(a->own_triangle, b->own_triangle);
}

/* Compares a list of shapes of the scene with compounds with one of the flat scene. */
static void expect_same_shapes(const mo_shape_id *a, uint32_t count, const mo_shape_id *b,
                               uint32_t flat_total) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < flat_total; i++) {
    const mo_shape_id shape = origins[b[i].index].shape;
    if (at == 0 || a[at - 1].index != shape.index) {
      cr_assert_lt(at, count);
      cr_assert_eq(a[at++].index, shape.index);
    }
  }
  cr_assert_eq(at, count);
}

/* --- queries --- */

static union {
  mo_ray_hit rays[MAX_HITS];
  mo_cast_hit casts[MAX_HITS];
  mo_closest_hit closest[MAX_HITS];
  mo_triangle_ref triangles[MAX_HITS];
  mo_child_ref children[MAX_HITS];
  mo_shape_id shapes[MAX_HITS];
} lists[2];

static uint32_t total[2], hit_count;

/* Accepts triangles by the shape and child that they belong to. The context of defs for the flat
 * scene is not null. */
static bool accept_some(mo_triangle_ref ref, void *is_flat) {
  const flat_origin *at = &origins[ref.shape.index];
  return is_flat != NULL ? (at->shape.index + 5 * at->child + ref.triangle) % 3 != 0
                         : (ref.shape.index + 5 * ref.child + ref.triangle) % 3 != 0;
}

static bool accept_some_hits(mo_triangle_ref ref, float t, void *is_flat) {
  cr_assert(t >= 0);
  return accept_some(ref, is_flat);
}

static void compare_batch(const mo_ray_def *ray) {
  mo_batch_def def = mo_default_batch_def();
  mo_ray_hit hit, single;
  uint32_t child = 0;
  def.options = *ray;
  def.count = 1;
  def.origins = (mo_vec3_array){.x = &ray->origin.x, .y = &ray->origin.y, .z = &ray->origin.z};
  def.directions =
      (mo_vec3_array){.x = &ray->direction.x, .y = &ray->direction.y, .z = &ray->direction.z};
  const mo_batch_output output = {.hit = {.data = &hit}, .child = {.data = &child}};
  cr_assert_eq(mo_scene_cast_rays(placed, &def, &output, NULL, NULL), MO_OK);
  cr_assert_eq(mo_scene_cast_ray(placed, ray, &single, NULL), MO_OK);
  cr_assert_eq(hit.found, single.found);
  if (hit.found) {
    cr_assert(hit.t == single.t && hit.child == single.child && child == single.child);
    cr_assert_eq(hit.user_data, single.user_data);
    expect_same_vectors(hit.normal, single.normal);
  }
}

static void compare_ray(const mo_ray_def *of_placed, const mo_ray_def *of_flat, bool with_stats) {
  mo_query_stats stats = {0};
  mo_query_stats *s = with_stats ? &stats : NULL;
  mo_ray_hit a, b;
  bool any[2];
  cr_assert_eq(mo_scene_cast_ray(placed, of_placed, &a, s), MO_OK);
  cr_assert_eq(mo_scene_cast_ray(flat, of_flat, &b, NULL), MO_OK);
  expect_same_ray_hits(&a, &b);
  hit_count += a.found;
  cr_assert_eq(mo_scene_test_ray(placed, of_placed, &any[0], s), MO_OK);
  cr_assert_eq(mo_scene_test_ray(flat, of_flat, &any[1], NULL), MO_OK);
  cr_assert_eq(any[0], any[1]);
  cr_assert_eq(mo_scene_cast_ray_all(placed, of_placed, lists[0].rays, MAX_HITS, &total[0], s),
               MO_OK);
  cr_assert_eq(mo_scene_cast_ray_all(flat, of_flat, lists[1].rays, MAX_HITS, &total[1], NULL),
               MO_OK);
  cr_assert_eq(total[0], total[1]);
  for (uint32_t i = 0; i < total[0] && i < MAX_HITS; i++) {
    expect_same_ray_hits(&lists[0].rays[i], &lists[1].rays[i]);
  }
  mo_ray_cursor cursor;
  cr_assert_eq(mo_ray_cursor_init(&cursor, NULL), MO_OK);
  for (uint32_t i = 0; i <= total[0] && i < MAX_HITS; i++) {
    cr_assert_eq(mo_scene_next_hit(placed, of_placed, &cursor, &a, NULL), MO_OK);
    b = i < total[0] ? lists[1].rays[i] : (mo_ray_hit){.found = false};
    expect_same_ray_hits(&a, &b);
  }
}

static void ask_ray(rng *r) {
  const sample_target target = test_scene_target(&base, r);
  const sample_ray_kind kind = (sample_ray_kind)rng_below(r, SAMPLE_RAY_KIND_COUNT);
  mo_ray_def ray = sample_ray(r, kind, &target);
  both_filters f;
  set_filters(&f, r);
  ray.hit_volumes = rng_chance(r, 0.5);
  ray.cull_back_faces = rng_chance(r, 0.3);
  ray.accept_triangle = rng_chance(r, 0.2) ? accept_some_hits : NULL;
  mo_ray_def of_flat = ray;
  ray.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  of_flat.accept_context = flat;
  compare_ray(&ray, &of_flat, rng_chance(r, 0.3));
  if (ray.max_t == INFINITY) {
    compare_batch(&ray);
  }
  mo_ray_hit a, b;
  cr_assert_eq(mo_scene_cast_ray(placed, &ray, &a, NULL), MO_OK);
  cr_assert_eq(mo_scene_cast_ray(flat, &of_flat, &b, NULL), MO_OK);
  if (a.found && a.triangle != MO_NO_TRIANGLE) {
    ray.ignore_triangle = of_flat.ignore_triangle = a.triangle;
    ray.ignore_triangle_shape = a.shape;
    ray.ignore_triangle_child = a.child;
    of_flat.ignore_triangle_shape = b.shape;
    compare_ray(&ray, &of_flat, false);
  }
}

static mo_overlap_def any_region(rng *r) {
  const sample_target target = test_scene_target(&base, r);
  mo_overlap_def def = mo_default_overlap_def();
  switch (rng_below(r, 5)) {
  case 0:
    return mo_overlap_aabb_def(sample_box(r, &target));
  case 1:
    return mo_overlap_sphere_def(sample_sphere(r, &target));
  case 2:
    return mo_overlap_point_def(sample_point(r, &target));
  case 3:
    return mo_overlap_primitive_def(sample_half_space(r, &target));
  default: {
    const mo_geometry geometry = test_scene_geometry(&base, r);
    mo_transform map = test_scene_transform(&base, r);
    map.origin = sample_point(r, &target);
    def = mo_overlap_primitive_def(mo_primitive_of_geometry(&geometry, &map));
    mo_shape_id shape;
    uint32_t count;
    /* A primitive that reaches beyond the range of coordinates is refused. */
    return mo_scene_overlap_shapes(flat, &def, &shape, 0, &count, NULL) == MO_OK
               ? def
               : mo_overlap_aabb_def(sample_box(r, &target));
  }
  }
}

static void ask_region(rng *r) {
  mo_overlap_def of_placed = any_region(r), of_flat;
  both_filters f;
  bool found[2];
  set_filters(&f, r);
  of_placed.accept_triangle = rng_chance(r, 0.2) ? accept_some : NULL;
  of_flat = of_placed;
  of_flat.accept_context = flat;
  of_placed.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  cr_assert_eq(mo_scene_overlap_shapes(flat, &of_flat, lists[1].shapes, MAX_HITS, &total[1], NULL),
               MO_OK);
  cr_assert_eq(
      mo_scene_overlap_shapes(placed, &of_placed, lists[0].shapes, MAX_HITS, &total[0], NULL),
      MO_OK);
  expect_same_shapes(lists[0].shapes, total[0], lists[1].shapes, total[1]);
  hit_count += total[0] > 0;
  cr_assert_eq(mo_scene_test_overlap(placed, &of_placed, &found[0], NULL), MO_OK);
  cr_assert_eq(found[0], total[0] > 0);
  cr_assert_eq(
      mo_scene_overlap_children(placed, &of_placed, lists[0].children, MAX_HITS, &total[0], NULL),
      MO_OK);
  cr_assert_eq(total[0], total[1]);
  for (uint32_t i = 0; i < total[0]; i++) {
    expect_same_shape(lists[0].children[i].shape, lists[0].children[i].child, lists[1].shapes[i]);
  }
  if (of_placed.type == MO_OVERLAP_POINT) {
    return;
  }
  mo_result result =
      mo_scene_overlap_triangles(flat, &of_flat, lists[1].triangles, MAX_HITS, &total[1], NULL);
  cr_assert_eq(result, MO_OK);
  cr_assert_eq(
      mo_scene_overlap_triangles(placed, &of_placed, lists[0].triangles, MAX_HITS, &total[0], NULL),
      MO_OK);
  cr_assert_eq(total[0], total[1]);
  for (uint32_t i = 0; i < total[0] && i < MAX_HITS; i++) {
    const mo_triangle_ref *a = &lists[0].triangles[i], *b = &lists[1].triangles[i];
    expect_same_shape(a->shape, a->child, b->shape);
    cr_assert_eq(a->triangle, b->triangle);
    if (i % 16 == 0) {
      mo_triangle one, other;
      cr_assert_eq(mo_scene_get_triangle(placed, *a, &one), MO_OK);
      cr_assert_eq(mo_scene_get_triangle(flat, *b, &other), MO_OK);
      cr_assert(memcmp(one.corners, other.corners, sizeof one.corners) == 0);
      cr_assert(one.child == a->child && one.user_data == other.user_data);
    }
  }
}

static void ask_point(rng *r) {
  const sample_target target = test_scene_target(&base, r);
  mo_closest_def of_placed = mo_default_closest_def(), of_flat;
  both_filters f;
  mo_closest_hit a, b;
  set_filters(&f, r);
  of_placed.point = sample_point(r, &target);
  of_placed.hit_volumes = rng_chance(r, 0.5);
  of_flat = of_placed;
  of_placed.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  cr_assert_eq(mo_scene_closest_point(placed, &of_placed, &a, NULL), MO_OK);
  cr_assert_eq(mo_scene_closest_point(flat, &of_flat, &b, NULL), MO_OK);
  expect_same_closest_hits(&a, &b);
  hit_count += a.found;
  cr_assert_eq(mo_scene_signed_distance(placed, &of_placed, &a, NULL), MO_OK);
  cr_assert_eq(mo_scene_signed_distance(flat, &of_flat, &b, NULL), MO_OK);
  expect_same_closest_hits(&a, &b);
}

static void ask_distance(rng *r) {
  mo_distance_def of_placed = mo_default_distance_def(), of_flat;
  both_filters f;
  mo_closest_hit a, b;
  set_filters(&f, r);
  of_placed.primitive = test_scene_primitive(&base, r);
  of_placed.hit_volumes = rng_chance(r, 0.5);
  of_placed.every_triangle = rng_chance(r, 0.3);
  of_flat = of_placed;
  of_placed.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  const mo_result result = mo_scene_find_closest(flat, &of_flat, &b, NULL);
  cr_assert_eq(mo_scene_find_closest(placed, &of_placed, &a, NULL), result);
  if (result != MO_OK) {
    return;
  }
  expect_same_closest_hits(&a, &b);
  hit_count += a.found;
  of_placed.max_distance = of_flat.max_distance = rng_float(r, 0, 8);
  cr_assert_eq(
      mo_scene_find_within(placed, &of_placed, lists[0].closest, MAX_HITS, &total[0], NULL), MO_OK);
  cr_assert_eq(mo_scene_find_within(flat, &of_flat, lists[1].closest, MAX_HITS, &total[1], NULL),
               MO_OK);
  cr_assert_eq(total[0], total[1]);
  for (uint32_t i = 0; i < total[0] && i < MAX_HITS; i++) {
    expect_same_closest_hits(&lists[0].closest[i], &lists[1].closest[i]);
  }
  if (total[0] > 2) {
    of_placed.after = &lists[0].closest[total[0] / 2];
    cr_assert_eq(mo_scene_find_closest(placed, &of_placed, &a, NULL), MO_OK);
    expect_same_closest_hits(&a, &lists[1].closest[total[0] / 2 + 1]);
  }
}

static void ask_cast(rng *r) {
  const sample_target from = test_scene_target(&base, r), to = test_scene_target(&base, r);
  mo_sphere_cast_def ball = mo_default_sphere_cast_def();
  mo_shape_cast_def body = mo_default_shape_cast_def();
  const bool is_ball = rng_chance(r, 0.4);
  both_filters f;
  set_filters(&f, r);
  ball.sphere = sample_sphere(r, &from);
  body.primitive = test_scene_primitive(&base, r);
  const mo_vec3 end = sample_point(r, &to);
  ball.displacement = body.displacement = mo_sub(end, ball.sphere.center);
  ball.options.hit_volumes = body.options.hit_volumes = rng_chance(r, 0.5);
  ball.options.every_triangle = body.options.every_triangle = rng_chance(r, 0.5);
  ball.options.accept_triangle = body.options.accept_triangle =
      rng_chance(r, 0.2) ? accept_some_hits : NULL;
  if (!is_ball && rng_chance(r, 0.3)) {
    body.axis = rng_direction(r);
    body.angle = rng_float(r, -3, 3);
    body.pivot = body.primitive.transform.origin;
  }
  mo_sphere_cast_def flat_ball = ball;
  mo_shape_cast_def flat_body = body;
  ball.options.filter = body.options.filter = f.of_placed;
  flat_ball.options.filter = flat_body.options.filter = f.of_flat;
  flat_ball.options.accept_context = flat_body.options.accept_context = flat;
  mo_cast_hit a, b;
  const mo_result result = is_ball ? mo_scene_cast_sphere(flat, &flat_ball, &b, NULL)
                                   : mo_scene_cast_shape(flat, &flat_body, &b, NULL);
  cr_assert_eq(is_ball ? mo_scene_cast_sphere(placed, &ball, &a, NULL)
                       : mo_scene_cast_shape(placed, &body, &a, NULL),
               result);
  if (result != MO_OK) {
    return;
  }
  expect_same_cast_hits(&a, &b);
  hit_count += a.found;
  if (is_ball) {
    mo_scene_cast_sphere_all(placed, &ball, lists[0].casts, MAX_HITS, &total[0], NULL);
    mo_scene_cast_sphere_all(flat, &flat_ball, lists[1].casts, MAX_HITS, &total[1], NULL);
  } else {
    mo_scene_cast_shape_all(placed, &body, lists[0].casts, MAX_HITS, &total[0], NULL);
    mo_scene_cast_shape_all(flat, &flat_body, lists[1].casts, MAX_HITS, &total[1], NULL);
  }
  cr_assert_eq(total[0], total[1]);
  for (uint32_t i = 0; i < total[0] && i < MAX_HITS; i++) {
    expect_same_cast_hits(&lists[0].casts[i], &lists[1].casts[i]);
  }
}

static void ask_fit(rng *r) {
  mo_shape_def shape = any_shape(r, 0);
  mo_fit_def of_placed = mo_default_fit_def(), of_flat;
  both_filters f;
  set_filters(&f, r);
  f.second = (level){shape.category, shape.mask};
  of_placed.shape = &shape;
  of_placed.hit_volumes = rng_chance(r, 0.5);
  of_placed.clearance = rng_chance(r, 0.5) ? rng_float(r, 0, 2) : 0;
  of_flat = of_placed;
  of_placed.filter = f.of_placed;
  of_flat.filter = f.of_flat;
  const mo_result result =
      mo_scene_find_obstacles(flat, &of_flat, lists[1].shapes, MAX_HITS, &total[1], NULL);
  cr_assert_eq(
      mo_scene_find_obstacles(placed, &of_placed, lists[0].shapes, MAX_HITS, &total[0], NULL),
      result);
  if (result == MO_OK) {
    expect_same_shapes(lists[0].shapes, total[0], lists[1].shapes, total[1]);
    hit_count += total[0] > 0;
  }
}

static mo_triangle triangles[2][MAX_HITS];
static uint32_t triangle_limit;

static bool list_triangle(const mo_triangle *triangle, void *context) {
  uint32_t *count = context;
  triangles[count - total][(*count)++] = *triangle;
  return *count < triangle_limit;
}

/* All triangles of a shape, of which the flat shapes begin at `first`, or the first of them. */
static void compare_triangles_of_shape(uint32_t first) {
  const mo_shape_id shape = origins[first].shape;
  bool is_legal_type = placed->shapes[shape.index].geometry.type == MO_SHAPE_COMPOUND;
  total[0] = total[1] = 0;
  for (uint32_t i = first; i < flat_count && origins[i].shape.index == shape.index; i++) {
    if (flat->shapes[i].geometry.type == MO_SHAPE_MESH && total[1] < triangle_limit) {
      mo_scene_visit_shape_triangles(flat, mo_shape_id_of(flat, i), list_triangle, &total[1]);
      is_legal_type = true;
    }
  }
  cr_assert_eq(mo_scene_visit_shape_triangles(placed, shape, list_triangle, &total[0]),
               is_legal_type ? MO_OK : MO_ERROR_INVALID_ARGUMENT);
  cr_assert_eq(total[0], total[1]);
  for (uint32_t i = 0; i < total[0]; i++) {
    const mo_triangle *a = &triangles[0][i], *b = &triangles[1][i];
    expect_same_shape(a->shape, a->child, b->shape);
    cr_assert(a->triangle == b->triangle && a->user_data == b->user_data);
    cr_assert(memcmp(a->corners, b->corners, sizeof a->corners) == 0);
  }
}

static void ask_triangles(rng *r) {
  for (uint32_t i = 0; i < flat_count; i++) {
    if (i == 0 || origins[i - 1].shape.index != origins[i].shape.index) {
      triangle_limit = rng_chance(r, 0.5) ? MAX_HITS : 1 + rng_below(r, 200);
      compare_triangles_of_shape(i);
    }
  }
}

static void ask_all(uint32_t queries, rng *r) {
  ask_triangles(r);
  for (uint32_t i = 0; i < queries && flat_count > 0; i++) {
    ask_ray(r);
    ask_region(r);
    ask_point(r);
    ask_distance(r);
    ask_cast(r);
    ask_fit(r);
  }
}

/* --- contacts --- */

static mo_vec3 anchor_of(mo_vec3 anchor, const flat_origin *at, mo_shape_id of_flat) {
  const mo_dvec3 from = mo_widen(placed->shapes[at->shape.index].affine.to_world.origin);
  const mo_dvec3 to = mo_widen(flat->shapes[of_flat.index].affine.to_world.origin);
  return at->depth == 0 ? anchor : mo_narrow(mo_dadd(mo_widen(anchor), mo_dsub(to, from)));
}

static void expect_same_contacts(const mo_contact *a, const mo_contact *b) {
  const flat_origin *at = &origins[b->a.index], *bt = &origins[b->b.index];
  expect_same_shape(a->a, a->child_a, b->a);
  expect_same_shape(a->b, a->child_b, b->b);
  cr_assert(a->triangle_a == b->triangle_a && a->triangle_b == b->triangle_b);
  cr_assert(a->user_data_a == b->user_data_a && a->user_data_b == b->user_data_b);
  cr_assert_eq(a->manifold.point_count, b->manifold.point_count);
  cr_assert_eq(a->manifold.touching, b->manifold.touching);
  if (a->manifold.point_count > 0) {
    expect_same_vectors(a->manifold.normal, b->manifold.normal);
  }
  for (uint32_t i = 0; i < a->manifold.point_count; i++) {
    const mo_manifold_point *p = &a->manifold.points[i], *q = &b->manifold.points[i];
    expect_same_vectors(p->position, q->position);
    expect_same_vectors(p->anchor_a, anchor_of(q->anchor_a, at, b->a));
    expect_same_vectors(p->anchor_b, anchor_of(q->anchor_b, bt, b->b));
    cr_assert(p->separation == q->separation && p->id == q->id);
  }
}

/* The contacts of two shapes of the scene with compounds, against a loop over all pairs of flat
 * shapes. */
static void compare_contacts_of_pair(mo_shape_id a, mo_shape_id b) {
  enum { MAX_CONTACTS = 4096 };
  static mo_contact contacts[MAX_CONTACTS], flat_contacts[MAX_CONTACTS];
  const mo_collide_def def = mo_default_collide_def();
  const mo_pair pair = {a, b};
  uint32_t count = 0, expected = 0;
  cr_assert_eq(mo_scene_collide_pair(placed, &pair, &def, contacts, MAX_CONTACTS, &count), MO_OK);
  for (uint32_t i = 0; i < flat_count; i++) {
    for (uint32_t j = 0; j < flat_count && origins[i].shape.index == a.index; j++) {
      if (origins[j].shape.index != b.index) {
        continue;
      }
      const mo_pair flat_pair = {mo_shape_id_of(flat, i), mo_shape_id_of(flat, j)};
      uint32_t more = 0;
      cr_assert_eq(mo_scene_collide_pair(flat, &flat_pair, &def, flat_contacts + expected,
                                         MAX_CONTACTS - expected, &more),
                   MO_OK);
      expected += more;
      if (expected >= MAX_CONTACTS) {
        return;
      }
    }
  }
  cr_assert_eq(count, expected, "%u contacts, not %u", count, expected);
  for (uint32_t i = 0; i < count; i++) {
    expect_same_contacts(&contacts[i], &flat_contacts[i]);
  }
  hit_count += count > 0;
}

static void compare_contacts(rng *r) {
  mo_shape_id ids[64];
  uint32_t count;
  cr_assert_eq(mo_scene_get_shapes(placed, ids, 64, &count), MO_OK);
  for (uint32_t i = 0; i < 60 && count > 1; i++) {
    const uint32_t a = rng_below(r, count), b = rng_below(r, count);
    if (a != b) {
      compare_contacts_of_pair(ids[a], ids[b]);
    }
  }
}

/* --- tests --- */

Test(compounds, queries_as_in_flat_scenes) {
  rng r = rng_make(rng_seed("compounds", 1));
  const uint64_t rounds = rng_few_rounds(1, 20);
  for (uint64_t round = 0; round < rounds; round++) {
    for (int kind = 0; kind < TEST_SCENE_HALF_SPACES; kind++) {
      hit_count = 0;
      make_world((test_scene_kind)kind, &r);
      ask_all(QUERIES, &r);
      cr_log_info("%s: %u shapes, %u hits", test_scene_kind_name((test_scene_kind)kind), flat_count,
                  hit_count);
      cr_assert(flat_count == 0 || hit_count > QUERIES / 2);
      free_world();
    }
  }
}

/* Asks for anything between a change of children and the update. Hits name children that exist. */
static void ask_before_update(rng *r) {
  for (int i = 0; i < 200; i++) {
    const sample_target target = test_scene_target(&base, r);
    const mo_ray_def ray = sample_ray(r, SAMPLE_RAY_THROUGH, &target);
    mo_sphere_cast_def cast = mo_default_sphere_cast_def();
    mo_closest_def closest = mo_default_closest_def();
    mo_shape_def def;
    closest.point = sample_point(r, &target);
    cast.sphere.center = closest.point;
    cast.displacement = ray.direction;
    cr_assert_eq(mo_scene_cast_ray_all(placed, &ray, lists[0].rays, MAX_HITS, &total[0], NULL),
                 MO_OK);
    for (uint32_t k = 0; k < total[0] && k < MAX_HITS; k++) {
      const mo_ray_hit *hit = &lists[0].rays[k];
      mo_geometry geometry;
      cr_assert_eq(mo_scene_get_geometry(placed, hit->shape, &geometry), MO_OK);
      if (geometry.type == MO_SHAPE_COMPOUND) {
        cr_assert_eq(mo_scene_get_child(placed, hit->shape, hit->child, &def), MO_OK);
        cr_assert_eq(def.user_data, hit->user_data);
      }
    }
    cr_assert_eq(mo_scene_closest_point(placed, &closest, lists[0].closest, NULL), MO_OK);
    const mo_result result = mo_scene_cast_sphere(placed, &cast, lists[0].casts, NULL);
    cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
  }
}

/* Children are added, removed and moved while their compound is placed. */
Test(compounds, edits_of_children) {
  rng r = rng_make(rng_seed("compounds.edits", 2));
  make_world(TEST_SCENE_PLAIN, &r);
  for (uint32_t step = 0; step < 12; step++) {
    mo_compound *edited = compounds[rng_below(&r, 3)];
    mo_scene *children = mo_compound_children(edited);
    mo_shape_id ids[64];
    uint32_t count;
    cr_assert_eq(mo_scene_get_shapes(children, ids, 64, &count), MO_OK);
    for (uint32_t i = 0; i < count; i++) {
      const mo_transform map = test_scene_transform(&base, &r);
      mo_update_def update = mo_default_update_def();
      update.ids = &ids[i];
      update.transforms = &map;
      update.count = 1;
      if (rng_chance(&r, 0.2)) {
        cr_assert_eq(mo_scene_remove_shape(children, ids[i]), MO_OK);
      } else if (rng_chance(&r, 0.5)) {
        const mo_result result = mo_scene_update(children, &update);
        cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
      }
    }
    add_children(children, rng_below(&r, 6), 0, &r, any_shape);
    /* Without an update, queries on placements are safe. */
    ask_before_update(&r);
    for (uint32_t i = 0; i <= COMPOUNDS; i++) {
      mo_scene *scene = i < COMPOUNDS ? mo_compound_children(compounds[i]) : placed;
      cr_assert_eq(mo_scene_get_shapes(scene, ids, 64, &count), MO_OK);
      for (uint32_t k = 0; k < count; k++) {
        const mo_result result = mo_scene_refresh_shape(scene, ids[k]);
        cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
        if (result != MO_OK) {
          cr_assert_eq(mo_scene_remove_shape(scene, ids[k]), MO_OK);
        }
      }
      cr_assert(i == COMPOUNDS || mo_compound_update(compounds[i]) == MO_OK);
    }
    make_flat_scene();
    ask_all(6, &r);
  }
  free_world();
}

Test(compounds, contacts_as_in_flat_scenes) {
  rng r = rng_make(rng_seed("compounds.contacts", 3));
  static const test_scene_kind kinds[] = {TEST_SCENE_CROWDED, TEST_SCENE_PLAIN, TEST_SCENE_EQUAL,
                                          TEST_SCENE_HULLS, TEST_SCENE_CONES};
  hit_count = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    make_world(kinds[i], &r);
    compare_contacts(&r);
    free_world();
  }
  cr_log_info("%u pairs with contacts", hit_count);
  cr_assert_gt(hit_count, 8);
}
