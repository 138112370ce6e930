/* Contacts of shapes in scenes, by every placement policy, mesh format and instruction set, against
 * a loop over all shapes and triangles with mo_collide. */
#include <string.h>

#include "contact/contacts.h"
#include "geometry/triangle/triangle.h"
#include "mesh/world.h"
#include "support/defs.h"
#include "support/scenes.h"

enum { MAX = 3000 };

static test_scene scene;
static mo_contact found[MAX], again[MAX];

/* A shape of a scene, or one triangle of it. */
static mo_primitive primitive_of(const oracle_shape *shape, const oracle_triangle *triangle) {
  mo_primitive p = mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
  if (triangle != NULL) {
    p.type = MO_PRIMITIVE_TRIANGLE;
    memcpy(p.points, triangle->corners, sizeof p.points);
  }
  return p;
}

static const oracle_mesh *mesh_of(const oracle_shape *shape) {
  return shape->def.geometry.type == MO_SHAPE_MESH ? &scene.oracle.meshes[shape->mesh] : NULL;
}

static bool is_volume(const mo_primitive *p) {
  return p->type == MO_PRIMITIVE_GEOMETRY && p->geometry.type == MO_SHAPE_VOLUME;
}

/* By mo_collide, but of a mesh's triangle and a volume by the test of queries with boxes. */
static mo_manifold meet(const mo_primitive *a, const mo_primitive *b, float distance, bool mesh) {
  if (!mesh || !(is_volume(a) || is_volume(b))) {
    return collide_within(a, b, distance);
  }
  const mo_primitive *volume = is_volume(a) ? a : b, *triangle = is_volume(a) ? b : a;
  mo_affine affine, of_triangle;
  mo_affine_init(&affine, &volume->transform);
  mo_affine_init(&of_triangle, &triangle->transform);
  mo_dvec3 corners[3];
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_affine_point_to_world(&of_triangle, triangle->points[i]);
  }
  mo_aabb box = mo_affine_aabb_to_world(&affine, volume->geometry.volume);
  return (mo_manifold){.touching = mo_triangle_overlaps_aabb(corners, box)};
}

/* What the contacts of are wanted: a shape that is in no scene, one of the scene, or one triangle
 * of that. */
typedef struct asker {
  mo_primitive primitive;
  const oracle_shape *shape; /* null: in no scene */
  mo_contact first;          /* what is the same in all of its contacts */
  float distance;
  bool cull;
} asker;

/* Whether a direction leads out of the back of a mesh's triangle. */
static bool leads_back(const oracle_shape *shape, uint32_t triangle, mo_vec3 out, double sign) {
  const mo_mesh *mesh = mesh_of(shape)->mesh;
  mo_dvec3 normal = mo_widen(mo_mesh_world_normal(mesh, triangle, &shape->affine));
  return sign * mo_ddot(normal, mo_widen(out)) < -0x1p-7;
}

/* The contacts with a shape, appended. */
static void add_contacts(const asker *own, const oracle_shape *shape, oracle_list *list) {
  const mo_primitive *a = &own->primitive;
  bool from_mesh = own->shape != NULL && mesh_of(own->shape) != NULL;
  const oracle_mesh *mesh = mesh_of(shape);
  bool with_volume = is_volume(a);
  mo_contact contact = own->first;
  contact.b = shape->id;
  contact.user_data_b = shape->def.user_data;
  contact.triangle_b = MO_NO_TRIANGLE;
  contact.triangle_user_data_b = 0;
  for (uint32_t i = 0; i < (mesh != NULL ? mesh->count : 1); i++) {
    const oracle_triangle *triangle = mesh != NULL ? &mesh->triangles[i] : NULL;
    mo_primitive b = primitive_of(shape, triangle);
    contact.manifold = meet(a, &b, own->distance, triangle != NULL || from_mesh);
    if (contact.manifold.point_count == 0 && !contact.manifold.touching) {
      continue;
    }
    const mo_vec3 normal = contact.manifold.normal;
    if (own->cull && contact.manifold.point_count > 0 &&
        ((from_mesh && leads_back(own->shape, own->first.triangle_a, normal, 1.0)) ||
         (triangle != NULL && leads_back(shape, i, normal, -1.0)))) {
      continue;
    }
    if (triangle != NULL && !with_volume) {
      contact.triangle_b = i;
      contact.triangle_user_data_b = triangle->user_data;
    }
    *(mo_contact *)oracle_list_add(list, sizeof contact) = contact;
    if (with_volume) {
      break;
    }
  }
}

static bool same_vector(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_manifold(const mo_manifold *m, const mo_manifold *n) {
  bool same = m->touching == n->touching && m->point_count == n->point_count &&
              same_vector(m->normal, n->normal);
  for (uint32_t i = 0; i < m->point_count && same; i++) {
    const mo_manifold_point *p = &m->points[i], *q = &n->points[i];
    same = same_vector(p->position, q->position) && same_vector(p->anchor_a, q->anchor_a) &&
           same_vector(p->anchor_b, q->anchor_b) && p->separation == q->separation &&
           p->id == q->id;
  }
  return same;
}

static bool same_contact(const mo_contact *c, const mo_contact *d) {
  return c->a.index == d->a.index && c->a.generation == d->a.generation &&
         c->b.index == d->b.index && c->b.generation == d->b.generation &&
         c->user_data_a == d->user_data_a && c->user_data_b == d->user_data_b &&
         c->triangle_a == d->triangle_a && c->triangle_b == d->triangle_b &&
         c->triangle_user_data_a == d->triangle_user_data_a &&
         c->triangle_user_data_b == d->triangle_user_data_b &&
         same_manifold(&c->manifold, &d->manifold);
}

static void check_list(const mo_contact *contacts, uint32_t total, const oracle_list *expected,
                       const char *form) {
  const mo_contact *wanted = expected->items;
  cr_assert_eq(total, expected->count, "%s: %u, not %u", form, total, expected->count);
  for (uint32_t i = 0; i < total && i < MAX; i++) {
    cr_assert(same_contact(&contacts[i], &wanted[i]), "%s: contact %u of %u, triangle %u, not %u",
              form, i, total, contacts[i].triangle_b, wanted[i].triangle_b);
  }
}

/* Every form gives the same; and so do lists that are too short. */
static void check_shape(const mo_collide_shape_def *def, const oracle_list *expected, rng *r) {
  for (uint32_t form = 0; form < scene.family.count; form++) {
    const mo_scene *subject = scene.family.scenes[form];
    uint32_t total = 77;
    cr_assert_eq(mo_scene_collide_shape(subject, def, found, MAX, &total, NULL), MO_OK);
    check_list(found, total, expected, scene.family.names[form]);
    uint32_t capacity = rng_below(r, total + 1);
    cr_assert_eq(mo_scene_collide_shape(subject, def, again, capacity, &total, NULL), MO_OK);
    cr_assert_eq(total, expected->count);
    for (uint32_t i = 0; i < capacity && i < MAX; i++) {
      cr_assert(same_contact(&again[i], &found[i]));
    }
  }
}

static void check_pair(const oracle_shape *a, const oracle_shape *b, float distance, bool cull) {
  oracle_list expected = {NULL, 0, 0};
  const oracle_mesh *mesh = mesh_of(a);
  bool volume = b->def.geometry.type == MO_SHAPE_VOLUME;
  for (uint32_t i = 0; i < (mesh != NULL ? mesh->count : 1); i++) {
    const oracle_triangle *triangle = mesh != NULL ? &mesh->triangles[i] : NULL;
    asker first = {
        .primitive = primitive_of(a, triangle),
        .shape = a,
        .first = {.a = a->id,
                  .user_data_a = a->def.user_data,
                  .triangle_a = triangle != NULL && !volume ? i : MO_NO_TRIANGLE,
                  .triangle_user_data_a = triangle != NULL && !volume ? triangle->user_data : 0},
        .distance = distance,
        .cull = cull};
    if (!volume || expected.count == 0) {
      add_contacts(&first, b, &expected);
    }
  }
  const mo_pair pair = {a->id, b->id};
  mo_collide_def def = mo_default_collide_def();
  def.speculative_distance = distance;
  def.cull_back_faces = cull;
  for (uint32_t form = 0; form < scene.family.count; form++) {
    uint32_t total = 77;
    cr_assert_eq(mo_scene_collide_pair(scene.family.scenes[form], &pair, &def, found, MAX, &total),
                 MO_OK);
    check_list(found, total, &expected, scene.family.names[form]);
  }
  oracle_list_free(&expected);
}

Test(contact_scene, equal_a_loop_over_all_triangles) {
  rng r = rng_make(rng_seed("contact scene", 205));
  uint32_t contacts = 0, asked = 0;
  for (int kind = 0; kind < TEST_SCENE_KIND_COUNT; kind++) {
    test_scene_make(&scene, (test_scene_kind)kind, 12, &r);
    for (uint64_t i = 0; i < rng_rounds(4, 200); i++) {
      mo_collide_shape_def def = mo_default_collide_shape_def();
      sample_target target = test_scene_target(&scene, &r);
      def.primitive =
          rng_chance(&r, 0.2) ? sample_half_space(&r, &target) : test_scene_primitive(&scene, &r);
      def.filter = test_scene_filter(&scene, &r);
      def.hit_volumes = rng_chance(&r, 0.5);
      def.cull_back_faces = rng_chance(&r, 0.5);
      def.speculative_distance = rng_chance(&r, 0.5) ? 0.02f : rng_float(&r, 0, 1);
      uint32_t total;
      if (mo_scene_collide_shape(scene.family.scenes[0], &def, NULL, 0, &total, NULL) != MO_OK) {
        continue; /* beyond the range of coordinates */
      }
      oracle_list expected = {NULL, 0, 0};
      const asker first = {.primitive = def.primitive,
                           .first = {.triangle_a = MO_NO_TRIANGLE},
                           .distance = def.speculative_distance,
                           .cull = def.cull_back_faces};
      for (uint32_t k = 0; k < scene.oracle.shape_count; k++) {
        const oracle_shape *shape = &scene.oracle.shapes[k];
        bool counts = shape->def.geometry.type != MO_SHAPE_VOLUME || def.hit_volumes;
        if (counts && oracle_filter_passes(&def.filter, shape)) {
          add_contacts(&first, shape, &expected);
        }
      }
      check_shape(&def, &expected, &r);
      contacts += expected.count;
      asked++;
      oracle_list_free(&expected);
    }
    for (uint64_t i = 0; i < rng_rounds(12, 300); i++) {
      const oracle_shape *a = &scene.oracle.shapes[rng_below(&r, scene.oracle.shape_count)];
      const oracle_shape *b = &scene.oracle.shapes[rng_below(&r, scene.oracle.shape_count)];
      const oracle_mesh *first = mesh_of(a), *second = mesh_of(b);
      uint64_t tests = (uint64_t)(first != NULL ? first->count : 1) *
                       (uint64_t)(second != NULL ? second->count : 1);
      if (a != b && tests <= 4000) {
        check_pair(a, b, 0.1f, rng_chance(&r, 0.5));
      }
    }
    cr_assert(test_scene_free(&scene));
  }
  cr_assert(contacts > asked && asked > 0, "%u of %u", contacts, asked);
}
