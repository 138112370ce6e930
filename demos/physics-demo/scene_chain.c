/* A chain of links, which are meshes and hold each other by contacts alone. It swings. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

enum { AROUND = 24, ACROSS = 10 }; /* quadrangles of a link */
static const float radius = 0.5f, thickness = 0.12f, top = 17.0f;

/* Where two links that hang on each other are: their tubes touch, crosswise. */
static const float pitch = 2.0f * (0.5f - 0.12f);

static mo_vec3 point_of_link(uint32_t around, uint32_t across) {
  const float turn = 6.2831853f, a = turn * (float)(around % AROUND) / AROUND;
  const float b = turn * (float)(across % ACROSS) / ACROSS, r = radius + thickness * cosf(b);
  return vec3(r * cosf(a), r * sinf(a), thickness * sinf(b));
}

/* A torus around z. */
static struct triangles make_link(void) {
  struct triangles link = surface_of_quads(AROUND * ACROSS);
  for (uint32_t i = 0; i < AROUND; i++) {
    for (uint32_t k = 0; k < ACROSS; k++) {
      surface_add_quad(&link, point_of_link(i, k), point_of_link(i + 1, k),
                       point_of_link(i + 1, k + 1), point_of_link(i, k + 1));
    }
  }
  return link;
}

/* The first link is fixed. The others are faster the lower they are, so that the chain swings as a
 * whole at first. */
static void build(struct stage *stage) {
  static const uint32_t colors[] = {AMBER, BLUE, GREEN, RED};
  struct triangles link = make_link();
  struct solid *solid = world_keep(stage->world, solid_of_body(&link));
  stage->first = stage->world->count;
  stage->placed = stage->wanted;
  for (uint32_t i = 0; i < stage->wanted; i++) {
    struct body_def def = world_default_body(MO_SHAPE_MESH);
    def.geometry = solid->geometry;
    def.solid = solid;
    def.position = vec3(0.0f, top - pitch * (float)i, 0.0f);
    def.rotation = quat_around(vec3(0.0f, 1.0f, 0.0f), i % 2 ? 1.57079633f : 0.0f);
    def.velocity = vec3(0.25f * (float)i, 0.0f, 0.0f);
    def.density = i == 0 ? 0.0f : 1000.0f;
    def.color = colors[i % 4];
    world_add(stage->world, &def);
  }
  stage->region = (mo_aabb){vec3(-20.0f, -1.0f, -5.0f), vec3(20.0f, 20.0f, 5.0f)};
}

/* Whether all links are where the one before holds them. */
static bool judge(const struct stage *stage) {
  float longest = 0.0f;
  mo_vec3 last = stage->world->bodies[stage->first].start;
  for (uint32_t i = 1; i < stage->placed; i++) {
    const mo_vec3 at = place_of(stage, stage->first + i);
    longest = fmaxf(longest, vec3_length(vec3_sub(at, last)));
    last = at;
  }
  const bool holds = longest < pitch + 0.5f * thickness;
  printf("the chain %s: its links are up to %.0f mm apart, %.0f where they just touch\n",
         holds ? "holds" : "has broken", 1e3 * (double)longest, 1e3 * (double)pitch);
  return holds && count_outside(stage) == 0;
}

const struct scene chain_scene = {
    .name = "chain",
    .title = "A chain of meshes",
    .bodies = 20,
    .seconds = 20,
    .steps_per_second = 240,
    .iterations = 200,
    .never_sleeps = true,
    .eye = {4.0f, 12.0f, 24.0f},
    .target = {0.0f, 9.5f, 0.0f},
    .field_of_view = 0.9f,
    .floor = 0.0f,
    .radius = 20.0f,
    .film_seconds = 4,
    .still_seconds = 2,
    .build = build,
    .judge = judge,
};
