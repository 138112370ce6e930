/* Rapier, by its C interface rapier-ffi: the queries of a world of colliders without bodies, one
 * that is a mesh, or boxes. Shapes do not scale, so the mesh is scaled before. Distances are those
 * of a point, less the radius of a sphere. It does not say which triangles are touched. */
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "queries.h"
#include "rapier.h"

typedef struct world {
  struct RprRigidBodySet *bodies; /* stays empty */
  struct RprColliderSet *colliders;
  struct RprQueryPipeline *pipeline;
  struct RprQueryFilter filter;
} world;

/* A collider takes over its shape. */
static void add_collider(world *self, struct RprSharedShape *shape, mo_vec3 center, mo_quat turn) {
  struct RprColliderBuilder *builder = RprColliderBuilder_new(shape);
  RprColliderBuilder_position(builder, (struct RprIsometry){.rotation = rapier_rotation(turn),
                                                            .translation = rapier_vector(center)});
  RprColliderSet_insert(self->colliders, RprColliderBuilder_build(builder));
  RprColliderBuilder_drop(builder);
}

static void *create(const bench_query_engine *engine, const bench_target *target) {
  (void)engine;
  world *self = allocate(1, sizeof *self);
  self->bodies = RprRigidBodySet_new();
  self->colliders = RprColliderSet_new();
  self->pipeline = RprQueryPipeline_new();
  self->filter = RprQueryFilter_default();
  for (uint32_t i = 0; i < target->box_count; i++) {
    const bench_query_box *box = &target->boxes[i];
    add_collider(self, RprSharedShape_cuboid(box->half.x, box->half.y, box->half.z), box->center,
                 (mo_quat){.w = 1});
  }
  if (target->boxes == NULL) {
    add_collider(self, rapier_mesh(target->mesh, target->scale), target->translation,
                 target->rotation);
  }
  RprQueryPipeline_update(self->pipeline, self->bodies, self->colliders);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  RprQueryPipeline_drop(self->pipeline);
  RprColliderSet_drop(self->colliders);
  RprRigidBodySet_drop(self->bodies);
  free(self);
}

static bool can(const bench_query_engine *engine, const bench_question *question) {
  (void)engine;
  switch (question->query) {
  case BENCH_QUERY_TRIANGLES:
  case BENCH_QUERY_IMPACT:
    return false;
  case BENCH_QUERY_DISTANCE:
    return question->form == BENCH_SPHERE;
  default:
    return true;
  }
}

static struct RprSharedShape *make_shape(const bench_question *question) {
  const float half = question->width / 2, quarter = half / 2;
  switch (question->form) {
  case BENCH_POINT:
  case BENCH_SPHERE:
    return RprSharedShape_ball(half);
  case BENCH_CAPSULE:
    return RprSharedShape_capsule((struct RprVector){0, -quarter, 0},
                                  (struct RprVector){0, quarter, 0}, quarter);
  case BENCH_CYLINDER:
    return RprSharedShape_cylinder(half, quarter);
  case BENCH_HULL:
    return rapier_hull(question->hull_points, BENCH_HULL_POINTS, question->width);
  default:
    return RprSharedShape_cuboid(half, half, half);
  }
}

static double distance(const world *self, float radius, mo_vec3 center) {
  struct RprSimplePointProject nearest;
  if (!RprQueryPipeline_project_point(self->pipeline, self->bodies, self->colliders,
                                      rapier_vector(center), false, self->filter, &nearest)) {
    return INFINITY;
  }
  const double x = nearest.point.x - center.x, y = nearest.point.y - center.y,
               z = nearest.point.z - center.z;
  return fmax(sqrt(x * x + y * y + z * z) - (double)radius, 0);
}

static double cast(const world *self, const struct RprSharedShape *shape, struct RprIsometry pose,
                   mo_vec3 displacement) {
  struct RprShapeCast first;
  bool hits = RprQueryPipeline_cast_shape(self->pipeline, self->bodies, self->colliders, pose,
                                          rapier_vector(displacement), shape, 1, true, self->filter,
                                          &first);
  return hits ? (double)first.toi.toi : INFINITY;
}

/* Its callback gets no pointer of ours. */
static uint32_t touched;

static bool count_touched(RprColliderHandle collider) {
  (void)collider;
  touched++;
  return true;
}

static bench_answer overlap(const world *self, const struct RprSharedShape *shape,
                            struct RprIsometry pose, bench_query query) {
  if (query == BENCH_QUERY_SHAPES) {
    touched = 0;
    RprQueryPipeline_intersections_with_shape(self->pipeline, self->bodies, self->colliders, pose,
                                              shape, self->filter, count_touched);
    return touched;
  }
  RprColliderHandle any;
  return RprQueryPipeline_intersection_with_shape(self->pipeline, self->bodies, self->colliders,
                                                  pose, shape, self->filter, &any);
}

static void run(void *opaque, const bench_question *question, const bench_probe *probes,
                size_t count, bench_answer *answers) {
  const world *self = opaque;
  struct RprSharedShape *shape = make_shape(question);
  for (size_t i = 0; i < count; i++) {
    const struct RprIsometry pose = {.rotation = rapier_rotation(probes[i].rotation),
                                     .translation = rapier_vector(probes[i].center)};
    switch (question->query) {
    case BENCH_QUERY_CAST:
      answers[i] = cast(self, shape, pose, probes[i].displacement);
      break;
    case BENCH_QUERY_CLOSEST:
      answers[i] = distance(self, 0, probes[i].center);
      break;
    case BENCH_QUERY_DISTANCE:
      answers[i] = distance(self, question->width / 2, probes[i].center);
      break;
    default:
      answers[i] = overlap(self, shape, pose, question->query);
    }
  }
  RprSharedShape_release(shape);
}

extern const bench_query_engine bench_query_rapier;
const bench_query_engine bench_query_rapier = {
    .id = {"rapier", BENCH_RAPIER_VERSION},
    .tolerance = 1e-3,
    .distance_tolerance = 1e-4,
    .tolerated = 0.02,
    .create = create,
    .destroy = destroy,
    .can = can,
    .run = run,
};
