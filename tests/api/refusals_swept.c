/* Refusals of motte/swept.h. */
#include "refusals.h"

static size_t first_bad;

static const float square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3}, far_indices[6] = {0, 1, 2, 0, 2, 9};

static mo_swept_mesh_def good_def(void) {
  mo_swept_mesh_def def = mo_default_swept_mesh_def();
  def.positions = square;
  def.vertex_count = 4;
  def.indices = indices;
  def.triangle_count = 2;
  def.host = refusal_mesh_def().host;
  def.first_bad = &first_bad;
  return def;
}

static void refuse_creation(void) {
  float end[4][3];
  mo_swept_mesh *made;
  mo_swept_mesh_def def = good_def();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_swept_mesh_create, NULL, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "mesh is null", mo_swept_mesh_create, &def, NULL);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, NULL, mo_swept_mesh_create, &def, &made);
#define BAD_FIELD(at, code, told, change)                                                          \
  do {                                                                                             \
    def = good_def();                                                                              \
    memcpy(end, square, sizeof square);                                                            \
    def.end_positions = end;                                                                       \
    change;                                                                                        \
    REFUSED_AT(at, code, told, mo_swept_mesh_create, &def, &made);                                 \
  } while (0)
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.positions is null", def.positions = NULL);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.indices is null", def.indices = NULL);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.host.allocator.allocate is null",
            def.host.allocator.allocate = NULL);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.position_stride is 4, below 12",
            def.position_stride = 4);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.index_type is 3, which is no such choice",
            def.index_type = (mo_index_type)3);
  BAD_FIELD(MO_NO_INDEX, MO_ERROR_TOO_MANY,
            "def.triangle_count is 4.2949673e+09, above MO_MAX_TRIANGLES",
            def.triangle_count = UINT32_MAX);
  BAD_FIELD(5, MO_ERROR_INVALID_INDEX, "def.indices[5] is 9, but def.vertex_count is 4",
            def.indices = far_indices);
  BAD_FIELD(2, MO_ERROR_NOT_FINITE, "def.end_positions[2].y is NaN", end[2][1] = NAN);
  BAD_FIELD(1, MO_ERROR_OUT_OF_RANGE,
            "def.end_positions[1].x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
            (end[1][0] = 2e30f, end[3][0] = NAN));
  BAD_FIELD(3, MO_ERROR_NOT_FINITE, "def.positions[3].z is infinite",
            (end[3][2] = INFINITY, def.positions = end));
}

static void refuse_moves(mo_swept_mesh *mesh) {
  const size_t stride = sizeof *square;
  float bad[4][3];
  memcpy(bad, square, sizeof square);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_swept_mesh_move, NULL, NULL, square,
             stride, 4, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "end_positions is null", mo_swept_mesh_move, mesh,
             square, NULL, stride, 4, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "position_stride is 4, below 12",
             mo_swept_mesh_move, mesh, NULL, square, 4, 4, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
             "vertex_count is 3, but the mesh was made with 4", mo_swept_mesh_move, mesh, NULL,
             square, stride, 3, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_TOO_MANY,
             "position_stride is 1.84467441e+19, more than memory can hold", mo_swept_mesh_move,
             mesh, NULL, square, SIZE_MAX, 4, NULL, &first_bad);
  bad[1][2] = NAN;
  REFUSED_AT(1, MO_ERROR_NOT_FINITE, "positions[1].z is NaN", mo_swept_mesh_move, mesh, bad, square,
             stride, 4, NULL, &first_bad);
  bad[1][2] = 2e30f;
  REFUSED_AT(1, MO_ERROR_OUT_OF_RANGE,
             "end_positions[1].z is 2.00000003e+30, beyond MO_MAX_COORDINATE", mo_swept_mesh_move,
             mesh, square, bad, stride, 4, NULL, &first_bad);
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_swept_mesh_rebuild_parts, NULL, &options, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "options is null", mo_swept_mesh_rebuild_parts, mesh, NULL, NULL);
  options.threshold = 0.5f;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "options.threshold is 0.5, below 1",
          mo_swept_mesh_rebuild_parts, mesh, &options, NULL);
  options.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "options was not made by mo_default_mesh_rebuild_options",
          mo_swept_mesh_rebuild_parts, mesh, &options, NULL);
}

static bool no_impact(const mo_swept_impact *impact, void *context) {
  (void)impact;
  (void)context;
  return true;
}

static void refuse_queries(const mo_swept_mesh *mesh) {
  mo_swept_impact impact;
  mo_swept_impact_def def = mo_default_swept_impact_def();
  uint32_t total;
  def.other = mesh;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_swept_mesh_find_impact, NULL, &def, &impact, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_swept_mesh_find_impact, mesh, NULL, &impact,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "impact is null", mo_swept_mesh_find_impact, mesh, &def, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_swept_mesh_find_impacts, NULL, &def, &impact, 1, &total,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "total is null", mo_swept_mesh_find_impacts, mesh, &def, &impact,
          1, NULL, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "impacts is null", mo_swept_mesh_find_impacts, mesh, &def, NULL,
          1, &total, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_swept_mesh_visit_impacts, NULL, &def, no_impact, NULL,
          NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "visit is null", mo_swept_mesh_visit_impacts, mesh, &def, NULL,
          NULL, NULL);
#define BAD_DEF(code, told, change)                                                                \
  do {                                                                                             \
    def = mo_default_swept_impact_def();                                                           \
    def.other = mesh;                                                                              \
    change;                                                                                        \
    REFUSED(code, told, mo_swept_mesh_find_impact, mesh, &def, &impact, NULL);                     \
    REFUSED(code, told, mo_swept_mesh_find_impacts, mesh, &def, &impact, 1, &total, NULL);         \
    REFUSED(code, told, mo_swept_mesh_visit_impacts, mesh, &def, no_impact, NULL, NULL);           \
  } while (0)
  BAD_DEF(MO_ERROR_NULL_ARGUMENT, "def.other is null", def.other = NULL);
  BAD_DEF(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_swept_impact_def",
          def.cookie = 0);
  BAD_DEF(MO_ERROR_INVALID_ARGUMENT, "def.slop is -1, which is negative", def.slop = -1);
  BAD_DEF(MO_ERROR_NOT_FINITE, "def.slop is NaN", def.slop = NAN);
  BAD_DEF(MO_ERROR_OUT_OF_RANGE, "def.slop is 2.00000003e+30, which is above 1e+30",
          def.slop = 2e30f);
}

void refuse_swept_meshes(void) {
  mo_swept_mesh_def def = good_def();
  mo_swept_mesh *mesh = NULL;
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_swept_mesh_validate, NULL);
  refuse_creation();
  REFUSED(MO_OK, NULL, mo_swept_mesh_create, &def, &mesh);
  refuse_moves(mesh);
  refuse_queries(mesh);
  REFUSED(MO_OK, NULL, mo_swept_mesh_validate, mesh);
  mo_swept_mesh_destroy(mesh);
}
