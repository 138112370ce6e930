/* Motte: a scene and a contact tracker. Its update finds pairs and contacts in one; so a second
 * scene with a pair tracker alone tells what the pairs take, and the contacts are what is left. */
#include "step_motte.h"

#include <stdlib.h>
#include <time.h>

#include "common/check.h"
#include "heights.h"
#include "timing.h"

/* --- scenes --- */

static mo_shape_def define(const bench_step_world *w, const bench_piece *piece) {
  static const mo_shape_type types[] = {
      [BENCH_PIECE_BOX] = MO_SHAPE_BOX,         [BENCH_PIECE_BALL] = MO_SHAPE_SPHERE,
      [BENCH_PIECE_CAPSULE] = MO_SHAPE_CAPSULE, [BENCH_PIECE_CYLINDER] = MO_SHAPE_CYLINDER,
      [BENCH_PIECE_HULL] = MO_SHAPE_HULL,       [BENCH_PIECE_MESH] = MO_SHAPE_MESH,
      [BENCH_PIECE_HEIGHTS] = MO_SHAPE_MESH};
  const mo_vec3 half = piece->half, below = {0, 0, -half.z}, above = {0, 0, half.z};
  mo_shape_def def = mo_default_shape_def(types[piece->kind]);
  switch (piece->kind) {
  case BENCH_PIECE_BOX:
    def.geometry.box.half_extents = half;
    break;
  case BENCH_PIECE_BALL:
    def.geometry.sphere.radius = half.x;
    break;
  case BENCH_PIECE_CAPSULE:
    def.geometry.capsule = (mo_capsule){below, above, half.x};
    break;
  case BENCH_PIECE_CYLINDER:
    def.geometry.cylinder = (mo_cylinder){below, above, half.x};
    break;
  case BENCH_PIECE_HULL:
    def.geometry.hull = w->of->hulls[piece->shape].hull;
    break;
  case BENCH_PIECE_MESH:
    def.geometry.mesh = w->meshes[piece->shape];
    break;
  case BENCH_PIECE_HEIGHTS:
    def.geometry.mesh = w->ground;
    break;
  }
  def.body = piece->group;
  def.motion = piece->mass > 0 ? MO_MOTION_DYNAMIC : MO_MOTION_STATIC;
  return def;
}

static mo_transform transform_of(const bench_pose *pose) {
  return mo_transform_make(pose->position, pose->rotation, (mo_vec3){1, 1, 1});
}

static void make_meshes(bench_step_world *w) {
  w->meshes = allocate(w->of->mesh_count, sizeof *w->meshes);
  for (size_t i = 0; i < w->of->mesh_count; i++) {
    mo_mesh_def def = bench_mesh_def(w->of->meshes[i]);
    def.build.edges = true;
    check(mo_mesh_create(&def, &w->meshes[i]), "make a mesh");
  }
  if (w->of->ground != NULL) {
    w->ground = bench_motte_ground(w->of->ground);
  }
}

void bench_step_world_create(bench_step_world *w, const bench_step_scene *scene, uint32_t workers) {
  mo_scene_def scene_def = mo_default_scene_def();
  *w = (bench_step_world){.of = scene};
  if (workers > 1) {
    check(mo_task_pool_create(NULL, workers, &w->pool), "start threads");
    scene_def.host.tasks = mo_task_pool_tasks(w->pool);
  }
  /* Half of the distance from which on contacts are found. */
  scene_def.margin = 0.5f * mo_default_contact_tracker_def().speculative_distance;
  check(mo_scene_create(&scene_def, &w->scene), "make a scene");
  make_meshes(w);
  w->ids = allocate(scene->count, sizeof *w->ids);
  w->transforms = allocate(scene->count, sizeof *w->transforms);
  mo_shape_def *defs = allocate(scene->count, sizeof *defs);
  for (uint32_t i = 0; i < scene->count; i++) {
    defs[i] = define(w, &scene->pieces[i]);
    defs[i].transform = transform_of(&scene->start[i]);
    defs[i].user_data = i;
  }
  check(mo_scene_add_shapes(w->scene, defs, scene->count, w->ids, NULL), "add shapes");
  check(mo_scene_update(w->scene, NULL), "update a scene");
  free(defs);
}

void bench_step_world_destroy(bench_step_world *w) {
  mo_scene_destroy(w->scene);
  for (size_t i = 0; i < w->of->mesh_count; i++) {
    mo_mesh_release(w->meshes[i]);
  }
  mo_mesh_release(w->ground);
  free(w->meshes);
  mo_task_pool_destroy(w->pool);
  free(w->ids);
  free(w->transforms);
}

void bench_step_world_place(bench_step_world *w, const bench_pose *poses) {
  for (uint32_t i = w->of->static_count; i < w->of->count; i++) {
    w->transforms[i - w->of->static_count] = transform_of(&poses[i - w->of->static_count]);
  }
}

void bench_step_world_update(bench_step_world *w) {
  mo_update_def def = mo_default_update_def();
  def.ids = w->ids + w->of->static_count;
  def.transforms = w->transforms;
  def.count = w->of->count - w->of->static_count;
  check(mo_scene_update(w->scene, &def), "move shapes");
}

/* --- engines --- */

typedef struct world {
  bench_step_world main, twin;
  bool alone;
  mo_contact_tracker *contacts;
  mo_pair_tracker *pairs; /* of the twin */
  mo_contact_events found;
} world;

static void *create(const bench_step_engine *engine, const bench_step_scene *scene) {
  world *w = allocate(1, sizeof *w);
  w->alone = engine->workers == 1;
  bench_step_world_create(&w->main, scene, engine->workers);
  bench_step_world_create(&w->twin, scene, engine->workers);
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.reuse_distance = engine->reuse_distance;
  check(mo_contact_tracker_create(w->main.scene, &def, &w->contacts), "make a contact tracker");
  check(mo_pair_tracker_create(w->twin.scene, NULL, &w->pairs), "make a pair tracker");
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  mo_contact_tracker_destroy(w->contacts);
  mo_pair_tracker_destroy(w->pairs);
  bench_step_world_destroy(&w->main);
  bench_step_world_destroy(&w->twin);
  free(w);
}

/* Milliseconds: of one worker alone of processor time; of several of wall time. */
static double now(const world *w) {
  struct timespec t;
  if (w->alone) {
    return 1e3 * bench_clock();
  }
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static bench_step_times step(void *opaque, const bench_pose *poses) {
  world *w = opaque;
  bench_step_world_place(&w->twin, poses);
  bench_step_world_update(&w->twin);
  double begin = now(w);
  check(mo_pair_tracker_update(w->pairs, NULL), "find pairs");
  double pairs = now(w) - begin;
  bench_step_world_place(&w->main, poses);
  begin = now(w);
  bench_step_world_update(&w->main);
  double middle = now(w);
  check(mo_contact_tracker_update(w->contacts, &w->found), "find contacts");
  double both = now(w) - middle;
  pairs = pairs < both ? pairs : both;
  return (bench_step_times){middle - begin, pairs, both - pairs};
}

static void touches(void *opaque, bench_visit_touch *visit, void *context) {
  const world *w = opaque;
  for (uint32_t i = 0; i < w->found.contact_count; i++) {
    const mo_contact *c = &w->found.contacts[i].contact;
    for (uint32_t p = 0; p < c->manifold.point_count; p++) {
      uint32_t a = (uint32_t)c->user_data_a, b = (uint32_t)c->user_data_b;
      const bench_touch touch = {a < b ? a : b, a < b ? b : a, c->manifold.points[p].separation};
      visit(&touch, context);
    }
  }
}

static void count(void *opaque, size_t *pairs, size_t *points) {
  const world *w = opaque;
  *pairs = mo_pair_tracker_pair_count(w->pairs);
  *points = 0;
  for (uint32_t i = 0; i < w->found.contact_count; i++) {
    *points += w->found.contacts[i].contact.manifold.point_count;
  }
}

/* Without the twin, which users do not have. */
static size_t bytes(void *opaque) {
  const world *w = opaque;
  const bench_step_scene *scene = w->main.of;
  mo_scene_stats shapes;
  mo_contact_tracker_stats contacts;
  check(mo_scene_get_stats(w->main.scene, &shapes), "read statistics of a scene");
  check(mo_contact_tracker_get_stats(w->contacts, &contacts), "read statistics of contacts");
  size_t sum = shapes.bytes + contacts.bytes;
  for (size_t i = 0; i < scene->mesh_count; i++) {
    mo_mesh_stats mesh;
    check(mo_mesh_get_stats(w->main.meshes[i], &mesh), "read the size of a mesh");
    sum += mesh.bytes;
  }
  for (size_t i = 0; i < scene->hull_count; i++) {
    mo_hull_info info;
    check(mo_hull_get_info(scene->hulls[i].hull, &info), "read the size of a hull");
    sum += info.bytes;
  }
  return sum;
}

#define ENGINE(label, number, distance)                                                            \
  {                                                                                                \
    .id = {label, NULL}, .workers = number, .reuse_distance = distance,                            \
    .band = 2 * (double)(distance), .create = create, .destroy = destroy, .step = step,            \
    .touches = touches, .count = count, .bytes = bytes,                                            \
  }

/* Two millimetres: a tenth of the distance from which on contacts are looked for. Five: a tenth of
 * what Box3D allows. */
const bench_step_engine bench_step_motte_engines[] = {
    ENGINE("motte", 1, 0),
    ENGINE("motte-reuse", 1, 0.002f),
    ENGINE("motte-reuse-5mm", 1, 0.005f),
    ENGINE("motte-2-workers", 2, 0),
    {.id = {NULL, NULL}},
};
