/* A crowd: a scene of many shapes of all kinds that drift through a region, spin, and turn aside
 * before they run into one another.
 *
 * Nothing here detects collisions by itself. The scene is asked where there is room for a new
 * shape, and, before each move, whether the way is free. */
#ifndef DEMO_CROWD_H
#define DEMO_CROWD_H

#include <motte/motte.h>

#include "common/random.h"

/* Categories of the shapes. */
#define CROWD_SOLID 1u   /* meshes, spheres, boxes and capsules */
#define CROWD_TRIGGER 2u /* volumes, which solid shapes pass through */

struct crowd_def {
  uint32_t shape_count;
  float moving_share; /* of the shapes, 0 to 1 */
  uint64_t seed;
  mo_mesh *const *meshes; /* at least one; the scene keeps references */
  uint32_t mesh_count;
  mo_scene_def scene;
};

/* One shape. Its index among the members is the shape's user data. */
struct crowd_member {
  mo_shape_id id;
  mo_shape_type type;
  uint32_t mesh;  /* index into the def's meshes, for MO_SHAPE_MESH */
  mo_vec3 center; /* of the geometry, local */
  float radius;   /* of a ball around the shape, world */
  mo_vec3 scale;
  mo_vec3 position, velocity; /* per second */
  mo_vec3 spin_axis;
  float spin; /* radians per second */
  mo_quat rotation;
};

struct crowd {
  mo_scene *scene;
  mo_aabb region; /* the crowd's centres stay inside */
  struct crowd_member *members;
  uint32_t count;
  uint32_t moving_count; /* the members below this index move */
  mo_shape_id *moving_ids;
  mo_transform *moving_transforms;
};

struct crowd crowd_create(const struct crowd_def *def);
void crowd_destroy(struct crowd *crowd);

/* Looks ahead for every moving member, with one box query each, and turns those aside whose way is
 * not free. Changes no shape yet. */
void crowd_steer(struct crowd *crowd, float seconds, mo_query_stats *stats);

/* Moves the members on their way and their shapes in the scene with them. */
void crowd_move(struct crowd *crowd, float seconds);

#endif
