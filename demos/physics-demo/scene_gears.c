/* Gears, as meshes on hinges: one is driven, and turns the others by contacts alone. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"
#include "physics-demo/surfaces.h"

enum { GEARS = 4, MAX_TEETH = 30, PER_TOOTH = 6 };
static const float half_turn = 3.14159265f, module = 0.25f;
static const float speed = 1.2f; /* of the first, radians per second */
static const uint32_t teeth[GEARS] = {12, 24, 16, 20};
static const uint32_t colors[GEARS] = {AMBER, BLUE, GREEN, RED};
static const float bearings[GEARS] = {0.0f, 0.5f, -0.75f, 0.55f}; /* of each seen from the last */

/* Half of the angle that a tooth takes at a height over the pitch circle, in modules. An involute
 * (Euler) of 25 degrees, with a little play. */
static float half_tooth(uint32_t count, float height) {
  const float pressure = 0.436332313f, pitch = 0.5f * (float)count;
  float cosine = fminf(1.0f, pitch * cosf(pressure) / (pitch + height)), angle = acosf(cosine);
  return 0.94f * half_turn / (2.0f * (float)count) + tanf(pressure) - pressure - tanf(angle) +
         angle;
}

/* The outline of a gear around the origin, against the clock; a tooth points along x. */
static uint32_t make_outline(uint32_t count, mo_vec3 *outline) {
  static const float heights[PER_TOOTH] = {-1.2f, -0.4f, 0.9f, 0.9f, -0.4f, -1.2f};
  for (uint32_t i = 0; i < count * PER_TOOTH; i++) {
    uint32_t k = i % PER_TOOTH;
    float height = heights[k], radius = module * (0.5f * (float)count + height);
    float side = half_tooth(count, fmaxf(height, -0.4f)) * (k < PER_TOOTH / 2 ? -1.0f : 1.0f);
    float angle = 2.0f * half_turn * (float)(i / PER_TOOTH) / (float)count + side;
    outline[i] = vec3(radius * cosf(angle), radius * sinf(angle), 0.0f);
  }
  return count * PER_TOOTH;
}

/* With a hole for an axle in its middle. */
static struct triangles make_gear(uint32_t count, float half_width) {
  mo_vec3 outline[MAX_TEETH * PER_TOOTH];
  const mo_vec3 width = vec3(0.0f, 0.0f, half_width);
  uint32_t corners = make_outline(count, outline);
  struct triangles gear = surface_of_quads(4 * corners);
  for (uint32_t i = 0; i < corners; i++) {
    mo_vec3 a = outline[i], b = outline[(i + 1) % corners];
    mo_vec3 c = vec3_scale(module / vec3_length(a), a), d = vec3_scale(module / vec3_length(b), b);
    mo_vec3 front[4] = {vec3_add(a, width), vec3_add(b, width), vec3_add(c, width),
                        vec3_add(d, width)};
    mo_vec3 back[4] = {vec3_sub(a, width), vec3_sub(b, width), vec3_sub(c, width),
                       vec3_sub(d, width)};
    surface_add_quad(&gear, back[0], back[1], front[1], front[0]);
    surface_add_quad(&gear, front[0], front[1], front[3], front[2]);
    surface_add_quad(&gear, front[2], front[3], back[3], back[2]);
    surface_add_quad(&gear, back[2], back[3], back[1], back[0]);
  }
  return gear;
}

/* How far a gear has to be turned at first, so that a gap of it is where the last one has a tooth.
 * The last is turned by `angle`, and this one lies in direction `bearing` of it. */
static float meshing_angle(uint32_t last, float angle, uint32_t count, float bearing) {
  float tooth = (bearing - angle) * (float)last / (2.0f * half_turn);
  return bearing + half_turn - (0.5f - tooth) * 2.0f * half_turn / (float)count;
}

static void build(struct stage *stage) {
  struct world *world = stage->world;
  const mo_vec3 axis = {0.0f, 0.0f, 1.0f};
  mo_vec3 at = {-7.5f, 4.0f, 0.0f};
  float angle = 0.0f;
  stage->first = world->count;
  for (uint32_t i = 0; i < GEARS; i++) {
    if (i > 0) {
      float apart = 0.5f * module * (float)(teeth[i - 1] + teeth[i]);
      at = vec3_add(at, vec3(apart * cosf(bearings[i]), apart * sinf(bearings[i]), 0.0f));
      angle = meshing_angle(teeth[i - 1], angle, teeth[i], bearings[i]);
    }
    /* of two widths, as ends in one plane would touch along the axis */
    struct triangles triangles = make_gear(teeth[i], i % 2 ? 0.35f : 0.45f);
    struct solid *solid = world_keep(world, solid_of_body(&triangles));
    struct body_def def = world_default_body(MO_SHAPE_MESH);
    def.geometry = solid->geometry;
    def.solid = solid;
    def.position = at;
    def.rotation = quat_around(axis, angle);
    def.density = 100.0f;
    def.friction = 0.1f;
    def.color = colors[i];
    uint32_t index = world_add(world, &def);
    dJointID hinge = dJointCreateHinge(world->ode, NULL);
    dJointAttach(hinge, world->bodies[index].ode, NULL);
    dJointSetHingeAnchor(hinge, (dReal)at.x, (dReal)at.y, (dReal)at.z);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    dJointSetHingeParam(hinge, dParamVel, i == 0 ? -(dReal)speed : 0);
    dJointSetHingeParam(hinge, dParamFMax, i == 0 ? 1e6 : 20); /* a motor and brakes */
    stage->joints[i] = hinge;
  }
  stage->placed = GEARS;
  stage->region = (mo_aabb){vec3(-12.0f, -2.0f, -1.0f), vec3(12.0f, 12.0f, 1.0f)};
}

/* Whether each gear has turned by its share of what the first one has, to within half a tooth. */
static bool judge(const struct stage *stage) {
  const double turn = 2 * (double)half_turn;
  double first = dJointGetHingeAngle(stage->joints[0]);
  first += turn * round((-(double)speed * stage->time - first) / turn);
  bool good = first < -0.8 * (double)speed * stage->time;
  for (uint32_t i = 1; i < GEARS; i++) {
    double wanted = (i % 2 ? -first : first) * teeth[0] / teeth[i];
    double off = remainder(dJointGetHingeAngle(stage->joints[i]) - wanted, turn);
    printf("the gear of %u teeth is off by %.2f of a tooth\n", teeth[i], off * teeth[i] / turn);
    good = good && fabs(off) * teeth[i] < 0.5 * turn;
  }
  return good;
}

const struct scene gears_scene = {
    .name = "gears",
    .title = "Gears that turn each other",
    .bodies = GEARS,
    .seconds = 10,
    .steps_per_second = 120,
    .iterations = 60,
    .never_sleeps = true,
    .eye = {1.5f, 8.0f, 20.5f},
    .target = {-1.0f, 4.9f, 0.0f},
    .field_of_view = 0.8f,
    .floor = 0.0f,
    .radius = 20.0f,
    .film_seconds = 3,
    .still_seconds = 2,
    .build = build,
    .judge = judge,
};
