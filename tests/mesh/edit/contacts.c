/* Contacts with edited meshes: those with a new mesh of the same triangles, bit for bit, under any
 * transform. Contact trackers follow edits once the shape is refreshed. */
#include <motte/contact_tracker.h>
#include <stdio.h>

#include "mesh/edit/edited.h"

enum { MAX_CONTACTS = 1024 };

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether all triangles have the same numbers in both meshes. Of many points, which are kept
 * depends on numbers of triangles, so points are compared only then. */
static bool has_same_numbers(const edited *e) {
  return e->fresh_count == 0 || e->number_of[e->fresh_count - 1] == e->fresh_count - 1;
}

static void check_contact(const edited *e, const mo_contact *a, const mo_contact *b) {
  const mo_manifold *m = &a->manifold, *n = &b->manifold;
  cr_assert_eq(a->triangle_b, edited_number(e, b->triangle_b));
  cr_assert(a->triangle_user_data_b == b->triangle_user_data_b && m->touching == n->touching &&
            (m->point_count > 0) == (n->point_count > 0) &&
            (m->point_count == 0 || same(m->normal, n->normal)));
  for (uint32_t i = 0; i < m->point_count && has_same_numbers(e); i++) {
    cr_assert(
        m->point_count == n->point_count && same(m->points[i].position, n->points[i].position) &&
        m->points[i].separation == n->points[i].separation && m->points[i].id == n->points[i].id);
  }
}

static mo_scene *make_scene(mo_mesh *mesh, const mo_transform *place, mo_shape_id *id) {
  const mo_scene_def scene_def = mo_default_scene_def();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  mo_scene *scene;
  def.geometry.mesh = mesh;
  def.transform = *place;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  cr_assert_eq(mo_scene_add_shape(scene, &def, id), MO_OK);
  return scene;
}

static mo_transform any_place(rng *r) {
  mo_transform place = mo_transform_identity();
  if (rng_chance(r, 0.7)) {
    const mo_vec3 scale = rng_chance(r, 0.5) ? (mo_vec3){1, 1, 1} : rng_vec3(r, 0.5f, 2);
    place = mo_transform_make((mo_vec3){0, 0, 0}, rng_rotation(r), scale);
  }
  if (rng_chance(r, 0.2)) {
    place.x_axis.y += 0.5f;
  }
  if (rng_chance(r, 0.2)) {
    place.x_axis = (mo_vec3){-place.x_axis.x, -place.x_axis.y, -place.x_axis.z};
  }
  return place;
}

static mo_geometry any_geometry(rng *r, float size) {
  if (rng_chance(r, 0.5)) {
    return (mo_geometry){.type = MO_SHAPE_SPHERE,
                         .sphere = {.radius = rng_float(r, 0.1f, 1) * size}};
  }
  const mo_vec3 h = rng_vec3(r, 0.1f, 1);
  return (mo_geometry){.type = MO_SHAPE_BOX,
                       .box = {.half_extents = {h.x * size, h.y * size, h.z * size}}};
}

static uint32_t check_contacts(edited *e, mo_scene *scene, mo_shape_id id, rng *r) {
  static mo_contact contacts[2][MAX_CONTACTS];
  uint32_t total[2], found = 0;
  mo_shape_id fresh_id;
  mo_shape_def shape;
  cr_assert_eq(mo_scene_refresh_shape(scene, id), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_get_shape(scene, id, &shape), MO_OK);
  edited_make_fresh(e);
  mo_scene *fresh = make_scene(e->fresh, &shape.transform, &fresh_id);
  const mo_aabb box = mo_mesh_bounds(e->fresh);
  for (int i = 0; i < 12 && e->fresh_count > 0; i++) {
    mo_collide_shape_def def = mo_default_collide_shape_def();
    const mo_vec3 p = rng_point_in(r, box);
    def.primitive.geometry = any_geometry(r, 0.2f * (box.upper.x - box.lower.x + 0.1f));
    def.primitive.transform =
        mo_transform_make((mo_vec3){0, 0, 0}, rng_rotation(r), (mo_vec3){1, 1, 1});
    def.primitive.transform.origin = mo_transform_point(&shape.transform, p);
    def.cull_back_faces = rng_chance(r, 0.3);
    for (int k = 0; k < 2; k++) {
      cr_assert_eq(mo_scene_collide_shape(k == 0 ? scene : fresh, &def, contacts[k], MAX_CONTACTS,
                                          &total[k], NULL),
                   MO_OK);
    }
    cr_assert_eq(total[0], total[1]);
    for (uint32_t k = 0; k < total[0] && k < MAX_CONTACTS; k++) {
      check_contact(e, &contacts[0][k], &contacts[1][k]);
      found++;
    }
  }
  mo_scene_destroy(fresh);
  return found;
}

Test(mesh_edit_contacts, contacts_are_those_with_a_new_mesh) {
  static const test_mesh_kind kinds[] = {TEST_MESH_TERRAIN, TEST_MESH_SPHERE, TEST_MESH_FLAT,
                                         TEST_MESH_BOX,     TEST_MESH_SOUP,   TEST_MESH_LATTICE};
  static edited_step step;
  rng r = rng_make(rng_seed("mesh_edit_contacts/contacts", 51));
  uint32_t found = 0;
  const uint64_t rounds = rng_few_rounds(80, 3000);
  for (uint64_t i = 0; i < rounds; i++) {
    test_mesh mesh = test_mesh_make(kinds[rng_below(&r, 6)], 20 + rng_below(&r, 200), &r);
    edited *e = edited_make(&mesh, edited_def(&mesh, rng_chance(&r, 0.8)));
    const edited_places places = {test_mesh_bounds(&mesh), rng_chance(&r, 0.5) ? 0.0f : 0.25f};
    const mo_transform place = any_place(&r);
    mo_shape_id id;
    mo_scene *scene = make_scene(e->mesh, &place, &id);
    for (int k = 0; k < 4; k++) {
      edited_any_step(e, &step, 1 + rng_below(&r, 12), &places, &r);
      edited_do(e, &step);
      found += check_contacts(e, scene, id, &r);
    }
    mo_scene_destroy(scene);
    edited_free(e);
    test_mesh_free(&mesh);
  }
  fprintf(stderr, "%u contacts\n", found);
  cr_assert_gt(found, 3 * rounds);
}

/* A ball on a floor, which is dug away below it, and comes again. */
Test(mesh_edit_contacts, trackers_follow) {
  rng r = rng_make(1);
  test_mesh mesh = test_mesh_make(TEST_MESH_FLAT, 200, &r);
  mo_mesh_def mesh_def = edited_def(&mesh, true);
  const mo_transform place = mo_transform_identity();
  const mo_aabb box = test_mesh_bounds(&mesh);
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  mo_contact_tracker *tracker;
  mo_contact_events events;
  mo_mesh *floor;
  mo_shape_id ground, ball;
  static uint32_t all[1024], added[1024];
  cr_assert_eq(mo_mesh_create(&mesh_def, &floor), MO_OK);
  mo_scene *scene = make_scene(floor, &place, &ground);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.geometry.sphere.radius = 0.5f;
  const mo_vec3 middle = {0.5f * (box.lower.x + box.upper.x), 0.5f * (box.lower.y + box.upper.y),
                          0.5f * (box.lower.z + box.upper.z)};
  shape.transform.origin = middle;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &ball), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(scene, &tracker_def, &tracker), MO_OK);
  for (int i = 0; i < 4; i++) {
    mo_mesh_edit_def edit = mo_default_mesh_edit_def();
    if (i % 2 == 1) { /* removes all but one, which is not below the ball */
      edit.removed_triangles = all;
      for (uint32_t t = 1; t < mesh.triangle_count; t++) {
        all[edit.removed_triangle_count++] = t;
      }
    } else if (i > 0) {
      edit.added_indices = &mesh.indices[3];
      edit.added_triangle_count = mesh.triangle_count - 1;
      edit.added_triangles = added;
    }
    cr_assert_eq(mo_mesh_edit(floor, &edit), MO_OK);
    cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK, "before the shape is refreshed");
    cr_assert_eq(mo_scene_refresh_shape(scene, ground), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(events.contact_count > 0, i % 2 == 0, "step %d", i);
    cr_assert_eq(mo_contact_tracker_validate(tracker), MO_OK);
    cr_assert_eq(mo_scene_validate(scene), MO_OK);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  mo_mesh_release(floor);
  test_mesh_free(&mesh);
}
