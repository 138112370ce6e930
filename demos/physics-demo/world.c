#include "physics-demo/world.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/picture.h"
#include "common/vector.h"
#include "physics-demo/collision.h"

static bool accept_pair(const mo_pair *pair, uint64_t a, uint64_t b, void *context) {
  (void)pair;
  return !world_are_linked(context, a, b);
}

static void create_trackers(struct world *world, const struct world_def *def) {
  mo_contact_tracker_def tracker = mo_default_contact_tracker_def();
  tracker.speculative_distance = SPECULATIVE_DISTANCE;
  tracker.reuse_distance = def->reuse_distance;
  tracker.accept = accept_pair;
  tracker.context = world;
  check(mo_contact_tracker_create(world->scene, &tracker, &world->tracker), "track contacts");
  if (def->time_pairs) {
    check(mo_pair_tracker_create(world->scene, NULL, &world->pairs), "track pairs");
  }
}

/* Soft enough for an iterative solver, and bodies that hardly move fall asleep together. */
static dWorldID create_ode_world(const struct world_def *def) {
  dWorldID ode = dWorldCreate();
  dWorldSetGravity(ode, 0, -9.81, 0);
  dWorldSetERP(ode, 0.2);
  dWorldSetCFM(ode, 1e-6);
  dWorldSetContactMaxCorrectingVel(ode, def->settles ? 1 : 3);
  dWorldSetContactSurfaceLayer(ode, 0.002);
  dWorldSetQuickStepNumIterations(ode, (int)def->iterations);
  dWorldSetLinearDamping(ode, def->settles ? 0.01 : 0.0005);
  dWorldSetAngularDamping(ode, def->settles ? 0.05 : 0.01);
  dWorldSetAutoDisableFlag(ode, !def->never_sleeps);
  dWorldSetAutoDisableTime(ode, 0.5);
  dWorldSetAutoDisableSteps(ode, 0);
  dWorldSetAutoDisableLinearThreshold(ode, 0.08);
  dWorldSetAutoDisableAngularThreshold(ode, 0.25);
  dWorldSetAutoDisableAverageSamplesCount(ode, def->settles ? 30 : 10);
  return ode;
}

struct world *world_create(const struct world_def *def) {
  struct world *world = allocate(1, sizeof *world);
  world->step = def->step;
  world->ode = create_ode_world(def);
  world->contacts = dJointGroupCreate(0);
  dRandSetSeed(1);
  mo_scene_def scene = mo_default_scene_def();
  scene.host.tasks = def->tasks;
  scene.margin = 0.5f * SPECULATIVE_DISTANCE;
  check(mo_scene_create(&scene, &world->scene), "create a scene");
  if (def->collision == COLLISION_MOTTE) {
    create_trackers(world, def);
  } else {
    world->space = ode_space_create();
  }
  return world;
}

void world_destroy(struct world *world) {
  mo_contact_tracker_destroy(world->tracker);
  mo_pair_tracker_destroy(world->pairs);
  mo_scene_destroy(world->scene);
  if (world->space != NULL) {
    dSpaceDestroy(world->space);
  }
  dJointGroupDestroy(world->contacts);
  dWorldDestroy(world->ode);
  for (uint32_t i = 0; i < world->solid_count; i++) {
    solid_destroy(world->solids[i]);
  }
  free(world->solids);
  free(world->bodies);
  free(world->colors);
  free(world->moved_ids);
  free(world->moved_transforms);
  free(world);
}

static void *grow(void *memory, size_t count, size_t size) {
  void *grown = realloc(memory, count * size);
  if (grown == NULL) {
    fail("cannot allocate %zu items of %zu bytes", count, size);
  }
  return grown;
}

struct solid *world_keep(struct world *world, struct solid *solid) {
  world->solids = grow(world->solids, world->solid_count + 1u, sizeof *world->solids);
  world->solids[world->solid_count++] = solid;
  return solid;
}

struct body_def world_default_body(mo_shape_type type) {
  return (struct body_def){
      .geometry = mo_default_shape_def(type).geometry,
      .rotation = {0.0f, 0.0f, 0.0f, 1.0f},
      .density = 500.0f,
      .friction = 0.6f,
      .color = 0xa3afbf,
  };
}

static dBodyID create_ode_body(dWorldID ode, const struct body_def *def) {
  dBodyID body = dBodyCreate(ode);
  dMass mass = mass_of(&def->geometry, def->solid, def->density);
  dBodySetMass(body, &mass);
  mo_vec3 p = def->position, v = def->velocity;
  mo_quat q = def->rotation;
  const dQuaternion rotation = {(dReal)q.w, (dReal)q.x, (dReal)q.y, (dReal)q.z};
  dBodySetPosition(body, (dReal)p.x, (dReal)p.y, (dReal)p.z);
  dBodySetQuaternion(body, rotation);
  dBodySetLinearVel(body, (dReal)v.x, (dReal)v.y, (dReal)v.z);
  return body;
}

static mo_shape_id add_shape(struct world *world, const struct body_def *def,
                             const mo_transform *transform) {
  mo_shape_def shape = mo_default_shape_def(def->geometry.type);
  shape.geometry = def->geometry;
  shape.transform = *transform;
  shape.motion = def->density > 0.0f ? MO_MOTION_DYNAMIC : MO_MOTION_STATIC;
  shape.user_data = world->count;
  shape.category = def->unseen ? UNSEEN : SEEN;
  mo_shape_id id;
  check(mo_scene_add_shape(world->scene, &shape, &id), "add a shape");
  return id;
}

uint32_t world_add(struct world *world, const struct body_def *def) {
  if (world->count == world->capacity) {
    world->capacity = world->capacity ? 2 * world->capacity : 64;
    world->bodies = grow(world->bodies, world->capacity, sizeof *world->bodies);
    world->colors = grow(world->colors, world->capacity, sizeof *world->colors);
    world->moved_ids = grow(world->moved_ids, world->capacity, sizeof *world->moved_ids);
    world->moved_transforms =
        grow(world->moved_transforms, world->capacity, sizeof *world->moved_transforms);
  }
  struct body body = {
      .geometry = def->geometry,
      .solid = def->solid,
      .transform = mo_transform_make(def->position, def->rotation, vec3(1.0f, 1.0f, 1.0f)),
      .start = def->position,
      .friction = def->friction,
      .bounce = def->bounce,
      .fast = def->fast,
  };
  if (def->density > 0.0f) {
    body.ode = create_ode_body(world->ode, def);
    dBodySetData(body.ode, (void *)(uintptr_t)world->count);
  }
  body.shape = add_shape(world, def, &body.transform);
  if (world->space != NULL) {
    body.geom = ode_geom_create(world, &body, world->count);
  }
  world->bodies[world->count] = body;
  world->colors[world->count] = light_of_color(def->color);
  return world->count++;
}

bool world_are_linked(const struct world *world, uint64_t a, uint64_t b) {
  dBodyID first = world->bodies[a].ode, second = world->bodies[b].ode;
  return first != NULL && second != NULL &&
         dAreConnectedExcluding(first, second, dJointTypeContact);
}

mo_transform body_transform(dBodyID body) {
  const dReal *p = dBodyGetPosition(body), *r = dBodyGetRotation(body);
  return (mo_transform){
      .x_axis = vec3((float)r[0], (float)r[4], (float)r[8]),
      .y_axis = vec3((float)r[1], (float)r[5], (float)r[9]),
      .z_axis = vec3((float)r[2], (float)r[6], (float)r[10]),
      .origin = vec3((float)p[0], (float)p[1], (float)p[2]),
  };
}

void world_update_shapes(struct world *world) {
  mo_update_def update = mo_default_update_def();
  update.ids = world->moved_ids;
  update.transforms = world->moved_transforms;
  for (uint32_t i = 0; i < world->count; i++) {
    struct body *body = &world->bodies[i];
    if (body->ode != NULL && !body->asleep) {
      body->transform = body_transform(body->ode);
      world->moved_ids[update.count] = body->shape;
      world->moved_transforms[update.count++] = body->transform;
    }
  }
  check(mo_scene_update(world->scene, &update), "move the shapes");
}

/* Shapes of bodies whose state is not that of the scene any more. */
static void set_motion(struct world *world, bool asleep) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < world->count; i++) {
    struct body *body = &world->bodies[i];
    if (body->ode != NULL && body->asleep != asleep && dBodyIsEnabled(body->ode) != asleep) {
      body->asleep = asleep;
      world->moved_ids[count++] = body->shape;
    }
  }
  mo_motion motion = asleep ? MO_MOTION_SLEEPING : MO_MOTION_DYNAMIC;
  check(mo_scene_set_motion(world->scene, world->moved_ids, count, motion, NULL),
        "put shapes to sleep, or wake them");
}

void world_end_step(struct world *world) {
  dJointGroupEmpty(world->contacts);
  set_motion(world, true);
  set_motion(world, false);
}
