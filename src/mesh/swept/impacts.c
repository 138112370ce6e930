/* The impacts of swept meshes: of pairs of triangles that may come near each other. */
#include "base/bounded.h"
#include "geometry/cast/moving_triangle.h"
#include "mesh/swept/swept.h"

/* The smallest slop, relative to coordinates: many times what mo_bodies_within takes for touch. */
static const float min_relative_slop = 0x1p-32f;

mo_swept_impact_def mo_default_swept_impact_def(void) {
  return (mo_swept_impact_def){.slop = 0.001f, .cookie = MO_COOKIE};
}

typedef struct impact_search impact_search;

/* A query, and what it does with impacts. */
struct impact_search {
  const mo_swept_mesh *mesh[2];
  const mo_swept_impact_def *def;
  double slop;
  float limit; /* impacts later than this are not needed */
  mo_query_stats *stats;
  bool (*take)(impact_search *search, const mo_swept_impact *impact); /* false: ends the search */
  mo_swept_impact first;                                              /* of take_first */
  mo_bounded_list list;                                               /* of add_to_list */
  bool (*visit)(const mo_swept_impact *impact, void *context);        /* of pass_on */
  void *context;
};

/* Some corners of a triangle as a triangle of its own, which repeats the last of them. */
typedef struct triangle_part {
  uint32_t corner[3]; /* numbers of the corners in the whole triangle */
  mo_moving_triangle moving;
} triangle_part;

enum { ALL_CORNERS = 7 };

static mo_moving_triangle moving_triangle(const mo_swept_mesh *mesh, uint32_t triangle) {
  mo_moving_triangle moving;
  for (int i = 0; i < 3; i++) {
    const uint32_t vertex = mesh->vertices[triangle][i];
    moving.start[i] = mo_widen(mesh->positions[0][vertex]);
    moving.end[i] = mo_widen(mesh->positions[1][vertex]);
  }
  return moving;
}

/* The part that some corners span, at least one: bit i stands for corner i. */
static triangle_part part_of(const mo_moving_triangle *whole, uint32_t corners) {
  triangle_part made;
  for (int i = 0; i < 3; i++) {
    const uint32_t corner = (uint32_t)__builtin_ctz(corners);
    made.corner[i] = corner;
    made.moving.start[i] = whole->start[corner];
    made.moving.end[i] = whole->end[corner];
    corners = (corners & (corners - 1)) != 0 ? corners & (corners - 1) : corners;
  }
  return made;
}

static bool is_same(mo_dvec3 a, mo_dvec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_same_corner(const mo_moving_triangle *a, uint32_t i, const mo_moving_triangle *b,
                           uint32_t k) {
  return is_same(a->start[i], b->start[k]) && is_same(a->end[i], b->end[k]);
}

/* Bits of the corners of `of` that are corners of `other` too. */
static uint32_t shared_corners(const mo_moving_triangle *of, const mo_moving_triangle *other) {
  uint32_t shared = 0;
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      shared |= is_same_corner(of, i, other, k) ? 1u << i : 0;
    }
  }
  return shared;
}

/* Numbers the feature of a part as that of the whole triangle. */
static mo_body_feature feature_of_whole(const triangle_part *p, mo_body_feature feature) {
  switch (feature.kind) {
  case MO_FEATURE_VERTEX:
    feature.index = p->corner[feature.index];
    break;
  case MO_FEATURE_EDGE: {
    const uint32_t from = p->corner[feature.index], to = p->corner[(feature.index + 1) % 3];
    feature.index = to == (from + 1) % 3 ? from : to;
    break;
  }
  case MO_FEATURE_FACE:
    break;
  }
  return feature;
}

/* Keeps the earliest impact. */
static void test_parts(impact_search *search, const mo_moving_triangle *a, uint32_t corners_a,
                       const mo_moving_triangle *b, uint32_t corners_b,
                       mo_moving_triangle_impact *best) {
  const triangle_part p = part_of(a, corners_a), q = part_of(b, corners_b);
  mo_moving_triangle_impact impact = mo_find_moving_triangle_impact(
      &p.moving, &q.moving, search->slop, fmin((double)search->limit, best->t));
  search->stats->distance_count += impact.distance_count;
  if (impact.t < best->t) {
    impact.feature[0] = feature_of_whole(&p, impact.feature[0]);
    impact.feature[1] = feature_of_whole(&q, impact.feature[1]);
    *best = impact;
  }
}

/* The edges without a common corner of two triangles with a common edge, but for those that begin
 * both at corners that are not shared. */
static void test_crossed_edges(impact_search *search, const mo_moving_triangle *a, uint32_t rest_a,
                               const mo_moving_triangle *b, uint32_t rest_b,
                               mo_moving_triangle_impact *best) {
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      const bool are_shared = !((rest_a >> i | rest_b >> k) & 1);
      if (are_shared && !is_same_corner(a, i, b, k)) {
        test_parts(search, a, rest_a | 1u << i, b, rest_b | 1u << k, best);
      }
    }
  }
}

static mo_moving_triangle_impact find_impact(impact_search *search, uint32_t triangle,
                                             uint32_t other) {
  const mo_moving_triangle a = moving_triangle(search->mesh[0], triangle),
                           b = moving_triangle(search->mesh[1], other);
  mo_moving_triangle_impact best = {.t = INFINITY};
  const bool is_self = search->mesh[0] == search->mesh[1];
  const uint32_t rest_a = ALL_CORNERS & ~(is_self ? shared_corners(&a, &b) : 0),
                 rest_b = ALL_CORNERS & ~(is_self ? shared_corners(&b, &a) : 0);
  if (rest_a == ALL_CORNERS) {
    test_parts(search, &a, ALL_CORNERS, &b, ALL_CORNERS, &best);
    return best;
  }
  if (rest_a != 0) {
    test_parts(search, &a, rest_a, &b, ALL_CORNERS, &best);
  }
  if (rest_b != 0) {
    test_parts(search, &a, ALL_CORNERS, &b, rest_b, &best);
  }
  if (rest_a != 0 && rest_b != 0) {
    test_crossed_edges(search, &a, rest_a, &b, rest_b, &best);
  }
  return best;
}

static mo_swept_impact impact_of(uint32_t triangle, uint32_t other,
                                 const mo_moving_triangle_impact *from) {
  return (mo_swept_impact){.triangle = triangle,
                           .other_triangle = other,
                           .t = mo_round_down(from->t),
                           .point = mo_narrow(from->point),
                           .normal = mo_narrow(from->normal),
                           .separation = (float)from->separation,
                           .feature = from->feature[0].kind,
                           .feature_index = from->feature[0].index,
                           .other_feature = from->feature[1].kind,
                           .other_feature_index = from->feature[1].index};
}

static bool before(const void *a, const void *b) {
  const mo_swept_impact *x = a, *y = b;
  return x->triangle != y->triangle ? x->triangle < y->triangle
                                    : x->other_triangle < y->other_triangle;
}

static bool take_first(impact_search *search, const mo_swept_impact *impact) {
  const bool better = search->first.triangle == MO_NO_TRIANGLE ? true
                      : impact->t != search->first.t           ? impact->t < search->first.t
                                                               : before(impact, &search->first);
  if (better) {
    search->first = *impact;
    search->limit = mo_min(nextafterf(impact->t, INFINITY), 1.0f);
  }
  return true;
}

static bool add_to_list(impact_search *search, const mo_swept_impact *impact) {
  mo_bounded_offer(&search->list, impact, sizeof *impact, before);
  return true;
}

static bool pass_on(impact_search *search, const mo_swept_impact *impact) {
  return search->visit(impact, search->context);
}

static bool test_pair(uint32_t triangle, uint32_t other, void *context) {
  impact_search *search = context;
  search->stats->pair_count++;
  if (search->def->accept != NULL && !search->def->accept(triangle, other, search->def->context)) {
    return true;
  }
  const mo_moving_triangle_impact found = find_impact(search, triangle, other);
  if (!(found.t <= (double)search->limit)) {
    return true;
  }
  const mo_swept_impact impact = impact_of(triangle, other, &found);
  return search->take(search, &impact);
}

static void find_impacts(impact_search *search, mo_query_stats *stats) {
  if (search->mesh[0]->triangle_count == 0 || search->mesh[1]->triangle_count == 0) {
    return;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  const float coordinate = mo_max(mo_max_magnitude(search->mesh[0]->segments->reach),
                                  mo_max_magnitude(search->mesh[1]->segments->reach));
  const float slop = mo_max(search->def->slop, min_relative_slop * coordinate);
  search->slop = slop;
  search->stats = &counts;
  mo_swept_search boxes = {.mesh = {search->mesh[0], search->mesh[1]},
                           .reach = slop,
                           .reach_along_directions = 2.0f * slop + 0x1p-18f * coordinate,
                           .limit = &search->limit,
                           .test = test_pair,
                           .context = search,
                           .stats = &counts};
  mo_swept_search_run_by_isa[search->mesh[0]->isa](&boxes);
  mo_stats_end(&counts, stats);
}

static impact_search make_search(const mo_swept_mesh *mesh, const mo_swept_impact_def *def,
                                 bool (*take)(impact_search *search,
                                              const mo_swept_impact *impact)) {
  return (impact_search){.mesh = {mesh, def->other},
                         .def = def,
                         .limit = 1.0f,
                         .take = take,
                         .first = {.triangle = MO_NO_TRIANGLE, .other_triangle = MO_NO_TRIANGLE}};
}

static mo_result check_def(const mo_swept_mesh *mesh, const mo_swept_impact_def *def,
                           const char *function) {
  const mo_refusal refusal = mo_refusal_of(&mesh->host, function, "def");
  mo_result result = mo_check_cookie(def->cookie, &refusal, "", "mo_default_swept_impact_def");
  if (result == MO_OK && def->other == NULL) {
    result = mo_refuse(&refusal, MO_ERROR_NULL_ARGUMENT, ".other is null");
  }
  return result == MO_OK ? mo_check_size(def->slop, MO_MAX_COORDINATE, &refusal, ".slop") : result;
}

mo_result mo_swept_mesh_find_impact(const mo_swept_mesh *mesh, const mo_swept_impact_def *def,
                                    mo_swept_impact *impact, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || impact == NULL) {
    return mo_refuse_null(mo_swept_mesh_host(mesh), __func__, def == NULL ? "def" : "impact");
  }
  const mo_result result = check_def(mesh, def, __func__);
  if (result == MO_OK) {
    impact_search search = make_search(mesh, def, take_first);
    find_impacts(&search, stats);
    *impact = search.first;
  }
  return result;
}

mo_result mo_swept_mesh_find_impacts(const mo_swept_mesh *mesh, const mo_swept_impact_def *def,
                                     mo_swept_impact *impacts, uint32_t capacity, uint32_t *total,
                                     mo_query_stats *stats) {
  const char *missing =
      def == NULL ? "def" : mo_missing_of_list(impacts, capacity, "impacts", total);
  if (mesh == NULL || missing != NULL) {
    return mo_refuse_null(mo_swept_mesh_host(mesh), __func__, missing);
  }
  const mo_result result = check_def(mesh, def, __func__);
  if (result == MO_OK) {
    impact_search search = make_search(mesh, def, add_to_list);
    search.list = mo_bounded_make(impacts, capacity);
    find_impacts(&search, stats);
    mo_bounded_sort(&search.list, sizeof *impacts, before);
    *total = search.list.total;
  }
  return result;
}

mo_result mo_swept_mesh_visit_impacts(const mo_swept_mesh *mesh, const mo_swept_impact_def *def,
                                      bool (*visit)(const mo_swept_impact *impact, void *context),
                                      void *context, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || visit == NULL) {
    return mo_refuse_null(mo_swept_mesh_host(mesh), __func__, def == NULL ? "def" : "visit");
  }
  const mo_result result = check_def(mesh, def, __func__);
  if (result == MO_OK) {
    impact_search search = make_search(mesh, def, pass_on);
    search.visit = visit;
    search.context = context;
    find_impacts(&search, stats);
  }
  return result;
}
