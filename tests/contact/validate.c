/* mo_contact_tracker_validate finds each kind of damage. A validator that finds nothing proves
 * nothing. */
#include <stdio.h>
#include <string.h>

#include "contact/tracker/tracker.h"
#include "contact/tracking.h"

enum {
  FLOOR,
  BOX,
  CAPSULE, /* its contact is reused */
  SLEEPER, /* with the next one: their contacts are at rest */
  OTHER_SLEEPER,
  CYLINDER, /* along z; with the next two: boxes that touch, and shapes that do not */
  SECOND_CYLINDER,
  THIRD_CYLINDER,
  PLATFORM, /* kinematic */
  COMING,   /* begins to touch the floor in the last update */
  GOING,    /* ceases to */
  SHAPES
};

typedef struct stage {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id ids[SHAPES];
  char why[256]; /* the last line of the log */
} stage;

static void listen(mo_log_level level, const char *message, void *context) {
  stage *s = context;
  cr_expect_eq(level, MO_LOG_WARNING);
  snprintf(s->why, sizeof s->why, "%s", message);
}

static void put(stage *s, int shape, float x, float y) {
  mo_transform place = mo_transform_identity();
  place.origin = mo_vec(x, y, 0);
  cr_assert_eq(mo_scene_set_transform(s->scene, s->ids[shape], &place), MO_OK);
}

static void add_shapes(stage *s) {
  const mo_geometry lying = {.type = MO_SHAPE_CYLINDER,
                             .cylinder = {{0, 0, -0.5f}, {0, 0, 0.5f}, 0.5f}};
  const struct {
    mo_geometry geometry;
    float x, y;
    mo_motion motion;
  } shapes[SHAPES] = {
      [FLOOR] = {box_of(60, 0.5f, 5), 0, -0.5f, MO_MOTION_STATIC},
      [BOX] = {box_of(0.5f, 0.5f, 0.5f), 0, 0.5f, MO_MOTION_DYNAMIC},
      [CAPSULE] = {capsule_of(0.5f, 0.25f), 5, 0.25f, MO_MOTION_DYNAMIC},
      [SLEEPER] = {box_of(0.5f, 0.5f, 0.5f), 10, 0.5f, MO_MOTION_SLEEPING},
      [OTHER_SLEEPER] = {box_of(0.5f, 0.5f, 0.5f), 11, 0.5f, MO_MOTION_SLEEPING},
      [CYLINDER] = {lying, 20, 10, MO_MOTION_DYNAMIC},
      [SECOND_CYLINDER] = {lying, 20.8f, 10.8f, MO_MOTION_DYNAMIC},
      [THIRD_CYLINDER] = {lying, 21.6f, 11.6f, MO_MOTION_DYNAMIC},
      [PLATFORM] = {box_of(0.5f, 0.5f, 0.5f), 30, 0.5f, MO_MOTION_KINEMATIC},
      [COMING] = {sphere_of(mo_vec(0, 0, 0), 0.5f), 40, 5, MO_MOTION_DYNAMIC},
      [GOING] = {sphere_of(mo_vec(0, 0, 0), 0.5f), 45, 0.49f, MO_MOTION_DYNAMIC},
  };
  for (int i = 0; i < SHAPES; i++) {
    mo_shape_def def = mo_default_shape_def(shapes[i].geometry.type);
    def.geometry = shapes[i].geometry;
    def.transform.origin = mo_vec(shapes[i].x, shapes[i].y, 0);
    def.motion = shapes[i].motion;
    cr_assert_eq(mo_scene_add_shape(s->scene, &def, &s->ids[i]), MO_OK);
  }
}

static void prepare(stage *s) {
  mo_scene_def def = mo_default_scene_def();
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  *s = (stage){.scene = NULL};
  def.margin = 0.1f;
  def.host.log = listen;
  def.host.log_context = s;
  tracker_def.reuse_distance = 0.01f;
  cr_assert_eq(mo_scene_create(&def, &s->scene), MO_OK);
  add_shapes(s);
  cr_assert_eq(mo_contact_tracker_create(s->scene, &tracker_def, &s->tracker), MO_OK);
  const mo_pair joints[2] = {{s->ids[BOX], s->ids[CAPSULE]}, {s->ids[PLATFORM], s->ids[COMING]}};
  cr_assert_eq(mo_contact_tracker_set_joints(s->tracker, joints, 2), MO_OK);
  for (int step = 0; step < 4; step++) {
    const float by = 0.001f * (float)step;
    put(s, BOX, by, 0.5f);
    put(s, CAPSULE, 5 + by, 0.25f);
    put(s, SECOND_CYLINDER, 20.8f, 10.8f + by);
    put(s, PLATFORM, 30 + by, 0.5f);
    put(s, COMING, 40, step < 3 ? 5 : 0.49f);
    put(s, GOING, 45, step < 3 ? 0.49f : 5);
    cr_assert_eq(mo_scene_update(s->scene, NULL), MO_OK);
    update(s->tracker);
  }
}

static void tear_down(stage *s) {
  mo_contact_tracker_destroy(s->tracker);
  mo_scene_destroy(s->scene);
}

static void expect_found(stage *s, const char *damage, const char *name) {
  s->why[0] = 0;
  cr_expect_eq(mo_contact_tracker_validate(s->tracker), MO_ERROR_CORRUPT, "%s", damage);
  cr_expect(strstr(s->why, name) == s->why, "%s: %s", damage, s->why);
}

/* Changes one variable, expects the damage to be found and named, and changes it back. */
#define DAMAGE(variable, value)                                                                    \
  do {                                                                                             \
    __typeof__(variable) *place = &(variable), good = *place;                                      \
    *place = value;                                                                                \
    expect_found(&s, #variable " = " #value, "contact tracker: ");                                 \
    *place = good;                                                                                 \
    cr_assert_eq(mo_contact_tracker_validate(s.tracker), MO_OK);                                   \
  } while (0)

/* The same for two items that are exchanged. */
#define EXCHANGE(one, other)                                                                       \
  do {                                                                                             \
    __typeof__(one) held = one;                                                                    \
    one = other;                                                                                   \
    other = held;                                                                                  \
    expect_found(&s, #one " and " #other " exchanged", "contact tracker: ");                       \
    held = one;                                                                                    \
    one = other;                                                                                   \
    other = held;                                                                                  \
    cr_assert_eq(mo_contact_tracker_validate(s.tracker), MO_OK);                                   \
  } while (0)

static mo_tracked_contact *contact_with_floor(const stage *s, int shape) {
  const mo_pair pair = {s->ids[FLOOR], s->ids[shape]};
  uint32_t first, count;
  cr_assert_eq(mo_contact_tracker_find(s->tracker, &pair, &first, &count), MO_OK);
  cr_assert_eq(count, 1);
  return &s->tracker->current_contacts.items[first];
}

Test(contact_validate, contacts) {
  stage s;
  prepare(&s);
  mo_contact_list *now = &s.tracker->current_contacts;
  mo_tracked_contact *c = contact_with_floor(&s, BOX), *begun = contact_with_floor(&s, COMING);
  mo_manifold *m = &c->contact.manifold;
  cr_assert(m->point_count == 4 && begun->began && c->kept == 15);

  DAMAGE(now->count, now->capacity + 1);
  DAMAGE(c->contact.a.index, c->contact.b.index);
  DAMAGE(c->contact.b.index, s.tracker->log.slot_capacity);
  DAMAGE(c->contact.a.generation, c->contact.a.generation + 1);
  DAMAGE(c->contact.b.generation, c->contact.b.generation + 2);
  DAMAGE(c->contact.triangle_b, 0);
  DAMAGE(m->point_count, MO_MAX_MANIFOLD_POINTS + 1);
  DAMAGE(m->point_count, 3); /* of which four are kept */
  DAMAGE(m->point_count, 0);
  DAMAGE(m->normal.y, 1.01f * m->normal.y);
  DAMAGE(m->normal.y, NAN);
  DAMAGE(m->points[2].separation, NAN);
  DAMAGE(m->points[1].position.x, INFINITY);
  DAMAGE(m->points[1].anchor_a.y, INFINITY);
  DAMAGE(m->points[0].anchor_b.z, NAN);
  DAMAGE(m->points[3].id, m->points[0].id);
  DAMAGE(m->touching, !m->touching);
  DAMAGE(c->rejected, true);
  DAMAGE(c->began, true);
  DAMAGE(begun->touching, false);
  DAMAGE(begun->unchanged, true);
  EXCHANGE(now->items[0], now->items[1]);
  EXCHANGE(c->contact.b, begun->contact.b);
  mo_tracked_contact held = now->items[1];
  now->items[1] = now->items[0]; /* twice */
  expect_found(&s, "a contact twice", "contact tracker: ");
  now->items[1] = held;
  /* Where `modify` may have changed a contact, the library does not vouch for its numbers. */
  s.tracker->def.modify = (void (*)(mo_modified_pair *, void *))1;
  m->normal.y *= 2;
  cr_assert_eq(mo_contact_tracker_validate(s.tracker), MO_OK);
  s.tracker->def.modify = NULL;
  tear_down(&s);
}

Test(contact_validate, contacts_at_rest) {
  stage s;
  prepare(&s);
  mo_resting *r = &s.tracker->resting;
  cr_assert_eq(r->count, 3);
  mo_resting_contact *c = &r->contacts[0];
  const uint32_t a = c->contact_at_rest.contact.a.index, b = c->contact_at_rest.contact.b.index;

  DAMAGE(r->count, r->capacity + 1);
  DAMAGE(r->count, 2);
  DAMAGE(r->heads.count, s.tracker->log.slot_capacity - 1);
  DAMAGE(r->heads.items[a], MO_NONE);
  DAMAGE(r->heads.items[b], MO_NONE);
  DAMAGE(r->heads.items[a], r->heads.items[b]);
  DAMAGE(r->heads.items[s.ids[BOX].index], r->heads.items[a]);
  DAMAGE(c->next[0], 2 * r->count);
  DAMAGE(c->next[1], 0);
  DAMAGE(c->previous[0], c->previous[0] == MO_NONE ? 0 : MO_NONE);
  DAMAGE(c->previous[1], c->previous[1] == MO_NONE ? 0 : MO_NONE);
  DAMAGE(c->contact_at_rest.contact.b.index, s.ids[BOX].index);
  DAMAGE(c->contact_at_rest.contact.b.generation, c->contact_at_rest.contact.b.generation + 2);
  DAMAGE(c->contact_at_rest.contact.manifold.point_count, MO_MAX_MANIFOLD_POINTS + 1);
  DAMAGE(c->contact_at_rest.kept, 0xff);
  EXCHANGE(r->contacts[0].contact_at_rest, r->contacts[1].contact_at_rest);
  mo_tracked_contact again = c->contact_at_rest; /* the same contact once more */
  cr_assert_eq(mo_list_reserve(&s.tracker->host.allocator, &r->list, sizeof *r->contacts, 1),
               MO_OK);
  mo_resting_add(r, &again);
  expect_found(&s, "a contact at rest twice", "contact tracker: contact ");
  mo_resting_indices last = {.items = &(mo_resting_index){.index = r->count - 1}, .count = 1};
  last.capacity = 1;
  mo_resting_remove(r, &last);
  cr_assert_eq(mo_contact_tracker_validate(s.tracker), MO_OK);
  again = *contact_with_floor(&s, BOX); /* of a shape that is awake, and not at rest */
  mo_resting_add(r, &again);
  expect_found(&s, "a contact of an awake shape at rest", "contact tracker: ");
  /* A shape that has just been woken has its contacts at rest until the next update. */
  last.items->index = r->count - 1;
  mo_resting_remove(r, &last);
  cr_assert_eq(mo_scene_set_motion(s.scene, &s.ids[SLEEPER], 1, MO_MOTION_DYNAMIC, NULL), MO_OK);
  cr_assert_eq(mo_contact_tracker_validate(s.tracker), MO_OK);
  mo_listener_clear(&s.tracker->log); /* as if nobody had said so */
  expect_found(&s, "a shape woken in secret", "contact tracker: ");
  tear_down(&s);
}

Test(contact_validate, what_is_kept_of_pairs) {
  stage s;
  prepare(&s);
  mo_axis_list *apart = &s.tracker->axes;
  cr_assert_eq(apart->count, 2);
  DAMAGE(apart->count, apart->capacity + 1);
  DAMAGE(apart->items[0].axis.x, 2);
  DAMAGE(apart->items[1].pair, apart->items[0].pair);
  EXCHANGE(apart->items[0], apart->items[1]);

  mo_reusable_list *reusable = &s.tracker->parts[0].reusable[s.tracker->reusable_index];
  cr_assert_gt(reusable->count, 0);
  cr_assert_gt(reusable->contacts.count, 0);
  mo_reusable_pair *pair = &reusable->pairs[0];
  DAMAGE(s.tracker->reusable_index, 2);
  DAMAGE(s.tracker->reusable_part_count, MO_MAX_CONTACT_UPDATE_PARTS + 1);
  DAMAGE(reusable->count, reusable->capacity + 1);
  DAMAGE(reusable->contacts.count, reusable->contacts.capacity + 1);
  DAMAGE(reusable->contacts.count, reusable->contacts.count - 1);
  DAMAGE(pair->first, 1);
  DAMAGE(pair->count, pair->count + 1);
  DAMAGE(pair->pair, pair->pair + 1);
  DAMAGE(pair->first_point, 1);
  DAMAGE(pair->point_count, pair->point_count + 1);
  DAMAGE(reusable->points.count, reusable->points.count - 1);
  DAMAGE(pair->poses_when_computed.center.x, NAN);
  tear_down(&s);
}

Test(contact_validate, events_joints_and_changes) {
  stage s;
  prepare(&s);
  mo_contact_tracker *t = s.tracker;
  cr_assert(t->begins.count == 1 && t->ends.count == 1);
  DAMAGE(t->begins.count, t->begins.capacity + 1);
  DAMAGE(t->begins.items[0].b, s.ids[BOX]);
  DAMAGE(t->begins.items[0], t->ends.items[0]);
  DAMAGE(t->ends.count, t->ends.capacity + 1);
  DAMAGE(t->ends.items[0], t->begins.items[0]);

  DAMAGE(t->joints.count, t->joints.capacity + 1);
  EXCHANGE(t->joints.keys_by_shape[0], t->joints.keys_by_shape[1]);
  DAMAGE(t->joints.keys_by_shape[2], t->joints.keys_by_shape[1]);
  DAMAGE(t->joints.joints[1].b, s.ids[FLOOR]);

  cr_assert_eq(t->moved_kinematic.count, 1);
  DAMAGE(t->moved_kinematic.count, t->moved_kinematic.capacity + 1);
  DAMAGE(t->moved_kinematic.items[0].index, t->log.slot_capacity);
  DAMAGE(t->moved_kinematic.items[0].generation, 0);

  mo_islands islands;
  cr_assert_eq(mo_contact_tracker_find_islands(t, &islands), MO_OK);
  cr_assert_eq(mo_contact_tracker_validate(t), MO_OK);
  DAMAGE(t->islands.parent[3], 3);
  DAMAGE(t->seams.starts.items[2], 1);

  put(&s, BOX, 1, 0.5f);
  cr_assert_eq(mo_contact_tracker_validate(t), MO_OK);
  cr_assert_eq(t->log.count, 1);
  DAMAGE(t->log.count, 0);
  DAMAGE(t->log.changed[0], t->log.slot_capacity);
  DAMAGE(t->log.pending[s.ids[BOX].index], 0);
  DAMAGE(t->log.pending[s.ids[FLOOR].index], 1);

  /* The set of pairs is validated too. */
  uint64_t good = t->pair_tracker->pair_count;
  t->pair_tracker->pair_count++;
  expect_found(&s, "a pair too many", "pair tracker: ");
  t->pair_tracker->pair_count = good;
  t->pair_tracker->set.lists[s.ids[FLOOR].index].entries[0] = MO_NONE;
  cr_expect_eq(mo_contact_tracker_validate(t), MO_ERROR_CORRUPT);
  tear_down(&s);
}

Test(contact_validate, without_a_scene) {
  stage s;
  prepare(&s);
  mo_scene_destroy(s.scene);
  cr_assert_eq(mo_contact_tracker_validate(s.tracker), MO_OK);
  s.tracker->current_contacts.items[0].kept = 0xff;
  cr_assert_eq(mo_contact_tracker_validate(s.tracker), MO_ERROR_CORRUPT);
  mo_contact_tracker_destroy(s.tracker);
}
