#include <math.h>
#include <motte/continuous.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"
#include "physics-demo/collision.h"

/* About half of the least thickness. */
static float inner_radius(const struct body *body) {
  const mo_geometry *geometry = &body->geometry;
  mo_aabb bounds = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
  mo_vec3 half = geometry->box.half_extents;
  switch (geometry->type) {
  case MO_SHAPE_SPHERE:
    return geometry->sphere.radius;
  case MO_SHAPE_BOX:
    return fminf(half.x, fminf(half.y, half.z));
  case MO_SHAPE_CAPSULE:
    return geometry->capsule.radius;
  case MO_SHAPE_CYLINDER:
    return fminf(geometry->cylinder.radius,
                 0.5f * vec3_length(vec3_sub(geometry->cylinder.a, geometry->cylinder.b)));
  case MO_SHAPE_CONE:
    return 0.4f * geometry->cone.radius;
  default:
    for (uint32_t i = 0; i < body->solid->triangles.vertex_count; i++) {
      bounds = aabb_with_point(bounds, body->solid->triangles.positions[i]);
    }
    half = aabb_size(bounds);
    return 0.4f * fminf(half.x, fminf(half.y, half.z));
  }
}

static bool is_fast(const struct body *body) {
  return body->fast && body->ode != NULL && !body->asleep;
}

/* Takes a body back to where it is at a time of its movement in the step. */
static void put_back(const struct body *body, const mo_movement *movement, float t) {
  mo_transform at;
  check(mo_movement_transform(movement, t, &body->transform, &at), "take a body back");
  const dMatrix3 rotation = {
      (dReal)at.x_axis.x, (dReal)at.y_axis.x, (dReal)at.z_axis.x, 0,
      (dReal)at.x_axis.y, (dReal)at.y_axis.y, (dReal)at.z_axis.y, 0,
      (dReal)at.x_axis.z, (dReal)at.y_axis.z, (dReal)at.z_axis.z, 0,
  };
  dBodySetPosition(body->ode, (dReal)at.origin.x, (dReal)at.origin.y, (dReal)at.origin.z);
  dBodySetRotation(body->ode, rotation);
}

void sweep_fast_bodies(struct world *world) {
  mo_mover *movers = allocate(world->count, sizeof *movers);
  uint32_t *bodies = allocate(world->count, sizeof *bodies);
  mo_impact_search search = mo_default_impact_search();
  for (uint32_t i = 0; i < world->count; i++) {
    const struct body *body = &world->bodies[i];
    if (is_fast(body)) {
      mo_transform to = body_transform(body->ode);
      mo_vec3 way = vec3_sub(to.origin, body->transform.origin);
      if (vec3_length(way) < 0.5f * inner_radius(body)) {
        continue; /* too slow to pass through anything */
      }
      mo_mover *mover = &movers[search.count];
      mover->shape = body->shape;
      check(mo_movement_between(&body->transform, &to, &mover->movement), "find a movement");
      bodies[search.count++] = i;
    }
  }
  mo_impact *impacts = allocate(search.count, sizeof *impacts);
  search.movers = movers;
  search.memory = allocate(search.count, sizeof *search.memory);
  check(mo_scene_find_impacts(world->scene, &search, impacts, NULL, NULL), "sweep the bodies");
  for (uint32_t i = 0; i < search.count; i++) {
    if (impacts[i].found) {
      put_back(&world->bodies[bodies[i]], &movers[i].movement, impacts[i].t);
    }
  }
  free(impacts);
  free(search.memory);
  free(bodies);
  free(movers);
}

static bool accept_still_mesh(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)shape;
  const struct world *world = context;
  const struct body *body = &world->bodies[user_data];
  return body->ode == NULL && body->geometry.type == MO_SHAPE_MESH;
}

uint32_t count_passed_bodies(const struct world *world) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < world->count; i++) {
    const struct body *body = &world->bodies[i];
    if (!is_fast(body)) {
      continue;
    }
    mo_ray_def way = mo_segment_def(body->transform.origin, body_transform(body->ode).origin);
    way.filter.accept = accept_still_mesh;
    way.filter.context = (void *)world;
    bool blocked;
    check(mo_scene_test_ray(world->scene, &way, &blocked, NULL), "look back");
    count += blocked;
  }
  return count;
}
