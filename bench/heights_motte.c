/* Motte: a scene with one height field, of floats or of 16 bits, or with a mesh of its triangles
 * that treats edges as height fields do. */
#include "heights.h"

#include <math.h>
#include <motte/height_field.h>
#include <stdlib.h>

#include "common/check.h"
#include "timing.h"

typedef struct world {
  mo_mesh *mesh;
  mo_scene *scene;
  mo_shape_id id;
  uint32_t bits;
} world;

/* For free(). */
static uint16_t *levels_of(const float *heights, size_t count) {
  uint16_t *levels = allocate(count, sizeof *levels);
  for (size_t i = 0; i < count; i++) {
    levels[i] = (uint16_t)(heights[i] / BENCH_HEIGHT_UNIT);
  }
  return levels;
}

/* `levels`: of 16 bits; null for floats. */
static mo_mesh *make_field(const bench_terrain *terrain, const uint16_t *levels) {
  mo_height_field_def def = mo_default_height_field_def();
  def.columns = def.rows = terrain->side;
  def.type = levels != NULL ? MO_HEIGHT_U16 : MO_HEIGHT_FLOAT;
  def.samples = levels != NULL ? (const void *)levels : terrain->heights;
  def.scale = levels != NULL ? BENCH_HEIGHT_UNIT : 1;
  def.diagonal = MO_HEIGHT_DIAGONAL_BACKWARD;
  mo_mesh *mesh;
  check(mo_mesh_create_height_field(&def, &mesh), "make a height field");
  return mesh;
}

mo_mesh *bench_motte_ground(const bench_ground *ground) {
  const bench_terrain *terrain = ground->terrain;
  uint16_t *levels = ground->bits == 16
                         ? levels_of(terrain->heights, (size_t)terrain->side * terrain->side)
                         : NULL;
  mo_mesh *mesh = make_field(terrain, levels);
  free(levels);
  return mesh;
}

static mo_mesh *make_mesh(const bench_mesh *source) {
  mo_mesh_def def = bench_mesh_def(source);
  def.build.edges = true;
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "make a mesh");
  return mesh;
}

static void *create(const bench_height_engine *engine, const bench_terrain *terrain,
                    double *seconds) {
  world *w = allocate(1, sizeof *w);
  w->bits = engine->bits;
  uint16_t *levels = engine->bits == 16
                         ? levels_of(terrain->heights, (size_t)terrain->side * terrain->side)
                         : NULL;
  double start = bench_clock();
  w->mesh = engine->is_mesh ? make_mesh(terrain->mesh) : make_field(terrain, levels);
  *seconds = bench_clock() - start;
  free(levels);
  mo_scene_def scene_def = mo_default_scene_def();
  check(mo_scene_create(&scene_def, &w->scene), "make a scene");
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = w->mesh;
  check(mo_scene_add_shape(w->scene, &shape, &w->id), "add a shape");
  check(mo_scene_update(w->scene, NULL), "update a scene");
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  mo_scene_destroy(w->scene);
  mo_mesh_release(w->mesh);
  free(w);
}

static size_t bytes(void *opaque) {
  mo_mesh_stats stats;
  check(mo_mesh_get_stats(((const world *)opaque)->mesh, &stats), "read mesh statistics");
  return stats.bytes;
}

static void cast_rays(void *opaque, const bench_ray *rays, size_t count, float *t) {
  const world *w = opaque;
  mo_ray_def def = mo_default_ray_def();
  for (size_t i = 0; i < count; i++) {
    mo_ray_hit hit;
    def.origin = rays[i].origin;
    def.direction = rays[i].direction;
    def.max_t = rays[i].max_t;
    check(mo_scene_cast_ray(w->scene, &def, &hit, NULL), "cast a ray");
    t[i] = hit.found ? hit.t : INFINITY;
  }
}

static void edit_region(void *opaque, const bench_height_edit *region, const bench_terrain *whole) {
  (void)whole;
  world *w = opaque;
  uint16_t *levels = NULL;
  if (w->bits == 16) {
    levels = levels_of(region->heights, (size_t)region->columns * region->rows);
  }
  mo_height_edit edit = mo_default_height_edit();
  edit.column = region->column;
  edit.row = region->row;
  edit.columns = region->columns;
  edit.rows = region->rows;
  edit.samples = levels != NULL ? (const void *)levels : region->heights;
  check(mo_mesh_edit_heights(w->mesh, &edit), "change heights");
  check(mo_scene_refresh_shape(w->scene, w->id), "refresh a shape");
  free(levels);
}

static void rebuild(void *opaque, const bench_height_edit *region, const bench_terrain *whole) {
  (void)region;
  world *w = opaque;
  mo_mesh *mesh = make_field(whole, NULL);
  const mo_geometry geometry = {.type = MO_SHAPE_MESH, .mesh = mesh};
  check(mo_scene_set_geometry(w->scene, w->id, &geometry), "replace a height field");
  mo_mesh_release(w->mesh);
  w->mesh = mesh;
}

#define ENGINE(label)                                                                              \
  .id = {label, NULL}, .queries = &bench_motte_query_engines[0],                                   \
  .steps = &bench_step_motte_engines[0], .create = create, .destroy = destroy, .bytes = bytes,     \
  .cast_rays = cast_rays

const bench_height_engine bench_motte_height_engines[] = {
    {ENGINE("motte"), .edit = edit_region},
    {ENGINE("motte-16-bit"), .bits = 16, .edit = edit_region},
    {ENGINE("motte-mesh"), .is_mesh = true},
    {ENGINE("motte-rebuild"), .rebuilds = true, .edit = rebuild},
    {.id = {NULL, NULL}},
};
