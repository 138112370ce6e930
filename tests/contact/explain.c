/* The log says which rules make and remove the contacts of a tracker
 * (mo_contact_tracker_def::log_categories): a line for each contact with a mesh and for each one
 * that is removed, lines for points that are hidden at seams, merged, or too far away; and nothing
 * where it is not asked. What is told does not change a contact. */
#include <stdio.h>
#include <string.h>

#include "contact/floors.h"
#include "contact/tracking.h"

enum { MAX_LINES = 4096, SHOWN = 16 };

typedef struct told_log {
  uint32_t count;
  char lines[MAX_LINES][256];
} told_log;

static void listen(mo_log_level level, const char *message, void *context) {
  told_log *l = context;
  if (level == MO_LOG_DEBUG) {
    cr_assert_lt(l->count, MAX_LINES);
    cr_assert_eq(strncmp(message, "contact rule: slots ", 20), 0, "%s", message);
    snprintf(l->lines[l->count++], sizeof l->lines[0], "%s", message);
  }
}

static uint32_t lines_with(const told_log *l, const char *text) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    count += strstr(l->lines[i], text) != NULL;
  }
  return count;
}

/* Whether a line says of a triangle one of two things. */
static bool is_told(const told_log *l, uint32_t triangle, const char *one, const char *other) {
  char begin[64];
  snprintf(begin, sizeof begin, "triangle %u: ", triangle);
  for (uint32_t i = 0; i < l->count; i++) {
    const char *at = strstr(l->lines[i], begin);
    at = at != NULL ? at + strlen(begin) : NULL;
    if (at != NULL && (strncmp(at, one, strlen(one)) == 0 ||
                       (other != NULL && strncmp(at, other, strlen(other)) == 0))) {
      return true;
    }
  }
  return false;
}

static mo_scene *scene_of(told_log *l) {
  mo_host host = mo_default_host();
  host.log = listen;
  host.log_context = l;
  l->count = 0;
  return scene_with(&host);
}

static mo_shape_id add_shown(mo_scene *scene, mo_geometry geometry, mo_motion motion, float x,
                             float y, float z) {
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.category = SHOWN | 1;
  def.motion = motion;
  def.margin = 0.1f;
  def.transform.origin = mo_vec(x, y, z);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

static mo_contact_tracker *tracker_of(mo_scene *scene, uint64_t log_categories) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.log_categories = log_categories;
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  return tracker;
}

/* Bodies of several kinds in random places on bent ground: each contact has a line that says why it
 * is there, and what a line says was removed is no contact, unless it stands for a plane. */
Test(contact_explain, every_contact_of_a_mesh) {
  static told_log l, silent;
  rng r = rng_make(rng_seed("contact_explain/mesh", 3201));
  test_mesh mesh = test_mesh_make(TEST_MESH_TERRAIN, 200, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.edges = true;
  mo_mesh *ground;
  cr_assert_eq(mo_mesh_create(&def, &ground), MO_OK);
  const mo_geometry bodies[] = {sphere_of(mo_vec(0, 0, 0), 0.3f), capsule_of(0.5f, 0.2f),
                                box_of(0.5f, 0.1f, 0.3f), hull_of(TEST_HULL_BALL)};
  static const char *verdicts[] = {": kept, on its face",
                                   ": kept, on an edge or vertex",
                                   ": removed, hidden by a nearer triangle",
                                   ": removed, another triangle has the same contact",
                                   ": removed, rejected and resolved",
                                   ": made along its face"};
  enum { VERDICTS = sizeof verdicts / sizeof *verdicts };
  uint32_t contacts = 0, of_planes = 0, kept = 0, told[VERDICTS] = {0};
  const uint64_t rounds = rng_rounds(3000, 30000);
  for (uint64_t round = 0; round < rounds; round++) {
    mo_contact_tracker *trackers[2];
    mo_contact_events events[2];
    mo_scene *scenes[2];
    const mo_vec3 at = rng_vec3(&r, -0.9f, 0.9f);
    const float height = rng_float(&r, -0.2f, 0.6f);
    const mo_quat turn = rng_rotation(&r);
    for (int k = 0; k < 2; k++) {
      scenes[k] = scene_of(k == 0 ? &l : &silent);
      const mo_geometry floor = {.type = MO_SHAPE_MESH, .mesh = ground};
      mo_transform place =
          mo_transform_make(mo_vec(5 * at.x, height, 5 * at.z), turn, mo_vec(1, 1, 1));
      mo_transform flat =
          mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1}, mo_vec(5, 5, 5));
      mo_shape_id ids[2] = {add_shown(scenes[k], floor, MO_MOTION_STATIC, 0, 0, 0),
                            add_shown(scenes[k], bodies[round % 4], MO_MOTION_DYNAMIC, 0, 0, 0)};
      cr_assert_eq(mo_scene_set_transform(scenes[k], ids[0], &flat), MO_OK);
      cr_assert_eq(mo_scene_set_transform(scenes[k], ids[1], &place), MO_OK);
      cr_assert_eq(mo_scene_update(scenes[k], NULL), MO_OK);
      trackers[k] = tracker_of(scenes[k], k == 0 ? SHOWN : 0);
      events[k] = update(trackers[k]);
    }
    cr_assert_eq(silent.count, 0);
    cr_assert_eq(events[0].contact_count, events[1].contact_count);
    for (uint32_t i = 0; i < events[0].contact_count; i++) {
      const mo_contact *c = &events[0].contacts[i].contact;
      cr_assert(same_contact(c, &events[1].contacts[i].contact));
      cr_assert(is_told(&l, c->triangle_a, "kept", "made") ||
                    is_told(&l, c->triangle_a, "stands for", NULL),
                "round %llu: nothing is told of triangle %u", (unsigned long long)round,
                c->triangle_a);
      cr_assert(!is_told(&l, c->triangle_a, "removed", NULL) ||
                    is_told(&l, c->triangle_a, "stands for", NULL),
                "round %llu: triangle %u was removed", (unsigned long long)round, c->triangle_a);
    }
    contacts += events[0].contact_count;
    for (int i = 0; i < VERDICTS; i++) {
      told[i] += lines_with(&l, verdicts[i]);
    }
    kept += lines_with(&l, ": kept") + lines_with(&l, ": made");
    of_planes += lines_with(&l, ": stands for");
    for (int k = 0; k < 2; k++) {
      mo_contact_tracker_destroy(trackers[k]);
      mo_scene_destroy(scenes[k]);
    }
  }
  cr_assert(contacts > 500 && kept >= contacts - of_planes, "%u, of which %u", contacts, kept);
  for (int i = 0; i < VERDICTS; i++) {
    cr_expect_gt(told[i], 0, "%s", verdicts[i]);
  }
  mo_mesh_release(ground);
  test_mesh_free(&mesh);
}

/* On a flat floor of many triangles: a ball over it is over one of them, and leans over those
 * beside; a box lies on many, of which one stands for all. */
Test(contact_explain, flat_floor) {
  static told_log l;
  rng r = rng_make(rng_seed("contact_explain/flat", 3202));
  const mo_transform none = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &none);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.edges = true;
  mo_mesh *floor;
  cr_assert_eq(mo_mesh_create(&def, &floor), MO_OK);
  for (int kind = 0; kind < 2; kind++) {
    mo_scene *scene = scene_of(&l);
    add_shown(scene, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = floor}, MO_MOTION_STATIC, 0, 0,
              0);
    add_shown(scene, kind == 0 ? sphere_of(mo_vec(0, 0, 0), 0.5f) : box_of(2, 0.5f, 2),
              MO_MOTION_DYNAMIC, 0.1f, 0.501f, 0.2f);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_contact_tracker *tracker = tracker_of(scene, SHOWN);
    mo_contact_events events = update(tracker);
    cr_assert_eq(events.contact_count, 1);
    const uint32_t name = events.contacts[0].contact.triangle_a;
    cr_assert(is_told(&l, name, "stands for", NULL));
    if (kind == 0) {
      cr_assert(is_told(&l, name, "kept, on its face", NULL));
      cr_assert_gt(lines_with(&l, ": removed, it leans over an edge beyond which the face goes on"),
                   0);
    } else {
      cr_assert_gt(lines_with(&l, ": kept, on its face"), 20);
    }
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
  mo_mesh_release(floor);
  test_mesh_free(&mesh);
}

static mo_geometry body_on_floor(rng *r) {
  switch (rng_below(r, 5)) {
  case 0:
    return sphere_of(mo_vec(0, 0, 0), 0.5f);
  case 1:
    return capsule_of(0.7f, 0.3f);
  case 2:
    return cylinder_of(0.4f, 0.6f);
  case 3:
    return box_of(0.9f, 0.05f, 0.7f);
  default:
    return box_of(0.5f, 0.5f, 0.5f);
  }
}

/* Where the log is off, contacts inside of flat floors take a short cut: they are the same, however
 * deep the body is. */
Test(contact_explain, flat_floors_have_the_same_contacts) {
  static told_log l, silent;
  rng r = rng_make(rng_seed("contact_explain/same", 3203));
  const mo_transform none = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &none);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.edges = true;
  mo_mesh *floor;
  cr_assert_eq(mo_mesh_create(&def, &floor), MO_OK);
  uint32_t contacts = 0;
  for (uint64_t round = rng_rounds(3000, 50000); round > 0; round--) {
    const mo_geometry body = body_on_floor(&r);
    const bool upright = rng_chance(&r, 0.6);
    const mo_vec3 axis = upright ? mo_vec(0, 1, 0) : rng_direction(&r);
    const mo_quat turn = turned(axis, (double)rng_float(&r, 0, round % 2 == 0 ? 0.02f : 6));
    const float x = rng_float(&r, -1, 1), y = rng_float(&r, -0.2f, 0.6f), z = rng_float(&r, -1, 1);
    const mo_transform place = mo_transform_make(mo_vec(x, y, z), turn, mo_vec(1, 1, 1));
    mo_contact_tracker *trackers[2];
    mo_contact_events events[2];
    mo_scene *scenes[2];
    for (int k = 0; k < 2; k++) {
      scenes[k] = scene_of(k == 0 ? &l : &silent);
      add_shown(scenes[k], (mo_geometry){.type = MO_SHAPE_MESH, .mesh = floor}, MO_MOTION_STATIC, 0,
                0, 0);
      const mo_shape_id id = add_shown(scenes[k], body, MO_MOTION_DYNAMIC, 0, 0, 0);
      cr_assert_eq(mo_scene_set_transform(scenes[k], id, &place), MO_OK);
      cr_assert_eq(mo_scene_update(scenes[k], NULL), MO_OK);
      trackers[k] = tracker_of(scenes[k], k == 0 ? SHOWN : 0);
      events[k] = update(trackers[k]);
    }
    cr_assert_eq(events[0].contact_count, events[1].contact_count, "%u and %u at %g %g %g",
                 events[0].contact_count, events[1].contact_count, (double)x, (double)y, (double)z);
    for (uint32_t i = 0; i < events[0].contact_count; i++) {
      cr_assert(same_contact(&events[0].contacts[i].contact, &events[1].contacts[i].contact),
                "%llu rounds left: type %d at %g %g %g", (unsigned long long)round, (int)body.type,
                (double)x, (double)y, (double)z);
    }
    contacts += events[0].contact_count;
    for (int k = 0; k < 2; k++) {
      mo_contact_tracker_destroy(trackers[k]);
      mo_scene_destroy(scenes[k]);
    }
  }
  cr_assert_gt(contacts, 500);
  mo_mesh_release(floor);
  test_mesh_free(&mesh);
}

/* A ball on the border of two boxes. */
Test(contact_explain, seams) {
  static told_log l;
  mo_scene *scene = scene_of(&l);
  add_shown(scene, box_of(1, 0.5f, 1), MO_MOTION_STATIC, -1, -0.5f, 0);
  add_shown(scene, box_of(1, 0.5f, 1), MO_MOTION_STATIC, 1, -0.5f, 0);
  add_shown(scene, sphere_of(mo_vec(0, 0, 0), 0.5f), MO_MOTION_DYNAMIC, -0.05f, 0.499f, 0);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_tracker *tracker = tracker_of(scene, SHOWN);
  mo_contact_events events = update(tracker);
  cr_assert_eq(events.contact_count, 1);
  cr_assert_eq(l.count, 1);
  cr_assert_str_eq(l.lines[0], "contact rule: slots 1 and 2, points 0x1: removed, at a seam on "
                               "which the face of slot 0 supports slot 2");
  mo_contact_tracker_destroy(tracker);
  /* Of shapes that are not asked about, nothing is told. */
  l.count = 0;
  tracker = tracker_of(scene, 2 * SHOWN);
  update(tracker);
  cr_assert_eq(l.count, 0);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

Test(contact_explain, merged_points) {
  static told_log l;
  mo_scene *scene = scene_of(&l);
  add_shown(scene, box_of(4, 0.5f, 4), MO_MOTION_STATIC, 0, -0.5f, 0);
  for (int i = 0; i < 2; i++) {
    const mo_shape_id id =
        add_shown(scene, box_of(0.5f, 0.5f, 0.5f), MO_MOTION_DYNAMIC, (float)i, 0.5f, 0);
    cr_assert_eq(mo_scene_set_body(scene, id, 7), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.merge_coplanar = true;
  def.log_categories = SHOWN;
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  update(tracker);
  cr_assert_eq(l.count, 2); /* each box lost two of its four points */
  cr_assert_eq(lines_with(&l, "removed, merged with others of both bodies"), 2);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* A ball that comes down beside a wall, fast: contacts ahead of it are kept, that with the wall is
 * told to be too far away. */
Test(contact_explain, slow_approach) {
  static told_log l;
  mo_scene *scene = scene_of(&l);
  add_shown(scene, box_of(4, 0.5f, 4), MO_MOTION_STATIC, 0, -0.5f, 0);
  add_shown(scene, box_of(0.5f, 4, 4), MO_MOTION_STATIC, 1.1f, 4, 0);
  const mo_shape_id ball =
      add_shown(scene, sphere_of(mo_vec(0, 0, 0), 0.5f), MO_MOTION_DYNAMIC, 0, 0.7f, 0);
  cr_assert_eq(mo_scene_set_margin(scene, ball, 1), MO_OK);
  const mo_vec3 place = mo_vec(0, 0.7f, 0), velocity = mo_vec(0, -0.5f, 0);
  mo_update_def step = mo_default_update_def();
  step.ids = &ball;
  step.origins = &place;
  step.velocities = &velocity;
  step.lookahead = 1;
  step.count = 1;
  cr_assert_eq(mo_scene_update(scene, &step), MO_OK);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.max_speculative_distance = 1;
  def.log_categories = SHOWN;
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  mo_contact_events events = update(tracker);
  cr_assert_eq(events.contact_count, 1);
  cr_assert_eq(lines_with(&l, "slots 1 and 2, points 0x1: removed, too far away for how fast"), 1);
  cr_assert_eq(l.count, 1);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}
