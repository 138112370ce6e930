/* Any arguments for every public function that can fail: an error is one that the function's header
 * documents, the outputs are not written, and nothing of what the calls are made on has changed;
 * without an error all structures are valid. */
#include "documented.h"
#include "fuzz/calls.h"
#include "support/plain.h"

enum { MAX_CALLS = 16 };

/* --- callbacks --- */

static bool goes_on(fuzz_world *w) {
  return !fuzz_chance(&w->b, 32);
}

static bool visit_shape(mo_shape_id shape, uint64_t user_data, void *w) {
  (void)shape;
  (void)user_data;
  return goes_on(w);
}

static bool visit_triangle(const mo_triangle *triangle, void *w) {
  (void)triangle;
  return goes_on(w);
}

static bool visit_triangle_pair(mo_triangle_pair pair, void *w) {
  (void)pair;
  return goes_on(w);
}

static bool visit_impact(const mo_swept_impact *impact, void *w) {
  (void)impact;
  return goes_on(w);
}

static bool visit_closest(const mo_closest_hit *hit, void *w) {
  (void)hit;
  return goes_on(w);
}

static bool visit_nearest(const mo_near_shape *shape, void *w) {
  (void)shape;
  return goes_on(w);
}

static bool visit_pair(const mo_pair *pair, void *w) {
  (void)pair;
  return goes_on(w);
}

static bool visit_cell(const mo_cell *cell, void *w) {
  (void)cell;
  return goes_on(w);
}

static void draw_line(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context) {
  (void)from;
  (void)to;
  (void)rgba;
  (void)context;
}

static const mo_line_sink sink = {draw_line, NULL};

/* --- the calls --- */

/* What is made is destroyed at once. */
static mo_result make_scene(fuzz_world *w) {
  mo_scene_def def = mo_default_scene_def();
  mo_scene *made = NULL;
  def.tree.policy = (mo_tree_policy)fuzz_below(&w->b, 4);
  def.tree.capacity = fuzz_byte(&w->b);
  def.tree.max_depth = fuzz_byte(&w->b);
  def.tree.looseness = fuzz_coordinate(&w->b);
  def.tree.max_straddlers = fuzz_coordinate(&w->b);
  def.margin = fuzz_coordinate(&w->b);
  def.isa = (mo_isa)fuzz_below(&w->b, 8);
  def.expected_shape_count = fuzz_chance(&w->b, 8) ? UINT32_MAX : fuzz_byte(&w->b);
  def.host = w->host;
  mo_result result = mo_scene_create(&def, fuzz_chance(&w->b, 16) ? NULL : &made);
  FUZZ_CHECK((made != NULL) == (result == MO_OK), "%s", mo_result_name(result));
  mo_scene_destroy(made);
  return result;
}

static mo_result make_pairs(fuzz_world *w) {
  mo_pair_tracker_def def = mo_default_pair_tracker_def();
  mo_pair_tracker *made = NULL;
  def.cookie = fuzz_chance(&w->b, 32) ? 0 : def.cookie;
  mo_result result = mo_pair_tracker_create(fuzz_any_scene(w), &def, &made);
  FUZZ_CHECK((made != NULL) == (result == MO_OK), "%s", mo_result_name(result));
  mo_pair_tracker_destroy(made);
  return result;
}

static mo_result make_contacts(fuzz_world *w) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  mo_contact_tracker *made = NULL;
  def.speculative_distance = fuzz_coordinate(&w->b);
  def.max_speculative_distance = fuzz_coordinate(&w->b);
  def.match_distance = fuzz_coordinate(&w->b);
  def.reuse_distance = fuzz_coordinate(&w->b);
  def.cookie = fuzz_chance(&w->b, 32) ? 0 : def.cookie;
  mo_result result = mo_contact_tracker_create(fuzz_any_scene(w), &def, &made);
  FUZZ_CHECK((made != NULL) == (result == MO_OK), "%s", mo_result_name(result));
  if (result == MO_OK) {
    result = mo_contact_tracker_update(made, NULL);
    FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  }
  mo_contact_tracker_destroy(made);
  return result;
}

static mo_result make_watch(fuzz_world *w) {
  mo_watch *made = NULL;
  mo_result result = mo_watch_create(fuzz_any_scene(w), &made);
  FUZZ_CHECK((made != NULL) == (result == MO_OK), "%s", mo_result_name(result));
  mo_watch_destroy(made);
  return result;
}

typedef struct call {
  const char *name;
  mo_result (*make)(fuzz_world *w);
  bool loose; /* outputs are undefined after an error */
} call;

#define DEFINE(function, ...)                                                                      \
  static mo_result call_##function(fuzz_world *w) {                                                \
    return function(__VA_ARGS__);                                                                  \
  }
FUZZ_CALLS(DEFINE)
FUZZ_VISITS(DEFINE)
FUZZ_LOOSE_CALLS(DEFINE)

#define ROW(function, ...) {#function, call_##function, false},
#define LOOSE_ROW(function, ...) {#function, call_##function, true},
static const call calls[] = {{"mo_scene_create", make_scene, false},
                             {"mo_pair_tracker_create", make_pairs, false},
                             {"mo_contact_tracker_create", make_contacts, false},
                             {"mo_watch_create", make_watch, false},
                             FUZZ_CALLS(ROW) FUZZ_VISITS(ROW) FUZZ_LOOSE_CALLS(LOOSE_ROW)};

enum { CALLS = sizeof calls / sizeof *calls };
_Static_assert(CALLS <= 256, "a byte chooses the call");

/* Whether the headers document a code for a function (documented.h). */
static bool is_documented(const char *function, mo_result result) {
  for (size_t i = 0; i < sizeof documented / sizeof *documented; i++) {
    if (strcmp(documented[i].function, function) == 0) {
      return documented[i].codes >> result & 1;
    }
  }
  FUZZ_CHECK(false, "no function %s in the headers", function);
}

/* --- what the calls are made on --- */

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

static mo_mesh *square(const mo_host *host, mo_mesh_builder builder, bool deformable, bool edges) {
  static const float positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5f}};
  static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *made = NULL;
  def.positions = positions;
  def.vertex_count = 4;
  def.indices = indices;
  def.triangle_count = 2;
  def.build.builder = builder;
  def.build.depth = 1;
  def.build.bounds = (mo_aabb){{0, 0, 0}, {2, 2, 2}};
  def.build.deformable = deformable;
  def.build.edges = edges;
  def.build.editable = builder == MO_MESH_BUILDER_SINGLE && !deformable;
  def.host = *host;
  expect(mo_mesh_create(&def, &made), "create a mesh");
  return made;
}

/* Of two triangles that move. */
static mo_swept_mesh *falling(const mo_host *host, float height) {
  const mo_vec3 positions[6] = {{0, height, 0}, {1, height, 0}, {0, height, 1},
                                {1, height, 1}, {2, height, 1}, {1, 2 * height, 2}},
                end[6] = {{0, 0, 0}, {1, -1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 0, 0}, {1, 0, 2}};
  mo_swept_mesh_def def = mo_default_swept_mesh_def();
  mo_swept_mesh *made = NULL;
  def.positions = positions;
  def.end_positions = end;
  def.vertex_count = 6;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = 2;
  def.host = *host;
  expect(mo_swept_mesh_create(&def, &made), "create a swept mesh");
  return made;
}

static mo_mesh *hill(const mo_host *host) {
  static const float samples[9] = {0, 0, 0, 0, 1, 0.5f, 0, 0, 0};
  mo_height_field_def def = mo_default_height_field_def();
  mo_mesh *made = NULL;
  def.columns = def.rows = 3;
  def.samples = samples;
  def.host = *host;
  expect(mo_mesh_create_height_field(&def, &made), "create a height field");
  return made;
}

/* A compound of a mesh, a volume, and a ball. */
static mo_compound *group(const mo_scene_def *def, mo_mesh *mesh) {
  static const mo_shape_type types[] = {MO_SHAPE_MESH, MO_SHAPE_VOLUME, MO_SHAPE_SPHERE};
  mo_compound *made = NULL;
  mo_shape_id id;
  expect(mo_compound_create(def, &made), "create a compound");
  for (int i = 0; i < 3; i++) {
    mo_shape_def child = mo_default_shape_def(types[i]);
    child.transform.origin.y = (float)i;
    if (types[i] == MO_SHAPE_MESH) {
      child.geometry.mesh = mesh;
    }
    expect(mo_scene_add_shape(mo_compound_children(made), &child, &id), "add a child");
  }
  expect(mo_compound_update(made), "update a compound");
  return made;
}

static void fill(fuzz_world *w) {
  static const mo_shape_type types[FUZZ_LIVING] = {MO_SHAPE_MESH, MO_SHAPE_MESH, MO_SHAPE_BOX,
                                                   MO_SHAPE_CAPSULE, MO_SHAPE_SPHERE};
  for (int i = 0; i < FUZZ_LIVING; i++) {
    mo_shape_def def = mo_default_shape_def(types[i]);
    def.transform.origin.x = (float)i * 0.75f;
    if (i < 2) {
      def.geometry.mesh = w->meshes[i];
    }
    expect(mo_scene_add_shape(w->scene, &def, &w->living[i]), "add a shape");
  }
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  expect(mo_scene_add_shape(w->scene, &def, &w->stale), "add a shape");
  expect(mo_scene_remove_shape(w->scene, w->stale), "remove a shape");
}

static void create(fuzz_world *w) {
  mo_scene_def def = mo_default_scene_def();
  mo_region_def region = mo_default_region_def();
  counting_allocator_init(&w->counter);
  w->host = counting_allocator_host(&w->counter);
  def.host = w->host;
  expect(mo_scene_create(&def, &w->scene), "create a scene");
  expect(mo_scene_create(&def, &w->other), "create a scene");
  w->meshes[0] = square(&w->host, MO_MESH_BUILDER_SINGLE, true, false);
  w->meshes[1] = square(&w->host, MO_MESH_BUILDER_SPLIT, false, true);
  w->meshes[2] = square(&w->host, MO_MESH_BUILDER_TOP_DOWN, false, false);
  w->meshes[3] = hill(&w->host);
  w->meshes[4] = square(&w->host, MO_MESH_BUILDER_SINGLE, false, false);
  w->swept[0] = falling(&w->host, 1);
  w->swept[1] = falling(&w->host, -1);
  w->compound = group(&def, w->meshes[4]);
  fill(w);
  expect(mo_pair_tracker_create(w->scene, NULL, &w->pairs), "create a pair tracker");
  expect(mo_contact_tracker_create(w->scene, NULL, &w->contacts), "create a contact tracker");
  expect(mo_watch_create(w->scene, &w->watch), "create a watch");
  expect(mo_watch_add_region(w->watch, &region, &w->region), "add a region");
}

static void destroy(fuzz_world *w) {
  mo_watch_destroy(w->watch);
  mo_pair_tracker_destroy(w->pairs);
  mo_contact_tracker_destroy(w->contacts);
  mo_scene_destroy(w->scene);
  mo_scene_destroy(w->other);
  mo_compound_release(w->compound);
  for (int i = 0; i < 5; i++) {
    mo_mesh_release(w->meshes[i]);
  }
  mo_swept_mesh_destroy(w->swept[0]);
  mo_swept_mesh_destroy(w->swept[1]);
  FUZZ_CHECK(counting_allocator_is_clean(&w->counter), "memory is left over");
}

/* --- what must not have changed --- */

static uint64_t add_shape(uint64_t hash, const fuzz_world *w, mo_shape_id id) {
  mo_aabb bounds;
  mo_transform map;
  uint64_t words[4];
  mo_motion motion;
  float margin;
  expect(mo_scene_get_bounds(w->scene, id, &bounds), "get bounds");
  expect(mo_scene_get_transform(w->scene, id, &map), "get the transform");
  expect(mo_scene_get_filter(w->scene, id, &words[0], &words[1]), "get the filter");
  expect(mo_scene_get_user_data(w->scene, id, &words[2]), "get user data");
  expect(mo_scene_get_body(w->scene, id, &words[3]), "get the body");
  expect(mo_scene_get_motion(w->scene, id, &motion), "get the motion");
  expect(mo_scene_get_margin(w->scene, id, &margin), "get the margin");
  hash = fnv1a(hash, &id, sizeof id);
  hash = fnv1a(hash, &bounds, sizeof bounds);
  hash = fnv1a(hash, &map, sizeof map);
  hash = fnv1a(hash, words, sizeof words);
  hash = fnv1a(hash, &motion, sizeof motion);
  return fnv1a(hash, &margin, sizeof margin);
}

static uint64_t add_mesh(uint64_t hash, const mo_mesh *mesh) {
  for (uint32_t i = 0; i < mo_mesh_triangle_count(mesh); i++) {
    mo_vec3 corners[3];
    if (mo_mesh_get_triangle(mesh, i, corners, NULL) == MO_OK) { /* else it is in a hole */
      hash = fnv1a(hash, corners, sizeof corners);
    }
  }
  expect(mo_mesh_validate(mesh), "validate a mesh");
  return hash;
}

static uint64_t add_trackers(uint64_t hash, const fuzz_world *w) {
  mo_contact_tracker_stats contacts;
  mo_watch_stats watch;
  uint64_t pairs = mo_pair_tracker_pair_count(w->pairs);
  expect(mo_contact_tracker_get_stats(w->contacts, &contacts), "get statistics");
  expect(mo_watch_get_stats(w->watch, &watch), "get statistics");
  expect(mo_pair_tracker_validate(w->pairs), "validate a pair tracker");
  mo_result valid = mo_contact_tracker_validate(w->contacts);
  FUZZ_CHECK(valid == MO_OK || w->restored, "validate a contact tracker: %s",
             mo_result_name(valid));
  expect(mo_watch_validate(w->watch), "validate a watch");
  const uint64_t counts[] = {pairs,
                             contacts.pair_count,
                             contacts.contact_count,
                             contacts.resting_count,
                             contacts.update_count,
                             watch.region_count,
                             watch.member_count,
                             watch.update_count};
  return fnv1a(hash, counts, sizeof counts);
}

static uint64_t state_of(const fuzz_world *w) {
  enum { MAX = 256 };
  static mo_shape_id ids[MAX];
  uint64_t hash = FNV1A_BEGIN;
  uint32_t count;
  expect(mo_scene_get_shapes(w->scene, ids, MAX, &count), "get shapes");
  for (uint32_t i = 0; i < count && i < MAX; i++) {
    hash = add_shape(hash, w, ids[i]);
  }
  expect(mo_scene_validate(w->scene), "validate the scene");
  expect(mo_scene_validate(w->other), "validate the other scene");
  for (int i = 0; i < 4; i++) {
    hash = add_mesh(hash, w->meshes[i]);
  }
  expect(mo_swept_mesh_validate(w->swept[0]), "validate a swept mesh");
  expect(mo_swept_mesh_validate(w->swept[1]), "validate a swept mesh");
  return add_trackers(hash, w);
}

static void make(fuzz_world *w, const call *c) {
  uint64_t before = state_of(w);
  fuzz_arguments_begin(w);
  mo_result result = c->make(w);
  /* Contacts that no update has found need not be sound. */
  w->restored =
      w->restored || (result == MO_OK && strcmp(c->name, "mo_contact_tracker_restore") == 0);
  uint64_t after = state_of(w);
  if (result == MO_OK) {
    return;
  }
  FUZZ_CHECK(is_documented(c->name, result), "%s: %s", c->name, mo_result_name(result));
  FUZZ_CHECK(before == after, "%s: %s has changed something", c->name, mo_result_name(result));
  FUZZ_CHECK(c->loose || fuzz_outputs_are_untouched(w), "%s: %s has written outputs", c->name,
             mo_result_name(result));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz_world w;
  memset(&w, 0, sizeof w);
  w.b = (fuzz_bytes){.data = data, .size = size};
  w.b.wild = fuzz_byte(&w.b) & 1;
  create(&w);
  for (int i = 0; i < MAX_CALLS && fuzz_has_more(&w.b); i++) {
    make(&w, &calls[fuzz_below(&w.b, CALLS)]);
  }
  destroy(&w);
  return 0;
}
