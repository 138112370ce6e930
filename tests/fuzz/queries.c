/* Queries on a model's scene against brute force. */
#include "fuzz/queries.h"

#include "fuzz/mesh_queries.h"
#include "math/vector.h"
#include "oracle/distances.h"
#include "oracle/pairs.h"
#include "support/check.h"

typedef struct subject {
  const mo_scene *scene;
  oracle_scene oracle;
} subject;

static bool is_in_range(mo_vec3 p) {
  return fabsf(p.x) <= MO_MAX_COORDINATE && fabsf(p.y) <= MO_MAX_COORDINATE &&
         fabsf(p.z) <= MO_MAX_COORDINATE;
}

/* A number that queries take: those that are not become plain. */
static mo_vec3 legal_vec3(fuzz_bytes *b) {
  mo_vec3 p = fuzz_vec3(b);
  return is_in_range(p) ? p : (mo_vec3){1, 2, 3};
}

static float legal_length(fuzz_bytes *b) {
  float x = fabsf(fuzz_length(b));
  return x <= MO_MAX_COORDINATE ? x : 1;
}

static mo_ray_def decode_ray(fuzz_bytes *b) {
  uint8_t options = fuzz_byte(b);
  mo_ray_def ray = mo_default_ray_def();
  mo_vec3 origin = legal_vec3(b), direction = legal_vec3(b);
  if (options & 1) {
    ray = mo_segment_def(origin, direction);
    direction = ray.direction;
  } else if (direction.x == 0 && direction.y == 0 && direction.z == 0) {
    direction.y = -1;
  }
  ray.origin = origin;
  ray.direction = is_in_range(direction) ? direction : (mo_vec3){0, 0, 1};
  ray.cull_back_faces = options & 2;
  ray.hit_volumes = options & 4;
  ray.min_t = options & 8 ? legal_length(b) : 0;
  ray.filter = fuzz_filter(b);
  return ray;
}

static void query_ray(subject *s, fuzz_bytes *b) {
  mo_ray_def ray = decode_ray(b);
  FUZZ_CHECK(check_scene_ray(&s->scene, 1, &s->oracle, &ray, CHECK_FULL), "%s", check_why());
}

static mo_aabb decode_box(fuzz_bytes *b) {
  mo_vec3 p = legal_vec3(b);
  float x = legal_length(b);
  float y = legal_length(b);
  float z = legal_length(b);
  mo_vec3 q = mo_add(p, (mo_vec3){x, y, z});
  return (mo_aabb){p, is_in_range(q) ? q : p};
}

static mo_overlap_def decode_overlap_options(fuzz_bytes *b) {
  mo_overlap_def def = mo_default_overlap_def();
  def.filter = fuzz_filter(b);
  def.precision = fuzz_chance(b, 64) ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
  return def;
}

static void query_box(subject *s, fuzz_bytes *b) {
  mo_aabb box = decode_box(b);
  mo_overlap_def def = decode_overlap_options(b);
  FUZZ_CHECK(check_scene_aabb(&s->scene, 1, &s->oracle, &box, &def), "%s", check_why());
  FUZZ_CHECK(check_scene_cells(&s->scene, 1, &s->oracle, &box, &def.filter), "%s", check_why());
}

static void query_ball(subject *s, fuzz_bytes *b) {
  mo_sphere ball;
  ball.center = legal_vec3(b);
  ball.radius = legal_length(b);
  mo_overlap_def def = decode_overlap_options(b);
  FUZZ_CHECK(check_scene_sphere(&s->scene, 1, &s->oracle, &ball, &def), "%s", check_why());
}

static void query_point(subject *s, fuzz_bytes *b) {
  mo_vec3 point = legal_vec3(b);
  mo_overlap_def def = decode_overlap_options(b);
  FUZZ_CHECK(check_scene_point(&s->scene, 1, &s->oracle, point, &def), "%s", check_why());
}

static void query_planes(subject *s, fuzz_bytes *b) {
  mo_plane planes[8];
  uint32_t count = fuzz_below(b, 9);
  for (uint32_t i = 0; i < count; i++) {
    mo_vec3 n = legal_vec3(b);
    bool in_range = fabsf(n.x) <= 1e6f && fabsf(n.y) <= 1e6f && fabsf(n.z) <= 1e6f; /* query.h */
    planes[i].normal = in_range ? n : (mo_vec3){0, 1, 0};
    planes[i].offset = legal_vec3(b).x;
  }
  mo_filter filter = fuzz_filter(b);
  FUZZ_CHECK(check_scene_planes(&s->scene, 1, &s->oracle, planes, count, &filter), "%s",
             check_why());
}

static void query_closest(subject *s, fuzz_bytes *b) {
  mo_closest_def def = mo_default_closest_def();
  def.point = legal_vec3(b);
  def.max_distance = fuzz_chance(b, 128) ? legal_length(b) : INFINITY;
  def.filter = fuzz_filter(b);
  def.hit_volumes = fuzz_chance(b, 128);
  FUZZ_CHECK(check_scene_closest(&s->scene, 1, &s->oracle, &def), "%s", check_why());
}

enum { HITS = 8 };

/* All contacts along a path, of a ball or of another body, the other def being null. Brute force
 * does not know of approaches, nor what is a back face to a body that rotates. */
static void check_contacts(const subject *s, const mo_sphere_cast_def *ball,
                           const mo_shape_cast_def *body, const mo_cast_hit *hits, uint32_t total) {
  oracle_list contacts = {0};
  oracle_scene_contacts(&s->oracle, ball, body, &contacts);
  const oracle_contact *expected = contacts.items;
  FUZZ_CHECK(total == contacts.count, "%u contacts, expected %u", total, contacts.count);
  for (uint32_t i = 0; i < total && i < HITS; i++) {
    FUZZ_CHECK(hits[i].shape.index == expected[i].shape->id.index &&
                   hits[i].triangle == expected[i].triangle && hits[i].t == expected[i].t,
               "contact %u: shape %u, triangle %u at %a, expected %u, %u at %a", i,
               hits[i].shape.index, hits[i].triangle, (double)hits[i].t,
               expected[i].shape->id.index, expected[i].triangle, (double)expected[i].t);
  }
  oracle_list_free(&contacts);
}

static void query_ball_cast(subject *s, fuzz_bytes *b) {
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  uint8_t options = fuzz_byte(b);
  def.sphere.center = legal_vec3(b);
  def.sphere.radius = legal_length(b);
  def.displacement = legal_vec3(b);
  def.options.hit_volumes = options & 1;
  def.options.filter = fuzz_filter(b);
  if (options & 8) { /* the first of all */
    FUZZ_CHECK(check_scene_cast(&s->scene, 1, &s->oracle, &def), "%s", check_why());
    return;
  }
  def.options.cull_back_faces = options & 2;
  def.options.every_triangle = options & 16;
  mo_cast_hit hits[HITS];
  uint32_t total = 0;
  mo_result result = mo_scene_cast_sphere_all(s->scene, &def, hits, HITS, &total, NULL);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  check_contacts(s, &def, NULL, hits, total);
}

static void query_shape_cast(subject *s, fuzz_bytes *b) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  uint8_t options = fuzz_byte(b);
  def.primitive = fuzz_primitive(b);
  def.displacement = legal_vec3(b);
  def.options.hit_volumes = options & 1;
  def.options.cull_back_faces = (options & 6) == 2;
  def.angle = options & 4 ? (float)(int8_t)fuzz_byte(b) / 32 : 0;
  def.axis = (mo_vec3){options & 8 ? 1 : 0, 1, 0};
  def.options.every_triangle = options & 16;
  def.options.filter = fuzz_filter(b);
  mo_cast_hit hits[HITS];
  uint32_t total = 0;
  mo_result result = mo_scene_cast_shape_all(s->scene, &def, hits, HITS, &total, NULL);
  if (result == MO_OK) {
    check_contacts(s, NULL, &def, hits, total);
  } else {
    FUZZ_CHECK(b->wild || result == MO_ERROR_INVALID_ARGUMENT, "%s", mo_result_name(result));
  }
}

static void query_distance(subject *s, fuzz_bytes *b) {
  mo_distance_def def = mo_default_distance_def();
  uint8_t options = fuzz_byte(b);
  def.primitive = fuzz_primitive(b);
  def.max_distance = options & 1 ? legal_length(b) : INFINITY;
  def.hit_volumes = options & 2;
  def.every_triangle = options & 4;
  def.filter = fuzz_filter(b);
  mo_closest_hit hits[8];
  uint32_t total = 0;
  mo_result result = mo_scene_find_within(s->scene, &def, hits, 8, &total, NULL);
  if (result != MO_OK) {
    FUZZ_CHECK(b->wild || result == MO_ERROR_INVALID_ARGUMENT, "%s", mo_result_name(result));
    return;
  }
  oracle_list distances = {0};
  oracle_scene_distances(&s->oracle, &def, def.every_triangle, &distances);
  const oracle_distance *expected = distances.items;
  FUZZ_CHECK(total == distances.count, "%u within, expected %u", total, distances.count);
  for (uint32_t i = 0; i < total && i < 8; i++) {
    FUZZ_CHECK(hits[i].shape.index == expected[i].shape->id.index &&
                   hits[i].triangle == expected[i].triangle &&
                   hits[i].distance == expected[i].distance,
               "hit %u: shape %u, triangle %u at %a, expected %u, %u at %a", i, hits[i].shape.index,
               hits[i].triangle, (double)hits[i].distance, expected[i].shape->id.index,
               expected[i].triangle, (double)expected[i].distance);
  }
  oracle_list_free(&distances);
}

static void query_fit(subject *s, fuzz_bytes *b) {
  mo_shape_def shape = fuzz_shape(b);
  mo_fit_def def = mo_default_fit_def();
  def.shape = &shape;
  def.clearance = fuzz_chance(b, 64) ? legal_length(b) : 0;
  def.hit_volumes = fuzz_chance(b, 128);
  bool fits = false;
  mo_shape_id ids[FUZZ_SHAPES];
  uint32_t total = 0;
  mo_result result = mo_scene_find_obstacles(s->scene, &def, ids, FUZZ_SHAPES, &total, NULL);
  FUZZ_CHECK(mo_scene_shape_fits(s->scene, &def, &fits, NULL) == result, "two results");
  FUZZ_CHECK(result != MO_OK || fits == (total == 0), "it fits with %u obstacles", total);
}

static void query_pairs(subject *s, fuzz_bytes *b) {
  pair_list expected = {0};
  mo_pair pairs[FUZZ_SHAPES * FUZZ_SHAPES];
  uint32_t total;
  mo_pair_query_def def = mo_default_pair_query_def();
  def.awake_only = fuzz_chance(b, 64);
  mo_result result =
      mo_scene_find_pairs(s->scene, &def, pairs, sizeof pairs / sizeof *pairs, &total);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  pair_oracle(s->scene, s->scene, &def, &expected);
  FUZZ_CHECK(total == expected.count, "%u pairs, expected %u", total, expected.count);
  for (uint32_t i = 0; i < total; i++) {
    FUZZ_CHECK(pair_equal(pairs[i], expected.pairs[i]), "pair %u", i);
  }
  pair_list_free(&expected);
}

/* What a separation promises: at its end the shape overlaps nothing any more. */
static void query_separation(subject *s, fuzz_bytes *b) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = fuzz_primitive(b);
  def.options.filter = fuzz_filter(b);
  mo_separation separation;
  mo_cast_hit hit;
  if (mo_scene_find_separation(s->scene, &def, &separation, NULL) == MO_OK && separation.found) {
    mo_vec3 *origin = &def.primitive.transform.origin;
    *origin = mo_add(*origin, separation.translation);
    mo_result result = mo_scene_cast_shape(s->scene, &def, &hit, NULL);
    FUZZ_CHECK(result == MO_OK && !hit.found, "%s; it touches shape %u", mo_result_name(result),
               hit.shape.index);
  }
}

static void query_character(subject *s, fuzz_bytes *b) {
  mo_character_def def = mo_default_character_def();
  mo_character_move_result moved;
  def.primitive = fuzz_primitive(b);
  def.displacement = legal_vec3(b);
  def.filter = fuzz_filter(b);
  if (mo_character_move(s->scene, &def, &moved, NULL) == MO_OK) {
    FUZZ_CHECK(is_in_range(moved.transform.origin), "it has left the world");
  }
}

void fuzz_query(const fuzz_model *m, fuzz_bytes *b) {
  static void (*const queries[])(subject *, fuzz_bytes *) = {
      query_ray,        query_box,       query_ball,       query_point,    query_planes,
      query_closest,    query_ball_cast, query_shape_cast, query_distance, query_fit,
      query_separation, query_character, query_pairs};
  enum { QUERIES = sizeof queries / sizeof *queries, FIRST_OF_MESHES = 16 * QUERIES };
  subject s = {.scene = m->scene};
  const uint8_t which = fuzz_byte(b);
  oracle_scene_read(&s.oracle, m->scene);
  if (which < FIRST_OF_MESHES) {
    queries[which % QUERIES](&s, b);
  } else {
    fuzz_query_mesh(m->scene, &s.oracle, b);
  }
  oracle_scene_free(&s.oracle);
}

/* --- batches --- */

enum { BATCH = 8 };

/* Rays that differ in where they start, their direction and their length. */
static void batch_of_rays(const mo_scene *scene, fuzz_bytes *b) {
  mo_ray_def rays[BATCH];
  mo_ray_hit hits[BATCH], hit;
  bool tested[BATCH], found;
  static unsigned char scratch[MO_BATCH_SCRATCH_SIZE];
  mo_batch_def def = mo_default_batch_def();
  mo_batch_output output = {.hit.data = hits}, tests = {.found.data = tested};
  uint8_t options = fuzz_byte(b);
  def.count = 1 + options % BATCH;
  def.coherence = (mo_coherence)(options / 8 % 3);
  def.scratch = options & 64 ? scratch : NULL;
  def.scratch_size = options & 64 ? sizeof scratch : 0;
  for (size_t i = 0; i < def.count; i++) {
    mo_ray_def ray = decode_ray(b);
    rays[i] = i == 0 ? ray : rays[0];
    rays[i].origin = ray.origin;
    rays[i].direction = ray.direction;
    rays[i].max_t = ray.max_t;
  }
  def.options = rays[0];
  def.origins = mo_vec3_array_of(&rays[0].origin, sizeof *rays);
  def.directions = mo_vec3_array_of(&rays[0].direction, sizeof *rays);
  def.max_t = (mo_float_array){&rays[0].max_t, sizeof *rays};
  size_t bad = MO_NO_INDEX, first = MO_NO_INDEX;
  mo_result result = mo_scene_cast_rays(scene, &def, &output, &bad, NULL), expected = MO_OK;
  FUZZ_CHECK(mo_scene_test_rays(scene, &def, &tests, NULL, NULL) == result, "two results");
  for (size_t i = 0; i < def.count && expected == MO_OK; i++) {
    expected = mo_scene_cast_ray(scene, &rays[i], &hit, NULL);
    first = expected == MO_OK ? first : i;
    if (result == MO_OK && expected == MO_OK) {
      FUZZ_CHECK(check_same_hit(&hits[i], &hit), "ray %zu: %s", i, check_why());
      FUZZ_CHECK(mo_scene_test_ray(scene, &rays[i], &found, NULL) == MO_OK, "ray %zu", i);
      FUZZ_CHECK(tested[i] == found && found == hit.found, "ray %zu is found by one of two", i);
    }
  }
  FUZZ_CHECK(result == expected && bad == first, "%s at ray %zu, expected %s at %zu",
             mo_result_name(result), bad, mo_result_name(expected), first);
}

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_cast_hit(const mo_cast_hit *a, const mo_cast_hit *b) {
  return a->found == b->found &&
         (!a->found || (a->shape.index == b->shape.index && a->triangle == b->triangle &&
                        a->t == b->t && a->depth == b->depth && same_vec3(a->point, b->point) &&
                        same_vec3(a->normal, b->normal)));
}

/* Bodies that move, in lists of all contacts. */
static void batch_of_casts(const mo_scene *scene, fuzz_bytes *b) {
  mo_shape_cast_def defs[BATCH];
  mo_cast_hit lists[BATCH][HITS], hits[HITS];
  uint32_t totals[BATCH], total = 0;
  uint32_t count = 1 + fuzz_below(b, BATCH);
  for (uint32_t i = 0; i < count; i++) {
    defs[i] = mo_default_shape_cast_def();
    defs[i].primitive = fuzz_primitive(b);
    defs[i].displacement = legal_vec3(b);
    defs[i].angle = fuzz_chance(b, 64) ? (float)(int8_t)fuzz_byte(b) / 32 : 0;
    defs[i].axis = (mo_vec3){0, 1, 0};
    defs[i].options.hit_volumes = fuzz_chance(b, 128);
  }
  mo_query_batch batch = mo_query_batch_of(MO_QUERY_CAST_SHAPE_ALL, defs, count, lists);
  batch.capacity = HITS;
  batch.totals = totals;
  size_t bad = MO_NO_INDEX, first = MO_NO_INDEX;
  mo_result result = mo_scene_run_queries(scene, &batch, &bad, NULL), expected = MO_OK;
  for (uint32_t i = 0; i < count && expected == MO_OK; i++) {
    expected = mo_scene_cast_shape_all(scene, &defs[i], hits, HITS, &total, NULL);
    first = expected == MO_OK ? first : i;
    if (result == MO_OK && expected == MO_OK) {
      FUZZ_CHECK(totals[i] == total, "cast %u: %u contacts, by itself %u", i, totals[i], total);
      for (uint32_t k = 0; k < total && k < HITS; k++) {
        FUZZ_CHECK(same_cast_hit(&lists[i][k], &hits[k]), "contact %u of cast %u", k, i);
      }
    }
  }
  FUZZ_CHECK(result == expected && bad == first, "%s at cast %zu, expected %s at %zu",
             mo_result_name(result), bad, mo_result_name(expected), first);
}

void fuzz_query_batch(const fuzz_model *m, fuzz_bytes *b) {
  if (fuzz_chance(b, 128)) {
    batch_of_casts(m->scene, b);
  } else {
    batch_of_rays(m->scene, b);
  }
}
