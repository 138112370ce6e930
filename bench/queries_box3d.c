/* Box3D: a world with one static body, or many. Its rotations do not scale, so the mesh is scaled
 * before. Casts and overlaps by the world's queries, with points around which there is a radius;
 * impacts are casts, as it finds those of fast bodies by conservative advancement. A cast ends half
 * a centimetre before a touch, or within a round shape by that, and shapes overlap from half a
 * millimetre on. "box3d-boxes" lists triangles that touch the box around the shape in the mesh's
 * frame. A mesh is made without triangles smaller than a quarter of a square millimetre, so lists
 * lack those. There are no cylinders, and no distances from a mesh. */
#include <math.h>
#include <stdlib.h>

#include "box3d.h"
#include "common/check.h"
#include "common/vector.h"
#include "queries.h"

typedef struct world {
  b3WorldId id;
  b3MeshData *mesh;
  b3HeightFieldData *heights;
  b3Transform place;
  bool boxes;
} world;

/* The points of a shape without a place. */
typedef struct cloud {
  mo_vec3 points[BENCH_HULL_POINTS];
  int count;
  float radius;
} cloud;

static void add_boxes(const world *self, const bench_target *target) {
  for (uint32_t i = 0; i < target->box_count; i++) {
    const mo_vec3 half = target->boxes[i].half;
    b3BodyDef body = b3DefaultBodyDef();
    body.position = box3d_vector(target->boxes[i].center);
    b3ShapeDef shape = b3DefaultShapeDef();
    const b3BoxHull box = b3MakeBoxHull(half.x, half.y, half.z);
    b3CreateHullShape(b3CreateBody(self->id, &body), &shape, &box.base);
  }
}

static void *create(const bench_query_engine *engine, const bench_target *target) {
  if (*(const bool *)engine->variant && target->boxes != NULL) {
    return NULL;
  }
  world *self = allocate(1, sizeof *self);
  self->boxes = *(const bool *)engine->variant;
  b3WorldDef def = b3DefaultWorldDef();
  self->id = b3CreateWorld(&def);
  if (target->boxes != NULL) {
    add_boxes(self, target);
    return self;
  }
  const b3BodyDef still = b3DefaultBodyDef();
  const b3ShapeDef shape = b3DefaultShapeDef();
  if (target->ground != NULL) {
    self->heights = box3d_heights(target->ground->terrain);
    b3CreateHeightFieldShape(b3CreateBody(self->id, &still), &shape, self->heights);
    return self;
  }
  self->mesh = box3d_mesh(target->mesh, target->scale, false);
  self->place = (b3Transform){box3d_vector(target->translation), box3d_rotation(target->rotation)};
  b3BodyDef body = still;
  body.position = self->place.p;
  body.rotation = self->place.q;
  b3CreateMeshShape(b3CreateBody(self->id, &body), &shape, self->mesh, (b3Vec3){1, 1, 1});
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  b3DestroyWorld(self->id);
  if (self->mesh != NULL) {
    b3DestroyMesh(self->mesh);
  }
  if (self->heights != NULL) {
    b3DestroyHeightField(self->heights);
  }
  free(self);
}

static bool can(const bench_query_engine *engine, const bench_question *question) {
  if (question->form == BENCH_CYLINDER) {
    return false;
  }
  if (*(const bool *)engine->variant) {
    return question->query == BENCH_QUERY_TRIANGLES;
  }
  return question->query != BENCH_QUERY_TRIANGLES && question->query != BENCH_QUERY_CLOSEST &&
         question->query != BENCH_QUERY_DISTANCE;
}

static cloud make_cloud(const bench_question *question) {
  const float half = question->width / 2;
  cloud c = {.count = 1};
  switch (question->form) {
  case BENCH_SPHERE:
    c.radius = half;
    break;
  case BENCH_CAPSULE:
    c = (cloud){{{0, -half / 2, 0}, {0, half / 2, 0}}, 2, half / 2};
    break;
  case BENCH_HULL:
    for (c.count = 0; c.count < BENCH_HULL_POINTS; c.count++) {
      c.points[c.count] = vec3_scale(question->width, question->hull_points[c.count]);
    }
    break;
  default:
    for (c.count = 0; c.count < 8; c.count++) {
      const int i = c.count;
      c.points[i] = vec3(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    }
  }
  return c;
}

/* Rotates the points; they stay around the origin. */
static void rotate(const cloud *c, mo_quat q, b3Vec3 *rotated) {
  for (int i = 0; i < c->count; i++) {
    rotated[i] = b3RotateVector(box3d_rotation(q), box3d_vector(c->points[i]));
  }
}

static bool note_overlap(b3ShapeId shape, void *context) {
  (void)shape;
  *(bool *)context = true;
  return false;
}

static bool count_overlap(b3ShapeId shape, void *context) {
  (void)shape;
  ++*(uint32_t *)context;
  return true;
}

static float note_hit(b3ShapeId shape, b3Pos point, b3Vec3 normal, float fraction,
                      uint64_t material, int triangle, int child, void *context) {
  (void)shape;
  (void)point;
  (void)normal;
  (void)material;
  (void)triangle;
  (void)child;
  *(bench_answer *)context = fraction;
  return fraction;
}

static bool note_triangle(b3Vec3 a, b3Vec3 b, b3Vec3 c, int triangle, void *context) {
  (void)a;
  (void)b;
  (void)c;
  (void)triangle;
  ++*(uint32_t *)context;
  return true;
}

static uint32_t list_boxes(const world *self, const b3ShapeProxy *proxy, b3Vec3 center) {
  b3Vec3 points[BENCH_HULL_POINTS];
  for (int i = 0; i < proxy->count; i++) {
    points[i] = b3InvTransformPoint(self->place, b3Add(center, proxy->points[i]));
  }
  const b3Mesh mesh = {self->mesh, {1, 1, 1}};
  uint32_t count = 0;
  b3QueryMesh(&mesh, b3MakeAABB(points, proxy->count, proxy->radius), note_triangle, &count);
  return count;
}

static bench_answer find_answer(const world *self, const bench_question *question, const cloud *c,
                                const bench_probe *probe) {
  b3Vec3 points[BENCH_HULL_POINTS], center = box3d_vector(probe->center);
  rotate(c, probe->rotation, points);
  const b3ShapeProxy proxy = {points, c->count, c->radius};
  if (question->query == BENCH_QUERY_TRIANGLES) {
    return list_boxes(self, &proxy, center);
  }
  if (question->query == BENCH_QUERY_ANY) {
    bool found = false;
    b3World_OverlapShape(self->id, center, &proxy, b3DefaultQueryFilter(), note_overlap, &found);
    return found;
  }
  if (question->query == BENCH_QUERY_SHAPES) {
    uint32_t count = 0;
    b3World_OverlapShape(self->id, center, &proxy, b3DefaultQueryFilter(), count_overlap, &count);
    return count;
  }
  bench_answer t = INFINITY;
  b3World_CastShape(self->id, center, &proxy, box3d_vector(probe->displacement),
                    b3DefaultQueryFilter(), note_hit, &t);
  return t;
}

static void run(void *opaque, const bench_question *question, const bench_probe *probes,
                size_t count, bench_answer *answers) {
  const cloud c = make_cloud(question);
  for (size_t i = 0; i < count; i++) {
    answers[i] = find_answer(opaque, question, &c, &probes[i]);
  }
}

#define ENGINE(label, is_of_boxes)                                                                 \
  {                                                                                                \
    .id = {label, BENCH_BOX3D_VERSION}, .variant = &(const bool){is_of_boxes}, .tolerance = 1e-3,  \
    .margin = 0.00625, .distance_tolerance = 1e-4, .tolerated = 0.02, .lists_tolerated = 1,        \
    .lists_more = is_of_boxes, .create = create, .destroy = destroy, .can = can, .run = run,       \
  }

extern const bench_query_engine bench_query_box3d, bench_query_box3d_boxes;
const bench_query_engine bench_query_box3d = ENGINE("box3d", false);
const bench_query_engine bench_query_box3d_boxes = ENGINE("box3d-boxes", true);
