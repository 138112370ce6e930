/* Twenty boxes on each other, and ten cylinders. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"

static void add_storeys(struct stage *stage, const mo_geometry *geometry) {
  static const uint32_t colors[] = {RED, AMBER, SAND, TEAL, BLUE};
  add_floor(stage, 50.0f);
  stage->first = stage->world->count;
  stage->placed = stage->wanted;
  for (uint32_t i = 0; i < stage->wanted; i++) {
    struct body_def def = world_default_body(geometry->type);
    float aside = random_between(&stage->random, -0.02f, 0.02f);
    float turn = random_between(&stage->random, -0.2f, 0.2f);
    def.geometry = *geometry;
    def.position = vec3(aside, (float)i + 0.5f, -aside);
    def.rotation = quat_around(vec3(0.0f, 1.0f, 0.0f), turn);
    def.color = colors[i % 5];
    world_add(stage->world, &def);
  }
  stage->region = (mo_aabb){vec3(-1.0f, 0.0f, -1.0f), vec3(1.0f, (float)stage->wanted, 1.0f)};
}

static void build_boxes(struct stage *stage) {
  const mo_geometry box = box_of(0.5f, 0.5f, 0.5f);
  add_storeys(stage, &box);
}

static void build_cylinders(struct stage *stage) {
  const mo_geometry cylinder = cylinder_of(0.5f, 0.5f);
  add_storeys(stage, &cylinder);
}

static bool judge(const struct stage *stage) {
  float farthest = farthest_way(stage);
  bool stands = farthest < 0.3f;
  printf("the tower %s: no body is farther than %.0f mm from where it began\n",
         stands ? "stands" : "has fallen", 1e3 * (double)farthest);
  return stands;
}

const struct scene tower_scene = {
    .name = "tower",
    .title = "A tower of boxes",
    .bodies = 20,
    .seconds = 60,
    .steps_per_second = 60,
    .iterations = 250,
    .never_sleeps = true,
    .eye = {14.0f, 9.0f, 24.0f},
    .target = {0.0f, 9.5f, 0.0f},
    .field_of_view = 0.9f,
    .radius = 14.0f,
    .film_seconds = 4,
    .still_seconds = 2,
    .build = build_boxes,
    .judge = judge,
};

const struct scene cylinders_scene = {
    .name = "cylinders",
    .title = "A tower of cylinders",
    .bodies = 10,
    .seconds = 60,
    .steps_per_second = 60,
    .iterations = 250,
    .never_sleeps = true,
    .eye = {8.0f, 5.0f, 14.0f},
    .target = {0.0f, 4.8f, 0.0f},
    .field_of_view = 0.9f,
    .radius = 10.0f,
    .film_seconds = 4,
    .still_seconds = 2,
    .build = build_cylinders,
    .judge = judge,
};
