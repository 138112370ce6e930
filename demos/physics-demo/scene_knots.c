/* Knots, which are meshes, fall into a bowl, which is one too, and come to rest in each other. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

enum { KNOTS = 3, ROW = 3 };
static const float scale = 0.35f; /* of the bowl */

static void build(struct stage *stage) {
  static const uint32_t kinds[KNOTS][2] = {{1, 0}, {2, 3}, {2, 5}};
  add_surface(stage, surface_bowl(scale), 0xb9c6d8, false);
  stage->first_solid = stage->world->solid_count;
  for (int i = 0; i < KNOTS; i++) {
    struct triangles knot = triangles_make_knot(kinds[i][0], kinds[i][1], i == 0 ? 20 : 48, 8);
    world_keep(stage->world, solid_of_body(&knot));
  }
  stage->first = stage->world->count;
  stage->region = (mo_aabb){vec3(-6.0f, -0.2f, -6.0f), vec3(6.0f, 30.0f, 6.0f)};
}

/* A layer every second. */
static void act(struct stage *stage) {
  static const uint32_t colors[] = {RED, AMBER, TEAL, BLUE, GREEN, VIOLET};
  const uint32_t layer = stage->placed / (ROW * ROW);
  if (stage->time < (double)layer) {
    return;
  }
  for (uint32_t i = 0; i < ROW * ROW && stage->placed < stage->wanted; i++, stage->placed++) {
    struct body_def def = world_default_body(MO_SHAPE_MESH);
    def.solid = stage->world->solids[stage->first_solid + stage->placed % KNOTS];
    def.geometry = def.solid->geometry;
    def.position = vec3(2.2f * ((float)(i % ROW) - 1.0f), 8.0f, 2.2f * ((float)(i / ROW) - 1.0f));
    def.rotation =
        quat_around(random_direction(&stage->random), random_between(&stage->random, 0.0f, 6.28f));
    def.friction = 0.8f;
    def.color = colors[random_below(&stage->random, 6)];
    world_add(stage->world, &def);
  }
}

static bool judge(const struct stage *stage) {
  const uint32_t asleep = count_asleep(stage), outside = count_outside(stage);
  printf("%u of %u knots are asleep, %u have left the bowl\n", asleep, stage->placed, outside);
  return stage->placed == stage->wanted && asleep == stage->placed && outside == 0;
}

const struct scene knots_scene = {
    .name = "knots",
    .title = "Knots in a bowl",
    .bodies = 27,
    .seconds = 20,
    .steps_per_second = 120,
    .iterations = 50,
    .settles = true,
    .eye = {6.0f, 9.0f, 11.0f},
    .target = {0.0f, 1.5f, 0.0f},
    .field_of_view = 0.8f,
    .floor = -0.05f,
    .radius = 12.0f,
    .film_seconds = 5,
    .still_seconds = 6,
    .build = build,
    .act = act,
    .judge = judge,
};
