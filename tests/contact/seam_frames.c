/* Seams of boxes that are written in other frames: their centres are anywhere, and their frames are
 * scaled. That changes no answer. */
#include <criterion/criterion.h>

#include "contact/floors.h"
#include "contact/tracking.h"
#include "math/vector.h"
#include "support/rng.h"

static mo_geometry any_body(rng *r) {
  switch (rng_below(r, 4)) {
  case 0:
    return sphere_of(mo_vec(0, 0, 0), rng_float(r, 0.2f, 0.6f));
  case 1:
    return capsule_of(rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.4f));
  case 2:
    return cylinder_of(rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.6f));
  default:
    return box_of(rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.6f), rng_float(r, 0.2f, 0.6f));
  }
}

/* Five by five boxes of different heights, side by side, with a tracker; and a body. `written`: the
 * boxes have their centres anywhere in their own frames, which are scaled, by powers of two. */
static mo_scene *floor_of_boxes(rng r, bool written, mo_geometry body, mo_shape_id *id,
                                mo_contact_tracker **tracker) {
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  for (int i = 0; i < 25; i++) {
    const mo_vec3 at = {(float)(i % 5), -0.5f - 0.25f * (float)rng_below(&r, 2), (float)(i / 5)};
    float scale[3], center[3];
    for (int axis = 0; axis < 3; axis++) {
      scale[axis] = rng_chance(&r, 0.5) ? 0.03125f : 32;
      scale[axis] *= rng_chance(&r, 0.3) ? -1 : 1;
      center[axis] = 0.125f * (float)rng_below(&r, 8);
      scale[axis] = written ? scale[axis] : 1;
      center[axis] = written ? center[axis] : 0;
    }
    mo_geometry box =
        box_of(0.5f / fabsf(scale[0]), 0.5f / fabsf(scale[1]), 0.5f / fabsf(scale[2]));
    box.box.center = mo_vec(center[0], center[1], center[2]);
    const mo_vec3 origin = {at.x - scale[0] * center[0], at.y - scale[1] * center[1],
                            at.z - scale[2] * center[2]};
    const mo_transform map =
        mo_transform_make(origin, (mo_quat){0, 0, 0, 1}, mo_vec(scale[0], scale[1], scale[2]));
    const mo_shape_id tile = add(scene, box, 0, 0, 0);
    cr_assert_eq(mo_scene_set_transform(scene, tile, &map), MO_OK);
    cr_assert_eq(mo_scene_set_motion(scene, &tile, 1, MO_MOTION_STATIC, NULL), MO_OK);
  }
  *id = add(scene, body, 0, 0, 0);
  cr_assert_eq(mo_scene_set_margin(scene, *id, 0.01f), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, tracker), MO_OK);
  return scene;
}

enum { MAX_NEAR = 32 };

/* The contacts of which a point is nearer than 5 mm: bounds of boxes in other frames are larger, so
 * that there may be others. */
static uint32_t list_near(mo_contact_tracker *tracker, mo_contact *near) {
  const mo_contact_events events = update(tracker);
  uint32_t count = 0;
  for (uint32_t i = 0; i < events.contact_count; i++) {
    if (min_separation(&events.contacts[i].contact.manifold) < 0.005f) {
      cr_assert_lt(count, MAX_NEAR);
      near[count++] = events.contacts[i].contact;
    }
  }
  return count;
}

/* How a box is written in its own frame does not matter: the same points are hidden. */
Test(contact_seams, boxes_in_other_frames_are_the_same_floor) {
  rng r = rng_make(rng_seed("contact_seams/frames", 964));
  uint64_t points = 0, rounds = rng_few_rounds(12, 400);
  for (uint64_t round = 0; round < rounds; round++) {
    const mo_geometry body = any_body(&r);
    mo_scene *scene[2];
    mo_contact_tracker *tracker[2];
    mo_shape_id id[2];
    for (int k = 0; k < 2; k++) {
      scene[k] = floor_of_boxes(r, k == 1, body, &id[k], &tracker[k]);
    }
    for (int pose = 0; pose < 20; pose++) {
      const float x = rng_float(&r, 1, 3), y = rng_float(&r, 0.1f, 0.6f), z = rng_float(&r, 1, 3);
      const double angle = (double)rng_float(&r, 0, pose & 1 ? 0.015f : 0.1f);
      const mo_vec3 at = {x, y, z};
      const mo_quat turn = turned(rng_direction(&r), angle);
      const mo_transform map = mo_transform_make(at, turn, mo_vec(1, 1, 1));
      mo_contact near[2][MAX_NEAR];
      uint32_t count[2];
      for (int k = 0; k < 2; k++) {
        cr_assert_eq(mo_scene_set_transform(scene[k], id[k], &map), MO_OK);
        cr_assert_eq(mo_scene_update(scene[k], NULL), MO_OK);
        count[k] = list_near(tracker[k], near[k]);
      }
      cr_assert_eq(count[0], count[1]);
      for (uint32_t i = 0; i < count[0]; i++) {
        const mo_manifold *m = &near[0][i].manifold, *n = &near[1][i].manifold;
        cr_assert(m->point_count == n->point_count && mo_dot(m->normal, n->normal) > 0.9999f);
        points += m->point_count;
      }
    }
    for (int k = 0; k < 2; k++) {
      mo_contact_tracker_destroy(tracker[k]);
      mo_scene_destroy(scene[k]);
    }
  }
  cr_assert_gt(points, 16 * rounds);
}
