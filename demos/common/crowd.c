#include "common/crowd.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"

/* Room per shape: the cube of this length, in units of the typical radius of a shape, which is 1.
 */
static const float spacing = 2.7f;

/* A wide and shallow region suits a picture. */
static mo_aabb region_for(uint32_t shape_count) {
  float side = spacing * cbrtf((float)shape_count);
  mo_vec3 half = vec3(0.92f * side, 0.22f * side, 0.60f * side);
  return (mo_aabb){vec3_scale(-1.0f, half), half};
}

static mo_filter solid_filter(void) {
  mo_filter filter = mo_default_filter();
  filter.mask = CROWD_SOLID;
  return filter;
}

static mo_transform member_transform(const struct crowd_member *member) {
  mo_transform place = mo_transform_make(member->position, member->rotation, member->scale);
  mo_transform to_center = mo_transform_identity();
  to_center.origin = vec3_scale(-1.0f, member->center);
  return mo_transform_compose(&place, &to_center);
}

static mo_shape_type random_type(struct random_stream *random) {
  float pick = random_between(random, 0.0f, 1.0f);
  return pick < 0.80f   ? MO_SHAPE_MESH
         : pick < 0.87f ? MO_SHAPE_SPHERE
         : pick < 0.93f ? MO_SHAPE_BOX
         : pick < 0.98f ? MO_SHAPE_CAPSULE
                        : MO_SHAPE_VOLUME;
}

/* Many small ones, few large ones. */
static float random_radius(struct random_stream *random) {
  float pick = random_between(random, 0.0f, 1.0f);
  return 0.75f + 1.5f * pick * pick * pick * pick;
}

/* Local geometry that fits into a ball of radius 1 around `*center` after scaling by the result. */
static float make_geometry(struct random_stream *random, const struct crowd_def *def,
                           struct crowd_member *member, mo_geometry *geometry) {
  *geometry = mo_default_shape_def(member->type).geometry;
  switch (member->type) {
  case MO_SHAPE_MESH: {
    member->mesh = random_below(random, def->mesh_count);
    geometry->mesh = def->meshes[member->mesh];
    mo_aabb bounds = mo_mesh_bounds(geometry->mesh);
    member->center = aabb_center(bounds);
    return 2.0f / vec3_length(aabb_size(bounds));
  }
  case MO_SHAPE_SPHERE:
    geometry->sphere = (mo_sphere){vec3(0.0f, 0.0f, 0.0f), 0.7f};
    return 1.0f;
  case MO_SHAPE_BOX:
    geometry->box.half_extents = vec3(0.45f, 0.45f, 0.45f);
    return 1.0f;
  case MO_SHAPE_CAPSULE:
    geometry->capsule.a = vec3(0.0f, -0.6f, 0.0f);
    geometry->capsule.b = vec3(0.0f, 0.6f, 0.0f);
    geometry->capsule.radius = 0.35f;
    return 1.0f;
  case MO_SHAPE_VOLUME:
  default:
    geometry->volume = aabb_around(vec3(0.0f, 0.0f, 0.0f), 1.0f);
    return 1.0f;
  }
}

/* A third is stretched differently along each axis, and a quarter of all is mirrored. */
static mo_vec3 random_scale(struct random_stream *random, float scale) {
  mo_vec3 result = vec3(scale, scale, scale);
  if (random_chance(random, 1.0f / 3.0f)) {
    result.y *= random_between(random, 0.65f, 1.0f);
    result.z *= random_between(random, 0.65f, 1.0f);
  }
  if (random_chance(random, 0.25f)) {
    result.x = -result.x;
  }
  return result;
}

static bool is_free(const mo_scene *scene, mo_aabb box) {
  mo_overlap_def overlap = mo_overlap_aabb_def(box);
  overlap.filter = solid_filter();
  overlap.precision = MO_PRECISION_BOUNDS;
  uint32_t total;
  check(mo_scene_overlap_shapes(scene, &overlap, NULL, 0, &total, NULL), "look for a free place");
  return total == 0;
}

/* Tries random places until one is free; takes the last one if the region is too full for that. */
static mo_vec3 find_place(struct random_stream *random, const struct crowd *crowd,
                          const struct crowd_member *member) {
  enum { ATTEMPTS = 200 };
  mo_vec3 place = random_point_in(random, crowd->region);
  for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
    if (is_free(crowd->scene, aabb_around(place, member->radius))) {
      break;
    }
    place = random_point_in(random, crowd->region);
  }
  return place;
}

static void add_member(struct random_stream *random, const struct crowd_def *def,
                       struct crowd *crowd, uint32_t index) {
  struct crowd_member *member = &crowd->members[index];
  member->type = random_type(random);
  mo_shape_def shape = mo_default_shape_def(member->type);
  float unit = make_geometry(random, def, member, &shape.geometry);
  member->radius = random_radius(random);
  member->scale = random_scale(random, unit * member->radius);
  member->spin_axis = random_direction(random);
  member->spin = random_between(random, -1.2f, 1.2f);
  member->rotation = quat_around(random_direction(random), random_between(random, 0.0f, 6.28f));
  member->velocity = vec3_scale(random_between(random, 0.5f, 2.5f), random_direction(random));
  member->position = find_place(random, crowd, member);

  shape.transform = member_transform(member);
  shape.category = member->type == MO_SHAPE_VOLUME ? CROWD_TRIGGER : CROWD_SOLID;
  shape.user_data = index;
  check(mo_scene_add_shape(crowd->scene, &shape, &member->id), "add a shape to the scene");
}

struct crowd crowd_create(const struct crowd_def *def) {
  struct crowd crowd = {
      .region = region_for(def->shape_count),
      .members = allocate(def->shape_count, sizeof(struct crowd_member)),
      .count = def->shape_count,
      .moving_count = (uint32_t)lroundf(def->moving_share * (float)def->shape_count),
  };
  crowd.moving_ids = allocate(crowd.moving_count, sizeof(mo_shape_id));
  crowd.moving_transforms = allocate(crowd.moving_count, sizeof(mo_transform));
  check(mo_scene_create(&def->scene, &crowd.scene), "create a scene");

  struct random_stream random = random_from_seed(def->seed);
  for (uint32_t i = 0; i < crowd.count; i++) {
    add_member(&random, def, &crowd, i);
  }
  for (uint32_t i = 0; i < crowd.moving_count; i++) {
    crowd.moving_ids[i] = crowd.members[i].id;
  }
  check(mo_scene_update(crowd.scene, NULL), "update the scene");
  return crowd;
}

void crowd_destroy(struct crowd *crowd) {
  mo_scene_destroy(crowd->scene);
  free(crowd->members);
  free(crowd->moving_ids);
  free(crowd->moving_transforms);
}

/* The velocity with its part towards `obstacle` reversed. */
static mo_vec3 turned_away(mo_vec3 velocity, mo_vec3 position, mo_vec3 obstacle) {
  mo_vec3 away = vec3_normalize(vec3_sub(position, obstacle));
  float approach = vec3_dot(velocity, away);
  return approach < 0.0f ? vec3_sub(velocity, vec3_scale(2.0f * approach, away)) : velocity;
}

static float turned_inside(float velocity, float position, float lower, float upper) {
  return position < lower ? fabsf(velocity) : position > upper ? -fabsf(velocity) : velocity;
}

static void keep_in_region(struct crowd_member *member, mo_aabb region) {
  mo_vec3 p = member->position;
  mo_vec3 *v = &member->velocity;
  v->x = turned_inside(v->x, p.x, region.lower.x, region.upper.x);
  v->y = turned_inside(v->y, p.y, region.lower.y, region.upper.y);
  v->z = turned_inside(v->z, p.z, region.lower.z, region.upper.z);
}

static void steer(const struct crowd *crowd, struct crowd_member *member, float seconds,
                  mo_query_stats *stats) {
  enum { OBSTACLES = 16 };
  mo_vec3 step = vec3_scale(seconds, member->velocity);
  mo_vec3 front = vec3_scale(0.8f * member->radius, vec3_normalize(member->velocity));
  mo_vec3 next = vec3_add(member->position, vec3_add(step, front));
  mo_overlap_def overlap = mo_overlap_aabb_def(aabb_around(next, 0.4f * member->radius));
  overlap.filter = solid_filter();
  overlap.filter.ignore = member->id;
  mo_shape_id obstacles[OBSTACLES];
  uint32_t total;
  check(mo_scene_overlap_shapes(crowd->scene, &overlap, obstacles, OBSTACLES, &total, stats),
        "look ahead of a shape");
  for (uint32_t i = 0; i < total && i < OBSTACLES; i++) {
    mo_aabb bounds;
    check(mo_scene_get_bounds(crowd->scene, obstacles[i], &bounds), "find an obstacle");
    member->velocity = turned_away(member->velocity, member->position, aabb_center(bounds));
  }
  keep_in_region(member, crowd->region);
}

void crowd_steer(struct crowd *crowd, float seconds, mo_query_stats *stats) {
  for (uint32_t i = 0; i < crowd->moving_count; i++) {
    steer(crowd, &crowd->members[i], seconds, stats);
  }
}

void crowd_move(struct crowd *crowd, float seconds) {
  for (uint32_t i = 0; i < crowd->moving_count; i++) {
    struct crowd_member *member = &crowd->members[i];
    member->position = vec3_add(member->position, vec3_scale(seconds, member->velocity));
    mo_quat turn = quat_around(member->spin_axis, seconds * member->spin);
    member->rotation = quat_mul(turn, member->rotation);
    crowd->moving_transforms[i] = member_transform(member);
  }
  mo_update_def def = mo_default_update_def();
  def.ids = crowd->moving_ids;
  def.transforms = crowd->moving_transforms;
  def.count = crowd->moving_count;
  check(mo_scene_update(crowd->scene, &def), "move the shapes");
}
