/* A crowd of jointed dolls tumbles down stairs. Bodies that a joint links do not collide. */
#include <stdio.h>

#include "common/vector.h"
#include "physics-demo/scenes.h"

enum { STEPS = 14 };

/* A doll that stands, its pelvis at the origin. */
struct part {
  mo_vec3 place;
  float half_length, radius; /* of a capsule along y; a ball where the length is 0 */
};

enum { PELVIS, CHEST, HEAD, UPPER_ARM, LOWER_ARM = 5, THIGH = 7, SHIN = 9 };

static const struct part parts[] = {
    {{0.0f, 0.0f, 0.0f}, 0.06f, 0.13f},     {{0.0f, 0.36f, 0.0f}, 0.12f, 0.14f},
    {{0.0f, 0.75f, 0.0f}, 0.0f, 0.12f},     {{0.27f, 0.36f, 0.0f}, 0.12f, 0.06f},
    {{-0.27f, 0.36f, 0.0f}, 0.12f, 0.06f},  {{0.27f, 0.02f, 0.0f}, 0.12f, 0.05f},
    {{-0.27f, 0.02f, 0.0f}, 0.12f, 0.05f},  {{0.11f, -0.32f, 0.0f}, 0.15f, 0.08f},
    {{-0.11f, -0.32f, 0.0f}, 0.15f, 0.08f}, {{0.11f, -0.75f, 0.0f}, 0.17f, 0.06f},
    {{-0.11f, -0.75f, 0.0f}, 0.17f, 0.06f},
};
enum { PART_COUNT = sizeof parts / sizeof parts[0] };

/* A hinge across the body, or a ball. */
struct link {
  int first, second;
  mo_vec3 place;
  bool hinge;
  float low, high; /* of the hinge, radians */
};

static const struct link links[] = {
    {PELVIS, CHEST, {0.0f, 0.16f, 0.0f}, true, -0.9f, 0.3f},
    {CHEST, HEAD, {0.0f, 0.61f, 0.0f}, false, 0.0f, 0.0f},
    {CHEST, UPPER_ARM, {0.27f, 0.5f, 0.0f}, false, 0.0f, 0.0f},
    {CHEST, UPPER_ARM + 1, {-0.27f, 0.5f, 0.0f}, false, 0.0f, 0.0f},
    {UPPER_ARM, LOWER_ARM, {0.27f, 0.19f, 0.0f}, true, 0.0f, 2.2f},
    {UPPER_ARM + 1, LOWER_ARM + 1, {-0.27f, 0.19f, 0.0f}, true, 0.0f, 2.2f},
    {PELVIS, THIGH, {0.11f, -0.1f, 0.0f}, false, 0.0f, 0.0f},
    {PELVIS, THIGH + 1, {-0.11f, -0.1f, 0.0f}, false, 0.0f, 0.0f},
    {THIGH, SHIN, {0.11f, -0.53f, 0.0f}, true, -2.2f, 0.0f},
    {THIGH + 1, SHIN + 1, {-0.11f, -0.53f, 0.0f}, true, -2.2f, 0.0f},
};
enum { LINK_COUNT = sizeof links / sizeof links[0] };

static void join(struct world *world, uint32_t first, const struct link *link, mo_vec3 place,
                 mo_vec3 across) {
  dBodyID a = world->bodies[first + (uint32_t)link->first].ode;
  dBodyID b = world->bodies[first + (uint32_t)link->second].ode;
  const dReal at[3] = {(dReal)place.x, (dReal)place.y, (dReal)place.z};
  if (!link->hinge) {
    dJointID joint = dJointCreateBall(world->ode, NULL);
    dJointAttach(joint, a, b);
    dJointSetBallAnchor(joint, at[0], at[1], at[2]);
    return;
  }
  dJointID joint = dJointCreateHinge(world->ode, NULL);
  dJointAttach(joint, a, b);
  dJointSetHingeAnchor(joint, at[0], at[1], at[2]);
  dJointSetHingeAxis(joint, (dReal)across.x, (dReal)across.y, (dReal)across.z);
  dJointSetHingeParam(joint, dParamLoStop, (dReal)link->low);
  dJointSetHingeParam(joint, dParamHiStop, (dReal)link->high);
}

static void add_doll(struct stage *stage, mo_vec3 place, mo_quat rotation, uint32_t color) {
  struct world *world = stage->world;
  uint32_t first = world->count;
  mo_transform turn = mo_transform_make(place, rotation, vec3(1.0f, 1.0f, 1.0f));
  for (int i = 0; i < PART_COUNT; i++) {
    const struct part *part = &parts[i];
    struct body_def def = world_default_body(MO_SHAPE_CAPSULE);
    def.geometry = part->half_length > 0.0f ? capsule_of(part->half_length, part->radius)
                                            : ball_of(part->radius);
    def.position = mo_transform_point(&turn, part->place);
    def.rotation = rotation;
    def.velocity = vec3(0.0f, 0.0f, 4.5f);
    def.density = 900.0f;
    def.friction = 0.25f;
    def.color = i == HEAD ? 0xe8c39e : color;
    world_add(world, &def);
  }
  for (int i = 0; i < LINK_COUNT; i++) {
    join(world, first, &links[i], mo_transform_point(&turn, links[i].place), turn.x_axis);
  }
}

static void build(struct stage *stage) {
  add_floor(stage, 60.0f);
  for (int i = 0; i < STEPS; i++) {
    struct body_def def = world_default_body(MO_SHAPE_BOX);
    float top = 0.3f * (float)(STEPS - i);
    def.geometry = box_of(5.0f, 0.5f * top, 0.3f);
    def.position = vec3(0.0f, 0.5f * top, -4.0f + 0.6f * (float)i);
    def.density = 0.0f;
    def.color = 0xaab4c2;
    world_add(stage->world, &def);
  }
  stage->first = stage->world->count;
  stage->region = (mo_aabb){vec3(-40.0f, 0.0f, -40.0f), vec3(40.0f, 40.0f, 40.0f)};
}

/* A row of five dolls each half second. */
static void act(struct stage *stage) {
  enum { ROW = 5 };
  static const uint32_t colors[] = {RED, AMBER, TEAL, BLUE, GREEN, VIOLET};
  uint32_t row = stage->placed / ROW;
  if (stage->placed == stage->wanted || stage->time < 0.6 * (double)row) {
    return;
  }
  for (uint32_t i = 0; i < ROW && stage->placed < stage->wanted; i++, stage->placed++) {
    float turn = random_between(&stage->random, 0.0f, 6.28f);
    mo_vec3 place = vec3(1.7f * ((float)i - 2.0f), 5.8f, -3.2f);
    add_doll(stage, place, quat_around(vec3(0.0f, 1.0f, 0.0f), turn),
             colors[random_below(&stage->random, 6)]);
  }
}

/* How far the ends of a joint are apart. */
static float gap_of(dJointID joint) {
  dVector3 a, b;
  if (dJointGetType(joint) == dJointTypeBall) {
    dJointGetBallAnchor(joint, a);
    dJointGetBallAnchor2(joint, b);
  } else {
    dJointGetHingeAnchor(joint, a);
    dJointGetHingeAnchor2(joint, b);
  }
  return vec3_length(vec3((float)(a[0] - b[0]), (float)(a[1] - b[1]), (float)(a[2] - b[2])));
}

static bool judge(const struct stage *stage) {
  float widest = 0.0f;
  for (uint32_t i = stage->first; i < stage->world->count; i++) {
    dBodyID body = stage->world->bodies[i].ode;
    for (int k = 0; k < dBodyGetNumJoints(body); k++) {
      widest = fmaxf(widest, gap_of(dBodyGetJoint(body, k)));
    }
  }
  uint32_t outside = count_outside(stage);
  printf("%u dolls are in one piece to within %.0f mm; %u parts have left\n", stage->placed,
         1e3 * (double)widest, outside);
  return outside == 0 && widest < 0.05f;
}

const struct scene ragdolls_scene = {
    .name = "ragdolls",
    .title = "A crowd of dolls on stairs",
    .bodies = 40,
    .seconds = 12,
    .steps_per_second = 120,
    .iterations = 30,
    .eye = {9.5f, 6.5f, 11.0f},
    .target = {0.0f, 1.4f, 0.3f},
    .field_of_view = 0.85f,
    .radius = 14.0f,
    .film_seconds = 6,
    .still_seconds = 5,
    .build = build,
    .act = act,
    .judge = judge,
};
