/* Fast marbles in a maze whose walls, floor and lid are sheets without thickness. A marble goes
 * many times its size in a step. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

enum { CELLS = 12 };
static const float side = 1.0f, height = 1.0f, radius = 0.12f, speed = 60.0f;

static mo_vec3 corner(uint32_t x, uint32_t z, float y) {
  return vec3(side * ((float)x - 0.5f * CELLS), y, side * ((float)z - 0.5f * CELLS));
}

static void add_wall(struct triangles *sheets, mo_vec3 a, mo_vec3 b) {
  mo_vec3 up = vec3(0.0f, height, 0.0f);
  surface_add_quad(sheets, a, b, vec3_add(b, up), vec3_add(a, up));
}

static void add_level(struct triangles *sheets, float y) {
  surface_add_quad(sheets, corner(0, 0, y), corner(0, CELLS, y), corner(CELLS, CELLS, y),
                   corner(CELLS, 0, y));
}

/* From each cell a passage leads on to greater x or to greater z: a binary tree of passages. */
static struct triangles make_maze(struct stage *stage) {
  struct triangles sheets = surface_of_quads(2 * CELLS * CELLS + 3);
  add_level(&sheets, 0.0f);
  add_wall(&sheets, corner(0, 0, 0.0f), corner(CELLS, 0, 0.0f));
  add_wall(&sheets, corner(0, 0, 0.0f), corner(0, CELLS, 0.0f));
  for (uint32_t x = 0; x < CELLS; x++) {
    for (uint32_t z = 0; z < CELLS; z++) {
      bool last_x = x + 1 == CELLS, last_z = z + 1 == CELLS;
      bool along_x = last_z || (!last_x && random_chance(&stage->random, 0.5f));
      if (!along_x || last_x) {
        add_wall(&sheets, corner(x + 1, z, 0.0f), corner(x + 1, z + 1, 0.0f));
      }
      if (along_x || last_x) {
        add_wall(&sheets, corner(x, z + 1, 0.0f), corner(x + 1, z + 1, 0.0f));
      }
    }
  }
  return sheets;
}

static void build(struct stage *stage) {
  static const uint32_t colors[] = {RED, AMBER, TEAL, BLUE, GREEN, VIOLET};
  struct triangles lid = surface_of_quads(1);
  add_level(&lid, height);
  add_surface(stage, make_maze(stage), 0xc4d0e0, false);
  add_surface(stage, lid, PALE, true);
  stage->first = stage->world->count;
  for (uint32_t i = 0; i < stage->wanted; i++) {
    uint32_t cell = i % (CELLS * CELLS), layer = i / (CELLS * CELLS);
    struct body_def def = world_default_body(MO_SHAPE_SPHERE);
    float angle = random_between(&stage->random, 0.0f, 6.2831853f);
    mo_vec3 middle = vec3(0.5f * side, 0.2f + 0.3f * (float)(layer % 3), 0.5f * side);
    def.geometry = ball_of(radius);
    def.position = vec3_add(corner(cell / CELLS, cell % CELLS, 0.0f), middle);
    def.velocity = vec3(speed * cosf(angle), 0.0f, speed * sinf(angle));
    def.density = 2500.0f;
    def.friction = 0.1f;
    def.bounce = 0.9f;
    def.color = colors[random_below(&stage->random, 6)];
    def.fast = true;
    world_add(stage->world, &def);
  }
  stage->placed = stage->wanted;
  stage->region = (mo_aabb){corner(0, 0, 0.0f), corner(CELLS, CELLS, height)};
}

static bool judge(const struct stage *stage) {
  uint32_t outside = count_outside(stage);
  printf("%u of %u marbles have left the maze\n", outside, stage->placed);
  return outside == 0;
}

const struct scene maze_scene = {
    .name = "maze",
    .title = "Fast marbles between thin walls",
    .bodies = 288,
    .seconds = 20,
    .steps_per_second = 60,
    .iterations = 20,
    .eye = {7.0f, 12.0f, 9.5f},
    .target = {0.0f, -0.6f, 0.3f},
    .field_of_view = 0.85f,
    .floor = -0.02f,
    .radius = 10.0f,
    .film_seconds = 4,
    .still_seconds = 2,
    .build = build,
    .judge = judge,
};
