/* Impacts of meshes whose vertices move each on its own. They are judged by geometry: triangles
 * that were made to meet, and distances at many times of the step. Lists are those of a loop over
 * all pairs. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/distance.h>
#include <motte/geometry.h>
#include <motte/overlap.h>
#include <motte/swept.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "support/families.h"
#include "support/rng.h"

enum { CAPACITY = 100000 };

static mo_swept_impact listed[CAPACITY];

/* Vertices at both ends, of triangles that share them or not. */
typedef struct paths {
  mo_vec3 at[2][600];
  uint32_t indices[3 * 800];
  uint32_t vertex_count, triangle_count;
} paths;

static mo_swept_mesh *make(const paths *p, mo_isa isa) {
  mo_swept_mesh_def def = mo_default_swept_mesh_def();
  mo_swept_mesh *mesh = NULL;
  def.positions = p->at[0];
  def.end_positions = p->at[1];
  def.vertex_count = p->vertex_count;
  def.indices = p->indices;
  def.triangle_count = p->triangle_count;
  def.isa = isa;
  cr_assert_eq(mo_swept_mesh_create(&def, &mesh), MO_OK);
  cr_assert_eq(mo_swept_mesh_validate(mesh), MO_OK);
  return mesh;
}

static uint32_t list_impacts(const mo_swept_mesh *a, const mo_swept_mesh *b, float slop) {
  mo_swept_impact_def def = mo_default_swept_impact_def();
  uint32_t total;
  def.other = b;
  def.slop = slop;
  cr_assert_eq(mo_swept_mesh_find_impacts(a, &def, listed, CAPACITY, &total, NULL), MO_OK);
  cr_assert_leq(total, CAPACITY);
  return total;
}

static mo_swept_impact first_impact(const mo_swept_mesh *a, const mo_swept_mesh *b, float slop) {
  mo_swept_impact_def def = mo_default_swept_impact_def();
  mo_swept_impact impact;
  def.other = b;
  def.slop = slop;
  cr_assert_eq(mo_swept_mesh_find_impact(a, &def, &impact, NULL), MO_OK);
  return impact;
}

static mo_vec3 position(const paths *p, uint32_t vertex, double t) {
  const mo_dvec3 a = mo_widen(p->at[0][vertex]), b = mo_widen(p->at[1][vertex]);
  return mo_narrow(mo_dadd(mo_dscale(1 - t, a), mo_dscale(t, b)));
}

static mo_primitive triangle_at(const paths *p, uint32_t triangle, double t) {
  const uint32_t *v = &p->indices[3 * (size_t)triangle];
  return mo_primitive_of_triangle(position(p, v[0], t), position(p, v[1], t), position(p, v[2], t));
}

static mo_primitive_distance distance_at(const paths *a, uint32_t triangle, const paths *b,
                                         uint32_t other, double t) {
  const mo_primitive p = triangle_at(a, triangle, t), q = triangle_at(b, other, t);
  mo_primitive_distance distance;
  cr_assert_eq(mo_primitive_find_distance(&p, &q, INFINITY, &distance), MO_OK);
  return distance;
}

/* One triangle with vertices anywhere in a cube, which move by up to `far`. */
static paths random_triangle(rng *r, float far) {
  paths p = {.vertex_count = 3, .triangle_count = 1, .indices = {0, 1, 2}};
  const float size = rng_chance(r, 0.2) ? 0.01f : 1;
  const mo_vec3 middle = rng_vec3(r, -1, 1), by = rng_vec3(r, -far, far);
  for (uint32_t i = 0; i < 3; i++) {
    p.at[0][i] = mo_add(middle, rng_vec3(r, -size, size));
    p.at[1][i] = mo_add(mo_add(p.at[0][i], by), rng_vec3(r, -size, size));
  }
  if (rng_chance(r, 0.1)) { /* a segment or a point */
    p.at[0][2] = p.at[0][1];
    p.at[1][2] = p.at[1][1];
  }
  if (rng_chance(r, 0.1)) { /* at rest */
    memcpy(p.at[1], p.at[0], sizeof p.at[1]);
  }
  return p;
}

/* Moves the whole path of a triangle so that it meets another one at a time. */
static void make_meet(rng *r, paths *p, const paths *other, double t) {
  mo_dvec3 by = mo_dvec(0, 0, 0);
  for (int s = 0; s < 2; s++) {
    const double u = (double)rng_float(r, 0, 1), v = (double)rng_float(r, 0, 1) * (1 - u),
                 weights[3] = {1 - u - v, u, v};
    for (uint32_t i = 0; i < 3; i++) {
      const mo_dvec3 at = mo_widen(position(s == 0 ? other : p, i, t));
      by = mo_dadd(by, mo_dscale(s == 0 ? weights[i] : -weights[i], at));
    }
  }
  for (int pose = 0; pose < 2; pose++) {
    for (uint32_t i = 0; i < 3; i++) {
      p->at[pose][i] = mo_add(p->at[pose][i], mo_narrow(by));
    }
  }
}

/* No triangles that meet are missed, however fast they are and small the slop is. */
Test(mesh_swept, finds_triangles_that_were_made_to_meet) {
  rng r = rng_make(rng_seed("triangles made to meet", 3501));
  uint64_t found = 0, began_in_touch = 0;
  for (uint64_t round = rng_rounds(20000, 1000000); round > 0; round--) {
    const float far = powf(10, rng_float(&r, -2, 3));
    const paths a = random_triangle(&r, far);
    paths b = random_triangle(&r, far);
    const double meet = rng_chance(&r, 0.1) ? 1 : (double)rng_float(&r, 0, 1);
    make_meet(&r, &b, &a, meet);
    /* Rounding may keep them apart by some 2^-21 of the coordinates. */
    const float slop = (far + 4) * (rng_chance(&r, 0.5) ? 0x1p-18f : 0x1p-10f);
    mo_swept_mesh *p = make(&a, MO_ISA_AUTO), *q = make(&b, MO_ISA_AUTO);
    const double start = (double)distance_at(&a, 0, &b, 0, 0).distance;
    const mo_swept_impact impact = first_impact(p, q, slop);
    if (start > (double)slop) {
      cr_assert_eq(impact.triangle, 0, "round %lu: none found, but they meet at %g",
                   (unsigned long)round, meet);
      cr_assert_leq((double)impact.t, meet + 0x1p-20);
      found++;
    } else {
      began_in_touch++;
    }
    mo_swept_mesh_destroy(p);
    mo_swept_mesh_destroy(q);
  }
  printf("%lu met, %lu began closer than the slop\n", (unsigned long)found,
         (unsigned long)began_in_touch);
  cr_assert_gt(found, began_in_touch);
}

/* The gap is half to three quarters of the slop, or of the distance at the start, and larger
 * before; without an impact it is so all the time. */
static void check_impact(const paths *a, const paths *b, float slop,
                         const mo_swept_impact *impact) {
  enum { TIMES = 40 };
  const double rounding = 0x1p-19 * 20, start = (double)distance_at(a, 0, b, 0, 0).distance,
               gap = fmin((double)slop, start);
  const bool found = impact->triangle != MO_NO_TRIANGLE;
  const double end = found ? (double)impact->t : 1;
  for (int i = 0; i <= TIMES; i++) {
    const double distance = (double)distance_at(a, 0, b, 0, end * i / TIMES).distance;
    cr_assert_geq(distance, 0.5 * gap - rounding, "closer at %g of %g", (double)i / TIMES, end);
  }
  if (found) {
    const mo_primitive_distance at = distance_at(a, 0, b, 0, end);
    cr_assert_leq((double)at.distance, 0.75 * gap + rounding);
    cr_assert_float_eq((double)impact->separation, (double)at.distance, rounding);
    cr_assert_float_eq((double)mo_dot(impact->normal, impact->normal), 1, 1e-5);
    cr_assert_gt((double)mo_dot(impact->normal, at.normal), 0.99);
    cr_assert_eq(impact->other_triangle, 0);
  }
}

Test(mesh_swept, stops_where_distances_say) {
  rng r = rng_make(rng_seed("distances on the way", 3502));
  uint64_t found = 0;
  for (uint64_t round = rng_rounds(3000, 100000); round > 0; round--) {
    const paths a = random_triangle(&r, 2), b = random_triangle(&r, 2);
    const float slop = rng_float(&r, 0.01f, 0.2f);
    mo_swept_mesh *p = make(&a, MO_ISA_AUTO), *q = make(&b, MO_ISA_AUTO);
    const mo_swept_impact impact = first_impact(p, q, slop);
    if (distance_at(&a, 0, &b, 0, 0).distance > 0.01f) {
      check_impact(&a, &b, slop, &impact);
      found += impact.triangle == 0;
    }
    mo_swept_mesh_destroy(p);
    mo_swept_mesh_destroy(q);
  }
  printf("%lu impacts\n", (unsigned long)found);
  cr_assert_gt(found, 100);
}

/* A rectangle of cells, which is bent and moves. */
static paths random_sheet(rng *r, uint32_t cells, mo_vec3 middle, float move) {
  paths p = {0};
  const mo_vec3 side[2] = {rng_direction(r), rng_direction(r)}, by = rng_vec3(r, -move, move);
  for (uint32_t i = 0; i <= cells; i++) {
    for (uint32_t k = 0; k <= cells; k++) {
      const mo_vec3 at = mo_add(mo_scale((float)i / (float)cells - 0.5f, side[0]),
                                mo_scale((float)k / (float)cells - 0.5f, side[1]));
      const mo_vec3 bend = rng_vec3(r, -0.1f / (float)cells, 0.1f / (float)cells);
      p.at[0][p.vertex_count] = mo_add(mo_add(middle, at), bend);
      p.at[1][p.vertex_count] =
          mo_add(mo_add(p.at[0][p.vertex_count], by), rng_vec3(r, -0.1f * move, 0.1f * move));
      p.vertex_count++;
    }
  }
  for (uint32_t i = 0; i < cells; i++) {
    for (uint32_t k = 0; k < cells; k++) {
      const uint32_t v = i * (cells + 1) + k, w = v + cells + 1,
                     corners[6] = {v, w, v + 1, v + 1, w, w + 1};
      memcpy(&p.indices[3 * p.triangle_count], corners, sizeof corners);
      p.triangle_count += 2;
    }
  }
  return p;
}

static paths one_triangle(const paths *p, uint32_t triangle) {
  paths one = {.vertex_count = 3, .triangle_count = 1, .indices = {0, 1, 2}};
  for (int i = 0; i < 3; i++) {
    for (int pose = 0; pose < 2; pose++) {
      one.at[pose][i] = p->at[pose][p->indices[3 * triangle + (uint32_t)i]];
    }
  }
  return one;
}

static bool is_same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same(const mo_swept_impact *a, const mo_swept_impact *b) {
  return a->triangle == b->triangle && a->other_triangle == b->other_triangle && a->t == b->t &&
         is_same(a->point, b->point) && is_same(a->normal, b->normal) &&
         a->separation == b->separation && a->feature == b->feature &&
         a->feature_index == b->feature_index && a->other_feature == b->other_feature &&
         a->other_feature_index == b->other_feature_index;
}

/* Checks that the list just made, and the first impact, are those of a loop over all pairs. Returns
 * how many there are. */
static uint32_t check_list(const paths *a, const paths *b, float slop, uint32_t total,
                           const mo_swept_impact *first) {
  uint32_t count = 0;
  mo_swept_impact best = {.triangle = MO_NO_TRIANGLE};
  for (uint32_t i = 0; i < a->triangle_count; i++) {
    const paths p = one_triangle(a, i);
    mo_swept_mesh *own = make(&p, MO_ISA_AUTO);
    for (uint32_t k = 0; k < b->triangle_count; k++) {
      const paths q = one_triangle(b, k);
      mo_swept_mesh *other = make(&q, MO_ISA_AUTO);
      mo_swept_impact impact = first_impact(own, other, slop);
      mo_swept_mesh_destroy(other);
      if (impact.triangle == MO_NO_TRIANGLE) {
        continue;
      }
      impact.triangle = i;
      impact.other_triangle = k;
      cr_assert_lt(count, total);
      cr_assert(same(&impact, &listed[count]), "%u and %u", i, k);
      count++;
      if (best.triangle == MO_NO_TRIANGLE || impact.t < best.t) {
        best = impact;
      }
    }
    mo_swept_mesh_destroy(own);
  }
  cr_assert_eq(count, total);
  cr_assert_eq(best.triangle, first->triangle);
  cr_assert(count == 0 || same(&best, first));
  return count;
}

/* Takes impacts until it has the number that it is to stop at. */
typedef struct counted {
  uint32_t count, stop;
} counted;

static bool count_impact(const mo_swept_impact *impact, void *context) {
  counted *c = context;
  bool is_listed = false;
  c->count++;
  for (uint32_t i = 0; i < CAPACITY && !is_listed; i++) {
    is_listed = same(&listed[i], impact);
  }
  cr_assert(is_listed);
  return c->count != c->stop;
}

/* What a visitor gets is what has been listed, each once. */
static void check_visits(const mo_swept_mesh *a, const mo_swept_mesh *b, float slop,
                         uint32_t total) {
  mo_swept_impact_def def = mo_default_swept_impact_def();
  counted all = {0, UINT32_MAX}, first = {0, 1};
  def.other = b;
  def.slop = slop;
  cr_assert_eq(mo_swept_mesh_visit_impacts(a, &def, count_impact, &all, NULL), MO_OK);
  cr_assert_eq(all.count, total);
  cr_assert_eq(mo_swept_mesh_visit_impacts(a, &def, count_impact, &first, NULL), MO_OK);
  cr_assert_eq(first.count, total > 0);
}

/* Two meshes, with every instruction set; also after moves and rebuilds of the octree. */
Test(mesh_swept, lists_what_a_loop_over_pairs_finds) {
  rng r = rng_make(rng_seed("a loop over pairs", 3503));
  const uint64_t rounds = rng_few_rounds(40, 2000);
  uint64_t impacts = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    const float move = rng_float(&r, 0.1f, 2), slop = rng_chance(&r, 0.5) ? 0.001f : 0.05f;
    const paths a = random_sheet(&r, 1 + rng_below(&r, 6), rng_vec3(&r, -0.5f, 0.5f), move),
                b = random_sheet(&r, 1 + rng_below(&r, 6), rng_vec3(&r, -0.5f, 0.5f), move);
    for (uint32_t n = 0; n < family_isa_count(); n++) {
      mo_swept_mesh *p = make(&a, family_isa(n)), *q = make(&b, family_isa(n));
      if (rng_chance(&r, 0.5)) {
        /* From somewhere else, where the octree was built. */
        mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
        paths before = a;
        for (uint32_t i = 0; i < a.vertex_count; i++) {
          before.at[0][i] = rng_vec3(&r, -5, 5);
          before.at[1][i] = a.at[0][i];
        }
        mo_swept_mesh_destroy(p);
        p = make(&before, family_isa(n));
        cr_assert_eq(
            mo_swept_mesh_move(p, NULL, a.at[1], sizeof(mo_vec3), a.vertex_count, NULL, NULL),
            MO_OK);
        if (rng_chance(&r, 0.5)) {
          options.threshold = 1;
          cr_assert_eq(mo_swept_mesh_rebuild_parts(p, &options, NULL), MO_OK);
        }
        cr_assert_eq(mo_swept_mesh_validate(p), MO_OK);
      }
      const uint32_t total = list_impacts(p, q, slop);
      const mo_swept_impact first = first_impact(p, q, slop);
      impacts += check_list(&a, &b, slop, total, &first);
      check_visits(p, q, slop, total);
      /* A list that is too short has the first of them. */
      mo_swept_impact_def def = mo_default_swept_impact_def();
      mo_swept_impact some[3];
      uint32_t again;
      def.other = q;
      def.slop = slop;
      cr_assert_eq(mo_swept_mesh_find_impacts(p, &def, some, 3, &again, NULL), MO_OK);
      cr_assert_eq(again, total);
      for (uint32_t i = 0; i < 3 && i < total; i++) {
        cr_assert(same(&some[i], &listed[i]));
      }
      mo_swept_mesh_destroy(p);
      mo_swept_mesh_destroy(q);
    }
  }
  printf("%lu impacts\n", (unsigned long)impacts);
  cr_assert_gt(impacts, 10 * rounds);
}

/* The meshes of a pose, for mo_mesh_overlap_self. */
static bool touches_itself(const paths *p, int pose) {
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *mesh = NULL;
  bool found;
  def.positions = p->at[pose];
  def.vertex_count = p->vertex_count;
  def.indices = p->indices;
  def.triangle_count = p->triangle_count;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  cr_assert_eq(mo_mesh_test_overlap_self(mesh, &found, NULL), MO_OK);
  mo_mesh_release(mesh);
  return found;
}

/* A sheet that is crumpled in steps, each up to the first impact with itself, never passes through
 * itself. Without looking it would at once. */
Test(mesh_swept, a_crumpled_sheet_never_passes_through_itself) {
  enum { STEPS = 30 };
  rng r = rng_make(rng_seed("a crumpled sheet", 3504));
  const uint64_t rounds = rng_few_rounds(20, 1000);
  uint64_t stops = 0, blind = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    paths p = random_sheet(&r, 8, mo_vec(0, 0, 0), 0);
    if (touches_itself(&p, 0)) {
      continue; /* sides of which the directions are nearly the same */
    }
    mo_swept_mesh *mesh = make(&p, MO_ISA_AUTO);
    for (int step = 0; step < STEPS; step++) {
      for (uint32_t i = 0; i < p.vertex_count; i++) {
        const mo_vec3 inward = mo_scale(-0.2f, p.at[0][i]);
        p.at[1][i] = mo_add(mo_add(p.at[0][i], inward), rng_vec3(&r, -0.1f, 0.1f));
      }
      cr_assert_eq(
          mo_swept_mesh_move(mesh, p.at[0], p.at[1], sizeof(mo_vec3), p.vertex_count, NULL, NULL),
          MO_OK);
      blind += touches_itself(&p, 1);
      const mo_swept_impact impact = first_impact(mesh, mesh, 0.001f);
      if (impact.triangle != MO_NO_TRIANGLE) {
        stops++;
        for (uint32_t i = 0; i < p.vertex_count; i++) {
          p.at[1][i] = position(&p, i, 0.9 * (double)impact.t);
        }
      }
      cr_assert(!touches_itself(&p, 1), "after step %d", step);
      memcpy(p.at[0], p.at[1], sizeof p.at[0]);
    }
    mo_swept_mesh_destroy(mesh);
  }
  printf("%lu stops, %lu steps would have passed through\n", (unsigned long)stops,
         (unsigned long)blind);
  cr_assert_gt(blind, 10 * rounds);
}

/* A vertex that falls on a face, and two edges that cross; in one mesh too, where the other corners
 * of both triangles may be shared. */
Test(mesh_swept, names_the_features_that_meet) {
  const paths face = {.at = {{{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}},
                             {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}}},
                      .indices = {0, 1, 2},
                      .vertex_count = 3,
                      .triangle_count = 1},
              falls = {
                  .at = {{{-1, 3, 0}, {0, 1, 0}, {1, 3, 0}}, {{-1, 1, 0}, {0, -1, 0}, {1, 1, 0}}},
                  .indices = {0, 1, 2},
                  .vertex_count = 3,
                  .triangle_count = 1};
  mo_swept_mesh *p = make(&face, MO_ISA_AUTO), *q = make(&falls, MO_ISA_AUTO);
  mo_swept_impact impact = first_impact(p, q, 0.01f);
  cr_assert_eq(impact.triangle, 0);
  cr_assert_eq(impact.feature, MO_FEATURE_FACE);
  cr_assert_eq(impact.other_feature, MO_FEATURE_VERTEX);
  cr_assert_eq(impact.other_feature_index, 1);
  cr_assert_float_eq((double)impact.t, 0.5, 0.005);
  cr_assert_float_eq((double)impact.normal.y, 1, 1e-6);
  mo_swept_mesh_destroy(p);
  mo_swept_mesh_destroy(q);
  /* Two triangles that share a corner fold until an edge of one meets an edge of the other. */
  const paths fold = {.at = {{{0, 0, 0}, {1, 1, 0}, {1, 1, 0.5f}, {2, -1, 0.25f}, {2, -1, -0.5f}},
                             {{0, 0, 0}, {1, -1, 0}, {1, -1, 0.5f}, {2, 1, 0.25f}, {2, 1, -0.5f}}},
                      .indices = {0, 1, 2, 0, 3, 4},
                      .vertex_count = 5,
                      .triangle_count = 2};
  p = make(&fold, MO_ISA_AUTO);
  impact = first_impact(p, p, 0.01f);
  cr_assert_eq(impact.triangle, 0);
  cr_assert_eq(impact.other_triangle, 1);
  cr_assert_float_eq((double)impact.t, 0.5, 0.01);
  mo_swept_mesh_destroy(p);
}

/* The least distance, at a time, of a vertex of one of two triangles from the other one, or of an
 * edge of each, that have no vertex in common. */
static double distance_of_neighbours(const paths *p, double t) {
  const uint32_t *v = p->indices, *w = &p->indices[3];
  double least = INFINITY;
  for (uint32_t i = 0; i < 3; i++) {
    const uint32_t e[2] = {v[i], v[(i + 1) % 3]};
    for (uint32_t k = 0; k < 3; k++) {
      const uint32_t f[2] = {w[k], w[(k + 1) % 3]};
      if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) {
        continue;
      }
      const mo_primitive a = mo_primitive_of_segment(position(p, e[0], t), position(p, e[1], t)),
                         b = mo_primitive_of_segment(position(p, f[0], t), position(p, f[1], t));
      mo_primitive_distance d;
      cr_assert_eq(mo_primitive_find_distance(&a, &b, INFINITY, &d), MO_OK);
      least = fmin(least, (double)d.distance);
    }
    for (int side = 0; side < 2; side++) {
      const uint32_t vertex = side == 0 ? v[i] : w[i], *other = side == 0 ? w : v;
      if (vertex != other[0] && vertex != other[1] && vertex != other[2]) {
        const mo_primitive a = mo_primitive_of_point(position(p, vertex, t)),
                           b = triangle_at(p, side == 0 ? 1 : 0, t);
        mo_primitive_distance d;
        cr_assert_eq(mo_primitive_find_distance(&a, &b, INFINITY, &d), MO_OK);
        least = fmin(least, (double)d.distance);
      }
    }
  }
  return least;
}

/* Two triangles with common corners: what may touch are vertices and faces, and edges, without a
 * common vertex. */
Test(mesh_swept, judges_neighbours_by_the_rest_of_them) {
  enum { TIMES = 40 };
  rng r = rng_make(rng_seed("neighbours", 3506));
  uint64_t found = 0;
  for (uint64_t round = rng_rounds(3000, 100000); round > 0; round--) {
    const bool has_edge = rng_chance(&r, 0.5);
    paths p = {.indices = {0, 1, 2, has_edge ? 1 : 3, 0, has_edge ? 3 : 4},
               .vertex_count = has_edge ? 4 : 5,
               .triangle_count = 2};
    for (uint32_t i = 0; i < p.vertex_count; i++) {
      p.at[0][i] = rng_vec3(&r, -1, 1);
      p.at[1][i] = mo_add(p.at[0][i], rng_vec3(&r, -1, 1));
    }
    const double slop = (double)rng_float(&r, 0.01f, 0.1f), start = distance_of_neighbours(&p, 0),
                 gap = fmin(slop, start), rounding = 0x1p-18;
    if (start < 0.005 || touches_itself(&p, 0)) {
      continue;
    }
    mo_swept_mesh *mesh = make(&p, MO_ISA_AUTO);
    const mo_swept_impact impact = first_impact(mesh, mesh, (float)slop);
    const bool hit = impact.triangle != MO_NO_TRIANGLE;
    const double end = hit ? (double)impact.t : 1;
    for (int i = 0; i <= TIMES; i++) {
      cr_assert_geq(distance_of_neighbours(&p, end * i / TIMES), 0.5 * gap - rounding);
    }
    cr_assert(!hit || distance_of_neighbours(&p, end) <= 0.75 * slop + rounding);
    found += hit;
    mo_swept_mesh_destroy(mesh);
  }
  printf("%lu impacts\n", (unsigned long)found);
  cr_assert_gt(found, 500);
}

static bool accept_none(uint32_t triangle, uint32_t other, void *context) {
  (void)triangle;
  (void)other;
  ++*(uint32_t *)context;
  return false;
}

/* Without triangles, at rest, in touch from the start, and with a callback. */
Test(mesh_swept, leaves_out_what_cannot_be_stopped) {
  rng r = rng_make(rng_seed("left out", 3505));
  paths nothing = {0};
  mo_swept_mesh *empty = make(&nothing, MO_ISA_AUTO);
  paths sheet = random_sheet(&r, 4, mo_vec(0, 0, 0), 0.5f), still = sheet;
  memcpy(still.at[1], still.at[0], sizeof still.at[1]);
  mo_swept_mesh *moving = make(&sheet, MO_ISA_AUTO), *resting = make(&still, MO_ISA_AUTO);
  cr_assert_eq(list_impacts(empty, moving, 0.1f), 0);
  cr_assert_eq(list_impacts(moving, empty, 0.1f), 0);
  cr_assert_eq(list_impacts(empty, empty, 0.1f), 0);
  cr_assert_eq(mo_swept_mesh_move(empty, NULL, NULL, 12, 0, NULL, NULL), MO_OK);
  cr_assert_eq(list_impacts(resting, resting, 1e-6f), 0);
  /* The same triangles in the same place touch; those that do not are stopped by their gap. */
  const uint32_t total = list_impacts(moving, resting, 0.001f);
  for (uint32_t i = 0; i < total; i++) {
    cr_assert_gt(
        (double)distance_at(&sheet, listed[i].triangle, &still, listed[i].other_triangle, 0)
            .distance,
        0);
  }
  mo_swept_impact_def def = mo_default_swept_impact_def();
  uint32_t calls = 0, none;
  def.other = resting;
  def.accept = accept_none;
  def.context = &calls;
  cr_assert_eq(mo_swept_mesh_find_impacts(moving, &def, NULL, 0, &none, NULL), MO_OK);
  cr_assert_eq(none, 0);
  cr_assert_gt(calls, total);
  mo_swept_mesh_destroy(empty);
  mo_swept_mesh_destroy(moving);
  mo_swept_mesh_destroy(resting);
}
