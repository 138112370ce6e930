/* Contacts worked out by many threads, or by tasks in another order, are those of one thread, to
 * the last bit. A plain program, because Criterion does not start under the thread sanitizer. */
#include <motte/contact_tracker.h>

#include "support/plain.h"
#include "support/rng.h"

enum { COUNT = 300, FRAMES = 4 };

static mo_shape_def random_shape(rng *r) {
  static const mo_shape_type types[4] = {MO_SHAPE_BOX, MO_SHAPE_SPHERE, MO_SHAPE_CAPSULE,
                                         MO_SHAPE_CYLINDER};
  mo_shape_def def = mo_default_shape_def(types[rng_below(r, 4)]);
  def.transform.origin = rng_vec3(r, -5, 5);
  return def;
}

static uint64_t hash_contact(uint64_t sum, const mo_tracked_contact *c) {
  const mo_manifold *m = &c->contact.manifold;
  sum = fnv1a(sum, &c->contact.a, sizeof c->contact.a);
  sum = fnv1a(sum, &c->contact.b, sizeof c->contact.b);
  sum = fnv1a(sum, &c->kept, sizeof c->kept);
  for (uint32_t i = 0; i < m->point_count; i++) {
    sum = fnv1a(sum, &m->points[i].position, sizeof m->points[i].position);
    sum = fnv1a(sum, &m->points[i].separation, sizeof m->points[i].separation);
    sum = fnv1a(sum, &m->points[i].id, sizeof m->points[i].id);
    sum = fnv1a(sum, &c->memory[i], sizeof c->memory[i]);
  }
  return sum;
}

/* All contacts and events of some frames, with memory that is written in between. */
static uint64_t run(uint64_t seed, mo_tree_policy policy, mo_tasks tasks) {
  rng r = rng_make(seed);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.policy = policy;
  scene_def.host.tasks = tasks;
  mo_scene *scene;
  mo_contact_tracker *tracker;
  need(mo_scene_create(&scene_def, &scene), "make a scene");
  need(mo_contact_tracker_create(scene, NULL, &tracker), "make a tracker");
  mo_shape_id ids[COUNT];
  for (int i = 0; i < COUNT; i++) {
    mo_shape_def def = random_shape(&r);
    need(mo_scene_add_shape(scene, &def, &ids[i]), "add a shape");
  }
  uint64_t sum = FNV1A_BEGIN;
  for (int frame = 0; frame < FRAMES; frame++) {
    mo_contact_events events;
    need(mo_scene_update(scene, NULL), "update");
    need(mo_contact_tracker_update(tracker, &events), "find contacts");
    sum = fnv1a(sum, events.begins, events.begin_count * sizeof(mo_pair));
    sum = fnv1a(sum, events.ends, events.end_count * sizeof(mo_pair));
    for (uint32_t i = 0; i < events.contact_count; i++) {
      sum = hash_contact(sum, &events.contacts[i]);
      events.contacts[i].memory[0].values[frame % 4] += (float)i;
    }
    for (int i = 0; i < COUNT / 3; i++) {
      mo_transform transform = mo_transform_identity();
      transform.origin = rng_vec3(&r, -5, 5);
      need(mo_scene_set_transform(scene, ids[rng_below(&r, COUNT)], &transform), "move");
    }
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return sum;
}

int main(void) {
  static const uint32_t workers[] = {2, 8, 0};
  return count_differences(run, rng_seed("contact/threads", 914), workers) == 0 ? 0 : 1;
}
