/* Contacts with a mesh use no more of the stack than contact.h says. A plain program, as it
 * measures its own threads. */
#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <string.h>

#include "support/stack_use.h"

enum { CELLS = 48, SIDE = CELLS + 1, CAPACITY = 4096, KINDS = 6 };

/* Also holds what the thread itself needs. */
#define ALLOWED ((size_t)128 * 1024)

/* The limit holds for builds with optimization; frames are larger in others. */
#if !defined(__OPTIMIZE__) || defined(TEST_SANITIZED)
enum { IS_MEASURED = false };
#else
enum { IS_MEASURED = true };
#endif

static float positions[SIDE * SIDE][3];
static uint32_t indices[2 * CELLS * CELLS][3];
static mo_contact contacts[CAPACITY];

typedef struct work {
  const mo_scene *scene;
  mo_pair pair;
  uint32_t total;
  mo_result result;
} work;

/* A floor that is bent everywhere. */
static mo_mesh *make_floor(void) {
  for (int i = 0; i < SIDE * SIDE; i++) {
    const float x = (float)(i % SIDE), z = (float)(i / SIDE);
    positions[i][0] = x;
    positions[i][1] = 0.1f * sinf(x) * cosf(0.9f * z);
    positions[i][2] = z;
  }
  for (uint32_t i = 0; i < CELLS * CELLS; i++) {
    const uint32_t a = i / CELLS * SIDE + i % CELLS;
    const uint32_t cell[2][3] = {{a, a + SIDE, a + 1}, {a + 1, a + SIDE, a + SIDE + 1}};
    memcpy(indices[2 * (size_t)i], cell, sizeof cell);
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = positions;
  def.vertex_count = SIDE * SIDE;
  def.indices = indices;
  def.triangle_count = 2 * CELLS * CELLS;
  def.build.edges = true;
  mo_mesh *mesh = NULL;
  return mo_mesh_create(&def, &mesh) == MO_OK ? mesh : NULL;
}

static mo_shape_def body_of(int kind, mo_mesh *mesh) {
  static const mo_shape_type types[KINDS] = {MO_SHAPE_SPHERE,   MO_SHAPE_CAPSULE, MO_SHAPE_BOX,
                                             MO_SHAPE_CYLINDER, MO_SHAPE_CONE,    MO_SHAPE_MESH};
  mo_shape_def def = mo_default_shape_def(types[kind]);
  mo_geometry *g = &def.geometry;
  switch (types[kind]) {
  case MO_SHAPE_SPHERE:
    g->sphere.radius = 10;
    break;
  case MO_SHAPE_CAPSULE:
    g->capsule = (mo_capsule){{-9, 0, 0}, {9, 0, 0}, 3};
    break;
  case MO_SHAPE_BOX:
    g->box.half_extents = (mo_vec3){14, 1, 12};
    g->rounding = 0;
    break;
  case MO_SHAPE_CYLINDER:
    g->cylinder = (mo_cylinder){{0, -1, 0}, {0, 1, 0}, 11};
    break;
  case MO_SHAPE_CONE:
    g->cone = (mo_cone){{0, -1, 0}, {0, 3, 0}, 11};
    break;
  default:
    g->mesh = mesh;
  }
  def.transform.origin = (mo_vec3){24, kind == 0 ? 9.95f : kind == 1 ? 2.95f : 0.95f, 24};
  if (types[kind] == MO_SHAPE_MESH) {
    def.transform.origin = (mo_vec3){20.3f, 0.05f, 20.7f};
  }
  return def;
}

static void *run(void *context) {
  work *w = context;
  const mo_collide_def def = mo_default_collide_def();
  w->result = mo_scene_collide_pair(w->scene, &w->pair, &def, contacts, CAPACITY, &w->total);
  return NULL;
}

int main(void) {
  if (!IS_MEASURED) {
    return 77;
  }
  mo_mesh *mesh = make_floor();
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene = NULL;
  if (mesh == NULL || mo_scene_create(&scene_def, &scene) != MO_OK) {
    return 1;
  }
  mo_shape_def floor = mo_default_shape_def(MO_SHAPE_MESH);
  floor.geometry.mesh = mesh;
  mo_shape_id ground;
  int failed = mo_scene_add_shape(scene, &floor, &ground) != MO_OK;
  printf("1..%d\n", KINDS);
  for (int kind = 0; kind < KINDS; kind++) {
    const mo_shape_def body = body_of(kind, mesh);
    work w = {.scene = scene, .pair = {.a = ground}};
    const bool added = mo_scene_add_shape(scene, &body, &w.pair.b) == MO_OK;
    const size_t bytes = added ? stack_use_of(run, &w) : 0;
    const size_t used = w.result == MO_OK && w.total > 0 ? bytes : 0;
    const bool right = used > 0 && used <= ALLOWED;
    printf("%s %d - body %d: %zu bytes for %u contacts\n", right ? "ok" : "not ok", kind + 1, kind,
           used, w.total);
    failed |= !right;
  }
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
  return failed;
}
