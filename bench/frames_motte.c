/* Vertices and faces that come near each other, by Motte: pairs between two scenes of boxes; edges:
 * pairs in one. */
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

const bench_frame_engine bench_frame_motte[] = {
    {{"motte", NULL}, create, destroy, find, &bench_ccd_motte[0]},
    {.id = {NULL, NULL}},
};
