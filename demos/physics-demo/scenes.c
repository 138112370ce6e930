#include "physics-demo/scenes.h"

#include "common/vector.h"

const struct scene *const scenes[SCENE_COUNT] = {
    &tower_scene,   &cylinders_scene, &pile_scene,  &map_scene, &wall_scene,  &ragdolls_scene,
    &vehicle_scene, &maze_scene,      &gears_scene, &dig_scene, &chain_scene, &knots_scene,
};

mo_geometry box_of(float half_x, float half_y, float half_z) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_BOX).geometry;
  geometry.box.half_extents = vec3(half_x, half_y, half_z);
  return geometry;
}

mo_geometry ball_of(float radius) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_SPHERE).geometry;
  geometry.sphere.radius = radius;
  return geometry;
}

mo_geometry capsule_of(float half_length, float radius) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_CAPSULE).geometry;
  geometry.capsule = (mo_capsule){{0.0f, -half_length, 0.0f}, {0.0f, half_length, 0.0f}, radius};
  return geometry;
}

mo_geometry cylinder_of(float half_length, float radius) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_CYLINDER).geometry;
  geometry.cylinder = (mo_cylinder){{0.0f, -half_length, 0.0f}, {0.0f, half_length, 0.0f}, radius};
  return geometry;
}

mo_geometry cone_of(float height, float radius) {
  mo_geometry geometry = mo_default_shape_def(MO_SHAPE_CONE).geometry;
  geometry.cone = (mo_cone){{0.0f, 0.75f * height, 0.0f}, {0.0f, -0.25f * height, 0.0f}, radius};
  return geometry;
}

void add_floor(struct stage *stage, float half_side) {
  struct body_def def = world_default_body(MO_SHAPE_BOX);
  def.geometry = box_of(half_side, 10.0f, half_side);
  def.position = vec3(0.0f, -10.0f, 0.0f);
  def.density = 0.0f;
  def.unseen = true; /* pictures have a floor of their own */
  world_add(stage->world, &def);
}

void add_surface(struct stage *stage, struct triangles triangles, uint32_t color, bool unseen) {
  struct solid *solid = world_keep(stage->world, solid_of_surface(&triangles));
  struct body_def def = world_default_body(MO_SHAPE_MESH);
  def.geometry = solid->geometry;
  def.solid = solid;
  def.density = 0.0f;
  def.color = color;
  def.unseen = unseen;
  world_add(stage->world, &def);
}

mo_vec3 place_of(const struct stage *stage, uint32_t body) {
  return body_transform(stage->world->bodies[body].ode).origin;
}

float farthest_way(const struct stage *stage) {
  float farthest = 0.0f;
  for (uint32_t i = stage->first; i < stage->first + stage->placed; i++) {
    mo_vec3 way = vec3_sub(place_of(stage, i), stage->world->bodies[i].start);
    farthest = fmaxf(farthest, vec3_length(way));
  }
  return farthest;
}

uint32_t count_asleep(const struct stage *stage) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < stage->world->count; i++) {
    count += stage->world->bodies[i].asleep;
  }
  return count;
}

static bool is_inside(mo_aabb box, mo_vec3 p) {
  return p.x >= box.lower.x && p.x <= box.upper.x && p.y >= box.lower.y && p.y <= box.upper.y &&
         p.z >= box.lower.z && p.z <= box.upper.z;
}

uint32_t count_outside(const struct stage *stage) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < stage->world->count; i++) {
    count += stage->world->bodies[i].ode != NULL && !is_inside(stage->region, place_of(stage, i));
  }
  return count;
}
