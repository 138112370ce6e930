/* What is simulated. */
#ifndef DEMO_SCENES_H
#define DEMO_SCENES_H

#include "common/random.h"
#include "physics-demo/options.h"
#include "physics-demo/world.h"

/* Colours of bodies. */
enum { RED = 0xd8453a, AMBER = 0xf0a030, SAND = 0xe3cf9f, GREEN = 0x62b06a, TEAL = 0x3fb0ac };
enum { BLUE = 0x5a8fd8, VIOLET = 0x8d6cc0, PALE = 0xa3afbf, DARK = 0x566074 };

/* A scene under way. */
struct stage {
  struct world *world;
  const struct options *options;
  struct random_stream random;
  uint32_t wanted; /* bodies */
  double time;     /* simulated seconds */
  uint32_t first;  /* the first body that counts, and how many of these there are so far */
  uint32_t placed;
  uint32_t first_solid; /* of the bodies */
  uint32_t marked;      /* a body that a scene has to know again */
  dJointID joints[4];   /* that a scene has to know again */
  float scale;          /* of a scene that grows with its bodies */
  mo_aabb region;       /* bodies outside have left the scene */
};

struct scene {
  const char *name, *title;
  uint32_t bodies, seconds, steps_per_second;
  uint32_t iterations;    /* of ODE's solver, which begins each step anew */
  bool never_sleeps;      /* bodies never fall asleep */
  bool settles;           /* as in struct world_def */
  mo_vec3 eye, target;    /* of the pictures; of a scene that grows, where `scale` is 1 */
  float field_of_view;    /* radians */
  float floor, radius;    /* height and bright part of the floor in pictures */
  uint32_t film_seconds;  /* of the animation */
  uint32_t still_seconds; /* when the picture is taken */
  void (*build)(struct stage *stage);
  void (*act)(struct stage *stage);         /* before each step; may be null */
  bool (*judge)(const struct stage *stage); /* says how it has ended, and whether it should so */
};

extern const struct scene tower_scene, cylinders_scene, pile_scene, map_scene, wall_scene,
    ragdolls_scene, vehicle_scene, maze_scene, gears_scene, dig_scene, chain_scene, knots_scene;
enum { SCENE_COUNT = 12 };
extern const struct scene *const scenes[SCENE_COUNT];

/* A floor whose top is at height 0. */
void add_floor(struct stage *stage, float half_side);

/* A mesh that stands still; takes over the triangles. Unseen: in no picture. */
void add_surface(struct stage *stage, struct triangles triangles, uint32_t color, bool unseen);

/* Where a body is. */
mo_vec3 place_of(const struct stage *stage, uint32_t body);

/* How far the farthest of the bodies has gone from where it began. */
float farthest_way(const struct stage *stage);
uint32_t count_asleep(const struct stage *stage);
uint32_t count_outside(const struct stage *stage);

/* Cubes, cylinders, ... around their centre of mass; of cones and cylinders along y. */
mo_geometry box_of(float half_x, float half_y, float half_z);
mo_geometry ball_of(float radius);
mo_geometry capsule_of(float half_length, float radius);
mo_geometry cylinder_of(float half_length, float radius);
mo_geometry cone_of(float height, float radius);

#endif
