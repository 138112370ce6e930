/* Scenes that are stepped by the solver of demos/step.c. Included once, by the test itself. */
#ifndef TEST_CONTACT_STEPPING_H
#define TEST_CONTACT_STEPPING_H

#define main step_main
__attribute__((unused)) static int step_main(void);
#include "../demos/step.c"
#undef main

static mo_scene *scene;
static mo_contact_tracker *tracker;

static void begin_with_friction(float friction) {
  mo_scene_def def = mo_default_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  check(mo_scene_create(&def, &scene));
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  tracker_def.material.friction = friction;
  check(mo_contact_tracker_create(scene, &tracker_def, &tracker));
  body_count = 0;
}

static void end(void) {
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

#endif
