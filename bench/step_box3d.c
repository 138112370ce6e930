/* Box3D: a world that takes a step of no length, which finds pairs and contacts, and solves
 * nothing. "box3d" carries contacts along while bodies have moved by less than five centimetres
 * since they were found, as is its default; "box3d-no-reuse" finds them anew, and still begins with
 * the axis of the step before. Cylinders are prisms of 32 sides. Contacts with triangles are half a
 * centimetre deeper than the shapes overlap. */
#include <math.h>
#include <stdlib.h>

#include "box3d.h"
#include "common/check.h"
#include "step.h"
#include "timing.h"

enum { SIDES = 32 };

typedef struct world {
  const bench_step_scene *scene;
  b3WorldId id;
  b3BodyId *bodies;
  b3ContactData *contacts; /* of one body */
  int contact_capacity;
  b3HullData **hulls;
  b3MeshData **meshes;
  b3HeightFieldData *heights;
  size_t bytes;
} world;

static void add_prism(b3BodyId body, const b3ShapeDef *def, mo_vec3 half) {
  b3Vec3 points[2 * SIDES];
  for (int i = 0; i < 2 * SIDES; i++) {
    float angle = 6.2831853f * (float)(i / 2) / SIDES;
    points[i] = (b3Vec3){half.x * cosf(angle), half.x * sinf(angle), i % 2 == 0 ? half.z : -half.z};
  }
  b3HullData *hull = b3CreateHull(points, 2 * SIDES, 2 * SIDES);
  b3CreateHullShape(body, def, hull);
  b3DestroyHull(hull);
}

static void add_shape(world *w, b3BodyId body, const bench_piece *piece, const b3ShapeDef *def) {
  const mo_vec3 half = piece->half;
  switch (piece->kind) {
  case BENCH_PIECE_BALL:
    b3CreateSphereShape(body, def, &(b3Sphere){{0, 0, 0}, half.x});
    break;
  case BENCH_PIECE_CAPSULE:
    b3CreateCapsuleShape(body, def, &(b3Capsule){{0, 0, -half.z}, {0, 0, half.z}, half.x});
    break;
  case BENCH_PIECE_CYLINDER:
    add_prism(body, def, half);
    break;
  case BENCH_PIECE_HULL:
    b3CreateHullShape(body, def, w->hulls[piece->shape]);
    break;
  case BENCH_PIECE_HEIGHTS:
    b3CreateHeightFieldShape(body, def, w->heights);
    break;
  case BENCH_PIECE_MESH:
    b3CreateMeshShape(body, def, w->meshes[piece->shape], (b3Vec3){1, 1, 1});
    break;
  default: {
    const b3BoxHull box = b3MakeBoxHull(half.x, half.y, half.z);
    b3CreateHullShape(body, def, &box.base);
  }
  }
}

static b3HullData *make_hull(const bench_step_hull *from) {
  b3Vec3 *points = allocate(from->count, sizeof *points);
  for (uint32_t i = 0; i < from->count; i++) {
    points[i] = box3d_vector(from->points[i]);
  }
  b3HullData *hull = b3CreateHull(points, (int)from->count, (int)from->count);
  free(points);
  if (hull == NULL) {
    fail("Box3D cannot make a hull");
  }
  return hull;
}

static void make_shapes(world *w) {
  const bench_step_scene *scene = w->scene;
  w->hulls = allocate(scene->hull_count, sizeof *w->hulls);
  w->meshes = allocate(scene->mesh_count, sizeof *w->meshes);
  for (size_t i = 0; i < scene->hull_count; i++) {
    w->hulls[i] = make_hull(&scene->hulls[i]);
  }
  for (size_t i = 0; i < scene->mesh_count; i++) {
    w->meshes[i] = box3d_mesh(scene->meshes[i], 1, true);
  }
  if (scene->ground != NULL) {
    w->heights = box3d_heights(scene->ground->terrain);
  }
}

static void *create(const bench_step_engine *engine, const bench_step_scene *scene) {
  const int before = b3GetByteCount();
  world *w = allocate(1, sizeof *w);
  w->scene = scene;
  b3WorldDef world_def = b3DefaultWorldDef();
  world_def.enableSleep = false;
  w->id = b3CreateWorld(&world_def);
  if (!*(const bool *)engine->variant) {
    b3World_SetContactRecycleDistance(w->id, 0);
  }
  make_shapes(w);
  w->bodies = allocate(scene->count, sizeof *w->bodies);
  for (uint32_t i = 0; i < scene->count; i++) {
    b3BodyDef def = b3DefaultBodyDef();
    def.type = scene->pieces[i].mass > 0 ? b3_dynamicBody : b3_staticBody;
    def.position = box3d_vector(scene->start[i].position);
    def.rotation = box3d_rotation(scene->start[i].rotation);
    w->bodies[i] = b3CreateBody(w->id, &def);
    b3ShapeDef shape = b3DefaultShapeDef();
    shape.userData = (void *)(uintptr_t)i;
    shape.filter.groupIndex = -(int)scene->pieces[i].group;
    add_shape(w, w->bodies[i], &scene->pieces[i], &shape);
  }
  w->bytes = (size_t)(b3GetByteCount() - before);
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  b3DestroyWorld(w->id);
  for (size_t i = 0; i < w->scene->hull_count; i++) {
    b3DestroyHull(w->hulls[i]);
  }
  for (size_t i = 0; i < w->scene->mesh_count; i++) {
    b3DestroyMesh(w->meshes[i]);
  }
  if (w->heights != NULL) {
    b3DestroyHeightField(w->heights);
  }
  free(w->hulls);
  free(w->meshes);
  free(w->bodies);
  free(w->contacts);
  free(w);
}

/* Its own clock, which is no processor time, tells what share of the step the pairs took. */
static bench_step_times step(void *opaque, const bench_pose *poses) {
  world *w = opaque;
  const uint32_t statics = w->scene->static_count;
  const int before = b3GetByteCount();
  double begin = bench_clock();
  for (uint32_t i = statics; i < w->scene->count; i++) {
    const bench_pose *pose = &poses[i - statics];
    b3Body_SetTransform(w->bodies[i], box3d_vector(pose->position), box3d_rotation(pose->rotation));
  }
  double placed = bench_clock();
  b3World_Step(w->id, 0, 1);
  const double both = 1e3 * (bench_clock() - placed);
  w->bytes += (size_t)(b3GetByteCount() - before);
  const b3Profile profile = b3World_GetProfile(w->id);
  const double share = profile.step > 0 ? (double)profile.pairs / (double)profile.step : 0;
  return (bench_step_times){1e3 * (placed - begin), share * both, (1 - share) * both};
}

/* Reads the contacts of a body. */
static int read_contacts(world *w, b3BodyId body) {
  int capacity = b3Body_GetContactCapacity(body);
  if (capacity > w->contact_capacity) {
    free(w->contacts);
    w->contacts = allocate((size_t)capacity, sizeof *w->contacts);
    w->contact_capacity = capacity;
  }
  return capacity > 0 ? b3Body_GetContactData(body, w->contacts, capacity) : 0;
}

static uint32_t body_of(b3ShapeId shape) {
  return (uint32_t)(uintptr_t)b3Shape_GetUserData(shape);
}

/* Contacts are those of the first body of two. */
static void touches(void *opaque, bench_visit_touch *visit, void *context) {
  world *w = opaque;
  for (uint32_t i = 0; i < w->scene->count; i++) {
    int count = read_contacts(w, w->bodies[i]);
    for (int c = 0; c < count; c++) {
      const b3ContactData *contact = &w->contacts[c];
      uint32_t a = body_of(contact->shapeIdA), b = body_of(contact->shapeIdB);
      for (int m = 0; a == i && m < contact->manifoldCount; m++) {
        for (int p = 0; p < contact->manifolds[m].pointCount; p++) {
          float separation = contact->manifolds[m].points[p].separation;
          const bench_touch touch = {a < b ? a : b, a < b ? b : a, separation};
          if (separation <= 0) {
            visit(&touch, context);
          }
        }
      }
    }
  }
}

static void count(void *opaque, size_t *pairs, size_t *points) {
  world *w = opaque;
  *pairs = (size_t)b3World_GetCounters(w->id).awakeContactCount;
  *points = 0;
  for (uint32_t i = 0; i < w->scene->count; i++) {
    int found = read_contacts(w, w->bodies[i]);
    for (int c = 0; c < found; c++) {
      for (int m = 0; body_of(w->contacts[c].shapeIdA) == i && m < w->contacts[c].manifoldCount;
           m++) {
        *points += (size_t)w->contacts[c].manifolds[m].pointCount;
      }
    }
  }
}

static size_t bytes(void *opaque) {
  return ((const world *)opaque)->bytes;
}

#define ENGINE(label, does_reuse, most)                                                            \
  {                                                                                                \
    .id = {label, BENCH_BOX3D_VERSION}, .variant = &(const bool){does_reuse}, .workers = 1,        \
    .band = most, .create = create, .destroy = destroy, .step = step, .touches = touches,          \
    .count = count, .bytes = bytes,                                                                \
  }

extern const bench_step_engine bench_step_box3d, bench_step_box3d_no_reuse;
const bench_step_engine bench_step_box3d = ENGINE("box3d", true, 0.02);
const bench_step_engine bench_step_box3d_no_reuse = ENGINE("box3d-no-reuse", false, 0.007);
