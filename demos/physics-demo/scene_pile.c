/* Bodies of every kind are poured into a bowl, which is a mesh; over a statue, if there is a file
 * of one. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

/* Hulls of random points that the bodies choose from. */
enum { HULLS = 24, HULL_POINTS = 16 };

static void build(struct stage *stage) {
  stage->scale = cbrtf((float)stage->wanted / 5000.0f);
  float s = stage->scale;
  add_surface(stage, surface_bowl(s), 0xb9c6d8, false);
  if (stage->options->mesh != NULL) {
    const char *file = stage->options->mesh;
    add_surface(stage, surface_statue(file, stage->options->up, 11.0f * s), SAND, false);
  }
  stage->first_solid = stage->world->solid_count;
  for (int i = 0; i < HULLS; i++) {
    mo_vec3 points[HULL_POINTS];
    for (int k = 0; k < HULL_POINTS; k++) {
      float radius = random_between(&stage->random, 0.3f, 0.42f);
      points[k] = vec3_scale(radius, random_direction(&stage->random));
    }
    world_keep(stage->world, solid_of_points(points, HULL_POINTS));
  }
  stage->first = stage->world->count;
  stage->region = (mo_aabb){vec3(-15.0f * s, -0.2f, -15.0f * s), vec3(15.0f * s, 60.0f, 15.0f * s)};
}

static void choose_kind(struct stage *stage, struct body_def *def) {
  static const uint32_t colors[] = {RED, AMBER, TEAL, BLUE, GREEN, VIOLET};
  struct random_stream *random = &stage->random;
  uint32_t kind = random_below(random, 6);
  float a = random_between(random, 0.2f, 0.42f), b = random_between(random, 0.2f, 0.42f);
  float c = random_between(random, 0.2f, 0.42f);
  def->color = colors[kind];
  switch (kind) {
  case 0:
    def->geometry = box_of(a, b, c);
    break;
  case 1:
    def->geometry = ball_of(0.25f + 0.4f * (a - 0.2f));
    break;
  case 2:
    def->geometry = capsule_of(0.8f * b, 0.6f * a + 0.08f);
    break;
  case 3:
    def->geometry = cylinder_of(b, a);
    break;
  case 4:
    def->geometry = cone_of(2.0f * b, a + 0.05f);
    break;
  default:
    def->solid = stage->world->solids[stage->first_solid + random_below(random, HULLS)];
    def->geometry = def->solid->geometry;
  }
}

/* A layer at a time, as soon as the one before has fallen by its height. */
static void act(struct stage *stage) {
  const float spacing = 1.15f, layer_seconds = 0.22f;
  float side = 11.0f * stage->scale;
  uint32_t row = (uint32_t)(side / spacing) + 1, layer = stage->placed / (row * row);
  if (stage->placed == stage->wanted || stage->time < (double)((float)layer * layer_seconds)) {
    return;
  }
  for (uint32_t i = 0; i < row * row && stage->placed < stage->wanted; i++) {
    struct body_def def = world_default_body(MO_SHAPE_BOX);
    choose_kind(stage, &def);
    float x = ((float)(i % row) - 0.5f * (float)(row - 1)) * spacing;
    float z = ((float)(i / row) - 0.5f * (float)(row - 1)) * spacing;
    float height = 3.0f + 11.0f * stage->scale + random_between(&stage->random, 0.0f, 0.1f);
    def.position = vec3(x, height, z);
    def.rotation =
        quat_around(random_direction(&stage->random), random_between(&stage->random, 0.0f, 6.28f));
    def.velocity = vec3(0.0f, -5.5f, 0.0f);
    def.fast = true;
    world_add(stage->world, &def);
    stage->placed++;
  }
}

static bool judge(const struct stage *stage) {
  uint32_t asleep = count_asleep(stage), outside = count_outside(stage);
  printf("%u of %u bodies are asleep, %u have left the bowl\n", asleep, stage->placed, outside);
  return stage->placed == stage->wanted && asleep == stage->placed && outside == 0;
}

const struct scene pile_scene = {
    .name = "pile",
    .title = "Bodies of every kind in a bowl",
    .bodies = 5000,
    .seconds = 40,
    .steps_per_second = 60,
    .iterations = 50,
    .settles = true,
    .eye = {14.0f, 20.0f, 22.0f},
    .target = {0.0f, 3.0f, 0.0f},
    .field_of_view = 0.85f,
    .floor = -0.05f,
    .radius = 26.0f,
    .film_seconds = 6,
    .still_seconds = 10,
    .build = build,
    .act = act,
    .judge = judge,
};
