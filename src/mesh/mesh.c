/* Creating and reading meshes: input checks, reference counts, insertion into top-down meshes. */
#include "mesh/mesh.h"

#include <string.h>
#include <time.h>

#include "base/inline.h"
#include "base/log.h"
#include "mesh/build/build.h"
#include "mesh/edit/edit.h"
#include "mesh/format/read.h"
#include "mesh/rays/rays.h"
#include "mesh/refit/refit.h"

mo_mesh_build_options mo_default_mesh_build_options(void) {
  return (mo_mesh_build_options){
      .builder = MO_MESH_BUILDER_SPLIT,
      .quality = MO_MESH_QUALITY_DEFAULT,
      .leaf_capacity = 24,
      .max_depth = MO_MESH_MAX_DEPTH,
      .duplicate_budget = 0.5f,
      .depth = 4,
      .cookie = MO_COOKIE,
  };
}

mo_mesh_def mo_default_mesh_def(void) {
  return (mo_mesh_def){
      .position_stride = sizeof(mo_vec3),
      .index_type = MO_INDEX_U32,
      .build = mo_default_mesh_build_options(),
      .host = mo_default_host(),
      .cookie = MO_COOKIE,
  };
}

static mo_result check_top_down_options(const mo_mesh_build_options *o, const mo_refusal *refusal) {
  if (o->depth < 1 || o->depth > 6) {
    return mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".depth", o->depth, "not 1 to 6");
  }
  mo_refusal bounds = mo_refusal_in(refusal, ".bounds", MO_NO_INDEX);
  return mo_check_aabb(&o->bounds, &bounds);
}

static mo_result check_options(const mo_mesh_build_options *o, const mo_refusal *refusal) {
  const mo_result illegal = MO_ERROR_INVALID_ARGUMENT;
  mo_result result = mo_check_cookie(o->cookie, refusal, "", "mo_default_mesh_build_options");
  if (result == MO_OK) {
    result =
        mo_check_enum_value((unsigned)o->builder, MO_MESH_BUILDER_MIDPOINT, refusal, ".builder");
  }
  if (result == MO_OK) {
    result = mo_check_enum_value((unsigned)o->quality, MO_MESH_QUALITY_HIGH, refusal, ".quality");
  }
  if (result != MO_OK) {
    return result;
  }
  if (o->leaf_capacity < 1 || o->leaf_capacity > 256) {
    return mo_refuse_number(refusal, illegal, ".leaf_capacity", o->leaf_capacity, "not 1 to 256");
  }
  if (o->max_depth < 1 || o->max_depth > MO_MESH_MAX_DEPTH) {
    return mo_refuse_number(refusal, illegal, ".max_depth", o->max_depth,
                            "not 1 to MO_MESH_MAX_DEPTH");
  }
  if (!(o->duplicate_budget >= 0.0f && o->duplicate_budget <= 8.0f)) {
    return mo_refuse_number(refusal, illegal, ".duplicate_budget", o->duplicate_budget,
                            "not 0 to 8");
  }
  if (o->deformable && o->builder != MO_MESH_BUILDER_SINGLE) {
    return mo_refuse(refusal, illegal, ".deformable needs MO_MESH_BUILDER_SINGLE");
  }
  if (o->editable && (o->builder != MO_MESH_BUILDER_SINGLE || o->deformable)) {
    return mo_refuse(refusal, illegal,
                     ".editable needs MO_MESH_BUILDER_SINGLE, and does not go with .deformable");
  }
  if (o->compact && o->editable) {
    return mo_refuse(refusal, illegal, ".compact does not go with .editable");
  }
  if (o->compact && (o->deformable || o->builder == MO_MESH_BUILDER_TOP_DOWN)) {
    return mo_refuse(refusal, illegal,
                     ".compact goes neither with .deformable nor with "
                     "MO_MESH_BUILDER_TOP_DOWN");
  }
  if (o->edges && (o->deformable || o->builder == MO_MESH_BUILDER_TOP_DOWN)) {
    return mo_refuse(refusal, illegal,
                     ".edges goes neither with .deformable nor with MO_MESH_BUILDER_TOP_DOWN");
  }
  return o->builder == MO_MESH_BUILDER_TOP_DOWN ? check_top_down_options(o, refusal) : MO_OK;
}

/* The name of a missing member of a def, or null. */
static const char *missing_member(const mo_mesh_def *def) {
  if (def->host.allocator.allocate == NULL) {
    return ".host.allocator.allocate";
  }
  if (def->host.allocator.release == NULL) {
    return ".host.allocator.release";
  }
  if (def->triangle_count > 0 && def->positions == NULL) {
    return ".positions";
  }
  bool indexed = def->triangle_count > 0 && def->index_type != MO_INDEX_NONE;
  return indexed && def->indices == NULL ? ".indices" : NULL;
}

mo_result mo_mesh_check_def(const mo_mesh_def *def, const mo_refusal *refusal, mo_isa *isa) {
  const char *missing = missing_member(def);
  if (missing != NULL) {
    return mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, "%s is null", missing);
  }
  mo_result result =
      mo_check_enum_value((unsigned)def->index_type, MO_INDEX_U32, refusal, ".index_type");
  if (result == MO_OK && def->position_stride < sizeof(mo_vec3)) {
    result = mo_refuse_number(refusal, MO_ERROR_INVALID_ARGUMENT, ".position_stride",
                              (double)def->position_stride, "below 12");
  }
  if (result == MO_OK && def->triangle_count > MO_MAX_TRIANGLES) {
    result = mo_refuse_number(refusal, MO_ERROR_TOO_MANY, ".triangle_count", def->triangle_count,
                              "above MO_MAX_TRIANGLES");
  }
  if (result == MO_OK && def->vertex_count > SIZE_MAX / def->position_stride) {
    result = mo_refuse_number(refusal, MO_ERROR_TOO_MANY, ".vertex_count", def->vertex_count,
                              "more than memory can hold");
  }
  if (result == MO_OK) {
    mo_refusal build = mo_refusal_in(refusal, ".build", MO_NO_INDEX);
    result = check_options(&def->build, &build);
  }
  if (result == MO_OK) {
    result = mo_isa_resolve(def->isa, isa);
    result = result != MO_OK ? mo_refuse_isa(refusal, result, def->isa) : MO_OK;
  }
  return result;
}

static void count_degenerate(mo_mesh *mesh, const mo_vec3 *corners, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    mesh->degenerate_count += mo_triangle_is_degenerate(&corners[3 * (size_t)i]);
  }
}

static double wall_clock_seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

mo_result mo_mesh_build(mo_mesh *mesh, const mo_vec3 *corners) {
  double start = wall_clock_seconds();
  mo_builder builder = {.mesh = mesh, .corners = corners, .result = MO_OK};
  if (mesh->build.builder == MO_MESH_BUILDER_TOP_DOWN) {
    count_degenerate(mesh, corners, mesh->triangle_count);
    mo_build_top_down(&builder);
    mo_builder_finish(&builder);
    if (builder.result == MO_OK && mesh->triangle_count > 0) {
      builder.result = mo_mesh_insert_into_cells(mesh, corners, mesh->triangle_count, 0);
    }
  } else if (mesh->triangle_count == 0) {
    mo_builder_add_node(&builder, MO_NONE, 0);
  } else if (mesh->build.builder == MO_MESH_BUILDER_MIDPOINT) {
    count_degenerate(mesh, corners, mesh->triangle_count);
    mo_build_by_midpoint(&builder);
    mo_builder_finish(&builder);
  } else {
    mo_build_by_sah(&builder);
  }
  if (builder.result == MO_OK && mesh->build.compact) {
    builder.result = mo_mesh_make_compact(mesh);
  }
  mesh->build_seconds = wall_clock_seconds() - start;
  return builder.result;
}

static void trim_arrays(mo_mesh *mesh) {
  if (mesh->editing != NULL || mesh->format == MO_MESH_COMPACT) {
    return; /* edits need free capacity; compact arrays have none */
  }
  const mo_allocator *allocator = &mesh->host.allocator;
  mo_array_trim(allocator, &mesh->nodes, sizeof *mesh->nodes, mesh->node_count,
                &mesh->node_capacity);
  mo_array_trim(allocator, &mesh->planes, sizeof *mesh->planes, mesh->node_count,
                &mesh->planes_capacity);
  mo_array_trim(allocator, &mesh->blocks, sizeof *mesh->blocks, mesh->block_count,
                &mesh->block_capacity);
}

static void destroy_mesh(mo_mesh *mesh) {
  const mo_allocator allocator = mesh->host.allocator;
  mo_deallocate(&allocator, mesh->triangle_places, mesh->triangle_capacity,
                sizeof *mesh->triangle_places);
  mo_deallocate(&allocator, mesh->user_data, mesh->triangle_capacity, sizeof *mesh->user_data);
  mo_deallocate(&allocator, mesh->edges, mesh->edges_capacity, sizeof *mesh->edges);
  mo_deallocate(&allocator, mesh->sheets, mesh->sheets_capacity, sizeof *mesh->sheets);
  mo_deallocate(&allocator, mesh->nodes, mesh->node_capacity, sizeof *mesh->nodes);
  mo_deallocate(&allocator, mesh->planes, mesh->planes_capacity, sizeof *mesh->planes);
  mo_deallocate(&allocator, mesh->blocks, mesh->block_capacity, sizeof *mesh->blocks);
  mo_deallocate(&allocator, mesh->duplicates, mesh->duplicate_capacity, sizeof *mesh->duplicates);
  mo_compact_destroy(mesh);
  mo_mesh_destroy_segment_entry_points(mesh);
  mo_deformation_destroy(mesh);
  mo_editing_destroy(mesh);
  mo_height_destroy(&allocator, mesh->height);
  mo_deallocate(&allocator, mesh, 1, sizeof *mesh);
}

mo_mesh *mo_mesh_allocate(const mo_host *host, mo_isa isa, const mo_mesh_build_options *build) {
  mo_mesh *mesh = mo_allocate(&host->allocator, 1, sizeof *mesh);
  if (mesh == NULL) {
    return NULL;
  }
  memset(mesh, 0, sizeof *mesh);
  atomic_init(&mesh->references, 1);
  mesh->host = *host;
  mesh->isa = isa;
  mesh->build = *build;
  mesh->bounds = mesh->dop.box = mo_aabb_empty();
  memset(mesh->free_block_runs, 0xff, sizeof mesh->free_block_runs);
  return mesh;
}

/* An empty mesh with capacity for the def's triangles. */
static mo_mesh *allocate_mesh(const mo_mesh_def *def, mo_isa isa) {
  const mo_allocator *allocator = &def->host.allocator;
  mo_mesh *mesh = mo_mesh_allocate(&def->host, isa, &def->build);
  if (mesh == NULL) {
    return NULL;
  }
  const uint32_t spare = def->build.editable ? mo_edit_spare_capacity(def->triangle_count) : 0;
  mesh->triangle_count = def->triangle_count;
  mesh->triangle_capacity = def->triangle_count + spare;
  mesh->vertex_count = def->vertex_count;
  if (def->triangle_count > 0) {
    const uint32_t capacity = mesh->triangle_capacity;
    mesh->triangle_places = mo_allocate(allocator, capacity, sizeof *mesh->triangle_places);
    mesh->user_data = def->triangle_user_data == NULL
                          ? NULL
                          : mo_allocate(allocator, capacity, sizeof *mesh->user_data);
    if (mesh->triangle_places == NULL ||
        (def->triangle_user_data != NULL && mesh->user_data == NULL)) {
      destroy_mesh(mesh);
      return NULL;
    }
    memset(mesh->triangle_places, 0xff, def->triangle_count * sizeof *mesh->triangle_places);
    if (mesh->user_data != NULL) {
      memcpy(mesh->user_data, def->triangle_user_data,
             def->triangle_count * sizeof *mesh->user_data);
    }
  }
  return mesh;
}

/* Checks the def and creates the mesh. `*first_bad` receives the number of a rejected
 * vertex or index. */
static mo_result create_checked(const mo_mesh_def *def, mo_mesh **mesh, size_t *first_bad) {
  mo_refusal refusal = mo_refusal_of(&def->host, "mo_mesh_create", "def");
  mo_isa isa;
  mo_result result = mo_mesh_check_def(def, &refusal, &isa);
  if (result != MO_OK) {
    return result;
  }
  size_t corner_count = 3 * (size_t)def->triangle_count;
  mo_vec3 *corners = mo_allocate(&def->host.allocator, corner_count, sizeof *corners);
  mo_aabb bounds = mo_aabb_empty();
  mo_mesh *made = NULL;
  if (corner_count > 0 && corners == NULL) {
    result = MO_ERROR_OUT_OF_MEMORY;
  } else {
    result = mo_read_corners(def, corners, &bounds, &refusal, first_bad);
  }
  if (result == MO_OK) {
    made = allocate_mesh(def, isa);
    result = made == NULL ? MO_ERROR_OUT_OF_MEMORY : MO_OK;
  }
  if (result == MO_OK) {
    bool declared = def->build.builder == MO_MESH_BUILDER_TOP_DOWN;
    mo_mesh_set_bounds(made, declared ? def->build.bounds : bounds);
    result = mo_mesh_build(made, corners);
  }
  if (result == MO_OK && def->build.deformable) {
    result = mo_mesh_make_deformable(made, def);
  }
  if (result == MO_OK) {
    made->rays = mo_mesh_ray_kernels_for(isa) + made->format;
    mo_mesh_make_dop(made);
    result = mo_mesh_make_segment_entry_points(made);
  }
  if (result == MO_OK && def->build.edges && def->triangle_count > 0) {
    result = mo_mesh_find_edges(made, corners);
  }
  if (result == MO_OK && def->build.editable) {
    result = mo_mesh_make_editable(made, def);
  }
  mo_deallocate(&def->host.allocator, corners, corner_count, sizeof *corners);
  if (result != MO_OK) {
    if (made != NULL) {
      destroy_mesh(made);
    }
    return result;
  }
  trim_arrays(made);
  if (made->degenerate_count > 0) {
    mo_log(&made->host, MO_LOG_INFO, "mesh: %u of %u triangles are degenerate",
           made->degenerate_count, made->triangle_count);
  }
  *mesh = made;
  return MO_OK;
}

mo_result mo_mesh_create(const mo_mesh_def *def, mo_mesh **mesh) {
  if (def == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (def->cookie != MO_COOKIE) {
    return MO_ERROR_UNINITIALIZED_DEF; /* without a valid def there is no host to log to */
  }
  size_t bad = MO_NO_INDEX;
  mo_result result =
      mesh != NULL ? create_checked(def, mesh, &bad) : mo_refuse_null(&def->host, __func__, "mesh");
  if (result != MO_OK) {
    mo_set_first_bad(def->first_bad, bad);
  }
  return result;
}

void mo_mesh_retain(mo_mesh *mesh) {
  if (mesh != NULL) {
    atomic_fetch_add_explicit(&mesh->references, 1, memory_order_relaxed);
  }
}

void mo_mesh_release(mo_mesh *mesh) {
  if (mesh != NULL && atomic_fetch_sub_explicit(&mesh->references, 1, memory_order_acq_rel) == 1) {
    destroy_mesh(mesh);
  }
}

/* Copies an array with one number per triangle to a larger one, filled up with zeros; null if out
 * of memory. */
static uint32_t *enlarge_array(const mo_mesh *mesh, const uint32_t *old, uint32_t capacity) {
  uint32_t *larger = mo_allocate(&mesh->host.allocator, capacity, sizeof *larger);
  if (larger != NULL) {
    memset(larger, 0, capacity * sizeof *larger);
    if (old != NULL && mesh->triangle_count > 0) {
      memcpy(larger, old, mesh->triangle_count * sizeof *larger);
    }
  }
  return larger;
}

mo_result mo_mesh_reserve_triangles(mo_mesh *mesh, uint32_t count, bool with_user_data) {
  const mo_allocator *allocator = &mesh->host.allocator;
  uint32_t needed = mesh->triangle_count + count;
  uint32_t capacity = mesh->triangle_capacity;
  bool user_data = with_user_data || mesh->user_data != NULL;
  if (needed <= capacity && user_data == (mesh->user_data != NULL)) {
    return MO_OK;
  }
  if (needed > capacity) {
    capacity = needed > 2 * capacity ? needed : 2 * capacity;
  }
  mo_triangle_place *new_places = enlarge_array(mesh, mesh->triangle_places, capacity);
  uint32_t *new_user_data = user_data ? enlarge_array(mesh, mesh->user_data, capacity) : NULL;
  if (new_places == NULL || (user_data && new_user_data == NULL)) {
    mo_deallocate(allocator, new_places, capacity, sizeof *new_places);
    mo_deallocate(allocator, new_user_data, capacity, sizeof *new_user_data);
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_deallocate(allocator, mesh->triangle_places, mesh->triangle_capacity, sizeof *new_places);
  mo_deallocate(allocator, mesh->user_data, mesh->triangle_capacity, sizeof *new_user_data);
  mesh->triangle_places = new_places;
  mesh->user_data = new_user_data;
  mesh->triangle_capacity = capacity;
  return MO_OK;
}

static mo_result check_insertion(const mo_mesh *mesh, const mo_vec3 *positions, uint32_t count,
                                 size_t *bad) {
  mo_refusal refusal = mo_refusal_of(&mesh->host, "mo_mesh_insert_triangles", "mesh");
  if (mesh->build.builder != MO_MESH_BUILDER_TOP_DOWN) {
    return mo_refuse(&refusal, MO_ERROR_UNSUPPORTED, " was not built by MO_MESH_BUILDER_TOP_DOWN");
  }
  if (count > MO_MAX_TRIANGLES - mesh->triangle_count) {
    refusal.name = "count";
    return mo_refuse_number(&refusal, MO_ERROR_TOO_MANY, "", count, NULL);
  }
  refusal.name = "positions";
  for (size_t i = 0; i < 3 * (size_t)count; i++) {
    refusal.index = i;
    mo_result result = mo_check_position(positions[i], &mesh->build, &refusal);
    if (result != MO_OK) {
      *bad = i;
      return result;
    }
  }
  return MO_OK;
}

/* Inserts triangles that have been checked. */
static mo_result insert_checked(mo_mesh *mesh, const mo_vec3 *positions, uint32_t count,
                                const uint32_t *user_data, uint32_t *first_index) {
  uint32_t first = mesh->triangle_count;
  if (count > 0) {
    mo_result result = mo_mesh_reserve_triangles(mesh, count, user_data != NULL);
    if (result != MO_OK) {
      return result;
    }
    memset(&mesh->triangle_places[first], 0xff, count * sizeof *mesh->triangle_places);
    result = mo_mesh_insert_into_cells(mesh, positions, count, first);
    if (result != MO_OK) {
      return result;
    }
    if (mesh->user_data != NULL) {
      for (uint32_t i = 0; i < count; i++) {
        mesh->user_data[first + i] = user_data != NULL ? user_data[i] : 0;
      }
    }
    mesh->triangle_count += count;
    mesh->vertex_count += 3 * count;
    count_degenerate(mesh, positions, count);
  }
  *first_index = first;
  return MO_OK;
}

mo_result mo_mesh_insert_triangles(mo_mesh *mesh, const mo_vec3 *positions, uint32_t count,
                                   const uint32_t *user_data, uint32_t *first_index,
                                   size_t *first_bad) {
  if (mesh == NULL || first_index == NULL || (count > 0 && positions == NULL)) {
    mo_set_first_bad(first_bad, MO_NO_INDEX);
    return mo_refuse_null(mo_mesh_host(mesh), __func__,
                          first_index == NULL ? "first_index" : "positions");
  }
  size_t bad = MO_NO_INDEX;
  mo_result result = check_insertion(mesh, positions, count, &bad);
  if (result == MO_OK) {
    result = insert_checked(mesh, positions, count, user_data, first_index);
  }
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, bad);
  }
  return result;
}

mo_aabb mo_mesh_bounds(const mo_mesh *mesh) {
  return mesh != NULL ? mesh->bounds : mo_aabb_empty();
}

uint32_t mo_mesh_triangle_count(const mo_mesh *mesh) {
  return mesh != NULL ? mesh->triangle_count : 0;
}

static MO_COLD mo_result refuse_triangle(const mo_mesh *mesh, const char *function,
                                         uint32_t triangle) {
  mo_refusal refusal = mo_refusal_of(&mesh->host, function, "triangle");
  return triangle < mesh->triangle_count
             ? mo_refuse(&refusal, MO_ERROR_INVALID_INDEX, " is %u, which %s", triangle,
                         mo_mesh_missing_reason(mesh))
             : mo_refuse(&refusal, MO_ERROR_INVALID_INDEX, " is %u, but there are %u", triangle,
                         mesh->triangle_count);
}

mo_result mo_mesh_get_triangle(const mo_mesh *mesh, uint32_t triangle, mo_vec3 corners[3],
                               uint32_t *user_data) {
  if (mesh == NULL || corners == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "corners");
  }
  if (!mo_mesh_has_triangle(mesh, triangle)) {
    return refuse_triangle(mesh, __func__, triangle);
  }
  mo_mesh_corners(mesh, triangle, corners);
  if (user_data != NULL) {
    *user_data = mo_mesh_user_data(mesh, triangle);
  }
  return MO_OK;
}

mo_result mo_mesh_get_edges(const mo_mesh *mesh, uint32_t triangle, mo_mesh_edge edges[3]) {
  if (mesh == NULL || edges == NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "edges");
  }
  if (!mesh->build.edges) {
    mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "mesh");
    return mo_refuse(&refusal, MO_ERROR_UNSUPPORTED, " was built without .edges");
  }
  if (!mo_mesh_has_triangle(mesh, triangle)) {
    return refuse_triangle(mesh, __func__, triangle);
  }
  for (int edge = 0; edge < 3; edge++) {
    edges[edge] = mo_edge_at(mesh, triangle, edge);
  }
  return MO_OK;
}
