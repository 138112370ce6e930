/* Contacts, impacts and movements on height fields: those on a mesh of the same triangles that was
 * built with `edges`, bit for bit, under any transform. */
#include "contact/contacts.h"
#include "mesh/height/heights.h"

enum { MAX_CONTACTS = 512, BODIES = 12 };

/* Two scenes: shape 0 is the field in one and the mesh in the other; the others are bodies. */
typedef struct two_scenes {
  heights h;
  mo_scene *scene[2];
  mo_shape_id ground[2], body[2][BODIES];
  mo_transform place; /* of the ground */
} two_scenes;

static bool same(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Whether all triangles have the same numbers in the mesh: there are no holes, or they come last.
 */
static bool has_same_numbers(const heights *h) {
  return h->mesh_count == 0 || h->field_of[h->mesh_count - 1] == h->mesh_count - 1;
}

/* Of many points, which are kept depends on the order of their ids, and so on the numbers of
 * triangles: points are compared where these are the same. */
static void check_contact(const heights *h, const mo_contact *a, const mo_contact *b) {
  const mo_manifold *m = &a->manifold, *n = &b->manifold;
  cr_assert(a->a.index == b->a.index && a->b.index == b->b.index);
  cr_assert_eq(a->triangle_a, heights_field_triangle(h, b->triangle_a));
  cr_assert_eq(a->triangle_b, heights_field_triangle(h, b->triangle_b));
  cr_assert(a->triangle_user_data_a == b->triangle_user_data_a &&
            a->triangle_user_data_b == b->triangle_user_data_b);
  cr_assert(m->touching == n->touching && (m->point_count > 0) == (n->point_count > 0));
  cr_assert(m->point_count == 0 || same(m->normal, n->normal));
  const bool has_same_points = has_same_numbers(h);
  cr_assert(!has_same_points || m->point_count == n->point_count);
  for (uint32_t i = 0; i < m->point_count && has_same_points; i++) {
    const mo_manifold_point *p = &m->points[i], *q = &n->points[i];
    cr_assert(same(p->position, q->position) && same(p->anchor_a, q->anchor_a) &&
              same(p->anchor_b, q->anchor_b) && p->separation == q->separation);
    cr_assert_eq(p->id, q->id);
  }
}

/* Rigid, scaled, sheared, mirrored, far away, and flattened. */
static mo_transform any_place(rng *r) {
  mo_transform place = mo_transform_identity();
  if (rng_chance(r, 0.7)) {
    const mo_quat rotation = rng_rotation(r);
    const mo_vec3 scale = rng_chance(r, 0.5) ? (mo_vec3){1, 1, 1} : rng_vec3(r, 0.5f, 2);
    place = mo_transform_make((mo_vec3){0, 0, 0}, rotation, scale);
  }
  if (rng_chance(r, 0.2)) {
    place.x_axis.y += 0.5f;
  }
  if (rng_chance(r, 0.2)) {
    place.x_axis = (mo_vec3){-place.x_axis.x, -place.x_axis.y, -place.x_axis.z};
  }
  if (rng_chance(r, 0.1)) {
    place.y_axis = (mo_vec3){0, 0, 0};
  }
  if (rng_chance(r, 0.3)) {
    place.origin = rng_vec3(r, -1000, 1000);
  }
  return place;
}

static mo_geometry any_geometry(rng *r, mo_hull *hull) {
  switch (rng_below(r, 5)) {
  case 0: {
    const mo_vec3 half = rng_vec3(r, 0.1f, 1.2f);
    return (mo_geometry){.type = MO_SHAPE_BOX, .box = {.half_extents = half}};
  }
  case 1:
    return (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {.radius = rng_float(r, 0.1f, 1)}};
  case 2:
    return (mo_geometry){.type = MO_SHAPE_CAPSULE,
                         .capsule = {{0, -0.5f, 0}, {0, 0.5f, 0}, rng_float(r, 0.1f, 0.5f)}};
  case 3:
    return (mo_geometry){.type = MO_SHAPE_CYLINDER,
                         .cylinder = {{0, -0.5f, 0}, {0, 0.5f, 0}, rng_float(r, 0.1f, 0.8f)}};
  default:
    return (mo_geometry){.type = MO_SHAPE_HULL, .hull = hull};
  }
}

/* On the surface, or near it. */
static mo_transform any_pose(const two_scenes *s, rng *r) {
  const heights *h = &s->h;
  mo_vec3 at = heights_vertex(h, rng_below(r, h->def.columns), rng_below(r, h->def.rows));
  const mo_vec3 offset = rng_vec3(r, -0.6f, 0.6f);
  at = (mo_vec3){at.x + offset.x, at.y + offset.y + 0.3f, at.z + offset.z};
  at = mo_transform_point(&s->place, at);
  const mo_quat rotation = rng_chance(r, 0.5) ? rng_rotation(r) : (mo_quat){0, 0, 0, 1};
  return mo_transform_make(at, rotation, (mo_vec3){1, 1, 1});
}

static two_scenes make_scenes(rng *r, mo_hull *hull) {
  two_scenes s = {.h = heights_any(r), .place = any_place(r)};
  mo_geometry geometry[BODIES];
  mo_transform pose[BODIES];
  for (int i = 0; i < BODIES; i++) {
    geometry[i] = any_geometry(r, hull);
    pose[i] = any_pose(&s, r);
  }
  for (int side = 0; side < 2; side++) {
    mo_scene_def def = mo_default_scene_def();
    cr_assert_eq(mo_scene_create(&def, &s.scene[side]), MO_OK);
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    shape.geometry.mesh = side == 0 ? s.h.field : s.h.mesh;
    shape.transform = s.place;
    shape.motion = MO_MOTION_STATIC;
    cr_assert_eq(mo_scene_add_shape(s.scene[side], &shape, &s.ground[side]), MO_OK);
    for (int i = 0; i < BODIES; i++) {
      shape = mo_default_shape_def(geometry[i].type);
      shape.geometry = geometry[i];
      shape.transform = pose[i];
      cr_assert_eq(mo_scene_add_shape(s.scene[side], &shape, &s.body[side][i]), MO_OK);
    }
    cr_assert_eq(mo_scene_update(s.scene[side], NULL), MO_OK);
  }
  return s;
}

static void free_scenes(two_scenes *s) {
  mo_scene_destroy(s->scene[0]);
  mo_scene_destroy(s->scene[1]);
  heights_free(&s->h);
}

static uint32_t check_collisions(const two_scenes *s, rng *r, mo_hull *hull) {
  static mo_contact contacts[2][MAX_CONTACTS];
  uint32_t total[2];
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive.type = MO_PRIMITIVE_GEOMETRY;
  def.primitive.geometry = any_geometry(r, hull);
  def.primitive.transform = any_pose(s, r);
  def.cull_back_faces = rng_chance(r, 0.2);
  def.speculative_distance = rng_chance(r, 0.5) ? 0.02f : 0.3f;
  for (int side = 0; side < 2; side++) {
    cr_assert_eq(mo_scene_collide_shape(s->scene[side], &def, contacts[side], MAX_CONTACTS,
                                        &total[side], NULL),
                 MO_OK);
  }
  cr_assert_eq(total[0], total[1]);
  for (uint32_t i = 0; i < total[0] && i < MAX_CONTACTS; i++) {
    check_contact(&s->h, &contacts[0][i], &contacts[1][i]);
  }
  return total[0];
}

static void check_character(const two_scenes *s, rng *r) {
  mo_character_move_result result[2];
  mo_character_def def = mo_default_character_def();
  def.primitive.type = MO_PRIMITIVE_GEOMETRY;
  def.primitive.geometry =
      (mo_geometry){.type = MO_SHAPE_CAPSULE, .capsule = {{0, -0.3f, 0}, {0, 0.3f, 0}, 0.3f}};
  def.primitive.transform = any_pose(s, r);
  def.displacement = rng_vec3(r, -1, 1);
  for (int side = 0; side < 2; side++) {
    cr_assert_eq(mo_character_move(s->scene[side], &def, &result[side], NULL), MO_OK);
  }
  const mo_character_ground *a = &result[0].ground, *b = &result[1].ground;
  cr_assert(same(result[0].displacement, result[1].displacement));
  cr_assert(result[0].standing == result[1].standing && a->found == b->found);
  cr_assert(!a->found || (same(a->point, b->point) && same(a->normal, b->normal)));
  cr_assert(!a->found || a->shape.index != s->ground[0].index ||
            a->triangle == heights_field_triangle(&s->h, b->triangle));
}

static void check_impacts(const two_scenes *s, rng *r) {
  mo_impact impacts[2][BODIES];
  mo_mover movers[BODIES];
  mo_mover_memory memory[BODIES];
  memset(movers, 0, sizeof movers);
  for (int i = 0; i < BODIES; i++) {
    movers[i].movement.displacement = rng_vec3(r, -3, 3);
    if (rng_chance(r, 0.5)) {
      movers[i].movement.axis = rng_direction(r);
      movers[i].movement.angle = rng_float(r, -1, 1);
    }
  }
  for (int side = 0; side < 2; side++) {
    mo_impact_search search = mo_default_impact_search();
    for (int i = 0; i < BODIES; i++) {
      mo_transform pose;
      movers[i].shape = s->body[side][i];
      cr_assert_eq(mo_scene_get_transform(s->scene[side], s->body[side][i], &pose), MO_OK);
      movers[i].movement.pivot = pose.origin;
    }
    search.movers = movers;
    search.memory = memory;
    search.count = BODIES;
    cr_assert_eq(mo_scene_find_impacts(s->scene[side], &search, impacts[side], NULL, NULL), MO_OK);
  }
  for (int i = 0; i < BODIES; i++) {
    const mo_impact *a = &impacts[0][i], *b = &impacts[1][i];
    cr_assert_eq(a->found, b->found);
    if (a->found) {
      cr_assert(a->t == b->t && same(a->point, b->point) && same(a->normal, b->normal) &&
                a->separation == b->separation && a->other.index == b->other.index);
      cr_assert_eq(a->other_triangle, heights_field_triangle(&s->h, b->other_triangle));
    }
  }
}

static mo_hull *make_hull(void) {
  const mo_vec3 corners[] = {{-0.5f, -0.4f, -0.3f},
                             {0.6f, -0.4f, -0.3f},
                             {0, -0.4f, 0.6f},
                             {0.1f, 0.7f, 0},
                             {0.3f, 0.1f, 0.4f}};
  mo_hull_def def = mo_default_hull_def();
  mo_hull *hull;
  def.positions = corners;
  def.position_count = sizeof corners / sizeof *corners;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  return hull;
}

Test(mesh_height, contacts_impacts_and_characters) {
  rng r = rng_make(rng_seed("mesh_height/contacts", 31));
  mo_hull *hull = make_hull();
  uint32_t count = 0;
  for (uint64_t i = 0; i < rng_few_rounds(100, 20000); i++) {
    two_scenes s = make_scenes(&r, hull);
    for (int k = 0; k < 10; k++) {
      count += check_collisions(&s, &r, hull);
      check_character(&s, &r);
    }
    check_impacts(&s, &r);
    free_scenes(&s);
  }
  cr_assert_gt(count, 200);
  mo_hull_release(hull);
}

static void check_events(const heights *h, const mo_contact_events *a, const mo_contact_events *b) {
  cr_assert_eq(a->contact_count, b->contact_count);
  cr_assert_eq(a->begin_count, b->begin_count);
  cr_assert_eq(a->end_count, b->end_count);
  for (uint32_t i = 0; i < a->contact_count; i++) {
    check_contact(h, &a->contacts[i].contact, &b->contacts[i].contact);
    cr_assert(!has_same_numbers(h) || a->contacts[i].kept == b->contacts[i].kept);
    cr_assert(a->contacts[i].touching == b->contacts[i].touching &&
              a->contacts[i].unchanged == b->contacts[i].unchanged);
  }
}

/* Bodies move about for some steps. */
Test(mesh_height, trackers) {
  rng r = rng_make(rng_seed("mesh_height/trackers", 32));
  mo_hull *hull = make_hull();
  for (uint64_t i = 0; i < rng_few_rounds(30, 5000); i++) {
    two_scenes s = make_scenes(&r, hull);
    mo_contact_tracker *tracker[2];
    for (int side = 0; side < 2; side++) {
      mo_contact_tracker_def def = mo_default_contact_tracker_def();
      cr_assert_eq(mo_contact_tracker_create(s.scene[side], &def, &tracker[side]), MO_OK);
    }
    for (int step = 0; step < 4; step++) {
      mo_contact_events events[2];
      for (int k = 0; k < BODIES; k++) {
        const mo_transform pose = any_pose(&s, &r);
        for (int side = 0; side < 2 && k % 2 == step % 2; side++) {
          cr_assert_eq(mo_scene_set_transform(s.scene[side], s.body[side][k], &pose), MO_OK);
        }
      }
      for (int side = 0; side < 2; side++) {
        cr_assert_eq(mo_scene_update(s.scene[side], NULL), MO_OK);
        cr_assert_eq(mo_contact_tracker_update(tracker[side], &events[side]), MO_OK);
      }
      check_events(&s.h, &events[0], &events[1]);
    }
    mo_contact_tracker_destroy(tracker[0]);
    mo_contact_tracker_destroy(tracker[1]);
    free_scenes(&s);
  }
  mo_hull_release(hull);
}

/* A ball at rest on a field gets its contacts anew when the ground below is lowered and raised. */
Test(mesh_height, contacts_follow_edits) {
  float samples[25] = {0};
  mo_height_field_def def = mo_default_height_field_def();
  mo_mesh *field;
  mo_scene *scene;
  mo_scene_def scene_def = mo_default_scene_def();
  mo_contact_tracker *tracker;
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  mo_shape_id ground, ball;
  mo_contact_events events;
  def.columns = def.rows = 5;
  def.samples = samples;
  cr_assert_eq(mo_mesh_create_height_field(&def, &field), MO_OK);
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = field;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &ground), MO_OK);
  shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.geometry.sphere.radius = 0.5f;
  shape.transform.origin = (mo_vec3){2, 0.5f, 2};
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &ball), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(scene, &tracker_def, &tracker), MO_OK);
  mo_height_edit edit = mo_default_height_edit();
  edit.columns = edit.rows = 5;
  edit.samples = samples;
  for (int step = 0; step < 6; step++) {
    const float height = step % 2 == 0 ? 0.0f : -0.25f;
    for (int i = 0; i < 25; i++) {
      samples[i] = step < 4 ? height : i == 12 ? 0.125f : 0.0f;
    }
    cr_assert_eq(mo_mesh_edit_heights(field, &edit), MO_OK);
    cr_assert_eq(mo_scene_refresh_shape(scene, ground), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(events.contact_count, step < 4 && step % 2 == 1 ? 0 : 1, "step %d", step);
    if (events.contact_count > 0) {
      const float expected = step < 4 ? 0.0f : -0.125f;
      cr_assert_float_eq(events.contacts[0].contact.manifold.points[0].separation, expected, 1e-6f);
    }
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  mo_mesh_release(field);
}

/* If the bounds of the field stay, it is enough to refresh the shapes near the edited region. */
Test(mesh_height, contacts_near_an_edit_follow_it) {
  float samples[18 * 5] = {0};
  mo_height_field_def def = mo_default_height_field_def();
  mo_mesh *field;
  mo_scene *scene;
  mo_scene_def scene_def = mo_default_scene_def();
  mo_contact_tracker *tracker;
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  mo_shape_id ground, balls[2], found[4];
  mo_contact_events events;
  uint32_t total;
  samples[0] = 1;
  samples[4 * 18] = -1;
  def.columns = 18;
  def.rows = 5;
  def.samples = samples;
  cr_assert_eq(mo_mesh_create_height_field(&def, &field), MO_OK);
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = field;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &ground), MO_OK);
  for (int i = 0; i < 2; i++) {
    shape = mo_default_shape_def(MO_SHAPE_SPHERE);
    shape.geometry.sphere.radius = 0.5f;
    shape.transform.origin = (mo_vec3){i == 0 ? 4.0f : 14.0f, 0.5f, 2};
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &balls[i]), MO_OK);
  }
  cr_assert_eq(mo_contact_tracker_create(scene, &tracker_def, &tracker), MO_OK);
  cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.contact_count, 2);
  const float raised = 0.0625f;
  mo_height_edit edit = mo_default_height_edit();
  edit.column = 4;
  edit.row = 2;
  edit.columns = edit.rows = 1;
  edit.samples = &raised;
  const mo_aabb before = mo_mesh_bounds(field);
  cr_assert_eq(mo_mesh_edit_heights(field, &edit), MO_OK);
  const mo_aabb after = mo_mesh_bounds(field);
  cr_assert_eq(memcmp(&before, &after, sizeof before), 0);
  const mo_overlap_def near = mo_overlap_aabb_def((mo_aabb){{3, -2, 1}, {5, 2, 3}});
  cr_assert_eq(mo_scene_overlap_shapes(scene, &near, found, 4, &total, NULL), MO_OK);
  for (uint32_t i = 0; i < total; i++) {
    if (found[i].index != ground.index) {
      cr_assert_eq(found[i].index, balls[0].index);
      cr_assert_eq(mo_contact_tracker_refresh_shape(tracker, found[i]), MO_OK);
    }
  }
  cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
  cr_assert_eq(events.contact_count, 2);
  for (uint32_t i = 0; i < 2; i++) {
    const mo_tracked_contact *c = &events.contacts[i];
    const bool is_near = c->contact.b.index == balls[0].index;
    cr_assert_float_eq(c->contact.manifold.points[0].separation, is_near ? -raised : 0.0f, 1e-6f);
    cr_assert_eq(c->unchanged, !is_near);
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  mo_mesh_release(field);
}
