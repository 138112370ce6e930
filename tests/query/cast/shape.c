/* Moving convex shapes in scenes, by every placement policy and instruction set, against a loop
 * over all shapes and triangles with mo_primitive_cast; that test itself against overlaps of the
 * shapes as they stand before and after the contact, and by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/cast.h>
#include <motte/distance.h>
#include <motte/movement.h>

#include "oracle/solids.h"
#include "support/defs.h"
#include "support/scenes.h"

static test_scene scene;

static mo_shape_cast_def any_cast(rng *r) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  sample_target to = test_scene_target(&scene, r), from = test_scene_target(&scene, r);
  def.primitive = rng_chance(r, 0.15) ? sample_half_space(r, &to) : test_scene_primitive(&scene, r);
  mo_vec3 a = sample_point(r, &from), b = sample_point(r, &to);
  def.displacement = mo_scale(rng_float(r, 0, 3), mo_sub(b, a));
  if (rng_chance(r, 0.15)) {
    def.displacement = rng_chance(r, 0.5) ? mo_vec(def.displacement.x, 0, 0) : mo_vec(0, 0, 0);
  }
  if (!(mo_max_magnitude(def.displacement) <= 1e30f)) {
    def.displacement = mo_vec(1, 1, 1);
  }
  def.options.filter = test_scene_filter(&scene, r);
  def.options.hit_volumes = rng_below(r, 2);
  def.options.cull_back_faces = rng_chance(r, 0.3);
  return def;
}

/* The first contact by brute force. */
typedef struct first {
  mo_primitive_contact contact;
  const oracle_shape *shape;
  uint32_t triangle;
} first;

static void offer(first *best, const oracle_shape *shape, uint32_t triangle,
                  const mo_primitive *still, const mo_shape_cast_def *def) {
  mo_primitive_contact contact;
  mo_result result = mo_primitive_cast(still, &def->primitive, def->displacement,
                                       def->options.cull_back_faces, &contact);
  cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
  if (result != MO_OK || !contact.found) {
    return;
  }
  const mo_primitive_contact *other = &best->contact;
  if (!other->found || contact.t < other->t ||
      (contact.t == other->t && contact.depth > other->depth)) {
    *best = (first){contact, shape, triangle};
  }
}

static first first_contact(const mo_shape_cast_def *def) {
  first best = {.shape = NULL};
  for (uint32_t i = 0; i < scene.oracle.shape_count; i++) {
    const oracle_shape *shape = &scene.oracle.shapes[i];
    mo_shape_type type = shape->def.geometry.type;
    if (!oracle_filter_passes(&def->options.filter, shape) ||
        (type == MO_SHAPE_VOLUME && !def->options.hit_volumes)) {
      continue;
    }
    if (type != MO_SHAPE_MESH) {
      mo_primitive alone = mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
      offer(&best, shape, MO_NO_TRIANGLE, &alone, def);
      continue;
    }
    const oracle_mesh *mesh = &scene.oracle.meshes[shape->mesh];
    for (uint32_t k = 0; k < mesh->count; k++) {
      const mo_vec3 *c = mesh->triangles[k].corners;
      mo_primitive triangle = mo_primitive_of_triangle(c[0], c[1], c[2]);
      triangle.transform = shape->def.transform;
      offer(&best, shape, k, &triangle, def);
    }
  }
  return best;
}

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void check(const mo_shape_cast_def *def, unsigned long long round) {
  first expected = first_contact(def);
  const mo_primitive_contact *c = &expected.contact;
  for (uint32_t i = 0; i < scene.family.count; i++) {
    mo_cast_hit hit;
    cr_assert_eq(mo_scene_cast_shape(scene.family.scenes[i], def, &hit, NULL), MO_OK);
    const char *kind = test_scene_kind_name(scene.kind);
    cr_assert_eq(hit.found, c->found, "%s, round %llu: found %d", kind, round, hit.found);
    if (!hit.found) {
      continue;
    }
    cr_assert(hit.t == c->t && hit.shape.index == expected.shape->id.index &&
                  hit.triangle == expected.triangle,
              "%s, round %llu: %a at %u, not %a at %u", kind, round, (double)hit.t, hit.triangle,
              (double)c->t, expected.triangle);
    cr_assert(same(hit.point, c->point) && same(hit.normal, c->normal) && hit.depth == c->depth,
              "%s, round %llu: another contact", kind, round);
    cr_assert(hit.feature == c->feature && hit.feature_index == c->feature_index &&
                  hit.own_feature == c->own_feature &&
                  hit.own_feature_index == c->own_feature_index,
              "%s, round %llu: other features", kind, round);
    cr_assert_eq(hit.user_data, expected.shape->def.user_data);
  }
}

Test(scene_cast_shape, as_brute_force) {
  static const uint32_t sizes[] = {0, 1, 8, 30};
  rng r = rng_make(rng_seed("scene_cast_shape/brute force", 291));
  uint64_t rounds = rng_rounds(4, 300);
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      test_scene_make(&scene, (test_scene_kind)kind, sizes[i], &r);
      for (uint64_t k = 0; k < rounds; k++) {
        mo_shape_cast_def def = any_cast(&r);
        mo_cast_hit hit;
        if (mo_scene_cast_shape(scene.family.scenes[0], &def, &hit, NULL) == MO_OK) {
          check(&def, (unsigned long long)k); /* others go beyond the range of coordinates */
        }
      }
      cr_assert(test_scene_free(&scene), "memory is outstanding");
    }
  }
}

static mo_primitive moved(mo_primitive p, mo_vec3 by, double t) {
  p.transform.origin.x = (float)(p.transform.origin.x + t * by.x);
  p.transform.origin.y = (float)(p.transform.origin.y + t * by.y);
  p.transform.origin.z = (float)(p.transform.origin.z + t * by.z);
  return p;
}

/* On the way to the contact the shapes are apart, at the contact they are not, and without one they
 * are apart all along: to within the rounding of where they stand. */
Test(scene_cast_shape, is_when_shapes_begin_to_touch) {
  rng r = rng_make(rng_seed("scene_cast_shape/sampled", 292));
  test_scene_make(&scene, TEST_SCENE_ROUNDED, 1, &r);
  uint64_t rounds = rng_rounds(2000, 100000), met = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_primitive p[2];
    for (int k = 0; k < 2; k++) {
      rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR, RNG_FLAT};
      mo_transform map = rng_transform(&r, kinds[rng_below(&r, 4)], 3);
      mo_geometry g = test_scene_geometry(&scene, &r);
      mo_vec3 a = rng_vec3(&r, -2, 2), b = rng_vec3(&r, -2, 2), c = rng_vec3(&r, -2, 2);
      p[k] = g.type == MO_SHAPE_MESH ? mo_primitive_of_triangle(a, b, c)
                                     : mo_primitive_of_geometry(&g, &map);
    }
    mo_vec3 way = rng_vec3(&r, -6, 6);
    mo_primitive_contact contact;
    unsigned long long n = (unsigned long long)i;
    cr_assert_eq(mo_primitive_cast(&p[0], &p[1], way, false, &contact), MO_OK);
    double length = sqrt((double)mo_dot(way, way)) + 1e-3;
    mo_primitive_distance d;
    for (int k = 0; k <= 16; k++) {
      double t = contact.found ? contact.t * k / 16.0 : k / 16.0;
      mo_primitive there = moved(p[1], way, t);
      cr_assert_eq(mo_primitive_find_distance(&p[0], &there, INFINITY, &d), MO_OK);
      double left = contact.found ? (contact.t - t) * length : 1;
      cr_assert(d.distance > 0 || left <= 1e-4, "round %llu: through it at %g", n, t);
    }
    if (contact.found && contact.t > 0) {
      met++;
      mo_primitive there = moved(p[1], way, contact.t);
      cr_assert_eq(mo_primitive_find_distance(&p[0], &there, INFINITY, &d), MO_OK);
      cr_assert(d.distance <= 1e-5, "round %llu: %g apart", n, d.distance);
      cr_assert(fabsf(mo_dot(contact.normal, contact.normal) - 1) < 1e-5f);
      cr_assert(mo_dot(contact.normal, way) <= 1e-4f * (float)length, "round %llu: %g", n,
                (double)mo_dot(contact.normal, way));
    }
  }
  cr_assert(met > rounds / 20);
  cr_assert(test_scene_free(&scene), "memory is outstanding");
}

Test(scene_cast_shape, by_hand) {
  mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {0.5f, 0.5f, 0.5f}}};
  mo_transform at = mo_transform_identity(), beside = at;
  beside.origin = (mo_vec3){4, 0, 0};
  mo_primitive still = mo_primitive_of_geometry(&box, &beside);
  mo_primitive moving = mo_primitive_of_geometry(&box, &at);
  mo_primitive_contact c;
  cr_assert_eq(mo_primitive_cast(&still, &moving, (mo_vec3){4, 0, 0}, false, &c), MO_OK);
  cr_assert(c.found && c.t == 0.75f && c.normal.x == -1 && c.point.x == 3.5f && c.depth == 0);
  cr_assert_eq(mo_primitive_cast(&still, &moving, (mo_vec3){3, 0, 0}, false, &c), MO_OK);
  cr_assert(c.found && c.t == 1, "touching at the very end");
  cr_assert_eq(mo_primitive_cast(&still, &moving, (mo_vec3){2.9f, 0, 0}, false, &c), MO_OK);
  cr_assert(!c.found);
  cr_assert_eq(mo_primitive_cast(&still, &moving, (mo_vec3){4, 1.5f, 0}, false, &c), MO_OK);
  cr_assert(!c.found, "past a corner");
  beside.origin = (mo_vec3){0.75f, 0, 0};
  still = mo_primitive_of_geometry(&box, &beside);
  cr_assert_eq(mo_primitive_cast(&still, &moving, (mo_vec3){1, 0, 0}, false, &c), MO_OK);
  cr_assert(c.found && c.t == 0 && c.depth == 0.25f && c.normal.x == -1, "from an overlap");
  /* A plate without thickness, fast. */
  mo_geometry plate = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {100, 0, 100}}};
  mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 0.25f}};
  still = mo_primitive_of_geometry(&plate, &at);
  beside.origin = (mo_vec3){1, 1000.25f, 2};
  moving = mo_primitive_of_geometry(&ball, &beside);
  cr_assert_eq(mo_primitive_cast(&still, &moving, (mo_vec3){0, -1e6f, 0}, false, &c), MO_OK);
  cr_assert(c.found && fabsf(c.t - 1e-3f) <= 1e-9f && c.normal.y == 1);
}

/* A box that slides along a side of another one, or past an edge or a corner of it, touches it,
 * also for MO_PRECISION_BOUNDS; a volume is such a box. */
Test(scene_cast_shape, sliding_boxes_touch) {
  mo_scene *subject = test_scene_empty();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_VOLUME);
  def.geometry.volume = (mo_aabb){{-1, -1, -1}, {1, 1, 1}};
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(subject, &def, &id), MO_OK);
  mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1, 1}}};
  for (int i = 0; i < 54; i++) {
    const int axis = i / 18, side = i / 9 % 2 ? 1 : -1, up = i / 3 % 3 - 1, aside = i % 3 - 1;
    if (up == 0 && aside == 0) {
      continue;
    }
    float at[3], by[3] = {0, 0, 0};
    at[axis] = (float)(6 * side);
    by[axis] = (float)(-8 * side);
    at[(axis + 1) % 3] = 2.0f * (float)up;
    at[(axis + 2) % 3] = 2.0f * (float)aside;
    mo_transform place = mo_transform_identity();
    place.origin = mo_vec(at[0], at[1], at[2]);
    mo_shape_cast_def cast = mo_default_shape_cast_def();
    cast.primitive = mo_primitive_of_geometry(&box, &place);
    cast.displacement = mo_vec(by[0], by[1], by[2]);
    cast.options.hit_volumes = true;
    cast.options.min_approach = -1;
    mo_cast_hit hit;
    for (int bounds = 0; bounds < 2; bounds++) {
      cast.precision = bounds ? MO_PRECISION_BOUNDS : MO_PRECISION_GEOMETRY;
      cr_assert_eq(mo_scene_cast_shape(subject, &cast, &hit, NULL), MO_OK);
      cr_assert(hit.found && fabsf(hit.t - 0.5f) < 1e-6f, "%d, %d: %d at %a", i, bounds, hit.found,
                (double)hit.t);
    }
  }
  mo_scene_destroy(subject);
}

/* A mesh of a single triangle. */
static mo_mesh *mesh_of_triangle(const mo_vec3 corners[3]) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = &corners[0].x;
  def.vertex_count = 3;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = 1;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* A large plate turns a little while one of its corners comes to a sloping triangle, and ends so
 * close that this counts as a contact. The axes of the mesh are those of the triangle, along which
 * the box is apart from it: the contact is found all the same, as with the triangle alone. */
Test(scene_cast_shape, turning_contacts_beyond_the_bounds) {
  const float half = 256, thin = 0.5f, slope = 0.01f;
  const mo_vec3 corners[3] = {{64, 0, 0}, {-32, 0, 48}, {-32, 0, -48}};
  mo_mesh *mesh = mesh_of_triangle(corners);
  for (int side = 0; side < 8; side++) {
    const mo_vec3 out = {side & 1 ? 1 : -1, side & 2 ? 1 : -1, side & 4 ? 1 : -1};
    const mo_vec3 tilted = {slope * out.x, out.y, slope * out.z},
                  up = mo_scale(1 / sqrtf(mo_dot(tilted, tilted)), tilted),
                  level = {up.y, -up.x, 0},
                  along = mo_scale(1 / sqrtf(mo_dot(level, level)), level);
    const mo_transform map = {along, up, mo_cross(along, up), {0, 0, 0}};
    mo_scene *subject = test_scene_empty();
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    mo_shape_id id;
    shape.geometry.mesh = mesh;
    shape.transform = map;
    cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
    mo_primitive triangle = mo_primitive_of_triangle(corners[0], corners[1], corners[2]);
    triangle.transform = map;
    const mo_geometry box = {
        .type = MO_SHAPE_BOX,
        .box = {{half * out.x, thin * out.y, half * out.z}, {half, thin, half}}};
    uint32_t found = 0;
    for (int k = -4; k <= 32; k++) { /* where it ends above the triangle */
      const float gap = 0x1p-16f * (float)k;
      mo_shape_cast_def def = mo_default_shape_cast_def();
      mo_transform at = mo_transform_identity();
      at.origin = up;
      def.primitive = mo_primitive_of_geometry(&box, &at);
      def.displacement = mo_scale(gap - 1, up);
      def.pivot = up;
      def.axis = up;
      def.angle = 1e-8f;
      const mo_movement movement = {def.displacement, def.pivot, def.axis, def.angle};
      mo_primitive_contact alone;
      mo_cast_hit hit;
      cr_assert_eq(mo_primitive_cast_turning(&triangle, &def.primitive, &movement, false, &alone),
                   MO_OK);
      cr_assert_eq(mo_scene_cast_shape(subject, &def, &hit, NULL), MO_OK);
      cr_assert(k > 0 || alone.found);
      cr_assert(hit.found == alone.found && (!alone.found || hit.t == alone.t),
                "side %d, gap %g: %d", side, (double)gap, alone.found);
      found += alone.found && k > 0;
    }
    cr_assert_gt(found, 2);
    mo_scene_destroy(subject);
  }
  mo_mesh_release(mesh);
}

/* A half-space that turns about its normal comes down on large boxes, and ends so close above the
 * highest that this counts as a contact. */
Test(scene_cast_shape, turning_half_spaces_come_close) {
  mo_scene *subject = test_scene_empty();
  mo_primitive top;
  for (int i = 0; i < 25; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
    mo_shape_id id;
    shape.geometry.box = (mo_box){{0, -1, 0}, {100, 1, 100}};
    shape.transform.origin = mo_vec(300.0f * (float)(i % 5), -(float)i, 300.0f * (float)(i / 5));
    cr_assert_eq(mo_scene_add_shape(subject, &shape, &id), MO_OK);
    if (i == 0) {
      top = mo_primitive_of_geometry(&shape.geometry, &shape.transform);
    }
  }
  uint32_t found = 0;
  for (int k = -4; k <= 32; k++) {
    const float gap = 0x1p-17f * (float)k;
    mo_shape_cast_def def = mo_default_shape_cast_def();
    def.primitive = mo_primitive_of_half_space(mo_vec(0, -1, 0), -1);
    def.displacement = mo_vec(0, gap - 1, 0);
    def.axis = mo_vec(0, 1, 0);
    def.angle = 0.5f;
    const mo_movement movement = {def.displacement, def.pivot, def.axis, def.angle};
    mo_primitive_contact alone;
    mo_cast_hit hit;
    cr_assert_eq(mo_primitive_cast_turning(&top, &def.primitive, &movement, false, &alone), MO_OK);
    cr_assert_eq(mo_scene_cast_shape(subject, &def, &hit, NULL), MO_OK);
    cr_assert(k > 0 || alone.found);
    cr_assert(hit.found == alone.found && (!alone.found || hit.t == alone.t), "gap %g: %d",
              (double)gap, alone.found);
    found += alone.found && k > 0;
  }
  cr_assert_gt(found, 2);
  mo_scene_destroy(subject);
}

/* A triangle whose corners are on a line, with one end on a mesh: the box around it that culls
 * triangles must contain it, also along an axis. */
Test(scene_cast_shape, collinear_triangles) {
  rng r = rng_make(rng_seed("scene_cast_shape/collinear", 294));
  mo_vec3 corners[3];
  for (uint64_t i = 0; i < rng_rounds(500, 20000); i++) {
    mo_vec3 p = rng_vec3(&r, -1, 1), d = rng_chance(&r, 0.5) ? rng_direction(&r) : mo_vec(0, 0, 0);
    d.x += rng_chance(&r, 0.5) ? rng_float(&r, 0.5f, 2) : -1;
    mo_vec3 e = mo_scale(rng_chance(&r, 0.5) ? 0 : 0.5f, d);
    for (int k = 0; k < 3; k++) { /* around the end, or only the end */
      corners[k] = i % 2 == 0 ? p : mo_add(p, mo_scale(0.01f, rng_direction(&r)));
    }
    mo_mesh *mesh = mesh_of_triangle(corners);
    mo_primitive triangle = mo_primitive_of_triangle(corners[0], corners[1], corners[2]);
    mo_shape_cast_def def = mo_default_shape_cast_def();
    def.primitive = mo_primitive_of_triangle(mo_add(p, d), mo_add(p, e), p);
    mo_primitive_contact alone;
    mo_cast_hit hit;
    cr_assert_eq(mo_primitive_cast(&triangle, &def.primitive, def.displacement, false, &alone),
                 MO_OK);
    cr_assert_eq(mo_mesh_cast_shape(mesh, &def, &hit, NULL), MO_OK);
    cr_assert_eq(hit.found, alone.found, "round %llu: found %d", (unsigned long long)i, hit.found);
    mo_distance_def near = mo_default_distance_def();
    near.primitive = def.primitive;
    mo_primitive_distance expected;
    mo_closest_hit closest;
    cr_assert_eq(mo_primitive_find_distance(&triangle, &def.primitive, INFINITY, &expected), MO_OK);
    cr_assert(expected.distance < 0.02, "the end is at the mesh");
    near.max_distance = (float)expected.distance;
    cr_assert_eq(mo_mesh_find_closest(mesh, &near, &closest, NULL), MO_OK);
    cr_assert(closest.found && closest.distance == (float)expected.distance, "round %llu",
              (unsigned long long)i);
    mo_mesh_release(mesh);
  }
}

/* The outward normal of a triangle, by its winding in local space, of any length. */
static ldvec front_of(const mo_primitive *triangle) {
  const mo_transform *map = &triangle->transform;
  const ldvec x = ld_float(map->x_axis), y = ld_float(map->y_axis), z = ld_float(map->z_axis);
  ldvec a = ld_float(triangle->points[0]), b = ld_sub(ld_float(triangle->points[1]), a),
        c = ld_sub(ld_float(triangle->points[2]), a);
  ldvec local = ld_cross(b, c);
  ldouble sign = ld_dot(ld_cross(x, y), z) < 0 ? -1 : 1;
  ldvec normal =
      ld_add(ld_add(ld_scale(local.x, ld_cross(y, z)), ld_scale(local.y, ld_cross(z, x))),
             ld_scale(local.z, ld_cross(x, y)));
  return ld_scale(sign, normal);
}

/* A triangle is culled if the motion leads out of its front, also mirrored, from the start or on
 * the way; everything else is met as without culling. */
Test(scene_cast_shape, back_faces_of_single_triangles) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR,
                                             RNG_MIRROR};
  rng r = rng_make(rng_seed("scene_cast_shape/back faces", 293));
  uint64_t rounds = rng_rounds(2000, 100000), culled = 0, met = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {0.5f, 0.25f, 0.3f}}};
    mo_vec3 a = rng_vec3(&r, -2, 2), b = rng_vec3(&r, -2, 2), c = rng_vec3(&r, -2, 2);
    mo_primitive still = mo_primitive_of_triangle(a, b, c);
    still.transform = rng_transform(&r, kinds[rng_below(&r, 4)], 1);
    bool is_solid = rng_chance(&r, 0.1);
    if (is_solid) {
      still = mo_primitive_of_geometry(&box, &still.transform);
    }
    mo_transform place = rng_transform(&r, RNG_RIGID, 2);
    mo_primitive moving = mo_primitive_of_geometry(&box, &place);
    mo_vec3 way = rng_vec3(&r, -6, 6);
    mo_primitive_contact all, some;
    cr_assert_eq(mo_primitive_cast(&still, &moving, way, false, &all), MO_OK);
    cr_assert_eq(mo_primitive_cast(&still, &moving, way, true, &some), MO_OK);
    if (!all.found || some.found) {
      cr_assert_eq(some.found, all.found);
      cr_assert(!some.found || (some.t == all.t && same(some.point, all.point) &&
                                same(some.normal, all.normal) && some.depth == all.depth));
    }
    if (all.found && !is_solid) {
      ldvec front = front_of(&still);
      ldouble out = ld_dot(front, ld_float(way)) / ld_norm(front) / ld_norm(ld_float(way));
      culled += !some.found;
      met += some.found;
      cr_assert(fabsl(out) < 1e-5L || some.found == (out < 0), "round %llu: %Lg",
                (unsigned long long)i, out);
    } else {
      cr_assert_eq(some.found, all.found);
    }
  }
  cr_assert(culled > rounds / 20 && met > rounds / 20);
  /* A plate that rotates about an edge: its far edge comes up through the floor from below. */
  const mo_movement turn = {.axis = {0, 1, 0}, .angle = -3};
  mo_geometry plate = {.type = MO_SHAPE_BOX, .box = {{2, 0, 0}, {2, 1, 0.01f}}};
  mo_transform at = mo_transform_identity();
  mo_primitive bar = mo_primitive_of_geometry(&plate, &at);
  for (int side = 0; side < 2; side++) {
    float z = side == 0 ? 1.0f : -1.0f;
    mo_primitive floor =
        mo_primitive_of_triangle((mo_vec3){-9, -9, z}, (mo_vec3){9, -9, z}, (mo_vec3){0, 9, z});
    mo_movement to = turn;
    to.angle *= z;
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast_turning(&floor, &bar, &to, false, &c), MO_OK);
    cr_assert(c.found && c.t > 0);
    cr_assert_eq(mo_primitive_cast_turning(&floor, &bar, &to, true, &c), MO_OK);
    cr_assert_eq(c.found, side == 1, "the front of a floor faces up");
  }
  const mo_primitive line =
      mo_primitive_of_triangle((mo_vec3){-9, 0, 1}, (mo_vec3){9, 0, 1}, (mo_vec3){0, 0, 1});
  mo_primitive_contact c;
  cr_assert_eq(mo_primitive_cast(&line, &bar, (mo_vec3){0, 0, 5}, true, &c), MO_OK);
  cr_assert(c.found, "a degenerate triangle has no back");
}

/* The tests that cull triangles are in floats: products of three or more lengths must not leave
 * their range. */
Test(scene_cast_shape, round_bodies_of_any_size) {
  for (int power = -40; power <= 26; power += 2) {
    const float s = ldexpf(1.0f, power);
    mo_mesh *square = test_mesh_build_square(-s, s);
    for (int kind = 0; kind < 3; kind++) {
      mo_shape_cast_def def = mo_default_shape_cast_def();
      def.primitive.type = MO_PRIMITIVE_GEOMETRY;
      mo_geometry *g = &def.primitive.geometry;
      if (kind == 0) { /* lying */
        *g = (mo_geometry){.type = MO_SHAPE_CYLINDER};
        g->cylinder = (mo_cylinder){{-0.5f * s, 0, 0}, {0.5f * s, 0, 0}, 0.5f * s};
        def.primitive.transform.origin.z = 0.625f * s;
      } else if (kind == 1) { /* on its apex */
        *g = (mo_geometry){.type = MO_SHAPE_CONE};
        g->cone = (mo_cone){{0, 0, 0}, {0, 0, 0.5f * s}, 0.25f * s};
        def.primitive.transform.origin.z = 0.125f * s;
      } else { /* upright and rounded */
        *g = (mo_geometry){.type = MO_SHAPE_CYLINDER, .rounding = 0.125f * s};
        g->cylinder = (mo_cylinder){{0, 0, 0}, {0, 0, 0.5f * s}, 0.25f * s};
        def.primitive.transform.origin.z = 0.25f * s;
      }
      def.displacement.z = -0.25f * s;
      mo_cast_hit hit;
      cr_assert_eq(mo_mesh_cast_shape(square, &def, &hit, NULL), MO_OK);
      cr_assert(hit.found && fabsf(hit.t - 0.5f) <= 1e-6f, "kind %d, 2^%d: %d, %g", kind, power,
                hit.found, (double)hit.t);
      /* what lies beyond the end of the path is not touched */
      def.displacement.z = -0.12f * s;
      cr_assert_eq(mo_mesh_cast_shape(square, &def, &hit, NULL), MO_OK);
      cr_assert(!hit.found);
    }
    mo_mesh_release(square);
  }
}
