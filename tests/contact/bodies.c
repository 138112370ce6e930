/* Bodies of several shapes, joints and kinematic shapes in contact trackers: islands and sleepers
 * against spreading over bodies, and by hand; memory. */
#include <stdlib.h>
#include <string.h>

#include "contact/tracking.h"
#include "support/counting_allocator.h"
#include "support/rng.h"

enum { COUNT = 160, JOINTS = 40, MAX = 4096 };

typedef struct stage {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id ids[COUNT]; /* null ids: removed */
  mo_shape_def defs[COUNT];
  bool moved[COUNT]; /* since the update before the last one */
  mo_pair joints[JOINTS];
  uint32_t joint_count;
} stage;

static mo_contact_tracker *tracker_of(mo_scene *scene) {
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  return tracker;
}

static void end(stage *s) {
  mo_contact_tracker_destroy(s->tracker);
  mo_scene_destroy(s->scene);
}

/* --- the oracle: labels of shapes, spread until nothing changes --- */

static uint32_t index_of(const stage *s, mo_shape_id id) {
  for (uint32_t i = 0; i < COUNT; i++) {
    if (s->ids[i].generation != 0 && same_id(s->ids[i], id)) {
      return i;
    }
  }
  return COUNT;
}

static bool is_immovable(const stage *s, uint32_t i) {
  return s->defs[i].motion == MO_MOTION_STATIC || s->defs[i].motion == MO_MOTION_KINEMATIC;
}

static bool moves_by_itself(const stage *s, uint32_t i) {
  return s->defs[i].motion == MO_MOTION_KINEMATIC && s->moved[i];
}

/* What connects two shapes: contacts, joints, bodies. */
typedef struct links {
  uint32_t a[MAX + JOINTS + COUNT * COUNT], b[MAX + JOINTS + COUNT * COUNT], count;
} links;

static void link_shapes(links *l, uint32_t a, uint32_t b) {
  cr_assert_lt(l->count, MAX + JOINTS + COUNT * COUNT);
  l->a[l->count] = a;
  l->b[l->count++] = b;
}

static void link_bodies(const stage *s, links *l) {
  for (uint32_t i = 0; i < COUNT; i++) {
    for (uint32_t k = i + 1; k < COUNT; k++) {
      if (s->ids[i].generation != 0 && s->ids[k].generation != 0 && s->defs[i].body != 0 &&
          s->defs[i].body == s->defs[k].body) {
        link_shapes(l, i, k);
      }
    }
  }
}

static bool is_joint_awake(const stage *s, const mo_pair *joint) {
  uint32_t a = index_of(s, joint->a), b = index_of(s, joint->b);
  return a < COUNT && b < COUNT &&
         (s->defs[a].motion == MO_MOTION_DYNAMIC || s->defs[b].motion == MO_MOTION_DYNAMIC ||
          moves_by_itself(s, a) || moves_by_itself(s, b));
}

/* Spreads labels over the links between shapes that `passes` lets through. */
static void spread(uint32_t label[COUNT], const links *l, const bool passes[COUNT]) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < l->count; i++) {
      uint32_t a = l->a[i], b = l->b[i];
      if (passes[a] && passes[b] && label[a] != label[b]) {
        label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
        changed = true;
      }
    }
  }
}

/* --- islands --- */

static uint32_t label_of_two(const stage *s, const uint32_t *label, mo_shape_id a, mo_shape_id b) {
  uint32_t i = index_of(s, a), k = index_of(s, b);
  return !is_immovable(s, i) ? label[i] : !is_immovable(s, k) ? label[k] : MO_NO_ISLAND;
}

static void check_islands(stage *s, const mo_contact_events *events) {
  static links all;
  all.count = 0;
  bool movable[COUNT], listed[COUNT] = {false};
  uint32_t label[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    movable[i] = s->ids[i].generation != 0 && !is_immovable(s, i);
    label[i] = s->ids[i].index;
  }
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    if (c->manifold.point_count > 0) {
      link_shapes(&all, index_of(s, c->a), index_of(s, c->b));
    }
  }
  for (uint32_t i = 0; i < s->joint_count; i++) {
    if (is_joint_awake(s, &s->joints[i])) {
      link_shapes(&all, index_of(s, s->joints[i].a), index_of(s, s->joints[i].b));
    }
  }
  const uint32_t connecting = all.count;
  link_bodies(s, &all);
  spread(label, &all, movable);
  /* Listed: whoever is movable and linked, and all that are movable of its body. */
  for (uint32_t i = 0; i < connecting; i++) {
    for (uint32_t k = 0; k < COUNT; k++) {
      listed[k] = listed[k] || (movable[k] && ((movable[all.a[i]] && label[k] == label[all.a[i]]) ||
                                               (movable[all.b[i]] && label[k] == label[all.b[i]])));
    }
  }
  mo_islands is;
  cr_assert_eq(mo_contact_tracker_find_islands(s->tracker, &is), MO_OK);
  uint32_t shapes = 0, last = 0;
  for (uint32_t i = 0; i < is.island_count; i++) {
    cr_assert_lt(is.starts[i], is.starts[i + 1]);
    const uint32_t lowest = is.shapes[is.starts[i]].index;
    cr_assert(i == 0 || lowest > last);
    last = lowest;
    bool awake = false;
    for (uint32_t k = is.starts[i]; k < is.starts[i + 1]; k++) {
      const uint32_t shape = index_of(s, is.shapes[k]);
      cr_assert(shape < COUNT && listed[shape] && label[shape] == lowest);
      cr_assert(k == is.starts[i] || is.shapes[k].index > is.shapes[k - 1].index);
      shapes++;
    }
    for (uint32_t k = 0; k < connecting; k++) {
      uint32_t a = all.a[k], b = all.b[k];
      awake = awake || (moves_by_itself(s, a) && movable[b] && label[b] == lowest) ||
              (moves_by_itself(s, b) && movable[a] && label[a] == lowest);
    }
    cr_assert_eq(is.kept_awake[i], awake);
  }
  uint32_t expected = 0;
  for (uint32_t i = 0; i < COUNT; i++) {
    expected += listed[i];
  }
  cr_assert_eq(shapes, expected);
  cr_assert_eq(is.shape_count, expected);
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    const uint32_t found = is.island_of_contact[i];
    const uint32_t wanted =
        c->manifold.point_count > 0 ? label_of_two(s, label, c->a, c->b) : MO_NO_ISLAND;
    cr_assert_eq(wanted == MO_NO_ISLAND ? MO_NO_ISLAND : is.shapes[is.starts[found]].index, wanted);
    cr_assert_eq(found == MO_NO_ISLAND, wanted == MO_NO_ISLAND);
  }
  for (uint32_t i = 0; i < s->joint_count; i++) {
    const uint32_t found = is.island_of_joint[i];
    const mo_pair *joint = &s->joints[i];
    const uint32_t wanted =
        is_joint_awake(s, joint) ? label_of_two(s, label, joint->a, joint->b) : MO_NO_ISLAND;
    cr_assert_eq(found == MO_NO_ISLAND, wanted == MO_NO_ISLAND);
    cr_assert(wanted == MO_NO_ISLAND || is.shapes[is.starts[found]].index == wanted);
  }
}

/* --- sleepers --- */

static void check_sleepers(stage *s, rng *r) {
  static links all;
  static mo_tracked_contact resting[MAX];
  mo_shape_id named[4], found[COUNT];
  bool is_named[COUNT] = {false}, passes[COUNT];
  uint32_t label[COUNT], count = 0, total;
  all.count = 0;
  while (count < 4) {
    uint32_t i = rng_below(r, COUNT);
    if (s->ids[i].generation != 0) {
      is_named[i] = true;
      named[count++] = s->ids[i];
    }
  }
  for (uint32_t i = 0; i < COUNT; i++) {
    if (s->ids[i].generation == 0) {
      continue;
    }
    cr_assert_eq(
        mo_contact_tracker_get_resting_contacts(s->tracker, s->ids[i], resting, MAX, &total),
        MO_OK);
    for (uint32_t k = 0; k < total; k++) {
      uint32_t a = index_of(s, resting[k].contact.a), b = index_of(s, resting[k].contact.b);
      if (resting[k].contact.manifold.point_count > 0 && a < COUNT && b < COUNT && a == i) {
        link_shapes(&all, a, b);
      }
    }
  }
  for (uint32_t i = 0; i < s->joint_count; i++) {
    uint32_t a = index_of(s, s->joints[i].a), b = index_of(s, s->joints[i].b);
    if (a < COUNT && b < COUNT) {
      link_shapes(&all, a, b);
    }
  }
  link_bodies(s, &all);
  /* Each that is named stands for its body; what is not asleep does not connect otherwise. */
  for (uint32_t i = 0; i < COUNT; i++) {
    bool is_of_named_body = is_named[i];
    for (uint32_t k = 0; k < COUNT; k++) {
      is_of_named_body =
          is_of_named_body || (is_named[k] && s->ids[i].generation != 0 && s->defs[k].body != 0 &&
                               s->defs[k].body == s->defs[i].body);
    }
    label[i] = is_of_named_body ? 0 : 1 + i;
    passes[i] =
        s->ids[i].generation != 0 && (is_of_named_body || s->defs[i].motion == MO_MOTION_SLEEPING);
  }
  spread(label, &all, passes);
  const uint32_t capacity = rng_below(r, COUNT);
  cr_assert_eq(mo_contact_tracker_find_sleepers(s->tracker, named, 4, found, capacity, &total),
               MO_OK);
  uint32_t expected = 0;
  for (uint32_t slot = 0; slot < 4 * COUNT; slot++) { /* ascending */
    for (uint32_t i = 0; i < COUNT; i++) {
      if (s->ids[i].generation != 0 && s->ids[i].index == slot && label[i] == 0 &&
          s->defs[i].motion == MO_MOTION_SLEEPING) {
        cr_assert(expected >= capacity || same_id(found[expected], s->ids[i]));
        expected++;
      }
    }
  }
  cr_assert_eq(total, expected);
}

/* --- a crowd of bodies --- */

static mo_motion any_motion(rng *r) {
  static const mo_motion motions[8] = {MO_MOTION_DYNAMIC,  MO_MOTION_DYNAMIC,  MO_MOTION_DYNAMIC,
                                       MO_MOTION_SLEEPING, MO_MOTION_SLEEPING, MO_MOTION_SLEEPING,
                                       MO_MOTION_STATIC,   MO_MOTION_KINEMATIC};
  return motions[rng_below(r, 8)];
}

static void add_shape(stage *s, uint32_t i, rng *r) {
  mo_shape_def *def = &s->defs[i];
  *def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def->geometry.sphere.radius = 0.5f;
  def->transform.origin = rng_vec3(r, -4, 4);
  def->body = rng_chance(r, 0.5) ? 1 + rng_below(r, 30) : 0;
  def->motion = any_motion(r);
  cr_assert_eq(mo_scene_add_shape(s->scene, def, &s->ids[i]), MO_OK);
  s->moved[i] = true;
}

static void change_some(stage *s, rng *r) {
  for (int k = 0; k < 12; k++) {
    uint32_t i = rng_below(r, COUNT);
    if (s->ids[i].generation == 0) {
      add_shape(s, i, r);
      continue;
    }
    switch (rng_below(r, 6)) {
    case 0:
      cr_assert_eq(mo_scene_remove_shape(s->scene, s->ids[i]), MO_OK);
      s->ids[i] = (mo_shape_id){0, 0};
      break;
    case 1:
      s->moved[i] = true; /* another body counts as a change */
      s->defs[i].body = s->defs[i].body == 0 ? 1 + rng_below(r, 30) : 0;
      cr_assert_eq(mo_scene_set_body(s->scene, s->ids[i], s->defs[i].body), MO_OK);
      break;
    case 2:
    case 3: {
      const mo_motion before = s->defs[i].motion, now = any_motion(r);
      s->defs[i].motion = now;
      cr_assert_eq(mo_scene_set_motion(s->scene, &s->ids[i], 1, now, NULL), MO_OK);
      const bool was = before == MO_MOTION_STATIC || before == MO_MOTION_KINEMATIC;
      s->moved[i] = s->moved[i] || was != is_immovable(s, i);
      break;
    }
    default:
      s->defs[i].transform.origin = rng_vec3(r, -4, 4);
      cr_assert_eq(mo_scene_set_transform(s->scene, s->ids[i], &s->defs[i].transform), MO_OK);
      s->moved[i] = true;
    }
  }
}

static void set_joints(stage *s, rng *r) {
  s->joint_count = rng_below(r, JOINTS + 1);
  for (uint32_t i = 0; i < s->joint_count; i++) {
    mo_shape_id ends[2];
    for (int k = 0; k < 2; k++) {
      do {
        ends[k] = s->ids[rng_below(r, COUNT)];
      } while (ends[k].generation == 0);
    }
    s->joints[i] = (mo_pair){ends[0], ends[1]};
  }
  cr_assert_eq(mo_contact_tracker_set_joints(s->tracker, s->joints, s->joint_count), MO_OK);
}

Test(contact_bodies, islands_and_sleepers_as_by_spreading) {
  rng r = rng_make(rng_seed("contact/bodies", 3401));
  static stage s;
  memset(&s, 0, sizeof s);
  mo_scene_def def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&def, &s.scene), MO_OK);
  s.tracker = tracker_of(s.scene);
  for (uint32_t i = 0; i < COUNT; i++) {
    add_shape(&s, i, &r);
  }
  uint32_t resting = 0;
  for (uint64_t round = 0; round < rng_rounds(300, 20000); round++) {
    if (rng_chance(&r, 0.7)) {
      change_some(&s, &r);
    }
    if (rng_chance(&r, 0.3)) {
      set_joints(&s, &r);
    }
    cr_assert_eq(mo_scene_update(s.scene, NULL), MO_OK);
    mo_contact_events events = update(s.tracker);
    check_islands(&s, &events);
    check_sleepers(&s, &r);
    memset(s.moved, 0, sizeof s.moved);
    mo_contact_tracker_stats stats;
    cr_assert_eq(mo_contact_tracker_get_stats(s.tracker, &stats), MO_OK);
    resting += stats.resting_count;
  }
  cr_assert_gt(resting, 1000);
  end(&s);
}

/* --- by hand --- */

static mo_shape_id add_box(mo_scene *scene, float x, float y, uint64_t body, mo_motion motion) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry = box_of(0.5f, 0.5f, 0.5f);
  def.transform.origin = mo_vec(x, y, 0);
  def.body = body;
  def.motion = motion;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

static mo_scene *scene_with_margin(void) {
  mo_scene_def def = mo_default_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  mo_scene *scene = NULL;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  return scene;
}

/* A body of two boxes lies on one box, and carries another: one island, one heap of sleepers, and
 * waking one of its boxes wakes the contacts of the other. */
Test(contact_bodies, a_body_of_two_shapes_connects) {
  mo_scene *scene = scene_with_margin();
  mo_contact_tracker *tracker = tracker_of(scene);
  mo_shape_id all[4] = {
      add_box(scene, 0, 0, 0, MO_MOTION_DYNAMIC), add_box(scene, 0, 1, 9, MO_MOTION_DYNAMIC),
      add_box(scene, 3, 1, 9, MO_MOTION_DYNAMIC), add_box(scene, 3, 2, 0, MO_MOTION_DYNAMIC)};
  mo_islands islands;
  mo_contact_events events = update(tracker);
  cr_assert_eq(events.contact_count, 2);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &islands), MO_OK);
  cr_assert(islands.island_count == 1 && islands.shape_count == 4);
  cr_assert_eq(mo_scene_set_motion(scene, all, 4, MO_MOTION_SLEEPING, NULL), MO_OK);
  events = update(tracker);
  cr_assert_eq(events.contact_count, 0);
  for (int i = 0; i < 4; i++) {
    mo_shape_id sleepers[4];
    uint32_t total;
    cr_assert_eq(mo_contact_tracker_find_sleepers(tracker, &all[i], 1, sleepers, 4, &total), MO_OK);
    cr_assert(total == 4 && memcmp(sleepers, all, sizeof all) == 0);
  }
  cr_assert_eq(mo_contact_tracker_wake(tracker, &all[1], 1, &events), MO_OK);
  cr_assert_eq(events.contact_count, 2, "those of both of its shapes");
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* A chain of bodies that hang on each other, without contacts, on a kinematic hook. */
Test(contact_bodies, joints_connect) {
  mo_scene *scene = scene_with_margin();
  mo_contact_tracker *tracker = tracker_of(scene);
  mo_shape_id hook = add_box(scene, 0, 0, 0, MO_MOTION_KINEMATIC), chain[5];
  mo_pair joints[5];
  for (int i = 0; i < 5; i++) {
    chain[i] = add_box(scene, 0, -2 - 2 * (float)i, 0, MO_MOTION_DYNAMIC);
    joints[i] = (mo_pair){chain[i], i > 0 ? chain[i - 1] : hook};
  }
  mo_shape_id other = add_box(scene, 50, 0, 0, MO_MOTION_DYNAMIC), found[8];
  mo_islands is;
  uint32_t total;
  update(tracker);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 0 && is.shapes == NULL && is.island_of_joint == NULL);
  cr_assert_eq(mo_contact_tracker_set_joints(tracker, joints, 5), MO_OK);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 1 && is.shape_count == 5 && same_id(is.shapes[0], chain[0]));
  cr_assert(is.kept_awake[0], "the hook is new");
  for (int i = 0; i < 5; i++) {
    cr_assert_eq(is.island_of_joint[i], 0);
  }
  update(tracker);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 1 && !is.kept_awake[0], "the hook is still");
  cr_assert_eq(mo_scene_set_motion(scene, chain, 5, MO_MOTION_SLEEPING, NULL), MO_OK);
  update(tracker);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 0 && is.island_of_joint[0] == MO_NO_ISLAND, "all sleep");
  cr_assert_eq(mo_contact_tracker_find_sleepers(tracker, &chain[3], 1, found, 8, &total), MO_OK);
  cr_assert_eq(total, 5);
  cr_assert_eq(mo_contact_tracker_find_sleepers(tracker, &other, 1, found, 8, &total), MO_OK);
  cr_assert_eq(total, 0);
  mo_transform lifted = mo_transform_identity();
  lifted.origin.y = 0.1f;
  cr_assert_eq(mo_scene_set_transform(scene, hook, &lifted), MO_OK);
  update(tracker);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 1 && is.kept_awake[0] && is.shape_count == 1,
            "what hangs on a hook that moves is to be woken");
  cr_assert(is.island_of_joint[0] == 0 && is.island_of_joint[1] == MO_NO_ISLAND);
  cr_assert_eq(mo_contact_tracker_find_sleepers(tracker, &hook, 1, found, 8, &total), MO_OK);
  cr_assert_eq(total, 5);
  /* Without the third there are two chains; a joint of a shape that is gone is none. */
  cr_assert_eq(mo_scene_set_motion(scene, chain, 5, MO_MOTION_DYNAMIC, NULL), MO_OK);
  cr_assert_eq(mo_scene_remove_shape(scene, chain[2]), MO_OK);
  mo_shape_id in_its_slot = add_box(scene, 90, 0, 0, MO_MOTION_DYNAMIC);
  cr_assert_eq(in_its_slot.index, chain[2].index);
  update(tracker);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 2 && is.shape_count == 4);
  cr_assert_eq(mo_contact_tracker_set_joints(tracker, NULL, 0), MO_OK);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert_eq(is.island_count, 0);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

static void lift(mo_scene *scene, mo_shape_id id, float by) {
  mo_transform map;
  cr_assert_eq(mo_scene_get_transform(scene, id, &map), MO_OK);
  map.origin.y += by;
  cr_assert_eq(mo_scene_set_transform(scene, id, &map), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
}

/* Two boxes on a platform. It moves, and they are two islands that must not fall asleep; it stops,
 * and their contacts come to rest; it moves again, and the contacts are back. */
Test(contact_bodies, kinematic_platforms_keep_contacts_awake) {
  mo_scene *scene = scene_with_margin();
  mo_contact_tracker *tracker = tracker_of(scene);
  mo_shape_id boxes[2] = {add_box(scene, -1, 1, 0, MO_MOTION_DYNAMIC),
                          add_box(scene, 1, 1, 0, MO_MOTION_DYNAMIC)};
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry = box_of(3, 0.5f, 3);
  def.motion = MO_MOTION_KINEMATIC;
  mo_shape_id platform, ground;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &platform), MO_OK);
  def.motion = MO_MOTION_STATIC;
  def.transform.origin.y = -0.9f;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &ground), MO_OK);
  mo_islands is;
  mo_contact_events events = update(tracker);
  cr_assert_eq(events.contact_count, 2, "none with the ground");
  for (int step = 0; step < 3; step++) {
    lift(scene, platform, 0.001f);
    events = update(tracker);
    cr_assert_eq(events.contact_count, 2);
    cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
    cr_assert(is.island_count == 2 && is.kept_awake[0] && is.kept_awake[1]);
  }
  events = update(tracker);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 2 && !is.kept_awake[0] && !is.kept_awake[1], "it stands");
  cr_assert_eq(mo_scene_set_motion(scene, boxes, 2, MO_MOTION_SLEEPING, NULL), MO_OK);
  events = update(tracker);
  cr_assert_eq(events.contact_count, 0, "at rest");
  mo_shape_id found[4];
  uint32_t total;
  cr_assert_eq(mo_contact_tracker_find_sleepers(tracker, &boxes[0], 1, found, 4, &total), MO_OK);
  cr_assert_eq(total, 1, "platforms do not connect");
  cr_assert_eq(mo_contact_tracker_find_sleepers(tracker, &platform, 1, found, 4, &total), MO_OK);
  cr_assert_eq(total, 2, "unless they are among the given ones");
  lift(scene, platform, 0.001f);
  events = update(tracker);
  cr_assert_eq(events.contact_count, 2);
  cr_assert_eq(mo_contact_tracker_find_islands(tracker, &is), MO_OK);
  cr_assert(is.island_count == 2 && is.kept_awake[0] && is.kept_awake[1], "they are to be woken");
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

/* Impacts: not with other shapes of the own body, nor of what only the host moves with what never
 * moves. */
Test(contact_bodies, shapes_of_a_body_have_no_impacts) {
  mo_scene *scene = scene_with_margin();
  for (int same = 0; same < 2; same++) {
    mo_shape_id left = add_box(scene, 0, 0, same ? 4 : 3, MO_MOTION_DYNAMIC);
    mo_shape_id right = add_box(scene, 3, 0, 4, MO_MOTION_DYNAMIC);
    mo_mover mover = {.shape = left, .movement = {.displacement = {5, 0, 0}}};
    mo_mover_memory memory;
    mo_impact_search search = mo_default_impact_search();
    search.movers = &mover;
    search.memory = &memory;
    search.count = 1;
    mo_impact impact;
    cr_assert_eq(mo_scene_find_impacts(scene, &search, &impact, NULL, NULL), MO_OK);
    cr_assert_eq(impact.found, !same);
    cr_assert_eq(mo_scene_remove_shape(scene, left), MO_OK);
    cr_assert_eq(mo_scene_remove_shape(scene, right), MO_OK);
  }
  mo_scene_destroy(scene);
}

/* --- memory --- */

/* Each allocation of islands, joints, sleepers and waking fails in turn, and nothing has changed.
 */
Test(contact_bodies, failing_allocations_change_nothing) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  mo_host host = counting_allocator_host(&counter);
  mo_scene *scene = scene_with(&host);
  mo_contact_tracker *tracker = tracker_of(scene);
  mo_shape_id hook = add_box(scene, 0, 0, 0, MO_MOTION_KINEMATIC);
  add_box(scene, 0, 1, 5, MO_MOTION_SLEEPING);
  mo_shape_id mate = add_box(scene, 4, 1, 5, MO_MOTION_SLEEPING), found[4];
  mo_pair joint = {hook, mate};
  uint32_t failures = 0, total;
  for (int call = 0; call < 5; call++) {
    mo_result result = MO_ERROR_OUT_OF_MEMORY;
    for (size_t nth = 1; result != MO_OK; nth++) {
      mo_islands islands;
      if (call == 4) {
        lift(scene, hook, 0.001f);
      }
      counting_allocator_fail_at(&counter, nth, false);
      switch (call) {
      case 0:
        result = mo_contact_tracker_update(tracker, NULL);
        break;
      case 1:
        result = mo_contact_tracker_set_joints(tracker, &joint, 1);
        break;
      case 2:
        result = mo_contact_tracker_find_sleepers(tracker, &mate, 1, found, 4, &total);
        cr_assert(result != MO_OK || total == 2);
        break;
      case 3:
        cr_assert_eq(mo_scene_trim(scene), MO_OK); /* frees the workspace */
        counting_allocator_fail_at(&counter, nth, false);
        result = mo_contact_tracker_find_islands(tracker, &islands);
        break;
      default:
        result = mo_contact_tracker_wake(tracker, &mate, 1, NULL);
      }
      counting_allocator_fail_at(&counter, 0, false);
      cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
      failures += result != MO_OK;
    }
  }
  cr_assert_gt(failures, 10);
  mo_contact_tracker_stats stats;
  mo_scene_stats of_scene;
  cr_assert_eq(mo_contact_tracker_get_stats(tracker, &stats), MO_OK);
  cr_assert_eq(mo_scene_get_stats(scene, &of_scene), MO_OK);
  cr_assert_eq(stats.bytes + of_scene.bytes, counter.outstanding_bytes);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  cr_assert(counting_allocator_is_clean(&counter));
}
