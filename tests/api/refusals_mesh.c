/* Refusals of motte/mesh.h. */
#include <stdlib.h>

#include "refusals.h"

static size_t first_bad;

static const float square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

static void refuse_creation(void) {
  mo_mesh *made;
  mo_mesh_def def = refusal_mesh_def();
  float positions[4][3];
  uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_create, NULL, &made);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "mesh is null", mo_mesh_create, &def, NULL);
  def.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, NULL, mo_mesh_create, &def, &made);
#define BAD_MESH(at, code, told, change)                                                           \
  do {                                                                                             \
    def = refusal_mesh_def();                                                                      \
    memcpy(positions, square, sizeof square);                                                      \
    def.positions = positions;                                                                     \
    def.indices = indices;                                                                         \
    def.first_bad = &first_bad;                                                                    \
    change;                                                                                        \
    REFUSED_AT(at, code, told, mo_mesh_create, &def, &made);                                       \
  } while (0)
  BAD_MESH(MO_NO_INDEX, MO_ERROR_UNINITIALIZED_DEF,
           "def.build was not made by mo_default_mesh_build_options", def.build.cookie = 0);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.positions is null", def.positions = NULL);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.indices is null", def.indices = NULL);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.host.allocator.release is null",
           def.host.allocator.release = NULL);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.position_stride is 8, below 12",
           def.position_stride = 8);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.index_type is 9, which is no such choice",
           def.index_type = (mo_index_type)9);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.isa = 99 (unknown) is not what this machine and build have", def.isa = (mo_isa)99);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.builder is 9, which is no such choice",
           def.build.builder = (mo_mesh_builder)9);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.quality is 9, which is no such choice",
           def.build.quality = (mo_mesh_quality)9);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.build.leaf_capacity is 257, not 1 to 256",
           def.build.leaf_capacity = 257);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.max_depth is 0, not 1 to MO_MESH_MAX_DEPTH", def.build.max_depth = 0);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.build.duplicate_budget is NaN, not 0 to 8",
           def.build.duplicate_budget = NAN);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.compact goes neither with .deformable nor with MO_MESH_BUILDER_TOP_DOWN",
           (def.build.compact = true, def.build.builder = MO_MESH_BUILDER_SINGLE,
            def.build.deformable = true));
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.edges goes neither with .deformable nor with MO_MESH_BUILDER_TOP_DOWN",
           (def.build.edges = true, def.build.builder = MO_MESH_BUILDER_TOP_DOWN));
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.deformable needs MO_MESH_BUILDER_SINGLE", def.build.deformable = true);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.editable needs MO_MESH_BUILDER_SINGLE, and does not go with .deformable",
           def.build.editable = true);
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.build.compact does not go with .editable",
           (def.build.compact = true, def.build.builder = MO_MESH_BUILDER_SINGLE,
            def.build.editable = true));
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "def.build.depth is 7, not 1 to 6",
           (def.build.builder = MO_MESH_BUILDER_TOP_DOWN, def.build.depth = 7));
  BAD_MESH(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
           "def.build.bounds.lower.y is 1, above .upper.y, 0",
           (def.build.builder = MO_MESH_BUILDER_TOP_DOWN,
            def.build.bounds = (mo_aabb){{0, 1, 0}, {0, 0, 0}}));
  BAD_MESH(MO_NO_INDEX, MO_ERROR_TOO_MANY,
           "def.triangle_count is 1.07374182e+09, above MO_MAX_TRIANGLES",
           def.triangle_count = MO_MAX_TRIANGLES + 1);
  BAD_MESH(2, MO_ERROR_NOT_FINITE, "def.positions[2].y is NaN", positions[2][1] = NAN);
  BAD_MESH(3, MO_ERROR_OUT_OF_RANGE,
           "def.positions[3].x is -2.00000003e+30, beyond MO_MAX_COORDINATE",
           positions[3][0] = -2e30f);
  BAD_MESH(1, MO_ERROR_OUT_OF_RANGE, "def.positions[1] = (1, 0, 0) is outside build.bounds",
           (def.build.builder = MO_MESH_BUILDER_TOP_DOWN,
            def.build.bounds = (mo_aabb){{0, 0, 0}, {0.5f, 1, 1}}));
  /* The first vertex that is missing. */
  BAD_MESH(4, MO_ERROR_INVALID_INDEX, "def.vertex_count is 4, not three for each of 2 triangles",
           def.index_type = MO_INDEX_NONE);
  indices[4] = 4;
  BAD_MESH(4, MO_ERROR_INVALID_INDEX, "def.indices[4] is 4, but def.vertex_count is 4", (void)0);
}

static void refuse_edits(const refusal_world *w) {
  mo_mesh_def def = refusal_mesh_def();
  mo_mesh *mesh;
  const uint32_t two[] = {1, 1}, far[] = {0, 1, 9};
  const mo_vec3 positions[2] = {{0, 0, 0}, {0, 0, NAN}};
  def.positions = square;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.editable = true;
  if (mo_mesh_create(&def, &mesh) != MO_OK) {
    abort();
  }
  mo_mesh_edit_def edit = mo_default_mesh_edit_def();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_edit, NULL, &edit);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "def is null", mo_mesh_edit, mesh, NULL);
  edit.first_bad = &first_bad;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_UNSUPPORTED, "mesh was not built as editable", mo_mesh_edit,
             w->fixed, &edit);
#define BAD_EDIT(at, code, told, change)                                                           \
  do {                                                                                             \
    edit = mo_default_mesh_edit_def();                                                             \
    edit.first_bad = &first_bad;                                                                   \
    change;                                                                                        \
    REFUSED_AT(at, code, told, mo_mesh_edit, mesh, &edit);                                         \
  } while (0)
  BAD_EDIT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "def.removed_triangles is null",
           edit.removed_triangle_count = 1);
  BAD_EDIT(2, MO_ERROR_INVALID_INDEX, "def.added_indices[2] is 9, which is no vertex",
           (edit.added_indices = far, edit.added_triangle_count = 1));
  BAD_EDIT(2, MO_ERROR_INVALID_INDEX, "def.removed_triangles[2] is 9, which is no triangle",
           (edit.removed_triangles = far, edit.removed_triangle_count = 3));
  BAD_EDIT(1, MO_ERROR_INVALID_ARGUMENT,
           "def.removed_triangles[1] is 1, a triangle that the edit names twice",
           (edit.removed_triangles = two, edit.removed_triangle_count = 2));
  BAD_EDIT(1, MO_ERROR_NOT_FINITE, "def.added_positions[1].z is NaN",
           (edit.added_positions = positions, edit.added_vertex_count = 2));
  const mo_vec3 too_far = {2e30f, 0, 0};
  BAD_EDIT(
      0, MO_ERROR_OUT_OF_RANGE,
      "def.moved_positions[0].x is 2.00000003e+30, beyond MO_MAX_COORDINATE",
      (edit.moved_vertices = two, edit.moved_positions = &too_far, edit.moved_vertex_count = 1));
  BAD_EDIT(MO_NO_INDEX, MO_ERROR_TOO_MANY,
           "def.added_triangle_count is 4.2949673e+09, more than a mesh can have",
           (edit.added_indices = far, edit.added_triangle_count = UINT32_MAX));
  edit.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "def was not made by mo_default_mesh_edit_def", mo_mesh_edit,
          mesh, &edit);
  mo_mesh_release(mesh);
}

static void refuse_changes(const refusal_world *w) {
  float moved[4][3];
  memcpy(moved, square, sizeof square);
  const size_t stride = sizeof *moved;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_refit, NULL, moved, stride, 4, NULL,
             &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "positions is null", mo_mesh_refit, w->mesh, NULL,
             stride, 4, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_UNSUPPORTED, "mesh was not built as deformable", mo_mesh_refit,
             w->fixed, moved, stride, 4, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT, "position_stride is 4, below 12",
             mo_mesh_refit, w->mesh, moved, 4, 4, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_INVALID_ARGUMENT,
             "vertex_count is 3, but the mesh was made with 4", mo_mesh_refit, w->mesh, moved,
             stride, 3, NULL, &first_bad);
  moved[1][2] = NAN;
  REFUSED_AT(1, MO_ERROR_NOT_FINITE, "positions[1].z is NaN", mo_mesh_refit, w->mesh, moved, stride,
             4, NULL, &first_bad);
  moved[1][2] = 2e30f;
  REFUSED_AT(1, MO_ERROR_OUT_OF_RANGE, "positions[1].z is 2.00000003e+30, beyond MO_MAX_COORDINATE",
             mo_mesh_refit, w->mesh, moved, stride, 4, NULL, &first_bad);

  mo_vec3 corners[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  uint32_t first;
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_insert_triangles, NULL, corners, 2,
             NULL, &first, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "positions is null", mo_mesh_insert_triangles,
             w->top_down, NULL, 2, NULL, &first, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_NULL_ARGUMENT, "first_index is null", mo_mesh_insert_triangles,
             w->top_down, corners, 2, NULL, NULL, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_UNSUPPORTED, "mesh was not built by MO_MESH_BUILDER_TOP_DOWN",
             mo_mesh_insert_triangles, w->fixed, corners, 2, NULL, &first, &first_bad);
  REFUSED_AT(MO_NO_INDEX, MO_ERROR_TOO_MANY, "count is 1.07374182e+09", mo_mesh_insert_triangles,
             w->top_down, corners, MO_MAX_TRIANGLES, NULL, &first, &first_bad);
  corners[5].y = NAN;
  REFUSED_AT(5, MO_ERROR_NOT_FINITE, "positions[5].y is NaN", mo_mesh_insert_triangles, w->top_down,
             corners, 2, NULL, &first, &first_bad);
  corners[3].z = 2;
  REFUSED_AT(3, MO_ERROR_OUT_OF_RANGE, "positions[3] = (0, 0, 2) is outside build.bounds",
             mo_mesh_insert_triangles, w->top_down, corners, 2, NULL, &first, &first_bad);

  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_rebuild_parts, NULL, &options, NULL);
  REFUSED(MO_ERROR_UNSUPPORTED, "mesh was not built as deformable", mo_mesh_rebuild_parts, w->fixed,
          &options, NULL);
  options.threshold = 0.5f;
  REFUSED(MO_ERROR_INVALID_ARGUMENT, "options.threshold is 0.5, below 1", mo_mesh_rebuild_parts,
          w->mesh, &options, NULL);
  options.cookie = 0;
  REFUSED(MO_ERROR_UNINITIALIZED_DEF, "options was not made by mo_default_mesh_rebuild_options",
          mo_mesh_rebuild_parts, w->mesh, &options, NULL);
}

void refuse_meshes(const refusal_world *w) {
  mo_vec3 corners[3];
  mo_mesh_stats stats;
  refuse_creation();
  refuse_changes(w);
  refuse_edits(w);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_get_triangle, NULL, 0, corners, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "corners is null", mo_mesh_get_triangle, w->mesh, 0, NULL, NULL);
  REFUSED(MO_ERROR_INVALID_INDEX, "triangle is 2, but there are 2", mo_mesh_get_triangle, w->mesh,
          2, corners, NULL);
  mo_mesh_edge edges[3];
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_get_edges, NULL, 0, edges);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "edges is null", mo_mesh_get_edges, w->fixed, 0, NULL);
  REFUSED(MO_ERROR_INVALID_INDEX, "triangle is 2, but there are 2", mo_mesh_get_edges, w->fixed, 2,
          edges);
  REFUSED(MO_ERROR_UNSUPPORTED, "mesh was built without .edges", mo_mesh_get_edges, w->mesh, 0,
          edges);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_get_stats, NULL, &stats);
  REFUSED(MO_ERROR_NULL_ARGUMENT, "stats is null", mo_mesh_get_stats, w->mesh, NULL);
  REFUSED(MO_ERROR_NULL_ARGUMENT, NULL, mo_mesh_validate, NULL);
}
