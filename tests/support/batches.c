/* Making batches of rays, and comparing their answers with those of one ray at a time. */
#include "support/batches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/oracle.h"
#include "support/check.h"
#include "support/steady.h"

const char *test_bundle_name(test_bundle kind) {
  static const char *const names[TEST_BUNDLE_KIND_COUNT] = {
      "mixed", "picture", "close-up", "beam", "shadows", "equal", "patches"};
  return names[kind];
}

/* Making. */

static mo_vec3 add_scaled(mo_vec3 a, float s, mo_vec3 b) {
  return (mo_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static mo_vec3 towards(mo_vec3 from, mo_vec3 to) {
  return (mo_vec3){to.x - from.x, to.y - from.y, to.z - from.z};
}

/* What is too far away is brought back to where it is legal. */
static mo_vec3 clamp(mo_vec3 v) {
  return (mo_vec3){fmaxf(-1e30f, fminf(v.x, 1e30f)), fmaxf(-1e30f, fminf(v.y, 1e30f)),
                   fmaxf(-1e30f, fminf(v.z, 1e30f))};
}

static bool is_zero(mo_vec3 v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

static float extent(const sample_target *target) {
  mo_vec3 size = towards(target->bounds.lower, target->bounds.upper);
  return fmaxf(fmaxf(size.x, size.y), fmaxf(size.z, 1e-30f));
}

/* From one eye through the points of a parallelogram. */
static void make_picture(mo_ray_def *rays, size_t count, mo_vec3 eye, mo_vec3 center, float radius,
                         rng *r) {
  mo_vec3 right = rng_direction(r), up = rng_direction(r);
  size_t width = 1 + rng_below(r, 40);
  float step = 2 * radius / (float)width;
  for (size_t i = 0; i < count; i++) {
    float x = step * (float)(i % width) - radius, y = step * (float)(i / width) - radius;
    mo_vec3 direction = towards(eye, add_scaled(add_scaled(center, x, right), y, up));
    rays[i].origin = eye;
    rays[i].direction = is_zero(direction) ? (mo_vec3){1, 0, 0} : direction;
  }
}

static void make_beam(mo_ray_def *rays, size_t count, const sample_target *target, rng *r) {
  mo_vec3 direction = rng_direction(r), right = rng_direction(r), up = rng_direction(r);
  if (rng_below(r, 2)) {
    direction = (mo_vec3){0, 0, 0};
    uint32_t axis = rng_below(r, 3);
    ((float *)&direction)[axis] = rng_below(r, 2) ? 1 : -1;
  }
  mo_vec3 first = add_scaled(rng_point_in(r, target->bounds), -2 * extent(target), direction);
  float step = extent(target) / (float)(8 << rng_below(r, 6));
  for (size_t i = 0; i < count; i++) {
    rays[i].origin =
        add_scaled(add_scaled(first, step * (float)(i % 8), right), step * (float)(i / 8), up);
    rays[i].direction = direction;
  }
}

static void make_shadows(mo_ray_def *rays, size_t count, const sample_target *target, rng *r) {
  mo_vec3 near = rng_point_in(r, target->bounds);
  mo_vec3 light = add_scaled(near, 2 * extent(target), rng_direction(r));
  mo_vec3 at = rng_point_in(r, target->bounds);
  float step = extent(target) / (float)(4 << rng_below(r, 8));
  for (size_t i = 0; i < count; i++) {
    float away = step * rng_float(r, 0, 1);
    rays[i].origin = add_scaled(at, away, rng_direction(r));
    mo_vec3 direction = towards(rays[i].origin, light);
    rays[i].direction = is_zero(direction) ? (mo_vec3){0, 0, 1} : direction;
  }
}

static void make_rays(mo_ray_def *rays, size_t count, test_bundle kind, const sample_target *target,
                      rng *r) {
  mo_vec3 center = rng_point_in(r, target->bounds), eye = rng_direction(r);
  float size = extent(target);
  eye = add_scaled(center, rng_float(r, 0, 3) * size, eye);
  switch (kind) {
  case TEST_BUNDLE_PICTURE:
    make_picture(rays, count, eye, center, rng_float(r, 0, 1) * size, r);
    return;
  case TEST_BUNDLE_CLOSE_UP:
    center = target->corners[rng_below(r, 3)];
    make_picture(rays, count, eye, center, size * steady_power10(rng_float(r, -6, -1)), r);
    return;
  case TEST_BUNDLE_BEAM:
    make_beam(rays, count, target, r);
    return;
  case TEST_BUNDLE_SHADOWS:
    make_shadows(rays, count, target, r);
    return;
  case TEST_BUNDLE_EQUAL:
    rays[0] = sample_any_ray(r, target);
    for (size_t i = 1; i < count; i++) {
      rays[i] = rays[0];
    }
    return;
  case TEST_BUNDLE_PATCHES:
    for (size_t done = 0, part; done < count; done += part) {
      part = 1 + rng_below(r, 100);
      part = part < count - done ? part : count - done;
      make_rays(rays + done, part, (test_bundle)rng_below(r, TEST_BUNDLE_PATCHES), target, r);
    }
    return;
  default:
    for (size_t i = 0; i < count; i++) {
      rays[i] = sample_any_ray(r, target);
    }
    return;
  }
}

/* One array of vectors: an array of structs with more in them, or three arrays of numbers. */
static mo_vec3_array lay_out(test_batch *batch, int which, const mo_vec3 *vectors, rng *r) {
  size_t count = batch->count, gap = rng_below(r, 2) ? 4u : 3u, stride = 12 + gap * rng_below(r, 5);
  bool apart = rng_below(r, 2);
  if (apart) {
    stride -= 8;
  }
  batch->memory[which] = oracle_need(malloc(3 * count * stride + 1));
  unsigned char *parts[3];
  for (size_t axis = 0; axis < 3; axis++) {
    parts[axis] = batch->memory[which] + 1 + (apart ? axis * count * stride : 4 * axis);
    for (size_t i = 0; i < count; i++) {
      memcpy(parts[axis] + i * stride, (const float *)&vectors[i] + axis, sizeof(float));
    }
  }
  return (mo_vec3_array){parts[0], parts[1], parts[2], stride};
}

static mo_float_array lay_out_floats(test_batch *batch, int which, size_t offset, rng *r) {
  mo_float_array array = {NULL, 4 + rng_below(r, 9)};
  batch->memory[which] = oracle_need(malloc(batch->count * array.stride));
  array.data = batch->memory[which];
  for (size_t i = 0; i < batch->count; i++) {
    memcpy(batch->memory[which] + i * array.stride, (const char *)&batch->rays[i] + offset,
           sizeof(float));
  }
  return array;
}

/* An array of structs: origin, perhaps min_t, direction or end, max_t. */
static void lay_out_structs(test_batch *batch, const mo_vec3 *seconds, bool ranges, rng *r) {
  bool with_min_t = ranges && rng_below(r, 2);
  size_t second = with_min_t ? 16 : 12, last = second + 12;
  size_t stride = last + 4 + rng_below(r, 9);
  unsigned char *first = oracle_need(malloc(batch->count * stride + 1));
  batch->memory[0] = first++;
  mo_batch_def *def = &batch->def;
  mo_vec3_array *array = batch->segments ? &def->ends : &def->directions;
  def->origins = (mo_vec3_array){first, first + 4, first + 8, stride};
  *array = (mo_vec3_array){first + second, first + second + 4, first + second + 8, stride};
  if (ranges) {
    def->min_t = with_min_t ? (mo_float_array){first + 12, stride}
                            : lay_out_floats(batch, 2, offsetof(mo_ray_def, min_t), r);
    def->max_t = (mo_float_array){first + last, stride};
  }
  for (size_t i = 0; i < batch->count; i++) {
    unsigned char *at = first + i * stride;
    memcpy(at, &batch->rays[i].origin, 12);
    memcpy(at + 12, &batch->rays[i].min_t, 4);
    memcpy(at + second, &seconds[i], 12);
    memcpy(at + last, &batch->rays[i].max_t, 4);
  }
}

static void set_range(mo_ray_def *ray, bool ranges, const mo_ray_def *options, float far,
                      bool segment, rng *r) {
  ray->min_t = ranges && rng_below(r, 3) == 0 ? rng_float(r, 0, far) : ranges ? 0 : options->min_t;
  float max = segment ? 1 : options->max_t;
  ray->max_t = ranges && rng_below(r, 3) == 0 ? rng_float(r, 0, 2 * far) : max;
}

void test_batch_make(test_batch *batch, test_bundle kind, size_t count, bool segments,
                     const mo_ray_def *options, const sample_target *target, rng *r) {
  *batch = (test_batch){.kind = kind, .count = count, .segments = segments};
  batch->def = mo_default_batch_def();
  batch->def.count = count;
  batch->def.options = *options;
  batch->def.coherence = (mo_coherence)rng_below(r, 3);
  batch->rays = oracle_need(malloc((count + 1) * sizeof *batch->rays));
  batch->ends = oracle_need(malloc((count + 1) * sizeof *batch->ends));
  mo_vec3 *vectors = oracle_need(malloc((count + 1) * sizeof *vectors));
  make_rays(batch->rays, count, kind, target, r);
  bool ranges = rng_below(r, 2);
  for (size_t i = 0; i < count; i++) {
    mo_vec3 origin = clamp(batch->rays[i].origin), direction = batch->rays[i].direction;
    batch->rays[i] = *options;
    batch->rays[i].origin = origin;
    batch->rays[i].direction = is_zero(direction) ? (mo_vec3){1, 0, 0} : direction;
    if (segments) {
      float length = rng_float(r, 0, 2) * extent(target);
      mo_vec3 end = add_scaled(origin, length, rng_direction(r));
      end = kind == TEST_BUNDLE_MIXED ? end : add_scaled(origin, 1, direction);
      batch->ends[i] = rng_below(r, 50) ? clamp(end) : origin;
      batch->rays[i].direction = mo_segment_def(origin, batch->ends[i]).direction;
    }
    set_range(&batch->rays[i], ranges, options, segments ? 0.5f : extent(target), segments, r);
    vectors[i] = origin;
  }
  bool structs = rng_below(r, 3) == 0;
  batch->def.origins = structs ? batch->def.origins : lay_out(batch, 0, vectors, r);
  for (size_t i = 0; i < count; i++) {
    vectors[i] = segments ? batch->ends[i] : batch->rays[i].direction;
  }
  if (structs) {
    lay_out_structs(batch, vectors, ranges, r);
  } else {
    *(segments ? &batch->def.ends : &batch->def.directions) = lay_out(batch, 1, vectors, r);
    if (ranges) {
      batch->def.min_t = lay_out_floats(batch, 2, offsetof(mo_ray_def, min_t), r);
      batch->def.max_t = lay_out_floats(batch, 3, offsetof(mo_ray_def, max_t), r);
    }
  }
  if (kind == TEST_BUNDLE_EQUAL && count > 0 && !segments && !structs && rng_below(r, 2)) {
    batch->def.origins.stride = batch->def.directions.stride = 0;
  }
  free(vectors);
  rng copy = *r; /* rays do not depend on whether there is scratch memory */
  size_t threads = rng_below(&copy, 4), offset = rng_below(&copy, 2) * rng_below(&copy, 64);
  if (threads > 0) {
    batch->def.scratch_size = threads * MO_BATCH_SCRATCH_SIZE;
    batch->scratch = oracle_need(malloc(offset + batch->def.scratch_size));
    batch->def.scratch = batch->scratch + offset;
  }
}

void test_batch_free(test_batch *batch) {
  free(batch->scratch);
  free(batch->rays);
  free(batch->ends);
  for (int i = 0; i < 4; i++) {
    free(batch->memory[i]);
  }
}

mo_batch_def test_batch_def_of(const mo_ray_def *rays, size_t count) {
  mo_batch_def def = mo_default_batch_def();
  def.count = count;
  def.origins = mo_vec3_array_of(&rays->origin, sizeof *rays);
  def.directions = mo_vec3_array_of(&rays->direction, sizeof *rays);
  def.min_t = (mo_float_array){&rays->min_t, sizeof *rays};
  def.max_t = (mo_float_array){&rays->max_t, sizeof *rays};
  return def;
}

/* Comparing. */

typedef struct subject {
  const mo_mesh *mesh;
  const mo_scene *scene;
} subject;

static mo_result cast(subject s, const test_batch *batch, const mo_batch_output *output,
                      size_t *first_bad, mo_query_stats *stats) {
  return s.mesh != NULL ? mo_mesh_cast_rays(s.mesh, &batch->def, output, first_bad, stats)
                        : mo_scene_cast_rays(s.scene, &batch->def, output, first_bad, stats);
}

static mo_result test(subject s, const test_batch *batch, const mo_batch_output *output) {
  return s.mesh != NULL ? mo_mesh_test_rays(s.mesh, &batch->def, output, NULL, NULL)
                        : mo_scene_test_rays(s.scene, &batch->def, output, NULL, NULL);
}

enum { OUTPUTS = 7 };

static const size_t output_sizes[OUTPUTS] = {
    sizeof(bool),      sizeof(float),   sizeof(uint32_t),  sizeof(mo_shape_id),
    2 * sizeof(float), sizeof(mo_vec3), sizeof(mo_ray_hit)};

/* Memory for answers: some wanted, some not, with gaps that must stay as they are. */
typedef struct answers {
  size_t count;
  unsigned char *memory[OUTPUTS];
  size_t stride[OUTPUTS];
  bool pairs; /* t and triangle are structs of their own, in the memory of the former */
  uint32_t *bits;
  mo_batch_output output;
} answers;

static void answers_make(answers *a, size_t count, bool only_found, rng *r) {
  *a = (answers){.count = count};
  mo_output *outputs[OUTPUTS] = {&a->output.found, &a->output.t,       &a->output.triangle,
                                 &a->output.shape, &a->output.weights, &a->output.normal,
                                 &a->output.hit};
  a->pairs = !only_found && rng_below(r, 3) == 0;
  if (a->pairs) {
    a->memory[1] = oracle_need(malloc(8 * count + 1));
    a->memory[2] = a->memory[1] + 4;
    a->stride[1] = a->stride[2] = 8;
    a->output.t = (mo_output){a->memory[1], 8};
    a->output.triangle = (mo_output){a->memory[2], 8};
  }
  for (int i = 0; i < (only_found ? 1 : OUTPUTS); i++) {
    if (rng_below(r, 4) == 0 || (a->pairs && (i == 1 || i == 2))) {
      continue;
    }
    bool gaps = rng_below(r, 2);
    a->stride[i] = output_sizes[i] + (gaps ? 1 + rng_below(r, 9) : 0);
    a->memory[i] = oracle_need(malloc(count * a->stride[i] + 1));
    memset(a->memory[i], 0x5a, count * a->stride[i]);
    *outputs[i] = (mo_output){a->memory[i], gaps ? a->stride[i] : 0};
  }
  a->bits = oracle_need(malloc((count / 32 + 2) * sizeof *a->bits));
  memset(a->bits, 0x5a, (count / 32 + 2) * sizeof *a->bits);
  if (rng_below(r, 2)) {
    a->output.bits = a->bits;
  }
}

static void answers_free(answers *a) {
  for (int i = 0; i < OUTPUTS; i++) {
    free(i == 2 && a->pairs ? NULL : a->memory[i]);
  }
  free(a->bits);
}

/* Whether output `which` of ray i holds `expected`, and its gap nothing. */
static bool holds(const answers *a, int which, size_t i, const void *expected) {
  if (a->memory[which] == NULL) {
    return true;
  }
  const unsigned char *found = a->memory[which] + i * a->stride[which];
  bool in_pair = a->pairs && (which == 1 || which == 2);
  for (size_t j = output_sizes[which]; j < a->stride[which] && !in_pair; j++) {
    if (found[j] != 0x5a) {
      return false;
    }
  }
  if (which == OUTPUTS - 1) {
    mo_ray_hit hit;
    memcpy(&hit, found, sizeof hit);
    return check_same_hit(&hit, expected);
  }
  return memcmp(found, expected, output_sizes[which]) == 0;
}

static bool check_found(const answers *a, size_t i, bool expected) {
  bool fine = holds(a, 0, i, &expected);
  if (a->output.bits != NULL) {
    fine = fine && (a->bits[i / 32] >> (i % 32) & 1) == expected;
    if (i + 1 == a->count) {
      fine = fine && (i % 32 == 31 || a->bits[i / 32] >> (i % 32 + 1) == 0) &&
             a->bits[i / 32 + 1] == 0x5a5a5a5au;
    }
  }
  return fine;
}

static bool check_closest(const answers *a, size_t i, const mo_ray_hit *expected) {
  static const mo_ray_hit nothing = {.triangle = MO_NO_TRIANGLE, .t = INFINITY};
  const mo_ray_hit *hit = expected->found ? expected : &nothing;
  float weights[2] = {hit->u, hit->v};
  return check_found(a, i, hit->found) && holds(a, 1, i, &hit->t) &&
         holds(a, 2, i, &hit->triangle) && holds(a, 3, i, &hit->shape) && holds(a, 4, i, weights) &&
         holds(a, 5, i, &hit->normal) && holds(a, 6, i, hit);
}

static bool differs(const char *what, const test_batch *batch, size_t i) {
  return check_failed("%s: ray %zu of %zu, %s, %s, coherence %d: %s", what, i, batch->count,
                      test_bundle_name(batch->kind), batch->segments ? "segments" : "rays",
                      (int)batch->def.coherence, check_ray_text(&batch->rays[i]));
}

static bool check_casts(subject s, const test_batch *batch, rng *r) {
  answers a;
  answers_make(&a, batch->count, false, r);
  mo_query_stats stats = {0};
  size_t bad = 77;
  bool fine =
      cast(s, batch, &a.output, &bad, rng_below(r, 2) ? &stats : NULL) == MO_OK && bad == 77;
  if (!fine) {
    check_failed("a batch was refused at %zu", bad);
  }
  for (size_t i = 0; fine && i < batch->count; i++) {
    mo_ray_hit hit;
    oracle_expect(s.mesh != NULL ? mo_mesh_cast_ray(s.mesh, &batch->rays[i], &hit, NULL)
                                 : mo_scene_cast_ray(s.scene, &batch->rays[i], &hit, NULL),
                  "a ray");
    fine = check_closest(&a, i, &hit) || differs("closest hits", batch, i);
  }
  answers_free(&a);
  return fine;
}

static bool check_tests(subject s, const test_batch *batch, rng *r) {
  answers a, b;
  answers_make(&a, batch->count, true, r);
  answers_make(&b, batch->count, true, r);
  bool sight = s.scene != NULL && batch->segments;
  bool fine =
      test(s, batch, &a.output) == MO_OK &&
      (!sight || mo_scene_lines_of_sight(s.scene, &batch->def, &b.output, NULL, NULL) == MO_OK);
  if (!fine) {
    check_failed("a batch was refused");
  }
  for (size_t i = 0; fine && i < batch->count; i++) {
    bool hit;
    oracle_expect(s.mesh != NULL ? mo_mesh_test_ray(s.mesh, &batch->rays[i], &hit, NULL)
                                 : mo_scene_test_ray(s.scene, &batch->rays[i], &hit, NULL),
                  "a ray");
    fine = check_found(&a, i, hit) || differs("any hit", batch, i);
    fine = fine && (!sight || check_found(&b, i, !hit) || differs("line of sight", batch, i));
  }
  answers_free(&a);
  answers_free(&b);
  return fine;
}

bool check_mesh_batch(const mo_mesh *mesh, const test_batch *batch, rng *r) {
  return check_casts((subject){mesh, NULL}, batch, r) &&
         check_tests((subject){mesh, NULL}, batch, r);
}

bool check_scene_batch(const mo_scene *scene, const test_batch *batch, rng *r) {
  return check_casts((subject){NULL, scene}, batch, r) &&
         check_tests((subject){NULL, scene}, batch, r);
}
