#include "pairs_case.h"

#include <math.h>
#include <motte/motte.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

const bench_metric bench_pair_time = {"time", "us/query", BENCH_LESS_IS_BETTER};
static const bench_metric found_share = {"found", "%", BENCH_NEITHER_IS_BETTER};
static const bench_metric mean_number = {"mean_answer", "", BENCH_NEITHER_IS_BETTER};
static const bench_metric differences = {"differences", "1/million", BENCH_NEITHER_IS_BETTER};

/* Of distances, relative to the size of the meshes; of counts of pairs, relative to the larger one.
 */
static const double DISTANCE_TOLERANCE = 1e-5, COUNT_TOLERANCE = 0.02;

/* The share of poses in which answers to `touch`, `list` and `contacts` may differ by more: engines
 * test triangles in other ways where these only just touch. */
static const double TOLERATED = 0.01;

/* Of meshes with more pairs of triangles a loop over all checks one pose: it takes seconds. */
static const double EXPENSIVE_PAIRS = 1e8;

const char *const bench_pair_query_names[BENCH_PAIR_QUERIES] = {"touch", "list",     "distance",
                                                                "depth", "contacts", "impact"};

const char *bench_pair_query_name(unsigned i) {
  return i < BENCH_PAIR_QUERIES ? bench_pair_query_names[i] : NULL;
}

static const bench_pair_engine *engine_of(const bench_contender *contender) {
  return (const bench_pair_engine *)contender->engine;
}

void bench_pair_create(bench_run *run, const bench_mesh *a, const bench_mesh *b) {
  for (size_t i = 0; i < run->count; i++) {
    run->contenders[i].world = engine_of(&run->contenders[i])->create(a, b);
  }
}

static void destroy_world(bench_contender *contender) {
  engine_of(contender)->destroy(contender->world);
}

void bench_pair_destroy(bench_run *run) {
  bench_release_each(run, destroy_world);
}

mo_quat bench_pair_rotation(struct random_stream *random) {
  float u = random_between(random, 0, 1), v = random_between(random, 0, 6.2831853f);
  float w = random_between(random, 0, 6.2831853f);
  float a = sqrtf(1 - u), b = sqrtf(u);
  return (mo_quat){a * sinf(v), a * cosf(v), b * sinf(w), b * cosf(w)};
}

static void measure(bench_run *run, bench_contender *contender, uint32_t round) {
  (void)round;
  const bench_pair_case *self = run->data;
  bench_pair_outcome *outcome = contender->data;
  double begin = bench_clock();
  engine_of(contender)->run(contender->world, self->query, self->poses, self->count,
                            outcome->answers);
  bench_sample(run, contender, &bench_pair_time,
               1e6 * (bench_clock() - begin) / (double)self->count);
}

/* Answers. */

static double size_of(const bench_mesh *mesh) {
  mo_vec3 l = mesh->bounds.lower, u = mesh->bounds.upper;
  return fmax(fmax((double)u.x - l.x, (double)u.y - l.y), (double)u.z - l.z);
}

/* Whether two answers agree to rounding. */
static bool agree(const bench_pair_case *self, const bench_pair_answer *a,
                  const bench_pair_answer *b) {
  double size = fmax(size_of(self->a), size_of(self->b));
  switch (self->query) {
  case BENCH_PAIR_TOUCH:
    return a->found == b->found;
  case BENCH_PAIR_LIST:
    return fabs(a->number - b->number) <= COUNT_TOLERANCE * fmax(a->number, b->number);
  case BENCH_PAIR_DISTANCE:
    return fabs(a->number - b->number) <= DISTANCE_TOLERANCE * size;
  case BENCH_PAIR_DEPTH:
  case BENCH_PAIR_CONTACTS: /* engines choose which and how many */
    return a->found == b->found;
  case BENCH_PAIR_IMPACT:
    return fabs(a->number - b->number) <= 0.01;
  case BENCH_PAIR_QUERIES:
    break;
  }
  return false;
}

/* A loop over all pairs of triangles. */

static mo_aabb bounds_of(const mo_vec3 corners[3]) {
  mo_aabb box = {corners[0], corners[0]};
  for (int i = 1; i < 3; i++) {
    box.lower = (mo_vec3){fminf(box.lower.x, corners[i].x), fminf(box.lower.y, corners[i].y),
                          fminf(box.lower.z, corners[i].z)};
    box.upper = (mo_vec3){fmaxf(box.upper.x, corners[i].x), fmaxf(box.upper.y, corners[i].y),
                          fmaxf(box.upper.z, corners[i].z)};
  }
  return box;
}

static double gap_between(const mo_aabb *a, const mo_aabb *b) {
  double x = fmax(0, fmax((double)b->lower.x - a->upper.x, (double)a->lower.x - b->upper.x));
  double y = fmax(0, fmax((double)b->lower.y - a->upper.y, (double)a->lower.y - b->upper.y));
  double z = fmax(0, fmax((double)b->lower.z - a->upper.z, (double)a->lower.z - b->upper.z));
  return sqrt(x * x + y * y + z * z);
}

/* Pairs that touch, and the minimum distance. */
typedef struct brute {
  size_t pairs;
  double distance;
} brute;

/* Triangles whose boxes are farther apart than the minimum so far are left out. */
static void test_pair(brute *self, const mo_vec3 a[3], const mo_aabb *box, const mo_vec3 b[3]) {
  mo_aabb other = bounds_of(b);
  if (gap_between(box, &other) > self->distance) {
    return;
  }
  mo_primitive p = mo_primitive_of_triangle(a[0], a[1], a[2]);
  mo_primitive q = mo_primitive_of_triangle(b[0], b[1], b[2]);
  mo_primitive_distance found;
  check(mo_primitive_find_distance(&p, &q, INFINITY, &found), "find a distance");
  self->distance = fmin(self->distance, found.distance);
  self->pairs += found.distance <= 0;
}

static brute search(const bench_pair_case *self, const mo_transform *transform) {
  brute result = {.distance = INFINITY};
  uint32_t count = self->b->triangles.triangle_count;
  mo_vec3(*placed)[3] = allocate(count, sizeof *placed);
  for (uint32_t k = 0; k < count; k++) {
    bench_mesh_corners(self->b, k, placed[k]);
    for (int i = 0; i < 3; i++) {
      placed[k][i] = mo_transform_point(transform, placed[k][i]);
    }
  }
  for (uint32_t i = 0; i < self->a->triangles.triangle_count; i++) {
    mo_vec3 corners[3];
    bench_mesh_corners(self->a, i, corners);
    mo_aabb box = bounds_of(corners);
    for (uint32_t k = 0; k < count; k++) {
      test_pair(&result, corners, &box, placed[k]);
    }
  }
  free(placed);
  return result;
}

static bench_pair_answer answer_of(const brute *result, bench_pair_query query) {
  bool touch = result->distance <= 0;
  double number = query == BENCH_PAIR_LIST       ? (double)result->pairs
                  : query == BENCH_PAIR_DISTANCE ? result->distance
                                                 : 0;
  return (bench_pair_answer){.found = touch, .number = number};
}

/* At the impact the meshes are closer than a thousandth of their size, and at no earlier time that
 * is tried do they touch. */
static bool is_impact(const bench_pair_case *self, const bench_pair_pose *pose,
                      const mo_transform *begin, const bench_pair_answer *answer) {
  enum { SAMPLES = 8 };
  const mo_movement movement = {pose->displacement, pose->translation, pose->axis, pose->angle};
  for (int i = 0; i <= SAMPLES; i++) {
    mo_transform place;
    check(mo_movement_transform(&movement, (float)(answer->number * i / SAMPLES), begin, &place),
          "move a mesh");
    brute result = search(self, &place);
    if (result.distance <= 0) {
      return false;
    }
    if (i == SAMPLES && answer->found) {
      return result.distance < 1e-3 * fmin(size_of(self->a), size_of(self->b));
    }
  }
  return true;
}

/* Whether the second mesh touches nothing where the translation has moved it. */
static bool is_separated(const bench_pair_case *self, const bench_pair_pose *pose,
                         const bench_pair_answer *answer) {
  const mo_vec3 at = pose->translation, by = answer->translation;
  const mo_vec3 moved = {at.x + by.x, at.y + by.y, at.z + by.z};
  mo_transform place = mo_transform_make(moved, pose->rotation, (mo_vec3){1, 1, 1});
  return search(self, &place).distance > 0;
}

/* Refuses an engine whose answer in a pose is not that of a loop over all pairs of triangles. */
static void check_pose(bench_run *run, bench_contender *contender, size_t i) {
  const bench_pair_case *self = run->data;
  const bench_pair_pose *pose = &self->poses[i];
  const bench_pair_answer *answer = &((const bench_pair_outcome *)contender->data)->answers[i];
  mo_transform place = mo_transform_make(pose->translation, pose->rotation, (mo_vec3){1, 1, 1});
  if (self->query == BENCH_PAIR_IMPACT) {
    if (!is_impact(self, pose, &place, answer)) {
      bench_refuse(run, contender, "in pose %zu the impact at %g is none", i, answer->number);
    }
    return;
  }
  brute result = search(self, &place);
  bench_pair_answer right = answer_of(&result, self->query);
  if (!agree(self, &right, answer)) {
    bench_refuse(run, contender, "in pose %zu a loop over all triangles finds %s%g, not %s%g", i,
                 right.found ? "a touch, " : "", right.number, answer->found ? "a touch, " : "",
                 answer->number);
  } else if (self->query == BENCH_PAIR_DEPTH && !is_separated(self, pose, answer)) {
    bench_refuse(run, contender, "in pose %zu its translation does not separate the meshes", i);
  }
}

static void compare(bench_run *run, bench_contender *contender) {
  const bench_pair_case *self = run->data;
  bench_contender *first = &run->contenders[0];
  const bench_pair_outcome *answers = first->data;
  bench_pair_outcome *outcome = contender->data;
  bool is_tolerant = self->query == BENCH_PAIR_TOUCH || self->query == BENCH_PAIR_LIST ||
                     self->query == BENCH_PAIR_CONTACTS;
  size_t last = 0;
  outcome->differences = 0;
  for (size_t i = 0; i < self->count; i++) {
    if (!agree(self, &answers->answers[i], &outcome->answers[i])) {
      outcome->differences++;
      last = i;
    }
  }
  if (contender == first || first->refused ||
      (double)outcome->differences <=
          (is_tolerant ? fmax(1, TOLERATED * (double)self->count) : 0)) {
    return;
  }
  check_pose(run, first, last);
  check_pose(run, contender, last);
  if (bench_is_active(first) && bench_is_active(contender)) {
    bench_refuse(run, contender, "%zu of %zu answers are not those of %s", outcome->differences,
                 self->count, first->engine->name);
  }
}

static void compare_all(bench_run *run, uint32_t round) {
  (void)round;
  bench_check_each(run, compare);
}

/* Of the first engine; of all if that is refused, as nothing is left to compare them with. */
static void check_by_brute_force(bench_run *run) {
  const bench_pair_case *self = run->data;
  const double pairs =
      (double)self->a->triangles.triangle_count * self->b->triangles.triangle_count;
  const size_t checked = pairs < EXPENSIVE_PAIRS || self->checked == 0 ? self->checked : 1;
  for (size_t k = 0; k < run->count && (k == 0 || run->contenders[0].refused); k++) {
    for (size_t i = 0; i < self->count && i < checked && bench_is_active(&run->contenders[k]);
         i++) {
      check_pose(run, &run->contenders[k], i);
    }
  }
}

static void count(bench_run *run, bench_contender *contender) {
  const bench_pair_case *self = run->data;
  const bench_pair_outcome *outcome = contender->data;
  double sum = 0;
  size_t found = 0;
  for (size_t i = 0; i < self->count; i++) {
    found += outcome->answers[i].found;
    sum += outcome->answers[i].number;
  }
  bench_count(run, contender, &found_share, 100.0 * (double)found / (double)self->count);
  if (self->query != BENCH_PAIR_TOUCH) {
    bench_count(run, contender, &mean_number, sum / (double)self->count);
  }
  bench_count(run, contender, &differences,
              1e6 * (double)outcome->differences / (double)self->count);
}

void bench_pair_run(bench_run *run, char *name, const bench_pair_case *self) {
  bench_pair_case current = *self;
  run->data = &current;
  bench_begin(run, name);
  for (size_t i = 0; i < run->count; i++) {
    bench_contender *contender = &run->contenders[i];
    contender->sits_out = !engine_of(contender)->can(self->query);
    ((bench_pair_outcome *)contender->data)->answers =
        allocate(self->count, sizeof(bench_pair_answer));
  }
  bench_play(run,
             &(bench_rounds){
                 .count = run->repeats, .warm_up = 1, .measure = measure, .check = compare_all});
  check_by_brute_force(run);
  bench_end(run, count);
  for (size_t i = 0; i < run->count; i++) {
    free(((bench_pair_outcome *)run->contenders[i].data)->answers);
  }
}
