/* Rapier, by its C interface rapier-ffi: a world of colliders without bodies. Its only step then
 * finds pairs and contacts, and solves nothing; pairs are not timed by themselves. Contacts are
 * found from two millimetres on, as is its default, and carried along while two bodies hardly move
 * against each other.
 *
 * The interface gives contacts to hooks alone, and of those of a manifold only how many there are
 * and the first. Hooks are off while a step is timed. Contacts are read by further steps at the
 * same poses: one as before, for their number, and one that drops those that do not touch. */
#include <stdlib.h>

#include "common/check.h"
#include "rapier.h"
#include "step.h"
#include "timing.h"

typedef struct world {
  const bench_step_scene *scene;
  struct RprPhysicsPipeline *pipeline;
  struct RprIslandManager *islands;
  struct RprBroadPhase *broad_phase;
  struct RprNarrowPhase *narrow_phase;
  struct RprRigidBodySet *bodies; /* stays empty, as do the joints */
  struct RprColliderSet *colliders;
  struct RprImpulseJointSet *joints;
  struct RprMultibodyJointSet *multibody_joints;
  struct RprCCDSolver *ccd_solver;
  struct RprSharedShape **hulls, **meshes;
  RprColliderHandle *handles; /* of all bodies, whose indices are those of the handles */
  const bench_pose *poses;    /* of the last step */
  /* Of the bodies that move. Where bones of a figure must not collide, a timed step has one. */
  RprActiveHooks active_hooks, timed_hooks;
} world;

/* What a step in which contacts are read is for. Hooks get no pointer of ours, so it is static. */
static struct reading {
  const bench_piece *pieces;
  size_t pairs, points;
  bench_visit_touch *visit; /* null: they are only counted */
  void *context;
} reading;

/* Its cylinders are along y: they turn by a right angle about x. */
static struct RprIsometry placed(const bench_piece *piece, const bench_pose *pose) {
  const float half = 0.70710678f; /* sine and cosine of half of the angle */
  const mo_quat q = pose->rotation;
  struct RprRotation rotation = rapier_rotation(q);
  if (piece->kind == BENCH_PIECE_CYLINDER) {
    rotation = (struct RprRotation){half * (q.w + q.x), half * (q.y + q.z), half * (q.z - q.y),
                                    half * (q.w - q.x)};
  }
  return (struct RprIsometry){.rotation = rotation, .translation = rapier_vector(pose->position)};
}

/* A collider takes over a reference to its shape. */
static struct RprSharedShape *shared(struct RprSharedShape *shape) {
  RprSharedShape_acquire(shape);
  return shape;
}

static struct RprSharedShape *make_shape(const world *w, const bench_piece *piece) {
  const mo_vec3 half = piece->half;
  switch (piece->kind) {
  case BENCH_PIECE_BALL:
    return RprSharedShape_ball(half.x);
  case BENCH_PIECE_CAPSULE:
    return RprSharedShape_capsule((struct RprVector){0, 0, -half.z},
                                  (struct RprVector){0, 0, half.z}, half.x);
  case BENCH_PIECE_CYLINDER:
    return RprSharedShape_cylinder(half.z, half.x);
  case BENCH_PIECE_HULL:
    return shared(w->hulls[piece->shape]);
  case BENCH_PIECE_MESH:
    return shared(w->meshes[piece->shape]);
  default:
    return RprSharedShape_cuboid(half.x, half.y, half.z);
  }
}

static void make_shared_shapes(world *w) {
  const bench_step_scene *scene = w->scene;
  w->hulls = allocate(scene->hull_count, sizeof *w->hulls);
  w->meshes = allocate(scene->mesh_count, sizeof *w->meshes);
  for (size_t i = 0; i < scene->hull_count; i++) {
    w->hulls[i] = rapier_hull(scene->hulls[i].points, scene->hulls[i].count, 1);
  }
  for (size_t i = 0; i < scene->mesh_count; i++) {
    w->meshes[i] = rapier_mesh(scene->meshes[i], 1);
  }
}

/* Without a body it counts as fixed: two such meet if one of them wants to. */
static void add_collider(world *w, uint32_t i) {
  const bench_piece *piece = &w->scene->pieces[i];
  struct RprColliderBuilder *builder = RprColliderBuilder_new(make_shape(w, piece));
  RprColliderBuilder_position(builder, placed(piece, &w->scene->start[i]));
  RprColliderBuilder_active_collision_types(
      builder, piece->mass > 0 ? RprActiveCollisionTypes_FIXED_FIXED : 0);
  if (piece->mass > 0) {
    RprColliderBuilder_active_hooks(builder, w->timed_hooks);
  }
  w->handles[i] = RprColliderSet_insert(w->colliders, RprColliderBuilder_build(builder));
  RprColliderBuilder_drop(builder);
  if (w->handles[i].index != i) {
    fail("Rapier does not number colliders in the order of their insertion");
  }
}

static RprSolverFlags filter_pair(const struct RprPairFilterContext *context) {
  const uint32_t a = RprPairFilterContext_collider1(context).index;
  const uint32_t b = RprPairFilterContext_collider2(context).index;
  const uint32_t group = reading.pieces[a].group;
  if (group != 0 && group == reading.pieces[b].group) {
    return 0;
  }
  reading.pairs++;
  return RprSolverFlags_COMPUTE_IMPULSES;
}

static bool filter_intersection(const struct RprPairFilterContext *context) {
  (void)context;
  return true;
}

static void read_manifold(struct RprContactModificationContext *context) {
  const struct RprContactData *points;
  size_t count;
  RprContactManifold_points(RprContactModificationContext_manifold(context), &points, &count);
  reading.points += count;
  const struct RprSolverContact *contacts;
  RprContactModificationContext_solver_contacts(context, &contacts, &count);
  if (reading.visit != NULL && count > 0) {
    const uint32_t a = RprContactModificationContext_collider1(context).index;
    const uint32_t b = RprContactModificationContext_collider2(context).index;
    const bench_touch touch = {a < b ? a : b, a < b ? b : a, RprSolverContact_dist(contacts)};
    reading.visit(&touch, reading.context);
  }
}

static const struct RprPhysicsHooks hooks = {filter_pair, filter_intersection, read_manifold};

static void place(world *w, RprActiveHooks active_hooks) {
  for (uint32_t i = w->scene->static_count; i < w->scene->count; i++) {
    struct RprCollider *collider = RprColliderSet_get_mut(w->colliders, w->handles[i]);
    const bench_pose *pose = &w->poses[i - w->scene->static_count];
    RprCollider_set_position(collider, placed(&w->scene->pieces[i], pose));
    if (active_hooks != w->active_hooks) {
      RprCollider_set_active_hooks(collider, active_hooks);
    }
  }
  w->active_hooks = active_hooks;
}

static void find_contacts(world *w, struct RprIntegrationParameters parameters) {
  reading.pieces = w->scene->pieces;
  RprPhysicsPipeline_step(w->pipeline, (struct RprVector){0, 0, 0}, parameters, w->islands,
                          w->broad_phase, w->narrow_phase, w->bodies, w->colliders, w->joints,
                          w->multibody_joints, w->ccd_solver, NULL, &hooks, NULL);
}

static void *create(const bench_step_engine *engine, const bench_step_scene *scene) {
  (void)engine;
  world *w = allocate(1, sizeof *w);
  w->scene = scene;
  w->pipeline = RprPhysicsPipeline_new();
  w->islands = RprIslandManager_new();
  w->broad_phase = RprBroadPhase_new();
  w->narrow_phase = RprNarrowPhase_new();
  w->bodies = RprRigidBodySet_new();
  w->colliders = RprColliderSet_new();
  w->joints = RprImpulseJointSet_new();
  w->multibody_joints = RprMultibodyJointSet_new();
  w->ccd_solver = RprCCDSolver_new();
  make_shared_shapes(w);
  for (uint32_t i = 0; i < scene->count; i++) {
    if (scene->pieces[i].group != 0) {
      w->timed_hooks = RprActiveHooks_FILTER_CONTACT_PAIRS;
    }
  }
  w->active_hooks = w->timed_hooks;
  w->handles = allocate(scene->count, sizeof *w->handles);
  for (uint32_t i = 0; i < scene->count; i++) {
    add_collider(w, i);
  }
  w->poses = scene->start + scene->static_count;
  find_contacts(w, RprIntegrationParameters_default());
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  RprPhysicsPipeline_drop(w->pipeline);
  RprIslandManager_drop(w->islands);
  RprBroadPhase_drop(w->broad_phase);
  RprNarrowPhase_drop(w->narrow_phase);
  RprRigidBodySet_drop(w->bodies);
  RprColliderSet_drop(w->colliders);
  RprImpulseJointSet_drop(w->joints);
  RprMultibodyJointSet_drop(w->multibody_joints);
  RprCCDSolver_drop(w->ccd_solver);
  for (size_t i = 0; i < w->scene->hull_count; i++) {
    RprSharedShape_release(w->hulls[i]);
  }
  for (size_t i = 0; i < w->scene->mesh_count; i++) {
    RprSharedShape_release(w->meshes[i]);
  }
  free(w->hulls);
  free(w->meshes);
  free(w->handles);
  free(w);
}

static bench_step_times step(void *opaque, const bench_pose *poses) {
  world *w = opaque;
  w->poses = poses;
  if (w->active_hooks != w->timed_hooks) {
    place(w, w->timed_hooks);
  }
  double begin = bench_clock();
  place(w, w->timed_hooks);
  double placed_all = bench_clock();
  find_contacts(w, RprIntegrationParameters_default());
  double end = bench_clock();
  return (bench_step_times){1e3 * (placed_all - begin), 0, 1e3 * (end - placed_all)};
}

static void read_contacts(world *w, struct RprIntegrationParameters parameters) {
  reading.pairs = reading.points = 0;
  place(w, RprActiveHooks_FILTER_CONTACT_PAIRS | RprActiveHooks_MODIFY_SOLVER_CONTACTS);
  find_contacts(w, parameters);
}

static void touches(void *opaque, bench_visit_touch *visit, void *context) {
  struct RprIntegrationParameters parameters = RprIntegrationParameters_default();
  parameters.prediction_distance = 0;
  reading.visit = visit;
  reading.context = context;
  read_contacts(opaque, parameters);
  reading.visit = NULL;
}

static void count(void *opaque, size_t *pairs, size_t *points) {
  read_contacts(opaque, RprIntegrationParameters_default());
  *pairs = reading.pairs;
  *points = reading.points;
}

extern const bench_step_engine bench_step_rapier;
const bench_step_engine bench_step_rapier = {
    .id = {"rapier", BENCH_RAPIER_VERSION},
    .workers = 1,
    .band = 0.003,
    .create = create,
    .destroy = destroy,
    .step = step,
    .touches = touches,
    .count = count,
};
