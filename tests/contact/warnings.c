/* What contact trackers tell the log of defaults that surprise: no margin, and meshes without
 * edges. */
#include <stdio.h>
#include <string.h>

#include "contact/floors.h"
#include "contact/tracking.h"

/* The lines of a log. */
typedef struct lines {
  uint32_t count;
  char last[256];
} lines;

static void listen(mo_log_level level, const char *message, void *context) {
  lines *l = context;
  cr_assert_eq(level, MO_LOG_WARNING);
  l->count++;
  strncpy(l->last, message, sizeof l->last - 1);
}

static mo_scene *scene_that_logs(lines *l, float margin) {
  *l = (lines){.count = 0};
  mo_scene_def def = mo_default_scene_def();
  def.margin = margin;
  def.host.log = listen;
  def.host.log_context = l;
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  return scene;
}

static void add_box(mo_scene *scene, float y, float margin) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry = box_of(0.5f, 0.5f, 0.5f);
  def.transform.origin.y = y;
  def.margin = margin;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
}

static mo_contact_tracker *tracker_for(mo_scene *scene, float distance) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.speculative_distance = distance;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  return tracker;
}

Test(contact_warnings, margins_that_are_far_too_small) {
  static const struct {
    float of_scene, of_shape, distance;
    bool told;
  } cases[] = {
      {0, MO_MARGIN_OF_SCENE, 0.02f, true},
      {0.001f, MO_MARGIN_OF_SCENE, 0.02f, true},
      {MO_CONTACT_MARGIN, MO_MARGIN_OF_SCENE, 0.02f, false},
      {0.006f, MO_MARGIN_OF_SCENE, 0.02f, false},
      {0, 0.01f, 0.02f, false}, /* shapes have margins of their own */
      {0, MO_MARGIN_OF_SCENE, 0, false},
      {MO_CONTACT_MARGIN, MO_MARGIN_OF_SCENE, 1, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lines l;
    mo_scene *scene = scene_that_logs(&l, cases[i].of_scene);
    add_box(scene, 0, cases[i].of_shape);
    mo_contact_tracker *tracker = tracker_for(scene, cases[i].distance);
    cr_assert_eq(l.count, cases[i].told, "case %zu", i);
    cr_assert(!cases[i].told || strstr(l.last, "mo_contact_tracker_create: the margin") == l.last);
    update(tracker);
    update(tracker);
    cr_assert_eq(l.count, cases[i].told, "once");
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
}

static mo_shape_id add_floor(mo_scene *scene, bool edges) {
  rng r = rng_make(1);
  const mo_transform identity = mo_transform_identity();
  test_mesh flat = floor_mesh(&r, &identity);
  mo_mesh_def mesh_def = test_mesh_def(&flat);
  mesh_def.build.edges = edges;
  mo_mesh *mesh = NULL;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  def.motion = MO_MOTION_STATIC;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_mesh_release(mesh);
  test_mesh_free(&flat);
  return id;
}

/* Of a mesh without edges that has contacts, once per tracker; not of one with edges, nor while
 * nothing touches it. */
Test(contact_warnings, meshes_without_edges) {
  for (int edges = 0; edges < 2; edges++) {
    lines l;
    mo_scene *scene = scene_that_logs(&l, MO_CONTACT_MARGIN);
    mo_shape_id floor = add_floor(scene, edges);
    mo_contact_tracker *trackers[2] = {tracker_for(scene, 0.02f), tracker_for(scene, 0.02f)};
    update(trackers[0]);
    cr_assert_eq(l.count, 0);
    add_box(scene, 0.5f, MO_MARGIN_OF_SCENE);
    for (int i = 0; i < 2; i++) {
      cr_assert_gt(update(trackers[i]).contact_count, 0);
      cr_assert_eq(l.count, edges ? 0u : (uint32_t)i + 1);
      cr_assert_eq(mo_contact_tracker_refresh_shape(trackers[i], floor), MO_OK);
      update(trackers[i]);
      cr_assert_eq(l.count, edges ? 0u : (uint32_t)i + 1, "once");
    }
    char told[64];
    snprintf(told, sizeof told, "shape {index %u, generation %u} is a mesh without", floor.index,
             floor.generation);
    cr_assert(edges || strstr(l.last, told) != NULL, "%s", l.last);
    mo_contact_tracker_destroy(trackers[0]);
    mo_contact_tracker_destroy(trackers[1]);
    mo_scene_destroy(scene);
  }
}

/* Edges make no difference for sensors and half-spaces. */
Test(contact_warnings, edges_that_do_not_matter) {
  lines l;
  mo_scene *scene = scene_that_logs(&l, MO_CONTACT_MARGIN);
  mo_shape_id floor = add_floor(scene, false);
  cr_assert_eq(mo_scene_set_motion(scene, &floor, 1, MO_MOTION_DYNAMIC, NULL), MO_OK);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.category = 8;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  tracker_def.sensor_categories = 8;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &tracker_def, &tracker), MO_OK);
  cr_assert_gt(update(tracker).contact_count, 1);
  cr_assert_eq(l.count, 0, "%s", l.last);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}
