/* Arguments of public functions, decoded from bytes. */
#include "fuzz/arguments.h"

enum { UNTOUCHED = 0xa5 };

void fuzz_arguments_begin(fuzz_world *w) {
  memset(w->outputs, UNTOUCHED, sizeof w->outputs);
  w->output_count = w->def_count = w->capacity = 0;
}

bool fuzz_outputs_are_untouched(const fuzz_world *w) {
  for (uint32_t i = 0; i < w->output_count; i++) {
    for (size_t k = 0; k < FUZZ_OUTPUT_SIZE; k++) {
      if (w->outputs[i][k] != UNTOUCHED) {
        return false;
      }
    }
  }
  return true;
}

/* One argument in sixteen is null. */
static bool is_null(fuzz_world *w) {
  return fuzz_chance(&w->b, 16);
}

/* One def in sixteen was not made by its default function. */
static uint32_t cookie(fuzz_world *w, uint32_t right) {
  return fuzz_chance(&w->b, 16) ? 0 : right;
}

/* A choice, also one that does not exist. */
static uint32_t choice(fuzz_world *w, uint32_t count) {
  return fuzz_below(&w->b, count + count / 4 + 1);
}

static void *keep(fuzz_world *w, const void *def, size_t size) {
  FUZZ_CHECK(w->def_count < 16 && size <= sizeof w->defs[0], "a def of %zu bytes", size);
  void *slot = w->defs[w->def_count++];
  memcpy(slot, def, size);
  return slot;
}

#define KEEP(def) (is_null(w) ? NULL : keep(w, &(def), sizeof(def)))

/* --- objects --- */

mo_scene *fuzz_any_scene(fuzz_world *w) {
  return is_null(w) ? NULL : w->scene;
}

mo_mesh *fuzz_any_mesh(fuzz_world *w) {
  const uint32_t which = fuzz_below(&w->b, 16);
  return which == 15 ? NULL : w->meshes[which % 5];
}

mo_swept_mesh *fuzz_any_swept(fuzz_world *w) {
  const uint32_t which = fuzz_below(&w->b, 16);
  return which == 15 ? NULL : w->swept[which % 2];
}

mo_hull *fuzz_any_hull(fuzz_world *w) {
  return is_null(w) ? NULL : fuzz_supplies_get()->hulls[fuzz_below(&w->b, FUZZ_HULLS)];
}

mo_pair_tracker *fuzz_any_pairs(fuzz_world *w) {
  return is_null(w) ? NULL : w->pairs;
}

mo_contact_tracker *fuzz_any_contacts(fuzz_world *w) {
  return is_null(w) ? NULL : w->contacts;
}

mo_watch *fuzz_any_watch(fuzz_world *w) {
  return is_null(w) ? NULL : w->watch;
}

mo_shape_id fuzz_any_id(fuzz_world *w) {
  const uint32_t which = fuzz_below(&w->b, 16);
  return which < 13    ? w->living[which % FUZZ_LIVING]
         : which == 13 ? w->stale
         : which == 14 ? (mo_shape_id){0}
                       : (mo_shape_id){fuzz_u32(&w->b), 1};
}

mo_region_id fuzz_any_region(fuzz_world *w) {
  return fuzz_chance(&w->b, 32) ? (mo_region_id){fuzz_byte(&w->b), 1} : w->region;
}

void *fuzz_any_output(fuzz_world *w) {
  FUZZ_CHECK(w->output_count < FUZZ_OUTPUTS, "too many outputs");
  return is_null(w) ? NULL : w->outputs[w->output_count++];
}

mo_query_stats *fuzz_any_stats(fuzz_world *w) {
  mo_query_stats stats = {0};
  return fuzz_chance(&w->b, 128) ? keep(w, &stats, sizeof stats) : NULL;
}

size_t *fuzz_any_bad(fuzz_world *w) {
  size_t bad = 77;
  return fuzz_chance(&w->b, 128) ? keep(w, &bad, sizeof bad) : NULL;
}

uint32_t fuzz_any_count(fuzz_world *w) {
  return w->capacity = fuzz_below(&w->b, FUZZ_CAPACITY + 1);
}

/* --- plain values --- */

float fuzz_any_float(fuzz_world *w) {
  return fuzz_coordinate(&w->b);
}

mo_vec3 fuzz_any_vec3(fuzz_world *w) {
  return fuzz_vec3(&w->b);
}

const float *fuzz_any_matrix(fuzz_world *w) {
  float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2f, 0};
  for (uint32_t i = fuzz_below(&w->b, 5); i-- > 0;) {
    uint32_t at = fuzz_below(&w->b, 16);
    matrix[at] = fuzz_coordinate(&w->b);
  }
  return KEEP(matrix);
}

const mo_vec3 *fuzz_any_points(fuzz_world *w) {
  mo_vec3 points[3 * FUZZ_CAPACITY];
  for (int i = 0; i < 3 * FUZZ_CAPACITY; i++) {
    points[i] = fuzz_vec3(&w->b);
  }
  return KEEP(points);
}

const mo_transform *fuzz_any_transforms(fuzz_world *w) {
  mo_transform maps[FUZZ_CAPACITY];
  for (int i = 0; i < FUZZ_CAPACITY; i++) {
    maps[i] = i < 2 ? fuzz_transform(&w->b) : mo_transform_identity();
  }
  if (fuzz_chance(&w->b, 32)) {
    maps[0].y_axis = fuzz_vec3(&w->b);
  }
  return KEEP(maps);
}

const mo_geometry *fuzz_any_geometry(fuzz_world *w) {
  mo_geometry g = fuzz_geometry(&w->b);
  if (fuzz_chance(&w->b, 8)) {
    g.type = (mo_shape_type)99;
  } else if (g.type == MO_SHAPE_MESH) {
    g.mesh = fuzz_any_mesh(w);
  } else if (g.type == MO_SHAPE_HULL) {
    g.hull = fuzz_any_hull(w);
  }
  return KEEP(g);
}

static mo_primitive any_primitive(fuzz_world *w) {
  mo_primitive p = w->b.wild ? fuzz_primitive_or_mesh(&w->b) : fuzz_primitive(&w->b);
  if (fuzz_chance(&w->b, 8)) {
    p.type = (mo_primitive_type)99;
  } else if (fuzz_chance(&w->b, 24)) {
    p.type = MO_PRIMITIVE_GEOMETRY;
    p.geometry = (mo_geometry){.type = MO_SHAPE_COMPOUND};
    p.geometry.compound = fuzz_chance(&w->b, 32) ? NULL : w->compound;
  } else if (p.type == MO_PRIMITIVE_GEOMETRY && p.geometry.type == MO_SHAPE_HULL) {
    p.geometry.hull = fuzz_any_hull(w);
  }
  return p;
}

const mo_primitive *fuzz_any_primitive(fuzz_world *w) {
  mo_primitive p = any_primitive(w);
  return KEEP(p);
}

static mo_movement any_movement(fuzz_world *w) {
  mo_movement m = {0};
  m.displacement = fuzz_vec3(&w->b);
  if (fuzz_chance(&w->b, 128)) {
    m.pivot = fuzz_vec3(&w->b);
    m.axis = fuzz_vec3(&w->b);
    m.angle = fuzz_coordinate(&w->b);
  }
  return m;
}

const mo_movement *fuzz_any_movement(fuzz_world *w) {
  mo_movement m = any_movement(w);
  return KEEP(m);
}

static bool accept_shape(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)user_data;
  (void)context;
  return shape.index % 2 == 0;
}

static mo_filter any_filter(fuzz_world *w) {
  mo_filter filter = fuzz_filter(&w->b);
  uint8_t options = fuzz_byte(&w->b);
  filter.accept = options & 1 ? accept_shape : NULL;
  filter.cookie = options >= 240 ? 1 : filter.cookie;
  return filter;
}

const mo_filter *fuzz_any_filter(fuzz_world *w) {
  mo_filter filter = any_filter(w);
  return KEEP(filter);
}

static mo_aabb any_box(fuzz_world *w) {
  mo_vec3 lower = fuzz_vec3(&w->b), size = fuzz_lengths(&w->b);
  return (mo_aabb){lower, {lower.x + size.x, lower.y + size.y, lower.z + size.z}};
}

const mo_aabb *fuzz_any_box(fuzz_world *w) {
  mo_aabb box = any_box(w);
  return KEEP(box);
}

static mo_sphere any_sphere(fuzz_world *w) {
  mo_sphere sphere;
  sphere.center = fuzz_vec3(&w->b);
  sphere.radius = fuzz_length(&w->b);
  return sphere;
}

const mo_sphere *fuzz_any_sphere(fuzz_world *w) {
  mo_sphere sphere = any_sphere(w);
  return KEEP(sphere);
}

const mo_shape_id *fuzz_any_ids(fuzz_world *w) {
  mo_shape_id ids[FUZZ_CAPACITY];
  for (int i = 0; i < FUZZ_CAPACITY; i++) {
    ids[i] = i < 4 ? fuzz_any_id(w) : w->living[i % FUZZ_LIVING];
  }
  return KEEP(ids);
}

const mo_pair *fuzz_any_pair_list(fuzz_world *w) {
  mo_pair pairs[FUZZ_CAPACITY];
  for (int i = 0; i < FUZZ_CAPACITY; i++) {
    pairs[i].a = i < 2 ? fuzz_any_id(w) : w->living[0];
    pairs[i].b = i < 2 ? fuzz_any_id(w) : w->living[1];
  }
  return KEEP(pairs);
}

/* --- scenes --- */

const mo_shape_def *fuzz_any_shapes(fuzz_world *w) {
  mo_shape_def defs[FUZZ_CAPACITY];
  for (int i = 0; i < FUZZ_CAPACITY; i++) {
    defs[i] = i < 2 ? fuzz_shape(&w->b) : mo_default_shape_def(MO_SHAPE_BOX);
  }
  defs[0].cookie = cookie(w, defs[0].cookie);
  defs[0].motion = fuzz_chance(&w->b, 8) ? (mo_motion)99 : defs[0].motion;
  return KEEP(defs);
}

const mo_update_def *fuzz_any_update(fuzz_world *w) {
  mo_update_def def = mo_default_update_def();
  uint8_t options = fuzz_byte(&w->b);
  def.count = fuzz_any_count(w);
  def.ids = fuzz_any_ids(w);
  def.transforms = options & 1 ? fuzz_any_transforms(w) : NULL;
  def.origins = options & 2 ? fuzz_any_points(w) : NULL;
  def.velocities = options & 4 ? fuzz_any_points(w) : NULL;
  def.lookahead = options & 8 ? fuzz_coordinate(&w->b) : 0;
  def.first_bad = fuzz_any_bad(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

/* --- queries --- */

static bool accept_hit(mo_triangle_ref ref, float t, void *context) {
  (void)t;
  (void)context;
  return ref.triangle != 0;
}

static bool accept_triangle(mo_triangle_ref ref, void *context) {
  return accept_hit(ref, 0, context);
}

static mo_ray_def any_ray(fuzz_world *w) {
  mo_ray_def ray = mo_default_ray_def();
  uint8_t options = fuzz_byte(&w->b);
  ray.origin = fuzz_vec3(&w->b);
  ray.direction = fuzz_vec3(&w->b);
  ray.min_t = options & 1 ? fuzz_coordinate(&w->b) : 0;
  ray.max_t = options & 2 ? fuzz_coordinate(&w->b) : INFINITY;
  ray.cull_back_faces = options & 4;
  ray.hit_volumes = options & 8;
  ray.accept_triangle = options & 16 ? accept_hit : NULL;
  ray.ignore_triangle = options & 32 ? 1 : MO_NO_TRIANGLE;
  ray.ignore_triangle_shape = w->living[0];
  ray.filter = any_filter(w);
  ray.cookie = cookie(w, ray.cookie);
  return ray;
}

const mo_ray_def *fuzz_any_ray(fuzz_world *w) {
  mo_ray_def ray = any_ray(w);
  return KEEP(ray);
}

static void set_options(fuzz_world *w, uint8_t bits, mo_cast_options *options) {
  options->cull_back_faces = bits & 1;
  options->min_approach = bits & 2 ? fuzz_coordinate(&w->b) : options->min_approach;
  options->every_triangle = bits & 4;
  options->accept_triangle = bits & 8 ? accept_hit : NULL;
  options->hit_volumes = bits & 16;
  options->filter = any_filter(w);
}

const mo_sphere_cast_def *fuzz_any_sphere_cast(fuzz_world *w) {
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  const uint8_t bits = fuzz_byte(&w->b);
  def.sphere = any_sphere(w);
  def.displacement = fuzz_vec3(&w->b);
  set_options(w, bits, &def.options);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_shape_cast_def *fuzz_any_shape_cast(fuzz_world *w) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  const uint8_t bits = fuzz_byte(&w->b);
  mo_movement m = any_movement(w);
  def.primitive = any_primitive(w);
  def.displacement = m.displacement;
  def.pivot = m.pivot;
  def.axis = m.axis;
  def.angle = m.angle;
  def.precision = (mo_precision)choice(w, 2);
  set_options(w, bits, &def.options);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_overlap_def *fuzz_any_overlap(fuzz_world *w) {
  mo_overlap_def def = mo_default_overlap_def();
  def.type = (mo_overlap_type)choice(w, 4);
  if (def.type == MO_OVERLAP_AABB) {
    def.box = any_box(w);
  } else if (def.type == MO_OVERLAP_SPHERE) {
    def.sphere = any_sphere(w);
  } else if (def.type == MO_OVERLAP_POINT) {
    def.point = fuzz_vec3(&w->b);
  } else {
    def.primitive = any_primitive(w);
  }
  def.precision = (mo_precision)choice(w, 2);
  def.accept_triangle = fuzz_chance(&w->b, 64) ? accept_triangle : NULL;
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_overlap_mesh_def *fuzz_any_overlap_mesh(fuzz_world *w) {
  mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
  def.other = fuzz_any_mesh(w);
  def.transform = fuzz_transform(&w->b);
  def.other_transform = fuzz_chance(&w->b, 128) ? def.transform : fuzz_transform(&w->b);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_distance_mesh_def *fuzz_any_distance_mesh(fuzz_world *w) {
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  mo_closest_hit start[2] = {{.found = true, .triangle = fuzz_byte(&w->b)},
                             {.found = true, .triangle = fuzz_byte(&w->b)}};
  def.other = fuzz_any_mesh(w);
  def.transform = fuzz_transform(&w->b);
  def.other_transform = fuzz_chance(&w->b, 128) ? def.transform : fuzz_transform(&w->b);
  def.max_distance = fuzz_chance(&w->b, 128) ? fuzz_coordinate(&w->b) : INFINITY;
  def.start = fuzz_chance(&w->b, 128) ? KEEP(start) : NULL;
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_separation_mesh_def *fuzz_any_separation_mesh(fuzz_world *w) {
  mo_separation_mesh_def def = mo_default_separation_mesh_def();
  def.other = fuzz_any_mesh(w);
  def.transform = fuzz_transform(&w->b);
  def.other_transform = fuzz_chance(&w->b, 128) ? def.transform : fuzz_transform(&w->b);
  def.is_filled = fuzz_chance(&w->b, 128);
  def.other_is_filled = fuzz_chance(&w->b, 128);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_closest_def *fuzz_any_closest(fuzz_world *w) {
  mo_closest_def def = mo_default_closest_def();
  def.point = fuzz_vec3(&w->b);
  def.max_distance = fuzz_chance(&w->b, 128) ? fuzz_coordinate(&w->b) : INFINITY;
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_distance_def *fuzz_any_distance(fuzz_world *w) {
  mo_distance_def def = mo_default_distance_def();
  mo_closest_hit after = {.found = true, .shape = w->living[1], .triangle = MO_NO_TRIANGLE};
  def.primitive = any_primitive(w);
  def.max_distance = fuzz_chance(&w->b, 128) ? fuzz_coordinate(&w->b) : INFINITY;
  def.every_triangle = fuzz_chance(&w->b, 128);
  if (fuzz_chance(&w->b, 32)) {
    after.distance = fuzz_coordinate(&w->b);
    def.after = keep(w, &after, sizeof after);
  }
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_near_def *fuzz_any_near(fuzz_world *w) {
  mo_near_def def = mo_default_near_def();
  mo_near_shape after = {.shape = w->living[1]};
  def.from = any_box(w);
  def.max_distance = fuzz_chance(&w->b, 128) ? fuzz_coordinate(&w->b) : INFINITY;
  if (fuzz_chance(&w->b, 32)) {
    after.distance2 = (double)fuzz_coordinate(&w->b);
    def.after = keep(w, &after, sizeof after);
  }
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

static const mo_plane *any_planes(fuzz_world *w, uint32_t *count) {
  mo_plane planes[4];
  *count = fuzz_chance(&w->b, 8) ? UINT32_MAX : fuzz_below(&w->b, 5);
  for (uint32_t i = 0; i < 4; i++) {
    planes[i].normal = fuzz_vec3(&w->b);
    planes[i].offset = fuzz_coordinate(&w->b);
  }
  return KEEP(planes);
}

const mo_level_def *fuzz_any_levels(fuzz_world *w) {
  mo_level_def def = mo_default_level_def();
  float thresholds[3];
  def.eye = fuzz_vec3(&w->b);
  def.measure = (mo_level_measure)choice(w, 2);
  for (int i = 0; i < 3; i++) {
    thresholds[i] = (float)i + fuzz_coordinate(&w->b);
  }
  def.thresholds = KEEP(thresholds);
  def.level_count = fuzz_chance(&w->b, 16) ? 99 : fuzz_below(&w->b, 4);
  def.planes = any_planes(w, &def.plane_count);
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_fit_def *fuzz_any_fit(fuzz_world *w) {
  mo_fit_def def = mo_default_fit_def();
  def.shape = fuzz_any_shapes(w);
  def.clearance = fuzz_chance(&w->b, 64) ? fuzz_coordinate(&w->b) : 0;
  def.precision = (mo_precision)choice(w, 2);
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_cull_def *fuzz_any_cull(fuzz_world *w) {
  mo_cull_def def = mo_default_cull_def();
  def.planes = any_planes(w, &def.plane_count);
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_cell_query_def *fuzz_any_cells(fuzz_world *w) {
  mo_cell_query_def def = mo_default_cell_query_def();
  mo_shape_id scratch[FUZZ_CAPACITY] = {{0}};
  def.box = any_box(w);
  def.once = fuzz_chance(&w->b, 128);
  def.scratch_capacity = fuzz_below(&w->b, FUZZ_CAPACITY + 1);
  def.scratch = KEEP(scratch);
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

static bool accept_pair(const mo_pair *pair, uint64_t a, uint64_t b, void *context) {
  (void)a;
  (void)b;
  (void)context;
  return (pair->a.index + pair->b.index) % 3 != 0;
}

const mo_pair_query_def *fuzz_any_pair_query(fuzz_world *w) {
  mo_pair_query_def def = mo_default_pair_query_def();
  def.awake_only = fuzz_chance(&w->b, 64);
  def.accept = fuzz_chance(&w->b, 64) ? accept_pair : NULL;
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

/* --- contacts, characters, impacts --- */

const mo_collide_def *fuzz_any_collide(fuzz_world *w) {
  mo_collide_def def = mo_default_collide_def();
  def.speculative_distance =
      fuzz_chance(&w->b, 64) ? fuzz_coordinate(&w->b) : def.speculative_distance;
  def.cull_back_faces = fuzz_chance(&w->b, 64);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_collide_shape_def *fuzz_any_collide_shape(fuzz_world *w) {
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = any_primitive(w);
  def.speculative_distance =
      fuzz_chance(&w->b, 64) ? fuzz_coordinate(&w->b) : def.speculative_distance;
  def.hit_volumes = fuzz_chance(&w->b, 64);
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_character_def *fuzz_any_character(fuzz_world *w) {
  mo_character_def def = mo_default_character_def();
  uint8_t options = fuzz_byte(&w->b);
  def.primitive = any_primitive(w);
  def.displacement = fuzz_vec3(&w->b);
  def.up = options & 1 ? fuzz_vec3(&w->b) : def.up;
  def.skin = options & 2 ? fuzz_coordinate(&w->b) : def.skin;
  def.slope_limit = options & 4 ? fuzz_coordinate(&w->b) : def.slope_limit;
  def.step_height = options & 8 ? fuzz_coordinate(&w->b) : def.step_height;
  def.snap_distance = options & 16 ? fuzz_coordinate(&w->b) : def.snap_distance;
  def.accept_triangle = options & 32 ? accept_hit : NULL;
  def.filter = any_filter(w);
  def.touch_capacity = fuzz_below(&w->b, FUZZ_CAPACITY + 1);
  def.touches = fuzz_any_output(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

static mo_impact_def any_impact(fuzz_world *w) {
  mo_impact_def def = mo_default_impact_def();
  def.slop = fuzz_chance(&w->b, 64) ? fuzz_coordinate(&w->b) : def.slop;
  def.core = fuzz_chance(&w->b, 64) ? fuzz_coordinate(&w->b) : def.core;
  def.cookie = cookie(w, def.cookie);
  return def;
}

const mo_impact_def *fuzz_any_impact(fuzz_world *w) {
  mo_impact_def def = any_impact(w);
  return KEEP(def);
}

const mo_impact_mesh_def *fuzz_any_impact_mesh(fuzz_world *w) {
  mo_impact_mesh_def def = mo_default_impact_mesh_def();
  def.other = fuzz_any_mesh(w);
  def.transform = fuzz_transform(&w->b);
  def.other_transform = fuzz_chance(&w->b, 128) ? def.transform : fuzz_transform(&w->b);
  def.movement = any_movement(w);
  def.other_movement = any_movement(w);
  def.impact = any_impact(w);
  def.cull_back_faces = fuzz_chance(&w->b, 128);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_impact_search *fuzz_any_impact_search(fuzz_world *w) {
  mo_impact_search search = mo_default_impact_search();
  mo_mover movers[4];
  mo_mover_memory memory[FUZZ_CAPACITY];
  memset(movers, 0, sizeof movers);
  memset(memory, 0, sizeof memory);
  for (int i = 0; i < 4; i++) {
    movers[i].shape = fuzz_any_id(w);
    movers[i].movement = any_movement(w);
    movers[i].partners = (mo_impact_partners)choice(w, 3);
  }
  search.count = fuzz_below(&w->b, 5);
  search.movers = KEEP(movers);
  search.memory = KEEP(memory);
  search.def = any_impact(w);
  search.cull_back_faces = fuzz_chance(&w->b, 64);
  search.sensor_categories = fuzz_chance(&w->b, 64) ? 2 : 0;
  search.accept = fuzz_chance(&w->b, 64) ? accept_pair : NULL;
  search.cookie = cookie(w, search.cookie);
  return KEEP(search);
}

/* --- watches --- */

static mo_region_form any_form(fuzz_world *w) {
  mo_region_form form = {.type = (mo_region_type)choice(w, 3)};
  if (form.type == MO_REGION_AABB) {
    form.box = any_box(w);
  } else if (form.type == MO_REGION_SPHERE) {
    form.sphere = any_sphere(w);
  } else {
    form.convex.planes = any_planes(w, &form.convex.count);
  }
  return form;
}

const mo_region_form *fuzz_any_region_form(fuzz_world *w) {
  mo_region_form form = any_form(w);
  return KEEP(form);
}

const mo_region_def *fuzz_any_region_def(fuzz_world *w) {
  mo_region_def def = mo_default_region_def();
  def.form = any_form(w);
  def.precision = (mo_precision)choice(w, 2);
  def.filter = any_filter(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

/* --- batches --- */

const mo_batch_def *fuzz_any_batch(fuzz_world *w) {
  mo_batch_def def = mo_default_batch_def();
  uint8_t options = fuzz_byte(&w->b);
  const mo_vec3 *origins = fuzz_any_points(w), *others = fuzz_any_points(w);
  def.count = fuzz_below(&w->b, FUZZ_CAPACITY + 1);
  def.options = any_ray(w);
  if (origins != NULL) {
    def.origins = mo_vec3_array_of(origins, sizeof *origins);
  }
  if (others != NULL && options & 1) {
    def.ends = mo_vec3_array_of(others, sizeof *others);
  } else if (others != NULL) {
    def.directions = mo_vec3_array_of(others, sizeof *others);
  }
  def.coherence = (mo_coherence)choice(w, 3);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_batch_output *fuzz_any_batch_output(fuzz_world *w) {
  mo_batch_output output = {0};
  uint8_t wanted = fuzz_byte(&w->b);
  output.found.data = fuzz_any_output(w);
  output.t.data = wanted & 1 ? fuzz_any_output(w) : NULL;
  output.shape.data = wanted & 2 ? fuzz_any_output(w) : NULL;
  output.hit.data = wanted & 4 ? fuzz_any_output(w) : NULL;
  output.bits = wanted & 8 ? fuzz_any_output(w) : NULL;
  output.t.stride = wanted >= 240 ? 1 : 0;
  return KEEP(output);
}

/* Of two kinds of defs; the others are those of the single queries. */
const mo_query_batch *fuzz_any_query_batch(fuzz_world *w) {
  bool rays = fuzz_chance(&w->b, 128);
  mo_query_type type = rays ? MO_QUERY_CAST_RAY_ALL : MO_QUERY_TEST_OVERLAP;
  const void *defs = rays ? (const void *)fuzz_any_ray(w) : (const void *)fuzz_any_overlap(w);
  mo_query_batch batch = mo_query_batch_of(type, defs, fuzz_below(&w->b, 2), fuzz_any_output(w));
  batch.capacity = fuzz_below(&w->b, FUZZ_CAPACITY + 1);
  batch.totals = fuzz_any_output(w);
  batch.query = fuzz_chance(&w->b, 8) ? (mo_query_type)999 : batch.query;
  batch.cookie = cookie(w, batch.cookie);
  return KEEP(batch);
}

/* --- others --- */

const mo_debug_def *fuzz_any_debug(fuzz_world *w) {
  mo_debug_def def = mo_default_debug_def();
  def.boxes = (mo_debug_boxes)choice(w, 2);
  def.color = (mo_debug_color)choice(w, 3);
  def.order = (mo_debug_order)choice(w, 2);
  def.min_depth = fuzz_below(&w->b, 4);
  def.leaves_only = fuzz_chance(&w->b, 64);
  def.transform = fuzz_transform(&w->b);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

mo_debug_buffers *fuzz_any_buffers(fuzz_world *w) {
  mo_debug_buffers buffers = {0};
  buffers.vertex_capacity = 16 * fuzz_below(&w->b, 9);
  buffers.index_capacity = 32 * fuzz_below(&w->b, 9);
  buffers.vertices = fuzz_any_output(w);
  buffers.indices = fuzz_any_output(w);
  return KEEP(buffers);
}

mo_ray_cursor *fuzz_any_cursor(fuzz_world *w) {
  mo_ray_cursor cursor;
  mo_result result = mo_ray_cursor_init(&cursor, NULL);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  return KEEP(cursor);
}

const mo_mesh_rebuild_options *fuzz_any_rebuild(fuzz_world *w) {
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  options.threshold = fuzz_coordinate(&w->b);
  options.max_triangles = fuzz_byte(&w->b);
  options.cookie = cookie(w, options.cookie);
  return KEEP(options);
}

const mo_mesh_edit_def *fuzz_any_mesh_edit(fuzz_world *w) {
  mo_mesh_edit_def edit = mo_default_mesh_edit_def();
  uint32_t indices[4][6], options = fuzz_byte(&w->b);
  for (int i = 0; i < 24; i++) {
    indices[i / 6][i % 6] = fuzz_below(&w->b, options & 64 ? 12 : 4);
  }
  edit.moved_vertices = KEEP(indices[0]);
  edit.moved_positions = edit.added_positions = options & 32 ? NULL : fuzz_any_points(w);
  edit.moved_vertex_count = options & 1 ? fuzz_below(&w->b, 4) : 0;
  edit.added_vertex_count = options & 2 ? fuzz_below(&w->b, 4) : 0;
  edit.removed_triangles = KEEP(indices[1]);
  edit.removed_triangle_count = options & 4 ? fuzz_below(&w->b, 3) : 0;
  edit.replaced_triangles = KEEP(indices[2]);
  edit.replaced_indices = edit.added_indices = KEEP(indices[3]);
  edit.replaced_triangle_count = options & 8 ? fuzz_below(&w->b, 3) : 0;
  edit.added_triangle_count = options & 16 ? fuzz_below(&w->b, 3) : 0;
  edit.max_rebuilt_triangles = fuzz_byte(&w->b);
  edit.added_user_data = edit.replaced_user_data = options & 128 ? KEEP(indices[0]) : NULL;
  edit.first_bad = fuzz_any_bad(w);
  edit.cookie = cookie(w, edit.cookie);
  return KEEP(edit);
}

const mo_height_edit *fuzz_any_height_edit(fuzz_world *w) {
  mo_height_edit edit = mo_default_height_edit();
  uint8_t cells[4], options = fuzz_byte(&w->b);
  for (int i = 0; i < 4; i++) {
    cells[i] = (uint8_t)fuzz_below(&w->b, options & 8 ? 5 : 4);
  }
  edit.column = fuzz_below(&w->b, 3);
  edit.row = fuzz_below(&w->b, 3);
  edit.columns = fuzz_below(&w->b, 4); /* the field has three */
  edit.rows = fuzz_below(&w->b, 4);
  edit.samples = options & 1 ? fuzz_any_points(w) : NULL;
  edit.cell_flags = options & 2 ? KEEP(cells) : NULL;
  edit.materials = options & 4 ? KEEP(cells) : NULL;
  edit.first_bad = fuzz_any_bad(w);
  edit.cookie = cookie(w, edit.cookie);
  return KEEP(edit);
}

const mo_swept_impact_def *fuzz_any_swept_impact(fuzz_world *w) {
  mo_swept_impact_def def = mo_default_swept_impact_def();
  def.other = fuzz_any_swept(w);
  def.slop = fuzz_any_float(w);
  def.cookie = cookie(w, def.cookie);
  return KEEP(def);
}

const mo_tracked_contact *fuzz_any_saved(fuzz_world *w) {
  mo_tracked_contact saved[4];
  memset(saved, 0, sizeof saved);
  for (int i = 0; i < 4; i++) {
    saved[i].contact.a = fuzz_any_id(w);
    saved[i].contact.b = fuzz_any_id(w);
    saved[i].contact.triangle_a = fuzz_byte(&w->b) - 1u;
    saved[i].contact.triangle_b = fuzz_byte(&w->b) - 1u;
    saved[i].contact.manifold.point_count = fuzz_below(&w->b, 6);
    saved[i].touching = fuzz_chance(&w->b, 128);
  }
  return KEEP(saved);
}
