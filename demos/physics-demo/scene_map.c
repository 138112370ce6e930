/* Hulls and meshes fall on the floor of a game's map: blocks, walls and ramps, or a file. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

enum { TILES = 12, ROCKS = 12, ROCK_POINTS = 14, KNOTS = 3 };
static const float half = (float)TILES; /* tiles are 2 long */

/* Rocks of several sizes, and knots as meshes. */
static void make_solids(struct stage *stage) {
  for (int i = 0; i < ROCKS; i++) {
    mo_vec3 points[ROCK_POINTS];
    float size = random_between(&stage->random, 0.3f, 0.6f);
    for (int k = 0; k < ROCK_POINTS; k++) {
      points[k] = vec3_scale(size, random_direction(&stage->random));
    }
    world_keep(stage->world, solid_of_points(points, ROCK_POINTS));
  }
  static const uint32_t kinds[KNOTS][2] = {{1, 0}, {2, 3}, {2, 5}};
  for (int i = 0; i < KNOTS; i++) {
    struct triangles knot = triangles_make_knot(kinds[i][0], kinds[i][1], i == 0 ? 20 : 48, 8);
    for (uint32_t k = 0; k < knot.vertex_count; k++) {
      knot.positions[k] = vec3_scale(0.9f, knot.positions[k]);
    }
    world_keep(stage->world, solid_of_body(&knot));
  }
}

static void build(struct stage *stage) {
  const char *file = stage->options->mesh;
  add_surface(stage,
              file != NULL ? surface_statue(file, stage->options->up, 2.0f * half)
                           : surface_map(TILES, stage->options->seed),
              0xb4bcc9, false);
  stage->first_solid = stage->world->solid_count;
  make_solids(stage);
  stage->first = stage->world->count;
  stage->region = (mo_aabb){vec3(-half, -0.1f, -half), vec3(half, 50.0f, half)};
}

/* A layer every second: rocks, and a knot for every third body. */
static void act(struct stage *stage) {
  enum { ROW = 6 };
  static const uint32_t colors[] = {RED, AMBER, TEAL, BLUE, GREEN, VIOLET};
  uint32_t layer = stage->placed / (ROW * ROW);
  if (stage->placed == stage->wanted || stage->time < (double)layer) {
    return;
  }
  for (uint32_t i = 0; i < ROW * ROW && stage->placed < stage->wanted; i++, stage->placed++) {
    struct body_def def = world_default_body(MO_SHAPE_HULL);
    uint32_t kind = stage->placed % 3 == 2 ? ROCKS + random_below(&stage->random, KNOTS)
                                           : random_below(&stage->random, ROCKS);
    def.solid = stage->world->solids[stage->first_solid + kind];
    def.geometry = def.solid->geometry;
    def.position = vec3(2.6f * ((float)(i % ROW) - 2.5f), 7.0f, 2.6f * ((float)(i / ROW) - 2.5f));
    def.rotation =
        quat_around(random_direction(&stage->random), random_between(&stage->random, 0.0f, 6.28f));
    def.friction = 0.8f;
    def.color = kind < ROCKS ? 0xa08a70 : colors[random_below(&stage->random, 6)];
    world_add(stage->world, &def);
  }
}

static bool judge(const struct stage *stage) {
  uint32_t asleep = count_asleep(stage), outside = count_outside(stage);
  printf("%u of %u bodies are asleep, %u have left the map\n", asleep, stage->placed, outside);
  return stage->placed == stage->wanted && outside == 0;
}

const struct scene map_scene = {
    .name = "map",
    .title = "Hulls and meshes on the floor of a map",
    .bodies = 90,
    .seconds = 15,
    .steps_per_second = 120,
    .iterations = 20,
    .eye = {13.0f, 15.0f, 19.0f},
    .target = {0.0f, 0.0f, 0.5f},
    .field_of_view = 0.8f,
    .floor = -0.05f,
    .radius = 22.0f,
    .film_seconds = 6,
    .still_seconds = 6,
    .build = build,
    .act = act,
    .judge = judge,
};
