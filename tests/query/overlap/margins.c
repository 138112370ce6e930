/* Triangles with a corner on the surface of a region, but for rounding: lists take what is surely
 * inside untested and leave out what is surely outside, with margins, and must still be those of a
 * loop with the test that decides. */
#include <criterion/criterion.h>
#include <motte/overlap.h>

#include "geometry/solid/solids.h"
#include "mesh/overlap/overlap.h"
#include "support/defs.h"
#include "support/scenes.h"

enum { COUNT = 256 };

typedef struct subject {
  mo_vec3 positions[3 * COUNT];
  uint32_t indices[3 * COUNT];
  mo_affine affine; /* of the mesh */
  mo_scene *scenes[2];
} subject;

static mo_geometry some_geometry(rng *r) {
  mo_vec3 c = rng_vec3(r, -0.5f, 0.5f), d = rng_vec3(r, 0.05f, 1), e = c;
  float rounding = rng_chance(r, 0.5) ? 0 : rng_float(r, 0, 0.3f);
  (&e.x)[rng_below(r, 3)] += d.y; /* round about an axis of the frame, mostly */
  e = rng_chance(r, 0.8) ? e : mo_add(c, d);
  switch (rng_below(r, 4)) {
  case 0:
    return (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {c, d.x}};
  case 1:
    return (mo_geometry){.type = MO_SHAPE_BOX, .rounding = rounding, .box = {c, d}};
  case 2:
    return (mo_geometry){.type = MO_SHAPE_CAPSULE, .rounding = rounding, .capsule = {c, e, d.x}};
  default:
    return (mo_geometry){.type = MO_SHAPE_CYLINDER, .rounding = rounding, .cylinder = {c, e, d.x}};
  }
}

static mo_transform some_transform(rng *r) {
  rng_transform_kind kinds[] = {RNG_RIGID, RNG_UNIFORM_SCALE, RNG_NONUNIFORM_SCALE,
                                RNG_SHEAR, RNG_MIRROR,        RNG_FAR};
  mo_transform map =
      rng_chance(r, 0.2) ? mo_transform_identity() : rng_transform(r, kinds[rng_below(r, 6)], 2);
  if (rng_chance(r, 0.3)) { /* angles are preserved nearly, or too little for culling to use it */
    map.x_axis = mo_add(map.x_axis, mo_scale(rng_float(r, -2e-3f, 2e-3f), map.y_axis));
    map.z_axis = mo_scale(1 + rng_float(r, -1e-3f, 1e-3f), map.z_axis);
  }
  return map;
}

static mo_overlap_def some_region(rng *r, const mo_transform *map, mo_convex *convex) {
  mo_vec3 half = rng_vec3(r, 0.05f, 1), c = map->origin;
  mo_sphere ball = {c, half.x};
  mo_aabb box = {mo_sub(c, half), mo_add(c, half)};
  mo_solid solid;
  mo_geometry geometry = some_geometry(r);
  switch (rng_below(r, 4)) {
  case 0:
    *convex = mo_convex_aabb(box);
    return mo_overlap_aabb_def(box);
  case 1:
    *convex = mo_convex_sphere(ball);
    return mo_overlap_sphere_def(ball);
  default:
    mo_geometry_read_solid(&geometry, &solid);
    *convex = mo_convex_make(&solid, map);
    return mo_overlap_primitive_def(mo_primitive_of_geometry(&geometry, map));
  }
}

/* The first corner on the surface, the others outside. */
static void set_triangle(subject *s, uint32_t index, const mo_convex *convex, rng *r) {
  mo_dvec3 n = mo_widen(rng_direction(r)), on = mo_convex_support(convex, n);
  double far = fabs(on.x) + fabs(on.y) + fabs(on.z);
  double nudge = far * ldexp((double)rng_float(r, -1, 1), -20 - (int)rng_below(r, 12));
  mo_dvec3 out = mo_dadd(on, n), aside = mo_widen(rng_vec3(r, -0.5f, 0.5f));
  const mo_dvec3 corners[3] = {mo_dadd(on, mo_dscale(nudge, n)), mo_dadd(out, aside),
                               mo_dsub(out, aside)};
  for (uint32_t i = 0; i < 3; i++) {
    s->positions[3 * index + i] = mo_affine_point_to_local(&s->affine, mo_narrow(corners[i]));
    s->indices[3 * index + i] = 3 * index + i;
  }
}

static bool make(subject *s, const mo_transform *map) {
  bool legal = true;
  for (int i = 0; i < 2; i++) {
    mo_mesh_def def = mo_default_mesh_def();
    def.positions = s->positions;
    def.vertex_count = 3 * COUNT;
    def.triangle_count = COUNT;
    def.indices = s->indices;
    def.build.compact = i == 1;
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    cr_assert_eq(mo_mesh_create(&def, &shape.geometry.mesh), MO_OK);
    shape.transform = *map;
    mo_shape_id id;
    s->scenes[i] = test_scene_empty();
    legal &= mo_scene_add_shape(s->scenes[i], &shape, &id) == MO_OK;
    mo_mesh_release(shape.geometry.mesh);
  }
  return legal;
}

/* How many triangles overlap; the lists must have these. */
static uint32_t check(const subject *s, const mo_overlap_def *def, unsigned long long round) {
  static mo_triangle_ref list[COUNT];
  mo_prepared_primitive primitive;
  const mo_refusal refusal = mo_refusal_of(NULL, "", "");
  cr_assert_eq(mo_overlap_def_check(def, &refusal, true, &primitive), MO_OK);
  mo_region region = mo_overlap_def_region(def, &primitive);
  const mo_mesh_overlap test = {.region = &region, .affine = &s->affine};
  uint32_t count = 0;
  for (int i = 0; i < 2; i++) {
    uint32_t total, next = 0;
    count = 0;
    cr_assert_eq(mo_scene_overlap_triangles(s->scenes[i], def, list, COUNT, &total, NULL), MO_OK);
    for (uint32_t k = 0; k < COUNT; k++) {
      bool listed = next < total && list[next].triangle == k;
      bool overlaps = mo_mesh_overlap_triangle(&test, &s->positions[3 * k]);
      cr_assert_eq(listed, overlaps, "round %llu, triangle %u: %d", round, k, listed);
      next += listed;
      count += overlaps;
    }
    cr_assert_eq(next, total);
    bool any;
    cr_assert_eq(mo_scene_test_overlap(s->scenes[i], def, &any, NULL), MO_OK);
    cr_assert_eq(any, count > 0);
  }
  return count;
}

Test(overlap_margins, corners_on_the_surface) {
  rng r = rng_make(rng_seed("overlap_margins/surface", 351));
  static subject s;
  uint64_t rounds = rng_rounds(150, 50000), inside = 0, tried = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_transform map = some_transform(&r), place = some_transform(&r);
    place.origin = rng_chance(&r, 0.5) ? place.origin : map.origin;
    mo_convex convex;
    mo_overlap_def def = some_region(&r, &place, &convex);
    if (mo_affine_init(&s.affine, &map) != MO_OK || !s.affine.invertible) {
      continue;
    }
    for (uint32_t k = 0; k < COUNT; k++) {
      set_triangle(&s, k, &convex, &r);
    }
    if (make(&s, &map)) {
      inside += check(&s, &def, (unsigned long long)i);
      tried += COUNT;
    }
    mo_scene_destroy(s.scenes[0]);
    mo_scene_destroy(s.scenes[1]);
  }
  cr_assert(inside > tried / 8 && inside < tried - tried / 8, "%llu of %llu",
            (unsigned long long)inside, (unsigned long long)tried);
}
