/* Every refusal that the public headers document and a caller can provoke, by rows. With an
 * argument it prints "function code" for each row, which refusals.py compares with the headers. A
 * plain program. */
#include "refusals.h"

#include <stdio.h>
#include <stdlib.h>

static refusal_world world;
static uint64_t state_before;
static char told_last[300];
static int line_count, failures;
static bool listing;

static void listen(mo_log_level level, const char *message, void *context) {
  (void)context;
  strncpy(told_last, message, sizeof told_last - 1);
  line_count += level == MO_LOG_INFO ? 1 : 100;
}

static const float square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};

mo_mesh_def refusal_mesh_def(void) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = square;
  def.vertex_count = 4;
  def.indices = halves;
  def.triangle_count = 2;
  def.host.log = listen;
  return def;
}

mo_scene_def refusal_scene_def(void) {
  mo_scene_def def = mo_default_scene_def();
  def.host.log = listen;
  return def;
}

static void need(mo_result result) {
  if (result != MO_OK) {
    printf("setup: %s: %s\n", mo_result_name(result), told_last);
    exit(1);
  }
}

static void add(uint64_t *hash, const void *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    *hash = (*hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
  }
}

static void add_mesh(uint64_t *hash, const mo_mesh *mesh) {
  for (uint32_t i = 0; i < mo_mesh_triangle_count(mesh); i++) {
    mo_vec3 corners[3];
    need(mo_mesh_get_triangle(mesh, i, corners, NULL));
    add(hash, corners, sizeof corners);
  }
  need(mo_mesh_validate(mesh));
}

/* Of all that the world holds; every validate function agrees with it. */
static uint64_t state_of(const refusal_world *w) {
  uint64_t hash = 0xcbf29ce484222325u;
  mo_shape_id ids[2 * REFUSAL_SHAPES];
  uint32_t count;
  need(mo_scene_get_shapes(w->scene, ids, 2 * REFUSAL_SHAPES, &count));
  add(&hash, &count, sizeof count);
  for (uint32_t i = 0; i < count && i < 2 * REFUSAL_SHAPES; i++) {
    mo_aabb bounds;
    mo_transform transform;
    uint64_t words[4];
    mo_motion motion;
    float margin;
    need(mo_scene_get_bounds(w->scene, ids[i], &bounds));
    need(mo_scene_get_transform(w->scene, ids[i], &transform));
    need(mo_scene_get_filter(w->scene, ids[i], &words[0], &words[1]));
    need(mo_scene_get_user_data(w->scene, ids[i], &words[2]));
    need(mo_scene_get_body(w->scene, ids[i], &words[3]));
    need(mo_scene_get_motion(w->scene, ids[i], &motion));
    need(mo_scene_get_margin(w->scene, ids[i], &margin));
    add(&hash, &ids[i], sizeof ids[i]);
    add(&hash, &bounds, sizeof bounds);
    add(&hash, &transform, sizeof transform);
    add(&hash, words, sizeof words);
    add(&hash, &motion, sizeof motion);
    add(&hash, &margin, sizeof margin);
  }
  need(mo_scene_validate(w->scene));
  need(mo_scene_validate(w->other));
  add_mesh(&hash, w->mesh);
  add_mesh(&hash, w->fixed);
  add_mesh(&hash, w->top_down);
  add_mesh(&hash, w->field);
  mo_watch_stats watch;
  uint64_t pairs = mo_pair_tracker_pair_count(w->tracker);
  need(mo_watch_get_stats(w->watch, &watch));
  add(&hash, &pairs, sizeof pairs);
  add(&hash, &watch.region_count, sizeof watch.region_count);
  add(&hash, &watch.member_count, sizeof watch.member_count);
  need(mo_pair_tracker_validate(w->tracker));
  need(mo_watch_validate(w->watch));
  return hash;
}

static void setup(refusal_world *w) {
  mo_mesh_def mesh = refusal_mesh_def();
  mesh.build.edges = true;
  need(mo_mesh_create(&mesh, &w->fixed));
  mesh.build.edges = false;
  mesh.build.builder = MO_MESH_BUILDER_SINGLE;
  mesh.build.deformable = true;
  need(mo_mesh_create(&mesh, &w->mesh));
  mesh.build.builder = MO_MESH_BUILDER_TOP_DOWN;
  mesh.build.deformable = false;
  mesh.build.bounds = (mo_aabb){{0, 0, 0}, {1, 1, 1}};
  need(mo_mesh_create(&mesh, &w->top_down));
  static const float heights[6] = {0, 1, 0, 0.5f, 0, 2};
  mo_height_field_def field = mo_default_height_field_def();
  field.columns = 3;
  field.rows = 2;
  field.samples = heights;
  field.host = mesh.host;
  need(mo_mesh_create_height_field(&field, &w->field));
  mo_scene_def def = refusal_scene_def();
  need(mo_scene_create(&def, &w->scene));
  need(mo_scene_create(&def, &w->other));
  mo_scene *gone;
  need(mo_scene_create(&def, &gone));
  for (int i = 0; i < REFUSAL_SHAPES; i++) {
    mo_shape_def shape = mo_default_shape_def(i == 0 ? MO_SHAPE_MESH : MO_SHAPE_SPHERE);
    if (i == 0) {
      shape.geometry.mesh = w->mesh;
    }
    shape.transform.origin.x = 1.5f * (float)i;
    need(mo_scene_add_shape(w->scene, &shape, &w->ids[i]));
  }
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  need(mo_scene_add_shape(w->scene, &shape, &w->stale));
  need(mo_scene_remove_shape(w->scene, w->stale));
  need(mo_pair_tracker_create(w->scene, NULL, &w->tracker));
  need(mo_pair_tracker_create(gone, NULL, &w->orphan_tracker));
  need(mo_watch_create(w->scene, &w->watch));
  need(mo_watch_create(gone, &w->orphan_watch));
  mo_scene_destroy(gone);
  mo_region_def region = mo_default_region_def();
  need(mo_watch_add_region(w->watch, &region, &w->region));
  need(mo_watch_add_region(w->watch, &region, &w->stale_region));
  need(mo_watch_remove_region(w->watch, w->stale_region));
  need(mo_scene_update(w->scene, NULL));
  need(mo_pair_tracker_update(w->tracker, NULL));
  need(mo_watch_update(w->watch, NULL));
  state_before = state_of(w);
}

static void teardown(refusal_world *w) {
  mo_pair_tracker_destroy(w->tracker);
  mo_pair_tracker_destroy(w->orphan_tracker);
  mo_watch_destroy(w->watch);
  mo_watch_destroy(w->orphan_watch);
  mo_scene_destroy(w->scene);
  mo_scene_destroy(w->other);
  mo_mesh_release(w->mesh);
  mo_mesh_release(w->fixed);
  mo_mesh_release(w->top_down);
  mo_mesh_release(w->field);
}

void refusal_judge(const char *function, mo_result result, mo_result expected, const char *told,
                   const char *place) {
  char line[300] = "";
  if (told != NULL) {
    snprintf(line, sizeof line, "%s: %s", function, told);
  }
  if (listing) {
    printf("%s %s\n", function, mo_result_name(result));
  }
  if (result != expected || line_count != (told != NULL) || strcmp(told_last, line) != 0) {
    printf("%s: %s %s, not %s; %d lines: \"%s\", not \"%s\"\n", place, function,
           mo_result_name(result), mo_result_name(expected), line_count, told_last, line);
    failures++;
  }
  line_count = 0;
  memset(told_last, 0, sizeof told_last);
  if (state_of(&world) != state_before || line_count != 0) {
    printf("%s: %s has changed something, or what is read is refused: %s\n", place, function,
           told_last);
    failures++;
    state_before = state_of(&world);
    line_count = 0;
  }
}

void refusal_expect_index(size_t found, size_t expected, const char *place) {
  if (found != expected) {
    printf("%s: first_bad is %zu, not %zu\n", place, found, expected);
    failures++;
  }
}

int main(int argc, char **argv) {
  (void)argv;
  listing = argc > 1;
  setup(&world);
  refuse_scenes(&world);
  refuse_meshes(&world);
  refuse_height_fields(&world);
  refuse_swept_meshes();
  refuse_hulls(&world);
  refuse_values(&world);
  refuse_rays(&world);
  refuse_regions(&world);
  refuse_overlaps(&world);
  refuse_distances(&world);
  refuse_pairs(&world);
  refuse_contact_trackers(&world);
  refuse_impacts(&world);
  refuse_compounds(&world);
  refuse_watches(&world);
  refuse_characters(&world);
  teardown(&world);
  return failures != 0;
}
