/* A world that is larger or smaller by a power of two has the same contacts with meshes that have
 * `edges`, larger or smaller by it, to the last bit: floats have no other unit. A length that is
 * compared with an angle, or a square with a length, breaks this. */
#include "contact/bent_places.h"
#include "contact/flat_meshes.h"
#include "support/scenes.h"

enum { MAX_CONTACTS = 4096 };

static mo_contact plain[MAX_CONTACTS], scaled[MAX_CONTACTS];

static const float scales[] = {0x1p-10f, 0x1p+10f};

static mo_vec3 times(float by, mo_vec3 v) {
  return mo_vec(by * v.x, by * v.y, by * v.z);
}

static mo_transform scaled_map(float by, const mo_transform *map) {
  return (mo_transform){times(by, map->x_axis), times(by, map->y_axis), times(by, map->z_axis),
                        times(by, map->origin)};
}

static bool is_same_vector(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_scaled(const mo_contact *a, const mo_contact *b, float by) {
  const mo_manifold *m = &a->manifold, *n = &b->manifold;
  bool same = a->triangle_a == b->triangle_a && a->triangle_b == b->triangle_b &&
              m->point_count == n->point_count && m->touching == n->touching &&
              is_same_vector(m->normal, n->normal);
  for (uint32_t i = 0; i < m->point_count && same; i++) {
    const mo_manifold_point *p = &m->points[i], *q = &n->points[i];
    same = p->id == q->id && by * p->separation == q->separation &&
           is_same_vector(times(by, p->position), q->position);
  }
  return same;
}

static void check_contacts(uint32_t count, uint32_t scaled_count, float by, const char *what) {
  cr_assert_eq(count, scaled_count, "%s: %u contacts, scaled %u", what, count, scaled_count);
  for (uint32_t i = 0; i < count; i++) {
    cr_assert(is_scaled(&plain[i], &scaled[i], by), "%s: contact %u of %u, scaled by %g", what, i,
              count, (double)by);
  }
}

/* The contacts of a body with the ground, scaled by `by`. */
static uint32_t find_contacts_of_body(const place *at, const pose *p, float by,
                                      mo_contact *contacts) {
  mo_collide_shape_def def = mo_default_collide_shape_def();
  const mo_transform map = scaled_map(by, &p->map), map_of_ground = scaled_map(by, &at->ground.map);
  uint32_t total;
  def.primitive = mo_primitive_of_geometry(&p->body.geometry, &map);
  def.speculative_distance *= by * (float)p->body.diameter;
  cr_assert_eq(mo_scene_set_transform(at->scene, at->id, &map_of_ground), MO_OK);
  cr_assert_eq(mo_scene_update(at->scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_collide_shape(at->scene, &def, contacts, MAX_CONTACTS, &total, NULL),
               MO_OK);
  cr_assert_leq(total, MAX_CONTACTS);
  return total;
}

Test(scaled_contacts, of_bodies_on_bent_ground) {
  static pose p;
  uint64_t found = 0;
  const uint64_t seed = rng_seed("contact/scaled", 3711);
  for (uint64_t round = 0; round < rng_few_rounds(2, 60); round++) {
    for (int kind = 0; kind < GROUND_KIND_COUNT; kind++) {
      rng r = rng_make(seed + 1000 * round + (uint64_t)kind);
      ground g = ground_make((ground_kind)kind, &r);
      place at = place_make(g, true);
      for (int i = 0; i < 6 * BODY_KIND_COUNT; i++) {
        random_pose(&at, (body_kind)(i % BODY_KIND_COUNT), &r, &p);
        const uint32_t count = find_contacts_of_body(&at, &p, 1, plain);
        for (int k = 0; k < 2; k++) {
          check_contacts(count, find_contacts_of_body(&at, &p, scales[k], scaled), scales[k],
                         body_kind_name(p.body.kind));
        }
        found += count;
      }
      place_free(&at);
      test_mesh_free(&g.mesh);
    }
  }
  cr_assert_gt(found, 1000);
}

/* The contacts of two meshes, scaled by `by`. */
static uint32_t find_contacts_of_meshes(mo_mesh *const mesh[2], const mo_transform map[2], float by,
                                        mo_contact *contacts) {
  mo_scene *scene = test_scene_empty();
  mo_pair pair;
  for (int i = 0; i < 2; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = mesh[i];
    def.transform = scaled_map(by, &map[i]);
    cr_assert_eq(mo_scene_add_shape(scene, &def, i == 0 ? &pair.a : &pair.b), MO_OK);
  }
  mo_collide_def def = mo_default_collide_def();
  def.speculative_distance *= by;
  uint32_t count;
  cr_assert_eq(mo_scene_collide_pair(scene, &pair, &def, contacts, MAX_CONTACTS, &count), MO_OK);
  cr_assert_leq(count, MAX_CONTACTS);
  mo_scene_destroy(scene);
  return count;
}

/* Boxes and balls of triangles that overlap far, in any pose. */
static mo_mesh *any_mesh(rng *r) {
  if (rng_chance(r, 0.5)) {
    const mo_vec3 half = rng_vec3(r, 0.2f, 0.6f);
    test_mesh mesh = crate(half, 1 + (int)rng_below(r, 4));
    return build(&mesh);
  }
  test_mesh mesh = test_mesh_make_sphere(3 + rng_below(r, 5));
  for (uint32_t i = 0; i < mesh.vertex_count; i++) {
    mesh.positions[i] = times(0.5f, mesh.positions[i]);
  }
  return build(&mesh);
}

Test(scaled_contacts, of_meshes) {
  rng r = rng_make(rng_seed("contact/scaled/meshes", 3712));
  uint64_t found = 0;
  for (uint64_t left = rng_few_rounds(300, 10000); left > 0; left--) {
    mo_mesh *mesh[2];
    mo_transform map[2];
    for (int i = 0; i < 2; i++) {
      const float far = i == 0 ? 0 : rng_float(&r, 0.3f, 1.1f);
      const mo_vec3 way = rng_direction(&r);
      const mo_quat rotation = rng_rotation(&r);
      map[i] = mo_transform_make(times(far, way), rotation, mo_vec(1, 1, 1));
      mesh[i] = any_mesh(&r);
    }
    const uint32_t count = find_contacts_of_meshes(mesh, map, 1, plain);
    for (int k = 0; k < 2; k++) {
      check_contacts(count, find_contacts_of_meshes(mesh, map, scales[k], scaled), scales[k],
                     "meshes");
    }
    found += count;
    mo_mesh_release(mesh[0]);
    mo_mesh_release(mesh[1]);
  }
  cr_assert_gt(found, 200);
}
