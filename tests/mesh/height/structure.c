/* What height fields are made of: triangles, edges, sheets, bounds, memory, and what they refuse;
 * compared with a mesh of the same triangles. */
#include "mesh/format/height.h"
#include "mesh/height/heights.h"
#include "mesh/mesh.h"

static void check_triangles(const heights *h) {
  cr_assert_eq(mo_mesh_triangle_count(h->field), h->field_count);
  for (uint32_t t = 0; t < h->field_count; t++) {
    mo_vec3 got[3], expected[3];
    uint32_t user_data = 77, of_mesh = 77;
    mo_mesh_edge edges[3], edges_of_mesh[3];
    if (!heights_has(h, t)) {
      cr_assert_eq(mo_mesh_get_triangle(h->field, t, got, NULL), MO_ERROR_INVALID_INDEX);
      cr_assert_eq(mo_mesh_get_edges(h->field, t, edges), MO_ERROR_INVALID_INDEX);
      continue;
    }
    cr_assert_eq(mo_mesh_get_triangle(h->field, t, got, &user_data), MO_OK);
    cr_assert_eq(mo_mesh_get_triangle(h->mesh, h->mesh_of[t], expected, &of_mesh), MO_OK);
    cr_assert_eq(memcmp(got, expected, sizeof got), 0, "triangle %u", t);
    cr_assert_eq(user_data, of_mesh);
    cr_assert_eq(mo_mesh_get_edges(h->field, t, edges), MO_OK);
    cr_assert_eq(mo_mesh_get_edges(h->mesh, h->mesh_of[t], edges_of_mesh), MO_OK);
    cr_assert_eq(memcmp(edges, edges_of_mesh, sizeof edges), 0, "edges of triangle %u", t);
    const uint32_t sheet = mo_mesh_oriented_sheet(h->mesh, h->mesh_of[t]);
    cr_assert_eq(mo_mesh_oriented_sheet(h->field, t), h->field_of[sheet >> 1] << 1 | (sheet & 1));
  }
}

static void check_bounds(const heights *h) {
  const mo_aabb a = mo_mesh_bounds(h->field), b = mo_mesh_bounds(h->mesh);
  cr_assert(mo_aabb_is_same(&a, &b), "bounds");
  cr_assert(mo_aabb_is_same(&h->field->dop.box, &h->mesh->dop.box));
  if (h->mesh_count > 0) {
    cr_assert_eq(memcmp(h->field->dop.point, h->mesh->dop.point, sizeof h->mesh->dop.point), 0,
                 "the bounds of rotated shapes");
  }
}

Test(mesh_height, triangles_edges_and_sheets_are_those_of_a_mesh) {
  rng r = rng_make(rng_seed("mesh_height/triangles", 1));
  for (uint64_t i = 0; i < rng_rounds(150, 20000); i++) {
    heights h = heights_any(&r);
    cr_assert_eq(mo_mesh_validate(h.field), MO_OK);
    check_triangles(&h);
    check_bounds(&h);
    mo_mesh_stats stats;
    cr_assert_eq(mo_mesh_get_stats(h.field, &stats), MO_OK);
    cr_assert_eq(stats.triangle_count, h.field_count);
    cr_assert_eq(stats.reference_count, h.mesh_count);
    cr_assert_eq(stats.duplicate_count, 0);
    cr_assert_eq(stats.vertex_count, h.def.columns * h.def.rows);
    heights_free(&h);
  }
}

/* All sizes up to three nodes of the lowest level, with a single hole or none. */
Test(mesh_height, any_size) {
  rng r = rng_make(rng_seed("mesh_height/any_size", 2));
  for (uint32_t columns = 2; columns <= 26; columns += columns < 12 ? 1 : 3) {
    for (uint32_t rows = 2; rows <= 14; rows += rows < 8 ? 1 : 2) {
      heights h = heights_make(&r, HEIGHTS_ROUGH, columns, rows,
                               rng_chance(&r, 0.5) ? 1.0 / (columns * rows) : 0.0);
      cr_assert_eq(mo_mesh_validate(h.field), MO_OK, "%u x %u", columns, rows);
      check_triangles(&h);
      check_bounds(&h);
      heights_free(&h);
    }
  }
}

/* The longest fields in either direction, and the depth of the largest ones. */
Test(mesh_height, long_fields) {
  float *samples = calloc(4 * (size_t)MO_MAX_HEIGHT_SAMPLES, sizeof *samples);
  for (uint32_t i = 0; i < 4 * MO_MAX_HEIGHT_SAMPLES; i++) {
    samples[i] = (float)(i * 7 % 13);
  }
  for (int turned = 0; turned < 2; turned++) {
    mo_height_field_def def = mo_default_height_field_def();
    mo_mesh *field;
    mo_ray_hit hit;
    mo_ray_def ray = mo_default_ray_def();
    def.columns = turned ? 3 : MO_MAX_HEIGHT_SAMPLES;
    def.rows = turned ? MO_MAX_HEIGHT_SAMPLES : 3;
    def.samples = samples;
    cr_assert_eq(mo_mesh_create_height_field(&def, &field), MO_OK);
    cr_assert_eq(mo_mesh_validate(field), MO_OK);
    const float far = (float)MO_MAX_HEIGHT_SAMPLES - 1.25f;
    ray.origin = turned ? (mo_vec3){1.75f, 20, far} : (mo_vec3){far, 20, 1.75f};
    ray.direction = (mo_vec3){0, -1, 0};
    cr_assert_eq(mo_mesh_cast_ray(field, &ray, &hit, NULL), MO_OK);
    cr_assert(hit.found);
    cr_assert_eq(hit.triangle / 2, mo_mesh_triangle_count(field) / 2 - 1);
    mo_mesh_release(field);
  }
  free(samples);
}

static double bytes_per_sample(const heights *h) {
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(h->field, &stats), MO_OK);
  const size_t sample = h->def.type == MO_HEIGHT_FLOAT ? sizeof(float) : sizeof(uint16_t);
  return (double)(stats.bytes - sizeof(mo_mesh) - sizeof(mo_height_field)) /
         (double)((size_t)h->def.columns * h->def.rows * sample);
}

/* What motte/height_field.h says. */
Test(mesh_height, memory) {
  rng r = rng_make(rng_seed("mesh_height/memory", 3));
  for (int type = 0; type < 2; type++) {
    mo_height_field_def def = mo_default_height_field_def();
    heights h = {0};
    def.columns = 515;
    def.rows = 386;
    def.type = (mo_height_type)type;
    h.floats = calloc((size_t)def.columns * def.rows, sizeof *h.floats);
    def.samples = h.floats;
    cr_assert_eq(mo_mesh_create_height_field(&def, &h.field), MO_OK);
    h.def = def;
    cr_assert_leq(bytes_per_sample(&h), type == MO_HEIGHT_FLOAT ? 1.14 : 1.17);
    mo_mesh_release(h.field);
    h.flags = malloc(heights_cells(&h));
    for (size_t i = 0; i < heights_cells(&h); i++) {
      h.flags[i] = rng_chance(&r, 0.5) ? MO_HEIGHT_CELL_FLIPPED : 0;
    }
    def.cell_flags = h.flags;
    cr_assert_eq(mo_mesh_create_height_field(&def, &h.field), MO_OK);
    cr_assert_leq(bytes_per_sample(&h), type == MO_HEIGHT_FLOAT ? 1.18 : 1.24);
    h.mesh = NULL;
    heights_free(&h);
  }
}

Test(mesh_height, a_field_of_holes_is_an_empty_mesh) {
  const float samples[6] = {0, 1, 2, 3, 4, 5};
  const uint8_t flags[2] = {MO_HEIGHT_CELL_HOLE, MO_HEIGHT_CELL_HOLE};
  mo_height_field_def def = mo_default_height_field_def();
  mo_mesh *field;
  def.columns = 3;
  def.rows = 2;
  def.samples = samples;
  def.cell_flags = flags;
  cr_assert_eq(mo_mesh_create_height_field(&def, &field), MO_OK);
  cr_assert_eq(mo_mesh_validate(field), MO_OK);
  cr_assert(mo_aabb_is_empty(mo_mesh_bounds(field)));
  mo_closest_hit hit;
  cr_assert_eq(mo_mesh_closest_point(field, (mo_vec3){0}, INFINITY, &hit, NULL), MO_OK);
  cr_assert_not(hit.found);
  mo_scene *scene;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry = (mo_geometry){.type = MO_SHAPE_MESH, .mesh = field};
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  cr_assert_eq(mo_scene_validate(scene), MO_OK);
  mo_scene_destroy(scene);
  mo_mesh_release(field);
}

/* So is one whose cells become holes. */
Test(mesh_height, an_edit_can_empty_a_field) {
  const float samples[6] = {0, 1, 2, 3, 4, 5};
  const uint8_t flags[2] = {MO_HEIGHT_CELL_HOLE, MO_HEIGHT_CELL_HOLE};
  mo_height_field_def def = mo_default_height_field_def();
  mo_mesh *field[2];
  def.columns = 3;
  def.rows = 2;
  def.samples = samples;
  cr_assert_eq(mo_mesh_create_height_field(&def, &field[0]), MO_OK);
  def.cell_flags = flags;
  cr_assert_eq(mo_mesh_create_height_field(&def, &field[1]), MO_OK);
  mo_height_edit edit = mo_default_height_edit();
  edit.columns = 3;
  edit.rows = 2;
  edit.cell_flags = flags;
  cr_assert_eq(mo_mesh_edit_heights(field[0], &edit), MO_OK);
  cr_assert_eq(mo_mesh_validate(field[0]), MO_OK);
  cr_assert(mo_aabb_is_empty(mo_mesh_bounds(field[0])));
  mo_scene *scene;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_aabb box[2];
  for (int i = 0; i < 2; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    mo_shape_id id;
    shape.geometry.mesh = field[i];
    shape.transform = mo_transform_make(
        (mo_vec3){1, 2, 3}, (mo_quat){0.36f, 0.48f, 0.6f, 0.529150262f}, (mo_vec3){1, 1, 1});
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
    cr_assert_eq(mo_scene_get_tight_bounds(scene, id, &box[i]), MO_OK);
    mo_mesh_release(field[i]);
  }
  cr_assert(mo_aabb_is_same(&box[0], &box[1]));
  mo_scene_destroy(scene);
}

/* The last column is at most MO_MAX_COORDINATE away, whatever rounding does. */
Test(mesh_height, the_last_column_is_in_range) {
  static const float samples[2 * 64];
  mo_height_field_def def = mo_default_height_field_def();
  uint32_t refused = 0;
  def.rows = 2;
  def.samples = samples;
  for (def.columns = 2; def.columns <= 64; def.columns++) {
    const float last = (float)(def.columns - 1);
    def.column_spacing = MO_MAX_COORDINATE / last;
    mo_mesh *field;
    const bool fits = def.column_spacing * last <= MO_MAX_COORDINATE;
    cr_assert_eq(mo_mesh_create_height_field(&def, &field), fits ? MO_OK : MO_ERROR_OUT_OF_RANGE);
    if (!fits) {
      refused++;
      def.column_spacing = nextafterf(def.column_spacing, 0);
      cr_assert_eq(mo_mesh_create_height_field(&def, &field), MO_OK);
    }
    mo_mesh_release(field);
  }
  cr_assert_geq(refused, 3);
}

/* What changes other meshes is refused. */
Test(mesh_height, refuses_what_is_for_other_meshes) {
  const float samples[4] = {0, 1, 2, 3};
  const mo_vec3 corners[3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  mo_height_field_def def = mo_default_height_field_def();
  mo_mesh *field, *mesh;
  uint32_t first;
  def.columns = def.rows = 2;
  def.samples = samples;
  cr_assert_eq(mo_mesh_create_height_field(&def, &field), MO_OK);
  cr_assert_eq(mo_mesh_insert_triangles(field, corners, 1, NULL, &first, NULL),
               MO_ERROR_UNSUPPORTED);
  cr_assert_eq(mo_mesh_refit(field, corners, sizeof *corners, 4, NULL, NULL), MO_ERROR_UNSUPPORTED);
  const mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  cr_assert_eq(mo_mesh_rebuild_parts(field, &options, NULL), MO_ERROR_UNSUPPORTED);
  mo_mesh_def mesh_def = mo_default_mesh_def();
  mesh_def.positions = corners;
  mesh_def.vertex_count = 3;
  mesh_def.index_type = MO_INDEX_NONE;
  mesh_def.triangle_count = 1;
  cr_assert_eq(mo_mesh_create(&mesh_def, &mesh), MO_OK);
  mo_height_edit edit = mo_default_height_edit();
  edit.columns = edit.rows = 1;
  cr_assert_eq(mo_mesh_edit_heights(mesh, &edit), MO_ERROR_UNSUPPORTED);
  mo_mesh_release(mesh);
  mo_mesh_release(field);
}

static void count_line(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context) {
  (void)from;
  (void)to;
  (void)rgba;
  ++*(uint32_t *)context;
}

/* Every node has a box, and its visits are found by its index. */
Test(mesh_height, is_drawn) {
  rng r = rng_make(rng_seed("mesh_height/drawn", 4));
  heights h = heights_make(&r, HEIGHTS_HILLS, 60, 45, 0.0);
  uint32_t lines = 0, visited = 0;
  const uint32_t count = mo_mesh_node_count(h.field);
  uint32_t *visits = calloc(count, sizeof *visits);
  mo_query_stats stats = {
      .mesh_visits = visits, .mesh_visit_capacity = count, .visited_mesh = h.field};
  for (int i = 0; i < 300; i++) {
    mo_ray_def ray = mo_default_ray_def();
    mo_ray_hit hit;
    ray.origin = rng_point_in(&r, mo_mesh_bounds(h.field));
    ray.origin.y = 100;
    ray.direction = (mo_vec3){0, -1, 0};
    cr_assert_eq(mo_mesh_cast_ray(h.field, &ray, &hit, &stats), MO_OK);
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    visited += visits[i] > 0;
    sum += visits[i];
  }
  cr_assert_eq(sum, stats.mesh_node_count);
  cr_assert_gt(visited, count / 2);
  const mo_line_sink sink = {count_line, &lines};
  mo_debug_def def = mo_default_debug_def();
  def.color = MO_DEBUG_COLOR_VISITS;
  def.visits = visits;
  def.visit_capacity = count;
  cr_assert_eq(mo_mesh_draw(h.field, &def, &sink), MO_OK);
  cr_assert_geq(lines, 12 * count);
  free(visits);
  heights_free(&h);
}

/* Each kind of damage is found, and what is mended is sound again. */
Test(mesh_height, validation_finds_damage) {
  rng r = rng_make(rng_seed("mesh_height/damage", 5));
  for (uint64_t i = 0; i < rng_rounds(20, 500); i++) {
    heights h = heights_make(&r, HEIGHTS_ROUGH, 30, 21, 0.2);
    mo_height_field *field = h.field->height;
    const size_t bytes = mo_height_sample_bytes(field->type);
    char *const places[] = {
        (char *)field->ranges +
            bytes * 2 * MO_LANE_COUNT * rng_below(&r, (uint32_t)field->range_count),
        (char *)&field->holes[rng_below(&r, field->lowest_node_count)],
        (char *)&field->hole_count,
        (char *)&field->runs[rng_below(&r, field->run_count)].begin,
        (char *)&field->runs[rng_below(&r, field->run_count)].sheet,
    };
    h.field->host.log = NULL;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
      const char before = *places[k];
      *places[k] ^= 1;
      cr_assert_eq(mo_mesh_validate(h.field), MO_ERROR_CORRUPT, "place %d", (int)k);
      *places[k] = before;
    }
    const size_t last = (size_t)field->stride * field->stored_rows - 1;
    char *padding = (char *)field->samples + bytes * last, kept = *padding;
    *padding ^= 1;
    cr_assert_eq(mo_mesh_validate(h.field), MO_ERROR_CORRUPT);
    *padding = kept;
    cr_assert_eq(mo_mesh_validate(h.field), MO_OK);
    heights_free(&h);
  }
}
