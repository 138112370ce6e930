/* Finds a short translation that separates two meshes, after Je, Tang, Lee, Lee and Kim,
 * "PolyDepth: Real-time Penetration Depth Computation using Iterative Contact-Space Projection"
 * (2012).
 *
 * A translation with which the meshes do not overlap is shortened in two ways. The mesh moves back
 * towards its place, in a straight line, until it touches. And it moves along what it touches: each
 * pair of triangles that are close there has a plane between them, and the shortest translation
 * beyond all of these planes is the next goal. On both ways the translation never gets longer, and
 * the mesh is stopped where it touches anything; so it does not get inside of the other one, but
 * for rounding.
 *
 * This finds a local minimum. To find short ones, it starts from many translations: steps in many
 * directions, first of small lengths, then a little shorter than the shortest translation so far.
 * Where nearly all of these separate, as for a mesh that lies on itself, that would take very long:
 * the number of casts of all starts together is limited.
 *
 * Nothing depends on the order in which pairs of triangles are found. */
#include <motte/separation.h>

#include "base/bounded.h"
#include "geometry/distance/distance.h"
#include "mesh/cast/translation_planes.h"
#include "mesh/pair/deepest.h"
#include "mesh/pair/sweep.h"

enum {
  MAX_IMPROVEMENTS_PER_START = 16, /* how often a translation is shortened, from each start */
  MAX_ROUNDS = 4,   /* rounds in which all directions are tried, with steps as long as the best */
  MAX_HALVINGS = 5, /* how often the length of the first translation is halved, for shorter steps */
  MAX_CLOSE_PAIRS = 64,   /* pairs of close triangles that give a plane each */
  MAX_CASTS = 128,        /* casts of all starts together, after which the search ends */
  MAX_GAP_INCREASES = 4,  /* how often a gap that rounding has closed is lengthened */
  DIRECTIONS_PER_AXIS = 5 /* directions lead to a grid of points on the faces of a cube */
};

/* Starts are shorter than the shortest translation by this fraction; and an improvement by less
 * than the other fraction ends the search of a start. */
static const double min_start_shortening = 0.03, min_gain = 0.001;

/* Relative to the size of the smaller mesh: the distance up to which triangles are close. */
static const double close_distance = 0x1p-10;

/* Relative to coordinates: the gap that is left to what the mesh touches. */
static const double gap_per_coordinate = 0x1p-21;

typedef struct separation_search {
  const mo_mesh *mesh[2];
  const mo_affine *affine[2];
  bool is_filled[2];
  mo_aabb bounds[2]; /* in the world: images of local boxes, which do not depend on how a mesh was
                        built */
  mo_query_stats *stats;
  double size;           /* of the smaller mesh */
  double coordinate_sum; /* sum of the largest coordinates of both meshes */
  double gap;
  int casts_left;
  bool found;
  mo_dvec3 best; /* the shortest translation found that separates the meshes, rounded to floats */
  double length; /* length of `best`; INFINITY until one is found */
} separation_search;

/* --- whether a translation separates --- */

/* The second mesh with a translation, in floats. */
static mo_affine translated(const separation_search *s, mo_dvec3 by) {
  mo_affine affine = *s->affine[1];
  affine.to_world.origin = mo_add(affine.to_world.origin, mo_narrow(by));
  return affine;
}

static bool surfaces_touch(const separation_search *s, const mo_affine *second) {
  return mo_meshes_touch(s->mesh, (const mo_affine *[2]){s->affine[0], second}, s->mesh[0]->isa,
                         s->stats);
}

/* The deepest vertex of mesh `side` in the other one. */
static mo_deepest_vertex deepest_of(const separation_search *s, int side, const mo_affine *second,
                                    bool any) {
  const mo_affine *const affine[2] = {s->affine[0], second};
  return s->is_filled[side ^ 1]
             ? mo_mesh_find_deepest_vertex_inside(s->mesh[side], affine[side], s->mesh[side ^ 1],
                                                  affine[side ^ 1], any, s->stats)
             : (mo_deepest_vertex){.depth = 0.0f};
}

static bool contains_vertices(const separation_search *s, const mo_affine *second) {
  return deepest_of(s, 0, second, true).depth > 0.0f || deepest_of(s, 1, second, true).depth > 0.0f;
}

/* Makes bodies of two triangles. `second` is the transform of the second mesh. */
static void make_bodies(const separation_search *s, const mo_affine *second, uint32_t a, uint32_t b,
                        mo_body body[2]) {
  mo_vec3 corners[3];
  mo_mesh_corners(s->mesh[0], a, corners);
  body[0] = mo_mesh_pair_body(s->affine[0], corners);
  mo_mesh_corners(s->mesh[1], b, corners);
  body[1] = mo_mesh_pair_body(second, corners);
}

/* --- moving until something is touched --- */

typedef struct translation_cast {
  const separation_search *search;
  const mo_affine *second; /* where the second mesh starts */
  mo_vec3 displacement;
  double limit; /* the time of the first contact so far */
} translation_cast;

static void cast_pair(uint32_t a, uint32_t b, void *context) {
  translation_cast *c = context;
  const separation_search *s = c->search;
  mo_body body[2];
  make_bodies(s, c->second, a, b, body);
  mo_moving_body moving = mo_still_body(&body[1]);
  moving.displacement = c->displacement;
  moving.capsule = mo_bounding_capsule_of(&body[1]);
  s->stats->pair_count++;
  c->limit = fmin(c->limit, mo_cast_convex(&body[0], &moving, c->limit).t);
}

/* Moves the second mesh from one translation to another, until it touches. Returns the fraction of
 * the way that is free. */
static double cast_second_mesh(separation_search *s, mo_dvec3 from, mo_dvec3 to) {
  s->casts_left--;
  const mo_affine second = translated(s, from);
  translation_cast c = {
      .search = s, .second = &second, .displacement = mo_narrow(mo_dsub(to, from)), .limit = 1.0};
  const mo_body box[2] = {mo_body_of_aabb(mo_mesh_image_bounds(s->mesh[0], s->affine[0])),
                          mo_body_of_aabb(mo_mesh_image_bounds(s->mesh[1], &second))};
  mo_moving_body moving[2] = {mo_still_body(&box[0]), mo_still_body(&box[1])};
  moving[1].displacement = c.displacement;
  const mo_mesh_sweep sweep = {.mesh = {s->mesh[0], s->mesh[1]},
                               .affine = {s->affine[0], &second},
                               .moving = {&moving[0], &moving[1]},
                               .margin = close_distance * s->size + s->gap,
                               .limit = &c.limit,
                               .test = cast_pair,
                               .context = &c,
                               .max_tests = UINT64_MAX,
                               .stats = s->stats};
  mo_mesh_sweep_find(&sweep, s->mesh[0]->isa);
  return c.limit;
}

/* Moves from `from`, which is separate, towards `to`, and takes the end of the free part of the way
 * if the surfaces are separate in floats, too. Returns false if nothing was gained. */
static bool move_towards(separation_search *s, mo_dvec3 from, mo_dvec3 to, mo_dvec3 *end) {
  const mo_dvec3 translation = mo_dsub(to, from);
  const double length = mo_dlength(translation);
  if (!(length > s->gap) || s->casts_left == 0) {
    return false;
  }
  const double free_part = cast_second_mesh(s, from, to);
  double gap = free_part < 1.0 ? s->gap : 0.0;
  for (int i = 0; i < MAX_GAP_INCREASES; i++) {
    const double t = free_part - gap / length;
    if (!(t > 0.0)) {
      return false;
    }
    *end = mo_widen(mo_narrow(mo_dadd(from, mo_dscale(t, translation))));
    const mo_affine second = translated(s, *end);
    if (!surfaces_touch(s, &second)) {
      return true;
    }
    gap = fmax(4.0 * gap, s->gap);
  }
  return false;
}

/* --- moving along what is touched --- */

/* Two triangles that are close. */
typedef struct close_pair {
  mo_dvec3 normal; /* from the first to the second */
  double distance;
  mo_triangle_pair pair;
} close_pair;

typedef struct close_pairs {
  const separation_search *search;
  const mo_affine *second;
  mo_bounded_list list; /* of close_pair: the closest */
} close_pairs;

static bool close_pair_before(const void *a, const void *b) {
  const close_pair *x = a, *y = b;
  return x->distance != y->distance ? x->distance < y->distance
                                    : mo_mesh_pair_before(&x->pair, &y->pair);
}

static bool add_close_pair(uint32_t a, uint32_t b, void *context) {
  close_pairs *c = context;
  const separation_search *s = c->search;
  mo_body body[2];
  make_bodies(s, c->second, a, b, body);
  const double max_distance = close_distance * s->size;
  s->stats->distance_count++;
  const mo_convex_gap gap = mo_bodies_distance(&body[0], &body[1], max_distance);
  if (gap.distance > 0.0 && gap.distance <= max_distance) {
    const close_pair pair = {gap.normal, gap.distance, {a, b}};
    mo_bounded_offer(&c->list, &pair, sizeof pair, close_pair_before);
  }
  return true;
}

/* Adds a plane, or moves one with the same normal. */
static void add_plane(mo_translation_planes *planes, mo_dvec3 normal, double min) {
  for (int i = 0; i < planes->count; i++) {
    mo_translation_plane *plane = &planes->plane[i];
    if (mo_ddot(plane->normal, normal) > 1.0 - 0x1p-20) {
      plane->min = fmax(plane->min, min);
      return;
    }
  }
  if (planes->count < MO_MAX_TRANSLATION_PLANES) {
    planes->plane[planes->count++] = (mo_translation_plane){normal, min, 0.0};
  }
}

/* The shortest translation beyond the planes between the closest pairs of triangles, for the
 * second mesh with the translation `at`. */
static bool find_translation_beyond_planes(const separation_search *s, mo_dvec3 at,
                                           mo_dvec3 *goal) {
  const mo_affine second = translated(s, at);
  close_pair pairs[MAX_CLOSE_PAIRS];
  close_pairs close = {s, &second, mo_bounded_make(pairs, MAX_CLOSE_PAIRS)};
  mo_mesh_pair query;
  mo_mesh_pair_init(&query, s->mesh, (const mo_affine *[2]){s->affine[0], &second},
                    close_distance * s->size, s->stats);
  query.report = add_close_pair;
  query.context = &close;
  mo_mesh_pair_find(&query, s->mesh[0]->isa);
  mo_bounded_sort(&close.list, sizeof *pairs, close_pair_before);
  mo_translation_planes planes = {.count = 0};
  for (uint32_t i = 0; i < close.list.count; i++) {
    const double distance = fmax(pairs[i].distance - 2.0 * s->gap, 0.0);
    add_plane(&planes, pairs[i].normal, mo_ddot(pairs[i].normal, at) - distance);
  }
  return planes.count > 0 && mo_find_translation_beyond_planes(&planes, 0.25 * s->gap, goal);
}

/* --- the search --- */

static bool is_in_coordinate_range(const separation_search *s, mo_dvec3 translation) {
  return mo_dlength(translation) + s->coordinate_sum < 0.25 * (double)MO_MAX_COORDINATE;
}

static void keep_if_shortest(separation_search *s, mo_dvec3 translation) {
  const double length = mo_dlength(translation);
  if (length < s->length) {
    s->found = true;
    s->best = translation;
    s->length = length;
  }
}

/* Shortens a translation that separates, and keeps the result if it is the shortest. */
static void shorten(separation_search *s, mo_dvec3 start) {
  static const mo_dvec3 no_translation = {0.0, 0.0, 0.0};
  mo_dvec3 at = start;
  mo_dvec3 next, goal;
  if (move_towards(s, at, no_translation, &next)) {
    at = next;
  }
  for (int i = 0; i < MAX_IMPROVEMENTS_PER_START; i++) {
    const double length = mo_dlength(at);
    if (!find_translation_beyond_planes(s, at, &goal) ||
        !(mo_dlength(goal) < (1.0 - min_gain) * length) || !move_towards(s, at, goal, &next)) {
      break;
    }
    mo_dvec3 nearer;
    if (move_towards(s, next, no_translation, &nearer)) {
      next = nearer;
    }
    if (!(mo_dlength(next) < length)) {
      break;
    }
    at = next;
  }
  /* Nothing was touched on the way; but where gaps are as small as rounding, one mesh may have got
   * inside of the other one all the same. */
  const mo_affine second = translated(s, at);
  keep_if_shortest(s, mo_dlength(at) < s->length && contains_vertices(s, &second) ? start : at);
}

/* A translation as short as rounding is not shortened any further. */
static bool has_ended(const separation_search *s) {
  return s->casts_left == 0 || s->length <= 4.0 * s->gap;
}

/* Starts from a translation if it separates. */
static void start_from(separation_search *s, mo_dvec3 translation) {
  const mo_dvec3 in_floats = mo_widen(mo_narrow(translation));
  if (has_ended(s) || !is_in_coordinate_range(s, in_floats)) {
    return;
  }
  const mo_affine second = translated(s, in_floats);
  if (!surfaces_touch(s, &second) && !contains_vertices(s, &second)) {
    shorten(s, in_floats);
  }
}

/* Starts from the shortest translation that separates the box of the second mesh from that of the
 * first. */
static void start_from_boxes(separation_search *s) {
  const mo_aabb a = s->bounds[0], b = s->bounds[1];
  double min = INFINITY;
  mo_dvec3 translation = {0.0, 0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      const double by = sign > 0 ? (double)mo_get(a.upper, k) - (double)mo_get(b.lower, k)
                                 : (double)mo_get(b.upper, k) - (double)mo_get(a.lower, k);
      if (by < min) {
        min = by;
        const double step = (double)sign * (by + 4.0 * s->gap);
        translation = mo_dvec(k == 0 ? step : 0.0, k == 1 ? step : 0.0, k == 2 ? step : 0.0);
      }
    }
  }
  start_from(s, translation);
}

/* Starts from steps of some length in all directions: those to the points of a grid on the faces of
 * a cube. Any direction is within 20 degrees of one of them. */
static void start_from_directions(separation_search *s, double length) {
  const int half = DIRECTIONS_PER_AXIS / 2;
  for (int i = 0; i < DIRECTIONS_PER_AXIS * DIRECTIONS_PER_AXIS * DIRECTIONS_PER_AXIS; i++) {
    const int x = i % DIRECTIONS_PER_AXIS - half,
              y = i / DIRECTIONS_PER_AXIS % DIRECTIONS_PER_AXIS - half,
              z = i / (DIRECTIONS_PER_AXIS * DIRECTIONS_PER_AXIS) - half;
    if (abs(x) == half || abs(y) == half || abs(z) == half) {
      const mo_dvec3 direction = mo_dvec((double)x, (double)y, (double)z);
      start_from(s, mo_dscale(fmin(length, (1.0 - min_start_shortening) * s->length) /
                                  mo_dlength(direction),
                              direction));
    }
  }
}

/* No translation shorter than `depth` separates. */
static void find_translation(separation_search *s, double depth) {
  start_from_boxes(s);
  const double first = s->length;
  bool shorter = false;
  for (int i = MAX_HALVINGS; i > 0 && s->found && !shorter; i--) {
    const double step = ldexp(first, -i);
    if (step > depth) {
      start_from_directions(s, step);
      shorter = s->length < first;
    }
  }
  double before = INFINITY;
  for (int i = 0; i < MAX_ROUNDS && s->length < before; i++) {
    before = s->length;
    start_from_directions(s, before);
  }
}

/* Sets the results about the depth. Returns whether the meshes overlap. */
static bool measure_overlap(const separation_search *s, mo_mesh_separation *result) {
  const mo_deepest_vertex own = deepest_of(s, 0, s->affine[1], false),
                          others = deepest_of(s, 1, s->affine[1], false);
  result->is_vertex_of_other = others.depth > own.depth;
  const mo_deepest_vertex *deepest = result->is_vertex_of_other ? &others : &own;
  result->depth = deepest->depth;
  result->vertex = deepest->vertex;
  result->surface = deepest->surface_point;
  result->triangle = deepest->depth > 0.0f ? deepest->triangle : MO_NO_TRIANGLE;
  result->overlaps = deepest->depth > 0.0f || surfaces_touch(s, s->affine[1]);
  return result->overlaps;
}

static separation_search make_search(const mo_mesh *mesh, const mo_separation_mesh_def *def,
                                     const mo_affine affine[2], mo_query_stats *stats) {
  separation_search s = {.mesh = {mesh, def->other},
                         .affine = {&affine[0], &affine[1]},
                         .is_filled = {def->is_filled, def->other_is_filled},
                         .stats = stats,
                         .casts_left = MAX_CASTS,
                         .length = INFINITY};
  s.size = INFINITY;
  for (int i = 0; i < 2; i++) {
    s.bounds[i] = mo_affine_aabb_to_world(s.affine[i], s.mesh[i]->bounds);
    s.size = fmin(s.size, mo_sum_of_extents(s.bounds[i]));
    s.coordinate_sum += mo_sum_of_magnitudes(mo_widen(mo_aabb_max_coordinates(s.bounds[i])));
  }
  s.coordinate_sum += mo_sum_of_magnitudes(mo_widen(affine[1].to_world.origin));
  s.gap = gap_per_coordinate * s.coordinate_sum + 0x1p-120;
  return s;
}

mo_separation_mesh_def mo_default_separation_mesh_def(void) {
  return (mo_separation_mesh_def){.transform = mo_transform_identity(),
                                  .other_transform = mo_transform_identity(),
                                  .cookie = MO_COOKIE};
}

static mo_result check_def(const mo_mesh *mesh, const mo_separation_mesh_def *def,
                           const mo_refusal *refusal, mo_affine affine[2]) {
  const mo_result result =
      mo_check_cookie(def->cookie, refusal, "", "mo_default_separation_mesh_def");
  return result == MO_OK
             ? mo_mesh_pair_check((const mo_mesh *[2]){mesh, def->other},
                                  (const mo_transform *[2]){&def->transform, &def->other_transform},
                                  refusal, affine)
             : result;
}

mo_result mo_mesh_find_separation_mesh(const mo_mesh *mesh, const mo_separation_mesh_def *def,
                                       mo_mesh_separation *separation, mo_query_stats *stats) {
  if (mesh == NULL || def == NULL || separation == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, def == NULL ? "def" : "separation");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def");
  mo_affine affine[2];
  const mo_result result = check_def(mesh, def, &refusal, affine);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_separation answer = {.triangle = MO_NO_TRIANGLE};
  if (!mo_aabb_is_empty(mesh->bounds) && !mo_aabb_is_empty(def->other->bounds)) {
    separation_search s = make_search(mesh, def, affine, &counts);
    if (measure_overlap(&s, &answer)) {
      find_translation(&s, (double)answer.depth);
      answer.found = s.found;
      answer.translation = mo_narrow(s.best);
    }
  }
  *separation = answer;
  mo_stats_end(&counts, stats);
  return MO_OK;
}
