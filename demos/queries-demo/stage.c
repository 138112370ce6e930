#include "queries-demo/stage.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/vector.h"

enum { AROUND = 96, ACROSS = 36, MAX_SHAPES = 256 };

static mo_mesh *make_ring(void) {
  mo_vec3 *points = allocate(AROUND * ACROSS, sizeof *points);
  uint32_t *indices = allocate(6 * AROUND * ACROSS, sizeof *indices);
  for (uint32_t i = 0; i < AROUND; i++) {
    for (uint32_t j = 0; j < ACROSS; j++) {
      float u = 6.2831853f * (float)i / AROUND, v = 6.2831853f * (float)j / ACROSS;
      float thick = 0.9f + 0.18f * sinf(6.0f * u + 2.0f * v), wide = 2.6f + thick * cosf(v);
      points[ACROSS * i + j] = vec3(wide * cosf(u), thick * sinf(v), -wide * sinf(u));
      uint32_t right = (i + 1) % AROUND, above = (j + 1) % ACROSS;
      const uint32_t corners[6] = {
          ACROSS * i + j, ACROSS * right + j,     ACROSS * right + above,
          ACROSS * i + j, ACROSS * right + above, ACROSS * i + above,
      };
      for (uint32_t k = 0; k < 6; k++) {
        indices[6 * (ACROSS * i + j) + k] = corners[k];
      }
    }
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = points;
  def.vertex_count = AROUND * ACROSS;
  def.indices = indices;
  def.triangle_count = 2 * AROUND * ACROSS;
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "make the ring");
  free(points);
  free(indices);
  return mesh;
}

struct stage stage_create(void) {
  struct stage stage = {.ring = make_ring(), .colors = allocate(MAX_SHAPES, sizeof(mo_vec3))};
  mo_scene_def def = mo_default_scene_def();
  check(mo_scene_create(&def, &stage.scene), "create a scene");
  return stage;
}

void stage_destroy(struct stage *stage) {
  mo_scene_destroy(stage->scene);
  mo_mesh_release(stage->ring);
  free(stage->colors);
}

mo_transform stage_place(mo_vec3 at, mo_vec3 axis, float angle) {
  return mo_transform_make(at, quat_around(vec3_normalize(axis), angle), vec3(1, 1, 1));
}

static mo_shape_id add(struct stage *stage, const mo_geometry *geometry, const mo_transform *at,
                       uint64_t category) {
  if (stage->color_count == MAX_SHAPES) {
    fail("too many shapes on the stage");
  }
  mo_shape_def def = mo_default_shape_def(geometry->type);
  def.geometry = *geometry;
  def.transform = *at;
  def.category = category;
  def.user_data = stage->color_count++;
  mo_shape_id id;
  check(mo_scene_add_shape(stage->scene, &def, &id), "add a shape");
  return id;
}

mo_shape_id stage_add(struct stage *stage, const mo_geometry *geometry, const mo_transform *at,
                      uint32_t color) {
  stage_paint(stage, stage->color_count, color);
  return add(stage, geometry, at, STAGE_SOLID);
}

void stage_add_figure(struct stage *stage, const mo_geometry *geometry, const mo_transform *at,
                      uint32_t color) {
  stage_paint(stage, stage->color_count, color);
  add(stage, geometry, at, STAGE_FIGURE);
}

void stage_paint(struct stage *stage, uint64_t user_data, uint32_t color) {
  if (user_data < MAX_SHAPES) {
    stage->colors[user_data] = light_of_color(color);
  }
}

void stage_add_ring(struct stage *stage) {
  const mo_geometry ring = {.type = MO_SHAPE_MESH, .mesh = stage->ring};
  mo_transform at = stage_place(vec3(0.0f, 1.6f, 0.0f), vec3(1.0f, 0.0f, 0.3f), 0.25f);
  stage_add(stage, &ring, &at, PALE);
}

void stage_add_solids(struct stage *stage) {
  const mo_shape_type types[] = {MO_SHAPE_SPHERE,   MO_SHAPE_BOX,  MO_SHAPE_CAPSULE,
                                 MO_SHAPE_CYLINDER, MO_SHAPE_CONE, MO_SHAPE_BOX};
  for (uint32_t i = 0; i < 11; i++) {
    float angle = 6.2831853f * (float)i / 11.0f, out = i % 2 ? 5.4f : 4.4f;
    mo_geometry geometry = mo_default_shape_def(types[i % 6]).geometry;
    geometry.rounding = i % 6 == 5 ? 0.3f : 0.0f;
    mo_vec3 at = vec3(out * cosf(angle), 0.8f + 0.35f * (float)(i % 4), out * sinf(angle));
    mo_transform place = mo_transform_make(at, quat_around(vec3(0.6f, 0.64f, 0.48f), (float)i),
                                           vec3(0.55f, 0.55f, 0.55f));
    stage_add(stage, &geometry, &place, PALE);
  }
}
