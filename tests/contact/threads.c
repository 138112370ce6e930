/* Contacts, impacts and crossings worked out by many threads, or by tasks in another order, are
 * those of one thread, to the last bit. A plain program, because Criterion does not start under the
 * thread sanitizer. */
#include <motte/contact_tracker.h>
#include <motte/continuous.h>

#include "support/hulls.h"
#include "support/meshes.h"
#include "support/plain.h"
#include "support/rng.h"

enum { COUNT = 300, FRAMES = 4 };

static mo_shape_def random_shape(rng *r) {
  static const mo_shape_type types[6] = {MO_SHAPE_BOX,      MO_SHAPE_SPHERE, MO_SHAPE_CAPSULE,
                                         MO_SHAPE_CYLINDER, MO_SHAPE_CONE,   MO_SHAPE_HULL};
  mo_shape_def def = mo_default_shape_def(types[rng_below(r, 6)]);
  def.transform.origin = rng_vec3(r, -5, 5);
  if (def.geometry.type == MO_SHAPE_HULL) {
    def.geometry.hull = test_hull(TEST_HULL_BALL);
  }
  return def;
}

static uint64_t hash_contact(uint64_t sum, const mo_tracked_contact *c) {
  const mo_manifold *m = &c->contact.manifold;
  sum = fnv1a(sum, &c->contact.a, sizeof c->contact.a);
  sum = fnv1a(sum, &c->contact.b, sizeof c->contact.b);
  sum = fnv1a(sum, &c->kept, sizeof c->kept);
  sum = fnv1a(sum, &c->rejected, sizeof c->rejected);
  sum = fnv1a(sum, &c->material.friction, sizeof c->material.friction);
  for (uint32_t i = 0; i < m->point_count; i++) {
    sum = fnv1a(sum, &m->points[i].position, sizeof m->points[i].position);
    sum = fnv1a(sum, &m->points[i].separation, sizeof m->points[i].separation);
    sum = fnv1a(sum, &m->points[i].id, sizeof m->points[i].id);
    sum = fnv1a(sum, &c->memory[i], sizeof c->memory[i]);
  }
  return sum;
}

/* As a host changes contacts, by any of the threads. */
static void modify(mo_modified_pair *pair, void *context) {
  (void)context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    pair->contacts[i].material.friction = (float)pair->state;
    pair->contacts[i].rejected = (pair->state + pair->contacts[i].contact.a.index) % 5 == 0;
  }
  pair->state++;
}

/* Rough ground across the middle of them, of triangles in one surface. */
static void add_ground(mo_scene *scene, rng *r) {
  test_mesh mesh = test_mesh_make(TEST_MESH_TERRAIN, 100, r);
  mo_mesh_def def = test_mesh_def(&mesh);
  def.build.edges = true;
  mo_mesh *built;
  need(mo_mesh_create(&def, &built), "make a mesh");
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  shape.transform.x_axis.x = shape.transform.y_axis.y = 5;
  mo_shape_id id;
  need(mo_scene_add_shape(scene, &shape, &id), "add a mesh");
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}

static bool accept_few(const mo_pair *pair, uint64_t user_data_a, uint64_t user_data_b,
                       void *context) {
  (void)user_data_a;
  (void)user_data_b;
  (void)context;
  return (pair->a.index + pair->b.index) % 64 == 0;
}

/* Crossings of some pairs, or the first few of them, where every shape is a sensor. */
static uint64_t hash_crossings(uint64_t sum, const mo_scene *scene, mo_impact_search search,
                               uint32_t capacity) {
  static mo_crossing crossings[COUNT];
  uint32_t total;
  search.sensor_categories = UINT64_MAX;
  search.accept = accept_few;
  need(mo_scene_find_crossings(scene, &search, crossings, capacity, &total, NULL),
       "find crossings");
  need(total > COUNT / 10 && total <= COUNT ? MO_OK : MO_ERROR_CORRUPT, "expect their number");
  sum = fnv1a(sum, &total, sizeof total);
  for (uint32_t i = 0; i < total && i < capacity; i++) {
    sum = fnv1a(sum, &crossings[i].pair, sizeof crossings[i].pair);
    sum = fnv1a(sum, &crossings[i].enter, sizeof crossings[i].enter);
    sum = fnv1a(sum, &crossings[i].leave, sizeof crossings[i].leave);
  }
  return sum;
}

/* The first impacts of all shapes, each on its way somewhere, and what they cross. */
static uint64_t hash_impacts(uint64_t sum, const mo_scene *scene, const mo_shape_id *ids, rng *r) {
  static mo_mover movers[COUNT];
  static mo_mover_memory memory[COUNT];
  static mo_impact impacts[COUNT];
  for (int i = 0; i < COUNT; i++) {
    mo_transform at;
    need(mo_scene_get_transform(scene, ids[i], &at), "read a transform");
    movers[i] = (mo_mover){.shape = ids[i], .movement = {.pivot = at.origin}};
    movers[i].movement.displacement = rng_vec3(r, -2, 2);
    movers[i].movement.axis = rng_direction(r);
    movers[i].movement.angle = rng_float(r, -1, 1);
    movers[i].partners = (mo_impact_partners)rng_below(r, 3);
  }
  mo_impact_search search = mo_default_impact_search();
  search.movers = movers;
  search.memory = memory;
  search.count = COUNT;
  need(mo_scene_find_impacts(scene, &search, impacts, NULL, NULL), "find impacts");
  for (int i = 0; i < COUNT; i++) {
    const mo_impact *impact = &impacts[i];
    sum = fnv1a(sum, &impact->found, sizeof impact->found);
    if (impact->found) {
      sum = fnv1a(sum, &impact->other, sizeof impact->other);
      sum = fnv1a(sum, &impact->t, sizeof impact->t);
      sum = fnv1a(sum, &impact->point, sizeof impact->point);
      sum = fnv1a(sum, &impact->normal, sizeof impact->normal);
    }
  }
  sum = hash_crossings(sum, scene, search, COUNT);
  return hash_crossings(sum, scene, search, COUNT / 20);
}

/* All contacts, events and impacts of some frames, with memory that is written in between. */
/* The islands of bodies, contacts and joints. */
static uint64_t hash_islands(uint64_t sum, mo_contact_tracker *tracker, uint32_t joint_count) {
  mo_islands islands;
  mo_contact_tracker_stats stats;
  need(mo_contact_tracker_find_islands(tracker, &islands), "find islands");
  need(mo_contact_tracker_get_stats(tracker, &stats), "count");
  sum = fnv1a(sum, islands.shapes, islands.shape_count * sizeof *islands.shapes);
  sum = fnv1a(sum, islands.kept_awake, islands.island_count * sizeof *islands.kept_awake);
  sum = fnv1a(sum, islands.island_of_contact,
              stats.contact_count * sizeof *islands.island_of_contact);
  return fnv1a(sum, islands.island_of_joint, joint_count * sizeof *islands.island_of_joint);
}

/* Moves with a velocity. */
static void move_fast(mo_scene *scene, mo_shape_id id, const mo_transform *transform, rng *r) {
  mo_vec3 velocity = rng_vec3(r, -20, 20);
  mo_update_def def = mo_default_update_def();
  def.ids = &id;
  def.transforms = transform;
  def.velocities = &velocity;
  def.lookahead = 1.0f / 60;
  def.count = 1;
  need(mo_scene_update(scene, &def), "move with a velocity");
}

/* With `has_bodies`, shapes belong to bodies, whose contacts are merged and follow velocities. */
static uint64_t run_with(uint64_t seed, mo_tree_policy policy, mo_tasks tasks, float reuse_distance,
                         bool has_bodies) {
  rng r = rng_make(seed);
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.policy = policy;
  scene_def.host.tasks = tasks;
  mo_scene *scene;
  mo_contact_tracker *tracker;
  need(mo_scene_create(&scene_def, &scene), "make a scene");
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  tracker_def.modify = modify;
  tracker_def.reuse_distance = reuse_distance;
  tracker_def.merge_coplanar = has_bodies;
  tracker_def.max_speculative_distance = has_bodies ? 0.1f : 0.0f;
  need(mo_contact_tracker_create(scene, &tracker_def, &tracker), "make a tracker");
  mo_shape_id ids[COUNT];
  for (int i = 0; i < COUNT; i++) {
    mo_shape_def def = random_shape(&r);
    def.body = has_bodies ? rng_below(&r, COUNT / 4) : 0;
    def.motion = has_bodies && i % 16 == 15 ? MO_MOTION_KINEMATIC : MO_MOTION_DYNAMIC;
    need(mo_scene_add_shape(scene, &def, &ids[i]), "add a shape");
  }
  add_ground(scene, &r);
  const mo_pair joints[2] = {{ids[0], ids[1]}, {ids[2], ids[15]}};
  need(mo_contact_tracker_set_joints(tracker, joints, has_bodies ? 2 : 0), "set joints");
  uint64_t sum = FNV1A_BEGIN;
  const int frames = has_bodies ? FRAMES / 2 : FRAMES;
  for (int frame = 0; frame < frames; frame++) {
    mo_contact_events events;
    need(mo_scene_update(scene, NULL), "update");
    need(mo_contact_tracker_update(tracker, &events), "find contacts");
    need(mo_contact_tracker_validate(tracker), "keep contacts in order");
    sum = fnv1a(sum, events.begins, events.begin_count * sizeof(mo_pair));
    sum = fnv1a(sum, events.ends, events.end_count * sizeof(mo_pair));
    for (uint32_t i = 0; i < events.contact_count; i++) {
      sum = hash_contact(sum, &events.contacts[i]);
      events.contacts[i].memory[0].values[frame % 4] += (float)i;
    }
    sum = has_bodies ? hash_islands(sum, tracker, 2) : sum;
    if (frame == frames - 1 && !has_bodies) {
      sum = hash_impacts(sum, scene, ids, &r);
    }
    mo_contact_tracker_stats stats;
    need(mo_contact_tracker_get_stats(tracker, &stats), "count");
    sum = fnv1a(sum, &stats.resting_count, sizeof stats.resting_count);
    mo_motion motion = frame % 2 == 0 ? MO_MOTION_SLEEPING : MO_MOTION_DYNAMIC;
    need(mo_scene_set_motion(scene, ids, COUNT / 2, motion, NULL), "put to sleep, or wake");
    for (int i = 0; i < COUNT / 3; i++) {
      mo_transform transform = mo_transform_identity();
      transform.origin = rng_vec3(&r, -5, 5);
      uint32_t moved = rng_below(&r, COUNT);
      if (i % 2 == 0) { /* a little */
        need(mo_scene_get_transform(scene, ids[moved], &transform), "read a transform");
        transform.origin.x += rng_float(&r, -0.02f, 0.02f);
      }
      if (has_bodies && i % 4 < 2) {
        move_fast(scene, ids[moved], &transform, &r);
      } else {
        need(mo_scene_set_transform(scene, ids[moved], &transform), "move");
      }
    }
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  return sum;
}

static uint64_t run(uint64_t seed, mo_tree_policy policy, mo_tasks tasks) {
  return run_with(seed, policy, tasks, 0, false) ^ run_with(seed + 1, policy, tasks, 0.05f, false) ^
         run_with(seed + 2, policy, tasks, 0.02f, true);
}

int main(void) {
  static const uint32_t workers[] = {2, 4, 8, 0};
  return count_differences(run, rng_seed("contact/threads", 914), workers) == 0 ? 0 : 1;
}
