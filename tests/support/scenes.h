/* Random scenes of all shape types under all kinds of transform, the same in every form of scene
 * the library offers. */
#ifndef TEST_SCENES_H
#define TEST_SCENES_H

#include "oracle/oracle.h"
#include "support/families.h"
#include "support/hulls.h"
#include "support/samples.h"

enum { TEST_SCENE_MESHES = 12 };

/* How far apart things may be. */
typedef enum test_scene_kind {
  TEST_SCENE_PLAIN,     /* transforms of every kind but the extreme ones */
  TEST_SCENE_CROWDED,   /* the same, close together: everything overlaps */
  TEST_SCENE_FLAT,      /* singular and sheared transforms prevail */
  TEST_SCENE_FAR,       /* some a million away */
  TEST_SCENE_EXTREME,   /* scales of 1e-30 and 1e29 among them */
  TEST_SCENE_EQUAL,     /* coincident shapes, many with the same box */
  TEST_SCENE_UNEVEN,    /* axes of scales 1e7 and more apart; some boxes at exactly 0 on an axis */
  TEST_SCENE_CYLINDERS, /* every third shape is a cylinder */
  TEST_SCENE_ROUNDED,   /* the same, and most convex shapes are rounded */
  TEST_SCENE_CONES, /* every third shape is a cone, needle-thin, flat and rounded ones among them */
  TEST_SCENE_HULLS, /* every third shape is a hull, flat, needle-thin and rounded ones among them */
  TEST_SCENE_HALF_SPACES, /* some shapes are half-spaces; all transforms have an inverse */
  TEST_SCENE_KIND_COUNT,
} test_scene_kind;

const char *test_scene_kind_name(test_scene_kind kind);

typedef struct test_scene {
  scene_family family;
  test_scene_kind kind;
  float spread;  /* origins lie within it, per axis */
  mo_vec3 scale; /* of the axes of the world */
  mo_mesh *meshes[TEST_SCENE_MESHES];
  mo_hull *hulls[TEST_HULL_KINDS];
  mo_shape_id *ids; /* of living shapes */
  uint32_t count, capacity;
  oracle_scene oracle;
  counting_allocator mesh_counter;
} test_scene;

/* A scene with the default options and no shape. Ends the program on failure. */
mo_scene *test_scene_empty(void);

/* Balls of radius 1 in the plane z = 0, `side` by `side`, their centers 3 apart from the origin
 * on. */
mo_scene *test_scene_of_balls(uint32_t side);

/* `shapes` random shapes; updated and read by the oracle. Must not move afterwards. */
void test_scene_make(test_scene *scene, test_scene_kind kind, uint32_t shapes, rng *r);

/* False if memory is outstanding. */
bool test_scene_free(test_scene *scene);

mo_transform test_scene_transform(const test_scene *scene, rng *r);
mo_geometry test_scene_geometry(const test_scene *scene, rng *r);

/* A convex shape at a random place; it may go beyond the range of coordinates. */
mo_primitive test_scene_primitive(const test_scene *scene, rng *r);

/* Adds a random shape, or removes one. */
void test_scene_add(test_scene *scene, rng *r);
void test_scene_remove(test_scene *scene, uint32_t which);

/* One of the shapes with its surroundings, or the whole scene. Reads the oracle. */
sample_target test_scene_target(const test_scene *scene, rng *r);

/* Every shape, or some by category, mask, ignored shape or callback. */
mo_filter test_scene_filter(const test_scene *scene, rng *r);

static inline const mo_scene *const *test_scene_subjects(const test_scene *scene) {
  return (const mo_scene *const *)scene->family.scenes;
}

#endif
