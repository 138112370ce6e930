/* Makes height fields and changes regions of them: the public functions. */
#include <float.h>
#include <string.h>

#include "base/isa.h"
#include "math/check.h"
#include "mesh/height/height.h"
#include "mesh/rays/rays.h"

mo_height_field_def mo_default_height_field_def(void) {
  return (mo_height_field_def){.column_spacing = 1.0f,
                               .row_spacing = 1.0f,
                               .scale = 1.0f,
                               .host = mo_default_host(),
                               .cookie = MO_COOKIE};
}

mo_height_edit mo_default_height_edit(void) {
  return (mo_height_edit){.cookie = MO_COOKIE};
}

/* Checks that a number is finite, positive and not denormal, and that `count` times it is in
 * range. */
static mo_result check_step(float step, uint32_t count, const mo_refusal *refusal,
                            const char *member) {
  float max = MO_MAX_COORDINATE / (float)count;
  max = max * (float)count > MO_MAX_COORDINATE ? nextafterf(max, 0.0f) : max;
  mo_result result = mo_check_size(step, max, refusal, member);
  if (result == MO_OK && step < FLT_MIN) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, member, step,
                              "which is zero or denormal");
  }
  return result;
}

static mo_result check_count(uint32_t count, const mo_refusal *refusal, const char *member) {
  return count >= 2 && count <= MO_MAX_HEIGHT_SAMPLES
             ? MO_OK
             : mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, member, count,
                                "not 2 to MO_MAX_HEIGHT_SAMPLES");
}

/* Checks the scale and offset of 16-bit samples: those of the largest sample are in range. */
static mo_result check_scale(const mo_height_field_def *def, const mo_refusal *refusal) {
  mo_result result = check_step(def->scale, UINT16_MAX, refusal, ".scale");
  if (result == MO_OK) {
    result = mo_check_height(def->offset, refusal, ".offset");
  }
  const float top = (float)UINT16_MAX * def->scale;
  return result == MO_OK
             ? mo_check_height(top + def->offset, refusal, ".offset: the highest sample")
             : result;
}

static mo_result check_numbers(const mo_height_field_def *def, const mo_refusal *refusal,
                               mo_isa *isa) {
  mo_result result = check_count(def->columns, refusal, ".columns");
  if (result == MO_OK) {
    result = check_count(def->rows, refusal, ".rows");
  }
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)def->type, MO_HEIGHT_U16, refusal, ".type");
  }
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)def->diagonal, MO_HEIGHT_DIAGONAL_ALTERNATE, refusal,
                                 ".diagonal");
  }
  if (result == MO_OK && def->row_stride != 0 &&
      def->row_stride < def->columns * mo_height_sample_bytes(def->type)) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".row_stride",
                              (double)def->row_stride, "less than a row of samples");
  }
  if (result == MO_OK) {
    result = check_step(def->column_spacing, def->columns - 1, refusal, ".column_spacing");
  }
  if (result == MO_OK) {
    result = check_step(def->row_spacing, def->rows - 1, refusal, ".row_spacing");
  }
  if (result == MO_OK && def->type == MO_HEIGHT_U16) {
    result = check_scale(def, refusal);
  }
  if (result == MO_OK) {
    result = mo_isa_resolve(def->isa, isa);
    result = result != MO_OK ? mo_refuse_isa(refusal, result, def->isa) : MO_OK;
  }
  return result;
}

static mo_result check_pointers(const mo_height_field_def *def, const mo_refusal *refusal) {
  const char *missing = def->host.allocator.allocate == NULL  ? ".host.allocator.allocate"
                        : def->host.allocator.release == NULL ? ".host.allocator.release"
                        : def->samples == NULL                ? ".samples"
                                                              : NULL;
  return missing == NULL ? MO_OK
                         : mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, "%s is null", missing);
}

/* The diagonals of the four cells of each block, by the rule. */
static uint32_t backward_diagonals_of_block_by_rule(mo_height_diagonal diagonal) {
  switch (diagonal) {
  case MO_HEIGHT_DIAGONAL_FORWARD:
    return 0;
  case MO_HEIGHT_DIAGONAL_BACKWARD:
    return 15;
  case MO_HEIGHT_DIAGONAL_ALTERNATE:
    return 6;
  }
  __builtin_unreachable();
}

static mo_height_source source_of_def(const mo_height_field_def *def) {
  const size_t row = def->columns * mo_height_sample_bytes(def->type);
  return (mo_height_source){.region = {0, 0, def->columns, def->rows},
                            .heights = def->samples,
                            .row_stride = def->row_stride != 0 ? def->row_stride : row,
                            .cell_flags = def->cell_flags,
                            .materials = def->materials};
}

/* Makes a new field without holes: those beyond its last cells remain. */
static void fill_holes(mo_height_field *field) {
  const uint32_t columns = field->cell_columns, rows = field->cell_rows;
  const mo_height_level *lowest = &field->level[field->level_count - 1];
  for (uint32_t word = 0; word < field->lowest_node_count; word++) {
    const uint32_t column = word % lowest->columns << lowest->cell_column_shift,
                   row = word / lowest->columns << lowest->cell_row_shift;
    field->holes[word] = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
      const uint32_t slot = bit / 4, cell_column = column + slot % 4 * 2 + bit % 2,
                     cell_row = row + slot / 4 * 2 + bit / 2 % 2;
      if (cell_column >= columns || cell_row >= rows) {
        field->holes[word] |= 1u << bit;
      }
    }
  }
}

/* Changes a field, all or nothing. */
static mo_result apply_source(const mo_allocator *allocator, mo_height_field *field,
                              const mo_height_source *source) {
  mo_height_runs runs;
  mo_result result = mo_height_find_runs(allocator, field, source, &runs);
  if (result != MO_OK) {
    return result;
  }
  result = mo_height_prepare(allocator, field, source);
  if (result != MO_OK) {
    mo_height_free_runs(allocator, field, &runs);
    return result;
  }
  if (runs.change) {
    mo_height_replace_runs(allocator, field, &runs);
  }
  mo_height_write(field, source);
  return MO_OK;
}

/* Finds the supports of a field after a change. */
typedef struct support_update {
  mo_mesh *mesh;
  mo_aabb changed; /* around all that has changed, before and after */
  bool all;        /* the supports of before are of other directions, or there are none */
  uint32_t *next;  /* the number of the next direction */
} support_update;

/* What has changed did not determine a support that it does not reach, and does not now. */
static double updated_support(const void *points, mo_dvec3 middle, mo_dvec3 d) {
  const support_update *update = points;
  double *known = &update->mesh->height->supports[(*update->next)++];
  const mo_aabb *box = &update->changed;
  const mo_vec3 farthest =
      mo_vec(d.x < 0.0 ? box->lower.x : box->upper.x, d.y < 0.0 ? box->lower.y : box->upper.y,
             d.z < 0.0 ? box->lower.z : box->upper.z);
  if (update->all || !(mo_dop_height_along(farthest, middle, d) < *known)) {
    *known = mo_mesh_support(update->mesh, middle, d);
  }
  return *known;
}

/* Updates the members of a mesh that depend on its height field: bounds and k-DOP. All that has
 * changed is in a box. */
static void update_mesh(mo_mesh *mesh, mo_aabb changed) {
  const mo_aabb bounds = mo_height_bounds(mesh->height), before = mesh->dop.box;
  mo_mesh_set_bounds(mesh, bounds);
  mesh->dop = (mo_dop){.box = mo_aabb_empty()};
  if (!mo_aabb_is_empty(bounds)) {
    uint32_t next = 0;
    const support_update update = {mesh, changed, !mo_aabb_is_same(&bounds, &before), &next};
    mo_dop_init(&mesh->dop, bounds, updated_support, &update);
  }
}

/* The box around the samples at the corners of some cells. */
static mo_aabb box_of_cells(const mo_height_field *field, mo_height_region cells) {
  mo_aabb box = mo_aabb_empty();
  for (uint32_t row = cells.row; row <= cells.upper_row; row++) {
    for (uint32_t column = cells.column; column <= cells.upper_column; column++) {
      box = mo_aabb_add_point(box, mo_height_vertex_at(field, column, row));
    }
  }
  return box;
}

/* Makes the mesh of a field, which then belongs to the mesh. If that fails, destroys the field. */
static mo_result make_mesh(const mo_height_field_def *def, mo_isa isa, mo_height_field *field,
                           mo_mesh **mesh) {
  mo_mesh_build_options options = mo_default_mesh_build_options();
  options.edges = true;
  options.leaf_capacity = MO_LANE_COUNT;
  mo_mesh *made = mo_mesh_allocate(&def->host, isa, &options);
  if (made == NULL) {
    mo_height_destroy(&def->host.allocator, field);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  made->format = MO_MESH_HEIGHT;
  made->rays = mo_mesh_ray_kernels_for(isa) + made->format;
  made->height = field;
  made->triangle_count = 2 * field->cell_columns * field->cell_rows;
  made->vertex_count = def->columns * def->rows;
  made->node_count = field->node_count;
  made->block_count = (field->cell_columns + 1) / 2 * ((field->cell_rows + 1) / 2);
  made->depth = field->level_count;
  update_mesh(made, mo_aabb_infinite());
  *mesh = made;
  return MO_OK;
}

static mo_result create_checked(const mo_height_field_def *def, mo_mesh **mesh, size_t *first_bad) {
  const mo_refusal refusal = mo_refusal_of(&def->host, "mo_mesh_create_height_field", "def");
  const mo_allocator *allocator = &def->host.allocator;
  mo_isa isa;
  mo_result result = check_pointers(def, &refusal);
  if (result == MO_OK) {
    result = check_numbers(def, &refusal, &isa);
  }
  if (result != MO_OK) {
    return result;
  }
  const mo_height_source source = source_of_def(def);
  result = mo_height_check_source(def->type, &source, &refusal, first_bad);
  if (result != MO_OK) {
    return result;
  }
  mo_height_field *field = mo_height_allocate(allocator, def->columns, def->rows, def->type);
  if (field == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  field->column_spacing = def->column_spacing;
  field->row_spacing = def->row_spacing;
  field->scale = def->type == MO_HEIGHT_U16 ? def->scale : 1.0f;
  field->offset = def->type == MO_HEIGHT_U16 ? def->offset : 0.0f;
  field->rule_backward_diagonals = backward_diagonals_of_block_by_rule(def->diagonal);
  fill_holes(field);
  result = apply_source(allocator, field, &source);
  if (result != MO_OK) {
    mo_height_destroy(allocator, field);
    return result;
  }
  mo_height_update_ranges(field, mo_height_cells_of(source.region));
  return make_mesh(def, isa, field, mesh);
}

mo_result mo_mesh_create_height_field(const mo_height_field_def *def, mo_mesh **mesh) {
  if (def == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (def->cookie != MO_COOKIE) {
    return MO_ERROR_UNINITIALIZED_DEF; /* its host cannot be used for logging */
  }
  size_t bad = MO_NO_INDEX;
  const mo_result result =
      mesh != NULL ? create_checked(def, mesh, &bad) : mo_refuse_null(&def->host, __func__, "mesh");
  if (result != MO_OK) {
    mo_set_first_bad(def->first_bad, bad);
  }
  return result;
}

static bool is_inside(uint32_t first, uint32_t count, uint32_t available) {
  return count >= 1 && first < available && count <= available - first;
}

static mo_result check_region(const mo_height_edit *edit, const mo_height_field *field,
                              const mo_refusal *refusal) {
  return is_inside(edit->column, edit->columns, field->cell_columns + 1) &&
                 is_inside(edit->row, edit->rows, field->cell_rows + 1)
             ? MO_OK
             : mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                         " has the region %u + %u, %u + %u of %u x %u samples", edit->column,
                         edit->columns, edit->row, edit->rows, field->cell_columns + 1,
                         field->cell_rows + 1);
}

/* The cells that have samples or cells of a region. */
static mo_height_region changed_cells(const mo_height_field *field, mo_height_region samples) {
  mo_height_region cells = samples;
  cells.column -= cells.column > 0;
  cells.row -= cells.row > 0;
  cells.upper_column -= cells.upper_column > field->cell_columns;
  cells.upper_row -= cells.upper_row > field->cell_rows;
  return cells;
}

static mo_result edit_checked(mo_mesh *mesh, const mo_height_edit *edit, size_t *first_bad) {
  const mo_refusal of_mesh = mo_refusal_of(&mesh->host, "mo_mesh_edit_heights", "mesh"),
                   refusal = mo_refusal_of(&mesh->host, "mo_mesh_edit_heights", "edit");
  mo_height_field *field = mesh->height;
  if (field == NULL) {
    return mo_refuse(&of_mesh, MO_ERROR_UNSUPPORTED, " is not a height field");
  }
  mo_result result = check_region(edit, field, &refusal);
  if (result != MO_OK) {
    return result;
  }
  const mo_height_source source = {
      .region = {edit->column, edit->row, edit->column + edit->columns, edit->row + edit->rows},
      .heights = edit->samples,
      .row_stride = edit->columns * mo_height_sample_bytes(field->type),
      .cell_flags = edit->columns > 1 && edit->rows > 1 ? edit->cell_flags : NULL,
      .materials = edit->materials};
  result = mo_height_check_source(field->type, &source, &refusal, first_bad);
  const mo_height_region cells = changed_cells(field, source.region);
  const mo_aabb before = box_of_cells(field, cells);
  if (result == MO_OK) {
    result = apply_source(&mesh->host.allocator, field, &source);
  }
  if (result == MO_OK && (source.heights != NULL || source.cell_flags != NULL)) {
    mo_height_update_ranges(field, cells);
    update_mesh(mesh, mo_aabb_union(before, box_of_cells(field, cells)));
  }
  return result;
}

mo_result mo_mesh_edit_heights(mo_mesh *mesh, const mo_height_edit *edit) {
  if (mesh == NULL || edit == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "edit");
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "edit");
  mo_result result = mo_check_cookie(edit->cookie, &refusal, "", "mo_default_height_edit");
  if (result != MO_OK) {
    return result;
  }
  size_t bad = MO_NO_INDEX;
  result = edit_checked(mesh, edit, &bad);
  if (result != MO_OK) {
    mo_set_first_bad(edit->first_bad, bad);
  }
  return result;
}
