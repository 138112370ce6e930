/* A car with four sprung wheels drives over rough ground. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

enum { GRID = 120, WHEELS = 4, FRONT = 2 };
static const float cell = 0.5f, wheel_radius = 0.45f, speed = 7.0f;

/* Gentle hills with bumps on them. */
static float ground_at(float x, float z) {
  float hills = 0.5f * sinf(0.23f * x + 0.4f) * cosf(0.19f * z);
  float bumps = 0.11f * sinf(1.3f * x + 2.0f * sinf(0.7f * z)) * sinf(1.1f * z + sinf(0.9f * x));
  return hills + bumps;
}

static void build_car(struct stage *stage) {
  struct world *world = stage->world;
  float start = -0.4f * cell * GRID, level = ground_at(0.0f, start) + 1.3f;
  struct body_def def = world_default_body(MO_SHAPE_BOX);
  def.geometry = box_of(0.8f, 0.3f, 1.6f);
  def.position = vec3(0.0f, level, start);
  def.density = 260.0f;
  def.color = RED;
  stage->first = stage->marked = world_add(world, &def);
  for (int i = 0; i < WHEELS; i++) {
    float across = i % 2 ? 1.05f : -1.05f, along = i < FRONT ? 1.15f : -1.15f;
    struct body_def wheel = world_default_body(MO_SHAPE_CYLINDER);
    wheel.geometry = cylinder_of(0.16f, wheel_radius);
    wheel.position = vec3(across, level - 0.4f, start + along);
    wheel.rotation = quat_around(vec3(0.0f, 0.0f, 1.0f), 1.5707963f); /* its axis becomes x */
    wheel.density = 220.0f;
    wheel.friction = 1.4f;
    wheel.color = 0x3a3f4a;
    uint32_t index = world_add(world, &wheel);
    dJointID joint = dJointCreateHinge2(world->ode, NULL);
    dJointAttach(joint, world->bodies[stage->marked].ode, world->bodies[index].ode);
    dJointSetHinge2Anchor(joint, (dReal)across, (dReal)wheel.position.y, (dReal)wheel.position.z);
    const dReal up[3] = {0, 1, 0}, axle[3] = {1, 0, 0};
    dJointSetHinge2Axes(joint, up, axle);
    dJointSetHinge2Param(joint, dParamLoStop, 0);
    dJointSetHinge2Param(joint, dParamHiStop, 0);
    dJointSetHinge2Param(joint, dParamSuspensionERP, 0.4);
    dJointSetHinge2Param(joint, dParamSuspensionCFM, 3e-5);
    dJointSetHinge2Param(joint, dParamVel2, -(dReal)(speed / wheel_radius));
    dJointSetHinge2Param(joint, dParamFMax2, 500);
    stage->joints[i] = joint;
  }
  stage->placed = 1;
}

static void build(struct stage *stage) {
  add_surface(stage, surface_of_heights(GRID, cell, ground_at), 0x7d9867, false);
  build_car(stage);
  float half = 0.5f * cell * GRID;
  stage->region = (mo_aabb){vec3(-half, -2.0f, -half), vec3(half, 6.0f, half)};
}

/* Steers back to the line x = 0. */
static void act(struct stage *stage) {
  mo_transform car = body_transform(stage->world->bodies[stage->marked].ode);
  float wanted = fmaxf(-0.5f, fminf(0.5f, 0.12f * car.origin.x + 0.9f * car.z_axis.x));
  for (int i = 0; i < FRONT; i++) {
    dJointSetHinge2Param(stage->joints[i], dParamLoStop, (dReal)wanted);
    dJointSetHinge2Param(stage->joints[i], dParamHiStop, (dReal)wanted);
  }
}

static bool judge(const struct stage *stage) {
  mo_transform car = body_transform(stage->world->bodies[stage->marked].ode);
  float way = car.origin.z - stage->world->bodies[stage->marked].start.z;
  bool good = car.y_axis.y > 0.5f && way > 2.0f * (float)stage->time;
  printf("the car has gone %.1f m ahead and %.1f m aside, and %s\n", (double)way,
         (double)car.origin.x, car.y_axis.y > 0.5f ? "is on its wheels" : "has turned over");
  return good;
}

const struct scene vehicle_scene = {
    .name = "vehicle",
    .title = "A car on rough ground",
    .bodies = 1,
    .seconds = 7,
    .steps_per_second = 120,
    .iterations = 60,
    .eye = {9.5f, 4.5f, -4.0f},
    .target = {0.0f, 0.2f, -14.0f},
    .field_of_view = 0.95f,
    .floor = -3.0f,
    .radius = 40.0f,
    .film_seconds = 4,
    .still_seconds = 3,
    .build = build,
    .act = act,
    .judge = judge,
};
