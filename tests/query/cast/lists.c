/* All contacts of casts, and whether there is any, of balls and convex shapes, under every
 * placement policy and instruction set, against a loop over all shapes and triangles; with
 * triangles that do not count, and by boxes alone. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/cast.h>
#include <string.h>

#include "support/defs.h"
#include "support/scenes.h"

enum { MAX = 2000 };

static test_scene scene;
static mo_cast_hit hits[MAX];

/* Leaves some triangles out, by nothing but which they are. */
static bool accept(mo_triangle_ref ref, float t, void *context) {
  cr_assert(t >= 0 && t <= 1);
  return (ref.shape.index + ref.triangle) % 3 != *(const uint32_t *)context;
}

/* One cast of either kind. */
typedef struct question {
  mo_sphere_cast_def ball;
  mo_shape_cast_def body;
  bool is_ball;
} question;

static mo_vec3 any_displacement(rng *r, mo_vec3 from, mo_vec3 to) {
  mo_vec3 way = mo_scale(rng_float(r, 0, 2), mo_sub(to, from));
  if (rng_chance(r, 0.15)) {
    way = rng_chance(r, 0.5) ? mo_vec(way.x, 0, 0) : mo_vec(0, 0, 0);
  }
  return mo_max_magnitude(way) <= 1e30f ? way : mo_vec(1, 1, 1);
}

static void ask_any(question *q, rng *r) {
  static uint32_t rest;
  sample_target to = test_scene_target(&scene, r), from = test_scene_target(&scene, r);
  mo_sphere sphere = sample_sphere(r, &from);
  mo_vec3 end = sample_point(r, &to);
  q->is_ball = rng_chance(r, 0.5);
  q->ball = mo_default_sphere_cast_def();
  q->body = mo_default_shape_cast_def();
  q->ball.sphere = sphere;
  mo_transform transform = test_scene_transform(&scene, r);
  mo_geometry geometry = test_scene_geometry(&scene, r);
  transform.origin = sphere.center;
  q->body.primitive = geometry.type != MO_SHAPE_MESH
                          ? mo_primitive_of_geometry(&geometry, &transform)
                          : mo_primitive_of_segment(sphere.center, from.corners[0]);
  if (rng_chance(r, 0.08)) {
    q->body.primitive = sample_half_space(r, &from);
  }
  q->ball.displacement = q->body.displacement = any_displacement(r, sphere.center, end);
  q->ball.options.filter = q->body.options.filter = test_scene_filter(&scene, r);
  q->ball.options.hit_volumes = q->body.options.hit_volumes = rng_below(r, 2);
  q->ball.options.cull_back_faces = q->body.options.cull_back_faces = rng_chance(r, 0.3);
  q->ball.options.every_triangle = q->body.options.every_triangle = rng_chance(r, 0.5);
  q->body.precision = rng_chance(r, 0.3) ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
  if (rng_chance(r, 0.3)) {
    q->body.pivot = rng_chance(r, 0.5) ? transform.origin : from.corners[1];
    q->body.axis = rng_direction(r);
    q->body.angle = rng_float(r, -4, 4);
    q->body.options.cull_back_faces = false; /* the velocity differs from place to place */
  }
  if (rng_chance(r, 0.3)) {
    rest = (uint32_t)rng_below(r, 3);
    q->ball.options.accept_triangle = q->body.options.accept_triangle = accept;
    q->ball.options.accept_context = q->body.options.accept_context = &rest;
  }
}

static mo_result cast_all(const mo_scene *s, const question *q, uint32_t capacity,
                          uint32_t *total) {
  return q->is_ball ? mo_scene_cast_sphere_all(s, &q->ball, hits, capacity, total, NULL)
                    : mo_scene_cast_shape_all(s, &q->body, hits, capacity, total, NULL);
}

/* Whether a half-space has hit another that no translation separates from it. */
static bool is_never_apart(const mo_cast_hit *hit, const oracle_contact *c) {
  return c->shape->def.geometry.type == MO_SHAPE_HALF_SPACE && hit->depth == INFINITY &&
         mo_dot(hit->normal, hit->normal) == 0;
}

static bool is_contact(const mo_cast_hit *hit, const oracle_contact *c) {
  uint32_t data = c->triangle != MO_NO_TRIANGLE
                      ? scene.oracle.meshes[c->shape->mesh].triangles[c->triangle].user_data
                      : 0;
  return hit->found && hit->t == c->t && hit->shape.index == c->shape->id.index &&
         hit->shape.generation == c->shape->id.generation && hit->triangle == c->triangle &&
         hit->user_data == c->shape->def.user_data && hit->triangle_user_data == data &&
         (fabsf(mo_dot(hit->normal, hit->normal) - 1) < 1e-5f || is_never_apart(hit, c)) &&
         (hit->t == 0 ? hit->depth >= 0 : hit->depth == 0);
}

static bool same_place(const mo_cast_hit *a, const mo_cast_hit *b) {
  return memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
         memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->depth == b->depth &&
         a->feature == b->feature && a->feature_index == b->feature_index &&
         a->own_feature == b->own_feature && a->own_feature_index == b->own_feature_index;
}

/* The first contact and whether there is one; the first is among all. */
static void check_first(const mo_scene *s, const question *q, const oracle_list *expected) {
  mo_cast_hit first;
  bool found;
  memset(&first, 0x55, sizeof first);
  cr_assert_eq(q->is_ball ? mo_scene_cast_sphere(s, &q->ball, &first, NULL)
                          : mo_scene_cast_shape(s, &q->body, &first, NULL),
               MO_OK);
  cr_assert_eq(q->is_ball ? mo_scene_test_sphere_cast(s, &q->ball, &found, NULL)
                          : mo_scene_test_shape_cast(s, &q->body, &found, NULL),
               MO_OK);
  cr_assert_eq(first.found, expected->count > 0);
  cr_assert_eq(found, expected->count > 0);
  if (first.found) {
    const oracle_contact *list = expected->items, *best = &list[0];
    uint32_t at = 0;
    for (uint32_t i = 1; i < expected->count; i++) {
      if (oracle_contact_is_before(&list[i], best)) {
        best = &list[i];
        at = i;
      }
    }
    cr_assert(is_contact(&first, best), "t %a, triangle %u, not t %a, triangle %u", (double)first.t,
              first.triangle, (double)best->t, best->triangle);
    cr_assert(at >= MAX || same_place(&first, &hits[at]));
  }
}

static void check(const question *q, unsigned long long round) {
  static mo_cast_hit kept[MAX];
  oracle_list expected = {0};
  oracle_scene_contacts(&scene.oracle, q->is_ball ? &q->ball : NULL, q->is_ball ? NULL : &q->body,
                        &expected);
  const oracle_contact *list = expected.items;
  for (uint32_t i = 0; i < scene.family.count; i++) {
    const mo_scene *s = scene.family.scenes[i];
    uint32_t total = 77;
    cr_assert_eq(cast_all(s, q, MAX, &total), MO_OK);
    cr_assert_eq(total, expected.count, "%s, round %llu: %u, not %u",
                 test_scene_kind_name(scene.kind), round, total, expected.count);
    for (uint32_t k = 0; k < total && k < MAX; k++) {
      cr_assert(is_contact(&hits[k], &list[k]), "%s, round %llu, hit %u: t %a at %u, not %a at %u",
                test_scene_kind_name(scene.kind), round, k, (double)hits[k].t, hits[k].triangle,
                (double)list[k].t, list[k].triangle);
      cr_assert(i == 0 || same_place(&hits[k], &kept[k]));
      kept[k] = hits[k];
    }
    check_first(s, q, &expected);
    uint32_t few = total / 2;
    cr_assert_eq(cast_all(s, q, few, &total), MO_OK);
    cr_assert_eq(total, expected.count);
    for (uint32_t k = 0; k < few && k < MAX; k++) {
      cr_assert(is_contact(&hits[k], &list[k]) && same_place(&hits[k], &kept[k]));
    }
  }
  oracle_list_free(&expected);
}

/* Without the triangle that is touched first, the next. */
static void ignore_first(question *q) {
  mo_cast_hit hit;
  cr_assert_eq(q->is_ball ? mo_scene_cast_sphere(scene.family.scenes[0], &q->ball, &hit, NULL)
                          : mo_scene_cast_shape(scene.family.scenes[0], &q->body, &hit, NULL),
               MO_OK);
  if (hit.found) {
    q->ball.options.ignore_triangle = q->body.options.ignore_triangle = hit.triangle;
    q->ball.options.ignore_triangle_shape = q->body.options.ignore_triangle_shape = hit.shape;
  }
}

static bool is_legal(const question *q) {
  bool found;
  return q->is_ball || mo_scene_test_shape_cast(scene.family.scenes[0], &q->body, &found, NULL) ==
                           MO_OK; /* others go beyond the range of coordinates */
}

Test(cast_lists, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 8, 40};
  rng r = rng_make(rng_seed("cast_lists/brute force", 301));
  uint64_t rounds = rng_few_rounds(6, 300);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        question q;
        ask_any(&q, &r);
        if (is_legal(&q)) {
          check(&q, (unsigned long long)k);
          ignore_first(&q);
          check(&q, (unsigned long long)k);
        }
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

/* Contacts that the motion does not approach are left out of the list, and of nothing else. */
Test(cast_lists, approach) {
  static mo_cast_hit every[MAX];
  rng r = rng_make(rng_seed("cast_lists/approach", 303));
  uint64_t rounds = rng_few_rounds(20, 600), left_out = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    test_scene_make(&scene, (test_scene_kind)kind, 30, &r);
    const mo_scene *s = scene.family.scenes[0];
    for (uint64_t i = 0; i < rounds; i++) {
      question q;
      uint32_t totals[2], count = 0;
      ask_any(&q, &r);
      q.ball.options.every_triangle = q.body.options.every_triangle = true;
      q.body.angle = 0;
      if (!is_legal(&q)) {
        continue;
      }
      cr_assert_eq(cast_all(s, &q, MAX, &totals[0]), MO_OK);
      memcpy(every, hits, sizeof hits);
      float min = rng_chance(&r, 0.5) ? 0 : 0.5f * mo_max_magnitude(q.ball.displacement);
      q.ball.options.min_approach = q.body.options.min_approach = min;
      cr_assert_eq(cast_all(s, &q, MAX, &totals[1]), MO_OK);
      for (uint32_t k = 0; k < totals[0] && k < MAX; k++) {
        mo_dvec3 normal = mo_widen(every[k].normal), way = mo_widen(q.ball.displacement);
        if (-mo_ddot(normal, way) > (double)min) {
          cr_assert(hits[count].t == every[k].t && hits[count].triangle == every[k].triangle &&
                    same_place(&hits[count], &every[k]));
          count++;
        }
      }
      cr_assert(totals[0] > MAX || totals[1] == count);
      left_out += totals[0] - totals[1];
      bool found;
      cr_assert_eq(q.is_ball ? mo_scene_test_sphere_cast(s, &q.ball, &found, NULL)
                             : mo_scene_test_shape_cast(s, &q.body, &found, NULL),
                   MO_OK);
      cr_assert_eq(found, totals[1] > 0);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert_gt(left_out, 100);
}

/* How fast the point of contact moves, from the numbers of a hit. */
static mo_dvec3 velocity_of(const mo_shape_cast_def *def, const mo_cast_hit *hit) {
  mo_dvec3 way = mo_widen(def->displacement), axis = mo_widen(def->axis);
  mo_dvec3 pivot = mo_dadd(mo_widen(def->pivot), mo_dscale((double)hit->t, way));
  mo_dvec3 turn = mo_dcross(axis, mo_dsub(mo_widen(hit->point), pivot));
  return mo_dadd(way, mo_dscale((double)def->angle / sqrt(mo_ddot(axis, axis)), turn));
}

/* The unit normal of a triangle that was hit; zero for what is no triangle, or hardly one. */
static mo_dvec3 face_of(const mo_cast_hit *hit) {
  const mo_dvec3 none = {0, 0, 0};
  if (hit->triangle == MO_NO_TRIANGLE) {
    return none;
  }
  const oracle_shape *shape = scene.oracle.shapes;
  while (shape->id.index != hit->shape.index) {
    shape++;
  }
  const mo_transform *map = &shape->def.transform;
  const mo_vec3 *local = scene.oracle.meshes[shape->mesh].triangles[hit->triangle].corners;
  mo_dvec3 x = mo_widen(map->x_axis), y = mo_widen(map->y_axis), z = mo_widen(map->z_axis), p[3];
  for (int i = 0; i < 3; i++) {
    p[i] = mo_dadd(mo_dadd(mo_dscale((double)local[i].x, x), mo_dscale((double)local[i].y, y)),
                   mo_dscale((double)local[i].z, z));
  }
  mo_dvec3 e = mo_dsub(p[1], p[0]), f = mo_dsub(p[2], p[0]), n = mo_dcross(e, f);
  double size = sqrt(mo_ddot(n, n)), max = fmax(mo_ddot(e, e), mo_ddot(f, f));
  double mirror = mo_ddot(mo_dcross(x, y), z) < 0 ? -1 : 1;
  return size > 1e-4 * max ? mo_dscale(mirror / size, n) : none;
}

/* Whether a contact counts by min_approach and cull_back_faces: 1 or 0, or -1 where rounding may
 * decide. */
static int counts(const mo_shape_cast_def *def, const mo_cast_hit *hit) {
  mo_dvec3 v = velocity_of(def, hit), face = face_of(hit);
  double blur = 1e-4 * (sqrt(mo_ddot(v, v)) + fabs((double)def->angle)) +
                1e-5 *
                    (double)(mo_max_magnitude(hit->point) + mo_max_magnitude(def->pivot) +
                             mo_max_magnitude(def->displacement)) *
                    (1 + fabs((double)def->angle));
  double approach = -mo_ddot(mo_widen(hit->normal), v) - (double)def->options.min_approach;
  double leaves =
      def->options.cull_back_faces && hit->triangle != MO_NO_TRIANGLE ? mo_ddot(face, v) : -1e300;
  bool by_rounding = leaves == 0 || fabs(leaves) <= blur;
  if (def->options.min_approach >= 0 && approach < -blur) {
    return 0;
  }
  if (leaves > blur) {
    return 0;
  }
  return by_rounding || (def->options.min_approach >= 0 && approach <= blur) ? -1 : 1;
}

/* The same of what turns, with the velocity of the point of contact; and back faces. */
Test(cast_lists, what_turns_away) {
  static mo_cast_hit every[MAX];
  rng r = rng_make(rng_seed("cast_lists/turning", 304));
  uint64_t rounds = rng_few_rounds(12, 60), left_out[2] = {0, 0}, kept = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    test_scene_make(&scene, (test_scene_kind)kind, 20, &r);
    const mo_scene *s = scene.family.scenes[0];
    for (uint64_t i = 0; i < rounds; i++) {
      question q;
      uint32_t totals[2], next = 0;
      ask_any(&q, &r);
      q.is_ball = false;
      q.body.precision = MO_PRECISION_GEOMETRY;
      q.body.options.every_triangle = true;
      q.body.options.cull_back_faces = false;
      q.body.pivot = q.body.primitive.transform.origin;
      q.body.axis = rng_direction(&r);
      q.body.angle = rng_float(&r, -4, 4);
      if (!is_legal(&q)) {
        continue;
      }
      cr_assert_eq(cast_all(s, &q, MAX, &totals[0]), MO_OK);
      memcpy(every, hits, sizeof hits);
      bool back = rng_chance(&r, 0.5);
      q.body.options.cull_back_faces = back;
      q.body.options.min_approach = back ? -1
                                    : rng_chance(&r, 0.5)
                                        ? 0
                                        : mo_max_magnitude(q.body.displacement) / 2;
      cr_assert_eq(cast_all(s, &q, MAX, &totals[1]), MO_OK);
      for (uint32_t k = 0; totals[0] <= MAX && k < totals[0]; k++) {
        bool listed = next < totals[1] && hits[next].t == every[k].t &&
                      hits[next].shape.index == every[k].shape.index &&
                      hits[next].triangle == every[k].triangle &&
                      same_place(&hits[next], &every[k]);
        int expected = counts(&q.body, &every[k]);
        cr_assert(expected < 0 || listed == expected, "%s, round %llu, hit %u: %d, not %d",
                  test_scene_kind_name(scene.kind), (unsigned long long)i, k, listed, expected);
        next += listed;
        left_out[back] += expected == 0;
        kept += expected == 1;
      }
      cr_assert(totals[0] > MAX || next == totals[1]);
      mo_cast_hit first;
      bool found;
      cr_assert_eq(mo_scene_cast_shape(s, &q.body, &first, NULL), MO_OK);
      cr_assert_eq(mo_scene_test_shape_cast(s, &q.body, &found, NULL), MO_OK);
      cr_assert(first.found == (totals[1] > 0) && found == first.found);
      cr_assert(!found || first.t == hits[0].t);
    }
    cr_assert(test_scene_free(&scene), "memory is outstanding");
  }
  cr_assert(left_out[0] > 30 && left_out[1] > 30 && kept > 30, "%llu, %llu, %llu",
            (unsigned long long)left_out[0], (unsigned long long)left_out[1],
            (unsigned long long)kept);
}

/* A floor seen from above and from below; one that the shape has sunk into. */
Test(cast_lists, back_faces) {
  mo_mesh *mesh = test_mesh_build_square(-9, 9); /* in the plane z = 0, the normal upward */
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  def.options.cull_back_faces = true;
  const struct {
    float height, rise;
    bool found;
  } cases[] = {{3, -6, true}, {-3, 6, false}, {0.5f, -1, true}, {0.5f, 1, false}, {0.5f, 0, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool found;
    def.sphere = (mo_sphere){{0.1f, 0.2f, cases[i].height}, 1};
    def.displacement = mo_vec(0.5f, 0, cases[i].rise);
    cr_assert_eq(mo_mesh_test_sphere_cast(mesh, &def, &found, NULL), MO_OK);
    cr_assert_eq(found, cases[i].found, "case %zu", i);
  }
  mo_mesh_release(mesh);
}

/* The triangles of one mesh, by its own function, are those of a scene with it alone. */
Test(cast_lists, of_one_mesh) {
  rng r = rng_make(rng_seed("cast_lists/one mesh", 302));
  test_mesh made = test_mesh_make(TEST_MESH_SPHERE, 400, &r);
  mo_mesh_def mesh_def = test_mesh_def(&made);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  cr_assert_eq(mo_mesh_create(&mesh_def, &shape.geometry.mesh), MO_OK);
  mo_scene *subject = test_scene_empty();
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
  const mo_mesh *mesh = shape.geometry.mesh;
  static mo_cast_hit of_mesh[MAX];
  for (uint64_t i = 0, n = rng_few_rounds(40, 4000); i < n; i++) {
    sample_target target = sample_target_of_mesh(&made, &r);
    mo_transform at = rng_transform(&r, RNG_SHEAR, 1);
    at.origin = mo_scale(2, target.corners[0]);
    mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {0.1f, 0.2f, 0.05f}}};
    mo_shape_cast_def def = mo_default_shape_cast_def();
    def.primitive = mo_primitive_of_geometry(&box, &at);
    def.displacement = mo_scale(-2, target.corners[1]);
    def.options.every_triangle = true;
    uint32_t totals[2];
    bool any;
    cr_assert_eq(mo_mesh_cast_shape_all(mesh, &def, of_mesh, MAX, &totals[0], NULL), MO_OK);
    cr_assert_eq(mo_scene_cast_shape_all(subject, &def, hits, MAX, &totals[1], NULL), MO_OK);
    cr_assert_eq(mo_mesh_test_shape_cast(mesh, &def, &any, NULL), MO_OK);
    cr_assert(totals[0] == totals[1] && any == (totals[0] > 0));
    for (uint32_t k = 0; k < totals[0]; k++) {
      cr_assert(of_mesh[k].t == hits[k].t && of_mesh[k].triangle == hits[k].triangle);
      cr_assert(same_place(&of_mesh[k], &hits[k]) && of_mesh[k].shape.generation == 0);
    }
    mo_cast_hit first;
    def.options.ignore_triangle = totals[0] > 0 ? of_mesh[0].triangle : MO_NO_TRIANGLE;
    cr_assert_eq(mo_mesh_cast_shape(mesh, &def, &first, NULL), MO_OK);
    cr_assert(first.found == (totals[0] > 1) && (!first.found || first.t >= of_mesh[0].t));
    cr_assert(!first.found || first.triangle != of_mesh[0].triangle);
  }
  mo_scene_destroy(subject);
  mo_mesh_release(shape.geometry.mesh);
  test_mesh_free(&made);
}

/* Boxes by hand: along an axis, past a corner exactly, from an overlap. */
Test(cast_lists, by_bounds) {
  mo_scene *subject = test_scene_empty();
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.geometry.sphere = (mo_sphere){{10, 0, 0}, 1};
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
  mo_geometry volume = {.type = MO_SHAPE_VOLUME, .volume = {{-1, -1, -1}, {1, 1, 1}}};
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = mo_primitive_of_geometry(&volume, NULL);
  def.precision = MO_PRECISION_BOUNDS;
  def.displacement = mo_vec(16, 0, 0);
  mo_cast_hit hit;
  mo_query_stats stats = {0};
  cr_assert_eq(mo_scene_cast_shape(subject, &def, &hit, &stats), MO_OK);
  cr_assert(hit.found && hit.t == 0.5f && hit.normal.x == -1 && hit.point.x == 9);
  cr_assert(hit.depth == 0 && hit.triangle == MO_NO_TRIANGLE && stats.shape_count == 0);
  def.displacement = mo_vec(16, 4, 0); /* at t = 0.5 a corner touches */
  cr_assert_eq(mo_scene_cast_shape(subject, &def, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.t == 0.5f && hit.point.y == 1);
  def.displacement = mo_vec(16, 4.0001f, 0);
  cr_assert_eq(mo_scene_cast_shape(subject, &def, &hit, NULL), MO_OK);
  cr_assert_not(hit.found);
  def.primitive.transform.origin = mo_vec(8.5f, 0.25f, 0);
  cr_assert_eq(mo_scene_cast_shape(subject, &def, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.t == 0 && hit.depth == 0.5f && hit.normal.x == -1);
  mo_scene_destroy(subject);
}
