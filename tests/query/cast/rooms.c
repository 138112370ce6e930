/* Shapes that move through rooms with flat walls along the axes, full of ties: starts in overlaps
 * and flush with walls, paths along walls and edges, contacts of whole faces, boxes without
 * extents. By every instruction set and on both formats of a mesh, against a loop over all
 * triangles with mo_primitive_cast. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/cast.h>
#include <motte/movement.h>

#include "support/defs.h"
#include "support/families.h"
#include "support/hulls.h"
#include "support/scenes.h"

enum { SIDE = 3, ROOMS = SIDE * SIDE, TRIANGLES = 12 * ROOMS };

typedef struct rooms {
  mo_vec3 corners[3 * TRIANGLES];
  uint32_t count;
} rooms;

static mo_vec3 corner_of(int at, float x, float y) {
  return mo_vec(x + (at & 1 ? 2.0f : 0.0f), y + (at & 2 ? 2.0f : 0.0f), at & 4 ? 1.0f : 0.0f);
}

/* Walls between two rooms are there twice. */
static void make_rooms(rooms *all) {
  static const uint8_t quads[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                      {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  mo_vec3 *to = all->corners;
  for (int room = 0; room < ROOMS; room++) {
    const float x = 2.0f * (float)(room % SIDE), y = 2.0f * (float)(room / SIDE);
    for (int q = 0; q < 6; q++) {
      for (int half = 0; half < 2; half++) {
        *to++ = corner_of(quads[q][0], x, y);
        *to++ = corner_of(quads[q][half + 1], x, y);
        *to++ = corner_of(quads[q][half + 2], x, y);
      }
    }
  }
  all->count = TRIANGLES;
}

static mo_mesh *mesh_of(const mo_vec3 *corners, uint32_t count, bool compact) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = corners;
  def.vertex_count = 3 * count;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = count;
  def.build.compact = compact;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

static float quarter(rng *r, int low, int high) {
  return 0.25f * (float)(low + (int)rng_below(r, (uint32_t)(high - low + 1)));
}

static mo_geometry any_geometry(rng *r) {
  mo_geometry g = {.type = MO_SHAPE_BOX};
  switch (rng_below(r, 10)) {
  case 0:
    return (mo_geometry){.type = MO_SHAPE_CAPSULE,
                         .capsule = {{0, quarter(r, -2, 0), 0}, {0, 0.5f, 0}, 0.25f}};
  case 1:
    g = (mo_geometry){.type = MO_SHAPE_CYLINDER, .cylinder = {{0, -0.5f, 0}, {0, 0.5f, 0}, 0.25f}};
    break;
  case 2:
    g = (mo_geometry){.type = MO_SHAPE_HULL, .hull = test_hull_random(r)};
    break;
  case 3:
    g = (mo_geometry){.type = MO_SHAPE_CONE, .cone = {{0, 0.5f, 0}, {0, -0.25f, 0}, 0.25f}};
    break;
  default:
    g.box.half_extents = mo_vec(quarter(r, 0, 3), quarter(r, 0, 3), quarter(r, 0, 3));
  }
  g.rounding = rng_chance(r, 0.1) ? 0.25f : 0.0f;
  return g;
}

/* Half of them along the axes, at multiples of 1/4. */
static mo_shape_cast_def any_cast(rng *r) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  mo_transform at = rng_transform(r, rng_chance(r, 0.8) ? RNG_RIGID : RNG_SHEAR, 0);
  def.displacement = rng_vec3(r, -4, 4);
  if (rng_chance(r, 0.6)) {
    at = mo_transform_identity();
    at.x_axis.x = rng_chance(r, 0.1) ? -1 : 1;
    def.displacement = mo_vec(quarter(r, -8, 8), quarter(r, -8, 8), quarter(r, -3, 3));
    if (rng_chance(r, 0.5)) {
      def.displacement.y = def.displacement.z = 0;
    }
  }
  at.origin = mo_vec(quarter(r, -4, 8 * SIDE), quarter(r, -4, 8 * SIDE), quarter(r, -2, 6));
  if (rng_chance(r, 0.3)) {
    at.origin = mo_add(at.origin, rng_vec3(r, -0.2f, 0.2f));
  }
  const mo_geometry g = any_geometry(r);
  def.primitive = mo_primitive_of_geometry(&g, &at);
  return def;
}

/* The same cast beside a mesh under another map: in the world, along the images of the axes where
 * the map has rotations and scale only. */
static void carry(mo_shape_cast_def *def, const mo_transform *map) {
  mo_transform *at = &def->primitive.transform;
  at->origin = mo_transform_point(map, at->origin);
  at->x_axis = mo_transform_direction(map, at->x_axis);
  at->y_axis = mo_transform_direction(map, at->y_axis);
  at->z_axis = mo_transform_direction(map, at->z_axis);
  def->displacement = mo_transform_direction(map, def->displacement);
}

typedef struct first {
  mo_primitive_contact contact;
  uint32_t triangle;
} first;

static first first_contact(const rooms *all, const mo_transform *map,
                           const mo_shape_cast_def *def) {
  first best = {.triangle = MO_NO_TRIANGLE};
  for (uint32_t i = 0; i < all->count; i++) {
    const mo_vec3 *c = &all->corners[3 * i];
    mo_primitive triangle = mo_primitive_of_triangle(c[0], c[1], c[2]);
    triangle.transform = *map;
    mo_primitive_contact met;
    cr_assert_eq(mo_primitive_cast(&triangle, &def->primitive, def->displacement, false, &met),
                 MO_OK);
    const mo_primitive_contact *other = &best.contact;
    if (met.found &&
        (!other->found || met.t < other->t || (met.t == other->t && met.depth > other->depth))) {
      best = (first){met, i};
    }
  }
  return best;
}

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void check(const mo_cast_hit *hit, const first *expected, const char *name,
                  unsigned long long round) {
  const mo_primitive_contact *c = &expected->contact;
  cr_assert(hit->found == c->found && (!c->found || (hit->t == c->t && hit->depth == c->depth &&
                                                     hit->triangle == expected->triangle)),
            "%s, round %llu: %d at %a, %u, depth %a; not %d at %a, %u, depth %a", name, round,
            hit->found, (double)hit->t, hit->triangle, (double)hit->depth, c->found, (double)c->t,
            expected->triangle, (double)c->depth);
  cr_assert(!c->found || (same(hit->point, c->point) && same(hit->normal, c->normal)),
            "%s, round %llu: another contact", name, round);
}

Test(cast_rooms, as_brute_force) {
  static const rng_transform_kind maps[] = {
      RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR, RNG_MIRROR, RNG_FLAT, RNG_FAR, RNG_UNIFORM_SCALE};
  static rooms all;
  make_rooms(&all);
  mo_mesh *meshes[2] = {mesh_of(all.corners, all.count, false),
                        mesh_of(all.corners, all.count, true)};
  rng r = rng_make(rng_seed("cast_rooms/brute force", 391));
  uint64_t rounds = rng_few_rounds(60, 8000), found = 0, deep = 0;
  for (size_t m = 0; m <= sizeof maps / sizeof *maps; m++) {
    const mo_transform map = m == 0 ? mo_transform_identity() : rng_transform(&r, maps[m - 1], 3);
    const char *name = m == 0 ? "identity" : rng_transform_kind_name(maps[m - 1]);
    mo_scene *scenes[8];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 2 * family_isa_count(); k++) {
      mo_scene_def def = mo_default_scene_def();
      def.isa = family_isa(k / 2);
      mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
      shape.geometry.mesh = meshes[k % 2];
      shape.transform = map;
      mo_shape_id id;
      cr_assert_eq(mo_scene_create(&def, &scenes[count]), MO_OK);
      cr_assert_eq(mo_scene_add_shape(scenes[count++], &shape, &id), MO_OK);
    }
    for (uint64_t i = 0; i < rounds; i++) {
      mo_shape_cast_def def = any_cast(&r);
      carry(&def, &map);
      const first expected = first_contact(&all, &map, &def);
      found += expected.contact.found;
      deep += expected.contact.found && expected.contact.depth > 0;
      for (uint32_t k = 0; k < count; k++) {
        mo_cast_hit hit;
        cr_assert_eq(mo_scene_cast_shape(scenes[k], &def, &hit, NULL), MO_OK);
        check(&hit, &expected, name, (unsigned long long)i);
      }
    }
    for (uint32_t k = 0; k < count; k++) {
      mo_scene_destroy(scenes[k]);
    }
  }
  cr_assert(found > rounds && deep > rounds / 2, "%llu, %llu", (unsigned long long)found,
            (unsigned long long)deep);
  mo_mesh_release(meshes[0]);
  mo_mesh_release(meshes[1]);
}

/* A path so long that a gap counts as touching, beside a triangle: the contact at the start has a
 * unit normal, as any other, and its point is on the triangle. */
Test(cast_rooms, long_paths_beside_a_triangle) {
  const mo_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  mo_mesh *mesh = mesh_of(corners, 1, false);
  uint32_t found = 0;
  for (int power = 0; power <= 30; power++) {
    const mo_geometry box = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1, 1}}};
    const mo_transform place =
        mo_transform_make(mo_vec(4.625f, 4.625f, 4.625f), (mo_quat){0, 0, 0, 1}, mo_vec(1, 1, 1));
    mo_shape_cast_def def = mo_default_shape_cast_def();
    def.primitive = mo_primitive_of_geometry(&box, &place);
    def.displacement = mo_vec(powf(10, (float)power), 0, 0);
    mo_cast_hit hit;
    cr_assert_eq(mo_mesh_cast_shape(mesh, &def, &hit, NULL), MO_OK);
    found += hit.found;
    if (hit.found) {
      const mo_vec3 n = hit.normal, at = hit.point;
      cr_assert(fabsf(mo_dot(n, n) - 1) < 1e-6f, "1e%d: the normal is %g %g %g", power, (double)n.x,
                (double)n.y, (double)n.z);
      cr_assert(at.z == 0 && at.x <= 1 && at.y >= 0 && at.y <= at.x, "1e%d: %g %g %g", power,
                (double)at.x, (double)at.y, (double)at.z);
    }
  }
  cr_assert(found > 0);
  mo_mesh_release(mesh);
}
