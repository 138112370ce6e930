/* Characters of all shapes under all transforms, among solids that they overlap or are near to:
 * they never end deeper than they began, and pass nothing. Casts in place say how deep they are. */
#include "characters.h"
#include "geometry/body/body.h"

enum { SOLIDS = 5 };

static mo_geometry random_solid(rng *r) {
  static const mo_shape_type types[] = {MO_SHAPE_BOX, MO_SHAPE_SPHERE, MO_SHAPE_CAPSULE,
                                        MO_SHAPE_CYLINDER, MO_SHAPE_CONE};
  mo_geometry g = {.type = types[rng_below(r, 5)]};
  mo_vec3 a = rng_vec3(r, -1, 1), b = rng_vec3(r, -1, 1);
  float radius = rng_float(r, 0.05f, 1);
  switch (g.type) {
  case MO_SHAPE_BOX:
    g.box = (mo_box){a, rng_vec3(r, 0.02f, 1)};
    break;
  case MO_SHAPE_SPHERE:
    g.sphere = (mo_sphere){a, radius};
    break;
  case MO_SHAPE_CAPSULE:
    g.capsule = (mo_capsule){a, b, radius};
    break;
  case MO_SHAPE_CYLINDER:
    g.cylinder = (mo_cylinder){a, b, radius};
    break;
  default:
    g.cone = (mo_cone){a, b, radius};
  }
  g.rounding = rng_chance(r, 0.3) ? rng_float(r, 0, 0.5f) : 0;
  return g;
}

/* Scaled by up to ten to one, sheared or not. */
static mo_transform random_map(rng *r, float spread) {
  mo_transform t =
      mo_transform_make(rng_vec3(r, -spread, spread), rng_rotation(r), mo_vec(1, 1, 1));
  float first = rng_float(r, 0.3f, 3), ratio = rng_float(r, 1, 1.5f);
  float second = rng_chance(r, 0.4)   ? first
                 : rng_chance(r, 0.4) ? ratio * first
                                      : rng_float(r, 0.3f, 3);
  float skew = rng_chance(r, 0.5) ? 0 : rng_float(r, -2, 2);
  t.z_axis = mo_add(mo_scale(second, t.z_axis), mo_scale(skew, t.y_axis));
  t.y_axis = mo_add(mo_scale(first, t.y_axis), mo_scale(skew, t.x_axis));
  t.x_axis = mo_scale(first, t.x_axis);
  return t;
}

/* Solids whose places are within an extent. */
static mo_scene *random_scene(rng *r, float extent) {
  mo_scene *scene = test_scene_empty();
  for (int i = 0; i < SOLIDS; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
    mo_shape_id id;
    shape.geometry = random_solid(r);
    shape.transform = random_map(r, extent);
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  }
  return scene;
}

static mo_primitive random_character(rng *r) {
  const mo_transform at = random_map(r, 1);
  const mo_geometry g = random_solid(r);
  mo_primitive p = mo_primitive_of_geometry(&g, &at);
  if (rng_chance(r, 0.3)) {
    p.type = rng_chance(r, 0.5) ? MO_PRIMITIVE_POINT : MO_PRIMITIVE_SEGMENT;
    p.points[0] = rng_vec3(r, -1, 1);
    p.points[1] = rng_vec3(r, -1, 1);
  }
  return p;
}

static double depth_of(const mo_scene *in, const mo_character_def *def, mo_transform at) {
  mo_shape_cast_def cast = mo_default_shape_cast_def();
  mo_cast_hit hit;
  cast.primitive = def->primitive;
  cast.primitive.transform = at;
  cr_assert_eq(mo_scene_cast_shape(in, &cast, &hit, NULL), MO_OK);
  return hit.found ? (double)hit.depth : 0;
}

Test(character_overlaps, never_end_deeper_than_they_began) {
  uint64_t seed = rng_seed("character_overlaps/random", 322), rounds = rng_few_rounds(400, 20000);
  uint64_t began = 0, moved = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    mo_scene *scene = random_scene(&r, 4);
    for (int i = 0; i < 10; i++) {
      mo_character_def def = mo_default_character_def();
      def.primitive = random_character(&r);
      def.displacement = mo_scale(rng_float(&r, 0, 5), rng_direction(&r));
      def.up = rng_direction(&r);
      def.skin = rng_chance(&r, 0.5) ? 0.02f : rng_float(&r, 0.01f, 1);
      def.step_height = rng_float(&r, 0, 1);
      def.snap_distance = rng_float(&r, 0, 1);
      mo_character_move_result result;
      cr_assert_eq(mo_character_move(scene, &def, &result, NULL), MO_OK);
      double before = depth_of(scene, &def, def.primitive.transform),
             after = depth_of(scene, &def, result.transform);
      cr_assert(after <= before + 1e-5, "round %d, %d: from %g to %g", (int)round, i, before,
                after);
      began += before > 0;
      moved += result.displacement.x != 0;
    }
    mo_scene_destroy(scene);
  }
  cr_assert(began > rounds && moved > 5 * rounds, "%d %d", (int)began, (int)moved);
}

/* Whether it still overlaps something is told, if it is only moved out of overlaps. */
Test(character_overlaps, that_are_left_are_told) {
  uint64_t seed = rng_seed("character_overlaps/left", 324), rounds = rng_few_rounds(200, 10000);
  uint64_t left = 0, freed = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    mo_scene *scene = random_scene(&r, 2);
    for (int i = 0; i < 5; i++) {
      mo_character_def def = mo_default_character_def();
      def.primitive = random_character(&r);
      def.skin = rng_float(&r, 0.02f, 0.5f);
      def.snap_distance = 0;
      mo_character_move_result result;
      cr_assert_eq(mo_character_move(scene, &def, &result, NULL), MO_OK);
      const double before = depth_of(scene, &def, def.primitive.transform),
                   after = depth_of(scene, &def, result.transform);
      cr_assert(result.overlaps || after <= 1e-4, "round %d, %d: %g", (int)round, i, after);
      cr_assert(!result.overlaps || after > 0, "round %d, %d: overlaps nothing", (int)round, i);
      left += result.overlaps;
      freed += before > 0 && !result.overlaps;
    }
    mo_scene_destroy(scene);
  }
  cr_assert(left > rounds / 4 && freed > rounds, "%d %d", (int)left, (int)freed);
}

static float lowest_of(const mo_primitive *p) {
  mo_prepared_primitive prepared;
  cr_assert_eq(mo_primitive_prepare(&prepared, p, NULL), MO_OK);
  return mo_body_bounds(&prepared.body).lower.y;
}

/* Above a thin plate, nearer than the skin or not, and on that side ever after. A quarter of the
 * skin is left, or what there was. */
Test(character_overlaps, never_pass_a_plate) {
  const float top = 0.005f;
  uint64_t seed = rng_seed("character_overlaps/plate", 323), rounds = rng_few_rounds(600, 20000);
  uint64_t near = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    mo_scene *scene = test_scene_empty();
    mo_character_def def = mo_default_character_def();
    add_box(scene, mo_vec(0, 0, 0), mo_vec(50, top, 50), (mo_quat){0, 0, 0, 1});
    def.primitive = random_character(&r);
    def.primitive.transform.origin.y +=
        top + rng_float(&r, 0.001f, 0.5f) - lowest_of(&def.primitive);
    def.skin = rng_float(&r, 0.02f, 1);
    def.step_height = rng_float(&r, 0, 1);
    def.up = rng_direction(&r);
    for (int i = 0; i < 5; i++) {
      mo_character_move_result result;
      const float gap = fminf(lowest_of(&def.primitive) - top, 0.25f * def.skin);
      def.displacement = mo_scale(rng_float(&r, 0, 2), rng_direction(&r));
      cr_assert_eq(mo_character_move(scene, &def, &result, NULL), MO_OK);
      def.primitive.transform = result.transform;
      float lowest = lowest_of(&def.primitive);
      cr_assert(lowest >= top + gap - 1e-5f, "round %d, step %d: %g left, from %g", (int)round, i,
                (double)(lowest - top), (double)gap);
      near += lowest < top + def.skin;
    }
    mo_scene_destroy(scene);
  }
  cr_assert(near > rounds / 2, "%d", (int)near);
}
