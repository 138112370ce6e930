/* Refusals of motte/height_field.h. */
#include "refusals.h"

static size_t first_bad;

static void refuse_creation(void) {
  float samples[6];
  uint8_t flags[2];
  mo_mesh *made;
  mo_height_field_def def;
  def = mo_default_height_field_def();
  def.host = refusal_mesh_def().host;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_create_height_field, NULL, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "mesh is null", mo_mesh_create_height_field, &def, NULL);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, NULL, mo_mesh_create_height_field, &def, &made);
#define BAD_FIELD(at, code, told, change)                                                          \
  do {                                                                                             \
    def = mo_default_height_field_def();                                                           \
    memset(samples, 0, sizeof samples);                                                            \
    memset(flags, 0, sizeof flags);                                                                \
    def.host = refusal_mesh_def().host;                                                            \
    def.columns = 3;                                                                               \
    def.rows = 2;                                                                                  \
    def.samples = samples;                                                                         \
    def.cell_flags = flags;                                                                        \
    def.first_bad = &first_bad;                                                                    \
    change;                                                                                        \
    REFUSED_AT(at, code, told, mo_mesh_create_height_field, &def, &made);                          \
  } while (0)
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.samples is null", def.samples = NULL);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.host.allocator.release is null",
            def.host.allocator.release = NULL);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.host.allocator.allocate is null",
            def.host.allocator.allocate = NULL);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
            "def.columns is 1, not 2 to MO_MAX_HEIGHT_SAMPLES", def.columns = 1);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
            "def.rows is 16385, not 2 to MO_MAX_HEIGHT_SAMPLES", def.rows = 16385);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.type is 2, which is no such choice",
            def.type = (mo_height_type)2);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.diagonal is 3, which is no such choice",
            def.diagonal = (mo_height_diagonal)3);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
            "def.row_stride is 11, less than a row of samples", def.row_stride = 11);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
            "def.column_spacing is 0, which is zero or denormal", def.column_spacing = 0);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.row_spacing is -1, which is negative",
            def.row_spacing = -1);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NOT_FINITE, "def.row_spacing is NaN", def.row_spacing = NAN);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_OUT_OF_RANGE,
            "def.row_spacing is 2.00000003e+30, which is above 1e+30", def.row_spacing = 2e30f);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.scale is 0, which is zero or denormal",
            (def.type = MO_HEIGHT_U16, def.scale = 0));
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NOT_FINITE, "def.offset is infinite",
            (def.type = MO_HEIGHT_U16, def.offset = INFINITY));
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_OUT_OF_RANGE,
            "def.offset: the highest sample is 1.55535001e+30, beyond MO_MAX_COORDINATE",
            (def.type = MO_HEIGHT_U16, def.scale = 1e25f, def.offset = 9e29f));
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
            "def.cell_flags[1] is 4, which has unknown flags", flags[1] = 4);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
            "def.isa = 99 (unknown) is not what this machine and build have", def.isa = (mo_isa)99);
  BAD_FIELD(4, MO_ERROR_NOT_FINITE, "def.samples[4] is NaN", samples[4] = NAN);
  BAD_FIELD(5, MO_ERROR_OUT_OF_RANGE, "def.samples[5] is 2.00000003e+30, beyond MO_MAX_COORDINATE",
            samples[5] = 2e30f);
}

static void refuse_edits(const refusal_world *w) {
  float samples[6] = {0};
  uint8_t flags[2] = {0};
  mo_height_edit edit;
  edit = mo_default_height_edit();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_edit_heights, NULL, &edit);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "edit is null", mo_mesh_edit_heights, w->field, NULL);
  edit.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "edit was not made by mo_default_height_edit",
          mo_mesh_edit_heights, w->field, &edit);
  edit = mo_default_height_edit();
  edit.first_bad = &first_bad;
  edit.columns = 3;
  edit.rows = 2;
  edit.samples = samples;
  edit.cell_flags = flags;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_UNSUPPORTED, "mesh is not a height field", mo_mesh_edit_heights,
             w->fixed, &edit);
  edit.row = 1;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
             "edit has the region 0 + 3, 1 + 2 of 3 x 2 samples", mo_mesh_edit_heights, w->field,
             &edit);
  edit.row = 0;
  flags[0] = 255;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
             "edit.cell_flags[0] is 255, which has unknown flags", mo_mesh_edit_heights, w->field,
             &edit);
  flags[0] = MO_HEIGHT_CELL_HOLE;
  samples[1] = NAN;
  REFUSED_AT(1, MO_ERROR_NOT_FINITE, "edit.samples[1] is NaN", mo_mesh_edit_heights, w->field,
             &edit);
  samples[1] = -2e30f;
  REFUSED_AT(1, MO_ERROR_OUT_OF_RANGE,
             "edit.samples[1] is -2.00000003e+30, beyond MO_MAX_COORDINATE", mo_mesh_edit_heights,
             w->field, &edit);
}

void refuse_height_fields(const refusal_world *w) {
  mo_vec3 corners[3];
  mo_mesh_edge edges[3];
  refuse_creation();
  refuse_edits(w);
  REFUSED(MO_ERROR_INVALID_INDEX, "triangle is 4, but there are 4", mo_mesh_get_triangle, w->field,
          4, corners, NULL);
  REFUSED(MO_ERROR_INVALID_INDEX, "triangle is 4, but there are 4", mo_mesh_get_edges, w->field, 4,
          edges);
}
