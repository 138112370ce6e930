/* A large ball on a floor and on a much smaller ball that is set into the floor: the part of it
 * that stands out of the floor is in the way, however small it is for the large ball. Judged by the
 * geometry of balls and a plane alone. */
#include <criterion/criterion.h>
#include <math.h>

#include "contact/tracking.h"
#include "support/rng.h"

/* Makes a body at (0, height, 0) over a floor with its top at y = 0, and a pebble whose centre is
 * at (x, y, 0). Returns the deepest point of the contact of pebble and body; 1 without contact. */
static float pebble_separation(float radius, float height, float pebble, float x, float y,
                               bool is_static) {
  const mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  const mo_shape_id ids[3] = {add(scene, box_of(50, 1, 50), 0, -1, 0),
                              add(scene, sphere_of(mo_vec(0, 0, 0), pebble), x, y, 0),
                              add(scene, sphere_of(mo_vec(0, 0, 0), radius), 0, height, 0)};
  cr_assert_eq(mo_scene_set_motion(scene, ids, is_static ? 2 : 1, MO_MOTION_STATIC, NULL), MO_OK);
  cr_assert_eq(mo_scene_set_margin(scene, ids[2], MO_CONTACT_MARGIN), MO_OK);
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  const mo_contact_events events = update(tracker);
  float deepest = 1;
  bool on_floor = false;
  for (uint32_t i = 0; i < events.contact_count; i++) {
    const mo_contact *c = &events.contacts[i].contact;
    on_floor = on_floor || (same_id(c->a, ids[0]) && same_id(c->b, ids[2]));
    if (same_id(c->a, ids[1]) && same_id(c->b, ids[2]) && c->manifold.point_count > 0) {
      deepest = c->manifold.points[0].separation;
    }
  }
  cr_assert(on_floor);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return deepest;
}

Test(contact_seam_pebbles, under_large_balls_stay) {
  rng r = rng_make(rng_seed("contact_seam_pebbles", 8121));
  for (uint64_t i = 0, rounds = rng_rounds(400, 20000); i < rounds; i++) {
    const float radius = rng_float(&r, 1, 8), pebble = radius * rng_float(&r, 0.002f, 0.01f);
    const float top = fminf(radius / 512, pebble) * rng_float(&r, 0.2f, 0.9f);
    const float depth = top * rng_float(&r, 0.02f, 0.2f);
    /* The ball touches the floor, and overlaps the pebble by `depth`. */
    const float up = radius - (top - pebble), reach = radius + pebble - depth;
    const float x = sqrtf(reach * reach - up * up);
    const float found =
        pebble_separation(radius, radius, pebble, x, top - pebble, rng_chance(&r, 0.5));
    /* The lowest point of the overlap is above the floor, so the floor does not end it. */
    const float lowest = top - pebble + pebble * up / (radius + pebble);
    cr_assert(lowest < 0.1f * top || found < -0.5f * depth,
              "radius %g, pebble %g that stands out by %g: %g deep, found %g", (double)radius,
              (double)pebble, (double)top, (double)depth, (double)found);
  }
}
