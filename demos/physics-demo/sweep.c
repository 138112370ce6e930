#include <math.h>

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

static mo_cast_hit cast(const struct world *world, const struct body *body,
                        const mo_geometry *geometry, mo_vec3 way) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = mo_primitive_of_geometry(geometry, &body->transform);
  def.displacement = way;
  def.min_approach = 0.0f; /* what it leaves, or slides along, does not stop it */
  def.filter.ignore = body->shape;
  mo_cast_hit hit;
  check(mo_scene_cast_shape(world->scene, &def, &hit, NULL), "sweep a body");
  return hit;
}

/* Where the body touches something to begin with, a ball of half its thickness goes ahead in its
 * place: so it may graze a wall, but not pass through it. */
static float free_share(const struct world *world, const struct body *body, mo_vec3 way) {
  mo_cast_hit hit = cast(world, body, &body->geometry, way);
  if (hit.found && hit.t == 0.0f) {
    mo_geometry core = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
    core.sphere.radius = 0.5f * inner_radius(body);
    hit = cast(world, body, &core, way);
  }
  return hit.found ? hit.t : 1.0f;
}

static bool is_fast(const struct body *body) {
  return body->fast && body->ode && !body->asleep;
}

void sweep_fast_bodies(struct world *world) {
  for (uint32_t i = 0; i < world->count; i++) {
    const struct body *body = &world->bodies[i];
    if (!is_fast(body)) {
      continue;
    }
    mo_vec3 from = body->transform.origin;
    mo_vec3 way = vec3_sub(body_transform(body->ode).origin, from);
    if (vec3_length(way) < 0.5f * inner_radius(body)) {
      continue; /* too slow to pass through anything */
    }
    float share = free_share(world, body, way);
    if (share < 1.0f) {
      mo_vec3 stop = vec3_add(from, vec3_scale(share, way));
      dBodySetPosition(body->ode, (dReal)stop.x, (dReal)stop.y, (dReal)stop.z);
    }
  }
}

static bool accept_still_mesh(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)shape;
  const struct world *world = context;
  const struct body *body = &world->bodies[user_data];
  return !body->ode && body->geometry.type == MO_SHAPE_MESH;
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
