/* Vertices and faces that come near each other, by Motte: pairs between two scenes of boxes; edges:
 * pairs in one. And the impacts of the whole mesh. */
#include <math.h>
#include <motte/motte.h>
#include <stdlib.h>

#include "common/check.h"
#include "frames.h"

typedef struct world {
  mo_scene *first, *second; /* the second one null: pairs are within the first */
} world;

static mo_scene *make_scene(const bench_box *boxes, uint32_t count) {
  mo_scene_def def = mo_default_scene_def();
  mo_shape_def *shapes = allocate(count, sizeof *shapes);
  mo_shape_id *ids = allocate(count, sizeof *ids);
  mo_scene *scene;
  check(mo_scene_create(&def, &scene), "make a scene");
  for (uint32_t i = 0; i < count; i++) {
    shapes[i] = mo_default_shape_def(MO_SHAPE_BOX);
    shapes[i].transform.origin = boxes[i].center;
    shapes[i].geometry.box.half_extents = boxes[i].half;
  }
  check(mo_scene_add_shapes(scene, shapes, count, ids, NULL), "add shapes");
  check(mo_scene_update(scene, NULL), "update a scene");
  for (uint32_t i = 0; i < count; i++) {
    if (ids[i].index != i) {
      fail("shape %u got slot %u", i, ids[i].index);
    }
  }
  free(ids);
  free(shapes);
  return scene;
}

static void *create(const bench_frames *frames) {
  world *self = allocate(1, sizeof *self);
  self->first = make_scene(frames->boxes[0], frames->box_counts[0]);
  if (!frames->of_edges) {
    self->second = make_scene(frames->boxes[1], frames->box_counts[1]);
  }
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  mo_scene_destroy(self->first);
  mo_scene_destroy(self->second);
  free(self);
}

static bool note(const mo_pair *pair, void *context) {
  bench_frame_pairs_add(context, pair->a.index, pair->b.index);
  return true;
}

static void find(void *opaque, bench_frame_pairs *pairs) {
  const world *self = opaque;
  mo_pair_query_def def = mo_default_pair_query_def();
  check(self->second != NULL
            ? mo_scene_visit_pairs_between(self->first, self->second, &def, note, pairs)
            : mo_scene_visit_pairs(self->first, &def, note, pairs),
        "find pairs");
}

/* A mesh whose vertices move, and its positions at both ends as floats. */
typedef struct moving_mesh {
  mo_swept_mesh *mesh;
  mo_vec3 *positions[2];
  mo_swept_impact *impacts;
  uint32_t capacity;
} moving_mesh;

static void *create_moving(const bench_frames *frames) {
  moving_mesh *self = allocate(1, sizeof *self);
  mo_swept_mesh_def def = mo_default_swept_mesh_def();
  *self = (moving_mesh){.mesh = NULL};
  for (int time = 0; time < 2; time++) {
    self->positions[time] = allocate(frames->vertex_count, sizeof(mo_vec3));
    for (uint32_t i = 0; i < frames->vertex_count; i++) {
      const double *at = frames->positions[time][i];
      self->positions[time][i] = (mo_vec3){(float)at[0], (float)at[1], (float)at[2]};
    }
  }
  def.positions = self->positions[0];
  def.vertex_count = frames->vertex_count;
  def.indices = frames->faces;
  def.triangle_count = frames->face_count;
  check(mo_swept_mesh_create(&def, &self->mesh), "make a swept mesh");
  return self;
}

static void destroy_moving(void *opaque) {
  moving_mesh *self = opaque;
  mo_swept_mesh_destroy(self->mesh);
  free(self->positions[0]);
  free(self->positions[1]);
  free(self->impacts);
  free(self);
}

/* How far rounding the positions to floats may part faces that touch. */
static float rounding_of(const bench_frames *frames) {
  double largest = 0;
  for (size_t i = 0; i < 6 * (size_t)frames->vertex_count; i++) {
    largest = fmax(largest, fabs(frames->positions[i % 2][i / 6][i / 2 % 3]));
  }
  return (float)largest * 0x1p-22f;
}

static void find_impacts(void *opaque, const bench_frames *frames, bench_frame_pairs *impacts) {
  moving_mesh *self = opaque;
  mo_swept_impact_def def = mo_default_swept_impact_def();
  uint32_t total = 0;
  check(mo_swept_mesh_move(self->mesh, self->positions[0], self->positions[1], sizeof(mo_vec3),
                           frames->vertex_count, NULL, NULL),
        "move a swept mesh");
  def.other = self->mesh;
  def.slop = rounding_of(frames);
  for (bool fits = false; !fits;) { /* the first time more than once */
    check(mo_swept_mesh_find_impacts(self->mesh, &def, self->impacts, self->capacity, &total, NULL),
          "find impacts");
    fits = total <= self->capacity;
    if (!fits) {
      free(self->impacts);
      self->capacity = 2 * total;
      self->impacts = allocate(self->capacity, sizeof *self->impacts);
    }
  }
  for (uint32_t i = 0; i < total; i++) {
    bench_frame_pairs_add(impacts, self->impacts[i].triangle, self->impacts[i].other_triangle);
  }
}

static const bench_impact_engine impact_engine = {create_moving, destroy_moving, find_impacts};

const bench_frame_engine bench_frame_motte[] = {
    {{"motte", NULL}, create, destroy, find, &bench_ccd_motte[0], &impact_engine},
    {.id = {NULL, NULL}},
};
