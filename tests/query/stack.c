/* Queries whose shape is a mesh or compound use no more of the stack than their headers say. A
 * plain program, as it measures its own threads. */
#include <motte/cast.h>
#include <motte/compound.h>
#include <motte/distance.h>
#include <motte/overlap.h>
#include <stdio.h>

#include "support/scenes.h"
#include "support/stack_use.h"

/* What a thread itself needs. */
#define OF_THREAD ((size_t)4 * 1024)

typedef enum kind { OVERLAP, TRIANGLES, DISTANCE, DISTANCES, CAST, CASTS, KINDS } kind;

static const char *const names[KINDS] = {"overlap",   "triangles", "distance",
                                         "distances", "cast",      "casts"};
/* In KiB: for a mesh; how much more for a compound; for each level of nesting. */
static const size_t allowed[KINDS] = {36, 36, 50, 50, 90, 90},
                    for_compound[KINDS] = {10, 10, 0, 0, 0, 0},
                    for_level[KINDS] = {6, 6, 0, 0, 0, 0};

typedef struct work {
  const mo_scene *scene;
  mo_primitive primitive;
  kind kind;
  float angle;
  mo_result result;
} work;

static mo_shape_cast_def cast_of(const work *w) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = w->primitive;
  def.displacement = (mo_vec3){1, 2, 3};
  def.axis = (mo_vec3){1, 1, 0};
  def.angle = w->angle;
  def.options.every_triangle = w->kind == CASTS;
  return def;
}

static bool accept_none(mo_triangle_ref ref, void *context) {
  (void)ref;
  (void)context;
  return false;
}

static void *run(void *context) {
  work *w = context;
  mo_overlap_def overlap = mo_overlap_primitive_def(w->primitive);
  const mo_shape_cast_def cast = cast_of(w);
  mo_distance_def distance = mo_default_distance_def();
  distance.primitive = w->primitive;
  distance.every_triangle = w->kind == DISTANCES;
  mo_closest_hit hit;
  mo_cast_hit contact;
  uint32_t total;
  switch (w->kind) {
  case OVERLAP:
    overlap.accept_triangle = w->angle != 0 ? accept_none : NULL; /* every second time */
    w->result = mo_scene_overlap_shapes(w->scene, &overlap, NULL, 0, &total, NULL);
    break;
  case TRIANGLES:
    w->result = mo_scene_overlap_triangles(w->scene, &overlap, NULL, 0, &total, NULL);
    break;
  case DISTANCE:
    w->result = mo_scene_find_closest(w->scene, &distance, &hit, NULL);
    break;
  case DISTANCES:
    w->result = mo_scene_find_within(w->scene, &distance, &hit, 1, &total, NULL);
    break;
  case CAST:
    w->result = mo_scene_cast_shape(w->scene, &cast, &contact, NULL);
    break;
  default:
    w->result = mo_scene_cast_shape_all(w->scene, &cast, &contact, 1, &total, NULL);
  }
  return NULL;
}

/* A mesh in a chain of compounds of a depth; `chain` holds the references. */
static bool make_chain(mo_compound *chain[MO_MAX_COMPOUND_DEPTH], uint32_t depth, mo_mesh *mesh) {
  mo_result result = MO_OK;
  for (uint32_t i = 0; i < depth; i++) {
    const mo_scene_def scene = mo_default_scene_def();
    mo_shape_def child = mo_default_shape_def(i == 0 ? MO_SHAPE_MESH : MO_SHAPE_COMPOUND);
    mo_shape_id id;
    if (i == 0) {
      child.geometry.mesh = mesh;
    } else {
      child.geometry.compound = chain[i - 1];
    }
    chain[i] = NULL;
    result = result == MO_OK ? mo_compound_create(&scene, &chain[i]) : result;
    result =
        result == MO_OK ? mo_scene_add_shape(mo_compound_children(chain[i]), &child, &id) : result;
    result = result == MO_OK ? mo_compound_update(chain[i]) : result;
  }
  return result == MO_OK;
}

/* Raises `max` to the stack that the queries with a shape use, on all forms of a scene. */
static void measure(const test_scene *scene, const mo_geometry *geometry, rng *r, float angle,
                    size_t max[KINDS]) {
  const mo_transform transform = rng_transform(r, RNG_RIGID, 1);
  for (int k = 0; k < KINDS; k++) {
    for (uint32_t s = 0; s < scene->family.count; s++) {
      work w = {.scene = scene->family.scenes[s],
                .primitive = mo_primitive_of_geometry(geometry, &transform),
                .kind = (kind)k,
                .angle = angle};
      const size_t used = stack_use_of(run, &w);
      if (w.result == MO_OK && used > max[k]) {
        max[k] = used;
      }
    }
  }
}

int main(void) {
#if !defined(__OPTIMIZE__) || defined(TEST_SANITIZED)
  return 77; /* the limits hold for builds with optimisation; frames are larger in others */
#endif
  rng r = rng_make(rng_seed("query/stack", 5131));
  static test_scene scene;
  uint32_t wrong = 0;
  size_t max[KINDS] = {0}, of_compounds[KINDS] = {0}, of_nested[KINDS] = {0};
  test_scene_make(&scene, TEST_SCENE_CROWDED, 30, &r);
  for (uint32_t i = 0; i < 40; i++) {
    mo_mesh *mesh = scene.meshes[rng_below(&r, TEST_SCENE_MESHES)];
    const float angle = i % 2 == 0 ? 1 : 0;
    measure(&scene, &(mo_geometry){.type = MO_SHAPE_MESH, .mesh = mesh}, &r, angle, max);
    mo_compound *chain[MO_MAX_COMPOUND_DEPTH];
    const uint32_t depth = i % 8 < 4 ? MO_MAX_COMPOUND_DEPTH : 1;
    if (i % 4 < 2 && make_chain(chain, depth, mesh)) {
      mo_geometry geometry = {.type = MO_SHAPE_COMPOUND};
      geometry.compound = chain[depth - 1];
      measure(&scene, &geometry, &r, angle, depth > 1 ? of_nested : of_compounds);
    }
    for (uint32_t k = 0; i % 4 < 2 && k < depth; k++) {
      mo_compound_release(chain[k]);
    }
  }
  for (int k = 0; k < KINDS; k++) {
    const size_t compound = allowed[k] + for_compound[k] + for_level[k],
                 nested = compound + (MO_MAX_COMPOUND_DEPTH - 1) * for_level[k];
    printf("%s: at most %zu bytes, with compounds %zu, nested ones %zu\n", names[k], max[k],
           of_compounds[k], of_nested[k]);
    wrong += max[k] == 0 || max[k] > allowed[k] * 1024 + OF_THREAD;
    wrong += of_compounds[k] == 0 || of_compounds[k] > compound * 1024 + OF_THREAD;
    wrong += of_nested[k] == 0 || of_nested[k] > nested * 1024 + OF_THREAD;
  }
  test_scene_free(&scene);
  return wrong != 0;
}
