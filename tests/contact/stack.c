/* Contacts with a mesh, and of nested compounds of meshes, use no more of the stack than contact.h
 * says, impacts of two meshes no more than continuous.h says. A plain program, as it measures its
 * own threads. */
#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <string.h>

#include "support/stack_use.h"

enum { CELLS = 48, SIDE = CELLS + 1, CAPACITY = 4096, KINDS = 6 };

/* Also holds what the thread itself needs. */
#define ALLOWED ((size_t)128 * 1024)

/* What the thread itself needs comes on top: 4 KiB. */
#define ALLOWED_FOR_IMPACTS ((size_t)68 * 1024)

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

/* Contacts of floors in nested compounds, one in the scene and one in none. */
typedef struct nested_work {
  const mo_scene *scene;
  mo_collide_shape_def def;
  uint32_t total;
  mo_result result;
} nested_work;

static void *collide_nested(void *context) {
  nested_work *w = context;
  w->result = mo_scene_collide_shape(w->scene, &w->def, contacts, CAPACITY, &w->total, NULL);
  return NULL;
}

/* A compound with a mesh at the greatest depth; null on failure. */
static mo_compound *nest(mo_mesh *mesh) {
  const mo_scene_def def = mo_default_scene_def();
  mo_shape_def child = mo_default_shape_def(MO_SHAPE_MESH);
  mo_compound *compound = NULL;
  bool right = true;
  child.geometry.mesh = mesh;
  for (int depth = 1; depth <= MO_MAX_COMPOUND_DEPTH && right; depth++) {
    mo_compound *const inner = compound;
    mo_shape_id id;
    right = mo_compound_create(&def, &compound) == MO_OK &&
            mo_scene_add_shape(mo_compound_children(compound), &child, &id) == MO_OK &&
            mo_compound_update(compound) == MO_OK;
    mo_compound_release(inner);
    child = mo_default_shape_def(MO_SHAPE_COMPOUND);
    child.geometry.compound = compound;
  }
  return right ? compound : NULL;
}

static bool nested_compounds_take_little_stack(mo_mesh *mesh, int number) {
  const mo_scene_def def = mo_default_scene_def();
  mo_shape_def placed = mo_default_shape_def(MO_SHAPE_COMPOUND);
  nested_work w = {.def = mo_default_collide_shape_def()};
  mo_scene *scene = NULL;
  mo_shape_id id;
  placed.geometry.compound = nest(mesh);
  bool right = placed.geometry.compound != NULL && mo_scene_create(&def, &scene) == MO_OK &&
               mo_scene_add_shape(scene, &placed, &id) == MO_OK;
  size_t bytes = 0;
  if (right) {
    const mo_transform pose = body_of(KINDS - 1, mesh).transform;
    w.scene = scene;
    w.def.primitive = mo_primitive_of_geometry(&placed.geometry, &pose);
    bytes = stack_use_of(collide_nested, &w);
    right = w.result == MO_OK && w.total > 0 && bytes > 0 &&
            bytes <= ALLOWED + (size_t)(2 * MO_MAX_COMPOUND_DEPTH * 12) * 1024;
  }
  printf("%s %d - nested compounds: %zu bytes for %u contacts\n", right ? "ok" : "not ok", number,
         bytes, w.total);
  mo_scene_destroy(scene);
  mo_compound_release(placed.geometry.compound);
  return right;
}

/* Two floors that come close and turn, so that many pairs are tested. */
typedef struct impact_work {
  const mo_mesh *mesh;
  mo_scene *scene; /* null: without a scene */
  mo_shape_id shape;
  bool crosses;
  mo_result result;
} impact_work;

static const mo_movement fall = {.displacement = {0.3f, -0.5f, 0}, .axis = {0, 1, 0}, .angle = 1};

static void *find_impacts(void *context) {
  impact_work *w = context;
  if (w->scene == NULL) {
    mo_impact_mesh_def def = mo_default_impact_mesh_def();
    mo_impact impact;
    def.other = w->mesh;
    def.transform.origin.y = 0.3f;
    def.movement = fall;
    w->result = mo_mesh_find_impact_mesh(w->mesh, &def, &impact, NULL);
    return NULL;
  }
  mo_impact_search search = mo_default_impact_search();
  mo_mover_memory memory;
  mo_mover mover = {.shape = w->shape, .movement = fall};
  mo_impact impact;
  mo_crossing crossing;
  uint32_t total;
  search.movers = &mover;
  search.count = 1;
  search.memory = &memory;
  search.sensor_categories = w->crosses ? ~0ull : 0;
  w->result = w->crosses ? mo_scene_find_crossings(w->scene, &search, &crossing, 1, &total, NULL)
                         : mo_scene_find_impacts(w->scene, &search, &impact, NULL, NULL);
  return NULL;
}

/* Adds the shape of a second floor to the scene, which has one, and measures. */
static bool impacts_take_little_stack(mo_scene *scene, mo_mesh *mesh) {
  static const char *const names[] = {"two meshes", "impacts", "crossings"};
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh;
  def.transform.origin.y = 0.3f;
  impact_work w = {.mesh = mesh};
  mo_shape_id shape;
  bool right = mo_scene_add_shape(scene, &def, &shape) == MO_OK;
  right = right && mo_scene_update(scene, NULL) == MO_OK;
  for (int i = 0; i < 3; i++) {
    w.scene = i == 0 ? NULL : scene;
    w.shape = shape;
    w.crosses = i == 2;
    const size_t bytes = stack_use_of(find_impacts, &w);
    const bool little = w.result == MO_OK && bytes > 0 && bytes <= ALLOWED_FOR_IMPACTS;
    printf("%s %d - %s: %zu bytes\n", little ? "ok" : "not ok", KINDS + 1 + i, names[i], bytes);
    right &= little;
  }
  return right;
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
  printf("1..%d\n", KINDS + 4);
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
  if (mo_scene_create(&scene_def, &scene) != MO_OK) {
    return 1;
  }
  failed |= mo_scene_add_shape(scene, &floor, &ground) != MO_OK;
  failed |= !impacts_take_little_stack(scene, mesh);
  failed |= !nested_compounds_take_little_stack(mesh, KINDS + 4);
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
  return failed;
}
