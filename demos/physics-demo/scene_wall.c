/* A wall of bricks, and a heavy ball that comes flying. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"

enum { ROW = 40 };
static const mo_vec3 half = {0.3f, 0.15f, 0.15f};
static const float ball_radius = 1.0f, ball_speed = 25.0f, density = 1000.0f;

static void add_brick(struct stage *stage, uint32_t row, uint32_t column) {
  static const uint32_t colors[] = {0xb5523f, 0xc0624a, 0xa84b3d, 0xca7555, 0x9d4a40};
  struct body_def def = world_default_body(MO_SHAPE_BOX);
  float x = ((float)column + (row % 2 ? 0.25f : -0.25f) - 0.5f * (ROW - 1)) * 2.0f * half.x;
  def.geometry = box_of(half.x - 0.002f, half.y, half.z);
  def.position = vec3(x, (2.0f * (float)row + 1.0f) * half.y, 0.0f);
  def.density = density;
  def.friction = 0.7f;
  def.color = colors[random_below(&stage->random, 5)];
  world_add(stage->world, &def);
}

static void add_ball(struct stage *stage) {
  struct body_def def = world_default_body(MO_SHAPE_SPHERE);
  def.geometry = ball_of(ball_radius);
  def.position = vec3(-1.0f, 1.7f, -14.0f);
  def.velocity = vec3(0.0f, 2.5f, ball_speed);
  float brick = 8.0f * half.x * half.y * half.z * density;
  def.density = 300.0f * brick / (4.18879f * ball_radius * ball_radius * ball_radius);
  def.color = 0x30343c;
  def.fast = true;
  stage->marked = world_add(stage->world, &def);
}

static void build(struct stage *stage) {
  add_floor(stage, 200.0f);
  stage->first = stage->world->count;
  for (uint32_t i = 0; i < stage->wanted; i++) {
    add_brick(stage, i / ROW, i % ROW);
  }
  stage->placed = stage->wanted;
  add_ball(stage);
  stage->region = (mo_aabb){vec3(-190.0f, 0.0f, -190.0f), vec3(190.0f, 100.0f, 190.0f)};
}

static bool judge(const struct stage *stage) {
  uint32_t moved = 0;
  for (uint32_t i = stage->first; i < stage->first + stage->placed; i++) {
    mo_vec3 way = vec3_sub(place_of(stage, i), stage->world->bodies[i].start);
    moved += vec3_length(way) > 0.3f;
  }
  bool through = place_of(stage, stage->marked).z > half.z;
  printf("%u of %u bricks have moved by more than their height; the ball is %s the wall\n", moved,
         stage->placed, through ? "through" : "before");
  return through && moved > 0;
}

const struct scene wall_scene = {
    .name = "wall",
    .title = "A thousand bricks and a heavy ball",
    .bodies = 1000,
    .seconds = 10,
    .steps_per_second = 120,
    .iterations = 20,
    .eye = {10.5f, 5.0f, 15.0f},
    .target = {-0.6f, 2.4f, 1.5f},
    .field_of_view = 0.9f,
    .radius = 16.0f,
    .film_seconds = 4,
    .still_seconds = 1,
    .build = build,
    .judge = judge,
};
