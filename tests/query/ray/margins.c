/* Rays where errors in the space of a shape are large beside it: axes of very unequal length, and
 * transforms whose origin is far from the shape. What the octree skips must be what the oracle
 * misses, whatever else is in the scene. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "support/check.h"
#include "support/hulls.h"
#include "support/scenes.h"

/* A shape alone, with one other nearby or far away, and with many. */
enum { OTHERS = 4 };

/* Of so many rounds one, where each takes ten times as long; no kind of shape and no scale is left
 * out. */
#if defined(TEST_SANITIZED)
enum { ROUND_STEP = 7 };
#else
enum { ROUND_STEP = 1 };
#endif

static const uint32_t other_counts[OTHERS] = {0, 1, 1, 30};
static const float other_places[OTHERS] = {0, 4, 1000, 1000};

typedef struct subjects {
  scene_family family[OTHERS];
  oracle_scene oracle[OTHERS];
} subjects;

/* False if the shape is refused. */
static bool subjects_make(subjects *s, const mo_shape_def *def, rng *r) {
  bool added = true;
  for (uint32_t i = 0; i < OTHERS; i++) {
    mo_shape_id id;
    scene_family_create(&s->family[i]);
    added = scene_family_add(&s->family[i], def, &id) == MO_OK && added;
    for (uint32_t k = 0; k < other_counts[i]; k++) {
      mo_shape_def other = mo_default_shape_def(MO_SHAPE_SPHERE);
      other.transform.origin = rng_vec3(r, -other_places[i], other_places[i]);
      if (other_places[i] < 1000) {
        other.geometry.sphere.radius = 0.1f; /* so that the scene's bounds add nothing to margins */
      }
      cr_assert_eq(scene_family_add(&s->family[i], &other, &id), MO_OK);
    }
    scene_family_update(&s->family[i]);
    s->oracle[i] = (oracle_scene){0};
    oracle_scene_read(&s->oracle[i], s->family[i].scenes[0]);
  }
  return added;
}

static void subjects_free(subjects *s) {
  for (uint32_t i = 0; i < OTHERS; i++) {
    oracle_scene_free(&s->oracle[i]);
    cr_assert(scene_family_free(&s->family[i]));
  }
}

/* Whether the shape is hit where it is alone. */
static bool check(subjects *s, const mo_ray_def *ray) {
  for (uint32_t i = 0; i < OTHERS; i++) {
    cr_assert(check_scene_ray((const mo_scene *const *)s->family[i].scenes, s->family[i].count,
                              &s->oracle[i], ray, CHECK_FULL),
              "%u others: %s", other_counts[i], check_why());
  }
  mo_ray_hit hit;
  cr_assert_eq(mo_scene_cast_ray(s->family[0].scenes[0], ray, &hit, NULL), MO_OK);
  return hit.found;
}

/* Convex shapes with one axis up to 1e20 long, some of them beginning at 0 exactly, and
 * rays from as far away. */
Test(ray_margins, unequal_axes) {
  rng r = rng_make(rng_seed("ray_margins/axes", 181));
  static const mo_shape_type types[] = {MO_SHAPE_SPHERE,   MO_SHAPE_BOX,  MO_SHAPE_CAPSULE,
                                        MO_SHAPE_CYLINDER, MO_SHAPE_CONE, MO_SHAPE_HULL};
  uint64_t hits = 0, rounds = rng_rounds(126, 6000);
  for (uint64_t round = 0; round < rounds; round += ROUND_STEP) {
    float scale = powf(10, (float)(3 + round % 18));
    mo_shape_def def = mo_default_shape_def(types[round / 18 % (sizeof types / sizeof *types)]);
    mo_transform *map = &def.transform;
    if (round & 1) {
      map->x_axis = (mo_vec3){rng_float(&r, 1, 5), 0, 0};
      map->y_axis = (mo_vec3){0, rng_float(&r, 1, 5), 0};
      map->z_axis = (mo_vec3){0, 0, scale};
    } else {
      map->x_axis = rng_vec3(&r, -5, 5);
      map->y_axis = rng_vec3(&r, -5, 5);
      map->z_axis = (mo_vec3){rng_float(&r, -2, 2), rng_float(&r, -2, 2), scale};
      map->origin = rng_vec3(&r, -5, 5);
    }
    mo_geometry *g = &def.geometry;
    if (g->type == MO_SHAPE_SPHERE) {
      g->sphere.center = (mo_vec3){0, 0, 7};
    } else if (g->type == MO_SHAPE_BOX) {
      g->box.center = (mo_vec3){0, 0, round % 5 == 0 ? g->box.half_extents.z : 7};
    } else if (g->type == MO_SHAPE_CYLINDER) {
      g->cylinder = (mo_cylinder){{0, 0, 7}, {1, 0, round % 3 ? 7.0f : 8.0f}, 1};
    } else if (g->type == MO_SHAPE_CONE) {
      g->cone = (mo_cone){{0, 0, 7}, {1, 0, round % 3 ? 7.0f : 8.0f}, 1};
    } else if (g->type == MO_SHAPE_HULL) {
      g->hull = test_hull_random(&r);
    } else {
      g->capsule.a = (mo_vec3){0, 0, 7};
      g->capsule.b = (mo_vec3){1, 0, 7};
    }
    subjects s;
    bool added = subjects_make(&s, &def, &r);
    for (int k = 0; added && k < 12; k++) {
      mo_ray_def ray = mo_default_ray_def();
      ray.origin = rng_vec3(&r, -scale, scale);
      mo_vec3 to = rng_vec3(&r, -8, 8);
      if (k & 1) {
        ray.origin.z = rng_float(&r, -5, 5);
      }
      if (!(k & 2)) {
        to.z = rng_float(&r, -10 * scale, 10 * scale);
      }
      ray.direction = (mo_vec3){to.x - ray.origin.x, to.y - ray.origin.y, to.z - ray.origin.z};
      hits += check(&s, &ray);
    }
    subjects_free(&s);
  }
  cr_assert_gt(hits, 2 * rounds / 5 / ROUND_STEP);
}

/* A line that passes the bounds of a box by 1e20 does not hit it. */
Test(ray_margins, far_beside_a_box) {
  rng r = rng_make(1);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.transform = (mo_transform){{4.5625f, 4.3125f, 5.9375f},
                                 {-4.5625f, 4.3125f, 5.9375f},
                                 {-1, -1.875f, 0x1.5af1d8p+66f},
                                 {-2, 1, 5}};
  def.geometry.box.center = (mo_vec3){3.625f, 0.4375f, 7};
  def.geometry.box.half_extents = (mo_vec3){4.75f, 2, 4};
  subjects s;
  cr_assert(subjects_make(&s, &def, &r));
  mo_ray_def ray = mo_segment_def((mo_vec3){1, 0x1.5af1d8p+66f, 1.875f}, (mo_vec3){1, 0, 0});
  ray.direction = (mo_vec3){-0.34375f, -0x1.5af1d8p+66f, 1.625f};
  cr_assert_not(check(&s, &ray));
  subjects_free(&s);
}

/* Meshes a million away in their own space that their transforms bring back: local rays are rounded
 * by more than the triangles, and the margin of the bounds makes up for it. */
Test(ray_margins, far_transform_origins) {
  rng r = rng_make(rng_seed("ray_margins/origins", 182));
  uint64_t hits = 0, rounds = rng_rounds(40, 1000);
  for (uint64_t round = 0; round < rounds; round += ROUND_STEP) {
    float far = round % 2 ? 1e6f : 1e5f;
    test_mesh mesh = {.name = "far"};
    mo_vec3 first[3];
    /* Alone a flat one is its own bounds. */
    for (int i = 0; i < (round % 4 == 0 ? 4 : 1); i++) {
      mo_vec3 a = rng_vec3(&r, -1, 1), b = rng_vec3(&r, -1, 1), c = rng_vec3(&r, -1, 1);
      if (i == 0) {
        a.z = b.z = c.z = 0;
      }
      const mo_vec3 corners[3] = {
          {far + a.x, a.y, a.z}, {far + b.x, b.y, b.z}, {far + c.x, c.y, c.z}};
      test_mesh_add_corners(&mesh, corners[0], corners[1], corners[2]);
      if (i == 0) {
        memcpy(first, corners, sizeof first);
      }
    }
    mo_mesh *built = test_mesh_build(&mesh);
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = built;
    def.transform =
        mo_transform_make((mo_vec3){0, 0, 0}, round % 3 ? rng_rotation(&r) : (mo_quat){0, 0, 0, 1},
                          (mo_vec3){1, 1, 1});
    mo_vec3 away = mo_transform_point(&def.transform, (mo_vec3){far, 0, 0});
    def.transform.origin = (mo_vec3){-away.x, -away.y, -away.z};
    subjects s;
    cr_assert(subjects_make(&s, &def, &r));
    for (int k = 0; k < 100; k++) {
      mo_vec3 from = rng_vec3(&r, -2, 2), to = rng_vec3(&r, -2, 2);
      if (k % 2 == 0) { /* about where an edge is */
        const uint32_t edge = rng_below(&r, 3);
        const float share = rng_float(&r, 0, 1), off = far * 0x1p-25f;
        mo_vec3 place =
            mo_add(mo_scale(share, first[edge]), mo_scale(1 - share, first[(edge + 1) % 3]));
        place = mo_add(mo_transform_point(&def.transform, place), mo_scale(off, rng_direction(&r)));
        to = mo_add(from, mo_scale(2, mo_sub(place, from)));
      }
      mo_ray_def ray = mo_segment_def(from, to);
      hits += check(&s, &ray);
    }
    subjects_free(&s);
    mo_mesh_release(built);
    test_mesh_free(&mesh);
  }
  cr_assert_gt(hits, 5 * rounds / 2 / ROUND_STEP);
}
