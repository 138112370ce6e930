/* A hole that is dug: bites are taken out of a mesh while crates, barrels and balls stand on it,
 * and slide in. */
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

enum { GRID = 96, POINTS = GRID + 1 };
static const float cell = 0.2f, bite_radius = 1.1f, pit_radius = 2.6f, pit_depth = 2.4f;
static const double seconds_per_bite = 0.07;
static const uint32_t colors[] = {RED, AMBER, SAND, BLUE, TEAL};

static float level_ground(float x, float z) {
  return 0.02f * sinf(1.7f * x) * cosf(1.3f * z);
}

static mo_geometry kind_of(uint32_t i) {
  return i % 3 == 0   ? box_of(0.25f, 0.25f, 0.25f)
         : i % 3 == 1 ? cylinder_of(0.3f, 0.22f)
                      : ball_of(0.25f);
}

static void build(struct stage *stage) {
  struct triangles ground = surface_of_heights(GRID, cell, level_ground);
  struct solid *solid = world_keep(stage->world, solid_of_editable_surface(&ground));
  struct body_def def = world_default_body(MO_SHAPE_MESH);
  def.geometry = solid->geometry;
  def.solid = solid;
  def.density = 0.0f;
  def.color = 0x9b8460;
  stage->marked = world_add(stage->world, &def);
  stage->first = stage->marked + 1;
  for (uint32_t i = 0; i < stage->wanted; i++) { /* on a spiral around the pit */
    const float radius = 0.65f * sqrtf((float)i), angle = 2.39996f * (float)i;
    struct body_def body = world_default_body(MO_SHAPE_BOX);
    body.geometry = kind_of(i);
    body.position = vec3(radius * cosf(angle), 0.33f, radius * sinf(angle));
    body.rotation = quat_around(vec3(0.0f, 1.0f, 0.0f), random_between(&stage->random, 0.0f, 3.0f));
    body.density = 200.0f;
    body.friction = 0.5f;
    body.color = colors[i % 5];
    world_add(stage->world, &body);
  }
  stage->placed = stage->wanted;
  const float half = 0.5f * cell * GRID;
  stage->region = (mo_aabb){vec3(-half, -1.2f * pit_depth, -half), vec3(half, 2.0f, half)};
}

/* Lowers the vertices inside a ball to its lower half. */
static void bite(struct stage *stage, mo_vec3 center) {
  const struct body *ground = &stage->world->bodies[stage->marked];
  struct triangles *t = &ground->solid->triangles;
  uint32_t moved[POINTS * POINTS], count = 0;
  mo_vec3 *positions = allocate(POINTS * POINTS, sizeof *positions);
  for (uint32_t i = 0; i < t->vertex_count; i++) {
    const float x = t->positions[i].x - center.x, z = t->positions[i].z - center.z;
    const float below = bite_radius * bite_radius - x * x - z * z;
    if (below > 0.0f && t->positions[i].y > center.y - sqrtf(below)) {
      t->positions[i].y = center.y - sqrtf(below);
      moved[count] = i;
      positions[count++] = t->positions[i];
    }
  }
  mo_mesh_edit_def edit = mo_default_mesh_edit_def();
  edit.moved_vertices = moved;
  edit.moved_positions = positions;
  edit.moved_vertex_count = count;
  check(mo_mesh_edit(ground->geometry.mesh, &edit), "edit a mesh");
  check(mo_scene_refresh_shape(stage->world->scene, ground->shape), "refresh a shape");
  free(positions);
}

/* Takes bites anywhere in what is to become the pit, which is deepest in the middle. */
static void act(struct stage *stage) {
  const double bites = stage->time / seconds_per_bite;
  if (bites - floor(bites) >= stage->world->step / seconds_per_bite) {
    return;
  }
  const float dug = fminf(1.0f, (float)stage->time / 4.0f);
  const float radius = pit_radius * sqrtf(random_between(&stage->random, 0.0f, 1.0f));
  const float angle = random_between(&stage->random, 0.0f, 6.2831853f), share = radius / pit_radius;
  const float depth = dug * pit_depth * (1.0f - 0.7f * share * share);
  bite(stage, vec3(radius * cosf(angle), bite_radius - depth, radius * sinf(angle)));
}

/* The height of the ground. */
static float height_at(const struct stage *stage, float x, float z) {
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = vec3(x, 10.0f, z);
  ray.direction = vec3(0.0f, -1.0f, 0.0f);
  mo_ray_hit hit;
  check(mo_mesh_cast_ray(stage->world->bodies[stage->marked].geometry.mesh, &ray, &hit, NULL),
        "look for the ground");
  return hit.found ? hit.point.y : -INFINITY;
}

/* Whether no body has sunk into the ground, and those that stood over the pit are in it. */
static bool judge(const struct stage *stage) {
  uint32_t sunk = 0, fallen = 0;
  for (uint32_t i = stage->first; i < stage->first + stage->placed; i++) {
    const mo_vec3 at = place_of(stage, i);
    sunk += at.y < height_at(stage, at.x, at.z);
    fallen += at.y < -0.5f;
  }
  printf("%u of %u bodies are in the pit, %u in the ground\n", fallen, stage->placed, sunk);
  return sunk == 0 && (stage->time < 4.0 || fallen >= stage->placed / 4);
}

const struct scene dig_scene = {
    .name = "dig",
    .title = "A hole that is dug",
    .bodies = 60,
    .seconds = 6,
    .steps_per_second = 120,
    .iterations = 40,
    .never_sleeps = true,
    .eye = {0.0f, 8.0f, 9.5f},
    .target = {0.0f, -0.6f, 0.0f},
    .field_of_view = 0.75f,
    .floor = -3.0f,
    .radius = 20.0f,
    .film_seconds = 4,
    .still_seconds = 4,
    .build = build,
    .act = act,
    .judge = judge,
};
