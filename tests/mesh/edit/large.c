/* Edits of many triangles at once: what memory they need, beside the meshes before and after them.
 * Counts, never times. */
#include <math.h>
#include <stdio.h>

#define EDITED_MAX_TRIANGLES 32768
#include "mesh/edit/edited.h"
#include "support/counting_allocator.h"

enum { TRIANGLES = 20000 };

static counting_allocator counter;

/* A mesh of `count` triangles that share vertex 0, around the z axis. */
static mo_mesh *make_fan(uint32_t count, uint32_t *indices, bool edges) {
  static mo_vec3 positions[TRIANGLES + 2];
  positions[0] = (mo_vec3){0, 0, 1};
  for (uint32_t i = 0; i <= count; i++) {
    const float angle = 6.0f * (float)i / (float)count;
    positions[i + 1] = (mo_vec3){cosf(angle), sinf(angle), 0};
  }
  for (uint32_t i = 0; i < count; i++) {
    indices[3 * i] = 0;
    indices[3 * i + 1] = i + 1;
    indices[3 * i + 2] = i + 2;
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.host = counting_allocator_host(&counter);
  def.positions = positions;
  def.vertex_count = count + 2;
  def.indices = indices;
  def.index_type = MO_INDEX_U32;
  def.triangle_count = count;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.editable = true;
  def.build.edges = edges;
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

/* Makes an edit; returns its peak of memory, as a multiple of the mesh before or after it,
 * whichever is larger. */
static double peak_of(mo_mesh *mesh, const mo_mesh_edit_def *edit, const char *what) {
  const size_t before = atomic_load(&counter.outstanding_bytes);
  atomic_store(&counter.peak_bytes, before);
  cr_assert_eq(mo_mesh_edit(mesh, edit), MO_OK);
  cr_assert_eq(mo_mesh_validate(mesh), MO_OK);
  const size_t after = atomic_load(&counter.outstanding_bytes);
  const double peak = (double)atomic_load(&counter.peak_bytes);
  fprintf(stderr, "%s: %zu bytes before, %zu after, %.0f at most\n", what, before, after, peak);
  return peak / (double)(before > after ? before : after);
}

/* The new triangles have the same box, so they come to the same leaf. */
static void check_coincident(uint32_t max_rebuilt) {
  static uint32_t indices[3 * TRIANGLES];
  counting_allocator_init(&counter);
  mo_mesh *mesh = make_fan(1, indices, false);
  mo_mesh_edit_def edit = mo_default_mesh_edit_def();
  for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
    indices[i] = i % 3;
  }
  edit.added_indices = indices;
  edit.added_triangle_count = TRIANGLES;
  edit.max_rebuilt_triangles = max_rebuilt;
  cr_assert_lt(peak_of(mesh, &edit, "coincident"), 8.0);
  for (uint32_t i = 0; i < TRIANGLES; i++) {
    indices[i] = i;
  }
  edit = mo_default_mesh_edit_def();
  edit.max_rebuilt_triangles = max_rebuilt;
  edit.removed_triangles = indices;
  edit.removed_triangle_count = TRIANGLES;
  cr_assert_lt(peak_of(mesh, &edit, "coincident, removed"), 2.0);
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(mesh_edit_large, many_coincident_triangles) {
  check_coincident(0);
  check_coincident(UINT32_MAX);
}

/* The vertex that all triangles share moves. */
static void check_hub(bool edges, uint32_t max_rebuilt) {
  static uint32_t indices[3 * TRIANGLES];
  const uint32_t hub = 0;
  const mo_vec3 position = {0.1f, 0.2f, 2};
  counting_allocator_init(&counter);
  mo_mesh *mesh = make_fan(TRIANGLES, indices, edges);
  mo_mesh_edit_def edit = mo_default_mesh_edit_def();
  edit.moved_vertices = &hub;
  edit.moved_positions = &position;
  edit.moved_vertex_count = 1;
  edit.max_rebuilt_triangles = max_rebuilt;
  cr_assert_lt(peak_of(mesh, &edit, edges ? "hub, with edges" : "hub"), 8.0);
  mo_mesh_release(mesh);
  cr_assert(counting_allocator_is_clean(&counter));
}

Test(mesh_edit_large, hub_of_a_fan_moves) {
  check_hub(false, 0);
  check_hub(false, UINT32_MAX);
  check_hub(true, UINT32_MAX);
}
