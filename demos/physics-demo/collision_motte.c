#include "common/check.h"
#include "common/clock.h"
#include "common/vector.h"
#include "physics-demo/collision.h"

/* Contacts are sorted by their shapes: those of two bodies lie side by side, one for each triangle
 * or flat part. */
static void make_joints(struct world *world, const mo_contact_events *events,
                        struct step_costs *costs) {
  struct touch points[MAX_TOUCHES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *contact = &events->contacts[i].contact;
    const mo_manifold *manifold = &contact->manifold;
    for (uint32_t k = 0; k < manifold->point_count && count < MAX_TOUCHES; k++) {
      points[count++] = (struct touch){manifold->points[k].position, manifold->normal,
                                       manifold->points[k].separation};
    }
    const mo_contact *next = contact;
    if (i + 1 < events->contact_count) {
      next = &events->contacts[i + 1].contact;
    }
    if (next == contact || next->a.index != contact->a.index || next->b.index != contact->b.index) {
      const uint64_t bodies[2] = {contact->user_data_a, contact->user_data_b};
      join_bodies(world, bodies, points, count, costs);
      count = 0;
    }
  }
}

void collide_by_motte(struct world *world, struct step_costs *costs) {
  double start = processor_seconds();
  world_update_shapes(world);
  double updated = processor_seconds();
  costs->update = updated - start;
  if (world->pairs != NULL) {
    check(mo_pair_tracker_update(world->pairs, NULL), "find the pairs");
    costs->pairs = processor_seconds() - updated;
  }
  start = processor_seconds();
  mo_contact_events events;
  check(mo_contact_tracker_update(world->tracker, &events), "find the contacts");
  costs->contacts = processor_seconds() - start - costs->pairs;
  mo_contact_tracker_stats stats;
  check(mo_contact_tracker_get_stats(world->tracker, &stats), "count the pairs");
  costs->pair_count = stats.pair_count;
  make_joints(world, &events, costs);
}
