#include "galaxy-demo/galaxy.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "common/vector.h"

/* Half of the stars are in two arms, which wind up as the inner stars overtake the outer ones. */
static float random_angle(struct random_stream *random, float share) {
  float anywhere = random_between(random, 0.0f, 6.2831853f);
  if (random_chance(random, 0.5f)) {
    return anywhere;
  }
  float arm = 3.1415927f * (float)random_below(random, 2);
  return arm - 2.5f * logf(share) + 0.08f * anywhere;
}

static struct star random_star(struct random_stream *random, float radius) {
  float share = 0.05f + 0.95f * powf(random_between(random, 0.0f, 1.0f), 0.8f);
  float thickness = 0.10f * (1.2f - share) * radius;
  return (struct star){
      .orbit = share * radius,
      .speed = 0.05f * powf(share, -1.0f),
      .angle = random_angle(random, share),
      .tilt = random_between(random, -0.09f, 0.09f),
      .node = random_between(random, 0.0f, 6.2831853f),
      .height = random_between(random, -thickness, thickness),
      .axis = random_direction(random),
  };
}

static mo_shape_def random_shape(struct random_stream *random, uint32_t index) {
  static const mo_shape_type types[] = {MO_SHAPE_SPHERE, MO_SHAPE_BOX, MO_SHAPE_CAPSULE};
  mo_shape_def def = mo_default_shape_def(types[index % 3]);
  float size = random_between(random, 0.2f, 0.5f);
  switch (def.geometry.type) {
  case MO_SHAPE_SPHERE:
    def.geometry.sphere.radius = size;
    break;
  case MO_SHAPE_BOX:
    def.geometry.box.half_extents = vec3(size, 0.7f * size, 0.85f * size);
    break;
  default:
    def.geometry.capsule.a = vec3(0.0f, -size, 0.0f);
    def.geometry.capsule.b = vec3(0.0f, size, 0.0f);
    def.geometry.capsule.radius = 0.5f * size;
    break;
  }
  def.user_data = index;
  return def;
}

struct galaxy galaxy_create(uint32_t count, uint64_t seed, const mo_scene_def *def) {
  struct galaxy galaxy = {
      .radius = 2.0f * cbrtf((float)count),
      .count = count,
      .stars = allocate(count, sizeof(struct star)),
      .ids = allocate(count, sizeof(mo_shape_id)),
      .transforms = allocate(count, sizeof(mo_transform)),
  };
  struct random_stream random = random_from_seed(seed);
  for (uint32_t i = 0; i < count; i++) {
    galaxy.stars[i] = random_star(&random, galaxy.radius);
  }
  galaxy_compute(&galaxy, 0.0f);

  mo_shape_def *shapes = allocate(count, sizeof *shapes);
  for (uint32_t i = 0; i < count; i++) {
    shapes[i] = random_shape(&random, i);
    shapes[i].transform = galaxy.transforms[i];
  }
  check(mo_scene_create(def, &galaxy.scene), "create a scene");
  check(mo_scene_add_shapes(galaxy.scene, shapes, count, galaxy.ids, NULL), "add the shapes");
  check(mo_scene_update(galaxy.scene, NULL), "update the scene");
  free(shapes);
  return galaxy;
}

void galaxy_destroy(struct galaxy *galaxy) {
  mo_scene_destroy(galaxy->scene);
  free(galaxy->stars);
  free(galaxy->ids);
  free(galaxy->transforms);
}

void galaxy_compute(struct galaxy *galaxy, float seconds) {
  for (uint32_t i = 0; i < galaxy->count; i++) {
    const struct star *star = &galaxy->stars[i];
    float turn = seconds * star->speed;
    float angle = star->angle + turn;
    mo_vec3 place = vec3(star->orbit * cosf(angle),
                         star->height + star->orbit * star->tilt * sinf(angle - star->node),
                         star->orbit * sinf(angle));
    galaxy->transforms[i] =
        mo_transform_make(place, quat_around(star->axis, turn), vec3(1.0f, 1.0f, 1.0f));
  }
}

void galaxy_move(struct galaxy *galaxy) {
  mo_update_def def = mo_default_update_def();
  def.ids = galaxy->ids;
  def.transforms = galaxy->transforms;
  def.count = galaxy->count;
  check(mo_scene_update(galaxy->scene, &def), "update the scene");
}
