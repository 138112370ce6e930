/* A run of a scene whose shapes move, sleep, wake, come and go has the same contacts, to the last
 * bit, with any number of workers, whatever happened in the tree before, and where it is resumed
 * from what the host saved; with shapes added in another order, those of each pair seen from its
 * other shape. A plain program, because Criterion does not start under the thread sanitizer. */
#include <motte/contact_tracker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"
#include "support/hulls.h"
#include "support/meshes.h"
#include "support/plain.h"
#include "support/rng.h"

enum {
  BODIES = 100,
  GROUNDS = 4, /* the last shapes: ground with edges, without, a half-space, a volume */
  COUNT = BODIES + GROUNDS,
  FRAMES = 6,
  SAVED = 2, /* the frame after which runs are saved */
  MAX = 4096
};

typedef struct run {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_def defs[COUNT];
  mo_shape_id ids[COUNT], removed[COUNT]; /* `removed`: what shapes were called before the frame */
  mo_contact_events events;
  uint64_t hash[FRAMES]; /* of the contacts and events of each frame */
} run;

static mo_mesh *grounds[2];

static void make_grounds(rng *r) {
  for (int i = 0; i < 2; i++) {
    test_mesh mesh = test_mesh_make(TEST_MESH_TERRAIN, i == 0 ? 100 : 20, r);
    mo_mesh_def def = test_mesh_def(&mesh);
    def.build.edges = i == 0;
    need(mo_mesh_create(&def, &grounds[i]), "make a mesh");
    test_mesh_free(&mesh);
  }
}

static mo_transform random_place(rng *r) {
  mo_transform place =
      mo_transform_make(rng_vec3(r, -3.5f, 3.5f), rng_rotation(r), mo_vec(1, 1, 1));
  place.origin.y = rng_float(r, -0.5f, 3);
  return place;
}

static mo_shape_def random_shape(rng *r) {
  static const mo_shape_type types[12] = {MO_SHAPE_BOX,     MO_SHAPE_BOX,      MO_SHAPE_BOX,
                                          MO_SHAPE_BOX,     MO_SHAPE_SPHERE,   MO_SHAPE_SPHERE,
                                          MO_SHAPE_CAPSULE, MO_SHAPE_CAPSULE,  MO_SHAPE_HULL,
                                          MO_SHAPE_HULL,    MO_SHAPE_CYLINDER, MO_SHAPE_CONE};
  mo_shape_def def = mo_default_shape_def(types[rng_below(r, 12)]);
  def.transform = random_place(r);
  if (def.geometry.type == MO_SHAPE_BOX) {
    def.geometry.box.half_extents = rng_vec3(r, 0.2f, 0.8f);
    def.geometry.rounding = rng_chance(r, 0.2) ? 0.1f : 0;
  } else if (def.geometry.type == MO_SHAPE_HULL) {
    def.geometry.hull = test_hull(TEST_HULL_BALL);
  }
  return def;
}

static mo_shape_def ground_shape(int which) {
  static const mo_shape_type types[GROUNDS] = {MO_SHAPE_MESH, MO_SHAPE_MESH, MO_SHAPE_HALF_SPACE,
                                               MO_SHAPE_VOLUME};
  mo_shape_def def = mo_default_shape_def(types[which]);
  def.motion = MO_MOTION_STATIC;
  if (which < 2) {
    def.geometry.mesh = grounds[which];
    def.transform.x_axis.x = def.transform.y_axis.y = def.transform.z_axis.z =
        which == 0 ? 5.0f : 3.0f;
    def.transform.origin.y = which == 0 ? 0 : 1;
    def.motion = which == 0 ? MO_MOTION_STATIC : MO_MOTION_DYNAMIC;
  }
  return def;
}

/* Rejects some contacts and gives others friction, by how often the pair has been here. */
static void modify(mo_modified_pair *pair, void *context) {
  (void)context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    pair->contacts[i].material.friction = (float)pair->state;
    pair->contacts[i].rejected = (pair->state + pair->contacts[i].contact.user_data_a +
                                  pair->contacts[i].contact.user_data_b) %
                                     7 ==
                                 0;
  }
  pair->state++;
}

/* Of runs that begin: with points at seams, contacts are those of each pair by itself. */
static bool keep_seams;
/* Of runs that begin: shapes belong to bodies whose contacts are merged, some are kinematic, and
 * they move with velocities that contacts follow. */
static bool with_bodies;

static void set_options(mo_contact_tracker_def *def) {
  def->modify = modify;
  def->sensor_categories = 4;
  def->merge_coplanar = with_bodies;
  def->max_speculative_distance = with_bodies ? 1.0f : 0.0f;
}

/* A scene and a tracker, with shapes added in an order of host indices. With `disguised`, as specks
 * somewhere else that become what they are in the opposite order: the ids are as before, but the
 * tree is not. */
static run *begin(uint64_t seed, mo_tree_policy policy, mo_tasks tasks, const uint32_t *order,
                  bool disguised) {
  rng r = rng_make(seed);
  run *made = calloc(1, sizeof *made);
  need(made != NULL ? MO_OK : MO_ERROR_OUT_OF_MEMORY, "make a run");
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.policy = policy;
  scene_def.host.tasks = tasks;
  scene_def.margin = MO_CONTACT_MARGIN;
  need(mo_scene_create(&scene_def, &made->scene), "make a scene");
  for (int i = 0; i < COUNT; i++) {
    made->defs[i] = i < BODIES ? random_shape(&r) : ground_shape(i - BODIES);
    made->defs[i].user_data = (uint64_t)i;
    if (with_bodies && i < BODIES) {
      made->defs[i].body = rng_below(&r, 20);
      made->defs[i].motion = i % 10 == 0 ? MO_MOTION_KINEMATIC : MO_MOTION_DYNAMIC;
    }
  }
  for (int i = 0; i < COUNT; i++) {
    mo_shape_def def = made->defs[order[i]];
    if (disguised) {
      def.geometry = (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 0.01f}};
      def.transform.origin = mo_vec((float)i, 100, 0);
    }
    need(mo_scene_add_shape(made->scene, &def, &made->ids[order[i]]), "add a shape");
  }
  for (int i = COUNT - 1; disguised && i >= 0; i--) {
    const mo_shape_def *def = &made->defs[order[i]];
    mo_shape_id id = made->ids[order[i]];
    need(mo_scene_set_transform(made->scene, id, &def->transform), "move");
    need(mo_scene_set_geometry(made->scene, id, &def->geometry), "change a geometry");
  }
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  set_options(&def);
  def.keep_seams = keep_seams;
  need(mo_contact_tracker_create(made->scene, &def, &made->tracker), "make a tracker");
  return made;
}

static void end(run *done) {
  mo_contact_tracker_destroy(done->tracker);
  mo_scene_destroy(done->scene);
  free(done);
}

/* With a velocity of the way, or of another one. */
static void move_fast(run *of, uint32_t i, rng *r) {
  mo_vec3 velocity = rng_vec3(r, -20, 20);
  mo_update_def def = mo_default_update_def();
  def.ids = &of->ids[i];
  def.transforms = &of->defs[i].transform;
  def.velocities = &velocity;
  def.lookahead = 1.0f / 60;
  def.count = 1;
  need(mo_scene_update(of->scene, &def), "move with a velocity");
}

static void change(run *of, uint32_t i, rng *r) {
  uint32_t choice = rng_below(r, 40);
  mo_shape_def *def = &of->defs[i];
  mo_transform place = random_place(r), near = def->transform;
  near.origin = mo_add(near.origin, rng_vec3(r, -0.004f, 0.004f));
  if (choice < 20) {
    def->transform = choice < 2 ? place : near;
    if (with_bodies && choice % 2 == 0) {
      move_fast(of, i, r);
      return;
    }
    need(mo_scene_set_transform(of->scene, of->ids[i], &def->transform), "move");
  } else if (choice < 30) {
    def->motion = choice < 26 ? MO_MOTION_SLEEPING : MO_MOTION_DYNAMIC;
    need(mo_scene_set_motion(of->scene, &of->ids[i], 1, def->motion, NULL), "put to sleep, wake");
  } else if (choice == 30) {
    def->category = def->category == 1 ? 4 : 1; /* a sensor */
    need(mo_scene_set_filter(of->scene, of->ids[i], def->category, def->mask), "set a filter");
  } else if (choice == 31) {
    def->transform = place;
    need(mo_scene_remove_shape(of->scene, of->ids[i]), "remove");
    need(mo_scene_add_shape(of->scene, def, &of->ids[i]), "add");
  }
}

/* The host's number of a shape, of a removed one that it had. */
static uint32_t number_of(const run *of, mo_shape_id id) {
  uint32_t i = 0;
  while (i < COUNT && (of->ids[i].index != id.index || of->ids[i].generation != id.generation) &&
         (of->removed[i].index != id.index || of->removed[i].generation != id.generation)) {
    i++;
  }
  need(i < COUNT ? MO_OK : MO_ERROR_STALE_ID, "find a shape");
  return i;
}

static uint64_t hash_pairs(const run *of, uint64_t sum, const mo_pair *pairs, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t numbers[2] = {number_of(of, pairs[i].a), number_of(of, pairs[i].b)};
    sum = fnv1a(sum, numbers, sizeof numbers);
  }
  return fnv1a(sum, &count, sizeof count);
}

static uint64_t hash_contact(uint64_t sum, const mo_tracked_contact *c) {
  const mo_contact *contact = &c->contact;
  const mo_manifold *m = &contact->manifold;
  const uint64_t numbers[] = {contact->user_data_a,
                              contact->user_data_b,
                              contact->triangle_a,
                              contact->triangle_b,
                              contact->triangle_user_data_a,
                              contact->triangle_user_data_b,
                              m->touching,
                              m->point_count,
                              c->kept,
                              c->touching,
                              c->began,
                              c->unchanged,
                              c->rejected,
                              c->pair_state};
  sum = fnv1a(sum, numbers, sizeof numbers);
  sum = fnv1a(sum, &c->material, sizeof c->material);
  sum = m->point_count > 0 ? fnv1a(sum, &m->normal, sizeof m->normal) : sum;
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    const mo_vec3 places[3] = {p->position, p->anchor_a, p->anchor_b};
    sum = fnv1a(sum, places, sizeof places);
    sum = fnv1a(sum, &p->separation, sizeof p->separation);
    sum = fnv1a(sum, &p->id, sizeof p->id);
    sum = fnv1a(sum, &c->memory[i], sizeof c->memory[i]);
  }
  return sum;
}

/* A step: changes, the contacts, their hash; and the host writes what it keeps with points. */
static void step(run *of, uint64_t seed, int frame) {
  rng r = rng_make(seed + 1 + (uint64_t)frame);
  memcpy(of->removed, of->ids, sizeof of->ids);
  for (uint32_t i = 0; i < BODIES + 2 && frame > 0; i++) {
    change(of, i, &r);
  }
  for (int i = 0; i < COUNT && frame == SAVED; i++) {
    need(mo_scene_refresh_shape(of->scene, of->ids[i]), "forget the way to where it is");
  }
  need(mo_scene_update(of->scene, NULL), "update");
  need(mo_contact_tracker_update(of->tracker, &of->events), "find contacts");
  need(mo_contact_tracker_validate(of->tracker), "keep contacts in order");
  uint64_t sum = hash_pairs(of, FNV1A_BEGIN, of->events.begins, of->events.begin_count);
  sum = hash_pairs(of, sum, of->events.ends, of->events.end_count);
  for (uint32_t i = 0; i < of->events.contact_count; i++) {
    sum = hash_contact(sum, &of->events.contacts[i]);
  }
  of->hash[frame] = sum;
  for (uint32_t i = 0; i < of->events.contact_count; i++) {
    mo_tracked_contact *c = &of->events.contacts[i];
    for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
      c->memory[k].values[0] += 1;
      c->memory[k].values[frame % 3 + 1] += c->contact.manifold.points[k].separation;
    }
  }
}

/* --- saved and resumed --- */

/* All that a host reads to save a run, and nothing that belongs to the library. */
typedef struct save {
  mo_shape_def shapes[COUNT];
  mo_tracked_contact contacts[MAX];
  uint32_t contact_count;
} save;

static void save_run(const run *of, save *to) {
  mo_shape_id ids[COUNT];
  uint32_t count;
  need(mo_scene_get_shapes(of->scene, ids, COUNT, &count), "list shapes");
  for (uint32_t i = 0; i < COUNT; i++) {
    need(mo_scene_get_shape(of->scene, ids[i], &to->shapes[i]), "read a shape");
    if (to->shapes[i].geometry.type == MO_SHAPE_MESH) {
      mo_mesh_retain(to->shapes[i].geometry.mesh);
    }
  }
  to->contact_count = of->events.contact_count;
  memcpy(to->contacts, of->events.contacts, to->contact_count * sizeof *to->contacts);
  for (uint32_t i = 0; i < COUNT; i++) {
    uint32_t from = to->contact_count, total;
    need(mo_contact_tracker_get_resting_contacts(of->tracker, ids[i], to->contacts + from,
                                                 MAX - from, &total),
         "read contacts at rest");
    for (uint32_t k = from; k < from + total; k++) { /* each is listed by both of its shapes */
      if (to->contacts[k].contact.a.index == ids[i].index) {
        to->contacts[to->contact_count++] = to->contacts[k];
      }
    }
  }
}

static run *resume(save *from, mo_tree_policy policy, mo_tasks tasks) {
  mo_shape_id ids[COUNT];
  run *made = calloc(1, sizeof *made);
  need(made != NULL ? MO_OK : MO_ERROR_OUT_OF_MEMORY, "make a run");
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.policy = policy;
  scene_def.host.tasks = tasks;
  need(mo_scene_create(&scene_def, &made->scene), "make a scene");
  need(mo_scene_add_shapes(made->scene, from->shapes, COUNT, ids, NULL), "add shapes");
  for (uint32_t i = 0; i < COUNT; i++) {
    made->ids[from->shapes[i].user_data] = ids[i];
    made->defs[from->shapes[i].user_data] = from->shapes[i];
    if (from->shapes[i].geometry.type == MO_SHAPE_MESH) {
      mo_mesh_release(from->shapes[i].geometry.mesh);
    }
  }
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  set_options(&def);
  need(mo_contact_tracker_create(made->scene, &def, &made->tracker), "make a tracker");
  need(mo_scene_update(made->scene, NULL), "update");
  need(mo_contact_tracker_update(made->tracker, &made->events), "find contacts");
  for (uint32_t i = 0; i < from->contact_count; i++) {
    mo_contact *c = &from->contacts[i].contact;
    c->a = made->ids[c->user_data_a];
    c->b = made->ids[c->user_data_b];
  }
  mo_shape_id *last = &from->contacts[from->contact_count - 1].contact.b;
  const mo_tracked_contact first = made->events.contacts[0];
  last->generation++;
  bool refused = mo_contact_tracker_restore(made->tracker, from->contacts, from->contact_count,
                                            &made->events) == MO_ERROR_INVALID_ARGUMENT &&
                 memcmp(&first, &made->events.contacts[0], sizeof first) == 0;
  need(refused ? MO_OK : MO_ERROR_CORRUPT, "refuse contacts as a whole");
  last->generation--;
  need(
      mo_contact_tracker_restore(made->tracker, from->contacts, from->contact_count, &made->events),
      "restore contacts");
  need(mo_contact_tracker_validate(made->tracker), "restore all of them");
  return made;
}

/* --- when to refresh shapes of a run that is saved --- */

static mo_scene *scene_with(const mo_shape_def *defs, mo_shape_id *ids, mo_contact_tracker **made) {
  mo_scene_def scene_def = mo_default_scene_def();
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  mo_scene *scene;
  scene_def.margin = 0.25f * MO_CONTACT_MARGIN;
  need(mo_scene_create(&scene_def, &scene), "make a scene");
  need(mo_scene_add_shapes(scene, defs, 2, ids, NULL), "add shapes");
  need(mo_contact_tracker_create(scene, &def, made), "make a tracker");
  return scene;
}

/* Two boxes side by side move apart, by less than the margin under which they are stored, but so
 * far that a new scene would not make them a pair. Whether a run that is saved then can be resumed,
 * with shapes refreshed before or after the move. */
static bool resumes(bool refresh_before_move) {
  mo_shape_def defs[2] = {mo_default_shape_def(MO_SHAPE_BOX), mo_default_shape_def(MO_SHAPE_BOX)};
  mo_shape_id ids[2];
  mo_contact_tracker *tracker;
  mo_contact_events events;
  defs[0].motion = MO_MOTION_STATIC;
  defs[1].transform.origin.x = 2 + 0.4f * MO_CONTACT_MARGIN;
  mo_scene *scene = scene_with(defs, ids, &tracker);
  need(mo_scene_update(scene, NULL), "update");
  need(mo_contact_tracker_update(tracker, &events), "find contacts");
  need(events.contact_count == 1 ? MO_OK : MO_ERROR_CORRUPT, "find one contact");
  defs[1].transform.origin.x += 0.2f * MO_CONTACT_MARGIN;
  if (refresh_before_move) {
    need(mo_scene_refresh_shape(scene, ids[1]), "refresh");
  }
  need(mo_scene_set_transform(scene, ids[1], &defs[1].transform), "move");
  if (!refresh_before_move) {
    need(mo_scene_refresh_shape(scene, ids[1]), "refresh");
  }
  need(mo_scene_update(scene, NULL), "update");
  need(mo_contact_tracker_update(tracker, &events), "find contacts");
  uint32_t count = events.contact_count;
  mo_tracked_contact saved;
  need(count <= 1 ? MO_OK : MO_ERROR_CORRUPT, "find no other contact");
  if (count == 1) {
    saved = events.contacts[0];
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);

  scene = scene_with(defs, ids, &tracker);
  need(mo_scene_update(scene, NULL), "update");
  need(mo_contact_tracker_update(tracker, &events), "find contacts");
  saved.contact.a = ids[0];
  saved.contact.b = ids[1];
  mo_result result = mo_contact_tracker_restore(tracker, &saved, count, &events);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return result == MO_OK && events.contact_count == count;
}

/* --- workers, trees, resumed runs --- */

static uint64_t hash_of(const run *of, int from) {
  return fnv1a(FNV1A_BEGIN, &of->hash[from], (size_t)(FRAMES - from) * sizeof *of->hash);
}

static uint32_t order_of_hosts[COUNT];
static int failures;

static void expect_equal(const run *a, const run *b, int from, const char *what) {
  for (int frame = from; frame < FRAMES; frame++) {
    if (a->hash[frame] != b->hash[frame]) {
      printf("%s: frame %d is DIFFERENT\n", what, frame);
      failures++;
      return;
    }
  }
}

static uint64_t run_three_ways(uint64_t seed, mo_tree_policy policy, mo_tasks tasks) {
  static save saved;
  const mo_tree_policy other = policy == MO_TREE_LOOSE ? MO_TREE_IRREGULAR : MO_TREE_LOOSE;
  run *plain = begin(seed, policy, tasks, order_of_hosts, false);
  run *disguised = begin(seed, policy, tasks, order_of_hosts, true), *resumed = NULL;
  for (int frame = 0; frame < FRAMES; frame++) {
    step(plain, seed, frame);
    step(disguised, seed, frame);
    if (resumed != NULL) {
      step(resumed, seed, frame);
    }
    if (frame == SAVED) {
      save_run(plain, &saved);
      resumed = resume(&saved, other, tasks);
    }
  }
  expect_equal(plain, disguised, 0, "another tree");
  expect_equal(plain, resumed, SAVED + 1, "resumed");
  uint64_t sum = hash_of(plain, 0);
  end(plain);
  end(disguised);
  end(resumed);
  return sum;
}

/* --- another order of shapes --- */

/* Pairs by the numbers of their shapes, the lower one first; sorted. */
static uint32_t *numbers_of(const run *of, const mo_pair *pairs, uint32_t count) {
  static uint32_t numbers[2][MAX];
  static int next;
  uint32_t *found = numbers[next++ % 2];
  for (uint32_t i = 0; i < count && i < MAX; i++) {
    uint32_t a = number_of(of, pairs[i].a), b = number_of(of, pairs[i].b);
    uint32_t number = a < b ? a * COUNT + b : b * COUNT + a, k = i;
    for (; k > 0 && found[k - 1] > number; k--) {
      found[k] = found[k - 1];
    }
    found[k] = number;
  }
  return found;
}

static bool same_pairs(const run *a, const mo_pair *of_a, uint32_t count_a, const run *b,
                       const mo_pair *of_b, uint32_t count_b) {
  return count_a == count_b && memcmp(numbers_of(a, of_a, count_a), numbers_of(b, of_b, count_b),
                                      count_a * sizeof(uint32_t)) == 0;
}

/* The same points, with the halves of ids and the sides exchanged, but for rounding. */
static bool is_mirrored(const mo_manifold *m, const mo_manifold *n) {
  bool same = m->point_count == n->point_count && mo_dot(m->normal, n->normal) < -0.99999f;
  for (uint32_t i = 0; i < m->point_count && same; i++) {
    const mo_manifold_point *p = &m->points[i];
    bool found = false;
    for (uint32_t k = 0; k < n->point_count && !found; k++) {
      const mo_manifold_point *q = &n->points[k];
      found = p->id == (q->id << 32 | q->id >> 32) &&
              fabsf(p->separation - q->separation) <= 1e-5f &&
              mo_max_magnitude(mo_sub(p->position, q->position)) <= 1e-4f;
    }
    same = found;
  }
  return same;
}

typedef struct comparison {
  const run *run, *other; /* shapes came in another order */
  uint32_t in_order, exchanged;
  uint32_t alone, mirrored; /* exchanged ones of pairs with one contact; but for rounding */
} comparison;

static void expect(bool right, const char *what, int frame) {
  if (!right) {
    printf("frame %d: %s DIFFERENT\n", frame, what);
    failures++;
  }
}

/* The contacts of a pair in the other run, from the first on. */
static void compare_pair(comparison *to, const mo_tracked_contact *contacts, uint32_t count,
                         int frame) {
  static mo_contact found[MAX];
  const mo_contact *one = &contacts->contact;
  const mo_pair pair = {to->run->ids[one->user_data_a], to->run->ids[one->user_data_b]};
  uint32_t first, expected;
  need(mo_contact_tracker_find(to->run->tracker, &pair, &first, &expected), "find contacts");
  const mo_tracked_contact *there = to->run->events.contacts + first;
  if (pair.a.index < pair.b.index) {
    uint64_t sums[2] = {FNV1A_BEGIN, FNV1A_BEGIN};
    for (uint32_t i = 0; i < count && count == expected; i++) {
      sums[0] = hash_contact(sums[0], &contacts[i]);
      sums[1] = hash_contact(sums[1], &there[i]);
    }
    expect(count == expected && sums[0] == sums[1], "contacts of shapes in the same order are",
           frame);
    to->in_order += count;
    return;
  }
  uint32_t total;
  mo_collide_def def = mo_default_collide_def();
  need(mo_scene_collide_pair(to->run->scene, &pair, &def, found, MAX, &total), "collide");
  const bool is_sensor = one->manifold.touching && one->manifold.point_count == 0;
  expect(is_sensor || total == count, "the number of contacts of exchanged shapes is", frame);
  for (uint32_t i = 0; i < count && total == count; i++) {
    const mo_manifold *m = &contacts[i].contact.manifold, *n = &found[i].manifold;
    if (m->point_count > 0) {
      expect(memcmp(m, n, sizeof *m) == 0, "a contact of exchanged shapes is", frame);
      to->exchanged++;
      to->alone += count == 1 && expected == 1;
      to->mirrored += count == 1 && expected == 1 && is_mirrored(m, &there->contact.manifold);
    }
  }
}

static void compare_orders(uint64_t seed) {
  rng r = rng_make(seed);
  uint32_t order[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    uint32_t k = rng_below(&r, i + 1);
    order[i] = order[k];
    order[k] = i;
  }
  keep_seams = true;
  run *one = begin(seed, MO_TREE_IRREGULAR, (mo_tasks){0}, order_of_hosts, false);
  run *other = begin(seed, MO_TREE_IRREGULAR, (mo_tasks){0}, order, false);
  keep_seams = false;
  comparison c = {one, other, 0, 0, 0, 0};
  for (int frame = 0; frame < FRAMES; frame++) {
    step(one, seed, frame);
    step(other, seed, frame);
    const mo_contact_events *e = &one->events, *o = &other->events;
    expect(same_pairs(one, e->begins, e->begin_count, other, o->begins, o->begin_count),
           "pairs that begin are", frame);
    expect(same_pairs(one, e->ends, e->end_count, other, o->ends, o->end_count),
           "pairs that end are", frame);
    for (uint32_t i = 0, end; i < o->contact_count; i = end) {
      const mo_contact *d = &o->contacts[i].contact;
      for (end = i + 1; end < o->contact_count && o->contacts[end].contact.a.index == d->a.index &&
                        o->contacts[end].contact.b.index == d->b.index;) {
        end++;
      }
      compare_pair(&c, &o->contacts[i], end - i, frame);
    }
  }
  printf("another order: %u contacts seen from the same side, %u from the other; of %u %u are "
         "mirrored\n",
         c.in_order, c.exchanged, c.alone, c.mirrored);
  expect(c.in_order > 1000 && c.exchanged > 1000 && c.mirrored > c.alone - c.alone / 200,
         "mirrored contacts are", FRAMES);
  end(one);
  end(other);
}

int main(void) {
  static const uint32_t workers[] = {2, 4, 8, 0}, few_workers[] = {4, 0};
  uint64_t seed = rng_seed("contact/replay", 951);
  rng r = rng_make(seed);
  make_grounds(&r);
  for (uint32_t i = 0; i < COUNT; i++) {
    order_of_hosts[i] = i;
  }
  compare_orders(seed);
  expect(resumes(false), "a run whose shapes are refreshed after the moves is", 0);
  expect(!resumes(true), "a run whose shapes are refreshed before the moves is not", 0);
  failures += count_differences(run_three_ways, seed, workers);
  with_bodies = true;
  failures += count_differences(run_three_ways, seed + 1, few_workers);
  mo_mesh_release(grounds[0]);
  mo_mesh_release(grounds[1]);
  return failures == 0 ? 0 : 1;
}
