/* Pairs of triangles of two moving meshes that may come close.
 *
 * During an interval of time, no two points come closer to each other than in its middle, less
 * their top relative speed times half of the interval. So a traversal of both octrees, with the
 * poses of the middle and that much added to the distance, finds all pairs that come close during
 * the interval. If there are many, the interval is halved: the poses of shorter intervals
 * separate more of them. Intervals are visited in the order of time, so that those after the first
 * impact are never visited. Meshes of which many pairs stay close all the time would have very many
 * short intervals, and their pairs would be tested in each: limits of traversals end the halving,
 * and a limit of tests the sweep. */
#include "mesh/pair/sweep.h"

#include "geometry/cast/approach.h"

/* An interval with more pairs than this is halved, if it may be. */
enum { MAX_PAIRS_OF_INTERVAL = 8 };

/* An interval of time is not halved if points move during half of it by less than this fraction of
 * the culling margin: a shorter interval would hardly cull more pairs. Nor is one as short as this.
 */
static const double min_motion_per_margin = 0.5, min_interval_length = 0x1p-24;

/* A cache, by a hash of both indices: the last pairs that were tested. A pair that has no impact up
 * to some limit has none up to a lower one, so it is not tested again. */
enum { CACHE_SIZE = 1024 };

typedef struct pair_of_triangles {
  uint32_t a, b;
} pair_of_triangles;

typedef struct sweep_state {
  const mo_mesh_sweep *sweep;
  mo_isa isa;
  double speed; /* upper bound of the speed of two points relative to each other */
  mo_mesh_placement start[2];
  pair_of_triangles tested[CACHE_SIZE];
  /* The first pairs of an interval that have not been tested. */
  pair_of_triangles found[MAX_PAIRS_OF_INTERVAL];
  uint32_t found_count; /* MAX_PAIRS_OF_INTERVAL + 1: there are more */
  uint64_t tests_left;
  bool is_out_of_tests;
  /* How many intervals may still be visited; each takes at most two traversals. */
  uint32_t intervals_left;
} sweep_state;

/* Where the cache has a pair, if it does. */
static pair_of_triangles *cache_entry_of(sweep_state *s, uint32_t a, uint32_t b) {
  return &s->tested[(a * 0x9e3779b1u + b * 0x85ebca6bu) >> 22];
}

static bool was_tested(sweep_state *s, uint32_t a, uint32_t b) {
  const pair_of_triangles *pair = cache_entry_of(s, a, b);
  return pair->a == a && pair->b == b;
}

static bool add_to_found(uint32_t a, uint32_t b, void *context) {
  sweep_state *s = context;
  if (was_tested(s, a, b)) {
    return true;
  }
  if (s->found_count < MAX_PAIRS_OF_INTERVAL) {
    s->found[s->found_count] = (pair_of_triangles){a, b};
  }
  return ++s->found_count <= MAX_PAIRS_OF_INTERVAL;
}

static bool test_pair(uint32_t a, uint32_t b, void *context) {
  sweep_state *s = context;
  if (was_tested(s, a, b)) {
    return true;
  }
  if (s->tests_left == 0) {
    s->is_out_of_tests = true;
    return false;
  }
  s->tests_left--;
  *cache_entry_of(s, a, b) = (pair_of_triangles){a, b};
  s->sweep->test(a, b, s->sweep->context);
  return true;
}

static mo_mesh_placement placement_at(const sweep_state *s, int side, double t) {
  const mo_moving_body *moving = s->sweep->moving[side];
  mo_mesh_placement at = s->start[side];
  if (moving->rotates) {
    const mo_sine_cosine angle = mo_rotation_at(&moving->rotation, t);
    for (int i = 0; i < 3; i++) {
      at.column[i] = mo_rotate_by(&moving->rotation, &angle, at.column[i]);
    }
    at.origin = mo_moving_point_at(moving, t, mo_dvec(0.0, 0.0, 0.0), at.origin);
  }
  at.origin = mo_dadd(at.origin, mo_dscale(t, mo_widen(moving->displacement)));
  return at;
}

/* A query for the pairs that come close between `begin` and `begin` + `length`. */
static mo_mesh_pair make_query(const sweep_state *s, double begin, double length) {
  const mo_mesh_sweep *sweep = s->sweep;
  const double middle = begin + 0.5 * length;
  const mo_mesh_placement placement[2] = {placement_at(s, 0, middle), placement_at(s, 1, middle)};
  mo_mesh_pair query;
  mo_mesh_pair_init_placed(&query, sweep->mesh, placement,
                           sweep->margin + 0.5 * length * s->speed * (1.0 + 0x1p-40), sweep->stats);
  return query;
}

/* Tests the pairs that come close between `begin` and `begin` + `length`. Returns false if there
 * are so many that the interval is to be halved. */
static bool visit_interval(sweep_state *s, double begin, double length) {
  mo_mesh_pair query = make_query(s, begin, length);
  query.report = add_to_found;
  query.context = s;
  s->found_count = 0;
  mo_mesh_pair_find(&query, s->isa);
  if (s->found_count <= MAX_PAIRS_OF_INTERVAL) {
    for (uint32_t i = 0; i < s->found_count; i++) {
      test_pair(s->found[i].a, s->found[i].b, s);
    }
    return true;
  }
  const double motion_in_half_interval = 0.5 * length * s->speed;
  if (s->intervals_left >= 2 && length > min_interval_length &&
      motion_in_half_interval > min_motion_per_margin * s->sweep->margin) {
    s->intervals_left -= 2;
    return false;
  }
  query.report = test_pair;
  mo_mesh_pair_find(&query, s->isa);
  return true;
}

double mo_mesh_sweep_find(const mo_mesh_sweep *sweep, mo_isa isa) {
  sweep_state s = {.sweep = sweep,
                   .isa = isa,
                   .tests_left = sweep->max_tests,
                   .intervals_left = MO_MESH_SWEEP_MAX_TRAVERSALS / 2 - 1,
                   .speed = mo_max_relative_speed(sweep->moving[0], sweep->moving[1])};
  memset(s.tested, 0xff, sizeof s.tested);
  for (int i = 0; i < 2; i++) {
    s.start[i] = mo_mesh_placement_of(sweep->affine[i]);
  }
  /* The interval from `index` * `length`; its halves, or the next one, are visited after it. */
  uint32_t index = 0;
  double length = 1.0, begin = 0.0;
  while (begin < 1.0 && begin <= *sweep->limit) {
    if (visit_interval(&s, begin, length)) {
      if (s.is_out_of_tests) {
        return begin;
      }
      for (index++; index % 2 == 0 && length < 1.0; index /= 2) {
        length *= 2.0;
      }
    } else {
      index *= 2;
      length *= 0.5;
    }
    begin = (double)index * length;
  }
  return 1.0;
}
